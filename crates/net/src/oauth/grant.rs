//! Tokens of one server, and all that is needed to renew them.

use std::fmt;

use jiff::Timestamp;
use secrecy::{ExposeSecret as _, SecretString};
use serde::{Deserialize, Serialize};
use url::Url;

use super::{
    Client, OauthError,
    discover::Issuer,
    exchange::{self, Tokens},
};
use crate::remote::Remote;

/// A token is renewed this long before it ends.
const AHEAD: i64 = 30;

/// What a server was granted. Its text is a secret.
#[derive(Clone)]
pub struct Grant {
    form: Form,
}

/// As it is kept.
#[derive(Clone, Serialize, Deserialize)]
struct Form {
    /// The server it is for. It is sent nowhere else.
    server: String,
    issuer: String,
    token_endpoint: String,
    resource: String,
    client_id: String,
    #[serde(default)]
    client_secret: Option<String>,
    #[serde(default)]
    in_header: bool,
    access_token: String,
    #[serde(default)]
    refresh_token: Option<String>,
    /// Seconds since 1970.
    #[serde(default)]
    ends: Option<i64>,
}

impl Grant {
    pub(super) fn new(
        remote: &Remote,
        issuer: &Issuer,
        client: &Client,
        resource: &str,
        tokens: Tokens,
    ) -> Self {
        let mut grant = Self {
            form: Form {
                server: remote.address().to_string(),
                issuer: issuer.name.clone(),
                token_endpoint: issuer.token.to_string(),
                resource: resource.to_owned(),
                client_id: client.id.clone(),
                client_secret: client.secret.as_ref().map(|it| it.expose_secret().to_owned()),
                in_header: client.in_header,
                access_token: String::new(),
                refresh_token: None,
                ends: None,
            },
        };
        grant.take(tokens);
        grant
    }

    /// Reads what [`Grant::to_secret`] made; `None` if it is none, or for another server.
    pub fn read(secret: &SecretString, server: &Url) -> Option<Self> {
        let form: Form = serde_json::from_str(secret.expose_secret()).ok()?;
        (form.server == server.as_str()).then_some(Self { form })
    }

    /// For a vault to keep: JSON.
    pub fn to_secret(&self) -> SecretString {
        serde_json::to_string(&self.form).unwrap_or_default().into()
    }

    /// What is sent to the server.
    pub fn bearer(&self) -> SecretString {
        self.form.access_token.as_str().into()
    }

    /// Whether it has ended, or will in a moment.
    pub fn is_stale(&self) -> bool {
        self.form.ends.is_some_and(|ends| ends - AHEAD <= Timestamp::now().as_second())
    }

    /// Renews it.
    ///
    /// # Errors
    /// [`OauthError::Ended`] when that cannot be; others when it might be later.
    pub async fn renewed(&self, remote: &Remote) -> Result<Self, OauthError> {
        let form = &self.form;
        let Some(refresh) = &form.refresh_token else { return Err(OauthError::Ended) };
        let client = Client {
            id: form.client_id.clone(),
            secret: form.client_secret.as_deref().map(SecretString::from),
            in_header: form.in_header,
        };
        let fields = [
            ("grant_type", "refresh_token"),
            ("refresh_token", refresh.as_str()),
            ("resource", &form.resource),
        ];
        let place = Url::parse(&form.token_endpoint).map_err(|_| OauthError::Ended)?;
        let tokens = exchange::tokens(remote, &place, &client, &fields).await?;
        let mut renewed = self.clone();
        renewed.take(tokens);
        Ok(renewed)
    }

    fn take(&mut self, tokens: Tokens) {
        let form = &mut self.form;
        form.access_token = tokens.access.expose_secret().to_owned();
        // Who gives no new one leaves the old one good.
        if let Some(refresh) = tokens.refresh {
            form.refresh_token = Some(refresh.expose_secret().to_owned());
        }
        let now = Timestamp::now().as_second();
        form.ends = tokens
            .seconds
            .map(|seconds| now.saturating_add(i64::try_from(seconds).unwrap_or(i64::MAX)));
    }
}

impl fmt::Debug for Grant {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Grant").field("server", &self.form.server).finish_non_exhaustive()
    }
}
