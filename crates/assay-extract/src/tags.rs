//! The languages that fences name.

use assay_core::Language;

/// Names of blocks that are in none of our languages.
const OTHERS: [&str; 27] = [
    "bash",
    "console",
    "css",
    "diff",
    "haskell",
    "html",
    "json",
    "jsonc",
    "julia",
    "kotlin",
    "latex",
    "lua",
    "makefile",
    "markdown",
    "md",
    "output",
    "perl",
    "plaintext",
    "r",
    "scala",
    "sh",
    "shell",
    "sql",
    "swift",
    "text",
    "txt",
    "yaml",
];

/// The language of a block.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Tag {
    /// None is named.
    None,
    /// One of ours.
    Language(Language),
    /// Another one.
    Other,
}

impl Tag {
    /// Parses the text after a fence. `None` if it is no language that is known: the fence may be the end of a block,
    /// with prose after it.
    pub(crate) fn parse(info: &str) -> Option<Self> {
        let info = info.trim_start_matches(['{', '.', ' ', '\t']);
        let ends = |c: char| !(c.is_ascii_alphanumeric() || matches!(c, '+' | '#' | '_' | '-'));
        let word = info[..info.find(ends).unwrap_or(info.len())].to_ascii_lowercase();
        if word.is_empty() {
            return Some(Self::None);
        }
        // Such as `python3`, `cpp17` and `c++20`.
        let plain = word.trim_end_matches(|c: char| c.is_ascii_digit());
        let language = match plain {
            "node" | "nodejs" | "jsx" | "mjs" => Some(Language::JavaScript),
            "ipython" | "pyi" | "python-repl" => Some(Language::Python),
            name => Language::by_name(name),
        };
        match language {
            Some(language) => Some(Self::Language(language)),
            None => OTHERS.contains(&plain).then_some(Self::Other),
        }
    }

    /// Returns true if code under this tag may be in `language`.
    pub(crate) fn may_be(self, language: Language) -> bool {
        self == Self::None || self.is_for(language)
    }

    /// Returns true if code in `language` is written under this tag.
    pub(crate) fn is_for(self, language: Language) -> bool {
        match self {
            Self::Language(Language::C) => language == Language::C || language == Language::Cpp,
            Self::Language(named) => named == language,
            Self::None | Self::Other => false,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_fence_names_its_language_in_many_ways() {
        for info in [
            "python",
            "Python",
            " py",
            "python3",
            "python3.11",
            "{.python}",
            "python title=\"a.py\"",
            "python:a.py",
        ] {
            assert_eq!(Tag::parse(info), Some(Tag::Language(Language::Python)), "{info}");
        }
        for (info, language) in [
            ("c++17", Language::Cpp),
            ("js", Language::JavaScript),
            ("rust,ignore", Language::Rust),
        ] {
            assert_eq!(Tag::parse(info), Some(Tag::Language(language)), "{info}");
        }
        assert_eq!(Tag::parse("  "), Some(Tag::None));
        assert_eq!(Tag::parse("bash"), Some(Tag::Other));
        assert_eq!(Tag::parse("This adds up."), None);
    }
}
