//! `assay metric`: all forms of input and output, and all errors.

mod common;

use std::fs;
use std::io::{Read, Write};
use std::path::Path;
use std::process::Stdio;

use common::{CommandOutput, assay, feed, json, run};
use tempfile::TempDir;

/// A folder with these files.
fn folder(files: &[(&str, &str)]) -> TempDir {
    let scratch = tempfile::tempdir().expect("a folder can be made");
    for (name, text) in files {
        fs::write(scratch.path().join(name), text).expect("a file can be written");
    }
    scratch
}

/// The exact match of each pair: its id and the result.
fn exact(folder: &Path, arguments: &[&str]) -> String {
    let all = [&["metric", "exact", "--per-pair"], arguments].concat();
    let output = run(folder, &all);
    assert_eq!(output.code, 0, "{all:?}: {output:?}");
    let rows = output.out.lines().skip(1).map(|row| {
        let cells: Vec<&str> = row.split('\t').collect();
        format!("{}:{} ", cells[0], cells[1])
    });
    rows.collect::<String>().trim_end().to_owned()
}

/// The score of a summary: its first part, after the fields that every summary has.
fn score(summary: &serde_json::Value, name: &str) -> f64 {
    summary[name].as_f64().unwrap_or_else(|| panic!("no {name} in {summary}"))
}

