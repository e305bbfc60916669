//! BLEU in the variants that are in use, which differ in tokens, smoothing, lengths and scale.

mod code_to_text;
mod counts;
mod nltk;
mod nmt;
mod options;
mod sacre;
mod tokenizer;

use assay_core::Result;

use crate::card::{OptionCard, OptionKind, TextMetricCard, VariantCard};
use crate::ngrams::MAX_ORDER;
use crate::registry::{MetricOptions, TextMetricKind, VERSION};
use crate::text::TextMetric;
pub use options::{BleuOptions, Variant};
pub use sacre::SACREBLEU_VERSION;
pub use tokenizer::Tokenizer;

/// BLEU on the command line.
pub(crate) static BLEU: TextMetricKind = TextMetricKind::new(
    TextMetricCard {
        name: "bleu",
        summary: "BLEU: n-grams that hypothesis and references share",
        variants: &[
            VariantCard::new("nltk", "As NLTK's `corpus_bleu` and `sentence_bleu`"),
            VariantCard::new(
                "hf",
                "As Hugging Face's `evaluate`; 0 for empty texts, where the original divides by zero",
            ),
            VariantCard::new(
                "codexglue-c2t",
                "As CodeXGLUE scores summaries of code: the mean of smoothed sentences",
            ),
            VariantCard::new("sacrebleu", "As sacreBLEU"),
            VariantCard::new(
                "nmt",
                "As the script of TensorFlow's NMT, which many papers copied; 0 for empty texts, \
                 where the original divides by zero",
            ),
        ],
        default_variant: "sacrebleu",
        needs_language: false,
        options: &[
            OptionCard::new(
                "smoothing",
                "NAME",
                OptionKind::Text,
                "The treatment of n-gram orders without a match. nltk: method0 to method7; \
                 hf and nmt: add-one or none; sacrebleu: exp, floor, add-k or none",
            ),
            OptionCard::new(
                "smoothing-value",
                "X",
                OptionKind::Float,
                "The parameter of the smoothing method",
            ),
            OptionCard::new(
                "tokenizer",
                "NAME",
                OptionKind::Text,
                "The tokenizer. sacrebleu: 13a, none, intl or char",
            )
            .alias("tokenize"),
            OptionCard::flag("lowercase", "Ignore case"),
            OptionCard::new(
                "max-order",
                "N",
                OptionKind::Integer(1..=MAX_ORDER),
                "The longest n-grams. Default: 4",
            ),
            OptionCard::flag("effective-order", "Leave out n-grams that are longer than the text"),
        ],
        examples: &[
            "assay metric bleu --refs ref.txt --hyp out.txt",
            "assay metric bleu --variant sacrebleu --tokenizer 13a --refs a.txt b.txt --hyp out.txt",
            "assay metric bleu --variant codexglue-c2t --pairs pairs.jsonl --per-pair --json",
        ],
    },
    build,
);

fn build(options: &MetricOptions) -> Result<Box<dyn TextMetric>> {
    let variant = options.variant_of(&Variant::ALL, Variant::name)?;
    let bleu = BleuOptions {
        smoothing: options.text("smoothing").map(|name| smoothing(variant, name)),
        smoothing_value: options.float("smoothing-value"),
        tokenizer: options.text("tokenizer").map(str::to_owned),
        lowercase: options.flag("lowercase"),
        max_order: options.integer("max-order"),
        effective_order: options.flag("effective-order").then_some(true),
        ..BleuOptions::new(variant, VERSION)
    };
    bleu.build()
}

/// The name of a smoothing method, which is also known by its number or as yes and no.
fn smoothing(variant: Variant, name: &str) -> String {
    let switched = matches!(variant, Variant::HuggingFace | Variant::Nmt);
    match name {
        "0" | "1" | "2" | "3" | "4" | "5" | "6" | "7" if variant == Variant::Nltk => {
            format!("method{name}")
        }
        "on" | "yes" | "true" if switched => "add-one".to_owned(),
        "off" | "no" | "false" if switched => "none".to_owned(),
        name => name.to_owned(),
    }
}
