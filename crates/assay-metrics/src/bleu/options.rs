//! Building a BLEU metric from names and numbers, as given on a command line.

use assay_core::{Error, Result};

use super::Tokenizer;
use super::code_to_text::CodeToText;
use super::nltk::{Nltk, NltkSmoothing};
use super::nmt::{HuggingFace, Nmt};
use super::sacre::{SacreBleu, SacreSmoothing, tokenizer_name};
use crate::ngrams::MAX_ORDER;
use crate::text::TextMetric;

/// A family of BLEU scores.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Variant {
    /// NLTK's `corpus_bleu`.
    Nltk,
    /// Hugging Face's `bleu`.
    HuggingFace,
    /// `CodeXGLUE`'s evaluator of descriptions of code.
    CodeToText,
    /// sacreBLEU.
    SacreBleu,
    /// `CodeXGLUE`'s evaluators of code.
    Nmt,
}

impl Variant {
    /// Every variant.
    pub const ALL: [Self; 5] =
        [Self::SacreBleu, Self::Nltk, Self::HuggingFace, Self::Nmt, Self::CodeToText];

    /// Its name.
    pub fn name(self) -> &'static str {
        match self {
            Self::Nltk => "nltk",
            Self::HuggingFace => "hf",
            Self::CodeToText => "codexglue-c2t",
            Self::SacreBleu => "sacrebleu",
            Self::Nmt => "nmt",
        }
    }

    /// The names of its smoothing methods, its own default first.
    pub fn smoothings(self) -> &'static [&'static str] {
        match self {
            Self::Nltk => &[
                "method0", "method1", "method2", "method3", "method4", "method5", "method6",
                "method7",
            ],
            Self::HuggingFace => &["none", "add-one"],
            Self::CodeToText => &["add-one-from-2"],
            Self::SacreBleu => &["exp", "floor", "add-k", "none"],
            Self::Nmt => &["add-one", "none"],
        }
    }

    /// The names of its tokenizers, its own default first.
    pub fn tokenizers(self) -> &'static [&'static str] {
        match self {
            Self::Nltk | Self::Nmt => &["whitespace"],
            Self::HuggingFace => &["13a"],
            Self::CodeToText => &["codexglue"],
            Self::SacreBleu => &["13a", "none", "intl", "char"],
        }
    }
}

/// The options of a BLEU score. Options that are not set have the default of the variant's package.
#[derive(Debug, Clone)]
pub struct BleuOptions {
    /// The BLEU implementation to reproduce.
    pub variant: Variant,
    /// The name of a smoothing method.
    pub smoothing: Option<String>,
    /// The parameter of the smoothing method.
    pub smoothing_value: Option<f64>,
    /// The name of a tokenizer.
    pub tokenizer: Option<String>,
    /// True if case is ignored.
    pub lowercase: bool,
    /// The highest order of n-grams.
    pub max_order: Option<usize>,
    /// True if orders are left out for which no text is long enough.
    pub effective_order: Option<bool>,
    /// The version in signatures other than sacreBLEU's.
    pub version: String,
}

impl BleuOptions {
    /// The variant with its package's defaults.
    pub fn new(variant: Variant, version: &str) -> Self {
        Self {
            variant,
            smoothing: None,
            smoothing_value: None,
            tokenizer: None,
            lowercase: false,
            max_order: None,
            effective_order: None,
            version: version.to_owned(),
        }
    }

    /// Builds the metric, or says which option cannot be used.
    pub fn build(&self) -> Result<Box<dyn TextMetric>> {
        let smoothing =
            self.choice("smoothing", self.smoothing.as_deref(), self.variant.smoothings())?;
        let tokenizer =
            self.choice("tokenizer", self.tokenizer.as_deref(), self.variant.tokenizers())?;
        let max_order = self.checked_max_order()?;
        self.reject_unsupported()?;
        let smooth = smoothing == "add-one";
        Ok(match self.variant {
            Variant::Nltk => {
                let smoothing = NltkSmoothing::new(smoothing, self.smoothing_value)?;
                Box::new(Nltk::new(smoothing, max_order, &self.version)?)
            }
            Variant::HuggingFace => Box::new(HuggingFace::new(smooth, max_order, &self.version)),
            Variant::Nmt => Box::new(Nmt::new(smooth, max_order, &self.version)),
            Variant::CodeToText => Box::new(CodeToText::new(&self.version)),
            Variant::SacreBleu => Box::new(SacreBleu {
                tokenizer: sacre_tokenizer(tokenizer),
                smoothing: SacreSmoothing::new(smoothing, self.smoothing_value)?,
                lowercase: self.lowercase,
                max_order,
                effective_order: self.effective_order,
            }),
        })
    }

