//! One table of chunks: all vectors of one model. Opening, making and tending it.

use std::collections::{BTreeMap, BTreeSet};

use arrow::{array::RecordBatch, datatypes::Schema};
use chrono::TimeDelta;
use futures::{
    TryStreamExt as _,
    future::{join_all, try_join_all},
};
use lance::{
    Dataset,
    dataset::{
        CommitBuilder, InsertBuilder, WriteParams,
        builder::DatasetBuilder,
        optimize::{CompactionOptions, compact_files},
        transaction::Transaction,
    },
    index::{
        DatasetIndexExt as _, DatasetIndexInternalExt as _,
        optimize::{
            IndexSegmentResult, OptimizeIndexTask, commit_optimize_indices, plan_optimize_indices,
        },
        vector::VectorIndexParams,
    },
};
use lance_index::{
    IndexParams, IndexType,
    optimize::OptimizeOptions,
    scalar::{BuiltinIndexType, InvertedIndexParams, ScalarIndexParams},
};
use lance_io::object_store::ObjectStoreParams;
use lance_linalg::distance::DistanceType;

use super::{
    columns::{self, HEAD, HEADS, KEY, MODEL, TERMS, VECTOR},
    head::Head,
};
use crate::store::Place;

/// The name of the index of words.
pub(super) const WORDS: &str = "words";
/// The name of that of vectors.
pub(super) const VECTORS: &str = "vectors";
/// All indexes. None of keys: a merge that removes what a source no longer has reads the whole column.
const INDEXES: [&str; 4] = [WORDS, VECTORS, "repo", "kind"];
const PREFIX: &str = "chunks-";
const SUFFIX: &str = ".lance";
/// Fragments that may gather before they are joined: each costs a search some requests.
pub(super) const MOST_FRAGMENTS: usize = 20;
/// Rows that may lie beside the indexes: each search reads the words and the vectors of them all.
const MOST_TAIL: usize = 1_000;
/// Rows of the new part of an index: it is made again with each tail, and joined with the old part once it
/// has as many.
const MOST_NEW: usize = 20_000;
/// Of a large table the new part has up to one of so many rows of the old one: joining costs as much as all
/// rows, and is the rarer.
const MOST_JOINS: usize = 32;
/// Bytes of new parts that are read before they are joined.
const MOST_AHEAD: u64 = 64 << 20;
/// Rows from which on vectors have an index: below, all of them are a few megabytes.
const WORTH_AN_INDEX: usize = 10_000;
/// Rows of one partition of that index.
const PARTITION: usize = 3_000;
/// Rows of a fragment.
const FRAGMENT: usize = 1 << 20;
/// What was there is there for so many days.
pub(super) const KEPT_DAYS: i64 = 7;

/// The name of the table of a model.
pub(super) fn name_of(model: &str) -> String {
    format!("{PREFIX}{}{SUFFIX}", &blake3::hash(model.as_bytes()).to_hex()[..16])
}

/// The names of all tables at a place.
pub(super) async fn names(place: &Place) -> Result<Vec<String>, crate::store::StoreError> {
    let mut names = place.folders("").await?;
    names.retain(|name| name.starts_with(PREFIX) && name.ends_with(SUFFIX));
    names.sort();
    Ok(names)
}

fn params(place: &Place) -> WriteParams {
    WriteParams {
        session: Some(place.session.clone()),
        store_params: Some(ObjectStoreParams::default()),
        max_rows_per_file: FRAGMENT,
        enable_v2_manifest_paths: true,
        // Old versions are cleaned by folding, after as long as is promised.
        auto_cleanup: None,
        ..WriteParams::default()
    }
}

