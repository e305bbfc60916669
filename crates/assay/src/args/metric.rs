//! `assay metric …`.

use std::path::PathBuf;

use assay_data::texts::Form;
use assay_metrics::MOST_ORDERS;
use clap::builder::{FalseyValueParser, RangedU64ValueParser};
use clap::{Args, Subcommand, ValueEnum};

use super::ListArguments;

#[derive(Debug, Subcommand)]
pub(crate) enum MetricCommand {
    /// N-grams that hypothesis and references share.
    Bleu(BleuArguments),
    /// BLEU, keywords, syntax trees and data flow of source code.
    Codebleu(CodebleuArguments),
    /// Letters that hypothesis and references share.
    Chrf(ChrfArguments),
    /// The share of hypotheses that are one of their references.
    Exact(ExactArguments),
    /// List the metrics and their variants.
    List(ListArguments),
}

/// Which texts are scored, and how that is told.
#[derive(Debug, Args)]
pub(crate) struct TextArguments {
    /// The texts to score; `-` reads standard input.
    #[arg(
        long,
        visible_alias = "hypotheses",
        value_name = "FILE",
        required_unless_present = "pairs",
        help_heading = "Texts"
    )]
    pub(crate) hyp: Option<PathBuf>,

    /// The references; each further file has a further reference for each text.
    #[arg(
        long,
        visible_aliases = ["ref", "references"],
        value_name = "FILE",
        num_args = 1..,
        required_unless_present = "pairs",
        help_heading = "Texts"
    )]
    pub(crate) refs: Vec<PathBuf>,

    /// Both, an object a line: `{"id": …, "refs": ["…"], "hyp": "…"}`.
    #[arg(
        long,
        value_name = "FILE",
        conflicts_with_all = ["hyp", "refs", "key", "format"],
        help_heading = "Texts"
    )]
    pub(crate) pairs: Option<PathBuf>,

    /// The field that holds the texts, where JSON has objects. Default: the usual names.
    #[arg(long, value_name = "KEY", help_heading = "Texts")]
    pub(crate) key: Option<String>,

    /// How texts stand in --hyp and --refs. Default: as the files' names end.
    #[arg(long, help_heading = "Texts")]
    pub(crate) format: Option<TextFormat>,

    /// The programming language of the texts; also the name of a field that may hold references.
    #[arg(long, value_name = "LANGUAGE", help_heading = "Texts")]
    pub(crate) lang: Option<String>,

    /// Print the score of each pair.
    #[arg(long, env = "ASSAY_PER_PAIR", value_parser = FalseyValueParser::new(), help_heading = "Output")]
    pub(crate) per_pair: bool,

    /// Print JSON: one object, or with --per-pair an object a line.
    #[arg(long, env = "ASSAY_JSON", value_parser = FalseyValueParser::new(), help_heading = "Output")]
    pub(crate) json: bool,

    /// How many pairs are measured at once. Default: as many as there are cores.
    #[arg(short, long, value_name = "N", env = "ASSAY_JOBS", value_parser = clap::value_parser!(u32).range(1..=4096))]
    pub(crate) jobs: Option<u32>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum TextFormat {
    /// A text a line.
    Lines,
    /// A JSON value a line (.jsonl, .ndjson).
    Jsonl,
    /// One JSON document (.json).
    Json,
}

impl From<TextFormat> for Form {
    fn from(format: TextFormat) -> Self {
        match format {
            TextFormat::Lines => Self::Lines,
            TextFormat::Jsonl => Self::JsonLines,
            TextFormat::Json => Self::Json,
        }
    }
}

#[derive(Debug, Args)]
#[command(override_usage = "\
assay metric bleu [OPTIONS] --refs <FILE>... --hyp <FILE>
       assay metric bleu [OPTIONS] --pairs <FILE>")]
