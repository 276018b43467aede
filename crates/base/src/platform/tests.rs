use std::{
    fs::{self, File, OpenOptions, Permissions},
    io::{self, ErrorKind},
    path::Path,
    process::{Command, ExitStatus},
    time::Duration,
};

use super::{elsewhere, unix, *};

/// Both systems have the same calls, so that what is built with one is built with the other.
#[test]
fn systems_are_asked_alike() {
    type Of<T> = fn(&Metadata) -> T;
    type At = fn(&Path, u32) -> io::Result<()>;
    type ReadAt = fn(&File, &mut [u8], u64) -> io::Result<()>;
    let _: [for<'b> fn(&'b [u8]) -> &'b Path; 2] = [unix::path, elsewhere::path];
    let _: [Of<u32>; 2] = [unix::rights, elsewhere::rights];
    let _: [fn(u32) -> io::Result<Permissions>; 2] = [unix::permissions, elsewhere::permissions];
    let _: [fn() -> Duration; 2] = [unix::uptime, elsewhere::uptime];
    let _: [fn(&File, u32) -> io::Result<()>; 2] = [unix::set_rights, elsewhere::set_rights];
    let _: [At; 2] = [unix::set_rights_at, elsewhere::set_rights_at];
    let _: [At; 2] = [unix::make_folder, elsewhere::make_folder];
    let _: [At; 2] = [unix::make_folders, elsewhere::make_folders];
    let _: [fn(&Path, &Path) -> io::Result<()>; 2] = [unix::symlink, elsewhere::symlink];
    let _: [fn(&Path) -> bool; 2] = [unix::may_write, elsewhere::may_write];
    let _: [Of<Option<(u64, u64)>>; 2] = [unix::identity, elsewhere::identity];
    let _: [Of<u64>; 2] = [unix::links, elsewhere::links];
    let _: [Of<[i64; 2]>; 2] = [unix::times, elsewhere::times];
    let _: [Of<Option<u32>>; 4] = [unix::owner, elsewhere::owner, unix::group, elsewhere::group];
    let _: [fn() -> Option<u32>; 2] = [unix::user, elsewhere::user];
    let _: [fn(&mut Command) -> &mut Command; 2] = [unix::own_group, elsewhere::own_group];
    let _: [fn(u32, bool); 2] = [unix::end_group, elsewhere::end_group];
    let _: [fn(&mut OpenOptions, bool); 2] = [unix::careful, elsewhere::careful];
    let _: [fn(&mut OpenOptions, u32) -> io::Result<()>; 2] =
        [unix::with_rights, elsewhere::with_rights];
    let _: [ReadAt; 2] = [unix::read_at, elsewhere::read_at];
    let _: [fn(u32) -> io::Result<()>; 2] = [unix::ask_to_end, elsewhere::ask_to_end];
    let _: [fn(); 2] = [unix::be_nice, elsewhere::be_nice];
    let _: [fn(ExitStatus) -> Option<i32>; 2] = [unix::ended_by, elsewhere::ended_by];
}

#[test]
fn what_is_not_there_is_no_permission() {
    let folder = tempfile::tempdir().unwrap();
    let (path, link) = (folder.path().join("a"), folder.path().join("b"));
    fs::write(&path, "text").unwrap();
    let (file, found) = (File::open(&path).unwrap(), path.metadata().unwrap());
    for refused in [
        elsewhere::set_rights(&file, 0o600),
        elsewhere::set_rights_at(&path, 0o600),
        elsewhere::make_folder(&link, 0o700),
        elsewhere::make_folders(&link, 0o700),
        elsewhere::symlink(&path, &link),
        elsewhere::with_rights(&mut File::options(), 0o600),
        elsewhere::ask_to_end(std::process::id()),
        elsewhere::permissions(0o600).map(drop),
    ] {
        let cause = refused.unwrap_err();
        assert_eq!(cause.kind(), ErrorKind::Unsupported);
        assert!(cause.to_string().ends_with(": not on this system"), "{cause}");
    }
    assert!(link.symlink_metadata().is_err());
    assert!(elsewhere::make_folders(folder.path(), 0o700).is_ok());
    assert_eq!((elsewhere::rights(&found) & 0o022, elsewhere::rights(&found) & 0o111), (0o022, 0));
    assert_eq!((elsewhere::identity(&found), elsewhere::owner(&found)), (None, None));
    assert_eq!(elsewhere::times(&found), [unix::times(&found)[0]; 2]);
    assert_eq!(elsewhere::path("ü/a".as_bytes()), Path::new("ü/a"));
    assert!(elsewhere::with_rights(&mut File::options(), 0o666).is_ok());
    for read in [unix::read_at, elsewhere::read_at] {
        let mut bytes = *b"....";
        read(&file, &mut bytes[..2], 2).unwrap();
        assert_eq!(&bytes, b"xt..");
        assert!(read(&file, &mut bytes, 1).is_err());
    }
    assert_eq!(elsewhere::path(b"\xff"), Path::new("\u{fffd}"));
}

#[test]
fn unix_tells_files_apart() {
    let folder = tempfile::tempdir().unwrap();
    let at = |name: &str| folder.path().join(name);
    fs::write(at("a"), "text").unwrap();
    fs::write(at("b"), "text").unwrap();
    fs::hard_link(at("a"), at("c")).unwrap();
    symlink(&at("a"), &at("d")).unwrap();
    let told = |name: &str| fs::metadata(at(name)).unwrap();
    for (name, expected) in [("a", true), ("b", false), ("c", true), ("d", true)] {
        assert_eq!(is_one(&told("a"), &told(name)), expected, "{name}");
    }
    assert_eq!((links(&told("a")), links(&told("b"))), (2, 1));
    for (mode, runs, shared) in [(0o600, false, false), (0o755, true, false), (0o620, false, true)]
    {
        set_rights_at(&at("a"), mode).unwrap();
        let found = told("a");
        assert_eq!(
            (rights(&found), is_executable(&found), others_may_write(&found)),
            (mode, runs, shared)
        );
    }
    set_rights(&File::open(at("a")).unwrap(), 0o640).unwrap();
    assert_eq!(rights(&told("a")), 0o640);
    make_folders(&at("e/f"), PRIVATE_FOLDER).unwrap();
    assert_eq!((rights(&told("e")), rights(&told("e/f"))), (PRIVATE_FOLDER, PRIVATE_FOLDER));
    assert_eq!(make_folder(&at("e"), PRIVATE_FOLDER).unwrap_err().kind(), ErrorKind::AlreadyExists);
    assert!(is_own(&told("a")) && may_write(folder.path()) && !may_write(&at("none")));
    assert_eq!(path(b"\xff").as_os_str().as_encoded_bytes(), b"\xff");
}
