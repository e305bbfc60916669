//! Helpers for the tests of the command line: the binary, and small datasets.

#![expect(clippy::disallowed_methods, reason = "tests start the binary and read ASSAY_DATA")]
#![allow(dead_code, reason = "each test file uses its part")]

pub(crate) mod git;
pub(crate) mod models;

use std::collections::BTreeMap;
use std::fs::{self, File};
use std::io::{Read, Seek, Write};
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use tempfile::TempDir;

/// The binary under test, in `folder`, with an environment that is independent of the developer's
/// settings.
pub(crate) fn assay(folder: &Path) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_assay"));
    command.current_dir(folder);
    for (name, _) in std::env::vars_os() {
        if name.to_string_lossy().starts_with("ASSAY_") {
            command.env_remove(name);
        }
    }
    command.env_remove("COLUMNS");
    // So does the list of started runs.
    command.env("XDG_STATE_HOME", folder.join(".state"));
    // The cache of results of a task's own programs stays with the test.
    command.env("ASSAY_CACHE", folder.join(".cache"));
    command
}

/// The output and the exit code of a command.
#[derive(Debug)]
pub(crate) struct CommandOutput {
    pub(crate) code: i32,
    pub(crate) out: String,
    pub(crate) err: String,
}

impl From<Output> for CommandOutput {
    fn from(output: Output) -> Self {
        Self {
            code: output.status.code().unwrap_or(-1),
            out: String::from_utf8(output.stdout).expect("output is UTF-8"),
            err: String::from_utf8(output.stderr).expect("messages are UTF-8"),
        }
    }
}

/// Runs the binary with these arguments.
pub(crate) fn run(folder: &Path, arguments: &[&str]) -> CommandOutput {
    assay(folder).args(arguments).output().expect("the binary runs").into()
}

/// Runs the binary with its standard output on a terminal of this width, and returns what it prints there.
pub(crate) fn on_terminal(folder: &Path, columns: u16, arguments: &[&str]) -> CommandOutput {
    use rustix::fs::{Mode, OFlags, open};
    use rustix::pty::{OpenptFlags, grantpt, openpt, ptsname, unlockpt};
    use rustix::termios::{Winsize, tcsetwinsize};
    let master = openpt(OpenptFlags::RDWR | OpenptFlags::NOCTTY).expect("there are terminals");
    grantpt(&master).and_then(|()| unlockpt(&master)).expect("the terminal opens");
    let size = Winsize { ws_row: 40, ws_col: columns, ws_xpixel: 0, ws_ypixel: 0 };
    tcsetwinsize(&master, size).expect("a terminal has a size");
    let name = ptsname(&master, Vec::new()).expect("a terminal has a name");
    let slave = open(name, OFlags::RDWR | OFlags::NOCTTY, Mode::empty()).expect("it opens");
    let errors = tempfile::tempfile().expect("a file can be made");
    let stderr = errors.try_clone().expect("a file can be shared");
    let mut command = assay(folder);
    command.args(arguments).stdout(slave).stderr(stderr);
    let mut child = command.spawn().expect("the binary runs");
    // Without this end, reading ends when the binary does.
    drop(command);
    let mut out = Vec::new();
    // Linux reports the end as an error.
    let _ = File::from(master).read_to_end(&mut out);
    let code = child.wait().expect("it ends").code().unwrap_or(-1);
    let out = String::from_utf8(out).expect("output is UTF-8").replace("\r\n", "\n");
    let mut err = String::new();
    let mut errors = errors;
    errors.rewind().and_then(|()| errors.read_to_string(&mut err)).expect("messages are UTF-8");
    CommandOutput { code, out, err }
}

/// Runs the binary with this text on its standard input.
pub(crate) fn feed(folder: &Path, arguments: &[&str], input: &str) -> CommandOutput {
    use std::process::Stdio;
    let mut child = assay(folder)
        .args(arguments)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("the binary runs");
    // A command that fails early may close its input.
    let _ = child.stdin.take().expect("it has an input").write_all(input.as_bytes());
    child.wait_with_output().expect("it ends").into()
}

