//! `local:PATH`: a model server that lives as long as a run, with servers that misbehave.

#![expect(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

mod common;

use std::fs::{self, File};
use std::os::unix::fs::{PermissionsExt, symlink};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use common::{CommandOutput, assay, files, json, runs};
use rustix::process::{Pid, Signal, kill_process};
use tempfile::TempDir;

const FAKE: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/servers/fake.py");
/// The time after which a sign is not waited for any more.
const PATIENCE: Duration = Duration::from_mins(2);
/// The time within which nothing may be left.
const SOON: Duration = Duration::from_secs(2);

/// A folder with weights, and a server for them.
struct Scene {
    folder: TempDir,
}

impl Scene {
    fn new() -> Self {
        let folder = tempfile::tempdir().unwrap();
        fs::write(folder.path().join("tiny.gguf"), b"GGUF\x03\0\0\0 and so on").unwrap();
        Self { folder }
    }

    fn path(&self) -> &Path {
        self.folder.path()
    }

    fn read(&self, name: &str) -> String {
        fs::read_to_string(self.path().join(name)).unwrap_or_default()
    }

    fn count(&self, name: &str) -> usize {
        self.read(name).lines().count()
    }

    /// The template of a fake server with further options.
    fn template(further: &str) -> String {
        format!("python3 {FAKE} --model {{model}} --port {{port}} {further}")
    }

    /// A run of the sample of HumanEval.
    fn command(&self, server: Option<&str>, further: &[&str]) -> Command {
        let mut command = assay(self.path());
        command.args(["run", "humaneval", "--data", "sample", "-s", "local:tiny.gguf"]);
        command.args(["--json", "-j", "1"]);
        if let Some(template) = server {
            command.args(["--server-command", template, "--slots", "1"]);
        }
        command.args(further).env("FAKE_STATE", self.path()).stdin(Stdio::null());
        command.env("ASSAY_API_KEY", "another-key-1").env("OPENAI_API_KEY", "another-key-2");
        command
    }

    fn run(&self, server: &str, further: &[&str]) -> CommandOutput {
        self.command(Some(&Self::template(server)), further).output().unwrap().into()
    }

    /// Starts a run whose messages go to a file.
    fn start(&self, server: &str) -> Child {
        let stderr = File::create(self.path().join("stderr")).unwrap();
        let mut command = self.command(Some(&Self::template(server)), &["--no-cache"]);
        command.env("TMPDIR", self.path()).stdout(Stdio::null()).stderr(stderr).spawn().unwrap()
    }

    fn resume(&self) -> CommandOutput {
        let record = runs(self.path()).remove(0);
        let mut command = assay(self.path());
        command.args(["run", "--resume"]).arg(record).args(["--json", "--no-cache"]);
        command.env("FAKE_STATE", self.path()).stdin(Stdio::null()).output().unwrap().into()
    }

    /// The processes of the server, when all are there.
    fn family(&self) -> Vec<u32> {
        wait_for("the server's family", || {
            let pids: Vec<u32> =
                self.read("pids").lines().filter_map(|line| line.parse().ok()).collect();
            (pids.len() == 2).then_some(pids)
        })
    }

    /// Fails if a key is anywhere: in files of the run or the cache, or in what was said.
    fn no_key_is_left(&self, said: &str) {
        let keys = self.read("keys");
        let keys: Vec<&str> = keys.lines().collect();
        assert!(!keys.is_empty() && keys.iter().all(|key| key.len() == 64), "{keys:?}");
        for key in keys {
            assert!(!said.contains(key), "{said}");
            for (path, bytes) in files(self.path()) {
                let is_fakes = path == Path::new("keys");
                let has_key = String::from_utf8_lossy(&bytes).contains(key);
                assert!(!has_key || is_fakes, "{}", path.display());
            }
        }
    }
}

fn wait_for<T>(what: &str, mut find: impl FnMut() -> Option<T>) -> T {
    let since = Instant::now();
    loop {
        if let Some(found) = find() {
            return found;
        }
        assert!(since.elapsed() < PATIENCE, "{what} did not come");
        thread::sleep(Duration::from_millis(5));
    }
}

