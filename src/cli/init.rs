//! `elophanto init`

use std::path::{Path, PathBuf};

use super::{Outcome, Result, Ui, env, exact_line};
use crate::wire::upkeep::InitWire;
use elophanto_app::init::make::{InitRequest, init};

/// Make this repository or folder a knowledge base
///
/// Creates the folders of notes with their first pages, the commented settings in
/// `.elophanto/config.yaml`, and a managed block in `.gitattributes`. What exists is left as it
/// is, so that it may be run again at any time.
#[derive(clap::Args, Debug)]
pub struct InitArgs {
    /// Search the notes below DIR; may be repeated. Without it, all Markdown of the repository. What is
    /// described by `scan`, and shown by `graph`, is below `scan.paths` of the settings, other Markdown too
    #[arg(long, value_name = "DIR")]
    root: Vec<PathBuf>,
    /// If there is a key for OpenRouter: let it embed the text of this repository
    #[arg(long, short)]
    yes: bool,
    /// Print what was written as JSON Lines
    #[arg(long)]
    pub json: bool,
}

pub fn run(args: &InitArgs, ui: &mut Ui) -> Result<Outcome> {
    let request = InitRequest { folder: Path::new("."), roots: &args.root, yes: args.yes };
    let talk = ui.beside();
    let mut nothing = true;
    let was_missing = init(&request, &env::environment(), &talk, &mut |path, action| {
        nothing = false;
        let path = path.display().to_string();
        let wire = InitWire::of(&path, action);
        ui.emit(&wire, format_args!("{}: {}", wire.action, exact_line(&path)))
    })?;
    if nothing && !ui.json {
        ui.line("already a knowledge base, nothing to do")?;
    }
    if was_missing {
        ui.talk("next: `elophanto index`, then `elophanto search \"...\"`");
    }
    Ok(Outcome::Done)
}
