//! Git directories that a call leaves in the work tree: seen, and put out of git's sight.
//!
//! Git runs what the settings of a repository say, outside of any sandbox and as the user, as soon
//! as somebody asks it for the state of that repository, or of one around it.

use std::{
    collections::BTreeSet,
    ffi::OsStr,
    fs::{self, File},
    io::{self, Read, Write},
    path::{Path, PathBuf},
};

use crate::permissions::Action;
use elophanto_base::visible::exact_line;
use elophanto_repo::{
    CommitId, FileStat, Git, PutAside, Repository, Visit, gitlinks, inner_marks_and,
    marks_on_the_way, move_aside, put_aside,
};

/// Characters of a line that says all that it does.
const PLAIN: &str = "/._-=:@~+";
/// Options of git with which it makes a repository as usual: none names a program, settings, a
/// folder of hooks, or where objects are to be had.
const USUAL: [&str; 17] = [
    "--", "--bare", "--branch", "--depth", "--detach", "--init", "--initial-branch",
    "--no-checkout", "--no-tags", "--object-format", "--quiet", "--recurse-submodules",
    "--recursive", "--single-branch", "-b", "-n", "-q",
];

/// What the settings of a bare repository hold that git has just made.
const USUAL_SETTINGS: [&str; 12] = [
    "[core]",
    "repositoryformatversion",
    "filemode",
    "bare",
    "ignorecase",
    "precomposeunicode",
    "symlinks",
    "logallrefupdates",
    "[extensions]",
    "objectformat",
    "[remote \"origin\"]",
    "url",
];
/// Where it is written what was put aside.
const LIST: &str = "list.txt";
/// Bytes of a file that names a git directory.
const MOST_OF_A_LINK: u64 = 8 * 1024;
/// Repositories that are told of one by one.
const MOST_TOLD: usize = 20;

/// What there was before a call, to tell what it leaves.
pub enum Before {
    /// Anything may come: all that there was.
    Anything { marks: BTreeSet<PathBuf>, meant: Meant },
    /// These files may come.
    Files { paths: Vec<PathBuf>, marks: BTreeSet<PathBuf> },
}

elophanto_base::named! {
    /// What of a repository the line that was let through makes by itself.
    pub enum Meant, name {
        Nothing = "nothing",
        /// With a work tree.
        WorkTree = "work tree",
        /// Laid out as a plain folder.
        Bare = "bare",
    }
}