fn is_gone(pid: u32) -> bool {
    let stat = fs::read_to_string(format!("/proc/{pid}/stat")).unwrap_or_default();
    // A zombie that nobody has reaped yet counts as gone.
    stat.rsplit_once(')').is_none_or(|(_, rest)| rest.trim_start().starts_with('Z'))
}

fn all_gone_soon(pids: &[u32]) {
    let since = Instant::now();
    while !pids.iter().all(|&pid| is_gone(pid)) {
        assert!(since.elapsed() < SOON, "{pids:?}: some live on");
        thread::sleep(Duration::from_millis(5));
    }
}

fn signature(folder: &Path, number: usize) -> String {
    let manifest = fs::read(runs(folder).remove(number).join("run.json")).unwrap();
    let manifest: serde_json::Value = serde_json::from_slice(&manifest).unwrap();
    manifest["signature"].as_str().unwrap().to_owned()
}

#[test]
fn a_server_is_started_once_asked_everything_and_ended() {
    let scene = Scene::new();
    let output = scene.run("--family", &["--api", "chat"]);
    assert_eq!(output.code, 0, "{output:?}");
    let results = json(&output);
    let replies = results["replies"]["replies"].as_u64().unwrap();
    assert!(replies > 0 && replies == scene.count("requests") as u64, "{results}");
    assert_eq!(scene.count("starts"), 1);
    assert!(output.err.contains("starting command python3"), "{}", output.err);
    assert!(output.err.contains("ready after"), "{}", output.err);
    all_gone_soon(&scene.family());
    scene.no_key_is_left(&(output.err + &output.out));
    assert_eq!(scene.read("others").trim(), "", "keys of other servers are none of its business");
    // Nothing that anybody can list has the key.
    let key = scene.read("keys");
    assert!(!scene.read("arguments").contains(key.trim()));
}

#[test]
fn the_same_weights_have_one_signature_and_one_cache_at_any_port() {
    let scene = Scene::new();
    let first = scene.run("", &[]);
    assert_eq!(first.code, 0, "{first:?}");
    let asked = scene.count("requests");
    assert!(asked > 0);
    fs::create_dir(scene.path().join("elsewhere")).unwrap();
    fs::rename(scene.path().join("tiny.gguf"), scene.path().join("elsewhere/tiny.gguf")).unwrap();
    let second = scene.run("", &["-s", "local:elsewhere/tiny.gguf"]);
    // The first solver's weights are gone.
    assert_eq!(second.code, 3, "{second:?}");
    assert!(second.err.contains("tiny.gguf"), "{second:?}");
    let mut command = assay(scene.path());
    command.args(["run", "humaneval", "--data", "sample", "-s", "local:elsewhere/tiny.gguf"]);
    command.args(["--json", "--slots", "1", "--server-command", &Scene::template("")]);
    let third: CommandOutput = command.env("FAKE_STATE", scene.path()).output().unwrap().into();
    assert_eq!(third.code, 0, "{third:?}");
    assert_eq!(scene.count("requests"), asked, "every reply is in the cache");
    assert_eq!(scene.count("starts"), 1, "without a question there is no server");
    assert_eq!(signature(scene.path(), 0), signature(scene.path(), 1));
    for part in ["local:tiny,", "server=command-", "weights=", "threads=", "slots=", "context="] {
        assert!(signature(scene.path(), 0).contains(part), "{part}");
    }
    let known = signature(scene.path(), 0);
    fs::write(scene.path().join("tiny.gguf"), b"GGUF\x03\0\0\0 other weights").unwrap();
    assert_eq!(scene.run("", &[]).code, 0);
    // Runs of the same second are in any order.
    assert!((0..3).any(|at| signature(scene.path(), at) != known));
    assert_eq!(scene.count("requests"), 2 * asked);
}

