//! Comparison of a page's output with a command's.
//!
//! `…` within a line stands for any text, and alone on a line for any lines. What differs from one run or machine to
//! the next becomes `…` when a page is blessed: see [`elide`].

/// The sign for text that varies.
const ANY: &str = "…";

/// The rule by which lines are compared.
#[derive(Debug, Default, Clone, Copy)]
pub(super) struct Rule {
    /// A number stands for any number.
    pub(super) any_numbers: bool,
}

impl Rule {
    /// True if a line is as shown.
    pub(super) fn matches(self, pattern: &str, line: &str) -> bool {
        if self.any_numbers {
            matches(&without_numbers(pattern), &without_numbers(line))
        } else {
            matches(pattern, line)
        }
    }

    /// Looks for lines among those printed, in this order; an error is the first that is missing.
    pub(super) fn find_all(self, printed: &[String], lines: &[String]) -> Result<(), String> {
        let mut rest = printed.iter();
        for line in lines.iter().filter(|line| *line != ANY) {
            if !rest.any(|printed| self.matches(line, printed)) {
                return Err(line.clone());
            }
        }
        Ok(())
    }

    /// True if the lines are as shown.
    pub(super) fn same(self, shown: &[String], printed: &[String]) -> bool {
        // `reached[j]`: the lines shown so far match the first j lines printed.
        let mut reached = vec![false; printed.len() + 1];
        reached[0] = true;
        for pattern in shown {
            let before = reached.clone();
            reached[0] = before[0] && pattern == ANY;
            for at in 0..printed.len() {
                reached[at + 1] = if pattern == ANY {
                    before[at + 1] || reached[at]
                } else {
                    before[at] && self.matches(pattern, &printed[at])
                };
            }
        }
        reached[printed.len()]
    }

    /// The lines to show, given those that were shown before: lines that still match keep their `…`.
    pub(super) fn bless(self, shown: &[String], printed: &[String]) -> Vec<String> {
        let mut new = Vec::new();
        let (mut from_shown, mut from_printed) = (0, 0);
        for (left, right) in
            self.common(shown, printed).into_iter().chain([(shown.len(), printed.len())])
        {
            new.extend(gap(&shown[from_shown..left], &printed[from_printed..right]));
            new.extend(shown.get(left).cloned());
            (from_shown, from_printed) = (left + 1, right + 1);
        }
        new
    }

    /// The longest sequence of lines that match, as pairs of places.
    fn common(self, shown: &[String], printed: &[String]) -> Vec<(usize, usize)> {
        let mut length = vec![vec![0_usize; printed.len() + 1]; shown.len() + 1];
        let pair = |left: usize, right: usize| {
            shown[left] != ANY && self.matches(&shown[left], &printed[right])
        };
        for left in (0..shown.len()).rev() {
            for right in (0..printed.len()).rev() {
                length[left][right] = if pair(left, right) {
                    length[left + 1][right + 1] + 1
                } else {
                    length[left + 1][right].max(length[left][right + 1])
                };
            }
        }
        let (mut left, mut right, mut pairs) = (0, 0, Vec::new());
        while left < shown.len() && right < printed.len() {
            if pair(left, right) {
                pairs.push((left, right));
                (left, right) = (left + 1, right + 1);
            } else if length[left + 1][right] >= length[left][right + 1] {
                left += 1;
            } else {
                right += 1;
            }
        }
        pairs
    }
}

/// The line with 0 for every number.
fn without_numbers(line: &str) -> String {
    let mut text = String::new();
    for letter in line.chars() {
        if !letter.is_ascii_digit() {
            text.push(letter);
        } else if !text.ends_with('0') {
            text.push('0');
        }
    }
    text
}

/// True if a line is as shown.
fn matches(pattern: &str, line: &str) -> bool {
    let Some((start, rest)) = pattern.split_once(ANY) else { return pattern == line };
    let Some(mut line) = line.strip_prefix(start) else { return false };
    let mut pieces: Vec<&str> = rest.split(ANY).collect();
    let end = pieces.pop().unwrap_or_default();
    for piece in pieces {
        let Some(at) = line.find(piece) else { return false };
        line = &line[at + piece.len()..];
    }
    line.ends_with(end)
}

/// The lines between two that match: as printed, unless `…` stood for some of them.
fn gap(shown: &[String], printed: &[String]) -> Vec<String> {
    let elided = || printed.iter().map(|line| elide(line));
    let Some(dots) = shown.iter().position(|line| line == ANY) else { return elided().collect() };
    let after = shown.len() - dots - 1;
    if printed.len() < shown.len() - 1 {
        return elided().collect();
    }
    let start = elided().take(dots);
    start.chain([ANY.to_owned()]).chain(elided().skip(printed.len() - after)).collect()
}

/// The line with `…` for what varies: times and durations, names of runs, long hashes and keys, signatures, versions.
fn elide(line: &str) -> String {
    let mut text = String::new();
    let mut rest = line;
    while let Some(letter) = rest.chars().next() {
        let fresh =
            !text.chars().next_back().is_some_and(|last| last.is_alphanumeric() || last == '.');
        let varying = VARYING.iter().find_map(|varying| varying(rest)).filter(|_| fresh);
        if let Some((length, instead)) = varying {
            text += &instead;
            rest = &rest[length..];
        } else {
            text.push(letter);
            rest = &rest[letter.len_utf8()..];
        }
    }
    text
}

/// The length of a text that varies, and what to show instead.
type Varying = fn(&str) -> Option<(usize, String)>;

