//! A record that was truncated anywhere is resumed without repeating finished work or counting
//! twice.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use crate::common::{files, manifest};
use assay_record::{
    ANSWERS, AnswerLine, Outcome, ResponseLine, RunReader, RunWriter, TEXTS, VERDICTS, VerdictLine,
};
use proptest::prelude::*;

const PROBLEMS: usize = 6;
const SAMPLES: u32 = 2;

fn index(problem: &str) -> Option<usize> {
    // Task order is not that of the names.
    let number: usize = problem.strip_prefix('p')?.parse().ok()?;
    (number < PROBLEMS).then(|| PROBLEMS - 1 - number)
}

/// The one problem that is excluded.
const EXCLUDED: &str = "p2";

/// Samples, in the order in which they are worked on.
type Work = Vec<(String, u32)>;

/// The names and bytes of a record's files.
type Files = Vec<(String, Vec<u8>)>;

fn all_work() -> Work {
    let problems = (0..PROBLEMS).map(|number| format!("p{number}"));
    problems.flat_map(|name| (0..SAMPLES).map(move |sample| (name.clone(), sample))).collect()
}

fn answer(problem: &str, sample: u32, question: String) -> AnswerLine {
    let text = format!("täxt of {problem}\n{}", "x".repeat(sample as usize * 40));
    let question = Some(question);
    AnswerLine { question, ..AnswerLine::new(problem, sample, ResponseLine::Text(text)) }
}

fn verdict(problem: &str, sample: u32) -> VerdictLine {
    let mut line = VerdictLine::new(problem, sample, Outcome::Failed);
    line.scores.insert("loss".to_owned(), 0.1 * f64::from(sample + 1));
    line.counts.insert("bleu".to_owned(), vec![1.5, 2.0]);
    line
}

/// Does the missing work, at most `limit` samples of it. Returns the samples that were asked and
/// graded.
fn carry_on(run: &mut RunWriter, work: &Work, limit: usize) -> (BTreeSet<(String, u32)>, usize) {
    let (mut asked, mut graded) = (BTreeSet::new(), 0);
    let progress = run.progress().clone();
    for (problem, sample) in work.iter().take(limit) {
        if problem == EXCLUDED {
            if !run.progress().is_excluded(problem) {
                run.verdict(&VerdictLine::new(EXCLUDED, 0, Outcome::Excluded)).unwrap();
            }
            continue;
        }
        if progress.is_graded(problem, *sample) {
            continue;
        }
        if !progress.is_answered(problem, *sample) {
            let question = run.text(&format!("question {problem}")).unwrap();
            run.answer(&answer(problem, *sample, question)).unwrap();
            asked.insert((problem.clone(), *sample));
        }
        run.verdict(&verdict(problem, *sample)).unwrap();
        graded += 1;
    }
    (asked, graded)
}

/// Completes the run, and returns its files and the visited samples.
fn complete(mut run: RunWriter) -> (Files, Work) {
    let mut visited = Vec::new();
    run.complete(&index, &mut |line| visited.push((line.problem.clone(), line.sample))).unwrap();
    run.finish(&crate::common::results()).unwrap();
    (files(run.folder()), visited)
}

fn uninterrupted() -> (Files, Work) {
    let scratch = tempfile::tempdir().unwrap();
    let mut run = RunWriter::create(scratch.path(), &manifest(), 1).unwrap();
    carry_on(&mut run, &all_work(), usize::MAX);
    complete(run)
}

/// Truncates a file to a share of its length. Returns its whole lines.
fn cut(folder: &Path, name: &str, share: f64) -> Vec<u8> {
    let path = folder.join(name);
    let mut bytes = std::fs::read(&path).unwrap_or_default();
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "a share")]
    bytes.truncate((bytes.len() as f64 * share) as usize);
    std::fs::write(&path, &bytes).unwrap();
    let whole = bytes.iter().rposition(|&byte| byte == b'\n').map_or(0, |at| at + 1);
    bytes.truncate(whole);
    bytes
}

/// The samples that the whole lines of a file are about.
fn keys(lines: &[u8]) -> BTreeSet<(String, u32)> {
    let lines = lines.split(|&byte| byte == b'\n').filter(|line| !line.is_empty());
    let key = |line: &[u8]| {
        let value: serde_json::Value = serde_json::from_slice(line).unwrap();
        let sample = value["sample"].as_u64().unwrap();
        (value["problem"].as_str().unwrap().to_owned(), u32::try_from(sample).unwrap())
    };
    lines.map(key).collect()
}

fn start(parent: &Path, work: &Work, limit: usize) -> PathBuf {
    let mut run = RunWriter::create(parent, &manifest(), 1).unwrap();
    carry_on(&mut run, work, limit);
    run.folder().to_owned()
}

