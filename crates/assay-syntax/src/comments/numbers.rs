//! The length of a number in Python.

/// The length of the number at the start of `bytes`; 0 if there is none.
pub(super) fn number(bytes: &[u8]) -> usize {
    let whole = digits(bytes, u8::is_ascii_digit, false);
    let float = float(bytes, whole);
    for length in [whole.max(float), whole] {
        if length > 0 && matches!(bytes.get(length), Some(b'j' | b'J')) {
            return length + 1;
        }
    }
    if float > 0 {
        return float;
    }
    match based(bytes) {
        0 => decimal(bytes),
        length => length,
    }
}

/// Digits with single underscores between them, and before the first if it `may_lead`.
fn digits(bytes: &[u8], is_digit: impl Fn(&u8) -> bool, may_lead: bool) -> usize {
    let digit_at = |at: usize| bytes.get(at).is_some_and(&is_digit);
    let mut length = match (digit_at(0), may_lead && bytes.first() == Some(&b'_') && digit_at(1)) {
        (true, _) => 1,
        (false, true) => 2,
        (false, false) => return 0,
    };
    loop {
        if digit_at(length) {
            length += 1;
        } else if bytes.get(length) == Some(&b'_') && digit_at(length + 1) {
            length += 2;
        } else {
            return length;
        }
    }
}

/// A number with a point or an exponent, after `whole` digits.
fn float(bytes: &[u8], whole: usize) -> usize {
    let plain = |bytes: &[u8]| digits(bytes, u8::is_ascii_digit, false);
    let mut length = whole;
    if bytes.get(whole) == Some(&b'.') {
        let fraction = plain(&bytes[whole + 1..]);
        if whole == 0 && fraction == 0 {
            return 0;
        }
        length = whole + 1 + fraction;
    }
    if length > 0 && matches!(bytes.get(length), Some(b'e' | b'E')) {
        let sign = usize::from(matches!(bytes.get(length + 1), Some(b'+' | b'-')));
        let exponent = plain(bytes.get(length + 1 + sign..).unwrap_or_default());
        if exponent > 0 {
            return length + 1 + sign + exponent;
        }
    }
    if length > whole { length } else { 0 }
}

/// A number with a base prefix: `0x1f`.
fn based(bytes: &[u8]) -> usize {
    let [b'0', base, rest @ ..] = bytes else { return 0 };
    let length = match base {
        b'x' | b'X' => digits(rest, u8::is_ascii_hexdigit, true),
        b'b' | b'B' => digits(rest, |byte| matches!(byte, b'0' | b'1'), true),
        b'o' | b'O' => digits(rest, |byte| matches!(byte, b'0'..=b'7'), true),
        _ => 0,
    };
    if length > 0 { length + 2 } else { 0 }
}

/// Zeros, or digits that do not start with one.
fn decimal(bytes: &[u8]) -> usize {
    if bytes.first() == Some(&b'0') {
        return digits(bytes, |&byte| byte == b'0', false);
    }
    digits(bytes, u8::is_ascii_digit, false)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_reach_as_far_as_pythons() {
        for (text, length) in [
            ("", 0),
            ("a", 0),
            ("7", 1),
            ("10_0_", 4),
            ("1__0", 1),
            ("007", 2),
            ("0_0", 3),
            ("0x_fg", 4),
            ("0xg", 1),
            ("0b12", 3),
            ("0o78", 3),
            ("1.", 2),
            ("1.e", 2),
            (".5", 2),
            (".", 0),
            ("..5", 0),
            ("1e5", 3),
            ("1e+5", 4),
            ("1e", 1),
            ("1j", 2),
            ("1.5j", 4),
            ("1.5e3J", 6),
            ("1_000.0_1", 9),
            ("09.5", 4),
            ("1.2.3", 3),
            ("00j", 3),
        ] {
            assert_eq!(number(text.as_bytes()), length, "{text}");
        }
    }
}
