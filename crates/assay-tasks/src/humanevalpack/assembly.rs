//! Assembly of an answer to the file that is run, in each language.
//!
//! Under `strict`, that is the program with the code that serves the calls of its tests, which are another process.
//! Under `compat`, program and tests are one file, as in OctoPack, which prints the nonce after its last test.

use std::collections::BTreeSet;

use assay_core::Rules;

use super::code::{BraceLanguage, Code};
use super::separate_tests::rust_tests;
use crate::programs::SourceParts;

/// The includes that OctoPack adds to a C++ program, except for Boost, which few programs use. Under `strict`, the
/// sandbox adds them.
const CPP_INCLUDES: &str = "#include<stdlib.h>\n#include<algorithm>\n#include<cmath>\n\
    #include<math.h>\n#include<numeric>\n#include<stdio.h>\n#include<vector>\n#include<set>\n\
    #include<map>\n#include<queue>\n#include<stack>\n#include<list>\n#include<deque>\n\
    #include<string>\n#include<climits>\n#include<cstring>\n#include<iostream>\n#include<sstream>\n\
    #include<fstream>\nusing namespace std;\n";

/// An answer without a byte order mark, and with LF line ends.
fn plain(answer: &str) -> String {
    answer.replace('\u{feff}', "").replace("\r\n", "\n")
}

