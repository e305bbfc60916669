//! A file of source code as UTF-8 with line feeds.

use std::borrow::Cow;

use encoding_rs::Encoding;

/// The text of a file: without a byte order mark, in UTF-8, with line feeds as line endings. `None`
/// if it is not text. Lines that are not UTF-8 are decoded as `fallback`, each separately: one
/// stray byte must not change the other lines.
pub(crate) fn decode(bytes: &[u8], fallback: &'static Encoding) -> Option<String> {
    let text = match Encoding::for_bom(bytes) {
        Some((encoding, mark)) if encoding != encoding_rs::UTF_8 => {
            encoding.decode_without_bom_handling(&bytes[mark..]).0
        }
        marked => decode_lines(&bytes[marked.map_or(0, |(_, mark)| mark)..], fallback),
    };
    if text.contains('\0') {
        return None;
    }
    let only_returns = text.contains('\r') && !text.contains('\n');
    Some(match text {
        text if only_returns => text.replace('\r', "\n"),
        text if text.contains("\r\n") => text.replace("\r\n", "\n"),
        text => text.into_owned(),
    })
}

fn decode_lines<'a>(bytes: &'a [u8], fallback: &'static Encoding) -> Cow<'a, str> {
    if let Ok(text) = std::str::from_utf8(bytes) {
        return text.into();
    }
    let lines = bytes.split_inclusive(|&byte| byte == b'\n');
    let decoded = lines.map(|line| match std::str::from_utf8(line) {
        Ok(line) => Cow::from(line),
        Err(_) => fallback.decode_without_bom_handling(line).0,
    });
    decoded.collect::<String>().into()
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
        check(b"a\rb\r", Some("a\nb\n"));
        check("grün".as_bytes(), Some("grün"));
        check(b"\xef\xbb\xbfgr\xc3\xbcn", Some("grün"));
        check(b"gr\xfcn", Some("grün"));
        check(b"gr\xc3\xbcn\nbad\xe9\n", Some("grün\nbadé\n"));
        check(b"\xff\xfea\0\r\0\n\0", Some("a\n"));
        check(b"\xfe\xff\0a", Some("a"));
        check(b"a\0b", None);
    }
}
