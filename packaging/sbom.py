"""The software bill of materials: CycloneDX 1.5 in JSON, from the graph that Cargo built.

Crates that only take part in building are in it with the scope `excluded`.
"""

import datetime
import json
import re
import tomllib
import uuid

import about
import licences


def checksums():
    """`(name, version)` mapped to the SHA-256 of a crate's archive, in hexadecimal."""
    locked = tomllib.loads((about.ROOT / "Cargo.lock").read_text())
    return {(crate["name"], crate["version"]): crate["checksum"]
            for crate in locked["package"] if "checksum" in crate}


def purl(package):
    return f"pkg:cargo/{package['name']}@{package['version'].replace('+', '%2B')}"


def component(package, scope, hashes):
    made = {
        "type": "library",
        "bom-ref": purl(package),
        "name": package["name"],
        "version": package["version"],
        "scope": scope,
        "licenses": [{"expression": licences.expression(package)}],
        "purl": purl(package),
    }
    digest = hashes.get((package["name"], package["version"]))
    if digest:
        made["hashes"] = [{"alg": "SHA-256", "content": digest}]
    if re.match(r"https?://\S+$", package["repository"] or ""):
        made["externalReferences"] = [{"type": "vcs", "url": package["repository"]}]
    return made


def document(target):
    """The whole file, as text."""
    graph = about.metadata(target)
    packages = {package["id"]: package for package in graph["packages"]}
    crates, hashes = licences.crates(target), checksums()
    ours = {key for key, package in packages.items() if not package["source"]}
    needs = {node["id"]: {needed["pkg"] for needed in node["deps"]
                          if any(dep["kind"] != "dev" for dep in needed["dep_kinds"])}
             for node in graph["resolve"]["nodes"]}

    def reference(key):
        return purl(packages[key])

    # Our own crates are one program to the outside: what they need, it needs.
    program = set().union(*(needs[key] for key in ours)) - ours
    version = about.manifest()["version"]
    root = f"pkg:generic/{about.NAME}@{version}"
    made_at = datetime.datetime.fromtimestamp(about.epoch(), datetime.UTC)
    listed = {root: program} | {reference(key): needs[key] - ours for key in crates}
    return json.dumps({
        "$schema": "http://cyclonedx.org/schema/bom-1.5.schema.json",
        "bomFormat": "CycloneDX",
        "specVersion": "1.5",
        "serialNumber": uuid.uuid5(uuid.NAMESPACE_URL, f"{root}#{target}@{about.epoch()}").urn,
        "version": 1,
        "metadata": {
            "timestamp": made_at.strftime("%Y-%m-%dT%H:%M:%SZ"),
            "component": {
                "type": "application",
                "bom-ref": root,
                "name": about.NAME,
                "version": version,
                "description": about.manifest()["description"],
                "licenses": [{"expression": about.manifest()["license"]}],
            },
            "properties": [{"name": "cargo:target", "value": target}],
        },
        "components": [component(package, scope, hashes) for package, scope in crates.values()],
        "dependencies": [{"ref": ref,
                          "dependsOn": sorted(reference(key) for key in needed if key in crates)}
                         for ref, needed in sorted(listed.items())],
    }, indent=1) + "\n"
