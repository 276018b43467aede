# Older systems and processors: the program runs, or its needs say why not.
needs=$(cd "$here" && python3 -c "import needs, sys; print('%d.%d' % needs.glibc(sys.argv[1]))" "$program")
echo "        it needs glibc $needs"
for suite in bullseye bookworm trixie; do
    root=$work/$suite
    if [ "$(id -u)" -ne 0 ] || ! command -v mmdebstrap >/dev/null || ! root_of "$suite" "$root"; then
        skip "$suite" "a Debian system needs root, mmdebstrap and Debian's packages"
        continue
    fi
    cp "$program" "$root/usr/bin/elophanto"
    there=$(in_root "$root" ldd --version | sed -n '1s/.* //p')
    finds() {
        in_root "$root" sh -c "cd /clone && elophanto search '$question' -n 1" | grep -Fq "$answer"
    }
    if [ "$(printf '%s\n' "$needs" "$there" | sort --version-sort | tail -n 1)" = "$there" ]; then
        check "$suite, glibc $there: answers" finds
    else
        check "$suite, glibc $there: does not start, and says why" refuses "GLIBC_$needs" in_root "$root" elophanto --version
        cp -r "$here/install.sh" "$made" "$root/tmp"
        check "and install.sh leaves it out, and says why" refuses "GLIBC_$needs" \
            in_root "$root" sh /tmp/install.sh --from "/tmp/${made##*/}" --prefix /tmp/prefix
        check "and nothing is installed" test ! -e "$root/tmp/prefix"
        check "and apt refuses it" refuses "libc6 (>= $needs)" \
            in_root "$root" sh -c "apt-get install --yes /tmp/${made##*/}/*.deb"
    fi
    rm -rf "$root"
done
if command -v qemu-x86_64 >/dev/null && [ "$(uname -m)" = x86_64 ]; then
    check "a processor without AVX (Nehalem): answers" answers qemu-x86_64 -cpu Nehalem "$program"
    check "a processor with SSE2 alone (qemu64): answers" answers qemu-x86_64 -cpu qemu64 "$program"
else
    skip "older processors" "qemu-user is not here"
fi
