//! Asking a fleet: what its tables have to say, ranked as the notes of a repository are.
//!
//! Owns how a question becomes one for each table, and how their answers become one. Vectors of two
//! models are never compared: each table is ranked by its own model, what its scores say is where a hit
//! stands among those of its table, and they count as much as is believed of that table's answer.

use std::collections::BTreeMap;

use globset::GlobSet;
use rustc_hash::{FxHashMap, FxHashSet};

use super::{Reader, models};
use crate::{
    Error, Result,
    embedding::profiles,
    reporter::Reporter,
    search::{Found, SearchRequest, request, second},
    when::moment,
    workspace::{Workspace, now_nanoseconds},
};
use elophanto_index::{
    Kind,
    apart::{self, Row},
    search::{
        Answer, Filter, Hit, Mode, Query, Request, SearchError, SecondLook, run::SearchContext,
        search as rank,
    },
};
use elophanto_models::builtin::Builtin;
use elophanto_repo::NotePath;
use elophanto_tables::fleet::{Asked, Head, Only, Table};

/// Chunks that are looked at by words, and by meaning; and where a condition is left to be held against
/// what was found.
pub(super) const CANDIDATES: usize = 150;
pub(super) const MORE_CANDIDATES: usize = 1_500;
/// So many percent of them are read and ranked, for each is a request to the store.
const READ: usize = 60;

/// Where hits come from, by their paths.
#[derive(Debug, Clone, Default)]
pub struct Origins(BTreeMap<Vec<u8>, Source>);

/// Where a hit comes from.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Source {
    /// By its name in the fleet.
    pub repository: String,
    /// Its path in the repository.
    pub path: String,
    /// The commit that was published.
    pub commit: String,
    /// When that commit was made, in seconds since 1970.
    pub as_of: i64,
}

/// Repository and path of each place that was seen.
pub(super) type Places = BTreeMap<String, (String, String)>;

/// Notes where rows come from. Of two repositories, one of which is called as a folder of the other is,
/// two paths may be one place: the second one gets another.
pub(super) fn note_places(rows: &mut [Row], places: &mut Places) {
    for row in rows {
        let own = (row.repository.clone(), row.path.clone());
        while places.get(&row.place()).is_some_and(|known| *known != own) {
            row.path.insert_str(0, "./");
        }
        places.insert(row.place(), own);
    }
}

impl Origins {
    /// Of places, by the repository and the path of each, as the heads have them.
    pub(super) fn new(places: Places, heads: &[Head]) -> Self {
        let heads: BTreeMap<&str, &Head> =
            heads.iter().map(|head| (head.repository.as_str(), head)).collect();
        let source = |(place, (repository, path)): (String, (String, String))| {
            let head = heads.get(repository.as_str())?;
            let (commit, as_of) = (head.commit.clone(), head.time);
            Some((place.into_bytes(), Source { repository, path, commit, as_of }))
        };
        Self(places.into_iter().filter_map(source).collect())
    }

    /// Where this hit comes from; `None` of a hit of another answer.
    pub fn of(&self, hit: &Hit) -> Option<&Source> {
        self.at(&hit.path)
    }

    /// By the path of what was found.
    pub fn at(&self, path: &NotePath) -> Option<&Source> {
        self.0.get(path.as_bytes())
    }
}

/// Asks a fleet.
///
/// # Errors
/// When there is nothing to look for, a part of the request cannot be asked of a fleet, or the store
/// does not answer.
pub fn search(
    workspace: &Workspace,
    wanted: &SearchRequest,
    reader: &Reader,
    reporter: &dyn Reporter,
) -> Result<Found> {
    refuse(wanted)?;
    let query = Query::parse(&wanted.text, &workspace.analyzer);
    if query.is_empty() {
        return Err(Error::new("there is nothing to look for").hint("give a few words"));
    }
    let now = now_nanoseconds() / 1_000_000_000;
    let time = |text: &Option<String>| text.as_deref().map(|text| moment(text, now)).transpose();
    let (since, until, at) = (time(&wanted.since)?, time(&wanted.until)?, time(&wanted.at)?);
    let view = reader.look(at, reporter)?;
    let heads = view.heads();
    if heads.is_empty() {
        reporter.note("nothing is folded there yet: `elophanto publish --fold URL` does it");
    }
    let repositories = chosen(reader, heads)?;
    let paths = Paths::of(&wanted.paths)?;
    let beginnings = match &paths {
        None => Vec::new(),
        Some(paths) => paths.beginnings(repositories.as_deref(), heads),
    };
    let is_narrowed = paths.is_some() || !wanted.tags.is_empty() || !wanted.types.is_empty();
    let filter = Filter {
        kinds: wanted.kinds.clone(),
        types: wanted.types.clone(),
        scopes: wanted.scopes.clone(),
        tags: wanted.tags.clone(),
        since,
        until,
        ..Filter::default()
    };
    // Lessons are recalled in their own way.
    let kinds = match wanted.kinds.is_empty() {
        true => Kind::SEARCHED.to_vec(),
        false => wanted.kinds.clone(),
    };
    let only = Only {
        repositories,
        kinds,
        scopes: wanted.scopes.iter().map(|scope| scope.as_str().to_owned()).collect(),
        since,
        until,
        beginnings,
    };
    let mut asking = Asking {
        workspace,
        reader,
        wanted,
        query: &query,
        filter,
        only,
        paths,
        most: if is_narrowed { MORE_CANDIDATES } else { CANDIDATES },
        places: BTreeMap::new(),
    };
    let mut answers = Vec::new();
    for table in view.tables() {
        answers.push(asking.table(&table, reporter)?);
    }
    let mut answer = joined(answers);
    if let Some(least) = wanted.min_score {
        answer.hits.retain(|hit| hit.score.total >= least);
    }
    let limit = request::usual(workspace, &query).limit;
    let limit = wanted.most.map_or(limit, |most| most.min(limit));
    answer.keep(wanted.listing, limit, |_| true);
    let names = asking.only.repositories.as_ref();
    let is_findable = |head: &&Head| names.is_none_or(|names| names.contains(&head.repository));
    let findable = heads.iter().filter(is_findable);
    answer.notes = answer.notes.max(findable.map(|head| head.chunks as usize).sum());
    Ok(Found::of_fleet(answer, Origins::new(asking.places, heads)))
}

