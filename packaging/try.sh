#!/usr/bin/env bash
# Makes all packages of a built program for Linux, installs each in a fresh place, asks it something
# about this repository, removes it, and looks whether anything remains.
#
#   packaging/try.sh PROGRAM [archives install action wheel npm hooks deb image systems]
#
# Needs Python with its venv module, Node, git and the registries of both; as root also mmdebstrap,
# skopeo, umoci and Debian's packages, for roots that are kept in ${ROOTS:-/var/tmp/elophanto-roots}.
# What cannot be tried here is skipped and says why. Exit code 1 if something failed.
set -uo pipefail
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
program=$(realpath "$1")
shift
repository=$(dirname "$here")
roots=${ROOTS:-/var/tmp/elophanto-roots}
work=$(mktemp -d)
chmod 755 "$work"
trap 'rm -rf "$work"' EXIT
. "$here/try/common.sh"
made=$work/made clone=$work/clone
version=$("$program" --version | cut -d ' ' -f 2)
git clone --quiet "$repository" "$clone" 2>/dev/null
python3 "$here/dist.py" "$program" --all --out "$made" >"$work/made.log" 2>&1 || { cat "$work/made.log"; exit 2; }

for part in "${@:-archives install action wheel npm hooks deb image systems}"; do
    for name in $part; do
        echo "# $name"
        . "$here/try/$name.sh"
    done
done
echo "$passed passed, $failed failed, $skipped skipped"
[ "$failed" -eq 0 ]
