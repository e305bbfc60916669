//! CodRep: which line of a file does a given line replace?

mod grading;
mod problems;
mod report;

use assay_core::{
    DataChoice, MetricCard, Opening, Problems, QuestionKind, Result, Results, Rules, Tally, Task,
    TaskCard, TaskSettings,
};
use assay_data::codrep::Dataset;
use assay_stats::METHOD;

use crate::sample;

/// The CodRep competition's task, both editions.
pub struct CodRep;

static CARD: TaskCard = TaskCard {
    name: "codrep",
    version: 1,
    asks: QuestionKind::Line,
    language: None,
    folder: "codrep",
    summary: "predict which line of a file a given line replaces",
    about: "A commit replaced exactly one line of a source file. Given the new line and the old \
        file, say which line it was. CodRep was a competition of KTH in 2018, with five datasets of \
        real Java history.",
    data: "A dataset is a folder with Tasks/N.txt (first edition: Files/N.txt) and Solutions/N.txt, \
        or a .tar, .tar.gz, .tar.zst or .zip of one. A task file is the new line, an empty line, \
        and the program; a solution file is one line number, counting from 1 in the program. \
        Without --data, every dataset in the folder codrep under ASSAY_DATA is taken; `--data \
        sample` means the problems inside the binary.",
    answers: "One line a task: `<path> <line> [<line>…]`, best first. The path may be shortened from \
        the left as long as it is unambiguous.",
    grading: "The loss is tanh(|right − predicted|), the smallest among several predictions; a task \
        without a prediction costs 1. An answer passes if its first line is right.",
    rules: "compat: a program's length is counted as the original scorer does, where a lone carriage \
        return ends a line too. strict: only a line feed does.",
    default_rules: Rules::Compat,
    prompts: &[],
    metrics: &[
        MetricCard {
            name: "line-error",
            lower_is_better: true,
            meaning: "mean loss; the competition's score",
        },
        MetricCard {
            name: "line-error-distinct",
            lower_is_better: true,
            meaning: "mean loss where each distinct change (old line, new line) weighs one, so that \
                one commit repeated over a hundred files does not decide; `score` gives it with \
                --distinct",
        },
        MetricCard {
            name: "recall@1",
            lower_is_better: false,
            meaning: "share of tasks whose first prediction is right",
        },
        MetricCard {
            name: "recall@k",
            lower_is_better: false,
            meaning: "share of tasks with a right prediction among all that were given; k is the \
                largest number given for one task",
        },
    ],
    default_solvers: &[
        "locate",
        "most-similar",
        "first",
        "middle",
        "last",
        "random",
        "worst",
        "gold",
    ],
    examples: &[
        "assay run codrep --data sample --solver locate",
        "assay run codrep --data Dataset4.tar.zst --solver middle --solver last",
        "assay score codrep predictions.txt --data Dataset4",
        "assay predict Dataset4 | assay score codrep - --data Dataset4",
    ],
};

impl Task for CodRep {
    fn card(&self) -> &TaskCard {
        &CARD
    }

    fn open(&self, opening: &Opening<'_>) -> Result<Box<dyn Problems>> {
        let Opening { data, settings, with_references, .. } = *opening;
        let datasets = match data {
            DataChoice::Sample => Dataset::open_store(sample::codrep(), with_references)?,
            DataChoice::Paths(paths) => Dataset::open_all(paths, with_references)?,
        };
        Ok(Box::new(problems::LineProblems::new(datasets, settings.rules, with_references)))
    }

    fn tally(&self, _settings: &TaskSettings) -> Box<dyn Tally> {
        Box::<grading::LineTally>::default()
    }

    fn interval(&self) -> &'static str {
        METHOD
    }

    fn signature_fields(&self, settings: &TaskSettings) -> Vec<(&'static str, String)> {
        vec![("rules", settings.rules.to_string())]
    }

    fn original_report(&self, results: &Results) -> Option<String> {
        Some(report::original_lines(results))
    }
}
