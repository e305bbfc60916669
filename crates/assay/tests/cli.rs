//! The command line as a new user meets it.

mod common;

use std::fs;
use std::path::Path;
use std::process::Stdio;

use common::{assay, dataset, feed, json, run, runs};

#[test]
fn the_tour_runs_everything_and_tells_what_is_next() {
    let scratch = tempfile::tempdir().unwrap();
    let output = run(scratch.path(), &["run"]);
    assert_eq!(output.code, 0, "{output:?}");
    let mut settings = insta::Settings::clone_current();
    settings.add_filter(r"\d{8}T\d{6}Z", "<time>");
    settings.add_filter(r"-[0-9a-f]{6}\n", "-<id>\n");
    settings.add_filter(&regex_of(env!("CARGO_BIN_EXE_assay")), "assay");
    settings.add_filter(r"assay:\d+\.\d+\.\d+", "assay:<version>");
    settings.add_filter(r"python:\d+\.\d+\.\d+", "python:<version>");
    settings.bind(|| insta::assert_snapshot!("tour", output.out));
    assert_eq!(runs(scratch.path()).len(), 27);
}

/// A pattern that matches only this text.
fn regex_of(text: &str) -> String {
    text.chars().map(|letter| format!("[{letter}]")).collect()
}

/// The tasks of the tour that ask for programs in Python.
const PROGRAMS: [&str; 10] = [
    "humaneval",
    "humaneval-plus",
    "mbpp",
    "mbpp-sanitized",
    "mbpp-plus",
    "apps-introductory",
    "apps-interview",
    "apps-competition",
    "humanevalpack-python",
    "translate-gfg-java-python",
];

#[test]
fn the_tour_as_json_is_an_object_a_line() {
    let scratch = tempfile::tempdir().unwrap();
    let output = run(scratch.path(), &["run", "--json", "-o", "elsewhere"]);
    let results = json_lines(&output.out);
    let tasks: Vec<&str> = results.iter().map(|one| one["task"].as_str().unwrap()).collect();
    let expected = [("codrep", 8), ("c2c", 3), ("trans-java-cs", 3), ("trans-cs-java", 3)];
    let expected = expected.iter().flat_map(|&(task, count)| vec![task; count]);
    let expected: Vec<&str> = expected.chain(PROGRAMS).collect();
    assert_eq!(tasks, expected);
    let (texts, programs) = results.split_at(17);
    assert!(texts.iter().all(|one| one["counts"]["problems"].as_u64().unwrap() >= 12));
    assert!(programs.iter().all(|one| one["counts"]["passed"] == one["counts"]["problems"]));
    assert_eq!(fs::read_dir(scratch.path().join("elsewhere")).unwrap().count(), expected.len());
}

#[test]
fn predictions_can_be_piped_into_the_scorer() {
    let scratch = tempfile::tempdir().unwrap();
    let predicted = run(scratch.path(), &["predict", "sample", "--solver", "gold"]);
    assert_eq!(predicted.code, 0, "{predicted:?}");
    assert!(predicted.out.starts_with("sample/Tasks/1.txt "), "{}", predicted.out);
    let scored = feed(
        scratch.path(),
        &["score", "codrep", "-", "--data", "sample", "--json"],
        &predicted.out,
    );
    assert_eq!(json(&scored)["metrics"]["recall@1"]["value"], 1.0, "{scored:?}");
}

#[test]
fn predict_prints_absolute_paths_in_task_order() {
    let (keep, root) = dataset("D", 11);
    let expected: String = (1..=11)
        .map(|task| format!("{}/Tasks/{task}.txt {}\n", root.display(), task / 2 + 1))
        .collect();
    for folder in ["D", "D/Tasks", "./D", "D/../D/"] {
        let output = run(keep.path(), &["predict", folder, "--solver", "middle"]);
        assert_eq!(output.out, expected, "{folder}");
        assert_eq!(output.code, 0);
    }
    let output = run(keep.path(), &["predict", "D", "--solver", "random", "--top", "3"]);
    assert!(output.out.lines().all(|line| line.split(' ').count() == 4), "{}", output.out);
}

#[test]
fn a_predictor_needs_no_solutions_unless_it_cheats() {
    let (keep, root) = dataset("D", 2);
    fs::remove_dir_all(root.join("Solutions")).unwrap();
    assert_eq!(run(keep.path(), &["predict", "D", "--solver", "last"]).code, 0);
    let output = run(keep.path(), &["predict", "D", "--solver", "gold"]);
    assert_eq!((output.code, output.out.as_str()), (5, ""));
    assert!(output.err.contains("Solutions/1.txt is missing"), "{}", output.err);
}

#[test]
fn a_task_without_a_program_has_no_prediction() {
    let (keep, root) = dataset("D", 3);
    fs::write(root.join("Tasks/2.txt"), "x\n\n").unwrap();
    let output = run(keep.path(), &["predict", "D", "--solver", "first"]);
    assert_eq!((output.code, output.out.lines().count()), (5, 2));
    assert!(output.err.contains("Tasks/2.txt holds no program"), "{}", output.err);
}

