//! Jobs that neither systemd nor cron runs: a file of the user's own, which their gateway goes by.

use std::path::{Path, PathBuf};

use jiff::Timestamp;
use serde::{Deserialize, Serialize};

use super::{MAX_FILE_BYTES, Place, ScheduleError, job::Job};
use crate::config::{format_duration, parse_duration};
use elophanto_base::{
    regular::{careful, if_there, read_capped},
    whole::{PRIVATE, Synced, write_whole},
};

/// A job, and since when it is kept: it runs for the first time when its time has passed since then.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Kept {
    pub job: Job,
    pub since: Timestamp,
}

/// The same as it is written.
#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Written {
    name: String,
    every: String,
    command: Vec<String>,
    folder: PathBuf,
    program: PathBuf,
    since: Timestamp,
}

impl Kept {
    fn of(written: Written) -> Option<Self> {
        let Written { name, every, command, folder, program, since } = written;
        let job = Job { name, every: parse_duration(&every).ok()?, command, folder, program };
        job.check().ok()?;
        Some(Self { job, since })
    }

    fn written(&self) -> Written {
        let Job { name, every, command, folder, program } = self.job.clone();
        Written { name, every: format_duration(every), command, folder, program, since: self.since }
    }
}

/// Reads them; a file that is not there holds none.
///
/// # Errors
/// When it cannot be read, or is not as we wrote it.
pub(super) fn read(path: &Path) -> Result<Vec<Kept>, ScheduleError> {
    let failed = |cause| ScheduleError::Io { path: path.to_owned(), source: cause };
    let Some(file) = if_there(careful().read(true).open(path)).map_err(failed)? else {
        return Ok(Vec::new());
    };
    let bytes = read_capped(file, MAX_FILE_BYTES as u64).map_err(failed)?;
    let all = bytes.and_then(|bytes| serde_json::from_slice::<Vec<Written>>(&bytes).ok());
    let all = all.and_then(|all| all.into_iter().map(Kept::of).collect());
    all.ok_or_else(|| ScheduleError::Unclear(Place::File { path: path.to_owned() }))
}

/// Writes them; none leave no file.
///
/// # Errors
/// When it cannot be written.
pub(super) fn write(path: &Path, all: &[Kept]) -> Result<(), ScheduleError> {
    let failed = |cause| ScheduleError::Io { path: path.to_owned(), source: cause };
    if all.is_empty() {
        return if_there(std::fs::remove_file(path)).map(drop).map_err(failed);
    }
    write_whole(path, text(all).as_bytes(), PRIVATE, Synced::Content).map_err(failed)
}

/// The job as it stands in the file from a moment on.
pub fn kept_entry(job: &Job, since: Timestamp) -> String {
    text(&[Kept { job: job.clone(), since }])
}

fn text(all: &[Kept]) -> String {
    let all: Vec<_> = all.iter().map(Kept::written).collect();
    serde_json::to_string_pretty(&all).unwrap_or_default() + "\n"
}

/// Those but the one of this name and folder.
pub(super) fn without(all: &[Kept], job: (&str, &Path)) -> Vec<Kept> {
    all.iter().filter(|kept| !kept.job.is(job.0, job.1)).cloned().collect()
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::schedule::tests::jobs;

    #[test]
    fn what_is_not_as_we_wrote_it() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("gateway.json");
        assert_eq!(read(&path).unwrap(), []);
        let good = r#"[{"name":"a","every":"10m","command":["scan"],"folder":"/r","program":"/p","since":"2026-01-01T00:00:00Z"}]"#;
        std::fs::write(&path, good).unwrap();
        assert_eq!(read(&path).unwrap().len(), 1);
        for (from, to) in [
            ("10m", "1s"),
            ("\"a\"", "\"../a\""),
            ("/r", "r"),
            ("[\"scan\"]", "[]"),
            ("}]", ",\"more\":1}]"),
            ("}]", "}"),
        ] {
            std::fs::write(&path, good.replace(from, to)).unwrap();
            assert!(matches!(read(&path), Err(ScheduleError::Unclear(_))), "{from} to {to}");
        }
        write(&path, &[]).unwrap();
        assert!(!path.exists());
    }

    proptest! {
        #![proptest_config(ProptestConfig { failure_persistence: None, ..Default::default() })]

        #[test]
        fn what_is_written_is_read(job in jobs()) {
            let folder = tempfile::tempdir().unwrap();
            let path = folder.path().join("gateway.json");
            let all = [Kept { job, since: Timestamp::UNIX_EPOCH }];
            write(&path, &all).unwrap();
            prop_assert_eq!(read(&path).unwrap(), all);
        }
    }
}
