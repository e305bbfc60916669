"""Predicts, for every CodRep task, the line that the new line replaces.

A rival for the project's own predictor: plain Python, no packages, one process. It follows the idea
of the competition's runner-up, a fixed formula over matching blocks, edits and shared keywords,
worked out for every line of the file. It is not that entry's program: features and weights differ.

usage: python3 codrep_locate.py FOLDER [LIMIT]

FOLDER is a dataset, with its tasks in FOLDER/Tasks/N.txt; LIMIT takes the first LIMIT tasks only, in
the order of their numbers. Prints `<path> <line number>` for each task.
"""
import os
import re
import sys
from difflib import SequenceMatcher

KEYWORD = re.compile(r"[A-Za-z_$][\w$]*")


def score(old, new, blocks, old_words, new_words):
    """How likely `new` replaces `old`: the higher, the likelier."""
    matched = longest = ends = edits = 0
    old_at = new_at = 0
    for a, b, size in blocks:
        if a > old_at or b > new_at:
            edits += 1
        old_at, new_at = a + size, b + size
        matched += size
        if size > longest:
            longest = size
        # A block that opens or closes both lines: the change lies in the middle.
        if a == b == 0 or (old_at == len(old) and new_at == len(new)):
            ends += size
    ratio = 2 * matched / (len(old) + len(new))
    words = len(old_words) + len(new_words)
    keywords = 2 * len(old_words & new_words) / words if words else 0.0
    return (
        ratio
        + 0.3 * longest / min(len(old), len(new))
        + 0.6 * ends / max(len(old), len(new))
        + 0.8 * keywords
        - 0.4 * edits / (edits + 8)
    )


def locate(new, program):
    """The number, from 1, of the line of `program` that `new` most likely replaces."""
    new = new.strip()
    new_words = set(KEYWORD.findall(new))
    matcher = SequenceMatcher(None, autojunk=False)
    matcher.set_seq2(new)  # indexed once; only the other side changes from line to line
    seen = {"", new}  # the first of several equal lines stands for all
    best, best_score = 1, float("-inf")
    for number, line in enumerate(program, 1):
        old = line.strip()
        if old in seen:
            continue
        seen.add(old)
        matcher.set_seq1(old)
        old_words = set(KEYWORD.findall(old))
        value = score(old, new, matcher.get_matching_blocks(), old_words, new_words)
        if value > best_score:
            best, best_score = number, value
    return best


def main():
    folder = os.path.abspath(os.path.join(sys.argv[1], "Tasks"))
    names = [name for name in os.listdir(folder) if re.fullmatch(r"[0-9]+\.txt", name)]
    names.sort(key=lambda name: int(name[:-4]))
    for name in names[: int(sys.argv[2]) if len(sys.argv) > 2 else None]:
        path = os.path.join(folder, name)
        with open(path, encoding="utf-8", newline="\n") as task:
            lines = task.read().split("\n")
        print(path, locate(lines[0], lines[2:]))


if __name__ == "__main__":
    main()
