//! Descriptions of the features for people.
//!
//! A feature with a fixed name has a line in [`SINGLE`]; names that are composed of parts are
//! composed here in the same way. "It" is the candidate; a part of the new line that the candidate
//! lacks "comes", the opposite "goes". A test fails if a feature has no phrase.

use std::borrow::Cow;

use crate::features::FAR;

/// The format of a feature's value. In its phrase `{}` is replaced by the value, and the text after
/// a `|` is used in the other case.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Form {
    /// A fraction, never below 0; the other case: there is none.
    Share,
    /// A whole number, never below 0; the other case: there is nothing to count.
    Count,
    /// A positive or negative number.
    Signed,
    /// A distance in lines; the other case: too far.
    Distance,
    /// A yes or no; the other case: no.
    Flag,
    /// The kind of a statement.
    Kind,
    /// A single letter.
    Letter,
}

use Form::{Count, Distance, Flag, Kind, Letter, Share, Signed};

/// The description of a value; `None` for an unknown feature.
pub(crate) fn phrase(feature: &str, value: f32) -> Option<String> {
    let (form, text) = find(feature)?;
    let (usual, otherwise) = text.split_once('|').unwrap_or((&text, &text));
    let text = if is_other_case(form, value) { otherwise } else { usual };
    let value = in_words(form, value);
    let text = if value == "1" { singular(text) } else { text.into() };
    Some(text.replacen("{}", &value, 1))
}

/// The phrase with the noun after its number in the singular, and the verb after that.
fn singular(text: &str) -> Cow<'_, str> {
    let Some((before, after)) = text.split_once("{} ") else { return text.into() };
    let (noun, rest) = after.split_once(' ').unwrap_or((after, ""));
    let noun = match noun.strip_suffix('s') {
        Some("copie") => "copy",
        Some("parenthese") => "parenthesis",
        Some(noun) => noun,
        None => return text.into(),
    };
    let rest = match rest.split_once(' ') {
        Some(("are", more)) => format!("is {more}"),
        Some(("have", more)) => format!("has {more}"),
        _ => rest.replacen("of it come ", "of it comes ", 1),
    };
    format!("{before}{{}} {noun} {rest}").trim_end().to_owned().into()
}

/// The value of another candidate, on the line `line`; `lead` is the distance of this one from all
/// others.
pub(crate) fn comparison(feature: &str, line: usize, other: f32, lead: f32) -> Option<String> {
    let (form, _) = find(feature)?;
    let other = in_words(form, other);
    Some(match form {
        // It holds for exactly one of the two.
        Flag => format!("unlike line {line}"),
        Share | Count if lead > 0.0 => format!("line {line}: {other}, the most of all"),
        _ => format!("line {line}: {other}"),
    })
}

fn is_other_case(form: Form, value: f32) -> bool {
    match form {
        Flag => value <= 0.0,
        Share | Count => value < 0.0,
        Distance => value >= FAR,
        Signed | Kind | Letter => false,
    }
}

fn in_words(form: Form, value: f32) -> String {
    match form {
        Flag => if value > 0.0 { "yes" } else { "no" }.to_owned(),
        _ if is_other_case(form, value) => "none".to_owned(),
        Share => format!("{value:.2}"),
        Count | Distance => format!("{value:.0}"),
        Signed if value.fract() == 0.0 => format!("{value:+.0}"),
        Signed => format!("{value:+.2}"),
        Kind if value < 0.0 => "nothing".to_owned(),
        Kind => (*KINDS.get(value as usize).unwrap_or(&"something else")).to_owned(),
        Letter if value <= 0.0 => "nothing".to_owned(),
        Letter => format!("`{}`", (value as u8).escape_ascii()),
    }
}

/// The form of a feature's value, and its phrase.
fn find(feature: &str) -> Option<(Form, Cow<'static, str>)> {
    let single = SINGLE.iter().find(|(name, ..)| *name == feature);
    single
        .map(|&(_, form, text)| (form, Cow::Borrowed(text)))
        .or_else(|| about_names(feature))
        .or_else(|| about_words(feature))
        .or_else(|| about_edits(feature))
}

