"""The npm packages: one with the launcher, one for each platform with the program.

The launcher asks for all platforms as optional dependencies, of which npm takes the one that fits;
nothing is run at installation.
"""

import json

import about
import archive
import contents

# Target triples mapped to what npm calls such a machine: `os`, `cpu`, `libc`.
PLATFORMS = {
    "x86_64-unknown-linux-gnu": ("linux", "x64", "glibc"),
    "x86_64-unknown-linux-musl": ("linux", "x64", "musl"),
    "aarch64-unknown-linux-gnu": ("linux", "arm64", "glibc"),
    "aarch64-unknown-linux-musl": ("linux", "arm64", "musl"),
    "x86_64-apple-darwin": ("darwin", "x64", None),
    "aarch64-apple-darwin": ("darwin", "arm64", None),
}


def package_name(target):
    return f"@{about.NAME}/" + "-".join(filter(None, PLATFORMS[target]))


def described(name, **more):
    package = about.manifest()
    return {"name": name, "version": package["version"], "description": package["description"],
            "license": package["license"], "repository": package["repository"], **more}


def packed(description, files):
    """npm's own form: a gzipped tar with everything below `package/`."""
    text = json.dumps(description, indent=2) + "\n"
    files = {"package.json": contents.File(text.encode()), **files}
    return archive.gz(archive.tar({f"package/{path}": file for path, file in files.items()}))


def made(program):
    """Both packages: file names mapped to bytes."""
    target, version = about.target(program), about.manifest()["version"]
    system, processor, libc = PLATFORMS[target]
    tree = contents.tree(program)
    doc = f"share/doc/{about.NAME}/"
    licences = {path.removeprefix(doc): file for path, file in tree.items()
                if path.startswith(f"{doc}LICENSE")}
    pages = {path.removeprefix("share/"): file for path, file in tree.items() if "/man1/" in path}
    launcher = (about.ROOT / "packaging/npm/launcher.js").read_bytes()
    main = described(
        about.NAME,
        keywords=about.manifest()["keywords"],
        bin={about.NAME: "bin/launcher.js"},
        man=sorted(f"./{path}" for path in pages),
        engines={"node": ">=18"},
        optionalDependencies={package_name(known): version for known in PLATFORMS},
    )
    own = {name: licences[name] for name in ("LICENSE-APACHE", "LICENSE-MIT")}
    platform = described(package_name(target), os=[system], cpu=[processor], preferUnplugged=True,
                         **({"libc": [libc]} if libc else {}))
    label = package_name(target).removeprefix("@").replace("/", "-")
    return {
        f"{about.NAME}-{version}.tgz":
            packed(main, {"bin/launcher.js": contents.File(launcher, 0o755), **pages, **own}),
        f"{label}-{version}.tgz":
            packed(platform, {f"bin/{about.NAME}": tree[f"bin/{about.NAME}"], **licences}),
    }
