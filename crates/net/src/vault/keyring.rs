//! Where the data key may be kept between runs: the keyring of the operating system.
//!
//! Owns what is kept there and under which name. On Linux that is the kernel, on macOS the
//! keychain. The kernel forgets what was not asked for in some days, and everything when the
//! machine starts anew. Nothing depends on it: whoever gets no key here asks for the passphrase.

#[cfg_attr(target_os = "linux", path = "keyring/linux.rs")]
#[cfg_attr(target_os = "macos", path = "keyring/macos.rs")]
#[cfg_attr(not(any(target_os = "linux", target_os = "macos")), path = "keyring/none.rs")]
mod system;

use super::crypt::DataKey;
use super::format::VaultId;

/// The keyring can't be used.
#[derive(Debug, thiserror::Error)]
pub enum KeyringError {
    /// The system has none that outlives this run.
    #[error("this system has no keyring that can be used")]
    Absent,
    /// It refused, or what it holds is no key.
    #[error("the keyring of this system failed: {0}")]
    Failed(String),
}

/// A place that keeps keys.
pub trait Keyring {
    /// The key of this vault, if one is kept.
    ///
    /// # Errors
    /// [`KeyringError`] when the keyring can't be asked.
    fn load(&self, id: VaultId) -> Result<Option<DataKey>, KeyringError>;

    /// Keeps the key of this vault.
    ///
    /// # Errors
    /// [`KeyringError`] when it can't be kept.
    fn store(&self, id: VaultId, key: &DataKey) -> Result<(), KeyringError>;

    /// Forgets the key of this vault; `false` if none was kept.
    ///
    /// # Errors
    /// [`KeyringError`] when the keyring can't be asked.
    fn forget(&self, id: VaultId) -> Result<bool, KeyringError>;
}

/// The keyring of the operating system.
#[derive(Debug, Clone, Copy, Default)]
pub struct OsKeyring;

impl Keyring for OsKeyring {
    fn load(&self, id: VaultId) -> Result<Option<DataKey>, KeyringError> {
        let Some(bytes) = system::load(&name(id))? else { return Ok(None) };
        match DataKey::from_bytes(&bytes) {
            Some(key) => Ok(Some(key)),
            None => Err(KeyringError::Failed("what it holds is no key".to_owned())),
        }
    }

    fn store(&self, id: VaultId, key: &DataKey) -> Result<(), KeyringError> {
        system::store(&name(id), key.expose())
    }

    fn forget(&self, id: VaultId) -> Result<bool, KeyringError> {
        system::forget(&name(id))
    }
}

/// What the system calls the key.
fn name(id: VaultId) -> String {
    format!("elophanto-vault:{id}")
}

/// Keeps keys as long as it lives.
#[cfg(any(test, feature = "testutil"))]
#[derive(Debug, Default)]
pub struct MemoryKeyring(std::sync::Mutex<std::collections::BTreeMap<VaultId, DataKey>>);

#[cfg(any(test, feature = "testutil"))]
impl Keyring for MemoryKeyring {
    fn load(&self, id: VaultId) -> Result<Option<DataKey>, KeyringError> {
        Ok(self.0.lock().unwrap().get(&id).cloned())
    }

    fn store(&self, id: VaultId, key: &DataKey) -> Result<(), KeyringError> {
        self.0.lock().unwrap().insert(id, key.clone());
        Ok(())
    }

    fn forget(&self, id: VaultId) -> Result<bool, KeyringError> {
        Ok(self.0.lock().unwrap().remove(&id).is_some())
    }
}

#[cfg(test)]
mod tests {
    use std::io::Write as _;

    use super::super::crypt::random;
    use super::*;

    /// What holds of every keyring.
    fn keeps_keys(keyring: &dyn Keyring) {
        let (one, other) = (VaultId(random().unwrap()), VaultId(random().unwrap()));
        let (key, later) = (DataKey::random().unwrap(), DataKey::random().unwrap());
        let kept = |id| keyring.load(id).unwrap().map(|key| *key.expose());
        assert_eq!(kept(one), None);
        assert!(!keyring.forget(one).unwrap());
        keyring.store(one, &key).unwrap();
        assert_eq!(kept(one), Some(*key.expose()));
        assert_eq!(kept(other), None);
        keyring.store(one, &later).unwrap();
        assert_eq!(kept(one), Some(*later.expose()));
        assert!(keyring.forget(one).unwrap());
        assert_eq!(kept(one), None);
    }

    #[test]
    fn in_memory() {
        keeps_keys(&MemoryKeyring::default());
    }

    #[test]
    fn of_the_system() {
        let id = VaultId(random().unwrap());
        let tried = OsKeyring
            .store(id, &DataKey::random().unwrap())
            .and_then(|()| OsKeyring.load(id))
            .and_then(|_| OsKeyring.forget(id));
        match tried {
            Ok(_) => keeps_keys(&OsKeyring),
            // Past the test harness, which would swallow it.
            Err(cause) => {
                let _ = writeln!(std::io::stderr(), "skipped: no keyring here: {cause}");
            }
        }
    }
}
