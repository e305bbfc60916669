//! What assay starts ends with it, however it ends; and signals that it was started to ignore stay ignored.

#![expect(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

mod common;

use std::fs::{self, File};
use std::path::Path;
use std::process::{Child, Command, ExitStatus, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use common::{assay, dataset};
use rustix::process::{Pid, Signal, kill_process};
use tempfile::TempDir;

/// The time after which a sign is not waited for any more.
const PATIENCE: Duration = Duration::from_mins(2);
/// The time within which nothing may be left.
const SOON: Duration = Duration::from_secs(2);

/// Starts a child, one in a session of its own, and a daemon, and names them and itself in `pids`.
const FAMILY: &str = "trap '' TERM INT HUP\nsleep 600 & echo $! >> pids\n\
     setsid sh -c 'echo $$ >> pids; exec sleep 600' > /dev/null 2>&1 &\n\
     (setsid sh -c 'setsid sh -c \"echo \\$\\$ >> pids; sleep 600; true\" & exit' > /dev/null 2>&1 & exit)\n\
     echo $$ >> pids\nwhile test $(wc -l < pids) != 4; do sleep 0.01; done\n";
const ANSWERS: &str = "for task in \"$1\"/*.txt; do echo \"$task 1\"; done\n";
/// Waits until the test lets it go on.
const UNTIL_LET_GO: &str = "while ! test -e go; do sleep 0.01; done\n";

struct Scene {
    folder: TempDir,
    child: Child,
}

impl Scene {
    /// Runs a solver on five tasks.
    fn run(script: &str) -> Self {
        let (folder, _) = dataset("D", 5);
        fs::write(folder.path().join("predictor.sh"), script).unwrap();
        let mut command = assay(folder.path());
        command.args(["run", "codrep", "-d", "D", "-s", "program:sh predictor.sh"]);
        let child = quiet(&mut command, folder.path()).spawn().unwrap();
        Self { folder, child }
    }

    /// The same from a shell that ignores some signals, as `nohup` does.
    fn run_ignoring(signals: &str, script: &str) -> Self {
        let (folder, _) = dataset("D", 5);
        fs::write(folder.path().join("predictor.sh"), script).unwrap();
        let binary = assay(folder.path());
        #[expect(clippy::disallowed_methods, reason = "a shell as a user's")]
        let mut shell = Command::new("sh");
        let line = format!(
            "trap '' {signals}; exec {} run codrep -d D -s 'program:sh predictor.sh'",
            binary.get_program().display()
        );
        shell.args(["-c", &line]).current_dir(folder.path());
        for (name, value) in binary.get_envs() {
            match value {
                Some(value) => shell.env(name, value),
                None => shell.env_remove(name),
            };
        }
        let child = quiet(&mut shell, folder.path()).spawn().unwrap();
        Self { folder, child }
    }

    fn path(&self, name: &str) -> std::path::PathBuf {
        self.folder.path().join(name)
    }

    /// The processes of the family, when all are there.
    fn family(&self) -> Vec<u32> {
        wait_for("the family", || {
            let text = fs::read_to_string(self.path("pids")).unwrap_or_default();
            let pids: Vec<u32> = text.lines().filter_map(|line| line.parse().ok()).collect();
            (pids.len() == 4).then_some(pids)
        })
    }

    fn send(&self, signal: Signal) {
        kill_process(Pid::from_child(&self.child), signal).unwrap();
    }

    fn end(&mut self) -> ExitStatus {
        wait_for("its end", || self.child.try_wait().unwrap())
    }

    fn said(&self) -> String {
        fs::read_to_string(self.path("stderr")).unwrap()
    }
}

fn quiet<'a>(command: &'a mut Command, folder: &Path) -> &'a mut Command {
    let stderr = File::create(folder.join("stderr")).unwrap();
    command.env("TMPDIR", folder).stdin(Stdio::null()).stdout(Stdio::null()).stderr(stderr)
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

/// The guards of a process, which any of its threads may have started.
fn guards(pid: u32) -> Vec<u32> {
    let threads = fs::read_dir(format!("/proc/{pid}/task")).unwrap();
    let children = threads.map(|thread| {
        fs::read_to_string(thread.unwrap().path().join("children")).unwrap_or_default()
    });
    let pids = |children: String| -> Vec<u32> {
        children.split_whitespace().filter_map(|child| child.parse().ok()).collect()
    };
    children.flat_map(pids).collect()
}

#[test]
fn a_killed_assay_leaves_no_process() {
    let mut scene = Scene::run(&format!("{FAMILY}wait"));
    let mut pids = scene.family();
    pids.extend(guards(scene.child.id()));
    assert!(pids.len() > 4 && !pids.iter().any(|&pid| is_gone(pid)));
    scene.send(Signal::KILL);
    all_gone_soon(&pids);
    scene.end();
}

#[test]
fn one_interrupt_leaves_no_process() {
    let mut scene = Scene::run(&format!("{FAMILY}wait"));
    let pids = scene.family();
    scene.send(Signal::INT);
    assert_eq!(scene.end().code(), Some(130), "{}", scene.said());
    all_gone_soon(&pids);
}

#[test]
fn an_end_as_usual_leaves_no_process() {
    let mut scene = Scene::run(&format!("{FAMILY}{ANSWERS}"));
    assert_eq!(scene.end().code(), Some(0), "{}", scene.said());
    let pids = scene.family();
    assert!(pids.into_iter().all(is_gone));
}

#[test]
fn signals_that_are_ignored_from_the_start_stay_ignored() {
    for (names, signal) in [("HUP", Signal::HUP), ("INT", Signal::INT), ("HUP INT", Signal::HUP)] {
        let mut scene = Scene::run_ignoring(names, &format!("{FAMILY}{UNTIL_LET_GO}{ANSWERS}"));
        scene.family();
        scene.send(signal);
        thread::sleep(Duration::from_millis(200));
        fs::write(scene.path("go"), "").unwrap();
        assert_eq!(scene.end().code(), Some(0), "{names}: {}", scene.said());
    }
}

#[test]
fn signals_that_are_not_ignored_end_a_run() {
    for (names, signal) in [("INT", Signal::HUP), ("HUP", Signal::INT), ("HUP INT", Signal::TERM)] {
        let mut scene = Scene::run_ignoring(names, &format!("{FAMILY}{UNTIL_LET_GO}{ANSWERS}"));
        let pids = scene.family();
        scene.send(signal);
        assert_eq!(scene.end().code(), Some(130), "{names}: {}", scene.said());
        all_gone_soon(&pids);
    }
}
