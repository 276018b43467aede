//! The layers that settings come from, read but not yet judged.
//!
//! Owns finding and reading the two files, within a size limit and without following the
//! repository's file out of the repository. The environment is passed in: nothing here asks the
//! process for it.

use std::collections::BTreeMap;
use std::fmt;
use std::fs::File;
use std::io;
use std::path::{Path, PathBuf};

use super::guard::{self, Guarded};
use super::keys;
use super::kind::Raw;
use super::programs::programs;
use super::providers;
use super::trust::TrustStore;
use super::{ConfigError, ConfigWarning};
use elophanto_base::beneath::{Folder, Refusal, is_link, refusal};
use elophanto_base::mount_placeholder::is_placeholder;
use elophanto_base::regular::read_capped;
use elophanto_base::visible::exact_line;
use elophanto_base::yaml;

/// Where a repository keeps its settings, relative to its root.
pub const REPOSITORY_FILE: &str = ".elophanto/config.yaml";

/// Largest configuration file, in bytes: what the YAML reader's default budget allows.
pub const MAX_FILE_BYTES: u64 = 64 * 1_024;

/// Most unknown keys of one file that are named one by one.
const MAX_UNKNOWN: usize = 10;

/// Everything that may set something, weakest first.
#[derive(Debug, Clone, Default)]
pub struct Layers {
    /// The user's own file.
    pub user: Option<ConfigFile>,
    /// The repository's file.
    pub repository: Option<ConfigFile>,
    /// Whether that file is in conflict; `repository` is then what our side says, if it has one.
    pub in_conflict: bool,
    /// Whether the user trusts what that file says just now.
    pub trusted: Trusted,
    /// The environment's variables.
    pub variables: BTreeMap<String, String>,
    /// Keys and values from the command line. A list takes one item from each of its pairs.
    pub flags: Vec<(String, String)>,
}

/// A configuration file that was read.
#[derive(Debug, Clone)]
pub struct ConfigFile {
    /// Its path as people should see it.
    pub path: PathBuf,
    /// What it says.
    pub text: String,
}

/// Whether the user trusts a content of the repository's file.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub enum Trusted {
    /// Not this one.
    #[default]
    No,
    /// Exactly this one, in this repository.
    Yes,
    /// As good as no, for this reason: the trust store can't be used, or a program that it names is another.
    Unknown(String),
}

/// Who said what a setting is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Origin {
    /// Nobody: the built-in default.
    Default,
    /// The user's own file, at a line counted from 1.
    User {
        /// The file.
        path: PathBuf,
        /// The line, from 1.
        line: usize,
    },
    /// The repository's file, at a line counted from 1.
    Repository {
        /// The file.
        path: PathBuf,
        /// The line, from 1.
        line: usize,
    },
    /// An environment variable.
    Variable(String),
    /// The command line.
    Flag,
}

impl fmt::Display for Origin {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Default => f.write_str("default"),
            Self::User { path, line } | Self::Repository { path, line } => {
                write!(f, "{}:{line}", path.display())
            }
            Self::Variable(name) => f.write_str(name),
            Self::Flag => f.write_str("command line"),
        }
    }
}

impl Layers {
    /// Reads the user's file and the one of the repository (or plain folder) at `root`. A file
    /// that is not there is an empty layer. While the repository's file is in conflict, what
    /// `ours` gives for it counts: what our side of the merge says.
    ///
    /// # Errors
    /// When a file is there but no regular UTF-8 file within bounds, or with marks of a conflict
    /// that git does not know of.
    pub fn read(
        root: &Path,
        ours: &dyn Fn() -> Option<Vec<u8>>,
        variables: BTreeMap<String, String>,
        flags: Vec<(String, String)>,
    ) -> Result<Self, ConfigError> {
        let layers = Self::without_repository(variables, flags)?;
        let mut repository = read_repository_file(root)?;
        let mut in_conflict = false;
        if let Some(file) = &mut repository
            && has_conflict_marks(&file.text)
        {
            let ours = ours().and_then(|bytes| String::from_utf8(bytes).ok());
            let fits = ours.filter(|text| text.len() as u64 <= MAX_FILE_BYTES);
            file.text = fits.ok_or_else(|| ConfigError::Marked { path: file.path.clone() })?;
            in_conflict = true;
        }
        let judge = |file: &ConfigFile| judge(root, file, &layers.variables);
        let trusted = repository.as_ref().map_or(Trusted::No, judge);
        Ok(Self { repository, in_conflict, trusted, ..layers })
    }

