//! Tests in a process of their own give the same verdict as in plain Python, or report that they need one process.

#![allow(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

mod common;

use assay_core::{Cancel, Ending, Isolation, PythonTests, Rules};
use assay_sandbox::{Limits, Report, Sandbox, TestRequest};
use common::sandbox;

fn run_tests(sandbox: &Sandbox, test: &str, program: &str, rules: Rules) -> Report {
    let tests = PythonTests {
        setup: "class Unhappy(Exception):\n    pass\n".to_owned(),
        entry_points: vec!["f".to_owned(), "Box".to_owned()],
        cases: vec![test.to_owned()],
        appended: test.to_owned(),
        preamble: String::new(),
    };
    let limits = Limits::with_cpu(std::time::Duration::from_secs(3));
    let request = TestRequest {
        prelude: "",
        candidate: program,
        tests: &tests,
        case: 0,
        seed: 3,
        rules,
        limits,
    };
    sandbox.run_tests(&request, &Cancel::new()).unwrap()
}

/// A test, a candidate that passes it and one that does not.
type Case = (&'static str, &'static str, &'static str);

/// Cases that work across processes.
const CARRIED: &[Case] = &[
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
    // The same object twice, and return values.
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
    // Objects of the candidate.
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
    (
        "p = f(1, 2)\nassert p.x == 1 and p == (1, 2) and repr(p) == 'P(x=1, y=2)'\n",
        "from collections import namedtuple\nP = namedtuple('P', 'x y')\ndef f(x, y): return P(x, y)\n",
        "def f(x, y): return (x, y)\n",
    ),
    (
        "d = f('aab')\nassert d['a'] == 2 and d['z'] == 0\n",
        "from collections import defaultdict\ndef f(s):\n    d = defaultdict(int)\n    \
         for c in s: d[c] += 1\n    return d\n",
        "def f(s): return {c: s.count(c) for c in s}\n",
    ),
    (
        "a, b = Box(1), Box(2)\nassert a < b and (a + b).n == 3 and len({a, Box(1)}) == 1\n\
         assert f'{a:>3}' == '  1' and repr(a) == 'Box 1' and [5, 6][a] == 6 and int(b) == 2\n",
        "class Box:\n    def __init__(self, n): self.n = n\n    def __lt__(self, o): return self.n < o.n\n    \
         def __add__(self, o): return Box(self.n + o.n)\n    def __eq__(self, o): return self.n == o.n\n    \
         def __hash__(self): return self.n\n    def __format__(self, how): return format(self.n, how)\n    \
         def __repr__(self): return f'Box {self.n}'\n    def __index__(self): return self.n\n",
        "class Box:\n    def __init__(self, n): self.n = n\n",
    ),
    (
        "s = f([1, 2, 3])\nassert list(s[1:]) == [2, 3] and s[-1] == 3\n",
        "import array\ndef f(x): return array.array('i', x)\n",
        "def f(x): return {0: 1, -1: 3}\n",
    ),
    // Sets in their iteration order.
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
    // Tests that do not call the candidate say nothing about it: none passes that way.
    (
        "assert f(1) is None and f(2) is True and type(f(3)) is int\n",
        "def f(x): return {1: None, 2: True, 3: 5}[x]\n",
        "def f(x): return {1: None, 2: 1, 3: 5}[x]\n",
    ),
];

/// Cases that need one process.
const TOGETHER: &[&str] = &[
    "assert f(lambda x: x + 1) == 2\n",
    "assert f(iter([1, 2])) == 2\n",
    "class Own:\n    pass\nassert f(Own()) == 2\n",
    "a = [1]\nassert f(a) is a\n",
    "import io, contextlib\nout = io.StringIO()\nwith contextlib.redirect_stdout(out):\n    f(1)\n\
     assert out.getvalue() == 'hello\\n'\n",
    "import builtins\nbuiltins.input = lambda *a: '5'\nassert f(1) == 5\n",
];

/// Candidates that pass, but perhaps only because something was lost between the processes: they must pass in one
/// process too.
const DOUBTFUL: &[(&str, &str)] = &[
    // Results that the candidate keeps a reference to, or that are one object twice.
    (
        "a = f(1)\nb = f(2)\nassert a == [1]\n",
        "kept = []\ndef f(x):\n    kept[:] = [x]\n    return kept\n",
    ),
    ("a = f(0)\na.append(1)\nassert f(0) == []\n", "kept = []\ndef f(x): return kept\n"),
    ("m = f(2)\nm[0][0] = 1\nassert m[1][0] == 0\n", "def f(n): return [[0] * n] * n\n"),
    (
        "d = f('ab')\nd['a'].append(1)\nassert d['b'] == []\n",
        "def f(keys): return dict.fromkeys(keys, [])\n",
    ),
    (
        "box = Box([1])\nitems = box.items\nbox.push(2)\nassert items == [1]\n",
        "class Box:\n    def __init__(self, x): self.items = list(x)\n    \
         def push(self, x): self.items.append(x)\n",
    ),
    // Arguments that it keeps a reference to.
    (
        "a = [1]\nbox = Box(a)\na.append(2)\nassert box.size() == 1\n",
        "class Box:\n    def __init__(self, x): self.x = x\n    def size(self): return len(self.x)\n",
    ),
    // Classes of its own.
    ("assert type(f(1)) is list\n", "class Own(list): pass\ndef f(x): return Own([x])\n"),
    (
        "assert str(f(1)) == 'a'\n",
        "class Own(str):\n    def __str__(self): return 'b'\ndef f(x): return Own('a')\n",
    ),
    // A replacement that does not reach it.
    (
        "import random\nfrom unittest.mock import patch\n\
         with patch('random.random', side_effect=AssertionError):\n    assert f(1) == 1\n",
        "import random\ndef f(x):\n    random.random()\n    return x\n",
    ),
];

/// Candidates that do not pass.
const FAILING: &[(&str, &str)] = &[
    // Objects behave as they do in the candidate.
    ("assert f(1)\n", "class Own:\n    def __bool__(self): return False\ndef f(x): return Own()\n"),
    ("assert f(1)\n", "class Own:\n    def __len__(self): return 0\ndef f(x): return Own()\n"),
    ("assert callable(f(1))\n", "class Own: pass\ndef f(x): return Own()\n"),
    (
        "from collections.abc import Iterator\nassert isinstance(f([1]), Iterator)\n",
        "def f(x): return dict.fromkeys(x).keys()\n",
    ),
    ("assert len({f(1), f(1)}) == 1\n", "class Own: pass\ndef f(x): return Own()\n"),
    (
        "assert type(f(1)) is type(f(2))\n",
        "class A: pass\nclass B: pass\ndef f(x): return A() if x == 1 else B()\n",
    ),
    // Code that does not catch an exit in one process does not catch it here.
    ("try:\n    f(1)\nexcept Exception:\n    pass\n", "import sys\ndef f(x): sys.exit()\n"),
    // A candidate without the function is different from one whose function raises an exception.
    (
        "def check(g):\n    try:\n        g(1)\n    except Exception:\n        pass\ncheck(f)\n",
        "def g(x): pass\n",
    ),
];

fn check_doubts(isolation: Isolation) {
    let sandbox = sandbox(isolation);
    for (test, program) in DOUBTFUL {
        let Report { ending, one_process, .. } = run_tests(&sandbox, test, program, Rules::Strict);
        assert_eq!(ending, Ending::Passed, "{test}{program}");
        assert!(one_process.is_some(), "{test}{program}");
        let together = run_tests(&sandbox, test, program, Rules::Compat);
        assert_ne!(together.ending, Ending::Passed, "{test}{program}");
    }
    for (test, program) in FAILING {
        for rules in [Rules::Strict, Rules::Compat] {
            let Report { ending, .. } = run_tests(&sandbox, test, program, rules);
            assert_ne!(ending, Ending::Passed, "{rules:?}: {test}{program}");
        }
    }
}

#[test]
fn what_is_lost_between_processes_is_found_out() {
    check_doubts(Isolation::Warm);
    check_doubts(Isolation::Fresh);
}

#[test]
fn what_a_test_replaces_the_next_finds_as_it_was() {
    let sandbox = sandbox(Isolation::Warm);
    let (plain, program) = ("assert f(1) == 1\n", "def f(x): return x\n");
    for test in [
        "import sys, io\nsys.stdin = io.StringIO('5')\nassert f(1) == 1\n",
        "import builtins\nbuiltins.len = None\nassert f(1) == 1\n",
        "import os\nos.environ['HOME'] = '/nowhere'\nassert f(1) == 1\n",
    ] {
        // There are two workers.
        for _ in 0..3 {
            run_tests(&sandbox, test, program, Rules::Strict);
        }
        for _ in 0..3 {
            let Report { ending, one_process, .. } =
                run_tests(&sandbox, plain, program, Rules::Strict);
            assert_eq!((ending, one_process), (Ending::Passed, None), "{test}");
        }
    }
}

fn check(isolation: Isolation) {
    let sandbox = sandbox(isolation);
    for (test, right, wrong) in CARRIED {
        for (program, passes) in [(right, true), (wrong, false)] {
            for rules in [Rules::Strict, Rules::Compat] {
                let Report { ending, one_process, .. } = run_tests(&sandbox, test, program, rules);
                let what = format!("{rules:?}: {test}{program}: {ending:?}");
                // A candidate that passes under both rules also passes in one process.
                assert!(one_process.is_none() || ending == Ending::Passed, "{what}");
                assert_eq!(ending == Ending::Passed, passes, "{what}");
            }
        }
    }
    for test in TOGETHER {
        let program = "def f(x): return x\n";
        let report = run_tests(&sandbox, test, program, Rules::Strict);
        assert!(report.one_process.is_some(), "{test}: {:?}", report.ending);
        assert_ne!(report.ending, Ending::Passed, "{test}");
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
    let report = run_tests(&sandbox, "assert True\n", "def f(x): return x\n", Rules::Strict);
    assert!(matches!(report.ending, Ending::WrongAnswer { .. }), "{:?}", report.ending);
}

#[test]
fn the_random_numbers_of_tests_are_not_the_programs() {
    let sandbox = sandbox(Isolation::Warm);
    let test = "import random\nfor _ in range(3):\n    drawn = random.random()\n    assert f(0) == drawn\n";
    for seed in ["", "random.seed(0)\n", "random.seed(3)\n"] {
        let program = format!("import random\n{seed}def f(x): return random.random()\n");
        let report = run_tests(&sandbox, test, &program, Rules::Strict);
        assert_eq!(report.ending == Ending::Passed, seed.contains('3'), "{seed}");
    }
}
