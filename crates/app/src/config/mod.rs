//! Settings: defaults < the user's file < the repository's file < environment < command line.
//!
//! Owns what settings there are (each declared once, in `sections`), the layers, the text of the
//! repository's file, and the stores of what the user trusts and agreed to send away. Resolves
//! once, and every value remembers who said it, so that an error can name the place. Refuses to
//! know what a setting is for: the core rooms declare the small settings they need and never
//! import this one. The environment is passed in.

mod agreement;
mod choices;
mod declare;
mod duration;
mod endpoint;
mod forms;
mod guard;
#[cfg(test)]
mod hostile_tests;
mod keys;
mod kind;
mod layers;
mod pin;
mod programs;
mod providers;
mod resolved;
mod sections;
mod store;
#[cfg(test)]
mod table_tests;
mod template;
#[cfg(test)]
mod tests;
mod trust;

use std::ops::Deref;
use std::path::PathBuf;

pub use agreement::{Agreement, Agreements};
pub use choices::{
    AgentMode, CommitIndex, Images, KeepTexts, Mode, Protocol, Provider, Ranking, Reflection,
    RefreshStale, SecondLook, SinkKind, Source, TaskNotes, UnknownWord,
};
pub use duration::{DURATION_FORM, DurationError, format_duration, parse_duration};
pub use guard::Guarded;
pub use keys::{KEYS, Key, NeedsTrust};
pub use kind::{Kind, MAX_ITEMS, MAX_MODELS, MAX_TEXT, Raw, Value, list_text, quote};
pub use layers::{
    ConfigFile, Layers, MAX_FILE_BYTES, Origin, REPOSITORY_FILE, Trusted, has_conflict_marks,
    read_repository_file, user_file,
};
pub use pin::{PinError, pin, value_in};
pub use programs::{Program, programs, run_in_sandbox, run_unseen};
pub use providers::{KeyRef, MAX_PROVIDERS, ProviderConfig};
pub use sections::{
    AgentConfig, BudgetConfig, KnowledgeConfig, LlmConfig, PatternsConfig, ScanConfig, Sections,
};
pub(crate) use store::unescape;
pub use store::{MAX_STORE_BYTES, StoreError};
pub use template::template;
pub use trust::{TrustEntry, TrustStore, digest};

use declare::Section as _;
use resolved::Resolved;

/// The one setting that may name places outside the repository.
const SCAN_PATHS: &str = "scan.paths";

/// Most settings that one warning names.
const MAX_NAMED: usize = 10;

/// Every setting, resolved.
#[derive(Debug, Clone)]
pub struct Config {
    sections: Sections,
    resolved: Resolved,
    /// The user has named the language model by hand, whatever the settings say.
    pub is_chosen: bool,
}

impl Config {
    /// The same with one language model for everything, whoever says otherwise.
    pub fn with_model(&self, model: &str) -> Self {
        let mut config = Self { is_chosen: true, ..self.clone() };
        let tasks = &mut config.sections.llm.tasks;
        let all = [
            &mut tasks.planning, &mut tasks.coding, &mut tasks.analysis, &mut tasks.simple,
            &mut tasks.review, &mut tasks.extraction, &mut tasks.summary,
        ];
        for models in all {
            *models = vec![model.to_owned()];
        }
        config
    }
}

impl Deref for Config {
    type Target = Sections;

    fn deref(&self) -> &Sections {
        &self.sections
    }
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
    Value {
        /// Who says it, and where.
        origin: Origin,
        /// Its name, such as `search.limit`.
        key: String,
        /// What it can be.
        expected: String,
        /// What stands there.
        found: String,
    },
    /// What should say where a key is kept is something else, most likely the key. It is not
    /// repeated.
    #[error(
        "{origin}: {key}: expected env:NAME or vault:NAME, not a key itself; \
         keep it with `elophanto vault set {vault}` and write vault:{vault}"
    )]
    LiteralKey {
        /// Who says it, and where.
        origin: Origin,
        /// Its name, such as `search.limit`.
        key: String,
        /// The name in the vault that is proposed.
        vault: String,
    },
    /// One file sets one key in two places.
    #[error("{origin}: {key}: set a second time in this file (first at line {first})")]
    Twice {
        /// Who says it, and where.
        origin: Origin,
        /// Its name, such as `search.limit`.
        key: String,
        /// The line of the other place.
        first: usize,
    },
    /// The command line names a key that there is not.
    #[error("command line: unknown key {key:?}{}", meant_text(*meant))]
    UnknownFlag {
        /// Its name, such as `search.limit`.
        key: String,
        /// The known key that it resembles.
        meant: Option<&'static str>,
    },
    /// The file is no YAML, or more of it than is read.
    #[error("{}{}: {source}", path.display(), line_text(source))]
    Yaml {
        /// The file.
        path: PathBuf,
        /// Why.
        source: elophanto_base::yaml::YamlError,
    },
    /// The file is YAML, but a list or a single text.
    #[error("{}:1: expected sections such as `search:`, found something else", path.display())]
    NoMapping {
        /// The file.
        path: PathBuf,
    },
    /// The file can't be read.
    #[error("{}: can't be read: {source}", path.display())]
    Io {
        /// The file.
        path: PathBuf,
        /// Why.
        source: std::io::Error,
    },
    /// A folder, a pipe or a device.
    #[error("{}: not a regular file", path.display())]
    NoFile {
        /// The file.
        path: PathBuf,
    },
    /// A link to somewhere else.
    #[error("{}: a link that leads out of the repository", path.display())]
    Outside {
        /// The file.
        path: PathBuf,
    },
    /// More than any honest configuration.
    #[error("{}: larger than {cap} bytes", path.display())]
    TooLarge {
        /// The file.
        path: PathBuf,
        /// Bytes of it that would be read.
        cap: u64,
    },
    /// Marks of a conflict that is not in git's index.
    #[error("{}: holds the marks of a conflict, and git knows of none", path.display())]
    Marked {
        /// The file.
        path: PathBuf,
    },
    /// Some other encoding, or no text at all.
    #[error("{}: not UTF-8 text", path.display())]
    NoText {
        /// The file.
        path: PathBuf,
    },
}