#[test]
fn the_summary_is_for_people_and_for_machines() {
    let keep = folder(&[("ref", "a b\nc\nd\n"), ("hyp", "a b\nx\nd")]);
    let arguments = ["metric", "exact", "--refs", "ref", "--hyp", "hyp"];
    let output = run(keep.path(), &arguments);
    assert_eq!((output.code, output.err.as_str()), (0, ""), "{output:?}");
    assert!(output.out.starts_with("exact (trimmed) on 3 pairs\n"), "{}", output.out);
    assert!(output.out.contains("0.6667"), "{}", output.out);
    let output = run(keep.path(), &[&arguments[..], &["--json"]].concat());
    let summary = json(&output);
    assert_eq!((&summary["metric"], &summary["variant"]), (&"exact".into(), &"trimmed".into()));
    assert_eq!(summary["n"], 3);
    assert!((score(&summary, "score") - 2.0 / 3.0).abs() < 1e-15, "{summary}");
    assert!(output.out.starts_with(r#"{"metric":"exact","variant":"trimmed","n":3,"signature":""#));
    assert!(!summary["signature"].as_str().unwrap().is_empty());
    assert_eq!(output.out.lines().count(), 1);
}

#[test]
fn the_rows_are_data_and_the_summary_is_talk() {
    let keep = folder(&[("ref", "a\nb\n"), ("hyp", "a\nx\n")]);
    let arguments = ["metric", "exact", "--ref", "ref", "--hyp", "hyp", "--per-pair"];
    let output = run(keep.path(), &arguments);
    let rows: Vec<&str> = output.out.lines().collect();
    assert_eq!(rows.len(), 3, "{output:?}");
    assert!(rows[0].starts_with("id\tscore"), "{output:?}");
    assert!(rows[1].starts_with("1\t1.0") && rows[2].starts_with("2\t0.0"), "{output:?}");
    assert!(output.err.starts_with("exact 0.5 on 2 pairs\nsignature: "), "{output:?}");
    let output = run(keep.path(), &[&arguments[..], &["--json"]].concat());
    assert!(output.out.starts_with("{\"id\":1,\"score\":1.0"), "{output:?}");
    assert_eq!((output.out.lines().count(), output.err.as_str()), (2, ""));
}

#[test]
fn a_line_ends_at_a_line_feed_and_nowhere_else() {
    let keep = folder(&[
        ("ref", "a\rb\n\u{2028}c\u{85}x\nd\r\n\n"),
        ("hyp", "a\rb\n\u{2028}c\u{85}x\nd\n\n"),
    ]);
    let arguments = ["--refs", "ref", "--hyp", "hyp"];
    assert_eq!(exact(keep.path(), &arguments), "1:1.0 2:1.0 3:1.0 4:1.0");
}

#[test]
fn several_files_of_references_are_several_references() {
    let keep = folder(&[
        ("one", "a\nb\nc\n"),
        ("two", "x\ny\nz\n"),
        ("more.jsonl", "[\"q\"]\n[\"q\",\"h\"]\n\"h\"\n"),
        ("hyp", "x\nb\nh\n"),
    ]);
    let expected = "1:1.0 2:1.0 3:0.0";
    assert_eq!(exact(keep.path(), &["--refs", "one", "two", "--hyp", "hyp"]), expected);
    assert_eq!(exact(keep.path(), &["--hyp", "hyp", "--ref", "one", "--ref", "two"]), expected);
    let all = ["--references", "one", "two", "more.jsonl", "--hypotheses", "hyp"];
    assert_eq!(exact(keep.path(), &all), "1:1.0 2:1.0 3:1.0");
}

#[test]
fn json_lines_hold_texts_arrays_and_objects() {
    let hyp = "\"a\"\n{\"hyp\":\"b\"}\n{\"hypothesis\":\"c\"}\n{\"prediction\":\"d\"}\n\
        {\"text\":\"e\"}\n{\"code\":\"f\"}\n\"g\"\n";
    let refs = "[\"x\",\"a\"]\n{\"refs\":[\"b\"]}\n{\"references\":[\"c\",\"x\"]}\n{\"ref\":\"d\"}\n\
        {\"reference\":\"e\"}\n{\"text\":\"f\"}\n{\"code\":\"g\"}\n";
    let keep = folder(&[("hyp.jsonl", hyp), ("ref.ndjson", refs)]);
    let all = "1:1.0 2:1.0 3:1.0 4:1.0 5:1.0 6:1.0 7:1.0";
    assert_eq!(exact(keep.path(), &["--hyp", "hyp.jsonl", "--refs", "ref.ndjson"]), all);
    // AVATAR names the field after the language.
    let keep = folder(&[
        ("hyp.txt", "print(1)\nx\n"),
        ("test.jsonl", "{\"java\":[\"j\"],\"python\":[\"print(1)\"]}\n{\"python\":[\"y\"]}\n"),
    ]);
    let files = ["--hyp", "hyp.txt", "--refs", "test.jsonl"];
    let expected = "1:1.0 2:0.0";
    assert_eq!(exact(keep.path(), &[&files[..], &["--lang", "python"]].concat()), expected);
    assert_eq!(exact(keep.path(), &[&files[..], &["--key", "python"]].concat()), expected);
}

#[test]
fn a_document_is_an_array_or_is_joined_by_key() {
    let keep = folder(&[
        ("hyp.json", "[\"a\", {\"code\": \"b\"},\n\"c\"]\n"),
        ("ref.json", "[[\"x\", \"a\"], \"b\", {\"refs\": [\"d\"]}]"),
        ("keys_hyp.json", "{\"9\": \"a\", \"two\\t\": \"x\", \"1\": \"c\"}"),
        ("keys_ref.json", "{\"1\": \"c\", \"9\": [\"b\", \"a\"], \"two\\t\": {\"text\": \"y\"}}"),
    ]);
    let check = |hyp: &str, refs: &str, expected: &str| {
        assert_eq!(exact(keep.path(), &["--hyp", hyp, "--refs", refs]), expected);
    };
    check("hyp.json", "ref.json", "1:1.0 2:1.0 3:0.0");
    check("keys_hyp.json", "keys_ref.json", "1:1.0 9:1.0 two\\t:0.0");
}

#[test]
fn pairs_stand_together() {
    let pairs = "{\"id\":\"q\",\"refs\":[\"a\",\"b\"],\"hyp\":\"b\"}\n\
        {\"hyp\":\"y\",\"ref\":\"x\",\"id\":7}\n\
        {\"refs\":[\"z\"],\"hyp\":\"z\",\"more\":{\"id\":1}}\n";
    let keep = folder(&[("pairs.jsonl", pairs)]);
    assert_eq!(exact(keep.path(), &["--pairs", "pairs.jsonl"]), "q:1.0 7:0.0 3:1.0");
    let output =
        feed(keep.path(), &["metric", "exact", "--pairs", "-", "--per-pair", "--json"], pairs);
    let ids: Vec<serde_json::Value> = output
        .out
        .lines()
        .map(|line| serde_json::from_str::<serde_json::Value>(line).unwrap()["id"].clone())
        .collect();
    assert_eq!(ids, [serde_json::json!("q"), 7.into(), 3.into()], "{output:?}");
}

#[test]
fn one_file_may_be_standard_input_in_any_format() {
    let keep = folder(&[("ref", "a\nb\n")]);
    let check = |format: &str, input: &str| {
        let arguments =
            ["metric", "exact", "--hyp", "-", "--refs", "ref", "--format", format, "--json"];
        let references = if format == "lines" { "a\nb\n" } else { "[\"a\",\"b\"]" };
        let references = if format == "jsonl" { "\"a\"\n\"b\"\n" } else { references };
        fs::write(keep.path().join("ref"), references).unwrap();
        let output = feed(keep.path(), &arguments, input);
        assert!((score(&json(&output), "score") - 0.5).abs() < 1e-15, "{output:?}");
    };
    check("lines", "a\nx");
    check("jsonl", "\"a\"\n{\"hyp\":\"x\"}\n");
    check("json", " [ \"a\" , \"x\" ] ");
    let output = run(keep.path(), &["metric", "exact", "--hyp", "-", "--refs", "-"]);
    assert_eq!(output.code, 2);
    assert!(output.err.contains("standard input can be read only once"), "{}", output.err);
}

#[test]
fn threads_change_nothing() {
    let text = |step: usize| (0..5000).map(|n| format!("line {}\n", n - n % step)).collect();
    let (hyp, refs): (String, String) = (text(2), text(3));
    let keep = folder(&[("hyp", &hyp), ("ref", &refs)]);
    let of = |jobs: &str| {
        let files = ["--hyp", "hyp", "--refs", "ref", "--per-pair", "--json", "-j", jobs];
        let output = run(keep.path(), &[&["metric", "exact"], &files[..]].concat());
        assert_eq!(output.code, 0, "{output:?}");
        output.out
    };
    let alone = of("1");
    assert_eq!(alone.lines().count(), 5000);
    assert!(alone.lines().last().unwrap().starts_with("{\"id\":5000,"));
    // 0 means one per core, and too large a number is reduced.
    for jobs in ["0", "7", "4096"] {
        assert_eq!(of(jobs), alone, "{jobs}");
    }
}

#[test]
fn a_very_long_line_is_a_line() {
    let long = "x".repeat(9 << 20);
    let keep = folder(&[("hyp", &format!("a\n{long}\nb")), ("ref", &format!("a\n{long}\nc"))]);
    assert_eq!(exact(keep.path(), &["--hyp", "hyp", "--refs", "ref"]), "1:1.0 2:1.0 3:0.0");
}

/// Checks that files with these texts are refused with this message and a hint.
fn refused(files: &[(&str, &str)], arguments: &[&str], message: &str) -> CommandOutput {
    let keep = folder(files);
    let output = run(keep.path(), &[&["metric", "exact", "--json"], arguments].concat());
    assert_eq!(output.code, 3, "{output:?}");
    assert_eq!(output.out, "", "there is no summary");
    assert!(output.err.starts_with(&format!("error: {message}\n")), "{message}: {}", output.err);
    assert!(output.err.contains("\nhint: "), "{}", output.err);
    output
}

#[test]
fn files_that_do_not_fit_are_refused() {
    let plain = ["--hyp", "hyp", "--refs", "ref"];
    let check = |hyp: &str, refs: &str, message: &str| {
        refused(&[("hyp", hyp), ("ref", refs)], &plain, message);
    };
    check("a\nb\n", "a\n", "ref has 1 text and hyp has 2 texts: hyp:2 has no partner");
    check("a\n", "a\nb\n\nc", "hyp has 1 text and ref has 4 texts: ref:2 has no partner");
    check("", "", "there are no texts in hyp and ref");
    refused(
        &[("hyp", "a\nb\nc\n"), ("ref", "a\nb\nc\n"), ("ref2", "a\n")],
        &["--hyp", "hyp", "--refs", "ref", "ref2"],
        "ref2 has 1 text and ref has 3 texts: ref:2 has no partner",
    );
    let documents = ["--hyp", "hyp.json", "--refs", "ref.json"];
    let check = |hyp: &str, refs: &str, message: &str| {
        refused(&[("hyp.json", hyp), ("ref.json", refs)], &documents, message);
    };
    check(
        "[\"a\"]",
        "[\"a\",\n\"b\"]",
        "hyp.json has 1 text and ref.json has 2 texts: ref.json:2 has no partner",
    );
    check("{\"a\":\"\"}", "[\"a\"]", "hyp.json has keys and ref.json has none");
    check("{\"a\":\"\"}", "{\"a\":\"\",\n\"b\":\"\"}", "ref.json:2: key \"b\" is not in hyp.json");
    check("{\"b\":\"\",\n\"a\":\"\"}", "{\"a\":\"\"}", "hyp.json:1: key \"b\" is not in ref.json");
    check(
        "{\"x\":\"\",\"d\":\"\",\"b\":\"\",\"c\":\"\",\"a\":\"\"}",
        "{\"a\":\"\"}",
        "hyp.json:1: key \"x\" is not in ref.json",
    );
    check("{\"a\":\"\",\n\"a\":\"\"}", "{\"a\":\"\"}", "hyp.json:2: key \"a\" is there twice");
    check("{\"a\":\"\"}", "{\"a\":\"\",\n\"a\":\"\"}", "ref.json:2: key \"a\" is there twice");
    check("{}", "{}", "there are no texts in hyp.json and ref.json");
}

#[test]
fn values_that_are_no_texts_are_refused() {
    let check = |hyp: &str, refs: &str, more: &[&str], message: &str| {
        let files = ["--hyp", "hyp.jsonl", "--refs", "ref.jsonl"];
        let arguments = [&files[..], more].concat();
        refused(&[("hyp.jsonl", hyp), ("ref.jsonl", refs)], &arguments, message);
    };
    let object = "{\"x\":\"a\",\"y\":1}";
    check(
        object,
        "\"a\"",
        &[],
        "hyp.jsonl:1: the object has none of the keys \"hyp\", \"hypothesis\", \"prediction\", \"text\", \"code\"",
    );
    check(object, object, &["--key", "z"], "hyp.jsonl:1: the object has no key \"z\"");
    check(
        object,
        object,
        &["--key", "y"],
        "hyp.jsonl:1: key \"y\": a number, where a text is expected",
    );
    check("null", "\"a\"", &[], "hyp.jsonl:1: null, where a text is expected");
    check("[\"a\",\"b\"]", "\"a\"", &[], "hyp.jsonl:1: an array, where one text is expected");
    check("\"a\"", "[]", &[], "ref.jsonl:1: an empty array, where references are expected");
    check(
        "\"a\"",
        "[\"a\",true]",
        &[],
        "ref.jsonl:1: item 2 of the array is true or false, not a text",
    );
    check(
        "\"a\"",
        "{\"refs\":{}}",
        &[],
        "ref.jsonl:1: key \"refs\": an object, where a text is expected",
    );
    check("\"a\"\n\n", "\"a\"\n\"b\"", &[], "hyp.jsonl:2: the line is empty");
    check("\"a\"\n{\"a\": b}", "\"a\"\n\"b\"", &[], "hyp.jsonl:2:7: not JSON: expected value");
}

#[test]
fn pairs_that_are_none_are_refused() {
    let check = |pairs: &str, message: &str| {
        refused(&[("p.jsonl", pairs)], &["--pairs", "p.jsonl"], message);
    };
    let good = "{\"refs\":[\"a\"],\"hyp\":\"a\"}\n";
    check("", "there are no texts in p.jsonl");
    check("[\"a\"]", "p.jsonl:1: an array, where a pair is expected");
    check(
        "{\"hyp\":\"a\"}",
        "p.jsonl:1: the object has none of the keys \"refs\", \"references\", \"ref\", \"reference\"",
    );
    check(
        &format!("{good}{{\"ref\":\"a\"}}"),
        "p.jsonl:2: the object has none of the keys \"hyp\", \"hypothesis\", \"prediction\"",
    );
    check(
        "{\"refs\":[],\"hyp\":\"a\"}",
        "p.jsonl:1: key \"refs\": an empty array, where references are expected",
    );
    check(
        "{\"refs\":[1],\"hyp\":\"a\"}",
        "p.jsonl:1: key \"refs\": item 1 of the array is a number, not a text",
    );
    check(
        "{\"refs\":[\"a\"],\"hyp\":[\"a\"]}",
        "p.jsonl:1: key \"hyp\": an array, where one text is expected",
    );
    check(
        "{\"refs\":[\"a\"],\"ref\":\"a\",\"hyp\":\"a\"}",
        "p.jsonl:1: there are \"refs\" and \"ref\"",
    );
    check(
        "{\"id\":[],\"ref\":\"a\",\"hyp\":\"a\"}",
        "p.jsonl:1: key \"id\": an array, where an id is expected",
    );
    check(
        "{\"ref\":\"\\ud800\",\"hyp\":\"a\"}",
        "p.jsonl:1:15: not JSON: unexpected end of hex escape",
    );
}

#[test]
fn what_was_read_before_a_mistake_is_printed() {
    let good: String =
        (0..700).map(|n| format!("{{\"id\":{n},\"ref\":\"a\",\"hyp\":\"a\"}}\n")).collect();
    let keep = folder(&[("p.jsonl", &format!("{good}{{\"id\":1}}\n{good}"))]);
    for format in [&["--json"][..], &[]] {
        let arguments = ["metric", "exact", "--pairs", "p.jsonl", "--per-pair"];
        let output = run(keep.path(), &[&arguments[..], format].concat());
        assert_eq!(output.code, 3);
        assert_eq!(output.out.lines().filter(|line| !line.starts_with("id")).count(), 700);
        assert!(output.err.starts_with("error: p.jsonl:701: "), "{}", output.err);
        assert!(!output.err.contains("pairs\n"), "there is no summary: {}", output.err);
    }
}

#[test]
fn bytes_that_are_no_text_are_refused() {
    let keep = folder(&[("ref", "a\nb\n"), ("ref.jsonl", "\"a\"\n\"b\"\n")]);
    fs::write(keep.path().join("hyp"), b"a\nb\xc3(\n").unwrap();
    fs::write(keep.path().join("hyp.jsonl"), b"\"a\"\n\"\xff\"\n").unwrap();
    for (hyp, refs, message) in [
        ("hyp", "ref", "hyp:2: not UTF-8 at byte 2 of the line"),
        ("hyp.jsonl", "ref.jsonl", "hyp.jsonl:2: not UTF-8 at byte 2 of the line"),
    ] {
        let output = run(keep.path(), &["metric", "exact", "--hyp", hyp, "--refs", refs]);
        assert_eq!((output.code, output.out.as_str()), (3, ""));
        assert!(
            output.err.contains(message) && output.err.contains("hint: convert"),
            "{}",
            output.err
        );
    }
    fs::write(keep.path().join("hyp.gz"), "not packed").unwrap();
    let output = run(keep.path(), &["metric", "exact", "--hyp", "hyp.gz", "--refs", "ref"]);
    assert_eq!(output.code, 3);
    assert!(output.err.contains("hyp.gz is not a sound compressed file"), "{}", output.err);
}

#[test]
fn mistakes_in_the_call_are_explained() {
    let keep = folder(&[("ref", "a\n"), ("hyp", "a\n"), ("p.jsonl", "")]);
    fs::create_dir(keep.path().join("folder")).unwrap();
    let check = |arguments: &[&str], code: i32, message: &str| {
        let output = run(keep.path(), &[&["metric"], arguments].concat());
        assert_eq!((output.code, output.out.as_str()), (code, ""), "{output:?}");
        assert!(output.err.contains(message), "{arguments:?}: {}", output.err);
    };
    let with = |more: &[&'static str]| [&["--refs", "ref", "--hyp", "hyp"], more].concat();
    check(&["exact", "--refs", "folder", "--hyp", "hyp"], 3, "folder is a folder");
    check(&["exact", "--refs", "ref", "--hyp", "gone"], 3, "failed to open gone");
    check(&["exact", "--refs", "ref"], 2, "--hyp <FILE>");
    check(&["exact", "--hyp", "hyp"], 2, "--refs <FILE>");
    check(&["exact"], 2, "--pairs <FILE>");
    check(&[&["exact", "--pairs", "p.jsonl"], &with(&[])[..]].concat(), 2, "cannot be used with");
    check(&[&["exact"], &with(&["--variant", "near"])[..]].concat(), 2, "possible values: trimmed");
    check(&[&["codebleu"], &with(&[])[..]].concat(), 2, "give --lang with one of ");
    let languages = "the languages are java, ";
    check(&[&["codebleu"], &with(&["--lang", "cobol"])[..]].concat(), 2, languages);
    for weights in ["1,2,3", "1,2,3,x", "1,2,3,-1", "1,2,3,inf", "nan,1,1,1", "1,2,3,4,5", ""] {
        let name = if weights.len() % 2 == 0 { "--params" } else { "--weights" };
        let given = format!("{name}={weights}");
        let arguments = ["codebleu", "--lang", "java", &given, "--refs", "ref", "--hyp", "hyp"];
        check(&arguments, 2, "four numbers");
    }
    let option = ["--variant", "hf", "--tokenizer", "char"];
    check(&[&["bleu"], &with(&option)[..]].concat(), 2, "has no tokenizer `char`");
    check(&[&["bleu"], &with(&option)[..]].concat(), 2, "hint: it has 13a");
    for (metric, option) in [("bleu", "--max-order"), ("chrf", "--char-order")] {
        let option = [option, "17"];
        check(&[&[metric], &with(&option)[..]].concat(), 2, "17 is not in 1..=16");
    }
    let option = ["--variant", "nmt", "--lowercase"];
    check(&[&["bleu"], &with(&option)[..]].concat(), 2, "a variant that has it: sacrebleu");
}

#[test]
fn help_and_the_list_show_every_metric() {
    let here = Path::new("/");
    let output = run(here, &["metric"]);
    assert_eq!(output.code, 2);
    assert!(output.err.contains("Examples:\n  assay metric bleu"), "{}", output.err);
    let listed = json(&run(here, &["metric", "list", "--json"]));
    for metric in ["bleu", "codebleu", "chrf", "exact"] {
        let output = run(here, &["metric", metric, "--help"]);
        assert!(output.out.contains("Examples:"), "{metric} has no examples");
        assert!(output.out.contains("\nTexts:\n"), "{}", output.out);
        assert!(listed.as_array().unwrap().iter().any(|it| it["metric"] == metric));
        assert!(run(here, &["metric", "list"]).out.contains(&format!("\n{metric} ")));
    }
}

#[test]
fn whoever_has_read_enough_may_go() {
    let line = "{\"ref\":\"a\",\"hyp\":\"a\"}\n".repeat(100_000);
    let keep = folder(&[("p.jsonl", &line)]);
    let mut child = assay(keep.path())
        .args(["metric", "exact", "--pairs", "p.jsonl", "--per-pair"])
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let mut first = [0; 10];
    child.stdout.take().unwrap().read_exact(&mut first).unwrap();
    let output = CommandOutput::from(child.wait_with_output().unwrap());
    assert_eq!((output.code, output.err.as_str()), (0, ""));
}

#[test]
fn an_interrupt_ends_it_even_while_nothing_comes() {
    let keep = folder(&[]);
    let mut child = assay(keep.path())
        .args(["metric", "exact", "--pairs", "-", "--per-pair", "--json"])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let mut input = child.stdin.take().unwrap();
    // More than a chunk, so that a printed row shows that work goes on.
    input.write_all("{\"ref\":\"a\",\"hyp\":\"a\"}\n".repeat(600).as_bytes()).unwrap();
    input.flush().unwrap();
    let mut out = child.stdout.take().unwrap();
    out.read_exact(&mut [0; 10]).unwrap();
    let process = rustix::process::Pid::from_child(&child);
    rustix::process::kill_process(process, rustix::process::Signal::INT).unwrap();
    let mut rest = Vec::new();
    out.read_to_end(&mut rest).unwrap();
    let output = CommandOutput::from(child.wait_with_output().unwrap());
    drop(input);
    let expected = "interrupted with 512 pairs measured; there is no score\n";
    assert_eq!((output.code, output.err.as_str()), (130, expected));
    assert!(rest.ends_with(b"}\n"), "no line is cut");
}
