//! The client: one endpoint, asked with patience.

use std::{
    fmt,
    sync::{
        Arc,
        atomic::{AtomicU64, Ordering},
    },
    time::Duration,
};

use reqwest::{
    Method, RequestBuilder, Response,
    header::{ACCEPT, AUTHORIZATION, CONTENT_TYPE, HeaderMap, HeaderName, HeaderValue},
    redirect,
};
use secrecy::{ExposeSecret, SecretString};
use serde::Serialize;
use tokio::time::timeout;
use url::Url;

use super::{
    Auth, BODY_CAP, Endpoint, HttpError, Patience, Raw, Reply,
    body::Reader,
    gate::Gate,
    tries::{Tries, Trouble},
    trust,
};
use crate::address::{Place, host_and_port};

const JSON: &str = "application/json";
const USER_AGENT: &str = concat!("elophanto/", env!("CARGO_PKG_VERSION"));

/// Asks one endpoint. Clones are cheap and share connections, the gate that is closed while the
/// server asks to wait, and the count of attempts.
#[derive(Clone)]
pub struct Client(Arc<Shared>);

struct Shared {
    http: reqwest::Client,
    base: Url,
    host: String,
    place: Place,
    key: Option<SecretString>,
    patience: Patience,
    body_cap: usize,
    gate: Gate,
    attempts: AtomicU64,
}

impl Client {
    /// A client for `endpoint`. Opens no connection.
    ///
    /// # Errors
    /// [`HttpError::Insecure`] if a key or texts would travel unencrypted, [`HttpError::Endpoint`]
    /// if the address or key can't be used.
    pub fn new(endpoint: Endpoint, patience: Patience) -> Result<Self, HttpError> {
        Self::with_body_cap(endpoint, patience, BODY_CAP)
    }

    /// As [`Client::new`], with another cap on answers, in bytes.
    ///
    /// # Errors
    /// As [`Client::new`].
    pub fn with_body_cap(
        endpoint: Endpoint,
        patience: Patience,
        body_cap: usize,
    ) -> Result<Self, HttpError> {
        let Endpoint { base_url, auth, headers, secret } = endpoint;
        let place = trust::check(&base_url, !matches!(auth, Auth::None))?;
        let host = host_and_port(&base_url);
        let headers = all_headers(&auth, &headers)?;
        let encrypted = base_url.scheme() == "https";
        let mut builder = reqwest::Client::builder()
            .user_agent(USER_AGENT)
            .default_headers(headers)
            .connect_timeout(patience.connect)
            .redirect(redirect::Policy::none())
            .referer(false)
            .https_only(encrypted)
            // Reading the system's certificates takes time, and some systems have none.
            .tls_built_in_root_certs(encrypted);
        if place == Place::Loopback {
            builder = builder.no_proxy();
        }
        let http = builder.build().map_err(|_| {
            let reason = "TLS can't be set up with the certificates of this system".to_owned();
            HttpError::Endpoint { reason }
        })?;
        let key = match auth {
            Auth::None => None,
            Auth::Bearer(key) | Auth::Header(_, key) => Some(trimmed(&key)),
        };
        let key = secret.as_ref().map(trimmed).or(key);
        let (gate, attempts) = (Gate::default(), AtomicU64::new(0));
        let base = base_url;
        let shared = Shared { http, base, host, place, key, patience, body_cap, gate, attempts };
        Ok(Self(Arc::new(shared)))
    }

    /// Host and port, for messages.
    pub fn host(&self) -> &str {
        &self.0.host
    }

    /// Whether the endpoint is on this machine.
    pub fn is_local(&self) -> bool {
        self.0.place == Place::Loopback
    }

    /// Requests sent by this client and its clones, failed ones included.
    pub fn attempts(&self) -> u64 {
        self.0.attempts.load(Ordering::Relaxed)
    }

    /// Sends `body` as JSON to `path` below the endpoint.
    ///
    /// # Errors
    /// When no attempt brings JSON without an error inside.
    pub async fn post(
        &self,
        path: &str,
        body: &(impl Serialize + ?Sized),
    ) -> Result<Reply, HttpError> {
        let body = encode(body)?;
        self.ask(Method::POST, path, Some(&body)).await
    }

