//! `program:CMD`: predictors that follow the protocol, and predictors that do not.

#![expect(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

mod common;

use std::fs;
use std::path::Path;
use std::time::{Duration, Instant};

use common::{CommandOutput, dataset, json, run, runs};
use serde_json::Value;

/// Runs a shell script as a predictor on a dataset of five tasks.
fn predict_with(script: &str, more: &[&str]) -> (CommandOutput, Value, Value) {
    let (keep, root) = dataset("D", 5);
    fs::write(keep.path().join("predictor.sh"), script).unwrap();
    let data = root.display().to_string();
    let arguments = ["run", "codrep", "-d", &data, "-s", "program:sh predictor.sh", "--json"];
    let output = run(keep.path(), &[&arguments[..], more].concat());
    let results = json(&output);
    let log = fs::read_to_string(runs(keep.path())[0].join("solver.jsonl")).unwrap();
    (output, results, serde_json::from_str(&log).unwrap())
}

const ALL_FIRST: &str = r#"for task in "$1"/*.txt; do echo "$task 1"; done"#;

#[test]
fn a_predictor_is_asked_and_recorded() {
    let (output, results, session) = predict_with(ALL_FIRST, &[]);
    assert_eq!(output.code, 0, "{output:?}");
    assert_eq!(results["counts"]["answered"], 5);
    assert_eq!(results["counts"]["passed"], 1);
    assert_eq!(session["end"]["exited"], 0);
    assert_eq!(session["asked"], 5);
    assert_eq!(session["answered"], 5);
    let command: Vec<&str> =
        session["command"].as_array().unwrap().iter().filter_map(Value::as_str).collect();
    assert_eq!(command[..2], ["sh", "predictor.sh"]);
    assert!(command[2].starts_with('/') && command[2].ends_with("/D/Tasks"), "{command:?}");
    assert!(Path::new(session["working_folder"].as_str().unwrap()).is_absolute());
    assert!((session["time_limit_s"].as_f64().unwrap() - 3600.0).abs() < 1e-9);
}

#[test]
fn the_first_edition_s_bare_names_are_understood() {
    let script = r#"cd "$1"; for task in *.txt; do echo "$task 2 1"; done"#;
    let (output, results, _) = predict_with(script, &[]);
    assert_eq!(output.code, 0, "{output:?}");
    assert_eq!(results["counts"]["answered"], 5);
    assert_eq!(results["metrics"]["recall@2"]["n"], 5);
}

#[test]
fn a_crash_is_told_with_its_last_words() {
    let script = r#"echo "$1/1.txt 1"; echo "looking" >&2; echo "no model found" >&2; exit 7"#;
    let (output, results, session) = predict_with(script, &[]);
    assert_eq!(output.code, 5, "{output:?}");
    assert_eq!(results["counts"]["answered"], 1);
    assert_eq!(results["counts"]["not_answered"], 4);
    assert_eq!(results["counts"]["reasons"]["crashed"], 4);
    assert_eq!(session["end"]["exited"], 7);
    assert_eq!(session["stderr_tail"], "looking\nno model found\n");
    let looking = output.err.find("looking").unwrap();
    assert!(looking < output.err.find("no model found").unwrap(), "in order: {}", output.err);
    assert!(output.err.contains("ended with status 7"), "{}", output.err);
    assert!(output.err.contains("no model found"), "{}", output.err);
}

#[test]
fn a_signal_is_a_crash() {
    let (output, results, session) = predict_with("kill -SEGV $$", &[]);
    assert_eq!(output.code, 5, "{output:?}");
    assert_eq!(results["counts"]["reasons"]["crashed"], 5);
    assert_eq!(session["end"]["signalled"], 11);
}

