//! Who signs people in for a server.

use reqwest::Method;
use serde_json::Value;
use url::Url;

use super::{Challenge, OauthError, exchange};
use crate::remote::Remote;

/// Characters of a scope.
const MAX_SCOPE: usize = 2_000;
/// Of a list of scopes these are asked for where the server does not say which it needs.
const MAX_SCOPES: usize = 50;

/// Somebody who signs people in.
pub(super) struct Issuer {
    pub name: String,
    pub authorize: Url,
    pub token: Url,
    pub register: Option<Url>,
    /// Its answers say whose they are.
    pub says_who: bool,
}

pub(super) struct Found {
    pub issuer: Issuer,
    /// What a token is to be for, as the server calls itself.
    pub resource: String,
    pub scope: Option<String>,
}

/// Asks the server, and whom it names.
pub(super) async fn discover(remote: &Remote, challenge: &Challenge) -> Result<Found, OauthError> {
    let server = remote.address();
    let resource = resource(remote, challenge).await?;
    let (name, issuer, scopes) = match &resource {
        Some(said) => {
            let first = said.get("authorization_servers").and_then(|all| all.get(0));
            let first = first
                .and_then(Value::as_str)
                .ok_or_else(|| not_said(remote, "it names nobody who signs people in"))?;
            let issuer = Url::parse(first).map_err(|_| odd(remote, "an address is none"))?;
            (first.to_owned(), issuer, said.get("scopes_supported"))
        }
        // Before there was a description of the server, it was its own issuer.
        None => {
            let mut origin = server.clone();
            origin.set_path("");
            origin.set_query(None);
            (origin.as_str().trim_end_matches('/').to_owned(), origin, None)
        }
    };
    let supported = |all: &Value| {
        let all = all.as_array()?.iter().take(MAX_SCOPES).filter_map(Value::as_str);
        Some(all.collect::<Vec<_>>().join(" "))
    };
    let scope = challenge.scope.clone().or_else(|| scopes.and_then(supported));
    let scope = scope.filter(|scope| !scope.trim().is_empty() && scope.len() <= MAX_SCOPE);
    let named = resource.as_ref().and_then(|said| said.get("resource")).and_then(Value::as_str);
    let called = named.map_or_else(|| server.to_string(), str::to_owned);
    Ok(Found { issuer: metadata(remote, &name, &issuer).await?, resource: called, scope })
}

/// What the server says of itself; `None` where it says nothing.
async fn resource(remote: &Remote, challenge: &Challenge) -> Result<Option<Value>, OauthError> {
    let server = remote.address();
    let places = match &challenge.metadata {
        Some(place) => {
            let place = Url::parse(place).map_err(|_| odd(remote, "an address is none"))?;
            if place.origin() != server.origin() {
                return Err(odd(remote, "it describes itself at another host"));
            }
            vec![place]
        }
        None => well_known(server, "oauth-protected-resource"),
    };
    for place in places {
        let Some(said) = fetched(remote, &place).await? else { continue };
        let named = said.get("resource").and_then(Value::as_str).unwrap_or_default();
        let named = Url::parse(named).map_err(|_| odd(remote, "it does not say what it is"))?;
        let below = |named: &str, path: &str| {
            let named = named.trim_end_matches('/');
            path.strip_prefix(named).is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
        };
        // A token for something else must not be had under its name.
        if named.origin() != server.origin() || !below(named.path(), server.path()) {
            return Err(odd(remote, "it describes another server"));
        }
        return Ok(Some(said));
    }
    match challenge.metadata {
        Some(_) => Err(not_said(remote, "what it points to is not there")),
        None => Ok(None),
    }
}

