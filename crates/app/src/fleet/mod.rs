//! The knowledge base of a fleet of repositories, in an object store: publishing a repository there,
//! folding what was published, and asking all of it at once.
//!
//! Owns who may send what where, what a repository is called, and how an answer is put together of
//! several tables. An address is always named by the user, never by settings of a repository.

mod ask;
mod callers;
mod export;
mod fold;
mod models;
mod name;
mod publish;
mod reader;
mod recall;
mod rights;
mod rows;

use secrecy::ExposeSecret as _;

use crate::{
    Error, Result,
    environment::Environment,
    keys::{self, Asking},
};
pub use elophanto_tables::fleet::Head;
use elophanto_tables::{
    fleet::Fleet,
    store::{Address, Kept, Keys, VARIABLES},
};

pub(crate) use ask::search;
pub use ask::{Origins, Source};
pub use callers::{Caller, callers};
pub use export::{ExportFormat, Exported, export};
pub use fold::{Folded, fold};
pub use name::name_of;
pub use publish::{Outcome, PublishRequest, Published, publish};
pub use reader::Reader;
pub use recall::{Recollection, recall};
pub use rights::Rights;

/// Most bytes of files of tables that are kept on this machine.
const MOST_KEPT: u64 = 8 << 30;
/// Beginnings of the variables that hold the keys of each kind of store, and secrets that the vault may
/// hold in their place.
const OF_STORES: [(&str, &str, &[&str]); 3] = [
    ("s3:", "AWS_", &["AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY"]),
    ("gs:", "GOOGLE_", &["GOOGLE_SERVICE_ACCOUNT_KEY"]),
    ("az:", "AZURE_", &["AZURE_STORAGE_ACCOUNT_NAME", "AZURE_STORAGE_ACCOUNT_KEY"]),
];
/// Variables that say where a store is, not who may come in.
const NO_KEYS: [&str; 6] = [
    "AWS_REGION", "AWS_DEFAULT_REGION", "AWS_ENDPOINT_URL", "AWS_ENDPOINT_URL_S3",
    "AWS_ALLOW_HTTP", "AZURE_STORAGE_ENDPOINT",
];

/// Opens the place at an address with the user's keys: of the environment, where programs of the clouds
/// look for them, else of the vault. With `is_kept`, files of tables that never change are kept on
/// this machine as they are read.
///
/// # Errors
/// When it is no address of a fleet, or the vault cannot be opened.
pub fn open(
    address: &str,
    environment: &Environment,
    asking: Asking,
    is_kept: bool,
) -> Result<Fleet> {
    let address = Address::parse(address)?;
    let variable = |name: &str| {
        let value = environment.secrets().variable(name)?;
        Some(value.expose_secret().to_owned()).filter(|value| !value.is_empty())
    };
    let store = OF_STORES.iter().find(|(scheme, ..)| address.as_str().starts_with(scheme));
    let mut of_vault: Vec<(&str, String)> = Vec::new();
    if let Some((_, prefix, secrets)) = store {
        let is_key = |name: &&&str| name.starts_with(prefix) && !NO_KEYS.contains(*name);
        let has_key = VARIABLES.iter().filter(is_key).any(|name| variable(name).is_some());
        for name in secrets.iter().filter(|_| !has_key) {
            let entry = name.to_lowercase().replace('_', "-");
            let secret = keys::secret(&entry, environment, asking).map_err(Error::new)?;
            of_vault.extend(secret.map(|secret| (*name, secret.expose_secret().to_owned())));
        }
    }
    let kept = |name: &str| of_vault.iter().find(|(known, _)| *known == name);
    let keys = Keys::of(|name| variable(name).or_else(|| Some(kept(name)?.1.clone())));
    let folder = environment.cache_folder().filter(|_| is_kept).map(|folder| folder.join("fleet"));
    let kept = folder.map(|folder| Kept { folder, most_bytes: MOST_KEPT });
    Ok(Fleet::open(address, keys, kept)?)
}

/// The state of each repository at an address.
///
/// # Errors
/// When there is no knowledge base, or it cannot be read.
pub fn heads(address: &str, environment: &Environment, asking: Asking) -> Result<Vec<Head>> {
    Ok(open(address, environment, asking, false)?.view(None)?.heads().to_vec())
}
