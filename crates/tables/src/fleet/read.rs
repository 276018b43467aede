//! Reading: which chunks of a table may answer a question, by their words and by their meaning.
//!
//! Owns how they are looked for, and which of them are worth a request: the indexes say where chunks
//! stand, and only the best of them by both are read. What ranks them looks at these anew. A condition
//! of the caller holds before anything is chosen, so that what it forbids is never counted either.

use std::{
    collections::{BTreeMap, HashMap, HashSet},
    sync::Arc,
};

use arrow::{
    array::{AsArray as _, Float16Array, RecordBatch},
    datatypes::{Float16Type, Float32Type, UInt64Type},
};
use elophanto_index::{
    Kind,
    apart::{Row, Whole},
};
use futures::TryStreamExt as _;
use half::f16;
use lance::{
    Dataset,
    dataset::{ProjectionRequest, scanner::Scanner},
    index::{DatasetIndexExt as _, DatasetIndexInternalExt as _},
};
use lance_index::{
    metrics::NoOpMetricsCollector,
    scalar::{
        FullTextSearchQuery,
        inverted::{InvertedIndex, query::MatchQuery},
    },
};
use lance_linalg::distance::DistanceType;
use tokio::sync::OnceCell;

use super::{
    choose::{Listed, choose},
    columns::{self, HEAD, PACKED, TERMS, VECTOR},
    error::{FleetError, Result},
    head::Head,
    table,
};
use crate::store::{Address, Place};

/// Partitions of an index of vectors that are looked through.
const PROBES: usize = 20;
/// So many times as many chunks are listed by meaning as by words: what the index says of a vector is
/// not exact, and a chunk that is listed by both stands where both say.
const WIDER: usize = 4;
/// Terms that are counted in some repositories alone, each with a look into the index.
const MOST_COUNTED: usize = 32;
/// What Lance calls a row, how well its words meet a question, and how far its vector is from it.
const ROW: &str = "_rowid";
const SCORE: &str = "_score";
const DISTANCE: &str = "_distance";

/// What may be found, before anything is chosen.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Only {
    /// These repositories; `None` is all.
    pub repositories: Option<Vec<String>>,
    /// These kinds; all if empty.
    pub kinds: Vec<Kind>,
    /// Names of these scopes; all if empty.
    pub scopes: Vec<String>,
    /// Changed at or after, and before, in seconds since 1970.
    pub since: Option<i64>,
    pub until: Option<i64>,
    /// Paths that begin with one of these; all if empty.
    pub beginnings: Vec<String>,
}

impl Only {
    /// The condition in SQL; repositories of `but` have a newer state elsewhere.
    fn sql(&self, but: &[String]) -> String {
        let mut all = Vec::new();
        if let Some(repositories) = &self.repositories {
            all.push(table::is_one_of("repo", repositories.iter().map(String::as_str)));
        }
        if !but.is_empty() {
            all.push(format!("NOT ({})", table::is_one_of("repo", but.iter().map(String::as_str))));
        }
        if !self.kinds.is_empty() {
            all.push(table::is_one_of("kind", self.kinds.iter().map(|kind| kind.name())));
        }
        if !self.scopes.is_empty() {
            all.push(table::is_one_of("scope", self.scopes.iter().map(String::as_str)));
        }
        if let Some(since) = self.since {
            all.push(format!("changed >= {since}"));
        }
        if let Some(until) = self.until {
            all.push(format!("(changed IS NULL OR changed < {until})"));
        }
        if !self.beginnings.is_empty() {
            let begins =
                |text: &String| format!("starts_with(path, '{}')", text.replace('\'', "''"));
            let begins: Vec<String> = self.beginnings.iter().map(begins).collect();
            all.push(format!("({})", begins.join(" OR ")));
        }
        all.join(" AND ")
    }

    /// Whether a row is of a repository that was asked for: what a store answers is looked at all the
    /// same.
    fn allows(&self, row: &Row) -> bool {
        let is_it = |name: &String| *name == row.repository;
        self.repositories.as_ref().is_none_or(|names| names.iter().any(is_it))
    }
}

