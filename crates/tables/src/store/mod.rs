//! A place in an object store: S3 and what speaks like it, Google's, Azure's, or a folder.
//!
//! Owns addresses, keys, connections, and the few requests that are made beside those of Lance: create
//! what is not there, read, list, remove. It refuses to know what the objects hold. Keys come from the
//! caller, who has them from the user's environment; nothing here looks for any.

use std::{path::PathBuf, sync::Arc, time::Duration};

use futures::TryStreamExt;
use lance::{
    io::{ObjectStore, ObjectStoreParams, ObjectStoreRegistry},
    session::Session,
};
use lance_io::object_store::providers::local::FileStoreProvider;
use object_store::{ObjectStoreExt as _, PutMode, PutPayload, path::Path};

mod address;
mod cache;
mod error;
mod folder;
mod http;
mod keys;
mod provider;
#[cfg(test)]
mod tests;

pub use address::Address;
pub use error::StoreError;
pub(crate) use error::chain as error_chain;
pub use keys::{Keys, VARIABLES};

use cache::ReadThrough;
use folder::Local;
use provider::{Cloud, Provider};

/// Bytes of an index and of descriptions of tables that are kept in memory.
const INDEX_MEMORY: usize = 256 << 20;
const METADATA_MEMORY: usize = 64 << 20;

/// How often an object is tried to be created where others are said to be at it, and the first pause.
const TRIES: u32 = 4;
const PAUSE: Duration = Duration::from_millis(100);

/// Where files of tables that never change are kept on this machine, and most bytes of all of them.
#[derive(Debug, Clone)]
pub struct Kept {
    pub folder: PathBuf,
    pub most_bytes: u64,
}

/// An opened place.
#[derive(Clone)]
pub struct Place {
    pub(crate) address: Address,
    pub(crate) session: Arc<Session>,
    pub(crate) params: ObjectStoreParams,
    store: Arc<ObjectStore>,
    base: Path,
    /// Of a folder of this machine.
    local: Option<Local>,
}

/// Whether an object was created, or was there.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Created {
    Now,
    Before,
}

/// An object as it is listed: its name below the place, and its bytes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Listed {
    pub name: String,
    pub bytes: u64,
}

/// What lies below a folder.
#[derive(Debug, Default)]
pub(crate) struct Listing {
    /// By name.
    pub found: Vec<Listed>,
    /// What else is there and can be no object, and why.
    pub odd: Vec<(String, String)>,
}

impl Place {
    /// Opens a place; asks nothing of it yet.
    pub(crate) async fn open(
        address: Address,
        keys: Keys,
        kept: Option<Kept>,
    ) -> Result<Self, StoreError> {
        let registry = Arc::new(ObjectStoreRegistry::empty());
        registry.insert("file", Arc::new(FileStoreProvider));
        for cloud in Cloud::ALL {
            registry.insert(cloud.scheme(), Arc::new(Provider { cloud, keys: keys.clone() }));
        }
        let plain = ObjectStoreParams::default();
        let opened = ObjectStore::from_uri_and_params(registry.clone(), address.as_str(), &plain);
        let (store, base) = opened.await.map_err(|cause| StoreError::of_lance(&address, &cause))?;
        let wrapper = kept.filter(|_| !address.is_folder());
        // Where nothing can be kept, everything is asked of the store.
        let wrapper = wrapper.and_then(|kept| ReadThrough::of_questions(&address, kept).ok());
        let params = ObjectStoreParams {
            object_store_wrapper: wrapper.map(|wrapper| Arc::new(wrapper) as _),
            ..plain
        };
        let session = Arc::new(Session::new(INDEX_MEMORY, METADATA_MEMORY, registry));
        let local = Local::of(&address);
        Ok(Self { address, session, params, store, base, local })
    }

    /// How a fold reads tables: joining their indexes asks for one small piece after another, so larger ones
    /// are kept at hand.
    pub(crate) fn folding(&self) -> ObjectStoreParams {
        let is_far = self.local.is_none();
        // Where nothing can be kept, everything is asked of the store.
        let wrapper = is_far.then(|| ReadThrough::of_folds(&self.address).ok()).flatten();
        let object_store_wrapper = wrapper.map(|wrapper| Arc::new(wrapper) as _);
        ObjectStoreParams { object_store_wrapper, ..ObjectStoreParams::default() }
    }

    fn path(&self, name: &str) -> Path {
        name.split('/').fold(self.base.clone(), |path, part| path.join(part))
    }

    fn failed(&self, cause: object_store::Error) -> StoreError {
        StoreError::of_store(&self.address, &cause)
    }

    /// The address of a table in it.
    pub(crate) fn table(&self, name: &str) -> String {
        format!("{}/{name}", self.address.as_str())
    }

