//! Records of HumanEval, and of EvalPlus's HumanEval+ and MBPP+: a function to write.

use serde::Deserialize;
use serde_json::value::RawValue;

use super::constants::as_json;
use super::origin::Origin;
use super::records::{Record, name_or_number};
use crate::json::json_line_message;

/// A function to write.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FunctionProblem {
    /// Its name: `HumanEval/0`.
    pub id: String,
    /// The beginning of the program.
    pub prompt: String,
    /// The function's name.
    pub entry_point: String,
    /// The code that continues the prompt to a right program.
    pub canonical_solution: String,
    /// Code that tests the function; in HumanEval, a function `check`.
    pub test: String,
    /// The arguments of calls, if the file has them.
    pub inputs: Option<Inputs>,
}

/// Lists of arguments, as JSON for Python.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Inputs {
    /// Those of the original dataset.
    pub base: String,
    /// Those added by EvalPlus.
    pub plus: String,
    /// The allowed absolute error, as written in the file.
    pub tolerance: String,
}

#[derive(Deserialize)]
struct FunctionLine<'a> {
    #[serde(deserialize_with = "name_or_number")]
    task_id: String,
    prompt: String,
    entry_point: String,
    canonical_solution: String,
    #[serde(alias = "assertion")]
    test: String,
    #[serde(borrow, default)]
    base_input: Option<&'a RawValue>,
    #[serde(borrow, default)]
    plus_input: Option<&'a RawValue>,
    #[serde(default)]
    atol: Option<serde_json::Number>,
}

impl Record for FunctionProblem {
    const FORM: &'static str = "task_id, prompt, entry_point, canonical_solution and test; EvalPlus's \
        files have base_input, plus_input and atol too";
    const ORIGIN: Origin = Origin::HumanEval;

    fn parse(text: &str) -> Result<Self, String> {
        let json = as_json(text);
        let line: FunctionLine<'_> =
            serde_json::from_str(&json).map_err(|error| json_line_message(&error))?;
        if !is_name(&line.entry_point) {
            return Err(format!(
                "entry_point is {:?}, which is no function's name",
                line.entry_point
            ));
        }
        // Python's words were replaced by numbers, so the original text is looked up.
        let written = |raw: &RawValue| {
            let start = raw.get().as_ptr() as usize - json.as_ptr() as usize;
            text[start..start + raw.get().len()].to_owned()
        };
        let inputs = match (line.base_input, line.plus_input) {
            (Some(base), Some(plus)) => Some(Inputs {
                base: list(written(base), "base_input")?,
                plus: list(written(plus), "plus_input")?,
                tolerance: line.atol.map_or_else(|| "0".to_owned(), |atol| atol.to_string()),
            }),
            (None, None) => None,
            (Some(_), None) => return Err("missing field `plus_input`".to_owned()),
            (None, Some(_)) => return Err("missing field `base_input`".to_owned()),
        };
        Ok(Self {
            id: line.task_id,
            prompt: line.prompt,
            entry_point: line.entry_point,
            canonical_solution: line.canonical_solution,
            test: line.test,
            inputs,
        })
    }
}

/// A list; MBPP+ has an empty object instead of an empty list.
fn list(text: String, key: &str) -> Result<String, String> {
    match text.as_bytes() {
        [b'[', ..] => Ok(text),
        [b'{', inside @ .., b'}'] if inside.trim_ascii().is_empty() => Ok("[]".to_owned()),
        _ => Err(format!("{key} is no list")),
    }
}

/// Returns whether a text is a valid name in Python.
pub(super) fn is_name(text: &str) -> bool {
    let mut letters = text.chars();
    let begins = letters.next().is_some_and(|first| first == '_' || first.is_alphabetic());
    begins && letters.all(|letter| letter == '_' || letter.is_alphanumeric())
}

#[cfg(test)]
mod tests {
    use super::*;

    const START: &str = r#"{"task_id": "T/1", "prompt": "p", "entry_point": "f", "canonical_solution": "s", "test": "t""#;

    fn refused(text: &str) -> String {
        FunctionProblem::parse(text).unwrap_err()
    }

    #[test]
    fn inputs_are_kept_as_python_wrote_them() {
        let line = format!(
            r#"{START}, "base_input": [[1, "NaN"]], "plus_input": [[-Infinity, NaN]], "atol": 1e-06, "contract": ""}}"#
        );
        let inputs = FunctionProblem::parse(&line).unwrap().inputs.unwrap();
        assert_eq!(inputs.base, r#"[[1, "NaN"]]"#);
        assert_eq!(inputs.plus, "[[-Infinity, NaN]]");
        assert_eq!(inputs.tolerance.parse::<f64>().unwrap().to_bits(), 1e-6_f64.to_bits());
    }

    #[test]
    fn what_is_wrong_is_named() {
        assert_eq!(FunctionProblem::parse(&format!("{START}}}")).unwrap().inputs, None);
        assert_eq!(refused(r#"{"task_id": "T/1"}"#), "missing field `prompt` (column 18)");
        assert_eq!(
            refused(&format!(r#"{START}, "base_input": []}}"#)),
            "missing field `plus_input`"
        );
        assert_eq!(
            refused(&format!(r#"{START}, "base_input": [], "plus_input": 3}}"#)),
            "plus_input is no list"
        );
        let sly = START.replace("\"f\"", "\"f);import os\"");
        assert!(refused(&format!("{sly}}}")).contains("no function's name"));
    }
}
