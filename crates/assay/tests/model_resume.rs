//! Runs with models that are killed, and servers that are: nothing that was answered is asked for again, and the
//! record becomes the same.

#![expect(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

mod common;

use std::collections::BTreeSet;
use std::fs;
use std::io::{BufRead as _, BufReader, Read as _};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use assay_testserver::{Mischief, Plan, ServerSettings, TestServer, Wait};
use common::models::{Stored, asking, lines, of_sample, sample};
use common::{assay, runs};
use rustix::process::{Pid, Signal, kill_process};
use serde_json::Value;
use tempfile::tempdir;

/// The time after which a sign is not waited for any more.
const PATIENCE: Duration = Duration::from_mins(2);
const SAMPLES: usize = 20;

fn wait_for(what: &str, mut is_there: impl FnMut() -> bool) {
    let since = Instant::now();
    while !is_there() {
        assert!(since.elapsed() < PATIENCE, "{what} did not come");
        thread::sleep(Duration::from_millis(1));
    }
}

fn quiet(command: &mut Command) -> Child {
    command.stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap()
}

fn resume(folder: &Path, run: &Path) -> Command {
    let mut command = assay(folder);
    command.args(["run", "--json", "--resume"]).arg(run);
    command
}

/// The samples in the whole lines of a run's answers.
fn recorded(run: &Path) -> BTreeSet<(String, u64)> {
    let text = fs::read(run.join("answers.jsonl")).unwrap_or_default();
    let whole = text.iter().rposition(|&byte| byte == b'\n').map_or(0, |end| end + 1);
    let lines = text[..whole].split(|&byte| byte == b'\n').filter(|line| !line.is_empty());
    lines
        .map(|line| serde_json::from_slice::<Value>(line).unwrap())
        .map(|line| (line["problem"].as_str().unwrap().to_owned(), sample(&line)))
        .collect()
}

/// The number of replies in the cache.
fn cached(folder: &Path) -> u64 {
    let logs = fs::read_dir(folder.join(".cache/replies")).into_iter().flatten().flatten();
    let lines = logs.map(|log| {
        let text = fs::read(log.path().join("replies.jsonl")).unwrap_or_default();
        text.split_inclusive(|&byte| byte == b'\n').filter(|line| line.ends_with(b"\n")).count()
            as u64
    });
    lines.sum()
}

/// A server that takes its time, so that there is something to interrupt.
fn slow_server(stored: &Stored, plan: Plan, port: u16) -> TestServer {
    let pause = Duration::from_millis(20);
    let settings = ServerSettings { plan, pause, ..ServerSettings::new(stored.completions()) };
    TestServer::start_on(port, settings).unwrap()
}

const ASK: [&str; 6] = ["--api", "completion", "--in-flight", "8", "-j", "2"];

/// Everything in a finished run that does not depend on time: its answers, verdicts, prompts and results.
fn record(run: &Path) -> Vec<(&'static str, String)> {
    let of = |file| {
        let lines = lines(run, file).into_values().map(|line| format!("{line}\n"));
        (file, lines.collect::<String>())
    };
    let text = |file| (file, fs::read_to_string(run.join(file)).unwrap());
    vec![of("answers.jsonl"), of("verdicts.jsonl"), text("texts.jsonl"), text("results.json")]
}

/// Compares records line by line.
fn same(left: &[(&str, String)], right: &[(&str, String)]) {
    for ((file, left), (_, right)) in left.iter().zip(right) {
        let (left, right): (Vec<&str>, Vec<&str>) =
            (left.lines().collect(), right.lines().collect());
        assert_eq!(left.len(), right.len(), "{file}");
        left.iter().zip(right).for_each(|(left, right)| assert_eq!(*left, right, "{file}"));
    }
}

/// Runs without an interruption; returns the run and the server's port, which is part of the signature.
fn undisturbed(folder: &Path, stored: &Stored, more: &[&str]) -> (PathBuf, u16) {
    let server = slow_server(stored, Plan::well(), 0);
    let status = quiet(&mut asking(folder, stored, &server, more)).wait().unwrap();
    assert!(status.success(), "{status}");
    (runs(folder).remove(0), server.port())
}

