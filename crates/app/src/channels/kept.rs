//! What must not be forgotten of a channel: how far it was read, what was taken and is not answered,
//! where approvals are shown, which message is the answer to what. On disk before it counts.

use std::{
    collections::{BTreeMap, VecDeque},
    path::{Path, PathBuf},
};

use serde::{Deserialize, Serialize};
use uuid::Uuid;

use crate::{Error, Result};
use elophanto_base::{
    regular::if_there,
    whole::{PRIVATE, Synced, write_whole},
};
use elophanto_channels::{Place, Posted};

/// Answers that can be reacted to.
const MOST_ANSWERS: usize = 500;
/// Approvals that are shown.
const MOST_ASKED: usize = 200;
/// Bytes of the file.
const MOST_BYTES: u64 = 64 << 20;

/// What is kept of a channel.
#[derive(Debug, Default, Serialize, Deserialize)]
pub struct Kept {
    /// The number of the last that came and is done with.
    pub read: Option<i64>,
    /// Messages that were taken and are not answered.
    #[serde(default)]
    pub open: BTreeMap<Uuid, Open>,
    /// Where an approval is shown.
    #[serde(default)]
    asked: VecDeque<(Uuid, Posted)>,
    /// The digits of what is shown, by the approval.
    #[serde(default)]
    digits: BTreeMap<Uuid, String>,
    /// Messages of ours, and the answer that each is.
    #[serde(default)]
    pub answers: VecDeque<(Posted, Uuid)>,
    /// More was read than is on disk.
    #[serde(skip)]
    is_behind: bool,
    #[serde(skip)]
    path: PathBuf,
}

/// A message that was taken.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Open {
    pub user: String,
    /// Where it was said, and where the answer goes.
    pub place: Place,
    /// Its number there; empty where nobody said it just now, but its time had come.
    pub message: String,
    pub content: String,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub attachments: Vec<Uuid>,
    /// The folder of the repository that it is about; none in what older versions kept.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub repository: Option<PathBuf>,
    /// The order in which they came.
    pub number: i64,
    /// The message of ours in which the answer appears.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub posted: Option<Posted>,
}

impl Open {
    /// A task of theirs whose time had come.
    pub fn timed(user: &str, home: &Place, task: &str, read: Option<i64>) -> Self {
        Self {
            user: user.to_owned(),
            place: home.clone(),
            message: String::new(),
            content: task.to_owned(),
            attachments: Vec::new(),
            repository: None,
            number: read.unwrap_or_default(),
            posted: None,
        }
    }

    /// Whether its time had come, and nobody said it just now.
    pub fn is_timed(&self) -> bool {
        self.message.is_empty()
    }
}

impl Kept {
    /// Reads what is kept.
    ///
    /// # Errors
    /// When it cannot be read: nothing is guessed, or what was answered would be answered again.
    pub fn open(folder: &Path, channel: &str) -> Result<Self> {
        let path = folder.join(format!("{channel}-kept.json"));
        let hint = "move it away: what was not answered then is not answered any more";
        let kept: Option<Self> = super::read(&path, MOST_BYTES, hint)?;
        Ok(Self { path, ..kept.unwrap_or_default() })
    }

    /// Takes the file of a channel away.
    ///
    /// # Errors
    /// When it cannot be.
    pub fn remove(folder: &Path, channel: &str) -> Result<()> {
        Ok(if_there(std::fs::remove_file(folder.join(format!("{channel}-kept.json")))).map(drop)?)
    }

    /// Puts all of it on disk.
    ///
    /// # Errors
    /// When it cannot be.
    pub fn save(&mut self) -> Result<()> {
        while self.answers.len() > MOST_ANSWERS {
            self.answers.pop_front();
        }
        while self.asked.len() > MOST_ASKED {
            self.asked.pop_front();
        }
        let asked = &self.asked;
        self.digits.retain(|request, _| asked.iter().any(|(own, _)| own == request));
        self.is_behind = false;
        let bytes = serde_json::to_vec(self).map_err(Error::new)?;
        write_whole(&self.path, &bytes, PRIVATE, Synced::ContentAndName).map_err(|cause| {
            Error::new(format_args!("`{}` cannot be written: {cause}", self.path.display()))
        })
    }

    /// Nothing more comes of what came up to this number; on disk when it is written next.
    pub fn pass(&mut self, number: i64) {
        self.is_behind |= self.read < Some(number);
        self.read = self.read.max(Some(number));
    }

    /// Writes down what was passed since. What cannot be written is looked at again after a restart.
    pub fn catch_up(&mut self) {
        if self.is_behind {
            let _ = self.save();
        }
    }

    /// Where an approval is shown.
    pub fn shown(&self, request: Uuid) -> Vec<Posted> {
        let of = self.asked.iter().filter(|(own, _)| *own == request);
        of.map(|(_, posted)| posted.clone()).collect()
    }

    /// The highest number of a message of ours whose name ends with one.
    pub fn last_number(&self) -> u64 {
        let all = self.asked.iter().map(|(_, posted)| posted);
        let all = all.chain(self.answers.iter().map(|(posted, _)| posted));
        let numbers = all.filter_map(|it| it.message.rsplit('.').next()?.parse().ok());
        numbers.max().unwrap_or_default()
    }

    /// An approval is shown there, with these digits.
    pub fn shows(&mut self, request: Uuid, posted: Posted, digits: String) {
        self.asked.push_back((request, posted));
        self.digits.insert(request, digits);
    }

    /// The approval that a message shows, and the digits of what it shows.
    pub fn approval(&self, posted: &Posted) -> Option<(Uuid, String)> {
        let is_it = |(_, own): &&(Uuid, Posted)| is_same(own, posted);
        let (request, _) = self.asked.iter().find(is_it)?;
        Some((*request, self.digits.get(request).cloned().unwrap_or_default()))
    }

    /// Whether a message was answered, and that lately.
    pub fn is_answered(&self, id: Uuid) -> bool {
        !self.open.contains_key(&id) && self.answers.iter().any(|(_, answer)| *answer == id)
    }

    /// The answer that a message of ours is.
    pub fn answer(&self, posted: &Posted) -> Option<Uuid> {
        let is_it = |(own, _): &&(Posted, Uuid)| is_same(own, posted);
        self.answers.iter().find(is_it).map(|(_, answer)| *answer)
    }
}

/// A reaction does not say in which thread the message stands.
pub fn is_same(a: &Posted, b: &Posted) -> bool {
    a.message == b.message && a.place.chat == b.place.chat
}
