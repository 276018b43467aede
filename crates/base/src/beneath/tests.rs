//! What the room promises: nothing outside of the root is reached, whatever lies beneath it.

use std::{
    fs,
    io::{self, Read, Write},
    os::{
        fd::AsFd,
        unix::fs::{PermissionsExt, symlink},
    },
    path::{Path, PathBuf},
    process::Command,
};

use rustix::{
    fs::{Mode, OFlags},
    io::Errno,
};

use super::*;

/// A root with a folder `a/b` and a file in it, and beside the root a folder `outside` that looks
/// the same.
struct House {
    top: tempfile::TempDir,
}

impl House {
    fn new() -> Self {
        let house = Self { top: tempfile::tempdir().unwrap() };
        for side in ["root", "outside"] {
            fs::create_dir_all(house.path(side).join("a/b")).unwrap();
            fs::write(house.path(side).join("a/b/file"), side).unwrap();
        }
        house
    }

    fn path(&self, path: &str) -> PathBuf {
        self.top.path().join(path)
    }

    fn root(&self) -> Folder {
        Folder::open(&self.path("root")).unwrap()
    }

    /// Puts a link to the place outside where something is beneath the root.
    fn link(&self, path: &str) {
        let there = self.path("root").join(path);
        fs::rename(&there, self.path("moved")).unwrap();
        symlink(self.path("outside").join(path), there).unwrap();
    }

    /// Names, kinds, contents and targets of all that is outside.
    fn outside(&self) -> Vec<String> {
        let mut seen = Vec::new();
        for entry in walkdir::WalkDir::new(self.path("outside")).sort_by_file_name() {
            let entry = entry.unwrap();
            let content = fs::read_to_string(entry.path()).unwrap_or_default();
            let rights = entry.metadata().unwrap().permissions().mode();
            seen.push(format!("{} {rights:o} {content}", entry.path().display()));
        }
        seen
    }
}

fn text(root: &Folder, path: &str) -> io::Result<String> {
    let mut text = String::new();
    root.read(Path::new(path))?.0.read_to_string(&mut text)?;
    Ok(text)
}

/// Everything that is done with a path beneath a root.
type Act = fn(&Folder, &Path) -> io::Result<()>;

/// With a path that is there.
const ACTS: &[(&str, Act)] = &[
    ("read", |root, path| root.read(path).map(drop)),
    ("append", |root, path| root.append(path).and_then(|(mut file, _)| file.write_all(b"x"))),
    ("write", |root, path| root.write(path, b"x")),
    ("write_private", |root, path| root.write_private(path, b"x")),
    ("set_mode", |root, path| root.set_mode(path, 0o640)),
];
/// With a path in whose folder something is done.
const ACTS_BESIDE: &[(&str, Act)] = &[
    ("stat", |root, path| root.stat(path).map(drop)),
    ("remove", |root, path| root.remove(path)),
    ("remove_all", |root, path| root.remove_all(path)),
    ("rename from", |root, path| root.rename(path, Path::new("taken"))),
    ("rename to", |root, path| root.rename(Path::new("spare"), path)),
    ("take", |root, path| root.take(&root.path().join("spare"), path)),
    ("link", |root, path| root.link(path).map(drop)),
    ("create", |root, path| root.create(&path.with_file_name("new")).map(drop)),
    ("write_new", |root, path| root.write_new(&path.with_file_name("new"), b"x")),
    ("write deeper", |root, path| root.write(&path.with_file_name("new/deeper"), b"x")),
    ("make_new", |root, path| root.make_new(&path.with_file_name("new"))),
    ("make_link", |root, path| root.make_link(path, &path.with_file_name("new"))),
    ("rename_new", |root, path| {
        root.rename_new(Path::new("spare"), root, &path.with_file_name("new"))
    }),
    ("entries", |root, path| root.entries(path.parent().unwrap()).map(drop)),
    ("at", |root, path| root.at(path.parent().unwrap()).map(drop)),
    ("make", |root, path| root.make(&path.with_file_name("new/deeper")).map(drop)),
    ("remove_folder", |root, path| root.remove_folder(&path.with_file_name("empty"))),
];

