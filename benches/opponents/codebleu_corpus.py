"""Scores a corpus with the package codebleu and prints what it gives.

The opponent of the benchmark of CodeBLEU: needs the package codebleu and the grammar of the language.
Pairs are JSON lines of {"refs": [text, ...], "hyp": text}.

usage: python3 codebleu_corpus.py LANGUAGE PAIRS.jsonl
"""
import json
import sys

from codebleu import calc_codebleu


def main():
    language, path = sys.argv[1:]
    with open(path, encoding="utf-8") as file:
        pairs = [json.loads(line) for line in file]
    references = [pair["refs"] for pair in pairs]
    print(calc_codebleu(references, [pair["hyp"] for pair in pairs], language))


if __name__ == "__main__":
    main()
