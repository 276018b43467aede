//! `elophanto changelog`

use std::{io, path::Path};

use serde::Serialize;

use super::{
    Outcome,
    error::CliError,
    ui::{Ui, visible, visible_line},
    workspace::{self, Workspace, write_beneath},
};
use elophanto_base::beneath::Folder;
use elophanto_repo::{NotePath, read_note};
use elophanto_text::{
    changelog::{self, Entry},
    markdown,
};

/// Most entries that are read; older ones are left out.
const MAX_ENTRIES: usize = 10_000;
/// Most bytes of all entries together; older ones are left out.
const MAX_BYTES: u64 = 32 << 20;

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
    /// Print JSON Lines
    #[arg(long)]
    pub json: bool,
}

/// An entry, as `--json` prints it. What a person wrote may lack everything but its text.
#[derive(Serialize)]
struct EntryWire<'a> {
    date: Option<String>,
    title: Option<&'a str>,
    r#type: Option<&'a str>,
    reason: Option<&'a str>,
    details: &'a [String],
    tests: Option<&'a str>,
    dependencies: Option<&'a str>,
    text: &'a str,
}

/// What `--write` did, as `--json` prints it.
#[derive(Serialize)]
struct WrittenWire {
    path: String,
    entries: usize,
    written: bool,
}

pub fn run(args: &ChangelogArgs, ui: &mut Ui) -> Result<Outcome, CliError> {
    let workspace = workspace::open(Vec::new(), ui)?;
    let entries = read_entries(&workspace, ui)?;
    let texts = changelog::newest_first(&entries);
    if args.write {
        return write(&workspace, &entries, texts.len(), ui);
    }
    for (number, text) in texts.iter().take(args.limit.unwrap_or(usize::MAX)).enumerate() {
        if ui.json {
            ui.json(&wire(text, Entry::parse(text).as_ref()))?;
        } else {
            let gap = if number == 0 { "" } else { "\n" };
            ui.line(format_args!("{gap}{}", visible(text)))?;
        }
    }
    if texts.is_empty() {
        let folder = changelog::folder(&workspace.config.knowledge.write_root);
        ui.note(format_args!("no entries below `{}`", folder.display()));
        return Ok(Outcome::Negative);
    }
    Ok(Outcome::Done)
}

fn write(
    workspace: &Workspace,
    entries: &[(String, String)],
    count: usize,
    ui: &mut Ui,
) -> Result<Outcome, CliError> {
    let root = &workspace.repository.root;
    let path = changelog::page(&workspace.config.knowledge.write_root);
    let limit = workspace.config.knowledge.max_file_bytes;
    let shown = path.display().to_string();
    let existing = match read_note(root, &NotePath::from(path.as_path()), limit) {
        Ok((bytes, _)) => bytes,
        Err(cause) if cause.is_gone() => Vec::new(),
        Err(cause) => return Err(CliError::new(format_args!("{shown}: {cause}"))),
    };
    let new = changelog::assemble(entries, &existing)
        .map_err(|cause| CliError::new(format_args!("{shown}: {cause}")))?;
    if let Some(new) = &new {
        write_beneath(root, &path, new)?;
    }
    let said = if new.is_some() { "written" } else { "up to date" };
    let text = format!("{said}: {}", visible_line(&shown));
    ui.emit(&WrittenWire { path: shown, entries: count, written: new.is_some() }, text)?;
    Ok(Outcome::Done)
}

/// Names and texts of all entries that can be read.
fn read_entries(workspace: &Workspace, ui: &Ui) -> Result<Vec<(String, String)>, CliError> {
    let root = &workspace.repository.root;
    let folder = changelog::folder(&workspace.config.knowledge.write_root);
    let names = names(root, &folder)?;
    let limit = workspace.config.knowledge.max_file_bytes.min(MAX_BYTES);
    let mut entries = Vec::new();
    let mut room = MAX_BYTES;
    for (number, name) in names.iter().enumerate() {
        let path = NotePath::from(folder.join(name).as_path());
        let read = read_note(root, &path, limit).map_err(|cause| cause.to_string());
        let text = read.and_then(|(bytes, _)| match markdown::decode(&bytes) {
            Ok(decoded) => Ok(decoded.text.into_owned()),
            Err(cause) => Err(cause.to_string()),
        });
        match text {
            Ok(text) if number < MAX_ENTRIES && text.len() as u64 <= room => {
                room -= text.len() as u64;
                entries.push((name.clone(), text));
            }
            Ok(_) => {
                let older = names.len() - number;
                ui.warn(format_args!(
                    "{older} older entries are left out: more than {MAX_ENTRIES} or {MAX_BYTES} bytes"
                ));
                break;
            }
            Err(cause) => ui.warn(format_args!("{}: skipped: {cause}", path.to_text())),
        }
    }
    Ok(entries)
}

/// Names of entries, newest first. A folder that is a link to somewhere else has none of ours.
fn names(root: &Path, folder: &Path) -> Result<Vec<String>, CliError> {
    let entries = match Folder::open(root).and_then(|root| root.entries(folder)) {
        Ok(entries) => entries,
        Err(cause) if cause.kind() == io::ErrorKind::NotFound => return Ok(Vec::new()),
        Err(cause) => return Err(CliError::new(format_args!("{}: {cause}", folder.display()))),
    };
    let mut names = Vec::new();
    for entry in entries {
        let Ok(name) = entry?.0.into_string() else { continue };
        if let Some(parts) = changelog::name_parts(&name) {
            names.push((parts, name));
        }
    }
    names.sort_unstable_by(|a, b| b.cmp(a));
    Ok(names.into_iter().map(|(_, name)| name).collect())
}

fn wire<'a>(text: &'a str, entry: Option<&'a Entry>) -> EntryWire<'a> {
    EntryWire {
        date: entry.map(|entry| entry.date.to_string()),
        title: entry.map(|entry| entry.title.as_str()),
        r#type: entry.and_then(|entry| entry.kind.as_deref()),
        reason: entry.and_then(|entry| entry.reason.as_deref()),
        details: entry.map_or(&[], |entry| entry.details.as_slice()),
        tests: entry.and_then(|entry| entry.tests.as_deref()),
        dependencies: entry.and_then(|entry| entry.dependencies.as_deref()),
        text,
    }
}
