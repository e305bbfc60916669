//! The figures of `assay metric`: weights, intervals, several files and several metrics.

mod common;

use std::fs;

use common::{CommandOutput, json, run};
use serde_json::{Value, json};
use tempfile::TempDir;

/// A folder with these files.
fn folder(files: &[(&str, &str)]) -> TempDir {
    let scratch = tempfile::tempdir().expect("a folder can be made");
    for (name, text) in files {
        fs::write(scratch.path().join(name), text).expect("a file can be written");
    }
    scratch
}

/// Runs `assay metric` with these words in a folder.
fn metric(folder: &TempDir, line: &str) -> CommandOutput {
    let words = shlex::split(line).expect("words");
    let words: Vec<&str> = words.iter().map(String::as_str).collect();
    run(folder.path(), &[&["metric"], &words[..]].concat())
}

#[test]
fn weights_are_divided_by_their_sum() {
    let keep = folder(&[("ref", "int x = f(y);\n"), ("hyp", "int x = g(y);\n")]);
    let line = "codebleu --lang java --refs ref --hyp hyp --json";
    let [equal, ones] = ["0.25,0.25,0.25,0.25", "1,1,1,1"]
        .map(|weights| metric(&keep, &format!("{line} --weights {weights}")));
    assert_eq!(json(&equal), json(&ones), "score and signature are the same");
    assert_eq!(equal.err, "");
    assert_eq!(
        ones.err,
        "note: the weights 1,1,1,1 do not add up to 1: 0.25,0.25,0.25,0.25 are used\n"
    );
    for wrong in ["0,0,0,0", "1,1,1,-1", "nan,1,1,1"] {
        let output = metric(&keep, &format!("{line} --weights={wrong}"));
        assert_eq!((output.code, output.out.as_str()), (2, ""), "{wrong}: {output:?}");
    }
}

/// The number called `name` in an object.
fn number(object: &Value, name: &str) -> f64 {
    object[name].as_f64().unwrap_or_else(|| panic!("no {name} in {object}"))
}

/// The lines of JSON that a call prints.
fn lines(output: &CommandOutput) -> Vec<Value> {
    assert_eq!(output.code, 0, "{output:?}");
    output.out.lines().map(|line| serde_json::from_str(line).expect("JSON")).collect()
}

/// References and the outputs of two systems, of which the second is better.
fn systems(n: usize) -> TempDir {
    let text = |wrong: fn(usize) -> bool| -> String {
        let line = |at: usize| {
            let end = if wrong(at) { "nothing of it at all" } else { "the sum of both values" };
            format!("returns for item {} {end} number {at}\n", at % 7)
        };
        (0..n).map(line).collect()
    };
    let keep = folder(&[]);
    for (name, wrong) in [
        ("ref", (|_| false) as fn(usize) -> bool),
        ("a", |at| at % 3 == 0),
        ("b", |at| at % 5 == 0),
    ] {
        fs::write(keep.path().join(name), text(wrong)).expect("a file can be written");
    }
    keep
}

#[test]
fn every_metric_and_variant_has_an_interval() {
    let keep = systems(40);
    let list = json(&run(keep.path(), &["metric", "list", "--json"]));
    for listed in list.as_array().unwrap() {
        let (name, variant) =
            (listed["metric"].as_str().unwrap(), listed["variant"].as_str().unwrap());
        let line = format!("{name} --variant {variant} --lang python --refs ref --hyp a --json");
        let line = if name == "codebleu" { line } else { line.replace("--lang python", "") };
        let summary = json(&metric(&keep, &line));
        let (low, score, high) =
            (number(&summary, "low"), number(&summary, "score"), number(&summary, "high"));
        assert!(low < score && score < high, "{summary}");
        let method = if name == "exact" { "wilson95" } else { "jackknife95" };
        assert_eq!((&summary["interval"], &summary["hyp"]), (&method.into(), &"a".into()));
        assert_eq!(summary.get("last_pair"), None);
    }
}

