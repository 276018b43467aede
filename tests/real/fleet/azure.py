"""The checks of azure.sh:  azure.py FOLDER ELOPHANTO. Starts Azurite, whose log is FOLDER/server.log."""

import base64
import collections
import concurrent.futures
import hashlib
import hmac
import itertools
import json
import os
import pathlib
import re
import subprocess
import sys
import time
import traceback
import urllib.request
from email.utils import formatdate

tmp, elophanto = pathlib.Path(sys.argv[1]), sys.argv[2]
NOTES = {
    "acme/sea": ("otters", "Sea otters hold hands when they sleep.", "how do otters sleep"),
    "acme/land": ("badgers", "Badgers dig their setts in woods.", "where do badgers dig"),
    "other/shore": ("crabs", "Hermit crabs move into larger shells.", "what do hermit crabs move into"),
}
# Azurite's own, as its manual prints it.
ACCOUNT = "devstoreaccount1"
KEY = "Eby8vdM02xNOcqFlqUwJPLlmEtlCDXJ1OUzFT50uSRZ6IFsuFq2UVErCz4I6tq/K1SZFPTOtr/KBHBeksoGMGw=="
Done = collections.namedtuple("Done", "code out err")
counts, caches = collections.Counter(), itertools.count()


def check(what, is_right, seen=""):
    counts[bool(is_right)] += 1
    print(f"ok: {what}" if is_right else f"FAILED: {what}: {str(seen)[-900:]}", flush=True)


def run(keys, *args, cwd=tmp, cache=None):
    """Each time with an empty cache, unless one is given."""
    own = keys | {"XDG_CACHE_HOME": str(cache or tmp / f"cache{next(caches)}")}
    done = subprocess.run([elophanto, *args], cwd=cwd, env=os.environ | own, stdin=subprocess.DEVNULL,
                          capture_output=True, text=True, timeout=300)
    lines = [json.loads(line) for line in done.stdout.splitlines() if line.startswith("{")]
    return Done(done.returncode, lines, done.stderr)


def commit(name, note, text):
    """Writes a note, and commits it with the index. The commit."""
    def git(*args):
        who = ["-c", "user.name=Ada", "-c", "user.email=ada@harbour.test", "-c", "init.defaultBranch=main"]
        return subprocess.run(["git", *who, *args], cwd=tmp / name, check=True, capture_output=True, text=True).stdout

    (tmp / name / "knowledge").mkdir(parents=True, exist_ok=True)
    git("init", "-q")
    (tmp / name / f"knowledge/{note}.md").write_text(f"# {note.title()}\n\n{text}\n")
    indexed = run({}, "index", "--yes", cwd=tmp / name)
    git("add", "-A")
    git("commit", "-qm", "Notes")
    assert indexed.code == 0 and ".elophanto/index" in git("ls-files"), indexed
    return git("rev-parse", "HEAD").strip()