/// A question, for one table.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Asked {
    /// Terms that are looked for; by words only if there are any.
    pub terms: Vec<String>,
    /// The question as a vector of the model of the table; by meaning only if there is one.
    pub vector: Option<Vec<f32>>,
    pub only: Only,
    /// So many chunks by words, and so many by meaning, are listed.
    pub most: usize,
    /// So many of them are read, the best by both; no more than half as many again, the best by each; and
    /// of each some that the other says least of.
    pub read: usize,
    /// How much meaning counts of a total of one.
    pub meaning: f32,
    /// Whether all that the condition lets through is counted: see [`Whole::among`].
    pub counted: bool,
}

/// What a table has to say to a question.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Found {
    pub rows: Vec<Row>,
    /// How many words to look for each of them has.
    words: Vec<usize>,
    /// What they were chosen from.
    pub whole: Whole,
}

impl Found {
    fn new(chunks: Vec<(Row, usize)>, whole: Whole) -> Self {
        let (rows, words) = chunks.into_iter().unzip();
        let mut found = Self { rows, words, whole };
        found.count();
        found
    }

    /// Keeps some of the chunks.
    pub fn retain(&mut self, is_kept: impl Fn(&Row) -> bool) {
        let kept = std::mem::take(&mut self.rows).into_iter().zip(std::mem::take(&mut self.words));
        (self.rows, self.words) = kept.filter(|(row, _)| is_kept(row)).unzip();
        self.count();
    }

    fn count(&mut self) {
        let words = self.words.iter().sum::<usize>();
        self.whole.mean_at_hand = words as f32 / self.words.len().max(1) as f32;
    }
}

/// A table as it was when it was opened.
#[derive(Clone)]
pub(super) struct Opened {
    name: String,
    pub(super) model: String,
    pub(super) dimension: usize,
    pub(super) heads: Arc<BTreeMap<String, Head>>,
    /// Repositories of which another table holds a newer state.
    but: Arc<Vec<String>>,
    dataset: Arc<Dataset>,
    /// Counted when words are first asked for.
    tail: Arc<OnceCell<Tail>>,
    /// Whether it holds lessons; looked for with the first question.
    lessons: Arc<OnceCell<bool>>,
}

/// Words of chunks that the index of words does not hold yet: few, for folding brings it up to date.
struct Tail {
    words: u64,
    chunks: usize,
    /// How many chunks of each repository hold a term.
    holding: HashMap<String, BTreeMap<Arc<str>, usize>>,
}

impl Tail {
    async fn read(dataset: &Dataset) -> lance::Result<Self> {
        let mut tail = Self { words: 0, chunks: 0, holding: HashMap::new() };
        let fragments = dataset.unindexed_fragments(table::WORDS).await?;
        if fragments.is_empty() {
            return Ok(tail);
        }
        let mut scan = dataset.scan();
        scan.with_fragments(fragments).project(&[TERMS, "repo"])?;
        let mut names: BTreeMap<String, Arc<str>> = BTreeMap::new();
        let mut stream = scan.try_into_stream().await?;
        while let Some(batch) = stream.try_next().await? {
            let column = |name| batch.column_by_name(name).and_then(|it| it.as_string_opt::<i32>());
            let (Some(texts), Some(repositories)) = (column(TERMS), column("repo")) else {
                continue;
            };
            for (text, repository) in texts.iter().zip(repositories) {
                // Heads have none.
                let (Some(text), Some(repository)) = (text, repository) else { continue };
                let repository = match names.get(repository) {
                    Some(known) => known.clone(),
                    None => names.entry(repository.to_owned()).or_insert(repository.into()).clone(),
                };
                tail.chunks += 1;
                let mut seen = HashSet::new();
                for term in text.split_ascii_whitespace() {
                    tail.words += 1;
                    if seen.insert(term) {
                        let of_term = tail.holding.entry(term.to_owned()).or_default();
                        *of_term.entry(repository.clone()).or_default() += 1;
                    }
                }
            }
        }
        Ok(tail)
    }

    /// How many chunks hold a term, of the repositories that may be counted.
    fn holding(&self, term: &str, counts: impl Fn(&str) -> bool) -> usize {
        let of_term = self.holding.get(term).into_iter().flatten();
        of_term.filter(|(repository, _)| counts(repository)).map(|(_, chunks)| chunks).sum()
    }
}

