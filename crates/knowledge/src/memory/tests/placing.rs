//! Which file a record goes to, what is listed, and what is no place for one.

use std::{
    cell::Cell,
    os::unix::fs::{PermissionsExt, symlink},
    process::Command,
};

use super::*;

#[test]
fn a_file_grows_until_git_tracks_it() {
    let rig = Rig::new();
    let first = rig.append("1");
    assert_eq!(first.parent().unwrap(), rig.files.folder().join("shop"));
    assert_eq!(rig.append("2"), first);
    let committed = fs::read(&first).unwrap();
    let asked = Cell::new(0);
    let tracked = |path: &Path| {
        asked.set(asked.get() + 1);
        Ok(path == first)
    };
    let append = |id| rig.files.append("shop", &[entry(id)], now(), &tracked).unwrap();
    let second = append("3");
    assert!(second > first && asked.get() == 1);
    assert_eq!((append("4"), asked.get()), (second, 2));
    assert_eq!(fs::read(&first).unwrap(), committed);
    assert_eq!(rig.ids(), ["1", "2", "3", "4"]);
    let other =
        rig.files.append("till", &[entry("5"), retired("6", "1")], now(), &tracked).unwrap();
    assert_eq!(other.parent().unwrap(), rig.files.folder().join("till"));
    assert_eq!(rig.ids(), ["1", "2", "3", "4", "5", "6"]);
}

#[test]
fn if_git_cannot_be_asked_nothing_is_written() {
    let rig = Rig::new();
    let path = rig.append("1");
    let broken = |_: &Path| Err(io::Error::other("no git"));
    let error = rig.files.append("shop", &[entry("2")], now(), &broken).unwrap_err();
    let expected = format!("whether git tracks `{}` cannot be told: no git", path.display());
    assert_eq!((error.to_string(), rig.ids()), (expected, vec!["1".to_owned()]));
}

#[test]
fn a_full_file_is_left_alone() {
    let rig = Rig::new().with_limits(|limits| limits.full_bytes = 300);
    let files = ["1", "2", "3", "4", "5", "6"].map(|id| rig.append(id));
    let changes = files.windows(2).filter(|pair| pair[0] != pair[1]).count();
    assert!(files.is_sorted() && changes >= 1 && files[0] == files[1], "{files:?}");
    assert_eq!(rig.ids(), ["1", "2", "3", "4", "5", "6"]);
}

#[test]
fn a_clock_that_went_back_makes_no_older_file() {
    let rig = Rig::new();
    let all_tracked = |_: &Path| Ok(true);
    let clocks = [NOW, "2020-01-01T00:00:00Z", "-000001-01-01T00:00:00Z", NOW];
    let paths = clocks.map(|clock| {
        rig.files.append("shop", &[entry("1")], clock.parse().unwrap(), &all_tracked).unwrap()
    });
    assert!(paths.is_sorted_by(|one, other| one < other), "{paths:?}");
}

#[test]
fn what_is_not_ours_is_passed_over() {
    let rig = Rig::new();
    let ours = ["archive/shop/", "shop/", "till/"].map(|folder| folder.to_owned() + &name(5));
    for path in ours.iter().map(String::as_str).chain(["other repo.jsonl", "shop.jsonl"]) {
        fs::write(rig.below(path), written(&entry(path))).unwrap();
    }
    for path in [
        name(6).to_uppercase(),
        "shop/notes.jsonl".to_owned(),
        "shop/deep/".to_owned() + &name(6),
        "shop/".to_owned() + &name(6) + "~",
        ".shop/".to_owned() + &name(6),
        "con/".to_owned() + &name(6),
        "archive/shop.jsonl".to_owned(),
        "README.md".to_owned(),
        ".jsonl".to_owned(),
    ] {
        fs::write(rig.below(&path), "x").unwrap();
    }
    let expected =
        [ours[0].as_str(), "other repo.jsonl", &ours[1], "shop.jsonl", &ours[2]].map(str::to_owned);
    let listing = rig.files.list();
    assert_eq!(rig.listed(), expected);
    // Named once: who put it there thinks that it counts.
    let named: Vec<String> = listing.unreadable.iter().map(ToString::to_string).collect();
    let path = rig.files.folder().join("shop/notes.jsonl");
    let why = "is left out: its name is no id, as those of files of records are";
    assert_eq!(named, [format!("`{}` {why}", path.display())]);
    let repos: Vec<_> = listing.files.iter().map(|file| file.repo.as_str()).collect();
    assert_eq!(repos, ["shop", "other-repo", "shop", "shop", "till"]);
    let archived: Vec<_> = listing.files.iter().map(|file| file.is_archived).collect();
    assert_eq!(archived, [true, false, false, false, false]);
}