    fn choice<'n>(&self, what: &str, name: Option<&str>, names: &[&'n str]) -> Result<&'n str> {
        let Some(name) = name else { return Ok(names.first().copied().unwrap_or_default()) };
        names.iter().find(|known| **known == name).copied().ok_or_else(|| {
            let variant = self.variant.name();
            Error::usage(format!("variant `{variant}` has no {what} `{name}`"))
                .hint(format!("it has {}", names.join(", ")))
        })
    }

    fn checked_max_order(&self) -> Result<usize> {
        let max_order = self.max_order.unwrap_or(4);
        if (1..=MAX_ORDER).contains(&max_order) {
            return Ok(max_order);
        }
        Err(Error::usage(format!("the max order is {max_order}, not 1 to {MAX_ORDER}"))
            .hint("most use 4"))
    }

    /// Rejects options that the variant does not have.
    fn reject_unsupported(&self) -> Result<()> {
        let valued: &[Variant] = &[Variant::SacreBleu, Variant::Nltk];
        let ordered = Variant::ALL.map(|one| (one != Variant::CodeToText).then_some(one));
        let ordered: Vec<Variant> = ordered.into_iter().flatten().collect();
        let options = [
            ("lowercase", self.lowercase, &[Variant::SacreBleu][..]),
            ("effective order", self.effective_order.is_some(), &[Variant::SacreBleu]),
            ("smoothing value", self.smoothing_value.is_some(), valued),
            ("max order", self.max_order.is_some_and(|order| order != 4), &ordered),
        ];
        let is_foreign = |having: &[Variant]| !having.contains(&self.variant);
        match options.iter().find(|(_, wanted, having)| *wanted && is_foreign(having)) {
            None => Ok(()),
            Some((option, _, having)) => {
                let variant = self.variant.name();
                let having: Vec<&str> = having.iter().map(|one| one.name()).collect();
                Err(Error::usage(format!("variant `{variant}` has no choice of {option}")).hint(
                    format!("leave it out, or take a variant that has it: {}", having.join(", ")),
                ))
            }
        }
    }
}

fn sacre_tokenizer(name: &str) -> Tokenizer {
    let known = [Tokenizer::Whitespace, Tokenizer::International, Tokenizer::Characters];
    let found = known.into_iter().find(|tokenizer| tokenizer_name(*tokenizer) == name);
    found.unwrap_or(Tokenizer::V13a)
}

/// The largest accepted value, and the inverse of the smallest: beyond them, numbers may overflow
/// or underflow.
const MAX_VALUE: f64 = 1e9;

