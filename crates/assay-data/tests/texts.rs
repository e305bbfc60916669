//! Texts written in each of the forms are read back unchanged, and errors name their position.

use std::fs;
use std::io::{BufReader, Cursor, Write};

use assay_data::texts::{Form, Ids, Keys, Pair, PairId, Pairs, Source};
use proptest::prelude::*;
use serde_json::{Value, json};

/// A source that is read a few bytes at a time, so that everything is split somewhere.
fn source(name: &str, form: Form, text: impl Into<Vec<u8>>) -> Source {
    Source::new(name, form, BufReader::with_capacity(5, Cursor::new(text.into())))
}

fn together(form: Form, text: impl Into<Vec<u8>>) -> Result<Vec<Pair>, String> {
    Pairs::together([source("pairs", form, text)])
        .and_then(Iterator::collect)
        .map_err(|error| error.to_string())
}

fn joined(hyp: (Form, &[u8]), refs: &[(Form, &[u8])]) -> Result<Vec<Pair>, String> {
    joined_by(Ids::Auto, hyp, refs)
}

fn joined_by(ids: Ids, hyp: (Form, &[u8]), refs: &[(Form, &[u8])]) -> Result<Vec<Pair>, String> {
    let names = ["refs", "refs2", "refs3"];
    let references = refs
        .iter()
        .zip(names)
        .map(|((form, text), name)| (source(name, *form, *text), Keys::of_references(&["python"])));
    Pairs::join([(source("hyp", hyp.0, hyp.1), Keys::of_hypotheses())], references, ids)
        .and_then(Iterator::collect)
        .map_err(|error| error.to_string())
}

fn lines(values: &[Value]) -> Vec<u8> {
    values.iter().map(|value| format!("{value}\n")).collect::<String>().into_bytes()
}

/// The contents of pairs, without their ids.
fn contents(pairs: Vec<Pair>) -> Vec<(Vec<String>, String)> {
    pairs.into_iter().map(|pair| (pair.references, pair.hypotheses.concat())).collect()
}

