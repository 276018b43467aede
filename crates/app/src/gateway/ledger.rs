//! What a conversation must not forget: which messages were taken, begun and ended, what was asked for
//! approval and how that was answered. A log for each conversation, on disk before anything counts.

use std::{
    collections::{BTreeMap, BTreeSet, VecDeque},
    path::PathBuf,
};

use jiff::Timestamp;
use serde::{Deserialize, Serialize};
use uuid::Uuid;

use super::{
    Channel,
    message::{ApprovalRequest, SourceWire, TaskComplete, Word},
    timetable::Timed,
};
use crate::{Error, Result};
use elophanto_agent::permissions::Mode;
use elophanto_base::{
    jsonl::{Caps, Log},
    whole::{PRIVATE, Synced, write_whole},
};

pub(super) const CAPS: Caps = Caps { line_bytes: 4 << 20, file_bytes: 256 << 20, faults: 100 };
/// A log that is longer is written anew, without what is over.
pub(super) const LONG: u64 = 8 << 20;
/// Messages whose answers are kept, for whoever sends one again.
const ANSWERS: usize = 200;
/// Ids of messages that are known to be done.
const IDS: usize = 10_000;

/// Something that is on disk once it is noted.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(tag = "what", rename_all = "snake_case")]
pub enum Record {
    /// Whose conversation this is, about which repository; again where another session goes on in it.
    Opened { person: String, root: PathBuf, session: Uuid, at: Timestamp },
    /// A message was taken.
    Taken {
        id: Uuid,
        content: String,
        /// Ids of files that were handed over with it.
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        attachments: Vec<Uuid>,
        channel: Channel,
        user: String,
        at: Timestamp,
        /// The task at intervals that it is.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        scheduled: Option<Uuid>,
    },
    /// A task is to be done at intervals.
    Scheduled(Timed),
    /// And not any more.
    Unscheduled { id: Uuid },
    /// Its run has begun.
    Begun { id: Uuid, at: Timestamp },
    /// An approval is asked for in it.
    Asked { id: Uuid, request: Box<ApprovalRequest> },
    /// And is answered; not again.
    Settled {
        request: Uuid,
        settled: Settled,
        at: Timestamp,
        /// No run waited for it: one has yet to go on with it.
        #[serde(default)]
        goes_on: bool,
    },
    /// The message is done with.
    Ended { id: Uuid, ended: Box<Ended> },
    /// Ids of messages that are done with and whose answers are not kept any more.
    Done { ids: Vec<Uuid> },
    /// What runs without asking, where that was narrowed.
    Narrowed { mode: String },
    /// That these messages were cut off was told to somebody who came in.
    Told { ids: Vec<Uuid> },
}

/// How an approval was answered.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "how", rename_all = "snake_case")]
pub enum Settled {
    Answered {
        word: Word,
        text: Option<String>,
        channel: Channel,
    },
    Expired,
    /// The run was ended.
    Stopped,
}

impl Settled {
    /// In a word, as clients are told.
    pub fn word(&self) -> &'static str {
        match self {
            Self::Answered { word, .. } => word.name(),
            Self::Expired => "expired",
            Self::Stopped => "stopped",
        }
    }
}

/// What came of a message.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Ended {
    pub answer: String,
    pub sources: Vec<SourceWire>,
    pub complete: TaskComplete,
    /// Nobody had just asked for it: its time had come.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub is_scheduled: bool,
}

impl Ended {
    /// Whether its process was ended before it was.
    fn is_cut_off(&self) -> bool {
        self.complete.outcome == super::events::CUT_OFF
    }

    /// Of a message that nothing was answered to.
    pub fn without_answer(complete: TaskComplete) -> Self {
        Self { answer: String::new(), sources: Vec::new(), complete, is_scheduled: false }
    }
}

/// A message that is not done with.
#[derive(Debug, Clone, PartialEq)]
pub struct Open {
    pub content: String,
    pub attachments: Vec<Uuid>,
    pub channel: Channel,
    pub user: String,
    pub has_begun: bool,
    /// The task at intervals that it is.
    pub scheduled: Option<Uuid>,
    /// The approval that a run has yet to go on with.
    pub goes_on: Option<Uuid>,
    /// What is asked in its run, oldest first, and how that was answered.
    pub asked: Vec<(ApprovalRequest, Option<Settled>)>,
}

impl Open {
    /// What waits for an answer in its run.
    pub fn waiting(&self) -> impl Iterator<Item = &ApprovalRequest> {
        self.asked.iter().filter(|(_, settled)| settled.is_none()).map(|(request, _)| request)
    }

