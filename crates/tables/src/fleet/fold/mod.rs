//! Folding: publications out of the inbox into the tables.
//!
//! Owns what is taken, in what order, and that two who fold at once do no harm. The state of each
//! repository stands in the same table as its chunks and changes in the same commit: whoever is
//! overtaken by another state of it is told by Lance that this row was changed, and looks again. So does
//! whoever was carried over commits of others, for what these hold is not known here.

mod inbox;

use std::{
    cmp::Ordering,
    collections::{BTreeMap, BTreeSet},
    sync::Arc,
    time::Duration,
};

use arrow::{array::RecordBatch, compute::concat_batches, error::ArrowError};
use futures::{future::try_join_all, join, try_join};
use lance::{
    Dataset,
    dataset::{
        DeleteBuilder, MergeInsertBuilder, WhenMatched, WhenNotMatched, WhenNotMatchedBySource,
    },
    io::ObjectStoreParams,
};

use super::{
    Model,
    columns::KEY,
    declared,
    error::{FleetError, Result, is_overtaken},
    head::{Head, folder},
    table,
};
use crate::store::{Listing, Place, StoreError};
pub(super) use inbox::decode;
use inbox::{Inbox, Ready, groups, read_all, remove, set_aside};

/// Batches of rows that are merged at once.
const MOST_BATCHES: usize = 128;
/// How often everything is looked at again after others committed first.
const ROUNDS: u32 = 12;
/// The first wait between two rounds; each further one is up to twice as long.
const WAIT: Duration = Duration::from_millis(40);

/// What a fold did.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Folded {
    /// States that are to be found from now on.
    pub taken: Vec<Head>,
    /// Publications that a newer state had overtaken.
    pub dropped: Vec<Head>,
    /// Publications that were none, and why; they lie below `aside/`.
    pub aside: Vec<(String, String)>,
    /// What lies in the inbox and can be no object, and why: it stays.
    pub odd: Vec<(String, String)>,
    /// Rows that were written anew, changed and removed.
    pub inserted: u64,
    pub updated: u64,
    pub deleted: u64,
    /// Whether tables were packed and their indexes brought up to date.
    pub tended: bool,
}

/// Folds what there is.
pub(super) async fn fold(place: &Place, tend: bool) -> Result<Folded> {
    let mut folded = Folded::default();
    let params = place.folding();
    for round in 0..ROUNDS {
        let (attempt, tables) = attempt(place, &params, &mut folded).await?;
        let Tables { opened, spent, .. } = tables;
        // As often as that somebody's newest publication was none, or others commit all the time: what was
        // folded is.
        let is_last = matches!(attempt, Attempt::Again) && round + 1 == ROUNDS;
        if is_last || matches!(attempt, Attempt::Done) {
            let (tended, removed) =
                join!(tend_all(place, opened, tend), remove(place, &spent, &mut folded));
            removed?;
            place.sweep("inbox");
            folded.tended = tended?;
            return Ok(folded);
        }
        remove(place, &spent, &mut folded).await?;
        if matches!(attempt, Attempt::Overtaken) {
            let most = WAIT * 2u32.pow(round.min(6));
            tokio::time::sleep(most.mul_f64(0.5 + jitter() / 2.0)).await;
        }
    }
    Err(FleetError::Busy { place: place.address.to_string() })
}

enum Attempt {
    Done,
    Overtaken,
    /// What was chosen was none, and something older is there; or others committed something else.
    Again,
}

/// A number from 0 to 1 that differs between processes.
fn jitter() -> f64 {
    let mut hasher = std::hash::DefaultHasher::new();
    std::hash::Hash::hash(&(std::process::id(), std::time::Instant::now()), &mut hasher);
    (std::hash::Hasher::finish(&hasher) % 1_000) as f64 / 1_000.0
}

/// What is known of a repository: the table that holds it, and its state.
struct Known {
    table: String,
    head: Head,
}

