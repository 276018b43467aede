#!/usr/bin/env bash
# Tries the MCP server with clients which nobody here wrote: both official TypeScript SDKs, the
# official Python SDK and the command line of the MCP Inspector. And the client of the agent with a
# server made with the official Python SDK.
#
#   tests/real/mcp/run.sh [--keep] BINARY
#
#   --keep   leave the temporary folder, and say where
#
# Needs git, Node 20 or later with npm, python3 (3.10 or later) with venv and pip, and on each run
# their registries: the clients are installed into the temporary folder, in the versions that
# package-lock.json and requirements.txt pin. Nothing else is written. Three to four minutes on
# two cores with a debug build. It is not part of `cargo test`.
#
# What is asked and what must come back is in cases.json, for all clients. The repository is made
# here, once for each client.
#
# One line per check, `ok: ...` or `FAILED: ...` with what was seen; the last line counts them.
# Exit code 1 if a check failed, 2 if the clients or the server could not be brought up.
set -euo pipefail

here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
keep=
[ "${1:-}" != --keep ] || { keep=1 && shift; }
if [ $# -ne 1 ]; then sed -n '2,/^set /{/^set /!s/^# \{0,1\}//p}' "$0" && exit 2; fi
elophanto=$(command -v "$1") || { echo "no such program: $1" >&2; exit 2; }
elophanto=$(cd "$(dirname "$elophanto")" && pwd)/$(basename "$elophanto")

tmp=$(mktemp -d "${TMPDIR:-/tmp}/elophanto-mcp.XXXXXX")
server=
stop() {
    [ -z "$server" ] || { kill "$server" 2>/dev/null && wait "$server" 2>/dev/null; } || true
    server=
}
finish() {
    local code=$?
    trap - EXIT INT TERM
    stop
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

# ---------------------------------------------------------------- clients

began=$SECONDS
mkdir "$tmp/node"
cp "$here/package.json" "$here/package-lock.json" "$tmp/node"
# The Inspector asks for a newer Node than its command line needs.
(cd "$tmp/node" && npm ci --ignore-scripts --no-audit --no-fund --engine-strict=false) >"$tmp/npm.log" 2>&1 &
npm=$!
python3 -m venv "$tmp/python" || give_up "python3 has no venv"
"$tmp/python/bin/pip" install --disable-pip-version-check -q --require-hashes -r "$here/requirements.txt" \
    >"$tmp/pip.log" 2>&1 || give_up "could not install the Python SDK" "$tmp/pip.log"
wait "$npm" || give_up "could not install the TypeScript SDKs and the Inspector" "$tmp/npm.log"
echo "clients installed in $((SECONDS - began)) s" >&2

# ---------------------------------------------------------------- a repository, and its server

# COMMAND...: in the repository, with a home of its own and no variable of ours but PATH. In the
# place of this shell: call it in one of its own.
become() {
    cd "$repo" && exec env -i PATH="$PATH" LANG=C.UTF-8 HOME="$home" TMPDIR="$tmp" \
        GIT_CONFIG_GLOBAL=/dev/null GIT_CONFIG_NOSYSTEM=1 "$@"
}
sealed() { (become "$@"); }

new_repository() {
    home=$tmp/$1/home
    repo=$tmp/$1/harbour
    mkdir -p "$home" "$repo/notes/many"
    sealed git -c init.defaultBranch=main init -q .
    printf -- '---\ntags: [security]\n---\n# Rotating keys\n\nThe keys are rotated on the first of each month.\n' >"$repo/notes/keys.md"
    printf '# The ferry\n\nThe ferry leaves at dawn, and again at dusk.\n\n## Winter\n\nNo ferry when the harbour is frozen.\n' >"$repo/notes/ferry.md"
    printf '# The boat\n\nThe boat leaves the harbour when the ferry leaves, at dawn.\n' >"$repo/notes/boat.md"
    printf '# 日本語 & 🦀\n\nżółw, 象, 🦀🦀.\n' >"$repo/notes/日本語 & 🦀.md"
    printf '# Watched\n' | tee "$repo/notes/watched a.md" >"$repo/notes/watched-b.md"
    # More than one page of resources.
    for i in $(seq 101 210); do printf '# Entry %s\n\nEntry %s of a long list.\n' "$i" "$i" >"$repo/notes/many/$i.md"; done
    sealed "$elophanto" agent remember --type error --context "npm install in CI" --command "npm install" \
        --lesson "run npm ci with the lock file" --success-rate 9/10 --tags npm >"$tmp/log" 2>&1 &&
        sealed git add . &&
        sealed git -c user.name=Ada -c user.email=ada@harbour.test commit -q -m "Notes" &&
        sealed "$elophanto" scan >"$tmp/log" 2>&1 || give_up "could not make the repository" "$tmp/log"
}

serve() {
    become "$elophanto" agent mcp serve --http 127.0.0.1:0 >"$tmp/$1/url" 2>"$tmp/$1/server.log" &
    server=$!
    local _
    for _ in $(seq 300); do
        token=$(sealed "$elophanto" agent mcp status --token 2>/dev/null) && return
        kill -0 "$server" 2>/dev/null || break
        sleep 0.1
    done
    give_up "the server does not start" "$tmp/$1/server.log"
}

passed=0
failed=0
try() { # NAME COMMAND...
    local name=$1 began=$SECONDS code=0 ok bad environment
    shift
    new_repository "$name"
    serve "$name"
    environment=$(sealed python3 -c 'import json, os; print(json.dumps(dict(os.environ)))')
    env PREFIX="$name" MODULES="$tmp/node" ELOPHANTO="$elophanto" REPO="$repo" SEALED="$environment" \
        URL="$(cat "$tmp/$name/url")" TOKEN="$token" PYTHONDONTWRITEBYTECODE=1 \
        timeout 300 "$@" 2>"$tmp/$name/errors" | tee "$tmp/$name/checks" || code=$?
    ok=$(grep -c '^ok: ' "$tmp/$name/checks" || true)
    bad=$(grep -c '^FAILED: ' "$tmp/$name/checks" || true)
    if [ "$code" -ne 0 ] && [ "$bad" -eq 0 ]; then
        echo "FAILED: $name ended early with exit code $code"
        tail -n 5 "$tmp/$name/errors" | sed 's/^/    /'
        bad=1
    fi
    if kill -0 "$server" 2>/dev/null && ! grep -q 'panicked' "$tmp/$name/server.log"; then
        echo "ok: $name: the HTTP server lives and never panicked" && ok=$((ok + 1))
    else
        echo "FAILED: $name: the HTTP server ended or panicked" && bad=$((bad + 1))
        tail -n 5 "$tmp/$name/server.log" | sed 's/^/    /'
    fi
    stop
    passed=$((passed + ok))
    failed=$((failed + bad))
    echo "$name: $((SECONDS - began)) s, $SECONDS s in all" >&2
}

try ts node "$here/check.mjs"
try py "$tmp/python/bin/python" "$here/check.py"
try cli node "$here/inspector.mjs"
try servers "$tmp/python/bin/python" "$here/servers.py"

echo "$passed passed, $failed failed"
[ "$failed" -eq 0 ]
