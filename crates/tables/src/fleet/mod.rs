//! The knowledge base of many repositories, in an object store.
//!
//! Owns its layout: `kb.json`, the inbox of publications, one table of chunks for each model, and what
//! was set aside. A publication is created and never changed; only folding writes tables, and each of its
//! commits is whole. Questions are answered by any number of processes that hold nothing. It refuses to
//! know what a repository is, who may ask, and how chunks are ranked.

use std::{sync::Arc, time::Duration};

use serde::{Deserialize, Serialize};

mod choose;
mod columns;
mod error;
mod export;
mod fold;
mod head;
mod packed;
mod publication;
mod read;
mod table;
#[cfg(test)]
mod tests;

pub use error::{FleetError, Result};
pub use export::ArrowStream;
pub use fold::Folded;
pub use head::{Head, is_repository};
use publication::MOST_DIMENSION;
pub use publication::{MOST_BYTES, Publication, refused};
pub use read::{Asked, Found, Only};

use crate::{
    store::{Address, Created, Kept, Keys, Place, StoreError},
    work,
};
use read::Opened;

/// The version of the layout.
const FORMAT: u64 = 2;
const DECLARATION: &str = "kb.json";
const MOST_DECLARATION: u64 = 64 << 10;
/// How long one question, one publication, and one fold may take.
const ASKING: Duration = Duration::from_secs(60);
const WRITING: Duration = Duration::from_secs(600);
const FOLDING: Duration = Duration::from_secs(4 * 3_600);

/// What `kb.json` says.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Declared {
    pub format: u64,
    /// The models whose vectors are taken; what others publish are texts alone.
    pub models: Vec<Model>,
}

/// A model of vectors.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Model {
    /// Its fingerprint.
    pub name: String,
    /// Components of its vectors.
    pub dimension: usize,
}

/// A place that is, or will be, the knowledge base of a fleet.
#[derive(Clone)]
pub struct Fleet(Arc<Place>);

/// All tables as they were at one moment.
#[derive(Clone)]
pub struct View {
    address: Address,
    tables: Arc<Vec<Opened>>,
    /// The state of each repository that is to be found, by its name.
    heads: Arc<Vec<Head>>,
}

/// A table of a [`View`].
pub struct Table<'v> {
    view: &'v View,
    index: usize,
}

impl Fleet {
    /// Opens a place; nothing is asked of it yet.
    ///
    /// # Errors
    /// When keys cannot be used, or the folder for what is kept cannot be made.
    pub fn open(address: Address, keys: Keys, kept: Option<Kept>) -> Result<Self> {
        let place = address.clone();
        let opened = work::run(ASKING, Place::open(address, keys, kept));
        let opened = opened.map_err(|stopped| FleetError::stopped(&place, stopped))?;
        Ok(Self(Arc::new(opened?)))
    }

    pub fn address(&self) -> &Address {
        &self.0.address
    }

