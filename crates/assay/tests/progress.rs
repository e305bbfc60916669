//! Progress on a terminal and elsewhere: what is shown while answers are graded, and how wide it is.

#![expect(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

mod common;

use std::fs;
use std::path::Path;
use std::process::{Command, Stdio};

use common::{CommandOutput, assay};
use serde_json::json;
use tempfile::{TempDir, tempdir};

/// Runs a command on a terminal of its own with so many columns, and presses Ctrl-C once it has printed a text so many
/// times, or after two minutes. Python can do that, and is there, because the programs under test need it.
const ON_TERMINAL: &str = r#"
import fcntl, os, pty, select, struct, sys, termios, time
columns, text, times, command = int(sys.argv[1]), sys.argv[2].encode(), int(sys.argv[3]), sys.argv[4:]
process, terminal = pty.fork()
if process == 0:
    fcntl.ioctl(0, termios.TIOCSWINSZ, struct.pack("HHHH", 24, columns, 0, 0))
    os.execv(command[0], command)
said, pressed, begun = b"", False, time.monotonic()
while True:
    if select.select([terminal], [], [], 1)[0]:
        try:
            part = os.read(terminal, 1 << 16)
        except OSError:
            break
        said += part
    if not pressed and (said.count(text) >= times or time.monotonic() - begun > 120):
        pressed = os.write(terminal, b"\x03")
sys.stdout.buffer.write(said)
sys.stdout.flush()
sys.exit(os.waitstatus_to_exitcode(os.waitpid(process, 0)[1]))
"#;

/// A folder with an endless answer, as the sixth sample, and a wrong one.
fn answers() -> TempDir {
    let folder = tempdir().unwrap();
    let line = |body: &str| json!({ "task_id": "Sample/1", "completion": body }).to_string() + "\n";
    let quick: String = (0..5).map(|number| line(&format!("    return {number}\n"))).collect();
    fs::write(folder.path().join("s.jsonl"), quick + &line("    while True: pass\n")).unwrap();
    folder
}

const SETTINGS: [&str; 6] = ["--data", "sample", "--timeout", "600", "-j", "2"];

/// The output of a command on a terminal that is interrupted once a text was there so many times.
fn on_terminal(
    folder: &Path,
    columns: usize,
    until: (&str, usize),
    command: &[&str],
) -> Vec<String> {
    // Only for its environment.
    let assay = assay(folder);
    #[expect(clippy::disallowed_methods, reason = "a terminal for the binary")]
    let mut python = Command::new("python3");
    python.args(["-c", ON_TERMINAL, &columns.to_string(), until.0, &until.1.to_string()]);
    python.arg(assay.get_program()).args(command).args(SETTINGS).current_dir(folder);
    for (name, value) in assay.get_envs() {
        match value {
            Some(value) => python.env(name, value),
            None => python.env_remove(name),
        };
    }
    let output = CommandOutput::from(python.stdin(Stdio::null()).output().unwrap());
    assert_eq!(output.code, 130, "{output:?}");
    let lines = drawn(&output.out);
    assert!(lines.iter().any(|line| line.starts_with("interrupted with ")), "{lines:?}");
    lines
}

/// The lines as they were drawn, without what moves the cursor.
fn drawn(said: &str) -> Vec<String> {
    let mut plain = String::new();
    let mut rest = said;
    while let Some((before, after)) = rest.split_once("\x1b[") {
        plain += before;
        plain.push('\r');
        rest = after.trim_start_matches(|letter: char| !letter.is_ascii_alphabetic());
        rest = rest.get(1..).unwrap_or_default();
    }
    plain += rest;
    plain.split(['\r', '\n']).filter(|line| !line.is_empty()).map(str::to_owned).collect()
}

/// The lines of a bar, of which none reaches the last column.
fn bars<'a>(lines: &'a [String], label: &str, columns: usize) -> Vec<&'a str> {
    let bars = lines.iter().map(|line| line.trim_end().trim_end_matches("^C").trim_end());
    let bars: Vec<&str> = bars.filter(|line| line.starts_with(label)).collect();
    let widest = bars.iter().map(|line| line.chars().count()).max();
    assert!(widest.is_some() && widest < Some(columns), "{columns}: {bars:?}");
    bars
}

#[test]
fn the_slowest_sample_is_shown_while_nothing_finishes_and_no_line_wraps() {
    for columns in [100, 80, 40, 20] {
        let folder = answers();
        // Drawn again and again, with nothing but the slow sample at work.
        let command = ["score", "humaneval", "s.jsonl"];
        let lines = on_terminal(folder.path(), columns, ("16/17", 25), &command);
        let bars = bars(&lines, "score ", columns);
        let slowest = bars.iter().any(|line| line.contains("Sample/1#5 1 s"));
        assert_eq!(slowest, columns >= 40, "{columns}: {bars:?}");
    }
}

#[test]
fn a_run_is_shown_after_its_gold_gate() {
    let folder = answers();
    let command = ["run", "humaneval", "-s", "file:s.jsonl", "-n", "6"];
    let lines = on_terminal(folder.path(), 80, ("slowest: Sample/1#5", 3), &command);
    bars(&lines, "file:s.jsonl ", 80);
}

#[test]
fn without_a_terminal_a_line_says_the_same_from_time_to_time() {
    use std::io::{BufRead, BufReader};
    let folder = answers();
    let mut child = assay(folder.path());
    child.args(["score", "humaneval", "s.jsonl"]).args(SETTINGS);
    let mut child = child.stdout(Stdio::null()).stderr(Stdio::piped()).spawn().unwrap();
    let mut lines = BufReader::new(child.stderr.take().unwrap()).lines();
    // The test ends when the line comes, or when the process ends without it.
    let line = lines.find_map(|line| line.ok().filter(|line| line.starts_with("score ")));
    child.kill().unwrap();
    child.wait().unwrap();
    let line = line.unwrap();
    assert!(
        line.starts_with("score 16/17 ") && line.contains(" left · slowest: Sample/1#5 "),
        "{line}"
    );
}