impl Opened {
    /// Opens all tables: the newest version of each, or that of a moment in seconds since 1970. What is
    /// as it was `before` is not read again.
    pub(super) async fn all(place: &Place, at: Option<i64>, before: &[Self]) -> Result<Vec<Self>> {
        let of = |cause| FleetError::of(&place.address, &cause);
        let mut all = Vec::new();
        for name in table::names(place).await? {
            let known = before.iter().find(|opened| opened.name == name);
            let opened = match (at, known) {
                (None, Some(known)) => known.newer().await.map_err(of)?,
                _ => {
                    let opened = table::open(place, &name, &place.params).await.map_err(of)?;
                    let Some(dataset) = opened else { continue };
                    let Some(dataset) = at_moment(dataset, at).await.map_err(of)? else { continue };
                    Self::of(name, dataset).await.map_err(of)?
                }
            };
            all.push(opened);
        }
        if all.is_empty() && at.is_some() {
            let days = table::KEPT_DAYS.unsigned_abs();
            return Err(FleetError::TooOld { place: place.address.to_string(), days });
        }
        for index in 0..all.len() {
            let is_older = |head: &&Head| {
                let others = all.iter().enumerate().filter(|(other, _)| *other != index);
                let mut same = others.filter_map(|(_, other)| other.heads.get(&head.repository));
                same.any(|other| other.order(head).is_gt())
            };
            let but = all[index].heads.values().filter(is_older);
            all[index].but = Arc::new(but.map(|head| head.repository.clone()).collect());
        }
        Ok(all)
    }

    async fn of(name: String, dataset: Dataset) -> lance::Result<Self> {
        let heads = Arc::new(table::heads(&dataset).await?);
        let model = table::model_of(&dataset).unwrap_or_default();
        let dimension = table::dimension_of(&dataset).unwrap_or_default();
        let dataset = Arc::new(dataset);
        Ok(Self {
            name,
            model,
            dimension,
            heads,
            but: Arc::default(),
            dataset,
            tail: Arc::default(),
            lessons: Arc::default(),
        })
    }

    /// The newest version, which may be this one.
    async fn newer(&self) -> lance::Result<Self> {
        let mut dataset = Dataset::clone(&self.dataset);
        dataset.checkout_latest().await?;
        let (now, before) = (dataset.manifest_location(), self.dataset.manifest_location());
        // Who removes a table and makes it again begins anew to count its versions.
        if now.version == before.version && now.e_tag.is_some() && now.e_tag == before.e_tag {
            return Ok(self.clone());
        }
        Self::of(self.name.clone(), dataset).await
    }

    /// The states of repositories of which this table holds the newest.
    pub(super) fn newest(&self) -> impl Iterator<Item = &Head> {
        self.heads.values().filter(|head| !self.but.contains(&head.repository))
    }

    /// Those of them that are to be found.
    pub(super) fn current(&self) -> impl Iterator<Item = &Head> {
        self.newest().filter(|head| !head.retired)
    }

    /// Chunks that may answer.
    pub(super) async fn ask(&self, address: &Address, asked: Asked) -> Result<Found> {
        let of = |cause| FleetError::of(address, &cause);
        let Asked { terms, vector, mut only, most, read, meaning, counted } = asked;
        if only.repositories.as_ref().is_some_and(Vec::is_empty) {
            return Ok(Found::default());
        }
        // A condition that lets everything through is half the work of a question.
        let is_all = Kind::SEARCHED.iter().all(|kind| only.kinds.contains(kind));
        if is_all && self.lessons.get() == Some(&false) {
            only.kinds.clear();
        }
        let condition = only.sql(&self.but);
        let by_words = async {
            let Some(mut scan) = self.scan(&condition)?.filter(|_| !terms.is_empty()) else {
                return Ok(Vec::new());
            };
            let query = MatchQuery::new(terms.join(" ")).with_column(Some(TERMS.to_owned()));
            let query = FullTextSearchQuery::new_query(query.into()).limit(Some(most as i64));
            scan.full_text_search(query)?;
            listed(scan, SCORE).await
        };
        let by_meaning = async {
            let vector = vector.as_ref().filter(|vector| vector.len() == self.dimension);
            let (Some(mut scan), Some(vector)) = (self.scan(&condition)?, vector) else {
                return Ok(Vec::new());
            };
            let vector: Float16Array =
                arrow::array::PrimitiveArray::<Float16Type>::from_iter_values(
                    vector.iter().map(|value| f16::from_f32(*value)),
                );
            scan.nearest(VECTOR, &vector, most * WIDER)?;
            scan.distance_metric(DistanceType::Cosine).nprobes(PROBES);
            let near = listed(scan, DISTANCE).await?;
            // As cosines.
            Ok(near.into_iter().map(|Listed { row, by }| Listed { row, by: 1.0 - by }).collect())
        };
        let among = async {
            match counted && !condition.is_empty() {
                true => self.dataset.count_rows(Some(condition.clone())).await,
                false => Ok(0),
            }
        };
        let whole = async {
            match &only.repositories {
                None => self.whole(&terms).await,
                Some(repositories) => self.whole_of(&terms, repositories).await,
            }
        };
        let lessons = async {
            match is_all {
                true => self.has_lessons().await,
                false => Ok(false),
            }
        };
        let (by_words, by_meaning, mut whole, among, _) =
            futures::try_join!(by_words, by_meaning, whole, among, lessons).map_err(of)?;
        whole.among = among;
        let chosen = choose(&by_words, &by_meaning, meaning, read);
        let mut chunks = self.read(&chosen).await.map_err(of)?;
        chunks.retain(|(row, _)| only.allows(row));
        // In one order, however they lie in the table.
        chunks.sort_by(|(a, _), (b, _)| {
            let key = |row: &Row| (row.kind, row.lines);
            (&a.repository, &a.path, key(a), &a.text).cmp(&(
                &b.repository,
                &b.path,
                key(b),
                &b.text,
            ))
        });
        Ok(Found::new(chunks, whole))
    }

