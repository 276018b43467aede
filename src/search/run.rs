//! Answering a request from a snapshot.

use std::ops::Range;

use super::{
    Filter, Mode, Query, Ranking, Score, Weights,
    filter::Facts,
    lexical::{self, Bm25, Field},
    passage::{clip, sentences},
    rank::{self, CANDIDATES, COSINE_FLOOR, Signals},
};
use crate::{
    embed::{EmbedError, Embedder},
    index::Snapshot,
    lexical::{Analyzer, fold, words},
    markdown::Scope,
    repo::{BlobId, NotePath},
    store::{Malformed, bits::Bits, manifest::Place, matrix::Probe},
};

/// At most this many hits of one file come before those of other files.
const HITS_PER_FILE: usize = 3;
/// From this cosine on, a user's note and a learned one speak of the same thing.
const SAME_SUBJECT: f32 = 0.8;
/// Sentences compared with the query by meaning, per hit.
const SENTENCES_EMBEDDED: usize = 12;

/// What is asked.
pub struct Request<'a> {
    pub query: &'a Query,
    /// Instead of a query: what resembles this place of a note?
    pub like: Option<Like>,
    pub limit: usize,
    pub mode: Mode,
    pub ranking: Ranking,
    pub weights: Weights,
    pub bm25: Bm25,
    /// Look up similar words for one that occurs nowhere.
    pub fuzzy: bool,
    pub filter: Filter,
    /// Hits with a lower total are left out.
    pub min_score: Option<f32>,
    /// Chunks this similar to a better hit are counted, not shown.
    pub collapse_similarity: f32,
    /// Seconds since 1970.
    pub now: i64,
}

/// A place in a note.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Like {
    pub path: NotePath,
    /// Line in the file, from 1; `None` is the whole note.
    pub line: Option<usize>,
}

/// What a search works with.
pub struct Tools<'a> {
    pub analyzer: &'a Analyzer,
    /// The model of the vectors.
    pub embedder: &'a dyn Embedder,
    /// A model that costs nothing, for choosing sentences.
    pub sentence_embedder: &'a dyn Embedder,
}

/// One chunk that answers.
#[derive(Debug, Clone)]
pub struct Hit {
    pub path: NotePath,
    pub blob: BlobId,
    pub title: String,
    pub breadcrumb: Vec<String>,
    pub scope: Scope,
    pub tags: Vec<String>,
    /// First and last line of the chunk in the file.
    pub lines: (usize, usize),
    /// Line of the best sentence.
    pub line: usize,
    /// When the note changed, in seconds since 1970.
    pub changed: i64,
    pub score: Score,
    /// The whole chunk.
    pub text: String,
    /// Sentences of the chunk with their usefulness for this query, in the order of the text.
    pub sentences: Vec<(Range<usize>, f32)>,
    /// The part of the text that is shown.
    pub snippet: Range<usize>,
    /// Matched words within `text`.
    pub matches: Vec<Range<usize>>,
    /// Near-identical chunks that are not shown.
    pub similar: usize,
    /// What was noticed when the note was read; empty if nothing.
    pub note: String,
}

/// All that is said about a request.
#[derive(Debug, Default)]
pub struct Answer {
    pub hits: Vec<Hit>,
    /// Words that occur nowhere, and the terms looked up instead.
    pub corrections: Vec<(String, Vec<String>)>,
    /// Notes and chunks that the filter let through.
    pub searched: (usize, usize),
    /// Notes that there are.
    pub notes: usize,
}

