//! Dictionary forms of Russian words: the normal form of pymorphy3's first parse.
//!
//! A word in the dictionary is looked up ([`Dictionary`]); any other is guessed from its parts and
//! its ending (`analysis`). The dictionary is `OpenCorpora`'s, in our own table format (`table`),
//! which is unpacked at the first use.

mod analysis;
mod bytes;
mod dictionary;
mod digits;
mod strings;
mod table;
mod tags;

use std::sync::LazyLock;

pub use analysis::Lemmatizer;
pub use dictionary::Dictionary;
pub use table::{Form, Lexeme, ParseOrder, Prediction, Table, TableError};
pub use tags::Tag;

/// The dictionary inside the binary, created by `cargo xtask lemmas`.
static EMBEDDED: &[u8] = include_bytes!("../data/russian.bin");

static SHIPPED: LazyLock<Result<Lemmatizer, TableError>> =
    LazyLock::new(|| Dictionary::decode(EMBEDDED).map(Lemmatizer::new));

/// The lemmatizer with the dictionary inside the binary, unpacked on the first call.
pub fn russian() -> Result<&'static Lemmatizer, TableError> {
    SHIPPED.as_ref().map_err(Clone::clone)
}

/// The version of the dictionary inside the binary; available without unpacking it.
pub fn version() -> &'static str {
    table::version(EMBEDDED).unwrap_or("unknown")
}
