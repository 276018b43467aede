//! What elophanto itself writes into a work tree is told to those who watch it.
//!
//! A run of the agent sees what has changed while a program ran, but not who changed it. Another
//! elophanto may have written a note meanwhile, which is none of the run's. So each run at work
//! keeps a file in its folder, and whoever is about to write adds a line to it first.

use std::{
    fs::{self, File, OpenOptions},
    io::{self, Read, Seek, SeekFrom, Write},
    os::unix::fs::OpenOptionsExt,
    path::{Path, PathBuf},
};

use serde::{Deserialize, Serialize};

use super::Repository;

/// The file of those who are told, in the folder of a run.
const FILE: &str = "told";
/// Bytes of it that are read at once.
const MOST_BYTES: u64 = 16 * 1024 * 1024;

/// What somebody else is about to write, or has written.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Told {
    writer: u32,
    /// Absolute.
    pub path: PathBuf,
    /// The BLAKE3 hash of the whole new content; without it, something is added there or below.
    pub digest: Option<[u8; 32]>,
}

/// Tells all who watch that this process is about to write `content` to a path (relative to the
/// root), or, without it, to add to something there or below. Best effort: the write does not
/// depend on it.
pub fn tell(repository: &Repository, path: &Path, content: Option<&[u8]>) {
    let Ok(runs) = fs::read_dir(repository.runs_dir()) else { return };
    let told = Told {
        writer: std::process::id(),
        path: repository.root.join(path),
        digest: content.map(|content| *blake3::hash(content).as_bytes()),
    };
    let Ok(mut line) = serde_json::to_vec(&told) else { return };
    line.push(b'\n');
    let flags = libc::O_NOFOLLOW | libc::O_NONBLOCK;
    for run in runs.flatten() {
        let file = run.path().join(FILE);
        // There is one only as long as somebody watches.
        if let Ok(mut file) = OpenOptions::new().append(true).custom_flags(flags).open(file) {
            let _ = file.write_all(&line);
        }
    }
}

/// Begins to watch, in the folder of a run.
///
/// # Errors
/// When the file cannot be made.
pub fn watch(run: &Path) -> io::Result<()> {
    File::create_new(run.join(FILE)).map(drop)
}

/// How much has been told so far, in bytes.
pub fn told_bytes(run: &Path) -> u64 {
    fs::symlink_metadata(run.join(FILE)).map_or(0, |file| file.len())
}

/// What other processes have told since there were so many bytes. What cannot be read is left out.
pub fn told_since(run: &Path, bytes: u64) -> Vec<Told> {
    let mut text = Vec::new();
    let read = File::open(run.join(FILE)).and_then(|mut file| {
        file.seek(SeekFrom::Start(bytes))?;
        file.take(MOST_BYTES).read_to_end(&mut text)
    });
    if read.is_err() {
        return Vec::new();
    }
    let lines = text.split(|&byte| byte == b'\n');
    let told = lines.filter_map(|line| serde_json::from_slice::<Told>(line).ok());
    told.filter(|told| told.writer != std::process::id()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn others_are_heard_from_where_one_began_to_listen() {
        let folder = tempfile::tempdir().unwrap();
        let root = folder.path().to_owned();
        let repository = Repository { root: root.clone(), git_dir: None, common_dir: None };
        // Nobody watches.
        tell(&repository, Path::new("a.md"), Some(b"text"));
        let run = repository.runs_dir().join("run");
        fs::create_dir_all(&run).unwrap();
        watch(&run).unwrap();
        assert!(watch(&run).is_err());
        tell(&repository, Path::new("b.md"), Some(b"text"));
        assert!(told_since(&run, 0).is_empty(), "our own words are no news");
        let own = fs::read_to_string(run.join(FILE)).unwrap();
        let others = own.replace(&format!("\"writer\":{}", std::process::id()), "\"writer\":1");
        fs::write(run.join(FILE), format!("{own}no JSON\n{others}")).unwrap();
        let digest = Some(*blake3::hash(b"text").as_bytes());
        let told = Told { writer: 1, path: root.join("b.md"), digest };
        assert_eq!(told_since(&run, 0), [told]);
        assert!(told_since(&run, told_bytes(&run)).is_empty());
    }
}
