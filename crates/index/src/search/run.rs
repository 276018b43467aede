//! Answering a request from a snapshot.

use std::{borrow::Cow, ops::Range};

use rayon::prelude::*;
use rustc_hash::{FxHashMap, FxHashSet};

use super::{
    Confidence, Filter, Mode, Query, Ranking, Score, SecondLook, Weights,
    belief::{self, each, features_of},
    closer::{self, look_again, look_closer},
    dashes::settle,
    excerpt::Excerpts,
    filter::{Facts, file_type},
    language,
    lexical::{Bm25, Scores},
    origin::Origin,
    question::Question,
    rank::{self, CANDIDATES, Signals},
    scene::{ChunkId, Look, Scene},
    second::{self, Reading, Seen},
    show::show,
    sources::{Candidate, by_file, weigh},
    spelling::Spelling,
};
use crate::{
    Kind, Snapshot,
    store::{
        Malformed,
        bits::Bits,
        segment::{Against, DocumentView, MadeFrom, Otherwise},
    },
};
use elophanto_base::lexical::{Analyzer, Finder, Language};
use elophanto_models::{Belief, EmbedError, Embedder, Features, Pace};
use elophanto_repo::{BlobId, NotePath};
use elophanto_text::markdown::{Scope, without_attributes};

/// What is asked.
#[derive(Clone)]
pub struct Request<'a> {
    pub query: &'a Query,
    /// Instead of a query: what resembles this place of a note?
    pub like: Option<Like>,
    /// So many passages or files, whichever are listed.
    pub limit: usize,
    pub listing: Listing,
    pub mode: Mode,
    pub ranking: Ranking,
    pub weights: Weights,
    pub bm25: Bm25,
    /// Look up similar words for one that occurs nowhere.
    pub fuzzy: bool,
    pub filter: Filter,
    /// Hits with a lower total before a second look are left out.
    pub min_score: Option<f32>,
    /// A chunk with no word in common counts from this cosine on: below, it is chance.
    pub least_cosine: f32,
    /// Chunks this similar to a better hit are counted, not shown.
    pub collapse_similarity: f32,
    /// The slower model that looks at the best hits again, where words and meaning are weighed.
    pub second_look: Option<SecondLook<'a>>,
    /// By what is said whether the hits answer; `None` if nobody wants to know.
    pub belief: Option<Belief>,
    /// Seconds since 1970.
    pub now: i64,
}

/// What a list of hits is a list of.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Listing {
    /// Each passage that answers.
    #[default]
    Passages,
    /// Files, each with at most so many passages, which stand together.
    Files {
        /// At most so many passages of a file.
        places: usize,
    },
}

/// A place in a note.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Like {
    /// The note or file, relative to the root.
    pub path: NotePath,
    /// Line in the file, from 1; `None` is the whole note.
    pub line: Option<usize>,
}

/// What a search works with.
pub struct SearchContext<'a> {
    pub analyzer: &'a Analyzer,
    /// The model of the vectors.
    pub embedder: &'a dyn Embedder,
    /// A model that costs nothing, for choosing sentences.
    pub sentence_embedder: &'a dyn Embedder,
}

/// One chunk that answers.
#[derive(Debug, Clone)]
pub struct Hit {
    /// Of the note, or of the file that a summary is of.
    pub path: NotePath,
    /// A note, the description of a file, a page of facts, or a lesson.
    pub kind: Kind,
    /// What a summary was made from; `None` for a note.
    pub source: Option<MadeFrom>,
    /// Lines of a page of facts of which a note of the user says otherwise.
    pub against: Vec<Against>,
    /// What other facts say otherwise than lines of a page of facts; of each line the newest first.
    pub otherwise: Vec<Otherwise>,
    /// Git's name of the content that was read.
    pub blob: BlobId,
    /// Of the note.
    pub title: String,
    /// The headings above the chunk, the outermost first.
    pub breadcrumb: Vec<String>,
    /// The headings above the best sentence, which may be others where small sections are one chunk.
    pub section: Vec<String>,
    /// Whom the note is for.
    pub scope: Scope,
    /// Of the note; of a description, the type of its file.
    pub tags: Vec<String>,
    /// First and last line of the chunk in the file.
    pub lines: (usize, usize),
    /// Line of the best sentence.
    pub line: usize,
    /// When the note changed, in seconds since 1970; `None` if that is not known.
    pub changed: Option<i64>,
    /// How well it answers, and why.
    pub score: Score,
    /// The whole chunk.
    pub text: String,
    /// The fence of code inside of which the text begins.
    pub fence: Option<String>,
    /// Sentences of the chunk with their usefulness for this query, in the order of the text.
    pub sentences: Vec<(Range<usize>, f32)>,
    /// The lines of its file where the sentences of a description stand, where that was looked for.
    pub places: Vec<Option<usize>>,
    /// The part of the text that is shown.
    pub snippet: Range<usize>,
    /// Matched words within `text`.
    pub matches: Vec<Range<usize>>,
    /// Near-identical chunks that are not shown.
    pub similar: usize,
    /// Rank of its file among those of the hits, from 1.
    pub file: usize,
    /// What was noticed when the note was read; empty if nothing.
    pub note: String,
    /// Where the text comes from, once git was asked.
    pub origin: Origin,
}

