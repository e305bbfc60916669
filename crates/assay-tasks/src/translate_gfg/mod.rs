//! `translate-gfg-java-python`: functions of GeeksForGeeks from Java into Python, judged by running them.

use std::sync::Arc;

use assay_core::{
    DataChoice, Exam, Language, MetricCard, ProblemId, QuestionKind, Result, Rules, Selection,
    TaskCard,
};
use assay_data::programs::{GeeksProblem, open_geeks, read_geeks};

use crate::programs::{
    Asked, CodeReference, Item, Items, Judging, PassTally, Programs, TakeItem, TestSuite, Tests,
    only_path,
};
use crate::sample;

/// Java into Python.
pub static TRANSLATE_GFG_JAVA_PYTHON: Programs = Programs {
    card: CARD,
    open,
    names: str::to_owned,
    judging: Judging {
        idle: |_| "def f_filled(*arguments):\n    return None\n".to_owned(),
        ..Judging::by_exam(10)
    },
    tally: |settings| Box::new(PassTally::new(settings)),
};

const CARD: TaskCard = TaskCard {
    name: "translate-gfg-java-python",
    version: 1,
    asks: QuestionKind::Code,
    language: Some(Language::Python),
    folder: "transcoder_gfg",
    summary: "translate a function from Java to Python, judged by running it",
    about: "Given a Java function, write it in Python. The functions are solutions from GeeksForGeeks, \
        paired and given tests for TransCoder (Lachaux et al. 2020), which calls the share of right \
        translations computational accuracy.",
    data: "TransCoder's scripts, java/NAME.java and python/NAME.py, in a folder or a .tar, .tar.gz, \
        .tar.zst or .zip of one. Functions that are there in both languages are taken. Without --data, \
        the folder transcoder_gfg under ASSAY_DATA is taken. `--data sample` means the problems inside \
        the binary.",
    answers: "One JSON object a line: task_id (the name of the scripts), and completion or solution, \
        which both are the whole Python program. The function is called f_filled, or f_gold; if neither \
        is there, the first function of the program is taken.",
    grading: "The Python script's own comparison runs in a process of its own: the translation and the \
        Python original are called with the same arguments, each with a copy of its own, and their \
        results are compared as the script does, some with a tolerance, and where a function works in \
        place, what it made of its arguments. A translation passes if they agree on all sets of \
        arguments within 10 s of CPU time.",
    rules: "strict: as above. compat: the translation stands in the script, as in the original, and can \
        cheat; it must be called f_filled, and what it makes of its arguments, the original is given.",
    default_rules: Rules::Strict,
    prompts: &[],
    metrics: &[MetricCard {
        name: "pass@1",
        lower_is_better: false,
        meaning: "share of translations that pass; TransCoder's computational accuracy",
    }],
    default_solvers: &["gold"],
    examples: &[
        "assay run translate-gfg-java-python --data sample",
        "assay score translate-gfg-java-python answers.jsonl",
    ],
};

/// They are small: all are held in memory.
struct Functions {
    ids: Vec<ProblemId>,
    functions: Vec<Result<GeeksProblem, String>>,
}

fn open(data: &DataChoice, _asked: &Asked) -> Result<Box<dyn Items>> {
    let found = match data {
        DataChoice::Sample => read_geeks(&sample::gfg())?,
        DataChoice::Paths(paths) => open_geeks(only_path(paths, CARD.name)?)?,
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
        stop: &[],
        gold: Some(function.python.replace("f_gold", "f_filled").into()),
        tests: TestSuite::new(Tests::Exam(exam(function))),
    };
    Item { prompt, reference }
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
