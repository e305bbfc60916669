//! What a program says, line by line, turned into answers.

use std::collections::{BTreeSet, HashMap};

use assay_core::{
    Cancel, Fault, FaultKind, Problems, Response, Result, SampleKey, SessionEnd, SessionReport,
    TakeAnswers, Why,
};

use super::process::{LONGEST_LINE, Process};
use super::{ProgramSolver, Staged};

/// How many unreadable lines are kept as evidence.
const GARBAGE_KEPT: usize = 5;

/// One session of the program on the tasks of one dataset.
pub(super) struct Conversation<'a> {
    solver: &'a ProgramSolver,
    staged: &'a Staged,
    problems: &'a dyn Problems,
    /// The problems to which no line has been said yet, where lines come in their order.
    next: std::vec::IntoIter<usize>,
    /// Tasks that have no answer yet.
    open: BTreeSet<usize>,
    /// Open tasks for which something was said that is no answer.
    spoiled: HashMap<usize, String>,
    garbage_lines: usize,
    garbage: Vec<String>,
}

impl<'a> Conversation<'a> {
    pub(super) fn new(
        solver: &'a ProgramSolver,
        staged: &'a Staged,
        problems: &'a dyn Problems,
    ) -> Self {
        let open = staged.ranks.clone();
        let next = open.iter().copied().collect::<Vec<_>>().into_iter();
        let (spoiled, garbage) = (HashMap::new(), Vec::new());
        Self { solver, staged, problems, next, open, spoiled, garbage_lines: 0, garbage }
    }

    /// Runs the program, passes its answers on, and says of every other task why it has none.
    pub(super) fn hold(mut self, cancel: &Cancel, emit: &mut dyn TakeAnswers) -> Result<()> {
        let solver = self.solver;
        let mut command = solver.command.clone();
        command.push(self.staged.path.display().to_string());
        let mut process = Process::start(&command, &solver.working_folder, solver.time_limit)?;
        let end = process.converse(cancel, &mut |line| self.hear(line, emit))?;
        let wall = process.elapsed();
        let stderr_tail = process.stderr_tail();
        self.close(&end, &stderr_tail, emit)?;
        emit.session(SessionReport {
            command,
            working_folder: solver.working_folder.display().to_string(),
            time_limit_s: solver.time_limit.as_secs_f64(),
            wall_s: wall.as_secs_f64(),
            end,
            asked: self.staged.ranks.len(),
            answered: self.staged.ranks.len() - self.open.len(),
            garbage_lines: self.garbage_lines,
            garbage: self.garbage,
            stderr_tail,
        })
    }

    fn hear(&mut self, line: &[u8], emit: &mut dyn TakeAnswers) -> Result<()> {
        let understood =
            if self.staged.in_order { self.take_next(line) } else { self.understand(line) };
        match understood {
            Ok(None) => Ok(()),
            Ok(Some((rank, response))) => {
                self.open.remove(&rank);
                emit.answer(SampleKey { rank, sample: 0 }, response)
            }
            Err(fault) => {
                self.note(line, fault);
                Ok(())
            }
        }
    }

    /// The next line answers the next problem, whatever it says.
    fn take_next(&mut self, line: &[u8]) -> Result<Option<(usize, Response)>, Fault> {
        let Some(rank) = self.next.next() else {
            let count = self.staged.ranks.len();
            let message = format!("one line more than the {count} sources");
            return Err(Fault::new(FaultKind::Malformed, message));
        };
        let fault = |message: &str| Fault::new(FaultKind::Malformed, message).about(rank);
        let ended = line.strip_suffix(b"\n");
        if ended.is_none() && line.len() as u64 == LONGEST_LINE {
            return Err(fault("the line is too long"));
        }
        let text = std::str::from_utf8(ended.unwrap_or(line));
        let text = text.map_err(|_| fault("the line is not UTF-8"))?;
        Ok(Some((rank, Response::Text(text.strip_suffix('\r').unwrap_or(text).to_owned()))))
    }

    fn understand(&self, line: &[u8]) -> Result<Option<(usize, Response)>, Fault> {
        let text = std::str::from_utf8(line)
            .map_err(|_| Fault::new(FaultKind::Malformed, "the line is not UTF-8"))?;
        let parsed = self.problems.parse_answer(text).or_else(|fault| {
            // A bare file name means a task of the folder that the program was given.
            let here = format!("{}/Tasks/{}", self.staged.dataset, text.trim_start());
            self.problems.parse_answer(&here).map_err(|_| fault)
        });
        let Some(parsed) = parsed? else { return Ok(None) };
        let rank = parsed.key.rank;
        if self.open.contains(&rank) {
            return Ok(Some((rank, parsed.response)));
        }
        let id = &self.problems.ids()[rank];
        let asked = self.staged.ranks.contains(&rank);
        let what = if asked { "a second answer to" } else { "was not asked about" };
        Err(Fault::new(FaultKind::Duplicate, format!("{what} {id}")))
    }

    fn note(&mut self, line: &[u8], fault: Fault) {
        self.garbage_lines += 1;
        if self.garbage.len() < GARBAGE_KEPT {
            let text: String = String::from_utf8_lossy(line).trim_end().chars().take(200).collect();
            self.garbage.push(format!("{}: {text:?}", fault.message));
        }
        if let Some(rank) = fault.rank.filter(|rank| self.open.contains(rank)) {
            self.spoiled.entry(rank).or_insert(fault.message);
        }
    }

    fn close(&mut self, end: &SessionEnd, stderr: &str, emit: &mut dyn TakeAnswers) -> Result<()> {
        let limit = self.solver.time_limit.as_secs_f64();
        let last_words = stderr.trim_end().lines().next_back().unwrap_or_default();
        let (why, detail) = match end {
            // The run is to be resumed: what has no answer yet stays open.
            SessionEnd::Cancelled => return Ok(()),
            SessionEnd::Exited(0) if self.garbage_lines > 0 => {
                let count = self.garbage_lines;
                (Why::Garbage, format!("the program printed {count} lines that are no answers"))
            }
            SessionEnd::Exited(0) => (Why::Silent, "the program said nothing to it".to_owned()),
            SessionEnd::Exited(code) => {
                (Why::Crashed, format!("the program ended with status {code}: {last_words}"))
            }
            SessionEnd::Signalled(signal) => {
                (Why::Crashed, format!("signal {signal} ended the program: {last_words}"))
            }
            SessionEnd::TimedOut => (Why::TimedOut, format!("no answer within {limit} s")),
        };
        for &rank in &self.open {
            let response = match self.spoiled.get(&rank) {
                Some(message) => Response::none(Why::Garbage, message.clone()),
                None => Response::none(why, detail.trim_end_matches([':', ' '])),
            };
            emit.answer(SampleKey { rank, sample: 0 }, response)?;
        }
        Ok(())
    }
}
