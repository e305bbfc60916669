//! Grading of line answers, and the tally.

use std::borrow::Cow;

use assay_core::{
    Cancel, Check, Estimate, Fault, FaultKind, Fingerprint, Named, Outcome, Reference, Response,
    Result, Submission, Tally, Verdict, solution_fingerprint,
};
use assay_metrics::line::{UNANSWERED_LOSS, grade_lines, mean_by_change};
use assay_stats::{bounded_mean, proportion};

/// The loss of an answer, between 0 and 1.
const LOSS: &str = "loss";
/// The position of the first right line in the answer, from 1.
const HIT: &str = "hit";
/// The number of lines in the answer.
const GIVEN: &str = "given";

/// The line that was replaced.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct LineReference {
    /// The number of lines of the file; `None` if it was not read.
    pub(super) length: Option<usize>,
    /// The line that was replaced, from 1; `None` if it is hidden.
    pub(super) solution: Option<usize>,
    /// Identifies the change; `None` if the file was not read or the solution is hidden.
    pub(super) change: Option<u64>,
}

impl Reference for LineReference {
    fn fingerprint(&self) -> Fingerprint {
        solution_fingerprint(self.solution)
    }

    fn gold(&self) -> Option<Response> {
        self.solution.map(|line| Response::Lines(vec![line]))
    }

    fn check(&self, response: &Response) -> Check {
        let lines = match response.lines() {
            Ok(lines) => lines,
            missing => return Check::kind(missing),
        };
        let Self { length, solution, .. } = *self;
        // A line up to the right one is in the file, whose length then does not matter: most answers are checked
        // without opening their file.
        let surely = length.or(solution).unwrap_or_default();
        let Some(line) = lines.iter().find(|line| !(1..=surely).contains(line)) else {
            return Check::Possible;
        };
        let Some(length) = length else { return Check::Unclear };
        let message = format!("line {line} is out of range: the program has lines 1 to {length}");
        Check::Impossible(Fault::new(FaultKind::OutOfRange, message))
    }

    fn grade(&self, submission: &Submission, _cancel: &Cancel) -> Result<Verdict> {
        let lines = match submission.response.lines() {
            Ok(lines) => lines,
            Err(reason) => {
                let verdict = submission.unanswered(&reason);
                return Ok(self.with_change(verdict.score(LOSS, UNANSWERED_LOSS)));
            }
        };
        let grade = self.solution.and_then(|solution| grade_lines(lines, solution));
        let Some(grade) = grade else {
            let problem = submission.problem.clone();
            return Ok(Verdict::excluded(problem, "its solution is not known".to_owned()));
        };
        let outcome = if grade.hit == Some(1) { Outcome::Passed } else { Outcome::Failed };
        let verdict =
            submission.verdict(outcome).score(LOSS, grade.loss).score(GIVEN, lines.len() as f64);
        let verdict = match grade.hit {
            Some(place) => verdict.score(HIT, place as f64),
            None => verdict,
        };
        Ok(Verdict { predicted: lines.to_vec(), ..self.with_change(verdict) })
    }
}

impl LineReference {
    fn with_change(&self, verdict: Verdict) -> Verdict {
        let group = self.change.map(|change| format!("{change:x}"));
        Verdict { group, solution: self.solution, ..verdict }
    }
}

#[derive(Default)]
pub(super) struct LineTally {
    losses: Vec<f64>,
    /// The losses again, each with its change.
    changes: Vec<(u64, f64)>,
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
        let change = verdict.group.as_deref().and_then(|group| u64::from_str_radix(group, 16).ok());
        self.changes.extend(change.map(|change| (change, loss)));
        self.first_hits += usize::from(verdict.outcome == Outcome::Passed);
        self.hits += usize::from(score(HIT).is_some());
        self.most_given = self.most_given.max(score(GIVEN).unwrap_or_default());
    }

    fn metrics(&self) -> Named<Estimate> {
        let n = self.losses.len();
        let mut metrics = Named::new();
        let mut add = |name: Cow<'static, str>, estimate: Option<Estimate>| {
            if let Some(estimate) = estimate {
                metrics.insert(name, estimate);
            }
        };
        add("line-error".into(), bounded_mean(&self.losses));
        // If not every problem was read, it would be the mean of something else.
        if self.changes.len() == n {
            add(
                "line-error-distinct".into(),
                bounded_mean(&mean_by_change(by_size(self.changes.clone()))),
            );
        }
        add("recall@1".into(), proportion(self.first_hits, n));
        if self.most_given > 1.0 {
            add(format!("recall@{}", self.most_given).into(), proportion(self.hits, n));
        }
        metrics
    }
}

/// The changes with their losses, sorted by size, so that sums do not depend on the order of verdicts.
fn by_size(mut losses: Vec<(u64, f64)>) -> Vec<(u64, f64)> {
    losses.sort_by(|left, right| left.1.total_cmp(&right.1));
    losses
}
