//! Evaluation of a model on held-out data, with an analysis of its errors.

use std::collections::BTreeMap;

use assay_locate::{cooled, probabilities};
use assay_metrics::line::{UNANSWERED_LOSS, line_loss, mean_by_change};
use serde::Serialize;

use super::TrainingTask;

/// The distance up to which a line counts as close by.
const CLOSE: usize = 3;
/// The number of calibration classes.
const CLASSES: usize = 10;

/// The scores of a model on held-out data.
#[derive(Debug, Clone, Default, Serialize)]
pub struct HeldOutReport {
    /// The dataset that was held out.
    pub dataset: String,
    /// The number of its tasks.
    pub tasks: usize,
    /// The mean loss.
    pub line_error: f64,
    /// The mean loss, each distinct change counting once.
    pub line_error_distinct: f64,
    /// The share of tasks whose line was found.
    pub recall: f64,
    /// The share of tasks whose line was among the candidates.
    pub candidate_recall: f64,
    /// The misses, by class.
    pub errors: BTreeMap<Miss, usize>,
    /// The calibration of the probabilities.
    pub calibration: Vec<Calibration>,
    /// The temperature with the best calibration here.
    pub temperature: f32,
    /// The learning curve: trees, mean loss, distinct mean loss.
    pub curve: Vec<(usize, f64, f64)>,
}

/// The ways to miss a line; the first that applies counts.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Miss {
    /// The right line was not among the candidates.
    NotACandidate,
    /// A line with the same text was chosen.
    AnotherCopy,
    /// A line at most three lines away was chosen.
    CloseBy,
    /// The right line came second.
    RunnerUp,
    /// The right line came third or later.
    FurtherDown,
}

/// The accuracy of answers with about the same probability.
#[derive(Debug, Clone, Copy, Default, Serialize)]
pub struct Calibration {
    /// The number of answers.
    pub answers: usize,
    /// Their mean probability.
    pub probability: f64,
    /// The share of right answers.
    pub right: f64,
}

/// Evaluates the answers that `scores` gives to `lessons`, all of the dataset `name`.
pub(super) fn evaluate<'a>(
    name: &str,
    lessons: impl Iterator<Item = (usize, &'a TrainingTask)>,
    scores: &dyn Fn(usize) -> Vec<f32>,
) -> HeldOutReport {
    let mut test = HeldOutReport { dataset: name.to_owned(), ..HeldOutReport::default() };
    let mut losses = Vec::new();
    let mut classes = [Calibration::default(); CLASSES];
    let mut possible = Vec::new();
    for (task, lesson) in lessons {
        let scores = scores(task);
        let order = best_first(&scores);
        let line = order.first().map(|&best| lesson.lines[best] + 1);
        let loss = line.map_or(UNANSWERED_LOSS, |line| line_loss(line, lesson.solution));
        let hit = line == Some(lesson.solution);
        test.tasks += 1;
        test.line_error += loss;
        test.recall += f64::from(u8::from(hit));
        test.candidate_recall += f64::from(u8::from(lesson.right().is_some()));
        if !hit {
            *test.errors.entry(classify(lesson, &order)).or_default() += 1;
        }
        losses.push((lesson.change, loss));
        if let Some(&best) = order.first() {
            calibrate(&mut classes, f64::from(probabilities(&scores)[best]), hit);
        }
        possible.extend(lesson.right().map(|right| (scores, right)));
    }
    let count = test.tasks.max(1) as f64;
    for sum in [&mut test.line_error, &mut test.recall, &mut test.candidate_recall] {
        *sum /= count;
    }
    let mut distinct = mean_by_change(losses);
    distinct.sort_by(f64::total_cmp);
    test.line_error_distinct = distinct.iter().sum::<f64>() / distinct.len().max(1) as f64;
    test.temperature = best_temperature(&possible);
    test.calibration = classes.into_iter().filter(|class| class.answers > 0).collect();
    for class in &mut test.calibration {
        class.probability /= class.answers as f64;
        class.right /= class.answers as f64;
    }
    test
}

/// The temperature with the highest likelihood of the right candidates.
fn best_temperature(tasks: &[(Vec<f32>, usize)]) -> f32 {
    const STEPS: std::ops::RangeInclusive<u8> = 8..=30;
    let surprise = |temperature: f32| -> f64 {
        let likely = |(scores, right): &(Vec<f32>, usize)| cooled(scores, temperature)[*right];
        tasks.iter().map(|task| -f64::from(likely(task).max(1e-30)).ln()).sum()
    };
    let temperatures = STEPS.map(|step| f32::from(step) / 10.0);
    let measured: Vec<(f32, f64)> = temperatures.map(|at| (at, surprise(at))).collect();
    let best = measured.into_iter().min_by(|left, right| left.1.total_cmp(&right.1));
    best.map_or(1.0, |(temperature, _)| temperature)
}

fn best_first(scores: &[f32]) -> Vec<usize> {
    let mut order: Vec<usize> = (0..scores.len()).collect();
    order.sort_by(|&left, &right| scores[right].total_cmp(&scores[left]).then(left.cmp(&right)));
    order
}

fn classify(lesson: &TrainingTask, order: &[usize]) -> Miss {
    let (Some(&best), Some(right)) = (order.first(), lesson.right()) else {
        return Miss::NotACandidate;
    };
    if lesson.texts[best] == lesson.texts[right] {
        Miss::AnotherCopy
    } else if lesson.lines[best].abs_diff(lesson.lines[right]) <= CLOSE {
        Miss::CloseBy
    } else if order.get(1) == Some(&right) {
        Miss::RunnerUp
    } else {
        Miss::FurtherDown
    }
}

#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "a probability times ten is a small number"
)]
fn calibrate(classes: &mut [Calibration; CLASSES], probability: f64, right: bool) {
    let class = ((probability * CLASSES as f64) as usize).min(CLASSES - 1);
    classes[class].answers += 1;
    classes[class].probability += probability;
    classes[class].right += f64::from(u8::from(right));
}

#[cfg(test)]
mod tests {
    use super::*;

    fn lesson(solution: usize, change: u64) -> TrainingTask {
        let lines = vec![0, 1, 9, 20, 40];
        TrainingTask { dataset: 0, lines, texts: vec![1, 2, 3, 1, 5], solution, change }
    }

    #[test]
    fn misses_are_told_apart() {
        let best = [0, 1, 2, 3, 4];
        for (solution, miss) in [
            (5, Miss::NotACandidate),
            (21, Miss::AnotherCopy),
            (2, Miss::CloseBy),
            (10, Miss::FurtherDown),
        ] {
            assert_eq!(classify(&lesson(solution, 0), &best), miss, "{solution}");
        }
        assert_eq!(classify(&lesson(10, 0), &[0, 2, 1, 3, 4]), Miss::RunnerUp);
    }

    #[test]
    fn a_repeated_change_weighs_one() {
        let lessons = [lesson(1, 7), lesson(1, 7), lesson(41, 8)];
        let test = evaluate("D", lessons.iter().enumerate(), &|_| vec![2.0, 0.0, 0.0, 0.0, 0.0]);
        assert_eq!((test.tasks, test.errors.len()), (3, 1));
        assert!((test.line_error - 1.0 / 3.0).abs() < 1e-12);
        assert!((test.line_error_distinct - 0.5).abs() < 1e-12);
        assert_eq!(test.calibration.len(), 1);
        assert!((test.calibration[0].right - 2.0 / 3.0).abs() < 1e-12);
    }
}
