#!/usr/bin/env bash
# Tries the Telegram, the Discord and the Slack of this machine, against which `cargo test` tries channels,
# with libraries which nobody here wrote: grammY, python-telegram-bot, discord.js, discord.py, Bolt. What they
# take for granted holds there.
#
#   tests/real/channels/run.sh [--keep] FOLDER
#
#   FOLDER   where `cargo build -p elophanto-channels --features testutil --examples` puts `telegram`,
#            `discord` and `slack`: target/debug/examples
#   --keep   leave the temporary folder, and say where
#
# Needs Node 20 or later with npm, python3 (3.11 or later) with venv and pip, and on each run the
# registries: the libraries are installed into the temporary folder, in the versions that
# package-lock.json and requirements.txt pin. Nothing else is written. Two minutes. It is not part of
# `cargo test`.
#
# One line per check, `ok: ...` or `FAILED: ...` with what was seen; the last line counts them.
# Exit code 1 if a check failed, 2 if the libraries or the platform could not be brought up.
set -euo pipefail

here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
keep=
[ "${1:-}" != --keep ] || { keep=1 && shift; }
if [ $# -ne 1 ]; then sed -n '2,/^set /{/^set /!s/^# \{0,1\}//p}' "$0" && exit 2; fi
for program in telegram discord slack; do [ -x "$1/$program" ] || { echo "no such program: $1/$program" >&2; exit 2; }; done

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
    give_up "could not install grammy, discord.js and bolt" "$tmp/npm.log"
python3 -m venv "$tmp/python" || give_up "python3 has no venv"
"$tmp/python/bin/pip" install --disable-pip-version-check -q --require-hashes -r "$here/requirements.txt" \
    >"$tmp/pip.log" 2>&1 || give_up "could not install python-telegram-bot and discord.py" "$tmp/pip.log"

passed=0
failed=0
try() { # NAME PLATFORM COMMAND...
    local name=$1 platform=$2 code=0 ok bad
    shift 2
    "$folder/$platform" 0 >"$tmp/$name.url" &
    fake=$!
    for _ in $(seq 100); do [ -s "$tmp/$name.url" ] && break; sleep 0.1; done
    read -r url token app <"$tmp/$name.url" || give_up "the platform does not start"
    env MODULES="$tmp/node" URL="$url" TOKEN="$token" APP="${app:-}" PYTHONDONTWRITEBYTECODE=1 \
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

folder=$(cd "$1" && pwd)
try node telegram node "$here/bot_api.mjs"
try py telegram "$tmp/python/bin/python" "$here/bot_api.py"
try discord discord node "$here/discord.mjs"
try discord_py discord "$tmp/python/bin/python" "$here/discord_py.py"
try slack slack node "$here/slack.mjs"

echo "$passed passed, $failed failed"
[ "$failed" -eq 0 ]
