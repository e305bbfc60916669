//! HumanEvalPack's languages besides Python: programs that cheat, right programs in unusual forms,
//! and the verdicts on wrong ones.

#![allow(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

mod common;

use std::fs;

use common::run;
use serde_json::{Value, json};
use tempfile::tempdir;

/// The verdicts on programs for the sample's first problem, the sum of squares; `None` if this machine
/// cannot run the language.
fn verdicts(language: &str, answers: &[(&str, &str)]) -> Option<Vec<Value>> {
    let folder = tempdir().unwrap();
    let line = |(field, text): &(&str, &str)| {
        let mut answer = json!({ "task_id": 0 });
        answer[*field] = json!(text);
        format!("{answer}\n")
    };
    let lines: String = answers.iter().map(line).collect();
    fs::write(folder.path().join("answers.jsonl"), lines).unwrap();
    let task = format!("humanevalpack-{language}");
    let arguments = ["score", &task, "answers.jsonl", "--data", "sample", "--verdicts", "v.jsonl"];
    let output = run(folder.path(), &arguments);
    if output.err.contains("this machine has nothing that runs") {
        // Not with a macro: the test harness would capture it.
        let _ = std::io::Write::write_all(&mut std::io::stderr(), output.err.as_bytes());
        return None;
    }
    assert!([0, 5].contains(&output.code), "{output:?}");
    let text = fs::read_to_string(folder.path().join("v.jsonl")).unwrap();
    let mut verdicts: Vec<Value> =
        text.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    verdicts.retain(|verdict| verdict["problem"].as_str().unwrap().ends_with("/0"));
    assert_eq!(verdicts.len(), answers.len());
    Some(verdicts)
}

/// Checks that none of these programs, none of which solves the problem, passes.
fn check_cheats(language: &str, programs: &[&str]) {
    let answers: Vec<(&str, &str)> = programs.iter().map(|text| ("solution", *text)).collect();
    for (verdict, program) in verdicts(language, &answers).unwrap_or_default().iter().zip(programs)
    {
        assert_eq!(verdict["outcome"], "failed", "{language}: {program}\n{verdict}");
        assert_ne!(verdict["ending"]["kind"], "syntax_error", "{program}\n{verdict}");
        assert_ne!(verdict["ending"]["kind"], "sandbox_error", "{program}\n{verdict}");
    }
}

/// Checks that all of these answers pass.
fn check_right(language: &str, answers: &[(&str, &str)]) {
    for (verdict, answer) in verdicts(language, answers).unwrap_or_default().iter().zip(answers) {
        assert_eq!(verdict["outcome"], "passed", "{language}: {answer:?}\n{verdict}");
    }
}

/// The expected ending of a program: its kind, a part of the message, and further fields.
type ExpectedEnding<'a> = (&'a str, &'a str, Value);