#[command(after_help = "\
Examples:
  assay metric bleu --refs ref.txt --hyp out.txt
  assay metric bleu --variant sacrebleu --tokenizer 13a --refs a.txt b.txt --hyp out.txt
  assay metric bleu --variant codexglue-c2t --pairs pairs.jsonl --per-pair --json")]
pub(crate) struct BleuArguments {
    /// Whose BLEU.
    #[arg(long, default_value = "sacrebleu", help_heading = "Metric")]
    pub(crate) variant: BleuVariant,

    #[command(flatten)]
    pub(crate) options: BleuOptions,

    #[command(flatten)]
    pub(crate) texts: TextArguments,
}

#[derive(Debug, Args)]
pub(crate) struct BleuOptions {
    /// What is done about n-grams of which none is shared. nltk: method0 to method7; hf and nmt:
    /// add-one or none; sacrebleu: exp, floor, add-k or none.
    #[arg(long, value_name = "NAME", help_heading = "Metric")]
    pub(crate) smoothing: Option<String>,

    /// The number that the smoothing takes.
    #[arg(long, value_name = "X", value_parser = finite, help_heading = "Metric")]
    pub(crate) smoothing_value: Option<f64>,

    /// How texts are cut into tokens. sacrebleu: 13a, none, intl or char.
    #[arg(long, visible_alias = "tokenize", value_name = "NAME", help_heading = "Metric")]
    pub(crate) tokenizer: Option<String>,

    /// Take capitals for small letters.
    #[arg(long, help_heading = "Metric")]
    pub(crate) lowercase: bool,

    /// The longest n-grams.
    #[arg(long, value_name = "N", value_parser = order_from(1), help_heading = "Metric")]
    pub(crate) max_order: Option<usize>,

    /// Leave out n-grams that are longer than the text.
    #[arg(long, help_heading = "Metric")]
    pub(crate) effective_order: bool,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum BleuVariant {
    /// As NLTK's `corpus_bleu` and `sentence_bleu`.
    Nltk,
    /// As Hugging Face's `evaluate` has it.
    Hf,
    /// As CodeXGLUE scores summaries of code: the mean of smoothed sentences.
    CodexglueC2t,
    /// As sacreBLEU.
    Sacrebleu,
    /// As the script of TensorFlow's NMT, which many papers copied.
    Nmt,
}

#[derive(Debug, Args)]
#[command(override_usage = "\
assay metric codebleu --lang <LANGUAGE> [OPTIONS] --refs <FILE>... --hyp <FILE>
       assay metric codebleu --lang <LANGUAGE> [OPTIONS] --pairs <FILE>")]
#[command(after_help = "\
Examples:
  assay metric codebleu --lang java --refs ref.txt --hyp out.txt
  assay metric codebleu --variant codexglue --lang c_sharp --refs a.txt b.txt --hyp out.txt
  assay metric codebleu --variant k4black --lang java --pairs pairs.jsonl --per-pair --json
  assay metric codebleu --lang python --weights 0.1,0.1,0.4,0.4 --refs test.jsonl --hyp out.txt")]
pub(crate) struct CodebleuArguments {
    /// Whose CodeBLEU.
    #[arg(long, default_value = "assay", help_heading = "Metric")]
    pub(crate) variant: CodebleuVariant,

    /// What n-grams, weighted n-grams, syntax and data flow count.
    #[arg(long, visible_alias = "params", value_name = "A,B,C,D", value_parser = weights, help_heading = "Metric")]
    pub(crate) weights: Option<[f64; 4]>,

