//! Reading what was cut, glued, merged or overwritten; and stamps.

use super::*;

const NOTES: &[&str] = &["note"];

/// `expected`: ids of the kind `note`, then each fault, with their lines.
fn check(text: impl AsRef<[u8]>, expected: &str) {
    let read = parse_file(text.as_ref(), NOTES);
    let records = read.entries.iter().map(|entry| format!("{}@{}", entry.record.id, entry.line));
    let faults = read.damage.iter().map(|damage| {
        let fault = format!("{:?}", damage.fault);
        format!("{}@{}", fault.split([' ', '{']).next().unwrap(), damage.line)
    });
    assert_eq!(records.chain(faults).collect::<Vec<_>>().join(" "), expected);
}

#[test]
fn damage_is_reported_by_line_and_the_rest_is_read() {
    let (one, two, other) = (line("note", "1"), line("note", "2"), line("other", "3"));
    let bare = |line: &str| line.trim_end().to_owned();
    check("", "");
    check(format!("{one}{other}{two}"), "1@1 2@3");
    check(format!("\n{one}\n{two}"), "1@2 2@4");
    check(format!("\u{feff}{one}{two}"), "1@1 2@2");
    check(format!("{one}{}", bare(&two)), "1@1 2@2 NoFinalNewline@2");
    check(format!("{one}{}", bare(&other)), "1@1 NoFinalNewline@2");
    check(format!("{}{two}", bare(&one)), "1@1 2@1 Glued@1");
    check(format!("{}{two}", bare(&other)), "2@1 Glued@1");
    check(format!("{} {two}", bare(&other)), "2@1 Glued@1");
    check(format!("{}{other}", bare(&one)), "1@1 Glued@1");
    check(format!("{one}{other}{two}").replace('\n', "\r\n"), "1@1 2@3 CarriageReturn@1");
    check([one.as_bytes(), &[0; 4096], two.as_bytes()].concat(), "1@1 2@2 Zeros@2");
    check([one.as_bytes(), &[0; 4096], b"\n", two.as_bytes()].concat(), "1@1 2@3 Zeros@2");
    check(format!("{}\0{two}", bare(&other)), "2@1 Zeros@1 Glued@1");
    check(
        format!("{one}<<<<<<< HEAD\n{two}=======\n{other}{one}>>>>>>> theirs\n{two}"),
        "1@1 2@3 1@6 2@8 ConflictMarker@2 ConflictMarker@4 ConflictMarker@7",
    );
    check(format!("{one}[1]\n{{\"kind\":\"note\"}}\n{two}"), "1@1 2@4 NotARecord@2 NotARecord@3");
    check(format!("{one}{{\"kind\":\"note\",\"id\n{two}"), "1@1 2@3 NotJson@2");
    check(format!("{one}{{\"kind\":\"other\",\"id\n{two}"), "1@1 2@3 NotJson@2");
    check(
        format!("{one}{{\"kind\":\"other\",\"text\":\"{}\"}}\n", "x".repeat(1024 * 1024)),
        "1@1 TooLong@2",
    );
    check([one.as_bytes(), b"{\"kind\":\"note\",\"id\":\"\xc3"].concat(), "1@1 CutOff@2");
    // The kind is not where we write it, or not as we do.
    check(line("not\\u0065", "1"), "1@1");
    check(format!("{{\"id\":\"1\",\"kind\":\"note\",\"at\":\"{NOW}\"}}\n"), "1@1");
    check(format!("  {{\"kind\" : \"not\\u0065\", \"id\":\"1\",\"at\":\"{NOW}\"}}\n"), "1@1");
    check(format!("{{\"kind\":\"oth\\u0065r\",\"id\":\"1\",\"at\":\"{NOW}\"}}\n"), "");
    check(
        format!(
            "{{\"kind\":\"other\",\"id\":\"1\",\"at\":\"{NOW}\",\"x\":{{\"kind\":\"note\"}}}}\n"
        ),
        "",
    );
    // Looked at only when asked for.
    check(line("other", "1").replace("\"a\"", "a"), "");
}

#[test]
fn all_kinds_are_read_if_none_is_named() {
    let text = line("note", "1") + &line("other", "2");
    assert_eq!(parse_file(text.as_bytes(), &[]).entries.len(), 2);
    assert_eq!(parse_file(text.as_bytes(), &["other"]).entries[0].record.id, "2");
    assert_eq!(parse_file(text.as_bytes(), &["other", "note"]).entries.len(), 2);
    let broken = line("other", "1").replace("\"a\"", "a");
    assert_eq!(parse_file(broken.as_bytes(), &[]).damage.len(), 1);
}

#[test]
fn only_so_many_faults_are_listed() {
    let rig = Rig::new().with_limits(|limits| limits.file.faults = 5);
    for file in [1, 2] {
        fs::write(rig.shared(&format!("2026-11/{}", name(file))), "x\n".repeat(8)).unwrap();
    }
    let reading = rig.journal.read(&[]);
    assert_eq!((reading.damage.len(), reading.more_damage), (5, 11));
}

