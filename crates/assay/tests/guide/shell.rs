//! The folder in which a page's commands run, and its shell.

#![expect(clippy::disallowed_methods, reason = "tests start a shell with the user's PATH")]

use std::fs;
use std::io::{Read as _, pipe};
use std::os::unix::process::CommandExt as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::{OnceLock, mpsc};
use std::time::Duration;

use rustix::process::{Pid, Signal, kill_process_group};
use tempfile::TempDir;

use crate::toy_server::ToyServer;
use crate::{fixtures, model};

/// The longest time for one command: far more than any needs.
const LIMIT: Duration = Duration::from_mins(5);

/// A stand-in for `cargo run`, because the binary is built already.
const CARGO: &str = "#!/bin/sh
[ \"$1\" = run ] || { echo \"only cargo run\" >&2; exit 1; }
while [ \"$1\" != -- ]; do shift; done
shift
exec assay \"$@\"
";

/// A folder with small data, a home, and a `PATH` on which `assay` is the binary under test.
pub(super) struct Workshop {
    root: TempDir,
    /// The model server of the page, started when a command first names it.
    server: OnceLock<ToyServer>,
}

/// The address of the model server on pages. It has another port here, because this one may be in use.
const SERVER: &str = "localhost:8000";

/// The exit code of a command, and all that it printed.
pub(super) struct Printed {
    pub(super) code: i32,
    pub(super) lines: Vec<String>,
}

impl Workshop {
    /// A new folder; on the page of tasks, with the data of one task.
    pub(super) fn new(task: Option<&str>) -> Self {
        let root = tempfile::tempdir().expect("a folder can be made");
        let workshop = Self { root, server: OnceLock::new() };
        for folder in ["work", "home", "bin", "tmp", "data"] {
            fs::create_dir(workshop.path(folder)).expect("a folder can be made");
        }
        let assay = workshop.path("bin/assay");
        std::os::unix::fs::symlink(env!("CARGO_BIN_EXE_assay"), assay).expect("a link can be made");
        fixtures::script(&workshop.path("bin/cargo"), CARGO);
        fixtures::write(&workshop, task);
        workshop
    }

    /// A path under the folder.
    pub(super) fn path(&self, inner: &str) -> PathBuf {
        self.root.path().join(inner)
    }

    /// A path under the folder in which commands run.
    pub(super) fn work(&self, inner: &str) -> PathBuf {
        self.path("work").join(inner)
    }

    /// Runs a command; what it prints on standard output and standard error comes in the order of printing.
    pub(super) fn run(
        &self,
        line: &str,
        setting: Option<&(String, String)>,
    ) -> Result<Printed, String> {
        let (mut reader, writer) = pipe().map_err(|error| error.to_string())?;
        let line = if line.contains(SERVER) {
            let server = self.server.get_or_init(model::start);
            &line.replace(SERVER, &format!("localhost:{}", server.port()))
        } else {
            line
        };
        let mut command = self.shell(line);
        command.envs(setting.map(|(name, value)| (name, value)));
        command.stdout(writer.try_clone().map_err(|error| error.to_string())?).stderr(writer);
        let mut child = command.spawn().map_err(|error| error.to_string())?;
        // The writing ends in this process close with it.
        drop(command);
        let (sender, receiver) = mpsc::channel();
        std::thread::spawn(move || {
            let mut bytes = Vec::new();
            let _ = reader.read_to_end(&mut bytes);
            let _ = sender.send(bytes);
        });
        let Ok(bytes) = receiver.recv_timeout(LIMIT) else {
            let group = Pid::from_child(&child);
            let _ = kill_process_group(group, Signal::KILL);
            let _ = child.wait();
            return Err(format!("`{line}` did not end within {} s", LIMIT.as_secs()));
        };
        let status = child.wait().map_err(|error| error.to_string())?;
        let text = String::from_utf8_lossy(&bytes);
        let text = text.replace(&self.root.path().display().to_string(), "…");
        let text = match self.server.get() {
            Some(server) => text.replace(&format!("localhost:{}", server.port()), SERVER),
            None => text,
        };
        let lines = text.lines().map(|line| line.trim_end().to_owned()).collect();
        Ok(Printed { code: status.code().unwrap_or(-1), lines })
    }

    /// A shell with an environment of its own.
    fn shell(&self, line: &str) -> Command {
        let mut command = Command::new("sh");
        command.args(["-c", line]).current_dir(self.path("work")).process_group(0).env_clear();
        let path = std::env::var_os("PATH").unwrap_or_default();
        let path = std::env::split_paths(&path);
        let path = std::env::join_paths([self.path("bin")].into_iter().chain(path));
        command.env("PATH", path.expect("a list of folders"));
        // Pages show what a terminal shows.
        command.env("COLUMNS", "80");
        // Managers of versions find their toolchains in the user's home, which is another one here.
        let home = std::env::var_os("HOME").unwrap_or_default();
        for (name, folder) in
            [("RUSTUP_HOME", ".rustup"), ("CARGO_HOME", ".cargo"), ("PYENV_ROOT", ".pyenv")]
        {
            let kept = std::env::var_os(name).map(PathBuf::from);
            let kept = kept.unwrap_or_else(|| Path::new(&home).join(folder));
            if kept.is_dir() {
                command.env(name, kept);
            }
        }
        command.env("HOME", self.path("home")).env("TMPDIR", self.path("tmp"));
        command.env("LANG", "C.UTF-8").env("ASSAY_DATA", self.path("data"));
        command.env("GIT_CONFIG_NOSYSTEM", "1").stdin(Stdio::null());
        command
    }
}

/// True if a program is installed.
pub(super) fn installed(program: &str) -> bool {
    let path = std::env::var_os("PATH").unwrap_or_default();
    std::env::split_paths(&path).any(|folder| folder.join(program).is_file())
}