/// What an issuer says of itself.
async fn metadata(remote: &Remote, name: &str, issuer: &Url) -> Result<Issuer, OauthError> {
    let there = remote.beside(issuer)?;
    // Only what lies at its own path is its own.
    let own = |what| well_known(issuer, what).into_iter().take(1);
    let mut places: Vec<Url> = own("oauth-authorization-server").collect();
    if !issuer.path().trim_end_matches('/').is_empty() {
        places.extend(own("openid-configuration"));
    }
    let mut after = issuer.clone();
    after.set_query(None);
    after.set_path(&format!(
        "{}/.well-known/openid-configuration",
        issuer.path().trim_end_matches('/')
    ));
    places.push(after);
    for place in places {
        let Some(said) = fetched(&there, &place).await? else { continue };
        let text = |key: &str| said.get(key).and_then(Value::as_str);
        if !text("issuer").is_some_and(|found| is_same(found, name)) {
            return Err(odd(&there, "it calls itself something else"));
        }
        let has = |key: &str, wanted: &str| {
            let all = said.get(key).and_then(Value::as_array);
            all.is_some_and(|all| all.iter().any(|one| one.as_str() == Some(wanted)))
        };
        if !has("code_challenge_methods_supported", "S256") {
            return Err(odd(&there, "it does not protect codes (PKCE with S256)"));
        }
        // Where a person or a secret is sent must be as safe as the server itself.
        let endpoint = |key: &str| -> Result<Option<Url>, OauthError> {
            let Some(text) = text(key) else { return Ok(None) };
            let url = Url::parse(text).map_err(|_| odd(&there, "an address is none"))?;
            remote.beside(&url)?;
            Ok(Some(url))
        };
        let needed =
            |url: Option<Url>| url.ok_or_else(|| not_said(&there, "an address is missing"));
        return Ok(Issuer {
            name: name.to_owned(),
            authorize: needed(endpoint("authorization_endpoint")?)?,
            token: needed(endpoint("token_endpoint")?)?,
            register: endpoint("registration_endpoint")?,
            says_who: said.get("authorization_response_iss_parameter_supported")
                == Some(&Value::Bool(true)),
        });
    }
    Err(not_said(&there, "it has no description of itself"))
}

/// Whether two names of an issuer are one: a slash at the end is often forgotten.
pub(super) fn is_same(found: &str, named: &str) -> bool {
    found.trim_end_matches('/') == named.trim_end_matches('/')
}

/// Where a description lies: the one of just this path, then that of the whole host.
fn well_known(of: &Url, what: &str) -> Vec<Url> {
    let at = |path: &str| {
        let mut url = of.clone();
        url.set_query(None);
        url.set_fragment(None);
        url.set_path(&format!("/.well-known/{what}{path}"));
        url
    };
    match of.path().trim_end_matches('/') {
        "" => vec![at("")],
        path => vec![at(path), at("")],
    }
}

/// A description; `None` if there is none.
async fn fetched(remote: &Remote, place: &Url) -> Result<Option<Value>, OauthError> {
    let there = remote.beside(place)?;
    let (status, said) = exchange::ask(&there, there.request(Method::GET)).await?;
    match (status, said) {
        (200..=299, Some(said)) if said.is_object() => Ok(Some(said)),
        // Many servers answer what they do not know with a page.
        (200..=299 | 400..=499, _) => Ok(None),
        (status, _) => {
            let said = "no description".to_owned();
            Err(OauthError::Status { host: there.host().to_owned(), status, said })
        }
    }
}

fn odd(remote: &Remote, why: &'static str) -> OauthError {
    OauthError::Odd { host: remote.host().to_owned(), why }
}

fn not_said(remote: &Remote, why: &'static str) -> OauthError {
    OauthError::NotSaid { host: remote.host().to_owned(), why }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn where_descriptions_lie() {
        let check = |of: &str, expected: &[&str]| {
            let places = well_known(&Url::parse(of).unwrap(), "x");
            assert_eq!(places.iter().map(Url::as_str).collect::<Vec<_>>(), expected);
        };
        check("https://a.test", &["https://a.test/.well-known/x"]);
        check(
            "https://a.test/b/c?d#e",
            &["https://a.test/.well-known/x/b/c", "https://a.test/.well-known/x"],
        );
    }
}
