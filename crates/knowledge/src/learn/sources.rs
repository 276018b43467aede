//! Where learning looks: search services, a program of the user's, files, and the notes themselves.

use std::{
    path::{Path, PathBuf},
    time::Duration,
};

use serde::Deserialize;
use url::Url;

use super::responses::Finding;
use crate::providers::{Provider, ProviderError, read_pages};
use elophanto_base::{
    one_line::one_line,
    process::{self, Environment, ProcessError},
};
use elophanto_net::web::Fetcher;
use elophanto_repo::{NotePath, read_note, walk_files};
use elophanto_text::{
    entity::identity,
    reading::{self, Hint},
};

/// Findings of one search.
pub const MOST_FINDINGS: usize = 10;
/// How long a program may take.
const PROGRAM_PATIENCE: Duration = Duration::from_secs(60);
/// Bytes of what a program prints that are read.
const PROGRAM_OUTPUT: usize = 8 * 1024 * 1024;
/// Characters of a title.
const MOST_TITLE: usize = 300;
/// Characters of where something is from.
const MOST_ORIGIN: usize = 2_048;
/// Files that one search reads whole.
const MOST_FILES: usize = 5;
/// Files that one search looks into.
const MOST_LOOKED: usize = 20_000;
/// Largest file that is looked into, in bytes.
const MOST_FILE_BYTES: u64 = 4 * 1024 * 1024;
/// Endings of files that are looked into.
const ENDINGS: &[&str] = &["md", "markdown", "txt", "rst", "html", "htm", "pdf", "org", "adoc"];