#[test]
fn nothing_is_done_through_a_link() {
    let folders = ["a", "a/b"].map(|link| (link, [ACTS, ACTS_BESIDE].concat()));
    for (link, acts) in folders.into_iter().chain([("a/b/file", ACTS.to_vec())]) {
        for (name, act) in acts {
            let house = House::new();
            fs::write(house.path("root/spare"), "spare").unwrap();
            fs::create_dir(house.path("outside/a/b/empty")).unwrap();
            house.link(link);
            let before = house.outside();
            let refused = act(&house.root(), Path::new("a/b/file")).unwrap_err();
            let expected = Refusal::Link(PathBuf::from(link));
            assert_eq!(refusal(&refused), Some(&expected), "{name}, {link}: {refused}");
            assert_eq!(house.outside(), before, "{name}, {link}");
        }
    }
}

#[test]
fn all_of_it_is_done_without_one() {
    for (name, act) in [ACTS, ACTS_BESIDE].concat() {
        let house = House::new();
        fs::write(house.path("root/spare"), "spare").unwrap();
        fs::create_dir(house.path("root/a/b/empty")).unwrap();
        if name == "link" {
            fs::remove_file(house.path("root/a/b/file")).unwrap();
            symlink("../..", house.path("root/a/b/file")).unwrap();
        }
        act(&house.root(), Path::new("a/b/file")).unwrap_or_else(|cause| panic!("{name}: {cause}"));
    }
}

#[test]
fn links_themselves_are_seen_and_removed() {
    let house = House::new();
    house.link("a/b");
    let (root, link) = (house.root(), Path::new("a/b"));
    assert_eq!(root.kind(link).unwrap(), Some(Kind::Link));
    assert_eq!(root.link(link).unwrap(), house.path("outside/a/b"));
    let listed: Vec<_> = root.entries(Path::new("a")).unwrap().map(Result::unwrap).collect();
    assert_eq!(listed, [("b".into(), Kind::Link)]);
    root.remove_all(Path::new("a")).unwrap();
    assert_eq!((root.kind(link).unwrap(), house.outside().len()), (None, 4));
}

#[test]
fn paths_that_lead_out_are_refused() {
    let house = House::new();
    let root = house.root();
    for path in ["..", "../outside/a/b/file", "a/../../outside/a/b/file", "/etc/passwd", "a/.."] {
        let refused = root.read(Path::new(path)).unwrap_err();
        assert!(matches!(refusal(&refused), Some(Refusal::Outside { .. })), "{path}: {refused}");
    }
    for path in ["a/b/file", "./a/b/file", "a//b/./file"] {
        assert_eq!(text(&root, path).unwrap(), "root", "{path}");
    }
    let whole = house.path("root/a/b/file");
    assert_eq!(text(&root, whole.to_str().unwrap()).unwrap(), "root");
    assert!(root.read(Path::new("a\0")).is_err());
}

#[test]
fn the_path_of_the_root_may_have_links() {
    let house = House::new();
    symlink("root", house.path("link")).unwrap();
    let root = Folder::open(&house.path("link")).unwrap();
    assert_eq!(text(&root, "a/b/file").unwrap(), "root");
    // Whatever becomes of that link, the root is the one that was opened.
    fs::remove_file(house.path("link")).unwrap();
    symlink("outside", house.path("link")).unwrap();
    assert_eq!(text(&root, "a/b/file").unwrap(), "root");
}

#[test]
fn only_regular_files_are_read_and_nothing_waits() {
    let house = House::new();
    let pipe = house.path("root/pipe");
    assert!(Command::new("mkfifo").arg(&pipe).status().unwrap().success());
    let root = house.root();
    for path in ["pipe", "a"] {
        assert_eq!(refusal(&root.read(Path::new(path)).unwrap_err()), Some(&Refusal::NotAFile));
        assert!(root.append(Path::new(path)).is_err());
    }
    assert_eq!(root.kind(Path::new("pipe")).unwrap(), Some(Kind::Other));
    assert_eq!(refusal(&root.write(Path::new("a"), b"").unwrap_err()), Some(&Refusal::NotAFile));
}

