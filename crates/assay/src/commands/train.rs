//! `assay train`: train the models that assay ships.

use std::path::Path;

use assay_core::{Error, Result, exit_code};
use assay_locate::train::Settings;
use assay_locate::{Feature, features, groups};
use assay_run::train::{HeldOutReport, Lessons, Miss, Trained};
use serde::Serialize;

use super::{data_at, tool};
use crate::args::TrainLocateArguments;
use crate::output::{self, RunProgressBar};

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
    if let Some(path) = &arguments.output {
        check_target(path)?;
    }
    let settings = Settings {
        trees: arguments.trees as usize,
        seed: arguments.seed,
        without: left_out(&arguments.without)?,
        ..Settings::default()
    };
    let lessons = Lessons::read(&data_at(&arguments.data)?, &RunProgressBar::new())?;
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
    if let Some(path) = &arguments.output {
        let trained = train(None);
        let bytes = trained.model.to_bytes();
        report.weights_bytes = Some(bytes.len());
        report.importance = trained.importance;
        write(path, &bytes)?;
    }
    report.importance.truncate(LISTED_FEATURES);
    finish(arguments, &report)
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

fn finish(arguments: &TrainLocateArguments, report: &Report) -> Result<u8> {
    if let Some(path) = &arguments.output {
        let mut text = serde_json::to_vec_pretty(report)
            .map_err(|error| Error::failed("failed to write the report").because(error))?;
        text.push(b'\n');
        write(&path.with_extension("report.json"), &text)?;
    }
    if arguments.json {
        output::json_pretty(report)?;
        return Ok(exit_code::DONE);
    }
    if !report.held_out.is_empty() {
        show_tests(&report.held_out)?;
    }
    if let (Some(path), Some(bytes)) = (&arguments.output, report.weights_bytes) {
        output::print(&format!("weights: {} ({bytes} bytes)\n", path.display()))?;
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
    output::table(header, rows)?;
    output::print("\n")?;
    let rows = tests.iter().map(|test| {
        let count = |miss| test.errors.get(&miss).copied().unwrap_or_default().to_string();
        let misses = MISSES.map(|(miss, _)| count(miss));
        [test.dataset.clone()].into_iter().chain(misses)
    });
    let header = ["missed"].into_iter().chain(MISSES.map(|(_, title)| title));
    output::table(header, rows)
}

/// Checks early for an error that would otherwise only show after the training.
fn check_target(path: &Path) -> Result<()> {
    let parent = path.parent().filter(|parent| !parent.as_os_str().is_empty());
    if path.is_dir() || parent.is_some_and(|parent| !parent.is_dir()) {
        return Err(Error::usage(format!("{} cannot be written", path.display()))
            .hint("-o names a file in a folder that is there"));
    }
    Ok(())
}

fn write(path: &Path, bytes: &[u8]) -> Result<()> {
    std::fs::write(path, bytes).map_err(|error| Error::writing("write", path, error))
}
