//! Dictionary forms of Russian words: what pymorphy3 calls the normal form of its first parse.
//!
//! A word that the dictionary has is looked up ([`Dictionary`]); any other is guessed from its parts
//! and its ending (`analysis`). The dictionary is `OpenCorpora`'s, in a table of our own (`table`)
//! that is unpacked when the first word is asked for.

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
pub use table::{Form, Lexeme, Order, Prediction, Table, TableError};
pub use tags::Tag;

/// The dictionary inside the binary; `cargo xtask lemmas` makes it.
static EMBEDDED: &[u8] = include_bytes!("../data/russian.bin");

static SHIPPED: LazyLock<Result<Lemmatizer, TableError>> =
    LazyLock::new(|| Dictionary::decode(EMBEDDED).map(Lemmatizer::new));

/// The lemmatizer with the dictionary inside the binary, unpacked on the first call.
pub fn russian() -> Result<&'static Lemmatizer, TableError> {
    SHIPPED.as_ref().map_err(Clone::clone)
}

/// The version of the dictionary inside the binary; known without unpacking it.
pub fn version() -> &'static str {
    table::version(EMBEDDED).unwrap_or("unknown")
}
