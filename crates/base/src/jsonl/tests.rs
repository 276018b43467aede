use std::{
    fs::{self, File},
    path::{Path, PathBuf},
    process::Command,
};

use proptest::prelude::*;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use tempfile::TempDir;

use super::{
    append::{append_whole, is_name_kept},
    *,
};

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
struct Event {
    id: u32,
    text: String,
}

fn event(id: u32) -> Event {
    Event { id, text: format!("Straße {id} 🦦") }
}

fn folder() -> (TempDir, PathBuf) {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("log.jsonl");
    (folder, path)
}

fn ids(read: Read<Event>) -> Vec<u32> {
    read.into_records().map(|event| event.id).collect()
}

/// `expected`: the records' ids, then each fault with its line.
fn check(text: impl AsRef<[u8]>, expected: &str) {
    let read = parse::<Event>(text.as_ref(), &Caps { line_bytes: 60, ..Caps::default() });
    let ids: Vec<_> =
        read.entries.iter().map(|entry| format!("{}@{}", entry.record.id, entry.line)).collect();
    let faults: Vec<_> = read
        .damage
        .iter()
        .map(|damage| {
            let fault = format!("{:?}", damage.fault);
            let name = fault.split([' ', '{']).next().unwrap_or_default();
            format!("{name}@{}", damage.line)
        })
        .collect();
    assert_eq!([ids, faults].concat().join(" "), expected);
}

#[test]
fn the_name_of_each_file_is_seen_to() {
    let (_folder, path) = folder();
    let is_kept = || is_name_kept(&path, &fs::metadata(&path).unwrap());
    fs::write(&path, "{\"id\":1,\"text\":\"by another program\"}\n").unwrap();
    assert!(!is_kept());
    let log = Log::new(&path);
    log.append(&event(2)).unwrap();
    assert!(is_kept());
    // Another file of that name, be it with the same number.
    let moved = path.with_extension("old");
    fs::rename(&path, &moved).unwrap();
    assert!(!is_name_kept(&moved, &fs::metadata(&moved).unwrap()));
    fs::copy(&moved, &path).unwrap();
    assert!(!is_kept());
    log.append(&event(3)).unwrap();
    assert!(is_kept());
    assert_eq!(ids(read(&path, &Caps::default()).unwrap()), [1, 2, 3]);
}

const ONE: &str = r#"{"id":1,"text":"a"}"#;
const TWO: &str = r#"{"id":2,"text":"b"}"#;

#[test]
fn damage_is_reported_by_line_and_the_rest_is_read() {
    check("", "");
    check("\n\n", "");
    check(format!("{ONE}\n{TWO}\n"), "1@1 2@2");
    check(format!("\u{feff}{ONE}\n"), "1@1");
    check(format!("{ONE}\n{TWO}"), "1@1 2@2 NoFinalNewline@2");
    check(format!("{ONE}\r\n{TWO}\r\n"), "1@1 2@2 CarriageReturn@1");
    check(format!("{ONE}{TWO}\n"), "1@1 2@1 Glued@1");
    check(format!("{ONE}\n{{\"id\":2,\"te"), "1@1 CutOff@2");
    check(format!("{ONE}\n{{\"id\":2,\"te\n{TWO}\n"), "1@1 2@3 NotJson@2");
    check(format!("{ONE}{{\"id\":2,\"te\n{TWO}\n"), "1@1 2@2 NotJson@1");
    check(format!("{ONE}\n\0\0\0\0{TWO}\n"), "1@1 2@2 Zeros@2");
    check(format!("{ONE}\n\0\0{ONE}\0\0{TWO}\n"), "1@1 1@2 2@2 Zeros@2 Glued@2");
    check([ONE.as_bytes(), b"\n", &[0; 50], b"\n"].concat(), "1@1 Zeros@2");
    check(
        format!("{ONE}\n<<<<<<< HEAD\n{TWO}\n=======\n{ONE}\n>>>>>>> theirs\n{TWO}\n"),
        "1@1 2@3 1@5 2@7 ConflictMarker@2 ConflictMarker@4 ConflictMarker@6",
    );
    check(format!("[1,2]\n\"x\"\n{ONE}\n"), "1@3 NotARecord@1 NotARecord@2");
    check(format!("{}\n{ONE}\n", "x".repeat(61)), "1@2 TooLong@1");
    check(format!("{ONE}\n{{\"id\":2,\"text\":\"\u{df}").as_bytes(), "1@1 CutOff@2");
    check([b"{\"id\":2,\"text\":\"\xc3\"}\n", ONE.as_bytes(), b"\n"].concat(), "1@2 NotJson@1");
}

