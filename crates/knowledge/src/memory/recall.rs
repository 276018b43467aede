//! Which records answer a question: by words and by meaning, the recent and the proven first; none, if
//! none is close.

use std::{cmp::Reverse, collections::hash_map::Entry, hash::Hasher};

use jiff::Timestamp;
use rustc_hash::{FxHashMap, FxHasher};

use super::{
    EventType, Lineage, Memory, Rate,
    dispute::{dispute, takes_back},
    doubles::Doubles,
    lessons::{corrected, is_archived, may_hold, passage, record_of},
    lineage::Counting,
    rank::{HALF_LIFE_DAYS, Leeway, Model, by, leeway},
};
use elophanto_base::{contradicts::contradicts, lexical::Analyzer};
use elophanto_index::{
    Snapshot,
    search::{
        Query, SearchError,
        belief::{LOOKED_AT, each},
        language,
        lexical::Bm25,
        rank::{Signals, blend, recency},
        run::sharing,
        scene::{ChunkId, Found, Look, Scene},
        spelling::Spelling,
    },
    store::{Malformed, segment::DocumentView},
};
use elophanto_models::{
    Belief, Embedder, Features, LearnThresholds, SearchThresholds, builtin::late_interaction,
};

/// Records looked at for one question, per signal.
const CANDIDATES: usize = 100;
/// How many times as many are looked at if most of them are of another type.
const WIDER: usize = 16;
/// How well a lesson worked of which nobody says so.
const UNKNOWN_RATE: f32 = 0.3;
/// Of more lessons the nearest one is nearer by chance: so much more must speak for an answer with each
/// e-fold of a hundred of them. By what 100 and 2,100 lessons need for the same share of right refusals.
const CHANCE: f32 = 0.4;
const FEW: f32 = 100.0;
/// A lesson for which so much less speaks than the list needs is left out of it.
const FAR: f32 = 3.0;
/// Records without a question that are looked at, newest first.
const LATEST: usize = 2_000;

/// What is asked.
#[derive(Debug, Clone)]
pub struct Question<'a> {
    /// Empty: the best of what was learnt lately.
    pub text: &'a str,
    /// Only records of this repository.
    pub repo: Option<&'a str>,
    /// Whose records come first of two that are as near.
    pub own: &'a str,
    /// Only records of this kind; all if `None`.
    pub event_type: Option<EventType>,
    /// Also what was moved to the archive.
    pub archived: bool,
    /// At most so many lessons.
    pub limit: usize,
    /// By which age is reckoned.
    pub now: Timestamp,
}

/// What a question is answered with.
pub struct RecallContext<'a> {
    pub analyzer: &'a Analyzer,
    pub embedder: &'a dyn Embedder,
    pub thresholds: SearchThresholds,
}

/// A lesson, with what other records say the same.
#[derive(Debug, Clone, PartialEq)]
pub struct Recalled {
    /// The newest of them.
    pub memory: Memory,
    /// Of all of them together.
    pub rate: Option<Rate>,
    /// How many records there are of it.
    pub count: usize,
    /// Ids of these records.
    pub records: Vec<String>,
    /// How near it is to what was asked; higher is nearer.
    pub score: f32,
    /// Ids of other lessons of the answer that say something else of the same, the newest first.
    pub contradicts: Vec<String>,
    /// Where it stands.
    pub path: elophanto_repo::NotePath,
    /// 1-based.
    pub line: usize,
}

struct Candidate {
    place: ChunkId,
    memory: Memory,
    line: usize,
    score: f32,
}

/// The records that answer a question best, at most as many as are wanted; none if none is close.
///
/// # Errors
/// [`SearchError::Damaged`] when the view is damaged: the caller rebuilds it and asks again.
pub fn recall(
    snapshot: &Snapshot,
    question: &Question,
    context: &RecallContext,
) -> Result<Vec<Recalled>, SearchError> {
    sharing(context.embedder, || recalled(snapshot, question, context))
}

