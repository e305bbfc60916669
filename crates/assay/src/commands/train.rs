//! `assay train`: train the models that assay ships.

use assay_core::{Error, Result, agreeing, counted, exit_code};
use assay_data::OutputTarget;
use assay_locate::train::Settings;
use assay_locate::{Feature, features, groups};
use assay_run::train::{HeldOutReport, Lessons, Miss, Trained};
use serde::Serialize;

use super::{data_at, output_target, tool};
use crate::args::TrainLocateArguments;
use crate::output::{self, Column, RunProgressBar, Table};

/// The number of features listed in the report.
const LISTED_FEATURES: usize = 40;

const MISSES: [(Miss, &str); 5] = [
    (Miss::NotACandidate, "not a candidate"),
    (Miss::AnotherCopy, "another copy"),
    (Miss::CloseBy, "close by"),
    (Miss::RunnerUp, "runner-up"),
    (Miss::FurtherDown, "further down"),
];

/// The trained model, its training data and its test results.
#[derive(Serialize)]
struct Report {
    assay: String,
    datasets: Vec<String>,
    trees: u32,
    forests: u32,
    seed: u64,
    without: Vec<String>,
    weights_bytes: Option<usize>,
    held_out: Vec<HeldOutReport>,
    importance: Vec<(String, f64)>,
}

pub(crate) fn locate(arguments: &TrainLocateArguments) -> Result<u8> {
    if arguments.output.is_none() && !arguments.leave_one_out {
        return Err(Error::usage("nothing would be kept")
            .hint("name a file for the weights with -o, or test with --leave-one-out"));
    }
    let targets = Targets::check(arguments)?;
    let settings = Settings {
        trees: arguments.trees as usize,
        seed: arguments.seed,
        without: left_out(&arguments.without)?,
        ..Settings::default()
    };
    let lessons = Lessons::read(&data_at(&arguments.data)?, &RunProgressBar::new())?;
    warn_of_flaws(&lessons);
    if arguments.leave_one_out && lessons.datasets().len() < 2 {
        return Err(Error::usage("leaving one out needs two datasets or more")
            .hint("name several with --data, joined by `:`"));
    }
    let train = |hold_out: Option<usize>| -> Trained {
        lessons.train(hold_out, arguments.forests as usize, &settings, &RunProgressBar::new())
    };
    let mut report = Report {
        assay: tool().version,
        datasets: lessons.datasets().to_vec(),
        trees: arguments.trees,
        forests: arguments.forests,
        seed: arguments.seed,
        without: arguments.without.clone(),
        weights_bytes: None,
        held_out: Vec::new(),
        importance: Vec::new(),
    };
    if arguments.leave_one_out {
        for dataset in 0..lessons.datasets().len() {
            let trained = train(Some(dataset));
            report.held_out.extend(trained.test);
            report.importance = trained.importance;
        }
    }
    if let Some(weights) = &targets.weights {
        let trained = train(None);
        let bytes = trained.model.to_bytes();
        report.weights_bytes = Some(bytes.len());
        report.importance = trained.importance;
        weights.write(|out| out.write_all(&bytes))?;
    }
    report.importance.truncate(LISTED_FEATURES);
    finish(arguments, &targets, &report)
}

/// The indices of the features in these groups.
fn left_out(without: &[String]) -> Result<Vec<usize>> {
    if let Some(unknown) = without.iter().find(|name| !groups().any(|group| group == *name)) {
        let known: Vec<&str> = groups().collect();
        return Err(Error::usage(format!("there is no group of features called {unknown}"))
            .hint(format!("the groups are {}", known.join(", "))));
    }
    let out = |feature: &Feature| without.iter().any(|group| feature.is_of(group));
    let places = features().into_iter().enumerate().filter(|(_, feature)| out(feature));
    Ok(places.map(|(place, _)| place).collect())
}

