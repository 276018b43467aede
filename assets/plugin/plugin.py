#!/usr/bin/env python3
"""The plugin {name}: one JSON object in on standard input, one out on standard output.

In: {"arguments": {...}, "secrets": {...}}. Out: what `output` of schema.json says, or
{"error": "..."} and exit code 1. Talk goes to standard error. Replace what `run` does.
"""
import json
import sys

MOST = 100_000


def run(arguments, secrets):
    text = arguments.get("text")
    if not isinstance(text, str):
        raise ValueError("`text` must be text, such as 'two words'")
    if len(text) > MOST:
        raise ValueError(f"`text` has {len(text)} characters, at most {MOST} are allowed")
    return {"words": len(text.split())}


if __name__ == "__main__":
    try:
        given = json.load(sys.stdin)
        print(json.dumps(run(given["arguments"], given.get("secrets", {}))))
    except (KeyError, ValueError) as error:
        print(json.dumps({"error": str(error)}))
        sys.exit(1)
