//! BLEU in the variants that are in use, which differ in tokens, smoothing, lengths and scale.

mod code_to_text;
mod counts;
mod nltk;
mod nmt;
mod options;
mod sacre;
mod tokenizer;

pub use code_to_text::CodeToText;
pub use nltk::{Nltk, NltkSmoothing};
pub use nmt::{HuggingFace, Nmt};
pub use options::{BleuOptions, Variant};
pub use sacre::{SACREBLEU_VERSION, SacreBleu, SacreSmoothing, short_signature};
pub use tokenizer::Tokenizer;
