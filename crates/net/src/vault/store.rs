//! The vault as its users see it: opened by a passphrase or a key, asked by name, changed under a
//! lock.

use std::fmt;
use std::path::{Path, PathBuf};

use jiff::{SignedDuration, Timestamp};
use secrecy::SecretString;

use super::crypt::{self, Cost, DataKey, KEY_BYTES, TAG_BYTES};
use super::entries::{self, Entries, Entry, Kind, MAX_ENTRIES, Name};
use super::error::{Refusal, Result, VaultError};
use super::file;
use super::format::{self, Header, VaultId};

/// A use is not written down again this soon after another.
const USE_GRAIN: SignedDuration = SignedDuration::from_secs(60);

/// What opens a vault.
#[derive(Debug, Clone)]
pub enum Unlock {
    Passphrase(SecretString),
    /// What a keyring has kept.
    DataKey(DataKey),
}

/// An open vault. It holds what was in the file when that was last read; every change reads the
/// file anew first, so that two who change it at once lose nothing.
pub struct Vault {
    path: PathBuf,
    header: Header,
    key: DataKey,
    entries: Entries,
}

impl Vault {
    /// Whether anything lies at this place, sound or not.
    pub fn exists(path: &Path) -> bool {
        file::exists(path)
    }

    /// Names the key of the vault at this place, without opening it.
    ///
    /// # Errors
    /// [`VaultError`] when there is none, or it is refused unopened.
    pub fn id(path: &Path) -> Result<VaultId> {
        let bytes = file::read(path)?;
        let parts = format::take_apart(&bytes).map_err(|why| refused(path, why))?;
        Ok(parts.header.id)
    }

    /// Makes an empty vault, and the folder for it. Whether the passphrase is a good one, see
    /// [`check_new`](super::check_new).
    ///
    /// # Errors
    /// [`VaultError::Exists`] if anything is there; others if it can't be written.
    pub fn create(path: &Path, passphrase: &SecretString, cost: Cost) -> Result<Self> {
        let key = DataKey::random()?;
        let header = new_header(path, &key, passphrase, cost)?;
        file::make_folder(path)?;
        file::tidy(path);
        let _lock = file::lock(path)?;
        if file::exists(path) {
            return Err(VaultError::Exists { path: path.to_owned() });
        }
        let vault = Self { path: path.to_owned(), header, key, entries: Entries::new() };
        vault.save(&vault.entries, true)?;
        Ok(vault)
    }

    /// Opens the vault.
    ///
    /// # Errors
    /// [`VaultError`] when it is missing, unsafe where it lies, damaged, or the passphrase or key
    /// is another.
    pub fn open(path: &Path, unlock: &Unlock) -> Result<Self> {
        file::tidy(path);
        let bytes = file::read(path)?;
        let refused = |why| refused(path, why);
        let parts = format::take_apart(&bytes).map_err(refused)?;
        let (key, wrong) = match unlock {
            Unlock::DataKey(key) => (key.clone(), Refusal::WrongKey),
            // Its header was in order: nothing but damage keeps the entries from opening.
            Unlock::Passphrase(passphrase) => {
                (unwrap(path, &parts.header, passphrase)?, Refusal::Damaged)
            }
        };
        let bytes = key
            .unseal(&parts.nonce, &parts.header.bytes, parts.sealed)
            .ok_or_else(|| refused(wrong))?;
        let entries = entries::decode(&bytes).ok_or_else(|| refused(Refusal::Damaged))?;
        Ok(Self { path: path.to_owned(), header: parts.header, key, entries })
    }

    /// The key, for a keyring to keep under [`Vault::key_id`].
    pub fn data_key(&self) -> &DataKey {
        &self.key
    }

    /// Names the key.
    pub fn key_id(&self) -> VaultId {
        self.header.id
    }

    /// What it takes to compute the key.
    pub fn cost(&self) -> Cost {
        self.header.cost
    }

    /// All entries, sorted by name.
    pub fn entries(&self) -> impl Iterator<Item = (&Name, &Entry)> {
        self.entries.iter()
    }

    /// The entry with this name. That it was used is written down if nothing stands in the way.
    pub fn get(&mut self, name: &Name) -> Option<Entry> {
        let now = Timestamp::now();
        let entry = self.entries.get_mut(name)?;
        let recent =
            |then: Timestamp| (SignedDuration::ZERO..USE_GRAIN).contains(&now.duration_since(then));
        if entry.last_used.is_some_and(recent) {
            return Some(entry.clone());
        }
        entry.last_used = Some(now);
        let found = entry.clone();
        // A full disk or a read-only folder keeps nobody from using a secret.
        let _ = self.note_use(name, now);
        Some(found)
    }

    /// Reads the file anew.
    ///
    /// # Errors
    /// [`VaultError`] when it cannot be read, or has another key now; what is held stays as it was.
    pub fn reread(&mut self) -> Result<()> {
        self.entries = self.read_again()?;
        Ok(())
    }

