//! The law of merging: nothing that counts on either side is lost, doubled or comes back.

use std::collections::{BTreeMap, BTreeSet};

use proptest::prelude::*;

use super::{
    super::{Entities, LineHash, Record, normalise},
    acts::Step,
    world::{Branch, merge},
};

fn facts(entities: &Entities) -> BTreeMap<LineHash, String> {
    let mut facts = BTreeMap::new();
    for fact in entities.iter().flat_map(|entity| &entity.facts) {
        let lines =
            fact.also.iter().map(|(slug, line)| (slug, line)).chain([(&fact.slug, &fact.line)]);
        facts.extend(lines.map(|(slug, line)| (line.hash, slug.clone())));
    }
    facts
}

/// The retirements that `branch` has and `base` has not, by id.
fn retired_since<'a>(
    branch: &'a Branch,
    base: &'a Branch,
) -> impl Iterator<Item = (&'a str, LineHash)> {
    let fresh = branch.records.iter().filter(|record| !base.records.contains(record));
    fresh.filter_map(|record| match record {
        Record::Retired(one) => Some((one.id.as_str(), one.hash)),
        Record::Restored(_) => None,
    })
}

fn restored(branch: &Branch) -> BTreeSet<&str> {
    let ids = branch.records.iter().filter_map(|record| match record {
        Record::Restored(restoration) => Some(&restoration.retirements),
        Record::Retired(_) => None,
    });
    ids.flatten().map(String::as_str).collect()
}

/// All that branches must agree on: line numbers are none of it.
fn agreed(entities: &Entities) -> Vec<String> {
    let one = |entity: &super::super::Entity| {
        let facts: Vec<_> = entity
            .facts
            .iter()
            .map(|fact| {
                let also: Vec<_> = fact.also.iter().map(|(slug, line)| (slug, line.hash)).collect();
                (&fact.slug, fact.line.hash, &fact.line.text, also)
            })
            .collect();
        // A paragraph is as long as its lines stand together.
        let words = |text| str::split(text, ' ');
        let mut notes: Vec<_> = entity
            .notes
            .iter()
            .flat_map(|note| words(&note.text).map(|word| (&note.slug, word)))
            .collect();
        notes.sort_unstable();
        let (slug, title, aliases) = (&entity.slug, &entity.title, &entity.aliases);
        let rest = (&entity.tags, entity.created, &entity.pages, notes);
        format!("{slug} {title} {aliases:?} {facts:?} {rest:?}")
    };
    entities.iter().map(one).collect()
}

/// One side of a merge against what came of it.
fn check_side(base: &Branch, side: &Branch, other: &Branch, merged: &Branch) {
    let entities = merged.entities();
    let (now, theirs) = (facts(&entities), restored(other));
    let (lines, retired) = (merged.hashes(), merged.retired());
    for (hash, slug) in facts(&side.entities()) {
        let taken_out =
            retired_since(other, base).any(|(id, retired)| retired == hash && !theirs.contains(id));
        // What one side adds or moves to a page goes with the entity that the other deletes.
        let deleted = lines.iter().any(|(page, line)| {
            *line == hash && !retired.holds(line) && entities.by_slug(page).is_none()
        });
        assert!(taken_out || deleted || now.contains_key(&hash), "{hash} of {slug} is lost");
    }
    for (id, hash) in retired_since(side, base) {
        let back = restored(side).contains(id);
        assert!(back || !now.contains_key(&hash), "{hash} counts again");
    }
}

fn check(base: &Branch, ours: &Branch, theirs: &Branch, merged: &Branch) {
    check_side(base, ours, theirs, merged);
    check_side(base, theirs, ours, merged);
    let (entities, retired) = (merged.entities(), merged.retired());
    for entity in entities.iter() {
        let said: BTreeSet<_> =
            entity.facts.iter().map(|fact| normalise(&fact.line.text)).collect();
        assert_eq!(said.len(), entity.facts.len(), "doubled in {}", entity.slug);
    }
    assert!(facts(&entities).keys().all(|hash| !retired.holds(hash)));
}

fn steps(most: usize) -> impl Strategy<Value = Vec<Step>> {
    prop::collection::vec(any::<Step>(), 0..most)
}

/// A retired line that one branch takes out of the page while the other restores it: no merge can
/// keep it, but a record must say so.
#[test]
fn what_is_tidied_here_and_restored_there_is_told() {
    let folder = tempfile::tempdir().unwrap();
    let mut base = Branch { name: "r".to_owned(), ..Branch::default() };
    base.step((0, 0, 0, 0));
    base.step((12, 0, 0, 1));
    base.commit();
    let (mut a, mut b) = (base.fork("a"), base.fork("b"));
    a.step((16, 0, 1, 0));
    b.step((13, 0, 0, 0));
    a.commit();
    b.commit();
    assert_eq!((facts(&a.entities()).len(), facts(&b.entities()).len()), (0, 1));
    check(&base, &a, &b, &merge(&base, &a, &b, folder.path()));
    check(&base, &b, &a, &merge(&base, &b, &a, folder.path()));
}

proptest! {
    #![proptest_config(ProptestConfig {
        failure_persistence: None,
        cases: 1000,
        max_shrink_iters: 4000,
        ..Default::default()
    })]

    #[test]
    fn merging_loses_doubles_and_revives_nothing(
        first in steps(10),
        rounds in prop::collection::vec((steps(9), steps(9)), 1..3),
    ) {
        let folder = tempfile::tempdir().unwrap();
        let mut base = Branch { name: "r".to_owned(), ..Branch::default() };
        first.into_iter().for_each(|step| base.step(step));
        base.commit();
        for (one, other) in rounds {
            let (mut a, mut b) = (base.fork("a"), base.fork("b"));
            one.into_iter().for_each(|step| a.step(step));
            other.into_iter().for_each(|step| b.step(step));
            a.commit();
            b.commit();
            let ab = merge(&base, &a, &b, folder.path());
            let ba = merge(&base, &b, &a, folder.path());
            check(&base, &a, &b, &ab);
            check(&base, &b, &a, &ba);
            prop_assert_eq!(agreed(&ab.entities()), agreed(&ba.entities()));
            base = ab;
        }
    }
}
