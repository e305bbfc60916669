//! Predicting the middle line of all 39,703 tasks, compared with only reading their bytes.

use super::{Bench, Contender, Measurements, compare};

pub(super) fn run(bench: &Bench) -> Result<Vec<Measurements>, String> {
    for archive in bench.archives() {
        bench.unpack(&archive)?;
    }
    let archives: Vec<String> =
        bench.archives().iter().map(|path| path.display().to_string()).collect();
    let folders: Vec<String> = (1..=4)
        .map(|number| bench.scratch.path().join(format!("Dataset{number}")).display().to_string())
        .collect();
    let assay = bench.assay.display();
    let tasks: Vec<String> = folders.iter().map(|folder| format!("{folder}/Tasks")).collect();
    let unpacked: Vec<String> = archives
        .iter()
        .map(|archive| format!("zstd -d --long=27 --stdout {archive} | tar -xOf - > /dev/null"))
        .collect();
    let of_folders = [
        Contender {
            name: "cat, folders",
            script: format!("find {} -name '*.txt' -print0 | xargs -0 cat", tasks.join(" ")),
        },
        Contender {
            name: "assay predict, folders",
            script: format!("{assay} predict {} --solver middle", folders.join(":")),
        },
    ];
    let of_archives = [
        Contender { name: "zstd | tar, archives", script: unpacked.join("; ") },
        Contender {
            name: "assay predict, archives",
            script: format!("{assay} predict {} --solver middle", archives.join(":")),
        },
        Contender {
            name: "assay run, archives",
            script: format!(
                "{assay} run codrep --data {} --solver middle -o {}",
                archives.join(":"),
                bench.scratch.path().join("runs").display()
            ),
        },
    ];
    let mut figures = compare(bench, &of_folders, 5)?;
    figures.extend(compare(bench, &of_archives, 5)?);
    Ok(figures)
}
