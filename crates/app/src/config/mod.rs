//! Settings: defaults < the user's file < the repository's file < environment < command line.
//!
//! Owns the table of keys, the layers, the text of the repository's file, and the stores of what
//! the user trusts and agreed to send away. Resolves once, and every value remembers who said it,
//! so that an error can name the place. Refuses to know what a setting is for: the core rooms
//! declare the small settings they need and never import this one. The environment is passed in.

mod agreement;
mod choices;
mod duration;
mod endpoint;
mod forms;
mod guard;
#[cfg(test)]
mod hostile_tests;
mod keys;
mod kind;
mod layers;
mod llm;
mod pin;
mod providers;
mod resolved;
mod store;
#[cfg(test)]
mod table_tests;
mod template;
#[cfg(test)]
mod tests;
mod trust;

use std::fmt;
use std::path::PathBuf;
use std::time::Duration;

pub use agreement::{Agreement, Agreements};
pub use choices::{
    AgentMode, CommitIndex, Language, Mode, Protocol, Provider, Ranking, Reflection, RefreshStale,
    SinkKind, Source, UnknownWord,
};
pub use duration::{DURATION_FORM, DurationError, format_duration, parse_duration};
pub use guard::Guarded;
pub use keys::{KEYS, Key, NeedsTrust};
pub use kind::{Kind, MAX_ITEMS, MAX_MODELS, MAX_TEXT, Raw, Value, quote};
pub use layers::{
    ConfigFile, Layers, MAX_FILE_BYTES, Origin, REPOSITORY_FILE, Trusted, has_conflict_marks,
    read_repository_file, user_file,
};
pub use llm::LlmConfig;
pub use pin::{PinError, pin, value_in};
pub use providers::{KeyRef, MAX_PROVIDERS, ProviderConfig};
pub use store::{MAX_STORE_BYTES, StoreError};
pub use template::{list_text, template};
pub use trust::{TrustEntry, TrustStore, digest};

use resolved::Resolved;
use template::raw_of;

/// The one setting that may name places outside the repository.
const SCAN_PATHS: &str = "scan.paths";

/// Most settings that one warning names.
const MAX_NAMED: usize = 10;

/// Every setting, resolved.
#[derive(Debug, Clone)]
pub struct Config {
    /// What is read, and how it is cut and embedded.
    pub knowledge: KnowledgeConfig,
    /// How questions are answered.
    pub search: SearchConfig,
    /// What is committed.
    pub index: IndexConfig,
    /// What git's hooks may take.
    pub hooks: HooksConfig,
    /// What is said about changes.
    pub changelog: ChangelogConfig,
    /// What is described.
    pub scan: ScanConfig,
    /// Where what happened is written down.
    pub journal: JournalConfig,
    /// How what the user wants to know is found out.
    pub learn: LearnConfig,
    /// What counts as interest.
    pub interest: InterestConfig,
    /// How what is known is deepened.
    pub enrich: EnrichConfig,
    /// How discoveries are told.
    pub notify: NotifyConfig,
    pub memory: MemoryConfig,
    pub agent: AgentConfig,
    /// Which language models are asked.
    pub llm: LlmConfig,
    resolved: Resolved,
}

/// Section `knowledge`.
#[derive(Debug, Clone, PartialEq)]
pub struct KnowledgeConfig {
    /// Folders to read, relative to the repository; `.` is all of it.
    pub roots: Vec<PathBuf>,
    /// Folder of our own notes, relative to the repository.
    pub write_root: PathBuf,
    /// File name endings without the dot, in lower case.
    pub extensions: Vec<String>,
    /// Who embeds.
    pub embedding_provider: Provider,
    /// Model to ask for at OpenRouter.
    pub embedding_openrouter_model: String,
    /// Model to ask for at Ollama or an OpenAI-compatible endpoint.
    pub embedding_model: String,
    /// Model to ask Ollama for where the first is missing.
    pub embedding_fallback: String,
    /// Components of a vector to ask a remote model for; 0 takes what the model gives.
    pub embedding_dimension: usize,
    /// Most chunks for which the slower of the local models is the better choice.
    pub minilm_chunks: usize,
    /// Time between two runs of `index --every`.
    pub index_interval: Duration,
    /// Larger files are skipped.
    pub max_file_bytes: u64,
    /// How notes are cut.
    pub chunk: ChunkConfig,
}

/// Section `knowledge.chunk`.
#[derive(Debug, Clone, PartialEq)]
pub struct ChunkConfig {
    /// A larger section is cut.
    pub max_tokens: usize,
    /// A smaller section joins its neighbour.
    pub min_tokens: usize,
    /// Cutting between blocks keeps at least this much. Never more than `max_tokens`.
    pub min_split_tokens: usize,
}

