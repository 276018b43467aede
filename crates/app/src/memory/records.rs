//! Looking through what agents remember, and mending it.

use std::{
    collections::BTreeMap,
    fs,
    path::{Path, PathBuf},
};

use jiff::Timestamp;

use super::{Memories, Remembered};
use crate::{Error, Result, reporter::Reporter, shell::quoted, when::day};
use elophanto_base::{one_line::one_line, visible::escape_control_line};
use elophanto_knowledge::memory::{
    COMPARED, Draft, Entry, EventType, Folded, Memory, Rate, abbreviated, by_age, fold, line,
    telling_length,
};

/// Lessons that are named where an id may mean each of them.
pub(super) const MOST_CANDIDATES: usize = 5;

/// All records there are.
pub struct Records {
    /// With what later records say of earlier ones already done.
    pub folded: Folded,
    /// Where each record stands, by id; of records with one id, the one that counts.
    pub places: BTreeMap<String, Place>,
}

/// Where a record stands.
#[derive(Debug, Clone, Default)]
pub struct Place {
    /// As the user knows it.
    pub path: String,
    /// From 1.
    pub line: usize,
    /// Whether it lies in the archive, and nowhere else.
    pub is_archived: bool,
}

/// What a lesson should say in place of what it says; what is `None` stays.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Correction {
    /// What kind of thing was learnt.
    pub event_type: Option<EventType>,
    /// What the task was.
    pub context: Option<String>,
    /// What was run or done.
    pub command: Option<String>,
    /// What to do, or not to do.
    pub lesson: Option<String>,
    /// Successes of attempts.
    pub success_rate: Option<Rate>,
    /// All of them.
    pub tags: Option<Vec<String>>,
}

