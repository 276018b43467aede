"""The checks of run.sh:  check.py FOLDER ELOPHANTO, with a cluster whose address is in FOLDER/address."""

import collections
import json
import os
import pathlib
import signal
import subprocess
import sys
import time

import lance

tmp, elophanto = pathlib.Path(sys.argv[1]), sys.argv[2]
driver = pathlib.Path(__file__).resolve().parents[3] / "fleet/ray/driver.py"
address = (tmp / "address").read_text()
raylets = [int(line) for line in (tmp / "raylets").read_text().split()]

SUBJECTS = ["harbour", "bakery", "orchard", "library", "workshop", "station", "museum", "garden", "mill", "school"]
WORDS = ["ferry", "oven", "apples", "shelves", "lathe", "signals", "statues", "roses", "flour", "pupils"]
PEOPLE = ["Ines", "Tomas", "Greta", "Olaf", "Mira"]
QUESTIONS = [
    "who keeps the ferry of the harbour",
    "when is the oven lit",
    "apples in autumn",
    "which shelves are dusty",
    "who may use the lathe",
    "signals at night",
    "where do the statues come from",
    "watering roses",
    "how is flour stored",
    "what do pupils learn about keys",
]
COUNT = 50


def check(what, is_right, seen=""):
    print(f"ok: {what}" if is_right else f"FAILED: {what}: {seen}", flush=True)


def run(*command, cwd=None, right=(0,)):
    done = subprocess.run(command, cwd=cwd, capture_output=True, text=True)
    if done.returncode not in right:
        raise RuntimeError(f"{command} ended with {done.returncode}: {done.stderr}")
    return done.stdout


# ---------------------------------------------------------------- repositories

def commit(repository, number):
    day = f"2026-03-{1 + number % 28:02}T12:00:00Z"
    run("git", "add", "-A", cwd=repository)
    who = ["-c", "user.name=Ada", "-c", "user.email=ada@harbour.test"]
    run("env", f"GIT_AUTHOR_DATE={day}", f"GIT_COMMITTER_DATE={day}", "git", *who, "commit", "-qm", "Notes",
        cwd=repository)


def make_repository(number):
    repository = tmp / "repositories" / f"r{number:02}"
    repository.mkdir(parents=True)
    run("git", "-c", "init.defaultBranch=main", "init", "-q", ".", cwd=repository)
    for part in range(4):
        at = (number + 3 * part) % len(SUBJECTS)
        subject, word, who = SUBJECTS[at], WORDS[at], PEOPLE[(number + part) % len(PEOPLE)]
        (repository / f"{subject}.md").write_text(
            f"# The {subject} of house {number}\n\n{who} keeps the {word} of the {subject} and has the {number + 2} "
            f"keys.\n\n## Hours\n\nThe {subject} opens at {6 + (number * part) % 5}, and the {word} are looked after "
            f"at night by {PEOPLE[(number * part) % len(PEOPLE)]}.\n"
        )
    commit(repository, number)
    return repository


def write_list(name, repositories):
    path = tmp / name
    lines = [f"{shell(source)} fleet/{label}" for label, source in repositories.items()]
    path.write_text("# What is published\n\n" + "\n".join(lines) + "\n")
    return path


def shell(path):
    return f"'{path}'"


# ---------------------------------------------------------------- the driver, and what is found

def start(repositories, url, *more):
    command = [sys.executable, driver, repositories, url, "--elophanto", elophanto, "--address", address, *more]
    return subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)


def drive(repositories, url, *more):
    """Exit code, standard output, and seconds."""
    begun = time.monotonic()
    process = start(repositories, url, *more)
    out, err = process.communicate(timeout=900)
    sys.stderr.write(err)
    return process.returncode, out, time.monotonic() - begun


def after(process, results):
    """Waits until the driver has so many results."""
    for line in process.stderr:
        sys.stderr.write(line)
        if line.startswith(f"{results}/"):
            return
    raise RuntimeError(f"the driver ended early: {process.stdout.read()}")