fn recalled(
    snapshot: &Snapshot,
    question: &Question,
    context: &RecallContext,
) -> Result<Vec<Recalled>, SearchError> {
    let lessons = Lessons::new(snapshot, question)?;
    let (found, proven) = if question.text.trim().is_empty() {
        // Its score says how often each worked.
        (latest(&lessons, question)?, 0.0)
    } else {
        answers(&lessons, question, context)?
    };
    lessons.finish(found, proven, question, context)
}

/// Where the lessons of a snapshot stand that count, without those that were put away.
///
/// # Errors
/// [`Malformed`] when the view is damaged.
pub fn current(snapshot: &Snapshot) -> Result<Vec<ChunkId>, Malformed> {
    let every = Question {
        text: "",
        repo: None,
        own: "",
        event_type: None,
        archived: false,
        limit: 0,
        now: Timestamp::UNIX_EPOCH,
    };
    let lessons = Lessons::new(snapshot, &every)?;
    let allowed = lessons.scene.allowed.iter().enumerate();
    let places: Vec<ChunkId> = allowed
        .flat_map(|(part, allowed)| allowed.ones().map(move |chunk| (part, chunk)))
        .collect();
    Ok(lessons.records(&places)?.into_iter().map(|it| it.place).collect())
}

/// Whether a record is of the kind and the repository that are asked for.
fn is_wanted(memory: &Memory, question: &Question) -> bool {
    // Without a question, what others learnt elsewhere is of no use.
    let own = question.text.trim().is_empty().then_some(question.own);
    question.event_type.is_none_or(|kind| memory.event_type == kind)
        && question.repo.or(own).is_none_or(|repo| memory.repo == repo)
}

/// The snapshot as one question sees it, and what counts no more.
struct Lessons<'a> {
    scene: Scene<'a>,
    lineage: Lineage,
    doubles: Doubles,
}

impl<'a> Lessons<'a> {
    fn new(snapshot: &'a Snapshot, question: &Question) -> Result<Self, Malformed> {
        let mut lineage = Lineage::default();
        let doubles = Doubles::of(snapshot)?;
        let scene = Scene::new(snapshot, |_, view, _| {
            corrected(&mut lineage, &view.attributes, &doubles);
            question.repo.is_none_or(|repo| may_hold(&view.path, repo))
                && (question.archived || !is_archived(&view.path))
        })?;
        lineage.settle();
        Ok(Self { scene, lineage, doubles })
    }

    /// The records at some places, in their order, without what counts no more.
    fn records(&self, places: &[ChunkId]) -> Result<Vec<Candidate>, Malformed> {
        let mut counting = Counting::of(&self.lineage);
        let mut documents: FxHashMap<(usize, usize), DocumentView> = FxHashMap::default();
        let mut found: Vec<Candidate> = Vec::with_capacity(places.len());
        for &place in places.iter().filter(|place| !self.doubles.beats(**place)) {
            let segment = &self.scene.snapshot.parts[place.0].loaded.segment;
            let chunk = segment.chunk(place.1)?;
            let document = match documents.entry((place.0, chunk.document)) {
                Entry::Occupied(known) => known.into_mut(),
                Entry::Vacant(new) => new.insert(segment.document(chunk.document)?),
            };
            let memory = record_of(segment, document, &chunk)?;
            if counting.hides(&memory.id) {
                continue;
            }
            found.push(Candidate { place, memory, line: chunk.lines.0, score: 0.0 });
        }
        Ok(found)
    }

