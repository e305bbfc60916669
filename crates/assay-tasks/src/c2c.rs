//! `c2c`: Java to Python, Fusion Brain's Code2code on AVATAR's functions.

use assay_core::Language;
use assay_data::parallel::Layout;

use crate::card::card;
use crate::sample;
use crate::translation::{MetricSet, Translation};

/// Fusion Brain's Code2code.
pub(crate) fn c2c() -> Translation {
    Translation {
        card: card("c2c"),
        from: Language::Java,
        into: Language::Python,
        layout: Layout {
            source: "test.java-python.java",
            target: "test.java-python.python",
            ids: Some("test.java-python.id"),
            preferred: Some("g4g_functions"),
        },
        takes_truths: true,
        metric_set: MetricSet::FusionBrain,
        sample: sample::c2c,
    }
}
