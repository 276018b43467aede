//! A job as two unit files of systemd, and back (pure).
//!
//! The forms were tried on systemd 252: a word in double quotes keeps everything but `"`, `\`, `%`
//! and `$`; the program, a word too, is no place for variables, so `$` means itself there. A
//! folder stands bare up to the end of its line.

use std::{path::Path, time::Duration};

use super::job::{Job, JobError, check_path, checked_program, is_name, is_plain};

/// First line of every unit file of ours.
const MARK: &str = "# Written by `elophanto schedule`, which also removes it.";
/// Exit code of a gateway that ends since another one of the user serves.
const GATEWAY_RUNS: u8 = 1;
/// How the names of unit files of ours begin.
const PREFIX: &str = "elophanto-";
/// Digits of the hash of the folder in a unit's name.
const HASH_DIGITS: usize = 8;
/// Most of the time by which a run is put off, so that jobs don't all start at once.
const MAX_DELAY: Duration = Duration::from_mins(5);

/// The service: what runs.
///
/// # Errors
/// When there can be no such job.
pub fn service_unit(job: &Job) -> Result<String, JobError> {
    job.check()?;
    let folder = specifiers(&job.folder.to_string_lossy());
    let end = end(&folder);
    let program = &job.program.to_string_lossy();
    let mut command = quote(program, false);
    for word in job.arguments() {
        command.push(' ');
        command.push_str(&quote(word, true));
    }
    let head = head(job);
    Ok(format!(
        "{head}\n[Service]\nType=oneshot\nWorkingDirectory={folder}{end}\nExecStart={command}\n\
         Nice=10\nIOSchedulingClass=idle\n"
    ))
}

/// The timer: when it runs, counted from when the timer was started and from the run before.
///
/// # Errors
/// When there can be no such job.
pub fn timer_unit(job: &Job) -> Result<String, JobError> {
    job.check()?;
    let head = head(job);
    let every = job.every.as_secs();
    let delay = (job.every / 20).min(MAX_DELAY).as_secs();
    Ok(format!(
        "{head}\n[Timer]\nOnActiveSec={every}s\nOnUnitActiveSec={every}s\n\
         RandomizedDelaySec={delay}s\n\n[Install]\nWantedBy=timers.target\n"
    ))
}

/// The gateway as a service: begun when the user's systemd begins, and again when it falls; not where it
/// says by its exit code that another one serves.
///
/// # Errors
/// When one of both cannot be written into a unit file.
pub(super) fn gateway_unit(program: &Path, folder: &Path) -> Result<String, JobError> {
    let program = checked_program(program)?;
    let folder = specifiers(check_path(folder)?);
    Ok(format!(
        "{MARK}\n[Unit]\nDescription=elophanto gateway ({folder})\n\n\
         [Service]\nWorkingDirectory={folder}{}\nExecStart={} gateway\n\
         Restart=on-failure\nRestartSec=10\nRestartPreventExitStatus={GATEWAY_RUNS}\n\n\
         [Install]\nWantedBy=default.target\n",
        end(&folder),
        quote(program, false)
    ))
}

/// Program and folder of such a file.
pub(super) fn parse_gateway(service: &[u8]) -> Option<(String, String)> {
    let folder = folder_of(service)?;
    match split(value(service, "ExecStart=")?)?.as_slice() {
        [program, gateway] if gateway == "gateway" => Some((program.clone(), folder)),
        _ => None,
    }
}

/// Name of both unit files without their endings `.service` and `.timer`:
/// `elophanto-<name>-<hash of the folder>`.
pub fn unit_name(name: &str, folder: &Path) -> String {
    let hash = blake3::hash(folder.as_os_str().as_encoded_bytes()).to_hex();
    format!("{PREFIX}{name}-{}", &hash[..HASH_DIGITS])
}

/// Whether a unit of ours could be called that.
pub(super) fn is_unit_name(unit: &str) -> bool {
    let is_digit = |byte: u8| matches!(byte, b'0'..=b'9' | b'a'..=b'f');
    unit.strip_prefix(PREFIX).and_then(|rest| rest.rsplit_once('-')).is_some_and(|(name, hash)| {
        is_name(name) && hash.len() == HASH_DIGITS && hash.bytes().all(is_digit)
    })
}

/// Whether we wrote this file, whatever became of it since.
pub(super) fn is_ours(file: &[u8]) -> bool {
    file.split(|byte| *byte == b'\n').next() == Some(MARK.as_bytes())
}

