//! What several repositories learnt, and what seems to say the same in other words.

use jiff::Timestamp;
use rustc_hash::FxHashMap;

use super::{Memories, Remembered};
use crate::{Error, Result, notes, reporter::Reporter};
use elophanto_base::visible::escape_control_line;
use elophanto_index::search::SearchError;
use elophanto_knowledge::memory::{
    Draft, Folded, Likely, Memory, Rate, Shared, compared, paraphrases, shared, vectors,
};

/// What repositories have in common.
pub struct Patterns {
    /// Lessons that three or more repositories learnt; with `promote` the one of this id, and the path
    /// of the note that was written of it.
    pub shared: Vec<(Shared, Option<String>)>,
    /// Lessons that are perhaps one, the likeliest first: joining them is for somebody to decide.
    pub likely: Vec<Likely>,
    /// So many characters of an id tell it from all others.
    pub id_length: usize,
}

/// Lessons that were joined.
pub struct Joined {
    /// The one that stands for all of them.
    pub remembered: Remembered,
    /// Those that it took the place of, beside the one that it says.
    pub joined: Vec<Memory>,
}

impl Memories<'_> {
    /// Lessons that three or more repositories learnt, and lessons that may be one. With `promote` the
    /// one of this id alone, and a note is written of it.
    ///
    /// # Errors
    /// When the view cannot be read, there is no such lesson, or the note cannot be written.
    pub fn patterns(&self, promote: Option<&str>, reporter: &dyn Reporter) -> Result<Patterns> {
        let records = self.records(reporter);
        let id_length = records.telling_length();
        let known = &records.folded.memories;
        let found = self.shared(&records.folded)?;
        let Some(id) = promote else {
            let (near, cosine) = (self.workspace.models.active().near(), self.cosine(known)?);
            let likely = paraphrases(known, near.same_lesson, &cosine);
            let shared = found.into_iter().map(|shared| (shared, None)).collect();
            return Ok(Patterns { shared, likely, id_length });
        };
        let wanted = records.find(id)?;
        let Some(shared) = found.into_iter().find(|shared| shared.memory.id == wanted.id) else {
            let id = escape_control_line(id);
            let error =
                Error::new(format_args!("`{id}` is no lesson that three repositories learnt"));
            return Err(error.hint("elophanto agent memory patterns shows those that are"));
        };
        let note = notes::pattern(self.workspace, &shared)?;
        Ok(Patterns { shared: vec![(shared, Some(note))], likely: Vec::new(), id_length })
    }

    /// Joins lessons into the first of them, whose text stays: the counts are added, the tags put
    /// together, the others taken back. Without `agent` it is the one of the settings who joins them.
    ///
    /// # Errors
    /// When there are not two lessons, one of them is none, or that cannot be written down.
    pub fn join(
        &self,
        ids: &[String],
        agent: Option<&str>,
        reporter: &dyn Reporter,
    ) -> Result<Joined> {
        let records = self.records(reporter);
        let mut lessons: Vec<&Memory> = Vec::new();
        for id in ids {
            let lesson = records.find(id)?;
            if lessons.iter().any(|known| known.id == lesson.id) {
                let id = escape_control_line(id);
                return Err(Error::new(format_args!("`{id}` is named twice"))
                    .hint("name the lesson that stays, then others that say the same"));
            }
            lessons.push(lesson);
        }
        let [kept, others @ ..] = &lessons[..] else {
            return Err(Error::new("there is nothing to join"));
        };
        if others.is_empty() {
            return Err(Error::new("one lesson alone cannot be joined")
                .hint("name the lesson that stays, then others that say the same"));
        }
        let rate = lessons.iter().filter_map(|it| it.success_rate).reduce(Rate::plus);
        let mut tags = kept.tags.clone();
        for tag in others.iter().flat_map(|it| &it.tags) {
            if !tags.contains(tag) {
                tags.push(tag.clone());
            }
        }
        let draft = Draft {
            event_type: kept.event_type,
            context: kept.context.clone(),
            command: kept.command.clone(),
            lesson: kept.lesson.clone(),
            success_rate: rate,
            tags: Some(tags),
            repo: kept.repo.clone(),
            agent_id: self.agent(agent),
            replaces: Some(kept.id.clone()),
        };
        let remembered = self.remember(draft, Timestamp::now())?;
        // After it: whoever is killed in between has one lesson twice, and none lost.
        for other in others {
            let ids = records.folded.lineage.lesson(&other.id).records;
            self.retire(&other.repo, &ids, Some(&remembered.memory.id), &self.agent(agent))?;
        }
        Ok(Joined { remembered, joined: others.iter().map(|it| (*it).clone()).collect() })
    }

    /// The lessons of several repositories: alike by their words, or by their meaning.
    pub(super) fn shared(&self, folded: &Folded) -> Result<Vec<Shared>> {
        let known = &folded.memories;
        let least = self.workspace.models.thresholds().near_duplicate;
        let cosine = self.cosine(known)?;
        let alike = |a: &Memory, b: &Memory| cosine(a, b).is_some_and(|cosine| cosine >= least);
        Ok(shared(known, &folded.joined_from(), &alike))
    }

    /// How near two of the newest lessons are by their vectors; `None` where one has none.
    fn cosine(&self, known: &[Memory]) -> Result<impl Fn(&Memory, &Memory) -> Option<f32> + use<>> {
        let wanted = compared(known);
        let vectors: FxHashMap<String, Vec<f32>> =
            match vectors(&self.refreshed(false)?.snapshot, &wanted) {
                Ok(vectors) => vectors,
                Err(_) => {
                    vectors(&self.refreshed(true)?.snapshot, &wanted).map_err(SearchError::from)?
                }
            };
        Ok(move |a: &Memory, b: &Memory| {
            let (a, b) = vectors.get(&a.id).zip(vectors.get(&b.id))?;
            Some(a.iter().zip(b).map(|(a, b)| a * b).sum())
        })
    }
}
