//! The datasets that records come from, by their fields: a file of another task is refused by that task's name.

use serde_json::{Map, Value};

/// The origin of a record.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Origin {
    /// HumanEval, also with EvalPlus's inputs.
    HumanEval,
    /// HumanEvalPack.
    Pack,
    /// MBPP.
    Mbpp,
    /// APPS.
    Apps,
    /// A file of answers.
    Answers,
}

/// The fields of each origin, and its description. An earlier one has fields that later ones lack.
const KNOWN: [(&[&str], Origin, &str); 9] = [
    (
        &["declaration", "buggy_solution"],
        Origin::Pack,
        "data of humanevalpack-python and the other tasks of HumanEvalPack",
    ),
    (&["plus_input"], Origin::HumanEval, "EvalPlus's data, of humaneval-plus or mbpp-plus"),
    (&["entry_point", "canonical_solution", "test"], Origin::HumanEval, "data of humaneval"),
    (&["code", "test_list"], Origin::Mbpp, "data of mbpp or mbpp-sanitized"),
    (
        &["question", "difficulty"],
        Origin::Apps,
        "data of apps-introductory, -interview or -competition",
    ),
    (
        &["description", "difficulty"],
        Origin::Apps,
        "data of apps-introductory, -interview or -competition",
    ),
    (&["completion"], Origin::Answers, ANSWERS),
    (&["solution"], Origin::Answers, ANSWERS),
    (&["generation"], Origin::Answers, ANSWERS),
];

const ANSWERS: &str = "answers and no problems, which `assay score TASK FILE` grades";

/// The apparent kind of a record's file, unless it is of this origin.
pub(super) fn other_than(own: Origin, text: &str) -> Option<&'static str> {
    let Ok(Value::Object(record)) = serde_json::from_str(text) else { return None };
    let (origin, what) = of(&record)?;
    (origin != own).then_some(what)
}

fn of(record: &Map<String, Value>) -> Option<(Origin, &'static str)> {
    let has = |keys: &[&str]| keys.iter().all(|&key| record.contains_key(key));
    KNOWN.iter().find(|(keys, ..)| has(keys)).map(|&(_, origin, what)| (origin, what))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn records_of_other_tasks_are_recognized() {
        let mbpp = r#"{"text": "t", "code": "c", "task_id": 11, "test_list": ["x"]}"#;
        assert!(other_than(Origin::HumanEval, mbpp).unwrap().contains("mbpp-sanitized"));
        assert_eq!(other_than(Origin::Mbpp, mbpp), None);
        let pack = r#"{"task_id": "Python/0", "prompt": "", "declaration": "", "canonical_solution": "",
            "buggy_solution": "", "test": "", "entry_point": "f"}"#;
        assert!(other_than(Origin::HumanEval, pack).unwrap().contains("humanevalpack-python"));
        let answer = r#"{"task_id": "HumanEval/0", "completion": ""}"#;
        assert!(other_than(Origin::HumanEval, answer).unwrap().contains("assay score"));
        for text in ["{}", "[1]", "no JSON", r#"{"task_id": "T/1", "prompt": ""}"#] {
            assert_eq!(other_than(Origin::HumanEval, text), None, "{text}");
        }
    }
}