impl Records {
    /// Lessons of a repository and of a kind, the newest first; all of them if none is named.
    pub fn newest<'r>(
        &'r self,
        repo: Option<&'r str>,
        event_type: Option<EventType>,
        with_archived: bool,
    ) -> impl Iterator<Item = &'r Memory> {
        self.folded.memories.iter().rev().filter(move |memory| {
            repo.is_none_or(|repo| repo == memory.repo)
                && event_type.is_none_or(|kind| kind == memory.event_type)
                && (with_archived || !self.is_archived(memory))
        })
    }

    pub(super) fn is_archived(&self, memory: &Memory) -> bool {
        self.places.get(&memory.id).is_some_and(|place| place.is_archived)
    }

    /// The lesson that an id, or the beginning of one, means. A whole id never means another one that
    /// begins with it.
    ///
    /// # Errors
    /// When there is none, or more than one; or it was forgotten or corrected.
    pub fn find(&self, id: &str) -> Result<&Memory> {
        let Folded { memories, retired, replaced, .. } = &self.folded;
        if let Some(memory) = memories.iter().find(|memory| memory.id == id) {
            return Ok(memory);
        }
        if !retired.contains_key(id) && !replaced.contains_key(id) {
            let found: Vec<&Memory> = memories.iter().filter(|it| begins(&it.id, id)).collect();
            match found[..] {
                [memory] => return Ok(memory),
                [] => {}
                _ => return Err(self.ambiguous(id, &found)),
            }
        }
        let gone = retired.keys().chain(replaced.keys()).map(String::as_str);
        let mut gone: Vec<&str> = gone.filter(|it| *it == id || begins(it, id)).collect();
        gone.sort_unstable();
        gone.dedup();
        let id = if let [whole] = gone[..] { whole } else { id };
        let shown = escape_control_line(id);
        if let Some(vain) = self.in_vain(id) {
            return Err(Error::new(self.told(vain)).hint(self.mend(vain)));
        }
        if let Some(record) = retired.get(id) {
            let error = Error::new(format_args!("`{shown}` is forgotten already"));
            return Err(match self.folded.joined_into(record) {
                Some(newer) => Error::new(format_args!("`{shown}` was joined with another lesson"))
                    .hint(format!("what stands for both is {}", escape_control_line(newer))),
                None => error,
            });
        }
        if let Some(newer) = replaced.get(id) {
            return Err(Error::new(format_args!("`{shown}` was corrected"))
                .hint(format!("the correction is {}", escape_control_line(newer))));
        }
        Err(Error::new(format_args!("there is no lesson `{shown}`"))
            .hint("elophanto agent memory list shows their ids"))
    }

    /// So many characters of each id tell it from all others.
    pub fn telling_length(&self) -> usize {
        telling_length(self.places.keys().map(String::as_str))
    }

    /// What there is to say of a beginning that several ids have.
    fn ambiguous(&self, id: &str, found: &[&Memory]) -> Error {
        let (count, length) = (found.len(), self.telling_length());
        let message =
            format!("{count} lessons have an id that begins with `{}`", escape_control_line(id));
        let shown = found.iter().rev().take(MOST_CANDIDATES).map(|memory| {
            let text =
                if memory.lesson.trim().is_empty() { &memory.context } else { &memory.lesson };
            let [id, text] =
                [abbreviated(&memory.id, length), &one_line(text, 60)].map(escape_control_line);
            format!("{id} of {}: {text}", day(memory.timestamp.as_second()))
        });
        let error = shown.fold(Error::new(message), |error, told| error.hint(told));
        match count.saturating_sub(MOST_CANDIDATES) {
            0 => error,
            more => error.hint(format!("and {more} more: elophanto agent memory list")),
        }
    }

    /// The correction without effect that a forgotten lesson has.
    fn in_vain(&self, id: &str) -> Option<&Memory> {
        self.folded.in_vain.get(self.folded.lineage.lesson(id).in_vain?)
    }

    /// That a correction has no effect, and why.
    pub fn told(&self, vain: &Memory) -> String {
        let Folded { retired, lineage, .. } = &self.folded;
        let records = lineage.lesson(&vain.id).records;
        let by = records.iter().filter_map(|id| retired.get(*id)).min_by_key(|it| it.timestamp);
        let by = by.map_or_else(String::new, |by| {
            let who = if by.agent_id.is_empty() { "somebody" } else { &by.agent_id };
            format!(
                ", which {} forgot on {}",
                escape_control_line(who),
                day(by.timestamp.as_second())
            )
        });
        let [id, older] = [&vain.id, vain.replaces.as_ref().unwrap_or(&vain.id)]
            .map(|id| escape_control_line(id));
        format!("`{id}` corrects `{older}`{by}: it has no effect")
    }

    /// What to do about a correction without effect.
    pub fn mend(&self, vain: &Memory) -> String {
        let place = self.places.get(&vain.id).map_or_else(String::new, |place| {
            format!(" what {}:{} says", escape_control_line(&place.path), place.line)
        });
        let id = quoted(&escape_control_line(&vain.id));
        format!(
            "elophanto agent memory forget {id} to be done with it, or elophanto agent remember{place}"
        )
    }

    /// The lessons of each repository as JSON Lines, corrections applied.
    ///
    /// # Errors
    /// When a record is too long to be written.
    pub fn exported(&self) -> Result<BTreeMap<&str, String>> {
        let mut texts: BTreeMap<&str, String> = BTreeMap::new();
        for memory in &self.folded.memories {
            let text = texts.entry(&memory.repo).or_default();
            text.push_str(&line(&Entry::Memory(memory.clone()))?);
            text.push('\n');
        }
        Ok(texts)
    }

    /// Writes the lessons of each repository into a file of a new or empty folder; their paths.
    ///
    /// # Errors
    /// When the folder is not empty, or cannot be written to.
    pub fn export_to(&self, folder: &Path) -> Result<Vec<PathBuf>> {
        let texts = self.exported()?;
        if fs::read_dir(folder).is_ok_and(|mut entries| entries.next().is_some()) {
            return Err(Error::new(format_args!("`{}` is not empty", folder.display()))
                .hint("name a folder that does not exist yet"));
        }
        fs::create_dir_all(folder)?;
        let write = |(repo, text): (&str, String)| -> Result<PathBuf> {
            let path = folder.join(format!("{repo}.jsonl"));
            fs::write(&path, text)?;
            Ok(path)
        };
        texts.into_iter().map(write).collect()
    }
}

