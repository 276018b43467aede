//! What is posted to an issuer: an introduction, codes and tokens.

use std::time::Duration;

use base64::{Engine as _, engine::general_purpose::STANDARD};
use reqwest::{
    Method, RequestBuilder,
    header::{ACCEPT, AUTHORIZATION, CONTENT_TYPE, HeaderValue},
};
use secrecy::{ExposeSecret as _, SecretString};
use serde_json::{Value, json};
use url::{Url, form_urlencoded};

use super::{Client, OauthError, discover::Issuer, error::shown};
use crate::remote::Remote;

/// Bytes of an answer.
const BODY_CAP: usize = 1 << 20;
/// For one request and its whole answer.
pub(super) const PATIENCE: Duration = Duration::from_secs(30);
/// Bytes of a token or a name that is given.
const MAX_TOKEN: usize = 16 << 10;

/// What came of a code or a token.
pub(super) struct Tokens {
    pub access: SecretString,
    pub refresh: Option<SecretString>,
    /// Seconds for which it is good, as far as they are said.
    pub seconds: Option<u64>,
}

/// Introduces this program to an issuer.
pub(super) async fn register(
    remote: &Remote,
    issuer: &Issuer,
    redirect: &Url,
) -> Result<Client, OauthError> {
    let Some(place) = &issuer.register else {
        let host = remote.beside(&issuer.token)?.host().to_owned();
        return Err(OauthError::NotRegistered { host });
    };
    let there = remote.beside(place)?;
    let us = json!({
        "client_name": "elophanto",
        "redirect_uris": [redirect.as_str()],
        "grant_types": ["authorization_code", "refresh_token"],
        "response_types": ["code"],
        "token_endpoint_auth_method": "none",
        "application_type": "native",
    });
    let (status, said) = ask(&there, there.request(Method::POST).json(&us)).await?;
    let said = answered(&there, status, said)?;
    let text = |key: &str| said.get(key).and_then(Value::as_str).filter(|text| fits(text));
    let missing =
        OauthError::NotSaid { host: there.host().to_owned(), why: "it gives this program no name" };
    Ok(Client {
        id: text("client_id").ok_or(missing)?.to_owned(),
        secret: text("client_secret").map(SecretString::from),
        in_header: text("token_endpoint_auth_method") == Some("client_secret_basic"),
    })
}

/// Exchanges what stands in the form for tokens.
pub(super) async fn tokens(
    remote: &Remote,
    place: &Url,
    client: &Client,
    form: &[(&str, &str)],
) -> Result<Tokens, OauthError> {
    let there = remote.beside(place)?;
    let mut encoded = form_urlencoded::Serializer::new(String::new());
    encoded.extend_pairs(form);
    let mut request = there.request(Method::POST);
    match &client.secret {
        Some(secret) if client.in_header => {
            let encode =
                |text: &str| form_urlencoded::byte_serialize(text.as_bytes()).collect::<String>();
            let pair = format!("{}:{}", encode(&client.id), encode(secret.expose_secret()));
            let value = HeaderValue::try_from(format!("Basic {}", STANDARD.encode(pair)));
            request = match value {
                Ok(mut value) => {
                    value.set_sensitive(true);
                    request.header(AUTHORIZATION, value)
                }
                Err(_) => request,
            };
        }
        Some(secret) => {
            encoded.append_pair("client_id", &client.id);
            encoded.append_pair("client_secret", secret.expose_secret());
        }
        None => drop(encoded.append_pair("client_id", &client.id)),
    }
    let request =
        request.header(CONTENT_TYPE, "application/x-www-form-urlencoded").body(encoded.finish());
    let (status, said) = ask(&there, request).await?;
    let said = answered(&there, status, said)?;
    let text = |key: &str| said.get(key).and_then(Value::as_str).filter(|text| fits(text));
    let odd = |why| OauthError::Odd { host: there.host().to_owned(), why };
    if !text("token_type").is_some_and(|kind| kind.eq_ignore_ascii_case("bearer")) {
        return Err(odd("its tokens are of an unknown kind"));
    }
    // What no header can carry is no token.
    let plain = |text: &&str| text.bytes().all(|byte| byte.is_ascii_graphic());
    let access = text("access_token").filter(plain).ok_or_else(|| odd("it gives no token"))?;
    Ok(Tokens {
        access: access.into(),
        refresh: text("refresh_token").map(SecretString::from),
        seconds: said.get("expires_in").and_then(seconds),
    })
}

/// Some issuers write numbers as text.
fn seconds(value: &Value) -> Option<u64> {
    value.as_u64().or_else(|| value.as_str()?.parse().ok())
}

fn fits(text: &str) -> bool {
    !text.is_empty() && text.len() <= MAX_TOKEN
}

/// Sends a request; its status, and its body if that is JSON.
pub(super) async fn ask(
    there: &Remote,
    request: RequestBuilder,
) -> Result<(u16, Option<Value>), OauthError> {
    let host = || there.host().to_owned();
    let answer = async {
        let mut response = there.send(request.header(ACCEPT, "application/json")).await?;
        let mut bytes = Vec::new();
        while let Some(piece) =
            response.chunk().await.map_err(|error| OauthError::from(there.broken(&error)))?
        {
            if piece.len() > BODY_CAP - bytes.len() {
                return Err(OauthError::TooLarge { host: host() });
            }
            bytes.extend_from_slice(&piece);
        }
        Ok((response.status().as_u16(), serde_json::from_slice(&bytes).ok()))
    };
    match tokio::time::timeout(PATIENCE, answer).await {
        Ok(answer) => answer,
        Err(_) => Err(OauthError::Timeout { host: host() }),
    }
}

/// The body of a success; what went wrong in the issuer's own words otherwise.
fn answered(there: &Remote, status: u16, said: Option<Value>) -> Result<Value, OauthError> {
    let text = |key: &str| said.as_ref().and_then(|said| said.get(key)).and_then(Value::as_str);
    if (200..300).contains(&status)
        && let Some(said) = &said
        && said.is_object()
    {
        return Ok(said.clone());
    }
    // The token that is renewed is good for nothing any more.
    if text("error") == Some("invalid_grant") {
        return Err(OauthError::Ended);
    }
    let words = text("error_description").or(text("error")).unwrap_or("it does not say why");
    let host = there.host().to_owned();
    Err(OauthError::Status { host, status, said: shown(words) })
}
