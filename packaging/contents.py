"""What a package carries beside the program, and where: one tree below a prefix, for all packages.

The manual and the completions come from the program itself, which therefore has to run here.
"""

import dataclasses
import functools
import os
import pathlib
import re
import subprocess
import tempfile

import about
import licences
import sbom


@dataclasses.dataclass(frozen=True)
class File:
    data: bytes
    mode: int = 0o644


def ask(program, *arguments):
    """What the program prints, in an environment and a folder with nothing in them."""
    with tempfile.TemporaryDirectory() as empty:
        return subprocess.run([os.path.abspath(program), *arguments], check=True, cwd=empty,
                              stdout=subprocess.PIPE, env={"HOME": empty}).stdout


def manual(program):
    """The page of the program and one for each command."""
    first = ask(program, "man")
    yield f"{about.NAME}.1", first
    # "elophanto\-agent\-run(1)" in roff.
    for name in re.findall(rb"^elophanto\\-(\S+)\(1\)", first, re.MULTILINE):
        command = name.replace(b"\\-", b"-").decode()
        yield f"{about.NAME}-{command}.1", ask(program, "man", command)


@functools.cache
def tree(program):
    """Paths below the prefix mapped to files, sorted."""
    name, target = about.NAME, about.target(program)
    doc = f"share/doc/{name}"
    found = {f"bin/{name}": File(pathlib.Path(program).read_bytes(), 0o755)}
    for page, data in manual(program):
        found[f"share/man/man1/{page}"] = File(data)
    for shell, path in [("bash", f"bash-completion/completions/{name}"),
                        ("zsh", f"zsh/site-functions/_{name}"),
                        ("fish", f"fish/vendor_completions.d/{name}.fish")]:
        found[f"share/{path}"] = File(ask(program, "completions", shell))
    # What else lies in the folder is nobody's to get.
    hooks = subprocess.run(["git", "ls-files", "-z", "hooks"], check=True, cwd=about.ROOT,
                           stdout=subprocess.PIPE, text=True).stdout
    for hook in hooks.split("\0")[:-1]:
        found[f"share/{name}/{hook}"] = File((about.ROOT / hook).read_bytes(), 0o755)
    for licence in ("LICENSE-MIT", "LICENSE-APACHE", "CHANGELOG.md"):
        found[f"{doc}/{licence}"] = File((about.ROOT / licence).read_bytes())
    found[f"{doc}/LICENSES-OF-DEPENDENCIES.txt"] = File(licences.document(target).encode())
    found[f"{doc}/{name}.cdx.json"] = File(sbom.document(target).encode())
    return dict(sorted(found.items()))