    /// Asks for `path` below the endpoint.
    ///
    /// # Errors
    /// When no attempt brings JSON without an error inside.
    pub async fn get(&self, path: &str) -> Result<Reply, HttpError> {
        self.ask(Method::GET, path, None).await
    }

    /// Sends `body` of another type than JSON to `path` below the endpoint, which answers in JSON.
    ///
    /// # Errors
    /// When no attempt brings JSON without an error inside.
    pub async fn post_as(&self, path: &str, kind: &str, body: &[u8]) -> Result<Reply, HttpError> {
        self.ask_as(Method::POST, path, Some((kind, body))).await
    }

    /// Hands a file over: bytes as they are, to the endpoint itself with this query. What is answered is
    /// no matter.
    ///
    /// # Errors
    /// When no attempt is taken.
    pub async fn upload(&self, query: &str, bytes: &[u8]) -> Result<(), HttpError> {
        let reader = self.reader(None);
        let attempt = || async {
            let body = Some(("application/octet-stream", bytes));
            let request = self.request_as(Method::POST, query, body);
            reader.file(self.send(request).await?).await
        };
        self.answered(attempt).await.map(drop)
    }

    /// Asks for a file: `path` below the endpoint, of any type.
    ///
    /// # Errors
    /// When no attempt brings all of it; [`HttpError::TooLarge`] beyond the cap of this client.
    pub async fn file(&self, path: &str) -> Result<Vec<u8>, HttpError> {
        let reader = self.reader(None);
        let attempt = || async {
            let request = self.request(Method::GET, path, None);
            reader.file(self.send(request).await?).await
        };
        self.answered(attempt).await.map(|(bytes, _)| bytes)
    }

    /// Asks once, not held up by what others were told, and takes any answer for one: for APIs whose
    /// limits are by what is asked for.
    ///
    /// # Errors
    /// When there is no answer.
    pub async fn once(
        &self,
        method: Method,
        path: &str,
        body: Option<(&str, &[u8])>,
    ) -> Result<Raw, HttpError> {
        let limit = self.0.patience.request;
        let answer = async {
            let response = self.send(self.request_as(method, path, body)).await?;
            self.reader(None).raw(response).await
        };
        match timeout(limit, answer).await {
            Ok(answer) => answer.map_err(|trouble| trouble.error),
            Err(_) => Err(HttpError::Timeout { host: self.0.host.clone(), limit }),
        }
    }

    /// Words of the server as they can be shown: on one line, cut, without the key.
    pub fn shown(&self, text: &str) -> String {
        self.reader(None).shown(text)
    }

    async fn ask(
        &self,
        method: Method,
        path: &str,
        body: Option<&[u8]>,
    ) -> Result<Reply, HttpError> {
        self.ask_as(method, path, body.map(|body| (JSON, body))).await
    }

    async fn ask_as(
        &self,
        method: Method,
        path: &str,
        body: Option<(&str, &[u8])>,
    ) -> Result<Reply, HttpError> {
        let reader = self.reader(body.map(|(_, body)| body));
        let attempt = || async {
            let request = self.request_as(method.clone(), path, body);
            reader.json(self.send(request).await?).await
        };
        let (json, Tries { attempts, waited, .. }) = self.answered(attempt).await?;
        Ok(Reply { json, attempts, waited })
    }

    /// What one of the attempts brings, and how many there were.
    async fn answered<T, F>(&self, attempt: impl Fn() -> F) -> Result<(T, Tries<'_>), HttpError>
    where
        F: Future<Output = Result<T, Trouble>>,
    {
        let mut tries = self.tries();
        loop {
            let limit = tries.start().await?;
            let trouble = match timeout(limit, attempt()).await {
                Ok(Ok(answer)) => return Ok((answer, tries)),
                Ok(Err(trouble)) => trouble,
                Err(_) => tries.cut_off(limit),
            };
            tries.after(trouble).await?;
        }
    }

    pub(super) fn tries(&self) -> Tries<'_> {
        Tries::new(&self.0.gate, &self.0.host, self.0.patience)
    }

    pub(super) fn idle(&self) -> Duration {
        self.0.patience.idle
    }

    pub(super) fn reader<'a>(&'a self, sent: Option<&'a [u8]>) -> Reader<'a> {
        let key = self.0.key.as_ref().map(ExposeSecret::expose_secret);
        Reader { host: &self.0.host, key, sent, cap: self.0.body_cap }
    }

