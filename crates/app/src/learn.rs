//! Learning about a topic: searching for it or reading what is handed over, and keeping facts with
//! their source.

use std::{cell::LazyCell, cell::OnceCell, collections::BTreeMap, path::Path};

use schemars::JsonSchema;
use serde::Serialize;

use crate::{
    Error,
    learning::{Learning, Telling, now},
    llm::asker::{Asker, Purpose, Reach},
    reporter::Reporter,
    workspace::Workspace,
};
use elophanto_base::counted::{agreeing, counted};
use elophanto_base::visible::escape_control_line;
use elophanto_knowledge::{
    extract::MAX_DOCUMENT_BYTES,
    learn::{
        decide::Refusal,
        entity_store::EntitySnapshot,
        log::{Log, Work},
        merge::{Proposal, proposals},
        pipeline::Discovered,
        plan::{self, Topic},
        record::{MESSAGE, Message, Prompt, Status, Trigger},
        responses::Finding,
        run,
        sources::Source,
        undo::{PutBack, Undone, put_back as put_back_all, undo as take_back},
    },
};
use elophanto_models::llm::Asked;
use elophanto_repo::{Git, journal::Place};
use elophanto_text::{
    entity::Line,
    reading::{self, Hint},
};

/// Hands over what is to be read, once it is known that it will be.
pub type Given<'a> = Box<dyn FnOnce() -> Result<Material, Error> + 'a>;

/// What to learn about, and how.
#[derive(Default)]
pub struct LearnRequest<'a> {
    pub topic: String,
    /// Read in place of searching.
    pub material: Option<Given<'a>>,
    /// Only put into the queue.
    pub background: bool,
    /// Nobody asked for it: facts are added to what is known, and nothing else.
    pub unasked: bool,
    /// Agrees to what is sent to a model elsewhere.
    pub yes: bool,
}

/// What is handed over to be read.
#[derive(Debug)]
pub enum Material {
    /// An address of the web.
    Address(String),
    /// A file, or a text without a name.
    Bytes { bytes: Vec<u8>, name: Option<String> },
}

/// What has begun, as programs get it.
#[derive(Debug, Serialize)]
#[serde(tag = "event", rename = "started")]
pub struct Started {
    pub id: String,
    pub prompt: String,
    pub searches: usize,
    #[serde(skip)]
    pub is_given: bool,
}

/// What came of it.
pub struct Learnt {
    pub prompt: Option<Prompted>,
    /// Every search could be made.
    pub all_made: bool,
}

/// What came of it, in figures.
#[derive(Debug, Default, Serialize, JsonSchema)]
pub struct Gained<'a> {
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(extend("detail" = 1))]
    pub prompt: Option<&'a str>,
    /// searches that wait
    pub queued: usize,
    pub facts: usize,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub entities: Option<&'a [FoundEntity]>,
}

impl Learnt {
    /// Whether every search was made and none had a result.
    pub fn is_unknown(&self) -> bool {
        let unknown = |search: &Searched| search.urls.is_empty() && !search.queued;
        self.prompt.as_ref().is_some_and(|prompt| prompt.searches.iter().all(unknown))
    }

    /// What came of it, in figures.
    pub fn gained(&self) -> Gained<'_> {
        self.prompt.as_ref().map_or_else(Gained::default, |prompt| Gained {
            prompt: Some(&prompt.id),
            queued: prompt.searches.iter().filter(|search| search.queued).count(),
            facts: prompt.entities.iter().map(|found| found.facts).sum(),
            entities: Some(&prompt.entities),
        })
    }
}

/// What was asked for, and what came of it.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Prompted {
    pub number: usize,
    pub id: String,
    pub prompt: String,
    /// `active` or `completed`.
    pub status: &'static str,
    pub searches_remaining: usize,
    pub created_at: String,
    /// The address in git's settings if it was asked here, else the id of the clone.
    pub user: String,
    pub searches: Vec<Searched>,
    pub entities: Vec<FoundEntity>,
    /// Whether nothing of it is still to come.
    #[serde(skip)]
    pub is_done: bool,
}

/// A search that was made for it.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Searched {
    pub id: String,
    pub query: String,
    pub trigger: String,
    pub urls: Vec<String>,
    pub queued: bool,
    pub extracted: bool,
}