async fn attempt(
    place: &Place,
    params: &ObjectStoreParams,
    folded: &mut Folded,
) -> Result<(Attempt, Tables)> {
    // Nearly all of what is in the inbox is wanted, so its first part is read while the tables are opened;
    // what is committed to them after that is noticed when we commit.
    let (declared, listed) = join!(declared(place), place.list("inbox"));
    let nothing = || FleetError::Nothing { place: place.address.to_string() };
    let models = &declared?.ok_or_else(nothing)?.models;
    let listed = match listed {
        Err(cause) if cause.is_odd_name() => Err(cause),
        other => Ok(Inbox::of(other?, folded)),
    };
    let first = listed.as_ref().ok().and_then(|inbox| {
        let newest = inbox.newest.values();
        groups(newest.map(|(head, bytes)| (head.object(), *bytes)).collect()).next()
    });
    let (tables, ahead) = join!(
        Tables::open(place, params, models),
        read_all(place, first.unwrap_or_default(), models)
    );
    let mut tables = tables?;
    // What cannot be read may be none that is wanted.
    let mut ahead: BTreeMap<_, _> = ahead.unwrap_or_default().into_iter().collect();
    let Inbox { newest, mut old, nameless } = match listed {
        Ok(inbox) => inbox,
        Err(cause) => Inbox::of(listed_by_name(place, &tables, cause).await?, folded),
    };
    for some in groups(nameless) {
        let why = || "its name is none of a publication".to_owned();
        set_aside(place, some.into_iter().map(|name| (name, why())).collect(), folded).await;
    }
    let mut wanted: Vec<(Head, u64)> = Vec::new();
    let mut done = Vec::new();
    for (head, bytes) in newest.into_values() {
        match tables.known.get(&head.repository).map(|known| head.order(&known.head)) {
            Some(Ordering::Greater) | None => wanted.push((head, bytes)),
            // Folded before, by somebody who was ended before it was removed.
            Some(Ordering::Equal) => done.push(head.object()),
            Some(Ordering::Less) => old.push(head),
        }
    }
    remove(place, &done, folded).await?;
    let newest: Vec<Head> = wanted.iter().map(|(head, _)| head.clone()).collect();
    let objects: BTreeSet<String> = newest.iter().map(Head::object).collect();
    ahead.retain(|object, _| objects.contains(object));
    let wanted = wanted.into_iter().map(|(head, bytes)| (head.object(), bytes)).collect();
    for objects in groups(wanted) {
        let (known, others): (Vec<_>, Vec<_>) =
            objects.into_iter().partition(|object| ahead.contains_key(object));
        let known: Vec<_> =
            known.into_iter().filter_map(|object| ahead.remove_entry(&object)).collect();
        let spent = std::mem::take(&mut tables.spent);
        let (removed, others) =
            join!(remove(place, &spent, folded), read_all(place, others, models));
        removed?;
        let others = others?;
        let mut batch: BTreeMap<String, Vec<Ready>> = BTreeMap::new();
        let mut none = Vec::new();
        // Of those that are not there any more, another fold was faster.
        for (object, publication) in known.into_iter().chain(others) {
            match publication {
                Ok(publication) => {
                    batch.entry(publication.model.clone()).or_default().push(publication);
                }
                Err(why) => none.push((object, why)),
            }
        }
        set_aside(place, none, folded).await;
        for (model, publications) in batch {
            match merge(place, &mut tables, &model, publications, folded).await? {
                Attempt::Done => {}
                attempt => return Ok((attempt, tables)),
            }
        }
    }
    match remove_left(place, &mut tables).await? {
        Attempt::Done => {}
        attempt => return Ok((attempt, tables)),
    }
    // What a repository published before counts, where its newest turned out to be none.
    let is_none = |head: &Head| {
        let known = tables.known.get(&head.repository);
        known.is_none_or(|known| head.order(&known.head) == Ordering::Greater)
    };
    let none: BTreeSet<&str> =
        newest.iter().filter(|head| is_none(head)).map(|head| head.repository.as_str()).collect();
    let (kept, old): (Vec<Head>, Vec<Head>) =
        old.into_iter().partition(|head| none.contains(head.repository.as_str()));
    remove(place, &old.iter().map(Head::object).collect::<Vec<_>>(), folded).await?;
    folded.dropped.extend(old);
    let is_past = |head: &Head| {
        let object = head.object();
        let below = object.strip_prefix("inbox/").unwrap_or(&object);
        folded.aside.iter().any(|(name, _)| name == below)
            || folded.odd.iter().any(|(name, _)| *name == object)
    };
    let again = newest
        .iter()
        .any(|head| is_past(head) && kept.iter().any(|older| older.repository == head.repository));
    Ok((if again { Attempt::Again } else { Attempt::Done }, tables))
}

/// What the repositories that are known have in the inbox: its listing ends at a name that no object can
/// have.
async fn listed_by_name(place: &Place, tables: &Tables, cause: StoreError) -> Result<Listing> {
    let mut listing = Listing::default();
    for name in tables.known.keys() {
        match place.list(&folder(name)).await {
            Ok(Listing { found, odd }) => {
                listing.found.extend(found);
                listing.odd.extend(odd);
            }
            Err(cause) if cause.is_odd_name() => {
                listing.odd.push((folder(name), cause.to_string()))
            }
            Err(cause) => return Err(cause.into()),
        }
    }
    listing.odd.push(("inbox".to_owned(), cause.to_string()));
    Ok(listing)
}

