//! The baselines that use the text: in runs, in predictions, on real data.

mod common;

use std::fs;

use common::{json, metric, real_data, run, write};

const GUESSES: [&str; 3] = ["random-parses", "most-similar", "most-similar-parses"];

#[test]
fn guesses_answer_every_problem_of_the_sample() {
    let scratch = tempfile::tempdir().unwrap();
    let errors = GUESSES.map(|solver| {
        let arguments = ["run", "codrep", "--data", "sample", "-s", solver, "--json"];
        let results = json(&run(scratch.path(), &arguments));
        assert_eq!(results["counts"]["answered"], 48, "{results}");
        let signature = results["signature"].as_str().unwrap();
        assert!(signature.contains(&format!("solver:{solver},")), "{signature}");
        assert_eq!(signature.contains("grammar=java-"), solver.ends_with("-parses"));
        metric(&results, "line-error")
    });
    assert!(errors[0] > errors[1] && errors[1] > errors[2], "each is better: {errors:?}");
}

#[test]
fn guesses_are_predictions_best_first() {
    let scratch = tempfile::tempdir().unwrap();
    let solvers = run(scratch.path(), &["solvers"]).out;
    for solver in GUESSES {
        assert!(solvers.contains(solver), "{solvers}");
        let predict = |top| {
            let output = run(scratch.path(), &["predict", "sample", "-s", solver, "--top", top]);
            assert_eq!(output.code, 0, "{output:?}");
            output.out
        };
        let (one, three) = (predict("1"), predict("3"));
        assert_eq!(one.lines().count(), 48);
        for (one, three) in one.lines().zip(three.lines()) {
            assert!(three.starts_with(&format!("{one} ")), "{solver}: {one} and {three}");
            assert_eq!(three.split(' ').count(), 4, "{three}");
        }
    }
}

#[test]
fn guesses_do_not_hang_on_workers_and_odd_files() {
    let scratch = tempfile::tempdir().unwrap();
    let root = scratch.path().join("D");
    fs::create_dir_all(root.join("Tasks")).unwrap();
    fs::create_dir_all(root.join("Solutions")).unwrap();
    let programs = [
        "def f(x):\n    return x\n".to_owned(),
        "class A {\r\n    int x;\r\n}\r\n".to_owned(),
        "\0\n\u{FEFF}\n\n".to_owned(),
        "a<".repeat(100_000),
        "{\n".repeat(100_000),
        "class A { int x = (((((\n".repeat(1_000),
    ];
    for (at, program) in programs.iter().enumerate() {
        write(&root, at + 1, &format!("x = 1;\n\n{program}"), "1");
    }
    for solver in GUESSES {
        let predict = |workers| {
            run(scratch.path(), &["predict", "D", "-s", solver, "--top", "2", "-j", workers])
        };
        let output = predict("1");
        assert_eq!(output.out.lines().count(), programs.len(), "{output:?}");
        assert_eq!(output.out, predict("2").out);
    }
}

#[test]
fn guesses_find_lines_of_real_history() {
    let Some(data) = real_data("guesses_find_lines_of_real_history") else { return };
    let scratch = tempfile::tempdir().unwrap();
    let archive = data.join("codrep/Dataset4.tar.zst").display().to_string();
    let [random, similar, parses] = GUESSES.map(|solver| {
        let arguments = ["run", "codrep", "-d", &archive, "-s", solver, "-L", "400", "--json"];
        metric(&json(&run(scratch.path(), &arguments)), "recall@1")
    });
    // With the right line in place a program parses, so requiring that it parses loses no hit.
    assert!(random < similar && similar <= parses, "{random}, {similar}, {parses}");
}