/// What only the repository itself can answer.
fn refuse(wanted: &SearchRequest) -> Result<()> {
    let said = [
        ("--like", wanted.like.is_some()),
        ("--changed-since", wanted.changed_since.is_some()),
        ("--author", wanted.author.is_some()),
    ];
    match said.iter().find(|(_, is_said)| *is_said) {
        None => Ok(()),
        Some((option, _)) => Err(Error::new(format_args!("`{option}` cannot be asked of a fleet"))
            .hint("ask the repository itself, in a clone")),
    }
}

/// The repositories that may be found; `None` is all.
pub(super) fn chosen(reader: &Reader, heads: &[Head]) -> Result<Option<Vec<String>>> {
    let wanted = &reader.repositories;
    if wanted.is_empty() && reader.rights.are_all() {
        return Ok(None);
    }
    let is_wanted = |name: &str| {
        let ends = |one: &String| {
            name == one || name.strip_suffix(one.as_str()).is_some_and(|rest| rest.ends_with('/'))
        };
        wanted.is_empty() || wanted.iter().any(ends)
    };
    let names = heads.iter().map(|head| head.repository.clone());
    let chosen: Vec<String> =
        names.filter(|name| reader.rights.allows(name) && is_wanted(name)).collect();
    if chosen.is_empty() && !wanted.is_empty() {
        let named = wanted.join("`, `");
        return Err(Error::new(format_args!("`{named}` is not among what may be found there"))
            .hint("`elophanto publish --list URL` lists the repositories"));
    }
    Ok(Some(chosen))
}

/// Patterns of paths, relative to each repository or behind its name, as hits have them.
struct Paths {
    patterns: GlobSet,
    typed: Vec<String>,
}

impl Paths {
    fn of(typed: &[String]) -> Result<Option<Self>> {
        let patterns = crate::search::patterns(typed)?;
        Ok(patterns.map(|patterns| Self { patterns, typed: typed.to_vec() }))
    }

    fn match_one(&self, row: &Row) -> bool {
        self.patterns.is_match(&row.path) || self.patterns.is_match(row.place())
    }

    /// What each path begins with in its repository; nothing if a pattern does not tell, or may begin with
    /// the name of one of those that may be found.
    fn beginnings(&self, chosen: Option<&[String]>, heads: &[Head]) -> Vec<String> {
        let is_name = |typed: &str| {
            let mut names = heads.iter().map(|head| &head.repository);
            names.any(|name| {
                chosen.is_none_or(|all| all.contains(name))
                    && typed.strip_prefix(name.as_str()).is_some_and(|rest| rest.starts_with('/'))
            })
        };
        let plain = |typed: &String| {
            let typed = typed.strip_prefix("./").unwrap_or(typed);
            let plain = typed.split(['*', '?', '[', '{', '\\']).next().unwrap_or_default();
            (!plain.is_empty() && !is_name(typed)).then(|| plain.to_owned())
        };
        self.typed.iter().map(plain).collect::<Option<_>>().unwrap_or_default()
    }
}

/// One question to all tables.
struct Asking<'a> {
    workspace: &'a Workspace,
    reader: &'a Reader,
    wanted: &'a SearchRequest,
    query: &'a Query,
    filter: Filter,
    only: Only,
    paths: Option<Paths>,
    most: usize,
    places: Places,
}

