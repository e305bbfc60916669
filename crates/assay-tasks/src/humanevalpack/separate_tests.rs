//! Tests that call a candidate from another process: the tests' program, in which the tested function is a stub that
//! sends the call, and the code that is appended to a candidate to serve the calls.

use crate::programs::SeparateTests;

use super::assembly::{GO_ASSERT, go_file, rust_lines, without_public, words_after};
use super::code::{BraceLanguage, Code};
use super::signature::{Signature, Split, signature, split};

/// The parts of a problem that its tests are built from.
pub(super) struct PackTests<'a> {
    pub(super) language: BraceLanguage,
    /// The beginning of a program, with the function's header.
    pub(super) prompt: &'a str,
    /// The reference solution.
    pub(super) gold: &'a str,
    pub(super) tests: &'a str,
}

impl PackTests<'_> {
    /// Builds the tests, separate from the candidate; also returns the function's name.
    pub(super) fn separate_tests(&self) -> Result<(String, SeparateTests), String> {
        let split = split(self.prompt, self.gold, self.language)
            .ok_or("the beginning of its program leaves no function open")?;
        let function = signature(&split.header, self.language)
            .ok_or_else(|| format!("the function's header is not understood: {}", split.header))?;
        let appended = self.tests.to_owned();
        let (tests, server_code) = match self.language {
            BraceLanguage::Cpp => (self.cpp(&split, &function), serve_cpp(&function)),
            BraceLanguage::Java => (self.java(&split, &function), String::new()),
            BraceLanguage::Go => (self.go(&split, &function), serve_go(&function)),
            BraceLanguage::Rust => (self.rust(&split, &function), serve_rust(&function, self.gold)),
            BraceLanguage::JavaScript => {
                (self.javascript(&split, &function), serve_javascript(&function))
            }
        };
        Ok((function.name, SeparateTests { tests, server_code, appended }))
    }

    fn cpp(&self, split: &Split<'_>, function: &Signature) -> String {
        let Split { before, header, after } = split;
        format!(
            "{before}\nstatic bool assay_greeted = assay::greet();\n{header} {{ return \
            assay::ask<{}>({}); }}\n{after}\n#line 1 \"tests\"\n{}\n",
            function.result,
            function.names("", ", "),
            self.tests
        )
    }

    fn java(&self, split: &Split<'_>, function: &Signature) -> String {
        let Split { before, header, after } = split;
        let boxed = match function.result.as_str() {
            "int" => "Integer",
            "char" => "Character",
            "boolean" => "Boolean",
            "byte" => "Byte",
            "short" => "Short",
            "long" => "Long",
            "float" => "Float",
            "double" => "Double",
            other => other,
        };
        let program = format!(
            "{before}{header} {{ return ({boxed}) Assay.call(\"{}\", new Class<?>[] {{ {} }}, new Object[] {{ {} }}); }}{after}",
            function.name,
            function.classes(),
            function.names("", ", "),
        );
        format!("{}\n{}\n", without_public(&program), java_checks(self.tests))
    }

    fn javascript(&self, split: &Split<'_>, function: &Signature) -> String {
        let Split { before, after, .. } = split;
        let name = &function.name;
        let tests = self.tests.replace("console.assert(", "assayAssert(");
        format!(
            "{before}const {name} = (...assayValues) => assayAsk('{name}', assayValues);\n{after}\n{tests}\n"
        )
    }

    fn rust(&self, split: &Split<'_>, function: &Signature) -> String {
        let Split { before, header, after } = split;
        let program = format!(
            "{before}{header} {{ assay_wire::ask(&[{}]) }}{after}",
            function.names("&", ", ")
        );
        let (tests, names) = rust_tests(self.tests);
        let calls: String = names.iter().map(|name| format!("tests::{name}();")).collect();
        let enums = rust_enums(self.gold);
        format!("{}\n{tests}\n{enums}\npub fn assay_tests() {{ {calls} }}\n", rust_lines(&program))
    }

    fn go(&self, split: &Split<'_>, function: &Signature) -> String {
        let Split { before, header, after } = split;
        // The result gets a name, so that the stub can point to it.
        let header = header.strip_suffix(&function.result).unwrap_or(header);
        let program = format!(
            "{before}{header}(assayResult {}) {{ assayAsk(&assayResult, {}); return }}{after}",
            function.result,
            function.names("&", ", ")
        );
        let names = words_after(self.tests, "func ");
        let tests = names.iter().filter(|name| name.starts_with("Test"));
        let calls: String = tests.map(|name| format!("{name}(&testing.T{{}}); ")).collect();
        let main = format!("{GO_ASSERT}\nfunc main() {{ assayGreet(); {calls} }}\n");
        go_file(&program, self.tests, &main)
    }
}

impl Signature {
    /// The parameters' names, each with a prefix.
    fn names(&self, prefix: &str, separator: &str) -> String {
        let names = self.parameters.iter().map(|parameter| format!("{prefix}{}", parameter.name));
        names.collect::<Vec<_>>().join(separator)
    }

