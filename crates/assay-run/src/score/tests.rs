//! Scoring a task that asks for programs: samples, exclusions, verdicts on disk.

use std::path::Path;

use assay_core::{Cancel, TaskSettings, Verdict};
use assay_record::VerdictLine;

use super::*;
use crate::testing::{FakeTask, ProgressLog, is_silent};

/// Scores `answers` with this many workers; verdicts go to a file in `folder`.
fn scored(task: &FakeTask, answers: &str, jobs: usize, folder: &Path) -> Result<Scored> {
    let path = folder.join("verdicts.jsonl");
    watched(task, answers, jobs, (&path, folder), &ProgressLog::default())
}

/// The same; verdicts go to `path`, and results of the gate are kept in `cache`.
fn watched(
    task: &FakeTask,
    answers: &str,
    jobs: usize,
    (path, cache): (&Path, &Path),
    progress: &ProgressLog,
) -> Result<Scored> {
    let (problems, settings) = (task.problems(), TaskSettings::default());
    let tool = Tool { version: "1".to_owned(), commit: String::new() };
    let scoring = Scoring {
        task,
        problems: problems.as_ref(),
        chosen: &Selection::all(problems.ids().len()),
        settings: &settings,
        read_all: false,
        extraction: None,
        key: None,
        verdicts: Some(&OutputTarget::named(path)?),
        failures: 2,
        tool: &tool,
    };
    let cancel = Cancel::new();
    let context = RunContext { jobs, cache: Some(cache), state: None, cancel: &cancel, progress };
    let scored = score(&scoring, AnswerSource::stream(answers.as_bytes(), "answers"), &context)?;
    let ScoreOutcome::Complete(scored) = scored else { panic!("nobody interrupts it") };
    Ok(*scored)
}

fn line(problem: usize, program: &str) -> String {
    format!("{{\"task_id\": \"f/{problem}\", \"solution\": \"{program}\"}}\n")
}

fn verdicts(folder: &Path) -> Vec<Verdict> {
    let text = std::fs::read_to_string(folder.join("verdicts.jsonl")).unwrap();
    let parse = |line| serde_json::from_str::<VerdictLine>(line).unwrap().into();
    text.lines().map(parse).collect()
}

#[test]
fn workers_do_not_change_what_is_found() {
    let folder = tempfile::tempdir().unwrap();
    let task = FakeTask::new(40, &[]);
    let answers: String = (0..39)
        .flat_map(|problem| (0..3).map(move |sample| (problem, sample)))
        .map(|(problem, sample)| {
            line(problem, if problem % 4 > sample { "right" } else { "wrong" })
        })
        .collect();
    let alone = scored(&task, &answers, 1, folder.path()).unwrap();
    let written = verdicts(folder.path());
    let counts = &alone.results.counts;
    assert_eq!((counts.problems, counts.samples, counts.not_answered), (40, 118, 1));
    assert_eq!(counts.passed + counts.failed + counts.not_answered, counts.samples);
    assert_eq!(alone.unanswered, ["f/39".into()]);
    let signature = alone.results.signature.to_string();
    assert!(signature.contains("|samples:3|"), "{signature}");
    let order: Vec<(String, u32)> =
        written.iter().map(|verdict| (verdict.problem.to_string(), verdict.sample)).collect();
    assert_eq!(
        order[..4],
        [("f/0", 0), ("f/0", 1), ("f/0", 2), ("f/1", 0)]
            .map(|(problem, sample)| (problem.to_owned(), sample))
    );
    assert!(is_silent(&written[117]) && !is_silent(&written[116]));
    for jobs in [2, 7] {
        let together = scored(&task, &answers, jobs, folder.path()).unwrap();
        assert_eq!(together.results, alone.results);
        assert_eq!(verdicts(folder.path()), written);
    }
}

#[test]
fn a_problem_whose_own_program_fails_is_excluded_in_sight() {
    let folder = tempfile::tempdir().unwrap();
    let task = FakeTask::new(4, &[2]);
    let answers: String = (0..4).map(|problem| line(problem, "right")).collect();
    let found = scored(&task, &answers, 2, folder.path()).unwrap();
    let counts = &found.results.counts;
    assert_eq!((counts.problems, counts.passed, counts.excluded), (4, 3, 1));
    assert_eq!(found.results.gold.map(|gold| (gold.passed, gold.of)), Some((3, 4)));
    let reason = found.excluded[0].detail.as_deref().unwrap();
    let expected = "f/2: the task's own program does not pass on this machine: wrong answer: no";
    assert_eq!(reason, expected);
}

