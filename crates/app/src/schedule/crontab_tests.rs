use std::process::Command;

use proptest::prelude::*;

use super::*;
use crate::schedule::tests::{cron_jobs, job, jobs};

#[test]
fn the_entry_of_a_job() {
    let job = job("scan", 600, &["scan", "--limit", "50%", "it's"], "/home/é/my notes");
    assert_eq!(
        crontab_entry(&job).unwrap(),
        "# elophanto: scan /home/é/my%20notes\n\
         */10 * * * * cd '/home/é/my notes' && /usr/bin/elophanto schedule run scan -- scan \
         --limit '50'\\%'' 'it'\"'\"'s'\n"
    );
}

fn check_interval(every: u64, expected: &str) {
    let job = job("index", every, &["index"], "/r");
    let entry = crontab_entry(&job).unwrap();
    let line = entry.lines().nth(1).unwrap();
    assert!(line.starts_with(&format!("{expected} cd /r && ")), "{every}: {line}");
}

#[test]
fn intervals() {
    for (every, expected) in [
        (60, "* * * * *"),
        (120, "*/2 * * * *"),
        (30 * 60, "*/30 * * * *"),
        (HOUR, "6 * * * *"),
        (6 * HOUR, "6 */6 * * *"),
        (12 * HOUR, "6 */12 * * *"),
        (DAY, "6 9 * * *"),
        (7 * DAY, "6 9 */7 * *"),
        (30 * DAY, "6 9 */30 * *"),
    ] {
        check_interval(every, expected);
    }
    for (every, below, above) in [
        (61, 60, 120),
        (7 * 60, 6 * 60, 10 * 60),
        (45 * 60, 30 * 60, HOUR),
        (90 * 60, HOUR, 2 * HOUR),
        (5 * HOUR, 4 * HOUR, 6 * HOUR),
        (23 * HOUR, 12 * HOUR, DAY),
        (36 * HOUR, DAY, 2 * DAY),
        (30 * DAY - 1, 29 * DAY, 30 * DAY),
    ] {
        let error = crontab_entry(&job("index", every, &["index"], "/r")).unwrap_err();
        let [every, below, above] = [every, below, above].map(Duration::from_secs);
        assert_eq!(error, JobError::CronInterval { every, below, above });
    }
    let error = crontab_entry(&job("index", 90 * 60, &["index"], "/r")).unwrap_err();
    let said = "cron cannot say every 90m; the nearest that it can are 1h and 2h";
    assert_eq!(error.to_string(), said);
    for fields in [
        "", "* * * *", "*/7 * * * *", "*/0 * * * *", "60 * * * *", "1 24 * * *", "1 */5 * * *",
        "1 2 */31 * *", "1 2 3 * *", "* */2 * * *", "@daily", "1,2 * * * *", "1 2 * * 1",
    ] {
        assert_eq!(interval(fields), None, "{fields}");
    }
}

#[test]
fn too_long_for_cron() {
    let fits = |length: usize| {
        crontab_entry(&job("a", 60, &[&"x".repeat(length)], "/r")).map(|entry| entry.len())
    };
    let room = MAX_COMMAND - "cd /r && /usr/bin/elophanto schedule run a -- ".len();
    fits(room).unwrap();
    let error = JobError::CronTooLong { bytes: MAX_COMMAND + 1, cap: MAX_COMMAND };
    assert_eq!(fits(room + 1), Err(error));
}

/// What cron hands to the shell, as far as implementations agree and as they differ.
fn through_cron(line: &str, is_percent: bool, is_backslash: bool) -> String {
    let mut command = String::new();
    let mut chars = line.chars();
    while let Some(c) = chars.next() {
        match c {
            '\\' => match chars.next() {
                Some('%') if is_percent => command.push('%'),
                Some('\\') if is_backslash => command.push('\\'),
                next => command.extend(['\\'].into_iter().chain(next)),
            },
            '%' if is_percent => panic!("a line feed in {line}"),
            c => command.push(c),
        }
    }
    command
}

/// The words that `sh` makes of it.
fn through_sh(words: &str) -> Vec<String> {
    let script = format!("set -- {words}\nfor word do printf '%s\\0' \"$word\"; done");
    let output = Command::new("sh").arg("-c").arg(script).output().unwrap();
    assert!(output.status.success() && output.stderr.is_empty(), "{words}: {output:?}");
    let text = String::from_utf8(output.stdout).unwrap();
    text.split_terminator('\0').map(str::to_owned).collect()
}

const WORDS: &[&str] = &[
    "", "plain", "two words", "50%", "%%", r"\%", r"\\%", r"a\", r"\\", r"\\\", r"\'", "'", "''",
    "it's", "\"", "$HOME", "${HOME}", "$(id)", "`id`", ";", "&&", "|", "*", "~", "#x", "!x", "é 𝄞",
    "-rf", "a=b", r"\n", "{a,b}", "%'\\%\\\\'%",
];

#[test]
fn the_shell_gets_the_words() {
    let quoted: Vec<String> = WORDS.iter().map(|word| quote(word)).collect();
    let line = quoted.join(" ");
    for (is_percent, is_backslash) in [(true, true), (true, false), (false, false)] {
        assert_eq!(through_sh(&through_cron(&line, is_percent, is_backslash)), WORDS);
    }
    assert_eq!(split(&line.replace(" & ", " ")).unwrap(), WORDS);
}

