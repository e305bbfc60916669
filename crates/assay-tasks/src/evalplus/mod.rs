//! EvalPlus: the same problems with many more tests, HumanEval+ and MBPP+.
//!
//! A file either has inputs, whose expected results come from running the reference solution (`comparison.py`), or
//! tests with assertions, which need a few functions of numpy (`numbers.py`).

use assay_core::{
    CallTable, Error, Estimate, Named, Outcome, Result, Tally, TaskSettings, Verdict, shown_name,
};
use assay_data::programs::{FunctionProblem, Inputs, Records};
use serde_json::{Map, Value};

use crate::programs::{PassTally, TESTS_PASSED, problem_number, python_text};

const COMPARISON: &str = include_str!("comparison.py");
/// The code that tests with assertions need before them.
pub(crate) const NUMBERS: &str = include_str!("numbers.py");

/// The edition of the problems, which decides the rules for comparing results.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Family {
    HumanEval,
    /// MBPP+ v0.1.0, as EvalPlus 0.2 scored it.
    FirstMbpp,
    /// MBPP+ since v0.2.0.
    Mbpp,
}

impl Family {
    /// Its name and edition, as arguments of the comparison.
    fn arguments(self) -> &'static str {
        match self {
            Self::HumanEval => "\"humaneval\", 2",
            Self::FirstMbpp => "\"mbpp\", 1",
            Self::Mbpp => "\"mbpp\", 2",
        }
    }
}

/// Returns true if a record has EvalPlus's tests, in either form, and not only the original's.
pub(crate) fn has_more_tests(record: &Map<String, Value>) -> bool {
    let test = record.get("test").and_then(Value::as_str);
    record.contains_key("plus_input") || test.is_some_and(|test| test.contains("assertion("))
}

/// Refuses the data of another dataset, whose records have the same fields. Its first problem's name tells.
pub(crate) fn refuse_other_family(records: &Records, dataset: &str, tasks: &str) -> Result<()> {
    let first = records.first()?.unwrap_or_default();
    let Ok(record) = serde_json::from_str::<Map<String, Value>>(&first) else { return Ok(()) };
    match record.get("task_id").and_then(Value::as_str) {
        Some(id) if problem_number(id, dataset).is_some() => Err(Error::refused(format!(
            "{} is not this task's data: its first problem is {}",
            records.name(),
            shown_name(id)
        ))
        .hint(format!(
            "it is the data of {tasks}; your own data has a name of its own: add --name NAME"
        ))),
        _ => Ok(()),
    }
}

/// The calls of a problem whose file has inputs: the original's are the first suite, EvalPlus's the second.
pub(crate) fn table_of_inputs(
    family: Family,
    problem: &FunctionProblem,
    inputs: &Inputs,
    own_data: bool,
) -> CallTable {
    // Some problems of EvalPlus are compared in a way of their own, by number and name.
    let number = problem.id.rsplit('/').next().and_then(|last| last.parse::<u32>().ok());
    let number = number.filter(|_| !own_data);
    let family = if own_data { "\"own\", 2" } else { family.arguments() };
    let entry_point = &problem.entry_point;
    let reference = format!("{}{}", problem.prompt, problem.canonical_solution);
    let rules = format!(
        "{COMPARISON}\n\nCOMPARISON = Comparison({}, {}, {}, {})\n",
        family,
        number.map_or_else(|| "None".to_owned(), |number| number.to_string()),
        python_text(entry_point),
        inputs.tolerance,
    );
    let suites = vec![inputs.base.clone(), inputs.plus.clone()];
    CallTable { entry_point: entry_point.clone(), reference, rules, suites }
}

/// Sums up verdicts twice: for all tests, and for the original's alone.
pub(crate) struct PlusTally {
    all: PassTally,
    base: PassTally,
    /// True if the original's tests are a suite of their own.
    has_base_suite: bool,
}

impl PlusTally {
    pub(crate) fn boxed(settings: &TaskSettings) -> Box<dyn Tally> {
        let [all, base] = [(); 2].map(|()| PassTally::new(settings));
        Box::new(Self { all, base, has_base_suite: false })
    }
}

impl Tally for PlusTally {
    fn add(&mut self, verdict: &Verdict) {
        self.all.add(verdict);
        let passed = verdict.scores.get(TESTS_PASSED).copied();
        self.has_base_suite |= passed.is_some();
        let passed_base = passed.is_some_and(|passed| passed >= 1.0);
        let outcome = if passed_base { Outcome::Passed } else { verdict.outcome };
        self.base.add(&Verdict { outcome, ..verdict.clone() });
    }

    fn metrics(&self) -> Named<Estimate> {
        let mut metrics = self.all.metrics();
        if self.has_base_suite {
            for (name, estimate) in &self.base.metrics() {
                metrics.insert(format!("base-{name}").into(), *estimate);
            }
        }
        metrics
    }

    fn left_out(&self) -> Named<String> {
        self.all.left_out()
    }
}
