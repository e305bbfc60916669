//! The command line's arguments.

mod data;
mod environment;
mod log;
mod metric;
#[cfg_attr(not(feature = "mine"), path = "mine_absent.rs")]
mod mine;
mod models;
mod programs;
mod require;
#[cfg_attr(not(feature = "seal"), path = "seal_absent.rs")]
mod seal;
mod several_metrics;
mod train;

use std::path::PathBuf;

use assay_core::{Rules, TaskCard, TaskSettings};
use assay_extract::Extraction;
use clap::builder::styling::{AnsiColor, Styles};
use clap::{Args, Parser, Subcommand, ValueEnum};
use clap_complete::Shell;

pub(crate) use data::{DataCommand, DatasetArguments, MineCommand};
pub(crate) use environment::{command, matches, variables_in};
pub(crate) use log::LogArguments;
pub(crate) use metric::{MetricArguments, MetricChoice, MetricCommand, TextArguments};
pub(crate) use mine::MineArguments;
pub(crate) use models::ModelArguments;
pub(crate) use programs::ProgramArguments;
pub(crate) use require::Requirement;
pub(crate) use seal::{SealArguments, UnsealArguments};
pub(crate) use train::{TrainCommand, TrainLocateArguments};

const STYLES: Styles = Styles::styled()
    .header(AnsiColor::Green.on_default().bold())
    .usage(AnsiColor::Green.on_default().bold())
    .literal(AnsiColor::Cyan.on_default().bold())
    .placeholder(AnsiColor::Cyan.on_default());

/// Measures how well anything answers questions about source code, with an error bar on every score.
#[derive(Debug, Parser)]
#[command(name = "assay", version = version(), styles = STYLES, arg_required_else_help = true, max_term_width = 80)]
#[command(after_help = "\
Examples:
  assay run                                        the tour, in seconds
  assay run codrep --data Dataset4 --solver middle one solver on one task, recorded
  assay score codrep predictions.txt --data Dataset4
  assay predict sample --solver middle | assay score codrep - --data sample
  assay explain Dataset4/Tasks/17.txt              why this line and not another

Exit codes: 0 done, 1 failed, 2 wrong usage, 3 input refused,
4 --require missed, 5 answers missing or problems excluded, 130 interrupted.")]
pub(crate) struct Arguments {
    /// Print without colour.
    #[arg(long, global = true, hide = true)]
    pub(crate) no_color: bool,

    /// The width of tables; a terminal's own width if it is not given, and no limit in a pipe.
    // Shells set it, to anything: what is no width counts as none.
    #[arg(long, global = true, hide = true, value_parser = columns, default_value = "")]
    pub(crate) columns: usize,

    #[command(flatten)]
    pub(crate) log: LogArguments,

    #[command(subcommand)]
    pub(crate) command: Command,
}

/// Reads a number of columns; 0 if it is none.
#[expect(clippy::unnecessary_wraps, reason = "clap expects a result")]
fn columns(text: &str) -> Result<usize, String> {
    Ok(text.trim().parse().unwrap_or_default())
}

fn version() -> &'static str {
    concat!(env!("CARGO_PKG_VERSION"), " (", env!("ASSAY_COMMIT"), ")")
}

#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    /// Run solvers on tasks, and record every answer and verdict.
    Run(RunArguments),
    /// Grade answers made elsewhere.
    Score(ScoreArguments),
    /// Answer CodRep tasks by the competition's predictor protocol.
    Predict(PredictArguments),
    /// Show what a solver answers to one CodRep task, and what the locator says about it.
    Explain(ExplainArguments),
    /// List the tasks.
    #[command(after_help = "\
Examples:
  assay tasks
  assay tasks --json | jq -r '.[].name'")]
    Tasks(ListArguments),
    /// List the solvers.
    #[command(after_help = "\
Examples:
  assay solvers
  assay solvers --json | jq -r '.[].spec'")]
    Solvers(ListArguments),
    /// Describe a task: its data, answers, grading, rules and metrics.
    #[command(after_help = "\
