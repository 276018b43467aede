//! The user's vault: unlocking it by the keyring, by a passphrase that is handed over or by asking,
//! and what makes, fills and renews it.

use std::path::{Path, PathBuf};

use secrecy::{ExposeSecret as _, SecretString};

use crate::{Error, Result, environment::Environment, keys::Asking, reporter::Reporter};
use elophanto_net::vault::{
    BadPassphrase, Cost, Keyring, Kind, Name, OsKeyring, Unlock, Vault, VaultError, VaultId,
    check_new, check_value,
};

/// Where a secret comes from that is handed over.
pub type Source = Box<dyn FnOnce() -> Result<SecretString>>;
/// Shows the user a prompt and lets them type a passphrase.
pub type Ask = fn(&str) -> Result<SecretString>;

/// The way into the vault.
pub struct Entrance {
    path: PathBuf,
    passphrase: Option<Source>,
    remember: bool,
    cost: Cost,
    keyring: Box<dyn Keyring>,
    ask: Ask,
}

impl Entrance {
    /// Finds the vault. The user is asked for its passphrase unless that is handed over; with
    /// `remember`, the keyring of this system keeps the key.
    ///
    /// # Errors
    /// When there is no place for a vault.
    pub fn new(
        environment: &Environment,
        passphrase: Option<Source>,
        remember: bool,
        ask: Ask,
    ) -> Result<Self> {
        let (path, keyring) = (vault_path(environment)?, Box::new(OsKeyring));
        Ok(Self { path, passphrase, remember, cost: Cost::DEFAULT, keyring, ask })
    }

    /// The vault, unlocked; `None` if there is none yet.
    ///
    /// # Errors
    /// When it is refused, or nothing unlocks it.
    pub fn open(&mut self, asking: Asking) -> Result<Option<Vault>> {
        if !Vault::exists(&self.path) {
            return Ok(None);
        }
        // What is refused unopened is refused before anybody is asked.
        let id = Vault::id(&self.path)?;
        if let Some(vault) = self.open_remembered(id) {
            return Ok(Some(vault));
        }
        let passphrase = match (self.passphrase.take(), asking) {
            (Some(given), _) => given()?,
            (None, Asking::Through(_)) => (self.ask)("Passphrase of the vault: ")?,
            (None, Asking::Never) => {
                return Err(Error::new("the vault is locked")
                    .hint("let the keyring keep its key: `elophanto vault list --remember`"));
            }
        };
        let vault = Vault::open(&self.path, &Unlock::Passphrase(passphrase))?;
        if let Asking::Through(reporter) = asking {
            self.keep(&vault, reporter);
        }
        Ok(Some(vault))
    }

    /// A keyring that fails is as good as none; one that holds another key as well.
    fn open_remembered(&self, id: VaultId) -> Option<Vault> {
        let key = self.keyring.load(id).ok()??;
        Vault::open(&self.path, &Unlock::DataKey(key)).ok()
    }

    /// Keeps a secret under a name; the first one makes the vault. Says whether the name held
    /// another before.
    ///
    /// # Errors
    /// When the vault can't be opened, made or written, or the value can't be kept.
    pub fn set(
        &mut self,
        name: &Name,
        kind: Kind,
        value: impl FnOnce() -> Result<SecretString>,
        reporter: &dyn Reporter,
    ) -> Result<bool> {
        // Nobody types a value before the way in is open.
        let vault = match self.open(Asking::Through(reporter))? {
            Some(vault) => Ok(vault),
            None => {
                let given = self.passphrase.take();
                Err(self.choose(given)?)
            }
        };
        let value = value()?;
        // A value that can't be kept is no reason to make a vault.
        check_value(&value).map_err(VaultError::from)?;
        let mut vault = vault.or_else(|passphrase| self.create(passphrase, reporter))?;
        Ok(vault.set(name, kind, value)?)
    }

    /// A new passphrase: handed over, or asked for twice.
    fn choose(&self, given: Option<Source>) -> Result<SecretString> {
        if let Some(given) = given {
            let passphrase = given()?;
            check_new(&passphrase)?;
            return Ok(passphrase);
        }
        let passphrase = (self.ask)("New passphrase of the vault: ")?;
        check_new(&passphrase)?;
        let again = (self.ask)("The same again: ")?;
        if passphrase.expose_secret() != again.expose_secret() {
            return Err(BadPassphrase::Differ.into());
        }
        Ok(passphrase)
    }

    /// Makes the vault; if somebody else just did, opens that.
    fn create(&self, passphrase: SecretString, reporter: &dyn Reporter) -> Result<Vault> {
        let vault = match Vault::create(&self.path, &passphrase, self.cost) {
            Err(VaultError::Exists { .. }) => {
                Vault::open(&self.path, &Unlock::Passphrase(passphrase))?
            }
            other => other?,
        };
        self.keep(&vault, reporter);
        Ok(vault)
    }

    /// Gives the vault a new key, and a new passphrase, handed over or asked for; says how many
    /// secrets it holds. The keyring gets the new key if it had the old one.
    ///
    /// # Errors
    /// When there is no vault, or it can't be opened or written.
    pub fn rotate(&mut self, passphrase: Option<Source>, reporter: &dyn Reporter) -> Result<usize> {
        let Some(mut vault) = self.open(Asking::Through(reporter))? else {
            return Err(VaultError::Missing { path: self.path.clone() }.into());
        };
        let old = vault.key_id();
        vault.rotate(&self.choose(passphrase)?, self.cost)?;
        self.remember |= self.keyring.forget(old).unwrap_or(false);
        self.keep(&vault, reporter);
        Ok(vault.entries().count())
    }

