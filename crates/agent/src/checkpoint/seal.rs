//! A run that is over, as a commit of git: its record and the contents to go back to.

use std::{
    collections::{BTreeMap, BTreeSet},
    fs,
};

use super::{
    CheckpointError, Checkpoints, Result, Uncovered, baseline, data,
    git_calls::{self, CHECKPOINTS, Contents, Holder},
    name::Name,
    private::{Private, is_private},
    record::{Event, Folded, Head, Line, Place, Scope, Sealed},
    run::{self, JOURNAL, caps},
    run_time,
    scope::Bare,
    seen::baseline_name,
    state::{Digest, State, WhyUncovered},
};
use elophanto_base::jsonl::{self, Fault};
use elophanto_repo::ObjectId;

/// The file of the record in the commit.
const RECORD: &str = "record.jsonl";
/// Begins the name of a folder that is being removed.
const GONE: &str = ".gone-";
/// The folder of the contents, each named by its digest.
const CONTENTS: &str = "contents";

/// Makes the commit and removes the folder of the run. A run that changed nothing leaves nothing.
pub(super) fn seal(
    at: &Checkpoints,
    run: &str,
    folded: &Folded,
    is_interrupted: bool,
) -> Result<()> {
    let folder = at.run_folder(run);
    let reference = reference(run);
    if !folded.is_empty() && elophanto_repo::reference(at.git, &reference)?.is_none() {
        let nets: Vec<_> = folded.net().cloned().collect();
        let mut held: BTreeMap<Digest, ObjectId> = BTreeMap::new();
        let mut contents = Contents::new(at.git);
        let mut added: Vec<Digest> = Vec::new();
        let mut known: BTreeSet<Digest> = BTreeSet::new();
        let private = Private::of(at, run);
        for net in &nets {
            let Some(digest) = net.was.digest().filter(|digest| !held.contains_key(digest)) else {
                continue;
            };
            match &net.place {
                Some(Place::Blob(id)) => {
                    held.insert(digest, *id);
                }
                Some(Place::Private) => private.share(&digest, &baseline::private(at))?,
                Some(place @ (Place::Data(_) | Place::Text(_))) => {
                    let is_private = is_private(at, net.path.as_path());
                    if !is_private && !known.insert(digest) {
                        continue;
                    }
                    let bytes = match (place, &net.was) {
                        (Place::Text(text), _) => text.clone().into_bytes(),
                        (Place::Data(from), State::File { size, .. }) => {
                            data::kept(&folder, *from, *size)?
                        }
                        _ => continue,
                    };
                    if Digest::of(&bytes) != digest {
                        let path = net.path.to_path();
                        let reason = format!("the content of `{}` has changed", path.display());
                        return Err(CheckpointError::damaged(run, reason));
                    }
                    if is_private {
                        private.keep(&digest, &bytes)?;
                    } else {
                        contents.add(bytes)?;
                        added.push(digest);
                    }
                }
                None => {}
            }
        }
        private.finish()?;
        held.extend(added.into_iter().zip(contents.finish()?));
        let head = Head {
            run: run.to_owned(),
            undoes: folded.undoes.clone(),
            is_interrupted,
            changes: nets.len(),
            moves: folded.moves.len(),
            uncovered: folded.uncovered.len(),
            root: Some(folded.root.clone()),
        };
        let encode = |line: &Line| serde_json::to_vec(line);
        let broken = |cause| CheckpointError::damaged(run, cause);
        let message = serde_json::to_vec(&head).map_err(broken)?;
        let mut lines = vec![Line::Head(head), Line::Root(folded.root.clone())];
        lines.extend(nets.into_iter().map(Line::Change));
        lines.extend(folded.moves.iter().cloned().map(Line::Move));
        let uncovered = folded.uncovered.iter().cloned();
        lines.extend(uncovered.map(|(path, why)| Line::Uncovered(path, why)));
        let mut record = Vec::new();
        for line in &lines {
            record.extend(encode(line).map_err(broken)?);
            record.push(b'\n');
        }
        // What the run has moved away from, and to, is to be found again.
        let ends = folded.moves.iter().flat_map(|moved| [&moved.new, &moved.old]);
        let parents: BTreeSet<String> = ends.flatten().cloned().collect();
        let with: Vec<_> =
            held.iter().map(|(digest, id)| (format!("{CONTENTS}/{digest}"), *id)).collect();
        let holder = Holder {
            reference: &reference,
            message: &message,
            time: run_time(run).map_or(0, |time| time.as_second()),
            parents: &parents.into_iter().collect::<Vec<_>>(),
            from: None,
            without: &[],
            with: &with,
            file: Some((RECORD, &record)),
        };
        if let Err(cause) = git_calls::hold(at.git, &holder) {
            // A git that the run started before it was killed may have come first.
            let sealed = elophanto_repo::reference(at.git, &reference)?;
            sealed.ok_or(cause)?;
        }
    }
    remove(at, run)
}