/// The job that two unit files of ours stand for. Lines that say nothing of it may have been
/// changed.
pub(super) fn parse(service: &[u8], timer: &[u8]) -> Option<Job> {
    if !is_ours(service) || !is_ours(timer) {
        return None;
    }
    let folder = folder_of(service)?;
    let words = split(value(service, "ExecStart=")?)?;
    let every = value(timer, "OnUnitActiveSec=")?.strip_suffix('s')?.parse().ok()?;
    Job::from_words(&words, &folder, Duration::from_secs(every))
}

/// The folder that a service of ours works in.
fn folder_of(service: &[u8]) -> Option<String> {
    let folder = value(service, "WorkingDirectory=")?;
    let folder = match folder.strip_suffix('/') {
        Some(shorter) if !shorter.is_empty() => shorter,
        _ => folder,
    };
    let folder = folder.split("%%").map(|part| (!part.contains('%')).then_some(part));
    Some(folder.collect::<Option<Vec<_>>>()?.join("%"))
}

/// Blanks at the end of a line are dropped and a backslash there joins the next one to it; of a slash
/// at the end systemd frees the path itself.
fn end(folder: &str) -> &'static str {
    if folder.ends_with(|c: char| c == '\\' || c.is_whitespace()) { "/" } else { "" }
}

/// What the only line with that key says.
fn value<'a>(file: &'a [u8], key: &str) -> Option<&'a str> {
    let mut values =
        str::from_utf8(file).ok()?.split('\n').filter_map(|line| line.strip_prefix(key));
    let only = values.next()?;
    values.next().is_none().then_some(only)
}

fn head(job: &Job) -> String {
    let folder = specifiers(&job.folder.to_string_lossy());
    format!("{MARK}\n[Unit]\nDescription=elophanto {} ({folder})\n", job.name)
}

fn specifiers(text: &str) -> String {
    text.replace('%', "%%")
}

fn quote(word: &str, has_variables: bool) -> String {
    if is_plain(word) {
        return word.to_owned();
    }
    let mut quoted = String::from('"');
    for c in word.chars() {
        match c {
            '"' | '\\' => quoted.push('\\'),
            '%' => quoted.push('%'),
            '$' if has_variables => quoted.push('$'),
            _ => {}
        }
        quoted.push(c);
    }
    quoted.push('"');
    quoted
}

/// The words of a line that [`quote`] wrote; `None` for anything else.
fn split(line: &str) -> Option<Vec<String>> {
    let mut words = Vec::new();
    let mut rest = line;
    loop {
        let word;
        (word, rest) = match rest.strip_prefix('"') {
            Some(rest) => unquote(rest, !words.is_empty())?,
            None => {
                let (word, rest) = rest.split_at(rest.find(' ').unwrap_or(rest.len()));
                (is_plain(word).then(|| word.to_owned())?, rest)
            }
        };
        words.push(word);
        if rest.is_empty() {
            return Some(words);
        }
        rest = rest.strip_prefix(' ')?;
    }
}

