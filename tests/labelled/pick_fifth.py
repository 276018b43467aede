#!/usr/bin/env python3
"""Cuts the documents d109 to d132 out of unpacked registry packages, and checks each against its hash.

usage: pick_fifth.py UNPACKED_DIR   (one folder per package, as for pick_other.py; `factbook` and `wikipedia-1.4.0`
are the unpacked archives of npm and PyPI)
needs: what pick_other.py needs, pypdf 7.1.1
"""
import bz2, gzip, hashlib, html, json, os, re, shutil, sys
from bs4 import BeautifulSoup
from pypdf import PdfReader, PdfWriter
from pick_other import article, cut_html, cut_text, DUMP, HERE

SQLITE = "sqlite3-doc/usr/share/doc/sqlite3/"
MOCK = "wikipedia-1.4.0/tests/request_mock_data.py"

# id, file below UNPACKED_DIR, part, words (pages of a PDF), ending, the first 16 digits of the document's SHA-256
WANTED = [
    ("d109", DUMP, "Autism", 400, "md", "69d75b0872e5cff1"),
    ("d110", DUMP, "Arraignment", 420, "md", "78110781cb983610"),
    ("d111", DUMP, "American Football Conference", 420, "md", "2254884c2e4639a4"),
    ("d112", DUMP, "Albert Sidney Johnston", 480, "md", "f48d871c333bf2a9"),
    ("d113", DUMP, "Asphalt", 420, "md", "44ac838531868eaa"),
    ("d114", DUMP, "Animal Farm", 420, "md", "030ff6ba3eea7627"),
    ("d115", DUMP, "Atlantic Ocean", 420, "md", "553cf21ac3d3645a"),
    ("d116", MOCK, "celtuce.html", 600, "html", "51b49646b0cecb6b"),
    ("d117", MOCK, "cyclone.content", 520, "txt", "bd2597a1d302b463"),
    ("d118", SQLITE + "prosupport.html", None, 420, "html", "2c323320cac5836f"),
    ("d119", "hackrf-doc/usr/share/doc/hackrf/html/opera_cake.html", None, 480, "html", "03f122d99c401a1a"),
    ("d120", SQLITE + "pressrelease-20071212.html", None, 420, "html", "7893a2851ea9628c"),
    ("d121", "popularity-contest/usr/share/doc/popularity-contest/FAQ.gz", None, 420, "txt", "e04465fd111cdff1"),
    ("d122", DUMP, "Agnostida", 400, "md", "69d9b19a1f8cfc53"),
    ("d123", "krb5-doc/usr/share/doc/krb5-doc/admin/advanced/retiring-des.html", None, 480, "html", "cecf6b24f4260999"),
    ("d124", "gnucash-docs/usr/share/doc/gnucash-docs/gnucash-guide-de/basics-accounting1.html", None, 480, "html", "fdf775aa3c2f3a04"),
    ("d125", "texlive-lang-german/usr/share/doc/texlive-doc/latex/koma-script-examples/Kapitel-11/result/scrjuraexample.pdf", None, None, "pdf", "1d0afc1564865381"),
    ("d126", "gnubg-data/usr/share/doc/gnubg/allabout.pdf", None, (5, 7), "pdf", "4eec465c073b5b19"),
    ("d127", "wesnoth-1.16-data/usr/share/doc/wesnoth-1.16-data/manual.es.html", "section 2.3.", 520, "html", "8b77f6555cad17aa"),
    ("d128", "libreoffice-help-fr/usr/share/libreoffice/help/fr/text/shared/00/00000005.html", "select #DisplayArea", 560, "html", "7cfbe65f21b280e9"),
    ("d129", "anarchism/usr/share/doc/anarchism/html/secA5.html", "heading A.5.2", 1080, "html", "36cb938a5bcdad8d"),
    ("d130", "factbook/package/oceans/oo.json", "Introduction|Geography", 520, "md", "d79f432b85335cbe"),
    ("d131", "units/usr/share/doc/units/NEWS.gz", None, 420, "txt", "eba8c132f78df7fb"),
    ("d132", "libogg-dev/usr/share/doc/libogg-dev/html/skeleton.html", None, 480, "html", "53397178c2a7ea33"),
]


def page(title, body):
    return f"<!DOCTYPE html>\n<html><head><meta charset='utf-8'><title>{title}</title></head><body>\n{body}\n</body></html>\n"


def facts(entry, depth=2):
    """An entry of the factbook as Markdown: headings, and `key: value` in lists."""
    lines = []
    for key, value in entry.items():
        if "text" in value:
            lines.append(f"- {key}: {value['text']}" if depth > 2 else f"{key}: {value['text']}")
        elif depth == 2:
            lines += ["", f"## {key}", ""] + facts(value, 3)
        else:
            lines += [f"- {key}, {name}: {inner['text']}" for name, inner in value.items() if inner.get("text")]
    return lines


def read(root, path, part):
    full = os.path.join(root, path)
    if path == DUMP:
        dump = bz2.open(full, "rt", encoding="utf-8").read()
        text = re.search(r"<title>" + re.escape(part) + r"</title>.*?<text[^>]*>(.*?)</text>", dump, re.S)[1]
        return article(html.unescape(text), part)
    data = (gzip.open(full) if path.endswith(".gz") else open(full, "rb")).read()
    text = data.decode("utf-8", errors="replace")
    if path == MOCK:  # a module of dictionaries and strings
        names = {}
        exec(text, names)
        found = names["mock_data"]["data"][part]
        if not part.endswith(".html"):
            return "Tropical Depression Ten (2005)\n\n" + found
        soup = BeautifulSoup(found, "html.parser")
        for notice in soup.select(".metadata, .thumb"):
            notice.decompose()
        return page("Celtuce", "<h1>Celtuce</h1>\n" + str(soup))
    if path.endswith(".json"):
        entry = json.loads(text)
        return "# Southern Ocean\n" + "\n".join(facts({key: entry[key] for key in part.split("|")})) + "\n"
    if not part:
        return text
    soup, (how, what) = BeautifulSoup(text, "html.parser"), part.split(" ", 1)
    if how == "select":
        return page(soup.title.get_text(), str(soup.select_one(what)))
    start = next(h for h in soup.find_all(["h2", "h3"]) if h.get_text().startswith(what))
    if how == "section":
        return page(soup.title.get_text(), str(start.find_parent("div", class_="section")))
    out = [str(start)]
    for el in start.find_next_siblings():
        if el.name == start.name:
            break
        out.append(str(el))
    return page(soup.title.get_text(), "\n".join(out))


def pdf(source, target, pages):
    if not pages:
        return shutil.copyfile(source, target)
    reader, writer = PdfReader(source), PdfWriter()
    for number in range(*pages):
        writer.add_page(reader.pages[number])
    writer.remove_images()
    writer.write(target)


if __name__ == "__main__":
    for number, path, part, limit, ending, digest in WANTED:
        target = os.path.join(HERE, "documents", f"{number}.{ending}")
        if ending == "pdf":
            pdf(os.path.join(sys.argv[1], path), target, limit)
        else:
            text = (cut_html if ending == "html" else cut_text)(read(sys.argv[1], path, part), limit)
            with open(target, "w", encoding="utf-8") as out:
                out.write(text)
        data = open(target, "rb").read()
        made = hashlib.sha256(data).hexdigest()[:16]
        print(number, len(data), made, "" if made == digest else "DIFFERS", path, part or "")
