//! `search` and `similar`, and hits as they are answered and printed.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::Named;
use elophanto_app::{
    config::Mode,
    notes::Origin,
    search::answer::Reply,
    when::{day, time},
};
use elophanto_index::{
    Kind,
    drift::{Drift, Later},
    search::{Confidence, Level},
    store::segment::Otherwise,
};
use elophanto_text::markdown::Scope;

/// What `search` takes.
#[derive(Debug, Deserialize, JsonSchema)]
pub struct SearchArguments {
    /// words or a question
    #[schemars(length(min = 1, max = 4096), extend("aliases" = ["text"]))]
    pub query: String,
    #[serde(default = "hits")]
    #[schemars(range(min = 1, max = 50))]
    pub limit: usize,
    #[schemars(length(max = 3))]
    pub kind: Option<Vec<Named<Kind>>>,
    pub scope: Option<Named<Scope>>,
    /// only notes that have it
    #[schemars(length(min = 1, max = 100))]
    pub tag: Option<String>,
    /// a glob, such as docs/**
    #[schemars(length(min = 1, max = 1024))]
    pub path: Option<String>,
    /// changed since 2026-05-01 or 2w
    #[schemars(length(min = 1, max = 64))]
    pub since: Option<String>,
    /// as of a commit, branch, tag or date
    #[schemars(length(min = 1, max = 256))]
    pub at: Option<String>,
    pub mode: Option<Named<Mode>>,
}

/// What `similar` takes.
#[derive(Debug, Deserialize, JsonSchema)]
pub struct SimilarArguments {
    /// as `get` takes it
    #[schemars(length(min = 1, max = 1024), extend("format" = "place", "aliases" = ["uri"]))]
    pub path: String,
    /// around this line
    #[schemars(range(min = 1, max = 100_000_000))]
    pub line: Option<usize>,
    #[serde(default = "hits")]
    #[schemars(range(min = 1, max = 50))]
    pub limit: usize,
}

fn hits() -> usize {
    8
}

/// What `similar` answers.
#[derive(Serialize, JsonSchema)]
pub struct AlikeWire<'a> {
    pub hits: Vec<PassageWire<'a>>,
}

/// What `search` answers.
#[derive(Serialize, JsonSchema)]
pub struct FoundWire<'a> {
    pub hits: Vec<PassageWire<'a>>,
    /// whether the hits answer the question
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(extend("detail" = 6))]
    pub confidence: Option<ConfidenceWire>,
    /// words with a dash: what holds them was left out
    #[serde(skip_serializing_if = "<[&str]>::is_empty")]
    #[schemars(extend("detail" = 7))]
    pub excluded: &'a [&'a str],
}

/// A hit as the server answers it.
#[derive(Serialize, JsonSchema)]
pub struct PassageWire<'a> {
    pub path: &'a str,
    pub line: usize,
    #[schemars(extend("detail" = 2))]
    pub kind: &'static str,
    #[schemars(extend("detail" = 3))]
    pub title: &'a str,
    #[schemars(extend("detail" = 4))]
    pub breadcrumb: &'a [String],
    #[schemars(extend("detail" = 1))]
    pub scope: &'a str,
    pub text: &'a str,
    #[schemars(extend("detail" = 1))]
    pub score: f32,
    /// who wrote its best lines
    #[schemars(extend("detail" = 5))]
    pub origin: Origin,
    /// only for a fact: the note of the user that says otherwise
    #[serde(skip_serializing_if = "Option::is_none")]
    pub against: Option<&'a str>,
    /// only for a fact: what other facts say otherwise of the same, the newest first
    #[serde(skip_serializing_if = "<[OtherwiseWire]>::is_empty")]
    #[schemars(extend("detail" = 2))]
    pub otherwise: &'a [OtherwiseWire<'a>],
    /// only for a note whose sources changed since
    #[serde(skip_serializing_if = "Option::is_none")]
    pub drifted: Option<&'a DriftWire<'a>>,
    /// the commit that was searched
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(extend("detail" = 2))]
    pub at: Option<&'a str>,
}

