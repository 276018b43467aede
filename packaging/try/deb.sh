# The Debian package: checked by lintian, installed by apt in a fresh system, removed by it.
deb=$(echo "$made"/*.deb)
if command -v lintian >/dev/null; then
    check "lintian" lintian --allow-root --fail-on error,warning "$deb"
else
    skip "lintian" "it is not here"
fi
root=$work/debian
if [ "$(id -u)" -eq 0 ] && command -v mmdebstrap >/dev/null && root_of bookworm "$root"; then
    cp "$deb" "$root/tmp/e.deb"
    system() {
        (cd "$root" && find usr etc bin sbin lib ! -type d | sort)
    }
    system >"$work/before"
    check "apt installs it" in_root "$root" apt-get install --yes --no-install-recommends /tmp/e.deb
    check "all files are as they were packed" in_root "$root" dpkg --verify elophanto
    finds() {
        in_root "$root" sh -c "cd /clone && elophanto search '$question' -n 1" | grep -Fq "$answer"
    }
    check "its program answers" finds
    check "its manual is there" test -s "$root/usr/share/man/man1/elophanto-search.1.gz"
    check "apt removes it" in_root "$root" apt-get purge --yes elophanto
    system >"$work/after"
    check "nothing remains" same "$work/before" "$work/after"
    rm -rf "$root"
else
    skip "apt" "a Debian system needs root, mmdebstrap and Debian's packages"
fi
