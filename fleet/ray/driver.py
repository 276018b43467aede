#!/usr/bin/env python3
"""Publishes many repositories to the place of a fleet, on as many machines as a Ray cluster has.

    driver.py LIST URL [--embed builtin|minilm] [--strict] [--memory] [--elophanto PROGRAM]

LIST has a repository a line: what `git clone` takes, and optionally what it is called there (quoted as in a
shell where it has spaces). README.md beside this says what is done, and what is not.

Exit code 0 if every repository is to be found at the end, 1 if one is not, 2 if nothing could be begun.
"""

import argparse
import dataclasses
import fcntl
import json
import os
import pathlib
import random
import re
import shlex
import shutil
import signal
import subprocess
import sys
import tempfile
import time
import urllib.parse
from collections.abc import Iterator

os.environ.setdefault("RAY_USAGE_STATS_ENABLED", "0")

import ray  # noqa: E402

# Tasks that Ray is told of at once: it keeps each in memory.
MOST_RUNNING = 1_000
# Names of folders of clones, and after how many seconds one that nobody holds is removed.
CLONES = "elophanto-fleet-"
LEFT = 60
# What a clone must not do: run what is configured in it, or what an address names.
CAREFUL = ["core.fsmonitor=false", "safe.bareRepository=explicit", "protocol.ext.allow=never",
           "core.hooksPath=/dev/null"]
# What the program says of a place that answers the next time, perhaps.
PASSING = ("cannot be reached", "did not answer within", "others write to", "in this moment")
# Variables that would name another repository than the clone.
OTHERS = ("GIT_DIR", "GIT_WORK_TREE", "GIT_INDEX_FILE", "GIT_OBJECT_DIRECTORY")
# As `--fold` makes indexes (`crates/tables/src/fleet/table.rs`): what reads them expects these.
WORDS = {"base_tokenizer": "whitespace", "max_token_length": None} | dict.fromkeys(
    ["lower_case", "stem", "remove_stop_words", "ascii_folding", "with_position"], False
)
MOST_TAIL = 1_000
WORTH_AN_INDEX = 10_000
PARTITION = 3_000
BITS = 1


@dataclasses.dataclass(frozen=True)
class Repository:
    source: str
    name: str | None = None

    def __str__(self) -> str:
        return self.name or plain(self.source)


@dataclasses.dataclass(frozen=True)
class Order:
    """What is done with each repository."""

    url: str
    elophanto: str
    embed: str | None
    strict: bool
    memory: bool
    timeout: float
    # Commits that are to be found already, by name.
    known: dict[str, str]


@dataclasses.dataclass(frozen=True)
class Result:
    """`why` is empty unless it failed."""

    name: str
    commit: str = ""
    outcome: str = "failed"
    without_vector: int = 0
    why: str = ""


def plain(text: str) -> str:
    """Without what a terminal would obey, and keys in addresses."""
    text = re.sub(r"//[^/\s]*@", "//", " ".join(text.split()))
    return "".join(letter if letter.isprintable() else "?" for letter in text)


def read_list(path: str) -> list[Repository]:
    found: dict[str, Repository] = {}
    for number, line in enumerate(pathlib.Path(path).read_text(encoding="utf-8").splitlines(), 1):
        if not line.strip() or line.lstrip().startswith("#"):
            continue
        try:
            parts = shlex.split(line)
        except ValueError as cause:
            raise ValueError(f"{path}:{number}: {cause}") from cause
        if len(parts) > 2:
            raise ValueError(f"{path}:{number}: expected an address and perhaps a name")
        address = urllib.parse.urlsplit(parts[0] if "://" in parts[0] else "")
        if address.password is not None or address.query:
            raise ValueError(f"{path}:{number}: a key in an address: git's credential helpers keep it")
        repository = Repository(*parts)
        # As it will be called, or near it.
        name = str(repository).lower().rstrip("/").removesuffix(".git")
        if name in found:
            raise ValueError(f"{path}:{number}: `{repository}` is there twice")
        found[name] = repository
    return list(found.values())


