//! What the journal says is known: the questions with their states, and which contents have been
//! described.

use std::{
    collections::{BTreeMap, BTreeSet},
    path::PathBuf,
};

use jiff::Timestamp;
use rayon::prelude::*;
use rustc_hash::FxHashMap;

use super::{
    reach::Reach,
    record::{
        DISMISSAL, Dismissal, GapKind, QUESTION, Question, QuestionState, SUMMARY, Summary,
        SummaryHead,
    },
};
use elophanto_base::jsonl::Damage;
use elophanto_repo::{
    NotePath,
    journal::{Journal, JournalError, Place, Record, fold, is_credible},
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
    /// Questions of which the record that counts is on this machine alone.
    local: BTreeSet<String>,
    /// A path at which each content is described well.
    places: FxHashMap<String, NotePath>,
    /// Lines of the journal that cannot be read.
    pub damage: Vec<(PathBuf, Damage)>,
    /// Files of the journal that cannot be read.
    pub unreadable: Vec<JournalError>,
}

impl Known {
    /// Reads the journal. What speaks of files beyond reach is as if it were not there.
    pub fn read(journal: &Journal, reach: &Reach, now: Timestamp) -> Self {
        let reading = journal.read(&[QUESTION, DISMISSAL, SUMMARY]);
        let mut known = Self::of(reading.records, reach, now);
        known.damage = reading.damage;
        known.unreadable = reading.unreadable;
        known
    }

