//! Reading a plugin's folder: beneath the root, regular files only, bounded.

use std::{io, path::Path};

use super::{
    Declared, FOLDER, MAX_BYTES, MAX_FILES, MAX_LISTED, MAX_README_BYTES, PluginError, PluginFile,
    check_name, hash, is_file_path,
};
use elophanto_base::{
    beneath::{Folder, Kind, is_link},
    platform,
    regular::read_capped,
};

/// What programs leave behind: it belongs to no plugin, is not hashed and never copied.
pub const LEFT_OUT: &[&str] = &["__pycache__", ".pytest_cache", ".DS_Store"];

/// A plugin as it was read at one moment, with all its files.
#[derive(Debug, Clone, PartialEq)]
pub struct Plugin {
    pub name: String,
    /// Sorted by path.
    pub files: Vec<PluginFile>,
    /// See [`hash`].
    pub hash: String,
    /// Path of the program within the plugin.
    pub program: String,
    /// Path of its tests within the plugin.
    pub test: String,
    /// What `schema.json` says.
    pub declared: Declared,
    /// Text of `README.md`.
    pub readme: String,
}

/// Reads `plugins/<name>` below the canonical `root` and holds it against the form of a plugin.
///
/// # Errors
/// When the name is not allowed, something of the form is missing or doubtful (a link, a name that
/// is not plain, a file that cannot be read), or a cap is hit.
pub fn examine(root: &Path, name: &str, built_in: &[&str]) -> Result<Plugin, PluginError> {
    check_name(name, built_in)?;
    let files = read_files(root, name)?;
    let test = one_named(&files, "test_plugin")?;
    let program = one_named(&files, "plugin")?;
    if !program.is_executable {
        return Err(wrong(&program.path, "not executable"));
    }
    let (program, test) = (program.path.clone(), test.path.clone());
    let readme = text_of(&files, "README.md")?;
    if readme.len() > MAX_README_BYTES {
        return Err(wrong("README.md", &format!("over the cap of {MAX_README_BYTES} bytes")));
    }
    let readme = readme.to_owned();
    let declared = Declared::parse(text_of(&files, "schema.json")?)?;
    let hash = hash(&files);
    Ok(Plugin { name: name.to_owned(), files, hash, program, test, declared, readme })
}

/// All files of `plugins/<name>` below the canonical `root`, sorted by path, whatever they are.
///
/// # Errors
/// As [`examine`], but for the form.
pub fn read_files(root: &Path, name: &str) -> Result<Vec<PluginFile>, PluginError> {
    // A link would lead out of the work tree or into another plugin.
    let top = Folder::open(root).and_then(|root| root.at(&Path::new(FOLDER).join(name)));
    let top = top.map_err(|cause| match cause.kind() {
        io::ErrorKind::NotADirectory => wrong(".", "not a folder but a link or a file"),
        _ if is_link(&cause) => wrong(".", "not a folder but a link or a file"),
        _ => PluginError::Missing { name: name.to_owned() },
    })?;
    let mut reading = Reading { top, files: Vec::new(), bytes: 0, listed: 0 };
    let mut waiting = vec![String::new()];
    while let Some(folder) = waiting.pop() {
        reading.folder(&folder, &mut waiting)?;
    }
    let mut files = reading.files;
    files.sort_by(|a, b| a.path.cmp(&b.path));
    Ok(files)
}

struct Reading {
    top: Folder,
    files: Vec<PluginFile>,
    bytes: usize,
    listed: usize,
}

impl Reading {
    fn folder(&mut self, folder: &str, waiting: &mut Vec<String>) -> Result<(), PluginError> {
        let failed = |cause: io::Error| wrong(folder, &cause.to_string());
        for entry in self.top.entries(Path::new(folder)).map_err(failed)? {
            let (name, kind) = entry.map_err(failed)?;
            self.listed += 1;
            if self.listed > MAX_LISTED {
                return Err(PluginError::Cap { max: MAX_LISTED, what: "entries" });
            }
            let shown = name.to_string_lossy();
            if LEFT_OUT.contains(&&*shown) {
                continue;
            }
            let path = match folder {
                "" => shown.into_owned(),
                folder => format!("{folder}/{shown}"),
            };
            if !is_file_path(&path) || name.to_str().is_none() {
                return Err(wrong(&path, "not a plain path"));
            }
            match kind {
                Kind::Folder => waiting.push(path),
                Kind::File => self.file(&path)?,
                _ => return Err(wrong(&path, "neither a file nor a folder")),
            }
        }
        Ok(())
    }

    fn file(&mut self, path: &str) -> Result<(), PluginError> {
        if self.files.len() >= MAX_FILES {
            return Err(PluginError::Cap { max: MAX_FILES, what: "files" });
        }
        let failed = |cause: io::Error| wrong(path, &cause.to_string());
        let (file, metadata) = self.top.read(Path::new(path)).map_err(failed)?;
        let left = MAX_BYTES - self.bytes;
        let bytes = read_capped(file, left as u64).map_err(failed)?;
        let bytes = bytes.ok_or(PluginError::Cap { max: MAX_BYTES, what: "bytes" })?;
        self.bytes += bytes.len();
        let is_executable = platform::is_executable(&metadata);
        self.files.push(PluginFile { path: path.to_owned(), is_executable, bytes });
        Ok(())
    }
}

/// The one file at the top that is called `stem` or `stem.<extension>`.
fn one_named<'a>(files: &'a [PluginFile], stem: &str) -> Result<&'a PluginFile, PluginError> {
    let is_it = |file: &&PluginFile| {
        let rest = file.path.strip_prefix(stem);
        rest.is_some_and(|rest| rest.is_empty() || (rest.starts_with('.') && !rest.contains('/')))
    };
    let mut found = files.iter().filter(is_it);
    match (found.next(), found.next()) {
        (Some(one), None) => Ok(one),
        (None, _) => Err(wrong(stem, "missing: the plugin has no file of this name")),
        (Some(_), Some(other)) => Err(wrong(&other.path, "more than one file of this name")),
    }
}

fn text_of<'a>(files: &'a [PluginFile], path: &str) -> Result<&'a str, PluginError> {
    let file = files.iter().find(|file| file.path == path).ok_or_else(|| wrong(path, "missing"))?;
    file.text().ok_or_else(|| wrong(path, "not UTF-8 text"))
}

fn wrong(path: &str, reason: &str) -> PluginError {
    let path = elophanto_base::one_line::one_line(path, 200);
    PluginError::File { path, reason: reason.to_owned() }
}
