//! Which file a record goes to, and what is no place for one.

use std::{cell::Cell, os::unix::fs::symlink, process::Command};

use super::*;

/// Path from the folder of the rig, its file name left out.
fn month_of(rig: &Rig, path: &Path) -> String {
    let path = path.strip_prefix(rig.folder.path()).unwrap();
    path.parent().unwrap().to_str().unwrap().to_owned()
}

#[test]
fn a_file_of_the_month_grows_until_git_tracks_it() {
    let rig = Rig::new();
    let first = rig.append("1");
    assert_eq!(month_of(&rig, &first), ".elophanto/journal/2026-11");
    assert_eq!(rig.append("2"), first);
    // A new month is no reason for a new file.
    assert_eq!(rig.append_at("3", "2026-12-01T00:00:00Z"), first);

    let committed = fs::read(&first).unwrap();
    let asked = Cell::new(0);
    let tracked = |path: &Path| {
        asked.set(asked.get() + 1);
        Ok(path == first)
    };
    let later = "2026-12-01T00:00:00Z".parse().unwrap();
    let second = append(&rig.journal, &["4"], Place::Shared, later, &tracked).unwrap();
    assert_eq!((month_of(&rig, &second).as_str(), asked.get()), (".elophanto/journal/2026-12", 1));
    assert_eq!(append(&rig.journal, &["5"], Place::Shared, now(), &tracked).unwrap(), second);
    assert_eq!((fs::read(&first).unwrap(), asked.get()), (committed, 2));
    assert_eq!(rig.ids(), ["1", "2", "3", "4", "5"]);
}

#[test]
fn nobody_asks_git_about_local_files() {
    let rig = Rig::new();
    let never = |_: &Path| -> io::Result<bool> { unreachable!() };
    let first = append(&rig.journal, &["1"], Place::Local, now(), &never).unwrap();
    assert_eq!(month_of(&rig, &first), "git/elophanto/journal/2026-11");
    assert_eq!(append(&rig.journal, &["2", "3"], Place::Local, now(), &never).unwrap(), first);
    rig.append("0");
    assert_eq!(rig.ids(), ["0", "1", "2", "3"]);
    // Nothing but the journal was left behind.
    assert_eq!(fs::read_dir(rig.path("git/elophanto")).unwrap().count(), 2);
}

#[test]
fn if_git_cannot_be_asked_nothing_is_written() {
    let rig = Rig::new();
    let path = rig.append("1");
    let broken = |_: &Path| Err(io::Error::other("no git"));
    let error = append(&rig.journal, &["2"], Place::Shared, now(), &broken).unwrap_err();
    let expected = format!("whether git tracks `{}` cannot be told: no git", path.display());
    assert_eq!((error.to_string(), rig.ids()), (expected, vec!["1".to_owned()]));
}

#[test]
fn a_full_file_is_left_alone() {
    let rig = Rig::new().with_limits(|limits| limits.full_bytes = 200);
    let files: Vec<_> = ["1", "2", "3", "4", "5", "6"].map(|id| rig.append(id)).to_vec();
    let changes = files.windows(2).filter(|pair| pair[0] != pair[1]).count();
    assert!(files.is_sorted() && changes >= 1 && files[0] == files[1], "{files:?}");
    assert_eq!(rig.ids(), ["1", "2", "3", "4", "5", "6"]);
}

#[test]
fn a_clock_that_went_back_makes_no_older_file() {
    let rig = Rig::new();
    let all_tracked = |_: &Path| Ok(true);
    let mut names = Vec::new();
    for clock in [NOW, "2020-01-01T00:00:00Z", "-000001-01-01T00:00:00Z", NOW] {
        let clock = clock.parse().unwrap();
        let path = append(&rig.journal, &["1"], Place::Shared, clock, &all_tracked).unwrap();
        names.push(path.file_name().unwrap().to_owned());
    }
    assert!(names.is_sorted_by(|one, other| one < other), "{names:?}");
    let found = rig.journal.list(Place::Shared).files;
    let months: Vec<_> = found.iter().map(|file| month_of(&rig, file)).collect();
    let expected = ["2026-11", "2020-01", "1970-01", "2026-11"];
    assert_eq!(months, expected.map(|month| format!(".elophanto/journal/{month}")));
}

#[test]
fn what_is_not_ours_is_passed_over() {
    let rig = Rig::new();
    let ours = rig.shared(&format!("2026-11/{}", name(5)));
    fs::write(&ours, line("note", "1")).unwrap();
    for other in [
        name(6),
        "2026-13/".to_owned() + &name(6),
        "2026-11/deep/".to_owned() + &name(6),
        "2026-11/".to_owned() + &name(6).to_uppercase(),
        "2026-11/".to_owned() + &name(6) + "~",
        "2026-11/README.md".to_owned(),
    ] {
        fs::write(rig.shared(&other), line("note", "other")).unwrap();
    }
    assert_eq!((rig.ids(), rig.append("2")), (vec!["1".to_owned()], ours));
}

#[test]
fn links_and_pipes_are_not_opened() {
    let rig = Rig::new();
    let elsewhere = rig.path("elsewhere");
    fs::write(&elsewhere, line("note", "secret")).unwrap();
    let link = rig.shared(&format!("2026-11/{}", name(u64::from(u32::MAX) << 10)));
    symlink(&elsewhere, &link).unwrap();
    let pipe = rig.shared(&format!("2026-10/{}", name(7)));
    assert!(Command::new("mkfifo").arg(&pipe).status().unwrap().success());
    fs::create_dir(rig.shared(&format!("2026-10/{}", name(8)))).unwrap();

    let written = rig.append("1");
    let reading = rig.journal.read(&[]);
    assert_eq!((ids(&reading), reading.unreadable.len()), (vec!["1".to_owned()], 3));
    assert!(reading.unreadable[0].to_string().contains(link.to_str().unwrap()));
    assert!(written != link && fs::read_to_string(&elsewhere).unwrap() == line("note", "secret"));
}

