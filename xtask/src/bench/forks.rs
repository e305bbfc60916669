//! The cost of forking a program from the interpreter, with one measure left out at a time, and of mounting its file
//! system: what two scripts print.

use serde_json::json;

use super::{Bench, Rows, python};
use crate::shell::{output, root};

pub(super) fn run(bench: &Bench) -> Result<Rows, String> {
    let mut rows = Rows::new();
    let script = |name: &str| root().join("benches/opponents").join(name).display().to_string();
    let problems = bench.data.join("humaneval/HumanEval.jsonl.gz").display().to_string();
    let printed = output(&python()?, &[&script("fork_variants.py"), &problems]);
    for line in printed.ok_or("xtask: fork_variants.py failed")?.lines().skip(1) {
        let (name, figures) = line.split_at(line.len().min(40));
        let numbers: Vec<f64> = figures.split(' ').filter_map(|word| word.parse().ok()).collect();
        let [program, faults, server, server_faults, _] = numbers[..] else {
            return Err(format!("xtask: fork_variants.py printed {line}"));
        };
        let row = json!({"program": program, "faults": faults, "server": server, "server's faults": server_faults});
        rows.insert(name.trim().to_owned(), row);
    }
    let arguments = ["--mount", &python()?, &script("tmpfs_cost.py")];
    let printed = output("unshare", &arguments).ok_or("xtask: tmpfs_cost.py failed")?;
    for line in printed.lines() {
        let (name, figure) = line.split_once(": ").ok_or("xtask: tmpfs_cost.py printed nothing")?;
        let microseconds: f64 = figure.trim_end_matches(" µs").parse().unwrap_or(f64::NAN);
        rows.insert(format!("tmpfs, {name}"), json!({"CPU per program": microseconds}));
    }
    Ok(rows)
}
