//! The chunks of a snapshot as they are published.

use elophanto_base::lexical::Analyzer;
use elophanto_index::{
    Kind, Snapshot,
    apart::Row,
    search::{Score, scene::Scene},
    store::Malformed,
};

/// All chunks that say something, each with the words to look for, in the order of their files.
///
/// # Errors
/// [`Malformed`] if a segment is damaged.
pub fn rows(
    snapshot: &Snapshot,
    repository: &str,
    analyzer: &Analyzer,
) -> Result<Vec<(Row, String)>, Malformed> {
    let scene = Scene::new(snapshot, |_, _, _| true)?;
    let mut rows = Vec::new();
    for (number, part) in snapshot.parts.iter().enumerate() {
        let segment = &part.loaded.segment;
        for document in part.live.ones() {
            let view = segment.document(document)?;
            for chunk in view.chunks.clone() {
                let hit = scene.hit((number, chunk), Score::default(), 0)?;
                if hit.text.trim().is_empty() {
                    continue;
                }
                let row = Row {
                    repository: repository.to_owned(),
                    path: hit.path.to_text(),
                    kind: hit.kind,
                    title: hit.title,
                    titled: view.titled,
                    headings: hit.breadcrumb,
                    scope: hit.scope,
                    tags: hit.tags,
                    lines: hit.lines,
                    text: hit.text,
                    changed: hit.changed,
                    made_from: hit.source.filter(|_| hit.kind == Kind::Summary),
                    vector: part.loaded.matrix.vector(chunk),
                };
                let terms = row.terms(analyzer);
                rows.push((row, terms));
            }
        }
    }
    let key = |row: &Row| (row.path.clone(), row.kind, row.lines);
    rows.sort_by_key(|(row, _)| key(row));
    Ok(rows)
}
