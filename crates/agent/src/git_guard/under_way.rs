//! What there was before a call, written down for as long as the call is under way: whoever comes
//! after a run that was killed would take what it planted for the user's own.

use std::{
    collections::BTreeSet,
    ffi::OsStr,
    fs::{self, File},
    io::{self, Read, Write},
    path::{Path, PathBuf},
    sync::Arc,
    time::{Duration, SystemTime},
};

use ulid::Ulid;

use super::{
    Around, Named, Sight, Steering,
    planted::{Before, Meant},
};
use crate::permissions::Protected;
use elophanto_base::{platform, regular::open, visible::exact_line};
use elophanto_repo::{Git, Repository, Visited};

/// What the name of such a file ends in, and as long as it is being written.
const BEFORE: &str = "before";
const NEW: &str = "new";
/// Folder of the git directories of further work trees, in that which all have in common.
const WORK_TREES: &str = "worktrees";
/// Its last field: one without it was cut.
const WHOLE: &[u8] = b"whole";
/// A larger one is none of ours, in bytes.
const MOST: u64 = 64 * 1024 * 1024;
/// A call is ended that much later than its patience at most.
const MARGIN: Duration = Duration::from_secs(60);

/// A call that is under way. What is written stays if the run is killed, and until what the call
/// left is put aside.
pub struct UnderWay {
    path: PathBuf,
    _locked: File,
}

impl UnderWay {
    /// Writes down what there was, in the folder of what is put aside; `None` where nothing can be
    /// planted.
    ///
    /// # Errors
    /// When it cannot be written.
    pub fn begin(
        before: &Before,
        steering: Option<&Steering>,
        repository: &Repository,
    ) -> io::Result<Option<Self>> {
        let Before::Anything { marks, meant } = before else { return Ok(None) };
        let marks = marks.iter().map(|mark| mark.as_os_str().as_encoded_bytes());
        let tree = work_tree(repository);
        let aside = repository.aside_dir();
        let boot = boot();
        let head = [meant.name().as_bytes(), tree.as_os_str().as_encoded_bytes(), boot.as_bytes()];
        // No path is empty: what comes after an empty field are the files that steer others, each
        // with where it leads.
        let steering = steering.into_iter().flat_map(|steering| {
            let pairs = steering.files.iter().flat_map(|(path, link)| {
                let link =
                    link.as_ref().map_or(&b""[..], |link| link.as_os_str().as_encoded_bytes());
                [path.as_os_str().as_encoded_bytes(), link]
            });
            [&b""[..]].into_iter().chain(pairs)
        });
        let fields = head.into_iter().chain(marks).chain(steering).chain([WHOLE]);
        let text = fields.collect::<Vec<_>>().join(&0);
        if text.len() as u64 > MOST {
            return Err(io::Error::other("there are too many other repositories in the work tree"));
        }
        fs::create_dir_all(&aside)?;
        let path = aside.join(format!("{}.{BEFORE}", Ulid::new()));
        let new = path.with_extension(NEW);
        let mut file = File::create(&new)?;
        // Held before it has its name: nobody takes it for one that was left behind.
        file.lock()?;
        file.write_all(&text)?;
        fs::rename(new, &path)?;
        Ok(Some(Self { path, _locked: file }))
    }

    /// What the call left is put aside.
    pub fn ended(self) {
        let _ = fs::remove_file(self.path);
    }
}

/// Git directory of a work tree, relative to that which all have in common: it stays the same
/// wherever the user moves the work tree, or all of the repository.
fn work_tree(repository: &Repository) -> &Path {
    match (&repository.git_dir, &repository.common_dir) {
        (Some(own), Some(common)) => own.strip_prefix(common).unwrap_or(own),
        _ => Path::new(""),
    }
}

