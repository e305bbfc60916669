//! The function that a prompt starts: its header and body, its name and parameters.

use super::code::{BraceLanguage, Code};

/// A program that passes, split around the requested function.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Split<'a> {
    /// The text before the function.
    pub(super) before: &'a str,
    /// Its header, without the brace.
    pub(super) header: String,
    /// The text after its last brace.
    pub(super) after: &'a str,
}

/// The signature of a function.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Signature {
    pub(super) name: String,
    pub(super) parameters: Vec<Parameter>,
    /// The result type.
    pub(super) result: String,
}

/// A parameter. Go's have no type here; JavaScript's are not parsed.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Parameter {
    pub(super) name: String,
    pub(super) kind: String,
}

/// Splits the program `gold` around the function that its beginning, `prompt`, leaves open.
pub(super) fn split<'a>(prompt: &str, gold: &'a str, language: BraceLanguage) -> Option<Split<'a>> {
    let outside = i32::from(language == BraceLanguage::Java);
    let code = Code::new(prompt, language);
    let open = code.left_open(outside)?;
    let end = Code::new(gold, language).closing(open)?;
    let blanked = String::from_utf8_lossy(&code.blanked()[..open]).into_owned();
    // Replaced characters that are not code may change their length: none are left in `blanked`.
    let begin = match language {
        BraceLanguage::Go => last_word(&code, &["func"], open)?,
        BraceLanguage::Rust => last_word(&code, &["fn"], open)?,
        BraceLanguage::JavaScript => last_word(&code, &["const", "let", "var", "function"], open)?,
        BraceLanguage::Java | BraceLanguage::Cpp => after_last_item(&blanked),
    };
    let header = blanked.get(begin..)?.split_whitespace().collect::<Vec<_>>().join(" ");
    Some(Split { before: gold.get(..begin)?, header, after: gold.get(end..)? })
}

fn last_word(code: &Code<'_>, words: &[&str], end: usize) -> Option<usize> {
    words.iter().flat_map(|word| code.outer_words(word)).filter(|&at| at < end).max()
}

/// The end of the last statement, block or preprocessor line.
fn after_last_item(code: &str) -> usize {
    let item = code.rfind([';', '{', '}']).map_or(0, |at| at + 1);
    let mut at = item;
    let mut begin = item;
    for line in code[item..].split_inclusive('\n') {
        at += line.len();
        if line.trim_start().starts_with('#') {
            begin = at;
        }
    }
    begin + code[begin..].len() - code[begin..].trim_start().len()
}

/// Parses a function's header.
pub(super) fn signature(header: &str, language: BraceLanguage) -> Option<Signature> {
    if language == BraceLanguage::JavaScript {
        let words = header.split(|c: char| !is_part(c)).filter(|word| !word.is_empty());
        let name = words.skip(1).find(|word| *word != "async")?;
        return Some(Signature {
            name: name.to_owned(),
            parameters: Vec::new(),
            result: String::new(),
        });
    }
    let open = header.find('(')?;
    let close = open + closing_bracket(&header[open..])?;
    let (before, after) = (&header[..open], &header[close + 1..]);
    // In Rust, a function's lifetimes follow its name.
    let before = if language == BraceLanguage::Rust { before.split('<').next()? } else { before };
    let (result, name) = last_name(before)?;
    let parameters = split_at_commas(&header[open + 1..close]);
    let parameters =
        parameters.iter().map(|text| parameter(text, language)).collect::<Option<_>>()?;
    let result = match language {
        BraceLanguage::Go => after.trim().to_owned(),
        BraceLanguage::Rust => after.trim().strip_prefix("->").map_or("()", str::trim).to_owned(),
        BraceLanguage::JavaScript | BraceLanguage::Java | BraceLanguage::Cpp => result
            .split_whitespace()
            .filter(|word| !MODIFIERS.contains(word))
            .collect::<Vec<_>>()
            .join(" "),
    };
    Some(Signature { name: name.to_owned(), parameters, result })
}

/// Words before the result type.
const MODIFIERS: &[&str] = &["public", "private", "protected", "static", "final", "inline"];

fn parameter(text: &str, language: BraceLanguage) -> Option<Parameter> {
    let text = text.trim();
    let (name, kind) = match language {
        BraceLanguage::Go => (text.split_whitespace().next()?, ""),
        BraceLanguage::Rust => {
            let (name, kind) = text.split_once(':')?;
            (name.trim().trim_start_matches("mut ").trim(), kind.trim())
        }
        BraceLanguage::JavaScript | BraceLanguage::Java | BraceLanguage::Cpp => {
            let (kind, name) = last_name(text.split('=').next()?.trim())?;
            (name, kind.trim_start_matches("final "))
        }
    };
    Some(Parameter { name: name.to_owned(), kind: kind.trim().to_owned() })
}

