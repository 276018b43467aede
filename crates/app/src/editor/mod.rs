//! What an editor asks of a knowledge base while somebody writes: where links lead, what is wrong with a
//! text, what is known of what stands under the cursor, what may be meant by what was typed.
//!
//! A text that is open is a [`Buffer`]: parsed alone, saved or not, and never indexed. Places in it are
//! bytes; places in other files are lines with the bytes in them ([`Spot`]). How an editor counts
//! characters, and what it calls all of this, is the door's.

mod buffer;
mod check;
mod commands;
mod complete;
mod context;
mod covers;
mod facts;
mod fixes;
mod foreign;
mod hover;
mod known;
mod lenses;
mod links;
mod listing;
mod rename;
mod resolver;
mod source;
mod spots;
mod symbols;

use std::{
    path::{Path, PathBuf},
    sync::{Arc, Mutex},
};

pub use buffer::Buffer;
pub use check::{Finding, Severity};
pub use commands::{Missing, at_commit, learn, like, missing, past_of, remember};
pub use complete::{Proposal, ProposalKind, Proposals, propose};
pub use fixes::Fix;
pub use hover::{Card, Hover, KnownFactShown, Mention, hover};
pub use lenses::{Hint, Lens, Shown, hints, lenses};
pub use links::LinkTo;
pub use listing::Listing;
pub use rename::{Change, Rename, Renamed, Unproven};
pub use resolver::Resolver;
pub use spots::Spot;
pub use symbols::{Section, Symbol, foldings, search_symbols, sections};

use crate::{
    Environment, Result,
    reading::{Catalogue, ReadingCache},
    reporter::Silent,
    workspace::{KnowledgeBase, Workspace},
};
use elophanto_base::{
    beneath::{Folder, Kind},
    mutex::lock,
};
use elophanto_models::Pace;
use elophanto_repo::{Finder, NotePath, Selection, is_git_name, read_note};
use elophanto_text::markdown;
use known::Known;

/// Settings for all that an editor asks: what is asked on the way shows no interest of anybody's, and
/// more is chosen from than a list on a terminal holds.
const SETTINGS: [(&str, &str); 2] = [("interest.count_searches", "false"), ("search.limit", "40")];

/// Which files there are: at which number of the notes it was looked, what was selected, what was found.
type Listed = (u64, Arc<Selection>, Arc<Listing>);

/// A knowledge base that an editor works in. Shared between threads.
pub struct Editor {
    /// Top of the repository.
    pub root: PathBuf,
    cache: Arc<ReadingCache>,
    /// Which files are notes, by the settings as they were read last.
    selection: Mutex<Arc<Selection>>,
    listing: Mutex<Option<Listed>>,
    known: Mutex<Option<(u64, Arc<Known>)>>,
    meant: Mutex<complete::Meant>,
    blamed: Mutex<hover::Blamed>,
}

impl Editor {
    /// The knowledge base around a folder.
    ///
    /// # Errors
    /// When there is none, or a setting is unusable.
    pub fn open(folder: &Path, environment: &Environment) -> Result<Self> {
        let workspace = Workspace::around(folder, environment.clone(), settings(&[]), &Silent)?;
        Ok(Self {
            root: workspace.repository.root.clone(),
            cache: ReadingCache::new(KnowledgeBase::of(&workspace)),
            selection: Mutex::new(Arc::new(workspace.context().selection.clone())),
            listing: Mutex::default(),
            known: Mutex::default(),
            meant: Mutex::default(),
            blamed: Mutex::default(),
        })
    }

    /// The knowledge base as it is now.
    ///
    /// # Errors
    /// When there is none any more, or a setting is unusable.
    pub fn workspace(&self) -> Result<Workspace> {
        let workspace = self.cache.open(settings(&[]))?;
        let (mut kept, now) = (lock(&self.selection), workspace.context().selection);
        let is_same = (&kept.roots, &kept.extensions, &kept.apart)
            == (&now.roots, &now.extensions, &now.apart);
        if !is_same {
            *kept = Arc::new(now.clone());
        }
        drop(kept);
        Ok(workspace)
    }

    /// Endings of the names of notes.
    pub fn endings(&self) -> Vec<String> {
        self.selection().extensions.clone()
    }

    fn selection(&self) -> Arc<Selection> {
        Arc::clone(&lock(&self.selection))
    }

