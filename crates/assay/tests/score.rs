//! `assay score` on right and wrong prediction files.

mod common;

use std::fs;
use std::path::Path;

use common::{dataset, feed, json, metric, run, write};

fn score(root: &Path, predictions: &str, more: &[&str]) -> common::CommandOutput {
    let root = root.display().to_string();
    let arguments = [&["score", "codrep", "-", "--data", &root], more].concat();
    feed(Path::new("/"), &arguments, predictions)
}

#[test]
fn one_prediction_a_task() {
    let (_keep, root) = dataset("D", 4);
    // Solutions are 1, 2, 2, 3: a hit, one off, two off, and a task without prediction.
    let path = root.display();
    let predictions =
        format!("{path}/Tasks/1.txt 1\n{path}/Tasks/2.txt 3\n\n{path}/Tasks/3.txt 4\n");
    let results = json(&score(&root, &predictions, &["--json"]));
    let expected = (1f64.tanh() + 2f64.tanh() + 1.0) / 4.0;
    assert!((metric(&results, "line-error") - expected).abs() < 1e-12, "{results}");
    assert!((metric(&results, "recall@1") - 0.25).abs() < 1e-12, "{results}");
    assert_eq!(results["metrics"].as_object().unwrap().len(), 2, "one guess has no recall@k");
    let counts = &results["counts"];
    let count = |name: &str| counts[name].as_u64().unwrap();
    assert_eq!((count("problems"), count("answered"), count("not_answered")), (4, 3, 1));
    assert_eq!((count("passed"), count("failed")), (1, 2));
    let interval = &results["metrics"]["line-error"];
    assert!(interval["low"].as_f64() < interval["value"].as_f64());
    assert!(interval["value"].as_f64() < interval["high"].as_f64());
}

#[test]
fn missing_answers_are_reported_and_end_in_exit_code_5() {
    let (_keep, root) = dataset("D", 4);
    for (predictions, warning) in [
        ("", Some("4 problems have no answer and count as wrong")),
        ("1.txt 1\n2.txt 1\n3.txt 1\n", Some("1 problem has no answer and counts as wrong\n  D/4")),
        ("1.txt 1\n2.txt 1\n3.txt 1\n4.txt 1\n", None),
    ] {
        let output = score(&root, predictions, &[]);
        assert_eq!(output.code, if warning.is_some() { 5 } else { 0 }, "{output:?}");
        match warning {
            Some(warning) => assert!(output.err.contains(warning), "{}", output.err),
            None => assert_eq!(output.err, ""),
        }
    }
}

#[test]
fn a_score_on_the_locator_s_training_data_is_marked_as_no_test() {
    let warns = |name: &str| {
        let (keep, root) = dataset(name, 3);
        let predicted = run(keep.path(), &["predict", &root.display().to_string()]);
        let scored = score(&root, &predicted.out, &[]);
        assert_eq!((predicted.code, scored.code), (0, 0), "{predicted:?} {scored:?}");
        let trained = format!("trained on {name}");
        (predicted.err.contains(&trained), scored.err.contains(&trained))
    };
    assert_eq!(warns("Dataset4"), (true, true));
    assert_eq!(warns("Own"), (false, false));
}

#[test]
#[expect(clippy::disallowed_methods, reason = "mkfifo makes the pipe")]
fn verdicts_go_through_links_devices_and_pipes() {
    let (keep, root) = dataset("D", 2);
    let at = |name: &str| keep.path().join(name);
    let with = |target: &str| {
        let arguments = ["score", "codrep", "-", "--data", "D", "--verdicts", target];
        feed(keep.path(), &arguments, "1.txt 1\n2.txt 2\n")
    };
    assert_eq!(root.file_name().unwrap(), "D");
    let plain = with("plain.jsonl");
    assert_eq!((plain.code, plain.err.as_str()), (0, ""), "{plain:?}");
    let expected = fs::read_to_string(at("plain.jsonl")).unwrap();
    assert_eq!(expected.lines().count(), 2);
    for target in ["-", "/dev/stdout"] {
        let output = with(target);
        assert_eq!((output.code, &output.out, &output.err), (0, &expected, &plain.out), "{target}");
    }
    assert!(!at("-").exists());
    let nothing = with("/dev/null");
    assert_eq!((nothing.code, &nothing.out), (0, &plain.out));
    assert!(!fs::metadata("/dev/null").unwrap().is_file());
    for (link, target) in [("link", "there.jsonl"), ("dangling", "new.jsonl")] {
        std::os::unix::fs::symlink(target, at(link)).unwrap();
    }
    fs::write(at("there.jsonl"), "old").unwrap();
    for (link, target) in [("link", "there.jsonl"), ("dangling", "new.jsonl")] {
        assert_eq!(with(link).code, 0);
        assert!(at(link).is_symlink(), "{link}");
        assert_eq!(fs::read_to_string(at(target)).unwrap(), expected);
    }
    assert!(std::process::Command::new("mkfifo").arg(at("pipe")).status().unwrap().success());
    let reader = std::thread::spawn({
        let pipe = at("pipe");
        move || fs::read_to_string(pipe).unwrap()
    });
    assert_eq!(with("pipe").code, 0);
    assert_eq!(reader.join().unwrap(), expected);
}