    /// Joins what says the same, puts first what worked more often of what is about the same and
    /// scores within `proven`, brings together what contradicts each other, and cuts.
    fn finish(
        &self,
        found: Vec<Candidate>,
        proven: f32,
        question: &Question,
        context: &RecallContext,
    ) -> Result<Vec<Recalled>, SearchError> {
        let mut groups: Vec<Vec<Candidate>> = Vec::new();
        // Of the first of each group.
        let mut words: Vec<Words> = Vec::new();
        for candidate in found {
            let own = Words::of(&candidate.memory.lesson);
            let same = groups.iter().zip(&words).position(|(group, words)| {
                let first = &group[0];
                // What others published hides no lesson that says more, or anything else.
                let is_same = || {
                    first.memory.context == candidate.memory.context
                        && said(&first.memory) == said(&candidate.memory)
                };
                let alike = (*words == own && (!self.scene.is_elsewhere() || is_same()))
                    || words.symbols == own.symbols
                        && self.scene.similarity(first.place, candidate.place)
                            >= context.thresholds.near_duplicate;
                alike && !contradicts(&said(&first.memory), &said(&candidate.memory))
            });
            match same {
                Some(index) => groups[index].push(candidate),
                // What comes after those wanted may still be more of the same.
                None if groups.len() < question.limit.saturating_mul(2) => {
                    groups.push(vec![candidate]);
                    words.push(own);
                }
                None => {}
            }
        }
        let groups = proven_first(groups, proven, context.analyzer);
        let ordered = self.together(groups, question, context.embedder.near());
        // Of what is cut off too: who sees one is told of the other.
        let ids: Vec<Vec<String>> = ordered
            .iter()
            .take(question.limit)
            .map(|(at, group)| {
                let others = ordered.iter().filter(|(other, _)| other == at);
                let others = others.filter_map(|(_, other)| latest_of(other));
                let own = latest_of(group).map(|it| &it.memory.id);
                others.map(|it| &it.memory.id).filter(|id| Some(*id) != own).cloned().collect()
            })
            .collect();
        let groups = ordered.into_iter().zip(ids);
        groups.map(|((_, group), contradicts)| self.joined(group, contradicts)).collect()
    }

    /// Groups in their order, but for what contradicts each other: that stands together where the first
    /// of it would, the newest first. Each with the number of what it stands together with.
    fn together(
        &self,
        groups: Vec<Vec<Candidate>>,
        question: &Question,
        near: LearnThresholds,
    ) -> Vec<(usize, Vec<Candidate>)> {
        let codes = codes(question.text);
        let mut clusters: Vec<Vec<Vec<Candidate>>> = Vec::new();
        for group in groups {
            let disputed = clusters.iter().position(|cluster| {
                cluster.iter().any(|other| {
                    let (one, other) = (&other[0], &group[0]);
                    // Of two codes the one that is asked for is no news of the other.
                    let says = |code: &String| says(&one.memory, code) == says(&other.memory, code);
                    let is_near =
                        || self.scene.similarity(one.place, other.place) >= near.same_fact;
                    codes.iter().all(says)
                        && (takes_back(&one.memory, &other.memory)
                            || is_near() && dispute(&one.memory, &other.memory))
                })
            });
            match disputed {
                Some(index) => clusters[index].push(group),
                None => clusters.push(vec![group]),
            }
        }
        let newest_first = |mut cluster: Vec<Vec<Candidate>>| {
            cluster.sort_by_key(|group| Reverse(latest_of(group).map(|it| it.memory.timestamp)));
            cluster
        };
        let numbered = clusters.into_iter().map(newest_first).enumerate();
        numbered.flat_map(|(at, cluster)| cluster.into_iter().map(move |it| (at, it))).collect()
    }

    fn joined(
        &self,
        group: Vec<Candidate>,
        contradicts: Vec<String>,
    ) -> Result<Recalled, SearchError> {
        let count = group.len();
        let records = group.iter().map(|it| it.memory.id.clone()).collect();
        let rate = rate_of(&group);
        let score = group.first().map_or(0.0, |it| it.score);
        let newest = latest_of(&group).ok_or(Malformed)?;
        let segment = &self.scene.snapshot.parts[newest.place.0].loaded.segment;
        let path = segment.document(segment.chunk_document(newest.place.1))?.path;
        let (memory, line) = (newest.memory.clone(), newest.line);
        Ok(Recalled { memory, rate, count, records, score, contradicts, path, line })
    }
}

fn latest_of(group: &[Candidate]) -> Option<&Candidate> {
    group.iter().max_by_key(|it| it.memory.timestamp)
}

