//! All notes and pages of entities at one moment, with what refers to what.

use std::{
    collections::BTreeMap,
    fs,
    sync::{Arc, OnceLock},
};

use rustc_hash::FxHashSet;

use super::{Cluster, web::clusters};
use crate::{
    Result,
    embedding::background::embed_soon,
    when,
    workspace::{Workspace, now_nanoseconds},
};
use elophanto_index::{
    Kind, Options, Problem, Refreshed, Snapshot,
    links::{Files, Names, follow_by_names},
    search::SearchError,
    store::manifest::{FileEntry, Place},
};
use elophanto_repo::{BlobId, CommitId, Git, GitError, NotePath, Version};
use elophanto_text::markdown::{Destination, Scope};

/// A note or a page of an entity.
#[derive(Debug, Clone)]
pub struct Entry {
    /// Relative to the root.
    pub path: NotePath,
    /// The same as text.
    pub name: String,
    /// What it is called.
    pub title: String,
    /// A note or a page of an entity.
    pub kind: Kind,
    /// Whom it is for.
    pub scope: Scope,
    /// Of its front matter.
    pub tags: Vec<String>,
    /// When it changed, in seconds since 1970; `None` if that is not known.
    pub changed: Option<i64>,
}

/// A link from one note to another, by their numbers.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Reference {
    /// The note that refers.
    pub from: usize,
    /// The note that is referred to.
    pub to: usize,
    /// Of the note that refers, from 1.
    pub line: usize,
}

/// A folder and how many notes lie in it and below.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Folder {
    /// Without the folders above.
    pub name: String,
    /// With the folders above, separated by `/`.
    pub path: String,
    /// In it and in all folders below.
    pub notes: usize,
}

/// What lies in a folder.
#[derive(Debug)]
pub struct Listed<'c> {
    /// Those directly in it, sorted by name.
    pub folders: Vec<Folder>,
    /// Of the notes in it, those of the page that was asked for.
    pub notes: Vec<&'c Entry>,
    /// How many notes lie in it, not counting those in folders below.
    pub total: usize,
}

/// All of it at one moment. Notes have the numbers of their places in `entries`.
pub struct Catalogue {
    /// Notes and pages of entities.
    pub snapshot: Snapshot,
    /// All that is searched: descriptions of files too.
    pub searched: Snapshot,
    /// Sorted by path.
    pub entries: Vec<Entry>,
    /// Tells which note a link means.
    pub names: Names,
    /// Passages of all that is searched.
    pub chunks: usize,
    /// Chunks that wait for a vector.
    pub waiting: usize,
    /// Files that are missing because another process was writing the view.
    pub stale: usize,
    /// Files that are not searched, and why.
    problems: Vec<Problem>,
    /// Counts how often something has changed since the first one.
    pub number: u64,
    /// Sorted by `from`, then `line`.
    outgoing: Vec<Reference>,
    /// Sorted by `to`, then `from`.
    incoming: Vec<Reference>,
    /// Links that lead nowhere.
    pub broken: usize,
    clusters: OnceLock<(Vec<Cluster>, usize)>,
}

impl Catalogue {
    /// Reads what changed, and follows all links, unless the same notes still say the same as in the one
    /// that is `known`.
    ///
    /// # Errors
    /// When a configured root does not exist, or the view is damaged.
    pub(super) fn make(
        workspace: &Workspace,
        options: Options,
        known: Option<&Arc<Self>>,
    ) -> Result<Arc<Self>> {
        let again = || workspace.refresh_all(options);
        let refreshed = embed_soon(workspace, &workspace.context(), again()?, &again)?;
        if let Some(known) = known.filter(|known| known.is_of(&refreshed)) {
            return Ok(Arc::clone(known));
        }
        let (root, number) = (&workspace.repository.root, known.map_or(0, |known| known.number));
        let exists = |path: &str| root.join(path).exists();
        Self::of(refreshed, &exists, &Files::below(root), number + 1).map(Arc::new)
    }

    /// As the notes are now, looked at once.
    ///
    /// # Errors
    /// When a configured root does not exist, or the view is damaged.
    pub fn now(workspace: &Workspace) -> Result<Arc<Self>> {
        let options = Options { full: false, patience: None, progress: &|_, _| {} };
        Self::make(workspace, options, None)
    }

