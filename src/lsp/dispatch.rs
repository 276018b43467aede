//! Which question is answered where.

use std::{
    panic::{AssertUnwindSafe, catch_unwind},
    sync::Arc,
};

use lsp_server::{ErrorCode, Request, RequestId};
use lsp_types::{
    Uri,
    request::{
        self as asks, CodeActionRequest, CodeLensRequest, Completion, DocumentLinkRequest,
        DocumentSymbolRequest, ExecuteCommand, FoldingRangeRequest, GotoDefinition, HoverRequest,
        InlayHintRequest, PrepareRenameRequest, References, Rename, Request as _,
        SemanticTokensFullRequest, WillRenameFiles, WorkspaceSymbolRequest,
    },
};
use serde::{Serialize, de::DeserializeOwned};
use serde_json::Value;

use super::{
    actions,
    asked::{Asked, told},
    commands, completion, hover, lenses, navigation, rename,
    server::Server,
    symbols, tokens,
};
use elophanto_app::Result;

/// How a question is answered.
type Answer<R> = fn(&Asked, <R as asks::Request>::Params) -> Result<<R as asks::Request>::Result>;
/// What is answered.
type Answered = Result<Value, (ErrorCode, String)>;

impl Server {
    pub fn dispatch(&mut self, request: Request) {
        match request.method.as_str() {
            HoverRequest::METHOD => self.about::<HoverRequest>(request, hover::hover),
            GotoDefinition::METHOD => self.about::<GotoDefinition>(request, navigation::definition),
            References::METHOD => self.about::<References>(request, navigation::references),
            DocumentLinkRequest::METHOD => {
                self.about::<DocumentLinkRequest>(request, navigation::links)
            }
            DocumentSymbolRequest::METHOD => {
                self.about::<DocumentSymbolRequest>(request, symbols::of_text)
            }
            FoldingRangeRequest::METHOD => {
                self.about::<FoldingRangeRequest>(request, symbols::foldings)
            }
            Completion::METHOD => self.about::<Completion>(request, completion::completion),
            CodeLensRequest::METHOD => self.about::<CodeLensRequest>(request, lenses::lenses),
            InlayHintRequest::METHOD => self.about::<InlayHintRequest>(request, lenses::hints),
            CodeActionRequest::METHOD => self.about::<CodeActionRequest>(request, actions::actions),
            SemanticTokensFullRequest::METHOD => {
                self.about::<SemanticTokensFullRequest>(request, tokens::tokens)
            }
            PrepareRenameRequest::METHOD => {
                self.about::<PrepareRenameRequest>(request, rename::prepare)
            }
            Rename::METHOD => self.about::<Rename>(request, rename::rename),
            WillRenameFiles::METHOD => self.about::<WillRenameFiles>(request, rename::will_rename),
            WorkspaceSymbolRequest::METHOD => self.symbols(request),
            ExecuteCommand::METHOD => self.execute(request),
            other => {
                let message = format!("`{other}` is not offered");
                self.refuse(request.id, ErrorCode::MethodNotFound, message);
            }
        }
    }

    /// Answers a question about a text, on a thread of its own. About a text that lies in no knowledge
    /// base there is nothing to say.
    fn about<R>(&self, request: Request, answer: Answer<R>)
    where
        R: asks::Request + 'static,
        R::Params: DeserializeOwned + Send + 'static,
        R::Result: Serialize,
    {
        // All of them name it in the same way, but for files that are about to be renamed.
        let uri = ["/textDocument/uri", "/files/0/oldUri"]
            .iter()
            .find_map(|place| request.params.pointer(place)?.as_str()?.parse::<Uri>().ok());
        let Some(params) = self.params::<R>(request.params, &request.id) else { return };
        let asked = uri.and_then(|uri| self.asked(&uri)).filter(is_asked_of::<R>);
        self.answer(&request.id, move || {
            let Some(asked) = asked else { return Ok(Value::Null) };
            let answer = guarded(|| answer(&asked, params));
            let is_outdated = match R::METHOD {
                Rename::METHOD | WillRenameFiles::METHOD => asked.is_base_outdated(),
                CodeActionRequest::METHOD => asked.is_outdated(),
                _ => false,
            };
            if is_outdated { outdated(answer) } else { answer }
        });
    }