const VARYING: [Varying; 6] = [run_name, instant, duration, hash, signature, version];

/// The length of the longest start of such characters.
fn run_of(text: &str, fits: impl Fn(char) -> bool) -> usize {
    text.find(|letter| !fits(letter)).unwrap_or(text.len())
}

/// `20261115T105049Z-codrep-middle-1f2e3d` is shown as `…-codrep-middle-…`.
fn run_name(text: &str) -> Option<(usize, String)> {
    let stamp = text.get(..17)?;
    let (digits, rest) = (stamp.get(..8)?, stamp.get(8..)?);
    let digit = |letter: char| letter.is_ascii_digit();
    if run_of(digits, digit) < 8 || !rest.starts_with('T') || !rest.ends_with("Z-") {
        return None;
    }
    let length = run_of(text, |letter| letter.is_alphanumeric() || letter == '-');
    let (start, _) = text[17..length].rsplit_once('-')?;
    Some((length, format!("{ANY}-{start}-{ANY}")))
}

/// `2026-11-15T10:50:49Z`.
fn instant(text: &str) -> Option<(usize, String)> {
    let length = run_of(text, |letter| letter.is_ascii_digit() || "-:.TZ".contains(letter));
    let inside = &text[..length];
    let dated = inside.len() >= 20 && inside.as_bytes()[4] == b'-' && inside.ends_with('Z');
    dated.then(|| (length, ANY.to_owned()))
}

/// `0.35 s`, `2.1 ms`: the number goes, the unit stays. Limits are whole numbers and stay.
fn duration(text: &str) -> Option<(usize, String)> {
    let length = run_of(text, |letter| letter.is_ascii_digit() || letter == '.');
    let timed = text[..length].contains('.')
        && [" s", " ms", " min", " µs"].iter().any(|unit| {
            text[length..]
                .strip_prefix(unit)
                .is_some_and(|after| !after.starts_with(char::is_alphanumeric))
        });
    timed.then(|| (length, ANY.to_owned()))
}

/// 32 digits of a hash and more, and keys of age.
fn hash(text: &str) -> Option<(usize, String)> {
    let key = text.starts_with("age1");
    let length =
        run_of(
            text,
            |letter| if key { letter.is_alphanumeric() } else { letter.is_ascii_hexdigit() },
        );
    (length >= 32).then(|| (length, if key { format!("age1{ANY}") } else { ANY.to_owned() }))
}

/// `signature d8150e8888e7`: it has the versions of assay and of Python in it.
fn signature(text: &str) -> Option<(usize, String)> {
    let digits = text.strip_prefix("signature ")?;
    let length = run_of(digits, |letter| letter.is_ascii_hexdigit());
    (length == 12).then(|| ("signature ".len() + length, format!("signature {ANY}")))
}

/// `assay:0.1.0`, `python:3.12.1`.
fn version(text: &str) -> Option<(usize, String)> {
    ["assay:", "python:", "assay "].iter().find_map(|name| {
        let number = text.strip_prefix(name)?;
        let length = run_of(number, |letter| letter.is_ascii_digit() || letter == '.');
        (number[..length].contains('.')).then(|| (name.len() + length, format!("{name}{ANY}")))
    })
}

#[test]
fn dots_stand_for_text_and_for_lines() {
    let lines = |text: &str| text.lines().map(str::to_owned).collect::<Vec<_>>();
    let check = |shown: &str, printed: &str, right: bool| {
        assert_eq!(
            Rule::default().same(&lines(shown), &lines(printed)),
            right,
            "{shown:?} {printed:?}"
        );
    };
    check("a\nb", "a\nb", true);
    check("a\nb", "a", false);
    check("a", "a\nb", false);
    check("", "", true);
    check("", "a", false);
    check("a…c", "abbc", true);
    check("a…c", "ac", true);
    check("a…c", "acb", false);
    check("…-x-…", "1-x-2", true);
    check("a…a", "a", false);
    check("a\n…\nz", "a\nz", true);
    check("a\n…\nz", "a\nb\nc\nz", true);
    check("a\n…\nz", "a\nb\nc", false);
    check("…", "", true);
    check("…\nb\n…", "a\nc", false);
    assert!(Rule { any_numbers: true }.matches("1.25 s of 3", "0.5 s of 10"));
    assert!(!Rule { any_numbers: true }.matches("1.25 s", "1 s"));
}

#[test]
fn what_still_matches_stays_as_it_was_shown() {
    let lines = |text: &str| text.lines().map(str::to_owned).collect::<Vec<_>>();
    let check = |shown: &str, printed: &str, new: &str| {
        assert_eq!(
            Rule::default().bless(&lines(shown), &lines(printed)),
            lines(new),
            "{shown:?} {printed:?}"
        );
    };
    check("", "a\nb", "a\nb");
    check("a…\nx\nc", "abc\ny\nc", "a…\ny\nc");
    check("a\n…\nz", "b\n1\n2\nz", "b\n…\nz");
    check("a\n…\nz", "a\n1\n2\ny", "a\n…\ny");
    check("old", "", "");
    check("", "took 0.35 s of 3 s", "took … s of 3 s");
    check("", "runs/20261115T105049Z-codrep-middle-1f2e3d", "runs/…-codrep-middle-…");
    check("", "at 2026-11-15T10:50:49Z assay:0.1.0|", "at … assay:…|");
    check("", "bb3f7b9e1922", "bb3f7b9e1922");
}
