//! Tells whole programs from texts that continue a prompt.

use std::collections::BTreeSet;

use assay_core::{CodeForm, Language};
use assay_syntax::SyntaxTree;
use assay_syntax::python::{names_bound, names_defined};

use super::suite::CodeReference;

/// The form of `text`, as an answer to the problem of `reference`.
pub(super) fn code_form(reference: &CodeReference, text: &str) -> CodeForm {
    let CodeReference { language, prompt, .. } = reference;
    let wanted: BTreeSet<&str> = reference.entry_points.iter().map(String::as_str).collect();
    let defines = |code: &str| match language {
        Language::Python => !names_bound(code).is_disjoint(&wanted),
        language => declares(code, &wanted, *language),
    };
    // A prompt that begins no function, such as a sentence, is not continued.
    if wanted.is_empty() || !begins(prompt, &wanted, *language) || defines(text) {
        return CodeForm::Whole;
    }
    let stays_inside = *language != Language::Python || is_indented(text);
    if stays_inside && !SyntaxTree::parse(&format!("{prompt}{text}"), *language).has_error() {
        CodeForm::Continuation
    } else {
        CodeForm::Neither
    }
}

/// Returns true if the prompt begins one of the functions.
fn begins(prompt: &str, names: &BTreeSet<&str>, language: Language) -> bool {
    match language {
        Language::Python => !names_defined(prompt).is_disjoint(names),
        _ => names.iter().any(|name| words_called(prompt, name).next().is_some()),
    }
}

/// Returns true if a program in a language with braces declares one of the functions: its name stands before a
/// parenthesis or an equals sign, and no brace is closed before it that was not opened.
fn declares(code: &str, names: &BTreeSet<&str>, language: Language) -> bool {
    debug_assert!(language != Language::Python, "Python has no braces");
    let end = first_unopened(code);
    names.iter().flat_map(|name| words_called(code, name)).any(|at| {
        let before = code[..at].trim_end();
        let word = before.rsplit(|c: char| !c.is_alphanumeric() && c != '_').next().unwrap_or("");
        let calls = ["return", "else", "case", "in", "of", "new", "throw", "await", "yield", "do"];
        let follows_type = before.ends_with(|c: char| c.is_alphanumeric() || "_>]*&?".contains(c));
        at <= end && follows_type && !calls.contains(&word)
    })
}

/// The position of the first brace that is closed and was not opened, or the end of the code.
fn first_unopened(code: &str) -> usize {
    let mut depth = 0_i64;
    let closes_too_much = |byte| {
        depth += i64::from(byte == b'{') - i64::from(byte == b'}');
        depth < 0
    };
    code.bytes().position(closes_too_much).unwrap_or(code.len())
}

/// The positions at which a name stands as a whole word before `(` or `=`.
fn words_called<'a>(code: &'a str, name: &'a str) -> impl Iterator<Item = usize> {
    let is_word = |c: char| c == '_' || c.is_alphanumeric();
    code.match_indices(name).map(|(at, _)| at).filter(move |&at| {
        let after = &code[at + name.len()..];
        let is_whole = !code[..at].ends_with(is_word) && !after.starts_with(is_word);
        let after = after.trim_start();
        let assigns = after.starts_with('=') && !after.starts_with("==");
        is_whole && (after.starts_with(['(', '<']) || assigns)
    })
}

