//! Lines of text.
//!
//! Text is split on LF alone: a line may contain a form feed, a lone CR or a Unicode separator.
//! The original CodRep scorer, though, counts a file's lines with Python's `readlines`, which also
//! ends a line at a lone CR. [`LineRule`] names the two ways of counting.

use memchr::{memchr, memchr_iter};

/// The rule for counting a file's lines.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum LineRule {
    /// LF, CR LF and a lone CR each end a line, as in the original scorer.
    Universal,
    /// Only LF ends a line.
    LineFeed,
}

/// The number of lines of `text`. A last line without a line end counts; an empty text has none.
pub fn count_lines(text: &[u8], rule: LineRule) -> usize {
    let feeds = memchr_iter(b'\n', text).count();
    match rule {
        LineRule::Universal if memchr(b'\r', text).is_some() => {
            let lone = memchr_iter(b'\r', text).filter(|&at| text.get(at + 1) != Some(&b'\n'));
            feeds + lone.count() + usize::from(!matches!(text.last(), Some(b'\n' | b'\r')))
        }
        _ => feeds + usize::from(!matches!(text.last(), None | Some(b'\n'))),
    }
}

/// The lines of `text`, split on LF, without their ends.
pub fn split_lines(text: &[u8]) -> impl Iterator<Item = &[u8]> {
    let body = text.strip_suffix(b"\n").unwrap_or(text);
    let skip = usize::from(text.is_empty());
    body.split(|&byte| byte == b'\n').skip(skip)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(text: &str, universal: usize, feeds: usize) {
        assert_eq!(count_lines(text.as_bytes(), LineRule::Universal), universal, "{text:?}");
        assert_eq!(count_lines(text.as_bytes(), LineRule::LineFeed), feeds, "{text:?}");
        assert_eq!(split_lines(text.as_bytes()).count(), feeds, "{text:?}");
    }

    #[test]
    fn counts_as_the_two_rules_say() {
        check("", 0, 0);
        check("a", 1, 1);
        check("a\n", 1, 1);
        check("\n", 1, 1);
        check("a\n\n", 2, 2);
        check("a\nb", 2, 2);
        check("a\r\nb\r\n", 2, 2);
        check("a\rb\n", 2, 1);
        check("a\r", 1, 1);
        check("a\r\r\n", 2, 1);
        check("a\u{2028}b\u{c}c\n", 1, 1);
    }
}
