//! Files of another form than notes, indexed in a view of their own by the same machinery.
//!
//! Owns what that machinery has to be told: where such files lie, and how one of them is cut. It
//! refuses to know what they say.

use std::path::{Path, PathBuf};

use super::{
    Context, Kind,
    note::{Chunker, Note},
};
use crate::store::{
    matrix::Key,
    segment::{ChunkRecord, DocumentRecord},
};
use elophanto_repo::{BlobId, NotePath, Walked};
use elophanto_text::markdown::Scope;

/// Files of one form.
pub struct Form {
    pub kind: Kind,
    /// Folder that their paths are relative to.
    pub root: PathBuf,
    /// Folder that holds them in git, relative to the top; `None` if git does not carry them.
    pub folder: Option<PathBuf>,
    /// Name of their view.
    pub view: String,
    /// Files larger than this are skipped, in bytes.
    pub max_file_bytes: u64,
    /// All of them below the root, sorted by path.
    pub list: fn(&Path) -> Vec<Walked>,
    /// Whether a path in git is one of them.
    pub names: fn(&NotePath) -> bool,
    /// The text that a segment keeps of a file, from which it can be cut again.
    pub read: fn(&NotePath, &[u8]) -> String,
    pub cut: fn(&str) -> Sheet,
}

/// A file cut into chunks.
#[derive(Debug, Default, PartialEq)]
pub struct Sheet {
    pub chunks: Vec<Cut>,
    /// What concerns other files than this, kept beside the chunks.
    pub covers: Vec<String>,
    /// What is wrong with it.
    pub warning: Option<String>,
}

/// A chunk and what is embedded of it.
#[derive(Debug, PartialEq)]
pub struct Cut {
    pub record: ChunkRecord,
    pub passage: String,
}

impl<'a> Context<'a> {
    /// The same for files of another form.
    pub fn of(&self, form: &'a Form) -> Self {
        Self { form: Some(form), max_file_bytes: form.max_file_bytes, ..*self }
    }

    /// What documents of this context are.
    pub fn kind(&self) -> Kind {
        self.form.map_or(Kind::Note, |form| form.kind)
    }

    /// Folder that the paths of its files are relative to.
    pub fn root(&self) -> &Path {
        self.form.map_or(&self.repository.root, |form| &form.root)
    }

    /// How documents of a kind are cut; `None` if that is not known here.
    pub fn cutter_of(&self, kind: Kind) -> Option<Chunker<'a>> {
        match kind {
            Kind::Memory => {
                Some(self.of(self.forms.iter().find(|form| form.kind == kind)?).chunker())
            }
            Kind::Note | Kind::Summary | Kind::Fact => Some(Self { form: None, ..*self }.chunker()),
        }
    }
}

/// A file of another form as a note is handed on.
pub(super) fn note(
    path: &NotePath,
    blob: BlobId,
    text: String,
    sheet: Sheet,
    key: impl Fn(&str) -> Key,
) -> Note {
    let record = DocumentRecord {
        path: path.clone(),
        blob,
        titled: false,
        title: path.stem(),
        scope: Scope::Learned,
        tags: Vec::new(),
        covers: sheet.covers,
        created: None,
        updated: None,
        note: sheet.warning,
    };
    let (chunks, passages): (Vec<ChunkRecord>, Vec<String>) =
        sheet.chunks.into_iter().map(|cut| (cut.record, cut.passage)).unzip();
    let keys = passages.iter().map(|passage| key(passage)).collect();
    Note { record, text, chunks, passages, keys }
}