/// Why there is no answer.
#[derive(Debug, thiserror::Error)]
pub enum SearchError {
    #[error("the search view is damaged")]
    Damaged,
    #[error("`{}` is not among the searched notes", .0.to_text())]
    UnknownNote(NotePath),
    #[error("`{}` has no text at line {}", .0.path.to_text(), .0.line.unwrap_or(1))]
    NoSuchLine(Like),
    #[error("the query cannot be embedded: {0}")]
    Embed(#[from] EmbedError),
}

impl From<Malformed> for SearchError {
    fn from(Malformed: Malformed) -> Self {
        Self::Damaged
    }
}

/// Answers a request.
///
/// # Errors
/// [`SearchError::Damaged`] when something read differs from what was written: the caller
/// rebuilds the view and asks again.
pub fn search(
    snapshot: &Snapshot,
    request: &Request,
    tools: &Tools,
) -> Result<Answer, SearchError> {
    let scene = Scene::new(snapshot, &request.filter)?;
    let mut answer = Answer {
        searched: (scene.allowed_documents, scene.allowed.iter().map(Bits::count).sum()),
        notes: snapshot.files.len(),
        ..Answer::default()
    };
    let query_vector = match &request.like {
        Some(like) => Some(scene.vector_of(like)?),
        None if request.query.is_empty() => return Ok(answer),
        None if request.mode == Mode::Keyword && request.ranking == Ranking::Weighted => None,
        None => tools.embedder.embed(&[&request.query.text])?.into_iter().next(),
    };
    let mode = if request.like.is_some() { Mode::Semantic } else { request.mode };
    let field = Field { parts: &snapshot.parts, live: &scene.live, allowed: &scene.allowed };
    let keywords = lexical::score(&field, request.query, &request.bm25, request.fuzzy)?;
    let cosines: Option<Vec<Vec<f32>>> = match &query_vector {
        Some(vector) if mode != Mode::Keyword || request.ranking == Ranking::Additive => {
            let probe = Probe::new(vector);
            let scan = |part: &crate::index::Part| part.loaded.matrix.scan(&probe);
            Some(snapshot.parts.iter().map(scan).collect::<Result<_, _>>()?)
        }
        _ => None,
    };
    answer.corrections = keywords.corrections.clone();

    let eligible = |place: &ChunkPlace| {
        scene.allowed[place.0].get(place.1)
            && !keywords.barred[place.0].get(place.1)
            && !scene.is_same_place(request.like.as_ref(), *place)
    };
    let cosine = |place: ChunkPlace| cosines.as_ref().map_or(0.0, |all| all[place.0][place.1]);
    let keyword = |place: ChunkPlace| keywords.scores[place.0][place.1];
    let mut places: Vec<ChunkPlace> = Vec::new();
    let numbers = scene.numbering();
    let flat = |score: &dyn Fn(ChunkPlace) -> f32| {
        let values = numbers.iter().enumerate().filter(|(_, place)| eligible(place));
        rank::top(values.map(|(number, &place)| (number, score(place))), CANDIDATES)
    };
    if mode != Mode::Semantic {
        places.extend(flat(&keyword).into_iter().map(|number| numbers[number]));
    }
    if cosines.is_some() {
        let near = flat(&cosine).into_iter().map(|number| numbers[number]);
        places.extend(near.filter(|&place| cosine(place) >= COSINE_FLOOR));
    }
    places.sort_unstable();
    places.dedup();

    let signals: Vec<Signals> = places
        .iter()
        .map(|&place| Signals {
            keyword: keyword(place),
            cosine: cosine(place),
            age_days: (request.now - scene.changed(place)) as f32 / 86_400.0,
        })
        .collect();
    let shares = match request.ranking {
        Ranking::Additive => scene.word_shares(&places, request.query, tools.analyzer)?,
        Ranking::Weighted => Vec::new(),
    };
    let mut ranked = rank::rank(&signals, &shares, mode, request.ranking, &request.weights);
    if let Some(least) = request.min_score {
        ranked.retain(|(_, score)| score.total >= least);
    }
    let ranked: Vec<(ChunkPlace, Score)> =
        ranked.into_iter().map(|(index, score)| (places[index], score)).collect();
    let chosen = scene.choose(ranked, request)?;

    let sentence_query = match &request.like {
        Some(_) => None,
        None => tools.sentence_embedder.embed(&[&request.query.text])?.into_iter().next(),
    };
    for (place, score, similar) in chosen {
        let mut hit = scene.hit(place, score, similar)?;
        show(&mut hit, &keywords.weights, sentence_query.as_deref(), tools)?;
        answer.hits.push(hit);
    }
    Ok(answer)
}

/// Part and chunk.
type ChunkPlace = (usize, usize);

/// The snapshot as one search sees it.
struct Scene<'a> {
    snapshot: &'a Snapshot,
    /// Per part, per chunk: current.
    live: Vec<Bits>,
    /// Per part, per chunk: current and let through by the filter.
    allowed: Vec<Bits>,
    allowed_documents: usize,
    /// Per part, per document: when it changed.
    changed: Vec<Vec<i64>>,
}

