//! The command line as a new user meets it.

#![expect(clippy::disallowed_methods, reason = "a test runs printed commands in a shell")]

mod common;

use std::fs;
use std::path::Path;
use std::process::Stdio;

use common::{CommandOutput, assay, dataset, feed, json, on_terminal, run, runs};

#[test]
fn the_tour_fits_a_screen_and_tells_what_is_next() {
    let scratch = tempfile::tempdir().unwrap();
    let output = on_terminal(scratch.path(), 80, &["run"]);
    assert_eq!(output.code, 0, "{output:?}");
    let shown = output.out.replace(env!("CARGO_BIN_EXE_assay"), "assay");
    insta::assert_snapshot!("tour", shown);
    assert!(shown.lines().count() < 40, "{}", shown.lines().count());
    assert!(shown.lines().all(|line| line.chars().count() <= 80), "{shown}");
    assert_eq!(runs(scratch.path()).len(), TOUR.len());
    let detailed = run(scratch.path(), &["run", "-v"]).out;
    for part in ["signature ", "codrep@1|data:", "exact-match", "records:\n  runs/"] {
        assert!(detailed.contains(part), "{part} is not in {detailed}");
    }
}

#[test]
fn the_commands_after_the_tour_work_as_printed() {
    let scratch = tempfile::tempdir().unwrap();
    let output = assay(scratch.path()).arg("run").env("PATH", "/nonexistent").output().unwrap();
    let shown = CommandOutput::from(output).out;
    let (_, next) = shown.split_once("\nNext:\n").unwrap();
    assert_eq!(next.matches("  # ").count(), 3, "{next}");
    let done = std::process::Command::new("sh")
        .args(["-e", "-c", next])
        .current_dir(scratch.path())
        .env("ASSAY_CACHE", scratch.path().join(".cache"))
        .output();
    let done = CommandOutput::from(done.unwrap());
    assert_eq!(done.code, 0, "{done:?}");
    for part in ["most-similar", "codrep  file:predictions.txt  line-error 0.343", "humaneval-plus"]
    {
        assert!(done.out.contains(part), "{part} is not in {}", done.out);
    }
}

/// The runs of the tour, those of programs last: a weak solver, a better one and the solution.
const TOUR: [(&str, &str); 18] = [
    ("codrep", "first"),
    ("codrep", "locate"),
    ("codrep", "gold"),
    ("c2c", "copy"),
    ("c2c", "rewrite"),
    ("c2c", "gold"),
    ("trans-java-cs", "copy"),
    ("trans-java-cs", "rewrite"),
    ("trans-java-cs", "gold"),
    ("trans-cs-java", "copy"),
    ("trans-cs-java", "rewrite"),
    ("trans-cs-java", "gold"),
    ("humaneval", "echo"),
    ("humaneval", "example"),
    ("humaneval", "gold"),
    ("humaneval-plus", "echo"),
    ("humaneval-plus", "example"),
    ("humaneval-plus", "gold"),
];
/// The number of runs that need no interpreter.
const WITHOUT_PROGRAMS: usize = 12;

#[test]
fn the_tour_as_json_is_an_object_a_line() {
    let scratch = tempfile::tempdir().unwrap();
    let output = run(scratch.path(), &["run", "--json", "-o", "elsewhere"]);
    let results = json_lines(&output.out);
    let text = |one: &serde_json::Value, field: &str| one[field].as_str().unwrap().to_owned();
    let ran: Vec<_> = results.iter().map(|one| (text(one, "task"), text(one, "solver"))).collect();
    let expected = TOUR.map(|(task, solver)| (task.to_owned(), solver.to_owned()));
    assert_eq!(ran, expected);
    assert!(results.iter().all(|one| one["counts"]["problems"].as_u64().unwrap() >= 12));
    let passed = |at: usize| results[at]["counts"]["passed"].as_u64().unwrap();
    // Solvers differ, and more tests find more mistakes.
    assert_eq!([12, 13, 14].map(passed), [0, 10, 12]);
    assert_eq!([15, 16, 17].map(passed), [0, 8, 12]);
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
    assert_eq!(listed[0]["content"]["recognised"], "unknown");
    assert_eq!(listed[0]["publisher"], "https://github.com/KTH/CodRep-competition");
    assert_eq!(listed[1]["looked_for"][0], "codrep/Dataset2/");
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

    for command in ["verify", "stats"] {
        let output = run(keep.path(), &["data", command, "sample"]);
        assert_eq!(output.code, 0, "{output:?}");
        assert!(output.out.contains("48"), "{output:?}");
    }
    let output = run(keep.path(), &["data", "seal", "sample", "-o", "x.age"]);
    assert!(output.code == 3 && output.err.contains("a folder of your own"), "{output:?}");

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
    let skipped = "humaneval and humaneval-plus are skipped: this machine has nothing that runs";
    assert!(talk.contains(skipped), "{talk}");
    assert_eq!(String::from_utf8_lossy(&output.stdout).lines().count(), WITHOUT_PROGRAMS);
    let mut command = assay(scratch.path());
    let output = command.arg("run").env("PATH", "/nonexistent").output().unwrap();
    let output = CommandOutput::from(output);
    assert_eq!((output.code, output.err.as_str()), (0, ""), "{output:?}");
    assert!(output.out.contains(skipped) && output.out.contains("install "), "{}", output.out);
    assert!(output.out.contains("trans-cs-java") && output.out.contains("Next:"), "{}", output.out);
}

/// Every command, with its help at a width of 80 columns.
fn every_help() -> Vec<(String, String)> {
    let mut found = Vec::new();
    let mut open = vec![String::new()];
    while let Some(path) = open.pop() {
        let mut command = assay(Path::new("/"));
        let output =
            command.args(path.split_whitespace()).arg("--help").env("COLUMNS", "80").output();
        let help = CommandOutput::from(output.expect("the binary runs")).out;
        let commands = help.split("Commands:\n").nth(1).unwrap_or_default();
        let names = commands.lines().take_while(|line| !line.is_empty());
        let names = names.filter(|line| line.starts_with("  ") && !line.starts_with("   "));
        for name in names.filter_map(|line| line.split_whitespace().next()) {
            if name != "help" {
                open.push(format!("{path} {name}").trim_start().to_owned());
            }
        }
        found.push((path, help));
    }
    found
}

#[test]
fn every_help_has_examples_and_fits_eighty_columns() {
    let all = every_help();
    assert!(all.len() > 20, "{}", all.len());
    for (command, help) in all {
        assert!(help.contains("\nExamples:\n"), "{command} has no examples");
        for line in help.lines() {
            assert!(line.chars().count() <= 80, "{command}: {line}");
        }
        // Clap breaks lines that are too long, and goes on at the first column.
        let examples = help.split("\nExamples:\n").nth(1).unwrap();
        let examples = examples.lines().take_while(|line| !line.is_empty());
        for line in examples {
            assert!(line.starts_with("  "), "{command}: {line}");
        }
    }
}
