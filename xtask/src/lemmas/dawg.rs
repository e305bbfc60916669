//! Reads the word graphs of pymorphy's dictionaries.
//!
//! A graph is an array of units, each a node with its label and the offset of its children, and a
//! guide with the first child and the next sibling of each node.

use std::fs;
use std::path::Path;

const HAS_LEAF: u32 = 1 << 8;
const LONG_OFFSET: u32 = 1 << 9;
const LEAF: u32 = 1 << 31;

/// A set of byte strings, each with a number.
pub(crate) struct Dawg {
    units: Vec<u32>,
    guide: Vec<u8>,
}

impl Dawg {
    /// Reads a graph.
    pub(crate) fn open(path: &Path) -> Result<Self, String> {
        let bytes = fs::read(path).map_err(|error| format!("{}: {error}", path.display()))?;
        Self::read(&bytes).ok_or_else(|| format!("{} is no graph of words", path.display()))
    }

    fn read(bytes: &[u8]) -> Option<Self> {
        let (units, rest) = sized(bytes, 4)?;
        let (guide, _) = sized(rest, 2)?;
        let unit = |four: &[u8]| Some(u32::from_le_bytes(four.try_into().ok()?));
        Some(Self {
            units: units.chunks(4).map(unit).collect::<Option<_>>()?,
            guide: guide.to_vec(),
        })
    }

    /// Calls `visit` with every string and its number, in the graph's order.
    pub(crate) fn walk(&self, visit: &mut dyn FnMut(&[u8], u32)) {
        self.walk_from(0, &mut Vec::new(), visit);
    }

    fn walk_from(&self, node: usize, key: &mut Vec<u8>, visit: &mut dyn FnMut(&[u8], u32)) {
        if self.units[node] & HAS_LEAF != 0 {
            visit(key, self.units[node ^ self.offset(node)] & !LEAF);
        }
        let mut label = self.guide[2 * node];
        while label != 0 {
            let child = node ^ self.offset(node) ^ usize::from(label);
            key.push(label);
            self.walk_from(child, key, visit);
            key.pop();
            label = self.guide[2 * child + 1];
        }
    }

    fn offset(&self, node: usize) -> usize {
        let unit = self.units[node];
        ((unit >> 10) << ((unit & LONG_OFFSET) >> 6)) as usize
    }

    /// Calls `visit` with every word and the bytes attached to it, in the graph's order.
    pub(crate) fn records(&self, visit: &mut dyn FnMut(&str, &[u8])) {
        self.walk(&mut |key, _| {
            let mut parts = key.splitn(2, |&byte| byte == 1);
            if let (Some(word), Some(record)) = (parts.next(), parts.next())
                && let Ok(word) = std::str::from_utf8(word)
            {
                visit(word, &base64(record));
            }
        });
    }
}

/// Splits off as many entries of `width` bytes as the first four bytes say, and returns the rest
/// too.
fn sized(bytes: &[u8], width: usize) -> Option<(&[u8], &[u8])> {
    let (size, rest) = bytes.split_at_checked(4)?;
    let size = u32::from_le_bytes(size.try_into().ok()?) as usize;
    rest.split_at_checked(size * width)
}

fn base64(text: &[u8]) -> Vec<u8> {
    let digit = |letter: &u8| match letter {
        b'A'..=b'Z' => Some(letter - b'A'),
        b'a'..=b'z' => Some(letter - b'a' + 26),
        b'0'..=b'9' => Some(letter - b'0' + 52),
        b'+' => Some(62),
        b'/' => Some(63),
        _ => None,
    };
    let digits: Vec<u32> = text.iter().map_while(digit).map(u32::from).collect();
    let mut bytes = Vec::new();
    for four in digits.chunks(4) {
        let bits = (0..4).fold(0, |bits, at| bits << 6 | four.get(at).copied().unwrap_or(0));
        bytes.extend(&bits.to_be_bytes()[1..four.len().max(1)]);
    }
    bytes
}
