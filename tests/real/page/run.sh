#!/usr/bin/env bash
# Tries the page in a real browser: every page light and dark, wide and narrow, with axe, by keyboard,
# without script; a walk through what somebody does first, by mouse and by keyboard; notes that would like to be markup; editing, talking and approving; pages of others at
# four origins: another port, localhost, a rebound name, a file.
#
#   tests/real/page/run.sh [--keep] BINARY
#
#   --keep   leave the temporary folder, with a picture of every page, and say where
#
# Needs git, Node 20 or later with npm, python3, `chromium` (or what $CHROMIUM names) and on each run the
# registry of npm: the libraries are installed into the temporary folder, in the versions that
# package-lock.json pins. Nothing else is written. Three minutes with a debug build. It is not part of
# `cargo test`.
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
CHROMIUM=$(command -v "${CHROMIUM:-chromium}") || { echo "no chromium" >&2; exit 2; }
export CHROMIUM

tmp=$(mktemp -d "${TMPDIR:-/tmp}/elophanto-page.XXXXXX")
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

mkdir "$tmp/node" "$tmp/shots"
cp "$here/package.json" "$here/package-lock.json" "$tmp/node"
(cd "$tmp/node" && npm ci --ignore-scripts --no-audit --no-fund) >"$tmp/npm.log" 2>&1 ||
    give_up "could not install what drives the browser" "$tmp/npm.log"

# ---------------------------------------------------------------- a model, a repository, a gateway

home=$tmp/home
repo=$tmp/harbour
mkdir -p "$home/.config/elophanto" "$repo/docs"
chmod 700 "$home/.config/elophanto"
python3 "$here/../gateway/model.py" "$tmp/port" &
model=$!
for _ in $(seq 100); do [ -s "$tmp/port" ] && break; sleep 0.1; done
[ -s "$tmp/port" ] || give_up "the model does not start"
cat >"$home/.config/elophanto/config.yaml" <<YAML
index.background: false
agent.mode: ask
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
commit() { sealed git add -A && sealed git -c user.name=Ada -c user.email=ada@harbour.test commit -q -m "$1"; }
sealed git -c init.defaultBranch=main init -q .
python3 "$here/notes.py" "$repo"
commit "Notes of the harbour"
printf '# The pier\n\nThe pier was built in 1932.\n\nSee [the ferry](ferry.md).\n' >"$repo/docs/pier.md"
commit "The pier is younger"
sealed "$elophanto" init >/dev/null
sealed "$elophanto" learn "kef ls50 meta" --from docs/speaker.md --yes >/dev/null 2>&1 || true
sealed "$elophanto" like "ferries" >/dev/null
sealed "$elophanto" scan >/dev/null 2>&1 || true
sealed "$elophanto" agent remember --type error --context "the build failed" --lesson "install protoc first" \
    --command "apt install protobuf-compiler" --success-rate 3/4 >/dev/null
commit "What is known"

become "$elophanto" gateway --port 0 >"$tmp/url" 2>"$tmp/gateway.log" &
gateway=$!
for _ in $(seq 300); do
    [ -s "$tmp/url" ] && break
    kill -0 "$gateway" 2>/dev/null || break
    sleep 0.1
done
[ -s "$tmp/url" ] || give_up "the gateway does not start" "$tmp/gateway.log"
sealed "$elophanto" page --export "$tmp/site" >/dev/null || give_up "nothing is exported"

code=0
env MODULES="$tmp/node" REPOSITORY="$repo" SHOTS="$tmp/shots" SITE="$tmp/site" GATEWAY="$gateway" \
    ELOPHANTO="$elophanto" HOME="$home" timeout 900 sh -c 'node "$0/walk.mjs" && node "$0/check.mjs"' "$here" \
    2>"$tmp/errors" | tee "$tmp/checks" || code=$?
passed=$(grep -c '^ok: ' "$tmp/checks" || true)
failed=$(grep -c '^FAILED: ' "$tmp/checks" || true)
if [ "$code" -ne 0 ]; then
    echo "FAILED: the checks ended early with exit code $code"
    tail -n 8 "$tmp/errors" | sed 's/^/    /'
    failed=$((failed + 1))
fi
if kill -0 "$gateway" 2>/dev/null && ! grep -q panicked "$tmp/gateway.log"; then
    echo "ok: the gateway lives and never panicked" && passed=$((passed + 1))
else
    echo "FAILED: the gateway ended or panicked" && failed=$((failed + 1))
    tail -n 5 "$tmp/gateway.log" | sed 's/^/    /'
fi
echo "$passed passed, $failed failed"
[ "$failed" -eq 0 ]
