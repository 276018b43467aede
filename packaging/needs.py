"""What a program for Linux with glibc needs of the system: libraries, and the oldest glibc.

Asks `readelf` of binutils.
"""

import os
import re
import subprocess


def readelf(option, program):
    environment = {**os.environ, "LC_ALL": "C"}
    return subprocess.run(["readelf", "--wide", option, program], check=True, text=True,
                          stdout=subprocess.PIPE, env=environment).stdout


def libraries(program):
    """The names of the shared libraries, such as `libc.so.6`, sorted."""
    return sorted(re.findall(r"\(NEEDED\).*\[(.+?)\]", readelf("--dynamic", program)))


def symbols(program):
    """`(major, minor)` of glibc mapped to the symbols that a program takes at that version."""
    found = {}
    for line in readelf("--dyn-syms", program).splitlines():
        match = re.search(r"UND (\S+)@GLIBC_(\d+)\.(\d+)", line)
        if match:
            version = int(match[2]), int(match[3])
            found.setdefault(version, []).append(match[1])
    return found


def glibc(program):
    """The oldest glibc with all symbols that a program takes, as `(major, minor)`."""
    return max(symbols(program))