/// Texts with characters that break formats: quotes, brackets, line ends, separators, other
/// scripts.
fn any_text() -> impl Strategy<Value = String> {
    prop_oneof![any::<String>(), r#"[\[\]{},:"\\ \r\n\t\u{2028}\u{85}aé𝄞]{0,12}"#]
}

fn any_pairs() -> impl Strategy<Value = Vec<(Vec<String>, String)>> {
    let references = proptest::collection::vec(any_text(), 1..4);
    proptest::collection::vec((references, any_text()), 0..8)
}

proptest! {
    #[test]
    fn a_file_of_pairs_is_read_back(pairs in any_pairs(), pretty: bool) {
        let objects: Vec<Value> =
            pairs.iter().map(|(refs, hyp)| json!({"refs": refs, "hyp": hyp})).collect();
        let read = together(Form::JsonLines, lines(&objects)).unwrap();
        prop_assert_eq!(contents(read), pairs.clone());
        let document = Value::from(objects);
        let document = if pretty {
            serde_json::to_string_pretty(&document).unwrap()
        } else {
            document.to_string()
        };
        prop_assert_eq!(contents(together(Form::Json, document).unwrap()), pairs);
    }

    #[test]
    fn files_are_joined_by_place(pairs in any_pairs()) {
        let hyp: Vec<Value> = pairs.iter().map(|(_, hyp)| json!(hyp)).collect();
        let refs: Vec<Value> = pairs.iter().map(|(refs, _)| json!(refs)).collect();
        let fields: Vec<Value> = refs.iter().map(|refs| json!({"x": 1, "python": refs})).collect();
        for refs in [&refs, &fields] {
            for (hyp_form, hyp) in [
                (Form::JsonLines, lines(&hyp)),
                (Form::Json, Value::from(hyp.clone()).to_string().into_bytes()),
            ] {
                for (form, refs) in [
                    (Form::JsonLines, lines(refs)),
                    (Form::Json, Value::from(refs.clone()).to_string().into_bytes()),
                ] {
                    let read = joined((hyp_form, &hyp), &[(form, &refs)]).unwrap();
                    prop_assert_eq!(contents(read), pairs.clone());
                }
            }
        }
    }

    #[test]
    fn plain_lines_are_read_back(
        texts in proptest::collection::vec((any_text(), any_text(), any_text()), 0..8),
        ended: bool,
    ) {
        let one = |text: &str| text.replace('\n', "\r");
        let texts: Vec<[String; 3]> =
            texts.iter().map(|(a, b, c)| [one(a), one(b), one(c)]).collect();
        // A last line that is empty exists only if it is terminated.
        let ended = ended || texts.last().is_some_and(|texts| texts.iter().any(String::is_empty));
        let file = |column: usize| {
            let lines: Vec<&str> = texts.iter().map(|texts| texts[column].as_str()).collect();
            let end = if ended && !lines.is_empty() { "\n" } else { "" };
            (lines.join("\n") + end).into_bytes()
        };
        let (hyp, left, right) = (file(0), file(1), file(2));
        let read = joined((Form::Lines, &hyp), &[(Form::Lines, &left), (Form::Lines, &right)]);
        let expected: Vec<(Vec<String>, String)> =
            texts.into_iter().map(|[hyp, left, right]| (vec![left, right], hyp)).collect();
        prop_assert_eq!(contents(read.unwrap()), expected);
    }

    #[test]
    fn documents_are_joined_by_key_in_the_order_of_the_references(
        pairs in any_pairs(),
        keys in proptest::collection::hash_set(any_text(), 8),
        turn in 0..8usize,
    ) {
        let object = |entries: Vec<(&String, Value)>| {
            let entries = entries.iter().map(|(key, value)| format!("{}: {value}", json!(key)));
            format!("{{{}}}", entries.collect::<Vec<_>>().join(",\n")).into_bytes()
        };
        let refs = keys.iter().zip(&pairs).map(|(key, (refs, _))| (key, json!(refs))).collect();
        let mut hyp: Vec<(&String, Value)> =
            keys.iter().zip(&pairs).map(|(key, (_, hyp))| (key, json!(hyp))).collect();
        hyp.rotate_left(turn.min(pairs.len()));
        let read = joined((Form::Json, &object(hyp)), &[(Form::Json, &object(refs))]).unwrap();
        let ids: Vec<PairId> = read.iter().map(|pair| pair.id.clone()).collect();
        let expected: Vec<PairId> =
            keys.iter().take(pairs.len()).cloned().map(PairId::Text).collect();
        prop_assert_eq!(ids, expected);
        prop_assert_eq!(contents(read), pairs);
    }

    #[test]
    fn whatever_bytes_end_in_pairs_or_in_one_error(bytes: Vec<u8>, other in any_text()) {
        for form in [Form::Lines, Form::JsonLines, Form::Json] {
            let _ = together(form, bytes.clone());
            let _ = together(form, other.clone());
            let _ = joined((form, &bytes), &[(Form::Lines, other.as_bytes())]);
        }
    }
}

#[test]
fn compressed_files_are_unpacked() {
    let folder = tempfile::tempdir().unwrap();
    let text = b"one\ntwo\n";
    let mut gzip = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
    gzip.write_all(text).unwrap();
    let mut zip = zip::ZipWriter::new(std::io::Cursor::new(Vec::new()));
    zip.start_file("a.txt", zip::write::SimpleFileOptions::default()).unwrap();
    zip.write_all(text).unwrap();
    let path = folder.path().join("any.zip");
    fs::write(&path, zip.finish().unwrap().into_inner()).unwrap();
    let open = || (Source::open(&path, None).unwrap(), Keys::of_hypotheses());
    assert_eq!(Pairs::join([open()], [open()], Ids::Auto).unwrap().count(), 2);
    let packed = [
        ("a.txt.gz", gzip.finish().unwrap()),
        ("a.txt.zst", zstd::encode_all(&text[..], 1).unwrap()),
        ("a.json.zst", zstd::encode_all(&br#"["one", "two"]"#[..], 1).unwrap()),
    ];
    for (name, bytes) in packed {
        let path = folder.path().join(name);
        fs::write(&path, &bytes).unwrap();
        let open = || (Source::open(&path, None).unwrap(), Keys::of_hypotheses());
        let read: Vec<Pair> =
            Pairs::join([open()], [open()], Ids::Auto).unwrap().map(Result::unwrap).collect();
        assert_eq!(read.len(), 2, "{name}");
        assert_eq!(read[1].hypotheses, ["two"]);
        fs::write(&path, &bytes[..bytes.len() - 6]).unwrap();
        let error = Pairs::join([open()], [open()], Ids::Auto)
            .and_then(Iterator::collect::<Result<Vec<_>, _>>);
        let error = error.unwrap_err();
        assert!(error.to_string().contains("is not a sound compressed file"), "{error}");
        assert_eq!(error.exit_code(), 3);
    }
}

/// Checks that a file of pairs is refused with this message.
fn refused(form: Form, text: &str, message: &str) {
    assert_eq!(together(form, text), Err(message.to_owned()), "{text}");
}

#[test]
fn a_document_that_is_broken_says_where() {
    use Form::Json;
    refused(Json, "", "pairs:1:1: not JSON: expected an array or an object");
    refused(Json, " 7", "pairs:1:2: not JSON: expected an array or an object");
    refused(Json, "[", "pairs:1:2: not JSON: expected a value");
    refused(Json, "[\n  {\"hyp\": tru}]", "pairs:2:14: not JSON: expected ident");
    refused(Json, "[{\"refs\":\"a\",\"hyp\":\"b\"},]", "pairs:1:25: not JSON: expected a value");
    refused(Json, "[{\"refs\":\"a\",\"hyp\":\"b\"}}", "pairs:1:24: not JSON: expected , or ]");
    refused(Json, "[]\n\n []", "pairs:3:2: not JSON: something follows the end of the document");
    refused(Json, "{\"a\" 1}", "pairs:1:6: not JSON: trailing characters");
    refused(Json, "{\"a\"}", "pairs:1:5: not JSON: expected : after a key");
    refused(Json, "{1: 2}", "pairs:1:2: not JSON: the number 1, where a text is expected");
    refused(Json, "[\n\n 3]", "pairs:3: a number, where a pair is expected");
    refused(
        Json,
        "{\"k\": {}}",
        "pairs:1: key \"k\": the object has none of the keys \"refs\", \"references\", \"ref\", \"reference\"",
    );
    let deep = format!("[{}", "[".repeat(100_000));
    assert!(together(Json, deep).unwrap_err().contains("recursion limit"));
    let bytes = b"[\n \"\xff\"]".to_vec();
    assert_eq!(together(Json, bytes).unwrap_err(), "pairs:2: not UTF-8 at byte 3 of the line");
}

#[test]
fn an_id_is_kept_as_it_was() {
    let pairs = r#"{"id": "a\tb", "ref": "r", "hyp": "h"}
{"id": 7, "ref": "r", "hyp": "h"}
{"id": -1.5, "ref": "r", "hyp": "h"}
{"id": 18446744073709551615, "ref": "r", "hyp": "h"}
{"refs": ["r"], "hyp": "h", "id2": 0}
"#;
    let ids: Vec<String> = together(Form::JsonLines, pairs)
        .unwrap()
        .iter()
        .map(|pair| serde_json::to_string(&pair.id).unwrap())
        .collect();
    assert_eq!(ids, [r#""a\tb""#, "7", "-1.5", "18446744073709551615", "5"]);
    refused(
        Form::JsonLines,
        r#"{"id": 18446744073709551616, "ref": "r", "hyp": "h"}"#,
        r#"pairs:1: key "id": the number has too many digits"#,
    );
    refused(
        Form::JsonLines,
        r#"{"id": null, "ref": "r", "hyp": "h"}"#,
        r#"pairs:1: key "id": null, where an id is expected"#,
    );
}

#[test]
fn a_mark_of_utf8_is_passed_over_in_json_and_kept_in_lines() {
    let document = "\u{feff}[{\"refs\": [\"a\"], \"hyp\": \"b\"}]";
    let line = "\u{feff}{\"refs\": [\"a\"], \"hyp\": \"b\"}\n";
    let expected = vec![(vec!["a".to_owned()], "b".to_owned())];
    assert_eq!(contents(together(Form::Json, document).unwrap()), expected);
    assert_eq!(contents(together(Form::JsonLines, line).unwrap()), expected);
    let second = format!("{}{line}", &line[3..]);
    assert!(together(Form::JsonLines, second).unwrap_err().starts_with("pairs:2:1: not JSON"));
    for short in ["", "\u{feff}", "1"] {
        assert!(together(Form::Json, short).is_err(), "{short:?}");
    }
    let plain = "\u{feff}a\n".as_bytes();
    let pairs = joined((Form::Lines, plain), &[(Form::Lines, b"a")]).unwrap();
    assert_eq!(contents(pairs), [(vec!["a".to_owned()], "\u{feff}a".to_owned())]);
}

#[test]
fn of_keys_on_one_line_without_a_partner_the_first_is_named() {
    let names: Vec<String> =
        (0..40).map(|at| format!("\"k{}\": \"\"", (at * 7 + 3) % 40)).collect();
    let hypotheses = format!("{{{}, \"end\": \"\"}}", names.join(", "));
    let references = b"{\"end\": \"\"}";
    let error = joined((Form::Json, hypotheses.as_bytes()), &[(Form::Json, references)]);
    assert_eq!(error.unwrap_err(), "hyp:1: key \"k3\" is not in refs");
}

/// Joins lines; pairs as `id: hypothesis | references`.
fn join_lines(ids: Ids, hyp: &str, refs: &[&str]) -> Result<Vec<String>, String> {
    let refs: Vec<(Form, &[u8])> = refs.iter().map(|text| (Form::Lines, text.as_bytes())).collect();
    let pairs = joined_by(ids, (Form::Lines, hyp.as_bytes()), &refs)?;
    let shown = |Pair { id, references, hypotheses }: Pair| {
        format!(
            "{}: {} | {}",
            serde_json::to_string(&id).expect("a text can be written as JSON"),
            hypotheses[0],
            references.join(" | ")
        )
    };
    Ok(pairs.into_iter().map(shown).collect())
}

#[test]
fn lines_with_ids_are_joined_by_them() {
    let check = |hyp: &str, refs: &[&str], expected: &[&str]| {
        assert_eq!(join_lines(Ids::Auto, hyp, refs).unwrap(), expected, "{hyp:?} {refs:?}");
    };
    check("0\ta\n1\tb\n", &["0\tx\n1\ty\n"], &["0: a | x", "1: b | y"]);
    // Any order, an empty text whose tab is lost, a further tab, several references.
    check(
        "9\tc\n7\n8\ta\tb",
        &["7\tx\n8\ty\n9\tz\n", "8\tq\n9\tr\n7\tp\n"],
        &["7:  | x | p", "8: a\tb | y | q", "9: c | z | r"],
    );
    check("f\ta\ng\tb\n", &["f\tx\ng\ty\n"], &["\"f\": a | x", "\"g\": b | y"]);
    // Ids that count, in one of the files.
    check("0\ta\n1\tb\n", &["x\ny\n"], &["1: a | x", "2: b | y"]);
    check("a\nb\n", &["1\tx\n2\ty\n"], &["1: a | x", "2: b | y"]);
    // Texts with tabs, which are not ids.
    check("\ta\n\tb\n", &["\ta\n\tc\n"], &["1: \ta | \ta", "2: \tb | \tc"]);
    check("a\tb\nc\td\n", &["e\tf\ng\th\n"], &["1: a\tb | e\tf", "2: c\td | g\th"]);
    check("1\n2\n", &["1\n3\n"], &["1: 1 | 1", "2: 2 | 3"]);
    check("", &[""], &[]);
}

#[test]
fn ids_that_disagree_are_refused_by_name() {
    let refused = |ids: Ids, hyp: &str, refs: &str, message: &str| {
        let error = join_lines(ids, hyp, &[refs]).unwrap_err();
        assert!(error.contains(message), "{hyp:?} {refs:?}: {error}");
    };
    refused(Ids::Auto, "0\ta\n1\tb\n", "0\tx\n2\ty\n", "refs:2: id \"2\" is not in hyp");
    refused(Ids::Auto, "0\ta\n1\tb\n2\tc\n", "0\tx\n1\ty\n", "hyp:3: id \"2\" is not in refs");
    refused(Ids::Auto, "5\ta\n3\tb\n", "x\ny\n", "hyp: each line starts with a number and a tab");
    refused(
        Ids::Yes,
        "a\nb\n",
        "0\tx\n1\ty\n",
        "hyp:1: the line does not start with an id and a tab",
    );
    refused(Ids::Yes, "0\ta\n1\tb\n1\tc\n", "0\tx\n1\ty\n", "hyp:3: id \"1\" is there twice");
    // A file is read as it begins.
    let many: String = (0..100).map(|number| format!("{number}\ta\n")).collect();
    let torn = many.clone() + "no id\n";
    refused(Ids::Auto, &torn, &many, "hyp:101: the line does not start with an id and a tab");
    refused(
        Ids::Auto,
        &(many.clone() + "7\ta\n"),
        &"x\n".repeat(101),
        "hyp:101: the line has the id \"7\"",
    );
    assert_eq!(join_lines(Ids::Auto, &many, &[&many]).unwrap().len(), 100);
}

#[test]
fn ids_are_forced_or_forbidden() {
    let (hyp, refs) = ("a\tx\nb\ty\n", "b\tz\na\tw\n");
    assert_eq!(join_lines(Ids::Yes, hyp, &[refs]).unwrap(), ["\"b\": y | z", "\"a\": x | w"]);
    let whole = join_lines(Ids::No, "0\ta\n1\tb\n", &["0\tx\n1\ty\n"]).unwrap();
    assert_eq!(whole, ["1: 0\ta | 0\tx", "2: 1\tb | 1\ty"]);
    // Lines with ids, and a document with the same keys.
    let document = (Form::Json, br#"{"1": "y", "0": "x"}"#.as_slice());
    let pairs = joined((Form::Lines, b"0\ta\n1\tb\n"), &[document]).unwrap();
    assert_eq!(
        contents(pairs),
        [(vec!["y".to_owned()], "b".to_owned()), (vec!["x".to_owned()], "a".to_owned())]
    );
}

proptest! {
    #[test]
    fn lines_with_ids_are_read_back(texts in proptest::collection::vec("[a-z \t]{0,6}", 1..90), first in 0..2_u64) {
        let numbered: String = (first..).zip(&texts).map(|(id, text)| format!("{id}\t{text}\n")).collect();
        let read = joined((Form::Lines, numbered.as_bytes()), &[(Form::Lines, numbered.as_bytes())]).unwrap();
        let expected: Vec<_> = texts.iter().map(|text| (vec![text.clone()], text.clone())).collect();
        prop_assert_eq!(contents(read), expected);
    }

    #[test]
    fn any_lines_end_in_pairs_or_in_one_error(
        hyp in "([0-2a]|\t|\n| ){0,14}",
        refs in "([0-2a]|\t|\n| ){0,14}",
        ids in prop_oneof![Just(Ids::Auto), Just(Ids::Yes), Just(Ids::No)],
    ) {
        let _ = join_lines(ids, &hyp, &[&refs]);
    }
}

#[test]
fn ids_that_cannot_join_all_files_are_refused() {
    let numbered = "0\ta\n1\tb\n2\tc\n";
    for (hypotheses, references, expected) in [
        ("0\ta\n1\tb\n1\tc\n", &[numbered][..], "id \"2\" is not in hyp"),
        ("2\tc\n0\ta\n1\tb\n", &[numbered, "a\nb\nc\n"], "in no order"),
        ("2\tc\n0\ta\n0\tb\n", &[numbered, "a\nb\nc\n"], "in no order"),
    ] {
        let error = join_lines(Ids::Auto, hypotheses, references).unwrap_err();
        assert!(error.contains(expected), "{error}");
    }
    assert!(join_lines(Ids::No, "0\ta\n1\tb\n1\tc\n", &[numbered]).is_ok());
}
