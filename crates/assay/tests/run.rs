//! `assay run`: the record, crashes, and resuming.

#![expect(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

mod common;

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Child, Stdio};
use std::time::{Duration, Instant};

use common::{CommandOutput, assay, dataset, json, metric, run, runs, write};
use rustix::process::{Pid, Signal, kill_process};
use serde_json::Value;

/// A run's files, without the fields that may differ between two equal runs.
fn essence(run: &Path) -> Vec<(String, String)> {
    let mut files: Vec<PathBuf> =
        fs::read_dir(run).unwrap().map(|entry| entry.unwrap().path()).collect();
    files.sort();
    let name = |path: &Path| path.file_name().unwrap().to_str().unwrap().to_owned();
    files
        .iter()
        .filter(|path| name(path) != "solver.jsonl")
        .map(|path| {
            let mut text = fs::read_to_string(path).unwrap();
            if name(path) == "run.json" {
                let mut manifest: Value = serde_json::from_str(&text).unwrap();
                manifest["started"] = Value::Null;
                text = manifest.to_string();
            }
            (name(path), text)
        })
        .collect()
}

#[test]
fn a_run_is_recorded_in_plain_files() {
    let (keep, root) = dataset("D", 5);
    let data = root.display().to_string();
    let output = run(keep.path(), &["run", "codrep", "--data", &data, "--solver", "middle"]);
    assert_eq!(output.code, 0, "{output:?}");
    let folder = &runs(keep.path())[0];
    let name = folder.file_name().unwrap().to_str().unwrap();
    assert!(name.contains("-codrep-middle-"), "{name}");
    assert!(output.out.contains(name), "{}", output.out);
    let read = |file: &str| fs::read_to_string(folder.join(file)).unwrap();
    assert_eq!(
        read("answers.jsonl").lines().next().unwrap(),
        r#"{"problem":"D/1","sample":0,"response":{"lines":[1]}}"#
    );
    assert_eq!(
        read("verdicts.jsonl").lines().next().unwrap(),
        r#"{"problem":"D/1","sample":0,"outcome":"passed","scores":{"loss":0.0,"given":1.0,"hit":1.0},"group":"947c093cb9410","predicted":[1],"solution":1}"#
    );
    let results: Value = serde_json::from_str(&read("results.json")).unwrap();
    let manifest: Value = serde_json::from_str(&read("run.json")).unwrap();
    assert_eq!(results["signature"], manifest["signature"]);
    let signature = results["signature"].as_str().unwrap();
    for part in [
        "codrep@1|data:",
        "|n:5|",
        "|rules:compat|",
        "|ci:wilson95|",
        "|assay:",
        "|content:",
        "|solver:middle",
    ] {
        assert!(signature.contains(part), "{part} is not in {signature}");
    }
    let hash = results["signature_hash"].as_str().unwrap();
    assert_eq!(hash.len(), 12);
    assert!(output.out.contains(&format!("signature {hash}\n")), "{}", output.out);
    let resumed = ["run", "--resume", &folder.display().to_string()];
    let numbers = |text: &str| text.split("  record").next().unwrap().to_owned();
    assert_eq!(numbers(&run(keep.path(), &resumed).out), numbers(&output.out));
    let detailed = run(keep.path(), &[&resumed[..], &["-v"]].concat());
    assert!(detailed.out.contains(&format!("signature {hash}: {signature}\n")), "{detailed:?}");
    // Records made before have no hash of it.
    let mut old = results.clone();
    old.as_object_mut().unwrap().remove("signature_hash");
    fs::write(folder.join("results.json"), old.to_string()).unwrap();
    let shown = run(keep.path(), &[&resumed[..], &["--json"]].concat());
    assert_eq!(json(&shown)["signature_hash"], hash);
    let sum: u64 = ["passed", "failed", "timed_out", "not_answered", "excluded"]
        .iter()
        .map(|name| results["counts"][name].as_u64().unwrap())
        .sum();
    assert_eq!(sum, 5);
}

