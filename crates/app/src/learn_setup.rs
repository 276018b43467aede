//! Setting up where `learn` searches the web: a service or a program is tried, and the user's own
//! settings are written.

use std::{fs, path::PathBuf};

use secrecy::SecretString;

use crate::{
    Environment, Error, Result,
    config::{Source as Service, pin, user_file, value_in},
    learning::words,
};
use elophanto_base::regular::if_there;
use elophanto_index::store::write_whole;
use elophanto_knowledge::{
    learn::sources::{Program, Source},
    providers::{Brave, Provider, Searxng, Tavily},
};

/// What is searched for to see whether somebody answers.
const TRIED: &str = "Ada Lovelace";
/// How many findings are enough.
const ENOUGH: usize = 3;

/// Where to search, with what it takes.
pub enum Wanted {
    /// An instance of SearXNG.
    Searxng {
        /// Of its search page.
        url: String,
    },
    /// Brave Search.
    Brave {
        /// Of its API.
        key: SecretString,
    },
    /// Tavily.
    Tavily {
        /// Of its API.
        key: SecretString,
    },
    /// A program of the user's that searches.
    Command {
        /// What is run, without a shell.
        line: String,
    },
}

/// What was set up.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SetUp {
    /// What it is called.
    pub service: &'static str,
    /// What it found when it was tried.
    pub found: usize,
    /// The user's own settings.
    pub file: PathBuf,
}

impl Wanted {
    fn service(&self) -> Service {
        match self {
            Self::Searxng { .. } => Service::Searxng,
            Self::Brave { .. } => Service::Brave,
            Self::Tavily { .. } => Service::Tavily,
            Self::Command { .. } => Service::Command,
        }
    }

    /// Searches once; how much was found.
    fn tried(&self, environment: &Environment) -> Result<usize> {
        let service = self.service().as_str();
        let failed = |cause: String| {
            Error::new(format_args!("{service} does not answer: {cause}"))
                .hint("nothing was written; mend it and run `elophanto learn --setup` again")
        };
        let address = |url: &str| {
            url::Url::parse(url).map_err(|cause| {
                Error::new(format_args!("`{url}` is no address: {cause}"))
                    .hint("write it like `http://localhost:8888`")
            })
        };
        let text = |cause: &dyn std::fmt::Display| failed(cause.to_string());
        let provider: Box<dyn Provider> = match self {
            Self::Searxng { url } => {
                Box::new(Searxng::new(address(url)?).map_err(|cause| text(&cause))?)
            }
            Self::Brave { key } => Box::new(
                Brave::new(address(Brave::BASE_URL)?, key.clone()).map_err(|cause| text(&cause))?,
            ),
            Self::Tavily { key } => Box::new(
                Tavily::new(address(Tavily::BASE_URL)?, key.clone())
                    .map_err(|cause| text(&cause))?,
            ),
            Self::Command { line } => {
                let argv = words(line, "learn.command")?;
                let program =
                    Program { argv, environment: environment.harmless().clone(), folder: None };
                return program.find(TRIED).map(|found| found.len()).map_err(|cause| text(&cause));
            }
        };
        provider.search(TRIED, ENOUGH).map(|found| found.len()).map_err(|cause| text(&cause))
    }
}

/// Tries it, then has the user's own settings name it: where else is looked stays. A key is the caller's
/// to keep, by `keep`, once it is known to work.
///
/// # Errors
/// When nobody answers, there is no place for settings of one's own, or they cannot be written.
pub fn set_up(
    wanted: &Wanted,
    environment: &Environment,
    keep: &mut dyn FnMut(&SecretString) -> Result<()>,
) -> Result<SetUp> {
    let found = wanted.tried(environment)?;
    if let Wanted::Brave { key } | Wanted::Tavily { key } = wanted {
        keep(key)?;
    }
    let file = user_file(environment.variables())
        .ok_or_else(|| Error::new("there is no place for settings of your own").hint("set HOME"))?;
    let text = if_there(fs::read_to_string(&file)).map_err(|cause| unwritten(&file, &cause))?;
    let mut text = text.unwrap_or_default();
    let service = wanted.service().as_str();
    let known = value_in(&text, "learn.sources").map_err(|cause| unwritten(&file, &cause))?;
    let known = known.map_or_else(|| "[knowledge]".to_owned(), |known| known.to_string());
    let mut names: Vec<&str> = known.trim_matches(['[', ']']).split(',').map(str::trim).collect();
    names.retain(|name| !name.is_empty());
    if !names.contains(&service) {
        names.push(service);
    }
    let mut values = vec![("learn.sources", format!("[{}]", names.join(", ")))];
    match wanted {
        Wanted::Searxng { url } => values.push(("learn.searxng_url", url.clone())),
        Wanted::Command { line } => values.push(("learn.command", line.clone())),
        Wanted::Brave { .. } | Wanted::Tavily { .. } => {}
    }
    for (key, value) in values {
        if let Some(edited) = pin(&text, key, &value).map_err(|cause| unwritten(&file, &cause))? {
            text = edited;
        }
    }
    if let Some(folder) = file.parent() {
        fs::create_dir_all(folder).map_err(|cause| unwritten(&file, &cause))?;
    }
    write_whole(&file, text.as_bytes()).map_err(|cause| unwritten(&file, &cause))?;
    Ok(SetUp { service, found, file })
}

fn unwritten(file: &std::path::Path, cause: &dyn std::fmt::Display) -> Error {
    Error::new(format_args!("`{}` cannot be written: {cause}", file.display()))
        .hint("mend your own settings, or set `learn.sources` there by hand")
}
