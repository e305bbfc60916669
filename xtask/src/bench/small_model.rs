//! A small model, end to end: SmolLM2-135M-Instruct on a server (`http:`) and from disk (`local:`).
//!
//! A run takes an hour on two busy cores. So each has its folder in `target/bench-small-model`, and one that was interrupted
//! is resumed; remove the folder to measure again.

use std::io::{BufRead, BufReader};
use std::path::{Path, PathBuf};
use std::process::{Child, Stdio};

use serde_json::{Value, json};

use super::{Bench, Rows};
use crate::shell::{command, print, root};

/// The runs: task, API, way to the weights, and the number of problems if not all are asked.
const RUNS: &[(&str, &str, &str, Option<u32>)] = &[
    ("humaneval", "chat", "http", None),
    ("humaneval", "completion", "http", None),
    ("humaneval", "chat", "local", None),
    ("humaneval", "completion", "local", None),
    ("mbpp", "chat", "http", Some(100)),
    ("mbpp", "completion", "http", Some(100)),
    ("mbpp", "chat", "local", Some(100)),
    ("mbpp", "completion", "local", Some(100)),
];
const WEIGHTS: &str = "SmolLM2-135M-Instruct.Q4_1.gguf";
const MAX_TOKENS: &str = "384";
const CONTEXT: &str = "4096";

pub(super) fn run(bench: &Bench) -> Result<Rows, String> {
    let models = root().join("target/models");
    let weights = models.join(WEIGHTS);
    if !weights.exists() {
        return Err("xtask: there is no model; `cargo xtask test` installs it".to_owned());
    }
    let (_server, url) = serve(&models, &weights)?;
    let mut rows = Rows::new();
    for &(task, api, way, limit) in RUNS {
        let solver = match way {
            "http" => format!("http:smollm2@{url}"),
            _ => format!("local:{}", weights.display()),
        };
        let count = limit.map_or(String::new(), |limit| format!(", first {limit}"));
        let name = format!("{task}{count}, {api}, {way}");
        rows.insert(name.clone(), row(bench, &name, (task, api, limit), &solver)?);
    }
    Ok(rows)
}

/// A server that ends with this value.
struct Server(Child);

impl Drop for Server {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

fn serve(models: &Path, weights: &Path) -> Result<(Server, String), String> {
    let python = models.join("venv/bin/python3").display().to_string();
    let script = "crates/assay/tests/servers/real.py";
    let mut server = command(&python, &[script, &weights.display().to_string(), CONTEXT]);
    let mut child = server
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .map_err(|error| format!("xtask: {python}: {error}"))?;
    let mut port = String::new();
    let stdout = child.stdout.take().ok_or("xtask: the server has no output")?;
    let read = BufReader::new(stdout).read_line(&mut port);
    read.map_err(|error| format!("xtask: the server did not start: {error}"))?;
    Ok((Server(child), format!("http://127.0.0.1:{}", port.trim())))
}

/// The figures of a run, with its command and its warnings.
fn row(
    bench: &Bench,
    name: &str,
    (task, api, limit): (&str, &str, Option<u32>),
    solver: &str,
) -> Result<Value, String> {
    let folder =
        root().join("target/bench-small-model").join(name.replace(", ", "-").replace(' ', "-"));
    let limit = limit.map(|limit| limit.to_string());
    let mut words = vec!["run", task, "--solver", solver, "--api", api, "--deterministic"];
    words.extend(["--max-tokens", MAX_TOKENS]);
    if solver.starts_with("local:") {
        words.extend(["--context", CONTEXT, "--threads", "1"]);
    }
    words.extend(limit.iter().flat_map(|limit| ["-L", limit.as_str()]));
    let shown = words.join(" ").replace(&root().display().to_string(), ".");
    let started = run_folder(&folder);
    let place = started.as_ref().unwrap_or(&folder).display().to_string();
    let words = match started {
        Some(_) => vec!["run", "--resume", &place, "--json"],
        None => [&words[..], &["--output", &place, "--json"]].concat(),
    };
    print(&format!("\n{name}: assay {}", words.join(" ")));
    let output = command(&bench.assay.display().to_string(), &words)
        // Not by `PATH`: answers are graded with the usual Python.
        .env("PYTHONPATH", packages()?)
        .stderr(Stdio::piped())
        .output()
        .map_err(|error| error.to_string())?;
    let said = String::from_utf8_lossy(&output.stderr);
    let results: Value = serde_json::from_slice(&output.stdout)
        .map_err(|error| format!("xtask: {name}: {error}\n{said}"))?;
    let warnings: Vec<&str> = said.lines().filter(|line| line.starts_with("warning:")).collect();
    Ok(figures(&results, &format!("assay {shown}"), &warnings))
}

/// The folder of the server's package.
fn packages() -> Result<PathBuf, String> {
    let folder = root().join("target/models/venv/lib");
    let failed = |error| format!("xtask: {}: {error}", folder.display());
    let mut versions = std::fs::read_dir(&folder).map_err(failed)?.flatten();
    let version = versions.next().ok_or("xtask: the virtual environment is empty")?;
    Ok(version.path().join("site-packages"))
}

/// The folder of a run that was started before.
fn run_folder(parent: &Path) -> Option<PathBuf> {
    let mut entries = std::fs::read_dir(parent).ok()?.flatten();
    entries.find_map(|entry| entry.path().join("run.json").exists().then(|| entry.path()))
}

fn figures(results: &Value, command: &str, warnings: &[&str]) -> Value {
    let (metric, replies) = (&results["metrics"]["pass@1"], &results["replies"]);
    let passed =
        metric["value"].as_f64().unwrap_or(f64::NAN) * metric["n"].as_f64().unwrap_or(f64::NAN);
    json!({
        "command": command,
        "problems": metric["n"],
        "passed": passed.round(),
        "empty": replies["empty"],
        "cut_by_length": replies["cut_by_length"],
        "fenced": replies["fenced"],
        "tokens_written": replies["completion_tokens"],
        "repeated": replies["repeated"],
        "warnings": warnings,
    })
}
