//! Features quantised to small numbers.

use crate::Table;

/// The maximum number of classes per feature.
const MAX_CLASSES: usize = 255;

/// The values that divide the classes of each feature.
#[derive(Debug, Clone, Default)]
pub struct Bins {
    /// The greatest value of each class but the last.
    pub(super) edges: Vec<Vec<f32>>,
}

impl Bins {
    /// Divides each feature so that each class has about the same number of values of the sample.
    pub fn fit(sample: &[Table]) -> Self {
        let width = sample.iter().map(|table| table.width).max().unwrap_or_default();
        let edges = (0..width).map(|feature| edges(values(sample, feature))).collect();
        Self { edges }
    }

    /// The number of features.
    pub fn width(&self) -> usize {
        self.edges.len()
    }

    fn class(&self, feature: usize, value: f32) -> u8 {
        self.edges[feature].partition_point(|edge| *edge < value) as u8
    }
}

fn values(sample: &[Table], feature: usize) -> Vec<f32> {
    let filled = sample.iter().filter(|table| !table.lines.is_empty());
    filled
        .flat_map(|table| table.values.iter().skip(feature).step_by(table.width).copied())
        .collect()
}

fn edges(mut values: Vec<f32>) -> Vec<f32> {
    values.sort_unstable_by(f32::total_cmp);
    let mut distinct = values.clone();
    distinct.dedup();
    if distinct.len() <= MAX_CLASSES {
        return distinct.array_windows().map(|[left, right]| middle(*left, *right)).collect();
    }
    let mut edges: Vec<f32> =
        (1..MAX_CLASSES).map(|class| values[class * values.len() / MAX_CLASSES]).collect();
    edges.dedup();
    edges
}

fn middle(left: f32, right: f32) -> f32 {
    let middle = left + (right - left) / 2.0;
    if middle < right { middle } else { left }
}

/// Tasks for training or testing.
#[derive(Debug, Default)]
pub struct Examples {
    pub(super) bins: Bins,
    /// The classes of each feature, one column per feature.
    pub(super) columns: Vec<Vec<u8>>,
    pub(super) groups: Vec<Group>,
}

/// The candidates of one task.
#[derive(Debug, Clone, Copy)]
pub(super) struct Group {
    pub(super) from: u32,
    pub(super) to: u32,
    /// The row of the right candidate.
    pub(super) right: Option<u32>,
}

impl Examples {
    /// No tasks yet.
    pub fn new(bins: Bins) -> Self {
        let columns = vec![Vec::new(); bins.width()];
        Self { bins, columns, groups: Vec::new() }
    }

    /// The classes of a table's values, to be added later: this part can run on any thread.
    pub fn classify(bins: &Bins, table: &Table) -> Vec<u8> {
        let width = bins.width();
        let mut classes = Vec::with_capacity(table.values.len());
        for (at, value) in table.values.iter().enumerate() {
            classes.push(bins.class(at % width, *value));
        }
        classes
    }

    /// Adds a task with `rows` candidates, of which the one at `right` is right.
    pub fn add(&mut self, classes: &[u8], rows: usize, right: Option<usize>) {
        let from = self.rows();
        let width = self.columns.len();
        for (feature, column) in self.columns.iter_mut().enumerate() {
            column.extend(classes.iter().skip(feature).step_by(width));
        }
        let right = right.map(|right| (from + right) as u32);
        self.groups.push(Group { from: from as u32, to: (from + rows) as u32, right });
    }

    /// The number of candidates in all tasks.
    pub fn rows(&self) -> usize {
        self.groups.last().map_or(0, |group| group.to as usize)
    }

    /// The number of tasks.
    pub fn tasks(&self) -> usize {
        self.groups.len()
    }
}
