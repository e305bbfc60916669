//! Converts the lines that a solver command prints into answers.

use std::collections::{BTreeMap, HashMap, VecDeque};
use std::fs::File;

use assay_answers::{ProblemNames, codrep, parse_answer_object, parse_program_line};
use assay_core::{
    AnswerSink, Cancel, Fault, FaultKind, NoAnswerKind, Problems, Response, Result, SampleKey,
    SessionEnd, SessionReport, agreeing, counted,
};

use super::CommandSolver;
use super::process::Process;
use super::stage::{Protocol, Staged};

/// The number of unreadable lines that are kept as evidence.
const MAX_GARBAGE_LINES: usize = 5;
/// The maximum length of a line, which may hold several whole programs; the rest of a longer one is dropped.
const MAX_LINE_BYTES: u64 = 8 << 20;

/// The number of lines without JSON, and of their bytes, that are held back before they are taken as answers: a program
/// may print its log before its first JSON answer.
const MAX_HELD_LINES: usize = 32;
const MAX_HELD_BYTES: usize = 1 << 20;

/// The format of the lines that a program prints when it is asked for texts.
enum Spoken {
    /// It is not known yet; these lines came first.
    Unknown(Vec<Vec<u8>>),
    /// JSON objects: any other line is none of its answers.
    Json,
    /// One text per line.
    Plain,
}

/// One session of the command on the problems that it is asked.
pub(super) struct Conversation<'a> {
    solver: &'a CommandSolver,
    staged: &'a Staged,
    problems: &'a dyn Problems,
    names: ProblemNames<'a>,
    /// The problems that have no line yet, if lines come in the order of the problems.
    next: VecDeque<usize>,
    spoken: Spoken,
    /// The samples without an answer, in order, by problem index; a problem that has all answers is
    /// removed.
    open: BTreeMap<usize, VecDeque<u32>>,
    answered: usize,
    /// The reason why a line about an open problem was not an answer, by problem index.
    rejected: HashMap<usize, String>,
    garbage_lines: usize,
    garbage: Vec<String>,
}

/// Problems by index, each with an answer to it.
type Answers = Vec<(usize, Response)>;

/// Reads a line that is no JSON, beside answers that are.
fn read_log_line(line: &[u8]) -> Result<Answers, Fault> {
    if line.trim_ascii().is_empty() {
        return Ok(Answers::new());
    }
    Err(Fault::new(FaultKind::Malformed, "the line is no JSON, as other answers are"))
}

impl<'a> Conversation<'a> {
    pub(super) fn new(
        solver: &'a CommandSolver,
        staged: &'a Staged,
        problems: &'a dyn Problems,
    ) -> Self {
        let open =
            |(&index, samples): (&usize, &Vec<u32>)| (index, samples.iter().copied().collect());
        Self {
            solver,
            staged,
            problems,
            names: ProblemNames::new(problems),
            next: staged.asked.keys().copied().collect(),
            spoken: Spoken::Unknown(Vec::new()),
            open: staged.asked.iter().map(open).collect(),
            answered: 0,
            rejected: HashMap::new(),
            garbage_lines: 0,
            garbage: Vec::new(),
        }
    }

    /// Runs the command with `questions` as its standard input, passes its answers on, and gives the reason for every
    /// missing sample.
    pub(super) fn run(
        mut self,
        questions: File,
        cancel: &Cancel,
        emit: &mut dyn AnswerSink,
    ) -> Result<()> {
        let solver = self.solver;
        let mut command = solver.command.clone();
        command.push(self.staged.path.display().to_string());
        let mut process = Process::start(
            &command,
            &solver.working_folder,
            questions,
            solver.time_limit,
            MAX_LINE_BYTES,
        )?;
        let end = process.run_to_end(cancel, &mut |line| self.take_line(line, emit))?;
        self.take_held(emit)?;
        let wall = process.elapsed();
        let stderr_tail = process.stderr_tail();
        self.close(&end, &stderr_tail, emit)?;
        emit.session(SessionReport {
            command,
            working_folder: solver.working_folder.display().to_string(),
            time_limit_s: solver.time_limit.as_secs_f64(),
            wall_s: wall.as_secs_f64(),
            end,
            asked: self.staged.asked.values().map(Vec::len).sum(),
            answered: self.answered,
            garbage_lines: self.garbage_lines,
            garbage: self.garbage,
            stderr_tail,
        })
    }

