//! The gold gate: before answers are graded, the task's own programs are, on the same machine.
//!
//! A problem whose own program does not pass here says nothing about anybody's answer: it is
//! excluded, in sight. What passes is remembered, so that the gate costs its time once.

mod memory;

use std::collections::BTreeMap;
use std::ops::ControlFlow;
use std::path::Path;
use std::sync::Arc;
use std::time::Instant;

use assay_core::{
    DigestOf, Ending, Fingerprint, GoldRate, Outcome, ProblemId, Problems, QuestionKind, Reference,
    Response, Result, SampleKey, Selection, Submission, Task, TaskSettings, Verdict,
};
use assay_record::Tool;
use tracing::{debug, info};

use crate::RunContext;
use crate::pipeline::{self, Event, Feed, Item, Pending, Pipeline, Retries, VerdictCache};
use memory::Memory;

/// Which problems are excluded, and how many are not.
#[derive(Debug, Default)]
pub(crate) struct Gate {
    rate: Option<GoldRate>,
    closed: BTreeMap<usize, String>,
}

impl Gate {
    /// How many of the task's own programs pass; `None` where none was run.
    pub(crate) fn rate(&self) -> Option<GoldRate> {
        self.rate
    }

    /// Whether a problem is excluded.
    pub(crate) fn is_closed(&self, index: usize) -> bool {
        self.closed.contains_key(&index)
    }

    /// The verdict on a problem that is excluded.
    pub(crate) fn verdict(&self, index: usize, problem: &ProblemId) -> Option<Verdict> {
        let reason = self.closed.get(&index)?;
        Some(Verdict::excluded(problem.clone(), format!("{problem}: {reason}")))
    }
}

/// What the gate is about.
pub(crate) struct Gold<'a> {
    pub(crate) task: &'a dyn Task,
    pub(crate) settings: &'a TaskSettings,
    pub(crate) problems: &'a dyn Problems,
    pub(crate) wanted: &'a Selection,
    pub(crate) verdicts: &'a VerdictCache,
    pub(crate) tool: &'a Tool,
}

/// One of the task's own programs, and programs that must not pass.
struct Candidate {
    index: usize,
    fingerprint: Fingerprint,
    /// The names of programs that must not pass, which are graded as the samples from 1 on.
    decoys: Vec<&'static str>,
}

impl Candidate {
    /// Learns from the verdicts on a problem's own program and on those that must not pass.
    fn learn(
        &self,
        verdicts: &mut BTreeMap<SampleKey, Box<Verdict>>,
        memory: &mut Memory,
        gate: &mut Gate,
    ) {
        let Self { index, fingerprint, decoys } = self;
        let mut take = |sample| verdicts.remove(&SampleKey { index: *index, sample });
        let Some(gold) = take(0) else { return };
        let (mut outcome, mut lasting) = (outcome(&gold), is_lasting(&gold));
        for (name, sample) in decoys.iter().zip(1..) {
            let passes = take(sample).is_some_and(|verdict| verdict.outcome == Outcome::Passed);
            if passes && outcome.is_ok() {
                outcome = Err(format!("{name} passes its tests"));
                lasting = true;
            }
        }
        if outcome.is_ok() || lasting {
            memory.learn(*fingerprint, &outcome);
        }
        let fault = outcome.as_ref().err();
        debug!(problem = %gold.problem, fault, "the gate graded the task's own program");
        if let Some(reason) = gold.evidence.and_then(|evidence| evidence.one_process) {
            memory.learn_one_process(*fingerprint, &reason);
        }
        gate.note(*index, outcome);
    }
}

