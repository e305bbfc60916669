//! One JSON object with a value for each problem, as in the Fusion Brain Challenge's predictions;
//! or our own lines.

use assay_core::{Digest, Fault, FaultKind, ObjectValues, Place, Response, Result};
use assay_data::fusion_brain::{texts, values};

use crate::collector::Collector;
use crate::lines::{self, ProblemNames};
use crate::texts::starts_with_assay_line;

/// Reads the object in the file called `name`; any other content is an error.
pub(super) fn read(
    mut bytes: &[u8],
    name: &str,
    wanted: ObjectValues,
    collector: &mut Collector<'_>,
) -> Result<Digest> {
    if starts_with_assay_line(bytes) {
        let read = lines::read(&mut bytes, collector);
        return read.map_err(|error| super::unreadable(name, error));
    }
    let answers = match wanted {
        ObjectValues::Texts => texts(bytes, name)?,
        ObjectValues::Json => values(bytes, name)?,
    };
    let names = ProblemNames::new(collector.problems);
    let ignores_unknown = collector.problems.answer_rules().ignores_unknown;
    for (key, answer) in answers {
        match names.exact(&key) {
            Some(index) => collector.add(Place::FILE, index, Response::Text(answer)),
            None if ignores_unknown => {}
            None => {
                let message = format!("{key:?} is not in the truth");
                let fault = Fault::new(FaultKind::UnknownProblem, message);
                collector.faults.add(Place::FILE, fault);
            }
        }
    }
    Ok(Digest::of(bytes))
}
