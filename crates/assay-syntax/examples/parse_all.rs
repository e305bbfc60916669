//! Parses every distinct text of a file of pairs once, and does nothing else: the lower bound for
//! anything that compares their syntax.
//!
//! usage: `parse_all LANGUAGE PAIRS.jsonl`

use std::collections::HashSet;
use std::io::Write;

use assay_syntax::{Language, SyntaxTree};
use serde_json::Value;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [language, pairs] = arguments.as_slice() else {
        return Err("usage: parse_all LANGUAGE PAIRS.jsonl".into());
    };
    let language = Language::by_name(language).ok_or("no such language")?;
    let mut texts = HashSet::new();
    for line in std::fs::read_to_string(pairs)?.lines() {
        let pair: Value = serde_json::from_str(line)?;
        let references = pair["refs"].as_array().into_iter().flatten();
        texts.extend(references.chain([&pair["hyp"]]).filter_map(Value::as_str).map(str::to_owned));
    }
    let nodes: usize = texts.iter().map(|text| SyntaxTree::parse(text, language).size()).sum();
    writeln!(std::io::stdout(), "{} texts, {nodes} nodes", texts.len())?;
    Ok(())
}
