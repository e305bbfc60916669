//! The small data on which the commands of the documents run: the problems inside the binary, under the names and in
//! the forms that the pages use.

use std::fs;
use std::io::Write as _;
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};

use serde_json::{Value, json};

use crate::check::repository;
use crate::common::git::{Edit, Script, git};
use crate::shell::Workshop;

/// Writes the data; on the page of tasks, answers are to one task.
pub(super) fn write(workshop: &Workshop, task: Option<&str>) {
    codrep(workshop);
    translation(workshop, task);
    fusion_brain(workshop);
    programs(workshop, task);
    apps(workshop, task);
    gfg(workshop, task);
    texts(workshop);
    solvers(workshop);
    // Pages name files of the repository.
    let crates = repository().join("crates").canonicalize().expect("the repository");
    std::os::unix::fs::symlink(crates, workshop.work("crates")).expect("a link can be made");
    copy(&workshop.work("Dataset1"), &workshop.work("hidden"));
    if task.is_none() {
        histories(workshop);
    }
}

/// Writes a script that can be run.
pub(super) fn script(path: &Path, text: &str) {
    put(path, text);
    fs::set_permissions(path, fs::Permissions::from_mode(0o755)).expect("a mode can be set");
}

fn put(path: &Path, content: impl AsRef<[u8]>) {
    fs::create_dir_all(path.parent().expect("a folder")).expect("a folder can be made");
    fs::write(path, content).expect("a file can be written");
}

/// A file or folder of the problems inside the binary.
fn sample(name: &str) -> PathBuf {
    repository().join("crates/assay-tasks/samples").join(name)
}