Examples:
  assay show humaneval
  assay show codrep --json | jq .metrics")]
    Show(ShowArguments),
    /// List, check, measure, mine and seal datasets.
    #[command(
        subcommand,
        after_help = "\
Examples:
  assay data verify Dataset4.tar.zst
  assay data mine codrep ~/src/guava -o guava
  assay data seal hidden -o hidden.age"
    )]
    Data(DataCommand),
    /// Score texts against references.
    #[command(
        subcommand,
        after_help = "\
Examples:
  assay metric bleu --refs ref.txt --hyp out.txt
  assay metric codebleu --lang java --refs a.txt b.txt --hyp out.txt --json
  assay metric chrf --pairs pairs.jsonl --per-pair --json
  assay metric list                                every metric and its variants

Texts are lines of a plain file, or JSON: the file extension selects the format
(.jsonl, .ndjson, .json; .gz and .zst are unpacked). `assay metric bleu --help`
has every option."
    )]
    Metric(MetricCommand),
    /// Train what assay ships, from data.
    #[command(
        subcommand,
        after_help = "\
Examples:
  assay train locate --data Dataset1:Dataset2:Dataset3:Dataset4 -o locate.bin"
    )]
    Train(TrainCommand),
    /// Show what this machine offers: isolation, memory limits, interpreters and compilers.
    #[command(after_help = "\
Examples:
  assay doctor
  assay doctor --json

Exit codes: 0 programs can be run in isolation, 5 they cannot.")]
    Doctor(ListArguments),
    /// Print a shell's completion script.
    #[command(after_help = "\
Examples:
  assay completions bash > ~/.local/share/bash-completion/completions/assay
  assay completions fish > ~/.config/fish/completions/assay.fish")]
    Completions {
        /// The shell.
        shell: Shell,
    },
}

#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  assay run                                   the tour, with problems inside the binary
  assay run codrep --data Dataset1:Dataset2 --solver middle --solver last
  assay run codrep --data Dataset4.tar.zst --solver 'program:python3 predictor.py'
  assay run codrep --data sample --solver random --top 5 --seed 7 -L 10 --json
  assay run c2c --data g4g_functions.zip --solver 'program:python3 translate.py'
  assay run humaneval --solver 'program:python3 generate.py' -n 20 -k 1,10
  assay run humaneval --solver http:qwen2.5-coder@http://localhost:8000/v1 -n 20
  assay run humaneval --data mine.jsonl --name my-bench --solver gold
  assay run codrep --data sample --solver locate --require 'recall@1>=0.6'
  assay run --resume runs/20261115T105049Z-codrep-middle-1f2e3d
  assay run --resume runs/20261115T105049Z-codrep-middle-1f2e3d --failures 3

The record of a run is a folder of plain files: run.json, answers.jsonl, verdicts.jsonl and
results.json.")]
pub(crate) struct RunArguments {
    /// The tasks; none means the tour.
    #[arg(value_name = "TASK")]
    pub(crate) tasks: Vec<String>,

    /// A solver, as `assay solvers` lists them; may be repeated. Default: the task's baselines.
    #[arg(short, long = "solver", value_name = "SOLVER")]
    pub(crate) solvers: Vec<String>,

    #[command(flatten)]
    pub(crate) data: DataArguments,

    #[command(flatten)]
    pub(crate) chosen: ChosenArguments,

    /// The number of samples per problem, for tasks that ask for programs.
    #[arg(short = 'n', long, value_name = "N", default_value_t = 1, value_parser = clap::value_parser!(u32).range(1..=100_000))]
    pub(crate) samples: u32,

    #[command(flatten)]
    pub(crate) solving: SolvingArguments,

    #[command(flatten)]
    pub(crate) programs: ProgramArguments,

    #[command(flatten)]
    pub(crate) models: ModelArguments,

    /// The folder in which the run's folder is created.
    #[arg(short, long, value_name = "DIR", default_value = "runs")]
    pub(crate) output: PathBuf,

    /// Finish what is missing of the run in DIR.
    #[arg(long, value_name = "DIR")]
    pub(crate) resume: Option<PathBuf>,

    /// With --resume: run the command that the record names, even if you did not start that run here.
    // Not from the environment: the user decides this for one record, after a look at it.
    #[arg(long, requires = "resume")]
    pub(crate) trust: bool,

