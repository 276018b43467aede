//! The editor: what it can do, and what it is told and asked.

use std::{
    collections::HashMap,
    sync::{
        Mutex, PoisonError,
        atomic::{AtomicI32, Ordering},
    },
};

use crossbeam_channel::Sender;
use lsp_server::{Message, Notification, Request, RequestId, Response};
use lsp_types::{
    ClientCapabilities, LogMessageParams, MessageActionItem, MessageType, Range,
    ResourceOperationKind, ShowDocumentParams, ShowMessageParams, ShowMessageRequestParams, Uri,
    notification::{LogMessage, ShowMessage},
    request::{Request as _, ShowDocument, ShowMessageRequest},
};
use serde::Serialize;
use serde_json::Value;

use elophanto_app::reporter::{Reporter, Tone};

/// What is done with an answer.
type Then = Box<dyn FnOnce(Value) + Send>;

/// The editor at the other end.
pub struct Client {
    sender: Sender<Message>,
    can: ClientCapabilities,
    next: AtomicI32,
    waiting: Mutex<HashMap<RequestId, Then>>,
}

impl Client {
    pub fn new(sender: Sender<Message>, can: ClientCapabilities) -> Self {
        Self { sender, can, next: AtomicI32::new(1), waiting: Mutex::default() }
    }

    /// Whoever is gone is told nothing.
    pub fn send(&self, message: impl Into<Message>) {
        let _ = self.sender.send(message.into());
    }

    pub fn notify<N: lsp_types::notification::Notification>(&self, params: N::Params) {
        self.send(Notification::new(N::METHOD.to_owned(), params));
    }

    /// Asks; `then` is called with the answer, null if there is none.
    pub fn ask(&self, method: &str, params: impl Serialize, then: Then) {
        let id = RequestId::from(self.next.fetch_add(1, Ordering::Relaxed));
        let mut waiting = self.waiting.lock().unwrap_or_else(PoisonError::into_inner);
        waiting.insert(id.clone(), then);
        drop(waiting);
        self.send(Request::new(id, method.to_owned(), params));
    }

    /// What is to be done with an answer; of a question that nobody asked nothing.
    pub fn answered(&self, response: Response) -> Option<impl FnOnce() + Send + 'static> {
        let mut waiting = self.waiting.lock().unwrap_or_else(PoisonError::into_inner);
        let then = waiting.remove(&response.id)?;
        Some(move || then(response.response_result.unwrap_or(Value::Null)))
    }

    pub fn show(&self, typ: MessageType, message: impl Into<String>) {
        self.notify::<ShowMessage>(ShowMessageParams { typ, message: message.into() });
    }

    pub fn log(&self, typ: MessageType, message: impl Into<String>) {
        self.notify::<LogMessage>(LogMessageParams { typ, message: message.into() });
    }

    /// Opens a file in the editor; where it cannot be asked to, says where it is.
    pub fn open(&self, uri: Uri, range: Range) {
        let can = self.can.window.as_ref().and_then(|it| it.show_document.as_ref());
        if can.is_some_and(|it| it.support) {
            let params = ShowDocumentParams {
                uri,
                external: None,
                take_focus: Some(true),
                selection: Some(range),
            };
            self.ask(ShowDocument::METHOD, params, Box::new(|_| {}));
        } else {
            let line = range.start.line + 1;
            self.show(MessageType::INFO, format!("{}, line {line}", uri.as_str()));
        }
    }

    /// Has somebody choose; `then` is called with the title.
    pub fn choose(
        &self,
        message: String,
        titles: Vec<String>,
        then: impl FnOnce(&str) + Send + 'static,
    ) {
        let item = |title| MessageActionItem { title, properties: HashMap::new() };
        let params = ShowMessageRequestParams {
            typ: MessageType::INFO,
            message,
            actions: Some(titles.into_iter().map(item).collect()),
        };
        let chosen = move |answer: Value| {
            if let Some(title) = answer["title"].as_str() {
                then(title);
            }
        };
        self.ask(ShowMessageRequest::METHOD, params, Box::new(chosen));
    }

    /// Whether text that is told may be Markdown.
    pub fn reads_markdown(&self) -> bool {
        let hover = self.can.text_document.as_ref().and_then(|it| it.hover.as_ref());
        let formats = hover.and_then(|it| it.content_format.as_ref());
        formats.is_some_and(|all| all.contains(&lsp_types::MarkupKind::Markdown))
    }

    /// Whether edits may make files, or rename them.
    pub fn can_change_files(&self, kind: &ResourceOperationKind) -> bool {
        let edit = self.can.workspace.as_ref().and_then(|it| it.workspace_edit.as_ref());
        let has_changes = edit.and_then(|it| it.document_changes).unwrap_or(false);
        let kinds = edit.and_then(|it| it.resource_operations.as_ref());
        has_changes && kinds.is_some_and(|all| all.contains(kind))
    }

    /// Whether edits may say of which version of a text they are.
    pub fn takes_versions(&self) -> bool {
        let edit = self.can.workspace.as_ref().and_then(|it| it.workspace_edit.as_ref());
        edit.and_then(|it| it.document_changes).unwrap_or(false)
    }

    /// Whether sections may be told within each other.
    pub fn takes_trees(&self) -> bool {
        let symbols = self.can.text_document.as_ref().and_then(|it| it.document_symbol.as_ref());
        symbols.and_then(|it| it.hierarchical_document_symbol_support).unwrap_or(false)
    }

    /// Whether it watches files where it is asked to.
    pub fn watches(&self) -> bool {
        let watched = self.can.workspace.as_ref().and_then(|it| it.did_change_watched_files);
        watched.and_then(|it| it.dynamic_registration).unwrap_or(false)
    }

    /// Whether it asks again for what stands above and behind lines where it is told to.
    pub fn refreshes(&self) -> (bool, bool) {
        let workspace = self.can.workspace.as_ref();
        let lenses =
            workspace.and_then(|it| it.code_lens.as_ref()).and_then(|it| it.refresh_support);
        let hints =
            workspace.and_then(|it| it.inlay_hint.as_ref()).and_then(|it| it.refresh_support);
        (lenses.unwrap_or(false), hints.unwrap_or(false))
    }
}

/// What a use case tells goes to the editor's log; nobody is asked.
pub struct Telling<'c>(pub &'c Client);

impl Reporter for Telling<'_> {
    fn tell(&self, tone: Tone, text: &str) {
        let typ = match tone {
            Tone::Warning => MessageType::WARNING,
            Tone::Note | Tone::Talk => MessageType::INFO,
        };
        self.0.log(typ, elophanto_base::visible::visible(text));
    }
}
