//! Stored generations for the tests of models: right and wrong programs for real problems, in a file of answers and on
//! a server that gives the same ones.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::io::Read as _;
use std::path::{Path, PathBuf};
use std::process::Command;

use assay_testserver::{Generations, Plan, ServerSettings, TestServer};
use serde_json::{Value, json};

use super::assay;

/// Problems of a task, with samples for each.
pub(crate) struct Stored {
    pub(crate) task: &'static str,
    pub(crate) data: PathBuf,
    problems: Vec<StoredProblem>,
}

struct StoredProblem {
    name: String,
    /// The part of its prompts that is its own.
    mark: String,
    /// The beginning of its program, which a chat repeats.
    opening: String,
    samples: Vec<String>,
}

fn samples(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../assay-tasks/samples").join(name)
}

/// The problems inside the binary.
pub(crate) fn of_sample(task: &'static str, count: usize) -> Stored {
    let file = match task {
        "humaneval" => samples("humaneval/HumanEval.jsonl"),
        _ => samples("mbpp/mbpp.jsonl"),
    };
    Stored::read(task, "sample".into(), &file, count)
}

/// The problems of real data.
pub(crate) fn of_data(task: &'static str, data: &Path, count: usize) -> Stored {
    let file = match task {
        "humaneval" => data.join("humaneval/HumanEval.jsonl.gz"),
        _ => data.join("mbpp/mbpp.jsonl"),
    };
    Stored::read(task, file.clone(), &file, count)
}

impl Stored {
    fn read(task: &'static str, data: PathBuf, file: &Path, count: usize) -> Self {
        let mut text = String::new();
        let opened = fs::File::open(file).expect("the problems are there");
        if file.extension().is_some_and(|extension| extension == "gz") {
            flate2::read::GzDecoder::new(opened).read_to_string(&mut text).expect("it is text");
        } else {
            text = fs::read_to_string(file).expect("it is text");
        }
        let records = text.lines().map(|line| serde_json::from_str(line).expect("it is JSON"));
        // Only these are test problems of MBPP; the sample's numbers are lower.
        let is_sample = data == Path::new("sample");
        let is_used = |record: &Value| {
            let number = record["task_id"].as_u64();
            is_sample || number.is_none_or(|number| (11..=510).contains(&number))
        };
        let problems = records.filter(is_used).map(|record| problem(task, &record, count));
        Self { task, data, problems: problems.collect() }
    }

    /// The number of problems.
    pub(crate) fn len(&self) -> usize {
        self.problems.len()
    }

    /// The number of different prompts: two problems of MBPP have the same one.
    pub(crate) fn prompts(&self) -> usize {
        self.problems.iter().map(|problem| &problem.mark).collect::<BTreeSet<_>>().len()
    }

    /// Returns whether another problem has the same prompt, so that a reply to one may serve both.
    pub(crate) fn has_twin(&self, name: &str) -> bool {
        let mark = self.problems.iter().find(|problem| problem.name == name);
        let mark = mark.map(|problem| &problem.mark);
        self.problems.iter().filter(|problem| Some(&problem.mark) == mark).count() > 1
    }

    /// Programs as a base model continues a prompt.
    pub(crate) fn completions(&self) -> Generations {
        self.generations(&|_, sample| sample.to_owned())
    }

    /// Programs as a chat has them: whole, in a fenced block, with prose around it.
    pub(crate) fn chats(&self) -> Generations {
        self.generations(&|problem, sample| {
            let opening = problem.opening.trim_start_matches('\n');
            format!("Sure, here it is — as you wish:\n\n```python\n{opening}{sample}```\nDone.\n")
        })
    }

    fn generations(&self, reply: &dyn Fn(&StoredProblem, &str) -> String) -> Generations {
        let mut generations = Generations::new();
        for problem in &self.problems {
            let replies = problem.samples.iter().map(|sample| reply(problem, sample)).collect();
            generations.add(&problem.name, problem.mark.trim(), replies);
        }
        generations
    }

    /// The file of answers with the same programs.
    pub(crate) fn answers(&self) -> String {
        let mut lines = String::new();
        for problem in &self.problems {
            for sample in &problem.samples {
                let line = json!({"task_id": problem.name, "completion": sample});
                lines.push_str(&format!("{line}\n"));
            }
        }
        lines
    }

