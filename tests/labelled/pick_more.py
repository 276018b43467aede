#!/usr/bin/env python3
"""Cuts the documents d85 to d108 out of unpacked registry packages: texts of kinds the others lack.

usage: pick_more.py UNPACKED_DIR CRATES_DIR   (as for pick_other.py; CRATES_DIR holds sources of crates)
needs: what pick_other.py needs
d88, d90, d101 and d103 were written for this set and come from nowhere else.
"""
import gzip, os, re, sys
from pick_other import article, cut_html, cut_text, DUMP, HERE
import bz2, html

BOOK = "debian-handbook/usr/share/doc/debian-handbook/html/"

# id, file, part, words, ending of the document; `crate:` is below CRATES_DIR
WANTED = [
    ("d85", "crate:lz4_flex-0.13.1/README.md", None, 330, "md"),
    ("d86", DUMP, "Aardwolf", 380, "md"),
    ("d87", DUMP, "Andre Agassi", 420, "md"),
    ("d89", "crate:bstr-1.13.1/AI_POLICY.md", None, 420, "md"),
    ("d91", "gimp-help-de/usr/share/gimp/2.0/help/de/gimp-introduction-history-early-days.html", None, 420, "html"),
    ("d92", BOOK + "fr-FR/sect.release-lifecycle.html", None, 450, "html"),
    ("d93", "dict-jargon/usr/share/dictd/jargon.dict.dz", "benchmark|Berkeley Quality Software|BSD|Cinderella Book|cookie|daemon|Emacs", 420, "txt"),
    ("d94", "nano/usr/share/doc/nano/faq.html", "after What is GNU nano", 380, "html"),
    ("d95", "sqlite3-doc/usr/share/doc/sqlite3/lts.html", None, 420, "html"),
    ("d96", "crate:jiff-0.2.43/CHANGELOG.md", None, 380, "md"),
    ("d97", "crate:keyring-3.6.3/README.md", None, 400, "md"),
    ("d98", DUMP, "Aldous Huxley", 420, "md"),
    ("d99", DUMP, "Aruba", 420, "md"),
    ("d100", DUMP, "An American in Paris", 400, "md"),
    ("d102", "crate:fearless_simd-1.2.0/SECURITY.md", None, 400, "md"),
    ("d104", BOOK + "de-DE/sect.apparmor.html", None, 380, "html"),
    ("d105", BOOK + "es-ES/sect.apparmor.html", None, 380, "html"),
    ("d106", "shared-mime-info/usr/share/doc/shared-mime-info/shared-mime-info-spec.html/x34.html", None, 420, "html"),
    ("d107", "postgresql-doc-15/usr/share/doc/postgresql-doc-15/html/history.html", None, 420, "html"),
    ("d108", "rsync/usr/share/doc/rsync/NEWS.md.gz", None, 400, "md"),
]


def read(root, crates, path, part):
    if path == DUMP:
        dump = bz2.open(os.path.join(root, path), "rt", encoding="utf-8").read()
        text = re.search(r"<title>" + re.escape(part) + r"</title>.*?<text[^>]*>(.*?)</text>", dump, re.S)[1]
        return article(html.unescape(text), part)
    full = os.path.join(crates, path[6:]) if path.startswith("crate:") else os.path.join(root, path)
    data = (gzip.open(full) if path.endswith((".gz", ".dz")) else open(full, "rb")).read()
    text = data.decode("utf-8", errors="replace")
    if path.startswith(BOOK):  # its paragraphs are no paragraphs to HTML, its navigation is a list
        text = re.sub(r'(?s)<ul class="docnav">.*?</ul>|<p id="title">.*?</p>|<div id="banner">.*?</div>', "", text)
        text = re.sub(r'(?s)<div class="para">(.*?)</div>', r"<p>\1</p>", text)
    if part and part.startswith("after "):
        at = [m.start() for m in re.finditer(re.escape(part[6:]), text)][1]
        return "<html><head><title>" + re.search(r"<title>(.*?)</title>", text, re.S)[1] + "</title></head><body>\n" + text[text.rfind("<h", 0, at):]
    if part:
        entries = [re.search(r"(?m)^" + re.escape(name) + r"\n(?: .*\n|\n)+", text) for name in part.split("|")]
        return "\n\n".join(entry[0].rstrip() for entry in entries if entry) + "\n"
    return text


if __name__ == "__main__":
    for number, path, part, limit, ending in WANTED:
        text = read(sys.argv[1], sys.argv[2], path, part)
        text = (cut_html if ending == "html" else cut_text)(text, limit)
        with open(os.path.join(HERE, "documents", f"{number}.{ending}"), "w", encoding="utf-8") as out:
            out.write(text)
        print(number, len(text.encode()), len(text.split()), path, part or "")
