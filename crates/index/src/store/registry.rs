//! What the committed tables hold, remembered locally so that they need not be opened again.
//!
//! Tables never change, so a table seen once is known by its name, and what is remembered of it lies in a
//! file of that name. Holds keys and a hash of each vector; the vectors themselves are read from the tables
//! when they are needed.

use std::{
    collections::{BTreeMap, BTreeSet},
    fs, io,
    path::Path,
};

use bytes::Bytes;
use rustc_hash::{FxHashMap, FxHashSet};

use super::{
    codec::{Malformed, Result, Writer, checksum, unseal},
    container::{map, write_whole},
    keys::{Keys, Sieve},
    matrix::{Encoded, Key},
    tables::{self, Format, TableContent, TableError},
    view::is_left_by_killed,
};

const MAGIC: &[u8; 8] = b"ELOTAB03";
/// Bytes of a key and a hash.
const ROW_BYTES: usize = 24;

/// The keys of one table.
#[derive(Debug, Clone, PartialEq)]
struct Known {
    fingerprint: String,
    /// Key and hash of each vector, in the order of the rows: a part of the file that remembers it.
    rows: Bytes,
}

impl Known {
    fn len(&self) -> usize {
        self.rows.len() / ROW_BYTES
    }

    fn rows(&self) -> impl Iterator<Item = (&Key, u64)> {
        let (rows, _) = self.rows.as_chunks::<ROW_BYTES>();
        rows.iter().filter_map(|row| {
            let (key, hash) = row.split_first_chunk()?;
            Some((key, u64::from_le_bytes(hash.try_into().ok()?)))
        })
    }
}

/// All readable tables of a repository.
#[derive(Default)]
pub struct Registry {
    known: BTreeMap<String, Known>,
    /// Tables read in this run.
    read: BTreeMap<String, TableContent>,
    /// Known tables of which nothing is remembered yet, or something else.
    fresh: BTreeSet<String>,
    /// Whether more may be remembered than is known.
    is_less: bool,
}

/// What is remembered of a vector in a table.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Row {
    /// The model that made it.
    pub model: String,
    pub key: Key,
    /// Hash of the vector.
    pub hash: u64,
}

/// A table that was passed over.
#[derive(Debug)]
pub struct BadTable {
    pub name: String,
    pub cause: TableError,
}

impl Registry {
    /// What is remembered in the folder `memory`, brought up to date with the tables in `folder`.
    ///
    /// What is remembered and cannot be read is made anew; a table that cannot be read is passed over and
    /// returned, and looked at again next time.
    pub fn load(
        format: &dyn Format,
        memory: &Path,
        folder: &Path,
    ) -> io::Result<(Self, Vec<BadTable>)> {
        let mut registry = Self::default();
        for name in tables::list(folder)? {
            let remembered = map(&memory.join(&name)).map(Bytes::from_owner);
            if let Ok(Ok(known)) = remembered.map(|bytes| parse(&name, &bytes)) {
                registry.known.insert(name, known);
            }
        }
        // Of others a name is enough.
        let remembered = fs::read_dir(memory).map_or(0, Iterator::count);
        registry.is_less = remembered > registry.known.len();
        let bad = registry.follow(format, folder, memory.parent(), true)?;
        Ok((registry, bad))
    }

    /// Brings what is known up to date with the tables in `folder`. `trials` is the view's folder, and
    /// `keep` says whether the vectors that are read for that stay in memory.
    pub fn follow(
        &mut self,
        format: &dyn Format,
        folder: &Path,
        trials: Option<&Path>,
        keep: bool,
    ) -> io::Result<Vec<BadTable>> {
        let present = tables::list(folder)?;
        let before = self.known.len();
        self.known.retain(|name, _| present.contains(name));
        self.is_less |= self.known.len() != before;
        let mut bad = Vec::new();
        for name in present {
            if !self.known.contains_key(&name)
                && let Err(cause) = self.learn(format, folder, &name, trials)
            {
                bad.push(BadTable { name, cause });
            } else if !keep {
                self.read.remove(&name);
            }
        }
        Ok(bad)
    }