impl<'a> Scene<'a> {
    fn new(snapshot: &'a Snapshot, filter: &Filter) -> Result<Self, Malformed> {
        let parts = &snapshot.parts;
        let mut changed: Vec<Vec<i64>> =
            parts.iter().map(|part| vec![0; part.loaded.segment.documents()]).collect();
        for file in &snapshot.files {
            if let Place::Document { segment, document } = file.place
                && let Some(time) =
                    changed.get_mut(segment as usize).and_then(|all| all.get_mut(document as usize))
            {
                *time = file.stat.mtime / 1_000_000_000;
            }
        }
        let mut scene = Self {
            snapshot,
            live: Vec::with_capacity(parts.len()),
            allowed: Vec::with_capacity(parts.len()),
            allowed_documents: 0,
            changed: Vec::new(),
        };
        for (number, part) in parts.iter().enumerate() {
            let segment = &part.loaded.segment;
            let mut live = Bits::new(segment.chunks(), false);
            let mut allowed = Bits::new(segment.chunks(), false);
            for document in part.live.ones() {
                let view = segment.document(document)?;
                if let Some(updated) = view.updated {
                    changed[number][document] = updated;
                }
                let passes = filter.is_empty()
                    || filter.allows(&Facts {
                        path: &view.path,
                        scope: view.scope,
                        tags: &view.tags,
                        changed: changed[number][document],
                    });
                scene.allowed_documents += usize::from(passes);
                for chunk in view.chunks {
                    live.set(chunk, true);
                    allowed.set(chunk, passes);
                }
            }
            scene.live.push(live);
            scene.allowed.push(allowed);
        }
        scene.changed = changed;
        Ok(scene)
    }

    /// All places in the order of parts and chunks.
    fn numbering(&self) -> Vec<ChunkPlace> {
        let parts = self.allowed.iter().enumerate();
        parts
            .flat_map(|(part, bits)| (0..bits.capacity()).map(move |chunk| (part, chunk)))
            .collect()
    }

    fn changed(&self, (part, chunk): ChunkPlace) -> i64 {
        let document = self.snapshot.parts[part].loaded.segment.chunk_document(chunk);
        self.changed[part].get(document).copied().unwrap_or(0)
    }

    fn similarity(&self, a: ChunkPlace, b: ChunkPlace) -> f32 {
        let matrix = |place: ChunkPlace| &self.snapshot.parts[place.0].loaded.matrix;
        matrix(a).similarity(a.1, matrix(b), b.1)
    }

    fn scope(&self, (part, chunk): ChunkPlace) -> Result<Scope, Malformed> {
        let segment = &self.snapshot.parts[part].loaded.segment;
        Ok(segment.document(segment.chunk_document(chunk))?.scope)
    }

    /// The mean vector of the chunks at a place of a note.
    fn vector_of(&self, like: &Like) -> Result<Vec<f32>, SearchError> {
        let files = &self.snapshot.files;
        let index = files
            .binary_search_by(|file| file.path.cmp(&like.path))
            .map_err(|_| SearchError::UnknownNote(like.path.clone()))?;
        let Place::Document { segment, document } = files[index].place else {
            return Err(SearchError::UnknownNote(like.path.clone()));
        };
        let part = &self.snapshot.parts[segment as usize].loaded;
        let mut sum: Vec<f32> = Vec::new();
        for chunk in part.segment.document(document as usize)?.chunks {
            let (first, last) = part.segment.chunk(chunk)?.lines;
            if like.line.is_some_and(|line| line < first || line > last) {
                continue;
            }
            if let Some(vector) = part.matrix.vector(chunk) {
                sum.resize(vector.codes.len(), 0.0);
                for (sum, code) in sum.iter_mut().zip(&vector.codes) {
                    *sum += f32::from(*code) * vector.scale;
                }
            }
        }
        let norm = sum.iter().map(|value| value * value).sum::<f32>().sqrt();
        if norm == 0.0 {
            return Err(SearchError::NoSuchLine(like.clone()));
        }
        sum.iter_mut().for_each(|value| *value /= norm);
        Ok(sum)
    }