#[test]
fn llama_server_on_the_path_is_used() {
    let scene = Scene::new();
    let bin = scene.path().join("bin");
    fs::create_dir(&bin).unwrap();
    let python = python();
    let script = format!("#!/bin/sh\nexec {} {FAKE} \"$@\"\n", python.display());
    fs::write(bin.join("llama-server"), script).unwrap();
    let mode = fs::Permissions::from_mode(0o755);
    fs::set_permissions(bin.join("llama-server"), mode).unwrap();
    // Answers are graded with an interpreter too.
    let pythons = python.parent().unwrap().display();
    let path = format!("{}:{pythons}:/usr/bin:/bin", bin.display());
    let mut command = scene.command(None, &["--threads", "3", "--slots", "2", "--context", "512"]);
    let output: CommandOutput = command.env("PATH", path).output().unwrap().into();
    assert_eq!(output.code, 0, "{output:?}");
    let arguments = scene.read("arguments");
    assert!(
        arguments.contains("--threads 3 --parallel 2 --ctx-size 1024"),
        "the context is shared by the slots: {arguments}"
    );
    let signature = signature(scene.path(), 0);
    for part in ["server=llama-server-4242-(fake)", "threads=3,slots=2,context=512"] {
        assert!(signature.contains(part), "{signature}");
    }
    scene.no_key_is_left(&(output.err + &output.out));
}

/// The interpreter itself: the tests change `PATH`, where a version manager may have put a script.
fn python() -> PathBuf {
    #[expect(clippy::disallowed_methods, reason = "asks the interpreter of this machine")]
    let said = Command::new("python3").args(["-c", "import sys; print(sys.executable)"]).output();
    PathBuf::from(String::from_utf8(said.unwrap().stdout).unwrap().trim())
}

#[test]
fn where_no_server_is_found_the_cure_is_named() {
    let scene = Scene::new();
    let bin = scene.path().join("bin");
    fs::create_dir(&bin).unwrap();
    symlink(python(), bin.join("python3")).unwrap();
    let mut command = scene.command(None, &[]);
    let output: CommandOutput = command.env("PATH", &bin).output().unwrap().into();
    assert_eq!(output.code, 3, "{output:?}");
    assert!(output.err.contains("error: no program here can serve a model in GGUF"), "{output:?}");
    for cure in ["pip install xllamacpp", "llama-server", "--server-command"] {
        assert!(output.err.contains(cure), "{output:?}");
    }
    assert!(!scene.path().join("runs").exists(), "nothing has begun");
}

#[test]
fn a_server_that_does_not_start_is_quoted_without_its_key() {
    let scene = Scene::new();
    let output = scene.run("--fail 'bad magic'", &[]);
    assert_eq!(output.code, 1, "{output:?}");
    for part in ["the model server did not start", "exit status: 3", "bad magic: [secret]"] {
        assert!(output.err.contains(part), "{part}: {}", output.err);
    }
    assert_eq!(scene.count("starts"), 1, "trying again would not help");
    scene.no_key_is_left(&output.err);
}

#[test]
fn a_server_that_never_gets_ready_is_given_up() {
    let scene = Scene::new();
    let output = scene.run("--deaf --family", &["--server-start-limit", "1.5"]);
    assert_eq!(output.code, 1, "{output:?}");
    assert!(output.err.contains("was not ready within 1.5 s"), "{}", output.err);
    assert!(output.err.contains("--server-start-limit"), "{}", output.err);
    // On a slow machine it may not have come as far as to start its own.
    let pids = scene.read("pids");
    all_gone_soon(&pids.lines().filter_map(|line| line.parse().ok()).collect::<Vec<u32>>());
}

#[test]
fn a_server_that_dies_is_started_again_and_nothing_is_lost() {
    let scene = Scene::new();
    let whole = scene.run("", &["--no-cache"]);
    let asked = scene.count("requests");
    let again = Scene::new();
    let output = again.run("--die-after 2 --deaths 3", &["--no-cache"]);
    assert_eq!(output.code, 0, "{output:?}");
    assert!(output.err.contains("it is started again (1 of 5)"), "{}", output.err);
    assert!(output.err.contains("out of memory, and the key is [secret]"), "{}", output.err);
    assert_eq!(json(&output)["counts"], json(&whole)["counts"]);
    let deaths = again.count("starts") - 1;
    assert!(deaths > 0);
    assert_eq!(again.count("requests"), asked + deaths, "a reply is asked for once");
    again.no_key_is_left(&output.err);
}

