//! All checks, in one command.

use crate::shell::{command, data, print, run, run_command};
use crate::{Outcome, setup, tidy};

/// Sets up and checks everything.
pub(crate) fn test() -> Outcome {
    setup::setup()?;
    setup::model();
    match data() {
        Some(_) => print("real data: found, tests on it run"),
        None => print("real data: ASSAY_DATA is not set, tests on it are skipped"),
    }
    tidy::tidy()?;
    run("cargo", &["fmt", "--all", "--check"])?;
    run("cargo", &["clippy", "--workspace", "--all-targets", "--locked", "--", "-D", "warnings"])?;
    run("cargo", &["deny", "check", "--hide-inclusion-graph", "bans", "licenses", "sources"])?;
    if setup::has_shear() {
        run("cargo", &["shear"])?;
    } else {
        print(
            "\n==> SKIPPED: cargo shear, which finds unused dependencies, could not be installed",
        );
    }
    run("cargo", &["build", "--package", "assay-fuzz", "--locked"])?;
    run("cargo", &["test", "--workspace", "--locked"])?;
    smaller_builds()?;
    let mut docs = command("cargo", &["doc", "--workspace", "--no-deps", "--locked"]);
    docs.env("RUSTDOCFLAGS", "-D warnings");
    run_command(docs, "cargo doc")?;
    print("\nall is well");
    Ok(())
}

/// Checks `assay` without its optional features, and with each of them alone. What both builds share is built once.
fn smaller_builds() -> Outcome {
    let build = ["--package", "assay", "--locked", "--no-default-features"];
    run("cargo", &[&["clippy"], &build[..], &["--", "-D", "warnings"]].concat())?;
    for feature in ["mine", "models", "russian-lemmas", "seal"] {
        run("cargo", &[&["check"], &build[..], &["--features", feature]].concat())?;
    }
    let tests = ["--test", "cli", "--test", "features", "--", "tour", "feature"];
    run("cargo", &[&["test"], &build[..], &tests].concat())
}

/// Regenerates the documents and snapshots of these tests.
pub(crate) fn bless(tests: &[&str]) -> Outcome {
    let mut tests = command("cargo", &[&["test"], tests].concat());
    tests.env("ASSAY_BLESS", "1").env("INSTA_UPDATE", "always");
    run_command(tests, "cargo test (blessing)")
}
