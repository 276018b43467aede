//! How commands that need a secret unlock the vault.

use super::{Descriptor, Result, env, secret_input};
use elophanto_app::{keys::Asking, vault::Entrance};
use elophanto_net::vault::Vault;

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

impl UnlockArgs {
    /// Takes over the descriptor of the passphrase. To be called before anything is opened.
    ///
    /// # Errors
    /// When there is no such descriptor.
    pub fn descriptor(&self) -> Result<Option<Descriptor>> {
        let variables = env::variables();
        let variable = variables.get(VARIABLE).filter(|text| !text.is_empty());
        match (&self.passphrase_fd, variable) {
            (Some(text), _) => Descriptor::named("--passphrase-fd", text).map(Some),
            (None, Some(text)) => Descriptor::named(VARIABLE, text).map(Some),
            (None, None) => Ok(None),
        }
    }

    /// The way into the vault, with the passphrase of a descriptor if there is one.
    ///
    /// # Errors
    /// When there is no place for a vault.
    pub fn entrance(&self, passphrase: Option<Descriptor>) -> Result<Entrance> {
        let passphrase = passphrase.map(Descriptor::into_passphrase);
        Entrance::new(&env::environment(), passphrase, self.remember, secret_input::ask_passphrase)
    }

    /// The vault, unlocked; `None` if there is none yet.
    ///
    /// # Errors
    /// When there is no place for a vault, it is refused, or nothing unlocks it.
    pub fn open(&self, asking: Asking) -> Result<Option<Vault>> {
        self.entrance(self.descriptor()?)?.open(asking)
    }
}