    /// Show up to N failed samples after the results: the question, the answer, and what was wrong. Programs are
    /// chosen so that every way to fail comes up, lines and texts by their scores, the worst first.
    #[arg(long, value_name = "N", default_value_t = 0, value_parser = clap::value_parser!(u32).range(0..=1000))]
    pub(crate) failures: u32,

    /// A threshold for a metric, such as 'pass@1>=0.6' (or >, <=, <, ==; 'pass@1.low>=0.55' for the interval's
    /// lower end); may be repeated. The exit code is 4 if a result misses one.
    #[arg(long, value_name = "CONDITION")]
    pub(crate) require: Vec<Requirement>,

    /// Print results.json, one line per run.
    #[arg(long)]
    pub(crate) json: bool,
}

/// The problems to use.
#[derive(Debug, Args)]
pub(crate) struct ChosenArguments {
    /// Only the first N problems.
    #[arg(short = 'L', long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..))]
    pub(crate) limit: Option<u32>,

    /// Only this problem; may be repeated.
    #[arg(short, long = "id", value_name = "ID")]
    pub(crate) ids: Vec<String>,
}

impl ChosenArguments {
    /// The maximum number of problems.
    pub(crate) fn limit(&self) -> Option<usize> {
        self.limit.map(|limit| limit as usize)
    }
}

#[derive(Debug, Args)]
pub(crate) struct SolvingArguments {
    /// The number of answers worked on at once; 0 means all cores. Default: 0.
    #[arg(short, long, value_name = "N")]
    pub(crate) jobs: Option<u32>,

    /// Decides every random choice.
    #[arg(long, value_name = "S", default_value_t = 0)]
    pub(crate) seed: u64,

    /// The number of lines to answer, best first.
    #[arg(long, value_name = "K", default_value_t = 1, value_parser = clap::value_parser!(u32).range(1..))]
    pub(crate) top: u32,

    /// The time limit of a program for one dataset, in seconds.
    #[arg(long, value_name = "SECONDS", default_value_t = 3600.0, value_parser = seconds)]
    pub(crate) time_limit: f64,
}

#[derive(Debug, Args)]
pub(crate) struct DataArguments {
    /// Datasets: folders or archives, joined by `:`; or `sample`, the problems inside the binary.
    #[arg(short, long = "data", visible_alias = "datasets", value_name = "PATH[:PATH…]")]
    pub(crate) data: Vec<String>,

    /// The name of your own data, if it has the form of the task's: its results are reported under that name.
    // Not from the environment: it belongs to one --data.
    #[arg(long, value_name = "NAME", requires = "data")]
    pub(crate) name: Option<String>,

    /// The folder of datasets when --data is not given, with a folder for each task.
    #[arg(long, value_name = "DIR")]
    pub(crate) data_root: Option<PathBuf>,

    /// The original's behaviour (compat) or the corrected one (strict); `assay show TASK` explains both
    /// and names the default.
    #[arg(long)]
    pub(crate) rules: Option<RulesArgument>,

    /// The style of the prompt, if a task has several; `assay show TASK` names them.
    #[arg(long, value_name = "NAME")]
    pub(crate) prompt: Option<String>,
}

impl DataArguments {
    /// The task's settings: those asked for, or else the task's own defaults.
    pub(crate) fn settings_for(&self, card: &TaskCard) -> TaskSettings {
        let rules = self.rules.map_or(card.default_rules, Rules::from);
        TaskSettings { prompt: self.prompt.clone(), ..TaskSettings::with_rules(rules) }
    }
}

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

A line that cannot be accepted refuses the whole file; all such lines are listed.")]
pub(crate) struct ScoreArguments {
    /// The task that the answers are to.
    pub(crate) task: String,

    /// The file of answers, or a folder of them where the task takes one; `-` reads standard input.
    pub(crate) answers: PathBuf,

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

#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  assay predict Dataset5 > predictions.txt
  assay predict Dataset4/Tasks --solver random --top 5 --seed 7
  assay predict Dataset4.tar.zst --solver 'program:./predictor'
  assay predict sample --json --top 3

With --json each task is an object on a line of its own, in the same order:
  {\"path\":\"/data/Dataset4/Tasks/17.txt\",\"problem\":\"Dataset4/17\",
   \"lines\":[{\"line\":12,\"score\":3.21,\"probability\":0.93}]}
The locator was trained on Dataset1 to Dataset4: its predictions there say
nothing about new data.

Solvers without probabilities give the line alone; a task without an answer has
no lines and a \"reason\".")]
pub(crate) struct PredictArguments {
    /// A dataset's folder or archive, its Tasks folder, or `sample`.
    pub(crate) folder: String,

