//! Secrets in what a commit brings.

use rustc_hash::FxHashSet;

use super::NoteChange;
use crate::{
    repo::{NotePath, ObjectId, Objects},
    secrets::{AllowList, Finding, scan, unlisted},
};

/// A finding and the note it is in.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Secret {
    pub path: NotePath,
    pub finding: Finding,
}

/// Secrets in lines that are new. What an earlier commit holds is out already; refusing a commit
/// that only touches another line would help nobody.
pub fn in_changes(
    changes: &[NoteChange],
    objects: &Objects,
    limit: u64,
    allowed: &AllowList,
) -> Vec<Secret> {
    let text = |id: &ObjectId| {
        let content = objects.read(&[id], limit).pop().and_then(Result::ok).unwrap_or_default();
        String::from_utf8_lossy(&content).into_owned()
    };
    let mut secrets = Vec::new();
    for change in changes.iter().filter(|change| change.from.is_none()) {
        let Some(new) = &change.new else { continue };
        let new = text(new);
        let findings = scan(&new);
        if findings.is_empty() {
            continue;
        }
        let old = change.old.as_ref().map(text).unwrap_or_default();
        let old: FxHashSet<&str> = old.lines().collect();
        let is_new = |finding: &&Finding| {
            let line = new.lines().nth(finding.line.saturating_sub(1));
            line.is_none_or(|line| !old.contains(line))
        };
        secrets.extend(
            unlisted(&findings, allowed)
                .into_iter()
                .filter(is_new)
                .map(|finding| Secret { path: change.path.clone(), finding: finding.clone() }),
        );
    }
    secrets
}