impl Before {
    /// A look before a call; `None` if it can leave none. What is looked through where anything may
    /// come is visited.
    pub fn look(root: &Path, action: &Action, visit: Visit<'_>) -> Option<Self> {
        match action {
            // What is developed is tested, and tests are programs.
            Action::Shell { .. } | Action::Program { .. } | Action::Develop => {
                let meant = match action {
                    Action::Shell { line, .. } => meant(line),
                    _ => Meant::Nothing,
                };
                Some(Self::Anything { marks: inner_marks_and(root, visit), meant })
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

    /// Puts what is new into the folder `snapshot`, but for what is `own`.
    pub fn put_aside(
        &self,
        repository: &Repository,
        is_own: &dyn Fn(&Path) -> bool,
        snapshot: &Path,
        visit: Visit<'_>,
    ) -> Aside {
        let root = &repository.root;
        let mut moved = match self {
            Self::Anything { marks, meant } => {
                let is_meant = |mark: &Path| {
                    let is_made = match meant {
                        Meant::Nothing => false,
                        Meant::WorkTree => mark.ends_with(".git"),
                        Meant::Bare => is_as_made(root, mark),
                    };
                    is_made || is_own_work_tree(repository, mark) || is_own(mark)
                };
                put_aside(root, marks, &is_meant, snapshot, visit)
            }
            Self::Files { paths, marks } => {
                let new = marks_on_the_way(root, paths);
                // One that was moved is as it was.
                let is_moved = marks.iter().any(|mark| !new.contains(mark));
                let new = new.into_iter().filter(|mark| !is_moved && !marks.contains(mark));
                move_aside(root, new, snapshot)
            }
        };
        // What is still there is told before all else.
        moved.sort_by_key(|one| one.to.is_ok());
        let is_whole = moved.iter().all(|one| one.to.is_ok());
        let more = moved.len().saturating_sub(MOST_TOLD);
        let mut told: Vec<String> =
            moved.iter().take(MOST_TOLD).map(|one| said(root, one)).collect();
        if more > 0 {
            told.push(format!("{more} more like it"));
        }
        if moved.iter().any(|one| one.to.is_ok()) {
            let list = snapshot.join(LIST);
            match write_list(&list, &moved) {
                Ok(()) => told.push(format!(
                    "if one of them is yours, `{}` says what to move back",
                    exact_line(&list.to_string_lossy())
                )),
                Err(cause) => told.push(format!("what was moved is written nowhere: {cause}")),
            }
        }
        Aside { told, is_whole }
    }
}

/// What came of putting things aside.
pub struct Aside {
    /// For people, one line each.
    pub told: Vec<String>,
    /// Nothing had to be left where it was.
    pub is_whole: bool,
}

/// Adds to a list in the folder of what was put aside: what each was, and that names of git in it
/// end in `.aside` now.
fn write_list(path: &Path, moved: &[PutAside]) -> io::Result<()> {
    let mut text = String::new();
    for PutAside { mark, to } in moved {
        if let Ok(to) = to {
            let (to, mark) = (to.to_string_lossy(), mark.to_string_lossy());
            text.push_str(&format!(
                "{} was `{}`; in it, take `.aside` off `HEAD.aside` and `.git.aside`\n",
                exact_line(&to),
                exact_line(&mark)
            ));
        }
    }
    File::options().create(true).append(true).open(path)?.write_all(text.as_bytes())
}

/// Whether a `.git` is that of a further work tree of this very repository: it names a folder below
/// the git directory, where no command writes, and that folder names it.
fn is_own_work_tree(repository: &Repository, mark: &Path) -> bool {
    let Some(common) = &repository.common_dir else { return false };
    let mark = repository.root.join(mark);
    let is_file = fs::symlink_metadata(&mark).is_ok_and(|found| found.is_file());
    let read = |path: &Path| {
        let mut text = String::new();
        File::open(path).ok()?.take(MOST_OF_A_LINK).read_to_string(&mut text).ok()?;
        Some(text)
    };
    let Some(text) = is_file.then(|| read(&mark)).flatten() else { return false };
    let Some(named) = text.strip_prefix("gitdir: ").map(|path| Path::new(path.trim_end())) else {
        return false;
    };
    let is_below = named.parent().is_some_and(|above| above == common.join("worktrees"));
    let back = read(&named.join("gitdir"));
    is_below && back.is_some_and(|back| Path::new(back.trim_end()) == mark)
}

/// A repository, laid out as a plain folder, that one of these absolute paths lies in: no tool
/// writes there, as none does in `.git`.
pub fn written_into(root: &Path, action: &Action) -> Option<PathBuf> {
    let Action::Write { paths } = action else { return None };
    let folders: Vec<PathBuf> =
        paths.iter().filter_map(|path| path.parent().map(Path::to_owned)).collect();
    marks_on_the_way(root, &folders).pop_first()?.parent().map(Path::to_owned)
}

/// Whether a bare repository is as git makes it: no hooks, no objects of others, and settings that
/// name no program. Its folder may have been there before it.
fn is_as_made(root: &Path, head: &Path) -> bool {
    let Some(folder) = root.join(head).parent().map(Path::to_owned) else { return false };
    let is_sample = |entry: io::Result<fs::DirEntry>| {
        entry.is_ok_and(|entry| entry.path().extension() == Some(OsStr::new("sample")))
    };
    let hooks = fs::read_dir(folder.join("hooks"));
    let no_hooks = hooks.map_or_else(
        |cause| cause.kind() == io::ErrorKind::NotFound,
        |mut entries| entries.all(is_sample),
    );
    let is_usual = |line: &str| {
        let line = line.trim();
        let name = line.split_once('=').map_or(line, |(name, _)| name.trim_end());
        name.is_empty() || USUAL_SETTINGS.contains(&name)
    };
    let config = fs::read_to_string(folder.join("config"));
    let has = |name: &str| folder.join(name).symlink_metadata().is_ok();
    no_hooks
        && config.is_ok_and(|config| config.lines().all(is_usual))
        && !has("objects/info/alternates")
        && !has("info/attributes")
        && !has("config.worktree")
        && !has("commondir")
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
    /// Where a repository could be put at the place of a submodule of the work tree at `root`,
    /// absolute.
    ///
    /// # Errors
    /// In words, when git cannot say where submodules are.
    pub fn look(
        &mut self,
        root: &Path,
        git: &Git,
        head: Option<CommitId>,
    ) -> Result<&[PathBuf], String> {
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
