//! Programs of every language that the machine has tools for.

#![allow(clippy::unwrap_used, clippy::print_stderr, reason = "a test that cannot go on has failed")]

mod common;

use std::time::Duration;

use assay_core::{Cancel, Ending, Isolation, Language};
use assay_sandbox::{Limits, Report, RunRequest, Sandbox, Source, TwoProcessRequest};
use common::sandbox;

/// A language, a program that doubles a number, and one that does not compile.
const PROGRAMS: [(Language, &str, &str); 6] = [
    (Language::Python, "print(int(input()) * 2)", "print(1"),
    (
        Language::JavaScript,
        "console.log(2 * Number(require('fs').readFileSync(0, 'utf8')));",
        "let x = ;",
    ),
    (
        Language::Java,
        "import java.util.*; public class Main { public static void main(String[] a) { \
         System.out.println(2 * new Scanner(System.in).nextInt()); } }",
        "class Main { int }",
    ),
    (
        Language::Cpp,
        "#include <iostream>\nint main() { int x; std::cin >> x; std::cout << 2 * x << '\\n'; }",
        "int main() { return x; }",
    ),
    (
        Language::Go,
        "package main\nimport \"fmt\"\nfunc main() { var x int; fmt.Scan(&x); fmt.Println(2 * x) }",
        "package main\nfunc main() { x }",
    ),
    (
        Language::Rust,
        "fn main() { let mut t = String::new(); std::io::stdin().read_line(&mut t).unwrap(); \
         println!(\"{}\", 2 * t.trim().parse::<i32>().unwrap()); }",
        "fn main() { x }",
    ),
];

fn run(sandbox: &Sandbox, language: Language, text: &str, input: &str) -> Report {
    let limits = Limits::with_cpu(Duration::from_secs(5));
    let source = Source { text, name: None };
    sandbox
        .run(&RunRequest { prelude: "", language, source, input, limits }, &Cancel::new())
        .unwrap()
}

#[test]
fn programs_are_compiled_and_run() {
    for isolation in [Isolation::Warm, Isolation::Fresh] {
        let sandbox = sandbox(isolation);
        for (language, right, wrong) in PROGRAMS {
            if sandbox.tools().get(language).is_err() {
                eprintln!("SKIPPED: this machine has nothing that runs {language}");
                continue;
            }
            let done = run(&sandbox, language, right, "21\n");
            assert_eq!((&done.ending, done.output()), (&Ending::Passed, &b"42\n"[..]));
            let failed = run(&sandbox, language, wrong, "21\n");
            assert!(matches!(failed.ending, Ending::SyntaxError { .. }), "{language}: {failed:?}");
        }
    }
}

#[test]
fn compiled_programs_are_held_in_check() {
    let sandbox = sandbox(Isolation::Warm);
    let attacks = [
        "#include <unistd.h>\nint main() { while (true) fork(); }",
        "#include <vector>\nint main() { std::vector<char*> v; while (true) { char* p = new char[1 << 24]; \
         for (int i = 0; i < 1 << 24; i += 4096) p[i] = 1; v.push_back(p); } }",
        "#include <cstdio>\nint main() { while (true) puts(\"xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx\"); }",
        "#include <unistd.h>\nint main() { if (fork() == 0) { setsid(); sleep(1000); } return 3; }",
        "#include <fstream>\nint main() { return std::ifstream(\"/etc/shadow\").good() ? 0 : 4; }",
        "#include <sys/socket.h>\nint main() { return socket(AF_INET, SOCK_STREAM, 0) >= 0 ? 0 : 5; }",
        "#include <unistd.h>\n#include <fstream>\n\
         int main() { return std::ofstream(\"/usr/x\").good() || getppid() > 0 ? 0 : 6; }",
        "#include <sys/mount.h>\nint main() { return mount(\"x\", \"/tmp\", \"tmpfs\", 0, 0) == 0 ? 0 : 7; }",
    ];
    if sandbox.tools().get(Language::Cpp).is_err() {
        eprintln!("SKIPPED: this machine has no g++");
        return;
    }
    for text in attacks {
        let source = Source { text, name: None };
        let limits = common::limits();
        let request =
            RunRequest { prelude: "", language: Language::Cpp, source, input: "", limits };
        let done = sandbox.run(&request, &Cancel::new()).unwrap();
        let fine = matches!(
            done.ending,
            Ending::Passed | Ending::SyntaxError { .. } | Ending::SandboxError { .. }
        );
        assert!(!fine, "{text}: {done:?}");
        let after =
            run(&sandbox, Language::Python, "import os\nprint(len(os.listdir('/tmp')))", "");
        assert_eq!(after.output(), b"0\n", "{text} left something behind");
    }
}

