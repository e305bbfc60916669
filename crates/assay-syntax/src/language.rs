//! The languages that are understood, and the exact grammar of each.

use std::fmt;

/// The parser's version, which trees of broken programs hang on as well as on the grammar's.
const PARSER: &str = "tree-sitter-0.27.1";

/// A programming language.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
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

    /// The name that the field's tools use.
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

    /// The language of that name, or of a usual short form of it.
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

    /// The grammar and the parser, with their versions, for signatures.
    pub fn grammar(self) -> String {
        let version = match self {
            Self::Java | Self::CSharp => "0.23.5",
            Self::Python | Self::JavaScript | Self::Go => "0.25.0",
            Self::C | Self::Rust => "0.24.2",
            Self::Cpp => "0.23.4",
            Self::TypeScript => "0.23.2",
            Self::Ruby => "0.23.1",
            Self::Php => "0.25.1",
        };
        format!("{}-{version}/{PARSER}", self.name())
    }

    /// The grammar itself.
    pub(crate) fn parser_tables(self) -> tree_sitter::Language {
        match self {
            Self::Java => tree_sitter_java::LANGUAGE,
            Self::Python => tree_sitter_python::LANGUAGE,
            Self::CSharp => tree_sitter_c_sharp::LANGUAGE,
            Self::C => tree_sitter_c::LANGUAGE,
            Self::Cpp => tree_sitter_cpp::LANGUAGE,
            Self::JavaScript => tree_sitter_javascript::LANGUAGE,
            Self::TypeScript => tree_sitter_typescript::LANGUAGE_TYPESCRIPT,
            Self::Go => tree_sitter_go::LANGUAGE,
            Self::Ruby => tree_sitter_ruby::LANGUAGE,
            Self::Php => tree_sitter_php::LANGUAGE_PHP,
            Self::Rust => tree_sitter_rust::LANGUAGE,
        }
        .into()
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

    #[test]
    fn the_grammars_are_those_that_are_built_in() {
        let manifest = include_str!("../../../Cargo.toml");
        for language in Language::ALL {
            let grammar = language.grammar();
            let (tables, parser) = grammar.split_once('/').unwrap();
            let (name, version) = tables.rsplit_once('-').unwrap();
            let name = name.replace('_', "-");
            let line = format!("tree-sitter-{name} = \"={version}\"");
            assert!(manifest.contains(&line), "{line}");
            let version = parser.rsplit_once('-').unwrap().1;
            assert!(manifest.contains(&format!("tree-sitter = {{ version = \"={version}\"")));
        }
    }
}
