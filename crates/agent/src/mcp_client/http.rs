//! The transport to a server over streamable HTTP: what `rmcp` asks for, through requests that go
//! nowhere but to the server's own address, within what it may say, with the token it is to get.

use std::{
    collections::HashMap,
    fmt,
    sync::{Arc, Mutex},
};

use bytes::Bytes;
use futures::{Stream, StreamExt as _, stream::BoxStream};
use reqwest::{
    Method, RequestBuilder, Response, StatusCode,
    header::{ACCEPT, AUTHORIZATION, CONTENT_TYPE, HeaderName, HeaderValue, WWW_AUTHENTICATE},
};
use rmcp::{
    model::{ClientJsonRpcMessage, ServerJsonRpcMessage},
    transport::streamable_http_client::{
        AuthRequiredError, HttpStatusError, SseError, StreamableHttpClient, StreamableHttpError,
        StreamableHttpPostResponse,
    },
};
use secrecy::{ExposeSecret, SecretString};
use sse_stream::{Sse, SseStream};

use super::meter::Allowance;
use elophanto_base::{mutex::lock, one_line::one_line};
use elophanto_net::remote::{Remote, RemoteError};

const JSON: &str = "application/json";
const EVENTS: &str = "text/event-stream";
const SESSION: HeaderName = HeaderName::from_static("mcp-session-id");
const LAST_EVENT: HeaderName = HeaderName::from_static("last-event-id");
/// Bytes that are read of an answer that is an error.
const MAX_ERROR: u64 = 64 << 10;

/// What opens a server to the user: a token that is sent to its address and nowhere else.
pub trait Credentials: Send + Sync {
    /// The token to send now; `None` while there is none. May block on the network.
    fn bearer(&self) -> Option<SecretString>;

    /// Another token, after the server refused this one; `None` if none can be had. May block on
    /// the network.
    fn renewed(&self, refused: &SecretString) -> Option<SecretString>;
}

/// A server at an address. Clones are of one conversation.
#[derive(Clone)]
pub(super) struct Http(Arc<Shared>);

struct Shared {
    remote: Remote,
    allowance: Arc<Allowance>,
    credentials: Option<Arc<dyn Credentials>>,
    /// The token that was sent last.
    sent: Mutex<Option<SecretString>>,
    last: Mutex<Last>,
}

/// What went wrong last.
#[derive(Debug, Clone, Default)]
struct Last {
    said: String,
    wants_sign_in: bool,
}

/// Why the transport fails.
#[derive(Debug, thiserror::Error)]
pub(super) enum Trouble {
    #[error(transparent)]
    Remote(#[from] RemoteError),
    #[error("it said too much")]
    TooMuch,
    #[error("{0}")]
    Said(String),
}

type Failed = StreamableHttpError<Trouble>;
type Events = BoxStream<'static, Result<Sse, SseError>>;

impl Http {
    pub(super) fn new(
        remote: Remote,
        allowance: Arc<Allowance>,
        credentials: Option<Arc<dyn Credentials>>,
    ) -> Self {
        let (sent, last) = (Mutex::default(), Mutex::default());
        Self(Arc::new(Shared { remote, allowance, credentials, sent, last }))
    }

    /// What went wrong last, on one line; empty if nothing did.
    pub(super) fn said(&self) -> String {
        self.last().said
    }

    /// Whether it answered that the user has to sign in.
    pub(super) fn wants_sign_in(&self) -> bool {
        self.last().wants_sign_in
    }

    /// Forgets what went wrong last.
    pub(super) fn forget(&self) {
        *lock(&self.0.last) = Last::default();
    }

    fn last(&self) -> Last {
        lock(&self.0.last).clone()
    }

    /// A text of the server without the token that it was sent: it may say that to nobody.
    pub(super) fn without_token(&self, text: &str) -> String {
        let sent = lock(&self.0.sent);
        match sent.as_ref().map(ExposeSecret::expose_secret).filter(|token| !token.is_empty()) {
            Some(token) if text.contains(token) => text.replace(token, "[token]"),
            _ => text.to_owned(),
        }
    }