/// The tables as they were opened, and what they hold.
struct Tables {
    opened: BTreeMap<String, Dataset>,
    known: BTreeMap<String, Known>,
    /// Repositories that another table holds in a newer state, by table.
    left: BTreeMap<String, BTreeSet<String>>,
    /// Publications that they hold by now: these are removed beside what is done next, and by the next fold
    /// if this one is ended before.
    spent: Vec<String>,
}

impl Tables {
    /// Opens what there is once the inbox was listed: whoever made a table since then took from it only what
    /// the listing shows, or what is in the table.
    /// Those of models that are declared are not waited for to be listed.
    async fn open(place: &Place, params: &ObjectStoreParams, models: &[Model]) -> Result<Self> {
        let declared: BTreeSet<_> =
            models.iter().map(|model| table::name_of(&model.name)).collect();
        let (named, mut opened) = try_join!(
            async { Ok(table::names(place).await?) },
            opened(place, params, declared.clone()),
        )?;
        let others = named.into_iter().filter(|name| !declared.contains(name)).collect();
        opened.extend(self::opened(place, params, others).await?);
        let (known, left) = (BTreeMap::new(), BTreeMap::new());
        let mut tables = Self { opened: BTreeMap::new(), known, left, spent: Vec::new() };
        for (name, (dataset, heads)) in opened {
            for (repository, head) in heads {
                tables.learn(&name, repository, head);
            }
            tables.opened.insert(name, dataset);
        }
        Ok(tables)
    }

    fn learn(&mut self, table: &str, repository: String, head: Head) {
        let known = Known { table: table.to_owned(), head };
        let older = match self.known.get(&repository) {
            Some(other) if other.head.order(&known.head) == Ordering::Greater => {
                Some(known.table.clone())
            }
            _ => {
                // What it left behind here is what is replaced now.
                if let Some(left) = self.left.get_mut(table) {
                    left.remove(&repository);
                }
                let before = self.known.insert(repository.clone(), known);
                before.map(|before| before.table).filter(|before| before != table)
            }
        };
        if let Some(older) = older {
            self.left.entry(older).or_default().insert(repository);
        }
    }
}

/// A table and the heads in it, by repository.
type Opened = (Dataset, BTreeMap<String, Head>);

/// The tables that there are of some names.
async fn opened(
    place: &Place,
    params: &ObjectStoreParams,
    names: BTreeSet<String>,
) -> Result<BTreeMap<String, Opened>> {
    let opening = names.into_iter().map(|name| async move {
        let Some(dataset) = table::open(place, &name, params).await? else { return Ok(None) };
        let heads = table::heads(&dataset).await?;
        Ok(Some((name, (dataset, heads))))
    });
    let opened = try_join_all(opening).await;
    let opened = opened.map_err(|cause| FleetError::of(&place.address, &cause))?;
    Ok(opened.into_iter().flatten().collect())
}

/// Brings the publications of one model into its table; they may be removed from the inbox by then.
async fn merge(
    place: &Place,
    tables: &mut Tables,
    model: &str,
    publications: Vec<Ready>,
    folded: &mut Folded,
) -> Result<Attempt> {
    let of = |cause: lance::Error| FleetError::of(&place.address, &cause);
    let name = table::name_of(model);
    let dimension = publications.iter().map(|one| one.dimension).next().unwrap_or_default();
    let Some(mut dataset) = tables.opened.remove(&name) else {
        return match table::make(place, &name, model, dimension).await {
            // What it holds by now is looked at before anything is committed to it.
            Ok(()) => Ok(Attempt::Overtaken),
            Err(cause) if is_overtaken(&cause) => Ok(Attempt::Overtaken),
            Err(cause) => Err(of(cause)),
        };
    };
    match table::scalar_indexes(&mut dataset).await {
        Ok(false) => {}
        Ok(true) => return Ok(Attempt::Overtaken),
        Err(cause) if is_overtaken(&cause) => return Ok(Attempt::Overtaken),
        Err(cause) => return Err(of(cause)),
    }
    let expected = table::dimension_of(&dataset);
    let is_right = |one: &Ready| Some(one.dimension) == expected;
    let (right, others): (Vec<_>, Vec<_>) = publications.into_iter().partition(is_right);
    let why = |other: &Ready| {
        let (own, known) = (other.dimension, expected.unwrap_or_default());
        format!("its vectors have {own} components, those of its model {known}")
    };
    let others = others.iter().map(|other| (other.head.object(), why(other))).collect();
    set_aside(place, others, folded).await;
    if right.is_empty() {
        tables.opened.insert(name, dataset);
        return Ok(Attempt::Done);
    }
    let repositories = right.iter().map(|one| one.head.repository.as_str());
    let theirs = table::is_one_of("repo", repositories);
    let (heads, rows): (Vec<_>, Vec<_>) = right.into_iter().map(|one| (one.head, one.rows)).unzip();
    let rows = together(rows).map_err(|cause| of(cause.into()))?;
    let before = dataset.version().version;
    let many = rows.iter().map(RecordBatch::num_rows).sum();
    let replacing = replace(dataset.clone(), rows, &theirs, folded);
    let ahead = async {
        table::read_ahead(place, &dataset, many).await;
        Ok(())
    };
    let dataset = match try_join!(replacing, ahead) {
        Ok((dataset, ())) => dataset,
        Err(cause) if is_overtaken(&cause) => return Ok(Attempt::Overtaken),
        Err(cause) => return Err(of(cause)),
    };
    // Lance carries a commit over those of others that touch other rows: what they hold is not known here.
    let is_alone = dataset.version().version == before + 1;
    for head in heads {
        tables.spent.push(head.object());
        tables.learn(&name, head.repository.clone(), head.clone());
        folded.taken.push(head);
    }
    tables.opened.insert(name, dataset);
    Ok(if is_alone { Attempt::Done } else { Attempt::Again })
}

