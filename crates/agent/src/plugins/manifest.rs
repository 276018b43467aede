//! `plugins/manifest.json`: which plugins were deployed, with the hash of what was looked at.
//!
//! One entry per line, sorted by name, so that entries of two branches merge. The lines of other
//! entries are kept as they stand.

use std::{
    fs::File,
    io,
    path::{Path, PathBuf},
};

use jiff::Timestamp;
use serde::Deserialize;
use serde_json::{json, value::RawValue};

use super::{
    MAX_ENTRIES, MAX_MANIFEST_BYTES, Plugin, PluginError, TestReport, check_name, examine,
};
use crate::permissions::Level;
use elophanto_base::{
    beneath::{Folder, refusal},
    one_line::one_line,
    regular::{if_there, read_capped},
};

/// Where the manifest lies, relative to the root.
pub const MANIFEST: &str = "plugins/manifest.json";

/// A plugin that was deployed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Entry {
    pub name: String,
    /// See [`super::hash`].
    pub hash: String,
    pub deployed: Timestamp,
    pub level: Level,
}

#[derive(Deserialize)]
struct Written {
    name: String,
    hash: String,
}

/// Name and hash of each entry, in the order of the text. A name may occur more than once after a
/// merge: whatever was deployed on either side was looked at.
///
/// # Errors
/// When the text is no list of entries or hits a cap.
pub fn entries(text: &str) -> Result<Vec<(String, String)>, PluginError> {
    Ok(lines(text)?.into_iter().map(|line| (line.name, line.hash)).collect())
}

/// The manifest with this entry in place of any of its name.
///
/// # Errors
/// As [`entries`]: a damaged manifest is not written over.
pub fn manifest_with(text: &str, entry: &Entry) -> Result<String, PluginError> {
    let mut all = lines(text)?;
    all.retain(|line| line.name != entry.name);
    if all.len() >= MAX_ENTRIES {
        return Err(PluginError::Cap { max: MAX_ENTRIES, what: "entries" });
    }
    let part = |value: &str| json!(value).to_string();
    // By hand: the order of the keys is part of the form.
    let raw = format!(
        "{{\"name\": {}, \"hash\": {}, \"deployed\": {}, \"level\": {}}}",
        part(&entry.name),
        part(&entry.hash),
        part(&entry.deployed.to_string()),
        part(entry.level.name()),
    );
    all.push(Line { name: entry.name.clone(), hash: entry.hash.clone(), raw });
    Ok(print(all))
}

/// The manifest without entries of this name; `None` if there is none.
///
/// # Errors
/// As [`entries`].
pub fn withdraw(text: &str, name: &str) -> Result<Option<String>, PluginError> {
    let mut all = lines(text)?;
    let before = all.len();
    all.retain(|line| line.name != name);
    Ok((all.len() < before).then(|| print(all)))
}

/// Writes a plugin into the manifest by `write` (a path relative to the root, and all of its
/// content), under a lock on the file `lock`. Call it only after the user has agreed.
///
/// # Errors
/// When the tests have not passed for exactly this content, the folder has changed since, or the
/// manifest is damaged or can't be written.
pub fn deploy(
    root: &Path,
    plugin: &Plugin,
    report: &TestReport,
    lock: &Path,
    now: Timestamp,
    write: &dyn Fn(&Path, &str) -> Result<(), String>,
) -> Result<Entry, PluginError> {
    let name = plugin.name.clone();
    if !report.passed() || report.hash() != plugin.hash {
        return Err(PluginError::Untested { name });
    }
    let failed = |cause| PluginError::Io { path: lock.to_owned(), source: cause };
    let file = File::options().create(true).append(true).open(lock).map_err(failed)?;
    // Released when the file is closed.
    file.lock().map_err(failed)?;
    if examine(root, &name, &[])? != *plugin {
        return Err(PluginError::Changed { name });
    }
    let (hash, level) = (plugin.hash.clone(), plugin.declared.level);
    let deployed = Timestamp::from_second(now.as_second()).unwrap_or(now);
    let entry = Entry { name, hash, deployed, level };
    let text = manifest_with(&read(root)?, &entry)?;
    write(Path::new(MANIFEST), &text)
        .map_err(|reason| PluginError::Write { path: PathBuf::from(MANIFEST), reason })?;
    Ok(entry)
}

/// The text of the manifest; empty if there is none.
pub(super) fn read(root: &Path) -> Result<String, PluginError> {
    let refused = |reason: String| PluginError::Manifest(reason);
    let path = root.join(MANIFEST);
    let failed = |cause| PluginError::Io { path: path.clone(), source: cause };
    let opened = if_there(Folder::open(root).and_then(|root| root.read(Path::new(MANIFEST))));
    let opened = opened.map_err(|cause| match cause.kind() {
        io::ErrorKind::NotADirectory => refused("`plugins` is not a folder but a file".to_owned()),
        _ if refusal(&cause).is_some() => refused(cause.to_string()),
        _ => failed(cause),
    });
    let Some((file, _)) = opened? else { return Ok(String::new()) };
    let over = || refused(format!("over the cap of {MAX_MANIFEST_BYTES} bytes"));
    let bytes = read_capped(file, MAX_MANIFEST_BYTES as u64).map_err(failed)?.ok_or_else(over)?;
    String::from_utf8(bytes).map_err(|_| refused("not UTF-8 text".to_owned()))
}

