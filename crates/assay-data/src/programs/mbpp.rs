//! Records of MBPP: of the whole file, of the sanitized one, and of EvalPlus's with assertions.

use serde::Deserialize;

use super::origin::Origin;
use super::records::{Record, name_or_number};
use crate::json::json_line_message;

/// A program to write from a sentence and its tests.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MbppProblem {
    /// Its name: a number in Google's files.
    pub id: String,
    /// The task in words.
    pub text: String,
    /// A right program, with line feeds only.
    pub code: String,
    /// Assertions.
    pub test_list: Vec<String>,
    /// Code that the assertions need besides the program; it may use the program's names.
    pub set_up: String,
    /// Imports that the assertions need.
    pub imports: Vec<String>,
    /// EvalPlus's code with many more tests, if the file has it.
    pub test: Option<String>,
}

#[derive(Deserialize)]
struct MbppLine {
    #[serde(deserialize_with = "name_or_number")]
    task_id: String,
    #[serde(alias = "prompt")]
    text: String,
    code: String,
    test_list: Vec<String>,
    #[serde(default)]
    test_setup_code: String,
    #[serde(default)]
    test_imports: Vec<String>,
    #[serde(default)]
    test: Option<String>,
}

impl MbppProblem {
    /// Its number, if its name is one.
    pub fn number(&self) -> Option<u32> {
        self.id.parse().ok()
    }
}

impl Record for MbppProblem {
    const FORM: &'static str = "task_id, text (or prompt), code and test_list";
    const ORIGIN: Origin = Origin::Mbpp;

    fn parse(text: &str) -> Result<Self, String> {
        let line: MbppLine =
            serde_json::from_str(text).map_err(|error| json_line_message(&error))?;
        if line.test_list.is_empty() {
            return Err("test_list is empty".to_owned());
        }
        Ok(Self {
            id: line.task_id,
            text: line.text,
            code: with_line_feeds(&line.code),
            test_list: line.test_list,
            set_up: with_line_feeds(&line.test_setup_code),
            imports: line.test_imports,
            test: line.test,
        })
    }
}

/// Removes the carriage returns that nearly all programs of the file have before their line feeds.
fn with_line_feeds(code: &str) -> String {
    code.replace("\r\n", "\n")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn all_files_are_read_alike() {
        let whole = r#"{"text": "t", "code": "a\r\nb", "task_id": 11, "test_setup_code": "", "test_list": ["x"], "challenge_test_list": []}"#;
        let sanitized = r#"{"source_file": "f", "task_id": 11, "prompt": "t", "code": "a\nb", "test_imports": [], "test_list": ["x"]}"#;
        assert_eq!(MbppProblem::parse(whole), MbppProblem::parse(sanitized));
        assert_eq!(MbppProblem::parse(whole).unwrap().code, "a\nb");
    }

    #[test]
    fn what_is_wrong_is_named() {
        let refused = |text| MbppProblem::parse(text).unwrap_err();
        assert!(refused(r#"{"task_id": true}"#).contains("true, where"));
        assert!(refused(r#"{"task_id": 1, "text": "t", "code": ""}"#).contains("`test_list`"));
        let none = r#"{"task_id": 1, "text": "t", "code": "", "test_list": []}"#;
        assert_eq!(refused(none), "test_list is empty");
    }
}
