//! Imports point one way, and what must stay in one room stays there.

use std::{collections::BTreeSet, fs, path::Path};

/// Rooms and the rooms they may import. Top to bottom: a room may only import rooms below it.
const ROOMS: &[(&str, &[&str])] = &[
    ("bin", &["cli"]),
    (
        "cli",
        &[
            "server",
            "agent",
            "develop",
            "plugins",
            "mcp_client",
            "skills",
            "tools",
            "checkpoint",
            "fence",
            "permissions",
            "hooks",
            "init",
            "config",
            "eval",
            "on_commit",
            "corpus",
            "references",
            "memory",
            "learn",
            "scan",
            "notify",
            "providers",
            "schedule",
            "links",
            "search",
            "drift",
            "graph",
            "index",
            "store",
            "repo",
            "desk",
            "chunk",
            "llm",
            "vault",
            "web",
            "embed",
            "enrich",
            "http",
            "authoring",
            "clients",
            "interest",
            "journal",
            "jsonl",
            "lexical",
            "extract",
            "entity",
            "process",
            "reading",
            "secrets",
            "changelog",
            "outline",
            "markdown",
            "one_line",
            "stand_in",
            "visible",
        ],
    ),
    ("server", &["one_line", "visible"]),
    ("develop", &["agent", "plugins", "permissions", "llm", "one_line", "secrets", "visible"]),
    ("plugins", &["agent", "permissions", "llm", "process", "one_line", "secrets", "visible"]),
    ("mcp_client", &["agent", "permissions", "process", "one_line", "visible"]),
    ("tools", &["agent", "permissions", "repo", "secrets", "one_line", "visible"]),
    ("agent", &["permissions", "llm", "jsonl", "secrets", "one_line", "visible"]),
    ("skills", &["process", "lexical", "one_line", "visible", "yaml"]),
    ("checkpoint", &["repo", "jsonl"]),
    ("fence", &["stand_in"]),
    ("permissions", &["visible", "yaml"]),
    ("hooks", &["init", "store", "repo"]),
    ("init", &["config"]),
    ("config", &["stand_in", "yaml"]),
    ("eval", &["search", "index", "store", "repo", "embed", "lexical", "markdown"]),
    (
        "on_commit",
        &[
            "corpus",
            "memory",
            "learn",
            "index",
            "repo",
            "desk",
            "journal",
            "jsonl",
            "secrets",
            "changelog",
            "entity",
            "markdown",
        ],
    ),
    ("corpus", &["learn", "scan", "index", "repo", "desk"]),
    (
        "memory",
        &[
            "search", "index", "store", "repo", "embed", "jsonl", "differ", "lexical", "one_line",
            "visible",
        ],
    ),
    ("references", &["scan", "links", "graph", "index", "store", "repo", "outline", "markdown"]),
    (
        "learn",
        &[
            "providers",
            "notify",
            "index",
            "store",
            "repo",
            "desk",
            "llm",
            "web",
            "embed",
            "enrich",
            "interest",
            "journal",
            "extract",
            "entity",
            "duplicates",
            "differ",
            "process",
            "reading",
            "lexical",
            "secrets",
            "summary",
            "markdown",
            "one_line",
        ],
    ),
    (
        "scan",
        &[
            "links", "search", "drift", "graph", "index", "store", "repo", "llm", "desk",
            "journal", "jsonl", "secrets", "differ", "summary", "outline", "markdown",
        ],
    ),
    ("notify", &["http", "journal", "jsonl", "one_line", "process"]),
    ("providers", &["http", "web", "reading"]),
    ("schedule", &[]),
    ("links", &["index", "store", "repo", "markdown"]),
    ("search", &["index", "store", "repo", "embed", "lexical", "markdown"]),
    ("drift", &["index", "store", "repo"]),
    ("graph", &["visible"]),
    ("index", &["store", "repo", "chunk", "embed", "lexical", "changelog", "markdown"]),
    ("store", &["repo", "lexical", "markdown"]),
    ("desk", &["journal", "repo"]),
    ("repo", &[]),
    ("chunk", &["markdown"]),
    ("llm", &["http", "jsonl"]),
    ("vault", &[]),
    ("web", &["http"]),
    ("embed", &["http"]),
    ("enrich", &["journal", "lexical", "one_line"]),
    ("interest", &["journal", "one_line"]),
    ("http", &[]),
    ("extract", &["lexical", "summary", "markdown", "visible"]),
    ("duplicates", &["lexical"]),
    ("journal", &["jsonl"]),
    ("jsonl", &[]),
    ("lexical", &[]),
    ("secrets", &[]),
    ("authoring", &["markdown", "one_line", "visible", "yaml"]),
    ("changelog", &["markdown"]),
    ("clients", &["visible"]),
    ("differ", &[]),
    ("entity", &["markdown", "visible", "yaml"]),
    ("process", &[]),
    ("reading", &[]),
    ("summary", &["outline"]),
    ("outline", &[]),
    ("markdown", &["yaml"]),
    ("one_line", &["visible"]),
    ("stand_in", &[]),
    ("visible", &[]),
    ("yaml", &[]),
];

/// What may be said only where the path begins like this.
const BOUNDARIES: &[(&str, &[&str])] = &[
    ("lancedb::", &["src/store/"]),
    ("lance::", &["src/store/"]),
    ("lance_datafusion::", &["src/store/"]),
    ("arrow::", &["src/store/"]),
    ("crate::cli", &["src/cli/", "src/bin/"]),
    ("std::env::", &["src/cli/env.rs"]),
    ("env::var(", &["src/cli/env.rs"]),
    ("env::var_os(", &["src/cli/env.rs"]),
    ("env::vars_os(", &["src/cli/env.rs"]),
    ("tokio::process::Command", &["src/mcp_client/child.rs"]),
    (
        "std::process::Command",
        &["src/repo/", "src/process/", "src/schedule/process.rs", "src/fence/"],
    ),
    ("process::exit", &["src/cli/hook_run.rs"]),
    ("println!", &[]),
    // Compiled for tests only.
    ("eprintln!", &["src/embed/remote/figure.rs"]),
    ("dbg!", &[]),
    ("todo!", &[]),
    ("unimplemented!", &[]),
];

