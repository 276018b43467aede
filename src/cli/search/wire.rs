//! A hit as `--json` prints it: names of fields are a promise.

use serde::Serialize;

use super::{
    output::Shape,
    places::{drift, state},
};
use elophanto_app::when::time;
use elophanto_index::{
    Kind,
    drift::{Drift, Later},
    search::{Confidence, Hit, Level, origin::Author},
};

/// A hit, as `--json` prints it.
#[derive(Serialize)]
pub struct HitWire<'a> {
    pub kind: &'static str,
    #[serde(rename = "type")]
    file_type: &'a str,
    pub path: String,
    /// Only for a path that is not UTF-8: its bytes.
    #[serde(skip_serializing_if = "Option::is_none")]
    path_bytes: Option<&'a [u8]>,
    pub line: usize,
    lines: [usize; 2],
    pub title: &'a str,
    pub breadcrumb: &'a [String],
    pub scope: &'a str,
    tags: &'a [String],
    changed: Option<String>,
    blob: String,
    /// The commit that was searched.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub at: Option<String>,
    /// Only for text that is not committed: `modified` or `uncommitted`; and for a summary whose
    /// file has changed: `stale`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub state: Option<&'static str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub blame: Option<BlameWire>,
    pub score: f32,
    /// Rank of its file among those of the hits, from 1.
    file_rank: usize,
    /// Of all hits together: whether they answer. Not for `--like`.
    #[serde(skip_serializing_if = "Option::is_none")]
    confidence: Option<ConfidenceWire>,
    /// What the question excluded, as typed.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    excluded: Vec<&'a str>,
    pub snippet: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub text: Option<&'a str>,
    #[serde(skip_serializing_if = "is_zero")]
    similar: usize,
    #[serde(skip_serializing_if = "str::is_empty")]
    note: &'a str,
    /// Only for a fact: the note of the user that says otherwise.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub against: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub drifted: Option<DriftWire<'a>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    explain: Option<ExplainWire>,
    #[serde(skip_serializing_if = "is_zero")]
    stale: usize,
}

/// How sure it is that the hits hold an answer.
#[derive(Serialize)]
pub struct ConfidenceWire {
    /// `sure`, `perhaps` or `probably nothing`.
    level: Level,
    /// From 0 to 1.
    probability: f64,
}

impl From<Confidence> for ConfidenceWire {
    fn from(found: Confidence) -> Self {
        // Three digits say all that is known.
        let probability = (f64::from(found.probability()) * 1e3).round() / 1e3;
        Self { level: found.level, probability }
    }
}

/// Who wrote the best lines; all `null` where they are not committed.
#[derive(Default, Serialize)]
pub struct BlameWire {
    pub author: Option<String>,
    email: Option<String>,
    pub commit: Option<String>,
    pub date: Option<String>,
    subject: Option<String>,
}

/// Commits that touched what a note covers, after the note's own last change.
#[derive(Serialize)]
pub struct DriftWire<'a> {
    commits: usize,
    latest: Vec<CommitWire<'a>>,
}

/// A commit, as `--json` prints it.
#[derive(Serialize)]
struct CommitWire<'a> {
    commit: String,
    date: Option<String>,
    subject: &'a str,
}

impl<'a> From<&'a Drift> for DriftWire<'a> {
    fn from(drift: &'a Drift) -> Self {
        let wire = |commit: &'a Later| CommitWire {
            commit: commit.id.to_string(),
            date: time(commit.time),
            subject: &commit.subject,
        };
        Self { commits: drift.total, latest: drift.commits.iter().map(wire).collect() }
    }
}

/// What a score is made of.
#[derive(Serialize)]
struct ExplainWire {
    keyword: f32,
    cosine: f32,
    keyword_part: f32,
    semantic_part: f32,
    recency_part: f32,
    /// Only for a summary, and for a note that lists changes.
    #[serde(skip_serializing_if = "Option::is_none")]
    source_part: Option<f32>,
}

fn is_zero(number: &usize) -> bool {
    *number == 0
}

/// What is printed of a hit of an answer.
pub fn wire<'a>(hit: &'a Hit, text: Option<&'a str>, shape: &Shape<'a>) -> HitWire<'a> {
    let (score, found) = (&hit.score, shape.found);
    HitWire {
        kind: hit.kind.name(),
        file_type: hit.file_type(),
        path: hit.path.to_text(),
        path_bytes: std::str::from_utf8(hit.path.as_bytes()).is_err().then(|| hit.path.as_bytes()),
        line: hit.line,
        lines: [hit.lines.0, hit.lines.1],
        title: &hit.title,
        breadcrumb: &hit.breadcrumb,
        scope: hit.scope.as_str(),
        tags: &hit.tags,
        changed: hit.changed.and_then(time),
        blob: hit.blob.to_string(),
        at: found.at.map(|commit| commit.to_string()),
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
        drifted: drift(hit, shape).map(DriftWire::from),
        explain: shape.explain.then_some(ExplainWire {
            keyword: score.keyword,
            cosine: score.cosine,
            keyword_part: score.keyword_part,
            semantic_part: score.semantic_part,
            recency_part: score.recency_part,
            source_part: (hit.kind == Kind::Summary || score.source_part != 0.0)
                .then_some(score.source_part),
        }),
        stale: found.stale,
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
