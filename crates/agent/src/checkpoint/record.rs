//! What is written down of a run, and what follows from it. Pure.
//!
//! The journal of a run holds [`Event`]s; folded they say what the run changed. A sealed run is
//! one [`Sealed`] record.

use std::collections::{BTreeMap, BTreeSet};

use serde::{Deserialize, Serialize};

use super::{
    name::Name,
    state::{State, WhyUncovered},
};
use elophanto_repo::ObjectId;

/// Where the bytes of a file are kept.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(super) enum Place {
    /// Here.
    Text(String),
    /// In the run's own file of contents, from this byte on.
    Data(u64),
    /// In git.
    #[serde(with = "digits")]
    Blob(ObjectId),
    /// Among the contents of this work tree that git is never given.
    Private,
}

/// An id as text.
mod digits {
    use serde::{Deserialize, Deserializer, Serializer, de::Error};

    use elophanto_repo::ObjectId;

    pub(super) fn serialize<S: Serializer>(
        id: &ObjectId,
        serializer: S,
    ) -> Result<S::Ok, S::Error> {
        serializer.collect_str(id)
    }

    pub(super) fn deserialize<'de, D: Deserializer<'de>>(
        deserializer: D,
    ) -> Result<ObjectId, D::Error> {
        let text = String::deserialize(deserializer)?;
        ObjectId::from_hex(text.as_bytes()).ok_or_else(|| D::Error::custom("no id of an object"))
    }
}

/// What was at a path before a change.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Was {
    pub(super) path: Name,
    pub(super) state: State,
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub(super) place: Option<Place>,
}

/// What a change of the run may be about.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(super) enum Scope {
    /// These paths and nothing below them.
    Exact,
    /// These paths and everything below them.
    Below(Vec<Name>),
    /// The whole work tree: as in the baseline whose file has this number, but for what other
    /// scopes on it have said, and what is different since then.
    All {
        baseline: u32,
        head: Option<String>,
        #[serde(skip_serializing_if = "Vec::is_empty", default)]
        since: Vec<Was>,
        /// What was kept from being changed, with all below it.
        #[serde(skip_serializing_if = "Vec::is_empty", default)]
        but: Vec<Name>,
    },
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Change {
    pub(super) path: Name,
    pub(super) was: State,
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub(super) place: Option<Place>,
    pub(super) left: State,
    /// Somebody else may have had a part in it.
    #[serde(skip_serializing_if = "std::ops::Not::not", default)]
    pub(super) is_shared: bool,
}

/// An entry of git's index: octal mode, digits of the id, stage.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Entry {
    pub(super) mode: String,
    pub(super) id: String,
    pub(super) stage: String,
}

/// A branch (or HEAD itself) that the run moved, and the entries of the index that went along.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Move {
    pub(super) branch: Option<String>,
    pub(super) old: Option<String>,
    pub(super) new: Option<String>,
    pub(super) index: Vec<IndexChange>,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct IndexChange {
    pub(super) path: Name,
    pub(super) was: Vec<Entry>,
    pub(super) left: Vec<Entry>,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(super) enum Event {
    Begun {
        root: Name,
        head: Option<String>,
        undoes: Option<String>,
    },
    Opened {
        scope: Scope,
        was: Vec<Was>,
        uncovered: BTreeSet<(Name, WhyUncovered)>,
        /// How much others had told of their writes before it was looked at, in bytes.
        #[serde(default)]
        told: u64,
    },
    /// The scope that was opened last.
    Closed {
        changes: Vec<Change>,
        uncovered: BTreeSet<(Name, WhyUncovered)>,
    },
    Moved(Move),
}

/// A scope that is open.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Open {
    pub(super) scope: Scope,
    /// Of [`Scope::All`] only what is not looked into: the rest is in its baseline.
    pub(super) was: BTreeMap<Name, (State, Option<Place>)>,
    /// Of [`Scope::All`]: how much of what is different from its baseline had been said.
    since: usize,
    /// How much others had told before.
    pub(super) told: u64,
}

impl Open {
    /// Whether a change of this path will be seen when it closes.
    fn covers(&self, path: &Name) -> bool {
        match &self.scope {
            Scope::Exact => self.was.contains_key(path),
            Scope::Below(names) => {
                self.was.contains_key(path) || path.above().any(|folder| names.contains(&folder))
            }
            Scope::All { but, .. } => {
                let is_left_out = |path: &Name| self.was.contains_key(path) || but.contains(path);
                !is_left_out(path) && !path.above().any(|folder| is_left_out(&folder))
            }
        }
    }
}

/// All changes of one path.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Net {
    pub(super) path: Name,
    pub(super) was: State,
    #[serde(skip)]
    pub(super) place: Option<Place>,
    pub(super) left: State,
    /// Somebody else changed it between two changes of the run, or along with it.
    #[serde(skip_serializing_if = "std::ops::Not::not", default)]
    pub(super) is_broken: bool,
    /// Seen only when an interrupted run was sealed: others may have had a part in it.
    #[serde(skip_serializing_if = "std::ops::Not::not", default)]
    pub(super) is_unsure: bool,
}

