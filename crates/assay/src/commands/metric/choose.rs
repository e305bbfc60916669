//! From what was typed to the metric that it names.

use assay_core::{Error, Result};
use assay_metrics::chrf::ChrfOptions;
use assay_metrics::codebleu::{CodeBleu, EQUAL_WEIGHTS};
use assay_metrics::exact::ExactMatch;
use assay_metrics::text::TextMetric;
use assay_metrics::{bleu, codebleu};
use assay_syntax::Language;
use clap::ValueEnum;

use crate::args::{
    BleuArguments, BleuVariant, ChrfArguments, ChrfVariant, CodebleuArguments, CodebleuVariant,
    ExactArguments,
};

/// A metric with everything decided.
pub(super) struct Chosen {
    pub(super) name: &'static str,
    pub(super) variant: String,
    /// What the texts' language is called, if that was said: by its own name, and as it was typed.
    pub(super) language: Vec<String>,
    pub(super) metric: Box<dyn TextMetric>,
}

/// The tool's version, for signatures.
const VERSION: &str = env!("CARGO_PKG_VERSION");

pub(super) fn bleu(arguments: &BleuArguments) -> Result<Chosen> {
    let BleuArguments { variant, options, texts } = arguments;
    let metric = bleu::BleuOptions {
        smoothing: options.smoothing.as_deref().map(|name| smoothing(*variant, name)),
        smoothing_value: options.smoothing_value,
        tokenizer: options.tokenizer.clone(),
        lowercase: options.lowercase,
        max_order: options.max_order,
        effective_order: options.effective_order.then_some(true),
        ..bleu::BleuOptions::new((*variant).into(), VERSION)
    };
    Ok(chosen("bleu", variant, texts.lang.clone(), metric.build()?))
}

/// The name of a smoothing, which people also call by its number or by yes and no.
fn smoothing(variant: BleuVariant, name: &str) -> String {
    let switched = matches!(variant, BleuVariant::Hf | BleuVariant::Nmt);
    match name {
        "0" | "1" | "2" | "3" | "4" | "5" | "6" | "7" if variant == BleuVariant::Nltk => {
            format!("method{name}")
        }
        "on" | "yes" | "true" if switched => "add-one".to_owned(),
        "off" | "no" | "false" if switched => "none".to_owned(),
        name => name.to_owned(),
    }
}

pub(super) fn codebleu(arguments: &CodebleuArguments) -> Result<Chosen> {
    let CodebleuArguments { variant, weights, texts } = arguments;
    let language = language(texts.lang.as_deref())?;
    let weights = weights.unwrap_or(EQUAL_WEIGHTS);
    let metric = CodeBleu::new((*variant).into(), language, weights, VERSION)?;
    let names = [language.name().to_owned()].into_iter().chain(texts.lang.clone());
    Ok(chosen("codebleu", variant, names, Box::new(metric)))
}

pub(super) fn chrf(arguments: &ChrfArguments) -> Result<Chosen> {
    let ChrfArguments { variant, options, texts } = arguments;
    let plus_plus = *variant == ChrfVariant::ChrfPlusPlus;
    let words = options.word_order.unwrap_or(if plus_plus { 2 } else { 0 });
    if plus_plus && words == 0 {
        return Err(Error::usage("chrf++ without words is chrf").hint("choose --variant chrf"));
    }
    let default = ChrfOptions::default();
    let metric = ChrfOptions {
        char_order: options.char_order.unwrap_or(default.char_order),
        word_order: words,
        beta: options.beta.unwrap_or(default.beta),
        lowercase: options.lowercase,
        whitespace: options.whitespace,
        eps_smoothing: options.eps_smoothing,
    };
    Ok(chosen("chrf", variant, texts.lang.clone(), Box::new(metric.build()?)))
}

pub(super) fn exact(arguments: &ExactArguments) -> Chosen {
    let ExactArguments { variant, texts } = arguments;
    chosen("exact", variant, texts.lang.clone(), Box::new(ExactMatch::new(VERSION)))
}

fn chosen(
    name: &'static str,
    variant: &impl ValueEnum,
    language: impl IntoIterator<Item = String>,
    metric: Box<dyn TextMetric>,
) -> Chosen {
    let variant = variant.to_possible_value().map(|value| value.get_name().to_owned());
    let language = language.into_iter().collect();
    Chosen { name, variant: variant.unwrap_or_default(), language, metric }
}

fn language(typed: Option<&str>) -> Result<Language> {
    let known = || Language::ALL.map(Language::name).join(", ");
    let Some(typed) = typed else {
        return Err(Error::usage("codebleu needs the language of the texts")
            .hint(format!("give --lang with one of {}", known())));
    };
    Language::by_name(typed).ok_or_else(|| {
        Error::usage(format!("no language is called {typed:?}"))
            .hint(format!("the languages are {}", known()))
    })
}

impl From<BleuVariant> for bleu::Variant {
    fn from(variant: BleuVariant) -> Self {
        match variant {
            BleuVariant::Nltk => Self::Nltk,
            BleuVariant::Hf => Self::HuggingFace,
            BleuVariant::CodexglueC2t => Self::CodeToText,
            BleuVariant::Sacrebleu => Self::SacreBleu,
            BleuVariant::Nmt => Self::Nmt,
        }
    }
}

impl From<CodebleuVariant> for codebleu::Variant {
    fn from(variant: CodebleuVariant) -> Self {
        match variant {
            CodebleuVariant::Assay => Self::Assay,
            CodebleuVariant::Codexglue => Self::CodeXGlue,
            CodebleuVariant::Avatar => Self::Avatar,
            CodebleuVariant::FusionBrain => Self::FusionBrain,
            CodebleuVariant::K4black => Self::K4black,
        }
    }
}
