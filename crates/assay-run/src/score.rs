//! Grades answers made elsewhere.

use std::io::BufRead;
use std::ops::ControlFlow;

use assay_core::{
    Check, Counts, Digest, Fault, FaultKind, Flaw, Grader, ProblemId, Problems, Reading, Reference,
    Response, Result, Results, Rules, Selection, Tally, Task, Verdict, Why,
};
use assay_solvers::{AnswerFile, LineFault, refuse};

use crate::Tool;
use crate::plan::signature;

/// What scoring found.
#[derive(Debug)]
pub struct Scored {
    /// The numbers.
    pub results: Results,
    /// Problems that could not be used.
    pub flaws: Vec<Flaw>,
}

/// Grades the answers in `reader`, called `name`, against all of `problems`. Either every line is
/// accepted, or the file is refused with all that is wrong in it.
pub fn score(
    task: &dyn Task,
    problems: &dyn Problems,
    rules: Rules,
    (reader, name): (&mut dyn BufRead, &str),
    tool: &Tool,
) -> Result<Scored> {
    let mut marking = Marking {
        grader: task.grader(),
        tally: task.tally(),
        none: Response::none(Why::Silent, "there is no answer to it"),
        ids: problems.ids(),
        file: AnswerFile::read(reader, problems)?,
        references: Vec::new(),
        counts: Counts::default(),
        flaws: Vec::new(),
        unclear: Vec::new(),
    };
    problems.references(&mut |rank, reference| marking.mark(rank, reference));
    marking.mark_unclear(problems)?;
    let Marking { file, references, counts, tally, flaws, .. } = marking;
    if !file.faults.is_empty() {
        return Err(refuse(name, file.faults));
    }
    let data = Digest::of_references(&references);
    let solver = format!("file@{}", file.digest.short());
    let results = Results {
        task: task.card().name.to_owned(),
        solver: format!("file:{name}"),
        signature: signature(task, data, counts.problems, rules, tool).field("solver", solver),
        counts,
        metrics: tally.metrics(),
    };
    Ok(Scored { results, flaws })
}

struct Marking<'a> {
    grader: Box<dyn Grader>,
    tally: Box<dyn Tally>,
    /// The answer to what has none.
    none: Response,
    ids: &'a [ProblemId],
    file: AnswerFile,
    references: Vec<Reference>,
    counts: Counts,
    flaws: Vec<Flaw>,
    /// Problems that must be read to tell whether their answer is possible.
    unclear: Vec<usize>,
}

impl Marking<'_> {
    fn mark(&mut self, rank: usize, reference: Result<Reference, Flaw>) {
        let verdict = match reference {
            Ok(reference) => {
                self.references.push(reference.clone());
                self.grade(rank, &reference)
            }
            Err(flaw) => Some(self.exclude(flaw)),
        };
        self.count(verdict);
    }

    /// Reads the problems that are left, and grades the answers to them.
    fn mark_unclear(&mut self, problems: &dyn Problems) -> Result<()> {
        let unclear = std::mem::take(&mut self.unclear);
        let mut wanted = vec![false; self.ids.len()];
        for rank in unclear {
            wanted[rank] = true;
        }
        let wanted = Selection::of(wanted.len(), |rank| wanted[rank]);
        problems.read(&wanted, &mut |reading| {
            let verdict = match reading {
                Reading::Problem(problem) => self.grade(problem.rank, &problem.reference),
                Reading::Flawed(flaw) => Some(self.exclude(flaw)),
            };
            self.count(verdict);
            ControlFlow::Continue(())
        })
    }

    /// The verdict on the answer to a problem; `None` if the problem must be read first.
    fn grade(&mut self, rank: usize, reference: &Reference) -> Option<Verdict> {
        let answer = self.file.answers[rank].as_ref();
        let response = answer.map_or(&self.none, |(_, response)| response);
        match self.grader.check(reference, response) {
            Check::Possible => {}
            Check::Unclear => {
                self.unclear.push(rank);
                return None;
            }
            Check::Impossible(fault) => {
                let line = answer.map_or(0, |(line, _)| *line);
                let message = format!("{}: {}", self.ids[rank], fault.message);
                self.file.faults.push(LineFault { line, fault: Fault { message, ..fault } });
            }
        }
        Some(self.grader.grade(&self.ids[rank], 0, reference, response))
    }

    fn exclude(&mut self, flaw: Flaw) -> Verdict {
        if let Some((line, _)) = self.file.answers[flaw.rank] {
            let fault = Fault::new(FaultKind::NoSolution, flaw.reason.clone());
            self.file.faults.push(LineFault { line, fault });
        }
        let verdict = Verdict::excluded(flaw.id.clone(), flaw.reason.clone());
        self.flaws.push(flaw);
        verdict
    }

    fn count(&mut self, verdict: Option<Verdict>) {
        if let Some(verdict) = verdict {
            self.counts.add(&verdict);
            self.tally.add(&verdict);
        }
    }
}
