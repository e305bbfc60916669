//! Trains the locator on datasets in CodRep's format.

mod held_out;

use std::ops::ControlFlow;

use assay_core::{
    DataChoice, Error, Fingerprint, Opening, Problem, Problems, Question, Reading, Response,
    Result, Selection, Task, TaskSettings,
};
use assay_locate::train::{Bins, Examples, Settings, Trainer};
use assay_locate::{Model, Table, features};
use rayon::prelude::*;

pub use held_out::{Calibration, HeldOutReport, Miss};

use crate::Progress;
use held_out::evaluate;

/// The sampling interval of tasks for binning the features.
const SAMPLED: usize = 13;
/// The number of tasks whose features are computed together.
const CHUNK: usize = 1024;
/// The number of trees between two points of the learning curve.
const CURVE_STEP: usize = 50;

/// The training data, as features.
pub struct Lessons {
    examples: Examples,
    tasks: Vec<TrainingTask>,
    datasets: Vec<String>,
    flaws: Vec<String>,
}

struct TrainingTask {
    dataset: usize,
    /// The candidates' lines, from 0.
    lines: Vec<usize>,
    /// The fingerprints of the candidates' texts.
    texts: Vec<u128>,
    /// The right line, from 1.
    solution: usize,
    /// Identifies the change (replaced line and new line).
    change: u64,
}

impl TrainingTask {
    /// The index of the right line among the candidates.
    fn right(&self) -> Option<usize> {
        self.lines.iter().position(|&line| line + 1 == self.solution)
    }
}

/// A trained model, and its evaluation.
pub struct Trained {
    /// The model.
    pub model: Model,
    /// The scores on the held-out dataset.
    pub test: Option<HeldOutReport>,
    /// The features by importance, as shares, most important first.
    pub importance: Vec<(String, f64)>,
}

impl Lessons {
    /// Reads the datasets and computes the features of every task.
    pub fn read(data: &DataChoice, progress: &dyn Progress) -> Result<Self> {
        let task = assay_tasks::CodRep::default();
        let problems = task.open(&Opening::new(data, &TaskSettings::default()))?;
        problems.can_be_graded()?;
        let total = problems.ids().len();
        let sample = Selection::of(total, |index| index % SAMPLED == 0);
        let mut tables = Vec::new();
        in_chunks(problems.as_ref(), &sample, &mut |chunk| {
            tables.par_extend(chunk.par_iter().map(table));
        })?;
        let bins = Bins::fit(&tables);
        drop(tables);
        let mut lessons = Self {
            examples: Examples::new(bins.clone()),
            tasks: Vec::new(),
            datasets: Vec::new(),
            flaws: Vec::new(),
        };
        progress.start("describe", total, 0);
        let all = Selection::all(total);
        lessons.flaws = in_chunks(problems.as_ref(), &all, &mut |chunk| {
            let described: Vec<(Table, Vec<u8>)> = chunk
                .par_iter()
                .map(|problem| {
                    let table = table(problem);
                    let classes = Examples::classify(&bins, &table);
                    (table, classes)
                })
                .collect();
            for (problem, (table, classes)) in chunk.iter().zip(described) {
                lessons.add(problem, table.lines, &classes);
                progress.step();
            }
        })?;
        progress.finish();
        if lessons.tasks.is_empty() {
            return Err(Error::refused("there are no tasks to train on"));
        }
        Ok(lessons)
    }

    /// The defects of the tasks that are left out.
    pub fn flaws(&self) -> &[String] {
        &self.flaws
    }

    /// The datasets' names.
    pub fn datasets(&self) -> &[String] {
        &self.datasets
    }

    fn add(&mut self, problem: &Problem, lines: Vec<usize>, classes: &[u8]) {
        let Question::Line(question) = &problem.question else { return };
        let Some(Response::Lines(lines_replaced)) = problem.reference.gold() else { return };
        let [solution] = lines_replaced[..] else { return };
        let name = problem.id.as_str().rsplit_once('/').map_or("", |(name, _)| name);
        let known = self.datasets.iter().position(|dataset| dataset == name);
        let dataset = known.unwrap_or_else(|| {
            self.datasets.push(name.to_owned());
            self.datasets.len() - 1
        });
        let program: Vec<&[u8]> = question.program_lines().collect();
        let text = |&line: &usize| Fingerprint::of(program[line].trim_ascii()).as_number();
        let texts = lines.iter().map(text).collect();
        let change = question.change(solution);
        let lesson = TrainingTask { dataset, lines, texts, solution, change };
        self.examples.add(classes, lesson.lines.len(), lesson.right());
        self.tasks.push(lesson);
    }

