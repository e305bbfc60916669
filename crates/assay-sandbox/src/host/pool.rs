//! The pool of workers, and what is asked of them.

use std::sync::{Condvar, Mutex, MutexGuard, PoisonError, RwLock};

use assay_core::{Cancel, DigestOf, Ending, Error, Evidence, Isolation, Language, Result, Rules};

use super::dialogue::refine;
use super::limits::{caps, is_close};
use super::tools::Tools;
use super::worker::Worker;
use crate::job::{Dialogue, Examination, Examined, Executed, Execution, Limits, Settings};
use crate::message::{
    ExamText, Job, KEPT_EXAMS, Layers, Output, Report, Script, Setup, TestChoice,
};

/// What programs may write in all.
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
        if !missing.is_empty() && !sandbox.settings.allow_no_isolation {
            let message =
                format!("this machine cannot isolate programs: no {}", missing.join(", "));
            return Err(Error::failed(message).hint(
                "`assay doctor` says more; --unsafe-no-isolation runs programs all the same",
            ));
        }
        let mut workers = sandbox.lock();
        workers.idle.push(first);
        workers.started = 1;
        drop(workers);
        Ok(sandbox)
    }

    /// What stands between programs and the machine, and what holds their memory in check.
    pub fn layers(&self) -> (Layers, &'static str) {
        let workers = self.lock();
        let first = workers.idle.first();
        let layers = first.map(|worker| worker.layers.clone()).unwrap_or_default();
        let group = first.and_then(|worker| worker.group.as_ref());
        (layers, group.map_or("rlimit", |group| group.name()))
    }

    /// What this machine can run.
    pub fn tools(&self) -> &Tools {
        &self.settings.tools
    }

    /// Puts a Python program through tests that it cannot reach. Blocks; may be called by as many
    /// threads as there are workers. An error is a failure of the machine, not of the program.
    pub fn examine(&self, examination: &Examination<'_>, cancel: &Cancel) -> Result<Examined> {
        self.settings.tools.get(Language::Python)?;
        let ask = || self.examine_once(examination, cancel);
        let (report, unstable) = self.steadily(&examination.limits, ask)?;
        let evidence = Evidence { unstable, ..report.evidence };
        Ok(Examined { ending: report.ending, evidence })
    }

    /// Runs a program, after compiling it where its language asks for that.
    pub fn execute(&self, execution: &Execution<'_>, cancel: &Cancel) -> Result<Executed> {
        let tool = self.settings.tools.get(execution.language)?;
        let ask = || {
            let job = match execution.language {
                Language::Python => self.python_job(execution),
                _ => Job::Commands {
                    files: vec![(
                        tool.file_name(execution).to_owned(),
                        execution.source.text.to_owned(),
                    )],
                    steps: tool.steps(execution),
                    input: execution.input.to_owned(),
                },
            };
            self.with_worker(cancel, |worker| ask_within(worker, &job, execution.limits.memory))
        };
        let (report, unstable) = self.steadily(&execution.limits, ask)?;
        let evidence = Evidence { unstable, ..report.evidence };
        Ok(Executed { ending: report.ending, output: report.output.into_bytes(), evidence })
    }

    /// Has a program answer the calls of tests that run in another process, which it cannot reach.
    pub fn converse(&self, dialogue: &Dialogue<'_>, cancel: &Cancel) -> Result<Examined> {
        let tool = self.settings.tools.get(dialogue.language)?;
        let job = Job::Dialogue(Box::new(tool.dialogue(dialogue)));
        let memory = dialogue.limits.memory;
        let ask = || self.with_worker(cancel, |worker| ask_within(worker, &job, memory));
        let (mut report, unstable) = self.steadily(&dialogue.limits, ask)?;
        refine(&mut report, dialogue.language);
        let evidence = Evidence { unstable, ..report.evidence };
        Ok(Examined { ending: report.ending, evidence })
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
        let Examination { program, exam, test, rules, limits } = *examination;
        let strict = rules == Rules::Strict;
        let text =
            if strict { program.to_owned() } else { format!("{program}\n{}", exam.appended) };
        let mode = if strict { "exam" } else { "compat" };
        let key = exam_key(examination);
        self.with_worker(cancel, |worker| {
            let mut job = Job::Examine {
                program: Script {
                    mode: mode.to_owned(),
                    preamble: exam.preamble.clone(),
                    program: text.clone(),
                },
                tests: None,
                fresh: self.settings.isolation == Isolation::Fresh,
                caps: caps(&limits, true),
            };
            if !strict {
                return ask_within(worker, &job, limits.memory);
            }
            for attempt in 0..2 {
                let known = attempt == 0 && worker.given.contains(&key);
                let choice = TestChoice {
                    key: key.clone(),
                    test,
                    exam: (!known).then(|| ExamText {
                        setting: exam.setting.clone(),
                        called: exam.called.clone(),
                        tests: exam.tests.clone(),
                    }),
                };
                if let Job::Examine { tests, .. } = &mut job {
                    *tests = Some(choice);
                }
                let report = ask_within(worker, &job, limits.memory)?;
                if !report.exam_unknown {
                    remember(worker, &key);
                    return Some(report);
                }
            }
            None
        })
    }

    /// Asks, and asks once more with nothing else running if the time was close to the limit. What
    /// came of the second time counts; whether the two disagree is told.
    fn steadily(
        &self,
        limits: &Limits,
        ask: impl Fn() -> Result<Report>,
    ) -> Result<(Report, bool)> {
        let first = {
            let _shared = self.quiet.read().unwrap_or_else(PoisonError::into_inner);
            ask()?
        };
        if !is_close(&first.ending, first.evidence.cpu_s, limits) {
            return Ok((first, false));
        }
        let _alone = self.quiet.write().unwrap_or_else(PoisonError::into_inner);
        let second = ask()?;
        let kind = |ending: &Ending| std::mem::discriminant(ending);
        let unstable = kind(&first.ending) != kind(&second.ending);
        Ok((second, unstable))
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
            starved |= worker.group.as_ref().is_some_and(|group| group.ended() > 0);
            self.lose(worker);
            if cancel.is_cancelled() {
                return Err(Error::failed("the work was interrupted"));
            }
        }
        // It took its worker down with it, twice: that is its doing.
        let ending = if starved { Ending::MemoryLimit } else { Ending::Crashed { signal: 9 } };
        Ok(Report {
            ending,
            evidence: Evidence::default(),
            output: Output::Text(String::new()),
            exam_unknown: false,
        })
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
            isolate: true,
            visible: self.settings.tools.folders(),
            python: python.map(|tool| tool.path.clone()),
            writable: WRITABLE,
        };
        let isolated = Worker::start(&self.settings.executable, &setup);
        if isolated.is_err() && self.settings.allow_no_isolation {
            let setup = Setup { isolate: false, ..setup };
            return Worker::start(&self.settings.executable, &setup);
        }
        isolated
    }

    fn lock(&self) -> MutexGuard<'_, Workers> {
        self.workers.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Has a job done with this much memory, and says what held it in check.