/// The objects that a command printed, one per line.
fn json_lines(out: &str) -> Vec<serde_json::Value> {
    out.lines().map(|line| serde_json::from_str(line).expect("it is JSON")).collect()
}

#[test]
fn predictions_as_json_are_the_same_in_the_same_order() {
    let (keep, _root) = dataset("D", 30);
    for (solver, top) in [("middle", "1"), ("random", "3"), ("locate", "1"), ("locate", "4")] {
        let arguments = ["predict", "D", "--solver", solver, "--top", top, "-j", "4"];
        let text = run(keep.path(), &arguments);
        let output = run(keep.path(), &[&arguments[..], &["--json"]].concat());
        assert_eq!(output.code, 0, "{output:?}");
        let objects = json_lines(&output.out);
        let lines: String = objects
            .iter()
            .map(|object| {
                let lines = object["lines"].as_array().unwrap();
                let numbers: String = lines.iter().map(|it| format!(" {}", it["line"])).collect();
                format!("{}{numbers}\n", object["path"].as_str().unwrap())
            })
            .collect();
        assert_eq!(lines, text.out, "{solver}");
        assert_eq!(objects[9]["problem"], "D/10");
        let scored = objects.iter().all(|object| object["lines"][0].get("score").is_some());
        assert_eq!(scored, solver == "locate", "{}", output.out);
    }
    let output = run(keep.path(), &["predict", "D", "--solver", "middle", "--json"]);
    let first = format!("{}/D/Tasks/1.txt", keep.path().display());
    let expected = serde_json::json!({"path": first, "problem": "D/1", "lines": [{"line": 1}]});
    assert_eq!(json_lines(&output.out)[0], expected);
}

#[test]
fn a_task_without_a_prediction_says_why_in_json() {
    let (keep, root) = dataset("D", 3);
    fs::write(root.join("Tasks/2.txt"), "x\n\n").unwrap();
    let output = run(keep.path(), &["predict", "D", "--json"]);
    assert_eq!((output.code, output.out.lines().count()), (5, 3));
    let objects = json_lines(&output.out);
    assert_eq!(objects[1]["lines"], serde_json::json!([]));
    let reason = objects[1]["reason"].as_str().unwrap();
    assert!(reason.ends_with("Tasks/2.txt holds no program"), "{reason}");
    assert!(objects[0].get("reason").is_none());
    let output = run(keep.path(), &["predict", "D", "-s", "program:true", "--json"]);
    assert!(
        json_lines(&output.out).iter().all(|object| object["reason"].is_string()),
        "{output:?}"
    );
}

#[test]
fn a_program_has_no_scores_and_top_holds_for_it_too() {
    let (keep, _root) = dataset("D", 3);
    let program = "program:sh -c 'for task in \"$0\"/*; do echo \"$task 3 1 2\"; done'";
    let output = run(keep.path(), &["predict", "D", "-s", program, "--json", "--top", "2"]);
    assert_eq!(output.code, 0, "{output:?}");
    for object in json_lines(&output.out) {
        assert_eq!(object["lines"], serde_json::json!([{"line": 3}, {"line": 1}]));
    }
    // The protocol does not depend on the environment.
    let protocol = assay(keep.path())
        .args(["predict", "D", "--solver", "first"])
        .env("ASSAY_JSON", "1")
        .output()
        .unwrap();
    assert!(!protocol.stdout.starts_with(b"{"), "{protocol:?}");
}

#[test]
fn there_is_help_with_examples_for_every_command() {
    let here = Path::new("/");
    let output = run(here, &["--help"]);
    assert_eq!(output.code, 0);
    for command in [
        "run",
        "score",
        "predict",
        "explain",
        "tasks",
        "solvers",
        "show",
        "data",
        "metric",
        "train",
        "completions",
    ] {
        assert!(output.out.contains(&format!("\n  {command} ")), "{command} is not in the help");
    }
    for command in ["run", "score", "predict", "explain", "completions"] {
        let output = run(here, &[command, "--help"]);
        assert!(output.out.contains("Examples:"), "{command} has no examples");
    }
}

#[test]
fn lists_are_for_people_and_for_machines() {
    let here = Path::new("/");
    assert!(run(here, &["tasks"]).out.contains("codrep"));
    assert_eq!(json(&run(here, &["tasks", "--json"]))[0]["name"], "codrep");
    assert!(run(here, &["solvers"]).out.contains("program:CMD"));
    assert_eq!(json(&run(here, &["solvers", "--json"]))[0]["spec"], "locate");
    assert!(run(here, &["show", "codrep"]).out.contains("line-error"));
    assert_eq!(json(&run(here, &["show", "codrep", "--json"]))["version"], 1);
    for shell in ["bash", "zsh", "fish"] {
        assert!(run(here, &["completions", shell]).out.contains("resume"), "{shell}");
    }
    let version = run(here, &["--version"]).out;
    assert!(version.starts_with(&format!("assay {} (", env!("CARGO_PKG_VERSION"))), "{version}");
}

