//! The difference between two lines, word by word.

/// The maximum length of two lines that are compared, and of their common start that is kept: a
/// line of several megabytes is data, and nobody reads it.
const MAX_LENGTH: usize = 600;
const START_KEPT: usize = 40;

/// A part of a line.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Part {
    pub(super) change: Change,
    pub(super) text: String,
}

/// The kind of change of a part.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Change {
    Kept,
    Out,
    In,
}

/// The difference between the old line and the new one, without the white space around them.
pub(super) fn diff(old: &[u8], new: &[u8], shown: impl Fn(&[u8]) -> String) -> Vec<Part> {
    let (old, new) = (old.trim_ascii(), new.trim_ascii());
    let common = old.iter().zip(new).take_while(|(old, new)| old == new).count();
    let mut start = if common > 2 * START_KEPT { common - START_KEPT } else { 0 };
    while start > 0 && old.get(start).is_some_and(|byte| byte & 0xC0 == 0x80) {
        start -= 1;
    }
    let part = |text: &[u8]| shown(&text[start..text.len().min(start + MAX_LENGTH)]);
    let cut = |text: &[u8]| text.len() > start + MAX_LENGTH;
    let mut parts = Vec::new();
    if start > 0 {
        add(&mut parts, Change::Kept, "…");
    }
    compare(&words(&part(old)), &words(&part(new)), &mut parts);
    if cut(old) || cut(new) {
        add(&mut parts, Change::Kept, "…");
    }
    parts
}

fn add(parts: &mut Vec<Part>, change: Change, text: &str) {
    match parts.last_mut() {
        Some(last) if last.change == change => last.text.push_str(text),
        _ => parts.push(Part { change, text: text.to_owned() }),
    }
}

/// Splits a text into names, runs of spaces, and single other characters.
fn words(text: &str) -> Vec<&str> {
    let class = |letter: char| match letter {
        _ if letter.is_alphanumeric() || letter == '_' => 1,
        ' ' => 2,
        _ => 3,
    };
    let mut words = Vec::new();
    let mut start = 0;
    let mut before = 0;
    for (at, letter) in text.char_indices() {
        let here = class(letter);
        if at > start && (here != before || here == 3) {
            words.push(&text[start..at]);
            start = at;
        }
        before = here;
    }
    if start < text.len() {
        words.push(&text[start..]);
    }
    words
}

/// Follows a longest common subsequence; removed words precede added ones.
fn compare(old: &[&str], new: &[&str], parts: &mut Vec<Part>) {
    let width = new.len() + 1;
    let mut longest = vec![0u16; (old.len() + 1) * width];
    for a in (0..old.len()).rev() {
        for b in (0..new.len()).rev() {
            longest[a * width + b] = if old[a] == new[b] {
                longest[(a + 1) * width + b + 1] + 1
            } else {
                longest[(a + 1) * width + b].max(longest[a * width + b + 1])
            };
        }
    }
    let (mut a, mut b) = (0, 0);
    while a < old.len() || b < new.len() {
        if a < old.len() && b < new.len() && old[a] == new[b] {
            add(parts, Change::Kept, old[a]);
            a += 1;
            b += 1;
            continue;
        }
        // A whole run of changes at once, so that removed words are not interleaved with added
        // ones.
        let (mut out, mut put) = (String::new(), String::new());
        while a < old.len() || b < new.len() {
            if a < old.len() && b < new.len() && old[a] == new[b] {
                break;
            }
            let skip_old = b == new.len()
                || (a < old.len() && longest[(a + 1) * width + b] >= longest[a * width + b + 1]);
            if skip_old {
                out.push_str(old[a]);
                a += 1;
            } else {
                put.push_str(new[b]);
                b += 1;
            }
        }
        for (change, text) in [(Change::Out, out), (Change::In, put)] {
            if !text.is_empty() {
                add(parts, change, &text);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn marked(old: &str, new: &str) -> String {
        let shown = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
        diff(old.as_bytes(), new.as_bytes(), shown)
            .into_iter()
            .map(|Part { change, text }| match change {
                Change::Kept => text,
                Change::Out => format!("[-{text}-]"),
                Change::In => format!("{{+{text}+}}"),
            })
            .collect()
    }

    #[test]
    fn changes_are_marked_word_by_word() {
        assert_eq!(marked("a = b;", "a = b;"), "a = b;");
        assert_eq!(marked("  a = b;", "a = cd;\r"), "a = [-b-]{+cd+};");
        assert_eq!(marked("f(a);", "f(a, b);"), "f(a{+, b+});");
        assert_eq!(marked("", "x"), "{+x+}");
        assert_eq!(marked("x", ""), "[-x-]");
        assert_eq!(marked("größe = 1;", "größer = 1;"), "[-größe-]{+größer+} = 1;");
    }

    #[test]
    fn long_lines_are_cut_around_the_change() {
        let long = "word ".repeat(100_000);
        let said = marked(&format!("{long}old {long}"), &format!("{long}new {long}"));
        assert!(said.starts_with("…") && said.ends_with("…"), "{said}");
        assert!(said.contains("[-old-]{+new+}") && said.len() < 2000, "{said}");
        let marks = "ü".repeat(100);
        assert!(!marked(&format!("{marks}a"), &format!("{marks}b")).contains('\u{fffd}'));
    }

    proptest::proptest! {
        #[test]
        fn both_lines_can_be_read_from_the_parts(old in "[ab (;ü]{0,60}", new in "[ab (;ü]{0,60}") {
            let shown = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
            let parts = diff(old.as_bytes(), new.as_bytes(), shown);
            let without = |change| -> String {
                let kept = parts.iter().filter(|part| part.change != change);
                kept.map(|part| part.text.as_str()).collect()
            };
            let cut = parts.first().is_some_and(|part| part.text.starts_with('…'));
            proptest::prop_assert!(cut || without(Change::In) == old.trim_ascii());
            proptest::prop_assert!(cut || without(Change::Out) == new.trim_ascii());
        }
    }
}
