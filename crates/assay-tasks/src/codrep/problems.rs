//! CodRep's problems: the tasks of one or several datasets, one after the other.

use std::ops::ControlFlow;
use std::sync::Arc;

use assay_core::{
    Effort, Error, Flaw, LineQuestion, LineRule, Problem, ProblemId, Problems, Question, Reading,
    Result, Rules, Selection, Visit, VisitReference, counted,
};
use assay_data::codrep::{Dataset, PathFault, TaskAt, TaskFile, find_task};

use super::grading::LineReference;

pub(super) struct LineProblems {
    datasets: Vec<Dataset>,
    /// The index of each dataset's first task.
    starts: Vec<usize>,
    ids: Vec<ProblemId>,
    rule: LineRule,
    with_references: bool,
}

impl LineProblems {
    pub(super) fn new(datasets: Vec<Dataset>, rules: Rules, with_references: bool) -> Self {
        let mut starts = Vec::with_capacity(datasets.len());
        let mut ids = Vec::new();
        for dataset in &datasets {
            starts.push(ids.len());
            let names = dataset.stems().iter().map(|stem| format!("{}/{stem}", dataset.name()));
            ids.extend(names.map(ProblemId::from));
        }
        let rule = match rules {
            Rules::Compat => LineRule::Universal,
            Rules::Strict => LineRule::LineFeed,
        };
        Self { datasets, starts, ids, rule, with_references }
    }

    /// The problem in a task file of `dataset`, or its defect.
    fn problem(&self, index: usize, file: TaskFile, dataset: &Dataset) -> Result<Problem, String> {
        let text = file.text.map_err(|fault| fault.to_string())?;
        let solution = self.with_references.then(|| dataset.solution(file.place)).transpose();
        let solution = solution.map_err(|fault| fault.to_string())?;
        let question = LineQuestion::new(text, self.rule);
        let length = question.length();
        if length == 0 {
            return Err(format!("{} holds no program", dataset.task_path(file.place)));
        }
        if let Some(line) = solution.filter(|&line| line > length) {
            let path = dataset.task_path(file.place);
            return Err(format!("{path}: the solution is line {line}, of {length}"));
        }
        Ok(Problem {
            id: self.ids[index].clone(),
            index,
            reference: Arc::new(LineReference {
                length: Some(length),
                solution,
                change: solution.map(|line| question.change(line)),
            }),
            question: Question::Line(question),
        })
    }

    fn at(&self, index: usize) -> TaskAt {
        let dataset = self.starts.partition_point(|&start| start <= index) - 1;
        TaskAt { dataset, task: index - self.starts[dataset] }
    }

    fn why_not_found(&self, path: &str, fault: &PathFault) -> String {
        match fault {
            PathFault::OtherDataset => {
                let names: Vec<&str> = self.datasets.iter().map(Dataset::name).collect();
                format!("{path} is in none of the chosen datasets ({})", names.join(", "))
            }
            PathFault::NoSuchTask { dataset } => format!("{path}: {dataset} has no such task"),
            PathFault::Ambiguous { datasets } => {
                format!("{path} could be in {}; give more of the path", datasets.join(" or in "))
            }
        }
    }
}

impl Problems for LineProblems {
    fn ids(&self) -> &[ProblemId] {
        &self.ids
    }

    fn read(&self, wanted: &Selection, visit: &mut Visit<'_>) -> Result<()> {
        for (dataset, &start) in self.datasets.iter().zip(&self.starts) {
            let mut flow = ControlFlow::Continue(());
            dataset.read(&|place| wanted.contains(start + place), &mut |file| {
                let index = start + file.place;
                let reading = match self.problem(index, file, dataset) {
                    Ok(problem) => Reading::Problem(problem),
                    Err(reason) => {
                        Reading::Flawed(Flaw { id: self.ids[index].clone(), index, reason })
                    }
                };
                flow = visit(reading)?;
                Ok(flow)
            })?;
            if flow.is_break() {
                break;
            }
        }
        Ok(())
    }

    fn references(&self, visit: &mut VisitReference<'_>) {
        for (index, id) in self.ids.iter().enumerate() {
            let TaskAt { dataset, task } = self.at(index);
            let solution = match self.datasets[dataset].solution(task) {
                Ok(line) => Ok(Some(line)),
                Err(_) if !self.with_references => Ok(None),
                Err(fault) => Err(Flaw { id: id.clone(), index, reason: fault.to_string() }),
            };
            let reference = solution.map(|solution| {
                Arc::new(LineReference { length: None, solution, change: None }) as _
            });
            if visit(index, reference).is_break() {
                break;
            }
        }
    }

    fn find(&self, name: &str) -> Result<usize, String> {
        let found = find_task(&self.datasets, name);
        let at = found.map_err(|fault| self.why_not_found(name, &fault))?;
        Ok(self.starts[at.dataset] + at.task)
    }

    fn can_be_graded(&self) -> Result<()> {
        let known = |dataset: &Dataset| {
            (0..dataset.stems().len()).any(|place| dataset.solution(place).is_ok())
        };
        if !self.with_references || self.ids.is_empty() || self.datasets.iter().any(known) {
            return Ok(());
        }
        let first = self.datasets.iter().find_map(|dataset| dataset.solution(0).err());
        let first = first.map_or_else(String::new, |fault| format!(": {fault}"));
        let tasks = counted(self.ids.len(), "task");
        Err(Error::refused(format!("none of {tasks} has a usable solution{first}")).hint(
            "the solution to Tasks/N.txt is a line number in Solutions/N.txt; without solutions, \
             `assay predict` answers the tasks, with any solver that does not need them",
        ))
    }

    fn location(&self, index: usize) -> String {
        let TaskAt { dataset, task } = self.at(index);
        self.datasets[dataset].task_path(task)
    }

    fn effort(&self) -> Effort {
        Effort::Trivial
    }
}
