# The whole gate: what must pass before a change lands.
ci: fmt clippy test doc deny

fmt:
    cargo fmt --all --check

clippy:
    cargo clippy --all-targets -- -D warnings

test:
    cargo test

doc:
    RUSTDOCFLAGS="-D warnings" cargo doc --no-deps

# Advisories, licences, sources and banned crates; needs cargo-deny and its database of advisories.
deny:
    cargo deny check

# Whole-process figures of the release build, on Markdown found in cargo's own sources; of a fleet:
# `just bench fleet [--small] [--rows N] [--sets DIR]`
bench *ARGS:
    cargo bench --bench {{ if ARGS =~ '^fleet\b' { "fleet" } else { "figures" } }} -- {{ARGS}}

# Kills, damaged files, hostile settings, bombs and races against the release build, at random.
# `just attack --seconds 3600`, `just attack --seed 7 kills`, `just attack --kills 200 fleet`
attack *ARGS:
    cargo bench --bench attack -- {{ARGS}}

# Retrieval quality on a folder of test sets (corpus.jsonl, queries.jsonl, qrels.tsv in each).
eval DIR:
    for set in {{DIR}}/*/; do echo "$set"; cargo run --release --quiet -- eval "$set"; done

# The MCP server with the official SDKs and the Inspector; needs Node, Python and their registries.
real-mcp:
    cargo build
    tests/real/mcp/run.sh "${CARGO_TARGET_DIR:-target}/debug/elophanto"

# Archives of a release in target/packages: `just dist [PROGRAM] [--all] [--out DIR]`
dist *ARGS:
    packaging/dist.py {{ARGS}}

# Each package made, installed in a fresh place, asked, and removed; as root all of them.
try-packages PROGRAM:
    packaging/try.sh {{PROGRAM}}

# Whether a version may be released. Publishes nothing.
release VERSION:
    packaging/release.py {{VERSION}}

# The picture at the top of the README.
picture PROGRAM:
    packaging/picture.py {{PROGRAM}} assets/pictures/terminal.svg \
        'search "how does the index survive a merge" -n 2' \
        'search --answer "why can git not merge a Lance table"'
