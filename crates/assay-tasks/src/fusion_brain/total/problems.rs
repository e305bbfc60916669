//! The problems of several subtasks, one after the other.

use std::ops::ControlFlow;

use assay_core::{
    AnswerForm, AnswerPart, AnswerRules, Effort, Flaw, Problem, ProblemId, Problems, Reading,
    Result, Selection, Visit, VisitReference,
};
use assay_metrics::fusion_brain::integral::Subtask;

use super::super::truth::file_names;

/// A subtask and its problems.
pub(super) struct Part {
    pub(super) subtask: Subtask,
    pub(super) problems: Box<dyn Problems>,
    /// Everything that its score depends on, by name.
    pub(super) depends_on: Vec<(&'static str, String)>,
}

pub(super) struct TotalProblems {
    parts: Vec<Part>,
    /// The index of each part's first problem.
    starts: Vec<usize>,
    ids: Vec<ProblemId>,
}

impl TotalProblems {
    pub(super) fn new(parts: Vec<Part>) -> Self {
        let (mut starts, mut ids) = (Vec::new(), Vec::new());
        for Part { subtask, problems, .. } in &parts {
            starts.push(ids.len());
            let name = |id: &ProblemId| format!("{}/{}", subtask.file_name(), id.as_str());
            ids.extend(problems.ids().iter().map(name).map(ProblemId::from));
        }
        Self { parts, starts, ids }
    }

    /// The parts, each with the index of its first problem.
    fn parts(&self) -> impl Iterator<Item = (usize, &Part)> {
        self.starts.iter().copied().zip(&self.parts)
    }

    /// A problem with its name and index among all.
    fn renamed(&self, start: usize, reading: Reading) -> Reading {
        match reading {
            Reading::Problem(problem) => {
                let index = start + problem.index;
                Reading::Problem(Problem { id: self.ids[index].clone(), index, ..problem })
            }
            Reading::Flawed(flaw) => Reading::Flawed(self.renamed_flaw(start, flaw)),
        }
    }

    fn renamed_flaw(&self, start: usize, flaw: Flaw) -> Flaw {
        let index = start + flaw.index;
        Flaw { id: self.ids[index].clone(), index, ..flaw }
    }
}

impl Problems for TotalProblems {
    fn ids(&self) -> &[ProblemId] {
        &self.ids
    }

    fn read(&self, wanted: &Selection, visit: &mut Visit<'_>) -> Result<()> {
        for (start, Part { problems, .. }) in self.parts() {
            let wanted =
                Selection::of(problems.ids().len(), |index| wanted.contains(start + index));
            let mut flow = ControlFlow::Continue(());
            problems.read(&wanted, &mut |reading| {
                flow = visit(self.renamed(start, reading))?;
                Ok(flow)
            })?;
            if flow.is_break() {
                break;
            }
        }
        Ok(())
    }

    fn references(&self, visit: &mut VisitReference<'_>) {
        for (start, Part { problems, .. }) in self.parts() {
            let mut flow = ControlFlow::Continue(());
            problems.references(&mut |index, reference| {
                let reference = reference.map_err(|flaw| self.renamed_flaw(start, flaw));
                flow = visit(start + index, reference);
                flow
            });
            if flow.is_break() {
                break;
            }
        }
    }

    fn location(&self, index: usize) -> String {
        let part = self.starts.partition_point(|&start| start <= index) - 1;
        self.parts[part].problems.location(index - self.starts[part])
    }

    fn can_be_asked(&self) -> Result<()> {
        self.parts.iter().try_for_each(|part| part.problems.can_be_asked())
    }

    fn can_be_graded(&self) -> Result<()> {
        self.parts.iter().try_for_each(|part| part.problems.can_be_graded())
    }

    fn answer_rules(&self) -> AnswerRules {
        AnswerRules { form: AnswerForm::Parts, ..AnswerRules::default() }
    }

    fn answer_parts(&self) -> Vec<AnswerPart<'_>> {
        let parts = self.parts().map(|(first, part)| AnswerPart {
            files: file_names("prediction", part.subtask),
            first,
            problems: part.problems.as_ref(),
        });
        parts.collect()
    }

    /// The subtasks that have right answers, and everything that their scores depend on.
    fn signature_fields(&self) -> Vec<(&'static str, String)> {
        let names: Vec<&str> = self.parts.iter().map(|part| part.subtask.name()).collect();
        let mut fields = vec![("scored", names.join("+"))];
        for Part { subtask, depends_on, .. } in &self.parts {
            let mut own = depends_on.iter().cloned();
            match subtask {
                Subtask::C2c => {
                    let codebleu = own.find(|(name, _)| *name == "codebleu");
                    fields.extend(codebleu.map(|(_, value)| (subtask.name(), value)));
                }
                _ => fields.extend(own),
            }
        }
        fields
    }

    fn effort(&self) -> Effort {
        let working = |part: &Part| part.problems.effort() == Effort::Working;
        if self.parts.iter().any(working) { Effort::Working } else { Effort::Trivial }
    }
}
