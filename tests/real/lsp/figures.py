"""Measures the language server over 3,000 notes of 16 MB: time to first diagnostics with a warm view and
without one, completion and hover, a key in a note of 2 MB, memory.

    python3 tests/real/lsp/figures.py BINARY

Prints one line for each figure, with the 50th and 95th percentile where there are several.
"""

import contextlib
import json
import os
import pathlib
import queue
import random
import subprocess
import sys
import tempfile
import threading
import time

# As in a language: few words are common, most are rare.
SYLLABLES = "ba co de fi gu ha jo ke li mu na po ra se ti vu".split()
WORDS = [a + b + c for a in SYLLABLES for b in SYLLABLES for c in SYLLABLES]
WEIGHTS = [1 / (rank + 10) for rank in range(len(WORDS))]
DRAW = random.Random(7)


def words(count):
    return " ".join(DRAW.choices(WORDS, WEIGHTS, k=count))


class Server:
    def __init__(self, program, root, environment):
        self.child = subprocess.Popen([program, "lsp"], cwd=root, env=environment,
                                      stdin=subprocess.PIPE, stdout=subprocess.PIPE)
        self.next, self.answers, self.published = 1, {}, queue.Queue()
        self.arrived = threading.Condition()
        threading.Thread(target=self.read, daemon=True).start()

    def read(self):
        out = self.child.stdout
        while True:
            length = None
            while (line := out.readline().strip()):
                if line.lower().startswith(b"content-length:"):
                    length = int(line.split(b":")[1])
            if length is None:
                return
            message = json.loads(out.read(length))
            if "method" in message and "id" in message:
                self.send({"id": message["id"], "result": None})
            elif "method" in message:
                if message["method"].endswith("publishDiagnostics"):
                    self.published.put((time.perf_counter(), message["params"]))
            else:
                with self.arrived:
                    self.answers[message["id"]] = message
                    self.arrived.notify_all()

    def send(self, message):
        body = json.dumps({"jsonrpc": "2.0", **message}).encode()
        self.child.stdin.write(b"Content-Length: %d\r\n\r\n" % len(body) + body)
        self.child.stdin.flush()

    def tell(self, method, params):
        self.send({"method": method, "params": params})

    def ask(self, method, params):
        own, self.next = self.next, self.next + 1
        self.send({"id": own, "method": method, "params": params})
        with self.arrived:
            while own not in self.answers:
                self.arrived.wait(600)
            return self.answers.pop(own)

    def begin(self, root):
        self.ask("initialize", {"capabilities": {"general": {"positionEncodings": ["utf-8"]}},
                                "workspaceFolders": [{"uri": root.as_uri(), "name": "x"}]})
        self.tell("initialized", {})

    def open(self, path, text):
        self.tell("textDocument/didOpen", {"textDocument": {
            "uri": path.as_uri(), "languageId": "markdown", "version": 1, "text": text}})

    def memory(self, which="VmHWM"):
        """MB: VmHWM is the most there ever was, VmRSS what there is now."""
        for line in open(f"/proc/{self.child.pid}/status"):
            if line.startswith(which):
                return int(line.split()[1]) / 1024

    def end(self):
        self.ask("shutdown", None)
        self.tell("exit", None)
        self.child.wait(30)


def shown(name, times):
    times = sorted(1000 * it for it in times)
    at = lambda share: times[min(len(times) - 1, int(share * len(times)))]
    print(f"{name}: p50 {at(0.5):.1f} ms, p95 {at(0.95):.1f} ms ({len(times)} times)", flush=True)