#[test]
fn verdicts_that_cannot_be_written_are_refused_before_anything_is_read() {
    let (keep, _root) = dataset("D", 2);
    for (target, message) in [
        ("D", "it is a folder"),
        ("nowhere/verdicts.jsonl", "there is no folder"),
        ("/proc/verdicts.jsonl", "cannot be written"),
    ] {
        // The answers and the data do not exist, and nobody looks at them.
        let arguments = ["score", "codrep", "no.txt", "--data", "no", "--verdicts", target];
        let output = run(keep.path(), &arguments);
        assert_eq!(output.code, 2, "{output:?}");
        assert!(output.err.contains(message), "{}", output.err);
    }
    let arguments = ["score", "codrep", "-", "--data", "D", "--verdicts", "-", "--json"];
    let output = feed(keep.path(), &arguments, "");
    assert_eq!(output.code, 2, "{output:?}");
}

#[test]
fn verdicts_do_not_replace_the_data() {
    let (keep, _root) = dataset("D", 2);
    let solution = keep.path().join("D/Solutions/1.txt");
    let before = fs::read(&solution).unwrap();
    let arguments = ["score", "codrep", "-", "--data", "D", "--verdicts", "D/Solutions/1.txt"];
    let output = feed(keep.path(), &arguments, "");
    assert_eq!(output.code, 2, "{output:?}");
    assert!(output.err.contains("would overwrite a file of the data"), "{}", output.err);
    assert_eq!(fs::read(solution).unwrap(), before);
}

#[test]
fn several_predictions_a_task_and_bare_names() {
    let (_keep, root) = dataset("D", 4);
    // The first edition: file names alone, several guesses.
    let predictions = "1.txt 3 1\n2.txt 2\n3.txt 5 4 1\n4.txt 1\n";
    let results = json(&score(&root, predictions, &["--json"]));
    let expected = (0.0 + 0.0 + 1f64.tanh() + 2f64.tanh()) / 4.0;
    assert!((metric(&results, "line-error") - expected).abs() < 1e-12, "{results}");
    assert!((metric(&results, "recall@1") - 0.25).abs() < 1e-12, "{results}");
    assert!((metric(&results, "recall@3") - 0.5).abs() < 1e-12, "{results}");
}

#[test]
fn prints_the_three_lines_of_the_original() {
    let (_keep, root) = dataset("D", 3);
    let output = score(&root, "1.txt 1\n2.txt 2\n3.txt 2\n", &["--format", "codrep"]);
    assert_eq!(
        output.out,
        "Total files: 3\n\
         Average line error: 0.0 (the lower, the better)\n\
         Recall@1: 1.0 (the higher, the better)\n"
    );
    assert_eq!((output.code, output.err.as_str()), (0, ""));
}

#[test]
fn every_mistake_is_listed_with_its_line() {
    let (_keep, root) = dataset("D", 6);
    fs::remove_file(root.join("Solutions/5.txt")).unwrap();
    let predictions = "D/Tasks/1.txt 4\n\
        1.txt 1\n\
        2.txt two\n\
        /elsewhere/E/Tasks/2.txt 1\n\
        99.txt 1\n\
        1.txt 2\n\
        3.txt 0\n\
        4.txt -2\n\
        5.txt 1\n\
        3.txt\n\
        6.txt 3 99999999999999999999999\n";
    let output = score(&root, predictions, &[]);
    assert_eq!(output.code, 3);
    assert_eq!(output.out, "", "nothing is scored");
    let solution = root.join("Solutions/5.txt");
    let expected = format!(
        "error: 11 lines of standard input cannot be accepted
  standard input:1: D/1: line 4 is out of range: the program has lines 1 to 3
  standard input:2: a second answer to D/1; the first is on line 1
  standard input:3: \"two\" is not a line number
  standard input:4: /elsewhere/E/Tasks/2.txt is in none of the chosen datasets (D)
  standard input:5: 99.txt: D has no such task
  standard input:6: a second answer to D/1; the first is on line 1
  standard input:7: line 0 is out of range; lines count from 1
  standard input:8: line -2 is out of range; lines count from 1
  standard input:9: {} is missing
  standard input:10: \"3.txt\" has no line number; expected `<path> <line> [<line>…]`
  standard input:11: line 99999999999999999999999 is out of range
",
        solution.display()
    );
    let errors: Vec<&str> =
        output.err.lines().skip_while(|line| !line.starts_with("error:")).collect();
    let shown = errors.iter().take(12).map(|line| format!("{line}\n")).collect::<String>();
    assert_eq!(shown, expected);
    assert!(output.err.contains("hint: nothing was scored"), "{}", output.err);
}

