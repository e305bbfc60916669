//! `translate-gfg-java-python`: functions of GeeksForGeeks from Java to Python, graded by running them.

use std::sync::Arc;

use assay_core::{DataChoice, Language, ProblemId, PythonTests, Result, Selection, StopWords};
use assay_data::programs::{GeeksProblem, open_geeks, read_geeks};

use crate::card::card;
use crate::programs::{
    CodeProblem, CodeProblems, CodeReference, GradingRules, OpeningChoice, PassTally, Programs,
    TestSuite, Tests, VisitCodeProblem, only_path,
};
use crate::sample;

const NAME: &str = "translate-gfg-java-python";

/// The translation from Java to Python.
pub(crate) fn translate_gfg_java_python() -> Programs {
    Programs {
        card: card(NAME),
        open: Box::new(open),
        normalize_name: str::to_owned,
        grading: GradingRules {
            stub: |_| "def f_filled(*arguments):\n    return None\n".to_owned(),
            ..GradingRules::for_tests(10)
        },
        tally: |settings| Box::new(PassTally::new(settings)),
    }
}

/// The functions. They are small, so all are kept in memory.
struct Functions {
    ids: Vec<ProblemId>,
    functions: Vec<Result<GeeksProblem, String>>,
}

fn open(data: &DataChoice, _choice: &OpeningChoice) -> Result<Box<dyn CodeProblems>> {
    let found = match data {
        DataChoice::Sample => read_geeks(&sample::gfg())?,
        DataChoice::Paths(paths) => open_geeks(only_path(paths, NAME)?)?,
    };
    let (ids, functions) = found
        .into_iter()
        .map(|function| match function {
            Ok(function) => (ProblemId::from(function.id.as_str()), Ok(function)),
            Err((id, reason)) => (id.into(), Err(reason)),
        })
        .unzip();
    Ok(Box::new(Functions { ids, functions }))
}

impl CodeProblems for Functions {
    fn ids(&self) -> &[ProblemId] {
        &self.ids
    }

    fn location(&self, index: usize) -> String {
        format!("java/{}.java", self.ids[index])
    }

    fn read(&self, wanted: &Selection, take: &mut VisitCodeProblem<'_>) -> Result<()> {
        for index in wanted.indices().take_while(|&index| index < self.functions.len()) {
            let problem = self.functions[index].as_ref().map(problem).map_err(String::clone);
            if take(index, problem)?.is_break() {
                break;
            }
        }
        Ok(())
    }
}

fn problem(function: &GeeksProblem) -> CodeProblem {
    let prompt = format!(
        "Translate this Java function to Python. Call it f_filled.\n\n{}\n",
        function.java.replace("f_gold", "f_filled")
    );
    let reference = CodeReference {
        language: Language::Python,
        prompt: Arc::from(""),
        entry_points: ["f_filled".to_owned()].into(),
        gold: Some(function.python.replace("f_gold", "f_filled").into()),
        tests: TestSuite::new(Tests::Python(python_tests(function))),
    };
    CodeProblem { prompt, stop: StopWords::default(), reference }
}

/// The original's comparison, down to the number of equal results.
fn python_tests(function: &GeeksProblem) -> PythonTests {
    let GeeksProblem { python, comparison, .. } = function;
    let compared = format!(
        "{comparison}\nassert n_success == len(param), f'{{n_success}} of {{len(param)}} agree'\n"
    );
    let (entry_point, setup, test) = if comparison.contains("filled_function_param") {
        let test = format!("{}{compared}", include_str!("in_place.py"));
        ("assay_arguments_after", format!("{python}\n"), test)
    } else {
        let setup = format!("{python}\n{}", include_str!("fresh.py"));
        let named =
            "f_filled, f_gold = assay_with_copies(assay_translated), assay_with_copies(f_gold)\n";
        ("assay_translated", setup, format!("{named}{compared}"))
    };
    PythonTests {
        setup,
        entry_points: vec![entry_point.to_owned()],
        cases: vec![test],
        appended: format!("{python}\n{compared}"),
        preamble: include_str!("translated.py").to_owned(),
    }
}
