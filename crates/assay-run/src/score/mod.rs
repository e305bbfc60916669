//! Grades answers made elsewhere.

mod announcing;
mod diagnosis;
mod extraction;
mod grading;
mod kept;
#[cfg(test)]
mod resume_tests;
mod settling;
mod summary;
#[cfg(test)]
mod tests;

use std::collections::BTreeMap;
use std::num::NonZeroUsize;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Instant;

use assay_answers::{AnswerFile, AnswerSource, GivenAnswer};
use assay_core::{
    Digest, Effort, Error, Extracted, Flaw, ProblemId, Problems, QuestionKind, Result, Results,
    Selection, Task, TaskSettings, Verdict, counted,
};
use assay_data::OutputTarget;
use assay_extract::Extraction;
use assay_record::Tool;
use tracing::info;

use crate::RunContext;
use crate::failures::{CutReply, FailedSample, FailureChoice, ShownAnswer, with_problems};
use crate::gate::{Gate, GoldGate};
use crate::pipeline::VerdictCache;
use crate::plan::{signature, with_samples};
use crate::run::indices;
use diagnosis::Diagnosis;
use grading::FileGrading;
use kept::{KeptVerdicts, Known, Resumable};
use summary::Summary;

/// A request to score answers.
#[derive(Clone, Copy)]
pub struct Scoring<'a> {
    /// The task of the answers.
    pub task: &'a dyn Task,
    /// All of its problems.
    pub problems: &'a dyn Problems,
    /// Those that are scored: an answer to another one does not count.
    pub chosen: &'a Selection,
    /// The settings of the task.
    pub settings: &'a TaskSettings,
    /// The field of a file that holds the programs, if the user names one.
    pub key: Option<&'a str>,
    /// True to read every problem, for metrics that need more than the references.
    pub read_all: bool,
    /// The rule for finding the code in an answer; without one, answers are graded as they are.
    pub extraction: Option<Extraction>,
    /// The target to write every verdict to, one per line, in the order of problems and samples.
    pub verdicts: Option<&'a OutputTarget>,
    /// The maximum number of failed samples to return.
    pub failures: usize,
    /// The version of assay.
    pub tool: &'a Tool,
}

/// The outcome of scoring.
#[derive(Debug)]
pub enum ScoreOutcome {
    /// Every answer is graded.
    Complete(Box<Scored>),
    /// It was interrupted.
    Interrupted(InterruptedScore),
}

/// A score that was interrupted.
#[derive(Debug, Default)]
pub struct InterruptedScore {
    /// The number of samples that are graded.
    pub graded: usize,
    /// The number of all samples; 0 if the answers were not read.
    pub total: usize,
    /// The number of the task's own programs that are checked, and of all, if it was interrupted before anything was
    /// graded.
    pub own_programs: Option<(usize, usize)>,
    /// The file with the verdicts so far: the next time, scoring the same answers goes on from there.
    pub kept_in: Option<PathBuf>,
}

/// The results of scoring.
#[derive(Debug)]
pub struct Scored {
    /// The results.
    pub results: Results,
    /// Problems without a usable solution.
    pub flaws: Vec<Flaw>,
    /// Problems that count in no metric, with the reason.
    pub excluded: Vec<Verdict>,
    /// Problems without an answer in the file.
    pub unanswered: Vec<ProblemId>,
    /// The number of answers to each problem that the data has and the task leaves out.
    pub passed_over: BTreeMap<String, usize>,
    /// Failed samples, chosen as requested.
    pub failed: Vec<FailedSample>,
}

