#!/usr/bin/env bash
# Tries the gateway with libraries for WebSockets which nobody here wrote: Python's `websockets` and
# Node's `ws`, with a model that follows a script, and with pages of Chromium from everywhere.
#
#   tests/real/gateway/run.sh [--keep] BINARY
#
#   --keep   leave the temporary folder, and say where
#
# Needs git, Node 20 or later with npm, python3 (3.10 or later) with venv and pip, `chromium` (or what
# $CHROMIUM names; without one its checks are left out, which is said), and on each run the registries: the libraries are installed into the temporary folder, in the versions that
# package-lock.json and requirements.txt pin. Nothing else is written. Half a minute with a debug
# build. It is not part of `cargo test`.
#
# One line per check, `ok: ...` or `FAILED: ...` with what was seen; the last line counts them.
# Exit code 1 if a check failed, 2 if the libraries or the gateway could not be brought up.
set -euo pipefail

here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
keep=
[ "${1:-}" != --keep ] || { keep=1 && shift; }
if [ $# -ne 1 ]; then sed -n '2,/^set /{/^set /!s/^# \{0,1\}//p}' "$0" && exit 2; fi
elophanto=$(command -v "$1") || { echo "no such program: $1" >&2; exit 2; }
elophanto=$(cd "$(dirname "$elophanto")" && pwd)/$(basename "$elophanto")

tmp=$(mktemp -d "${TMPDIR:-/tmp}/elophanto-gateway.XXXXXX")
gateway=
model=
finish() {
    local code=$? process
    trap - EXIT INT TERM
    for process in $gateway $model; do kill "$process" 2>/dev/null && wait "$process" 2>/dev/null || true; done
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

# ---------------------------------------------------------------- libraries

mkdir "$tmp/node"
cp "$here/package.json" "$here/package-lock.json" "$tmp/node"
(cd "$tmp/node" && npm ci --ignore-scripts --no-audit --no-fund) >"$tmp/npm.log" 2>&1 ||
    give_up "could not install ws" "$tmp/npm.log"
python3 -m venv "$tmp/python" || give_up "python3 has no venv"
"$tmp/python/bin/pip" install --disable-pip-version-check -q --require-hashes -r "$here/requirements.txt" \
    >"$tmp/pip.log" 2>&1 || give_up "could not install websockets" "$tmp/pip.log"

# ---------------------------------------------------------------- a repository, a model, a gateway

home=$tmp/home
repo=$tmp/harbour
mkdir -p "$home/.config/elophanto" "$repo"
chmod 700 "$home/.config/elophanto"
python3 "$here/model.py" "$tmp/port" &
model=$!
for _ in $(seq 100); do [ -s "$tmp/port" ] && break; sleep 0.1; done
[ -s "$tmp/port" ] || give_up "the model does not start"
cat >"$home/.config/elophanto/config.yaml" <<YAML
index.background: false
llm:
  tasks: {planning: [one/m], coding: [one/m], analysis: [one/m], simple: [one/m], review: [one/m], summary: [one/m]}
  providers:
    one: {protocol: openai, base_url: "http://127.0.0.1:$(cat "$tmp/port")"}
    ollama: {base_url: "http://127.0.0.1:2"}
YAML

# COMMAND...: in the repository, with a home of its own and no variable of ours but PATH. In the
# place of this shell: call it in one of its own.
become() {
    cd "$repo" && exec env -i PATH="/usr/bin:/bin:$PATH" LANG=C.UTF-8 HOME="$home" TMPDIR="$tmp" \
        GIT_CONFIG_GLOBAL=/dev/null GIT_CONFIG_NOSYSTEM=1 "$@"
}
sealed() { (become "$@"); }
sealed git -c init.defaultBranch=main init -q .
printf '# The ferry\n\nThe ferry leaves at dawn.\n' >"$repo/ferry.md"
sealed git add . && sealed git -c user.name=Ada -c user.email=ada@harbour.test commit -q -m "Notes"

become "$elophanto" gateway --port 0 >"$tmp/url" 2>"$tmp/gateway.log" &
gateway=$!
token=
for _ in $(seq 300); do
    token=$(sealed "$elophanto" gateway status --token 2>/dev/null) && break
    kill -0 "$gateway" 2>/dev/null || break
    sleep 0.1
done
[ -n "$token" ] || give_up "the gateway does not start" "$tmp/gateway.log"

passed=0
failed=0
try() { # NAME COMMAND...
    local name=$1 code=0 ok bad
    shift
    env MODULES="$tmp/node" URL="$(cat "$tmp/url")" TOKEN="$token" PYTHONDONTWRITEBYTECODE=1 \
        FOLDER="$tmp" SOCKET="$home/.local/state/elophanto/gateway/gateway.sock" \
        timeout 300 "$@" 2>"$tmp/$name.errors" | tee "$tmp/$name.checks" || code=$?
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

try node node "$here/check.mjs"
try py "$tmp/python/bin/python" "$here/check.py"
CHROMIUM=$(command -v "${CHROMIUM:-chromium}" || true)
if [ -n "$CHROMIUM" ]; then
    export CHROMIUM
    try browser node "$here/browser.mjs"
else
    echo "left out: no chromium"
fi

if kill -0 "$gateway" 2>/dev/null && ! grep -q -e panicked -e "$token" "$tmp/gateway.log" "$tmp/url"; then
    echo "ok: the gateway lives, never panicked, and kept its token to itself" && passed=$((passed + 1))
else
    echo "FAILED: the gateway ended, panicked or told its token" && failed=$((failed + 1))
    tail -n 5 "$tmp/gateway.log" | sed 's/^/    /'
fi

echo "$passed passed, $failed failed"
[ "$failed" -eq 0 ]
