//! The inbox: what lies in it, its publications as rows, and what leaves it.

use std::{
    cmp::Ordering,
    collections::{BTreeMap, BTreeSet},
    num::NonZeroUsize,
    panic::{AssertUnwindSafe, catch_unwind},
};

use arrow::array::RecordBatch;
use futures::{StreamExt as _, TryStreamExt as _};
use tokio::{sync::Semaphore, task::spawn_blocking};

use super::{
    super::{
        Model, columns,
        error::Result,
        head::Head,
        publication::{MOST_BYTES, Publication},
    },
    Folded,
};
use crate::store::{Created, Listed, Listing, Place, StoreError};

/// Bytes of publications that are merged at once.
const BATCH_BYTES: u64 = 64 << 20;
/// Requests for publications that are under way at once.
const AT_ONCE: usize = 100;

/// What lies in the inbox.
pub(super) struct Inbox {
    /// The newest publication of each repository, and its bytes.
    pub(super) newest: BTreeMap<String, (Head, u64)>,
    pub(super) old: Vec<Head>,
    /// What has the name of none, and its bytes.
    pub(super) nameless: Vec<(String, u64)>,
}

impl Inbox {
    pub(super) fn of(listing: Listing, folded: &mut Folded) -> Self {
        for odd in listing.odd {
            if !folded.odd.contains(&odd) {
                folded.odd.push(odd);
            }
        }
        // What was found out to be none, and could not be moved, is not looked at again.
        let known: BTreeSet<&str> = folded.odd.iter().map(|(name, _)| name.as_str()).collect();
        let mut inbox = Self { newest: BTreeMap::new(), old: Vec::new(), nameless: Vec::new() };
        let found = listing.found.into_iter().filter(|it| !known.contains(it.name.as_str()));
        for Listed { name, bytes } in found {
            let Some(head) = Head::named(&name) else {
                inbox.nameless.push((name, bytes));
                continue;
            };
            match inbox.newest.get_mut(&head.repository) {
                Some(other) if head.order(&other.0) == Ordering::Greater => {
                    inbox.old.push(std::mem::replace(other, (head, bytes)).0);
                }
                Some(_) => inbox.old.push(head),
                None => {
                    inbox.newest.insert(head.repository.clone(), (head, bytes));
                }
            }
        }
        inbox
    }
}

/// Objects in groups of no more bytes than may be in memory at once.
pub(super) fn groups(objects: Vec<(String, u64)>) -> impl Iterator<Item = Vec<String>> {
    let mut rest = objects.into_iter().peekable();
    std::iter::from_fn(move || {
        let (first, mut size) = rest.next()?;
        let mut group = vec![first];
        while let Some((object, bytes)) =
            rest.next_if(|(_, bytes)| size.saturating_add(*bytes) <= BATCH_BYTES)
        {
            size += bytes;
            group.push(object);
        }
        Some(group)
    })
}

/// A publication as it is merged.
pub(super) struct Ready {
    pub(super) head: Head,
    pub(super) model: String,
    /// Components of its vectors.
    pub(super) dimension: usize,
    pub(super) rows: RecordBatch,
}

/// What was read of an object that was there: a publication, or why it is none.
pub(super) type Read = (String, Result<Ready, String>);

/// Publications, of the objects that are there.
pub(super) async fn read_all(
    place: &Place,
    objects: Vec<String>,
    models: &[Model],
) -> Result<Vec<Read>> {
    let cores = std::thread::available_parallelism().map_or(1, NonZeroUsize::get);
    let making = &Semaphore::new(cores);
    let reading: Vec<_> =
        objects.into_iter().map(|object| read(place, object, models, making)).collect();
    let read: Vec<_> = futures::stream::iter(reading).buffered(AT_ONCE).try_collect().await?;
    Ok(read.into_iter().flatten().collect())
}

