//! Zero-shot object detection: micro F1 over the boxes of every phrase of every image.
//!
//! The rules are the official script's, which are more lenient than usual: boxes are not paired, so
//! several predictions may hit one truth, and a truth that nothing hits counts as missed only where
//! there are fewer predictions than truths.

use std::collections::BTreeMap;

/// The minimum overlap of a prediction with a truth. The challenge's text says "more than".
const OVERLAP: f64 = 0.5;

/// A box: left, top, width, height.
pub type Box4 = [f64; 4];
/// The boxes of each phrase of each image.
pub type Detections = BTreeMap<String, Phrases>;
/// The boxes of each phrase of one image.
pub type Phrases = BTreeMap<String, Vec<Box4>>;

/// The numbers of right, wrong and missed boxes.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Hits {
    /// True positives.
    pub right: usize,
    /// False positives.
    pub wrong: usize,
    /// False negatives.
    pub missed: usize,
}

impl Hits {
    /// The share of predictions that are right; 0 if there are none.
    pub fn precision(&self) -> f64 {
        share(self.right, self.right + self.wrong)
    }

    /// The share of true boxes that were found; 0 if there are none.
    pub fn recall(&self) -> f64 {
        share(self.right, self.right + self.missed)
    }

    /// The harmonic mean of precision and recall; 0 if both are.
    pub fn f1(&self) -> f64 {
        let (precision, recall) = (self.precision(), self.recall());
        if precision + recall > 0.0 { 2.0 * precision * recall / (precision + recall) } else { 0.0 }
    }

    fn add(&mut self, other: Self) {
        self.right += other.right;
        self.wrong += other.wrong;
        self.missed += other.missed;
    }
}

impl std::iter::Sum for Hits {
    fn sum<I: Iterator<Item = Self>>(all: I) -> Self {
        all.fold(Self::default(), |mut sum, hits| {
            sum.add(hits);
            sum
        })
    }
}

fn share(part: usize, whole: usize) -> f64 {
    if whole == 0 { 0.0 } else { part as f64 / whole as f64 }
}

/// The first phrase of the truth that the prediction lacks.
pub fn missing_phrase<'a>(truth: &'a Phrases, prediction: &Phrases) -> Option<&'a String> {
    truth.keys().find(|phrase| !prediction.contains_key(*phrase))
}

/// The hits in one image. A phrase that the prediction lacks has no hits.
pub fn hits_of_image(truth: &Phrases, prediction: &Phrases) -> Hits {
    let predicted = |phrase| prediction.get(phrase).map_or(&[][..], Vec::as_slice);
    truth.iter().map(|(phrase, boxes)| hits_of_phrase(boxes, predicted(phrase))).sum()
}

/// The hits of one phrase.
#[expect(clippy::float_cmp, reason = "a box is the same if its numbers are")]
fn hits_of_phrase(truth: &[Box4], prediction: &[Box4]) -> Hits {
    if truth.is_empty() {
        return Hits { wrong: prediction.len(), ..Hits::default() };
    }
    let mut hits = Hits { missed: truth.len().saturating_sub(prediction.len()), ..Hits::default() };
    // The same box several times in a row is one prediction here, though it counts as several
    // above.
    for same in prediction.chunk_by(|left, right| left == right) {
        if truth.iter().any(|known| overlap(known, &same[0]) >= OVERLAP) {
            hits.right += 1;
        } else {
            hits.wrong += 1;
        }
    }
    hits
}

/// The area that two boxes share, as a fraction of the area that they cover; 0/0 is 0.
pub fn overlap(left: &Box4, right: &Box4) -> f64 {
    let [left_x, left_y, left_width, left_height] = *left;
    let [right_x, right_y, right_width, right_height] = *right;
    let corner = |start: f64, size: f64| start + size;
    let (left_end_x, left_end_y) = (corner(left_x, left_width), corner(left_y, left_height));
    let (right_end_x, right_end_y) = (corner(right_x, right_width), corner(right_y, right_height));
    let width = (left_end_x.min(right_end_x) - left_x.max(right_x)).max(0.0);
    let height = (left_end_y.min(right_end_y) - left_y.max(right_y)).max(0.0);
    let shared = width * height;
    let left_area = (left_end_x - left_x) * (left_end_y - left_y);
    let right_area = (right_end_x - right_x) * (right_end_y - right_y);
    let covered = left_area + right_area - shared;
    if covered == 0.0 { 0.0 } else { shared / covered }
}
