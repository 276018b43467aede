#!/usr/bin/env python3
"""The tables that git carries, opened by LanceDB's own Python package:
    pip install lancedb && tests/real/tables.py REPOSITORY

Each has to hold the three columns of `crates/tables/src/rows.rs`, name the model that made its vectors, and
have no key twice.
"""

import pathlib
import sys

import lancedb
import pyarrow


def main() -> None:
    folder = pathlib.Path(sys.argv[1]).resolve() / ".elophanto/index"
    database = lancedb.connect(folder)
    names = sorted(path.stem for path in folder.glob("*.lance"))
    assert names, f"no table in {folder}"
    rows = 0
    for name in names:
        table = database.open_table(name).to_arrow()
        metadata = table.schema.metadata
        assert table.column_names == ["key", "scale", "codes"], table.schema
        assert metadata[b"elophanto.encoding"] == b"int8-row-scale", metadata
        codes = table.schema.field("codes").type
        assert codes.value_type == pyarrow.int8(), codes
        keys = table.column("key").to_pylist()
        assert len(set(keys)) == len(keys) and {len(key) for key in keys} == {16}, name
        rows += table.num_rows
        print(f"{name}: {table.num_rows} vectors of {codes.list_size} by {metadata[b'elophanto.model'].decode()}")
    print(f"{len(names)} tables, {rows} rows")


if __name__ == "__main__":
    main()
