//! A test of a promise: questions that are asked again at the end of a run must get the same reply.
//!
//! The first replies are those of the record, so a run that was interrupted is tested as any other.

use std::collections::{BTreeMap, HashMap};
use std::ops::ControlFlow;
use std::path::Path;
use std::time::Duration;

use assay_core::{
    Answer, AnswerEach, AnswerError, Ask, Problem, Problems, Reading, Repeated, Reply, Response,
    Result, Selection, Solver,
};
use assay_record::RunReader;

use super::indices;
use crate::{Plan, RunContext};

/// The number of questions that are asked again.
const QUESTIONS: usize = 10;
/// The number of attempts to ask a question again, and the time between them.
const ATTEMPTS: u32 = 4;
const PAUSE: Duration = Duration::from_secs(1);

/// Asks the first questions of the run again, if its solver promises the same replies. A failure costs the test, not
/// the run.
pub(super) fn repeat(
    plan: &Plan,
    folder: &Path,
    context: &RunContext<'_>,
) -> Result<Option<Repeated>> {
    let Some(Solver::Each(solver)) = &plan.solver else { return Ok(None) };
    if !solver.promises_repetition() {
        return Ok(None);
    }
    let problems = plan.open.problems.as_ref();
    let first = first_replies(folder, &indices(problems))?;
    if first.is_empty() {
        return Ok(None);
    }
    context.progress.note("asking a few questions again, to see whether their replies repeat");
    let count = solver.samples_together().min(plan.request.samples);
    let mut repeated = Repeated::default();
    for problem in read(problems, &first)? {
        let Some(text) = first.get(&problem.index) else { continue };
        match ask_again(solver.as_ref(), &problem, count, context) {
            Ok(Some(again)) => {
                repeated.tried += 1;
                repeated.same += usize::from(again == *text);
            }
            Ok(None) => break,
            Err(why) => {
                context.progress.warn(&format!("{} was not asked again: {why}", problem.id));
                break;
            }
        }
    }
    Ok(Some(repeated))
}

/// The recorded replies to the first questions, by the places of their problems.
fn first_replies(folder: &Path, places: &HashMap<&str, usize>) -> Result<BTreeMap<usize, String>> {
    let mut first = BTreeMap::new();
    for line in RunReader::open(folder)?.answers() {
        let answer = Answer::from(line?);
        let place = places.get(answer.problem.as_str()).filter(|_| answer.sample == 0);
        let text = answer.reply.or_else(|| text_of(&answer.response));
        if let (Some(&place), Some(text)) = (place, text) {
            first.insert(place, text);
            if first.len() > QUESTIONS {
                first.pop_last();
            }
        }
    }
    Ok(first)
}

/// The text of a response that is a whole reply.
fn text_of(response: &Response) -> Option<String> {
    response.text().ok().map(str::to_owned)
}

fn read(problems: &dyn Problems, wanted: &BTreeMap<usize, String>) -> Result<Vec<Problem>> {
    let wanted = Selection::of(problems.ids().len(), |index| wanted.contains_key(&index));
    let mut found = Vec::new();
    problems.read(&wanted, &mut |reading| {
        if let Reading::Problem(problem) = reading {
            found.push(problem);
        }
        Ok(ControlFlow::Continue(()))
    })?;
    found.sort_by_key(|problem| problem.index);
    Ok(found)
}

/// The text of another reply to the first sample; `None` if the work ends.
fn ask_again(
    solver: &dyn AnswerEach,
    problem: &Problem,
    count: u32,
    context: &RunContext<'_>,
) -> std::result::Result<Option<String>, String> {
    let ask = Ask {
        id: &problem.id,
        index: problem.index,
        sample: 0,
        question: &problem.question,
        gold: None,
        cancel: context.cancel,
    };
    for attempt in 1.. {
        let failed = match solver.answer_again(&ask, count) {
            Ok(replies) => return Ok(replies.into_iter().next().map(whole)),
            Err(_) if context.cancel.is_cancelled() => return Ok(None),
            Err(AnswerError::Fatal(error)) => return Err(error.to_string()),
            Err(AnswerError::Transient { message, .. }) => message,
        };
        if attempt >= ATTEMPTS {
            return Err(failed);
        }
        if context.cancel.sleep(PAUSE) {
            break;
        }
    }
    Ok(None)
}

/// The whole text of a reply; empty if there is none.
fn whole(reply: Reply) -> String {
    reply.text.or_else(|| text_of(&reply.response)).unwrap_or_default()
}
