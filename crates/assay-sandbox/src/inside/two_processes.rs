//! Runs a candidate, and the tests that call it from a process of their own.
//!
//! The tests are built before any file of the candidate is there, and kept in the worker's memory. While the candidate
//! is built and run, they are either not in the file system or hidden from it.

use std::collections::VecDeque;
use std::fs::{self, File};
use std::io::{Read, Seek};
use std::os::fd::{AsFd, OwnedFd};
use std::os::unix::fs::PermissionsExt;
use std::path::Path;

use assay_core::Ending;
use rustix::pipe::{PipeFlags, pipe_with};
use serde_json::{Value, json};

use super::child::Role;
use super::details::Details;
use super::jobs::{Pipes, RunningProcess, Worker};
use super::root::context;
use super::verdict;
use super::watch::OutcomeSource;
use crate::message::{Build, Report, TwoProcessJob};
use crate::sys::{self, ProcessExit};

/// The folder of the tests while they run.
const TESTS: &str = "tests.d";
/// The maximum number of bytes in the build cache: the shared library, and the tests of the latest problems.
const KEPT: usize = 128 << 20;
/// The maximum number of bytes read of the tests' messages.
const LONGEST: u64 = 1 << 16;
/// The prefix of messages about the end, from the tests or from the code that serves their calls.
const MARK: &str = "\u{1}assay\u{1}";

/// Builds that are kept for the next job, the latest last.
#[derive(Default)]
pub(super) struct BuildCache {
    builds: VecDeque<(String, Vec<BuiltFile>)>,
}

struct BuiltFile {
    name: String,
    content: Vec<u8>,
    mode: u32,
}

impl BuildCache {
    /// The files of a build, which becomes the latest.
    fn take(&mut self, key: &str) -> Option<&[BuiltFile]> {
        let at = self.builds.iter().position(|(other, _)| other == key)?;
        let test_outcome = self.builds.remove(at)?;
        self.builds.push_back(test_outcome);
        self.builds.back().map(|(_, files)| files.as_slice())
    }

    fn put(&mut self, key: &str, files: Vec<BuiltFile>) {
        self.builds.push_back((key.to_owned(), files));
        let files = self.builds.iter().flat_map(|(_, files)| files);
        let mut size: usize = files.map(|file| file.content.len()).sum();
        // The shared library and the tests of this problem are the latest two.
        while size > KEPT && self.builds.len() > 2 {
            let gone = self.builds.pop_front().map(|(_, files)| files).unwrap_or_default();
            size -= gone.iter().map(|file| file.content.len()).sum::<usize>();
        }
    }
}

impl Worker<'_> {
    /// Runs a candidate against its tests.
    pub(super) fn run_two_processes(&mut self, job: &TwoProcessJob) -> Result<Report, String> {
        self.build(&job.shared, None)?;
        self.build(&job.tests, Some(&job.shared))?;
        self.write_build(&job.shared.key, None)?;
        write(Path::new(self.environment.folder.path()), &job.program.files)?;
        let nothing = sys::memory_file(&[]).map_err(context("write the input"))?;
        for step in &job.program.steps {
            let report = self.run_step(step, &nothing)?;
            if report.ending != Ending::Passed {
                return Ok(report);
            }
        }
        self.write_build(&job.tests.key, Some(TESTS))?;
        self.run_both(job)
    }

    /// Builds trusted files on top of `base`, unless they are cached.
    fn build(&mut self, build: &Build, base: Option<&Build>) -> Result<(), String> {
        if self.build_cache.take(&build.key).is_some() {
            return Ok(());
        }
        if let Some(base) = base {
            self.write_build(&base.key, None)?;
        }
        write(Path::new(self.environment.folder.path()), &build.files)?;
        let nothing = sys::memory_file(&[]).map_err(context("write the input"))?;
        for step in &build.steps {
            let report = self.run_step(step, &nothing)?;
            if report.ending != Ending::Passed {
                return Err(format!("the tests cannot be built: {}", report.ending));
            }
        }
        let files = collect_files(Path::new(self.environment.folder.path()), &build.kept)?;
        self.build_cache.put(&build.key, files);
        self.clear()
    }

    /// Writes the files of a build into the folder, or into a folder inside it.
    fn write_build(&mut self, key: &str, inside: Option<&str>) -> Result<(), String> {
        let mut folder = Path::new(self.environment.folder.path()).to_owned();
        if let Some(name) = inside {
            folder.push(name);
            fs::create_dir(&folder).map_err(context("make a folder"))?;
        }
        let files = self.build_cache.take(key).ok_or("a build is lost")?;
        for BuiltFile { name, content, mode } in files {
            let path = folder.join(name);
            fs::write(&path, content).map_err(context("write a file"))?;
            fs::set_permissions(path, fs::Permissions::from_mode(*mode))
                .map_err(context("write a file"))?;
        }
        Ok(())
    }

    fn run_both(&mut self, job: &TwoProcessJob) -> Result<Report, String> {
        let pipe = || pipe_with(PipeFlags::CLOEXEC).map_err(context("make a pipe"));
        let (questions, answers) = (pipe()?, pipe()?);
        let folder = format!("{}/{TESTS}", self.environment.folder.path());
        let test_process = self.start_tests(job, &folder, &answers.0, &questions.1)?;
        let step = &job.run_program;
        let sampler = self.limit_memory(&step.limits);
        let pipes = Pipes::new()?;
        let (output, errors) = pipes.writers();
        let nothing = self.dev_null.as_fd();
        let files = [nothing, output, errors, questions.0.as_fd(), answers.1.as_fd()];
        let role = Role::Compiled(&step.limits, self.environment.own_processes.as_ref());
        let started = self.start_in(
            self.environment.folder.path(),
            Some(&folder),
            &step.command,
            &files,
            role,
        )?;
        // Each side sees the other's end only if no other process holds the pipes.
        drop((questions, answers));
        let running = RunningProcess {
            forked: None,
            started: Some(started),
            pipes: pipes.readers(),
            sampler,
        };
        let observed = running.watch(self, OutcomeSource::TestProcess(&test_process), &step.limits);
        if !matches!(&observed, Ok(observed) if observed.outcome.is_some()) {
            test_process.end();
        }
        let mut observed = observed?;
        let ending = verdict::ending_of_tests(&observed, &step.limits, false);
        let ending = reported_ending(&mut observed.errors)
            .filter(|_| exited_itself(&ending))
            .unwrap_or(ending);
        let details = Details::new(observed.outcome.as_ref(), "", true);
        Ok(details.added_to(verdict::report(observed, ending)))
    }

    fn start_tests(
        &self,
        job: &TwoProcessJob,
        folder: &str,
        answers: &OwnedFd,
        questions: &OwnedFd,
    ) -> Result<TestProcess, String> {
        let step = &job.run_tests;
        let errors = sys::memory_file(&[]).map_err(context("make a file"))?;
        let nothing = self.dev_null.as_fd();
        let files = [nothing, nothing, errors.as_fd(), answers.as_fd(), questions.as_fd()];
        let role = Role::Compiled(&step.limits, self.environment.own_processes.as_ref());
        let (pid, watched) = self.start_in(folder, None, &step.command, &files, role)?;
        Ok(TestProcess { pid, watched, errors })
    }
}

