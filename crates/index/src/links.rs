//! Links between notes: where each of them leads, and which lead nowhere.
//!
//! Owns following all links of a snapshot. How a single link is resolved is `markdown`'s.

use rayon::prelude::*;
use rustc_hash::FxHashMap;

use crate::{
    Kind, Snapshot,
    store::{Malformed, segment::Attributes},
};
use elophanto_repo::NotePath;
use elophanto_text::markdown::{self, Destination, LinkKind};

/// A link of a note and where it leads.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Followed {
    pub path: NotePath,
    pub line: usize,
    /// As written.
    pub target: String,
    /// Whether it is written in double brackets.
    pub wiki: bool,
    pub to: Destination,
}

impl Followed {
    /// Whether it leads nowhere, as far as can be told: an address from the top of a site (`/docs/`) is of pages
    /// that a generator makes, where it names no note.
    pub fn is_broken(&self) -> bool {
        let is_of_site = self.target.starts_with('/') && self.target.ends_with('/');
        self.to == Destination::Nowhere && !is_of_site
    }
}

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
    exists: &(dyn Fn(&str) -> bool + Sync),
) -> Result<Vec<BrokenLink>, Malformed> {
    let followed = follow(snapshot, exists)?.into_iter();
    let nowhere = followed.filter(Followed::is_broken);
    Ok(nowhere
        .map(|Followed { path, line, target, .. }| BrokenLink { path, line, target })
        .collect())
}

/// By what names notes are linked to.
#[derive(Debug, Clone, Default)]
pub struct Names {
    /// `None` for a stem that two notes share: it names neither.
    stems: FxHashMap<String, Option<String>>,
    aliases: FxHashMap<String, String>,
}

impl Names {
    /// Adds a note that calls itself so.
    pub fn add(&mut self, path: &NotePath, aliases: impl IntoIterator<Item = String>) {
        self.stems
            .entry(path.stem())
            .and_modify(|known| *known = None)
            .or_insert_with(|| Some(path.to_text()));
        self.aliases.extend(aliases.into_iter().map(|alias| (alias, path.to_text())));
    }

    /// The one note of this file name without ending.
    pub fn by_stem(&self, stem: &str) -> Option<&str> {
        self.stems.get(stem)?.as_deref()
    }

    /// Where a link of the note at a path leads; `exists` as for [`follow`].
    pub fn destination(
        &self,
        note: &str,
        link: &markdown::Link,
        exists: &dyn Fn(&str) -> bool,
    ) -> Destination {
        let notes = markdown::Notes {
            exists,
            by_stem: &|stem| self.by_stem(stem).map(str::to_owned),
            // What files share as their name leads to no other note that calls itself so.
            by_alias: &|alias| {
                let is_shared = self.stems.get(alias).is_some_and(Option::is_none);
                self.aliases.get(alias).filter(|_| !is_shared).cloned()
            },
        };
        markdown::resolve_link(note, link, &notes)
    }
}

/// All links of the current notes and of what people wrote on pages of entities, in their order.
///
/// # Errors
/// [`Malformed`] if a segment is damaged.
pub fn follow(
    snapshot: &Snapshot,
    exists: &(dyn Fn(&str) -> bool + Sync),
) -> Result<Vec<Followed>, Malformed> {
    Ok(follow_by_names(snapshot, exists)?.0)
}

/// The same, with the names by which they were followed.
///
/// # Errors
/// [`Malformed`] if a segment is damaged.
pub fn follow_by_names(
    snapshot: &Snapshot,
    exists: &(dyn Fn(&str) -> bool + Sync),
) -> Result<(Vec<Followed>, Names), Malformed> {
    let mut places = Vec::new();
    for part in snapshot.parts.iter().filter(|part| part.kind != Kind::Summary) {
        places.extend(part.live.ones().map(|number| (&part.loaded.segment, number)));
    }
    let read: Vec<_> = places
        .into_par_iter()
        .map(|(segment, number)| {
            let view = segment.document(number)?;
            // Of all notes at once nothing else is kept.
            let parsed = markdown::parse(segment.text(&view)?).ok();
            Ok(parsed.map(|parsed| {
                let aliases = match view.attributes {
                    Attributes::Facts { names, .. } => {
                        names.into_iter().map(str::to_owned).collect()
                    }
                    _ => parsed.front_matter.aliases,
                };
                (view.path, parsed.links, aliases)
            }))
        })
        .collect::<Result<_, Malformed>>()?;
    let mut documents: Vec<_> = read.into_iter().flatten().collect();
    documents.sort_by(|a, b| a.0.cmp(&b.0));
    let mut names = Names::default();
    for (path, _, aliases) in &mut documents {
        names.add(path, std::mem::take(aliases));
    }
    let mut followed = Vec::new();
    for (path, links, _) in documents {
        let text = path.to_text();
        for link in links {
            followed.push(Followed {
                path: path.clone(),
                line: link.line,
                wiki: link.kind != LinkKind::Inline,
                to: names.destination(&text, &link, &|path| exists(path)),
                target: link.target,
            });
        }
    }
    Ok((followed, names))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pages_of_sites_are_not_called_broken() {
        for (target, to, expected) in [
            ("b.md", Destination::Nowhere, true),
            ("/docs/b.md", Destination::Nowhere, true),
            ("/docs/b/", Destination::Nowhere, false),
            ("/img/c.png", Destination::Nowhere, true),
            ("docs/b/", Destination::Nowhere, true),
            ("b.md", Destination::Inside("b.md".to_owned()), false),
        ] {
            let (path, target) = (NotePath::from("a.md"), target.to_owned());
            let link = Followed { path, line: 1, target, wiki: false, to };
            assert_eq!(link.is_broken(), expected, "{}", link.target);
        }
    }

    #[test]
    fn names_of_files_go_before_what_notes_call_themselves() {
        let mut names = Names::default();
        for (path, alias) in [("a/one.md", "uno"), ("b/one.md", "two"), ("c.md", "one")] {
            names.add(&NotePath::from(path), [alias.to_owned()]);
        }
        for (target, expected) in [
            ("one", None),
            ("two", Some("b/one.md")),
            ("uno", Some("a/one.md")),
            ("c", Some("c.md")),
        ] {
            let kind = LinkKind::Wiki;
            let (target, heading) = (target.to_owned(), None);
            let link = markdown::Link { target, kind, heading, line: 1, range: 0..0 };
            let found = match names.destination("d.md", &link, &|_| false) {
                Destination::Inside(path) => Some(path),
                _ => None,
            };
            assert_eq!(found.as_deref(), expected, "{}", link.target);
        }
    }
}
