//! Which notes differ between versions. Pure: paths and object ids in, changes out.

use std::collections::BTreeMap;

use elophanto_repo::{NotePath, ObjectId, Stored};

/// What became of one note.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NoteChange {
    /// Relative to the root.
    pub path: NotePath,
    /// Where it was before, if it was moved without a change.
    pub from: Option<NotePath>,
    /// Its content before; `None` if it is new.
    pub old: Option<ObjectId>,
    /// Its content now; `None` if it is gone.
    pub new: Option<ObjectId>,
}

/// What `now` brings that none of `before` has, sorted by path; a merge has several versions
/// before it, and what one of them already had is no change of the merge.
pub fn changes(before: &[Vec<Stored>], now: &[Stored]) -> Vec<NoteChange> {
    let maps: Vec<BTreeMap<&NotePath, &ObjectId>> = before.iter().map(|files| map(files)).collect();
    let now = map(now);
    let Some(first) = maps.first() else {
        let added = now.iter().map(|(path, id)| change(path, None, Some(id)));
        return added.collect();
    };
    let mut found = Vec::new();
    let mut gone: Vec<(&NotePath, &ObjectId)> = Vec::new();
    for (path, id) in first {
        if !now.contains_key(path) && maps.iter().all(|map| map.contains_key(path)) {
            gone.push((path, id));
        }
    }
    for (path, id) in &now {
        if maps.iter().any(|map| map.get(path) == Some(id)) {
            continue;
        }
        let old = first.get(path).copied();
        let moved = old
            .is_none()
            .then(|| gone.iter().position(|(_, content)| content == id))
            .flatten()
            .map(|index| gone.remove(index));
        match moved {
            Some((from, content)) => found.push(NoteChange {
                from: Some(from.clone()),
                ..change(path, Some(content), Some(id))
            }),
            None => found.push(change(path, old, Some(id))),
        }
    }
    found.extend(gone.into_iter().map(|(path, id)| change(path, Some(id), None)));
    found.sort_by(|a, b| a.path.cmp(&b.path));
    found
}

fn map(files: &[Stored]) -> BTreeMap<&NotePath, &ObjectId> {
    files.iter().map(|file| (&file.path, &file.object)).collect()
}

fn change(path: &NotePath, old: Option<&ObjectId>, new: Option<&ObjectId>) -> NoteChange {
    NoteChange { path: path.clone(), from: None, old: old.cloned(), new: new.cloned() }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn version(files: &[(&str, char)]) -> Vec<Stored> {
        let object = |digit: char| ObjectId::from_hex(digit.to_string().repeat(40).as_bytes());
        files
            .iter()
            .map(|&(path, digit)| Stored {
                path: path.into(),
                object: object(digit).unwrap(),
                executable: false,
            })
            .collect()
    }

    fn check(before: &[&[(&str, char)]], now: &[(&str, char)], expected: &str) {
        let before: Vec<Vec<Stored>> = before.iter().map(|files| version(files)).collect();
        let said: Vec<String> = changes(&before, &version(now))
            .into_iter()
            .map(|change| {
                let kind = match (&change.from, &change.old, &change.new) {
                    (Some(from), ..) => format!("{}>", from.to_text()),
                    (None, None, _) => "+".to_owned(),
                    (None, _, None) => "-".to_owned(),
                    (None, ..) => "~".to_owned(),
                };
                format!("{kind}{}", change.path.to_text())
            })
            .collect();
        assert_eq!(said.join(" "), expected);
    }

    #[test]
    fn what_a_commit_brings() {
        check(&[], &[("a", '1')], "+a");
        check(&[&[]], &[("a", '1')], "+a");
        check(&[&[("a", '1'), ("b", '2')]], &[("a", '1'), ("b", '3')], "~b");
        check(&[&[("a", '1'), ("b", '2')]], &[("a", '1')], "-b");
        check(&[&[("a", '1')]], &[("b", '1')], "a>b");
        // Two of the same content: one move each.
        check(&[&[("a", '1'), ("b", '1')]], &[("c", '1'), ("d", '1'), ("e", '1')], "a>c b>d +e");
        check(&[&[("a", '1')]], &[("a", '1')], "");
        // A merge: what either side has is not of the merge.
        check(&[&[("a", '1')], &[("a", '2'), ("b", '3')]], &[("a", '2'), ("b", '3')], "");
        check(&[&[("a", '1')], &[("a", '2')]], &[("a", '4')], "~a");
        check(&[&[("a", '1'), ("b", '1')], &[("a", '1')]], &[("a", '1')], "");
    }
}
