//! The filters that select the changes that become tasks.

use std::collections::BTreeSet;

use encoding_rs::Encoding;
use serde::{Deserialize, Serialize};

use crate::comments::code_of;
use crate::languages::MinedLanguage;
use crate::replacement::Replacement;
use crate::text::decode;

/// The changes that are left out. The defaults are those of the competition.
#[derive(Debug, Clone)]
pub struct Filters {
    /// The language of the files that are examined.
    pub language: MinedLanguage,
    /// The encoding of files that are not UTF-8.
    pub encoding: &'static Encoding,
    /// The optional reasons for which a change is left out: comments, blank lines, white space,
    /// tests, duplicates.
    pub leave_out: BTreeSet<Rejection>,
    /// The maximum size of a file.
    pub most_bytes: u64,
}

impl Filters {
    /// The filters of the competition's second edition; the first left out tests as well.
    pub fn new(language: MinedLanguage) -> Self {
        use Rejection::{Blank, Comment, Duplicate, WhiteSpace};
        Self {
            language,
            encoding: encoding_rs::WINDOWS_1252,
            leave_out: [Blank, WhiteSpace, Comment, Duplicate].into(),
            most_bytes: 10_000_000,
        }
    }

    pub(crate) fn leaves_out(&self, reason: Rejection) -> bool {
        self.leave_out.contains(&reason)
    }
}

/// The reason why a change is not a task; the first that applies.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Rejection {
    /// The file is a test.
    Test,
    /// The file is too large.
    TooLarge,
    /// The file is not text.
    NotText,
    /// The change is not the replacement of one line by one line.
    NotOneLine,
    /// The old or the new line is blank.
    Blank,
    /// Only white space changed.
    WhiteSpace,
    /// Only comments changed.
    Comment,
    /// The same task exists already.
    Duplicate,
    /// It is on neither side of the split.
    NeitherSide,
}

/// The replacement made by a change of a file, or the reason for rejecting it.
pub fn examine(filters: &Filters, old: &[u8], new: &[u8]) -> Result<Replacement, Rejection> {
    let program = decode(old, filters.encoding).ok_or(Rejection::NotText)?;
    let patched = decode(new, filters.encoding).ok_or(Rejection::NotText)?;
    let replacement = Replacement::between(program, patched).ok_or(Rejection::NotOneLine)?;
    match rejection(filters, &replacement) {
        Some(reason) => Err(reason),
        None => Ok(replacement),
    }
}

fn rejection(filters: &Filters, replacement: &Replacement) -> Option<Rejection> {
    let (old, new) = (replacement.old().trim(), replacement.new.trim());
    // Other tools treat a lone carriage return as a line ending, and a task has one line.
    if new.contains('\r') {
        return Some(Rejection::NotOneLine);
    }
    // The white space around a line is not part of a task: nothing would be left of the change.
    if old == new {
        return Some(Rejection::WhiteSpace);
    }
    let reasons: [(Rejection, &dyn Fn() -> bool); 3] = [
        (Rejection::Blank, &|| old.is_empty() || new.is_empty()),
        (Rejection::WhiteSpace, &|| same_characters(old, new)),
        (Rejection::Comment, &|| only_comments(replacement, &filters.language)),
    ];
    let mut left_out = reasons.into_iter().filter(|(reason, _)| filters.leaves_out(*reason));
    left_out.find(|(_, applies)| applies()).map(|(reason, _)| reason)
}

fn same_characters(left: &str, right: &str) -> bool {
    let letters = |text: &'_ str| -> String { text.split_whitespace().collect() };
    letters(left) == letters(right)
}

/// Returns whether the code of the line is unchanged. Turning code into a comment, or back, changes
/// it.
fn only_comments(replacement: &Replacement, language: &MinedLanguage) -> bool {
    let code = |text: &str| {
        let lines: Vec<&[u8]> = text.split('\n').map(str::as_bytes).collect();
        code_of(&lines, replacement.line - 1, &language.comments)
    };
    let (old, new) = (code(&replacement.program), code(&replacement.patched));
    // White space within code is not a comment.
    let in_code = !old.is_empty() && same_characters(replacement.old(), &replacement.new);
    old == new && !in_code
}

/// Returns whether a path looks like a test's: in a folder of tests, or named like one.
pub(crate) fn is_test(path: &[u8]) -> bool {
    let path = String::from_utf8_lossy(path);
    let mut parts = path.rsplit('/');
    let name = parts.next().unwrap_or_default();
    let stem = name.split_once('.').map_or(name, |(stem, _)| stem);
    let lower = stem.to_ascii_lowercase();
    let starts =
        stem.strip_prefix("Test").is_some_and(|rest| !rest.starts_with(char::is_lowercase));
    let ends = ["Test", "Tests", "TestCase", "IT", "Spec"];
    let named = starts
        || ends.iter().any(|end| stem.ends_with(end))
        || lower.starts_with("test_")
        || lower.ends_with("_test")
        || name.contains(".test.")
        || name.contains(".spec.");
    named || parts.any(is_test_folder)
}

fn is_test_folder(name: &str) -> bool {
    let lower = name.to_ascii_lowercase();
    let known = ["test", "tests", "testing", "__tests__", "testfixtures", "spec"];
    known.contains(&lower.as_str()) || name.ends_with("Test")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::languages::language;

    fn check(old: &str, new: &str, expected: Result<usize, Rejection>) {
        let filters = Filters::new(language("java").unwrap());
        let found = examine(&filters, old.as_bytes(), new.as_bytes());
        assert_eq!(found.map(|found| found.line), expected, "{old:?} -> {new:?}");
    }

    #[test]
    fn the_competitions_filters_hold() {
        check("a;\nb;\n", "a;\nc;\n", Ok(2));
        check("a;\nb;\n", "a;\r\nc;\r\n", Ok(2));
        check("a;\n", "b;\nc;\n", Err(Rejection::NotOneLine));
        check("a;\n", "\n", Err(Rejection::Blank));
        check(" \n", "a;\n", Err(Rejection::Blank));
        check("a b;\n", "  a  b;\n", Err(Rejection::WhiteSpace));
        check("// TODO\n", "// Fixed\n", Err(Rejection::Comment));
        check("a; // x\n", "a;  // y\n", Err(Rejection::Comment));
        check("/*\n x\n*/\n", "/*\n y\n*/\n", Err(Rejection::Comment));
        check("a;\n", "// a;\n", Ok(1));
        check("// a;\n", "a;\n", Ok(1));
        check("/* x\n y */ a;\n", "/* x */\n y */ a;\n", Ok(1));
        check("s = \"//a\";\n", "s = \"//b\";\n", Ok(1));
        check("a\0\n", "b\0\n", Err(Rejection::NotText));
    }

    #[test]
    fn tests_are_told_by_their_path() {
        for path in [
            "src/test/java/A.java",
            "a/FooTest.java",
            "TestFoo.java",
            "x/foo_test.go",
            "a/b.test.js",
            "src/integrationTest/A.java",
            "FooIT.java",
        ] {
            assert!(is_test(path.as_bytes()), "{path}");
        }
        for path in ["src/main/java/Latest.java", "a/Contest.java", "Testimonial.java"] {
            assert!(!is_test(path.as_bytes()), "{path}");
        }
    }
}
