//! The hashes: a salted leaf for each file, and one root over all of them.
//!
//! Many hidden files are small and easy to guess: a solution is a line number. A plain hash of such
//! a file reveals it to anybody who tries all line numbers. Therefore each leaf has a salt, which
//! depends on a secret seed and on the file's path: without the seed nothing can be tried, and the
//! salt of one file, once disclosed, reveals nothing about another.
//!
//! ```text
//! salt(path) = BLAKE3-keyed(key = seed, path)
//! leaf(file) = BLAKE3("assay-seal/1 leaf\n" ‖ salt(path) ‖ u64(|path|) ‖ path ‖ u64(|content|) ‖ content)
//! node(l, r) = BLAKE3("assay-seal/1 node\n" ‖ l ‖ r)
//! ```
//!
//! `u64` is eight bytes, little-endian. The leaves are sorted by the bytes of their paths. Each
//! level pairs its hashes from the left; an unpaired one is promoted unchanged.

use std::fmt;

use assay_core::{Digest, Error, Result};
use serde::{Deserialize, Serialize};

const LEAF: &[u8] = b"assay-seal/1 leaf\n";
const NODE: &[u8] = b"assay-seal/1 node\n";

/// The secret from which the salts of all files are derived. It is known to those who can open the
/// archive.
#[derive(Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Seed(Digest);

impl Seed {
    /// A new secret from the operating system.
    pub fn random() -> Result<Self> {
        let mut bytes = [0; 32];
        getrandom::fill(&mut bytes).map_err(|error| {
            Error::failed("the operating system gives no random numbers").because(error)
        })?;
        Ok(Self::from_bytes(bytes))
    }

    /// A secret that is already known.
    pub fn from_bytes(bytes: [u8; 32]) -> Self {
        Self(Digest::from(bytes))
    }

    fn salt(&self, path: &str) -> blake3::Hash {
        blake3::keyed_hash(self.0.as_bytes(), path.as_bytes())
    }
}

/// Hides the secret from logs.
impl fmt::Debug for Seed {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Seed(…)")
    }
}

/// Hashes one file, a piece at a time.
pub(super) struct LeafHasher(blake3::Hasher);

impl LeafHasher {
    /// Hashes the file at `path`, which has `bytes` bytes.
    pub(super) fn new(seed: &Seed, path: &str, bytes: u64) -> Self {
        let mut hasher = blake3::Hasher::new();
        hasher.update(LEAF).update(seed.salt(path).as_bytes());
        hasher.update(&(path.len() as u64).to_le_bytes()).update(path.as_bytes());
        hasher.update(&bytes.to_le_bytes());
        Self(hasher)
    }

    pub(super) fn update(&mut self, content: &[u8]) {
        self.0.update(content);
    }

    pub(super) fn finish(&self) -> Digest {
        Digest::from(*self.0.finalize().as_bytes())
    }
}

/// The hash over leaves in the order of their paths; `None` for no leaves.
pub(super) fn root(leaves: impl IntoIterator<Item = Digest>) -> Option<Digest> {
    let mut level: Vec<Digest> = leaves.into_iter().collect();
    while level.len() > 1 {
        level = level.chunks(2).map(parent).collect();
    }
    level.pop()
}