    /// The chunks of these rows.
    async fn read(&self, rows: &[u64]) -> lance::Result<Vec<(Row, usize)>> {
        if rows.is_empty() {
            return Ok(Vec::new());
        }
        let packed = ProjectionRequest::from_columns([PACKED], self.dataset.schema());
        Ok(columns::chunks(&self.dataset.take_rows(rows, packed).await?))
    }

    /// A scan of what a condition lets through; `None` where it cannot let anything.
    fn scan(&self, condition: &str) -> lance::Result<Option<Scanner>> {
        if self.dimension == 0 {
            return Ok(None);
        }
        let mut scan = self.dataset.scan();
        if !condition.is_empty() {
            scan.filter(condition)?.prefilter(true);
        }
        Ok(Some(scan))
    }

    /// How many chunks there are, and hold a term: as the index of words has it, and in what was folded
    /// since.
    async fn whole(&self, terms: &[String]) -> lance::Result<Whole> {
        let mut whole = Whole::default();
        if terms.is_empty() {
            return Ok(whole);
        }
        let (mut words, mut holding) = (0, vec![0; terms.len()]);
        for index in self.dataset.load_indices_by_name(table::WORDS).await? {
            let metrics = NoOpMetricsCollector;
            let index = self.dataset.open_scalar_index(TERMS, &index.uuid, &metrics).await?;
            let Some(index) = index.as_any().downcast_ref::<InvertedIndex>() else { continue };
            let (all, chunks, of_terms) = index.bm25_stats_for_terms(terms, None).await?;
            words += all;
            whole.chunks += chunks;
            holding.iter_mut().zip(of_terms).for_each(|(sum, more)| *sum += more);
        }
        let tail = self.tail.get_or_try_init(|| Tail::read(&self.dataset)).await?;
        words += tail.words;
        whole.chunks += tail.chunks;
        for (sum, term) in holding.iter_mut().zip(terms) {
            *sum += tail.holding(term, |_| true);
        }
        whole.mean_words = words as f32 / whole.chunks.max(1) as f32;
        whole.holding = terms.iter().cloned().zip(holding).collect();
        Ok(whole)
    }

