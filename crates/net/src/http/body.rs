//! Reading an answer: up to its cap, as JSON, and finding the error inside.

use reqwest::{
    Response,
    header::{CONTENT_TYPE, HeaderMap, LOCATION},
};
use serde_json::Value;
use url::Url;

use super::{
    HttpError, Raw,
    error::{shown, without_quotes},
    retry,
    tries::Trouble,
};

/// Most bytes read of an answer that is an error anyway.
const ERROR_CAP: usize = 256 << 10;

/// What all of the reading needs to know for its messages.
#[derive(Debug, Clone, Copy)]
pub(super) struct Reader<'a> {
    pub host: &'a str,
    pub key: Option<&'a str>,
    /// The body of the request, to know it again when it is quoted.
    pub sent: Option<&'a [u8]>,
    pub cap: usize,
}

impl Reader<'_> {
    /// The answer as JSON, if it is one and holds no error.
    pub async fn json(&self, response: Response) -> Result<Value, Trouble> {
        let response = self.success(response).await?;
        let (status, headers) = (response.status().as_u16(), response.headers().clone());
        let bytes = self.bytes(response, self.cap).await?;
        let json = serde_json::from_slice(&bytes)
            .map_err(|_| Trouble::last(self.no_json(status, &headers, &bytes)))?;
        match inner_error(&json) {
            Some(error) => Err(self.refusal(inner_status(error), Some(&json), "", &headers)),
            None => Ok(json),
        }
    }

    /// The answer as it is.
    pub async fn file(&self, response: Response) -> Result<Vec<u8>, Trouble> {
        let response = self.success(response).await?;
        self.bytes(response, self.cap).await
    }

    /// The answer, whatever its status.
    pub async fn raw(&self, response: Response) -> Result<Raw, Trouble> {
        let (status, headers) = (response.status().as_u16(), response.headers().clone());
        let bytes = self.bytes(response, self.cap).await?;
        Ok(Raw { status, headers, json: serde_json::from_slice(&bytes).unwrap_or_default() })
    }

    /// The answer if its status says success; otherwise what it says.
    pub async fn success(&self, response: Response) -> Result<Response, Trouble> {
        let status = response.status();
        if status.is_success() {
            return Ok(response);
        }
        let headers = response.headers().clone();
        if status.is_redirection() {
            let target = headers.get(LOCATION).and_then(|target| target.to_str().ok());
            let target = target.map_or("somewhere", |target| host_of(target));
            let target = self.shown(target);
            return Err(Trouble::last(HttpError::Redirect { host: self.host.to_owned(), target }));
        }
        // An error that can't be read to its end is still this error.
        let bytes = self.bytes(response, ERROR_CAP).await.unwrap_or_default();
        let json = serde_json::from_slice::<Value>(&bytes).ok();
        let page = describe(&headers, &bytes);
        Err(self.refusal(status.as_u16(), json.as_ref(), &page, &headers))
    }

    /// All bytes, unpacked.
    async fn bytes(&self, mut response: Response, cap: usize) -> Result<Vec<u8>, Trouble> {
        let too_large = || Trouble::last(HttpError::TooLarge { host: self.host.to_owned(), cap });
        let announced = response.content_length().unwrap_or(0);
        if announced > cap as u64 {
            return Err(too_large());
        }
        // What is announced is not believed beyond this.
        let mut bytes = Vec::with_capacity(announced.min(1 << 20) as usize);
        while let Some(chunk) = response.chunk().await.map_err(|error| self.broken(&error))? {
            if bytes.len() + chunk.len() > cap {
                return Err(too_large());
            }
            bytes.extend_from_slice(&chunk);
        }
        Ok(bytes)
    }

    /// A connection that could not be made, or did not last.
    pub fn broken(&self, error: &reqwest::Error) -> Trouble {
        let host = self.host.to_owned();
        if error.is_builder() {
            return Trouble::last(HttpError::Endpoint { reason: self.shown(&cause(error)) });
        }
        let reason = match error.is_timeout() {
            true => "it took too long".to_owned(),
            false => self.shown(&cause(error)),
        };
        Trouble::again(match error.is_connect() {
            true => HttpError::Connect { host, reason },
            false => HttpError::Broken { host, reason },
        })
    }

    pub fn no_json(&self, status: u16, headers: &HeaderMap, bytes: &[u8]) -> HttpError {
        let found = self.shown(&describe(headers, bytes));
        HttpError::NoJson { host: self.host.to_owned(), status, found }
    }

    /// What a server says, without the key and without what was sent.
    pub fn shown(&self, text: &str) -> String {
        let shown = shown(text, self.key);
        match self.sent {
            Some(sent) => without_quotes(&shown, sent),
            None => shown,
        }
    }

    /// The error a status means, with what the server says about it.
    fn refusal(
        &self,
        status: u16,
        json: Option<&Value>,
        page: &str,
        headers: &HeaderMap,
    ) -> Trouble {
        let said = json.and_then(message).unwrap_or_else(|| page.to_owned());
        let (host, message) = (self.host.to_owned(), self.shown(&said));
        let asked = super::hints::asked_wait(headers, status, jiff::Timestamp::now());
        let error = match status {
            401 | 403 => HttpError::Auth { host, status, message },
            402 => HttpError::Credit { host, status, message },
            429 if json.is_some_and(is_out_of_quota) => HttpError::Credit { host, status, message },
            429 => HttpError::RateLimited { host, wait: asked, message },
            400 | 413 | 422 => HttpError::Refused { host, status, message },
            _ => HttpError::Status { host, status, message },
        };
        let credit = matches!(error, HttpError::Credit { .. });
        let again = match headers.get("x-should-retry").map(|value| value.as_bytes()) {
            Some(b"true") => true,
            Some(b"false") => false,
            _ => !credit && retry::is_worth_retrying(status),
        };
        Trouble { error, again, asked }
    }
}

