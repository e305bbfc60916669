//! Data without solutions, and with a part of them.

#![expect(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

mod common;

use std::fs;

use common::{dataset, feed, json, run};
use tempfile::TempDir;

/// A dataset `D` of four tasks, of which the solutions to these are missing.
fn without(missing: &[usize]) -> TempDir {
    let (keep, root) = dataset("D", 4);
    for number in missing {
        fs::remove_file(root.join(format!("Solutions/{number}.txt"))).unwrap();
    }
    keep
}

#[test]
fn data_that_cannot_be_graded_at_all_is_refused_first() {
    let keep = without(&[1, 2, 3, 4]);
    for with_folder in [true, false] {
        for command in [
            ["run", "codrep", "--data", "D", "--solver", "gold"].as_slice(),
            &["run", "codrep", "--data", "D", "--solver", "middle"],
            &["run", "codrep", "--data", "D"],
            &["score", "codrep", "answers", "--data", "D"],
            &["train", "locate", "--data", "D", "-o", "x.bin"],
        ] {
            fs::write(keep.path().join("answers"), "1.txt 1\n").unwrap();
            let output = run(keep.path(), command);
            assert_eq!((output.code, output.out.as_str()), (3, ""), "{command:?}: {output:?}");
            let message = "none of 4 tasks has a usable solution: ";
            assert!(output.err.contains(message), "{command:?}: {output:?}");
            assert!(output.err.contains("Solutions/1.txt is missing"), "{command:?}: {output:?}");
            assert!(output.err.contains("hint: "), "{command:?}: {output:?}");
            assert!(!keep.path().join("runs").exists(), "{command:?}");
        }
        // Each task without an answer has its reason, with --json too.
        let output = run(keep.path(), &["predict", "D", "--solver", "gold"]);
        assert_eq!((output.code, output.out.as_str()), (5, ""), "{output:?}");
        let message = "4 of 4 tasks have no prediction, because Solutions/N.txt is missing";
        assert!(output.err.contains(message), "{output:?}");
        // Solvers that do not look at solutions answer all the same.
        let output = run(keep.path(), &["predict", "D", "--solver", "middle"]);
        assert_eq!((output.code, output.out.lines().count()), (0, 4), "{output:?}");
        if with_folder {
            fs::remove_dir(keep.path().join("D/Solutions")).unwrap();
        }
    }
}

#[test]
fn a_part_without_solutions_is_counted_with_its_cause() {
    let keep = without(&[2, 4]);
    let cause = "because Solutions/N.txt is missing";
    for solver in ["gold", "middle"] {
        let arguments = ["run", "codrep", "--data", "D", "--solver", solver, "--json"];
        let output = run(keep.path(), &arguments);
        assert_eq!(output.code, 5, "{output:?}");
        let message = "warning: 2 problems cannot be used and count in no metric, ";
        assert!(output.err.contains(&format!("{message}{cause}")), "{output:?}");
        assert_eq!(json(&output)["counts"]["excluded"], 2);
    }
    let output = run(keep.path(), &["predict", "D", "--solver", "gold"]);
    assert_eq!((output.code, output.out.lines().count()), (5, 2), "{output:?}");
    let message = format!("warning: 2 of 4 tasks have no prediction, {cause}");
    assert!(output.err.contains(&message), "{output:?}");
    let answers = "1.txt 1\n3.txt 1\n";
    let output = feed(keep.path(), &["score", "codrep", "-", "--data", "D"], answers);
    assert_eq!(output.code, 5, "{output:?}");
    let message = "2 problems have no usable solution and count as not answered, ";
    assert!(output.err.contains(&format!("{message}{cause}")), "{output:?}");
    let arguments = ["train", "locate", "--data", "D", "-o", "x.bin", "--trees", "1"];
    let output = run(keep.path(), &arguments);
    assert_eq!(output.code, 0, "{output:?}");
    let message = format!("warning: 2 tasks are left out of the training, {cause}");
    assert!(output.err.contains(&message), "{output:?}");
}

#[test]
fn one_is_not_several() {
    let keep = without(&[2]);
    let output = run(keep.path(), &["run", "codrep", "--data", "D", "--solver", "middle"]);
    let message = "warning: 1 problem cannot be used and counts in no metric\n";
    assert!(output.err.contains(message), "{output:?}");
    let output = run(keep.path(), &["predict", "D", "--solver", "gold"]);
    assert!(output.err.contains("warning: 1 of 4 tasks has no prediction\n"), "{output:?}");
    let output = run(keep.path(), &["data", "verify", "D"]);
    assert!(output.out.contains("4 tasks, 1 thing is wrong"), "{output:?}");
}
