//! Gaps between notes: links that lead nowhere, notes that nothing leads to, notes left behind by
//! what they cover, learned notes that say otherwise than the user's.

use std::time::Duration;

use rustc_hash::FxHashSet;

use super::{gap::Gap, record::GapKind};
use elophanto_base::contradicts::contradicts;
use elophanto_index::{
    Kind, Part, Snapshot, drift, links,
    store::{Malformed, manifest},
};
use elophanto_repo::{Git, NotePath};
use elophanto_text::{
    graph::is_entry_page,
    markdown::{Destination, Scope},
    outline::Family,
};

/// Git may take this long to tell which notes have drifted.
const DRIFT_PATIENCE: Duration = Duration::from_secs(5);
/// Pairs of chunks that are compared for contradictions: half a second of work.
const MOST_PAIRS: usize = 20_000_000;

/// What is looked for among notes.
pub struct Notes<'a> {
    pub snapshot: &'a Snapshot,
    pub git: Option<&'a Git>,
    /// Whether a file of the repository is there.
    pub exists: &'a (dyn Fn(&str) -> bool + Sync),
    /// What links by name lead to besides notes.
    pub files: &'a links::Files,
    /// From this cosine on, two chunks say nearly the same.
    pub near_duplicate: f32,
    /// Notes, and folders of notes, that nothing need link to.
    pub unlinked: &'a [NotePath],
}

/// A digest of the notes: if it is as before, so are their gaps, but for drift.
pub fn digest(snapshot: &Snapshot) -> u64 {
    let mut hasher = blake3::Hasher::new();
    for file in &snapshot.files {
        hasher.update(file.path.as_bytes());
        hasher.update(&[0]);
        hasher.update(file.blob.as_bytes());
    }
    // A commit may leave a note behind without touching it.
    hasher.update(snapshot.history.head.as_ref().map_or(&[], |head| head.as_bytes()));
    let mut first = [0; 8];
    hasher.finalize_xof().fill(&mut first);
    u64::from_le_bytes(first)
}

/// All gaps among the notes.
///
/// # Errors
/// [`Malformed`] if the view is damaged.
pub fn gaps(notes: &Notes) -> Result<Vec<Gap>, Malformed> {
    let mut gaps = linked(notes)?;
    gaps.extend(drifted(notes)?);
    gaps.extend(contradictions(notes)?);
    Ok(gaps)
}

/// Links that lead nowhere, and notes that no link leads to.
fn linked(notes: &Notes) -> Result<Vec<Gap>, Malformed> {
    let mut gaps = Vec::new();
    let mut reached: FxHashSet<String> = FxHashSet::default();
    let mut asked = FxHashSet::default();
    for link in links::follow(notes.snapshot, notes.exists, notes.files)? {
        match link.to {
            Destination::Nowhere => {
                if asked.insert((link.path.clone(), link.target.clone())) {
                    gaps.push(Gap {
                        line: Some(link.line),
                        other: link.target,
                        ..gap(notes, GapKind::BrokenLink, &link.path)
                    });
                }
            }
            Destination::Inside(to) if to != link.path.to_text() => {
                reached.insert(to);
            }
            Destination::Inside(_) | Destination::External => {}
        }
    }
    let is_searched =
        |file: &&manifest::FileEntry| matches!(file.place, manifest::Place::Document { .. });
    let files = notes.snapshot.files.iter().filter(is_searched);
    let mut paths: Vec<&NotePath> = files.map(|file| &file.path).collect();
    paths.dedup();
    // One note alone has nobody to link to it.
    if paths.len() > 1 {
        let below = |path: &NotePath| {
            notes.unlinked.iter().any(|folder| path.as_path().starts_with(folder.as_path()))
        };
        gaps.extend(
            paths
                .into_iter()
                .filter(|path| {
                    let text = path.to_text();
                    !reached.contains(&text) && !is_entry_page(&text) && !below(path)
                })
                .map(|path| gap(notes, GapKind::Orphan, path)),
        );
    }
    Ok(gaps)
}

fn drifted(notes: &Notes) -> Result<Vec<Gap>, Malformed> {
    let Some(git) = notes.git else { return Ok(Vec::new()) };
    let paths = notes.snapshot.files.iter().map(|file| &file.path);
    let drifts = drift::drifted(git, notes.snapshot, paths, DRIFT_PATIENCE)?;
    Ok(drifts
        .found
        .into_iter()
        .map(|drift| {
            let latest = drift.commits.first().map(|commit| commit.id.to_string());
            Gap { last_commit: latest, ..gap(notes, GapKind::Drifted, &drift.path) }
        })
        .collect())
}

/// Learned chunks that say nearly the same as a user's and differ in a number, a date or a
/// negation.
fn contradictions(notes: &Notes) -> Result<Vec<Gap>, Malformed> {
    let learned = chunks(notes.snapshot, Scope::Learned)?;
    let users = chunks(notes.snapshot, Scope::User)?;
    let mut gaps: Vec<Gap> = Vec::new();
    let mut pairs = 0;
    for own in &learned {
        for other in &users {
            pairs += 1;
            if pairs > MOST_PAIRS {
                return Ok(gaps);
            }
            let (a, b) = (&own.part.loaded.matrix, &other.part.loaded.matrix);
            if a.similarity(own.chunk, b, other.chunk) < notes.near_duplicate {
                continue;
            }
            let (mine, theirs) = (text(own)?, text(other)?);
            let known =
                gaps.iter().any(|gap| gap.path == own.path && gap.other == other.path.to_text());
            if !known && contradicts(&mine, &theirs) {
                gaps.push(Gap {
                    other: other.path.to_text(),
                    line: Some(own.part.loaded.segment.chunk(own.chunk)?.lines.0),
                    ..gap(notes, GapKind::Contradiction, &own.path)
                });
            }
        }
    }
    Ok(gaps)
}

struct Place<'a> {
    part: &'a Part,
    chunk: usize,
    path: NotePath,
}

fn chunks(snapshot: &Snapshot, scope: Scope) -> Result<Vec<Place<'_>>, Malformed> {
    let mut places = Vec::new();
    for part in snapshot.parts.iter().filter(|part| part.kind == Kind::Note) {
        for number in part.live.ones() {
            let view = part.loaded.segment.document(number)?;
            if view.scope == scope {
                let path = &view.path;
                places.extend(view.chunks.clone().map(|chunk| Place {
                    part,
                    chunk,
                    path: path.clone(),
                }));
            }
        }
    }
    Ok(places)
}

fn text(place: &Place) -> Result<String, Malformed> {
    let segment = &place.part.loaded.segment;
    Ok(segment.chunk_text(&segment.chunk(place.chunk)?)?.to_owned())
}

fn gap(notes: &Notes, kind: GapKind, path: &NotePath) -> Gap {
    let files = &notes.snapshot.files;
    let file = files.binary_search_by(|file| file.path.cmp(path)).ok().map(|index| &files[index]);
    Gap {
        kind,
        path: path.clone(),
        family: Family::Documentation,
        file_type: Some("markdown_doc"),
        size: file.map_or(0, |file| file.stat.size),
        blob: file.map(|file| file.blob.to_string()),
        other: String::new(),
        line: None,
        value: 0.0,
        last_commit: None,
    }
}