def run(command: list[str], timeout: float, cwd: str, env: dict[str, str], lock: int) -> str:
    """Standard output. Who holds `lock` keeps the folder: this worker, and what it started."""
    with subprocess.Popen(
        command, cwd=cwd, env=env, pass_fds=(lock,), stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
        stderr=subprocess.PIPE, encoding="utf-8", errors="replace", start_new_session=True,
    ) as child:
        try:
            given, said = child.communicate(timeout=timeout)
        except subprocess.TimeoutExpired as cause:
            # And what it started: a connection that stands still would stay.
            os.killpg(child.pid, signal.SIGKILL)
            raise ChildProcessError(f"`{command[0]}` took longer than {timeout:.0f} s") from cause
    if child.returncode < 0:
        raise ChildProcessError(f"`{command[0]}` was ended by signal {-child.returncode}")
    if child.returncode != 0:
        said = plain(said)[-600:] or f"`{command[0]}` ended with exit code {child.returncode}"
        raise (ChildProcessError if any(part in said for part in PASSING) else RuntimeError)(said)
    return given


def sweep(folder: pathlib.Path) -> None:
    """Removes clones of workers that were killed, once what they started has ended too."""
    for left in folder.glob(f"{CLONES}*"):
        try:
            with open(left / "lock", "rb") as lock:
                if time.time() - os.fstat(lock.fileno()).st_mtime > LEFT:
                    fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
                    shutil.rmtree(left, ignore_errors=True)
        except OSError:
            continue


def publish(repository: Repository, order: Order) -> Result:
    """Clones, and publishes. Raises ChildProcessError for what may go better the next time."""
    temporary = pathlib.Path(tempfile.gettempdir())
    sweep(temporary)
    folder = tempfile.mkdtemp(prefix=CLONES, dir=temporary)
    with open(os.path.join(folder, "lock"), "wb") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        try:
            return publish_in(folder, lock.fileno(), repository, order)
        except RuntimeError as cause:
            return Result(str(repository), why=str(cause))
        finally:
            shutil.rmtree(folder, ignore_errors=True)


def publish_in(folder: str, lock: int, repository: Repository, order: Order) -> Result:
    env = {name: value for name, value in os.environ.items() if name not in OTHERS}
    env |= {"GIT_TERMINAL_PROMPT": "0", "GIT_LFS_SKIP_SMUDGE": "1"}
    clone = os.path.join(folder, "clone")

    def git(*arguments: str) -> str:
        careful = [part for setting in CAREFUL for part in ("-c", setting)]
        try:
            return run(["git", *careful, *arguments], order.timeout, folder, env, lock)
        except RuntimeError as cause:
            # A host that does not answer, and one that says no, sound alike.
            time.sleep(random.uniform(0.5, 2))
            raise ChildProcessError(str(cause)) from cause

    if known := order.known.get(str(repository)):
        head = git("ls-remote", "--", repository.source, "HEAD").split()
        if head and head[0] == known:
            return Result(str(repository), known, "before")
    # All of the history: it says which of two states is the newer, and when a note was changed.
    git("clone", "--quiet", "--single-branch", "--no-tags", "--", repository.source, clone)
    # What is agreed to, and settings, belong to nobody here; keys come from variables.
    env["XDG_CONFIG_HOME"] = os.path.join(folder, "config")
    if order.embed:
        env["ELOPHANTO_KNOWLEDGE_EMBEDDING_PROVIDER"] = order.embed
        run([order.elophanto, "index", "--json"], order.timeout, clone, env, lock)
    command = [order.elophanto, "publish", order.url, "--yes", "--json"]
    command += [f"--as={repository.name}"] if repository.name else []
    command += ["--strict"] if order.strict else []
    command += ["--memory"] if order.memory else []
    said = json.loads(run(command, order.timeout, clone, env, lock).splitlines()[0])
    return Result(said["repository"], said["commit"], said["outcome"], said["without_vector"])


