//! A diagnosis of this machine, for people who want to know whether to trust its verdicts.

use std::path::PathBuf;
use std::time::{Duration, Instant};

use assay_core::{Cancel, Ending, Exam, Rules};
use serde::Serialize;

use super::pool::Sandbox;
use super::tools::Tools;
use crate::job::{Examination, Limits, Settings};
use crate::message::Layer;

/// A diagnosis of this machine.
#[derive(Debug, Serialize)]
pub struct Diagnosis {
    /// True if untrusted programs are run on it.
    pub trusted: bool,
    /// Why they are not.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub problem: Option<String>,
    /// The isolation between programs and the machine.
    pub layers: Vec<Layer>,
    /// The mechanism that limits the memory of a program: `cgroup-v2`, `cgroup-v1`, `sampled` or `rlimit`.
    pub memory_by: String,
    /// The languages of programs, each with what runs it.
    pub languages: Vec<Runs>,
    /// The time a small Python program takes to be examined, in milliseconds.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub milliseconds: Option<f64>,
}

/// The tool that runs a language.
#[derive(Debug, Serialize)]
pub struct Runs {
    /// The language.
    pub language: String,
    /// The interpreter or compiler, if there is one.
    pub path: Option<PathBuf>,
    /// Its version in its own words; where there is none, what to install.
    pub version: String,
}

/// Looks at everything.
pub fn diagnose(settings: Settings) -> Diagnosis {
    let languages = languages(&settings.tools);
    match Sandbox::new(settings) {
        Ok(sandbox) => {
            let layers = sandbox.layers();
            let tried = try_out(&sandbox);
            let problem = tried.as_ref().err().cloned();
            Diagnosis {
                trusted: problem.is_none() && layers.missing().next().is_none(),
                problem,
                layers: layers.layers,
                memory_by: layers.memory_by,
                languages,
                milliseconds: tried.ok(),
            }
        }
        Err(error) => Diagnosis {
            trusted: false,
            problem: Some(error.to_string()),
            layers: Vec::new(),
            memory_by: "rlimit".to_owned(),
            languages,
            milliseconds: None,
        },
    }
}

fn languages(tools: &Tools) -> Vec<Runs> {
    let runs = |&language| match tools.get(language) {
        Ok(tool) => Runs {
            language: format!("{language}"),
            path: Some(tool.path.clone()),
            version: tool.version.lines().next().unwrap_or_default().to_owned(),
        },
        Err(error) => Runs {
            language: format!("{language}"),
            path: None,
            version: error.hint_text().unwrap_or_default().to_owned(),
        },
    };
    Tools::LANGUAGES.iter().map(runs).collect()
}

/// Puts a small program through a small test, a few times; how long one takes.
fn try_out(sandbox: &Sandbox) -> Result<f64, String> {
    const TIMES: u32 = 20;
    let exam = Exam {
        setting: String::new(),
        called: vec!["answer".to_owned()],
        tests: vec!["assert answer(6, 7) == 42".to_owned()],
        appended: String::new(),
        preamble: String::new(),
    };
    let limits = Limits::with_cpu(Duration::from_secs(3));
    let program = "def answer(a, b):\n    return a * b\n";
    let examination =
        Examination { program, exam: &exam, test: 0, seed: 7, rules: Rules::Strict, limits };
    let mut begun = Instant::now();
    for number in 0..=TIMES {
        let examined = sandbox.examine(&examination, &Cancel::new()).map_err(|e| e.to_string())?;
        if examined.ending != Ending::Passed {
            return Err(format!("a right program did not pass: {:?}", examined.ending));
        }
        if number == 0 {
            // The first one waited for Python to start.
            begun = Instant::now();
        }
    }
    Ok(begun.elapsed().as_secs_f64() * 1e3 / f64::from(TIMES))
}
