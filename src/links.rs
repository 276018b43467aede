//! Links between notes: which of them lead nowhere.
//!
//! Owns following all links of a snapshot. How a single link is resolved is `markdown`'s.

use rustc_hash::FxHashMap;

use crate::{index::Snapshot, markdown, repo::NotePath, store::Malformed};

/// A link that leads nowhere.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct BrokenLink {
    pub path: NotePath,
    pub line: usize,
    pub target: String,
}

/// All links of the current notes that lead to no file beneath the root, in the order of the
/// notes. `exists` tells whether a file of the repository is there (a picture, source code).
///
/// # Errors
/// [`Malformed`] if a segment is damaged.
pub fn broken(
    snapshot: &Snapshot,
    exists: &dyn Fn(&str) -> bool,
) -> Result<Vec<BrokenLink>, Malformed> {
    let mut documents = Vec::new();
    let mut stems: FxHashMap<String, Option<String>> = FxHashMap::default();
    let mut aliases: FxHashMap<String, String> = FxHashMap::default();
    for part in &snapshot.parts {
        for number in part.live.ones() {
            let view = part.loaded.segment.document(number)?;
            let Ok(parsed) = markdown::parse(part.loaded.segment.text(&view)?) else { continue };
            let path = view.path.to_text();
            // A stem that two notes share names neither.
            stems
                .entry(view.path.stem())
                .and_modify(|known| *known = None)
                .or_insert_with(|| Some(path.clone()));
            for alias in &parsed.front_matter.aliases {
                aliases.insert(alias.clone(), path.clone());
            }
            documents.push((view.path, path, parsed.links));
        }
    }
    documents.sort_by(|a, b| a.0.cmp(&b.0));
    let notes = markdown::Notes {
        exists,
        by_stem: &|stem| stems.get(stem).cloned().flatten(),
        by_alias: &|alias| aliases.get(alias).cloned(),
    };
    let mut broken = Vec::new();
    for (path, text, links) in &documents {
        for link in links {
            let found = markdown::resolve_link(text, link, &notes);
            if found == markdown::Destination::Nowhere {
                broken.push(BrokenLink {
                    path: path.clone(),
                    line: link.line,
                    target: link.target.clone(),
                });
            }
        }
    }
    Ok(broken)
}