    fn run<T: Send + 'static>(
        &self,
        limit: Duration,
        call: impl Future<Output = Result<T>> + Send + 'static,
    ) -> Result<T> {
        work::run(limit, call).map_err(|stopped| FleetError::stopped(&self.0.address, stopped))?
    }

    /// What the place says of itself; `None` where it is no knowledge base yet.
    ///
    /// # Errors
    /// When it cannot be read, or is of a format that this version does not know.
    pub fn declared(&self) -> Result<Option<Declared>> {
        let place = self.0.clone();
        self.run(ASKING, async move { declared(&place).await })
    }

    /// Makes the place a knowledge base: once the store was seen to refuse a second create of one
    /// object. What it was declared to be before stays.
    ///
    /// # Errors
    /// [`StoreError::Careless`] for a store that overwrites what was to be created.
    pub fn declare(&self, models: Vec<Model>) -> Result<Declared> {
        let place = self.0.clone();
        self.run(WRITING, async move {
            if let Some(declared) = declared(&place).await? {
                return Ok(declared);
            }
            probe(&place).await?;
            let declared_now = Declared { format: FORMAT, models };
            let text = serde_json::to_vec_pretty(&declared_now).unwrap_or_default();
            match place.create(DECLARATION, text).await? {
                Created::Now => Ok(declared_now),
                Created::Before => {
                    let nothing = || FleetError::Nothing { place: place.address.to_string() };
                    declared(&place).await?.ok_or_else(nothing)
                }
            }
        })
    }

    /// Puts a publication into the inbox. One of the same name is the same.
    ///
    /// # Errors
    /// When it cannot be written.
    pub fn deposit(&self, head: &Head, bytes: Vec<u8>) -> Result<Created> {
        let (place, object) = (self.0.clone(), head.object());
        self.run(WRITING, async move { Ok(place.create(&object, bytes).await?) })
    }

    /// The newest state of a repository that waits in the inbox; of that commit, with its chunks.
    ///
    /// # Errors
    /// When the inbox cannot be read.
    pub fn waiting(&self, repository: &str, commit: &str) -> Result<Option<Head>> {
        let (place, commit) = (self.0.clone(), commit.to_owned());
        let folder = head::folder(repository);
        self.run(WRITING, async move {
            let found = match place.list(&folder).await {
                Err(cause) if cause.is_odd_name() => return Ok(None),
                listed => listed?.found,
            };
            let heads = found.iter().filter_map(|listed| Head::named(&listed.name));
            let Some(mut head) = heads.max_by(Head::order) else { return Ok(None) };
            let object = head.object();
            if head.commit == commit
                && !head.retired
                && let Some(bytes) = place.read(&object, MOST_BYTES).await?
                && let Ok(publication) = fold::decode(&object, bytes)
            {
                head.chunks = publication.rows.len() as u64;
            }
            Ok(Some(head))
        })
    }

    /// Takes what is in the inbox into the tables. With `tend`, tables are packed and indexed in any
    /// case, otherwise when enough has gathered.
    ///
    /// # Errors
    /// When the store fails, or others commit faster all the time. What was taken stays; what was not
    /// is still in the inbox.
    pub fn fold(&self, tend: bool) -> Result<Folded> {
        let place = self.0.clone();
        self.run(FOLDING, async move { fold::fold(&place, tend).await })
    }

    /// All tables as they are now, or were at a moment in seconds since 1970.
    ///
    /// # Errors
    /// When there is no knowledge base, or the moment lies too far back.
    pub fn view(&self, at: Option<i64>) -> Result<View> {
        let place = self.0.clone();
        self.run(ASKING, async move {
            let nothing = || FleetError::Nothing { place: place.address.to_string() };
            declared(&place).await?.ok_or_else(nothing)?;
            let tables = Opened::all(&place, at, &[]).await?;
            Ok(View::of(place.address.clone(), tables))
        })
    }

    /// All tables as they are now. Of what is as it was in a view `before`, nothing is read again.
    ///
    /// # Errors
    /// As [`Self::view`]; but a folder that is not there any more may come back, and is not to be reached.
    pub fn view_after(&self, before: &View) -> Result<View> {
        let (place, before) = (self.0.clone(), before.clone());
        self.run(ASKING, async move {
            let at = place.address.to_string();
            let or = |lost| StoreError::gone(&place.address).map_or(lost, FleetError::from);
            if declared(&place).await?.is_none() {
                return Err(or(FleetError::Nothing { place: at }));
            }
            let tables = Opened::all(&place, None, &before.tables).await?;
            if tables.is_empty() && !before.tables.is_empty() {
                let said = "its tables are gone".to_owned();
                return Err(or(FleetError::Damaged { place: at, said }));
            }
            Ok(View::of(place.address.clone(), tables))
        })
    }
}

impl View {
    fn of(address: Address, tables: Vec<Opened>) -> Self {
        let mut heads: Vec<Head> = tables.iter().flat_map(Opened::current).cloned().collect();
        heads.sort_by(|a, b| a.repository.cmp(&b.repository));
        Self { address, tables: Arc::new(tables), heads: Arc::new(heads) }
    }

