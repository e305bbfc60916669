//! Corpus BLEU compared with the package `sacrebleu`, as whole processes on one thread: CodeXGLUE's
//! training pairs, Java as references and C# as hypotheses.

use super::{Bench, Contender, Measurements, compare, venv};
use crate::shell::root;

const PACKAGES: &[&str] =
    &["sacrebleu==2.6.0", "regex", "portalocker", "tabulate", "numpy", "colorama", "lxml"];

pub(super) fn run(bench: &Bench) -> Result<Vec<Measurements>, String> {
    let python = venv(PACKAGES)?;
    bench.unpack(&bench.data.join("codexglue_trans/codexglue_trans.tar.zst"))?;
    let file = |ending| {
        let path = bench.scratch.path().join(format!("data/train.java-cs.txt.{ending}"));
        path.display().to_string()
    };
    let (references, hypotheses) = (file("java"), file("cs"));
    let opponent = root().join("benches/opponents/sacrebleu_corpus.py");
    let assay =
        format!("{} metric bleu --refs {references} --hyp {hypotheses}", bench.assay.display());
    let contenders = [
        Contender { name: "10,300 pairs: assay -j 1", script: format!("{assay} -j 1") },
        Contender {
            name: "sacrebleu",
            script: format!("{python} {} {hypotheses} {references}", opponent.display()),
        },
        Contender { name: "assay -j 2", script: format!("{assay} -j 2") },
        Contender {
            name: "floor: count the lines",
            script: format!("wc -l {references} {hypotheses}"),
        },
    ];
    compare(bench, &contenders, 5)
}
