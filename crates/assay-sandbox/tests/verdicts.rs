//! Every way in which a candidate can end has its verdict, forked or in a new interpreter.

mod common;

use assay_core::{Clock, Ending, Isolation, Rules};
use common::{ending, run_tests, sandbox};

fn exception(class: &str, message: &str, line: Option<u32>) -> Ending {
    Ending::Exception { class: class.to_owned(), message: message.to_owned(), line }
}

fn check(isolation: Isolation) {
    let sandbox = sandbox(isolation);
    let cases = [
        ("def double(x):\n    return x + x\n", Ending::Passed),
        ("import sys\nsys.stdout.write('x')\ndouble = lambda x: x * 2\n", Ending::Passed),
        (
            "def double(x):\n    return x\n",
            Ending::WrongAnswer {
                message: "assert double(2) == 4; double(2) gave 2, not 4".to_owned(),
            },
        ),
        (
            "def double(x):\n    return 1 / 0\n",
            exception("ZeroDivisionError", "division by zero", Some(2)),
        ),
        ("raise KeyError('k')\n", exception("KeyError", "'k'", Some(1))),
        ("x = 1\n", exception("NameError", "name 'double' is not defined", None)),
        ("assert False, 'its own'\n", exception("AssertionError", "its own", Some(1))),
        (
            "def double(x:\n",
            Ending::SyntaxError { message: "'(' was never closed".to_owned(), line: Some(1) },
        ),
        ("import sys\nsys.exit(0)\n", Ending::EarlyExit { code: 0 }),
        ("import os\nos._exit(3)\n", Ending::EarlyExit { code: 3 }),
        ("import ctypes\nctypes.string_at(0)\n", Ending::Crashed { signal: 11 }),
        ("while True: pass\n", Ending::TimeLimit { clock: Clock::Cpu }),
        ("import time\ntime.sleep(60)\n", Ending::TimeLimit { clock: Clock::Wall }),
        ("x = 'a' * (1 << 40)\n", Ending::MemoryLimit),
        ("while True: print('x' * 1000)\n", Ending::OutputLimit),
    ];
    for (program, expected) in cases {
        assert_eq!(ending(&sandbox, program), expected, "{isolation:?}: {program}");
    }
}

#[test]
fn a_forked_interpreter_tells_every_ending() {
    check(Isolation::Warm);
}

#[test]
fn a_fresh_interpreter_tells_every_ending() {
    check(Isolation::Fresh);
}

#[test]
fn what_was_measured_goes_with_the_verdict() {
    let sandbox = sandbox(Isolation::Warm);
    let program = "import sys\nprint('why', file=sys.stderr)\nx = bytearray(50 << 20)\n\
                   for _ in range(10**6): pass\ndef double(x): return x * 2\n";
    let evidence = run_tests(&sandbox, program, Rules::Strict).evidence;
    assert!(evidence.cpu_s > 0.005 && evidence.cpu_s < 1.0, "{evidence:?}");
    assert!(evidence.wall_s >= 0.005, "{evidence:?}");
    assert!(evidence.peak_memory.is_some_and(|bytes| bytes > 50 << 20), "{evidence:?}");
    assert!(["cgroup-v2", "cgroup-v1", "sampled"].contains(&evidence.memory_by.as_str()));
    assert!(!evidence.unstable);
}

#[test]
fn values_come_through_as_what_they_are() {
    let sandbox = sandbox(Isolation::Warm);
    for value in [
        "None",
        "True",
        "-7",
        "10**30",
        "1.5",
        "float('inf')",
        "1j",
        "'é\\ud800'",
        "b'x'",
        "[1, [2]]",
        "(1,)",
        "{1, 2}",
        "frozenset({1})",
        "{'a': (1, None), 2: []}",
        "range(3)",
        "__import__('decimal').Decimal('1.50')",
        "__import__('fractions').Fraction(1, 3)",
        "__import__('collections').Counter('aab')",
        "[(i, str(i)) for i in range(60001)]",
        "__import__('collections').deque([1, 2])",
        "__import__('datetime').date(2020, 1, 2)",
    ] {
        let tests = assay_core::PythonTests {
            setup: String::new(),
            entry_points: vec![
                "value".to_owned(),
                "same".to_owned(),
                "Box".to_owned(),
                "count".to_owned(),
            ],
            cases: vec![format!(
                "expected = {value}\n\
                 found = value()\n\
                 assert found == expected and type(found) is type(expected), repr(found)\n\
                 assert same(expected, value=expected) == (expected, expected)\n\
                 box = Box(expected)\n\
                 assert same(box, value=1)[0].content == expected\n\
                 assert list(count(3)) == [0, 1, 2]\n"
            )],
            appended: String::new(),
            preamble: String::new(),
        };
        let program = format!(
            "def value(): return {value}\n\
             def same(first, value): return (first, value)\n\
             class Box:\n    def __init__(self, content): self.content = content\n\
             def count(n): yield from range(n)\n"
        );
        let request = assay_sandbox::TestRequest {
            prelude: "",
            candidate: &program,
            tests: &tests,
            case: 0,
            seed: 7,
            rules: Rules::Strict,
            limits: assay_sandbox::Limits::with_cpu(std::time::Duration::from_secs(10)),
        };
        let report = sandbox.run_tests(&request, &assay_core::Cancel::new()).unwrap();
        assert_eq!(report.ending, Ending::Passed, "{value}");
    }
}

