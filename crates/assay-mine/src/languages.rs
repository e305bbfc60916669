//! Languages: the extensions of their files, and the syntax of their comments.

/// A language, as far as mining needs to know it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct MinedLanguage {
    /// Its name on the command line.
    pub name: &'static str,
    /// The extensions of its files.
    pub endings: &'static [&'static str],
    pub(crate) comments: Comments,
}

/// The syntax of comments and texts.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Comments {
    /// The starts of a comment that the line ends.
    pub(crate) line: &'static [&'static str],
    /// The start and the end of a comment that may span lines.
    pub(crate) block: Option<(&'static str, &'static str)>,
    /// The quotes of texts that the line ends at the latest.
    pub(crate) quotes: &'static [&'static str],
    /// The quotes of texts that may span lines.
    pub(crate) long_quotes: &'static [&'static str],
    /// Its peculiarity.
    pub(crate) habit: Habit,
}

/// A peculiarity of a language's comments and texts within its family.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Habit {
    /// Nothing.
    None,
    /// A comment starts where a word does: `$#` is none.
    WordStart,
    /// `#[` starts an attribute.
    Attributes,
    /// Long texts know no escapes.
    RawTexts,
    /// There are patterns between slashes.
    Patterns,
    /// A single quote encloses one character, if it encloses anything.
    Characters,
}

const C_BLOCK: Option<(&str, &str)> = Some(("/*", "*/"));
const C_LIKE: Comments = Comments {
    line: &["//"],
    block: C_BLOCK,
    quotes: &["\"", "'"],
    long_quotes: &[],
    habit: Habit::None,
};
const WITH_TEXT_BLOCKS: Comments = Comments { long_quotes: &["\"\"\""], ..C_LIKE };
const WITH_RAW_TEXTS: Comments = Comments { habit: Habit::RawTexts, ..WITH_TEXT_BLOCKS };
const WITH_BACKTICKS: Comments = Comments { long_quotes: &["`"], habit: Habit::Patterns, ..C_LIKE };
const HASH: Comments = Comments {
    line: &["#"],
    block: None,
    quotes: &["\"", "'"],
    long_quotes: &[],
    habit: Habit::None,
};
const HASH_AT_WORD: Comments = Comments { habit: Habit::WordStart, ..HASH };
const DASHES: Comments = Comments { line: &["--"], ..HASH };

const LANGUAGES: &[MinedLanguage] = &[
    MinedLanguage { name: "java", endings: &[".java"], comments: WITH_TEXT_BLOCKS },
    MinedLanguage { name: "c", endings: &[".c", ".h"], comments: C_LIKE },
    MinedLanguage {
        name: "cpp",
        endings: &[".cpp", ".cc", ".cxx", ".hpp", ".hh", ".hxx", ".h"],
        comments: C_LIKE,
    },
    MinedLanguage { name: "csharp", endings: &[".cs"], comments: WITH_TEXT_BLOCKS },
    MinedLanguage { name: "dart", endings: &[".dart"], comments: WITH_TEXT_BLOCKS },
    MinedLanguage {
        name: "go",
        endings: &[".go"],
        comments: Comments { habit: Habit::RawTexts, ..WITH_BACKTICKS },
    },
    MinedLanguage { name: "groovy", endings: &[".groovy", ".gradle"], comments: WITH_TEXT_BLOCKS },
    MinedLanguage {
        name: "haskell",
        endings: &[".hs"],
        comments: Comments {
            block: Some(("{-", "-}")),
            quotes: &["\""],
            habit: Habit::Characters,
            ..DASHES
        },
    },
    MinedLanguage {
        name: "javascript",
        endings: &[".js", ".jsx", ".mjs", ".cjs"],
        comments: WITH_BACKTICKS,
    },
    MinedLanguage { name: "kotlin", endings: &[".kt", ".kts"], comments: WITH_RAW_TEXTS },
    MinedLanguage {
        name: "lua",
        endings: &[".lua"],
        comments: Comments { block: Some(("--[[", "]]")), ..DASHES },
    },
    MinedLanguage { name: "perl", endings: &[".pl", ".pm"], comments: HASH_AT_WORD },
    MinedLanguage {
        name: "php",
        endings: &[".php"],
        comments: Comments { line: &["//", "#"], habit: Habit::Attributes, ..C_LIKE },
    },
    MinedLanguage {
        name: "python",
        endings: &[".py"],
        comments: Comments { long_quotes: &["\"\"\"", "'''"], ..HASH },
    },
    MinedLanguage { name: "r", endings: &[".r", ".R"], comments: HASH },
    MinedLanguage { name: "ruby", endings: &[".rb"], comments: HASH },
    MinedLanguage {
        name: "rust",
        endings: &[".rs"],
        comments: Comments { quotes: &["\""], habit: Habit::Characters, ..C_LIKE },
    },
    MinedLanguage { name: "scala", endings: &[".scala"], comments: WITH_RAW_TEXTS },
    MinedLanguage { name: "shell", endings: &[".sh", ".bash"], comments: HASH_AT_WORD },
    MinedLanguage {
        name: "sql",
        endings: &[".sql"],
        comments: Comments { block: C_BLOCK, ..DASHES },
    },
    MinedLanguage { name: "swift", endings: &[".swift"], comments: WITH_TEXT_BLOCKS },
    MinedLanguage {
        name: "typescript",
        endings: &[".ts", ".tsx", ".mts", ".cts"],
        comments: WITH_BACKTICKS,
    },
];

/// Other names that people use.
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
        self.endings.iter().any(|ending| path.ends_with(ending.as_bytes()))
    }
}
