//! The pool of workers, and the jobs that they run.

use std::fs::File;
use std::sync::{Condvar, Mutex, MutexGuard, OnceLock, PoisonError, RwLock};

use assay_core::{
    CallTable, Cancel, DigestOf, Ending, Error, Evidence, Isolation, Language, PythonTests, Result,
    Rules,
};

use tracing::{debug, trace};

use super::limits::{is_close, process_limits};
use super::runtime::Runtime;
use super::tools::Tools;
use super::two_processes::refine;
use super::worker::Worker;
use crate::job::{
    Limits, Recorded, Recording, RunRequest, Settings, TableRequest, TestRequest, TwoProcessRequest,
};
use crate::message::{Job, KEPT_SUITES, Layers, Report, Script, SelectedTest, Setup, SuiteSource};

use crate::sys::memory_file;

/// The maximum number of bytes that candidates may write in total.
const WRITABLE: u64 = 512 << 20;

/// A pool of isolated workers. They are started on demand, and each runs one candidate at a time.
pub struct Sandbox {
    settings: Settings,
    workers: Mutex<Workers>,
    returned: Condvar,
    /// Those of the first worker.
    layers: OnceLock<Layers>,
    /// Held for reading while a candidate runs; held for writing while one that ended close to its time limit is
    /// repeated.
    quiet: RwLock<()>,
}

#[derive(Default)]
struct Workers {
    idle: Vec<Worker>,
    started: usize,
}

impl Sandbox {
    /// Creates a sandbox. Fails if this machine cannot isolate candidates, unless the settings allow that.
    pub fn new(settings: Settings) -> Result<Self> {
        let sandbox = Self {
            settings,
            workers: Mutex::default(),
            returned: Condvar::new(),
            layers: OnceLock::new(),
            quiet: RwLock::new(()),
        };
        let first = sandbox.start()?;
        let missing: Vec<String> = first.layers.missing().map(|layer| layer.name.clone()).collect();
        if !missing.is_empty() && !sandbox.settings.no_isolation {
            let message =
                format!("this machine cannot isolate programs: no {}", missing.join(", "));
            return Err(Error::failed(message).hint(
                "`assay doctor` says more; --unsafe-no-isolation runs programs without isolation",
            ));
        }
        sandbox.layers.get_or_init(|| first.layers.clone());
        let mut workers = sandbox.lock();
        workers.idle.push(first);
        workers.started = 1;
        drop(workers);
        Ok(sandbox)
    }

    /// The isolation between candidates and the machine, and the mechanism that limits their memory.
    pub fn layers(&self) -> Layers {
        self.layers.get().cloned().unwrap_or_default()
    }

    /// The tools of this machine.
    pub fn tools(&self) -> &Tools {
        &self.settings.tools
    }

    /// Runs a Python candidate against tests that it cannot reach. Blocks; may be called from as many threads as there
    /// are workers. An error is a failure of the machine, not of the candidate.
    pub fn run_tests(&self, request: &TestRequest<'_>, cancel: &Cancel) -> Result<Report> {
        self.settings.tools.get(Language::Python)?;
        self.rerun_if_close(&request.limits, || self.run_tests_once(request, cancel))
    }

    /// Runs a Python candidate against calls whose answers were recorded.
    pub fn run_table(&self, request: &TableRequest<'_>, cancel: &Cancel) -> Result<Report> {
        self.settings.tools.get(Language::Python)?;
        self.rerun_if_close(&request.limits, || self.run_table_once(request, cancel))
    }

    /// Records the answers of a reference solution to a table of calls.
    pub fn record(&self, table: &CallTable, limits: &Limits, cancel: &Cancel) -> Result<Recording> {
        self.settings.tools.get(Language::Python)?;
        let calls = serde_json::json!({
            "reference": table.reference, "entry_point": table.entry_point, "suites": table.suites,
        });
        let script = Script {
            mode: "record".to_owned(),
            preamble: table.rules.clone(),
            program: calls.to_string(),
        };
        let failed = |error| Error::failed("cannot keep recorded answers").because(error);
        let file = memory_file(&[]).map_err(failed)?;
        let job = Job::Record { script, limits: process_limits(limits, true) };
        let report =
            self.with_worker(cancel, |worker| send_job(worker, &job, Some(&file), cancel))?;
        let Report { ending, evidence, .. } = report;
        Ok(Recording { ending, evidence, recorded: Recorded::from_file(file) })
    }

