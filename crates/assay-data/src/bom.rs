//! The byte order mark that some editors put before UTF-8.

/// Strips the byte order mark, if there is one. JSON does not allow it, but every reader of JSON
/// skips it.
pub fn strip_bom(bytes: &[u8]) -> &[u8] {
    bytes.strip_prefix(BOM).unwrap_or(bytes)
}

pub(crate) const BOM: &[u8] = "\u{feff}".as_bytes();
