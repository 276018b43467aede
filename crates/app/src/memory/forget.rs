//! Taking lessons back: one by its id, or all that are about something.

use std::{
    collections::{BTreeMap, BTreeSet},
    path::PathBuf,
};

use super::{Memories, Question, records::Records};
use crate::{Error, Result, reporter::Reporter};
use elophanto_base::visible::escape_control_line;
use elophanto_knowledge::memory::Memory;

/// Lessons that are near what is to be forgotten, and named only.
const MOST_NEAR: usize = 5;

/// Lessons among which those that say the same as one are looked for.
const MOST_ALIKE: usize = 20;

/// A lesson that was taken back.
#[derive(Debug)]
pub struct Forgotten {
    /// As it was.
    pub memory: Memory,
    /// Whether its line is gone from the file.
    pub removed: bool,
    /// Files of other programs that still hold its line.
    pub left_in: BTreeSet<PathBuf>,
}

/// What is remembered about something.
#[derive(Debug)]
pub struct About {
    /// Lessons that hold every word of it, the newest first.
    pub lessons: Vec<Memory>,
    /// Lessons that may mean it in other words, the nearest first.
    pub near: Vec<Memory>,
    /// So many characters of an id tell it from all others.
    pub id_length: usize,
}

impl Memories<'_> {
    /// Takes a lesson back, in every clone, with all its records; `remove` also takes their lines out
    /// of the files. Without `agent` it is the one of the settings who forgets.
    ///
    /// # Errors
    /// When there is no such lesson, or that cannot be written down.
    pub fn forget(
        &self,
        id: &str,
        remove: bool,
        agent: Option<&str>,
        reporter: &dyn Reporter,
    ) -> Result<Forgotten> {
        let records = self.records(reporter);
        let one = std::slice::from_ref(known(&records, id)?);
        let mut forgotten = self.forget_all(one, remove, agent, reporter)?;
        forgotten.pop().ok_or_else(|| Error::bug("a lesson was not forgotten"))
    }

    /// Takes a lesson back like [`Memories::forget`], and with it those that [`Memories::recall`] shows
    /// as one with it. The lesson itself comes first.
    ///
    /// # Errors
    /// As those.
    pub fn forget_shown(
        &self,
        id: &str,
        remove: bool,
        agent: Option<&str>,
        reporter: &dyn Reporter,
    ) -> Result<Vec<Forgotten>> {
        let records = self.records(reporter);
        let memory = known(&records, id)?;
        let same = self.same(memory)?;
        let is_same = |it: &&Memory| it.id != memory.id && same.contains(&it.id);
        let others = records.folded.memories.iter().filter(is_same);
        let lessons: Vec<Memory> = std::iter::once(memory).chain(others).cloned().collect();
        self.forget_all(&lessons, remove, agent, reporter)
    }

    /// Ids of the records that are shown as one with a lesson.
    fn same(&self, memory: &Memory) -> Result<Vec<String>> {
        let Memory { context, lesson, .. } = memory;
        let said = format!("{context}\n{lesson}");
        let question = Question { archived: true, ..self.question(&said, MOST_ALIKE) };
        let mut found = self.recall(&question)?.into_iter();
        let one = found.find(|it| it.records.contains(&memory.id));
        Ok(one.map(|it| it.records).unwrap_or_default())
    }

    /// Takes lessons back like [`Memories::forget`].
    ///
    /// # Errors
    /// When that cannot be written down.
    pub fn forget_all(
        &self,
        lessons: &[Memory],
        remove: bool,
        agent: Option<&str>,
        reporter: &dyn Reporter,
    ) -> Result<Vec<Forgotten>> {
        let records = self.records(reporter);
        let lineage = &records.folded.lineage;
        // With all that each corrects: else that would count again once its line is gone, and a
        // correction that another clone made of it would stay.
        let of_lessons: Vec<Vec<&str>> =
            lessons.iter().map(|memory| lineage.lesson(&memory.id).records).collect();
        let mut by_repo: BTreeMap<&str, Vec<&str>> = BTreeMap::new();
        for (memory, ids) in lessons.iter().zip(&of_lessons) {
            by_repo.entry(&memory.repo).or_default().extend(ids);
        }
        for (repo, ids) in by_repo {
            self.retire(repo, &ids, None, &self.agent(agent))?;
        }
        let mut forgotten = Vec::with_capacity(lessons.len());
        for (memory, ids) in lessons.iter().zip(&of_lessons) {
            let (mut removed, mut left_in) = (false, BTreeSet::new());
            for id in ids.iter().filter(|_| remove) {
                let Some(found) = self.files.remove_line(id)? else { continue };
                removed |= !found.files.is_empty();
                left_in.extend(found.left_in);
            }
            forgotten.push(Forgotten { memory: memory.clone(), removed, left_in });
        }
        Ok(forgotten)
    }

    /// What is remembered about something, the archive included, of all repositories if none is named.
    ///
    /// # Errors
    /// When no word of it tells anything, or the view cannot be read and not be made anew.
    pub fn about(&self, text: &str, repo: Option<&str>, reporter: &dyn Reporter) -> Result<About> {
        let analyzer = &self.workspace.analyzer;
        let wanted: BTreeSet<String> = analyzer.terms(text).into_iter().collect();
        if wanted.is_empty() {
            let text = escape_control_line(text);
            return Err(Error::new(format_args!("`{text}` holds no word to look for"))
                .hint("name what it is about, such as a program, a host or an error"));
        }
        let records = self.records(reporter);
        let holds = |memory: &&Memory| {
            let Memory { context, command, lesson, tags, .. } = memory;
            let said = [context, command, lesson, &tags.join(" ")].map(|it| analyzer.terms(it));
            let said: BTreeSet<String> = said.into_iter().flatten().collect();
            wanted.is_subset(&said)
        };
        let lessons: Vec<Memory> =
            records.newest(repo, None, true).filter(holds).cloned().collect();
        let question = Question { repo, archived: true, ..self.question(text, MOST_NEAR * 4) };
        let near = self.recall(&question)?.into_iter().map(|it| it.memory);
        let is_other = |memory: &Memory| lessons.iter().all(|known| known.id != memory.id);
        let near = near.filter(is_other).take(MOST_NEAR).collect();
        Ok(About { lessons, near, id_length: records.telling_length() })
    }
}

/// The lesson that an id means, a correction without effect too.
fn known<'r>(records: &'r Records, id: &str) -> Result<&'r Memory> {
    match records.folded.in_vain.get(id) {
        Some(vain) => Ok(vain),
        None => records.find(id),
    }
}