#[test]
fn the_same_request_gives_the_same_bytes() {
    let (keep, root) = dataset("D", 60);
    let data = root.display().to_string();
    let arguments =
        ["run", "codrep", "--data", &data, "--solver", "random", "--seed", "7", "--top", "3"];
    for jobs in ["1", "4"] {
        assert_eq!(run(keep.path(), &[&arguments[..], &["-j", jobs]].concat()).code, 0);
    }
    let runs = runs(keep.path());
    assert_eq!(essence(&runs[0]), essence(&runs[1]));
    let other = run(keep.path(), &[&arguments[..7], &["8", "--top", "3", "--json"]].concat());
    assert_ne!(json(&other)["signature"], {
        let results: Value =
            serde_json::from_str(&fs::read_to_string(runs[0].join("results.json")).unwrap())
                .unwrap();
        results["signature"].clone()
    });
}

#[test]
fn limits_and_ids_choose_problems() {
    let (keep, root) = dataset("D", 9);
    let data = root.display().to_string();
    let counted = |more: &[&str]| -> CommandOutput {
        let arguments = [&["run", "codrep", "-d", &data, "--solver", "gold", "--json"], more];
        run(keep.path(), &arguments.concat())
    };
    assert_eq!(json(&counted(&["-L", "4"]))["counts"]["problems"], 4);
    assert_eq!(json(&counted(&["-i", "D/3", "-i", "D/7"]))["counts"]["problems"], 2);
    assert_eq!(json(&counted(&["-i", "D/3", "-i", "D/7", "-L", "1"]))["counts"]["problems"], 1);
    assert_eq!(json(&counted(&["-L", "99"]))["counts"]["problems"], 9);
    let output = counted(&["-i", "7"]);
    assert_eq!(output.code, 2);
    assert!(output.err.contains("did you mean D/7?"), "{}", output.err);
}

#[test]
fn gold_is_perfect_and_worst_is_worst() {
    let (keep, root) = dataset("D", 9);
    let data = root.display().to_string();
    let gold = json(&run(keep.path(), &["run", "codrep", "-d", &data, "-s", "gold", "--json"]));
    assert!((metric(&gold, "recall@1") - 1.0).abs() < 1e-12);
    assert!(metric(&gold, "line-error").abs() < 1e-12);
    let worst = json(&run(keep.path(), &["run", "codrep", "-d", &data, "-s", "worst", "--json"]));
    assert!(metric(&worst, "line-error") > 0.9);
}

#[test]
fn unusable_problems_are_excluded_in_sight() {
    let (keep, root) = dataset("D", 4);
    fs::remove_file(root.join("Solutions/2.txt")).unwrap();
    write(&root, 3, "only a line\n", "1");
    let data = root.display().to_string();
    let output = run(keep.path(), &["run", "codrep", "-d", &data, "-s", "gold", "--json"]);
    assert_eq!(output.code, 5, "{output:?}");
    let results = json(&output);
    assert_eq!(results["counts"]["excluded"], 2);
    assert_eq!(results["counts"]["problems"], 4);
    assert_eq!(results["metrics"]["recall@1"]["n"], 2);
    assert!(output.err.contains("Solutions/2.txt is missing"), "{}", output.err);
    assert!(output.err.contains("Tasks/3.txt holds no program"), "{}", output.err);
}

/// Waits until a file exists, which a program creates when it is running.
fn wait_for(path: &Path) {
    let deadline = Instant::now() + Duration::from_secs(30);
    while !path.exists() {
        assert!(Instant::now() < deadline, "{} does not come", path.display());
        std::thread::sleep(Duration::from_millis(5));
    }
}

fn start(folder: &Path, arguments: &[&str]) -> Child {
    assay(folder)
        .args(arguments)
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
        .unwrap()
}

/// Kills a run after a delay.
fn kill_after(mut child: Child, delay: Duration) {
    std::thread::sleep(delay);
    let _ = child.kill();
    child.wait().unwrap();
}

/// The number of verdicts of a run, and whether it is complete.
fn progress(run: &Path) -> (usize, bool) {
    let verdicts = fs::read_to_string(run.join("verdicts.jsonl")).unwrap_or_default();
    (verdicts.lines().count(), run.join("results.json").exists())
}