/// Opens a table as it is now. Where there is no version of it, somebody is about to make it.
pub(super) async fn open(
    place: &Place,
    name: &str,
    params: &ObjectStoreParams,
) -> lance::Result<Option<Dataset>> {
    let load = || {
        let builder = DatasetBuilder::from_uri(place.table(name));
        builder.with_session(place.session.clone()).with_store_params(params.clone()).load()
    };
    let cause = match load().await {
        Err(cause @ lance::Error::DatasetNotFound { .. }) => cause,
        loaded => return loaded.map(Some),
    };
    // Lance says so too of a version that is listed and cannot be read.
    match place.list(&format!("{name}/_versions")).await {
        Ok(versions) if versions.found.is_empty() => Ok(None),
        // It may have been made just now.
        Ok(_) => load().await.map(Some),
        Err(_) => Err(cause),
    }
}

/// Makes a table that has no rows, with its indexes, unless somebody else makes it meanwhile.
pub(super) async fn make(
    place: &Place,
    name: &str,
    model: &str,
    dimension: usize,
) -> lance::Result<()> {
    let empty = empty(place, name, model, dimension).await?;
    let mut dataset = begin(place, name, empty).await?;
    scalar_indexes(&mut dataset).await?;
    Ok(())
}

/// The first version of a table that is not there, not committed.
pub(super) async fn empty(
    place: &Place,
    name: &str,
    model: &str,
    dimension: usize,
) -> lance::Result<Transaction> {
    let uri = place.table(name);
    let rows = RecordBatch::new_empty(columns::schema(model, dimension));
    InsertBuilder::new(uri.as_str())
        .with_params(&params(place))
        .execute_uncommitted(vec![rows])
        .await
}

/// Commits the first version of a table, or opens what others committed before.
///
/// To Lance it overwrites what is there: a commit that may be retried is carried over whatever was
/// committed meanwhile, rows of others too. This one may not: it is the first version or none.
pub(super) async fn begin(place: &Place, name: &str, empty: Transaction) -> lance::Result<Dataset> {
    let commit = CommitBuilder::new(place.table(name).as_str())
        .with_session(place.session.clone())
        .with_store_params(ObjectStoreParams::default())
        .enable_v2_manifest_paths(true)
        .with_skip_auto_cleanup(true)
        .with_max_retries(0)
        .execute(empty)
        .await;
    match commit {
        Ok(dataset) => Ok(dataset),
        Err(cause) => open(place, name, &ObjectStoreParams::default()).await?.ok_or(cause),
    }
}

/// Makes the indexes of words, repositories and kinds that there are not, and says whether there
/// were such: who made the table may have been ended before.
pub(super) async fn scalar_indexes(dataset: &mut Dataset) -> lance::Result<bool> {
    let there = dataset.load_indices().await?;
    let missing = |name: &str| there.iter().all(|index| index.name != name);
    let words = InvertedIndexParams::default()
        .base_tokenizer("whitespace".to_owned())
        .lower_case(false)
        .stem(false)
        .remove_stop_words(false)
        .ascii_folding(false)
        .max_token_length(None)
        .with_position(false);
    let bitmap = ScalarIndexParams::for_builtin(BuiltinIndexType::Bitmap);
    let wanted: [(&str, &str, IndexType, &dyn IndexParams); 3] = [
        ("repo", "repo", IndexType::Bitmap, &bitmap),
        ("kind", "kind", IndexType::Bitmap, &bitmap),
        (TERMS, WORDS, IndexType::Inverted, &words),
    ];
    let mut is_new = false;
    for (column, name, kind, params) in wanted {
        if missing(name) {
            dataset.create_index(&[column], kind, Some(name.to_owned()), params, false).await?;
            is_new = true;
        }
    }
    Ok(is_new)
}

/// Makes the index of vectors once it is worth it.
async fn vector_index(dataset: &mut Dataset) -> lance::Result<()> {
    let there = dataset.load_indices_by_name(VECTORS).await?;
    let rows = dataset.count_rows(None).await?;
    // One bit for each component, packed in bytes. Vectors that fill none are all looked at.
    let dimension = dimension_of(dataset).unwrap_or_default();
    if there.is_empty() && rows >= WORTH_AN_INDEX && dimension.is_multiple_of(8) {
        let partitions = rows.div_ceil(PARTITION);
        let name = Some(VECTORS.to_owned());
        let params = VectorIndexParams::ivf_rq(partitions, 1, DistanceType::Cosine);
        dataset.create_index(&[VECTOR], IndexType::Vector, name, &params, false).await?;
    }
    Ok(())
}