#[test]
fn a_hang_is_ended_with_all_that_it_started() {
    let marker = tempfile::tempdir().unwrap();
    let pids = marker.path().join("pids").display().to_string();
    let script = format!(
        r#"echo "$1/2.txt 1"
sleep 600 & echo $! >> {pids}
(trap '' TERM INT HUP; sleep 600) & echo $! >> {pids}
echo $$ >> {pids}
wait"#
    );
    let started = Instant::now();
    let (output, results, session) = predict_with(&script, &["--time-limit", "1.5"]);
    assert!(started.elapsed() < Duration::from_secs(20), "it was not waited for");
    assert_eq!(output.code, 5, "{output:?}");
    assert_eq!(results["counts"]["answered"], 1);
    assert_eq!(results["counts"]["timed_out"], 4);
    assert_eq!(results["counts"]["not_answered"], 0);
    assert_eq!(session["end"], "timed_out");
    assert!(output.err.contains("did not end within 1.5 s"), "{}", output.err);
    for pid in fs::read_to_string(&pids).unwrap().lines() {
        let state = fs::read_to_string(format!("/proc/{pid}/stat")).unwrap_or_default();
        // A zombie that nobody has reaped yet counts as dead.
        assert!(state.is_empty() || state.contains(") Z "), "{pid} lives on: {state}");
    }
}

#[test]
fn a_predictor_that_leaves_children_behind_is_not_waited_for() {
    let script = format!("{ALL_FIRST}\nsleep 600 &\n");
    let started = Instant::now();
    let (output, results, _) = predict_with(&script, &[]);
    assert!(started.elapsed() < Duration::from_secs(20), "it was not waited for");
    assert_eq!(output.code, 0, "{output:?}");
    assert_eq!(results["counts"]["answered"], 5);
}

#[test]
fn garbage_is_told_from_silence_and_from_impossible_answers() {
    let script = r#"echo "loading model"
echo "$1/1.txt 1"
echo "$1/1.txt 2"
echo "$1/2.txt two"
echo "$1/3.txt 999"
echo "/etc/passwd 3"
printf '\377\376\n'
"#;
    let (output, results, session) = predict_with(script, &[]);
    assert_eq!(output.code, 5, "{output:?}");
    let reasons = &results["counts"]["reasons"];
    assert_eq!(results["counts"]["answered"], 1, "the first answer counts");
    assert_eq!(reasons["garbage"], 3, "task 2, and 4 and 5 for which the rest may have been");
    assert_eq!(reasons["invalid"], 1, "task 3");
    let (said_nothing, silent, _) = predict_with("true", &[]);
    assert_eq!(silent["counts"]["reasons"]["silent"], 5);
    assert_eq!(said_nothing.code, 5, "{said_nothing:?}");
    let warning =
        "5 of 5 answers are missing and count as wrong; mostly because the solver said nothing";
    assert!(said_nothing.err.contains(warning), "{}", said_nothing.err);
    assert_eq!(session["garbage_lines"], 5);
    assert_eq!(session["end"]["exited"], 0);
    assert!(output.err.contains("printed 5 lines that are no answers"), "{}", output.err);
    assert!(output.err.contains("a second answer to D/1"), "{}", output.err);
    assert!(
        output.err.contains("\"loading\"") || output.err.contains("loading model"),
        "{}",
        output.err
    );
}

#[test]
fn an_endless_line_does_not_fill_the_memory() {
    let script = "head -c 50000000 /dev/zero | tr '\\0' x; echo; echo \"$1/1.txt 1\"";
    let (output, results, session) = predict_with(script, &[]);
    assert_eq!(output.code, 5, "{output:?}");
    assert_eq!(results["counts"]["answered"], 1);
    assert_eq!(session["garbage_lines"], 1);
    assert!(session["garbage"][0].as_str().unwrap().len() < 1000);
}

#[test]
fn the_solutions_are_out_of_reach() {
    // This predictor cheats: it looks for the solutions beside the tasks.
    let script = r#"for task in "$1"/*.txt; do
  solution="$(dirname "$1")/Solutions/$(basename "$task")"
  if test -e "$solution"; then echo "$task $(cat "$solution")"; else echo "$task 3"; fi
done
echo changed > "$1/1.txt""#;
    let (output, results, _) = predict_with(script, &[]);
    assert_eq!(output.code, 0, "{output:?}");
    assert_eq!(results["counts"]["passed"], 2, "line 3 is right for tasks 4 and 5 alone");
}

#[test]
fn a_command_that_is_not_there_is_named() {
    let (keep, root) = dataset("D", 2);
    let data = root.display().to_string();
    let output =
        run(keep.path(), &["run", "codrep", "-d", &data, "-s", "program:no-such-command -v"]);
    assert_eq!(output.code, 3, "{output:?}");
    assert!(output.err.contains("failed to start \"no-such-command\""), "{}", output.err);
}