#[test]
fn datasets_are_listed_verified_and_measured() {
    let (keep, root) = dataset("Dataset1", 3);
    let home = keep.path().join("home");
    fs::create_dir_all(home.join("codrep")).unwrap();
    fs::rename(&root, home.join("codrep/Dataset1")).unwrap();
    fs::create_dir(home.join("codrep/Mine")).unwrap();
    let listed = json(&run(keep.path(), &["data", "list", "--data-root", "home", "--json"]));
    assert_eq!(listed[0]["path"], "home/codrep/Dataset1");
    assert!(listed[1]["path"].is_null());
    assert_eq!(listed[5]["name"], "codrep/Mine");

    let output = run(keep.path(), &["data", "verify", "home/codrep/Dataset1"]);
    assert_eq!(output.code, 0, "{output:?}");
    assert!(
        output.out.contains("3 tasks, sound; not a dataset of the catalogue"),
        "{}",
        output.out
    );
    fs::write(home.join("codrep/Dataset1/Tasks/2.txt"), "x\n").unwrap();
    let output = run(keep.path(), &["data", "verify", "home/codrep/Dataset1"]);
    assert_eq!(output.code, 3);
    assert!(output.out.contains("Tasks/2.txt:3: there is no program"), "{}", output.out);
    let report = json(&run(keep.path(), &["data", "verify", "home/codrep/Dataset1", "--json"]));
    assert_eq!(report["sound"], false);

    let stats = json(&run(keep.path(), &["data", "stats", "home/codrep/Dataset1", "--json"]));
    assert_eq!(stats["files"], 3);
    let output = run(keep.path(), &["data", "stats", "home/codrep/Dataset1"]);
    assert!(output.out.contains("program, lines"), "{}", output.out);
}

#[test]
fn data_is_found_by_the_environment() {
    let (keep, root) = dataset("D", 3);
    let home = keep.path().join("home/codrep");
    fs::create_dir_all(&home).unwrap();
    fs::rename(&root, home.join("D")).unwrap();
    let output = assay(keep.path())
        .args(["run", "codrep", "--solver", "gold", "--json"])
        .env("ASSAY_DATA", keep.path().join("home"))
        .env("ASSAY_LIMIT", "2")
        .output()
        .unwrap();
    assert_eq!(json(&output.into())["counts"]["passed"], 2);
}

#[test]
fn mistakes_are_usage_errors_with_a_hint() {
    let scratch = tempfile::tempdir().unwrap();
    let check = |arguments: &[&str], message: &str| {
        let output = run(scratch.path(), arguments);
        assert_eq!(output.code, 2, "{arguments:?}: {output:?}");
        assert!(output.err.contains(message), "{arguments:?}: {}", output.err);
    };
    check(&["run", "codrep", "--data", "sample", "-s", "frist"], "the solvers are: locate, first,");
    check(&["run", "nonsense", "--data", "sample"], "the tasks are: codrep");
    check(&["run", "nonsense"], "the tasks are: codrep");
    check(&["run", "--data", "sample"], "--data needs a task");
    check(&["run", "codrep", "--data", "sample", "-j", "-1"], "unexpected argument");
    check(&["run", "codrep", "--data", "sample", "--time-limit", "-1"], "unexpected argument");
    check(&["run", "--resume", "x", "codrep"], "cannot be changed when a run is resumed");
    check(&["run", "codrep", "--data", "sample", "-L", "0"], "0 is not in");
    check(&["run", "codrep", "--data", "sample", "--data", "x"], "cannot be joined");
}

#[test]
fn a_reader_that_goes_away_is_no_error() {
    let (keep, _root) = dataset("D", 300);
    let mut child = assay(keep.path())
        .args(["predict", "D", "--solver", "first"])
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    drop(child.stdout.take());
    let output = child.wait_with_output().unwrap();
    assert_eq!(output.status.code(), Some(0));
    assert!(output.stderr.is_empty(), "{}", String::from_utf8_lossy(&output.stderr));
}

#[test]
fn the_tour_goes_on_without_anything_installed() {
    let scratch = tempfile::tempdir().unwrap();
    let mut command = assay(scratch.path());
    let output = command.args(["run", "--json"]).env("PATH", "/nonexistent").output().unwrap();
    assert_eq!(output.status.code(), Some(0), "{output:?}");
    let talk = String::from_utf8_lossy(&output.stderr);
    assert!(talk.contains("humaneval is left out: this machine has nothing that runs"), "{talk}");
    assert_eq!(String::from_utf8_lossy(&output.stdout).lines().count(), 17);
}
