//! Taking lessons back: one by its id, or all that are about something.

use std::{
    collections::{BTreeMap, BTreeSet},
    path::PathBuf,
};

use super::{Memories, Question};
use crate::{Error, Result, reporter::Reporter};
use elophanto_base::visible::escape_control_line;
use elophanto_knowledge::memory::Memory;

/// Lessons that are near what is to be forgotten, and named only.
const MOST_NEAR: usize = 5;

/// A lesson that was taken back.
#[derive(Debug)]
pub struct Forgotten {
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
        let memory = match records.folded.in_vain.get(id) {
            Some(vain) => vain,
            None => records.find(id)?,
        };
        let mut forgotten =
            self.forget_all(std::slice::from_ref(memory), remove, agent, reporter)?;
        forgotten.pop().ok_or_else(|| Error::bug("a lesson was not forgotten"))
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