/// Of all records together.
fn rate_of(group: &[Candidate]) -> Option<Rate> {
    group.iter().filter_map(|it| it.memory.success_rate).reduce(Rate::plus)
}

/// Where several lessons have the same context and score within `reach` of the first of them, what
/// worked more often comes first. Scores stay with the places.
fn proven_first(
    groups: Vec<Vec<Candidate>>,
    reach: f32,
    analyzer: &Analyzer,
) -> Vec<Vec<Candidate>> {
    let context = |group: &Vec<Candidate>| {
        let mut terms = analyzer.terms(&group[0].memory.context);
        terms.sort_unstable();
        terms.dedup();
        terms
    };
    // Of each context the places of one run.
    let mut runs: Vec<(Vec<String>, f32, Vec<usize>)> = Vec::new();
    for (place, group) in groups.iter().enumerate() {
        let (terms, score) = (context(group), group[0].score);
        let run = runs.iter_mut().rev().find(|(other, ..)| *other == terms);
        match run.filter(|(terms, first, _)| !terms.is_empty() && score >= first - reach) {
            Some((.., places)) => places.push(place),
            None => runs.push((terms, score, vec![place])),
        }
    }
    let worth = |place: &usize| rate_of(&groups[*place]).map_or(UNKNOWN_RATE, worth);
    let mut taken: Vec<usize> = (0..groups.len()).collect();
    for (.., places) in &runs {
        let mut by_worth = places.clone();
        by_worth.sort_by(|a, b| worth(b).total_cmp(&worth(a)));
        places.iter().zip(by_worth).for_each(|(&place, group)| taken[place] = group);
    }
    let scores: Vec<f32> = groups.iter().map(|group| group[0].score).collect();
    let mut groups: Vec<Option<Vec<Candidate>>> = groups.into_iter().map(Some).collect();
    let moved = taken.iter().zip(scores).filter_map(|(&from, score)| {
        let mut group = groups[from].take()?;
        group[0].score = score;
        Some(group)
    });
    moved.collect()
}

/// Words of a question that tell one thing from another like it: `E1041`, `orders-7`.
fn codes(question: &str) -> Vec<String> {
    let words = question.split_whitespace();
    let words = words.map(|word| word.trim_matches(|char: char| !char.is_alphanumeric()));
    let is_code = |word: &&str| word.contains(|char: char| char.is_numeric());
    words.filter(is_code).map(str::to_lowercase).collect()
}

/// Whether a code stands in a record, as a word of its own: `TS2322` is not `TS23`.
fn says(memory: &Memory, code: &str) -> bool {
    let texts = [&memory.context, &memory.command, &memory.lesson].into_iter();
    texts.chain(&memory.tags).any(|text| {
        let text = text.to_lowercase();
        let is_word = |(at, found): (usize, &str)| {
            let around = [text[..at].chars().next_back(), text[at + found.len()..].chars().next()];
            !around.into_iter().flatten().any(char::is_alphanumeric)
        };
        text.match_indices(code).any(is_word)
    })
}

/// Share of the codes of a question that a record says.
fn told(memory: &Memory, codes: &[String]) -> f32 {
    let told = codes.iter().filter(|code| says(memory, code)).count();
    told as f32 / codes.len().max(1) as f32
}

fn said(memory: &Memory) -> String {
    format!("{} {}", memory.command, memory.lesson)
}

/// The words of a lesson, as far as they have to be known.
struct Words {
    lesson: String,
    /// `n >= 3` is not `n <= 3`, and `C#` not `C++`.
    symbols: String,
    /// Different words have different ones, nearly always.
    hash: u64,
}

impl Words {
    fn of(lesson: &str) -> Self {
        let mut hasher = FxHasher::default();
        let letters = lesson.chars().filter(|char| char.is_alphanumeric());
        for letter in letters.flat_map(char::to_lowercase) {
            // The one letter whose small form depends on where it stands.
            hasher.write_u32(if letter == 'ς' { 'σ' } else { letter }.into());
        }
        Self { lesson: lesson.to_owned(), symbols: symbols(lesson), hash: hasher.finish() }
    }
}

