"""The Debian package, made by `dpkg-deb`.

Depends on what the program itself takes from the system: its libraries, and glibc as old as it may be.
"""

import email.utils
import hashlib
import os
import pathlib
import subprocess
import tempfile

import about
import archive
import contents
import needs

ARCHITECTURES = {"x86_64": "amd64", "aarch64": "arm64"}
# What lintian is told about the program.
OVERRIDES = """\
# A translation of libyaml to Rust, from its crate.
elophanto: embedded-library *libyaml*
# A name in the table of programs that an agent is asked about; it is not run.
elophanto: missing-depends-on-sensible-utils *
# A folder that the sandbox lets be read.
elophanto: uses-dpkg-database-directly *
# At a fixed address: knowledge/system/decisions/0021-no-position-independent-executable.md
elophanto: hardening-no-pie *
# Not uploaded to Debian.
elophanto: initial-upload-closes-no-bugs *
"""
# Libraries mapped to their packages; those of glibc are all in one.
PACKAGES = {"libgcc_s.so.1": "libgcc-s1 (>= 4.2)", "libz.so.1": "zlib1g (>= 1:1.2.11)"}
GLIBC = ("libc.", "libm.", "libpthread.", "libdl.", "librt.", "ld-linux")


def depends(program):
    """The field `Depends`; empty for a program that is linked statically."""
    if about.target(program).endswith("musl"):
        return ""
    major, minor = needs.glibc(program)
    packages = {f"libc6 (>= {major}.{minor})"}
    for library in needs.libraries(program):
        if library in PACKAGES:
            packages.add(PACKAGES[library])
        elif not library.startswith(GLIBC):
            raise ValueError(f"no Debian package is known for {library}")
    return "Depends: " + ", ".join(sorted(packages)) + "\n"


def laid_out(program):
    """The tree of other packages, where Debian wants it."""
    name, version = about.NAME, about.manifest()["version"]
    files = {}
    for path, file in contents.tree(program).items():
        path = path.replace("zsh/site-functions", "zsh/vendor-completions")
        if "/man1/" in path or path.endswith("DEPENDENCIES.txt"):
            path, file = f"{path}.gz", contents.File(archive.gz(file.data, 9))
        elif path.endswith("CHANGELOG.md"):
            path, file = path.replace("CHANGELOG.md", "changelog.gz"), contents.File(archive.gz(file.data, 9))
        elif path.endswith(("LICENSE-MIT", "LICENSE-APACHE")):
            continue  # both are in `copyright`
        files[f"usr/{path}"] = file
    when = email.utils.formatdate(about.epoch())
    entry = (f"{name} ({version}-1) unstable; urgency=medium\n\n  * See changelog.gz.\n\n"
             f" -- {about.AUTHOR}  {when}\n")
    files[f"usr/share/doc/{name}/changelog.Debian.gz"] = contents.File(archive.gz(entry.encode(), 9))
    files[f"usr/share/lintian/overrides/{name}"] = contents.File(OVERRIDES.encode())
    files[f"usr/share/doc/{name}/copyright"] = contents.File(copyright_file().encode())
    return dict(sorted(files.items()))


def copyright_file():
    mit = (about.ROOT / "LICENSE-MIT").read_text().partition("Permission")
    holder = next(line for line in mit[0].splitlines() if line.startswith("Copyright"))
    text = "".join(f" {line}\n" if line else " .\n" for line in (mit[1] + mit[2]).strip().split("\n"))
    return ("Format: https://www.debian.org/doc/packaging-manuals/copyright-format/1.0/\n"
            f"Upstream-Name: {about.NAME}\nSource: {about.manifest()['repository']}\n"
            "Comment: The licences of all crates in the program, each with its text, are in\n"
            " LICENSES-OF-DEPENDENCIES.txt.gz beside this file.\n\n"
            f"Files: *\nCopyright: {holder.removeprefix('Copyright (c) ')}\nLicense: Expat or Apache-2.0\n\n"
            f"License: Expat\n{text}\n"
            "License: Apache-2.0\n On Debian systems the text is in /usr/share/common-licenses/Apache-2.0.\n")


def control(program, files):
    package = about.manifest()
    architecture = ARCHITECTURES[about.target(program).partition("-")[0]]
    size = sum(-(-len(file.data) // 1024) for file in files.values())
    return (f"Package: {about.NAME}\nVersion: {package['version']}-1\nArchitecture: {architecture}\n"
            f"Maintainer: {about.AUTHOR}\nInstalled-Size: {size}\n{depends(program)}"
            f"Recommends: git\nSection: utils\nPriority: optional\nHomepage: {package['repository']}\n"
            "Description: knowledge base out of a git repository's Markdown\n"
            " Searches Markdown by meaning and by keyword, offline, with a model inside\n"
            " the program. The index is committed beside the notes, so that a clone\n"
            " searches at once.\n")


def made(program):
    """The package: its file name mapped to its bytes."""
    files = laid_out(program)
    sums = "".join(f"{hashlib.md5(file.data).hexdigest()}  {path}\n" for path, file in files.items())
    files["DEBIAN/md5sums"] = contents.File(sums.encode())
    files["DEBIAN/control"] = contents.File(control(program, files).encode())
    architecture = ARCHITECTURES[about.target(program).partition("-")[0]]
    file_name = f"{about.NAME}_{about.manifest()['version']}-1_{architecture}.deb"
    with tempfile.TemporaryDirectory() as folder:
        root = pathlib.Path(folder, "root")
        for path, file in files.items():
            place = root / path
            place.parent.mkdir(parents=True, exist_ok=True)
            place.write_bytes(file.data)
            place.chmod(file.mode)
        for made_folder in [root, *(path for path in root.rglob("*") if path.is_dir())]:
            made_folder.chmod(0o755)
        out = pathlib.Path(folder, file_name)
        subprocess.run(
            ["dpkg-deb", "--root-owner-group", "-Zxz", f"-z{min(about.LEVEL, 6)}", "--threads-max=1",
             "--build", root, out],
            check=True, stdout=subprocess.DEVNULL,
            env={**os.environ, "SOURCE_DATE_EPOCH": str(about.epoch())})
        return {file_name: out.read_bytes()}