#[test]
fn of_many_mistakes_the_first_twenty_are_shown() {
    let (_keep, root) = dataset("D", 2);
    let predictions: String = (0..30).map(|_| "1.txt x\n").collect();
    let output = score(&root, &predictions, &[]);
    assert_eq!(output.code, 3);
    assert_eq!(output.err.matches("is not a line number").count(), 20);
    assert!(output.err.contains("error: 30 lines of"), "{}", output.err);
    assert!(output.err.contains("… and 10 more"), "{}", output.err);
}

#[test]
fn a_task_without_a_solution_and_without_an_answer_costs_one() {
    let (_keep, root) = dataset("D", 3);
    fs::write(root.join("Solutions/2.txt"), "three").unwrap();
    let output = score(&root, "1.txt 1\n", &["--json"]);
    assert_eq!(output.code, 5, "{output:?}");
    let results = json(&output);
    assert_eq!(results["counts"]["not_answered"], 2);
    assert!((metric(&results, "line-error") - 2.0 / 3.0).abs() < 1e-12);
    assert!(output.err.contains("Solutions/2.txt holds \"three\""), "{}", output.err);
}

#[test]
fn the_signature_knows_which_problem_has_which_solution() {
    let (_one, first) = dataset("P", 1);
    let (_two, second) = dataset("Q", 1);
    write(&second, 1, "x\n\na\nb\nc\n", "3");
    let predictions = "P/Tasks/1.txt 1\nQ/Tasks/1.txt 2\n";
    let signature = |left: &Path, right: &Path| {
        let both = format!("{}:{}", left.display(), right.display());
        let arguments = ["score", "codrep", "-", "-d", &both, "--json"];
        json(&feed(Path::new("/"), &arguments, predictions))["signature"].clone()
    };
    // The same two solutions in the same order, but for each other's problems.
    let (_three, swapped_second) = dataset("Q", 1);
    let (_four, swapped_first) = dataset("P", 1);
    write(&swapped_first, 1, "x\n\na\nb\nc\n", "3");
    assert_ne!(signature(&first, &second), signature(&swapped_second, &swapped_first));
}

#[test]
fn a_line_too_long_is_one_line() {
    let (_keep, root) = dataset("D", 2);
    let long = format!("{}\n1.txt one\n", "x".repeat(40 << 20));
    let output = score(&root, &long, &[]);
    assert_eq!(output.code, 3);
    assert!(output.err.contains("error: 2 lines of"), "{}", &output.err[..200]);
    assert!(output.err.contains("standard input:2: \"one\""), "{}", &output.err[..200]);
}

#[test]
fn what_a_terminal_would_obey_is_shown_instead() {
    let (_keep, root) = dataset("D", 1);
    let output = score(&root, "\u{1b}[31mred.txt 1\n", &[]);
    assert!(output.err.contains("\\u{1b}[31mred.txt"), "{:?}", output.err);
    assert!(!output.err.contains('\u{1b}'), "{:?}", output.err);
}

#[test]
fn the_two_rules_differ_on_a_lone_carriage_return() {
    let (_keep, root) = dataset("D", 1);
    write(&root, 1, "x\n\na\rb\nc\n", "1");
    // Python counts three lines here; counted by line feeds, there are two.
    assert_eq!(score(&root, "1.txt 3\n", &[]).code, 0);
    let strict = score(&root, "1.txt 3\n", &["--rules", "strict"]);
    assert_eq!(strict.code, 3);
    assert!(strict.err.contains("the program has lines 1 to 2"), "{}", strict.err);
}