    fn keep(&self, vault: &Vault, reporter: &dyn Reporter) {
        if self.remember
            && let Err(cause) = self.keyring.store(vault.key_id(), vault.data_key())
        {
            reporter.warn(format_args!("the key is not remembered: {cause}"));
        }
    }
}

/// Has the keyring forget the key of the vault; `false` if it had none.
///
/// # Errors
/// When the vault is refused, or the keyring fails.
pub fn lock(environment: &Environment) -> Result<bool> {
    lock_at(&vault_path(environment)?, &OsKeyring)
}

fn lock_at(path: &Path, keyring: &dyn Keyring) -> Result<bool> {
    if Vault::exists(path) { Ok(keyring.forget(Vault::id(path)?)?) } else { Ok(false) }
}

/// The vault of the user.
fn vault_path(environment: &Environment) -> Result<PathBuf> {
    let data = environment.data_folder().ok_or_else(|| {
        Error::new("no folder for the vault: neither XDG_DATA_HOME nor HOME is an absolute path")
            .hint("set HOME to your home folder")
    })?;
    Ok(data.join("vault"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::reporter::Silent;
    use elophanto_net::vault::MemoryKeyring;

    const GOOD: &str = "hold hands";

    fn good(_: &str) -> Result<SecretString> {
        Ok(GOOD.into())
    }

    fn wrong(_: &str) -> Result<SecretString> {
        Ok("hold paws".into())
    }

    fn nobody(_: &str) -> Result<SecretString> {
        Err(Error::new("nobody to ask"))
    }

    fn twice(prompt: &str) -> Result<SecretString> {
        Ok(prompt.into())
    }

    fn entrance(folder: &tempfile::TempDir) -> Entrance {
        let path = folder.path().join("elophanto/vault");
        if !path.exists() {
            Vault::create(&path, &GOOD.into(), Cost::LEAST).unwrap();
        }
        let keyring = Box::new(MemoryKeyring::default());
        let cost = Cost::LEAST;
        Entrance { path, passphrase: None, remember: false, cost, keyring, ask: nobody }
    }

    fn open(entrance: &mut Entrance) -> Result<Option<Vault>> {
        entrance.open(Asking::Through(&Silent))
    }

    fn words(words: &'static str) -> Option<Source> {
        Some(Box::new(move || Ok(words.into())))
    }

    fn lock(entrance: &Entrance) -> bool {
        lock_at(&entrance.path, &*entrance.keyring).unwrap()
    }

    #[test]
    fn the_keyring_comes_first_if_it_was_told() {
        let folder = tempfile::tempdir().unwrap();
        let mut entrance = entrance(&folder);
        assert_eq!(open(&mut entrance).unwrap_err().message(), "nobody to ask");
        entrance.ask = good;
        assert!(open(&mut entrance).unwrap().is_some());
        entrance.ask = nobody;
        assert!(open(&mut entrance).is_err(), "nothing is remembered unasked");
        (entrance.ask, entrance.remember) = (good, true);
        assert!(open(&mut entrance).unwrap().is_some());
        entrance.ask = nobody;
        assert!(open(&mut entrance).unwrap().is_some());
        assert!(lock(&entrance));
        assert!(!lock(&entrance));
        assert!(open(&mut entrance).is_err());
        entrance.ask = wrong;
        let error = open(&mut entrance).unwrap_err();
        assert!(error.message().ends_with("the passphrase is wrong"), "{}", error.message());
    }

    #[test]
    fn rotating_keeps_the_keyring_up_to_date() {
        let folder = tempfile::tempdir().unwrap();
        let mut entrance = entrance(&folder);
        (entrance.ask, entrance.remember) = (good, true);
        let value = || Ok("value".into());
        entrance.set(&"a".parse().unwrap(), Kind::Password, value, &Silent).unwrap();
        entrance.remember = false;
        let old = Vault::id(&entrance.path).unwrap();
        entrance.rotate(words("other words"), &Silent).unwrap();
        entrance.ask = nobody;
        assert!(entrance.keyring.load(old).unwrap().is_none());
        assert_eq!(open(&mut entrance).unwrap().unwrap().entries().count(), 1);
        // What was never remembered isn't by this.
        assert!(lock(&entrance));
        (entrance.remember, entrance.passphrase) = (false, words("other words"));
        entrance.rotate(words("third words"), &Silent).unwrap();
        assert!(!lock(&entrance));
    }

    #[test]
    fn a_keyring_with_another_key_is_as_good_as_none() {
        let folder = tempfile::tempdir().unwrap();
        let mut entrance = entrance(&folder);
        let other = Vault::create(&folder.path().join("x/v"), &GOOD.into(), Cost::LEAST).unwrap();
        let id = Vault::id(&entrance.path).unwrap();
        entrance.keyring.store(id, other.data_key()).unwrap();
        entrance.ask = good;
        assert!(open(&mut entrance).unwrap().is_some());
    }

    #[test]
    fn new_passphrases_are_typed_twice() {
        let folder = tempfile::tempdir().unwrap();
        let mut entrance = entrance(&folder);
        entrance.ask = good;
        assert_eq!(entrance.choose(None).unwrap().expose_secret(), GOOD);
        entrance.ask = twice;
        let error = entrance.choose(None).unwrap_err();
        assert_eq!(error.message(), "the two passphrases differ");
        entrance.ask = |_| Ok("short".into());
        assert!(entrance.choose(None).unwrap_err().message().contains("8 characters"));
    }
}
