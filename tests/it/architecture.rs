//! Imports point one way, and what must stay in one room stays there.

use std::{collections::BTreeSet, fs, path::Path};

/// Rooms and the rooms they may import. Top to bottom: a room may only import rooms below it. A
/// crate below `crates/` is one room, and so is the server of MCP, which knows the protocol alone.
const ROOMS: &[(&str, &[&str])] = &[
    ("bin", &["cli"]),
    (
        "cli",
        &[
            "gateway", "page", "acp", "lsp", "mcp", "listening", "terminal", "wire", "base",
            "text", "net", "repo", "models", "agent", "index", "tables", "knowledge", "app",
        ],
    ),
    ("gateway", &["page", "mcp", "listening", "wire", "base", "index", "app"]),
    ("page", &["wire", "base", "repo", "text", "models", "agent", "index", "knowledge", "app"]),
    ("acp", &["mcp", "base", "repo", "models", "agent", "app"]),
    ("lsp", &["base", "repo", "text", "index", "app"]),
    (
        "mcp",
        &[
            "mcp/server", "listening", "wire", "base", "net", "text", "repo", "models", "index",
            "knowledge", "app",
        ],
    ),
    ("mcp/server", &["listening", "base", "wire"]),
    ("listening", &["base", "net", "index", "app"]),
    ("terminal", &["wire", "base", "net", "agent", "app"]),
    ("wire", &["base", "text", "models", "agent", "index", "knowledge", "app"]),
    (
        "app",
        &[
            "base", "net", "repo", "text", "models", "index", "tables", "knowledge", "agent",
            "channels",
        ],
    ),
    ("channels", &["base", "net"]),
    ("tables", &["base", "index", "net"]),
    ("agent", &["base", "models", "net", "repo"]),
    ("knowledge", &["base", "index", "models", "net", "repo", "text"]),
    ("index", &["base", "models", "repo", "text"]),
    ("models", &["base", "net"]),
    ("text", &["base"]),
    ("net", &["base"]),
    ("repo", &["base"]),
    ("base", &[]),
];

/// What may be said only where the path begins like this.
const BOUNDARIES: &[(&str, &[&str])] = &[
    ("lance::", &["crates/tables/src/"]),
    ("lance_datafusion::", &["crates/tables/src/"]),
    ("lance_encoding::", &["crates/tables/src/"]),
    ("lance_file::", &["crates/tables/src/"]),
    ("lance_io::", &["crates/tables/src/"]),
    ("lance_linalg::", &["crates/tables/src/"]),
    ("lance_table::", &["crates/tables/src/"]),
    ("lance_index::", &["crates/tables/src/"]),
    ("object_store::", &["crates/tables/src/"]),
    ("arrow_ipc::", &["crates/tables/src/"]),
    ("arrow::", &["crates/tables/src/"]),
    ("agent_client_protocol::", &["src/acp/"]),
    ("crate::cli", &["src/cli/", "src/bin/"]),
    // Git is never looked for in a work tree.
    ("std::env::", &["src/cli/env.rs", "crates/repo/src/git/program.rs"]),
    ("env::var(", &["src/cli/env.rs"]),
    ("env::var_os(", &["src/cli/env.rs", "crates/repo/src/git/program.rs"]),
    ("env::vars_os(", &["src/cli/env.rs"]),
    ("tokio::process::Command", &["crates/agent/src/mcp_client/child.rs"]),
    (
        "std::process::Command",
        &[
            "crates/repo/src/",
            "crates/base/src/process/",
            "crates/app/src/schedule/process.rs",
            "crates/agent/src/sandbox/",
        ],
    ),
    ("process::exit", &["src/cli/hook/run.rs"]),
    ("os::unix", OF_ONE_SYSTEM),
    ("os::windows", OF_ONE_SYSTEM),
    ("os::{", OF_ONE_SYSTEM),
    ("os::fd", OF_ONE_SYSTEM),
    ("libc::", OF_ONE_SYSTEM),
    ("rustix::", OF_ONE_SYSTEM),
    ("signal_hook::", OF_ONE_SYSTEM),
    // What the command line prints as JSON is a type of `wire` or of `app`.
    (
        "json!",
        &[
            "crates/", "src/acp/", "src/gateway/", "src/listening/", "src/lsp/", "src/mcp/",
            "src/page/", "src/wire/",
        ],
    ),
    ("println!", &[]),
    ("eprintln!", &[]),
    ("dbg!", &[]),
    ("todo!", &[]),
    ("unimplemented!", &[]),
];