    /// Keeps a value; `true` if there was one with this name.
    ///
    /// # Errors
    /// [`VaultError`] when the value can't be kept or the file can't be written; both are then as
    /// they were.
    pub fn set(&mut self, name: &Name, kind: Kind, value: SecretString) -> Result<bool> {
        entries::check_value(&value)?;
        let entry = Entry { kind, value, created: Timestamp::now(), last_used: None };
        self.change(|entries| {
            let replaced = entries.insert(name.clone(), entry).is_some();
            if entries.len() > MAX_ENTRIES { Err(VaultError::Full) } else { Ok((replaced, true)) }
        })
    }

    /// Forgets an entry; `false` if there was none.
    ///
    /// # Errors
    /// [`VaultError`] when the file can't be written; it is then as it was.
    pub fn remove(&mut self, name: &Name) -> Result<bool> {
        self.change(|entries| {
            let removed = entries.remove(name).is_some();
            Ok((removed, removed))
        })
    }

    /// Gives it a new key and a new passphrase: everything is encrypted anew. Older copies of the
    /// file still open with the old ones.
    ///
    /// # Errors
    /// [`VaultError`] when the file can't be written; it is then as it was.
    pub fn rotate(&mut self, passphrase: &SecretString, cost: Cost) -> Result<()> {
        let key = DataKey::random()?;
        let header = new_header(&self.path, &key, passphrase, cost)?;
        let _lock = file::lock(&self.path)?;
        let entries = self.read_again()?;
        let rotated = Self { path: self.path.clone(), header, key, entries };
        rotated.save(&rotated.entries, false)?;
        *self = rotated;
        Ok(())
    }

    /// Reads the file anew under the lock, and replaces it if `edit` says that it changed.
    fn change<T>(&mut self, edit: impl FnOnce(&mut Entries) -> Result<(T, bool)>) -> Result<T> {
        let _lock = file::lock(&self.path)?;
        let mut entries = self.read_again()?;
        let (answer, changed) = edit(&mut entries)?;
        if changed {
            self.save(&entries, false)?;
        }
        self.entries = entries;
        Ok(answer)
    }

    fn note_use(&self, name: &Name, now: Timestamp) -> Result<()> {
        let Some(_lock) = file::try_lock(&self.path)? else { return Ok(()) };
        let mut entries = self.read_again()?;
        let Some(entry) = entries.get_mut(name) else { return Ok(()) };
        entry.last_used = Some(now);
        self.save(&entries, false)
    }

    fn read_again(&self) -> Result<Entries> {
        let bytes = file::read(&self.path)?;
        let refused = |why| refused(&self.path, why);
        let parts = format::take_apart(&bytes).map_err(refused)?;
        if parts.header.id != self.header.id {
            return Err(VaultError::Rekeyed { path: self.path.clone() });
        }
        // The very header that was there when it was opened: nobody but us makes another.
        self.key
            .unseal(&parts.nonce, &self.header.bytes, parts.sealed)
            .and_then(|bytes| entries::decode(&bytes))
            .ok_or_else(|| refused(Refusal::Damaged))
    }

    fn save(&self, entries: &Entries, new: bool) -> Result<()> {
        let nonce = crypt::random()?;
        let mut bytes = entries::encode(entries, TAG_BYTES);
        self.key.seal(&nonce, &self.header.bytes, &mut bytes)?;
        file::replace(&self.path, &format::assemble(&self.header, &nonce, &bytes), new)
    }
}

impl fmt::Debug for Vault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Vault").field("path", &self.path).finish_non_exhaustive()
    }
}

fn refused(path: &Path, why: Refusal) -> VaultError {
    VaultError::Refused { path: path.to_owned(), why }
}

/// The data key, wrapped by the key from the passphrase.
fn new_header(path: &Path, key: &DataKey, passphrase: &SecretString, cost: Cost) -> Result<Header> {
    cost.check().map_err(|why| refused(path, why))?;
    let (id, salt, nonce) = (VaultId(crypt::random()?), crypt::random()?, crypt::random()?);
    let mut wrapped = Vec::with_capacity(KEY_BYTES + TAG_BYTES);
    wrapped.extend_from_slice(key.expose());
    DataKey::derive(passphrase, &salt, cost)?.seal(
        &nonce,
        &Header::prefix(id, cost, &salt),
        &mut wrapped,
    )?;
    Ok(Header::new(id, cost, salt, nonce, wrapped))
}

fn unwrap(path: &Path, header: &Header, passphrase: &SecretString) -> Result<DataKey> {
    DataKey::derive(passphrase, &header.salt, header.cost)?
        .unseal(&header.nonce, header.authenticated(), &header.wrapped)
        .and_then(|bytes| DataKey::from_bytes(&bytes))
        .ok_or_else(|| refused(path, Refusal::WrongPassphrase))
}