    /// Takes a line, or holds it back until it is known whether the program prints JSON.
    fn take_line(&mut self, line: &[u8], emit: &mut dyn AnswerSink) -> Result<()> {
        if !matches!(self.staged.protocol, Protocol::Sources) {
            return self.take_known_line(line, emit);
        }
        let Spoken::Unknown(held) = &mut self.spoken else {
            return self.take_known_line(line, emit);
        };
        let is_json = matches!(
            parse_answer_object(line, self.staged.kind, &self.names),
            Ok(Some((index, _))) if self.staged.asked.contains_key(&index)
        );
        if is_json {
            let held = std::mem::take(held);
            self.spoken = Spoken::Json;
            held.iter().try_for_each(|line| self.take_known_line(line, emit))?;
            return self.take_known_line(line, emit);
        }
        held.push(line.to_owned());
        let bytes: usize = held.iter().map(Vec::len).sum();
        if held.len() >= MAX_HELD_LINES || bytes >= MAX_HELD_BYTES {
            self.take_held(emit)?;
        }
        Ok(())
    }

    /// Takes the lines that were held back as texts, because no JSON came.
    fn take_held(&mut self, emit: &mut dyn AnswerSink) -> Result<()> {
        let Spoken::Unknown(held) = &mut self.spoken else { return Ok(()) };
        let held = std::mem::take(held);
        self.spoken = Spoken::Plain;
        held.iter().try_for_each(|line| self.take_known_line(line, emit))
    }

    fn take_known_line(&mut self, line: &[u8], emit: &mut dyn AnswerSink) -> Result<()> {
        let answers = match self.read_line(line) {
            Ok(answers) => answers,
            Err(fault) => {
                self.note(line, fault);
                return Ok(());
            }
        };
        for (index, response) in answers {
            match self.next_sample(index) {
                Ok(sample) => emit.answer(SampleKey { index, sample }, response)?,
                Err(fault) => self.note(line, fault),
            }
        }
        Ok(())
    }

    /// Reads a line: a JSON object that names its problem, or what the protocol expects otherwise.
    fn read_line(&mut self, line: &[u8]) -> Result<Answers, Fault> {
        if let Some((index, responses)) = parse_answer_object(line, self.staged.kind, &self.names)?
        {
            return Ok(responses.into_iter().map(|response| (index, response)).collect());
        }
        match &self.staged.protocol {
            Protocol::Sources if matches!(self.spoken, Spoken::Json) => read_log_line(line),
            Protocol::Sources => self.read_text_line(line),
            Protocol::Tasks { dataset } => self.read_task_line(line, dataset),
            Protocol::Questions => self.read_program_line(line),
        }
    }

    /// The number of the next sample of a problem.
    fn next_sample(&mut self, index: usize) -> Result<u32, Fault> {
        let samples = self.open.get_mut(&index);
        let Some(sample) = samples.and_then(VecDeque::pop_front) else {
            let id = &self.problems.ids()[index];
            let message = match self.staged.asked.get(&index).map(Vec::len) {
                None => format!("was not asked about {id}"),
                Some(1) => format!("a second answer to {id}"),
                Some(asked) => format!("more than the {asked} samples of {id} that were asked for"),
            };
            return Err(Fault::new(FaultKind::Duplicate, message));
        };
        if self.open.get(&index).is_some_and(VecDeque::is_empty) {
            self.open.remove(&index);
        }
        self.answered += 1;
        Ok(sample)
    }