/// The one JSON object that a command printed.
pub(crate) fn json(output: &CommandOutput) -> serde_json::Value {
    serde_json::from_str(&output.out).unwrap_or_else(|error| panic!("{error} in {output:?}"))
}

/// The value of a metric.
pub(crate) fn metric(results: &serde_json::Value, name: &str) -> f64 {
    results["metrics"][name]["value"].as_f64().unwrap_or_else(|| panic!("no {name} in {results}"))
}

/// A folder with a dataset of `count` tasks, called `name`. Task N has N + 2 lines, and its
/// solution is line N / 2 + 1.
pub(crate) fn dataset(name: &str, count: usize) -> (TempDir, PathBuf) {
    let scratch = tempfile::tempdir().expect("a folder can be made");
    let root = scratch.path().join(name);
    fs::create_dir_all(root.join("Tasks")).expect("a folder can be made");
    fs::create_dir_all(root.join("Solutions")).expect("a folder can be made");
    for number in 1..=count {
        let length = number + 2;
        let program: String = (1..=length).map(|line| format!("line{line}();\n")).collect();
        write(
            &root,
            number,
            &format!("changed{number}();\n\n{program}"),
            &(number / 2 + 1).to_string(),
        );
    }
    (scratch, root)
}

/// Writes one task and its solution.
pub(crate) fn write(root: &Path, number: usize, task: &str, solution: &str) {
    fs::write(root.join(format!("Tasks/{number}.txt")), task).expect("a file can be written");
    fs::write(root.join(format!("Solutions/{number}.txt")), solution)
        .expect("a file can be written");
}

/// The runs in a folder, oldest first.
pub(crate) fn runs(folder: &Path) -> Vec<PathBuf> {
    let entries = fs::read_dir(folder.join("runs")).expect("there are runs");
    let mut runs: Vec<PathBuf> = entries.map(|entry| entry.expect("it is there").path()).collect();
    runs.sort();
    runs
}

/// Every file under a folder, by path.
pub(crate) fn files(root: &Path) -> BTreeMap<PathBuf, Vec<u8>> {
    let mut found = BTreeMap::new();
    let mut folders = vec![root.to_owned()];
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(folder).expect("a folder can be read") {
            let path = entry.expect("a folder can be read").path();
            if path.is_dir() {
                folders.push(path);
            } else {
                let inner = path.strip_prefix(root).expect("a folder can be read").to_owned();
                found.insert(inner, fs::read(path).expect("a folder can be read"));
            }
        }
    }
    found
}

/// The folder with real data. Prints a notice if it does not exist.
pub(crate) fn real_data(test: &str) -> Option<PathBuf> {
    let data = std::env::var_os("ASSAY_DATA").map(PathBuf::from).filter(|data| data.is_dir());
    if data.is_none() {
        // Not with a macro: the test harness would capture it.
        let _ =
            writeln!(std::io::stderr(), "SKIPPED {test}: ASSAY_DATA names no folder of real data");
    }
    data
}

/// The files of a folder in an archive, by name.
pub(crate) fn unpack(archive: &Path, folder: &str) -> BTreeMap<String, Vec<u8>> {
    let mut packed = zstd::Decoder::new(File::open(archive).expect("the archive is sound"))
        .expect("the archive is sound");
    packed.window_log_max(27).expect("the archive is sound");
    let mut files = BTreeMap::new();
    for entry in tar::Archive::new(packed).entries().expect("the archive is sound") {
        let mut entry = entry.expect("the archive is sound");
        let path = entry.path().expect("the archive is sound").into_owned();
        if path.parent().is_some_and(|parent| parent.ends_with(folder)) {
            let mut bytes = Vec::new();
            entry.read_to_end(&mut bytes).expect("the archive is sound");
            files.insert(
                path.file_name().expect("the archive is sound").to_string_lossy().into_owned(),
                bytes,
            );
        }
    }
    files
}
