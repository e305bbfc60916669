//! Assembly of programs for APPS: the imports that the dataset promises, and under `compat` the function that the
//! original wraps around a program.

use std::borrow::Cow;

use assay_core::Rules;

use crate::programs::SourceParts;

/// The names that a program may use without importing them. It is one line, so that a program's line numbers are off
/// by one only. Numpy takes longer to load than most programs run, so it is loaded on first use.
pub(super) const PREAMBLE: &str = "import sys, time, itertools, collections, math, fractions, random, \
    heapq, functools, typing; from itertools import accumulate, product, permutations, combinations; \
    from collections import Counter, OrderedDict, deque, defaultdict, ChainMap; from functools import \
    lru_cache; from math import sqrt, sin, cos, tan, ceil, fabs, floor, gcd, exp, log, log2; from \
    typing import List, Tuple; from heapq import *; exec('class LateNumpy:\\n def __getattr__(self, \
    name):\\n  import numpy\\n  globals()[\"np\"] = numpy\\n  return getattr(numpy, name)\\nnp = \
    LateNumpy()')\n";

/// The file that is run if a program reads standard input and prints.
pub(super) fn assemble(parts: &SourceParts<'_>) -> String {
    let (future, program) = without_future(parts.program);
    match parts.rules {
        Rules::Strict => format!("{future}{PREAMBLE}{program}"),
        Rules::Compat => {
            format!("{future}{PREAMBLE}{COMPAT_NAMES}{}{COMPAT_CALL}", as_function(&program))
        }
    }
}

/// A program without the lines that must be the first of a file, and these lines. A byte order mark, which an
/// interpreter skips at the start of a file, is removed.
fn without_future(program: &str) -> (String, Cow<'_, str>) {
    let program = program.strip_prefix('\u{feff}').unwrap_or(program);
    let is_future = |line: &&str| line.starts_with("from __future__ import ");
    if !program.lines().any(|line| is_future(&line)) {
        return (String::new(), program.into());
    }
    let without_comment = |line: &str| line.split('#').next().unwrap_or_default().trim().to_owned();
    let future: Vec<String> = program.lines().filter(is_future).map(without_comment).collect();
    let kept = program.split('\n').map(|line| if is_future(&line) { "" } else { line });
    (format!("{}; ", future.join("; ")), kept.collect::<Vec<_>>().join("\n").into())
}

/// Extracts the program from an answer: everything after the first mark of the prompt, if there is one.
pub(super) fn after_mark(answer: &str) -> &str {
    answer.split_once("\nANSWER:").map_or(answer, |(_, program)| program)
}

/// The names that the original changes: `exit` and `quit` are removed, and the module is not the main one.
const COMPAT_NAMES: &str = "exit = quit = None\n__name__ = 'builtins'\n";

/// A program that exits with `sys.exit` is graded by its output.
const COMPAT_CALL: &str = "\ntry:\n\tcode()\nexcept SystemExit:\n\tpass\n";

/// Wraps a program as the original does: everything from the first line that is not an import is put into a function.
/// So `global` names other variables than the program's, and a program of imports alone has no function.
fn as_function(program: &str) -> String {
    let is_import = |line: &str| line.starts_with("from ") || line.starts_with("import ");
    let mut text = String::new();
    let mut started = false;
    for line in program.split('\n') {
        if !started && !is_import(line) {
            text += "stdin = sys.stdin\nstdout = sys.stdout\ndef code():\n";
            started = true;
        }
        if started {
            text.push('\t');
        }
        text += line;
        text.push('\n');
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_program_becomes_a_function_as_in_the_original() {
        let expected = "import os\nstdin = sys.stdin\nstdout = sys.stdout\ndef code():\n\tx = 1\n\t\
            import re\n\tif x:\n\t    print(x)\n\t\n";
        assert_eq!(as_function("import os\nx = 1\nimport re\nif x:\n    print(x)\n"), expected);
        assert_eq!(as_function("import os"), "import os\n");
    }

    #[test]
    fn what_must_be_first_in_a_file_is_first() {
        let program = "\u{feff}# about\nfrom __future__ import annotations  # why\nprint(1)\n";
        let parts = SourceParts { program, tests: None, nonce: "", rules: Rules::Strict };
        let text = assemble(&parts);
        let head = format!("from __future__ import annotations; {PREAMBLE}# about\n\nprint(1)\n");
        assert_eq!(text, head);
    }

    #[test]
    fn the_program_follows_the_first_mark() {
        assert_eq!(after_mark("\nQUESTION:\nq\nANSWER:\nx = 1\nANSWER:\n"), "\nx = 1\nANSWER:\n");
        assert_eq!(after_mark("x = 1"), "x = 1");
    }
}