    /// The solver, as `assay solvers` lists them.
    #[arg(short, long, default_value = "locate")]
    pub(crate) solver: String,

    #[command(flatten)]
    pub(crate) solving: SolvingArguments,

    /// Print one JSON object per line, with scores and probabilities if the solver has them.
    // Not from the environment: a predictor that another assay runs must follow the protocol.
    #[arg(long)]
    pub(crate) json: bool,
}

#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  assay explain Dataset4/Tasks/17.txt
  assay explain Dataset4/Tasks/17.txt --top 2 --context 5
  assay explain --data Dataset4.tar.zst Dataset4/17
  assay explain Dataset4/Tasks/17.txt --solver most-similar
  assay explain Dataset4/Tasks/17.txt --solver file:predictions.txt --json
  assay explain --data sample sample/3 --answer 12
  assay explain Dataset4/Tasks/17.txt --solver locate:mine.bin --json

A task file holds the new line, an empty line and the program. If Solutions/17.txt lies beside
the task's folder, the right line is marked. With another solver than the locator, or an answer
of your own, the answered line is shown first, with the locator's rank and reasons for it.")]
pub(crate) struct ExplainArguments {
    /// The task file; with --data, a problem's name, such as Dataset4/17.
    #[arg(value_name = "TASK")]
    pub(crate) task: String,

    /// Datasets: folders or archives, joined by `:`; or `sample`, the problems inside the binary.
    #[arg(short, long = "data", visible_alias = "datasets", value_name = "PATH[:PATH…]")]
    pub(crate) data: Vec<String>,

    /// The solver whose answer is explained, as `assay solvers` lists them; `locate:MODEL` for other weights of the
    /// locator.
    #[arg(short, long, default_value = "locate")]
    pub(crate) solver: String,

    /// Your own answer, in place of a solver's: explains this line.
    #[arg(short, long, value_name = "LINE")]
    pub(crate) answer: Option<u32>,

    /// Decides every random choice of a solver.
    #[arg(long, value_name = "S", default_value_t = 0)]
    pub(crate) seed: u64,

    /// The time limit of a program, in seconds.
    #[arg(long, value_name = "SECONDS", default_value_t = 3600.0, value_parser = seconds)]
    pub(crate) time_limit: f64,

    /// The number of the locator's candidates to show, best first. Default: 5, and 1 with another solver or answer.
    #[arg(long, value_name = "K", value_parser = clap::value_parser!(u32).range(1..))]
    pub(crate) top: Option<u32>,

    /// The number of lines of the file to show before and after each candidate.
    #[arg(long, value_name = "N", default_value_t = 2, value_parser = clap::value_parser!(u32).range(0..=1000))]
    pub(crate) context: u32,

    /// Print JSON, with every reason.
    #[arg(long)]
    pub(crate) json: bool,
}

#[derive(Debug, Args)]
pub(crate) struct ListArguments {
    /// Print JSON.
    #[arg(long)]
    pub(crate) json: bool,
}

#[derive(Debug, Args)]
pub(crate) struct ShowArguments {
    /// The task.
    pub(crate) task: String,

    /// Print JSON.
    #[arg(long)]
    pub(crate) json: bool,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum RulesArgument {
    /// As the original does.
    Compat,
    /// As it should be.
    Strict,
}

impl From<RulesArgument> for Rules {
    fn from(rules: RulesArgument) -> Self {
        match rules {
            RulesArgument::Compat => Self::Compat,
            RulesArgument::Strict => Self::Strict,
        }
    }
}

fn seconds(text: &str) -> Result<f64, String> {
    match text.parse::<f64>() {
        Ok(seconds) if seconds > 0.0 && seconds <= 1e9 => Ok(seconds),
        _ => Err("expected a number of seconds above 0".to_owned()),
    }
}
