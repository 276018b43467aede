"""The Python wheel: the program as a script, its manual and completions as data.

The platform in its name is the oldest on which the program runs.
"""

import base64
import email.message
import hashlib

import about
import archive
import contents
import needs

# What PEP 600 lets a wheel take from the system, of what a Rust program may want.
ALLOWED = {"libc.so.6", "libm.so.6", "libgcc_s.so.1", "libpthread.so.0", "libdl.so.2", "librt.so.1",
           "libz.so.1", "ld-linux-x86-64.so.2", "ld-linux-aarch64.so.1"}


def platform(program):
    """The platform tag."""
    machine, _, system = about.target(program).partition("-")
    if system == "unknown-linux-gnu":
        foreign = set(needs.libraries(program)) - ALLOWED
        if foreign:
            raise ValueError(f"not to be had on every Linux: {', '.join(sorted(foreign))}")
        major, minor = needs.glibc(program)
        return f"manylinux_{major}_{minor}_{machine}"
    if system == "unknown-linux-musl":
        return f"musllinux_1_2_{machine}"
    # The oldest macOS of Rust's own targets.
    return {"aarch64": "macosx_11_0_arm64", "x86_64": "macosx_10_12_x86_64"}[machine]


def description():
    package = about.manifest()
    fields = email.message.EmailMessage()
    fields["Metadata-Version"] = "2.4"
    fields["Name"] = about.NAME
    fields["Version"] = package["version"]
    fields["Summary"] = package["description"]
    fields["Author-email"] = about.AUTHOR
    fields["License-Expression"] = package["license"]
    for licence in ("LICENSE-APACHE", "LICENSE-MIT", "LICENSES-OF-DEPENDENCIES.txt"):
        fields["License-File"] = licence
    fields["Keywords"] = ",".join(package["keywords"])
    fields["Project-URL"] = f"Repository, {package['repository']}"
    fields["Requires-Python"] = ">=3.8"
    fields["Description-Content-Type"] = "text/markdown"
    fields.set_content(f"{package['description']}.\n\n```sh\nuvx {about.NAME} search \"...\"\n```\n")
    return "".join(f"{key}: {value}\n" for key, value in fields.items()
                   if key not in ("MIME-Version", "Content-Type", "Content-Transfer-Encoding")) \
        + "\n" + fields.get_content()


def made(program):
    """The wheel: its file name mapped to its bytes."""
    tag = f"py3-none-{platform(program)}"
    label = f"{about.NAME}-{about.manifest()['version']}"
    info, doc = f"{label}.dist-info", f"share/doc/{about.NAME}"
    files = {}
    for path, file in contents.tree(program).items():
        if path.startswith("bin/"):
            files[f"{label}.data/scripts/{path.removeprefix('bin/')}"] = file
        elif path.startswith(f"{doc}/LICENSE"):
            files[f"{info}/licenses/{path.removeprefix(doc + '/')}"] = file
        elif path.endswith(".cdx.json"):
            files[f"{info}/sboms/{about.NAME}.cdx.json"] = file
        else:
            files[f"{label}.data/data/{path}"] = file
    files[f"{info}/METADATA"] = contents.File(description().encode())
    files[f"{info}/WHEEL"] = contents.File(
        f"Wheel-Version: 1.0\nGenerator: {about.NAME}\nRoot-Is-Purelib: false\nTag: {tag}\n".encode())
    record = f"{info}/RECORD"
    rows = []
    for path, file in files.items():
        digest = base64.urlsafe_b64encode(hashlib.sha256(file.data).digest()).rstrip(b"=").decode()
        rows.append(f"{path},sha256={digest},{len(file.data)}\n")
    files[record] = contents.File("".join([*rows, f"{record},,\n"]).encode())
    return {f"{label}-{tag}.whl": archive.zipped(files)}
