//! From what was typed to the metric that it names.

use std::path::Path;

use assay_core::{Error, Result, Signature};
use assay_metrics::text::{Part, Score, Sums, TextMetric};
use clap::ValueEnum;

use crate::args::{
    BleuArguments, BleuOptions, BleuVariant, ChrfArguments, ChrfVariant, CodebleuArguments,
    ExactArguments, ExactVariant,
};

/// A metric with everything decided.
pub(super) struct Chosen {
    pub(super) name: &'static str,
    pub(super) variant: String,
    /// What the texts' language is called, if that was said: by its own name, and as it was typed.
    pub(super) language: Vec<String>,
    pub(super) metric: Box<dyn TextMetric>,
}

/// An option, the variants that have it, and whether it is given.
type BleuOption = (&'static str, &'static [BleuVariant], fn(&BleuOptions) -> bool);

const BLEU_OPTIONS: &[BleuOption] = {
    use BleuVariant::{Hf, Nltk, Nmt, Sacrebleu};
    &[
        ("--smoothing", &[Nltk, Hf, Sacrebleu, Nmt], |it| it.smoothing.is_some()),
        ("--smoothing-value", &[Nltk, Sacrebleu], |it| it.smoothing_value.is_some()),
        ("--tokenizer", &[Sacrebleu], |it| it.tokenizer.is_some()),
        ("--lowercase", &[Sacrebleu], |it| it.lowercase),
        ("--max-order", &[Nltk, Hf, Sacrebleu, Nmt], |it| it.max_order.is_some()),
        ("--effective-order", &[Sacrebleu], |it| it.effective_order),
    ]
};

/// Languages that CodeBLEU knows, with the other names that people use.
const LANGUAGES: &[(&str, &[&str])] = &[
    ("c", &[]),
    ("c_sharp", &["csharp", "c#", "cs"]),
    ("cpp", &["c++"]),
    ("go", &["golang"]),
    ("java", &[]),
    ("javascript", &["js"]),
    ("php", &[]),
    ("python", &["py"]),
    ("ruby", &["rb"]),
    ("rust", &["rs"]),
];

pub(super) fn bleu(arguments: &BleuArguments) -> Result<Chosen> {
    let BleuArguments { variant, options, texts } = arguments;
    for (option, variants, given) in BLEU_OPTIONS {
        if given(options) && !variants.contains(variant) {
            return Err(no_option(variant, option, variants));
        }
    }
    let signature = Signature::new("bleu", 0)
        .field("smoothing", options.smoothing.as_deref().unwrap_or("default"))
        .field("tokenizer", options.tokenizer.as_deref().unwrap_or("default"));
    Ok(chosen("bleu", variant, texts.lang.clone(), StandIn(signature)))
}

pub(super) fn codebleu(arguments: &CodebleuArguments) -> Result<Chosen> {
    let CodebleuArguments { variant, weights, keywords: file, texts } = arguments;
    let language = language(texts.lang.as_deref())?;
    let keywords = file.as_deref().map(keywords).transpose()?.unwrap_or_default();
    let weights = weights.unwrap_or([0.25; 4]).map(|weight| weight.to_string());
    let signature = Signature::new("codebleu", 0)
        .field("lang", language)
        .field("weights", weights.join(","))
        .field("keywords", keywords.join(","));
    let names = [language.to_owned()].into_iter().chain(texts.lang.clone());
    Ok(chosen("codebleu", variant, names, StandIn(signature)))
}

pub(super) fn chrf(arguments: &ChrfArguments) -> Result<Chosen> {
    let ChrfArguments { variant, options, texts } = arguments;
    let plus_plus = *variant == ChrfVariant::ChrfPlusPlus;
    let words = options.word_order.unwrap_or(if plus_plus { 2 } else { 0 });
    if plus_plus && words == 0 {
        return Err(Error::usage("chrf++ without words is chrf").hint("choose --variant chrf"));
    }
    let signature = Signature::new("chrf", 0)
        .field("char_order", options.char_order.unwrap_or(6))
        .field("word_order", words)
        .field("beta", options.beta.unwrap_or(2))
        .field("lowercase", options.lowercase)
        .field("whitespace", options.whitespace);
    Ok(chosen("chrf", variant, texts.lang.clone(), StandIn(signature)))
}

