//! `assay score htr`, `zsod`, `vqa` and `fusion-brain`: the Fusion Brain Challenge.

mod c2c;
mod files;
mod grading;

use std::path::Path;

use assay_core::{Counts, DigestOf, Error, Named, Result, Results, Signature, exit_code};
use assay_metrics::fusion_brain::integral::{Integral, Subtask};
use serde::Serialize;

use self::c2c::c2c_signature;
use self::files::{Folder, Given};
use self::grading::{Graded, grade};
use super::tool;
use crate::args::{RulesArgument, ScoreArguments, ScoreFormat};
use crate::output;

const VERSION: u32 = 1;
/// The challenge as a whole.
const ALL: &str = "fusion-brain";

/// Scores what the arguments name, if it is of the challenge and no task of the registry.
pub(crate) fn score(arguments: &ScoreArguments) -> Option<Result<u8>> {
    let subtask = match arguments.task.as_str() {
        ALL => None,
        "htr" => Some(Subtask::Htr),
        "zsod" => Some(Subtask::Zsod),
        "vqa" => Some(Subtask::Vqa),
        _ => return None,
    };
    Some(checked(arguments).and_then(|data| match subtask {
        Some(subtask) => score_subtask(subtask, arguments, data),
        None => score_all(arguments, data),
    }))
}

/// Where the truth lies. What the other tasks know and these do not is refused.
fn checked(arguments: &ScoreArguments) -> Result<&Path> {
    let task = &arguments.task;
    let no_such = |what: &str| Err(Error::usage(format!("{task} has no {what}")));
    if arguments.format != ScoreFormat::Table {
        return no_such("such format");
    }
    if arguments.data.rules == Some(RulesArgument::Strict) {
        return no_such("strict rules");
    }
    if arguments.distinct {
        return no_such("metric that needs --distinct");
    }
    match arguments.data.data.as_slice() {
        [data] => Ok(Path::new(data)),
        [] => Err(Error::usage(format!("{task} needs the truth")).hint("name it with --data")),
        _ => Err(Error::usage(format!("{task} takes one truth")).hint("give --data once")),
    }
}

fn score_subtask(subtask: Subtask, arguments: &ScoreArguments, data: &Path) -> Result<u8> {
    let truth = Given::read(data)?;
    let prediction = Given::read_or_stdin(&arguments.answers)?;
    let Graded { counts, metrics, interval, .. } = grade(subtask, &truth, &prediction)?;
    let signature = Signature::new(subtask.name(), VERSION)
        .field("data", truth.digest().short())
        .field("n", counts.problems);
    let signature = with_lemmas(signature, subtask == Subtask::Vqa)
        .field("ci", interval)
        .field("assay", &tool().version)
        .field("solver", format!("file@{}", prediction.digest().short()));
    let solver = format!("file:{}", prediction.name);
    let results = Results::new(subtask.name(), solver, signature, counts, metrics);
    if arguments.json {
        output::json_line(&results)?;
    } else {
        output::results_tables(&[&results])?;
    }
    Ok(exit_code::DONE)
}

/// Which lemmas the answers were reduced to belongs to the signature.
fn with_lemmas(signature: Signature, needed: bool) -> Signature {
    if needed {
        signature.field("lemmas", format!("opencorpora-{}", assay_lemma::version()))
    } else {
        signature
    }
}

/// What the challenge as a whole comes to.
#[derive(Serialize)]
struct Report {
    #[serde(flatten)]
    results: Results,
    /// For each subtask: what it must reach, and whether it does.
    minimums: Named<Minimum>,
    /// Subtasks without a truth.
    not_scored: Vec<&'static str>,
}

#[derive(Serialize)]
struct Minimum {
    minimum: f64,
    met: Option<bool>,
}

