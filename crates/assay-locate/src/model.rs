//! Boosted trees: their storage and their scores.

use std::fmt;

/// A forest that turns a row of features into a score. Scores are log-odds: their softmax over a
/// task's candidates gives probabilities.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Model {
    pub(crate) trees: Vec<Tree>,
    /// The number of features per row.
    pub(crate) width: usize,
    /// The identity of the features that it was trained on.
    pub(crate) features: u64,
}

/// A tree as a list of nodes; the first is the root.
#[derive(Debug, Clone, PartialEq, Default)]
pub(crate) struct Tree {
    pub(crate) nodes: Vec<Node>,
    pub(crate) leaves: Vec<f32>,
}

/// A decision about one feature. Children from 0 on are nodes, negative ones are leaves, as
/// `!index`.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Node {
    pub(crate) feature: u16,
    pub(crate) threshold: f32,
    pub(crate) less_or_equal: i16,
    pub(crate) greater: i16,
}

/// The reason why bytes are not a model.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ModelError(&'static str);

impl fmt::Display for ModelError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "not a model of the locator: {}", self.0)
    }
}

impl std::error::Error for ModelError {}

impl ModelError {
    pub(crate) fn other_features() -> Self {
        Self("it was trained on the features of another version; train it again")
    }
}

/// Shares that add up to 1 and whose logarithms differ as the scores do. They are computed with our
/// own exponential function, so that they are the same on every machine.
pub(crate) fn softmax(scores: &[f32]) -> Vec<f32> {
    let most = scores.iter().copied().fold(f32::NEG_INFINITY, f32::max);
    let mut shares: Vec<f32> = scores.iter().map(|score| libm::expf(score - most)).collect();
    let sum: f32 = shares.iter().sum();
    for share in &mut shares {
        *share /= sum;
    }
    shares
}

/// The temperature of the probabilities. Forests are more confident on their training data than on
/// anything else. On held-out datasets, scores divided by 1.1 to 1.2 gave the best calibrated
/// probabilities; a little more leaves room for lines that are not candidates.
const TEMPERATURE: f32 = 1.3;

/// The probabilities of a task's candidates, calibrated for new data.
pub fn probabilities(scores: &[f32]) -> Vec<f32> {
    cooled(scores, TEMPERATURE)
}

/// The probabilities at another temperature.
pub fn cooled(scores: &[f32], temperature: f32) -> Vec<f32> {
    let scores: Vec<f32> = scores.iter().map(|score| score / temperature).collect();
    softmax(&scores)
}

/// The number of trees that score every row.
const FIRST_TREES: usize = 200;
/// The maximum distance behind the best row after the first trees; rows farther behind cannot win
/// any more.
const MAX_GAP: f32 = 8.0;
/// The amount that is subtracted from such a row's score, so that it stays behind.
const PENALTY: f32 = 20.0;

/// The number of rows that pass through a tree together.
const BATCH: usize = 8;

/// The maximum number of features: a node stores its feature in 16 bits.
const MAX_FEATURES: usize = 1 << 16;

const MAGIC: &[u8; 8] = b"assayLM1";

impl Node {
    /// Returns the child for a row.
    pub(crate) fn child(&self, row: &[f32]) -> i16 {
        let left = row[usize::from(self.feature)] <= self.threshold;
        if left { self.less_or_equal } else { self.greater }
    }
}

impl Tree {
    /// The tree's score of a row. A tree that was read has been checked, so this terminates.
    pub(crate) fn score(&self, row: &[f32]) -> f32 {
        let mut at: i16 = if self.nodes.is_empty() { !0 } else { 0 };
        while at >= 0 {
            at = self.nodes[at as usize].child(row);
        }
        self.leaves[!at as usize]
    }

    /// Adds the tree's scores of several rows. They pass through together, without a branch that
    /// depends on a row: the processor works on all of them at once instead of predicting branches.
    fn add_scores(&self, rows: &[&[f32]; BATCH], sums: &mut [f32; BATCH]) {
        let mut at = [if self.nodes.is_empty() { !0_i16 } else { 0 }; BATCH];
        while at.iter().any(|&at| at >= 0) {
            for (at, row) in at.iter_mut().zip(rows) {
                let node = &self.nodes[(*at).max(0) as usize];
                let left = row[usize::from(node.feature)] <= node.threshold;
                let next = if left { node.less_or_equal } else { node.greater };
                *at = if *at < 0 { *at } else { next };
            }
        }
        for (sum, at) in sums.iter_mut().zip(at) {
            *sum += self.leaves[!at as usize];
        }
    }