impl Memories<'_> {
    /// Reads all files; what is damaged is told and passed over.
    pub fn records(&self, reporter: &dyn Reporter) -> Records {
        let (records, damage) = self.read();
        damage.iter().for_each(|told| reporter.warn(told));
        if let Some(left) = self.left_out() {
            reporter.warn(format_args!("{}; to take them along: {}", left.told(), left.mend()));
        }
        records
    }

    /// The same, with what is damaged.
    pub fn read(&self) -> (Records, Vec<String>) {
        let listing = self.files.list();
        let mut damage: Vec<String> = listing.unreadable.iter().map(ToString::to_string).collect();
        let mut entries: Vec<(Entry, Place)> = Vec::new();
        for found in &listing.files {
            let read = match self.files.read(found) {
                Ok(read) => read,
                Err(error) => {
                    damage.push(error.to_string());
                    continue;
                }
            };
            let path = self.shown(&found.path).to_string_lossy().into_owned();
            if let Some(told) = read.damage_told() {
                damage.push(format!("`{}`, {told}", escape_control_line(&path)));
            }
            let place = |line| Place { path: path.clone(), line, is_archived: found.is_archived };
            entries.extend(read.entries.into_iter().map(|(line, entry)| (entry, place(line))));
        }
        let places = places(&entries);
        (Records { folded: fold(entries.into_iter().map(|(entry, _)| entry)), places }, damage)
    }

    /// The newest lessons of all repositories, as many files as hold enough to compare a new one with:
    /// writing a lesson down takes no longer where there are many. What an older file takes back
    /// may be among them.
    pub(super) fn newest(&self) -> Vec<Memory> {
        let mut files = self.files.list().files;
        files.retain(|found| !found.is_archived);
        files.sort_by(|a, b| a.path.file_name().cmp(&b.path.file_name()));
        let mut entries = Vec::new();
        for found in files.iter().rev() {
            if entries.len() >= COMPARED {
                break;
            }
            let read = self.files.read(found).unwrap_or_default();
            entries.extend(read.entries.into_iter().map(|(_, entry)| entry));
        }
        fold(entries).memories
    }

    /// Corrects a lesson: a new record takes its place. Without `agent` it is the one of the settings.
    ///
    /// # Errors
    /// When there is nothing to correct, no such lesson, or the record cannot be written.
    pub fn correct(
        &self,
        id: &str,
        correction: Correction,
        agent: Option<&str>,
        reporter: &dyn Reporter,
    ) -> Result<Remembered> {
        if correction == Correction::default() {
            return Err(Error::new("there is nothing to correct")
                .hint("give what it should say, such as --lesson or --success-rate 9/10"));
        }
        let old = self.records(reporter).find(id)?.clone();
        let draft = Draft {
            event_type: correction.event_type.unwrap_or(old.event_type),
            context: correction.context.unwrap_or(old.context),
            command: correction.command.unwrap_or(old.command),
            lesson: correction.lesson.unwrap_or(old.lesson),
            success_rate: correction.success_rate.or(old.success_rate),
            tags: Some(correction.tags.unwrap_or(old.tags)),
            repo: old.repo,
            agent_id: self.agent(agent),
            replaces: Some(old.id),
        };
        self.remember(draft, Timestamp::now())
    }

    /// Writes a lesson down in the place of another, whatever that said, and as one of its repository. For
    /// agents: nothing that others wrote is told where there is no such lesson.
    ///
    /// # Errors
    /// When there is no such lesson, or the new one cannot be written.
    pub fn replace(&self, id: &str, draft: Draft, reporter: &dyn Reporter) -> Result<Remembered> {
        let records = self.records(reporter);
        let old = records.find(id).map_err(|cause| Error::new(cause.message()))?.clone();
        let draft = Draft { repo: old.repo, replaces: Some(old.id), ..draft };
        self.remember(draft, Timestamp::now())
    }

    pub(super) fn agent(&self, given: Option<&str>) -> String {
        given.unwrap_or(&self.workspace.config.memory.agent_id).to_owned()
    }
}

/// Where the record of each id stands that counts, and of copies of it one that is not put away.
fn places(entries: &[(Entry, Place)]) -> BTreeMap<String, Place> {
    let mut best: BTreeMap<&str, usize> = BTreeMap::new();
    for (index, (entry, place)) in entries.iter().enumerate() {
        let known = best.entry(entry.id()).or_insert(index);
        let (other, other_place) = &entries[*known];
        let order = match (entry, other) {
            (Entry::Memory(one), Entry::Memory(other)) => by_age(one, other),
            (one, other) => matches!(one, Entry::Memory(_)).cmp(&matches!(other, Entry::Memory(_))),
        };
        if order.then(other_place.is_archived.cmp(&place.is_archived)).is_gt() {
            *known = index;
        }
    }
    let place = |(id, index): (&str, usize)| (id.to_owned(), entries[index].1.clone());
    best.into_iter().map(place).collect()
}

/// Whether an id begins with a text, in any case of letters. Nothing is the beginning of every id, and
/// mostly a variable that is not set.
pub(super) fn begins(id: &str, with: &str) -> bool {
    !with.is_empty() && id.to_ascii_uppercase().starts_with(&with.to_ascii_uppercase())
}
