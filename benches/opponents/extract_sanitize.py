"""Extracts the code of chat replies with EvalPlus's sanitize, and keeps the replies for assay.

usage: python3 extract_sanitize.py wizard|mapcoder ANSWERS.jsonl INTO

wizard    lines of WizardCoder's evaluation, whose "all_code" has the prompt and the reply
mapcoder  lines of MapCoder's comparison; the last of the "responses" is the reply

Writes INTO.replies.jsonl and INTO.sanitized.jsonl.
"""
import json
import re
import sys

from evalplus.sanitize import sanitize

RESPONSE = "### Response:"


def wizard(line):
    code = line["all_code"]
    prompt, reply = code.split(RESPONSE, 1)
    return line["task_id"], reply, re.findall(r"^def (\w+)", prompt, re.MULTILINE)[-1]


def mapcoder(line):
    replies = line["responses"]
    reply = replies[-1] if isinstance(replies, list) else replies
    return line.get("name", line["task_id"]), reply, line["entry_point"]


def main():
    shape, answers, into = sys.argv[1:]
    read = {"wizard": wizard, "mapcoder": mapcoder}[shape]
    with (
        open(answers) as lines,
        open(into + ".replies.jsonl", "w") as replies,
        open(into + ".sanitized.jsonl", "w") as sanitized,
    ):
        for line in lines:
            name, reply, entry_point = read(json.loads(line))
            replies.write(json.dumps({"task_id": name, "completion": reply}) + "\n")
            code = sanitize(reply, entry_point)
            sanitized.write(json.dumps({"task_id": name, "solution": code}) + "\n")


if __name__ == "__main__":
    main()
