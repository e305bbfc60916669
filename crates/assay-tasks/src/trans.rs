//! `trans-java-cs` and `trans-cs-java`: CodeXGLUE's code-to-code translation.

use assay_core::{Language, MetricCard, QuestionKind, Rules, TaskCard};
use assay_data::parallel::Layout;

use crate::sample;
use crate::translation::{Judged, Translation};

const JAVA: &str = "test.java-cs.txt.java";
const CSHARP: &str = "test.java-cs.txt.cs";

/// CodeXGLUE's translation from Java to C#.
pub static TRANS_JAVA_CS: Translation = Translation {
    card: TaskCard {
        name: "trans-java-cs",
        summary: "translate a method from Java to C#",
        about: "Given a Java method on one line, write the same method in C#. CodeXGLUE's \
            code-to-code translation, on methods of projects that exist in both languages.",
        examples: &[
            "assay run trans-java-cs --data sample",
            "assay run trans-java-cs --data codexglue_trans.tar.zst --solver copy",
            "assay score trans-java-cs predictions.txt --data codexglue_trans.tar.zst",
        ],
        ..CARD
    },
    from: Language::Java,
    into: Language::CSharp,
    layout: Layout { source: JAVA, target: CSHARP, ids: None, preferred: None },
    takes_truths: false,
    judged: Judged::CodeXGlue,
    sample: sample::java_cs,
};

/// CodeXGLUE's translation from C# to Java.
pub static TRANS_CS_JAVA: Translation = Translation {
    card: TaskCard {
        name: "trans-cs-java",
        summary: "translate a method from C# to Java",
        about: "Given a C# method on one line, write the same method in Java: the other direction of \
            trans-java-cs, on the same pairs.",
        examples: &[
            "assay run trans-cs-java --data sample",
            "assay score trans-cs-java predictions.txt --data codexglue_trans.tar.zst",
        ],
        ..CARD
    },
    from: Language::CSharp,
    into: Language::Java,
    layout: Layout { source: CSHARP, target: JAVA, ids: None, preferred: None },
    takes_truths: false,
    judged: Judged::CodeXGlue,
    sample: sample::java_cs,
};

/// What both directions have in common.
const CARD: TaskCard = TaskCard {
    name: "",
    summary: "",
    about: "",
    examples: &[],
    version: 1,
    asks: QuestionKind::Text,
    language: None,
    folder: "codexglue_trans",
    data: "A folder, or a .tar, .tar.gz, .tar.zst or .zip of one, with test.java-cs.txt.java and \
        test.java-cs.txt.cs, one method a line; problem test/17 is line 17. Without --data, the folder \
        codexglue_trans under ASSAY_DATA is taken; `--data sample` means the problems inside the \
        binary.",
    answers: "One text a line, in the order of the problems, as CodeXGLUE's evaluator takes them; or \
        one JSON object of problem and text; or the answers.jsonl of a run. The file's beginning tells \
        which.",
    grading: "An answer passes if it is the reference, without the white space around both. A missing \
        answer counts as an empty text. The metrics are those of the whole corpus, not means over \
        problems.",
    rules: "compat: CodeBLEU as CodeXGLUE's scorer computes it; a file that leaves a problem without an \
        answer is refused. strict: assay's own CodeBLEU; a missing answer counts as an empty one. \
        BLEU and exact match are the same under both.",
    default_rules: Rules::Compat,
    prompts: &[],
    metrics: &[
        MetricCard {
            name: "bleu",
            lower_is_better: false,
            meaning: "smoothed BLEU of the words, between 0 and 100; the leaderboard's score",
        },
        MetricCard {
            name: "exact-match",
            lower_is_better: false,
            meaning: "share of answers that are the reference",
        },
        MetricCard {
            name: "codebleu",
            lower_is_better: false,
            meaning: "mean of n-grams, weighted n-grams, syntax and data flow, between 0 and 1",
        },
    ],
    default_solvers: &["copy", "rewrite", "gold"],
};
