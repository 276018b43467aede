//! The notes of a version that git holds, chosen as the walk chooses those of the work tree.

use std::path::Path;

use ignore::gitignore::{Gitignore, GitignoreBuilder};

use super::{
    Git, GitError, NotePath, ObjectId, Objects, Selection, Stored, Version,
    walk::{FORGE_FOLDERS, MOST_IGNORE_BYTES},
};

/// Names of files that say what to leave out, the weaker one first.
const IGNORE_FILES: [&str; 2] = [".gitignore", ".elophantoignore"];
/// The notes of a version below the selected roots, sorted by path.
///
/// As in the walk, hidden files but those of a forge's folder and what the version's own `.gitignore` and `.elophantoignore`
/// name are left out; links and submodules are no files.
///
/// # Errors
/// When git cannot list the version.
pub fn stored_notes(
    git: &Git,
    objects: &Objects,
    version: &Version,
    selection: &Selection,
) -> Result<Vec<Stored>, GitError> {
    let roots: Vec<&Path> = selection.roots.iter().map(|root| root.as_path()).collect();
    let mut folders = roots.clone();
    // Ignore files above the roots count too, and lie at the top or between.
    let above: Vec<&Path> = roots
        .iter()
        .flat_map(|root| root.ancestors().skip(1))
        .filter(|folder| !folder.as_os_str().is_empty())
        .collect();
    let above_files: Vec<std::path::PathBuf> = above
        .iter()
        .copied()
        .chain([Path::new("")])
        .flat_map(|folder| IGNORE_FILES.map(|name| folder.join(name)))
        .collect();
    folders.extend(above_files.iter().map(|path| path.as_path()));
    let files = git.list(version, &folders)?;
    let ignored = Ignored::read(&files, objects);
    Ok(files
        .into_iter()
        .filter(|file| {
            let path = file.path.as_path();
            let in_root =
                roots.iter().any(|root| *root == Path::new(".") || path.starts_with(root));
            in_root
                && selection.names(path)
                && !is_hidden(&file.path, &roots)
                && !ignored.names(path)
        })
        .collect())
}

/// Whether a component below the root that holds the path begins with a dot.
fn is_hidden(path: &NotePath, roots: &[&Path]) -> bool {
    let path = path.as_path();
    let below = roots
        .iter()
        .filter_map(|root| path.strip_prefix(root).ok())
        .min_by_key(|below| below.as_os_str().len());
    let is_all = roots.contains(&Path::new("."));
    let of_forge = FORGE_FOLDERS.iter().find_map(|name| path.strip_prefix(name).ok());
    let of_forge = of_forge.filter(|_| is_all && below.is_none());
    of_forge
        .or(below)
        .unwrap_or(path)
        .components()
        .any(|component| component.as_os_str().as_encoded_bytes().starts_with(b"."))
}

/// The ignore files of a version, with the folder of each, outermost first.
struct Ignored {
    files: Vec<(std::path::PathBuf, usize, Gitignore)>,
}

impl Ignored {
    fn read(files: &[Stored], objects: &Objects) -> Self {
        let kind = |file: &Stored| {
            let name = file.path.as_path().file_name()?;
            IGNORE_FILES.iter().position(|known| name == *known)
        };
        let found: Vec<(&Stored, usize)> =
            files.iter().filter_map(|file| Some((file, kind(file)?))).collect();
        let ids: Vec<&ObjectId> = found.iter().map(|(file, _)| &file.object).collect();
        let contents =
            if ids.is_empty() { Vec::new() } else { objects.read(&ids, MOST_IGNORE_BYTES) };
        let mut files = Vec::new();
        for ((file, kind), content) in found.into_iter().zip(contents) {
            let Ok(content) = content else { continue };
            let folder = file.path.as_path().parent().unwrap_or(Path::new("")).to_owned();
            let mut builder = GitignoreBuilder::new(&folder);
            for line in String::from_utf8_lossy(&content).lines() {
                // A line that is no pattern ignores nothing, as in the walk.
                let _ = builder.add_line(None, line);
            }
            if let Ok(matcher) = builder.build() {
                files.push((folder, kind, matcher));
            }
        }
        files.sort_by_key(|(folder, kind, _)| (*kind, folder.components().count()));
        Self { files }
    }

