//! Problems whose answers are programs, and answers to them in the field's form: one JSON object a
//! line, with `task_id` and either `completion`, which continues the prompt, or `solution`, which is
//! the whole program.

use std::collections::{HashMap, HashSet};
use std::ops::ControlFlow;

use assay_core::{
    AnswerForm, CodeQuestion, CodeReference, Fault, FaultKind, Flaw, ParsedAnswer, Problem,
    ProblemId, Problems, Question, Reading, Reference, Response, Result, SampleKey, Selection,
    Visit,
};
use serde::{Deserialize, Serialize};
use serde_json::Value;

/// A problem as its task sees it.
#[derive(Debug, Clone)]
pub(crate) struct Item {
    /// What a solver is shown.
    pub(crate) prompt: String,
    /// What grading needs; its prompt is what a continuation is appended to.
    pub(crate) reference: CodeReference,
}

/// Takes the problem of a rank, or what is wrong with it; breaks to end the reading.
pub(crate) type TakeItem<'a> =
    dyn FnMut(usize, Result<Item, String>) -> Result<ControlFlow<()>> + 'a;

/// Problems that can be read again and again, from wherever they lie.
pub(crate) trait Items: Send + Sync {
    /// The names of all of them, in task order.
    fn ids(&self) -> &[ProblemId];

    /// The names of problems that the data has and the task leaves out, being of another level or
    /// split.
    fn left_out(&self) -> &[String] {
        &[]
    }

    /// Where the problem at `rank` lies, as the field names it.
    fn location(&self, rank: usize) -> String;

    /// Reads the wanted ones, each once, in task order.
    fn read(&self, wanted: &Selection, take: &mut TakeItem<'_>) -> Result<()>;
}

/// The name by which a problem is found, of a name that an answer gives it.
pub(crate) type Names = fn(&str) -> String;

/// The problems of an opened task.
pub(super) struct ProgramProblems {
    items: Box<dyn Items>,
    names: Names,
    ranks: HashMap<String, usize>,
    left_out: HashSet<String>,
}

impl ProgramProblems {
    pub(super) fn new(items: Box<dyn Items>, names: Names) -> Self {
        let ranks = items.ids().iter().map(|id| names(id.as_str())).zip(0..).collect();
        let left_out = items.left_out().iter().map(|name| names(name)).collect();
        Self { items, names, ranks, left_out }
    }

    fn rank(&self, name: &str) -> Result<usize, Fault> {
        self.ranks.get(&(self.names)(name)).copied().ok_or_else(|| {
            let like = self.items.ids().first().map_or("HumanEval/0", ProblemId::as_str);
            let message =
                format!("there is no problem called {name:?}; they are called like {like}");
            Fault::new(FaultKind::UnknownProblem, message)
        })
    }
}

impl Problems for ProgramProblems {
    fn ids(&self) -> &[ProblemId] {
        self.items.ids()
    }

    fn read(&self, wanted: &Selection, visit: &mut Visit<'_>) -> Result<()> {
        if wanted.is_empty() {
            return Ok(());
        }
        self.items.read(wanted, &mut |rank, item| {
            let id = self.ids()[rank].clone();
            visit(match item {
                Ok(item) => Reading::Problem(problem(id, rank, item)),
                Err(reason) => Reading::Flawed(Flaw { id, rank, reason }),
            })
        })
    }

    fn references(&self, visit: &mut dyn FnMut(usize, Result<Reference, Flaw>)) {
        let all = self.ids().len();
        let mut next = 0;
        let flaw = |rank: usize, reason| Flaw { id: self.ids()[rank].clone(), rank, reason };
        let outcome = self.items.read(&Selection::all(all), &mut |rank, item| {
            next = rank + 1;
            let reference = item.map(|item| Reference::Code(item.reference));
            visit(rank, reference.map_err(|reason| flaw(rank, reason)));
            Ok(ControlFlow::Continue(()))
        });
        // The data was sound when it was opened: whatever cannot be read now has been changed since.
        let reason =
            outcome.err().map_or_else(|| "it is gone".to_owned(), |error| error.to_string());
        (next..all).for_each(|rank| visit(rank, Err(flaw(rank, reason.clone()))));
    }

    fn rank_of(&self, name: &str) -> Option<usize> {
        self.ranks.get(&(self.names)(name)).copied()
    }

    fn leaves_out(&self, name: &str) -> bool {
        self.left_out.contains(&(self.names)(name))
    }

    fn answer_form(&self) -> AnswerForm {
        AnswerForm::Programs
    }

    fn parse_answer(&self, line: &str) -> Result<Option<ParsedAnswer>, Fault> {
        if line.trim().is_empty() {
            return Ok(None);
        }
        let Sample { task_id, completion, solution } =
            serde_json::from_str(line).map_err(|error| malformed(&error.to_string()))?;
        let name = match task_id {
            Value::String(name) => name,
            Value::Number(number) => number.to_string(),
            _ => return Err(malformed("task_id is neither a text nor a number")),
        };
        let rank = self.rank(&name)?;
        let response = match (solution, completion) {
            (Some(program), None) => Response::Program(program),
            (None, Some(completion)) => Response::Text(completion),
            (None, None) => {
                return Err(malformed("it has neither a completion nor a solution").about(rank));
            }
            (Some(_), Some(_)) => {
                return Err(malformed("it has both a completion and a solution").about(rank));
            }
        };
        let key = SampleKey { rank, sample: 0 };
        Ok(Some(ParsedAnswer { key, response }))
    }

    fn location(&self, rank: usize) -> String {
        self.items.location(rank)
    }

    fn write_answer(&self, rank: usize, response: &Response) -> Option<String> {
        let task_id = Value::from(self.ids()[rank].as_str());
        let sample = match response {
            Response::Text(text) => {
                Sample { task_id, completion: Some(text.clone()), solution: None }
            }
            Response::Program(text) => {
                Sample { task_id, completion: None, solution: Some(text.clone()) }
            }
            Response::Lines(_) | Response::None(_) => return None,
        };
        serde_json::to_string(&sample).ok()
    }
}

/// A line of the field's files; whatever else stands in it is passed over.
#[derive(Serialize, Deserialize)]
struct Sample {
    task_id: Value,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    completion: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    solution: Option<String>,
}

fn malformed(what: &str) -> Fault {
    let message = format!(
        "not an answer: {what}; a line is {{\"task_id\": …, \"completion\": …}} or {{\"task_id\": …, \"solution\": …}}"
    );
    Fault::new(FaultKind::Malformed, message)
}

fn problem(id: ProblemId, rank: usize, item: Item) -> Problem {
    let Item { prompt, reference } = item;
    let question = CodeQuestion { prompt, language: reference.language, stop: reference.stop };
    Problem { id, rank, question: Question::Code(question), reference: Reference::Code(reference) }
}
