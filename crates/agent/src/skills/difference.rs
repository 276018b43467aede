//! What an update changes: one set of files held against another. Pure.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::Serialize;
use similar::TextDiff;

use super::files::Content;

/// Bytes of a file from which only its size is told.
const MAX_COMPARED: usize = 256 << 10;
/// Bytes of the diff of one file.
const MAX_DIFF: usize = 32 << 10;
/// Bytes of all of them.
const MAX_ALL: usize = 256 << 10;

/// What would become of the files of an installed skill. Paths are sorted. Texts are as they are:
/// whoever shows them escapes them.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Difference {
    pub added: Vec<String>,
    pub removed: Vec<String>,
    pub changed: Vec<Changed>,
}

/// A file that would say something else.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Changed {
    pub path: String,
    /// Unified diff; a sentence with the sizes where it is no text or too long.
    pub diff: String,
}

impl Difference {
    /// Whether both sets are the same.
    pub fn is_empty(&self) -> bool {
        self.added.is_empty() && self.removed.is_empty() && self.changed.is_empty()
    }
}

/// From what is there to what is planned.
pub(super) fn between(old: &[Content], new: &[Content]) -> Difference {
    let by_path = |contents: &'_ [Content]| -> BTreeMap<String, Vec<u8>> {
        contents.iter().map(|c| (c.path.clone(), c.bytes.clone())).collect()
    };
    let (old, new) = (by_path(old), by_path(new));
    let missing = |from: &BTreeMap<String, Vec<u8>>, other: &BTreeMap<String, Vec<u8>>| {
        from.keys().filter(|path| !other.contains_key(*path)).cloned().collect::<Vec<_>>()
    };
    let (mut changed, mut left) = (Vec::new(), MAX_ALL);
    for (path, after) in &new {
        let Some(before) = old.get(path).filter(|before| *before != after) else { continue };
        let diff = diff(path, before, after, left.min(MAX_DIFF));
        left = left.saturating_sub(diff.len());
        changed.push(Changed { path: path.clone(), diff });
    }
    Difference { added: missing(&new, &old), removed: missing(&old, &new), changed }
}

fn diff(path: &str, before: &[u8], after: &[u8], max: usize) -> String {
    let sizes = || format!("{} -> {} bytes", before.len(), after.len());
    let text = |bytes| std::str::from_utf8(bytes).ok().filter(|text: &&str| !text.contains('\0'));
    let (Some(old), Some(new)) = (text(before), text(after)) else {
        return format!("no text, {}", sizes());
    };
    if before.len().max(after.len()) > MAX_COMPARED {
        return format!("too long to compare, {}", sizes());
    }
    let diff = TextDiff::configure()
        .timeout(std::time::Duration::from_secs(1))
        .diff_lines(old, new)
        .unified_diff()
        .context_radius(3)
        .header(path, path)
        .to_string();
    if diff.len() > max { format!("too much changed to show, {}", sizes()) } else { diff }
}
