//! A provider: an endpoint, the protocol it speaks, and answers that are whole and checked.

use std::{cell::RefCell, ops::ControlFlow, pin::pin, time::Duration};

use secrecy::SecretString;
use serde_json::Value;
use tokio::time::timeout;
use url::Url;

use super::{
    Llm, Sink,
    anthropic::{self, Anthropic},
    error::{LlmError, RAW_CHARS, Result, classify},
    ollama::Ollama,
    openai::{Dialect, OpenAi},
    schema,
    types::{Delta, Reply, Request, StopReason},
    wire::{Draft, Protocol, bad, inner_error},
};
use elophanto_base::one_line::shorten;
use elophanto_net::http::{Auth, Client, Endpoint, HttpError, Patience, StreamItem, block_on};

/// Bytes of a request, pictures included.
const REQUEST_CAP: usize = 32 << 20;
/// Bytes of a reply, what surrounds the answer included.
const REPLY_CAP: usize = 32 << 20;
/// How often whoever listens is asked whether to go on waiting.
const BEAT: Duration = Duration::from_millis(100);

/// Which protocol a provider speaks.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    OpenAi,
    Anthropic,
    Ollama,
}

/// Where a provider is and how it is spoken to.
#[derive(Debug, Clone)]
pub struct Settings {
    pub kind: Kind,
    pub base_url: Url,
    pub key: Option<SecretString>,
    pub patience: Patience,
}

impl Settings {
    /// Protocol and address of a provider that is known by name. `None`: the user must say both.
    pub fn known(name: &str) -> Option<Self> {
        let (kind, base_url) = match name {
            "anthropic" => (Kind::Anthropic, "https://api.anthropic.com"),
            "ollama" => (Kind::Ollama, "http://127.0.0.1:11434"),
            "openai" => (Kind::OpenAi, "https://api.openai.com/v1"),
            "openrouter" => (Kind::OpenAi, "https://openrouter.ai/api/v1"),
            "lmstudio" => (Kind::OpenAi, "http://127.0.0.1:1234/v1"),
            _ => return None,
        };
        let base_url = Url::parse(base_url).ok()?;
        Some(Self { kind, base_url, key: None, patience: patience() })
    }
}

/// How long to wait for a model: one on this machine may have to be loaded first.
pub fn patience() -> Patience {
    Patience {
        connect: Duration::from_secs(10),
        request: Duration::from_secs(300),
        idle: Duration::from_secs(180),
        total: Duration::from_secs(900),
        attempts: 4,
    }
}

/// A provider that can be asked.
pub struct Provider {
    protocol: Box<dyn Protocol>,
    client: Client,
}

impl Provider {
    /// Opens no connection.
    ///
    /// # Errors
    /// [`LlmError::Endpoint`] if the address or the key cannot be used.
    pub fn new(settings: Settings) -> Result<Self> {
        let Settings { kind, mut base_url, key, patience } = settings;
        let protocol: Box<dyn Protocol> = match kind {
            Kind::OpenAi => {
                let dialect = Dialect::of_host(base_url.host_str().unwrap_or_default());
                Box::new(OpenAi { dialect })
            }
            Kind::Anthropic => Box::new(Anthropic),
            Kind::Ollama => Box::new(Ollama),
        };
        if kind != Kind::OpenAi {
            // Addresses are often given as other programs want them.
            let path = base_url.path().trim_end_matches('/');
            let path = path.strip_suffix("/v1").unwrap_or(path).to_owned();
            base_url.set_path(&path);
        }
        let auth = match (kind, key) {
            (_, None) => Auth::None,
            (Kind::Anthropic, Some(key)) => Auth::Header("x-api-key", key),
            (Kind::OpenAi | Kind::Ollama, Some(key)) => Auth::Bearer(key),
        };
        let mut endpoint = Endpoint::new(base_url, auth);
        if kind == Kind::Anthropic {
            endpoint.headers.push(("anthropic-version", anthropic::VERSION.to_owned()));
        }
        let client = Client::with_body_cap(endpoint, patience, REPLY_CAP)
            .map_err(|error| failure(error, ""))?;
        Ok(Self { protocol, client })
    }