    /// Runs a program, after compiling it if its language requires that.
    pub fn run(&self, request: &RunRequest<'_>, cancel: &Cancel) -> Result<Report> {
        let tool = self.settings.tools.get(request.language)?;
        let ask = || {
            let job = match tool.runtime {
                Runtime::Python => self.python_job(request),
                Runtime::JavaScript
                | Runtime::Java
                | Runtime::Cpp
                | Runtime::Go
                | Runtime::Rust => Job::Commands {
                    files: vec![(
                        tool.file_name(request).to_owned(),
                        request.source.text.to_owned(),
                    )],
                    steps: tool.steps(request),
                    input: request.input.to_owned(),
                },
            };
            self.with_worker(cancel, |worker| send_job(worker, &job, None, cancel))
        };
        self.rerun_if_close(&request.limits, ask)
    }

    /// Runs a candidate against tests in another process, which it cannot reach.
    pub fn run_two_processes(
        &self,
        request: &TwoProcessRequest<'_>,
        cancel: &Cancel,
    ) -> Result<Report> {
        let tool = self.settings.tools.get(request.language)?;
        let job = Job::TwoProcesses(Box::new(tool.two_process_job(request)?));
        let ask = || self.with_worker(cancel, |worker| send_job(worker, &job, None, cancel));
        let mut report = self.rerun_if_close(&request.limits, ask)?;
        refine(&mut report, tool.runtime);
        Ok(report)
    }

    fn python_job(&self, request: &RunRequest<'_>) -> Job {
        Job::Python {
            program: Script {
                mode: "main".to_owned(),
                preamble: request.prelude.to_owned(),
                program: request.source.text.to_owned(),
            },
            input: request.input.to_owned(),
            fresh: self.settings.isolation == Isolation::Fresh,
            limits: process_limits(&request.limits, true),
        }
    }

    fn run_tests_once(&self, request: &TestRequest<'_>, cancel: &Cancel) -> Result<Report> {
        let TestRequest { candidate, prelude, tests, case, seed, rules, limits } = *request;
        let preamble = format!("{prelude}{}", tests.preamble);
        if rules == Rules::Compat {
            let lines = candidate.lines().count();
            let program = format!("{candidate}\n{}", tests.appended);
            let script = Script { mode: "compat".to_owned(), preamble, program };
            let job = self.test_job(script, None, &limits);
            let report = self.with_worker(cancel, |worker| send_job(worker, &job, None, cancel))?;
            let mut ending = with_assertion(report.ending, lines, &tests.appended);
            ending = without_test_lines(ending, lines);
            return Ok(Report { ending, ..report });
        }
        let script = Script { mode: "tests".to_owned(), preamble, program: candidate.to_owned() };
        let text = || SuiteSource::Code {
            setup: tests.setup.clone(),
            entry_points: tests.entry_points.clone(),
            tests: tests.cases.clone(),
        };
        let key = suite_key(tests);
        let tests =
            SuiteRequest { key, test: case, seed, details: false, text: &text, recorded: None };
        self.run_suite(script, &tests, &limits, cancel)
    }

    fn run_table_once(&self, request: &TableRequest<'_>, cancel: &Cancel) -> Result<Report> {
        let TableRequest { candidate, prelude, table, recorded, suite, details, timeout, limits } =
            *request;
        let script = Script {
            mode: "calls".to_owned(),
            preamble: prelude.to_owned(),
            program: candidate.to_owned(),
        };
        let text = || SuiteSource::Table {
            rules: table.rules.clone(),
            entry_point: table.entry_point.clone(),
            reference: table.reference.clone(),
            timeout: timeout.as_secs_f64(),
        };
        let key = format!("{}-{}", table.digest(), timeout.as_secs_f64());
        let recorded = Some(&recorded.file);
        let tests = SuiteRequest { key, test: suite, seed: 0, details, text: &text, recorded };
        self.run_suite(script, &tests, &limits, cancel)
    }

    /// Runs a candidate against tests that run in a process of their own.
    fn run_suite(
        &self,
        script: Script,
        tests: &SuiteRequest<'_>,
        limits: &Limits,
        cancel: &Cancel,
    ) -> Result<Report> {
        let mut job = self.test_job(script, None, limits);
        self.with_worker(cancel, |worker| {
            for attempt in 0..2 {
                let known = attempt == 0 && worker.suites.contains(&tests.key);
                let selected = SelectedTest {
                    key: tests.key.clone(),
                    test: tests.test,
                    seed: tests.seed,
                    details: tests.details,
                    suite: (!known).then(tests.text),
                };
                if let Job::Tests { tests, .. } = &mut job {
                    *tests = Some(selected);
                }
                let file = tests.recorded.filter(|_| !known);
                let report = send_job(worker, &job, file, cancel)?;
                if !report.suite_unknown {
                    remember_suite(worker, &tests.key);
                    return Some(report);
                }
            }
            None
        })
    }

