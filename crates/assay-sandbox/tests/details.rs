//! A failed test is told with its call, the expected value and the value that came, however it is written.

mod common;

use assay_core::{Cancel, Ending, Evidence, Isolation, PythonTests, Rules};
use assay_sandbox::{Limits, Report, Sandbox, TestRequest};
use common::sandbox;
use std::time::Duration;

/// Runs a candidate with a function `f` against a test.
fn run(sandbox: &Sandbox, test: &str, candidate: &str, rules: Rules) -> Report {
    let tests = PythonTests {
        setup: "def f(*arguments): return None\ndef helper(value): return value\n".to_owned(),
        entry_points: vec!["f".to_owned()],
        cases: vec![test.to_owned()],
        appended: test.to_owned(),
        preamble: String::new(),
    };
    let limits = Limits::with_cpu(Duration::from_secs(2));
    let request =
        TestRequest { candidate, prelude: "", tests: &tests, case: 0, seed: 7, rules, limits };
    sandbox.run_tests(&request, &Cancel::new()).expect("the sandbox runs")
}

fn told(evidence: &Evidence) -> [&str; 3] {
    [&evidence.call, &evidence.expected, &evidence.got].map(|text| text.as_deref().unwrap_or("-"))
}

#[test]
fn every_form_of_an_assertion_tells_call_expected_and_got() {
    let sandbox = sandbox(Isolation::Warm);
    let same = "def f(*x): return x[0]\n";
    for (test, expected) in [
        ("assert f(2) == 3", ["f(2)", "3", "2"]),
        ("assert 3 == f(2)", ["f(2)", "3", "2"]),
        (
            "assert f(\n    [1,\n     2]\n) == [\n    3,\n    4,\n]",
            ["f([1, 2])", "[3, 4]", "[1, 2]"],
        ),
        ("assert (\n    f(2)\n    == 3\n), 'why'", ["f(2)", "3", "2"]),
        ("assert abs(f(2.5) - 3.5) < 1e-6", ["f(2.5)", "within 1e-06 of 3.5", "2.5"]),
        ("assert abs(3.5 - f(2.5)) <= 0.1", ["f(2.5)", "within 0.1 of 3.5", "2.5"]),
        ("import math\nassert math.isclose(f(2.5), 3.5, rel_tol=1e-3)", ["f(2.5)", "3.5", "2.5"]),
        ("assert f(1) == 1 and f(2) == 3 and f(4) == 4", ["f(2)", "3", "2"]),
        ("assert set(f([2])) == set([3])", ["f([2])", "{3}", "[2]"]),
        ("assert round(f(2.26), 1) == 2.2", ["f(2.26)", "2.2", "2.26"]),
        ("assert not f(2)", ["f(2)", "False", "2"]),
        ("assert f(0)", ["f(0)", "True", "0"]),
        ("assert f(2) != 2", ["f(2)", "not 2", "2"]),
        ("assert f(2) in (3, 4)", ["f(2)", "one of (3, 4)", "2"]),
        ("assert f(2) > 3", ["f(2)", "> 3", "2"]),
        ("for x, y in [(1, 1), (2, 3)]:\n    assert f(x) == y", ["f(2)", "3", "2"]),
        ("result = f(2)\nwanted = 3\nassert result == wanted", ["f(2)", "3", "2"]),
        ("result = f([2])\nassert len(result) > 0\nassert result == [3]", ["f([2])", "[3]", "[2]"]),
        (
            "def same(out, wanted):\n    assert out == wanted\nsame(f([2]), [3])",
            ["f([2])", "[3]", "[2]"],
        ),
        (
            "def assertion(out, wanted):\n    exact = out == wanted\n    assert exact\nassertion(f(2), 3)",
            ["f(2)", "3", "2"],
        ),
        ("def check(candidate):\n    assert candidate(2) == 3\ncheck(f)", ["f(2)", "3", "2"]),
        ("assert f(2) == helper(3)", ["f(2)", "helper(3)", "2"]),
    ] {
        let report = run(&sandbox, test, same, Rules::Strict);
        assert_eq!(told(&report.evidence), expected, "{test}: {report:?}");
        let Ending::WrongAnswer { message } = &report.ending else { panic!("{test}: {report:?}") };
        let [call, wanted, got] = expected;
        assert!(message.ends_with(&format!("{call} gave {got}, not {wanted}")), "{message}");
    }
}

#[test]
fn a_carriage_return_in_a_test_changes_no_verdict() {
    let sandbox = sandbox(Isolation::Warm);
    for test in ["text = '''a\r\rb'''\nassert f(2) == 3", "x = 1\r\nassert f(2) == 3\r\n"] {
        let report = run(&sandbox, test, "def f(*x): return x[0]\n", Rules::Strict);
        assert!(matches!(report.ending, Ending::WrongAnswer { .. }), "{test:?}: {report:?}");
        assert_eq!(told(&report.evidence), ["f(2)", "3", "2"], "{test:?}");
    }
}

