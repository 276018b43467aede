//! The log of a conversation as it is found. One that is damaged is set aside as it is, and what can be
//! read of it goes on; one that cannot be read for now is left alone.

use std::{
    fmt, fs, io,
    path::{Path, PathBuf},
};

use uuid::Uuid;

use super::ledger::{CAPS, Kept, LONG, Ledger, Record};
use crate::{Error, Result};
use elophanto_base::{
    aside,
    beneath::is_link,
    jsonl::{self, Damage, Fault, JsonlError, Log},
    platform,
};

/// A log of which nothing is changed yet.
#[derive(Debug)]
pub struct Found {
    ledger: Ledger,
    problems: Vec<String>,
    is_good: bool,
}

impl Found {
    /// Reads a log; one that is not there is empty. What is damaged of it is a problem, not an error.
    ///
    /// # Errors
    /// When it cannot be read for now, which says nothing of what is in it.
    pub fn read(path: &Path) -> Result<Self> {
        let log = Log::new(path).with_caps(CAPS);
        let ledger = Ledger { log, kept: Kept::default(), grown: 0 };
        let mut found = Self { ledger, problems: Vec::new(), is_good: true };
        match path.symlink_metadata() {
            Ok(metadata) => found.ledger.grown = metadata.len(),
            Err(cause) if cause.kind() == io::ErrorKind::NotFound => return Ok(found),
            Err(cause) => {
                return Err(for_now(format_args!("`{}` cannot be read: {cause}", path.display())));
            }
        }
        match jsonl::read::<Record>(path, &CAPS) {
            Ok(read) => {
                let damage = read.damage.iter();
                found.problems.extend(damage.map(|Damage { line, fault }| {
                    format!("`{}`, line {line}: {fault}", path.display())
                }));
                found.is_good = read.damage.iter().all(|it| !loses(&it.fault));
                read.into_records().for_each(|record| found.ledger.kept.take(&record));
            }
            Err(cause) if is_no_log(&cause) => {
                found.problems.push(cause.to_string());
                found.is_good = false;
            }
            Err(cause) => return Err(for_now(cause)),
        }
        Ok(found)
    }

    /// What it says.
    pub fn kept(&self) -> &Kept {
        &self.ledger.kept
    }

    /// What was wrong with it, in words.
    pub fn problems(&self) -> &[String] {
        &self.problems
    }

    /// Goes on in it as the log of this person about this repository. One that is damaged, or is that of
    /// another conversation, is set aside as it is: what can be read goes on, also where the line is lost
    /// that says whose it is. What was wrong is said in words.
    ///
    /// # Errors
    /// When it cannot be set aside, or what goes on not be written: the log is then as it was.
    pub fn take_up(self, person: &str, root: &Path) -> Result<(Ledger, Vec<String>)> {
        let Self { mut ledger, mut problems, mut is_good } = self;
        let (path, kept) = (ledger.log.path().to_owned(), &mut ledger.kept);
        if kept.session.is_some() && (kept.person != person || kept.root != root) {
            problems.push(format!("`{}` is the log of another conversation", path.display()));
            *kept = Kept::default();
            is_good = false;
        } else if kept.session.is_none() && kept.says_anything() {
            let text = "which session goes on in it cannot be read any more: another one begins, and \
                        `/sessions` lists those there are";
            problems.push(format!("`{}`: {text}", path.display()));
            (kept.person, kept.root) = (person.to_owned(), root.to_owned());
            kept.session = Some(Uuid::new_v4());
            is_good = false;
        }
        if is_good {
            if ledger.grown > LONG {
                // What cannot be written anew now is later.
                let _ = ledger.compact();
            }
            return Ok((ledger, problems));
        }
        let aside = match ledger.kept.session {
            Some(_) => replace(&mut ledger, &path)?,
            // Nothing of it goes on.
            None => aside::rename(&path).map_err(|cause| not_aside(&path, &cause))?,
        };
        problems.push(format!("it is kept as it was in `{}`", aside.display()));
        Ok((ledger, problems))
    }
}

/// Puts what goes on in the place of the log, which gets another name before: at no moment is there
/// neither.
fn replace(ledger: &mut Ledger, path: &Path) -> Result<PathBuf> {
    let aside = aside::keep(path).map_err(|cause| not_aside(path, &cause))?;
    let before = identity(path);
    ledger.compact().inspect_err(|_| {
        // A second name of what is still there would be one more each time.
        if before.is_some() && identity(path) == before {
            let _ = fs::remove_file(&aside);
        }
    })?;
    Ok(aside)
}

/// Which file lies there.
fn identity(path: &Path) -> Option<(u64, u64)> {
    platform::identity(&path.symlink_metadata().ok()?)
}

fn not_aside(path: &Path, cause: &io::Error) -> Error {
    for_now(format_args!("`{}` cannot be set aside: {cause}", path.display()))
}

fn for_now(what: impl fmt::Display) -> Error {
    Error::new(what).hint("nothing of it was changed: it is tried again when somebody comes in")
}

