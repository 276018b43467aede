//! The kernel's persistent keyring of the user. It needs no session, no desktop and no service, so
//! that it also works for jobs and in containers that allow the call.

use linux_keyutils::{Key, KeyError, KeyRing, KeyRingIdentifier};
use zeroize::Zeroizing;

use super::KeyringError;

/// What is kept under this name.
pub fn load(name: &str) -> Result<Option<Zeroizing<Vec<u8>>>, KeyringError> {
    let Some(key) = find(name)? else { return Ok(None) };
    key.read_to_vec().map(|bytes| Some(Zeroizing::new(bytes))).map_err(failed)
}

/// Keeps it under this name.
pub fn store(name: &str, bytes: &[u8]) -> Result<(), KeyringError> {
    persistent()?.add_key(name, bytes).map(drop).map_err(failed)
}

/// Forgets what is kept under this name; `false` if nothing is.
pub fn forget(name: &str) -> Result<bool, KeyringError> {
    let Some(key) = find(name)? else { return Ok(false) };
    // No other keyring holds it: the kernel then drops it, and what it holds.
    persistent()?.unlink_key(key).map(|()| true).map_err(failed)
}

fn find(name: &str) -> Result<Option<Key>, KeyringError> {
    match persistent()?.search(name) {
        Ok(key) => Ok(Some(key)),
        Err(cause) if is_gone(&cause) => Ok(None),
        Err(cause) => Err(failed(cause)),
    }
}

/// The keyring of the user, linked to this process: only who holds a keyring may read its keys.
fn persistent() -> Result<KeyRing, KeyringError> {
    KeyRing::get_persistent(KeyRingIdentifier::Process).map_err(|cause| match cause {
        KeyError::OperationNotSupported => KeyringError::Absent,
        cause => failed(cause),
    })
}

fn is_gone(cause: &KeyError) -> bool {
    matches!(cause, KeyError::KeyDoesNotExist | KeyError::KeyRevoked | KeyError::KeyExpired)
}

fn failed(cause: KeyError) -> KeyringError {
    KeyringError::Failed(cause.to_string())
}
