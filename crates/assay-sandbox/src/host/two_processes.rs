//! Jobs that run a candidate and its tests as two processes, in each language.

use std::sync::LazyLock;

use assay_core::{DigestOf, Ending, Error, Result};

use super::limits::process_limits;
use super::runtime::Runtime;
use super::tools::{COMPILING, Tool};
use crate::job::{Limits, TwoProcessRequest};
use crate::message::{self, Build, Report, Step};

/// The limits of the tests. Their CPU time does not count as the candidate's.
static TESTS: LazyLock<Limits> = LazyLock::new(|| Limits {
    memory: 2 << 30,
    ..Limits::with_cpu(std::time::Duration::from_mins(1))
});

/// Flags that make the Java virtual machine start quickly.
pub(super) const QUICK_JAVA: [&str; 3] =
    ["-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1", "-XX:-UsePerfData"];

/// The heap flag of a Java candidate with this much memory, in MiB. The heap is smaller, so that it runs out before
/// the memory of the virtual machine itself does, which would end without a message.
pub(super) fn java_heap(memory: u64) -> String {
    format!("-Xmx{}m", memory / 4 * 3)
}

/// The file names and commands of a language.
struct Plan {
    /// The library of both sides: its file name and its text.
    library: (&'static str, &'static str),
    compile_library: Vec<String>,
    /// The suffixes of the files to keep of the compiled library.
    library_kept: &'static [&'static str],
    /// Files of the candidate and of the tests that are the same for all.
    roots: [Option<(&'static str, &'static str)>; 2],
    /// The files of the candidate and of the tests.
    files: [&'static str; 2],
    /// The commands that compile them.
    compile: [Vec<String>; 2],
    /// The suffixes of the files to keep of the compiled tests.
    kept: &'static [&'static str],
    /// The commands that run them.
    run: [Vec<String>; 2],
}

impl Tool {
    /// The job that builds and runs a candidate and its tests.
    pub(crate) fn two_process_job(
        &self,
        request: &TwoProcessRequest<'_>,
    ) -> Result<message::TwoProcessJob> {
        let plan = self.plan(&request.limits)?;
        let compile = |command: Vec<String>| {
            let step = |command| Step {
                command,
                limits: process_limits(&COMPILING, false),
                compiles: true,
            };
            if command.is_empty() { Vec::new() } else { vec![step(command)] }
        };
        let run = |command, limits: &Limits| Step {
            command,
            limits: process_limits(limits, false),
            compiles: false,
        };
        let text = |name: &str, text: &str| (name.to_owned(), text.to_owned());
        let shared = Build {
            key: key(&[&self.version, plan.library.0, plan.library.1]),
            files: vec![text(plan.library.0, plan.library.1)],
            steps: compile(plan.compile_library),
            kept: plan.library_kept.iter().map(|&name| name.to_owned()).collect(),
        };
        let [program_step, tests_step] = plan.compile;
        let [run_program, run_tests] = plan.run;
        let files = |side: usize, own: &str| {
            let mut files = vec![text(plan.files[side], own)];
            files.extend(plan.roots[side].map(|(name, root)| text(name, root)));
            files
        };
        let tests = Build {
            key: key(&[&self.version, plan.library.1, request.tests]),
            files: files(1, request.tests),
            steps: compile(tests_step),
            kept: plan.kept.iter().map(|&name| name.to_owned()).collect(),
        };
        let program = Build {
            key: String::new(),
            files: files(0, request.candidate),
            steps: compile(program_step),
            kept: Vec::new(),
        };
        let run_program = run(run_program, &request.limits);
        let run_tests = run(run_tests, &TESTS);
        Ok(message::TwoProcessJob { shared, tests, program, run_tests, run_program })
    }

    fn plan(&self, limits: &Limits) -> Result<Plan> {
        let heap = limits.memory >> 20;
        Ok(match self.runtime {
            Runtime::Java => self.java(heap),
            Runtime::JavaScript => self.javascript(heap),
            Runtime::Cpp => self.cpp(),
            Runtime::Go => self.go(),
            Runtime::Rust => self.rust(),
            // Python tests are not a program of their own: `Sandbox::run_tests` runs them.
            Runtime::Python => {
                return Err(Error::failed("tests that are a program cannot be in Python"));
            }
        })
    }

    /// Builds a command of this tool.
    fn with(&self, before: &[&str], after: &[&str]) -> Vec<String> {
        words(&self.path.to_string_lossy(), &[before, after].concat())
    }

