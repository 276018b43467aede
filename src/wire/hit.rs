//! A hit as programs are told of it, and how much of each there is room for.

use super::{
    BlameWire, ConfidenceWire, DriftWire, ExplainWire, HitWire, OtherwiseWire, SourceWire,
};
use elophanto_app::{
    search::{Found, budget},
    when::time,
};
use elophanto_index::{
    Kind,
    drift::Drift,
    search::{
        Hit,
        origin::{Author, State},
    },
};
use elophanto_models::builtin::count_tokens;

/// What was found, with what is told of it beside.
#[derive(Clone, Copy)]
pub struct Told<'a> {
    pub found: &'a Found,
    /// Sorted by path.
    pub drifted: &'a [Drift],
    /// Whether it is said what scores are made of.
    pub explain: bool,
}

impl<'a> Told<'a> {
    /// How the note of a hit has drifted.
    pub fn drift(&self, hit: &Hit) -> Option<&'a Drift> {
        let index = self.drifted.binary_search_by(|drift| drift.path.cmp(&hit.path)).ok()?;
        self.drifted.get(index)
    }

    /// The most useful sentences of each hit, so that the JSON of all fits into so many tokens; none
    /// where none fits.
    pub fn within(&self, most: usize) -> Vec<Option<String>> {
        let json = |wire: Result<String, _>| count_tokens(&wire.unwrap_or_default());
        let header = |hit: &Hit| json(serde_json::to_string(&self.hit(hit, Some(""))));
        // Three tokens more for what stands around a sentence: marks, quotes, escapes.
        let sentence = |text: &str| json(serde_json::to_string(text)) + 3;
        budget::within(&self.found.answer, most, header, sentence)
    }

    /// Hits with the sentences that [`Told::within`] has chosen. Where no sentence fits, all hits with
    /// their beginnings: whoever reads them cuts those, and what was found is never taken for nothing.
    pub fn passages(&self, texts: &'a [Option<String>]) -> Vec<HitWire<'a>> {
        let fits_none = texts.iter().all(Option::is_none);
        let hits = self.found.answer.hits.iter().zip(texts);
        let hits = hits.filter(|(_, text)| fits_none || text.is_some());
        hits.map(|(hit, text)| self.hit(hit, text.as_deref())).collect()
    }

    /// What is told of a hit of the answer.
    pub fn hit(&self, hit: &'a Hit, text: Option<&'a str>) -> HitWire<'a> {
        let (score, found) = (&hit.score, self.found);
        HitWire {
            kind: hit.kind.name(),
            file_type: hit.file_type(),
            path: hit.path.to_text(),
            path_bytes: std::str::from_utf8(hit.path.as_bytes())
                .is_err()
                .then(|| hit.path.as_bytes()),
            line: hit.line,
            lines: [hit.lines.0, hit.lines.1],
            title: &hit.title,
            breadcrumb: &hit.section,
            scope: hit.scope.as_str(),
            tags: &hit.tags,
            changed: hit.changed.and_then(time),
            blob: hit.blob.to_string(),
            at: found.at.map(|commit| commit.to_string()),
            source: found.source(hit).map(|source| SourceWire {
                repository: &source.repository,
                commit: &source.commit,
                as_of: time(source.as_of),
            }),
            state: state(hit),
            blame: hit.origin.author.as_ref().map(blame_wire),
            score: score.total,
            file_rank: hit.file,
            confidence: found.answer.confidence.map(ConfidenceWire::from),
            excluded: found.answer.query.excluded.iter().map(|it| it.typed.as_str()).collect(),
            snippet: &hit.text[hit.snippet.clone()],
            text,
            similar: hit.similar,
            note: &hit.note,
            against: hit.contradicted_by(),
            otherwise: hit.others_at(hit.line).map(OtherwiseWire::from).collect(),
            drifted: self.drift(hit).map(DriftWire::from),
            explain: self.explain.then_some(ExplainWire {
                keyword: score.keyword,
                cosine: score.cosine,
                keyword_part: score.keyword_part,
                semantic_part: score.semantic_part,
                recency_part: score.recency_part,
                words_part: score.words_part,
                window_part: score.window_part,
                whole_part: score.whole_part,
                excerpt_part: score.excerpt_part,
                source_part: (hit.kind == Kind::Summary || score.source_part != 0.0)
                    .then_some(score.source_part),
            }),
            stale: found.stale,
        }
    }
}

/// What to call text that is not committed.
pub fn state(hit: &Hit) -> Option<&'static str> {
    match hit.origin.state {
        State::Committed => None,
        State::Modified => Some("modified"),
        State::Uncommitted => Some("uncommitted"),
        State::Stale => Some("stale"),
    }
}

fn blame_wire(author: &Author) -> BlameWire {
    match author {
        Author::Nobody => BlameWire::default(),
        Author::Commit(blame) => BlameWire {
            author: Some(blame.author.clone()),
            email: Some(blame.email.clone()),
            commit: Some(blame.commit.to_string()),
            date: time(blame.time),
            subject: Some(blame.subject.clone()),
        },
    }
}
