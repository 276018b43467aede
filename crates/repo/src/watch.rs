//! What elophanto itself writes into a work tree is told to those who watch it.
//!
//! A run of the agent sees what has changed while a program ran, but not who changed it. Another
//! elophanto may have written a note meanwhile, which is none of the run's. So each run at work
//! keeps a file in its folder, and whoever is about to write adds a line to it first.

use std::{
    fs::{self, File},
    io::{self, Read, Write},
    path::{Path, PathBuf},
    sync::OnceLock,
};

use serde::{Deserialize, Serialize};

use super::Repository;
use elophanto_base::regular::{careful, open};

/// The file of those who are told, in the folder of a run.
const FILE: &str = "told";
/// Bytes of it that are read at once.
const MOST_BYTES: u64 = 16 * 1024 * 1024;

/// What somebody else is about to write, or has written.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Told {
    writer: String,
    /// Absolute.
    pub path: PathBuf,
    /// The BLAKE3 hash of the whole new content; without it, lines are added to a file there or
    /// below.
    pub digest: Option<[u8; 32]>,
}

/// The first line: who watches, and so needs not be told of its own writes.
#[derive(Debug, Serialize, Deserialize)]
struct Watcher {
    watcher: String,
}

/// Until it is dropped this process writes; then it tells once more, for those who have begun to
/// watch in between.
#[derive(Debug)]
#[must_use = "it is to be held until everything is written"]
pub struct Telling {
    runs: PathBuf,
    line: Vec<u8>,
}

/// Tells all who watch that this process is about to write `content` to a path (relative to the
/// root), or, without it, to add lines to a file there or below. Best effort: the write does not
/// depend on it.
pub fn tell(repository: &Repository, path: &Path, content: Option<&[u8]>) -> Telling {
    let told = Told {
        writer: this_process().to_owned(),
        path: repository.root.join(path),
        digest: content.map(|content| *blake3::hash(content).as_bytes()),
    };
    let telling = Telling { runs: repository.runs_dir(), line: line(&told) };
    telling.tell();
    telling
}

impl Telling {
    fn tell(&self) {
        let Ok(runs) = fs::read_dir(&self.runs) else { return };
        for run in runs.flatten() {
            let file = run.path().join(FILE);
            // There is one only as long as somebody watches.
            if let Ok(mut file) = careful().append(true).open(file) {
                let _ = file.write_all(&self.line);
            }
        }
    }
}

impl Drop for Telling {
    fn drop(&mut self) {
        self.tell();
    }
}

/// Begins to watch, in the folder of a run.
///
/// # Errors
/// When the file cannot be made.
pub fn watch(run: &Path) -> io::Result<()> {
    let first = line(&Watcher { watcher: this_process().to_owned() });
    File::create_new(run.join(FILE))?.write_all(&first)
}

/// How much has been told so far, in bytes.
pub fn told_bytes(run: &Path) -> u64 {
    fs::symlink_metadata(run.join(FILE)).map_or(0, |file| file.len())
}

/// What others than the process that watches have told since there were so many bytes. What cannot
/// be read is left out.
pub fn told_since(run: &Path, bytes: u64) -> Vec<Told> {
    let mut text = Vec::new();
    let read = open(&run.join(FILE)).and_then(|file| file.take(MOST_BYTES).read_to_end(&mut text));
    if read.is_err() {
        return Vec::new();
    }
    let first = text.split(|&byte| byte == b'\n').next().unwrap_or_default();
    let watcher = serde_json::from_slice::<Watcher>(first).map(|it| it.watcher).unwrap_or_default();
    let since = text.get(usize::try_from(bytes).unwrap_or(usize::MAX)..).unwrap_or_default();
    let lines = since.split(|&byte| byte == b'\n');
    let told = lines.filter_map(|line| serde_json::from_slice::<Told>(line).ok());
    told.filter(|told| told.writer != watcher).collect()
}

/// A name of this process that no other has had or will have.
fn this_process() -> &'static str {
    static NAME: OnceLock<String> = OnceLock::new();
    NAME.get_or_init(|| ulid::Ulid::new().to_string())
}

fn line(record: &impl Serialize) -> Vec<u8> {
    let mut line = serde_json::to_vec(record).unwrap_or_default();
    line.push(b'\n');
    line
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn others_are_heard_from_where_one_began_to_listen() {
        let folder = tempfile::tempdir().unwrap();
        let root = folder.path().to_owned();
        let repository = Repository { root: root.clone(), git_dir: None, common_dir: None };
        let run = repository.runs_dir().join("run");
        // Nobody watches before the first write; by its end somebody does.
        let telling = tell(&repository, Path::new("a.md"), Some(b"text"));
        fs::create_dir_all(&run).unwrap();
        watch(&run).unwrap();
        assert!(watch(&run).is_err());
        let begun = told_bytes(&run);
        drop(telling);
        assert!(told_bytes(&run) > begun);
        assert!(told_since(&run, begun).is_empty(), "our own words are no news");
        // As if another process watched: the same, read after a crash.
        let text = fs::read_to_string(run.join(FILE)).unwrap();
        let (_, told) = text.split_once('\n').unwrap();
        let first = String::from_utf8(line(&Watcher { watcher: "another".to_owned() })).unwrap();
        fs::write(run.join(FILE), format!("{first}no JSON\n{told}")).unwrap();
        let digest = Some(*blake3::hash(b"text").as_bytes());
        let expected = Told { writer: this_process().to_owned(), path: root.join("a.md"), digest };
        assert_eq!(told_since(&run, 0), std::slice::from_ref(&expected));
        assert_eq!(told_since(&run, first.len() as u64), [expected]);
        assert!(told_since(&run, told_bytes(&run)).is_empty());
        assert!(told_since(&run, u64::MAX).is_empty());
    }
}
