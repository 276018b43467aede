//! Which records answer a question: by words and by meaning, the recent and the proven first.

use std::{cmp::Reverse, collections::hash_map::Entry, hash::Hasher};

use jiff::Timestamp;
use rustc_hash::{FxHashMap, FxHasher};

use super::{
    EventType, Lineage, Memory, Rate,
    lessons::{corrected, is_archived, may_hold, passage_of, record_of},
    lineage::Counting,
    rank::{HALF_LIFE_DAYS, Model, by},
};
use elophanto_base::{contradicts::contradicts, lexical::Analyzer};
use elophanto_index::{
    Snapshot,
    search::{
        Query, SearchError,
        lexical::Bm25,
        rank::{Signals, blend, recency},
        scene::{ChunkId, Look, Scene, Spelling},
    },
    store::{Malformed, segment::DocumentView},
};
use elophanto_models::{Embedder, LearnThresholds, SearchThresholds, builtin::late_interaction};

/// Records looked at for one question, per signal.
const CANDIDATES: usize = 100;
/// How many times as many are looked at if most of them are of another type.
const WIDER: usize = 16;
/// How well a lesson worked of which nobody says so.
const UNKNOWN_RATE: f32 = 0.3;
/// A record of this repository that has this share of the best keyword score bears on the question.
const OWN_SHARE: f32 = 0.5;
/// Records without a question that are looked at, newest first.
const LATEST: usize = 2_000;

/// What is asked.
#[derive(Debug, Clone)]
pub struct Question<'a> {
    /// Empty: the best of what was learnt lately.
    pub text: &'a str,
    /// Only records of this repository.
    pub repo: Option<&'a str>,
    /// Whose records come first.
    pub own: &'a str,
    pub event_type: Option<EventType>,
    /// Also what was moved to the archive.
    pub archived: bool,
    pub limit: usize,
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
    pub score: f32,
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
    /// Whether it is about what was asked, however far others are before it.
    bears: bool,
}

/// The records that answer a question best, at most as many as are wanted; none if nothing does.
///
/// # Errors
/// [`SearchError::Damaged`] when the view is damaged: the caller rebuilds it and asks again.
pub fn recall(
    snapshot: &Snapshot,
    question: &Question,
    context: &RecallContext,
) -> Result<Vec<Recalled>, SearchError> {
    let lessons = Lessons::new(snapshot, question)?;
    let mut wanted = CANDIDATES;
    loop {
        let (found, all) = if question.text.trim().is_empty() {
            (latest(&lessons, question)?, true)
        } else {
            answers(&lessons, question, context, wanted)?
        };
        if !all && found.len() < question.limit {
            wanted *= WIDER;
            continue;
        }
        return lessons.finish(
            own_first(found, question),
            question,
            context.embedder.near(),
            context,
        );
    }
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
}

impl<'a> Lessons<'a> {
    fn new(snapshot: &'a Snapshot, question: &Question) -> Result<Self, Malformed> {
        let mut lineage = Lineage::default();
        let scene = Scene::new(snapshot, |_, view, _| {
            corrected(&mut lineage, &view.attributes);
            question.repo.is_none_or(|repo| may_hold(&view.path, repo))
                && (question.archived || !is_archived(&view.path))
        })?;
        Ok(Self { scene, lineage })
    }

    /// The records at some places, in their order, without what counts no more; of one id the
    /// latest.
    fn records(&self, places: &[ChunkId]) -> Result<Vec<Candidate>, Malformed> {
        let mut counting = Counting::of(&self.lineage);
        let mut documents: FxHashMap<(usize, usize), DocumentView> = FxHashMap::default();
        let mut found: Vec<Candidate> = Vec::with_capacity(places.len());
        let mut known: FxHashMap<String, usize> = FxHashMap::default();
        for &place in places {
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
            let (line, score, bears) = (chunk.lines.0, 0.0, true);
            let candidate = Candidate { place, memory, line, score, bears };
            match known.get(&candidate.memory.id) {
                None => {
                    known.insert(candidate.memory.id.clone(), found.len());
                    found.push(candidate);
                }
                Some(&index) if found[index].memory.timestamp < candidate.memory.timestamp => {
                    found[index] = candidate;
                }
                Some(_) => {}
            }
        }
        Ok(found)
    }

