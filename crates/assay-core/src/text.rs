//! Questions whose answer is a text: say this program in another language.

use crate::Language;

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
