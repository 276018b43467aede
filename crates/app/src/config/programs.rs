//! Programs of the repository that its settings have run: what they say belongs to what is trusted.
//!
//! A line of settings is a program with its arguments. Whichever of its words names a file of the repository,
//! that file is looked at, also within a word: `sh -c 'cd tools && ./find.sh | sort'`. What such a file loads in
//! turn no line tells, nor what `make find` or `python3 tools` runs.

use std::{
    collections::BTreeSet,
    path::{Component, Path, PathBuf},
};

use super::{
    kind::Raw,
    layers::{ConfigFile, entries},
    trust::{TrustStore, digest},
};
use elophanto_base::{
    beneath::{Folder, is_link},
    regular::read_capped,
};

/// Settings that have a program run outside of any sandbox.
const RUN: &[&str] = &["learn.command", "notify.program"];
/// One whose program runs as commands of the agent do, which change files of the repository all the time.
const IN_SANDBOX: &[&str] = &["agent.check"];
/// Largest file that can be trusted, in bytes.
const MOST_BYTES: u64 = 64 * 1024 * 1024;

/// A file that settings have run.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Program {
    /// Relative to the root; through a link only where that leads out of the repository.
    pub path: PathBuf,
    /// Digest of what it says, or of where the link leads; `None` where that cannot be read.
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
    let program = |path: PathBuf| Program { digest: digest_of(root, &path), path };
    let named = named_by(root, file, RUN);
    let paths: BTreeSet<PathBuf> = named.into_iter().flat_map(|(_, paths)| paths).collect();
    paths.into_iter().map(program).collect()
}

/// Settings that have something run and name no file of the repository: trusted is that it runs, whatever it
/// finds there.
pub fn run_unseen(root: &Path, file: &ConfigFile) -> Vec<String> {
    let named = named_by(root, file, RUN).into_iter();
    named.filter(|(_, paths)| paths.is_empty()).map(|(setting, _)| setting).collect()
}

/// Files of the repository that run in the agent's sandbox: trusted is that they run.
pub fn run_in_sandbox(root: &Path, file: &ConfigFile) -> Vec<PathBuf> {
    let named = named_by(root, file, IN_SANDBOX);
    named.into_iter().flat_map(|(_, paths)| paths).collect()
}

/// Those of these settings that say something, each with the files that it names.
fn named_by(root: &Path, file: &ConfigFile, settings: &[&str]) -> Vec<(String, BTreeSet<PathBuf>)> {
    let Ok(root) = root.canonicalize() else { return Vec::new() };
    let lines = entries(file).unwrap_or_default().into_iter();
    let lines = lines.filter(|entry| settings.contains(&entry.name.as_str()));
    let named = lines.filter_map(|entry| match entry.raw {
        Raw::Scalar(line) if line != "none" => Some((entry.name, named(&root, &line))),
        _ => None,
    });
    named.collect()
}

/// Files below the root that a line names, from there or from a folder that it names as well.
fn named(root: &Path, line: &str) -> BTreeSet<PathBuf> {
    let words = shlex::split(line).unwrap_or_default();
    let is_between = |char: char| " \t\n;|&()<>='\"`:,{}".contains(char);
    let parts = words.iter().flat_map(|word| word.split(is_between)).flat_map(|part| {
        // Behind a variable, or what a command says: the top of the repository.
        let behind =
            part.split_once('$').map(|(_, rest)| rest.trim_start_matches(|char: char| char != '/'));
        let behind = behind.unwrap_or(part);
        [part, behind.trim_start_matches('/')]
    });
    let names: BTreeSet<&str> = words.iter().map(String::as_str).chain(parts).collect();
    let places: Vec<PathBuf> = names.iter().map(|name| root.join(name)).collect();
    let folders = places.iter().filter(|place| plain(place).starts_with(root) && place.is_dir());
    let from_folders = folders.flat_map(|folder| names.iter().map(|name| folder.join(name)));
    from_folders.chain(places.clone()).filter_map(|place| below(root, &place)).collect()
}

