"""The image for containers, as an OCI archive; no daemon takes part.

Its base holds what the program takes from a system, out of Debian's packages: glibc, git alone
(it fetches nothing, which needs more), certificates. There is no shell. `mmdebstrap` gets the
packages and checks their signatures.
"""

import hashlib
import io
import json
import os
import re
import subprocess
import tarfile
import time

import about
import archive
import contents
import needs

SUITE, GLIBC = "trixie", (2, 41)
# Taken without what they depend on: git starts without what it fetches by.
PACKAGES = "libc6 libgcc-s1 gcc-14-base git libpcre2-8-0 zlib1g ca-certificates"
KEPT = re.compile(r"etc/ld\.so\.conf\.d/.*|usr/bin/git|usr/lib(64)?/(.*/)?(ld-linux|lib(c|gcc_s|m|pcre2|resolv|z)\b)"
                  r".*|usr/lib/.*/lib(dl|pthread|rt)\.so.*|usr/lib/locale/.*|usr/share/ca-certificates/.*"
                  r"|usr/share/doc/[^/]*/copyright|usr/share/git-core/templates/(description|info/.*)|var/lib/dpkg/status\.d/.*")


def base():
    """The base: paths mapped to files, and links mapped to targets."""
    # What `status.d` holds is where scanners look for packages in an image without dpkg.
    hook = (f'cd "$1/tmp" && APT_CONFIG=$MMDEBSTRAP_APT_CONFIG apt-get -q download {PACKAGES} >&2 && '
            'mkdir -p "$1/var/lib/dpkg/status.d" && for deb in *.deb; do dpkg-deb --extract "$deb" "$1" && '
            'dpkg-deb --info "$deb" control >"$1/var/lib/dpkg/status.d/${deb%%_*}"; done && rm -- *.deb')
    packed = subprocess.run(
        ["mmdebstrap", "--quiet", "--variant=custom", f"--customize-hook={hook}",
         SUITE, "-", "http://deb.debian.org/debian"],
        check=True, stdout=subprocess.PIPE,
        env={**os.environ, "SOURCE_DATE_EPOCH": str(about.epoch())}).stdout
    files, links = {}, {}
    with tarfile.open(fileobj=io.BytesIO(packed)) as found:
        for entry in found:
            path = entry.name.removeprefix("./")
            if not KEPT.fullmatch(path):
                continue
            if entry.issym():
                links[path] = entry.linkname
            elif entry.isreg() or entry.islnk():
                data = found.extractfile(entry)
                files[path] = contents.File(data.read(), entry.mode & 0o755)
    # Debian's own package of these links brings much else.
    links |= {name: f"usr/{name}" for name in ("bin", "lib", "lib64")}
    certificates = b"".join(file.data for path, file in sorted(files.items())
                            if path.startswith("usr/share/ca-certificates/mozilla/"))
    files["etc/ssl/certs/ca-certificates.crt"] = contents.File(certificates)
    files["etc/passwd"] = contents.File(b"root:x:0:0:root:/:/nologin\nnobody:x:65534:65534:nobody:/:/nologin\n")
    files["etc/group"] = contents.File(b"root:x:0:\nnogroup:x:65534:\n")
    # What is mounted at /work is of whoever runs the image, and of another number there.
    files["etc/gitconfig"] = contents.File(b"[safe]\n\tdirectory = /work\n")
    return files, links


def made(program):
    """The archive: its file name mapped to its bytes."""
    if needs.glibc(program) > GLIBC:
        raise ValueError(f"the program needs a newer glibc than {SUITE} has")
    architecture = {"x86_64": "amd64", "aarch64": "arm64"}[about.target(program).partition("-")[0]]
    program_files = {f"usr/{path}": file for path, file in contents.tree(program).items()
                     if path.startswith(("bin/", "share/doc/"))}
    layers = [archive.tar(*base(), open_folders=("tmp", "work")), archive.tar(program_files)]
    when = time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(about.epoch()))
    package = about.manifest()
    labels = {
        "org.opencontainers.image.title": about.NAME,
        "org.opencontainers.image.description": package["description"],
        "org.opencontainers.image.version": package["version"],
        "org.opencontainers.image.licenses": package["license"],
        "org.opencontainers.image.source": package["repository"],
        "org.opencontainers.image.base.name": f"debian packages of {SUITE}",
    }
    blobs = {}

    def blob(data, kind, **more):
        digest = hashlib.sha256(data).hexdigest()
        blobs[f"blobs/sha256/{digest}"] = contents.File(data)
        return {"mediaType": f"application/vnd.oci.image.{kind}", "digest": f"sha256:{digest}",
                "size": len(data), **more}

    def as_json(value):
        return json.dumps(value, sort_keys=True).encode()

    config = blob(as_json({
        "created": when, "architecture": architecture, "os": "linux",
        "config": {"Entrypoint": [f"/usr/bin/{about.NAME}"], "Cmd": ["--help"], "WorkingDir": "/work",
                   "Env": ["PATH=/usr/bin", "HOME=/tmp", "LANG=C.UTF-8"], "User": "65534:65534",
                   "Labels": labels},
        "rootfs": {"type": "layers",
                   "diff_ids": [f"sha256:{hashlib.sha256(layer).hexdigest()}" for layer in layers]},
        "history": [{"created": when, "created_by": f"packaging/oci.py: {what}"}
                    for what in (PACKAGES, about.NAME)],
    }), "config.v1+json")
    manifest = blob(as_json({
        "schemaVersion": 2, "mediaType": "application/vnd.oci.image.manifest.v1+json", "config": config,
        "layers": [blob(archive.gz(layer), "layer.v1.tar+gzip") for layer in layers],
        "annotations": labels,
    }), "manifest.v1+json", platform={"architecture": architecture, "os": "linux"},
        # The name that podman and skopeo read, and the one that docker does.
        annotations={"org.opencontainers.image.ref.name": package["version"],
                     "io.containerd.image.name": f"docker.io/library/{about.NAME}:{package['version']}"})
    blobs["index.json"] = contents.File(as_json({
        "schemaVersion": 2, "mediaType": "application/vnd.oci.image.index.v1+json", "manifests": [manifest]}))
    blobs["oci-layout"] = contents.File(b'{"imageLayoutVersion":"1.0.0"}')
    return {f"{about.NAME}-{package['version']}-linux-{architecture}.oci.tar": archive.tar(blobs)}