/// The process of the tests.
pub(super) struct TestProcess {
    pub(super) pid: i32,
    pub(super) watched: OwnedFd,
    /// Its standard error.
    errors: File,
}

impl TestProcess {
    /// Returns its outcome, once it has ended.
    pub(super) fn outcome(&self) -> Option<Value> {
        let ended = sys::wait(self.pid, true).ok().flatten()?;
        let mut errors = Vec::new();
        let mut file = &self.errors;
        file.rewind().ok()?;
        file.take(LONGEST).read_to_end(&mut errors).ok()?;
        Some(test_outcome(&ended, &String::from_utf8_lossy(&errors)))
    }

    fn end(&self) {
        sys::kill(self.pid);
        sys::kill_group(self.pid);
        let _ = sys::wait(self.pid, true);
    }
}

/// The outcome of the tests, from their exit status and what they printed. Only the exit status can report that a
/// candidate has passed.
fn test_outcome(ended: &ProcessExit, errors: &str) -> Value {
    if ended.code == Some(0) {
        return json!({ "passed": true });
    }
    match fields(errors).as_slice() {
        ["gone", ..] => json!({ "gone": true }),
        ["much", ..] => json!({ "too_much": true }),
        ["wrong", message, got, _, ..] => json!({ "wrong": message.trim(), "got": got }),
        ["wrong", message, ..] => json!({ "wrong": message.trim() }),
        ["last", got, ..] => {
            let message = errors.rsplit_once(MARK).map_or("", |(before, _)| before).trim();
            json!({ "wrong": message.rsplit("\n\n").next().unwrap_or_default(), "got": got })
        }
        _ => {
            let last = errors.trim().rsplit("\n\n").next().unwrap_or_default();
            let message = if last.is_empty() { "the tests broke off" } else { last };
            json!({ "wrong": message })
        }
    }
}

/// The fields of the last marked message of a text.
fn fields(text: &str) -> Vec<&str> {
    text.rsplit_once(MARK).map(|(_, outcome)| outcome.split('\u{1}').collect()).unwrap_or_default()
}

/// Returns true if a candidate ended by itself.
fn exited_itself(ending: &Ending) -> bool {
    matches!(ending, Ending::EarlyExit { .. } | Ending::Crashed { .. })
}

/// The ending that the code which serves calls reported. A candidate can print the same, and then fails that way.
fn reported_ending(errors: &mut Vec<u8>) -> Option<Ending> {
    let text = String::from_utf8_lossy(errors).into_owned();
    let Some(at) = text.rfind(MARK) else { return go_runtime_ending(&text) };
    let ending = match fields(&text).as_slice() {
        ["raised", class, line, message, ..] => Ending::Exception {
            class: (*class).to_owned(),
            message: message.trim().to_owned(),
            line: line.parse().ok(),
        },
        ["crashed", signal, ..] => Ending::Crashed { signal: signal.parse().ok()? },
        ["memory", ..] => Ending::MemoryLimit,
        _ => return None,
    };
    *errors = text[..at].strip_suffix('\n').unwrap_or(&text[..at]).as_bytes().to_vec();
    Some(ending)
}

