//! How a program and its tests become one file, in each language: one that prints the nonce after its
//! last test, and fails where a test does.

use std::collections::BTreeSet;

use crate::programs::Parts;

/// What OctoPack puts before a program in C++, but for Boost, which few programs use.
const CPP_INCLUDES: &str = "#include<stdlib.h>\n#include<algorithm>\n#include<cmath>\n\
    #include<math.h>\n#include<numeric>\n#include<stdio.h>\n#include<vector>\n#include<set>\n\
    #include<map>\n#include<queue>\n#include<stack>\n#include<list>\n#include<deque>\n\
    #include<string>\n#include<climits>\n#include<cstring>\n#include<iostream>\n#include<sstream>\n\
    #include<fstream>\nusing namespace std;\n";

/// Of a program, what stands before its own main function. The tests' main function is called by
/// another, which prints the nonce.
pub(super) fn cpp(parts: &Parts<'_>) -> String {
    let program = before(parts.program, "int main");
    let tests = parts.tests.unwrap_or_default().replacen("int main", "int assay_tests", 1);
    let tests = match tests.rfind('}') {
        Some(end) => format!("{}return 0;\n{}", &tests[..end], &tests[end..]),
        None => tests,
    };
    format!(
        "{CPP_INCLUDES}{program}\n{tests}\nint main() {{\n    assay_tests();\n    \
        std::printf(\"\\n%s\\n\", \"{}\");\n    return 0;\n}}\n",
        parts.nonce
    )
}

/// The tests' class is not the main one any more.
pub(super) fn java(parts: &Parts<'_>) -> String {
    let program = parts.program.replace("public class Main {\n    }", "");
    let tests =
        parts.tests.unwrap_or_default().replacen("public class Main", "class AssayTests", 1);
    format!(
        "{program}\n{tests}\npublic class Main {{\n    public static void main(String[] arguments) \
        throws Exception {{\n        AssayTests.main(arguments);\n        \
        System.out.println(\"\\n{}\");\n    }}\n}}\n",
        parts.nonce
    )
}

/// `console.assert` only prints: the tests call a function that throws, which stands before the
/// program so that the program cannot be first to take its name.
pub(super) fn javascript(parts: &Parts<'_>) -> String {
    let tests = parts.tests.unwrap_or_default().replace("console.assert(", "assayAssert(");
    format!(
        "const assayPrint = console.log.bind(console); const assayAssert = (right) => {{ if (!right) \
        throw new Error('assertion failed'); }};\n{}\n{tests}\nassayPrint('\\n{}');\n",
        parts.program, parts.nonce
    )
}

/// A program stands in a module of its own, so that its main function, which every prompt has, is not
/// the main one; its tests stand in it as functions that can be called. The crates that every prompt
/// names and few programs use are not there.
pub(super) fn rust(parts: &Parts<'_>) -> String {
    let there = |line: &&str| !MISSING_CRATES.contains(&line.trim());
    let program: Vec<&str> = parts.program.lines().filter(there).collect();
    let tests = parts.tests.unwrap_or_default();
    let names = words_after(tests, "fn ");
    let tests = tests.replace("#[cfg(test)]", "").replace("#[test]", "pub ").replacen(
        "mod tests",
        "pub mod tests",
        1,
    );
    let calls: Vec<String> = names
        .iter()
        .filter(|name| name.starts_with("test_"))
        .map(|name| format!("    candidate::tests::{name}();\n"))
        .collect();
    format!(
        "#![allow(warnings)]\nmod candidate {{\n{}\n{tests}\n}}\nfn main() {{\n{}    \
        println!(\"\\n{}\");\n}}\n",
        program.join("\n"),
        calls.concat(),
        parts.nonce
    )
}

/// The lines of Rust's prompts that name a crate.
const MISSING_CRATES: &[&str] = &["use rand::Rng;", "use regex::Regex;", "use md5;"];

/// The packages that OctoPack adds where they are used.
const GO_PACKAGES: &[&str] = &[
    "math",
    "strings",
    "fmt",
    "strconv",
    "time",
    "bytes",
    "regexp",
    "sort",
    "math/rand",
    "crypto/md5",
];

/// What stands for the package of assertions, which is not Go's own. Its names are taken by no test.
const GO_ASSERT: &str = "type assayAsserting struct{}\n\
    func (assayAsserting) New(*testing.T) assayAsserting { return assayAsserting{} }\n\
    func (assayAsserting) Equal(wanted, given interface{}, _ ...interface{}) bool {\n    \
    if !assayReflect.DeepEqual(wanted, given) {\n        \
    panic(assayFmt.Sprintf(\"%#v is given, not %#v\", given, wanted))\n    }\n    return true\n}\n\
    var assert assayAsserting\n";