/// A candidate that is gone before its tests have reported always gets the verdict of its own last message.
#[test]
fn kinds_do_not_waver() {
    let program = "def double(:\n";
    for isolation in [Isolation::Warm, Isolation::Fresh] {
        let sandbox = sandbox(isolation);
        let times = if isolation == Isolation::Warm { 150 } else { 20 };
        let strict: Vec<Ending> = (0..times).map(|_| ending(&sandbox, program)).collect();
        let compat = run_tests(&sandbox, program, Rules::Compat).ending;
        assert!(matches!(compat, Ending::SyntaxError { line: Some(1), .. }), "{compat:?}");
        for ending in strict {
            assert_eq!(ending, compat, "{isolation:?}");
        }
    }
}

/// The ending, message and line are the same for every isolation and rule.
#[test]
fn a_program_ends_in_the_same_way_by_all_rules() {
    let sandboxes = [Isolation::Warm, Isolation::Fresh].map(sandbox);
    for program in [
        "def double(x):\n    return x + x\n",
        "def double(x):\n    return [][x]\n",
        "def double(x):\n    raise KeyError('k')\n",
        "def double(x):\n    return double(x)\n",
        "def double(x):\n    import sys\n    sys.exit(4)\n",
        "import sys\nsys.exit('no')\n",
        "import nothing_of_the_kind\n",
        "def double(x):\n\treturn x\n    return x\n",
        "x = 1\n",
        "def double(x):\n    import os\n    os._exit(9)\n",
        "def double(x):\n    import os\n    os.kill(os.getpid(), 11)\n    import ctypes\n    ctypes.string_at(0)\n",
        "def double(x):\n    return 'a' * (1 << 40)\n",
        "def double(x):\n    raise SystemExit\n",
        "def double(x):\n    raise type('Own', (ValueError,), {})('so')\n",
        // Its own assertion, not one of the tests.
        "assert False, 'its own'\n",
        "def double(x):\n    assert x == 5, 'its own'\n",
        // Classes with a false name, or none.
        "class Lie(type):\n    __name__ = 5\nclass Own(Exception, metaclass=Lie): pass\nraise Own('so')\n",
        "class Lie(type):\n    __name__ = property(lambda _: 1 / 0)\nclass Own(Exception, metaclass=Lie): pass\n\
         def double(x): raise Own('so')\n",
        // The message is lost; the exit status is seen.
        "import os\nos.close(3)\ndef double(x): return x + x\n",
        "import os\nos.close(3)\nraise ValueError\n",
    ] {
        let found: Vec<Ending> = sandboxes
            .iter()
            .flat_map(|sandbox| {
                [Rules::Strict, Rules::Compat]
                    .map(|rules| run_tests(sandbox, program, rules).ending)
            })
            .collect();
        for ending in &found[1..] {
            assert_eq!(*ending, found[0], "{program}");
        }
    }
}

#[test]
fn a_traceback_begins_in_the_program() {
    let program = "def deep():\n    raise KeyError('k')\ndeep()\n";
    for isolation in [Isolation::Warm, Isolation::Fresh] {
        let said = run_tests(&sandbox(isolation), program, Rules::Strict).evidence.stderr_tail;
        assert_eq!(said.matches("File \"<program>\"").count(), 2, "{said}");
        assert_eq!(said.matches("File \"").count(), 2, "{said}");
    }
}
