//! The pool of workers, and what is asked of them.

use std::fs::File;
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError, RwLock};

use assay_core::{
    CallTable, Cancel, DigestOf, Ending, Error, Evidence, Exam, Isolation, Language, Result, Rules,
};

use tracing::{debug, trace};

use super::dialogue::refine;
use super::limits::{caps, is_close};
use super::runtime::Runtime;
use super::tools::Tools;
use super::worker::Worker;
use crate::job::{
    Dialogue, Examination, Execution, Limits, Recorded, Recording, Settings, TableExamination,
};
use crate::message::{ExamText, Job, KEPT_EXAMS, Layers, Report, Script, Setup, TestChoice};

use crate::sys::memory_file;

/// The most bytes that programs may write in all.
const WRITABLE: u64 = 512 << 20;

/// A pool of isolated workers. They start when they are first needed, and a program runs in one of them at a time.
pub struct Sandbox {
    settings: Settings,
    workers: Mutex<Workers>,
    returned: Condvar,
    /// Held by everyone who runs a program; alone by who repeats one whose time was close.
    quiet: RwLock<()>,
}

#[derive(Default)]
struct Workers {
    idle: Vec<Worker>,
    started: usize,
}

impl Sandbox {
    /// A sandbox. Fails if this machine cannot isolate programs, unless the settings allow that.
    pub fn new(settings: Settings) -> Result<Self> {
        let sandbox = Self {
            settings,
            workers: Mutex::default(),
            returned: Condvar::new(),
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
        let mut workers = sandbox.lock();
        workers.idle.push(first);
        workers.started = 1;
        drop(workers);
        Ok(sandbox)
    }

    /// The isolation between programs and the machine, and the mechanism that limits their memory.
    pub fn layers(&self) -> Layers {
        let workers = self.lock();
        workers.idle.first().map(|worker| worker.layers.clone()).unwrap_or_default()
    }

    /// The tools of this machine.
    pub fn tools(&self) -> &Tools {
        &self.settings.tools
    }

    /// Puts a Python program through tests that it cannot reach. Blocks; may be called by as many
    /// threads as there are workers. An error is a failure of the machine, not of the program.
    pub fn examine(&self, examination: &Examination<'_>, cancel: &Cancel) -> Result<Report> {
        self.settings.tools.get(Language::Python)?;
        self.steadily(&examination.limits, || self.examine_once(examination, cancel))
    }

    /// Puts a Python program through calls whose answers were recorded.
    pub fn examine_table(
        &self,
        examination: &TableExamination<'_>,
        cancel: &Cancel,
    ) -> Result<Report> {
        self.settings.tools.get(Language::Python)?;
        self.steadily(&examination.limits, || self.examine_table_once(examination, cancel))
    }

    /// Records what a task's own program answers to a table of calls.
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
        let job = Job::Record { script, caps: caps(limits, true) };
        let report = self.with_worker(cancel, |worker| ask_within(worker, &job, Some(&file)))?;
        let Report { ending, evidence, .. } = report;
        Ok(Recording { ending, evidence, recorded: Recorded::from_file(file) })
    }

    /// Runs a program, after compiling it where its language asks for that.
    pub fn execute(&self, execution: &Execution<'_>, cancel: &Cancel) -> Result<Report> {
        let tool = self.settings.tools.get(execution.language)?;
        let ask = || {
            let job = match tool.runtime {
                Runtime::Python => self.python_job(execution),
                Runtime::JavaScript
                | Runtime::Java
                | Runtime::Cpp
                | Runtime::Go
                | Runtime::Rust => Job::Commands {
                    files: vec![(
                        tool.file_name(execution).to_owned(),
                        execution.source.text.to_owned(),
                    )],
                    steps: tool.steps(execution),
                    input: execution.input.to_owned(),
                },
            };
            self.with_worker(cancel, |worker| ask_within(worker, &job, None))
        };
        self.steadily(&execution.limits, ask)
    }

    /// Has a program answer the calls of tests that run in another process, which it cannot reach.
    pub fn converse(&self, dialogue: &Dialogue<'_>, cancel: &Cancel) -> Result<Report> {
        let tool = self.settings.tools.get(dialogue.language)?;
        let job = Job::Dialogue(Box::new(tool.dialogue(dialogue)?));
        let ask = || self.with_worker(cancel, |worker| ask_within(worker, &job, None));
        let mut report = self.steadily(&dialogue.limits, ask)?;
        refine(&mut report, tool.runtime);
        Ok(report)
    }

    fn python_job(&self, execution: &Execution<'_>) -> Job {
        Job::Python {
            program: Script {
                mode: "main".to_owned(),
                preamble: String::new(),
                program: execution.source.text.to_owned(),
            },
            input: execution.input.to_owned(),
            fresh: self.settings.isolation == Isolation::Fresh,
            caps: caps(&execution.limits, true),
        }
    }

    fn examine_once(&self, examination: &Examination<'_>, cancel: &Cancel) -> Result<Report> {
        let Examination { program, exam, test, seed, rules, limits } = *examination;
        let preamble = exam.preamble.clone();
        if rules == Rules::Compat {
            let lines = program.lines().count();
            let program = format!("{program}\n{}", exam.appended);
            let script = Script { mode: "compat".to_owned(), preamble, program };
            let job = self.examine_job(script, None, &limits);
            let report = self.with_worker(cancel, |worker| ask_within(worker, &job, None))?;
            return Ok(Report { ending: within(report.ending, lines), ..report });
        }
        let script = Script { mode: "exam".to_owned(), preamble, program: program.to_owned() };
        let text = || ExamText::Code {
            setting: exam.setting.clone(),
            called: exam.called.clone(),
            tests: exam.tests.clone(),
        };
        let key = exam_key(exam);
        let tests = Tests { key, test, seed, details: false, text: &text, recorded: None };
        self.examine_by(script, &tests, &limits, cancel)
    }