#[test]
fn other_lines_are_not_read() {
    let job = job("a", 600, &["search", "x y"], "/r");
    let entry = crontab_entry(&job).unwrap();
    let line = entry.lines().nth(1).unwrap();
    assert_eq!(parse_line(line), Some(job));
    for (from, to) in [
        ("'x y'", "'x y"),
        ("'x y'", "\"x y\""),
        ("'x y'", "x\\ y"),
        ("'x y'", "'50%'"),
        ("'x y'", "'x' > /dev/null"),
        ("'x y'", "'x'; rm -rf ~"),
        ("'x y'", "$x"),
        ("cd /r", "cd  /r"),
        ("cd /r", "cd r"),
        ("cd /r", "cd /r/.."),
        ("&&", ";"),
        ("run a", "run A"),
        ("schedule", "index"),
        ("*/10", "*/11"),
        ("*/10", "#*/10"),
    ] {
        assert!(line.contains(from));
        assert_eq!(parse_line(&line.replace(from, to)), None, "{to}");
    }
}

#[test]
fn entries_that_lost_their_line() {
    let job = job("a", 600, &["index"], "/r");
    let entry = crontab_entry(&job).unwrap();
    let (mark, line) = entry.split_once('\n').unwrap();
    for (crontab, expected) in [
        (String::new(), vec![]),
        (line.to_owned(), vec![]),
        ("# elophanto: jobs\n".to_owned() + line, vec![]),
        (mark.to_owned(), vec![(1, false)]),
        (format!("{mark}\n\n{line}"), vec![(1, false)]),
        (format!("{mark}\n{entry}"), vec![(1, false), (2, true)]),
        (format!("x\n{mark}\n{line}"), vec![(2, true)]),
        (format!("{}\n{line}", mark.replace("/r", "/s")), vec![(1, false)]),
        (format!("{}\r\n{line}", mark), vec![]),
    ] {
        let found = entries(crontab.as_bytes());
        let found: Vec<_> = found.iter().map(|entry| (entry.line, entry.job.is_some())).collect();
        assert_eq!(found, expected, "{crontab}");
    }
}

/// Lines of others, some of which look like ours. No comment fits any line but its own: else the
/// two would become an entry once what stands between them is removed.
fn crontabs() -> impl Strategy<Value = Vec<u8>> {
    let entry = |job: Job| crontab_entry(&job).unwrap();
    let piece = prop_oneof![
        Just(b"\n".to_vec()),
        Just(b"MAILTO=me\n".to_vec()),
        Just(b"# elophanto: a /r\n".to_vec()),
        Just(b"# elophanto: \n".to_vec()),
        Just(b"*/10 * * * * cd /r && /x schedule run b -- index\n".to_vec()),
        Just(b"*/10 * * * * cd /r && /x schedule run b -- index; x\r\n".to_vec()),
        proptest::collection::vec(any::<u8>(), 0..9),
        cron_jobs().prop_map(move |job| entry(job).into_bytes()),
        cron_jobs().prop_map(move |job| entry(job).trim_end().into()),
    ];
    proptest::collection::vec(piece, 0..9).prop_map(|pieces| pieces.concat())
}

fn found(crontab: &[u8]) -> Vec<Job> {
    entries(crontab).into_iter().filter_map(|entry| entry.job).collect()
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..Default::default() })]

    #[test]
    fn what_is_written_is_read(job in cron_jobs()) {
        prop_assert_eq!(found(crontab_entry(&job).unwrap().as_bytes()), [job]);
    }

    #[test]
    fn any_word_is_read_back(job in jobs()) {
        let line: Vec<String> = job.command.iter().map(|word| quote(word)).collect();
        let line = line.join(" ");
        prop_assert_eq!(split(&line).unwrap(), job.command);
        prop_assert!(!line.contains(r"\\"));
        prop_assert!(line.match_indices('%').all(|(at, _)| line[..at].ends_with('\\')));
    }

    #[test]
    fn other_lines_are_kept(crontab in crontabs(), job in cron_jobs()) {
        let kept = without(&crontab, &job.name, &job.folder);
        let mut ended = kept.clone();
        if !(ended.is_empty() || ended.ends_with(b"\n")) {
            ended.push(b'\n');
        }
        let others: Vec<Job> =
            found(&crontab).into_iter().filter(|other| !other.is(&job.name, &job.folder)).collect();
        prop_assert_eq!(found(&kept), others);

        let added = with(&kept, &job).unwrap();
        prop_assert!(added.starts_with(&ended));
        let entry = crontab_entry(&job).unwrap();
        prop_assert_eq!(&added[ended.len()..], entry.as_bytes());
        prop_assert_eq!(without(&added, &job.name, &job.folder), ended);

        let replaced = with(&crontab, &job).unwrap();
        prop_assert_eq!(with(&replaced, &job).unwrap(), replaced.clone());
        let again: Vec<Job> =
            found(&replaced).into_iter().filter(|other| other.is(&job.name, &job.folder)).collect();
        prop_assert_eq!(again, [job]);
    }
}
