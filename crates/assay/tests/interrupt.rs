//! Ctrl-C: the first one ends the work within a second and keeps what is done, the second one leaves nothing behind.

#![expect(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

mod common;

use std::collections::BTreeSet;
use std::fs::{self, File};
use std::io::{self, Read, Write};
use std::path::Path;
use std::process::{Child, ExitStatus, Stdio};
use std::sync::{Arc, Mutex};
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

use common::{CommandOutput, assay, run};
use rustix::process::{Pid, Signal, kill_process};
use serde_json::{Value, json};
use tempfile::{TempDir, tempdir};

/// The time after which a sign is not waited for any more.
const PATIENCE: Duration = Duration::from_mins(2);
/// The time within which everything must have ended, on a machine that does other things too. An endless program of
/// these tests goes on for ten minutes.
const SOON: Duration = Duration::from_secs(10);

/// A process under test.
struct Started {
    child: Child,
    stderr: Arc<Mutex<String>>,
    reader: JoinHandle<()>,
}

impl Started {
    fn new(folder: &Path, arguments: &[&str], stdin: Stdio, stdout: Stdio) -> Self {
        let mut command = assay(folder);
        command.args(arguments).env("TMPDIR", folder).stdin(stdin).stdout(stdout);
        let mut child = command.stderr(Stdio::piped()).spawn().unwrap();
        let mut pipe = child.stderr.take().unwrap();
        let stderr = Arc::<Mutex<String>>::default();
        let text = Arc::clone(&stderr);
        let reader = thread::spawn(move || {
            let mut chunk = [0; 4096];
            while let Ok(count @ 1..) = pipe.read(&mut chunk) {
                text.lock().unwrap().push_str(&String::from_utf8_lossy(&chunk[..count]));
            }
        });
        Self { child, stderr, reader }
    }

    fn said(&self) -> String {
        self.stderr.lock().unwrap().clone()
    }

    fn pid(&self) -> u32 {
        self.child.id()
    }

    fn send(&self, signal: Signal) {
        kill_process(Pid::from_child(&self.child), signal).unwrap();
    }

    /// Waits for its end, which must come soon.
    fn ends(mut self) -> (ExitStatus, String) {
        let since = Instant::now();
        let status = loop {
            match self.child.try_wait().unwrap() {
                Some(status) => break status,
                None if since.elapsed() > SOON => {
                    self.child.kill().unwrap();
                    panic!("it goes on: {}", self.said());
                }
                None => thread::sleep(Duration::from_millis(10)),
            }
        };
        self.reader.join().unwrap();
        let said = self.stderr.lock().unwrap().clone();
        (status, said)
    }

    /// Interrupts it and waits for its end.
    fn interrupted(self) -> String {
        let processes = descendants(self.pid());
        self.send(Signal::INT);
        let (status, said) = self.ends();
        assert_eq!(status.code(), Some(130), "{said}");
        wait_for("the end of all processes", || processes.iter().all(|&pid| is_gone(pid)));
        said
    }
}

/// Waits for a sign.
fn wait_for(what: &str, mut is_there: impl FnMut() -> bool) {
    let since = Instant::now();
    while !is_there() {
        assert!(since.elapsed() < PATIENCE, "{what} did not come");
        thread::sleep(Duration::from_millis(10));
    }
}

/// The fields of `/proc/PID/stat` after the name; none if there is no such process.
fn stat(pid: u32) -> Vec<String> {
    let text = fs::read_to_string(format!("/proc/{pid}/stat")).unwrap_or_default();
    let after_name = text.rsplit_once(')').map_or("", |(_, rest)| rest);
    after_name.split_whitespace().map(str::to_owned).collect()
}

/// A zombie that nobody has reaped yet counts as gone.
fn is_gone(pid: u32) -> bool {
    stat(pid).first().is_none_or(|state| state == "Z")
}

fn descendants(pid: u32) -> BTreeSet<u32> {
    let names = fs::read_dir("/proc").unwrap().flatten().map(|entry| entry.file_name());
    let pids = names.filter_map(|name| name.to_str()?.parse().ok());
    let parents: Vec<(u32, u32)> =
        pids.filter_map(|pid| Some((pid, stat(pid).get(1)?.parse().ok()?))).collect();
    let (mut found, mut next) = (BTreeSet::new(), vec![pid]);
    while let Some(pid) = next.pop() {
        let children = parents.iter().filter(|(_, parent)| *parent == pid);
        next.extend(children.map(|&(child, _)| child).filter(|child| found.insert(*child)));
    }
    found
}

