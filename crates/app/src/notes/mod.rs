//! Notes that tools write and read: a new one from a draft, one of a lesson that several repositories
//! learnt, a part of one with who wrote it last.

mod edit;
mod read;

use std::{io::ErrorKind, path::Path};

use jiff::Timestamp;

pub use edit::{Edit, Edited, edit, look};
pub use read::{Excerpted, Listed, Notes, Origin};

use crate::{
    Error, Result,
    reporter::{Reporter, Silent},
    workspace::{Workspace, write_beneath},
};
use elophanto_base::counted::counted;
use elophanto_base::{
    beneath::{self, Folder},
    secrets,
    visible::escape_control_line,
};
use elophanto_index::store::lock;
use elophanto_knowledge::memory::Shared;
use elophanto_repo::{NotePath, WriteError, read_note, watch, write_new_beneath};
use elophanto_text::{
    authoring::{Draft, Existing, Kind, Planned, plan, template},
    markdown,
};

/// Most bytes of a note.
pub const MOST_BYTES: u64 = 256 * 1024;
/// How often a name is looked for while other processes take those that are found.
const MOST_TRIES: usize = 100;

/// The headings of a kind of note, each with what was given for it.
///
/// # Errors
/// When something was given for a heading that the kind does not have.
pub fn sections(kind: Kind, given: &[(String, String)]) -> Result<Vec<(&'static str, String)>> {
    let headings = template(kind);
    let is_known = |name: &str| headings.iter().any(|known| known.eq_ignore_ascii_case(name));
    if let Some((name, _)) = given.iter().find(|(name, _)| !is_known(name)) {
        let message = format!("a {} has no heading `{}`", kind.as_str(), escape_control_line(name));
        return Err(Error::new(message).hint(format!("it has: {}", headings.join(", "))));
    }
    let text_of = |heading: &str| {
        let given = given.iter().filter(|(name, _)| name.eq_ignore_ascii_case(heading));
        given.map(|(_, text)| text.as_str()).collect::<Vec<_>>().join("\n\n")
    };
    Ok(headings.iter().map(|heading| (*heading, text_of(heading))).collect())
}

/// Writes a note, and finds it the next time.
///
/// # Errors
/// When it may not be written there, something is in the way, or nobody waits for it any more.
pub fn write(
    workspace: &Workspace,
    draft: &Draft,
    hash: Option<&str>,
    reporter: &dyn Reporter,
) -> Result<Planned> {
    let root = &workspace.repository.root;
    // Of several that write the same note, each sees what the one before wrote. A git directory that
    // cannot be written to has no lock, and seldom notes that can.
    let folder = workspace.repository.git_dir.is_some().then(|| workspace.repository.local_dir());
    let _lock = folder.and_then(|folder| lock::wait(&folder.join("notes.lock")).ok());
    let top = Folder::open(root)?;
    let existing = |path: &Path| match top.kind(path) {
        // What is reached through a link is refused when it is written.
        Err(_) | Ok(None) => Existing::None,
        Ok(Some(beneath::Kind::File)) => match read_note(root, &NotePath::from(path), MOST_BYTES) {
            Ok((bytes, _)) => markdown::decode(&bytes)
                .map_or(Existing::NotAFile, |it| Existing::Text(it.text.into_owned())),
            Err(_) => Existing::NotAFile,
        },
        Ok(Some(_)) => Existing::NotAFile,
    };
    let write_root = &workspace.config.knowledge.write_root;
    let mut tries = 0;
    loop {
        let planned = plan(draft, write_root, Timestamp::now(), &existing, hash)?;
        refuse_secrets(&planned)?;
        reporter.still_wanted()?;
        let bytes = planned.text.as_bytes();
        let _telling = watch::tell(&workspace.repository, &planned.path, Some(bytes));
        if planned.overwrites {
            write_beneath(root, &planned.path, bytes)?;
            return Ok(planned);
        }
        tries += 1;
        match write_new_beneath(root, &planned.path, bytes) {
            // Another process has written there meanwhile: another name is planned, or a refusal.
            Err(WriteError::Io { source: cause, .. })
                if cause.kind() == ErrorKind::AlreadyExists && tries < MOST_TRIES => {}
            written => return Ok(written.map(|()| planned)?),
        }
    }
}

/// What is written into the work tree is soon committed.
fn refuse_secrets(planned: &Planned) -> Result<()> {
    match secrets::scan(&planned.text).first() {
        None => Ok(()),
        Some(found) => Err(looks_secret(found)),
    }
}

fn looks_secret(secrets::Finding { line, kind, .. }: &secrets::Finding) -> Error {
    Error::new(format_args!("line {line} looks like a secret ({kind})"))
        .hint("leave it out; say where it is kept instead")
}

/// Writes the note of a lesson that several repositories learnt; returns its path.
///
/// # Errors
/// When it cannot be written.
pub fn pattern(workspace: &Workspace, shared: &Shared) -> Result<String> {
    let Shared { memory, repositories, records, rate } = shared;
    let seen = format!(
        "{} ({}{})",
        repositories.join(", "),
        counted(*records, "record"),
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
        tags: Some(&memory.tags),
        path: None,
    };
    let written = write(workspace, &draft, None, &Silent)?;
    Ok(written.path.to_string_lossy().into_owned())
}