#[test]
fn a_program_that_changed_is_another_program() {
    let signature = |script: &str| predict_with(script, &[]).1["signature"].clone();
    assert_eq!(signature(ALL_FIRST), signature(ALL_FIRST));
    assert_ne!(signature(ALL_FIRST), signature(&format!("{ALL_FIRST} # better")));
}

#[test]
fn predictions_come_as_they_are_made() {
    use std::io::{BufRead, BufReader};
    use std::process::Stdio;
    let (keep, root) = dataset("D", 3);
    // The second answer is given only after the first has been seen.
    let script = r#"echo "$1/1.txt 1"; while ! test -e seen; do sleep 0.01; done
echo "$1/2.txt 1"; echo "$1/3.txt 1""#;
    fs::write(keep.path().join("predictor.sh"), script).unwrap();
    let mut child = common::assay(keep.path())
        .args(["predict", "D", "--solver", "program:sh predictor.sh", "--time-limit", "30"])
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let mut lines = BufReader::new(child.stdout.take().unwrap()).lines();
    assert_eq!(lines.next().unwrap().unwrap(), format!("{}/Tasks/1.txt 1", root.display()));
    fs::write(keep.path().join("seen"), "").unwrap();
    assert_eq!(lines.count(), 2);
    assert_eq!(child.wait().unwrap().code(), Some(0));
}

#[test]
fn the_time_for_which_answers_wait_does_not_count() {
    use std::io::Read;
    use std::process::Stdio;
    const TASKS: usize = 3000;
    let (keep, _root) = dataset("D", TASKS);
    // More lines than the queues and the pipes hold: the command has to wait for whoever takes them.
    let script = format!(r#"for task in $(seq {TASKS}); do echo "$1/$task.txt 1"; done"#);
    fs::write(keep.path().join("predictor.sh"), script).unwrap();
    let limit = Duration::from_secs(2);
    let mut child = common::assay(keep.path())
        .args(["predict", "D", "--solver", "program:sh predictor.sh", "--time-limit", "2"])
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let mut out = child.stdout.take().unwrap();
    let mut first = [0];
    out.read_exact(&mut first).unwrap();
    std::thread::sleep(limit + Duration::from_secs(1));
    let mut rest = String::new();
    out.read_to_string(&mut rest).unwrap();
    assert_eq!(child.wait().unwrap().code(), Some(0));
    assert_eq!(rest.lines().count(), TASKS);
}

#[test]
fn predict_leaves_out_what_the_scorer_would_refuse() {
    let (keep, _root) = dataset("D", 2);
    fs::write(keep.path().join("answers.txt"), "1.txt 1\n2.txt 9999\n").unwrap();
    let output = run(keep.path(), &["predict", "D", "--solver", "file:answers.txt"]);
    assert_eq!((output.code, output.out.lines().count()), (5, 1));
    assert!(output.err.contains("D/2: line 9999 is out of range"), "{}", output.err);
}

#[test]
fn several_datasets_are_several_sessions() {
    let (keep, left) = dataset("A", 2);
    let (_other, right) = dataset("B", 3);
    fs::write(keep.path().join("predictor.sh"), ALL_FIRST).unwrap();
    let data = format!("{}:{}", left.display(), right.display());
    let output = run(keep.path(), &["run", "codrep", "-d", &data, "-s", "program:sh predictor.sh"]);
    assert_eq!(output.code, 0, "{output:?}");
    let log = fs::read_to_string(runs(keep.path())[0].join("solver.jsonl")).unwrap();
    assert_eq!(log.lines().count(), 2);
}

#[test]
fn predict_passes_a_program_s_answers_on_in_task_order() {
    let (keep, root) = dataset("D", 12);
    let script = r#"for task in $(ls "$1" | sort -r); do echo "$task 1"; done"#;
    fs::write(keep.path().join("predictor.sh"), script).unwrap();
    let data = root.display().to_string();
    let output = run(keep.path(), &["predict", &data, "--solver", "program:sh predictor.sh"]);
    assert_eq!(output.code, 0, "{output:?}");
    let expected: String = (1..=12).map(|task| format!("{data}/Tasks/{task}.txt 1\n")).collect();
    assert_eq!(output.out, expected);
}