/// A search failed.
#[derive(Debug, thiserror::Error)]
pub enum SourceError {
    #[error(transparent)]
    Provider(#[from] ProviderError),
    #[error(transparent)]
    Program(#[from] ProcessError),
    #[error("`{program}` failed ({status}): {said}")]
    Failed { program: String, status: String, said: String },
}

impl SourceError {
    /// What the user could do about it.
    pub fn hint(&self) -> Option<&str> {
        match self {
            Self::Provider(cause) => cause.hint(),
            Self::Program(_) | Self::Failed { .. } => None,
        }
    }
}

/// Something that can be asked.
pub trait Source {
    /// As in the settings.
    fn name(&self) -> &str;

    /// What it finds for a query, the best first.
    ///
    /// # Errors
    /// When it cannot be asked, or does not answer.
    fn find(&self, query: &str) -> Result<Vec<Finding>, SourceError>;
}

/// A search service, and reading the pages it names.
pub struct Web {
    pub provider: Box<dyn Provider>,
    pub fetcher: Fetcher,
    /// Pages that are read whole.
    pub pages: usize,
}

impl Source for Web {
    fn name(&self) -> &str {
        self.provider.name()
    }

    fn find(&self, query: &str) -> Result<Vec<Finding>, SourceError> {
        let found = self.provider.search(query, MOST_FINDINGS)?;
        Ok(read_pages(found, &self.fetcher, self.pages).into_iter().map(Finding::from).collect())
    }
}

/// A program of the user's: the query is its last argument, behind `--` if it begins as an option does; text or JSON Lines its answer.
pub struct Program {
    pub argv: Vec<String>,
    pub environment: Environment,
    /// Where it runs, if not where the user is.
    pub folder: Option<PathBuf>,
}

/// A line of a program's answer. Other fields are passed over.
#[derive(Deserialize)]
struct Line {
    #[serde(default)]
    title: Option<String>,
    #[serde(default, alias = "link", alias = "source")]
    url: Option<String>,
    #[serde(alias = "content", alias = "snippet", alias = "description")]
    text: String,
    #[serde(default)]
    image: Option<String>,
}

impl Source for Program {
    fn name(&self) -> &str {
        "command"
    }

    fn find(&self, query: &str) -> Result<Vec<Finding>, SourceError> {
        let mut argv = self.argv.clone();
        if query.starts_with('-') {
            argv.push("--".to_owned());
        }
        argv.push(query.to_owned());
        let output = process::run_in(
            self.folder.as_deref(),
            &argv,
            b"",
            &self.environment,
            PROGRAM_PATIENCE,
            PROGRAM_OUTPUT,
        )?;
        if !output.is_success() {
            let status = match (output.code, output.signal) {
                (Some(code), _) => format!("exit {code}"),
                (None, signal) => format!("signal {}", signal.unwrap_or_default()),
            };
            let said = String::from_utf8_lossy(&output.stderr);
            let said = match one_line(&said, 300) {
                said if said.is_empty() => "it said nothing".to_owned(),
                said => said,
            };
            let program = self.argv.first().cloned().unwrap_or_default();
            return Err(SourceError::Failed { program, status, said });
        }
        Ok(parse(&output.stdout, output.cut))
    }
}

/// What a program printed: JSON Lines if every line is an object with a text, else one text.
/// `cut` says that it printed more: then its last line may be half of one.
fn parse(printed: &[u8], cut: bool) -> Vec<Finding> {
    let whole = match printed.iter().rposition(|&byte| byte == b'\n').filter(|_| cut) {
        Some(end) => printed.get(..end).unwrap_or_default(),
        None => printed,
    };
    let lines = whole.split(|&byte| byte == b'\n').filter(|line| !line.trim_ascii().is_empty());
    let parsed: Option<Vec<Line>> =
        lines.map(|line| serde_json::from_slice::<Line>(line).ok()).collect();
    match parsed {
        Some(lines) if !lines.is_empty() => lines
            .into_iter()
            .take(MOST_FINDINGS * 5)
            .map(|Line { title, url, text, image }| Finding {
                title: title.map(|title| one_line(&title, MOST_TITLE)),
                url: url.as_deref().and_then(origin),
                text,
                image,
                ..Finding::default()
            })
            .collect(),
        _ => {
            let hint = Hint::default();
            let read = reading::read(printed, hint).ok();
            read.map(|read| Finding { title: read.title, text: read.text, ..Finding::default() })
                .into_iter()
                .collect()
        }
    }
}

/// Where something is from, as a program says: an address of the web without credentials, of a
/// file no more than its name, or words of the program's own. It is written down, and git carries
/// it.
fn origin(said: &str) -> Option<String> {
    let said = one_line(said, MOST_ORIGIN);
    let name = |path: &str| {
        let name = Path::new(path).file_name()?;
        Some(format!("file:{}", name.to_string_lossy()))
    };
    if Path::new(&said).is_absolute() {
        return name(&said);
    }
    match Url::parse(&said) {
        Ok(url) if !url.username().is_empty() || url.password().is_some() => None,
        Ok(url) => match url.scheme() {
            "http" | "https" => Some(url.into()),
            "file" => name(url.path()),
            // What runs, or is all of itself.
            "javascript" | "data" | "blob" | "vbscript" => None,
            _ => Some(said),
        },
        Err(_) => (!said.is_empty()).then_some(said),
    }
}

/// Files on this machine, found by the words in them.
pub struct Files {
    pub root: PathBuf,
    /// Relative to the root, or absolute.
    pub folders: Vec<PathBuf>,
    /// Paths that are never looked into, relative to the root.
    pub except: Vec<PathBuf>,
}

impl Source for Files {
    fn name(&self) -> &str {
        "files"
    }

    fn find(&self, query: &str) -> Result<Vec<Finding>, SourceError> {
        let wanted = words_of(query);
        let ending = |path: &Path| {
            let ending = path.extension().and_then(|ending| ending.to_str()).unwrap_or_default();
            ENDINGS.iter().any(|known| known.eq_ignore_ascii_case(ending))
        };
        let (inside, outside): (Vec<&PathBuf>, Vec<&PathBuf>) =
            self.folders.iter().partition(|folder| folder.is_relative());
        let mut found = Vec::new();
        let groups = [(self.root.clone(), inside.into_iter().cloned().collect::<Vec<_>>())]
            .into_iter()
            .chain(outside.into_iter().map(|folder| (folder.clone(), vec![PathBuf::from(".")])));
        for (root, folders) in groups {
            let (walked, _) = walk_files(&root, &folders, ending, |_| true);
            for file in walked.into_iter().take(MOST_LOOKED) {
                let own = file.path.as_path().to_owned();
                if self.except.iter().any(|except| own.starts_with(except)) {
                    continue;
                }
                let Some((score, finding)) = look(&root, &self.root, &file.path, &wanted) else {
                    continue;
                };
                found.push((score, own, finding));
            }
        }
        found.sort_by(|a, b| b.0.total_cmp(&a.0).then_with(|| a.1.cmp(&b.1)));
        Ok(found.into_iter().take(MOST_FILES).map(|(_, _, finding)| finding).collect())
    }
}

/// How well a file bears on the words, and its text; `None` if it does not, or cannot be read.
fn look(root: &Path, home: &Path, path: &NotePath, wanted: &[String]) -> Option<(f64, Finding)> {
    let (bytes, _) = read_note(root, path, MOST_FILE_BYTES).ok()?;
    let name = path.to_text();
    let is_pdf = bytes.starts_with(b"%PDF-");
    if !is_pdf {
        // Cheap, and most files are out at once.
        let text = String::from_utf8_lossy(&bytes).to_lowercase();
        let there = wanted.iter().filter(|word| text.contains(word.as_str())).count();
        if there * 2 <= wanted.len() {
            return None;
        }
    }
    let read = reading::read(&bytes, Hint { media_type: None, name: Some(&name) }).ok()?;
    let text = read.text.to_lowercase();
    let words = text.split_whitespace().count().max(1) as f64;
    let hits = |word: &String| text.matches(word.as_str()).count() as f64;
    let there = wanted.iter().filter(|word| hits(word) > 0.0).count();
    if there * 2 <= wanted.len() {
        return None;
    }
    let density: f64 = wanted.iter().map(|word| (1.0 + hits(word)).ln()).sum::<f64>();
    let score = there as f64 + density / words.ln_1p();
    // Where files lie on this machine is nobody else's business.
    let url = if root == home {
        name
    } else {
        let name = path.as_path().file_name()?;
        format!("file:{}", name.to_string_lossy())
    };
    Some((
        score,
        Finding { title: read.title, url: Some(url), text: read.text, ..Finding::default() },
    ))
}

/// The notes of this repository, asked as `search` asks them.
pub struct Notes<'a> {
    pub ask: &'a dyn Fn(&str) -> Vec<Finding>,
}

impl Source for Notes<'_> {
    fn name(&self) -> &str {
        "knowledge"
    }

    fn find(&self, query: &str) -> Result<Vec<Finding>, SourceError> {
        Ok((self.ask)(query))
    }
}

/// Words of a query that carry meaning, in lower case.
fn words_of(query: &str) -> Vec<String> {
    /// Shorter ones are in every text.
    const SHORTEST: usize = 3;
    let query = identity(query);
    let words = query.split(|char: char| !char.is_alphanumeric());
    let mut words: Vec<String> =
        words.filter(|word| word.chars().count() >= SHORTEST).map(str::to_owned).collect();
    words.sort();
    words.dedup();
    if words.is_empty() { vec![query] } else { words }
}