def publish_all(repositories: list[Repository], order: Order, tries: int) -> Iterator[Result]:
    """Results as they come. A task is begun again when its worker or its machine dies, too."""
    remote = ray.remote(publish).options(
        num_cpus=1, max_retries=tries - 1, retry_exceptions=[ChildProcessError],
        scheduling_strategy="SPREAD",
    )
    waiting = list(reversed(repositories))
    running: dict[ray.ObjectRef, Repository] = {}
    shared = ray.put(order)
    while waiting or running:
        while waiting and len(running) < MOST_RUNNING:
            repository = waiting.pop()
            running[remote.remote(repository, shared)] = repository
        for done in ray.wait(list(running), num_returns=1)[0]:
            repository = running.pop(done)
            try:
                yield ray.get(done)
            except ray.exceptions.RayTaskError as error:
                often = f" ({tries} tries)" if isinstance(error.cause, ChildProcessError) else ""
                yield Result(str(repository), why=plain(f"{error.cause}{often}"))
            except ray.exceptions.RayError as error:
                yield Result(str(repository), why=f"its worker died: {type(error).__name__}")


def listed(elophanto: str, url: str) -> dict[str, str]:
    """The commit of each repository that is to be found."""
    command = [elophanto, "publish", "--list", "--json", url]
    done = subprocess.run(command, stdout=subprocess.PIPE, encoding="utf-8", check=False)
    if done.returncode not in (0, 1):
        raise RuntimeError(f"`{shlex.join(command)}` ended with exit code {done.returncode}")
    heads = map(json.loads, done.stdout.splitlines())
    return {head["repository"]: head["commit"] for head in heads}


def fold(elophanto: str, url: str, *more: str) -> bool:
    command = [elophanto, "publish", "--fold", *more, url]
    return subprocess.run(command, stdout=sys.stderr, check=False).returncode == 0


def is_begun(elophanto: str, url: str) -> bool:
    """Folds what waits; says whether the place is a knowledge base yet."""
    command = [elophanto, "publish", "--fold", url]
    done = subprocess.run(command, capture_output=True, encoding="utf-8", errors="replace", check=False)
    if done.returncode != 0 and "there is no knowledge base" not in done.stderr:
        raise RuntimeError(plain(done.stderr) or f"`{shlex.join(command)}` failed")
    return done.returncode == 0