/// Kills a run again and again, at moments spread over its duration, and finally lets it finish.
/// Returns the run's folder, and whether it was ever killed in the middle of its work.
fn torture(folder: &Path, arguments: &[&str], life: Duration, round: u32) -> (PathBuf, bool) {
    // A fixed sequence of fractions, different for each round.
    let moment = |attempt: u32| life.mul_f64(f64::from((round * 37 + attempt * 61) % 100) / 100.0);
    for attempt in 0..100 {
        // A separate folder, so that the run is the only one in it.
        let output = folder.join(format!("round{round}-{attempt}"));
        let arguments = [arguments, &["-o", output.to_str().unwrap()]].concat();
        kill_after(start(folder, &arguments), moment(attempt));
        let started = fs::read_dir(&output).ok().and_then(|mut entries| entries.next());
        let Some(run) = started.map(|entry| entry.unwrap().path()) else { continue };
        if run.join("run.json").exists() {
            return (run.clone(), go_on(folder, &run, moment, attempt));
        }
    }
    panic!("no attempt got as far as a manifest");
}

fn go_on(folder: &Path, run: &Path, moment: impl Fn(u32) -> Duration, attempt: u32) -> bool {
    let path = run.display().to_string();
    let in_the_middle = || matches!(progress(run), (1.., false));
    let mut hit = in_the_middle();
    for attempt in attempt + 1..attempt + 5 {
        kill_after(start(folder, &["run", "--resume", &path]), moment(attempt));
        hit |= in_the_middle();
    }
    let output = common::run(folder, &["run", "--resume", &path]);
    assert_eq!(output.code, 0, "{output:?}");
    hit
}

#[test]
fn a_killed_run_resumes_to_the_same_bytes() {
    let (keep, root) = dataset("D", 400);
    let data = root.display().to_string();
    let arguments = ["run", "codrep", "-d", &data, "-s", "random", "--top", "5"];
    let started = Instant::now();
    assert_eq!(run(keep.path(), &arguments).code, 0);
    let life = started.elapsed();
    let undisturbed = essence(&runs(keep.path())[0]);
    let mut hits = 0;
    // On a busy machine many kills come too early or too late: repeat until enough were in time.
    for round in 0..250 {
        if round >= 25 && hits >= 5 {
            break;
        }
        let (tortured, hit) = torture(keep.path(), &arguments, life, round);
        assert_eq!(essence(&tortured), undisturbed, "round {round}");
        hits += usize::from(hit);
    }
    assert!(hits >= 5, "only {hits} of 250 rounds were killed in the middle of their work");
}

/// A predictor that answers the middle line of each task, slowly and in a different order.
const SLOW: &str = r#"for task in $(ls "$1" | sort -r); do
  lines=$(($(wc -l < "$1/$task") - 2))
  echo "$1/$task $(((lines + 1) / 2))"
  sleep 0.005
done
"#;

fn script(folder: &Path, name: &str, text: &str) -> String {
    fs::write(folder.join(name), text).unwrap();
    format!("program:sh {name}")
}

#[test]
fn a_killed_program_run_resumes_to_the_same_bytes() {
    let (keep, root) = dataset("D", 40);
    let data = root.display().to_string();
    let solver = script(keep.path(), "slow.sh", SLOW);
    let arguments = ["run", "codrep", "-d", &data, "-s", &solver];
    let started = Instant::now();
    assert_eq!(run(keep.path(), &arguments).code, 0);
    let life = started.elapsed();
    let undisturbed = essence(&runs(keep.path())[0]);
    let mut hits = 0;
    // On a busy machine many kills come too early or too late: repeat until enough were in time.
    for round in 0..100 {
        if round >= 5 && hits >= 2 {
            break;
        }
        let (tortured, hit) = torture(keep.path(), &arguments, life, round);
        assert_eq!(essence(&tortured), undisturbed, "round {round}");
        hits += usize::from(hit);
    }
    assert!(hits >= 2, "only {hits} rounds were killed in the middle of their work");
}

