//! The translation tasks: runs, answers in every format, and every refusal.

mod common;

use std::fs;
use std::path::{Path, PathBuf};

use common::{CommandOutput, assay, feed, json, metric, real_data, run, runs};
use tempfile::TempDir;

const JAVA: [&str; 3] = ["int a ( ) { return 1 ; }", "int b ( ) { return 2 ; }", "void c ( ) { }"];
const PYTHON: [&str; 3] = [
    "def a ( ) : NEW_LINE INDENT return 1 NEW_LINE DEDENT",
    "def b ( ) : NEW_LINE INDENT return 2 NEW_LINE DEDENT",
    "def c ( ) : NEW_LINE INDENT pass NEW_LINE DEDENT",
];

/// A corpus in AVATAR's format, with three problems called one, two and three, and its truth in
/// Fusion Brain's format.
fn corpus() -> (TempDir, PathBuf) {
    let scratch = tempfile::tempdir().expect("a folder can be made");
    let root = scratch.path().join("corpus");
    fs::create_dir(&root).expect("a folder can be made");
    let file = |name: &str, lines: &[&str]| {
        let text: String = lines.iter().map(|line| format!("{line}\n")).collect();
        fs::write(root.join(format!("test.java-python.{name}")), text)
            .expect("a file can be written");
    };
    file("java", &JAVA);
    file("python", &PYTHON);
    file("id", &["one", "two", "three"]);
    let truth = serde_json::json!({"one": PYTHON[0], "two": PYTHON[1], "three": PYTHON[2]});
    fs::write(scratch.path().join("truth.json"), truth.to_string()).expect("a file can be written");
    (scratch, root)
}

fn score(folder: &Path, answers: &str, more: &[&str]) -> CommandOutput {
    let arguments = [&["score", "c2c", "-", "--data", "corpus"], more].concat();
    feed(folder, &arguments, answers)
}

fn check_refused(output: &CommandOutput, message: &str, hint: &str) {
    assert_eq!((output.code, output.out.as_str()), (3, ""), "{output:?}");
    assert!(output.err.contains(message), "{message:?} is not in {}", output.err);
    assert!(output.err.contains(hint), "{hint:?} is not in {}", output.err);
}

#[test]
fn gold_is_perfect_copy_is_not_and_rules_lie_between() {
    let scratch = tempfile::tempdir().unwrap();
    for task in ["c2c", "trans-java-cs", "trans-cs-java"] {
        let output = run(scratch.path(), &["run", task, "--data", "sample", "--json"]);
        assert_eq!(output.code, 0, "{output:?}");
        let results: Vec<serde_json::Value> =
            output.out.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
        let [copy, rewrite, gold] = results.as_slice() else { panic!("{output:?}") };
        let exact = |results| metric(results, "exact-match");
        assert!(exact(copy) < exact(rewrite) && exact(rewrite) < exact(gold), "{output:?}");
        assert!((exact(gold) - 1.0).abs() < 1e-12);
        assert_eq!(gold["counts"]["passed"], 12);
        assert_eq!(copy["counts"]["failed"], 12);
        let interval = &gold["metrics"]["exact-match"];
        assert!(interval["low"].as_f64().unwrap() < 0.8, "twelve right answers prove little");
        assert_eq!(interval["n"], 12);
    }
}

#[test]
fn workers_and_rules_do_not_change_what_is_summed() {
    let scratch = tempfile::tempdir().unwrap();
    let results = |jobs: &str, rules: &str| {
        let arguments =
            ["run", "c2c", "-d", "sample", "-s", "rewrite", "-j", jobs, "--rules", rules, "--json"];
        json(&run(scratch.path(), &arguments))
    };
    assert_eq!(results("1", "compat")["metrics"], results("4", "compat")["metrics"]);
    assert_eq!(results("1", "strict")["metrics"], results("4", "strict")["metrics"]);
    assert_ne!(results("1", "strict")["signature"], results("1", "compat")["signature"]);
}