    /// Reads the user's file only, for where there is no repository.
    ///
    /// # Errors
    /// When it can't be read.
    pub fn without_repository(
        variables: BTreeMap<String, String>,
        flags: Vec<(String, String)>,
    ) -> Result<Self, ConfigError> {
        let user = user_file(&variables).map_or(Ok(None), |path| read_file(&path))?;
        Ok(Self { user, variables, flags, ..Self::default() })
    }
}

fn judge(root: &Path, file: &ConfigFile, variables: &BTreeMap<String, String>) -> Trusted {
    let store = match TrustStore::open_for(root, variables) {
        Ok(store) if store.trusts(root, REPOSITORY_FILE, file.text.as_bytes()) => store,
        Ok(_) => return Trusted::No,
        Err(cause) => return Trusted::Unknown(cause.to_string()),
    };
    match programs(root, file).iter().find(|it| !it.is_trusted(&store, root)) {
        None => Trusted::Yes,
        Some(it) => {
            Trusted::Unknown(format!("`{}` is not as it was trusted", exact_line(&it.file())))
        }
    }
}

/// Where the user's own settings are: `elophanto/config.yaml` in `$XDG_CONFIG_HOME`, else in
/// `~/.config`. Relative folders don't count, as the XDG specification has it.
pub fn user_file(variables: &BTreeMap<String, String>) -> Option<PathBuf> {
    Some(user_folder(variables)?.join("config.yaml"))
}

/// The folder of what is the user's own.
pub(super) fn user_folder(variables: &BTreeMap<String, String>) -> Option<PathBuf> {
    let folder = |name: &str| variables.get(name).map(PathBuf::from).filter(|p| p.is_absolute());
    let base = folder("XDG_CONFIG_HOME")
        .or_else(|| folder("HOME").map(|home| home.join(".config")))
        .or_else(|| folder("APPDATA"))?;
    Some(base.join("elophanto"))
}

/// One thing that a file says.
#[derive(Debug)]
pub(super) struct Entry {
    pub(super) name: String,
    pub(super) line: usize,
    pub(super) raw: Raw,
    /// What of an unknown entry would need trust, if it stands in a repository's file.
    pub(super) guarded: Vec<Guarded>,
    /// Whether it says anything besides.
    pub(super) harmless: bool,
}

/// What a file says, known or not, in its order. Nested and dotted names mean the same; a key
/// without a value says nothing.
pub(super) fn entries(file: &ConfigFile) -> Result<Vec<Entry>, ConfigError> {
    let top = parse(&file.text)
        .map_err(|cause| ConfigError::Yaml { path: file.path.clone(), source: cause })?;
    let mut list = Vec::new();
    match top.value {
        yaml::Value::Null => {}
        yaml::Value::Mapping(pairs) => flatten("", pairs, &mut list),
        _ => return Err(ConfigError::NoMapping { path: file.path.clone() }),
    }
    Ok(list)
}

/// Sorts the unknown entries out: one warning each, and one for the rest when there are many.
pub(super) fn split_unknown(
    file: &ConfigFile,
    list: Vec<Entry>,
    warnings: &mut Vec<ConfigWarning>,
) -> Vec<Entry> {
    let known = |entry: &Entry| is_setting(&entry.name) || providers::is_part(&entry.name);
    let (list, unknown): (Vec<Entry>, Vec<Entry>) = list.into_iter().partition(known);
    for entry in unknown.iter().take(MAX_UNKNOWN) {
        warnings.push(ConfigWarning::UnknownKey {
            path: file.path.clone(),
            line: entry.line,
            key: entry.name.chars().take(100).collect(),
            meant: keys::suggest(&entry.name),
        });
    }
    if unknown.len() > MAX_UNKNOWN {
        let count = unknown.len() - MAX_UNKNOWN;
        warnings.push(ConfigWarning::MoreUnknownKeys { path: file.path.clone(), count });
    }
    list
}

fn flatten(prefix: &str, pairs: Vec<(String, yaml::Node)>, list: &mut Vec<Entry>) {
    for (key, node) in pairs {
        let name = if prefix.is_empty() { key } else { format!("{prefix}.{key}") };
        let below = providers::is_below(&name);
        let known = is_setting(&name) || providers::is_known(&name);
        match node.value {
            yaml::Value::Mapping(pairs) if below || keys::is_section(&name) => {
                flatten(&name, pairs, list);
            }
            yaml::Value::Null if known || below => {}
            value => {
                let (guarded, harmless) = match known {
                    true => (Vec::new(), true),
                    false => guard::sort_out(&name, node.line, &value),
                };
                list.push(Entry { name, line: node.line, raw: raw(value), guarded, harmless });
            }
        }
    }
}