#[test]
fn our_own_answers_are_read_as_well() {
    let (_keep, root) = dataset("D", 3);
    let answers = "{\"problem\":\"D/1\",\"sample\":0,\"response\":{\"lines\":[1]}}\n\
        {\"problem\":\"D/2\",\"response\":{\"none\":{\"why\":\"silent\",\"detail\":\"\"}}}\n";
    let results = json(&score(&root, answers, &["--json"]));
    assert_eq!(results["counts"]["passed"], 1);
    assert_eq!(results["counts"]["not_answered"], 2);
    let broken = "{\"problem\":\"D/9\",\"response\":{\"lines\":[1]}}\n{\"problem\":1}\n\
        {\"problem\":\"D/1\",\"response\":{\"lines\":[]}}\n";
    let output = score(&root, broken, &[]);
    assert_eq!(output.code, 3);
    assert!(output.err.contains("standard input:1: D/9 is not among"), "{}", output.err);
    assert!(output.err.contains("standard input:2: not an answer as"), "{}", output.err);
    assert!(output.err.contains("standard input:3: no line number"), "{}", output.err);
}

#[test]
fn datasets_can_be_joined() {
    let (_left, left) = dataset("A", 2);
    let (_right, right) = dataset("B", 2);
    let both = format!("{}:{}", left.display(), right.display());
    let predictions = "/x/A/Tasks/1.txt 1\n/x/B/Tasks/2.txt 2\n";
    for flag in ["-d", "--data", "--datasets"] {
        let output =
            feed(Path::new("/"), &["score", "codrep", "-", flag, &both, "--json"], predictions);
        assert_eq!(json(&output)["counts"]["passed"], 2, "{output:?}");
    }
    let output = feed(Path::new("/"), &["score", "codrep", "-", "-d", &both], "1.txt 1\n");
    assert!(
        output.err.contains("1.txt could be in A or in B; give more of the path"),
        "{}",
        output.err
    );
}

#[test]
fn mistakes_in_the_call_are_explained() {
    let scratch = tempfile::tempdir().unwrap();
    let (_keep, root) = dataset("D", 1);
    let root = root.display().to_string();
    let check = |arguments: &[&str], code: i32, message: &str| {
        let output = run(scratch.path(), arguments);
        assert_eq!(output.code, code, "{output:?}");
        assert!(output.err.contains(message), "{arguments:?}: {}", output.err);
        assert!(output.err.contains("hint:") || code == 2, "{arguments:?}: {}", output.err);
    };
    check(&["score", "codrep", "missing.txt", "--data", &root], 3, "failed to open missing.txt");
    check(&["score", "codrep", "-", "--data", "nowhere"], 3, "there is no nowhere");
    check(&["score", "codrp", "-", "--data", &root], 2, "there is no task called \"codrp\"");
    check(
        &["score", "codrep", "-", "--data-root", "/nowhere"],
        2,
        "there is no data for codrep in /nowhere",
    );
}

#[test]
fn binary_rubbish_is_refused_line_by_line() {
    let (_keep, root) = dataset("D", 1);
    fs::write(root.join("rubbish"), b"\xff\xfe\n1.txt 1\n\0\0\n").unwrap();
    let file = root.join("rubbish").display().to_string();
    let output =
        run(Path::new("/"), &["score", "codrep", &file, "--data", &root.display().to_string()]);
    assert_eq!(output.code, 3);
    assert!(output.err.contains(":1: the line is not UTF-8"), "{}", output.err);
    assert!(output.err.contains("2 lines of"), "{}", output.err);
}

#[test]
fn a_change_that_is_repeated_weighs_one_where_that_is_asked() {
    let (keep, root) = dataset("D", 0);
    write(&root, 1, "b();\n\n  a();\nx();\ny();\n", "1");
    write(&root, 2, "b();\n\nw();\nz();\n\ta();\n", "3");
    write(&root, 3, "c();\n\nx();\nd();\n", "2");
    let predictions = "Tasks/1.txt 1\nTasks/2.txt 1\nTasks/3.txt 2\n";
    let plain = feed(keep.path(), &["score", "codrep", "-", "--data", "D", "--json"], predictions);
    assert_eq!(json(&plain)["metrics"]["line-error-distinct"], serde_json::Value::Null);
    let arguments = ["score", "codrep", "-", "--data", "D", "--json", "--distinct"];
    let scored = json(&feed(keep.path(), &arguments, predictions));
    assert!((metric(&scored, "line-error") - 2f64.tanh() / 3.0).abs() < 1e-12, "{scored}");
    assert!((metric(&scored, "line-error-distinct") - 2f64.tanh() / 4.0).abs() < 1e-12, "{scored}");
    assert_eq!(scored["metrics"]["line-error-distinct"]["n"], 2);
    assert_eq!(scored["signature"], json(&plain)["signature"]);
    let output = run(keep.path(), &["run", "codrep", "--data", "D", "--solver", "first", "--json"]);
    let first = json(&output);
    let expected = f64::midpoint(2f64.tanh() / 2.0, 1f64.tanh());
    assert!((metric(&first, "line-error-distinct") - expected).abs() < 1e-12, "{first}");
}