#[test]
fn a_torn_run_is_resumed_to_the_same_results() {
    let (keep, _root) = corpus();
    let arguments = ["run", "c2c", "-d", "corpus", "-s", "rewrite", "--json"];
    let whole = json(&run(keep.path(), &arguments));
    let folder = runs(keep.path()).remove(0);
    let read = |name: &str| fs::read_to_string(folder.join(name)).unwrap();
    let (answers, verdicts) = (read("answers.jsonl"), read("verdicts.jsonl"));
    fs::remove_file(folder.join("results.json")).unwrap();
    // One verdict and half an answer are lost.
    let cut = |text: &str| text.lines().take(1).map(|line| format!("{line}\n")).collect::<String>();
    fs::write(folder.join("verdicts.jsonl"), cut(&verdicts)).unwrap();
    fs::write(folder.join("answers.jsonl"), &answers[..answers.len() - 20]).unwrap();
    let resumed = run(keep.path(), &["run", "--resume", folder.to_str().unwrap(), "--json"]);
    assert_eq!(json(&resumed), whole, "{resumed:?}");
    assert_eq!((read("answers.jsonl"), read("verdicts.jsonl")), (answers, verdicts));
}

#[test]
fn answers_are_read_in_every_form() {
    let (keep, _root) = corpus();
    let two_right = [PYTHON[0], "  wrong  ", PYTHON[2]];
    let object =
        serde_json::json!({"three": two_right[2], "one": two_right[0], "two": two_right[1]});
    let ours: String = ["one", "two", "three"]
        .iter()
        .zip(two_right)
        .map(|(id, text)| {
            let answer = serde_json::json!({"problem": id, "response": {"text": text}});
            format!("{answer}\n")
        })
        .collect();
    let forms = [
        object.to_string(),
        format!("\u{feff}{}", serde_json::to_string_pretty(&object).unwrap()),
        two_right.join("\n"),
        two_right.join("\r\n") + "\r\n",
        format!("\u{feff}{ours}"),
        ours,
    ];
    for answers in &forms {
        let results = json(&score(keep.path(), answers, &["--json"]));
        assert!((metric(&results, "exact-match") - 2.0 / 3.0).abs() < 1e-12, "{answers}");
        assert_eq!(results["counts"]["answered"], 3, "{answers}");
    }
    // The same against Fusion Brain's truth, where problems are named by its keys.
    let output = feed(
        keep.path(),
        &["score", "c2c", "-", "--data", "truth.json", "--json"],
        &object.to_string(),
    );
    assert!((metric(&json(&output), "exact-match") - 2.0 / 3.0).abs() < 1e-12, "{output:?}");
    // A file of answers is a solver too.
    fs::write(keep.path().join("p.json"), object.to_string()).unwrap();
    let output = run(keep.path(), &["run", "c2c", "-d", "corpus", "-s", "file:p.json", "--json"]);
    assert_eq!(json(&output)["counts"]["passed"], 2, "{output:?}");
}

#[test]
fn the_answers_of_a_run_can_be_scored() {
    let (keep, _root) = corpus();
    let ran = json(&run(keep.path(), &["run", "c2c", "-d", "corpus", "-s", "rewrite", "--json"]));
    let answers = fs::read_to_string(runs(keep.path())[0].join("answers.jsonl")).unwrap();
    let scored = json(&score(keep.path(), &answers, &["--json"]));
    assert_eq!(scored["metrics"], ran["metrics"]);
}

#[test]
fn an_empty_text_is_an_answer_and_a_wrong_one() {
    let (keep, _root) = corpus();
    let results = json(&score(keep.path(), "\n\n\n", &["--json"]));
    assert_eq!(
        (&results["counts"]["failed"], &results["counts"]["not_answered"]),
        (&3.into(), &0.into())
    );
}

