//! Helpers of the tests; not every test uses all of them.
#![allow(
    dead_code,
    clippy::unwrap_used,
    clippy::disallowed_methods,
    reason = "a test that cannot go on has failed; where its tools lie, the environment says"
)]

use std::os::unix::fs::PermissionsExt;
use std::path::PathBuf;
use std::process::Command;
use std::time::Duration;

use assay_core::{Cancel, Ending, Isolation, PythonTests, Rules};
use assay_sandbox::{Limits, Report, Sandbox, Settings, TestRequest, Tools};

/// A sandbox with one worker.
pub(crate) fn sandbox(isolation: Isolation) -> Sandbox {
    Sandbox::new(Settings {
        workers: 2,
        isolation,
        no_isolation: false,
        executable: worker(),
        tools: Tools::of_this_machine(&Tools::LANGUAGES),
    })
    .unwrap()
}

/// The executable of the workers; a copy, if the tests run as another user.
pub(crate) fn worker() -> PathBuf {
    std::env::var_os("SANDBOX_WORKER")
        .map_or_else(|| env!("CARGO_BIN_EXE_sandbox-worker").into(), PathBuf::from)
}

/// Small limits, so that tests are quick.
pub(crate) fn limits() -> Limits {
    Limits {
        wall: Duration::from_secs(4),
        memory: 512 << 20,
        output: 1 << 20,
        ..Limits::with_cpu(Duration::from_millis(600))
    }
}

/// The tests of a function `double`.
pub(crate) fn tests() -> PythonTests {
    PythonTests {
        setup: "def double(x):\n    return 2 * x\n".to_owned(),
        entry_points: vec!["double".to_owned()],
        cases: vec![
            "assert double(2) == 4\nassert double('ab') == 'abab'\nassert double([1]) == [1, 1]\n"
                .to_owned(),
        ],
        appended: "assert double(2) == 4\n".to_owned(),
        preamble: String::new(),
    }
}

/// Runs a candidate against [`tests`].
pub(crate) fn run_tests(sandbox: &Sandbox, program: &str, rules: Rules) -> Report {
    let tests = tests();
    let limits = limits();
    let request = TestRequest {
        prelude: "",
        candidate: program,
        tests: &tests,
        case: 0,
        seed: 7,
        rules,
        limits,
    };
    sandbox.run_tests(&request, &Cancel::new()).unwrap()
}

/// The ending of a candidate under [`tests`], with strict rules.
pub(crate) fn ending(sandbox: &Sandbox, program: &str) -> Ending {
    run_tests(sandbox, program, Rules::Strict).ending
}

/// Repeats tests of this executable as an unprivileged user; does nothing if they already run as one.
pub(crate) fn as_ordinary_user(tests: &[&str]) {
    if rustix::process::geteuid().is_root() {
        let mut command = Command::new("setpriv");
        command.args(["--reuid", "65533", "--regid", "65533", "--clear-groups"]);
        once_more(command, tests);
    }
}

/// Repeats a test of this executable with tools that every user can run. Returns true in the first process, where the
/// test is then done.
pub(crate) fn again(test: &str) -> bool {
    let first = std::env::var_os("SANDBOX_WORKER").is_none();
    if first {
        once_more(Command::new("env"), &[test]);
    }
    first
}

/// Repeats tests of this executable, with copies that every user can reach, as the last arguments of `command`.
pub(crate) fn once_more(mut command: Command, tests: &[&str]) {
    let folder = tempfile::tempdir_in("/var/tmp").unwrap();
    std::fs::set_permissions(folder.path(), std::fs::Permissions::from_mode(0o755)).unwrap();
    let (copy, copied_worker) = (folder.path().join("tests"), folder.path().join("worker"));
    std::fs::copy(std::env::current_exe().unwrap(), &copy).unwrap();
    std::fs::copy(worker(), &copied_worker).unwrap();
    let said = command
        .arg(copy)
        .args(tests)
        .args(["--test-threads", "1"])
        .env_clear()
        .env("PATH", "/usr/bin:/bin")
        .env("SANDBOX_WORKER", copied_worker)
        .current_dir("/")
        .output()
        .unwrap();
    let text = String::from_utf8_lossy(&said.stdout);
    let passed = format!("{} passed", tests.len());
    assert!(said.status.success() && text.contains(&passed), "{text}");
}