/// The uses of the added and removed names.
fn about_names(feature: &str) -> Option<(Form, Cow<'static, str>)> {
    let (set, rest) = [
        ("new names ", "the names that come"),
        ("old names ", "the names that go"),
        ("all names ", "the new line's names"),
    ]
    .into_iter()
    .find_map(|(prefix, set)| Some((set, feature.strip_prefix(prefix)?)))?;
    let (window, by_rarity) = match rest.strip_suffix(", by rarity") {
        Some(window) => (window, ", rare ones counting more,"),
        None => (rest, ""),
    };
    let place = match window {
        "before in method" => "earlier in its method",
        "after in method" => "later in its method",
        "in method" => "elsewhere in its method",
        "in file" => "elsewhere in the file",
        "within 1" => "on the line before or after it",
        "within 3" => "within 3 lines of it",
        "within 20" => "within 20 lines of it",
        "nearest" => {
            let text = format!("{set} are next used {{}} lines away|none of {set} is used near it");
            return Some((Distance, text.into()));
        }
        "nearest before" => {
            let text = format!(
                "{set} were last used {{}} lines before it|none of {set} is used before it"
            );
            return Some((Distance, text.into()));
        }
        "rarest" => {
            return Some((Share, format!("the rarest of {set} has a rarity of {{}}").into()));
        }
        _ => return None,
    };
    Some((Share, format!("{{}} of {set}{by_rarity} are used {place}").into()))
}

/// The positions of the added and removed word parts.
fn about_words(feature: &str) -> Option<(Form, Cow<'static, str>)> {
    let (set, context) = [
        ("new words ", "the parts of words that come"),
        ("old words ", "the parts of words that go"),
        ("all words ", "the new line's parts of words"),
    ]
    .into_iter()
    .find_map(|(prefix, set)| Some((set, feature.strip_prefix(prefix)?)))?;
    let place = match context {
        "method header" => "in the head of its method",
        "block header" => "in the head of its block",
        "within 1" => "on the line before or after it",
        "within 3" => "within 3 lines of it",
        "within 10" => "within 10 lines of it",
        _ => return None,
    };
    Some((Share, format!("{{}} of {set} are {place}").into()))
}

/// The tokens that the change removes and adds, and their balance.
fn about_edits(feature: &str) -> Option<(Form, Cow<'static, str>)> {
    if let Some(kind) = feature.strip_prefix("deleted ") {
        return Some((Count, format!("the change takes out {{}} {kind}").into()));
    }
    if let Some(kind) = feature.strip_prefix("inserted ") {
        return Some((Count, format!("the change puts in {{}} {kind}").into()));
    }
    let (brackets, which) =
        feature.split_once(' ').filter(|(kind, _)| matches!(*kind, "parens" | "braces"))?;
    let brackets = if brackets == "parens" { "parentheses" } else { "braces" };
    Some(match which {
        "of new" => (Signed, format!("the new line opens {{}} {brackets}").into()),
        "of old" => (Signed, format!("it opens {{}} {brackets} more than it closes").into()),
        "change" => (Count, format!("the change unbalances {{}} {brackets}").into()),
        _ => return None,
    })
}

/// The kinds of statements, in the order of [`crate::source::Statement`].
const KINDS: [&str; 24] = [
    "a blank line",
    "a comment",
    "a package",
    "an import",
    "an annotation",
    "a class",
    "a method",
    "a field",
    "an if",
    "an else",
    "a for loop",
    "a while loop",
    "a switch",
    "a case",
    "a try",
    "a catch",
    "a return",
    "a throw",
    "a jump",
    "a declaration",
    "an assignment",
    "a call",
    "a brace",
    "something else",
];

