//! `elophanto` without a command.

use std::path::Path;

use super::{Outcome, Result, Ui, escape_control_line, workspace};
use elophanto_app::beginning::{Beginning, begin};
use elophanto_base::counted::counted;
use elophanto_repo::{Repository, locate};

/// The knowledge base around the current folder, if there is one.
pub fn here() -> Option<Repository> {
    locate(Path::new(".")).ok()
}

pub fn run(repository: Repository, ui: &mut Ui) -> Result<Outcome> {
    let workspace = workspace::at(repository, Vec::new(), ui)?;
    let beginning = begin(&workspace, Path::new("."))?;
    ui.line(format_args!("{}\n\nTry:", said(&beginning)))?;
    let tries = &beginning.tries;
    let width = tries.iter().map(|it| it.command.chars().count()).max().unwrap_or_default();
    for it in tries {
        ui.line(format_args!("  {:width$}  {}", it.command, it.does))?;
    }
    ui.line("\nAll commands: elophanto --help")?;
    Ok(Outcome::Done)
}

fn said(it: &Beginning) -> String {
    let name = escape_control_line(&it.name);
    let further = [(it.entities, "entity"), (it.lessons, "lesson")]
        .into_iter()
        .filter(|(count, _)| *count > 0)
        .map(|(count, noun)| format!(", {}", counted(count, noun)));
    match it.notes + it.entities {
        0 => format!("{name} has no notes yet."),
        _ => format!(
            "{name}: {} in {}{}.",
            counted(it.notes, "note"),
            counted(it.chunks, "passage"),
            further.collect::<String>()
        ),
    }
}