    /// Sends a request with the token, and once more with another one if that is refused.
    async fn send(&self, request: impl Fn() -> RequestBuilder + Send) -> Result<Response, Failed> {
        let (mut token, mut is_renewed) = (self.token(None).await, false);
        loop {
            let mut one = request();
            if let Some(token) = &token {
                let value = HeaderValue::try_from(format!("Bearer {}", token.expose_secret()));
                let mut value = value.map_err(|_| {
                    self.trouble(Trouble::Said("the token is none that can be sent".to_owned()))
                })?;
                value.set_sensitive(true);
                one = one.header(AUTHORIZATION, value);
            }
            *lock(&self.0.sent) = token.clone();
            let sent = self.0.remote.send(one).await;
            let response = sent.map_err(|cause| self.trouble(cause.into()))?;
            if response.status() != StatusCode::UNAUTHORIZED {
                return Ok(response);
            }
            if let Some(refused) = token.take() {
                if !std::mem::replace(&mut is_renewed, true) {
                    token = self.token(Some(refused)).await;
                    if token.is_some() {
                        continue;
                    }
                }
                return Err(self.refused(&response, "it refuses the token (HTTP 401)"));
            }
            return Err(self.refused(&response, "it wants you to sign in (HTTP 401)"));
        }
    }

    /// The token to send, or another one than that which was refused.
    async fn token(&self, refused: Option<SecretString>) -> Option<SecretString> {
        let credentials = Arc::clone(self.0.credentials.as_ref()?);
        let asked = tokio::task::spawn_blocking(move || match refused {
            None => credentials.bearer(),
            Some(refused) => credentials.renewed(&refused),
        });
        asked.await.ok().flatten()
    }

    fn refused(&self, response: &Response, said: &str) -> Failed {
        self.keep(said, true);
        let header = response.headers().get(WWW_AUTHENTICATE);
        let header = header.and_then(|header| header.to_str().ok()).unwrap_or_default();
        StreamableHttpError::AuthRequired(AuthRequiredError::new(header.to_owned()))
    }

    fn trouble(&self, trouble: Trouble) -> Failed {
        self.keep(&trouble.to_string(), false);
        StreamableHttpError::Client(trouble)
    }

    fn keep(&self, said: &str, wants_sign_in: bool) {
        let said = one_line(&self.without_token(said), 300);
        *lock(&self.0.last) = Last { said, wants_sign_in };
    }

    fn request(
        &self,
        method: Method,
        session: Option<&Arc<str>>,
        headers: &HashMap<HeaderName, HeaderValue>,
    ) -> RequestBuilder {
        let mut request = self.0.remote.request(method);
        for (name, value) in headers {
            request = request.header(name, value);
        }
        match session {
            Some(session) => request.header(SESSION, session.as_ref()),
            None => request,
        }
    }

    /// The pieces of an answer, until it said more than it may.
    fn metered(
        &self,
        response: Response,
    ) -> impl Stream<Item = Result<Bytes, Trouble>> + Send + 'static {
        let this = self.clone();
        response.bytes_stream().map(move |piece| {
            let piece = piece.map_err(|cause| Trouble::Remote(this.0.remote.broken(&cause)));
            let piece = piece.and_then(|piece| match this.0.allowance.take(piece.len() as u64) {
                true => Ok(piece),
                false => Err(Trouble::TooMuch),
            });
            piece.inspect_err(|trouble| this.keep(&trouble.to_string(), false))
        })
    }

    fn events(&self, response: Response) -> Events {
        SseStream::from_bytes_stream(self.metered(response).boxed()).boxed()
    }

    /// All of an answer; what is behind `most` bytes is not read.
    async fn whole(&self, response: Response, most: u64) -> Result<Vec<u8>, Trouble> {
        let mut pieces = Box::pin(self.metered(response));
        let mut bytes = Vec::new();
        while let Some(piece) = pieces.next().await {
            bytes.extend_from_slice(&piece?);
            if bytes.len() as u64 >= most {
                break;
            }
        }
        Ok(bytes)
    }

    /// What an answer that is no success says.
    async fn failure(&self, response: Response) -> Result<ServerJsonRpcMessage, Failed> {
        let status = response.status();
        let is_json = kind(&response) == Kind::Json;
        let is_challenge = response.headers().contains_key(WWW_AUTHENTICATE);
        let bytes = self.whole(response, MAX_ERROR).await.unwrap_or_default();
        // An error of the protocol is told as one, unless it is about who may come in.
        if is_json
            && !is_challenge
            && let Ok(message @ ServerJsonRpcMessage::Error(_)) = serde_json::from_slice(&bytes)
        {
            return Ok(message);
        }
        self.keep(&format!("it answered HTTP {}", status.as_u16()), is_challenge);
        Err(HttpStatusError::new(status.as_u16(), None).into())
    }
}