/// What the events of a run say.
#[derive(Debug, Clone, Default)]
pub(super) struct Folded {
    pub(super) root: Name,
    pub(super) head: Option<String>,
    pub(super) undoes: Option<String>,
    pub(super) changes: BTreeMap<Name, Net>,
    pub(super) moves: Vec<Move>,
    pub(super) uncovered: BTreeSet<(Name, WhyUncovered)>,
    pub(super) open: Vec<Open>,
    /// How many baselines there were.
    pub(super) baselines: u32,
    /// By the number of a baseline, what was said to be different from it.
    since: BTreeMap<u32, Vec<Was>>,
}

impl Folded {
    /// `is_unsure`: the event was not seen while the run was at work.
    pub(super) fn take(&mut self, event: Event, is_unsure: bool) {
        match event {
            Event::Begun { root, head, undoes } => {
                (self.root, self.head, self.undoes) = (root, head, undoes);
            }
            Event::Opened { mut scope, was, uncovered, told } => {
                let mut said = 0;
                if let Scope::All { baseline, since, .. } = &mut scope {
                    self.baselines = self.baselines.max(baseline.saturating_add(1));
                    let all = self.since.entry(*baseline).or_default();
                    all.append(since);
                    said = all.len();
                }
                let was = was.into_iter().map(|was| (was.path, (was.state, was.place))).collect();
                self.open.push(Open { scope, was, since: said, told });
                self.uncovered.extend(uncovered);
            }
            Event::Closed { changes, uncovered } => {
                self.open.pop();
                self.uncovered.extend(uncovered);
                for change in changes {
                    // A scope around it began earlier, so it knows better what was there.
                    if !self.open.iter().any(|open| open.covers(&change.path)) {
                        self.change(change, is_unsure);
                    }
                }
            }
            Event::Moved(moved) => self.moves.push(moved),
        }
    }

    fn change(&mut self, change: Change, is_unsure: bool) {
        let Change { path, was, place, left, is_shared } = change;
        match self.changes.get_mut(&path) {
            // What it was at the beginning is not known.
            None if was.is_opaque() => {
                if let State::Opaque(why) = &was {
                    self.uncovered.insert((path, why.into()));
                }
            }
            Some(net) => {
                net.is_broken |= net.left != was || is_shared;
                net.is_unsure |= is_unsure;
                net.left = left;
            }
            None => {
                let is_broken = is_shared;
                let net = Net { path: path.clone(), was, place, left, is_broken, is_unsure };
                self.changes.insert(path, net);
            }
        }
    }

    /// How the work tree was different from the baseline of a scope when that was opened.
    pub(super) fn since(&self, open: &Open) -> &[Was] {
        let Scope::All { baseline, .. } = open.scope else { return &[] };
        let all = self.since.get(&baseline).map_or(&[][..], Vec::as_slice);
        all.get(..open.since).unwrap_or(all)
    }

    /// What is different after the run.
    pub(super) fn net(&self) -> impl Iterator<Item = &Net> {
        self.changes.values().filter(|net| net.is_broken || net.was != net.left)
    }

    /// Whether there is nothing to remember.
    pub(super) fn is_empty(&self) -> bool {
        self.moves.is_empty() && self.uncovered.is_empty() && self.net().next().is_none()
    }
}

/// The first line of a commit's message: what a list of runs shows.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Head {
    pub(super) run: String,
    pub(super) undoes: Option<String>,
    pub(super) is_interrupted: bool,
    pub(super) changes: usize,
    pub(super) moves: usize,
    pub(super) uncovered: usize,
    /// The work tree.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub(super) root: Option<Name>,
}

/// A line of the record of a sealed run.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(super) enum Line {
    Head(Head),
    Root(Name),
    Change(Net),
    Move(Move),
    Uncovered(Name, WhyUncovered),
}

/// What the record of a sealed run holds.
#[derive(Debug, Clone, Default)]
pub(super) struct Sealed {
    pub(super) head: Option<Head>,
    pub(super) root: Name,
    pub(super) changes: Vec<Net>,
    pub(super) moves: Vec<Move>,
    pub(super) uncovered: BTreeSet<(Name, WhyUncovered)>,
}

impl Sealed {
    pub(super) fn of(lines: impl Iterator<Item = Line>) -> Self {
        let mut sealed = Self::default();
        for line in lines {
            match line {
                Line::Head(head) => sealed.head = Some(head),
                Line::Root(root) => sealed.root = root,
                Line::Change(net) => sealed.changes.push(net),
                Line::Move(moved) => sealed.moves.push(moved),
                Line::Uncovered(path, why) => drop(sealed.uncovered.insert((path, why))),
            }
        }
        sealed
    }
}
