//! Which files are source code of which language, and what its comments look like.

/// A language, as far as mining needs to know it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Language {
    /// Its name on the command line.
    pub name: &'static str,
    /// How its files' names end.
    pub endings: &'static [&'static str],
    pub(crate) comments: Comments,
}

/// What comments and texts look like.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Comments {
    /// What starts a comment that the line ends.
    pub(crate) line: &'static [&'static str],
    /// What starts and ends a comment that may span lines.
    pub(crate) block: Option<(&'static str, &'static str)>,
    /// What encloses texts that the line ends at the latest.
    pub(crate) quotes: &'static [&'static str],
    /// What encloses texts that may span lines.
    pub(crate) long_quotes: &'static [&'static str],
}

const C_BLOCK: Option<(&str, &str)> = Some(("/*", "*/"));
const C_LIKE: Comments =
    Comments { line: &["//"], block: C_BLOCK, quotes: &["\"", "'"], long_quotes: &[] };
const WITH_TEXT_BLOCKS: Comments = Comments { long_quotes: &["\"\"\""], ..C_LIKE };
const WITH_BACKTICKS: Comments = Comments { long_quotes: &["`"], ..C_LIKE };
const HASH: Comments =
    Comments { line: &["#"], block: None, quotes: &["\"", "'"], long_quotes: &[] };
const DASHES: Comments = Comments { line: &["--"], ..HASH };

const LANGUAGES: &[Language] = &[
    Language { name: "java", endings: &[".java"], comments: WITH_TEXT_BLOCKS },
    Language { name: "c", endings: &[".c", ".h"], comments: C_LIKE },
    Language {
        name: "cpp",
        endings: &[".cpp", ".cc", ".cxx", ".hpp", ".hh", ".hxx", ".h"],
        comments: C_LIKE,
    },
    Language { name: "csharp", endings: &[".cs"], comments: WITH_TEXT_BLOCKS },
    Language { name: "dart", endings: &[".dart"], comments: WITH_TEXT_BLOCKS },
    Language { name: "go", endings: &[".go"], comments: WITH_BACKTICKS },
    Language { name: "groovy", endings: &[".groovy", ".gradle"], comments: WITH_TEXT_BLOCKS },
    Language {
        name: "haskell",
        endings: &[".hs"],
        comments: Comments { block: Some(("{-", "-}")), quotes: &["\""], ..DASHES },
    },
    Language {
        name: "javascript",
        endings: &[".js", ".jsx", ".mjs", ".cjs"],
        comments: WITH_BACKTICKS,
    },
    Language { name: "kotlin", endings: &[".kt", ".kts"], comments: WITH_TEXT_BLOCKS },
    Language {
        name: "lua",
        endings: &[".lua"],
        comments: Comments { block: Some(("--[[", "]]")), ..DASHES },
    },
    Language { name: "perl", endings: &[".pl", ".pm"], comments: HASH },
    Language {
        name: "php",
        endings: &[".php"],
        comments: Comments { line: &["//", "#"], ..C_LIKE },
    },
    Language {
        name: "python",
        endings: &[".py"],
        comments: Comments { long_quotes: &["\"\"\"", "'''"], ..HASH },
    },
    Language { name: "r", endings: &[".r", ".R"], comments: HASH },
    Language { name: "ruby", endings: &[".rb"], comments: HASH },
    // Lifetimes look like texts that never end, so only double quotes enclose texts.
    Language { name: "rust", endings: &[".rs"], comments: Comments { quotes: &["\""], ..C_LIKE } },
    Language { name: "scala", endings: &[".scala"], comments: WITH_TEXT_BLOCKS },
    Language { name: "shell", endings: &[".sh", ".bash"], comments: HASH },
    Language { name: "sql", endings: &[".sql"], comments: Comments { block: C_BLOCK, ..DASHES } },
    Language { name: "swift", endings: &[".swift"], comments: WITH_TEXT_BLOCKS },
    Language {
        name: "typescript",
        endings: &[".ts", ".tsx", ".mts", ".cts"],
        comments: WITH_BACKTICKS,
    },
];

/// The language of this name.
pub fn language(name: &str) -> Option<Language> {
    LANGUAGES.iter().find(|language| language.name.eq_ignore_ascii_case(name)).copied()
}

/// The names of all languages, in order.
pub fn language_names() -> impl Iterator<Item = &'static str> {
    LANGUAGES.iter().map(|language| language.name)
}

impl Language {
    /// Whether a file of this path is source code of the language.
    pub fn is_of(&self, path: &[u8]) -> bool {
        self.endings.iter().any(|ending| path.ends_with(ending.as_bytes()))
    }
}