/// The `error` of an answer that should have been a result. `null`, `false` and `""` are none.
pub(super) fn inner_error(json: &Value) -> Option<&Value> {
    let first = json.as_array().and_then(|list| list.first()).unwrap_or(json);
    first.get("error").filter(|error| match error {
        Value::Object(fields) => !fields.is_empty(),
        Value::String(text) => !text.is_empty(),
        _ => false,
    })
}

/// The status an inner error stands for; 200 if it does not say.
pub(super) fn inner_status(error: &Value) -> u16 {
    let code = ["code", "status", "status_code"].iter().find_map(|name| {
        let code = error.get(name)?;
        let code = code.as_u64().or_else(|| code.as_str()?.parse().ok())?;
        u16::try_from(code).ok().filter(|code| (400..600).contains(code))
    });
    let word = |name| error.get(name).and_then(Value::as_str);
    code.unwrap_or_else(|| match word("type").or_else(|| word("code")).unwrap_or("") {
        "rate_limit_error" | "rate_limit_exceeded" | "insufficient_quota" => 429,
        "overloaded_error" => 529,
        "api_error" | "server_error" | "internal_server_error" => 500,
        "timeout_error" => 504,
        "authentication_error" => 401,
        "permission_error" => 403,
        "billing_error" => 402,
        "invalid_request_error" => 400,
        "not_found_error" => 404,
        _ => 200,
    })
}

fn is_out_of_quota(json: &Value) -> bool {
    let Some(error) = inner_error(json) else { return false };
    ["code", "type"].iter().any(|name| error.get(name) == Some(&"insufficient_quota".into()))
}

/// What a server says in the shapes that are common. Other fields are left out: some quote the
/// whole request.
fn message(json: &Value) -> Option<String> {
    let first = json.as_array().and_then(|list| list.first()).unwrap_or(json);
    let said = [
        "/error/message", "/error", "/message", "/detail", "/detail/0/msg", "/errors/0/message",
        "/description",
    ]
    .iter()
    .find_map(|path| first.pointer(path)?.as_str())?;
    // OpenRouter puts the words of the provider behind it here.
    match first.pointer("/error/metadata/raw").and_then(Value::as_str) {
        Some(raw) => Some(format!("{said}: {raw}")),
        None => Some(said.to_owned()),
    }
}

/// What was sent instead of JSON: the kind of page, or the beginning of a text.
fn describe(headers: &HeaderMap, bytes: &[u8]) -> String {
    let kind = headers.get(CONTENT_TYPE).and_then(|kind| kind.to_str().ok()).unwrap_or("");
    let start = String::from_utf8_lossy(&bytes[..bytes.len().min(2048)]);
    let start = start.trim_start_matches('\u{feff}').trim();
    let lower = start.to_ascii_lowercase();
    if kind.contains("html") || lower.starts_with("<!doctype") || lower.starts_with("<html") {
        let title = lower.find("<title>").and_then(|from| {
            let to = lower.get(from..)?.find("</title>")?;
            start.get(from + "<title>".len()..from + to)
        });
        return match title {
            Some(title) => format!("a web page titled \"{}\"", title.trim()),
            None => "a web page".to_owned(),
        };
    }
    match start {
        "" => "nothing".to_owned(),
        _ if start.starts_with(['{', '[']) => "damaged JSON".to_owned(),
        text => format!("text: {text}"),
    }
}

fn host_of(target: &str) -> &str {
    let Ok(url) = Url::parse(target) else { return "another path" };
    let Some(host) = url.host_str() else { return "somewhere" };
    target.find(host).and_then(|from| target.get(from..from + host.len())).unwrap_or("elsewhere")
}

/// The innermost cause: the outer ones repeat the address.
fn cause(error: &dyn std::error::Error) -> String {
    let mut cause = error;
    while let Some(inner) = cause.source() {
        cause = inner;
    }
    cause.to_string()
}
