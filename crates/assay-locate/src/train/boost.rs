//! Boosting: trees are added one after another.

use rayon::prelude::*;

use super::bins::{Examples, Group};
use super::grow::{Gradients, GrownTree, grow};
use crate::model::{Model, softmax};

/// The settings for growing a forest.
#[derive(Debug, Clone)]
pub struct Settings {
    /// The number of trees.
    pub trees: usize,
    /// The maximum number of leaves of a tree.
    pub leaves: usize,
    /// The learning rate: the factor of each tree's scores.
    pub rate: f64,
    /// The minimum number of candidates in a leaf.
    pub min_rows: u32,
    /// The minimum gain of a split.
    pub min_gain: f64,
    /// The regularisation, which keeps leaves with little evidence small.
    pub shrink: f64,
    /// The share of features that a tree may use.
    pub features: f64,
    /// The features that no tree may use, by index.
    pub without: Vec<usize>,
    /// The share of tasks that a tree is trained on.
    pub tasks: f64,
    /// Decides every random choice.
    pub seed: u64,
}

impl Default for Settings {
    fn default() -> Self {
        Self {
            trees: 250,
            leaves: 63,
            rate: 0.05,
            min_rows: 50,
            min_gain: 1e-6,
            shrink: 1.0,
            features: 0.4,
            without: Vec::new(),
            tasks: 0.8,
            seed: 1,
        }
    }
}

/// Grows a forest, one tree per step.
pub struct Trainer<'a> {
    examples: &'a Examples,
    learn: Vec<Group>,
    settings: Settings,
    scores: Vec<f32>,
    gradient: Vec<f32>,
    curvature: Vec<f32>,
    random: u64,
    gains: Vec<f64>,
    model: Model,
}

impl<'a> Trainer<'a> {
    /// Starts a forest that is trained on the tasks for which `learn` holds. Tasks whose right line
    /// is not among the candidates are skipped.
    pub fn new(examples: &'a Examples, learn: impl Fn(usize) -> bool, settings: Settings) -> Self {
        let learn = (0..examples.groups.len()).filter(|&task| learn(task));
        let learn = learn.map(|task| examples.groups[task]).filter(|group| group.right.is_some());
        let rows = examples.rows();
        Self {
            examples,
            learn: learn.collect(),
            scores: vec![0.0; rows],
            gradient: vec![0.0; rows],
            curvature: vec![0.0; rows],
            random: settings.seed.wrapping_mul(0x9E37_79B9_7F4A_7C15) | 1,
            settings,
            gains: vec![0.0; examples.bins.width()],
            model: Model::default(),
        }
    }

    /// Grows one more tree.
    pub fn step(&mut self) {
        let groups = self.draw_tasks();
        for group in &groups {
            self.derive(group);
        }
        let rows: Vec<u32> = groups.iter().flat_map(|group| group.from..group.to).collect();
        let features = self.draw_features();
        let gradients = Gradients { gradient: &self.gradient, curvature: &self.curvature };
        let grown = grow(self.examples, &gradients, rows, &features, &self.settings);
        apply(self.examples, &grown, &mut self.scores);
        for (node, gain) in grown.tree.nodes.iter().zip(&grown.gains) {
            self.gains[usize::from(node.feature)] += gain;
        }
        self.model.trees.push(grown.tree);
    }

    /// The forest so far.
    pub fn model(&self) -> Model {
        self.model.clone().with_current_features()
    }

    /// The total gain of the splits on each feature, over all trees.
    pub fn gains(&self) -> &[f64] {
        &self.gains
    }

    /// The score of every candidate of the task at `task`, in order.
    pub fn scores(&self, task: usize) -> &[f32] {
        let group = self.examples.groups[task];
        &self.scores[group.from as usize..group.to as usize]
    }

    /// The gradients of the cross entropy of a task's softmax.
    fn derive(&mut self, group: &Group) {
        let (from, to) = (group.from as usize, group.to as usize);
        let probabilities = softmax(&self.scores[from..to]);
        for (row, probability) in (from..to).zip(probabilities) {
            let right = group.right == Some(row as u32);
            self.gradient[row] = probability - f32::from(u8::from(right));
            self.curvature[row] = (probability * (1.0 - probability)).max(1e-6);
        }
    }

    fn draw_tasks(&mut self) -> Vec<Group> {
        let learn = std::mem::take(&mut self.learn);
        let share = self.settings.tasks;
        let drawn = learn.iter().filter(|_| self.draw() < share).copied().collect();
        self.learn = learn;
        drawn
    }

    fn draw_features(&mut self) -> Vec<usize> {
        let share = self.settings.features;
        let without = &self.settings.without;
        let useful = |feature: &usize| {
            !self.examples.bins.edges[*feature].is_empty() && !without.contains(feature)
        };
        let all: Vec<usize> = (0..self.examples.bins.width()).filter(useful).collect();
        all.into_iter().filter(|_| self.draw() < share).collect()
    }

    /// A number between 0 and 1, by xorshift.
    fn draw(&mut self) -> f64 {
        self.random ^= self.random << 13;
        self.random ^= self.random >> 7;
        self.random ^= self.random << 17;
        (self.random >> 11) as f64 / (1u64 << 53) as f64
    }
}

/// Adds a tree's scores to every row's score.
fn apply(examples: &Examples, grown: &GrownTree, scores: &mut [f32]) {
    scores.par_iter_mut().enumerate().for_each(|(row, score)| {
        let mut at: i16 = if grown.tree.nodes.is_empty() { !0 } else { 0 };
        while at >= 0 {
            let node = &grown.tree.nodes[at as usize];
            let class = examples.columns[usize::from(node.feature)][row];
            let left = class <= grown.classes[at as usize];
            at = if left { node.less_or_equal } else { node.greater };
        }
        *score += grown.tree.leaves[!at as usize];
    });
}
