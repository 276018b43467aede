//! No keyring.

use zeroize::Zeroizing;

use super::KeyringError;

/// Nothing is kept.
pub fn load(_: &str) -> Result<Option<Zeroizing<Vec<u8>>>, KeyringError> {
    Err(KeyringError::Absent)
}

/// Nothing can be kept.
pub fn store(_: &str, _: &[u8]) -> Result<(), KeyringError> {
    Err(KeyringError::Absent)
}

/// Nothing is kept.
pub fn forget(_: &str) -> Result<bool, KeyringError> {
    Err(KeyringError::Absent)
}