    /// As they were at a revision or date; and the commit that was meant.
    ///
    /// # Errors
    /// When there is no such revision, or git cannot list it.
    pub fn at(workspace: &Workspace, revision: &str) -> Result<(Arc<Self>, CommitId)> {
        let git = Git::of(&workspace.repository).ok_or(GitError::NoRepository)?;
        let commit = when::commit(&git, revision, now_nanoseconds() / 1_000_000_000)?;
        let refreshed = workspace.version(&git, &Version::Commit(commit), &|_, _| {})?;
        let files = &refreshed.snapshot.files;
        let known: FxHashSet<String> = files.iter().map(|file| file.path.to_text()).collect();
        let exists = |path: &str| known.contains(path);
        let catalogue = Self::of(refreshed, &exists, &Files::default(), 1)?;
        Ok((Arc::new(catalogue), commit))
    }

    fn of(
        Refreshed { snapshot: searched, report }: Refreshed,
        exists: &(dyn Fn(&str) -> bool + Sync),
        beside: &Files,
        number: u64,
    ) -> Result<Self> {
        let snapshot = pages(&searched);
        let entries = entries(&snapshot)?;
        let followed = follow_by_names(&snapshot, exists, beside);
        let (links, names) = followed.map_err(SearchError::from)?;
        let mut catalogue = Self {
            snapshot,
            searched,
            entries,
            names,
            chunks: report.chunks,
            waiting: report.waiting,
            stale: report.stale,
            problems: report.problems,
            number,
            outgoing: Vec::new(),
            incoming: Vec::new(),
            broken: links.iter().filter(|link| link.to == Destination::Nowhere).count(),
            clusters: OnceLock::new(),
        };
        let number = |path: &str| catalogue.find(path);
        let references = links.iter().filter_map(|link| {
            let Destination::Inside(to) = &link.to else { return None };
            let (from, to) = (number(&link.path.to_text())?, number(to)?);
            (from != to).then_some(Reference { from, to, line: link.line })
        });
        let mut outgoing: Vec<Reference> = references.collect();
        outgoing.sort_by_key(|it| (it.from, it.line, it.to));
        let mut incoming = outgoing.clone();
        incoming.sort_by_key(|it| (it.to, it.from, it.line));
        (catalogue.outgoing, catalogue.incoming) = (outgoing, incoming);
        Ok(catalogue)
    }

    /// Whether the same notes say the same.
    fn is_of(&self, Refreshed { snapshot, report }: &Refreshed) -> bool {
        fn files(of: &Snapshot) -> impl Iterator<Item = (&NotePath, &BlobId)> {
            of.files.iter().map(|file| (&file.path, &file.blob))
        }
        self.waiting == report.waiting
            && self.stale == report.stale
            && self.problems == report.problems
            && self.searched.history.head == snapshot.history.head
            && files(&self.searched).eq(files(snapshot))
    }

    /// Why a file is no note, where it could be one.
    pub fn problem(&self, path: &str) -> Option<&str> {
        let found = self.problems.iter().find(|it| it.path.as_bytes() == path.as_bytes())?;
        Some(&found.reason)
    }

    /// The number of the note at a path.
    pub fn find(&self, path: &str) -> Option<usize> {
        let by_bytes = self.entries.binary_search_by(|it| it.path.as_bytes().cmp(path.as_bytes()));
        // One that is no UTF-8 is called by its text.
        by_bytes.ok().or_else(|| {
            path.contains("\\x").then(|| self.entries.iter().position(|it| it.name == path))?
        })
    }

    /// What a note refers to, in the order of its lines.
    pub fn outgoing(&self, note: usize) -> &[Reference] {
        run(&self.outgoing, note, |it| it.from)
    }

    /// What refers to a note, by path.
    pub fn incoming(&self, note: usize) -> &[Reference] {
        run(&self.incoming, note, |it| it.to)
    }

    /// All notes that are linked at all, in groups, the largest first; and how many notes are in none.
    /// Found once.
    pub fn clusters(&self) -> &(Vec<Cluster>, usize) {
        self.clusters.get_or_init(|| clusters(self.entries.len(), &self.outgoing))
    }

