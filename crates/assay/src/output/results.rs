//! The numbers of runs, with their intervals and everything that they depend on.

use std::path::Path;

use assay_core::{
    Counts, Estimate, GoldRate, Minimum, Named, Result, Results, counted, shown_line,
};

use assay_tasks::TaskRegistry;

use super::table::{Column, INTERVAL, Table};
use super::terminal::Page;
use super::{detail, listing, print};

/// The greatest width of a solver's name beside numbers.
const SOLVER_WIDTH: usize = 24;
/// The importance of columns; those with the highest number are left out first.
const COUNTS: u8 = 1;
const OTHER_METRICS: u8 = 2;

/// The parts of results that are shown.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct ResultsView {
    /// True to show every metric with all digits and the whole signature.
    pub(crate) is_detailed: bool,
    /// True to name the metrics that were asked for and cannot be computed.
    pub(crate) names_left_out: bool,
}

/// Prints runs, one task after another: the main number first, with its interval, n and signature.
pub(crate) fn show_results(results: &[&Results], view: ResultsView) -> Result<()> {
    let tasks = TaskRegistry::built_in();
    let ordered: Vec<Results> = results.iter().map(|results| main_first(results, &tasks)).collect();
    let ordered: Vec<&Results> = ordered.iter().collect();
    let mut rest = ordered.as_slice();
    while let Some(first) = rest.first() {
        let same = rest.iter().take_while(|results| results.task == first.task).count();
        let (of_task, others) = rest.split_at(same);
        match of_task {
            several if view.is_detailed => detail::show(several)?,
            [alone] => print(&one_run(alone, Page::of_standard_output()))?,
            several => print(&side_by_side(several, Page::of_standard_output()))?,
        }
        for line in remarks(of_task, view) {
            print(&Page::of_standard_output().wrap_words("  ", &line))?;
        }
        if !view.is_detailed {
            print(&signatures(of_task, Page::of_standard_output()))?;
        }
        rest = others;
        if !rest.is_empty() {
            print("\n")?;
        }
    }
    Ok(())
}

/// The results with the metric that the task ranks by in front.
fn main_first(results: &Results, tasks: &TaskRegistry) -> Results {
    let mut results = results.clone();
    let main = tasks.find(&results.task).ok().and_then(|task| task.card().metrics.first());
    let place = main.and_then(|main| results.metrics.get_index_of(&*main.name));
    if let Some(place) = place {
        results.metrics.move_index(place, 0);
    }
    results
}

/// Says in one line where the runs are recorded; a detailed view lists every folder.
pub(crate) fn show_folders(folders: &[&Path], view: ResultsView) -> Result<()> {
    match folders {
        [] => Ok(()),
        [alone] => print(&format!("  record {}\n", shown_line(&alone.display().to_string()))),
        several if view.is_detailed => {
            listing("records", several.iter().map(|folder| folder.display().to_string()))
        }
        [first, ..] => {
            let parent = first.parent().unwrap_or(first).display().to_string();
            let count = folders.len();
            print(&format!("records: {count} folders in {}; -v lists them\n", shown_line(&parent)))
        }
    }
}

/// A run: its main number on the first line, its other metrics below.
fn one_run(results: &Results, page: Page) -> String {
    let solver = if page.is_unlimited() {
        shown_line(&results.solver).into_owned()
    } else {
        shorten(&results.solver, 2 * SOLVER_WIDTH)
    };
    let mut parts = vec![results.task.clone(), solver];
    let mut others = results.metrics.iter();
    match others.next() {
        Some((name, main)) => {
            parts.push(format!("{name} {}", with_interval(main, Digits::of([main]))));
            parts.push(format!("n {}", main.n));
        }
        None => parts.push("no metric can be computed".to_owned()),
    }
    parts.push(format!("· {}", counts_in_words(results)));
    let n = results.metrics.first().map_or(0, |(_, main)| main.n);
    let others: Vec<String> = others.map(|(name, it)| secondary(name, it, n)).collect();
    let mut text = page.wrap_parts(&parts, "  ", 2);
    if !others.is_empty() {
        text += &page.wrap_parts(&[vec![String::new()], others].concat(), "  ", 2);
    }
    text + &minimums(results, page)
}

