//! Signing in at a server that a person named, as its protocol has it: OAuth 2.1 for MCP.
//!
//! Owns finding out who signs people in for a server (RFC 9728, RFC 8414), introducing this program
//! there (RFC 7591), the address a person opens (PKCE, RFC 7636; the resource, RFC 8707), the one
//! answer that comes back to this machine, and tokens, which are renewed. It refuses to know where
//! tokens are kept and who opens the address: it opens no browser.
//!
//! By hand, because the `auth` feature of `rmcp` and the crate `oauth2` change features of crates
//! that Lance is built on, and bring a second HTTP client without TLS.
//!
//! A token is sent to the server it is for and to whoever gave it, and to nobody else. All that is
//! fetched is capped, and from nowhere nearer than the server itself is.

mod answer;
mod challenge;
mod discover;
mod error;
mod exchange;
mod grant;

use base64::{Engine as _, engine::general_purpose::URL_SAFE_NO_PAD};
use reqwest::{
    Method, StatusCode,
    header::{ACCEPT, WWW_AUTHENTICATE},
};
use secrecy::{ExposeSecret as _, SecretString};
use sha2::{Digest as _, Sha256};
use url::Url;

use crate::remote::Remote;
use discover::Issuer;

pub use answer::{Answer, Listener};
pub use challenge::Challenge;
pub use error::OauthError;
pub use grant::Grant;

/// A sign-in that waits for a person.
pub struct Begun {
    /// What the person opens. It holds nothing secret.
    pub address: Url,
    remote: Remote,
    issuer: Issuer,
    client: Client,
    resource: String,
    redirect: Url,
    state: String,
    verifier: SecretString,
}

/// How this program is known at an issuer.
#[derive(Clone)]
struct Client {
    id: String,
    secret: Option<SecretString>,
    /// The secret goes into a header rather than the form.
    in_header: bool,
}

/// What a server says to a request without a token.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Unasked {
    /// Somebody has to sign in.
    Challenge(Challenge),
    /// Nobody has to.
    LetIn,
    Other {
        status: u16,
    },
}

/// Sends a request without a token.
///
/// # Errors
/// [`OauthError`] when nothing answers.
pub async fn unasked(remote: &Remote, body: &serde_json::Value) -> Result<Unasked, OauthError> {
    let request = remote
        .request(Method::POST)
        .header(ACCEPT, "application/json, text/event-stream")
        .json(body);
    let sent = tokio::time::timeout(exchange::PATIENCE, remote.send(request)).await;
    let response = sent.map_err(|_| OauthError::Timeout { host: remote.host().to_owned() })??;
    Ok(match response.status() {
        StatusCode::UNAUTHORIZED | StatusCode::FORBIDDEN => {
            let header = response.headers().get(WWW_AUTHENTICATE);
            let header = header.and_then(|header| header.to_str().ok()).unwrap_or_default();
            Unasked::Challenge(Challenge::read(header))
        }
        status if status.is_success() => Unasked::LetIn,
        status => Unasked::Other { status: status.as_u16() },
    })
}

/// Finds out who signs people in for the server, introduces this program there, and makes the
/// address that a person has to open. The answer comes to `redirect`, an address of this machine.
///
/// `challenge` is what the server said when it refused a request without a token. A `client_id` is
/// one that was given to the person beforehand, for issuers where programs cannot introduce
/// themselves.
///
/// # Errors
/// [`OauthError`].
pub async fn begin(
    remote: &Remote,
    challenge: &Challenge,
    client_id: Option<&str>,
    redirect: &Url,
) -> Result<Begun, OauthError> {
    let found = discover::discover(remote, challenge).await?;
    let client = match client_id {
        Some(id) => Client { id: id.to_owned(), secret: None, in_header: false },
        None => exchange::register(remote, &found.issuer, redirect).await?,
    };
    let (state, verifier) = (random()?, SecretString::from(random()?));
    let digest = Sha256::digest(verifier.expose_secret().as_bytes());
    let mut address = found.issuer.authorize.clone();
    {
        let mut query = address.query_pairs_mut();
        query
            .append_pair("response_type", "code")
            .append_pair("client_id", &client.id)
            .append_pair("redirect_uri", redirect.as_str())
            .append_pair("state", &state)
            .append_pair("code_challenge", &URL_SAFE_NO_PAD.encode(digest))
            .append_pair("code_challenge_method", "S256")
            .append_pair("resource", &found.resource);
        if let Some(scope) = &found.scope {
            query.append_pair("scope", scope);
        }
    }
    Ok(Begun {
        address,
        remote: remote.clone(),
        issuer: found.issuer,
        client,
        resource: found.resource,
        redirect: redirect.clone(),
        state,
        verifier,
    })
}

impl Begun {
    /// Host and port of who signs the person in.
    pub fn host(&self) -> String {
        crate::address::host_and_port(&self.address)
    }

    /// Whether an answer belongs to this sign-in.
    pub fn is_for(&self, answer: &Answer) -> bool {
        answer.state.as_deref() == Some(&self.state)
    }

    /// Exchanges the code of the answer for tokens.
    ///
    /// # Errors
    /// [`OauthError`]: when the answer is a no, belongs to another sign-in or comes from another
    /// issuer, and when there are no tokens.
    pub async fn finish(self, answer: Answer) -> Result<Grant, OauthError> {
        if !self.is_for(&answer) {
            return Err(OauthError::Foreign);
        }
        match &answer.issuer {
            Some(issuer) if !discover::is_same(issuer, &self.issuer.name) => {
                return Err(OauthError::Foreign);
            }
            None if self.issuer.says_who => return Err(OauthError::Foreign),
            _ => {}
        }
        if let Some(error) = answer.error {
            return Err(OauthError::Refused { said: error::shown(&error) });
        }
        let code = answer.code.ok_or(OauthError::Foreign)?;
        let form = [
            ("grant_type", "authorization_code"),
            ("code", code.expose_secret()),
            ("redirect_uri", self.redirect.as_str()),
            ("code_verifier", self.verifier.expose_secret()),
            ("resource", &self.resource),
        ];
        let tokens =
            exchange::tokens(&self.remote, &self.issuer.token, &self.client, &form).await?;
        Ok(Grant::new(&self.remote, &self.issuer, &self.client, &self.resource, tokens))
    }
}

/// 256 bits, as an address and a header can carry them.
fn random() -> Result<String, OauthError> {
    let mut bytes = [0_u8; 32];
    getrandom::fill(&mut bytes).map_err(|_| OauthError::NoRandomness)?;
    Ok(URL_SAFE_NO_PAD.encode(bytes))
}

#[cfg(test)]
mod tests;