/// An entity that facts were found about.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct FoundEntity {
    #[schemars(extend("detail" = 1))]
    pub entity: String,
    pub name: String,
    /// found out by this
    pub facts: usize,
    /// known before, and said by this too
    #[serde(skip_serializing_if = "is_none")]
    #[schemars(extend("detail" = 1))]
    pub confirmed: usize,
}

fn is_none(count: &usize) -> bool {
    *count == 0
}

/// Learns; `started` is told once it is written down what is asked for.
///
/// # Errors
/// When the topic is none, what is handed over cannot be read, no source is set up, or something
/// cannot be written down.
pub fn learn(
    workspace: &Workspace,
    wanted: LearnRequest<'_>,
    started: &mut dyn FnMut(&Started) -> Result<(), Error>,
    reporter: &dyn Reporter,
) -> Result<Learnt, Error> {
    let learning = Learning::open(workspace)?;
    if !wanted.unasked {
        learning.acted();
    }
    let topic = Topic::new(&wanted.topic).map_err(|cause| {
        Error::new(cause).hint("give a few words, such as `elophanto learn \"espresso machines\"`")
    })?;
    let trigger = if wanted.unasked { Trigger::Enrichment } else { Trigger::LearnCommand };
    let LearnRequest { background, yes, .. } = wanted;
    // Before anything is written down: what cannot be read is not asked for.
    let given = match wanted.material {
        Some(given) => Some(material(&learning, given()?, reporter)?),
        None => None,
    };
    let telling = learning.telling(reporter)?;
    let notes = OnceCell::new();
    let ask = |query: &str| match notes.get() {
        Some(notes) => learning.ask_notes(notes, query),
        None => Vec::new(),
    };
    let (is_given, user) = (given.is_some(), learning.user.as_str());
    let sources = match !is_given && !background {
        true => learning.sources(&ask, reporter)?,
        false => Vec::new(),
    };
    // While the searches are made, no `enrich` takes them for left behind.
    let _turn = if sources.is_empty() { None } else { run::turn_if_free(&learning.record_store) };
    reporter.still_wanted()?;
    let (prompt, searches) = match given {
        Some(found) => {
            let asked =
                run::given(&learning.record_store, topic.as_str(), found, trigger, user, now())?;
            (asked.0, vec![asked.1])
        }
        None => {
            let queries = queries(&learning, &topic, background, yes, reporter)?;
            // A model may have thought about it for long.
            reporter.still_wanted()?;
            run::ask_for(&learning.record_store, topic.as_str(), &queries, trigger, user, now())?
        }
    };
    started(&Started {
        id: prompt.id.clone(),
        prompt: prompt.prompt_text.clone(),
        searches: searches.len(),
        is_given,
    })?;
    let mut all_made = true;
    if !background {
        if !is_given {
            let _ = notes.set(learning.notes()?);
            all_made = look(&learning, &prompt, &sources, reporter)?;
        }
        reporter.still_wanted()?;
        extract(&learning, &telling, Some(&prompt.id), yes, reporter)?;
    }
    Ok(Learnt { prompt: prompts(workspace, Some(&prompt.id)).pop(), all_made })
}

/// The searches for a topic: a model's plan where one may be asked, else by rule.
fn queries(
    learning: &Learning,
    topic: &Topic,
    background: bool,
    yes: bool,
    reporter: &dyn Reporter,
) -> Result<Vec<String>, Error> {
    let most = learning.workspace.config.learn.queries;
    let by_rule = plan::plan(topic, most);
    if background {
        // Nobody waits for a model then.
        return Ok(by_rule);
    }
    let mut model =
        Asker::open(learning.workspace, Purpose::EXTRACT, Reach::Agreed, yes, reporter)?;
    if !model.is_there() {
        return Ok(by_rule);
    }
    Ok(match model.ask(&plan::prompt(topic)) {
        Asked::Said { text, .. } => plan::accept(&text, topic).unwrap_or(by_rule),
        Asked::NoModel | Asked::Failed(_) | Asked::Stop(_) => by_rule,
    })
}

