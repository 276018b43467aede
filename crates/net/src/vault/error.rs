//! What can go wrong with the vault. No error holds a value, a passphrase or a key.

use std::io;
use std::path::PathBuf;

use super::crypt::{Cost, MAX_LANES, MAX_MEMORY_KIB, MAX_WORK_KIB};
use super::entries::{MAX_ENTRIES, MAX_NAME_CHARS, MAX_VALUE_BYTES};

/// What the vault is asked for.
pub type Result<T, E = VaultError> = std::result::Result<T, E>;

/// The vault can't be used.
#[derive(Debug, thiserror::Error)]
pub enum VaultError {
    /// There is none.
    #[error("no vault at `{}`", path.display())]
    Missing { path: PathBuf },
    /// There is one, or something else is in its place.
    #[error("`{}` exists already", path.display())]
    Exists { path: PathBuf },
    /// Somebody could have it point elsewhere.
    #[error("`{}` is a link", path.display())]
    Link { path: PathBuf },
    /// A folder, a pipe or a device.
    #[error("`{}` is not a regular file", path.display())]
    NoFile { path: PathBuf },
    /// Somebody else may have copied it, or may write it.
    #[error("`{}` may be read or written by others than its owner (mode {mode:03o})", path.display())]
    Exposed { path: PathBuf, mode: u32 },
    /// Somebody else could put another file in its place.
    #[error("the folder `{}` may be written by others than its owner", path.display())]
    SharedFolder { path: PathBuf },
    /// Replacing the file would take it away from its owner.
    #[error("the folder `{}` belongs to another user", path.display())]
    Foreign { path: PathBuf },
    /// More than any user keeps.
    #[error("`{}` is larger than {cap} bytes", path.display())]
    TooLarge { path: PathBuf, cap: u64 },
    /// Its content is refused.
    #[error("`{}` {why}", path.display())]
    Refused { path: PathBuf, why: Refusal },
    /// Somebody gave it another passphrase while it was open here.
    #[error("`{}` got a new key since it was opened", path.display())]
    Rekeyed { path: PathBuf },
    /// What was given as a name. It is not repeated: it may be the secret itself.
    #[error("a name has 1 to {MAX_NAME_CHARS} of the characters A-Z, a-z, 0-9, `.`, `_` and `-`")]
    Name,
    /// What was given to keep.
    #[error(transparent)]
    Value(#[from] BadValue),
    /// One more would be too many.
    #[error(
        "the vault is full: it holds {MAX_ENTRIES} entries or {} bytes",
        super::MAX_VAULT_BYTES
    )]
    Full,
    /// The system gave no random numbers, or less memory than the key takes.
    #[error("the key cannot be computed: {0}")]
    Resources(String),
    /// It can't be read.
    #[error("cannot read `{}`: {source}", path.display())]
    Read { path: PathBuf, source: io::Error },
    /// It can't be written.
    #[error("cannot write `{}`: {source}", path.display())]
    Write { path: PathBuf, source: io::Error },
}

/// Why the content of a vault is refused. Nothing of it has been decrypted then.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum Refusal {
    /// Other content.
    #[error("is not a vault")]
    NotAVault,
    /// Of a later version.
    #[error("was written by a newer version of this program (its format is {0})")]
    Newer(u32),
    /// Cut short, or changed by anything but this program.
    #[error("is damaged or cut short")]
    Damaged,
    /// Made to exhaust the machine.
    #[error(
        "asks for {} MiB and {} passes on {} lanes to compute its key, more than is granted ({} \
         MiB, {} MiB over all passes, {MAX_LANES} lanes)",
        .0.memory_kib / 1024, .0.passes, .0.lanes, MAX_MEMORY_KIB / 1024, MAX_WORK_KIB / 1024
    )]
    Costly(Cost),
    /// It does not open the vault.
    #[error("was not opened: the passphrase is wrong")]
    WrongPassphrase,
    /// It does not open the vault.
    #[error("was not opened: the key that was kept for it is of another vault")]
    WrongKey,
}

/// What can't be kept in a vault.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum BadValue {
    #[error("the value is empty")]
    Empty,
    #[error("the value is longer than {MAX_VALUE_BYTES} bytes")]
    TooLong,
    #[error("the value holds a NUL character")]
    Nul,
    #[error("the value is not UTF-8")]
    NotUtf8,
}
