# The npm packages, from a registry of our own on this machine, as npm gets them from the real one.
python3 "$here/try/registry.py" "$made" 48732 >/dev/null 2>&1 &
registry=$!
listens 48732
node_prefix=$work/node
npm_with() {
    npm --prefix "$node_prefix" --registry http://127.0.0.1:48732 --cache "$work/npm" --userconfig "$work/npmrc" \
        --ignore-scripts --no-audit --no-fund "$@"
}
node_bin=$(dirname "$(command -v node)")
mkdir -p "$node_prefix"
check "npm installs it" npm_with install --global elophanto
check "the platform's package came along" test -n "$(find "$node_prefix" -path '*@elophanto*' -name elophanto -type f)"
check "its program answers" answers env PATH="$node_bin:/usr/bin:/bin" "$node_prefix/bin/elophanto"
check "it ends as the program ends" sh -c "cd '$clone'; '$node_prefix/bin/elophanto' --no-such-argument; [ \$? -eq 2 ]"
check "npm removes it" npm_with uninstall --global elophanto
check "nothing remains" test -z "$(listed "$node_prefix")"
without_platform() {
    npm_with install --global elophanto && find "$node_prefix" -name '@elophanto' -prune -exec rm -r {} + &&
        refuses "is not installed" "$node_prefix/bin/elophanto"
}
check "without the platform's package it says so" without_platform
kill "$registry"