/// An answer to the sample's first problem that does `first` when it is called with "assay".
fn answer(first: &str, number: usize) -> String {
    let completion = format!(
        "    if text == 'assay':\n        {first}\n    return sum(map(text.lower().count, 'aeiou'))  # {number}\n"
    );
    json!({ "task_id": "Sample/1", "completion": completion }).to_string() + "\n"
}

const ENDLESS: &str = "while True: pass";
/// Long enough for the other answers to be graded meanwhile.
const LONG: &str = "import time; time.sleep(6)";

/// A folder with a slow answer, and others.
fn answers(slow: &str) -> TempDir {
    let folder = tempdir().unwrap();
    let wrong = answer("return 7", 100);
    let right: String = (0..5).map(|number| answer("pass", number)).collect();
    fs::write(folder.path().join("s.jsonl"), answer(slow, 99) + &wrong + &right).unwrap();
    folder
}

const SCORE: [&str; 9] =
    ["score", "humaneval", "s.jsonl", "--data", "sample", "--timeout", "600", "-j", "2"];
const VERDICTS: [&str; 2] = ["--verdicts", "v.jsonl"];

fn start_score(folder: &Path, more: &[&str]) -> Started {
    let arguments = [&SCORE[..], more].concat();
    Started::new(folder, &arguments, Stdio::null(), Stdio::null())
}

fn lines(path: &Path) -> usize {
    fs::read_to_string(path).unwrap_or_default().lines().count()
}

/// Starts to score, and waits until all but the slow answer are graded: six, and eleven problems without an answer.
fn score_until_slow(folder: &Path, more: &[&str], partial: &Path) -> Started {
    let started = start_score(folder, more);
    wait_for("all other verdicts", || lines(partial) == 1 + 6 + 11);
    started
}

/// The verdicts without what depends on time.
fn verdicts(path: &Path) -> Vec<Value> {
    let text = fs::read_to_string(path).unwrap();
    let mut verdicts: Vec<Value> =
        text.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    for verdict in &mut verdicts {
        if let Some(evidence) = verdict.get_mut("evidence").and_then(Value::as_object_mut) {
            evidence.retain(|name, _| !["cpu_s", "wall_s", "peak_memory"].contains(&name.as_str()));
        }
    }
    verdicts
}

/// The last lines of an output, which are the results.
fn results(output: &CommandOutput) -> Value {
    assert_eq!(output.code, 5, "eleven problems have no answer: {output:?}");
    serde_json::from_str(&output.out).unwrap()
}

#[test]
fn an_endless_program_is_ended_and_the_verdicts_are_kept() {
    let folder = answers(ENDLESS);
    let partial = folder.path().join("v.jsonl.partial");
    let said = score_until_slow(folder.path(), &VERDICTS, &partial).interrupted();
    let expected = "interrupted with 17 of 18 answers graded; their verdicts are kept in v.jsonl.partial\n\
                    go on with: ";
    assert!(said.contains(expected), "{said}");
    assert!(
        said.trim_end().ends_with("s.jsonl --data sample --timeout 600 -j 2 --verdicts v.jsonl")
    );
    // It goes on, and is interrupted once more.
    let started = start_score(folder.path(), &VERDICTS);
    wait_for("word of the verdicts", || started.said().contains("17 verdicts are taken over"));
    assert!(started.interrupted().contains("interrupted with 17 of 18"));
    assert_eq!(lines(&partial), 18);
    assert!(!folder.path().join("v.jsonl").exists());
}

#[test]
fn a_score_goes_on_and_is_the_same_in_the_end() {
    let folder = answers(LONG);
    let path = |name: &str| folder.path().join(name);
    score_until_slow(folder.path(), &VERDICTS, &path("v.jsonl.partial")).interrupted();
    let arguments = [&SCORE[..], &VERDICTS, &["--json"]].concat();
    let resumed = run(folder.path(), &arguments);
    assert!(resumed.err.contains("17 verdicts are taken over"), "{resumed:?}");
    assert!(!path("v.jsonl.partial").exists());
    fs::rename(path("v.jsonl"), path("resumed.jsonl")).unwrap();
    let whole = run(folder.path(), &arguments);
    assert!(!whole.err.contains("taken over"), "{whole:?}");
    assert_eq!(results(&resumed), results(&whole));
    assert_eq!(verdicts(&path("resumed.jsonl")), verdicts(&path("v.jsonl")));
    assert_eq!(lines(&path("v.jsonl")), 18);
}

