//! A job as two lines of a crontab, and back (pure).
//!
//! The first line is a comment that says whose the second one is. Cron turns `%` into a line feed
//! and takes the backslash from `\%`; some implementations make one backslash of two, and some
//! leave both rules alone. What is written here reads the same to all of them, and to any `sh`.

use std::{
    ops::Range,
    path::{Path, PathBuf},
    time::Duration,
};

use super::job::{Job, JobError, check_path, is_name, is_plain};
use crate::config::unescape;

const MARK: &str = "# elophanto: ";
/// Most bytes of a command: Vixie's cron cuts what is longer than 999.
const MAX_COMMAND: usize = 998;

const MINUTE: u64 = 60;
const HOUR: u64 = 60 * MINUTE;
const DAY: u64 = 24 * HOUR;
/// Whole minutes that divide an hour.
const MINUTES: &[u64] = &[1, 2, 3, 4, 5, 6, 10, 12, 15, 20, 30];
/// Whole hours that divide a day.
const HOURS: &[u64] = &[1, 2, 3, 4, 6, 8, 12];
/// Days of which cron skips at most some. Counted anew each month, so that at the end of one the
/// time between two runs is shorter; never longer.
const MAX_DAYS: u64 = 30;
/// Hours of the day in which jobs of whole days start, since at night some machines are off.
const DAYTIME: Range<u64> = 9..18;

/// The comment and the line of a job, each with its line feed.
///
/// # Errors
/// When there can be no such job, when cron cannot say its interval, or when it is too long.
pub fn crontab_entry(job: &Job) -> Result<String, JobError> {
    job.check()?;
    let folder = &job.folder.to_string_lossy();
    let mut command = format!("cd {} && {}", quote(folder), quote(&job.program.to_string_lossy()));
    for word in job.arguments() {
        command.push(' ');
        command.push_str(&quote(word));
    }
    if command.len() > MAX_COMMAND {
        return Err(JobError::CronTooLong { bytes: command.len(), cap: MAX_COMMAND });
    }
    let when = when(job)?;
    Ok(format!("{MARK}{} {}\n{when} {command}\n", job.name, escape(folder)))
}

/// The line by which cron starts the gateway when the machine starts; put in by the user, by hand.
pub(super) fn gateway_line(program: &Path, folder: &Path) -> String {
    let (folder, program) = (folder.to_string_lossy(), program.to_string_lossy());
    format!("@reboot cd {} && {} gateway --ensure", quote(&folder), quote(&program))
}

/// An entry of ours in a crontab.
#[derive(Debug)]
pub(super) struct Entry {
    pub name: String,
    pub folder: PathBuf,
    /// Line of the comment, counted from 1.
    pub line: usize,
    /// The bytes of both lines.
    range: Range<usize>,
    /// `None` if the line below the comment is not as we wrote it, and thereby not ours.
    pub job: Option<Job>,
}

/// All entries of ours.
pub(super) fn entries(crontab: &[u8]) -> Vec<Entry> {
    let mut entries = Vec::new();
    let mut start = 0;
    let mut lines = (1..).zip(crontab.split_inclusive(|byte| *byte == b'\n')).peekable();
    while let Some((number, line)) = lines.next() {
        let mut range = start..start + line.len();
        start = range.end;
        let Some((name, folder)) = text(line).and_then(parse_mark) else { continue };
        let below = lines.peek().map(|(_, below)| *below);
        let job = below.and_then(text).and_then(parse_line).filter(|job| job.is(&name, &folder));
        if let (Some(_), Some(below)) = (&job, below) {
            range.end += below.len();
            start = range.end;
            lines.next();
        }
        entries.push(Entry { name, folder, line: number, range, job });
    }
    entries
}

/// The crontab with this entry in place of those of the same name and folder, else at its end.
/// All other lines stay as they are.
pub(super) fn with(crontab: &[u8], job: &Job) -> Result<Vec<u8>, JobError> {
    let entry = crontab_entry(job)?;
    Ok(replace(crontab, &job.name, &job.folder, Some(&entry)))
}