impl<'a> From<&'a HitWire<'a>> for PassageWire<'a> {
    fn from(wire: &'a HitWire<'a>) -> Self {
        let (blame, source) = (wire.blame.as_ref(), wire.source.as_ref());
        let commit = blame.and_then(|blame| blame.commit.clone());
        let date = blame.and_then(|blame| blame.date.clone());
        // Before the first commit there is no state to tell.
        let is_nobodys = blame.is_some_and(|blame| blame.commit.is_none());
        Self {
            path: &wire.path,
            line: wire.line,
            kind: wire.kind,
            title: wire.title,
            breadcrumb: wire.breadcrumb,
            scope: wire.scope,
            text: wire.text.unwrap_or(wire.snippet).trim(),
            score: wire.score,
            origin: Origin {
                author: blame.and_then(|blame| blame.author.clone()),
                commit: commit.or_else(|| Some(source?.commit.to_owned())),
                date: date.or_else(|| source?.as_of.clone()),
                state: wire.state.unwrap_or(if is_nobodys { "uncommitted" } else { "committed" }),
            },
            against: wire.against,
            otherwise: &wire.otherwise,
            drifted: wire.drifted.as_ref(),
            at: wire.at.as_deref().or(source.map(|source| source.commit)),
        }
    }
}

/// Hits, as `--json` prints them one a line.
#[derive(Serialize, JsonSchema)]
pub struct ListedWire<'a> {
    pub hits: Vec<HitWire<'a>>,
}

/// A hit, as `--json` prints it.
#[derive(Serialize, JsonSchema)]
pub struct HitWire<'a> {
    #[schemars(extend("detail" = 6))]
    pub kind: &'static str,
    #[serde(rename = "type")]
    #[schemars(extend("detail" = 2))]
    pub file_type: &'a str,
    pub path: String,
    /// Only for a path that is not UTF-8: its bytes.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub path_bytes: Option<&'a [u8]>,
    pub line: usize,
    #[schemars(extend("detail" = 2))]
    pub lines: [usize; 2],
    #[schemars(extend("detail" = 5))]
    pub title: &'a str,
    #[schemars(extend("detail" = 4))]
    pub breadcrumb: &'a [String],
    #[schemars(extend("detail" = 3))]
    pub scope: &'a str,
    #[schemars(extend("detail" = 2))]
    pub tags: &'a [String],
    #[schemars(extend("detail" = 2))]
    pub changed: Option<String>,
    #[schemars(extend("detail" = 1))]
    pub blob: String,
    /// The commit that was searched.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(extend("detail" = 6))]
    pub at: Option<String>,
    /// Only of a fleet.
    #[serde(flatten)]
    pub source: Option<SourceWire<'a>>,
    /// Only for text that is not committed: `modified` or `uncommitted`; and for a summary whose
    /// file has changed: `stale`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub state: Option<&'static str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(extend("detail" = 6))]
    pub blame: Option<BlameWire>,
    #[schemars(extend("detail" = 8))]
    pub score: f32,
    /// Rank of its file among those of the hits, from 1.
    #[schemars(extend("detail" = 3))]
    pub file_rank: usize,
    /// Of all hits together: whether they answer. Not for `--like`.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(extend("detail" = 6))]
    pub confidence: Option<ConfidenceWire>,
    /// What the question excluded, as typed.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    #[schemars(extend("detail" = 6))]
    pub excluded: Vec<&'a str>,
    #[schemars(extend("detail" = 1))]
    pub snippet: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub text: Option<&'a str>,
    #[serde(skip_serializing_if = "is_zero")]
    #[schemars(extend("detail" = 3))]
    pub similar: usize,
    #[serde(skip_serializing_if = "str::is_empty")]
    #[schemars(extend("detail" = 1))]
    pub note: &'a str,
    /// Only for a fact: the note of the user that says otherwise.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub against: Option<&'a str>,
    /// Only for a fact: what other facts say otherwise of the same, the newest first.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    #[schemars(extend("detail" = 7))]
    pub otherwise: Vec<OtherwiseWire<'a>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub drifted: Option<DriftWire<'a>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(extend("detail" = 7))]
    pub explain: Option<ExplainWire>,
    #[serde(skip_serializing_if = "is_zero")]
    #[schemars(extend("detail" = 3))]
    pub stale: usize,
}

