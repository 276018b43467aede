//! A note that is there says something else: as the user wants it who has read it, never in the place of
//! what they have not seen.

use super::{MOST_BYTES, Notes, looks_secret};
use crate::{
    Error, Result,
    workspace::{Workspace, write_beneath},
};
use elophanto_agent::tools::diff;
use elophanto_base::secrets;
use elophanto_index::store::lock;
use elophanto_repo::{NotePath, read_if_there};
use elophanto_text::{authoring::content_hash, markdown};

/// What a note is to say.
#[derive(Debug, Clone, Copy)]
pub struct Edit<'a> {
    /// Relative to the root; a note that is there.
    pub path: &'a NotePath,
    /// Names the content that the user has read.
    pub hash: &'a str,
    /// The whole note, front matter too.
    pub text: &'a str,
    /// As it stands, line ends too: what an edit before took away.
    pub is_exact: bool,
}

/// What came of it, or would.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Edited {
    /// The note says something else than the user has read: this names what.
    Newer {
        /// Names the content that it has now.
        hash: String,
    },
    /// There is no such note any more.
    Gone,
    /// It says that already.
    Same,
    /// It was changed, or would be.
    Changed {
        /// As a unified diff.
        diff: String,
        /// Its text until now.
        before: String,
        /// Names the new content.
        hash: String,
    },
}

/// What would change.
///
/// # Errors
/// When it is none of the notes that are searched, cannot be read, is not plain UTF-8, or what is to be
/// written holds a secret.
pub fn look(workspace: &Workspace, edit: &Edit) -> Result<Edited> {
    Ok(planned(workspace, edit)?.0)
}

/// Writes it.
///
/// # Errors
/// As [`look`]; and when it cannot be written.
pub fn edit(workspace: &Workspace, edit: &Edit) -> Result<Edited> {
    let folder = workspace.repository.git_dir.is_some().then(|| workspace.repository.local_dir());
    let _lock = folder.and_then(|folder| lock::wait(&folder.join("notes.lock")).ok());
    let (edited, text) = planned(workspace, edit)?;
    if matches!(edited, Edited::Changed { .. }) {
        write_beneath(&workspace.repository.root, edit.path.as_path(), text.as_bytes())?;
    }
    Ok(edited)
}

fn planned(workspace: &Workspace, edit: &Edit) -> Result<(Edited, String)> {
    let read = read_if_there(&workspace.repository.root, edit.path, MOST_BYTES);
    let Some(bytes) = read.map_err(Error::new)? else {
        return Ok((Edited::Gone, String::new()));
    };
    // What is hidden, ignored or of another repository is not for this.
    let known = Notes::open(workspace)?.known.snapshot.files;
    if known.binary_search_by(|file| file.path.cmp(edit.path)).is_err() {
        return Err(Error::new("only notes that are searched are edited here"));
    }
    let before = markdown::decode(&bytes).map_err(Error::new)?.text.into_owned();
    if before.as_bytes() != bytes {
        return Err(Error::new("the note is not plain UTF-8")
            .hint("edit it with an editor that keeps its encoding"));
    }
    let hash = content_hash(&before);
    if hash != edit.hash {
        return Ok((Edited::Newer { hash }, String::new()));
    }
    // Lines end as they did.
    let text = match edit.text {
        text if edit.is_exact => text.to_owned(),
        text if before.contains("\r\n") => text.replace("\r\n", "\n").replace('\n', "\r\n"),
        text => text.replace("\r\n", "\n"),
    };
    if text.len() as u64 > MOST_BYTES {
        return Err(Error::new(format_args!("a note has at most {MOST_BYTES} bytes here"))
            .hint("edit larger ones with an editor"));
    }
    if text == before {
        return Ok((Edited::Same, text));
    }
    refuse_new_secrets(&before, &text)?;
    let diff = diff(edit.path.as_path(), Some(&before), Some(&text), 0);
    let hash = content_hash(&text);
    Ok((Edited::Changed { diff, before, hash }, text))
}

/// What stood there before is not for this edit to mend.
fn refuse_new_secrets(before: &str, after: &str) -> Result<()> {
    let known = secrets::scan(before);
    let is_new = |found: &secrets::Finding| {
        known.iter().all(|it| (it.kind, &it.hash) != (found.kind, &found.hash))
    };
    match secrets::scan(after).into_iter().find(is_new) {
        None => Ok(()),
        Some(found) => Err(looks_secret(&found)),
    }
}
