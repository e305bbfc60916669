//! Calls that are known in advance are sent to a candidate at once; that changes no verdict.

#![allow(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

mod common;

use assay_core::{Cancel, Clock, Ending, Isolation, PythonTests, Rules};
use assay_sandbox::{Limits, Sandbox, TestRequest};
use common::{limits, sandbox};

/// Python tests with one case that calls `f`.
fn tests(test: &str) -> PythonTests {
    PythonTests {
        setup: "cases = [(1, 1), (2, 2)]\npairs = iter([(1, 1), (2, 2)])\n".to_owned(),
        entry_points: vec!["f".to_owned(), "g".to_owned()],
        cases: vec![test.to_owned()],
        appended: String::new(),
        preamble: String::new(),
    }
}

fn ending_within(sandbox: &Sandbox, test: &str, program: &str, limits: Limits) -> Ending {
    let tests = tests(test);
    let request = TestRequest {
        prelude: "",
        candidate: program,
        tests: &tests,
        case: 0,
        seed: 7,
        rules: Rules::Strict,
        limits,
    };
    sandbox.run_tests(&request, &Cancel::new()).unwrap().ending
}

/// The endings of candidates, one after the other under the same tests.
fn endings(sandbox: &Sandbox, test: &str, programs: &[&str]) -> Vec<Ending> {
    programs.iter().map(|program| ending_within(sandbox, test, program, limits())).collect()
}

fn is_wrong(ending: &Ending, part: &str) -> bool {
    matches!(ending, Ending::WrongAnswer { message } if message.contains(part))
}

#[test]
fn a_wrong_answer_is_found_before_what_comes_later() {
    let test = "for i in range(5):\n    assert f(i) == i\n";
    for isolation in [Isolation::Warm, Isolation::Fresh] {
        let sandbox = sandbox(isolation);
        let found = endings(
            &sandbox,
            test,
            &[
                "def f(x):\n    while x == 3: pass\n    return x if x != 2 else 7\n",
                "import os\ndef f(x):\n    if x == 3: os._exit(0)\n    return x if x != 2 else 7\n",
                "def f(x):\n    if x == 3: raise KeyError\n    return x if x != 2 else 7\n",
                "def f(x):\n    while x == 3: pass\n    return x\n",
                "import os\ndef f(x):\n    if x == 3: os._exit(5)\n    return x\n",
                "def f(x):\n    if x == 3: raise SystemExit(6)\n    return x\n",
                "def f(x):\n    return x\n",
            ],
        );
        for wrong in &found[..3] {
            assert!(is_wrong(wrong, "f(2) gave 7"), "{wrong:?}");
        }
        assert_eq!(
            found[3..],
            [
                Ending::TimeLimit { clock: Clock::Cpu },
                Ending::EarlyExit { code: 5 },
                Ending::EarlyExit { code: 6 },
                Ending::Passed,
            ]
        );
    }
}

#[test]
fn tests_that_look_at_answers_before_they_ask_on_are_understood() {
    let sandbox = sandbox(Isolation::Warm);
    // The next call depends on the answer; each candidate counts its calls.
    let test = "start = f(1)\nif start == 1:\n    assert f(2) == 2\nelse:\n    assert f(3) == 2\n";
    let counting = "calls = 0\ndef f(x):\n    global calls\n    calls += 1\n    return calls\n";
    let shifted =
        "calls = 1\ndef f(x):\n    global calls\n    calls -= 1\n    return 2 - 2 * calls\n";
    let other = "def f(x):\n    return {1: 0, 3: 2}[x]\n";
    assert_eq!(
        endings(&sandbox, test, &[counting, other, counting, other]),
        vec![Ending::Passed; 4]
    );
    assert!(is_wrong(&endings(&sandbox, test, &[shifted])[0], "f(3) gave 4"));
    // The test inspects an answer between two calls.
    let test = "assert list(f(3)) == [0, 1, 2]\nassert list(f(2)) == [0, 1]\n";
    let lists = "def f(n):\n    return list(range(n))\n";
    let generators = "def f(n):\n    yield from range(n)\n";
    let shared = "last = 0\ndef f(n):\n    global last\n    last = n\n\
                  \u{20}   i = 0\n    while i < last:\n        yield i\n        i += 1\n";
    assert_eq!(
        endings(&sandbox, test, &[lists, generators, shared, lists]),
        vec![Ending::Passed; 4]
    );
    // The answer of one function is passed to the other.
    let test = "assert g(f('ab')) == 'ab'\nassert g(f('cd')) == 'cd'\n";
    let turned = "def f(x):\n    return x[::-1]\ndef g(x):\n    return x[::-1]\n";
    let kept = "def f(x):\n    return [x]\ndef g(x):\n    return x[0]\n";
    assert_eq!(endings(&sandbox, test, &[turned, kept, turned]), vec![Ending::Passed; 3]);
}

