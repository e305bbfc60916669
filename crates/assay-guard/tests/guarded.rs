//! Guarded processes and their ends.

#![expect(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

use std::fs;
use std::io::{Read, Write};
use std::os::unix::process::ExitStatusExt;
use std::path::Path;
use std::process::ExitStatus;
use std::thread;
use std::time::{Duration, Instant};

use assay_guard::{Guarded, GuardedCommand, Input, Output, use_executable};
use rustix::process::{Pid, Signal, kill_process};

/// The time after which a sign is not waited for any more.
const PATIENCE: Duration = Duration::from_mins(1);

fn shell(script: &str) -> GuardedCommand {
    use_executable(env!("CARGO_BIN_EXE_process-guard"));
    GuardedCommand::new("sh").args(["-c", script])
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

fn end_of(guarded: &mut Guarded) -> ExitStatus {
    wait_for("the end", || guarded.try_wait().unwrap())
}

fn is_gone(pid: &str) -> bool {
    let stat = fs::read_to_string(format!("/proc/{pid}/stat")).unwrap_or_default();
    // A zombie that nobody has reaped yet counts as gone.
    stat.rsplit_once(')').is_none_or(|(_, rest)| rest.trim_start().starts_with('Z'))
}

/// The numbers of processes in a file, when it has so many.
fn numbers(file: &Path, count: usize) -> Vec<String> {
    wait_for("the processes", || {
        let text = fs::read_to_string(file).unwrap_or_default();
        (text.ends_with('\n') && text.lines().count() == count)
            .then(|| text.lines().map(str::to_owned).collect())
    })
}

/// A command that starts a child, one in a session of its own, and one that daemonises.
fn family(folder: &Path) -> GuardedCommand {
    shell(
        "trap '' TERM HUP INT\nsleep 600 & echo $! >> pids\n\
         setsid sh -c 'echo $$ >> pids; exec sleep 600' &\n\
         (setsid sh -c 'setsid sh -c \"echo \\$\\$ >> pids; sleep 600; true\" & exit' & exit)\n\
         echo $$ >> pids\nwait",
    )
    .current_dir(folder)
}

#[test]
fn pipes_status_and_environment_are_those_of_the_command() {
    let command = shell("read line; echo \"$line $NAME$GONE\"; echo bad >&2; pwd; exit 7");
    let command = command.env("NAME", "é").env("GONE", "x").env_remove("GONE").current_dir("/");
    let command = command.stdin(Input::Piped).stdout(Output::Piped).stderr(Output::Piped);
    let mut guarded = Guarded::spawn(command).unwrap();
    assert!(!is_gone(&guarded.pid().to_string()));
    assert_eq!(guarded.try_wait().unwrap(), None);
    guarded.stdin.take().unwrap().write_all(b"hello\n").unwrap();
    let (mut out, mut err) = (String::new(), String::new());
    // The pipes end with the command: its guard holds none of them open.
    guarded.stdout.take().unwrap().read_to_string(&mut out).unwrap();
    guarded.stderr.take().unwrap().read_to_string(&mut err).unwrap();
    assert_eq!((out.as_str(), err.as_str()), ("hello é\n/\n", "bad\n"));
    assert_eq!(end_of(&mut guarded).code(), Some(7));
    assert_eq!(guarded.kill_all().unwrap().code(), Some(7));
}

#[test]
fn a_log_takes_what_is_printed() {
    let folder = tempfile::tempdir().unwrap();
    let log = folder.path().join("log");
    let file = fs::File::create(&log).unwrap();
    let mut guarded = Guarded::spawn(shell("echo said").stdout(Output::File(file))).unwrap();
    assert!(end_of(&mut guarded).success());
    assert_eq!(fs::read_to_string(log).unwrap(), "said\n");
}

#[test]
fn a_command_that_cannot_start_says_why() {
    drop(shell(""));
    let kind = |name: &str| Guarded::spawn(GuardedCommand::new(name)).unwrap_err().kind();
    assert_eq!(kind("no-such-command"), std::io::ErrorKind::NotFound);
    assert_eq!(kind("/etc/passwd"), std::io::ErrorKind::PermissionDenied);
    assert_eq!(kind("a\0b"), std::io::ErrorKind::InvalidInput);
}

#[test]
fn nothing_is_left_after_a_kill() {
    let folder = tempfile::tempdir().unwrap();
    let mut guarded = Guarded::spawn(family(folder.path())).unwrap();
    let pids = numbers(&folder.path().join("pids"), 4);
    assert!(pids.iter().all(|pid| !is_gone(pid)));
    assert_eq!(guarded.kill_all().unwrap().signal(), Some(9));
    assert!(pids.iter().all(|pid| is_gone(pid)), "{pids:?}");
}

#[test]
fn nothing_is_left_after_a_drop() {
    let folder = tempfile::tempdir().unwrap();
    let guarded = Guarded::spawn(family(folder.path())).unwrap();
    let pids = numbers(&folder.path().join("pids"), 4);
    drop(guarded);
    assert!(pids.iter().all(|pid| is_gone(pid)), "{pids:?}");
}

#[test]
fn what_a_command_leaves_behind_ends_with_the_kill_and_not_before() {
    let folder = tempfile::tempdir().unwrap();
    let script = "setsid sh -c 'echo $$ >> pids; exec sleep 600' & \
                  while ! test -e pids; do sleep 0.01; done; exit 3";
    let mut guarded = Guarded::spawn(shell(script).current_dir(folder.path())).unwrap();
    assert_eq!(end_of(&mut guarded).code(), Some(3));
    let pids = numbers(&folder.path().join("pids"), 1);
    assert!(!is_gone(&pids[0]));
    assert_eq!(guarded.kill_all().unwrap().code(), Some(3));
    assert!(is_gone(&pids[0]));
}

#[test]
fn processes_that_keep_forking_are_caught() {
    let folder = tempfile::tempdir().unwrap();
    let script = "f() { echo >> turns; f & }; f";
    let mut guarded = Guarded::spawn(shell(script).current_dir(folder.path())).unwrap();
    end_of(&mut guarded);
    let turns = folder.path().join("turns");
    let length = || fs::metadata(&turns).map_or(0, |file| file.len());
    wait_for("some turns", || (length() > 50).then_some(()));
    guarded.kill_all().unwrap();
    let then = length();
    thread::sleep(Duration::from_millis(100));
    assert_eq!(length(), then);
}

#[test]
fn the_guard_does_not_mind_signals_and_its_death_is_the_end() {
    let folder = tempfile::tempdir().unwrap();
    let script = "echo $PPID > guard; exec sleep 600";
    let mut guarded = Guarded::spawn(shell(script).current_dir(folder.path())).unwrap();
    let guard = numbers(&folder.path().join("guard"), 1)[0].parse().unwrap();
    let guard = Pid::from_raw(guard).unwrap();
    for signal in [Signal::INT, Signal::TERM, Signal::HUP, Signal::QUIT] {
        kill_process(guard, signal).unwrap();
    }
    assert_eq!(guarded.try_wait().unwrap(), None);
    kill_process(guard, Signal::KILL).unwrap();
    assert_eq!(end_of(&mut guarded).signal(), Some(9));
    let command = guarded.pid().to_string();
    wait_for("the end of the command", || is_gone(&command).then_some(()));
}
