#!/usr/bin/env python3
"""pick.py <crate folder> [--list] : print the 20 sampled src/*.rs files (one per line, sample order).

--list prints the whole candidate list instead. Left out: files shorter than 60
lines; mod.rs / lib.rs that hold nothing but module declarations and `use`.
"""
import os, random, re, sys

SEED, N, MIN_LINES = 20261121, 20, 60

def only_declares(text):
    text = re.sub(r"/\*.*?\*/", "", text, flags=re.S)
    text = re.sub(r"^\s*//.*$", "", text, flags=re.M)
    text = re.sub(r"\s//.*$", "", text, flags=re.M)
    text = re.sub(r"#!?\[[^\]]*\]", "", text)
    # what is left after removing `mod x;`, `use ...;`, `extern crate x;`
    # and inline `mod x { ... }` wrappers around those
    vis = r"(?:pub(?:\([^)]*\))?\s+)?"
    text = re.sub(vis + r"use\s[^;]*;", "", text)
    text = re.sub(vis + r"extern\s+crate\s[^;]*;", "", text)
    text = re.sub(vis + r"mod\s+\w+\s*;", "", text)
    text = re.sub(vis + r"mod\s+\w+\s*\{\s*\}", "", text)
    return not text.strip()

def candidates(crate):
    out = []
    for d, _, names in os.walk(os.path.join(crate, "src")):
        for n in names:
            if not n.endswith(".rs"):
                continue
            p = os.path.join(d, n)
            with open(p, encoding="utf-8") as f:
                text = f.read()
            if len(text.splitlines()) < MIN_LINES:
                continue
            if n in ("mod.rs", "lib.rs") and only_declares(text):
                continue
            out.append(os.path.relpath(p, crate).replace(os.sep, "/"))
    return sorted(out)

def pick(crate):
    return random.Random(SEED).sample(candidates(crate), N)

if __name__ == "__main__":
    crate = sys.argv[1].rstrip("/")
    print("\n".join(candidates(crate) if "--list" in sys.argv[2:] else pick(crate)))
