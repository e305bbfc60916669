//! Many short strings in one block of memory, found by binary search.

use std::cmp::Ordering;
use std::ops::Range;

/// Strings of letter codes, one after another.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Strings {
    bytes: Vec<u8>,
    ends: Vec<u32>,
}

impl Strings {
    /// Adds a string at the end.
    pub(crate) fn push(&mut self, string: &[u8]) {
        self.bytes.extend_from_slice(string);
        // The whole dictionary has a few million letters.
        self.ends.push(u32::try_from(self.bytes.len()).unwrap_or(u32::MAX));
    }

    pub(crate) fn len(&self) -> usize {
        self.ends.len()
    }

    /// The string at `at`.
    pub(crate) fn get(&self, at: usize) -> &[u8] {
        let start = if at == 0 { 0 } else { self.ends[at - 1] as usize };
        &self.bytes[start..self.ends[at] as usize]
    }

    pub(crate) fn iter(&self) -> impl Iterator<Item = &[u8]> {
        (0..self.len()).map(|at| self.get(at))
    }

    /// Finds the strings for which `compare` returns equal; they must be sorted by it.
    pub(crate) fn find(&self, compare: impl Fn(&[u8]) -> Ordering) -> Range<usize> {
        let (mut low, mut high) = (0, self.len());
        while low < high {
            let middle = low + (high - low) / 2;
            if compare(self.get(middle)) == Ordering::Less {
                low = middle + 1;
            } else {
                high = middle;
            }
        }
        let mut end = low;
        while end < self.len() && compare(self.get(end)) == Ordering::Equal {
            end += 1;
        }
        low..end
    }
}

impl<S: AsRef<[u8]>> FromIterator<S> for Strings {
    fn from_iter<T: IntoIterator<Item = S>>(strings: T) -> Self {
        let mut all = Self::default();
        strings.into_iter().for_each(|string| all.push(string.as_ref()));
        all
    }
}
