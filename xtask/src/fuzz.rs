//! Runs a fuzz target on stable Rust.

use crate::Outcome;
use crate::shell::{command, output, root, run_command};

/// The compiler flags with which libFuzzer sees the branches that were taken.
const COVERAGE: &str = "--cfg fuzzing -Cpasses=sancov-module \
    -Cllvm-args=-sanitizer-coverage-level=4 \
    -Cllvm-args=-sanitizer-coverage-inline-8bit-counters \
    -Cllvm-args=-sanitizer-coverage-pc-table \
    -Cllvm-args=-sanitizer-coverage-trace-compares \
    -Cdebug-assertions";

/// Runs the target called `name` for this many seconds; its corpus is kept under `fuzz/corpus`.
pub(crate) fn fuzz(name: &str, seconds: &str) -> Outcome {
    let corpus = root().join("fuzz/corpus").join(name);
    std::fs::create_dir_all(&corpus).map_err(|error| format!("xtask: {error}"))?;
    let host = host().ok_or("xtask: rustc does not say what it builds for")?;
    // A separate target folder, or every other build would start over; a target by name, or build
    // scripts would be instrumented too.
    let build = [
        ["run", "--release"].as_slice(),
        &["--package", "assay-fuzz", "--bin", name],
        &["--target-dir", "target/fuzz", "--target", &host],
    ]
    .concat();
    let mut command = command("cargo", &build);
    command.env("RUSTFLAGS", COVERAGE).arg("--").arg(corpus);
    command.arg(format!("-max_total_time={seconds}")).arg("-artifact_prefix=fuzz/artifacts/");
    std::fs::create_dir_all(root().join("fuzz/artifacts")).map_err(|error| error.to_string())?;
    run_command(command, &format!("fuzz {name}"))
}

/// The platform that rustc runs on.
fn host() -> Option<String> {
    let version = output("rustc", &["-vV"])?;
    version.lines().find_map(|line| line.strip_prefix("host: ")).map(str::to_owned)
}