#[test]
fn what_the_gate_found_is_remembered_for_the_same_surroundings() {
    let folder = tempfile::tempdir().unwrap();
    let task = FakeTask::new(5, &[1]);
    let answers = line(0, "right").repeat(20);
    scored(&task, &answers, 2, folder.path()).unwrap();
    // Five reference solutions, and the answer once.
    assert_eq!(task.ran(), 6);
    let again = scored(&task, &answers, 2, folder.path()).unwrap();
    assert_eq!(task.ran(), 1);
    assert_eq!(again.results.gold.map(|gold| (gold.passed, gold.of)), Some((4, 5)));
    let elsewhere = FakeTask::new(5, &[1, 2]);
    scored(&elsewhere, &answers, 2, folder.path()).unwrap();
    assert_eq!(elsewhere.ran(), 6);
}

#[test]
fn a_file_that_is_refused_runs_nothing_and_leaves_nothing() {
    let folder = tempfile::tempdir().unwrap();
    let task = FakeTask::new(2, &[]);
    let answers = line(0, "right") + "nonsense\n";
    let error = scored(&task, &answers, 2, folder.path()).unwrap_err();
    assert!(error.to_string().starts_with("1 line of answers cannot be accepted"), "{error}");
    assert_eq!(task.ran(), 0);
    assert!(!folder.path().join("verdicts.jsonl").exists());
}

#[test]
fn an_answer_to_a_flawed_problem_is_refused_before_anything_is_run() {
    let folder = tempfile::tempdir().unwrap();
    let mut task = FakeTask::new(3, &[]);
    task.flawed.insert(1);
    let answers = line(0, "right") + &line(1, "right") + &line(2, "right");
    let error = scored(&task, &answers, 2, folder.path()).unwrap_err();
    assert!(error.to_string().contains("answers:2: f/1 has no tests"), "{error}");
    assert_eq!(task.ran(), 0);
    assert!(folder.path().read_dir().unwrap().next().is_none(), "something is left");
    // Without an answer, the file is not refused.
    let scored = scored(&task, &(line(0, "right") + &line(2, "right")), 2, folder.path()).unwrap();
    assert_eq!((scored.flaws.len(), scored.results.counts.not_answered), (1, 1));
}

#[test]
fn verdicts_that_cannot_be_written_are_refused_before_anything_is_run() {
    let folder = tempfile::tempdir().unwrap();
    let task = FakeTask::new(3, &[]);
    let cache = folder.path().join("cache");
    for path in [folder.path().to_owned(), folder.path().join("nowhere/verdicts.jsonl")] {
        let progress = ProgressLog::default();
        let error = watched(&task, &line(0, "right"), 2, (&path, &cache), &progress).unwrap_err();
        assert!(error.to_string().contains(&path.display().to_string()), "{error}");
        assert_eq!(task.ran(), 0);
    }
    assert!(folder.path().read_dir().unwrap().next().is_none(), "something is left");
}

#[test]
fn a_link_beside_the_verdicts_is_refused_and_not_written_through() {
    let folder = tempfile::tempdir().unwrap();
    let target = folder.path().join("target");
    std::fs::write(&target, "kept").unwrap();
    std::os::unix::fs::symlink(&target, folder.path().join("verdicts.jsonl.partial")).unwrap();
    let task = FakeTask::new(2, &[]);
    let error = scored(&task, &line(0, "right"), 1, folder.path()).map(drop).unwrap_err();
    assert!(error.to_string().ends_with("verdicts.jsonl.partial is a symbolic link, not a file"));
    assert_eq!(std::fs::read_to_string(&target).unwrap(), "kept");
}

#[test]
fn progress_counts_what_there_is() {
    let folder = tempfile::tempdir().unwrap();
    // Problems with several answers, with none, and excluded: 3 · 4 + 1 + 1 verdicts.
    let task = FakeTask::new(6, &[5]);
    let answers: String =
        (0..12).map(|at| line(at % 4, &format!("right {at}"))).chain([line(5, "right")]).collect();
    for jobs in [1, 3] {
        let progress = ProgressLog::default();
        let paths = (&*folder.path().join("verdicts.jsonl"), folder.path());
        let scored = watched(&task, &answers, jobs, paths, &progress).unwrap();
        let stages = progress.stages.lock().unwrap();
        assert_eq!(stages.last(), Some(&("score".to_owned(), 14, 14)));
        assert_eq!(scored.results.counts.samples, 14);
    }
}

#[test]
fn a_cache_that_cannot_be_written_is_warned_of() {
    let folder = tempfile::tempdir().unwrap();
    let (cache, path) = (folder.path().join("cache"), folder.path().join("verdicts.jsonl"));
    std::fs::write(&cache, "a file").unwrap();
    let progress = ProgressLog::default();
    watched(&FakeTask::new(2, &[]), &line(0, "right"), 1, (&path, &cache), &progress).unwrap();
    let warned = progress.warned.lock().unwrap();
    assert!(warned.len() == 1 && warned[0].contains("is found out again"), "{warned:?}");
}