impl Asking<'_> {
    /// What a table answers.
    fn table(&mut self, table: &Table, reporter: &dyn Reporter) -> Result<Answer> {
        let workspace = self.workspace;
        let embedder = models::of_table(table, workspace);
        let embedder = embedder.as_deref();
        let thresholds = profiles::of(embedder.unwrap_or(&Builtin), &workspace.environment);
        let mut request = Request {
            filter: self.filter.clone(),
            min_score: self.wanted.min_score,
            listing: self.wanted.listing,
            ..request::of(&workspace.config, &thresholds, self.query)
        };
        request.limit = self.wanted.most.map_or(request.limit, |most| most.min(request.limit));
        let vector = match request.mode {
            Mode::Keyword => None,
            _ => models::vector(embedder, &self.query.text, table, reporter),
        };
        if vector.is_none() {
            request.mode = Mode::Keyword;
        }
        let own = workspace.models.active().fingerprint();
        let is_own = own.as_str() == table.model() && vector.is_some();
        let look = second::look(self.wanted.awaited, workspace).filter(|_| is_own);
        let terms = match request.mode {
            Mode::Semantic => Vec::new(),
            _ => terms(self.query, workspace),
        };
        let (only, most) = (self.only.clone(), self.most);
        let (read, meaning) = (most * READ / 100, request.weights.semantic);
        let asked = Asked { terms, vector, only, most, read, meaning, counted: false };
        let mut found = table.ask(asked)?;
        if let Some(paths) = &self.paths {
            found.retain(|row| paths.match_one(row));
        }
        note_places(&mut found.rows, &mut self.places);
        let (dimension, analyzer) = (table.dimension(), &workspace.analyzer);
        let made = apart::snapshot(&found.rows, found.whole, table.model(), dimension, analyzer);
        let snapshot = made.map_err(SearchError::from)?;
        let tools = SearchContext {
            analyzer,
            embedder: embedder.unwrap_or(&Builtin),
            sentence_embedder: &Builtin,
        };
        let answer = match look {
            // It takes no longer than a budget says, if there is one: else it is always wanted.
            Some(SecondLook { budget: Some(longest), .. }) => self.reader.spend(longest, |may| {
                request.second_look = look.filter(|_| may);
                rank(&snapshot, &request, &tools)
            }),
            look => {
                request.second_look = look;
                rank(&snapshot, &request, &tools)
            }
        };
        Ok(answer?)
    }
}

/// Terms to look for: of the question as it stands, and in each language that it may be in.
pub(super) fn terms(query: &Query, workspace: &Workspace) -> Vec<String> {
    let mut all = query.looked_for(&workspace.analyzer);
    for language in workspace.analyzer.languages_of_question(&query.text) {
        let analyzer = language.analyzer();
        all.extend(query.in_language(analyzer).looked_for(analyzer));
    }
    let mut seen = FxHashSet::default();
    all.retain(|term| seen.insert(term.clone()));
    all
}

/// One answer out of those of several tables: by where each hit stands among those of its table, and how
/// probable it is that the table holds an answer, against the table that most probably does. The best
/// hit of a table that has nothing to say would stand beside that of one that has, else.
fn joined(answers: Vec<Answer>) -> Answer {
    let belief = |answer: &Answer| match answer.confidence {
        Some(found) => found.probability(),
        None if answer.hits.is_empty() => 0.0,
        None => 1.0,
    };
    let most = answers.iter().map(belief).fold(f32::MIN_POSITIVE, f32::max);
    let mut all = Answer::default();
    for answer in answers {
        let share = belief(&answer) / most;
        let Answer {
            mut hits,
            query,
            language,
            confidence,
            weights,
            corrections,
            respelt,
            second_look_failed,
            ..
        } = answer;
        all.searched.0 += answer.searched.0;
        all.searched.1 += answer.searched.1;
        hits.iter_mut().for_each(|hit| hit.score.scale(share));
        all.hits.extend(hits);
        all.query = query;
        all.language = all.language.or(language);
        all.weights.extend(weights);
        let is_new = |it: &(String, Vec<String>)| !all.corrections.contains(it);
        let corrections: Vec<_> = corrections.into_iter().filter(is_new).collect();
        all.corrections.extend(corrections);
        all.respelt = all.respelt.or(respelt);
        all.second_look_failed = all.second_look_failed.or(second_look_failed);
        let better = |found: &elophanto_index::search::Confidence| {
            all.confidence.is_none_or(|known| known.probability() < found.probability())
        };
        if let Some(found) = confidence.filter(better) {
            all.confidence = Some(found);
        }
    }
    // Passages of one file stay together, where the best of them stands. Stable: what scores the same
    // keeps the order of its table.
    let mut best: FxHashMap<NotePath, f32> = FxHashMap::default();
    for hit in &all.hits {
        let score = best.entry(hit.path.clone()).or_insert(hit.score.total);
        *score = score.max(hit.score.total);
    }
    all.hits.sort_by(|a, b| best[&b.path].total_cmp(&best[&a.path]));
    all
}
