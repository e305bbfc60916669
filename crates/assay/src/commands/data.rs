//! `assay data`: list, check and measure datasets.

use std::path::PathBuf;

use assay_core::{DataChoice, Result, agreeing, counted, exit_code, shown_line};
use assay_data::catalogue::{self, ListedDataset, Recognised, Recognition};
use assay_data::codrep::Dataset;
use assay_data::codrep::stats::{Spread, Stats, stats as measure};
use assay_data::codrep::verify::{Malformed, Verified, verify as check};
use serde::Serialize;

use super::{SAMPLE, data_at, data_root};
use crate::args::DatasetArguments;
use crate::output::{self, Column, Table};

pub(crate) fn list(root: Option<PathBuf>, check: bool, json: bool) -> Result<u8> {
    let root = data_root(root)?;
    let listed = catalogue::list(&root, check);
    if json {
        output::json_pretty(&listed)?;
        return Ok(exit_code::DONE);
    }
    for dataset in &listed {
        output::print(&described(dataset))?;
    }
    output::print_message(&format!(
        "looked in {}; problems of every task are inside the program: --data {SAMPLE}",
        root.display()
    ));
    Ok(exit_code::DONE)
}

/// A dataset in a few lines: what it is, where it is or would be, and where it comes from.
fn described(dataset: &ListedDataset) -> String {
    let ListedDataset { name, problems, tasks, about, path, looked_for, .. } = dataset;
    let problems =
        problems.map_or_else(String::new, |count| format!("{}, ", counted(count, "problem")));
    let mut lines =
        vec![format!("{name}: {about}"), format!("  {problems}for {}", tasks.join(", "))];
    match path {
        Some(path) => lines.push(format!(
            "  here: {} ({}), {}",
            path.display(),
            size(dataset.bytes.unwrap_or_default()),
            content(dataset.content.as_ref())
        )),
        None => lines.push(format!("  absent; looked for {}", names(looked_for))),
    }
    if let Some(publisher) = &dataset.publisher {
        let licence = dataset.licence.as_deref().unwrap_or("licence not stated");
        lines.push(format!("  from {publisher} ({licence})"));
    }
    lines.iter().map(|line| output::wrapped(&shown_line(line))).collect()
}

/// The names of files that are looked for, in one line.
fn names(looked_for: &[String]) -> String {
    match looked_for {
        [] => "nothing".to_owned(),
        [one] => one.clone(),
        [first @ .., last] => format!("{} or {last}", first.join(", ")),
    }
}

fn content(content: Option<&Recognition>) -> String {
    let Some(Recognition { recognised, version, .. }) = content else { return String::new() };
    match (recognised, version) {
        (Recognised::Known, Some(version)) => format!("exactly the published {version}"),
        (Recognised::Unchecked, _) => "content not checked".to_owned(),
        _ => "content of no known version".to_owned(),
    }
}

fn size(bytes: u64) -> String {
    match bytes {
        0..1_000 => counted(bytes, "byte"),
        1_000..1_000_000 => format!("{:.1} kB", bytes as f64 / 1e3),
        _ => format!("{:.1} MB", bytes as f64 / 1e6),
    }
}

/// The CodRep datasets with these names: paths, or the problems inside the binary.
fn open_datasets(names: &[String]) -> Result<Vec<Dataset>> {
    match data_at(names)? {
        DataChoice::Sample => Dataset::open_store(assay_tasks::codrep_sample(), true),
        DataChoice::Paths(paths) => Dataset::open_all(&paths, true),
    }
}

pub(crate) fn verify(arguments: &DatasetArguments) -> Result<u8> {
    #[derive(Serialize)]
    struct Report<'a> {
        sound: bool,
        datasets: &'a [Verified],
    }

    let datasets = open_datasets(&arguments.paths)?;
    let verified: Vec<Verified> = datasets.iter().map(check).collect::<Result<_>>()?;
    let sound = verified.iter().all(|dataset| dataset.malformed.is_empty());
    if arguments.json {
        output::json_pretty(&Report { sound, datasets: &verified })?;
    } else {
        verified.iter().try_for_each(show_verified)?;
    }
    Ok(if sound { exit_code::DONE } else { exit_code::REFUSED })
}

fn show_verified(verified: &Verified) -> Result<()> {
    for Malformed { file, line, reason } in &verified.malformed {
        let place = line.map_or_else(String::new, |line| format!(":{line}"));
        output::print(&format!("{}\n", shown_line(&format!("{file}{place}: {reason}"))))?;
    }
    let known = match verified.published_as {
        Some(name) => format!("exactly the published {name}"),
        None => "not a dataset of the catalogue".to_owned(),
    };
    let malformed = match verified.malformed.len() {
        0 => "sound".to_owned(),
        count => format!("{} {} wrong", counted(count, "thing"), agreeing(count, "is", "are")),
    };
    output::print(&format!(
        "{}: {}, {malformed}; {known}\n  content {}\n",
        verified.dataset,
        counted(verified.tasks, "task"),
        verified.digest
    ))
}

pub(crate) fn stats(arguments: &DatasetArguments) -> Result<u8> {
    let datasets = open_datasets(&arguments.paths)?;
    let stats = measure(&datasets)?;
    if arguments.json {
        output::json_pretty(&stats)?;
    } else {
        show_stats(&stats)?;
    }
    Ok(exit_code::DONE)
}

fn show_stats(stats: &Stats) -> Result<()> {
    let share = |count: usize| {
        let percent = 100.0 * count as f64 / stats.files.max(1) as f64;
        format!("{count} ({percent:.1} %)")
    };
    let known =
        |count: Option<usize>| count.map_or_else(|| "solutions not known".to_owned(), share);
    let rows = [
        ["datasets".to_owned(), stats.datasets.join(", ")],
        ["files".to_owned(), stats.files.to_string()],
        ["unreadable".to_owned(), stats.unreadable.to_string()],
        ["bytes".to_owned(), stats.bytes.to_string()],
        ["lines".to_owned(), stats.lines.to_string()],
        ["duplicate files".to_owned(), share(stats.duplicate_files)],
        ["distinct new lines".to_owned(), share(stats.distinct_new_lines)],
        ["distinct changes".to_owned(), known(stats.distinct_changes)],
        ["replaced line occurs more than once".to_owned(), known(stats.replaced_line_repeated)],
        ["new line occurs already".to_owned(), share(stats.new_line_present)],
        ["with a carriage return".to_owned(), share(stats.with_carriage_return)],
        ["not UTF-8".to_owned(), share(stats.not_utf8)],
    ];
    Table::new([Column::text("what"), Column::prose("count")]).rows(rows).print()?;
    let spread = |name: &str, spread: &Spread| {
        let numbers = [
            spread.min, spread.p5, spread.p25, spread.p50, spread.p75, spread.p95, spread.p99,
            spread.max,
        ];
        let mut row = vec![name.to_owned(), format!("{:.1}", spread.mean)];
        row.extend(numbers.map(|number| number.to_string()));
        row
    };
    output::print("\n")?;
    // The quantiles next to the median are left out first.
    let columns = ["mean", "min", "5 %", "25 %", "50 %", "75 %", "95 %", "99 %", "max"]
        .into_iter()
        .zip([1, 1, 2, 3, 1, 3, 2, 4, 1])
        .map(|(title, dispensable)| Column::number(title).left_out(dispensable));
    Table::new([Column::text("length of")].into_iter().chain(columns))
        .with_option("--json")
        .rows([
            spread("program, lines", &stats.program_lines),
            spread("new line, bytes", &stats.new_line_bytes),
        ])
        .print()
}