/// A further metric, with its own n where that differs from the main metric's.
fn secondary(name: &str, estimate: &Estimate, n: usize) -> String {
    let text = format!("{name} {}", with_interval(estimate, Digits::of([estimate])));
    if estimate.n == n { text } else { format!("{text} n {}", estimate.n) }
}

/// The outcomes that occur, which add up to n or to the total before them.
fn counts_in_words(results: &Results) -> String {
    let Counts { problems, samples, .. } = results.counts;
    let outcomes = outcomes(&results.counts).into_iter().enumerate();
    let occur = outcomes.filter(|(at, (_, count))| *at == 0 || *count > 0);
    let words: Vec<String> = occur.map(|(_, (name, count))| format!("{count} {name}")).collect();
    let words = words.join(", ");
    let n = results.metrics.first().map_or(0, |(_, main)| main.n);
    match (samples == n, samples > problems) {
        (true, _) => words,
        (false, true) => format!("{samples} samples: {words}"),
        (false, false) => format!("{}: {words}", counted(problems, "problem")),
    }
}

/// The classes that add up to all samples, with their names.
pub(super) fn outcomes(counts: &Counts) -> [(&'static str, usize); 5] {
    [
        ("passed", counts.passed),
        ("failed", counts.failed),
        ("timed out", counts.timed_out),
        ("not answered", counts.not_answered),
        ("excluded", counts.excluded),
    ]
}

/// A table with a row per solver.
fn side_by_side(results: &[&Results], page: Page) -> String {
    let names = metric_names(results);
    let mut columns = vec![Column::text("solver")];
    for (place, name) in names.iter().enumerate() {
        let column = Column::number(format!("{name}{INTERVAL}"));
        columns.push(if place == 0 { column.always() } else { column.left_out(OTHER_METRICS) });
    }
    columns.push(Column::number("n").always());
    let all: Vec<_> = results.iter().map(|results| outcomes(&results.counts)).collect();
    let occur: Vec<usize> =
        (0..5).filter(|&at| at < 2 || all.iter().any(|counts| counts[at].1 > 0)).collect();
    let has_total = results.iter().any(|results| total(results) != main_n(results));
    if has_total {
        columns.push(Column::number("all").left_out(COUNTS));
    }
    columns.extend(occur.iter().map(|&at| Column::number(all[0][at].0).left_out(COUNTS)));
    let digits: Vec<Digits> = names.iter().map(|name| digits_of(results, name)).collect();
    let rows = results.iter().zip(&all).map(|(results, counts)| {
        let mut row = vec![shorten(&results.solver, SOLVER_WIDTH)];
        let numbers = names.iter().zip(&digits);
        row.extend(numbers.map(|(name, digits)| cell(results, name, *digits)));
        row.push(main_n(results).to_string());
        row.extend(has_total.then(|| total(results).to_string()));
        row.extend(occur.iter().map(|&at| counts[at].1.to_string()));
        row
    });
    let table = Table::new(columns).with_option("-v").rows(rows).render(page);
    let minimums: String = results.iter().map(|results| minimums(results, page)).collect();
    format!("{}\n{table}{minimums}", title(results[0]))
}

pub(super) fn title(results: &Results) -> String {
    let Counts { problems, samples, .. } = results.counts;
    let problems_text = counted(problems, "problem");
    if samples > problems {
        format!("{} on {problems_text}, {samples} samples", results.task)
    } else {
        format!("{} on {problems_text}", results.task)
    }
}

fn total(results: &Results) -> usize {
    results.counts.samples
}

fn main_n(results: &Results) -> usize {
    results.metrics.first().map_or(0, |(_, estimate)| estimate.n)
}

/// A metric of a run, with its own n where that differs from the main metric's.
fn cell(results: &Results, name: &str, digits: Digits) -> String {
    let Some(estimate) = results.metrics.get(name) else { return "-".to_owned() };
    let text = with_interval(estimate, digits);
    if estimate.n == main_n(results) { text } else { format!("{text} n {}", estimate.n) }
}

/// The names of all metrics of these runs, in the order of the first run that has them.
pub(super) fn metric_names<'a>(results: &[&'a Results]) -> Vec<&'a str> {
    let mut names: Vec<&str> = Vec::new();
    for name in results.iter().flat_map(|results| results.metrics.keys()) {
        if !names.contains(&name.as_ref()) {
            names.push(name);
        }
    }
    names
}