/// A publication, or why it is none; nothing where it is not there. `making` lets as many be made to rows
/// as there are cores: with more, what the store sends meanwhile waits for its turn.
async fn read(
    place: &Place,
    object: String,
    models: &[Model],
    making: &Semaphore,
) -> Result<Option<Read>> {
    let read = match place.read(&object, MOST_BYTES).await {
        Ok(Some(bytes)) => {
            let (object, models) = (object.clone(), models.to_vec());
            let _turn = making.acquire().await;
            // Beside what is asked of the store meanwhile: it is much of the time that a fold takes.
            let ready = spawn_blocking(move || ready(&object, bytes, &models));
            ready.await.unwrap_or_else(|cause| Err(cause.to_string()))
        }
        Ok(None) => return Ok(None),
        Err(StoreError::TooLarge { .. }) => Err("it is too large".to_owned()),
        Err(StoreError::Disk { cause, .. }) => Err(cause.to_string()),
        Err(cause) => return Err(cause.into()),
    };
    Ok(Some((object, read)))
}

/// Makes rows of a publication of a model that is known.
fn ready(object: &str, bytes: Vec<u8>, models: &[Model]) -> Result<Ready, String> {
    let publication = decode(object, bytes)?;
    let Publication { model, dimension, .. } = &publication;
    if !models.iter().any(|known| known.name == *model && known.dimension == *dimension) {
        return Err(format!("`kb.json` lists no model `{model}` of {dimension}"));
    }
    let rows = columns::encode(&publication).map_err(|cause| cause.to_string())?;
    let Publication { head, model, dimension, .. } = publication;
    Ok(Ready { head, model, dimension, rows })
}

/// Reads a publication. Arrow panics on some that are damaged: no other one waits for that.
pub(in crate::fleet) fn decode(object: &str, bytes: Vec<u8>) -> Result<Publication, String> {
    let decoded = catch_unwind(AssertUnwindSafe(|| Publication::decode(object, bytes)));
    decoded.unwrap_or_else(|_| Err("it is damaged".to_owned()))
}

/// Removes publications from the inbox. One of a folder that somebody else owns may have to stay.
pub(super) async fn remove(place: &Place, objects: &[String], folded: &mut Folded) -> Result<()> {
    let removing: Vec<_> = objects.iter().map(|object| place.remove(object)).collect();
    let mut removed = futures::stream::iter(removing).buffer_unordered(AT_ONCE);
    while let Some(removed) = removed.next().await {
        match removed {
            Ok(()) => {}
            Err(StoreError::Disk { path, cause }) => {
                folded.odd.push((path.display().to_string(), cause.to_string()));
            }
            Err(cause) => return Err(cause.into()),
        }
    }
    Ok(())
}

/// Moves what is no publication out of the inbox, each with why, so that somebody may look at it; what
/// cannot be moved stays, and nobody waits for it.
pub(super) async fn set_aside(place: &Place, objects: Vec<(String, String)>, folded: &mut Folded) {
    let moving = objects.into_iter().map(|(object, why)| async move {
        let below = object.strip_prefix("inbox/").unwrap_or(&object).to_owned();
        let moved = async {
            let Some(bytes) = place.read(&object, MOST_BYTES).await? else { return Ok(false) };
            let name = format!("aside/{below}");
            if place.create(&name, bytes.clone()).await? == Created::Before
                && place.read(&name, MOST_BYTES).await?.as_ref() != Some(&bytes)
            {
                // Something else of that name lies there.
                let digest = blake3::hash(&bytes).to_hex();
                place.create(&format!("{name}.{}", &digest[..16]), bytes).await?;
            }
            place.remove(&object).await?;
            Ok::<_, StoreError>(true)
        };
        (moved.await, below, object, why)
    });
    let moving: Vec<_> = moving.collect();
    let mut moved = futures::stream::iter(moving).buffered(AT_ONCE);
    while let Some((moved, below, object, why)) = moved.next().await {
        match moved {
            Ok(true) => folded.aside.push((below, why)),
            Ok(false) => {}
            Err(cause) => folded.odd.push((object, format!("{why}; {cause}"))),
        }
    }
}
