//! The record of every call: when, what for, which model, how much. Never what was said.

use std::{
    collections::{BTreeMap, HashSet},
    fs, io,
    ops::Range,
    path::PathBuf,
};

use jiff::{Timestamp, tz::TimeZone};
use serde::{Deserialize, Serialize};
use ulid::Ulid;

use super::budget::Spent;
use elophanto_base::jsonl::{self, Caps, Damage, JsonlError, Log};

/// Months that are looked into.
const MONTHS_CAP: usize = 1_200;

/// One call, as the ledger keeps it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Call {
    pub id: Ulid,
    /// When it began.
    pub time: Timestamp,
    /// The command that made it, such as `enrich`.
    pub command: String,
    pub task: String,
    pub provider: String,
    pub model: String,
    /// Tokens of the prompt.
    pub input: u64,
    /// Tokens of the answer.
    pub output: u64,
    /// Millionths of a US dollar. `None`: unknown.
    pub usd_micros: Option<u64>,
    pub ms: u64,
    /// Requests sent, those that were repeated after a failure included.
    pub attempts: u64,
    /// Answers that were generated: an answer that had to be repaired counts twice.
    #[serde(default = "one")]
    pub calls: u64,
    /// `ok`, `cancelled`, or the kind of failure.
    pub outcome: String,
}

fn one() -> u64 {
    1
}

#[derive(Debug, thiserror::Error)]
pub enum LedgerError {
    #[error(transparent)]
    Log(#[from] JsonlError),
    #[error("the ledger at `{}` cannot be listed: {source}", path.display())]
    List { path: PathBuf, source: io::Error },
}

/// A line of the ledger that cannot be read.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Problem {
    pub path: PathBuf,
    pub damage: Damage,
}

/// A folder with one log per month of UTC.
#[derive(Debug, Clone)]
pub struct Ledger {
    folder: PathBuf,
}

impl Ledger {
    pub fn new(folder: impl Into<PathBuf>) -> Self {
        Self { folder: folder.into() }
    }

    /// Adds a call. Once this returns, it is on disk.
    ///
    /// # Errors
    /// When it is not.
    pub fn append(&self, call: &Call) -> Result<(), LedgerError> {
        Ok(Log::new(self.path_of(&month(call.time))).append(call)?)
    }

    /// All calls that began in `range`, in the order in which they were recorded, each once; and
    /// what could not be read.
    ///
    /// # Errors
    /// When the ledger is there and cannot be read.
    pub fn read(&self, range: Range<Timestamp>) -> Result<(Vec<Call>, Vec<Problem>), LedgerError> {
        let (mut calls, mut problems, mut seen) = (Vec::new(), Vec::new(), HashSet::new());
        let (first, last) = (month(range.start), month(range.end));
        for month in self.months()? {
            if month < first || month > last {
                continue;
            }
            let path = self.path_of(&month);
            let read = jsonl::read::<Call>(&path, &Caps::default())?;
            problems.extend(
                read.damage
                    .iter()
                    .map(|damage| Problem { path: path.clone(), damage: damage.clone() }),
            );
            let wanted = read.into_records().filter(|call| range.contains(&call.time));
            calls.extend(wanted.filter(|call| seen.insert(call.id)));
        }
        Ok((calls, problems))
    }

    /// What has been spent in the month and on the day of `now`.
    ///
    /// # Errors
    /// As [`Ledger::read`].
    pub fn spent(&self, now: Timestamp) -> Result<(Spent, Spent), LedgerError> {
        let path = self.path_of(&month(now));
        let today = day(now);
        let (mut of_month, mut of_day) = (Spent::default(), Spent::default());
        let mut seen = HashSet::new();
        for call in jsonl::read::<Call>(&path, &Caps::default())?.into_records() {
            if !seen.insert(call.id) {
                continue;
            }
            of_month = of_month.plus(call.spent());
            if day(call.time) == today {
                of_day = of_day.plus(call.spent());
            }
        }
        Ok((of_month, of_day))
    }

    fn months(&self) -> Result<Vec<String>, LedgerError> {
        let failed = |cause| LedgerError::List { path: self.folder.clone(), source: cause };
        let entries = match fs::read_dir(&self.folder) {
            Ok(entries) => entries,
            Err(cause) if cause.kind() == io::ErrorKind::NotFound => return Ok(Vec::new()),
            Err(cause) => return Err(failed(cause)),
        };
        let mut months = Vec::new();
        for entry in entries {
            let name = entry.map_err(failed)?.file_name();
            let name = name.to_string_lossy();
            if let Some(month) = name.strip_suffix(".jsonl").filter(|month| is_month(month)) {
                months.push(month.to_owned());
            }
        }
        months.sort_unstable();
        // The latest ones.
        Ok(months.split_off(months.len().saturating_sub(MONTHS_CAP)))
    }

    fn path_of(&self, month: &str) -> PathBuf {
        self.folder.join(format!("{month}.jsonl"))
    }
}

impl Call {
    pub fn spent(&self) -> Spent {
        Spent {
            usd_micros: self.usd_micros.unwrap_or(0),
            tokens: self.input.saturating_add(self.output),
            calls: self.calls,
        }
    }
}

elophanto_base::named! {
    /// What calls are summed by.
    pub enum By, name {
        Task = "task",
        Command = "command",
        /// Provider and model.
        Model = "model",
        Provider = "provider",
        /// Of UTC.
        Day = "day",
    }
}

