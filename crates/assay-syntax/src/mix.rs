//! Hashes of structures: equal structures have equal hashes, and collisions are very rare.

const FIRST: u64 = 0x9e37_79b9_7f4a_7c15;
const SECOND: u64 = 0xbf58_476d_1ce4_e5b9;

/// Combines a hash with a small number.
pub(crate) fn combine(number: u64, small: u16) -> u64 {
    number.wrapping_add(u64::from(small).wrapping_mul(SECOND))
}

/// The hash of two hashes, in this order.
fn mix(left: u64, right: u64) -> u64 {
    let product = u128::from(left ^ FIRST) * u128::from(right.rotate_left(32) ^ SECOND);
    let halves = product ^ (product >> 64);
    #[expect(clippy::cast_possible_truncation, reason = "both halves are in the lower one")]
    let folded = halves as u64;
    folded.wrapping_add(left.rotate_left(17)).wrapping_mul(FIRST) ^ right
}

/// The hash of a sequence.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Mixer(u64);

impl Mixer {
    /// Starts a sequence, which is distinguished from others by `tag`.
    pub(crate) fn new(tag: u64) -> Self {
        Self(tag.wrapping_add(1).wrapping_mul(FIRST))
    }

    /// Adds the next element of the sequence.
    pub(crate) fn add(&mut self, next: u64) {
        self.0 = mix(self.0, next);
    }

    /// The hash so far.
    pub(crate) fn number(self) -> u64 {
        self.0
    }
}
