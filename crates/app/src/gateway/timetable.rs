//! Tasks that somebody has done at intervals: kept with their conversation, and taken as messages of theirs
//! when their time has come, each once. Nobody is asked anything meanwhile.

use std::{sync::Arc, time::Duration};

use jiff::{SignedDuration, Timestamp};
use serde::{Deserialize, Serialize};
use uuid::Uuid;

use super::{
    Channel, Gateway, Identity,
    conversation::Conversation,
    ledger::{Open, Record},
    state::Work,
};
use crate::{
    Error, Result,
    agent::chat::ScheduleCommand,
    config::format_duration,
    schedule::{MAX_EVERY, MIN_EVERY},
};
use elophanto_base::{one_line::one_line, visible::escape_control_line};

/// Tasks of a conversation.
const MOST: usize = 20;
/// How often is looked whether something is due.
pub(super) const LOOK: Duration = Duration::from_secs(1);
/// Characters of a task in a list.
const MOST_SHOWN: usize = 200;

/// A task, and whose it is.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Timed {
    pub id: Uuid,
    /// In seconds.
    pub every: u64,
    pub content: String,
    pub channel: Channel,
    pub user: String,
    /// When it was given.
    pub at: Timestamp,
    /// How often its time had come when it was taken last.
    #[serde(default)]
    pub taken: u64,
}

impl Timed {
    /// Who wants it, as settings write them.
    pub fn sender(&self) -> String {
        format!("{}:{}", self.channel.name(), self.user)
    }

    /// How often its time has come by now.
    pub(super) fn times(&self, now: Timestamp) -> u64 {
        let passed = Duration::try_from(now.duration_since(self.at)).unwrap_or_default();
        passed.as_secs() / self.every.max(1)
    }

    /// The message that it is for the n-th time: the same whenever that is asked.
    fn message(&self, times: u64) -> Uuid {
        let mut hasher = blake3::Hasher::new();
        hasher.update(self.id.as_bytes()).update(&times.to_le_bytes());
        let mut bytes = [0; 16];
        bytes.copy_from_slice(&hasher.finalize().as_bytes()[..16]);
        uuid::Builder::from_random_bytes(bytes).into_uuid()
    }

    fn next(&self, now: Timestamp) -> Timestamp {
        let times = i64::try_from(self.times(now)).unwrap_or(i64::MAX).saturating_add(1);
        let every = i64::try_from(self.every).unwrap_or(i64::MAX);
        let passed = SignedDuration::from_secs(every.saturating_mul(times));
        self.at.checked_add(passed).unwrap_or(Timestamp::MAX)
    }
}

impl Conversation {
    /// Does what a command says of tasks at intervals: the answer.
    ///
    /// # Errors
    /// When the task is none, too many are kept, there is none of this number, or it cannot be written
    /// down.
    pub fn schedule(
        &self,
        gateway: &Gateway,
        command: ScheduleCommand,
        who: &Identity,
    ) -> Result<String> {
        let mut state = self.state();
        let now = Timestamp::now();
        match command {
            ScheduleCommand::List => {
                let line = |(number, it): (usize, &Timed)| {
                    let every = format_duration(Duration::from_secs(it.every));
                    let next = it.next(now);
                    let task = escape_control_line(&one_line(&it.content, MOST_SHOWN));
                    format!("{number}. every {every}: {task} (next {next:.0})")
                };
                let all = (1..).zip(&state.ledger.kept.timed);
                Ok(all.map(line).collect::<Vec<_>>().join("\n"))
            }
            ScheduleCommand::Add { every, task } => {
                if !(MIN_EVERY..=MAX_EVERY).contains(&every) {
                    let (least, most) = (format_duration(MIN_EVERY), format_duration(MAX_EVERY));
                    return Err(Error::new(format_args!(
                        "a task is done at most every {least}, and at least every {most}"
                    )));
                }
                if state.ledger.kept.timed.len() >= MOST {
                    return Err(Error::new(format_args!("{MOST} tasks are scheduled already"))
                        .hint("`/schedule remove N` takes one out"));
                }
                let timed = Timed {
                    id: Uuid::new_v4(),
                    every: every.as_secs(),
                    content: task,
                    channel: who.channel,
                    user: who.user.clone(),
                    at: now,
                    taken: 0,
                };
                state.ledger.note(&Record::Scheduled(timed))?;
                let number = state.ledger.kept.timed.len();
                let every = format_duration(every);
                Ok(format!(
                    "every {every}, first in {every}, while the gateway lives; nobody is asked \
                     meanwhile, and what would need an approval is not done. `/schedule remove \
                     {number}` takes it out"
                ))
            }
            ScheduleCommand::Remove(number) => {
                let timed = number.checked_sub(1).and_then(|at| state.ledger.kept.timed.get(at));
                let Some(Timed { id, content, .. }) = timed.cloned() else {
                    return Err(Error::new(format_args!("no task here has the number {number}"))
                        .hint("`/schedule` lists them"));
                };
                state.ledger.note(&Record::Unscheduled { id })?;
                let is_its = |(_, open): &&(Uuid, Open)| open.scheduled == Some(id);
                let waiting = state.ledger.kept.open.iter().filter(is_its);
                let waiting: Vec<_> = waiting.filter(|it| !it.1.has_begun).cloned().collect();
                self.end_those(gateway, &mut state, waiting, "its task was taken out");
                Ok(format!("taken out: {}", escape_control_line(&one_line(&content, MOST_SHOWN))))
            }
        }
    }

