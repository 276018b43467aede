//! Recalling what agents learnt in the repositories of a fleet, ranked as the lessons of one are.
//!
//! Owns how a question becomes one for each table. What each has to say is ranked by its own model, or,
//! where this machine has not got that, by the built-in one, whose vectors are made on the spot.

use std::collections::BTreeMap;

use super::{
    Reader,
    ask::{CANDIDATES, MORE_CANDIDATES, Origins, Places, chosen, note_places, terms},
    models,
};
use crate::{
    Error, Result,
    embedding::profiles,
    memory::reply::{Beside, Lessons, Origin, shown},
    reporter::Reporter,
    workspace::Workspace,
};
use elophanto_index::{
    Kind,
    apart::{self, Row},
    search::{Query, SearchError},
    store::tables::Encoded,
};
use elophanto_knowledge::memory::{
    Memory, Question, RecallContext, Recalled, Shown, recall as rank,
};
use elophanto_models::{Role, builtin::Builtin};
use elophanto_tables::fleet::{Asked, Found, Only, Table};

/// How much meaning counts of what lessons are read by.
const MEANING: f32 = 0.5;

/// What stands between a repository and the id of a lesson of it: neither has it.
const OF: char = '\n';

/// What a fleet remembers of a question.
#[derive(Debug, Default)]
pub struct Recollection {
    /// Best first. What stands as the repository of each is the name that it has in the fleet.
    pub found: Vec<Recalled>,
    origins: Origins,
}

impl Recollection {
    /// Who wrote a lesson down, and the commit that it was published at.
    pub fn origin(&self, recalled: &Recalled) -> Option<Origin> {
        let source = self.origins.at(&recalled.path)?;
        let (agent, commit) = (recalled.memory.agent_id.clone(), Some(source.commit.clone()));
        Some(Origin { agent, commit })
    }

    /// The lessons as they are printed, each with its repository and commit.
    pub fn shown(&self) -> Vec<Shown> {
        let mut all = shown(&self.found, "");
        for (one, recalled) in all.iter_mut().zip(&self.found) {
            if let Some(source) = self.origins.at(&recalled.path) {
                one.memory.repo = format!("{}@{:.10}", source.repository, source.commit);
            }
        }
        all
    }

    /// The lessons whole or in part, in `most` tokens as JSON and as text.
    pub fn within(&self, most: usize) -> Lessons {
        let beside = Beside { path: &|path| path.to_owned(), origin: &|it| self.origin(it) };
        Lessons::within(&self.found, self.shown(), &beside, most)
    }
}

/// Recalls lessons of a fleet. Which repositories are asked is a matter of the reader, not of the
/// question; what was put away is not published.
///
/// # Errors
/// When nothing is asked, or the store does not answer.
pub fn recall(
    workspace: &Workspace,
    question: &Question,
    reader: &Reader,
    reporter: &dyn Reporter,
) -> Result<Recollection> {
    if question.text.trim().is_empty() {
        return Err(Error::new("a fleet is asked about something")
            .hint("say what it is about: the error, or what you are about to do"));
    }
    // Nothing of an archive is published; what a repository is called says nothing of that.
    let question = &Question { repo: None, archived: true, ..question.clone() };
    let view = reader.look(None, reporter)?;
    let heads = view.heads();
    let repositories = chosen(reader, heads)?;
    let only = Only { repositories, kinds: vec![Kind::Memory], ..Only::default() };
    let terms = terms(&Query::plain(question.text, &workspace.analyzer), workspace);
    let (mut found, mut places) = (Vec::new(), BTreeMap::new());
    for table in view.tables() {
        let asking = Asking { workspace, question, terms: &terms, only: &only };
        found.extend(asking.table(&table, &mut places, reporter)?);
    }
    // Stable: what scores the same keeps the order of its table.
    found.sort_by(|a: &Recalled, b| b.score.total_cmp(&a.score));
    found.truncate(question.limit);
    let origins = Origins::new(places, heads);
    for recalled in &mut found {
        let Memory { id, replaces, .. } = &mut recalled.memory;
        for id in [id].into_iter().chain(replaces) {
            *id = id.split_once(OF).map_or(id.as_str(), |(_, own)| own).to_owned();
        }
        if let Some(source) = origins.at(&recalled.path) {
            recalled.memory.repo.clone_from(&source.repository);
        }
    }
    Ok(Recollection { found, origins })
}

/// One question to all tables.
struct Asking<'a> {
    workspace: &'a Workspace,
    question: &'a Question<'a>,
    terms: &'a [String],
    only: &'a Only,
}

impl Asking<'_> {
    /// What a table remembers, best first.
    fn table(
        &self,
        table: &Table,
        places: &mut Places,
        reporter: &dyn Reporter,
    ) -> Result<Vec<Recalled>> {
        let Self { workspace, question, .. } = *self;
        let of_table = models::of_table(table, workspace);
        let vector = models::vector(of_table.as_deref(), question.text, table, reporter);
        let is_stand_in = vector.is_none();
        let embedder = of_table.as_deref().filter(|_| !is_stand_in).unwrap_or(&Builtin);
        let most = if question.event_type.is_some() { MORE_CANDIDATES } else { CANDIDATES };
        let (terms, only) = (self.terms.to_vec(), self.only.clone());
        // What a lesson has proven counts too, and no index knows that.
        let asked =
            Asked { terms, vector, only, most, read: most, meaning: MEANING, counted: true };
        let mut found = table.ask(asked)?;
        found.retain(|row| row.lesson.is_some());
        let Found { mut rows, whole, .. } = found;
        if rows.is_empty() {
            return Ok(Vec::new());
        }
        if is_stand_in {
            let texts: Vec<&str> = rows.iter().map(|row| row.text.as_str()).collect();
            let vectors = embedder.embed(&texts, Role::Document).vectors;
            for (row, vector) in rows.iter_mut().zip(vectors) {
                row.vector = vector.map(|values| Encoded::new(&values));
            }
        }
        note_places(&mut rows, places);
        // Of two repositories, what has the same id is not the same.
        for Row { repository, lesson, .. } in &mut rows {
            let ids = lesson.iter_mut().flat_map(|lesson| [&mut lesson.id, &mut lesson.replaces]);
            ids.filter(|id| !id.is_empty()).for_each(|id| *id = format!("{repository}{OF}{id}"));
        }
        let analyzer = &workspace.analyzer;
        let (name, dimension) = (embedder.fingerprint().as_str(), embedder.dimension());
        let made = apart::snapshot(&rows, whole, name, dimension, analyzer);
        let snapshot = made.map_err(SearchError::from)?;
        let thresholds = profiles::of(embedder, &workspace.environment);
        Ok(rank(&snapshot, question, &RecallContext { analyzer, embedder, thresholds })?)
    }
}
