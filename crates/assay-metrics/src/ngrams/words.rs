//! Numbers for the words of a pair, in the order of first occurrence.

/// Mixes the bits of a key so that every high bit depends on all of them.
#[inline]
pub(super) fn scatter(key: u64) -> u64 {
    key.wrapping_mul(0x9e37_79b9_7f4a_7c15)
}

/// The maximum length in bytes of a word that is its own key.
const SHORT: usize = 7;
/// The marker of a long word in the highest byte of a key, which otherwise holds the length of a
/// short word.
const LONG: u64 = 0xff << 56;

/// The words so far. Clearing them is free: slots of earlier rounds count as empty.
pub(super) struct WordTable {
    slots: Vec<Slot>,
    shift: u32,
    round: u32,
    /// The keys of all words, by number.
    keys: Vec<u64>,
    /// The bytes of all long words, and the range of each word in them.
    bytes: Vec<u8>,
    places: Vec<(usize, usize)>,
}

#[derive(Clone, Copy, Default)]
struct Slot {
    key: u64,
    round: u32,
    number: u32,
}

impl Default for WordTable {
    fn default() -> Self {
        let (keys, bytes, places) = Default::default();
        Self { slots: vec![Slot::default(); 256], shift: 64 - 8, round: 1, keys, bytes, places }
    }
}

impl WordTable {
    /// The number of words.
    pub(super) fn count(&self) -> usize {
        self.keys.len()
    }

    /// Clears all words.
    pub(super) fn clear(&mut self) {
        if self.slots.len() > 1 << 16 || self.round == u32::MAX {
            *self = Self::default();
            return;
        }
        self.round += 1;
        self.keys.clear();
        self.bytes.clear();
        self.places.clear();
    }

    /// The number of the word that is these bytes from `start` to `end`.
    #[inline]
    pub(super) fn number(&mut self, bytes: &[u8], start: usize, end: usize) -> u32 {
        if end - start <= SHORT {
            self.number_of_key(short_key(bytes, start, end))
        } else {
            self.number_of_long(&bytes[start..end])
        }
    }

    /// The number of a character. No word has its key: a word's length is at least 1.
    #[inline]
    pub(super) fn number_of_character(&mut self, character: char) -> u32 {
        self.number_of_key(u64::from(character))
    }

    #[inline]
    fn number_of_key(&mut self, key: u64) -> u32 {
        let place = self.probe(key, |_| true);
        let slot = self.slots[place];
        if slot.round == self.round { slot.number } else { self.insert(place, key, (0, 0)) }
    }

    fn number_of_long(&mut self, word: &[u8]) -> u32 {
        let key = long_key(word);
        let place = self.probe(key, |number| {
            let (start, end) = self.places[number as usize];
            &self.bytes[start..end] == word
        });
        let slot = self.slots[place];
        if slot.round == self.round {
            return slot.number;
        }
        let start = self.bytes.len();
        self.bytes.extend_from_slice(word);
        self.insert(place, key, (start, self.bytes.len()))
    }

    /// The slot of the word with this key for which `is_it` holds, or the empty slot where it would
    /// be inserted.
    #[inline]
    fn probe(&self, key: u64, is_it: impl Fn(u32) -> bool) -> usize {
        let mut place = (scatter(key) >> self.shift) as usize;
        loop {
            let slot = self.slots[place];
            if slot.round != self.round || (slot.key == key && is_it(slot.number)) {
                return place;
            }
            place = (place + 1) & (self.slots.len() - 1);
        }
    }

    fn insert(&mut self, place: usize, key: u64, bytes: (usize, usize)) -> u32 {
        let number = self.keys.len() as u32;
        self.slots[place] = Slot { key, round: self.round, number };
        self.keys.push(key);
        self.places.push(bytes);
        if self.keys.len() * 2 > self.slots.len() {
            self.grow();
        }
        number
    }

    fn grow(&mut self) {
        self.slots = vec![Slot::default(); self.slots.len() * 4];
        self.shift -= 2;
        for (number, &key) in self.keys.iter().enumerate() {
            let place = self.probe(key, |_| false);
            self.slots[place] = Slot { key, round: self.round, number: number as u32 };
        }
    }
}

#[inline]
fn short_key(bytes: &[u8], start: usize, end: usize) -> u64 {
    let length = end - start;
    let word = match bytes.get(start..start + 8).and_then(|eight| eight.try_into().ok()) {
        Some(eight) => u64::from_le_bytes(eight) & ((1 << (8 * length)) - 1),
        None => bytes[start..end].iter().rev().fold(0, |word, &byte| word << 8 | u64::from(byte)),
    };
    word | (length as u64) << 56
}

/// Computes a key from the first eight bytes, the last eight and, in longer words, those between.
fn long_key(word: &[u8]) -> u64 {
    let eight = |bytes: Option<&[u8; 8]>| bytes.map_or(0, |bytes| u64::from_le_bytes(*bytes));
    let mix = |hash: u64, part: u64| scatter(hash.rotate_left(23) ^ part);
    let (first, rest) = word.split_at(SHORT + 1);
    let mut hash = mix(eight(first.first_chunk()), eight(word.last_chunk()) ^ word.len() as u64);
    if rest.len() > SHORT + 1 {
        hash = rest.as_chunks().0.iter().fold(hash, |hash, part| mix(hash, eight(Some(part))));
    }
    hash >> 8 | LONG
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn equal_words_have_equal_numbers() {
        let mut words = WordTable::default();
        for round in 0..3 {
            let texts: Vec<String> =
                (0..2000).map(|at| format!("{}{at}", "x".repeat(at % 12))).collect();
            for text in texts.iter().chain(&texts) {
                // The same word with and without bytes after it.
                let number = words.number(text.as_bytes(), 0, text.len());
                let longer = format!("a{text} and more");
                assert_eq!(words.number(longer.as_bytes(), 1, 1 + text.len()), number);
                assert_eq!(texts[number as usize], *text, "round {round}");
            }
            words.clear();
        }
    }
}
