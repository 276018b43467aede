//! `elophanto model tune`

use std::time::Duration;

use crate::cli::{Outcome, Result, Ui, workspace};
use crate::wire::upkeep::RemovedWire;
use elophanto_app::models::tune::{self, TuneRequest, TunedWords};
use elophanto_base::counted::counted;

/// Teach the built-in model this repository's own words
///
/// The larger model `minilm` reads the passages of the notes (those that a search or an index has
/// shown it before, it need not read again), and the words of the notes get vectors after what it
/// makes of them. They are kept in one file of at most a megabyte in `.elophanto/words`: commit it,
/// and every clone searches with it. The index is made anew, for vectors made with it are never
/// mixed with others. Nothing is written where it does not help: exits with 1 then.
#[derive(clap::Args, Debug)]
pub struct TuneArgs {
    /// Say what it would be worth, and write nothing
    #[arg(long)]
    dry_run: bool,
    /// Read passages for no longer than this, in seconds
    #[arg(long, value_name = "SECONDS", default_value_t = 120)]
    budget: u64,
    /// Take the words away again
    #[arg(long, conflicts_with_all = ["dry_run", "budget"])]
    remove: bool,
}

pub fn run(args: &TuneArgs, ui: &mut Ui) -> Result<Outcome> {
    let workspace = workspace::open(Vec::new(), ui)?;
    if args.remove {
        let removed = tune::remove(&workspace)?;
        let names: Vec<String> = removed.iter().map(|it| it.display().to_string()).collect();
        if removed.is_empty() {
            return Ok(ui.nothing("no words were taught here"));
        }
        let text = format!("removed: {}", names.join(", "));
        ui.emit(&RemovedWire { removed }, text)?;
        ui.talk("next: `elophanto index`, and a commit");
        return Ok(Outcome::Done);
    }
    let budget = Duration::from_secs(args.budget);
    let request = TuneRequest { dry_run: args.dry_run, budget };
    let Some(tuned) = tune::tune(&request, &workspace, ui)? else {
        return Ok(Outcome::Negative);
    };
    let TunedWords { passages, read, words, before, after, helps, .. } = tuned;
    let percent = |share: f32| (share * 100.0).round();
    let mut text = format!(
        "learnt: {}, {} kB, from {read} of {}\nas `minilm` has it: {} % of the ten nearest, {} % \
         without",
        counted(words, "word"),
        tuned.bytes.div_ceil(1_000),
        counted(passages, "passage"),
        percent(after),
        percent(before)
    );
    if let Some(file) = &tuned.file {
        text = format!("{text}\nwritten: {}", file.display());
    }
    ui.emit(&tuned, text)?;
    if !helps {
        return Ok(ui.nothing("that is not worth a table: nothing is written"));
    }
    if tuned.file.is_some() {
        ui.talk("next: `elophanto index`, and a commit with the file");
    }
    if !tuned.is_used {
        ui.talk("the index here is not one of the built-in model, and only that one uses it");
    }
    Ok(Outcome::Done)
}