fn read(path: &Path) -> String {
    fs::read_to_string(path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

fn json_lines(path: &Path) -> Vec<Value> {
    read(path).lines().map(|line| serde_json::from_str(line).expect("it is JSON")).collect()
}

fn lines_of(values: impl IntoIterator<Item = Value>) -> String {
    values.into_iter().map(|value| format!("{value}\n")).collect()
}

/// The files of a folder, by name.
fn entries(folder: &Path) -> Vec<PathBuf> {
    let entries = fs::read_dir(folder).expect("a folder can be read");
    let mut paths: Vec<PathBuf> = entries.map(|entry| entry.expect("an entry").path()).collect();
    paths.sort();
    paths
}

fn copy(from: &Path, into: &Path) {
    if from.is_dir() {
        for entry in entries(from) {
            copy(&entry, &into.join(entry.file_name().expect("a name")));
        }
    } else {
        put(into, fs::read(from).expect("a file can be read"));
    }
}

/// Packs a folder as NAME/… into `archive`, a `.tar.zst`.
fn tar_zst(folder: &Path, name: &str, archive: &Path) {
    let mut tar = tar::Builder::new(Vec::new());
    tar.append_dir_all(name, folder).expect("it can be packed");
    put(archive, zst(&tar.into_inner().expect("it can be packed")));
}

fn zst(bytes: &[u8]) -> Vec<u8> {
    zstd::encode_all(bytes, 1).expect("it can be packed")
}

fn gz(bytes: &[u8]) -> Vec<u8> {
    let mut packed = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
    packed.write_all(bytes).expect("it can be packed");
    packed.finish().expect("it can be packed")
}

fn zip(folder: &Path, archive: &Path) {
    let mut packed = zip::ZipWriter::new(std::io::Cursor::new(Vec::new()));
    for path in entries(folder) {
        let name = path.file_name().expect("a name").to_string_lossy().into_owned();
        let options = zip::write::SimpleFileOptions::default();
        packed.start_file(name, options).expect("it can be packed");
        packed.write_all(&fs::read(&path).expect("a file")).expect("it can be packed");
    }
    put(archive, packed.finish().expect("it can be packed").into_inner());
}

/// Dataset1 to Dataset5 as folders and archives, and predictions for Dataset4.
fn codrep(workshop: &Workshop) {
    for (dataset, tasks) in [(1, 1..=12), (2, 13..=24), (3, 25..=36), (4, 1..=48), (5, 37..=48)] {
        let root = workshop.work(&format!("Dataset{dataset}"));
        for (number, task) in tasks.enumerate() {
            for folder in ["Tasks", "Solutions"] {
                let from = sample(&format!("codrep/{folder}/{task}.txt"));
                copy(&from, &root.join(format!("{folder}/{}.txt", number + 1)));
            }
        }
        let name = format!("Dataset{dataset}");
        tar_zst(&root, &name, &workshop.work(&format!("{name}.tar.zst")));
        copy(&root, &workshop.work(&format!("Datasets/{name}")));
        copy(&root, &workshop.path(&format!("data/codrep/{name}")));
    }
    let predictions: String = (1..=48)
        .map(|task| {
            let right = read(&sample(&format!("codrep/Solutions/{task}.txt")));
            // Every fifth is wrong.
            let line = if task % 5 == 0 { "1" } else { right.trim() };
            format!("Dataset4/Tasks/{task}.txt {line}\n")
        })
        .collect();
    put(&workshop.work("predictions.txt"), predictions);
}

/// C2C's and CodeXGLUE's pairs, and answers to them.
fn translation(workshop: &Workshop, task: Option<&str>) {
    let c2c = sample("c2c");
    let names = read(&c2c.join("test.java-python.id"));
    let python = read(&c2c.join("test.java-python.python"));
    let truth: serde_json::Map<_, _> = names
        .lines()
        .zip(python.lines())
        .map(|(name, text)| (name.to_owned(), text.into()))
        .collect();
    for file in [
        "true_C2C.json",
        "prediction_C2C.json",
        "truth/true_C2C.json",
        "output/prediction_C2C.json",
    ] {
        put(&workshop.work(file), Value::Object(truth.clone()).to_string());
    }
    put(&workshop.work("hypotheses.txt"), &python);
    let avatar = workshop.path("tmp/avatar");
    let glue = workshop.path("tmp/glue");
    for (from, into, start) in
        [(&c2c, &avatar, "test.java-python."), (&sample("trans-java-cs"), &glue, "test.java-cs.")]
    {
        for path in entries(from) {
            let name = path.file_name().expect("a name").to_string_lossy().into_owned();
            if name.starts_with(start) {
                copy(&path, &into.join(name));
            }
        }
    }
    zip(&avatar, &workshop.work("g4g_functions.zip"));
    copy(&workshop.work("g4g_functions.zip"), &workshop.path("data/avatar/g4g_functions.zip"));
    let archive = workshop.work("codexglue_trans.tar.zst");
    tar_zst(&glue, "codexglue_trans", &archive);
    copy(&archive, &workshop.path("data/codexglue_trans/codexglue_trans.tar.zst"));
    let java = glue.join("test.java-cs.txt.java");
    let cs = glue.join("test.java-cs.txt.cs");
    copy(&cs, &workshop.work("translations.txt"));
    match task {
        Some("trans-java-cs") => copy(&cs, &workshop.work("predictions.txt")),
        Some("trans-cs-java") => copy(&java, &workshop.work("predictions.txt")),
        _ => {}
    }
}

/// The Fusion Brain Challenge's files, beside those of C2C.
fn fusion_brain(workshop: &Workshop) {
    for task in ["HTR", "zsOD", "VQA"] {
        let truth = read(&sample(&format!("fusion-brain/true_{task}.json")));
        let mut prediction: Value = serde_json::from_str(&truth).expect("it is JSON");
        for answer in prediction.as_object_mut().expect("an object").values_mut() {
            if let Some(right) = answer.get("answer") {
                let first = right.get(0).unwrap_or(right).clone();
                *answer = first;
            }
        }
        for folder in ["", "truth/"] {
            put(&workshop.work(&format!("{folder}true_{task}.json")), &truth);
        }
        for folder in ["", "output/"] {
            let name = format!("{folder}prediction_{task}.json");
            put(&workshop.work(&name), prediction.to_string());
        }
    }
}

/// HumanEval, MBPP and EvalPlus's data, and answers in the forms of the field.
fn programs(workshop: &Workshop, task: Option<&str>) {
    let human = sample("humaneval/HumanEval.jsonl");
    let mbpp = sample("mbpp/mbpp.jsonl");
    let plus = sample("mbpp/MbppPlus.jsonl");
    let bytes = |path: &Path| fs::read(path).expect("a file");
    for (name, content) in [
        ("work/HumanEval.jsonl.gz", gz(&bytes(&human))),
        ("work/HumanEvalPlus-v0.1.10.jsonl.gz", gz(&bytes(&human))),
        ("work/mbpp.jsonl", bytes(&mbpp)),
        ("work/MbppPlus-v0.2.0.jsonl.gz", gz(&bytes(&plus))),
        ("work/MbppPlus-v0.1.0.jsonl.zst", zst(&bytes(&plus))),
        ("data/humaneval/HumanEval.jsonl.gz", gz(&bytes(&human))),
        ("data/humaneval_plus/HumanEvalPlus-v0.1.10.jsonl.gz", gz(&bytes(&human))),
        ("data/mbpp/mbpp.jsonl", bytes(&mbpp)),
        ("data/mbpp/sanitized-mbpp.json", sanitized(&mbpp)),
        ("data/mbpp_plus/MbppPlus-v0.2.0.jsonl.gz", gz(&bytes(&plus))),
    ] {
        put(&workshop.path(name), content);
    }
    let completions: Vec<Value> = json_lines(&human)
        .iter()
        .map(|problem| json!({"task_id": problem["task_id"], "completion": problem["canonical_solution"]}))
        .collect();
    let solutions = |path: &Path, field: &str, prefix: &str| {
        let one = |problem: &Value| {
            let name = problem["task_id"]
                .as_str()
                .map_or_else(|| format!("{prefix}{}", problem["task_id"]), str::to_owned);
            json!({"task_id": name, "solution": problem[field]})
        };
        json_lines(path).iter().map(one).collect::<Vec<_>>()
    };
    let samples = match task {
        Some("mbpp" | "mbpp-sanitized") => solutions(&mbpp, "code", "Mbpp/"),
        Some("mbpp-plus") => solutions(&plus, "canonical_solution", ""),
        _ => completions.clone(),
    };
    put(&workshop.work("samples.jsonl"), lines_of(samples.clone()));
    put(&workshop.work("samples.jsonl.gz"), gz(lines_of(samples).as_bytes()));
    put(&workshop.work("plus.jsonl"), lines_of(solutions(&plus, "canonical_solution", "")));
    let programs = json_lines(&human).into_iter().map(|problem| {
        let program =
            format!("{}{}", text(&problem["prompt"]), text(&problem["canonical_solution"]));
        json!({"task_id": problem["task_id"], "solution": program})
    });
    put(&workshop.work("generated.jsonl"), lines_of(programs));
    // The task's split begins with the problem 11.
    let of_the_task = |problem: &&Value| problem["task_id"].as_u64() >= Some(11);
    let problems = json_lines(&mbpp);
    let generations: Vec<Value> =
        problems.iter().filter(of_the_task).map(|problem| json!([problem["code"]])).collect();
    put(&workshop.work("generations.json"), Value::Array(generations).to_string());
}

fn text(value: &Value) -> &str {
    value.as_str().expect("a text")
}

/// MBPP's problems in the form of its sanitized edition.
fn sanitized(mbpp: &Path) -> Vec<u8> {
    let problems = json_lines(mbpp).into_iter().map(|mut problem| {
        let fields = problem.as_object_mut().expect("an object");
        let prompt = fields.remove("text").expect("a text");
        fields.insert("prompt".to_owned(), prompt);
        fields.insert("test_imports".to_owned(), json!([]));
        problem
    });
    Value::Array(problems.collect()).to_string().into_bytes()
}

/// APPS's problems as folders and as JSON lines.
fn apps(workshop: &Workshop, task: Option<&str>) {
    let mut problems = Vec::new();
    let mut answers = Vec::new();
    for folder in entries(&sample("apps")).into_iter().filter(|path| path.is_dir()) {
        let name = folder.file_name().expect("a name").to_string_lossy().into_owned();
        copy(&folder, &workshop.work(&format!("APPS/test/{name}")));
        let part = |file: &str| fs::read_to_string(folder.join(file)).unwrap_or_default();
        let metadata: Value = serde_json::from_str(&part("metadata.json")).expect("it is JSON");
        let number: u32 = name.parse().expect("a number");
        problems.push(json!({
            "problem_id": number,
            "question": part("question.txt"),
            "solutions": part("solutions.json"),
            "input_output": part("input_output.json"),
            "difficulty": metadata["difficulty"],
            "url": "assay",
            "starter_code": part("starter_code.py"),
        }));
        let solutions: Value = serde_json::from_str(&part("solutions.json")).expect("it is JSON");
        answers.push(json!({"task_id": name, "solution": solutions[0]}));
    }
    let lines = lines_of(problems);
    put(&workshop.work("apps/test.jsonl"), &lines);
    put(&workshop.work("test.jsonl.zst"), zst(lines.as_bytes()));
    if task.is_some_and(|task| task.starts_with("apps")) {
        put(&workshop.work("answers.jsonl"), lines_of(answers));
    }
}

/// TransCoder's scripts, and translations.
fn gfg(workshop: &Workshop, task: Option<&str>) {
    copy(&sample("gfg"), &workshop.path("data/transcoder_gfg"));
    if task != Some("translate-gfg-java-python") {
        return;
    }
    let answers = entries(&sample("gfg/python")).into_iter().map(|path| {
        let program = read(&path);
        let function = program.split("#TOFILL").next().expect("a function").to_owned();
        json!({"task_id": path.file_stem().expect("a name").to_string_lossy(), "solution": function})
    });
    put(&workshop.work("answers.jsonl"), lines_of(answers));
}

/// Texts and references in the forms that `assay metric` reads.
fn texts(workshop: &Workshop) {
    let references = ["int x = f(y);", "return a + b;", "if (x > 0) { x--; }", "String s = \"a\";"];
    let outputs = ["int x = f(z);", "return a + b;", "if (x > 1) { x--; }", "String t = \"a\";"];
    let lines = |texts: &[&str]| texts.iter().map(|text| format!("{text}\n")).collect::<String>();
    for name in ["ref.txt", "gold.txt", "a.txt", "b.txt"] {
        put(&workshop.work(name), lines(&references));
    }
    for name in ["out.txt", "output.txt"] {
        put(&workshop.work(name), lines(&outputs));
    }
    let pairs = references.iter().zip(outputs);
    let pairs = pairs
        .enumerate()
        .map(|(id, (reference, output))| json!({"id": id, "ref": reference, "hyp": output}));
    put(&workshop.work("pairs.jsonl"), lines_of(pairs));
    let packed = references.iter().map(|reference| json!(reference));
    put(&workshop.work("ref.jsonl.zst"), zst(lines_of(packed).as_bytes()));
    let python = ["def f(x):\\n    return x", "print(1)", "x = [1, 2]", "y = x + 1"];
    let avatar = python.iter().map(|text| json!({"python": [text.replace("\\n", "\n")]}));
    put(&workshop.work("avatar.jsonl"), lines_of(avatar));
}

/// A model's stand-in: it continues every prompt in the same way.
const ASK_MY_MODEL: &str = "#!/usr/bin/env python3
import json
import sys

for line in open(sys.argv[1], encoding=\"utf-8\"):
    question = json.loads(line)
    for _ in range(question[\"samples\"]):
        print(json.dumps({\"task_id\": question[\"task_id\"], \"completion\": \"    return None\\n\"}))
";

/// A library with a model, which knows one function and gives the same beginning for every other.
const LIBRARY: &str = "class Model:
    def __init__(self, name):
        self.name = name

    def generate(self, prompt, stop=None):
        if \"count_vowels\" in prompt:
            return \"    return sum(letter in 'aeiou' for letter in text.lower())\\n\"
        return \"    return None\\n\"
";

/// A predictor of lines: always the third.
const PREDICTOR: &str = "import os
import sys

folder = sys.argv[1]
for name in os.listdir(folder):
    print(os.path.join(folder, name), 3)
";

/// A translator: it repeats the source.
const TRANSLATOR: &str = "import sys

for source in open(sys.argv[1], encoding=\"utf-8\"):
    print(source.strip())
";

fn solvers(workshop: &Workshop) {
    script(&workshop.work("ask-my-model"), ASK_MY_MODEL);
    script(&workshop.work("generate.py"), ASK_MY_MODEL);
    put(&workshop.work("my_library.py"), LIBRARY);
    put(&workshop.work("my_predictor.py"), PREDICTOR);
    put(&workshop.work("translate.py"), TRANSLATOR);
}

/// Repositories in which changes replaced one line by one.
fn histories(workshop: &Workshop) {
    for name in ["guava", "some-java-project", "third"] {
        let bare = history(name).make(&workshop.path("tmp"), &format!("{name}.git"));
        let from = bare.display().to_string();
        let source = workshop.path("home/src");
        fs::create_dir_all(&source).expect("a folder can be made");
        git(&source, &["clone", "--quiet", &from, name], b"");
        let into = workshop.work("repos");
        fs::create_dir_all(&into).expect("a folder can be made");
        git(&into, &["clone", "--quiet", "--bare", &from, &format!("{name}.git")], b"");
    }
}

/// A history with a Java and a Python file, in each of which lines change one by one.
fn history(name: &str) -> Script {
    let mut script = Script::default();
    let java = |change: usize| {
        let body: String = (0..30)
            .map(|line| {
                format!(
                    "    int {}{line} = {};\n",
                    name.replace('-', "_"),
                    if line < change { line + 10 } else { line }
                )
            })
            .collect();
        format!("class Example {{\n{body}}}\n")
    };
    let python =
        |change: usize| format!("def f(x):\n    return x + {change}\n\n\nNAME = '{name}'\n");
    for change in 0..30 {
        let (java, python) = (java(change), python(change));
        let edits = [
            Edit::Put("src/Example.java", java.as_bytes()),
            Edit::Put("example.py", python.as_bytes()),
        ];
        script.commit("change a line", &edits);
    }
    script
}