#[test]
fn a_damaged_file_hides_no_other() {
    let rig = Rig::new();
    let paths = [1, 2, 3].map(|file| rig.shared(&format!("2026-11/{}", name(file))));
    let glued = line("note", "2").trim_end().to_owned() + &line("note", "3");
    let cut = line("note", "4") + "{\"kind\":\"no";
    for (path, text) in paths.iter().zip([line("note", "1"), glued, cut]) {
        fs::write(path, text).unwrap();
    }
    let reading = rig.journal.read(NOTES);
    let damage: Vec<_> =
        reading.damage.iter().map(|(path, damage)| (path.clone(), damage.line)).collect();
    assert_eq!(ids(&reading), ["1", "2", "3", "4"]);
    assert_eq!(damage, [(paths[1].clone(), 1), (paths[2].clone(), 2)]);
    assert!(reading.unreadable.is_empty());
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
        let reading = rig.journal.read(NOTES);
        // The line end alone may be missing.
        let kept = usize::from(cut + 1 >= first) + usize::from(cut + 1 >= whole.len());
        let expected = [&["1", "2"][..kept], &["3"]].concat();
        assert_eq!(ids(&reading), expected, "cut at {cut}");
        let is_torn = ![0, first - 1, first, whole.len() - 1].contains(&cut);
        let damage: Vec<_> =
            reading.damage.iter().map(|(path, damage)| (path.as_path(), damage.line)).collect();
        let torn_line = if cut < first { 1 } else { 2 };
        assert_eq!(damage, vec![(path.as_path(), torn_line); is_torn.into()], "cut at {cut}");
    }
}

#[test]
fn one_id_with_different_bodies() {
    let rig = Rig::new();
    let retired = |line: String| line.replace("\"text\"", "\"retired\":true,\"text\"");
    let later = |line: String| line.replace("2026-11-21", "2026-11-22");
    let texts = [
        later(line("note", "1")).replace("\"a\"", "\"latest\""),
        line("note", "1"),
        retired(later(line("note", "1"))),
        line("note", "1").replace("2026", "9998"),
        line("note", "1").replace("2026", "-000001"),
        retired(line("note", "2")),
    ];
    for turn in 0..texts.len() {
        for (file, text) in (1..).zip(texts.iter().cycle().skip(turn).take(texts.len())) {
            fs::write(rig.shared(&format!("2026-11/{}", name(file))), text).unwrap();
        }
        let reading = rig.journal.read(&[]);
        assert_eq!((reading.records.len(), reading.damage.len()), (texts.len(), 0));
        let winners: Vec<_> = fold(reading.records, now()).into_values().collect();
        assert_eq!(winners[0].parse::<Note>().unwrap().text, "latest");
        assert!(winners[1].retired && winners.len() == 2);
    }
}

/// Whether nothing has changed since a stamp was taken, as those see it who keep one.
fn is_unchanged(now: &Stamp, recorded: &Stamp) -> bool {
    !recorded.racy && now.digest == recorded.digest
}

#[test]
fn stamps_tell_changes() {
    let rig = Rig::new();
    let far: Timestamp = "2200-01-01T00:00:00Z".parse().unwrap();
    let empty = rig.journal.stamp(far);
    assert!(is_unchanged(&rig.journal.stamp(far), &empty) && !empty.racy);

    let path = rig.append("1");
    let one = rig.journal.stamp(far);
    assert!(!is_unchanged(&one, &empty) && is_unchanged(&rig.journal.stamp(far), &one));

    // Same name, size and time of change, but another file.
    let time = fs::metadata(&path).unwrap().modified().unwrap();
    let copy = rig.path("copy");
    fs::copy(&path, &copy).unwrap();
    fs::File::options().append(true).open(&copy).unwrap().set_modified(time).unwrap();
    fs::rename(&copy, &path).unwrap();
    let replaced = rig.journal.stamp(far);
    assert!(!is_unchanged(&replaced, &one));

    rig.append("2");
    let grown = rig.journal.stamp(far);
    append(&rig.journal, &["3"], Place::Local, now(), &no_file_is_tracked).unwrap();
    let local = rig.journal.stamp(far);
    assert!(!is_unchanged(&grown, &replaced) && !is_unchanged(&local, &grown));
    // The files themselves do not know that their folder is called otherwise.
    let moved = rig.journal.shared.path().join("2026-12");
    fs::rename(path.parent().unwrap(), &moved).unwrap();
    let elsewhere = rig.journal.stamp(far);
    fs::remove_dir_all(&moved).unwrap();
    let gone = rig.journal.stamp(far);
    assert!(!is_unchanged(&elsewhere, &local) && !is_unchanged(&gone, &elsewhere));
}

#[test]
fn a_fresh_file_proves_nothing() {
    let rig = Rig::new();
    let changed = fs::metadata(rig.append("1")).unwrap().modified().unwrap();
    let changed = Timestamp::try_from(changed).unwrap();
    let second = jiff::SignedDuration::from_secs(1);
    for (now, expected) in [
        (changed - second, true),
        (changed, true),
        (changed + second, true),
        (changed + second * 4, false),
        (Timestamp::MAX, false),
    ] {
        let stamp = rig.journal.stamp(now);
        assert_eq!((stamp.racy, is_unchanged(&stamp, &stamp)), (expected, !expected), "{now}");
    }
}
