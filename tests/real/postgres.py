#!/usr/bin/env python3
"""`examples/export/postgres.py` tried with a real Postgres and pgvector, which the wheel `pgserver` of PyPI
brings:  pip install pgserver 'psycopg[binary]' && tests/real/postgres.py EXPORT.ndjson

EXPORT.ndjson is what `elophanto publish --export ndjson URL` wrote. Every chunk has to be there once, and to
be the first that its own vector finds.
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
    lines = pathlib.Path(sys.argv[1]).read_text().splitlines()
    rows = [json.loads(line) for line in lines]
    with tempfile.TemporaryDirectory() as folder:
        server = pgserver.get_server(folder)
        with psycopg.connect(server.get_uri()) as db:
            for _ in range(2):  # Twice is once.
                loaded = postgres.load(db, lines)
                assert sum(loaded.values()) == len(rows), loaded
            # Of every so many chunks with a vector.
            asked = [row for row in rows if row["vector"]]
            asked = asked[:: max(1, len(asked) // 50)]
            for row in asked:
                name = postgres.table(row["model"])
                hits = postgres.ask(db, name, row["title"], row["vector"])
                found = [(hit[0], hit[1], hit[2]) for hit in hits]
                assert (row["repository"], row["path"], row["lines"][0]) in found, (row, found)
        server.cleanup()
    print(f"{len(rows)} chunks loaded, {len(asked)} asked for and found")


if __name__ == "__main__":
    main()