/// Section `search`.
#[derive(Debug, Clone, PartialEq)]
pub struct SearchConfig {
    /// How many hits are shown.
    pub limit: usize,
    /// Words, meaning or both.
    pub mode: Mode,
    /// How scores are fused.
    pub ranking: Ranking,
    /// Share of meaning in a weighted score; words have the rest.
    pub semantic_weight: f64,
    /// What being written just now adds.
    pub recency_weight: f64,
    /// After this time half of that is left.
    pub recency_half_life: Duration,
    /// Whose word endings are removed.
    pub language: Language,
    /// Whether misspelt words find their neighbours.
    pub fuzzy: bool,
    /// Hits more alike than this are shown as one.
    pub collapse_similarity: f64,
    /// Whether what was found stale is described again.
    pub refresh_stale: RefreshStale,
}

/// Section `index`.
#[derive(Debug, Clone, PartialEq)]
pub struct IndexConfig {
    /// Whether vectors are committed.
    pub commit: CommitIndex,
    /// Whether what a search leaves is embedded in the background.
    pub background: bool,
}

/// Section `hooks`.
#[derive(Debug, Clone, PartialEq)]
pub struct HooksConfig {
    /// How long the pre-commit hook embeds beyond what it always does; zero embeds nothing.
    pub budget: Duration,
}

/// Section `changelog`.
#[derive(Debug, Clone, PartialEq)]
pub struct ChangelogConfig {
    /// Whether a commit adds an entry.
    pub enabled: bool,
}

/// Section `scan`.
#[derive(Debug, Clone, PartialEq)]
pub struct ScanConfig {
    /// Folders and files to describe, relative to the repository or absolute.
    pub paths: Vec<PathBuf>,
    /// Patterns of documentation, configuration, services and source code, in this order.
    pub patterns: [Vec<String>; 4],
    /// Patterns of what is never described.
    pub skip: Vec<String>,
    /// New questions of one run.
    pub max_questions: usize,
    /// Time between two runs of `scan --every`.
    pub interval: Duration,
}

/// Section `learn`.
#[derive(Debug, Clone, PartialEq)]
pub struct LearnConfig {
    /// Where to look, in this order.
    pub sources: Vec<Source>,
    /// Searches of one topic.
    pub queries: usize,
    /// Pages of one search that are read whole.
    pub pages: usize,
    /// Folders that files are looked for in, relative to the repository or absolute.
    pub files: Vec<PathBuf>,
    /// `None` where none is set.
    pub searxng_url: Option<String>,
    /// `None` for the service's own.
    pub brave_url: Option<String>,
    /// `None` for the service's own.
    pub tavily_url: Option<String>,
    /// Program and arguments in one line, as a shell takes them.
    pub command: Option<String>,
    /// Whether pages at private addresses may be read.
    pub private_pages: bool,
}

/// Section `interest`.
#[derive(Debug, Clone, PartialEq)]
pub struct InterestConfig {
    /// Whether searches count.
    pub count_searches: bool,
}

/// Section `enrich`.
#[derive(Debug, Clone, PartialEq)]
pub struct EnrichConfig {
    /// Time between two runs of `enrich --every`.
    pub every: Duration,
    pub searches_per_hour: usize,
}

/// Section `notify`.
#[derive(Debug, Clone, PartialEq)]
pub struct NotifyConfig {
    pub sinks: Vec<SinkKind>,
    pub file: Option<String>,
    /// Program and arguments in one line, as a shell takes them.
    pub program: Option<String>,
    pub webhook: Option<String>,
    /// As in `22:00-07:00`.
    pub quiet_hours: Option<String>,
}

/// Section `memory`.
#[derive(Debug, Clone, PartialEq)]
pub struct MemoryConfig {
    /// A folder that several repositories share; `None` keeps each one's memory in it.
    pub folder: Option<PathBuf>,
    /// Who remembers.
    pub agent_id: String,
}

/// Section `agent`.
#[derive(Debug, Clone, PartialEq)]
pub struct AgentConfig {
    pub mode: AgentMode,
    /// Calls of tools in one run.
    pub max_steps: usize,
    pub reflect: Reflection,
    pub tool_timeout: Duration,
    /// Bytes.
    pub tool_memory: u64,
    pub network: bool,
    /// Absolute, or below the home folder with `~/`.
    pub readable: Vec<PathBuf>,
    pub writable: Vec<PathBuf>,
    /// Where skills are searched; `None`: nowhere.
    pub hub: Option<String>,
}

