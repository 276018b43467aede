//! `elophanto changelog`

use super::{Outcome, Result, Ui, Workspace, escape_control_line, visible, workspace};
use crate::wire::ChangeWire;
use elophanto_app::changelog as gathered;
use elophanto_text::changelog::{self, Entry};

/// Say what changed in the knowledge base, newest first
///
/// Prints the entries below `system/changelog/` of the folder of our own notes. With `--write`
/// they are gathered in one block at the end of `system/changelog.md`, behind what you wrote
/// there. Exits with 1 if there are none.
#[derive(clap::Args, Debug)]
pub struct ChangelogArgs {
    /// Print at most this many entries
    #[arg(long, short = 'n', value_name = "N")]
    limit: Option<usize>,
    /// Bring `system/changelog.md` up to date instead
    #[arg(long, conflicts_with = "limit")]
    write: bool,
}

pub fn run(args: &ChangelogArgs, ui: &mut Ui) -> Result<Outcome> {
    let workspace = workspace::open(Vec::new(), ui)?;
    if args.write {
        let written = gathered::write(&workspace, ui)?;
        if written.entries == 0 && !written.written {
            if ui.json {
                ui.json(&written)?;
            }
            return Ok(none(&workspace, ui));
        }
        let said = if written.written { "written" } else { "up to date" };
        let text = format!("{said}: {}", escape_control_line(&written.path));
        return ui.done(&written, text);
    }
    let entries = gathered::entries(&workspace, ui)?;
    let texts = changelog::newest_first(&entries);
    for (number, text) in texts.iter().take(args.limit.unwrap_or(usize::MAX)).enumerate() {
        if ui.json {
            ui.json(&ChangeWire::of(text, Entry::parse(text).as_ref()))?;
        } else {
            let gap = if number == 0 { "" } else { "\n" };
            ui.line(format_args!("{gap}{}", visible(text)))?;
        }
    }
    Ok(if texts.is_empty() { none(&workspace, ui) } else { Outcome::Done })
}

/// Says that nothing changed.
fn none(workspace: &Workspace, ui: &Ui) -> Outcome {
    let folder = changelog::folder(&workspace.config.knowledge.write_root);
    ui.note(format_args!("no entries below `{}`", folder.display()));
    Outcome::Negative
}
