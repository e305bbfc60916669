//! CodRep's line error: the distance of a predicted line from the right one.

/// The grade of one answer to a line question.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct LineGrade {
    /// The smallest loss among the predictions.
    pub loss: f64,
    /// The rank of the first right prediction, from 1.
    pub hit: Option<usize>,
}

/// The loss of a task without a prediction.
pub const UNANSWERED_LOSS: f64 = 1.0;

/// tanh of the distance: 0 for a hit, 0.76 one line off, nearly 1 from three lines on.
pub fn line_loss(predicted: usize, solution: usize) -> f64 {
    libm::tanh(predicted.abs_diff(solution) as f64)
}

/// Grades predictions, best first. `None` if there are none.
pub fn grade_lines(predictions: &[usize], solution: usize) -> Option<LineGrade> {
    let losses = predictions.iter().map(|&line| line_loss(line, solution));
    let loss = losses.min_by(f64::total_cmp)?;
    let hit = predictions.iter().position(|&line| line == solution).map(|at| at + 1);
    Some(LineGrade { loss, hit })
}

/// The mean loss of each distinct change, in the order of the changes; the losses of one change are
/// added in the order given.
pub fn mean_by_change(mut losses: Vec<(u64, f64)>) -> Vec<f64> {
    losses.sort_by_key(|(change, _)| *change);
    let same = losses.chunk_by(|left, right| left.0 == right.0);
    same.map(|same| same.iter().map(|(_, loss)| loss).sum::<f64>() / same.len() as f64).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(predictions: &[usize], solution: usize, loss: f64, hit: Option<usize>) {
        let grade = grade_lines(predictions, solution).unwrap();
        assert!((grade.loss - loss).abs() < 1e-15, "{predictions:?}: {grade:?}");
        assert_eq!(grade.hit, hit, "{predictions:?}");
    }

    #[test]
    fn grades_by_the_nearest_and_counts_exact_hits() {
        check(&[5], 5, 0.0, Some(1));
        check(&[4], 5, 0.761_594_155_955_764_9, None);
        check(&[7], 5, 0.964_027_580_075_816_9, None);
        check(&[1000], 5, 1.0, None);
        check(&[9, 6, 5, 5], 5, 0.0, Some(3));
        check(&[9, 6], 5, 0.761_594_155_955_764_9, None);
        assert_eq!(grade_lines(&[], 5), None);
    }
}
