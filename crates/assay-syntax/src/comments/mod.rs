//! Removal of comments from programs, as CodeBLEU's tools do it.

mod c_like;
mod numbers;
mod python;

use std::borrow::Cow;

use crate::Language;

/// The way in which comments are removed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Removal {
    /// C's comments, for all languages.
    CLike,
    /// The language's own comments: Python's and Ruby's differ from C's.
    ByLanguage,
    /// No removal.
    None,
}

/// The text without comments. Text that cannot be tokenized, such as Python with an open bracket,
/// is returned unchanged.
pub fn without_comments(text: &str, language: Language, removal: Removal) -> Cow<'_, str> {
    match removal {
        Removal::None => Cow::Borrowed(text),
        Removal::CLike => c_like::without_comments(text),
        Removal::ByLanguage => without_its_comments(text, language),
    }
}

fn without_its_comments(text: &str, language: Language) -> Cow<'_, str> {
    match language {
        // CodeBLEU's tools leave Ruby unchanged.
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
