//! Links between notes: where each of them leads, and which lead nowhere.
//!
//! Owns following all links of a snapshot. How a single link is resolved is `markdown`'s.

use std::{
    collections::BTreeSet,
    path::{Path, PathBuf},
    sync::OnceLock,
};

use rayon::prelude::*;
use rustc_hash::FxHashMap;

use crate::{
    Kind, Snapshot,
    store::{Malformed, segment::Attributes},
};
use elophanto_repo::{Git, NotePath, locate, remote_url, walk_files};
use elophanto_text::markdown::{self, ByEnd, Destination, LinkKind};

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
    files: &Files,
) -> Result<Vec<BrokenLink>, Malformed> {
    let followed = follow(snapshot, exists, files)?.into_iter();
    let nowhere = followed.filter(|link| link.to == Destination::Nowhere);
    Ok(nowhere
        .map(|Followed { path, line, target, .. }| BrokenLink { path, line, target })
        .collect())
}

/// All files below a root by their names, notes or not, but for hidden and ignored ones: they are looked
/// for once a link by name leads to no note. And where a forge shows them, and which are not checked out.
#[derive(Debug, Default)]
pub struct Files {
    /// Without one there are none.
    root: Option<PathBuf>,
    found: OnceLock<ByEnd>,
    /// `github.com/acme/sea`: looked for once a link leads to a file on a forge.
    shown_at: OnceLock<Option<String>>,
    /// Of a sparse work tree: looked for once nothing lies where a link leads.
    left_out: OnceLock<BTreeSet<String>>,
}

impl Files {
    pub fn below(root: &Path) -> Self {
        Self { root: Some(root.to_owned()), ..Self::default() }
    }

    /// These and no others.
    pub fn of<'p>(paths: impl IntoIterator<Item = &'p str>) -> Self {
        let mut found = ByEnd::default();
        for path in paths {
            found.add(path, Path::new(path).extension().is_some_and(|it| it == "md"));
        }
        Self { found: OnceLock::from(found), ..Self::default() }
    }

    /// The path in an address at which the forge that `origin` is on shows a file, of whichever branch:
    /// `https://github.com/acme/sea/blob/main/docs/a.md`.
    fn path_in(&self, address: &str) -> Option<String> {
        let (scheme, rest) = address.split_once("://")?;
        let (shown, path) = rest.split_once("/blob/").filter(|_| scheme.starts_with("http"))?;
        let own = self.shown_at.get_or_init(|| {
            let repository = locate(self.root.as_deref()?).ok()?;
            Git::repository_of(&remote_url(&repository)?)
        });
        // GitLab puts a dash behind the name of a repository.
        let shown = shown.strip_suffix("/-").unwrap_or(shown);
        let (_, path) = path
            .split_once('/')
            .filter(|_| own.as_deref() == Some(shown.to_lowercase().as_str()))?;
        path.split(['?', '#']).next().map(str::to_owned)
    }

    /// Whether git tracks a file or folder that is not checked out.
    fn leave_out(&self, path: &str) -> bool {
        let left_out = self.left_out.get_or_init(|| {
            let git = self.root.as_deref().and_then(|root| Git::of(&locate(root).ok()?));
            let paths = git.and_then(|git| git.left_out(Path::new("")).ok()).unwrap_or_default();
            paths.iter().map(NotePath::to_text).collect()
        });
        let path = path.trim_end_matches('/');
        let within = format!("{path}/");
        let first = left_out.range(within.clone()..).next();
        left_out.contains(path) || first.is_some_and(|first| first.starts_with(&within))
    }

    fn found(&self) -> &ByEnd {
        self.found.get_or_init(|| {
            let Some(root) = &self.root else { return ByEnd::default() };
            let (walked, _) = walk_files(root, &[PathBuf::from(".")], |_| true, |_| true);
            let paths: Vec<String> = walked.iter().map(|file| file.path.to_text()).collect();
            let Self { found, .. } = Self::of(paths.iter().map(String::as_str));
            found.into_inner().unwrap_or_default()
        })
    }
}

/// By what names notes are linked to.
#[derive(Debug, Clone, Default)]
pub struct Names {
    notes: ByEnd,
    /// In lower case.
    aliases: FxHashMap<String, String>,
}

