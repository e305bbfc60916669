//! CodeXGLUE's stored translations, 1,000 pairs each way, by every metric and dialect.

use serde_json::json;

use super::{Bench, Rows};

/// A metric with its options, as the rows are called.
const METRICS: [&str; 15] = [
    "bleu --variant nmt",
    "bleu --variant nltk --smoothing 1",
    "bleu --variant sacrebleu --tokenizer none",
    "bleu --variant sacrebleu",
    "bleu --variant sacrebleu --tokenizer intl",
    "bleu --variant sacrebleu --tokenizer char",
    "bleu --variant hf --smoothing add-one",
    "bleu --variant codexglue-c2t",
    "chrf",
    "chrf --variant chrf++",
    "exact",
    "codebleu --variant k4black",
    "codebleu --variant codexglue",
    "codebleu --variant avatar",
    "codebleu",
];

/// The columns, with the beginning of the files' names and the language of the translations.
const DIRECTIONS: [(&str, &str, &str); 2] =
    [("C# to Java", "cs-java", "java"), ("Java to C#", "java-cs", "c_sharp")];

pub(super) fn run(bench: &Bench) -> Result<Rows, String> {
    let folder = bench.unpacked("codexglue_trans/codexglue_trans.tar.zst")?;
    let mut rows = Rows::new();
    for metric in METRICS {
        let mut row = serde_json::Map::new();
        for (direction, files, language) in DIRECTIONS {
            // AVATAR's CodeBLEU knows Java and Python alone.
            if metric.ends_with("avatar") && language == "c_sharp" {
                continue;
            }
            let file = |kind: &str| {
                folder.join(format!("saved_models/{files}-model1.{kind}")).display().to_string()
            };
            let (references, outputs) = (file("gold"), file("output"));
            let mut arguments = vec!["metric"];
            arguments.extend(metric.split(' '));
            if metric.starts_with("codebleu") {
                arguments.extend(["--lang", language]);
            }
            arguments.extend(["--refs", &references, "--hyp", &outputs, "--json"]);
            row.insert(direction.to_owned(), bench.json(&arguments)?["score"].clone());
        }
        rows.insert(metric.to_owned(), json!(row));
    }
    Ok(rows)
}