#[test]
fn an_answer_that_was_lost_is_made_again_and_its_old_verdict_forgotten() {
    let (keep, root) = dataset("D", 3);
    let data = root.display().to_string();
    let solver = script(
        keep.path(),
        "moody.sh",
        r#"for task in "$1"/*.txt; do echo "$task $(cat line)"; done"#,
    );
    fs::write(keep.path().join("line"), "1").unwrap();
    assert_eq!(run(keep.path(), &["run", "codrep", "-d", &data, "-s", &solver]).code, 0);
    let folder = runs(keep.path())[0].clone();
    fs::write(keep.path().join("line"), "2").unwrap();
    fs::write(folder.join("answers.jsonl"), "").unwrap();
    fs::remove_file(folder.join("results.json")).unwrap();
    let output = run(keep.path(), &["run", "--resume", &folder.display().to_string(), "--json"]);
    assert_eq!(output.code, 0, "{output:?}");
    // Line 2 is right for tasks 2 and 3, line 1 for task 1 alone.
    assert_eq!(json(&output)["counts"]["passed"], 2);
    let verdicts = fs::read_to_string(folder.join("verdicts.jsonl")).unwrap();
    assert_eq!(verdicts.lines().count(), 3, "{verdicts}");
}

#[test]
fn what_the_environment_says_does_not_stop_a_resume() {
    let (keep, root) = dataset("D", 3);
    let data = root.display().to_string();
    run(keep.path(), &["run", "codrep", "-d", &data, "-s", "last"]);
    let folder = runs(keep.path())[0].display().to_string();
    let resumed = assay(keep.path())
        .args(["run", "--resume", &folder])
        .envs([("ASSAY_SOLVER", "first"), ("ASSAY_LIMIT", "1"), ("ASSAY_SEED", "5")])
        .output()
        .unwrap();
    assert_eq!(CommandOutput::from(resumed).code, 0);
    for typed in [["--seed", "5"], ["-s", "first"], ["-o", "elsewhere"]] {
        let output = run(keep.path(), &["run", "--resume", &folder, typed[0], typed[1]]);
        assert_eq!(output.code, 2, "{output:?}");
        assert!(output.err.contains("cannot be changed when a run is resumed"), "{}", output.err);
    }
}

#[test]
fn two_processes_do_not_write_one_record() {
    let (keep, root) = dataset("D", 3);
    let data = root.display().to_string();
    let solver = script(keep.path(), "waits.sh", "touch waiting; sleep 60");
    let mut first = start(keep.path(), &["run", "codrep", "-d", &data, "-s", &solver]);
    wait_for(&keep.path().join("waiting"));
    let folder = runs(keep.path())[0].display().to_string();
    let second = run(keep.path(), &["run", "--resume", &folder]);
    first.kill().unwrap();
    first.wait().unwrap();
    assert_eq!(second.code, 3, "{second:?}");
    assert!(second.err.contains("is in use by another process"), "{}", second.err);
}

#[test]
fn what_is_complete_is_shown_though_a_later_solver_fails() {
    let (keep, root) = dataset("D", 3);
    let data = root.display().to_string();
    let arguments = ["run", "codrep", "-d", &data, "-s", "first", "-s", "program:nowhere-at-all"];
    let output = run(keep.path(), &arguments);
    assert_eq!(output.code, 3, "{output:?}");
    assert!(output.out.contains("-codrep-first-"), "{}", output.out);
    // An error that can be found before the start is found then.
    let output =
        run(keep.path(), &["run", "codrep", "-d", &data, "-s", "first", "-s", "file:nowhere"]);
    assert_eq!((output.code, output.out.as_str()), (3, ""));
}

#[test]
fn runs_go_on_though_nobody_reads_the_results() {
    let (keep, root) = dataset("D", 3);
    let data = root.display().to_string();
    let mut child = assay(keep.path())
        .args(["run", "codrep", "-d", &data, "-s", "first", "-s", "middle", "-s", "last", "--json"])
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    drop(child.stdout.take());
    assert_eq!(child.wait().unwrap().code(), Some(0));
    let complete = runs(keep.path()).iter().filter(|run| progress(run).1).count();
    assert_eq!(complete, 3);
}

