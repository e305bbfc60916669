//! White space as defined by Python, in which the reference tools are written.

/// Returns whether a character is white space by Python's `str.isspace`: Unicode's white space and
/// four ASCII separators.
pub fn is_space(letter: char) -> bool {
    letter.is_whitespace() || matches!(letter, '\u{1c}'..='\u{1f}')
}

/// The text without surrounding white space, as Python's `str.strip` returns it.
pub fn trim(text: &str) -> &str {
    text.trim_matches(is_space)
}

/// Returns whether a text is only white space.
pub(crate) fn is_blank(text: &str) -> bool {
    text.chars().all(is_space)
}

/// The lines of a text that are not blank, joined again.
pub(crate) fn without_blank_lines(text: &str) -> String {
    let mut kept = String::with_capacity(text.len());
    for line in text.split('\n').filter(|line| !is_blank(line)) {
        if !kept.is_empty() {
            kept.push('\n');
        }
        kept.push_str(line);
    }
    kept
}
