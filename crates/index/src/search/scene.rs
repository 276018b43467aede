//! The snapshot as one search sees it: what is current, what may be a hit, what resembles what.

use std::ops::Range;

use rayon::prelude::*;

use super::{
    Hit, Query, Score, SearchError,
    belief::Compared,
    lexical::{self, Bm25, Field, Scores},
    origin::Origin,
    passage::open_fence,
    rank::top,
    run::Like,
    spelling::Spelling,
};
use crate::{
    Kind, Snapshot, note,
    store::{
        Malformed,
        bits::Bits,
        manifest::Place,
        matrix::Probe,
        segment::{Against, Attributes, DocumentView, MadeFrom, Otherwise},
    },
};
use elophanto_base::lexical::Analyzer;
use elophanto_repo::NotePath;
use elophanto_text::markdown::Scope;

/// How alike two chunks from elsewhere are at most that say different things: below all that is taken for
/// twins.
const MOST_UNSEEN: f32 = 0.85;

/// Documents that are not worth a second thread.
const FEW_DOCUMENTS: usize = 256;

/// Number of the part, number of the chunk in it.
pub type ChunkId = (usize, usize);

/// The snapshot as one search sees it.
pub struct Scene<'a> {
    pub snapshot: &'a Snapshot,
    /// Per part, per chunk: current.
    pub live: Vec<Bits>,
    /// Per part, per chunk: current and let through.
    pub allowed: Vec<Bits>,
    /// Documents that are let through.
    pub allowed_documents: usize,
    /// Per part, per document: when it changed, if that is known.
    changed: Vec<Vec<Option<i64>>>,
    /// Path, part and chunks of each current document, by path.
    documents: Vec<(NotePath, usize, Range<usize>)>,
}

/// What is looked for, and how much of it.
pub struct Look<'a> {
    pub query: &'a Query,
    pub bm25: &'a Bm25,
    /// By which words that occur nowhere are taken for misspelt ones; `None` if they are not.
    pub spelling: Option<&'a Spelling>,
    /// Whether chunks are taken for their words.
    pub by_keyword: bool,
    /// Chunks are taken for their meaning, too.
    pub vector: Option<&'a [f32]>,
    /// A chunk counts from this cosine on.
    pub least_cosine: f32,
    /// What others should resemble is not among them.
    pub like: Option<&'a Like>,
    /// So many chunks for each signal.
    pub candidates: usize,
}

/// What was found, still to be ranked.
pub struct Found {
    pub keywords: Scores,
    /// Per part, per chunk.
    pub cosines: Option<Vec<Vec<f32>>>,
    /// By the paths of their files.
    pub places: Vec<ChunkId>,
}

impl Found {
    /// 0 where no term occurs.
    pub fn keyword(&self, (part, chunk): ChunkId) -> f32 {
        self.keywords.scores[part][chunk]
    }

    /// 0 if nobody asked for it.
    pub fn cosine(&self, (part, chunk): ChunkId) -> f32 {
        self.cosines.as_ref().map_or(0.0, |all| all[part][chunk])
    }
}

impl<'a> Scene<'a> {
    /// Marks what is current and what is let through: by `passes` of its kind, of what its segment
    /// keeps of it, and of when it changed.
    ///
    /// # Errors
    /// [`Malformed`] if a segment is damaged.
    pub fn new(
        snapshot: &'a Snapshot,
        mut passes: impl FnMut(Kind, &DocumentView, Option<i64>) -> bool,
    ) -> Result<Self, Malformed> {
        let parts = &snapshot.parts;
        let mut changed: Vec<Vec<Option<i64>>> =
            parts.iter().map(|part| vec![None; part.loaded.segment.documents()]).collect();
        for (file, told) in snapshot.files.iter().zip(snapshot.change_times()) {
            if let Place::Document { segment, document } = file.place
                && let Some(time) =
                    changed.get_mut(segment as usize).and_then(|all| all.get_mut(document as usize))
            {
                *time = told;
            }
        }
        let mut scene = Self {
            snapshot,
            live: Vec::with_capacity(parts.len()),
            allowed: Vec::with_capacity(parts.len()),
            allowed_documents: 0,
            changed: Vec::new(),
            documents: Vec::new(),
        };
        for (number, part) in parts.iter().enumerate() {
            let segment = &part.loaded.segment;
            let mut live = Bits::new(segment.chunks(), false);
            let mut allowed = Bits::new(segment.chunks(), false);
            let current: Vec<usize> = part.live.ones().collect();
            let views = current.into_par_iter().with_min_len(FEW_DOCUMENTS);
            let views = views.map(|document| segment.document(document));
            let views = views.collect::<Result<Vec<_>, _>>()?;
            for (document, view) in part.live.ones().zip(views) {
                let changed = &mut changed[number][document];
                *changed = view.updated.or(*changed);
                let passes = passes(part.kind, &view, *changed);
                scene.allowed_documents += usize::from(passes);
                live.set_all(view.chunks.clone());
                if passes {
                    allowed.set_all(view.chunks.clone());
                }
                scene.documents.push((view.path, number, view.chunks));
            }
            scene.live.push(live);
            scene.allowed.push(allowed);
        }
        scene.changed = changed;
        scene.documents.sort_by(|(a, ..), (b, ..)| a.cmp(b));
        Ok(scene)
    }

