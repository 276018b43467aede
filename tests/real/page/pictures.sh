#!/usr/bin/env bash
# Makes the pictures of README.md from what this repository knows of itself: a search, a note, the graph.
#
#   tests/real/page/pictures.sh BINARY
#
# Needs what run.sh needs. Works on a clone below a temporary folder, and writes assets/pictures/*.webp.
set -euo pipefail

here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
root=$(cd "$here/../../.." && pwd)
if [ $# -ne 1 ]; then sed -n '2,/^set /{/^set /!s/^# \{0,1\}//p}' "$0" && exit 2; fi
elophanto=$(command -v "$1") || { echo "no such program: $1" >&2; exit 2; }
elophanto=$(cd "$(dirname "$elophanto")" && pwd)/$(basename "$elophanto")
CHROMIUM=$(command -v "${CHROMIUM:-chromium}") || { echo "no chromium" >&2; exit 2; }

tmp=$(mktemp -d "${TMPDIR:-/tmp}/elophanto-pictures.XXXXXX")
gateway=
finish() {
    local code=$?
    trap - EXIT INT TERM
    [ -z "$gateway" ] || { kill "$gateway" 2>/dev/null && wait "$gateway" 2>/dev/null || true; }
    rm -rf "$tmp"
    exit "$code"
}
trap finish EXIT
trap 'exit 130' INT TERM

mkdir -p "$tmp/node" "$tmp/home/.config/elophanto" "$root/assets/pictures"
chmod 700 "$tmp/home/.config/elophanto"
echo 'index.background: false' >"$tmp/home/.config/elophanto/config.yaml"
cp "$here/package.json" "$here/package-lock.json" "$tmp/node"
(cd "$tmp/node" && npm ci --ignore-scripts --no-audit --no-fund >"$tmp/npm.log" 2>&1) || { tail "$tmp/npm.log" >&2; exit 2; }
git clone --quiet "$root" "$tmp/elophanto"

# COMMAND...: in the clone, with a home of its own.
become() {
    cd "$tmp/elophanto" && exec env -i PATH="/usr/bin:/bin:$PATH" LANG=C.UTF-8 HOME="$tmp/home" TMPDIR="$tmp" \
        GIT_CONFIG_GLOBAL=/dev/null GIT_CONFIG_NOSYSTEM=1 "$@"
}
become "$elophanto" gateway --port 0 >"$tmp/url" 2>"$tmp/log" &
gateway=$!
for _ in $(seq 300); do
    [ -s "$tmp/url" ] && break
    kill -0 "$gateway" 2>/dev/null || break
    sleep 0.1
done
[ -s "$tmp/url" ] || { tail "$tmp/log" >&2; exit 2; }
URL=$(become "$elophanto" page --print)
env MODULES="$tmp/node" CHROMIUM="$CHROMIUM" URL="$URL" PICTURES="$root/assets/pictures" node "$here/pictures.mjs"