/// The word up to the closing quote, and what follows.
fn unquote(text: &str, has_variables: bool) -> Option<(String, &str)> {
    let mut word = String::new();
    let mut chars = text.chars();
    loop {
        let c = chars.next()?;
        let twin = match c {
            '"' => return Some((word, chars.as_str())),
            '\\' => chars.next().filter(|next| matches!(next, '"' | '\\'))?,
            '%' => chars.next().filter(|next| *next == '%')?,
            '$' if has_variables => chars.next().filter(|next| *next == '$')?,
            c => c,
        };
        word.push(twin);
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::schedule::tests::{job, jobs};

    #[test]
    fn the_files_of_a_job() {
        let job = job("scan", 600, &["scan", "--limit", "50%"], "/home/é/my notes");
        assert_eq!(
            service_unit(&job).unwrap(),
            "# Written by `elophanto schedule`, which also removes it.\n\
             [Unit]\n\
             Description=elophanto scan (/home/é/my notes)\n\
             \n\
             [Service]\n\
             Type=oneshot\n\
             WorkingDirectory=/home/é/my notes\n\
             ExecStart=/usr/bin/elophanto schedule run scan -- scan --limit \"50%%\"\n\
             Nice=10\n\
             IOSchedulingClass=idle\n"
        );
        assert_eq!(
            timer_unit(&job).unwrap(),
            "# Written by `elophanto schedule`, which also removes it.\n\
             [Unit]\n\
             Description=elophanto scan (/home/é/my notes)\n\
             \n\
             [Timer]\n\
             OnActiveSec=600s\n\
             OnUnitActiveSec=600s\n\
             RandomizedDelaySec=30s\n\
             \n\
             [Install]\n\
             WantedBy=timers.target\n"
        );
        let long = Job { every: Duration::from_hours(24), ..job };
        assert!(timer_unit(&long).unwrap().contains("RandomizedDelaySec=300s\n"));
    }

    #[test]
    fn words() {
        for (word, quoted) in [
            ("plain-1.0_x=/y:z,+@", "plain-1.0_x=/y:z,+@"),
            ("", r#""""#),
            ("two words", r#""two words""#),
            ("100%", r#""100%%""#),
            ("$HOME ${HOME}", r#""$$HOME $${HOME}""#),
            (r#"say "hi""#, r#""say \"hi\"""#),
            ("it's", r#""it's""#),
            (r"a\b\", r#""a\\b\\""#),
            (";", r#"";""#),
            ("#", r##""#""##),
            ("é 𝄞", r#""é 𝄞""#),
        ] {
            assert_eq!(quote(word, true), quoted);
            let line = format!("/x {quoted} y");
            assert_eq!(split(&line).unwrap(), ["/x", word, "y"], "{line}");
        }
        assert_eq!(quote("/a b/$x/1%", false), r#""/a b/$x/1%%""#);
    }

    #[test]
    fn other_lines_are_not_read() {
        for line in [
            "", " ", "a  b", "a ", "\"a", "\"a\"b", r#""\n""#, r#""%h""#, "%h", "a \"$x\"", "a $x",
            "'a b'", "a;b",
        ] {
            assert_eq!(split(line), None, "{line}");
        }
    }

    fn check_folder(folder: &str, line: &str) {
        let job = job("a", 60, &["index"], folder);
        let unit = service_unit(&job).unwrap();
        assert!(unit.contains(&format!("\nWorkingDirectory={line}\n")), "{unit}");
        let read = parse(unit.as_bytes(), timer_unit(&job).unwrap().as_bytes());
        assert_eq!(read, Some(job));
    }

    #[test]
    fn folders() {
        check_folder("/", "/");
        check_folder("/a b/c'd\"e", "/a b/c'd\"e");
        check_folder("/100%/%h", "/100%%/%%h");
        check_folder("/$HOME/~", "/$HOME/~");
        check_folder("/end ", "/end /");
        check_folder("/end\\", "/end\\/");
        check_folder("/end\u{a0}", "/end\u{a0}/");
    }

    #[test]
    fn changed_files() {
        let job = job("a", 600, &["index"], "/r");
        let (service, timer) = (service_unit(&job).unwrap(), timer_unit(&job).unwrap());
        let check = |from: &str, to: &str, expected: Option<&Job>| {
            assert!(service.contains(from) || timer.contains(from), "{from}");
            let (service, timer) = (service.replace(from, to), timer.replace(from, to));
            let read = parse(service.as_bytes(), timer.as_bytes());
            assert_eq!(read.as_ref(), expected, "{from} to {to}");
        };
        check("Nice=10", "Nice=5\nEnvironment=A=b", Some(&job));
        check("OnActiveSec=600s", "OnActiveSec=5s", Some(&job));
        let slower = Job { every: Duration::from_secs(900), ..job.clone() };
        check("OnUnitActiveSec=600s", "OnUnitActiveSec=900s", Some(&slower));
        check("OnUnitActiveSec=600s", "OnUnitActiveSec=10min", None);
        check("OnUnitActiveSec=600s", "OnUnitActiveSec=1s", None);
        check("ExecStart=", "ExecStart=/bin/true\nExecStart=", None);
        check("Nice=10", "ExecStart=/bin/true", None);
        check("schedule run a", "schedule add a", None);
        check("WorkingDirectory=/r", "WorkingDirectory=%h", None);
        check("# Written", "# written", None);
        check("index", "", None);
    }

    #[test]
    fn names_of_units() {
        let (here, there) = (Path::new("/a"), Path::new("/b"));
        assert_ne!(unit_name("x", here), unit_name("x", there));
        assert!(is_unit_name(&unit_name("x-1_y", here)));
        for unit in ["", "elophanto-", "elophanto-x", "elophanto-x-0123", "elophanto--01234567"] {
            assert!(!is_unit_name(unit), "{unit}");
        }
        for unit in ["elophanto-X-01234567", "elophanto-x-0123456G", "other-x-01234567"] {
            assert!(!is_unit_name(unit), "{unit}");
        }
    }

    proptest! {
        #![proptest_config(ProptestConfig { failure_persistence: None, ..Default::default() })]

        #[test]
        fn what_is_written_is_read(job in jobs()) {
            let (service, timer) = (service_unit(&job).unwrap(), timer_unit(&job).unwrap());
            prop_assert_eq!(parse(service.as_bytes(), timer.as_bytes()), Some(job));
        }
    }
}
