//! `assay score`: grade answers made elsewhere.

use std::fs::File;
use std::io::{BufRead, BufReader, Read};
use std::path::Path;

use assay_answers::AnswerSource;
use assay_core::{
    DataChoice, Error, Flaw, Opening, QuestionKind, Result, Results, Task, TaskCard, agreeing,
    counted, exit_code,
};
use assay_data::OutputTarget;
use assay_record::VerdictLine;
use assay_run::{
    FailedSample, InterruptedScore, RunContext, ScoreOutcome, Scored, Scoring, job_count,
    select_problems,
};
use assay_tasks::TaskRegistry;

use super::{
    cache_folder, cancel_on_interrupt, choose_data, locator_training_data, output_target, require,
    tool,
};
use crate::args::{ScoreArguments, ScoreFormat};
use crate::output::{self, ResultsJson, ResultsView, RunProgressBar};

/// The length up to which a file's first line is taken for a verdict.
const LONGEST_VERDICT: u64 = 1 << 20;

pub(crate) fn score(arguments: &ScoreArguments, answers: &Path, is_detailed: bool) -> Result<u8> {
    let tasks = TaskRegistry::built_in();
    let task = tasks.find_as(&arguments.task, arguments.data.name.as_deref())?;
    reject_unsupported_options(arguments, task.card())?;
    let verdicts = verdict_target(arguments)?;
    let data = choose_data(&arguments.data, task.card())?;
    let card = task.card();
    let settings = arguments.programs.settings(arguments.data.settings_for(card), card)?;
    let cache = cache_folder(arguments.programs.cache.as_deref());
    let (jobs, cache) = (job_count(arguments.jobs), cache.as_deref());
    let problems = task.open(&Opening { jobs, cache, ..Opening::new(&data, &settings) })?;
    let chosen = &arguments.chosen;
    let chosen = select_problems(problems.ids(), &chosen.ids, chosen.limit())?;
    let replaced = verdicts.as_ref().and_then(OutputTarget::replaced_path);
    if let Some(path) = replaced {
        protect_input(path, answers, &data)?;
    }
    require::refuse_unknown(&arguments.require, &[task.card()], &settings.pass_k)?;
    let answers = open(answers)?;
    let (cancel, bar) = (cancel_on_interrupt()?, RunProgressBar::new());
    let scoring = Scoring {
        task: task.as_ref(),
        problems: problems.as_ref(),
        chosen: &chosen,
        settings: &settings,
        read_all: arguments.distinct,
        extraction: arguments.extract.rule(),
        key: arguments.key.as_deref(),
        verdicts: verdicts.as_ref(),
        failures: arguments.failures as usize,
        tool: &tool(),
    };
    let context = RunContext { jobs, cache, state: None, cancel: &cancel, progress: &bar };
    let scored = match assay_run::score(&scoring, answers, &context)? {
        ScoreOutcome::Complete(scored) => *scored,
        ScoreOutcome::Interrupted(interrupted) => {
            output::print_message(&how_to_go_on(&interrupted));
            return Ok(exit_code::INTERRUPTED);
        }
    };
    if task.card().asks == QuestionKind::Code {
        output::show_passed_over(&scored.passed_over, &task.card().name);
    }
    if task.card().asks == QuestionKind::Line
        && let Some(dataset) =
            locator_training_data(chosen.indices().map(|index| &problems.ids()[index]))
    {
        output::warn(&format!(
            "the locator inside assay was trained on {dataset}: if these are answers of `assay predict`, \
             their score says nothing about new data"
        ));
    }
    if let Some(extracted) = &scored.results.extracted {
        output::show_extracted(extracted);
    }
    output::show_unanswered(&scored.unanswered);
    let Scored { results, flaws, excluded, failed, .. } = scored;
    output::show_exclusions(&excluded);
    show_flaws(&flaws);
    if !results.not_scored.is_empty() {
        let parts = results.not_scored.join(", ");
        output::warn(&format!("not scored, because the data has no truth for it: {parts}"));
    }
    print_results(arguments, task.as_ref(), &results, &failed, is_detailed)?;
    if require::report_missed(&arguments.require, &[&results]) {
        return Ok(exit_code::MISSED);
    }
    let complete =
        flaws.is_empty() && results.counts.are_complete() && results.not_scored.is_empty();
    Ok(if complete { exit_code::DONE } else { exit_code::INCOMPLETE })
}

/// Prints the results in the requested form, and failed samples if they were requested.
fn print_results(
    arguments: &ScoreArguments,
    task: &dyn Task,
    results: &Results,
    failed: &[FailedSample],
    is_detailed: bool,
) -> Result<()> {
    match arguments.format {
        _ if arguments.json => {
            let failed_samples = (arguments.failures > 0).then(|| output::failed_json(failed));
            output::json_line(&ResultsJson { results, failed_samples })?;
        }
        ScoreFormat::Table => {
            let names_left_out = !arguments.programs.pass_k.is_empty();
            output::show_results(&[results], ResultsView { is_detailed, names_left_out })?;
            output::show_breakdowns(&[results])?;
        }
        ScoreFormat::Codrep => match task.original_report(results) {
            Some(report) => output::print(&report)?,
            None => return Err(no_format(&arguments.task)),
        },
    }
    if arguments.failures > 0 && !arguments.json {
        output::show_failed(results, failed)?;
    }
    Ok(())
}