    /// Who sent it, as settings write it: they alone answer what is asked in its run.
    pub fn sender(&self) -> String {
        format!("{}:{}", self.channel.name(), self.user)
    }
}

/// What a log says.
#[derive(Debug, Default)]
pub struct Kept {
    pub person: String,
    pub root: PathBuf,
    pub session: Option<Uuid>,
    /// In the order in which they were taken.
    pub open: Vec<(Uuid, Open)>,
    pub ended: BTreeMap<Uuid, Ended>,
    /// Ended ones, the oldest first.
    order: VecDeque<Uuid>,
    /// Done with, without an answer that is kept; the oldest first.
    pub done: VecDeque<Uuid>,
    pub mode: Option<Mode>,
    /// Tasks at intervals, in the order in which they were given.
    pub timed: Vec<Timed>,
    /// Messages of which it was told that they were cut off, or done.
    told: BTreeSet<Uuid>,
    /// When something was noted last.
    pub last: Option<Timestamp>,
}

impl Kept {
    pub fn find(&mut self, id: Uuid) -> Option<&mut Open> {
        self.open.iter_mut().find(|(own, _)| *own == id).map(|(_, open)| open)
    }

    /// Whether a message of this id was taken before.
    pub fn knows(&self, id: Uuid) -> bool {
        self.ended.contains_key(&id)
            || self.open.iter().any(|(own, _)| *own == id)
            || self.done.contains(&id)
    }

    /// What was cut off, or done unasked, and nobody was told of yet, the oldest first.
    pub fn untold(&self) -> Vec<(Uuid, Ended)> {
        let is_it = |id: &&Uuid| !self.told.contains(id);
        let ended =
            self.order.iter().filter(is_it).filter_map(|id| Some((*id, self.ended.get(id)?)));
        ended
            .filter(|(_, it)| it.is_cut_off() || it.is_scheduled)
            .map(|(id, it)| (id, it.clone()))
            .collect()
    }

    /// Whether anything is known of any message, or of what runs without asking.
    pub(super) fn says_anything(&self) -> bool {
        let says_nothing = self.open.is_empty() && self.order.is_empty() && self.done.is_empty();
        !says_nothing || self.mode.is_some() || !self.timed.is_empty()
    }

    /// Who sent messages that are not done with, or wants something at intervals, as settings write it.
    pub fn senders(&self) -> impl Iterator<Item = String> {
        let open = self.open.iter().map(|(_, open)| open.sender());
        open.chain(self.timed.iter().map(Timed::sender))
    }

    /// How many messages wait for their turn.
    pub fn queued(&self) -> usize {
        self.open.iter().filter(|(_, open)| !open.has_begun).count()
    }

    /// Approvals that wait for an answer.
    pub fn pending(&self) -> impl Iterator<Item = &ApprovalRequest> {
        self.open.iter().flat_map(|(_, open)| open.waiting())
    }

    /// The message in whose run this waits for an answer.
    pub fn waiting(&self, request: Uuid) -> Option<Uuid> {
        let waits = |open: &Open| open.waiting().any(|it| it.request_id == request);
        self.open.iter().find(|(_, open)| waits(open)).map(|(id, _)| *id)
    }

    /// What follows from a record. What fits nothing before it changes nothing.
    pub fn take(&mut self, record: &Record) {
        match record {
            Record::Opened { person, root, session, at } => {
                (self.person, self.root) = (person.clone(), root.clone());
                (self.session, self.last) = (Some(*session), Some(*at));
            }
            Record::Taken { id, content, attachments, channel, user, at, scheduled } => {
                self.last = Some(*at);
                if let Some(timed) = self.timed.iter_mut().find(|it| Some(it.id) == *scheduled) {
                    timed.taken = timed.taken.max(timed.times(*at));
                }
                if !self.knows(*id) {
                    let open = Open {
                        content: content.clone(),
                        attachments: attachments.clone(),
                        channel: *channel,
                        user: user.clone(),
                        has_begun: false,
                        scheduled: *scheduled,
                        goes_on: None,
                        asked: Vec::new(),
                    };
                    self.open.push((*id, open));
                }
            }
            Record::Scheduled(timed) => {
                if !self.timed.iter().any(|it| it.id == timed.id) {
                    self.timed.push(timed.clone());
                }
            }
            Record::Unscheduled { id } => self.timed.retain(|it| it.id != *id),
            Record::Begun { id, at } => {
                self.last = Some(*at);
                if let Some(open) = self.find(*id) {
                    open.has_begun = true;
                    open.goes_on = None;
                }
            }
            Record::Asked { id, request } => {
                if let Some(open) = self.find(*id) {
                    open.asked.push(((**request).clone(), None));
                }
            }
            Record::Settled { request, settled, at, goes_on } => {
                self.last = Some(*at);
                for (_, open) in &mut self.open {
                    let mut asked = open.asked.iter_mut();
                    let is_it = |(own, how): &&mut (ApprovalRequest, Option<Settled>)| {
                        own.request_id == *request && how.is_none()
                    };
                    if let Some((_, how)) = asked.find(is_it) {
                        *how = Some(settled.clone());
                        open.goes_on = goes_on.then_some(*request);
                    }
                }
            }
            Record::Ended { id, ended } => {
                self.open.retain(|(own, _)| own != id);
                if self.ended.insert(*id, (**ended).clone()).is_none() {
                    self.order.push_back(*id);
                }
                self.forget();
            }
            Record::Done { ids } => {
                self.done.extend(ids);
                self.forget();
            }
            Record::Narrowed { mode } => self.mode = super::mode::of_name(mode),
            Record::Told { ids } => self.told.extend(ids),
        }
    }