/// The model of a table.
pub(super) fn model_of(dataset: &Dataset) -> Option<String> {
    dataset.schema().metadata.get(MODEL).cloned()
}

/// The components of its vectors.
pub(super) fn dimension_of(dataset: &Dataset) -> Option<usize> {
    let schema: Schema = dataset.schema().into();
    match schema.field_with_name(VECTOR).ok()?.data_type() {
        arrow::datatypes::DataType::FixedSizeList(_, dimension) => usize::try_from(*dimension).ok(),
        _ => None,
    }
}

/// The heads in a table, by repository.
pub(super) async fn heads(dataset: &Dataset) -> lance::Result<BTreeMap<String, Head>> {
    let mut scan = dataset.scan();
    scan.project(&HEADS)?.filter(&format!("kind = '{HEAD}'"))?;
    let batches: Vec<RecordBatch> = scan.try_into_stream().await?.try_collect().await?;
    let heads = batches.iter().filter_map(columns::heads).flatten();
    Ok(heads.map(|head| (head.repository.clone(), head)).collect())
}

/// Joins small fragments and lets go of old versions once that is worth it, and brings the indexes up to
/// date: says whether there was anything to do.
pub(super) async fn tend(dataset: &mut Dataset, always: bool) -> lance::Result<bool> {
    let is_scattered = always || dataset.count_fragments() >= MOST_FRAGMENTS;
    if !is_scattered && unindexed(dataset).await? < MOST_TAIL {
        return Ok(false);
    }
    if is_scattered {
        let target_rows_per_fragment = FRAGMENT;
        let options = CompactionOptions { target_rows_per_fragment, ..Default::default() };
        compact_files(dataset, options, None).await?;
    }
    // Earlier versions made one, which nothing needs: see `INDEXES`.
    if !dataset.load_indices_by_name(KEY).await?.is_empty() {
        dataset.drop_index(KEY).await?;
    }
    scalar_indexes(dataset).await?;
    vector_index(dataset).await?;
    update_indexes(dataset, always).await?;
    if is_scattered {
        let kept = TimeDelta::days(KEPT_DAYS);
        dataset.cleanup_old_versions(kept, None, None).await?;
    }
    Ok(true)
}

/// Reads what will be joined of indexes if so many rows come, so that it is kept by then: whoever joins a
/// part asks for one of its files after the other.
pub(super) async fn read_ahead(place: &Place, dataset: &Dataset, rows: usize) {
    if rows < MOST_TAIL || place.address.is_folder() {
        return;
    }
    let (Ok(parts), Ok(store)) = (dataset.load_indices().await, dataset.object_store(None).await)
    else {
        return;
    };
    let mut known = BTreeSet::new();
    let mut left = MOST_AHEAD;
    let mut reading = Vec::new();
    for part in parts.iter() {
        let is_old = known.insert(&part.name);
        if is_old && part.name == WORDS {
            continue;
        }
        for file in part.files.iter().flatten() {
            let (store, folder) = (&store, dataset.indices_dir().join(part.uuid.to_string()));
            let path = folder.join(file.path.as_str());
            let fits = left.checked_sub(file.size_bytes);
            let is_whole = !is_old && fits.is_some();
            if is_whole {
                left = fits.unwrap_or_default();
            }
            // What cannot be read now is asked for again.
            reading.push(async move {
                // The end of an old part comes with its size, and says where what stands.
                let _ = store.size(&path).await;
                if is_whole {
                    let _ = store.read_one_all(&path).await;
                }
            });
        }
    }
    join_all(reading).await;
}

