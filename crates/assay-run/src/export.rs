//! The answers of a recorded run in the format of another harness.

use std::collections::{BTreeMap, HashMap};
use std::io::{self, Write};
use std::ops::ControlFlow;
use std::path::Path;
use std::sync::Arc;

use assay_answers::{ExportFormat, ExportedProblem, ExportedSample, Exporter, write_references};
use assay_core::{
    Answer, DataChoice, Error, Language, Problem, Question, QuestionKind, Reading, Result,
};
use assay_record::RunReader;
use assay_tasks::TaskRegistry;

use crate::{OpenTask, Request};

/// The answers of a run with their problems.
pub struct RunExport {
    open: Arc<OpenTask>,
    problems: Vec<Problem>,
    /// The answers by problem and sample.
    answers: HashMap<String, BTreeMap<u32, Answer>>,
    samples: u32,
}

/// The numbers of what was written.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct ExportSummary {
    /// Problems.
    pub problems: usize,
    /// Samples, including those without an answer.
    pub samples: usize,
    /// Samples without an answer, which were written as empty programs.
    pub unanswered: usize,
}

impl RunExport {
    /// Reads the run in `folder`, and its problems from its own data or from `data`.
    pub fn open(tasks: &TaskRegistry, folder: &Path, data: Option<DataChoice>) -> Result<Self> {
        let reader = RunReader::open(folder)?;
        let manifest = reader.manifest();
        let request = Request::from_record(&manifest.request)?;
        let mut task = request.task;
        if let Some(data) = data {
            task.data = data;
        }
        let open = OpenTask::open(tasks, task, 1, None)?;
        let card = open.task.card();
        if card.asks != QuestionKind::Code {
            return Err(Error::usage(format!("answers to {} are no programs", card.name))
                .hint("other harnesses have formats for programs alone; `answers.jsonl` in the run's folder has every answer"));
        }
        if manifest.data_digest.is_some_and(|then| open.data_digest().ok() != Some(then)) {
            let message = format!(
                "the answers in {} are to other problems than those of the data",
                folder.display()
            );
            return Err(
                Error::refused(message).hint("name the data that they were made for with --data")
            );
        }
        let problems = problems(&open)?;
        let answers = answers(&reader)?;
        Ok(Self { open, problems, answers, samples: request.samples })
    }

    /// Writes the answers.
    pub fn write(&self, format: ExportFormat, out: &mut dyn Write) -> io::Result<ExportSummary> {
        let mut summary = ExportSummary::default();
        let mut exporter = Exporter::new(format, out);
        for problem in &self.problems {
            let Question::Code(question) = &problem.question else { continue };
            let samples = self.samples_of(problem, &mut summary);
            let of_problem = ExportedProblem {
                id: problem.id.as_str(),
                index: problem.index,
                prompt: &question.prompt,
                opening: &question.opening,
                tests: problem.reference.appended_tests(),
                samples,
            };
            exporter.write(&of_problem)?;
        }
        exporter.finish()?;
        Ok(summary)
    }

    /// Writes the tests of the problems, in their order.
    pub fn write_references(&self, out: &mut dyn Write) -> io::Result<()> {
        let tests = self.problems.iter().map(|problem| problem.reference.appended_tests());
        write_references(out, tests.map(|tests| tests.map(str::to_owned)))
    }

    fn samples_of(&self, problem: &Problem, summary: &mut ExportSummary) -> Vec<ExportedSample> {
        let answers = self.answers.get(problem.id.as_str());
        summary.problems += 1;
        let samples = (0..self.samples.max(1)).map(|sample| {
            let answer = answers.and_then(|answers| answers.get(&sample));
            let program =
                answer.and_then(|answer| problem.reference.whole_program(&answer.response));
            summary.samples += 1;
            summary.unanswered += usize::from(program.is_none());
            let reply = answer.map(reply_of).filter(|_| program.is_some()).unwrap_or_default();
            ExportedSample { program: program.unwrap_or_default(), reply }
        });
        samples.collect()
    }

    /// Refuses answers that the format cannot hold.
    pub fn check(&self, format: ExportFormat) -> Result<()> {
        let wanted = &self.open.wanted;
        if format.is_positional() && !wanted.indices().eq(0..wanted.len()) {
            return Err(Error::usage(
                "generations.json has no names, and these problems are not the task's first",
            )
            .hint("--format evalplus writes names"));
        }
        let language = self.open.problems.language();
        if format == ExportFormat::HumanEval
            && language.is_some_and(|found| found != Language::Python)
        {
            return Err(Error::usage("HumanEval's samples.jsonl is for Python")
                .hint("--format evalplus or bigcode writes whole programs"));
        }
        if format == ExportFormat::HumanEval { self.check_continuations() } else { Ok(()) }
    }

    /// Refuses programs that cannot follow their prompt.
    fn check_continuations(&self) -> Result<()> {
        for problem in &self.problems {
            let Question::Code(question) = &problem.question else { continue };
            let samples = self.samples_of(problem, &mut ExportSummary::default());
            if !samples.iter().all(|sample| sample.may_follow(&question.opening)) {
                let message = format!(
                    "a program for {} imports from __future__, which is a mistake after the prompt",
                    problem.id
                );
                return Err(Error::usage(message)
                    .hint("--format evalplus or bigcode writes whole programs"));
            }
        }
        Ok(())
    }
}

/// The text as the solver gave it.
fn reply_of(answer: &Answer) -> String {
    let given = || answer.response.text().map(str::to_owned).unwrap_or_default();
    answer.reply.clone().unwrap_or_else(given)
}

/// The problems of the run, in task order.
fn problems(open: &OpenTask) -> Result<Vec<Problem>> {
    let mut problems = Vec::new();
    open.problems.read(&open.wanted, &mut |reading| {
        if let Reading::Problem(problem) = reading {
            problems.push(problem);
        }
        Ok(ControlFlow::Continue(()))
    })?;
    problems.sort_by_key(|problem| problem.index);
    Ok(problems)
}

fn answers(reader: &RunReader) -> Result<HashMap<String, BTreeMap<u32, Answer>>> {
    let mut answers: HashMap<String, BTreeMap<u32, Answer>> = HashMap::new();
    for line in reader.answers() {
        let answer = Answer::from(line?);
        let of_problem = answers.entry(answer.problem.as_str().to_owned()).or_default();
        of_problem.insert(answer.sample, answer);
    }
    Ok(answers)
}
