//! Benchmarks against other implementations, on the same work, in one run.
//!
//! Each contender is run several times in turn; the result is the CPU time, which depends least on
//! the load of the machine. The results are stored under `benches/results`.

mod codebleu;
mod codrep_predict;
mod codrep_score;
mod evalplus;
mod extract;
pub(crate) mod floor;
mod humaneval;
mod locate;
pub(crate) mod measure;
mod model_requests;
mod published;
mod sacrebleu;
mod small_model;
mod translations;

use std::path::{Path, PathBuf};

use serde::Serialize;

use crate::Outcome;
use crate::shell::{data, output, print, root, run};
use measure::{Contender, Measurements, compare};

/// The work of a benchmark.
enum Benchmark {
    /// Contenders that do the same work, with what it costs them.
    Contenders(fn(&Bench) -> Result<Vec<Measurements>, String>),
    /// A table of figures: rows by name, in each of them values by column.
    Rows(fn(&Bench) -> Result<Rows, String>),
}

/// A table of figures, in the order of its rows.
type Rows = serde_json::Map<String, serde_json::Value>;

const BENCHMARKS: &[(&str, Benchmark)] = &[
    ("codrep-score", Benchmark::Contenders(codrep_score::run)),
    ("codrep-predict", Benchmark::Contenders(codrep_predict::run)),
    ("locate", Benchmark::Contenders(locate::run)),
    ("codebleu", Benchmark::Contenders(codebleu::run_all)),
    ("sacrebleu", Benchmark::Contenders(sacrebleu::run)),
    ("humaneval", Benchmark::Contenders(humaneval::run_all)),
    ("evalplus", Benchmark::Contenders(evalplus::run_all)),
    ("model-requests", Benchmark::Contenders(model_requests::run_all)),
    ("published", Benchmark::Rows(published::run)),
    ("extract", Benchmark::Rows(extract::run_all)),
    ("translations", Benchmark::Rows(translations::run)),
    ("small-model", Benchmark::Rows(small_model::run)),
];

/// The resources of a benchmark.
pub(crate) struct Bench {
    /// The release build of assay.
    assay: PathBuf,
    /// The folder of real datasets.
    data: PathBuf,
    /// A temporary folder.
    scratch: tempfile::TempDir,
}

/// Runs the named benchmarks, or all.
pub(crate) fn bench(names: &[&str]) -> Outcome {
    let known: Vec<&str> = BENCHMARKS.iter().map(|(name, _)| *name).collect();
    if let Some(unknown) = names.iter().find(|name| !known.contains(name)) {
        return Err(format!(
            "xtask: there is no benchmark {unknown}; there are {}",
            known.join(", ")
        ));
    }
    let data = data().ok_or("xtask: benchmarks need real data; set ASSAY_DATA")?;
    run("cargo", &["build", "--release", "--locked"])?;
    let scratch = tempfile::tempdir().map_err(|error| error.to_string())?;
    let bench = Bench { assay: root().join("target/release/assay"), data, scratch };
    for (name, benchmark) in BENCHMARKS {
        if names.is_empty() || names.contains(name) {
            print(&format!("\n==> bench {name}"));
            let (contenders, rows) = match benchmark {
                Benchmark::Contenders(run) => (run(&bench)?, Rows::new()),
                Benchmark::Rows(run) => (Vec::new(), run(&bench)?),
            };
            write_report(name, contenders, rows)?;
        }
    }
    Ok(())
}

#[derive(Serialize)]
struct BenchmarkReport {
    benchmark: String,
    date: String,
    commit: String,
    machine: String,
    cores: usize,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    contenders: Vec<Measurements>,
    #[serde(skip_serializing_if = "Rows::is_empty")]
    rows: Rows,
}

fn write_report(name: &str, contenders: Vec<Measurements>, rows: Rows) -> Outcome {
    let cpu = std::fs::read_to_string("/proc/cpuinfo").unwrap_or_default();
    let model = cpu.lines().find_map(|line| line.strip_prefix("model name")?.split(": ").nth(1));
    #[expect(clippy::disallowed_methods, reason = "a result carries its date")]
    let now = std::time::SystemTime::now();
    let report = BenchmarkReport {
        benchmark: name.to_owned(),
        date: humantime::format_rfc3339_seconds(now).to_string(),
        commit: output("git", &["describe", "--always", "--dirty"]).unwrap_or_default(),
        machine: model.unwrap_or("unknown").to_owned(),
        cores: std::thread::available_parallelism().map_or(1, usize::from),
        contenders,
        rows,
    };
    let path = root().join("benches/results").join(format!("{name}.json"));
    let text = serde_json::to_string_pretty(&report).map_err(|error| error.to_string())?;
    std::fs::create_dir_all(path.parent().unwrap_or(&path)).map_err(|error| error.to_string())?;
    std::fs::write(&path, text + "\n").map_err(|error| error.to_string())
}

impl Bench {
    /// The archives of CodRep's datasets.
    fn archives(&self) -> Vec<PathBuf> {
        (1..=4).map(|number| self.data.join(format!("codrep/Dataset{number}.tar.zst"))).collect()
    }

    /// Unpacks an archive of the real data into the scratch folder, and returns that.
    fn unpacked(&self, archive: &str) -> Result<PathBuf, String> {
        self.unpack(&self.data.join(archive))?;
        Ok(self.scratch.path().to_owned())
    }

    /// The JSON that assay prints; answers may be missing.
    fn json(&self, arguments: &[&str]) -> Result<serde_json::Value, String> {
        let assay = self.assay.display().to_string();
        let script = "\"$0\" \"$@\" || [ $? = 5 ]";
        let printed = output("sh", &[&["-c", script, &assay], arguments].concat());
        let printed = printed.ok_or_else(|| format!("xtask: assay {arguments:?} failed"))?;
        serde_json::from_str(&printed).map_err(|error| error.to_string())
    }

    /// Unpacks an archive into the scratch folder.
    fn unpack(&self, archive: &Path) -> Outcome {
        let archive = archive.display().to_string();
        let into = self.scratch.path().display().to_string();
        run("tar", &["--use-compress-program", "zstd -d --long=27", "-xf", &archive, "-C", &into])
    }
}

/// The Python interpreter itself: a version manager's shim would add its own startup to every run.
fn python() -> Result<String, String> {
    output("python3", &["-c", "import sys; print(sys.executable)"])
        .ok_or_else(|| "xtask: there is no python3".to_owned())
}

/// A Python interpreter with these packages, without their declared dependencies: the versions are
/// known to fit each other.
fn venv(packages: &[&str]) -> Result<String, String> {
    let folder = root().join("target/bench-venv").display().to_string();
    let interpreter = format!("{folder}/bin/python");
    if output(&interpreter, &["--version"]).is_none() {
        run(&python()?, &["-m", "venv", &folder])?;
    }
    let install = ["-m", "pip", "install", "--quiet", "--no-deps"];
    run(&interpreter, &[&install, packages].concat())?;
    Ok(interpreter)
}

/// A Python interpreter with this package and its dependencies.
fn venv_with_dependencies(package: &str) -> Result<String, String> {
    let name = package.split('=').next().unwrap_or(package);
    let folder = root().join("target").join(format!("bench-venv-{name}")).display().to_string();
    let interpreter = format!("{folder}/bin/python");
    if output(&interpreter, &["--version"]).is_none() {
        run(&python()?, &["-m", "venv", &folder])?;
    }
    run(&interpreter, &["-m", "pip", "install", "--quiet", package])?;
    Ok(interpreter)
}