/// The target of the verdicts, if they are asked for.
fn verdict_target(arguments: &ScoreArguments) -> Result<Option<OutputTarget>> {
    let verdicts = arguments.verdicts.as_deref().map(output_target).transpose()?;
    if verdicts.as_ref().is_some_and(OutputTarget::is_standard_output) {
        if arguments.json || arguments.format == ScoreFormat::Codrep {
            return Err(Error::usage("verdicts and results cannot both go to standard output")
                .hint("name a file with --verdicts"));
        }
        output::print_results_on_standard_error();
    }
    Ok(verdicts)
}

/// Lists the problems without a usable solution.
fn show_flaws(flaws: &[Flaw]) {
    if flaws.is_empty() {
        return;
    }
    let problems = counted(flaws.len(), "problem");
    let have = agreeing(
        flaws.len(),
        "has no usable solution and counts",
        "have no usable solution and count",
    );
    let reasons = flaws.iter().map(|flaw| flaw.reason.as_str());
    let cause = output::likely_cause(reasons.clone());
    output::list_some(&format!("{problems} {have} as not answered{cause}"), reasons, flaws.len());
}

/// The message about an interrupted score.
fn how_to_go_on(interrupted: &InterruptedScore) -> String {
    let InterruptedScore { graded, total, kept_in, own_programs } = interrupted;
    let done = match (kept_in, own_programs) {
        (Some(path), _) => {
            let path = path.display();
            format!(
                "interrupted with {graded} of {total} answers graded; their verdicts are kept in {path}"
            )
        }
        (None, Some((checked @ 1.., of))) => format!(
            "interrupted with {checked} of {of} own programs of the task checked, which are not run again"
        ),
        (None, _) if *graded > 0 => {
            return format!(
                "interrupted with {graded} of {total} answers graded; there is no place to keep their verdicts"
            );
        }
        (None, _) => return "interrupted: nothing was scored".to_owned(),
    };
    format!("{done}\ngo on with: {}", output::this_command())
}

/// Rejects options that other tasks have, before anything is run.
fn reject_unsupported_options(arguments: &ScoreArguments, card: &TaskCard) -> Result<()> {
    if arguments.key.is_some() && card.asks != QuestionKind::Code {
        let message = format!("--key names the field of a program; {} asks for none", card.name);
        return Err(Error::usage(message).hint("leave --key out"));
    }
    if card.asks == QuestionKind::Line {
        return Ok(());
    }
    if arguments.distinct {
        let message =
            format!("--distinct counts equal changes of lines once; {} has none", card.name);
        return Err(Error::usage(message));
    }
    match arguments.format {
        ScoreFormat::Codrep => Err(no_format(&card.name)),
        ScoreFormat::Table => Ok(()),
    }
}

/// Returns whether two paths lead to the same file.
/// Refuses verdicts that would replace the answers or a file of the data.
fn protect_input(verdicts: &Path, answers: &Path, data: &DataChoice) -> Result<()> {
    let paths = match data {
        DataChoice::Paths(paths) => &paths[..],
        DataChoice::Sample => &[],
    };
    let what = if is_same(verdicts, answers) {
        "the answers"
    } else if paths.iter().any(|path| is_same(verdicts, path) || is_file_within(verdicts, path)) {
        "a file of the data"
    } else {
        return Ok(());
    };
    Err(Error::usage(format!("the verdicts would overwrite {what}"))
        .hint("name another file with --verdicts"))
}

/// Returns true if there is a file at `path` in the folder, other than verdicts that were written before.
fn is_file_within(path: &Path, folder: &Path) -> bool {
    let both = path.canonicalize().ok().zip(folder.canonicalize().ok());
    both.is_some_and(|(path, folder)| path.starts_with(folder) && !holds_verdicts(&path))
}

/// Returns true if a file begins with a verdict, or is empty.
fn holds_verdicts(path: &Path) -> bool {
    let mut line = String::new();
    let read = |file: File| BufReader::new(file.take(LONGEST_VERDICT)).read_line(&mut line);
    File::open(path).and_then(read).is_ok()
        && (line.trim().is_empty() || serde_json::from_str::<VerdictLine>(&line).is_ok())
}

fn is_same(left: &Path, right: &Path) -> bool {
    let both = left.canonicalize().ok().zip(right.canonicalize().ok());
    left == right || both.is_some_and(|(left, right)| left == right)
}

fn no_format(task: &str) -> Error {
    Error::usage(format!("{task} has no such format")).hint("--json is for machines")
}

fn open(answers: &Path) -> Result<AnswerSource<'static>> {
    if answers.as_os_str() == "-" {
        return AnswerSource::standard_input();
    }
    AnswerSource::open(answers)
        .map_err(|error| error.or_hint("`-` reads the answers from standard input"))
}