/// Brings all indexes up to date side by side: of each, most of the time is waiting for the store.
async fn update_indexes(dataset: &mut Dataset, always: bool) -> lance::Result<()> {
    let there = dataset.load_indices().await?;
    let is_there = |name: &&str| there.iter().any(|part| part.name == *name);
    let names = INDEXES.into_iter().filter(is_there);
    let updating = names.map(|name| updated(dataset, name, always));
    let updated = try_join_all(updating).await?.into_iter().flatten().collect();
    commit_optimize_indices(dataset, updated, &OptimizeOptions::default()).await
}

/// The parts of an index that hold what it does not yet, and replace others. It has an old part and a new
/// one, so that what is new takes no longer where there is much that is old; of words a newest one too.
async fn updated(
    dataset: &Dataset,
    name: &str,
    always: bool,
) -> lance::Result<Vec<IndexSegmentResult>> {
    let parts = dataset.load_indices_by_name(name).await?;
    let old = parts.first().and_then(|part| part.fragment_bitmap.clone()).unwrap_or_default();
    let (mut of_old, mut of_new) = (0, 0);
    for fragment in dataset.get_fragments() {
        let rows = fragment.metadata().num_rows().unwrap_or_default();
        *if old.contains(fragment.id() as u32) { &mut of_old } else { &mut of_new } += rows;
    }
    let is_joined = always || of_new >= MOST_NEW.max(of_old / MOST_JOINS);
    let is_whole = parts.len() < 2 || !is_joined;
    let is_new = !dataset.unindexed_fragments(name).await?.is_empty();
    if is_whole && !is_new {
        return Ok(Vec::new());
    }
    let joined = if is_joined { parts.len() } else { parts.len().saturating_sub(1) };
    // Words are joined one after the other, and only then new ones are read: side by side takes as long as
    // the longer of the two.
    let is_apart = name == WORDS && is_new && !always;
    let merged = if is_apart { 0 } else { joined };
    let mut options = OptimizeOptions::merge(merged).index_names(vec![name.to_owned()]);
    if name == VECTORS && is_joined {
        // What has grown too large for a partition is split; the two parts else have the same.
        options = options.with_partition_rebalancing();
    }
    let mut plan = plan_optimize_indices(dataset, &options).await?;
    if is_apart {
        plan.tasks = plan.tasks.iter().flat_map(|task| apart(task, joined)).collect();
    }
    let built = try_join_all(plan.tasks.iter().map(|task| task.execute(dataset))).await?;
    let built: Vec<_> = built.into_iter().flatten().collect();
    if is_apart {
        return Ok(built);
    }
    let merged = plan.merges.iter().map(|merge| merge.execute(dataset, &built));
    Ok(try_join_all(merged).await?.into_iter().flatten().collect())
}

/// In place of a task that makes a part of what is new, the same and one that joins the newest parts. All
/// that a task names is opened, one after the other: each names what it needs.
fn apart(task: &OptimizeIndexTask, joined: usize) -> Vec<OptimizeIndexTask> {
    let parts = &task.old_segments;
    let newest = |many| parts.iter().skip(parts.len().saturating_sub(many)).cloned().collect();
    let joining = OptimizeIndexTask {
        fragments: Vec::new(),
        num_indices_to_merge: Some(joined),
        old_segments: newest(joined),
        ..task.clone()
    };
    let new = OptimizeIndexTask { old_segments: newest(1), ..task.clone() };
    if joined > 1 { vec![joining, new] } else { vec![new] }
}

/// Rows that the index of words does not hold.
async fn unindexed(dataset: &Dataset) -> lance::Result<usize> {
    let fragments = dataset.unindexed_fragments(WORDS).await?;
    Ok(fragments.iter().filter_map(|fragment| fragment.num_rows()).sum())
}

/// Words of SQL that say that a column is one of some texts.
pub(super) fn is_one_of<'t>(column: &str, texts: impl IntoIterator<Item = &'t str>) -> String {
    let quoted: Vec<String> =
        texts.into_iter().map(|text| format!("'{}'", text.replace('\'', "''"))).collect();
    match quoted.is_empty() {
        true => "false".to_owned(),
        false => format!("{column} IN ({})", quoted.join(", ")),
    }
}