/// Puts aside what was planted by calls of this work tree whose run was killed, and says so. A call
/// may have lasted `patience`.
pub fn put_aside_of_killed(
    repository: &Repository,
    patience: Duration,
    around: &Around<'_>,
) -> Vec<String> {
    // Without git this folder comes with the work tree, and nobody knows from whom.
    let Some(common) = &repository.common_dir else { return Vec::new() };
    let Ok(entries) = fs::read_dir(repository.aside_dir()) else { return Vec::new() };
    let mut told = Vec::new();
    for path in entries.flatten().map(|entry| entry.path()) {
        if path.extension() == Some(OsStr::new(NEW)) {
            // One that nobody is writing any more: its call never began.
            let is_left = |file: &File| is_older(file, MARGIN) && file.try_lock().is_ok();
            if open(&path).is_ok_and(|file| is_left(&file)) {
                let _ = fs::remove_file(&path);
            }
            continue;
        }
        if path.extension() != Some(OsStr::new(BEFORE)) {
            continue;
        }
        let Ok(mut file) = open(&path) else { continue };
        let mut text = Vec::new();
        if (&mut file).take(MOST).read_to_end(&mut text).is_err() {
            continue;
        }
        let shown = exact_line(&path.to_string_lossy());
        let fields: Vec<&[u8]> = text.split(|byte| *byte == 0).collect();
        let [meant, of, begun_on, marks @ .., WHOLE] = &fields[..] else {
            if file.try_lock().is_ok() {
                told.push(format!("`{shown}` was cut: what a killed run planted is not known"));
                let _ = fs::remove_file(path);
            }
            continue;
        };
        // All work trees of a repository have this folder in common.
        if *of != work_tree(repository).as_os_str().as_encoded_bytes() {
            let of = platform::path(of);
            let is_gone = of.starts_with(WORK_TREES) && !common.join(of).exists();
            if is_gone && file.try_lock().is_ok() {
                let _ = fs::remove_file(path);
            }
            continue;
        }
        // It is under way, or may be on another machine, whose locks are not seen here.
        let is_ours = *begun_on == boot().as_bytes() || is_older(&file, patience + MARGIN);
        if !is_ours || file.try_lock().is_err() {
            continue;
        }
        let Some(meant) = Meant::ALL.into_iter().find(|it| it.name().as_bytes() == *meant) else {
            continue;
        };
        let paths = |fields: &[&[u8]]| -> BTreeSet<PathBuf> {
            fields.iter().map(|path| platform::path(path).to_owned()).collect()
        };
        let mut parts = marks.splitn(2, |field| field.is_empty());
        let marks = paths(parts.next().unwrap_or_default());
        let path_of = |field: &[u8]| platform::path(field).to_owned();
        let pair = |pair: &[&[u8]]| match pair {
            [path, link] => Some((path_of(path), Some(path_of(link)).filter(|_| !link.is_empty()))),
            _ => None,
        };
        let steering = parts
            .next()
            .map(|files| Steering { files: files.chunks(2).filter_map(pair).collect() });
        // What came into being after the call had to end is the user's.
        let begun = file.metadata().and_then(|found| found.modified()).ok();
        let end = begun.and_then(|begun| begun.checked_add(patience + MARGIN));
        let is_later = |mark: &Path| {
            let born = born(&repository.root.join(mark));
            matches!((born, end), (Some(born), Some(end)) if born > end)
        };
        let before = Before::Anything { marks, meant };
        // This folder is never pruned.
        let snapshot = path.with_extension("killed");
        let protected = Arc::new(Protected::new(&repository.root, Vec::new(), false));
        let sight = Sight::of(&repository.root, &protected);
        let visit = |visited: Visited<'_>| sight.visit(visited);
        let mut aside = before.put_aside(repository, &is_later, &snapshot, &visit);
        if let Some(steering) = steering {
            let named = Git::of(repository).and_then(|git| Named::look(&git, around).ok());
            let mut now = sight.steering(named.as_ref());
            now.files.retain(|path, _| !is_later(path));
            let more = steering.put_aside(repository, &now, &snapshot);
            aside.told.extend(more.told);
            aside.is_whole &= more.is_whole;
        }
        if !aside.told.is_empty() {
            told.push("a run was killed before, in the middle of a command".to_owned());
        }
        told.extend(aside.told);
        // What is still there is tried again.
        if aside.is_whole {
            let _ = fs::remove_file(path);
        }
    }
    told
}

/// What tells this machine, since it was started, from others; nothing if the system does not say.
fn boot() -> String {
    fs::read_to_string("/proc/sys/kernel/random/boot_id").unwrap_or_default().trim().to_owned()
}

/// Whether a file was written so long ago.
fn is_older(file: &File, age: Duration) -> bool {
    let written = file.metadata().and_then(|found| found.modified()).ok();
    written.and_then(|written| written.elapsed().ok()).is_some_and(|passed| passed > age)
}

/// When a file came into being, which nobody can set.
fn born(path: &Path) -> Option<SystemTime> {
    let found = fs::symlink_metadata(path).ok()?;
    found.created().or_else(|_| found.modified()).ok()
}

#[cfg(test)]
mod tests {
    use elophanto_repo::inner_marks;

    use super::*;

    const PATIENCE: Duration = Duration::from_secs(60);

    fn killed(repository: &Repository) -> Vec<String> {
        let variable = |_: &str| None;
        let (root, home) = (&*repository.root, Path::new("/"));
        put_aside_of_killed(repository, PATIENCE, &Around { root, home, variable: &variable })
    }

    /// A file of the user's that a link names.
    fn text_of_mine(top: &tempfile::TempDir) -> PathBuf {
        let path = top.path().join("mine");
        fs::write(&path, "mine").unwrap();
        path
    }