    /// Answers on a thread of its own, unless the question is taken back by then.
    fn answer(&self, id: &RequestId, answer: impl FnOnce() -> Answered + Send + 'static) {
        let awaited = self.waiting.begin(id, &self.client);
        self.answering.run(move || {
            let answer = if awaited.is_taken_back() { Ok(Value::Null) } else { answer() };
            awaited.answer(answer);
        });
    }

    /// What a question asks; what cannot be understood is answered so.
    fn params<R: asks::Request>(&self, params: Value, id: &RequestId) -> Option<R::Params>
    where
        R::Params: DeserializeOwned,
    {
        match serde_json::from_value(params) {
            Ok(params) => Some(params),
            Err(cause) => {
                self.refuse(id.clone(), ErrorCode::InvalidParams, cause.to_string());
                None
            }
        }
    }

    fn symbols(&self, request: Request) {
        let Some(params) = self.params::<WorkspaceSymbolRequest>(request.params, &request.id)
        else {
            return;
        };
        let (folders, client) = (self.folders.all(), Arc::clone(&self.client));
        self.answer(&request.id, move || {
            guarded(|| symbols::of_folders(&client, &folders, &params.query))
        });
    }

    fn execute(&self, request: Request) {
        let Some(params) = self.params::<ExecuteCommand>(request.params, &request.id) else {
            return;
        };
        let command = match commands::Command::of(&params) {
            Ok(command) => command,
            Err(message) => return self.refuse(request.id, ErrorCode::InvalidParams, message),
        };
        let Some(asked) = self.asked(command.uri()) else {
            let message = "this file lies in no knowledge base; `elophanto init` makes one";
            return self.refuse(request.id, ErrorCode::RequestFailed, message);
        };
        let awaited = self.waiting.begin(&request.id, &self.client);
        // What takes long keeps nothing else waiting.
        let run = move || {
            if !awaited.begin() {
                return awaited.answer(Ok(Value::Null));
            }
            awaited.answer(guarded(|| command.run(&asked)));
        };
        if std::thread::Builder::new().name("command".to_owned()).spawn(run).is_err() {
            self.refuse(
                request.id,
                ErrorCode::InternalError,
                "there is no room for another thread",
            );
        }
    }
}

/// Whether something is asked of such a text: most of notes alone.
fn is_asked_of<R: asks::Request>(asked: &Asked) -> bool {
    match R::METHOD {
        DocumentLinkRequest::METHOD
        | PrepareRenameRequest::METHOD
        | DocumentSymbolRequest::METHOD
        | FoldingRangeRequest::METHOD
        | Completion::METHOD
        | InlayHintRequest::METHOD => asked.editor().is_note(&asked.buffer.path),
        _ => true,
    }
}

/// Edits of texts that have changed since would change something else.
fn outdated(answer: Answered) -> Answered {
    let message = "a text has changed meanwhile; ask again";
    answer.and_then(|_| Err((ErrorCode::ContentModified, message.to_owned())))
}

/// A fault of ours is an answer, and ends nothing.
fn guarded<T: Serialize>(answer: impl FnOnce() -> Result<T>) -> Answered {
    let answered = catch_unwind(AssertUnwindSafe(answer));
    let answered = answered.map_err(|_| {
        let message = "this is a fault of elophanto itself; what it said is in its log";
        (ErrorCode::InternalError, message.to_owned())
    })?;
    let value = answered.map_err(|error| (ErrorCode::RequestFailed, told(&error)))?;
    serde_json::to_value(value).map_err(|cause| (ErrorCode::InternalError, cause.to_string()))
}