/// `linked`: which folder is a link to one outside.
fn check_linked(linked: &str) {
    let rig = Rig::new();
    let outside = rig.path("outside");
    fs::create_dir_all(outside.join("journal/2026-11")).unwrap();
    fs::create_dir_all(outside.join("2026-11")).unwrap();
    let planted = [name(1), format!("2026-11/{}", name(1)), format!("journal/2026-11/{}", name(1))];
    for planted in &planted {
        fs::write(outside.join(planted), line("note", "secret")).unwrap();
    }
    let link = rig.path(linked);
    fs::create_dir_all(link.parent().unwrap()).unwrap();
    symlink(&outside, &link).unwrap();
    let refused = append(&rig.journal, &["1"], Place::Shared, now(), &no_file_is_tracked);
    assert!(
        matches!(&refused, Err(JournalError::NotAFolder(path)) if *path == link),
        "{refused:?}"
    );
    let reading = rig.journal.read(&[]);
    assert!(reading.records.is_empty(), "{linked}");
    assert!(matches!(&reading.unreadable[..], [JournalError::NotAFolder(path)] if *path == link));
    for planted in &planted {
        assert_eq!(fs::read_to_string(outside.join(planted)).unwrap(), line("note", "secret"));
    }
    // The other place is none the worse.
    append(&rig.journal, &["2"], Place::Local, now(), &no_file_is_tracked).unwrap();
    assert_eq!(rig.ids(), ["2"]);
}

#[test]
fn no_folder_of_ours_may_be_a_link() {
    check_linked(".elophanto");
    check_linked(".elophanto/journal");
    check_linked(".elophanto/journal/2026-11");
}

#[test]
fn caps_hold() {
    let rig = Rig::new().with_limits(|limits| limits.files = 3);
    let tracked = |_: &Path| Ok(true);
    let new = |id| append(&rig.journal, &[id], Place::Shared, now(), &tracked);
    let paths: Vec<_> = ["1", "2", "3"].map(|id| new(id).unwrap()).to_vec();
    assert!(matches!(new("4"), Err(JournalError::TooManyFiles { max: 3, .. })));
    assert_eq!(
        (rig.ids(), rig.append("5")),
        (["1", "2", "3"].map(String::from).to_vec(), paths[2].clone())
    );
    fs::write(rig.shared(&format!("2026-10/{}", name(1))), line("note", "0")).unwrap();
    let reading = rig.journal.read(&[]);
    assert_eq!(ids(&reading), ["1", "2", "3", "5"]);
    assert!(matches!(&reading.unreadable[..], [JournalError::TooManyFiles { max: 3, .. }]));

    let rig = Rig::new().with_limits(|limits| limits.bytes = 150);
    for file in [1, 2, 3] {
        fs::write(rig.shared(&format!("2026-11/{}", name(file))), line("note", "1")).unwrap();
    }
    let reading = rig.journal.read(&[]);
    assert_eq!(ids(&reading), ["1", "1"]);
    assert!(matches!(&reading.unreadable[..], [JournalError::TooMuch { max: 150, .. }]));

    let rig = Rig::new().with_limits(|limits| limits.file.file_bytes = 300);
    let before = fs::read(rig.append("1")).unwrap();
    let many = ["2", "3", "4", "5", "6"];
    let error = append(&rig.journal, &many, Place::Shared, now(), &no_file_is_tracked).unwrap_err();
    assert!(matches!(error, JournalError::Log(JsonlError::FileTooLarge { max: 300, .. })));
    let path = rig.append("7");
    assert!(fs::read(&path).unwrap().starts_with(&before));
    fs::write(&path, "\n".repeat(301)).unwrap();
    let reading = rig.journal.read(&[]);
    assert!(matches!(
        &reading.unreadable[..],
        [JournalError::Log(JsonlError::FileTooLarge { .. })]
    ));
}

#[test]
fn what_could_not_be_read_back_is_not_written() {
    let rig = Rig::new();
    let none: [Note; 0] = [];
    let append = |records: &[serde_json::Value]| {
        rig.journal.append(Place::Shared, records, now(), &no_file_is_tracked)
    };
    let refused = rig.journal.append(Place::Shared, &none, now(), &no_file_is_tracked);
    assert!(matches!(refused, Err(JournalError::NoRecords(_))));
    let good: serde_json::Value = serde_json::from_str(&line("note", "1")).unwrap();
    let mut bad = good.clone();
    bad.as_object_mut().unwrap().remove("at");
    let refused = append(&[good.clone(), bad]).unwrap_err();
    let folder = rig.journal.shared.path().display();
    assert_eq!(
        refused.to_string(),
        format!(
            "record 2 for `{folder}` has no valid header: missing field `at` at line 1 column 35"
        )
    );
    let mut long = good.clone();
    long["text"] = "x".repeat(1024 * 1024).into();
    let refused = append(&[good.clone(), long]);
    let too_large = matches!(refused, Err(JournalError::Log(JsonlError::RecordTooLarge { .. })));
    assert!(too_large && rig.ids().is_empty());
    append(&[good]).unwrap();
    assert_eq!(rig.ids(), ["1"]);
}
