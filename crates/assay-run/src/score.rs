//! Grades answers made elsewhere.

use std::io::BufRead;
use std::ops::ControlFlow;

use assay_core::{
    Counts, Digest, Fault, FaultKind, Fingerprint, Flaw, Grader, Problem, Problems, Reading,
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
    let total = problems.ids().len();
    let mut marking = Marking {
        grader: task.grader(),
        none: Response::none(Why::Silent, "there is no answer to it"),
        tally: task.tally(),
        file: AnswerFile::read(reader, problems)?,
        fingerprints: vec![None; total],
        counts: Counts::default(),
        flaws: Vec::new(),
    };
    problems.read(&Selection::all(total), &mut |reading| {
        marking.mark(reading);
        ControlFlow::Continue(())
    })?;
    let Marking { file, fingerprints, counts, tally, flaws, .. } = marking;
    if !file.faults.is_empty() {
        return Err(refuse(name, file.faults));
    }
    let data = Digest::of_problems(fingerprints.iter().flatten());
    let solver = format!("file@{}", file.digest.short());
    let results = Results {
        task: task.card().name.to_owned(),
        solver: format!("file:{name}"),
        signature: signature(task, data, counts.problems, rules, &solver, tool),
        counts,
        metrics: tally.metrics(),
    };
    Ok(Scored { results, flaws })
}

struct Marking {
    grader: Box<dyn Grader>,
    /// The answer to what has none.
    none: Response,
    tally: Box<dyn Tally>,
    file: AnswerFile,
    fingerprints: Vec<Option<Fingerprint>>,
    counts: Counts,
    flaws: Vec<Flaw>,
}

impl Marking {
    fn mark(&mut self, reading: Reading) {
        let verdict = match reading {
            Reading::Problem(problem) => {
                self.fingerprints[problem.rank] = Some(problem.fingerprint());
                self.grade(&problem)
            }
            Reading::Flawed(flaw) => {
                if let Some((line, _)) = self.file.answers[flaw.rank] {
                    let fault = Fault::new(FaultKind::NoSolution, flaw.reason.clone());
                    self.file.faults.push(LineFault { line, fault });
                }
                let verdict = Verdict::excluded(flaw.id.clone(), flaw.reason.clone());
                self.flaws.push(flaw);
                verdict
            }
        };
        self.counts.add(&verdict);
        self.tally.add(&verdict);
    }

    fn grade(&mut self, problem: &Problem) -> Verdict {
        let answer = self.file.answers[problem.rank].as_ref();
        if let Some((line, response)) = answer
            && let Some(fault) = self.grader.fault(&problem.reference, response)
        {
            let message = format!("{}: {}", problem.id, fault.message);
            let fault = Fault { message, ..fault };
            self.file.faults.push(LineFault { line: *line, fault });
        }
        let response = answer.map_or(&self.none, |(_, response)| response);
        self.grader.grade(&problem.id, 0, &problem.reference, response)
    }
}
