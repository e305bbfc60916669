//! Numbers, as Python reads them.

use assay_core::is_decimal_digit;

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
        .all(|group| !group.is_empty() && group.iter().all(|&letter| is_decimal_digit(letter)))
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
