//! `elophanto agent note`

use std::{io::ErrorKind, path::Path};

use jiff::Timestamp;
use serde::Serialize;

use super::super::{
    Outcome,
    error::CliError,
    ui::{Ui, visible_line},
    workspace::{self, Workspace, write_beneath},
};
use elophanto_base::beneath::{self, Folder};
use elophanto_index::store::lock;
use elophanto_knowledge::memory::Shared;
use elophanto_repo::{NotePath, WriteError, watch, write_new_beneath};
use elophanto_text::{
    authoring::{Draft, Existing, Kind, Planned, plan, template},
    markdown,
};

/// Most bytes of a note.
const MOST_BYTES: u64 = 256 * 1024;
/// How often a name is looked for while other processes take those that are found.
const MOST_TRIES: usize = 100;

/// Write a note about a task, a pattern, a failure or a service
///
/// It goes below `knowledge/learned/` and begins with title, times, tags and scope. Its text comes
/// from --section, or from standard input with `-`; without either, the headings wait to be filled.
#[derive(clap::Args, Debug)]
pub struct NoteArgs {
    /// task, pattern, failure or service
    #[arg(value_parser = kind)]
    kind: Kind,
    /// What it is called
    title: String,
    /// `-` reads the text from standard input
    #[arg(value_name = "-", value_parser = ["-"], conflicts_with = "section")]
    text: Option<String>,
    /// What stands under one of its headings, such as 'Root cause=the cache belonged to root'
    #[arg(long, value_name = "HEADING=TEXT", value_parser = section)]
    section: Vec<(String, String)>,
    /// Keywords
    #[arg(long, value_name = "A,B", value_delimiter = ',')]
    tags: Vec<String>,
    /// Print JSON Lines
    #[arg(long)]
    pub json: bool,
}

/// A written note, as `--json` prints it.
#[derive(Serialize)]
struct NoteWire {
    path: String,
}

/// A kind of note by its name.
pub fn kind(name: &str) -> Result<Kind, String> {
    let named = Kind::ALL.into_iter().find(|kind| kind.as_str() == name);
    named.ok_or_else(|| format!("give one of {}", Kind::ALL.map(Kind::as_str).join(", ")))
}

fn section(text: &str) -> Result<(String, String), String> {
    let (heading, text) = text.split_once('=').ok_or("give HEADING=TEXT")?;
    Ok((heading.trim().to_owned(), text.to_owned()))
}

pub fn run(args: &NoteArgs, ui: &mut Ui) -> Result<Outcome, CliError> {
    let workspace = workspace::open(Vec::new(), ui)?;
    let headings = template(args.kind);
    for (heading, _) in &args.section {
        if !headings.iter().any(|known| known.eq_ignore_ascii_case(heading)) {
            let message =
                format!("a {} has no heading `{}`", args.kind.as_str(), visible_line(heading));
            return Err(CliError::new(message).hint(format!("it has: {}", headings.join(", "))));
        }
    }
    let body = match &args.text {
        None => None,
        Some(_) => {
            let bytes = ui.input(MOST_BYTES)?.ok_or_else(|| {
                CliError::new("`-` reads standard input, which is a terminal")
                    .hint("pipe the text in, or give --section")
            })?;
            Some(String::from_utf8_lossy(&bytes).into_owned())
        }
    };
    let text_of = |heading: &str| {
        let given = args.section.iter().filter(|(name, _)| name.eq_ignore_ascii_case(heading));
        given.map(|(_, text)| text.as_str()).collect::<Vec<_>>().join("\n\n")
    };
    let texts: Vec<(&str, String)> =
        headings.iter().map(|heading| (*heading, text_of(heading))).collect();
    let sections: Vec<(&str, &str)> =
        texts.iter().map(|(heading, text)| (*heading, text.as_str())).collect();
    let draft = Draft {
        kind: args.kind,
        title: &args.title,
        sections: if body.is_some() { &[] } else { &sections },
        body: body.as_deref(),
        tags: &args.tags,
        path: None,
    };
    let written = write(&workspace, &draft, None)?;
    let path = written.path.to_string_lossy().into_owned();
    ui.emit(&NoteWire { path: path.clone() }, visible_line(&path))?;
    Ok(Outcome::Done)
}

