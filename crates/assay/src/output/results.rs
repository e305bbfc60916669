//! The numbers of runs, with their intervals and everything that they depend on.

use assay_core::{Counts, Estimate, GoldRate, Minimum, Named, Result, Results, shown_line};
use comfy_table::{CellAlignment, Table};

use super::terminal::Page;
use super::{STYLE, listing, print};

const INTERVAL_TITLE: &str = " [95 %]";
/// The space between columns, and the last column.
const COLUMN_GAP: usize = 3;
const N_WIDTH: usize = 7;

/// Prints runs side by side, one task after another, with everything that their numbers depend on.
pub(crate) fn results_tables(results: &[&Results]) -> Result<()> {
    let mut rest = results;
    while let Some(first) = rest.first() {
        let same = rest.iter().take_while(|results| results.task == first.task).count();
        let (of_task, others) = rest.split_at(same);
        print(&format!("{}\n", title(first)))?;
        match of_task {
            [alone] => numbers(metric_header(), metric_rows(alone))?,
            several => side_by_side(several)?,
        }
        for line in remarks(of_task) {
            print(&format!("{line}\n"))?;
        }
        print("\n")?;
        let header = ["solver", "all", "passed", "failed", "timed out", "not answered", "excluded"];
        numbers(
            header.map(str::to_owned).to_vec(),
            of_task.iter().map(|results| counts_row(results)),
        )?;
        for results in of_task.iter().filter(|results| !results.minimums.is_empty()) {
            print("\n")?;
            numbers(minimum_header(), minimum_rows(results))?;
        }
        rest = others;
        if !rest.is_empty() {
            print("\n")?;
        }
    }
    print("\n")?;
    listing("signature (same signature, same number)", signatures(results))
}

fn title(results: &Results) -> String {
    let Counts { problems, samples, .. } = results.counts;
    if samples > problems {
        format!("{} on {problems} problems, {samples} samples", results.task)
    } else {
        format!("{} on {problems} problems", results.task)
    }
}

/// Remarks that belong to the numbers, each once.
fn remarks(of_task: &[&Results]) -> Vec<String> {
    let mut lines: Vec<String> = Vec::new();
    for results in of_task {
        let gold = results.gold.map(|GoldRate { passed, of }| {
            format!("gold: {passed} of the task's {of} own programs pass on this machine")
        });
        for line in gold.into_iter().chain(left_out(&results.left_out)) {
            if !lines.contains(&line) {
                lines.push(line);
            }
        }
    }
    lines
}

/// The metrics that are left out, one line per reason.
fn left_out(metrics: &Named<String>) -> Vec<String> {
    let mut reasons: Vec<(&str, Vec<&str>)> = Vec::new();
    for (metric, why) in metrics {
        match reasons.iter_mut().find(|(known, _)| known == why) {
            Some((_, metrics)) => metrics.push(metric),
            None => reasons.push((why, vec![metric])),
        }
    }
    let line = |(why, metrics): (&str, Vec<&str>)| match metrics.as_slice() {
        [] => String::new(),
        [one] => format!("{one} is left out: {why}"),
        [some @ .., last] => format!("{} and {last} are left out: {why}", some.join(", ")),
    };
    reasons.into_iter().map(line).collect()
}

/// The signatures, in one line if runs differ only in their solvers.
fn signatures(results: &[&Results]) -> Vec<String> {
    const SOLVER: &str = "|solver:";
    let mut lines: Vec<String> = Vec::new();
    for results in results {
        let signature = results.signature.to_string();
        let (common, solver) = signature.rsplit_once(SOLVER).unwrap_or((&signature, ""));
        let start = format!("{common}{SOLVER}");
        match lines.last_mut() {
            Some(line) if !solver.is_empty() && line.starts_with(&start) => {
                *line += &format!(" or {solver}");
            }
            _ => lines.push(signature.clone()),
        }
    }
    lines
}

/// Prints a table of numbers, whose cells are not wrapped.
fn numbers(header: Vec<String>, rows: impl Iterator<Item = Vec<String>>) -> Result<()> {
    let mut table = Table::new();
    table.load_style(STYLE);
    table.set_header(header);
    table.add_rows(rows);
    for column in table.column_iter_mut().skip(1) {
        column.set_cell_alignment(CellAlignment::Right);
    }
    print(&format!("{}\n", table.trim_fmt()))
}