    fn test_job(&self, program: Script, tests: Option<SelectedTest>, limits: &Limits) -> Job {
        let fresh = self.settings.isolation == Isolation::Fresh;
        Job::Tests { program, tests, fresh, limits: process_limits(limits, true) }
    }

    /// Runs once, and a second time with nothing else running if the time was close to the limit. The second run
    /// counts; the report says if the two disagree.
    fn rerun_if_close(&self, limits: &Limits, ask: impl Fn() -> Result<Report>) -> Result<Report> {
        let first = {
            let _shared = self.quiet.read().unwrap_or_else(PoisonError::into_inner);
            ask()?
        };
        if !is_close(&first, limits) {
            return Ok(first);
        }
        debug!("close to the time limit: run once more with nothing else running");
        let _alone = self.quiet.write().unwrap_or_else(PoisonError::into_inner);
        let mut second = ask()?;
        let kind = |ending: &Ending| std::mem::discriminant(ending);
        second.evidence.unstable = kind(&first.ending) != kind(&second.ending);
        Ok(second)
    }

    /// Runs a job on a worker. A worker that is lost is replaced, and the job is repeated once.
    fn with_worker(
        &self,
        cancel: &Cancel,
        mut job: impl FnMut(&mut Worker) -> Option<Report>,
    ) -> Result<Report> {
        let mut starved = false;
        for _ in 0..2 {
            let mut worker = self.take(cancel)?;
            if let Some(report) = job(&mut worker) {
                self.put_back(worker);
                return Ok(report);
            }
            debug!(pid = worker.pid(), "a worker was lost");
            starved |= worker.group.as_ref().is_some_and(|group| group.ended() > 0);
            self.lose(worker);
        }
        unless_cancelled(cancel)?;
        // The candidate killed its worker twice: that is its own fault.
        let ending = if starved { Ending::MemoryLimit } else { Ending::Crashed { signal: 9 } };
        Ok(Report::new(ending, Evidence::default()))
    }

    /// An idle or new worker, unless the work is cancelled.
    fn take(&self, cancel: &Cancel) -> Result<Worker> {
        let mut workers = self.lock();
        loop {
            // Nobody waits for a worker any more.
            unless_cancelled(cancel).inspect_err(|_| self.returned.notify_all())?;
            if let Some(worker) = workers.idle.pop() {
                return Ok(worker);
            }
            if workers.started < self.settings.workers.max(1) {
                workers.started += 1;
                drop(workers);
                let started = self.start();
                return started.inspect_err(|_| {
                    self.lock().started -= 1;
                    self.returned.notify_one();
                });
            }
            workers = self.returned.wait(workers).unwrap_or_else(PoisonError::into_inner);
        }
    }

    fn put_back(&self, worker: Worker) {
        self.lock().idle.push(worker);
        self.returned.notify_one();
    }

    fn lose(&self, worker: Worker) {
        drop(worker);
        self.lock().started -= 1;
        self.returned.notify_one();
    }

    fn start(&self) -> Result<Worker> {
        let python = self.settings.tools.get(Language::Python).ok();
        let setup = Setup {
            isolate: !self.settings.no_isolation,
            visible: self.settings.tools.folders(),
            python: python.map(|tool| tool.path.clone()),
            writable: WRITABLE,
            group: None,
        };
        Worker::start(&self.settings.executable, &setup)
    }

