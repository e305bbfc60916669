//! The programs that serve weights: which one is here, and how it is started.

use std::fmt;
use std::path::{Path, PathBuf};
use std::thread;
use std::time::{Duration, Instant};

use assay_core::{Error, Result, Secret};
use assay_guard::{Guarded, GuardedCommand, Output};
use serde_json::json;

use super::settings::LocalSettings;
use super::tail::Tail;
use super::weights::{Format, Weights};

/// A program that serves weights.
#[derive(Debug)]
pub(super) enum Program {
    /// llama.cpp's server.
    LlamaServer { version: String },
    /// The same in a Python package.
    Xllamacpp { version: String },
    /// For folders of safetensors.
    Vllm { version: String },
    /// A command of the user.
    Command { template: String, words: Vec<String>, folder: PathBuf },
}

/// The input of a server's start, besides its settings.
pub(super) struct Start<'a> {
    pub(super) weights: &'a Weights,
    pub(super) settings: &'a LocalSettings,
    pub(super) port: u16,
    pub(super) key: &'a Secret,
}

/// The launcher for the Python package.
const LAUNCHER: &str = include_str!("launch.py");
/// The variable with the server's key, for programs that have no variable of their own.
const KEY: &str = "ASSAY_SERVER_KEY";
/// The variables with the keys of llama-server and vLLM: on a command line, everybody could read them.
const KEYS: [&str; 3] = [KEY, "LLAMA_API_KEY", "VLLM_API_KEY"];
/// The variables with keys of other servers, which are no business of this one.
const OTHER_KEYS: [&str; 2] = ["ASSAY_API_KEY", "OPENAI_API_KEY"];
/// The names of the parts of a command that are filled in.
const PLACEHOLDERS: [&str; 6] = ["{model}", "{port}", "{key}", "{threads}", "{context}", "{slots}"];
/// The number of connections that the package's server holds at once: as many as requests can be in flight, and some.
const CONNECTIONS: u32 = 64;
/// The time limit for a program to say its version. vLLM loads a lot before it does.
const TIME_TO_SAY: Duration = Duration::from_mins(2);

impl Program {
    /// Finds a program for the weights, or reads the user's command, which runs in `folder`.
    pub(super) fn find(weights: &Weights, settings: &LocalSettings, folder: &Path) -> Result<Self> {
        if let Some(template) = &settings.server_command {
            return Self::from_template(template, folder);
        }
        let found = match weights.format {
            Format::Gguf => llama_server().or_else(xllamacpp),
            Format::Safetensors => vllm(),
        };
        found.ok_or_else(|| nothing_found(weights.format))
    }

    fn from_template(template: &str, folder: &Path) -> Result<Self> {
        let wrong = |why: &str| {
            Error::usage(format!("--server-command {template:?}: {why}"))
                .hint("for example: --server-command 'my-server --model {model} --port {port}'")
        };
        let words = shlex::split(template).ok_or_else(|| wrong("a quote is not closed"))?;
        if words.is_empty() {
            return Err(wrong("this names no command"));
        }
        if !template.contains("{port}") {
            return Err(wrong("the server must be told its {port}"));
        }
        Ok(Self::Command { template: template.to_owned(), words, folder: folder.to_owned() })
    }

    /// The command that starts it.
    pub(super) fn command(&self, start: &Start<'_>) -> GuardedCommand {
        let command = match self {
            Self::LlamaServer { .. } => llama_server_command(start),
            Self::Xllamacpp { .. } => xllamacpp_command(start),
            Self::Vllm { .. } => vllm_command(start),
            Self::Command { words, folder, .. } => {
                let words: Vec<String> = words.iter().map(|word| filled(word, start)).collect();
                let (program, arguments) =
                    words.split_first().map_or(("", &[][..]), |(a, b)| (a.as_str(), b));
                GuardedCommand::new(program).args(arguments).current_dir(folder)
            }
        };
        let command =
            KEYS.iter().fold(command, |command, name| command.env(name, start.key.expose()));
        let command = OTHER_KEYS.iter().fold(command, GuardedCommand::env_remove);
        command.stderr(Output::Piped)
    }
}

/// The word with its placeholders filled in, in one pass: a path may look like a placeholder.
fn filled(word: &str, start: &Start<'_>) -> String {
    let Start { weights, settings, port, key } = start;
    let value = |name: &str| match name {
        "{model}" => weights.path.display().to_string(),
        "{port}" => port.to_string(),
        "{key}" => key.expose().to_owned(),
        "{threads}" => settings.threads.to_string(),
        "{context}" => settings.context.to_string(),
        _ => settings.slots.to_string(),
    };
    let (mut rest, mut text) = (word, String::new());
    while let Some((at, name)) =
        PLACEHOLDERS.iter().filter_map(|name| Some((rest.find(name)?, name))).min()
    {
        text.push_str(&rest[..at]);
        text.push_str(&value(name));
        rest = &rest[at + name.len()..];
    }
    text + rest
}

fn llama_server_command(start: &Start<'_>) -> GuardedCommand {
    let Start { weights, settings, port, .. } = start;
    let LocalSettings { threads, slots, context, .. } = settings;
    let number = |number: u64| number.to_string();
    // Its context is shared by the slots.
    let whole = u64::from(*context) * u64::from(*slots);
    GuardedCommand::new("llama-server").args(["--model"]).args([&weights.path]).args([
        "--alias",
        &weights.name,
        "--host",
        "127.0.0.1",
        "--port",
        &number(u64::from(*port)),
        "--threads",
        &number(u64::from(*threads)),
        "--parallel",
        &number(u64::from(*slots)),
        "--ctx-size",
        &number(whole),
    ])
}

