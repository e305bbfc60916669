//! Locating the replaced lines of Dataset2, compared with the idea of the competition's
//! second-placed entry in Python: a formula over matching blocks, edits and names, for every line
//! of the file.

use super::{Bench, Contender, Measurements, compare, python};
use crate::shell::{output, root};

/// The number of tasks for each contender.
const TASKS: usize = 500;

pub(super) fn run(bench: &Bench) -> Result<Vec<Measurements>, String> {
    let archive = bench.data.join("codrep/Dataset2.tar.zst");
    bench.unpack(&archive)?;
    let whole = bench.scratch.path().join("Dataset2").display().to_string();
    let part = bench.scratch.path().join("Part").display().to_string();
    let copy = format!(
        "mkdir -p {part}/Tasks && for n in $(seq {TASKS}); do \
         cp {whole}/Tasks/$n.txt {part}/Tasks/; done"
    );
    output("sh", &["-c", &copy]).ok_or("xtask: copying tasks failed")?;
    let assay = bench.assay.display();
    let opponent = root().join("benches/opponents/codrep_locate.py");
    let same_work = [
        Contender {
            name: "assay predict, 500 tasks",
            script: format!("{assay} predict {part} -j 1"),
        },
        Contender {
            name: "python3, a formula, 500 tasks",
            script: format!("{} {} {part}", python()?, opponent.display()),
        },
    ];
    let whole_set = [
        Contender {
            name: "assay predict -j 1, 10,088 tasks",
            script: format!("{assay} predict {whole} -j 1"),
        },
        Contender {
            name: "assay predict, every core, 10,088",
            script: format!("{assay} predict {whole}"),
        },
        Contender {
            name: "assay predict, every core, archive",
            script: format!("{assay} predict {}", archive.display()),
        },
        Contender {
            name: "floor: read the tasks",
            script: format!("{assay} predict {whole} --solver middle"),
        },
    ];
    let mut figures = compare(bench, &same_work, 3)?;
    figures.extend(compare(bench, &whole_set, 3)?);
    Ok(figures)
}