fn check_endings(language: &str, programs: &[(&str, ExpectedEnding<'_>)]) {
    let answers: Vec<(&str, &str)> = programs.iter().map(|(text, _)| ("solution", *text)).collect();
    let verdicts = verdicts(language, &answers).unwrap_or_default();
    for (verdict, (program, (kind, message, known))) in verdicts.iter().zip(programs) {
        let ending = &verdict["ending"];
        assert_eq!(ending["kind"], *kind, "{language}: {program}\n{verdict}");
        let output = ending["message"].as_str().unwrap_or_default();
        assert!(output.contains(message), "{language}: {program}\n{verdict}");
        for (key, value) in known.as_object().unwrap() {
            assert_eq!(&ending[key], value, "{language}: {program}\n{verdict}");
        }
    }
}

#[test]
fn cheats_in_cpp_fail() {
    check_cheats(
        "cpp",
        &[
            // A result that is equal to everything.
            "struct Any { template <class T> bool operator==(const T&) const { return true; } \
             operator int() const { return 7; } };\nAny sum_squares(vector<int> n) { return {}; }",
            // An assertion that asserts nothing.
            "#include <assert.h>\n#undef assert\n#define assert(x)\n#define NDEBUG\n\
             int sum_squares(vector<int> n) { return 7; }",
            // Exits before its tests are done.
            "struct Begin { Begin() { puts(\"passed\"); exit(0); } } begin;\n\
             int sum_squares(vector<int> n) { return 7; }",
            "#include <unistd.h>\nvoid leave() { _exit(0); }\n\
             int sum_squares(vector<int> n) { atexit(leave); exit(1); }",
            // Reads its own source file.
            "int sum_squares(vector<int> n) { ifstream in(\"main.cpp\"); string all((istreambuf_iterator<char>(in)), \
             istreambuf_iterator<char>()); size_t at = all.rfind(\"\\\\n%s\\\\n\\\", \\\"\"); \
             if (at != string::npos) puts(all.substr(at + 10, 32).c_str()); fflush(stdout); quick_exit(0); }",
            // Looks for the tests in its folder.
            "#include <dirent.h>\nint sum_squares(vector<int> n) { DIR* tests = opendir(\"tests.d\"); int found = 0; \
             while (readdir(tests)) found++; return found > 2 ? 14 : -1; }",
            // Answers in place of the tests.
            "#include <unistd.h>\nint sum_squares(vector<int> n) { for (int i = 0; i < 9; i++) write(i, \"passed\\n\", 7); \
             return 7; }",
        ],
    );
}

#[test]
fn cheats_in_java_fail() {
    let wrong = "class Solution { public int sumSquares(List<Integer> n) { return 7; } }";
    check_cheats(
        "java",
        &[
            // Classes that shadow those that the tests use.
            &format!(
                "import java.util.*;\n{wrong}\nclass Arrays {{ static <T> java.util.List<T> asList(T... t) \
                 {{ return new java.util.ArrayList<T>(); }} }}"
            ),
            &format!(
                "import java.util.*;\n{wrong}\nclass AssertionError extends Error {{ static {{ System.exit(0); }} }}"
            ),
            // Exits before its tests are done.
            "import java.util.*;\nclass Solution { static { Runtime.getRuntime().halt(0); } \
             public int sumSquares(List<Integer> n) { return 7; } }",
            // Other threads, and reflection on the caller.
            "import java.util.*;\nclass Solution { public int sumSquares(List<Integer> n) { \
             System.out.println(\"passed\"); System.setOut(null); System.setErr(null); \
             Thread.setDefaultUncaughtExceptionHandler((t, e) -> System.exit(0)); \
             throw new RuntimeException(); } }",
            // Reads its own source file.
            "import java.util.*;\nimport java.nio.file.*;\nclass Solution { public int sumSquares(List<Integer> n) { \
             try { String all = Files.readString(Path.of(\"Main.java\")); int at = all.lastIndexOf(\"println(\\\"\\\\n\"); \
             System.out.println(all.substring(at + 11, at + 43)); } catch (Exception e) { } System.exit(0); return 0; } }",
        ],
    );
}

#[test]
fn cheats_in_javascript_fail() {
    check_cheats(
        "js",
        &[
            "console.assert = () => {};\nconst sumSquares = (n) => 7;",
            "Object.defineProperty(global, 'assayAssert', { value: () => {} });\nconst sumSquares = (n) => 7;",
            "JSON.stringify = () => '';\nObject.is = () => true;\nArray.isArray = () => true;\n\
             Array.prototype.map = function () { return 14; };\nconst sumSquares = (n) => 7;",
            "process.exit = () => {};\nprocess.on('exit', () => { process.exitCode = 0; });\n\
             const sumSquares = (n) => { throw new Error('no'); };",
            "process.reallyExit(0);\nconst sumSquares = (n) => 7;",
            "const sumSquares = (n) => ({ valueOf: () => 14, toString: () => '14' });",
            "Error.prepareStackTrace = () => { process.reallyExit(0); };\nconst sumSquares = (n) => 7;",
            "const sumSquares = (n) => { const all = require('fs').readFileSync('main.js', 'utf8'); \
             console.log(all.slice(-37)); process.exit(0); };",
        ],
    );
}

#[test]
fn cheats_in_go_fail() {
    let wrong = "func SumSquares(numbers []int) int { return 7 }";
    check_cheats(
        "go",
        &[
            &format!("import \"os\"\n\nfunc init() {{ os.Exit(0) }}\n\n{wrong}\n"),
            "import \"fmt\"\nimport \"os\"\n\nfunc SumSquares(numbers []int) int { all, _ := os.ReadFile(\"main.go\"); \
             fmt.Println(string(all)); os.Exit(0); return 0 }\n",
            &format!("func recover() interface{{}} {{ return nil }}\n\n{wrong}\n"),
            "func SumSquares(numbers []int) int { defer func() { recover() }(); panic(\"no\") }\n",
            "import \"reflect\"\n\nfunc SumSquares(numbers []int) int { return int(reflect.ValueOf(7).Int()) }\n",
        ],
    );
}

#[test]
fn cheats_in_rust_fail() {
    check_cheats(
        "rust",
        &[
            // A comparison that compares nothing.
            "macro_rules! assert_eq { ($($all:tt)*) => {}; }\nfn sum_squares(numbers: Vec<i32>) -> i32 { 7 }",
            "#[derive(Debug)]\npub struct Any;\nimpl PartialEq<i32> for Any { fn eq(&self, _: &i32) -> bool { true } }\n\
             impl From<Any> for i32 { fn from(_: Any) -> i32 { 7 } }\n\
             fn sum_squares(numbers: Vec<i32>) -> i32 { Any.into() }",
            "fn sum_squares(numbers: Vec<i32>) -> i32 { std::panic::set_hook(Box::new(|_| std::process::exit(0))); panic!() }",
            "fn sum_squares(numbers: Vec<i32>) -> i32 { let all = std::fs::read_to_string(\"main.rs\").unwrap_or_default(); \
             println!(\"{all}\"); std::process::exit(0) }",
            "fn sum_squares(numbers: Vec<i32>) -> i32 { std::fs::read_dir(\"tests.d\").map_or(-1, |all| \
             if all.count() > 0 { 14 } else { -1 }) }",
        ],
    );
}

#[test]
fn right_programs_in_cpp_pass_in_any_form() {
    let body = "  int sum = 0; // }\n  /* } */ string s = \"}\"; char c = '}';\n  for (int n : numbers) { sum += n * n; }\n  return sum;\n}\nnonsense((";
    check_right(
        "cpp",
        &[
            (
                "solution",
                "// like int main, but not it\nint main_index = 0;\nint sum_squares(vector<int> numbers) \
              { int sum = 0; for (int n : numbers) sum += n * n; return sum; }",
            ),
            (
                "solution",
                "\u{feff}int sum_squares(const vector<int>& numbers)\r\n{\r\n  int sum = 0;\r\n  for (int n : numbers) sum += n * n;\r\n  return sum;\r\n}\r\nint main()\r\n{\r\n  nonsense\r\n}\r\n",
            ),
            ("completion", &format!("\n{body}")),
            // Its output is ignored.
            (
                "solution",
                "int sum_squares(vector<int> numbers) { int sum = 0; for (int n : numbers) sum += n * n; \
              cout << sum << endl; cerr << sum; return sum; }",
            ),
        ],
    );
}

#[test]
fn right_programs_in_java_pass_in_any_form() {
    let body = "int sum = 0; for (int n : numbers) sum += n * n; return sum;";
    let head = "import java.util.*;\n";
    check_right(
        "java",
        &[
            (
                "solution",
                &format!(
                    "{head}public class Solution {{ public int sumSquares(List<Integer> numbers) {{ {body} }} }}"
                ),
            ),
            (
                "solution",
                &format!(
                    "package a;\n{head}public final class Solution {{ public static int sumSquares(List<Integer> numbers) {{ {body} }} }}\npublic class Main {{ public static void main(String[] a) {{ }} }}"
                ),
            ),
            (
                "solution",
                &format!(
                    "\u{feff}{head}\r\nclass Solution {{\r\n public int sumSquares(List<Integer> numbers) {{\r\n {body}\r\n}}\r\n}}\r\n"
                ),
            ),
            (
                "completion",
                &format!("\n  String s = \"}}}}\"; // }}\n  {body}\n  }}\n}}\nnonsense"),
            ),
        ],
    );
}

#[test]
fn right_programs_in_other_languages_pass_in_any_form() {
    check_right(
        "js",
        &[
            (
                "solution",
                "\u{feff}const sumSquares = (numbers) => {\r\n  return numbers.reduce((a, n) => a + n * n, 0);\r\n}\r\n",
            ),
            (
                "solution",
                "function sumSquares(numbers) { console.log('x'); return numbers.reduce((a, n) => a + n * n, 0) }\nmodule.exports = 1",
            ),
            (
                "completion",
                "\n  // }\n  const s = `}${'}'}` + '}'.replace(/}/g, '');\n  return numbers.reduce((a, n) => a + n * n, 0);\n}\nnonsense((",
            ),
        ],
    );
    check_right(
        "go",
        &[
            (
                "solution",
                "\u{feff}package main\r\n\r\nimport (\r\n\t\"fmt\"\r\n\t\"math\"\r\n)\r\n\r\nfunc SumSquares(numbers []int) int {\r\n\ts := 0\r\n\tfor _, n := range numbers {\r\n\t\ts += n * n\r\n\t}\r\n\treturn s\r\n}\r\n\r\nfunc main() {\r\n\tfmt.Println(1)\r\n}\r\n",
            ),
            (
                "completion",
                "\n\t// }\n\t_ = \"}\" + `{` + string('}')\n\ts := 0\n\tfor _, n := range numbers {\n\t\ts += n * n\n\t}\n\treturn s\n}\nnonsense((",
            ),
        ],
    );
    check_right(
        "rust",
        &[
            (
                "solution",
                "\u{feff}fn main() {}\r\nfn sum_squares(numbers: Vec<i32>) -> i32 {\r\n    println!(\"x\");\r\n    numbers.iter().map(|n| n * n).sum()\r\n}\r\n",
            ),
            (
                "completion",
                "\n    // }\n    let _ = ('}', \"}\", r#\"}\"}\"#); /* } /* } */ */\n    numbers.iter().map(|n| n * n).sum()\n}\nnonsense((",
            ),
        ],
    );
}

#[test]
fn wrong_programs_in_cpp_are_told_apart() {
    check_endings(
        "cpp",
        &[
            (
                "int sum_squares(vector<int> n) { return 7; }",
                ("wrong_answer", "sum_squares({1, 2, 3}) == 14", json!({})),
            ),
            (
                "\n\nint sum_squares(vector<int> n) {\n  return x; }",
                ("syntax_error", "was not declared", json!({ "line": 4 })),
            ),
            (
                "int sum_squares(vector<int> n) { return vector<int>().at(3); }",
                ("exception", "_M_range_check", json!({ "class": "std::out_of_range" })),
            ),
            (
                "int sum_squares(vector<int> n) { throw 1; }",
                ("exception", "", json!({ "class": "exception" })),
            ),
            (
                "int sum_squares(vector<int> n) { abort(); }",
                ("crashed", "", json!({ "signal": 6 })),
            ),
            (
                "int sum_squares(vector<int> n) { return *(volatile int*)nullptr; }",
                ("crashed", "", json!({ "signal": 11 })),
            ),
            (
                "int sum_squares(vector<int> n) { exit(3); }",
                ("early_exit", "", json!({ "code": 3 })),
            ),
            ("int other(vector<int> n) { return 7; }", ("syntax_error", "sum_squares", json!({}))),
        ],
    );
}

#[test]
fn wrong_programs_in_java_are_told_apart() {
    let program = |body: &str| {
        format!(
            "import java.util.*;\n\nclass Solution {{\n  public int sumSquares(List<Integer> n) {{\n    {body}\n  }}\n}}\n"
        )
    };
    check_endings(
        "java",
        &[
            (
                &program("return 7;"),
                ("wrong_answer", "s.sumSquares(Arrays.asList(1, 2, 3)) == 14", json!({})),
            ),
            (&program("return x;"), ("syntax_error", "cannot find symbol", json!({ "line": 5 }))),
            (
                &program("return 1 / (n.size() - 3);"),
                (
                    "exception",
                    "/ by zero",
                    json!({ "class": "java.lang.ArithmeticException", "line": 5 }),
                ),
            ),
            (
                &program("return sumSquares(n);"),
                ("exception", "", json!({ "class": "java.lang.StackOverflowError", "line": 5 })),
            ),
            (&program("System.exit(3); return 0;"), ("early_exit", "", json!({ "code": 3 }))),
        ],
    );
}

#[test]
fn wrong_programs_in_other_languages_are_told_apart() {
    check_endings(
        "js",
        &[
            (
                "const sumSquares = (n) => 7",
                ("wrong_answer", "sumSquares([1, 2, 3]) === 14", json!({})),
            ),
            (
                "\nconst sumSquares = (n) => {\n  let x = ;\n}",
                ("syntax_error", "Unexpected token ';'", json!({ "line": 3 })),
            ),
            (
                "\nconst sumSquares = (n) => {\n  return n.x.y;\n}",
                ("exception", "reading 'y'", json!({ "class": "TypeError", "line": 3 })),
            ),
            (
                "const other = 1",
                ("exception", "sumSquares is not defined", json!({ "class": "ReferenceError" })),
            ),
            (
                "const sumSquares = (n) => { process.exit(3) }",
                ("early_exit", "", json!({ "code": 3 })),
            ),
        ],
    );
    check_endings(
        "go",
        &[
            (
                "func SumSquares(n []int) int { return 7 }",
                ("wrong_answer", "7 is given, not 14", json!({})),
            ),
            (
                "\nfunc SumSquares(n []int) int {\n\treturn x\n}",
                ("syntax_error", "x", json!({ "line": 3 })),
            ),
            (
                "\nfunc SumSquares(n []int) int {\n\treturn n[9]\n}",
                ("exception", "index out of range", json!({ "class": "runtime error", "line": 3 })),
            ),
            (
                "func SumSquares(n []int) int { return SumSquares(n) }",
                ("exception", "stack overflow", json!({ "class": "fatal error" })),
            ),
        ],
    );
    check_endings(
        "rust",
        &[
            ("fn sum_squares(n: Vec<i32>) -> i32 { 7 }", ("wrong_answer", "left: 7", json!({}))),
            (
                "\nfn sum_squares(n: Vec<i32>) -> i32 {\n    x\n}",
                ("syntax_error", "cannot find value `x`", json!({ "line": 3 })),
            ),
            (
                "\nfn sum_squares(n: Vec<i32>) -> i32 {\n    n[9]\n}",
                ("exception", "index out of bounds", json!({ "class": "panic", "line": 3 })),
            ),
            (
                "fn sum_squares(n: Vec<i32>) -> i32 { std::process::exit(3) }",
                ("early_exit", "", json!({ "code": 3 })),
            ),
        ],
    );
}

#[test]
fn right_programs_pass_wherever_their_main_function_and_imports_are() {
    let body = "int sum = 0; for (int n : numbers) sum += n * n; return sum;";
    let function = format!("int sum_squares(vector<int> numbers) {{ {body} }}\n");
    let declared =
        "int sum_squares(vector<int> numbers);\nint main() { return sum_squares({1}); }\n";
    check_right(
        "cpp",
        &[
            ("solution", &format!("{declared}{function}")),
            ("solution", &format!("{function}#ifndef X\nsigned main() {{ return 0; }}\n#endif\n")),
        ],
    );
    let function = "func SumSquares(numbers []int) int { s := 0; for _, n := range numbers { s += n * n }; return s }\n";
    check_right(
        "go",
        &[
            (
                "solution",
                &format!(
                    "package main\nimport (\"fmt\"; \"os\")\nfunc main() {{ fmt.Println(os.Args) }}\n{function}"
                ),
            ),
            (
                "solution",
                &format!(
                    "import \"crypto/rand\"\nvar r = rand.Reader\nfunc f() int {{ sort := struct{{ x int }}{{1}}; \
                     return sort.x }}\n{function}"
                ),
            ),
        ],
    );
    let function = "fn sum_squares(numbers: Vec<i32>) -> i32 { numbers.into_iter().map(sq).sum() }";
    check_right(
        "rust",
        &[(
            "solution",
            &format!(
                "extern crate rand;\nuse rand::{{thread_rng, Rng}};\nuse crate::a::sq;\nmod a {{ pub fn sq(x: i32) \
                 -> i32 {{ x * x }} }}\n{function}"
            ),
        )],
    );
    let function =
        "function sumSquares(numbers) { return numbers.reduce((a, n) => a + n * n, 0) }\n";
    check_right("js", &[("solution", &format!("import fs from 'fs';\nexport {function}"))]);
}

#[test]
fn right_programs_pass_that_overload_inherit_or_catch() {
    let method = "public int sumSquares(List<Integer> numbers) { int sum = 0; for (int n : numbers) sum += n * n; \
         return sum; }";
    check_right(
        "java",
        &[
            (
                "solution",
                &format!(
                    "import java.util.*;\nclass Solution {{ int sumSquares(int[] n) {{ return 1; }} \
                     int sumSquares(Object n) {{ return 2; }} int sumSquares(ArrayList<Integer> n) {{ return 3; }} \
                     {method} int sumSquares(String n) {{ return 4; }} }}"
                ),
            ),
            (
                "solution",
                &format!(
                    "import java.util.*;\nabstract class Base {{ {method} }}\nclass Solution extends Base {{ }}"
                ),
            ),
        ],
    );
    check_right(
        "rust",
        &[(
            "solution",
            "fn sum_squares(numbers: Vec<i32>) -> i32 { let _ = std::panic::catch_unwind(|| panic!()); \
             let _ = std::thread::spawn(|| panic!()).join(); numbers.iter().map(|n| n * n).sum() }",
        )],
    );
}

#[test]
fn answers_without_end_are_told_apart() {
    check_endings(
        "js",
        &[
            (
                "const sumSquares = (n) => { for (;;) require('fs').writeSync(4, '1'.repeat(1 << 16)); }",
                ("wrong_answer", "no message", json!({})),
            ),
            ("const sumSquares = (n) => 'x'.repeat(70 << 20)", ("output_limit", "", json!({}))),
            (
                "const sumSquares = (n) => { const all = []; for (;;) all.push(Buffer.alloc(1 << 28)); }",
                ("memory_limit", "", json!({})),
            ),
        ],
    );
    check_endings(
        "java",
        &[
            (
                "import java.util.*;\nclass Solution { Object sumSquares(List<Integer> n) { return new byte[40 << 20]; } }",
                ("output_limit", "", json!({})),
            ),
            (
                "import java.util.*;\nclass Solution { int sumSquares(List<Integer> n) { List<Object> all = new \
                 ArrayList<>(); for (;;) all.add(new long[1 << 24]); } }",
                ("memory_limit", "", json!({})),
            ),
        ],
    );
    check_endings(
        "rust",
        &[
            (
                "fn sum_squares(n: Vec<i32>) -> i32 { let mut all = vec![]; loop { all.push(vec![1u8; 1 << 28]); } }",
                ("memory_limit", "", json!({})),
            ),
            (
                "fn sum_squares(n: Vec<i32>) -> i32 { std::process::abort() }",
                ("crashed", "", json!({ "signal": 6 })),
            ),
        ],
    );
}