/// Grades answers to the chosen problems. Either every line is accepted, or the file is refused with all its faults.
/// Problems are read only if an answer cannot be graded without, unless the request says otherwise. If it was
/// interrupted before, it goes on where it stopped.
pub fn score(
    scoring: &Scoring<'_>,
    answers: AnswerSource<'_>,
    context: &RunContext<'_>,
) -> Result<ScoreOutcome> {
    let name = &*answers.name();
    let Some((mut file, extracted)) = read_answers(scoring, answers, context)? else {
        return Ok(ScoreOutcome::Interrupted(InterruptedScore::default()));
    };
    let Scoring { task, problems, chosen, settings, tool, .. } = *scoring;
    let verdicts = VerdictCache::default();
    let gold = GoldGate { task, settings, problems, wanted: chosen, verdicts: &verdicts, tool };
    let gate = gold.run(context)?;
    if context.cancel.is_cancelled() {
        let checked = gate.rate().map_or(0, |rate| rate.of);
        let total = grading::steps(&file, &gate, chosen);
        let own_programs = Some((checked, chosen.len()));
        let interrupted = InterruptedScore { total, own_programs, ..Default::default() };
        return Ok(ScoreOutcome::Interrupted(interrupted));
    }
    let (kept, known) = kept_verdicts(scoring, &file, &gate, context)?;
    let (working, total) = (is_slow(problems), grading::steps(&file, &gate, chosen));
    let progress = Some(context.progress).filter(|_| working);
    let choice = FailureChoice::new(task.card(), scoring.failures);
    let (tally, diagnosis) = (task.tally(settings), Diagnosis::new(problems.language()));
    let mut sum = Summary::new(tally, choice, (kept, &known), progress, diagnosis);
    if let Some(progress) = progress {
        progress.start("score", total, known.len());
    }
    let grading = FileGrading {
        scoring,
        file: &file,
        verdicts: &verdicts,
        gate: &gate,
        known: &known,
        context,
    };
    let started = Instant::now();
    let graded = grading.grade_all(&mut sum);
    context.progress.finish();
    info!(took = ?started.elapsed(), "grading ended");
    if context.cancel.is_cancelled() {
        return Ok(ScoreOutcome::Interrupted(interrupted(sum, total, working)));
    }
    let references = match graded {
        Ok(references) => references,
        Err(error) => return Err(unfinished(error, sum, working)),
    };
    for (place, fault) in sum.faults.drain(..) {
        file.faults.add(place, fault);
    }
    if !file.faults.is_empty() {
        sum.discard();
        return Err(file.faults.refuse(name));
    }
    if let Some(warning) = sum.diagnosis.warning() {
        context.progress.warn(&warning);
    }
    conclude(scoring, name, (file, extracted), Digest::of_all(references), &gate, sum)
}

/// Reads the answers, and the code in them if that was asked for; refuses those that cannot be graded, before anything slow starts. `None` if it was interrupted.
fn read_answers(
    scoring: &Scoring<'_>,
    answers: AnswerSource<'_>,
    context: &RunContext<'_>,
) -> Result<Option<(AnswerFile, Option<Extracted>)>> {
    let Scoring { task, problems, chosen, settings, .. } = *scoring;
    let (name, started) = (&*answers.name(), Instant::now());
    let mut file = match answers.read_chosen(context.cancel, problems, chosen, scoring.key) {
        Err(_) if context.cancel.is_cancelled() => return Ok(None),
        file => file?,
    };
    let took = started.elapsed();
    info!(file = name, digest = %file.digest, answers = file.answers.len(), ?took, "read the answers");
    if task.card().asks == QuestionKind::Code && file.answers.is_empty() && file.faults.is_empty() {
        return Err(no_answers(&file, name, &task.card().name));
    }
    if task.card().asks == QuestionKind::Code && file.faults.is_empty() {
        refuse_too_few_samples(&file, settings, name)?;
    }
    let extracted = look_for_code(scoring, &mut file, context)?;
    context.warn_without_isolation(task.card(), settings);
    problems.can_be_graded()?;
    // Other answers are graded as fast as they are checked.
    if is_slow(problems) {
        let forms = settling::settle(problems, &mut file);
        if !file.faults.is_empty() {
            return Err(file.faults.refuse(name));
        }
        announcing::announce(&file, name, &forms, scoring, context);
    }
    Ok(Some((file, extracted)))
}

fn is_slow(problems: &dyn Problems) -> bool {
    problems.effort() == Effort::Working
}

/// The file for the verdicts, and those that an interrupted score has left in it.
fn kept_verdicts<'a>(
    scoring: &Scoring<'a>,
    file: &AnswerFile,
    gate: &Gate,
    context: &RunContext<'_>,
) -> Result<(Option<KeptVerdicts<'a>>, Known)> {
    if is_slow(scoring.problems) {
        KeptVerdicts::open(&Resumable::new(scoring, file, gate, context))
    } else {
        Ok((KeptVerdicts::of_fast_work(scoring.verdicts)?, Known::new()))
    }
}

/// Keeps the verdicts of an interrupted score, if there are any that took time.
fn interrupted(mut sum: Summary<'_>, total: usize, working: bool) -> InterruptedScore {
    if !working || sum.graded == 0 {
        sum.discard();
        return InterruptedScore { total, ..InterruptedScore::default() };
    }
    let (graded, kept_in) = (sum.graded, sum.kept_in());
    InterruptedScore { graded, total, kept_in, own_programs: None }
}

/// The error that ended grading, with the way to go on if verdicts are kept.
fn unfinished(error: Error, mut sum: Summary<'_>, working: bool) -> Error {
    let Some(path) = sum.kept_in().filter(|_| working && sum.graded > 0) else {
        sum.discard();
        return error;
    };
    let (graded, path) = (sum.graded, path.display());
    error.or_hint(format!(
        "{graded} verdicts are kept in {path}: the same command goes on from there"
    ))
}