#[test]
fn links_and_pipes_are_not_opened() {
    let rig = Rig::new();
    let elsewhere = rig.path("elsewhere");
    fs::write(&elsewhere, written(&entry("secret"))).unwrap();
    let link = rig.below(&("shop/".to_owned() + &name(u64::from(u32::MAX) << 10)));
    symlink(&elsewhere, &link).unwrap();
    let pipe = rig.below(&("shop/".to_owned() + &name(7)));
    assert!(Command::new("mkfifo").arg(&pipe).status().unwrap().success());
    fs::create_dir(rig.below(&("shop/".to_owned() + &name(8)))).unwrap();
    symlink(&elsewhere, rig.below("x.jsonl")).unwrap();

    let path = rig.append("1");
    assert!(path > link);
    assert_eq!((rig.ids(), rig.files.list().unreadable.len()), (vec!["1".to_owned()], 4));
    assert_eq!(fs::read_to_string(&elsewhere).unwrap(), written(&entry("secret")));
    let found = Found { path: link, repo: "shop".to_owned(), is_archived: false };
    assert!(rig.files.read(&found).is_err());
}

#[test]
fn linked_folders_are_refused() {
    for linked in [".elophanto", ".elophanto/memory", ".elophanto/memory/shop"] {
        let rig = Rig::new();
        fs::create_dir_all(rig.path("elsewhere/memory/shop")).unwrap();
        fs::write(rig.path("elsewhere/memory/shop").join(name(1)), "").unwrap();
        fs::create_dir_all(rig.path(linked).parent().unwrap()).unwrap();
        symlink(rig.path("elsewhere"), rig.path(linked)).unwrap();
        let listing = rig.files.list();
        assert_eq!((listing.files.len(), listing.unreadable.len()), (0, 1), "{linked}");
        let refused = rig.files.append("shop", &[entry("1")], now(), &no_file_is_tracked);
        let error = refused.unwrap_err();
        assert!(
            matches!(&error, MemoryError::Files(JournalError::NotAFolder(path)) if *path == rig.path(linked))
        );
        assert_eq!(fs::read_dir(rig.path("elsewhere")).unwrap().count(), 1);
    }
    let rig = Rig::new();
    fs::create_dir_all(rig.path("git/elophanto")).unwrap();
    symlink(rig.path("elsewhere"), rig.path("git/elophanto/memory.lock")).unwrap();
    assert!(rig.files.append("shop", &[entry("1")], now(), &no_file_is_tracked).is_err());
    assert!(!rig.path("elsewhere").exists());
}

#[test]
fn names_that_lead_elsewhere_are_refused() {
    let rig = Rig::new();
    for repo in ["", ".", "..", "../x", "a/b", "-rf", "con", "archive", "a\0", "a\nb"] {
        let refused = rig.files.append(repo, &[entry("1")], now(), &no_file_is_tracked);
        assert!(matches!(refused, Err(MemoryError::RepoName(_))), "{repo}");
    }
    assert_eq!(fs::read_dir(rig.folder.path()).unwrap().count(), 0);
}

#[test]
fn what_is_too_large_is_not_written() {
    let rig = Rig::new();
    let append = |entries: &[Entry]| {
        rig.files.append("shop", entries, now(), &no_file_is_tracked).unwrap_err()
    };
    assert!(matches!(append(&[]), MemoryError::NoRecords));
    let long = |bytes| Entry::Memory(Memory { lesson: "x".repeat(bytes), ..memory("1") });
    assert!(matches!(append(&[entry("1"), long(70_000)]), MemoryError::TooLarge { .. }));
    assert!(matches!(append(&vec![long(60_000); 80]), MemoryError::TooLarge { .. }));
    assert!(rig.listed().is_empty());
}

#[test]
fn only_so_many_files_are_listed_and_made() {
    let rig = Rig::new().with_limits(|limits| limits.files = 5);
    for file in 1..=8 {
        fs::write(rig.below(&("shop/".to_owned() + &name(file))), "").unwrap();
    }
    let listing = rig.files.list();
    let newest: Vec<_> = (4..=8).map(|file| "shop/".to_owned() + &name(file)).collect();
    assert_eq!((rig.listed(), listing.unreadable.len()), (newest, 1));
    let all_tracked = |_: &Path| Ok(true);
    let refused = rig.files.append("shop", &[entry("1")], now(), &all_tracked);
    assert!(matches!(refused, Err(MemoryError::Files(JournalError::TooManyFiles { max: 5, .. }))));
    // What is there may grow.
    rig.append("1");
}