fn score_all(arguments: &ScoreArguments, data: &Path) -> Result<u8> {
    let truths = Folder::open(data, "true")?;
    let predictions = Folder::open(&arguments.answers, "prediction")?;
    let mut sum = Sum::default();
    for subtask in Subtask::ALL {
        match truths.find(subtask)? {
            Some(truth) => sum.add(subtask, &truth, &predictions.get(subtask)?)?,
            None => sum.not_scored.push(subtask.name()),
        }
    }
    if sum.scored.is_empty() {
        return Err(Error::refused(format!("{} holds no truth", data.display())).hint(
            "its files are called true_C2C.json, true_HTR.json, true_zsOD.json, true_VQA.json",
        ));
    }
    let complete = sum.not_scored.is_empty();
    let report = sum.report(&arguments.answers)?;
    if !complete {
        let left_out = report.not_scored.join(", ");
        output::warn(&format!(
            "not scored, because {} has no truth for it: {left_out}",
            data.display()
        ));
    }
    if arguments.json {
        output::json_line(&report)?;
    } else {
        output::results_tables(&[&report.results])?;
        output::say("\n")?;
        output::table(["subtask", "score", "minimum", "met"], report.minimum_rows())?;
    }
    Ok(if complete { exit_code::DONE } else { exit_code::INCOMPLETE })
}

/// The subtasks so far.
#[derive(Default)]
struct Sum {
    integral: Integral,
    scored: Vec<(Subtask, assay_core::Estimate)>,
    not_scored: Vec<&'static str>,
    counts: Counts,
    truths: DigestOf,
    predictions: DigestOf,
}

impl Sum {
    fn add(&mut self, subtask: Subtask, truth: &Given, prediction: &Given) -> Result<()> {
        let graded = grade(subtask, truth, prediction)?;
        self.integral.set(subtask, graded.score.value);
        let score = self.integral.get(subtask).map_or(graded.score, |value| graded.score_of(value));
        self.scored.push((subtask, score));
        self.truths.field(truth.digest().as_bytes());
        self.predictions.field(prediction.digest().as_bytes());
        self.counts += &graded.counts;
        Ok(())
    }

    fn report(self, folder: &Path) -> Result<Report> {
        let mut metrics = Named::new();
        for (subtask, score) in &self.scored {
            metrics.set(subtask.name(), *score);
        }
        let scores: Vec<_> = self.scored.iter().map(|(_, score)| *score).collect();
        let sum = assay_stats::sum_of_independent(&scores);
        let highest = scores.len() as f64;
        let value = self.integral.sum();
        metrics.set("integral", grading::around(value, sum, highest));
        let names: Vec<&str> = self.scored.iter().map(|(subtask, _)| subtask.name()).collect();
        let signature = Signature::new(ALL, VERSION)
            .field("data", self.truths.finish().short())
            .field("n", self.counts.problems)
            .field("scored", names.join("+"));
        let signature = if names.contains(&Subtask::C2c.name()) {
            signature.field(Subtask::C2c.name(), c2c_signature()?)
        } else {
            signature
        };
        let signature = with_lemmas(signature, names.contains(&Subtask::Vqa.name()))
            .field("ci", format!("each+{}", assay_stats::SUM_METHOD))
            .field("assay", &tool().version)
            .field("solver", format!("file@{}", self.predictions.finish().short()));
        let solver = format!("file:{}", folder.display());
        let results = Results::new(ALL, solver, signature, self.counts, metrics);
        let mut minimums = Named::new();
        for subtask in Subtask::ALL {
            let met = self.integral.meets_minimum(subtask);
            minimums.set(subtask.name(), Minimum { minimum: subtask.minimum(), met });
        }
        Ok(Report { results, minimums, not_scored: self.not_scored })
    }
}

impl Report {
    fn minimum_rows(&self) -> impl Iterator<Item = Vec<String>> {
        self.minimums.iter().map(|(name, Minimum { minimum, met })| {
            let score = self.results.metrics.get(name);
            let met = match met {
                Some(true) => "yes",
                Some(false) => "no",
                None => "not scored",
            };
            let score = score.map_or_else(String::new, |score| format!("{:.3}", score.value));
            vec![name.to_owned(), score, minimum.to_string(), met.to_owned()]
        })
    }
}
