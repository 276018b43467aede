//! Many writers, torn tails, a full disk.

use std::{collections::BTreeSet, process::Command};

use super::*;

#[test]
fn writers_lose_nothing_to_each_other() {
    let rig = Rig::new().with_limits(|limits| limits.full_bytes = 64 * 1024);
    std::thread::scope(|scope| {
        for writer in 0..16 {
            let files = rig.files.clone();
            scope.spawn(move || {
                for number in 0..500 {
                    let entry = entry(&format!("{writer}-{number}"));
                    files.append("shop", &[entry], now(), &no_file_is_tracked).unwrap();
                }
            });
        }
    });
    let listing = rig.files.list();
    assert!(listing.unreadable.is_empty() && listing.files.len() > 10);
    assert!(listing.files.iter().all(|found| rig.files.read(found).unwrap().damage.is_empty()));
    let all = rig.ids();
    let distinct: BTreeSet<_> = all.iter().collect();
    assert_eq!((all.len(), distinct.len()), (8_000, 8_000));
    for writer in 0..16 {
        let prefix = format!("{writer}-");
        let own = all.iter().filter_map(|id| id.strip_prefix(&prefix)?.parse::<u32>().ok());
        assert!(own.eq(0..500), "{writer}");
    }
}

#[test]
fn a_writer_waits_for_the_one_before() {
    let rig = Rig::new();
    rig.append("1");
    let held = rig.files.hold().unwrap();
    std::thread::scope(|scope| {
        let writer = scope.spawn(|| rig.append("2"));
        std::thread::sleep(std::time::Duration::from_millis(50));
        assert!(!writer.is_finished());
        drop(held);
        writer.join().unwrap();
    });
    assert_eq!(rig.ids(), ["1", "2"]);
}

#[test]
fn a_tail_torn_at_any_byte_costs_only_itself() {
    let rig = Rig::new();
    rig.append("1");
    let path = rig.append("2");
    let whole = fs::read(&path).unwrap();
    let first = whole.iter().position(|&byte| byte == b'\n').unwrap() + 1;
    for cut in 0..whole.len() {
        fs::write(&path, &whole[..cut]).unwrap();
        assert_eq!(rig.append("3"), path);
        // The line end alone may be missing.
        let kept = usize::from(cut + 1 >= first) + usize::from(cut + 1 >= whole.len());
        let expected = [&["1", "2"][..kept], &["3"]].concat();
        assert_eq!(rig.ids(), expected, "cut at {cut}");
        let bytes = fs::read(&path).unwrap();
        assert!(bytes.starts_with(&whole[..cut]) && bytes.ends_with(b"\n"));
        let is_torn = ![0, first - 1, first, whole.len() - 1].contains(&cut);
        let torn_line = if cut < first { 1 } else { 2 };
        let damage: Vec<_> = parse_file(&bytes, "").damage.iter().map(|(line, _)| *line).collect();
        assert_eq!(damage, vec![torn_line; is_torn.into()], "cut at {cut}");
    }
}

/// `None` when somebody runs all ignored tests.
fn folder_of_child() -> Option<PathBuf> {
    std::env::var_os("MEMORY_FOLDER").map(PathBuf::from)
}

#[test]
#[ignore = "run by another test, in a process of its own"]
fn child_fills_the_disk() {
    let Some(folder) = folder_of_child() else { return };
    let files = files_in(&folder);
    let mut acknowledged = 0;
    loop {
        let batch = [0, 1, 2].map(|next| entry(&(acknowledged + next).to_string()));
        match files.append("shop", &batch, now(), &no_file_is_tracked) {
            Ok(_) => acknowledged += batch.len(),
            Err(error) => {
                // A new file leaves nothing behind either.
                let long = Memory { lesson: "x".repeat(10_000), ..memory("x") };
                let entries = [Entry::Memory(long)];
                assert!(files.append("new", &entries, now(), &no_file_is_tracked).is_err());
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
    child.env("MEMORY_FOLDER", rig.folder.path()).stdout(std::process::Stdio::null());
    assert!(child.status().unwrap().success());

    let report = fs::read_to_string(rig.path("report")).unwrap();
    let (acknowledged, error) = report.split_once(' ').unwrap();
    let acknowledged: usize = acknowledged.parse().unwrap();
    let listing = rig.files.list();
    assert!(acknowledged > 3 && listing.files.len() == 1, "{report}");
    assert_eq!(rig.files.read(&listing.files[0]).unwrap().damage, []);
    let expected: Vec<_> = (0..acknowledged).map(|id| id.to_string()).collect();
    assert_eq!(rig.ids(), expected);
    let path = rig.append("more");
    assert!(error.starts_with(&format!("`{}` cannot be written: ", path.display())), "{error}");
    assert_eq!(rig.ids().len(), acknowledged + 1);
}
