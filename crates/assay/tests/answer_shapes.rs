//! Files of programs in the formats of other tools, and files that are probably not what they were meant to be.

mod common;

use std::fs;
use std::path::Path;

use common::{CommandOutput, json, metric, real_data, run, unpack};
use serde_json::{Value, json};
use tempfile::{TempDir, tempdir};

/// The embedded problems of HumanEval.
fn problems() -> Vec<Value> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("../assay-tasks/samples/humaneval/HumanEval.jsonl");
    let text = fs::read_to_string(path).expect("the sample is there");
    text.lines().map(|line| serde_json::from_str(line).expect("JSON")).collect()
}

fn text<'a>(problem: &'a Value, key: &str) -> &'a str {
    problem[key].as_str().expect("a text")
}

fn whole(problem: &Value) -> String {
    format!("{}{}", text(problem, "prompt"), text(problem, "canonical_solution"))
}

/// Lines made of the embedded problems.
fn lines(line: impl Fn(&Value) -> Value) -> String {
    problems().iter().map(|problem| line(problem).to_string() + "\n").collect()
}

fn score(folder: &TempDir, answers: &str, more: &[&str]) -> CommandOutput {
    let arguments = ["score", "humaneval", answers, "--data", "sample", "--json"];
    run(folder.path(), &[&arguments, more].concat())
}

fn score_text(content: &str, more: &[&str]) -> CommandOutput {
    let folder = tempdir().expect("a folder can be made");
    fs::write(folder.path().join("answers.jsonl"), content).expect("a file can be written");
    score(&folder, "answers.jsonl", more)
}

fn passed(output: &CommandOutput) -> u64 {
    assert!([0, 5].contains(&output.code), "{output:?}");
    json(output)["counts"]["passed"].as_u64().expect("a number")
}

#[test]
fn usual_answers_are_read_without_a_word() {
    for key in ["completion", "solution"] {
        let answer = |problem: &Value| match key {
            "completion" => problem["canonical_solution"].clone(),
            _ => whole(problem).into(),
        };
        let output = score_text(
            &lines(|problem| json!({ "task_id": problem["task_id"], key: answer(problem) })),
            &[],
        );
        assert_eq!(passed(&output), 12);
        assert_eq!(output.err, "", "{key}");
    }
}

#[test]
fn bodies_that_are_called_programs_are_warned_of_and_keep_their_score() {
    let bodies = lines(
        |problem| json!({ "task_id": problem["task_id"], "solution": problem["canonical_solution"] }),
    );
    let output = score_text(&bodies, &[]);
    assert_eq!(passed(&output), 0);
    let warning = "warning: 12 of 12 programs do not define the function that is asked for, and only continue its prompt";
    assert!(output.err.contains(warning), "{}", output.err);
    assert!(output.err.contains("call the field \"completion\""), "{}", output.err);
    // A few wrong programs are no reason to warn.
    let few = lines(|problem| {
        let number = text(problem, "task_id").rsplit('/').next().unwrap().parse::<u32>().unwrap();
        let program = if number > 8 {
            text(problem, "canonical_solution").to_owned()
        } else {
            whole(problem)
        };
        json!({ "task_id": problem["task_id"], "solution": program })
    });
    let output = score_text(&few, &[]);
    assert!(!output.err.contains("warning"), "{}", output.err);
}

#[test]
fn the_text_shows_whether_it_continues_the_prompt() {
    let mixed = lines(|problem| {
        let is_whole = text(problem, "task_id").ends_with(['1', '3']);
        let generation =
            if is_whole { whole(problem) } else { text(problem, "canonical_solution").to_owned() };
        json!({ "task_id": problem["task_id"], "prompt": problem["prompt"], "generation": generation })
    });
    let output = score_text(&mixed, &[]);
    assert_eq!(passed(&output), 12);
    let expected = "answers.jsonl: read as lines with \"generation\", as of CodeFuse and HumanEval-X, 12 problems, \
        1 sample each; 9 continue the prompt, 3 are whole programs\n";
    assert_eq!(output.err, expected);
    let other = lines(
        |problem| json!({ "task_id": problem["task_id"], "mine": whole(problem), "code": "x" }),
    );
    assert_eq!(passed(&score_text(&other, &["--key", "mine"])), 12);
    assert_eq!(passed(&score_text(&other, &[])), 0);
    let refused =
        run(tempdir().unwrap().path(), &["score", "codrep", "-", "--data", "sample", "--key", "x"]);
    assert_eq!(refused.code, 2, "{refused:?}");
}