    fn java(&self, heap: u64) -> Plan {
        let java = self.path.with_file_name("java").to_string_lossy().into_owned();
        let flags: Vec<String> = QUICK_JAVA.iter().map(|flag| format!("-J{flag}")).collect();
        let mut compiling: Vec<&str> = flags.iter().map(String::as_str).collect();
        compiling.extend(["-nowarn", "-proc:none", "-encoding", "UTF-8"]);
        compiling.extend(["-Xmaxerrs", "1", "-cp", ".", "-d", "."]);
        // Loading the compiler's own classes is nearly half of its work, so they are archived.
        let archive = [&compiling[..], &["-J-XX:ArchiveClassesAtExit=javac.jsa"]].concat();
        compiling.extend(["-J-XX:SharedArchiveFile=javac.jsa", "-J-Xlog:disable"]);
        let run = |heap: &str, role: &str| {
            let own = ["-Xss64m", heap, "-cp", ".", "Assay", role];
            words(&java, &[&QUICK_JAVA[..], &own].concat())
        };
        Plan {
            library: ("Assay.java", include_str!("../../wire/Assay.java")),
            compile_library: self.with(&archive, &["Assay.java"]),
            library_kept: &[".class", ".jsa"],
            roots: [None, None],
            files: ["Solution.java", "Main.java"],
            compile: [
                self.with(&compiling, &["Solution.java"]),
                self.with(&compiling, &["Main.java"]),
            ],
            kept: &[".class"],
            run: [run(&java_heap(heap), "serve"), run("-Xmx1024m", "tests")],
        }
    }

    fn cpp(&self) -> Plan {
        let common = [
            "-std=c++17",
            "-O1",
            "-w",
            "-fmax-errors=1",
            "-fno-diagnostics-show-caret",
            "-fdiagnostics-color=never",
        ];
        let both = [&common[..], &["-include", "wire.hpp", "-o"]].concat();
        let header = ["-x", "c++-header", "-o", "wire.hpp.gch", "wire.hpp"];
        Plan {
            library: ("wire.hpp", include_str!("../../wire/wire.hpp")),
            compile_library: self.with(&common, &header),
            library_kept: &["wire.hpp", "wire.hpp.gch"],
            roots: [None, None],
            files: ["program.cpp", "tests.cpp"],
            compile: [
                self.with(&both, &["program", "program.cpp"]),
                self.with(&both, &["tests", "tests.cpp"]),
            ],
            kept: &["tests"],
            run: [words("./program", &[]), words("./tests", &[])],
        }
    }

    fn go(&self) -> Plan {
        // Without debugger tables, the linker does half of the work.
        let build = ["build", "-ldflags=-s -w", "-o"];
        Plan {
            library: ("wire.go", include_str!("../../wire/wire.go")),
            compile_library: Vec::new(),
            library_kept: &["wire.go"],
            roots: [None, None],
            files: ["program.go", "tests.go"],
            compile: [
                self.with(&build, &["program", "program.go", "wire.go"]),
                self.with(&build, &["tests", "tests.go", "wire.go"]),
            ],
            kept: &["tests"],
            run: [words("./program", &[]), words("./tests", &[])],
        }
    }

    fn rust(&self) -> Plan {
        let common = ["--edition", "2021", "-A", "warnings", "--error-format", "short"];
        let linked = ["-C", "strip=symbols", "--extern", "assay_wire=libassay_wire.rlib", "-o"];
        let both = [&common[..], &linked].concat();
        let library = ["-O", "--crate-type", "rlib", "--crate-name", "assay_wire", "wire.rs"];
        Plan {
            library: ("wire.rs", include_str!("../../wire/wire.rs")),
            compile_library: self.with(&common, &library),
            library_kept: &[".rlib"],
            roots: [Some(("serve.rs", RUST_SERVES)), Some(("main.rs", RUST_TESTS))],
            files: ["program.rs", "tests.rs"],
            compile: [
                self.with(&both, &["program", "-O", "serve.rs"]),
                // The tests only compare values: optimising them costs more than it saves.
                self.with(&both, &["tests", "-C", "overflow-checks=off", "main.rs"]),
            ],
            kept: &["tests"],
            run: [words("./program", &[]), words("./tests", &[])],
        }
    }

    fn javascript(&self, heap: u64) -> Plan {
        let heap = format!("--max-old-space-size={heap}");
        Plan {
            library: ("wire.js", include_str!("../../wire/wire.js")),
            compile_library: Vec::new(),
            library_kept: &["wire.js"],
            roots: [None, None],
            files: ["program.js", "tests.js"],
            compile: [self.with(&["--check"], &["program.js"]), Vec::new()],
            kept: &[".js"],
            run: [self.with(&[&heap], &["wire.js", "serve"]), self.with(&["wire.js"], &["tests"])],
        }
    }
}

fn words(program: &str, words: &[&str]) -> Vec<String> {
    [&[program], words].concat().iter().map(|&word| word.to_owned()).collect()
}

const RUST_SERVES: &str =
    "#[path = \"program.rs\"]\nmod program;\nfn main() {\n    program::assay_serve()\n}\n";
const RUST_TESTS: &str = "#[path = \"tests.rs\"]\nmod exam;\nfn main() {\n    \
    assay_wire::test(exam::assay_tests)\n}\n";

fn key(texts: &[&str]) -> String {
    let mut all = DigestOf::new();
    for text in texts {
        all.field(text.as_bytes());
    }
    all.finish().to_string()
}

