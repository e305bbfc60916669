//! pass@k: the probability that one of k samples passes, estimated from more than k samples (Chen
//! et al. 2021).

/// The unbiased estimate for one problem with this many samples, of which `right` are right. If
/// there are fewer than `k` samples, all are used.
pub fn pass_at_k(samples: u64, right: u64, k: u64) -> f64 {
    let wrong = samples.saturating_sub(right);
    if wrong < k {
        return 1.0;
    }
    // Multiplied from the least to the greatest number, as for the published values.
    let none_right: f64 =
        (wrong + 1..=samples).map(|number| 1.0 - k as f64 / number as f64).product();
    1.0 - none_right
}

/// The mean over problems, each given as its number of samples and of right ones, added in order.
/// `None` if there is no problem, or one with fewer than `k` samples.
pub fn mean_pass_at_k(problems: &[(u64, u64)], k: u64) -> Option<f64> {
    if problems.is_empty() || problems.iter().any(|&(samples, _)| samples < k) {
        return None;
    }
    let sum: f64 = problems.iter().map(|&(samples, right)| pass_at_k(samples, right, k)).sum();
    Some(sum / problems.len() as f64)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn published_values_to_the_last_bit() {
        let cases: [(u64, u64, u64, f64); 16] = [
            (1, 0, 1, 0.0),
            (2, 1, 1, 0.5),
            (2, 1, 2, 1.0),
            (5, 2, 1, 0.399_999_999_999_999_9),
            (5, 2, 3, 0.9),
            (10, 3, 1, 0.300_000_000_000_000_04),
            (10, 3, 10, 1.0),
            (10, 0, 10, 0.0),
            (20, 5, 10, 0.983_746_130_030_959_8),
            (100, 10, 10, 0.669_523_788_913_274_8),
            (200, 1, 1, 0.005_000_000_000_000_004_4),
            (200, 1, 10, 0.050_000_000_000_000_044),
            (200, 1, 100, 0.5),
            (200, 7, 10, 0.305_598_811_617_733_5),
            (200, 37, 100, 0.999_999_999_999_880_3),
            (200, 150, 100, 1.0),
        ];
        for (samples, right, k, value) in cases {
            let estimate = pass_at_k(samples, right, k);
            assert_eq!(estimate.to_bits(), value.to_bits(), "{samples} {right} {k}: {estimate}");
        }
    }

    #[test]
    fn a_mean_needs_k_samples_of_every_problem() {
        assert_eq!(mean_pass_at_k(&[(2, 1), (2, 0)], 1), Some(0.25));
        assert_eq!(mean_pass_at_k(&[(2, 1), (2, 0)], 2), Some(0.5));
        assert_eq!(mean_pass_at_k(&[(2, 1), (1, 0)], 2), None);
        assert_eq!(mean_pass_at_k(&[], 1), None);
    }
}
