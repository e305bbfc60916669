//! The interpreters and compilers of this machine, and their commands.

use std::ffi::OsString;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use assay_core::{Digest, Error, Language, Result};

use super::limits::process_limits;
use super::runtime::Runtime;
use super::two_processes::{QUICK_JAVA, java_heap};
use crate::job::{Limits, RunRequest};
use crate::message::Step;

/// The limits of compiling.
pub(super) const COMPILING: Limits = Limits {
    cpu: Duration::from_mins(1),
    wall: Duration::from_mins(3),
    memory: 4 << 30,
    processes: 256,
    files: 256 << 20,
    output: 1 << 20,
};

/// An interpreter or a compiler.
#[derive(Debug, Clone)]
pub struct Tool {
    /// Its language.
    pub language: Language,
    /// The executable itself, not a version manager's shim.
    pub path: PathBuf,
    /// Its version, as the tool reports it.
    pub version: String,
    /// A digest of the names and versions of the packages that programs can import; empty for tools without any.
    pub packages: String,
    pub(super) runtime: Runtime,
    /// The folders that it needs.
    folders: Vec<PathBuf>,
}

/// The tools of this machine.
#[derive(Debug, Clone, Default)]
pub struct Tools {
    tools: Vec<Tool>,
}

impl Tools {
    /// The languages that candidates can be run in.
    pub const LANGUAGES: [Language; 6] = [
        Language::Python,
        Language::JavaScript,
        Language::Java,
        Language::Cpp,
        Language::Go,
        Language::Rust,
    ];

    /// The tools for `languages` on the `PATH`.
    pub fn of_this_machine(languages: &[Language]) -> Self {
        // Asking a tool for its version starts a process, which can be slow.
        static KNOWN: Mutex<Vec<(Language, Option<Tool>)>> = Mutex::new(Vec::new());
        #[expect(clippy::disallowed_methods, reason = "where tools are looked for")]
        let path = std::env::var_os("PATH").unwrap_or_default();
        let search: Vec<PathBuf> = std::env::split_paths(&path).collect();
        let mut known = KNOWN.lock().unwrap_or_else(PoisonError::into_inner);
        for &language in languages {
            if !known.iter().any(|&(other, _)| other == language) {
                known.push((language, find(language, &search)));
            }
        }
        let wanted = known.iter().filter(|(language, _)| languages.contains(language));
        Self { tools: wanted.filter_map(|(_, tool)| tool.clone()).collect() }
    }

    /// The tool for a language.
    pub fn get(&self, language: Language) -> Result<&Tool> {
        self.tools.iter().find(|tool| tool.language == language).ok_or_else(|| {
            let missing = format!("this machine has nothing that runs {language}");
            match Runtime::of(language) {
                Some(runtime) => Error::refused(missing)
                    .hint(format!("install {}, and see `assay doctor`", runtime.software())),
                None => Error::refused(format!("programs in {language} cannot be run")),
            }
        })
    }

    /// All of them.
    pub fn all(&self) -> &[Tool] {
        &self.tools
    }

    /// The folders that candidates must see for all of them.
    pub(crate) fn folders(&self) -> Vec<PathBuf> {
        self.tools.iter().flat_map(|tool| tool.folders.iter().cloned()).collect()
    }
}

impl Tool {
    /// Its version number, such as `3.11.7`.
    pub fn number(&self) -> &str {
        let is_part = |c: char| c.is_ascii_digit() || c == '.';
        let mut words = self.version.split(|c| !is_part(c));
        words.find(|word| word.contains('.') && word.len() > 2).unwrap_or("unknown")
    }

    /// The name of the source file.
    pub(crate) fn file_name<'a>(&self, request: &RunRequest<'a>) -> &'a str {
        request.source.name.unwrap_or(self.runtime.file_name())
    }

    /// The steps that compile and run a program.
    pub(crate) fn steps(&self, request: &RunRequest<'_>) -> Vec<Step> {
        let path = self.path.to_string_lossy().into_owned();
        let file = self.file_name(request);
        let heap = request.limits.memory >> 20;
        let compile = |words: &[&str]| Step {
            command: command(&path, words),
            limits: process_limits(&COMPILING, false),
            compiles: true,
        };
        let limit_addresses = self.runtime.supports_address_limit();
        let run = |path: &str, words: &[&str]| Step {
            command: command(path, words),
            limits: process_limits(&request.limits, limit_addresses),
            compiles: false,
        };
        match self.runtime {
            Runtime::Python => vec![run(&path, &["-s", file])],
            Runtime::JavaScript => {
                let heap = format!("--max-old-space-size={heap}");
                vec![compile(&["--check", file]), run(&path, &[&heap, file])]
            }
            Runtime::Java => {
                let class = file.strip_suffix(".java").unwrap_or(file);
                let java = self.path.with_file_name("java").to_string_lossy().into_owned();
                let quick = QUICK_JAVA;
                let compiler: Vec<String> = quick.iter().map(|flag| format!("-J{flag}")).collect();
                let mut compiling: Vec<&str> = compiler.iter().map(String::as_str).collect();
                compiling.extend(["-nowarn", "-d", ".", file]);
                let heap = java_heap(heap);
                let mut running = quick.to_vec();
                running.extend(["-Xss64m", &heap, "-cp", ".", class]);
                vec![compile(&compiling), run(&java, &running)]
            }
            Runtime::Cpp => vec![
                compile(&["-std=c++17", "-O1", "-w", "-o", "program", file]),
                run("./program", &[]),
            ],
            Runtime::Go => {
                vec![compile(&["build", "-o", "program", file]), run("./program", &[])]
            }
            Runtime::Rust => vec![
                compile(&["--edition", "2021", "-O", "-A", "warnings", "-o", "program", file]),
                run("./program", &[]),
            ],
        }
    }
}