/// Whether the table has a setting or a section of this name.
fn is_setting(name: &str) -> bool {
    keys::find(name).is_some() || keys::is_section(name)
}

fn raw(value: yaml::Value) -> Raw {
    match value {
        yaml::Value::Null => Raw::Other("nothing"),
        yaml::Value::Scalar(text) => Raw::Scalar(text),
        yaml::Value::Mapping(_) => Raw::Other("a mapping"),
        yaml::Value::Sequence(nodes) => {
            texts(&nodes).map_or(Raw::Other("a list of something else than texts"), Raw::List)
        }
    }
}

/// The items of a list of nothing but texts.
pub(super) fn texts(nodes: &[yaml::Node]) -> Option<Vec<String>> {
    let text = |node: &yaml::Node| match &node.value {
        yaml::Value::Scalar(text) => Some(text.clone()),
        _ => None,
    };
    nodes.iter().map(text).collect()
}

/// Reads a file's text, with a mark of its encoding or without.
pub(super) fn parse(text: &str) -> Result<yaml::Node, yaml::YamlError> {
    yaml::parse(text.strip_prefix('\u{feff}').unwrap_or(text), &yaml::Budget::default())
}

/// Reads the repository's file, never through a link that leads out of the repository.
///
/// # Errors
/// When it is there but no regular UTF-8 file within bounds, beneath the root.
pub fn read_repository_file(root: &Path) -> Result<Option<ConfigFile>, ConfigError> {
    let shown = Path::new(REPOSITORY_FILE);
    let io = |cause| ConfigError::Io { path: shown.to_owned(), source: cause };
    let opened = Folder::open(root).and_then(|root| match root.read(shown) {
        // The user's own, perhaps.
        Err(cause) if is_link(&cause) => root.read(&root.resolve(shown)?),
        read => read,
    });
    match opened {
        Ok((file, _)) => whole(file, shown).map(Some),
        Err(cause) if absent(&cause) || is_placeholder(&root.join(shown)) => Ok(None),
        Err(cause) => Err(match refusal(&cause) {
            Some(Refusal::NotAFile) => ConfigError::NoFile { path: shown.to_owned() },
            Some(Refusal::Outside { .. }) => ConfigError::Outside { path: shown.to_owned() },
            _ => io(cause),
        }),
    }
}

fn read_file(path: &Path) -> Result<Option<ConfigFile>, ConfigError> {
    let io = |cause| ConfigError::Io { path: path.to_owned(), source: cause };
    // Looked at before opening, since opening a pipe may wait for ever, and again afterwards.
    let before = match path.metadata() {
        Ok(before) => before,
        Err(cause) if absent(&cause) => return Ok(None),
        Err(cause) => return Err(io(cause)),
    };
    if is_placeholder(path) {
        return Ok(None);
    }
    if !before.is_file() {
        return Err(ConfigError::NoFile { path: path.to_owned() });
    }
    let file = File::open(path).map_err(io)?;
    if !file.metadata().map_err(io)?.is_file() {
        return Err(ConfigError::NoFile { path: path.to_owned() });
    }
    whole(file, path).map(Some)
}

fn whole(file: File, shown: &Path) -> Result<ConfigFile, ConfigError> {
    let io = |cause| ConfigError::Io { path: shown.to_owned(), source: cause };
    let too_large = || ConfigError::TooLarge { path: shown.to_owned(), cap: MAX_FILE_BYTES };
    let bytes = read_capped(file, MAX_FILE_BYTES).map_err(io)?.ok_or_else(too_large)?;
    let text =
        String::from_utf8(bytes).map_err(|_| ConfigError::NoText { path: shown.to_owned() })?;
    Ok(ConfigFile { path: shown.to_owned(), text })
}

/// Whether settings hold a mark with which git parts what two sides say differently. One is enough:
/// whoever settles a conflict may have taken the others out already, and no setting begins like it.
pub fn has_conflict_marks(text: &str) -> bool {
    let marks = ["<<<<<<<", "|||||||", "=======", ">>>>>>>"];
    text.lines().any(|line| {
        let rest = marks.iter().find_map(|mark| line.strip_prefix(mark));
        rest.is_some_and(|rest| rest.starts_with(' ') || rest.trim_end().is_empty())
    })
}