    /// The same of some repositories alone: how often others write a word is not to be told by how a hit
    /// is weighed.
    async fn whole_of(&self, terms: &[String], repositories: &[String]) -> lance::Result<Whole> {
        let is_one = |name: &str| repositories.iter().any(|one| one == name);
        let theirs = self.newest().filter(|head| is_one(&head.repository));
        let mut whole =
            Whole { chunks: theirs.map(|head| head.chunks as usize).sum(), ..Whole::default() };
        if terms.is_empty() {
            return Ok(whole);
        }
        let only = Only { repositories: Some(repositories.to_vec()), ..Only::default() };
        let condition = only.sql(&self.but);
        let tail = self.tail.get_or_try_init(|| Tail::read(&self.dataset)).await?;
        let counting = terms.iter().take(MOST_COUNTED).map(|term| async {
            let mut chunks = tail.holding(term, is_one);
            if let Some(mut scan) = self.scan(&condition)? {
                let query = MatchQuery::new(term.clone()).with_column(Some(TERMS.to_owned()));
                // What the index does not hold has just been counted.
                scan.full_text_search(FullTextSearchQuery::new_query(query.into()))?.fast_search();
                chunks += listed(scan, SCORE).await?.len();
            }
            Ok::<_, lance::Error>((term.clone(), chunks))
        });
        whole.holding = futures::future::try_join_all(counting).await?.into_iter().collect();
        Ok(whole)
    }

    async fn has_lessons(&self) -> lance::Result<bool> {
        let count = async || {
            let is_lesson = table::is_one_of("kind", [Kind::Memory.name()]);
            Ok(self.dataset.count_rows(Some(is_lesson)).await? > 0)
        };
        self.lessons.get_or_try_init(count).await.copied()
    }

    /// Loads what every question reads.
    pub(super) async fn warm(&self) -> lance::Result<()> {
        self.has_lessons().await?;
        for name in [table::WORDS, table::VECTORS] {
            if !self.dataset.load_indices_by_name(name).await?.is_empty() {
                self.dataset.prewarm_index(name).await?;
            }
        }
        Ok(())
    }

    /// All chunks, batch by batch.
    pub(super) async fn each(
        &self,
        only: Only,
        mut take: impl FnMut(Vec<Row>) -> bool + Send,
    ) -> lance::Result<()> {
        let condition = only.sql(&self.but);
        let condition = match condition.is_empty() {
            true => format!("kind != '{HEAD}'"),
            false => format!("kind != '{HEAD}' AND {condition}"),
        };
        let Some(mut scan) = self.scan(&condition)? else { return Ok(()) };
        scan.project(&[PACKED])?;
        let mut stream = scan.try_into_stream().await?;
        while let Some(batch) = stream.try_next().await? {
            if !take(columns::chunks(&batch).into_iter().map(|(row, _)| row).collect()) {
                break;
            }
        }
        Ok(())
    }
}

/// A table as it was at a moment in seconds since 1970, if it was there.
async fn at_moment(dataset: Dataset, at: Option<i64>) -> lance::Result<Option<Dataset>> {
    let Some(at) = at else { return Ok(Some(dataset)) };
    let versions = dataset.versions().await?;
    let then = versions.iter().rfind(|version| version.timestamp.timestamp() <= at);
    match then {
        Some(then) => dataset.checkout_version(then.version).await.map(Some),
        None => Ok(None),
    }
}

/// Where the rows that a scan finds stand: nothing of them is read.
async fn listed(mut scan: Scanner, by: &str) -> lance::Result<Vec<Listed>> {
    scan.project(&[ROW, by])?.disable_scoring_autoprojection();
    let batches: Vec<RecordBatch> = scan.try_into_stream().await?.try_collect().await?;
    let of_batch = |batch: &RecordBatch| {
        let rows = batch.column_by_name(ROW)?.as_primitive_opt::<UInt64Type>()?.values().to_vec();
        let by = batch.column_by_name(by)?.as_primitive_opt::<Float32Type>()?.values().to_vec();
        Some(rows.into_iter().zip(by).map(|(row, by)| Listed { row, by }).collect::<Vec<_>>())
    };
    Ok(batches.iter().filter_map(of_batch).flatten().collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_text_leaves_its_quotes() {
        let only = Only {
            repositories: Some(vec!["a') OR ('1'='1".to_owned()]),
            kinds: vec![Kind::Note],
            since: Some(5),
            until: Some(9),
            beginnings: vec!["it's/".to_owned()],
            ..Only::default()
        };
        assert_eq!(
            only.sql(&[]),
            "repo IN ('a'') OR (''1''=''1') AND kind IN ('note') AND changed >= 5 AND \
             (changed IS NULL OR changed < 9) AND (starts_with(path, 'it''s/'))"
        );
        let nobody = Only { repositories: Some(Vec::new()), ..Only::default() };
        assert_eq!(nobody.sql(&[]), "false");
        assert_eq!(Only::default().sql(&[]), "");
    }
}