fn xllamacpp_command(start: &Start<'_>) -> GuardedCommand {
    let Start { weights, settings, port, .. } = start;
    let LocalSettings { threads, slots, context, .. } = settings;
    let settings = json!({
        "model": weights.path.to_string_lossy(),
        "port": port,
        "threads": threads,
        "slots": slots,
        "context": context,
        "connections": CONNECTIONS.saturating_add(*slots),
    });
    GuardedCommand::new("python3").args(["-c", LAUNCHER, &settings.to_string()])
}

fn vllm_command(start: &Start<'_>) -> GuardedCommand {
    let Start { weights, settings, port, .. } = start;
    GuardedCommand::new("vllm").args(["serve"]).args([&weights.path]).args([
        "--served-model-name",
        &weights.name,
        "--host",
        "127.0.0.1",
        "--port",
        &port.to_string(),
        "--max-num-seqs",
        &settings.slots.to_string(),
        "--max-model-len",
        &settings.context.to_string(),
    ])
}

fn llama_server() -> Option<Program> {
    let said = said_by("llama-server", &["--version"])?;
    let version = said.lines().find_map(|line| line.trim().strip_prefix("version:"));
    let version = version.map(str::trim).filter(|version| !version.is_empty());
    Some(Program::LlamaServer { version: version.unwrap_or("unknown").to_owned() })
}

fn xllamacpp() -> Option<Program> {
    const ASK: &str = "import importlib.metadata as m; print('version', m.version('xllamacpp'))";
    let said = said_by("python3", &["-c", ASK])?;
    let version = said.lines().find_map(|line| line.strip_prefix("version "))?;
    Some(Program::Xllamacpp { version: version.trim().to_owned() })
}

fn vllm() -> Option<Program> {
    let said = said_by("vllm", &["--version"])?;
    // Warnings come before it.
    let version = said.lines().rev().find(|line| !line.trim().is_empty())?;
    Some(Program::Vllm { version: version.trim().to_owned() })
}

/// The output of a command that ends soon and well; `None` if there is none.
fn said_by(program: &str, arguments: &[&str]) -> Option<String> {
    let command = GuardedCommand::new(program).args(arguments);
    let command = command.stdout(Output::Piped).stderr(Output::Piped);
    let mut guarded = Guarded::spawn(command).ok()?;
    let tails: Vec<Tail> =
        [guarded.stderr.take().map(Tail::of), guarded.stdout.take().map(Tail::of)]
            .into_iter()
            .flatten()
            .collect();
    let asked = Instant::now();
    let status = loop {
        match guarded.try_wait() {
            Ok(Some(status)) => break status,
            Ok(None) if asked.elapsed() < TIME_TO_SAY => thread::sleep(Duration::from_millis(5)),
            _ => return None,
        }
    };
    let said: String = tails.iter().map(|tail| tail.text() + "\n").collect();
    status.success().then_some(said)
}

fn nothing_found(format: Format) -> Error {
    let other = "name another server with --server-command 'COMMAND --model {model} --port {port}'";
    match format {
        Format::Gguf => Error::refused("no program here can serve a model in GGUF").hint(format!(
            "install one: `pip install xllamacpp`, for the python3 in your PATH, or llama.cpp, which has llama-server; \
             or {other}"
        )),
        Format::Safetensors => Error::refused("no program here can serve a folder of safetensors")
            .hint(format!("install one: `pip install vllm`; or {other}")),
    }
}

impl fmt::Display for Program {
    /// The name and the version, for the signature. A command is named as a whole.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::LlamaServer { version } => write!(f, "llama-server {version}"),
            Self::Xllamacpp { version } => write!(f, "xllamacpp {version}"),
            Self::Vllm { version } => write!(f, "vLLM {version}"),
            Self::Command { template, .. } => write!(f, "command {template}"),
        }
    }
}

#[cfg(test)]
mod tests {
    use assay_core::Digest;

    use super::*;

    fn filled_in(word: &str, path: &str) -> String {
        let weights = Weights {
            name: "m".to_owned(),
            path: path.into(),
            format: Format::Gguf,
            digest: Digest::of(b""),
        };
        let settings =
            LocalSettings { threads: 2, slots: 3, context: 64, ..LocalSettings::default() };
        let key = Secret::new("secret-1").unwrap();
        filled(word, &Start { weights: &weights, settings: &settings, port: 80, key: &key })
    }

    #[test]
    fn placeholders_are_filled_in_once() {
        for (word, text) in [
            ("--port={port}", "--port=80"),
            ("{threads}{slots},{context}", "23,64"),
            ("{key}/{other}{", "secret-1/{other}{"),
            ("a{model}b", "a/w/{port}.ggufb"),
            ("plain", "plain"),
        ] {
            assert_eq!(filled_in(word, "/w/{port}.gguf"), text);
        }
    }

    #[test]
    fn mistakes_in_a_command_are_named() {
        for (template, why) in [
            ("", "this names no command"),
            ("serve 'x --port {port}", "a quote is not closed"),
            ("serve {model}", "the server must be told its {port}"),
        ] {
            let error = Program::from_template(template, Path::new(".")).unwrap_err();
            assert_eq!(error.to_string(), format!("--server-command {template:?}: {why}"));
        }
    }
}