impl Names {
    /// Adds a note that calls itself so.
    pub fn add(&mut self, path: &NotePath, aliases: impl IntoIterator<Item = String>) {
        let path = path.to_text();
        self.notes.add(&path, true);
        let aliases = aliases.into_iter().map(|alias| (alias.to_lowercase(), path.clone()));
        self.aliases.extend(aliases);
    }

    /// Whether several notes are called so, or their paths end so.
    pub fn is_shared(&self, name: &str) -> bool {
        self.notes.is_shared(name)
    }

    /// Where a link of the note at a path leads; `exists` as for [`follow`].
    pub fn destination(
        &self,
        note: &str,
        link: &markdown::Link,
        exists: &dyn Fn(&str) -> bool,
        files: &Files,
    ) -> Destination {
        let vault = || vault(note, exists);
        self.lead(note, link, exists, files, &|target| {
            files.found().find(note, target, &vault, exists).map(str::to_owned)
        })
    }

    fn lead(
        &self,
        note: &str,
        link: &markdown::Link,
        exists: &dyn Fn(&str) -> bool,
        files: &Files,
        by_file: &dyn Fn(&str) -> Option<String>,
    ) -> Destination {
        let exists = |path: &str| exists(path) || files.leave_out(path);
        let notes = markdown::Notes {
            exists: &exists,
            by_name: &|target| {
                let found = self.notes.find(note, target, &|| vault(note, &exists), &|_| true);
                found.map(str::to_owned)
            },
            by_alias: &|alias| self.aliases.get(&alias.to_lowercase()).cloned(),
            by_file,
            by_end: &|end| self.notes.ending(end).map(str::to_owned).collect(),
            by_address: &|address| files.path_in(address),
        };
        markdown::resolve_link(note, link, &notes)
    }
}

/// The folder of the vault that a note is in: the nearest one that Obsidian has opened, else the one at the
/// top, as where each language has a vault of its own (`en/`, `de/`).
fn vault(note: &str, exists: &dyn Fn(&str) -> bool) -> String {
    let above = |path: &str| path.rsplit_once('/').map(|(folder, _)| folder.to_owned());
    let mut folders = std::iter::successors(above(note), |folder| above(folder));
    let opened = folders.find(|folder| exists(&format!("{folder}/.obsidian")));
    let is_root = || exists(".obsidian");
    let top = || note.split_once('/').map(|(top, _)| top.to_owned()).filter(|_| !is_root());
    opened.or_else(top).unwrap_or_default()
}

/// All links of the current notes and of what people wrote on pages of entities, in their order.
///
/// # Errors
/// [`Malformed`] if a segment is damaged.
pub fn follow(
    snapshot: &Snapshot,
    exists: &(dyn Fn(&str) -> bool + Sync),
    files: &Files,
) -> Result<Vec<Followed>, Malformed> {
    Ok(follow_by_names(snapshot, exists, files)?.0)
}

