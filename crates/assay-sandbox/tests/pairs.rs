//! Pairs of candidates in one worker: the first leaves marks wherever it can, the second must see what it would have
//! seen without the first.

#![allow(clippy::unwrap_used, clippy::print_stderr, reason = "a test that cannot go on has failed")]

mod common;

use assay_core::{Cancel, Ending, Isolation, Language};
use assay_sandbox::{RunRequest, Sandbox, Source};
use common::{as_ordinary_user, limits, sandbox};

const FIRST: &str = include_str!("attacks/pairs/first.py");
const SECOND: &str = include_str!("attacks/pairs/second.py");
const FIRST_COMPILED: &str = include_str!("attacks/pairs/first.cpp");
/// The smallest program of each language that has to be compiled or checked in the folder.
const SMALL: [(Language, &str); 2] =
    [(Language::Cpp, "int main() {}"), (Language::JavaScript, "console.log(1)")];

fn run(sandbox: &Sandbox, language: Language, text: &str) -> (Ending, String) {
    let source = Source { text, name: None };
    let limits = limits();
    let request = RunRequest { prelude: "", language, source, input: "0123456789", limits };
    let done = sandbox.run(&request, &Cancel::new()).unwrap();
    (done.ending.clone(), String::from_utf8(done.output().to_vec()).unwrap())
}

/// The lines in which two views differ.
fn differences(seen: &str, alone: &str) -> Vec<(String, String)> {
    let pairs = seen.lines().zip(alone.lines()).filter(|(one, other)| one != other);
    pairs.map(|(one, other)| (one.to_owned(), other.to_owned())).collect()
}

fn check(isolation: Isolation) {
    let sandbox = sandbox(isolation);
    let look = || {
        let (ending, seen) = run(&sandbox, Language::Python, SECOND);
        assert_eq!(ending, Ending::Passed, "{isolation:?}: {seen}");
        seen
    };
    let alone = look();
    assert!(alone.lines().count() > 30, "{alone}");
    let unchanged = |after: &str| {
        let seen = look();
        assert_eq!(differences(&seen, &alone), [], "{isolation:?}, after {after}");
        assert_eq!(seen, alone);
    };
    // A candidate that only looks leaves nothing either.
    unchanged("one that looks");
    run(&sandbox, Language::Python, FIRST);
    unchanged("Python");
    for (language, text) in SMALL {
        if sandbox.tools().get(language).is_ok() {
            run(&sandbox, Language::Python, FIRST);
            let (ending, _) = run(&sandbox, language, text);
            assert_eq!(ending, Ending::Passed, "{isolation:?}: {language} after Python");
        }
    }
    if sandbox.tools().get(Language::Cpp).is_err() {
        eprintln!("SKIPPED: this machine has no g++");
        return;
    }
    run(&sandbox, Language::Cpp, FIRST_COMPILED);
    unchanged("C++");
    run(&sandbox, Language::Cpp, FIRST_COMPILED);
    let (ending, _) = run(&sandbox, Language::Cpp, "int main() {}");
    assert_eq!(ending, Ending::Passed, "{isolation:?}: C++ after C++");
}

#[test]
fn forked_programs_share_nothing() {
    check(Isolation::Warm);
}

#[test]
fn programs_in_new_interpreters_share_nothing() {
    check(Isolation::Fresh);
}

#[test]
fn an_ordinary_users_programs_share_nothing() {
    as_ordinary_user(&["forked_programs_share", "programs_in_new_interpreters"]);
}