def finish(process):
    out, err = process.communicate(timeout=900)
    sys.stderr.write(err)
    return process.returncode, out


def processes():
    """Parent and title of each process."""
    found = {}
    for line in run("ps", "-eo", "pid=,ppid=,args=").splitlines():
        pid, parent, title = line.split(None, 2)
        found[int(pid)] = (int(parent), title)
    return found


def workers():
    """Workers of our cluster that publish at this moment."""
    return [pid for pid, (parent, title) in processes().items() if parent in raylets and "ray::publish" in title]


def kill_one(of, what):
    """Kills one of what `of` finds, as soon as there is one."""
    for _ in range(600):
        for pid in of():
            try:
                os.kill(pid, signal.SIGKILL)
                return pid
            except ProcessLookupError:
                continue
        time.sleep(0.02)
    raise RuntimeError(f"never a {what} to kill")


def programs():
    """`elophanto` as our workers run it."""
    seen = processes()
    mine = workers()
    return [pid for pid, (parent, title) in seen.items() if parent in mine and title.startswith(elophanto)]


def heads(url):
    out = run(elophanto, "publish", "--list", "--json", url, right=(0, 1))
    return {head["repository"]: (head["commit"], head["chunks"]) for head in map(json.loads, out.splitlines())}


def chunks(url):
    """All chunks, as often as they are there."""
    lines = run(elophanto, "publish", "--export", "ndjson", url).splitlines()
    return collections.Counter(lines)


def hits(url, question):
    """All that is said of each hit, but how sure it is: a table that is tended differs in that by a hundredth
    from one that is not, whoever published."""
    found = map(json.loads, run(elophanto, "search", "--in", url, "--json", question, right=(0, 1)).splitlines())
    return [dict(hit, confidence=None) for hit in found]


def are_same(one, other):
    """The same hits in the same order. Of many that stand alike some are read, as they lie in the table, and what
    is read last moves the scale of all a little."""
    pairs = list(zip(one, other))
    return len(one) == len(other) and all(
        abs(a["score"] - b["score"]) < 0.001 and dict(a, score=0) == dict(b, score=0) for a, b in pairs)


def answers(url):
    return [hits(url, question) for question in QUESTIONS]


def segments(place):
    """Rows and segments of each index of the one table."""
    table = lance.dataset(str(next(place.glob("chunks-*.lance"))))
    return {index.name: (index.num_rows_indexed, len(index.segments)) for index in table.describe_indices()}


def left_in_inbox(place):
    return len(list((place / "inbox").rglob("*.arrow")))


def is_same(what, url, plain):
    one, other = heads(url), heads(plain)
    check(f"{what}: all repositories, each at its commit", one == other, set(one.items()) ^ set(other.items()))
    one, other = chunks(url), chunks(plain)
    doubled = [line[:120] for line, times in one.items() if times > 1]
    check(f"{what}: {sum(one.values())} chunks, nothing lost and nothing doubled", one == other and not doubled,
          (sum(one.values()), sum(other.values()), doubled[:3], [line[:120] for line in (one - other)][:3]))
    one, other = answers(url), answers(plain)
    different = [question for question, a, b in zip(QUESTIONS, one, other) if not are_same(a, b)]
    check(f"{what}: {len(QUESTIONS)} questions are answered as from one machine", not different and all(one), different)


def declare(place, models):
    place.mkdir(parents=True)
    (place / "kb.json").write_text(json.dumps({"format": 2, "models": models}))


def model(repository, provider):
    """A model as a fleet declares it; its name ends with its dimension."""
    provided = f"ELOPHANTO_KNOWLEDGE_EMBEDDING_PROVIDER={provider}"
    trial = run("env", provided, elophanto, "publish", f"file://{tmp}/kb/none", "--as=x", "--dry-run", "--json",
                cwd=repository)
    name = json.loads(trial)["model"]
    return {"name": name, "dimension": int(name.rsplit("-", 1)[1])}


