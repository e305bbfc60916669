"""Runs samples of HumanEval in forks of a warm interpreter: no isolation, no limits, no capture.

The floor of the benchmark of HumanEval: what running the programs costs by itself. It is given
nothing but HumanEval's own solutions.

usage: python3 humaneval_forks.py HumanEval.jsonl.gz SAMPLES.jsonl
"""
import gc
import gzip
import json
import os
import sys
import typing


def main():
    with gzip.open(sys.argv[1], "rt") as lines:
        problems = {problem["task_id"]: problem for problem in map(json.loads, lines)}
    gc.freeze()
    with open(sys.argv[2]) as samples:
        for line in samples:
            sample = json.loads(line)
            problem = problems[sample["task_id"]]
            call = "check(%s)" % problem["entry_point"]
            parts = [problem["prompt"] + sample["completion"], problem["test"], call]
            child = os.fork()
            if child == 0:
                exec(compile("\n".join(parts), "<sample>", "exec"), {})
                os._exit(0)
            _, status = os.waitpid(child, 0)
            assert status == 0, sample["task_id"]


if __name__ == "__main__":
    main()
