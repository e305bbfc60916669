//! Statistics of a whole dataset.

use std::collections::HashSet;
use std::ops::ControlFlow;

use assay_core::{Digest, DigestOf, LineQuestion, LineRule, Result};
use serde::Serialize;

use super::Dataset;

/// Statistics of one or several datasets.
#[derive(Debug, Serialize)]
pub struct Stats {
    /// The datasets' names.
    pub datasets: Vec<String>,
    /// The number of task files.
    pub files: usize,
    /// The number of unreadable task files; they are excluded from all other numbers.
    pub unreadable: usize,
    /// The total size of the task files.
    pub bytes: u64,
    /// The total number of lines of the programs.
    pub lines: u64,
    /// Lines per program.
    pub program_lines: Spread,
    /// Bytes of the new line.
    pub new_line_bytes: Spread,
    /// Tasks whose file is identical to an earlier one.
    pub duplicate_files: usize,
    /// Distinct new lines.
    pub distinct_new_lines: usize,
    /// Distinct pairs of replaced and new line, if the solutions are known.
    pub distinct_changes: Option<usize>,
    /// Tasks whose replaced line occurs in the file more than once.
    pub replaced_line_repeated: Option<usize>,
    /// Tasks whose new line already occurs in the file.
    pub new_line_present: usize,
    /// Tasks that contain a carriage return.
    pub with_carriage_return: usize,
    /// Tasks that are not UTF-8.
    pub not_utf8: usize,
}

/// The distribution of a number: the mean and the percentiles (nearest rank).
#[derive(Debug, Default, PartialEq, Serialize)]
#[expect(missing_docs, reason = "the names say it")]
pub struct Spread {
    pub mean: f64,
    pub min: u64,
    pub p5: u64,
    pub p25: u64,
    pub p50: u64,
    pub p75: u64,
    pub p95: u64,
    pub p99: u64,
    pub max: u64,
}

impl Spread {
    /// The spread of `values`; all zero if there are none.
    pub fn of(mut values: Vec<u64>) -> Self {
        values.sort_unstable();
        let Some((&min, &max)) = values.first().zip(values.last()) else { return Self::default() };
        let count = values.len();
        let percentile = |percent: usize| values[(count * percent).div_ceil(100).max(1) - 1];
        Self {
            mean: values.iter().sum::<u64>() as f64 / count as f64,
            min,
            p5: percentile(5),
            p25: percentile(25),
            p50: percentile(50),
            p75: percentile(75),
            p95: percentile(95),
            p99: percentile(99),
            max,
        }
    }
}

/// Reads the datasets and computes their statistics.
pub fn stats(datasets: &[Dataset]) -> Result<Stats> {
    let mut counter = Counter::default();
    for dataset in datasets {
        dataset.read(&|_| true, &mut |task| {
            match task.text.map(|text| LineQuestion::new(text, LineRule::Universal)) {
                Ok(question) => counter.add(&question, dataset.solution(task.place).ok()),
                Err(_) => counter.unreadable += 1,
            }
            Ok(ControlFlow::Continue(()))
        })?;
    }
    Ok(counter.finish(datasets))
}

#[derive(Default)]
struct Counter {
    unreadable: usize,
    bytes: u64,
    lengths: Vec<u64>,
    new_line_bytes: Vec<u64>,
    files: HashSet<Digest>,
    new_lines: HashSet<Digest>,
    changes: HashSet<Digest>,
    solved: usize,
    repeated: usize,
    present: usize,
    carriage_returns: usize,
    not_utf8: usize,
}

impl Counter {
    fn add(&mut self, question: &LineQuestion, solution: Option<usize>) {
        let text = question.text();
        self.bytes += text.len() as u64;
        self.lengths.push(question.length() as u64);
        self.new_line_bytes.push(question.line().len() as u64);
        self.files.insert(Digest::of(text));
        let new = question.line().trim_ascii();
        self.new_lines.insert(Digest::of(new));
        self.present += usize::from(count_equal(question, new) > 0);
        self.carriage_returns += usize::from(text.contains(&b'\r'));
        self.not_utf8 += usize::from(std::str::from_utf8(text).is_err());
        let replaced = solution.and_then(|line| question.program_lines().nth(line - 1));
        if let Some(old) = replaced.map(<[u8]>::trim_ascii) {
            self.solved += 1;
            self.changes.insert(DigestOf::new().field(old).field(new).finish());
            self.repeated += usize::from(count_equal(question, old) > 1);
        }
    }

    fn finish(self, datasets: &[Dataset]) -> Stats {
        let read = self.lengths.len();
        let known = self.solved > 0;
        Stats {
            datasets: datasets.iter().map(|dataset| dataset.name().to_owned()).collect(),
            files: read + self.unreadable,
            unreadable: self.unreadable,
            bytes: self.bytes,
            lines: self.lengths.iter().sum(),
            program_lines: Spread::of(self.lengths),
            new_line_bytes: Spread::of(self.new_line_bytes),
            duplicate_files: read - self.files.len(),
            distinct_new_lines: self.new_lines.len(),
            distinct_changes: known.then_some(self.changes.len()),
            replaced_line_repeated: known.then_some(self.repeated),
            new_line_present: self.present,
            with_carriage_return: self.carriage_returns,
            not_utf8: self.not_utf8,
        }
    }
}

/// Counts the program's lines that equal `wanted`, apart from surrounding white space.
fn count_equal(question: &LineQuestion, wanted: &[u8]) -> usize {
    question.program_lines().filter(|line| line.trim_ascii() == wanted).count()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn percentiles_are_by_nearest_rank() {
        let spread = Spread::of((1..=10).collect());
        assert_eq!((spread.min, spread.p5, spread.p25, spread.p50), (1, 1, 3, 5));
        assert_eq!((spread.p75, spread.p95, spread.p99, spread.max), (8, 10, 10, 10));
        assert!((spread.mean - 5.5).abs() < 1e-12);
        assert_eq!(Spread::of(vec![]), Spread::default());
    }
}
