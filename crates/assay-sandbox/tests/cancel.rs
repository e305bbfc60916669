//! Work that is cancelled ends soon, whatever the worker is doing, and leaves no process behind.

#![allow(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

mod common;

use std::collections::BTreeSet;
use std::fs;
use std::path::PathBuf;
use std::time::{Duration, Instant};

use assay_core::{Cancel, Isolation, Language, PythonTests, Rules};
use assay_sandbox::{
    Limits, RunRequest, Sandbox, Settings, Source, TestRequest, Tools, WORKER_ARGUMENT,
};
use common::{again, tests};

const ENDLESS: &str = "while True: pass\n";
/// Long enough for a busy machine; what is cancelled would go on for ten minutes.
const SOON: Duration = Duration::from_secs(10);

fn limits() -> Limits {
    Limits::with_cpu(Duration::from_mins(10))
}

/// The workers of this process that have not ended.
fn workers() -> usize {
    let own = std::process::id().to_string();
    let workers = fs::read_dir("/proc").unwrap().flatten().filter_map(|entry| {
        let text = fs::read_to_string(entry.path().join("stat")).ok()?;
        let fields: Vec<&str> = text.rsplit_once(')')?.1.split_whitespace().collect();
        let command = fs::read_to_string(entry.path().join("cmdline")).ok()?;
        let is_worker = command.contains(WORKER_ARGUMENT) && *fields.get(1)? == own;
        is_worker.then_some(())
    });
    workers.count()
}

/// Has two workers do `work`, cancels it, and waits for the end.
fn check(sandbox: Sandbox, name: &str, work: impl Fn(&Sandbox, &Cancel) -> bool + Sync) {
    let cancel = Cancel::new();
    // The third one waits for a worker.
    let took = std::thread::scope(|scope| {
        let workers = [(); 3].map(|()| scope.spawn(|| work(&sandbox, &cancel)));
        // The worker is then at it; if it is not yet, it must end as well.
        std::thread::sleep(Duration::from_millis(500));
        cancel.cancel();
        let since = Instant::now();
        assert!(workers.into_iter().all(|worker| worker.join().unwrap()), "{name}");
        since.elapsed()
    });
    assert!(took < SOON, "{name}: {took:?}");
    drop(sandbox);
    assert_eq!(workers(), 0, "{name}");
}

fn test_ends(sandbox: &Sandbox, cancel: &Cancel, candidate: &str, tests: &PythonTests) -> bool {
    let (rules, limits) = (Rules::Strict, limits());
    let request = TestRequest { candidate, tests, case: 0, seed: 7, prelude: "", rules, limits };
    sandbox.run_tests(&request, cancel).is_err()
}

fn check_all(make: impl Fn() -> Sandbox) {
    check(make(), "a candidate", |sandbox, cancel| test_ends(sandbox, cancel, ENDLESS, &tests()));
    // The worker waits for its own test server.
    let endless = PythonTests { setup: ENDLESS.to_owned(), ..tests() };
    check(make(), "the tests' setup", |sandbox, cancel| {
        test_ends(sandbox, cancel, "def double(x): return 2 * x\n", &endless)
    });
    check(make(), "a program", |sandbox, cancel| {
        let source = Source { text: ENDLESS, name: None };
        let limits = limits();
        let request =
            RunRequest { language: Language::Python, source, prelude: "", input: "", limits };
        sandbox.run(&request, cancel).is_err()
    });
}

#[test]
fn cancelled_work_ends_soon() {
    for isolation in [Isolation::Warm, Isolation::Fresh] {
        check_all(|| common::sandbox(isolation));
    }
}

#[test]
fn without_isolation_no_process_and_no_folder_stays() {
    if again("without_isolation_no") {
        return;
    }
    let folders = || -> BTreeSet<PathBuf> {
        let paths = fs::read_dir(std::env::temp_dir()).unwrap().flatten().map(|entry| entry.path());
        paths.filter(|path| path.to_string_lossy().contains("/assay-")).collect()
    };
    let before = folders();
    check_all(|| {
        Sandbox::new(Settings {
            workers: 2,
            isolation: Isolation::Warm,
            no_isolation: true,
            executable: common::worker(),
            tools: Tools::of_this_machine(&[Language::Python]),
        })
        .unwrap()
    });
    // Those of other processes go away, too.
    let since = Instant::now();
    for folder in folders().difference(&before) {
        while folder.exists() {
            assert!(since.elapsed() < 6 * SOON, "{folder:?} stays");
            std::thread::sleep(Duration::from_millis(20));
        }
    }
}
