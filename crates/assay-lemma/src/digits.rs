//! Decimal digits of every script, as recognised by Python, and numbers made of them.

/// The zeros of Unicode's decimal digits; nine more follow each.
const ZEROS: [u32; 66] = [
    0x30, 0x660, 0x6f0, 0x7c0, 0x966, 0x9e6, 0xa66, 0xae6, 0xb66, 0xbe6, 0xc66, 0xce6, 0xd66,
    0xde6, 0xe50, 0xed0, 0xf20, 0x1040, 0x1090, 0x17e0, 0x1810, 0x1946, 0x19d0, 0x1a80, 0x1a90,
    0x1b50, 0x1bb0, 0x1c40, 0x1c50, 0xa620, 0xa8d0, 0xa900, 0xa9d0, 0xa9f0, 0xaa50, 0xabf0, 0xff10,
    0x104a0, 0x10d30, 0x11066, 0x110f0, 0x11136, 0x111d0, 0x112f0, 0x11450, 0x114d0, 0x11650,
    0x116c0, 0x11730, 0x118e0, 0x11950, 0x11c50, 0x11d50, 0x11da0, 0x16a60, 0x16ac0, 0x16b50,
    0x1d7ce, 0x1d7d8, 0x1d7e2, 0x1d7ec, 0x1d7f6, 0x1e140, 0x1e2f0, 0x1e950, 0x1fbf0,
];

/// Returns whether `letter` is a decimal digit of any script.
pub fn is_digit(letter: char) -> bool {
    let code = letter as u32;
    let after = ZEROS.partition_point(|&zero| zero <= code);
    after > 0 && code - ZEROS[after - 1] < 10
}

/// Returns whether Python would read the word as a whole number, or as a decimal one with a comma.
pub(crate) fn is_number(word: &[char]) -> bool {
    let unsigned = word.strip_prefix(&['-']).or(word.strip_prefix(&['+'])).unwrap_or(word);
    let exponent = unsigned.iter().position(|letter| matches!(letter, 'e' | 'E'));
    let (mantissa, power) = match exponent {
        Some(at) => (&unsigned[..at], Some(&unsigned[at + 1..])),
        None => (unsigned, None),
    };
    let power_is_whole = power.is_none_or(|power| {
        let unsigned = power.strip_prefix(&['-']).or(power.strip_prefix(&['+'])).unwrap_or(power);
        is_whole(unsigned)
    });
    let point = mantissa.iter().position(|letter| matches!(letter, '.' | ','));
    let mantissa_is_decimal = match point {
        None => is_whole(mantissa),
        Some(at) => {
            let (whole, part) = (&mantissa[..at], &mantissa[at + 1..]);
            (is_whole(whole) && (part.is_empty() || is_whole(part)))
                || (whole.is_empty() && is_whole(part))
        }
    };
    power_is_whole && mantissa_is_decimal
}

/// Returns whether a word consists of digits, with single underscores between them.
fn is_whole(word: &[char]) -> bool {
    word.split(|&letter| letter == '_')
        .all(|group| !group.is_empty() && group.iter().all(|&letter| is_digit(letter)))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(word: &str, expected: bool) {
        let letters: Vec<char> = word.chars().collect();
        assert_eq!(is_number(&letters), expected, "{word:?}");
    }

    #[test]
    fn numbers_are_what_python_reads_as_such() {
        for word in
            ["7", "-12", "+5", "3.5", "3,5", ".5", "5.", "1_000", "1e5", "2.5e-3", "٣", "１２"]
        {
            check(word, true);
        }
        for word in ["", "-", ".", "1.2.3", "1__0", "_1", "1e", "5а", "1-2", "²", "1,000,0"] {
            check(word, false);
        }
    }
}