    /// Whether a path, or a folder above it, is left out. Of each kind the innermost file that speaks of it
    /// decides; `.elophantoignore` brings nothing back that git leaves out.
    fn names(&self, path: &Path) -> bool {
        if self.files.is_empty() {
            return false;
        }
        let above: Vec<&Path> =
            path.ancestors().skip(1).filter(|folder| !folder.as_os_str().is_empty()).collect();
        let is_left_out = |path: &Path, is_folder| {
            (0..IGNORE_FILES.len()).any(|kind| self.decides(kind, path, is_folder))
        };
        above.iter().rev().any(|folder| is_left_out(folder, true)) || is_left_out(path, false)
    }

    fn decides(&self, kind: usize, path: &Path, is_folder: bool) -> bool {
        let speaking =
            self.files.iter().rev().filter(|(folder, own, _)| {
                *own == kind && path != folder && path.starts_with(folder)
            });
        for (folder, _, matcher) in speaking {
            let Ok(below) = path.strip_prefix(folder) else { continue };
            let matched = matcher.matched(below, is_folder);
            if !matched.is_none() {
                return matched.is_ignore();
            }
        }
        false
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ignored(files: &[(&str, &str)]) -> Ignored {
        let mut all = Vec::new();
        for (path, text) in files {
            let path = Path::new(path);
            let kind = IGNORE_FILES.iter().position(|name| path.file_name().unwrap() == *name);
            let folder = path.parent().unwrap().to_owned();
            let mut builder = GitignoreBuilder::new(&folder);
            for line in text.lines() {
                builder.add_line(None, line).unwrap();
            }
            all.push((folder, kind.unwrap(), builder.build().unwrap()));
        }
        all.sort_by_key(|(folder, kind, _)| (*kind, folder.components().count()));
        Ignored { files: all }
    }

    #[test]
    fn ignore_files_of_a_version_say_what_is_left_out() {
        let rules = ignored(&[
            (".gitignore", "build/\n*.tmp.md\n/top.md\n"),
            ("docs/.gitignore", "!keep.tmp.md\n"),
            ("docs/.elophantoignore", "drafts\n*.log.md\n!kept.log.md\n!build\n!*.tmp.md\n"),
        ]);
        for (path, left_out) in [
            ("build/a.md", true),
            ("docs/build/a.md", true),
            ("a.tmp.md", true),
            ("docs/keep.tmp.md", false),
            ("docs/other.tmp.md", true),
            ("docs/a.log.md", true),
            ("docs/kept.log.md", false),
            ("top.md", true),
            ("docs/top.md", false),
            ("docs/drafts/a.md", true),
            ("drafts/a.md", false),
            ("docs/a.md", false),
        ] {
            assert_eq!(rules.names(Path::new(path)), left_out, "{path}");
        }
    }

    #[test]
    fn hidden_is_what_lies_below_a_dot() {
        for (path, root, hidden) in [
            (".github/a.md", ".", false),
            (".github/ISSUE_TEMPLATE/a.md", ".", false),
            (".github/.a.md", ".", true),
            (".github/.x/a.md", ".", true),
            (".github/a.md", "docs", true),
            ("docs/.github/a.md", ".", true),
            ("docs/.github/a.md", "docs", true),
            (".githubs/a.md", ".", true),
            (".claude/a.md", ".", true),
            (".elophanto/a.md", ".", true),
            ("docs/.a.md", ".", true),
            (".notes/a.md", ".notes", false),
            (".notes/.x/a.md", ".notes", true),
            ("docs/a.md", ".", false),
        ] {
            assert_eq!(is_hidden(&path.into(), &[Path::new(root)]), hidden, "{path}");
        }
    }
}
