//! Comments, subtrees and data flow compared with the reference tools' results on real programs.

#![expect(
    clippy::unwrap_used,
    clippy::disallowed_methods,
    reason = "a test, which reads ASSAY_DATA"
)]

use std::io::{BufRead, BufReader, Write};
use std::path::PathBuf;

use assay_syntax::comments::{Removal, without_comments};
use assay_syntax::flow::{DataFlow, Dialect, Literals};
use assay_syntax::{Language, SyntaxTree};
use serde_json::Value;

const DIALECT: Dialect = Dialect { literals: Literals::StringsAndCharacters, needs_else: false };

fn rows(name: &str) -> Option<Vec<Value>> {
    let Some(data) = std::env::var_os("ASSAY_DATA").map(PathBuf::from) else {
        let _ = writeln!(std::io::stderr(), "SKIPPED: ASSAY_DATA names no folder of real data");
        return None;
    };
    let file = std::fs::File::open(data.join("golden/codebleu").join(name)).unwrap();
    let lines = BufReader::new(zstd::Decoder::new(file).unwrap()).lines();
    Some(lines.map(|line| serde_json::from_str(&line.unwrap()).unwrap()).collect())
}

#[test]
fn traces_are_those_of_the_reference() {
    let Some(rows) = rows("dfg_debug.jsonl.zst") else { return };
    assert!(rows.len() > 100);
    let mut differences = Vec::new();
    for row in &rows {
        let language = Language::by_name(row["lang"].as_str().unwrap()).unwrap();
        for side in ["ref", "hyp"] {
            if let Some(difference) = difference(&row[side], language) {
                differences.push(format!("{} {side}: {difference}", row["id"]));
            }
        }
    }
    assert!(differences.is_empty(), "{} differ:\n{}", differences.len(), differences.join("\n"));
}

fn difference(expected: &Value, language: Language) -> Option<String> {
    let text = expected["cleaned"].as_str().unwrap();
    let tree = SyntaxTree::parse(text, language);
    if tree.subtrees().len() as u64 != expected["n_subtrees"].as_u64().unwrap() {
        return Some(format!("{} subtrees, not {}", tree.subtrees().len(), expected["n_subtrees"]));
    }
    let flow = DataFlow::of(&tree, DIALECT);
    let mut found = Vec::new();
    for (text, place, relation, sources) in flow.listing() {
        found.push(serde_json::json!([text, place, relation.name(), sources]));
    }
    let wanted: Vec<Value> = expected["flows"]
        .as_array()
        .unwrap()
        .iter()
        .map(|flow| serde_json::json!([flow[0], flow[1], flow[2], flow[3]]))
        .collect();
    (found != wanted).then(|| format!("{text}\n found {found:?}\n wanted {wanted:?}"))
}

#[test]
fn texts_without_comments_stay_as_they_are() {
    let Some(rows) = rows("dfg_debug.jsonl.zst") else { return };
    for row in &rows {
        let language = Language::by_name(row["lang"].as_str().unwrap()).unwrap();
        let cleaned = row["ref"]["cleaned"].as_str().unwrap();
        assert_eq!(without_comments(cleaned, language, Removal::ByLanguage), cleaned);
    }
}