/// The ending that Go's runtime reports in a crash, which no code can catch.
fn go_runtime_ending(errors: &str) -> Option<Ending> {
    errors.contains("\ngoroutine ").then_some(())?;
    ["panic: ", "fatal error: "].iter().find_map(|begin| {
        let message = errors.lines().find_map(|line| line.strip_prefix(begin))?;
        if message.contains("out of memory") {
            return Some(Ending::MemoryLimit);
        }
        let class = begin.trim_end_matches(": ").to_owned();
        Some(Ending::Exception { class, message: message.to_owned(), line: None })
    })
}

fn write(folder: &Path, files: &[(String, String)]) -> Result<(), String> {
    for (name, text) in files {
        fs::write(folder.join(name), text).map_err(context("write a program"))?;
    }
    Ok(())
}

/// The files of a folder whose names have one of these suffixes.
fn collect_files(folder: &Path, endings: &[String]) -> Result<Vec<BuiltFile>, String> {
    let mut files = Vec::new();
    for entry in fs::read_dir(folder).map_err(context("look at what was built"))?.flatten() {
        let Ok(name) = entry.file_name().into_string() else { continue };
        if endings.iter().any(|ending| name.ends_with(ending.as_str())) {
            let read = || Ok((fs::read(entry.path())?, entry.metadata()?.permissions().mode()));
            let (content, mode) =
                read().map_err(context::<std::io::Error>("keep what was built"))?;
            files.push(BuiltFile { name, content, mode });
        }
    }
    Ok(files)
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;

    fn ended(code: i32) -> ProcessExit {
        ProcessExit::new(code << 8, Duration::ZERO, 0)
    }

    #[test]
    fn the_oldest_builds_go_first_and_the_latest_two_stay() {
        let file = |size| vec![BuiltFile { name: String::new(), content: vec![0; size], mode: 0 }];
        let mut cache = BuildCache::default();
        cache.put("shared", file(KEPT / 2));
        cache.put("one", file(KEPT / 4));
        cache.put("two", file(KEPT / 8));
        assert!(cache.take("shared").is_some());
        cache.put("three", file(KEPT / 4));
        assert!(cache.take("one").is_none() && cache.take("two").is_some());
        assert!(cache.take("shared").is_some());
        cache.put("huge", file(KEPT));
        assert!(cache.take("three").is_none() && cache.take("two").is_none());
        assert!(cache.take("shared").is_some() && cache.take("huge").is_some());
    }

    #[test]
    fn only_the_status_says_passed() {
        assert_eq!(test_outcome(&ended(0), ""), json!({ "passed": true }));
        assert_eq!(test_outcome(&ended(3), "\u{1}assay\u{1}passed\u{1}")["passed"], Value::Null);
        assert_eq!(test_outcome(&ended(3), "x\u{1}assay\u{1}gone\u{1}\n"), json!({ "gone": true }));
        let wrong = test_outcome(&ended(1), "noise\u{1}assay\u{1}wrong\u{1}1 is not 2\u{1}");
        assert_eq!(wrong, json!({ "wrong": "1 is not 2" }));
        let wrong = test_outcome(&ended(1), "\u{1}assay\u{1}wrong\u{1}no\u{1}[2]\u{1}\n");
        assert_eq!(wrong, json!({ "wrong": "no", "got": "[2]" }));
        let last =
            test_outcome(&ended(1), "Assertion `x' failed.\n\u{1}assay\u{1}last\u{1}2\u{1}\n");
        assert_eq!(last, json!({ "wrong": "Assertion `x' failed.", "got": "2" }));
        assert_eq!(
            test_outcome(&ended(1), "\u{1}assay\u{1}much\u{1}"),
            json!({ "too_much": true })
        );
        assert_eq!(test_outcome(&ended(1), "a\n\nb\nc\n"), json!({ "wrong": "b\nc" }));
    }

    #[test]
    fn the_last_words_of_a_program_are_taken_out_of_what_it_printed() {
        let mut errors = b"before\n\x01assay\x01raised\x01Error\x017\x01no\nway\x01\n".to_vec();
        let ending = reported_ending(&mut errors);
        let (class, message) = ("Error".to_owned(), "no\nway".to_owned());
        assert_eq!(ending, Some(Ending::Exception { class, message, line: Some(7) }));
        assert_eq!(errors, b"before");
        let mut errors = b"\x01assay\x01passed\x01".to_vec();
        assert_eq!(reported_ending(&mut errors), None);
        let mut errors =
            b"runtime: x\nfatal error: stack overflow\n\ngoroutine 1 [running]:\n".to_vec();
        let (class, message) = ("fatal error".to_owned(), "stack overflow".to_owned());
        let ending = Ending::Exception { class, message, line: None };
        assert_eq!(reported_ending(&mut errors), Some(ending));
        assert_eq!(reported_ending(&mut b"panic: x\n".to_vec()), None);
    }
}
