#!/usr/bin/env bash
# Tries the language server with clients which nobody here wrote: pytest-lsp from PyPI, Neovim and
# Emacs with eglot, headless. Each opens a clone of this repository, asks for each feature, and prints
# what it got.
#
#   tests/real/lsp/run.sh [--keep] BINARY
#
#   --keep   leave the temporary folder, and say where
#
# Needs git and python3 (3.10 or later) with venv, pip and PyPI: pytest-lsp is installed into the
# temporary folder in the versions that requirements.txt pins. Of `nvim` (0.7 or later) and `emacs`
# with eglot (Debian: neovim, emacs-nox, elpa-eglot) what is there is tried. Nothing else is written.
# One to two minutes with a debug build. It is not part of `cargo test`.
#
# One line per check, `ok: ...` or `FAILED: ...`; the last line counts them. Exit code 1 if a check
# failed, 2 if nothing could be tried.
set -euo pipefail

here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
top=$(cd "$here/../../.." && pwd)
keep=
[ "${1:-}" != --keep ] || { keep=1 && shift; }
if [ $# -ne 1 ]; then sed -n '2,/^set /{/^set /!s/^# \{0,1\}//p}' "$0" && exit 2; fi
elophanto=$(command -v "$1") || { echo "no such program: $1" >&2; exit 2; }
elophanto=$(cd "$(dirname "$elophanto")" && pwd)/$(basename "$elophanto")

tmp=$(mktemp -d "${TMPDIR:-/tmp}/elophanto-lsp.XXXXXX")
finish() {
    local code=$?
    trap - EXIT INT TERM
    if [ -n "$keep" ]; then echo "kept: $tmp" >&2; else rm -rf "$tmp"; fi
    exit "$code"
}
trap finish EXIT
trap 'exit 130' INT TERM

home=$tmp/home
repo=$tmp/repo
mkdir -p "$home/.config/elophanto" "$home/bin"
printf 'index.background: false\nllm.providers.ollama.base_url: http://127.0.0.1:2\n' >"$home/.config/elophanto/config.yaml"
chmod 700 "$home/.config/elophanto"
ln -s "$elophanto" "$home/bin/elophanto"
git clone -q --no-hardlinks "$top" "$repo"
sealed() {
    (cd "$repo" && exec env -i PATH="$home/bin:$PATH" LANG=C.UTF-8 HOME="$home" TMPDIR="$tmp" TERM=dumb \
        GIT_CONFIG_GLOBAL=/dev/null GIT_CONFIG_NOSYSTEM=1 REPO="$repo" ELOPHANTO="$elophanto" \
        PYTHONDONTWRITEBYTECODE=1 "$@")
}
# The view, so that what follows is about the server alone.
sealed elophanto search --no-color "what is a chunk" >/dev/null

passed=0
failed=0
count() {
    passed=$((passed + $(grep -c '^ok: ' "$1" || true)))
    failed=$((failed + $(grep -c '^FAILED: ' "$1" || true)))
}

python3 -m venv "$tmp/python" || { echo "python3 has no venv" >&2; exit 2; }
"$tmp/python/bin/pip" install --disable-pip-version-check -q --require-hashes -r "$here/requirements.txt"
cp "$here/test_lsp.py" "$tmp"
code=0
sealed timeout 600 "$tmp/python/bin/python" -m pytest -q -rA --tb=short -p no:cacheprovider -c /dev/null \
    --rootdir="$tmp" "$tmp/test_lsp.py" >"$tmp/pytest.log" 2>&1 || code=$?
grep -A4 'Captured stdout call' "$tmp/pytest.log" | grep -v '^--' || true
sed -n 's/^PASSED .*::/ok: pytest-lsp: /p; s/^FAILED .*::/FAILED: pytest-lsp: /p; s/^ERROR .*::/FAILED: pytest-lsp: /p' \
    "$tmp/pytest.log" | tee "$tmp/pytest.checks"
[ -s "$tmp/pytest.checks" ] || { tail -n 30 "$tmp/pytest.log" >&2; exit 2; }
count "$tmp/pytest.checks"

try() { # NAME PLUGIN COMMAND...
    local name=$1 plugin=$2 code=0
    shift 2
    command -v "$1" >/dev/null || { echo "not here: $name" >&2; return 0; }
    sealed env PLUGIN="$plugin" timeout 300 "$@" >"$tmp/$name.log" 2>"$tmp/$name.errors" </dev/null || code=$?
    grep -E '^(ok|FAILED): ' "$tmp/$name.log" | tee "$tmp/$name.checks" || true
    if [ "$code" -ne 0 ] && ! grep -q '^FAILED: ' "$tmp/$name.checks"; then
        echo "FAILED: $name ended early with exit code $code" | tee -a "$tmp/$name.checks"
        tail -n 12 "$tmp/$name.errors" | sed 's/^/    /'
    fi
    count "$tmp/$name.checks"
}

try neovim "$top/editors/neovim/elophanto.lua" nvim --clean -n --headless -c "luafile $here/neovim.lua"
try emacs "$top/editors/emacs/elophanto.el" emacs -q --batch -l "$here/emacs.el"

echo "$passed passed, $failed failed"
[ "$failed" -eq 0 ]