    /// One request and its reply, unchecked.
    fn exchange(&self, request: &Request, sink: &mut Option<Sink<'_>>) -> Result<Reply> {
        let body = self.protocol.encode(request, sink.is_some())?;
        let size = body.to_string().len();
        if size > REQUEST_CAP {
            let (size, max) = (size as u64, REQUEST_CAP as u64);
            return Err(LlmError::TooLarge { what: "a request", size, max });
        }
        let mut ask = |body: &Value| match sink {
            Some(sink) => self.streamed(request, body, sink),
            None => self.whole(request, body),
        };
        match (ask(&body), self.protocol.without_json_schema(&body)) {
            (Err(error), Some(older)) if is_about_format(&error) => ask(&older),
            (answer, _) => answer,
        }
    }

    fn whole(&self, request: &Request, body: &Value) -> Result<Reply> {
        let answer = block_on(self.client.post(self.protocol.path(), body));
        let answer = answer.map_err(|error| failure(error, &request.model))?;
        if let Some(error) = inner_error(&answer.json, &request.model) {
            return Err(error);
        }
        let mut draft = Draft::default();
        self.protocol.whole(request, &answer.json, &mut draft)?;
        draft.finish(request, answer.attempts)
    }

    fn streamed(&self, request: &Request, body: &Value, sink: &mut Sink<'_>) -> Result<Reply> {
        let mut draft = Draft::default();
        let mut failed = None;
        let mut cancelled = false;
        // Pieces and beats never come at once.
        let sink = RefCell::new(sink);
        let mut on_item = |item: StreamItem| {
            if let Err(error) = self.take(request, &item, &mut draft) {
                failed = Some(error);
                return ControlFlow::Break(());
            }
            for delta in draft.deltas.drain(..) {
                if (sink.borrow_mut())(delta).is_break() {
                    cancelled = true;
                    return ControlFlow::Break(());
                }
            }
            ControlFlow::Continue(())
        };
        let end = block_on(async {
            let path = self.protocol.path();
            let mut exchange = pin!(self.client.post_stream(path, body, &mut on_item));
            loop {
                match timeout(BEAT, exchange.as_mut()).await {
                    Ok(end) => break Some(end),
                    Err(_) if (sink.borrow_mut())(Delta::Waiting).is_break() => break None,
                    Err(_) => {}
                }
            }
        });
        if let Some(error) = failed {
            return Err(error);
        }
        let Some(end) = end else { return Ok(draft.cancelled(request, 1)) };
        let end = match end {
            Ok(end) if cancelled => return Ok(draft.cancelled(request, end.attempts)),
            Ok(end) => end,
            Err(error @ (HttpError::TooLarge { .. } | HttpError::RateLimited { .. })) => {
                return Err(failure(error, &request.model));
            }
            // What could be tried again has been, but for an answer that had begun.
            Err(error) if draft.begun => {
                let usage = draft.usage_or_estimate(request);
                return Err(LlmError::Truncated { reason: error.to_string(), usage });
            }
            Err(error) => return Err(failure(error, &request.model)),
        };
        if !draft.begun {
            return Err(bad("it ended before an answer began"));
        }
        if !draft.finished && !end.done {
            let reason = "it ended before the answer did".to_owned();
            return Err(LlmError::Truncated { reason, usage: draft.usage_or_estimate(request) });
        }
        draft.finish(request, end.attempts)
    }

    fn take(&self, request: &Request, item: &StreamItem, draft: &mut Draft) -> Result<()> {
        let piece: Value = serde_json::from_str(&item.data)
            .map_err(|error| bad(format!("a piece of the stream is not JSON: {error}")))?;
        if let Some(error) = inner_error(&piece, &request.model) {
            return Err(error);
        }
        self.protocol.piece(request, &piece, draft)
    }

