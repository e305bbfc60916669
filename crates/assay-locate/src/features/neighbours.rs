//! The lines around, and the lines that are similar to the new one.

use super::{Candidate, Sink, TaskContext};
use crate::similarity::Pattern;

/// The distance used for anything farther away.
pub(crate) const FAR: f32 = 1000.0;

pub(super) fn describe(task: &TaskContext<'_>, candidate: &Candidate<'_>, out: &mut dyn Sink) {
    let (at, lines) = (candidate.at, &task.source.lines);
    let indel = &task.overview.indel;
    let last = lines.len() - 1;
    let equal = (0..lines.len()).filter(|&line| lines[line].squeezed == task.query.squeezed);
    let distance = equal.map(|line| line.abs_diff(at) as f32).fold(FAR, f32::min);
    out.put("nearest line like new", distance);
    let like_new = |reach: usize| {
        let (from, to) = (at.saturating_sub(reach), (at + reach).min(last));
        (from..=to).filter(|&line| line != at).map(|line| indel[line]).fold(-1.0, f32::max)
    };
    out.put("new like within 2", like_new(2));
    out.put("new like within 5", like_new(5));
    out.put("new like within 20", like_new(20));
    let here = indel[at];
    let close = indel.iter().filter(|&&other| (other - here).abs() < 0.03).count();
    out.put("lines as like", close as f32);
    let better = indel.iter().filter(|&&other| other > here).count();
    out.put("lines more like", better as f32);
    let shared = &task.overview.shared;
    let sum = |reach: usize| {
        let (from, to) = (at.saturating_sub(reach), (at + reach).min(last));
        (from..=to).filter(|&line| line != at).map(|line| shared[line]).sum::<f32>()
    };
    out.put("shared rarity within 1", sum(1));
    out.put("shared rarity within 3", sum(3));
    out.put("shared rarity within 10", sum(10));
    let pattern = Pattern::new(candidate.text);
    let like_old = |line: Option<usize>| {
        line.and_then(|line| lines.get(line)).map_or(-1.0, |line| pattern.indel(line.text))
    };
    let (before, after) = (like_old(at.checked_sub(1)), like_old(Some(at + 1)));
    out.put("old like line before", before);
    out.put("old like line after", after);
    let new_like = |line: Option<usize>| {
        line.and_then(|line| lines.get(line))
            .map_or(-1.0, |line| task.query.pattern.indel(line.text))
    };
    let (new_before, new_after) = (new_like(at.checked_sub(1)), new_like(Some(at + 1)));
    out.put("new like line before", new_before);
    out.put("new like line after", new_after);
    out.put("fits between better", new_before.max(new_after) - before.max(after));
}