/// Writes the verdicts, and computes the results.
fn conclude(
    scoring: &Scoring<'_>,
    name: &str,
    (file, extracted): (AnswerFile, Option<Extracted>),
    references: Digest,
    gate: &Gate,
    mut sum: Summary<'_>,
) -> Result<ScoreOutcome> {
    let Scoring { task, problems, settings, tool, .. } = *scoring;
    sum.sort_verdicts(problems)?;
    let signature = signature((task, problems), settings, references, sum.counts.problems, tool);
    let signature = with_samples(signature, task, &samples(&file));
    let signature = match scoring.extraction {
        Some(rule) => signature.field("extract", rule),
        None => signature,
    };
    let signature = signature.field("solver", format!("file@{}", file.digest.short()));
    info!(task = task.card().name, %signature, "scored");
    let results =
        Results::new(&task.card().name, format!("file:{name}"), signature, sum.counts.clone());
    let results = Results {
        gold: gate.rate(),
        extracted,
        passed_over: NonZeroUsize::new(file.passed_over.values().sum()),
        ..results.with_tally(sum.tally.as_ref())
    };
    let unanswered = ids_without_answer(&file, scoring);
    let failed = failed(sum.choice, scoring, &file)?;
    let (flaws, excluded, passed_over) = (sum.flaws, sum.excluded, file.passed_over);
    let scored = Scored { results, flaws, excluded, unanswered, passed_over, failed };
    Ok(ScoreOutcome::Complete(Box::new(scored)))
}

/// The chosen samples with their problems, which are read only now, and their answers in the file.
fn failed(
    choice: FailureChoice,
    scoring: &Scoring<'_>,
    file: &AnswerFile,
) -> Result<Vec<FailedSample>> {
    let chosen = choice.finish();
    if chosen.is_empty() {
        return Ok(Vec::new());
    }
    let indices = indices(scoring.problems);
    let rule = scoring.extraction.map(|rule| rule.to_string());
    let answer = |verdict: &Verdict| {
        let index = *indices.get(verdict.problem.as_str())?;
        let answer = file.of(index).get(verdict.sample as usize)?;
        let cut = answer.reply.clone().map(|reply| CutReply { rule: rule.clone(), reply });
        Some(ShownAnswer { response: Arc::clone(&answer.submission.response), cut })
    };
    with_problems(chosen, scoring.problems, &answer)
}

/// Replaces every answer by its code if that was asked for; otherwise hints at answers with fences.
fn look_for_code(
    scoring: &Scoring<'_>,
    file: &mut AnswerFile,
    context: &RunContext<'_>,
) -> Result<Option<Extracted>> {
    let Scoring { task, problems, extraction, .. } = *scoring;
    if let Some(rule) = extraction {
        let how = (rule, scoring.failures > 0);
        return extraction::extract_code(how, file, problems, &task.card().name).map(Some);
    }
    if let Some(hint) = extraction::hint_at_fences(file, problems) {
        context.progress.warn(&hint);
    }
    Ok(None)
}

/// The error for a file without faults of which nothing can be graded.
fn no_answers(file: &AnswerFile, name: &str, task: &str) -> Error {
    if file.not_chosen > 0 {
        let message =
            format!("{name} has no answer to a chosen problem, and {} to others", file.not_chosen);
        return Error::refused(message).hint("leave -L and -i out, or choose other problems");
    }
    let passed_over: usize = file.passed_over.values().sum();
    if passed_over == 0 {
        return Error::refused(format!("{name} has no answers"))
            .hint("a model without an answer still has a line for every problem");
    }
    let message = format!(
        "{name} has no answer to a problem of {task}: the data has the {passed_over} that it names, \
         and {task} leaves them out"
    );
    Error::refused(message).hint(format!("`assay show {task}` says which problems it takes"))
}

/// Refuses values of k that all need more samples than the file has of every problem, before anything is run.
fn refuse_too_few_samples(file: &AnswerFile, settings: &TaskSettings, name: &str) -> Result<()> {
    let (Some((fewest, _)), Some(&k)) = (file.sample_counts(), settings.pass_k.iter().min()) else {
        return Ok(());
    };
    if k <= fewest {
        return Ok(());
    }
    let samples = counted(fewest, "sample");
    Err(Error::usage(format!(
        "pass@{k} needs {k} samples per problem, and {name} has {samples} of a problem"
    ))
    .hint(format!("-k {fewest} or less can be computed")))
}

/// The number of samples of the answered problems: `20`, or `1-20` if they differ.
fn samples(file: &AnswerFile) -> String {
    match file.sample_counts() {
        None => "0".to_owned(),
        Some((fewest, most)) if fewest == most => most.to_string(),
        Some((fewest, most)) => format!("{fewest}-{most}"),
    }
}

/// The chosen problems without an answer.
fn ids_without_answer(file: &AnswerFile, scoring: &Scoring<'_>) -> Vec<ProblemId> {
    let mut answered = file.answers.iter().map(GivenAnswer::index).peekable();
    let mut unanswered = Vec::new();
    for index in scoring.chosen.indices() {
        if answered.peek() != Some(&index) {
            unanswered.push(scoring.problems.ids()[index].clone());
        }
        while answered.next_if_eq(&index).is_some() {}
    }
    unanswered
}