    /// Its tables, one for each model.
    pub fn tables(&self) -> impl Iterator<Item = Table<'_>> {
        (0..self.tables.len()).map(|index| Table { view: self, index })
    }

    /// The newest state of each repository, of those too of which nothing is to be found any more.
    pub fn all_heads(&self) -> Vec<Head> {
        self.tables.iter().flat_map(Opened::newest).cloned().collect()
    }

    /// The state of each repository that is to be found, by its name.
    pub fn heads(&self) -> &[Head] {
        &self.heads
    }
}

impl Table<'_> {
    fn opened(&self) -> &Opened {
        &self.view.tables[self.index]
    }

    /// The fingerprint of its model.
    pub fn model(&self) -> &str {
        &self.opened().model
    }

    /// Components of its vectors.
    pub fn dimension(&self) -> usize {
        self.opened().dimension
    }

    fn run<T: Send + 'static>(
        &self,
        limit: Duration,
        call: impl Future<Output = Result<T>> + Send + 'static,
    ) -> Result<T> {
        let address = &self.view.address;
        work::run(limit, call).map_err(|stopped| FleetError::stopped(address, stopped))?
    }

    /// Chunks that may answer a question.
    ///
    /// # Errors
    /// When the store does not answer, or the table is damaged.
    pub fn ask(&self, asked: Asked) -> Result<Found> {
        let (opened, address) = (self.opened().clone(), self.view.address.clone());
        self.run(ASKING, async move { opened.ask(&address, asked).await })
    }

    /// Loads what every question reads.
    ///
    /// # Errors
    /// As [`Self::ask`].
    pub fn warm(&self) -> Result<()> {
        let (opened, address) = (self.opened().clone(), self.view.address.clone());
        self.run(WRITING, async move {
            opened.warm().await.map_err(|cause| FleetError::of(&address, &cause))
        })
    }

    /// Hands out all chunks, some at a time, for as long as `take` says so.
    ///
    /// # Errors
    /// As [`Self::ask`].
    pub fn each(
        &self,
        only: Only,
        take: impl FnMut(Vec<elophanto_index::apart::Row>) -> bool + Send + 'static,
    ) -> Result<()> {
        let (opened, address) = (self.opened().clone(), self.view.address.clone());
        self.run(FOLDING, async move {
            opened.each(only, take).await.map_err(|cause| FleetError::of(&address, &cause))
        })
    }
}

async fn declared(place: &Place) -> Result<Option<Declared>> {
    let Some(bytes) = place.read(DECLARATION, MOST_DECLARATION).await? else { return Ok(None) };
    let at = || place.address.to_string();
    let undeclared = |reason: String| FleetError::Undeclared { place: at(), reason };
    let said: serde_json::Value =
        serde_json::from_slice(&bytes).map_err(|cause| undeclared(cause.to_string()))?;
    let format = said.get("format").and_then(serde_json::Value::as_u64);
    match format {
        Some(FORMAT) => {}
        Some(found) => return Err(FleetError::Format { place: at(), found, known: FORMAT }),
        None => return Err(undeclared("it says no format".to_owned())),
    }
    let declared: Declared =
        serde_json::from_value(said).map_err(|cause| undeclared(cause.to_string()))?;
    match declared.models.iter().find(|model| !(1..=MOST_DIMENSION).contains(&model.dimension)) {
        Some(model) => Err(undeclared(format!("no vector has {} components", model.dimension))),
        None => Ok(Some(declared)),
    }
}

/// Sees whether the store refuses to create an object that is there.
async fn probe(place: &Place) -> Result<()> {
    let nonce = format!("{:?}{}", std::time::SystemTime::now(), std::process::id());
    let name = format!("probe/{}", &blake3::hash(nonce.as_bytes()).to_hex()[..32]);
    place.create(&name, b"first".to_vec()).await?;
    let second = place.create(&name, b"second".to_vec()).await;
    let held = place.read(&name, MOST_DECLARATION).await;
    place.remove(&name).await?;
    match (second?, held?.as_deref()) {
        (Created::Before, Some(b"first")) => Ok(()),
        _ => Err(StoreError::Careless { place: place.address.to_string() }.into()),
    }
}