/// The crontab without the entries of that name and folder. All other lines stay as they are.
pub(super) fn without(crontab: &[u8], name: &str, folder: &Path) -> Vec<u8> {
    replace(crontab, name, folder, None)
}

fn replace(crontab: &[u8], name: &str, folder: &Path, mut entry: Option<&str>) -> Vec<u8> {
    let mut new = Vec::with_capacity(crontab.len() + entry.map_or(0, str::len));
    let mut kept = 0;
    for old in entries(crontab) {
        if old.job.is_some_and(|job| job.is(name, folder)) {
            new.extend_from_slice(&crontab[kept..old.range.start]);
            new.extend_from_slice(entry.take().unwrap_or_default().as_bytes());
            kept = old.range.end;
        }
    }
    new.extend_from_slice(&crontab[kept..]);
    if let Some(entry) = entry {
        if !new.is_empty() && !new.ends_with(b"\n") {
            new.push(b'\n');
        }
        new.extend_from_slice(entry.as_bytes());
    }
    new
}

/// A line without its line feed.
fn text(line: &[u8]) -> Option<&str> {
    str::from_utf8(line.strip_suffix(b"\n").unwrap_or(line)).ok()
}

fn parse_mark(line: &str) -> Option<(String, PathBuf)> {
    let (name, folder) = line.strip_prefix(MARK)?.split_once(' ')?;
    let folder = PathBuf::from(String::from_utf8(unescape(folder)?).ok()?);
    (is_name(name) && check_path(&folder).is_ok()).then(|| (name.to_owned(), folder))
}

fn parse_line(line: &str) -> Option<Job> {
    let at = line.match_indices(' ').nth(4)?.0;
    let every = interval(line.get(..at)?)?;
    let words = split(line.get(at + 1..)?)?;
    let [cd, folder, and, command @ ..] = words.as_slice() else { return None };
    if cd != "cd" || and != "&&" {
        return None;
    }
    Job::from_words(command, folder, every)
}

/// The five fields that say when. Which minute and hour is told from name and folder, so that not
/// all jobs start at once.
fn when(job: &Job) -> Result<String, JobError> {
    let seed = [job.name.as_bytes(), b" ", job.folder.as_os_str().as_encoded_bytes()].concat();
    let hash = blake3::hash(&seed);
    let [first, second, ..] = hash.as_bytes();
    let minute = u64::from(*first) % 60;
    let hour = DAYTIME.start + u64::from(*second) % (DAYTIME.end - DAYTIME.start);
    let every = job.every.as_secs();
    Ok(match every {
        MINUTE => "* * * * *".to_owned(),
        HOUR => format!("{minute} * * * *"),
        DAY => format!("{minute} {hour} * * *"),
        _ if is_multiple(every, MINUTE, MINUTES) => format!("*/{} * * * *", every / MINUTE),
        _ if is_multiple(every, HOUR, HOURS) => format!("{minute} */{} * * *", every / HOUR),
        _ if every.is_multiple_of(DAY) => format!("{minute} {hour} */{} * *", every / DAY),
        _ => return Err(nearest(job.every)),
    })
}

fn is_multiple(every: u64, unit: u64, counts: &[u64]) -> bool {
    every.is_multiple_of(unit) && counts.contains(&(every / unit))
}

/// What cron can say instead.
fn nearest(every: Duration) -> JobError {
    let minutes = MINUTES.iter().map(|count| count * MINUTE);
    let hours = HOURS.iter().map(|count| count * HOUR);
    let days = (1..=MAX_DAYS).map(|count| count * DAY);
    let all = minutes.chain(hours).chain(days).map(Duration::from_secs);
    let (mut below, mut above) = (super::MIN_EVERY, super::MAX_EVERY);
    for sayable in all {
        if sayable <= every {
            below = below.max(sayable);
        } else {
            above = above.min(sayable);
        }
    }
    JobError::CronInterval { every, below, above }
}