/// The same, with the names by which they were followed.
///
/// # Errors
/// [`Malformed`] if a segment is damaged.
pub fn follow_by_names(
    snapshot: &Snapshot,
    exists: &(dyn Fn(&str) -> bool + Sync),
    files: &Files,
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
    let mut followed: Vec<(markdown::Link, Followed)> = documents
        .into_par_iter()
        .flat_map_iter(|(path, links, _)| {
            let (text, names) = (path.to_text(), &names);
            links.into_iter().map(move |link| {
                let to = names.lead(&text, &link, exists, files, &|_| None);
                let (line, wiki) = (link.line, link.kind != LinkKind::Inline);
                let (path, target) = (path.clone(), link.target.clone());
                (link, Followed { path, line, target, wiki, to })
            })
        })
        .collect();
    // The walk takes all threads: one of those above that waited for it would wait for ever.
    for (link, followed) in &mut followed {
        if followed.wiki && followed.to == Destination::Nowhere {
            followed.to = names.destination(&followed.path.to_text(), link, exists, files);
        }
    }
    Ok((followed.into_iter().map(|(_, followed)| followed).collect(), names))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_is_named_by_the_address_that_its_own_forge_shows_it_at() {
        for (origin, address, expected) in [
            ("github.com/acme/sea", "https://github.com/Acme/Sea/blob/main/a/b.md", Some("a/b.md")),
            ("github.com/acme/sea", "http://github.com/acme/sea/blob/v1/b.md?x#y", Some("b.md")),
            ("gitlab.com/a/b/c", "https://gitlab.com/a/b/c/-/blob/main/d.md", Some("d.md")),
            ("github.com/acme/sea", "https://github.com/acme/seal/blob/main/a.md", None),
            ("github.com/acme/sea", "https://example.org/github.com/acme/sea/blob/main/a.md", None),
            ("github.com/acme/sea", "https://github.com/acme/sea/tree/main/a", None),
            ("github.com/acme/sea", "https://github.com/acme/sea/blob/main", None),
            ("github.com/acme/sea", "ftp://github.com/acme/sea/blob/main/a.md", None),
            ("github.com/acme/sea", "mailto:github.com/acme/sea/blob/main/a.md", None),
        ] {
            let shown_at = OnceLock::from(Some(origin.to_owned()));
            let files = Files { shown_at, ..Files::default() };
            assert_eq!(files.path_in(address).as_deref(), expected, "{address}");
        }
        let nowhere = Files::default().path_in("https://github.com/acme/sea/blob/main/a.md");
        assert_eq!(nowhere, None);
    }

    fn led(names: &Names, note: &str, target: &str, there: &[&str]) -> Option<String> {
        let (target, heading, kind) = (target.to_owned(), None, LinkKind::Wiki);
        let link = markdown::Link { target, kind, heading, line: 1, range: 0..0 };
        let files = Files::of(there.iter().copied().filter(|path| !path.contains(".obsidian")));
        match names.destination(note, &link, &|path| there.contains(&path), &files) {
            Destination::Inside(path) => Some(path),
            _ => None,
        }
    }

    #[test]
    fn names_of_files_go_before_what_notes_call_themselves() {
        let mut names = Names::default();
        for (path, alias) in [("a/one.md", "Uno"), ("b/one.md", "two"), ("c.md", "one")] {
            names.add(&NotePath::from(path), [alias.to_owned()]);
        }
        let there = ["x/two.md", "x/far.png"];
        for (target, expected) in [
            ("one", Some("a/one.md")),
            ("two", Some("b/one.md")),
            ("uno", Some("a/one.md")),
            ("C", Some("c.md")),
            ("Far.png", Some("x/far.png")),
            ("x/two", Some("x/two.md")),
            ("far", None),
        ] {
            assert_eq!(led(&names, "d.md", target, &there).as_deref(), expected, "{target}");
        }
    }

    #[test]
    fn notes_of_the_same_vault_are_meant() {
        let mut names = Names::default();
        for path in ["a/vault/deep/one.md", "a/one.md", "b/one.md"] {
            names.add(&NotePath::from(path), []);
        }
        for (note, there, expected) in [
            ("a/vault/x/two.md", &["a/vault/.obsidian"][..], "a/vault/deep/one.md"),
            ("a/vault/x/two.md", &[], "a/one.md"),
            ("c/x/two.md", &[], "a/one.md"),
            ("b/x/two.md", &[], "b/one.md"),
            ("b/x/two.md", &[".obsidian"], "a/one.md"),
        ] {
            assert_eq!(led(&names, note, "one", there).as_deref(), Some(expected), "{note}");
        }
    }

    #[test]
    fn fifty_thousand_links_are_followed_at_once() {
        let mut names = Names::default();
        let path =
            |number: usize| format!("area {}/part {}/Note {number}.md", number % 20, number % 200);
        for number in 0..10_000 {
            names.add(&NotePath::from(&*path(number)), []);
        }
        let began = std::time::Instant::now();
        for number in 0..50_000 {
            let (note, target) = (path(number % 10_000), format!("note {}", number * 7 % 10_000));
            assert!(led(&names, &note, &target, &[]).is_some());
        }
        // Without optimisation, on a machine that does other things too.
        assert!(began.elapsed().as_secs() < 20, "{:?}", began.elapsed());
    }
}
