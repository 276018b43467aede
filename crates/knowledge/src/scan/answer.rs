//! Answers to questions about notes, from what is there: which commits left a note behind, which
//! file a broken link may mean, which notes speak of the same.

use std::time::Duration;

use super::{
    investigate::InvestigationContext,
    record::{GapKind, Question},
};
use elophanto_base::counted::counted;
use elophanto_index::{Kind, Snapshot, drift, store::manifest::Place};
use elophanto_repo::{Git, NotePath};

/// Git may take this long.
const PATIENCE: Duration = Duration::from_secs(5);
/// Suggestions that are made.
const MOST: usize = 3;
/// Below this likeness two names have nothing to do with each other.
const LEAST_LIKENESS: f64 = 0.75;

/// What the answers come from.
pub struct Notes<'a> {
    pub snapshot: &'a Snapshot,
    pub git: Option<&'a Git>,
}

/// What there is to say about a question.
pub fn answer(context: &InvestigationContext, question: &Question) -> String {
    let path = question.evidence.path();
    let other = question.evidence.other.as_deref().unwrap_or_default();
    match question.gap {
        GapKind::Drifted => drifted(&context.notes, &path),
        GapKind::BrokenLink => meant(&context.notes, &path, other),
        GapKind::Orphan => alike(&context.notes, &path),
        GapKind::Contradiction => {
            format!(
                "compare {} with {other}: they say nearly the same, but for a number, a date or a negation; the user's own note ranks above",
                path.to_text()
            )
        }
        GapKind::Unreadable => {
            match super::run::read_file(context.reach, &path, context.max_file_bytes) {
                Ok(_) => "it can be read now".to_owned(),
                Err(cause) => cause.to_string(),
            }
        }
        GapKind::Unindexed | GapKind::Stale => String::new(),
    }
}

fn drifted(notes: &Notes, path: &NotePath) -> String {
    let Some(git) = notes.git else { return "there is no git here to tell".to_owned() };
    let Ok(drifts) = drift::drifted(git, notes.snapshot, [path], PATIENCE) else {
        return "the search view is damaged".to_owned();
    };
    let Some(drift) = drifts.found.first() else {
        return "nothing it covers has changed since".to_owned();
    };
    let commits: Vec<String> = drift
        .commits
        .iter()
        .map(|commit| format!("{} {}", commit.id.short(), commit.subject))
        .collect();
    let count = counted(drift.total, "commit");
    format!("{count} since touched what it covers: {}", commits.join("; "))
}

/// Where a link that leads nowhere may lead: not to the note that it stands in.
fn meant(notes: &Notes, own: &NotePath, target: &str) -> String {
    let stem = |path: &str| {
        let name = path.rsplit('/').next().unwrap_or(path);
        name.trim_end_matches(".md").to_lowercase()
    };
    let wanted = stem(target.split('#').next().unwrap_or(target));
    let mut likely: Vec<(f64, String)> = notes
        .snapshot
        .files
        .iter()
        .filter(|file| file.path != *own)
        .map(|file| file.path.to_text())
        .map(|path| (strsim::jaro_winkler(&stem(&path), &wanted), path))
        .filter(|(likeness, _)| *likeness >= LEAST_LIKENESS)
        .collect();
    likely.sort_by(|a, b| b.0.total_cmp(&a.0).then_with(|| a.1.cmp(&b.1)));
    let names: Vec<String> = likely.into_iter().take(MOST).map(|(_, path)| path).collect();
    match names.is_empty() {
        true => {
            format!("no note is called anything like `{target}`: write it, or take the link out")
        }
        false => format!("perhaps {}", names.join(", ")),
    }
}

fn alike(notes: &Notes, path: &NotePath) -> String {
    let files = &notes.snapshot.files;
    let place = |path: &NotePath| {
        let index = files.binary_search_by(|file| file.path.cmp(path)).ok()?;
        match files[index].place {
            Place::Document { segment, document } => Some((segment as usize, document as usize)),
            Place::Skipped { .. } => None,
        }
    };
    let chunks = |(part, document): (usize, usize)| {
        let loaded = &notes.snapshot.parts.get(part)?.loaded;
        let view = loaded.segment.document(document).ok()?;
        Some((loaded, view.chunks))
    };
    let Some((own, range)) = place(path).and_then(chunks) else {
        return "it is no note any more".to_owned();
    };
    let mut near: Vec<(f32, String)> = Vec::new();
    for file in files.iter().filter(|file| file.path != *path) {
        let Some(at) = place(&file.path) else { continue };
        if notes.snapshot.parts.get(at.0).is_none_or(|part| part.kind != Kind::Note) {
            continue;
        }
        let Some((loaded, others)) = chunks(at) else { continue };
        let best = range.clone().flat_map(|a| others.clone().map(move |b| (a, b)));
        let best = best.map(|(a, b)| own.matrix.similarity(a, &loaded.matrix, b));
        near.push((best.fold(0.0, f32::max), file.path.to_text()));
    }
    near.sort_by(|a, b| b.0.total_cmp(&a.0).then_with(|| a.1.cmp(&b.1)));
    let names: Vec<String> = near.into_iter().take(MOST).map(|(_, path)| path).collect();
    match names.is_empty() {
        true => "there is no other note".to_owned(),
        false => format!("nearest by meaning: {}", names.join(", ")),
    }
}
