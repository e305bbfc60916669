//! Programs in the formats of other harnesses, problem by problem.
//!
//! Every format has a place for each sample, so one without an answer becomes an empty program, which fails: these
//! harnesses refuse files in which a problem or a sample is missing.

use std::io::{self, Write};

use serde_json::{Value, json};

/// A format of another harness.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ExportFormat {
    /// BigCode's `generations.json`: whole programs, one list per problem in task order.
    BigCode,
    /// HumanEval's `samples.jsonl`: continuations of the prompt.
    HumanEval,
    /// EvalPlus's `samples.jsonl`: whole programs.
    EvalPlus,
    /// The `samples_*.jsonl` of lm-evaluation-harness: one line per problem, with its prompt, replies and programs.
    LmEval,
}

impl ExportFormat {
    /// Returns true if a file has no names of problems, so that only their order tells which is which.
    pub fn is_positional(self) -> bool {
        self == Self::BigCode
    }
}

/// A problem with all samples of the answer to it.
#[derive(Debug)]
pub struct ExportedProblem<'a> {
    /// The problem's name.
    pub id: &'a str,
    /// The problem's place in the task's order.
    pub index: usize,
    /// The text that the solver was shown.
    pub prompt: &'a str,
    /// The text that a continuation is appended to.
    pub opening: &'a str,
    /// The original's tests, if they are text.
    pub tests: Option<&'a str>,
    /// The samples.
    pub samples: Vec<ExportedSample>,
}

/// One sample; empty texts if there is no answer.
#[derive(Debug, Default)]
pub struct ExportedSample {
    /// The whole program.
    pub program: String,
    /// The reply as it came.
    pub reply: String,
}

impl ExportedSample {
    /// The text that makes a program together with the text before it; a program that does not begin with that text
    /// follows it, which is right in a language in which the last definition of a function counts.
    fn after(&self, opening: &str) -> String {
        match self.program.strip_prefix(opening) {
            Some(rest) => rest.to_owned(),
            None if self.program.is_empty() => String::new(),
            None => format!("{}\n{}", missing_body(opening), self.program),
        }
    }

    /// Returns true if the program is right after a text that it does not begin with, or begins with it.
    pub fn may_follow(&self, opening: &str) -> bool {
        let must_be_first = |line: &str| line.starts_with("from __future__ ");
        self.program.starts_with(opening) || !self.program.lines().any(must_be_first)
    }
}

/// A body for a function of Python that a text begins and has no line of, so that something else may follow.
fn missing_body(opening: &str) -> String {
    let code = |line: &&str| !line.trim().is_empty() && !line.trim_start().starts_with('#');
    let Some(last) = opening.lines().rev().find(code) else { return String::new() };
    let statement = last.split(" #").next().unwrap_or(last).trim_end();
    if !statement.ends_with(':') {
        return String::new();
    }
    let separator = if opening.ends_with('\n') { "" } else { "\n" };
    let indentation = &last[..last.len() - last.trim_start().len()];
    format!("{separator}{indentation}    pass\n")
}

/// Writes problems one after the other.
pub struct Exporter<'w> {
    format: ExportFormat,
    out: &'w mut dyn Write,
    count: usize,
}

impl<'w> Exporter<'w> {
    /// Writes to `out`.
    pub fn new(format: ExportFormat, out: &'w mut dyn Write) -> Self {
        Self { format, out, count: 0 }
    }

    /// Writes one problem.
    pub fn write(&mut self, problem: &ExportedProblem<'_>) -> io::Result<()> {
        let ExportedProblem { id, opening, ref samples, .. } = *problem;
        match self.format {
            ExportFormat::BigCode => {
                let programs: Vec<&str> =
                    samples.iter().map(|sample| sample.program.as_str()).collect();
                self.element(&json!(programs))
            }
            ExportFormat::HumanEval => samples.iter().try_for_each(|sample| {
                self.line(&json!({"task_id": id, "completion": sample.after(opening)}))
            }),
            ExportFormat::EvalPlus => samples.iter().try_for_each(|sample| {
                self.line(&json!({"task_id": id, "solution": sample.program}))
            }),
            ExportFormat::LmEval => self.line(&lm_eval(problem)),
        }
    }

    /// Ends the file.
    pub fn finish(self) -> io::Result<()> {
        match self.format {
            ExportFormat::BigCode => end_array(self.out, self.count),
            ExportFormat::HumanEval | ExportFormat::EvalPlus | ExportFormat::LmEval => Ok(()),
        }
    }

    fn element(&mut self, value: &Value) -> io::Result<()> {
        self.count += 1;
        write_element(self.out, self.count, value)
    }

    fn line(&mut self, value: &Value) -> io::Result<()> {
        serde_json::to_writer(&mut self.out, value)?;
        self.out.write_all(b"\n")
    }
}

/// Writes BigCode's `references.json`: the tests of each problem, in the order of the generations.
pub fn write_references(
    out: &mut dyn Write,
    tests: impl Iterator<Item = Option<String>>,
) -> io::Result<()> {
    let mut count = 0;
    for tests in tests {
        count += 1;
        write_element(out, count, &json!(tests))?;
    }
    end_array(out, count)
}