/// The file at a place, from the root: where links lead to, or where they stand if that is out of it.
fn below(root: &Path, place: &Path) -> Option<PathBuf> {
    let real = place.canonicalize().ok().filter(|real| real.is_file())?;
    let plain = plain(place);
    // Behind a link `..` leads elsewhere than it reads: what stands so is read by nobody.
    let is_same = plain.canonicalize().is_ok_and(|it| it == real);
    let place = if is_same { plain } else { place.to_owned() };
    let below = real.strip_prefix(root).or_else(|_| place.strip_prefix(root));
    below.ok().map(Path::to_owned)
}

/// A path as it reads without dots.
fn plain(path: &Path) -> PathBuf {
    path.components().fold(PathBuf::new(), |mut plain, component| {
        match component {
            Component::CurDir => {}
            Component::ParentDir => drop(plain.pop()),
            component => plain.push(component),
        }
        plain
    })
}

fn digest_of(root: &Path, path: &Path) -> Option<String> {
    let folder = Folder::open(root).ok()?;
    match folder.read(path) {
        Err(cause) if is_link(&cause) => {
            let real = root.join(path).canonicalize().ok()?;
            // No file says that of which a name begins with a NUL.
            Some(digest(&[&b"\0"[..], real.as_os_str().as_encoded_bytes()].concat()))
        }
        read => Some(digest(&read_capped(read.ok()?.0, MOST_BYTES).ok()??)),
    }
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
        std::os::unix::fs::symlink("/bin/sh", root.join("out")).unwrap();
        fs::write(folder.path().join("x"), "").unwrap();
        for (line, expected) in [
            ("sh tools/find.sh --all", &["tools/find.sh"][..]),
            ("./tools/find.sh", &["tools/find.sh"]),
            ("sh tools/link", &["tools/find.sh"]),
            ("sh 'tools/a b.sh'", &["tools/a b.sh"]),
            ("sh -c 'cat \"tools/find.sh\"|sh'", &["tools/find.sh"]),
            ("x --with=tools/find.sh", &["tools/find.sh", "x"]),
            ("sh -c 'cd tools && ./find.sh'", &["tools/find.sh"]),
            ("sh -c '$PWD/tools/find.sh'", &["tools/find.sh"]),
            ("sh -c '$(git rev-parse --show-toplevel)/tools/find.sh'", &["tools/find.sh"]),
            ("env PATH=tools:/bin find.sh", &["tools/find.sh"]),
            ("out -c true", &["out"]),
            ("./tools/../out -c true", &["out"]),
            ("/bin/sh tools tools/none", &[]),
            ("make find ../x", &[]),
            ("sh 'tools/find.sh", &[]),
        ] {
            let text = format!("learn.command: {line:?}\n");
            let file = ConfigFile { path: "x".into(), text };
            let found = programs(root, &file);
            let paths: Vec<_> = found.iter().map(Program::file).collect();
            assert_eq!(paths, expected, "{line}");
            assert!(found.iter().all(|it| it.digest.is_some()));
            assert_eq!(run_unseen(root, &file).is_empty(), !expected.is_empty(), "{line}");
        }
    }

    #[test]
    fn a_link_that_leads_elsewhere_is_another_program() {
        let folder = tempfile::tempdir().unwrap();
        let (root, link) = (folder.path(), folder.path().join("out"));
        let file = ConfigFile { path: "x".into(), text: "notify.program: ./out\n".to_owned() };
        let digests = ["/bin/sh", "/bin/cat", "/bin/sh"].map(|real| {
            let _ = fs::remove_file(&link);
            std::os::unix::fs::symlink(real, &link).unwrap();
            programs(root, &file).remove(0).digest.unwrap()
        });
        assert_ne!(digests[0], digests[1]);
        assert_eq!(digests[0], digests[2]);
        fs::remove_file(&link).unwrap();
        fs::write(&link, Path::new("/bin/sh").canonicalize().unwrap().to_str().unwrap()).unwrap();
        assert_ne!(programs(root, &file)[0].digest.as_ref(), Some(&digests[0]));
    }
}
