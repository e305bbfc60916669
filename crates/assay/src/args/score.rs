//! `assay score`.

use std::path::PathBuf;

use assay_extract::Extraction;
use clap::{Args, ValueEnum};

use super::programs::ProgramArguments;
use super::require::Requirement;
use super::shared::{ChosenArguments, DataArguments};

#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  assay score codrep predictions.txt --data Dataset4
  cat predictions.txt | assay score codrep - -d /data/Dataset1:/data/Dataset2
  assay score codrep predictions.txt --data Dataset4 --format codrep
  assay score codrep predictions.txt --data Dataset4 --distinct
  assay score c2c prediction_C2C.json --data true_C2C.json
  assay score htr prediction_HTR.json --data true_HTR.json
  assay score fusion-brain output --data truth
  assay score humaneval samples.jsonl.gz -k 1,10 --verdicts verdicts.jsonl
  assay score mbpp generations.json -j 8
  assay score humaneval chat.jsonl --extract code  answers with prose and fenced code
  assay score humaneval samples.jsonl -L 20        answers to the first 20 problems alone
  assay score humaneval samples.jsonl --failures 5 why did it fail?
  assay score runs/20261115T105049Z-humaneval-http-qwen-1f2e3d   answers of `run --generate-only`

A line that cannot be accepted refuses the whole file; all such lines are listed.")]
pub(crate) struct ScoreArguments {
    /// The task that the answers are to; or the folder of a run alone, to grade the answers that it recorded.
    pub(crate) task: String,

    /// The file of answers, or a folder of them where the task takes one; `-` reads standard input.
    pub(crate) answers: Option<PathBuf>,

    #[command(flatten)]
    pub(crate) data: DataArguments,

    #[command(flatten)]
    pub(crate) chosen: ChosenArguments,

    /// The part of an answer that is graded: answers of a chat hold prose and fenced code. Part of the signature.
    #[arg(long, value_name = "NAME", default_value = "none")]
    pub(crate) extract: ExtractArgument,

    /// The field of a file's objects that holds the program, where the usual names do not say it.
    #[arg(long, value_name = "KEY", env = "ASSAY_KEY")]
    pub(crate) key: Option<String>,

    /// Read every problem too, for metrics that need more than the solutions: line-error-distinct.
    #[arg(long)]
    pub(crate) distinct: bool,

    /// The number of answers that are graded at once.
    #[arg(short, long, value_name = "N")]
    pub(crate) jobs: Option<u32>,

    /// Write every verdict to FILE, one line of JSON each, in the order of problems and samples.
    ///
    /// `-` is standard output; the results are then printed on standard error.
    #[arg(long, value_name = "FILE")]
    pub(crate) verdicts: Option<PathBuf>,

    #[command(flatten)]
    pub(crate) programs: ProgramArguments,

    /// Show up to N failed samples after the results: the question, the answer, and what was wrong. Programs are
    /// chosen so that every way to fail comes up, lines and texts by their scores, the worst first.
    #[arg(long, value_name = "N", default_value_t = 0, value_parser = clap::value_parser!(u32).range(0..=1000))]
    pub(crate) failures: u32,

    /// A threshold for a metric, such as 'pass@1>=0.6' (or >, <=, <, ==; 'pass@1.low>=0.55' for the interval's
    /// lower end); may be repeated. The exit code is 4 if a result misses one.
    #[arg(long, value_name = "CONDITION")]
    pub(crate) require: Vec<Requirement>,

    /// The output format.
    #[arg(long, default_value = "table")]
    pub(crate) format: ScoreFormat,

    /// Print the results as JSON.
    #[arg(long)]
    pub(crate) json: bool,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum ExtractArgument {
    /// The whole answer.
    None,
    /// The fenced block that defines the expected function, or else the last one in the task's language.
    Code,
    /// The first fenced block.
    FirstBlock,
    /// The last fenced block.
    LastBlock,
    /// As `code`, and of that the expected function with what it needs, as EvalPlus's `sanitize`; Python only.
    Def,
}

impl ExtractArgument {
    /// The rule, if there is one.
    pub(crate) fn rule(self) -> Option<Extraction> {
        match self {
            Self::None => None,
            Self::Code => Some(Extraction::Code),
            Self::FirstBlock => Some(Extraction::FirstBlock),
            Self::LastBlock => Some(Extraction::LastBlock),
            Self::Def => Some(Extraction::Def),
        }
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum ScoreFormat {
    /// A table for people.
    Table,
    /// The three lines of CodRep's original scorer.
    Codrep,
}
