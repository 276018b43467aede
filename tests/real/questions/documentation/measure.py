#!/usr/bin/env python3
"""measure.py FOLDER [sentences|lines|asked]: what `sure` and `--answer` are worth on questions about documentation.

FOLDER holds a clone of each project of the README, by the names of the files here, or of those in
`sentences`, which say what the sentence must hold that answers, or `lines`, which say where it stands. ELOPHANTO names the program, MODEL
the provider (`builtin` by default).
"""
import json, os, re, subprocess, sys, tempfile

HERE = os.path.join(os.path.dirname(os.path.abspath(__file__)), *sys.argv[2:3])
PROGRAM = os.environ.get("ELOPHANTO", "elophanto")
ENV = {
    "PATH": os.environ["PATH"],
    "HOME": tempfile.mkdtemp(),
    "GIT_CONFIG_GLOBAL": "/dev/null",
    "ELOPHANTO_KNOWLEDGE_EMBEDDING_PROVIDER": os.environ.get("MODEL", "builtin"),
    # Reads the same whatever the machine.
    "ELOPHANTO_SEARCH_SECOND_LOOK": os.environ.get("ELOPHANTO_SEARCH_SECOND_LOOK", "always"),
}


def run(folder, *arguments):
    done = subprocess.run([PROGRAM, *arguments], cwd=folder, env=ENV, capture_output=True, text=True)
    return [json.loads(line) for line in done.stdout.splitlines() if line.startswith("{")]


def ask(folder, question):
    hits = run(folder, "search", "--json", "-n", "10", question["question"])
    files = list(dict.fromkeys(hit["path"] for hit in hits))
    level = hits[0]["confidence"]["level"] if hits else "nothing found"
    rank = min((files.index(file) + 1 for file in question["files"] if file in files), default=99)
    answer = run(folder, "search", "--answer", "--json", question["question"])[0]
    first = answer["citations"][0]["path"] if answer["citations"] else None
    # What begins with white space belongs to the line above.
    quoted = re.split(r"\n(?! )", answer.get("answer") or "")
    says = [bool(re.search(question.get("says", "$^"), line)) for line in quoted]
    if "lines" in question:
        says = [any(cited["path"] == path and start <= cited["line"] <= end
                    for path, start, end in question["lines"]) for cited in answer["citations"]] or [False]
    right = first in question["files"]
    return bool(question["files"]), level, rank, answer["sufficient"], right, says[0], any(says)


def main():
    rows = []
    for name in sorted(file for file in os.listdir(HERE) if file.endswith(".jsonl")):
        folder = os.path.join(sys.argv[1], name.removesuffix(".jsonl"))
        run(folder, "index")
        with open(os.path.join(HERE, name)) as lines:
            rows += [ask(folder, json.loads(line)) for line in lines]
    own, others = [row for row in rows if row[0]], [row for row in rows if not row[0]]
    print("| level | questions | right file first | among five | unanswerable |")
    print("| --- | --- | --- | --- | --- |")
    for level in ["sure", "perhaps", "probably nothing", "nothing found"]:
        of = [row for row in own if row[1] == level]
        first, five = (sum(row[2] <= most for row in of) for most in (1, 5))
        print(f"| {level} | {len(of)} | {first} | {five} | {sum(row[1] == level for row in others)} |")
    answered, right = sum(row[3] for row in own), sum(row[3] and row[4] for row in own)
    wrong = sum(row[3] for row in others)
    print(f"\nanswered: {answered} of {len(own)}, {right} of them from the right file first; "
          f"and {wrong} of {len(others)} that have no answer")
    if sys.argv[2:]:
        print(f"the sentence that answers: first {sum(row[5] for row in own)}, "
              f"among three {sum(row[6] for row in own)}")


main()