fn finish(arguments: &TrainLocateArguments, targets: &Targets, report: &Report) -> Result<u8> {
    if let Some(target) = &targets.report {
        let mut text = serde_json::to_vec_pretty(report)
            .map_err(|error| Error::failed("failed to write the report").because(error))?;
        text.push(b'\n');
        target.write(|out| out.write_all(&text))?;
    }
    if arguments.json {
        output::json_pretty(report)?;
        return Ok(exit_code::DONE);
    }
    if !report.held_out.is_empty() {
        show_tests(&report.held_out)?;
    }
    if let (Some(weights), Some(bytes)) = (&targets.weights, report.weights_bytes) {
        let (path, bytes) = (weights.name().display(), counted(bytes, "byte"));
        output::print(&format!("weights: {path} ({bytes})\n"))?;
    }
    Ok(exit_code::DONE)
}

/// Prints the test results of the models, and their errors.
fn show_tests(tests: &[HeldOutReport]) -> Result<()> {
    let rows = tests.iter().map(|test| {
        [
            test.dataset.clone(),
            test.tasks.to_string(),
            format!("{:.4}", test.line_error),
            format!("{:.4}", test.line_error_distinct),
            format!("{:.4}", test.recall),
            format!("{:.4}", test.candidate_recall),
        ]
    });
    let header =
        ["held out", "tasks", "line-error", "line-error-distinct", "recall@1", "candidates"];
    show_table(&header, rows)?;
    output::print("\n")?;
    let rows = tests.iter().map(|test| {
        let count = |miss| test.errors.get(&miss).copied().unwrap_or_default().to_string();
        let misses = MISSES.map(|(miss, _)| count(miss));
        [test.dataset.clone()].into_iter().chain(misses)
    });
    let header: Vec<&str> = ["missed"].into_iter().chain(MISSES.map(|(_, title)| title)).collect();
    show_table(&header, rows)
}

/// Prints a table of numbers, whose first column is a name.
fn show_table<R>(header: &[&str], rows: impl IntoIterator<Item = R>) -> Result<()>
where
    R: IntoIterator<Item = String>,
{
    let columns = header.iter().enumerate().map(|(place, &title)| match place {
        0 => Column::text(title),
        _ => Column::number(title),
    });
    Table::new(columns).with_option("--json").rows(rows).print()
}

/// The files to write.
struct Targets {
    weights: Option<OutputTarget>,
    report: Option<OutputTarget>,
}

impl Targets {
    /// Checks that everything can be written, before the training. Results are printed on standard error if standard
    /// output is taken.
    fn check(arguments: &TrainLocateArguments) -> Result<Self> {
        let weights = arguments.output.as_deref().map(output_target).transpose()?;
        let beside = weights.as_ref().and_then(OutputTarget::path_for_siblings);
        let beside = beside.map(|path| path.with_extension("report.json"));
        let report =
            arguments.report.as_deref().or(beside.as_deref()).map(output_target).transpose()?;
        let targets = [weights.as_ref(), report.as_ref()].into_iter().flatten();
        let takes_output = targets.filter(|target| target.is_standard_output()).count();
        if takes_output + usize::from(arguments.json) > 1 {
            let message = "only one of weights, report and --json can go to standard output";
            return Err(Error::usage(message).hint("name files with -o and --report"));
        }
        let both = weights.as_ref().zip(report.as_ref());
        if both.is_some_and(|(weights, report)| weights.is_same_file(report)) {
            return Err(Error::usage("weights and report are two files")
                .hint("name another file with --report"));
        }
        if takes_output > 0 {
            output::print_results_on_standard_error();
        }
        Ok(Self { weights, report })
    }
}

/// Warns of tasks that nothing can be learned from.
fn warn_of_flaws(lessons: &Lessons) {
    let flaws = lessons.flaws();
    if !flaws.is_empty() {
        let reasons = flaws.iter().map(String::as_str);
        let (tasks, are) = (counted(flaws.len(), "task"), agreeing(flaws.len(), "is", "are"));
        let cause = output::likely_cause(reasons.clone());
        output::list_some(
            &format!("{tasks} {are} left out of the training{cause}"),
            reasons,
            flaws.len(),
        );
    }
}
