//! Git directories that a call leaves in the work tree: seen, and put out of git's sight.
//!
//! Git runs what the settings of a repository say, outside of any sandbox and as the user, as soon
//! as somebody asks it for the state of that repository, or of one around it.

use std::{
    collections::BTreeSet,
    fs,
    path::{Path, PathBuf},
};

use super::super::super::{ui::exact_line, workspace::Workspace};
use crate::{
    permissions::Action,
    repo::{
        CommitId, FileStat, Git, PutAside, gitlinks, inner_marks, marks_on_the_way, move_aside,
        put_aside,
    },
};

/// Characters of a line that says all that it does.
const PLAIN: &str = "/._-=:@~+";
/// Options of git with which it makes a repository as usual: none names a program, settings, a
/// folder of hooks, or where objects are to be had.
const USUAL: [&str; 17] = [
    "--",
    "--bare",
    "--branch",
    "--depth",
    "--detach",
    "--init",
    "--initial-branch",
    "--no-checkout",
    "--no-tags",
    "--object-format",
    "--quiet",
    "--recurse-submodules",
    "--recursive",
    "--single-branch",
    "-b",
    "-n",
    "-q",
];

/// Repositories that are told of one by one.
const MOST_TOLD: usize = 20;

/// What there was before a call, to tell what it leaves.
pub enum Before {
    /// Anything may come: all that there was.
    Anything { marks: BTreeSet<PathBuf>, meant: Meant },
    /// These files may come.
    Files { paths: Vec<PathBuf>, marks: BTreeSet<PathBuf> },
}

/// What of a repository the line that was let through makes by itself.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Meant {
    Nothing,
    /// With a work tree.
    WorkTree,
    /// Laid out as a plain folder.
    Bare,
}

impl Before {
    /// A look before a call; `None` if it can leave none.
    pub fn look(root: &Path, action: &Action) -> Option<Self> {
        match action {
            // What is developed is tested, and tests are programs.
            Action::Shell { .. } | Action::Program { .. } | Action::Develop => {
                let meant = match action {
                    Action::Shell { line, .. } => meant(line),
                    _ => Meant::Nothing,
                };
                Some(Self::Anything { marks: inner_marks(root), meant })
            }
            Action::Write { paths } => {
                let marks = marks_on_the_way(root, paths);
                Some(Self::Files { paths: paths.clone(), marks })
            }
            _ => None,
        }
    }

    /// Folders of other repositories, absolute: no program changes them.
    pub fn repositories(&self, root: &Path) -> Vec<PathBuf> {
        let Self::Anything { marks, .. } = self else { return Vec::new() };
        // What is only spelled like `.git` makes no repository of its folder.
        let is_one = |mark: &&PathBuf| mark.ends_with(".git") || mark.ends_with("HEAD");
        marks.iter().filter(is_one).filter_map(|mark| Some(root.join(mark.parent()?))).collect()
    }

    /// Puts what is new into a folder, and says so.
    pub fn put_aside(&self, root: &Path, shelf: &Path) -> Vec<String> {
        let mut moved = match self {
            Self::Anything { marks, meant } => {
                let is_meant = |mark: &Path| match meant {
                    Meant::Nothing => false,
                    Meant::WorkTree => mark.ends_with(".git"),
                    Meant::Bare => true,
                };
                put_aside(root, marks, &is_meant, shelf)
            }
            Self::Files { paths, marks } => {
                let new = marks_on_the_way(root, paths);
                // One that was moved is as it was.
                let is_moved = marks.iter().any(|mark| !new.contains(mark));
                let new = new.into_iter().filter(|mark| !is_moved && !marks.contains(mark));
                move_aside(root, new, shelf)
            }
        };
        // What is still there is told before all else.
        moved.sort_by_key(|one| one.to.is_ok());
        let more = moved.len().saturating_sub(MOST_TOLD);
        let mut told: Vec<String> =
            moved.iter().take(MOST_TOLD).map(|one| said(root, one)).collect();
        if more > 0 {
            told.push(format!("{more} more like it"));
        }
        told
    }
}

