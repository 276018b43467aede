# The archives: the same bytes when made again elsewhere, whole, with a valid bill of materials.
again() {
    (cd / && umask 077 && TZ=Asia/Tokyo LC_ALL=C python3 "$here/dist.py" "$program" --all --out "$work/again") &&
        diff -r "$made" "$work/again"
}
check "made twice: the same bytes" again
check "sums" sh -c "cd '$made' && sha256sum --quiet --check SHA256SUMS"

label=$(basename "$made"/*.tar.gz .tar.gz)
mkdir "$work/gz" "$work/zst"
tar -xzf "$made/$label.tar.gz" -C "$work/gz"
tar --zstd -xf "$made/$label.tar.zst" -C "$work/zst"
check "both archives hold the same" diff -r "$work/gz" "$work/zst"
check "the program of the archive answers" answers "$work/gz/$label/bin/elophanto"
check "completions of bash" bash -n "$work/gz/$label/share/bash-completion/completions/elophanto"

manual() {
    local pages=("$work/gz/$label"/share/man/man1/*.1)
    # One for each command of the help, and the first.
    [ "${#pages[@]}" -gt 20 ] && grep -q "search" "${pages[0]%/*}/elophanto-search.1"
}
check "a page for each command" manual

licences() {
    # Each crate of the bill has a line, and under it the numbers of texts that are there.
    python3 - "$work/gz/$label/share/doc/elophanto" <<'PY'
import json, pathlib, re, sys
folder = pathlib.Path(sys.argv[1])
text = (folder / "LICENSES-OF-DEPENDENCIES.txt").read_text()
crates = {(c["name"], c["version"]) for c in json.loads((folder / "elophanto.cdx.json").read_text())["components"]}
told = {(name, version): set(map(int, re.findall(r"\d+", numbers)))
        for name, version, numbers in re.findall(r"^(\S+) (\S+): .*\n    texts (.*)$", text, re.MULTILINE)}
texts = set(map(int, re.findall(r"^Text (\d+)$", text, re.MULTILINE)))
assert len(crates) > 300 and told.keys() == crates, told.keys() ^ crates
assert all(numbers and numbers <= texts for numbers in told.values())
PY
}
check "every crate with its licence" licences

bill() {
    venv "$work/bill" && "$work/bill/bin/pip" install --quiet 'cyclonedx-python-lib[json-validation]' &&
        "$work/bill/bin/python" - "$made/$label.cdx.json" <<'PY'
import json, sys
from cyclonedx.schema import SchemaVersion
from cyclonedx.validation.json import JsonStrictValidator
valid = JsonStrictValidator(SchemaVersion.V1_5)
text = open(sys.argv[1]).read()
assert valid.validate_str(text) is None, valid.validate_str(text)
# That the validator would have said something.
assert valid.validate_str(text.replace('"library"', '"librarian"')) is not None
references = [c["bom-ref"] for c in json.loads(text)["components"]]
assert len(references) == len(set(references))
PY
}
check "the bill of materials is CycloneDX 1.5" bill
