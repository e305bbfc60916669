//! CPU time and memory of a command, over repeated runs.

use std::fs::File;
use std::path::Path;
use std::process::Stdio;

use serde::{Deserialize, Serialize};

use super::Bench;
use crate::Outcome;
use crate::shell::{command, print};

/// One of the commands that a benchmark compares.
pub(crate) struct Contender {
    /// The name in the result.
    pub(crate) name: &'static str,
    /// The script, which is run by `sh -c`.
    pub(crate) script: String,
}

/// The resources that one run used.
#[derive(Debug, Clone, Copy, Serialize, Deserialize)]
struct Usage {
    cpu_ms: f64,
    wall_ms: f64,
    peak_mib: f64,
}

/// The resources that a contender used over all runs.
#[derive(Debug, Clone, Serialize)]
pub(crate) struct Measurements {
    pub(crate) contender: String,
    pub(crate) runs: usize,
    pub(crate) cpu_ms_median: f64,
    pub(crate) cpu_ms_min: f64,
    /// The elapsed time, which depends most on the load of the machine.
    pub(crate) wall_ms_min: f64,
    pub(crate) peak_mib: f64,
    /// The median CPU time relative to the first contender's.
    pub(crate) times_first: f64,
}

/// Runs the contenders in turn, `rounds` times each after a warm-up round.
pub(crate) fn compare(
    bench: &Bench,
    contenders: &[Contender],
    rounds: usize,
) -> Result<Vec<Measurements>, String> {
    for contender in contenders {
        measure(bench, contender)?;
    }
    compare_at_once(bench, contenders, rounds)
}

/// Runs the contenders in turn without a warm-up round, for work that takes minutes.
pub(crate) fn compare_at_once(
    bench: &Bench,
    contenders: &[Contender],
    rounds: usize,
) -> Result<Vec<Measurements>, String> {
    let mut usages = vec![Vec::new(); contenders.len()];
    for _ in 0..rounds {
        for (contender, usages) in contenders.iter().zip(&mut usages) {
            usages.push(measure(bench, contender)?);
        }
    }
    let mut first = None;
    let figures = contenders.iter().zip(usages).map(|(contender, usages)| {
        let mut times: Vec<f64> = usages.iter().map(|usage| usage.cpu_ms).collect();
        times.sort_by(f64::total_cmp);
        let median = times[times.len() / 2];
        let figures = Measurements {
            contender: contender.name.to_owned(),
            runs: times.len(),
            cpu_ms_median: median,
            cpu_ms_min: times[0],
            wall_ms_min: usages.iter().map(|usage| usage.wall_ms).fold(f64::MAX, f64::min),
            peak_mib: usages.iter().map(|usage| usage.peak_mib).fold(0.0, f64::max),
            times_first: median / *first.get_or_insert(median),
        };
        print(&format!(
            "{:<34} {:>9.1} ms CPU (least {:.1}), {:>9.1} ms wall, {:>6.1} MiB, \
             {:>5.2} times the first",
            figures.contender,
            figures.cpu_ms_median,
            figures.cpu_ms_min,
            figures.wall_ms_min,
            figures.peak_mib,
            figures.times_first
        ));
        figures
    });
    Ok(figures.collect())
}

/// Measures the contender in a separate process: the usage of children is available only after all
/// of them have ended, and not for a single one.
fn measure(bench: &Bench, contender: &Contender) -> Result<Usage, String> {
    let report = bench.scratch.path().join("usage.json");
    let this = std::env::current_exe().map_err(|error| error.to_string())?;
    let status = command(&this.display().to_string(), &["measure"])
        .arg(&report)
        .args(["sh", "-c", &contender.script])
        .stdout(Stdio::null())
        .status()
        .map_err(|error| error.to_string())?;
    if !status.success() {
        return Err(format!("xtask: {} failed: {}", contender.name, contender.script));
    }
    let file = File::open(&report).map_err(|error| error.to_string())?;
    serde_json::from_reader(file).map_err(|error| error.to_string())
}

/// Runs a command and writes its resource usage to `report`.
pub(crate) fn measure_here(report: &str, words: &[&str]) -> Outcome {
    let (program, arguments) = words.split_first().ok_or("xtask measure: no command")?;
    let begun = std::time::Instant::now();
    let status = command(program, arguments).status().map_err(|error| error.to_string())?;
    let wall_ms = begun.elapsed().as_secs_f64() * 1e3;
    if !status.success() {
        return Err(format!("xtask measure: {status}"));
    }
    let children = usage_of_children().map_err(|error| error.to_string())?;
    let milliseconds = |time: libc::timeval| time.tv_sec as f64 * 1e3 + time.tv_usec as f64 / 1e3;
    let cpu_ms = milliseconds(children.ru_utime) + milliseconds(children.ru_stime);
    let usage = Usage { cpu_ms, wall_ms, peak_mib: children.ru_maxrss as f64 / 1024.0 };
    let text = serde_json::to_string(&usage).map_err(|error| error.to_string())?;
    std::fs::write(Path::new(report), text).map_err(|error| error.to_string())
}

/// The total resource usage of all children that have ended.
#[expect(unsafe_code, reason = "neither std nor rustix offers getrusage")]
fn usage_of_children() -> std::io::Result<libc::rusage> {
    // SAFETY: a `rusage` is plain numbers, for which zero is a value.
    let mut usage: libc::rusage = unsafe { std::mem::zeroed() };
    // SAFETY: the pointer is to a live value of the right type.
    let outcome = unsafe { libc::getrusage(libc::RUSAGE_CHILDREN, &raw mut usage) };
    if outcome == 0 { Ok(usage) } else { Err(std::io::Error::last_os_error()) }
}