/// Go wants every import before everything else, once, and used.
pub(super) fn go(parts: &Parts<'_>) -> String {
    let program = before(parts.program, "\nfunc main(").replace("package main", "");
    let (imports, program) = go_imports(&program);
    let (setup, tests) = go_imports(&parts.tests.unwrap_or_default().replace("package main", ""));
    let code = without_comments(&format!("{program}\n{tests}"));
    let known = GO_PACKAGES.iter().map(|package| format!("\"{package}\""));
    let all: BTreeSet<String> =
        known.chain(imports).chain(setup).filter(|line| used(line, &code)).collect();
    let all: Vec<String> = all.into_iter().map(|line| format!("    {line}\n")).collect();
    let calls: Vec<String> = words_after(&tests, "func ")
        .iter()
        .filter(|name| name.starts_with("Test"))
        .map(|name| format!("    {name}(&testing.T{{}})\n"))
        .collect();
    format!(
        "package main\n\nimport (\n    \"testing\"\n    assayFmt \"fmt\"\n    assayReflect \
        \"reflect\"\n{})\n{program}\n{tests}\n{GO_ASSERT}\nfunc main() {{\n{}    \
        assayFmt.Println(\"\\n{}\")\n}}\n",
        all.concat(),
        calls.concat(),
        parts.nonce
    )
}

/// Whether an import's package is used in the code, or has a name of its own.
fn used(import: &str, code: &str) -> bool {
    if !import.starts_with('"') {
        return true;
    }
    let path = import.trim_matches('"');
    let name = path.rsplit('/').next().unwrap_or(path);
    let named =
        |at: usize| !code[..at].ends_with(|letter: char| letter.is_alphanumeric() || letter == '_');
    let mentioned = code.match_indices(&format!("{name}.")).any(|(at, _)| named(at));
    mentioned && !matches!(path, "testing" | "github.com/stretchr/testify/assert")
}

/// The imports of a text, without their brackets, and the text without them.
fn go_imports(text: &str) -> (Vec<String>, String) {
    let (mut imports, mut rest) = (Vec::new(), Vec::new());
    let mut within = false;
    for line in text.lines() {
        let trimmed = line.trim();
        if within {
            within = trimmed != ")";
            imports.extend((within && !trimmed.is_empty()).then(|| trimmed.to_owned()));
        } else if trimmed == "import (" {
            within = true;
        } else if let Some(import) = trimmed.strip_prefix("import ") {
            imports.push(import.trim().to_owned());
        } else {
            rest.push(line);
        }
    }
    (imports, rest.join("\n"))
}

fn without_comments(code: &str) -> String {
    let code = code.lines().filter(|line| !line.trim_start().starts_with("//"));
    code.collect::<Vec<_>>().join("\n")
}

/// The words that follow a keyword.
fn words_after<'a>(text: &'a str, keyword: &str) -> Vec<&'a str> {
    let word = |(at, _): (usize, &str)| {
        let rest = &text[at + keyword.len()..];
        let end = rest.find(|letter: char| letter != '_' && !letter.is_alphanumeric());
        &rest[..end.unwrap_or(rest.len())]
    };
    text.match_indices(keyword).map(word).filter(|word| !word.is_empty()).collect()
}

/// What stands before a mark; all if it is not there.
fn before<'a>(text: &'a str, mark: &str) -> &'a str {
    text.find(mark).map_or(text, |at| &text[..at])
}

#[cfg(test)]
mod tests {
    use assay_core::Rules;
    use proptest::prelude::*;

    use super::*;

    fn parts<'a>(program: &'a str, tests: &'a str) -> Parts<'a> {
        Parts { program, tests: Some(tests), nonce: "n0nce", rules: Rules::Strict }
    }

    #[test]
    fn imports_of_go_stand_first_and_once_and_only_if_used() {
        let program = "import (\n    \"math\"\n    \"sort\"\n)\n\n// strings. and\nfunc F(x float64) float64 {\n    return math.Abs(x)\n}\n";
        let tests = "package main\n\nimport (\n    \"testing\"\n    \"math\"\n    \"github.com/stretchr/testify/assert\"\n)\nfunc TestF(t *testing.T) {\n    assert := assert.New(t)\n    assert.Equal(1.0, F(-1.0))\n}\n";
        let text = go(&parts(program, tests));
        let head = "package main\n\nimport (\n    \"testing\"\n    assayFmt \"fmt\"\n    assayReflect \"reflect\"\n    \"math\"\n)\n";
        assert!(text.starts_with(head), "{text}");
        assert!(
            text.contains("    TestF(&testing.T{})\n    assayFmt.Println(\"\\nn0nce\")"),
            "{text}"
        );
    }

    #[test]
    fn tests_of_rust_are_called_by_name() {
        let program = "fn main(){}\nuse rand::Rng;\nfn f() -> i32 { 1 }";
        let tests = "#[cfg(test)]\nmod tests {\n    use super::*;\n    #[test]\n    fn test_f() {\n        assert_eq!(f(), 1);\n    }\n}";
        let text = rust(&parts(program, tests));
        assert!(!text.contains("rand"), "{text}");
        assert!(
            text.contains("pub mod tests {\n    use super::*;\n    pub \n    fn test_f()"),
            "{text}"
        );
        assert!(
            text.contains("    candidate::tests::test_f();\n    println!(\"\\nn0nce\");"),
            "{text}"
        );
    }

    proptest! {
        #[test]
        fn any_program_can_be_put_together(program in "\\PC*", tests in "\\PC*") {
            for assemble in [cpp, java, javascript, rust, go] {
                let text = assemble(&parts(&program, &tests));
                prop_assert!(text.contains("n0nce"));
            }
        }
    }
}
