//! What the journal says is known: the questions with their states, and which contents have been
//! described.

use std::{collections::BTreeMap, path::PathBuf};

use jiff::Timestamp;
use rayon::prelude::*;
use rustc_hash::FxHashMap;

use super::record::{QUESTION, Question, SUMMARY, Summary, SummaryHead};
use crate::{
    journal::{Journal, JournalError, Place, Record, fold},
    jsonl::Damage,
    repo::NotePath,
};

/// One description of a file.
#[derive(Debug, Clone)]
pub struct Described {
    /// Name of the content that was read, in hex.
    pub blob: String,
    pub failed: bool,
    pub at: Timestamp,
    /// Whether git carries it.
    pub shared: bool,
    record: Record,
}

impl Described {
    /// The whole record; `None` if it is not one after all.
    pub fn summary(&self) -> Option<Summary> {
        self.record.parse().ok()
    }
}

/// What is known.
#[derive(Debug, Default)]
pub struct Known {
    pub questions: BTreeMap<String, Question>,
    /// By path; of each path the newest first.
    pub described: FxHashMap<NotePath, Vec<Described>>,
    /// A path at which each content is described well.
    places: FxHashMap<String, NotePath>,
    /// Lines of the journal that cannot be read.
    pub damage: Vec<(PathBuf, Damage)>,
    /// Files of the journal that cannot be read.
    pub unreadable: Vec<JournalError>,
}

impl Known {
    /// Reads the journal.
    pub fn read(journal: &Journal, now: Timestamp) -> Self {
        let reading = journal.read(&[QUESTION, SUMMARY]);
        let mut known = Self::of(reading.records, now);
        known.damage = reading.damage;
        known.unreadable = reading.unreadable;
        known
    }

    /// From records in any order, as git holds them or as they were read.
    pub fn of(records: Vec<Record>, now: Timestamp) -> Self {
        let mut known = Self::default();
        let folded: Vec<Record> = fold(records, now).into_values().collect();
        let (questions, summaries): (Vec<Record>, Vec<Record>) = folded
            .into_iter()
            .filter(|record| !record.retired)
            .partition(|record| record.kind == QUESTION);
        for record in questions {
            // A record of another shape is of a newer version: it stays as it is.
            if let Ok(question) = record.parse::<Question>() {
                known.questions.insert(record.id, question);
            }
        }
        let read: Vec<(NotePath, Described)> = summaries
            .into_par_iter()
            .filter_map(|record| {
                let head: SummaryHead = record.parse().ok()?;
                let path = head.path();
                let shared = record.place == Place::Shared;
                let SummaryHead { blob, summary_failed: failed, .. } = head;
                Some((path, Described { blob, failed, at: record.at, shared, record }))
            })
            .collect();
        for (path, described) in read {
            known.described.entry(path).or_default().push(described);
        }
        for all in known.described.values_mut() {
            all.sort_by(|a, b| b.at.cmp(&a.at).then_with(|| b.blob.cmp(&a.blob)));
        }
        for (path, all) in &known.described {
            for described in all.iter().filter(|described| !described.failed) {
                // The same one, whatever order a map has.
                let place = known.places.entry(described.blob.clone()).or_insert(path.clone());
                if path < place {
                    *place = path.clone();
                }
            }
        }
        known
    }

    /// The description of exactly this content at this path.
    pub fn of_content(&self, path: &NotePath, blob: &str) -> Option<&Described> {
        self.described.get(path)?.iter().find(|described| described.blob == blob)
    }

    /// The newest description of a path, of whatever content.
    pub fn newest(&self, path: &NotePath) -> Option<&Described> {
        self.described.get(path)?.first()
    }

    /// A good description of this content under any path: what was moved needs no second one.
    pub fn anywhere(&self, blob: &str) -> Option<&Described> {
        let all = self.described.get(self.places.get(blob)?)?;
        all.iter().find(|described| described.blob == blob && !described.failed)
    }
}
