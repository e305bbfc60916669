//! `echo`: programs that give back what they are given, without a look at what is asked.

use assay_core::{Effort, Language, Question, Response};

use crate::SolverCard;
use crate::baseline::Baseline;
use crate::kind::CODE;

pub(crate) const ECHO: Baseline = Baseline {
    card: SolverCard::new(
        "echo",
        CODE,
        "a Python function that returns its first argument, or a program that prints its input",
    ),
    effort: Effort::Trivial,
    depends_on: &[],
    answer: |ask, _| match ask.question {
        Question::Code(question) if question.language == Language::Python => {
            Some(program(&question.prompt))
        }
        _ => None,
    },
};

const PRINTS_ITS_INPUT: &str = "import sys\nsys.stdout.write(sys.stdin.read())\n";

/// The answer to a prompt that ends inside of a function, that shows calls of one in its tests, or neither.
fn program(prompt: &str) -> Response {
    if let Some(parameter) = open_function(prompt) {
        return Response::Text(format!("    return {parameter}\n"));
    }
    match tested_function(prompt) {
        Some(name) => Response::Program(format!(
            "def {name}(*arguments):\n    return arguments[0] if arguments else None\n"
        )),
        None => Response::Program(PRINTS_ITS_INPUT.to_owned()),
    }
}

/// The first parameter of the function that the prompt leaves open.
fn open_function(prompt: &str) -> Option<&str> {
    let start =
        prompt.rfind("\ndef ").map(|at| at + 1).or(prompt.starts_with("def ").then_some(0))?;
    let definition = &prompt[start..];
    let is_open = |line: &str| line.is_empty() || line.starts_with([' ', '\t', '@', ')']);
    if !definition.lines().skip(1).all(is_open) {
        return None;
    }
    let parameters = &definition[definition.find('(')? + 1..];
    let end = parameters.find([',', ')', ':', '='])?;
    Some(parameters[..end].trim()).filter(|name| is_name(name))
}

/// The function that the prompt's first test calls.
fn tested_function(prompt: &str) -> Option<&str> {
    prompt.match_indices("assert ").find_map(|(at, word)| {
        let call = prompt[at + word.len()..].split('(').next()?;
        is_name(call).then_some(call)
    })
}

fn is_name(text: &str) -> bool {
    let is_letter = |letter: char| letter.is_ascii_alphanumeric() || letter == '_';
    !text.is_empty()
        && text.chars().all(is_letter)
        && !text.starts_with(|first: char| first.is_ascii_digit())
}

#[cfg(test)]
mod tests {
    use assay_core::{CodeQuestion, StopWords};

    use super::*;
    use crate::baseline::testing::ask;

    fn answer(prompt: &str, language: Language) -> Response {
        let (prompt, stop) = (prompt.to_owned(), StopWords::default());
        let opening = "".into();
        ask(&ECHO, 1, &Question::Code(CodeQuestion { prompt, opening, language, stop }), None)
    }

    fn check(prompt: &str, expected: &str) {
        match answer(prompt, Language::Python) {
            Response::Text(text) | Response::Program(text) => {
                assert_eq!(text, expected, "{prompt}");
            }
            other => panic!("{other:?}"),
        }
    }

    #[test]
    fn the_form_of_the_prompt_decides_the_form_of_the_program() {
        check("def f(text: str, n=1) -> int:\n    \"\"\"Count.\"\"\"\n", "    return text\n");
        check(
            "import re\n\ndef a(x):\n    pass\n\ndef b(y):\n    \"\"\"\n\n    \"\"\"\n",
            "    return y\n",
        );
        check(
            "\"\"\"\nDouble it.\nassert double(2) == 4\n\"\"\"\n",
            "def double(*arguments):\n    return arguments[0] if arguments else None\n",
        );
        for prompt in
            ["QUESTION:\nAdd the numbers.\nANSWER:\n", "", "def f():\n", "def f(", "assert (1)"]
        {
            check(prompt, PRINTS_ITS_INPUT);
        }
    }

    #[test]
    fn other_languages_get_no_answer() {
        assert!(matches!(answer("int f(int x) {", Language::Cpp), Response::None(_)));
    }
}
