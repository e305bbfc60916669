//! BLEU in the variants that are in use, which differ in tokens, smoothing, lengths and scale.

mod code_to_text;
mod counts;
mod nltk;
mod nmt;
mod options;
mod sacre;
mod tokenizer;

pub use options::{BleuOptions, Variant};
pub use sacre::SACREBLEU_VERSION;
pub use tokenizer::Tokenizer;
