//! What git told of drifts, as it is remembered between runs: commits never change.

use std::{io, path::Path};

use rustc_hash::FxHashMap;

use super::{
    codec::{Malformed, Reader, Result, Writer, unseal},
    container::{read_whole, write_whole},
};
use crate::drift::{Later, Told};
use elophanto_repo::{CommitId, history::History};

const MAGIC: &[u8; 8] = b"ELODRI01";
/// Answers that are kept.
const MOST: usize = 4_096;

/// What was asked: since which commit, of which files.
pub type Asked = (CommitId, Vec<u8>);
/// What git told of each.
pub type Answers = FxHashMap<Asked, Told>;

/// What is remembered in `file` of a history at its HEAD; nothing where that is damaged.
pub fn load(file: &Path, history: &History) -> Answers {
    read_whole(file).ok().and_then(|bytes| from_bytes(&bytes, history).ok()).unwrap_or_default()
}

/// Remembers it.
///
/// # Errors
/// When the file cannot be written; it is then as it was.
pub fn save(file: &Path, history: &History, answers: &Answers) -> io::Result<()> {
    write_whole(file, &to_bytes(history, answers))
}

fn to_bytes(history: &History, answers: &Answers) -> Vec<u8> {
    let mut out = Writer::begin(MAGIC);
    out.block(history.head.as_ref().map_or(&[][..], CommitId::as_bytes));
    out.block(history.coverage.as_bytes());
    out.varint(answers.len().min(MOST) as u64);
    for ((since, files), Told { commits, total }) in answers.iter().take(MOST) {
        out.block(since.as_bytes());
        out.block(files);
        out.varint(*total as u64);
        out.varint(commits.len() as u64);
        for Later { id, time, subject } in commits {
            out.block(id.as_bytes());
            out.i64(*time);
            out.block(subject.as_bytes());
        }
    }
    out.seal()
}

/// Of another HEAD, or of a clone that has become deeper, nothing holds.
fn from_bytes(bytes: &[u8], history: &History) -> Result<Answers> {
    let mut reader = unseal(MAGIC, bytes)?;
    let head = history.head.as_ref().map_or(&[][..], CommitId::as_bytes);
    if reader.block()? != head || reader.text()? != history.coverage {
        return Ok(Answers::default());
    }
    let id = |reader: &mut Reader| CommitId::from_bytes(reader.block()?).ok_or(Malformed);
    let mut answers = Answers::default();
    for _ in 0..reader.size()? {
        let asked = (id(&mut reader)?, reader.block()?.to_vec());
        let total = reader.size()?;
        let mut commits = Vec::new();
        for _ in 0..reader.size()? {
            let (id, time) = (id(&mut reader)?, reader.i64()?);
            commits.push(Later { id, time, subject: reader.text()?.to_owned() });
        }
        answers.insert(asked, Told { commits, total });
    }
    Ok(answers)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::store::check_damage;

    fn id(digit: u8) -> CommitId {
        CommitId::from_bytes(&[digit; 20]).unwrap()
    }

    fn at(head: u8) -> History {
        History { head: Some(id(head)), coverage: "all".to_owned(), ..History::default() }
    }

    fn sample() -> Answers {
        let later =
            |digit, subject: &str| Later { id: id(digit), time: -5, subject: subject.to_owned() };
        let told = Told { commits: vec![later(2, "a b"), later(3, "")], total: 9 };
        let nothing = Told { commits: Vec::new(), total: 0 };
        [((id(1), b"src\0".to_vec()), told), ((id(4), Vec::new()), nothing)].into_iter().collect()
    }

    #[test]
    fn what_is_remembered_holds_of_one_history() {
        let bytes = to_bytes(&at(7), &sample());
        assert_eq!(from_bytes(&bytes, &at(7)), Ok(sample()));
        assert_eq!(from_bytes(&bytes, &at(8)), Ok(Answers::default()));
        let deeper = History { coverage: "more".to_owned(), ..at(7) };
        assert_eq!(from_bytes(&bytes, &deeper), Ok(Answers::default()));
    }

    #[test]
    fn every_flipped_bit_and_every_cut_is_noticed() {
        check_damage(&to_bytes(&at(7), &sample()), |bytes| from_bytes(bytes, &at(7)));
    }
}
