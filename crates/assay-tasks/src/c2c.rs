//! `c2c`: Java to Python, Fusion Brain's Code2code on AVATAR's functions.

use assay_core::{Language, MetricCard, QuestionKind, Rules, TaskCard};
use assay_data::parallel::Layout;

use crate::sample;
use crate::translation::{Judged, Translation};

/// Fusion Brain's Code2code.
pub static C2C: Translation = Translation {
    card: CARD,
    from: Language::Java,
    into: Language::Python,
    layout: Layout {
        source: "test.java-python.java",
        target: "test.java-python.python",
        ids: Some("test.java-python.id"),
        preferred: Some("g4g_functions"),
    },
    takes_truths: true,
    judged: Judged::FusionBrain,
    sample: sample::c2c,
};

const CARD: TaskCard = TaskCard {
    name: "c2c",
    version: 1,
    asks: QuestionKind::Text,
    language: None,
    folder: "avatar",
    summary: "translate a function from Java to Python",
    about: "Given a Java function, write the same function in Python, as tokens parted by spaces with \
        NEW_LINE, INDENT and DEDENT for the layout. It was the subtask Code2code of the Fusion Brain \
        Challenge (AI Journey 2021), on functions of the AVATAR corpus.",
    data: "AVATAR's files, of the test split: a folder, or a .tar, .tar.gz, .tar.zst or .zip of one, \
        with test.java-python.java, test.java-python.python and test.java-python.id, one text a line. \
        Or Fusion Brain's truth, one JSON object of problem and Python text: it has no sources, so \
        answers can be scored against it, but no solver can be run. Without --data, the folder avatar \
        under ASSAY_DATA is taken; of several corpora in it the one called g4g_functions, AVATAR's \
        own. `--data sample` means the problems inside the binary.",
    answers: "Fusion Brain's prediction, one JSON object of problem and text; or one text a line, in \
        the order of the problems; or the answers.jsonl of a run. The file's beginning tells which.",
    grading: "An answer passes if it is the reference, without the white space around both. A missing \
        answer counts as an empty text. The metrics are those of the whole corpus, not means over \
        problems.",
    rules: "compat: CodeBLEU by the rules of Fusion Brain's scorer, on texts as they are, and with \
        today's grammar, so that scores of 2021 cannot be compared with these; a file that \
        leaves a problem without an answer is refused, where the original ends with an error; an answer \
        to a problem that is not there is passed over, as in the original. strict: assay's own \
        CodeBLEU, without the original's faults; a missing answer counts as an empty one, and an \
        answer to a problem that is not there is refused.",
    default_rules: Rules::Compat,
    prompts: &[],
    metrics: &[
        MetricCard {
            name: "codebleu",
            lower_is_better: false,
            meaning: "mean of the four parts below, between 0 and 1; the challenge's score",
        },
        MetricCard {
            name: "ngram",
            lower_is_better: false,
            meaning: "part of codebleu: BLEU of the tokens",
        },
        MetricCard {
            name: "weighted_ngram",
            lower_is_better: false,
            meaning: "part of codebleu: recall of n-grams, where keywords weigh more",
        },
        MetricCard {
            name: "syntax",
            lower_is_better: false,
            meaning: "part of codebleu: share of the reference's syntax trees that the answer has",
        },
        MetricCard {
            name: "dataflow",
            lower_is_better: false,
            meaning: "part of codebleu: share of the reference's data flow that the answer has; absent \
                where no reference has any",
        },
        MetricCard {
            name: "bleu",
            lower_is_better: false,
            meaning: "smoothed BLEU of the tokens, between 0 and 100, as CodeXGLUE and AVATAR count it",
        },
        MetricCard {
            name: "exact-match",
            lower_is_better: false,
            meaning: "share of answers that are the reference",
        },
    ],
    default_solvers: &["copy", "rewrite", "gold"],
    examples: &[
        "assay run c2c --data sample",
        "assay score c2c prediction_C2C.json --data true_C2C.json",
        "assay score c2c hypotheses.txt --data g4g_functions.zip --rules strict",
    ],
};
