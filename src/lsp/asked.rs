//! A question about a text, with all that is at hand to answer it.

use std::{cell::Cell, ops, sync::Arc};

use lsp_types::{Location, Position, Range, Uri};

use super::{
    client::Client,
    folders::Folder,
    positions::Encoding,
    texts::{Changes, Text},
};
use elophanto_app::{
    Error, Result, Workspace,
    editor::{Buffer, Editor, Resolver, Spot},
};

/// What a question is about.
pub struct Asked {
    pub folder: Folder,
    pub buffer: Arc<Buffer>,
    pub uri: Uri,
    /// `None` if it is not open.
    pub version: Option<i32>,
    pub encoding: Encoding,
    pub client: Arc<Client>,
    /// All texts of the knowledge base that are open.
    pub texts: Vec<Text>,
    /// What is known of what they say, and the text that is asked about.
    pub open: Vec<Arc<Buffer>>,
    /// A byte of the text, and its position: what stands behind it is counted from there.
    pub counted: Cell<(usize, Position)>,
    pub changes: Changes,
    /// How many changes of texts there were when it was asked.
    pub at: u64,
}

impl Asked {
    pub fn editor(&self) -> &Editor {
        &self.folder.editor
    }

    /// Whether the text was changed since.
    pub fn is_outdated(&self) -> bool {
        self.changes.since(self.at, |uri| uri == self.uri.as_str())
    }

    /// Whether any text of the knowledge base was changed since.
    pub fn is_base_outdated(&self) -> bool {
        let is_here =
            |uri: &str| uri.parse::<Uri>().is_ok_and(|uri| self.folder.path_of(&uri).is_some());
        self.changes.since(self.at, is_here)
    }

    /// With what a question is answered.
    ///
    /// # Errors
    /// When the knowledge base cannot be read.
    pub fn resolver<'a>(&'a self, workspace: &'a Workspace) -> Result<Resolver<'a>> {
        self.editor().resolver(workspace, &self.open)
    }

    /// The position of a byte of the text.
    pub fn position(&self, offset: usize) -> Position {
        let position = self.encoding.position_behind(&self.buffer, offset, self.counted.get());
        self.counted.set((self.buffer.floor(offset), position));
        position
    }

    pub fn range(&self, range: &ops::Range<usize>) -> Range {
        Range::new(self.position(range.start), self.position(range.end))
    }

    /// The address of a file by its path: as the editor calls it, if it is open.
    pub fn uri_of(&self, path: &str) -> Option<Uri> {
        if path == self.buffer.path {
            return Some(self.uri.clone());
        }
        self.folder.uri(path)
    }

    pub fn location(&self, spot: &Spot) -> Option<Location> {
        Some(Location { uri: self.uri_of(&spot.path)?, range: self.encoding.of_spot(spot) })
    }
}

/// Why there is no answer, in one line.
pub fn told(error: &Error) -> String {
    match error.hint_text() {
        Some(hint) => format!("{} ({hint})", error.message()),
        None => error.message().to_owned(),
    }
}
