//! What opens servers at addresses: keys that the user named, and what was granted when the user
//! signed in, which is renewed and kept in the vault.

use std::{
    collections::BTreeMap,
    sync::{Arc, Mutex},
};

use secrecy::{ExposeSecret as _, SecretString};
use url::Url;

use super::servers::{self, Kept};
use crate::{
    Environment,
    config::KeyRef,
    keys::{self, Asking},
};
use elophanto_agent::mcp_client::Credentials;
use elophanto_base::mutex::lock;
use elophanto_net::{
    http::block_on,
    oauth::{Grant, OauthError},
    remote::Remote,
};

/// The name under which the vault keeps what a server granted.
pub(crate) fn entry_name(server: &str) -> String {
    format!("mcp-{server}")
}

/// Credentials of the servers that have some, and why others have not what they should, by name. Only
/// for these the vault is opened.
pub fn of<'k>(
    servers: impl IntoIterator<Item = (&'k String, &'k Kept)>,
    environment: &Environment,
    asking: Asking,
) -> (BTreeMap<String, Arc<dyn Credentials>>, BTreeMap<String, String>) {
    let (mut all, mut problems) = (BTreeMap::new(), BTreeMap::new());
    for (name, kept) in servers {
        match one(name, kept, environment, asking) {
            Ok(Some(credentials)) => drop(all.insert(name.clone(), credentials)),
            Ok(None) => {}
            Err(why) => drop(problems.insert(name.clone(), format!("server `{name}`: {why}"))),
        }
    }
    (all, problems)
}

fn one(
    name: &str,
    kept: &Kept,
    environment: &Environment,
    asking: Asking,
) -> Result<Option<Arc<dyn Credentials>>, String> {
    let Some(url) = &kept.url else { return Ok(None) };
    if let Some(key) = &kept.key {
        let found = match KeyRef::read(key) {
            Some(KeyRef::Env(variable)) => environment.secrets().variable(&variable),
            Some(KeyRef::Vault(entry)) => keys::secret(&entry, environment, asking)?,
            None => None,
        };
        let found = found.map(|key| SecretString::from(key.expose_secret().trim()));
        let found = found.filter(|key| !key.expose_secret().is_empty());
        let key = found.ok_or_else(|| format!("there is no key in {key}"))?;
        return Ok(Some(Arc::new(Key(key))));
    }
    if !kept.signed_in {
        return Ok(None);
    }
    let (entry, url) = (entry_name(name), Url::parse(url).map_err(|cause| cause.to_string())?);
    let remote = Remote::new(&url, kept.realm()).map_err(|cause| cause.to_string())?;
    let secret = keys::secret(&entry, environment, asking)?;
    let Some(grant) = secret.and_then(|secret| Grant::read(&secret, remote.address())) else {
        return Ok(None);
    };
    let environment = environment.clone();
    Ok(Some(Arc::new(SignedIn { entry, remote, environment, grant: Mutex::new(Some(grant)) })))
}

/// A key that stays as it is.
struct Key(SecretString);

impl Credentials for Key {
    fn bearer(&self) -> Option<SecretString> {
        Some(self.0.clone())
    }

    fn renewed(&self, _: &SecretString) -> Option<SecretString> {
        None
    }
}

/// What a server granted; `None` once it grants nothing any more.
struct SignedIn {
    entry: String,
    remote: Remote,
    environment: Environment,
    grant: Mutex<Option<Grant>>,
}

impl Credentials for SignedIn {
    fn bearer(&self) -> Option<SecretString> {
        let mut grant = lock(&self.grant);
        if grant.as_ref()?.is_stale() {
            self.renew(&mut grant);
        }
        grant.as_ref().map(Grant::bearer)
    }

    fn renewed(&self, refused: &SecretString) -> Option<SecretString> {
        let mut grant = lock(&self.grant);
        let is_refused = |grant: &Grant| grant.bearer().expose_secret() == refused.expose_secret();
        if grant.as_ref().is_some_and(is_refused) {
            self.renew(&mut grant);
        }
        grant.as_ref().filter(|grant| !is_refused(grant)).map(Grant::bearer)
    }
}

impl SignedIn {
    /// Renews the grant, unless another process just did: many issuers take each refresh token but
    /// once. What cannot be kept is good for this process all the same.
    fn renew(&self, grant: &mut Option<Grant>) {
        let renew = || {
            let Some(now) = grant.as_ref() else { return };
            let kept = keys::reread(&self.entry);
            let kept = kept.and_then(|secret| Grant::read(&secret, self.remote.address()));
            let is_other =
                |kept: &Grant| kept.bearer().expose_secret() != now.bearer().expose_secret();
            if let Some(kept) = kept.filter(|kept| is_other(kept) && !kept.is_stale()) {
                *grant = Some(kept);
                return;
            }
            match block_on(now.renewed(&self.remote)) {
                Ok(renewed) => {
                    let _ = keys::keep(&self.entry, renewed.to_secret());
                    *grant = Some(renewed);
                }
                Err(OauthError::Ended) => *grant = None,
                // Perhaps the next time.
                Err(_) => {}
            }
        };
        let _ = servers::alone(&self.environment, renew);
    }
}