fn command(program: &str, words: &[&str]) -> Vec<String> {
    [&[program], words].concat().iter().map(|&word| word.to_owned()).collect()
}

fn find(language: Language, search: &[PathBuf]) -> Option<Tool> {
    let runtime = Runtime::of(language)?;
    let name = runtime.command();
    let found = search.iter().map(|folder| folder.join(name)).find(|path| path.is_file())?;
    match runtime {
        Runtime::Python => python(&found),
        Runtime::Rust => {
            // rustup's shim only knows where the compiler is.
            let root = PathBuf::from(ask(&found, &["--print", "sysroot"])?);
            let path = root.join("bin/rustc");
            let version = ask(&path, &["--version"])?;
            Some(Tool {
                language,
                runtime,
                path,
                version,
                packages: String::new(),
                folders: vec![root],
            })
        }
        Runtime::Go => {
            let root = PathBuf::from(ask(&found, &["env", "GOROOT"])?);
            let path = root.join("bin/go");
            let version = ask(&path, &["version"])?;
            Some(Tool {
                language,
                runtime,
                path,
                version,
                packages: String::new(),
                folders: vec![root],
            })
        }
        Runtime::Java => {
            let path = fs::canonicalize(&found).ok()?;
            path.with_file_name("java").is_file().then_some(())?;
            // A virtual machine that runs out of memory would write a report into the current folder.
            let version = ask(&path, &["-J-XX:ErrorFile=/dev/null", "-version"])?;
            let home = path.parent()?.parent()?.to_owned();
            Some(Tool {
                language,
                runtime,
                path,
                version,
                packages: String::new(),
                folders: vec![home],
            })
        }
        Runtime::JavaScript | Runtime::Cpp => {
            let path = fs::canonicalize(&found).ok()?;
            let version = ask(&path, &["--version"])?;
            let folders = path.parent().map(Path::to_owned).into_iter().collect();
            Some(Tool { language, path, version, packages: String::new(), runtime, folders })
        }
    }
}

/// The question to a Python interpreter: where it is, its version, and what is installed. An installation writes a
/// `RECORD`, whose size and time change with every version. The folders themselves change when modules are compiled.
const ASK_PYTHON: &str = "\
import os, sys
print(os.path.realpath(sys.executable))
print(sys.prefix)
print(sys.base_prefix)
print(sys.executable)
name = sys.implementation.name
print('CPython' if name == 'cpython' else name, '%d.%d.%d' % sys.version_info[:3])
print(sys.version_info >= (3, 9))
found = []
for folder in sys.path:
    if os.path.basename(folder) in ('site-packages', 'dist-packages') and os.path.isdir(folder):
        for name in sorted(os.listdir(folder)):
            path = os.path.join(folder, name)
            if name.endswith('.dist-info'):
                path = os.path.join(path, 'RECORD')
            if name != '__pycache__':
                state = os.stat(path) if os.path.isfile(path) else None
                found.append((folder, name, state and (state.st_size, state.st_mtime_ns)))
print(ascii(found))
";

/// The interpreter behind `found`, which may be a version manager's shim.
fn python(found: &Path) -> Option<Tool> {
    let said = ask(found, &["-s", "-c", ASK_PYTHON])?;
    let [_, prefix, base, executable, version, new_enough, packages] =
        said.lines().collect::<Vec<_>>().try_into().ok()?;
    if new_enough != "True" {
        return None;
    }
    let folders = [prefix, base].map(PathBuf::from).to_vec();
    let (path, version) = (PathBuf::from(executable), version.to_owned());
    let packages = Digest::of(packages.as_bytes()).short();
    let (language, runtime) = (Language::Python, Runtime::Python);
    Some(Tool { language, path, version, packages, runtime, folders })
}

/// The output of a tool, if it succeeds.
fn ask(program: &Path, words: &[&str]) -> Option<String> {
    #[expect(clippy::disallowed_methods, reason = "the machine's own tools are asked who they are")]
    let mut command = Command::new(program);
    for key in assay_core::hidden_variables() {
        command.env_remove(key);
    }
    let words: Vec<OsString> = words.iter().map(OsString::from).collect();
    let said = command.args(words).stdin(Stdio::null()).output().ok()?;
    said.status.success().then_some(())?;
    // Java's compiler prints its version to standard error.
    let text = if said.stdout.is_empty() { said.stderr } else { said.stdout };
    let text = String::from_utf8(text).ok()?;
    let first = text.trim();
    (!first.is_empty()).then(|| first.to_owned())
}