#[test]
fn a_record_torn_at_any_byte_resumes_to_the_same_bytes() {
    let (keep, root) = dataset("D", 6);
    let data = root.display().to_string();
    assert_eq!(run(keep.path(), &["run", "codrep", "-d", &data, "-s", "last"]).code, 0);
    let whole = runs(keep.path())[0].clone();
    let undisturbed = essence(&whole);
    let answers = fs::read(whole.join("answers.jsonl")).unwrap();
    let verdicts = fs::read(whole.join("verdicts.jsonl")).unwrap();
    let torn = keep.path().join("torn");
    // Every third length of one file, with the other a little ahead or behind.
    for cut in (0..=verdicts.len()).step_by(3) {
        let share = cut * answers.len() / verdicts.len();
        for answer_cut in [share, answers.len(), share / 2] {
            let _ = fs::remove_dir_all(&torn);
            fs::create_dir(&torn).unwrap();
            fs::copy(whole.join("run.json"), torn.join("run.json")).unwrap();
            fs::write(torn.join("answers.jsonl"), &answers[..answer_cut]).unwrap();
            fs::write(torn.join("verdicts.jsonl"), &verdicts[..cut]).unwrap();
            let output = run(keep.path(), &["run", "--resume", "torn"]);
            assert_eq!(output.code, 0, "{answer_cut} {cut}: {output:?}");
            assert_eq!(essence(&torn), undisturbed, "{answer_cut} {cut}");
        }
    }
}

#[test]
fn ctrl_c_ends_cleanly_and_says_how_to_go_on() {
    let (keep, root) = dataset("D", 30);
    let data = root.display().to_string();
    let solver = script(
        keep.path(),
        "waits.sh",
        "test -e go && exit\necho \"$1/1.txt 1\"\ntouch waiting; sleep 60\n",
    );
    let child = assay(keep.path())
        .args(["run", "codrep", "-d", &data, "-s", &solver, "-s", "first"])
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    wait_for(&keep.path().join("waiting"));
    let pid = Pid::from_raw(i32::try_from(child.id()).unwrap()).unwrap();
    kill_process(pid, Signal::INT).unwrap();
    let output = CommandOutput::from(child.wait_with_output().unwrap());
    assert_eq!(output.code, 130, "{output:?}");
    assert!(output.err.contains("interrupted with 1 of 30 problems done"), "{}", output.err);
    assert!(output.err.contains("not started: first on codrep"), "{}", output.err);
    let command = output.err.lines().find(|line| line.starts_with("go on with: ")).unwrap();
    assert!(command.contains(env!("CARGO_BIN_EXE_assay")), "as it was called: {command}");
    let folder = command.rsplit(' ').next().unwrap();
    fs::write(keep.path().join("go"), "").unwrap();
    // The program now exits at once and leaves the rest unanswered.
    let resumed = run(keep.path(), &["run", "--resume", folder, "--json"]);
    assert_eq!(resumed.code, 5, "{resumed:?}");
    assert_eq!(json(&resumed)["counts"]["not_answered"], 29);
    assert_eq!(json(&resumed)["counts"]["answered"], 1);
}

#[test]
fn a_complete_run_is_left_as_it_is() {
    let (keep, root) = dataset("D", 3);
    let data = root.display().to_string();
    run(keep.path(), &["run", "codrep", "-d", &data, "-s", "last"]);
    let folder = runs(keep.path())[0].display().to_string();
    let before = essence(Path::new(&folder));
    fs::remove_dir_all(&root).unwrap();
    let output = run(keep.path(), &["run", "--resume", &folder, "--json"]);
    assert_eq!(output.code, 0, "not even the data is needed: {output:?}");
    assert_eq!(essence(Path::new(&folder)), before);
    // A record from somebody else, of a later version.
    let manifest = Path::new(&folder).join("run.json");
    let text = fs::read_to_string(&manifest).unwrap().replace("\"1.1\"", "\"1.7\"");
    fs::write(&manifest, text).unwrap();
    fs::remove_file(Path::new(&folder).join("lock")).unwrap();
    let again = run(keep.path(), &["run", "--resume", &folder, "--json"]);
    assert_eq!((again.code, again.out), (0, output.out));
    assert!(!Path::new(&folder).join("lock").exists(), "it is only read");
}