impl Hit {
    /// The note of the user that says otherwise than the best sentence.
    pub fn contradicted_by(&self) -> Option<&str> {
        self.contradicted_at(self.line)
    }

    /// The note of the user that says otherwise than a line.
    pub fn contradicted_at(&self, line: usize) -> Option<&str> {
        let against = self.against.iter().find(|against| against.line == line);
        against.map(|against| against.note.as_str())
    }

    /// What other facts say otherwise than a line, the newest first.
    pub fn others_at(&self, line: usize) -> impl Iterator<Item = &Otherwise> {
        self.otherwise.iter().filter(move |other| other.line == line)
    }

    /// Line of the file on which a byte of the text stands: of a description, what it was made from.
    pub fn line_at(&self, offset: usize) -> usize {
        if self.source.is_some() {
            let sentence = self.sentences.iter().position(|(range, _)| offset < range.end);
            let place = sentence.and_then(|at| *self.places.get(at)?);
            return place.unwrap_or(self.lines.0);
        }
        // The first line of a chunk is the first that is not blank.
        let blank = self.text.len() - self.text.trim_start().len();
        let above = self.text.get(blank..offset).unwrap_or_default();
        self.lines.0 + above.matches('\n').count()
    }

    /// Name of the type of its file, as in `--type`.
    pub fn file_type(&self) -> &str {
        file_type(self.kind, self.tags.first().map(String::as_str))
    }
}

/// All that is said about a request.
#[derive(Debug, Default)]
pub struct Answer {
    /// The best first.
    pub hits: Vec<Hit>,
    /// The question as it was taken: what the documents write with a dash excludes nothing.
    pub query: Query,
    /// The language that it was taken to be in, if that is another than the settings say.
    pub language: Option<Language>,
    /// Whether the hits answer, if that was asked and there are any.
    pub confidence: Option<Confidence>,
    /// The terms looked for that occur, each with its inverse document frequency.
    pub weights: Vec<(String, f32)>,
    /// Words that occur nowhere, and those looked up instead, as documents write them.
    pub corrections: Vec<(String, Vec<String>)>,
    /// The question with these in the place of misspelt words; `None` where no word is taken for misspelt.
    pub respelt: Option<String>,
    /// Why there was no second look, if one was wanted.
    pub second_look_failed: Option<EmbedError>,
    /// Notes and chunks that the filter let through.
    pub searched: (usize, usize),
    /// Notes and summaries that there are.
    pub notes: usize,
}

impl Answer {
    /// The analyzer of the question, where `usual` is that of the settings.
    pub fn analyzer<'a>(&self, usual: &'a Analyzer) -> &'a Analyzer {
        self.language.map_or(usual, |language| language.analyzer())
    }

    /// Keeps some of the hits, of those the first so many passages or files, and counts the files
    /// anew.
    pub fn keep(&mut self, listing: Listing, limit: usize, is_kept: impl Fn(&Hit) -> bool) {
        self.hits.retain(is_kept);
        let mut files: Vec<NotePath> = Vec::new();
        let mut passages = 0;
        self.hits.retain_mut(|hit| {
            passages += 1;
            let known = files.iter().position(|path| *path == hit.path);
            hit.file = known.unwrap_or(files.len()) + 1;
            let is_kept = match listing {
                Listing::Passages => passages <= limit,
                Listing::Files { .. } => hit.file <= limit,
            };
            if is_kept && known.is_none() {
                files.push(hit.path.clone());
            }
            is_kept
        });
    }
}

/// Why there is no answer.
#[derive(Debug, thiserror::Error)]
pub enum SearchError {
    /// A segment or its vectors do not hold together: the view is made anew.
    #[error("the search view is damaged")]
    Damaged,
    /// What is alike is asked of a note that is not in the view.
    #[error("`{}` is not among the searched notes", .0.to_text())]
    UnknownNote(NotePath),
    /// What is alike is asked of a line around which a note has no text.
    #[error("`{}` has no text at line {}", .0.path.to_text(), .0.line.unwrap_or(1))]
    NoSuchLine(Like),
    /// The model makes no vector of the query.
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
    tools: &SearchContext,
) -> Result<Answer, SearchError> {
    sharing(tools.embedder, || answer(snapshot, request, tools))
}