/// A program without its own main function. Under `compat`, the tests' main function is called by another one, which
/// prints the nonce.
pub(super) fn cpp(parts: &SourceParts<'_>) -> String {
    let program = without_main(&plain(parts.program), BraceLanguage::Cpp);
    let tests = parts.tests.unwrap_or_default();
    if parts.rules == Rules::Strict {
        return format!("{program}\n{tests}");
    }
    let tests = tests.replacen("int main", "int assay_tests", 1);
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

/// A program in which no class is public, since the file name can match only one of them. Under `compat`, the tests'
/// class is not the main one.
pub(super) fn java(parts: &SourceParts<'_>) -> String {
    let program = without_public(&plain(parts.program));
    if parts.rules == Rules::Strict {
        return program;
    }
    let program = program.replace("class Main {\n    }", "");
    let tests =
        parts.tests.unwrap_or_default().replacen("public class Main", "class AssayTests", 1);
    format!(
        "{program}\n{tests}\npublic class Main {{\n    public static void main(String[] arguments) \
        throws Exception {{\n        AssayTests.main(arguments);\n        \
        System.out.println(\"\\n{}\");\n    }}\n}}\n",
        parts.nonce
    )
}

/// A Java program with spaces instead of its package and of `public` before its classes.
pub(super) fn without_public(program: &str) -> String {
    let code = Code::new(program, BraceLanguage::Java);
    let mut bytes = program.as_bytes().to_vec();
    for at in code.outer_words("public") {
        bytes[at..at + "public".len()].fill(b' ');
    }
    for at in code.outer_words("package") {
        let end = program[at..].find(';').map_or(program.len(), |end| at + end + 1);
        bytes[at..end].iter_mut().filter(|byte| **byte != b'\n').for_each(|byte| *byte = b' ');
    }
    String::from_utf8(bytes).unwrap_or_else(|_| program.to_owned())
}

/// A program with its tests. Under `compat`, `console.assert` only prints, so the tests call a function that throws.
/// It comes before the program, so that the program cannot take its name first.
pub(super) fn javascript(parts: &SourceParts<'_>) -> String {
    let program = plain(parts.program);
    let tests = parts.tests.unwrap_or_default();
    if parts.rules == Rules::Strict {
        return format!("{program}\n{tests}");
    }
    let tests = tests.replace("console.assert(", "assayAssert(");
    format!(
        "const assayPrint = console.log.bind(console); const assayAssert = (right) => {{ if (!right) \
        throw new Error('assertion failed'); }};\n{program}\n{tests}\nassayPrint('\\n{}');\n",
        parts.nonce
    )
}

/// A program in a module of its own, so that its main function, which every prompt has, is not the main one. Under
/// `compat`, its tests are in the module, as callable functions.
pub(super) fn rust(parts: &SourceParts<'_>) -> String {
    let program = rust_lines(&plain(parts.program));
    let tests = parts.tests.unwrap_or_default();
    if parts.rules == Rules::Strict {
        return format!("{}\n{tests}", within_module(&program, "program"));
    }
    let program = within_module(&program, "candidate");
    let (tests, names) = rust_tests(tests);
    let calls = names.iter().map(|name| format!("    candidate::tests::{name}();\n"));
    format!(
        "#![allow(warnings)]\nmod candidate {{\n{program}\n{tests}\n}}\nfn main() {{\n{}    \
        println!(\"\\n{}\");\n}}\n",
        calls.collect::<String>(),
        parts.nonce
    )
}

/// The crates that Rust's prompts name.
const MISSING_CRATES: &[&str] = &["rand", "regex", "md5"];

/// A Rust program with empty lines instead of the crates that every prompt names, few programs use, and the sandbox
/// lacks.
pub(super) fn rust_lines(program: &str) -> String {
    let names_missing = |line: &str| {
        let named = ["use ", "extern crate "].iter().find_map(|begin| line.strip_prefix(begin))?;
        let name = named.strip_suffix(';')?.split([':', ' ']).next()?;
        MISSING_CRATES.contains(&name).then_some(())
    };
    let there =
        |line: &'_ str| names_missing(line.trim()).map_or(line.to_owned(), |()| String::new());
    program.lines().map(there).collect::<Vec<_>>().join("\n")
}

/// A Rust program whose paths from the crate root lead into its module.
fn within_module(program: &str, module: &str) -> String {
    let code = Code::new(program, BraceLanguage::Rust).blanked();
    let (mut text, mut done) = (String::new(), 0);
    for (at, root) in program.match_indices("crate::") {
        let before = at.checked_sub(1).map_or(b' ', |at| code[at]);
        let is_whole = before != b'_' && !before.is_ascii_alphanumeric();
        if code[at] == b'c' && is_whole {
            text.push_str(&program[done..at]);
            text.push_str(&format!("crate::{module}::"));
            done = at + root.len();
        }
    }
    text + &program[done..]
}

/// The packages that OctoPack adds where they are used, and a value of each. The value makes sure that the package is
/// used, even if its name was only a variable's.
const GO_PACKAGES: &[(&str, &str)] = &[
    ("math", "math.Pi"),
    ("strings", "strings.ToUpper"),
    ("fmt", "fmt.Sprint"),
    ("strconv", "strconv.Itoa"),
    ("time", "time.Now"),
    ("bytes", "bytes.Equal"),
    ("regexp", "regexp.Compile"),
    ("sort", "sort.Ints"),
    ("math/rand", "rand.Int"),
    ("crypto/md5", "md5.New"),
];

/// The replacement of the assertion package, which is not part of Go. No test uses its names.
pub(super) const GO_ASSERT: &str = "type assayAsserting struct{}\n\
    func (assayAsserting) New(*testing.T) assayAsserting { return assayAsserting{} }\n\
    func (assayAsserting) Equal(wanted, given interface{}, _ ...interface{}) bool {\n    \
    if !assayReflect.DeepEqual(wanted, given) {\n        \
    _, _, line, _ := assayRuntime.Caller(1)\n        \
    assayWrong(assayFmt.Sprintf(\"%#v is given, not %#v (line %d of the tests)\", given, wanted, line))\n    \
    }\n    return true\n}\n\
    var assert assayAsserting\n";

/// The code that `compat` needs in addition.
const GO_COMPAT: &str = "func assayWrong(text string) { panic(text) }\n";

/// A program with its imports first: Go requires each import to be there once, before everything else, and used.
pub(super) fn go(parts: &SourceParts<'_>) -> String {
    let program = plain(parts.program);
    let program = without_main(&program, BraceLanguage::Go);
    let tests = parts.tests.unwrap_or_default();
    if parts.rules == Rules::Strict {
        return go_file(&program, "", tests);
    }
    let names = words_after(tests, "func ");
    let names = names.iter().filter(|name| name.starts_with("Test"));
    let calls: String = names.map(|name| format!("    {name}(&testing.T{{}})\n")).collect();
    let main = format!(
        "{GO_ASSERT}{GO_COMPAT}\nfunc main() {{\n{calls}    assayFmt.Println(\"\\n{}\")\n}}\n",
        parts.nonce
    );
    go_file(&program, tests, &main)
}

/// A Go file with the imports of a program and its tests on its first line. The code after both, `end`, may use the
/// packages that are imported under a name of their own. Lines are numbered as in the program, and as in the tests.
pub(super) fn go_file(program: &str, tests: &str, end: &str) -> String {
    let (imports, program) = go_imports(program);
    let (setup, tests) = go_imports(tests);
    let blanked = Code::new(&format!("{program}\n{tests}"), BraceLanguage::Go).blanked();
    let code = String::from_utf8_lossy(&blanked).into_owned();
    let own: Vec<String> =
        imports.into_iter().chain(setup).filter(|import| used(import, &code)).collect();
    let is_new = |import: &String| !own.iter().any(|other| name_of(other) == name_of(import));
    let known = GO_PACKAGES.iter().map(|(package, _)| format!("\"{package}\""));
    let added: Vec<String> = known.filter(|import| used(import, &code)).filter(is_new).collect();
    let uses: String = GO_PACKAGES
        .iter()
        .filter(|(package, _)| added.contains(&format!("\"{package}\"")))
        .map(|(_, value)| format!("var _ = {value}\n"))
        .collect();
    let all = added.into_iter().chain(own);
    let ours = ["testing", "fmt", "reflect", "runtime"].into_iter().filter_map(|package| {
        let name = match package {
            "testing" => "testing",
            "fmt" => "assayFmt",
            "reflect" => "assayReflect",
            _ => "assayRuntime",
        };
        let needed = |text: &str| text.contains(&format!("{name}."));
        (needed(&tests) || needed(end)).then(|| format!("{name} \"{package}\""))
    });
    let all: BTreeSet<String> = all.chain(ours).collect();
    let all: Vec<String> = all.into_iter().collect();
    let imports =
        if all.is_empty() { String::new() } else { format!("; import ({})", all.join("; ")) };
    format!(
        "package main{imports}\n//line program.go:1\n{program}\n//line tests.go:1\n{tests}\n{end}{uses}"
    )
}

/// Returns true if an import's package is used in the code, or has a name of its own.
fn used(import: &str, code: &str) -> bool {
    if !import.starts_with('"') {
        return true;
    }
    let path = import.trim_matches('"');
    let name = name_of(import);
    let named = |at: usize| !code[..at].ends_with(|c: char| c.is_alphanumeric() || c == '_');
    let mentioned = code.match_indices(&format!("{name}.")).any(|(at, _)| named(at));
    mentioned && !matches!(path, "testing" | "github.com/stretchr/testify/assert")
}

/// The name under which an import's package is used.
fn name_of(import: &str) -> &str {
    let name = import.split(['"', '`']).next().unwrap_or_default().trim();
    let path = import.trim_matches('"');
    if name.is_empty() { path.rsplit('/').next().unwrap_or(path) } else { name }
}

/// The imports of a text, without their brackets, and the text with empty lines instead of them and of its package.
fn go_imports(text: &str) -> (Vec<String>, String) {
    let (mut imports, mut rest) = (Vec::new(), Vec::new());
    let mut within = false;
    for line in text.lines() {
        let trimmed = line.split("//").next().unwrap_or(line).trim();
        let mut kept = "";
        if within {
            within = trimmed != ")";
            imports.extend((within && !trimmed.is_empty()).then(|| trimmed.to_owned()));
        } else if let Some(first) = opens_imports(trimmed) {
            within = !first.ends_with(')');
            let listed = first.trim_end_matches(')').split(';').map(str::trim);
            imports.extend(listed.filter(|import| !import.is_empty()).map(str::to_owned));
        } else if let Some(import) = line.strip_prefix("import ") {
            imports.push(import.split("//").next().unwrap_or(import).trim().to_owned());
        } else if !line.starts_with("package ") {
            kept = line;
        }
        rest.push(kept);
    }
    (imports, rest.join("\n"))
}

/// The text after the bracket of a line that opens a list of imports.
fn opens_imports(line: &str) -> Option<&str> {
    Some(line.strip_prefix("import")?.trim_start().strip_prefix('(')?.trim())
}

/// The words that follow a keyword.
pub(super) fn words_after<'a>(text: &'a str, keyword: &str) -> Vec<&'a str> {
    let word = |(at, _): (usize, &str)| {
        let rest = &text[at + keyword.len()..];
        let end = rest.find(|c: char| c != '_' && !c.is_alphanumeric());
        &rest[..end.unwrap_or(rest.len())]
    };
    text.match_indices(keyword).map(word).filter(|word| !word.is_empty()).collect()
}

