//! The code in replies of chats, found by assay and by EvalPlus's `sanitize`: how many of the programs pass.
//!
//! `--prelude typing` keeps imports that a reply leaves out from deciding. Every difference is kept by name.

use std::collections::BTreeSet;

use serde_json::{Value, json};

use super::{Bench, Rows, venv_with_dependencies};
use crate::shell::{root, run};

const PACKAGE: &str = "evalplus==0.3.1";
const WIZARD: &str = "model_outputs/wizardcoder-15b.humaneval.59.8.gen.zip";
const MAPCODER: &str = "model_outputs/mapcoder-chatgpt.tar.zst";

/// The replies of a model, with the task that they answer.
struct Replies {
    name: &'static str,
    /// The shape of the file, as the opponent calls it.
    shape: &'static str,
    file: &'static str,
    task: &'static str,
    data: &'static str,
}

const HUMANEVAL: &str = "humaneval/HumanEval.jsonl.gz";

const REPLIES: [Replies; 4] = [
    Replies {
        name: "WizardCoder-15B on HumanEval",
        shape: "wizard",
        file: "T0.0_N1_reproduce.results.59.8.jsonl",
        task: "humaneval",
        data: HUMANEVAL,
    },
    Replies {
        name: "ChatGPT, chain of thought, on HumanEval",
        shape: "mapcoder",
        file: "ChatGPT/HumanEval/ChatGPT-CoT-Python3-0-1.jsonl",
        task: "humaneval",
        data: HUMANEVAL,
    },
    Replies {
        name: "ChatGPT, by analogy, on HumanEval",
        shape: "mapcoder",
        file: "ChatGPT/HumanEval/ChatGPT-Analogical-Python3-0-1.jsonl",
        task: "humaneval",
        data: HUMANEVAL,
    },
    Replies {
        name: "ChatGPT, by analogy, on MBPP",
        shape: "mapcoder",
        file: "ChatGPT/MBPP/ChatGPT-Analogical-MBPP-Python3-0-1.jsonl",
        task: "mbpp-sanitized",
        data: "mbpp/sanitized-mbpp.json",
    },
];

pub(super) fn run_all(bench: &Bench) -> Result<Rows, String> {
    let python = venv_with_dependencies(PACKAGE)?;
    let folder = bench.unpacked(MAPCODER)?;
    let path = |name: &str| folder.join(name).display().to_string();
    let wizard = bench.data.join(WIZARD).display().to_string();
    run(&python, &["-m", "zipfile", "-e", &wizard, &path("")])?;
    let opponent = root().join("benches/opponents/extract_sanitize.py").display().to_string();
    let mut rows = Rows::new();
    for Replies { name, shape, file, task, data } in &REPLIES {
        let into = path(task);
        run(&python, &[&opponent, shape, &path(file), &into])?;
        let data = bench.data.join(data).display().to_string();
        let graded = |kind: &str, more: &[&str]| {
            let answers = format!("{into}.{kind}.jsonl");
            let verdicts = format!("{into}.{kind}.verdicts");
            let fixed = ["score", task, &answers, "--data", &data, "--prelude", "typing"];
            let options = ["--json", "--verdicts", &verdicts];
            let results = bench.json(&[&fixed[..], &options[..], more].concat())?;
            passed(&verdicts).map(|passed| (passed, results))
        };
        let (ours, results) = graded("replies", &["--extract", "code"])?;
        let (theirs, _) = graded("sanitized", &[])?;
        let row = json!({
            "of": results["extracted"]["answers"],
            "rule": results["extracted"]["rule"],
            "assay": ours.len(),
            "evalplus": theirs.len(),
            "only_assay": ours.difference(&theirs).collect::<Vec<_>>(),
            "only_evalplus": theirs.difference(&ours).collect::<Vec<_>>(),
        });
        rows.insert((*name).to_owned(), row);
    }
    Ok(rows)
}

/// The problems that passed.
fn passed(verdicts: &str) -> Result<BTreeSet<String>, String> {
    let text = std::fs::read_to_string(verdicts).map_err(|error| format!("{verdicts}: {error}"))?;
    let mut passed = BTreeSet::new();
    for line in text.lines() {
        let verdict: Value = serde_json::from_str(line).map_err(|error| error.to_string())?;
        if verdict["outcome"] == "passed" {
            passed.insert(verdict["problem"].as_str().unwrap_or_default().to_owned());
        }
    }
    Ok(passed)
}
