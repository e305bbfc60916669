//! What a build without the feature `russian-lemmas` has in place of the dictionary.

use assay_core::{Error, Result};

/// Lemmas that nobody can have: answers that need them are refused, not compared in another way.
#[derive(Clone, Copy)]
pub(super) enum Lemmas {}

impl Lemmas {
    /// Refuses.
    pub(super) fn russian() -> Result<Self> {
        Err(Error::usage("this build has no support for answers in Russian")
            .hint("build it with the feature russian-lemmas"))
    }

    /// The version of the dictionary, in signatures.
    pub(super) fn version() -> String {
        "none".to_owned()
    }

    /// The lemma of a word.
    pub(super) fn lemma(self, _word: &str) -> String {
        match self {}
    }
}