    /// The classes of the parameters, as named in Java.
    fn classes(&self) -> String {
        let kinds = self.parameters.iter().map(|parameter| erased(&parameter.kind) + ".class");
        kinds.collect::<Vec<_>>().join(", ")
    }

    /// The names of variables for arguments.
    fn arguments(&self) -> String {
        let names = (0..self.parameters.len()).map(|at| format!("assay_{at}"));
        names.collect::<Vec<_>>().join(", ")
    }
}

/// A Java type without the text in angle brackets.
fn erased(kind: &str) -> String {
    let mut open = 0;
    let outside = |c: &char| {
        open += i32::from(*c == '<');
        let is_outside = open == 0;
        open -= i32::from(*c == '>');
        is_outside
    };
    kind.chars().filter(outside).collect()
}

fn serve_cpp(function: &Signature) -> String {
    let gets = function.parameters.iter().enumerate().map(|(at, parameter)| {
        format!("    auto assay_{at} = assay::get<{}>();\n", parameter.kind)
    });
    format!(
        "\nint main() {{\n    assay::serve([] {{\n{}    assay::put<std::decay_t<{}>>({}({}));\n    \
        }});\n}}\n",
        gets.collect::<String>(),
        function.result,
        function.name,
        function.arguments()
    )
}

/// The server code. A program may be a module of either kind, so it exports nothing.
fn serve_javascript(function: &Signature) -> String {
    format!("\n;globalThis.assayFunctions = {{ {} }};\n", function.name)
}

fn serve_go(function: &Signature) -> String {
    format!("\nfunc main() {{ assayServe({}) }}\n", function.name)
}

fn serve_rust(function: &Signature, gold: &str) -> String {
    let gets = function.parameters.iter().enumerate().map(|(at, parameter)| {
        let kind = without_lifetimes(&parameter.kind);
        format!("        let assay_{at}: {kind} = assay_wire::get(assay_peer);\n")
    });
    format!(
        "\n{}\npub fn assay_serve() {{\n    use std::any::*;\n    use std::collections::*;\n    \
        assay_wire::serve(|assay_peer| {{\n{}        let assay_result: {} = {}({});\n        \
        assay_wire::put(assay_peer, &assay_result);\n    }})\n}}\n",
        rust_enums(gold),
        gets.collect::<String>(),
        without_lifetimes(&function.result),
        function.name,
        function.arguments()
    )
}

/// A type without its named lifetimes, which are unknown where it is repeated.
fn without_lifetimes(kind: &str) -> String {
    let mut parts = kind.split('\'');
    let mut text = parts.next().unwrap_or_default().to_owned();
    for part in parts {
        text.push_str(part.trim_start_matches(|c: char| c.is_alphanumeric() || c == '_'));
    }
    text
}

/// Tests in Rust as callable functions, and their names.
pub(super) fn rust_tests(tests: &str) -> (String, Vec<&str>) {
    let mut names = words_after(tests, "fn ");
    names.retain(|name| name.starts_with("test_"));
    let tests = tests.replace("#[cfg(test)]", "").replace("#[test]", "pub ");
    (tests.replacen("mod tests", "pub mod tests", 1), names)
}

/// Code that sends and receives values of a program's enums, of those whose variants are tuples: a number, and the
/// contents of the variant.
fn rust_enums(program: &str) -> String {
    let code = Code::new(program, BraceLanguage::Rust);
    let enums = code.outer_words("enum").into_iter().filter_map(|at| {
        let open = at + program[at..].find('{')?;
        let end = code.closing(open)?;
        let head = program[at + "enum".len()..open].trim();
        let (name, generics) = head.split_once('<').unwrap_or((head, ""));
        let generics: Vec<&str> =
            generics.trim_end_matches('>').split(',').map(str::trim).collect();
        let generics: Vec<&str> = generics.into_iter().filter(|name| !name.is_empty()).collect();
        rust_enum(name.trim(), &generics, &program[open + 1..end - 1])
    });
    enums.collect()
}

