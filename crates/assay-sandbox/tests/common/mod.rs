//! What the tests share; not each of them uses all of it.
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

use assay_core::{Cancel, Ending, Exam, Isolation, Rules};
use assay_sandbox::{Examination, Limits, Report, Sandbox, Settings, Tools};

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

/// The executable of the workers; a copy, where the tests run as another user.
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

/// An exam of a function `double`.
pub(crate) fn exam() -> Exam {
    Exam {
        setting: "def double(x):\n    return 2 * x\n".to_owned(),
        called: vec!["double".to_owned()],
        tests: vec![
            "assert double(2) == 4\nassert double('ab') == 'abab'\nassert double([1]) == [1, 1]\n"
                .to_owned(),
        ],
        appended: "assert double(2) == 4\n".to_owned(),
        preamble: String::new(),
    }
}

/// Puts a program through [`exam`].
pub(crate) fn examine(sandbox: &Sandbox, program: &str, rules: Rules) -> Report {
    let exam = exam();
    let limits = limits();
    let examination = Examination { program, exam: &exam, test: 0, seed: 7, rules, limits };
    sandbox.examine(&examination, &Cancel::new()).unwrap()
}

/// How a program ends in [`exam`], by strict rules.
pub(crate) fn ending(sandbox: &Sandbox, program: &str) -> Ending {
    examine(sandbox, program, Rules::Strict).ending
}

/// Runs tests of this executable once more as a user without any rights; nothing, if they already do.
pub(crate) fn as_ordinary_user(tests: &[&str]) {
    if rustix::process::geteuid().is_root() {
        let mut command = Command::new("setpriv");
        command.args(["--reuid", "65533", "--regid", "65533", "--clear-groups"]);
        once_more(command, tests);
    }
}

/// Runs a test of this executable once more with tools that every user can run; whether this was not that
/// time, so that the test is done.
pub(crate) fn again(test: &str) -> bool {
    let first = std::env::var_os("SANDBOX_WORKER").is_none();
    if first {
        once_more(Command::new("env"), &[test]);
    }
    first
}

/// Runs tests of this executable once more, with copies that every user can reach, as the last words of
/// `command`.
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
