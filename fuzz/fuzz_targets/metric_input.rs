//! Any bytes as files of texts, in any form: reading gives pairs with references, then the end or
//! one error that names a file; and a document of any texts is read back unchanged.

#![no_main]

use std::io::{BufReader, Cursor};

use assay_data::texts::{Form, Ids, Keys, Pair, Pairs, Source};
use libfuzzer_sys::fuzz_target;

const IDS: [Ids; 3] = [Ids::Auto, Ids::Yes, Ids::No];
const FORMS: [Form; 3] = [Form::Lines, Form::JsonLines, Form::Json];

fuzz_target!(|bytes: &[u8]| {
    let Some((&choice, texts)) = bytes.split_first() else { return };
    let form = |place: u8| FORMS[usize::from(place) % FORMS.len()];
    let middle = texts.iter().position(|&byte| byte == 0).unwrap_or(texts.len() / 2);
    let (left, right) = texts.split_at(middle);
    let right = right.strip_prefix(b"\0").unwrap_or(right);
    check(Pairs::together([source("pairs", form(choice), texts)]));
    check(Pairs::join(
        [(source("hyp", form(choice), left), Keys::of_hypotheses())],
        [(source("refs", form(choice / 3), right), Keys::of_references(&["java"]))],
        IDS[usize::from(choice / 9) % IDS.len()],
    ));
    written_is_read(&String::from_utf8_lossy(left), &String::from_utf8_lossy(right));
});

/// A source with a small buffer, so that everything is split somewhere.
fn source(name: &str, form: Form, bytes: &[u8]) -> Source {
    Source::new(name, form, BufReader::with_capacity(3, Cursor::new(bytes.to_vec())))
}

fn check(pairs: assay_core::Result<Pairs>) {
    let Ok(mut pairs) = pairs else { return };
    let mut last = None;
    for pair in pairs.by_ref() {
        assert!(last.is_none(), "an error is the end");
        match pair {
            Ok(pair) => assert!(!pair.references.is_empty(), "there is a reference"),
            Err(error) => last = Some(error.to_string()),
        }
    }
    assert!(pairs.next().is_none(), "the end is the end");
    if let Some(message) = last {
        assert!(["pairs", "hyp", "refs"].iter().any(|name| message.contains(name)), "{message}");
    }
}

fn written_is_read(reference: &str, hypothesis: &str) {
    let document = serde_json::json!([{"refs": [reference, "x"], "hyp": hypothesis}]).to_string();
    let pairs = Pairs::together([source("pairs", Form::Json, document.as_bytes())]);
    let read: Vec<Pair> =
        pairs.expect("it is an array").map(|pair| pair.expect("a pair")).collect();
    assert_eq!(read.len(), 1);
    assert_eq!(read[0].references, [reference, "x"]);
    assert_eq!(read[0].hypotheses, [hypothesis]);
}
