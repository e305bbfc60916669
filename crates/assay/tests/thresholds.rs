//! `--require` and `-k`: thresholds, exit code 4, and values of k that cannot be computed.

mod common;

use common::{dataset, feed, run, runs};

#[test]
fn a_missed_threshold_is_exit_code_4_after_the_results() {
    let scratch = tempfile::tempdir().unwrap();
    let with = |requirements: &[&str]| {
        let base = ["run", "codrep", "--data", "sample", "--solver", "locate"];
        let required = requirements.iter().flat_map(|it| ["--require", it]);
        run(scratch.path(), &base.into_iter().chain(required).collect::<Vec<_>>())
    };
    assert_eq!(with(&["recall@1>=0.6", "line-error<0.5", "recall@1.low>0.5"]).code, 0);
    let missed = with(&["recall@1>=0.6", "recall@1.low >= 0.6", "recall@7>=0"]);
    assert_eq!(missed.code, 4, "{missed:?}");
    assert!(missed.out.starts_with("codrep  locate  line-error 0.343"), "{missed:?}");
    let value = "error: recall@1.low>=0.6 is missed: locate on codrep is 0.50";
    assert!(missed.err.contains(value), "{}", missed.err);
    assert!(
        missed.err.contains("recall@7>=0 is missed: locate on codrep is undefined"),
        "{}",
        missed.err
    );
    assert!(!missed.err.contains("recall@1>=0.6 is missed"), "{}", missed.err);
    let folder = runs(scratch.path()).pop().unwrap();
    assert!(folder.join("results.json").exists());
    let resume = ["run", "--resume", folder.to_str().unwrap(), "--require", "recall@1>0.9"];
    assert_eq!(run(scratch.path(), &resume).code, 4);
}

#[test]
fn a_metric_that_nobody_has_is_refused_before_any_work() {
    let scratch = tempfile::tempdir().unwrap();
    let check = |arguments: &[&str], message: &str| {
        let output = run(scratch.path(), arguments);
        assert_eq!((output.code, output.out.as_str()), (2, ""), "{arguments:?}: {output:?}");
        assert!(output.err.contains(message), "{arguments:?}: {}", output.err);
    };
    let run_codrep = ["run", "codrep", "--data", "sample", "--require"];
    check(
        &[&run_codrep[..], &["recal@1>=0.6"]].concat(),
        "codrep has line-error, line-error-distinct",
    );
    check(&[&run_codrep[..], &["pass@1>=0.6"]].concat(), "no metric is called \"pass@1\"");
    check(&[&run_codrep[..], &["recall@1"]].concat(), "'pass@1>=0.6'");
    check(&["run", "--require", "recall@1>=0.6"], "--require needs a task");
    check(&["run", "humaneval", "-d", "sample", "-k", "1", "--require", "pass@5>0"], "-k 5");
    check(
        &["score", "codrep", "none.txt", "-d", "sample", "--require", "x>1"],
        "codrep has line-error",
    );
    assert!(!scratch.path().join("runs").exists());
}

#[test]
fn a_threshold_counts_more_than_missing_answers() {
    let (_keep, root) = dataset("D", 4);
    let root = root.display().to_string();
    let score = |requirement: &str| {
        let arguments = ["score", "codrep", "-", "--data", &root, "--require", requirement];
        feed(std::path::Path::new("/"), &arguments, "1.txt 1\n2.txt 2\n")
    };
    assert_eq!(score("recall@1>=0.5").code, 5);
    assert_eq!(score("recall@1==0.5").code, 5);
    let missed = score("recall@1>0.5");
    assert_eq!(missed.code, 4, "{missed:?}");
    assert!(
        missed.err.contains("recall@1>0.5 is missed: file:standard input on codrep is 0.5"),
        "{missed:?}"
    );
    assert!(
        missed.out.contains("2 passed, 0 failed, 2 not answered")
            || missed.out.contains("2 passed, 2 not answered"),
        "{missed:?}"
    );
}

/// One answer to the first sample problem of HumanEval.
const ANSWER: &str = "{\"task_id\":\"Sample/1\",\"completion\":\"    return 0\\n\"}\n";

#[test]
fn a_k_without_enough_samples_is_refused_before_anything_is_run() {
    let scratch = tempfile::tempdir().unwrap();
    let base = ["run", "humaneval", "--data", "sample", "--solver", "gold", "-k"];
    let refused = run(scratch.path(), &[&base[..], &["10"]].concat());
    assert_eq!((refused.code, refused.out.as_str()), (2, ""), "{refused:?}");
    assert!(
        refused.err.contains("pass@10 needs 10 samples per problem, and -n asks for 1 sample"),
        "{refused:?}"
    );
    assert!(refused.err.contains("hint: add -n 10"), "{refused:?}");
    assert!(!scratch.path().join("runs").exists());
    let score = |k: &str| {
        let arguments = ["score", "humaneval", "-", "--data", "sample", "-k", k];
        feed(scratch.path(), &arguments, &ANSWER.repeat(2))
    };
    let refused = score("5,10");
    assert_eq!((refused.code, refused.out.as_str()), (2, ""), "{refused:?}");
    assert!(
        refused
            .err
            .contains("pass@5 needs 5 samples per problem, and standard input has 2 samples"),
        "{refused:?}"
    );
    assert!(refused.err.contains("hint: -k 2 or less"), "{refused:?}");
}

#[test]
fn what_is_left_out_is_named_only_if_it_was_asked_for() {
    let scratch = tempfile::tempdir().unwrap();
    let arguments = ["run", "humaneval", "--data", "sample", "--solver", "gold"];
    let usual = run(scratch.path(), &arguments);
    assert!(!usual.out.contains("left out"), "{}", usual.out);
    let asked = run(scratch.path(), &[&arguments[..], &["-k", "1,10"]].concat());
    assert_eq!(asked.code, 0, "{asked:?}");
    assert!(
        asked.out.contains("  pass@10 is left out: every problem needs as many samples"),
        "{}",
        asked.out
    );
}