#[test]
fn what_cannot_be_run_is_diagnosed() {
    let check = |answer: &dyn Fn(&Value) -> String, message: &str, is_diagnosed: bool| {
        for key in ["completion", "solution"] {
            let line =
                |problem: &Value| json!({ "task_id": problem["task_id"], key: answer(problem) });
            let output = score_text(&lines(line), &[]);
            assert_eq!(passed(&output), 0);
            let diagnosis = "warning: 12 of 12 answers do not compile";
            assert_eq!(output.err.contains(diagnosis), is_diagnosed, "{}", output.err);
            assert!(output.err.contains(message), "{key}: {}", output.err);
        }
    };
    let java = "class Solution {\n    public static int f(int a) { return a + 1; }\n}\n";
    check(&|_| java.to_owned(), "most are in Java, and the task asks for Python", true);
    let chat = "Here is the function that you asked for:\n\n";
    check(&|problem| format!("{chat}{}", whole(problem)), "most begin with a sentence", true);
    // Fences are hinted at by themselves.
    let fenced = |problem: &Value| format!("Sure!\n```python\n{}```\n", whole(problem));
    check(&fenced, "12 of 12 answers contain Markdown fences", false);
}

#[test]
fn folders_of_programs_are_scored() {
    let folder = tempdir().unwrap();
    for problem in problems() {
        let name = text(&problem, "task_id").replace('/', "_");
        let place = folder.path().join("plus").join(&name);
        fs::create_dir_all(&place).unwrap();
        fs::write(place.join("0.py"), whole(&problem)).unwrap();
        fs::write(place.join("1.py"), "def f(): pass\n").unwrap();
        fs::create_dir_all(folder.path().join("multiple")).unwrap();
        let completions = json!({ "name": problem["task_id"], "language": "py", "prompt": problem["prompt"],
            "tests": "check(f)", "completions": [problem["canonical_solution"]], "stop_tokens": ["\ndef"] });
        fs::write(folder.path().join(format!("multiple/{name}.json")), completions.to_string())
            .unwrap();
    }
    let output = score(&folder, "plus", &[]);
    assert_eq!(passed(&output), 12);
    assert!(
        output.err.contains(
            "plus: read as files named after their problems, 12 problems, 2 samples each"
        ),
        "{}",
        output.err
    );
    let output = score(&folder, "multiple", &[]);
    assert_eq!(passed(&output), 12);
    assert!(
        output.err.contains("multiple: read as MultiPL-E completions, 12 problems, 1 sample each"),
        "{}",
        output.err
    );
}

#[test]
fn lines_without_names_have_the_prompts_of_the_problems() {
    let unnamed = |problem: &Value| json!({ "prompt": problem["prompt"], "samples": [problem["canonical_solution"]] });
    let output = score_text(&lines(unnamed), &[]);
    assert_eq!(passed(&output), 12);
    assert!(output.err.contains("read as lines without names, in task order"), "{}", output.err);
    let reversed: String = lines(unnamed).lines().rev().map(|line| format!("{line}\n")).collect();
    let output = score_text(&reversed, &[]);
    assert_eq!(output.code, 3);
    assert!(output.err.contains("the line's prompt is that of another problem"), "{}", output.err);
}

