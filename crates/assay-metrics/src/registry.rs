//! The registry of text metrics: one file per metric, one line in [`REGISTRY`].

use std::str::FromStr;

use assay_core::{Error, Named, Result};

use crate::card::{TextMetricCard, float};
use crate::text::TextMetric;
use crate::{bleu, chrf, codebleu, exact};

/// Every text metric.
pub const REGISTRY: &[&TextMetricKind] =
    &[&bleu::BLEU, &codebleu::CODEBLEU, &chrf::CHRF, &exact::EXACT];

/// The version of the tool, for signatures.
pub(crate) const VERSION: &str = env!("CARGO_PKG_VERSION");

/// The text metric called `name`.
pub fn find(name: &str) -> Result<&'static TextMetricKind> {
    REGISTRY.iter().copied().find(|kind| kind.card.name == name).ok_or_else(|| {
        let names: Vec<&str> = REGISTRY.iter().map(|kind| kind.card.name).collect();
        Error::usage(format!("there is no metric called {name:?}"))
            .hint(format!("the metrics are: {}", names.join(", ")))
    })
}

/// A text metric before its options are chosen: its card and its builder.
#[derive(Debug)]
pub struct TextMetricKind {
    card: TextMetricCard,
    build: Builder,
}

/// Builds a metric from options that match its card. The variant is always set.
pub type Builder = fn(&MetricOptions) -> Result<Box<dyn TextMetric>>;

impl TextMetricKind {
    /// A kind with this card and this builder.
    pub const fn new(card: TextMetricCard, build: Builder) -> Self {
        Self { card, build }
    }

    /// The description of the metric and of its options.
    pub fn card(&self) -> &TextMetricCard {
        &self.card
    }

    /// Builds the metric. Options that do not match the card are rejected.
    pub fn build(&self, options: &MetricOptions) -> Result<Box<dyn TextMetric>> {
        let variant = options.variant.as_deref().unwrap_or(self.card.default_variant);
        let variants: Vec<&str> = self.card.variants.iter().map(|known| known.name).collect();
        if !variants.contains(&variant) {
            return Err(self.refusal(&format!("has no variant `{variant}`"), &variants));
        }
        for (name, value) in &options.values {
            let Some(option) = self.card.option(name) else {
                let names: Vec<&str> = self.card.options.iter().map(|known| known.name).collect();
                return Err(self.refusal(&format!("has no option `{name}`"), &names));
            };
            option.kind.check(value).map_err(|problem| {
                Error::usage(format!("invalid value {value:?} for `{name}`: {problem}"))
            })?;
        }
        (self.build)(&options.clone().variant(variant))
    }

    fn refusal(&self, problem: &str, known: &[&str]) -> Error {
        let known = if known.is_empty() { "none".to_owned() } else { known.join(", ") };
        Error::usage(format!("the metric {} {problem}", self.card.name))
            .hint(format!("it has {known}"))
    }
}

/// The options of a metric, as text by name. [`TextMetricKind::build`] checks them against its
/// card.
#[derive(Debug, Clone, Default)]
pub struct MetricOptions {
    variant: Option<String>,
    language: Option<String>,
    values: Named<String>,
}

impl MetricOptions {
    /// The same options with another variant.
    #[must_use]
    pub fn variant(self, name: &str) -> Self {
        Self { variant: Some(name.to_owned()), ..self }
    }

    /// The same options with another programming language of the texts.
    #[must_use]
    pub fn language(self, name: &str) -> Self {
        Self { language: Some(name.to_owned()), ..self }
    }

    /// The same options with another value for the option `name`; `true` for a flag.
    #[must_use]
    pub fn with(mut self, name: &'static str, value: &str) -> Self {
        self.values.insert(name.into(), value.to_owned());
        self
    }

    /// The name of the chosen variant.
    pub fn variant_name(&self) -> &str {
        self.variant.as_deref().unwrap_or_default()
    }

    /// The selected one of `all` variants.
    pub(crate) fn variant_of<T: Copy>(&self, all: &[T], name: fn(T) -> &'static str) -> Result<T> {
        let chosen = self.variant_name();
        let found = all.iter().copied().find(|variant| name(*variant) == chosen);
        found.ok_or_else(|| Error::usage(format!("there is no variant `{chosen}`")))
    }

    /// The programming language of the texts, as it was given.
    pub fn language_name(&self) -> Option<&str> {
        self.language.as_deref()
    }

    /// Returns whether a flag is on.
    pub fn flag(&self, name: &str) -> bool {
        self.text(name) == Some("true")
    }

    /// The value of an integer option.
    pub fn integer<T: FromStr>(&self, name: &str) -> Option<T> {
        self.text(name)?.parse().ok()
    }

    /// The value of a float option.
    pub fn float(&self, name: &str) -> Option<f64> {
        float(self.text(name)?)
    }

    /// The value of any option, as it was given.
    pub fn text(&self, name: &str) -> Option<&str> {
        self.values.get(name).map(String::as_str)
    }
}