fn rust_enum(name: &str, generics: &[&str], body: &str) -> Option<String> {
    let (mut puts, mut gets) = (String::new(), String::new());
    for (number, variant) in
        body.split("),").map(str::trim).filter(|text| !text.is_empty()).enumerate()
    {
        let (variant, fields) = variant.trim_end_matches(')').split_once('(')?;
        let fields = fields.split(',').filter(|field| !field.trim().is_empty()).count();
        let holds: Vec<String> = (0..fields).map(|at| format!("f{at}")).collect();
        let sent: String = holds.iter().map(|field| format!(" {field}.put(peer);")).collect();
        let held = holds.join(", ");
        let got = vec!["Get::get(peer)"; fields].join(", ");
        puts.push_str(&format!(
            "{name}::{variant}({held}) => {{ {number}u32.put(peer);{sent} }}\n"
        ));
        gets.push_str(&format!("{number}u32 => {name}::{variant}({got}),\n"));
    }
    let first = gets.split("=> ").nth(1)?.split(",\n").next()?.to_owned();
    let bound = |bound: &str| {
        let all: Vec<String> = generics.iter().map(|name| format!("{name}: {bound}")).collect();
        all.join(", ")
    };
    let given = generics.join(", ");
    Some(format!(
        "const _: () = {{\nuse assay_wire::{{Get, Peer, Put}};\nimpl<{}> Put for {name}<{given}> {{ fn \
        put(&self, peer: &mut Peer) {{ match self {{\n{puts}}} }} }}\nimpl<{}> Get for {name}<{given}> {{ fn \
        get(peer: &mut Peer) -> Self {{ match u32::get(peer) {{\n{gets}_ => {first} }} }} }}\n}};\n",
        bound("Put"),
        bound("Get"),
    ))
}

/// Java tests that name the first check that fails. They collect checks in a list; this adds their texts.
fn java_checks(tests: &str) -> String {
    const LIST: &str = "List<Boolean> correct = Arrays.asList(";
    let Some(at) = tests.find(LIST) else { return tests.to_owned() };
    let begin = at + LIST.len();
    let code = Code::new(tests, BraceLanguage::Java).blanked();
    let (mut open, mut parts, mut from) = (0, Vec::new(), begin);
    for (at, byte) in code.iter().enumerate().skip(begin) {
        match byte {
            b'(' | b'[' | b'{' => open += 1,
            b')' if open == 0 => {
                parts.push(&tests[from..at]);
                break;
            }
            b')' | b']' | b'}' => open -= 1,
            b',' if open == 0 => {
                parts.push(&tests[from..at]);
                from = at + 1;
            }
            _ => {}
        }
    }
    let named: Vec<String> = parts.iter().map(|part| java_text(part)).collect();
    format!(
        "{}List<Boolean> correct = Assay.checks(new String[] {{ {} }}, {}",
        &tests[..at],
        named.join(", "),
        &tests[begin..]
    )
}

/// A Java literal for a text.
fn java_text(text: &str) -> String {
    let words = text.split_whitespace().collect::<Vec<_>>().join(" ");
    format!("\"{}\"", words.replace('\\', "\\\\").replace('"', "\\\""))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn separate_tests(
        language: BraceLanguage,
        prompt: &str,
        body: &str,
        tests: &str,
    ) -> SeparateTests {
        let gold = format!("{prompt}{body}");
        PackTests { language, prompt, gold: &gold, tests }.separate_tests().unwrap().1
    }

    #[test]
    fn tests_have_a_stub_instead_of_the_function() {
        let prompt = "int h() { return 1; }\nint f(vector<int> a, int b){\n";
        let made =
            separate_tests(BraceLanguage::Cpp, prompt, "  return secret;\n}\n", "int main(){}");
        assert!(made.tests.contains("int h() { return 1; }"), "{made:?}");
        assert!(
            made.tests.contains("int f(vector<int> a, int b) { return assay::ask<int>(a, b); }")
        );
        assert!(!made.tests.contains("secret"), "{made:?}");
        assert!(made.server_code.contains("assay::get<vector<int>>()"), "{made:?}");
        assert!(!made.server_code.contains("main(){}"), "{made:?}");
    }

    #[test]
    fn a_problem_without_an_open_function_is_refused() {
        let given = PackTests {
            language: BraceLanguage::Cpp,
            prompt: "int f();",
            gold: "int f();",
            tests: "",
        };
        assert!(given.separate_tests().is_err());
    }

    #[test]
    fn checks_in_java_are_named() {
        let tests =
            "List<Boolean> correct = Arrays.asList(\n  f(\"a,\\\"(\") == 1,\n  !g(1, 2)\n);\nrest";
        let named = java_checks(tests);
        assert!(named.contains(r#"{ "f(\"a,\\\"(\") == 1", "!g(1, 2)" }, "#), "{named}");
        assert!(named.ends_with(");\nrest"), "{named}");
        assert_eq!(java_checks("x"), "x");
    }

    #[test]
    fn enums_of_rust_are_sent_by_number() {
        let text = rust_enums("pub enum E<S, F> {\n    Empty(),\n    Both(S, F),\n}\nfn f() {}");
        assert!(text.contains("impl<S: Put, F: Put> Put for E<S, F>"), "{text}");
        assert!(
            text.contains("E::Both(f0, f1) => { 1u32.put(peer); f0.put(peer); f1.put(peer); }")
        );
        assert!(text.contains("1u32 => E::Both(Get::get(peer), Get::get(peer)),"), "{text}");
        assert_eq!(rust_enums("enum C { A, B }"), "");
        assert_eq!(without_lifetimes("&'a dyn Any"), "& dyn Any");
        assert_eq!(erased("Map<String, List<int[]>>[]"), "Map[]");
    }
}
