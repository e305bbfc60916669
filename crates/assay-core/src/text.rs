//! Questions whose answer is a text: say this program in another language.

use std::fmt;

use serde::Serialize;

/// A programming language.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Language {
    /// Java.
    Java,
    /// Python, as text or as tokens with `NEW_LINE`, `INDENT` and `DEDENT`.
    Python,
    /// C#.
    CSharp,
}

impl fmt::Display for Language {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Java => "Java",
            Self::Python => "Python",
            Self::CSharp => "C#",
        })
    }
}

/// A program, and the language in which it is wanted.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TextQuestion {
    /// The program.
    pub source: String,
    /// The language that it is written in.
    pub language: Language,
    /// The language that it is wanted in.
    pub wanted: Language,
}

/// What grading a text needs.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TextReference {
    /// Right answers, each as good as the others; none where they are hidden.
    pub texts: Vec<String>,
}
