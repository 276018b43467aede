//! What the user says, what it tells, and taking back what anything brought.

use schemars::JsonSchema;
use serde::Serialize;

use super::{
    asked::{FoundEntity, entities, found_by},
    extract,
};
use crate::{
    Result,
    learning::{Learning, now},
    reporter::Reporter,
    workspace::Workspace,
};
use elophanto_knowledge::learn::{
    log::{Log, Work},
    record::{MESSAGE, Message, Trigger},
    undo::{PutBack, Undone, put_back as put_back_all, undo as take_back},
};
use elophanto_repo::journal::Place;

/// Something the user said, and what it told.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct Noted {
    /// Of the record of the journal.
    pub id: String,
    /// Those that the facts are about.
    pub entities: Vec<FoundEntity>,
    /// Facts that were added.
    #[serde(skip)]
    pub facts: usize,
}

/// Notes what the user said, and what it tells.
///
/// # Errors
/// When it cannot be written down.
pub fn note(
    workspace: &Workspace,
    text: &str,
    yes: bool,
    reporter: &dyn Reporter,
) -> Result<Noted> {
    let learning = Learning::open(workspace)?;
    learning.acted();
    let telling = learning.telling(reporter)?;
    let record = Message {
        kind: MESSAGE.to_owned(),
        id: ulid::Ulid::new().to_string(),
        at: now(),
        user: learning.user.clone(),
        text: elophanto_base::secrets::mask(text).0.into_owned(),
    };
    learning.record_store.write(Place::Local, &[&record])?;
    extract(&learning, &telling, Some(&record.id), yes, reporter)?;
    let log = Log::read(&learning.record_store, now());
    let snapshot = learning.store().read(now());
    let found = found_by(&snapshot, |line| line.message.as_deref() == Some(record.id.as_str()));
    let entities = entities(&snapshot, &found);
    let facts = log.extractions.get(&record.id).map_or(0, |done| done.facts_added);
    Ok(Noted { id: record.id, entities, facts })
}

/// Messages that are read after a conversation.
const MOST_HEARD: usize = 20;

/// Reads what was said in conversations and nobody has read yet, and what the agent found on the web in them:
/// how many of them. Nobody is told what is new of it: whoever said it knows.
///
/// # Errors
/// When the notes cannot be read, or something cannot be written down.
pub fn hear(workspace: &Workspace, reporter: &dyn Reporter) -> Result<usize> {
    let learning = Learning::open(workspace)?;
    let log = Log::read(&learning.record_store, now());
    let is_said = |work: &Work| match work {
        Work::Message(_) => true,
        // The agent's own: asked for by nobody, and about nothing that `enrich` goes after.
        Work::Search(search) => {
            let is_own = !Trigger::of(&search.trigger).is_users();
            is_own && search.learn_prompt_id.is_none() && search.entity.is_none()
        }
    };
    let mut said: Vec<Work> = log.unprocessed().into_iter().filter(is_said).collect();
    // What was said long ago is `enrich`'s.
    let older = said.len().saturating_sub(MOST_HEARD);
    said.drain(..older);
    if said.is_empty() {
        return Ok(0);
    }
    let notes = learning.notes()?;
    Ok(learning.process(&said, &log, &notes, false, reporter)?.processed)
}

/// Takes back every fact that a search, a prompt or a message brought, and says under which id that can
/// be put back; `None` if nothing has this id. A prompt goes by its number in the list too.
///
/// # Errors
/// When that cannot be written down.
pub fn undo(workspace: &Workspace, id: &str) -> Result<Option<(String, Undone)>> {
    let learning = Learning::open(workspace)?;
    learning.acted();
    let store = learning.store();
    let mut snapshot = store.read(now());
    let log = Log::read(&learning.record_store, now());
    let id = prompt_of(&log, id);
    let undone = take_back(&store, &mut snapshot, &log, &id, &learning.meaning(), now())?;
    Ok(undone.map(|undone| (id, undone)))
}

/// Puts back what [`undo`] took out under this id or number; `None` if nothing was.
///
/// # Errors
/// When that cannot be written down.
pub fn put_back(workspace: &Workspace, id: &str) -> Result<Option<PutBack>> {
    let learning = Learning::open(workspace)?;
    learning.acted();
    let store = learning.store();
    let mut snapshot = store.read(now());
    let log = Log::read(&learning.record_store, now());
    Ok(put_back_all(&store, &mut snapshot, &prompt_of(&log, id), now())?)
}

/// The id of a prompt of this number in the list, or what was given.
fn prompt_of(log: &Log, id: &str) -> String {
    let place = id.parse::<usize>().ok().and_then(|number| number.checked_sub(1));
    let listed = place.and_then(|place| log.in_order().get(place).map(|prompt| prompt.id.clone()));
    listed.unwrap_or_else(|| id.to_owned())
}
