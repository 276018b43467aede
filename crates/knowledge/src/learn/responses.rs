//! What searches brought, on the machine that made them: too large to share, and not ours to.
//!
//! A response is named by its own hash. It can be read until `clean` removes it; whoever does not
//! have it leaves the search to the machine that does. Secrets are masked before anything is kept:
//! whoever reads it masks them anyway.

use std::{
    fs, io,
    path::{Path, PathBuf},
    time::{Duration, SystemTime},
};

use serde::{Deserialize, Serialize};

use crate::providers;
use elophanto_base::{regular, secrets};
use elophanto_index::store::write_whole;
use elophanto_repo::record_store::RecordStore;
use elophanto_text::reading::Byline;

/// Most bytes of a response.
pub const MAX_BYTES: u64 = 32 * 1024 * 1024;

/// One thing that a search brought.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct Finding {
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub title: Option<String>,
    /// Where it is from: an address, or a path relative to the root.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub url: Option<String>,
    /// Markdown.
    pub text: String,
    /// Address of a picture of it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub image: Option<String>,
    #[serde(flatten)]
    pub byline: Byline,
    /// It is a note of this repository, which a search finds as it is.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub is_note: bool,
    /// The user gave it for what they want to learn of.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub is_given: bool,
}

impl From<providers::Finding> for Finding {
    fn from(found: providers::Finding) -> Self {
        let providers::Finding { title, url, text, image, byline, .. } = found;
        Self { title, url, text, image, byline, ..Self::default() }
    }
}

fn folder(record_store: &RecordStore) -> PathBuf {
    record_store.repository.local_dir().join("responses")
}

fn file(record_store: &RecordStore, hash: &str) -> Option<PathBuf> {
    // The journal is shared: a hash in it may be anything.
    let is_hash = hash.len() == 64 && hash.bytes().all(|byte| byte.is_ascii_hexdigit());
    is_hash.then(|| folder(record_store).join(format!("{hash}.json")))
}

impl Finding {
    fn masked(&self) -> Self {
        let mask = |text: &str| secrets::mask(text).0.into_owned();
        let part = |text: &Option<String>| text.as_deref().map(mask);
        let (title, url, image) = (part(&self.title), part(&self.url), part(&self.image));
        let byline =
            Byline { author: part(&self.byline.author), published: part(&self.byline.published) };
        Self {
            title,
            url,
            text: mask(&self.text),
            image,
            byline,
            is_note: self.is_note,
            is_given: self.is_given,
        }
    }
}

/// Keeps a response, its secrets masked, and says what it is called.
///
/// # Errors
/// When it cannot be written.
pub fn keep(record_store: &RecordStore, findings: &[Finding]) -> io::Result<String> {
    let findings: Vec<Finding> = findings.iter().map(Finding::masked).collect();
    let bytes = serde_json::to_vec(&findings).map_err(io::Error::other)?;
    let hash = blake3::hash(&bytes).to_hex().to_string();
    let folder = folder(record_store);
    fs::create_dir_all(&folder)?;
    let path = folder.join(format!("{hash}.json"));
    write_whole(&path, &bytes)?;
    // The record of the search outlives a crash; so must what it names.
    fs::File::open(path)?.sync_data()?;
    Ok(hash)
}

/// A response; `None` if it is not here, or is not what it was.
pub fn load(record_store: &RecordStore, hash: &str) -> Option<Vec<Finding>> {
    let bytes = regular::read(&file(record_store, hash)?, MAX_BYTES).ok()?;
    if blake3::hash(&bytes).to_hex().as_str() != hash {
        return None;
    }
    serde_json::from_slice(&bytes).ok()
}

/// Removes a response.
///
/// # Errors
/// When it cannot be removed.
pub fn drop_one(record_store: &RecordStore, hash: &str) -> io::Result<()> {
    match file(record_store, hash).map(fs::remove_file) {
        Some(Err(cause)) if cause.kind() != io::ErrorKind::NotFound => Err(cause),
        _ => Ok(()),
    }
}

/// Removes responses older than `age` that nobody needs; says how many and how large they were.
///
/// # Errors
/// When one cannot be removed.
pub fn tidy(
    record_store: &RecordStore,
    age: Duration,
    is_needed: &dyn Fn(&str) -> bool,
    dry: bool,
) -> io::Result<(usize, u64)> {
    let (mut files, mut bytes) = (0, 0);
    let entries = fs::read_dir(folder(record_store)).into_iter().flatten().flatten();
    for entry in entries {
        let (path, Ok(metadata)) = (entry.path(), entry.metadata()) else { continue };
        let name = path.file_stem().and_then(|name| name.to_str()).unwrap_or_default();
        let is_old = metadata
            .modified()
            .is_ok_and(|time| SystemTime::now().duration_since(time).is_ok_and(|past| past >= age));
        if !metadata.is_file() || is_needed(name) || !(is_old || is_leftover(&path)) {
            continue;
        }
        files += 1;
        bytes += metadata.len();
        if !dry {
            fs::remove_file(&path)?;
        }
    }
    Ok((files, bytes))
}

fn is_leftover(path: &Path) -> bool {
    path.extension().is_none_or(|extension| extension != "json")
}