/// Interrupts a run ten times, and compares it with one that was not.
fn interrupted_ten_times(signals: &[Signal], seed: u64) {
    let stored = of_sample("humaneval", SAMPLES);
    let all = (stored.len() * SAMPLES) as u64;
    let whole = tempdir().unwrap();
    let (run, port) = undisturbed(whole.path(), &stored, &ASK);
    let expected = record(&run);
    let kinds = vec![Mischief::DropInBody, Mischief::BrokenJson, Mischief::DropAfter];
    let server = slow_server(&stored, Plan { seed, share: 0.1, kinds, most: 1 }, port);
    let folder = tempdir().unwrap();
    let mut child = quiet(&mut asking(folder.path(), &stored, &server, &ASK));
    let mut lost = 0;
    for round in 0..10 {
        // Somewhere in the eleventh part of the work that is this round's; the seed says where.
        let target = (round * all + (seed * 31 + round * 17) % 13) / 11 + 3;
        wait_for("the next requests", || {
            let log = server.log();
            log.answers() - lost >= target || child.try_wait().unwrap().is_some()
        });
        let signal = signals[usize::try_from(round).unwrap() % signals.len()];
        let _ = kill_process(Pid::from_child(&child), signal);
        child.wait().unwrap();
        // What is under way when a client dies is still counted.
        wait_for("the end of its connections", || server.is_idle());
        let run = runs(folder.path()).remove(0);
        let (done, before) = (recorded(&run), server.log());
        // What the server had answered and nobody had received when the process died.
        let now_lost = before.answers() - cached(folder.path());
        assert!(now_lost <= 8 * (round + 1), "more than was in flight is lost: {now_lost}");
        lost = now_lost;
        child = quiet(&mut resume(folder.path(), &run));
        wait_for("the resumed run", || {
            server.requests() > before.requests || child.try_wait().unwrap().is_some()
        });
        let asked = server.log().asked;
        for sample in &done {
            assert_eq!(asked[sample], before.asked[sample], "{sample:?} was answered");
        }
    }
    assert!(child.wait().unwrap().success());
    let run = runs(folder.path()).remove(0);
    assert_eq!(server.log().answers(), all + lost, "nothing else was answered twice");
    assert_eq!(cached(folder.path()), all);
    same(&record(&run), &expected);
}

#[test]
fn a_run_that_is_killed_ten_times_is_the_same_in_the_end() {
    interrupted_ten_times(&[Signal::KILL], 1);
}

#[test]
fn a_run_that_is_interrupted_ten_times_is_the_same_in_the_end() {
    interrupted_ten_times(&[Signal::INT, Signal::KILL, Signal::TERM], 2);
}

#[test]
fn another_run_asks_for_nothing_again_unless_it_is_told_to() {
    let stored = of_sample("humaneval", 5);
    let folder = tempdir().unwrap();
    let server = slow_server(&stored, Plan::well(), 0);
    let ask = |more: &[&str]| {
        let more = [&ASK[..], more].concat();
        assert!(
            quiet(&mut asking(folder.path(), &stored, &server, &more)).wait().unwrap().success()
        );
        server.requests()
    };
    let all = (stored.len() * 5) as u64;
    assert_eq!(ask(&[]), all);
    assert_eq!(ask(&[]), all, "the cache has everything");
    assert_eq!(ask(&["--no-cache"]), 2 * all);
    assert_eq!(ask(&["--seed", "3"]), 2 * all + all, "other samples");
    let found = runs(folder.path());
    same(&record(&found[0]), &record(&found[1]));
}

#[test]
fn replies_of_earlier_runs_are_said() {
    let stored = of_sample("humaneval", 2);
    let folder = tempdir().unwrap();
    let server = slow_server(&stored, Plan::well(), 0);
    let all = stored.len() * 2;
    let ask = |more: &[&str]| {
        let more = [&ASK[..], more].concat();
        let output = asking(folder.path(), &stored, &server, &more).output().unwrap();
        assert!(output.status.success(), "{output:?}");
        String::from_utf8(output.stderr).unwrap()
    };
    let some = format!("2 of {all} replies are from earlier runs; --no-cache asks again");
    let every = format!("{all} of {all} replies are from earlier runs; --no-cache asks again");
    assert!(!ask(&["-L", "1"]).contains("earlier run"));
    assert!(ask(&[]).contains(&some));
    assert!(ask(&[]).contains(&every));
    let paid = format!("{all} of {all} replies are from earlier runs, which paid for them;");
    assert!(ask(&["--prices", "1,2"]).contains(&paid));
    assert!(!ask(&["--no-cache"]).contains("earlier run"));
}