/// Whether this says that what lies there is no log of ours; anything else may pass.
fn is_no_log(error: &JsonlError) -> bool {
    match error {
        JsonlError::NotAFile(_) | JsonlError::FileTooLarge { .. } => true,
        JsonlError::Io { source: cause, .. } => is_link(cause),
        JsonlError::RecordTooLarge { .. } | JsonlError::Encode { .. } => false,
    }
}

/// Whether something that was written is not read any more; the end of a log that a kill cut off was
/// never told to anybody.
fn loses(fault: &Fault) -> bool {
    match fault {
        Fault::CutOff | Fault::NoFinalNewline | Fault::Glued { .. } | Fault::CarriageReturn => {
            false
        }
        Fault::Zeros { .. }
        | Fault::ConflictMarker
        | Fault::TooLong { .. }
        | Fault::NotJson { .. }
        | Fault::NotARecord { .. } => true,
    }
}

#[cfg(test)]
mod tests {
    use super::{super::tests::*, *};

    #[test]
    fn what_may_pass_is_no_damage() {
        let path = PathBuf::from("/c.jsonl");
        let passing = [libc::EMFILE, libc::EIO, libc::EACCES, libc::ENOMEM, libc::ENOSPC];
        for errno in passing {
            let cause = io::Error::from_raw_os_error(errno);
            assert!(!is_no_log(&JsonlError::Io {
                path: path.clone(),
                action: "read",
                source: cause
            }));
        }
        assert!(is_no_log(&JsonlError::NotAFile(path.clone())));
        assert!(is_no_log(&JsonlError::FileTooLarge { path, bytes: 2, max: 1 }));
    }

    #[test]
    fn what_cannot_be_looked_at_is_no_empty_log() {
        let folder = tempfile::tempdir().unwrap();
        assert!(Found::read(&folder.path().join("c".repeat(300))).is_err());
        // A link in its place is no log, and is set aside itself.
        let path = folder.path().join("c.jsonl");
        std::os::unix::fs::symlink("/etc/hostname", &path).unwrap();
        let (ledger, problems) = open(&path);
        assert!(ledger.kept.session.is_none() && problems.len() == 2, "{problems:?}");
        assert!(path.with_extension("aside-1").is_symlink() && !path.exists());
    }

    /// Files beside a log that were set aside.
    fn asides(folder: &Path) -> Vec<Vec<u8>> {
        let all = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path());
        let is_aside =
            |path: &PathBuf| path.extension().is_some_and(|it| it != "jsonl" && it != "lock");
        all.filter(is_aside).map(|path| fs::read(path).unwrap()).collect()
    }

    #[test]
    fn whichever_line_is_damaged_the_others_go_on() {
        for line in 0..5 {
            let folder = tempfile::tempdir().unwrap();
            let path = folder.path().join("c.jsonl");
            let (mut ledger, _) = open(&path);
            for record in [opened(), taken(1), ended(1), taken(2), taken(3)] {
                ledger.note(&record).unwrap();
            }
            let text = fs::read_to_string(&path).unwrap();
            let damage = |(at, text): (usize, &str)| match at == line {
                true => "{\n".to_owned(),
                false => format!("{text}\n"),
            };
            let damaged: String = text.lines().enumerate().map(damage).collect();
            fs::write(&path, &damaged).unwrap();
            // To look changes nothing.
            drop(Found::read(&path).unwrap());
            assert_eq!(fs::read_to_string(&path).unwrap(), damaged);
            // Nor does what was ended before the new one was there.
            for _ in 0..3 {
                aside::keep(&path).unwrap();
            }
            assert_eq!(fs::read_to_string(&path).unwrap(), damaged);
            let (read, problems) = open(&path);
            assert!(problems.len() >= 2, "{problems:?}");
            assert_eq!(asides(folder.path()), [damaged.into_bytes()]);
            let known = [1, 2, 3].map(|number| read.kept.knows(id(number)));
            assert_eq!(known, [true, line != 3, line != 4], "{line}");
            assert_eq!(read.kept.session == Some(id(99)), line != 0);
            // What goes on says the same the next time, and nothing is wrong with it.
            let (again, problems) = open(&path);
            assert!(problems.is_empty(), "{problems:?}");
            assert_eq!(
                (&again.kept.open, again.kept.session),
                (&read.kept.open, read.kept.session)
            );
            assert_eq!((&*again.kept.person, &*again.kept.root), ("cli:ada", Path::new("/r")));
        }
    }

    #[test]
    fn one_of_another_person_is_nobodys() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("c.jsonl");
        open(&path).0.note(&opened()).unwrap();
        let bytes = fs::read(&path).unwrap();
        let found = Found::read(&path).unwrap();
        let (ledger, problems) = found.take_up("cli:bob", Path::new("/r")).unwrap();
        assert!(ledger.kept.session.is_none() && problems[0].contains("another conversation"));
        assert_eq!(asides(folder.path()), [bytes]);
    }
}
