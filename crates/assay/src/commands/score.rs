//! `assay score`: grade answers made elsewhere.

use std::fs::File;
use std::io::{self, BufRead, BufReader};

use assay_core::{Error, Result, TaskOptions, Verdict, exit_code};
use assay_run::Scored;

use super::{choose_data, tool};
use crate::args::{ScoreArguments, ScoreFormat};
use crate::output;

pub(crate) fn score(arguments: &ScoreArguments) -> Result<u8> {
    let task = assay_tasks::find(&arguments.task)?;
    let data = choose_data(&arguments.data, &arguments.task)?;
    let rules = arguments.data.rules.into();
    let problems = task.open(&data, TaskOptions { rules, with_references: true })?;
    let (mut reader, name) = open(arguments)?;
    let Scored { results, flaws } =
        assay_run::score(task, problems.as_ref(), rules, (reader.as_mut(), &name), &tool())?;
    let excluded: Vec<Verdict> =
        flaws.into_iter().map(|flaw| Verdict::excluded(flaw.id, flaw.reason)).collect();
    output::show_exclusions(&excluded);
    match arguments.format {
        _ if arguments.json => output::json_line(&results)?,
        ScoreFormat::Table => output::results_table(&[&results])?,
        ScoreFormat::Codrep => output::codrep_lines(&results)?,
    }
    Ok(if excluded.is_empty() { exit_code::DONE } else { exit_code::INCOMPLETE })
}

fn open(arguments: &ScoreArguments) -> Result<(Box<dyn BufRead>, String)> {
    let path = &arguments.answers;
    if path.as_os_str() == "-" {
        return Ok((Box::new(BufReader::new(io::stdin())), "standard input".to_owned()));
    }
    let file = File::open(path).map_err(|error| {
        Error::io("open", path, error).hint("`-` reads the answers from standard input")
    })?;
    if file.metadata().is_ok_and(|metadata| metadata.is_dir()) {
        let message = format!("{} is a folder, not a file of answers", path.display());
        return Err(Error::refused(message));
    }
    Ok((Box::new(BufReader::with_capacity(1 << 16, file)), path.display().to_string()))
}