    /// Trains a model, the mean of `models` forests, on all datasets but the held-out one.
    pub fn train(
        &self,
        hold_out: Option<usize>,
        models: usize,
        settings: &Settings,
        progress: &dyn Progress,
    ) -> Trained {
        let label = hold_out.map_or("train", |dataset| &self.datasets[dataset]);
        progress.start(label, models * settings.trees, 0);
        let mut forests = Vec::new();
        let mut sums: Vec<Vec<f32>> = Vec::new();
        let mut gains = vec![0.0; features().len()];
        let mut curve = Vec::new();
        for model in 0..models.max(1) {
            let settings =
                Settings { seed: settings.seed + 1000 * model as u64, ..settings.clone() };
            let learn = |task: usize| Some(self.tasks[task].dataset) != hold_out;
            let mut trainer = Trainer::new(&self.examples, learn, settings.clone());
            for tree in 1..=settings.trees {
                trainer.step();
                progress.step();
                if let Some(dataset) = hold_out.filter(|_| model == 0 && tree % CURVE_STEP == 0) {
                    let test = self.test(dataset, &|task| trainer.scores(task).to_vec());
                    curve.push((tree, test.line_error, test.line_error_distinct));
                }
            }
            if hold_out.is_some() {
                add_scores(&mut sums, &trainer, self.tasks.len(), 1.0 / models.max(1) as f32);
            }
            gains.iter_mut().zip(trainer.gains()).for_each(|(sum, gain)| *sum += gain);
            forests.push(trainer.model());
        }
        progress.finish();
        let test = hold_out.map(|dataset| {
            let test = self.test(dataset, &|task| sums[task].clone());
            HeldOutReport { curve, ..test }
        });
        Trained { model: Model::average(&forests), test, importance: importance(&gains) }
    }

    fn test(&self, dataset: usize, scores: &dyn Fn(usize) -> Vec<f32>) -> HeldOutReport {
        let lessons = self.tasks.iter().enumerate();
        let held_out = lessons.filter(|(_, lesson)| lesson.dataset == dataset);
        evaluate(&self.datasets[dataset], held_out, scores)
    }
}

/// Adds a forest's share of the mean to every task's scores.
fn add_scores(sums: &mut Vec<Vec<f32>>, trainer: &Trainer<'_>, tasks: usize, share: f32) {
    sums.resize(tasks, Vec::new());
    for (task, sum) in sums.iter_mut().enumerate() {
        let scores = trainer.scores(task);
        sum.resize(scores.len(), 0.0);
        sum.iter_mut().zip(scores).for_each(|(sum, score)| *sum += score * share);
    }
}

fn importance(gains: &[f64]) -> Vec<(String, f64)> {
    let total: f64 = gains.iter().sum();
    let mut importance: Vec<(String, f64)> = features()
        .into_iter()
        .zip(gains)
        .map(|(feature, gain)| (feature.name, gain / total.max(1e-12)))
        .collect();
    importance.sort_by(|left, right| right.1.total_cmp(&left.1).then(left.0.cmp(&right.0)));
    importance
}

fn table(problem: &Problem) -> Table {
    match &problem.question {
        Question::Line(question) => Table::new(question.line(), question.program()),
        // CodRep asks about lines only; other questions have no lines to learn from.
        Question::Text(_) | Question::Code(_) | Question::Choice(_) => Table::new(b"", b""),
    }
}

/// Passes on the wanted problems, in chunks. Returns the defects of those that cannot be used.
fn in_chunks(
    problems: &dyn Problems,
    wanted: &Selection,
    visit: &mut dyn FnMut(&[Problem]),
) -> Result<Vec<String>> {
    let mut flaws = Vec::new();
    let mut chunk = Vec::with_capacity(CHUNK);
    problems.read(wanted, &mut |reading| {
        match reading {
            Reading::Problem(problem) => chunk.push(problem),
            Reading::Flawed(flaw) => flaws.push(flaw.reason),
        }
        if chunk.len() == CHUNK {
            visit(&chunk);
            chunk.clear();
        }
        Ok(ControlFlow::Continue(()))
    })?;
    visit(&chunk);
    Ok(flaws)
}
