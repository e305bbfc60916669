//! Grading one answer by request, so that another process that opens the same data can do it.

use std::ops::ControlFlow;

use assay_core::{
    Answer, Cancel, Error, Reading, Result, SampleKey, Selection, Submission, Verdict,
};
use assay_record::{AnswerLine, DataDigest, VerdictLine};
use serde::{Deserialize, Serialize};

use crate::{OpenTask, TaskRequest};

/// A request to grade an answer, which identifies its problem.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct GradeRequest {
    /// The task and its data.
    pub task: TaskRequest,
    /// The hashes of the data that the answer belongs to.
    pub data_digest: DataDigest,
    /// The problem, the sample and the response.
    pub answer: AnswerLine,
}

impl OpenTask {
    /// Grades an answer to one of the problems; refuses an answer that belongs to other data.
    pub fn grade(&self, request: &GradeRequest, cancel: &Cancel) -> Result<VerdictLine> {
        if request.data_digest != self.data_digest()? || request.task.name != self.request.name {
            return Err(Error::refused("the answer is to another task or to other data")
                .hint("open the data that the answer's problem was read from"));
        }
        let answer = Answer::from(request.answer.clone());
        let ids = self.problems.ids();
        let place = ids.iter().position(|id| *id == answer.problem);
        let index = place.filter(|&index| self.wanted.contains(index)).ok_or_else(|| {
            Error::refused(format!("there is no problem called {}", answer.problem))
        })?;
        let key = SampleKey { index, sample: answer.sample };
        let submission = Submission { key, problem: answer.problem, response: answer.response };
        let mut verdict = None;
        self.problems.read(&Selection::of(ids.len(), |other| other == index), &mut |reading| {
            verdict = Some(match reading {
                Reading::Flawed(flaw) => Verdict::excluded(flaw.id, flaw.reason),
                Reading::Problem(problem) => problem.reference.grade(&submission, cancel)?,
            });
            Ok(ControlFlow::Break(()))
        })?;
        let verdict = verdict.ok_or_else(|| Error::failed("the problem could not be read"))?;
        Ok(verdict.into())
    }
}