/// Where a hit of a fleet comes from.
#[derive(Serialize, JsonSchema)]
pub struct SourceWire<'a> {
    pub repository: &'a str,
    /// The commit that was published.
    #[schemars(extend("detail" = 6))]
    pub commit: &'a str,
    /// When that commit was made.
    #[schemars(extend("detail" = 6))]
    pub as_of: Option<String>,
}

/// A fact that gives another value than the one that was found.
#[derive(Serialize, JsonSchema)]
pub struct OtherwiseWire<'a> {
    pub text: &'a str,
    pub path: &'a str,
    pub line: usize,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub source: Option<&'a str>,
    /// when it was found out
    #[serde(skip_serializing_if = "Option::is_none")]
    pub date: Option<String>,
}

impl<'a> From<&'a Otherwise> for OtherwiseWire<'a> {
    fn from(other: &'a Otherwise) -> Self {
        Self {
            text: &other.text,
            path: &other.page,
            line: other.at_line,
            source: Some(other.source.as_str()).filter(|source| !source.is_empty()),
            date: other.said.map(day),
        }
    }
}

/// How sure it is that the hits hold an answer.
#[derive(Serialize, JsonSchema)]
pub struct ConfidenceWire {
    #[schemars(with = "Named<Level>")]
    pub level: Level,
    /// from 0 to 1
    pub probability: f64,
}

impl From<Confidence> for ConfidenceWire {
    fn from(found: Confidence) -> Self {
        // Three digits say all that is known.
        let probability = (f64::from(found.probability()) * 1e3).round() / 1e3;
        Self { level: found.level, probability }
    }
}

/// Who wrote the best lines; all `null` where they are not committed.
#[derive(Default, Serialize, JsonSchema)]
pub struct BlameWire {
    pub author: Option<String>,
    pub email: Option<String>,
    pub commit: Option<String>,
    pub date: Option<String>,
    pub subject: Option<String>,
}

/// Commits that touched what a note covers, after the note's own last change.
#[derive(Serialize, JsonSchema)]
pub struct DriftWire<'a> {
    pub commits: usize,
    #[schemars(extend("detail" = 2))]
    pub latest: Vec<CommitWire<'a>>,
}

/// An answer, as `--json` prints it.
#[derive(Serialize, JsonSchema)]
pub struct ReplyWire<'a> {
    #[serde(flatten)]
    pub reply: &'a Reply,
    /// Notes that it names whose sources changed since.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub drifted: Vec<DriftedWire<'a>>,
}

/// A note whose sources changed since.
#[derive(Serialize, JsonSchema)]
pub struct DriftedWire<'a> {
    pub path: String,
    #[serde(flatten)]
    pub drift: DriftWire<'a>,
}

impl<'a> ReplyWire<'a> {
    /// Of an answer, and how notes that were found have drifted.
    pub fn of(reply: &'a Reply, drifted: &'a [Drift]) -> Self {
        let cited = reply.citations.iter().map(|it| it.path.as_str());
        let named: Vec<&str> =
            cited.chain(reply.nearest.as_ref().map(|it| it.path.as_str())).collect();
        let wires =
            drifted.iter().map(|it| DriftedWire { path: it.path.to_text(), drift: it.into() });
        Self { reply, drifted: wires.filter(|it| named.contains(&it.path.as_str())).collect() }
    }
}

/// A commit, as `--json` prints it.
#[derive(Serialize, JsonSchema)]
pub struct CommitWire<'a> {
    pub commit: String,
    pub date: Option<String>,
    pub subject: &'a str,
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
#[derive(Serialize, JsonSchema)]
pub struct ExplainWire {
    pub keyword: f32,
    pub cosine: f32,
    pub keyword_part: f32,
    pub semantic_part: f32,
    pub recency_part: f32,
    pub words_part: f32,
    pub window_part: f32,
    /// Only of what a slower model looked at again.
    #[serde(skip_serializing_if = "is_nothing")]
    pub whole_part: f32,
    #[serde(skip_serializing_if = "is_nothing")]
    pub excerpt_part: f32,
    /// Only for a summary, and for a note that lists changes.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub source_part: Option<f32>,
}

fn is_nothing(part: &f32) -> bool {
    *part == 0.0
}

fn is_zero(number: &usize) -> bool {
    *number == 0
}
