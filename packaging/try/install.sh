# install.sh: installs, says what it did, refuses what is wrong, and leaves nothing.
label=$(basename "$made"/*.tar.gz .tar.gz)
prefix=$work/prefix
installer() {
    HOME=$work sh "$here/install.sh" --version "$version" --from "${from:-$made}" "$@"
}

says_what_it_did() {
    said=$(installer --prefix "$prefix") && echo "$said" && grep -q "sum checked" <<<"$said" &&
        grep -q "add it to your PATH" <<<"$said"
}
check "installs and says so" says_what_it_did
check "the installed program answers" answers "$prefix/bin/elophanto"
check "installs over itself" installer --prefix "$prefix"
as_the_readme_has_it() {
    HOME=$work/readme sh "$here/install.sh" --from "$made" && answers "$work/readme/.local/bin/elophanto" &&
        HOME=$work/readme sh "$here/install.sh" --uninstall && test ! -e "$work/readme/.local"
}
mkdir "$work/readme"
check "the version is that of the folder" as_the_readme_has_it
check "removes itself" installer --uninstall --prefix "$prefix"
check "nothing remains" test ! -e "$prefix"

cp -r "$made" "$work/wrong" && echo more >>"$work/wrong/$label.tar.gz"
from=$work/wrong check "a wrong sum is refused" refuses "wrong sum" installer --prefix "$prefix"
check "and nothing is installed" test ! -e "$prefix"

mkdir -p "$work/other" && printf '#!/bin/sh\necho elophanto 0.0.9\n' >"$work/other/elophanto" && chmod +x "$work/other/elophanto"
tells_of_another() {
    said=$(PATH=$work/other:$PATH installer --prefix "$prefix") && grep -F "$work/other/elophanto (elophanto 0.0.9)" <<<"$said"
    installer --uninstall --prefix "$prefix"
}
check "another one on PATH is told" tells_of_another
mkdir -p "$work/by_hand/bin" && cp "$work/other/elophanto" "$work/by_hand/bin"
check "one that was put there otherwise is left" refuses "was not put there by this script" installer --prefix "$work/by_hand"
one_put_there_since() {
    installer --prefix "$prefix" && cp "$work/other/elophanto" "$prefix/bin/elophanto" || return
    refuses "was changed since" installer --prefix "$prefix" && installer --uninstall --prefix "$prefix" &&
        cmp "$work/other/elophanto" "$prefix/bin/elophanto" && [ "$(listed "$prefix")" = ./bin/elophanto ]
    local said=$?
    rm -rf "$prefix"
    return $said
}
check "one that was put there since is left" one_put_there_since
# Killed while it puts files in place, it can be done again, and removed.
killed() {
    mkdir -p "$work/slow"
    printf '#!/bin/sh\nsleep 0.2\nexec %s "$@"\n' "$(command -v mv)" >"$work/slow/mv"
    chmod +x "$work/slow/mv"
    PATH=$work/slow:$PATH HOME=$work setsid sh "$here/install.sh" --from "$made" --prefix "$prefix" >/dev/null 2>&1 &
    local run=$!
    until [ -e "$prefix/share/elophanto/installed" ]; do sleep 0.1; done
    sleep 1
    kill -KILL -- "-$run"
    wait "$run"
    [ -n "$(listed "$prefix")" ] && "$@" --prefix "$prefix"
}
removed() { [ -z "$(cd "$prefix" && find . ! -type d ! -path './.elophanto.*')" ] && rm -rf "$prefix"; }
check "killed, it is installed again" killed installer
check "and removed" eval 'installer --uninstall --prefix "$prefix" && removed'
check "killed, it is removed" killed installer --uninstall
check "and nothing is left" removed

(cd "$made" && exec python3 -m http.server --bind 127.0.0.1 48731) >/dev/null 2>&1 &
server=$!
listens 48731
from=http://127.0.0.1:48731 check "installs over the network" installer --prefix "$prefix"
installer --uninstall --prefix "$prefix" >/dev/null
kill "$server"

if [ "$(id -u)" -eq 0 ]; then
    mkdir -p "$work/closed" "$work/small"
    as_nobody() {
        setpriv --reuid=65534 --regid=65534 --clear-groups "$@"
    }
    check "no permission is told" refuses "cannot" as_nobody env HOME="$work/closed" \
        sh "$here/install.sh" --version "$version" --from "$made" --prefix "$work/closed/prefix"
    if mount -t tmpfs -o size=2m tmpfs "$work/small" 2>/dev/null; then
        check "no space is told" refuses "No space left" installer --prefix "$work/small/prefix"
        check "and nothing is left of it" test -z "$(ls -A "$work/small")"
        umount "$work/small"
    else
        skip "no space" "nothing can be mounted here"
    fi
else
    skip "no permission, no space" "only root can become nobody and mount"
fi