    /// Creates an object that is not there. Stores say the same of an object that is there and of two
    /// requests for one object that met, of which none may have been done: so it is looked at, and where
    /// nothing is there, or that cannot be seen, tried again.
    pub(crate) async fn create(&self, name: &str, bytes: Vec<u8>) -> Result<Created, StoreError> {
        if let Some(local) = &self.local {
            local.make_way(name)?;
        }
        let path = self.path(name);
        let payload = PutPayload::from(bytes);
        let mut tried = 0;
        loop {
            tried += 1;
            let put = self.store.inner.put_opts(&path, payload.clone(), PutMode::Create.into());
            match put.await {
                Ok(_) => return Ok(Created::Now),
                Err(
                    object_store::Error::AlreadyExists { .. }
                    | object_store::Error::Precondition { .. },
                ) => {
                    if tried == TRIES || self.store.inner.head(&path).await.is_ok() {
                        return Ok(Created::Before);
                    }
                    tokio::time::sleep(PAUSE * tried).await;
                }
                Err(cause) => return Err(self.failed(cause)),
            }
        }
    }

    /// The bytes of an object; `None` where there is none.
    pub(crate) async fn read(&self, name: &str, most: u64) -> Result<Option<Vec<u8>>, StoreError> {
        if let Some(local) = &self.local {
            let bytes = local.read(name, most)?;
            let is_large = bytes.as_ref().is_some_and(|bytes| bytes.len() as u64 > most);
            let object = name.to_owned();
            return if is_large { Err(StoreError::TooLarge { object, most }) } else { Ok(bytes) };
        }
        let got = match self.store.inner.get(&self.path(name)).await {
            Ok(got) => got,
            Err(object_store::Error::NotFound { .. }) => return Ok(None),
            Err(cause) => return Err(self.failed(cause)),
        };
        let name = || name.to_owned();
        if got.meta.size > most {
            return Err(StoreError::TooLarge { object: name(), most });
        }
        let mut stream = got.into_stream();
        let mut bytes = Vec::new();
        while let Some(part) = stream.try_next().await.map_err(|cause| self.failed(cause))? {
            if (bytes.len() + part.len()) as u64 > most {
                return Err(StoreError::TooLarge { object: name(), most });
            }
            bytes.extend_from_slice(&part);
        }
        Ok(Some(bytes))
    }

    /// What lies below a folder. Where it holds the name of an object that cannot be one, which the
    /// listing of a store then ends at, each folder in it is listed by itself.
    pub(crate) async fn list(&self, folder: &str) -> Result<Listing, StoreError> {
        if let Some(local) = &self.local {
            return local.list(folder);
        }
        let mut listing = Listing::default();
        match self.list_all(folder).await {
            Ok(found) => listing.found = found,
            Err(cause) if !cause.is_odd_name() => return Err(cause),
            Err(_) => {
                for name in self.folders(folder).await? {
                    let inner = format!("{folder}/{name}");
                    match self.list_all(&inner).await {
                        Ok(found) => listing.found.extend(found),
                        Err(cause) if cause.is_odd_name() => {
                            listing.odd.push((inner, cause.to_string()));
                        }
                        Err(cause) => return Err(cause),
                    }
                }
            }
        }
        listing.found.sort_by(|a, b| a.name.cmp(&b.name));
        Ok(listing)
    }

    async fn list_all(&self, folder: &str) -> Result<Vec<Listed>, StoreError> {
        let prefix = self.path(folder);
        let found = self
            .store
            .inner
            .list(Some(&prefix))
            .try_filter_map(|meta| {
                let below = meta.location.prefix_match(&self.base).map(|parts| {
                    parts.map(|part| part.as_ref().to_owned()).collect::<Vec<_>>().join("/")
                });
                let listed = below.map(|name| Listed { name, bytes: meta.size });
                std::future::ready(Ok(listed))
            })
            .try_collect()
            .await;
        found.map_err(|cause| self.failed(cause))
    }

    /// Names of the folders right below one, or, with an empty name, below the place.
    pub(crate) async fn folders(&self, folder: &str) -> Result<Vec<String>, StoreError> {
        let folder = if folder.is_empty() { self.base.clone() } else { self.path(folder) };
        let listed = self.store.inner.list_with_delimiter(Some(&folder)).await;
        let folders = listed.map_err(|cause| self.failed(cause))?.common_prefixes;
        Ok(folders.iter().filter_map(|path| path.filename()).map(str::to_owned).collect())
    }

    /// Removes the folders right below one that hold nothing: in a store there are none.
    pub(crate) fn sweep(&self, folder: &str) {
        if let Some(local) = &self.local {
            local.sweep(folder);
        }
    }

    /// Removes an object, if it is there.
    pub(crate) async fn remove(&self, name: &str) -> Result<(), StoreError> {
        if let Some(local) = &self.local {
            return local.remove(name);
        }
        match self.store.inner.delete(&self.path(name)).await {
            Ok(()) | Err(object_store::Error::NotFound { .. }) => Ok(()),
            Err(cause) => Err(self.failed(cause)),
        }
    }
}
