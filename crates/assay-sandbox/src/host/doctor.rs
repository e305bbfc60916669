//! A diagnosis of this machine, for people who want to know whether its verdicts can be trusted.

use std::path::PathBuf;
use std::time::{Duration, Instant};

use assay_core::{Cancel, Ending, PythonTests, Rules};
use serde::Serialize;

use super::pool::Sandbox;
use super::tools::Tools;
use crate::job::{Limits, Settings, TestRequest};
use crate::message::Layer;

/// A diagnosis of this machine.
#[derive(Debug, Serialize)]
pub struct Diagnosis {
    /// True if untrusted programs can be run on it.
    pub trusted: bool,
    /// The reason why they cannot.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub problem: Option<String>,
    /// The isolation between candidates and the machine.
    pub layers: Vec<Layer>,
    /// The mechanism that limits the memory of a candidate: `cgroup-v2`, `cgroup-v1`, `sampled` or `rlimit`.
    pub memory_by: String,
    /// The languages of candidates, each with the tool that runs it.
    pub languages: Vec<LanguageTool>,
    /// The time to test a small Python candidate, in milliseconds.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub milliseconds: Option<f64>,
}

/// The tool that runs a language.
#[derive(Debug, Serialize)]
pub struct LanguageTool {
    /// The language.
    pub language: String,
    /// The interpreter or compiler, if there is one.
    pub path: Option<PathBuf>,
    /// Its version, as the tool reports it; if there is no tool, the software to install.
    pub version: String,
}

/// Diagnoses this machine.
pub fn diagnose(settings: Settings) -> Diagnosis {
    let languages = languages(&settings.tools);
    match Sandbox::new(settings) {
        Ok(sandbox) => {
            let layers = sandbox.layers();
            let tried = time_small_test(&sandbox);
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

fn languages(tools: &Tools) -> Vec<LanguageTool> {
    let runs = |&language| match tools.get(language) {
        Ok(tool) => LanguageTool {
            language: format!("{language}"),
            path: Some(tool.path.clone()),
            version: tool.version.lines().next().unwrap_or_default().to_owned(),
        },
        Err(error) => LanguageTool {
            language: format!("{language}"),
            path: None,
            version: error.hint_text().unwrap_or_default().to_owned(),
        },
    };
    Tools::LANGUAGES.iter().map(runs).collect()
}

/// Runs a small candidate against a small test a few times, and returns the time per run.
fn time_small_test(sandbox: &Sandbox) -> Result<f64, String> {
    const TIMES: u32 = 20;
    let tests = PythonTests {
        setup: String::new(),
        entry_points: vec!["answer".to_owned()],
        cases: vec!["assert answer(6, 7) == 42".to_owned()],
        appended: String::new(),
        preamble: String::new(),
    };
    let limits = Limits::with_cpu(Duration::from_secs(3));
    let program = "def answer(a, b):\n    return a * b\n";
    let request = TestRequest {
        prelude: "",
        candidate: program,
        tests: &tests,
        case: 0,
        seed: 7,
        rules: Rules::Strict,
        limits,
    };
    let mut started = Instant::now();
    for number in 0..=TIMES {
        let report = sandbox.run_tests(&request, &Cancel::new()).map_err(|e| e.to_string())?;
        if report.ending != Ending::Passed {
            return Err(format!("a right program did not pass: {:?}", report.ending));
        }
        if number == 0 {
            // The first run waited for Python to start.
            started = Instant::now();
        }
    }
    Ok(started.elapsed().as_secs_f64() * 1e3 / f64::from(TIMES))
}
