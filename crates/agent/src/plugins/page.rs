//! The page of a plugin in the knowledge base: its README, inside a block of ours.

use std::{
    io,
    path::{Path, PathBuf},
};

use jiff::Timestamp;
use serde_json::json;

use super::{
    FOLDER, MAX_PAGE_BYTES, MAX_README_BYTES, PluginError, Problem, block, check_name, entries,
    load::folders, manifest,
};
use elophanto_base::{
    beneath::Folder,
    one_line::one_line,
    regular::{if_there, read_capped},
    secrets,
};

const BLOCK: &str = "plugin";
const MAX_TITLE_CHARS: usize = 200;

/// What mirroring the READMEs came to.
#[derive(Debug, Default)]
pub struct Mirrored {
    /// Pages that were written, relative to the root, sorted.
    pub changed: Vec<PathBuf>,
    pub problems: Vec<Problem>,
}

/// Where the page of a plugin lies, relative to the root.
pub fn readme_page(write_root: &Path, name: &str) -> PathBuf {
    let write_root = write_root.strip_prefix(".").unwrap_or(write_root);
    write_root.join("plugins").join(format!("{name}.md"))
}

/// The page of a plugin whose README is this; `None` if `existing` says so already. Around the
/// block, text that people wrote stays; of the front matter only `updated` changes. What looks like
/// a secret is masked.
///
/// # Errors
/// When the markers of the block don't match.
pub fn readme_note(
    readme: &str,
    name: &str,
    existing: Option<&str>,
    now: Timestamp,
) -> Result<Option<String>, block::BlockError> {
    let readme = readme.replace('\0', "\u{2400}");
    let (readme, _) = secrets::mask(&readme);
    let body = if readme.trim().is_empty() { format!("# {name}") } else { readme.into_owned() };
    let now = Timestamp::from_second(now.as_second()).unwrap_or(now);
    match existing {
        Some(page) if !page.trim().is_empty() => {
            let new = block::upsert(page, BLOCK, &body)?;
            Ok(new.map(|new| stamped(&new, now)))
        }
        _ => {
            let title = title(&body).unwrap_or_else(|| name.to_owned());
            // JSON strings are YAML strings.
            let front = format!(
                "---\ntitle: {}\ncreated: {now}\nupdated: {now}\ntags: [plugin, {name}]\nscope: plugin\n---\n",
                json!(title)
            );
            block::upsert(&front, BLOCK, &body)
        }
    }
}

/// Brings the pages of all deployed plugins up to date; `write` gets a path relative to the root
/// and all of its content. A README that is not text, or a page that can't be told apart from its
/// block, is a problem and stops no other.
pub fn mirror(
    root: &Path,
    write_root: &Path,
    now: Timestamp,
    write: &mut dyn FnMut(&Path, &str) -> Result<(), String>,
) -> Mirrored {
    let mut mirrored = Mirrored::default();
    let deployed = match manifest::read(root).and_then(|text| entries(&text)) {
        Ok(deployed) => deployed,
        Err(error) => {
            let problem = Problem { name: String::new(), reason: error.to_string() };
            mirrored.problems.push(problem);
            return mirrored;
        }
    };
    for name in folders(root).0 {
        let is_one = check_name(&name, &[]).is_ok();
        if !is_one || !deployed.iter().any(|(deployed, _)| *deployed == name) {
            continue;
        }
        match mirror_one(root, write_root, &name, now, write) {
            Ok(changed) => mirrored.changed.extend(changed),
            Err(error) => mirrored.problems.push(Problem { name, reason: error.to_string() }),
        }
    }
    mirrored
}

fn mirror_one(
    root: &Path,
    write_root: &Path,
    name: &str,
    now: Timestamp,
    write: &mut dyn FnMut(&Path, &str) -> Result<(), String>,
) -> Result<Option<PathBuf>, PluginError> {
    let source = Path::new(FOLDER).join(name).join("README.md");
    let missing = || PluginError::File { path: "README.md".into(), reason: "missing".into() };
    let readme = text_at(root, &source, MAX_README_BYTES)?.ok_or_else(missing)?;
    let path = readme_page(write_root, name);
    let existing = text_at(root, &path, MAX_PAGE_BYTES)?;
    let note = readme_note(&readme, name, existing.as_deref(), now)
        .map_err(|cause| PluginError::Block { path: path.clone(), source: cause })?;
    let Some(note) = note else { return Ok(None) };
    write(&path, &note).map_err(|reason| PluginError::Write { path: path.clone(), reason })?;
    Ok(Some(path))
}

/// The text of a file beneath the root; `None` if there is none.
pub fn text_at(root: &Path, path: &Path, max: usize) -> Result<Option<String>, PluginError> {
    let failed = |cause: io::Error| PluginError::Io { path: path.to_owned(), source: cause };
    let opened = if_there(Folder::open(root).and_then(|root| root.read(path)));
    let Some((file, _)) = opened.map_err(failed)? else { return Ok(None) };
    let over = || failed(io::Error::other(format!("over the cap of {max} bytes")));
    let bytes = read_capped(file, max as u64).map_err(failed)?.ok_or_else(over)?;
    let text = String::from_utf8(bytes);
    text.map(Some).map_err(|_| failed(io::Error::other("not UTF-8 text")))
}

/// The first heading of the first level.
fn title(readme: &str) -> Option<String> {
    let heading = readme.lines().find_map(|line| line.strip_prefix("# "))?;
    Some(one_line(heading.trim_end_matches('#'), MAX_TITLE_CHARS)).filter(|title| !title.is_empty())
}

/// With the time in the front matter's `updated`, if there is one.
fn stamped(page: &str, now: Timestamp) -> String {
    let mut lines: Vec<String> = page.split_inclusive('\n').map(str::to_owned).collect();
    if lines.first().is_none_or(|line| line.trim_start_matches('\u{feff}').trim_end() != "---") {
        return page.to_owned();
    }
    for line in lines.iter_mut().skip(1) {
        if matches!(line.trim_end(), "---" | "...") {
            break;
        }
        if line.starts_with("updated:") {
            let ending = if line.ends_with("\r\n") { "\r\n" } else { "\n" };
            *line = format!("updated: {now}{ending}");
            break;
        }
    }
    lines.concat()
}
