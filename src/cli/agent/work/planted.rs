//! Git directories that a call leaves in the work tree: seen, and put out of git's sight.
//!
//! Git runs what the settings of a repository say, outside of any sandbox and as the user, as soon
//! as somebody asks it for the state of that repository, or of one around it.

use std::{
    collections::BTreeSet,
    ffi::OsStr,
    fs::{self, File},
    io::{self, Write},
    os::unix::ffi::OsStrExt,
    path::{Path, PathBuf},
};

use ulid::Ulid;

use super::super::super::{ui::exact_line, workspace::Workspace};
use elophanto_agent::permissions::Action;
use elophanto_repo::{
    CommitId, FileStat, Git, PutAside, gitlinks, inner_marks, marks_on_the_way, move_aside,
    put_aside,
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
/// What the name of a file ends in that says what there was before a call.
const UNDER_WAY: &str = "before";
/// Its last field: one without it was cut.
const WHOLE: &[u8] = b"whole";
/// A larger one is none of ours, in bytes.
const MOST_UNDER_WAY: u64 = 16 * 1024 * 1024;
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

impl Meant {
    const ALL: [Self; 3] = [Self::Nothing, Self::WorkTree, Self::Bare];

    fn name(self) -> &'static str {
        match self {
            Self::Nothing => "nothing",
            Self::WorkTree => "work tree",
            Self::Bare => "bare",
        }
    }

    fn of_name(name: &[u8]) -> Option<Self> {
        Self::ALL.into_iter().find(|meant| meant.name().as_bytes() == name)
    }
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

    /// Writes it down for as long as the call is under way: who comes after a run that was killed
    /// would take what it planted for the user's own.
    ///
    /// # Errors
    /// When it cannot be written.
    pub fn write_down(&self, root: &Path, aside: &Path) -> io::Result<Option<UnderWay>> {
        let Self::Anything { marks, meant } = self else { return Ok(None) };
        fs::create_dir_all(aside)?;
        let path = aside.join(format!("{}.{UNDER_WAY}", Ulid::new()));
        let new = path.with_extension("new");
        let mut file = File::create(&new)?;
        // Held before it has its name: nobody takes it for one that was left behind.
        file.lock()?;
        let marks = marks.iter().map(|mark| mark.as_os_str().as_bytes());
        let head = [meant.name().as_bytes(), root.as_os_str().as_bytes()];
        let fields: Vec<&[u8]> = head.into_iter().chain(marks).chain([WHOLE]).collect();
        file.write_all(&fields.join(&0))?;
        fs::rename(new, &path)?;
        Ok(Some(UnderWay { path, _locked: file }))
    }

    /// Puts what is new into a folder, and says so.
    pub fn put_aside(&self, root: &Path, shelf: &Path) -> Vec<String> {
        let mut moved = match self {
            Self::Anything { marks, meant } => {
                let is_meant = |mark: &Path| match meant {
                    Meant::Nothing => false,
                    Meant::WorkTree => mark.ends_with(".git"),
                    Meant::Bare => is_as_made(root, mark),
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

/// A repository, laid out as a plain folder, that one of these absolute paths lies in: no tool
/// writes there, as none does in `.git`.
pub fn written_into(root: &Path, action: &Action) -> Option<PathBuf> {
    let Action::Write { paths } = action else { return None };
    let folders: Vec<PathBuf> =
        paths.iter().filter_map(|path| path.parent().map(Path::to_owned)).collect();
    marks_on_the_way(root, &folders).pop_first()?.parent().map(Path::to_owned)
}

/// What there was before a call that is under way; dropping it says that the call has ended.
pub struct UnderWay {
    path: PathBuf,
    _locked: File,
}

impl Drop for UnderWay {
    fn drop(&mut self) {
        let _ = fs::remove_file(&self.path);
    }
}

/// Puts aside what was planted by calls whose run was killed, and says so. Waits for no call that
/// is under way: while there is one, nothing is done.
pub fn put_aside_of_killed(root: &Path, aside: &Path) -> Vec<String> {
    let Ok(entries) = fs::read_dir(aside) else { return Vec::new() };
    let paths = entries.flatten().map(|entry| entry.path());
    let paths = paths.filter(|path| path.extension() == Some(OsStr::new(UNDER_WAY)));
    let opened: Option<Vec<(PathBuf, File)>> = paths
        .map(|path| {
            let file = File::open(&path).ok()?;
            file.try_lock().is_ok().then_some((path, file))
        })
        .collect();
    let mut told = Vec::new();
    for (path, file) in opened.unwrap_or_default() {
        let mut text = Vec::new();
        if io::Read::read_to_end(&mut io::Read::take(file, MOST_UNDER_WAY), &mut text).is_err() {
            continue;
        }
        let fields: Vec<&[u8]> = text.split(|byte| *byte == 0).collect();
        let [meant, of, marks @ .., WHOLE] = &fields[..] else {
            let _ = fs::remove_file(path);
            continue;
        };
        // All work trees of a repository have this folder in common.
        if *of != root.as_os_str().as_bytes() {
            continue;
        }
        let Some(meant) = Meant::of_name(meant) else { continue };
        let marks = marks.iter().map(|mark| PathBuf::from(OsStr::from_bytes(mark))).collect();
        // It is never pruned: what came into being after the run was killed is the user's.
        let shelf = path.with_extension("killed");
        let put = Before::Anything { marks, meant }.put_aside(root, &shelf);
        told.extend(put.into_iter().map(|one| {
            format!("a run was killed before this one; {one}. Is it yours? Then move it back")
        }));
        let _ = fs::remove_file(path);
    }
    told
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
    fn what_a_killed_call_planted_is_told_from_what_was_there() {
        let top = tempfile::tempdir().unwrap();
        let at = |path: &str| top.path().join(path);
        let repository = |path: &str| fs::create_dir_all(at(path).join(".git/objects")).unwrap();
        let is_there = |path: &str| at(path).join(".git").exists();
        let (root, other, aside) = (at("root"), at("other"), at("aside"));
        repository("root/own");
        repository("other/own");
        let before = Before::Anything { marks: inner_marks(&root), meant: Meant::Nothing };
        let under_way = before.write_down(&root, &aside).unwrap().unwrap();
        let text = fs::read(&under_way.path).unwrap();
        repository("root/planted");
        assert!(put_aside_of_killed(&root, &aside).is_empty(), "it is under way");
        drop(under_way);
        assert_eq!(fs::read_dir(&aside).unwrap().count(), 0, "it has ended");
        let left = at("aside/a.before");
        // One that was cut says nothing, and another work tree has repositories of its own.
        for cut in [0, 5, text.len() - 1] {
            fs::write(&left, &text[..cut]).unwrap();
            assert!(put_aside_of_killed(&root, &aside).is_empty() && !left.exists(), "{cut}");
        }
        fs::write(&left, &text).unwrap();
        assert!(put_aside_of_killed(&other, &aside).is_empty() && left.exists());
        assert!(is_there("other/own") && is_there("root/planted"));
        let told = put_aside_of_killed(&root, &aside);
        assert!(matches!(&told[..], [one] if one.contains("`planted/.git`")), "{told:?}");
        assert!(is_there("root/own") && !is_there("root/planted") && !left.exists());
        assert!(put_aside_of_killed(&root, &aside).is_empty());
    }

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
