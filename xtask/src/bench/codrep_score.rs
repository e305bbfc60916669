//! Scoring 10,431 predictions on Dataset4, compared with a plain Python script that does the same
//! as the original scorer.

use super::{Bench, Contender, Measurements, compare, python};
use crate::shell::{output, root};

pub(super) fn run(bench: &Bench) -> Result<Vec<Measurements>, String> {
    let archive = bench.data.join("codrep/Dataset4.tar.zst");
    bench.unpack(&archive)?;
    let dataset = bench.scratch.path().join("Dataset4").display().to_string();
    let predictions = bench.scratch.path().join("predictions.txt").display().to_string();
    let assay = bench.assay.display();
    output("sh", &["-c", &format!("{assay} predict {dataset} --solver middle > {predictions}")])
        .ok_or("xtask: predicting failed")?;
    let opponent = root().join("benches/opponents/codrep_score.py");
    let this = std::env::current_exe().map_err(|error| error.to_string())?;
    let contenders = [
        Contender {
            name: "assay score, folder",
            script: format!("cat {predictions} | {assay} score codrep - --data {dataset}"),
        },
        Contender {
            name: "assay score, .tar.zst",
            script: format!(
                "cat {predictions} | {assay} score codrep - --data {}",
                archive.display()
            ),
        },
        Contender {
            name: "python3, the original's steps",
            script: format!("cat {predictions} | {} {} {dataset}", python()?, opponent.display()),
        },
        Contender {
            name: "floor: open, read, close each file",
            script: format!("{} read-all {dataset}/Tasks {dataset}/Solutions", this.display()),
        },
    ];
    compare(bench, &contenders, 11)
}
