//! The lines of lm-evaluation-harness's `samples_*.jsonl`.
//!
//! A line has the problem's record (`doc`), the model's replies (`resps`) and what the task's filter made of them
//! (`filtered_resps`). A task with several filters has a line for each, with the same replies: only those of the first
//! filter count.

use assay_core::{Fault, FaultKind};
use serde_json::Value;

use super::record::Record;
use crate::collector::Collector;
use crate::shape::Shape;

/// The problem's record.
const DOC: &str = "doc";
/// The replies after the filter, which are what the harness grades, and before it.
const FILTERED: &str = "filtered_resps";
const REPLIES: &str = "resps";
/// The name of the filter.
const FILTER: &str = "filter";
/// The arguments of the requests.
const ARGUMENTS: &str = "arguments";

/// The fields that are read.
pub(super) const FIELDS: [&str; 5] = [DOC, FILTERED, REPLIES, FILTER, ARGUMENTS];

/// Returns true if a line is the harness's.
pub(super) fn is_line(record: &Record) -> bool {
    record.has(DOC) && (record.has(FILTERED) || record.has(REPLIES))
}

/// Converts a line to a record with the problem's name and the replies. `None` if another filter's line counts.
pub(super) fn converted(
    record: &Record,
    collector: &mut Collector<'_>,
) -> Result<Option<Record>, Fault> {
    let malformed = |what: String| Fault::new(FaultKind::Malformed, what);
    if !collector.takes_filter(record.text(FILTER).unwrap_or_default()) {
        return Ok(None);
    }
    if asks_for_likelihoods(record) {
        return Err(malformed("the line holds likelihoods of given answers, not programs".into()));
    }
    let field = match collector.key {
        Some(REPLIES) => REPLIES,
        Some(FILTERED) => FILTERED,
        Some(other) => {
            let message = format!(
                "{other:?} is no field of replies: --key takes {FILTERED:?} or {REPLIES:?}"
            );
            return Err(malformed(message));
        }
        None if record.has(FILTERED) => FILTERED,
        None => REPLIES,
    };
    let mut texts = Vec::new();
    flatten(record.field(field).unwrap_or(&Value::Null), &mut texts)
        .map_err(|()| malformed(format!("{field:?} holds something else than texts")))?;
    let doc = Record::of(record.field(DOC).cloned().unwrap_or_default(), None)?;
    Ok(Some(doc.only_names().with_replies(texts, Shape::LmEval(field))))
}

/// Returns true if the model was asked for the likelihood of a text: the second argument is that text, and not settings.
fn asks_for_likelihoods(record: &Record) -> bool {
    let first = match record.field(ARGUMENTS) {
        Some(Value::Object(requests)) => requests.values().next(),
        Some(Value::Array(requests)) => requests.first(),
        _ => None,
    };
    match first {
        Some(Value::Object(arguments)) => arguments.get("arg_1").is_some_and(Value::is_string),
        Some(Value::Array(arguments)) => arguments.get(1).is_some_and(Value::is_string),
        _ => false,
    }
}

/// Collects the texts of lists within lists: one for each request, with one for each repetition.
fn flatten(value: &Value, texts: &mut Vec<Value>) -> Result<(), ()> {
    match value {
        Value::String(_) => texts.push(value.clone()),
        Value::Array(values) => values.iter().try_for_each(|value| flatten(value, texts))?,
        _ => return Err(()),
    }
    Ok(())
}
