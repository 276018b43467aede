#!/usr/bin/env python3
"""Loads what `elophanto publish --export ndjson URL` writes into Postgres with pgvector, and asks it.

    elophanto publish --export ndjson URL | postgres.py load  postgresql://...
    postgres.py ask postgresql://... "words of a question" '[0.1, ...]'

Needs psycopg 3 and the extension `vector` (0.5 or later). A chunk's vector has as many components as its
model; each model has a table of its own, for vectors of two models are never compared. Ranking is that of
Postgres (ts_rank_cd beside cosine, fused by reciprocal rank), not that of elophanto.
"""

import hashlib
import json
import sys

import psycopg

BATCH = 500
# pgvector indexes no longer vectors; they are compared one by one.
MOST_INDEXED = 2_000


def table(model: str) -> str:
    return "chunks_" + hashlib.blake2b(model.encode(), digest_size=6).hexdigest()


def tables(db) -> list[str]:
    """All that was loaded before."""
    found = db.execute(
        "SELECT tablename FROM pg_tables"
        " WHERE schemaname = current_schema() AND tablename ~ '^chunks_[0-9a-f]{12}$'"
    )
    return [name for (name,) in found.fetchall()]


def dimension_of(db, name: str) -> int:
    """How many components the vectors of a table have."""
    return db.execute(
        "SELECT atttypmod FROM pg_attribute WHERE attrelid = %s::regclass AND attname = 'embedding'",
        (name,),
    ).fetchone()[0]


def plain(text: str) -> str:
    """Postgres takes every character but this."""
    return text.replace("\0", "")


def make(db, model: str, dimension: int) -> str:
    name = table(model)
    db.execute(
        f"""CREATE TABLE IF NOT EXISTS {name} (
            id bigserial PRIMARY KEY, repository text NOT NULL, commit text NOT NULL,
            path text NOT NULL, kind text NOT NULL, title text NOT NULL, headings text[] NOT NULL,
            first int NOT NULL, last int NOT NULL, text text NOT NULL, changed timestamptz,
            embedding vector({dimension}),
            words tsvector GENERATED ALWAYS AS
                (to_tsvector('english', title || ' ' || text)) STORED)"""
    )
    return name


def load(db, lines) -> dict[str, int]:
    """Replaces everything that is there: an export is all there is. Tables by name, with their rows."""
    db.execute("CREATE EXTENSION IF NOT EXISTS vector")
    for old in tables(db):
        db.execute(f"DROP TABLE {old}")
    waiting: dict[str, list] = {}
    loaded: dict[str, int] = {}
    dimensions: dict[str, int] = {}

    def flush(model: str) -> None:
        rows = waiting.pop(model, [])
        name = table(model)
        if name not in loaded:
            make(db, model, dimensions.get(model, 1))
            loaded[name] = 0
        with db.cursor().copy(
            f"COPY {name} (repository, commit, path, kind, title, headings, first, last, text,"
            " changed, embedding) FROM STDIN"
        ) as copy:
            for row in rows:
                copy.write_row(row)
        loaded[name] += len(rows)

    for line in lines:
        row = json.loads(line)
        model, vector = row["model"], row["vector"]
        if vector is not None:
            dimensions.setdefault(model, len(vector))
        waiting.setdefault(model, []).append(
            (
                row["repository"], row["commit"], row["path"], row["kind"], plain(row["title"]),
                [plain(heading) for heading in row["headings"]], *row["lines"], plain(row["text"]),
                row["changed"], None if vector is None else json.dumps(vector),
            )
        )
        # The first batch waits for a vector, which says how many components there are.
        if len(waiting[model]) >= BATCH and model in dimensions:
            flush(model)
    for model in list(waiting):
        flush(model)
    longest = {table(model): dimension for model, dimension in dimensions.items()}
    for name in loaded:
        db.execute(f"CREATE INDEX ON {name} USING gin (words)")
        if longest.get(name, 0) <= MOST_INDEXED:
            db.execute(f"CREATE INDEX ON {name} USING hnsw (embedding vector_cosine_ops)")
        db.execute(f"CREATE INDEX ON {name} (repository)")
    return loaded


def ask(db, name: str, question: str, vector, most: int = 10):
    """The best chunks by words and by meaning, fused by reciprocal rank."""
    return db.execute(
        f"""WITH by_words AS (
                SELECT id, row_number() OVER (ORDER BY ts_rank_cd(words, query) DESC) AS rank
                FROM {name}, websearch_to_tsquery('english', %(question)s) AS query
                WHERE words @@ query ORDER BY rank LIMIT 50),
            by_meaning AS (
                SELECT id, row_number() OVER (ORDER BY embedding <=> %(vector)s::vector) AS rank
                FROM {name} WHERE embedding IS NOT NULL
                ORDER BY embedding <=> %(vector)s::vector LIMIT 50),
            fused AS (
                SELECT id, sum(1.0 / (60 + rank)) AS score
                FROM (SELECT * FROM by_words UNION ALL SELECT * FROM by_meaning) AS found
                GROUP BY id ORDER BY score DESC LIMIT %(most)s)
            SELECT repository, path, first, title, left(text, 200), score
            FROM fused JOIN {name} USING (id) ORDER BY score DESC""",
        {"question": question, "vector": json.dumps(list(vector)), "most": most},
    ).fetchall()


def main() -> None:
    command, address = sys.argv[1], sys.argv[2]
    with psycopg.connect(address) as db:
        if command == "load":
            for name, rows in load(db, sys.stdin).items():
                print(f"{name}: {rows} chunks")
        else:
            vector = json.loads(sys.argv[4])
            # A vector asks the table of its own model.
            for name in [name for name in tables(db) if dimension_of(db, name) == len(vector)]:
                for hit in ask(db, name, sys.argv[3], vector):
                    print(*hit, sep="  ")


if __name__ == "__main__":
    main()