    /// Checks that children come after their node and leaves exist, so every walk ends at a leaf;
    /// and that none has two parents, so there are no more walks than leaves.
    fn is_sound(&self, width: usize) -> bool {
        let child = |at: usize, child: i16| {
            if child >= 0 {
                (child as usize) > at && (child as usize) < self.nodes.len()
            } else {
                (!child as usize) < self.leaves.len()
            }
        };
        let mut children: Vec<i16> =
            self.nodes.iter().flat_map(|node| [node.less_or_equal, node.greater]).collect();
        children.sort_unstable();
        !self.leaves.is_empty()
            && children.windows(2).all(|pair| pair[0] != pair[1])
            && self.nodes.iter().enumerate().all(|(at, node)| {
                usize::from(node.feature) < width
                    && child(at, node.less_or_equal)
                    && child(at, node.greater)
            })
    }
}

/// The sums of the trees' scores for each row, tree by tree, so that a tree stays in the cache.
fn sum_scores(trees: &[Tree], rows: &[&[f32]]) -> Vec<f32> {
    let mut sums = vec![0.0; rows.len()];
    let (blocks, rest) = rows.as_chunks::<BATCH>();
    for tree in trees {
        let (block_sums, rest_sums) = sums.as_chunks_mut::<BATCH>();
        for (sums, rows) in block_sums.iter_mut().zip(blocks) {
            tree.add_scores(rows, sums);
        }
        for (sum, row) in rest_sums.iter_mut().zip(rest) {
            *sum += tree.score(row);
        }
    }
    sums
}

impl Model {
    /// The score of one row.
    pub fn score(&self, row: &[f32]) -> f32 {
        self.trees.iter().map(|tree| tree.score(row)).sum()
    }

    /// The scores of a task's rows. After the first trees only rows that can still win continue;
    /// the others keep their scores, which leaves them far behind.
    pub fn scores(&self, rows: &[f32]) -> Vec<f32> {
        if self.width == 0 {
            return Vec::new();
        }
        let (first, rest) = self.trees.split_at(self.trees.len().min(FIRST_TREES));
        let rows: Vec<&[f32]> = rows.chunks_exact(self.width).collect();
        let mut scores = sum_scores(first, &rows);
        let best = scores.iter().copied().fold(f32::NEG_INFINITY, f32::max);
        let in_play: Vec<usize> =
            (0..rows.len()).filter(|&at| scores[at] > best - MAX_GAP).collect();
        let few: Vec<&[f32]> = in_play.iter().map(|&at| rows[at]).collect();
        scores
            .iter_mut()
            .filter(|score| **score <= best - MAX_GAP)
            .for_each(|score| *score -= PENALTY);
        for (at, more) in in_play.into_iter().zip(sum_scores(rest, &few)) {
            scores[at] += more;
        }
        scores
    }

    /// The number of trees.
    pub fn trees(&self) -> usize {
        self.trees.len()
    }

    /// The mean of several models, as one model.
    pub fn average(models: &[Self]) -> Self {
        let (width, features) =
            models.first().map_or((0, 0), |model| (model.width, model.features));
        let mut all = Self { trees: Vec::new(), width, features };
        // One tree of each in turn, so that the first trees of the mean are the first of every
        // model.
        let most = models.iter().map(Self::trees).max().unwrap_or_default();
        for at in 0..most {
            all.trees.extend(models.iter().filter_map(|model| model.trees.get(at).cloned()));
        }
        let share = 1.0 / models.len().max(1) as f32;
        for leaf in all.trees.iter_mut().flat_map(|tree| &mut tree.leaves) {
            *leaf *= share;
        }
        all
    }

    /// The model as bytes: little-endian, the same on every machine.
    pub fn to_bytes(&self) -> Vec<u8> {
        let mut bytes = MAGIC.to_vec();
        bytes.extend((self.width as u32).to_le_bytes());
        bytes.extend(self.features.to_le_bytes());
        bytes.extend((self.trees.len() as u32).to_le_bytes());
        for tree in &self.trees {
            bytes.extend((tree.nodes.len() as u16).to_le_bytes());
            bytes.extend((tree.leaves.len() as u16).to_le_bytes());
            for node in &tree.nodes {
                bytes.extend(node.feature.to_le_bytes());
                bytes.extend(node.threshold.to_le_bytes());
                bytes.extend(node.less_or_equal.to_le_bytes());
                bytes.extend(node.greater.to_le_bytes());
            }
            tree.leaves.iter().for_each(|leaf| bytes.extend(leaf.to_le_bytes()));
        }
        bytes
    }