    fn examine_table_once(
        &self,
        examination: &TableExamination<'_>,
        cancel: &Cancel,
    ) -> Result<Report> {
        let TableExamination { program, table, recorded, suite, details, timeout, limits } =
            *examination;
        let script = Script {
            mode: "calls".to_owned(),
            preamble: String::new(),
            program: program.to_owned(),
        };
        let text = || ExamText::Table {
            rules: table.rules.clone(),
            entry_point: table.entry_point.clone(),
            reference: table.reference.clone(),
            timeout: timeout.as_secs_f64(),
        };
        let key = format!("{}-{}", table.digest(), timeout.as_secs_f64());
        let recorded = Some(&recorded.file);
        let tests = Tests { key, test: suite, seed: 0, details, text: &text, recorded };
        self.examine_by(script, &tests, &limits, cancel)
    }

    /// Puts a program through tests that run in a process of their own.
    fn examine_by(
        &self,
        script: Script,
        tests: &Tests<'_>,
        limits: &Limits,
        cancel: &Cancel,
    ) -> Result<Report> {
        let mut job = self.examine_job(script, None, limits);
        self.with_worker(cancel, |worker| {
            for attempt in 0..2 {
                let known = attempt == 0 && worker.given.contains(&tests.key);
                let choice = TestChoice {
                    key: tests.key.clone(),
                    test: tests.test,
                    seed: tests.seed,
                    details: tests.details,
                    exam: (!known).then(tests.text),
                };
                if let Job::Examine { tests, .. } = &mut job {
                    *tests = Some(choice);
                }
                let file = tests.recorded.filter(|_| !known);
                let report = ask_within(worker, &job, file)?;
                if !report.exam_unknown {
                    remember(worker, &tests.key);
                    return Some(report);
                }
            }
            None
        })
    }

    fn examine_job(&self, program: Script, tests: Option<TestChoice>, limits: &Limits) -> Job {
        let fresh = self.settings.isolation == Isolation::Fresh;
        Job::Examine { program, tests, fresh, caps: caps(limits, true) }
    }

    /// Asks, and asks once more with nothing else running if the time was close to the limit. What
    /// came of the second time counts; whether the two disagree is told.
    fn steadily(&self, limits: &Limits, ask: impl Fn() -> Result<Report>) -> Result<Report> {
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

    /// Has a worker do something; a worker that is lost is replaced, and the job done once more.
    fn with_worker(
        &self,
        cancel: &Cancel,
        mut job: impl FnMut(&mut Worker) -> Option<Report>,
    ) -> Result<Report> {
        let mut starved = false;
        for _ in 0..2 {
            let mut worker = self.take()?;
            if let Some(report) = job(&mut worker) {
                self.put_back(worker);
                return Ok(report);
            }
            debug!(pid = worker.pid(), "a worker was lost");
            starved |= worker.group.as_ref().is_some_and(|group| group.ended() > 0);
            self.lose(worker);
            if cancel.is_cancelled() {
                return Err(Error::failed("the work was interrupted"));
            }
        }
        // It took its worker down with it, twice: that is its doing.
        let ending = if starved { Ending::MemoryLimit } else { Ending::Crashed { signal: 9 } };
        Ok(Report::new(ending, Evidence::default()))
    }

    fn take(&self) -> Result<Worker> {
        let mut workers = self.lock();
        loop {
            if let Some(worker) = workers.idle.pop() {
                return Ok(worker);
            }
            if workers.started < self.settings.workers.max(1) {
                workers.started += 1;
                drop(workers);
                let started = self.start();
                if started.is_err() {
                    self.lock().started -= 1;
                }
                return started;
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

/// Has a job done, and finds out whether memory ran out.
fn ask_within(worker: &mut Worker, job: &Job, file: Option<&File>) -> Option<Report> {
    let ended = |worker: &Worker| worker.group.as_ref().map_or(0, super::cgroup::Group::ended);
    let ended_before = ended(worker);
    let pid = worker.pid();
    trace!(pid, job = job.name(), "a job begins");
    let mut report = worker.ask(job, file)?;
    // The kernel ended a process for want of memory: whatever else was seen came of that.
    let starved = report.ending != Ending::Passed && ended(worker) > ended_before;
    if starved {
        report.ending = Ending::MemoryLimit;
    }
    let Report { ending, evidence: Evidence { cpu_s, wall_s, .. }, .. } = &report;
    debug!(pid, job = job.name(), %ending, cpu_s, wall_s, "a job ended");
    Some(report)
}

/// An ending whose line is one of the program, which has so many, and not of the tests after it. An assertion that
/// fails in one of those is a wrong answer.
fn within(mut ending: Ending, lines: usize) -> Ending {
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

fn remember(worker: &mut Worker, key: &str) {
    if !worker.given.iter().any(|given| given == key) {
        worker.given.push_back(key.to_owned());
        if worker.given.len() > KEPT_EXAMS {
            worker.given.pop_front();
        }
    }
}

/// The tests of an examination, as a worker needs them.
struct Tests<'a> {
    /// Tells them apart.
    key: String,
    /// The index of the test.
    test: usize,
    seed: u64,
    details: bool,
    text: &'a dyn Fn() -> ExamText,
    recorded: Option<&'a File>,
}

fn exam_key(exam: &Exam) -> String {
    let mut all = DigestOf::new();
    all.field(exam.setting.as_bytes());
    for text in exam.called.iter().chain(&exam.tests) {
        all.field(text.as_bytes());
    }
    all.finish().to_string()
}
