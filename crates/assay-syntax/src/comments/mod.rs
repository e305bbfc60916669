//! Programs without their comments, as CodeBLEU's tools make them.

mod c_like;
mod numbers;
mod python;

use std::borrow::Cow;

use crate::Language;

/// The way comments are removed.
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
    match removal {
        Removal::None => Cow::Borrowed(text),
        Removal::CLike => c_like::without_comments(text),
        Removal::ByLanguage => without_its_comments(text, language),
    }
}

fn without_its_comments(text: &str, language: Language) -> Cow<'_, str> {
    match language {
        // CodeBLEU's tools leave Ruby as it is.
        Language::Ruby => Cow::Borrowed(text),
        Language::Python => python::without_comments(text).map_or(Cow::Borrowed(text), Cow::Owned),
        Language::Java
        | Language::CSharp
        | Language::C
        | Language::Cpp
        | Language::JavaScript
        | Language::TypeScript
        | Language::Go
        | Language::Php
        | Language::Rust => c_like::without_comments(text),
    }
}
