//! Stored records of every version of the format are read to the expected values.

use std::path::{Path, PathBuf};

use crate::common::{
    PROBLEMS, answer, exclusion, files, index, manifest, question, results, session, verdict,
};
use assay_core::Result;
use assay_record::{
    AnswerLine, Ending, FormatVersion, Manifest, NoAnswer, Outcome, ResponseLine, RunReader,
    RunWriter, SessionEnd, VerdictLine, Why,
};

const V1_0: FormatVersion = FormatVersion { major: 1, minor: 0 };

fn golden(version: &str, name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/golden").join(version).join(name)
}

fn open(version: &str, name: &str) -> RunReader {
    RunReader::open(&golden(version, name)).unwrap()
}

fn answers(run: &RunReader) -> Vec<AnswerLine> {
    run.answers().collect::<Result<_>>().unwrap()
}

fn verdicts(run: &RunReader) -> Vec<VerdictLine> {
    run.verdicts().collect::<Result<_>>().unwrap()
}

#[test]
fn codrep_1_0() {
    let run = open("1.0", "codrep");
    let manifest = run.manifest();
    assert_eq!((manifest.format, manifest.problems), (V1_0, 3));
    assert!(manifest.signature.as_deref().unwrap().starts_with("codrep@1|data:497cea54228b|n:3"));
    assert_eq!(manifest.data_digest.unwrap().content.short(), "2f703bc7fc92");
    let request = &manifest.request;
    assert_eq!((request.solver.as_str(), request.samples), ("first", 1));
    assert_eq!((request.task.name.as_str(), request.task.limit), ("codrep", Some(3)));
    assert_eq!(request.task.data, "sample");
    assert_eq!(request.task.settings["pass_k"], serde_json::json!([1, 10, 100]));
    assert_eq!(request.solver_settings["working_folder"], "/tmp/x");
    assert_eq!((manifest.tool.version.as_str(), manifest.machine.cores), ("0.1.0", 2));
    assert!(manifest.other.is_empty() && request.other.is_empty());

    let expected =
        |number| AnswerLine::new(format!("sample/{number}"), 0, ResponseLine::Lines(vec![1]));
    assert_eq!(answers(&run), [expected(1), expected(2), expected(3)]);
    let graded = |number, group: u64| {
        let mut line = VerdictLine::new(format!("sample/{number}"), 0, Outcome::Failed);
        line.scores.extend([("loss".to_owned(), 1.0), ("given".to_owned(), 1.0)]);
        line.group = Some(format!("{group:x}"));
        line
    };
    let groups = [3_618_734_699_125_720, 2_824_258_918_831_357, 921_658_883_197_204];
    let expected: Vec<VerdictLine> =
        (1..).zip(groups).map(|(at, group)| graded(at, group)).collect();
    assert_eq!(verdicts(&run), expected);
    assert_eq!(verdicts(&run)[0].group.as_deref(), Some("cdb3854471bd8"));
    assert!(run.is_complete().unwrap() && run.texts().unwrap().is_empty());
    let results = run.results().unwrap().unwrap();
    assert_eq!((results.counts.failed, results.metrics.get("recall@1").unwrap().n), (3, 3));
}

#[test]
fn humaneval_1_0() {
    let run = open("1.0", "humaneval");
    let [first, second] = answers(&run).try_into().unwrap();
    let ResponseLine::Program(program) = first.response else { panic!("{first:?}") };
    assert!(program.starts_with("def count_vowels(text: str) -> int:\n    \"\"\"Count"));
    assert_eq!((second.problem.as_str(), second.sample), ("Sample/2", 0));
    let [first, _] = verdicts(&run).try_into().unwrap();
    assert_eq!((first.outcome, first.ending), (Outcome::Passed, Some(Ending::Passed)));
    let evidence = first.evidence.unwrap();
    assert_eq!((evidence.cpu_s, evidence.peak_memory), (0.001_669, Some(11_145_216)));
    assert_eq!(evidence.memory_by, "cgroup-v1");
    assert_eq!(first.program.unwrap().short(), "5db5e7df675e");
    let results = run.results().unwrap().unwrap();
    assert!(results.left_out.get("pass@10").unwrap().starts_with("every problem"));
}

#[test]
fn c2c_1_0() {
    let run = open("1.0", "c2c");
    let [first, second] = verdicts(&run).try_into().unwrap();
    let names: Vec<&String> = first.scores.keys().collect();
    assert_eq!(names, ["codebleu", "bleu", "exact-match"]);
    let lengths: Vec<(&str, usize)> =
        first.counts.iter().map(|(name, counts)| (name.as_str(), counts.len())).collect();
    assert_eq!(lengths, [("codebleu", 23), ("bleu", 13), ("exact-match", 4)]);
    assert_eq!(first.counts["bleu"][..4], [1.0, 1.0, 1.0, 58.0]);
    assert_eq!((first.group, second.counts["codebleu"][22]), (None, 12.0));
}

#[test]
fn program_1_0() {
    let run = open("1.0", "program");
    let detail = "the program printed 1 lines that are no answers".to_owned();
    let none = NoAnswer { why: Why::Garbage, detail: detail.clone() };
    assert_eq!(answers(&run)[2].response, ResponseLine::None(none));
    let last = verdicts(&run).pop().unwrap();
    assert_eq!((last.why, last.detail), (Some(Why::Garbage), Some(detail)));
    let [session] = run.sessions().collect::<Result<Vec<_>>>().unwrap().try_into().unwrap();
    assert_eq!(session.command, ["./answer.sh", "/tmp/x/runs/run/scratch/sample/Tasks"]);
    assert_eq!((session.end, session.answered), (SessionEnd::Exited(0), 2));
    assert_eq!(session.stderr_tail, "no more\n");
}