/// What tells `C#` from `C++`, in its order.
pub(super) fn symbols(lesson: &str) -> String {
    lesson.chars().filter(|char| "<>=+#≤≥≠".contains(*char)).collect()
}

impl PartialEq for Words {
    fn eq(&self, other: &Self) -> bool {
        let is_same = || {
            let words = words_of(&self.lesson);
            // What has no words says nothing that another could say the same.
            words == words_of(&other.lesson) && (!words.is_empty() || self.lesson == other.lesson)
        };
        self.hash == other.hash && self.symbols == other.symbols && is_same()
    }
}

/// A lesson without what does not change it.
pub(super) fn words_of(lesson: &str) -> String {
    let words = lesson.split(|char: char| !char.is_alphanumeric()).filter(|word| !word.is_empty());
    words.map(str::to_lowercase).collect::<Vec<_>>().join(" ")
}

/// The records that are close to the question, best first, and how much what worked may move up.
fn answers(
    lessons: &Lessons,
    question: &Question,
    context: &RecallContext,
) -> Result<(Vec<Candidate>, f32), SearchError> {
    let parts = &lessons.scene.snapshot.parts;
    let language = language::of_question(parts, question.text, context.analyzer)?;
    let context = &RecallContext {
        analyzer: language.map_or(context.analyzer, |language| language.analyzer()),
        ..*context
    };
    let query = Query::plain(question.text, context.analyzer);
    // A word that occurs nowhere is only taken for another where none of the others occurs.
    let spelling = Spelling::of(&lessons.scene.field(), &query, context.analyzer)?;
    let spelling = Some(spelling).filter(|it| it.unknown == query.terms.len());
    let text = spelling.as_ref().and_then(|it| it.text.as_deref()).unwrap_or(&query.text);
    let vector = context.embedder.embed_query(text)?;
    let mut wanted = CANDIDATES;
    let (looked_at, mut found) = loop {
        let looked_at = lessons.scene.find(&Look {
            query: &query,
            // No title, no path: what a record says is all that counts.
            bm25: &Bm25 { title: 0.0, path: 0.0, ..Bm25::default() },
            spelling: spelling.as_ref(),
            by_keyword: true,
            vector: Some(&vector),
            least_cosine: context.thresholds.nothing,
            like: None,
            candidates: wanted,
        })?;
        let is_all = looked_at.places.len() < wanted;
        let mut found = lessons.records(&looked_at.places)?;
        found.retain(|it| is_wanted(&it.memory, question));
        if is_all || found.len() >= question.limit {
            break (looked_at, found);
        }
        wanted *= WIDER;
    };
    let passages: Vec<String> = found.iter().map(|it| passage(&it.memory)).collect();
    let words = late_interaction(text, &passages);
    let signal = |(index, it): (usize, &Candidate)| Signals {
        keyword: words.as_ref().map_or_else(|| looked_at.keyword(it.place), |words| words[index]),
        cosine: looked_at.cosine(it.place),
        age_days: age_days(&it.memory, question.now),
        proven: success(&it.memory),
    };
    let signals: Vec<Signals> = found.iter().enumerate().map(signal).collect();
    let (model, has_words) = (Model::of(context.embedder), words.is_some());
    let scores = blend(&signals, &by(model, has_words));
    let Leeway { own, codes: coded, proven } = leeway(model, has_words);
    let codes = codes(text);
    for (it, score) in found.iter_mut().zip(scores) {
        let own = if it.memory.repo == question.own { own } else { 0.0 };
        it.score = score.total + own + coded * told(&it.memory, &codes);
    }
    found.sort_by(best_first);
    Ok((close(found, &looked_at, &query, text, lessons, context)?, proven))
}

