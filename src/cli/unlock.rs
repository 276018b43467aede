//! Unlocking the vault, for every command that needs a secret: by the keyring, by a descriptor, or
//! by asking.

use std::path::{Path, PathBuf};

use secrecy::{ExposeSecret as _, SecretString};

use super::{
    env,
    error::CliError,
    secret_input::{self, Descriptor},
};
use elophanto_app::Reporter;
use elophanto_net::vault::{
    BadPassphrase, Cost, Keyring, OsKeyring, Unlock, Vault, VaultError, VaultId, check_new,
};

/// Names the descriptor of the passphrase where no argument does.
const VARIABLE: &str = "ELOPHANTO_VAULT_FD";

/// How the vault is unlocked, for commands that need it
#[derive(clap::Args, Debug, Default)]
pub struct UnlockArgs {
    /// Read the passphrase from descriptor N: its first line. The variable ELOPHANTO_VAULT_FD may
    /// name it as well
    #[arg(long, value_name = "N")]
    passphrase_fd: Option<String>,
    /// Let the keyring of this system keep the key, so that nobody is asked again. On Linux it
    /// forgets after some days without use, and when the machine starts anew
    #[arg(long)]
    remember: bool,
}

/// The way into the vault.
pub struct Entrance {
    path: PathBuf,
    passphrase: Option<Descriptor>,
    remember: bool,
    cost: Cost,
    keyring: Box<dyn Keyring>,
    ask: fn(&str) -> Result<SecretString, CliError>,
}

impl UnlockArgs {
    /// Finds the vault and takes over the descriptor. To be called before anything is opened.
    ///
    /// # Errors
    /// When there is no place for a vault, or no such descriptor.
    pub fn entrance(&self) -> Result<Entrance, CliError> {
        let variables = env::variables();
        let variable = variables.get(VARIABLE).filter(|text| !text.is_empty());
        let passphrase = match (&self.passphrase_fd, variable) {
            (Some(text), _) => Some(Descriptor::named("--passphrase-fd", text)?),
            (None, Some(text)) => Some(Descriptor::named(VARIABLE, text)?),
            (None, None) => None,
        };
        Ok(Entrance {
            path: vault_path()?,
            passphrase,
            remember: self.remember,
            cost: Cost::DEFAULT,
            keyring: Box::new(OsKeyring),
            ask: secret_input::ask_passphrase,
        })
    }
}

impl Entrance {
    /// Where the vault is, or would be.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Whether the passphrase is read from standard input, which then holds nothing else.
    pub fn uses_stdin(&self) -> bool {
        self.passphrase.as_ref().is_some_and(Descriptor::is_stdin)
    }

    /// The vault, unlocked; `None` if there is none yet.
    ///
    /// # Errors
    /// When it is refused, or nothing unlocks it.
    pub fn open(&mut self, reporter: &dyn Reporter) -> Result<Option<Vault>, CliError> {
        if !Vault::exists(&self.path) {
            return Ok(None);
        }
        // What is refused unopened is refused before anybody is asked.
        let id = Vault::id(&self.path)?;
        if let Some(vault) = self.open_remembered(id) {
            return Ok(Some(vault));
        }
        let passphrase = match self.passphrase.take() {
            Some(descriptor) => descriptor.passphrase()?,
            None => (self.ask)("Passphrase of the vault: ")?,
        };
        let vault = Vault::open(&self.path, &Unlock::Passphrase(passphrase))?;
        self.keep(&vault, reporter);
        Ok(Some(vault))
    }

    /// The vault, if the keyring or the descriptor opens it: nobody is asked.
    ///
    /// # Errors
    /// When it is refused, or only a passphrase that nobody is asked for would open it.
    pub fn open_unasked(&mut self) -> Result<Option<Vault>, CliError> {
        if !Vault::exists(&self.path) {
            return Ok(None);
        }
        let id = Vault::id(&self.path)?;
        if let Some(vault) = self.open_remembered(id) {
            return Ok(Some(vault));
        }
        match self.passphrase.take() {
            Some(descriptor) => {
                let passphrase = descriptor.passphrase()?;
                Ok(Some(Vault::open(&self.path, &Unlock::Passphrase(passphrase))?))
            }
            None => Err(CliError::new("the vault is locked")
                .hint("let the keyring keep its key: `elophanto vault list --remember`")),
        }
    }

    /// A keyring that fails is as good as none; one that holds another key as well.
    fn open_remembered(&self, id: VaultId) -> Option<Vault> {
        let key = self.keyring.load(id).ok()??;
        Vault::open(&self.path, &Unlock::DataKey(key)).ok()
    }

    /// A passphrase for a new vault: from the descriptor, or asked for twice.
    ///
    /// # Errors
    /// When there is none, or it is none to be used.
    pub fn new_passphrase(&mut self) -> Result<SecretString, CliError> {
        let descriptor = self.passphrase.take();
        self.choose(descriptor)
    }

