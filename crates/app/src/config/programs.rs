//! Programs of the repository that its settings have run: what they say belongs to what is trusted.
//!
//! A line of settings is a program with its arguments. Whichever of its words names a file of the repository,
//! that file is looked at, also within a word: `sh -c 'tools/find.sh | sort'`. What such a file loads in turn
//! no line tells.

use std::path::{Path, PathBuf};

use super::{
    kind::Raw,
    layers::{ConfigFile, entries},
    trust::{TrustStore, digest},
};
use elophanto_base::{beneath::Folder, regular::read_capped};

/// Settings that have a program run outside of any sandbox.
const RUN: &[&str] = &["learn.command", "notify.program"];
/// One whose program runs as commands of the agent do, which change files of the repository all the time.
const IN_SANDBOX: &[&str] = &["agent.check"];
/// Largest file that can be trusted, in bytes.
const MOST_BYTES: u64 = 64 * 1024 * 1024;

/// A file that settings have run.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Program {
    /// Relative to the root, through no link.
    pub path: PathBuf,
    /// Digest of what it says; `None` where that cannot be read.
    pub digest: Option<String>,
}

impl Program {
    /// The name under which a content of it is trusted.
    pub fn file(&self) -> String {
        self.path.to_string_lossy().into_owned()
    }

    /// Whether it is trusted as it is.
    pub fn is_trusted(&self, store: &TrustStore, root: &Path) -> bool {
        let digest = self.digest.as_ref();
        digest.is_some_and(|digest| store.trusts_digest(root, &self.file(), digest))
    }
}

/// Files of the repository that its settings have run, in the order of their paths: trusted is what they say.
pub fn programs(root: &Path, file: &ConfigFile) -> Vec<Program> {
    let Ok(root) = root.canonicalize() else { return Vec::new() };
    let program = |path: PathBuf| Program { digest: digest_of(&root, &path), path };
    files(&root, file, RUN).into_iter().map(program).collect()
}

/// The same of those that run in the agent's sandbox: trusted is that they run.
pub fn run_in_sandbox(root: &Path, file: &ConfigFile) -> Vec<PathBuf> {
    let Ok(root) = root.canonicalize() else { return Vec::new() };
    files(&root, file, IN_SANDBOX)
}

fn files(root: &Path, file: &ConfigFile, settings: &[&str]) -> Vec<PathBuf> {
    let lines = entries(file).unwrap_or_default().into_iter();
    let lines = lines.filter(|entry| settings.contains(&entry.name.as_str()));
    let mut paths: Vec<PathBuf> = lines
        .filter_map(|entry| match entry.raw {
            Raw::Scalar(line) => Some(line),
            _ => None,
        })
        .flat_map(|line| named(root, &line))
        .collect();
    paths.sort();
    paths.dedup();
    paths
}

/// Files below the root that a line names.
fn named(root: &Path, line: &str) -> Vec<PathBuf> {
    let words = shlex::split(line).unwrap_or_default();
    let parts =
        words.iter().flat_map(|word| word.split(|char: char| " \t\n;|&()<>='\"`".contains(char)));
    let names = words.iter().map(String::as_str).chain(parts).filter(|name| !name.is_empty());
    let real = names.filter_map(|name| root.join(name).canonicalize().ok());
    let below = real.filter_map(|path| Some(path.strip_prefix(root).ok()?.to_owned()));
    below.filter(|path| root.join(path).is_file()).collect()
}

fn digest_of(root: &Path, path: &Path) -> Option<String> {
    let (file, _) = Folder::open(root).ok()?.read(path).ok()?;
    Some(digest(&read_capped(file, MOST_BYTES).ok()??))
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;

    #[test]
    fn files_that_a_line_names_are_found() {
        let folder = tempfile::tempdir().unwrap();
        let root = folder.path();
        fs::create_dir(root.join("tools")).unwrap();
        for name in ["tools/find.sh", "tools/a b.sh"] {
            fs::write(root.join(name), name).unwrap();
        }
        std::os::unix::fs::symlink("find.sh", root.join("tools/link")).unwrap();
        fs::write(folder.path().join("x"), "").unwrap();
        for (line, expected) in [
            ("sh tools/find.sh --all", &["tools/find.sh"][..]),
            ("./tools/find.sh", &["tools/find.sh"]),
            ("sh tools/link", &["tools/find.sh"]),
            ("sh 'tools/a b.sh'", &["tools/a b.sh"]),
            ("sh -c 'cat \"tools/find.sh\"|sh'", &["tools/find.sh"]),
            ("x --with=tools/find.sh", &["tools/find.sh", "x"]),
            ("/bin/sh tools tools/none ../x", &[]),
            ("sh 'tools/find.sh", &[]),
        ] {
            let text = format!("learn.command: {line:?}\n");
            let file = ConfigFile { path: "x".into(), text };
            let found = programs(root, &file);
            let paths: Vec<_> = found.iter().map(Program::file).collect();
            assert_eq!(paths, expected, "{line}");
            assert!(found.iter().all(|it| it.digest.is_some()));
        }
    }
}
