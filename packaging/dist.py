#!/usr/bin/env python3
"""Makes the archives of a release in a folder: .tar.gz, .tar.zst, the bill of materials, SHA256SUMS.

Other packages are made from the same program by `wheel.py`, `npm.py`, `deb.py` and `oci.py`; with
`--all` they are made too, before the sums. Needs Python 3.11, cargo, git, zstd; for glibc readelf; for
the other packages what their modules say.
"""

import argparse
import hashlib
import os
import pathlib
import platform
import subprocess
import sys

import about
import archive
import contents
import deb
import npm
import oci
import wheel


def built(target):
    """The program, built with the profile `dist`, its paths told to be the same in every folder.

    A target triple with a glibc behind it, such as `x86_64-unknown-linux-gnu.2.28`, asks zig for it.
    """
    home = os.environ.get("CARGO_HOME", os.path.expanduser("~/.cargo"))
    folder = pathlib.Path(os.environ.get("CARGO_TARGET_DIR", about.ROOT / "target"))
    # Of two that fit a path the last counts.
    maps = [(home, "/cargo"), (about.ROOT, "/elophanto"), (folder, "/target")]
    # Functions of the same bytes are kept once, where rustc's own linker is the one that links.
    lld = not target and platform.system() == "Linux" and platform.machine() == "x86_64"
    folded = ["-Clink-arg=-Wl,--icf=all"] if lld else []
    environment = {
        **os.environ,
        # zlib from its crate, so that the program does not depend on what else is on the builder.
        "LIBZ_SYS_STATIC": "1",
        "RUSTFLAGS": " ".join([*(f"--remap-path-prefix={old}={new}" for old, new in maps), *folded]),
        "CFLAGS": " ".join(f"-ffile-prefix-map={old}={new}" for old, new in maps),
    }
    if spaced := [str(old) for old, _ in maps if any(letter.isspace() for letter in str(old))]:
        sys.exit(f"flags of compilers cannot name a folder with a space in it: {spaced[0]}")
    command = ["build"]
    if target:
        command = ["zigbuild" if "linux" in target else "build", "--target", target]
        folder /= target.partition(".")[0]
    subprocess.run([os.environ.get("CARGO", "cargo"), *command, "--locked", "--profile", "dist"],
                   check=True, cwd=about.ROOT, env=environment)
    return folder / "dist" / about.NAME


def archives(program):
    """The archives of a program: file names mapped to bytes."""
    label = f"{about.NAME}-{about.manifest()['version']}-{about.target(program)}"
    tree = contents.tree(program)
    packed = archive.tar({f"{label}/{path}": file for path, file in tree.items()})
    # One thread: with more, the bytes depend on how zstd shares the work among them.
    zstd = ["zstd", f"-{2 * about.LEVEL + 1}", "--long=25", "--single-thread", "--quiet", "--stdout"]
    squeezed = subprocess.run(zstd, input=packed, check=True, stdout=subprocess.PIPE).stdout
    bill = tree[f"share/doc/{about.NAME}/{about.NAME}.cdx.json"].data
    return {f"{label}.tar.gz": archive.gz(packed), f"{label}.tar.zst": squeezed,
            f"{label}.cdx.json": bill}


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("program", nargs="?", help="a built program; built with `--profile dist` if left out")
    parser.add_argument("--out", type=pathlib.Path, default=about.ROOT / "target/packages")
    parser.add_argument("--all", action="store_true", help="also the wheel, npm, Debian and OCI packages")
    parser.add_argument("--target", help="a target triple, perhaps with .GLIBC, to build for")
    given = parser.parse_args()
    program = given.program or str(built(given.target))
    makers = [archives] + ([wheel.made, npm.made] if given.all else [])
    if given.all and "linux" in about.target(program):
        makers += [deb.made] + ([oci.made] if about.target(program).endswith("gnu") else [])
    given.out.mkdir(parents=True, exist_ok=True)
    sums = []
    for maker in makers:
        for name, data in maker(program).items():
            (given.out / name).write_bytes(data)
            sums.append(f"{hashlib.sha256(data).hexdigest()}  {name}\n")
            print(f"{len(data):>12,} {given.out / name}")
    sums.sort(key=lambda line: line.split()[1])
    (given.out / "SHA256SUMS").write_text("".join(sums))
    print(f"{len(sums)} sums in {given.out / 'SHA256SUMS'}", file=sys.stderr)


if __name__ == "__main__":
    main()