/// What is left of candidates, best first: nothing if what the best have in common with the question
/// could be chance, else those that are not far from it.
fn close(
    found: Vec<Candidate>,
    looked_at: &Found,
    query: &Query,
    text: &str,
    lessons: &Lessons,
    context: &RecallContext,
) -> Result<Vec<Candidate>, SearchError> {
    let compared = |it: &Candidate| lessons.scene.compared(it.place, looked_at.cosine(it.place));
    let compared = found.iter().map(compared).collect::<Result<Vec<_>, _>>()?;
    let all = each(query, text, &looked_at.keywords, &compared, context.analyzer);
    // What has no vector of the model yet is judged without.
    let belief = |it: &Candidate| match lessons.scene.has_vector(it.place) {
        true => context.thresholds.lessons,
        false => Belief::STATIC_LESSONS,
    };
    let count: usize = lessons.scene.allowed.iter().map(|allowed| allowed.ones().count()).sum();
    // There may be more than are at hand.
    let count = count.max(lessons.scene.snapshot.whole.as_ref().map_or(0, |whole| whole.among));
    let chance = CHANCE * (count.max(1) as f32 / FEW).ln();
    let mut best: Vec<(Belief, Features)> = Vec::new();
    for (it, features) in found.iter().zip(&all).take(LOOKED_AT) {
        let belief = belief(it);
        match best.iter_mut().find(|(other, _)| *other == belief) {
            Some((_, most)) => *most = most.max(*features),
            None => best.push((belief, *features)),
        }
    }
    let speaks =
        |(belief, most): &(Belief, Features)| belief.log_odds(most) >= belief.nothing + chance;
    // What holds every word of the question is close, in whatever language: of most of them the static
    // vectors know nothing.
    let holds_all = |features: &Features| features.coverage > 0.999;
    if !best.iter().any(speaks) && !all.iter().any(holds_all) {
        return Ok(Vec::new());
    }
    let is_near = |(it, features): &(Candidate, &Features)| {
        let belief = belief(it);
        holds_all(features) || belief.log_odds(features) >= belief.nothing + chance - FAR
    };
    Ok(found.into_iter().zip(&all).filter(is_near).map(|(it, _)| it).collect())
}

/// The best of what was learnt lately.
fn latest(lessons: &Lessons, question: &Question) -> Result<Vec<Candidate>, SearchError> {
    let Scene { snapshot, allowed, .. } = &lessons.scene;
    let mut places: Vec<ChunkId> = Vec::new();
    for (number, (part, allowed)) in snapshot.parts.iter().zip(allowed).enumerate() {
        for document in part.live.ones() {
            let view = part.loaded.segment.document(document)?;
            if question.repo.is_some() || may_hold(&view.path, question.own) {
                let chunks = view.chunks.filter(|&it| allowed.get(it));
                places.extend(chunks.map(|chunk| (number, chunk)));
            }
        }
    }
    // Later lines of later files are newer; nothing else can be told without reading them.
    let excess = places.len().saturating_sub(LATEST);
    let mut found = lessons.records(&places[excess..])?;
    found.retain(|it| is_wanted(&it.memory, question));
    for it in &mut found {
        let recency = recency(age_days(&it.memory, question.now), HALF_LIFE_DAYS / 4.0);
        it.score = recency + success(&it.memory);
    }
    found.sort_by(best_first);
    Ok(found)
}

fn best_first(a: &Candidate, b: &Candidate) -> std::cmp::Ordering {
    let newer = || Reverse(a.memory.timestamp).cmp(&Reverse(b.memory.timestamp));
    b.score.total_cmp(&a.score).then_with(newer).then_with(|| a.memory.id.cmp(&b.memory.id))
}

fn success(memory: &Memory) -> f32 {
    memory.success_rate.map_or(UNKNOWN_RATE, worth)
}

fn worth(rate: Rate) -> f32 {
    rate.wilson_lower_bound() as f32
}

/// Days since; a date in the future counts as now.
fn age_days(memory: &Memory, now: Timestamp) -> f32 {
    let seconds = now.as_second().saturating_sub(memory.timestamp.as_second());
    seconds.max(0) as f32 / 86_400.0
}
