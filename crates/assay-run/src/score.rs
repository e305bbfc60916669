//! Grades answers made elsewhere.

use std::io::BufRead;
use std::ops::ControlFlow;

use assay_core::{
    Cancel, Case, Check, Counts, Digest, Fault, FaultKind, Fingerprint, Flaw, Grader, NoAnswer,
    Place, ProblemId, Problems, Reading, Reference, Response, Result, Results, Selection, Tally,
    Task, TaskSettings, Verdict, Why,
};
use assay_solvers::AnswerFile;

use crate::Tool;
use crate::plan::signature;

/// What scoring found.
#[derive(Debug)]
pub struct Scored {
    /// The numbers.
    pub results: Results,
    /// Problems without a usable solution.
    pub flaws: Vec<Flaw>,
}

/// Grades the answers in `reader`, called `name`, against all of `problems`. Either every line is
/// accepted, or the file is refused with all that is wrong in it. Problems are read only where the
/// answer cannot be graded without, unless `read_all` says otherwise, for metrics that need more.
pub fn score(
    task: &dyn Task,
    problems: &dyn Problems,
    settings: &TaskSettings,
    (reader, name): (&mut dyn BufRead, &str),
    read_all: bool,
    tool: &Tool,
) -> Result<Scored> {
    let mut marking = Marking {
        grader: task.grader(settings, 1)?,
        tally: task.tally(settings),
        none: Response::none(Why::Silent, "there is no answer to it"),
        ids: problems.ids(),
        file: AnswerFile::read(reader, name, problems)?,
        fingerprints: Vec::new(),
        cancel: Cancel::new(),
        counts: Counts::default(),
        flaws: Vec::new(),
        unclear: Vec::new(),
        read_all,
    };
    let mut outcome = Ok(());
    problems.references(&mut |rank, reference| {
        if outcome.is_ok() {
            outcome = marking.mark(rank, reference);
        }
    });
    outcome?;
    marking.mark_unclear(problems)?;
    let Marking { file, fingerprints, counts, tally, flaws, .. } = marking;
    if !file.faults.is_empty() {
        return Err(file.faults.refuse(name));
    }
    let data = Digest::of_all(fingerprints);
    let solver = format!("file@{}", file.digest.short());
    let results = Results {
        task: task.card().name.to_owned(),
        solver: format!("file:{name}"),
        signature: signature(task, settings, data, counts.problems, tool).field("solver", solver),
        counts,
        metrics: tally.metrics(),
        left_out: tally.left_out(),
        gold: None,
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
    fingerprints: Vec<Fingerprint>,
    counts: Counts,
    flaws: Vec<Flaw>,
    /// Problems that must be read to tell whether their answer is possible.
    unclear: Vec<usize>,
    /// Whether every problem is read.
    read_all: bool,
    /// Nobody interrupts the scoring.
    cancel: Cancel,
}

impl Marking<'_> {
    fn mark(&mut self, rank: usize, reference: Result<Reference, Flaw>) -> Result<()> {
        match reference {
            Ok(reference) => {
                self.fingerprints.extend([self.ids[rank].fingerprint(), reference.fingerprint()]);
                if self.read_all {
                    self.unclear.push(rank);
                    return Ok(());
                }
                self.grade(rank, &reference)
            }
            Err(flaw) => {
                self.fingerprints.push(flaw.id.fingerprint());
                self.note_flaw(flaw);
                Ok(())
            }
        }
    }

    /// Reads the problems that are left, and grades the answers to them.
    fn mark_unclear(&mut self, problems: &dyn Problems) -> Result<()> {
        let mut wanted = vec![false; self.ids.len()];
        for rank in std::mem::take(&mut self.unclear) {
            wanted[rank] = true;
        }
        problems.read(&Selection::of(wanted.len(), |rank| wanted[rank]), &mut |reading| {
            match reading {
                Reading::Problem(problem) => self.grade(problem.rank, &problem.reference)?,
                Reading::Flawed(flaw) => self.note_flaw(flaw),
            }
            Ok(ControlFlow::Continue(()))
        })
    }

    /// Grades the answer to a problem, or notes that the problem must be read first.
    fn grade(&mut self, rank: usize, reference: &Reference) -> Result<()> {
        let answer = self.file.answers[rank].as_ref();
        let response = answer.map_or(&self.none, |(_, response)| response);
        match self.grader.check(reference, response) {
            Check::Possible => {}
            Check::Unclear => {
                self.unclear.push(rank);
                return Ok(());
            }
            Check::Impossible(fault) => {
                let place = answer.map_or(Place::FILE, |(place, _)| *place);
                let message = format!("{}: {}", self.ids[rank], fault.message);
                self.file.faults.add(place, Fault { message, ..fault });
            }
        }
        let problem = &self.ids[rank];
        let case = Case { problem, sample: 0, reference, response, cancel: &self.cancel };
        let verdict = self.grader.grade(&case)?;
        self.counts.add(&verdict);
        self.tally.add(&verdict);
        Ok(())
    }

    /// A problem without a usable solution cannot be graded: an answer to it is refused, and without
    /// an answer it costs what every problem without an answer costs.
    fn note_flaw(&mut self, flaw: Flaw) {
        if let Some((place, _)) = self.file.answers[flaw.rank] {
            self.file.faults.add(place, Fault::new(FaultKind::NoSolution, flaw.reason.clone()));
        }
        let reason = NoAnswer { why: Why::Silent, detail: flaw.reason.clone() };
        let verdict = Verdict::unanswered(flaw.id.clone(), 0, &reason);
        self.counts.add(&verdict);
        self.tally.add(&verdict);
        self.flaws.push(flaw);
    }
}