#[test]
fn an_interrupted_run_says_what_it_waited_for() {
    let stored = of_sample("humaneval", 2);
    let folder = tempdir().unwrap();
    let kinds = vec![Mischief::Status(503, Wait::Seconds(600))];
    let server = slow_server(&stored, Plan { seed: 1, share: 1.0, kinds, most: 1000 }, 0);
    let mut command = asking(folder.path(), &stored, &server, &ASK);
    let mut child = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    let mut said = BufReader::new(child.stderr.take().unwrap());
    let mut err = String::new();
    while !err.contains("asked again") {
        assert!(said.read_line(&mut err).unwrap() > 0, "it ended: {err}");
    }
    let _ = kill_process(Pid::from_child(&child), Signal::INT);
    said.read_to_string(&mut err).unwrap();
    assert_eq!(child.wait().unwrap().code(), Some(130), "{err}");
    assert_eq!(err.matches("; asked again in 600.0 s").count(), 1, "{err}");
    assert!(err.contains("when the run was interrupted, it waited because"), "{err}");
}

/// An answer is taken out of a record that was to be graded later.
#[test]
fn an_unfinished_record_is_not_graded_and_can_still_be_finished() {
    let stored = of_sample("humaneval", 2);
    let folder = tempdir().unwrap();
    let server = slow_server(&stored, Plan::well(), 0);
    let more = [&ASK[..], &["--generate-only"]].concat();
    assert!(quiet(&mut asking(folder.path(), &stored, &server, &more)).wait().unwrap().success());
    let run = runs(folder.path()).remove(0);
    let answers = fs::read_to_string(run.join("answers.jsonl")).unwrap();
    let cut = answers.trim_end().rfind('\n').unwrap() + 1;
    fs::write(run.join("answers.jsonl"), &answers[..cut]).unwrap();
    let manifest = fs::read_to_string(run.join("run.json")).unwrap();
    let score = || assay(folder.path()).args(["score", "--json"]).arg(&run).output().unwrap();
    let refused = score();
    assert_eq!(refused.status.code(), Some(3), "{refused:?}");
    let err = String::from_utf8(refused.stderr).unwrap();
    assert!(err.contains(&format!("1 of {} problems has no answer yet", stored.len())), "{err}");
    assert!(err.contains("assay run --resume"), "{err}");
    assert_eq!(fs::read_to_string(run.join("run.json")).unwrap(), manifest);
    let resumed = resume(folder.path(), &run).output().unwrap();
    assert!(resumed.status.success(), "{resumed:?}");
    assert!(!run.join("results.json").exists(), "it was to be graded later");
    assert_eq!(recorded(&run).len(), 2 * stored.len());
    assert!(matches!(score().status.code(), Some(0)), "every answer is there");
}

#[test]
fn a_server_that_dies_and_comes_back_costs_nothing_that_was_answered() {
    let stored = of_sample("humaneval", SAMPLES);
    let all = (stored.len() * SAMPLES) as u64;
    let whole = tempdir().unwrap();
    let (run, port) = undisturbed(whole.path(), &stored, &ASK);
    let expected = record(&run);
    let mut server = slow_server(&stored, Plan::well(), port);
    let folder = tempdir().unwrap();
    let mut child = quiet(&mut asking(folder.path(), &stored, &server, &ASK));
    let mut lost = 0;
    for part in 1..=3 {
        wait_for("answers", || server.log().answers() >= part * all / 4);
        server.stop();
        // Replies that were on their way when the server died.
        wait_for("the end of what is in flight", || {
            let before = cached(folder.path());
            thread::sleep(Duration::from_millis(300));
            before == cached(folder.path())
        });
        let now_lost = server.log().answers() - cached(folder.path());
        assert!(now_lost - lost <= 8, "{lost} {now_lost}");
        lost = now_lost;
        server.start_again().unwrap();
    }
    assert!(child.wait().unwrap().success());
    assert_eq!(server.log().answers(), all + lost);
    same(&record(&runs(folder.path()).remove(0)), &expected);
}
