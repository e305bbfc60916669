//! Similarity measures for two lines.

use std::cell::RefCell;

/// The maximum length of a line that is compared; the rest of a longer one matters little.
pub(crate) const MAX_LENGTH: usize = 512;

/// A line preprocessed for comparison with many others, by bit-parallel subsequences.
pub(crate) struct Pattern {
    text: Vec<u8>,
    /// For each byte, a bit for each position at which it occurs.
    places: Vec<u64>,
    words: usize,
}

impl Pattern {
    pub(crate) fn new(text: &[u8]) -> Self {
        let text = &text[..text.len().min(MAX_LENGTH)];
        let words = text.len().div_ceil(64).max(1);
        let mut places = vec![0; 256 * words];
        for (at, &byte) in text.iter().enumerate() {
            places[usize::from(byte) * words + at / 64] |= 1 << (at % 64);
        }
        Self { text: text.to_vec(), places, words }
    }

    /// 1 for the same text, 0 for nothing in common: twice the longest common subsequence, divided
    /// by the sum of both lengths.
    pub(crate) fn indel(&self, other: &[u8]) -> f32 {
        let other = &other[..other.len().min(MAX_LENGTH)];
        let both = self.text.len() + other.len();
        if both == 0 {
            return 1.0;
        }
        2.0 * self.common(other) as f32 / both as f32
    }

    /// The length of the longest common subsequence.
    fn common(&self, other: &[u8]) -> usize {
        if self.words == 1 {
            let mut row = !0u64;
            for &byte in other {
                let here = row & self.places[usize::from(byte)];
                row = row.wrapping_add(here) | (row - here);
            }
            let unused = if self.text.len() == 64 { 0 } else { !0u64 << self.text.len() };
            return (!row & !unused).count_ones() as usize;
        }
        let mut rows = [!0u64; MAX_LENGTH / 64];
        for &byte in other {
            let mut carry = false;
            let at = usize::from(byte) * self.words;
            for (row, places) in rows.iter_mut().zip(&self.places[at..at + self.words]) {
                let here = *row & places;
                let (sum, first) = row.overflowing_add(here);
                let (sum, second) = sum.overflowing_add(u64::from(carry));
                carry = first | second;
                *row = sum | (*row - here);
            }
        }
        let tail = self.text.len() % 64;
        let mut common = 0;
        for (at, row) in rows[..self.words].iter().enumerate() {
            let last = at + 1 == self.words && tail != 0;
            let used = if last { !(!0u64 << tail) } else { !0 };
            common += (!row & used).count_ones() as usize;
        }
        common
    }
}

/// The trigrams of a text, in a small table by hash; colliding ones are counted together.
pub(crate) struct Trigrams {
    counts: Vec<u8>,
    total: usize,
}

const TABLE: usize = 2048;

fn slot(a: u8, b: u8, c: u8) -> usize {
    let key = u32::from(a) | u32::from(b) << 8 | u32::from(c) << 16;
    (key.wrapping_mul(0x9E37_79B1) >> 21) as usize % TABLE
}

impl Trigrams {
    pub(crate) fn new(text: &[u8]) -> Self {
        let text = &text[..text.len().min(MAX_LENGTH)];
        let mut counts = vec![0u8; TABLE];
        for part in text.windows(3) {
            let count = &mut counts[slot(part[0], part[1], part[2])];
            *count = count.saturating_add(1);
        }
        Self { counts, total: text.len().saturating_sub(2) }
    }

    /// Dice's coefficient with the trigrams of another text.
    pub(crate) fn dice(&self, other: &[u8]) -> f32 {
        let other = &other[..other.len().min(MAX_LENGTH)];
        thread_local! {
            static USED: RefCell<Vec<u8>> = RefCell::new(vec![0; TABLE]);
        }
        let total = self.total + other.len().saturating_sub(2);
        if total == 0 {
            return 0.0;
        }
        USED.with_borrow_mut(|used| {
            let mut common = 0;
            for part in other.windows(3) {
                let at = slot(part[0], part[1], part[2]);
                if used[at] < self.counts[at] {
                    used[at] += 1;
                    common += 1;
                }
            }
            for part in other.windows(3) {
                used[slot(part[0], part[1], part[2])] = 0;
            }
            2.0 * common as f32 / total as f32
        })
    }
}