    /// All links between notes.
    pub fn references(&self) -> &[Reference] {
        &self.outgoing
    }

    /// The text of a note as it was read last.
    pub fn text(&self, note: usize) -> Option<&str> {
        let entry = self.entries.get(note)?;
        let files = &self.snapshot.files;
        let at = files.binary_search_by(|file| file.path.cmp(&entry.path)).ok()?;
        let Place::Document { segment, document } = files.get(at)?.place else { return None };
        let segment = &self.snapshot.parts.get(segment as usize)?.loaded.segment;
        let view = segment.document(document as usize).ok()?;
        segment.text(&view).ok()
    }

    /// What lies in a folder, `""` for the root; notes from `first` on, at most `most`.
    pub fn folder(&self, folder: &str, first: usize, most: usize) -> Listed<'_> {
        let prefix = if folder.is_empty() { String::new() } else { format!("{folder}/") };
        let mut folders: BTreeMap<&str, usize> = BTreeMap::new();
        let mut notes = Vec::new();
        let mut total = 0;
        for entry in &self.entries {
            let Some(rest) = entry.name.strip_prefix(&prefix) else { continue };
            match rest.split_once('/') {
                Some((name, _)) => *folders.entry(name).or_default() += 1,
                None => {
                    if total >= first && notes.len() < most {
                        notes.push(entry);
                    }
                    total += 1;
                }
            }
        }
        let folder = |(name, notes): (&str, usize)| Folder {
            name: name.to_owned(),
            path: format!("{prefix}{name}"),
            notes,
        };
        Listed { folders: folders.into_iter().map(folder).collect(), notes, total }
    }

    /// The notes that changed last, the newest first.
    pub fn latest(&self, most: usize) -> Vec<&Entry> {
        let mut all: Vec<&Entry> = self.entries.iter().filter(|it| it.changed.is_some()).collect();
        all.sort_by(|a, b| b.changed.cmp(&a.changed).then_with(|| a.path.cmp(&b.path)));
        all.truncate(most);
        all
    }
}

/// What of all files is a note or a page of an entity.
fn pages(all: &Snapshot) -> Snapshot {
    let is_page = |file: &&FileEntry| match file.place {
        Place::Document { segment, .. } => {
            all.parts.get(segment as usize).is_some_and(|part| part.kind != Kind::Summary)
        }
        _ => true,
    };
    let files = all.files.iter().filter(is_page).cloned().collect();
    Snapshot { parts: all.parts.clone(), files, history: all.history.clone(), whole: None }
}

fn entries(snapshot: &Snapshot) -> Result<Vec<Entry>> {
    let mut entries = Vec::with_capacity(snapshot.files.len());
    for (file, changed) in snapshot.files.iter().zip(snapshot.change_times()) {
        let Place::Document { segment, document } = file.place else { continue };
        let Some(part) = snapshot.parts.get(segment as usize) else { continue };
        if !matches!(part.kind, Kind::Note | Kind::Fact) {
            continue;
        }
        let view = part.loaded.segment.document(document as usize).map_err(SearchError::from)?;
        entries.push(Entry {
            path: file.path.clone(),
            name: file.path.to_text(),
            title: view.title.to_owned(),
            kind: part.kind,
            scope: view.scope,
            tags: view.tags.iter().map(|tag| (*tag).to_owned()).collect(),
            changed,
        });
    }
    entries.sort_by(|a, b| a.path.cmp(&b.path));
    // A page of an entity may be a note as well.
    entries.dedup_by(|later, earlier| later.path == earlier.path);
    Ok(entries)
}

/// The stretch of references that have this key.
fn run(sorted: &[Reference], key: usize, of: impl Fn(&Reference) -> usize) -> &[Reference] {
    let start = sorted.partition_point(|it| of(it) < key);
    let end = sorted.partition_point(|it| of(it) <= key);
    sorted.get(start..end).unwrap_or_default()
}

/// Bytes of a file of the work tree; 0 if it is gone.
pub(super) fn size(root: &std::path::Path, path: &NotePath) -> u64 {
    fs::metadata(path.below(root)).map_or(0, |it| it.len())
}
