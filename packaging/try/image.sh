# The image: read by skopeo, unpacked by umoci, and its program started inside of it.
image=$(echo "$made"/*.oci.tar)
if [ "$(id -u)" -eq 0 ] && command -v skopeo >/dev/null && command -v umoci >/dev/null; then
    check "skopeo reads it" skopeo inspect "oci-archive:$image:$version"
    check "skopeo copies it, with all its digests" skopeo --insecure-policy copy "oci-archive:$image:$version" "oci:$work/layout:$version"
    check "umoci unpacks it" umoci unpack --image "$work/layout:$version" "$work/bundle"
    cp -rT "$clone" "$work/bundle/rootfs/work"
    # What whoever runs an image brings along.
    mkdir -p "$work/bundle/rootfs/dev" && mknod -m 666 "$work/bundle/rootfs/dev/null" c 1 3
    inside() {
        # As the image's user, who owns nothing there.
        env -i HOME=/tmp PATH=/usr/bin unshare --root="$work/bundle/rootfs" --wd=/work --setuid 65534 --setgid 65534 "$@"
    }
    runs() {
        inside elophanto search "$question" -n 1 | grep -Fq "$answer"
    }
    check "its program answers" runs
    check "its git reads what is mounted" inside git log -1 --format=%H
    check "it has no shell" test ! -e "$work/bundle/rootfs/bin/sh"
else
    skip "the image" "it needs root, skopeo and umoci"
fi
