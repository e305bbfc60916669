//! The languages that candidates can be run in. A closed enum, so that the compiler names every place to extend.

use assay_core::Language;

/// A language with an interpreter or a compiler that the sandbox can use.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Runtime {
    Python,
    JavaScript,
    Java,
    Cpp,
    Go,
    Rust,
}

impl Runtime {
    /// The runtime of a language, if the sandbox supports it.
    pub(crate) fn of(language: Language) -> Option<Self> {
        match language {
            Language::Python => Some(Self::Python),
            Language::JavaScript => Some(Self::JavaScript),
            Language::Java => Some(Self::Java),
            Language::Cpp => Some(Self::Cpp),
            Language::Go => Some(Self::Go),
            Language::Rust => Some(Self::Rust),
            Language::CSharp
            | Language::C
            | Language::TypeScript
            | Language::Ruby
            | Language::Php => None,
        }
    }

    /// The command to search the `PATH` for.
    pub(crate) fn command(self) -> &'static str {
        match self {
            Self::Python => "python3",
            Self::JavaScript => "node",
            Self::Java => "javac",
            Self::Cpp => "g++",
            Self::Go => "go",
            Self::Rust => "rustc",
        }
    }

    /// The software to install for it.
    pub(crate) fn software(self) -> &'static str {
        match self {
            Self::Python => "Python 3.9 or newer",
            Self::JavaScript => "Node.js",
            Self::Java => "a JDK (javac and java)",
            Self::Cpp => "g++",
            Self::Go => "Go",
            Self::Rust => "Rust (rustc)",
        }
    }

    /// The usual name of a source file.
    pub(crate) fn file_name(self) -> &'static str {
        match self {
            Self::Python => "main.py",
            Self::JavaScript => "main.js",
            Self::Java => "Main.java",
            Self::Cpp => "main.cpp",
            Self::Go => "main.go",
            Self::Rust => "main.rs",
        }
    }

    /// Returns true if its programs work with a limit on the address space. Others reserve far more than they use.
    pub(crate) fn supports_address_limit(self) -> bool {
        match self {
            Self::Cpp | Self::Rust => true,
            Self::Python | Self::JavaScript | Self::Java | Self::Go => false,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Tools;

    #[test]
    fn the_languages_of_tools_are_those_with_a_runtime() {
        for language in Language::ALL {
            let listed = Tools::LANGUAGES.contains(&language);
            assert_eq!(listed, Runtime::of(language).is_some(), "{language}");
        }
    }
}
