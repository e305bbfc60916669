//! Settles what a file of answers leaves open, and finds its faults, before anything is graded.

use std::ops::ControlFlow;
use std::sync::Arc;

use assay_answers::{AnswerFile, GivenAnswer};
use assay_core::{Check, CodeForm, Fault, FaultKind, Problems, Reference, Response};

use super::grading::with_problem;

/// The forms of the answers in a file.
#[derive(Debug, Default, Clone, Copy, PartialEq, Eq)]
pub(super) struct Forms {
    /// Texts of which the file did not say what they are, and which turned out to be whole programs.
    pub(super) settled_whole: usize,
    /// The same, which turned out to continue the prompt.
    pub(super) settled_continuing: usize,
    /// Answers that the file calls whole programs.
    pub(super) programs: usize,
    /// Those of them that only continue the prompt.
    pub(super) bodies: usize,
}

/// Decides whether answers are whole programs where the file does not say it. Adds faults for which the file is refused
/// before anything is graded: impossible answers, and answers to problems that cannot be graded.
pub(super) fn settle(problems: &dyn Problems, file: &mut AnswerFile) -> Forms {
    let (mut found, mut forms) = (Vec::new(), Forms::default());
    problems.references(&mut |index, reference| {
        for answer in file.of_mut(index) {
            let examined = match &reference {
                Err(flaw) => Err(Fault::new(FaultKind::NoSolution, flaw.reason.clone())),
                Ok(reference) => examine(answer, reference.as_ref(), &mut forms)
                    .map_err(|fault| with_problem(fault, &problems.ids()[index])),
            };
            found.extend(examined.err().map(|fault| (answer.place, fault)));
        }
        ControlFlow::Continue(())
    });
    for (place, fault) in found {
        file.faults.add(place, fault);
    }
    forms
}

/// Decides the form of one answer; an error says why the problem cannot have it.
fn examine(
    answer: &mut GivenAnswer,
    reference: &dyn Reference,
    forms: &mut Forms,
) -> Result<(), Fault> {
    if let Check::Impossible(fault) = reference.check(&answer.submission.response) {
        return Err(fault);
    }
    if let Some(prompt) = answer.prompt.take()
        && reference.code_form(&prompt) != CodeForm::Whole
    {
        let message = "the line's prompt is that of another problem: lines without names are in task \
            order, or have a \"task_id\"";
        return Err(Fault::new(FaultKind::UnknownProblem, message));
    }
    let Ok(text) = answer.submission.response.text() else { return Ok(()) };
    let form = reference.code_form(text);
    if !answer.is_settled {
        let is_whole = match form {
            CodeForm::Whole => true,
            CodeForm::Continuation => false,
            CodeForm::Neither => !text.trim_start_matches(['\n', '\r']).starts_with([' ', '\t']),
        };
        forms.settled_whole += usize::from(is_whole);
        forms.settled_continuing += usize::from(!is_whole);
        let wrap = if is_whole { Response::Program } else { Response::Text };
        answer.submission.response = Arc::new(wrap(text.to_owned()));
        answer.is_settled = true;
    } else if matches!(*answer.submission.response, Response::Program(_)) {
        forms.programs += 1;
        forms.bodies += usize::from(form == CodeForm::Continuation);
    }
    answer.form = Some(form);
    Ok(())
}