fn ask_within(worker: &mut Worker, job: &Job, memory: u64) -> Option<Report> {
    let limited = worker.group.as_mut().is_some_and(|group| group.limit(memory));
    let ended_before = worker.group.as_ref().map_or(0, super::cgroup::Group::ended);
    let mut report = worker.ask(job)?;
    let group = worker.group.as_ref().filter(|_| limited);
    let held_by = group.map_or("rlimit", |group| group.name());
    report.evidence = Evidence { memory_by: held_by.to_owned(), ..report.evidence };
    // The kernel ended a process for want of memory: whatever else was seen came of that.
    let starved =
        report.ending != Ending::Passed && group.is_some_and(|group| group.ended() > ended_before);
    if starved {
        report.ending = Ending::MemoryLimit;
    }
    Some(report)
}

fn remember(worker: &mut Worker, key: &str) {
    if !worker.given.iter().any(|given| given == key) {
        worker.given.push_back(key.to_owned());
        if worker.given.len() > KEPT_EXAMS {
            worker.given.pop_front();
        }
    }
}

fn exam_key(examination: &Examination<'_>) -> String {
    let exam = examination.exam;
    let mut all = DigestOf::new();
    all.field(exam.setting.as_bytes());
    for text in exam.called.iter().chain(&exam.tests) {
        all.field(text.as_bytes());
    }
    all.finish().to_string()
}