/// A truncation of the files, after which some of the missing work is done.
#[derive(Debug, Clone)]
struct Crash {
    answers: f64,
    verdicts: f64,
    texts: f64,
    left: Option<Vec<u8>>,
    limit: usize,
}

fn crash() -> impl Strategy<Value = Crash> {
    let share = || prop_oneof![Just(1.0), 0.0..=1.0];
    let left = prop::option::of(prop::collection::vec(any::<u8>(), 0..20));
    (share(), share(), share(), left, 0..=all_work().len()).prop_map(
        |(answers, verdicts, texts, left, limit)| Crash { answers, verdicts, texts, left, limit },
    )
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(100))]

    #[test]
    fn a_cut_record_is_resumed(
        work in Just(all_work()).prop_shuffle(),
        begun in 0..=all_work().len(),
        crashes in prop::collection::vec(crash(), 1..4),
    ) {
        let scratch = tempfile::tempdir().unwrap();
        let folder = start(scratch.path(), &work, begun);
        for crash in &crashes {
            let answered = keys(&cut(&folder, ANSWERS, crash.answers));
            let graded = keys(&cut(&folder, VERDICTS, crash.verdicts));
            cut(&folder, TEXTS, crash.texts);
            if let Some(left) = &crash.left {
                std::fs::write(folder.join("verdicts.jsonl.new"), left).unwrap();
                std::fs::write(folder.join("results.json.new"), left).unwrap();
            }
            let mut run = RunWriter::open(&folder).unwrap();
            run.check_problems(&index).unwrap();
            let (asked, _) = carry_on(&mut run, &work, crash.limit);
            prop_assert!(asked.is_disjoint(&answered), "answers are not asked for again");
            let finished: BTreeSet<_> = answered.intersection(&graded).cloned().collect();
            for (problem, sample) in &finished {
                prop_assert!(run.progress().is_graded(problem, *sample));
            }
        }
        let mut run = RunWriter::open(&folder).unwrap();
        carry_on(&mut run, &work, usize::MAX);
        let (expected, order) = uninterrupted();
        let (found, visited) = complete(run);
        // Truncated texts belong to answers that exist, and are not asked for again.
        let same = |files: &[(String, Vec<u8>)]| -> BTreeMap<String, Vec<u8>> {
            files.iter().filter(|(name, _)| name != TEXTS).cloned().collect()
        };
        prop_assert_eq!(same(&found), same(&expected));
        prop_assert_eq!(visited, order);
        let read = RunReader::open(&folder).unwrap();
        prop_assert_eq!(read.answers().count(), (PROBLEMS - 1) * SAMPLES as usize);
        prop_assert!(read.texts().is_ok());
    }

    /// Within one file, a crash tears at most the last line: a reader sees the lines before it.
    #[test]
    fn a_cut_record_is_read(share in 0.0..=1.0) {
        let scratch = tempfile::tempdir().unwrap();
        let folder = start(scratch.path(), &all_work(), usize::MAX);
        let whole = keys(&cut(&folder, ANSWERS, share));
        let run = RunReader::open(&folder).unwrap();
        let read: BTreeSet<(String, u32)> = run
            .answers()
            .map(|line| line.map(|line| (line.problem, line.sample)).unwrap())
            .collect();
        prop_assert_eq!(read, whole);
    }
}

#[test]
fn a_stale_verdict_is_not_taken_for_that_of_a_new_answer() {
    let scratch = tempfile::tempdir().unwrap();
    let folder = start(scratch.path(), &all_work(), usize::MAX);
    cut(&folder, ANSWERS, 0.0);
    let mut run = RunWriter::open(&folder).unwrap();
    assert_eq!(run.progress().graded().count(), 0);
    run.answer(&answer("p0", 0, String::new())).unwrap();
    drop(run);
    let run = RunWriter::open(&folder).unwrap();
    assert!(run.progress().is_answered("p0", 0) && !run.progress().is_graded("p0", 0));
    assert!(run.progress().is_excluded(EXCLUDED), "an exclusion needs no answer");
}

#[test]
fn ungraded_answers_are_read_back() {
    let scratch = tempfile::tempdir().unwrap();
    let folder = start(scratch.path(), &all_work(), usize::MAX);
    cut(&folder, VERDICTS, 0.5);
    let run = RunWriter::open(&folder).unwrap();
    let mut read = Vec::new();
    run.ungraded(&mut |line| {
        read.push((line.problem, line.sample));
        Ok(())
    })
    .unwrap();
    let named: Vec<(String, u32)> =
        run.progress().ungraded().map(|(name, sample)| (name.to_owned(), sample)).collect();
    assert!(!named.is_empty() && named.len() < all_work().len());
    assert_eq!(read, named);
}
