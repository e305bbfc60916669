//! The gold gate: before answers are graded, the task's reference solutions are, on the same machine.
//!
//! A problem whose reference solution does not pass here says nothing about any answer: it is excluded and reported.
//! Results are cached, so that the gate takes its time only once.

mod cache;

use std::collections::BTreeMap;
use std::ops::ControlFlow;
use std::path::Path;
use std::sync::Arc;
use std::time::Instant;

use assay_core::{
    DigestOf, Ending, Fingerprint, GoldRate, Outcome, ProblemId, Problems, Progress, QuestionKind,
    Reference, Response, Result, SampleKey, Selection, Submission, Task, TaskSettings, Verdict,
};
use assay_record::Tool;
use tracing::{debug, info};

use crate::RunContext;
use crate::pipeline::{self, Event, Feed, Pending, Pipeline, Retries, VerdictCache, WorkItem};
use cache::GateCache;

/// The problems that the gate excludes, and the pass rate.
#[derive(Debug, Default)]
pub(crate) struct Gate {
    rate: Option<GoldRate>,
    excluded: BTreeMap<usize, String>,
}

impl Gate {
    /// The pass rate of the reference solutions; `None` if none was run.
    pub(crate) fn rate(&self) -> Option<GoldRate> {
        self.rate
    }

    /// Returns true if a problem is excluded.
    pub(crate) fn is_excluded(&self, index: usize) -> bool {
        self.excluded.contains_key(&index)
    }

    /// The verdict on an excluded problem.
    pub(crate) fn verdict(&self, index: usize, problem: &ProblemId) -> Option<Verdict> {
        let reason = self.excluded.get(&index)?;
        Some(Verdict::excluded(problem.clone(), format!("{problem}: {reason}")))
    }
}

/// The inputs of the gold gate.
pub(crate) struct GoldGate<'a> {
    pub(crate) task: &'a dyn Task,
    pub(crate) settings: &'a TaskSettings,
    pub(crate) problems: &'a dyn Problems,
    pub(crate) wanted: &'a Selection,
    pub(crate) verdicts: &'a VerdictCache,
    pub(crate) tool: &'a Tool,
}

/// A reference solution, and decoys that must not pass.
struct GoldProgram {
    index: usize,
    fingerprint: Fingerprint,
    /// The names of the decoys, which are graded as the samples from 1 on.
    decoys: Vec<&'static str>,
}

impl GoldProgram {
    /// Returns whether the reference solution and all decoys have their verdicts.
    fn is_graded(&self, verdicts: &BTreeMap<SampleKey, Box<Verdict>>) -> bool {
        let samples = (0..).take(self.decoys.len() + 1);
        let mut keys = samples.map(|sample| SampleKey { index: self.index, sample });
        keys.all(|key| verdicts.contains_key(&key))
    }

    /// Applies the verdicts on a problem's reference solution and its decoys.
    fn apply_verdicts(
        &self,
        verdicts: &mut BTreeMap<SampleKey, Box<Verdict>>,
        cache: &mut GateCache,
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
            cache.insert(*fingerprint, &outcome);
        }
        let fault = outcome.as_ref().err();
        debug!(problem = %gold.problem, fault, "the gate graded the task's own program");
        if let Some(reason) = gold.evidence.and_then(|evidence| evidence.one_process) {
            cache.insert_one_process(*fingerprint, &reason);
        }
        gate.add(*index, outcome);
    }
}

