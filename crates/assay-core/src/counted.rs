//! Numbers with their nouns and verbs, for messages.

use std::borrow::Cow;
use std::fmt::Display;

/// A number and its noun: `1 problem`, `2 problems`, `3 repositories`.
pub fn counted(count: impl TryInto<u64> + Display + Copy, noun: &str) -> String {
    format!("{count} {}", plural(count, noun))
}

/// The form of a noun that agrees with a number: `problem` for one, `problems` for all others.
pub fn plural(count: impl TryInto<u64>, noun: &str) -> Cow<'_, str> {
    if is_one(count) {
        return noun.into();
    }
    let plural = match noun.strip_suffix('y') {
        Some(stem) if !stem.ends_with(['a', 'e', 'o', 'u']) => format!("{stem}ies"),
        _ if noun.ends_with(['s', 'x']) || noun.ends_with("ch") => format!("{noun}es"),
        _ => format!("{noun}s"),
    };
    plural.into()
}

/// The form of a verb that agrees with a number: `has` for one, `have` for all others.
pub fn agreeing<'a>(count: impl TryInto<u64>, one: &'a str, others: &'a str) -> &'a str {
    if is_one(count) { one } else { others }
}

fn is_one(count: impl TryInto<u64>) -> bool {
    matches!(count.try_into(), Ok(1))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nouns_and_verbs_agree_with_their_number() {
        for (count, noun, expected) in [
            (1_usize, "problem", "1 problem"),
            (0, "problem", "0 problems"),
            (2, "repository", "2 repositories"),
            (2, "key", "2 keys"),
            (3, "box", "3 boxes"),
            (3, "match", "3 matches"),
        ] {
            assert_eq!(counted(count, noun), expected);
        }
        assert_eq!([0_u64, 1, 2].map(|count| agreeing(count, "is", "are")), ["are", "is", "are"]);
    }
}