#[test]
fn a_missing_answer_is_refused_or_counts_as_empty() {
    let (keep, _root) = corpus();
    let answers = serde_json::json!({"two": PYTHON[1]}).to_string();
    check_refused(
        &score(keep.path(), &answers, &[]),
        "2 things are wrong in standard input\n  \
         standard input: there is no answer to \"one\"\n  \
         standard input: there is no answer to \"three\"",
        "--rules strict",
    );
    let results = json(&score(keep.path(), &answers, &["--rules", "strict", "--json"]));
    assert!((metric(&results, "exact-match") - 1.0 / 3.0).abs() < 1e-12);
    assert_eq!(results["counts"]["not_answered"], 2);
    assert_eq!(results["metrics"]["exact-match"]["n"], 3);
    let none = json(&score(keep.path(), "{}", &["--rules", "strict", "--json"]));
    assert_eq!(none["counts"]["not_answered"], 3);
}

#[test]
fn what_is_wrong_with_answers_is_named_with_its_place() {
    let (keep, _root) = corpus();
    let refused = |answers: &str, message: &str, hint: &str| {
        check_refused(&score(keep.path(), answers, &["--rules", "strict"]), message, hint);
    };
    refused(
        "{\n \"one\": \"x\",\n \"four\": \"y\",\n \"two\": 7,\n \"one\": \"z\"}",
        "3 things are wrong in standard input\n  \
         standard input:3:10: there is no problem \"four\"; problems are called like \"one\"\n  \
         standard input:4:9: the answer to \"two\" is a number, not a text\n  \
         standard input:5:9: a second answer to one; the first is at 2:9",
        "hint: nothing was scored; answers are one JSON object",
    );
    refused("{\"four\": \"x\"}", "there is no problem \"four\"", "--data");
    refused("{\"one\": \"x\", \"one\": \"y\"}", ":1:21: a second answer to one", "one text");
    refused("{\"one\": \"x\"", "standard input:1:11: not JSON: EOF while parsing", "hint:");
    refused("{\"one\": \"x\",}", "standard input:1:13: not JSON: trailing comma", "hint:");
    refused("x\ny\n", "standard input: 2 lines for 3 problems", "one a line in the order");
    refused("x\ny\nz\n\n", "standard input: 4 lines for 3 problems", "JSON object");
    refused("", "0 lines for 3 problems", "one a line");
    refused("[\"x\"]", "1 line for 3 problems", "JSON object");
    let answer =
        |id: &str, response: &str| format!("{{\"problem\":\"{id}\",\"response\":{response}}}\n");
    refused(
        &(answer("one", "{\"lines\":[1]}") + &answer("four", "{\"text\":\"x\"}") + "junk\n"),
        "3 lines of standard input cannot be accepted\n  \
         standard input:1: one: the answer is no text\n  \
         standard input:2: four is not among the chosen problems\n  \
         standard input:3: not an answer as `assay run` writes it",
        "hint:",
    );
}

#[test]
fn the_original_passes_over_names_that_it_does_not_know() {
    let (keep, _root) = corpus();
    let answers = "{\"four\": 4, \"one\": \"a\", \"two\": \"b\", \"three\": \"c\"}";
    let results = json(&score(keep.path(), answers, &["--json"]));
    assert_eq!(results["counts"]["failed"], 3);
    check_refused(&score(keep.path(), "{\"four\": \"x\"}", &[]), "no answer to \"one\"", "hint:");
}

#[test]
fn what_is_not_utf8_is_refused_with_its_place() {
    let (keep, _root) = corpus();
    for (bytes, message) in [
        (&b"x\n\xff\nz\n"[..], "bad.txt:2: the line is not UTF-8"),
        (b"{\"one\":\n \"\xff\"}", "bad.txt:2:3: not UTF-8"),
    ] {
        fs::write(keep.path().join("bad.txt"), bytes).unwrap();
        let output = run(keep.path(), &["score", "c2c", "bad.txt", "-d", "corpus"]);
        check_refused(&output, message, "hint:");
        let solver = ["run", "c2c", "-d", "corpus", "-s", "file:bad.txt"];
        check_refused(&run(keep.path(), &solver), message, "hint:");
    }
}