    /// Lets go of the oldest of what is over.
    fn forget(&mut self) {
        while self.order.len() > ANSWERS {
            let Some(id) = self.order.pop_front() else { break };
            self.ended.remove(&id);
            self.told.remove(&id);
            self.done.push_back(id);
        }
        while self.done.len() > IDS {
            self.done.pop_front();
        }
    }

    /// The fewest records that say the same.
    pub(super) fn records(&self, now: Timestamp) -> Vec<Record> {
        let mut records = Vec::new();
        if let Some(session) = self.session {
            let (person, root) = (self.person.clone(), self.root.clone());
            let at = self.last.unwrap_or(now);
            records.push(Record::Opened { person, root, session, at });
        }
        if let Some(mode) = self.mode {
            records.push(Record::Narrowed { mode: super::mode::name(mode) });
        }
        records.extend(self.timed.iter().cloned().map(Record::Scheduled));
        if !self.done.is_empty() {
            records.push(Record::Done { ids: self.done.iter().copied().collect() });
        }
        for id in &self.order {
            if let Some(ended) = self.ended.get(id) {
                records.push(Record::Ended { id: *id, ended: Box::new(ended.clone()) });
            }
        }
        let told: Vec<Uuid> =
            self.order.iter().filter(|id| self.told.contains(id)).copied().collect();
        if !told.is_empty() {
            records.push(Record::Told { ids: told });
        }
        for (id, open) in &self.open {
            let (id, at) = (*id, self.last.unwrap_or(now));
            let Open { content, attachments, channel, user, scheduled, .. } = open.clone();
            records.push(Record::Taken { id, content, attachments, channel, user, at, scheduled });
            if open.has_begun {
                records.push(Record::Begun { id, at });
            }
            for (request, settled) in &open.asked {
                let (name, request) = (request.request_id, Box::new(request.clone()));
                records.push(Record::Asked { id, request });
                if let Some(settled) = settled.clone() {
                    let goes_on = open.goes_on == Some(name);
                    records.push(Record::Settled { request: name, settled, at, goes_on });
                }
            }
        }
        records
    }
}

/// The log of one conversation, and what it says.
#[derive(Debug)]
pub struct Ledger {
    pub(super) log: Log,
    pub kept: Kept,
    /// Bytes that were added since the log was written whole.
    pub(super) grown: u64,
}

impl Ledger {
    /// Notes something: it is on disk once this returns, and counts.
    ///
    /// # Errors
    /// When it cannot be written; then it does not count.
    pub fn note(&mut self, record: &Record) -> Result<()> {
        self.log.append(record).map_err(Error::new)?;
        self.kept.take(record);
        self.grown += serde_json::to_string(record).map_or(0, |line| line.len() as u64);
        if self.grown > LONG {
            // What cannot be written anew now is later: nothing is lost by its length.
            let _ = self.compact();
        }
        Ok(())
    }

    /// Writes the log anew, as a whole or not at all.
    pub(super) fn compact(&mut self) -> Result<()> {
        let mut bytes = Vec::new();
        for record in self.kept.records(Timestamp::now()) {
            serde_json::to_writer(&mut bytes, &record).map_err(Error::new)?;
            bytes.push(b'\n');
        }
        write_whole(self.log.path(), &bytes, PRIVATE, Synced::ContentAndName)?;
        self.grown = 0;
        Ok(())
    }
}