    /// Joins what says the same, puts the newer of two first that would say the same if they did not
    /// contradict each other, and cuts.
    fn finish(
        &self,
        found: Vec<Candidate>,
        question: &Question,
        near: LearnThresholds,
        context: &RecallContext,
    ) -> Result<Vec<Recalled>, SearchError> {
        let mut groups: Vec<Vec<Candidate>> = Vec::new();
        // Of the first of each group.
        let mut words: Vec<Words> = Vec::new();
        for candidate in found {
            let own = Words::of(&candidate.memory.lesson);
            let same = groups.iter().zip(&words).position(|(group, words)| {
                let first = &group[0];
                let alike = *words == own
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
        let codes = codes(question.text);
        let mut ordered: Vec<Vec<Candidate>> = Vec::with_capacity(groups.len());
        for group in groups {
            let before = ordered.iter().position(|other| {
                let (old, new) = (&other[0], &group[0]);
                newest(&group) > newest(other)
                    // Of two codes the one that is asked for is no older news of the other.
                    && codes.iter().all(|code| says(&new.memory, code) || !says(&old.memory, code))
                    && self.scene.similarity(old.place, new.place) >= near.same_fact
                    && contradicts(&old.memory.lesson, &new.memory.lesson)
            });
            ordered.insert(before.unwrap_or(ordered.len()), group);
        }
        ordered.truncate(question.limit);
        ordered.into_iter().map(|group| self.joined(group)).collect()
    }

    fn joined(&self, group: Vec<Candidate>) -> Result<Recalled, SearchError> {
        let count = group.len();
        let rates = group.iter().filter_map(|it| it.memory.success_rate);
        let rate = rates.reduce(Rate::plus);
        let score = group.first().map_or(0.0, |it| it.score);
        let newest = group.into_iter().max_by_key(|it| it.memory.timestamp).ok_or(Malformed)?;
        let segment = &self.scene.snapshot.parts[newest.place.0].loaded.segment;
        let path = segment.document(segment.chunk_document(newest.place.1))?.path;
        Ok(Recalled { memory: newest.memory, rate, count, score, path, line: newest.line })
    }
}

fn newest(group: &[Candidate]) -> Option<Timestamp> {
    group.iter().map(|it| it.memory.timestamp).max()
}

/// Words of a question that tell one thing from another like it: `E1041`, `orders-7`.
fn codes(question: &str) -> Vec<String> {
    let words = question.split_whitespace();
    let words = words.map(|word| word.trim_matches(|char: char| !char.is_alphanumeric()));
    let is_code = |word: &&str| word.contains(|char: char| char.is_numeric());
    words.filter(is_code).map(str::to_lowercase).collect()
}

fn says(memory: &Memory, code: &str) -> bool {
    let texts = [&memory.context, &memory.command, &memory.lesson].into_iter();
    texts.chain(&memory.tags).any(|text| text.to_lowercase().contains(code))
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
        let symbols = lesson.chars().filter(|char| "<>=+#≤≥≠".contains(*char)).collect();
        Self { lesson: lesson.to_owned(), symbols, hash: hasher.finish() }
    }
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

/// The records that bear on the question, best first, and whether there are no others.
fn answers(
    lessons: &Lessons,
    question: &Question,
    context: &RecallContext,
    wanted: usize,
) -> Result<(Vec<Candidate>, bool), SearchError> {
    let query = Query::plain(question.text, context.analyzer);
    let vector = context.embedder.embed_query(&query.text)?;
    let look = Look {
        query: &query,
        // No title, no path: what a record says is all that counts.
        bm25: &Bm25 { title: 0.0, path: 0.0, ..Bm25::default() },
        spelling: Spelling::IfNothing(context.analyzer),
        by_keyword: true,
        vector: Some(&vector),
        least_cosine: context.thresholds.nothing,
        like: None,
        candidates: wanted,
    };
    let looked_at = lessons.scene.find(&look)?;
    let is_all = looked_at.places.len() < wanted;
    let mut found = lessons.records(&looked_at.places)?;
    let keyword = |it: &Candidate| looked_at.keyword(it.place);
    let most = found.iter().map(keyword).fold(f32::MIN_POSITIVE, f32::max);
    found.retain(|it| is_wanted(&it.memory, question));
    let passages: Vec<String> = found.iter().map(|it| passage(&it.memory)).collect();
    let words = late_interaction(&query.text, &passages);
    let signal = |(index, it): (usize, &Candidate)| Signals {
        keyword: words.as_ref().map_or_else(|| keyword(it), |words| words[index]),
        cosine: looked_at.cosine(it.place),
        age_days: age_days(&it.memory, question.now),
        proven: success(&it.memory),
    };
    let signals: Vec<Signals> = found.iter().enumerate().map(signal).collect();
    let scores = blend(&signals, &by(Model::of(context.embedder), words.is_some()));
    for (it, score) in found.iter_mut().zip(scores) {
        it.score = score.total;
        it.bears = keyword(it) >= OWN_SHARE * most || score.cosine >= context.thresholds.relevant;
    }
    found.sort_by(best_first);
    Ok((found, is_all))
}

/// What was embedded of a record.
fn passage(memory: &Memory) -> String {
    passage_of(&memory.context, &memory.command, &memory.lesson, &memory.tags.join(" "))
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

/// What this repository learnt comes first where it bears on the question as well.
fn own_first(found: Vec<Candidate>, question: &Question) -> Vec<Candidate> {
    let is_own =
        |it: &Candidate| question.repo.is_none() && it.memory.repo == question.own && it.bears;
    let (mut own, others): (Vec<Candidate>, Vec<Candidate>) = found.into_iter().partition(is_own);
    own.extend(others);
    own
}

fn success(memory: &Memory) -> f32 {
    memory.success_rate.map_or(UNKNOWN_RATE, |rate| rate.wilson_lower_bound() as f32)
}

/// Days since; a date in the future counts as now.
fn age_days(memory: &Memory, now: Timestamp) -> f32 {
    let seconds = now.as_second().saturating_sub(memory.timestamp.as_second());
    seconds.max(0) as f32 / 86_400.0
}