#[test]
fn shares_have_wilsons_interval() {
    // scipy.stats.binomtest(26, 40).proportion_ci(method="wilson"): (0.495059, 0.778655).
    let keep = systems(40);
    let summary = json(&metric(&keep, "exact --refs ref --hyp a --json"));
    assert!((number(&summary, "score") - 0.65).abs() < 1e-12);
    assert!((number(&summary, "low") - 0.495_059).abs() < 1e-6, "{summary}");
    assert!((number(&summary, "high") - 0.778_655).abs() < 1e-6, "{summary}");
    // The same for a corpus with more pairs than groups:
    // scipy.stats.binomtest(6666, 10000).proportion_ci(method="wilson"): (0.657298, 0.675774).
    let keep = systems(10_000);
    let summary = json(&metric(&keep, "exact --refs ref --hyp a --json"));
    assert!((number(&summary, "low") - 0.657_298).abs() < 1e-6, "{summary}");
    assert!((number(&summary, "high") - 0.675_774).abs() < 1e-6, "{summary}");
}

#[test]
fn the_last_pair_is_held_where_the_score_depends_on_it() {
    let keep = systems(40);
    for method in 0..8 {
        let line = format!("bleu --variant nltk --smoothing {method} --refs ref --hyp a b --json");
        let found = lines(&metric(&keep, &line));
        let rule = if method >= 5 { json!("fixed") } else { Value::Null };
        assert!(found.iter().all(|line| line["last_pair"] == rule), "{found:?}");
        assert!(found[1]["difference"]["p"].is_number(), "{found:?}");
    }
}

#[test]
fn systems_are_compared_with_the_first() {
    let keep = systems(200);
    let output = metric(&keep, "score all --lang python --refs ref --hyp a b ref --json");
    let found = lines(&output);
    assert_eq!(found.len(), 12);
    assert_eq!(found[0].get("difference"), None, "the first is the baseline");
    for (at, line) in found.iter().enumerate().skip(4) {
        let (baseline, difference) = (&found[at % 4], &line["difference"]);
        assert_eq!(line["metric"], baseline["metric"]);
        assert_eq!(difference["baseline"], "a");
        assert_eq!((&difference["resamples"], &difference["seed"]), (&json!(1000), &json!(0)));
        assert_eq!(difference["interval"], "paired-bootstrap95");
        assert_eq!(difference["test"], "approximate-randomization");
        let value = number(difference, "value");
        assert!((value - (number(line, "score") - number(baseline, "score"))).abs() < 1e-9);
        assert!(0.0 < number(difference, "low") && number(difference, "low") < value, "{line}");
        assert!(value < number(difference, "high"), "{line}");
        assert!(number(difference, "p") < 0.05, "{line}");
    }
    // The same pairs, so the interval of the difference is narrower than those of the scores.
    let width = |line: &Value| number(line, "high") - number(line, "low");
    assert!(width(&found[8]["difference"]) < width(&found[8]) + width(&found[0]));
    assert_eq!(
        lines(&metric(&keep, "bleu --refs ref --hyp b --json"))[0]["score"],
        found[4]["score"]
    );
}

#[test]
fn differences_depend_on_the_seed_and_on_nothing_else() {
    let keep = systems(200);
    let line = "score bleu exact --refs ref --hyp a b --json";
    let first = metric(&keep, line).out;
    for same in ["-j 1", "-j 3", "--seed 0", "--resamples 1000"] {
        assert_eq!(metric(&keep, &format!("{line} {same}")).out, first, "{same}");
    }
    let other = lines(&metric(&keep, &format!("{line} --seed 1 --resamples 2000")));
    let difference = |line: &Value, name: &str| number(&line["difference"], name);
    let first: Vec<Value> = first.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    assert_eq!((&other[2]["low"], &other[2]["high"]), (&first[2]["low"], &first[2]["high"]));
    assert_ne!(other[2]["difference"]["low"], first[2]["difference"]["low"]);
    assert!((difference(&other[2], "low") - difference(&first[2], "low")).abs() < 1.0);
    assert_eq!(other[2]["difference"]["resamples"], 2000);
}

