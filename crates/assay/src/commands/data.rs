//! `assay data`: list, check and measure datasets.

use std::path::PathBuf;

use assay_core::{Result, Task, agreeing, counted, exit_code, shown_line};
use assay_data::catalogue::{self, ListedDataset};
use assay_data::codrep::Dataset;
use assay_data::codrep::stats::{Spread, Stats, stats as measure};
use assay_data::codrep::verify::{Malformed, Verified, verify as check};
use assay_tasks::TaskRegistry;
use serde::Serialize;

use super::{data_root, split_paths};
use crate::args::DatasetArguments;
use crate::output::{self, Column, Table};

pub(crate) fn list(root: Option<PathBuf>, json: bool) -> Result<u8> {
    let root = data_root(root)?;
    let mut folders: Vec<(&str, &str)> = Vec::new();
    let tasks = TaskRegistry::built_in();
    for card in tasks.iter().map(Task::card) {
        // Tasks that share their data are listed once.
        if folders.iter().all(|(_, folder)| *folder != card.folder) {
            folders.push((&card.name, &card.folder));
        }
    }
    let list = |(task, folder)| catalogue::list(&root, task, folder);
    let listed: Vec<ListedDataset> = folders.into_iter().flat_map(list).collect();
    if json {
        output::json_pretty(&listed)?;
        return Ok(exit_code::DONE);
    }
    let rows = listed.iter().map(|entry| {
        let path = entry.path.as_ref().map(|path| path.display().to_string());
        [
            entry.name.clone(),
            entry.problems.map_or_else(|| "?".to_owned(), |count| count.to_string()),
            path.unwrap_or_else(|| "absent".to_owned()),
            entry.about.clone(),
        ]
    });
    let columns = [
        Column::text("dataset"),
        Column::number("problems"),
        Column::text("where"),
        Column::prose("what").left_out(2),
    ];
    Table::new(columns).with_option("--json").rows(rows).print()?;
    output::print_message(&format!("looked in {}", root.display()));
    Ok(exit_code::DONE)
}

pub(crate) fn verify(arguments: &DatasetArguments) -> Result<u8> {
    #[derive(Serialize)]
    struct Report<'a> {
        sound: bool,
        datasets: &'a [Verified],
    }

    let datasets = Dataset::open_all(&split_paths(&arguments.paths)?, true)?;
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
    let datasets = Dataset::open_all(&split_paths(&arguments.paths)?, true)?;
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
        [
            "replaced line stands there more than once".to_owned(),
            known(stats.replaced_line_repeated),
        ],
        ["new line stands there already".to_owned(), share(stats.new_line_present)],
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
