//! Generated files are up to date, and embedded files are valid.

#![expect(clippy::disallowed_methods, reason = "`cargo xtask bless` sets ASSAY_BLESS")]

use std::collections::BTreeSet;
use std::path::Path;
use std::sync::Arc;

use assay_core::{
    Cancel, DataChoice, Opening, Outcome, ProblemId, QuestionKind, Reading, Reference, Response,
    SampleKey, Selection, Submission, Task, TaskSettings, Verdict,
};
use assay_data::codrep::Dataset;
use assay_data::codrep::verify::verify;
use assay_tasks::{TaskRegistry, page};

#[test]
fn the_page_of_tasks_is_up_to_date() {
    let mut text =
        "# Tasks\n\nThis page is generated from the tasks' cards by `cargo xtask bless`.\n"
            .to_owned();
    for task in TaskRegistry::built_in().iter() {
        text += &format!("\n{}", page(task.card()));
    }
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/tasks.md");
    if std::env::var_os("ASSAY_BLESS").is_some() {
        std::fs::write(&path, &text).unwrap();
    }
    let kept = std::fs::read_to_string(&path).unwrap_or_default();
    assert_eq!(kept, text, "docs/tasks.md is out of date: run `cargo xtask bless`");
}

#[test]
fn every_task_has_problems_inside() {
    for task in TaskRegistry::built_in().iter() {
        let problems = open(task);
        let total = problems.ids().len();
        // Programs take a while to run, and families of tasks share a sample.
        let least = if task.card().asks == QuestionKind::Code { 3 } else { 12 };
        assert!(total >= least, "{}: {total}", task.card().name);
        let mut distinct = BTreeSet::new();
        problems
            .read(&Selection::all(total), &mut |reading| {
                let Reading::Problem(problem) = reading else { panic!("the sample is sound") };
                distinct.insert(problem.question.prompt().into_owned());
                Ok(std::ops::ControlFlow::Continue(()))
            })
            .unwrap();
        assert_eq!(distinct.len(), total, "no two problems are about the same program");
    }
}

#[test]
fn the_sample_is_a_sound_dataset_on_disk_too() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("samples/codrep");
    let datasets = Dataset::open_all(&[folder], true).unwrap();
    assert_eq!(verify(&datasets[0]).unwrap().malformed, []);
}

#[test]
fn every_metric_of_a_task_is_on_its_card() {
    for task in TaskRegistry::built_in().iter() {
        let settings = TaskSettings::default();
        let card = task.card();
        let problems = open(task);
        let mut tally = task.tally(&settings);
        problems.references(&mut |index, reference| {
            let problem = &problems.ids()[index];
            let Ok(reference) = reference else { panic!("the sample is sound") };
            tally.add(&some_verdict(task, problem, reference.as_ref()));
            std::ops::ControlFlow::Continue(())
        });
        let metrics = tally.metrics();
        assert!(!metrics.is_empty(), "{} has no metrics", card.name);
        for (name, _) in &metrics {
            let known = card.metrics.iter().any(|metric| metric.name == *name);
            assert!(known, "{name} is not on the card of {}", card.name);
        }
    }
}

/// The verdict on an answer that is probably wrong.
fn some_verdict(task: &dyn Task, problem: &ProblemId, reference: &dyn Reference) -> Verdict {
    let response = match task.card().asks {
        QuestionKind::Line => Response::Lines(vec![1]),
        QuestionKind::Text => Response::Text("x".to_owned()),
        QuestionKind::Choice => Response::Choice("x".to_owned()),
        // Programs are not run here: only the executable has a sandbox.
        QuestionKind::Code => {
            let verdict = Verdict::new(problem.clone(), 0, Outcome::Failed);
            return verdict.score("tests", 2.0).score("tests-passed", 1.0);
        }
    };
    let key = SampleKey { index: 0, sample: 0 };
    let submission = Submission { key, problem: problem.clone(), response: Arc::new(response) };
    reference.grade(&submission, &Cancel::new()).expect("it can be graded")
}

fn open(task: &dyn Task) -> Box<dyn assay_core::Problems> {
    task.open(&Opening::new(&DataChoice::Sample, &TaskSettings::default()))
        .expect("the sample opens")
}
