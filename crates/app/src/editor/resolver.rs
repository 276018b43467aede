//! What one question is answered with: the notes as they are now, and texts as they are open.

use std::{
    cell::{OnceCell, RefCell},
    sync::Arc,
};

use rustc_hash::FxHashMap;

use super::{Buffer, Editor, Listing, known::Known};
use crate::{Result, reading::Catalogue, workspace::Workspace};
use elophanto_text::markdown::{Destination, Link, LinkKind};

/// Files that are kept for one question: several of its links may lead to one.
const MOST_READ: usize = 64;

/// Tells where links lead, and what stands there: from the names of files alone, and once notes were
/// read, from what they call themselves too.
pub struct Resolver<'a> {
    /// What is kept between calls.
    pub editor: &'a Editor,
    /// The knowledge base.
    pub workspace: &'a Workspace,
    /// The names of all files at one moment.
    pub listing: Arc<Listing>,
    open: &'a [Arc<Buffer>],
    catalogue: OnceCell<Arc<Catalogue>>,
    read: RefCell<FxHashMap<String, Option<Arc<Buffer>>>>,
}

impl Editor {
    /// For one question; `open` are the texts that are open, saved or not.
    ///
    /// # Errors
    /// When the knowledge base cannot be read.
    pub fn resolver<'a>(
        &'a self,
        workspace: &'a Workspace,
        open: &'a [Arc<Buffer>],
    ) -> Result<Resolver<'a>> {
        let (listing, catalogue) = (self.listing(), OnceCell::new());
        let resolver = Resolver {
            editor: self,
            workspace,
            listing,
            open,
            catalogue,
            read: RefCell::default(),
        };
        // Before notes were read for the first time, nobody waits for that who needs no more than names.
        if self.number() > 0 {
            resolver.catalogue()?;
        }
        Ok(resolver)
    }
}

impl Resolver<'_> {
    /// All notes; they are read now if they never were.
    ///
    /// # Errors
    /// When the knowledge base cannot be read.
    pub fn catalogue(&self) -> Result<&Catalogue> {
        if let Some(known) = self.catalogue.get() {
            return Ok(known);
        }
        let read = self.editor.catalogue(self.workspace)?;
        Ok(self.catalogue.get_or_init(|| read))
    }

    /// All notes if they were read.
    pub fn known_notes(&self) -> Option<&Catalogue> {
        self.catalogue.get().map(|it| &**it)
    }

    /// What of all notes is looked up again and again.
    ///
    /// # Errors
    /// When the knowledge base cannot be read.
    pub fn known(&self) -> Result<Arc<Known>> {
        Ok(self.editor.known(self.workspace, self.catalogue()?))
    }

    /// A note as it is open, else as it lies on disk: what a link names must be found without it.
    pub fn buffer_of(&self, path: &str) -> Option<Arc<Buffer>> {
        if let Some(open) = self.open.iter().find(|open| open.path == path) {
            return Some(Arc::clone(open));
        }
        let mut all = self.read.borrow_mut();
        if all.len() >= MOST_READ {
            all.clear();
        }
        let read = all.entry(path.to_owned()).or_insert_with(|| {
            let is_found = self.listing.contains(path) || self.editor.finds(path);
            is_found.then(|| self.editor.read(path)).flatten().map(Arc::new)
        });
        read.clone()
    }

    /// Paths of the notes that are open.
    pub fn open_notes(&self) -> impl Iterator<Item = &str> {
        self.open.iter().map(|it| it.path.as_str()).filter(|path| self.editor.is_note(path))
    }

    /// Where a link of the note at a path leads.
    pub fn destination(&self, note: &str, link: &Link) -> Destination {
        let names = self.known_notes().map_or(&self.listing.names, |it| &it.names);
        names.destination(note, link, &|path| self.exists(path), &self.listing.files)
    }

    /// Whether something lies at a path.
    pub fn exists(&self, path: &str) -> bool {
        self.listing.contains(path) || self.editor.root.join(path).exists()
    }

    /// Whether what was said of a link that leads nowhere holds: a note may call itself so.
    pub fn is_sure(&self, link: &Link) -> bool {
        let is_name = link.kind != LinkKind::Inline && !link.target.contains('/');
        self.known_notes().is_some() || !is_name
    }
}