    #[command(flatten)]
    pub(crate) texts: TextArguments,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum CodebleuVariant {
    /// What the others share: data flow in a fixed order, no flow left out of the sum instead of
    /// counting as 0 or 1, and no subtree matched twice.
    Assay,
    /// As CodeXGLUE's evaluator, the original; Java, C#, Python.
    Codexglue,
    /// As AVATAR's evaluator; Java, Python.
    Avatar,
    /// As the Fusion Brain challenge's scorer; Python.
    FusionBrain,
    /// As the Python package codebleu.
    K4black,
}

#[derive(Debug, Args)]
#[command(override_usage = "\
assay metric chrf [OPTIONS] --refs <FILE>... --hyp <FILE>
       assay metric chrf [OPTIONS] --pairs <FILE>")]
#[command(after_help = "\
Examples:
  assay metric chrf --refs ref.txt --hyp out.txt
  assay metric chrf --variant chrf++ --pairs pairs.jsonl --per-pair --json")]
pub(crate) struct ChrfArguments {
    /// Letters alone, or words too.
    #[arg(long, default_value = "chrf", help_heading = "Metric")]
    pub(crate) variant: ChrfVariant,

    #[command(flatten)]
    pub(crate) options: ChrfOptions,

    #[command(flatten)]
    pub(crate) texts: TextArguments,
}

#[derive(Debug, Args)]
pub(crate) struct ChrfOptions {
    /// The longest n-grams of letters. Default: 6
    #[arg(long, value_name = "N", value_parser = order_from(1), help_heading = "Metric")]
    pub(crate) char_order: Option<usize>,

    /// The longest n-grams of words. Default: 0, and 2 for chrf++
    #[arg(long, value_name = "N", value_parser = order_from(0), help_heading = "Metric")]
    pub(crate) word_order: Option<usize>,

    /// How much more recall counts than precision. Default: 2
    #[arg(long, value_name = "B", value_parser = clap::value_parser!(u32).range(0..=1000), help_heading = "Metric")]
    pub(crate) beta: Option<u32>,

    /// Take capitals for small letters.
    #[arg(long, help_heading = "Metric")]
    pub(crate) lowercase: bool,

    /// White space counts too.
    #[arg(long, help_heading = "Metric")]
    pub(crate) whitespace: bool,

    /// Orders that a text is too short for count as nearly 0, instead of not at all.
    #[arg(long, help_heading = "Metric")]
    pub(crate) eps_smoothing: bool,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum ChrfVariant {
    /// N-grams of letters.
    Chrf,
    /// N-grams of letters and of words.
    #[value(name = "chrf++")]
    ChrfPlusPlus,
}

#[derive(Debug, Args)]
#[command(override_usage = "\
assay metric exact [OPTIONS] --refs <FILE>... --hyp <FILE>
       assay metric exact [OPTIONS] --pairs <FILE>")]
#[command(after_help = "\
Examples:
  assay metric exact --refs ref.txt --hyp out.txt
  assay metric exact --refs ref.txt --hyp out.txt --json
  zcat pairs.jsonl.gz | assay metric exact --pairs - --per-pair")]
pub(crate) struct ExactArguments {
    /// When two texts are the same.
    #[arg(long, default_value = "trimmed", help_heading = "Metric")]
    pub(crate) variant: ExactVariant,

    #[command(flatten)]
    pub(crate) texts: TextArguments,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum ExactVariant {
    /// Letter for letter, but for white space around them, as CodeXGLUE's evaluators have it.
    Trimmed,
}

/// An order of n-grams that the metrics can count.
fn order_from(least: u64) -> RangedU64ValueParser<usize> {
    RangedU64ValueParser::new().range(least..=MOST_ORDERS as u64)
}

fn finite(text: &str) -> Result<f64, String> {
    match text.trim().parse::<f64>() {
        Ok(number) if number.is_finite() && number >= 0.0 => Ok(number),
        _ => Err("expected a number that is not negative".to_owned()),
    }
}

fn weights(text: &str) -> Result<[f64; 4], String> {
    let numbers: Result<Vec<f64>, String> = text.split(',').map(finite).collect();
    numbers.ok().and_then(|numbers| numbers.try_into().ok()).ok_or_else(|| {
        "expected four numbers that are not negative, such as 0.25,0.25,0.25,0.25".to_owned()
    })
}