/// Does work as one of the threads that share it: to hand each share over to them, and to wait, would
/// take longer than many a share.
pub fn sharing<T: Send>(embedder: &dyn Embedder, work: impl FnOnce() -> T + Send) -> T {
    match embedder.pace() {
        Pace::Instant | Pace::Slow => rayon::scope(|_| work()),
        // It may wait for minutes, which none of them should.
        Pace::Remote => work(),
    }
}

fn answer(
    snapshot: &Snapshot,
    request: &Request,
    tools: &SearchContext,
) -> Result<Answer, SearchError> {
    let filter = &request.filter;
    let passes = |kind: Kind, view: &DocumentView, changed: Option<i64>| {
        let DocumentView { path, scope, tags, .. } = view;
        filter.is_empty() || filter.allows(&Facts { kind, path, scope: *scope, tags, changed })
    };
    let text = &request.query.text;
    let (scene, language) = rayon::join(
        || Scene::new(snapshot, passes),
        || language::of_question(&snapshot.parts, text, tools.analyzer),
    );
    let scene = scene?;
    let mut answer = Answer {
        searched: (scene.allowed_documents, scene.allowed.iter().map(Bits::count).sum()),
        notes: snapshot.parts.iter().map(|part| part.live.count()).sum(),
        ..Answer::default()
    };
    let field = scene.field();
    answer.language = language?;
    let analyzer = answer.analyzer(tools.analyzer);
    let query = match answer.language {
        Some(_) => Cow::Owned(request.query.in_language(analyzer)),
        None => Cow::Borrowed(request.query),
    };
    answer.query = settle(&query, &field, analyzer)?.into_owned();
    let query = answer.query.clone();
    let spelling = match request.fuzzy && request.like.is_none() {
        true => Spelling::of(&field, &query, analyzer)?,
        false => Spelling::default(),
    };
    // A misspelt word means nothing to a model.
    let text = spelling.text.as_deref().unwrap_or(&query.text);
    let query_vector = match &request.like {
        Some(like) => Some(scene.vector_of(like)?),
        None if query.is_empty() => return Ok(answer),
        None if request.mode == Mode::Keyword && request.ranking == Ranking::Weighted => None,
        None => Some(tools.embedder.embed_query(text)?),
    };
    let mode = if request.like.is_some() { Mode::Semantic } else { request.mode };
    let is_scanned = mode != Mode::Keyword || request.ranking == Ranking::Additive;
    let look = Look {
        query: &query,
        bm25: &request.bm25,
        spelling: Some(&spelling).filter(|_| request.fuzzy),
        by_keyword: mode != Mode::Semantic,
        vector: query_vector.as_deref().filter(|_| is_scanned),
        least_cosine: request.least_cosine,
        like: request.like.as_ref(),
        // As many as are asked for, and enough that the scores of a short list do not depend on it.
        candidates: request.limit.max(CANDIDATES),
    };
    let found = scene.find(&look)?;
    let candidates = by_file(&scene, &found, look.like)?;
    let places: Vec<ChunkId> = candidates.iter().map(|candidate| candidate.place).collect();
    let signals: Vec<Signals> = candidates
        .iter()
        .map(|&Candidate { place, keyword, cosine }| Signals {
            keyword,
            cosine,
            age_days: scene
                .changed(place)
                .map_or(f32::INFINITY, |time| request.now.saturating_sub(time) as f32 / 86_400.0),
            proven: 0.0,
        })
        .collect();
    let shares = match request.ranking {
        Ranking::Additive => scene.word_shares(&places, &query, analyzer)?,
        Ranking::Weighted => Vec::new(),
    };
    let ranked = rank::rank(&signals, &shares, mode, request.ranking, &request.weights);
    let mut ranked: Vec<(ChunkId, Score)> =
        ranked.into_iter().map(|(index, score)| (places[index], score)).collect();
    let keywords = found.keywords;
    let is_closer =
        mode == Mode::Hybrid && request.ranking == Ranking::Weighted && request.like.is_none();
    let looked_at = match (is_closer, request.belief) {
        (true, _) => closer::LOOKED_AT,
        (false, Some(_)) if request.like.is_none() => belief::LOOKED_AT,
        _ => 0,
    };
    let best = ranked.iter().take(looked_at);
    let best = best.map(|(place, score)| scene.compared(*place, score.cosine));
    let best = best.collect::<Result<Vec<_>, _>>()?;
    let features = each(&query, text, &keywords, &best, analyzer);
    let known: FxHashMap<ChunkId, Features> =
        ranked.iter().map(|(place, _)| *place).zip(features.iter().copied()).collect();
    if is_closer {
        look_closer(&mut ranked, &features);
    }
    let places = ranked.iter().map(|(place, _)| *place);
    let foreign = language::foreign(snapshot, text, analyzer, places)?;
    let before = weigh(snapshot, text, analyzer, &foreign, &mut ranked)?;
    // By the scores that a search has without a second look: those after it are other numbers, and
    // who asks twice is to get the same hits.
    let kept = request.min_score.map(|least| {
        let enough = ranked.iter().filter(|(_, score)| score.total >= least);
        enough.map(|(place, _)| *place).collect::<FxHashSet<ChunkId>>()
    });
    let belief = request.belief.filter(|_| request.like.is_none() && !ranked.is_empty());
    // Of all that was found: what is left out below answers as well as before.
    let mut lead = match belief {
        Some(_) => scene.lead(&ranked[..before], request.collapse_similarity)?,
        None => 0.0,
    };
    let look = request.second_look.as_ref().filter(|_| is_closer && !ranked.is_empty());
    if let Some(look) = look {
        let first = scene.path(ranked[0].0)?;
        let candidates = readings(&scene, &ranked[..before], &query, text, &keywords, analyzer)?;
        let Seen { near, failure } = look.read(text, &candidates);
        answer.second_look_failed = failure;
        look_again(&mut ranked, &near);
        if scene.path(ranked[0].0)? != first {
            // Two looks that disagree leave open which file is right: of three such lists that would
            // be called sure, one is right, of the other 51 in `tests/real/questions` 46.
            lead = 0.0;
        }
    }
    if let Some(belief) = belief {
        // Where only words were looked for, vectors of the model are not at hand.
        let is_usable = belief.weights.cosine == 0.0 || found.cosines.is_some();
        let belief = if is_usable { belief } else { Belief::STATIC };
        let best = ranked[..before].iter().take(belief::LOOKED_AT);
        let best = best.filter_map(|(place, _)| known.get(place).copied());
        let features = features_of(&query, best);
        answer.confidence = Some(Confidence::of(features, lead, &belief));
    }
    if let Some(kept) = kept {
        ranked.retain(|(place, _)| kept.contains(place));
    }
    let (chosen, (asked, sentence_query)) = rayon::join(
        || scene.choose(ranked, &foreign, request),
        || {
            let embed = || tools.sentence_embedder.embed_query(text);
            let query = request.like.is_none().then(embed).transpose();
            (Question::new(text, &keywords.weights, analyzer), query)
        },
    );
    let (chosen, sentence_query) = (chosen?, sentence_query?);
    let finder = || Finder::new(analyzer, keywords.weights.iter().map(|(term, _)| term.as_str()));
    let shown = |finder: &mut Finder, (place, score, similar)| -> Result<Hit, SearchError> {
        let mut hit = scene.hit(place, score, similar)?;
        for heading in std::iter::once(&mut hit.title).chain(&mut hit.breadcrumb) {
            heading.truncate(without_attributes(heading).len());
        }
        show(
            &mut hit,
            &keywords.weights,
            &asked,
            sentence_query.as_deref(),
            finder,
            tools.sentence_embedder,
        )?;
        if let Some(source) = &hit.source {
            // A line of a summary is none of the file.
            hit.line = source.lines.0;
        }
        Ok(hit)
    };
    answer.hits = chosen.into_par_iter().map_init(finder, shown).collect::<Result<_, _>>()?;
    answer.corrections = spelling.words;
    answer.respelt = spelling.text;
    answer.keep(request.listing, request.limit, |_| true);
    answer.weights = keywords.weights;
    Ok(answer)
}

/// What a slower model reads of the best candidates.
fn readings(
    scene: &Scene,
    ranked: &[(ChunkId, Score)],
    query: &Query,
    text: &str,
    keywords: &Scores,
    analyzer: &Analyzer,
) -> Result<Vec<Reading>, Malformed> {
    let best = &ranked[..ranked.len().min(second::LOOKED_AT)];
    let excerpts = || Excerpts::new(query, text, keywords, analyzer);
    let read = |excerpts: &mut Excerpts, &(place, score): &(ChunkId, Score)| {
        let body = scene.compared(place, score.cosine)?.body;
        let range = excerpts.best(body);
        let is_part = range.len() < body.len();
        let excerpt = is_part.then(|| scene.passage(place, &body[range])).transpose()?;
        Ok(Reading { passage: scene.passage(place, body)?, excerpt })
    };
    best.par_iter().map_init(excerpts, read).collect()
}
