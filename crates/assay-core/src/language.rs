//! Programming languages, by the names that other tools use.

use std::fmt;

use serde::{Deserialize, Serialize};

/// A programming language.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[expect(missing_docs, reason = "their names say it all")]
pub enum Language {
    Java,
    Python,
    CSharp,
    C,
    Cpp,
    JavaScript,
    TypeScript,
    Go,
    Ruby,
    Php,
    Rust,
}

impl Language {
    /// All of them.
    pub const ALL: [Self; 11] = [
        Self::Java,
        Self::Python,
        Self::CSharp,
        Self::C,
        Self::Cpp,
        Self::JavaScript,
        Self::TypeScript,
        Self::Go,
        Self::Ruby,
        Self::Php,
        Self::Rust,
    ];

    /// The name that other tools use.
    pub fn name(self) -> &'static str {
        match self {
            Self::Java => "java",
            Self::Python => "python",
            Self::CSharp => "c_sharp",
            Self::C => "c",
            Self::Cpp => "cpp",
            Self::JavaScript => "javascript",
            Self::TypeScript => "typescript",
            Self::Go => "go",
            Self::Ruby => "ruby",
            Self::Php => "php",
            Self::Rust => "rust",
        }
    }

    /// Its name as people write it.
    pub fn title(self) -> &'static str {
        match self {
            Self::Java => "Java",
            Self::Python => "Python",
            Self::CSharp => "C#",
            Self::C => "C",
            Self::Cpp => "C++",
            Self::JavaScript => "JavaScript",
            Self::TypeScript => "TypeScript",
            Self::Go => "Go",
            Self::Ruby => "Ruby",
            Self::Php => "PHP",
            Self::Rust => "Rust",
        }
    }

    /// The language of that name, or of a common abbreviation.
    pub fn by_name(name: &str) -> Option<Self> {
        let name = name.to_ascii_lowercase();
        let long = match name.as_str() {
            "py" | "python3" => "python",
            "cs" | "c#" | "csharp" | "c-sharp" => "c_sharp",
            "c++" | "cxx" => "cpp",
            "js" => "javascript",
            "ts" => "typescript",
            "golang" => "go",
            "rb" => "ruby",
            "rs" => "rust",
            name => name,
        };
        Self::ALL.into_iter().find(|language| language.name() == long)
    }
}

impl fmt::Display for Language {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_name_is_found() {
        for language in Language::ALL {
            assert_eq!(Language::by_name(language.name()), Some(language));
        }
        assert_eq!(Language::by_name("C#"), Some(Language::CSharp));
        assert_eq!(Language::by_name("cobol"), None);
    }
}
