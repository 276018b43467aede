#!/usr/bin/env python3
"""`examples/export/postgres.py` tried with a real Postgres and pgvector, which the wheel `pgserver` of PyPI
brings:  pip install pgserver 'psycopg[binary]' && tests/real/postgres.py EXPORT.ndjson

EXPORT.ndjson is what `elophanto publish --export ndjson URL` wrote. Every chunk has to be there once, to be the
first that its own vector finds, and its note to be among the first ten that its title and vector find: the words of
a title may stand in more chunks of a note than ten. Two models of nobody, one without any vector and one
with vectors too long for an index, are loaded with it once, and have to be gone after that.
"""

import json
import pathlib
import sys
import tempfile

import pgserver
import psycopg

sys.path.insert(0, str(pathlib.Path(__file__).parents[2] / "examples/export"))
import postgres  # noqa: E402


def main() -> None:
    # Not `splitlines`: texts hold line separators of Unicode.
    lines = pathlib.Path(sys.argv[1]).read_text(encoding="utf-8").rstrip("\n").split("\n")
    rows = [json.loads(line) for line in lines]
    with tempfile.TemporaryDirectory() as folder:
        server = pgserver.get_server(folder)
        with psycopg.connect(server.get_uri()) as db:
            odd = dict(rows[0], model="wordless", vector=None, title="no\0thing")
            wide = dict(rows[0], model="wide", vector=[0.01] * 3_072)
            loaded = postgres.load(db, [json.dumps(odd), *lines, json.dumps(wide)])
            assert sum(loaded.values()) == len(rows) + 2, loaded
            for _ in range(2):  # Twice is once.
                loaded = postgres.load(db, lines)
                assert sum(loaded.values()) == len(rows), loaded
                assert sorted(postgres.tables(db)) == sorted(loaded), loaded
            # Of every so many chunks with a vector.
            asked = [row for row in rows if row["vector"]]
            asked = asked[:: max(1, len(asked) // 50)]
            for row in asked:
                name = postgres.table(row["model"])
                place = (row["repository"], row["path"], row["lines"][0])
                by_meaning = postgres.ask(db, name, "zyxwvut", row["vector"])
                assert by_meaning[0][:3] == place, (place, by_meaning[0])
                found = [hit[:2] for hit in postgres.ask(db, name, row["title"], row["vector"])]
                assert place[:2] in found, (place, found)
        server.cleanup()
    print(f"{len(rows)} chunks loaded, {len(asked)} asked for and found")


if __name__ == "__main__":
    main()