    /// Reads a line as the answer to the next problem, whatever it contains.
    fn read_text_line(&mut self, line: &[u8]) -> Result<Answers, Fault> {
        let Some(index) = self.next.pop_front() else {
            let count = self.staged.asked.len();
            let message = format!("one line more than the {}", counted(count, "source"));
            return Err(Fault::new(FaultKind::Malformed, message));
        };
        let fault = |message: &str| Fault::new(FaultKind::Malformed, message).about(index);
        let ended = line.strip_suffix(b"\n");
        if ended.is_none() && line.len() as u64 == MAX_LINE_BYTES {
            return Err(fault("the line is too long"));
        }
        let text = std::str::from_utf8(ended.unwrap_or(line));
        let text = text.map_err(|_| fault("the line is not UTF-8"))?;
        let text = text.strip_suffix('\r').unwrap_or(text);
        Ok(vec![(index, Response::Text(text.to_owned()))])
    }

    /// Reads a line with the name of a task and the lines to replace in it.
    fn read_task_line(&self, line: &[u8], dataset: &str) -> Result<Answers, Fault> {
        let text = std::str::from_utf8(line)
            .map_err(|_| Fault::new(FaultKind::Malformed, "the line is not UTF-8"))?;
        let parsed = codrep::parse_line(text, self.problems).or_else(|fault| {
            // A bare file name means a task in the folder that the command was given.
            let here = format!("{dataset}/Tasks/{}", text.trim_start());
            codrep::parse_line(&here, self.problems).map_err(|_| fault)
        });
        Ok(parsed?.map(|parsed| (parsed.key.index, parsed.response)).into_iter().collect())
    }

    /// Reads a line with samples of the answer to one problem.
    fn read_program_line(&self, line: &[u8]) -> Result<Answers, Fault> {
        let Some((index, responses)) = parse_program_line(line, &self.names)? else {
            return Ok(Vec::new());
        };
        Ok(responses.into_iter().map(|response| (index, response)).collect())
    }

    fn note(&mut self, line: &[u8], fault: Fault) {
        self.garbage_lines += 1;
        if self.garbage.len() < MAX_GARBAGE_LINES {
            let text: String = String::from_utf8_lossy(line).trim_end().chars().take(200).collect();
            self.garbage.push(format!("{}: {text:?}", fault.message));
        }
        if let Some(index) = fault.index.filter(|index| self.open.contains_key(index)) {
            self.rejected.entry(index).or_insert(fault.message);
        }
    }

