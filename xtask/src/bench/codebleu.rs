//! CodeBLEU of real outputs in three languages, compared with the package `codebleu`, as whole
//! processes on one thread; and the lower bound, which is parsing every distinct text once.

use std::fs;
use std::path::PathBuf;

use serde_json::{Value, json};

use super::{Bench, Contender, Measurements, compare, venv};
use crate::shell::{output, root, run};

/// The package, and grammars of exactly the versions that are built into assay.
const PACKAGES: &[&str] = &[
    "codebleu==0.7.0",
    "tree-sitter==0.26.0",
    "tree-sitter-java==0.23.5",
    "tree-sitter-c-sharp==0.23.5",
    "tree-sitter-python==0.25.0",
];

const ROUNDS: usize = 5;

pub(super) fn run_all(bench: &Bench) -> Result<Vec<Measurements>, String> {
    let python = venv(PACKAGES)?;
    run(
        "cargo",
        &["build", "--release", "--locked", "-p", "assay-syntax", "--example", "parse_all"],
    )?;
    let floor = root().join("target/release/examples/parse_all").display().to_string();
    let opponent = root().join("benches/opponents/codebleu_corpus.py").display().to_string();
    let assay = bench.assay.display();
    let mut figures = Vec::new();
    for (language, names) in [("java", JAVA), ("c_sharp", C_SHARP), ("python", PYTHON)] {
        let pairs = match language {
            "python" => golden(bench, language)?,
            _ => stored_outputs(bench, language)?,
        };
        let pairs = pairs.display();
        let metric = format!("{assay} metric codebleu --variant k4black --lang {language}");
        let scripts = [
            format!("{metric} --pairs {pairs} -j 1"),
            format!("{python} {opponent} {language} {pairs}"),
            format!("{metric} --pairs {pairs} -j 2"),
            format!("{floor} {language} {pairs}"),
        ];
        let contenders: Vec<Contender> = names
            .into_iter()
            .zip(scripts)
            .map(|(name, script)| Contender { name, script })
            .collect();
        figures.extend(compare(bench, &contenders, ROUNDS)?);
    }
    Ok(figures)
}

const JAVA: [&str; 4] =
    ["java, 1000: assay -j 1", "java: codebleu", "java: assay -j 2", "java, floor: parse once"];
const C_SHARP: [&str; 4] =
    ["c#, 1000: assay -j 1", "c#: codebleu", "c#: assay -j 2", "c#, floor: parse once"];
const PYTHON: [&str; 4] = [
    "python, 887: assay -j 1",
    "python: codebleu",
    "python: assay -j 2",
    "python, floor: parse once",
];

/// CodeXGLUE's stored translations into a language, with their references.
fn stored_outputs(bench: &Bench, language: &str) -> Result<PathBuf, String> {
    bench.unpack(&bench.data.join("codexglue_trans/codexglue_trans.tar.zst"))?;
    let name = if language == "java" { "cs-java" } else { "java-cs" };
    let read = |ending: &str| {
        let path = bench.scratch.path().join(format!("saved_models/{name}-model1.{ending}"));
        fs::read_to_string(path).map_err(|error| error.to_string())
    };
    let (gold, outputs) = (read("gold")?, read("output")?);
    let pairs = gold.lines().zip(outputs.lines());
    write(bench, language, pairs.map(|(gold, output)| json!({"refs": [gold], "hyp": output})))
}

/// The pairs of a language among those with known values: programs written by models.
fn golden(bench: &Bench, language: &str) -> Result<PathBuf, String> {
    let archive = bench.data.join("golden/codebleu/pairs.jsonl.zst").display().to_string();
    let text = output("zstd", &["-dc", &archive]).ok_or("xtask: zstd failed")?;
    let pairs = text.lines().filter_map(|line| serde_json::from_str::<Value>(line).ok());
    let pairs = pairs.filter(|pair| pair["lang"] == language);
    write(bench, language, pairs.map(|pair| json!({"refs": pair["refs"], "hyp": pair["hyp"]})))
}

fn write(
    bench: &Bench,
    language: &str,
    pairs: impl Iterator<Item = Value>,
) -> Result<PathBuf, String> {
    let path = bench.scratch.path().join(format!("{language}.jsonl"));
    let text: String = pairs.map(|pair| pair.to_string() + "\n").collect();
    fs::write(&path, text).map_err(|error| error.to_string())?;
    Ok(path)
}
