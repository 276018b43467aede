//! Pictures that lie beside notes, in the work tree or in a commit.

use std::path::PathBuf;

use crate::{Error, Result, when, workspace::Workspace, workspace::now_nanoseconds};
use elophanto_base::image::{Bare, bare};
use elophanto_repo::{
    CommitId, Git, GitError, NotePath, Selection, Version, read_if_there, stored_notes, walk_files,
};
use elophanto_text::place::is_below_root;

/// Bytes of one.
const MOST_BYTES: u64 = 8 * 1024 * 1024;
/// How files of pictures that browsers show are called. What one is, its bytes say.
const ENDINGS: &[&str] = &["png", "jpg", "jpeg", "gif", "webp"];

/// Where pictures are taken from.
#[derive(Debug, Clone, Copy)]
pub enum PictureFrom<'a> {
    /// What a walk of the work tree finds: nothing that is hidden, ignored or of another repository.
    WorkTree,
    /// What a commit holds, but for what its own ignore files name and what is hidden.
    Commit(&'a CommitId),
}

/// Whether a path is called as a picture is.
pub fn is_picture(path: &str) -> bool {
    let ending = path.rsplit_once('.').map_or("", |(_, ending)| ending);
    is_below_root(path) && ENDINGS.iter().any(|known| known.eq_ignore_ascii_case(ending))
}

/// The picture at a path, without what is written beside it; `None` if there is none.
///
/// # Errors
/// When it is too large, none that is whole, or cannot be read.
pub fn picture(workspace: &Workspace, path: &str, from: PictureFrom<'_>) -> Result<Option<Bare>> {
    if !is_picture(path) {
        return Ok(None);
    }
    let note_path = NotePath::from(path);
    let root = &workspace.repository.root;
    let bytes = match from {
        PictureFrom::WorkTree => {
            let wanted = note_path.below(root);
            // Only the folders that lead there are looked into.
            let (found, _) = walk_files(
                root,
                &[PathBuf::from(".")],
                |path| path == wanted,
                |folder| wanted.starts_with(folder),
            );
            if found.is_empty() {
                return Ok(None);
            }
            let read = read_if_there(root, &note_path, MOST_BYTES).map_err(Error::new)?;
            let Some(bytes) = read else { return Ok(None) };
            bytes
        }
        PictureFrom::Commit(commit) => {
            let git = Git::of(&workspace.repository).ok_or(GitError::NoRepository)?;
            let objects = git.objects();
            // Of the pictures that are no more hidden or ignored there than notes are.
            let all = Selection {
                roots: vec![PathBuf::from(".")],
                extensions: ENDINGS.iter().map(|&ending| ending.to_owned()).collect(),
                apart: PathBuf::new(),
                is_key: |_| false,
            };
            let shown = stored_notes(&git, &objects, &Version::Commit(*commit), &all)?;
            let Some(held) = shown.into_iter().find(|held| held.path == note_path) else {
                return Ok(None);
            };
            let read = objects.read(&[&held.object], MOST_BYTES).pop();
            read.ok_or_else(|| Error::bug("git read nothing"))?.map_err(Error::new)?
        }
    };
    Ok(Some(bare(&bytes).map_err(Error::new)?))
}

/// The commit that a revision or date names.
///
/// # Errors
/// When there is none.
pub fn commit(workspace: &Workspace, revision: &str) -> Result<CommitId> {
    let git = Git::of(&workspace.repository).ok_or(GitError::NoRepository)?;
    when::commit(&git, revision, now_nanoseconds() / 1_000_000_000)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pictures_are_called_so() {
        for (path, expected) in [
            ("a/pier.png", true),
            ("pier.JPEG", true),
            ("pier.svg", false),
            ("pier.png.html", false),
            ("png", false),
            ("../pier.png", false),
            ("a/../pier.png", false),
            ("/pier.png", false),
            ("a\0.png", false),
        ] {
            assert_eq!(is_picture(path), expected, "{path:?}");
        }
    }
}
