//! Records of HumanEvalPack: HumanEval's problems in six languages.

use serde::Deserialize;

use super::origin::Origin;
use super::records::{Record, name_or_number};
use crate::json::json_line_message;

/// A function to write in one of six languages.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
pub struct PackProblem {
    /// Its name: `JavaScript/0`.
    #[serde(rename = "task_id", deserialize_with = "name_or_number")]
    pub id: String,
    /// The beginning of the program.
    pub prompt: String,
    /// The beginning without the description.
    pub declaration: String,
    /// The code that continues the prompt to a right program.
    pub canonical_solution: String,
    /// The code that continues the declaration to a wrong program.
    pub buggy_solution: String,
    /// Code that tests the function, in its own language.
    pub test: String,
    /// The code that its tests need before the program; only Go has it.
    #[serde(default)]
    pub test_setup: String,
    /// The function's name.
    pub entry_point: String,
    /// The task in words.
    pub instruction: String,
}

impl Record for PackProblem {
    const FORM: &'static str = "task_id, prompt, declaration, canonical_solution, buggy_solution, test, \
        entry_point and instruction";
    const ORIGIN: Origin = Origin::Pack;

    fn parse(text: &str) -> Result<Self, String> {
        serde_json::from_str(text).map_err(|error| json_line_message(&error))
    }
}