    #[test]
    fn what_a_killed_call_planted_is_told_from_what_was_there() {
        let top = tempfile::tempdir().unwrap();
        let at = |path: &str| top.path().join(path);
        let tree = |name: &str, git_dir: &str| Repository {
            root: at(name),
            git_dir: Some(at(git_dir)),
            common_dir: Some(at(".git")),
        };
        let make = |path: &str| fs::create_dir_all(at(path).join(".git/objects")).unwrap();
        let is_there = |path: &str| at(path).join(".git").exists();
        let (here, other) = (tree("root", ".git"), tree("other", ".git/worktrees/other"));
        make("root/own");
        make("other/own");
        let before = Before::Anything { marks: inner_marks(&here.root), meant: Meant::Nothing };
        let aside = here.aside_dir();
        let under_way = UnderWay::begin(&before, None, &here).unwrap().unwrap();
        let text = fs::read(&under_way.path).unwrap();
        make("root/planted");
        // A work tree of this repository is no plant.
        fs::create_dir_all(at(".git/worktrees/w")).unwrap();
        fs::create_dir_all(at("root/w")).unwrap();
        let named = format!("gitdir: {}\n", at(".git/worktrees/w").display());
        fs::write(at("root/w/.git"), &named).unwrap();
        fs::write(at(".git/worktrees/w/gitdir"), at("root/w/.git").to_str().unwrap()).unwrap();
        fs::create_dir_all(at("root/v")).unwrap();
        fs::write(at("root/v/.git"), &named).unwrap();
        let unwritten = aside.join("b.new");
        fs::write(&unwritten, "").unwrap();
        assert!(killed(&here).is_empty() && unwritten.exists());
        let past = SystemTime::now() - Duration::from_secs(86_400);
        File::options().write(true).open(&unwritten).unwrap().set_modified(past).unwrap();
        assert!(killed(&here).is_empty(), "it is under way");
        assert!(!unwritten.exists());
        under_way.ended();
        assert_eq!(fs::read_dir(&aside).unwrap().count(), 0, "it has ended");

        let left = aside.join("a.before");
        for cut in [0, 5, text.len() - 1] {
            fs::write(&left, &text[..cut]).unwrap();
            let told = killed(&here);
            assert!(told[0].contains("was cut") && !left.exists(), "{cut} {told:?}");
        }
        fs::write(&left, &text).unwrap();
        assert!(killed(&other).is_empty() && left.exists(), "of another work tree");
        // Long before all this.
        let past = SystemTime::now() - Duration::from_secs(86_400);
        File::options().write(true).open(&left).unwrap().set_modified(past).unwrap();
        assert!(killed(&here).is_empty(), "made by the user");
        assert!(is_there("other/own") && is_there("root/planted"));

        // Begun on another machine: its locks are not seen, so it may be at work.
        let foreign = [b"nothing\0\0elsewhere\0".as_slice(), WHOLE].concat();
        fs::write(&left, &foreign).unwrap();
        assert!(killed(&here).is_empty() && is_there("root/planted"));
        fs::remove_file(&left).unwrap();

        // What is no file is never read, be it one that would wait for a writer for ever.
        let pipe =
            std::ffi::CString::new(aside.join("d.before").as_os_str().as_encoded_bytes()).unwrap();
        // SAFETY: the path is a string that ends with NUL, and outlives the call.
        assert_eq!(unsafe { libc::mkfifo(pipe.as_ptr(), 0o600) }, 0);
        fs::create_dir(aside.join("e.new")).unwrap();
        std::os::unix::fs::symlink(text_of_mine(&top), aside.join("f.before")).unwrap();
        assert!(killed(&here).is_empty());
        assert!(text_of_mine(&top).exists());

        // Of a work tree that is no more; and this one moves.
        let gone = aside.join("c.before");
        fs::write(&gone, b"nothing\0worktrees/gone\0\0whole").unwrap();
        fs::rename(at("root"), at("moved")).unwrap();
        fs::write(at(".git/worktrees/w/gitdir"), at("moved/w/.git").to_str().unwrap()).unwrap();
        let here = tree("moved", ".git");
        fs::write(&left, &text).unwrap();
        let told = killed(&here);
        assert!(told.iter().any(|line| line.contains("`planted/.git`")), "{told:?}");
        assert!(is_there("moved/own") && is_there("moved/w") && !left.exists());
        assert!(!is_there("moved/planted") && !is_there("moved/v") && !gone.exists(), "{told:?}");
        let list = fs::read_to_string(aside.join("a.killed/list.txt")).unwrap();
        assert_eq!(list.lines().count(), 2, "{list}");
        assert!(killed(&here).is_empty());
    }
}
