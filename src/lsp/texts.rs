//! The texts that are open in the editor.

use std::{
    collections::HashMap,
    path::PathBuf,
    sync::{Arc, Mutex},
};

use lsp_types::{
    DidChangeTextDocumentParams, DidOpenTextDocumentParams, TextDocumentContentChangeEvent, Uri,
};

use super::{folders::Folders, positions::Encoding};
use elophanto_app::editor::Buffer;
use elophanto_base::mutex::lock;

/// A text that is open.
#[derive(Debug, Clone)]
pub struct Text {
    pub uri: Uri,
    pub version: i32,
    pub buffer: Arc<Buffer>,
    /// Top of its knowledge base, if it lies in one.
    pub root: Option<PathBuf>,
    /// A change of it was lost: until it is opened again, or comes whole, nobody knows what it says.
    pub is_lost: bool,
}

/// When each text was changed last, by a count of all changes. Shared with who answers meanwhile.
#[derive(Debug, Clone, Default)]
pub struct Changes(Arc<Mutex<Counted>>);

#[derive(Debug, Default)]
struct Counted {
    all: u64,
    last: HashMap<String, u64>,
    /// Up to this one it is no longer known which text each was of.
    forgotten: u64,
}

/// Texts of which it is known when they changed last.
const MOST_COUNTED: usize = 1_000;

impl Changes {
    fn note(&self, uri: &Uri) {
        let mut counted = lock(&self.0);
        if counted.last.len() >= MOST_COUNTED {
            counted.last.clear();
            counted.forgotten = counted.all;
        }
        counted.all += 1;
        let now = counted.all;
        counted.last.insert(uri.as_str().to_owned(), now);
    }

    /// How many there were so far.
    pub fn count(&self) -> u64 {
        lock(&self.0).all
    }

    /// Whether a text that is meant has changed since then, as far as that is still known.
    pub fn since(&self, then: u64, is_meant: impl Fn(&str) -> bool) -> bool {
        let counted = lock(&self.0);
        counted.forgotten > then || counted.last.iter().any(|(uri, at)| *at > then && is_meant(uri))
    }
}

/// What came of a change.
#[derive(Debug)]
pub enum Changed {
    To(Text),
    /// The text is lost by it, and was not before.
    Lost,
    Nothing,
}

/// All of them, by address.
#[derive(Debug, Default)]
pub struct Texts {
    all: HashMap<String, Text>,
    pub changes: Changes,
}

impl Texts {
    pub fn open(&mut self, params: DidOpenTextDocumentParams, folders: &Folders) -> Text {
        let document = params.text_document;
        let (root, path) = match folders.of(&document.uri) {
            Some((folder, path)) => (Some(folder.editor.root.clone()), path),
            None => (None, document.uri.as_str().to_owned()),
        };
        let buffer = Arc::new(Buffer::new(path, document.text));
        let (uri, version) = (document.uri, document.version);
        let text = Text { uri, version, buffer, root, is_lost: false };
        self.changes.note(&text.uri);
        self.all.insert(text.uri.as_str().to_owned(), text.clone());
        text
    }

    /// Changes a text that is open. Of a version that is not above the last one only a whole text is
    /// taken: of what parts of a text were meant for, one is missing or came twice.
    pub fn change(&mut self, params: DidChangeTextDocumentParams, encoding: Encoding) -> Changed {
        let document = params.text_document;
        let Some(text) = self.all.get_mut(document.uri.as_str()) else { return Changed::Nothing };
        self.changes.note(&text.uri);
        let is_whole = params.content_changes.first().is_some_and(|it| it.range.is_none());
        if !is_whole && (text.is_lost || document.version <= text.version) {
            return match std::mem::replace(&mut text.is_lost, true) {
                true => Changed::Nothing,
                false => Changed::Lost,
            };
        }
        text.is_lost = false;
        text.version = document.version;
        let mut buffer = if is_whole {
            Buffer::new(text.buffer.path.clone(), String::new())
        } else {
            text.buffer.copy()
        };
        params.content_changes.into_iter().for_each(|it| change(&mut buffer, it, encoding));
        text.buffer = Arc::new(buffer);
        Changed::To(text.clone())
    }

    pub fn close(&mut self, uri: &Uri) {
        self.changes.note(uri);
        self.all.remove(uri.as_str());
    }

    pub fn get(&self, uri: &Uri) -> Option<&Text> {
        self.all.get(uri.as_str())
    }

    pub fn all(&self) -> impl Iterator<Item = &Text> {
        self.all.values()
    }
}

/// Changes a text in its place: one message may bring thousands of parts.
fn change(buffer: &mut Buffer, change: TextDocumentContentChangeEvent, encoding: Encoding) {
    match change.range {
        None => *buffer = Buffer::new(std::mem::take(&mut buffer.path), change.text),
        Some(range) => buffer.edit(encoding.bytes(buffer, range), &change.text),
    }
}

#[cfg(test)]
mod tests {
    use lsp_types::Range;
    use proptest::prelude::*;

    use super::*;

    /// A place that an editor can name: at a character, and not between the two of a line end.
    fn place(text: &str, wanted: usize) -> usize {
        let at = text.char_indices().map(|it| it.0).chain([text.len()]).nth(wanted);
        let at = at.unwrap_or(text.len());
        let is_between = text[..at].ends_with('\r') && text[at..].starts_with('\n');
        if is_between { at + 1 } else { at }
    }

    #[test]
    fn a_change_that_is_forgotten_may_have_been_any() {
        let changes = Changes::default();
        let note = |name: usize| changes.note(&format!("file:///{name}").parse().expect("a URI"));
        note(0);
        let then = changes.count();
        assert!(!changes.since(then, |_| true));
        (1..=MOST_COUNTED).for_each(note);
        assert!(changes.since(then, |uri| uri == "file:///nobody"));
        assert!(!changes.since(changes.count(), |_| true));
    }

    proptest! {
        /// What an editor has after its changes is what the server has.
        #[test]
        fn changes_are_those_of_the_editor(
            text in "[a🦀ö\r\n\t]{0,40}",
            edits in prop::collection::vec((0..50_usize, 0..50_usize, "[x🦀\r\n]{0,5}"), 0..8),
            encoding in prop::sample::select(vec![Encoding::Utf8, Encoding::Utf16, Encoding::Utf32]),
        ) {
            let mut theirs = text.clone();
            let mut ours = Buffer::new("a.md".to_owned(), text);
            for (one, other, new) in edits {
                let (one, other) = (place(&theirs, one), place(&theirs, other));
                let (start, end) = (one.min(other), one.max(other));
                let range = Range::new(encoding.position(&ours, start), encoding.position(&ours, end));
                let part = TextDocumentContentChangeEvent {
                    range: Some(range),
                    range_length: None,
                    text: new.clone(),
                };
                change(&mut ours, part, encoding);
                theirs.replace_range(start..end, &new);
                prop_assert_eq!(&ours.text, &theirs);
                let whole = Buffer::new("a.md".to_owned(), theirs.clone());
                prop_assert_eq!(ours.lines(), whole.lines());
                let starts = |it: &Buffer| (0..it.lines()).map(|line| it.line_range(line)).collect::<Vec<_>>();
                prop_assert_eq!(starts(&ours), starts(&whole));
            }
        }
    }
}