#[test]
fn four_kilobytes_of_zeros_and_deep_nesting() {
    let text = [ONE.as_bytes(), b"\n", &[0; 4096], b"\n", TWO.as_bytes(), b"\n"].concat();
    let read = parse::<Event>(&text, &Caps::default());
    let zeros = Damage { line: 2, fault: Fault::Zeros { bytes: 4096 } };
    assert_eq!((read.damage.clone(), ids(read)), (vec![zeros], vec![1, 2]));

    let deep = format!("{}\n{ONE}\n", "[".repeat(100_000));
    assert_eq!(parse::<Value>(deep.as_bytes(), &Caps::default()).entries.len(), 1);
    let closed = format!("{}{}\n{ONE}\n", "[".repeat(100_000), "]".repeat(100_000));
    assert_eq!(parse::<Value>(closed.as_bytes(), &Caps::default()).entries.len(), 1);
}

#[test]
fn only_so_many_faults_are_listed() {
    let read = parse::<Event>(&b"x\n".repeat(50), &Caps { faults: 3, ..Caps::default() });
    assert_eq!((read.damage.len(), read.more_damage), (3, 47));
}

#[test]
fn a_tail_torn_at_any_byte_costs_only_itself() {
    let (_folder, path) = folder();
    let log = Log::new(&path);
    log.append(&event(1)).unwrap();
    log.append(&event(2)).unwrap();
    let whole = fs::read(&path).unwrap();
    let first = whole.iter().position(|&byte| byte == b'\n').unwrap() + 1;
    for cut in 0..whole.len() {
        fs::write(&path, &whole[..cut]).unwrap();
        log.append(&event(3)).unwrap();
        let read = read::<Event>(&path, &Caps::default()).unwrap();
        let mut expected = Vec::new();
        if cut + 1 >= first {
            expected.push(1);
        }
        if cut + 1 >= whole.len() {
            expected.push(2);
        }
        expected.push(3);
        let whole_lines = cut == 0 || cut + 1 == first || cut == first || cut + 1 == whole.len();
        assert_eq!(read.damage.is_empty(), whole_lines, "cut at {cut}: {:?}", read.damage);
        assert_eq!(ids(read), expected, "cut at {cut}");
    }
}

#[test]
fn what_cannot_be_a_log_is_refused() {
    let (folder, path) = folder();
    assert!(read::<Event>(&path, &Caps::default()).unwrap().entries.is_empty());
    std::os::unix::fs::symlink(folder.path().join("elsewhere"), &path).unwrap();
    assert!(matches!(Log::new(&path).append(&event(1)), Err(JsonlError::Io { .. })));
    assert!(matches!(read::<Event>(&path, &Caps::default()), Err(JsonlError::Io { .. })));
    assert!(!folder.path().join("elsewhere").exists());
    let null = Path::new("/dev/zero");
    assert!(matches!(read::<Event>(null, &Caps::default()), Err(JsonlError::NotAFile(_))));
}

#[test]
fn caps_hold_when_writing_and_when_reading() {
    let (_folder, path) = folder();
    let caps = Caps { line_bytes: 60, file_bytes: 80, ..Caps::default() };
    let log = Log::new(&path).with_caps(caps.clone());
    let long = Event { id: 1, text: "x".repeat(60) };
    assert!(matches!(log.append(&long), Err(JsonlError::RecordTooLarge { max: 60, .. })));
    log.append(&event(1)).unwrap();
    log.append(&event(2)).unwrap();
    assert!(matches!(log.append(&event(3)), Err(JsonlError::FileTooLarge { max: 80, .. })));
    assert_eq!(ids(read(&path, &caps).unwrap()), [1, 2]);
    let less = Caps { file_bytes: 10, ..caps };
    assert!(matches!(read::<Event>(&path, &less), Err(JsonlError::FileTooLarge { .. })));
}

#[test]
fn several_records_are_added_whole_or_not_at_all() {
    let (folder, path) = folder();
    let held = || lock(&folder.path().join("lock")).unwrap();
    let log = Log::new(&path).with_caps(Caps { line_bytes: 60, ..Caps::default() });
    fs::write(&path, "{\"id\":1,\"te").unwrap();
    log.append_all(&[event(2), event(3)], held()).unwrap();
    let long = Event { id: 5, text: "x".repeat(60) };
    assert!(log.append_all(&[event(4), long], held()).is_err());
    log.append_all::<Event>(&[], held()).unwrap();
    assert_eq!(ids(read(&path, &Caps::default()).unwrap()), [2, 3]);
}

