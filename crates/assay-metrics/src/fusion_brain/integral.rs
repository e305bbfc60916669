//! The challenge's final score: the sum of the four subtasks.

use crate::python::round;

/// A subtask of the challenge.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Subtask {
    /// Code to code translation, by `CodeBLEU`.
    C2c,
    /// Handwritten text recognition.
    Htr,
    /// Zero-shot object detection.
    Zsod,
    /// Questions about images.
    Vqa,
}

impl Subtask {
    /// All four, in the order in which they are summed.
    pub const ALL: [Self; 4] = [Self::C2c, Self::Htr, Self::Zsod, Self::Vqa];

    /// The name on the command line and in results.
    pub fn name(self) -> &'static str {
        match self {
            Self::C2c => "c2c",
            Self::Htr => "htr",
            Self::Zsod => "zsod",
            Self::Vqa => "vqa",
        }
    }

    /// The name in file names.
    pub fn file_name(self) -> &'static str {
        match self {
            Self::C2c => "C2C",
            Self::Htr => "HTR",
            Self::Zsod => "zsOD",
            Self::Vqa => "VQA",
        }
    }

    /// The score that a solution must reach to count.
    pub fn minimum(self) -> f64 {
        match self {
            Self::C2c => 0.2,
            Self::Htr => 0.3,
            Self::Zsod => 0.1,
            Self::Vqa => 0.25,
        }
    }
}

/// The scores of the subtasks that were scored.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct Integral {
    scores: [Option<f64>; 4],
}

impl Integral {
    /// Nothing scored yet.
    pub fn new() -> Self {
        Self::default()
    }

    /// Sets the score of a subtask, rounded to three decimals. `CodeBLEU` may be given on a scale
    /// of 0 to 100: values above 1 are taken as such.
    pub fn set(&mut self, subtask: Subtask, score: f64) {
        let scale = if subtask == Subtask::C2c && score > 1.0 { 0.01 } else { 1.0 };
        // NaN and negative values are not scores.
        let score = if score > 0.0 { score * scale } else { 0.0 };
        self.scores[subtask as usize] = Some(round(score, 3));
    }

    /// The score of a subtask, if it was scored.
    pub fn get(&self, subtask: Subtask) -> Option<f64> {
        self.scores[subtask as usize]
    }

    /// Returns whether the subtask reached its minimum, if it was scored.
    pub fn meets_minimum(&self, subtask: Subtask) -> Option<bool> {
        self.get(subtask).map(|score| score >= subtask.minimum())
    }

    /// The sum of the scores.
    pub fn sum(&self) -> f64 {
        // Summing thousandths avoids an error in the last digit.
        let thousandths: f64 =
            self.scores.iter().flatten().map(|score| (score * 1e3).round()).sum();
        thousandths / 1e3
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    #[expect(clippy::float_cmp, reason = "thousandths are exact")]
    fn adds_up_what_was_scored() {
        let mut integral = Integral::new();
        assert_eq!(integral.sum(), 0.0);
        integral.set(Subtask::C2c, 20.0);
        integral.set(Subtask::Htr, 0.2999);
        assert_eq!(integral.get(Subtask::C2c), Some(0.2));
        assert_eq!(integral.meets_minimum(Subtask::C2c), Some(true));
        assert_eq!(integral.get(Subtask::Htr), Some(0.3), "rounded before it is compared");
        assert_eq!(integral.meets_minimum(Subtask::Htr), Some(true));
        assert_eq!(integral.meets_minimum(Subtask::Vqa), None);
        assert_eq!(integral.sum(), 0.5);
        for no_score in [f64::NAN, -0.5] {
            integral.set(Subtask::Vqa, no_score);
            assert_eq!(integral.get(Subtask::Vqa), Some(0.0));
        }
        for subtask in Subtask::ALL {
            integral.set(subtask, 1.0);
        }
        assert_eq!(integral.sum(), 4.0);
        let minimum: f64 = Subtask::ALL.iter().map(|subtask| subtask.minimum()).sum();
        assert!((minimum - 0.85).abs() < 1e-12);
    }
}
