//! Ranks the lines of a program.

use std::sync::LazyLock;

use crate::features::Table;
use crate::lex::hash;
use crate::{Model, ModelError, features, probabilities};

/// Ranks the lines of a program by the probability that a new line replaces them.
#[derive(Debug, Clone)]
pub struct Locator {
    pub(crate) model: Model,
}

/// A line with its score.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct RankedLine {
    /// The line, from 1.
    pub line: usize,
    /// The model's score: log-odds.
    pub score: f32,
    /// The probability that this is the line; those of all candidates add up to 1.
    pub probability: f32,
}

/// The identity of this version's features.
static FEATURES: LazyLock<(usize, u64)> = LazyLock::new(|| {
    let names: Vec<String> = features().into_iter().map(|feature| feature.name).collect();
    (names.len(), hash(names.join("\n").as_bytes()))
});

impl Locator {
    /// A locator with this model, which must have been trained on this version's features.
    pub fn new(model: Model) -> Result<Self, ModelError> {
        if (model.width, model.features) == *FEATURES {
            Ok(Self { model })
        } else {
            Err(ModelError::other_features())
        }
    }

    /// The candidates, most likely first. A program without a possible line has none.
    pub fn rank(&self, line: &[u8], program: &[u8]) -> Vec<RankedLine> {
        self.rank_rows(&Table::new(line, program)).into_iter().map(|(_, ranked)| ranked).collect()
    }

    /// The candidates of a table, most likely first, each with its row index.
    pub(crate) fn rank_rows(&self, table: &Table) -> Vec<(usize, RankedLine)> {
        let scores = self.model.scores(&table.values);
        let probabilities = probabilities(&scores);
        let mut ranked: Vec<(usize, RankedLine)> =
            (table.lines.iter().zip(scores).zip(probabilities))
                .map(|((at, score), probability)| RankedLine { line: at + 1, score, probability })
                .enumerate()
                .collect();
        ranked.sort_by(|(_, left), (_, right)| {
            right.score.total_cmp(&left.score).then(left.line.cmp(&right.line))
        });
        ranked
    }
}

impl Model {
    /// Marks a newly trained model as using this version's features.
    pub(crate) fn with_current_features(mut self) -> Self {
        (self.width, self.features) = *FEATURES;
        self
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    /// A locator without knowledge, so that everything but the model's opinion is tested.
    fn ignorant() -> Locator {
        Locator::new(Model::default().with_current_features()).unwrap()
    }

    fn check(line: &[u8], program: &[u8]) -> Vec<RankedLine> {
        let ranked = ignorant().rank(line, program);
        let lines = program.split(|&byte| byte == b'\n').count();
        assert!(ranked.iter().all(|ranked| (1..=lines).contains(&ranked.line)));
        let sum: f32 = ranked.iter().map(|ranked| ranked.probability).sum();
        assert!(ranked.is_empty() || (sum - 1.0).abs() < 1e-3, "{sum}");
        ranked
    }

    #[test]
    fn odd_programs_are_ranked_or_have_no_candidate() {
        assert!(check(b"x", b"").is_empty());
        assert!(check(b"x", b"\n\n \n\t\n").is_empty());
        assert!(check(b"x();", b"x ( ) ;\n").is_empty(), "the replaced line is never the same");
        assert_eq!(check(b"x();", b"y();").len(), 1);
        assert_eq!(check(b"", b"y();\n}\n").len(), 2);
        check(b"x = 1;\r", b"x = 2;\r\ny = 3;\r\n");
        check(b"\0\xff\xfe", b"\0\xff\n\xfe\x80;\n");
        check(b"def f(x):", b"import os\n\ndef f(y):\n    return y\n");
        check("größe = 1;".as_bytes(), "größe = 2;\nü();\n".as_bytes());
        check(b"}", &b"}\n{\n".repeat(300));
    }

    #[test]
    fn a_huge_line_and_a_long_file_are_nothing_special() {
        let huge = b"a(b, c); ".repeat(200_000);
        check(&huge, &[huge.as_slice(), b"\nx = 1;\n"].concat());
        // A literal of 400,000 different names and as many numbers: each was once searched around
        // every candidate.
        let words: String = (0..400_000).map(|number| format!("word{number} ")).collect();
        let data = format!("x = \"{words}\";");
        check(data.as_bytes(), &b"x = \"word1 word2\";\ny = call(word3);\n".repeat(200));
        let long: Vec<u8> =
            (0..50_000).flat_map(|n| format!("call{}(a);\n", n % 700).into_bytes()).collect();
        assert!(!check(b"call7(b);", &long).is_empty());
    }

    #[test]
    fn copies_are_all_candidates() {
        let program = b"a {\n  return null;\n}\nb {\n  return null;\n}\nc {\n  return null;\n}\n";
        let ranked = check(b"return nil;", program);
        for line in [2, 5, 8] {
            assert!(ranked.iter().any(|ranked| ranked.line == line), "{line} is missing");
        }
    }

    #[test]
    fn features_have_one_name_each() {
        let names: Vec<String> = features().into_iter().map(|feature| feature.name).collect();
        let mut unique = names.clone();
        unique.sort();
        unique.dedup();
        assert_eq!(unique.len(), names.len());
        assert_eq!(Table::new(b"a c;", b"a b;\nc d;\n").width, names.len());
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(128))]

        #[test]
        fn any_bytes_are_ranked(line: Vec<u8>, program: Vec<u8>) {
            check(&line, &program);
        }

        #[test]
        fn anything_like_code_is_ranked(
            line in "[ a-c(){};=.\"'/*\n0-9@]{0,40}",
            program in "[ a-c(){};=.\"'/*\n0-9@]{0,400}",
        ) {
            check(line.as_bytes(), program.as_bytes());
        }
    }
}
