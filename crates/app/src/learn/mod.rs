//! Learning about a topic: searching for it or reading what is handed over, and keeping facts with
//! their source.

mod asked;
mod handed;
mod said;

use std::{cell::OnceCell, collections::BTreeSet, path::Path};

use schemars::JsonSchema;
use serde::Serialize;

use crate::{
    Error, Result,
    config::Source as SourceName,
    learning::{Learning, Telling, now},
    llm::asker::{Asker, Purpose, Reach},
    reporter::Reporter,
    workspace::Workspace,
};
pub use asked::{FoundEntity, Prompted, Searched, prompts};
use elophanto_base::counted::{agreeing, counted};
use elophanto_base::one_line::one_line;
use elophanto_base::visible::escape_control_line;
use elophanto_knowledge::{
    extract::MAX_DOCUMENT_BYTES,
    learn::{
        decide::Refusal,
        log::{Log, Work},
        merge::{Proposal, proposals},
        pipeline::Discovered,
        plan::{self, Topic},
        record::{Prompt, Trigger},
        responses::Finding,
        run,
        sources::Source,
    },
};
use elophanto_models::llm::Asked;
use elophanto_text::reading::{self, Hint};
pub use handed::handed;
pub use said::{Noted, hear, note, put_back, undo};

/// Hands over what is to be read, once it is known that it will be.
pub type ReadMaterial<'a> = Box<dyn FnOnce() -> Result<Material> + 'a>;

/// Characters of a source that the user names.
const MOST_SOURCE: usize = 2_000;

/// What to learn about, and how.
#[derive(Default)]
pub struct LearnRequest<'a> {
    /// What to learn about; with material, what the facts are to be about, or empty.
    pub topic: String,
    /// Read in place of searching.
    pub material: Option<ReadMaterial<'a>>,
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
    Bytes {
        /// Text, HTML, PDF or another form that is read.
        bytes: Vec<u8>,
        /// The file's name, by whose ending its form is told.
        name: Option<String>,
    },
    /// A text, and where it is from as the user says: an address or a name.
    Sourced {
        /// The text, as UTF-8.
        bytes: Vec<u8>,
        /// Kept with each fact.
        source: String,
    },
}

/// Whether `learn` looks in the notes and nowhere else.
pub fn looks_in_notes_alone(workspace: &Workspace) -> bool {
    workspace.config.learn.sources.iter().all(|source| *source == SourceName::Knowledge)
}

/// What has begun, as programs get it.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(tag = "event", rename = "started")]
pub struct Started {
    /// Of the record of the journal.
    pub id: String,
    /// What was asked for.
    pub prompt: String,
    /// How many will be made.
    pub searches: usize,
    /// Whether a text was handed over, and nothing is searched.
    #[serde(skip)]
    pub is_given: bool,
}

/// What came of it.
pub struct Learnt {
    /// What was asked for, as it stands now; `None` if it was only put into the queue.
    pub prompt: Option<Prompted>,
    /// Every search could be made.
    pub all_made: bool,
}

/// What came of it, in figures.
#[derive(Debug, Default, Serialize, JsonSchema)]
pub struct Gained<'a> {
    /// The id of what was asked for.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(extend("detail" = 1))]
    pub prompt: Option<&'a str>,
    /// searches that wait
    pub queued: usize,
    /// Facts that were added.
    pub facts: usize,
    /// Those that the facts are about.
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

/// Learns; `started` is told once it is written down what is asked for.
///
/// # Errors
/// When the topic is none, what is handed over cannot be read, no source is set up, or something
/// cannot be written down.
pub fn learn(
    workspace: &Workspace,
    wanted: LearnRequest<'_>,
    started: &mut dyn FnMut(&Started) -> Result<()>,
    reporter: &dyn Reporter,
) -> Result<Learnt> {
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
) -> Result<Vec<String>> {
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
) -> Result<bool> {
    let log = Log::read(&learning.record_store, now());
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
) -> Result<usize> {
    let notes = learning.notes()?;
    let log = Log::read(&learning.record_store, now());
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
    let aside: BTreeSet<String> = outcome
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
    let log = Log::read(&learning.record_store, now());
    let listed = proposals(&learning.store().read(now()), &log, &learning.meaning());
    listed.into_iter().find(|pair| is_new(&pair.from.0) || is_new(&pair.into.0))
}

/// What is to be read instead of searching.
fn material(learning: &Learning, given: Material, reporter: &dyn Reporter) -> Result<Finding> {
    let finding = finding(learning, given)?;
    if finding.text.len() > MAX_DOCUMENT_BYTES {
        reporter
            .note(format_args!("only the first {MAX_DOCUMENT_BYTES} bytes of the text are read"));
    }
    Ok(finding)
}

fn finding(learning: &Learning, given: Material) -> Result<Finding> {
    let (bytes, name) = match given {
        Material::Address(address) => return fetched(learning, &address),
        Material::Sourced { bytes, source } => return sourced(&bytes, &source),
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

/// A text whose source the user names.
fn sourced(bytes: &[u8], source: &str) -> Result<Finding> {
    let source = one_line(source, MOST_SOURCE);
    if source.is_empty() {
        return Err(Error::new("the source has no name")
            .hint("give an address or a name, such as https://example.org/page"));
    }
    let read = reading::read(bytes, Hint { media_type: None, name: None }).map_err(unreadable)?;
    Ok(found(read, Some(source)))
}

/// A page of the web.
fn fetched(learning: &Learning, address: &str) -> Result<Finding> {
    let fetched = learning.fetcher()?.get(address).map_err(|cause| {
        let hint = cause.hint();
        Error::new(cause).hints_of(hint)
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
    Finding { title, url, text, image, byline, ..Finding::default() }
}

fn unreadable(cause: reading::ReadError) -> Error {
    Error::new(cause).hint("give Markdown, text, HTML, or a PDF that holds text")
}
