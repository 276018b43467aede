//! `elophanto search`

mod answer;
pub mod args;
mod notices;
pub mod output;
pub mod places;

use std::path::{Path, PathBuf};

use serde::Serialize;

use super::{Outcome, error::Result, ui::Ui, workspace};
use crate::wire::Told;
pub use args::SearchArgs;
use elophanto_app::{
    fleet::{self, Reader},
    keys::Asking,
    search::{answer::answer as reply_to, search},
};
use elophanto_index::search::Answer;
use notices::{
    say_corrections, say_doubt, say_exclusions, say_nothing, say_too_little, say_undescribed,
};
use output::{Format, Shape, print};

/// How sure a reader of evidence may be that it bears on the question, as the reference design has
/// it.
const EVIDENCE_CONFIDENCE: f32 = 0.8;

pub fn run(args: &SearchArgs, ui: &mut Ui) -> Result<Outcome> {
    let flags = [
        ("search.limit", args.limit.map(|limit| limit.to_string())),
        ("search.mode", args.mode.clone()),
        ("search.ranking", args.ranking.clone()),
        ("search.refresh_stale", args.refresh_stale.clone()),
    ];
    let flags = flags.into_iter().filter_map(|(key, value)| Some((key.to_owned(), value?)));
    let flags = flags.collect();
    let workspace = match &args.fleet {
        None => workspace::open(flags, ui)?,
        Some(_) => workspace::open_anywhere(flags, ui)?,
    };
    let mut request = args.request(&workspace, ui)?;
    if let Some(address) = &args.fleet {
        let asking = Asking::Through(ui);
        let fleet = fleet::open(address, &workspace.environment, asking, true)?;
        request.within = Some(Reader::new(fleet).among(args.repo.clone()));
    }
    let found = search(&workspace, &request, ui)?;
    let (typed, answer) = (&request.text, &found.answer);
    say_exclusions(answer, ui);
    if let Some(least) = args.min_confidence
        && let Some(doubted) = found.doubted(least)
    {
        say_doubt(typed, doubted, least, ui);
        return Ok(Outcome::Negative);
    }
    say_corrections(answer, ui);
    if args.answer {
        let reply = reply_to(typed, answer, &workspace, args.yes, ui)?;
        return answer::print(&reply, ui);
    }
    if args.evidence {
        return evidence(typed, answer, ui);
    }
    if answer.hits.is_empty() && found.origins.is_some() {
        let what =
            if request.is_narrowed() { "without the filter" } else { "other words, or fewer" };
        ui.talk(format_args!("nothing found there for `{typed}`: try {what}"));
        return Ok(Outcome::Negative);
    }
    if answer.hits.is_empty() {
        say_nothing(answer, &request, ui);
        say_undescribed(&found, &request, &workspace, ui);
        return Ok(Outcome::Negative);
    }
    let drifted = match args.format() {
        Format::Files | Format::Vimgrep => Vec::new(),
        Format::Text | Format::Json | Format::Markdown => found.drifted(&workspace),
    };
    let root = &workspace.repository.root;
    let shape = Shape {
        format: args.format(),
        listing: request.listing,
        null: args.null,
        full: args.full,
        max_tokens: args.max_tokens,
        here: if request.within.is_some() { PathBuf::new() } else { here(root) },
        root,
        told: Told { found: &found, drifted: &drifted, explain: args.explain },
    };
    if print(&shape, ui)? {
        if matches!(args.format(), Format::Text | Format::Markdown) {
            say_undescribed(&found, &request, &workspace, ui);
        }
        return Ok(Outcome::Done);
    }
    say_too_little(&shape, ui);
    Ok(Outcome::Negative)
}

/// The folder that the command runs in, relative to the root.
fn here(root: &Path) -> PathBuf {
    let here = std::fs::canonicalize(".").unwrap_or_default();
    here.strip_prefix(root).map(Path::to_owned).unwrap_or_default()
}

/// What was found, as other programs take it.
#[derive(Serialize)]
struct EvidenceWire<'a> {
    source: &'static str,
    #[serde(rename = "type")]
    evidence_type: &'static str,
    content: ContentWire<'a>,
    metadata: MetadataWire<'a>,
    confidence: f32,
}

#[derive(Serialize)]
struct ContentWire<'a> {
    summaries: Vec<&'a str>,
    file_paths: Vec<String>,
}

#[derive(Serialize)]
struct MetadataWire<'a> {
    query: &'a str,
    result_count: usize,
}

fn evidence(query: &str, answer: &Answer, ui: &mut Ui) -> Result<Outcome> {
    let hits = &answer.hits;
    ui.json(&EvidenceWire {
        source: "documentation",
        evidence_type: "indexed_knowledge",
        content: ContentWire {
            summaries: hits.iter().map(|hit| hit.text.trim()).collect(),
            file_paths: hits.iter().map(|hit| hit.path.to_text()).collect(),
        },
        metadata: MetadataWire { query, result_count: hits.len() },
        confidence: EVIDENCE_CONFIDENCE,
    })?;
    Ok(if hits.is_empty() { Outcome::Negative } else { Outcome::Done })
}
