//! A hit as `--json` prints it.

use super::{
    output::Shape,
    places::{drift, state},
};
use crate::wire::{BlameWire, ConfidenceWire, DriftWire, ExplainWire, HitWire};
use elophanto_app::when::time;
use elophanto_index::{
    Kind,
    search::{Hit, origin::Author},
};

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