#[test]
fn a_file_is_written_whole_and_keeps_its_rights() {
    let house = House::new();
    let (root, path) = (house.root(), Path::new("new/deeper/file"));
    let mode = |path: &Path| root.stat(path).unwrap().unwrap().mode;
    root.write_new(path, b"one").unwrap();
    assert_eq!((text(&root, "new/deeper/file").unwrap(), mode(path)), ("one".into(), 0o644));
    let again = root.write_new(path, b"two").unwrap_err();
    assert_eq!(again.kind(), io::ErrorKind::AlreadyExists);
    root.set_mode(path, 0o600).unwrap();
    root.write(path, b"three").unwrap();
    assert_eq!((text(&root, "new/deeper/file").unwrap(), mode(path)), ("three".into(), 0o600));
    root.write_private(Path::new("private"), b"").unwrap();
    assert_eq!(mode(Path::new("private")), 0o600);
    // Nothing is left beside it, not even by those that came second.
    assert_eq!(root.entries(Path::new("new/deeper")).unwrap().count(), 1);
}

#[test]
fn rights_are_set_on_what_they_keep_closed() {
    let house = House::new();
    let root = house.root();
    for path in ["a/b/file", "a/b"] {
        let mode = || root.stat(Path::new(path)).unwrap().unwrap().mode;
        root.set_mode(Path::new(path), 0).unwrap();
        assert_eq!(mode(), 0);
        root.set_mode(Path::new(path), 0o750).unwrap();
        assert_eq!(mode(), 0o750);
    }
}

#[test]
fn a_users_own_link_is_resolved_within_the_root_alone() {
    let house = House::new();
    symlink("b", house.path("root/a/within")).unwrap();
    symlink("../../outside/a", house.path("root/a/out")).unwrap();
    let root = house.root();
    assert_eq!(root.resolve(Path::new("a/within/file")).unwrap(), Path::new("a/b/file"));
    let refused = root.resolve(Path::new("a/out/b/file")).unwrap_err();
    assert!(matches!(refusal(&refused), Some(Refusal::Outside { .. })));
}

#[test]
fn what_is_above_two_folders_of_ours() {
    for (folder, above) in [
        ("/x/.elophanto/journal", "/x"),
        (".elophanto/journal", "."),
        ("x/.elophanto/journal", "x"),
        ("/lessons", "/"),
        ("lessons", "."),
    ] {
        assert_eq!(above_ours(Path::new(folder)), Path::new(above), "{folder}");
    }
}

/// Kernels without the one call have the walk: both say the same.
#[test]
fn the_walk_by_steps_says_the_same_as_the_one_call() {
    let house = House::new();
    symlink("b", house.path("root/a/within")).unwrap();
    symlink(house.path("outside"), house.path("root/out")).unwrap();
    symlink("nowhere", house.path("root/dangling")).unwrap();
    let root = fs::File::open(house.path("root")).unwrap();
    let cases = [
        ("", true),
        ("a", true),
        ("a/b/file", true),
        ("missing", false),
        ("a/missing/file", false),
        ("a/b/file/deeper", false),
        ("a/within", false),
        ("a/within/file", false),
        ("out", false),
        ("out/a/b/file", false),
        ("dangling", false),
    ];
    for (path, opens) in cases {
        let flags = OFlags::RDONLY | OFlags::NOFOLLOW | OFlags::CLOEXEC;
        let by_steps = opening::by_steps(root.as_fd(), Path::new(path), flags, Mode::empty());
        assert_eq!(by_steps.is_ok(), opens, "{path}: {by_steps:?}");
        #[cfg(target_os = "linux")]
        if let Some(said) = opening::at_once(root.as_fd(), Path::new(path), flags, Mode::empty()) {
            let alike = |cause: Errno| match cause {
                // One call says of a link on the way that it is a link, a step that it is no folder.
                Errno::LOOP | Errno::NOTDIR => Errno::LOOP,
                other => other,
            };
            assert_eq!(said.err().map(alike), by_steps.err().map(alike), "{path}");
        }
    }
    let made = opening::by_steps(
        root.as_fd(),
        Path::new("a/new"),
        OFlags::WRONLY | OFlags::CREATE | OFlags::EXCL,
        Mode::from_raw_mode(0o600),
    );
    assert!(made.is_ok() && house.path("root/a/new").is_file());
}

