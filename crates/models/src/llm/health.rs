//! Providers that failed are left alone for a while, longer each time.
//!
//! The state is a plain value and the time an argument. A file keeps it between processes; it is
//! only a hint, so one that is damaged counts as empty.

use std::{
    collections::BTreeMap,
    fs, io,
    path::{Path, PathBuf},
    time::Duration,
};

use jiff::Timestamp;
use serde::{Deserialize, Serialize};

use elophanto_base::{
    regular::{self, open_or_make, read_capped},
    whole::{PRIVATE, Synced, write_whole},
};

/// How long a provider rests after so many failures in a row. One alone says nothing yet.
const RESTS: &[Duration] = &[
    Duration::ZERO,
    Duration::from_secs(30),
    Duration::from_secs(2 * 60),
    Duration::from_secs(10 * 60),
];
/// The same of one where nobody listens: often it is about to be started.
const UNREACHABLE: Duration = Duration::from_secs(5);
const LONGEST: Duration = Duration::from_secs(10 * 60);
/// Failures further apart are not in a row.
const FORGET: Duration = Duration::from_secs(60 * 60);
/// Providers that are remembered.
const PROVIDERS_CAP: usize = 100;
/// Bytes of the file.
const FILE_CAP: u64 = 256 * 1024;

/// Which providers have failed lately.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Health {
    providers: BTreeMap<String, Failures>,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
struct Failures {
    in_a_row: u32,
    last: Timestamp,
    until: Timestamp,
}

/// How a call went, as far as the provider is concerned.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Outcome {
    Success,
    /// `retry_after`: it asks to be left alone for so long.
    Failure {
        retry_after: Option<Duration>,
    },
    /// Nobody listens where it should be.
    Unreachable,
}

impl Health {
    pub fn record(&mut self, provider: &str, outcome: Outcome, now: Timestamp) {
        let (retry_after, most) = match outcome {
            Outcome::Success => {
                self.providers.remove(provider);
                return;
            }
            Outcome::Failure { retry_after } => (retry_after, LONGEST),
            Outcome::Unreachable => (None, UNREACHABLE),
        };
        self.providers.retain(|_, failures| failures.is_recent(now));
        if self.providers.len() >= PROVIDERS_CAP && !self.providers.contains_key(provider) {
            return;
        }
        let before = self.providers.get(provider).map_or(0, |failures| failures.in_a_row);
        let in_a_row = before.saturating_add(1);
        let rest = RESTS[(in_a_row as usize - 1).min(RESTS.len() - 1)].min(most);
        let rest = rest.max(retry_after.unwrap_or_default().min(LONGEST));
        let until = now.checked_add(rest).unwrap_or(now);
        self.providers.insert(provider.to_owned(), Failures { in_a_row, last: now, until });
    }

    /// Until when a provider is left alone, if it is.
    pub fn resting_until(&self, provider: &str, now: Timestamp) -> Option<Timestamp> {
        let failures = self.providers.get(provider)?;
        (failures.is_recent(now) && failures.until > now).then_some(failures.until)
    }
}

impl Failures {
    /// What lies in the future was recorded by a clock that has been put back since.
    fn is_recent(&self, now: Timestamp) -> bool {
        let since = now.duration_since(self.last);
        let rest = self.until.duration_since(now);
        !since.is_negative() && since.unsigned_abs() <= FORGET && rest.unsigned_abs() <= FORGET
    }
}

/// Where processes share what they know.
#[derive(Debug, Clone)]
pub struct HealthFile {
    path: PathBuf,
}

impl HealthFile {
    pub fn new(path: impl Into<PathBuf>) -> Self {
        Self { path: path.into() }
    }

    /// What is known. Nothing, if the file cannot be read.
    pub fn load(&self) -> Health {
        read(&self.path).unwrap_or_default()
    }

