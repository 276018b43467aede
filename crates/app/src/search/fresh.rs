//! Whether the summaries among the hits still hold, and describing files again that changed.

use crate::{
    Result,
    config::RefreshStale,
    llm::asker::{Asker, Purpose, Reach},
    reporter::Reporter,
    workspace::{Workspace, now_nanoseconds},
};
use elophanto_index::{
    Kind, Snapshot,
    search::{Answer, Hit, origin::State},
};
use elophanto_knowledge::{
    scan::{
        AnswerNotes, Known, Reach as FileReach, Summary,
        freshness::{Freshness, current, described_content},
        gap::TRY_AGAIN,
        investigate::{InvestigationContext, describe},
    },
    summary::places,
};
use elophanto_models::{
    builtin::count_tokens,
    llm::{Ask, EXTRACTIVE},
};
use elophanto_repo::{NotePath, journal::Place};
use elophanto_text::markdown;

/// Files among the hits whose summaries do not hold.
#[derive(Default)]
pub struct Outdated {
    pub stale: Vec<NotePath>,
    /// No longer there.
    pub gone: Vec<NotePath>,
}

/// Compares every summary among the hits with its file, and marks those that do not hold; of others it is
/// found out where in the file their sentences stand.
pub fn check(answer: &mut Answer, workspace: &Workspace) -> Outdated {
    let reach = workspace.reach();
    let limit = workspace.config.knowledge.max_file_bytes;
    // What is ignored since, or hidden, is not shown.
    answer.hits.retain(|hit| hit.kind != Kind::Summary || reach.holds(&hit.path));
    let mut outdated = Outdated::default();
    for hit in answer.hits.iter_mut().filter(|hit| hit.kind == Kind::Summary) {
        let Some(source) = &hit.source else { continue };
        let list = match described_content(&reach, &hit.path, &source.blob, limit) {
            Ok(content) => {
                cite(hit, &content);
                continue;
            }
            Err(Freshness::Gone) => &mut outdated.gone,
            Err(Freshness::Fresh | Freshness::Stale) => &mut outdated.stale,
        };
        hit.origin.state = State::Stale;
        if !list.contains(&hit.path) {
            list.push(hit.path.clone());
        }
    }
    outdated
}

/// Cites the sentences of a description where they stand in the file.
fn cite(hit: &mut Hit, content: &[u8]) {
    let Ok(decoded) = markdown::decode(content) else { return };
    let sentences = hit.sentences.iter().map(|(range, _)| &hit.text[range.clone()]);
    hit.places = places(&decoded.text, &sentences.collect::<Vec<_>>(), hit.lines.0);
    hit.line = hit.line_at(hit.snippet.start);
    let is_part = hit.source.as_ref().is_some_and(|source| source.is_part);
    hit.lines = match is_part {
        true => (hit.lines.0.min(hit.line), hit.lines.1.max(hit.line)),
        // Of a whole file nothing else is known.
        false => (hit.line, hit.line),
    };
}

/// Describes files again, as far as the settings let a search do so; says whether any was. What
/// is found out stays on this machine: a search changes nothing that git carries.
///
/// # Errors
/// When a budget can't be understood.
pub fn describe_again(
    paths: &[NotePath],
    workspace: &Workspace,
    reporter: &dyn Reporter,
) -> Result<bool> {
    let policy = workspace.config.search.refresh_stale;
    if paths.is_empty() {
        return Ok(false);
    }
    let record_store = workspace.record_store();
    let files = workspace.reach();
    let known = Known::read(&record_store.journal, &files, jiff::Timestamp::now());
    let limit = workspace.config.knowledge.max_file_bytes;
    // A content that was described before has only come back: that is no describing.
    let is_back = |path: &&NotePath| {
        current(&known, &files, path, limit)
            .is_some_and(|(described, state)| state == Freshness::Fresh && !described.failed)
    };
    let paths: Vec<&NotePath> =
        paths.iter().filter(|path| policy != RefreshStale::Never || is_back(path)).collect();
    if paths.is_empty() {
        return Ok(false);
    }
    let model_of = |path: &NotePath| {
        let summary = known.newest(path).and_then(|described| described.summary());
        summary.map(|summary| summary.model)
    };
    let by_model = |path: &&NotePath| model_of(path).is_some_and(|model| model != EXTRACTIVE);
    let reach = match policy {
        RefreshStale::Always => Reach::Agreed,
        // What a file's own words made is made of them again: no model need be looked for.
        _ if !paths.iter().any(|path| by_model(path) && !is_back(path)) => Reach::Nothing,
        _ => Reach::Free,
    };
    let mut model = Asker::open(workspace, Purpose::DESCRIBE, reach, false, reporter)?;
    let nothing = Snapshot::default();
    let context = InvestigationContext {
        record_store: &record_store,
        reach: &files,
        max_file_bytes: limit,
        count_tokens: &count_tokens,
        notes: AnswerNotes { snapshot: &nothing, git: None },
        now: &now_nanoseconds,
    };
    let now = jiff::Timestamp::now();
    let mut made = Vec::new();
    for path in paths {
        let is_by_model = by_model(&path);
        if is_by_model && !model.is_free() && !is_back(&path) {
            // A better model described it, and may not be asked here.
            continue;
        }
        if has_just_failed(&known, &files, limit, path, now) {
            continue;
        }
        let asks = model.is_there() && (is_by_model || policy == RefreshStale::Always);
        let mut ask = |prompt: &str| model.ask(prompt);
        let ask: Ask = if asks { Some(&mut ask) } else { None };
        let described = describe(&context, &known, path, ask);
        // One that failed is written down too: it is not to be asked for by every search.
        made.extend(described.ok().map(|summary| Summary {
            // Another one than the record that git may carry.
            id: format!("{}-here", summary.id.trim_end_matches("-here")),
            ..summary
        }));
    }
    // Where nothing can be written the hits stay marked.
    Ok(!made.is_empty() && record_store.write(Place::Local, &made).is_ok())
}

/// Whether this very content could not be described lately.
fn has_just_failed(
    known: &Known,
    files: &FileReach,
    limit: u64,
    path: &NotePath,
    now: jiff::Timestamp,
) -> bool {
    current(known, files, path, limit).is_some_and(|(described, state)| {
        state == Freshness::Fresh
            && described.failed
            && now.duration_since(described.at) <= TRY_AGAIN
    })
}
