//! What `learn`, `enrich` and their kin have in common: where to look, who reads, whom to tell.

use std::{
    collections::{BTreeMap, BTreeSet},
    path::PathBuf,
};

use jiff::{Timestamp, tz::TimeZone};

use crate::{
    Error, Result, attributes,
    channels::{self, Platform},
    config::{KeepTexts, SinkKind, Source as SourceName},
    embedding::background::embed_soon,
    keys::{self, Asking},
    llm::asker::{Asker, Purpose, Reach},
    reporter::Reporter,
    search::request,
    workspace::Workspace,
};
use elophanto_base::counted::counted;
use elophanto_base::process::Environment;
use elophanto_base::visible::{escape_control_line, visible};
use elophanto_index::{
    Kind, Options, Refreshed,
    search::{Query, search},
};
use elophanto_knowledge::{
    extract::{LANGUAGES, MAX_FACTS},
    learn::{
        entity_store::{EntitySnapshot, EntityStore},
        interests::Interests,
        kept::Keep,
        log::{Log, Work},
        meaning::Meaning,
        pipeline::{Discovered, Outcome, Pipeline},
        responses::Finding,
        sources::{Files, Notes, Program, Source, Web},
        tell::{Told, acted, tell},
        users::{self, Said},
        writer::{known_writer, writer},
    },
    notify::{CommandSink, DesktopSink, FileSink, Outlet, Quiet, WebhookSink},
    providers::{Brave, Provider, Searxng, Tavily},
};
use elophanto_models::{Pace, llm::Ask};
use elophanto_net::web::{Fetcher, Policy};
use elophanto_repo::record_store::RecordStore;

/// Notes that the source `knowledge` brings for a query.
const MOST_NOTES: usize = 8;

/// The clock.
pub fn now() -> Timestamp {
    Timestamp::now()
}

/// The first of some texts by its name, and how many others there are; none where there is none.
fn named(texts: &[String]) -> Option<String> {
    let (first, others) = texts.split_first()?;
    let name = if first.is_empty() { "the text" } else { first };
    let others = match others.len() {
        0 => String::new(),
        others => format!(" and {}", counted(others, "other")),
    };
    Some(format!("{}{others}", escape_control_line(name)))
}

/// Everything that learning needs of a knowledge base.
pub struct Learning<'a> {
    /// The knowledge base that is added to.
    pub workspace: &'a Workspace,
    /// Where its journal lies.
    pub record_store: RecordStore<'a>,
    /// The id of this clone.
    pub user: String,
}

/// Where discoveries are told, and when they are not.
pub struct Telling {
    outlets: Vec<Outlet>,
    quiet: Quiet,
}

impl<'a> Learning<'a> {
    /// For what changes something: makes the id of this clone if there is none.
    ///
    /// # Errors
    /// When it cannot be kept.
    pub fn open(workspace: &'a Workspace) -> Result<Self> {
        let record_store = workspace.record_store();
        let user = writer(&record_store)?;
        Ok(Self { workspace, record_store, user })
    }

    /// For what needs no id of this clone, and may have to leave everything as it is.
    pub fn look(workspace: &'a Workspace) -> Self {
        let record_store = workspace.record_store();
        let user = known_writer(&record_store).unwrap_or_default();
        Self { workspace, record_store, user }
    }

    /// The pages of its entities.
    pub fn store(&'a self) -> EntityStore<'a> {
        EntityStore {
            record_store: &self.record_store,
            write_root: &self.workspace.config.knowledge.write_root,
        }
    }

    /// All entities, as they are now; says what is wrong with their pages.
    pub fn snapshot(&self, reporter: &dyn Reporter) -> EntitySnapshot {
        let snapshot = self.store().read(now());
        for warning in snapshot.warnings() {
            reporter.note(escape_control_line(&warning));
        }
        snapshot
    }

    /// How near texts are: by the model of the repository if it runs here, else by the built-in one.
    pub fn meaning(&self) -> Meaning<'a> {
        match self.workspace.models.active() {
            model if model.pace() != Pace::Remote => Meaning::new(model),
            _ => Meaning::builtin(),
        }
    }

