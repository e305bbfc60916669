//! A real model's answers to HumanEval+ and MBPP+, against EvalPlus 0.3.1, on two cores: with the expected results
//! still to be computed (cold) and with those that each keeps in its cache (warm).
//!
//! EvalPlus runs the answers without isolation, so it is run as nobody and without a network.

use super::{Bench, Contender, Figures, compare, venv_with_dependencies};
use crate::shell::run;

const PACKAGE: &str = "evalplus==0.3.1";
const ANSWERS: &str = "model_outputs/qwen2.5-coder-1.5b-base.tar.zst";

/// A data set, as both sides name it.
struct DataSet {
    task: &'static str,
    name: &'static str,
    /// The variable by which EvalPlus is told where the file is.
    variable: &'static str,
    file: &'static str,
    /// How the file is unpacked.
    unpack: &'static str,
    contenders: [&'static str; 4],
}

const DATA_SETS: [DataSet; 2] = [
    DataSet {
        task: "humaneval-plus",
        name: "humaneval",
        variable: "HUMANEVAL_OVERRIDE_PATH",
        file: "humaneval_plus/HumanEvalPlus-v0.1.10.jsonl.gz",
        unpack: "gzip -dc",
        contenders: [
            "HumanEval+, cold: assay",
            "HumanEval+, cold: EvalPlus",
            "HumanEval+, warm: assay",
            "HumanEval+, warm: EvalPlus",
        ],
    },
    DataSet {
        task: "mbpp-plus",
        name: "mbpp",
        variable: "MBPP_OVERRIDE_PATH",
        file: "mbpp_plus/MbppPlus-v0.1.0.jsonl.zst",
        unpack: "zstd -dc",
        contenders: [
            "MBPP+ v0.1.0, cold: assay",
            "MBPP+ v0.1.0, cold: EvalPlus",
            "MBPP+ v0.1.0, warm: assay",
            "MBPP+ v0.1.0, warm: EvalPlus",
        ],
    },
];

pub(super) fn run_all(bench: &Bench) -> Result<Vec<Figures>, String> {
    let python = venv_with_dependencies(PACKAGE)?;
    let scratch = bench.scratch.path().display().to_string();
    let answers = bench.data.join(ANSWERS).display().to_string();
    run("tar", &["--zstd", "-xf", &answers, "-C", &scratch])?;
    // EvalPlus runs as nobody, and writes beside the answers.
    run("chmod", &["-R", "a+rwX", &scratch])?;
    let mut contenders = Vec::new();
    for data in &DATA_SETS {
        let problems = bench.data.join(data.file).display().to_string();
        let unpacked = format!("{scratch}/{}.jsonl", data.name);
        run("sh", &["-c", &format!("{} {problems} > {unpacked}", data.unpack)])?;
        contenders.extend(data.contenders(bench, &python, &scratch, &unpacked));
    }
    compare(bench, &contenders, 1)
}

impl DataSet {
    fn contenders(
        &self,
        bench: &Bench,
        python: &str,
        scratch: &str,
        problems: &str,
    ) -> [Contender; 4] {
        let Self { task, name, variable, contenders, .. } = self;
        let folder = format!("{scratch}/1.5b-base/evalplus/{name}");
        let (samples, home) = (format!("{folder}/generated.jsonl"), format!("{scratch}/home"));
        let (program, cache) = (bench.assay.display(), format!("{scratch}/cache"));
        let assay =
            format!("{program} score {task} {samples} --data {problems} --cache {cache} -j 2");
        let evalplus = format!(
            "mkdir -p {home} && chmod a+rwx {home} && rm -f {folder}/*_eval_results.json && \
             HOME={home} {variable}={problems} unshare --net setpriv --reuid 65534 --regid 65534 \
             --clear-groups --no-new-privs {python} -m evalplus.evaluate --dataset {name} \
             --samples {samples} --parallel 2 --i-just-wanna-run"
        );
        let [cold, cold_evalplus, warm, warm_evalplus] = *contenders;
        [
            Contender { name: cold, script: format!("rm -rf {cache} && {assay}") },
            Contender { name: cold_evalplus, script: format!("rm -rf {home} && {evalplus}") },
            Contender { name: warm, script: assay },
            Contender { name: warm_evalplus, script: evalplus },
        ]
    }
}
