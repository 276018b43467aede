//! Keys of providers: found where the settings say, and handed to the endpoint and nobody else.

use std::sync::{Mutex, PoisonError};

use secrecy::{ExposeSecret as _, SecretString};

use crate::{
    config::{KeyRef, Protocol, ProviderConfig},
    environment::Environment,
    reporter::Reporter,
};
use elophanto_net::{
    address::is_loopback,
    http::{Auth, Endpoint},
    vault::{Kind, Name, Vault},
};

/// Whether the user may be asked for the passphrase of the vault.
#[derive(Clone, Copy)]
pub enum Asking<'a> {
    /// Then a vault that is closed stays closed.
    Never,
    /// They are asked by it.
    Through(&'a dyn Reporter),
}

/// The key of a provider; `None` if it needs none, or has none and is on this machine. A variable
/// comes before the vault.
///
/// # Errors
/// When it needs one and none of the places named holds it, or the vault can't be opened.
pub fn find(
    site: &ProviderConfig,
    environment: &Environment,
    asking: Asking,
) -> Result<Option<SecretString>, String> {
    let variables = site.keys.iter().filter_map(|key| match key {
        KeyRef::Env(name) => Some(name.as_str()),
        KeyRef::Vault(name) => usual_variable(name),
    });
    if let Some(key) = variables.into_iter().find_map(|name| of_variable(name, environment)) {
        return Ok(Some(key));
    }
    if site.keys.is_empty() || (is_loopback(&site.base_url) && !site.key_explicit) {
        return Ok(None);
    }
    for key in &site.keys {
        if let KeyRef::Vault(name) = key
            && let Some(key) = from_vault(name, environment, asking)?
        {
            return Ok(Some(key));
        }
    }
    let places: Vec<String> = site.keys.iter().map(ToString::to_string).collect();
    Err(format!("there is no key in {}", places.join(" or ")))
}

/// A key by the name of its entry in the vault; a variable comes before that.
///
/// # Errors
/// When the vault can't be opened.
pub fn named(
    entry: &str,
    variable: &str,
    environment: &Environment,
    asking: Asking,
) -> Result<Option<SecretString>, String> {
    match of_variable(variable, environment) {
        Some(key) => Ok(Some(key)),
        None => from_vault(entry, environment, asking),
    }
}

/// A secret by the name of its entry in the vault, and from nowhere else; `None` if there is none.
///
/// # Errors
/// When the vault can't be opened.
pub fn secret(
    entry: &str,
    environment: &Environment,
    asking: Asking,
) -> Result<Option<SecretString>, String> {
    from_vault(entry, environment, asking)
}

/// A secret as it is now, in a vault that was opened here before: another process may have changed it.
/// Nobody is asked.
pub(crate) fn reread(entry: &str) -> Option<SecretString> {
    let name = entry.parse::<Name>().ok()?;
    with_opened(|vault| {
        let _ = vault.reread();
        vault.get(&name).map(|entry| entry.value)
    })?
}

/// Replaces a secret in a vault that was opened here before; whether it is kept.
pub fn keep(entry: &str, value: SecretString) -> bool {
    let Ok(name) = entry.parse::<Name>() else { return false };
    with_opened(|vault| vault.set(&name, Kind::OAuth, value).is_ok()).unwrap_or(false)
}

fn with_opened<T>(work: impl FnOnce(&mut Vault) -> T) -> Option<T> {
    let mut opened = OPENED.lock().unwrap_or_else(PoisonError::into_inner);
    opened.as_mut()?.vault.as_mut().ok()?.as_mut().map(work)
}

/// A variable that is empty holds no key.
fn of_variable(name: &str, environment: &Environment) -> Option<SecretString> {
    environment.secrets().variable(name).filter(|key| !key.expose_secret().is_empty())
}

/// Where requests go, and the key as the protocol wants to see it.
pub(crate) fn endpoint(site: &ProviderConfig, key: Option<SecretString>) -> Endpoint {
    let auth = match (key, site.protocol) {
        (None, _) => Auth::None,
        (Some(key), Protocol::Anthropic) => Auth::Header("x-api-key", key),
        (Some(key), Protocol::Openai | Protocol::Ollama) => Auth::Bearer(key),
    };
    Endpoint::new(site.base_url.clone(), auth)
}

/// The vault as it was last opened here. The descriptor of its passphrase can be read but once, and
/// nobody wants to be asked twice, however many keys are looked for.
static OPENED: Mutex<Option<Opened>> = Mutex::new(None);

struct Opened {
    /// Whether the user might have been asked.
    asked: bool,
    vault: Result<Option<Vault>, String>,
}

fn from_vault(
    name: &str,
    environment: &Environment,
    asking: Asking,
) -> Result<Option<SecretString>, String> {
    let Ok(name) = name.parse::<Name>() else { return Ok(None) };
    let may_ask = matches!(asking, Asking::Through(_));
    let mut opened = OPENED.lock().unwrap_or_else(PoisonError::into_inner);
    // A vault that stayed locked may open once the user is asked.
    let is_settled = |opened: &Opened| opened.vault.is_ok() || opened.asked || !may_ask;
    let opened = match opened.take().filter(is_settled) {
        Some(settled) => opened.insert(settled),
        None => {
            opened.insert(Opened { asked: may_ask, vault: environment.secrets().vault(asking) })
        }
    };
    match &mut opened.vault {
        Ok(vault) => Ok(vault.as_mut().and_then(|vault| vault.get(&name)).map(|entry| entry.value)),
        Err(cause) => Err(cause.clone()),
    }
}

/// The variable that holds the key of a well-known provider by custom.
fn usual_variable(entry: &str) -> Option<&'static str> {
    match entry {
        "openrouter" => Some("OPENROUTER_API_KEY"),
        "openai" => Some("OPENAI_API_KEY"),
        "anthropic" => Some("ANTHROPIC_API_KEY"),
        _ => None,
    }
}