    /// A reply that fits the schema, if there is one.
    fn answer(&self, request: &Request, mut sink: Option<Sink<'_>>) -> Result<Reply> {
        let Some(wanted) = &request.schema else { return self.exchange(request, &mut sink) };
        schema::examine(wanted)?;
        let mut first = self.exchange(request, &mut sink)?;
        if !first.tool_calls.is_empty() || first.stop == StopReason::Cancelled {
            return Ok(first);
        }
        let refused = |reason: String, reply: &Reply| {
            let (schema, raw) = (wanted.name.clone(), shorten(&reply.text, RAW_CHARS));
            LlmError::Schema { schema, reason, raw, usage: reply.usage }
        };
        let reason = match verdict(wanted, &first) {
            Ok(value) => {
                first.value = Some(value);
                return Ok(first);
            }
            Err(reason) => reason,
        };
        if request.repairs == 0 || matches!(first.stop, StopReason::Length | StopReason::Refused) {
            return Err(refused(reason, &first));
        }
        if let Some(sink) = &mut sink
            && sink(Delta::Restart).is_break()
        {
            return Ok(Reply { stop: StopReason::Cancelled, ..first });
        }
        let again = schema::repair(request, wanted, &first.text, &reason);
        let mut second = match self.exchange(&again, &mut sink) {
            Ok(second) => second,
            // The first answer has been paid for.
            Err(error) => {
                return Err(refused(format!("{reason}; asked again: {error}"), &first));
            }
        };
        second.usage = first.usage.plus(second.usage);
        second.attempts += first.attempts;
        if second.stop == StopReason::Cancelled {
            return Ok(second);
        }
        match verdict(wanted, &second) {
            Ok(value) => {
                second.value = Some(value);
                Ok(second)
            }
            Err(reason) => Err(refused(reason, &second)),
        }
    }
}

impl Llm for Provider {
    fn complete(&self, request: &Request) -> Result<Reply> {
        self.answer(request, None)
    }

    fn stream(&self, request: &Request, sink: Sink<'_>) -> Result<Reply> {
        self.answer(request, Some(sink))
    }

    fn requests_sent(&self) -> u64 {
        self.client.attempts()
    }
}

/// Whether a server stumbled over how the form of the answer was asked for.
fn is_about_format(error: &LlmError) -> bool {
    let (LlmError::Server { message, .. } | LlmError::Rejected { message, .. }) = error else {
        return false;
    };
    ["response_format", "json_schema", "json_object"].iter().any(|word| message.contains(word))
}

fn verdict(wanted: &super::Schema, reply: &Reply) -> Result<Value, String> {
    schema::answer(wanted, &reply.text).map_err(|reason| match reply.stop {
        StopReason::Length => format!("it was cut off at the cap on tokens: {reason}"),
        StopReason::Refused => "the model refused".to_owned(),
        _ => reason,
    })
}

fn failure(error: HttpError, model: &str) -> LlmError {
    let (message, is_unreachable) = (error.to_string(), error.is_unreachable());
    match error {
        HttpError::Auth { status, message, .. } => LlmError::Unauthorized { status, message },
        HttpError::Credit { message, .. } => LlmError::NoCredit { message },
        HttpError::RateLimited { wait, message, .. } => {
            LlmError::RateLimited { message, retry_after: wait }
        }
        HttpError::Refused { status, message, .. } | HttpError::Status { status, message, .. } => {
            classify(status, "", &message, model, None)
        }
        HttpError::NoJson { .. } => LlmError::BadReply { reason: message },
        HttpError::TooLarge { cap, .. } => {
            let max = cap as u64;
            LlmError::TooLarge { what: "a reply", size: max + 1, max }
        }
        HttpError::Insecure { .. } | HttpError::Endpoint { .. } | HttpError::Redirect { .. } => {
            LlmError::Endpoint { message }
        }
        _ => LlmError::Network { message, is_unreachable },
    }
}
