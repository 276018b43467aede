"""What every package is told: name, version, words, address, time, and the target of a program.

Reads Cargo's own description and git; makes no package.
"""

import functools
import json
import os
import pathlib
import struct
import subprocess

ROOT = pathlib.Path(__file__).resolve().parent.parent
NAME = "elophanto"
# `Maintainer` of the Debian package, `Author` of the others.
AUTHOR = "The elophanto authors <elophanto@users.noreply.github.com>"
# How hard packages are compressed, 1 to 9; trials of a debug build want less.
LEVEL = int(os.environ.get("PACKAGING_LEVEL", "9"))


def run(*command, **options):
    """What a program prints; it failing is a `CalledProcessError`."""
    return subprocess.run(command, check=True, stdout=subprocess.PIPE, cwd=ROOT, **options).stdout


@functools.cache
def metadata(target):
    """`cargo metadata` for one target triple: packages, and who needs whom."""
    cargo = os.environ.get("CARGO", "cargo")
    return json.loads(run(cargo, "metadata", "--locked", "--format-version", "1",
                          "--filter-platform", target))


@functools.cache
def manifest():
    """The `[package]` of the program, in Cargo's words."""
    cargo = os.environ.get("CARGO", "cargo")
    found = json.loads(run(cargo, "metadata", "--no-deps", "--format-version", "1"))
    return next(package for package in found["packages"] if package["name"] == NAME)


@functools.cache
def epoch():
    """Seconds since 1970 of every file in every package: SOURCE_DATE_EPOCH, else the commit's."""
    told = os.environ.get("SOURCE_DATE_EPOCH")
    return int(told or run("git", "log", "-1", "--format=%ct"))


def target(program):
    """The target triple of an executable, from its first bytes; `ValueError` for what none is."""
    with open(program, "rb") as file:
        head = file.read(1 << 16)
    if head[:4] == b"\x7fELF":
        machine = {62: "x86_64", 183: "aarch64"}.get(struct.unpack_from("<H", head, 18)[0])
        # A program of musl's is static here and names no loader.
        libc = "gnu" if b"/ld-linux" in head else "musl"
        if machine:
            return f"{machine}-unknown-linux-{libc}"
    if head[:4] == b"\xcf\xfa\xed\xfe":
        machine = {0x01000007: "x86_64", 0x0100000C: "aarch64"}.get(
            struct.unpack_from("<I", head, 4)[0])
        if machine:
            return f"{machine}-apple-darwin"
    raise ValueError(f"no program for x86-64 or arm64 Linux or macOS: {program}")