pub(super) fn exact(arguments: &ExactArguments) -> Chosen {
    let ExactArguments { variant, texts } = arguments;
    chosen("exact", variant, texts.lang.clone(), Exact(*variant))
}

fn chosen(
    name: &'static str,
    variant: &impl ValueEnum,
    language: impl IntoIterator<Item = String>,
    metric: impl TextMetric + 'static,
) -> Chosen {
    let language = language.into_iter().collect();
    Chosen { name, variant: name_of(variant), language, metric: Box::new(metric) }
}

/// What a variant is called on the command line.
fn name_of(variant: &impl ValueEnum) -> String {
    variant.to_possible_value().map(|value| value.get_name().to_owned()).unwrap_or_default()
}

fn no_option<V: ValueEnum>(variant: &V, option: &str, variants: &[V]) -> Error {
    let have: Vec<String> = variants.iter().map(name_of).collect();
    Error::usage(format!("the variant {} has no {option}", name_of(variant)))
        .hint(format!("{option} is for --variant {}", have.join(", ")))
}

fn language(typed: Option<&str>) -> Result<&'static str> {
    let known = || LANGUAGES.iter().map(|(name, _)| *name).collect::<Vec<_>>().join(", ");
    let Some(typed) = typed else {
        return Err(Error::usage("codebleu needs the language of the texts")
            .hint(format!("give --lang with one of {}", known())));
    };
    let is_typed = |name: &str| name.eq_ignore_ascii_case(typed);
    LANGUAGES
        .iter()
        .find(|(name, others)| is_typed(name) || others.iter().any(|name| is_typed(name)))
        .map(|(name, _)| *name)
        .ok_or_else(|| {
            Error::usage(format!("no language is called {typed:?}"))
                .hint(format!("the languages are {}", known()))
        })
}

/// The keywords of a file, one a line.
fn keywords(path: &Path) -> Result<Vec<String>> {
    let text =
        std::fs::read_to_string(path).map_err(|error| Error::reading("read", path, error))?;
    Ok(text.lines().map(str::trim).filter(|word| !word.is_empty()).map(str::to_owned).collect())
}

/// Counts exact matches under another metric's name.
struct StandIn(Signature);

impl TextMetric for StandIn {
    fn measure(&self, references: &[&str], hypothesis: &str) -> Sums {
        Exact(ExactVariant::Trimmed).measure(references, hypothesis)
    }

    fn score(&self, corpus: &Sums) -> Score {
        Exact(ExactVariant::Trimmed).score(corpus)
    }

    fn signature(&self, _corpus: &Sums) -> String {
        self.0.to_string()
    }
}

/// Whether a hypothesis is one of its references.
struct Exact(ExactVariant);

impl Exact {
    fn same(&self, left: &str, right: &str) -> bool {
        match self.0 {
            ExactVariant::Text => left == right,
            ExactVariant::Trimmed => left.trim() == right.trim(),
            ExactVariant::Words => left.split_whitespace().eq(right.split_whitespace()),
        }
    }
}

impl TextMetric for Exact {
    fn measure(&self, references: &[&str], hypothesis: &str) -> Sums {
        let hit = references.iter().any(|reference| self.same(reference, hypothesis));
        Sums::new([f64::from(u8::from(hit)), 1.0])
    }

    fn score(&self, corpus: &Sums) -> Score {
        #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "a count")]
        let matches = corpus.at(0) as u64;
        Score::new("exact", corpus.at(0) / corpus.at(1)).part("matches", Part::Count(matches))
    }

    fn signature(&self, _corpus: &Sums) -> String {
        Signature::new("exact", 1).field("variant", name_of(&self.0)).to_string()
    }
}
