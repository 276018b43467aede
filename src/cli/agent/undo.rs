//! `elophanto agent undo`

use crate::cli::{Outcome, Result, Ui, exact_line, workspace};
use elophanto_app::{
    runs::{self, Left, OnBranch, UndoRequest, Undone},
    shell::quoted,
};

/// Paths of an interrupted run that are told one by one.
const MOST_TOLD: usize = 200;

/// Take back what a run of the agent changed, byte for byte
///
/// Without RUN, the last one; where that is undone already, the one before after a question. A file that somebody changed since is left, and nothing is taken back
/// unless --partly says so. An undo is a run too, whose id it tells: undoing it does the work again.
/// What a run wrote about its task goes too; its lesson stays.
#[derive(clap::Args, Debug)]
pub struct UndoArgs {
    /// Id of the run, or its beginning
    #[arg(value_name = "RUN")]
    run: Option<String>,
    /// Take back what nobody changed since, and leave the rest
    #[arg(long)]
    partly: bool,
    /// Also what changed after a run was interrupted, whoever changed it
    #[arg(long)]
    interrupted: bool,
    /// Agree to taking back an older run where the last one is undone already and no RUN is given
    #[arg(long)]
    yes: bool,
}

pub fn run(args: &UndoArgs, ui: &mut Ui) -> Result<Outcome> {
    let workspace = workspace::open(Vec::new(), ui)?;
    let UndoArgs { run, partly, interrupted, yes, .. } = args;
    let (partly, interrupted, yes) = (*partly, *interrupted, *yes);
    let request = UndoRequest { run: run.as_deref(), partly, interrupted, yes };
    let Some(undone) = runs::undo(&workspace, &request, ui)? else { return Ok(Outcome::Negative) };
    tell(&undone, ui)?;
    Ok(Outcome::Done)
}

/// Says what was taken back.
///
/// # Errors
/// When stdout cannot be written.
pub fn tell(undone: &Undone, ui: &mut Ui) -> Result<()> {
    for Left { path, reason } in &undone.left {
        ui.warn(format_args!("`{}` {reason}", exact_line(path)));
    }
    for path in &undone.used {
        ui.talk(format_args!("`{}` stays: there is more in it by now", exact_line(path)));
    }
    for Left { path, reason } in &undone.uncovered {
        ui.warn(format_args!("`{}` is as the run left it: {reason}", exact_line(path)));
    }
    if undone.is_interrupted {
        let paths = undone.restored.iter().map(|path| ("restored", path));
        let paths = paths.chain(undone.removed.iter().map(|path| ("removed", path)));
        for (what, path) in paths.take(MOST_TOLD) {
            ui.talk(format_args!("{what}: {}", exact_line(path)));
        }
    }
    ui.emit(undone, undone.told())?;
    if let Some(undo) = &undone.undo {
        ui.talk(format_args!("`elophanto agent undo {undo}` does it again; lessons stay"));
    }
    if let Some(OnBranch { name, base }) = &undone.branch {
        let (name, base) = (quoted(name), quoted(base));
        ui.talk(format_args!(
            "you are still on {name}, which has nothing of its own: `git switch {base}` goes back, \
             `git branch -d {name}` removes it"
        ));
    }
    Ok(())
}