def check_all(keys, wrong):
    kb, new, nowhere = "az://fleet/team/kb", "az://fleet/new", "az://nowhere/kb"

    def publish(name, url=kb, *more, with_keys=keys):
        return run(with_keys, "publish", url, "--as", name, "--yes", "--json", *more, cwd=tmp / name)

    def fold(url=kb):
        return run(keys, "publish", "--fold", url, "--json")

    def search(question, *more, **rest):
        return run(keys, "search", "--in", kb, "--json", question, *more, **rest)

    def is_first(found, name, note, head):
        said = found.out and tuple(found.out[0][key] for key in ("repository", "path", "commit"))
        return found.code == 0 and said == (name, f"{name}/knowledge/{note}.md", head)

    def repositories(done):
        return {line["repository"] for line in done.out}

    heads = {name: commit(name, note, text) for name, (note, text, _) in NOTES.items()}
    done = publish("acme/sea", nowhere)
    check("a container that does not exist is said: exit code 2",
          done.code == 2 and "no bucket of the name" in done.err, done)
    made = [publish(name) for name in NOTES]
    check("three repositories are published, the first after the store was seen to refuse a second create",
          [("created", heads[name]) for name in NOTES]
          == [(line["outcome"], line["commit"]) for done in made for line in done.out], made)
    again = [publish(name) for name in NOTES]
    check("published twice is once",
          all(done.code == 0 and done.out[0]["outcome"] == "before" for done in again), again)
    with concurrent.futures.ThreadPoolExecutor(3) as threads:
        both = list(threads.map(fold, [kb, kb]))
        rows = run(keys, "publish", "--export", "ndjson", kb)
        check("two fold at once: each publication is taken once",
              all(done.code == 0 for done in both) and sum(done.out[0]["taken"] for done in both) == 3
              and len(rows.out) == 3 and repositories(rows) == set(NOTES), (both, rows))
        three, done = list(threads.map(publish, NOTES, [new] * 3)), fold(new)
        check("three publish at once where nothing is yet: all are folded",
              all(one.code == 0 for one in three) and done.code == 0 and done.out[0]["taken"] == 3, (three, done))
    for name, (note, _, question) in NOTES.items():
        found = search(question, cache=tmp / f"kept-{note}")
        check(f"search with nothing kept finds {name}", is_first(found, name, note, heads[name]), found)
    head = commit("acme/sea", "otters", "Sea otters sleep wrapped in kelp.")
    done, exported = (publish("acme/sea"), fold()), str(run(keys, "publish", "--export", "ndjson", kb).out)
    found = [search("how do otters sleep", cache=cache) for cache in (None, tmp / "kept-otters")]
    check("a changed note is found, by who kept files of the old state too, and its old text is gone",
          all(is_first(one, "acme/sea", "otters", head) and "kelp" in one.out[0]["snippet"] for one in found)
          and "kelp" in exported and "hold hands" not in exported, (done, found))
    done, listed = (publish("acme/land", kb, "--retire"), fold()), run(keys, "publish", "--list", "--json", kb)
    found = search("otters badgers crabs")
    check("what is retired is neither found nor listed, the rest is",
          repositories(listed) == repositories(found) == {"acme/sea", "other/shore"}, (done, listed, found))
    done = fold()
    check("nothing is left in the inbox", done.code == 0 and done.out[0]["taken"] == 0
          and done.out[0]["dropped"] == 0, done)
    done = publish("acme/sea", with_keys=wrong), run(wrong, "search", "--in", kb, "otters")
    check("a wrong key is refused: exit code 2, and what to check",
          all(one.code == 2 and "refuses the key" in one.err and "hint: check the key" in one.err for one in done), done)


def made(address):
    """Makes the container, in the way of Azure: with a signature of the account."""
    date, version = formatdate(usegmt=True), "2021-12-02"
    said = f"PUT{chr(10) * 12}x-ms-date:{date}\nx-ms-version:{version}\n/{ACCOUNT}/{ACCOUNT}/fleet\nrestype:container"
    signed = base64.b64encode(hmac.digest(base64.b64decode(KEY), said.encode(), hashlib.sha256)).decode()
    headers = {"x-ms-date": date, "x-ms-version": version, "Content-Type": "", "Authorization": f"SharedKey {ACCOUNT}:{signed}"}
    request = urllib.request.Request(f"{address}/fleet?restype=container", data=b"", method="PUT", headers=headers)
    urllib.request.urlopen(request, timeout=10).close()


log = tmp / "server.log"
server = subprocess.Popen(["node", tmp / "npm/node_modules/azurite/dist/src/blob/main.js", "--blobHost", "127.0.0.1",
                           "--blobPort", "0", "--location", tmp / "data", "--skipApiVersionCheck", "--disableTelemetry"],
                          cwd=tmp, stdout=log.open("w"), stderr=subprocess.STDOUT)
try:
    while not (said := re.search(r"listens on (http://127\.0\.0\.1:\d+)", log.read_text())):
        assert server.poll() is None, log.read_text()
        time.sleep(0.2)
    address = f"{said[1]}/{ACCOUNT}"
    made(address)
    keys = {"AZURE_STORAGE_ENDPOINT": address, "AZURE_STORAGE_ACCOUNT_NAME": ACCOUNT, "AZURE_STORAGE_ACCOUNT_KEY": KEY}
    check_all(keys, keys | {"AZURE_STORAGE_ACCOUNT_KEY": base64.b64encode(b"wrong").decode()})
except Exception:
    check("the checks come to their end", False, traceback.format_exc())
finally:
    server.kill()
print(f"{counts[True]} passed, {counts[False]} failed")
sys.exit(counts[False] > 0)
