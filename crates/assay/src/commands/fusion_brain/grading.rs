//! From the files of a subtask to counts and metrics.

use assay_core::{Counts, Error, Estimate, Named, Result, Results, Why};
use assay_data::fusion_brain as reading;
use assay_metrics::fusion_brain::integral::Subtask;
use assay_metrics::fusion_brain::vqa::{Language, Truth, Truths};
use assay_metrics::fusion_brain::zsod::Hits;
use assay_metrics::fusion_brain::{Accuracy, Mismatch, htr, vqa, zsod};

use super::c2c::c2c_results;
use super::files::Given;

/// What a subtask's files come to.
pub(super) struct Graded {
    pub(super) counts: Counts,
    pub(super) metrics: Named<Estimate>,
    /// The number that counts for the challenge.
    pub(super) score: Estimate,
    /// How the interval was made.
    pub(super) interval: &'static str,
}

impl Graded {
    fn new(counts: Counts, name: &'static str, score: Estimate, interval: &'static str) -> Self {
        let mut metrics = Named::new();
        metrics.set(name, score);
        Self { counts, metrics, score, interval }
    }

    /// The score, rounded to `value`.
    pub(super) fn score_of(&self, value: f64) -> Estimate {
        around(value, self.score, 1.0)
    }
}

/// An estimate whose value was computed in another way, or rounded; it stays in its interval.
pub(super) fn around(value: f64, estimate: Estimate, highest: f64) -> Estimate {
    Estimate {
        value,
        low: estimate.low.clamp(0.0, value),
        high: estimate.high.clamp(value, highest.max(value)),
        n: estimate.n,
    }
}

/// Grades a subtask's prediction.
pub(super) fn grade(subtask: Subtask, truth: &Given, prediction: &Given) -> Result<Graded> {
    match subtask {
        Subtask::C2c => grade_c2c(truth, prediction),
        Subtask::Htr => grade_htr(truth, prediction),
        Subtask::Zsod => grade_zsod(truth, prediction),
        Subtask::Vqa => grade_vqa(truth, prediction),
    }
}

fn grade_c2c(truth: &Given, prediction: &Given) -> Result<Graded> {
    // The task reads other forms of data too; the challenge has this one.
    if reading::texts(&truth.bytes, &truth.name)?.is_empty() {
        return Err(refusal(&Mismatch::NothingToScore, truth, prediction));
    }
    let Results { counts, metrics, .. } = c2c_results(truth, prediction)?;
    let score = metrics.get("codebleu").copied();
    let score = score.ok_or_else(|| Error::refused(format!("{} is empty", truth.name)))?;
    Ok(Graded { counts, metrics, score, interval: assay_stats::CORPUS_METHOD })
}

fn grade_htr(truth: &Given, prediction: &Given) -> Result<Graded> {
    let truths = reading::texts(&truth.bytes, &truth.name)?;
    let predictions = reading::texts(&prediction.bytes, &prediction.name)?;
    let accuracy = htr::accuracy(&truths, &predictions)
        .map_err(|mismatch| refusal(&mismatch, truth, prediction))?;
    Ok(graded_accuracy(&accuracy, accuracy.value()))
}

fn grade_vqa(truth: &Given, prediction: &Given) -> Result<Graded> {
    let answer = |question: reading::Question| Truth {
        answers: question.answers,
        language: if question.is_russian { Language::Russian } else { Language::English },
    };
    let questions = reading::questions(&truth.bytes, &truth.name)?;
    let truths: Truths = questions.into_iter().map(|(key, found)| (key, answer(found))).collect();
    let predictions = reading::texts(&prediction.bytes, &prediction.name)?;
    let lemmas = if vqa::needs_lemmas(&truths) {
        Some(assay_lemma::russian().map_err(|error| Error::failed(error.to_string()))?)
    } else {
        None
    };
    let accuracy = vqa::accuracy(&truths, &predictions, lemmas)
        .map_err(|mismatch| refusal(&mismatch, truth, prediction))?;
    Ok(graded_accuracy(&accuracy, vqa::official(&accuracy)))
}

fn graded_accuracy(accuracy: &Accuracy, value: f64) -> Graded {
    let counts = counted(accuracy.right, accuracy.wrong, accuracy.missing);
    // There is something to score, or it would have been refused.
    let nothing = Estimate { value: 0.0, low: 0.0, high: 1.0, n: 0 };
    let share = assay_stats::proportion(accuracy.right, accuracy.total()).unwrap_or(nothing);
    Graded::new(counts, "accuracy", around(value, share, 1.0), assay_stats::METHOD)
}

/// An image passes if every phrase of it is found and nothing else.
fn grade_zsod(truth: &Given, prediction: &Given) -> Result<Graded> {
    let truths = reading::detections(&truth.bytes, &truth.name)?;
    let predictions = reading::detections(&prediction.bytes, &prediction.name)?;
    let hits = zsod::hits(&truths, &predictions)
        .map_err(|mismatch| refusal(&mismatch, truth, prediction))?;
    let passed = hits.iter().filter(|hits| hits.wrong + hits.missed == 0).count();
    let total: Hits = hits.iter().copied().sum();
    let estimate = |value: f64, pair: fn(&Hits) -> (usize, usize)| {
        let pairs: Vec<(f64, f64)> =
            hits.iter().map(pair).map(|(part, whole)| (part as f64, whole as f64)).collect();
        let nothing = Estimate { value, low: 0.0, high: 1.0, n: 0 };
        around(value, assay_stats::ratio(&pairs).unwrap_or(nothing), 1.0)
    };
    let f1 =
        estimate(total.f1(), |hits| (2 * hits.right, 2 * hits.right + hits.wrong + hits.missed));
    let counts = counted(passed, hits.len() - passed, 0);
    let mut graded = Graded::new(counts, "f1", f1, assay_stats::RATIO_METHOD);
    let precision = estimate(total.precision(), |hits| (hits.right, hits.right + hits.wrong));
    let recall = estimate(total.recall(), |hits| (hits.right, hits.right + hits.missed));
    graded.metrics.set("precision", precision);
    graded.metrics.set("recall", recall);
    Ok(graded)
}

fn counted(passed: usize, failed: usize, not_answered: usize) -> Counts {
    let mut counts = Counts {
        problems: passed + failed + not_answered,
        samples: passed + failed + not_answered,
        answered: passed + failed,
        passed,
        failed,
        not_answered,
        ..Counts::default()
    };
    if not_answered > 0 {
        counts.reasons.insert(Why::Silent, not_answered);
    }
    counts
}

/// What the official script would have stopped with, and what to do about it.
fn refusal(mismatch: &Mismatch, truth: &Given, prediction: &Given) -> Error {
    match mismatch {
        Mismatch::NothingToScore => Error::refused(format!("{}: {mismatch}", truth.name))
            .hint("a truth has at least one key"),
        Mismatch::Missing(_) => Error::refused(format!("{}: {mismatch}", prediction.name))
            .hint(format!("it must have every key of {}", truth.name)),
        Mismatch::Unknown(_) => Error::refused(format!("{}: {mismatch}", prediction.name))
            .hint(format!("it must have the keys of {} and no others", truth.name)),
        Mismatch::MissingPhrase { .. } => {
            Error::refused(format!("{}: {mismatch}", prediction.name))
                .hint("a phrase that is not in the image has an empty list")
        }
    }
}