#[test]
fn unfinished_1_0_is_read_and_resumed() {
    let run = open("1.0", "unfinished");
    assert!(!run.is_complete().unwrap() && run.results().unwrap().is_none());
    assert_eq!((answers(&run).len(), verdicts(&run).len()), (2, 1), "a torn line is ignored");

    let scratch = tempfile::tempdir().unwrap();
    for (name, bytes) in files(run.folder()) {
        std::fs::write(scratch.path().join(name), bytes).unwrap();
    }
    let mut writer = RunWriter::open(scratch.path()).unwrap();
    assert_eq!(writer.progress().graded().collect::<Vec<_>>(), [("sample/1", 0)]);
    assert_eq!(writer.progress().ungraded().collect::<Vec<_>>(), [("sample/2", 0)]);
    assert_eq!(files(scratch.path()), files(run.folder()), "opening changes nothing");
    writer.verdict(&VerdictLine::new("sample/2", 0, Outcome::Passed)).unwrap();
    assert_eq!(writer.manifest().format, FormatVersion::CURRENT);
    let resumed = RunReader::open(scratch.path()).unwrap();
    assert_eq!(resumed.manifest(), writer.manifest());
    assert_eq!(resumed.manifest_bytes(), writer.manifest_bytes());
    let outcomes = verdicts(&resumed).into_iter().map(|line| line.outcome);
    assert_eq!(outcomes.collect::<Vec<_>>(), [Outcome::Failed, Outcome::Passed]);
}

/// Writes a record with every kind of line, and leaves it unfinished or completes it.
fn write(parent: &Path, complete: bool) -> PathBuf {
    let mut run = RunWriter::create(parent, &manifest(), 7).unwrap();
    run.verdict(&exclusion(PROBLEMS[3])).unwrap();
    for problem in PROBLEMS[..3].iter().rev() {
        for sample in [1, 0] {
            assert_eq!(run.text(&question(problem)).unwrap().len(), 64);
            run.answer(&answer(problem, sample)).unwrap();
            if complete || sample == 1 {
                run.verdict(&verdict(problem, sample)).unwrap();
            }
        }
    }
    run.session(&session()).unwrap();
    if complete {
        run.complete(&index, &mut |_| ()).unwrap();
        run.finish(&results()).unwrap();
    }
    run.folder().to_owned()
}

/// Compares a record with the stored one, which other tools read.
fn check_written(name: &str, complete: bool) {
    let scratch = tempfile::tempdir().unwrap();
    let folder = write(scratch.path(), complete);
    let expected = golden("1.2", name);
    #[expect(clippy::disallowed_methods, reason = "set by `cargo xtask bless`")]
    if std::env::var_os("ASSAY_BLESS").is_some() {
        std::fs::create_dir_all(&expected).unwrap();
        for (name, bytes) in files(&folder) {
            std::fs::write(expected.join(name), bytes).unwrap();
        }
    }
    let text = |files: Vec<(String, Vec<u8>)>| {
        let lines = |(name, bytes)| format!("{name}:\n{}", String::from_utf8(bytes).unwrap());
        files.into_iter().map(lines).collect::<String>()
    };
    assert_eq!(text(files(&folder)), text(files(&expected)), "see `cargo xtask bless`");
}

#[test]
fn records_are_written_as_1_2() {
    check_written("complete", true);
    check_written("unfinished", false);
}

#[test]
fn complete_1_2() {
    check_complete("1.2", &manifest(), answer);
}

#[test]
fn complete_1_1() {
    let format = FormatVersion { major: 1, minor: 1 };
    let manifest = Manifest { format, solver_identity: None, ..manifest() };
    check_complete("1.1", &manifest, |problem, sample| AnswerLine {
        rule: None,
        finish: None,
        ..answer(problem, sample)
    });
}

/// Compares what is read of a complete record with what was written.
fn check_complete(version: &str, manifest: &Manifest, answer: fn(&str, u32) -> AnswerLine) {
    let run = open(version, "complete");
    assert_eq!(run.manifest(), manifest);
    let keys = || PROBLEMS[..3].iter().flat_map(|problem| [(problem, 0), (problem, 1)]);
    let expected: Vec<AnswerLine> =
        keys().map(|(problem, sample)| answer(problem, sample)).collect();
    assert_eq!(answers(&run), expected);
    let mut expected: Vec<VerdictLine> =
        keys().map(|(problem, sample)| verdict(problem, sample)).collect();
    expected.push(exclusion(PROBLEMS[3]));
    assert_eq!(verdicts(&run), expected);
    assert_eq!(run.sessions().map(Result::unwrap).collect::<Vec<_>>(), [session()]);
    let texts = run.texts().unwrap();
    assert_eq!(texts.len(), 3);
    for line in answers(&run).iter().filter(|line| line.sample == 0) {
        let text = texts.get(line.question.as_deref().unwrap()).unwrap();
        assert_eq!(text, Some(question(&line.problem)));
    }
    assert_eq!(texts.get("no hash").unwrap(), None);
    assert_eq!(run.results().unwrap(), Some(results()));
}

#[test]
fn unfinished_1_1() {
    let run = open("1.1", "unfinished");
    assert!(!run.is_complete().unwrap());
    assert_eq!((answers(&run).len(), verdicts(&run).len()), (6, 4));
}