#[test]
fn answers_to_another_edition_or_language_are_told_which_data_fits() {
    let folder = tempdir().unwrap();
    let problem = |number: u32| {
        json!({ "task_id": format!("Mbpp/{number}"), "prompt": "\"\"\"\nOne.\n\"\"\"\n",
        "entry_point": "one", "canonical_solution": "def one(): return 1\n", "assertion": "assert one() == 1",
        "base_input": [[]], "plus_input": [[]], "atol": 0, "contract": "" })
    };
    let data: String = [2, 3, 4].map(|number| problem(number).to_string() + "\n").concat();
    fs::write(folder.path().join("plus.jsonl"), data).unwrap();
    let answer = |name: &str| {
        json!({ "task_id": name, "solution": "def one(): return 1" }).to_string() + "\n"
    };
    let refused = |names: &[&str], message: &str| {
        let answers: String = names.iter().map(|name| answer(name)).collect();
        fs::write(folder.path().join("answers.jsonl"), answers).unwrap();
        let output =
            run(folder.path(), &["score", "mbpp-plus", "answers.jsonl", "--data", "plus.jsonl"]);
        assert_eq!(output.code, 3, "{output:?}");
        assert!(output.err.contains(message), "{}", output.err);
    };
    refused(
        &["Mbpp/2", "Mbpp/83"],
        "problems of MBPP+ v0.1.0, and the data has others: name MbppPlus-v0.1.0.jsonl.gz with --data",
    );
    refused(&["HumanEval/0"], "score them as humaneval or humaneval-plus");
    refused(
        &["Java/0", "Java/1"],
        "these are names of HumanEval's problems in Java: the task is humanevalpack-java",
    );
}

#[test]
fn ids_at_the_start_of_lines_are_not_scored() {
    let folder = tempdir().unwrap();
    let texts = [
        ("a.hyp", "returns the sum\nadds one to it\n"),
        ("a.ref", "returns a sum\nadds one to the list\n"),
    ];
    for (name, text) in texts {
        fs::write(folder.path().join(name), text).unwrap();
        let numbered: Vec<String> =
            text.lines().enumerate().map(|(id, line)| format!("{id}\t{line}\n")).collect();
        fs::write(folder.path().join(format!("n{name}")), numbered.concat()).unwrap();
        fs::write(
            folder.path().join(format!("r{name}")),
            numbered.iter().rev().cloned().collect::<String>(),
        )
        .unwrap();
    }
    let bleu = |hyp: &str, reference: &str, more: &[&str]| {
        let arguments = [
            "metric",
            "bleu",
            "--variant",
            "codexglue-c2t",
            "--json",
            "--hyp",
            hyp,
            "--refs",
            reference,
        ];
        let output = run(folder.path(), &[&arguments, more].concat());
        assert_eq!(output.code, 0, "{output:?}");
        let results = json(&output);
        (results["score"].as_f64().unwrap(), results["signature"].clone(), output.err)
    };
    let (plain, signature, quiet) = bleu("a.hyp", "a.ref", &[]);
    assert_eq!(quiet, "");
    for (hyp, reference) in
        [("na.hyp", "na.ref"), ("ra.hyp", "na.ref"), ("na.hyp", "a.ref"), ("a.hyp", "na.ref")]
    {
        let (score, with_ids, said) = bleu(hyp, reference, &[]);
        assert!((score - plain).abs() < 1e-12, "{hyp} {reference}");
        assert_eq!(with_ids, signature);
        assert!(said.contains("lines start with an id and a tab"), "{said}");
    }
    let (higher, ..) = bleu("na.hyp", "na.ref", &["--ids", "no"]);
    assert!(higher > plain);
    fs::write(folder.path().join("short.hyp"), "0\treturns the sum\n").unwrap();
    let output = run(folder.path(), &["metric", "bleu", "--hyp", "short.hyp", "--refs", "na.ref"]);
    assert_eq!(output.code, 3);
    assert!(output.err.contains("na.ref:2: id \"1\" is not in short.hyp"), "{}", output.err);
}