struct Line {
    name: String,
    hash: String,
    raw: String,
}

fn lines(text: &str) -> Result<Vec<Line>, PluginError> {
    if text.trim().is_empty() {
        return Ok(Vec::new());
    }
    let refused = |error: serde_json::Error| {
        PluginError::Manifest(one_line(&format!("no list of plugins: {error}"), 300))
    };
    let raw: Vec<&RawValue> = serde_json::from_str(text).map_err(refused)?;
    if raw.len() > MAX_ENTRIES {
        return Err(PluginError::Cap { max: MAX_ENTRIES, what: "entries" });
    }
    raw.into_iter()
        .map(|raw| {
            let raw = raw.get();
            let Written { name, hash } = serde_json::from_str(raw).map_err(refused)?;
            check_name(&name, &[])?;
            let hex = |byte: u8| byte.is_ascii_digit() || (b'a'..=b'f').contains(&byte);
            if hash.len() != 64 || !hash.bytes().all(hex) {
                return Err(PluginError::Manifest(format!("`{name}`: `hash` is no BLAKE3 hash")));
            }
            // Line ends within strings are escaped in JSON: what is left parts its tokens.
            let raw = raw.lines().map(str::trim).collect::<Vec<_>>().join(" ");
            Ok(Line { name, hash, raw })
        })
        .collect()
}

fn print(mut all: Vec<Line>) -> String {
    all.sort_by(|a, b| (&a.name, &a.raw).cmp(&(&b.name, &b.raw)));
    if all.is_empty() {
        return "[]\n".to_owned();
    }
    let lines: Vec<String> = all.into_iter().map(|line| format!("  {}", line.raw)).collect();
    format!("[\n{}\n]\n", lines.join(",\n"))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn entry(name: &str) -> Entry {
        Entry {
            name: name.to_owned(),
            hash: "0".repeat(64),
            deployed: "2026-01-02T03:04:05Z".parse().unwrap(),
            level: Level::Destructive,
        }
    }

    #[test]
    fn one_line_each_sorted_and_kept() {
        let kept = format!(r#"{{"extra":1,  "name":"b","hash":"{}"}}"#, "1".repeat(64));
        let text = manifest_with(&format!("[{kept}]"), &entry("c")).unwrap();
        let text = manifest_with(&text, &entry("a")).unwrap();
        let line = |name: &str| {
            format!(
                r#"{{"name": "{name}", "hash": "{}", "deployed": "2026-01-02T03:04:05Z", "level": "destructive"}}"#,
                "0".repeat(64)
            )
        };
        assert_eq!(text, format!("[\n  {},\n  {kept},\n  {}\n]\n", line("a"), line("c")));
        assert_eq!(manifest_with(&text, &entry("c")).unwrap(), text);
        assert_eq!(entries(&text).unwrap().len(), 3);
        let without = withdraw(&text, "a").unwrap().unwrap();
        assert_eq!(without, format!("[\n  {kept},\n  {}\n]\n", line("c")));
        assert_eq!(withdraw(&without, "a").unwrap(), None);
        assert_eq!(withdraw(&format!("[{}]", line("a")), "a").unwrap().unwrap(), "[]\n");
    }

    #[track_caller]
    fn check(text: &str, expected: &str) {
        let error = manifest_with(text, &entry("a")).unwrap_err().to_string();
        assert!(error.contains(expected), "{text}: {error}");
    }

    #[test]
    fn damage_is_not_written_over() {
        check("{}", "no list");
        check("[\n<<<<<<< ours\n]", "line 2");
        check("[1]", "no list");
        check(r#"[{"name": "a"}]"#, "hash");
        check(r#"[{"name": "../a", "hash": ""}]"#, "letter");
        check(&format!(r#"[{{"name": "a", "hash": "{}"}}]"#, "g".repeat(64)), "BLAKE3");
        check(&"[".repeat(100_000), "no list");
        let hash = "0".repeat(64);
        let many: Vec<String> =
            (0..1_001).map(|n| format!(r#"{{"name":"p{n}","hash":"{hash}"}}"#)).collect();
        check(&format!("[{}]", many.join(",")), "cap");
    }

    proptest! {
        #![proptest_config(ProptestConfig { failure_persistence: None, ..Default::default() })]
        #[test]
        fn the_order_of_deploying_does_not_matter(
            names in proptest::collection::btree_set("[a-z][a-z0-9_]{0,5}", 1..8), turn in 0_usize..8,
        ) {
            let names: Vec<String> = names.into_iter().filter(|n| check_name(n, &[]).is_ok()).collect();
            let written = |names: &[String]| {
                names.iter().fold(String::new(), |text, name| manifest_with(&text, &entry(name)).unwrap())
            };
            let mut turned = names.clone();
            turned.rotate_left(turn % names.len().max(1));
            let text = written(&names);
            prop_assert_eq!(&text, &written(&turned));
            let found: Vec<String> = entries(&text).unwrap().into_iter().map(|(name, _)| name).collect();
            prop_assert_eq!(found, names);
        }
    }
}
