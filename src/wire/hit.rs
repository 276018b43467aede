//! A hit as programs are told of it, and how much of each there is room for.

use serde_json::{Map, Value, json};

use super::{
    BlameWire, ConfidenceWire, DriftWire, ExplainWire, HitWire, ListedWire, OtherwiseWire,
    SourceWire,
    budget::{Fitted, structured},
    form,
    printed::visible_json,
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

    /// A text for each hit: its snippet, and the most useful sentences beside where all that is told of
    /// all hits fits into so many tokens. `cost` is what one hit costs.
    pub fn within(&self, most: usize, cost: impl Fn(&HitWire) -> usize) -> Vec<String> {
        let of = |hit: &Hit, text: &str| cost(&self.hit(hit, Some(text)));
        budget::of_all(&self.found.answer, most, of)
    }

    /// Hits with these texts.
    pub fn passages(&self, texts: &'a [String]) -> Vec<HitWire<'a>> {
        let hits = self.found.answer.hits.iter().zip(texts);
        hits.map(|(hit, text)| self.hit(hit, Some(text))).collect()
    }

    /// Hits as `--json` prints them, in at most so many tokens: what is least needed of each goes first,
    /// then hits from the end. The last one tells whether something is `cut`, and how many `more` there
    /// are.
    pub fn lines(&self, most: usize) -> Vec<Value> {
        let json = |wire: &HitWire| serde_json::to_string(wire).unwrap_or_default();
        let texts = self.within(most, |wire| printed_tokens(&json(wire)) + 1);
        let hits = ListedWire { hits: self.passages(&texts) };
        let whole: Option<Map<String, Value>> =
            serde_json::to_string(&hits).ok().and_then(|json| serde_json::from_str(&json).ok());
        let Fitted { mut object, left } =
            structured(whole.unwrap_or_default(), &form::<ListedWire>(), most, printed_tokens);
        let is_cut = object.contains_key("cut");
        let Some(Value::Array(mut lines)) = object.remove("hits") else { return Vec::new() };
        if let Some(last) = lines.last_mut().filter(|_| is_cut) {
            last["cut"] = json!(true);
            if left > 0 {
                last["more"] = json!(left);
            }
        }
        lines
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

/// Tokens of JSON as it is printed.
fn printed_tokens(json: &str) -> usize {
    count_tokens(&visible_json(json))
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