def publish_plainly(repositories, url):
    for label, source in repositories.items():
        clone = tmp / "plain-clone"
        run("git", "clone", "-q", source, clone)
        run(elophanto, "publish", url, "--as", f"fleet/{label}", "--yes", cwd=clone)
        run("rm", "-rf", clone)
    run(elophanto, "publish", "--fold", url)


def main():
    repositories = {f"r{number:02}": make_repository(number) for number in range(COUNT)}
    everything = write_list("all.list", repositories)
    place = {name: tmp / "kb" / name for name in ("plain", "calm", "workers", "driver", "node", "bad", "strict", "embed")}
    url = {name: f"file://{path}" for name, path in place.items()}

    # The first publication decides on the model of all, if nobody did.
    for name in place.keys() - {"strict", "embed"}:
        declare(place[name], [model(repositories["r00"], "builtin")])
    begun = time.monotonic()
    publish_plainly(repositories, url["plain"])
    plainly = time.monotonic() - begun

    code, out, seconds = drive(everything, url["calm"])
    check(f"{COUNT} repositories are published in {seconds:.0f} s (a plain loop: {plainly:.0f} s)",
          code == 0 and out.endswith(f"{COUNT} published, 0 failed\n"), (code, out[-300:]))
    is_same("nobody is killed", url["calm"], url["plain"])
    before = chunks(url["calm"])
    code, out, seconds = drive(everything, url["calm"])
    check(f"begun again when all is done: nothing is published twice, {seconds:.0f} s",
          code == 0 and out.count("(before") == COUNT and chunks(url["calm"]) == before, (code, out[-300:]))

    process = start(everything, url["workers"])
    for results in (5, 15, 25):
        after(process, results)
        kill_one(workers, "worker")
        kill_one(programs, "program")
    code, out = finish(process)
    check("three workers and three programs are killed: the driver ends well",
          code == 0 and out.endswith(f"{COUNT} published, 0 failed\n"), (code, out[-600:]))
    is_same("workers are killed", url["workers"], url["plain"])

    process = start(everything, url["driver"])
    after(process, 12)
    process.kill()
    process.wait()
    time.sleep(3)
    there = left_in_inbox(place["driver"])
    check(f"the driver is killed: {there} of {COUNT} are published by then", 12 <= there < COUNT, there)
    process = start(everything, url["driver"])
    after(process, 30)
    process.kill()
    process.wait()
    code, out, _ = drive(everything, url["driver"])
    known = out.count("(before")
    check(f"begun again twice: it ends well, {known} were there before",
          code == 0 and known >= 12 and out.endswith(f"{COUNT} published, 0 failed\n"), (code, out[-300:]))
    is_same("the driver is killed", url["driver"], url["plain"])

    # What cannot be published is said, and keeps nobody else from it.
    secret = tmp / "repositories/secret"
    secret.mkdir()
    run("git", "-c", "init.defaultBranch=main", "init", "-q", ".", cwd=secret)
    (secret / "key.md").write_text("# Key\n\nThe token is ghp_" + "8fK2mQ7xLw3Zt9Rb5Vn1Yc6Hd4Js0PgAeUiO" + ".\n")
    commit(secret, 1)
    shallow = tmp / "repositories/shallow"
    source = repositories["r00"]
    (source / "more.md").write_text("# More\n\nThe ferry has a new bell.\n")
    commit(source, 2)
    run("git", "clone", "-q", "--depth=1", f"file://{source}", shallow)
    bad = {"secret": secret, "nowhere": tmp / "repositories/nowhere", "shallow": shallow, "r01": repositories["r01"]}
    code, out, _ = drive(write_list("bad.list", bad), url["bad"], "--tries", "2")
    check("what fails is said with its reason, and the rest is published",
          code == 1 and "failed: fleet/secret: error: " in out and "failed: fleet/nowhere: " in out
          and "failed: fleet/shallow: error: this clone is shallow" in out and "published: fleet/r01 " in out
          and out.endswith("1 published, 3 failed\n"), (code, out))

    # Vectors are those that are committed; with --embed they are made, and nothing is committed.
    pinned = tmp / "repositories/pinned"
    (pinned / ".elophanto").mkdir(parents=True)
    run("git", "-c", "init.defaultBranch=main", "init", "-q", ".", cwd=pinned)
    (pinned / ".elophanto/config.yaml").write_text("knowledge:\n  embedding_provider: minilm\n")
    (pinned / "bell.md").write_text("# The bell\n\nThe bell of the ferry is rung twice.\n")
    commit(pinned, 3)
    declare(place["strict"], [model(pinned, provider) for provider in ("minilm", "builtin")])
    few = write_list("few.list", {"pinned": pinned, "r02": repositories["r02"]})
    code, out, _ = drive(few, url["strict"], "--strict")
    check("a chunk without a vector is refused with --strict, and its repository named",
          code == 1 and "failed: fleet/pinned: " in out and "no vector" in out and "published: fleet/r02" in out,
          (code, out))
    code, out, _ = drive(few, url["embed"], "--embed", "minilm", "--strict")
    rows = [json.loads(line) for line in chunks(url["embed"])]
    head = run("git", "rev-parse", "HEAD", cwd=pinned).strip()
    check("with --embed each chunk has a vector of that model, at the commit that is in git",
          code == 0 and heads(url["embed"])["fleet/pinned"] == (head, 1) and len(rows) == 5
          and all(row["vector"] and row["model"].startswith("minilm-") for row in rows), (code, out, len(rows)))

    # A newer state of some; indexes are made by all workers from segments, and tended as ever after that.
    for number in range(1, 6):
        source = repositories[f"r{number:02}"]
        (source / "more.md").write_text(f"# More of {number}\n\nThe ferry of house {number} has a new bell.\n")
        commit(source, number)
    code, out, _ = drive(everything, url["workers"], "--segments-from", "1")
    publish_plainly(repositories, url["plain"])
    made = segments(place["workers"])
    check(f"newer commits are published, and indexes made: rows and segments {made['words']}",
          code == 0 and "failed: " not in out and set(made.values()) == {(256, 2)}, (code, out[-600:], made))
    is_same("indexes from segments", url["workers"], url["plain"])
    run(elophanto, "publish", "--fold", "--tend", url["workers"])
    is_same("tended after that", url["workers"], url["plain"])

    # Vectors have an index from many rows on: here from as many as there are.
    few = (f"import driver, ray; ray.init(address={address!r}, log_to_driver=False, logging_level='warning'); "
           f"driver.WORTH_AN_INDEX = 1; driver.make_indexes({url['workers']!r}, 1, 2)")
    run(sys.executable, "-c", few, cwd=driver.parent)
    made = segments(place["workers"])
    check(f"vectors are indexed by all workers: rows and segments {made.get('vectors')}",
          made.get("vectors", (0, 0))[0] == made["words"][0], made)
    run(elophanto, "publish", "--fold", "--tend", url["workers"])
    check("and each question is answered after that", all(answers(url["workers"])), answers(url["workers"]))

    # Last, for the cluster has one machine less then.
    process = start(everything, url["node"])
    after(process, 10)
    os.kill(raylets[2], signal.SIGKILL)
    code, out = finish(process)
    check("a machine dies: the driver ends well", code == 0 and out.endswith(f"{COUNT} published, 0 failed\n"),
          (code, out[-600:]))
    is_same("a machine dies", url["node"], url["plain"])

    clones = [path.name for path in (tmp / "tmp").glob("elophanto-fleet-*")]
    check(f"clones of what was killed: {len(clones)} left, those of the last minute", len(clones) <= 4, clones)


main()
