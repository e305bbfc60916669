//! Answers without grading, in task order.

use std::collections::{BTreeMap, HashMap};

use assay_core::{Cancel, Problems, Response, Result, Selection, SessionReport, Solver};

use crate::engine::{Sink, Solved, Work, solve};

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

/// Answers the wanted problems, and hands over a line of text for each, in task order, as soon as
/// all before it are there.
pub fn predict(
    problems: &dyn Problems,
    solver: &Solver,
    jobs: usize,
    cancel: &Cancel,
    write: &mut dyn FnMut(&str) -> Result<()>,
) -> Result<Predicted> {
    let wanted = Selection::all(problems.ids().len());
    let mut in_order = InOrder {
        problems,
        write,
        next: 0,
        held_back: BTreeMap::new(),
        predicted: Predicted::default(),
    };
    let answered = HashMap::new();
    let work =
        Work { problems, wanted: &wanted, solver, grader: None, answered: &answered, jobs, cancel };
    solve(&work, &mut in_order)?;
    Ok(in_order.predicted)
}

/// Holds lines back until it is their turn. What waits is an answer, not a file, so memory stays
/// small however an archive is sorted.
struct InOrder<'a> {
    problems: &'a dyn Problems,
    write: &'a mut dyn FnMut(&str) -> Result<()>,
    next: usize,
    held_back: BTreeMap<usize, Option<Response>>,
    predicted: Predicted,
}

impl InOrder<'_> {
    fn count(&mut self, solved: &Solved) {
        let reason = match (&solved.answer, &solved.verdict) {
            (Some(answer), _) => match &answer.response {
                Response::None(none) => format!("{}: {}", answer.problem, none.detail),
                Response::Lines(_) => {
                    self.predicted.answered += 1;
                    return;
                }
            },
            (None, Some(verdict)) => verdict.detail.clone().unwrap_or_default(),
            (None, None) => String::new(),
        };
        self.predicted.unanswered += 1;
        if self.predicted.reasons.len() < REASONS_KEPT {
            self.predicted.reasons.push(reason);
        }
    }
}

impl Sink for InOrder<'_> {
    fn solved(&mut self, solved: Solved) -> Result<()> {
        self.count(&solved);
        self.held_back.insert(solved.rank, solved.answer.map(|answer| answer.response));
        while let Some(response) = self.held_back.remove(&self.next) {
            let line = response.and_then(|it| self.problems.write_answer(self.next, &it));
            if let Some(line) = line {
                (self.write)(&line)?;
            }
            self.next += 1;
        }
        Ok(())
    }

    fn session(&mut self, report: SessionReport) -> Result<()> {
        self.predicted.sessions.push(report);
        Ok(())
    }
}
