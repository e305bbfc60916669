//! The replacement of the dictionary in a build without the feature `russian-lemmas`.

use assay_core::{Error, Result};

/// Lemmas that cannot be created: answers that need them are refused, not compared in another way.
#[derive(Clone, Copy)]
pub(super) enum Lemmas {}

impl Lemmas {
    /// Always fails.
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
