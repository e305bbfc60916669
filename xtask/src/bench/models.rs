//! Samples of HumanEval from a model server that answers at once, compared with scripts around Python's clients, on the
//! same server in one run. Everything of a run is measured, from the problems to the record and the kept replies; the
//! server is in another process, which is not.

use assay_testserver::{Generations, ServerSettings, TestServer};

use super::measure::compare_at_once;
use super::{Bench, Contender, Measurements, venv_with_dependencies};
use crate::shell::{root, run};

const OPENAI: &str = "openai==3.51.0";
const AIOHTTP: &str = "aiohttp==3.14.5";

/// A reply as models give it to a chat.
const REPLY: &str = "Here is the program:\n\n```python\nfrom typing import List\n\n\n\
    def solve(numbers: List[float], threshold: float) -> bool:\n    \
    for place, number in enumerate(numbers):\n        \
    for other in numbers[place + 1:]:\n            \
    if abs(number - other) < threshold:\n                return True\n    return False\n```\n\n\
    It compares every number with those after it.\n";

/// 122 samples of 164 problems are 20,008 requests, 610 are 100,040.
pub(super) fn run_all(bench: &Bench) -> Result<Vec<Measurements>, String> {
    let server = TestServer::start(ServerSettings::new(Generations::always(REPLY)));
    let server = server.map_err(|error| error.to_string())?;
    let python = venv_with_dependencies(OPENAI)?;
    run(&python, &["-m", "pip", "install", "--quiet", AIOHTTP])?;
    let problems = bench.data.join("humaneval/HumanEval.jsonl.gz").display().to_string();
    let scratch = bench.scratch.path().join("models").display().to_string();
    let opponent = root().join("benches/opponents/ask_model.py").display().to_string();
    let (program, solver, url) = (bench.assay.display(), server.solver(), server.url());
    let assay = |samples: u32, more: &str| {
        format!(
            "rm -rf {scratch} && {program} run humaneval --data {problems} --solver {solver} -n {samples} \
             --generate-only -o {scratch}/runs --cache {scratch}/cache {more}"
        )
    };
    let client =
        |name: &str| format!("{python} {opponent} {name} {url} {problems} 122 {scratch}.jsonl");
    let contenders = [
        Contender { name: "20,008 samples: assay", script: assay(122, "") },
        Contender { name: "aiohttp", script: client("aiohttp") },
        Contender { name: "openai's client", script: client("openai") },
        Contender { name: "assay, keeping no replies", script: assay(122, "--no-cache") },
        Contender { name: "assay --stream", script: assay(122, "--stream") },
        Contender { name: "100,040 samples: assay", script: assay(610, "") },
    ];
    compare_at_once(bench, &contenders, 3)
}
