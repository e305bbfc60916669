//! Hostile candidates, each in its own file under `attacks/`: none may escape, hang the run, disturb a neighbour,
//! leave anything behind, or pass.

#![allow(
    clippy::unwrap_used,
    clippy::print_stderr,
    clippy::disallowed_methods,
    reason = "a test that cannot go on has failed; it starts itself anew as another user"
)]

mod common;

use std::collections::BTreeSet;
use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

use assay_core::{Ending, Isolation, Rules};
use assay_sandbox::Sandbox;
use common::{ending, run_tests, sandbox};

const KINDS: [&str; 3] = ["escapes", "exhaustion", "cheats"];
/// A candidate that needs everything it may expect: a folder to write to, a thread, a process.
const HONEST: &str = "\
import os, tempfile, threading
with tempfile.TemporaryFile() as file:
    file.write(b'x')
thread = threading.Thread(target=int)
thread.start()
thread.join()
def double(x):
    return x + x
";
/// The ending of a candidate that has escaped.
const ESCAPED: Ending = Ending::EarlyExit { code: 42 };

/// The attacks of one kind, by name.
fn attacks_of(kind: &str) -> Vec<(String, String)> {
    let all = std::env::var_os("SANDBOX_ATTACKS")
        .map_or_else(|| Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/attacks"), PathBuf::from);
    let folder = all.join(kind);
    let mut files: Vec<PathBuf> =
        fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).collect();
    files.sort();
    let read = |path: &PathBuf| {
        let name = path.file_stem().unwrap().to_string_lossy().into_owned();
        (name, fs::read_to_string(path).unwrap())
    };
    files.iter().map(read).collect()
}

/// The name of a verdict, as the attacks write it.
fn name(ending: &Ending) -> String {
    let value = serde_json::to_value(ending).unwrap();
    value["kind"].as_str().unwrap().replace('_', "-")
}

/// Sets a flag when dropped, also on failure.
struct Stop<'a>(&'a AtomicBool);

impl Drop for Stop<'_> {
    fn drop(&mut self) {
        self.0.store(true, Ordering::Relaxed);
    }
}

/// Runs `work` while a neighbour is graded over and over; its verdict must stay the same.
fn beside_a_neighbour(sandbox: &Sandbox, work: impl FnOnce()) {
    let done = AtomicBool::new(false);
    std::thread::scope(|scope| {
        scope.spawn(|| {
            while !done.load(Ordering::Relaxed) {
                assert_eq!(ending(sandbox, HONEST), Ending::Passed, "a neighbour was disturbed");
                std::thread::sleep(Duration::from_millis(50));
            }
        });
        let _stop = Stop(&done);
        work();
    });
}

/// The processes that this one and its descendants have started.
fn descendants() -> BTreeSet<i32> {
    let mut parents = Vec::new();
    for entry in fs::read_dir("/proc").unwrap().flatten() {
        let Ok(pid) = entry.file_name().to_string_lossy().parse::<i32>() else { continue };
        let stat = fs::read_to_string(entry.path().join("stat")).unwrap_or_default();
        let after = stat.rsplit(')').next().unwrap_or_default();
        if let Some(Ok(parent)) = after.split_whitespace().nth(1).map(str::parse::<i32>) {
            parents.push((pid, parent));
        }
    }
    let mut known = BTreeSet::from([i32::try_from(std::process::id()).unwrap()]);
    loop {
        let more: Vec<i32> = parents
            .iter()
            .filter(|(pid, parent)| known.contains(parent) && !known.contains(pid))
            .map(|&(pid, _)| pid)
            .collect();
        if more.is_empty() {
            break;
        }
        known.extend(more);
    }
    known.remove(&i32::try_from(std::process::id()).unwrap());
    known
}

/// Held by one test at a time: each looks at all processes that were started, and some need a whole core.
static ALONE: Mutex<()> = Mutex::new(());

