#!/usr/bin/env bash
# Tries publishing, folding and searching over `az://` with an Azure that nobody here wrote: Azurite.
#
#   tests/real/fleet/azure.sh [--keep] BINARY
#
#   --keep   leave the temporary folder with the server's log, and say where
#
# Needs git, node, npm, python3 (3.11 or later), and on each run the registry of npm: the version below is
# installed into the temporary folder. Nothing else is written. Two minutes. It is not part of `cargo test`.
#
# One line per check, `ok: ...` or `FAILED: ...` with what was seen; the last line counts them. Exit code 1 if a
# check failed, 2 if Azurite could not be installed.
set -euo pipefail

here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
keep=
[ "${1:-}" != --keep ] || { keep=1 && shift; }
if [ $# -ne 1 ]; then sed -n '2,/^set /{/^set /!s/^# \{0,1\}//p}' "$0" && exit 2; fi
elophanto=$(command -v "$1") || { echo "no such program: $1" >&2; exit 2; }
elophanto=$(cd "$(dirname "$elophanto")" && pwd)/$(basename "$elophanto")

tmp=$(mktemp -d "${TMPDIR:-/tmp}/elophanto-azure.XXXXXX")
trap 'if [ -n "$keep" ]; then echo "kept: $tmp" >&2; else rm -rf "$tmp"; fi' EXIT
mkdir "$tmp/npm"
npm install --prefix "$tmp/npm" --ignore-scripts --no-audit --no-fund azurite@3.37.0 >"$tmp/npm.log" 2>&1 ||
    { echo "could not install azurite" >&2; tail -n 30 "$tmp/npm.log" >&2; exit 2; }
install -d -m 700 "$tmp/home/.config/elophanto"
printf '%s\n' 'index.background: false' 'knowledge.embedding_provider: builtin' >"$tmp/home/.config/elophanto/config.yaml"
# With a home of its own and no variable of ours but PATH, the server as well.
env -i PATH="$PATH" LANG=C.UTF-8 HOME="$tmp/home" TMPDIR="$tmp" PYTHONDONTWRITEBYTECODE=1 \
    GIT_CONFIG_GLOBAL=/dev/null GIT_CONFIG_NOSYSTEM=1 python3 "$here/azure.py" "$tmp" "$elophanto"