#[test]
fn many_calls_and_long_answers_come_through() {
    let sandbox = sandbox(Isolation::Warm);
    let patient = || Limits::with_cpu(std::time::Duration::from_secs(20));
    let words = "from itertools import product\ndef f(n):\n    return list(product('abc', repeat=n))\n\
                 def g(n):\n    return [list(t) for t in f(n)] + ([[1]] if n == 12 else [])\n";
    let test = "from itertools import product\nfor n in (11, 3, 12):\n    tuples = list(product('abc', repeat=n))\n\
                \u{20}   assert f(n) == tuples\n    more = [[1]] if n == 12 else []\n\
                \u{20}   assert g(n) == [list(t) for t in tuples] + more\n";
    assert_eq!(ending_within(&sandbox, test, words, patient()), Ending::Passed);
    let program = "def f(n):\n    return [n] * n\n";
    for test in [
        "for i in range(3000):\n    assert f(i % 50) == [i % 50] * (i % 50)\n",
        // Longer than one message, and more than fits on the sheet.
        "for n in (3, 60001, 4):\n    assert f(n) == [n] * n\n",
        "for n in range(45000, 45060):\n    assert f(n) == [n] * n\n",
        // A rehearsal alone would never end.
        "n = 1\nwhile f(n) != [3, 3, 3]:\n    n += 1\n",
        "n = f(5)\nwhile len(n) > 2 or n == 7:\n    n = n[1:]\nassert n == [5, 5]\n",
    ] {
        assert_eq!(ending_within(&sandbox, test, program, patient()), Ending::Passed, "{test}");
    }
}

#[test]
fn a_rehearsal_knows_nothing_of_the_right_answers() {
    let sandbox = sandbox(Isolation::Warm);
    let test = "secret = f(7)\nassert secret == 49\nassert g(secret) == 7\n";
    let honest = "def f(x):\n    return x * x\ndef g(x):\n    return int(x ** 0.5)\n";
    // The candidate reads the questions itself, also those sent at once, and answers what they give away.
    let curious = "import marshal, os, socket, struct\nsocket = socket.socket(fileno=3)\n\
        head = socket.recv(4)\ncalls = marshal.loads(socket.recv(struct.unpack('<I', head)[0]))\n\
        guess = calls[1][1][0][0] if len(calls) > 1 else None\n\
        os.write(4, ('{\"value\":%r}\\n' % guess).encode() if guess else b'')\n\
        answer = b'{\"ready\":1}'\nsocket.sendall(struct.pack('<I', len(answer)) + answer)\n";
    let found = endings(&sandbox, test, &[honest, curious]);
    assert_eq!(found[0], Ending::Passed);
    assert_ne!(found[1], Ending::Passed);
}

#[test]
fn calls_that_a_test_does_without_do_not_count() {
    let sandbox = sandbox(Isolation::Warm);
    // A candidate that answers them never ends.
    let slow = "def f(n):\n    while n > 3: pass\n    return None if n == 3 else n\n\
                def g(n):\n    raise ValueError\n";
    for test in [
        "for n in range(10):\n    if f(n) is None: break\nassert n == 3\n",
        "try:\n    g(1)\n    f(5)\nexcept ValueError:\n    pass\n",
    ] {
        assert_eq!(endings(&sandbox, test, &[slow, slow]), vec![Ending::Passed; 2], "{test}");
    }
}

#[test]
fn a_test_that_catches_everything_does_not_catch_another_run() {
    let sandbox = sandbox(Isolation::Warm);
    let test = "def check(n):\n    try:\n        return len(f(n)) == n\n    except:\n        return False\n\
                for n in range(3):\n    right = check(n)\n    assert right\n";
    let long = "class Long:\n    def __init__(self, n): self.n = n\n    def __len__(self): return self.n\n\
                def f(n): return Long(n)\n";
    assert_eq!(endings(&sandbox, test, &[long, long]), vec![Ending::Passed; 2]);
}

#[test]
fn arguments_are_the_same_however_they_come() {
    let sandbox = sandbox(Isolation::Warm);
    let kind = "def f(x):\n    return type(x).__name__\ndef g(x):\n    return next(iter(x))\n";
    for test in [
        "assert f(bytearray(b'a')) == 'bytearray'\n",
        "assert f([b'a', {1: (2.5, None, 3j)}]) == 'list'\n",
        "assert g({8, 0}) == 8\n",
    ] {
        assert_eq!(endings(&sandbox, test, &[kind]), vec![Ending::Passed], "{test}");
    }
}