    /// Reads a model, and checks that it matches this version's features.
    pub fn from_bytes(bytes: &[u8]) -> Result<Self, ModelError> {
        let mut reader = Reader(bytes);
        if reader.take::<8>()? != *MAGIC {
            return Err(ModelError("it does not start like one"));
        }
        let width = u32::from_le_bytes(reader.take()?) as usize;
        if width > MAX_FEATURES {
            return Err(ModelError("it asks about too many features"));
        }
        let features = u64::from_le_bytes(reader.take()?);
        let count = u32::from_le_bytes(reader.take()?);
        let mut model = Self { trees: Vec::new(), width, features };
        for _ in 0..count {
            let tree = reader.tree()?;
            if !tree.is_sound(width) {
                return Err(ModelError("a tree leads nowhere"));
            }
            model.trees.push(tree);
        }
        if reader.0.is_empty() { Ok(model) } else { Err(ModelError("it goes on after its end")) }
    }
}

struct Reader<'a>(&'a [u8]);

impl Reader<'_> {
    fn take<const N: usize>(&mut self) -> Result<[u8; N], ModelError> {
        let (taken, rest) = self.0.split_first_chunk().ok_or(ModelError("it is cut short"))?;
        self.0 = rest;
        Ok(*taken)
    }

    fn tree(&mut self) -> Result<Tree, ModelError> {
        let nodes = u16::from_le_bytes(self.take()?);
        let leaves = u16::from_le_bytes(self.take()?);
        let mut tree = Tree::default();
        for _ in 0..nodes {
            tree.nodes.push(Node {
                feature: u16::from_le_bytes(self.take()?),
                threshold: f32::from_le_bytes(self.take()?),
                less_or_equal: i16::from_le_bytes(self.take()?),
                greater: i16::from_le_bytes(self.take()?),
            });
        }
        for _ in 0..leaves {
            tree.leaves.push(f32::from_le_bytes(self.take()?));
        }
        Ok(tree)
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn model() -> Model {
        let node = Node { feature: 1, threshold: 0.5, less_or_equal: !0, greater: 1 };
        let second = Node { feature: 0, threshold: 2.0, less_or_equal: !1, greater: !2 };
        let tree = Tree { nodes: vec![node, second], leaves: vec![1.0, 2.0, 4.0] };
        let stump = Tree { nodes: vec![], leaves: vec![0.25] };
        Model { trees: vec![tree, stump], width: 2, features: 7 }
    }

    #[test]
    fn reads_what_it_writes() {
        let model = model();
        assert_eq!(Model::from_bytes(&model.to_bytes()), Ok(model.clone()));
        for (row, score) in [([0.0, 0.5], 1.25), ([2.0, 0.6], 2.25), ([2.1, 0.6], 4.25)] {
            assert!((model.score(&row) - score).abs() < 1e-6);
        }
        let doubled = Model::average(&[model.clone(), model.clone()]);
        assert!((doubled.score(&[0.0, 0.5]) - 1.25).abs() < 1e-6);
    }

    #[test]
    fn broken_models_are_refused() {
        let bytes = model().to_bytes();
        for end in 0..bytes.len() {
            assert!(Model::from_bytes(&bytes[..end]).is_err(), "cut at {end}");
        }
        assert!(Model::from_bytes(&[bytes.as_slice(), b"x"].concat()).is_err());
        let mut endless = model();
        endless.trees[0].nodes[1].greater = 0;
        assert!(Model::from_bytes(&endless.to_bytes()).is_err());
        let mut shared = model();
        shared.trees[0].nodes[1].greater = !0;
        assert!(Model::from_bytes(&shared.to_bytes()).is_err(), "a leaf with two parents");
    }

    proptest! {
        #[test]
        fn any_change_is_refused_or_harmless(at in 0usize..80, byte: u8) {
            let mut bytes = model().to_bytes();
            let at = at % bytes.len();
            bytes[at] = byte;
            if let Ok(model) = Model::from_bytes(&bytes) {
                model.score(&vec![1.0; model.width.max(2)]);
            }
        }
    }
}
