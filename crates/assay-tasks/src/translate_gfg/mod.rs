//! `translate-gfg-java-python`: functions of GeeksForGeeks from Java into Python, judged by running them.

use std::sync::Arc;

use assay_core::{DataChoice, Exam, Language, ProblemId, Result, Selection, StopWords};
use assay_data::programs::{GeeksProblem, open_geeks, read_geeks};

use crate::card::card;
use crate::programs::{
    Asked, CodeReference, Item, Items, Judging, PassTally, Programs, TakeItem, TestSuite, Tests,
    only_path,
};
use crate::sample;

const NAME: &str = "translate-gfg-java-python";

/// Java into Python.
pub(crate) fn translate_gfg_java_python() -> Programs {
    Programs {
        card: card(NAME),
        open,
        names: str::to_owned,
        judging: Judging {
            idle: |_| "def f_filled(*arguments):\n    return None\n".to_owned(),
            ..Judging::by_exam(10)
        },
        tally: |settings| Box::new(PassTally::new(settings)),
    }
}

/// They are small: all are held in memory.
struct Functions {
    ids: Vec<ProblemId>,
    functions: Vec<Result<GeeksProblem, String>>,
}

fn open(data: &DataChoice, _asked: &Asked) -> Result<Box<dyn Items>> {
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

impl Items for Functions {
    fn ids(&self) -> &[ProblemId] {
        &self.ids
    }

    fn location(&self, index: usize) -> String {
        format!("java/{}.java", self.ids[index])
    }

    fn read(&self, wanted: &Selection, take: &mut TakeItem<'_>) -> Result<()> {
        for index in wanted.indices().take_while(|&index| index < self.functions.len()) {
            let item = self.functions[index].as_ref().map(item).map_err(String::clone);
            if take(index, item)?.is_break() {
                break;
            }
        }
        Ok(())
    }
}

fn item(function: &GeeksProblem) -> Item {
    let prompt = format!(
        "Translate this Java function to Python. Call it f_filled.\n\n{}\n",
        function.java.replace("f_gold", "f_filled")
    );
    let reference = CodeReference {
        language: Language::Python,
        prompt: Arc::from(""),
        gold: Some(function.python.replace("f_gold", "f_filled").into()),
        tests: TestSuite::new(Tests::Exam(exam(function))),
    };
    Item { prompt, stop: StopWords::default(), reference }
}

/// The original's comparison, down to the number of times that they agree.
fn exam(function: &GeeksProblem) -> Exam {
    let GeeksProblem { python, comparison, .. } = function;
    let compared = format!(
        "{comparison}\nassert n_success == len(param), f'{{n_success}} of {{len(param)}} agree'\n"
    );
    let (called, setting, test) = if comparison.contains("filled_function_param") {
        let test = format!("{}{compared}", include_str!("in_place.py"));
        ("assay_arguments_after", format!("{python}\n"), test)
    } else {
        let setting = format!("{python}\n{}", include_str!("fresh.py"));
        let named =
            "f_filled, f_gold = assay_with_copies(assay_translated), assay_with_copies(f_gold)\n";
        ("assay_translated", setting, format!("{named}{compared}"))
    };
    Exam {
        setting,
        called: vec![called.to_owned()],
        tests: vec![test],
        appended: format!("{python}\n{compared}"),
        preamble: include_str!("translated.py").to_owned(),
    }
}
