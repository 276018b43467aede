"""The licences of all that is in the program: every crate with its text, Rust's own library, the models.

A crate without a text of its own gets the standard one that its licence names; where there is none
either, nothing is made.
"""

import html
import pathlib
import re

import about

NAMED = re.compile(r"((un)?licen[cs]es?|copying|notices?|copyright|patents)([-_.].*)?", re.IGNORECASE)
NO_TEXT = {".rs", ".py", ".toml", ".json", ".html", ".h", ".c", ".js", ".ts"}


def crates(target):
    """All crates of a program but our own, mapped by id: `(package, "required" | "excluded")`.

    Excluded are crates that only build the others: build scripts' and macros'.
    """
    graph = about.metadata(target)
    packages = {package["id"]: package for package in graph["packages"]}
    nodes = {node["id"]: node for node in graph["resolve"]["nodes"]}
    macro = {key for key, package in packages.items()
             if any("proc-macro" in part["kind"] for part in package["targets"])}

    def reached(kinds, through_macros):
        seen, left = set(), [graph["resolve"]["root"]]
        while left:
            key = left.pop()
            if key in seen or (key in macro and not through_macros):
                continue
            seen.add(key)
            left += [needed["pkg"] for needed in nodes[key]["deps"]
                     if any(dep["kind"] in kinds for dep in needed["dep_kinds"])]
        return seen

    running = reached({None}, through_macros=False)
    return {key: (packages[key], "required" if key in running else "excluded")
            for key in sorted(reached({None, "build"}, through_macros=True))
            if packages[key]["source"]}


def expression(package):
    """A crate's licence as SPDX writes it."""
    return re.sub(r"\s*/\s*", " OR ", package["license"] or "")


def texts_of(package):
    """The licence texts in a crate's folder and below it, where C code that it brings has its own."""
    folder = pathlib.Path(package["manifest_path"]).parent
    named = [path for path in sorted(folder.rglob("*"))
             if path.suffix.lower() not in NO_TEXT and path.is_file()
             and any(map(NAMED.fullmatch, path.relative_to(folder).parts[-2:]))]
    return [path.read_text(errors="replace").replace("\r\n", "\n").strip() for path in named]


def standard(package, all_texts):
    """The texts of the first licence named that we have: ours, or one of a crate under it alone."""
    for licence in re.findall(r"[\w.-]+", expression(package)):
        if licence == "MIT":
            text = (about.ROOT / "LICENSE-MIT").read_text()
            holders = ", ".join(package["authors"]) or f"The authors of {package['name']}"
            return [re.sub(r"Copyright.*", f"Copyright (c) {holders}", text).strip()]
        if licence == "Apache-2.0":
            return [(about.ROOT / "LICENSE-APACHE").read_text().strip()]
        for other, texts in all_texts:
            if texts and expression(other) == licence:
                return texts[:1]
    raise LookupError(f"no text of the licence of {package['name']}: {package['license']}")


def of_rust():
    """What Rust says about its standard library, without the markup."""
    sysroot = about.run("rustc", "--print", "sysroot", text=True).strip()
    page = pathlib.Path(sysroot, "share/doc/rust/COPYRIGHT-library.html").read_text()
    page = re.sub(r"<(style|script).*?</\1>", "", page, flags=re.DOTALL)
    page = html.unescape(re.sub(r"<[^>]+>", "", page))
    return re.sub(r"\n\s*\n", "\n\n", page).strip()


def document(target):
    """The whole file, as text."""
    found = [(package, texts_of(package)) for package, _ in crates(target).values()]
    found.sort(key=lambda pair: (pair[0]["name"], pair[0]["version"]))
    numbers, printed, lines = {}, [], []
    for package, texts in found:
        used = []
        for text in texts or standard(package, found):
            key = " ".join(text.split())
            if key not in numbers:
                numbers[key] = len(numbers) + 1
                printed.append(text)
            used.append(numbers[key])
        where = package["repository"] or f"https://crates.io/crates/{package['name']}"
        lines.append(f"{package['name']} {package['version']}: {expression(package)}, {where}\n"
                     f"    texts {', '.join(map(str, sorted(set(used))))}")
    rule = "=" * 80
    head = (f"{about.NAME} is made with the software below. Each crate names its licence, and the texts\n"
            "under it by their numbers. Rust's standard library and the models come last.\n")
    parts = [head, "\n".join(lines)]
    parts += [f"{rule}\nText {number}\n{rule}\n\n{text}" for number, text in enumerate(printed, 1)]
    parts.append(f"{rule}\n\n{of_rust()}")
    for model in ("builtin", "minilm"):
        readme = (about.ROOT / "assets" / model / "README.md").read_text().strip()
        parts.append(f"{rule}\nThe model `{model}`\n{rule}\n\n{readme}")
    return "\n\n".join(parts) + "\n"
