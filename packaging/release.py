#!/usr/bin/env python3
"""Says whether a version may be released: `just release VERSION`. Publishes nothing, tags nothing.

Crates are not published to the registry: it drops `[patch.crates-io]`, by which Lance builds without
protoc, so that an installation from there would ask for a protobuf compiler. Programs are released.
"""

import json
import re
import shutil
import subprocess
import sys
import tomllib

import about

ROOT = about.ROOT
# Where figures stand in full.
FIGURES = "knowledge/system/guides/figures.md"
# Lines of the README at most.
MOST_LINES = 250
# A number with a unit, one of so many, a share of one.
FIGURE = re.compile(r"(?<![\w.])(?:\d[\d,.]*(?: of \d+| (?:ms|s|kB|MB|GB)\b)|0\.\d{3}\b)")


class Skipped(Exception):
    """A check that could not be made here."""


def wanted(truth, otherwise):
    if not truth:
        raise AssertionError(otherwise)


def output(*command):
    return subprocess.run(command, cwd=ROOT, text=True, check=True, stdout=subprocess.PIPE).stdout


def succeeds(*command):
    done = subprocess.run(command, check=False, cwd=ROOT, text=True, stdout=subprocess.PIPE,
                          stderr=subprocess.STDOUT)
    wanted(done.returncode == 0, done.stdout[-2000:])


def versions_are_equal(version):
    hooks = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    locked = tomllib.loads((ROOT / "Cargo.lock").read_text())["package"]
    found = {
        "Cargo.toml": tomllib.loads((ROOT / "Cargo.toml").read_text())["workspace"]["package"]["version"],
        "editors/vscode/package.json": json.loads((ROOT / "editors/vscode/package.json").read_text())["version"],
        "pyproject.toml": hooks["version"],
        "pyproject.toml, dependencies": hooks["dependencies"][0].partition("==")[2],
        **{f"Cargo.lock, {crate['name']}": crate["version"] for crate in locked
           if crate["name"].startswith(about.NAME) and "source" not in crate},
    }
    other = {where: said for where, said in found.items() if said != version}
    wanted(not other, other)


def changelog_tells_of_it(version):
    heading = re.search(rf"^## {re.escape(version)} \((.+)\)$", (ROOT / "CHANGELOG.md").read_text(), re.MULTILINE)
    wanted(heading, f"CHANGELOG.md has no `## {version} (YYYY-MM-DD)`")
    wanted(re.fullmatch(r"\d{4}-\d\d-\d\d", heading[1]), f"no date of release: {heading[1]}")


def tree_is_clean(_version):
    changed = output("git", "status", "--porcelain")
    wanted(not changed, changed)


def tag_is_free(version):
    tags = output("git", "tag", "--list", f"v{version}", "--points-at", "HEAD")
    wanted(tags or not output("git", "tag", "--list", f"v{version}"), f"v{version} is another commit")


def addresses_are_equal(_version):
    address = about.manifest()["repository"]
    for path in ("packaging/install.sh", "packaging/setup-elophanto/action.yml"):
        owner_and_name = address.removeprefix("https://github.com/")
        wanted(owner_and_name in (ROOT / path).read_text(), f"{path} does not name {owner_and_name}")


def readme_is_of_this_version(version):
    text = (ROOT / "README.md").read_text()
    wanted(text.count("\n") <= MOST_LINES, f"{text.count(chr(10))} lines, {MOST_LINES} at most")
    named = set(re.findall(rf"\b{about.NAME}[-_](\d+\.\d+\.\d+)", text))
    wanted(named == {version}, f"its install lines name {sorted(named)}")
    wanted(f"Rust {about.manifest()['rust_version']}," in text, "it asks for another Rust than Cargo.toml")


def unmeasured(readme, read):
    """Figures of a README that stand in none of the notes that their section links to; a row of a table
    has to stand there as it is."""
    found = []
    for section in re.split(r"^## ", re.sub(r"^```.*?^```", "", readme, flags=re.MULTILINE | re.DOTALL),
                            flags=re.MULTILINE):
        notes = "\n".join(read(path) for path in re.findall(r"\]\((knowledge/\S+\.md)\)", section))
        lines = set(notes.splitlines())
        for line in section.splitlines():
            for figure in FIGURE.findall(line):
                share = re.fullmatch(r"(\d\d) of 100", figure)
                stands = re.search(rf"(?<![\w.,]){re.escape(figure)}(?![\w%])", notes)
                if line in lines if line.startswith("|") else stands or share and f"0.{share[1]}" in notes:
                    continue
                found.append(f"{section.splitlines()[0]}: {figure}")
    return found


def readme_says_what_was_measured(_version):
    found = unmeasured((ROOT / "README.md").read_text(), lambda path: (ROOT / path).read_text())
    wanted(not found, found)


def figures_are_of_this_release(_version):
    before = output("git", "describe", "--tags", "--abbrev=0", "--match", "v*", "HEAD^").strip() \
        if output("git", "tag", "--list", "v*", "--merged", "HEAD^") else ""
    if not before:
        raise Skipped("there is no release before")
    then = output("git", "log", "-1", "--format=%cs", before).strip()
    measured = re.search(r"^updated: (\S{10})", (ROOT / FIGURES).read_text(), re.MULTILINE)[1]
    wanted(measured >= then, f"{FIGURES} is of {measured}, {before} of {then}: `just bench`")


def dependencies_may_be_used(_version):
    if not shutil.which("cargo-deny"):
        raise Skipped("cargo-deny is not here")
    succeeds("cargo", "deny", "check")


def library_keeps_its_promises(_version):
    if not shutil.which("cargo-semver-checks"):
        raise Skipped("cargo-semver-checks is not here")
    before = output("git", "tag", "--list", "v*", "--sort=-version:refname", "--no-contains", "HEAD").split()
    if not before:
        raise Skipped("there is no release before")
    succeeds("cargo", "semver-checks", "--package", about.NAME, "--baseline-rev", before[0])


CHECKS = [versions_are_equal, changelog_tells_of_it, tree_is_clean, tag_is_free, addresses_are_equal,
          readme_is_of_this_version, readme_says_what_was_measured, figures_are_of_this_release,
          dependencies_may_be_used, library_keeps_its_promises]


def main():
    if len(sys.argv) != 2:
        sys.exit("usage: release.py VERSION")
    version = sys.argv[1]
    count = {"passed": 0, "failed": 0, "skipped": 0}
    for check in CHECKS:
        try:
            check(version)
            result, why = "passed", ""
        except Skipped as reason:
            result, why = "skipped", f": {reason}"
        except (AssertionError, subprocess.CalledProcessError) as reason:
            result, why = "failed", f": {reason}"
        count[result] += 1
        print(f"{result:7} {check.__name__.replace('_', ' ')}{why}")
    print(", ".join(f"{number} {result}" for result, number in count.items()))
    if count["failed"]:
        sys.exit(1)
    print(f"next, by hand: git tag --sign v{version} && git push origin v{version}")


if __name__ == "__main__":
    main()