fn withstand(isolation: Isolation) {
    let _alone = ALONE.lock().unwrap_or_else(PoisonError::into_inner);
    let canary = std::env::temp_dir().join(format!("assay-canary-{}", std::process::id()));
    fs::write(&canary, "untouched").unwrap();
    let sandbox = sandbox(isolation);
    assert_eq!(ending(&sandbox, HONEST), Ending::Passed);
    let mut failures = Vec::new();
    beside_a_neighbour(&sandbox, || {
        for kind in KINDS {
            for (attack, program) in attacks_of(kind) {
                if let Err(failure) = withstand_one(&sandbox, kind, &program) {
                    failures.push(format!("{kind}/{attack}: {failure}"));
                }
            }
        }
    });
    assert!(failures.is_empty(), "{isolation:?}:\n{}", failures.join("\n"));
    let started = descendants();
    assert!(!started.is_empty());
    drop(sandbox);
    let deadline = Instant::now() + Duration::from_secs(5);
    let alive = || started.iter().any(|pid| Path::new(&format!("/proc/{pid}/ns")).exists());
    while alive() && Instant::now() < deadline {
        std::thread::sleep(Duration::from_millis(20));
    }
    assert!(!alive(), "a process was left behind");
    assert_eq!(fs::read_to_string(&canary).unwrap(), "untouched");
    fs::remove_file(canary).unwrap();
}

fn withstand_one(sandbox: &Sandbox, kind: &str, program: &str) -> Result<(), String> {
    let begun = Instant::now();
    let report = run_tests(sandbox, program, Rules::Strict);
    let took = begun.elapsed();
    let found = name(&report.ending);
    if report.ending == ESCAPED {
        return Err("it escaped".to_owned());
    }
    if found == "passed" || found == "sandbox-error" {
        return Err(format!("its verdict is {found}"));
    }
    if took > Duration::from_secs(30) {
        return Err(format!("it took {took:?}"));
    }
    let expected = program.lines().next().unwrap_or_default();
    if kind == "exhaustion" && !expected.contains(&found) {
        return Err(format!("its verdict is {:?}, but {expected}", report.ending));
    }
    if kind == "escapes"
        && !matches!(&report.ending, Ending::Exception { message, .. } if message == "contained")
    {
        return Err(format!("its verdict is {:?}", report.ending));
    }
    match ending(sandbox, HONEST) {
        Ending::Passed => Ok(()),
        other => Err(format!("an honest program after it: {other:?}")),
    }
}

#[test]
fn a_forked_interpreter_withstands_all_attacks() {
    withstand(Isolation::Warm);
}

#[test]
fn a_fresh_interpreter_withstands_all_attacks() {
    withstand(Isolation::Fresh);
}

/// Repeats the tests above as an unprivileged user.
#[test]
fn an_ordinary_user_is_as_safe() {
    if !rustix::process::geteuid().is_root() {
        eprintln!("SKIPPED: the tests run as an ordinary user already");
        return;
    }
    let _alone = ALONE.lock().unwrap_or_else(PoisonError::into_inner);
    let folder = tempfile::tempdir_in("/var/tmp").unwrap();
    fs::set_permissions(folder.path(), fs::Permissions::from_mode(0o755)).unwrap();
    let (tests, worker) = (folder.path().join("tests"), folder.path().join("worker"));
    fs::copy(std::env::current_exe().unwrap(), &tests).unwrap();
    fs::copy(common::worker(), &worker).unwrap();
    let attacks = folder.path().join("attacks");
    for kind in KINDS {
        fs::create_dir_all(attacks.join(kind)).unwrap();
        for (name, program) in attacks_of(kind) {
            fs::write(attacks.join(kind).join(format!("{name}.py")), program).unwrap();
        }
    }
    let said = Command::new("setpriv")
        .args(["--reuid", "65533", "--regid", "65533", "--clear-groups"])
        .arg(tests)
        .args(["a_forked_interpreter", "--test-threads", "1"])
        .env_clear()
        .env("PATH", "/usr/bin:/bin")
        .env("SANDBOX_WORKER", worker)
        .env("SANDBOX_ATTACKS", attacks)
        .current_dir("/")
        .output()
        .unwrap();
    let text = String::from_utf8_lossy(&said.stdout);
    assert!(said.status.success() && text.contains("1 passed"), "{text}");
}

#[test]
fn the_original_rules_are_as_lax_as_the_original() {
    let _alone = ALONE.lock().unwrap_or_else(PoisonError::into_inner);
    let sandbox = sandbox(Isolation::Warm);
    let programs = attacks_of("cheats");
    let verdict = |cheat: &str| {
        let (_, program) = programs.iter().find(|(name, _)| name == cheat).unwrap();
        name(&run_tests(&sandbox, program, Rules::Compat).ending)
    };
    assert_eq!(verdict("always_equal"), "passed");
    assert_eq!(verdict("equal_number"), "passed");
    assert_eq!(verdict("early_exit"), "early-exit");
    assert_eq!(verdict("say_passed"), "wrong-answer");
}