    /// Its chunks, as words are looked for in them.
    pub fn field(&self) -> Field<'_> {
        let Self { snapshot, live, allowed, .. } = self;
        Field { parts: &snapshot.parts, live, allowed, whole: snapshot.whole.as_deref() }
    }

    /// Scores all chunks and takes those that may answer.
    ///
    /// # Errors
    /// [`Malformed`] if a segment is damaged.
    pub fn find(&self, look: &Look) -> Result<Found, Malformed> {
        let Look { query, bm25, spelling, vector, .. } = look;
        let parts = &self.snapshot.parts;
        let by_keyword = || lexical::score(&self.field(), query, bm25, *spelling);
        let by_meaning = || {
            let scan = |vector: &[f32]| {
                let probe = Probe::new(vector);
                parts.iter().map(|part| part.loaded.matrix.scan(&probe)).collect()
            };
            vector.map(scan).transpose()
        };
        let (keywords, cosines) = rayon::join(by_keyword, by_meaning);
        let mut found = Found { keywords: keywords?, cosines: cosines?, places: Vec::new() };
        // All places by the paths of their files: what scores the same comes in one order, however
        // the parts came about.
        let documents = self.documents.iter();
        let numbers: Vec<ChunkId> = documents
            .flat_map(|(_, part, chunks)| chunks.clone().map(move |chunk| (*part, chunk)))
            .collect();
        let best = |is_asked: bool, score: &dyn Fn(ChunkId) -> f32| {
            let values = numbers.iter().enumerate().filter(|_| is_asked);
            let values = values.filter(|(_, place)| self.is_eligible(&found, look.like, **place));
            top(values.map(|(number, &place)| (number, score(place))), look.candidates)
        };
        let (mut chosen, near) = rayon::join(
            || best(look.by_keyword, &|place| found.keyword(place)),
            || best(found.cosines.is_some(), &|place| found.cosine(place)),
        );
        let is_near = |number: &usize| found.cosine(numbers[*number]) >= look.least_cosine;
        chosen.extend(near.into_iter().filter(is_near));
        chosen.sort_unstable();
        chosen.dedup();
        found.places = chosen.into_iter().map(|number| numbers[number]).collect();
        Ok(found)
    }

    /// Whether a chunk may answer: it is let through, not excluded, and no part of what others should
    /// resemble.
    pub fn is_eligible(&self, found: &Found, like: Option<&Like>, place: ChunkId) -> bool {
        self.allowed[place.0].get(place.1)
            && !found.keywords.barred[place.0].get(place.1)
            && !self.is_same_place(like, place)
    }

    /// When the note of a chunk changed, in seconds since 1970; `None` if that is not known.
    pub fn changed(&self, (part, chunk): ChunkId) -> Option<i64> {
        let document = self.snapshot.parts[part].loaded.segment.chunk_document(chunk);
        self.changed[part].get(document).copied().flatten()
    }

    /// Whether others made what is searched, and may have made it up.
    pub fn is_elsewhere(&self) -> bool {
        self.snapshot.whole.is_some()
    }

    /// How alike two chunks are by their vectors. Whoever published a chunk made its vector: of what lies
    /// elsewhere nothing is nearly the same but what says the same, word by word.
    pub fn similarity(&self, a: ChunkId, b: ChunkId) -> f32 {
        let matrix = |place: ChunkId| &self.snapshot.parts[place.0].loaded.matrix;
        let said = matrix(a).similarity(a.1, matrix(b), b.1);
        let is_believed = said <= MOST_UNSEEN || !self.is_elsewhere();
        if is_believed || self.says_same(a, b) { said } else { MOST_UNSEEN }
    }

    fn says_same(&self, a: ChunkId, b: ChunkId) -> bool {
        let text = |place| self.compared(place, 0.0).ok().map(|it| it.body.split_whitespace());
        text(a).zip(text(b)).is_some_and(|(a, b)| a.eq(b))
    }

    /// Whether a chunk has its vector.
    pub fn has_vector(&self, (part, chunk): ChunkId) -> bool {
        !self.snapshot.parts[part].loaded.matrix.is_missing(chunk)
    }

    pub fn scope(&self, (part, chunk): ChunkId) -> Result<Scope, Malformed> {
        let segment = &self.snapshot.parts[part].loaded.segment;
        Ok(segment.document(segment.chunk_document(chunk))?.scope)
    }

    /// The path of the document that holds a chunk.
    pub fn path(&self, (part, chunk): ChunkId) -> Result<&'a [u8], Malformed> {
        let segment = &self.snapshot.parts[part].loaded.segment;
        Ok(segment.identity(segment.chunk_document(chunk))?.0)
    }

    /// What the document of a chunk is.
    pub fn kind(&self, place: ChunkId) -> Kind {
        self.snapshot.parts[place.0].kind
    }

    /// A chunk as it is compared with the question.
    pub fn compared(&self, (part, chunk): ChunkId, cosine: f32) -> Result<Compared<'a>, Malformed> {
        let segment = &self.snapshot.parts[part].loaded.segment;
        let chunk = segment.chunk(chunk)?;
        let document = segment.document(chunk.document)?;
        let headings = segment.breadcrumb(&chunk)?;
        let title =
            Some(document.title).filter(|title| document.titled && !headings.contains(title));
        let head = title.into_iter().chain(headings).collect::<Vec<_>>().join(" > ");
        Ok(Compared { head, body: segment.text_at(&document, chunk.range)?, cosine })
    }

    /// What an index embeds of a chunk, around any part of its text.
    pub fn passage(&self, (part, chunk): ChunkId, body: &str) -> Result<String, Malformed> {
        let segment = &self.snapshot.parts[part].loaded.segment;
        let chunk = segment.chunk(chunk)?;
        let document = segment.document(chunk.document)?;
        let headings: Vec<String> =
            segment.breadcrumb(&chunk)?.into_iter().map(str::to_owned).collect();
        Ok(note::passage(document.titled.then_some(document.title), &headings, body))
    }

    /// The mean vector of the chunks at a place of a note.
    pub fn vector_of(&self, like: &Like) -> Result<Vec<f32>, SearchError> {
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
            if let Some(vector) = part.matrix.vector(chunk)? {
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
    pub fn is_same_place(&self, like: Option<&Like>, (part, chunk): ChunkId) -> bool {
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
    pub fn word_shares(
        &self,
        places: &[ChunkId],
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

    /// Whether a fact in the first chunk is one that the note of the second contradicts.
    pub fn is_contradicted(&self, fact: ChunkId, note: ChunkId) -> Result<bool, Malformed> {
        let segment = &self.snapshot.parts[fact.0].loaded.segment;
        let (lines, page) = (segment.chunk(fact.1)?.lines, segment.chunk_document(fact.1));
        let Attributes::Facts { against, .. } = segment.document(page)?.attributes else {
            return Ok(false);
        };
        if against.is_empty() {
            return Ok(false);
        }
        let segment = &self.snapshot.parts[note.0].loaded.segment;
        let note = segment.document(segment.chunk_document(note.1))?.path.to_text();
        let is_its = |it: &Against<&str>| it.note == note && (lines.0..=lines.1).contains(&it.line);
        Ok(against.iter().any(is_its))
    }

    /// A chunk as it is shown, its sentences still to be chosen.
    pub fn hit(&self, place: ChunkId, score: Score, similar: usize) -> Result<Hit, Malformed> {
        let segment = &self.snapshot.parts[place.0].loaded.segment;
        let chunk = segment.chunk(place.1)?;
        let document = segment.document(chunk.document)?;
        let whole = segment.text(&document)?;
        let text = whole.get(chunk.range.clone()).ok_or(Malformed)?;
        let fence = open_fence(&whole[..chunk.range.start]).map(str::to_owned);
        let kind = self.snapshot.parts[place.0].kind;
        // What a document is made from is another text than its own.
        let made_from = document.attributes.made_from();
        let (mut source, mut against, mut otherwise) = (None, Vec::new(), Vec::new());
        match document.attributes {
            Attributes::Note { .. } | Attributes::Lessons { .. } => {}
            Attributes::Summary(made_from) => source = Some(made_from.to_owned()),
            Attributes::Facts { against: notes, otherwise: others, .. } => {
                against = notes.iter().map(Against::to_owned).collect();
                otherwise = others.iter().map(Otherwise::to_owned).collect();
            }
        }
        let lines = source.as_ref().map_or(chunk.lines, |source: &MadeFrom| source.lines);
        Ok(Hit {
            kind,
            source,
            against,
            otherwise,
            path: document.path,
            blob: made_from.unwrap_or(document.blob),
            title: document.title.to_owned(),
            breadcrumb: segment.breadcrumb(&chunk)?.into_iter().map(str::to_owned).collect(),
            section: Vec::new(),
            scope: document.scope,
            tags: document.tags.into_iter().map(str::to_owned).collect(),
            lines,
            line: lines.0,
            changed: self.changed(place),
            score,
            text: text.to_owned(),
            fence,
            sentences: Vec::new(),
            places: Vec::new(),
            snippet: 0..0,
            matches: Vec::new(),
            similar,
            file: 0,
            note: document.note.to_owned(),
            origin: Origin::default(),
        })
    }
}