impl StreamableHttpClient for Http {
    type Error = Trouble;

    async fn post_message(
        &self,
        _: Arc<str>,
        message: ClientJsonRpcMessage,
        session: Option<Arc<str>>,
        _: Option<String>,
        headers: HashMap<HeaderName, HeaderValue>,
    ) -> Result<StreamableHttpPostResponse, Failed> {
        let body = serde_json::to_vec(&message)?;
        let response = self
            .send(|| {
                self.request(Method::POST, session.as_ref(), &headers)
                    .header(ACCEPT, format!("{JSON}, {EVENTS}"))
                    .header(CONTENT_TYPE, JSON)
                    .body(body.clone())
            })
            .await?;
        let status = response.status();
        let wants_answer = matches!(message, ClientJsonRpcMessage::Request(_));
        if matches!(status, StatusCode::ACCEPTED | StatusCode::NO_CONTENT)
            || (status.is_success() && !wants_answer && response.content_length() == Some(0))
        {
            return Ok(StreamableHttpPostResponse::Accepted);
        }
        if status == StatusCode::NOT_FOUND && session.is_some() {
            self.keep("it has forgotten the session (HTTP 404)", false);
            return Err(StreamableHttpError::SessionExpired);
        }
        let given = response.headers().get(SESSION).and_then(|given| given.to_str().ok());
        let given = given.map(str::to_owned);
        if !status.is_success() {
            let error = self.failure(response).await?;
            return Ok(StreamableHttpPostResponse::Json(error, given));
        }
        match kind(&response) {
            Kind::Events => Ok(StreamableHttpPostResponse::Sse(self.events(response), given)),
            Kind::Json => {
                let read = self.whole(response, u64::MAX).await;
                let bytes = read.map_err(|trouble| self.trouble(trouble))?;
                match serde_json::from_slice(&bytes) {
                    Ok(message) => Ok(StreamableHttpPostResponse::Json(message, given)),
                    // Nobody waits for what it says to a notification.
                    Err(_) if !wants_answer => Ok(StreamableHttpPostResponse::Accepted),
                    Err(_) => {
                        Err(self.trouble(Trouble::Said("its answer is no message".to_owned())))
                    }
                }
            }
            Kind::Other if !wants_answer => Ok(StreamableHttpPostResponse::Accepted),
            Kind::Other => {
                let said = "there is no server of the protocol at this address: it answered \
                            something else";
                Err(self.trouble(Trouble::Said(said.to_owned())))
            }
        }
    }

    async fn delete_session(
        &self,
        _: Arc<str>,
        session: Arc<str>,
        _: Option<String>,
        headers: HashMap<HeaderName, HeaderValue>,
    ) -> Result<(), Failed> {
        // Whether it forgets the session is its own matter.
        self.send(|| self.request(Method::DELETE, Some(&session), &headers)).await.map(drop)
    }

    async fn get_stream(
        &self,
        _: Arc<str>,
        session: Option<Arc<str>>,
        last_event: Option<String>,
        _: Option<String>,
        headers: HashMap<HeaderName, HeaderValue>,
    ) -> Result<Events, Failed> {
        let response = self
            .send(|| {
                let request = self
                    .request(Method::GET, session.as_ref(), &headers)
                    .header(ACCEPT, format!("{EVENTS}, {JSON}"));
                match &last_event {
                    Some(last) => request.header(LAST_EVENT, last),
                    None => request,
                }
            })
            .await?;
        match (response.status(), kind(&response)) {
            (StatusCode::METHOD_NOT_ALLOWED, _) => {
                Err(StreamableHttpError::ServerDoesNotSupportSse)
            }
            (status, Kind::Events) if status.is_success() => Ok(self.events(response)),
            (status, _) => Err(HttpStatusError::new(status.as_u16(), None).into()),
        }
    }
}

impl fmt::Debug for Http {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Http").field("remote", &self.0.remote).finish_non_exhaustive()
    }
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Kind {
    Json,
    Events,
    Other,
}

fn kind(response: &Response) -> Kind {
    let kind = response.headers().get(CONTENT_TYPE).and_then(|kind| kind.to_str().ok());
    let kind = kind.unwrap_or_default().split(';').next().unwrap_or_default().trim();
    if kind.eq_ignore_ascii_case(JSON) {
        Kind::Json
    } else if kind.eq_ignore_ascii_case(EVENTS) {
        Kind::Events
    } else {
        Kind::Other
    }
}
