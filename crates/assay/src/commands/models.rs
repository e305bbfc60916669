//! `assay models`: what a model server offers.

use assay_core::{Result, counted, exit_code, shown_line};
use assay_models::{Survey, survey};

use super::cancel_on_interrupt;
use crate::args::ServerArguments;
use crate::output::{self, Column, Table};

/// The number of models that are listed for people.
const MAX_LISTED: usize = 50;

pub(crate) fn models(arguments: &ServerArguments) -> Result<u8> {
    let key = arguments.api_key.read(&arguments.url)?;
    let cancel = cancel_on_interrupt()?;
    let found = match survey(&arguments.url, arguments.model.as_deref(), key, &cancel) {
        Err(_) if cancel.is_cancelled() => return Ok(exit_code::INTERRUPTED),
        found => found?,
    };
    if arguments.json {
        output::json_pretty(&found)?;
    } else {
        show(&found)?;
    }
    if found.is_usable() {
        return Ok(exit_code::DONE);
    }
    output::warn(&format!("{} answers neither a chat nor a completion", shown_line(&found.model)));
    Ok(exit_code::INCOMPLETE)
}

fn show(survey: &Survey) -> Result<()> {
    let Survey { url, server, model, requests, requests_sent } = survey;
    let program = server.program.as_deref().unwrap_or("a server that does not tell its program");
    output::print(&format!("{url}: {program}\n"))?;
    let limits = [
        server.context.map(|tokens| format!("context: {}", counted(tokens, "token"))),
        server.slots.map(|slots| format!("at once: {}", counted(slots, "request"))),
    ];
    for limit in limits.into_iter().flatten() {
        output::print(&format!("{limit}\n"))?;
    }
    let mut models = server.models.clone();
    let more = models.len().saturating_sub(MAX_LISTED);
    models.truncate(MAX_LISTED);
    if more > 0 {
        models.push(format!("… and {more} more (--json lists them)"));
    }
    output::listing(if models.len() == 1 { "model" } else { "models" }, models)?;
    let tried = counted(*requests_sent, "request");
    output::print(&format!("\n{} was tried with {tried}:\n\n", shown_line(model)))?;
    let rows = requests.iter().map(|ability| {
        let works = if ability.works { "yes" } else { "no" };
        [ability.name, works, &ability.found, ability.used].map(str::to_owned)
    });
    let columns = [
        Column::text("request"),
        Column::text("works").always(),
        Column::prose("what the server did"),
        Column::prose("for"),
    ];
    Table::new(columns).with_option("--json").rows(rows).print()
}