    pub(super) fn request(
        &self,
        method: Method,
        path: &str,
        body: Option<&[u8]>,
    ) -> RequestBuilder {
        self.request_as(method, path, body.map(|body| (JSON, body)))
    }

    fn request_as(
        &self,
        method: Method,
        path: &str,
        body: Option<(&str, &[u8])>,
    ) -> RequestBuilder {
        let request = self.0.http.request(method, below(&self.0.base, path));
        match body {
            Some((kind, body)) => request.header(CONTENT_TYPE, kind).body(body.to_vec()),
            None => request,
        }
    }

    /// One request, up to the headers of its answer.
    pub(super) async fn send(&self, request: RequestBuilder) -> Result<Response, Trouble> {
        self.0.attempts.fetch_add(1, Ordering::Relaxed);
        request.send().await.map_err(|error| self.reader(None).broken(&error))
    }
}

impl fmt::Debug for Client {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.debug_struct("Client").field("host", &self.0.host).finish_non_exhaustive()
    }
}

pub(super) fn encode(body: &(impl Serialize + ?Sized)) -> Result<Vec<u8>, HttpError> {
    serde_json::to_vec(body)
        .map_err(|_| HttpError::Endpoint { reason: "the request is not valid JSON".to_owned() })
}

/// `path` added to the path of `base`; a query in `path` replaces that of `base`.
fn below(base: &Url, path: &str) -> Url {
    let (path, query) = match path.split_once('?') {
        Some((path, query)) => (path, Some(query)),
        None => (path, None),
    };
    let mut url = base.clone();
    if !path.is_empty() {
        let path =
            format!("{}/{}", base.path().trim_end_matches('/'), path.trim_start_matches('/'));
        url.set_path(&path);
    }
    url.set_fragment(None);
    if query.is_some() {
        url.set_query(query);
    }
    url
}

fn trimmed(key: &SecretString) -> SecretString {
    SecretString::from(key.expose_secret().trim())
}

fn all_headers(auth: &Auth, more: &[(&'static str, String)]) -> Result<HeaderMap, HttpError> {
    let wrong = |reason: String| HttpError::Endpoint { reason };
    let mut headers = HeaderMap::new();
    headers.insert(ACCEPT, HeaderValue::from_static("application/json, text/event-stream"));
    for (name, value) in more {
        let bad = || wrong(format!("the header `{name}` can't be sent"));
        let name = HeaderName::try_from(*name).map_err(|_| bad())?;
        headers.insert(name.clone(), HeaderValue::try_from(value).map_err(|_| bad())?);
    }
    let (name, prefix, key) = match auth {
        Auth::None => return Ok(headers),
        Auth::Bearer(key) => (AUTHORIZATION, "Bearer ", key),
        Auth::Header(name, key) => {
            let bad = |_| wrong(format!("the header `{name}` can't be sent"));
            (HeaderName::try_from(*name).map_err(bad)?, "", key)
        }
    };
    let key = key.expose_secret().trim();
    if key.is_empty() {
        return Err(wrong("the key is empty".to_owned()));
    }
    let mut value = HeaderValue::try_from(format!("{prefix}{key}"))
        .map_err(|_| wrong("the key holds characters that no header can carry".to_owned()))?;
    value.set_sensitive(true);
    headers.insert(name, value);
    Ok(headers)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_are_added() {
        #[track_caller]
        fn check(base: &str, path: &str, expected: &str) {
            assert_eq!(below(&Url::parse(base).unwrap(), path).as_str(), expected);
        }
        check("https://a.test", "/x", "https://a.test/x");
        check("https://a.test/v1", "x", "https://a.test/v1/x");
        check("https://a.test/v1/", "/x/y", "https://a.test/v1/x/y");
        check("https://a.test/v1?api=2#part", "x", "https://a.test/v1/x?api=2");
        check("https://a.test/v1?api=2", "x?n=1", "https://a.test/v1/x?n=1");
        check("https://a.test/v1/x?api=2", "", "https://a.test/v1/x?api=2");
        check("https://a.test/v1/x", "?n=1", "https://a.test/v1/x?n=1");
        check("https://a.test/v1", "//evil.test/x", "https://a.test/v1/evil.test/x");
        check("https://a.test/v1", "https://evil.test/", "https://a.test/v1/https://evil.test/");
    }
}