#[test]
fn a_rehearsal_leaves_everything_as_it_was() {
    let sandbox = sandbox(Isolation::Warm);
    let wrong = "def f(x):\n    return -x\n";
    let takes = "while cases:\n    given, right = cases.pop()\n    assert f(given) == right\n";
    assert!(is_wrong(&endings(&sandbox, takes, &[wrong])[0], "f(2) gave -2"));
    let takes = "for given, right in pairs:\n    assert f(given) == right\n";
    assert!(is_wrong(&endings(&sandbox, takes, &[wrong])[0], "f(1) gave -1"));
    // A test that waits, because no answer is None, does not keep the candidate waiting for ever.
    let waits = "import time\nn = 0\nwhile f(n) is not None:\n    n += 1\n    time.sleep(0.2)\n\
                 assert n == 3\n";
    let program = "def f(n):\n    return None if n == 3 else n\n";
    let patient = Limits::with_cpu(std::time::Duration::from_secs(5));
    assert_eq!(ending_within(&sandbox, waits, program, patient), Ending::Passed);
}

#[test]
fn a_right_answer_that_is_handed_on_is_not_told_before() {
    let sandbox = sandbox(Isolation::Warm);
    let honest = "def f(x):\n    return sorted(x)\ndef g(x):\n    return 1\n";
    // The candidate looks at all questions that are sent at once before it answers.
    let ahead = "import json, marshal, os, socket, struct\nsocket = socket.socket(fileno=3)\n\
        head = socket.recv(4)\ncalls = marshal.loads(socket.recv(struct.unpack('<I', head)[0]))\n\
        handed = {name: arguments[0][0] for name, arguments in calls}\n\
        for name, _ in calls:\n\
        \u{20}   value = handed.get('g') or [0]\n\
        \u{20}   value = value[0] if type(value[0]) is list else value\n\
        \u{20}   value = 1 if name == 'g' else value\n\
        \u{20}   os.write(4, json.dumps({'value': value}).encode() + b'\\n')\n\
        answer = json.dumps({'ready': len(calls)}).encode()\n\
        socket.sendall(struct.pack('<I', len(answer)) + answer)\n";
    for test in [
        "assert f([3, 1]) == [1, 3]\nassert g([1, 3]) == 1\n",
        "assert f([3, 1]) == [1, 3]\nassert g([[1, 3]]) == 1\n",
        "assert [f([3, 1])] == [[1, 3]]\nassert g([1, 3]) == 1\n",
        "assert list(f([3, 1])) == [1, 3]\nassert g([1, 3]) == 1\n",
        "assert str(f([3, 1])) == '[1, 3]'\nassert g([1, 3]) == 1\n",
    ] {
        let found = endings(&sandbox, test, &[honest, ahead]);
        assert_eq!(found[0], Ending::Passed, "{test}");
        assert_ne!(found[1], Ending::Passed, "{test}");
    }
    // It knows only what gives nothing away.
    let found = endings(&sandbox, "f([3, 1])\nassert g([1, 3]) == 1\n", &[honest, ahead]);
    assert_eq!(found, [Ending::Passed, Ending::Passed]);
}

#[test]
fn a_test_that_catches_everything_does_not_catch_the_end_of_a_program() {
    let sandbox = sandbox(Isolation::Warm);
    let test = "try:\n    f(1)\nexcept:\n    raised = True\nassert raised\n";
    let leaves = "import os\ndef f(x):\n    os._exit(7)\n";
    let never_ends = "def f(x):\n    while True: pass\n";
    let raises = "def f(x):\n    raise ValueError\n";
    let limit = Ending::TimeLimit { clock: Clock::Cpu };
    assert_eq!(
        endings(&sandbox, test, &[leaves, never_ends, raises]),
        [Ending::EarlyExit { code: 7 }, limit, Ending::Passed]
    );
}

#[test]
fn half_a_letter_in_an_exception_is_an_exception() {
    let sandbox = sandbox(Isolation::Warm);
    let raises = "def f(x):\n    raise ValueError('\\ud800')\n";
    // A candidate that writes the message itself, bypassing the loader.
    let says = "import os, struct\ndata = b'{\"raised\":\"\\\\ud800\"}'\n\
                os.write(3, struct.pack('<I', len(data)) + data)\n";
    for program in [raises, says] {
        let found = endings(&sandbox, "assert f(1) == 1\n", &[program]);
        assert!(matches!(found[0], Ending::Exception { .. }), "{found:?}");
    }
}