@contextlib.contextmanager
def repository():
    """3,000 notes in a committed repository, and an environment that holds nothing of the user's."""
    with tempfile.TemporaryDirectory(prefix="elophanto-figures.") as folder:
        root, home = pathlib.Path(folder) / "repo", pathlib.Path(folder) / "home"
        (home / ".config/elophanto").mkdir(parents=True)
        (home / ".config/elophanto/config.yaml").write_text(
            "index.background: false\nknowledge.minilm_chunks: 0\nllm.providers.ollama.base_url: http://127.0.0.1:2\n")
        os.chmod(home / ".config/elophanto", 0o700)
        environment = {"PATH": os.environ["PATH"], "HOME": str(home), "GIT_CONFIG_GLOBAL": "/dev/null"}
        run = lambda *words: subprocess.run(words, cwd=root, env=environment, check=True, capture_output=True)
        root.mkdir()
        bytes_written = 0
        for number in range(3000):
            path = root / f"notes/{number % 50}/note-{number}.md"
            path.parent.mkdir(parents=True, exist_ok=True)
            parts = [f"# Note {number}\n"]
            while sum(map(len, parts)) < 5500:
                other = DRAW.randrange(3000)
                parts.append(f"\n## {words(3)}\n\n{words(60)} [[note-{other}]] {words(20)}.\n")
            bytes_written += path.write_text("".join(parts))
        run("git", "init", "-q", ".")
        run("git", "add", ".")
        run("git", "-c", "user.name=a", "-c", "user.email=a@b.c", "commit", "-q", "-m", "notes")
        print(f"3000 notes, {bytes_written / 1e6:.1f} MB", flush=True)
        yield root, environment


def main():
    program = os.path.abspath(sys.argv[1])
    with repository() as (root, environment):
        note = root / "notes/1/note-1.md"
        text = note.read_text() + f"\n[x](gone.md) {words(12)}, see [[\n"
        line = text.count("\n") - 1
        column = len(text.split("\n")[line])

        def first(name):
            server = Server(program, root, environment)
            began = time.perf_counter()
            server.begin(root)
            server.open(note, text)
            at, params = server.published.get(timeout=600)
            assert params["diagnostics"], "a link is broken"
            print(f"first diagnostics, {name}: {1000 * (at - began):.0f} ms", flush=True)
            return server

        server = first("without a view")
        server.ask("workspace/symbol", {"query": ""})
        server.end()
        server = first("with a view")
        began = time.perf_counter()
        server.ask("workspace/symbol", {"query": ""})
        print(f"all notes read after another {1000 * (time.perf_counter() - began):.0f} ms", flush=True)

        def times(method, params, count=60):
            spent = []
            for number in range(count):
                began = time.perf_counter()
                answer = server.ask(method, params(number))
                spent.append(time.perf_counter() - began)
                assert "result" in answer, answer
            return spent

        at = lambda line, column: {"textDocument": {"uri": note.as_uri()}, "position": {"line": line, "character": column}}
        shown("completion, the same paragraph", times("textDocument/completion", lambda _: at(line, column)))
        version, before_link = 1, column - 2

        def typed(_):
            # Before the link, by whose paragraph notes are ranked.
            nonlocal version, before_link
            version += 1
            word = words(1) + " "
            end = {"line": line, "character": before_link}
            before_link += len(word)
            server.tell("textDocument/didChange", {
                "textDocument": {"uri": note.as_uri(), "version": version},
                "contentChanges": [{"range": {"start": end, "end": end}, "text": word}]})
            return at(line, 10_000)
        shown("completion, another paragraph each time", times("textDocument/completion", typed))
        link = next(i for i, it in enumerate(text.split("\n")) if "[[note-" in it)
        where = text.split("\n")[link].index("[[note-") + 3
        shown("hover over a link", times("textDocument/hover", lambda _: at(link, where)))
        large = root / "large.md"
        body = "".join(f"## {words(3)}\n\n{words(60)}\n\n" for _ in range(4200))
        server.open(large, body)
        server.published.get(timeout=600)
        print(f"a note of {len(body) / 1e6:.1f} MB is open", flush=True)
        version = 1

        def key(number):
            nonlocal version
            version += 1
            here = {"line": 2 + 4 * number, "character": 3}
            server.tell("textDocument/didChange", {
                "textDocument": {"uri": large.as_uri(), "version": version},
                "contentChanges": [{"range": {"start": here, "end": here}, "text": "x"}]})
            # Completion outside of a link: the text as it now is, and nothing found.
            return {"textDocument": {"uri": large.as_uri()}, "position": {"line": 0, "character": 1}}
        shown("a key in it, until the server has taken it", times("textDocument/completion", key, 100))
        print(f"memory: {server.memory():.0f} MB at most", flush=True)
        server.end()


if __name__ == "__main__":
    main()