/// Removes the folder of a run, all of it or nothing: half of one could not be read.
pub(super) fn remove(at: &Checkpoints, run: &str) -> Result<()> {
    let folder = at.run_folder(run);
    let gone = at.folder.join(format!("{GONE}{run}"));
    fs::rename(&folder, &gone).map_err(CheckpointError::io(&folder, "removed"))?;
    fs::remove_dir_all(&gone).map_err(CheckpointError::io(&gone, "removed"))
}

/// Removes what is left of folders whose removal was interrupted.
fn remove_rests(at: &Checkpoints) {
    let entries = fs::read_dir(at.folder).into_iter().flatten().flatten();
    for entry in
        entries.filter(|entry| entry.file_name().as_encoded_bytes().starts_with(GONE.as_bytes()))
    {
        let _ = fs::remove_dir_all(entry.path());
    }
}

/// Seals the runs of this work tree that ended without saying so. The caller holds the lock. One
/// that cannot be sealed stays as it is, and hinders only those who want it.
pub(super) fn recover(at: &Checkpoints, wanted: &str) -> Result<()> {
    remove_rests(at);
    for run in unsealed(at) {
        match recover_one(at, &run) {
            Err(cause) if run == wanted => return Err(cause),
            _ => {}
        }
    }
    Ok(())
}

fn recover_one(at: &Checkpoints, run: &str) -> Result<()> {
    let mut folded = read_journal(at, run)?;
    if folded.root.as_bytes().is_empty() {
        // It had not even begun.
        return remove(at, run);
    }
    if folded.root != Name::from(at.git.root()) {
        return Ok(());
    }
    while let Some(open) = folded.open.last() {
        let baseline = match open.scope {
            Scope::All { baseline: number, .. } => {
                let file = at.run_folder(run).join(baseline_name(number));
                let broken = || CheckpointError::damaged(run, "its baseline cannot be read");
                Some(baseline::load(&file).ok_or_else(broken)?.with(folded.since(open)))
            }
            _ => None,
        };
        let folder = at.run_folder(run);
        let closed = run::close(at, &folder, open, baseline.as_ref(), &folded.moves)?;
        folded.take(closed, true);
    }
    let expected = folded.moves.last().map_or(&folded.head, |moved| &moved.new);
    if elophanto_repo::head(at.git)?.map(|id| id.to_string()) != *expected {
        folded.uncovered.insert((Name::new("HEAD"), WhyUncovered::Head));
    }
    seal(at, run, &folded, true)
}

/// Runs that have a folder, in their order.
pub(super) fn unsealed(at: &Checkpoints) -> Vec<String> {
    let Ok(entries) = fs::read_dir(at.folder) else { return Vec::new() };
    let names = entries.flatten().filter_map(|entry| entry.file_name().into_string().ok());
    let mut runs: Vec<_> = names.filter(|name| run_time(name).is_some()).collect();
    runs.sort_unstable();
    runs
}

/// What the journal of a run says so far.
pub(super) fn read_journal(at: &Checkpoints, run: &str) -> Result<Folded> {
    let mut folded = Folded::default();
    let read = jsonl::read::<Event>(&at.run_folder(run).join(JOURNAL), &caps())?;
    // Cut off at its end it is whole up to a moment before which nothing was acknowledged.
    let harmless = |fault: &Fault| matches!(fault, Fault::CutOff | Fault::NoFinalNewline);
    if let Some(damage) = read.damage.iter().find(|damage| !harmless(&damage.fault)) {
        return Err(CheckpointError::damaged(run, format!("line {} of its journal", damage.line)));
    }
    read.into_records().for_each(|event| folded.take(event, false));
    Ok(folded)
}

/// The record of a sealed run.
pub(super) fn read_record(at: &Checkpoints, run: &str) -> Result<Sealed> {
    let bytes = git_calls::content(at.git, &reference(run), RECORD)?;
    let read = jsonl::parse::<Line>(&bytes, &caps());
    if let Some(damage) = read.damage.first() {
        return Err(CheckpointError::damaged(run, format!("line {}", damage.line)));
    }
    Ok(Sealed::of(read.into_records()))
}

/// Where git keeps the contents of a sealed run.
pub(super) fn contents(at: &Checkpoints, run: &str) -> Result<BTreeMap<Digest, ObjectId>> {
    let files = git_calls::folder(at.git, &reference(run), &format!("{CONTENTS}/"))?;
    let named = files.into_iter().filter_map(|(path, id)| {
        let digits = path.rsplit('/').next()?;
        Some((Digest(*blake3::Hash::from_hex(digits).ok()?.as_bytes()), id))
    });
    Ok(named.collect())
}

/// The ref of a run.
pub(super) fn reference(run: &str) -> String {
    format!("{CHECKPOINTS}{run}")
}

/// For the caller.
pub(super) fn shown(uncovered: &Bare) -> Vec<Uncovered> {
    let one = |(path, why): &(Name, WhyUncovered)| Uncovered { path: path.to_path(), why: *why };
    uncovered.iter().map(one).collect::<BTreeSet<_>>().into_iter().collect()
}
