//! Programs without their comments, as CodeBLEU's tools make them.

mod c_like;
mod numbers;
mod python;

use std::borrow::Cow;

use crate::Language;

/// How comments are removed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Removal {
    /// As in C, whatever the language.
    CLike,
    /// As the language has them: Python's and Ruby's ways differ from C's.
    ByLanguage,
    /// Not at all.
    None,
}

/// The text without comments. What cannot be told apart, such as Python with an open bracket, stays
/// as it is.
pub fn without_comments(text: &str, language: Language, removal: Removal) -> Cow<'_, str> {
    match (removal, language) {
        (Removal::None, _) | (Removal::ByLanguage, Language::Ruby) => Cow::Borrowed(text),
        (Removal::ByLanguage, Language::Python) => {
            python::without_comments(text).map_or(Cow::Borrowed(text), Cow::Owned)
        }
        (Removal::CLike | Removal::ByLanguage, _) => c_like::without_comments(text),
    }
}
