"""The checks of moto.sh:  moto.py FOLDER ELOPHANTO. Starts moto's server, whose log is FOLDER/server.log."""

import collections
import concurrent.futures
import itertools
import json
import os
import pathlib
import random
import re
import subprocess
import sys
import time
import traceback

import boto3
import requests

tmp, elophanto = pathlib.Path(sys.argv[1]), sys.argv[2]
KB, PAGES, NEW = "s3://fleet-bucket/team/kb", "s3://fleet-bucket/pages", "s3://fleet-bucket/new"
NOTES = {
    "acme/sea": ("otters", "Sea otters hold hands when they sleep.", "how do otters sleep"),
    "acme/land": ("badgers", "Badgers dig their setts in woods.", "where do badgers dig"),
    "other/shore": ("crabs", "Hermit crabs move into larger shells.", "what do hermit crabs move into"),
}
Done = collections.namedtuple("Done", "code out err")
counts, caches, read, ALL = collections.Counter(), itertools.count(), 0, "otters badgers crabs"


def check(what, is_right, seen=""):
    counts[bool(is_right)] += 1
    print(f"ok: {what}" if is_right else f"FAILED: {what}: {str(seen)[-900:]}", flush=True)


def run(*args, cwd=tmp, cache=None, key="key", secret="secret"):
    """Each time with an empty cache, unless one is given."""
    own = {"AWS_ENDPOINT_URL": address, "AWS_REGION": "us-east-1", "AWS_ACCESS_KEY_ID": key,
           "AWS_SECRET_ACCESS_KEY": secret, "XDG_CACHE_HOME": str(cache or tmp / f"cache{next(caches)}")}
    done = subprocess.run([elophanto, *args], cwd=cwd, env=os.environ | own, stdin=subprocess.DEVNULL,
                          capture_output=True, text=True, timeout=300)
    lines = [json.loads(line) for line in done.stdout.splitlines() if line.startswith("{")]
    return Done(done.returncode, lines, done.stderr)


def publish(name, url=KB, *more, **keys):
    return run("publish", url, "--as", name, "--yes", "--json", *more, cwd=tmp / name, **keys)


def fold(url=KB, **keys):
    return run("publish", "--fold", url, "--json", **keys)


def search(question, *more, url=KB, **keys):
    return run("search", "--in", url, "--json", question, *more, **keys)


def repositories(done):
    return {line["repository"] for line in done.out}


def is_first(found, *expected):
    """Whether the first hit has this repository, path and commit."""
    return found.code == 0 and tuple(found.out[0][key] for key in ("repository", "path", "commit")) == expected


def commit(name, notes):
    """Writes notes, and commits them with the index. The commit."""
    def git(*args):
        who = ["-c", "user.name=Ada", "-c", "user.email=ada@harbour.test", "-c", "init.defaultBranch=main"]
        return subprocess.run(["git", *who, *args], cwd=tmp / name, check=True, capture_output=True, text=True).stdout

    (tmp / name / "knowledge").mkdir(parents=True, exist_ok=True)
    git("init", "-q")
    for note, text in notes.items():
        (tmp / name / f"knowledge/{note}.md").write_text(f"# {note.title()}\n\n{text}\n")
    indexed = run("index", "--yes", cwd=tmp / name)
    git("add", "-A")
    git("commit", "-qm", "Notes")
    assert indexed.code == 0 and ".elophanto/index" in git("ls-files"), indexed
    return git("rev-parse", "HEAD").strip()


def put(name, **more):
    """Something unless it is refused with 412."""
    try:
        return s3.put_object(Bucket="fleet-bucket", Key=name, Body=b"x", **more)
    except s3.exceptions.ClientError as cause:
        if cause.response["ResponseMetadata"]["HTTPStatusCode"] != 412:
            raise


def names(prefix):
    pages = s3.get_paginator("list_objects_v2").paginate(Bucket="fleet-bucket", Prefix=prefix)
    return [found["Key"] for page in pages for found in page.get("Contents", [])]


def asked(pattern):
    """What such requests were answered with since this was last called."""
    global read
    lines = log.read_text(errors="replace").splitlines()
    new, read = lines[read:], len(lines)
    return [line.rsplit('"', 1)[1].split()[0] for line in new if re.search(pattern, line)]