fn write_element(out: &mut dyn Write, number: usize, value: &Value) -> io::Result<()> {
    out.write_all(if number == 1 { b"[" } else { b",\n" })?;
    serde_json::to_writer(out, value).map_err(io::Error::from)
}

fn end_array(out: &mut dyn Write, count: usize) -> io::Result<()> {
    out.write_all(if count == 0 { b"[]\n" } else { b"]\n" })
}

/// A line as lm-evaluation-harness writes it, without its hashes and metrics.
fn lm_eval(problem: &ExportedProblem<'_>) -> Value {
    let ExportedProblem { id, index, prompt, tests, ref samples, .. } = *problem;
    let replies: Vec<&str> = samples.iter().map(|sample| sample.reply.as_str()).collect();
    let programs: Vec<&str> = samples.iter().map(|sample| sample.program.as_str()).collect();
    json!({
        "doc_id": index,
        "doc": {"task_id": id, "prompt": prompt},
        "target": tests.unwrap_or_default(),
        "arguments": {"gen_args_0": {"arg_0": prompt, "arg_1": {}}},
        "resps": [replies],
        "filtered_resps": [programs],
        "filter": "assay",
        "metrics": [],
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn exported(format: ExportFormat) -> String {
        let sample = |program: &str, reply: &str| ExportedSample {
            program: program.to_owned(),
            reply: reply.to_owned(),
        };
        let first = ExportedProblem {
            id: "P/0",
            index: 0,
            prompt: "def f():\n",
            opening: "def f():\n",
            tests: Some("assert f() == 1"),
            samples: vec![sample("def f():\n  return 1\n", "  return 1\n"), sample("f = 1", "F")],
        };
        let samples = vec![ExportedSample::default()];
        let second = ExportedProblem { id: "P/1", index: 1, tests: None, samples, ..first };
        let mut bytes = Vec::new();
        let mut exporter = Exporter::new(format, &mut bytes);
        for problem in [&first, &second] {
            exporter.write(problem).unwrap();
        }
        exporter.finish().unwrap();
        String::from_utf8(bytes).unwrap()
    }

    fn lines(format: ExportFormat) -> Vec<Value> {
        exported(format).lines().map(|line| serde_json::from_str(line).unwrap()).collect()
    }

    #[test]
    fn every_format_has_every_sample() {
        let programs = json!([["def f():\n  return 1\n", "f = 1"], [""]]);
        let read: Value = serde_json::from_str(&exported(ExportFormat::BigCode)).unwrap();
        assert_eq!(read, programs);
        let human_eval = [
            json!({"task_id": "P/0", "completion": "  return 1\n"}),
            json!({"task_id": "P/0", "completion": "    pass\n\nf = 1"}),
            json!({"task_id": "P/1", "completion": ""}),
        ];
        assert_eq!(lines(ExportFormat::HumanEval), human_eval);
        let solutions: Vec<Value> =
            lines(ExportFormat::EvalPlus).iter().map(|line| line["solution"].clone()).collect();
        assert_eq!(solutions, [json!("def f():\n  return 1\n"), json!("f = 1"), json!("")]);
        let lm_eval = lines(ExportFormat::LmEval);
        assert_eq!(lm_eval[0]["resps"], json!([["  return 1\n", "F"]]));
        assert_eq!(lm_eval[0]["filtered_resps"], json!([["def f():\n  return 1\n", "f = 1"]]));
        assert_eq!((&lm_eval[1]["doc_id"], &lm_eval[1]["target"]), (&json!(1), &json!("")));
    }

    #[test]
    fn a_whole_program_follows_any_prompt() {
        let sample = ExportedSample {
            program: "import re\ndef f():\n  return 1\n".to_owned(),
            ..Default::default()
        };
        for (opening, expected) in [
            ("def f():", "\n    pass\n\n"),
            ("def f():\n", "    pass\n\n"),
            ("def f():  # one\n    # two\n", "    pass\n\n"),
            ("class A:\n    def f(\n    ) -> int:\n", "        pass\n\n"),
            ("def f():\n    \"\"\"One.\"\"\"\n", "\n"),
            ("import os\n\n", "\n"),
            ("", ""),
        ] {
            assert_eq!(sample.after(opening), format!("{expected}{}", sample.program), "{opening}");
        }
    }

    #[test]
    fn an_import_that_must_be_first_follows_nothing() {
        let opening = "from __future__ import annotations\ndef f():\n";
        let program =
            |text: &str| ExportedSample { program: text.to_owned(), ..Default::default() };
        assert!(program(&format!("{opening}    pass\n")).may_follow(opening));
        assert!(program("def f(): pass\n").may_follow(opening));
        assert!(!program("# One.\nfrom __future__ import annotations\n").may_follow("def f():\n"));
    }

    #[test]
    fn references_are_an_array() {
        let written = |tests: &[Option<&str>]| {
            let mut bytes = Vec::new();
            let tests = tests.iter().map(|tests| tests.map(str::to_owned));
            write_references(&mut bytes, tests).unwrap();
            serde_json::from_slice::<Value>(&bytes).unwrap()
        };
        assert_eq!(written(&[Some("assert 1"), None]), json!(["assert 1", null]));
        assert_eq!(written(&[]), json!([]));
    }
}