fn parent(children: &[Digest]) -> Digest {
    match children {
        [left, right] => {
            let mut hasher = blake3::Hasher::new();
            hasher.update(NODE).update(left.as_bytes()).update(right.as_bytes());
            Digest::from(*hasher.finalize().as_bytes())
        }
        // Promoted. If it were paired with itself, two different lists would have the same root.
        [alone, ..] => *alone,
        [] => Digest::from([0; 32]),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::seal::manifest::{Entry, Manifest};
    use proptest::collection::{btree_map, vec};
    use proptest::prelude::*;
    use std::collections::BTreeMap;

    type Files = BTreeMap<String, Vec<u8>>;

    fn leaf(seed: &Seed, path: &str, content: &[u8]) -> Digest {
        let mut hasher = LeafHasher::new(seed, path, content.len() as u64);
        content.chunks(3).for_each(|piece| hasher.update(piece));
        hasher.finish()
    }

    fn manifest(seed: &Seed, files: impl Iterator<Item = (String, Vec<u8>)>) -> Manifest {
        let entries = files.map(|(path, content)| Entry {
            bytes: content.len() as u64,
            leaf: leaf(seed, &path, &content),
            path,
        });
        Manifest::new(seed.clone(), entries.collect())
    }

    fn root_of(seed: &Seed, files: &Files) -> Digest {
        manifest(seed, files.clone().into_iter()).root().unwrap()
    }

    /// The same construction, implemented from its description: whole inputs, and from the top
    /// down.
    mod naive {
        pub(super) fn leaf(seed: [u8; 32], path: &str, content: &[u8]) -> [u8; 32] {
            let mut input = b"assay-seal/1 leaf\n".to_vec();
            input.extend(blake3::keyed_hash(&seed, path.as_bytes()).as_bytes());
            input.extend((path.len() as u64).to_le_bytes());
            input.extend(path.bytes());
            input.extend((content.len() as u64).to_le_bytes());
            input.extend(content);
            *blake3::hash(&input).as_bytes()
        }

        /// The left side is the largest full tree that leaves something for the right side.
        pub(super) fn root(leaves: &[[u8; 32]]) -> [u8; 32] {
            if let [only] = leaves {
                return *only;
            }
            let whole = leaves.len().next_power_of_two() / 2;
            let (left, right) = leaves.split_at(whole);
            let input = [&b"assay-seal/1 node\n"[..], &root(left), &root(right)].concat();
            *blake3::hash(&input).as_bytes()
        }
    }

    #[test]
    fn leaves_and_roots_are_as_described() {
        let seed = [7; 32];
        for count in 1..=33_usize {
            let files: Files = (0..count)
                .map(|n| (format!("Tasks/{n}.txt"), format!("{n}\n").repeat(n).into_bytes()))
                .collect();
            let leaves: Vec<[u8; 32]> =
                files.iter().map(|(path, content)| naive::leaf(seed, path, content)).collect();
            let expected = Digest::from(naive::root(&leaves));
            assert_eq!(root_of(&Seed::from_bytes(seed), &files), expected, "{count} files");
        }
    }

    /// The values were computed with another implementation of BLAKE3: the construction must not
    /// change, or old commitments mean nothing.
    #[test]
    fn the_construction_does_not_drift() {
        let seed = Seed::from_bytes([1; 32]);
        let files: Files = [("Solutions/1.txt", "3"), ("Tasks/1.txt", "x\n\ny\n"), ("a", "")]
            .map(|(path, content)| (path.to_owned(), content.as_bytes().to_vec()))
            .into();
        assert_eq!(
            root_of(&seed, &files).to_string(),
            "cd7a3994fb6d7098f9ae4cef404656c9359f7ee86651a3d1aaf0a6d409c480d9"
        );
    }

    #[test]
    fn nothing_has_no_root_and_nothing_is_counted_twice() {
        assert_eq!(root([]), None);
        let [a, b, c] = [b"a", b"b", b"c"].map(|text| Digest::of(text));
        assert_ne!(root([a, b, c]), root([a, b, c, c]));
        assert_ne!(root([a, b]), root([b, a]));
    }

    #[test]
    fn a_guess_needs_the_seed() {
        let guess = |seed: u8| leaf(&Seed::from_bytes([seed; 32]), "Solutions/1.txt", b"3");
        assert_ne!(guess(1), guess(2));
        assert!(!format!("{:?}", Seed::from_bytes([1; 32])).contains("01"));
    }

    fn files() -> impl Strategy<Value = Files> {
        btree_map("[a-c]{1,2}(/[a-c]{1,2})?", vec(any::<u8>(), 0..9), 1..12)
    }

    proptest! {
        #[test]
        fn any_changed_byte_changes_the_root(
            files in files(), at in any::<prop::sample::Index>(), bit in 0..8_u8, seed in any::<[u8; 32]>()
        ) {
            let seed = Seed::from_bytes(seed);
            let mut changed = files.clone();
            let path = at.get(&files.keys().cloned().collect::<Vec<_>>()).clone();
            let content = changed.get_mut(&path).unwrap();
            if content.is_empty() {
                content.push(bit);
            } else {
                let place = at.index(content.len());
                content[place] ^= 1 << bit;
            }
            prop_assert_ne!(root_of(&seed, &files), root_of(&seed, &changed));
        }

        #[test]
        fn any_changed_path_changes_the_root(
            files in files(), at in any::<prop::sample::Index>(), name in "[d-f]{1,3}"
        ) {
            let seed = Seed::from_bytes([9; 32]);
            let mut changed = files.clone();
            let path = at.get(&files.keys().cloned().collect::<Vec<_>>()).clone();
            let content = changed.remove(&path).unwrap();
            changed.insert(name, content);
            prop_assert_ne!(root_of(&seed, &files), root_of(&seed, &changed));
            changed.pop_last();
            prop_assume!(!changed.is_empty());
            prop_assert_ne!(root_of(&seed, &files), root_of(&seed, &changed));
        }

        #[test]
        fn the_order_of_the_files_does_not_matter(
            shuffled in files().prop_flat_map(|files| Just(files.into_iter().collect::<Vec<_>>()).prop_shuffle())
        ) {
            let seed = Seed::from_bytes([3; 32]);
            let sorted: Files = shuffled.iter().cloned().collect();
            let root = manifest(&seed, shuffled.into_iter()).root().unwrap();
            prop_assert_eq!(root, root_of(&seed, &sorted));
        }
    }
}