/// What several calls come to.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Sum {
    pub calls: u64,
    pub failed: u64,
    /// Calls whose price is unknown: the money leaves them out.
    pub unpriced: u64,
    pub input: u64,
    pub output: u64,
    pub usd_micros: u64,
    pub ms: u64,
}

/// Sums in the order of their keys.
pub fn sum<'a>(calls: impl IntoIterator<Item = &'a Call>, by: By) -> BTreeMap<String, Sum> {
    let mut sums: BTreeMap<String, Sum> = BTreeMap::new();
    for call in calls {
        let key = match by {
            By::Task => call.task.clone(),
            By::Command => call.command.clone(),
            By::Provider => call.provider.clone(),
            By::Model => format!("{}/{}", call.provider, call.model),
            By::Day => day(call.time),
        };
        sums.entry(key).or_default().add(call);
    }
    sums
}

impl Sum {
    pub fn add(&mut self, call: &Call) {
        let add = |sum: &mut u64, more: u64| *sum = sum.saturating_add(more);
        add(&mut self.calls, call.calls);
        add(&mut self.failed, u64::from(!matches!(call.outcome.as_str(), "ok" | "cancelled")));
        add(&mut self.unpriced, u64::from(call.usd_micros.is_none()));
        add(&mut self.input, call.input);
        add(&mut self.output, call.output);
        add(&mut self.usd_micros, call.usd_micros.unwrap_or(0));
        add(&mut self.ms, call.ms);
    }
}

/// `2026-11`, in UTC.
fn month(time: Timestamp) -> String {
    time.to_zoned(TimeZone::UTC).strftime("%Y-%m").to_string()
}

fn day(time: Timestamp) -> String {
    time.to_zoned(TimeZone::UTC).strftime("%Y-%m-%d").to_string()
}

fn is_month(text: &str) -> bool {
    let bytes = text.as_bytes();
    bytes.len() == 7
        && bytes.iter().enumerate().all(|(at, byte)| match at {
            4 => *byte == b'-',
            _ => byte.is_ascii_digit(),
        })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn call(time: &str, task: &str, usd_micros: Option<u64>) -> Call {
        Call {
            id: Ulid::new(),
            time: time.parse().unwrap(),
            command: "enrich".into(),
            task: task.into(),
            provider: "ollama".into(),
            model: "m:1".into(),
            input: 100,
            output: 10,
            usd_micros,
            ms: 5,
            attempts: 1,
            calls: 1,
            outcome: if task == "coding" { "network" } else { "ok" }.into(),
        }
    }

    #[test]
    fn calls_are_kept_by_month_and_summed() {
        let folder = tempfile::tempdir().unwrap();
        let ledger = Ledger::new(folder.path().join("usage"));
        let range = |from: &str, to: &str| from.parse().unwrap()..to.parse().unwrap();
        let all = range("2000-01-01T00:00Z", "2100-01-01T00:00Z");
        assert_eq!(ledger.read(all.clone()).unwrap().0, []);
        let calls = [
            call("2026-10-31T23:59:59Z", "summary", Some(7)),
            call("2026-11-01T00:00:00Z", "coding", None),
            call("2026-11-21T10:00:00Z", "summary", Some(3)),
        ];
        for call in &calls {
            ledger.append(call).unwrap();
        }
        // A record that another machine's copy brought a second time.
        ledger.append(&calls[2]).unwrap();
        assert_eq!(ledger.read(all).unwrap(), (calls.to_vec(), vec![]));
        let november = ledger.read(range("2026-11-01T00:00Z", "2026-11-21T10:00Z")).unwrap().0;
        assert_eq!(november, calls[1..2]);

        let sums = sum(&calls, By::Task);
        let summary =
            Sum { calls: 2, input: 200, output: 20, usd_micros: 10, ms: 10, ..Sum::default() };
        assert_eq!(sums["summary"], summary);
        assert_eq!((sums["coding"].failed, sums["coding"].unpriced), (1, 1));
        let days: Vec<_> = sum(&calls, By::Day).into_keys().collect();
        assert_eq!(days, ["2026-10-31", "2026-11-01", "2026-11-21"]);
        assert_eq!(sum(&calls, By::Model).into_keys().collect::<Vec<_>>(), ["ollama/m:1"]);

        let (of_month, of_day) = ledger.spent("2026-11-21T23:00Z".parse().unwrap()).unwrap();
        assert_eq!(of_month, Spent { usd_micros: 3, tokens: 220, calls: 2 });
        assert_eq!(of_day, Spent { usd_micros: 3, tokens: 110, calls: 1 });
    }

    #[test]
    fn damage_costs_its_line_only() {
        let folder = tempfile::tempdir().unwrap();
        let ledger = Ledger::new(folder.path());
        let path = folder.path().join("2026-11.jsonl");
        fs::write(&path, "{\"id\":\"01").unwrap();
        fs::write(folder.path().join("notes.jsonl"), "x").unwrap();
        let kept = call("2026-11-01T00:00:00Z", "simple", None);
        ledger.append(&kept).unwrap();
        let range = "2026-11-01T00:00Z".parse().unwrap()..Timestamp::MAX;
        let (calls, problems) = ledger.read(range).unwrap();
        assert_eq!(calls, [kept]);
        assert_eq!((problems.len(), problems[0].damage.line), (1, 1));
    }
}