#[test]
fn an_assertion_about_something_else_names_no_call() {
    let sandbox = sandbox(Isolation::Warm);
    let test = "count = 0\nfor x in (1, 2, 1):\n    if f(x) == 1: count += 2\nassert count == 5";
    // The number of agreements happens to be the object that came last.
    let report = run(&sandbox, test, "def f(x): return 4 if x == 2 else 1\n", Rules::Strict);
    assert_eq!(told(&report.evidence), ["-", "-", "-"], "{report:?}");
    assert!(matches!(report.ending, Ending::WrongAnswer { .. }));
}

#[test]
fn a_call_is_told_with_its_arguments_as_they_were() {
    let sandbox = sandbox(Isolation::Warm);
    let sorts = "def f(x):\n    x.sort()\n    return x[0]\n";
    let told_of = |test: &str| run(&sandbox, test, sorts, Rules::Strict).evidence;
    assert_eq!(told(&told_of("assert f([3, 1, 2]) == 3")), ["f([3, 1, 2])", "3", "1"]);
    assert_eq!(told(&told_of("a = [3, 1]\nassert f(a) == 3")), ["f([3, 1])", "3", "1"]);
}

#[test]
fn long_values_are_shown_where_they_differ() {
    let sandbox = sandbox(Isolation::Warm);
    let candidate = "def f(n): return 'a' * n + 'x' + 'b' * n\n";
    let test = "assert f(5000) == 'a' * 5000 + 'y' + 'b' * 5000";
    let evidence = run(&sandbox, test, candidate, Rules::Strict).evidence;
    let [_, expected, got] = told(&evidence);
    assert!(expected.contains("aay") && got.contains("aax"), "{evidence:?}");
    assert!(expected.chars().count() < 310 && got.chars().count() < 310, "{evidence:?}");
}

#[test]
fn looking_at_values_changes_no_verdict() {
    let sandbox = sandbox(Isolation::Warm);
    let candidate = "class C:\n    def __init__(self): self.x = 1\n    def __repr__(self): \
        raise SystemExit\n    def __eq__(self, other): raise KeyError\ndef f(x): return C()\n";
    for test in ["assert f(1) == 2", "a = f(1)\nb = f(2)\nassert b == 2", "assert f(f(1)) == 2"] {
        let report = run(&sandbox, test, candidate, Rules::Strict);
        assert!(matches!(report.ending, Ending::WrongAnswer { .. }), "{test}: {report:?}");
        assert_eq!(report.one_process, None, "{test}");
    }
}

#[test]
fn an_exception_is_told_with_its_call_and_the_lines_that_it_came_through() {
    for isolation in [Isolation::Warm, Isolation::Fresh] {
        let sandbox = sandbox(isolation);
        let candidate = "def g(x):\n    return 1 / x\n\ndef f(x):\n    return g(x - 2)\n";
        let test = "assert f(1) == -1\nassert f(2) == 5";
        let report = run(&sandbox, test, candidate, Rules::Strict);
        assert!(matches!(report.ending, Ending::Exception { line: Some(2), .. }), "{report:?}");
        assert_eq!(told(&report.evidence), ["f(2)", "-", "-"]);
        let trace = "line 5, in f\n  return g(x - 2)\nline 2, in g\n  return 1 / x";
        assert_eq!(report.evidence.traceback.as_deref(), Some(trace));
        // A class with a long name and one that recurses for ever are bounded.
        let candidate = "def f(x):\n    raise type('E' * 10**6, (Exception,), {})('m' * 10**6)\n";
        let report = run(&sandbox, test, candidate, Rules::Strict);
        let Ending::Exception { class, message, .. } = &report.ending else { panic!("{report:?}") };
        assert!(class.len() <= 200 && message.len() <= 2000, "{report:?}");
        let report = run(&sandbox, test, "def f(x):\n    return f(x)\n", Rules::Strict);
        let trace = report.evidence.traceback.unwrap();
        assert_eq!(trace.lines().count(), 12, "{trace}");
    }
}

#[test]
fn a_program_that_takes_too_long_is_told_with_the_call() {
    let sandbox = sandbox(Isolation::Warm);
    let candidate = "def f(x):\n    while x == 3: pass\n    return x\n";
    let report = run(&sandbox, "assert f(1) == 1\nassert f(3) == 3", candidate, Rules::Strict);
    assert!(matches!(report.ending, Ending::TimeLimit { .. }), "{report:?}");
    assert_eq!(told(&report.evidence), ["f(3)", "-", "-"]);
}

#[test]
fn in_one_process_the_assertion_is_told() {
    let sandbox = sandbox(Isolation::Warm);
    let test = "assert f(\n    2\n) == 3\n";
    let report = run(&sandbox, test, "def f(x): return x\n", Rules::Compat);
    let message = "assert f( 2 ) == 3".to_owned();
    assert_eq!(report.ending, Ending::WrongAnswer { message });
    assert_eq!(told(&report.evidence), ["-", "-", "-"]);
    let said = run(&sandbox, "assert f(2) == 3, 'why'", "def f(x): return x\n", Rules::Compat);
    assert_eq!(said.ending, Ending::WrongAnswer { message: "why".to_owned() });
}