#[test]
fn equal_systems_have_no_difference() {
    let keep = systems(50);
    fs::copy(keep.path().join("a"), keep.path().join("again")).unwrap();
    for line in lines(&metric(&keep, "score all --refs ref --hyp a again --json")).iter().skip(3) {
        let difference = &line["difference"];
        let numbers = ["value", "low", "high", "p"].map(|name| difference[name].clone());
        assert_eq!(numbers, [0.0, 0.0, 0.0, 1.0].map(Value::from), "{line}");
    }
}

#[test]
fn every_form_of_input_has_the_same_fields() {
    let pairs =
        "{\"refs\":[\"a b\"],\"hyp\":\"a b\"}\n{\"reference\":\"c\",\"prediction\":\"d\"}\n";
    let keep = folder(&[
        ("ref.txt", "a b\nc\n"),
        ("hyp.txt", "a b\nd\n"),
        ("ref.jsonl", "[\"a b\"]\n{\"reference\":\"c\"}\n"),
        ("hyp.jsonl", "{\"hyp\":\"a b\"}\n{\"prediction\":\"d\"}\n"),
        ("ref.json", "[\"a b\", \"c\"]"),
        ("hyp.json", "[\"a b\", \"d\"]"),
        ("pairs.jsonl", pairs),
    ]);
    let fields = |line: &Value| line.as_object().unwrap().keys().cloned().collect::<Vec<_>>();
    for name in ["bleu", "chrf", "exact", "codebleu"] {
        let mut seen = Vec::new();
        for input in [
            "--refs ref.txt --hyp hyp.txt",
            "--refs ref.jsonl --hyp hyp.jsonl",
            "--refs ref.json --hyp hyp.json",
            "--pairs pairs.jsonl",
        ] {
            let lang = if name == "codebleu" { "--lang java" } else { "" };
            let mut summary = json(&metric(&keep, &format!("{name} {lang} {input} --json")));
            assert!(fields(&summary).iter().any(|field| field == "score"), "{summary}");
            summary.as_object_mut().unwrap().remove("hyp");
            let rows = metric(&keep, &format!("{name} {lang} {input} --json --per-pair"));
            let rows = lines(&rows);
            assert!(rows.iter().all(|row| row["score"].is_number() && row["id"].is_number()));
            seen.push((summary, rows));
        }
        assert!(seen.windows(2).all(|two| two[0] == two[1]), "{seen:?}");
    }
}

#[test]
fn rows_of_several_name_their_system_and_metric() {
    let keep = folder(&[("ref", "a b\nc d\n"), ("x", "a b\nc\n"), ("y", "a\nc d\n")]);
    let call = "score exact bleu:variant=nmt --refs ref --hyp x y --per-pair";
    let output = metric(&keep, call);
    let expected = "id\thyp\tmetric\tscore\n1\tx\texact\t1.0\n1\tx\tbleu:variant=nmt\t100.0\n";
    assert!(output.out.starts_with(expected), "{output:?}");
    assert_eq!(output.out.lines().count(), 9);
    assert!(output.err.contains("y: exact 0.5 on 2 pairs\n"), "{output:?}");
    assert!(output.err.contains("difference to x: 0.0, 95 % interval "), "{output:?}");
    let rows = lines(&metric(&keep, &format!("{call} --json")));
    assert_eq!(rows.len(), 8);
    let names = ["hyp", "metric", "variant", "spec"].map(|name| rows[3][name].clone());
    assert_eq!(names, ["y", "bleu", "nmt", "bleu:variant=nmt"].map(Value::from));
    assert!((number(&rows[3], "score") - 36.787_944).abs() < 1e-4, "{}", rows[3]);
}