/// The names of all metrics of these runs, in the order of the first run that has them.
fn metric_names<'a>(results: &[&'a Results]) -> Vec<&'a str> {
    let mut names: Vec<&str> = Vec::new();
    for name in results.iter().flat_map(|results| results.metrics.keys()) {
        if !names.contains(&name.as_ref()) {
            names.push(name);
        }
    }
    names
}

/// Prints one column per metric, as many as fit; the rest is in the record.
fn side_by_side(results: &[&Results]) -> Result<()> {
    let mut names = metric_names(results);
    let solver = results.iter().map(|results| shorten(&results.solver).chars().count()).max();
    let fixed = solver.unwrap_or_default() + COLUMN_GAP + N_WIDTH;
    let column = |name: &str| {
        let numbers = results.iter().filter_map(|results| results.metrics.get(name));
        let widest = numbers.map(|estimate| with_interval(estimate).len()).max();
        (name.len() + INTERVAL_TITLE.len()).max(widest.unwrap_or_default()) + COLUMN_GAP
    };
    let mut left_out = Vec::new();
    while names.len() > 1
        && fixed + names.iter().map(|name| column(name)).sum::<usize>()
            > Page::of_standard_output().width
    {
        let widest = (1..names.len()).max_by_key(|&at| (column(names[at]), at)).unwrap_or(1);
        left_out.push(names.remove(widest));
    }
    let titles = names.iter().map(|name| format!("{name}{INTERVAL_TITLE}"));
    let header = ["solver".to_owned()].into_iter().chain(titles).chain(["n".to_owned()]);
    numbers(header.collect(), results.iter().map(|results| metrics_row(results, &names)))?;
    if !left_out.is_empty() {
        print(&format!("in the record, and with a wider terminal: {}\n", left_out.join(", ")))?;
    }
    Ok(())
}

/// A single run has room for one line per metric.
fn metric_header() -> Vec<String> {
    ["metric", "value", "95 %", "n"].map(str::to_owned).to_vec()
}

fn metric_rows(results: &Results) -> impl Iterator<Item = Vec<String>> {
    results.metrics.iter().map(|(name, estimate)| {
        vec![
            name.to_string(),
            format!("{:.4}", estimate.value),
            format!("[{:.4}, {:.4}]", estimate.low, estimate.high),
            estimate.n.to_string(),
        ]
    })
}

fn minimum_header() -> Vec<String> {
    ["solver", "metric", "value", "minimum", "met"].map(str::to_owned).to_vec()
}

fn minimum_rows(results: &Results) -> impl Iterator<Item = Vec<String>> {
    results.minimums.iter().map(|(name, Minimum { minimum, met })| {
        let value = results.metrics.get(name);
        let value = value.map_or_else(String::new, |estimate| format!("{:.3}", estimate.value));
        let met = match met {
            Some(true) => "yes",
            Some(false) => "no",
            None => "not scored",
        };
        let texts = [shorten(&results.solver), name.to_string(), value, minimum.to_string()];
        texts.into_iter().chain([met.to_owned()]).collect()
    })
}

fn with_interval(estimate: &Estimate) -> String {
    format!("{:.4} [{:.4}, {:.4}]", estimate.value, estimate.low, estimate.high)
}

fn metrics_row(results: &Results, names: &[&str]) -> Vec<String> {
    let mut row = vec![shorten(&results.solver)];
    for &name in names {
        row.push(results.metrics.get(name).map_or_else(String::new, with_interval));
    }
    let n = results.metrics.first().map_or(0, |(_, estimate)| estimate.n);
    row.push(n.to_string());
    row
}

fn counts_row(results: &Results) -> Vec<String> {
    let counts = &results.counts;
    let numbers = [
        counts.samples,
        counts.passed,
        counts.failed,
        counts.timed_out,
        counts.not_answered,
        counts.excluded,
    ];
    let numbers = numbers.into_iter().map(|count| count.to_string());
    [shorten(&results.solver)].into_iter().chain(numbers).collect()
}

fn shorten(text: &str) -> String {
    let text = &*shown_line(text);
    match text.char_indices().nth(24) {
        Some((end, _)) => format!("{}…", &text[..end]),
        None => text.to_owned(),
    }
}
