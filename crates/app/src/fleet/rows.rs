//! The chunks of a snapshot as they are published.

use crate::reporter::Reporter;
use elophanto_base::{lexical::Analyzer, visible::escape_control_line};
use elophanto_index::{
    Kind, Snapshot,
    apart::Row,
    search::{Score, scene::Scene},
    store::Malformed,
};
use elophanto_knowledge::memory::current;
use elophanto_tables::fleet::refused;

/// All chunks that say something, each with the words to look for, in the order of their files.
///
/// # Errors
/// [`Malformed`] if a segment or a vector is damaged.
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
                    lesson: None,
                    vector: part.loaded.matrix.vector(chunk)?,
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

/// The lessons of a snapshot that count, in the order of their files: what was taken back, corrected or
/// put away is none of them.
///
/// # Errors
/// [`Malformed`] if a segment or a vector is damaged.
pub fn lessons(
    snapshot: &Snapshot,
    repository: &str,
    analyzer: &Analyzer,
) -> Result<Vec<(Row, String)>, Malformed> {
    let mut rows = Vec::new();
    for (part, number) in current(snapshot)? {
        let loaded = &snapshot.parts[part].loaded;
        let segment = &loaded.segment;
        let chunk = segment.chunk(number)?;
        let document = segment.document(chunk.document)?;
        let lesson = segment.lesson(&chunk)?.ok_or(Malformed)?.to_owned();
        let text = segment.text_at(&document, chunk.range.clone())?.to_owned();
        if text.trim().is_empty() {
            continue;
        }
        let row = Row {
            repository: repository.to_owned(),
            path: document.path.to_text(),
            kind: Kind::Memory,
            title: String::new(),
            titled: false,
            headings: Vec::new(),
            scope: document.scope,
            // They stand in the text.
            tags: Vec::new(),
            lines: chunk.lines,
            text,
            changed: Some(lesson.timestamp.as_second()),
            made_from: None,
            lesson: Some(lesson),
            vector: loaded.matrix.vector(number)?,
        };
        let terms = row.terms(analyzer);
        rows.push((row, terms));
    }
    rows.sort_by(|(a, _), (b, _)| (&a.path, a.lines).cmp(&(&b.path, b.lines)));
    Ok(rows)
}

/// The chunks that whoever folds takes; says of which notes others are, for one of which all would be set
/// aside.
pub fn foldable(mut chunks: Vec<(Row, String)>, reporter: &dyn Reporter) -> Vec<(Row, String)> {
    let mut told = String::new();
    chunks.retain(|(row, terms)| {
        let Some(why) = refused(row, terms) else { return true };
        if told != row.path {
            told.clone_from(&row.path);
            reporter.warn(format_args!("`{}` is left out: {why}", escape_control_line(&row.path)));
        }
        false
    });
    chunks
}
