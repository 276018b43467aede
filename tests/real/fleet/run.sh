#!/usr/bin/env bash
# Tries `fleet/ray/driver.py` with a real Ray cluster of two workers on this machine: 50 small repositories,
# published while workers, programs, a machine and the driver itself are killed. What is then found has to be
# exactly what a plain loop on one machine publishes.
#
#   tests/real/fleet/run.sh [--keep] BINARY
#
#   --keep   leave the temporary folder, and say where
#
# Needs git, ps, python3 (3.11 or later) with venv, and on each run PyPI: what `fleet/ray/requirements.txt`
# names is installed into the temporary folder. Nothing else is written. Six minutes with a debug build on two
# busy cores. It is not part of `cargo test`.
#
# One line per check, `ok: ...` or `FAILED: ...` with what was seen; the last line counts them.
# Exit code 1 if a check failed, 2 if the libraries or the cluster could not be brought up.
set -euo pipefail

here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
keep=
[ "${1:-}" != --keep ] || { keep=1 && shift; }
if [ $# -ne 1 ]; then sed -n '2,/^set /{/^set /!s/^# \{0,1\}//p}' "$0" && exit 2; fi
elophanto=$(command -v "$1") || { echo "no such program: $1" >&2; exit 2; }
elophanto=$(cd "$(dirname "$elophanto")" && pwd)/$(basename "$elophanto")

# Short: names of Ray's sockets have to fit into 107 bytes.
tmp=$(mktemp -d "${TMPDIR:-/tmp}/ef.XXXXXX")
cluster=
finish() {
    local code=$?
    trap - EXIT INT TERM
    exec 9>&- # The cluster ends with its standard input.
    [ -z "$cluster" ] || wait "$cluster" 2>/dev/null || true
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

mkdir -p "$tmp/home" "$tmp/tmp/ray"
python3 -m venv "$tmp/venv" || give_up "no venv"
"$tmp/venv/bin/pip" install --quiet --disable-pip-version-check --require-hashes -r "$here/../../../fleet/ray/requirements.txt" \
    >"$tmp/pip.log" 2>&1 || give_up "could not install what the driver needs" "$tmp/pip.log"
python="$tmp/venv/bin/python"
PYTHONPYCACHEPREFIX=$tmp/pyc "$python" -m compileall -q "$here/../../../fleet/ray" "$here" || give_up "no Python"

# With a home of its own and no variable of ours but PATH, the cluster as well.
sealed() {
    env -i PATH="$PATH" LANG=C.UTF-8 HOME="$tmp/home" TMPDIR="$tmp/tmp" GIT_CONFIG_GLOBAL=/dev/null \
        GIT_CONFIG_NOSYSTEM=1 RAY_USAGE_STATS_ENABLED=0 PYTHONDONTWRITEBYTECODE=1 "$@"
}
mkfifo "$tmp/life"
sealed "$python" "$here/cluster.py" "$tmp" <"$tmp/life" >"$tmp/cluster.log" 2>&1 &
cluster=$!
exec 9>"$tmp/life"
for _ in $(seq 600); do
    [ -f "$tmp/address" ] && break
    kill -0 "$cluster" 2>/dev/null || break
    sleep 0.2
done
[ -f "$tmp/address" ] || give_up "the cluster does not start" "$tmp/cluster.log"

code=0
sealed "$python" "$here/check.py" "$tmp" "$elophanto" 2>"$tmp/errors" | tee "$tmp/checks" || code=$?
passed=$(grep -c '^ok: ' "$tmp/checks" || true)
failed=$(grep -c '^FAILED: ' "$tmp/checks" || true)
if [ "$code" -ne 0 ]; then
    echo "FAILED: the checks ended early with exit code $code" && failed=$((failed + 1))
    tail -n 12 "$tmp/errors" | sed 's/^/    /'
fi
echo "$passed passed, $failed failed"
[ "$failed" -eq 0 ]
