//! `assay metric score`: several metrics of the same texts in one call, each with options of its own.

use assay_core::{Error, Result};
use assay_metrics::card::{OptionCard, OptionKind, TextMetricCard};
use assay_metrics::registry::{MetricOptions, REGISTRY, TextMetricKind, find};
use clap::{Arg, ArgAction, ArgMatches, Args, Command};

use super::TextArguments;

/// The name of the subcommand.
pub(super) const NAME: &str = "score";
/// The word that stands for every metric.
const ALL: &str = "all";
const METRICS: &str = "metrics";
const VARIANT: &str = "variant";

/// The metrics as they were named on the command line.
#[derive(Debug)]
pub(crate) struct SeveralMetrics {
    specs: Vec<String>,
    /// Options that were given to all metrics instead of one.
    misplaced: Vec<&'static str>,
}

/// A metric with its options.
#[derive(Debug)]
pub(crate) struct SpecifiedMetric {
    /// The metric and its options as they were named.
    pub(crate) spec: String,
    pub(crate) kind: &'static TextMetricKind,
    pub(crate) options: MetricOptions,
}

/// The subcommand.
pub(super) fn subcommand() -> Command {
    let metrics = Arg::new(METRICS)
        .value_name("METRIC")
        .help("The metrics, each with its options after colons: bleu, bleu:variant=nmt:smoothing=none; or `all`")
        .required(true)
        .num_args(1..);
    let command = Command::new(NAME).arg(metrics).args(misplaced_arguments());
    TextArguments::augment_args(command)
        .about("Compute several metrics of the same texts, of one system or of several")
        .long_about(None)
        .override_usage(
            "assay metric score [OPTIONS] <METRIC>... --refs <FILE>... --hyp <FILE>...\n       \
             assay metric score [OPTIONS] <METRIC>... --pairs <FILE>...",
        )
        .after_help(
            "Examples:\n  \
             assay metric score all --lang java --refs ref.txt --hyp out.txt\n  \
             assay metric score bleu chrf --refs ref.txt --hyp baseline.txt new.txt --seed 7\n  \
             assay metric score bleu bleu:variant=nmt codebleu:weights=0.1,0.1,0.4,0.4 --lang java --pairs pairs.jsonl",
        )
}

/// Hidden arguments for the options of single metrics, so that they can be refused with their cure.
fn misplaced_arguments() -> Vec<Arg> {
    let hidden = |name: &'static str| Arg::new(name).long(name).hide(true);
    let mut arguments = vec![hidden(VARIANT).action(ArgAction::Append)];
    let mut known = vec![VARIANT];
    for option in all_options() {
        if !known.contains(&option.name) {
            known.push(option.name);
            let argument = hidden(option.name).aliases(option.alias);
            arguments.push(match option.kind {
                OptionKind::Flag => argument.action(ArgAction::SetTrue),
                _ => argument.action(ArgAction::Append),
            });
        }
    }
    arguments
}

fn all_options() -> impl Iterator<Item = &'static OptionCard> {
    REGISTRY.iter().flat_map(|kind| kind.card().options)
}

/// The metrics that were named.
pub(super) fn chosen(matches: &ArgMatches) -> SeveralMetrics {
    let specs = matches.get_many::<String>(METRICS).into_iter().flatten().cloned().collect();
    let from_command_line =
        |name: &str| matches.value_source(name) == Some(clap::parser::ValueSource::CommandLine);
    let mut misplaced: Vec<&'static str> = all_options().map(|option| option.name).collect();
    misplaced.push(VARIANT);
    misplaced.retain(|name| from_command_line(name));
    SeveralMetrics { specs, misplaced }
}

impl SeveralMetrics {
    /// The metrics with their options, in the order in which they were named.
    pub(crate) fn specified(&self, language: Option<&str>) -> Result<Vec<SpecifiedMetric>> {
        if let Some(option) = self.misplaced.first() {
            return Err(misplaced(option));
        }
        let mut specified: Vec<SpecifiedMetric> = Vec::new();
        for spec in &self.specs {
            if spec == ALL {
                let kinds = REGISTRY.iter().filter(|kind| fits(kind.card(), language));
                let names = kinds.map(|kind| kind.card().name);
                specified
                    .extend(names.map(|name| specify(name, language)).collect::<Result<Vec<_>>>()?);
            } else {
                specified.push(specify(spec, language)?);
            }
        }
        for (at, metric) in specified.iter().enumerate() {
            if specified[..at].iter().any(|before| before.spec == metric.spec) {
                return Err(Error::usage(format!("the metric {} is named twice", metric.spec))
                    .hint("name it once, or with different options"));
            }
        }
        Ok(specified)
    }

    /// The metrics that `all` leaves out, because they need the language of the texts.
    pub(crate) fn left_out(&self, language: Option<&str>) -> Vec<&'static str> {
        if !self.specs.iter().any(|spec| spec == ALL) {
            return Vec::new();
        }
        let cards = REGISTRY.iter().map(|kind| kind.card());
        cards.filter(|card| !fits(card, language)).map(|card| card.name).collect()
    }
}

/// Returns whether the metric can be computed without further options.
fn fits(card: &TextMetricCard, language: Option<&str>) -> bool {
    !card.needs_language || language.is_some()
}