/// Section `journal`.
#[derive(Debug, Clone, PartialEq)]
pub struct JournalConfig {
    /// Whether git carries it.
    pub share: bool,
}

/// One line of what `doctor` shows.
#[derive(Debug, Clone, PartialEq)]
pub struct Resolution<'a> {
    /// Dotted name.
    pub key: &'a str,
    /// What holds, as it would stand in the file.
    pub value: String,
    /// Who said so.
    pub origin: &'a Origin,
}

/// Settings that can't be used.
#[derive(Debug, thiserror::Error)]
pub enum ConfigError {
    /// A known key has a value that it can't have.
    #[error("{origin}: {key}: expected {expected}, found {found}")]
    Value { origin: Origin, key: String, expected: String, found: String },
    /// What should say where a key is kept is something else, most likely the key. It is not
    /// repeated.
    #[error(
        "{origin}: {key}: expected env:NAME or vault:NAME, not a key itself; \
         keep it with `elophanto vault set {vault}` and write vault:{vault}"
    )]
    LiteralKey { origin: Origin, key: String, vault: String },
    /// One file sets one key in two places.
    #[error("{origin}: {key}: set a second time in this file (first at line {first})")]
    Twice { origin: Origin, key: String, first: usize },
    /// The command line names a key that there is not.
    #[error("command line: unknown key {key:?}{}", meant_text(*meant))]
    UnknownFlag { key: String, meant: Option<&'static str> },
    /// The file is no YAML, or more of it than is read.
    #[error("{}{}: {cause}", path.display(), line_text(cause))]
    Yaml {
        path: PathBuf,
        #[source]
        cause: elophanto_base::yaml::YamlError,
    },
    /// The file is YAML, but a list or a single text.
    #[error("{}:1: expected sections such as `search:`, found something else", path.display())]
    NoMapping { path: PathBuf },
    /// The file can't be read.
    #[error("{}: can't be read: {cause}", path.display())]
    Io {
        path: PathBuf,
        #[source]
        cause: std::io::Error,
    },
    /// A folder, a pipe or a device.
    #[error("{}: not a regular file", path.display())]
    NoFile { path: PathBuf },
    /// A link to somewhere else.
    #[error("{}: a link that leads out of the repository", path.display())]
    Outside { path: PathBuf },
    /// More than any honest configuration.
    #[error("{}: larger than {cap} bytes", path.display())]
    TooLarge { path: PathBuf, cap: u64 },
    /// Marks of a conflict that is not in git's index.
    #[error("{}: holds the marks of a conflict, and git knows of none", path.display())]
    Marked { path: PathBuf },
    /// Some other encoding, or no text at all.
    #[error("{}: not UTF-8 text", path.display())]
    NoText { path: PathBuf },
}

/// Settings that were left out, and why.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ConfigWarning {
    /// A key that there is not; `meant` is the one that it resembles.
    UnknownKey { path: PathBuf, line: usize, key: String, meant: Option<&'static str> },
    /// More of them than are worth naming.
    MoreUnknownKeys { path: PathBuf, count: usize },
    /// Settings that need trust which the user has not given; `problem` is why the trust store
    /// can't be used, if it can't.
    Untrusted { path: PathBuf, keys: Vec<String>, problem: Option<String> },
    /// The repository's file names places outside of it.
    Outside { path: PathBuf, key: &'static str },
    /// The repository's file is in conflict.
    InConflict { path: PathBuf },
}

impl fmt::Display for ConfigWarning {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::UnknownKey { path, line, key, meant } => {
                let place = path.display();
                write!(f, "{place}:{line}: unknown key {key:?} ignored{}", meant_text(*meant))
            }
            Self::Outside { path, key } => {
                let place = path.display();
                write!(f, "{place}: {key}: absolute paths are passed over; ")?;
                f.write_str("only your own settings may name places outside the repository")
            }
            Self::InConflict { path } => {
                let place = path.display();
                write!(f, "{place}: in conflict; until it is settled, what our side says counts")
            }
            Self::MoreUnknownKeys { path, count } => {
                write!(f, "{}: {count} more unknown keys ignored", path.display())
            }
            Self::Untrusted { path, keys, problem } => {
                let cut = |key: &String| key.chars().take(100).collect::<String>();
                let escaped = |key: &String| cut(key).escape_debug().to_string();
                let named: Vec<String> = keys.iter().take(MAX_NAMED).map(escaped).collect();
                write!(f, "{}: not trusted, passed over: {}", path.display(), named.join(", "))?;
                if keys.len() > named.len() {
                    write!(f, " and {} more", keys.len() - named.len())?;
                }
                f.write_str("; `elophanto trust` shows and trusts them")?;
                match problem {
                    Some(problem) => write!(f, " ({problem})"),
                    None => Ok(()),
                }
            }
        }
    }
}

