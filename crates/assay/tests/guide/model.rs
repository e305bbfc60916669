//! The model behind `http://localhost:8000` on the pages: it solves most of the problems inside the binary.

use std::fs;

use serde_json::Value;

use crate::check::repository;
use crate::toy_server::{Shape, ToyServer};

/// Starts the server.
pub(super) fn start() -> ToyServer {
    let samples = repository().join("crates/assay-tasks/samples/humaneval/HumanEval.jsonl");
    let problems: Vec<Value> = fs::read_to_string(samples)
        .expect("a file can be read")
        .lines()
        .map(|line| serde_json::from_str(line).expect("it is JSON"))
        .collect();
    ToyServer::serving("qwen2.5-coder", Shape::Vllm, None, move |prompt, seed| {
        let field =
            |problem: &Value, name: &str| problem[name].as_str().unwrap_or_default().to_owned();
        let begun = |problem: &Value| prompt.contains(field(problem, "prompt").trim());
        let Some(at) = problems.iter().position(begun) else { return format!("{seed} 7") };
        let (head, body) =
            (field(&problems[at], "prompt"), field(&problems[at], "canonical_solution"));
        // It gets every fourth one wrong.
        let body = if at % 4 == 2 { "    return None\n" } else { &body };
        format!("Here is the function:\n\n```python\n{head}{body}```\n")
    })
}