#[test]
fn what_changed_since_is_not_resumed() {
    let (keep, root) = dataset("D", 3);
    let data = root.display().to_string();
    run(keep.path(), &["run", "codrep", "-d", &data, "-s", "last"]);
    let folder = runs(keep.path())[0].clone();
    fs::remove_file(folder.join("results.json")).unwrap();
    write(&root, 2, "other\n\na\nb\n", "1");
    let path = folder.display().to_string();
    let output = run(keep.path(), &["run", "--resume", &path]);
    assert_eq!(output.code, 3, "{output:?}");
    assert!(output.err.contains("what it depends on has changed"), "{}", output.err);
}

/// The data of a baseline's run is hashed as it is answered: a run that was killed before that has answers to data that
/// nobody can identify.
#[test]
fn a_run_that_was_killed_before_its_data_was_hashed_starts_over() {
    let (keep, root) = dataset("D", 5);
    let data = root.display().to_string();
    let arguments = ["run", "codrep", "-d", &data, "-s", "last"];
    run(keep.path(), &arguments);
    let folder = runs(keep.path())[0].clone();
    fs::remove_file(folder.join("results.json")).unwrap();
    let mut manifest: Value =
        serde_json::from_slice(&fs::read(folder.join("run.json")).unwrap()).unwrap();
    let fields = manifest.as_object_mut().unwrap();
    assert!(fields.remove("signature").is_some() && fields.remove("data_digest").is_some());
    fs::write(folder.join("run.json"), manifest.to_string()).unwrap();
    let verdicts = fs::read_to_string(folder.join("verdicts.jsonl")).unwrap();
    let torn = &verdicts[..verdicts.len() / 2];
    fs::write(folder.join("verdicts.jsonl"), torn).unwrap();
    write(&root, 2, "other\n\na\nb\n", "1");
    let resumed = run(keep.path(), &["run", "--resume", &folder.display().to_string()]);
    assert_eq!(resumed.code, 0, "{resumed:?}");
    run(keep.path(), &arguments);
    let fresh = runs(keep.path()).into_iter().find(|other| *other != folder).unwrap();
    assert_eq!(essence(&folder), essence(&fresh));
}

#[test]
fn a_record_that_somebody_edited_is_refused_by_line() {
    let (keep, root) = dataset("D", 3);
    let data = root.display().to_string();
    run(keep.path(), &["run", "codrep", "-d", &data, "-s", "last"]);
    let folder = runs(keep.path())[0].clone();
    fs::remove_file(folder.join("results.json")).unwrap();
    let text = fs::read_to_string(folder.join("verdicts.jsonl")).unwrap();
    fs::write(folder.join("verdicts.jsonl"), text.replacen("D/2", "D/9", 1)).unwrap();
    let output = run(keep.path(), &["run", "--resume", &folder.display().to_string()]);
    assert_eq!(output.code, 3, "{output:?}");
    assert!(
        output.err.contains("verdicts.jsonl:2: the line is not part of this run"),
        "{}",
        output.err
    );
    let nothing = run(keep.path(), &["run", "--resume", "nowhere"]);
    assert_eq!(nothing.code, 3);
    assert!(nothing.err.contains("nowhere is not the folder of a run"), "{}", nothing.err);
}

#[test]
fn a_file_of_answers_is_a_solver_too() {
    let (keep, root) = dataset("D", 3);
    let data = root.display().to_string();
    fs::write(keep.path().join("answers.txt"), "1.txt 1\n2.txt 2 1\n").unwrap();
    let output =
        run(keep.path(), &["run", "codrep", "-d", &data, "-s", "file:answers.txt", "--json"]);
    assert_eq!(output.code, 5, "{output:?}");
    assert!(
        output.err.contains("file:answers.txt on codrep: 1 of 3 answers is missing"),
        "{}",
        output.err
    );
    assert_eq!(json(&output)["counts"]["passed"], 2);
    assert_eq!(json(&output)["counts"]["not_answered"], 1);
    fs::write(keep.path().join("answers.txt"), "1.txt one\n").unwrap();
    let output = run(keep.path(), &["run", "codrep", "-d", &data, "-s", "file:answers.txt"]);
    assert_eq!(output.code, 3);
    assert!(output.err.contains("answers.txt:1: \"one\" is not a line number"), "{}", output.err);
}