def make_indexes(url: str, least: int, workers: int) -> bool:
    """Makes indexes of large tables that lack them, on all workers; says whether something is left to tend.

    Each worker makes segments of some fragments, which nobody sees; then one commit brings them all.
    """
    import lance
    import lance_ray
    from lance.namespace import DirectoryNamespace
    from lance_namespace import ListTablesRequest

    is_left = False
    place = DirectoryNamespace(root=url, manifest_enabled="false")
    for name in place.list_tables(ListTablesRequest(id=[])).tables:
        if not name.startswith("chunks-"):
            continue
        uri = f"{url.rstrip('/')}/{name}.lance"
        table = lance.dataset(uri)
        rows = table.count_rows()
        if rows < least:
            is_left = True
            continue
        there = {index.name for index in table.describe_indices()}
        words = table.stats.index_stats("words") if "words" in there else {}
        if words.get("num_unindexed_rows", rows) >= min(MOST_TAIL, least):
            for column, index, kind, options in [
                ("repo", "repo", "BITMAP", {}), ("kind", "kind", "BITMAP", {}),
                ("terms", "words", "INVERTED", WORDS),
            ]:
                lance_ray.create_scalar_index(
                    uri, column=column, index_type=kind, name=index, replace=True,
                    num_workers=workers, **options,
                )
                print(f"{name}: index of {index} made for {rows} rows", file=sys.stderr)
        dimension = table.schema.field("vector").type.list_size
        if "vectors" in there:
            # One that is there only takes up what is new.
            behind = table.stats.index_stats("vectors").get("num_unindexed_rows", 0)
            is_left |= behind >= min(MOST_TAIL, least)
        elif rows >= WORTH_AN_INDEX and dimension % 8 == 0:
            lance_ray.create_index(
                uri, "vector", "IVF_RQ", "vectors", replace=True, num_workers=workers, metric="cosine",
                num_partitions=-(-rows // PARTITION), num_bits=BITS,
            )
            print(f"{name}: index of vectors made for {rows} rows", file=sys.stderr)
    return is_left


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("list", help="a repository a line: its address, and perhaps its name")
    parser.add_argument("url", help="the place of the fleet: s3://, gs://, az:// or file:///")
    parser.add_argument("--elophanto", default="elophanto", help="the program, on every machine")
    parser.add_argument("--embed", choices=["builtin", "minilm"], help="make vectors of this model")
    parser.add_argument("--strict", action="store_true", help="refuse what lacks a vector")
    parser.add_argument("--memory", action="store_true", help="publish the lessons of agents too")
    parser.add_argument("--tries", type=int, default=4, help="how often what dies is begun")
    parser.add_argument("--timeout", type=float, default=3_600, help="seconds for each program")
    parser.add_argument("--address", help="of the Ray cluster; by default as RAY_ADDRESS says, else one here")
    parser.add_argument("--segments-from", type=int, default=10_000_000, metavar="ROWS",
                        help="make indexes on all workers for tables with so many rows")
    args = parser.parse_args()
    if args.tries < 1:
        parser.error("--tries: at least 1")
    # What Ray has to say is no data.
    out, sys.stdout = sys.stdout, sys.stderr
    # A worker that is killed for its memory is tried no more often than others.
    os.environ.setdefault("RAY_task_oom_retries", str(args.tries - 1))
    try:
        repositories = read_list(args.list)
        ray.init(address=args.address, log_to_driver=False, logging_level="warning")
        # What an earlier run published need not be cloned again. A place that is none yet has nothing.
        known = listed(args.elophanto, args.url) if is_begun(args.elophanto, args.url) else {}
    except (OSError, ValueError, RuntimeError) as cause:
        print(f"error: {cause}", file=sys.stderr)
        return 2
    order = Order(args.url, args.elophanto, args.embed, args.strict, args.memory, args.timeout, known)
    results: list[Result] = []
    for result in publish_all(repositories, order, args.tries):
        results.append(result)
        print(f"{len(results)}/{len(repositories)} {result.name}: {result.outcome}", file=sys.stderr)
    problems = {result.name: result.why for result in results if result.why}
    # What is said at the end is said in any case.
    try:
        if not fold(args.elophanto, args.url):
            problems["folding"] = "it failed; what was published waits in the inbox"
        workers = int(ray.cluster_resources().get("CPU", 1))
        is_left = make_indexes(args.url, args.segments_from, workers)
    except Exception as cause:
        is_left = True
        problems["indexes"] = str(cause)
    try:
        if is_left and not fold(args.elophanto, args.url, "--tend"):
            problems["tending"] = "it failed; the next fold goes on with it"
        there = listed(args.elophanto, args.url)
        for result in results:
            # Of an older one a newer is there, which this run did not publish.
            if not result.why and result.outcome != "older" and there.get(result.name) != result.commit:
                now = there.get(result.name, "nothing")
                problems[result.name] = f"{result.commit:.10} was published, {now:.10} is there after folding"
    except Exception as cause:
        problems["looking"] = str(cause)
    done = [result for result in results if result.name not in problems]
    for result in sorted(done, key=lambda result: result.name):
        lacking = f", {result.without_vector} without a vector" if result.without_vector else ""
        print(f"published: {result.name} at {result.commit:.10} ({result.outcome}{lacking})", file=out)
    for name, why in sorted(problems.items()):
        print(f"failed: {name}: {why}", file=out)
    print(f"{len(done)} published, {len(problems)} failed", file=out)
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
