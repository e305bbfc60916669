//! Languages: the extensions of their files, and the syntax of their comments.

/// The properties of a language that mining needs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct MinedLanguage {
    /// Its name on the command line.
    pub name: &'static str,
    /// The extensions of its files.
    pub extensions: &'static [&'static str],
    pub(crate) comments: Comments,
}

/// The syntax of comments and strings.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Comments {
    /// The starts of a comment that ends with the line.
    pub(crate) line: &'static [&'static str],
    /// The start and the end of a comment that may span lines.
    pub(crate) block: Option<(&'static str, &'static str)>,
    /// The quotes of strings that end with the line at the latest.
    pub(crate) quotes: &'static [&'static str],
    /// The quotes of strings that may span lines.
    pub(crate) long_quotes: &'static [&'static str],
    /// Its peculiarity.
    pub(crate) quirk: Quirk,
}

/// A peculiarity of a language's comments and strings within its family.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Quirk {
    /// No peculiarity.
    None,
    /// A comment starts only at the start of a word: `$#` is none.
    WordStart,
    /// `#[` starts an attribute.
    Attributes,
    /// Long strings have no escapes.
    RawTexts,
    /// There are regular expressions between slashes.
    Patterns,
    /// A single quote encloses exactly one character, or is not a quote.
    Characters,
}

const C_BLOCK: Option<(&str, &str)> = Some(("/*", "*/"));
const C_LIKE: Comments = Comments {
    line: &["//"],
    block: C_BLOCK,
    quotes: &["\"", "'"],
    long_quotes: &[],
    quirk: Quirk::None,
};
const WITH_TEXT_BLOCKS: Comments = Comments { long_quotes: &["\"\"\""], ..C_LIKE };
const WITH_RAW_TEXTS: Comments = Comments { quirk: Quirk::RawTexts, ..WITH_TEXT_BLOCKS };
const WITH_BACKTICKS: Comments = Comments { long_quotes: &["`"], quirk: Quirk::Patterns, ..C_LIKE };
const HASH: Comments = Comments {
    line: &["#"],
    block: None,
    quotes: &["\"", "'"],
    long_quotes: &[],
    quirk: Quirk::None,
};
const HASH_AT_WORD: Comments = Comments { quirk: Quirk::WordStart, ..HASH };
const DASHES: Comments = Comments { line: &["--"], ..HASH };

const LANGUAGES: &[MinedLanguage] = &[
    MinedLanguage { name: "java", extensions: &[".java"], comments: WITH_TEXT_BLOCKS },
    MinedLanguage { name: "c", extensions: &[".c", ".h"], comments: C_LIKE },
    MinedLanguage {
        name: "cpp",
        extensions: &[".cpp", ".cc", ".cxx", ".hpp", ".hh", ".hxx", ".h"],
        comments: C_LIKE,
    },
    MinedLanguage { name: "csharp", extensions: &[".cs"], comments: WITH_TEXT_BLOCKS },
    MinedLanguage { name: "dart", extensions: &[".dart"], comments: WITH_TEXT_BLOCKS },
    MinedLanguage {
        name: "go",
        extensions: &[".go"],
        comments: Comments { quirk: Quirk::RawTexts, ..WITH_BACKTICKS },
    },
    MinedLanguage {
        name: "groovy",
        extensions: &[".groovy", ".gradle"],
        comments: WITH_TEXT_BLOCKS,
    },
    MinedLanguage {
        name: "haskell",
        extensions: &[".hs"],
        comments: Comments {
            block: Some(("{-", "-}")),
            quotes: &["\""],
            quirk: Quirk::Characters,
            ..DASHES
        },
    },
    MinedLanguage {
        name: "javascript",
        extensions: &[".js", ".jsx", ".mjs", ".cjs"],
        comments: WITH_BACKTICKS,
    },
    MinedLanguage { name: "kotlin", extensions: &[".kt", ".kts"], comments: WITH_RAW_TEXTS },
    MinedLanguage {
        name: "lua",
        extensions: &[".lua"],
        comments: Comments { block: Some(("--[[", "]]")), ..DASHES },
    },
    MinedLanguage { name: "perl", extensions: &[".pl", ".pm"], comments: HASH_AT_WORD },
    MinedLanguage {
        name: "php",
        extensions: &[".php"],
        comments: Comments { line: &["//", "#"], quirk: Quirk::Attributes, ..C_LIKE },
    },
    MinedLanguage {
        name: "python",
        extensions: &[".py"],
        comments: Comments { long_quotes: &["\"\"\"", "'''"], ..HASH },
    },
    MinedLanguage { name: "r", extensions: &[".r", ".R"], comments: HASH },
    MinedLanguage { name: "ruby", extensions: &[".rb"], comments: HASH },
    MinedLanguage {
        name: "rust",
        extensions: &[".rs"],
        comments: Comments { quotes: &["\""], quirk: Quirk::Characters, ..C_LIKE },
    },
    MinedLanguage { name: "scala", extensions: &[".scala"], comments: WITH_RAW_TEXTS },
    MinedLanguage { name: "shell", extensions: &[".sh", ".bash"], comments: HASH_AT_WORD },
    MinedLanguage {
        name: "sql",
        extensions: &[".sql"],
        comments: Comments { block: C_BLOCK, ..DASHES },
    },
    MinedLanguage { name: "swift", extensions: &[".swift"], comments: WITH_TEXT_BLOCKS },
    MinedLanguage {
        name: "typescript",
        extensions: &[".ts", ".tsx", ".mts", ".cts"],
        comments: WITH_BACKTICKS,
    },
];

/// Alternative names of languages.
const ALIASES: &[(&str, &str)] = &[
    ("c++", "cpp"),
    ("c#", "csharp"),
    ("cs", "csharp"),
    ("golang", "go"),
    ("js", "javascript"),
    ("kt", "kotlin"),
    ("py", "python"),
    ("rb", "ruby"),
    ("rs", "rust"),
    ("bash", "shell"),
    ("sh", "shell"),
    ("ts", "typescript"),
];

/// The language of this name.
pub fn language(name: &str) -> Option<MinedLanguage> {
    let alias = ALIASES.iter().find(|(alias, _)| alias.eq_ignore_ascii_case(name));
    let name = alias.map_or(name, |(_, name)| name);
    LANGUAGES.iter().find(|language| language.name.eq_ignore_ascii_case(name)).copied()
}

/// The names of all languages, in order.
pub fn language_names() -> impl Iterator<Item = &'static str> {
    LANGUAGES.iter().map(|language| language.name)
}

impl MinedLanguage {
    /// Returns whether a file of this path is source code of the language.
    pub fn is_of(&self, path: &[u8]) -> bool {
        self.extensions.iter().any(|extension| path.ends_with(extension.as_bytes()))
    }
}