/// Jaro's similarity with Winkler's bonus for a common prefix.
pub(crate) fn jaro_winkler(left: &[u8], right: &[u8]) -> f32 {
    let (left, right) = (&left[..left.len().min(64)], &right[..right.len().min(64)]);
    if left.is_empty() || right.is_empty() {
        return if left.len() == right.len() { 1.0 } else { 0.0 };
    }
    let reach = (left.len().max(right.len()) / 2).saturating_sub(1);
    let mut taken = 0u64;
    let mut ours = [0u8; 64];
    let mut matches = 0;
    for (at, &byte) in left.iter().enumerate() {
        let (from, to) = (at.saturating_sub(reach), (at + reach + 1).min(right.len()));
        let found = (from..to).find(|&other| taken >> other & 1 == 0 && right[other] == byte);
        if let Some(found) = found {
            taken |= 1 << found;
            ours[matches] = byte;
            matches += 1;
        }
    }
    if matches == 0 {
        return 0.0;
    }
    let theirs = (0..right.len()).filter(|at| taken >> at & 1 == 1).map(|at| right[at]);
    let moved =
        ours[..matches].iter().zip(theirs).filter(|(ours, theirs)| **ours != *theirs).count()
            as f32
            / 2.0;
    let count = matches as f32;
    let jaro =
        (count / left.len() as f32 + count / right.len() as f32 + (count - moved) / count) / 3.0;
    let prefix = common_prefix(left, right).min(4) as f32;
    jaro + prefix * 0.1 * (1.0 - jaro)
}

/// The number of bytes that two texts have in common at the start.
pub(crate) fn common_prefix(left: &[u8], right: &[u8]) -> usize {
    left.iter().zip(right).take_while(|(left, right)| left == right).count()
}

/// The number of bytes that two texts have in common at the end.
pub(crate) fn common_suffix(left: &[u8], right: &[u8]) -> usize {
    left.iter().rev().zip(right.iter().rev()).take_while(|(left, right)| left == right).count()
}

/// Dice's coefficient of two sorted lists, counted with repetitions.
pub(crate) fn sorted_dice(left: &[u64], right: &[u64]) -> f32 {
    let both = left.len() + right.len();
    if both == 0 {
        return 0.0;
    }
    2.0 * sorted_common(left, right) as f32 / both as f32
}

/// The number of elements that two sorted lists share, counted with repetitions.
pub(crate) fn sorted_common(left: &[u64], right: &[u64]) -> usize {
    let (mut a, mut b, mut common) = (0, 0, 0);
    while a < left.len() && b < right.len() {
        match left[a].cmp(&right[b]) {
            std::cmp::Ordering::Less => a += 1,
            std::cmp::Ordering::Greater => b += 1,
            std::cmp::Ordering::Equal => {
                common += 1;
                a += 1;
                b += 1;
            }
        }
    }
    common
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn close(left: f32, right: f32) {
        assert!((left - right).abs() < 1e-4, "{left} is not {right}");
    }

    #[test]
    fn known_similarities() {
        close(Pattern::new(b"kitten").indel(b"sitting"), 8.0 / 13.0);
        close(Pattern::new(b"").indel(b""), 1.0);
        close(jaro_winkler(b"MARTHA", b"MARHTA"), 0.9611);
        close(jaro_winkler(b"DWAYNE", b"DUANE"), 0.84);
        close(Trigrams::new(b"abcd").dice(b"abcd"), 1.0);
        close(sorted_dice(&[1, 1, 2], &[1, 2, 3]), 4.0 / 6.0);
    }

    fn slow_common(left: &[u8], right: &[u8]) -> usize {
        let mut row = vec![0; right.len() + 1];
        for a in left {
            let mut corner = 0;
            for (at, b) in right.iter().enumerate() {
                let above = row[at + 1];
                row[at + 1] = if a == b { corner + 1 } else { above.max(row[at]) };
                corner = above;
            }
        }
        row[right.len()]
    }

    proptest! {
        #[test]
        fn subsequences_are_those_of_the_slow_way(
            left in prop::collection::vec(97u8..102, 0..200),
            right in prop::collection::vec(97u8..102, 0..200),
        ) {
            prop_assert_eq!(Pattern::new(&left).common(&right), slow_common(&left, &right));
        }

        #[test]
        fn all_lie_between_0_and_1(left: Vec<u8>, right: Vec<u8>) {
            let indel = Pattern::new(&left).indel(&right);
            let dice = Trigrams::new(&left).dice(&right);
            for value in [indel, dice, jaro_winkler(&left, &right)] {
                prop_assert!((0.0..=1.0001).contains(&value), "{}", value);
            }
        }
    }
}