/// Remarks that belong to the numbers, each once.
fn remarks(of_task: &[&Results], view: ResultsView) -> Vec<String> {
    let mut lines: Vec<String> = Vec::new();
    for results in of_task {
        let gold = results.gold.filter(|gold| view.is_detailed || gold.passed < gold.of);
        let gold = gold.map(|GoldRate { passed, of }| {
            format!("gold: {passed} of the task's {of} own programs pass on this machine")
        });
        let left_out = if view.names_left_out { left_out(&results.left_out) } else { Vec::new() };
        for line in gold.into_iter().chain(left_out) {
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

/// The short hashes of the signatures, by solver if there are several.
fn signatures(of_task: &[&Results], page: Page) -> String {
    if let [alone] = of_task {
        return format!("  signature {}\n", alone.signature.short());
    }
    let mut parts = vec!["signatures:".to_owned()];
    for (place, results) in of_task.iter().enumerate() {
        let comma = if place + 1 < of_task.len() { "," } else { "" };
        let solver = shorten(&results.solver, SOLVER_WIDTH);
        parts.push(format!("{solver} {}{comma}", results.signature.short()));
    }
    page.wrap_parts(&parts, " ", 2)
}

/// The task's own thresholds for its metrics, on one line; empty if it has none.
pub(super) fn minimums(results: &Results, page: Page) -> String {
    if results.minimums.is_empty() {
        return String::new();
    }
    let each = results.minimums.iter().map(|(name, Minimum { minimum, met })| {
        let met = match met {
            Some(true) => "met",
            Some(false) => "missed",
            None => "not scored",
        };
        format!("{name} {minimum} {met}")
    });
    let solver = shorten(&results.solver, SOLVER_WIDTH);
    page.wrap_words(
        "  ",
        &format!("minimums for {solver}: {}", each.collect::<Vec<_>>().join(", ")),
    )
}

/// The number of decimals of a metric.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Digits(usize);

impl Digits {
    /// Three decimals for a number between 0 and 1, two for what is counted in percent.
    fn of<'a>(estimates: impl IntoIterator<Item = &'a Estimate>) -> Self {
        let is_large = estimates.into_iter().any(|estimate| estimate.high > 1.0);
        Self(if is_large { 2 } else { 3 })
    }
}

/// A number between 0 and 1 with its interval, in few digits.
pub(crate) fn brief(estimate: &Estimate) -> String {
    with_interval(estimate, Digits(2))
}

fn digits_of(results: &[&Results], name: &str) -> Digits {
    Digits::of(results.iter().filter_map(|results| results.metrics.get(name)))
}

/// A number with its interval.
fn with_interval(estimate: &Estimate, Digits(digits): Digits) -> String {
    let Estimate { value, low, high, .. } = estimate;
    format!("{value:.digits$} [{low:.digits$}, {high:.digits$}]")
}

/// A name without its middle if it is too long: what tells two programs apart is often at the end.
pub(super) fn shorten(text: &str, most: usize) -> String {
    let text = &*shown_line(text);
    let letters: Vec<char> = text.chars().collect();
    if letters.len() <= most {
        return text.to_owned();
    }
    let end = (most - 1) / 2;
    let start = most - 1 - end;
    let kept = |letters: &[char]| letters.iter().collect::<String>();
    format!("{}…{}", kept(&letters[..start]), kept(&letters[letters.len() - end..]))
}
