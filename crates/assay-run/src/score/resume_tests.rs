//! Scoring that was interrupted: it goes on, grades nothing twice, and ends as if nothing had happened.

use std::path::Path;
use std::sync::atomic::{AtomicUsize, Ordering};

use assay_core::{Cancel, Progress, TaskSettings};

use super::*;
use crate::testing::FakeTask;

/// Cancels the work after some steps of the gate, or of scoring itself.
struct CancelAfter {
    cancel: Cancel,
    in_gate: usize,
    in_score: usize,
    left: AtomicUsize,
}

impl Progress for CancelAfter {
    fn start(&self, label: &str, _: usize, _: usize) {
        let steps = if label == "score" { self.in_score } else { self.in_gate };
        self.left.store(steps, Ordering::SeqCst);
    }

    fn step(&self) {
        if self.left.fetch_sub(1, Ordering::SeqCst) == 1 {
            self.cancel.cancel();
        }
    }

    fn finish(&self) {}
}

const NEVER: usize = usize::MAX;

/// Scores until it is done or has made this many steps in the gate, or after it.
fn score_for(
    (in_gate, in_score): (usize, usize),
    task: &FakeTask,
    jobs: usize,
    folder: &Path,
    cache: Option<&Path>,
) -> ScoreOutcome {
    let (problems, settings) = (task.problems(), TaskSettings::default());
    let tool = Tool { version: "1".to_owned(), commit: String::new() };
    let scoring = Scoring {
        task,
        problems: problems.as_ref(),
        chosen: &Selection::all(problems.ids().len()),
        settings: &settings,
        read_all: false,
        verdicts: Some(&OutputTarget::named(&folder.join("verdicts.jsonl")).unwrap()),
        extraction: None,
        key: None,
        failures: 0,
        tool: &tool,
    };
    let (cancel, left) = (Cancel::new(), AtomicUsize::new(0));
    let progress = CancelAfter { cancel, in_gate, in_score, left };
    let (cancel, progress) = (&progress.cancel, &progress);
    let context = RunContext { jobs, cache, state: None, cancel, progress };
    // Problem 3 is broken, 4 is flawed and 5 has no answer.
    let line = |problem: usize, sample: usize| {
        let right = if sample == problem { "right" } else { "wrong" };
        format!("{{\"task_id\": \"f/{problem}\", \"solution\": \"{right} {problem} {sample}\"}}\n")
    };
    let answers: String =
        (0..4).flat_map(|problem| (0..5).map(move |sample| line(problem, sample))).collect();
    let source = AnswerSource::stream(answers.as_bytes(), "answers");
    score(&scoring, source, &context).unwrap()
}

fn fake_task(broken: usize) -> FakeTask {
    let mut task = FakeTask::new(6, &[broken]);
    task.flawed.insert(4);
    task
}

fn written(folder: &Path) -> String {
    std::fs::read_to_string(folder.join("verdicts.jsonl")).unwrap()
}

fn complete(outcome: ScoreOutcome) -> Results {
    let ScoreOutcome::Complete(scored) = outcome else { panic!("it was interrupted: {outcome:?}") };
    scored.results
}

#[test]
fn wherever_it_is_interrupted_it_goes_on_and_nothing_is_graded_twice() {
    let whole = tempfile::tempdir().unwrap();
    let task = fake_task(3);
    let expected = complete(score_for((NEVER, NEVER), &task, 1, whole.path(), None));
    let ran = task.ran();
    // Every session takes a step for the excluded problem.
    for (steps, jobs) in [(2, 1), (3, 4), (7, 1), (7, 3), (16, 1)] {
        let folder = tempfile::tempdir().unwrap();
        // The first session ends in the gate.
        let in_gate = score_for((2, NEVER), &task, jobs, folder.path(), Some(folder.path()));
        let ScoreOutcome::Interrupted(in_gate) = in_gate else { panic!("{in_gate:?}") };
        assert!(in_gate.own_programs.is_some_and(|(checked, of)| checked >= 1 && of == 6));
        let (mut graded_before, mut sessions) = (0, 0);
        let results = loop {
            match score_for((NEVER, steps), &task, jobs, folder.path(), Some(folder.path())) {
                ScoreOutcome::Complete(scored) => break scored.results,
                ScoreOutcome::Interrupted(InterruptedScore { graded, total, .. }) => {
                    assert!(graded >= graded_before && graded <= total, "{graded} of {total}");
                    graded_before = graded;
                }
            }
            sessions += 1;
            assert!(sessions < 50, "it gets nowhere");
        };
        assert!(sessions > 0, "{steps} {jobs}");
        assert_eq!(results, expected, "{steps} {jobs}");
        assert_eq!(written(folder.path()), written(whole.path()), "{steps} {jobs}");
        assert_eq!(task.ran(), ran, "{steps} {jobs}");
        assert!(!folder.path().join("verdicts.jsonl.partial").exists());
    }
}

#[test]
fn verdicts_on_a_problem_that_is_excluded_now_start_it_over() {
    let (folder, whole) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    // Without a cache, the gate finds out anew.
    let first = score_for((NEVER, 13), &fake_task(3), 1, folder.path(), None);
    assert!(matches!(first, ScoreOutcome::Interrupted(_)), "{first:?}");
    let resumed = complete(score_for((NEVER, NEVER), &fake_task(1), 1, folder.path(), None));
    let expected = complete(score_for((NEVER, NEVER), &fake_task(1), 1, whole.path(), None));
    assert_eq!((resumed, written(folder.path())), (expected, written(whole.path())));
}
