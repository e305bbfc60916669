"""Writes HumanEval's own solutions as samples, several of each.

usage: python3 humaneval_samples.py HumanEval.jsonl.gz distinct|same COUNT OUT.jsonl
"""
import gzip
import json
import sys


def main():
    problems, how, count, out = sys.argv[1:]
    with gzip.open(problems, "rt") as lines, open(out, "w") as file:
        for line in lines:
            problem = json.loads(line)
            for number in range(int(count)):
                mark = "\n# %d\n" % number if how == "distinct" else ""
                completion = problem["canonical_solution"] + mark
                sample = {"task_id": problem["task_id"], "completion": completion}
                file.write(json.dumps(sample) + "\n")


if __name__ == "__main__":
    main()
