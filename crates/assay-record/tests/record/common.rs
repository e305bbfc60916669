//! A run that tests write, with every kind of line.

use std::path::{Path, PathBuf};

use assay_core::{Counts, Digest, Results, Signature};
use assay_record::{
    AnswerLine, DataDigest, Ending, Evidence, Finish, FormatVersion, Machine, Manifest, NoAnswer,
    Outcome, Request, ResponseLine, SessionEnd, SessionLine, TaskRequest, Tokens, Tool,
    VerdictLine, Why,
};
use serde_json::{Map, json};

/// The problems of the run in task order, which is not that of their names.
pub(crate) const PROBLEMS: [&str; 4] = ["m/10", "m/9", "m/\"é\"", "m/1"];

pub(crate) fn index(problem: &str) -> Option<usize> {
    PROBLEMS.iter().position(|known| *known == problem)
}

pub(crate) fn manifest() -> Manifest {
    Manifest {
        format: FormatVersion::CURRENT,
        signature: Some("m@1|n:4".to_owned()),
        started: "2026-11-18T05:54:06Z".to_owned(),
        problems: PROBLEMS.len(),
        data_digest: Some(DataDigest { solutions: Digest::of(b"s"), content: Digest::of(b"c") }),
        request: Request {
            task: TaskRequest {
                name: "m".to_owned(),
                own_name: None,
                data: json!("sample"),
                settings: json!({"rules": "strict"}),
                ids: Vec::new(),
                limit: Some(4),
                other: Map::new(),
            },
            solver: "model:small".to_owned(),
            solver_settings: json!({"seed": 0, "working_folder": "/tmp/x"}),
            samples: 2,
            other: Map::new(),
        },
        solver_identity: Some("model:small,weights=0a1b".to_owned()),
        tool: Tool { version: "0.1.0".to_owned(), commit: "06096334ac65".to_owned() },
        machine: Machine { os: "linux".to_owned(), arch: "x86_64".to_owned(), cores: 2 },
        other: Map::new(),
    }
}

pub(crate) fn answer(problem: &str, sample: u32) -> AnswerLine {
    let response = match (index(problem), sample) {
        (Some(0), 0) => ResponseLine::Choice("B".to_owned()),
        (Some(0), _) => ResponseLine::Program("print(1)\n".to_owned()),
        (Some(1), 0) => ResponseLine::Text("täxt".to_owned()),
        (Some(1), _) => ResponseLine::Lines(vec![3, 1]),
        _ => ResponseLine::None(NoAnswer { why: Why::Garbage, detail: "no label".to_owned() }),
    };
    let line = AnswerLine::new(problem, sample, response);
    if sample > 0 {
        return line;
    }
    AnswerLine {
        wall_s: Some(0.25),
        started_s: Some(1.5),
        question: Some(Digest::of(question(problem).as_bytes()).to_string()),
        reply: Some("I say: B".to_owned()),
        rule: Some("code.1".to_owned()),
        finish: Some(Finish::Stop),
        tokens: Some(Tokens { prompt: 120, completion: 4 }),
        retries: 1,
        cost: Some(0.0125),
        ..line
    }
}

/// The question as it is shown.
pub(crate) fn question(problem: &str) -> String {
    format!("Which one?\n{problem}")
}

pub(crate) fn verdict(problem: &str, sample: u32) -> VerdictLine {
    let outcome = match (index(problem), sample) {
        (Some(0), _) => Outcome::Passed,
        (Some(1), _) => Outcome::Failed,
        _ => Outcome::NotAnswered,
    };
    let mut line = VerdictLine::new(problem, sample, outcome);
    line.scores.insert("loss".to_owned(), 0.1 + f64::from(sample));
    line.counts.insert("bleu".to_owned(), vec![1.0, 2.5, 0.0]);
    line.group = Some("cdb3854471bd8".to_owned());
    match outcome {
        Outcome::Passed => {
            line.ending = Some(Ending::Passed);
            let evidence = Evidence { cpu_s: 0.5, wall_s: 0.75, ..Evidence::default() };
            line.evidence = Some(Evidence { peak_memory: Some(4096), ..evidence });
            line.program = Some(Digest::of(b"program"));
        }
        Outcome::Failed => {
            let (class, message) = ("ValueError".to_owned(), "no\n".to_owned());
            line.ending = Some(Ending::Exception { class, message, line: Some(3) });
        }
        _ => line.why = Some(Why::Garbage),
    }
    line
}

pub(crate) fn exclusion(problem: &str) -> VerdictLine {
    let detail = Some("its own program fails".to_owned());
    VerdictLine { detail, ..VerdictLine::new(problem, 0, Outcome::Excluded) }
}

pub(crate) fn session() -> SessionLine {
    SessionLine {
        command: vec!["./answer.sh".to_owned(), "tasks".to_owned()],
        working_folder: "/tmp/x".to_owned(),
        time_limit_s: 3600.0,
        wall_s: 1.25,
        end: SessionEnd::Signalled(9),
        asked: 4,
        answered: 3,
        garbage_lines: 1,
        garbage: vec!["1: what is this".to_owned()],
        stderr_tail: "no more\n".to_owned(),
    }
}

pub(crate) fn results() -> Results {
    let counts = Counts { problems: 4, samples: 7, excluded: 1, ..Counts::default() };
    let signature = Signature::new("m", 1);
    Results::new("m", "model:small".to_owned(), signature, counts)
}

/// The names and bytes of a record's files, without its lock.
pub(crate) fn files(folder: &Path) -> Vec<(String, Vec<u8>)> {
    let mut paths: Vec<PathBuf> =
        std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).collect();
    paths.sort();
    let name = |path: &Path| path.file_name().unwrap().to_str().unwrap().to_owned();
    paths.retain(|path| name(path) != assay_record::LOCK && path.is_file());
    paths.iter().map(|path| (name(path), std::fs::read(path).unwrap())).collect()
}