/// Writes a note, and finds it the next time.
///
/// # Errors
/// When it may not be written there, or something is in the way.
pub fn write(
    workspace: &Workspace,
    draft: &Draft,
    hash: Option<&str>,
) -> Result<Planned, CliError> {
    let root = &workspace.repository.root;
    // Of several that write the same note, each sees what the one before wrote. A git directory that
    // cannot be written to has no lock, and seldom notes that can.
    let folder = workspace.repository.git_dir.is_some().then(|| workspace.repository.local_dir());
    let _lock = folder.and_then(|folder| lock::wait(&folder.join("notes.lock")).ok());
    let top = Folder::open(root)?;
    let existing = |path: &Path| match top.kind(path) {
        // What is reached through a link is refused when it is written.
        Err(_) | Ok(None) => Existing::None,
        Ok(Some(beneath::Kind::File)) => {
            match elophanto_repo::read_note(root, &NotePath::from(path), MOST_BYTES) {
                Ok((bytes, _)) => markdown::decode(&bytes)
                    .map_or(Existing::NotAFile, |it| Existing::Text(it.text.into_owned())),
                Err(_) => Existing::NotAFile,
            }
        }
        Ok(Some(_)) => Existing::NotAFile,
    };
    let write_root = &workspace.config.knowledge.write_root;
    let mut tries = 0;
    loop {
        let planned = plan(draft, write_root, Timestamp::now(), &existing, hash)?;
        refuse_secrets(&planned)?;
        let bytes = planned.text.as_bytes();
        let _telling = watch::tell(&workspace.repository, &planned.path, Some(bytes));
        if planned.overwrites {
            write_beneath(root, &planned.path, bytes)?;
            return Ok(planned);
        }
        tries += 1;
        match write_new_beneath(root, &planned.path, bytes) {
            // Another process has written there meanwhile: another name is planned, or a refusal.
            Err(WriteError::Io { cause, .. })
                if cause.kind() == ErrorKind::AlreadyExists && tries < MOST_TRIES => {}
            written => return Ok(written.map(|()| planned)?),
        }
    }
}

/// What is written into the work tree is soon committed.
fn refuse_secrets(planned: &Planned) -> Result<(), CliError> {
    match elophanto_base::secrets::scan(&planned.text).first() {
        None => Ok(()),
        Some(finding) => Err(CliError::new(format_args!(
            "line {} looks like a secret ({}): {}",
            finding.line,
            finding.kind,
            visible_line(&finding.masked)
        ))
        .hint("leave it out; say where it is kept instead")),
    }
}

/// Writes the note of a lesson that several repositories learnt; returns its path.
///
/// # Errors
/// When it cannot be written.
pub fn pattern(workspace: &Workspace, shared: &Shared) -> Result<String, CliError> {
    let Shared { memory, repositories, records, rate } = shared;
    let seen = format!(
        "{} ({records} records{})",
        repositories.join(", "),
        rate.map_or(String::new(), |rate| format!(", {rate} success"))
    );
    let mut what = memory.lesson.clone();
    if !memory.command.is_empty() {
        what.push_str(&format!("\n\n    {}", memory.command));
    }
    let texts = [memory.context.as_str(), &what, "", &seen];
    let sections: Vec<(&str, &str)> = template(Kind::Pattern).iter().copied().zip(texts).collect();
    let title: String = memory.lesson.chars().take(80).collect();
    let draft = Draft {
        kind: Kind::Pattern,
        title: title.trim(),
        sections: &sections,
        body: None,
        tags: &memory.tags,
        path: None,
    };
    let written = write(workspace, &draft, None)?;
    Ok(written.path.to_string_lossy().into_owned())
}