/// As few batches as there need be: each costs a merge as much as some hundred rows.
fn together(batches: Vec<RecordBatch>) -> Result<Vec<RecordBatch>, ArrowError> {
    let each = batches.len().div_ceil(MOST_BATCHES);
    if each <= 1 {
        return Ok(batches);
    }
    batches.chunks(each).map(|some| concat_batches(some[0].schema_ref(), some)).collect()
}

/// Removes from tables what repositories have in a newer state in that of another model.
async fn remove_left(place: &Place, tables: &mut Tables) -> Result<Attempt> {
    for (table, repositories) in std::mem::take(&mut tables.left) {
        let Some(dataset) = tables.opened.get_mut(&table) else { continue };
        if repositories.is_empty() {
            continue;
        }
        let theirs = table::is_one_of("repo", repositories.iter().map(String::as_str));
        // Tried again, it would take away what a repository that came back has there since.
        let delete = DeleteBuilder::new(Arc::new(dataset.clone()), theirs).conflict_retries(0);
        let before = dataset.version().version;
        match delete.execute().await {
            Ok(done) => *dataset = Arc::unwrap_or_clone(done.new_dataset),
            Err(cause) if is_overtaken(&cause) => return Ok(Attempt::Overtaken),
            Err(cause) => return Err(FleetError::of(&place.address, &cause)),
        }
        if dataset.version().version > before + 1 {
            return Ok(Attempt::Again);
        }
    }
    Ok(Attempt::Done)
}

/// Puts rows in the place of all that the repositories have, in one commit; what is the same stays as it
/// is.
async fn replace(
    dataset: Dataset,
    rows: Vec<RecordBatch>,
    theirs: &str,
    folded: &mut Folded,
) -> lance::Result<Dataset> {
    let mut builder = MergeInsertBuilder::try_new(Arc::new(dataset.clone()), vec![KEY.to_owned()])?;
    builder
        .when_matched(WhenMatched::update_if(&dataset, "source.digest != target.digest")?)
        .when_not_matched(WhenNotMatched::InsertAll)
        .when_not_matched_by_source(WhenNotMatchedBySource::delete_if(&dataset, theirs)?)
        .skip_auto_cleanup(true)
        // Whoever is overtaken looks at everything again: at which state is the newer, above all.
        .conflict_retries(0);
    let (dataset, stats) = builder.try_build()?.execute_batches(rows).await?;
    folded.inserted += stats.num_inserted_rows;
    folded.updated += stats.num_updated_rows;
    folded.deleted += stats.num_deleted_rows;
    Ok(Arc::unwrap_or_clone(dataset))
}

/// Packs and indexes the tables as they are after the last commit, and says whether there was anything to do.
async fn tend_all(place: &Place, tables: BTreeMap<String, Dataset>, always: bool) -> Result<bool> {
    let mut is_done = false;
    for mut dataset in tables.into_values() {
        match table::tend(&mut dataset, always).await {
            Ok(done) => is_done |= done,
            // Whoever committed meanwhile tends it the next time.
            Err(cause) if is_overtaken(&cause) => {}
            Err(cause) => return Err(FleetError::of(&place.address, &cause)),
        }
    }
    Ok(is_done)
}