impl Config {
    /// Resolves the layers. Unknown keys of files are warnings; a bad value is an error that
    /// names its place, even where a stronger layer would have hidden it.
    pub fn load(layers: &Layers) -> Result<(Self, Vec<ConfigWarning>), ConfigError> {
        let mut resolved = Resolved::default();
        let mut warnings = Vec::new();
        for key in KEYS {
            resolved.set(key.name, raw_of(key.default), Origin::Default)?;
        }
        if let Some(file) = &layers.user {
            let origin = |line| Origin::User { path: file.path.clone(), line };
            resolved.add_file(file, false, origin, &mut warnings)?;
        }
        if layers.in_conflict {
            warnings.push(ConfigWarning::InConflict { path: REPOSITORY_FILE.into() });
        }
        if let Some(file) = &layers.repository {
            let origin = |line| Origin::Repository { path: file.path.clone(), line };
            let guard = layers.trusted != Trusted::Yes;
            let held = resolved.add_file(file, guard, origin, &mut warnings)?;
            if !held.is_empty() {
                warnings.push(ConfigWarning::Untrusted {
                    path: file.path.clone(),
                    keys: held.into_iter().map(|guarded| guarded.name).collect(),
                    problem: match &layers.trusted {
                        Trusted::Unknown(problem) => Some(problem.clone()),
                        Trusted::No | Trusted::Yes => None,
                    },
                });
            }
            if resolved.keep_inside(SCAN_PATHS)? {
                let path = file.path.clone();
                warnings.push(ConfigWarning::Outside { path, key: SCAN_PATHS });
            }
        }
        for key in KEYS {
            let variable = key.variable();
            if let Some(text) = layers.variables.get(&variable).filter(|text| !text.is_empty()) {
                resolved.set(key.name, Raw::Scalar(text.clone()), Origin::Variable(variable))?;
            }
        }
        resolved.add_flags(&layers.flags)?;
        Ok((Self::from_resolved(resolved)?, warnings))
    }

    /// What of a repository's file is passed over unless the user trusts it, in its order.
    ///
    /// # Errors
    /// Those of [`Config::load`].
    pub fn guarded(file: &ConfigFile) -> Result<Vec<Guarded>, ConfigError> {
        let origin = |line| Origin::Repository { path: file.path.clone(), line };
        Resolved::default().add_file(file, true, origin, &mut Vec::new())
    }

