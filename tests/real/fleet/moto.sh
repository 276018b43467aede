#!/usr/bin/env bash
# Tries publishing, folding and searching over `s3://` with an S3 that nobody here wrote: moto's server.
#
#   tests/real/fleet/moto.sh [--keep] BINARY
#
#   --keep   leave the temporary folder with the server's log, and say where
#
# Needs git, python3 (3.11 or later) with venv, and on each run PyPI: what requirements.txt pins is installed
# into the temporary folder. Nothing else is written. Three minutes. It is not part of `cargo test`.
#
# One line per check, `ok: ...` or `FAILED: ...` with what was seen, and `skipped: ...` for what moto cannot do;
# the last line counts them. Exit code 1 if a check failed, 2 if moto could not be installed.
set -euo pipefail

here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
keep=
[ "${1:-}" != --keep ] || { keep=1 && shift; }
if [ $# -ne 1 ]; then sed -n '2,/^set /{/^set /!s/^# \{0,1\}//p}' "$0" && exit 2; fi
elophanto=$(command -v "$1") || { echo "no such program: $1" >&2; exit 2; }
elophanto=$(cd "$(dirname "$elophanto")" && pwd)/$(basename "$elophanto")

tmp=$(mktemp -d "${TMPDIR:-/tmp}/elophanto-moto.XXXXXX")
trap 'if [ -n "$keep" ]; then echo "kept: $tmp" >&2; else rm -rf "$tmp"; fi' EXIT
python3 -m venv "$tmp/python" || { echo "python3 has no venv" >&2; exit 2; }
"$tmp/python/bin/pip" install --disable-pip-version-check -q --require-hashes -r "$here/requirements.txt" \
    >"$tmp/pip.log" 2>&1 || { echo "could not install moto" >&2; tail -n 30 "$tmp/pip.log" >&2; exit 2; }
install -d -m 700 "$tmp/home/.config/elophanto"
printf '%s\n' 'index.background: false' 'knowledge.embedding_provider: builtin' >"$tmp/home/.config/elophanto/config.yaml"
# With a home of its own and no variable of ours but PATH, the server as well.
env -i PATH="$tmp/python/bin:$PATH" LANG=C.UTF-8 HOME="$tmp/home" TMPDIR="$tmp" PYTHONDONTWRITEBYTECODE=1 \
    GIT_CONFIG_GLOBAL=/dev/null GIT_CONFIG_NOSYSTEM=1 "$tmp/python/bin/python" "$here/moto.py" "$tmp" "$elophanto"