def check_all(threads):
    nowhere = publish("acme/sea", "s3://no-bucket/kb")
    check("a bucket that does not exist is said, with what to do: exit code 2",
          nowhere.code == 2 and "no bucket of the name" in nowhere.err and "hint: make the bucket" in nowhere.err, nowhere)
    made = [publish(name) for name in NOTES]
    check("three repositories are published, each at its commit", [("created", heads[name]) for name in NOTES]
          == [(line["outcome"], line["commit"]) for done in made for line in done.out], made)
    tried, there = asked("PUT /fleet-bucket/team/kb/probe/"), names("team/kb/")
    check("the store is tried once: moto refuses a second create with 412, and nothing of that is left",
          tried == ["200", "412"] and not names("team/kb/probe"), (tried, there))
    again = [publish(name) for name in NOTES]
    check(f"published twice is once: {len(there)} objects", len(there) == 4 and names("team/kb/") == there
          and all(done.code == 0 and done.out[0]["outcome"] == "before" for done in again), (again, names("team/kb/")))
    made = [sum(map(bool, threads.map(lambda _: put(f"race/{one}", IfNoneMatch="*"), range(8)))) for one in range(40)]
    if made == [1] * 40:
        both = list(threads.map(fold, [KB, KB]))
        refused, rows = asked("PUT /.*/_versions/").count("412"), run("publish", "--export", "ndjson", KB)
        check(f"two fold at once ({refused} commits refused with 412): each publication is taken once, none is left",
              all(done.code == 0 for done in both) and sum(done.out[0]["taken"] for done in both) == 3
              and len(rows.out) == 3 and repositories(rows) == set(NOTES) and not names("team/kb/inbox"), (both, rows))
        three, done = list(threads.map(publish, NOTES, [NEW] * 3)), fold(NEW)
        check("three publish at once where nothing is yet: all are folded",
              all(one.code == 0 for one in three) and done.code == 0 and done.out[0]["taken"] == 3, (three, done))
    else:
        print(f"skipped: two at once: moto let {max(made)} of 8 create one object", flush=True)
        fold()
    for name, (note, _, question) in NOTES.items():
        found = search(question, cache=tmp / f"kept-{note}")
        check(f"search with nothing kept finds {name}: repository, file and commit",
              is_first(found, name, f"{name}/knowledge/{note}.md", heads[name]), found)
    every, one = repositories(search(ALL)), repositories(search(ALL, "--repo", "shore"))
    check("--repo leaves one repository of three", every == set(NOTES) and one == {"other/shore"}, (every, one))
    sea = "acme/sea", "acme/sea/knowledge/otters.md", commit("acme/sea", {"otters": "Sea otters sleep wrapped in kelp."})
    done, exported = (publish("acme/sea"), fold()), str(run("publish", "--export", "ndjson", KB).out)
    found = [search("how do otters sleep", cache=cache) for cache in (None, tmp / "kept-otters")]
    check("a changed note is found, by who kept files of the old state too, and its old text is gone",
          all(is_first(one, *sea) and "kelp" in one.out[0]["snippet"] for one in found)
          and "kelp" in exported and "hold hands" not in exported, (done, found))
    done, listed, found = (publish("acme/land", KB, "--retire"), fold()), run("publish", "--list", "--json", KB), search(ALL)
    check("what is retired is neither found nor listed, the rest is",
          repositories(listed) == repositories(found) == {"acme/sea", "other/shore"}, (done, listed, found))
    # The newest is the last by name, on the second page of 1,000.
    publish("acme/sea", PAGES)
    put("pages-of-others/inbox/note")
    list(threads.map(lambda one: put(f"pages/inbox/acme+sea/0-1-{one:040x}.arrow"), range(1100)))
    waiting, _ = len(names("pages/inbox/")), asked("")
    done, pages = fold(PAGES), asked("continuation-token")
    check(f"of {waiting} publications the newest is taken, older ones go, neighbours of the place stay",
          waiting == 1101 and done.code == 0 and (done.out[0]["taken"], done.out[0]["dropped"]) == (1, 1100) and pages
          and not names("pages/inbox") and names("pages-of-others/")
          and is_first(search("how do otters sleep", url=PAGES), *sea), (done.err[-200:], done.out, waiting, pages))
    dice, parts = random.Random(7), "ka mo ri te lun sar vo pi dor el ny zu bra fen".split()
    texts = {f"note{one}": " ".join("".join(dice.choices(parts, k=4)) + dice.choice(["", "", "", ".\n\n"])
                                    for _ in range(12_000)) for one in range(40)}
    texts["note39"] += "\n\nThe lighthouse keeper polishes the lens on Fridays."
    head = commit("acme/large", texts)
    done, parts = (publish("acme/large"), fold()), len(asked("PUT /.*uploadId="))
    check(f"a large repository is uploaded in {parts} parts, and found", parts > 1 and is_first(
        search("the lens of the lighthouse"), "acme/large", "acme/large/knowledge/note39.md", head), (done, parts))