    /// Adds one outcome to what is known by now.
    ///
    /// # Errors
    /// When the file cannot be written.
    pub fn record(&self, provider: &str, outcome: Outcome, now: Timestamp) -> io::Result<Health> {
        let folder = self.path.parent().unwrap_or(Path::new("."));
        fs::create_dir_all(folder)?;
        let name = self.path.file_name().unwrap_or_default().to_string_lossy();
        let lock = self.path.with_file_name(format!(".{name}.lock"));
        let lock = open_or_make(&lock, PRIVATE)?;
        lock.lock()?;
        let mut health = self.load();
        let before = health.clone();
        health.record(provider, outcome, now);
        if health != before {
            let bytes = serde_json::to_vec(&health)?;
            write_whole(&self.path, &bytes, PRIVATE, Synced::Nothing)?;
        }
        Ok(health)
    }
}

fn read(path: &Path) -> Option<Health> {
    let bytes = read_capped(regular::open(path).ok()?, FILE_CAP).ok()??;
    serde_json::from_slice(&bytes).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    const FAILED: Outcome = Outcome::Failure { retry_after: None };

    fn at(second: i64) -> Timestamp {
        Timestamp::from_second(1_800_000_000 + second).unwrap()
    }

    fn rest(health: &Health, second: i64) -> Option<i64> {
        health.resting_until("x", at(second)).map(|until| until.as_second() - 1_800_000_000)
    }

    #[test]
    fn rests_grow_and_a_success_ends_them() {
        let mut health = Health::default();
        let mut now = 0;
        for expected in [0, 30, 120, 600, 600] {
            health.record("x", FAILED, at(now));
            let until = now + expected;
            assert_eq!(rest(&health, now), (expected > 0).then_some(until), "{expected}");
            assert_eq!(rest(&health, until), None);
            now = until + 1;
        }
        health.record("x", Outcome::Success, at(now));
        health.record("x", FAILED, at(now));
        assert_eq!(rest(&health, now), None);
        assert_eq!(health.resting_until("y", at(now)), None);
    }

    #[test]
    fn one_where_nobody_listens_rests_for_a_moment() {
        let mut health = Health::default();
        for (second, expected) in [(0, None), (1, Some(6)), (10, Some(15)), (20, Some(25))] {
            health.record("x", Outcome::Unreachable, at(second));
            assert_eq!(rest(&health, second), expected, "{second}");
        }
    }

    #[test]
    fn what_the_provider_asks_for_is_kept_up_to_a_cap() {
        for (asked, expected) in [(5, Some(5)), (90, Some(90)), (999_999, Some(600))] {
            let mut health = Health::default();
            let retry_after = Some(Duration::from_secs(asked));
            health.record("x", Outcome::Failure { retry_after }, at(0));
            assert_eq!(rest(&health, 0), expected);
        }
    }

    #[test]
    fn old_failures_and_a_clock_that_was_put_back_do_not_count() {
        let mut health = Health::default();
        health.record("x", FAILED, at(0));
        health.record("x", FAILED, at(5_000));
        assert_eq!(rest(&health, 5_000), None);
        health.record("x", FAILED, at(5_001));
        assert_eq!(rest(&health, 5_001), Some(5_031));
        assert_eq!((rest(&health, 100), rest(&health, 4_900)), (None, None));
    }

    #[test]
    fn processes_share_it_and_damage_is_forgotten() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("new/health.json");
        let (one, two) = (HealthFile::new(&path), HealthFile::new(&path));
        one.record("x", FAILED, at(0)).unwrap();
        two.record("x", FAILED, at(1)).unwrap();
        assert_eq!(rest(&one.load(), 2), Some(31));
        let json = fs::read(&path).unwrap();
        for cut in 0..json.len() {
            fs::write(&path, &json[..cut]).unwrap();
            assert_eq!(one.load(), Health::default());
        }
        fs::write(&path, "x".repeat(300_000)).unwrap();
        assert_eq!(one.load(), Health::default());
        two.record("x", FAILED, at(2)).unwrap();
        assert_ne!(one.load(), Health::default());
    }
}
