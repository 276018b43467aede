//! Secrets of the user, encrypted in one file of the user's own data folder.
//!
//! Owns the form of that file, its ciphers, how it is read and replaced, and where its key may be
//! kept between runs. Refuses to know where the data
//! folder is, how a passphrase is asked for, the environment, and what a secret is for.
//!
//! What it guards against: whoever gets hold of the file, in a backup or on a lost disk, and a file
//! that was damaged or made to do harm. What it cannot guard against: a program that runs as the
//! same user, and an older copy of the file put in place of the newer one.

mod crypt;
mod entries;
mod error;
mod file;
mod format;
mod keyring;
mod passphrase;
mod store;

pub use crypt::{Cost, DataKey};
pub use entries::{Entry, Kind, MAX_ENTRIES, MAX_NAME_CHARS, MAX_VALUE_BYTES, Name, check_value};
pub use error::{BadValue, Refusal, Result, VaultError};
pub use file::MAX_VAULT_BYTES;
pub use format::VaultId;
#[cfg(any(test, feature = "testutil"))]
pub use keyring::MemoryKeyring;
pub use keyring::{Keyring, KeyringError, OsKeyring};
pub use passphrase::{
    BadPassphrase, MAX_PASSPHRASE_BYTES, MIN_PASSPHRASE_CHARS, check_new, read_passphrase,
    read_value,
};
pub use store::{Unlock, Vault};

#[cfg(test)]
mod hostile_tests;
#[cfg(test)]
mod tests;
