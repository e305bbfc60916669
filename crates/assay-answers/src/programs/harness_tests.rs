//! Logs of lm-evaluation-harness and inspect, and BigCode's references, in the forms that these tools write.

use std::fs;
use std::io::Write as _;

use assay_core::{Cancel, Selection};
use serde_json::{Value, json};

use crate::tests::{few, summarize};
use crate::{AnswerFile, AnswerSource};

fn read_with(text: &str, key: Option<&str>) -> AnswerFile {
    let (cancel, chosen, problems) = (Cancel::new(), Selection::all(3), few(3));
    let mut bytes = text.as_bytes();
    AnswerFile::read_chosen(&cancel, &mut bytes, "log", &problems, &chosen, key).unwrap()
}

fn check(text: &str, key: Option<&str>, expected: &[&str], read_as: &str) {
    let file = read_with(text, key);
    assert!(file.faults.is_empty(), "{text}: {}", file.faults.refuse("log"));
    assert_eq!(summarize(&file), expected, "{text}");
    assert_eq!(file.read_as.as_deref().unwrap_or_default(), read_as, "{text}");
    assert!(file.answers.iter().all(|answer| !answer.is_settled), "{text}");
}

fn refused(text: &str, key: Option<&str>, message: &str) {
    let file = read_with(text, key);
    let error = file.faults.refuse("log");
    let said = format!("{error} {}", error.hint_text().unwrap_or_default());
    assert!(!file.faults.is_empty() && said.contains(message), "{text}: {said}");
}

/// A line as lm-evaluation-harness 0.4 writes it.
fn lm_eval(problem: &str, filter: &str, changed: &Value) -> String {
    let mut line = json!({
        "doc_id": 7,
        "doc": {
            "task_id": problem, "prompt": "def f():\n", "canonical_solution": "    return 1\n",
            "test": "def check(candidate): pass", "entry_point": "f", "code": "own", "test_list": ["assert f"],
        },
        "target": "def check(candidate): pass\ncheck(f)",
        "arguments": {"gen_args_0": {"arg_0": "def f():\n", "arg_1": {"until": ["\ndef"], "do_sample": false}}},
        "resps": [["r"]],
        "filtered_resps": [["whole"]],
        "filter": filter,
        "metrics": ["pass@1"],
        "doc_hash": "a", "prompt_hash": "b", "target_hash": "c",
        "pass@1": 0.0,
    });
    for (key, value) in changed.as_object().unwrap() {
        line[key] = value.clone();
    }
    line.to_string() + "\n"
}

const FILTERED: &str = "\"filtered_resps\" of lm-evaluation-harness";
const REPLIES: &str = "\"resps\" of lm-evaluation-harness";

#[test]
fn lines_of_lm_eval_are_read() {
    let line = |changed: Value| lm_eval("P/1", "create_test", &changed);
    check(&line(json!({})), None, &["1.0=text:whole"], FILTERED);
    check(&line(json!({})), Some("resps"), &["1.0=text:r"], REPLIES);
    // A filter that takes the first reply leaves no list; repetitions are samples.
    check(&line(json!({"filtered_resps": ["one"]})), None, &["1.0=text:one"], FILTERED);
    let several = line(json!({"filtered_resps": [["a", "b"]], "resps": [["c", "d"]]}));
    check(&several, None, &["1.0=text:a", "1.1=text:b"], FILTERED);
    check(&several, Some("resps"), &["1.0=text:c", "1.1=text:d"], REPLIES);
    // Earlier versions: arguments as a list, no filtered replies, all lines in one array.
    let old = json!({"arguments": [["def f():\n", {"until": []}]], "filtered_resps": null});
    check(&line(old), None, &["1.0=text:r"], REPLIES);
    check(&format!("[{}]", line(json!({}))), None, &["1.0=text:whole"], FILTERED);
}

#[test]
fn the_lines_of_other_filters_are_the_same_replies() {
    let lines: String = ["P/0", "P/2"]
        .iter()
        .flat_map(|problem| ["strict", "flexible"].map(|filter| (problem, filter)))
        .map(|(problem, filter)| lm_eval(problem, filter, &json!({"filtered_resps": [filter]})))
        .collect();
    let read_as = format!("{FILTERED} (filter \"strict\", the first of several)");
    check(&lines, None, &["0.0=text:strict", "2.0=text:strict"], &read_as);
}

#[test]
fn lines_of_lm_eval_without_programs_are_refused() {
    let line = |changed: Value| lm_eval("P/1", "none", &changed);
    let likelihood = json!({"arguments": {"gen_args_0": {"arg_0": "Is it?", "arg_1": " yes"}}});
    refused(&line(likelihood), None, "likelihoods of given answers");
    refused(&line(json!({"arguments": [["Is it?", " yes"]]})), None, "likelihoods");
    refused(&line(json!({"filtered_resps": [1]})), None, "something else than texts");
    refused(&line(json!({})), Some("target"), "--key takes \"filtered_resps\" or \"resps\"");
    refused(&line(json!({"doc": {"question": "?"}})), None, "names no problem");
    refused(&lm_eval("P/9", "none", &json!({})), None, "P/9");
}

