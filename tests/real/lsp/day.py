"""A day in an editor, compressed: random edits, notes opened and closed, files that change underneath,
completion, hover and symbols in between. Says how memory went, and whether every request was answered.

    python3 tests/real/lsp/day.py BINARY [EDITS]

EDITS is 100,000 unless said: a key each 0.9 s for 24 hours. Notes are read again all the time, which takes
memory for a moment, so it is looked at a hundred times. Fails where the median of the last third is more
than a tenth above that of the third before.
"""

import os
import statistics
import sys

from figures import DRAW, Server, repository, words

EDITS = int(sys.argv[2]) if len(sys.argv) > 2 else 100_000
OPEN = 12


class Note:
    def __init__(self, server, path):
        self.server, self.path, self.version = server, path, 1
        self.lines = path.read_text().split("\n")
        server.open(path, "\n".join(self.lines))

    def place(self):
        line = DRAW.randrange(len(self.lines))
        return line, DRAW.randrange(len(self.lines[line]) + 1)

    def edit(self):
        """A few letters, a link, a heading or a removed piece; all in ASCII, so columns are bytes."""
        line, column = self.place()
        text = self.lines[line]
        kind = DRAW.random()
        end = min(len(text), column + DRAW.randrange(40)) if kind < 0.25 else column
        new = ("" if kind < 0.25 else f"[[note-{DRAW.randrange(3200)}]] " if kind < 0.35
               else f"## {words(2)} " if kind < 0.4 else words(1)[:DRAW.randrange(1, 7)])
        self.lines[line] = text[:column] + new + text[end:]
        self.version += 1
        self.server.tell("textDocument/didChange", {
            "textDocument": {"uri": self.path.as_uri(), "version": self.version},
            "contentChanges": [{"range": {"start": {"line": line, "character": column},
                                          "end": {"line": line, "character": end}}, "text": new}]})

    def ask(self):
        line, column = self.place()
        document = {"textDocument": {"uri": self.path.as_uri()}}
        at = {**document, "position": {"line": line, "character": column}}
        method, params = DRAW.choice([
            ("textDocument/completion", at), ("textDocument/hover", at), ("textDocument/definition", at),
            ("textDocument/documentSymbol", document), ("textDocument/codeLens", document),
            ("textDocument/semanticTokens/full", document), ("workspace/symbol", {"query": words(2)})])
        answer = self.server.ask(method, params)
        assert "result" in answer or answer["error"]["code"] in (-32801, -32802), (method, answer)

    def end(self):
        if DRAW.random() < 0.5:
            self.path.write_text("\n".join(self.lines))
        self.server.tell("textDocument/didClose", {"textDocument": {"uri": self.path.as_uri()}})


def main():
    program = os.path.abspath(sys.argv[1])
    with repository() as (root, environment):
        paths = sorted(root.glob("notes/*/*.md"))
        server = Server(program, root, environment)
        server.begin(root)
        notes = [Note(server, path) for path in DRAW.sample(paths, OPEN)]
        asked, seen = 0, []
        for edit in range(EDITS):
            DRAW.choice(notes).edit()
            if edit % 20 == 0:
                DRAW.choice(notes).ask()
                asked += 1
            if edit % 400 == 0:
                notes.pop(DRAW.randrange(OPEN)).end()
                free = [path for path in DRAW.sample(paths, 2 * OPEN) if path not in {it.path for it in notes}]
                notes.append(Note(server, free[0]))
                changed = free[1]
                changed.write_text(changed.read_text() + f"\n{words(9)}\n")
            if edit % max(1, EDITS // 100) == 0:
                notes[0].ask()
                seen.append(server.memory("VmRSS"))
        third = len(seen) // 3
        first, second, last = (statistics.median(part) for part in
                               (seen[:third], seen[third:-third], seen[-third:]))
        print(f"{EDITS} edits, {asked} questions, all answered; {first:.0f}, {second:.0f}, {last:.0f} MB in the "
              f"thirds, at most {server.memory():.0f} MB", flush=True)
        server.end()
        if last > 1.1 * second:
            sys.exit("FAILED: it grows")


main()
