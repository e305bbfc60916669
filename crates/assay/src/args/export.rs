//! `assay export`.

use std::path::PathBuf;

use assay_answers::ExportFormat;
use clap::{Args, ValueEnum};

#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  assay export runs/mine --format evalplus -o samples.jsonl
  assay export runs/mine --format bigcode -o generations.json
  assay export runs/mine --format human-eval -o - | wc -l

`assay score` reads every one of these formats.")]
pub(crate) struct ExportArguments {
    /// The folder of the run.
    pub(crate) run: PathBuf,

    /// The format.
    #[arg(long, value_name = "FORMAT")]
    pub(crate) format: ExportFormatArgument,

    /// The file to write; `-` is standard output. BigCode's references are written beside it.
    #[arg(short, long, value_name = "FILE")]
    pub(crate) output: PathBuf,

    /// The data of the run, if it is at another place now: a path, or `sample`.
    #[arg(short, long = "data", value_name = "PATH[:PATH…]")]
    pub(crate) data: Vec<String>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum ExportFormatArgument {
    /// The BigCode harness: generations.json and references.json, whole programs in task order.
    Bigcode,
    /// OpenAI's human-eval: samples.jsonl with continuations of the prompt.
    HumanEval,
    /// EvalPlus: samples.jsonl with whole programs.
    Evalplus,
    /// lm-evaluation-harness: lines as in its samples_*.jsonl, with prompt, replies and whole programs.
    LmEval,
}

impl From<ExportFormatArgument> for ExportFormat {
    fn from(argument: ExportFormatArgument) -> Self {
        match argument {
            ExportFormatArgument::Bigcode => Self::BigCode,
            ExportFormatArgument::HumanEval => Self::HumanEval,
            ExportFormatArgument::Evalplus => Self::EvalPlus,
            ExportFormatArgument::LmEval => Self::LmEval,
        }
    }
}
