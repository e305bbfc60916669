//! The memory limit applies to all processes of a candidate together.

#![allow(
    clippy::unwrap_used,
    clippy::print_stderr,
    clippy::disallowed_methods,
    reason = "a test that cannot go on has failed; it starts itself once more"
)]

mod common;

use std::process::Command;
use std::time::Duration;

use assay_core::{Cancel, Ending, Isolation, Language};
use assay_sandbox::{Limits, Report, RunRequest, Sandbox, Source};
use common::{as_ordinary_user, ending, once_more, sandbox};

/// Shared memory that belongs to no single process, in this many processes and megabytes per process.
fn shared(processes: u32, megabytes: u32) -> String {
    format!(
        "#include <cstring>\n#include <sys/mman.h>\n#include <sys/wait.h>\n#include <unistd.h>\n\
         int main() {{\n\
           for (int i = 0; i < {processes}; i++) if (fork() == 0) {{\n\
             size_t size = size_t({megabytes}) << 20;\n\
             void* p = mmap(0, size, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);\n\
             if (p == MAP_FAILED) _exit(3);\n\
             memset(p, 1, size);\n\
             usleep(1500000);\n\
             _exit(0);\n\
           }}\n\
           int worst = 0, status;\n\
           while (wait(&status) > 0) if (status) worst = 4;\n\
           return worst;\n\
         }}\n"
    )
}

/// Holds 300 MB, which three other processes share and read.
const LOOKED_AT: &str = "\
import os, time
kept = b'x' * (300 << 20)
for _ in range(3):
    if os.fork() == 0:
        kept.count(b'y')
        time.sleep(0.3)
        os._exit(0)
for _ in range(3):
    assert os.wait()[1] == 0
";

fn run(sandbox: &Sandbox, language: Language, text: &str) -> Report {
    let source = Source { text, name: None };
    let limits = Limits { memory: 512 << 20, ..Limits::with_cpu(Duration::from_secs(20)) };
    let request = RunRequest { prelude: "", language, source, input: "", limits };
    sandbox.run(&request, &Cancel::new()).unwrap()
}

#[test]
fn shared_memory_counts() {
    let sandbox = sandbox(Isolation::Warm);
    if sandbox.tools().get(Language::Cpp).is_err() {
        eprintln!("SKIPPED: this machine has no g++");
        return;
    }
    let held = run(&sandbox, Language::Cpp, &shared(3, 100));
    assert_eq!(held.ending, Ending::Passed, "{held:?}");
    assert!(["cgroup-v2", "cgroup-v1", "sampled"].contains(&held.evidence.memory_by.as_str()));
    let too_much = run(&sandbox, Language::Cpp, &shared(4, 200));
    assert_eq!(too_much.ending, Ending::MemoryLimit, "{too_much:?}");
    assert_eq!(too_much.evidence.memory_by, held.evidence.memory_by);
    // The address space is limited too: the allocation itself fails.
    let alone = run(&sandbox, Language::Cpp, &shared(1, 600));
    assert_ne!(alone.ending, Ending::Passed, "{alone:?}");
}

#[test]
fn pages_that_processes_share_count_once() {
    let sandbox = sandbox(Isolation::Warm);
    let done = run(&sandbox, Language::Python, LOOKED_AT);
    assert_eq!(done.ending, Ending::Passed, "{done:?}");
}

#[test]
fn without_a_control_group_it_is_sampled() {
    as_ordinary_user(&["shared_memory_counts", "pages_that_processes_share"]);
}

#[test]
fn limits_of_the_shell_are_kept() {
    const TEST: &str = "an_exam_is_passed_under_any_limits";
    let mut shell = Command::new("sh");
    shell.args(["-c", "ulimit -v 4000000; ulimit -n 600; ulimit -t 300; exec \"$@\"", "sh"]);
    once_more(shell, &[TEST]);
}

#[test]
fn an_exam_is_passed_under_any_limits() {
    for isolation in [Isolation::Warm, Isolation::Fresh] {
        let verdict = ending(&sandbox(isolation), "def double(x):\n    return x + x\n");
        assert_eq!(verdict, Ending::Passed, "{isolation:?}");
    }
}
