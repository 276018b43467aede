//! Requests of `object_store` over the HTTP client of this program, so that no second TLS is built in.

use std::{error::Error, io, time::Duration};

use async_trait::async_trait;
use elophanto_net::objects;
use http_body_util::BodyExt as _;
use object_store::{
    ClientConfigKey, ClientOptions,
    client::{
        HttpClient, HttpConnector, HttpError, HttpErrorKind, HttpRequest, HttpResponse,
        HttpResponseBody, HttpService,
    },
};

/// Until a connection stands, in seconds, where `object_store` asks for no other time.
const CONNECT: Duration = Duration::from_secs(10);
/// The same for where a cloud keeps the keys of a machine: elsewhere nobody answers there.
const CONNECT_FOR_KEYS: Duration = Duration::from_secs(1);

/// Makes clients; only those that `object_store` says so may speak without encryption.
#[derive(Debug)]
pub(super) struct Connector;

impl HttpConnector for Connector {
    fn connect(&self, options: &ClientOptions) -> object_store::Result<HttpClient> {
        let said = |key| options.get_config_value(&key);
        let is_open = said(ClientConfigKey::AllowHttp).as_deref() == Some("true");
        let is_for_keys =
            said(ClientConfigKey::ConnectTimeout).is_some_and(|limit| limit.starts_with("1 s"));
        let limit = if is_for_keys { CONNECT_FOR_KEYS } else { CONNECT };
        let client = objects::client(is_open, limit).map_err(|cause| {
            object_store::Error::Generic { store: "HTTP client", source: Box::new(cause) }
        })?;
        Ok(HttpClient::new(Service(client)))
    }
}

#[derive(Debug)]
struct Service(reqwest::Client);

#[async_trait]
impl HttpService for Service {
    async fn call(&self, request: HttpRequest) -> Result<HttpResponse, HttpError> {
        let (parts, body) = request.into_parts();
        let url = parts.uri.to_string().parse();
        let url =
            url.map_err(|cause: url::ParseError| HttpError::new(HttpErrorKind::Unknown, cause))?;
        let mut asked = reqwest::Request::new(parts.method, url);
        *asked.headers_mut() = parts.headers;
        *asked.body_mut() = Some(reqwest::Body::wrap(body));
        let answer = self.0.execute(asked).await.map_err(failed)?;
        let answer: http::Response<reqwest::Body> = answer.into();
        let (parts, body) = answer.into_parts();
        Ok(HttpResponse::from_parts(parts, HttpResponseBody::new(body.map_err(failed))))
    }
}

/// What kind of failure it is: whether `object_store` tries again follows from that.
fn failed(cause: reqwest::Error) -> HttpError {
    let mut kind = if cause.is_timeout() {
        HttpErrorKind::Timeout
    } else if cause.is_connect() {
        HttpErrorKind::Connect
    } else if cause.is_decode() {
        HttpErrorKind::Decode
    } else {
        HttpErrorKind::Unknown
    };
    let mut inner = cause.source();
    while let (HttpErrorKind::Unknown, Some(source)) = (kind, inner) {
        let broken = source.downcast_ref::<io::Error>().map(io::Error::kind);
        // The server closed the connection, or never answered on it.
        let said = source.to_string();
        let is_closed = ["closed before message completed", "connection closed", "incomplete"]
            .iter()
            .any(|part| said.contains(part));
        if broken.is_some() || is_closed {
            kind = HttpErrorKind::Interrupted;
        }
        inner = source.source();
    }
    HttpError::new(kind, cause.without_url())
}
