//! Results at full length: every metric and every count of a run, and its whole signature.

use assay_core::{Counts, Result, Results, counted, shown_line};

use super::results::{minimums, outcomes, title};
use super::table::{Column, Table};
use super::terminal::Page;
use super::{print, print_wrapped};

/// Prints the runs of one task, one after another.
pub(super) fn show(of_task: &[&Results]) -> Result<()> {
    print(&format!("{}\n", title(of_task[0])))?;
    for results in of_task {
        print(&format!("\n{}\n", shown_line(&results.solver)))?;
        metrics(results).print()?;
        print(&minimums(results, Page::of_standard_output()))?;
        print_wrapped("", &counts(results))?;
        print(&signature(results, Page::of_standard_output()))?;
    }
    Ok(())
}

/// The whole signature, wrapped between its fields on a terminal.
fn signature(results: &Results, page: Page) -> String {
    let signature = results.signature.to_string();
    let fields = signature.split_inclusive(['|', ',']).map(str::to_owned);
    let start = format!("signature {}: ", results.signature.short());
    page.wrap_parts(&[start].into_iter().chain(fields).collect::<Vec<_>>(), "", 2)
}

fn metrics(results: &Results) -> Table {
    let columns = [
        Column::text("metric"),
        Column::number("value").always(),
        Column::number("95 %").always(),
        Column::number("n").always(),
    ];
    Table::new(columns).rows(results.metrics.iter().map(|(name, estimate)| {
        [
            name.to_string(),
            format!("{:.4}", estimate.value),
            format!("[{:.4}, {:.4}]", estimate.low, estimate.high),
            estimate.n.to_string(),
        ]
    }))
}

/// All classes, also those without a sample.
fn counts(results: &Results) -> String {
    let outcomes = outcomes(&results.counts).map(|(name, count)| format!("{count} {name}"));
    let Counts { problems, samples, .. } = results.counts;
    let all = counted(samples, if samples > problems { "sample" } else { "problem" });
    format!("{all}: {}", outcomes.join(", "))
}
