//! One note with all that is known of it.

use std::time::Duration;

use rustc_hash::FxHashSet;

use super::{Catalogue, Reference, catalogue::size};
use crate::{
    Error, Result,
    reporter::Silent,
    search::{SearchRequest, search_in},
    workspace::Workspace,
};
use elophanto_base::one_line::one_line;
use elophanto_index::{
    Kind, Snapshot, drift,
    search::{Hit, Listing, run::Like},
};
use elophanto_repo::{
    Git, NotePath,
    history::{Age, Made},
    read_if_there,
};
use elophanto_text::{
    authoring::content_hash,
    markdown::{self, Document, Scope},
};

/// Git may take this long to tell whether a note has drifted.
const DRIFT_PATIENCE: Duration = Duration::from_millis(300);
/// Places that resemble a note.
const ALIKE: usize = 8;
/// Links that are told one by one.
const MOST_LINKS: usize = 100;
/// Characters of a line that refers.
const MOST_LINE: usize = 200;

/// A note as it lies in the work tree.
pub struct Note {
    /// Relative to the root.
    pub path: NotePath,
    /// Its number in the catalogue.
    pub number: usize,
    /// What it is called.
    pub title: String,
    /// All of it, front matter too.
    pub text: String,
    /// `None` if it cannot be read as Markdown: why not.
    pub document: Result<Document, String>,
    /// Names its content.
    pub hash: String,
    /// Size of its file.
    pub bytes: u64,
    /// A note or a page of an entity.
    pub kind: Kind,
    /// Whom it is for.
    pub scope: Scope,
    /// Of its front matter.
    pub tags: Vec<String>,
    /// In seconds since 1970; `None` if that is not known.
    pub changed: Option<i64>,
    /// `committed`, `modified` or `uncommitted`.
    pub state: &'static str,
}

/// A link as it is told at one of its ends.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Linked {
    /// The note at the other end.
    pub path: String,
    /// What that one is called.
    pub title: String,
    /// Of the note that refers, from 1.
    pub line: usize,
    /// That line.
    pub text: String,
}

/// A place that resembles a note.
pub struct Alike {
    /// With how near it is.
    pub hit: Hit,
    /// Whether one of both refers to the other.
    pub is_linked: bool,
}

/// The note of this number; `None` if it is gone meanwhile.
///
/// # Errors
/// When it cannot be read, or is no text.
pub fn note(workspace: &Workspace, catalogue: &Catalogue, number: usize) -> Result<Option<Note>> {
    let Some(entry) = catalogue.entries.get(number) else { return Ok(None) };
    let root = &workspace.repository.root;
    let most = workspace.config.knowledge.max_file_bytes;
    let read = read_if_there(root, &entry.path, most).map_err(Error::new)?;
    let Some(bytes) = read else { return Ok(None) };
    let text = markdown::decode(&bytes).map_err(Error::new)?.text.into_owned();
    let document = markdown::parse(&text).map_err(|cause| cause.to_string());
    let said = document.as_ref().ok().and_then(|it| it.title().map(str::to_owned));
    Ok(Some(Note {
        path: entry.path.clone(),
        number,
        title: said.unwrap_or_else(|| entry.title.clone()),
        document,
        hash: content_hash(&text),
        bytes: size(root, &entry.path),
        text,
        kind: entry.kind,
        scope: entry.scope,
        tags: entry.tags.clone(),
        changed: entry.changed,
        state: state(catalogue, &entry.path),
    }))
}

fn state(catalogue: &Catalogue, path: &NotePath) -> &'static str {
    let history = &catalogue.snapshot.history;
    match catalogue.age(path) {
        Some(Age::NotCommitted) if history.complete && history.get(path).is_some() => "modified",
        Some(Age::NotCommitted) if history.complete => "uncommitted",
        _ => "committed",
    }
}

impl Catalogue {
    fn age(&self, path: &NotePath) -> Option<Age> {
        let Snapshot { files, history, .. } = &self.snapshot;
        let at = files.binary_search_by(|file| file.path.cmp(path)).ok()?;
        Some(history.age(path, &files.get(at)?.blob))
    }

    /// The commit that made a note what it is; `None` if it is not committed so, or that is not known.
    pub fn made(&self, path: &NotePath) -> Option<Made> {
        match self.age(path)? {
            Age::Committed(made) => Some(made),
            _ => None,
        }
    }

    /// What refers to a note, by path, and how many there are.
    pub fn backlinks_of(&self, note: usize) -> (Vec<Linked>, usize) {
        let incoming = self.incoming(note);
        let linked = |it: &Reference| linked(self, it, it.from);
        (incoming.iter().take(MOST_LINKS).filter_map(linked).collect(), incoming.len())
    }

    /// What a note refers to, and how many that are.
    pub fn links_of(&self, note: usize) -> (Vec<Linked>, usize) {
        let outgoing = self.outgoing(note);
        let linked = |it: &Reference| linked(self, it, it.to);
        (outgoing.iter().take(MOST_LINKS).filter_map(linked).collect(), outgoing.len())
    }
}

fn linked(catalogue: &Catalogue, reference: &Reference, end: usize) -> Option<Linked> {
    let entry = catalogue.entries.get(end)?;
    let lines = catalogue.text(reference.from).unwrap_or_default();
    let line = lines.lines().nth(reference.line.saturating_sub(1)).unwrap_or_default();
    Some(Linked {
        path: entry.name.clone(),
        title: entry.title.clone(),
        line: reference.line,
        text: one_line(line.trim(), MOST_LINE),
    })
}

/// What resembles a note by its meaning, best first. What is not linked with it is perhaps to be.
///
/// # Errors
/// Those of searching.
pub fn alike(workspace: &Workspace, catalogue: &Catalogue, note: &Note) -> Result<Vec<Alike>> {
    let request = SearchRequest {
        like: Some(Like { path: note.path.clone(), line: None }),
        listing: Listing::Files { places: 1 },
        most: Some(ALIKE + 1),
        // Nothing is made or asked for on the way.
        kinds: vec![Kind::Note, Kind::Fact],
        as_it_is: true,
        ..SearchRequest::default()
    };
    let found = search_in(workspace, &request, Some(&catalogue.searched), &Silent)?;
    let outgoing = catalogue.outgoing(note.number).iter().map(|it| it.to);
    let incoming = catalogue.incoming(note.number).iter().map(|it| it.from);
    let linked: FxHashSet<usize> = outgoing.chain(incoming).collect();
    let is_linked = |hit: &Hit| {
        catalogue.find(&hit.path.to_text()).is_some_and(|number| linked.contains(&number))
    };
    let hits = found.answer.hits.into_iter().filter(|hit| hit.path != note.path).take(ALIKE);
    Ok(hits.map(|hit| Alike { is_linked: is_linked(&hit), hit }).collect())
}

/// Whether what a note covers changed after it, as far as git tells in time.
pub fn drift_of(
    workspace: &Workspace,
    catalogue: &Catalogue,
    path: &NotePath,
) -> Option<drift::Drift> {
    let git = Git::of(&workspace.repository)?;
    let drifts = drift::drifted(&git, &catalogue.snapshot, [path], DRIFT_PATIENCE).ok()?;
    drifts.found.into_iter().next()
}
