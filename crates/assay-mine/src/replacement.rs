//! The single line that is replaced by a change of a file.

/// A change that replaces exactly one line of a file by exactly one line.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Replacement {
    /// The file before the change.
    pub program: String,
    /// The line that was replaced, from 1.
    pub line: usize,
    /// Its replacement, as it is in the file.
    pub new: String,
    /// The file after the change.
    pub patched: String,
}

impl Replacement {
    /// The replacement between two texts, if it is exactly one. Adding or removing the final line
    /// feed is a change of the last line.
    pub(crate) fn between(program: String, patched: String) -> Option<Self> {
        let mut news = patched.split_inclusive('\n');
        let mut found = None;
        for (at, old) in program.split_inclusive('\n').enumerate() {
            let new = news.next()?;
            if new != old && found.replace((at + 1, new.to_owned())).is_some() {
                return None;
            }
        }
        let (line, new) = found?;
        if news.next().is_some() {
            return None;
        }
        let new = new.strip_suffix('\n').unwrap_or(&new).to_owned();
        Some(Self { program, line, new, patched })
    }

    /// The line that was replaced.
    pub fn old(&self) -> &str {
        self.program.split('\n').nth(self.line - 1).unwrap_or_default()
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn check(old: &str, new: &str, expected: Option<(usize, &str)>) {
        let found = Replacement::between(old.to_owned(), new.to_owned());
        let found = found.as_ref().map(|found| (found.line, found.new.as_str()));
        assert_eq!(found, expected, "{old:?} -> {new:?}");
    }

    #[test]
    fn finds_exactly_one_line() {
        check("a\nb\nc\n", "a\nx\nc\n", Some((2, "x")));
        check("a", "b", Some((1, "b")));
        check("a\nb\n", "a\nb\n", None);
        check("a\nb\n", "x\ny\n", None);
        check("a\nb\n", "a\nb\nc\n", None);
        check("a\nb\n", "a\n", None);
        check("a\nb\nc\n", "a\nc\nx\n", None);
        check("", "a", None);
        check("a\nb", "a\nb\n", Some((2, "b")));
        check("a\nb", "x\nb\n", None);
    }

    proptest! {
        #[test]
        fn a_replaced_line_is_found(
            lines in prop::collection::vec("[a-c ]{1,4}", 1..12),
            at in 0usize..12,
            end: bool,
        ) {
            let at = at % lines.len();
            let text = |lines: &[String]| lines.join("\n") + if end { "\n" } else { "" };
            let mut changed = lines.clone();
            changed[at] = "new".to_owned();
            let found = Replacement::between(text(&lines), text(&changed)).unwrap();
            prop_assert_eq!((found.line, found.new.as_str()), (at + 1, "new"));
            prop_assert_eq!(found.old(), lines[at].as_str());
        }
    }
}
