//! Java to C# and back: both have braces, so only keywords and the case of methods change.

/// Words of Java and their counterparts in C#.
const WORDS: [(&str, &str); 9] = [
    ("boolean", "bool"),
    ("String", "string"),
    ("Object", "object"),
    ("Integer", "int"),
    ("final", "readonly"),
    ("instanceof", "is"),
    ("super", "base"),
    ("ArrayList", "List"),
    ("IllegalArgumentException", "ArgumentException"),
];

/// Words before a bracket that are not methods.
const NOT_METHODS: [&str; 10] =
    ["if", "for", "foreach", "while", "switch", "catch", "synchronized", "lock", "return", "using"];

/// Translates a method to C#.
pub(super) fn java_to_csharp(source: &str) -> String {
    let text = each_word(source, |word, calls| {
        let known = WORDS.iter().find(|(java, _)| *java == word).map(|(_, csharp)| *csharp);
        known.map_or_else(|| in_case(word, calls, char::to_ascii_uppercase), str::to_owned)
    });
    let text = text.replace(") {", "){");
    match text.strip_prefix("public ") {
        Some(rest) if !rest.starts_with("static ") => format!("public virtual {rest}"),
        _ => text,
    }
}

/// Translates a method to Java.
pub(super) fn csharp_to_java(source: &str) -> String {
    let text = each_word(source, |word, calls| {
        let known = WORDS.iter().find(|(_, csharp)| *csharp == word).map(|(java, _)| *java);
        known.map_or_else(|| in_case(word, calls, char::to_ascii_lowercase), str::to_owned)
    });
    let text = text.replace("){", ") {");
    text.replacen("public virtual ", "public ", 1).replacen("public override ", "public ", 1)
}

/// A method's name in the case of the other language; other words stay as they are.
fn in_case(word: &str, calls: bool, case: fn(&char) -> char) -> String {
    let mut letters = word.chars();
    match letters.next() {
        Some(first) if calls && !NOT_METHODS.contains(&word) => {
            case(&first).to_string() + letters.as_str()
        }
        _ => word.to_owned(),
    }
}

/// Replaces every word outside of quoted text; `change` is given the word and whether it names a
/// method: a bracket follows it, and no `new` precedes it.
fn each_word(source: &str, change: impl Fn(&str, bool) -> String) -> String {
    let (mut out, mut rest, mut previous) = (String::new(), source, "");
    while let Some(first) = rest.chars().next() {
        let length = match first {
            '"' => quoted(rest),
            _ if is_letter(first) => rest.find(|letter| !is_letter(letter)).unwrap_or(rest.len()),
            _ => first.len_utf8(),
        };
        let (part, after) = rest.split_at(length);
        rest = after;
        if is_letter(first) && !first.is_ascii_digit() {
            out += &change(part, after.starts_with('(') && previous != "new");
            previous = part;
        } else {
            out += part;
        }
    }
    out
}

/// The length of the quoted text at the start of `text`, or of all of it if it is not closed.
fn quoted(text: &str) -> usize {
    let mut escaped = false;
    let end = text.char_indices().skip(1).find(|(_, letter)| {
        let closes = *letter == '"' && !escaped;
        escaped = *letter == '\\' && !escaped;
        closes
    });
    end.map_or(text.len(), |(at, _)| at + 1)
}

fn is_letter(letter: char) -> bool {
    letter.is_alphanumeric() || letter == '_'
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn words_and_methods_change_and_texts_do_not() {
        let java = r#"public boolean has(String key) {if (key == null) {throw new Missing("no String, \"has(\"");}return map.containsKey(key);}"#;
        let csharp = r#"public virtual bool Has(string key){if (key == null){throw new Missing("no String, \"has(\"");}return map.ContainsKey(key);}"#;
        assert_eq!(java_to_csharp(java), csharp);
        assert_eq!(csharp_to_java(csharp), java);
        assert_eq!(java_to_csharp("public static int f() {}"), "public static int F(){}");
    }

    proptest! {
        #[test]
        fn any_text_is_rewritten(text: String) {
            let _ = (java_to_csharp(&text), csharp_to_java(&text));
        }
    }
}
