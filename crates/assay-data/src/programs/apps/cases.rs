//! The tests of an APPS problem: standard input and output, or a function's arguments and result.

use assay_core::{InputOutput, counted};
use serde::Deserialize;
use serde_json::value::RawValue;

use crate::json::json_line_message;
use crate::named_texts::Members;

/// The tests of a program.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum AppsTests {
    /// The program reads standard input and prints.
    Standard(Vec<InputOutput>),
    /// The program's function is called.
    Calls {
        /// The function, or the method of a class `Solution`.
        function: String,
        /// The calls.
        cases: Vec<Call>,
    },
}

/// One call of a function, both parts as JSON: numbers may be larger than any type.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Call {
    /// The list of arguments.
    pub inputs: String,
    /// The result, either by itself or as the only element of a list: the data has both.
    pub output: String,
}

#[derive(Deserialize)]
struct InsAndOuts<'a> {
    #[serde(borrow)]
    inputs: Vec<&'a RawValue>,
    #[serde(borrow)]
    outputs: Vec<&'a RawValue>,
    #[serde(default)]
    fn_name: Option<String>,
}

/// Parses `input_output.json`.
pub(super) fn read_input_output(text: &str) -> Result<AppsTests, String> {
    if text.trim().is_empty() {
        return Err("it has no tests".to_owned());
    }
    let InsAndOuts { inputs, outputs, fn_name } = serde_json::from_str(text)
        .map_err(|error| format!("its tests cannot be read: {}", json_line_message(&error)))?;
    if inputs.len() != outputs.len() {
        return Err(format!(
            "it has {} and {}",
            counted(inputs.len(), "input"),
            counted(outputs.len(), "output")
        ));
    }
    if inputs.is_empty() {
        return Err("it has no tests".to_owned());
    }
    let pairs = inputs.into_iter().zip(outputs);
    if let Some(function) = fn_name {
        let call = |(inputs, output): (&RawValue, &RawValue)| Call {
            inputs: inputs.get().to_owned(),
            output: output.get().to_owned(),
        };
        return Ok(AppsTests::Calls { function, cases: pairs.map(call).collect() });
    }
    let runs = pairs.enumerate().map(|(at, (input, output))| {
        let text = |value, what| {
            lines_of(value)
                .ok_or_else(|| format!("{what} {} is neither a text nor a list of texts", at + 1))
        };
        Ok(InputOutput { input: text(input, "input")?, output: text(output, "output")? })
    });
    runs.collect::<Result<_, String>>().map(AppsTests::Standard)
}

/// A text, or a list of lines.
fn lines_of(value: &RawValue) -> Option<String> {
    #[derive(Deserialize)]
    #[serde(untagged)]
    enum Lines {
        One(String),
        Many(Vec<String>),
    }
    match serde_json::from_str(value.get()).ok()? {
        Lines::One(text) => Some(text),
        Lines::Many(lines) => Some(lines.join("\n")),
    }
}

#[derive(Deserialize)]
struct MapCoderTest<'a> {
    input: String,
    #[serde(borrow)]
    output: Vec<&'a RawValue>,
}

/// Parses MapCoder's `test_list`: all input is standard input, and a function's result is printed
/// as Python prints it.
pub(super) fn read_test_list(text: &str) -> Result<AppsTests, String> {
    let tests: Vec<MapCoderTest<'_>> = serde_json::from_str(text)
        .map_err(|error| format!("its tests cannot be read: {}", json_line_message(&error)))?;
    if tests.is_empty() {
        return Err("it has no tests".to_owned());
    }
    let run = |(at, test): (usize, MapCoderTest<'_>)| match test.output.as_slice() {
        [output] => Ok(InputOutput { input: test.input, output: printed(output.get(), true) }),
        outputs => {
            Err(format!("test {} has {}, not one", at + 1, counted(outputs.len(), "output")))
        }
    };
    tests.into_iter().enumerate().map(run).collect::<Result<_, String>>().map(AppsTests::Standard)
}

/// A JSON value as Python prints it: a text is unquoted by itself, and quoted within another value.
fn printed(json: &str, alone: bool) -> String {
    let json = json.trim();
    let inner = |value: &&RawValue| printed(value.get(), false);
    match json.as_bytes().first() {
        Some(b'"') => {
            let text: String = serde_json::from_str(json).unwrap_or_default();
            if alone { text } else { quoted(&text) }
        }
        Some(b'[') => {
            let values: Vec<&RawValue> = serde_json::from_str(json).unwrap_or_default();
            format!("[{}]", values.iter().map(inner).collect::<Vec<_>>().join(", "))
        }
        Some(b'{') => {
            let members: Members<'_> = serde_json::from_str(json).unwrap_or_default();
            let member =
                |(name, value): &(String, &RawValue)| format!("{}: {}", quoted(name), inner(value));
            format!("{{{}}}", members.0.iter().map(member).collect::<Vec<_>>().join(", "))
        }
        Some(b't') => "True".to_owned(),
        Some(b'f') => "False".to_owned(),
        Some(b'n') => "None".to_owned(),
        _ => json.to_owned(),
    }
}

