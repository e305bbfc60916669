//! Numbers that stand for structures: equal structures, equal numbers, and hardly ever another.

const FIRST: u64 = 0x9e37_79b9_7f4a_7c15;
const SECOND: u64 = 0xbf58_476d_1ce4_e5b9;

/// A number and what stands beside it, as one.
pub(crate) fn beside(number: u64, small: u16) -> u64 {
    number.wrapping_add(u64::from(small).wrapping_mul(SECOND))
}

/// One number for two, in this order.
fn mix(left: u64, right: u64) -> u64 {
    let product = u128::from(left ^ FIRST) * u128::from(right.rotate_left(32) ^ SECOND);
    let halves = product ^ (product >> 64);
    #[expect(clippy::cast_possible_truncation, reason = "both halves are in the lower one")]
    let folded = halves as u64;
    folded.wrapping_add(left.rotate_left(17)).wrapping_mul(FIRST) ^ right
}

/// One number for a sequence.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Mixer(u64);

impl Mixer {
    /// A sequence that is told from others by this.
    pub(crate) fn new(tag: u64) -> Self {
        Self(tag.wrapping_add(1).wrapping_mul(FIRST))
    }

    /// Adds the next of the sequence.
    pub(crate) fn add(&mut self, next: u64) {
        self.0 = mix(self.0, next);
    }

    /// The number so far.
    pub(crate) fn number(self) -> u64 {
        self.0
    }
}
