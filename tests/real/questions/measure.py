#!/usr/bin/env python3
"""measure.py [CRATE ...]: how often the right file is among the first five, per code base.

Describes each code base from its own words alone (`scan --investigate --all`, no language model),
asks every question, and counts. Beside that: the files that a plain text search for the question's
best word finds, those with most occurrences first. ELOPHANTO names the program.
"""
import glob, json, os, re, shutil, subprocess, sys, tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
CRATES = {
    "rustls": "rustls-0.23.46",
    "object_store": "object_store-0.14.2",
    "datafusion-physical-plan": "datafusion-physical-plan-54.1.0",
    "h2": "h2-0.4.20",
    "clap_builder": "clap_builder-4.6.7",
    # Of a Python 3.13.0 whose site-packages PIP names.
    "pip": os.environ.get("PIP", "pip"),
}
PROGRAM = os.environ.get("ELOPHANTO", "elophanto")
HOW = [[], ["--kind", "summary"]]


def main():
    shown = sys.argv[1:] or list(CRATES)
    home = tempfile.mkdtemp()
    registry = os.path.expanduser("~/.cargo/registry/src/*/")
    env = {"PATH": os.environ["PATH"], "HOME": home, "GIT_CONFIG_GLOBAL": "/dev/null"}
    env["ELOPHANTO_KNOWLEDGE_EMBEDDING_PROVIDER"] = os.environ.get("MODEL", "builtin")
    total = [[0, 0, 0] for _ in HOW]
    print("| code base | questions | first | first five | `--kind summary`: first | first five | text search: first | first five |")
    print("| --- | --- | --- | --- | --- | --- | --- | --- |")
    all_rows, count = [0] * 6, 0
    for name in shown:
        source = glob.glob(os.path.join(registry, CRATES[name]))
        if not source:
            print(f"{CRATES[name]} is not in cargo's registry", file=sys.stderr)
            continue
        folder = os.path.join(home, name)
        shutil.copytree(source[0], folder, ignore=shutil.ignore_patterns("__pycache__"))
        git = ["git", "-C", folder, "-c", "user.name=a", "-c", "user.email=a@example.org"]
        subprocess.run(git + ["init", "-q"], env=env, check=True)
        subprocess.run(git + ["add", "-A"], env=env, check=True)
        subprocess.run(git + ["commit", "-qm", "all"], env=env, check=True)
        scan = [PROGRAM, "scan", "--investigate", "--all", "--json"]
        run = subprocess.run(scan, cwd=folder, env=env, capture_output=True, text=True)
        if run.returncode:
            sys.exit(run.stderr)
        with open(os.path.join(HERE, name + ".jsonl")) as lines:
            questions = [json.loads(line) for line in lines]
        row = []
        for how in HOW:
            ranks = [rank(ask(question, how, folder, env), question) for question in questions]
            row += [sum(r == 1 for r in ranks), sum(r <= 5 for r in ranks)]
            if os.environ.get("VERBOSE") and how:
                for question, r in zip(questions, ranks):
                    print(f"  {r:3} {question['id']} {question['files'][0]}: {question['question']}", file=sys.stderr)
        ranks = [rank(grep(question.get("word"), folder), question) for question in questions]
        row += [sum(r == 1 for r in ranks), sum(r <= 5 for r in ranks)]
        print(f"| {name} | {len(questions)} | " + " | ".join(map(str, row)) + " |")
        all_rows, count = [a + b for a, b in zip(all_rows, row)], count + len(questions)
    share = [f"{n} ({100 * n // max(count, 1)} %)" for n in all_rows]
    print(f"| all | {count} | " + " | ".join(share) + " |")
    shutil.rmtree(home)


def ask(question, how, folder, env):
    """Paths of the hits, best first."""
    command = [PROGRAM, "search", "--json", "-n", "20", *how, question["question"]]
    run = subprocess.run(command, cwd=folder, env=env, capture_output=True, text=True)
    paths = [json.loads(line)["path"] for line in run.stdout.splitlines()]
    return list(dict.fromkeys(paths))


def grep(word, folder):
    """Files that hold the word, those with most occurrences first."""
    found = []
    if not word:
        return found
    for path in glob.glob(os.path.join(folder, "**"), recursive=True):
        if os.path.isfile(path) and not path.endswith((".pem", ".der", ".lock")):
            with open(path, errors="replace") as file:
                count = len(re.findall(re.escape(word), file.read(), re.IGNORECASE))
            if count:
                found.append((-count, os.path.relpath(path, folder)))
    return [path for _, path in sorted(found)]


def rank(paths, question):
    ranks = [paths.index(file) + 1 for file in question["files"] if file in paths]
    return min(ranks, default=999)


main()
