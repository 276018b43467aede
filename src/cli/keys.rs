//! Keys of providers: found where the settings say, and handed to the endpoint and nobody else.

use secrecy::SecretString;

use super::{env, ui::Ui, unlock::UnlockArgs};
use crate::{
    config::{KeyRef, Protocol, ProviderConfig},
    http::{Auth, Endpoint},
    llm::is_loopback,
    vault::Name,
};

/// Whether the user may be asked for the passphrase of the vault.
#[derive(Clone, Copy)]
pub enum Asking<'a> {
    Never,
    Through(&'a Ui),
}

/// The key of a provider; `None` if it needs none, or has none and is on this machine. A variable
/// comes before the vault.
///
/// # Errors
/// When it needs one and none of the places named holds it, or the vault can't be opened.
pub fn find(site: &ProviderConfig, asking: Asking) -> Result<Option<SecretString>, String> {
    let variables = site.keys.iter().filter_map(|key| match key {
        KeyRef::Env(name) => Some(name.as_str()),
        KeyRef::Vault(name) => usual_variable(name),
    });
    if let Some(key) = variables.into_iter().find_map(env::secret) {
        return Ok(Some(key));
    }
    if site.keys.is_empty() || (is_loopback(&site.base_url) && !site.key_explicit) {
        return Ok(None);
    }
    for key in &site.keys {
        if let KeyRef::Vault(name) = key
            && let Some(key) = from_vault(name, asking)?
        {
            return Ok(Some(key));
        }
    }
    let places: Vec<String> = site.keys.iter().map(ToString::to_string).collect();
    Err(format!("there is no key in {}", places.join(" or ")))
}

/// Where requests go, and the key as the protocol wants to see it.
pub fn endpoint(site: &ProviderConfig, key: Option<SecretString>) -> Endpoint {
    let auth = match (key, site.protocol) {
        (None, _) => Auth::None,
        (Some(key), Protocol::Anthropic) => Auth::Header("x-api-key", key),
        (Some(key), Protocol::Openai | Protocol::Ollama) => Auth::Bearer(key),
    };
    Endpoint::new(site.base_url.clone(), auth)
}

fn from_vault(name: &str, asking: Asking) -> Result<Option<SecretString>, String> {
    let Ok(name) = name.parse::<Name>() else { return Ok(None) };
    let told = |cause: super::error::CliError| cause.message().to_owned();
    let mut entrance = UnlockArgs::default().entrance().map_err(told)?;
    let vault = match asking {
        Asking::Never => entrance.open_unasked(),
        Asking::Through(ui) => entrance.open(ui),
    };
    let entry = vault.map_err(told)?.and_then(|mut vault| vault.get(&name));
    Ok(entry.map(|entry| entry.value))
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
