//! The key of a model server: it is sent to that server, and appears nowhere else.

#![expect(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

mod common;

use std::fs;
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::Duration;

use assay_testserver::{Dialect, Mischief, Plan, ServerSettings, TestServer};
use common::models::{asking, of_sample, server, start};
use common::{assay, files, runs};
use tempfile::{TempDir, tempdir};

/// A key whose parts are no words of anything else.
const KEY: &str = "sk-Xq7/zW4-vK9pLm2RtY8";
/// As much of it as nobody may see.
const PART: &str = "zW4-vK9pLm";

fn has_key(bytes: &[u8]) -> bool {
    bytes.windows(PART.len()).any(|window| window == PART.as_bytes())
}

/// Everything that a command left: its output, its log and every file in its folder.
fn search(folder: &Path, output: &std::process::Output) {
    assert!(!has_key(&output.stdout), "{}", String::from_utf8_lossy(&output.stdout));
    assert!(!has_key(&output.stderr), "{}", String::from_utf8_lossy(&output.stderr));
    for (path, content) in files(folder) {
        assert!(!has_key(&content), "{}: {}", path.display(), String::from_utf8_lossy(&content));
    }
}

fn echoing(plan: Plan, dialect: Dialect) -> (TempDir, TestServer) {
    let stored = of_sample("humaneval", 4);
    let settings = ServerSettings {
        key: Some(KEY.to_owned()),
        echoes_key: true,
        plan,
        dialect,
        ..ServerSettings::new(stored.chats())
    };
    (tempdir().unwrap(), start(settings))
}

#[test]
fn a_key_that_the_server_sends_back_is_removed() {
    let stored = of_sample("humaneval", 4);
    let mut found = 0;
    for dialect in [Dialect::LlamaCpp, Dialect::Vllm] {
        for more in
            [&["-vvv"][..], &["-vvv", "--stream"], &["--stream", "--samples-per-request", "2"]]
        {
            let plan = Plan { seed: 5, share: 0.3, kinds: Mischief::passing(), most: 1 };
            let (folder, server) = echoing(plan, dialect);
            let mut command = asking(folder.path(), &stored, &server, more);
            let output = command.env("ASSAY_API_KEY", KEY).output().unwrap();
            assert_eq!(output.status.code(), Some(0), "{output:?}");
            search(folder.path(), &output);
            let answers = fs::read_to_string(runs(folder.path())[0].join("answers.jsonl")).unwrap();
            found += answers.matches("[secret]").count();
        }
    }
    assert!(found >= 6 * stored.len() * 4, "the server did send it: {found}");
}

#[test]
fn a_key_is_in_no_error() {
    let stored = of_sample("humaneval", 1);
    for (plan, key) in [
        (Plan::well(), "sk-Other-zW4-vK9pLm2RtY8"),
        (Plan::first(99, Mischief::Status(400, assay_testserver::Wait::Unsaid)), KEY),
        (Plan::first(99, Mischief::Redirect(format!("http://localhost:1/{KEY}"))), KEY),
    ] {
        for stream in [&["-vvv"][..], &["-vvv", "--stream"]] {
            let (folder, server) = echoing(plan.clone(), Dialect::LlamaCpp);
            let mut command = asking(folder.path(), &stored, &server, stream);
            let output = command.env("MY_KEY", key).args(["--api-key-env", "MY_KEY"]).output();
            let output = output.unwrap();
            assert_eq!(output.status.code(), Some(1), "{output:?}");
            search(folder.path(), &output);
        }
    }
}

#[test]
fn a_key_is_not_sent_to_another_server() {
    let stored = of_sample("humaneval", 1);
    let elsewhere = server(stored.chats(), Plan::well());
    let redirect = Mischief::Redirect(format!("{}/v1/chat/completions", elsewhere.url()));
    let (folder, server) = echoing(Plan::first(99, redirect), Dialect::LlamaCpp);
    let output = asking(folder.path(), &stored, &server, &[]).env("ASSAY_API_KEY", KEY).output();
    search(folder.path(), &output.unwrap());
    assert_eq!(elsewhere.log().connections, 0);
}

/// The command lines and environments of a process's descendants, and its own command line.
fn processes(pid: u32) -> Vec<(u32, Vec<u8>)> {
    let command = |pid: u32| fs::read(format!("/proc/{pid}/cmdline")).unwrap_or_default();
    let own = command(pid);
    let mut found = Vec::new();
    let mut next = vec![pid];
    while let Some(at) = next.pop() {
        let mut seen = command(at);
        // A process with the same words is assay itself, which has not become another program yet.
        if seen != own {
            seen.extend(fs::read(format!("/proc/{at}/environ")).unwrap_or_default());
        }
        found.push((at, seen));
        let threads = fs::read_dir(format!("/proc/{at}/task")).into_iter().flatten().flatten();
        for thread in threads {
            let children = fs::read_to_string(thread.path().join("children")).unwrap_or_default();
            next.extend(children.split_whitespace().map(|pid| pid.parse::<u32>().unwrap()));
        }
    }
    found
}

/// Watches a command until it ends; returns the greatest number of processes that were seen.
fn watch(command: &mut Command) -> usize {
    let mut child = command.stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap();
    let mut most = 0;
    while child.try_wait().unwrap().is_none() {
        let seen = processes(child.id());
        most = most.max(seen.len());
        for (pid, bytes) in seen {
            assert!(!has_key(&bytes), "{pid}: {}", String::from_utf8_lossy(&bytes));
        }
    }
    most
}

#[test]
fn a_key_is_in_no_process_list() {
    let stored = of_sample("humaneval", 4);
    let settings = ServerSettings {
        key: Some(KEY.to_owned()),
        pause: Duration::from_millis(20),
        ..ServerSettings::new(stored.chats())
    };
    let (folder, server) = (tempdir().unwrap(), start(settings));
    for (name, more) in
        [("ASSAY_API_KEY", &[][..]), ("MY_KEY", &["--api-key-env", "MY_KEY", "--no-cache"][..])]
    {
        let mut command = asking(folder.path(), &stored, &server, more);
        assert!(watch(command.env(name, KEY)) > 1, "programs were run");
    }
    // A solver's command does not see assay's key, but the one that it may need itself.
    fs::write(folder.path().join("solver.sh"), "sleep 1; cat > /dev/null; env > seen.txt\n")
        .unwrap();
    let mut command = assay(folder.path());
    command.args(["run", "humaneval", "--data", "sample", "--solver", "program:sh solver.sh"]);
    command.env("ASSAY_API_KEY", KEY).env("OPENAI_API_KEY", "of-its-own");
    assert!(watch(&mut command) > 1);
    let seen = fs::read_to_string(folder.path().join("seen.txt")).unwrap();
    assert!(seen.contains("OPENAI_API_KEY=of-its-own\n"), "{seen}");
    for (path, content) in files(folder.path()) {
        assert!(!has_key(&content), "{}", path.display());
    }
}
