//! `assay run` without a task: every kind of task, on problems inside the binary.

use assay_core::{Cancel, DataChoice, Error, Result};
use assay_tasks::REGISTRY;

use super::run::{Session, requests_for};
use crate::args::RunArguments;
use crate::output;

const NEXT: &str = "
What next:
  assay show codrep                     what the task is, its rules and metrics
  assay predict sample --solver middle  predictions in the competition's format
  assay predict sample --solver middle | assay score codrep - --data sample
                                        score a file of predictions; try a mistake in it
  assay run codrep --data sample --solver 'program:./your-predictor'
                                        your own program on the same problems
  assay run codrep --data Dataset4.tar.zst
                                        the competition's data, as a folder or an archive
";

pub(crate) fn tour(arguments: &RunArguments, cancel: &Cancel) -> Result<u8> {
    if !arguments.data.data.is_empty() {
        return Err(Error::usage("--data needs a task")
            .hint("for example: assay run codrep --data Dataset4"));
    }
    let mut requests = Vec::new();
    for task in REGISTRY {
        let card = task.card();
        output::talk(&format!("tour: {} ({})", card.name, card.summary));
        requests.extend(requests_for(arguments, card.name, &DataChoice::Sample)?);
    }
    let mut session = Session::new(arguments, cancel);
    if let Some(interrupted) = session.execute(requests)? {
        return Ok(interrupted);
    }
    let code = session.sum_up()?;
    if !arguments.json {
        output::say(NEXT)?;
    }
    Ok(code)
}
