//! `assay tasks`, `assay solvers`, `assay show`: the registered tasks and solvers.

use assay_core::{Result, Task, TaskCard, exit_code};
use assay_solvers::{REGISTRY as SOLVERS, SolverCard};
use assay_tasks::TaskRegistry;

use crate::output::{self, Column, Table};

pub(crate) fn tasks(json: bool) -> Result<u8> {
    let tasks = TaskRegistry::built_in();
    let cards: Vec<&TaskCard> = tasks.iter().map(Task::card).collect();
    if json {
        output::json_pretty(&cards)?;
    } else {
        let rows = cards.iter().map(|card| [card.name.clone(), card.summary.clone()]);
        Table::new([Column::text("task"), Column::prose("what is asked")]).rows(rows).print()?;
    }
    Ok(exit_code::DONE)
}

pub(crate) fn solvers(json: bool) -> Result<u8> {
    let cards: Vec<&SolverCard> = SOLVERS.iter().map(|kind| kind.card()).collect();
    if json {
        output::json_pretty(&cards)?;
    } else {
        let rows = cards.iter().map(|card| {
            let kinds: Vec<String> = card.answers.iter().map(ToString::to_string).collect();
            [card.spec.to_owned(), kinds.join(", "), card.about.to_owned()]
        });
        let columns =
            [Column::text("solver"), Column::text("for a"), Column::prose("what it answers")];
        Table::new(columns).with_option("--json").rows(rows).print()?;
    }
    Ok(exit_code::DONE)
}

pub(crate) fn show(name: &str, json: bool) -> Result<u8> {
    let tasks = TaskRegistry::built_in();
    let card = tasks.find(name)?.card();
    if json {
        output::json_pretty(card)?;
        return Ok(exit_code::DONE);
    }
    output::print_wrapped(
        "",
        &format!("{} (version {}): {}", card.name, card.version, card.summary),
    )?;
    for (title, text) in card.paragraphs() {
        output::paragraph(title, text)?;
    }
    if !card.prompts.is_empty() {
        output::print("\nPrompts\n")?;
        let rows =
            card.prompts.iter().map(|prompt| [&prompt.name, &prompt.meaning].map(Clone::clone));
        let columns = [Column::text("--prompt"), Column::prose("what a solver is shown")];
        Table::new(columns).rows(rows).print()?;
    }
    output::print("\nMetrics\n")?;
    let rows = card.metrics.iter().map(|metric| {
        let better = if metric.lower_is_better { "lower" } else { "higher" };
        [metric.name.clone(), better.to_owned(), metric.meaning.clone()]
    });
    let columns = [Column::text("metric"), Column::text("better"), Column::prose("meaning")];
    Table::new(columns).with_option("--json").rows(rows).print()?;
    output::print("\nExamples\n")?;
    card.examples.iter().try_for_each(|example| output::print(&format!("  {example}\n")))?;
    Ok(exit_code::DONE)
}
