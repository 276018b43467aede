#!/usr/bin/env bash
# Tries the agent of editors with a client which nobody here wrote: the official TypeScript SDK of the
# Agent Client Protocol, with a model that does what it is told, and kills at random.
#
#   tests/real/acp/run.sh [--keep] BINARY
#
#   --keep   leave the temporary folder, and say where
#
# Needs git, python3, Node 20 or later with npm and its registry: the SDK is installed into the temporary
# folder, in the version that package-lock.json pins. Nothing else is written. `KILLS` says how often it is
# killed, 12 times by default. One to two minutes with a debug build. It is not part of `cargo test`.
#
# One line per check, `ok: ...` or `FAILED: ...` with what was seen; the last line counts them. Exit code 1
# if a check failed, 2 if nothing could be tried.
set -euo pipefail

here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
keep=
[ "${1:-}" != --keep ] || { keep=1 && shift; }
if [ $# -ne 1 ]; then sed -n '2,/^set /{/^set /!s/^# \{0,1\}//p}' "$0" && exit 2; fi
elophanto=$(command -v "$1") || { echo "no such program: $1" >&2; exit 2; }
elophanto=$(cd "$(dirname "$elophanto")" && pwd)/$(basename "$elophanto")

tmp=$(mktemp -d "${TMPDIR:-/tmp}/elophanto-acp.XXXXXX")
model=
finish() {
    local code=$?
    trap - EXIT INT TERM
    [ -z "$model" ] || { kill "$model" 2>/dev/null && wait "$model" 2>/dev/null; } || true
    if [ -n "$keep" ]; then echo "kept: $tmp" >&2; else rm -rf "$tmp"; fi
    exit "$code"
}
trap finish EXIT
trap 'exit 130' INT TERM

mkdir "$tmp/node"
cp "$here/package.json" "$here/package-lock.json" "$tmp/node"
(cd "$tmp/node" && npm ci --ignore-scripts --no-audit --no-fund) >"$tmp/npm.log" 2>&1 ||
    { echo "could not install the SDK" >&2 && tail -n 20 "$tmp/npm.log" >&2 && exit 2; }

python3 "$here/model.py" "$tmp/port" &
model=$!
for _ in $(seq 100); do [ -s "$tmp/port" ] && break; sleep 0.1; done

home=$tmp/home
mkdir -p "$home/.config/elophanto" "$tmp/repo" "$tmp/other" "$tmp/outside"
chmod 700 "$home/.config/elophanto"
cat >"$home/.config/elophanto/config.yaml" <<YAML
index.background: false
agent.mode: smart
llm:
  tasks: {planning: [one/m], coding: [one/m], analysis: [one/m], simple: [one/m], review: [one/m], summary: [one/m]}
  providers:
    one: {protocol: openai, base_url: "http://127.0.0.1:$(cat "$tmp/port")"}
    ollama: {base_url: "http://127.0.0.1:2"}
YAML
sealed() { # Programs of the system first: those below a home folder are not to be had in the sandbox.
    env -i PATH="/usr/bin:/bin:$PATH" LANG=C.UTF-8 HOME="$home" TMPDIR="$tmp" GIT_CONFIG_GLOBAL=/dev/null \
        GIT_CONFIG_NOSYSTEM=1 "$@"
}
for name in repo other; do
    printf '# Otters\n\nThey swim.\n' >"$tmp/$name/README.md"
    (cd "$tmp/$name" && sealed git -c init.defaultBranch=main init -q . && sealed git add . &&
        sealed git -c user.name=Ada -c user.email=ada@harbour.test commit -q -m "First")
done

code=0
sealed env MODULES="$tmp/node" ELOPHANTO="$elophanto" REPO="$(cd "$tmp/repo" && pwd -P)" \
    OTHER="$(cd "$tmp/other" && pwd -P)" OUTSIDE="$tmp/outside" KILLS="${KILLS:-12}" \
    timeout 900 "$(command -v node)" "$here/check.mjs" 2>"$tmp/errors" | tee "$tmp/checks" || code=$?
passed=$(grep -c '^ok: ' "$tmp/checks" || true)
failed=$(grep -c '^FAILED: ' "$tmp/checks" || true)
if [ "$code" -ne 0 ] && [ "$failed" -eq 0 ]; then
    echo "FAILED: it ended early with exit code $code"
    tail -n 8 "$tmp/errors" | sed 's/^/    /'
    failed=1
fi
[ "$passed" -gt 0 ] || exit 2
echo "$passed passed, $failed failed"
[ "$failed" -eq 0 ]