    /// The user did something.
    pub fn acted(&self) {
        // Only when they are told things depends on it.
        let _ = acted(&self.record_store, now());
    }

    /// The notes, as they are now.
    ///
    /// # Errors
    /// When a configured root does not exist.
    pub fn notes(&self) -> Result<Refreshed> {
        let options = Options { full: false, patience: None, progress: &|_, _| {} };
        let again = || self.workspace.refresh_all(options);
        embed_soon(self.workspace, &self.workspace.context(), again()?, &again)
    }

    /// What the settings say to look into, and can be asked.
    ///
    /// # Errors
    /// When a setting is unusable.
    pub fn sources<'s>(
        &'s self,
        ask: &'s dyn Fn(&str) -> Vec<Finding>,
        reporter: &dyn Reporter,
    ) -> Result<Vec<Box<dyn Source + 's>>> {
        let settings = &self.workspace.config.learn;
        let mut sources: Vec<Box<dyn Source + 's>> = Vec::new();
        for name in &settings.sources {
            match name {
                SourceName::Knowledge => sources.push(Box::new(Notes { ask })),
                SourceName::Files => sources.push(Box::new(Files {
                    root: self.workspace.repository.root.clone(),
                    folders: settings.files.clone(),
                    except: vec![
                        elophanto_knowledge::learn::entity_store::folder(
                            &self.workspace.config.knowledge.write_root,
                        ),
                        PathBuf::from(".elophanto"),
                    ],
                })),
                SourceName::Command => match &settings.command {
                    Some(line) => sources.push(Box::new(Program {
                        argv: words(line, "learn.command")?,
                        environment: self.environment(),
                        folder: self.place_of("learn.command"),
                    })),
                    None => reporter.note("`learn.command` names no program; it is left out"),
                },
                SourceName::Searxng | SourceName::Brave | SourceName::Tavily => {
                    if let Some(provider) = self.service(*name, reporter)? {
                        sources.push(self.web(provider)?);
                    }
                }
            }
        }
        if sources.is_empty() {
            return Err(Error::new("there is nowhere to look").hint(
                "set `learn.sources`, or hand over what is to be read: `elophanto learn TOPIC \
                 --from FILE`",
            ));
        }
        Ok(sources)
    }

    /// The services of the settings that search the web, if they can be asked.
    ///
    /// # Errors
    /// When a setting is unusable, or none can be asked.
    pub fn services(&self, reporter: &dyn Reporter) -> Result<Vec<Box<dyn Provider>>> {
        let mut services = Vec::new();
        for name in &self.workspace.config.learn.sources {
            services.extend(self.service(*name, reporter)?);
        }
        if services.is_empty() {
            return Err(Error::new("no service is set up that searches the web")
                .hint("name `searxng`, `brave` or `tavily` in `learn.sources`"));
        }
        Ok(services)
    }

    /// A service, if it is one and can be asked.
    fn service(
        &self,
        name: SourceName,
        reporter: &dyn Reporter,
    ) -> Result<Option<Box<dyn Provider>>> {
        let settings = &self.workspace.config.learn;
        let given = |url: &Option<String>, usual: &str| url.clone().unwrap_or(usual.to_owned());
        Ok(match name {
            SourceName::Knowledge | SourceName::Files | SourceName::Command => None,
            SourceName::Searxng => match &settings.searxng_url {
                Some(url) => {
                    let at = "learn.searxng_url";
                    let provider = Searxng::new(address(url, at)?).map_err(unusable(at))?;
                    Some(Box::new(provider))
                }
                None => {
                    reporter.note("`learn.searxng_url` says no address; it is left out");
                    None
                }
            },
            SourceName::Brave => match self.key("brave", "BRAVE_API_KEY", reporter) {
                None => None,
                Some(key) => {
                    let at = "learn.brave_url";
                    let url = address(&given(&settings.brave_url, Brave::BASE_URL), at)?;
                    Some(Box::new(Brave::new(url, key).map_err(unusable(at))?))
                }
            },
            SourceName::Tavily => match self.key("tavily", "TAVILY_API_KEY", reporter) {
                None => None,
                Some(key) => {
                    let at = "learn.tavily_url";
                    let url = address(&given(&settings.tavily_url, Tavily::BASE_URL), at)?;
                    Some(Box::new(Tavily::new(url, key).map_err(unusable(at))?))
                }
            },
        })
    }

    fn web<'s>(&self, provider: Box<dyn Provider>) -> Result<Box<dyn Source + 's>> {
        let pages = self.workspace.config.learn.pages;
        Ok(Box::new(Web { provider, fetcher: self.fetcher()?, pages }))
    }

    /// What fetches pages.
    ///
    /// # Errors
    /// When this machine cannot make secure connections.
    pub(crate) fn fetcher(&self) -> Result<Fetcher> {
        let allow_private = self.workspace.config.learn.private_pages;
        Fetcher::new(Policy { allow_private, ..Policy::default() }).map_err(Error::new)
    }

    /// Asks the notes, as `search` does.
    pub(crate) fn ask_notes(&self, notes: &Refreshed, query: &str) -> Vec<Finding> {
        let query = Query::parse(query, &self.workspace.analyzer);
        if query.is_empty() {
            return Vec::new();
        }
        let mut request = request::usual(self.workspace, &query);
        request.limit = MOST_NOTES;
        request.belief = None;
        request.filter.kinds = vec![Kind::Note];
        let answer = search(&notes.snapshot, &request, &self.workspace.tools());
        let hits = answer.map(|answer| answer.hits).unwrap_or_default();
        hits.into_iter()
            .map(|hit| Finding {
                title: Some(hit.title),
                url: Some(hit.path.to_text()),
                text: hit.text,
                is_note: true,
                ..Finding::default()
            })
            .collect()
    }

    /// Processes what waits, and tells what was discovered.
    ///
    /// # Errors
    /// When something cannot be written down.
    pub fn process(
        &self,
        work: &[Work],
        log: &Log,
        notes: &Refreshed,
        yes: bool,
        reporter: &dyn Reporter,
    ) -> Result<Outcome> {
        if work.is_empty() {
            return Ok(Outcome::default());
        }
        let mut model =
            Asker::open(self.workspace, Purpose::EXTRACT, Reach::Agreed, yes, reporter)?;
        let is_there = model.is_there();
        let mut ask = |prompt: &str| model.ask(prompt);
        let ask: Ask = if is_there { Some(&mut ask) } else { None };
        let store = self.store();
        let mut snapshot = self.snapshot(reporter);
        let meaning = self.meaning();
        let users: Vec<Said> = users::said(&notes.snapshot).unwrap_or_default();
        let bar = reporter.progress("texts");
        let pipeline = Pipeline {
            store: &store,
            meaning: &meaning,
            users: &users,
            user: &self.user,
            now: &now,
            progress: &|done, all| bar.update(done, all),
            keep: match self.workspace.config.learn.keep {
                KeepTexts::None => Keep::None,
                KeepTexts::Local => Keep::Local,
                KeepTexts::Git => Keep::Git,
            },
            is_gone: &|| reporter.is_gone(),
        };
        let outcome = pipeline.run(work, log, &mut snapshot, ask)?;
        drop(bar);
        if !outcome.discovered.is_empty() && !reporter.is_gone() {
            attributes::ensure(self.workspace, reporter);
        }
        for cause in &outcome.unreadable {
            let cause = escape_control_line(cause);
            reporter.warn(format_args!("{cause}: what was found about it is not kept"));
        }
        let remarks = &outcome.remarks;
        if let Some(texts) = named(&remarks.unread) {
            reporter.note(format_args!(
                "nothing was read of {texts}: the rules read {LANGUAGES}; a language model reads \
                 others (`llm.tasks.extraction`)"
            ));
        }
        if let Some(texts) = named(&remarks.silent) {
            reporter.note(format_args!(
                "no sentence of {texts} says by rule what holds of what was asked for: ask for a name that \
                 stands there, or let a language model read (`llm.tasks.extraction`)"
            ));
        }
        let cut: Vec<String> = remarks.cut.iter().map(|(text, _)| text.clone()).collect();
        if let Some(texts) = named(&cut) {
            let more: usize = remarks.cut.iter().map(|(_, more)| more).sum();
            reporter.note(format_args!(
                "no more than {MAX_FACTS} facts of one thing are kept of a text: {} of {texts} left out",
                counted(more, "fact")
            ));
        }
        if let Some(names) = named(&outcome.away) {
            reporter.note(format_args!(
                "what is said of {names} was learnt before from the same source, on a page that is not here: \
                 bring the page (it may not be committed yet), or hand the text over under another name \
                 (`learn --from - --source NAME`)"
            ));
        }
        if let Some(reason) = &outcome.stopped {
            reporter.note(format_args!("the rest is processed the next time: {reason}"));
        }
        Ok(outcome)
    }

    /// How discoveries are told. Asked for before anything is found out, for what is found with
    /// settings that cannot be used would never be told.
    ///
    /// # Errors
    /// When a setting is unusable.
    pub fn telling(&self, reporter: &dyn Reporter) -> Result<Telling> {
        let settings = &self.workspace.config.notify;
        let quiet = match &settings.quiet_hours {
            Some(text) => Quiet::parse(text, TimeZone::system()).map_err(|cause| {
                Error::new(format_args!("notify.quiet_hours: {cause}"))
                    .hint("write it like `22:00-07:00`")
            })?,
            None => Quiet::none(),
        };
        Ok(Telling { outlets: self.outlets(reporter)?, quiet })
    }

    /// Tells what was discovered, and what waited to be told.
    ///
    /// # Errors
    /// When it cannot be written down.
    pub fn tell(
        &self,
        discovered: &[Discovered],
        telling: &Telling,
        reporter: &dyn Reporter,
    ) -> Result<()> {
        let Telling { outlets, quiet } = telling;
        let Told { printed, failed, sent, waiting, .. } =
            tell(&self.record_store, discovered, outlets, quiet, &self.user, now())?;
        for (id, text) in printed {
            reporter.talk(visible(&text));
            reporter.talk(format_args!("  (`elophanto react {id} +` or `-`)"));
        }
        // Only so many are told at once; that there are more must not be kept back.
        if sent > 0 && waiting > 0 {
            let things = counted(waiting, "more thing");
            reporter.talk(format_args!(
                "{things} with news: told the next time; `elophanto entity` lists all"
            ));
        }
        for cause in failed {
            reporter.warn(escape_control_line(&cause));
        }
        Ok(())
    }

    fn outlets(&self, reporter: &dyn Reporter) -> Result<Vec<Outlet>> {
        let settings = &self.workspace.config.notify;
        let mut outlets = Vec::new();
        for sink in &settings.sinks {
            let outlet = match (sink, &settings.file, &settings.program, &settings.webhook) {
                (SinkKind::Terminal, ..) => Outlet::Terminal,
                (SinkKind::Desktop, ..) => {
                    Outlet::Sink(Box::new(DesktopSink::new(self.environment())))
                }
                (SinkKind::File, Some(path), ..) => {
                    Outlet::Sink(Box::new(FileSink::new(self.workspace.repository.root.join(path))))
                }
                (SinkKind::Command, _, Some(line), _) => Outlet::Sink(Box::new(CommandSink::new(
                    words(line, "notify.program")?,
                    self.environment(),
                    self.place_of("notify.program"),
                ))),
                (SinkKind::Webhook, .., Some(url)) => {
                    let sink = WebhookSink::new(url).map_err(unusable("notify.webhook"))?;
                    Outlet::Sink(Box::new(sink))
                }
                (SinkKind::Telegram | SinkKind::Discord | SinkKind::Slack, ..) => {
                    let platform = match sink {
                        SinkKind::Discord => Platform::Discord,
                        SinkKind::Slack => Platform::Slack,
                        _ => Platform::Telegram,
                    };
                    let (config, environment) =
                        (&self.workspace.config, &self.workspace.environment);
                    match channels::sink(platform, config, environment, reporter)? {
                        Some(sink) => Outlet::Sink(Box::new(sink)),
                        None => {
                            reporter.note(format_args!(
                                "`notify.sinks` names {}, and nobody answers approvals there; it is left out",
                                platform.name()
                            ));
                            continue;
                        }
                    }
                }
                (kind, ..) => {
                    let key = if *kind == SinkKind::Command { "program" } else { kind.as_str() };
                    reporter.note(format_args!("`notify.{key}` is not set; it is left out"));
                    continue;
                }
            };
            outlets.push(outlet);
        }
        Ok(outlets)
    }

    /// Where the program of a setting runs: the repository that names one means its own files.
    fn place_of(&self, setting: &str) -> Option<PathBuf> {
        let Workspace { config, repository, .. } = self.workspace;
        config.is_of_repository(setting).then(|| repository.root.clone())
    }

    /// What programs of the user are handed: where they live and how they speak, no secrets.
    fn environment(&self) -> Environment {
        self.workspace.environment.harmless().clone()
    }

    /// The key of a search service: from the environment, else from the vault.
    fn key(
        &self,
        entry: &str,
        variable: &str,
        reporter: &dyn Reporter,
    ) -> Option<secrecy::SecretString> {
        match keys::named(entry, variable, &self.workspace.environment, Asking::Through(reporter)) {
            Ok(Some(key)) => Some(key),
            Ok(None) => {
                reporter.note(format_args!(
                "there is no key for {entry}: set {variable}, or `elophanto vault set {entry}`; it \
                 is left out"
            ));
                None
            }
            Err(cause) => {
                reporter.note(format_args!(
                    "the key for {entry} cannot be had: {cause}; it is left out"
                ));
                None
            }
        }
    }

    /// What the user did and likes.
    pub fn interests(&self) -> Interests {
        Interests::read(&self.record_store, now())
    }

    /// How much the user cares about a few entities, by slug; what they never had to do with is
    /// left out. What they did with an entity that was merged into one of these is not counted.
    pub fn scores(&self, slugs: &BTreeSet<String>) -> BTreeMap<String, f64> {
        let interests = self.interests();
        if interests.engagements.is_empty() && interests.preferences.is_empty() {
            return BTreeMap::new();
        }
        let now = now();
        let snapshot = self.store().few(slugs, now);
        let scores = interests.scores(&self.user, &snapshot, &self.meaning(), now);
        scores.into_iter().map(|(slug, interest)| (slug, interest.score)).collect()
    }
}

/// A line of settings as program and arguments.
pub(crate) fn words(line: &str, key: &str) -> Result<Vec<String>> {
    let words = shlex::split(line).filter(|words| !words.is_empty());
    words.ok_or_else(|| {
        Error::new(format_args!("{key}: a quotation mark is missing in `{line}`"))
            .hint("write a program and its arguments as a shell takes them")
    })
}

fn address(text: &str, key: &'static str) -> Result<url::Url> {
    url::Url::parse(text).map_err(unusable(key))
}

fn unusable<E: std::fmt::Display>(key: &'static str) -> impl Fn(E) -> Error {
    move |cause| Error::new(format_args!("{key}: {cause}")).hint("mend it in your own settings")
}