/// Makes the searches of a prompt, one after the other; says whether all could be made.
fn look(
    learning: &Learning,
    prompt: &Prompt,
    sources: &[Box<dyn Source + '_>],
    reporter: &dyn Reporter,
) -> Result<bool, Error> {
    let log = Log::read(&learning.record_store.journal, now());
    let searches = log.searches_of(&prompt.id);
    let mut prompt = prompt.clone();
    let mut left = searches.len();
    let mut warned: Vec<String> = Vec::new();
    let (all, bar) = (left, reporter.progress("searches"));
    for search in searches {
        bar.update(all - left, all);
        let place = log.place(&search.id);
        let is_gone = || reporter.is_gone();
        let made = run::make(&learning.record_store, place, search, sources, &is_gone, &now)?;
        reporter.still_wanted()?;
        // Of four searches each fails in the same way.
        for (source, cause) in &made.failed {
            let text = format!("{source}: {cause}");
            if !warned.contains(&text) {
                reporter.warn(escape_control_line(&text));
                warned.push(text);
            }
        }
        if made.search.queued {
            let (searches, wait) = (counted(left, "search"), agreeing(left, "waits", "wait"));
            reporter.note(format_args!(
                "{searches} {wait}: `elophanto enrich --once` goes on when the sources answer"
            ));
            return Ok(false);
        }
        left -= 1;
        prompt = run::advance(&learning.record_store, &prompt, left, now())?;
    }
    Ok(true)
}

/// Processes what was found for a prompt, or all that waits, and tells what was discovered; how many
/// searches and messages were processed.
///
/// # Errors
/// When the notes cannot be read, or something cannot be written down.
pub fn extract(
    learning: &Learning,
    telling: &Telling,
    only: Option<&str>,
    yes: bool,
    reporter: &dyn Reporter,
) -> Result<usize, Error> {
    let notes = learning.notes()?;
    let log = Log::read(&learning.record_store.journal, now());
    for problem in &log.problems {
        reporter.note(escape_control_line(problem));
    }
    let is_wanted = |work: &Work| match (only, work) {
        (None, _) => true,
        (Some(id), Work::Search(search)) => search.learn_prompt_id.as_deref() == Some(id),
        (Some(id), Work::Message(message)) => message.id == id,
    };
    let work: Vec<Work> = log.unprocessed().into_iter().filter(is_wanted).collect();
    let outcome = learning.process(&work, &log, &notes, yes, reporter)?;
    reporter.still_wanted()?;
    let aside: Vec<String> = outcome
        .refused
        .iter()
        .filter(|(_, why)| *why == Refusal::InPassing)
        .map(|(name, _)| escape_control_line(name))
        .collect();
    if !aside.is_empty() {
        const SHOWN: usize = 3;
        let more = aside.len().saturating_sub(SHOWN);
        let more = if more > 0 { format!(" and {more} more") } else { String::new() };
        reporter.note(format_args!(
            "what was said in passing of {}{more} is not kept: `elophanto learn` reads about it by name",
            aside.iter().take(SHOWN).cloned().collect::<Vec<_>>().join(", ")
        ));
    }
    learning.tell(&outcome.discovered, telling, reporter)?;
    if let Some(Proposal { from: (_, from), into: (_, into), .. }) =
        alike(learning, &outcome.discovered)
    {
        reporter.note(format_args!(
            "`{}` may be `{}`: `elophanto clean review` compares them",
            escape_control_line(&from),
            escape_control_line(&into)
        ));
    }
    if !outcome.discovered.is_empty() {
        // Cut, embedded and inverted now, so that no search has to wait for it.
        learning.notes()?;
    }
    Ok(outcome.processed)
}

/// Of the pairs that `clean review` lists, the first of which one is new.
fn alike(learning: &Learning, discovered: &[Discovered]) -> Option<Proposal> {
    let is_new = |slug: &str| {
        discovered.iter().any(|discovered| discovered.is_new && discovered.slug == slug)
    };
    if !discovered.iter().any(|discovered| discovered.is_new) {
        return None;
    }
    let log = Log::read(&learning.record_store.journal, now());
    let listed = proposals(&learning.store().read(now()), &log, &learning.meaning());
    listed.into_iter().find(|pair| is_new(&pair.from.0) || is_new(&pair.into.0))
}

/// Something the user said, and what it told.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Noted {
    pub id: String,
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
) -> Result<Noted, Error> {
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
    let log = Log::read(&learning.record_store.journal, now());
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
pub fn hear(workspace: &Workspace, reporter: &dyn Reporter) -> Result<usize, Error> {
    let learning = Learning::open(workspace)?;
    let log = Log::read(&learning.record_store.journal, now());
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
pub fn undo(workspace: &Workspace, id: &str) -> Result<Option<(String, Undone)>, Error> {
    let learning = Learning::open(workspace)?;
    learning.acted();
    let store = learning.store();
    let mut snapshot = store.read(now());
    let log = Log::read(&learning.record_store.journal, now());
    let id = prompt_of(&log, id);
    let undone = take_back(&store, &mut snapshot, &log, &id, &learning.meaning(), now())?;
    Ok(undone.map(|undone| (id, undone)))
}

/// Puts back what [`undo`] took out under this id or number; `None` if nothing was.
///
/// # Errors
/// When that cannot be written down.
pub fn put_back(workspace: &Workspace, id: &str) -> Result<Option<PutBack>, Error> {
    let learning = Learning::open(workspace)?;
    learning.acted();
    let store = learning.store();
    let mut snapshot = store.read(now());
    let log = Log::read(&learning.record_store.journal, now());
    Ok(put_back_all(&store, &mut snapshot, &prompt_of(&log, id), now())?)
}

/// The id of a prompt of this number in the list, or what was given.
fn prompt_of(log: &Log, id: &str) -> String {
    let place = id.parse::<usize>().ok().and_then(|number| number.checked_sub(1));
    let listed = place.and_then(|place| log.in_order().get(place).map(|prompt| prompt.id.clone()));
    listed.unwrap_or_else(|| id.to_owned())
}

/// What is to be read instead of searching.
fn material(
    learning: &Learning,
    given: Material,
    reporter: &dyn Reporter,
) -> Result<Finding, Error> {
    let finding = finding(learning, given)?;
    if finding.text.len() > MAX_DOCUMENT_BYTES {
        reporter
            .note(format_args!("only the first {MAX_DOCUMENT_BYTES} bytes of the text are read"));
    }
    Ok(finding)
}

fn finding(learning: &Learning, given: Material) -> Result<Finding, Error> {
    let (bytes, name) = match given {
        Material::Address(address) => return fetched(learning, &address),
        Material::Bytes { bytes, name } => (bytes, name),
    };
    let name = name.as_deref();
    let read = reading::read(&bytes, Hint { media_type: None, name }).map_err(unreadable)?;
    let url = match name {
        None => None,
        Some(name) => {
            let path = learning.workspace.note_path(Path::new(name));
            // Where files lie on this machine is nobody else's business.
            if path.as_path().is_absolute() || path.as_path().starts_with("..") {
                let name = path.as_path().file_name().unwrap_or_default().to_string_lossy();
                Some(format!("file:{name}"))
            } else {
                Some(path.to_text())
            }
        }
    };
    Ok(found(read, url))
}

/// A page of the web.
fn fetched(learning: &Learning, address: &str) -> Result<Finding, Error> {
    let fetched = learning.fetcher()?.get(address).map_err(|cause| {
        let hint = cause.hint();
        let error = Error::new(cause);
        match hint {
            Some(hint) => error.hint(hint),
            None => error,
        }
    })?;
    let hint = Hint { media_type: Some(&fetched.media_type), name: Some(fetched.url.path()) };
    let options =
        reading::Options { base: Some(fetched.url.clone()), ..reading::Options::default() };
    let read = reading::read_with(&fetched.bytes, hint, &options).map_err(unreadable)?;
    let url = Some(fetched.url.to_string());
    Ok(found(read, url))
}

fn found(read: reading::Read, url: Option<String>) -> Finding {
    let reading::Read { title, text, image, byline, .. } = read;
    Finding { title, url, text, image, byline, is_note: false }
}

fn unreadable(cause: reading::ReadError) -> Error {
    Error::new(cause).hint("give Markdown, text, HTML, or a PDF that holds text")
}

/// What was asked for, or one of it, in the order in which it was asked.
pub fn prompts(workspace: &Workspace, only: Option<&str>) -> Vec<Prompted> {
    let learning = Learning::look(workspace);
    let log = Log::read(&learning.record_store.journal, now());
    let snapshot = learning.store().read(now());
    // Whoever works in this clone is known to git, others by the id of theirs.
    let address = LazyCell::new(|| address(workspace));
    let who = |id: &str| {
        let known = if !id.is_empty() && learning.user == id { address.clone() } else { None };
        known.unwrap_or_else(|| id.to_owned())
    };
    let prompted = |(number, prompt): (usize, &Prompt)| {
        let searches = log.searches_of(&prompt.id);
        let is_its = |line: &Line| {
            let search = line.search.as_deref();
            searches.iter().any(|own| Some(own.id.as_str()) == search)
        };
        let found = found_by(&snapshot, is_its);
        let searched = |search: &elophanto_knowledge::learn::record::Search| Searched {
            id: search.id.clone(),
            query: search.query.clone(),
            trigger: search.trigger.clone(),
            urls: search.urls.clone(),
            queued: search.queued,
            extracted: log.extractions.contains_key(&search.id),
        };
        Prompted {
            number,
            id: prompt.id.clone(),
            prompt: prompt.prompt_text.clone(),
            status: match prompt.status {
                Status::Active => "active",
                Status::Completed => "completed",
            },
            searches_remaining: prompt.searches_remaining,
            created_at: format!("{:.0}", prompt.created_at),
            user: who(&prompt.user),
            searches: searches.iter().map(|search| searched(search)).collect(),
            entities: entities(&snapshot, &found),
            is_done: log.is_done(prompt),
        }
    };
    let all = (1..).zip(log.in_order());
    all.filter(|(_, prompt)| only.is_none_or(|id| id == prompt.id)).map(prompted).collect()
}

/// The address of whoever works in this clone, as git has it.
fn address(workspace: &Workspace) -> Option<String> {
    let git = Git::of(&workspace.repository)?;
    let output = git.run(&["config", "--get", "user.email"]).ok()?;
    let address = String::from_utf8_lossy(&output).trim().to_owned();
    (!address.is_empty()).then_some(address)
}

/// How many facts that count each entity has that began with a line like this, and how many that such a
/// line only says too, by slug.
fn found_by(
    snapshot: &EntitySnapshot,
    is_wanted: impl Fn(&Line) -> bool,
) -> BTreeMap<String, (usize, usize)> {
    let mut found = BTreeMap::new();
    for entity in snapshot.entities.iter() {
        let (mut began, mut confirmed) = (0, 0);
        for fact in &entity.facts {
            if is_wanted(&fact.line) {
                began += 1;
            } else if fact.also.iter().any(|(_, line)| is_wanted(line)) {
                confirmed += 1;
            }
        }
        if began + confirmed > 0 {
            found.insert(entity.slug.clone(), (began, confirmed));
        }
    }
    found
}

fn entities(
    snapshot: &EntitySnapshot,
    found: &BTreeMap<String, (usize, usize)>,
) -> Vec<FoundEntity> {
    let mut wires: Vec<FoundEntity> = found
        .iter()
        .filter_map(|(slug, &(facts, confirmed))| {
            let entity = snapshot.entities.by_slug(slug)?;
            let (slug, name) = (entity.slug.clone(), entity.title.clone());
            Some(FoundEntity { entity: slug, name, facts, confirmed })
        })
        .collect();
    let said = |found: &FoundEntity| found.facts + found.confirmed;
    wires.sort_by(|a, b| said(b).cmp(&said(a)).then_with(|| a.name.cmp(&b.name)));
    wires
}

impl FoundEntity {
    /// What was found about it, in figures: `2 facts, 1 confirmed`.
    pub fn counted(&self) -> String {
        let facts = (self.facts > 0).then(|| counted(self.facts, "fact"));
        let confirmed = (self.confirmed > 0).then(|| match self.facts {
            0 => format!("{} confirmed", counted(self.confirmed, "fact")),
            _ => format!("{} confirmed", self.confirmed),
        });
        facts.into_iter().chain(confirmed).collect::<Vec<_>>().join(", ")
    }
}
