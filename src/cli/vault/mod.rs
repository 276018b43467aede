//! `elophanto vault`

mod entries;
mod renew;
mod set;

use super::{DoneJson, NoArgs, OneJson, commands};

commands! {
    /// Keep API keys and other secrets, encrypted, out of every repository
    ///
    /// The vault is one file in your own data folder. Its passphrase is asked for at the terminal, or
    /// read from a descriptor; neither it nor a secret is ever taken from an argument or a variable,
    /// where other programs could read it. Whoever loses the passphrase loses the secrets.
    ///
    /// Wherever the settings want a key, write `vault:NAME`.
    struct VaultArgs(args, ui);
    Set(DoneJson<set::SetArgs>) => set::run(args, ui);
    Get(OneJson<entries::GetArgs>) => entries::get(args, ui);
    List(entries::ListArgs) => entries::list(args, ui);
    Remove(DoneJson<entries::RemoveArgs>) => entries::remove(args, ui);
    Rotate(DoneJson<renew::RotateArgs>) => renew::rotate(args, ui);
    /// Have the keyring of this system forget the key that `--remember` gave it
    ///
    /// Exits with 1 if it kept none.
    Lock(DoneJson<NoArgs>) => renew::lock(args, ui);
}
