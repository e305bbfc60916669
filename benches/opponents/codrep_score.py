"""Scores CodRep predictions step by step as the competition's own scorer does.

The opponent of `cargo xtask bench codrep-score`: plain Python, no packages. It counts the tasks,
gives each the greatest loss, then for every line of standard input opens the task and the solution,
counts the program's lines, checks path and range, and keeps the smallest loss.

usage: python3 codrep_score.py DATASET[:DATASET...] < predictions
"""
import math
import os
import sys


def loss(line, solution):
    return math.tanh(abs(solution - line))


def tasks_of(dataset):
    folder = os.path.join(dataset, "Tasks/")
    for name in os.listdir(folder):
        if name.endswith(".txt"):
            yield os.path.abspath(os.path.join(folder, name))


def main():
    datasets = sys.argv[1].split(":")
    total = sum(1 for dataset in datasets for _ in tasks_of(dataset))
    losses = {path: 1 for dataset in datasets for path in tasks_of(dataset)}
    answered = set()
    right_first = 0
    right = 0
    most = 0
    for text in sys.stdin:
        words = text.split()
        path = words[0]
        lines = [int(word) for word in words[1:]]
        most = max(most, len(lines))
        if path in answered:
            raise SystemExit(path + " is predicted twice")
        answered.add(path)
        with open(path) as task, open(path.replace("Tasks", "Solutions")) as solution_file:
            length = len(task.readlines()) - 2
            if not any(dataset in path for dataset in datasets):
                raise SystemExit(path + " is outside of the chosen datasets")
            for line in lines:
                if line < 1 or line > length:
                    raise SystemExit(path + ": line out of range")
            solution = int(solution_file.readline())
        smallest = float("inf")
        for line in lines:
            if loss(line, solution) < smallest:
                smallest = loss(line, solution)
            if line == solution:
                right += 1
                break
        if lines[0] == solution:
            right_first += 1
        losses[path] = smallest
    print("Total files: %d" % total)
    print("Average line error: %s (the lower, the better)" % (sum(losses.values()) / total))
    print("Recall@1: %s (the higher, the better)" % (right_first / total))


if __name__ == "__main__":
    main()
