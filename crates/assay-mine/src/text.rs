//! A file of source code as UTF-8 with line feeds.

use encoding_rs::Encoding;

/// The text of a file: without a byte-order mark, in UTF-8, its lines ended by line feeds. `None` if
/// it is no text. What is not UTF-8 and does not say what it is, is read as `fallback`.
pub(crate) fn decode(bytes: &[u8], fallback: &'static Encoding) -> Option<String> {
    let marked = Encoding::for_bom(bytes).map(|(encoding, _)| encoding);
    if marked.is_none() && bytes.contains(&0) {
        return None;
    }
    let encoding = marked.unwrap_or_else(|| {
        if std::str::from_utf8(bytes).is_ok() { encoding_rs::UTF_8 } else { fallback }
    });
    let (text, _) = encoding.decode_with_bom_removal(bytes);
    let binary = text.contains('\0');
    let text = if text.contains("\r\n") { text.replace("\r\n", "\n") } else { text.into_owned() };
    (!binary).then_some(text)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(bytes: &[u8], text: Option<&str>) {
        assert_eq!(decode(bytes, encoding_rs::WINDOWS_1252).as_deref(), text, "{bytes:?}");
    }

    #[test]
    fn texts_of_all_kinds_are_read() {
        check(b"", Some(""));
        check(b"a\r\nb\n", Some("a\nb\n"));
        check(b"a\rb\n", Some("a\rb\n"));
        check("grün".as_bytes(), Some("grün"));
        check(b"\xef\xbb\xbfgr\xc3\xbcn", Some("grün"));
        check(b"gr\xfcn", Some("grün"));
        check(b"\xff\xfea\0\r\0\n\0", Some("a\n"));
        check(b"\xfe\xff\0a", Some("a"));
        check(b"a\0b", None);
    }
}
