//! The keychain of the user.

use keyring::{Entry, Error};
use zeroize::Zeroizing;

use super::KeyringError;

const SERVICE: &str = "elophanto";

/// What is kept under this name.
pub fn load(name: &str) -> Result<Option<Zeroizing<Vec<u8>>>, KeyringError> {
    match entry(name)?.get_secret() {
        Ok(bytes) => Ok(Some(Zeroizing::new(bytes))),
        Err(Error::NoEntry) => Ok(None),
        Err(cause) => Err(failed(&cause)),
    }
}

/// Keeps it under this name.
pub fn store(name: &str, bytes: &[u8]) -> Result<(), KeyringError> {
    entry(name)?.set_secret(bytes).map_err(|cause| failed(&cause))
}

/// Forgets what is kept under this name; `false` if nothing is.
pub fn forget(name: &str) -> Result<bool, KeyringError> {
    match entry(name)?.delete_credential() {
        Ok(()) => Ok(true),
        Err(Error::NoEntry) => Ok(false),
        Err(cause) => Err(failed(&cause)),
    }
}

fn entry(name: &str) -> Result<Entry, KeyringError> {
    Entry::new(SERVICE, name).map_err(|cause| failed(&cause))
}

fn failed(cause: &Error) -> KeyringError {
    KeyringError::Failed(match cause {
        Error::PlatformFailure(cause) | Error::NoStorageAccess(cause) => cause.to_string(),
        // Others may hold what was stored.
        _ => "it gave no reason".to_owned(),
    })
}