/// Reads what [`when`] writes, at whatever minute and hour.
fn interval(fields: &str) -> Option<Duration> {
    let is_below = |field: &str, end: u64| field.parse::<u64>().is_ok_and(|number| number < end);
    let step = |field: &str| field.strip_prefix("*/")?.parse::<u64>().ok();
    let fields: Vec<&str> = fields.split(' ').collect();
    let every = match *fields.as_slice() {
        ["*", "*", "*", "*", "*"] => MINUTE,
        [minutes, "*", "*", "*", "*"] if minutes.starts_with('*') => {
            MINUTES.iter().find(|count| step(minutes) == Some(**count))? * MINUTE
        }
        [minute, "*", "*", "*", "*"] if is_below(minute, 60) => HOUR,
        [minute, hours, "*", "*", "*"] if is_below(minute, 60) && hours.starts_with('*') => {
            HOURS.iter().find(|count| step(hours) == Some(**count))? * HOUR
        }
        [minute, hour, "*", "*", "*"] if is_below(minute, 60) && is_below(hour, 24) => DAY,
        [minute, hour, days, "*", "*"] if is_below(minute, 60) && is_below(hour, 24) => {
            step(days).filter(|count| (1..=MAX_DAYS).contains(count))? * DAY
        }
        _ => return None,
    };
    Some(Duration::from_secs(every))
}

/// A word for `sh` in a line for cron. A backslash is never followed by another one, or by `%`
/// but where it protects that; outside of quotes `\%` is `%` even if cron leaves it alone.
fn quote(word: &str) -> String {
    if is_plain(word) {
        return word.to_owned();
    }
    let mut quoted = String::from("'");
    let mut after_backslash = false;
    for c in word.chars() {
        match c {
            '\'' => quoted.push_str(r#"'"'"'"#),
            '%' => quoted.push_str(r"'\%'"),
            '\\' if after_backslash => quoted.push_str(r"''\"),
            c => quoted.push(c),
        }
        after_backslash = c == '\\';
    }
    quoted.push('\'');
    quoted
}

/// The words of a line that [`quote`] wrote, and `&&`; `None` for anything else.
fn split(line: &str) -> Option<Vec<String>> {
    line_words(line).into_iter().map(unquote).collect()
}

/// Cut at the blanks that stand outside of single quotes. Between double quotes there are none.
fn line_words(line: &str) -> Vec<&str> {
    let (mut words, mut start) = (Vec::new(), 0);
    let (mut single, mut double) = (false, false);
    for (at, c) in line.char_indices() {
        match c {
            '\'' if !double => single = !single,
            '"' if !single => double = !double,
            ' ' if !single => {
                words.push(&line[start..at]);
                start = at + 1;
            }
            _ => {}
        }
    }
    words.push(&line[start..]);
    words
}

fn unquote(quoted: &str) -> Option<String> {
    if is_plain(quoted) || quoted == "&&" {
        return Some(quoted.to_owned());
    }
    let mut word = String::new();
    let mut rest = quoted;
    while !rest.is_empty() {
        if let Some(inner) = rest.strip_prefix('\'') {
            let (text, after) = inner.split_once('\'')?;
            word.push_str(text);
            rest = after;
        } else if let Some(after) = rest.strip_prefix(r#""'""#) {
            word.push('\'');
            rest = after;
        } else {
            rest = rest.strip_prefix(r"\%")?;
            word.push('%');
        }
    }
    // What is quoted in another way, or has a bare `%`, would mean something else to cron.
    (quote(&word) == quoted).then_some(word)
}

/// A path as the end of a comment: nothing that an editor strips.
fn escape(path: &str) -> String {
    let mut escaped = String::new();
    for c in path.chars() {
        if c == '%' || c.is_whitespace() {
            let mut bytes = [0; 4];
            for byte in c.encode_utf8(&mut bytes).bytes() {
                escaped.push_str(&format!("%{byte:02x}"));
            }
        } else {
            escaped.push(c);
        }
    }
    escaped
}

#[cfg(test)]
#[path = "crontab_tests.rs"]
mod tests;