    /// A passphrase from this descriptor, or asked for twice.
    ///
    /// # Errors
    /// When there is none, or it is none to be used.
    pub fn choose(&self, descriptor: Option<Descriptor>) -> Result<SecretString, CliError> {
        if let Some(descriptor) = descriptor {
            let passphrase = descriptor.passphrase()?;
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
    ///
    /// # Errors
    /// When it can't be written, or the other one has another passphrase.
    pub fn create(
        &self,
        passphrase: SecretString,
        reporter: &dyn Reporter,
    ) -> Result<Vault, CliError> {
        let vault = match Vault::create(&self.path, &passphrase, self.cost) {
            Err(VaultError::Exists { .. }) => {
                Vault::open(&self.path, &Unlock::Passphrase(passphrase))?
            }
            other => other?,
        };
        self.keep(&vault, reporter);
        Ok(vault)
    }

    /// Gives the vault a new key and passphrase. The keyring gets the new key if it had the old
    /// one.
    ///
    /// # Errors
    /// When it can't be written.
    pub fn rotate(
        &mut self,
        vault: &mut Vault,
        passphrase: &SecretString,
        reporter: &dyn Reporter,
    ) -> Result<(), CliError> {
        let old = vault.key_id();
        vault.rotate(passphrase, self.cost)?;
        self.remember |= self.keyring.forget(old).unwrap_or(false);
        self.keep(vault, reporter);
        Ok(())
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
pub fn lock() -> Result<bool, CliError> {
    lock_at(&vault_path()?, &OsKeyring)
}

fn lock_at(path: &Path, keyring: &dyn Keyring) -> Result<bool, CliError> {
    if Vault::exists(path) { Ok(keyring.forget(Vault::id(path)?)?) } else { Ok(false) }
}

/// The vault of the user.
fn vault_path() -> Result<PathBuf, CliError> {
    let data = env::environment().data_folder().ok_or_else(|| {
        CliError::new("no folder for the vault: neither XDG_DATA_HOME nor HOME is an absolute path")
            .hint("set HOME to your home folder")
    })?;
    Ok(data.join("vault"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use elophanto_app::reporter::Silent;
    use elophanto_net::vault::{Kind, MemoryKeyring};

    const GOOD: &str = "hold hands";

    fn good(_: &str) -> Result<SecretString, CliError> {
        Ok(GOOD.into())
    }

    fn wrong(_: &str) -> Result<SecretString, CliError> {
        Ok("hold paws".into())
    }

    fn nobody(_: &str) -> Result<SecretString, CliError> {
        Err(CliError::new("nobody to ask"))
    }

    fn twice(prompt: &str) -> Result<SecretString, CliError> {
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

    fn lock(entrance: &Entrance) -> bool {
        lock_at(&entrance.path, &*entrance.keyring).unwrap()
    }

    #[test]
    fn the_keyring_comes_first_if_it_was_told() {
        let folder = tempfile::tempdir().unwrap();
        let mut entrance = entrance(&folder);
        assert_eq!(entrance.open(&Silent).unwrap_err().message(), "nobody to ask");
        entrance.ask = good;
        assert!(entrance.open(&Silent).unwrap().is_some());
        entrance.ask = nobody;
        assert!(entrance.open(&Silent).is_err(), "nothing is remembered unasked");
        (entrance.ask, entrance.remember) = (good, true);
        assert!(entrance.open(&Silent).unwrap().is_some());
        entrance.ask = nobody;
        assert!(entrance.open(&Silent).unwrap().is_some());
        assert!(lock(&entrance));
        assert!(!lock(&entrance));
        assert!(entrance.open(&Silent).is_err());
        entrance.ask = wrong;
        let error = entrance.open(&Silent).unwrap_err();
        assert!(error.message().ends_with("the passphrase is wrong"), "{}", error.message());
    }

    #[test]
    fn rotating_keeps_the_keyring_up_to_date() {
        let folder = tempfile::tempdir().unwrap();
        let mut entrance = entrance(&folder);
        (entrance.ask, entrance.remember) = (good, true);
        let mut vault = entrance.open(&Silent).unwrap().unwrap();
        vault.set(&"a".parse().unwrap(), Kind::Password, "value".into()).unwrap();
        entrance.remember = false;
        let old = vault.key_id();
        entrance.rotate(&mut vault, &"other words".into(), &Silent).unwrap();
        entrance.ask = nobody;
        assert!(entrance.keyring.load(old).unwrap().is_none());
        assert_eq!(entrance.open(&Silent).unwrap().unwrap().entries().count(), 1);
        // What was never remembered isn't by this.
        assert!(lock(&entrance));
        entrance.remember = false;
        entrance.rotate(&mut vault, &"third words".into(), &Silent).unwrap();
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
        assert!(entrance.open(&Silent).unwrap().is_some());
    }

    #[test]
    fn new_passphrases_are_typed_twice() {
        let folder = tempfile::tempdir().unwrap();
        let mut entrance = entrance(&folder);
        entrance.ask = good;
        assert_eq!(entrance.new_passphrase().unwrap().expose_secret(), GOOD);
        entrance.ask = twice;
        let error = entrance.new_passphrase().unwrap_err();
        assert_eq!(error.message(), "the two passphrases differ");
        entrance.ask = |_| Ok("short".into());
        assert!(entrance.new_passphrase().unwrap_err().message().contains("8 characters"));
    }
}