    /// Takes what is due. Of one whose time came more than once meanwhile, once; none while it is still
    /// at work.
    pub(super) fn take_due(self: &Arc<Self>, gateway: &Arc<Gateway>, now: Timestamp) {
        let mut state = self.state();
        for timed in state.ledger.kept.timed.clone() {
            let times = timed.times(now);
            let id = timed.message(times);
            let is_open = state.ledger.kept.open.iter().any(|it| it.1.scheduled == Some(timed.id));
            // Taken out while another one was put in line.
            let is_out = !state.ledger.kept.timed.iter().any(|it| it.id == timed.id);
            if is_out || times <= timed.taken || is_open || state.ledger.kept.knows(id) {
                continue;
            }
            let Timed { id: scheduled, content, channel, user, .. } = timed;
            let record = Record::Taken {
                id,
                content,
                attachments: Vec::new(),
                channel,
                user,
                at: now,
                scheduled: Some(scheduled),
            };
            // What cannot be written down is looked at again.
            if state.ledger.note(&record).is_ok() {
                self.put(gateway, state, Work::Message(id));
                state = self.state();
            }
        }
    }

    /// Whether a message is a task whose time has come.
    pub(super) fn is_scheduled(&self, id: Uuid) -> bool {
        self.state().ledger.kept.find(id).is_some_and(|open| open.scheduled.is_some())
    }
}

impl Gateway {
    /// Takes what is due, for as long as the gateway lives.
    pub(super) fn keep_time(self: &Arc<Self>) -> Result<()> {
        let gateway = Arc::downgrade(self);
        let keep = move || {
            while let Some(gateway) = gateway.upgrade().filter(|it| !it.is_ending()) {
                let now = Timestamp::now();
                gateway.all().iter().for_each(|conversation| conversation.take_due(&gateway, now));
                drop(gateway);
                std::thread::sleep(LOOK);
            }
        };
        std::thread::Builder::new().name("timetable".to_owned()).spawn(keep)?;
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_time_is_one_message() {
        let timed = Timed {
            id: Uuid::from_u128(1),
            every: 6 * 60 * 60,
            content: "look".to_owned(),
            channel: Channel::Cli,
            user: "ada".to_owned(),
            at: "2026-01-01T00:00:00Z".parse().unwrap(),
            taken: 0,
        };
        for (now, times, next) in [
            ("2025-12-31T00:00:00Z", 0, "2026-01-01T06:00:00Z"),
            ("2026-01-01T05:59:59Z", 0, "2026-01-01T06:00:00Z"),
            ("2026-01-01T06:00:00Z", 1, "2026-01-01T12:00:00Z"),
            ("2026-01-03T01:00:00Z", 8, "2026-01-03T06:00:00Z"),
        ] {
            let now = now.parse().unwrap();
            assert_eq!((timed.times(now), timed.next(now).to_string()), (times, next.to_owned()));
        }
        assert_eq!(timed.message(3), timed.message(3));
        assert_ne!(timed.message(3), timed.message(4));
        let other = Timed { id: Uuid::from_u128(2), ..timed.clone() };
        assert_ne!(timed.message(3), other.message(3));
    }
}
