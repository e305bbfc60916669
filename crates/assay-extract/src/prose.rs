//! Answers without fences: the code between sentences.

use std::ops::Range;

use assay_core::{ExpectedCode, Language};
use assay_syntax::python;

use crate::definitions::defines;
use crate::{MAX_PARSED, is_valid};

/// An answer without the prose around its code. Valid code, a continuation of the prompt, and an answer in which no
/// code is recognised stay as they are.
pub(crate) fn without<'a>(answer: &'a str, expected: &ExpectedCode<'_>) -> &'a str {
    let known = expected.entry_points.is_empty() || defines(answer, expected);
    if !known || answer.len() > MAX_PARSED || is_valid(answer, expected.language) {
        return answer;
    }
    let range = match expected.language {
        Language::Python => python_statements(answer),
        // Nothing would tell whether the code is still whole.
        _ if expected.entry_points.is_empty() => None,
        language => lines_of_code(answer, language),
    };
    let Some(range) = range else { return answer };
    let code = &answer[range];
    // The expected code must not be lost with the prose.
    if expected.entry_points.is_empty() || defines(code, expected) { code } else { answer }
}

/// The statements from the first that is code to the last one that is valid.
fn python_statements(answer: &str) -> Option<Range<usize>> {
    let statements = python::statements(answer);
    let is_code = |range: &Range<usize>| {
        let text = &answer[range.clone()];
        starts_python(text) && is_valid(text, Language::Python)
    };
    let first = statements.iter().position(is_code)?;
    let is_valid = |range: &&Range<usize>| is_valid(&answer[(*range).clone()], Language::Python);
    let last = statements[first..].iter().rev().find(is_valid)?;
    Some(statements[first].start..last.end)
}

/// Returns true if a statement begins as code does and sentences do not.
fn starts_python(statement: &str) -> bool {
    const STARTS: [&str; 12] = [
        "def ", "class ", "async ", "import ", "from ", "@", "for ", "while ", "if ", "try:",
        "with ", "print(",
    ];
    let line = statement.lines().next().unwrap_or_default();
    STARTS.iter().any(|start| line.starts_with(start)) || line.contains('=')
}

/// The lines from the first that is code to the last that ends a statement or a block.
fn lines_of_code(answer: &str, language: Language) -> Option<Range<usize>> {
    let (mut at, mut start, mut end) = (0, None, 0);
    for line in answer.split_inclusive('\n') {
        if start.is_none() && starts_code(line.trim_start(), language) {
            start = Some(at);
        }
        at += line.len();
        if line.trim_end().ends_with(['}', ';', ')']) {
            end = at;
        }
    }
    start.filter(|&start| start < end).map(|start| start..end)
}

/// Returns true if a line begins as code in a language with braces does.
fn starts_code(line: &str, language: Language) -> bool {
    let starts: &[&str] = match language {
        Language::Java => &[
            "import ",
            "package ",
            "public ",
            "class ",
            "static ",
            "private ",
            "interface ",
            "record ",
            "enum ",
        ],
        Language::CSharp => {
            &["using ", "namespace ", "public ", "class ", "static ", "private ", "internal "]
        }
        Language::C | Language::Cpp => &[
            "#include",
            "using ",
            "template",
            "namespace ",
            "int ",
            "bool ",
            "string ",
            "vector<",
            "std::",
            "void ",
            "double ",
            "float ",
            "long ",
            "char ",
            "auto ",
            "static ",
            "struct ",
            "map<",
        ],
        Language::JavaScript | Language::TypeScript => {
            &["const ", "let ", "var ", "function ", "async ", "import ", "export ", "class "]
        }
        Language::Go => &["package ", "import ", "func ", "type ", "var ", "const "],
        Language::Rust => &["use ", "fn ", "pub ", "struct ", "impl ", "enum ", "const ", "#["],
        Language::Php => &["<?php", "function ", "class ", "namespace ", "use "],
        Language::Ruby => &["def ", "class ", "module ", "require "],
        Language::Python => &[],
    };
    let has_code = line.contains(['(', '{', ';', '<', '"', '=']) || line.starts_with("package ");
    has_code && starts.iter().any(|start| line.starts_with(start))
}