/// The features with fixed names.
#[rustfmt::skip]
const SINGLE: &[(&str, Form, &str)] = &[
    // The similarity of the texts.
    ("indel", Share, "is {} like the new line, character by character"),
    ("trigrams", Share, "shares {} of its trigrams with the new line"),
    ("jaro-winkler", Share, "is {} like the new line by Jaro-Winkler similarity"),
    ("prefix", Count, "starts with the same {} characters as the new line"),
    ("suffix", Count, "ends in the same {} characters as the new line"),
    ("ends", Share, "the start and end that it shares with the new line are {} of the longer"),
    ("prefix of new", Share, "the start that it shares with the new line is {} of that"),
    ("suffix of new", Share, "the end that it shares with the new line is {} of that"),
    ("ends of shorter", Share, "the start and end that it shares with the new line are {} of the shorter"),
    ("token dice", Share, "shares {} of its tokens with the new line"),
    ("word dice", Share, "shares {} of its parts of words with the new line"),
    ("words of new", Share, "has {} of the new line's parts of words"),
    ("words of old", Share, "{} of its parts of words are in the new line"),
    ("shared names", Count, "shares {} names with the new line"),
    ("shared names of new", Share, "has {} of the new line's names"),
    ("shared names of old", Share, "{} of its names are in the new line"),
    ("shared rarity", Share, "the names that it shares with the new line have a rarity of {}"),
    ("keyword dice", Share, "shares {} of its keywords with the new line"),
    ("operator dice", Share, "shares {} of its operators with the new line"),
    ("literal dice", Share, "shares {} of its literals with the new line"),
    ("number dice", Share, "shares {} of its numbers with the new line"),
    ("length of new", Count, "the new line has {} characters"),
    ("length of old", Count, "has {} characters"),
    ("longer by", Signed, "would change its length by {} characters"),
    ("length ratio", Share, "the shorter line has {} of the longer one's length"),
    ("tokens of new", Count, "the new line has {} tokens"),
    ("tokens of old", Count, "has {} tokens"),
    ("more tokens", Signed, "would change its number of tokens by {}"),
    ("same last letter", Flag, "ends in the same character|ends in another character"),
    ("same first token", Flag, "starts with the same token|starts with another token"),
    ("same second token", Flag, "its second token is the same|its second token is another"),
    ("comment", Flag, "is a comment|is no comment"),
    ("same commentness", Flag,
     "like the new line, it is code, or a comment|one is code and the other a comment"),
    // The uses of the names, and the position.
    ("new names", Count, "{} names would come"),
    ("old names", Count, "{} names would go"),
    ("all names", Count, "the new line has {} names"),
    ("new names unseen", Count, "{} of the names that come are nowhere else in the file"),
    ("method lines", Count, "its method has {} lines"),
    ("place in method", Share, "is {} of the way through its method"),
    ("place in file", Share, "is {} of the way through the file"),
    ("depth", Count, "is {} blocks deep"),
    ("outside methods", Flag, "is outside of methods|is in a method"),
    ("indent", Count, "is indented by {}"),
    ("lines of block", Count, "its block has {} lines"),
    // The edit, token by token.
    ("kept tokens", Share, "the change keeps {} of the tokens in their order"),
    ("regions", Count, "the change touches {} places"),
    ("swaps", Count, "the change swaps {} single tokens"),
    ("swaps within a kind", Count, "the change swaps {} tokens for others of their kind"),
    ("likeness of swaps", Share, "the tokens that are swapped are {} alike"),
    ("only one swap", Flag, "the change swaps one token and nothing else|the change is more than one swapped token"),
    ("only inserted", Flag, "the change only puts in|the change takes something out"),
    ("only deleted", Flag, "the change only takes out|the change puts something in"),
    ("likeness of regions", Share, "what is taken out is {} like what is put in"),
    ("first region", Count, "the change starts after {} tokens|the change touches no token"),
    // Statements.
    ("kind of new", Kind, "the new line is {}"),
    ("kind of old", Kind, "is {}"),
    ("same kind", Flag, "is a statement of the same kind|is a statement of another kind"),
    ("kind before", Kind, "comes after {}"),
    ("kind after", Kind, "comes before {}"),
    ("last letter before", Letter, "the line before it ends in {}"),
    ("first letter after", Letter, "the line after it starts with {}"),
    ("continues a line", Flag, "continues the line before|starts a statement"),
    ("indent over before", Signed, "is indented by {} against the line before"),
    ("indent over after", Signed, "is indented by {} against the line after"),
    ("ends in semicolon, new", Flag, "the new line ends in a semicolon|the new line ends in no semicolon"),
    ("ends in brace, new", Flag, "the new line ends in a brace|the new line ends in no brace"),
    ("ends in brace, old", Flag, "ends in a brace|ends in no brace"),
    ("ends in semicolon, old", Flag, "ends in a semicolon|ends in no semicolon"),
    ("open parens", Count, "{} parentheses are open where it starts"),
    ("closes too many", Flag, "the new line would close more parentheses than are open there|the new line closes no more parentheses than are open there"),
    // Declarations and calls.
    ("both declare", Flag, "declares a name, as the new line does|it or the new line declares no name"),
    ("one declares", Flag, "only one of it and the new line declares a name|both or neither declare a name"),
    ("same name declared", Flag, "declares the same name|does not declare the same name"),
    ("same type declared", Flag, "declares the same type|does not declare the same type"),
    ("uses of new name before", Count, "the name that the new line declares is used on {} lines before|the new line declares no name"),
    ("uses of new name after", Count, "the name that the new line declares is used on {} lines after|the new line declares no name"),
    ("uses of old name before", Count, "the name that it declares is used on {} lines before|declares no name"),
    ("uses of old name after", Count, "the name that it declares is used on {} lines after|declares no name"),
    ("uses of new name", Count, "the name that the new line declares is used on {} other lines|the new line declares no name"),
    ("uses of old name", Count, "the name that it declares is used on {} other lines|declares no name"),
    ("calls of new", Count, "the new line calls {} methods"),
    ("calls of old", Count, "calls {} methods"),
    ("shared calls", Count, "calls {} of the methods that the new line calls"),
    ("shared calls of both", Share, "shares {} of its calls with the new line"),
    // Copies.
    ("copies", Count, "{} candidates have this very text"),
    ("copies before", Count, "{} copies of it come before"),
    ("copies after", Count, "it and its copies after it are {}"),
    // The lines around.
    ("nearest line like new", Distance, "a line equal to the new one is {} lines away|no line near it equals the new one"),
    ("new like within 2", Share, "a line within 2 lines is {} like the new one|no line within 2 lines could be meant"),
    ("new like within 5", Share, "a line within 5 lines is {} like the new one|no line within 5 lines could be meant"),
    ("new like within 20", Share, "a line within 20 lines is {} like the new one|no line within 20 lines could be meant"),
    ("lines as like", Count, "{} lines are about as like the new one"),
    ("lines more like", Count, "{} lines are more like the new one"),
    ("shared rarity within 1", Share, "the lines next to it share names of rarity {} with the new one"),
    ("shared rarity within 3", Share, "the lines within 3 share names of rarity {} with the new one"),
    ("shared rarity within 10", Share, "the lines within 10 share names of rarity {} with the new one"),
    ("old like line before", Share, "is {} like the line before it|is the first line"),
    ("old like line after", Share, "is {} like the line after it|is the last line"),
    ("new like line before", Share, "the new line is {} like the line before it|is the first line"),
    ("new like line after", Share, "the new line is {} like the line after it|is the last line"),
    ("fits between better", Signed, "the new line is {} more like the lines next to it than it is"),
];

