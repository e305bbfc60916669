//! Answers as models give them, and hostile ones.

use std::time::{Duration, Instant};

use assay_core::{ExpectedCode, Language};
use proptest::prelude::*;

use crate::Extraction::{Code, Def, FirstBlock, LastBlock};
use crate::{Extraction, is_fenced};

const PROMPT: &str =
    "from typing import List\n\n\ndef add(a: int, b: int) -> int:\n    \"\"\"Add.\"\"\"\n";

fn expected() -> ExpectedCode<'static> {
    ExpectedCode { language: Language::Python, entry_points: vec!["add"], prompt: PROMPT }
}

fn in_language(language: Language, entry_point: &'static str) -> ExpectedCode<'static> {
    ExpectedCode { language, entry_points: vec![entry_point], prompt: "" }
}

/// Checks the code of an answer, and that it is a whole program.
fn check(rule: Extraction, answer: &str, code: &str) {
    let found = rule.extract(answer, &expected());
    assert_eq!((&*found.code, found.is_program), (code, true), "{answer}");
}

/// Checks the code of an answer, and that it is no whole program.
fn check_continuation(rule: Extraction, answer: &str, code: &str) {
    let found = rule.extract(answer, &expected());
    assert_eq!((&*found.code, found.is_program), (code, false), "{answer}");
}

const ADD: &str = "def add(a, b):\n    return a + b\n";

#[test]
fn the_block_that_defines_the_function_is_taken() {
    check(Code, &format!("Sure!\n\n```python\n{ADD}```\nIt adds.\n"), ADD);
    check(
        Code,
        &format!("```bash\npip install x\n```\n```py\n{ADD}```\n```python\nprint(add(1, 2))\n```"),
        ADD,
    );
    check(
        Code,
        &format!("```python\nadd(1, 2)\n```\nOutput:\n```\n3\n```\n~~~~ Python3\n{ADD}~~~~\n"),
        ADD,
    );
    check(Code, &format!("```\n{ADD}```"), ADD);
    check(Code, &format!("```text\n{ADD}```"), ADD);
    check(Code, "```python\nadd = lambda a, b: a + b\n```", "add = lambda a, b: a + b\n");
}

#[test]
fn the_last_valid_one_of_several_is_taken() {
    let wrong = "def add(a, b):\n    return a - b\n";
    check(Code, &format!("```python\n{wrong}```\nWait, it must add:\n```python\n{ADD}```\n"), ADD);
    // Cut off in the middle.
    check(
        Code,
        &format!("```python\n{ADD}```\nShorter:\n```python\ndef add(a, b):\n    return (a +"),
        ADD,
    );
    check(FirstBlock, &format!("```python\n{wrong}```\n```python\n{ADD}```\n"), wrong);
    check(LastBlock, &format!("```python\n{wrong}```\n```python\n{ADD}```\n"), ADD);
    check_continuation(LastBlock, &format!("```python\n{ADD}```\n```\n3\n```\n"), "3\n");
    // A draft in other languages comes after one in the right one.
    check(Code, &format!("```python\n{ADD}```\n```java\ndef add(a, b): 0\n```\n"), ADD);
}

#[test]
fn fences_are_found_as_models_write_them() {
    check(Code, &format!("```python\n{ADD}"), ADD);
    check(Code, &format!("```python\r\n{ADD}```\r\n"), ADD);
    check(
        Code,
        "1. Like this:\n\n   ```python\n   def add(a, b):\n       return a + b\n   ```\n",
        ADD,
    );
    check(Code, "- ```python\n  def add(a, b):\n      return a + b\n  ```\n", ADD);
    check(Code, "```python\n    def add(a, b):\n        return a + b\n```\n", ADD);
    check(Code, "```python\ndef add(a, b):\n    return a + b```\nDone.", ADD.trim_end());
    check(Code, &format!("````markdown\n```python\n{ADD}```\n````\n"), ADD);
    check(Code, &format!("```markdown\n# Answer\n```python\n{ADD}```\n```\n"), ADD);
    check(Code, &format!("```python\nimport os\n\n```python\n{ADD}```\n"), ADD);
    check(Code, &format!("```python\n{ADD}``` That is all.\n"), ADD);
    check(Code, &format!("Use ```add(1)``` so:\n```python\n{ADD}```"), ADD);
}

#[test]
fn a_fence_within_a_docstring_is_part_of_it() {
    let code = "def add(a, b):\n    \"\"\"Add.\n\n    ```python\n    add(1, 2)\n    ```\n    \"\"\"\n    return a + b\n";
    check(Code, &format!("Here:\n```python\n{code}```\nIt adds.\n"), code);
    check(Code, &format!("Here:\n```\n{code}```\nIt adds.\n"), code);
    check(Code, &format!("~~~\n{code}~~~\n"), code);
    for mark in ["```", "```python", "~~~"] {
        let code = code.replace("```python", mark);
        // Without any Markdown around it.
        check(Code, &code, &code);
        check(Code, &format!("# Adds.\n{code}"), &format!("# Adds.\n{code}"));
        check(Def, &code, &code);
    }
    // Output is no program, whose strings would go on after it.
    let answer = format!("```\nit says \"\"\"\n```\n```python\n{code}```\n");
    check(Code, &answer, code);
    // A string that is never closed does not swallow the rest.
    let answer = format!("```python\nx = '''\n```\n```python\n{ADD}```\n");
    check(Code, &answer, ADD);
}

#[test]
fn backticks_that_are_code_do_not_make_markdown_a_program() {
    let program = "/**\n * Adds.\n * ```js\n * add(1, 2)\n * ```\n */\nfunction add(a, b) {\n  return a + b;\n}\n";
    let of_script = in_language(Language::JavaScript, "add");
    assert_eq!(Code.extract(program, &of_script).code, program);
    let plain = "function add(a, b) {\n  return a + b;\n}\n";
    for answer in [format!("```js\n{plain}```\n"), format!("Sure\n```\n{plain}```\n")] {
        assert_eq!(Code.extract(&answer, &of_script).code, plain, "{answer}");
    }
    let php = "function add($a, $b) {\n  return $a + $b;\n}\n";
    let answer = format!("Sure:\n```php\n{php}```\n");
    assert_eq!(Code.extract(&answer, &in_language(Language::Php, "add")).code, php);
}

#[test]
fn a_continuation_stays_one() {
    check_continuation(Code, "```python\n    return a + b\n```\n", "    return a + b\n");
    check_continuation(Code, "    return a + b\n", "    return a + b\n");
    // The question ended with an open fence.
    check_continuation(
        Code,
        "    return a + b\n```\nIt adds.\n```python\nprint(1)\n```",
        "    return a + b\n",
    );
    check_continuation(
        Code,
        &format!("    return a + b\n```\n\n```python\n{ADD}```"),
        "    return a + b\n",
    );
    check_continuation(
        Code,
        &format!("    return a + b\n\n\n{ADD}"),
        &format!("    return a + b\n\n\n{ADD}"),
    );
    let stripped = ExpectedCode { prompt: PROMPT.trim_end(), ..expected() };
    assert_eq!(Code.extract("```\n    return 1\n```", &stripped).code, "\n    return 1\n");
}

#[test]
fn a_program_that_begins_before_its_fence_is_kept() {
    check(Code, &format!("{ADD}```\n\nThis adds:\n\n```python\nadd(1, 2)\n```\n"), ADD);
    let whole = format!("{PROMPT}    return a + b\n");
    check(Code, &format!("{whole}```\nIt adds.\n"), &whole);
    let begun = "def add(a, b):\n    c = (a\n```python\n    + b)\n    return c\n```\nIt adds.";
    check(Code, begun, "def add(a, b):\n    c = (a\n    + b)\n    return c\n");
}

#[test]
fn prose_around_code_without_fences_is_cut() {
    check(
        Code,
        &format!("Sure! Here's the function:\n\n{ADD}\nThis function adds (both).\n"),
        &format!("{ADD}\n"),
    );
    check(
        Code,
        &format!("Imports first:\nfrom math import pi\n\n{ADD}"),
        &format!("from math import pi\n\n{ADD}"),
    );
    check(Code, ADD, ADD);
    check_continuation(Code, "I cannot do that.", "I cannot do that.");
    check_continuation(Code, "", "");
    let printing =
        ExpectedCode { language: Language::Python, entry_points: Vec::new(), prompt: "" };
    let answer = "The program:\n\nn = int(input())\nprint(n + 1)\n\nIt reads a number.\n";
    assert_eq!(Code.extract(answer, &printing).code, "n = int(input())\nprint(n + 1)\n\n");
}

#[test]
fn thoughts_come_before_the_answer() {
    let thoughts = "<think>\n```python\ndef add(a, b):\n    return 0\n```\nNo.\n</think>\n";
    for rule in Extraction::ALL {
        check(rule, &format!("{thoughts}```python\n{ADD}```\n"), ADD);
    }
}

#[test]
fn thoughts_that_were_cut_off_are_no_answer() {
    for thoughts in ["<think>\n", "\n<thinking>"] {
        let answer = format!("{thoughts}Perhaps:\n```python\n{ADD}```\nNo, wait");
        for rule in Extraction::ALL {
            check_continuation(rule, &answer, "");
        }
    }
    // The question ended with the beginning of the thoughts.
    check(Code, &format!("So\n```python\nadd = 0\n```\n</think>\n{ADD}"), &format!("\n{ADD}"));
    check(Code, &format!("<thinking>a</thinking>```python\n{ADD}```"), ADD);
    let printing = "def add(a, b):\n    print('<think>')\n    return a + b\n";
    check(Code, &format!("```python\n{printing}```"), printing);
}

#[test]
fn helpers_in_blocks_of_their_own_are_kept() {
    let helper = "def carry(a):\n    return a\n";
    let imports = "import math\n";
    let uses = "def add(a, b):\n    return math.floor(carry(a) + b)\n";
    let answer = format!(
        "First import:\n```python\n{imports}```\nA helper:\n```python\n{helper}```\nThen:\n```python\n{uses}```\n\
         For example:\n```python\nprint(add(1, 2))\n```\n"
    );
    check(Code, &answer, &format!("{imports}{helper}{uses}"));
    // A block that is not needed, acts, is another try or is in another language is left out.
    for other in [
        "def other(a):\n    return a\n".to_owned(),
        format!("{helper}print(carry(1))\n"),
        format!("{helper}\n{ADD}"),
    ] {
        let answer = format!("```python\n{other}```\n```python\n{uses}```\n");
        check(Code, &answer, uses);
    }
    let answer = format!("```text\n{helper}```\n```python\n{uses}```\n");
    check(Code, &answer, uses);
    check(Code, &format!("```python\n{helper}\n{uses}```"), &format!("{helper}\n{uses}"));
}

#[test]
fn the_indentation_of_a_body_is_mended() {
    let body = "    total = a\n    for _ in range(b):\n        total += 1\n    return total\n";
    let of = |text: &str| format!("```python\n{text}```\n");
    // As it should be, without that of the first line, without any, with too much, with too little.
    let flat = "total = a\nfor _ in range(b):\n    total += 1\nreturn total\n";
    let deep = body.replace("\n    ", "\n        ").replacen("    ", "        ", 1);
    let shallow = "  total = a\n  for _ in range(b):\n      total += 1\n  return total\n";
    for given in [body, body.trim_start(), flat, &deep, shallow] {
        check_continuation(Code, &of(given), body);
        check_continuation(Code, given, body);
    }
    check_continuation(Code, "return a + b", "    return a + b");
    check_continuation(
        Code,
        "for c in b:\n        a += c\n    return a\n",
        "    for c in b:\n        a += c\n    return a\n",
    );
    // Whatever is no body stays as it is.
    for other in ["Sorry, I cannot add.", "return (a +", "    return (a +\n"] {
        check_continuation(Code, other, other);
    }
    let whole = ExpectedCode { prompt: "", ..expected() };
    assert_eq!(Code.extract("return 1\n", &whole).code, "return 1\n");
    let opened = ExpectedCode { prompt: "def add(a, b):\n    if a:\n", ..expected() };
    let mended = Code.extract("return 1\n    return 2\n", &opened);
    assert_eq!(mended.code, "        return 1\n    return 2\n");
    check_continuation(Code, "for c in b:\n    a += c\n", "    for c in b:\n        a += c\n");
    assert_eq!(Code.extract("return 1\n", &opened).code, "        return 1\n");
    let java = ExpectedCode { language: Language::Java, ..expected() };
    assert_eq!(Code.extract("return a + b;\n}", &java).code, "return a + b;\n}");
}

#[test]
fn other_languages_have_blocks_too() {
    let java =
        "class Solution {\n    public int add(int a, int b) {\n        return a + b;\n    }\n}\n";
    let javascript = "const add = (a, b) => {\n  return a + b;\n}\n";
    let cpp =
        "#include<vector>\nusing namespace std;\nint add(int a, int b) {\n  return a + b;\n}\n";
    let go = "func add(a int, b int) int {\n\treturn a + b\n}\n";
    let rust = "fn add(a: i32, b: i32) -> i32 {\n    a + b\n}\n";
    for (language, tag, code) in [
        (Language::Java, "java", java),
        (Language::JavaScript, "js", javascript),
        (Language::Cpp, "c++", cpp),
        (Language::Go, "golang", go),
        (Language::Rust, "rs", rust),
    ] {
        let expected = in_language(language, "add");
        let answer = format!("So:\n```{tag}\n{code}```\nCall it:\n```{tag}\nadd(1, 2);\n```\n");
        let found = Code.extract(&answer, &expected);
        assert_eq!((&*found.code, found.is_program), (code, true));
        let bare = format!("Here is the function.\n\n{code}\nIt adds both numbers.\n");
        assert_eq!(Code.extract(&bare, &expected).code, code, "{language}");
        let body = format!("```{tag}\n    return a + b;\n}}\n```");
        assert!(!Code.extract(&body, &expected).is_program);
    }
}

#[test]
fn the_function_and_what_it_needs_is_kept() {
    let code = "import math\nfrom sys import (\n    argv,\n)\nLIMIT, other = 3, 4\nunused = 1\n\n@cache\ndef helper(x):\n    \
        return x + LIMIT\n\nclass Unused:\n    pass\n\ndef add(a, b):\n    return helper(a) + b\n\nassert add(1, 2) == 6\n\
        if __name__ == \"__main__\":\n    print(add(1, 2))\n";
    let needed = "import math\nfrom sys import (\n    argv,\n)\nLIMIT, other = 3, 4\n@cache\ndef helper(x):\n    \
        return x + LIMIT\n\ndef add(a, b):\n    return helper(a) + b\n\n";
    check(Def, &format!("```python\n{code}```"), needed);
    check(Def, code, needed);
    check(Def, ADD, ADD);
    let guarded = format!(
        "try:\n    import numpy as np\nexcept ImportError:\n    np = None\n{}",
        ADD.replace("a + b", "np")
    );
    check(Def, &format!("{guarded}print(1)\n"), &guarded);
    check_continuation(Def, "    return 1\n", "    return 1\n");
    assert!(!Def.knows(Language::Java) && Code.knows(Language::Java));
}

#[test]
fn fences_within_valid_programs_are_no_reason_for_a_hint() {
    let python = Some(Language::Python);
    assert!(is_fenced(&format!("```python\n{ADD}```"), python));
    assert!(!is_fenced(
        "def add(a, b):\n    '''\n    ```\n    add(1)\n    ```\n    '''\n    return a + b\n",
        python
    ));
    assert!(!is_fenced(ADD, python));
    assert!(is_fenced("```\nx\n```", None));
}

/// Returns true if every line of `code` is part of a line of `answer`, in the same order.
///
/// Indentation does not count.
fn is_subsequence(code: &str, answer: &str) -> bool {
    let mut lines = answer.lines();
    let mut code = code.lines().map(str::trim_start).filter(|line| !line.is_empty());
    code.all(|line| lines.any(|whole| whole.contains(line)))
}

fn pieces() -> impl Strategy<Value = String> {
    let piece = prop_oneof![
        Just("```"),
        Just("```python\n"),
        Just("~~~\n"),
        Just("\n"),
        Just("    "),
        Just("def add(a):\n"),
        Just("return 1\n"),
        Just("'''"),
        Just("\"\"\"\n"),
        Just("(see:\n"),
        Just("# x\n"),
        Just("- "),
        Just("é"),
        Just("import x\n"),
        Just("@d\n"),
        Just("```java"),
        Just("</think>"),
        Just("<think>"),
        Just("return add(x)\n"),
        Just("add = "),
        Just("\\\n"),
        Just("{\n"),
    ];
    proptest::collection::vec(piece, 0..24).prop_map(|pieces| pieces.concat())
}

proptest! {
    #[test]
    fn code_is_made_of_lines_of_the_answer(answer in pieces(), language in 0_usize..11) {
        let facts = ExpectedCode { language: Language::ALL[language], ..expected() };
        for rule in Extraction::ALL {
            let found = rule.extract(&answer, &facts);
            prop_assert!(is_subsequence(&found.code, &answer), "{rule}: {:?}", found.code);
            let again = rule.extract(&answer, &facts);
            prop_assert_eq!(found, again);
        }
    }

    #[test]
    fn any_text_can_be_said(answer: String) {
        for rule in Extraction::ALL {
            rule.extract(&answer, &expected());
        }
        is_fenced(&answer, None);
    }
}

#[test]
fn hostile_answers_take_linear_time() {
    const BYTES: usize = 200 << 10;
    for piece in [
        "`",
        "```",
        "```\n",
        "```python\n",
        "```python\n'''\n",
        "```python\ndef add(a): 0\n```\n",
        "def add(a): 0\n",
        "add(",
        "(\n",
        "x = ",
        "'''\n",
        "~~~\n~~~~\n",
        "- ",
        "@a\n",
        "def add(",
        "</think>",
        "```js\nadd(\n```\n",
        "\n",
        "a\n",
    ] {
        let answer = piece.repeat(BYTES / piece.len());
        for language in [Language::Python, Language::Java] {
            let facts = ExpectedCode { language, ..expected() };
            for rule in [Code, Def] {
                let started = Instant::now();
                rule.extract(&answer, &facts);
                let took = started.elapsed();
                // A quadratic pass would take minutes.
                assert!(took < Duration::from_secs(20), "{rule} takes {took:?} for {piece:?}");
            }
        }
    }
}