#[test]
fn a_solver_that_cannot_answer_is_refused_before_anything_runs() {
    let (keep, _root) = corpus();
    for (task, solver, message, hint) in [
        (
            "c2c",
            "locate",
            "locate answers with a line, but c2c asks for a text",
            "copy, rewrite, gold",
        ),
        ("c2c", "first", "first answers with a line", "file:PATH"),
        ("codrep", "copy", "copy answers with a text, but codrep asks for a line", "locate, first"),
        ("codrep", "rewrite", "rewrite answers with a text", "the solvers for codrep are:"),
    ] {
        // The solver before it could run, but does not.
        let output = run(keep.path(), &["run", task, "-d", "sample", "-s", "gold", "-s", solver]);
        assert_eq!(output.code, 2, "{output:?}");
        assert!(output.err.contains(message) && output.err.contains(hint), "{}", output.err);
    }
    assert!(!keep.path().join("runs").exists());
    let output = run(keep.path(), &["predict", "sample", "--solver", "copy"]);
    assert_eq!(output.code, 2, "{output:?}");
}

#[test]
fn the_tour_leaves_out_what_a_solver_cannot_do() {
    let scratch = tempfile::tempdir().unwrap();
    let output = run(scratch.path(), &["run", "-s", "rewrite", "--json"]);
    assert_eq!((output.code, output.out.lines().count()), (0, 3), "{output:?}");
    assert!(
        output.err.contains("tour: codrep is left out: rewrite answers with a text"),
        "{}",
        output.err
    );
}

#[test]
fn a_truth_without_sources_can_be_scored_against_only() {
    let (keep, _root) = corpus();
    check_refused(
        &run(keep.path(), &["run", "c2c", "-d", "truth.json", "-s", "gold"]),
        "truth.json has right answers only, and no sources to ask about",
        "`assay score` grades answers against it",
    );
    let refused = |truth: &str, message: &str| {
        fs::write(keep.path().join("bad.json"), truth).unwrap();
        let output = run(keep.path(), &["score", "c2c", "truth.json", "-d", "bad.json"]);
        check_refused(&output, message, "hint:");
    };
    refused("{\"0\": 1}", "bad.json:1:7: the right answer to \"0\" is a number, not a text");
    refused("{\"0\": \"a\",\n\"0\": \"b\"}", "bad.json:2:6: \"0\" is there twice, first at ");
    refused("{\"0\": \"a\"", "bad.json:1:9: not JSON: EOF");
    refused("{}", "bad.json holds no problems");
    refused("nothing", "bad.json is not an archive that is known here");
}

#[test]
fn data_that_does_not_fit_is_refused() {
    let (keep, root) = corpus();
    let refused = |message: &str| {
        check_refused(&run(keep.path(), &["run", "c2c", "-d", "corpus"]), message, "");
    };
    fs::write(root.join("test.java-python.python"), "x\ny\n").unwrap();
    refused("test.java-python.java has 3 lines and test.java-python.python has 2");
    fs::remove_file(root.join("test.java-python.python")).unwrap();
    refused("corpus/test.java-python.python is missing");
    fs::remove_file(root.join("test.java-python.java")).unwrap();
    refused("corpus holds no test.java-python.java");
    let two = run(keep.path(), &["run", "c2c", "-d", "corpus", "-d", "truth.json"]);
    assert_eq!(two.code, 2, "{two:?}");
    assert!(two.err.contains("c2c takes one dataset"), "{}", two.err);
}

#[test]
fn without_a_file_of_names_problems_are_known_by_their_line() {
    let (keep, root) = corpus();
    fs::remove_file(root.join("test.java-python.id")).unwrap();
    let output =
        run(keep.path(), &["run", "c2c", "-d", "corpus", "-s", "gold", "-i", "test/2", "--json"]);
    assert_eq!(json(&output)["counts"]["passed"], 1, "{output:?}");
    let answers = r#"{"test/1": "x", "test/2": "y", "test/3": "z"}"#;
    assert_eq!(score(keep.path(), answers, &[]).code, 0);
}

