//! When texts are looked at: as they are opened, a moment after they change, and when notes change
//! underneath.

use std::{
    sync::{Arc, atomic::Ordering},
    time::Instant,
};

use lsp_types::request::{CodeLensRefresh, InlayHintRefreshRequest, Request as _};

use super::{
    diagnostics::Diagnosing,
    server::{QUIET, Server},
    texts::Text,
};

impl Server {
    pub fn changed_underneath(&mut self) {
        self.folders.try_again();
        // Of many that come at once, those that wait are one.
        if !self.is_changing.swap(true, Ordering::AcqRel) {
            let (folders, is_changing) = (self.folders.all(), Arc::clone(&self.is_changing));
            self.beside.run(move || {
                is_changing.store(false, Ordering::Release);
                folders.iter().for_each(|folder| folder.editor.changed());
            });
        }
        self.look_at_all();
    }

    /// Looks at a text: itself at once, then with all notes.
    pub fn look_at(&mut self, text: &Text, is_new: bool) {
        self.due.remove(text.uri.as_str());
        let Some(asked) = self.asked(&text.uri) else { return };
        let pool = if is_new { &self.answering } else { &self.beside };
        let diagnosing = Diagnosing {
            look: self.diagnostics.begin(&text.uri),
            asked,
            kept: Arc::clone(&self.diagnostics),
            found: None,
        };
        let beside = self.beside.clone();
        pool.run(move || {
            if let Some(rest) = diagnosing.own() {
                beside.run(move || rest.whole());
            }
        });
    }

    pub fn look_at_due(&mut self) {
        let now = Instant::now();
        let is_due = |text: &&Text| self.due.get(text.uri.as_str()).is_some_and(|due| *due <= now);
        let texts: Vec<Text> = self.texts.all().filter(is_due).cloned().collect();
        texts.iter().for_each(|text| self.look_at(text, false));
        self.due.retain(|_, due| *due > now);
    }

    fn look_at_all(&mut self) {
        let soon = Instant::now() + QUIET;
        for text in self.texts.all() {
            self.due.entry(text.uri.as_str().to_owned()).or_insert(soon);
        }
    }

    /// Whether notes changed since: then what is shown of them is shown anew.
    pub fn look_underneath(&mut self) {
        let mut has_changed = false;
        for folder in self.folders.all() {
            let number = folder.editor.number();
            let before = self.numbers.insert(folder.editor.root.clone(), number);
            has_changed |= number > 1 && before != Some(number);
        }
        if has_changed {
            self.look_at_all();
            let (lenses, hints) = self.client.refreshes();
            if lenses {
                self.client.ask(CodeLensRefresh::METHOD, (), Box::new(|_| {}));
            }
            if hints {
                self.client.ask(InlayHintRefreshRequest::METHOD, (), Box::new(|_| {}));
            }
        }
    }
}