/// A program with spaces instead of its main function. The text after it is kept if it is code too: functions, or a
/// preprocessor line.
fn without_main(program: &str, language: BraceLanguage) -> String {
    let code = Code::new(program, language);
    let Some((begin, open)) = main_function(program, &code, language) else {
        return program.to_owned();
    };
    let end = open.and_then(|open| code.closing(open)).unwrap_or(program.len());
    let rest = &program[end..];
    let is_code =
        Code::new(rest, language).braces().next().is_some() || rest.trim_start().starts_with('#');
    let main = program[begin..end].lines().map(|_| "").collect::<Vec<_>>().join("\n");
    format!("{}{main}{}", &program[..begin], if is_code { rest } else { "" })
}

/// The start of a program's main function, and of the brace that opens its body.
fn main_function(
    program: &str,
    code: &Code<'_>,
    language: BraceLanguage,
) -> Option<(usize, Option<usize>)> {
    const BEFORE: [&str; 5] = ["int", "signed", "auto", "int32_t", "void"];
    let words = if language == BraceLanguage::Go { &["func"][..] } else { &BEFORE };
    let blanked = code.blanked();
    let found = |at: usize| {
        let before = program[..at].trim_end();
        let word = words.iter().find(|word| ends_with_word(before, word))?;
        let after = at + "main".len();
        program[after..].trim_start().starts_with('(').then_some(())?;
        let next = blanked[after..].iter().position(|byte| b"{;".contains(byte));
        let open = next.map(|next| after + next);
        // A declaration has no body to remove.
        let defined = open.is_none_or(|open| blanked[open] == b'{');
        defined.then(|| (before.len() - word.len(), open))
    };
    code.outer_words("main").into_iter().find_map(found)
}