    fn close(&mut self, end: &SessionEnd, stderr: &str, emit: &mut dyn AnswerSink) -> Result<()> {
        let limit = self.solver.time_limit.as_secs_f64();
        let last_words = stderr.trim_end().lines().next_back().unwrap_or_default();
        let (kind, detail) = match end {
            // The run will be resumed: samples without an answer stay open.
            SessionEnd::Cancelled => return Ok(()),
            SessionEnd::Exited(0) if self.garbage_lines > 0 => {
                let count = self.garbage_lines;
                let are = agreeing(count, "is no answer", "are no answers");
                let detail = format!("the program printed {} that {are}", counted(count, "line"));
                (NoAnswerKind::Garbage, detail)
            }
            SessionEnd::Exited(0) => {
                (NoAnswerKind::Silent, "the program said nothing to it".to_owned())
            }
            SessionEnd::Exited(code) => (
                NoAnswerKind::Crashed,
                format!("the program ended with status {code}: {last_words}"),
            ),
            SessionEnd::Signalled(signal) => {
                (NoAnswerKind::Crashed, format!("signal {signal} ended the program: {last_words}"))
            }
            SessionEnd::TimedOut => (NoAnswerKind::TimedOut, format!("no answer within {limit} s")),
        };
        for (&index, samples) in &self.open {
            let response = match self.rejected.get(&index) {
                Some(message) => Response::none(NoAnswerKind::Garbage, message.clone()),
                None => Response::none(kind, detail.trim_end_matches([':', ' '])),
            };
            for &sample in samples {
                emit.answer(SampleKey { index, sample }, response.clone())?;
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use std::path::Path;
    use std::time::Duration;

    use assay_core::{
        Batch, BatchQuestion, ProblemId, Question, Selection, TextQuestion, Visit, VisitReference,
    };

    use super::*;
    use crate::program::stage::stage;

    struct Texts(Vec<ProblemId>);

    impl Problems for Texts {
        fn ids(&self) -> &[ProblemId] {
            &self.0
        }

        fn read(&self, _: &Selection, _: &mut Visit<'_>) -> Result<()> {
            Ok(())
        }

        fn references(&self, _: &mut VisitReference<'_>) {}

        fn location(&self, index: usize) -> String {
            self.0[index].to_string()
        }
    }

    #[derive(Default)]
    struct Answered(Vec<(usize, String)>);

    impl AnswerSink for Answered {
        fn answer(&mut self, key: SampleKey, response: Response) -> Result<()> {
            self.0.push((key.index, response.text().unwrap_or("none").to_owned()));
            Ok(())
        }

        fn session(&mut self, _: SessionReport) -> Result<()> {
            Ok(())
        }
    }

    /// The answers to `count` texts in these lines, and the number of lines that are none.
    fn answers(count: usize, lines: &[&str]) -> (Vec<(usize, String)>, usize) {
        let problems = Texts((0..count).map(|number| format!("T/{number}").into()).collect());
        let scratch = tempfile::tempdir().unwrap();
        let mut questions = problems.ids().iter().enumerate().map(|(index, id)| BatchQuestion {
            id: id.clone(),
            index,
            question: Question::Text(TextQuestion { source: "a".to_owned(), languages: None }),
            samples: vec![0],
        });
        let staged = stage(&mut Batch {
            problems: &problems,
            questions: &mut questions,
            scratch: scratch.path(),
            cancel: &Cancel::new(),
        })
        .unwrap();
        let solver = CommandSolver {
            command: Vec::new(),
            working_folder: Path::new(".").to_owned(),
            time_limit: Duration::from_secs(1),
        };
        let mut conversation = Conversation::new(&solver, &staged[0], &problems);
        let mut answered = Answered::default();
        for line in lines {
            conversation.take_line(format!("{line}\n").as_bytes(), &mut answered).unwrap();
        }
        conversation.take_held(&mut answered).unwrap();
        (answered.0, conversation.garbage_lines)
    }

    fn owned(answers: &[(usize, &str)]) -> Vec<(usize, String)> {
        answers.iter().map(|&(index, text)| (index, text.to_owned())).collect()
    }

    #[test]
    fn a_log_line_is_no_answer_beside_json() {
        let first = r#"{"task_id": "T/0", "text": "x"}"#;
        let second = r#"{"task_id": "T/1", "completion": "y"}"#;
        let both = owned(&[(0, "x"), (1, "y")]);
        for (lines, garbage) in [
            (["Loading model…", first, second], 1),
            (["", first, second], 0),
            ([first, "half done", second], 1),
            ([first, second, "{\"loss\": 1}"], 1),
        ] {
            assert_eq!(answers(2, &lines), (both.clone(), garbage), "{lines:?}");
        }
    }

    #[test]
    fn lines_without_json_are_answers_in_order() {
        let both = owned(&[(0, "x"), (1, "{\"y\": 1}")]);
        assert_eq!(answers(2, &["x", "{\"y\": 1}"]), (both.clone(), 0));
        assert_eq!(answers(2, &["x", "{\"y\": 1}", "z"]), (both, 1));
        assert_eq!(answers(3, &["", "x"]).0, owned(&[(0, ""), (1, "x")]));
        let many: Vec<String> = (0..100).map(|number| format!("line {number}")).collect();
        let lines: Vec<&str> = many.iter().map(String::as_str).collect();
        assert_eq!(answers(100, &lines), (many.iter().cloned().enumerate().collect(), 0));
    }
}