fn misplaced(option: &'static str) -> Error {
    let has = |card: &&TextMetricCard| option == VARIANT || card.option(option).is_some();
    let flag =
        all_options().any(|card| card.name == option && matches!(card.kind, OptionKind::Flag));
    let value = if flag { "" } else { "=VALUE" };
    let cards = REGISTRY.iter().map(|kind| kind.card()).filter(has);
    let cures: Vec<String> = cards.map(|card| format!("{}:{option}{value}", card.name)).collect();
    Error::usage(format!("--{option} is an option of single metrics, and several are computed"))
        .hint(format!("give it to a metric: {}", cures.join(", ")))
}

/// Reads `NAME:OPTION=VALUE:FLAG`.
fn specify(spec: &str, language: Option<&str>) -> Result<SpecifiedMetric> {
    let mut parts = spec.split(':');
    let kind = find(parts.next().unwrap_or_default())?;
    let card = kind.card();
    let mut options = MetricOptions::default().variant(card.default_variant);
    let mut given: Vec<&str> = Vec::new();
    for part in parts {
        let (name, value) = part.split_once('=').unwrap_or((part, ""));
        let known = option(card, name).ok_or_else(|| unknown(card, spec, name))?;
        let name = known.map_or(VARIANT, |option| option.name);
        if given.contains(&name) {
            return Err(Error::usage(format!("{spec}: the option `{name}` is there twice"))
                .hint("leave one of them out"));
        }
        given.push(name);
        options = match known {
            None => options.variant(value),
            Some(OptionCard { kind: OptionKind::Flag, .. }) if value.is_empty() => {
                options.with(name, "true")
            }
            Some(_) => options.with(name, value),
        };
    }
    let options = language.into_iter().fold(options, MetricOptions::language);
    Ok(SpecifiedMetric { spec: spec.to_owned(), kind, options })
}

/// The option called `name`: `Some(None)` is the variant.
#[expect(clippy::option_option, reason = "the variant is an option that is not on the card")]
fn option(card: &'static TextMetricCard, name: &str) -> Option<Option<&'static OptionCard>> {
    if name == VARIANT {
        return Some(None);
    }
    let is_called = |option: &&OptionCard| option.name == name || option.alias == Some(name);
    card.options.iter().find(is_called).map(Some)
}

fn unknown(card: &TextMetricCard, spec: &str, name: &str) -> Error {
    let names = card.options.iter().map(|option| option.name);
    let names: Vec<&str> = std::iter::once(VARIANT).chain(names).collect();
    Error::usage(format!("{spec}: the metric {} has no option `{name}`", card.name))
        .hint(format!("it has {}; the language is --lang for all metrics", names.join(", ")))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn specified(words: &[&str]) -> Result<Vec<SpecifiedMetric>, String> {
        let line = [&["score"], words, &["--pairs", "p.jsonl"]].concat();
        let matches = subcommand().try_get_matches_from(line).map_err(|error| error.to_string())?;
        chosen(&matches)
            .specified(Some("java"))
            .map_err(|error| format!("{error}; {}", error.hint_text().unwrap_or_default()))
    }

    #[test]
    fn metrics_have_options_of_their_own() {
        let all =
            specified(&["bleu:variant=nltk:smoothing=method1", "chrf:lowercase", "all"]).unwrap();
        let specs: Vec<&str> = all.iter().map(|metric| metric.spec.as_str()).collect();
        let named = ["bleu:variant=nltk:smoothing=method1", "chrf:lowercase"];
        assert_eq!(specs, [&named[..], &["bleu", "codebleu", "chrf", "exact"]].concat());
        assert_eq!(all[0].options.variant_name(), "nltk");
        assert_eq!(all[0].options.text("smoothing"), Some("method1"));
        assert!(all[1].options.flag("lowercase"));
        assert_eq!(all[3].options.language_name(), Some("java"));
        assert!(all.iter().all(|metric| metric.kind.build(&metric.options).is_ok()));
    }

    #[test]
    fn all_leaves_out_what_needs_a_language() {
        let matches = subcommand().get_matches_from(["score", "all", "--pairs", "p.jsonl"]);
        let chosen = chosen(&matches);
        assert_eq!(chosen.left_out(None), ["codebleu"]);
        assert!(chosen.left_out(Some("java")).is_empty());
        assert_eq!(chosen.specified(None).unwrap().len(), 3);
    }

    #[test]
    fn mistakes_name_their_cure() {
        for (words, parts) in [
            (vec!["bleu", "bleu"], ["bleu is named twice", "with different options"]),
            (vec!["bleu:order=2"], ["has no option `order`", "it has variant, smoothing"]),
            (vec!["bleu:variant=hf:variant=nmt"], ["`variant` is there twice", "leave one"]),
            (vec!["rouge"], ["no metric called \"rouge\"", "bleu, codebleu"]),
            (
                vec!["bleu", "chrf", "--lowercase"],
                ["--lowercase", "bleu:lowercase, chrf:lowercase"],
            ),
            (vec!["bleu", "chrf", "--variant", "nmt"], ["--variant", "bleu:variant=VALUE"]),
            (
                vec!["codebleu", "bleu", "--params", "1,1,1,1"],
                ["--weights", "codebleu:weights=VALUE"],
            ),
        ] {
            let error = specified(&words).unwrap_err();
            assert!(parts.iter().all(|part| error.contains(part)), "{words:?}: {error}");
        }
        assert!(specified(&[]).unwrap_err().contains("<METRIC>"));
    }
}
