//! Many writers, a full disk, a checkout that nobody may write to.

use std::{os::unix::fs::PermissionsExt, process::Command};

use super::*;

#[test]
fn writers_lose_nothing_to_each_other() {
    let rig = Rig::new().with_limits(|limits| limits.full_bytes = 64 * 1024);
    std::thread::scope(|scope| {
        for writer in 0..16 {
            let journal =
                journal_in(rig.folder.path()).with_limits(rig.journal.shared.limits().clone());
            scope.spawn(move || {
                for number in 0..200 {
                    let id = format!("{writer}-{number}");
                    let place = if number % 2 == 0 { Place::Shared } else { Place::Local };
                    append(&journal, &[&id], place, now(), &no_file_is_tracked).unwrap();
                }
            });
        }
    });
    let reading = rig.journal.read(&[]);
    assert!(reading.damage.is_empty() && reading.unreadable.is_empty());
    let mut all = ids(&reading);
    assert_eq!(all.len(), 3_200);
    all.sort_unstable();
    all.dedup();
    assert_eq!(all.len(), 3_200);
}

#[test]
fn a_writer_waits_for_the_one_before() {
    let rig = Rig::new();
    rig.append("1");
    let held = elophanto_base::jsonl::lock(&rig.journal.shared.lock).unwrap();
    std::thread::scope(|scope| {
        let asked = |_: &Path| -> io::Result<bool> { unreachable!() };
        let writer = scope.spawn(move || {
            append(&journal_in(rig.folder.path()), &["2"], Place::Local, now(), &asked).map(|_| rig)
        });
        std::thread::sleep(std::time::Duration::from_millis(50));
        assert!(!writer.is_finished());
        drop(held);
        assert_eq!(writer.join().unwrap().unwrap().ids(), ["1", "2"]);
    });
}

/// `None` when somebody runs all ignored tests.
fn folder_of_child() -> Option<PathBuf> {
    std::env::var_os("JOURNAL_FOLDER").map(PathBuf::from)
}

#[test]
#[ignore = "run by another test, in a process of its own"]
fn child_fills_the_disk() {
    let Some(folder) = folder_of_child() else { return };
    let journal = journal_in(&folder);
    let mut acknowledged = 0;
    loop {
        let batch = [0, 1, 2].map(|next| (acknowledged + next).to_string());
        let batch = batch.each_ref().map(String::as_str);
        match append(&journal, &batch, Place::Shared, now(), &no_file_is_tracked) {
            Ok(_) => acknowledged += batch.len(),
            Err(error) => {
                let report = format!("{acknowledged} {error}");
                return fs::write(folder.join("report"), report).unwrap();
            }
        }
    }
}

#[test]
fn a_full_disk_takes_all_records_of_an_append_or_none() {
    let rig = Rig::new();
    let script = r#"trap "" XFSZ; ulimit -f 2; exec "$0" --exact "$1" --ignored --nocapture"#;
    let test = module_path!().split_once("::").unwrap().1.to_owned() + "::child_fills_the_disk";
    let mut child = Command::new("bash");
    child.args(["-c", script]).arg(std::env::current_exe().unwrap()).arg(test);
    child.env("JOURNAL_FOLDER", rig.folder.path()).stdout(std::process::Stdio::null());
    assert!(child.status().unwrap().success());

    let report = fs::read_to_string(rig.path("report")).unwrap();
    let (acknowledged, error) = report.split_once(' ').unwrap();
    let acknowledged: usize = acknowledged.parse().unwrap();
    let reading = rig.journal.read(&[]);
    assert!(acknowledged > 3 && reading.damage.is_empty(), "{report}");
    let expected: Vec<_> = (0..acknowledged).map(|id| id.to_string()).collect();
    assert_eq!(ids(&reading), expected);
    let path = rig.append("more");
    assert!(error.starts_with(&format!("`{}` cannot be written: ", path.display())), "{error}");
    assert_eq!(rig.ids().len(), acknowledged + 1);
}

#[test]
fn reading_needs_no_lock_and_no_leave_to_write() {
    let rig = Rig::new();
    assert!(rig.ids().is_empty() && !rig.journal.stamp(now()).racy);
    let left = [rig.folder.path(), &rig.path("git")].map(|at| fs::read_dir(at).unwrap().count());
    assert_eq!(left, [1, 0]);
    let path = rig.append("1");
    let before = fs::read(&path).unwrap();
    // Another process holds the lock, and may hold it for ever.
    let _held = elophanto_base::jsonl::lock(&rig.journal.shared.lock).unwrap();
    let set_mode = |mode| {
        for path in [&path, path.parent().unwrap(), rig.journal.shared.path()] {
            fs::set_permissions(path, fs::Permissions::from_mode(mode)).unwrap();
        }
    };
    set_mode(0o555);
    assert_eq!(rig.ids(), ["1"]);
    set_mode(0o755);
    assert_eq!(fs::read(&path).unwrap(), before);
}

#[test]
fn an_error_names_what_could_not_be_made() {
    let rig = Rig::new();
    fs::write(rig.path("file"), "").unwrap();
    let refused = |journal: &Journal| {
        append(journal, &["1"], Place::Shared, now(), &no_file_is_tracked).unwrap_err().to_string()
    };
    let file = rig.path("file");
    let nowhere = Journal::new(file.join("journal"), file.join("local"), rig.path("lock"));
    assert_eq!(refused(&nowhere), JournalError::NotAFolder(file.clone()).to_string());
    let folders = (rig.path(".elophanto/journal"), rig.path("local"));
    let no_lock = Journal::new(folders.0, folders.1.clone(), file.join("lock"));
    assert!(refused(&no_lock).starts_with(&format!("`{}` cannot be made: ", file.display())));
    let nothing_above = Journal::new(rig.path("a/b/journal"), folders.1, rig.path("lock"));
    let expected = format!("`{}` cannot be made: ", rig.path("a/b").display());
    assert!(refused(&nothing_above).starts_with(&expected));
}
