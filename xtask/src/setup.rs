//! Installs what the tests need.

use crate::Outcome;
use crate::shell::{has, print, run};

/// Programs that the build and the tests use, and the Debian package of each.
const PROGRAMS: &[(&str, &str)] = &[
    ("cc", "gcc"),
    ("c++", "g++"),
    ("git", "git"),
    ("python3", "python3"),
    ("zstd", "zstd"),
    // Languages that programs under test are written in.
    ("node", "nodejs"),
    ("javac", "default-jdk-headless"),
    // Tests of the sandbox run as another user too.
    ("setpriv", "util-linux"),
];

/// The version of cargo-deny that the configuration is written for.
const CARGO_DENY: &str = "0.20.2";
/// The latest version of cargo-shear that the project's Rust can build.
const CARGO_SHEAR: &str = "1.13.3";

/// Installs missing programs, by apt and by cargo.
pub(crate) fn setup() -> Outcome {
    let missing: Vec<&str> = PROGRAMS
        .iter()
        .filter(|(program, _)| !has(program, &["--version"]))
        .map(|&(_, package)| package)
        .collect();
    if !missing.is_empty() {
        print(&format!("installing {}", missing.join(", ")));
        let as_root = has("sh", &["-c", "test $(id -u) = 0"]);
        let (program, prefix): (&str, &[&str]) =
            if as_root { ("apt-get", &[]) } else { ("sudo", &["apt-get"]) };
        run(program, &[prefix, &["update"]].concat())?;
        run(
            program,
            &[prefix, &["install", "--yes", "--no-install-recommends"], &missing].concat(),
        )?;
    }
    if !has("cargo", &["deny", "--version"]) {
        run("cargo", &["install", "--locked", "cargo-deny", "--version", CARGO_DENY])?;
    }
    if !has_shear()
        && let Err(problem) =
            run("cargo", &["install", "--locked", "cargo-shear", "--version", CARGO_SHEAR])
    {
        print(&format!("{problem}\nunused dependencies will NOT be looked for"));
    }
    Ok(())
}

/// Returns whether cargo-shear, which finds unused dependencies, is installed.
pub(crate) fn has_shear() -> bool {
    has("cargo", &["shear", "--version"])
}