#[test]
fn real_answers_in_other_formats_score_the_same() {
    let Some(data) = real_data("real_answers_in_other_formats_score_the_same") else { return };
    let folder = tempdir().unwrap();
    let files =
        unpack(&data.join("model_outputs/qwen2.5-coder-1.5b-base.tar.zst"), "evalplus/humaneval");
    let results: Value = serde_json::from_slice(&files["generated_eval_results.json"]).unwrap();
    fs::write(folder.path().join("results.json"), results.to_string()).unwrap();
    let humaneval = data.join("humaneval").display().to_string();
    let score = |answers: &str| {
        let output =
            run(folder.path(), &["score", "humaneval", answers, "--data", &humaneval, "--json"]);
        assert_eq!(output.code, 0, "{output:?}");
        (metric(&json(&output), "pass@1"), output.err)
    };
    let (share, said) = score("results.json");
    assert!((share - 72.0 / 164.0).abs() < 1e-12, "{share}");
    assert!(said.contains("read as EvalPlus results, 164 problems"), "{said}");
    let keyed: serde_json::Map<String, Value> = results["eval"]
        .as_object()
        .unwrap()
        .iter()
        .map(|(name, samples)| (name.clone(), samples[0]["solution"].clone()))
        .collect();
    fs::write(folder.path().join("keyed.json"), Value::Object(keyed).to_string()).unwrap();
    assert!((score("keyed.json").0 - 72.0 / 164.0).abs() < 1e-12);
}

#[test]
fn real_answers_to_another_edition_are_told_which_one() {
    let Some(data) = real_data("real_answers_to_another_edition_are_told_which_one") else {
        return;
    };
    let folder = tempdir().unwrap();
    let files =
        unpack(&data.join("model_outputs/qwen2.5-coder-1.5b-base.tar.zst"), "evalplus/mbpp");
    fs::write(folder.path().join("generated.jsonl"), &files["generated.jsonl"]).unwrap();
    let plus = data.join("mbpp_plus/MbppPlus-v0.2.0.jsonl.gz").display().to_string();
    let output = run(folder.path(), &["score", "mbpp-plus", "generated.jsonl", "--data", &plus]);
    assert_eq!(output.code, 3, "{output:?}");
    let hint = "the answers name the 399 problems of MBPP+ v0.1.0, and the data is MBPP+ v0.2.0: name \
        MbppPlus-v0.1.0.jsonl.gz with --data";
    assert!(output.err.contains(hint), "{}", output.err);
}

#[test]
fn real_outputs_with_ids_score_as_without() {
    let Some(data) = real_data("real_outputs_with_ids_score_as_without") else { return };
    let folder = tempdir().unwrap();
    for language in ["Java", "Python", "Ruby"] {
        let files = unpack(&data.join("code_to_text/sample_1000_each.tar.zst"), language);
        let mut scores = Vec::new();
        for (name, bytes) in [("hyp", &files["result_10.output"]), ("ref", &files["final_1.gold"])]
        {
            fs::write(folder.path().join(name), bytes).unwrap();
            let text = String::from_utf8(bytes.clone()).unwrap();
            let plain: String = text
                .lines()
                .map(|line| format!("{}\n", line.split_once('\t').map_or("", |(_, text)| text)))
                .collect();
            fs::write(folder.path().join(format!("{name}.plain")), plain).unwrap();
        }
        for (hyp, reference) in [("hyp", "ref"), ("hyp.plain", "ref.plain"), ("hyp", "ref.plain")] {
            let arguments = [
                "metric",
                "bleu",
                "--variant",
                "codexglue-c2t",
                "--json",
                "--hyp",
                hyp,
                "--refs",
                reference,
            ];
            scores.push(json(&run(folder.path(), &arguments))["score"].as_f64().unwrap());
        }
        assert!(
            scores.iter().all(|score| (score - scores[0]).abs() < 1e-9),
            "{language}: {scores:?}"
        );
    }
}
