"""Writes the notes of a harbour into a folder, and some that would like to be more than text.

    notes.py FOLDER
"""

import pathlib
import struct
import sys
import zlib

root = pathlib.Path(sys.argv[1])


def note(name, text):
    path = root / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8")


note("README.md", "# The harbour\n\nAll about the harbour: [the ferry](docs/ferry.md) and [the pier](docs/pier.md).\n")
note(
    "docs/ferry.md",
    "---\ntags: [boats, timetable]\n---\n# The ferry\n\nThe ferry leaves at dawn. It carries forty cars, and the captain "
    "is called Ines.\n\n## Tickets\n\nTickets are sold at the [pier](pier.md).\n\n| Class | Price | Remark |\n|---|---:|---|\n"
    "| first | 20 | with a very long remark that makes the table wider than a telephone is |\n| second | 10 | |\n\n"
    "### Refunds\n\n- [ ] ask Ines\n- [x] write it down\n\n```sh\necho 'a long line of code that does not fit on a small screen at all' | tee /tmp/there\n```\n\n"
    "> A quotation.\n\n1. one\n2. two\n\n![A blue square](ferry.png)\n",
)
note("docs/pier.md", "# The pier\n\nThe pier was built in 1931.\n\nSee [the ferry](ferry.md).\n")
note("docs/cars.md", "# Cars\n\nForty cars wait for the boat at sunrise.\n")
note("docs/speaker.md", "# KEF LS50 Meta\n\nThe KEF LS50 Meta is a bookshelf speaker made by KEF. The KEF LS50 Meta weighs 7.8 kg.\n")


def chunk(kind, data):
    return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))


(root / "docs/ferry.png").write_bytes(
    b"\x89PNG\r\n\x1a\n"
    + chunk(b"IHDR", struct.pack(">IIBBBBB", 8, 8, 8, 2, 0, 0, 0))
    + chunk(b"IDAT", zlib.compress((b"\0" + b"\x2b\x4c\x8c" * 8) * 8))
    + chunk(b"IEND", b"")
)
(root / "run.sh").write_text("#!/bin/sh\n# Starts the ferry.\necho go\n")

note(
    "evil/markup.md",
    "# <img src=x onerror=alert(1)>\n\n<script>alert(1)</script>\n\n<svg onload=alert(2)><style>*{display:none}</style>\n\n"
    "[a](javascript:alert(3)) [b](data:text/html,<script>alert(4)</script>) ![c](https://evil.test/p.png)\n\n"
    '<iframe src="https://evil.test"></iframe>\n\n<a href="javascript:alert(5)">x</a>\n\n'
    "<math><mtext><table><mglyph><style><img src=x onerror=alert(6)>\n\n| <b onclick=alert(7)>x</b> |\n|---|\n| [d](vbscript:x) |\n",
)
note("evil/deep.md", "# Deep\n\n" + "".join("  " * depth + "- deep\n" for depth in range(1000)))
note("evil/wide.md", "# Wide\n\n|" + "h|" * 900 + "\n|" + "-|" * 900 + "\n|" + "c|" * 900 + "\n")
note("evil/large.md", "# Large\n\n" + "Words and words and words again, and never an end.\n\n" * 100_000)
note("evil/right\u202eto left.md", "# Right \u202eot tfel\u202c\n\n\u202edesrever\u202c \u2066isolated\u2069 \u200bnothing\n")
note('evil/100% "odd" #1?.md', "# Odd name\n\nIt has an odd name.\n")
