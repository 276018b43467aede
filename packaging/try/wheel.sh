# The wheel: installed by pip into a fresh environment, and run by uvx.
wheel=$(echo "$made"/*.whl)
venv "$work/tools" && "$work/tools/bin/pip" install --quiet twine check-wheel-contents auditwheel uv
check "twine" "$work/tools/bin/twine" check --strict "$wheel"
# W007: no Python is in it.
check "check-wheel-contents" "$work/tools/bin/check-wheel-contents" --ignore W007 "$wheel"
tag=$(basename "$wheel" .whl | sed 's/.*-//')
says_what_it_needs() {
    said=$("$work/tools/bin/auditwheel" show "$wheel") && grep -F "\"$tag\"" <<<"$said"
}
check "its name says what it needs: $tag" says_what_it_needs
venv "$work/venv"
listed "$work/venv" >"$work/before"
check "pip installs it" "$work/venv/bin/pip" install --quiet --no-index "$wheel"
check "its program answers" answers "$work/venv/bin/elophanto"
check "its manual is there" test -s "$work/venv/share/man/man1/elophanto.1"
check "pip removes it" "$work/venv/bin/pip" uninstall --quiet --yes elophanto
listed "$work/venv" >"$work/after"
check "nothing remains" same "$work/before" "$work/after"
check "uvx runs it" answers env UV_CACHE_DIR="$work/uv" "$work/tools/bin/uvx" --offline --from "$wheel" elophanto
