//! Running commands in the repository's root.

use std::io::Write;
use std::path::PathBuf;
use std::process::{Command, Stdio};

use crate::Outcome;

/// Prints a message to the developer.
pub(crate) fn print(text: &str) {
    let _ = writeln!(std::io::stderr().lock(), "{text}");
}

/// The repository's root.
pub(crate) fn root() -> PathBuf {
    let here = PathBuf::from(env!("CARGO_MANIFEST_DIR"));
    here.parent().map_or_else(|| here.clone(), PathBuf::from)
}

/// The folder of real datasets: `ASSAY_DATA`, or `../shared/data` beside the repository.
pub(crate) fn data() -> Option<PathBuf> {
    #[expect(clippy::disallowed_methods, reason = "xtask is not part of the product")]
    let given = std::env::var_os("ASSAY_DATA").map(PathBuf::from);
    let beside = root().join("../shared/data");
    given.or_else(|| beside.canonicalize().ok()).filter(|folder| folder.is_dir())
}

/// A command in the repository's root.
pub(crate) fn command(program: &str, arguments: &[&str]) -> Command {
    #[expect(clippy::disallowed_methods, reason = "xtask runs the developer's tools")]
    let mut command = Command::new(program);
    command.args(arguments).current_dir(root());
    if let Some(data) = data() {
        command.env("ASSAY_DATA", data);
    }
    command
}

/// Runs a command and passes its output through.
pub(crate) fn run(program: &str, arguments: &[&str]) -> Outcome {
    run_command(command(program, arguments), &format!("{program} {}", arguments.join(" ")))
}

/// Runs a prepared command, called `title` in messages.
pub(crate) fn run_command(mut command: Command, title: &str) -> Outcome {
    print(&format!("\n==> {title}"));
    match command.status() {
        Ok(status) if status.success() => Ok(()),
        Ok(status) => Err(format!("xtask: `{title}` ended with {status}")),
        Err(error) => Err(format!("xtask: `{title}` could not be started: {error}")),
    }
}

/// The output of a command, if it succeeds.
pub(crate) fn output(program: &str, arguments: &[&str]) -> Option<String> {
    let output = command(program, arguments).stderr(Stdio::null()).output().ok()?;
    let text = String::from_utf8(output.stdout).ok()?.trim().to_owned();
    output.status.success().then_some(text)
}

/// Returns whether a program exists and runs.
pub(crate) fn has(program: &str, arguments: &[&str]) -> bool {
    output(program, arguments).is_some()
}