/// A sample as inspect 0.3 logs it.
fn sample(id: &Value, epoch: u32, contents: &[Value]) -> Value {
    let choice = |content: &Value| json!({"message": {"id": "x", "content": content, "source": "generate", "role": "assistant"}, "stop_reason": "stop"});
    let choices: Vec<Value> = contents.iter().map(choice).collect();
    json!({
        "id": id, "epoch": epoch, "input": "complete f", "target": "t",
        "messages": [{"role": "user", "content": "complete f"}],
        "output": {"model": "m", "choices": choices, "completion": contents.first().unwrap_or(&json!(""))},
        "scores": {"verify": {"value": "C", "answer": "not this one"}},
        "metadata": {"entry_point": "f"},
        "events": [{"event": "model", "output": {"completion": "not this one"}}],
    })
}

fn log(samples: &[Value]) -> String {
    let samples = serde_json::to_string_pretty(samples).unwrap();
    format!(
        "{{\n  \"version\": 2,\n  \"status\": \"success\",\n  \"eval\": {{}},\n  \"samples\": {samples}\n}}"
    )
}

const INSPECT: &str = "an inspect log";

#[test]
fn logs_of_inspect_are_read() {
    let of = |id: &str, epoch, text: &str| sample(&json!(id), epoch, &[json!(text)]);
    let epochs = log(&[of("P/1", 2, "b"), of("P/1", 1, "a"), of("P/0", 1, "c")]);
    check(&epochs, None, &["0.0=text:c", "1.0=text:a", "1.1=text:b"], INSPECT);
    let choices = log(&[sample(&json!("P/1"), 1, &[json!("a"), json!("b")])]);
    check(&choices, None, &["1.0=text:a", "1.1=text:b"], INSPECT);
    let parts = json!([{"type": "reasoning", "reasoning": "so"}, {"type": "text", "text": "a"}]);
    check(&log(&[sample(&json!("P/1"), 1, &[parts])]), None, &["1.0=text:a"], INSPECT);
    let mut named = sample(&json!(1), 1, &[json!("a")]);
    named["metadata"]["task_id"] = json!("P/2");
    check(&log(&[named]), None, &["2.0=text:a"], INSPECT);
    let mut old = sample(&json!("P/1"), 1, &[]);
    old["output"]["completion"] = json!("a");
    check(&log(&[old]), None, &["1.0=text:a"], INSPECT);
}

#[test]
fn a_sample_of_inspect_that_failed_has_no_answer() {
    let mut failed = sample(&json!("P/1"), 1, &[]);
    failed["error"] = json!({"message": "ConnectionError: refused\nmore"});
    let file = read_with(&log(&[failed, sample(&json!("P/0"), 1, &[json!("a")])]), None);
    assert!(file.faults.is_empty());
    let said = summarize(&file);
    assert_eq!(said[0], "0.0=text:a");
    assert!(said[1].contains("Crashed") && said[1].contains("refused\""), "{said:?}");
}

#[test]
fn a_place_in_a_log_is_no_name() {
    refused(&log(&[sample(&json!(1), 1, &[json!("a")])]), None, "its place in the log");
    refused(&log(&[]), None, "the log holds no samples");
    refused(r#"{"version": 2, "status": "started", "samples": null}"#, None, "no samples");
    refused(r#"{"version": 2, "samples": [{"epoch": 1}]}"#, None, "id");
    refused(&log(&[sample(&json!("P/9"), 1, &[json!("a")])]), None, "P/9");
}

#[test]
fn archives_of_inspect_are_read_with_either_packing() {
    for method in [zip::CompressionMethod::Zstd, zip::CompressionMethod::Deflated] {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("log.eval");
        let mut zip = zip::ZipWriter::new(fs::File::create(&path).unwrap());
        let options = zip::write::SimpleFileOptions::default().compression_method(method);
        let mut put = |name: &str, content: Value| {
            zip.start_file(name, options).unwrap();
            zip.write_all(content.to_string().as_bytes()).unwrap();
        };
        put("_journal/start.json", json!({"version": 2}));
        for epoch in [10, 2] {
            let said = json!(format!("epoch {epoch}"));
            put(&format!("samples/P/1_epoch_{epoch}.json"), sample(&json!("P/1"), epoch, &[said]));
        }
        put("summaries.json", json!([]));
        put("header.json", json!({"version": 2}));
        zip.finish().unwrap();
        let source = AnswerSource::open(&path).unwrap();
        let file = source.read(&Cancel::new(), &few(3)).unwrap();
        assert!(file.faults.is_empty(), "{}", file.faults.refuse("log"));
        assert_eq!(summarize(&file), ["1.0=text:epoch 2", "1.1=text:epoch 10"]);
    }
}

#[test]
fn references_of_bigcode_are_no_answers() {
    let humaneval = "\n\n\ndef check(candidate):\n    assert candidate(1) == 2\n\n\ncheck(f)";
    let mbpp = "assert f(1) == 2\nassert f(2) == 3";
    for tests in [humaneval, mbpp] {
        refused(&json!([tests, tests]).to_string(), None, "holds tests and no programs");
        refused(&json!([tests]).to_string(), None, "give generations.json");
    }
    let programs = json!([["assert f(1) == 2"], ["x = 1"]]).to_string();
    assert_eq!(summarize(&read_with(&programs, None)).len(), 2, "a program may be anything");
}
