//! Git directories inside of a work tree that are not its own. Git finds them when somebody changes
//! into their folder, and looks into those at the place of a submodule whenever it is asked for the
//! state of the whole: what their settings say is then run.
//!
//! Owns what git would take for one, finding all of them, and putting some out of git's sight.

use std::{
    collections::BTreeSet,
    ffi::{OsStr, OsString},
    fs::{self, FileType},
    io,
    path::{Path, PathBuf},
    sync::Mutex,
};

use ignore::{WalkBuilder, WalkState};

use elophanto_base::{
    beneath::Folder,
    mutex::lock,
    platform::{self, rights},
    visible::is_deceptive,
};

/// What is added to the name of something that git is not to find under it.
const ASIDE: &str = ".aside";
/// Entries of a folder of things that were put aside.
const MOST_PUT_ASIDE: u32 = 1_000_000;
/// How often what was put aside is looked through for more of its kind, each in the one before.
const MOST_LEVELS: usize = 64;

/// Something that was out of place.
#[derive(Debug)]
pub struct PutAside {
    /// Relative to the root.
    pub mark: PathBuf,
    /// Where it is now, or why it is where it was.
    pub to: io::Result<PathBuf>,
}

/// What the walk comes by, for whoever looks for something else in the same work tree.
#[derive(Clone, Copy)]
pub enum Visited<'e> {
    /// Anything but what lies in a git directory.
    Entry(&'e Path, FileType),
    /// Something that could not be looked into.
    Closed(&'e Path),
}

/// Called from several threads at once.
pub type Visit<'v> = &'v (dyn Fn(Visited<'_>) + Sync);

/// Whether a file system may take this name for `.git`: in other case, with characters that some
/// ignore, with dots or spaces behind.
pub fn is_git_name(name: &OsStr) -> bool {
    let Some(name) = name.to_str() else { return false };
    let name: String = name.chars().filter(|&char| !is_deceptive(char)).collect();
    name.trim_end_matches(['.', ' ']).eq_ignore_ascii_case(".git")
}

/// What makes a folder of this work tree a repository of its own, relative to the root: `.git`, be
/// it a folder, a file or a link, or `HEAD` in a folder that is laid out as a git directory. The
/// work tree's own is none of them, and links are not followed.
pub fn inner_marks(root: &Path) -> BTreeSet<PathBuf> {
    inner_marks_and(root, &|_| ())
}

/// The same for somebody who looks for something else on the way.
pub fn inner_marks_and(root: &Path, visit: Visit<'_>) -> BTreeSet<PathBuf> {
    look(root, visit).marks
}

/// The same of the folders on the way to these absolute paths alone, and only those that are laid
/// out as a git directory.
pub fn marks_on_the_way<'p>(
    root: &Path,
    paths: impl IntoIterator<Item = &'p PathBuf>,
) -> BTreeSet<PathBuf> {
    let folders = paths.into_iter().flat_map(|path| path.ancestors());
    let inside = folders.filter(|folder| *folder != root && folder.starts_with(root));
    let folders: BTreeSet<&Path> = inside.collect();
    let laid_out = folders.into_iter().filter(|folder| is_laid_out(folder));
    laid_out.filter_map(|folder| Some(folder.strip_prefix(root).ok()?.join("HEAD"))).collect()
}

/// Puts all marks that are not `known`, and that `is_meant` does not hold of, out of git's sight,
/// into new entries of the folder `snapshot`. Nothing else may be at work there. What is visited is
/// so again once a folder was opened that was closed to us.
pub fn put_aside(
    root: &Path,
    known: &BTreeSet<PathBuf>,
    is_meant: &dyn Fn(&Path) -> bool,
    snapshot: &Path,
    visit: Visit<'_>,
) -> Vec<PutAside> {
    // What was closed to us may hide some.
    let mut opened: Vec<(PathBuf, u32)> = Vec::new();
    let mut seen = look(root, visit);
    for _ in 0..MOST_LEVELS {
        let before = opened.len();
        for folder in std::mem::take(&mut seen.closed) {
            let Ok(found) = fs::symlink_metadata(&folder) else { continue };
            let mode = rights(&found);
            if found.is_dir()
                && !opened.iter().any(|(known, _)| *known == folder)
                && platform::set_rights_at(&folder, mode | 0o700).is_ok()
            {
                opened.push((folder, mode));
            }
        }
        if opened.len() == before {
            break;
        }
        seen = look(root, visit);
    }
    let mut new: Vec<PathBuf> = Vec::new();
    for mark in seen.marks {
        // What lies in one of them goes along with it.
        let goes_along = new.last().is_some_and(|above| mark.starts_with(above));
        if !goes_along && !known.contains(&mark) && !is_meant(&mark) {
            new.push(mark);
        }
    }
    let moved = move_aside(root, new, snapshot);
    for (folder, mode) in opened.into_iter().rev() {
        let _ = platform::set_rights_at(&folder, mode);
    }
    moved
}

/// Puts these marks out of git's sight, into new entries of the folder `snapshot`; where that is of
/// another file system, beside where they were.
pub fn move_aside(
    root: &Path,
    marks: impl IntoIterator<Item = PathBuf>,
    snapshot: &Path,
) -> Vec<PutAside> {
    let one = |mark: PathBuf| {
        let to = put_one_aside(root, &mark, snapshot);
        PutAside { mark, to }
    };
    marks.into_iter().map(one).collect()
}

fn put_one_aside(root: &Path, mark: &Path, snapshot: &Path) -> io::Result<PathBuf> {
    let top = Folder::open(root)?;
    let found = top.stat(mark)?.ok_or(io::ErrorKind::NotFound)?;
    if found.is_folder() {
        // A folder that cannot be written cannot be moved into another either.
        let _ = top.set_mode(mark, found.mode | 0o700);
    }
    fs::create_dir_all(snapshot)?;
    let kept = Folder::open(snapshot)?;
    let there = (0..MOST_PUT_ASIDE).map(|number| number.to_string()).find_map(|name| {
        match top.rename_new(mark, &kept, Path::new(&name)) {
            Ok(()) => Some(Ok(snapshot.join(name))),
            Err(cause) if cause.kind() == io::ErrorKind::AlreadyExists => None,
            Err(cause) if cause.kind() == io::ErrorKind::CrossesDevices => {
                // A name that something of the user's has is left to it.
                let mut beside = aside(mark);
                if name != "0" {
                    beside.as_mut_os_string().push(format!("-{name}"));
                }
                match top.rename_new(mark, &top, &beside) {
                    Err(cause) if cause.kind() == io::ErrorKind::AlreadyExists => None,
                    renamed => Some(renamed.map(|()| root.join(beside))),
                }
            }
            Err(cause) => Some(Err(cause)),
        }
    });
    let there = there.unwrap_or_else(|| Err(io::ErrorKind::AlreadyExists.into()))?;
    defuse(&there);
    Ok(there)
}

/// Makes a folder, and all in it, none that git takes for a git directory.
fn defuse(folder: &Path) {
    if !fs::symlink_metadata(folder).is_ok_and(|found| found.is_dir()) {
        return;
    }
    let head = folder.join("HEAD");
    let _ = fs::rename(&head, aside(&head));
    for _ in 0..MOST_LEVELS {
        let marks = inner_marks(folder);
        let mut is_changed = false;
        for mark in marks.into_iter().map(|mark| folder.join(mark)) {
            is_changed |= fs::rename(&mark, aside(&mark)).is_ok();
        }
        if !is_changed {
            break;
        }
    }
}

fn aside(path: &Path) -> PathBuf {
    let mut name = OsString::from(path);
    name.push(ASIDE);
    name.into()
}

/// What a look at a work tree has found.
#[derive(Default)]
struct Seen {
    marks: BTreeSet<PathBuf>,
    /// Folders that could not be looked into, absolute.
    closed: Vec<PathBuf>,
}

fn look(root: &Path, visit: Visit<'_>) -> Seen {
    let seen = Mutex::new(Seen::default());
    let threads = std::thread::available_parallelism().map_or(2, usize::from).min(4);
    // The kind of an entry stands in its folder: nothing is asked of the file itself.
    let walk = WalkBuilder::new(root)
        .standard_filters(false)
        .follow_links(false)
        .threads(threads)
        // The work tree's own; what is only spelled like it is not git's.
        .filter_entry(|entry| entry.depth() != 1 || entry.file_name() != ".git")
        .build_parallel();
    walk.run(|| {
        Box::new(|entry| {
            let entry = match entry {
                Ok(entry) => entry,
                Err(cause) => {
                    if let Some((path, cause)) = failed(&cause) {
                        visit(Visited::Closed(path));
                        if cause.kind() == io::ErrorKind::PermissionDenied {
                            lock(&seen).closed.push(path.to_owned());
                        }
                    }
                    return WalkState::Continue;
                }
            };
            if let Some(kind) = entry.file_type() {
                visit(Visited::Entry(entry.path(), kind));
            }
            let Ok(path) = entry.path().strip_prefix(root) else { return WalkState::Continue };
            if is_git_name(entry.file_name()) && entry.depth() > 0 {
                lock(&seen).marks.insert(path.to_owned());
                // What is only spelled like it may hold more.
                let is_exact = entry.file_name() == ".git";
                return if is_exact { WalkState::Skip } else { WalkState::Continue };
            }
            let is_head = entry.depth() > 1 && entry.file_name().eq_ignore_ascii_case("HEAD");
            if is_head && entry.path().parent().is_some_and(is_laid_out) {
                lock(&seen).marks.insert(path.to_owned());
            }
            WalkState::Continue
        })
    });
    let mut seen = seen.into_inner().unwrap_or_else(|poison| poison.into_inner());
    // Names can be tried where none may be listed.
    let hidden = seen.closed.iter().flat_map(|folder| [folder.join(".git"), folder.join("HEAD")]);
    let hidden = hidden.filter(|path| match path.file_name() {
        Some(name) if name == "HEAD" => path.parent().is_some_and(is_laid_out),
        _ => path.symlink_metadata().is_ok() && path.parent() != Some(root),
    });
    let hidden: Vec<PathBuf> =
        hidden.filter_map(|path| Some(path.strip_prefix(root).ok()?.to_owned())).collect();
    seen.marks.extend(hidden);
    seen
}

/// Whether git would take a folder for a git directory: one with all of it, or one that names
/// another folder for what is missing.
fn is_laid_out(folder: &Path) -> bool {
    let has = |name: &str| folder.join(name).symlink_metadata().is_ok();
    has("HEAD") && (has("objects") && has("refs") || has("commondir"))
}

/// The folder that could not be listed, and why.
fn failed(error: &ignore::Error) -> Option<(&Path, &io::Error)> {
    match error {
        ignore::Error::WithPath { path, err } => Some((path, err.io_error()?)),
        ignore::Error::WithDepth { err, .. } | ignore::Error::WithLineNumber { err, .. } => {
            failed(err)
        }
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn tree(entries: &[&str]) -> tempfile::TempDir {
        let root = tempfile::tempdir().unwrap();
        for entry in entries {
            let path = root.path().join(entry.trim_end_matches('/'));
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            if entry.ends_with('/') {
                fs::create_dir_all(&path).unwrap();
            } else {
                fs::write(&path, "ref: refs/heads/m\n").unwrap();
            }
        }
        root
    }

    fn marks(root: &Path) -> Vec<String> {
        inner_marks(root).iter().map(|mark| mark.to_string_lossy().into_owned()).collect()
    }

    #[test]
    fn what_git_would_take_for_a_repository() {
        for (entries, expected) in [
            (&["a/b.md", "HEAD", "objects/", "refs/", ".git/HEAD", ".GIT/x"][..], &[".GIT"][..]),
            (&["a/.git/HEAD", "a/.git/x/.git/HEAD"], &["a/.git"]),
            (&["a/b/c/.git", "a/.Git/x"], &["a/.Git", "a/b/c/.git"]),
            (&["a/.git. /x", "a/.g\u{200c}it/x"], &["a/.git. ", "a/.g\u{200c}it"]),
            (&["a/.gitignore", "a/git/HEAD", "a/HEAD"], &[]),
            (&["a/HEAD", "a/objects/x", "a/refs/"], &["a/HEAD"]),
            (&["a/HEAD", "a/objects/x"], &[]),
            (&["a/HEAD", "a/commondir"], &["a/HEAD"]),
            (
                &["a/objects/b/HEAD", "a/objects/b/objects/", "a/objects/b/refs/"],
                &["a/objects/b/HEAD"],
            ),
            (&["node_modules/x/.git/HEAD", ".gitignore"], &["node_modules/x/.git"]),
        ] {
            assert_eq!(marks(tree(entries).path()), expected, "{entries:?}");
        }
    }

    #[test]
    fn links_are_marks_by_their_name_and_lead_nowhere() {
        let root = tree(&["a/x.md"]);
        let elsewhere = tree(&["b/.git/HEAD"]);
        std::os::unix::fs::symlink(elsewhere.path(), root.path().join("link")).unwrap();
        std::os::unix::fs::symlink(elsewhere.path(), root.path().join("a/.git")).unwrap();
        assert_eq!(marks(root.path()), ["a/.git"]);
    }

    #[test]
    fn what_is_new_goes_and_is_no_repository_any_more() {
        let root = tree(&["old/.git/HEAD", "a/.git/HEAD", "a/.git/modules/b/HEAD", "c/.git"]);
        fs::create_dir_all(root.path().join("a/.git/modules/b/objects")).unwrap();
        fs::create_dir_all(root.path().join("a/.git/modules/b/refs")).unwrap();
        fs::create_dir_all(root.path().join("d/e")).unwrap();
        fs::write(root.path().join("d/e/.git"), "gitdir: x").unwrap();
        platform::set_rights_at(&root.path().join("a/.git"), 0o500).unwrap();
        platform::set_rights_at(&root.path().join("d"), 0o100).unwrap();
        let known = BTreeSet::from([PathBuf::from("old/.git")]);
        let snapshot = tempfile::tempdir().unwrap();
        let meant = |mark: &Path| mark.starts_with("c");
        let moved = put_aside(root.path(), &known, &meant, &snapshot.path().join("new"), &|_| ());
        let paths: Vec<_> = moved.iter().map(|it| it.mark.to_str().unwrap()).collect();
        assert_eq!(paths, ["a/.git", "d/e/.git"]);
        assert!(moved.iter().all(|it| it.to.is_ok()), "{moved:?}");
        assert_eq!(marks(root.path()), ["c/.git", "old/.git"]);
        assert_eq!(marks(snapshot.path()), [""; 0]);
        let kept = snapshot.path().join("new/0");
        assert_eq!(fs::read(kept.join("HEAD.aside")).unwrap(), b"ref: refs/heads/m\n");
        assert!(kept.join("modules/b/HEAD.aside").exists());
        assert_eq!(rights(&fs::metadata(root.path().join("d")).unwrap()), 0o100);
        platform::set_rights_at(&root.path().join("d"), 0o700).unwrap();
    }

    #[test]
    fn a_file_may_make_a_folder_one() {
        let root = tree(&["a/b/HEAD", "a/b/objects/x", "a/b/refs/y"]);
        let root = root.path();
        for (path, expected) in
            [("a/b/refs/y", &["a/b/HEAD"][..]), ("a/b", &["a/b/HEAD"]), ("a/c", &[])]
        {
            let found = marks_on_the_way(root, [&root.join(path)]);
            assert_eq!(found, expected.iter().map(PathBuf::from).collect(), "{path}");
        }
        let outside = marks_on_the_way(root, [&PathBuf::from("/")]);
        assert!(outside.is_empty());
    }
}
