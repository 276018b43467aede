#!/usr/bin/env python3
"""Draws a terminal session as SVG, from what the program prints on a terminal.

    packaging/picture.py PROGRAM OUT.svg COMMAND...

Each COMMAND is the program's arguments, such as 'search "merge" -n 2'. It runs in a clone of this
repository, with no settings of anybody's. Long lines are broken between words. The picture has a
background of its own, so that it can be read on light and on dark pages, and asks for no font that is
not there.
"""

import fcntl
import html
import itertools
import os
import pathlib
import pty
import re
import shlex
import struct
import subprocess
import sys
import tempfile
import termios

import about

COLUMNS, SIZE = 110, 14
WIDTH, HEIGHT = SIZE * 0.6, SIZE * 1.45
# Text, and the sixteen colours of terminals on a dark ground.
TEXT, GROUND, EDGE, PROMPT = "#d8dee9", "#1b2130", "#4c566a", "#8fbf7f"
COLOURS = ["#6b7489", "#e06c75", "#8fbf7f", "#e5c07b", "#6fb1ee", "#c58ae0", "#5cc0cc", "#d8dee9",
           "#8892a6", "#ef8a92", "#a9d599", "#f0d399", "#92c7f5", "#d7a9ee", "#83d4de", "#ffffff"]


def printed(program, arguments, clone, home):
    """What a command writes to a terminal, as text."""
    leader, follower = pty.openpty()
    fcntl.ioctl(follower, termios.TIOCSWINSZ, struct.pack("HHHH", 50, COLUMNS, 0, 0))
    child = subprocess.Popen(
        [program, *arguments], cwd=clone, stdin=subprocess.DEVNULL, stdout=follower,
        stderr=subprocess.DEVNULL,
        env={"HOME": home, "PATH": os.environ["PATH"], "TERM": "xterm-256color", "LANG": "C.UTF-8"})
    os.close(follower)
    out = b""
    while True:
        try:
            out += os.read(leader, 1 << 16)
        except OSError:  # The other end is closed.
            break
    if child.wait() != 0:
        raise SystemExit(f"{shlex.join(arguments)}: exit code {child.returncode}")
    return out.decode().replace("\r\n", "\n")


def painted(line):
    """A line's runs of text, each with its style as attributes of SVG."""
    style, runs = {}, []
    line = re.sub(r"\x1b\]8;.*?(\x1b\\|\x07)", "", line)
    for text, codes in re.findall(r"([^\x1b]+)|\x1b\[([\d;]*)m", line):
        if text:
            runs.append((text, dict(style)))
            continue
        code = iter(int(number or 0) for number in codes.split(";"))
        for number in code:
            if number == 0:
                style.clear()
            elif number == 1:
                style["font-weight"] = "bold"
            elif number == 2:
                style["opacity"] = ".65"
            elif number == 3:
                style["font-style"] = "italic"
            elif number == 4:
                style["text-decoration"] = "underline"
            elif number in (22, 39):
                for key in ("font-weight", "opacity") if number == 22 else ("fill",):
                    style.pop(key, None)
            elif 30 <= number <= 37 or 90 <= number <= 97:
                style["fill"] = COLOURS[number - 30 if number < 90 else number - 82]
            elif number == 38 and next(code) == 5:
                style["fill"] = COLOURS[next(code) % 16]
    return runs


def wrapped(runs):
    """A line in as many as it takes, broken between words, each as far in as the first."""
    indent = re.match(" *", "".join(text for text, _ in runs))[0]
    lines, column = [[]], 0
    for text, style in runs:
        for word in re.findall(r" *[^ ]+| +", text):
            if column and column + len(word) > COLUMNS:
                lines.append([(indent, {})])
                word, column = word.lstrip(), len(indent)
            lines[-1].append((word, style))
            column += len(word)
    return [joined(line) for line in lines]


def joined(runs):
    """The same with neighbours of one style put together."""
    return [("".join(text for text, _ in same), style)
            for style, same in itertools.groupby(runs, key=lambda run: run[1])]


def drawn(lines):
    """The picture of lines, each a list of runs."""
    width, height = round(COLUMNS * WIDTH + 40), round(len(lines) * HEIGHT + 56)
    label = "A terminal: elophanto answers from the notes of a repository"
    fonts = "ui-monospace,SFMono-Regular,Menlo,Consolas,'DejaVu Sans Mono',monospace"
    size = f'viewBox="0 0 {width} {height}" width="{width}" height="{height}"'
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" {size} role="img" aria-label="{label}">',
        f'<rect x=".5" y=".5" width="{width - 1}" height="{height - 1}" rx="8" fill="{GROUND}" stroke="{EDGE}"/>',
        *(f'<circle cx="{18 + 18 * n}" cy="17" r="5" fill="{COLOURS[c]}"/>' for n, c in enumerate((1, 3, 2))),
        f'<g font-family="{fonts}" font-size="{SIZE}" fill="{TEXT}" xml:space="preserve">',
    ]
    for row, runs in enumerate(lines):
        column, y = 0, round(48 + row * HEIGHT, 1)
        for text, style in runs:
            given = "".join(f' {key}="{value}"' for key, value in style.items())
            if text.strip():
                # Its length is told, so that columns stand below each other in any font.
                parts.append(f'<text x="{20 + column * WIDTH:.1f}" y="{y}" textLength="{len(text) * WIDTH:.1f}" '
                             f'lengthAdjust="spacingAndGlyphs"{given}>{html.escape(text, quote=False)}</text>')
            column += len(text)
    return "\n".join([*parts, "</g>", "</svg>", ""])


def main():
    program, out, *commands = sys.argv[1:]
    lines = []
    with tempfile.TemporaryDirectory() as folder:
        clone, home = f"{folder}/clone", f"{folder}/home"
        os.mkdir(home)
        subprocess.run(["git", "clone", "--quiet", about.ROOT, clone], check=True)
        for command in commands:
            shown = printed(os.path.abspath(program), shlex.split(command), clone, home)
            prompt = [("$ ", {"fill": PROMPT}), (f"{about.NAME} {command}", {"font-weight": "bold"})]
            lines.append(prompt)
            for line in shown.rstrip("\n").split("\n"):
                lines += wrapped(painted(line))
            lines.append([])
    picture = drawn(lines[:-1])
    pathlib.Path(out).write_text(picture)
    print(f"{out}: {len(picture.encode()):,} bytes")


if __name__ == "__main__":
    main()