#[test]
fn a_writer_waits_for_the_one_before() {
    let (_folder, path) = folder();
    let lock_path = path.with_extension("lock");
    let lock = File::create(&lock_path).unwrap();
    lock.lock().unwrap();
    let log = Log::new(&path).with_lock(&lock_path);
    std::thread::scope(|scope| {
        let writer = scope.spawn(|| log.append(&event(1)).unwrap());
        std::thread::sleep(std::time::Duration::from_millis(50));
        assert!(!writer.is_finished() && !path.exists());
        lock.unlock().unwrap();
    });
    assert_eq!(ids(read(&path, &Caps::default()).unwrap()), [1]);
}

#[test]
fn a_full_device_acknowledges_nothing() {
    let file = File::options().append(true).open("/dev/full").unwrap();
    let failed = append_whole(&file, 0, b"{}\n").unwrap_err();
    assert_eq!(failed.kind(), std::io::ErrorKind::StorageFull);
}

/// Runs one of the tests below in a process of its own.
fn child(test: &str, path: &Path, limit: &str) -> Command {
    let mut command = Command::new("bash");
    let script = format!(r#"trap "" XFSZ; {limit} exec "$0" --exact "$1" --ignored --nocapture"#);
    let test = format!("{}::{test}", module_path!().split_once("::").unwrap().1);
    command.args(["-c", &script]).arg(std::env::current_exe().unwrap()).arg(test);
    command.env("JSONL_LOG", path).stdout(std::process::Stdio::null());
    command
}

/// `None` when somebody runs all ignored tests.
fn path_of_child() -> Option<PathBuf> {
    std::env::var_os("JSONL_LOG").map(PathBuf::from)
}

#[test]
#[ignore = "run by another test, in a process of its own"]
fn child_appends() {
    let Some(path) = path_of_child() else { return };
    let base = std::process::id() * 1_000;
    let log = Log::new(path);
    for number in 0..300 {
        log.append(&event(base + number)).unwrap();
    }
}

#[test]
fn processes_lose_nothing_to_each_other() {
    let (_folder, path) = folder();
    let children: Vec<_> =
        (0..8).map(|_| child("child_appends", &path, "").spawn().unwrap()).collect();
    for mut child in children {
        assert!(child.wait().unwrap().success());
    }
    let read = read::<Event>(&path, &Caps::default()).unwrap();
    assert_eq!(read.damage, []);
    let mut all = ids(read);
    assert_eq!(all.len(), 2_400);
    all.sort_unstable();
    all.dedup();
    assert_eq!(all.len(), 2_400);
}

#[test]
#[ignore = "run by another test, in a process of its own"]
fn child_fills_the_disk() {
    let Some(path) = path_of_child() else { return };
    let log = Log::new(&path);
    let acknowledged = (0..1_000).take_while(|&id| log.append(&event(id)).is_ok()).count();
    fs::write(path.with_extension("count"), acknowledged.to_string()).unwrap();
}

#[test]
fn a_short_write_is_taken_back() {
    let (_folder, path) = folder();
    assert!(child("child_fills_the_disk", &path, "ulimit -f 2;").status().unwrap().success());
    let count: usize = fs::read_to_string(path.with_extension("count")).unwrap().parse().unwrap();
    let bytes = fs::read(&path).unwrap();
    let read = parse::<Event>(&bytes, &Caps::default());
    assert!(bytes.ends_with(b"\n") && (1..1_000).contains(&count), "{count}");
    assert_eq!((read.damage, read.entries.len()), (vec![], count));
}

proptest! {
    #[test]
    fn reading_never_fails_and_lists_lines_in_order(bytes: Vec<u8>) {
        let read = parse::<Value>(&bytes, &Caps::default());
        prop_assert!(read.entries.is_sorted_by_key(|entry| entry.line));
        prop_assert!(read.damage.is_sorted_by_key(|damage| damage.line));
    }

    #[test]
    fn what_was_appended_is_read(texts in prop::collection::vec(".*", 1..8), junk: Vec<u8>) {
        let (_folder, path) = folder();
        fs::write(&path, &junk).unwrap();
        let before = read::<Value>(&path, &Caps::default()).unwrap().entries.len();
        let log = Log::new(&path);
        for text in &texts {
            log.append(&json!({ "text": text })).unwrap();
        }
        let read = read::<Value>(&path, &Caps::default()).unwrap();
        let records: Vec<_> = read.into_records().skip(before).collect();
        let expected: Vec<_> = texts.iter().map(|text| json!({ "text": text })).collect();
        prop_assert_eq!(records, expected);
    }
}
