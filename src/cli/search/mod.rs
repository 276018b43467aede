//! `elophanto search`

mod answer;
pub mod args;
mod notices;
pub mod output;
pub mod places;

use std::{
    mem::ManuallyDrop,
    path::{Path, PathBuf},
};

use super::{Outcome, Result, Ui, flags, workspace};
use crate::wire::{EvidenceWire, Told};
pub use args::SearchArgs;
use elophanto_app::{
    fleet::{self, Reader},
    keys::Asking,
    learn::looks_in_notes_alone,
    search::{answer::answer as reply_to, asking::asked_in, search},
};
use notices::{
    say_corrections, say_doubt, say_exclusions, say_left, say_nothing, say_too_little,
    say_undescribed,
};
use output::{Format, Shape, print};

pub fn run(args: &SearchArgs, ui: &mut Ui) -> Result<Outcome> {
    let flags = flags([
        ("search.limit", args.limit.map(|limit| limit.to_string())),
        ("search.mode", args.mode.clone()),
        ("search.ranking", args.ranking.clone()),
        ("search.refresh_stale", args.refresh_stale.clone()),
    ]);
    let workspace = match &args.fleet {
        None => workspace::open(flags, ui)?,
        Some(_) => workspace::open_anywhere(flags, ui)?,
    };
    let mut request = args.request(&workspace, ui)?;
    let typed = request.text.clone();
    if args.answer {
        request.text = asked_in(&typed).to_owned();
        if request.text != typed {
            ui.note(format_args!("taken for the question: {}", request.text));
        }
    }
    if let Some(address) = &args.fleet {
        let asking = Asking::Through(ui);
        let fleet = fleet::open(address, &workspace.environment, asking, true)?;
        request.within = Some(Reader::new(fleet).among(args.repo.clone()));
    }
    // The program ends soon: to give back one by one what the system takes as a whole would cost time.
    let found = ManuallyDrop::new(search(&workspace, &request, ui)?);
    let (typed, answer) = (&typed, &found.answer);
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
        let drifted = found.drifted(&workspace);
        return answer::print(&reply, &drifted, looks_in_notes_alone(&workspace), ui);
    }
    if args.evidence {
        ui.json(&EvidenceWire::of_hits(typed, &answer.hits))?;
        return Ok(if answer.hits.is_empty() { Outcome::Negative } else { Outcome::Done });
    }
    if answer.hits.is_empty() && found.origins.is_some() {
        let what =
            if request.is_narrowed() { "without the filter" } else { "other words, or fewer" };
        return Ok(ui.nothing(format_args!("nothing found there for `{typed}`: try {what}")));
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
    let shown = print(&shape, ui)?;
    if shown > 0 {
        say_left(found.answer.hits.len() - shown, &shape, ui);
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
