//! `assay metric …`. The subcommand of a metric, its options and its help are generated from the
//! metric's card.

use std::path::PathBuf;

use assay_data::texts::{Form, Ids};
use assay_metrics::card::{OptionCard, OptionKind, TextMetricCard, VariantCard};
use assay_metrics::registry::{MetricOptions, REGISTRY, TextMetricKind, find};
use clap::builder::{PossibleValue, PossibleValuesParser};
use clap::error::ErrorKind;
use clap::{Arg, ArgAction, ArgMatches, Args, Command, FromArgMatches, Subcommand, ValueEnum};

use super::ListArguments;
use super::several_metrics::{self as several, SeveralMetrics};

#[derive(Debug, Subcommand)]
pub(crate) enum MetricCommand {
    #[command(flatten)]
    Score(Box<MetricArguments>),
    /// List the metrics and their variants.
    #[command(after_help = "\
Examples:
  assay metric list
  assay metric list --json | jq -r '.[].name'")]
    List(ListArguments),
}

/// The metrics, and the texts to score.
#[derive(Debug)]
pub(crate) struct MetricArguments {
    pub(crate) choice: MetricChoice,
    pub(crate) texts: TextArguments,
}

/// The metrics to compute.
#[derive(Debug)]
pub(crate) enum MetricChoice {
    /// A metric by its own subcommand.
    One { kind: &'static TextMetricKind, options: MetricOptions },
    /// Several, by `assay metric score`.
    Several(SeveralMetrics),
}

/// The texts to score, and the form of the output; the same for every metric.
#[derive(Debug, Args)]
pub(crate) struct TextArguments {
    /// The texts to score; `-` reads standard input. Each further file has another system's texts, which are compared
    /// with those of the first.
    #[arg(
        long,
        visible_alias = "hypotheses",
        value_name = "FILE",
        num_args = 1..,
        required_unless_present = "pairs",
        help_heading = "Texts"
    )]
    pub(crate) hyp: Vec<PathBuf>,

    /// The references; each further file adds a reference to each text.
    #[arg(
        long,
        visible_aliases = ["ref", "references"],
        value_name = "FILE",
        num_args = 1..,
        required_unless_present = "pairs",
        help_heading = "Texts"
    )]
    pub(crate) refs: Vec<PathBuf>,

    /// Both, one object per line: `{"id": …, "refs": ["…"], "hyp": "…"}`. Several files are several systems.
    #[arg(
        long,
        value_name = "FILE",
        num_args = 1..,
        conflicts_with_all = ["hyp", "refs", "key", "format"],
        help_heading = "Texts"
    )]
    pub(crate) pairs: Vec<PathBuf>,

    /// The field of JSON objects that holds the text. Default: the usual names.
    #[arg(long, value_name = "KEY", help_heading = "Texts")]
    pub(crate) key: Option<String>,

    /// The format of --hyp and --refs. Default: by file extension.
    #[arg(long, help_heading = "Texts")]
    pub(crate) format: Option<TextFormat>,

    /// Whether lines of --hyp and --refs start with an id and a tab, by which they are joined.
    #[arg(
        long,
        value_name = "WHETHER",
        default_value = "auto",
        conflicts_with = "pairs",
        help_heading = "Texts"
    )]
    pub(crate) ids: LineIds,

    /// The programming language of the texts; also the name of a field that may hold references.
    #[arg(long, value_name = "LANGUAGE", help_heading = "Texts")]
    pub(crate) lang: Option<String>,

    /// The number of resamples for the differences between several systems.
    #[arg(long, value_name = "N", default_value_t = 1000, value_parser = clap::value_parser!(u32).range(1000..=1_000_000), help_heading = "Comparison")]
    pub(crate) resamples: u32,

    /// Decides which resamples are drawn.
    #[arg(long, value_name = "S", default_value_t = 0, help_heading = "Comparison")]
    pub(crate) seed: u64,

    /// Print the score of each pair.
    #[arg(long, help_heading = "Output")]
    pub(crate) per_pair: bool,

    /// Print JSON: one object, or with --per-pair one per line.
    #[arg(long, help_heading = "Output")]
    pub(crate) json: bool,

    /// The number of pairs to measure at once; 0 means one per core.
    #[arg(short, long, value_name = "N", default_value_t = 0)]
    pub(crate) jobs: u32,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum TextFormat {
    /// One text per line.
    Lines,
    /// One JSON value per line (.jsonl, .ndjson).
    Jsonl,
    /// One JSON document (.json).
    Json,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum LineIds {
    /// If all lines seem to.
    Auto,
    /// Every line does.
    Yes,
    /// Lines are texts as they are.
    No,
}

impl From<LineIds> for Ids {
    fn from(ids: LineIds) -> Self {
        match ids {
            LineIds::Auto => Self::Auto,
            LineIds::Yes => Self::Yes,
            LineIds::No => Self::No,
        }
    }
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

impl Subcommand for MetricArguments {
    fn augment_subcommands(command: Command) -> Command {
        let metrics = REGISTRY.iter().map(|kind| subcommand(kind.card()));
        command.subcommands(metrics).subcommand(several::subcommand())
    }

    fn augment_subcommands_for_update(command: Command) -> Command {
        Self::augment_subcommands(command)
    }

    fn has_subcommand(name: &str) -> bool {
        name == several::NAME || find(name).is_ok()
    }
}

impl FromArgMatches for MetricArguments {
    fn from_arg_matches(matches: &ArgMatches) -> Result<Self, clap::Error> {
        let missing = || clap::Error::new(ErrorKind::MissingSubcommand);
        let (name, matches) = matches.subcommand().ok_or_else(missing)?;
        let texts = TextArguments::from_arg_matches(matches)?;
        if name == several::NAME {
            return Ok(Self { choice: MetricChoice::Several(several::chosen(matches)), texts });
        }
        let kind = find(name).map_err(|_| missing())?;
        let options = options(kind.card(), matches, texts.lang.as_deref());
        Ok(Self { choice: MetricChoice::One { kind, options }, texts })
    }

    fn update_from_arg_matches(&mut self, matches: &ArgMatches) -> Result<(), clap::Error> {
        *self = Self::from_arg_matches(matches)?;
        Ok(())
    }
}

const VARIANT: &str = "variant";
const HEADING: &str = "Metric";
/// The number of characters of an example that fit a line of the help.
const EXAMPLE_WIDTH: usize = 78;

/// The subcommand that a card describes.
fn subcommand(card: &'static TextMetricCard) -> Command {
    let value =
        |variant: &'static VariantCard| PossibleValue::new(variant.name).help(variant.about);
    let variant = Arg::new(VARIANT)
        .long(VARIANT)
        .value_name("VARIANT")
        .help("The variant to compute")
        .value_parser(PossibleValuesParser::new(card.variants.iter().map(value)))
        .default_value(card.default_variant)
        .help_heading(HEADING);
    let command = Command::new(card.name).arg(variant).args(card.options.iter().map(argument));
    // Added after the shared arguments, which would otherwise replace the description.
    TextArguments::augment_args(command)
        .about(card.summary)
        .long_about(None)
        .override_usage(usage(card))
        .after_help(format!("Examples:\n  {}", shown_examples(card).join("\n  ")))
}

/// The examples of a card; a long one goes on in the next line.
fn shown_examples(card: &TextMetricCard) -> Vec<String> {
    let broken =
        |example: &&str| match example.rfind(" --refs").or_else(|| example.rfind(" --pairs")) {
            Some(at) if example.len() > EXAMPLE_WIDTH => {
                format!("{} \\\n     {}", &example[..at], &example[at..])
            }
            _ => (*example).to_owned(),
        };
    card.examples.iter().map(broken).collect()
}

fn usage(card: &TextMetricCard) -> String {
    let language = if card.needs_language { "--lang <LANGUAGE> " } else { "" };
    let start = format!("assay metric {} {language}[OPTIONS]", card.name);
    // What would not fit a line goes on in the next one.
    let gap = if card.needs_language { "\n           " } else { " " };
    format!("{start}{gap}--refs <FILE>... --hyp <FILE>...\n       {start}{gap}--pairs <FILE>...")
}

/// The argument that an option's card describes.
fn argument(option: &'static OptionCard) -> Arg {
    let argument = Arg::new(option.name)
        .long(option.name)
        .visible_aliases(option.alias)
        .help(option.help)
        .help_heading(HEADING);
    match &option.kind {
        OptionKind::Flag => argument.action(ArgAction::SetTrue),
        OptionKind::Choice(names) => {
            argument.value_name(option.value_name).value_parser(PossibleValuesParser::new(*names))
        }
        kind => argument
            .value_name(option.value_name)
            .value_parser(|text: &str| kind.check(text).map(|()| text.to_owned())),
    }
}

/// The values of the options that a card describes.
fn options(card: &TextMetricCard, matches: &ArgMatches, language: Option<&str>) -> MetricOptions {
    let text = |name: &str| matches.get_one::<String>(name).map(String::as_str);
    let mut options =
        MetricOptions::default().variant(text(VARIANT).unwrap_or(card.default_variant));
    for option in card.options {
        let value = match option.kind {
            OptionKind::Flag => matches.get_flag(option.name).then_some("true"),
            _ => text(option.name),
        };
        if let Some(value) = value {
            options = options.with(option.name, value);
        }
    }
    language.into_iter().fold(options, MetricOptions::language)
}

#[cfg(test)]
mod tests {
    use assay_metrics::text::{Score, Sums, TextMetric};
    use clap::{CommandFactory, Parser};

    use super::*;
    use crate::args::{Arguments, Command as Chosen};

    /// A metric that reports its options, to test that they arrive.
    struct Toy(f64);

    impl TextMetric for Toy {
        fn measure(&self, _: &[&str], _: &str) -> Sums {
            Sums::default()
        }

        fn score(&self, _: &Sums) -> Score {
            Score::new("score", self.0)
        }

        fn range(&self) -> (f64, f64) {
            (0.0, 20.0)
        }

        fn signature(&self, _: &Sums) -> String {
            "toy".to_owned()
        }
    }

    static TOY: TextMetricKind = TextMetricKind::new(
        TextMetricCard {
            name: "toy",
            summary: "A toy",
            variants: &[VariantCard::new("wood", "Of wood"), VariantCard::new("tin", "Of tin")],
            default_variant: "tin",
            needs_language: true,
            options: &[
                OptionCard::flag("loud", "With noise"),
                OptionCard::new("size", "N", OptionKind::Integer(1..=9), "The size")
                    .alias("length"),
                OptionCard::new("weight", "X", OptionKind::Float, "The weight"),
                OptionCard::new("colour", "C", OptionKind::Choice(&["red", "blue"]), "The colour"),
                OptionCard::new("label", "TEXT", OptionKind::Text, "The label"),
            ],
            examples: &["assay metric toy --lang java --pairs pairs.jsonl"],
        },
        |options| {
            let size: f64 = options.integer("size").unwrap_or(0.0);
            let chosen = [
                options.variant_name() == "wood",
                options.language_name() == Some("java"),
                options.flag("loud"),
                options.text("colour") == Some("blue"),
                options.text("label") == Some("-"),
            ];
            let chosen = chosen.into_iter().filter(|chosen| *chosen).count();
            Ok(Box::new(Toy(size + options.float("weight").unwrap_or(0.0) + chosen as f64)))
        },
    );

    fn toy(words: &[&str]) -> Result<f64, String> {
        let start = ["toy", "--pairs", "pairs.jsonl", "--lang", "java"];
        let matches = subcommand(TOY.card()).try_get_matches_from([&start, words].concat());
        let matches = matches.map_err(|error| error.to_string())?;
        let metric = TOY.build(&options(TOY.card(), &matches, Some("java"))).unwrap();
        Ok(metric.score(&Sums::default()).value())
    }

    #[test]
    fn a_metric_gets_its_subcommand_from_its_card() {
        let check = |words: &[&str], expected: f64| {
            let found = toy(words).unwrap();
            assert!((found - expected).abs() < 1e-12, "{words:?}: {found} instead of {expected}");
        };
        check(&[], 1.0);
        check(&["--variant", "wood", "--loud", "--colour", "blue", "--label", "-"], 5.0);
        check(&["--length", "9", "--weight", "0.5"], 10.5);
        let refused = |words: &[&str], message: &str| {
            let error = toy(words).unwrap_err();
            assert!(error.contains(message), "{words:?}: {error}");
        };
        refused(&["--variant", "iron"], "possible values: wood, tin");
        refused(&["--size", "10"], "invalid value '10' for '--size <N>': 10 is not in 1..=9");
        refused(&["--weight", "nan"], "expected a number that is not negative");
        refused(&["--colour", "green"], "possible values: red, blue");
        let help = subcommand(TOY.card()).render_long_help().to_string();
        for part in [
            "A toy",
            "metric toy --lang <LANGUAGE> [OPTIONS]",
            "- tin:  Of tin",
            "--size <N>",
            "[alias: --length]",
            "Examples:\n  assay metric toy",
            "--hyp <FILE>",
        ] {
            assert!(help.contains(part), "no {part:?} in {help}");
        }
    }

    /// Parses a command line into a metric with its options.
    fn parse(line: &str) -> (&'static TextMetricKind, MetricOptions) {
        let words = shlex::split(line).expect("words");
        match Arguments::try_parse_from(words)
            .unwrap_or_else(|error| panic!("{line}: {error}"))
            .command
        {
            Chosen::Metric(MetricCommand::Score(arguments)) => match arguments.choice {
                MetricChoice::One { kind, options } => (kind, options),
                MetricChoice::Several(_) => panic!("{line}: several metrics"),
            },
            other => panic!("{line}: {other:?}"),
        }
    }

    #[test]
    fn every_example_builds_its_metric() {
        for kind in REGISTRY {
            assert!(!kind.card().examples.is_empty());
            for example in kind.card().examples {
                let line = &example[example.find("assay ").expect("a call")..];
                let (parsed, options) = parse(line);
                assert_eq!(parsed.card().name, kind.card().name);
                assert!(kind.build(&options).is_ok(), "{example}");
            }
        }
    }

    #[test]
    fn every_option_of_every_card_is_accepted() {
        Arguments::command().debug_assert();
        for kind in REGISTRY {
            let start = format!("assay metric {} --pairs pairs.jsonl", kind.card().name);
            for variant in kind.card().variants {
                let (_, given) = parse(&format!("{start} --variant {}", variant.name));
                assert_eq!(given.variant_name(), variant.name);
            }
            for option in kind.card().options {
                let value = match &option.kind {
                    OptionKind::Flag => "true".to_owned(),
                    OptionKind::Integer(range) => range.end().to_string(),
                    OptionKind::Float => "0.5".to_owned(),
                    OptionKind::Choice(names) => names[0].to_owned(),
                    OptionKind::Text => "some".to_owned(),
                };
                for name in [option.name].into_iter().chain(option.alias) {
                    let typed = match option.kind {
                        OptionKind::Flag => String::new(),
                        _ => format!("={value}"),
                    };
                    let (_, given) = parse(&format!("{start} --{name}{typed}"));
                    assert_eq!(given.text(option.name), Some(value.as_str()));
                }
            }
        }
    }
}
