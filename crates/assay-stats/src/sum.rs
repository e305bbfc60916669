//! Sums that do not depend on the order of their terms.

/// Adds floating-point numbers without rounding, and rounds once at the end.
///
/// Shewchuk's method: the terms so far are kept as a list of numbers that do not overlap. Workers
/// may finish in any order, and archives may be read in any order: the mean is the same to the last
/// digit.
#[derive(Debug, Clone, Default)]
pub struct ExactSum {
    partials: Vec<f64>,
}

impl ExactSum {
    /// Adds one finite number.
    pub fn add(&mut self, term: f64) {
        let mut carry = term;
        let mut kept = 0;
        for at in 0..self.partials.len() {
            let (sum, error) = two_sum(carry, self.partials[at]);
            if error != 0.0 {
                self.partials[kept] = error;
                kept += 1;
            }
            carry = sum;
        }
        self.partials.truncate(kept);
        self.partials.push(carry);
    }

    /// The sum, rounded once, half to even.
    pub fn value(&self) -> f64 {
        let mut parts = self.partials.iter().rev();
        let Some(&(mut high)) = parts.next() else { return 0.0 };
        let mut low = 0.0;
        for &part in parts.by_ref() {
            (high, low) = two_sum(high, part);
            if low != 0.0 {
                break;
            }
        }
        // The remainder decides in which direction an exact half is rounded.
        if let Some(&next) = parts.next()
            && ((low < 0.0 && next < 0.0) || (low > 0.0 && next > 0.0))
        {
            let rounded = high + low * 2.0;
            if (rounded - high) - low * 2.0 == 0.0 {
                high = rounded;
            }
        }
        high
    }
}

impl FromIterator<f64> for ExactSum {
    fn from_iter<T: IntoIterator<Item = f64>>(terms: T) -> Self {
        let mut sum = Self::default();
        terms.into_iter().for_each(|term| sum.add(term));
        sum
    }
}

/// The rounded sum of two numbers and the exact error of the rounding.
fn two_sum(left: f64, right: f64) -> (f64, f64) {
    let (large, small) = if left.abs() < right.abs() { (right, left) } else { (left, right) };
    let sum = large + small;
    (sum, small - (sum - large))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn sum(terms: &[f64]) -> f64 {
        terms.iter().copied().collect::<ExactSum>().value()
    }

    #[test]
    #[expect(clippy::float_cmp, reason = "the sums are exact")]
    fn rounds_once() {
        assert_eq!(sum(&[]), 0.0);
        assert_eq!(sum(&[0.1; 10]), 1.0);
        assert_eq!(sum(&[1e100, 1.0, -1e100]), 1.0);
        assert_eq!(sum(&[1.0, f64::EPSILON / 2.0, f64::EPSILON / 2.0]), 1.0 + f64::EPSILON);
        // An exact half, rounded up because of a remainder far below.
        assert_eq!(sum(&[1e16, 1.0, 1e-16]), 1e16 + 2.0);
    }

    proptest! {
        #[test]
        #[expect(clippy::float_cmp, reason = "the sums are exact")]
        fn order_does_not_matter(mut terms in prop::collection::vec(0.0..1.0f64, 0..200)) {
            let forward = sum(&terms);
            terms.reverse();
            prop_assert_eq!(forward, sum(&terms));
            terms.sort_by(f64::total_cmp);
            prop_assert_eq!(forward, sum(&terms));
        }
    }
}
