"""Scores a corpus with sacreBLEU's default BLEU and prints the score.

The opponent of the benchmark of BLEU: needs the package sacrebleu. Hypotheses and references are
text files with a segment on each line, which end at line feeds only.

usage: python3 sacrebleu_corpus.py HYPOTHESES REFERENCES
"""
import sys

from sacrebleu.metrics import BLEU


def lines(path):
    with open(path, encoding="utf-8", newline="\n") as file:
        return [line.rstrip("\n") for line in file]


def main():
    hypotheses, references = lines(sys.argv[1]), lines(sys.argv[2])
    print(BLEU(force=True).corpus_score(hypotheses, [references]).score)


if __name__ == "__main__":
    main()
