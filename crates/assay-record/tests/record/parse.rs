//! Any line is either read or refused, and everything that is written is read back.

use std::path::Path;

use assay_record::{
    ANSWERS, AnswerLine, Clock, Ending, Evidence, Finish, MANIFEST, Manifest, NoAnswer, Outcome,
    ResponseLine, RunReader, RunWriter, Tokens, VERDICTS, VerdictLine, Why,
};
use indexmap::IndexMap;
use proptest::prelude::*;

use crate::common::manifest;

fn finite() -> impl Strategy<Value = f64> {
    prop::num::f64::NORMAL | prop::num::f64::SUBNORMAL | prop::num::f64::ZERO
}

fn why() -> impl Strategy<Value = Why> {
    prop::sample::select(vec![Why::Silent, Why::TimedOut, Why::Crashed, Why::Garbage, Why::Invalid])
}

fn response() -> impl Strategy<Value = ResponseLine> {
    prop_oneof![
        prop::collection::vec(1..usize::MAX, 1..4).prop_map(ResponseLine::Lines),
        any::<String>().prop_map(ResponseLine::Text),
        any::<String>().prop_map(ResponseLine::Program),
        any::<String>().prop_map(ResponseLine::Choice),
        (why(), any::<String>())
            .prop_map(|(why, detail)| ResponseLine::None(NoAnswer { why, detail })),
    ]
}

fn answer() -> impl Strategy<Value = AnswerLine> {
    let times = (prop::option::of(finite()), prop::option::of(finite()));
    let texts = (any::<Option<String>>(), any::<Option<String>>(), any::<Option<String>>());
    let finish = prop::sample::select(vec![None, Some(Finish::Stop), Some(Finish::Length)]);
    let tokens = any::<Option<(u64, u64)>>();
    let spent = (tokens, any::<u32>(), prop::option::of(finite()));
    (any::<String>(), any::<u32>(), response(), times, texts, finish, spent).prop_map(
        |(problem, sample, response, times, texts, finish, spent)| AnswerLine {
            wall_s: times.0,
            started_s: times.1,
            question: texts.0,
            reply: texts.1,
            rule: texts.2,
            finish,
            tokens: spent.0.map(|(prompt, completion)| Tokens { prompt, completion }),
            retries: spent.1,
            cost: spent.2,
            ..AnswerLine::new(problem, sample, response)
        },
    )
}

fn ending() -> impl Strategy<Value = Ending> {
    prop_oneof![
        Just(Ending::Passed),
        Just(Ending::MemoryLimit),
        Just(Ending::TimeLimit { clock: Clock::Wall }),
        any::<i32>().prop_map(|code| Ending::EarlyExit { code }),
        any::<i32>().prop_map(|signal| Ending::Crashed { signal }),
        any::<String>().prop_map(|message| Ending::WrongAnswer { message }),
        (any::<String>(), any::<String>(), any::<Option<u32>>())
            .prop_map(|(class, message, line)| Ending::Exception { class, message, line }),
    ]
}

fn evidence() -> impl Strategy<Value = Evidence> {
    (finite(), finite(), any::<Option<u64>>(), any::<String>(), any::<bool>()).prop_map(
        |(cpu_s, wall_s, peak_memory, stderr_tail, unstable)| Evidence {
            cpu_s,
            wall_s,
            peak_memory,
            stderr_tail,
            unstable,
            ..Evidence::default()
        },
    )
}

fn verdict() -> impl Strategy<Value = VerdictLine> {
    let scores = prop::collection::vec(("[a-z@.0-3-]{1,6}", finite()), 0..6);
    let counts = prop::collection::vec(("[a-z]{1,3}", prop::collection::vec(finite(), 0..4)), 0..3);
    let outcome = prop::sample::select(vec![Outcome::Passed, Outcome::Failed, Outcome::Excluded]);
    let tested = (prop::option::of(ending()), prop::option::of(evidence()));
    let group = prop::option::of("[0-9a-f]{1,13}");
    (any::<String>(), any::<u32>(), outcome, scores, counts, group, tested).prop_map(
        |(problem, sample, outcome, scores, counts, group, (ending, evidence))| VerdictLine {
            scores: scores.into_iter().collect::<IndexMap<_, _>>(),
            counts: counts.into_iter().collect::<IndexMap<_, _>>(),
            group,
            ending,
            evidence,
            ..VerdictLine::new(problem, sample, outcome)
        },
    )
}

/// Bytes that are sometimes lines of a record.
fn lines() -> impl Strategy<Value = Vec<u8>> {
    let line = prop_oneof![
        answer().prop_map(|line| serde_json::to_vec(&line).unwrap()),
        verdict().prop_map(|line| serde_json::to_vec(&line).unwrap()),
        prop::collection::vec(any::<u8>(), 0..20),
    ];
    prop::collection::vec(line, 0..5).prop_map(|lines| lines.join(&b'\n'))
}

proptest! {
    #[test]
    fn answers_are_read_as_written(line in answer()) {
        let written = serde_json::to_string(&line).unwrap();
        prop_assert!(!written.contains('\n'));
        prop_assert_eq!(serde_json::from_str::<AnswerLine>(&written).unwrap(), line);
    }

    #[test]
    fn verdicts_are_read_as_written(line in verdict()) {
        let scratch = tempfile::tempdir().unwrap();
        let mut run = RunWriter::create(scratch.path(), &manifest(), 1).unwrap();
        // Scores that look like counts of format 1.0 are refused.
        if run.verdict(&line).is_ok() {
            let read: Vec<_> = RunReader::open(run.folder()).unwrap().verdicts().collect();
            prop_assert_eq!(read.len(), 1);
            prop_assert_eq!(read.into_iter().next().unwrap().unwrap(), line);
        } else {
            let written = serde_json::to_string(&line).unwrap();
            prop_assert_ne!(serde_json::from_str::<VerdictLine>(&written).unwrap(), line);
        }
    }

    #[test]
    fn any_files_are_read_or_refused(
        answers in lines(),
        verdicts in lines(),
        manifest_bytes: Vec<u8>,
    ) {
        let scratch = tempfile::tempdir().unwrap();
        let path = |name: &str| scratch.path().join(name);
        std::fs::write(path(ANSWERS), &answers).unwrap();
        std::fs::write(path(VERDICTS), &verdicts).unwrap();
        std::fs::write(path(MANIFEST), manifest().to_bytes().unwrap()).unwrap();
        let run = RunReader::open(scratch.path()).unwrap();
        let whole = |bytes: &[u8]| bytes.split(|&byte| byte == b'\n').count() - 1;
        prop_assert_eq!(run.answers().count(), whole(&answers));
        prop_assert_eq!(run.verdicts().count(), whole(&verdicts));
        if let Ok(mut run) = RunWriter::open(scratch.path()) {
            let mut visited = 0;
            let completed = run.complete(&|problem| Some(problem.len()), &mut |_| visited += 1);
            let after = RunReader::open(scratch.path()).unwrap();
            prop_assert!(completed.is_err() || after.verdicts().count() == visited);
        }
        prop_assert!(Manifest::parse(&manifest_bytes, Path::new("run.json")).is_err());
    }
}