impl Gold<'_> {
    /// Runs those of the task's own programs that are not known to pass or fail here. If that is
    /// cancelled, it is not done, and nobody will see the results.
    pub(crate) fn check(&self, context: &RunContext<'_>) -> Result<Gate> {
        if self.task.card().asks != QuestionKind::Code {
            return Ok(Gate::default());
        }
        let started = Instant::now();
        let RunContext { jobs, cancel, progress, .. } = *context;
        let mut memory = Memory::open(context.cache, &self.name());
        let (mut gate, mut candidates, mut verdicts) =
            (Gate::default(), Vec::new(), BTreeMap::new());
        progress.start("gold", self.wanted.len(), 0);
        let pipeline = Pipeline {
            problems: self.problems,
            solver: None,
            ending: pipeline::Ending::Grade(self.verdicts),
            retries: &Retries::default(),
            scratch: Path::new(""),
            jobs,
            cancel,
        };
        let ran = pipeline.run(
            |feed| {
                candidates = self.feed_unknown(&memory, &mut gate, feed);
                Ok(())
            },
            &mut |event| {
                if let Event::Graded(key, verdict) = event {
                    (key.sample == 0).then(|| progress.step());
                    verdicts.insert(key, verdict);
                }
                Ok(())
            },
        );
        progress.finish();
        if cancel.is_cancelled() {
            return Ok(gate);
        }
        ran?;
        let graded = candidates.len();
        for candidate in candidates {
            candidate.learn(&mut verdicts, &mut memory, &mut gate);
        }
        if let Err(error) = memory.keep() {
            progress.warn(&format!(
                "{error}: which of the task's own programs pass is found out again next time"
            ));
        }
        let GoldRate { passed, of } = gate.rate.unwrap_or_default();
        let took = started.elapsed();
        info!(passed, of, graded, ?took, "checked the task's own programs");
        Ok(gate)
    }

    /// Notes what is known of the task's own programs, and feeds those that must be run.
    fn feed_unknown(
        &self,
        memory: &Memory,
        gate: &mut Gate,
        feed: &mut Feed<'_>,
    ) -> Vec<Candidate> {
        let mut candidates = Vec::new();
        self.problems.references(&mut |index, reference| {
            let Ok(reference) = reference else { return ControlFlow::Continue(()) };
            if !self.wanted.contains(index) {
                return ControlFlow::Continue(());
            }
            let Some(gold) = reference.gold() else { return ControlFlow::Continue(()) };
            let fingerprint = reference.fingerprint();
            if let Some(reason) = memory.one_process(fingerprint) {
                reference.use_one_process(reason);
            }
            if let Some(outcome) = memory.known(fingerprint) {
                let (problem, fault) = (&self.problems.ids()[index], outcome.as_ref().err());
                debug!(%problem, fault, "the gate knows the task's own program");
                gate.note(index, outcome);
                return ControlFlow::Continue(());
            }
            let (decoys, programs): (Vec<_>, Vec<_>) = reference.decoys().into_iter().unzip();
            candidates.push(Candidate { index, fingerprint, decoys });
            let programs = std::iter::once(gold).chain(programs).zip(0..);
            programs.into_iter().try_for_each(|(program, sample)| {
                feed(self.item(SampleKey { index, sample }, &reference, program))
            })
        });
        candidates
    }

    fn item(&self, key: SampleKey, reference: &Arc<dyn Reference>, program: Response) -> Item {
        let (problem, response) = (self.problems.ids()[key.index].clone(), Arc::new(program));
        let submission = Submission { key, problem, response };
        Item::Grade(Pending { submission, reference: Arc::clone(reference), is_read: true })
    }

    /// Names everything beside a problem that the verdict on its own program depends on.
    fn name(&self) -> String {
        let card = self.task.card();
        let mut all = DigestOf::new();
        let version = card.version.to_string();
        let rules = self.settings.rules.to_string();
        let TaskSettings { isolation, unsafe_no_isolation, .. } = self.settings;
        let isolation = format!("{isolation:?}{}", if *unsafe_no_isolation { " none" } else { "" });
        let environment = self.problems.environment();
        let Tool { version: tool, commit } = self.tool;
        for part in [card.name.as_str(), &version, &rules, &isolation, &environment, tool, commit] {
            all.field(part.as_bytes());
        }
        format!("{}-{}", card.name, all.finish().short())
    }
}

impl Gate {
    fn note(&mut self, index: usize, outcome: Result<(), String>) {
        let rate = self.rate.get_or_insert_default();
        rate.of += 1;
        match outcome {
            Ok(()) => rate.passed += 1,
            Err(reason) => {
                self.closed.insert(index, reason);
            }
        }
    }
}

/// That the task's own program passes, or why it does not, in words.
fn outcome(verdict: &Verdict) -> Result<(), String> {
    let what = match (&verdict.outcome, &verdict.ending, &verdict.detail) {
        (Outcome::Passed, _, _) => return Ok(()),
        (_, Some(ending), _) => ending.to_string(),
        (_, None, Some(detail)) => detail.clone(),
        (_, None, None) => "no reason is known".to_owned(),
    };
    Err(format!("the task's own program does not pass on this machine: {what}"))
}

/// Whether a failure would be the same tomorrow; what hangs on the machine's state is tried again.
fn is_lasting(verdict: &Verdict) -> bool {
    matches!(
        verdict.ending,
        Some(Ending::WrongAnswer { .. } | Ending::Exception { .. } | Ending::SyntaxError { .. })
    )
}