    /// The same for questions that nobody has asked: text that is being written goes to no other
    /// machine, so that where the model is elsewhere, words alone are compared.
    ///
    /// # Errors
    /// As [`Editor::workspace`].
    pub fn unasked(&self) -> Result<Workspace> {
        let workspace = self.workspace()?;
        match workspace.models.active().pace() {
            Pace::Remote => self.by_words(),
            _ => Ok(workspace),
        }
    }

    /// The same where words alone are compared.
    ///
    /// # Errors
    /// As [`Editor::workspace`].
    fn by_words(&self) -> Result<Workspace> {
        self.cache.open(settings(&[("search.mode", "keyword")]))
    }

    /// Reads all notes beside, unless that was done before.
    pub fn warm(&self) {
        self.cache.warm();
    }

    /// All notes, as they were a moment ago.
    ///
    /// # Errors
    /// When the knowledge base cannot be read.
    pub fn catalogue(&self, workspace: &Workspace) -> Result<Arc<Catalogue>> {
        self.cache.catalogue(workspace)
    }

    /// Counts how often notes have changed; 0 before they were read for the first time.
    pub fn number(&self) -> u64 {
        self.cache.number()
    }

    /// The files that are notes by their names: quickly listed, and nothing of them is read.
    pub fn listing(&self) -> Arc<Listing> {
        let (number, selection, mut kept) = (self.number(), self.selection(), lock(&self.listing));
        let is_new = |it: &&Listed| it.0 == number && Arc::ptr_eq(&it.1, &selection);
        if let Some((.., listing)) = kept.as_ref().filter(is_new) {
            return Arc::clone(listing);
        }
        let listing = Arc::new(Listing::of(&self.root, &selection));
        *kept = Some((number, selection, Arc::clone(&listing)));
        listing
    }

    /// Files have changed underneath: they are listed and read anew.
    pub fn changed(&self) {
        *lock(&self.listing) = None;
        if self.number() > 0
            && let Ok(workspace) = self.workspace()
        {
            // What cannot be read now is read the next time.
            let _ = self.cache.look_again(&workspace);
        }
    }

    /// What of all notes is looked up again and again.
    fn known(&self, workspace: &Workspace, catalogue: &Catalogue) -> Arc<Known> {
        let mut kept = lock(&self.known);
        match kept.as_ref().filter(|(number, _)| *number == catalogue.number) {
            Some((_, known)) => Arc::clone(known),
            None => {
                let known = Arc::new(Known::of(workspace, catalogue));
                *kept = Some((catalogue.number, Arc::clone(&known)));
                known
            }
        }
    }

    /// Whether a path, relative to the root, is named as a note is: nothing of git's own is one.
    pub fn is_note(&self, path: &str) -> bool {
        let path = Path::new(path);
        self.selection().is_markdown(path) && !path.iter().any(is_git_name)
    }

    /// Whether the walk would come by a note at a path: nothing hidden or ignored, no file of keys.
    fn finds(&self, path: &str) -> bool {
        let path = Path::new(path);
        self.selection().names(path) && Finder::new(&self.root).finds(path)
    }

    /// Whether a file may be made at a path: nothing lies there, and no link is on the way.
    pub fn is_free(&self, path: &str) -> bool {
        let top = Folder::open(&self.root);
        top.is_ok_and(|top| top.stat(Path::new(path)).is_ok_and(|found| found.is_none()))
    }

    /// Whether a file lies at a path, and no link is on the way.
    fn is_file(&self, path: &str) -> bool {
        let top = Folder::open(&self.root);
        let found = top.and_then(|top| top.stat(Path::new(path)));
        found.is_ok_and(|found| found.is_some_and(|it| it.kind == Kind::File))
    }

    /// A file beneath the root as it lies on disk, if it is a text.
    pub fn read(&self, path: &str) -> Option<Buffer> {
        let (bytes, _) = read_note(&self.root, &NotePath::from(path), MOST_BYTES).ok()?;
        let decoded = markdown::decode(&bytes).ok()?;
        Some(Buffer::new(path.to_owned(), without_mark(&decoded.text).to_owned()))
    }
}

/// A text as editors have it: they take the byte order mark for no part of it.
fn without_mark(text: &str) -> &str {
    text.strip_prefix('\u{feff}').unwrap_or(text)
}

/// Largest file that is read for an editor, in bytes.
const MOST_BYTES: u64 = 16 << 20;

fn settings(more: &[(&str, &str)]) -> Vec<(String, String)> {
    let all = SETTINGS.iter().chain(more);
    all.map(|(key, value)| ((*key).to_owned(), (*value).to_owned())).collect()
}
