//! EvalPlus: the same problems with many more tests, HumanEval+ and MBPP+.
//!
//! A file either has the inputs, whose expected results come from running the reference solution
//! (`comparison.py`), or tests with assertions, which want a little of numpy (`numbers.py`).

use assay_core::{CallTable, Estimate, Named, Outcome, Tally, TaskSettings, Verdict};
use assay_data::programs::{FunctionProblem, Inputs};
use serde_json::{Map, Value};

use crate::programs::{PassTally, TESTS_PASSED, python_text};

const COMPARISON: &str = include_str!("comparison.py");
/// What tests with assertions need before them.
pub(crate) const NUMBERS: &str = include_str!("numbers.py");

/// Whose problems they are, and by whose rules results are compared.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Family {
    HumanEval,
    /// MBPP+ v0.1.0, as EvalPlus 0.2 scored it.
    FirstMbpp,
    /// MBPP+ since v0.2.0.
    Mbpp,
}

impl Family {
    /// Its name and edition, as the tester takes them.
    fn arguments(self) -> &'static str {
        match self {
            Self::HumanEval => "\"humaneval\", 2",
            Self::FirstMbpp => "\"mbpp\", 1",
            Self::Mbpp => "\"mbpp\", 2",
        }
    }
}

/// Whether a record has EvalPlus's tests, in one form or the other, and not the original's alone.
pub(crate) fn has_more_tests(record: &Map<String, Value>) -> bool {
    let test = record.get("test").and_then(Value::as_str);
    record.contains_key("plus_input") || test.is_some_and(|test| test.contains("assertion("))
}

/// The calls of a problem whose file has inputs: the original's are the first suite, EvalPlus's the second.
pub(crate) fn table_of_inputs(
    family: Family,
    problem: &FunctionProblem,
    inputs: &Inputs,
) -> CallTable {
    let number = problem.id.rsplit('/').next().and_then(|last| last.parse::<u32>().ok());
    let entry_point = &problem.entry_point;
    let reference = format!("{}{}", problem.prompt, problem.canonical_solution);
    let rules = format!(
        "{COMPARISON}\n\nCOMPARISON = Comparison({}, {}, {}, {})\n",
        family.arguments(),
        number.map_or_else(|| "None".to_owned(), |number| number.to_string()),
        python_text(entry_point),
        inputs.tolerance,
    );
    let suites = vec![inputs.base.clone(), inputs.plus.clone()];
    CallTable { entry_point: entry_point.clone(), reference, rules, suites }
}

/// Sums verdicts up twice: of all tests, and of the original's alone.
pub(crate) struct PlusTally {
    all: PassTally,
    base: PassTally,
    /// Whether the original's tests were told apart.
    told_apart: bool,
}

impl PlusTally {
    pub(crate) fn boxed(settings: &TaskSettings) -> Box<dyn Tally> {
        let [all, base] = [(); 2].map(|()| PassTally::new(settings));
        Box::new(Self { all, base, told_apart: false })
    }
}

impl Tally for PlusTally {
    fn add(&mut self, verdict: &Verdict) {
        self.all.add(verdict);
        let passed = verdict.scores.get(TESTS_PASSED).copied();
        self.told_apart |= passed.is_some();
        let passed_base = passed.is_some_and(|passed| passed >= 1.0);
        let outcome = if passed_base { Outcome::Passed } else { verdict.outcome };
        self.base.add(&Verdict { outcome, ..verdict.clone() });
    }

    fn metrics(&self) -> Named<Estimate> {
        let mut metrics = self.all.metrics();
        if self.told_apart {
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