#[cfg(test)]
mod tests {
    use super::*;
    use crate::features;
    use crate::source::Statement;

    #[test]
    fn every_feature_has_a_phrase_and_every_phrase_a_feature() {
        let plain: Vec<String> = features()
            .into_iter()
            .filter(|feature| !feature.gap)
            .map(|feature| feature.name)
            .collect();
        for name in &plain {
            for value in [-1.0, 0.0, 0.5, 1.0, 1000.0] {
                let said = phrase(name, value).unwrap_or_else(|| panic!("{name} has no phrase"));
                assert!(!said.contains(['{', '|']) || said.contains("`{`"), "{name}: {said}");
            }
        }
        for (name, ..) in SINGLE {
            assert!(plain.iter().any(|feature| feature == name), "there is no feature {name}");
        }
        assert_eq!(phrase("no such feature", 1.0), None);
    }

    #[test]
    fn values_are_said_in_words() {
        for (feature, value, said) in [
            ("trigrams", 0.856, "shares 0.86 of its trigrams with the new line"),
            ("same first token", 1.0, "starts with the same token"),
            ("same first token", 0.0, "starts with another token"),
            ("copies", 1.0, "1 candidate has this very text"),
            ("copies", 2.0, "2 candidates have this very text"),
            ("copies before", 1.0, "1 copy of it comes before"),
            ("open parens", 1.0, "1 parenthesis is open where it starts"),
            ("lines as like", 1.0, "1 line is about as like the new one"),
            ("method lines", 1.0, "its method has 1 line"),
            ("shared names", 1.0, "shares 1 name with the new line"),
            ("longer by", -3.0, "would change its length by -3 characters"),
            ("uses of old name", -1.0, "declares no name"),
            ("kind before", 20.0, "comes after an assignment"),
            ("kind before", -1.0, "comes after nothing"),
            ("last letter before", f32::from(b';'), "the line before it ends in `;`"),
            ("last letter before", 27.0, "the line before it ends in `\\x1b`"),
            ("new names nearest", 1000.0, "none of the names that come is used near it"),
            (
                "old names in method",
                0.5,
                "0.50 of the names that go are used elsewhere in its method",
            ),
            ("deleted names", 2.0, "the change takes out 2 names"),
        ] {
            assert_eq!(phrase(feature, value).as_deref(), Some(said));
        }
        for (feature, other, lead, said) in [
            ("kind before", 1.0, 3.0, "line 7: a comment"),
            ("same first token", 0.0, 1.0, "unlike line 7"),
            ("trigrams", 0.5, 0.25, "line 7: 0.50, the most of all"),
            ("trigrams", 0.5, 0.0, "line 7: 0.50"),
            ("uses of old name", -1.0, -2.0, "line 7: none"),
        ] {
            assert_eq!(comparison(feature, 7, other, lead).as_deref(), Some(said));
        }
    }

    #[test]
    fn every_kind_of_statement_has_a_word() {
        assert_eq!(KINDS.len(), Statement::Other as usize + 1);
        assert_eq!(KINDS[Statement::Assignment as usize], "an assignment");
        assert_eq!(KINDS[Statement::Jump as usize], "a jump");
    }
}