    /// Whether a chunk is part of what others should resemble.
    fn is_same_place(&self, like: Option<&Like>, (part, chunk): ChunkPlace) -> bool {
        let Some(like) = like else { return false };
        let segment = &self.snapshot.parts[part].loaded.segment;
        let Ok((path, _)) = segment.identity(segment.chunk_document(chunk)) else { return false };
        if path != like.path.as_bytes() {
            return false;
        }
        match (like.line, segment.chunk(chunk)) {
            (Some(line), Ok(chunk)) => chunk.lines.0 <= line && line <= chunk.lines.1,
            _ => true,
        }
    }

    /// Share of the query's words that each place holds in its text or tags.
    fn word_shares(
        &self,
        places: &[ChunkPlace],
        query: &Query,
        analyzer: &Analyzer,
    ) -> Result<Vec<f32>, Malformed> {
        let mut shares = Vec::with_capacity(places.len());
        for &(part, chunk) in places {
            let segment = &self.snapshot.parts[part].loaded.segment;
            let view = segment.chunk(chunk)?;
            let mut terms = analyzer.terms(segment.chunk_text(&view)?);
            for tag in segment.document(view.document)?.tags {
                terms.extend(analyzer.terms(tag));
            }
            let held = query.terms.iter().filter(|term| terms.contains(term)).count();
            shares.push(held as f32 / query.terms.len().max(1) as f32);
        }
        Ok(shares)
    }

    /// Takes hits from the top: near-identical ones are counted with the first of them, a user's
    /// note comes before a learned one on the same subject, and no file crowds out the others.
    fn choose(
        &self,
        ranked: Vec<(ChunkPlace, Score)>,
        request: &Request,
    ) -> Result<Vec<(ChunkPlace, Score, usize)>, Malformed> {
        let mut kept: Vec<(ChunkPlace, Score, usize)> = Vec::new();
        // Some reserve, so that reordering and the share of a file have something to choose from.
        let wanted = request.limit.saturating_mul(3).max(CANDIDATES / 2);
        for (place, score) in ranked {
            if kept.len() >= wanted {
                break;
            }
            let twin = kept.iter().position(|(other, _, _)| {
                self.similarity(*other, place) >= request.collapse_similarity
            });
            match twin {
                None => kept.push((place, score, 0)),
                Some(index) => {
                    kept[index].2 += 1;
                    // The user's own wording of the same thing is the one to show.
                    if self.scope(kept[index].0)? == Scope::Learned
                        && self.scope(place)? == Scope::User
                    {
                        kept[index].0 = place;
                    }
                }
            }
        }
        let mut ordered: Vec<(ChunkPlace, Score, usize)> = Vec::with_capacity(kept.len());
        for hit in kept {
            let before = if self.scope(hit.0)? == Scope::User {
                let mut before = None;
                for (index, other) in ordered.iter().enumerate() {
                    if self.scope(other.0)? == Scope::Learned
                        && self.similarity(other.0, hit.0) >= SAME_SUBJECT
                    {
                        before = Some(index);
                        break;
                    }
                }
                before
            } else {
                None
            };
            ordered.insert(before.unwrap_or(ordered.len()), hit);
        }
        let mut first = Vec::new();
        let mut later = Vec::new();
        let mut per_file: Vec<((usize, usize), usize)> = Vec::new();
        for hit in ordered {
            let (part, chunk) = hit.0;
            let file = (part, self.snapshot.parts[part].loaded.segment.chunk_document(chunk));
            let index = match per_file.iter().position(|(known, _)| *known == file) {
                Some(index) => index,
                None => {
                    per_file.push((file, 0));
                    per_file.len() - 1
                }
            };
            per_file[index].1 += 1;
            if per_file[index].1 <= HITS_PER_FILE { first.push(hit) } else { later.push(hit) }
        }
        first.extend(later);
        first.truncate(request.limit);
        Ok(first)
    }