fn ends_with_word(text: &str, word: &str) -> bool {
    let is_part = |c: char| c == '_' || c.is_alphanumeric();
    text.strip_suffix(word).is_some_and(|before| !before.ends_with(is_part))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn compat<'a>(program: &'a str, tests: &'a str) -> SourceParts<'a> {
        SourceParts { program, tests: Some(tests), nonce: "n0nce", rules: Rules::Compat }
    }

    fn strict<'a>(program: &'a str, server_code: &'a str) -> SourceParts<'a> {
        SourceParts { program, tests: Some(server_code), nonce: "", rules: Rules::Strict }
    }

    #[test]
    fn imports_of_go_come_first_and_once_and_only_if_used() {
        let program = "import (\n    \"math\"\n    \"sort\"\n)\n\n// strings. and\nfunc F(x float64) float64 {\n    return math.Abs(x)\n}\n";
        let tests = "package main\n\nimport (\n    \"testing\"\n    \"math\"\n    \"github.com/stretchr/testify/assert\"\n)\nfunc TestF(t *testing.T) {\n    assert := assert.New(t)\n    assert.Equal(1.0, F(-1.0))\n}\n";
        let text = go(&compat(program, tests));
        let head = "package main; import (\"math\"; assayFmt \"fmt\"; assayReflect \"reflect\"; assayRuntime \"runtime\"; testing \"testing\")\n//line program.go:1\n\n\n\n\n\n// strings. and\n";
        assert!(text.starts_with(head), "{text}");
        assert!(
            text.contains("    TestF(&testing.T{})\n    assayFmt.Println(\"\\nn0nce\")"),
            "{text}"
        );
        let listed =
            "import (\"sort\"; \"math\")\nimport \"crypto/rand\"\nvar a, b = rand.Reader, math.Pi";
        let text = go(&strict(listed, ""));
        assert!(text.starts_with("package main; import (\"crypto/rand\"; \"math\")\n"), "{text}");
        let text = go(&strict("func F() { time := g; time.x() }", ""));
        assert!(text.contains("(\"time\")") && text.ends_with("var _ = time.Now\n"), "{text}");
        let text = go(&strict(program, "func main() { assayServe(F) }"));
        assert!(
            text.starts_with("package main; import (\"math\")\n//line program.go:1\n"),
            "{text}"
        );
    }

    #[test]
    fn tests_of_rust_are_called_by_name() {
        let program = "fn main(){}\nuse rand::Rng;\nfn f() -> i32 { 1 }";
        let tests = "#[cfg(test)]\nmod tests {\n    use super::*;\n    #[test]\n    fn test_f() {\n        assert_eq!(f(), 1);\n    }\n}";
        let text = rust(&compat(program, tests));
        assert!(!text.contains("rand"), "{text}");
        let lines = "extern crate rand;\nuse rand::{Rng, x};\nuse random::X;\n use md5;";
        assert_eq!(rust_lines(lines), "\n\nuse random::X;\n");
        let paths =
            "use crate::a::{b}; \"crate::\"; pub(crate) fn f() { $crate::g(); mycrate::h() }";
        let inside =
            "use crate::m::a::{b}; \"crate::\"; pub(crate) fn f() { $crate::m::g(); mycrate::h() }";
        assert_eq!(within_module(paths, "m"), inside);
        assert!(
            text.contains("pub mod tests {\n    use super::*;\n    pub \n    fn test_f()"),
            "{text}"
        );
        assert!(
            text.contains("    candidate::tests::test_f();\n    println!(\"\\nn0nce\");"),
            "{text}"
        );
    }

    #[test]
    fn only_a_main_function_is_taken_out_of_a_program() {
        let check = |language, program, kept| assert_eq!(without_main(program, language), kept);
        let cpp = BraceLanguage::Cpp;
        check(cpp, "int f();\nint  main (void) { }\nrest", "int f();\n");
        check(cpp, "int f();\nint main() {\n x\n}\nint f() {}", "int f();\n\n\n\nint f() {}");
        check(cpp, "#ifdef X\nauto main() -> int { }\n#endif", "#ifdef X\n\n#endif");
        check(cpp, "int main();\nsigned main() { }", "int main();\n");
        check(cpp, "int f() {}\nint main() { {", "int f() {}\n");
        for program in [
            "// int main()\nint main_index(int i) { return i; }",
            "string s = \"int main()\"; int main_() {}",
            "struct A { int main() { return 1; } };",
        ] {
            check(cpp, program, program);
        }
        check(BraceLanguage::Go, "func F() {}\nfunc main() {\n}\n", "func F() {}\n\n");
        check(BraceLanguage::Go, "func main() { F() }\nfunc F() {}", "\nfunc F() {}");
        check(BraceLanguage::Go, "// \nfunc F() { main() }", "// \nfunc F() { main() }");
    }

    #[test]
    fn no_class_of_java_is_public() {
        let program = "package a.b;\npublic class Solution {\n    public int f() { return 1; }\n}\npublic final class Main { }";
        let text = without_public(program);
        assert_eq!(text.matches("public").count(), 1, "{text}");
        assert!(!text.contains("package"), "{text}");
        assert_eq!(text.len(), program.len());
    }

    #[test]
    fn marks_and_line_ends_of_other_systems_are_gone() {
        for assemble in [cpp, java, javascript, rust, go] {
            let text = assemble(&strict("\u{feff}a\r\nb\r\n", ""));
            assert!(text.contains("a\nb") && !text.contains(['\r', '\u{feff}']), "{text:?}");
        }
    }

    proptest! {
        #[test]
        fn any_program_can_be_put_together(program in "\\PC*", tests in "\\PC*") {
            for assemble in [cpp, java, javascript, rust, go] {
                let text = assemble(&compat(&program, &tests));
                prop_assert!(text.contains("n0nce"));
                assemble(&strict(&program, &tests));
            }
        }
    }
}
