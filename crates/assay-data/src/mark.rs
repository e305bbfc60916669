//! The mark that some editors put before UTF-8.

/// What follows the mark, if there is one. JSON has no such thing, and every reader of JSON passes
/// over it.
pub fn without_mark(bytes: &[u8]) -> &[u8] {
    bytes.strip_prefix(MARK).unwrap_or(bytes)
}

pub(crate) const MARK: &[u8] = "\u{feff}".as_bytes();