struct Source {
    /// Relative to the package, such as `src/store/view.rs`.
    path: String,
    /// Without comments and unit tests.
    text: String,
}

#[test]
fn boundaries_hold() {
    let mut broken = Vec::new();
    for Source { path, text } in sources() {
        for (number, line) in text.lines().enumerate() {
            for (said, places) in BOUNDARIES {
                let allowed = places.iter().any(|place| path.starts_with(place));
                if !allowed && says(line, said) {
                    broken.push(format!("{path}:{}: {}", number + 1, line.trim()));
                }
            }
        }
    }
    assert!(broken.is_empty(), "{}", broken.join("\n"));
}

#[test]
fn imports_point_one_way() {
    let mut broken = Vec::new();
    for Source { path, text } in sources() {
        let room = room(&path);
        if room == "lib" {
            continue;
        }
        let Some((_, allowed)) = ROOMS.iter().find(|(name, _)| *name == room) else {
            broken.push(format!("{path}: the room `{room}` stands in no row of the table"));
            continue;
        };
        for import in imports(&text) {
            if import != room && !allowed.contains(&import.as_str()) {
                broken.push(format!("{path}: `{room}` must not import `{import}`"));
            }
        }
    }
    assert!(broken.is_empty(), "{}", broken.join("\n"));
}

#[test]
fn the_table_itself_points_down() {
    for (number, (room, imports)) in ROOMS.iter().enumerate() {
        for import in *imports {
            let below = ROOMS[number + 1..].iter().any(|(name, _)| name == import);
            assert!(below, "`{room}` would import `{import}`, which is not below it");
        }
    }
}

#[test]
fn imports_are_seen() {
    let check = |text: &str, expected: &[&str]| {
        assert_eq!(
            imports(text).iter().map(String::as_str).collect::<Vec<_>>(),
            expected,
            "{text}"
        );
    };
    check("use crate::repo::NotePath;", &["repo"]);
    check("use crate::{\n    a::{self, b::{c, d}},\n    e,\n};", &["a", "e"]);
    check("let x = crate::yaml::parse(crate::config::y);", &["config", "yaml"]);
    check("elophanto::cli::main()", &["cli"]);
    assert!(says("    println!(\"\")", "println!") && !says("eprintln!(\"\")", "println!"));
    assert!(!says("std::env::consts::OS", "std::env::"));
}

/// Whether a line of code says it, as a word of its own.
fn says(line: &str, said: &str) -> bool {
    let word = |char: char| char.is_alphanumeric() || char == '_';
    line.match_indices(said).any(|(at, _)| {
        let whole = !line[..at].ends_with(word);
        let constant = said == "std::env::" && line[at + said.len()..].starts_with("consts");
        whole && !constant
    })
}

fn room(path: &str) -> &str {
    let below = path.strip_prefix("src/").unwrap_or(path);
    let first = below.split('/').next().unwrap_or(below);
    first.strip_suffix(".rs").unwrap_or(first)
}

/// Rooms named after `crate::` or the crate's own name.
fn imports(text: &str) -> BTreeSet<String> {
    let mut found = BTreeSet::new();
    for prefix in ["crate::", "elophanto::"] {
        for (at, _) in text.match_indices(prefix) {
            let rest = &text[at + prefix.len()..];
            match rest.strip_prefix('{') {
                Some(group) => found.extend(members(group)),
                None => found.extend([first_word(rest)]),
            }
        }
    }
    found
}

/// First words of a group of imports, up to its closing brace.
fn members(group: &str) -> Vec<String> {
    let mut members = Vec::new();
    let mut depth = 0;
    let mut start = 0;
    for (at, char) in group.char_indices() {
        match char {
            '{' => depth += 1,
            '}' if depth > 0 => depth -= 1,
            ',' | '}' if depth == 0 => {
                members.push(first_word(group[start..at].trim()));
                start = at + 1;
                if char == '}' {
                    break;
                }
            }
            _ => {}
        }
    }
    members.retain(|member| !member.is_empty());
    members
}

fn first_word(text: &str) -> String {
    text.chars().take_while(|char| char.is_alphanumeric() || *char == '_').collect()
}

fn sources() -> Vec<Source> {
    let package = Path::new(env!("CARGO_MANIFEST_DIR"));
    let mut sources = Vec::new();
    gather(&package.join("src"), package, &mut sources);
    assert!(sources.len() > 30, "the sources were not found");
    sources
}

fn gather(folder: &Path, package: &Path, sources: &mut Vec<Source>) {
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        let name = path.file_name().unwrap().to_string_lossy().into_owned();
        if path.is_dir() && name == "tests" {
            // Compiled for tests only.
        } else if path.is_dir() {
            gather(&path, package, sources);
        } else if name.ends_with(".rs") && !name.ends_with("tests.rs") {
            let text = fs::read_to_string(&path).unwrap();
            let code = text.split("#[cfg(test)]\nmod tests {").next().unwrap_or_default();
            let lines = code
                .lines()
                .map(|line| if line.trim_start().starts_with("//") { "" } else { line });
            let path = path.strip_prefix(package).unwrap().to_string_lossy().into_owned();
            sources.push(Source { path, text: lines.collect::<Vec<_>>().join("\n") });
        }
    }
}
