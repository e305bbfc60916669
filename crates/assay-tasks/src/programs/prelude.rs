//! Preludes: imports that run before every Python program, as published scorers have them.
//!
//! A prelude is run by itself, with the program's names, before the program: the program's lines keep their numbers,
//! and what must be first in a file, such as `from __future__`, stays first.

use assay_core::Prelude;

/// The scorer of MapCoder puts this line before a program that does not have it.
const TYPING: &str = "from typing import *\n";

/// The imports of HumanEval-X. Numpy takes longer to load than most programs run, so it is loaded on first use.
const HUMANEVAL_X: &str = "import math, re, sys, copy, datetime, itertools, collections, heapq, statistics, \
    functools, hashlib, string\nfrom typing import *\nfrom collections import *\n\
    class LateNumpy:\n    def __getattr__(self, name):\n        import numpy\n        \
    globals().update(numpy=numpy, np=numpy)\n        return getattr(numpy, name)\n\
    numpy = np = LateNumpy()\ndel LateNumpy\n";

/// The imports of LiveCodeBench, in its order: later ones replace names of earlier ones.
const LIVECODEBENCH: &str = "\
from string import *\nfrom re import *\nfrom datetime import *\nfrom collections import *\nfrom heapq import *\n\
from bisect import *\nfrom copy import *\nfrom math import *\nfrom random import *\nfrom statistics import *\n\
from itertools import *\nfrom functools import *\nfrom operator import *\nfrom io import *\nfrom sys import *\n\
from json import *\nfrom builtins import *\nfrom typing import *\n\
import string, re, datetime, collections, heapq, bisect, copy, math, random, statistics, itertools, functools, \
operator, io, sys, json\nsys.setrecursionlimit(50000)\n";

/// The code of a prelude.
pub(super) fn code(prelude: Prelude) -> &'static str {
    match prelude {
        Prelude::Typing => TYPING,
        Prelude::HumanevalX => HUMANEVAL_X,
        Prelude::Livecodebench => LIVECODEBENCH,
    }
}