def user(iam, name, actions, on="*"):
    """A key that may do this."""
    allow = {"Statement": {"Effect": "Allow", "Action": actions, "Resource": f"arn:aws:s3:::{on}"}, "Version": "2012-10-17"}
    iam.create_user(UserName=name)
    iam.put_user_policy(UserName=name, PolicyName=name, PolicyDocument=json.dumps(allow))
    made = iam.create_access_key(UserName=name)["AccessKey"]
    return {"key": made["AccessKeyId"], "secret": made["SecretAccessKey"]}


def is_refused(done):
    return done.code == 2 and not done.out and "refuses the key" in done.err and "hint: check the key" in done.err


def check_keys(iam):
    """Last, for from here on moto looks at each signature."""
    right, reader = user(iam, "all", "s3:*"), user(iam, "reader", ["s3:Get*", "s3:List*"])
    # Moto takes a resource for a regular expression: no name with a slash, which becomes a plus.
    job = user(iam, "job", "s3:PutObject", "fleet-bucket/team/kb/inbox/lake/*")
    requests.post(f"{address}/moto-api/reset-auth", data="0").raise_for_status()
    question, shore = NOTES["other/shore"][2], ("other/shore", "other/shore/knowledge/crabs.md", heads["other/shore"])
    done, found = fold(**right), search(question, **right)
    check("moto takes the program's signatures", done.code == 0 and is_first(found, *shore), (done, found))
    for what, wrong in {"a wrong secret": right | {"secret": "wrong"}, "an unknown key": {"key": "AKIAUNKNOWN"}}.items():
        done = search(question, **wrong), fold(**wrong), publish("acme/land", **wrong)
        check(f"{what} is refused: exit code 2, and what to check", all(map(is_refused, done)), done)
    found, done = search(question, **reader), publish("acme/land", **reader)
    check("a key that may only read finds, and publishes nothing", is_first(found, *shore) and is_refused(done), (found, done))
    (tmp / "acme/land").rename(tmp / "lake")
    done, others = publish("lake", **job), run("publish", KB, "--as", "sea", "--yes", cwd=tmp / "lake", **job)
    check("a key that may only create in one folder of the inbox publishes there, is told what it cannot see, and "
          "publishes nowhere else", done.code == 0 and "publish with `--epoch`" in done.err and is_refused(others) and fold(**right).out[0]["taken"] == 1, (done, others))


log = tmp / "server.log"
server = subprocess.Popen(["moto_server", "-H", "127.0.0.1", "-p", "0"], stdout=log.open("w"), stderr=subprocess.STDOUT)
try:
    while not (said := re.search(r"http://127\.0\.0\.1:\d+", log.read_text())):
        assert server.poll() is None, log.read_text()
        time.sleep(0.2)
    address = said[0]
    own = {"endpoint_url": address, "aws_access_key_id": "key", "aws_secret_access_key": "secret"}
    s3 = boto3.client("s3", "us-east-1", **own)
    s3.create_bucket(Bucket="fleet-bucket")
    heads = {name: commit(name, {note: text}) for name, (note, text, _) in NOTES.items()}
    with concurrent.futures.ThreadPoolExecutor(8) as threads:
        check_all(threads)
    check_keys(boto3.client("iam", "us-east-1", **own))
except Exception:
    check("the checks come to their end", False, traceback.format_exc())
finally:
    server.kill()
print(f"{counts[True]} passed, {counts[False]} failed")
sys.exit(counts[False] > 0)