#[test]
fn python_programs_run_as_an_interpreter_would_run_their_file() {
    for isolation in [Isolation::Warm, Isolation::Fresh] {
        let sandbox = sandbox(isolation);
        for text in [
            "print(int(open('/dev/stdin').read()) * 2)",
            "print(int(open('/dev/fd/0').read()) * 2)",
            "print(int(open('/proc/self/fd/0').read()) * 2)",
            "import pathlib\nprint(int(pathlib.Path('/dev/stdin').read_text()) * 2)",
            "import os\nprint(int(os.read(os.open('/dev/stdin', os.O_RDONLY), 9)) * 2)",
            "print(int(input()) * 2, file=open('/dev/stdout', 'w'))",
            "import sys\nsys.stdin = open('/dev/stdin')\nprint(int(input()) * 2)",
            "from __future__ import annotations\nprint(int(input()) * 2)",
            "\u{feff}print(int(input()) * 2)",
            "import sys\nprint(int(input()) * 2)\nsys.stdout.close()",
            "import sys\nprint(int(sys.stdin.buffer.read()) * 2, flush=True)\nsys.exit()",
        ] {
            let done = run(&sandbox, Language::Python, text, "21\n");
            assert_eq!(done.ending, Ending::Passed, "{isolation:?}: {text}");
            assert_eq!(done.output(), b"42\n", "{isolation:?}: {text}");
        }
    }
}

/// A language, a candidate that doubles a number, one that looks for the tests, and the tests.
const SEPARATE_TESTS: [(Language, &str, &str, &str); 2] = [
    (
        Language::Cpp,
        "int f(int x) { return 2 * x; }\n\
         int main() { assay::serve([] { assay::put<int>(f(assay::get<int>())); }); }",
        "#include <dirent.h>\nint f(int x) { int found = 0; DIR* all = opendir(\"tests.d\"); \
         while (all && readdir(all)) found++; return found > 2 ? 2 * x : 0; }\n\
         int main() { assay::serve([] { assay::put<int>(f(assay::get<int>())); }); }",
        "static bool greeted = assay::greet();\nint f(int x) { return assay::ask<int>(x); }\n\
         int main() { return f(21) == 42 ? 0 : 1; }",
    ),
    (
        Language::JavaScript,
        "const f = (x) => 2 * x;\nglobalThis.assayFunctions = { f };",
        "const f = (x) => require('fs').readdirSync('tests.d').length > 0 ? 2 * x : 0;\n\
         globalThis.assayFunctions = { f };",
        "assayAssert(assayAsk('f', [21]) === 42);",
    ),
];

#[test]
fn programs_answer_tests_that_they_cannot_see() {
    let sandbox = sandbox(Isolation::Warm);
    for (language, right, curious, tests) in SEPARATE_TESTS {
        if sandbox.tools().get(language).is_err() {
            eprintln!("SKIPPED: this machine has nothing that runs {language}");
            continue;
        }
        let limits = Limits::with_cpu(Duration::from_secs(5));
        let ending_of = |candidate| {
            let request = TwoProcessRequest { language, candidate, tests, limits };
            sandbox.run_two_processes(&request, &Cancel::new()).unwrap().ending
        };
        assert_eq!(ending_of(right), Ending::Passed, "{language}");
        let ending = ending_of(curious);
        assert!(matches!(ending, Ending::WrongAnswer { .. }), "{language}: {ending:?}");
        // Files that a candidate leaves behind do not reach the next one.
        assert_eq!(ending_of(right), Ending::Passed, "{language}");
    }
}