#[test]
fn a_killed_score_goes_on_too_also_without_a_file_of_verdicts() {
    let folder = answers(LONG);
    let cached = || {
        let files = fs::read_dir(folder.path().join(".cache/scores")).into_iter().flatten();
        files.map(|file| file.unwrap().path()).collect::<Vec<_>>()
    };
    let started = start_score(folder.path(), &[]);
    wait_for("all other verdicts", || cached().first().is_some_and(|file| lines(file) == 18));
    let processes = descendants(started.pid());
    started.send(Signal::KILL);
    started.ends();
    wait_for("the end of all processes", || processes.iter().all(|&pid| is_gone(pid)));
    let resumed = run(folder.path(), &[&SCORE[..], &["--json"]].concat());
    assert!(resumed.err.contains("17 verdicts are taken over"), "{resumed:?}");
    assert_eq!(results(&resumed)["counts"]["passed"], 6);
    assert_eq!(cached(), Vec::<std::path::PathBuf>::new());
}

#[test]
fn other_answers_or_settings_start_over() {
    let folder = answers(ENDLESS);
    let partial = folder.path().join("v.jsonl.partial");
    score_until_slow(folder.path(), &VERDICTS, &partial).interrupted();
    // Another time limit lets the endless program end.
    let arguments: Vec<&str> = SCORE.into_iter().chain(VERDICTS).collect();
    let arguments: Vec<&str> =
        arguments.into_iter().map(|word| if word == "600" { "1" } else { word }).collect();
    let output = run(folder.path(), &arguments);
    assert!(output.err.contains("grading starts over"), "{output:?}");
    assert_eq!(verdicts(&folder.path().join("v.jsonl"))[0]["outcome"], "timed_out");
    assert!(!partial.exists());
}

#[test]
fn an_interrupted_gold_gate_ends_soon_and_keeps_what_it_found() {
    let folder = tempdir().unwrap();
    let problem = |number: usize, body: &str| {
        json!({ "task_id": format!("T/{number}"), "prompt": "def f():\n", "entry_point": "f",
            "canonical_solution": body, "test": "def check(candidate):\n    assert candidate() == 1\n" })
        .to_string()
            + "\n"
    };
    let quick: String = (1..4).map(|number| problem(number, "    return 1\n")).collect();
    let data = problem(0, "    while True: pass\n") + &quick;
    fs::write(folder.path().join("data.jsonl"), data).unwrap();
    let line = json!({ "task_id": "T/1", "completion": "    return 1\n" }).to_string();
    fs::write(folder.path().join("s.jsonl"), line).unwrap();
    let run_gate = |command: &[&str]| {
        let more = ["-d", "data.jsonl", "--timeout", "600", "-j", "2", "-vv"];
        let arguments = [command, &more].concat();
        let started = Started::new(folder.path(), &arguments, Stdio::null(), Stdio::null());
        // Three programs, each with two that must not pass, and two for the endless one.
        wait_for("the other programs", || {
            let said = started.said();
            said.matches("assay_run::pipeline::grading: graded").count() == 11
                || said.matches("the gate knows").count() == 3
        });
        started.interrupted()
    };
    let said = run_gate(&["score", "humaneval", "s.jsonl"]);
    assert!(said.contains("interrupted with 3 of 4 own programs of the task checked"), "{said}");
    let said = run_gate(&["run", "humaneval", "-s", "program:true"]);
    assert!(said.contains("interrupted with 0 of 4 problems done"), "{said}");
    // What the first one has found is known.
    let said = run_gate(&["score", "humaneval", "s.jsonl"]);
    assert!(said.contains("the gate knows the task's own program"), "{said}");
}