    fn hit(&self, place: ChunkPlace, score: Score, similar: usize) -> Result<Hit, Malformed> {
        let segment = &self.snapshot.parts[place.0].loaded.segment;
        let chunk = segment.chunk(place.1)?;
        let document = segment.document(chunk.document)?;
        let text = segment.text(&document)?.get(chunk.range.clone()).ok_or(Malformed)?;
        Ok(Hit {
            path: document.path,
            blob: document.blob,
            title: document.title.to_owned(),
            breadcrumb: segment.breadcrumb(&chunk)?.into_iter().map(str::to_owned).collect(),
            scope: document.scope,
            tags: document.tags.into_iter().map(str::to_owned).collect(),
            lines: chunk.lines,
            line: chunk.lines.0,
            changed: self.changed(place),
            score,
            text: text.to_owned(),
            sentences: Vec::new(),
            snippet: 0..0,
            matches: Vec::new(),
            similar,
            note: document.note.to_owned(),
        })
    }
}

/// Chooses the sentence to show and marks the matches.
fn show(
    hit: &mut Hit,
    weights: &[(String, f32)],
    query: Option<&[f32]>,
    tools: &Tools,
) -> Result<(), EmbedError> {
    let mut buffer = String::new();
    let mut matched: Vec<(Range<usize>, usize)> = Vec::new();
    for word in words(&hit.text) {
        fold(&hit.text[word.range.clone()], &mut buffer);
        let Some(term) = tools.analyzer.term(&buffer) else { continue };
        if let Some(index) = weights.iter().position(|(known, _)| *known == term) {
            matched.push((word.range, index));
        }
    }
    let all: f32 = weights.iter().map(|(_, weight)| weight).sum::<f32>().max(f32::MIN_POSITIVE);
    let mut found: Vec<(Range<usize>, f32)> = sentences(&hit.text)
        .into_iter()
        .map(|range| {
            let mut seen = vec![false; weights.len()];
            for (word, index) in &matched {
                seen[*index] |= range.start <= word.start && word.end <= range.end;
            }
            let held: f32 =
                weights.iter().zip(&seen).filter(|(_, seen)| **seen).map(|(w, _)| w.1).sum();
            // A heading is shown above the snippet anyway: any sentence says more.
            let weight = if is_heading(&hit.text[range.clone()]) { 0.1 } else { 1.0 };
            (range, weight * held / all)
        })
        .collect();
    let prose: Vec<usize> =
        (0..found.len()).filter(|&index| !is_heading(&hit.text[found[index].0.clone()])).collect();
    let best = prose.iter().map(|&index| found[index].1).fold(0.0, f32::max);
    if let Some(query) = query {
        let close: Vec<usize> = prose
            .into_iter()
            .filter(|&index| found[index].1 >= best * 0.75)
            .take(SENTENCES_EMBEDDED)
            .collect();
        if !close.is_empty() {
            let texts: Vec<&str> = close.iter().map(|&i| &hit.text[found[i].0.clone()]).collect();
            for (index, vector) in close.iter().zip(tools.sentence_embedder.embed(&texts)?) {
                let cosine: f32 = vector.iter().zip(query).map(|(a, b)| a * b).sum();
                found[*index].1 += 0.5 * cosine.max(0.0);
            }
        }
    }
    let mut chosen = 0;
    for (index, (_, value)) in found.iter().enumerate() {
        if *value > found[chosen].1 {
            chosen = index;
        }
    }
    if let Some((range, _)) = found.get(chosen) {
        let first_match =
            matched.iter().map(|(word, _)| word.start).find(|start| range.contains(start));
        hit.snippet = clip(&hit.text, range.clone(), first_match);
        let above = hit.text[..hit.snippet.start].matches('\n').count();
        hit.line = hit.lines.0 + above;
    }
    hit.sentences = found;
    hit.matches = matched.into_iter().map(|(range, _)| range).collect();
    hit.matches.sort_by_key(|range| (range.start, std::cmp::Reverse(range.end)));
    // A compound and its parts overlap: the compound is marked.
    let mut end = 0;
    hit.matches.retain(|range| {
        let keep = range.start >= end;
        end = end.max(range.end);
        keep
    });
    Ok(())
}

fn is_heading(sentence: &str) -> bool {
    sentence.starts_with('#')
}