    fn lock(&self) -> MutexGuard<'_, Workers> {
        self.workers.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Drop for Sandbox {
    fn drop(&mut self) {
        // All workers end at the same time; then each is waited for.
        self.lock().idle.iter().for_each(Worker::hang_up);
    }
}

fn unless_cancelled(cancel: &Cancel) -> Result<()> {
    if cancel.is_cancelled() { Err(Error::failed("the work was interrupted")) } else { Ok(()) }
}

/// Runs a job, and detects whether memory ran out.
fn send_job(
    worker: &mut Worker,
    job: &Job,
    file: Option<&File>,
    cancel: &Cancel,
) -> Option<Report> {
    let ended = |worker: &Worker| worker.group.as_ref().map_or(0, super::cgroup::Group::ended);
    let ended_before = ended(worker);
    let pid = worker.pid();
    trace!(pid, job = job.name(), "a job begins");
    let mut report = worker.ask(job, file, cancel)?;
    // The kernel killed a process because memory ran out: that caused everything else.
    let starved = report.ending != Ending::Passed && ended(worker) > ended_before;
    if starved {
        report.ending = Ending::MemoryLimit;
    }
    let Report { ending, evidence: Evidence { cpu_s, wall_s, .. }, .. } = &report;
    debug!(pid, job = job.name(), %ending, cpu_s, wall_s, "a job ended");
    Some(report)
}

/// Adds the text of a failed assertion to an ending without a message, if it is in the tests.
fn with_assertion(mut ending: Ending, lines: usize, tests: &str) -> Ending {
    if let Ending::Exception { class, message, line: Some(line) } = &mut ending
        && class == "AssertionError"
        && message.is_empty()
        && let Some(at) = (*line as usize).checked_sub(lines + 1)
    {
        *message = assertion_at(tests, at);
    }
    ending
}

/// The assertion that covers line `at` of a test, from 0, as one line without its middle if it is long.
fn assertion_at(tests: &str, at: usize) -> String {
    /// The number of lines before a line in which its assertion may begin, and after it in which it may end.
    const MAX_LINES: usize = 50;
    /// The number of characters at both ends that are kept.
    const MAX_PART: usize = 150;
    let lines: Vec<&str> = tests.split('\n').collect();
    let begins =
        |at: &usize| lines.get(*at).is_some_and(|line| line.trim_start().starts_with("assert"));
    let Some(begin) = (at.saturating_sub(MAX_LINES)..=at).rev().find(begins) else {
        return lines.get(at).map_or(String::new(), |line| line.trim().to_owned());
    };
    let (mut open, mut text) = (0_i64, String::new());
    for line in lines[begin..].iter().take(MAX_LINES) {
        text += line.trim();
        text.push(' ');
        let count = |marks: [char; 3]| line.matches(marks).count();
        open += i64::try_from(count(['(', '[', '{'])).unwrap_or(0);
        open -= i64::try_from(count([')', ']', '}'])).unwrap_or(0);
        if open <= 0 {
            break;
        }
    }
    let text: Vec<char> = text.trim_end().chars().collect();
    if text.len() <= 2 * MAX_PART {
        return text.iter().collect();
    }
    let (head, tail) = (&text[..MAX_PART], &text[text.len() - MAX_PART..]);
    format!("{} … {}", head.iter().collect::<String>(), tail.iter().collect::<String>())
}

/// Drops the line of an ending if it is beyond the candidate's `lines`, where the tests are. A failed assertion in the
/// tests is a wrong answer.
fn without_test_lines(mut ending: Ending, lines: usize) -> Ending {
    if let Ending::Exception { line, .. } | Ending::SyntaxError { line, .. } = &mut ending {
        *line = line.filter(|line| *line as usize <= lines);
    }
    match ending {
        Ending::Exception { class, message, line: None } if class == "AssertionError" => {
            Ending::WrongAnswer { message }
        }
        other => other,
    }
}

fn remember_suite(worker: &mut Worker, key: &str) {
    if !worker.suites.iter().any(|given| given == key) {
        worker.suites.push_back(key.to_owned());
        if worker.suites.len() > KEPT_SUITES {
            worker.suites.pop_front();
        }
    }
}

/// A test suite in the form that a worker needs.
struct SuiteRequest<'a> {
    /// Identifies the suite.
    key: String,
    /// The index of the test.
    test: usize,
    seed: u64,
    details: bool,
    text: &'a dyn Fn() -> SuiteSource,
    recorded: Option<&'a File>,
}

fn suite_key(tests: &PythonTests) -> String {
    let mut all = DigestOf::new();
    all.field(tests.setup.as_bytes());
    for text in tests.entry_points.iter().chain(&tests.cases) {
        all.field(text.as_bytes());
    }
    all.finish().to_string()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_failed_assertion_is_told_whole() {
        let tests = "\ndef check(f):\n    assert f(1) == [\n        1,\n        2,\n    ]\n    \
            assert f(2)\n";
        for at in 2..=5 {
            assert_eq!(assertion_at(tests, at), "assert f(1) == [ 1, 2, ]", "{at}");
        }
        assert_eq!(assertion_at(tests, 6), "assert f(2)");
        assert_eq!(assertion_at("x = 1", 0), "x = 1");
        assert_eq!(assertion_at("", 99), "");
        let long = format!("assert f({}) == 7", "1, ".repeat(1000));
        let shown = assertion_at(&long, 0);
        assert!(shown.ends_with("== 7") && shown.chars().count() < 310, "{shown}");
    }
}
