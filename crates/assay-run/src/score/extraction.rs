//! Finds the code in the answers of a file, and answers in which it was not looked for.

use std::ops::ControlFlow;
use std::sync::Arc;

use assay_answers::AnswerFile;
use assay_core::{Error, Extracted, Problems, Reference, Response, Result, agreeing, counted};
use assay_extract::{Extraction, is_fenced};

use crate::pipeline::check_extraction;

/// Replaces every answer by the code in it; the answers that are shown keep the whole text too.
pub(super) fn extract_code(
    (rule, keeps_replies): (Extraction, bool),
    file: &mut AnswerFile,
    problems: &dyn Problems,
    task: &str,
) -> Result<Extracted> {
    let mut counts = Extracted { rule: rule.to_string(), ..Extracted::default() };
    let mut outcome = Ok(());
    let how = (rule, keeps_replies);
    problems.references(&mut |index, reference| {
        // An answer to a problem without a reference is refused later.
        let Ok(reference) = reference else { return ControlFlow::Continue(()) };
        outcome = extract_of(how, index, reference.as_ref(), file, &mut counts, task);
        if outcome.is_ok() { ControlFlow::Continue(()) } else { ControlFlow::Break(()) }
    });
    outcome.map(|()| counts)
}

/// Replaces the answers to one problem.
fn extract_of(
    (rule, keeps_replies): (Extraction, bool),
    index: usize,
    reference: &dyn Reference,
    file: &mut AnswerFile,
    counts: &mut Extracted,
    task: &str,
) -> Result<()> {
    let Some(expected) = reference.expected_code() else {
        let message = format!("answers to {task} are no code, which --extract looks for");
        return Err(Error::usage(message).hint("leave --extract out"));
    };
    check_extraction(rule, &expected)?;
    for answer in file.of_mut(index) {
        let response = &mut answer.submission.response;
        let Ok(text) = response.text() else { continue };
        let found = rule.extract(text, &expected);
        let is_continuation = matches!(**response, Response::Text(_));
        let becomes_program = is_continuation && found.is_program;
        counts.answers += 1;
        counts.changed += usize::from(found.code != text);
        counts.programs += usize::from(becomes_program);
        if keeps_replies && found.code != text {
            answer.reply = Some(text.into());
        }
        let code = found.code.into_owned();
        let is_text = is_continuation && !becomes_program;
        *response = Arc::new(if is_text { Response::Text(code) } else { Response::Program(code) });
    }
    Ok(())
}

/// A hint if answers have fences, which are graded with them.
pub(super) fn hint_at_fences(file: &AnswerFile, problems: &dyn Problems) -> Option<String> {
    let mut language = None;
    problems.references(&mut |_, reference| {
        let reference = reference.ok();
        language = reference.and_then(|it| it.expected_code().map(|expected| expected.language));
        ControlFlow::Break(())
    });
    let language = Some(language?);
    let texts = file.answers.iter().filter_map(|answer| answer.submission.response.text().ok());
    let fenced = texts.filter(|text| is_fenced(text, language)).count();
    let all = counted(file.answers.len(), "answer");
    let contain = agreeing(fenced, "contains", "contain");
    (fenced > 0).then(|| {
        format!(
            "{fenced} of {all} {contain} Markdown fences: `--extract code` grades only the code in them"
        )
    })
}
