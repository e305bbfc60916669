//! A real model's answers to HumanEval+ and MBPP+, compared with EvalPlus 0.3.1, on two cores: with
//! the expected results still to be computed (cold) and with those that each keeps in its cache
//! (warm).
//!
//! EvalPlus runs the answers without isolation, so it is run as nobody and without a network. Both
//! must call the references when cold; the cost of these calls alone is the third contender.

use super::measure::compare_at_once;
use super::{Bench, Contender, Measurements, venv_with_dependencies};
use crate::shell::{root, run};

const PACKAGE: &str = "evalplus==0.3.1";
const ANSWERS: &str = "model_outputs/qwen2.5-coder-1.5b-base.tar.zst";
/// Runs a command as nobody. It may still read all files: the interpreter can be in a home folder.
const AS_NOBODY: &str = "unshare --net setpriv --reuid 65534 --regid 65534 --clear-groups \
    --inh-caps=+dac_read_search --ambient-caps=+dac_read_search --bounding-set=-all,+dac_read_search \
    --no-new-privs";

/// A dataset, with its names on both sides.
struct DataSet {
    task: &'static str,
    name: &'static str,
    /// The variable that tells EvalPlus the path of the file.
    variable: &'static str,
    file: &'static str,
    /// The command that unpacks the file.
    unpack: &'static str,
    cold: [&'static str; 3],
    warm: [&'static str; 2],
}

const DATA_SETS: [DataSet; 2] = [
    DataSet {
        task: "humaneval-plus",
        name: "humaneval",
        variable: "HUMANEVAL_OVERRIDE_PATH",
        file: "humaneval_plus/HumanEvalPlus-v0.1.10.jsonl.gz",
        unpack: "gzip -dc",
        cold: [
            "HumanEval+, cold: assay",
            "HumanEval+, cold: EvalPlus",
            "HumanEval+: references alone",
        ],
        warm: ["HumanEval+, warm: assay", "HumanEval+, warm: EvalPlus"],
    },
    DataSet {
        task: "mbpp-plus",
        name: "mbpp",
        variable: "MBPP_OVERRIDE_PATH",
        file: "mbpp_plus/MbppPlus-v0.1.0.jsonl.zst",
        unpack: "zstd -dc",
        cold: [
            "MBPP+ v0.1.0, cold: assay",
            "MBPP+ v0.1.0, cold: EvalPlus",
            "MBPP+ v0.1.0: references alone",
        ],
        warm: ["MBPP+ v0.1.0, warm: assay", "MBPP+ v0.1.0, warm: EvalPlus"],
    },
];

pub(super) fn run_all(bench: &Bench) -> Result<Vec<Measurements>, String> {
    let python = venv_with_dependencies(PACKAGE)?;
    let scratch = bench.scratch.path().display().to_string();
    let answers = bench.data.join(ANSWERS).display().to_string();
    run("tar", &["--zstd", "-xf", &answers, "-C", &scratch])?;
    // EvalPlus runs as nobody, and writes beside the answers.
    run("chmod", &["-R", "a+rwX", &scratch])?;
    let mut figures = Vec::new();
    for data in &DATA_SETS {
        let problems = bench.data.join(data.file).display().to_string();
        let unpacked = format!("{scratch}/{}.jsonl", data.name);
        run("sh", &["-c", &format!("{} {problems} > {unpacked}", data.unpack)])?;
        let scripts = Scripts::new(data, bench, &python, &scratch, &unpacked);
        // Cold first, because it fills the caches.
        figures.extend(compare_at_once(bench, &scripts.cold(data), 1)?);
        figures.extend(compare_at_once(bench, &scripts.warm(data), 1)?);
    }
    Ok(figures)
}

/// The commands for one dataset, which use the caches as they find them.
struct Scripts {
    assay: String,
    evalplus: String,
    references: String,
    /// The folder in which assay keeps expected results.
    cache: String,
    /// The folder in which EvalPlus keeps them.
    home: String,
}

impl Scripts {
    fn new(data: &DataSet, bench: &Bench, python: &str, scratch: &str, problems: &str) -> Self {
        let DataSet { task, name, variable, .. } = data;
        let folder = format!("{scratch}/1.5b-base/evalplus/{name}");
        let (samples, home) = (format!("{folder}/generated.jsonl"), format!("{scratch}/home"));
        let (program, cache) = (bench.assay.display(), format!("{scratch}/cache"));
        let references = root().join("benches/opponents/evalplus_references.py");
        Self {
            assay: format!(
                "{program} score {task} {samples} --data {problems} --cache {cache} -j 2"
            ),
            evalplus: format!(
                "mkdir -p {home} && chmod a+rwx {home} && rm -f {folder}/*_eval_results.json && \
                 HOME={home} {variable}={problems} {AS_NOBODY} {python} -m evalplus.evaluate \
                 --dataset {name} --samples {samples} --parallel 2 --i-just-wanna-run"
            ),
            references: format!("{AS_NOBODY} {python} {} {problems}", references.display()),
            cache,
            home,
        }
    }

    fn cold(&self, data: &DataSet) -> [Contender; 3] {
        let Self { assay, evalplus, references, cache, home } = self;
        let [first, second, third] = data.cold;
        [
            Contender { name: first, script: format!("rm -rf {cache} && {assay}") },
            Contender { name: second, script: format!("rm -rf {home} && {evalplus}") },
            Contender { name: third, script: references.clone() },
        ]
    }

    fn warm(&self, data: &DataSet) -> [Contender; 2] {
        let [first, second] = data.warm;
        [
            Contender { name: first, script: self.assay.clone() },
            Contender { name: second, script: self.evalplus.clone() },
        ]
    }
}
