//! The code in a chat answer, found by named and versioned rules. No I/O.
//!
//! A rule ([`Extraction`]) takes an answer and the facts by which its code is recognised ([`ExpectedCode`]), and returns
//! the code ([`Extracted`]). Every line of the code is a line of the answer, in the same order, without a fence at its end;
//! only indentation is added or removed. Every rule takes any text, in linear time.
//!
//! Blocks are found in `fences.rs`, their languages in `tags.rs`, and the one that is meant in `choice.rs`;
//! `definitions.rs` recognises what a block defines, `helpers.rs` adds the blocks that it needs, `prose.rs` cuts answers
//! without fences, `continuation.rs` indents the rest of a function, and `needed.rs` keeps what an entry point needs.

mod choice;
mod continuation;
mod definitions;
mod fences;
mod helpers;
mod needed;
mod prose;
mod tags;
#[cfg(test)]
mod tests;

use std::borrow::Cow;
use std::fmt;

use assay_core::{ExpectedCode, Language};
use assay_syntax::SyntaxTree;

pub use fences::has_fence;

/// A rule for finding the code in an answer.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Extraction {
    /// The block in which the expected function is defined.
    Code,
    /// The first block.
    FirstBlock,
    /// The last block.
    LastBlock,
    /// The expected function and what it needs.
    Def,
}

impl Extraction {
    /// All of them.
    pub const ALL: [Self; 4] = [Self::Code, Self::FirstBlock, Self::LastBlock, Self::Def];

    /// Its name on the command line.
    pub fn name(self) -> &'static str {
        match self {
            Self::Code => "code",
            Self::FirstBlock => "first-block",
            Self::LastBlock => "last-block",
            Self::Def => "def",
        }
    }

    /// The version, raised when the same answer could have other code.
    pub fn version(self) -> u32 {
        2
    }

    /// Returns true if the rule knows this language.
    pub fn knows(self, language: Language) -> bool {
        self != Self::Def || language == Language::Python
    }

    /// Finds the code in an answer.
    pub fn extract<'a>(self, answer: &'a str, expected: &ExpectedCode<'_>) -> Extracted<'a> {
        let said = after_thoughts(answer);
        let found = match self {
            Self::Code | Self::Def => choice::code(said, expected),
            Self::FirstBlock => choice::first(said),
            Self::LastBlock => choice::last(said),
        };
        let code = definitions::outdented(found, expected);
        // A continuation of a prompt may go on with another definition.
        let is_program = definitions::defines(&code, expected) && !starts_indented(&code);
        let code = match self {
            Self::Def if is_program => needed::needed(code, expected),
            _ if is_program => code,
            Self::Code | Self::Def => {
                continuation::of_prompt(code, answer, expected.prompt, expected.language)
            }
            Self::FirstBlock | Self::LastBlock => {
                continuation::on_its_own_line(code, answer, expected.prompt)
            }
        };
        Extracted { code, is_program }
    }
}

/// Displays the name and the version: `code.1`.
impl fmt::Display for Extraction {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}.{}", self.name(), self.version())
    }
}

/// The code of an answer.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Extracted<'a> {
    /// The code.
    pub code: Cow<'a, str>,
    /// True if it defines an entry point, so that it is a whole program and no continuation of a prompt.
    pub is_program: bool,
}

/// Returns true if an answer has a fence and is not valid in `language` with it. In a valid program, fences are part of
/// a comment or a string.
pub fn is_fenced(answer: &str, language: Option<Language>) -> bool {
    has_fence(answer) && language.is_none_or(|language| !is_valid(answer, language))
}

/// The beginnings and ends of a reasoning model's thoughts.
const THOUGHTS: [(&str, &str); 2] = [("<think>", "</think>"), ("<thinking>", "</thinking>")];

/// The part of an answer after a reasoning model's thoughts; nothing if they were cut off before their end.
fn after_thoughts(answer: &str) -> &str {
    let ends = THOUGHTS.iter().filter_map(|(_, end)| Some(answer.rfind(end)? + end.len()));
    match ends.max() {
        Some(end) => &answer[end..],
        None if THOUGHTS.iter().any(|(begin, _)| answer.trim_start().starts_with(begin)) => "",
        None => answer,
    }
}

/// Returns true if the first line of code is indented.
fn starts_indented(code: &str) -> bool {
    let first = code.lines().find(|line| !line.trim().is_empty());
    first.is_some_and(|line| line.starts_with([' ', '\t']))
}

/// The maximum length of a text that is parsed; a longer one is no program.
const MAX_PARSED: usize = 256 << 10;

/// Returns true if a text is a valid program.
fn is_valid(text: &str, language: Language) -> bool {
    text.len() <= MAX_PARSED && !SyntaxTree::parse(text, language).has_error()
}