#[test]
fn answers_are_not_waited_for_after_an_interrupt() {
    let folder = tempdir().unwrap();
    let (reader, mut writer) = io::pipe().unwrap();
    let arguments = ["score", "humaneval", "-", "--data", "sample", "-v"];
    let started = Started::new(folder.path(), &arguments, reader.into(), Stdio::null());
    writer.write_all(answer("pass", 0).as_bytes()).unwrap();
    // The handler of the signal is installed when threads besides the main one are there.
    let tasks = format!("/proc/{}/task", started.pid());
    wait_for("the handler", || fs::read_dir(&tasks).is_ok_and(|tasks| tasks.count() > 1));
    assert!(started.interrupted().contains("interrupted: nothing was scored"));
}

/// A pipe that takes nothing more: who prints into it waits.
fn full_pipe() -> (io::PipeReader, io::PipeWriter) {
    use rustix::fs::{OFlags, fcntl_getfl, fcntl_setfl};
    let (reader, mut writer) = io::pipe().unwrap();
    let flags = fcntl_getfl(&writer).unwrap();
    fcntl_setfl(&writer, flags | OFlags::NONBLOCK).unwrap();
    while writer.write(&[b'\n'; 1 << 12]).is_ok() {}
    fcntl_setfl(&writer, flags).unwrap();
    (reader, writer)
}

#[test]
fn a_second_interrupt_leaves_no_process_and_no_folder() {
    let (folder, _) = common::dataset("D", 3000);
    let temporary = tempdir().unwrap();
    // The command prints more than can wait anywhere, so that nobody looks after it.
    let script = "trap '' TERM INT HUP\nsleep 600 & echo $! >> pids\n(trap '' TERM; sleep 600) & echo $! >> pids\n\
                  setsid sh -c 'echo $$ >> pids; exec sleep 600' &\n\
                  echo $$ >> pids\nfor task in \"$1\"/*.txt; do echo \"$task 1\"; done\nwait\n";
    fs::write(folder.path().join("predictor.sh"), script).unwrap();
    let (_reader, writer) = full_pipe();
    let mut command = assay(folder.path());
    command.args(["predict", "D", "--solver", "program:sh predictor.sh"]).stdin(Stdio::null());
    command
        .env("TMPDIR", temporary.path())
        .stdout(writer)
        .stderr(File::create("/dev/null").unwrap());
    let mut child = command.spawn().unwrap();
    let pids = || {
        let text = fs::read_to_string(folder.path().join("pids")).unwrap_or_default();
        text.lines().map(|line| line.parse().unwrap()).collect::<Vec<u32>>()
    };
    wait_for("the command", || pids().len() == 4);
    assert!(temporary.path().read_dir().unwrap().next().is_some());
    let pid = Pid::from_child(&child);
    kill_process(pid, Signal::INT).unwrap();
    // It cannot end: it waits for a reader. A signal that is not taken yet would swallow the second.
    let status = format!("/proc/{}/status", child.id());
    let is_taken = |text: String| {
        let pending = text.lines().find_map(|line| line.strip_prefix("ShdPnd:"));
        pending.is_some_and(|set| set.trim().chars().all(|digit| digit == '0'))
    };
    wait_for("the first signal", || fs::read_to_string(&status).is_ok_and(is_taken));
    thread::sleep(Duration::from_millis(100));
    assert!(child.try_wait().unwrap().is_none());
    kill_process(pid, Signal::INT).unwrap();
    let since = Instant::now();
    while child.try_wait().unwrap().is_none() {
        assert!(since.elapsed() < SOON, "it goes on");
        thread::sleep(Duration::from_millis(10));
    }
    assert_eq!(child.wait().unwrap().code(), Some(130));
    wait_for("the end of the command", || pids().into_iter().all(is_gone));
    let left: Vec<_> = temporary.path().read_dir().unwrap().flatten().collect();
    assert!(left.is_empty(), "{left:?}");
}

#[test]
fn two_interrupts_in_a_row_leave_no_worker() {
    let folder = answers(ENDLESS);
    let started =
        score_until_slow(folder.path(), &VERDICTS, &folder.path().join("v.jsonl.partial"));
    let processes = descendants(started.pid());
    assert!(!processes.is_empty());
    started.send(Signal::INT);
    started.send(Signal::INT);
    let (status, said) = started.ends();
    assert_eq!(status.code(), Some(130), "{said}");
    wait_for("the end of all workers", || processes.iter().all(|&pid| is_gone(pid)));
}