#[test]
fn data_is_found_in_an_archive_of_the_tasks_folder() {
    let (keep, root) = corpus();
    let home = keep.path().join("home/avatar");
    fs::create_dir_all(&home).unwrap();
    let packed = pack(&root, &home.join("corpus.tar"));
    assert!(packed, "tar packs the corpus");
    let output = assay(keep.path())
        .args(["run", "c2c", "-s", "gold", "--json"])
        .env("ASSAY_DATA", keep.path().join("home"))
        .output()
        .unwrap();
    assert_eq!(json(&output.into())["counts"]["passed"], 3);
}

#[expect(clippy::disallowed_methods, reason = "the test packs an archive")]
fn pack(root: &Path, archive: &Path) -> bool {
    let mut tar = std::process::Command::new("tar");
    tar.arg("-cf").arg(archive).arg("-C").arg(root).arg(".");
    tar.status().is_ok_and(|status| status.success())
}

#[test]
fn a_program_translates_a_file_of_sources() {
    let (keep, _root) = corpus();
    let solve = |command: &str| {
        let solver = format!("program:sh -c '{command}'");
        run(keep.path(), &["run", "c2c", "-d", "corpus", "-s", &solver, "--json"])
    };
    let output = solve("while read -r line; do echo \"[$line]\"; done < \"$0\"");
    assert_eq!(
        (output.code, json(&output)["counts"]["answered"].as_u64()),
        (0, Some(3)),
        "{output:?}"
    );
    let answers = fs::read_to_string(runs(keep.path())[0].join("answers.jsonl")).unwrap();
    assert!(answers.contains(r#"{"text":"[int b ( ) { return 2 ; }]"}"#), "{answers}");
    // Answers before the failure count; the rest has no answer.
    let output = solve("echo one; exit 3");
    let counts = &json(&output)["counts"];
    assert_eq!(
        (output.code, &counts["failed"], &counts["not_answered"]),
        (5, &1.into(), &2.into())
    );
    // A surplus line answers nothing.
    let output = solve("cat \"$0\"; echo more");
    assert_eq!((output.code, &json(&output)["counts"]["answered"]), (0, &3.into()), "{output:?}");
    assert!(output.err.contains("one line more than the 3 sources"), "{}", output.err);
}

#[test]
fn cards_say_what_is_asked() {
    let here = Path::new("/");
    for (task, words) in [
        ("c2c", "from Java to Python"),
        ("trans-java-cs", "from Java to C#"),
        ("trans-cs-java", "from C# to Java"),
    ] {
        assert!(run(here, &["tasks"]).out.contains(words));
        let shown = run(here, &["show", task]).out;
        assert!(shown.contains(words) && shown.contains("codebleu"), "{shown}");
    }
    assert_eq!(json(&run(here, &["show", "c2c", "--json"]))["asks"], "text");
}

#[test]
fn real_corpora_open_and_their_stored_answers_score() {
    let Some(data) = real_data("real_corpora_open_and_their_stored_answers_score") else { return };
    let scratch = tempfile::tempdir().unwrap();
    let root = data.display().to_string();
    for (task, problems) in [("c2c", 682), ("trans-java-cs", 1000), ("trans-cs-java", 1000)] {
        let gold =
            run(scratch.path(), &["run", task, "--data-root", &root, "-s", "gold", "--json"]);
        assert_eq!(json(&gold)["counts"]["passed"], problems, "{gold:?}");
    }
    let fusion = |name: &str| data.join("fusion_brain").join(name).display().to_string();
    let (prediction, truth) = (fusion("prediction_C2C.json"), fusion("true_C2C.json"));
    let output = run(scratch.path(), &["score", "c2c", &prediction, "-d", &truth, "--json"]);
    assert_eq!(json(&output)["counts"]["failed"], 20, "{output:?}");
    let output = run(scratch.path(), &["score", "c2c", &truth, "-d", &truth, "--json"]);
    assert_eq!(json(&output)["counts"]["passed"], 20, "{output:?}");
}