    /// Reads every table in `folder`, whatever is remembered of them. `trials` is the view's folder.
    pub fn read_all(
        format: &dyn Format,
        folder: &Path,
        trials: &Path,
    ) -> io::Result<(Self, Vec<BadTable>)> {
        let mut registry = Self::default();
        let mut bad = Vec::new();
        for name in tables::list(folder)? {
            if let Err(cause) = registry.learn(format, folder, &name, Some(trials)) {
                bad.push(BadTable { name, cause });
            }
        }
        Ok((registry, bad))
    }

    /// Remembers in the folder `memory` what is known, and nothing else. What cannot be kept is read again
    /// the next time.
    pub fn save(&mut self, memory: &Path) {
        if !fs::symlink_metadata(memory).is_ok_and(|data| data.is_dir()) {
            // A link or a pipe in its place; mostly nothing.
            let _ = fs::remove_file(memory);
        }
        for name in std::mem::take(&mut self.fresh) {
            if let Some(known) = self.known.get(&name) {
                let _ = write_whole(&memory.join(&name), &write(&name, known));
            }
        }
        if std::mem::take(&mut self.is_less) {
            for entry in fs::read_dir(memory).into_iter().flatten().flatten() {
                let name = entry.file_name();
                let is_known = name.to_str().is_some_and(|name| self.known.contains_key(name));
                let is_left =
                    name.to_str().is_some_and(tables::is_name) || is_left_by_killed(&entry);
                if !is_known && is_left {
                    // What stays costs nothing but space.
                    let _ = fs::remove_file(entry.path());
                }
            }
        }
    }

    /// Keys of a model in the tables for which `choose` says yes.
    pub fn keys(&self, fingerprint: &str, choose: impl Fn(&str) -> bool) -> Keys {
        let chosen = self
            .known
            .iter()
            .filter(|(name, known)| known.fingerprint == fingerprint && choose(name.as_str()));
        Keys::of_runs(chosen.flat_map(|(_, known)| known.rows().map(|(key, _)| *key)).collect())
    }

    /// How many vectors a table holds.
    pub fn size(&self, name: &str) -> usize {
        self.known.get(name).map_or(0, Known::len)
    }

    /// The rows of a table, in its order.
    pub fn rows(&self, name: &str) -> Vec<Row> {
        let Some(known) = self.known.get(name) else { return Vec::new() };
        let row = |(&key, hash)| Row { model: known.fingerprint.clone(), key, hash };
        known.rows().map(row).collect()
    }

    /// Every vector of a model that the tables read in this run hold for the wanted keys.
    pub fn all_vectors(
        &self,
        fingerprint: &str,
        wanted: &FxHashSet<Key>,
    ) -> FxHashMap<Key, Vec<Encoded>> {
        let mut found: FxHashMap<Key, Vec<Encoded>> = FxHashMap::default();
        for content in self.read.values().filter(|content| content.fingerprint == fingerprint) {
            for (key, vector) in content.rows.iter().filter(|(key, _)| wanted.contains(key)) {
                found.entry(*key).or_default().push(vector.clone());
            }
        }
        found
    }

    /// The model of a table's vectors.
    pub fn model_of(&self, name: &str) -> Option<&str> {
        self.known.get(name).map(|known| known.fingerprint.as_str())
    }

    /// Models by name, with how many vectors of each there are.
    pub fn models(&self) -> BTreeMap<String, usize> {
        let mut models = BTreeMap::new();
        for known in self.known.values() {
            *models.entry(known.fingerprint.clone()).or_default() += known.len();
        }
        models
    }

    /// Names of the readable tables, sorted.
    pub fn names(&self) -> impl Iterator<Item = &str> {
        self.known.keys().map(String::as_str)
    }