    /// The scores of that file.
    pub(crate) fn scores(&self, folder: &Path) -> Value {
        fs::write(folder.join("stored.jsonl"), self.answers()).expect("a file can be written");
        let mut command = assay(folder);
        command.args(["score", self.task, "stored.jsonl", "--json", "-k", "1,10"]);
        let output = command.arg("--data").arg(&self.data).output().expect("the binary runs");
        let text = String::from_utf8_lossy(&output.stdout).into_owned();
        serde_json::from_str(&text).unwrap_or_else(|error| {
            panic!("{error}: {text}\n{}", String::from_utf8_lossy(&output.stderr))
        })
    }
}

/// A problem with samples of which some are right, most are wrong in one of two ways, and many are the same.
fn problem(task: &str, record: &Value, count: usize) -> StoredProblem {
    let text = |name: &str| record[name].as_str().unwrap_or_default().to_owned();
    let name = match &record["task_id"] {
        Value::String(name) => name.clone(),
        number => number.to_string(),
    };
    let number: usize = name.rsplit('/').next().and_then(|n| n.parse().ok()).unwrap_or(0);
    let (mark, opening, right, wrong) = if task == "humaneval" {
        let wrong = ["    return None\n".to_owned(), "    raise ValueError('é')\n".to_owned()];
        (text("prompt"), text("prompt"), text("canonical_solution"), wrong)
    } else {
        let first = record["test_list"][0].as_str().unwrap_or_default();
        let code = text("code").replace("\r\n", "\n") + "\n";
        // A generation ends before the task's stop words, which a few of the task's own programs contain.
        let stops = ["\nclass", "\nassert", "\n\"\"\"", "\nprint", "\nif", "\n<|/", "\n```"];
        let end = stops.into_iter().filter_map(|stop| code.find(stop)).min();
        let code = code[..end.unwrap_or(code.len())].to_owned();
        let wrong = ["def solve():\n    pass\n".to_owned(), "x = 1 +\n".to_owned()];
        (format!("{}\n{first}", text("text")), String::new(), code, wrong)
    };
    let sample = |sample: usize| match (7 * number + 3 * sample) % 5 {
        0 | 3 => right.clone(),
        1 => wrong[0].clone(),
        _ => wrong[1].clone(),
    };
    StoredProblem { name, mark, opening, samples: (0..count).map(sample).collect() }
}

/// A server with these replies, on which this goes wrong.
pub(crate) fn server(generations: Generations, plan: Plan) -> TestServer {
    start(ServerSettings { plan, ..ServerSettings::new(generations) })
}

pub(crate) fn start(settings: ServerSettings) -> TestServer {
    TestServer::start(settings).expect("a loopback port is free")
}

/// `assay run` of stored problems against a server.
pub(crate) fn asking(
    folder: &Path,
    stored: &Stored,
    server: &TestServer,
    more: &[&str],
) -> Command {
    let samples = stored.problems[0].samples.len().to_string();
    let mut command = assay(folder);
    command.args(["run", stored.task, "--solver", &server.solver(), "-n", &samples, "--json"]);
    command.args(["-k", "1,10", "--data"]).arg(&stored.data).args(more);
    command
}

/// The lines of a file of a record, by problem and sample, without what depends on time or on what went wrong on the
/// way: how long it took, how often it was asked for, and how much memory and time its program took.
pub(crate) fn lines(run: &Path, file: &str) -> BTreeMap<(String, u64), Value> {
    let text = fs::read_to_string(run.join(file)).expect("the record has this file");
    let mut lines = BTreeMap::new();
    for line in text.lines() {
        let mut line: Value = serde_json::from_str(line).expect("a line is JSON");
        let key = (line["problem"].as_str().expect("a problem").to_owned(), sample(&line));
        for name in ["wall_s", "started_s", "retries"] {
            line.as_object_mut().expect("a line is an object").remove(name);
        }
        if let Some(evidence) = line.get_mut("evidence").and_then(Value::as_object_mut) {
            evidence.retain(|name, _| !["cpu_s", "wall_s", "peak_memory"].contains(&name.as_str()));
        }
        assert!(lines.insert(key.clone(), line).is_none(), "{file}: {key:?} is there twice");
    }
    lines
}

/// The number of the sample of a line, which is left out for the first one.
pub(crate) fn sample(line: &Value) -> u64 {
    line["sample"].as_u64().unwrap_or(0)
}
