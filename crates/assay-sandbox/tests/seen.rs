//! The parts of the machine that a compiled candidate sees through `/proc`, and the features that still work there.

#![allow(clippy::unwrap_used, clippy::print_stderr, reason = "a test that cannot go on has failed")]

mod common;

use std::time::Duration;

use assay_core::{Cancel, Ending, Isolation, Language};
use assay_sandbox::{Limits, RunRequest, Sandbox, Source};
use common::{as_ordinary_user, sandbox};

/// Prints the names of files that it can read and should not, and control groups that reveal a path.
const PRINT: &str = r#"
#include <fstream>
#include <iostream>
int main() {
    for (const char* name : {"/proc/cmdline", "/proc/sys/kernel/random/boot_id", "/proc/version",
                             "/proc/stat", "/proc/uptime", "/proc/mounts", "/proc/keys",
                             "/proc/sysvipc/shm", "/proc/locks", "/proc/net/unix"}) {
        std::ifstream file(name);
        if (file.good() && std::string(name) != "/proc/mounts") std::cout << name << '\n';
    }
    std::ifstream group("/proc/self/cgroup");
    for (std::string line; std::getline(group, line);) {
        // A number, the controllers, and a path, which must not reveal where assay runs.
        std::string path = line.substr(line.find(':', line.find(':') + 1) + 1);
        if (path != "/") std::cout << "group " << path << '\n';
    }
}
"#;

/// File operations of honest candidates: a database, and locks of both kinds.
const LOCKS: &str = "\
import fcntl, os, sqlite3, tempfile
with sqlite3.connect('/tmp/base.db') as base:
    base.execute('create table t (x)')
    base.execute('insert into t values (1)')
assert sqlite3.connect('/tmp/base.db').execute('select x from t').fetchall() == [(1,)]
with tempfile.NamedTemporaryFile() as file:
    fcntl.flock(file, fcntl.LOCK_EX)
    fcntl.lockf(file, fcntl.LOCK_EX)
    fcntl.lockf(file, fcntl.LOCK_UN)
os.posix_fadvise(os.open('/tmp/base.db', os.O_RDONLY), 0, 0, os.POSIX_FADV_DONTNEED)
os.makedirs('/tmp/a/b')
os.rename('/tmp/a/b', '/tmp/b')
assert os.getcwd() == os.path.realpath('/tmp')
print('fine')
";

fn printed(sandbox: &Sandbox, language: Language, text: &str) -> String {
    let source = Source { text, name: None };
    let limits = Limits::with_cpu(Duration::from_secs(10));
    let request = RunRequest { prelude: "", language, source, input: "", limits };
    let done = sandbox.run(&request, &Cancel::new()).unwrap();
    assert_eq!(done.ending, Ending::Passed, "{done:?}");
    String::from_utf8(done.output().to_vec()).unwrap()
}

#[test]
fn proc_tells_nothing_of_the_machine() {
    let sandbox = sandbox(Isolation::Warm);
    if sandbox.tools().get(Language::Cpp).is_err() {
        eprintln!("SKIPPED: this machine has no g++");
        return;
    }
    assert_eq!(printed(&sandbox, Language::Cpp, PRINT), "");
}

#[test]
fn files_databases_and_locks_work() {
    for isolation in [Isolation::Warm, Isolation::Fresh] {
        assert_eq!(printed(&sandbox(isolation), Language::Python, LOCKS), "fine\n");
    }
}

#[test]
fn an_ordinary_users_programs_see_as_little() {
    as_ordinary_user(&["proc_tells_nothing", "files_databases_and_locks"]);
}