    /// From records in any order, as git holds them or as they were read.
    pub fn of(records: Vec<Record>, reach: &Reach, now: Timestamp) -> Self {
        let mut known = Self::default();
        let mut dismissed: BTreeMap<String, Dismissal> = BTreeMap::new();
        let mut summaries = Vec::new();
        for record in fold(records, now).into_values().filter(|record| !record.retired) {
            // A record of another shape is of a newer version: it stays as it is.
            match record.kind.as_str() {
                QUESTION => {
                    if let Ok(question) = record.parse::<Question>()
                        && reach.holds(&question.evidence.path())
                    {
                        if record.place == Place::Local {
                            known.local.insert(record.id.clone());
                        }
                        known.questions.insert(record.id, question);
                    }
                }
                DISMISSAL => {
                    if let Ok(dismissal) = record.parse() {
                        dismissed.insert(record.id, dismissal);
                    }
                }
                SUMMARY => summaries.push(record),
                _ => {}
            }
        }
        for (id, dismissal) in dismissed {
            let Some(question) = known.questions.get_mut(&id) else { continue };
            // What is said of it next comes after both.
            question.at = question.at.max(dismissal.at);
            let is_of_it =
                question.gap == GapKind::Unindexed || question.evidence.blob == dismissal.blob;
            if dismissal.state == QuestionState::Dismissed && is_of_it {
                question.state = QuestionState::Dismissed;
            }
        }
        let read: Vec<(NotePath, Described)> = summaries
            .into_par_iter()
            .filter_map(|record| {
                let head: SummaryHead = record.parse().ok()?;
                if head.withdrawn {
                    return None;
                }
                let path = head.path();
                if !reach.holds(&path) {
                    return None;
                }
                let shared = record.place == Place::Shared;
                let SummaryHead { blob, summary_failed: failed, .. } = head;
                Some((path, Described { blob, failed, at: record.at, shared, record }))
            })
            .collect();
        for (path, described) in read {
            known.described.entry(path).or_default().push(described);
        }
        for all in known.described.values_mut() {
            // What git carries is carried, even if a search here has said it again.
            let carried: Vec<String> =
                all.iter().filter(|one| one.shared).map(|one| one.blob.clone()).collect();
            for one in all.iter_mut() {
                one.shared |= carried.contains(&one.blob);
            }
            // A time that cannot be is no reason to come first.
            let key = |one: &Described| (is_credible(one.at, now), one.at);
            all.sort_by(|a, b| key(b).cmp(&key(a)).then_with(|| b.blob.cmp(&a.blob)));
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

    /// Questions that nobody is at any more are open.
    pub fn reopen(&mut self) {
        for question in self.questions.values_mut() {
            if question.state == QuestionState::Investigating {
                question.state = QuestionState::Open;
            }
        }
    }

    /// Whether what counts of a question is known on this machine alone.
    pub fn is_local(&self, id: &str) -> bool {
        self.local.contains(id)
    }

    /// The description of exactly this content at this path.
    pub fn of_content(&self, path: &NotePath, blob: &str) -> Option<&Described> {
        self.described.get(path)?.iter().find(|described| described.blob == blob)
    }

    /// The newest description of a path, of whatever content.
    pub fn newest(&self, path: &NotePath) -> Option<&Described> {
        self.described.get(path)?.first()
    }

    /// The description to show for a path: the newest that says anything.
    pub fn shown(&self, path: &NotePath) -> Option<&Described> {
        let all = self.described.get(path)?;
        all.iter().find(|described| !described.failed).or_else(|| all.first())
    }

    /// A good description of this content under any path: what was moved needs no second one.
    pub fn anywhere(&self, blob: &str) -> Option<&Described> {
        let all = self.described.get(self.places.get(blob)?)?;
        all.iter().find(|described| described.blob == blob && !described.failed)
    }
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use serde_json::json;

    use super::super::sought::Wanted;
    use super::*;

    /// A cloned journal says nothing of files that this clone would not find.
    #[test]
    fn what_speaks_of_files_beyond_reach_is_not_there() {
        let folder = tempfile::tempdir().unwrap();
        let root = folder.path();
        std::fs::write(root.join(".gitignore"), "private\n").unwrap();
        let now: Timestamp = "2026-01-01T00:00:00Z".parse().unwrap();
        let paths = [
            "/etc/passwd", "../a.rs", "private/a.rs", ".env", ".git/config", "src/key.rs",
            "src/a.rs",
        ];
        let records = paths.iter().flat_map(|path| {
            let question = json!({
                "kind": QUESTION, "id": format!("q-{path}"), "at": now, "gap": "unindexed",
                "question": "?", "hypothesis": "", "evidence": { "file_path": path },
                "priority": "low", "autonomy": 3, "value": 0.5, "cost": 0, "state": "open",
            });
            let summary = json!({
                "kind": SUMMARY, "id": format!("s-{path}"), "at": now, "file_path": path,
                "blob": "1406605981",
            });
            [question, summary].map(|it| serde_json::from_value(it).unwrap())
        });
        let wanted = Wanted::below(&["."], &[], |path| path.ends_with("key.rs"));
        let reach = Reach::new(root, &wanted);
        let known = Known::of(records.collect(), &reach, now);
        assert_eq!(known.questions.keys().collect::<Vec<_>>(), ["q-src/a.rs"]);
        assert_eq!(known.described.keys().collect::<Vec<_>>(), [&NotePath::from("src/a.rs")]);
        assert_eq!(known.anywhere("1406605981").map(|it| it.blob.len()), Some(10));
    }

    /// What is said of a question holds over what was said before, by a clock that was ahead as well.
    #[test]
    fn the_last_word_on_a_question() {
        let now: Timestamp = "2026-01-01T00:00:00Z".parse().unwrap();
        let asked = json!({
            "kind": QUESTION, "id": "q", "at": now, "gap": "stale", "question": "?",
            "hypothesis": "", "evidence": { "file_path": "a.md" }, "priority": "low",
            "autonomy": 3, "value": 0.5, "cost": 0, "state": "open",
        });
        let wanted = Wanted::below(&["."], &[], |_| false);
        let reach = Reach::new(Path::new("/nowhere"), &wanted);
        for ahead in ["2025-12-31T23:00:00Z", "2026-01-01T00:00:00Z", "2026-01-01T12:00:00Z"] {
            let mut said = vec![asked.clone()];
            said.push(json!({ "kind": DISMISSAL, "id": "q", "at": ahead, "state": "dismissed" }));
            let mut words = [QuestionState::Open, QuestionState::Dismissed].into_iter().cycle();
            for before in [QuestionState::Dismissed, QuestionState::Open, QuestionState::Dismissed]
            {
                let records = said.iter().map(|it| serde_json::from_value(it.clone()).unwrap());
                let known = Known::of(records.collect(), &reach, now);
                let question = &known.questions["q"];
                assert_eq!(question.state, before, "{ahead}");
                let state = words.next().unwrap();
                let at = question.moved(state, None, now).at;
                said.push(json!({ "kind": DISMISSAL, "id": "q", "at": at, "state": state }));
            }
        }
    }
}