/// Rejects a parameter for a smoothing method that has none, and one that is not above 0.
pub(super) fn positive(smoothing: &str, value: Option<f64>, tunable: bool) -> Result<()> {
    match value {
        Some(_) if !tunable => Err(Error::usage(format!("smoothing `{smoothing}` takes no value"))
            .hint("leave the value out")),
        Some(value) if !(MAX_VALUE.recip()..=MAX_VALUE).contains(&value) => {
            Err(Error::usage(format!("smoothing `{smoothing}` takes a value above 0, not {value}"))
                .hint(format!("at least {:e}, at most {MAX_VALUE:e}", MAX_VALUE.recip())))
        }
        _ => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::text::Sums;

    fn check(change: impl Fn(&mut BleuOptions), variant: Variant, expected: &str) {
        let mut options = BleuOptions::new(variant, "1.2.3");
        change(&mut options);
        let found = match options.build() {
            Ok(metric) => {
                let mut corpus = Sums::default();
                for references in [vec!["a"], vec!["a", "b"]] {
                    metric.join(&mut corpus, &metric.measure(&references, "a"));
                }
                metric.signature(&corpus)
            }
            Err(error) => error.to_string(),
        };
        assert_eq!(found, expected);
    }

    #[test]
    fn signatures_name_what_was_chosen() {
        let defaults = |_: &mut BleuOptions| {};
        let ours = |middle: &str, end: &str| {
            format!("bleu|variant:{middle}|order:4|refs:{end}|nrefs:var|version:1.2.3")
        };
        check(
            defaults,
            Variant::Nltk,
            &ours("nltk|smooth:method0|tok:whitespace", "closest|scale:1"),
        );
        check(
            |options| {
                options.smoothing = Some("method4".to_owned());
                options.smoothing_value = Some(2.5);
            },
            Variant::Nltk,
            &ours("nltk|smooth:method4[2.5]|tok:whitespace", "closest|scale:1"),
        );
        check(
            |options| options.smoothing = Some("add-one".to_owned()),
            Variant::HuggingFace,
            &ours("hf|smooth:add-one|tok:13a", "shortest|scale:1"),
        );
        check(
            defaults,
            Variant::Nmt,
            &ours("nmt|smooth:add-one|tok:whitespace", "shortest|scale:100"),
        );
        check(
            defaults,
            Variant::CodeToText,
            &ours("codexglue-c2t|smooth:add-one-from-2|tok:codexglue", "shortest|scale:100"),
        );
        check(
            |options| {
                options.smoothing = Some("floor".to_owned());
                options.tokenizer = Some("intl".to_owned());
                (options.lowercase, options.max_order) = (true, Some(2));
                options.effective_order = Some(true);
            },
            Variant::SacreBleu,
            "nrefs:var|case:lc|eff:yes|tok:intl|smooth:floor[0.10]|order:2|version:2.6.0",
        );
    }

    #[test]
    fn foreign_options_are_refused() {
        let smoothing = |name: &str, value: Option<f64>| {
            let name = name.to_owned();
            move |options: &mut BleuOptions| {
                options.smoothing = Some(name.clone());
                options.smoothing_value = value;
            }
        };
        check(smoothing("exp", None), Variant::Nltk, "variant `nltk` has no smoothing `exp`");
        check(smoothing("exp", Some(1.0)), Variant::SacreBleu, "smoothing `exp` takes no value");
        check(
            smoothing("floor", Some(f64::NAN)),
            Variant::SacreBleu,
            "smoothing `floor` takes a value above 0, not NaN",
        );
        check(
            smoothing("none", Some(1.0)),
            Variant::HuggingFace,
            "variant `hf` has no choice of smoothing value",
        );
        check(
            |options| options.lowercase = true,
            Variant::Nmt,
            "variant `nmt` has no choice of lowercase",
        );
        check(
            |options| options.tokenizer = Some("char".to_owned()),
            Variant::HuggingFace,
            "variant `hf` has no tokenizer `char`",
        );
        check(
            |options| options.max_order = Some(17),
            Variant::Nltk,
            "the max order is 17, not 1 to 16",
        );
        check(
            |options| {
                options.smoothing = Some("method6".to_owned());
                options.max_order = Some(2);
            },
            Variant::Nltk,
            "smoothing `method6` needs a max order of at least 3",
        );
    }

    #[test]
    fn a_foreign_option_names_the_variants_that_have_it() {
        let hint = |variant, change: fn(&mut BleuOptions)| {
            let mut options = BleuOptions::new(variant, "0");
            change(&mut options);
            options.build().err().and_then(|error| error.hint_text().map(str::to_owned)).unwrap()
        };
        let lowercase = hint(Variant::Nmt, |options| options.lowercase = true);
        assert!(lowercase.ends_with("has it: sacrebleu"), "{lowercase}");
        let order = hint(Variant::CodeToText, |options| options.max_order = Some(2));
        assert!(order.ends_with("has it: sacrebleu, nltk, hf, nmt"), "{order}");
    }
}
