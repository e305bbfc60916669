//! One tree, grown leaf by leaf.

use rayon::prelude::*;

use super::bins::Examples;
use super::boost::Settings;
use crate::model::{Node, Tree};

/// The sums of gradients and curvatures of one class.
#[derive(Debug, Clone, Copy, Default)]
struct GradientSum {
    gradient: f64,
    curvature: f64,
    rows: u32,
}

impl GradientSum {
    fn add(&mut self, other: Self) {
        self.gradient += other.gradient;
        self.curvature += other.curvature;
        self.rows += other.rows;
    }

    fn without(self, other: Self) -> Self {
        Self {
            gradient: self.gradient - other.gradient,
            curvature: self.curvature - other.curvature,
            rows: self.rows - other.rows,
        }
    }

    /// The decrease of the loss if this becomes a separate leaf.
    fn gain(self, settings: &Settings) -> f64 {
        self.gradient * self.gradient / (self.curvature + settings.shrink)
    }
}

type Histogram = Vec<[GradientSum; 256]>;

struct Leaf {
    rows: Vec<u32>,
    total: GradientSum,
    histogram: Histogram,
    best: Option<Split>,
    /// The parent node and the side on which this leaf is attached.
    parent: Option<(usize, bool)>,
}

#[derive(Debug, Clone, Copy)]
struct Split {
    gain: f64,
    /// Its index among the tree's features.
    place: usize,
    class: u8,
}

/// A tree with the class beside the threshold for each node, so that it can be applied to examples.
pub(super) struct GrownTree {
    pub(super) tree: Tree,
    pub(super) classes: Vec<u8>,
    /// The gain of each node's split.
    pub(super) gains: Vec<f64>,
}

pub(super) struct Gradients<'a> {
    pub(super) gradient: &'a [f32],
    pub(super) curvature: &'a [f32],
}

/// Grows a tree on `rows`, using only `features`.
pub(super) fn grow(
    examples: &Examples,
    gradients: &Gradients<'_>,
    rows: Vec<u32>,
    features: &[usize],
    settings: &Settings,
) -> GrownTree {
    let histogram = sum_histogram(examples, gradients, &rows, features);
    let total = total(&histogram);
    let mut root = Leaf { rows, total, histogram, best: None, parent: None };
    root.best = best_split(&root, settings);
    let mut leaves = vec![root];
    let mut grown = GrownTree { tree: Tree::default(), classes: Vec::new(), gains: Vec::new() };
    while leaves.len() < settings.leaves {
        let gain = |leaf: &Leaf| leaf.best.map_or(0.0, |split| split.gain);
        let (place, _) = leaves
            .iter()
            .enumerate()
            .max_by(|left, right| gain(left.1).total_cmp(&gain(right.1)).then(right.0.cmp(&left.0)))
            .expect("a tree has a leaf");
        let Some(split) = leaves[place].best else { break };
        let leaf = leaves.swap_remove(place);
        let node = grown.tree.nodes.len();
        let feature = features[split.place];
        grown.tree.nodes.push(Node {
            feature: feature as u16,
            threshold: examples.bins.edges[feature][usize::from(split.class)],
            less_or_equal: 0,
            greater: 0,
        });
        grown.classes.push(split.class);
        grown.gains.push(split.gain);
        attach(&mut grown.tree, leaf.parent, node as i16);
        leaves.extend(divide(examples, gradients, leaf, features, split, node, settings));
    }
    for leaf in leaves {
        let place = grown.tree.leaves.len();
        let value = -leaf.total.gradient / (leaf.total.curvature + settings.shrink);
        grown.tree.leaves.push((value * settings.rate) as f32);
        attach(&mut grown.tree, leaf.parent, !(place as i16));
    }
    grown
}

fn attach(tree: &mut Tree, on: Option<(usize, bool)>, child: i16) {
    if let Some((node, greater)) = on {
        let node = &mut tree.nodes[node];
        *(if greater { &mut node.greater } else { &mut node.less_or_equal }) = child;
    }
}

fn divide(
    examples: &Examples,
    gradients: &Gradients<'_>,
    leaf: Leaf,
    features: &[usize],
    split: Split,
    node: usize,
    settings: &Settings,
) -> [Leaf; 2] {
    let column = &examples.columns[features[split.place]];
    let (left, right): (Vec<u32>, Vec<u32>) =
        leaf.rows.iter().partition(|&&row| column[row as usize] <= split.class);
    let small_is_left = left.len() <= right.len();
    let small = if small_is_left { &left } else { &right };
    let small_histogram = sum_histogram(examples, gradients, small, features);
    let mut large_histogram = leaf.histogram;
    for (large, small) in large_histogram.iter_mut().zip(&small_histogram) {
        for (large, small) in large.iter_mut().zip(small) {
            *large = large.without(*small);
        }
    }
    let (left_histogram, right_histogram) = if small_is_left {
        (small_histogram, large_histogram)
    } else {
        (large_histogram, small_histogram)
    };
    [(left, left_histogram, false), (right, right_histogram, true)].map(
        |(rows, histogram, side)| {
            let total = total(&histogram);
            let mut leaf = Leaf { rows, total, histogram, best: None, parent: Some((node, side)) };
            leaf.best = best_split(&leaf, settings);
            leaf
        },
    )
}

fn sum_histogram(
    examples: &Examples,
    gradients: &Gradients<'_>,
    rows: &[u32],
    features: &[usize],
) -> Histogram {
    // Gathered once, so that each feature reads them in order.
    let gathered: Vec<(f32, f32)> = rows
        .iter()
        .map(|&row| (gradients.gradient[row as usize], gradients.curvature[row as usize]))
        .collect();
    features
        .par_iter()
        .map(|&feature| {
            let column = &examples.columns[feature];
            let mut sums = [GradientSum::default(); 256];
            for (&row, &(gradient, curvature)) in rows.iter().zip(&gathered) {
                let sum = &mut sums[usize::from(column[row as usize])];
                sum.gradient += f64::from(gradient);
                sum.curvature += f64::from(curvature);
                sum.rows += 1;
            }
            sums
        })
        .collect()
}

fn total(histogram: &Histogram) -> GradientSum {
    let mut total = GradientSum::default();
    if let Some(first) = histogram.first() {
        for sum in first {
            total.add(*sum);
        }
    }
    total
}

fn best_split(leaf: &Leaf, settings: &Settings) -> Option<Split> {
    if leaf.total.rows < 2 * settings.min_rows {
        return None;
    }
    let whole = leaf.total.gain(settings);
    let candidates = leaf.histogram.par_iter().enumerate().filter_map(|(place, sums)| {
        let mut below = GradientSum::default();
        let mut best: Option<Split> = None;
        for (class, sum) in sums.iter().enumerate().take(255) {
            below.add(*sum);
            if below.rows < settings.min_rows || sum.rows == 0 {
                continue;
            }
            let above = leaf.total.without(below);
            if above.rows < settings.min_rows {
                break;
            }
            let gain = below.gain(settings) + above.gain(settings) - whole;
            if gain > settings.min_gain && best.is_none_or(|best| gain > best.gain) {
                best = Some(Split { gain, place, class: class as u8 });
            }
        }
        best
    });
    let better = |left: &Split, right: &Split| {
        left.gain.total_cmp(&right.gain).then(right.place.cmp(&left.place))
    };
    candidates.max_by(better)
}