pub(super) fn absent(cause: &io::Error) -> bool {
    matches!(cause.kind(), io::ErrorKind::NotFound | io::ErrorKind::NotADirectory)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn variables(pairs: &[(&str, &str)]) -> BTreeMap<String, String> {
        pairs.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned())).collect()
    }

    #[test]
    #[cfg(unix)]
    fn finds_the_users_file() {
        for (pairs, expected) in [
            (&[("XDG_CONFIG_HOME", "/x"), ("HOME", "/h")][..], Some("/x/elophanto/config.yaml")),
            (&[("XDG_CONFIG_HOME", "x"), ("HOME", "/h")], Some("/h/.config/elophanto/config.yaml")),
            (&[("XDG_CONFIG_HOME", "")], None),
            (&[], None),
        ] {
            assert_eq!(user_file(&variables(pairs)), expected.map(PathBuf::from));
        }
    }

    #[test]
    fn reads_both_files() {
        let folder = tempfile::tempdir().unwrap();
        let root = folder.path().join("repo");
        std::fs::create_dir_all(root.join(".elophanto")).unwrap();
        let home = variables(&[("XDG_CONFIG_HOME", folder.path().to_str().unwrap())]);
        let none = Layers::read(&root, &|| None, home.clone(), vec![]).unwrap();
        assert!(none.user.is_none() && none.repository.is_none());

        std::fs::write(root.join(REPOSITORY_FILE), "a: b").unwrap();
        std::fs::create_dir_all(folder.path().join("elophanto")).unwrap();
        std::fs::write(folder.path().join("elophanto/config.yaml"), "c: d").unwrap();
        let both = Layers::read(&root, &|| None, home, vec![]).unwrap();
        assert_eq!(both.user.unwrap().text, "c: d");
        assert_eq!(both.repository.unwrap().path, Path::new(REPOSITORY_FILE));
    }

    #[test]
    fn refuses_what_is_no_plain_file_within_bounds() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join(REPOSITORY_FILE);
        let read = || {
            let read = Layers::read(folder.path(), &|| None, BTreeMap::new(), vec![]);
            read.unwrap_err().to_string()
        };
        std::fs::create_dir_all(&path).unwrap();
        assert_eq!(read(), ".elophanto/config.yaml: not a regular file");
        std::fs::remove_dir(&path).unwrap();
        std::fs::write(&path, "#".repeat(300_000)).unwrap();
        assert_eq!(read(), ".elophanto/config.yaml: larger than 65536 bytes");
        std::fs::write(&path, b"\xff").unwrap();
        assert_eq!(read(), ".elophanto/config.yaml: not UTF-8 text");
    }

    #[test]
    #[cfg(unix)]
    fn refuses_a_link_that_leads_out() {
        let folder = tempfile::tempdir().unwrap();
        let root = folder.path().join("repo");
        std::fs::create_dir_all(root.join(".elophanto")).unwrap();
        std::fs::write(folder.path().join("secret"), "a: b").unwrap();
        std::os::unix::fs::symlink("../../secret", root.join(REPOSITORY_FILE)).unwrap();
        let error = Layers::read(&root, &|| None, BTreeMap::new(), vec![]).unwrap_err();
        assert!(matches!(error, ConfigError::Outside { .. }), "{error}");
    }

    #[test]
    fn in_a_conflict_our_side_counts() {
        let folder = tempfile::tempdir().unwrap();
        let root = folder.path();
        std::fs::create_dir_all(root.join(".elophanto")).unwrap();
        let read = |text: &str, ours: Option<&str>| {
            std::fs::write(root.join(REPOSITORY_FILE), text).unwrap();
            let ours = || ours.map(|ours| ours.as_bytes().to_vec());
            let layers = Layers::read(root, &ours, BTreeMap::new(), vec![])?;
            Ok::<_, ConfigError>((layers.repository.unwrap().text, layers.in_conflict))
        };
        let marked = "<<<<<<< HEAD\na: b\n=======\na: c\n>>>>>>> other\n";
        assert_eq!(read(marked, Some("a: b\n")).unwrap(), ("a: b\n".to_owned(), true));
        assert_eq!(read("a: c\n", Some("a: b\n")).unwrap(), ("a: c\n".to_owned(), false));
        let error = read(marked, None).unwrap_err();
        assert!(matches!(error, ConfigError::Marked { .. }), "{error}");
        assert_eq!(read("a: b\r\n=======\r", Some("a: b\n")).unwrap().0, "a: b\n");
        let begun = "a: b\n=======\na: c\n>>>>>>> other\n";
        assert_eq!(read(begun, Some("a: b\n")).unwrap(), ("a: b\n".to_owned(), true));
        for text in ["# <<<<<<< a\n# =======\n", "a: |\n  =======\n", "========\n", ""] {
            assert!(!has_conflict_marks(text), "{text}");
        }
    }
}
