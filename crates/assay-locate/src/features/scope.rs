//! The uses of the added and removed names.

use super::{Candidate, Sink, TaskContext, flag, share};

/// A range of lines, both ends included; the candidate itself never counts.
type Window = (usize, usize);

pub(super) fn describe(task: &TaskContext<'_>, candidate: &Candidate<'_>, out: &mut dyn Sink) {
    let at = candidate.at;
    let last = task.source.lines.len() - 1;
    let (from, to) = task.source.method(at);
    let around = |reach: usize| (at.saturating_sub(reach), (at + reach).min(last));
    let windows: [(&str, Window); 7] = [
        ("before in method", (from.min(at), at)),
        ("after in method", (at, to.max(at))),
        ("in method", (from.min(at), to.max(at))),
        ("in file", (0, last)),
        ("within 1", around(1)),
        ("within 3", around(3)),
        ("within 20", around(20)),
    ];
    let sets = [
        ("new names", &candidate.new_names),
        ("old names", &candidate.old_names),
        ("all names", &candidate.all_names),
    ];
    for (set, names) in sets {
        out.put(set, names.len() as f32);
        for (window, lines) in windows {
            let used = names.iter().filter(|name| occurs(task, **name, lines, at));
            out.put_named(format_args!("{set} {window}"), share(used.count(), names.len()));
        }
        for (window, lines) in [windows[0], windows[2], windows[5], windows[6]] {
            out.put_named(
                format_args!("{set} {window}, by rarity"),
                weighted(task, names, lines, at),
            );
        }
        let (nearest, preceding) = nearest(task, names, at);
        out.put_named(format_args!("{set} nearest"), nearest);
        out.put_named(format_args!("{set} nearest before"), preceding);
        let rarest = names.iter().map(|name| task.rarity(*name)).fold(0.0, f32::max);
        out.put_named(format_args!("{set} rarest"), rarest);
    }
    let unseen = candidate.new_names.iter().filter(|name| !occurs(task, **name, (0, last), at));
    out.put("new names unseen", unseen.count() as f32);
    out.put("method lines", (to - from.min(to)) as f32);
    out.put("place in method", share(at.saturating_sub(from), (to - from.min(to)).max(1)));
    out.put("place in file", share(at, last.max(1)));
    let block = &task.source.blocks[task.source.lines[at].block as usize];
    out.put("depth", block.depth as f32);
    out.put("outside methods", flag(block.method == 0));
    out.put("indent", task.source.lines[at].indent as f32);
    out.put("lines of block", (block.to - block.from) as f32);
    words(task, candidate, block.header as usize, from, out);
}

/// Returns whether a name occurs on a line of the window other than `at`.
fn occurs(task: &TaskContext<'_>, name: u64, window: Window, at: usize) -> bool {
    task.occurrences.get(&name).is_some_and(|lines| any_within(lines, window, at))
}

/// Returns whether any of the sorted lines other than `at` is in the window.
fn any_within(lines: &[u32], (from, to): Window, at: usize) -> bool {
    let start = lines.partition_point(|&line| (line as usize) < from);
    lines[start..].iter().take_while(|&&line| line as usize <= to).any(|&line| line as usize != at)
}

fn weighted(task: &TaskContext<'_>, names: &[u64], window: Window, at: usize) -> f32 {
    let mut used = 0.0;
    let mut all = 0.0;
    for name in names {
        let rarity = task.rarity(*name);
        all += rarity;
        if occurs(task, *name, window, at) {
            used += rarity;
        }
    }
    if all > 0.0 { used / all } else { 0.0 }
}

/// The distance to the nearest use of any of the names, and to the nearest one before.
fn nearest(task: &TaskContext<'_>, names: &[u64], at: usize) -> (f32, f32) {
    const FAR: usize = 1000;
    let (mut nearest, mut preceding) = (FAR, FAR);
    for lines in names.iter().filter_map(|name| task.occurrences.get(name)) {
        let place = lines.partition_point(|&line| (line as usize) < at);
        if let Some(before) = place.checked_sub(1) {
            preceding = preceding.min(at - lines[before] as usize);
        }
        let after = lines[place..].iter().find(|&&line| line as usize != at);
        nearest = nearest.min(after.map_or(FAR, |&line| line as usize - at));
    }
    (nearest.min(preceding) as f32, preceding as f32)
}

/// Adds the occurrences of the added and removed word parts in the context lines.
fn words(
    task: &TaskContext<'_>,
    candidate: &Candidate<'_>,
    block_header: usize,
    method: usize,
    out: &mut dyn Sink,
) {
    let without = |from: &[u64], other: &[u64]| -> Vec<u64> {
        from.iter().copied().filter(|word| other.binary_search(word).is_err()).collect()
    };
    let new = without(&task.words, &candidate.words);
    let old = without(&candidate.words, &task.words);
    let last = task.source.lines.len() - 1;
    let at = candidate.at;
    let around = |reach: usize| (at.saturating_sub(reach), (at + reach).min(last));
    let line = |line: usize| (line.min(last), line.min(last));
    let contexts = [
        ("method header", line(method)),
        ("block header", line(block_header)),
        ("within 1", around(1)),
        ("within 3", around(3)),
        ("within 10", around(10)),
    ];
    for (context, window) in contexts {
        for (set, of) in [("new", &new), ("old", &old), ("all", &task.words)] {
            let stands = |word: &&u64| {
                task.word_lines.get(word).is_some_and(|lines| any_within(lines, window, at))
            };
            let found = of.iter().filter(stands).count();
            out.put_named(format_args!("{set} words {context}"), share(found, of.len()));
        }
    }
}
