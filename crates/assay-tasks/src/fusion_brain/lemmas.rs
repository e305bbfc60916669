//! The Russian dictionary.

use assay_core::{Error, Result};
use assay_lemma::Lemmatizer;

/// The lemmas of Russian words.
#[derive(Clone, Copy)]
pub(super) struct Lemmas(&'static Lemmatizer);

impl Lemmas {
    /// Unpacks the dictionary, unless that was done before.
    pub(super) fn russian() -> Result<Self> {
        assay_lemma::russian().map(Self).map_err(|error| Error::failed(error.to_string()))
    }

    /// The version of the dictionary.
    pub(super) fn version() -> String {
        format!("opencorpora-{}", assay_lemma::version())
    }

    /// The lemma of a word.
    pub(super) fn lemma(self, word: &str) -> String {
        self.0.lemma(word)
    }
}