#[test]
fn a_server_that_dies_again_and_again_ends_the_run_which_can_be_resumed() {
    let scene = Scene::new();
    let output = scene.run("--die-after 1 --deaths 6", &["--no-cache", "-L", "3", "-n", "4"]);
    assert_eq!(output.code, 1, "{output:?}");
    assert!(output.err.contains("the model server died 6 times"), "{}", output.err);
    assert!(output.err.contains("assay run --resume"), "{}", output.err);
    assert_eq!(scene.count("starts"), 6);
    let resumed = scene.resume();
    assert_eq!(resumed.code, 0, "{resumed:?}");
    assert_eq!(json(&resumed)["replies"]["replies"], 12);
    // Six replies came before, and six requests killed the server.
    assert_eq!(scene.count("requests"), 12 + 6);
}

#[test]
fn however_assay_ends_its_server_ends_too() {
    for (name, code) in [("INT", Some(130)), ("TERM", Some(130)), ("KILL", None)] {
        let scene = Scene::new();
        let mut child = scene.start("--family --slow 600");
        let pids = scene.family();
        wait_for("the server", || scene.read("stderr").contains("ready after").then_some(()));
        let signal = match name {
            "INT" => Signal::INT,
            "TERM" => Signal::TERM,
            _ => Signal::KILL,
        };
        kill_process(Pid::from_child(&child), signal).unwrap();
        let status = wait_for("its end", || child.try_wait().unwrap());
        assert_eq!(status.code(), code, "{name}: {}", scene.read("stderr"));
        all_gone_soon(&pids);
    }
}

#[test]
fn an_interrupt_while_the_server_starts_ends_it_at_once() {
    let scene = Scene::new();
    let mut child = scene.start("--family --deaf");
    let pids = scene.family();
    for _ in 0..2 {
        let _ = kill_process(Pid::from_child(&child), Signal::INT);
    }
    let status = wait_for("its end", || child.try_wait().unwrap());
    assert_eq!(status.code(), Some(130), "{}", scene.read("stderr"));
    all_gone_soon(&pids);
}

#[test]
fn somebody_elses_record_starts_no_server_unasked() {
    let scene = Scene::new();
    let output = scene.run("", &["-L", "2"]);
    assert_eq!(output.code, 0, "{output:?}");
    let record = runs(scene.path()).remove(0);
    fs::remove_file(record.join("results.json")).unwrap();
    fs::remove_file(record.join("answers.jsonl")).unwrap();
    fs::remove_file(record.join("verdicts.jsonl")).unwrap();
    let starts = scene.count("starts");
    let resume = |further: &[&str]| -> CommandOutput {
        let mut command = assay(scene.path());
        command.args(["run", "--resume"]).arg(&record).args(further);
        // Another user has another list of started runs.
        command.env("XDG_STATE_HOME", scene.path().join("other"));
        command.env("FAKE_STATE", scene.path()).stdin(Stdio::null()).output().unwrap().into()
    };
    let output = resume(&["--no-cache"]);
    assert_eq!(output.code, 3, "{output:?}");
    assert!(output.err.contains("--server") || output.err.contains("fake.py"), "{output:?}");
    assert_eq!(scene.count("starts"), starts);
    assert_eq!(resume(&["--trust", "--no-cache"]).code, 0);
    assert_eq!(scene.count("starts"), starts + 1);
}

#[test]
fn whether_replies_repeat_is_tested_and_told() {
    for (server, same) in [("", 10), ("--drift", 0)] {
        let scene = Scene::new();
        let output = scene.run(server, &["--deterministic", "--api", "completion"]);
        assert_eq!(output.code, 0, "{output:?}");
        let results = json(&output);
        let tried = results["replies"]["replies"].as_u64().unwrap().min(10);
        let same = tried.min(same);
        let repeated = serde_json::json!({"tried": tried, "same": same});
        assert_eq!(results["replies"]["repeated"], repeated, "{results}");
        let said = if same == 0 { "got another reply" } else { "the same reply each time" };
        assert!(output.err.contains(said), "{}", output.err);
        let asked = results["replies"]["replies"].as_u64().unwrap() + tried;
        assert_eq!(scene.count("requests") as u64, asked, "the cache is not asked");
    }
    // Who did not ask for it is told nothing.
    let scene = Scene::new();
    let output = scene.run("--drift", &[]);
    assert!(json(&output)["replies"].get("repeated").is_none(), "{output:?}");
}
