//! Published answers of models, scored: how many pass.

use serde_json::{Value, json};

use super::{Bench, Rows};

const QWEN: &str = "model_outputs/qwen2.5-coder-1.5b-base.tar.zst";
const MAPCODER: &str = "model_outputs/mapcoder-chatgpt.tar.zst";

pub(super) fn run(bench: &Bench) -> Result<Rows, String> {
    let data = |path: &str| bench.data.join(path).display().to_string();
    let folder = bench.unpacked(QWEN)?;
    bench.unpack(&bench.data.join(MAPCODER))?;
    let file = |path: &str| folder.join(path).display().to_string();
    let qwen = |set: &str| file(&format!("1.5b-base/evalplus/{set}/generated.jsonl"));
    let mapcoder = |path: &str| file(&format!("ChatGPT/{path}-Python3-0-1.jsonl"));
    let human = data("humaneval/HumanEval.jsonl.gz");
    let score = |task: &str, answers: &str, data: &str| {
        bench.json(&["score", task, answers, "--data", data, "--json"])
    };
    let wizard = data("model_outputs/wizardcoder-15b.humaneval.59.8.gen.zip");
    let plus = data("humaneval_plus/HumanEvalPlus-v0.1.10.jsonl.gz");
    let mbpp = score("mbpp-plus", &qwen("mbpp"), &data("mbpp_plus/MbppPlus-v0.1.0.jsonl.zst"))?;
    let mut rows = Rows::new();
    let mut add = |name: &str, published: f64, passed: f64| {
        rows.insert(name.to_owned(), json!({"published": published, "assay": passed}));
    };
    add("WizardCoder-15B on HumanEval", 59.8, passed(&score("humaneval", &wizard, &human)?));
    add(
        "Qwen2.5-Coder-1.5B on HumanEval",
        43.9,
        passed(&score("humaneval", &qwen("humaneval"), &human)?),
    );
    add(
        "the same on HumanEval+",
        36.6,
        passed(&score("humaneval-plus", &qwen("humaneval"), &plus)?),
    );
    let base = &mbpp["metrics"]["base-pass@1"];
    let base = base["value"].as_f64().unwrap_or(f64::NAN) * base["n"].as_f64().unwrap_or(f64::NAN);
    add("the same on MBPP+ v0.1.0, MBPP's tests", 69.2, base.round());
    add("the same with EvalPlus's tests", 58.6, passed(&mbpp));
    let answers = mapcoder("HumanEval/ChatGPT-MapCoder-5-5-Human");
    add(
        "ChatGPT with MapCoder on HumanEval",
        132.0,
        passed(&score("humaneval", &answers, &human)?),
    );
    let prelude =
        ["score", "humaneval", &answers, "--data", &human, "--prelude", "typing", "--json"];
    add("the same with --prelude typing", 132.0, passed(&bench.json(&prelude)?));
    let answers = mapcoder("MBPP/ChatGPT-MapCoder-3-5-MBPP");
    let results = score("mbpp-sanitized", &answers, &data("mbpp/sanitized-mbpp.json"))?;
    add("the same on MBPP (235 of mbpp-sanitized)", 178.0, passed(&results));
    let answers = mapcoder("APPS/ChatGPT-MapCoder-3-5-APPS");
    let mut sum = 0.0;
    for level in ["introductory", "interview", "competition"] {
        let task = format!("apps-{level}");
        sum += passed(&score(&task, &answers, &data("apps/selected150.jsonl"))?);
    }
    add("the same on APPS (150, three tasks)", 17.0, sum);
    Ok(rows)
}

/// The number of answers that pass.
fn passed(results: &Value) -> f64 {
    results["counts"]["passed"].as_f64().unwrap_or(f64::NAN)
}
