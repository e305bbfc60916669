//! The gold gate: before answers are graded, the task's own programs are, on the same machine.
//!
//! A problem whose own program does not pass here says nothing about anybody's answer: it is
//! excluded, in sight. What passes is remembered, so that the gate costs its time once.

mod memory;

use std::collections::BTreeMap;
use std::ops::ControlFlow;

use assay_core::{
    Cancel, Case, DigestOf, Ending, Fingerprint, GoldRate, Grader, Outcome, ProblemId, Problems,
    QuestionKind, Reference, Response, Result, Selection, Task, TaskSettings, Verdict,
};

use crate::workers::{Give, spread};
use crate::{Means, Tool};
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
    pub(crate) fn is_closed(&self, rank: usize) -> bool {
        self.closed.contains_key(&rank)
    }

    /// The verdict on a problem that is excluded.
    pub(crate) fn verdict(&self, rank: usize, problem: &ProblemId) -> Option<Verdict> {
        let reason = self.closed.get(&rank)?;
        Some(Verdict::excluded(problem.clone(), format!("{problem}: {reason}")))
    }
}

/// What the gate is about.
pub(crate) struct Gold<'a> {
    pub(crate) task: &'a dyn Task,
    pub(crate) settings: &'a TaskSettings,
    pub(crate) problems: &'a dyn Problems,
    pub(crate) wanted: &'a Selection,
    pub(crate) grader: &'a dyn Grader,
    pub(crate) tool: &'a Tool,
}

/// One of the task's own programs.
struct Own {
    rank: usize,
    reference: Reference,
    program: Response,
    fingerprint: Fingerprint,
}

impl Gold<'_> {
    /// Runs those of the task's own programs that are not known to pass or fail here. If that is
    /// cancelled, it is not done, and nobody will see the results.
    pub(crate) fn check(&self, means: &Means<'_>) -> Result<Gate> {
        if self.task.card().asks != QuestionKind::Code {
            return Ok(Gate::default());
        }
        let mut memory = Memory::open(means.cache, &self.name());
        let (mut gate, mut learned) = (Gate::default(), Vec::new());
        means.progress.start("gold", self.wanted.len(), 0);
        let ran = spread(
            means.jobs.max(1),
            |give| {
                self.remember(&memory, &mut gate, give);
                Ok(())
            },
            |own: Own, tell| {
                if means.cancel.is_cancelled() {
                    return Ok(());
                }
                let examined = self.examine(&own, means.cancel)?;
                tell((own.rank, own.fingerprint, examined))
            },
            &mut |graded| {
                means.progress.step();
                learned.push(graded);
                Ok(())
            },
        );
        means.progress.finish();
        if means.cancel.is_cancelled() {
            return Ok(gate);
        }
        ran?;
        for (rank, fingerprint, examined) in learned {
            let Examined { outcome, lasting, one_process } = examined;
            if outcome.is_ok() || lasting {
                memory.learn(fingerprint, &outcome);
            }
            if let Some(reason) = one_process {
                memory.learn_one_process(fingerprint, &reason);
            }
            gate.note(rank, outcome);
        }
        if let Err(error) = memory.keep() {
            means.progress.warn(&format!(
                "{error}: which of the task's own programs pass is found out again next time"
            ));
        }
        Ok(gate)
    }

    /// Notes what is known of the task's own programs, and gives away those that must be run.
    fn remember(&self, memory: &Memory, gate: &mut Gate, give: &mut Give<'_, Own>) {
        let mut flow = ControlFlow::Continue(());
        self.problems.references(&mut |rank, reference| {
            let Ok(reference) = reference else { return };
            let Reference::Code(code) = &reference else { return };
            if flow.is_break() || !self.wanted.contains(rank) {
                return;
            }
            let Some(program) = code.gold_response() else { return };
            let fingerprint = reference.fingerprint();
            if let Some(reason) = memory.one_process(fingerprint) {
                self.grader.use_one_process(&reference, reason);
            }
            match memory.known(fingerprint) {
                Some(outcome) => gate.note(rank, outcome),
                None => flow = give(Own { rank, reference, program, fingerprint }),
            }
        });
    }

    /// Names everything beside a problem that the verdict on its own program depends on.
    fn name(&self) -> String {
        let card = self.task.card();
        let mut all = DigestOf::new();
        let version = card.version.to_string();
        let rules = self.settings.rules.to_string();
        let TaskSettings { isolation, unsafe_no_isolation, .. } = self.settings;
        let isolation = format!("{isolation:?}{}", if *unsafe_no_isolation { " none" } else { "" });
        let environment = self.grader.environment();
        let Tool { version: tool, commit } = self.tool;
        for part in [card.name, &version, &rules, &isolation, &environment, tool, commit] {
            all.field(part.as_bytes());
        }
        format!("{}-{}", card.name, all.finish().short())
    }

    /// Grades the task's own program, and programs that must not pass.
    fn examine(&self, own: &Own, cancel: &Cancel) -> Result<Examined> {
        let verdict = self.grade(own, &own.program, cancel)?;
        let mut examined = Examined {
            outcome: outcome(&verdict),
            lasting: is_lasting(&verdict),
            one_process: verdict.evidence.and_then(|evidence| evidence.one_process),
        };
        if examined.outcome.is_err() {
            return Ok(examined);
        }
        for (name, decoy) in self.grader.decoys(&own.reference) {
            if self.grade(own, &decoy, cancel)?.outcome == Outcome::Passed {
                examined.outcome = Err(format!("{name} passes its tests"));
                examined.lasting = true;
            }
        }
        Ok(examined)
    }

    fn grade(&self, own: &Own, response: &Response, cancel: &Cancel) -> Result<Verdict> {
        self.grader.grade(&Case {
            problem: &self.problems.ids()[own.rank],
            sample: 0,
            reference: &own.reference,
            response,
            cancel,
        })
    }
}

/// What was found about a problem.
struct Examined {
    /// That it can be used, or why not.
    outcome: Result<(), String>,
    /// Whether a failure would be the same tomorrow.
    lasting: bool,
    /// Why its programs are graded in one process with their tests, if they are.
    one_process: Option<String>,
}

impl Gate {
    fn note(&mut self, rank: usize, outcome: Result<(), String>) {
        let rate = self.rate.get_or_insert_default();
        rate.of += 1;
        match outcome {
            Ok(()) => rate.passed += 1,
            Err(reason) => {
                self.closed.insert(rank, reason);
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