/// Settings that were left out, and why.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum ConfigWarning {
    /// A key that there is not; `meant` is the one that it resembles.
    #[error("{}:{line}: unknown key {key:?} ignored{}", path.display(), meant_text(*meant))]
    UnknownKey {
        /// The file.
        path: PathBuf,
        /// Counts from 1.
        line: usize,
        /// Its name.
        key: String,
        /// The known key that it resembles.
        meant: Option<&'static str>,
    },
    /// More of them than are worth naming.
    #[error("{}: {count} more unknown keys ignored", path.display())]
    MoreUnknownKeys {
        /// The file.
        path: PathBuf,
        /// How many more.
        count: usize,
    },
    /// Settings that need trust which the user has not given; `problem` is why what they gave does not
    /// count, if it does not.
    #[error(
        "{}: not trusted, passed over: {}; `elophanto trust` shows and trusts them{}",
        path.display(), named(keys),
        problem.as_ref().map(|problem| format!(" ({problem})")).unwrap_or_default()
    )]
    Untrusted {
        /// The file.
        path: PathBuf,
        /// Their names.
        keys: Vec<String>,
        /// Why the trust that was given does not count.
        problem: Option<String>,
    },
    /// The repository's file names places outside of it.
    #[error(
        "{}: {key}: absolute paths are passed over; \
         only your own settings may name places outside the repository", path.display()
    )]
    Outside {
        /// The file.
        path: PathBuf,
        /// Its name.
        key: &'static str,
    },
    /// The repository's file is in conflict.
    #[error("{}: in conflict; until it is settled, what our side says counts", path.display())]
    InConflict {
        /// The file.
        path: PathBuf,
    },
}

impl Config {
    /// Resolves the layers. Unknown keys of files are warnings; a bad value is an error that
    /// names its place, even where a stronger layer would have hidden it.
    pub fn load(layers: &Layers) -> Result<(Self, Vec<ConfigWarning>), ConfigError> {
        let mut resolved = Resolved::default();
        let mut warnings = Vec::new();
        for key in KEYS.iter() {
            resolved.add_default(key)?;
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
        // Hardly anybody sets one.
        let is_set = layers.variables.keys().any(|name| name.starts_with(keys::VARIABLES));
        for key in KEYS.iter().filter(|_| is_set) {
            let variable = key.variable();
            if let Some(text) = layers.variables.get(&variable).filter(|text| !text.is_empty()) {
                resolved.set(key.name, Raw::Scalar(text.clone()), Origin::Variable(variable))?;
            }
        }
        resolved.add_flags(&layers.flags)?;
        let mut sections = Sections::read(&resolved)?;
        let chunk = &mut sections.knowledge.chunk;
        chunk.min_split_tokens = chunk.min_split_tokens.min(chunk.max_tokens);
        Ok((Self { sections, resolved, is_chosen: false }, warnings))
    }

    /// Writes notes where it is said without the repository's file.
    ///
    /// # Errors
    /// Those of [`Config::load`].
    pub(crate) fn pass_over_write_root(&mut self, layers: Layers) -> Result<(), ConfigError> {
        let (own, _) = Self::load(&Layers { repository: None, ..layers })?;
        self.resolved.follow(&own.resolved, "knowledge.write_root");
        self.sections.knowledge.write_root = own.sections.knowledge.write_root;
        Ok(())
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

    /// Whether the repository's file says what this setting is.
    pub(crate) fn is_of_repository(&self, key: &str) -> bool {
        matches!(self.origin(key), Some(Origin::Repository { .. }))
    }

    /// Who said what this setting is; `None` where there is no such setting.
    pub fn origin(&self, key: &str) -> Option<&Origin> {
        let part = || self.resolved.providers().get(key).map(|(_, origin)| origin);
        self.resolved.get(key).map(|(_, origin)| origin).or_else(part)
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

/// The first of some keys, and how many more there are.
fn named(keys: &[String]) -> String {
    let cut = |key: &String| key.chars().take(100).collect::<String>();
    let escaped = |key: &String| cut(key).escape_debug().to_string();
    let named: Vec<String> = keys.iter().take(MAX_NAMED).map(escaped).collect();
    let more = match keys.len() - named.len() {
        0 => String::new(),
        more => format!(" and {more} more"),
    };
    format!("{}{more}", named.join(", "))
}

fn line_text(cause: &elophanto_base::yaml::YamlError) -> String {
    cause.line().map(|line| format!(":{line}")).unwrap_or_default()
}

fn meant_text(meant: Option<&str>) -> String {
    meant.map(|name| format!(" (did you mean `{name}`?)")).unwrap_or_default()
}
