//! References of HumanEvalPack in C++ and Java, with program and tests compiled apart (`strict`) and together
//! (`compat`).

use super::measure::compare_at_once;
use super::{Bench, Contender, Measurements};

/// The number of problems for each contender.
const PROBLEMS: usize = 40;

pub(super) fn run(bench: &Bench) -> Result<Vec<Measurements>, String> {
    let data = bench.data.join("humanevalpack/humanevalpack.tar.zst");
    let folder = bench.scratch.path();
    let contender = |name, task, rules| Contender {
        name,
        // Without the gold gate, which would run everything twice: gold is not gated.
        script: format!(
            "{} run {task} --data {} -L {PROBLEMS} --solver gold --rules {rules} -o {}/runs --cache {}/cache",
            bench.assay.display(),
            data.display(),
            folder.display(),
            folder.display()
        ),
    };
    let contenders = [
        contender("C++, 40 programs: strict", "humanevalpack-cpp", "strict"),
        contender("C++: compat", "humanevalpack-cpp", "compat"),
        contender("Java: strict", "humanevalpack-java", "strict"),
        contender("Java: compat", "humanevalpack-java", "compat"),
    ];
    compare_at_once(bench, &contenders, 1)
}
