//! White space as Python has it, which the reference tools are written in.

/// Returns whether Python's `str.isspace` says so: Unicode's white space and four separators of ASCII.
pub fn is_space(letter: char) -> bool {
    letter.is_whitespace() || matches!(letter, '\u{1c}'..='\u{1f}')
}

/// The text without the white space around it, as Python's `str.strip` has it.
pub fn trim(text: &str) -> &str {
    text.trim_matches(is_space)
}

/// Returns whether there is nothing but white space.
pub(crate) fn is_blank(text: &str) -> bool {
    text.chars().all(is_space)
}

/// The lines of a text that are more than white space, joined again.
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