impl GoldGate<'_> {
    /// Runs the reference solutions whose result is not cached. If that is cancelled, the gate is incomplete, and its
    /// results must not be used.
    pub(crate) fn run(&self, context: &RunContext<'_>) -> Result<Gate> {
        if self.task.card().asks != QuestionKind::Code {
            return Ok(Gate::default());
        }
        let started = Instant::now();
        let RunContext { jobs, cancel, progress, .. } = *context;
        let mut cache = GateCache::open(context.cache, &self.name());
        let (mut gate, mut programs, mut verdicts) = (Gate::default(), Vec::new(), BTreeMap::new());
        progress.start("gold", self.wanted.len(), 0);
        let pipeline = Pipeline {
            problems: self.problems,
            solver: None,
            extraction: None,
            last_stage: pipeline::LastStage::Grade(self.verdicts),
            retries: &Retries::default(),
            scratch: Path::new(""),
            jobs,
            cancel,
            progress,
        };
        let ran = pipeline.run(
            |feed| {
                programs = self.feed_unknown(&cache, &mut gate, progress, feed);
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
        // What an interruption or a failure has left ungraded is graded next time.
        programs.retain(|program| program.is_graded(&verdicts));
        let graded = programs.len();
        for program in programs {
            program.apply_verdicts(&mut verdicts, &mut cache, &mut gate);
        }
        if let Err(error) = cache.save() {
            progress.warn(&format!(
                "{error}: which of the task's own programs pass is found out again next time"
            ));
        }
        if !cancel.is_cancelled() {
            ran?;
        }
        let GoldRate { passed, of } = gate.rate.unwrap_or_default();
        let took = started.elapsed();
        info!(passed, of, graded, ?took, "checked the task's own programs");
        Ok(gate)
    }

    /// Applies the cached results, and feeds the reference solutions that must be run.
    fn feed_unknown(
        &self,
        cache: &GateCache,
        gate: &mut Gate,
        progress: &dyn Progress,
        feed: &mut Feed<'_>,
    ) -> Vec<GoldProgram> {
        let mut programs = Vec::new();
        self.problems.references(&mut |index, reference| {
            let Ok(reference) = reference else { return ControlFlow::Continue(()) };
            if !self.wanted.contains(index) {
                return ControlFlow::Continue(());
            }
            let Some(gold) = reference.gold() else { return ControlFlow::Continue(()) };
            let fingerprint = reference.fingerprint();
            if let Some(reason) = cache.one_process(fingerprint) {
                reference.use_one_process(reason);
            }
            if let Some(outcome) = cache.get(fingerprint) {
                let (problem, fault) = (&self.problems.ids()[index], outcome.as_ref().err());
                debug!(%problem, fault, "the gate knows the task's own program");
                gate.add(index, outcome);
                progress.step();
                return ControlFlow::Continue(());
            }
            let (decoys, responses): (Vec<_>, Vec<_>) = reference.decoys().into_iter().unzip();
            programs.push(GoldProgram { index, fingerprint, decoys });
            let responses = std::iter::once(gold).chain(responses).zip(0..);
            responses.into_iter().try_for_each(|(program, sample)| {
                feed(self.item(SampleKey { index, sample }, &reference, program))
            })
        });
        programs
    }

    fn item(&self, key: SampleKey, reference: &Arc<dyn Reference>, program: Response) -> WorkItem {
        let (problem, response) = (self.problems.ids()[key.index].clone(), Arc::new(program));
        let submission = Submission { key, problem, response };
        WorkItem::Grade(Pending { submission, reference: Arc::clone(reference), is_read: true })
    }

    /// Names everything besides a problem that the verdict on its reference solution depends on.
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
    fn add(&mut self, index: usize, outcome: Result<(), String>) {
        let rate = self.rate.get_or_insert_default();
        rate.of += 1;
        match outcome {
            Ok(()) => rate.passed += 1,
            Err(reason) => {
                self.excluded.insert(index, reason);
            }
        }
    }
}

/// Returns `Ok` if the reference solution passes, or the reason why it fails, in words.
fn outcome(verdict: &Verdict) -> Result<(), String> {
    let what = match (&verdict.outcome, &verdict.ending, &verdict.detail) {
        (Outcome::Passed, _, _) => return Ok(()),
        (_, Some(ending), _) => ending.to_string(),
        (_, None, Some(detail)) => detail.clone(),
        (_, None, None) => "no reason is known".to_owned(),
    };
    Err(format!("the task's own program does not pass on this machine: {what}"))
}

/// Returns true if a failure is reproducible; one that depends on the machine's state is tried again.
fn is_lasting(verdict: &Verdict) -> bool {
    matches!(
        verdict.ending,
        Some(Ending::WrongAnswer { .. } | Ending::Exception { .. } | Ending::SyntaxError { .. })
    )
}
