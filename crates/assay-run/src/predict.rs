//! Answers without grading, in task order.

use std::collections::{BTreeMap, HashMap, HashSet};
use std::path::Path;

use assay_core::{
    Cancel, Grader, Problems, Response, Result, Selection, SessionReport, Solver, Verdict,
};

use crate::engine::{Event, Work, solve};

/// What came of predicting.
#[derive(Debug, Default)]
pub struct Predicted {
    /// How many problems have an answer.
    pub answered: usize,
    /// How many have none.
    pub unanswered: usize,
    /// Why, for the first of those.
    pub reasons: Vec<String>,
    /// What an external solver's sessions were like.
    pub sessions: Vec<SessionReport>,
}

/// How many reasons for missing answers are kept.
const REASONS_KEPT: usize = 20;

/// Answers all problems, and hands over a line of text for each, in task order, as soon as all
/// before it are there.
pub fn predict(
    problems: &dyn Problems,
    (solver, grader): (&Solver, &dyn Grader),
    scratch: &Path,
    jobs: usize,
    cancel: &Cancel,
    write: &mut dyn FnMut(&str) -> Result<()>,
) -> Result<Predicted> {
    let work = Work {
        problems,
        wanted: &Selection::all(problems.ids().len()),
        samples: 1,
        graded: &HashSet::new(),
        answered: &HashMap::new(),
        solver,
        grader,
        scratch,
        jobs,
        cancel,
    };
    let mut predicted = Predicted::default();
    let mut in_order = InOrder { problems, write, next: 0, held_back: BTreeMap::new() };
    let mut said = HashMap::new();
    solve(&work, &mut |event| match event {
        Event::Answered(key, answer) => {
            said.insert(key, answer.response);
            Ok(())
        }
        // Without solutions there are no grades; but what is impossible or missing is told.
        Event::Graded(key, verdict) => {
            let response = said.remove(&key).filter(|_| verdict.why.is_none());
            match response {
                Some(_) => predicted.answered += 1,
                None => predicted.leave_out(&verdict),
            }
            in_order.take(key.rank, response)
        }
        Event::Session(report) => {
            predicted.sessions.push(report);
            Ok(())
        }
    })?;
    Ok(predicted)
}

impl Predicted {
    fn leave_out(&mut self, verdict: &Verdict) {
        self.unanswered += 1;
        if self.reasons.len() < REASONS_KEPT {
            let detail = verdict.detail.as_deref().unwrap_or_default();
            self.reasons.push(format!("{}: {detail}", verdict.problem));
        }
    }
}

/// Holds lines back until it is their turn. What waits is an answer, not a file, so memory stays
/// small however an archive is sorted.
struct InOrder<'a> {
    problems: &'a dyn Problems,
    write: &'a mut dyn FnMut(&str) -> Result<()>,
    next: usize,
    held_back: BTreeMap<usize, Option<Response>>,
}

impl InOrder<'_> {
    fn take(&mut self, rank: usize, response: Option<Response>) -> Result<()> {
        self.held_back.insert(rank, response);
        while let Some(response) = self.held_back.remove(&self.next) {
            let line = response.and_then(|it| self.problems.write_answer(self.next, &it));
            if let Some(line) = line {
                (self.write)(&line)?;
            }
            self.next += 1;
        }
        Ok(())
    }
}
