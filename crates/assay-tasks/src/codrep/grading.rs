//! How line answers are graded and summed up.

use std::borrow::Cow;

use assay_core::{
    Case, Check, Effort, Estimate, Fault, FaultKind, Grader, LineReference, Named, NoAnswer,
    Outcome, Reference, Response, Result, Tally, Verdict, Why,
};
use assay_metrics::line::{UNANSWERED_LOSS, grade_lines, mean_by_change};
use assay_stats::{bounded_mean, proportion};

/// The loss of an answer, between 0 and 1.
const LOSS: &str = "loss";
/// The place of the first right line among those that were given, from 1.
const HIT: &str = "hit";
/// How many lines were given.
const GIVEN: &str = "given";
/// Tells the change from others, where the problem was read.
const CHANGE: &str = "change";

pub(super) struct LineGrader;

impl Grader for LineGrader {
    fn check(&self, reference: &Reference, response: &Response) -> Check {
        let (Reference::Line(reference), Response::Lines(lines)) = (reference, response) else {
            return not_lines(response);
        };
        let LineReference { length, solution, .. } = *reference;
        // A line up to the right one is in the file, whose length then does not matter: most
        // answers are checked without their file being opened.
        let surely = length.or(solution).unwrap_or_default();
        let Some(line) = lines.iter().find(|line| !(1..=surely).contains(line)) else {
            return Check::Possible;
        };
        let Some(length) = length else { return Check::Unclear };
        let message = format!("line {line} is out of range: the program has lines 1 to {length}");
        Check::Impossible(Fault::new(FaultKind::OutOfRange, message))
    }

    fn grade(&self, case: &Case<'_>) -> Result<Verdict> {
        let (problem, sample) = (case.problem.clone(), case.sample);
        let Reference::Line(reference) = case.reference else {
            return Ok(Verdict::excluded(problem, "it is no question about a line".to_owned()));
        };
        let lines = match case.response {
            Response::Lines(lines) => lines,
            other => {
                let verdict = Verdict::unanswered(problem, sample, &why_none(other));
                return Ok(with_change(verdict.score(LOSS, UNANSWERED_LOSS), reference));
            }
        };
        let grade = reference.solution.and_then(|solution| grade_lines(lines, solution));
        let Some(grade) = grade else {
            return Ok(Verdict::excluded(problem, "its solution is not known".to_owned()));
        };
        let outcome = if grade.hit == Some(1) { Outcome::Passed } else { Outcome::Failed };
        let verdict = Verdict::new(problem, sample, outcome)
            .score(LOSS, grade.loss)
            .score(GIVEN, lines.len() as f64);
        let verdict = match grade.hit {
            Some(place) => verdict.score(HIT, place as f64),
            None => verdict,
        };
        Ok(with_change(verdict, reference))
    }

    fn effort(&self) -> Effort {
        Effort::Trivial
    }
}

/// Silence is possible; another kind of answer is not.
fn not_lines(response: &Response) -> Check {
    match response {
        Response::None(_) => Check::Possible,
        other => Check::Impossible(Fault::new(FaultKind::Malformed, why_none(other).detail)),
    }
}

fn why_none(response: &Response) -> NoAnswer {
    match response {
        Response::None(reason) => reason.clone(),
        _ => NoAnswer { why: Why::Invalid, detail: "the answer is no line number".to_owned() },
    }
}

fn with_change(verdict: Verdict, reference: &LineReference) -> Verdict {
    match reference.change {
        Some(change) => verdict.score(CHANGE, change as f64),
        None => verdict,
    }
}

#[derive(Default)]
pub(super) struct LineTally {
    losses: Vec<f64>,
    /// The losses again, each with its change.
    changes: Vec<(f64, f64)>,
    first_hits: usize,
    hits: usize,
    most_given: f64,
}

impl Tally for LineTally {
    fn add(&mut self, verdict: &Verdict) {
        if verdict.outcome == Outcome::Excluded {
            return;
        }
        let score = |name| verdict.scores.get(name).copied();
        let loss = score(LOSS).unwrap_or(UNANSWERED_LOSS);
        self.losses.push(loss);
        self.changes.extend(score(CHANGE).map(|change| (change, loss)));
        self.first_hits += usize::from(verdict.outcome == Outcome::Passed);
        self.hits += usize::from(score(HIT).is_some());
        self.most_given = self.most_given.max(score(GIVEN).unwrap_or_default());
    }

    fn metrics(&self) -> Named<Estimate> {
        let n = self.losses.len();
        let mut metrics = Named::new();
        let mut add = |name: Cow<'static, str>, estimate: Option<Estimate>| {
            if let Some(estimate) = estimate {
                metrics.set(name, estimate);
            }
        };
        add("line-error".into(), bounded_mean(&self.losses));
        // Where not every problem was read, it would be the mean of something else.
        if self.changes.len() == n {
            add(
                "line-error-distinct".into(),
                bounded_mean(&mean_by_change(by_size(&self.changes))),
            );
        }
        add("recall@1".into(), proportion(self.first_hits, n));
        if self.most_given > 1.0 {
            add(format!("recall@{}", self.most_given).into(), proportion(self.hits, n));
        }
        metrics
    }
}

/// The changes with their losses, by size, so that sums do not depend on the order of verdicts.
#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "a change is a whole number below 2^52"
)]
fn by_size(changes: &[(f64, f64)]) -> Vec<(u64, f64)> {
    let mut losses: Vec<(u64, f64)> =
        changes.iter().map(|(change, loss)| (*change as u64, *loss)).collect();
    losses.sort_by(|left, right| left.1.total_cmp(&right.1));
    losses
}
