//! Where a continuation of a prompt ends, by OctoPack's rule: with the function that it is to write.

/// A continuation in Python ends before the first line that is not indented.
pub(super) fn at_outer_line(text: &str) -> &str {
    let mut at = 0;
    for line in text.split_inclusive('\n') {
        if !line.trim().is_empty() && !line.starts_with([' ', '\t']) {
            return text[..at].strip_suffix('\n').unwrap_or(&text[..at]);
        }
        at += line.len();
    }
    text
}

/// A continuation ends with the brace that closes the function which the prompt opens.
pub(super) fn at_brace(text: &str) -> &str {
    at_closing(text, 1)
}

/// In Java the class is open too.
pub(super) fn at_second_brace(text: &str) -> &str {
    at_closing(text, 2)
}

/// What is not closed ends with its last brace.
fn at_closing(text: &str, mut open: usize) -> &str {
    for (at, letter) in text.char_indices() {
        match letter {
            '{' => open += 1,
            '}' => open -= 1,
            _ => {}
        }
        if open == 0 {
            return &text[..=at];
        }
    }
    text.rfind('}').map_or(text, |last| &text[..=last])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_function_ends_where_it_is_closed() {
        assert_eq!(at_brace("  if (x) { y(); }\n}\nint main() {}"), "  if (x) { y(); }\n}");
        assert_eq!(at_second_brace("  return 1;\n  }\n}\n}"), "  return 1;\n  }\n}");
        assert_eq!(at_brace("  { x } y"), "  { x }");
        assert_eq!(at_brace("  x"), "  x");
        assert_eq!(
            at_outer_line("    x = 1\n\n    return x\nprint(1)\n"),
            "    x = 1\n\n    return x"
        );
        assert_eq!(at_outer_line("    return 1\n"), "    return 1\n");
    }
}
