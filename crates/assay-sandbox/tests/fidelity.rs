//! Tests in a process of their own come to the same verdict as in plain Python, or say that they need one process.

#![allow(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

mod common;

use assay_core::{Cancel, Ending, Exam, Isolation, Rules};
use assay_sandbox::{Examination, Examined, Limits, Sandbox};
use common::sandbox;

fn examine(sandbox: &Sandbox, test: &str, program: &str, rules: Rules) -> Examined {
    let exam = Exam {
        setting: "class Unhappy(Exception):\n    pass\n".to_owned(),
        called: vec!["f".to_owned(), "Box".to_owned()],
        tests: vec![test.to_owned()],
        appended: test.to_owned(),
        preamble: String::new(),
    };
    let limits = Limits::with_cpu(std::time::Duration::from_secs(3));
    let examination = Examination { program, exam: &exam, test: 0, seed: 3, rules, limits };
    sandbox.examine(&examination, &Cancel::new()).unwrap()
}

/// A test, a program that passes it and one that does not.
type Trial = (&'static str, &'static str, &'static str);

/// What can be carried over between processes.
const CARRIED: &[Trial] = &[
    // Arguments that are changed in place.
    (
        "a = [3, 1, 2]\nf(a)\nassert a == [1, 2, 3]\n",
        "def f(a): a.sort()\n",
        "def f(a): return sorted(a)\n",
    ),
    (
        "a = [3, 1, 2]\nassert f(a) == [1, 2, 3]\nassert a == [3, 1, 2]\n",
        "def f(a): return sorted(a)\n",
        "def f(a):\n    a.sort()\n    return a\n",
    ),
    (
        "a = [[1], [2]]\nb = a[0]\nf(a)\nassert b == [1, 9] and a == [[1, 9], [2]]\n",
        "def f(a): a[0].append(9)\n",
        "def f(a): a[0] = [1, 9]\n",
    ),
    (
        "d = {'a': [1]}\nf(d)\nassert d == {'a': [1, 2], 'b': 3}\n",
        "def f(d):\n    d['a'].append(2)\n    d['b'] = 3\n",
        "def f(d): return {**d, 'b': 3}\n",
    ),
    ("s = {1, 2}\nf(s)\nassert s == {2}\n", "def f(s): s.discard(1)\n", "def f(s): pass\n"),
    (
        "from collections import deque\nd = deque([1, 2])\nf(d)\nassert d == deque([2])\n",
        "def f(d): d.popleft()\n",
        "def f(d): pass\n",
    ),
    ("a = [1]\nf(a=a)\nassert a == [1, 2]\n", "def f(a): a.append(2)\n", "def f(a): a = a + [2]\n"),
    // The same object twice, and what is given back.
    (
        "a = [1]\nf([a, a])\nassert a == [1, 2]\n",
        "def f(two): two[1].append(2)\n",
        "def f(two): pass\n",
    ),
    (
        "row = [0]\nassert f([row, row]) == [[5], [5]]\n",
        "def f(two):\n    two[0][0] = 5\n    return two\n",
        "def f(two): return [[5], two[1]]\n",
    ),
    (
        "a = [1]\nb = f(a)\nb.append(7)\nassert a == [1, 2, 7]\n",
        "def f(a):\n    a.append(2)\n    return a\n",
        "def f(a):\n    a.append(2)\n    return list(a)\n",
    ),
    // Exceptions.
    (
        "try:\n    f(1)\n    raise RuntimeError\nexcept AssertionError:\n    pass\n",
        "def f(x): assert x != 1\n",
        "def f(x): return x\n",
    ),
    (
        "try:\n    f(1)\nexcept StopIteration:\n    caught = True\nassert caught\n",
        "def f(x): return next(iter([]))\n",
        "def f(x): raise ValueError\n",
    ),
    (
        "try:\n    f(1)\n    assert False\nexcept SystemExit:\n    pass\n",
        "import sys\ndef f(x): sys.exit(3)\n",
        "def f(x): return 1\n",
    ),
    (
        "try:\n    f(1)\n    assert False\nexcept LookupError:\n    pass\n",
        "class Own(KeyError): pass\nclass Other(Own): pass\ndef f(x): raise Other('x')\n",
        "class Own(ValueError): pass\ndef f(x): raise Own('x')\n",
    ),
    (
        "try:\n    f(1)\n    assert False\nexcept Unhappy as error:\n    assert 'so' in str(error)\n",
        "class Unhappy(Exception): pass\ndef f(x): raise Unhappy('so')\n",
        "class Unhappy(Exception): pass\ndef f(x): raise Exception('so')\n",
    ),
    (
        "try:\n    f('x')\n    assert False\nexcept UnicodeError:\n    pass\n",
        "def f(x): b'\\xff'.decode()\n",
        "def f(x): raise TypeError\n",
    ),
    // Objects of the program.
    (
        "g = f(3)\nassert next(g) == 0 and next(g) == 1 and next(g) == 2\nassert next(g, 'end') == 'end'\n",
        "def f(n): yield from range(n)\n",
        "def f(n): yield from range(n + 1)\n",
    ),
    (
        "with Box(4) as box:\n    assert box.size == 4\nassert box.closed\n",
        "class Box:\n    closed = False\n    def __init__(self, n): self.size = n\n    \
         def __enter__(self): return self\n    def __exit__(self, *a): self.closed = True\n",
        "class Box:\n    closed = False\n    def __init__(self, n): self.size = n\n    \
         def __enter__(self): return self\n    def __exit__(self, *a): pass\n",
    ),
    (
        "assert 2 in f(3) and 3 not in f(3)\n",
        "def f(n): yield from range(n)\n",
        "def f(n): yield from range(n + 1)\n",
    ),
    (
        "assert Box(1) == Box(1) and Box(1) != Box(2)\n",
        "class Box:\n    def __init__(self, n): self.n = n\n    \
         def __eq__(self, other): return self.n == other.n\n",
        "class Box:\n    def __init__(self, n): pass\n    def __eq__(self, other): return True\n",
    ),
    (
        "box = Box(2)\nbox['k'] = 5\nassert box['k'] == 5 and len(box) == 1\n",
        "class Box(dict):\n    def __init__(self, n): self.inner = {}\n",
        "def Box(n): return None\n",
    ),
    // Sets in the order in which they would be iterated.
    (
        "assert f({12, 13, 14, 15, 16}) == (16, 12, 13, 14, 15)\n",
        "def f(s): return tuple(s)\n",
        "def f(s): return tuple(sorted(s))\n",
    ),
    (
        "assert ''.join(f()) == ''.join({'pear', 'fig', 'kiwi', 'plum', 'lime', 'date'})\n",
        "def f(): return {'pear', 'fig', 'kiwi', 'plum', 'lime', 'date'}\n",
        "def f(): return sorted({'pear', 'fig', 'kiwi', 'plum', 'lime', 'date'}, reverse=True)\n",
    ),
    // Tests that do not call the program say nothing about it: none passes that way.
    (
        "assert f(1) is None and f(2) is True and type(f(3)) is int\n",
        "def f(x): return {1: None, 2: True, 3: 5}[x]\n",
        "def f(x): return {1: None, 2: 1, 3: 5}[x]\n",
    ),
];

/// What needs one process.
const TOGETHER: &[&str] = &[
    "assert f(lambda x: x + 1) == 2\n",
    "assert f(iter([1, 2])) == 2\n",
    "class Own:\n    pass\nassert f(Own()) == 2\n",
    "a = [1]\nassert f(a) is a\n",
    "import io, contextlib\nout = io.StringIO()\nwith contextlib.redirect_stdout(out):\n    f(1)\n\
     assert out.getvalue() == 'hello\\n'\n",
    "import builtins\nbuiltins.input = lambda *a: '5'\nassert f(1) == 5\n",
];

fn check(isolation: Isolation) {
    let sandbox = sandbox(isolation);
    for (test, right, wrong) in CARRIED {
        for (program, passes) in [(right, true), (wrong, false)] {
            for rules in [Rules::Strict, Rules::Compat] {
                let Examined { ending, one_process, .. } = examine(&sandbox, test, program, rules);
                let what = format!("{rules:?}: {test}{program}: {ending:?}");
                assert_eq!(one_process, None, "{what}");
                assert_eq!(ending == Ending::Passed, passes, "{what}");
            }
        }
    }
    for test in TOGETHER {
        let program = "def f(x): return x\n";
        let examined = examine(&sandbox, test, program, Rules::Strict);
        assert!(examined.one_process.is_some(), "{test}: {:?}", examined.ending);
        assert_ne!(examined.ending, Ending::Passed, "{test}");
    }
}

#[test]
fn tests_and_programs_understand_each_other_as_in_plain_python() {
    check(Isolation::Warm);
}

#[test]
fn a_fresh_interpreter_makes_no_difference() {
    check(Isolation::Fresh);
}

#[test]
fn a_test_that_calls_nothing_is_not_passed() {
    let sandbox = sandbox(Isolation::Warm);
    let examined = examine(&sandbox, "assert True\n", "def f(x): return x\n", Rules::Strict);
    assert!(matches!(examined.ending, Ending::WrongAnswer { .. }), "{:?}", examined.ending);
}

#[test]
fn the_random_numbers_of_tests_are_not_the_programs() {
    let sandbox = sandbox(Isolation::Warm);
    let test = "import random\nfor _ in range(3):\n    drawn = random.random()\n    assert f(0) == drawn\n";
    for seed in ["", "random.seed(0)\n", "random.seed(3)\n"] {
        let program = format!("import random\n{seed}def f(x): return random.random()\n");
        let examined = examine(&sandbox, test, &program, Rules::Strict);
        assert_eq!(examined.ending == Ending::Passed, seed.contains('3'), "{seed}");
    }
}