/// Shortens the message of a compiler, and recognises a runtime that ran out of memory.
pub(super) fn refine(report: &mut Report, runtime: Runtime) {
    match &report.ending {
        Ending::SyntaxError { message, .. } if ran_out_of_memory(message) => {
            report.ending = Ending::MemoryLimit;
        }
        Ending::SyntaxError { message, .. } => {
            let (message, line) = first_error(message, runtime);
            report.ending = Ending::SyntaxError { message, line };
        }
        Ending::EarlyExit { .. } | Ending::Crashed { .. }
            if ran_out_of_memory(&report.evidence.stderr_tail) =>
        {
            report.ending = Ending::MemoryLimit;
        }
        _ => {}
    }
}

/// The first error of a compiler, and its line in the candidate.
fn first_error(text: &str, runtime: Runtime) -> (String, Option<u32>) {
    let file = match runtime {
        Runtime::Java => "Solution.java:",
        Runtime::Cpp => "program.cpp:",
        Runtime::Go => "program.go:",
        Runtime::Rust => "program.rs:",
        Runtime::JavaScript => "program.js:",
        Runtime::Python => "program.py:",
    };
    let place = |line: &str| {
        let rest = &line[line.find(file)? + file.len()..];
        let digits = rest.find(|c: char| !c.is_ascii_digit()).unwrap_or(rest.len());
        Some((rest[..digits].parse().ok()?, rest[digits..].to_owned()))
    };
    let is_error = |line: &&str| match runtime {
        Runtime::Go => true,
        Runtime::JavaScript | Runtime::Python => line.contains(file),
        Runtime::Java | Runtime::Cpp | Runtime::Rust => line.contains("error"),
    };
    let found = text.lines().filter(is_error).find_map(place);
    if runtime == Runtime::JavaScript {
        let message = text.lines().find(|line| line.contains("Error: "));
        let line = found.map(|(line, _)| line);
        return (message.unwrap_or(text.trim()).trim().to_owned(), line);
    }
    if let Some((line, rest)) = found {
        // A column may follow the line.
        let rest = rest.trim_start_matches(|c: char| c == ':' || c.is_ascii_digit());
        let rest = rest.trim().strip_prefix("fatal ").unwrap_or(rest.trim());
        return (rest.strip_prefix("error: ").unwrap_or(rest).to_owned(), Some(line));
    }
    let line = text.lines().find(|line| line.contains("error") || line.contains("undefined"));
    (line.unwrap_or(text.trim()).trim().to_owned(), None)
}

/// Returns true if a line of a runtime's or a compiler's message starts with an out-of-memory error.
fn ran_out_of_memory(errors: &str) -> bool {
    const WORDS: [&str; 4] = [
        "FATAL ERROR: ",
        "memory allocation of ",
        "cc1plus: out of memory",
        "virtual memory exhausted",
    ];
    let gives_up = |line: &str| WORDS.iter().any(|words| line.starts_with(words));
    let of_memory = |line: &str| line.contains("memory");
    errors.lines().any(|line| gives_up(line) && of_memory(line))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_error_of_every_compiler_is_found_with_its_line() {
        let check = |runtime, text: &str, message: &str, line| {
            assert_eq!(first_error(text, runtime), (message.to_owned(), line));
        };
        let text = "In file included from x:\nprogram.cpp:7:5: error: 'x' was not declared\n  note";
        check(Runtime::Cpp, text, "'x' was not declared", Some(7));
        let text = "Solution.java:3: error: ';' expected\n    int x\n         ^\n1 error";
        check(Runtime::Java, text, "';' expected", Some(3));
        let text = "program.rs:2:9: error[E0425]: cannot find value `y`\nerror: aborting";
        check(Runtime::Rust, text, "error[E0425]: cannot find value `y`", Some(2));
        let text = "# command-line-arguments\n./program.go:5:2: undefined: x";
        check(Runtime::Go, text, "undefined: x", Some(5));
        let text =
            "/tmp/program.js:3\nlet x = ;\n        ^\n\nSyntaxError: Unexpected token ';'\n    at";
        check(Runtime::JavaScript, text, "SyntaxError: Unexpected token ';'", Some(3));
        let text = "/usr/bin/ld: /tmp/a.o: in function `main':\nprogram.cpp:(.text+0x1): undefined reference to `f()'";
        check(Runtime::Cpp, text, "program.cpp:(.text+0x1): undefined reference to `f()'", None);
        check(Runtime::Cpp, "strange", "strange", None);
    }

    #[test]
    fn want_of_memory_is_told_apart() {
        for text in [
            "x\nFATAL ERROR: near heap limit Allocation failed - JavaScript heap out of memory\n at",
            "memory allocation of 67108864 bytes failed\n",
            "cc1plus: out of memory allocating 65536 bytes",
        ] {
            assert!(ran_out_of_memory(text), "{text}");
        }
        assert!(!ran_out_of_memory("program.cpp:3:1: error: 'memory allocation of ' is no name"));
        assert!(!ran_out_of_memory("FATAL ERROR: no such thing"));
    }
}
