//! What can be searched: notes, summaries, facts, lessons; in the work tree, as staged, and as a
//! commit holds it.
//!
//! Owns what [`refresh()`](super::refresh()) and [`version`](super::version) have to be told of each,
//! and what notes answer. It refuses to know how any of it is embedded, inverted or kept.

use std::path::{Path, PathBuf};

use super::{
    Context, IndexError, Kind,
    note::{Chunker, Note, Problem},
};
use crate::store::segment::{Attributes, DocumentRecord};
use elophanto_models::Pace;
use elophanto_repo::{
    BlobId, Git, GitError, NotePath, Repository, Stored, Version, WalkError, Walked, stored_notes,
    walk,
};
use elophanto_text::markdown::Scope;

/// Documents of one kind: where they are, and how one of them is cut.
pub trait Source: Sync {
    fn kind(&self) -> Kind;

    /// Name of the folder of their view.
    fn view(&self) -> &str {
        self.kind().name()
    }

    /// Name of the folder of what was seen of versions other than the work tree.
    fn past(&self) -> String {
        format!("{}-past", self.view())
    }

    /// Folder that paths in the work tree are relative to.
    fn root<'s>(&'s self, repository: &'s Repository) -> &'s Path {
        &repository.root
    }

    /// Files larger than this are skipped, in bytes.
    fn max_file_bytes(&self, context: &Context) -> u64 {
        context.max_file_bytes
    }

    /// Whether git carries them, and so their vectors.
    fn is_carried(&self) -> bool {
        true
    }

    /// Whether there can be any; looked at before anything is waited for.
    ///
    /// # Errors
    /// [`IndexError`] when a configured root does not exist.
    fn ready(&self, _context: &Context) -> Result<(), IndexError> {
        Ok(())
    }

    /// What there is in the work tree, files sorted by path.
    ///
    /// # Errors
    /// As [`Source::ready`].
    fn here<'s>(&'s self, context: &'s Context) -> Result<Listing<'s>, IndexError>;

    /// The files that a version holds: the documents, or what they are made from.
    ///
    /// # Errors
    /// When git cannot list the version.
    fn stored(
        &self,
        context: &Context,
        git: &Git,
        version: &Version,
    ) -> Result<Vec<Stored>, GitError>;

    /// The documents that are made from the files of a version; `None` if each file is one.
    fn made(
        &self,
        _context: &Context,
        _git: &Git,
        _version: &Version,
        _files: &[Stored],
    ) -> Option<Vec<Derived>> {
        None
    }

    /// Cuts the content of a file into chunks.
    ///
    /// # Errors
    /// A [`Problem`] when it is no text, or beyond a cap.
    fn cut(
        &self,
        chunker: &Chunker,
        path: &NotePath,
        blob: BlobId,
        bytes: &[u8],
    ) -> Result<Note, Problem> {
        chunker.cut_bytes(path, blob, bytes)
    }
}

/// What a source has in the work tree.
pub enum Listing<'a> {
    /// Files, and what could not be looked at.
    Files(Vec<Walked>, Vec<WalkError>),
    Made(Collection<'a>),
}

/// Documents that are no files.
pub struct Collection<'a> {
    /// Changes whenever the documents may have changed.
    pub stamp: String,
    /// Whether the same stamp will still mean the same documents next time: what was written a
    /// moment ago may be written again unseen.
    pub settled: bool,
    pub documents: Box<dyn FnOnce() -> Vec<Derived> + Send + 'a>,
}

impl Default for Collection<'_> {
    /// Of no documents.
    fn default() -> Self {
        // Another one than any that was left unsettled.
        Self { stamp: "none".to_owned(), settled: true, documents: Box::new(Vec::new) }
    }
}

/// One document that is made from records or from a page: its Markdown, and all else that is known
/// of it.
#[derive(Debug, Clone, PartialEq)]
pub struct Derived {
    pub(super) record: DocumentRecord,
    pub(super) text: String,
}

impl Derived {
    /// A document that was learnt. `at` is when, in seconds since 1970.
    pub fn new(
        path: NotePath,
        title: String,
        tags: Vec<String>,
        (created, updated): (Option<i64>, Option<i64>),
        attributes: Attributes,
        text: String,
    ) -> Self {
        // Two documents may be of one file, and what is known of one may change without its text.
        let known = (&title, &tags, created, updated, &attributes);
        let blob = BlobId::of(format!("{known:?}\n{text}").as_bytes());
        let (titled, scope, note) = (true, Scope::Learned, None);
        let record = DocumentRecord {
            path,
            blob,
            title,
            titled,
            scope,
            tags,
            attributes,
            created,
            updated,
            note,
        };
        Self { record, text }
    }

    pub fn path(&self) -> &NotePath {
        &self.record.path
    }

    pub fn attributes(&self) -> &Attributes {
        &self.record.attributes
    }

    pub fn text(&self) -> &str {
        &self.text
    }
}

/// The Markdown files of the selection.
pub struct Notes;

impl Source for Notes {
    fn kind(&self) -> Kind {
        Kind::Note
    }

    fn view(&self) -> &str {
        "view"
    }

    fn past(&self) -> String {
        "past".to_owned()
    }

    fn ready(&self, context: &Context) -> Result<(), IndexError> {
        let there = |root: &&PathBuf| context.repository.root.join(root).is_dir();
        match context.selection.roots.iter().find(|root| !there(root)) {
            Some(root) => Err(IndexError::NoRoot(root.clone())),
            None => Ok(()),
        }
    }

    fn here<'s>(&'s self, context: &'s Context) -> Result<Listing<'s>, IndexError> {
        self.ready(context)?;
        let (walked, failed) = walk(&context.repository.root, context.selection);
        Ok(Listing::Files(walked, failed))
    }

    fn stored(
        &self,
        context: &Context,
        git: &Git,
        version: &Version,
    ) -> Result<Vec<Stored>, GitError> {
        stored_notes(git, &git.objects(), version, context.selection)
    }
}

impl<'a> Context<'a> {
    /// How notes are cut and named.
    pub fn chunker(&self) -> Chunker<'a> {
        Chunker {
            limits: self.limits,
            write_root: self.write_root,
            count_tokens: self.count_tokens,
            fingerprint: self.embedder.fingerprint(),
            unwritten: self.unwritten,
        }
    }

    /// Folder of the search view of the notes: one per model, so that a search without the model of
    /// the repository does not undo what was built with it.
    pub fn view_dir(&self) -> PathBuf {
        self.view_of(&Notes)
    }

    /// Folder of the view of a source.
    pub fn view_of(&self, source: &dyn Source) -> PathBuf {
        self.model_dir(source.view())
    }

    /// Folder of what was seen of other versions of a source than the work tree.
    pub fn past_of(&self, source: &dyn Source) -> PathBuf {
        self.model_dir(&source.past())
    }

    pub(super) fn model_dir(&self, name: &str) -> PathBuf {
        let folder = self.repository.view_dir();
        match self.embedder.pace() {
            Pace::Instant => folder.with_file_name(name),
            Pace::Slow | Pace::Remote => {
                let hash = blake3::hash(self.embedder.fingerprint().as_str().as_bytes()).to_hex();
                folder.with_file_name(format!("{name}-{}", &hash[..16]))
            }
        }
    }
}
