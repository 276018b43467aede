//! Discord's HTTP API: what is asked for, no more often than it likes, and what its refusals mean.

use std::{
    sync::Mutex,
    time::{Duration, Instant},
};

use secrecy::{ExposeSecret, SecretString};
use serde_json::Value;
use url::Url;

use super::rates::{Limit, Rates, route};
use crate::{ChannelError, Result};
use elophanto_base::mutex::lock;
use elophanto_net::http::{Auth, Client, Endpoint, Method, Patience, Raw, block_on};

/// Discord turns away who does not call themselves like this.
const AGENT: &str = concat!("DiscordBot (elophanto, ", env!("CARGO_PKG_VERSION"), ")");
const JSON: &str = "application/json";
const REQUEST: Duration = Duration::from_secs(15);
/// An interaction is answered within three seconds or not at all.
const INTERACTION: Duration = Duration::from_millis(2_500);
const FILE: Duration = Duration::from_secs(120);

/// Asks Discord.
pub struct Rest {
    /// As the bot.
    client: Client,
    files: Client,
    /// Without its token: the address is the key.
    open: Client,
    rates: Mutex<Rates>,
}

impl Rest {
    pub fn new(address: &Url, token: &SecretString) -> Result<Self> {
        let client = |is_bot: bool, request| {
            let auth = match is_bot {
                true => {
                    let key = format!("Bot {}", token.expose_secret());
                    Auth::Header("authorization", SecretString::from(key))
                }
                false => Auth::None,
            };
            let endpoint = Endpoint {
                headers: vec![("user-agent", AGENT.to_owned())],
                secret: Some(token.clone()),
                ..Endpoint::new(address.clone(), auth)
            };
            let patience = Patience { request, total: request, ..Patience::default() };
            Client::with_body_cap(endpoint, patience, 4 << 20)
                .map_err(|error| ChannelError::of(&error))
        };
        Ok(Self {
            client: client(true, REQUEST)?,
            files: client(true, FILE)?,
            open: client(false, INTERACTION)?,
            rates: Mutex::default(),
        })
    }

    /// Asks as the bot.
    pub fn ask(&self, method: Method, path: &str, body: Option<&Value>) -> Result<Value> {
        let body = body.map(Value::to_string);
        let body = body.as_ref().map(|body| (JSON, body.as_bytes()));
        self.limited(&self.client, method, path, body)
    }

    /// Hands a form over as the bot.
    pub fn hand_over(&self, path: &str, kind: &str, body: &[u8]) -> Result<Value> {
        self.limited(&self.files, Method::POST, path, Some((kind, body)))
    }

    /// Asks by an address that is a key of its own.
    pub fn ask_openly(&self, path: &str, body: &Value) -> Result<Value> {
        let body = body.to_string();
        let said = block_on(self.open.once(Method::POST, path, Some((JSON, body.as_bytes()))));
        let said = said.map_err(|error| ChannelError::of(&error))?;
        self.judged(said)
    }

    fn limited(
        &self,
        client: &Client,
        method: Method,
        path: &str,
        body: Option<(&str, &[u8])>,
    ) -> Result<Value> {
        let route = route(method.as_str(), path);
        let rates = || lock(&self.rates);
        if let Some(wait) = rates().wait(&route, Instant::now()) {
            let reason = "it would be too often".to_owned();
            return Err(ChannelError::Later { reason, wait: Some(wait) });
        }
        let said = block_on(client.once(method, path, body));
        let said = said.map_err(|error| ChannelError::of(&error))?;
        rates().heard(&route, &limit(&said), Instant::now());
        self.judged(said)
    }

    fn judged(&self, said: Raw) -> Result<Value> {
        if (200..300).contains(&said.status) {
            return Ok(said.json);
        }
        let words = said.json["message"].as_str().unwrap_or("no reason given");
        // Where in what was sent, and what is wrong there.
        let detail = first_text(&said.json["errors"]).unwrap_or_default();
        let words = self.client.shown(format!("{words} {detail}").trim());
        let code = said.json["code"].as_u64().unwrap_or_default();
        let reason =
            format!("`{}` answered {} (code {code}): {words}", self.client.host(), said.status);
        Err(meaning(said.status, code, reason, limit(&said).retry_after))
    }
}

/// The first words in what Discord says is wrong, which lie deep.
fn first_text(errors: &Value) -> Option<String> {
    match errors {
        Value::Object(fields) => match fields.get("message").and_then(Value::as_str) {
            Some(text) => Some(text.to_owned()),
            None => fields.values().find_map(first_text),
        },
        Value::Array(all) => all.iter().find_map(first_text),
        _ => None,
    }
}

fn limit(said: &Raw) -> Limit {
    let seconds = |text: &str| {
        let seconds: f64 = text.parse().ok()?;
        Duration::try_from_secs_f64(seconds).ok()
    };
    let header = |name: &str| said.header(name);
    let retry_after = (said.status == 429).then(|| {
        let exact = said.json["retry_after"].as_f64();
        let exact = exact.and_then(|seconds| Duration::try_from_secs_f64(seconds).ok());
        exact.or_else(|| header("retry-after").and_then(seconds)).unwrap_or(Duration::from_secs(1))
    });
    Limit {
        bucket: header("x-ratelimit-bucket").map(str::to_owned),
        remaining: header("x-ratelimit-remaining").and_then(|text| text.parse().ok()),
        reset_after: header("x-ratelimit-reset-after").and_then(seconds),
        retry_after,
        is_global: header("x-ratelimit-global").is_some() || said.json["global"] == true,
    }
}

/// What a refusal means. Codes: <https://discord.com/developers/docs/topics/opcodes-and-status-codes>.
fn meaning(status: u16, code: u64, reason: String, wait: Option<Duration>) -> ChannelError {
    match (status, code) {
        (401, _) => ChannelError::Token(reason),
        (429 | 408 | 500.., _) => ChannelError::Later { reason, wait },
        // Not there; of somebody else; changed too often after an hour.
        (_, 10_008 | 50_005 | 30_046) => ChannelError::Missing(reason),
        (_, 50_001 | 50_007 | 50_013 | 10_003 | 10_013 | 50_083 | 160_005) => {
            ChannelError::Gone(reason)
        }
        // Of something in between, without a word of theirs.
        (403, 0) => ChannelError::Later { reason, wait },
        _ => ChannelError::Refused(reason),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn refusals() {
        let kind = |status, code| match meaning(status, code, String::new(), None) {
            ChannelError::Token(_) => "token",
            ChannelError::Later { .. } => "later",
            ChannelError::Missing(_) => "missing",
            ChannelError::Gone(_) => "gone",
            ChannelError::Refused(_) => "refused",
            _ => "other",
        };
        for (status, code, expected) in [
            (401, 0, "token"),
            (403, 50_007, "gone"),
            (404, 10_003, "gone"),
            (404, 10_008, "missing"),
            (404, 10_062, "refused"),
            (400, 50_035, "refused"),
            (400, 30_046, "missing"),
            (429, 0, "later"),
            (502, 0, "later"),
        ] {
            assert_eq!(kind(status, code), expected, "{status} {code}");
        }
        let errors = json!({ "content": { "_errors": [{ "code": "X", "message": "too long" }] } });
        assert_eq!(first_text(&errors).as_deref(), Some("too long"));
        assert_eq!(first_text(&json!(null)), None);
    }
}