/// Where calls of one system alone may stand: `platform` and what of `base` is made of them, and rooms
/// that have to do with nothing else. `knowledge/system/designs/platforms.md` says what each takes.
const OF_ONE_SYSTEM: &[&str] = &[
    "crates/base/src/",
    "crates/agent/src/sandbox/",
    "crates/agent/src/plugins/fixture.rs",
    "crates/app/src/reading/cache.rs",
    "crates/models/src/bert/kernels/amx.rs",
    "crates/text/src/outline/fence.rs",
    "src/cli/env.rs",
    "src/cli/schedule.rs",
    "src/gateway/serving.rs",
    "src/listening/",
    "src/lsp/mod.rs",
    "src/terminal/",
];

/// Calls that write by path. What lies in a work tree is reached by `beneath` alone, by handle and
/// never through a link.
const WRITING_BY_PATH: &[&str] = &[
    "fs::write(", "fs::rename(", "fs::copy(", "fs::hard_link(", "fs::set_permissions(",
    "fs::create_dir(", "fs::create_dir_all", "fs::remove_file(", "fs::remove_dir(",
    "fs::remove_dir_all(", "File::create(", "File::create_new(", "File::options(",
    "OpenOptions::new(", "DirBuilder::new(", "NamedTempFile::new_in(", "tempfile_in(",
    "tempdir_in(", "write_whole(", "open_or_make(", "regular::make_new(", "careful(", "symlink(",
    "platform::make_folder", "set_rights_at(",
];

