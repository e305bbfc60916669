//! The prompt styles in use for MBPP.

use std::ops::ControlFlow;

use assay_core::{Error, Result};
use assay_data::programs::{MbppProblem, Records};

/// The words that end a continuation of the prompt.
pub(super) const STOP: &[&str] =
    &["\nclass", "\nassert", "\n\"\"\"", "\nprint", "\nif", "\n<|/", "\n```"];
/// The words that end an answer to a prompt with the paper's examples.
const DONE: &[&str] = &["[DONE]"];

const GOOGLE: &str = "google";
const PAPER: &str = "paper";

/// The problems that the paper uses as examples.
const SHOWN: [u32; 3] = [2, 3, 4];

/// A prompt style.
pub(super) enum Prompting {
    Docstring,
    Tests,
    /// A prompt with these examples first.
    Examples(String),
}

impl Prompting {
    /// The style called `name`, with examples from `records` if it has any.
    pub(super) fn new(name: Option<&str>, records: &Records) -> Result<Self> {
        match name {
            Some(GOOGLE) => Ok(Self::Tests),
            Some(PAPER) => examples(records).map(Self::Examples),
            _ => Ok(Self::Docstring),
        }
    }

    /// The default style.
    pub(super) fn docstring() -> Self {
        Self::Docstring
    }

    pub(super) fn prompt(&self, problem: &MbppProblem) -> String {
        let MbppProblem { text, test_list, .. } = problem;
        match self {
            Self::Docstring => {
                let first = test_list.first().map_or("", String::as_str);
                format!("\"\"\"\n{text}\n{first}\n\"\"\"\n")
            }
            Self::Tests => {
                let tests: String = test_list.iter().map(|test| format!("\n{test}")).collect();
                format!("{text} Your code should satisfy these tests:\n{tests}")
            }
            Self::Examples(examples) => format!("{examples}{}", task(problem)),
        }
    }

    /// The part of a prompt that the program starts with; empty if the prompt is prose.
    pub(super) fn begins_program<'a>(&self, prompt: &'a str) -> &'a str {
        match self {
            Self::Docstring => prompt,
            Self::Tests | Self::Examples(_) => "",
        }
    }

    pub(super) fn stop(&self) -> &'static [&'static str] {
        match self {
            Self::Docstring | Self::Tests => STOP,
            Self::Examples(_) => DONE,
        }
    }
}

fn task(problem: &MbppProblem) -> String {
    format!(
        "You are an expert Python programmer, and here is your task: {} Your code should pass these \
         tests:\n\n{}\n[BEGIN]\n",
        problem.text,
        problem.test_list.join("\n")
    )
}

fn examples(records: &Records) -> Result<String> {
    let mut found = Vec::new();
    records.each(&mut |_, problem: MbppProblem| {
        if let Some(number) = problem.number().filter(|number| SHOWN.contains(number)) {
            found.push((number, format!("{}{}\n[DONE]\n\n", task(&problem), problem.code)));
        }
        let done = found.len() == SHOWN.len();
        Ok(if done { ControlFlow::Break(()) } else { ControlFlow::Continue(()) })
    })?;
    found.sort_by_key(|(number, _)| *number);
    if found.len() < SHOWN.len() {
        let file = records.name();
        return Err(Error::refused(format!(
            "{file} lacks problems 2, 3 and 4, which the prompt shows"
        ))
        .hint("take the whole file, or another --prompt"));
    }
    Ok(found.into_iter().map(|(_, example)| example).collect())
}

#[cfg(test)]
mod tests {
    use assay_data::programs::Record;

    use super::*;

    fn problem(number: u32) -> String {
        format!(
            r#"{{"task_id": {number}, "text": "Do {number}.", "code": "def f(): {number}", "test_list": ["assert a", "assert b"]}}"#
        )
    }

    fn prompt(name: &str) -> String {
        let lines: Vec<String> = [4, 11, 2, 3].map(problem).into();
        let records = Records::memory("mbpp.jsonl", lines.join("\n").into_bytes());
        let prompting = Prompting::new(Some(name), &records).unwrap();
        prompting.prompt(&MbppProblem::parse(&problem(11)).unwrap())
    }

    #[test]
    fn prompts_are_the_fields_to_the_byte() {
        assert_eq!(prompt("incoder"), "\"\"\"\nDo 11.\nassert a\n\"\"\"\n");
        let google = "Do 11. Your code should satisfy these tests:\n\nassert a\nassert b";
        assert_eq!(prompt(GOOGLE), google);
        let paper = prompt(PAPER);
        let task = |number| {
            format!(
                "You are an expert Python programmer, and here is your task: Do {number}. Your code \
                 should pass these tests:\n\nassert a\nassert b\n[BEGIN]\n"
            )
        };
        let shown = |number| format!("{}def f(): {number}\n[DONE]\n\n", task(number));
        assert_eq!(paper, [shown(2), shown(3), shown(4), task(11)].concat());
    }

    #[test]
    fn examples_that_are_not_there_are_named() {
        let records = Records::memory("mbpp.jsonl", problem(11).into_bytes());
        let error = Prompting::new(Some(PAPER), &records).err().unwrap();
        assert_eq!(
            error.to_string(),
            "mbpp.jsonl lacks problems 2, 3 and 4, which the prompt shows"
        );
    }
}