/// Whoever swaps a folder with a link, in whatever moment, leads nobody out.
#[cfg(target_os = "linux")]
#[test]
fn a_swap_in_a_loop_leads_nowhere() {
    use std::sync::atomic::{AtomicBool, Ordering};

    use rustix::fs::{CWD, RenameFlags, renameat_with};

    const ROUNDS: usize = 2_000;
    let house = House::new();
    symlink(house.path("outside/a"), house.path("root/z")).unwrap();
    let before = house.outside();
    let ended = AtomicBool::new(false);
    std::thread::scope(|scope| {
        scope.spawn(|| {
            let (a, z) = (house.path("root/a"), house.path("root/z"));
            while !ended.load(Ordering::Relaxed) {
                renameat_with(CWD, &a, CWD, &z, RenameFlags::EXCHANGE).unwrap();
            }
        });
        let root = house.root();
        let mut done = 0;
        for _ in 0..ROUNDS {
            if let Ok(read) = text(&root, "a/b/file") {
                assert_ne!(read, "outside");
            }
            done += usize::from(root.write(Path::new("a/b/file"), b"root").is_ok());
            done += usize::from(root.make(Path::new("a/b/c/d")).is_ok());
            let _ = root.remove_all(Path::new("a/b/c"));
        }
        ended.store(true, Ordering::Relaxed);
        assert!(done > 0, "every round met the link");
    });
    assert_eq!(house.outside(), before);
}

#[test]
fn without_handles_the_same_is_read_and_nothing_written() {
    let house = House::new();
    let top = house.path("root");
    for name in ["link", "a/link"] {
        symlink(house.path("outside"), top.join(name)).unwrap();
    }
    let (ours, other) = (house.root(), elsewhere::Folder::open(&top).unwrap());
    let said =
        |cause: io::Error| refusal(&cause).cloned().map_or(cause.to_string(), |it| it.to_string());
    for path in
        ["", ".", "a", "a/b", "a/b/file", "link", "link/a", "a/link/a/b/file", "none", "a/none"]
    {
        let path = Path::new(path);
        let told = |stat: Stat| (stat.kind, stat.size, stat.mtime);
        assert_eq!(
            other.stat(path).map(|it| it.map(told)).map_err(said),
            ours.stat(path).map(|it| it.map(told)).map_err(said),
            "{path:?}"
        );
        assert_eq!(
            (other.exists(path), other.kind(path).ok()),
            (ours.exists(path), ours.kind(path).ok())
        );
        let text = |(mut file, _): (fs::File, _)| {
            let mut text = String::new();
            file.read_to_string(&mut text).unwrap();
            text
        };
        assert_eq!(other.read(path).map(text).ok(), ours.read(path).map(text).ok(), "{path:?}");
        assert_eq!(other.at(path).map(drop).map_err(said), ours.at(path).map(drop).map_err(said));
        assert_eq!(other.link(path).ok(), ours.link(path).ok());
        assert_eq!(other.resolve(path).ok(), ours.resolve(path).ok());
        let names = |found: io::Result<Vec<(std::ffi::OsString, Kind)>>| {
            found.map(|mut names| {
                names.sort_by(|(a, _), (b, _)| a.cmp(b));
                names
            })
        };
        assert_eq!(
            names(other.entries(path).and_then(Iterator::collect)).ok(),
            names(ours.entries(path).and_then(Iterator::collect)).ok(),
            "{path:?}"
        );
        assert_eq!(
            other.holding(path).ok().map(|(folder, name)| (folder.path().to_owned(), name)),
            ours.holding(path).ok().map(|(folder, name)| (folder.path().to_owned(), name))
        );
    }
    assert!(is_link(&other.read(Path::new("link")).unwrap_err()));
    assert!(elsewhere::Folder::open(&top.join("a/b/file")).is_err());
    let (file, new) = (Path::new("a/b/file"), Path::new("a/new"));
    let before = fs::read_dir(top.join("a")).unwrap().count();
    for refused in [
        other.make(new).map(drop),
        other.make_new(new),
        other.making(&new.join("file")).map(drop),
        other.create(new).map(drop),
        other.append(file).map(drop),
        other.make_link(file, new),
        other.rename(file, new),
        other.rename_new(file, &other, new),
        other.take(&top.join(file), new),
        other.remove(file),
        other.remove_folder(Path::new("a/b")),
        other.remove_all(file),
        other.set_mode(file, 0o600),
        other.sync(),
    ] {
        assert_eq!(refused.unwrap_err().kind(), io::ErrorKind::Unsupported);
    }
    assert!(other.make(Path::new("a/b")).is_ok() && other.remove_all(new).is_ok());
    assert_eq!(fs::read_dir(top.join("a")).unwrap().count(), before);
    assert_eq!(fs::read_to_string(top.join(file)).unwrap(), "root");
}
