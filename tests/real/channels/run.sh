#!/usr/bin/env bash
# Tries the Telegram of this machine, against which `cargo test` tries channels, with libraries for the Bot
# API which nobody here wrote: grammY and python-telegram-bot. What they take for granted holds there.
#
#   tests/real/channels/run.sh [--keep] FAKE
#
#   FAKE     what `cargo build -p elophanto-channels --features testutil --example telegram` makes:
#            target/debug/examples/telegram
#   --keep   leave the temporary folder, and say where
#
# Needs Node 20 or later with npm, python3 (3.10 or later) with venv and pip, and on each run the
# registries: the libraries are installed into the temporary folder, in the versions that
# package-lock.json and requirements.txt pin. Nothing else is written. Half a minute. It is not part of
# `cargo test`.
#
# One line per check, `ok: ...` or `FAILED: ...` with what was seen; the last line counts them.
# Exit code 1 if a check failed, 2 if the libraries or the platform could not be brought up.
set -euo pipefail

here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
keep=
[ "${1:-}" != --keep ] || { keep=1 && shift; }
if [ $# -ne 1 ]; then sed -n '2,/^set /{/^set /!s/^# \{0,1\}//p}' "$0" && exit 2; fi
[ -x "$1" ] || { echo "no such program: $1" >&2; exit 2; }

tmp=$(mktemp -d "${TMPDIR:-/tmp}/elophanto-channels.XXXXXX")
fake=
finish() {
    local code=$?
    trap - EXIT INT TERM
    [ -z "$fake" ] || { kill "$fake" 2>/dev/null && wait "$fake" 2>/dev/null || true; }
    if [ -n "$keep" ]; then echo "kept: $tmp" >&2; else rm -rf "$tmp"; fi
    exit "$code"
}
trap finish EXIT
trap 'exit 130' INT TERM

give_up() {
    echo "$1" >&2
    [ ! -f "${2:-}" ] || tail -n 30 "$2" >&2
    exit 2
}

mkdir "$tmp/node"
cp "$here/package.json" "$here/package-lock.json" "$tmp/node"
(cd "$tmp/node" && npm ci --ignore-scripts --no-audit --no-fund) >"$tmp/npm.log" 2>&1 ||
    give_up "could not install grammy" "$tmp/npm.log"
python3 -m venv "$tmp/python" || give_up "python3 has no venv"
"$tmp/python/bin/pip" install --disable-pip-version-check -q --require-hashes -r "$here/requirements.txt" \
    >"$tmp/pip.log" 2>&1 || give_up "could not install python-telegram-bot" "$tmp/pip.log"

passed=0
failed=0
try() { # NAME COMMAND...
    local name=$1 code=0 ok bad
    shift
    "$fake_program" 0 >"$tmp/$name.url" &
    fake=$!
    for _ in $(seq 100); do [ -s "$tmp/$name.url" ] && break; sleep 0.1; done
    read -r url token <"$tmp/$name.url" || give_up "the platform does not start"
    env MODULES="$tmp/node" URL="$url" TOKEN="$token" PYTHONDONTWRITEBYTECODE=1 \
        timeout 300 "$@" 2>"$tmp/$name.errors" | tee "$tmp/$name.checks" || code=$?
    kill "$fake" 2>/dev/null && wait "$fake" 2>/dev/null || true
    fake=
    ok=$(grep -c '^ok: ' "$tmp/$name.checks" || true)
    bad=$(grep -c '^FAILED: ' "$tmp/$name.checks" || true)
    if [ "$code" -ne 0 ] && [ "$bad" -eq 0 ]; then
        echo "FAILED: $name ended early with exit code $code"
        tail -n 5 "$tmp/$name.errors" | sed 's/^/    /'
        bad=1
    fi
    passed=$((passed + ok))
    failed=$((failed + bad))
}

fake_program=$(cd "$(dirname "$1")" && pwd)/$(basename "$1")
try node node "$here/check.mjs"
try py "$tmp/python/bin/python" "$here/check.py"

echo "$passed passed, $failed failed"
[ "$failed" -eq 0 ]