/// Root may write anywhere: there the modes below keep nobody out.
fn is_root(folder: &Path) -> bool {
    fs::set_permissions(folder, fs::Permissions::from_mode(0o555)).unwrap();
    let probe = fs::write(folder.join("probe"), "").is_ok();
    let _ = fs::remove_file(folder.join("probe"));
    fs::set_permissions(folder, fs::Permissions::from_mode(0o755)).unwrap();
    probe
}

#[test]
fn a_read_only_checkout_is_read_without_the_lock() {
    let rig = Rig::new();
    assert!(rig.ids().is_empty() && fs::read_dir(rig.folder.path()).unwrap().count() == 0);
    let path = rig.append("1");
    let _held = rig.files.hold().unwrap();
    let folder = path.parent().unwrap();
    let is_root = is_root(folder);
    fs::set_permissions(folder, fs::Permissions::from_mode(0o555)).unwrap();
    fs::set_permissions(&path, fs::Permissions::from_mode(0o444)).unwrap();
    assert_eq!(rig.ids(), ["1"]);
    assert_eq!(rig.files.archive(Timestamp::MAX, true).unwrap().files, 1);
    drop(_held);
    if !is_root {
        let all_tracked = |_: &Path| Ok(true);
        for tracked in [&no_file_is_tracked as &dyn Fn(&Path) -> io::Result<bool>, &all_tracked] {
            let refused = rig.files.append("shop", &[entry("2")], now(), tracked);
            assert!(matches!(refused, Err(MemoryError::Files(_))));
        }
        assert!(rig.files.remove_line("1").is_err());
    }
    fs::set_permissions(folder, fs::Permissions::from_mode(0o755)).unwrap();
    assert!(!rig.ids().is_empty());
}

#[test]
fn an_error_names_what_could_not_be_made() {
    let rig = Rig::new();
    fs::write(rig.path("file"), "").unwrap();
    let file = rig.path("file");
    let refused = |files: &Files| {
        files.append("shop", &[entry("1")], now(), &no_file_is_tracked).unwrap_err().to_string()
    };
    let nowhere = Files::new(file.join("memory"), rig.path("lock"));
    assert_eq!(refused(&nowhere), JournalError::NotAFolder(file.clone()).to_string());
    let no_lock = Files::new(rig.files.folder().to_owned(), file.join("lock"));
    assert!(refused(&no_lock).starts_with(&format!("`{}` cannot be made: ", file.display())));
}

#[test]
fn a_file_of_an_older_version_is_read_and_grows_as_before() {
    let old = concat!(
        r#"{"id":"01KAKZ3C5M8Q4W1V7T2B9N6XRD","timestamp":"2026-11-21T08:00:00.120Z","agent_id":"agent-1","repo":"shop","event_type":"error","context":"Straße 🦦","command":"npm ci","lesson":"a \"lesson\"\nof two lines","success_rate":"9/10","tags":["npm"],"replaces":"01KAKZ2A"}"#,
        "\n",
        r#"{"id":"01KAKZ4D","timestamp":"2026-11-21T08:00:01.000Z","agent_id":"","repo":"shop","retired":"01KAKZ2B"}"#,
        "\n",
    );
    let rig = Rig::new();
    let path = rig.below("shop/01kakz3c5kzzzzzzzzzzzzzzzz.jsonl");
    fs::write(&path, old).unwrap();
    let first = Memory {
        timestamp: "2026-11-21T08:00:00.120Z".parse().unwrap(),
        command: "npm ci".to_owned(),
        lesson: "a \"lesson\"\nof two lines".to_owned(),
        success_rate: Some(Rate { successes: 9, attempts: 10 }),
        tags: vec!["npm".to_owned()],
        replaces: Some("01KAKZ2A".to_owned()),
        ..memory("01KAKZ3C5M8Q4W1V7T2B9N6XRD")
    };
    let [found] = rig.files.list().files.try_into().unwrap();
    let read = rig.files.read(&found).unwrap();
    let (lines, entries): (Vec<_>, Vec<_>) = read.entries.into_iter().unzip();
    assert_eq!((lines, &entries[0]), (vec![1, 2], &Entry::Memory(first)));
    assert_eq!(
        (read.damage, entries.iter().map(written).collect::<String>()),
        (vec![], old.into())
    );
    // What is written now is what was written then.
    assert_eq!(rig.append("3"), path);
    assert_eq!(fs::read_to_string(&path).unwrap(), old.to_owned() + &written(&entry("3")));
}
