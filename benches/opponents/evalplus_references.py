"""Calls the references of an EvalPlus file with all its inputs, once, and does nothing else.

usage: python3 evalplus_references.py PROBLEMS.jsonl
"""
import json
import sys


def main():
    with open(sys.argv[1]) as lines:
        for line in lines:
            problem = json.loads(line)
            names = {}
            exec(problem["prompt"] + problem["canonical_solution"], names)
            # A problem of MBPP's without further inputs has an empty object there.
            for given in [*problem["base_input"], *problem["plus_input"]]:
                try:
                    names[problem["entry_point"]](*given)
                except Exception:
                    # Some of MBPP's want tuples where the file has lists.
                    pass


if __name__ == "__main__":
    main()