/// `repr(text)`, as far as tests need it.
fn quoted(text: &str) -> String {
    let quote = if text.contains('\'') && !text.contains('"') { '"' } else { '\'' };
    let mut quoted = String::from(quote);
    for letter in text.chars() {
        match letter {
            '\\' => quoted.push_str("\\\\"),
            '\n' => quoted.push_str("\\n"),
            '\r' => quoted.push_str("\\r"),
            '\t' => quoted.push_str("\\t"),
            letter if letter == quote => quoted.extend(['\\', letter]),
            letter if letter < ' ' || letter == '\x7f' => {
                quoted.push_str(&format!("\\x{:02x}", u32::from(letter)));
            }
            letter => quoted.push(letter),
        }
    }
    quoted.push(quote);
    quoted
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn values_are_printed_as_python_does() {
        for (json, text) in [
            ("100", "100"),
            ("\"Zonk\"", "Zonk"),
            ("true", "True"),
            ("null", "None"),
            ("2.50", "2.50"),
            ("[3, [1], \"a\", \"it's\", false]", "[3, [1], 'a', \"it's\", False]"),
            ("{\"b\": 1, \"a\": [null]}", "{'b': 1, 'a': [None]}"),
            ("[\"a\\nb\\\\\", \"'\\\"\"]", "['a\\nb\\\\', '\\'\"']"),
            ("123456789012345678901234567890", "123456789012345678901234567890"),
        ] {
            assert_eq!(printed(json, true), text, "{json}");
        }
    }

    #[test]
    fn tests_of_both_kinds_and_none() {
        let standard = r#"{"inputs": ["1\n", ["2", "3"]], "outputs": ["a\n", ["b"]]}"#;
        let run =
            |input: &str, output: &str| InputOutput { input: input.into(), output: output.into() };
        assert_eq!(
            read_input_output(standard),
            Ok(AppsTests::Standard(vec![run("1\n", "a\n"), run("2\n3", "b")]))
        );
        let calls = r#"{"fn_name": "f", "inputs": [[1, 1e400]], "outputs": [[2]]}"#;
        let case = Call { inputs: "[1, 1e400]".into(), output: "[2]".into() };
        let expected = AppsTests::Calls { function: "f".into(), cases: vec![case] };
        assert_eq!(read_input_output(calls), Ok(expected));
        for (text, reason) in [
            ("", "it has no tests"),
            (r#"{"inputs": [], "outputs": []}"#, "it has no tests"),
            (r#"{"inputs": ["1"], "outputs": []}"#, "it has 1 input and 0 outputs"),
            (
                r#"{"inputs": [1], "outputs": ["1"]}"#,
                "input 1 is neither a text nor a list of texts",
            ),
            ("{", "its tests cannot be read: not JSON: EOF while parsing an object (column 1)"),
        ] {
            assert_eq!(read_input_output(text), Err(reason.to_owned()));
        }
        let listed = r#"[{"input": "1", "output": [[1, "a"]]}]"#;
        assert_eq!(read_test_list(listed), Ok(AppsTests::Standard(vec![run("1", "[1, 'a']")])));
        let two = r#"[{"input": "1", "output": [1, 2]}]"#;
        assert_eq!(read_test_list(two), Err("test 1 has 2 outputs, not one".to_owned()));
    }

    proptest! {
        #[test]
        fn any_text_is_tests_or_a_reason(text in "\\PC*") {
            let _ = read_input_output(&text);
            let _ = read_test_list(&text);
        }

        #[test]
        fn what_was_written_is_read(runs in prop::collection::vec((".*", ".*"), 1..9)) {
            let (inputs, outputs): (Vec<String>, Vec<String>) = runs.iter().cloned().unzip();
            let json = serde_json::json!({"inputs": inputs, "outputs": outputs}).to_string();
            let expected = runs.into_iter().map(|(input, output)| InputOutput { input, output });
            prop_assert_eq!(read_input_output(&json), Ok(AppsTests::Standard(expected.collect())));
        }
    }
}