fn is_part(c: char) -> bool {
    c.is_alphanumeric() || c == '_' || c == '$'
}

/// The name at the end of a text, and the text before it.
fn last_name(text: &str) -> Option<(&str, &str)> {
    let text = text.trim_end();
    let begin = text.trim_end_matches(is_part).len();
    (begin < text.len()).then(|| text.split_at(begin))
}

/// The position of the bracket that closes the one at the start of a text.
fn closing_bracket(text: &str) -> Option<usize> {
    let mut open = 0;
    for (at, c) in text.char_indices() {
        match c {
            '(' => open += 1,
            ')' => open -= 1,
            _ => {}
        }
        if open == 0 {
            return Some(at);
        }
    }
    None
}

/// The parts of a text between commas outside brackets.
fn split_at_commas(text: &str) -> Vec<&str> {
    let (mut parts, mut open, mut begin) = (Vec::new(), 0, 0);
    for (at, c) in text.char_indices() {
        match c {
            '(' | '[' | '<' | '{' => open += 1,
            ')' | ']' | '>' | '}' => open -= 1,
            ',' if open == 0 => {
                parts.push(&text[begin..at]);
                begin = at + 1;
            }
            _ => {}
        }
    }
    parts.push(&text[begin..]);
    parts.retain(|part| !part.trim().is_empty());
    parts
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(
        language: BraceLanguage,
        header: &str,
        name: &str,
        parameters: &[(&str, &str)],
        result: &str,
    ) {
        let own = |&(name, kind): &(&str, &str)| Parameter {
            name: name.to_owned(),
            kind: kind.to_owned(),
        };
        let parameters = parameters.iter().map(own).collect();
        let expected = Signature { name: name.to_owned(), parameters, result: result.to_owned() };
        assert_eq!(signature(header, language), Some(expected), "{header}");
    }

    #[test]
    fn headers_of_every_language_are_read() {
        let header = "map<char,int> histogram(const vector<pair<int,int>>& test, int n = 3)";
        let parameters = [("test", "const vector<pair<int,int>>&"), ("n", "int")];
        check(BraceLanguage::Cpp, header, "histogram", &parameters, "map<char,int>");
        let header =
            "public static Map<String, Integer> f(List<List<Integer>> a, final int b) throws E";
        let parameters = [("a", "List<List<Integer>>"), ("b", "int")];
        check(BraceLanguage::Java, header, "f", &parameters, "Map<String, Integer>");
        let parameters = [("a", "&'a dyn Any"), ("b", "(i32, i32)")];
        let header = "fn f<'a>(a:&'a dyn Any, mut b: (i32, i32)) -> Vec<&str>";
        check(BraceLanguage::Rust, header, "f", &parameters, "Vec<&str>");
        check(BraceLanguage::Rust, "fn f()", "f", &[], "()");
        let header = "func F(x, y interface{}, z []int) [2]interface{}";
        check(BraceLanguage::Go, header, "F", &[("x", ""), ("y", ""), ("z", "")], "[2]interface{}");
        check(BraceLanguage::JavaScript, "const f = (a, b) =>", "f", &[], "");
        check(BraceLanguage::JavaScript, "function g(a)", "g", &[], "");
    }

    #[test]
    fn a_program_is_split_around_the_open_function() {
        let prompt = "/* f { */\n#include<map>\nusing namespace std;\nint h(){ return 1; }\n\nint f(int a){ // {\n";
        let gold = format!("{prompt}  return \"}}\"[0];\n}}\nint g();\n");
        let split = split(prompt, &gold, BraceLanguage::Cpp).unwrap();
        assert!(split.before.ends_with("return 1; }\n\n"), "{split:?}");
        assert_eq!((split.header.as_str(), split.after), ("int f(int a)", "\nint g();\n"));
        let prompt =
            "import java.util.*;\n\nclass Solution {\n    /** é } */\n    public int f(int a) {\n";
        let gold = format!("{prompt}    }}\n}}");
        let split = super::split(prompt, &gold, BraceLanguage::Java).unwrap();
        assert_eq!((split.header.as_str(), split.after), ("public int f(int a)", "\n}"));
        let prompt = "#include<map>\nint f(){";
        let split = super::split(prompt, "#include<map>\nint f(){ }", BraceLanguage::Cpp).unwrap();
        assert_eq!((split.before, split.header.as_str()), ("#include<map>\n", "int f()"));
        assert_eq!(super::split("int f();", "int f();", BraceLanguage::Cpp), None);
    }
}
