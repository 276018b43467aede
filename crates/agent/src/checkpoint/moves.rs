//! Taking back the commits of a run: the branch goes back, and of the index what they changed.

use std::{collections::BTreeMap, path::PathBuf};

use super::{
    Checkpoints, Left, Result, WhyLeft, git_calls,
    name::Name,
    record::{Entry, IndexChange, Move},
    run::Run,
};
use elophanto_repo::{Git, ObjectId};

/// What is taken back.
#[derive(Default)]
pub(super) struct Back {
    /// The way the branch goes, in the words of the undo.
    moved: Option<Move>,
    /// The ref is where it was before the run already.
    is_there: bool,
    commits: usize,
    pub(super) left: Vec<Left>,
}

impl Back {
    pub(super) fn is_empty(&self) -> bool {
        self.moved.as_ref().is_none_or(|moved| self.is_there && moved.index.is_empty())
    }
}

/// Looks at where branch and index are. Changes nothing.
pub(super) fn plan(git: &Git, moves: &[Move]) -> Result<Back> {
    let (Some(first), Some(last)) = (moves.first(), moves.last()) else {
        return Ok(Back::default());
    };
    let is_one_way = moves.windows(2).all(|pair| match pair {
        [one, next] => one.new == next.old && one.branch == next.branch,
        _ => true,
    });
    let head = elophanto_repo::head(git)?.map(|id| id.to_string());
    let is_there = head == first.old;
    let is_ours = git_calls::branch(git)? == last.branch && (head == last.new || is_there);
    if !is_one_way || !is_ours {
        let name = last.branch.clone().unwrap_or_else(|| "HEAD".to_owned());
        let left = vec![Left { path: PathBuf::from(name), why: WhyLeft::Branch }];
        return Ok(Back { left, ..Back::default() });
    }
    let mut net: BTreeMap<Name, (Vec<Entry>, Vec<Entry>)> = BTreeMap::new();
    for change in moves.iter().flat_map(|moved| &moved.index) {
        let entry = net.entry(change.path.clone());
        entry
            .and_modify(|(_, left)| left.clone_from(&change.left))
            .or_insert_with(|| (change.was.clone(), change.left.clone()));
    }
    let now = git_calls::index(git)?;
    let (mut index, mut left) = (Vec::new(), Vec::new());
    for (path, (was, is)) in net {
        let found = now.get(&path).cloned().unwrap_or_default();
        if found == was {
            continue;
        }
        if found == is {
            index.push(IndexChange { path, was: is, left: was });
        } else {
            left.push(Left::new(path.to_path(), WhyLeft::Staged));
        }
    }
    let branch = last.branch.clone();
    let moved = Move { branch, old: last.new.clone(), new: first.old.clone(), index };
    Ok(Back { moved: Some(moved), is_there, commits: moves.len(), left })
}

/// Does it, on the record of the undo. Returns how many commits were taken back.
pub(super) fn apply(at: &Checkpoints, own: &mut Run, back: &Back) -> Result<usize> {
    let Some(moved) = back.moved.as_ref().filter(|_| !back.is_empty()) else { return Ok(0) };
    // First: a record of what did not happen does no harm, the reverse does.
    own.moved(moved.clone())?;
    let id = |text: &Option<String>| text.as_ref().map(|text| text.parse()).transpose();
    let (old, new): (Option<ObjectId>, Option<ObjectId>) = (id(&moved.old)?, id(&moved.new)?);
    let digits = old.or(new).map_or(40, |id| id.as_bytes().len() * 2);
    // The index first, as another process may hold it.
    let entries = moved.index.iter().map(|change| (&change.path, &change.left[..]));
    git_calls::set_index(at.git, entries, digits)?;
    if back.is_there {
        return Ok(0);
    }
    let message = format!("elophanto: undo of {}", own.id());
    let branch = moved.branch.as_deref();
    git_calls::move_reference(at.git, branch, old.as_ref(), new.as_ref(), &message)?;
    Ok(back.commits)
}