    /// The vectors of a model for the wanted keys. Of two different vectors for one key neither
    /// counts. A table that turns out damaged is passed over and returned.
    pub fn vectors(
        &mut self,
        format: &dyn Format,
        folder: &Path,
        fingerprint: &str,
        wanted: &FxHashSet<Key>,
    ) -> (FxHashMap<Key, Encoded>, Vec<BadTable>) {
        let mut hashes: FxHashMap<Key, Option<u64>> = FxHashMap::default();
        let mut needed = Vec::new();
        let sieve = Sieve::of(wanted);
        let is_wanted = |key: &Key| sieve.lets(key) && wanted.contains(key);
        for (name, known) in self.known.iter().filter(|(_, k)| k.fingerprint == fingerprint) {
            let mut used = false;
            for (key, hash) in known.rows().filter(|(key, _)| is_wanted(key)) {
                used = true;
                let agreed = hashes.entry(*key).or_insert(Some(hash));
                if *agreed != Some(hash) {
                    *agreed = None;
                }
            }
            if used {
                needed.push(name.clone());
            }
        }
        let mut found = FxHashMap::default();
        let mut bad = Vec::new();
        for name in needed {
            if !self.read.contains_key(&name)
                && let Err(cause) = self.learn(format, folder, &name, None)
            {
                self.known.remove(&name);
                self.is_less = true;
                bad.push(BadTable { name, cause });
                continue;
            }
            let Some(content) = self.read.get(&name) else { continue };
            for (key, vector) in &content.rows {
                if is_wanted(key) && hashes.get(key) == Some(&Some(hash(vector))) {
                    found.entry(*key).or_insert_with(|| vector.clone());
                }
            }
        }
        (found, bad)
    }

    /// Takes in a table that lies elsewhere, for this run only. `trials` is the view's folder.
    ///
    /// # Errors
    /// [`TableError`] if the table is damaged.
    pub fn adopt(
        &mut self,
        format: &dyn Format,
        folder: &Path,
        name: &str,
        trials: &Path,
    ) -> Result<(), TableError> {
        self.learn(format, folder, name, Some(trials))
    }

    fn learn(
        &mut self,
        format: &dyn Format,
        folder: &Path,
        name: &str,
        trials: Option<&Path>,
    ) -> Result<(), TableError> {
        let content = tables::read(format, folder, name, trials)?;
        let mut rows = Vec::with_capacity(content.rows.len() * ROW_BYTES);
        for (key, vector) in &content.rows {
            rows.extend_from_slice(key);
            rows.extend_from_slice(&hash(vector).to_le_bytes());
        }
        let known = Known { fingerprint: content.fingerprint.clone(), rows: rows.into() };
        if self.known.get(name) != Some(&known) {
            self.fresh.insert(name.to_owned());
        }
        self.known.insert(name.to_owned(), known);
        self.read.insert(name.to_owned(), content);
        Ok(())
    }
}

fn hash(vector: &Encoded) -> u64 {
    let mut bytes: Vec<u8> = vector.scale.to_le_bytes().to_vec();
    bytes.extend(vector.codes.iter().map(|&code| code as u8));
    checksum(&bytes)
}

fn write(name: &str, Known { fingerprint, rows }: &Known) -> Vec<u8> {
    let mut out = Writer::begin(MAGIC);
    out.bytes.reserve(rows.len() + name.len() + fingerprint.len() + 32);
    out.block(name.as_bytes());
    out.block(fingerprint.as_bytes());
    out.block(rows);
    out.seal()
}

fn parse(name: &str, whole: &Bytes) -> Result<Known> {
    let mut reader = unseal(MAGIC, whole)?;
    let is_it = reader.text()? == name;
    let fingerprint = reader.text()?.to_owned();
    let rows = whole.slice_ref(reader.block()?);
    match is_it && reader.is_empty() && rows.len().is_multiple_of(ROW_BYTES) {
        true => Ok(Known { fingerprint, rows }),
        false => Err(Malformed),
    }
}