    /// Every setting in the order of the table, with who said it, and after them all of those
    /// providers that somebody said something of. Of a key only where it is kept.
    pub fn origins<'a>(&'a self) -> Vec<Resolution<'a>> {
        let line = |key: &'static Key| {
            let (value, origin) = self.resolved.get(key.name)?;
            Some(Resolution { key: key.name, value: value.to_string(), origin })
        };
        let part = |(key, part, origin): (&'a str, &providers::Part, &'a Origin)| Resolution {
            key,
            value: part.to_string(),
            origin,
        };
        let parts = self.resolved.providers().parts().map(part);
        KEYS.iter().filter_map(line).chain(parts).collect()
    }

    /// Who said what this setting is; `None` where there is no such setting.
    pub fn origin(&self, key: &str) -> Option<&Origin> {
        let part = || self.resolved.providers().get(key).map(|(_, origin)| origin);
        self.resolved.get(key).map(|(_, origin)| origin).or_else(part)
    }

    fn from_resolved(resolved: Resolved) -> Result<Self, ConfigError> {
        let max_tokens = resolved.size("knowledge.chunk.max_tokens");
        let split = resolved.size("knowledge.chunk.min_split_tokens");
        let chunk = ChunkConfig {
            max_tokens,
            min_tokens: resolved.size("knowledge.chunk.min_tokens"),
            min_split_tokens: split.min(max_tokens),
        };
        let knowledge = KnowledgeConfig {
            roots: resolved.list("knowledge.roots").iter().map(PathBuf::from).collect(),
            write_root: PathBuf::from(resolved.text("knowledge.write_root")),
            extensions: resolved.list("knowledge.extensions").to_vec(),
            embedding_provider: resolved.choice("knowledge.embedding_provider"),
            embedding_openrouter_model: resolved.text("knowledge.embedding_openrouter_model"),
            embedding_model: resolved.text("knowledge.embedding_model"),
            embedding_fallback: resolved.text("knowledge.embedding_fallback"),
            embedding_dimension: resolved.size("knowledge.embedding_dimension"),
            minilm_chunks: resolved.size("knowledge.minilm_chunks"),
            index_interval: resolved.span("knowledge.index_interval"),
            max_file_bytes: resolved.whole("knowledge.max_file_bytes"),
            chunk,
        };
        let search = SearchConfig {
            limit: resolved.size("search.limit"),
            mode: resolved.choice("search.mode"),
            ranking: resolved.choice("search.ranking"),
            semantic_weight: resolved.real("search.semantic_weight"),
            recency_weight: resolved.real("search.recency_weight"),
            recency_half_life: resolved.span("search.recency_half_life"),
            language: resolved.choice("search.language"),
            fuzzy: resolved.switch("search.fuzzy"),
            collapse_similarity: resolved.real("search.collapse_similarity"),
            refresh_stale: resolved.choice("search.refresh_stale"),
        };
        let index = IndexConfig {
            commit: resolved.choice("index.commit"),
            background: resolved.switch("index.background"),
        };
        let hooks = HooksConfig { budget: resolved.span("hooks.budget") };
        let changelog = ChangelogConfig { enabled: resolved.switch("changelog.enabled") };
        let patterns = ["documentation", "configuration", "services", "source"];
        let scan = ScanConfig {
            paths: resolved.list(SCAN_PATHS).iter().map(PathBuf::from).collect(),
            patterns: patterns
                .map(|family| resolved.list(&format!("scan.patterns.{family}")).to_vec()),
            skip: resolved.list("scan.skip").to_vec(),
            max_questions: resolved.size("scan.max_questions"),
            interval: resolved.span("scan.interval"),
        };
        let journal = JournalConfig { share: resolved.switch("journal.share") };
        // `none` stands for nothing, as a setting cannot be empty.
        let given = |key: &str| Some(resolved.text(key)).filter(|text| text != "none");
        let learn = LearnConfig {
            sources: words(resolved.list("learn.sources")),
            queries: resolved.size("learn.queries"),
            pages: resolved.size("learn.pages"),
            files: resolved.list("learn.files").iter().map(PathBuf::from).collect(),
            searxng_url: given("learn.searxng_url"),
            brave_url: given("learn.brave_url"),
            tavily_url: given("learn.tavily_url"),
            command: given("learn.command"),
            private_pages: resolved.switch("learn.private_pages"),
        };
        let interest =
            InterestConfig { count_searches: resolved.switch("interest.count_searches") };
        let enrich = EnrichConfig {
            every: resolved.span("enrich.every"),
            searches_per_hour: resolved.size("enrich.searches_per_hour"),
        };
        let notify = NotifyConfig {
            sinks: words(resolved.list("notify.sinks")),
            file: given("notify.file"),
            program: given("notify.program"),
            webhook: given("notify.webhook"),
            quiet_hours: given("notify.quiet_hours"),
        };
        let memory = MemoryConfig {
            folder: given("memory.folder").map(PathBuf::from),
            agent_id: resolved.text("memory.agent_id"),
        };
        let folders = |key: &str| -> Vec<PathBuf> {
            given(key).map_or(Vec::new(), |text| text.split(':').map(PathBuf::from).collect())
        };
        let agent = AgentConfig {
            mode: resolved.choice("agent.mode"),
            max_steps: resolved.size("agent.max_steps"),
            reflect: resolved.choice("agent.reflect"),
            tool_timeout: resolved.span("agent.tool_timeout"),
            tool_memory: resolved.size("agent.tool_memory") as u64,
            network: resolved.switch("agent.network"),
            readable: folders("agent.readable"),
            writable: folders("agent.writable"),
            hub: given("agent.hub"),
        };
        let llm = LlmConfig::from_resolved(&resolved)?;
        Ok(Self {
            knowledge,
            search,
            index,
            hooks,
            changelog,
            scan,
            journal,
            learn,
            interest,
            enrich,
            notify,
            memory,
            agent,
            llm,
            resolved,
        })
    }
}

/// The built-in defaults.
impl Default for Config {
    fn default() -> Self {
        match Self::load(&Layers::default()) {
            Ok((config, _)) => config,
            Err(error) => unreachable!("the table of keys contradicts itself: {error}"),
        }
    }
}

/// Words that the table has checked.
fn words<T: std::str::FromStr>(list: &[String]) -> Vec<T> {
    list.iter().filter_map(|word| word.parse().ok()).collect()
}

fn line_text(cause: &elophanto_base::yaml::YamlError) -> String {
    cause.line().map(|line| format!(":{line}")).unwrap_or_default()
}

fn meant_text(meant: Option<&str>) -> String {
    meant.map(|name| format!(" (did you mean `{name}`?)")).unwrap_or_default()
}