/// Returns true if the first line of code, if there is one, is indented.
fn is_indented(text: &str) -> bool {
    let is_code =
        |line: &&str| !line.trim_start().is_empty() && !line.trim_start().starts_with('#');
    text.lines().find(is_code).is_none_or(|line| line.starts_with([' ', '\t']))
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use proptest::prelude::*;

    use super::super::suite::{TestSuite, Tests};
    use super::*;

    fn reference(language: Language, prompt: &str) -> CodeReference {
        CodeReference {
            language,
            prompt: Arc::from(prompt),
            entry_points: ["add".to_owned(), "Number".to_owned()].into(),
            gold: None,
            tests: TestSuite::new(Tests::InputOutput(Vec::new())),
        }
    }

    fn python(prompt: &str) -> CodeReference {
        reference(Language::Python, prompt)
    }

    #[test]
    fn bodies_are_told_from_programs() {
        let reference = python("def add(a, b):\n    \"\"\"Adds.\"\"\"\n");
        for (text, form) in [
            ("    return a + b\n", CodeForm::Continuation),
            (
                "\n    # add(a, b)\n    def inner(): pass\n    return a + b\n",
                CodeForm::Continuation,
            ),
            ("    return add(b, a)", CodeForm::Continuation),
            ("", CodeForm::Continuation),
            ("def add(a, b):\n    return a + b\n", CodeForm::Whole),
            ("```python\ndef add(a, b):\n    return a + b\n```", CodeForm::Whole),
            ("import x\nif True:\n    def add(a, b): pass", CodeForm::Whole),
            ("add = lambda a, b: a + b", CodeForm::Whole),
            ("from operator import add", CodeForm::Whole),
            ("from operator import sub as add", CodeForm::Whole),
            ("class Number: pass", CodeForm::Whole),
            ("Here is the function: return a + b", CodeForm::Neither),
            ("return a + b", CodeForm::Neither),
        ] {
            assert_eq!(code_form(&reference, text), form, "{text:?}");
        }
        // A prompt that begins no function is not continued by a body.
        let reference = python("\"\"\"\nAdd two numbers.\n\"\"\"\n");
        assert_eq!(code_form(&reference, "    return a + b\n"), CodeForm::Whole);
    }

    #[test]
    fn bodies_in_braces_are_told_from_programs() {
        let java = reference(
            Language::Java,
            "import java.util.*;\nclass Solution {\n    public int add(int a, int b) {\n",
        );
        for (text, form) in [
            ("        return a + b;\n    }\n}\n", CodeForm::Continuation),
            ("        return add(b, a);\n    }\n}\n", CodeForm::Continuation),
            (
                "class Solution {\n  public int add(int a, int b) { return a + b; }\n}",
                CodeForm::Whole,
            ),
            ("        return a +", CodeForm::Neither),
        ] {
            assert_eq!(code_form(&java, text), form, "{text:?}");
        }
        let javascript = reference(Language::JavaScript, "const add = (a, b) => {\n");
        assert_eq!(code_form(&javascript, "  return a + b;\n}\n"), CodeForm::Continuation);
        assert_eq!(code_form(&javascript, "const add = (a, b) => a + b;"), CodeForm::Whole);
        let rust = reference(Language::Rust, "fn main() {}\nfn add(a: i32, b: i32) -> i32 {\n");
        assert_eq!(code_form(&rust, "    a + b\n}\n"), CodeForm::Continuation);
        assert_eq!(code_form(&rust, "fn add(a: i32, b: i32) -> i32 { a + b }"), CodeForm::Whole);
        let go = reference(Language::Go, "import \"math\"\nfunc add(a int, b int) int {\n");
        assert_eq!(code_form(&go, "    return a + b\n}\n"), CodeForm::Continuation);
        let cpp = reference(Language::Cpp, "#include <vector>\nint add(int a, int b){\n");
        assert_eq!(code_form(&cpp, "    return a + b;\n}\n"), CodeForm::Continuation);
        assert_eq!(code_form(&cpp, "int add(int a, int b){ return a + b; }"), CodeForm::Whole);
    }

    #[test]
    fn names_after_a_brace_too_many_declare_nothing() {
        let names = BTreeSet::from(["add"]);
        assert!(declares("int add(int a) {}", &names, Language::Java));
        assert!(declares("{ } int add(int a) {}", &names, Language::Java));
        assert!(!declares("} int add(int a) {}", &names, Language::Java));
    }

    /// Braces were counted from the beginning at every name: this took minutes.
    #[test]
    fn braces_are_counted_once() {
        let names = BTreeSet::from(["add"]);
        let hostile = format!("}}{}", "int add(\n".repeat(200_000));
        assert!(!declares(&hostile, &names, Language::Java));
    }

    proptest! {
        #[test]
        fn any_text_has_a_form(text in "\\PC{0,40}|(add|def |class | = |[({})]|\n|    |return ){0,20}") {
            code_form(&python("def add(a, b):\n"), &text);
            declares(&text, &BTreeSet::from(["add"]), Language::Java);
        }
    }
}