fn said(root: &Path, PutAside { mark, to }: &PutAside) -> String {
    let shown =
        |path: &Path| exact_line(&path.strip_prefix(root).unwrap_or(path).to_string_lossy());
    let what = format!(
        "the call left a repository of its own, `{}`, whose settings git would have obeyed",
        shown(mark)
    );
    match to {
        Ok(to) => format!("{what}: it is put aside, as `{}`", shown(to)),
        Err(cause) => format!(
            "{what}; IT COULD NOT BE PUT ASIDE ({cause}): remove it before you run git or open \
             that folder"
        ),
    }
}

/// Whether a line is nothing but git making a repository as it always does.
fn meant(line: &str) -> Meant {
    let is_plain = |char: char| char.is_ascii_alphanumeric() || PLAIN.contains(char);
    let words: Vec<&str> = line.split(' ').filter(|word| !word.is_empty()).collect();
    if !line.chars().all(|char| char == ' ' || is_plain(char)) {
        return Meant::Nothing;
    }
    let rest = match &words[..] {
        ["git", "clone" | "init", rest @ ..] => rest,
        ["git", "submodule", "add" | "update", rest @ ..] => rest,
        ["git", "worktree", "add", rest @ ..] => rest,
        _ => return Meant::Nothing,
    };
    let options: Vec<&str> = rest
        .iter()
        .filter(|word| word.starts_with('-'))
        .map(|word| word.split_once('=').map_or(*word, |(name, _)| name))
        .collect();
    if !options.iter().all(|option| USUAL.contains(option)) {
        return Meant::Nothing;
    }
    if options.contains(&"--bare") { Meant::Bare } else { Meant::WorkTree }
}

/// Places of submodules, looked up again only when they may be others.
#[derive(Default)]
pub struct Links {
    known: Option<(Option<CommitId>, FileStat, Vec<PathBuf>)>,
}

impl Links {
    /// Where a repository could be put at the place of a submodule, absolute.
    ///
    /// # Errors
    /// In words, when git cannot say where submodules are.
    pub fn look(
        &mut self,
        workspace: &Workspace,
        git: &Git,
        head: Option<CommitId>,
    ) -> Result<&[PathBuf], String> {
        let root = &workspace.repository.root;
        let index = git.git_dir().join("index");
        let stat = fs::metadata(&index).map(|found| FileStat::from(&found)).unwrap_or_default();
        let is_known =
            |(at, seen, _): &(Option<CommitId>, FileStat, _)| *at == head && *seen == stat;
        if !self.known.as_ref().is_some_and(is_known) {
            let found = gitlinks(git).map_err(|cause| cause.to_string())?;
            let paths = found.iter().map(|path| root.join(path).join(".git")).collect();
            self.known = Some((head, stat, paths));
        }
        Ok(self.known.as_ref().map_or(&[], |(_, _, paths)| paths))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_git_makes_by_itself() {
        for (line, expected) in [
            ("git clone https://example.org/a.git vendor/a", Meant::WorkTree),
            ("git clone --depth=1 -b main git@example.org:a/b.git", Meant::WorkTree),
            ("git init  sub", Meant::WorkTree),
            ("git init --bare store.git", Meant::Bare),
            ("git submodule add https://example.org/a vendor/a", Meant::WorkTree),
            ("git submodule update --init --recursive", Meant::WorkTree),
            ("git worktree add ../b -b topic", Meant::WorkTree),
            ("git clone -c core.fsmonitor=x a b", Meant::Nothing),
            ("git clone --config core.fsmonitor=x a b", Meant::Nothing),
            ("git clone --template=t a b", Meant::Nothing),
            ("git clone --upload-pack=x a b", Meant::Nothing),
            ("git clone --shared a b", Meant::Nothing),
            ("git clone --reference x a b", Meant::Nothing),
            ("git clone --separate-git-dir=x a b", Meant::Nothing),
            ("git -c core.fsmonitor=x init a", Meant::Nothing),
            ("git init a && sh b", Meant::Nothing),
            ("git init a; sh b", Meant::Nothing),
            ("git init $(sh b)", Meant::Nothing),
            ("git init a\nsh b", Meant::Nothing),
            ("GIT_TEMPLATE_DIR=t git init a", Meant::Nothing),
            ("./git init a", Meant::Nothing),
            ("git submodule foreach sh", Meant::Nothing),
            ("git status", Meant::Nothing),
            ("sh tests.sh", Meant::Nothing),
            ("git", Meant::Nothing),
            ("", Meant::Nothing),
        ] {
            assert_eq!(meant(line), expected, "{line}");
        }
    }
}