#[test]
fn files_of_pairs_may_hold_several_systems() {
    let pair = |id: u32, reference: &str, hyp: &str| {
        format!("{}\n", json!({"id": id, "refs": [reference], "hyp": hyp}))
    };
    let keep = folder(&[
        ("a.jsonl", &(pair(1, "a", "a") + &pair(2, "b", "c"))),
        ("b.jsonl", &(pair(1, "a", "a") + &pair(2, "b", "b"))),
        ("short.jsonl", &pair(1, "a", "x")),
        ("ids.jsonl", &(pair(1, "a", "a") + &pair(3, "b", "b"))),
        ("refs.jsonl", &(pair(1, "a", "a") + &pair(2, "x", "b"))),
    ]);
    let found = lines(&metric(&keep, "exact --pairs a.jsonl b.jsonl --json"));
    let scores: Vec<&Value> = found.iter().map(|line| &line["score"]).collect();
    assert_eq!(scores, [&Value::from(0.5), &Value::from(1.0)]);
    for (other, message) in [
        ("short.jsonl", "a.jsonl:2: short.jsonl ends before this pair"),
        ("ids.jsonl", "ids.jsonl:2: the id differs from a.jsonl:2"),
        ("refs.jsonl", "refs.jsonl:2: the references differ from a.jsonl:2"),
    ] {
        let output = metric(&keep, &format!("exact --pairs a.jsonl {other} --json"));
        assert_eq!((output.code, output.out.as_str()), (3, ""), "{output:?}");
        assert!(output.err.starts_with(&format!("error: {message}\n")), "{}", output.err);
    }
}

#[test]
fn the_table_has_a_row_for_each_system_and_a_column_for_each_metric() {
    let keep = systems(100);
    let output = metric(&keep, "score bleu chrf exact --refs ref --hyp a b");
    assert_eq!((output.code, output.err.as_str()), (0, ""), "{output:?}");
    let table: Vec<&str> = output.out.lines().collect();
    assert_eq!(table[0], "3 metrics of 2 systems on 100 pairs");
    for (at, words) in [
        (2, vec!["hyp", "bleu", "chrf", "exact"]),
        (4, vec!["a "]),
        (5, vec!["b "]),
        (6, vec!["  difference", "+0.1400 [+0.0"]),
        (7, vec!["  p", " *"]),
    ] {
        let there = words.iter().all(|word| table[at].contains(word));
        assert!(there, "{words:?} in {}", output.out);
    }
    for part in ["resamples, seed 0", "bleu: nrefs:1|case:mixed", "wilson95"] {
        assert!(output.out.contains(part), "no {part} in {}", output.out);
    }
    let alone = metric(&keep, "bleu --refs ref --hyp a").out;
    assert!(alone.starts_with("bleu (sacrebleu) on 100 pairs\n"), "{alone}");
    assert!(alone.contains("95 % interval ") && alone.contains("(jackknife95)"), "{alone}");
}

#[test]
fn calls_that_cannot_be_meant_are_refused() {
    let keep = systems(10);
    let check = |line: &str, code: i32, message: &str| {
        let output = metric(&keep, line);
        assert_eq!((output.code, output.out.as_str()), (code, ""), "{line}: {output:?}");
        assert!(output.err.contains(message), "{line}: {}", output.err);
    };
    fs::write(keep.path().join("short"), "x\n").unwrap();
    check("bleu --refs ref --hyp a ./a", 2, "./a is given twice");
    check("bleu --refs ref ref --hyp a", 2, "ref is given twice");
    check("bleu --refs ref --hyp a - -", 2, "standard input can be read only once");
    check("bleu --refs ref --hyp a short", 3, "short has 1 text and ref has 10 texts");
    check("score bleu chrf --lowercase --refs ref --hyp a", 2, "bleu:lowercase, chrf:lowercase");
    check("score bleu --smoothing exp --refs ref --hyp a", 2, "bleu:smoothing=VALUE");
    check("score bleu bleu --refs ref --hyp a", 2, "bleu is named twice");
    check("score codebleu --refs ref --hyp a", 2, "give --lang");
    check("score bleu:variant=nmt:lowercase --refs ref --hyp a", 2, "has no choice of lowercase");
    check("score --refs ref --hyp a", 2, "<METRIC>");
    check("bleu --refs ref --hyp a b --resamples 10", 2, "1000..=1000000");
    let left_out = metric(&keep, "score all --refs ref --hyp a --json");
    assert_eq!(left_out.err, "note: codebleu is left out: it needs --lang\n");
    assert_eq!(lines(&left_out).len(), 3);
}