/// Where files are written by path all the same, and what is written there: nothing of it lies in a
/// work tree that a program of somebody else works in.
const WRITERS_BY_PATH: &[(&str, &str)] = &[
    ("crates/base/src/beneath/", "the room itself"),
    ("crates/index/src/", "the view and the cache, below the git directory"),
    ("crates/knowledge/src/scan/state.rs", "below the git directory"),
    ("crates/knowledge/src/learn/deepen.rs", "below the git directory"),
    ("crates/knowledge/src/learn/responses.rs", "below the git directory"),
    ("crates/knowledge/src/learn/tell.rs", "below the git directory"),
    ("crates/knowledge/src/learn/writer.rs", "below the git directory"),
    ("crates/agent/src/checkpoint/", "runs, below the git directory"),
    ("crates/app/src/on_commit/attempt.rs", "below the git directory"),
    ("crates/app/src/on_commit/given_up.rs", "below the git directory"),
    ("crates/app/src/on_commit/seen.rs", "below the git directory"),
    ("crates/app/src/on_commit/vectors.rs", "below the git directory"),
    ("crates/repo/src/inner.rs", "what was put aside, below the git directory"),
    ("crates/repo/src/watch.rs", "runs, below the git directory"),
    ("crates/repo/src/git/stage.rs", "an index of git"),
    ("crates/agent/src/tools/git_commit/make.rs", "an index of git"),
    ("crates/app/src/agent/develop_branch.rs", "an index of git"),
    ("src/listening/", "what servers write down, in the user's folder"),
    ("src/gateway/files.rs", "what the gateway writes down, in the user's folder"),
    ("src/gateway/place.rs", "what the gateway writes down, in the user's folder"),
    ("crates/app/src/reading/placing.rs", "a folder that the user names, which is new or empty"),
    (
        "crates/app/src/agent/sandboxing/run.rs",
        "below the git directory, and one folder at the root",
    ),
    ("crates/agent/src/git_guard/planted.rs", "below the git directory"),
    ("crates/agent/src/git_guard/under_way.rs", "below the git directory"),
    ("crates/app/src/hooks/install.rs", "git's folder of hooks, which the sandbox keeps closed"),
    ("crates/agent/src/sandbox/", "folders and files of the sandbox's own, and stand-ins"),
    ("crates/base/src/aside.rs", "where the caller says"),
    ("crates/base/src/whole.rs", "where the caller says"),
    ("crates/base/src/platform/", "where the caller says"),
    ("crates/base/src/regular.rs", "where the caller says"),
    ("crates/base/src/lock.rs", "locks, and folders of ours below the git directory"),
    ("crates/base/src/jsonl/append.rs", "locks, and folders of logs that lie beneath no root"),
    ("crates/repo/src/journal/write.rs", "the folder of the lock, below the git directory"),
    ("crates/agent/src/plugins/fixture.rs", "compiled for tests only"),
    ("crates/agent/src/plugins/manifest.rs", "a lock, below the git directory"),
    ("crates/app/src/plugins.rs", "a lock, below the git directory"),
    ("crates/agent/src/plugins/run.rs", "copies, in the user's folder"),
    ("crates/app/src/agent/plugins.rs", "copies, in the user's folder"),
    ("crates/agent/src/skills/", "skills that are installed, in the user's folder"),
    ("crates/app/src/config/store.rs", "the user's settings"),
    ("crates/agent/src/git_guard/view.rs", "stand-ins of git's own folder, and the user's folder"),
    ("crates/app/src/agent/rights.rs", "the user's settings"),
    ("crates/app/src/agent/servers.rs", "the user's settings"),
    ("crates/app/src/skills.rs", "the user's skills"),
    ("src/terminal/input.rs", "the user's history"),
    ("crates/app/src/memory/", "a folder that the user named"),
    ("crates/app/src/models/add.rs", "the user's models"),
    ("crates/app/src/embedding/profiles.rs", "the user's folder"),
    ("crates/app/src/schedule/", "the user's folder"),
    ("crates/app/src/gateway/", "conversations, in the user's folder"),
    ("crates/app/src/channels/", "who may write to bots, in the user's folder"),
    ("crates/app/src/learn_setup.rs", "the user's own settings"),
    ("crates/agent/src/sessions", "sessions, in the user's folder"),
    ("crates/agent/src/trail", "trails, in the user's folder"),
    ("crates/models/src/llm/health.rs", "the user's folder"),
    ("crates/tables/src/lib.rs", "a table that is about to be put in its place"),
    ("crates/tables/src/store/cache.rs", "a cache, in the user's folder"),
    ("crates/net/src/vault/", "the user's folder"),
    ("crates/net/src/http/download.rs", "where the caller says"),
    ("crates/knowledge/src/notify/sinks/file.rs", "where the user says"),
    ("crates/base/src/process/detach.rs", "a log, below the git directory"),
];
/// Where crates of ours lie, one room each.
const CRATES: &str = "crates/";

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
fn work_trees_are_written_by_handle_alone() {
    let mut broken = Vec::new();
    let mut used = BTreeSet::new();
    for Source { path, text } in sources() {
        let writes = |line: &&str| WRITING_BY_PATH.iter().any(|said| says(line, said));
        let Some(line) = text.lines().find(writes) else { continue };
        match WRITERS_BY_PATH.iter().find(|(place, _)| path.starts_with(place)) {
            Some((place, _)) => drop(used.insert(*place)),
            None => broken.push(format!("{path}: {}", line.trim())),
        }
    }
    broken.extend(
        WRITERS_BY_PATH
            .iter()
            .filter(|(place, _)| !used.contains(place))
            .map(|(place, _)| format!("{place}: nothing is written by path there any more")),
    );
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
        for import in imports(&path, &text) {
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
        let found = imports("src/room/mod.rs", text);
        assert_eq!(found.iter().map(String::as_str).collect::<Vec<_>>(), expected, "{text}");
    };
    check("use crate::repo::NotePath;", &["repo"]);
    check("use crate::{\n    a::{self, b::{c, d}},\n    e,\n};", &["a", "e"]);
    check("let x = crate::yaml::parse(crate::config::y);", &["config", "yaml"]);
    check("elophanto::cli::main()", &["cli"]);
    check("elophanto_program=$0", &[]);
    check("use elophanto_models::{Embedder, bert};", &["models"]);
    assert_eq!(room("crates/models/src/bert/mod.rs"), "models");
    assert!(imports("crates/models/src/lib.rs", "use crate::bert::Bert;").is_empty());
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
    if path.starts_with("src/mcp/server/") {
        return "mcp/server";
    }
    let below = path.strip_prefix("src/").or_else(|| path.strip_prefix(CRATES)).unwrap_or(path);
    let first = below.split('/').next().unwrap_or(below);
    first.strip_suffix(".rs").unwrap_or(first)
}

/// Rooms named after `crate::` or the crate's own name, and other crates of ours. What a crate
/// below `crates/` says of itself stays in its room.
fn imports(path: &str, text: &str) -> BTreeSet<String> {
    let mut found = BTreeSet::new();
    for (at, said) in text.match_indices("elophanto_") {
        let rest = &text[at + said.len()..];
        let name = first_word(rest);
        if rest[name.len()..].starts_with("::") {
            found.insert(name);
        }
    }
    let prefixes: &[&str] =
        if path.starts_with(CRATES) { &["elophanto::"] } else { &["crate::", "elophanto::"] };
    for prefix in prefixes {
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
    for room in fs::read_dir(package.join(CRATES)).unwrap() {
        gather(&room.unwrap().path().join("src"), package, &mut sources);
    }
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
