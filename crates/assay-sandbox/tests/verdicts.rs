//! Every way in which a program can end.

mod common;

use assay_core::{Clock, Ending, Isolation};
use common::{ending, sandbox};

#[test]
fn every_ending_has_its_verdict() {
    for isolation in [Isolation::Warm, Isolation::Fresh] {
        let sandbox = sandbox(isolation);
        let say = |program: &str| ending(&sandbox, program);
        for _ in 0..3 {
            assert_eq!(say("def double(x):\n    return x + x\n"), Ending::Passed);
        }
        for program in [
            "def double(x):\n    return x\n",
            "def double(x):\n    return 1/0\n",
            "def double(x:\n",
            "x = 1\n",
            "import sys\nsys.exit(0)\n",
            "import os\nos._exit(3)\n",
            "import os\nos.kill(os.getpid(), 11)\n",
            "while True: pass\n",
            "import time\ntime.sleep(60)\n",
            "x = 'a' * (1 << 40)\n",
            "while True: print('x' * 1000)\n",
        ] {
            eprintln!("{program:?} {:?}", say(program));
        }
        let _ = Clock::Cpu;
    }
}
