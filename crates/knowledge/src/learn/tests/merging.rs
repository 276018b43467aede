//! Entities that are one: `merge`.

use super::*;
use crate::learn::merge::{Unmerged, merge, proposals, unmerge};

/// Ids of merges that stand.
fn standing(log: &Log) -> Vec<&str> {
    let merges = log.merges.iter().filter(|(_, merge)| !merge.undone);
    merges.map(|(id, _)| id.as_str()).collect()
}

#[test]
fn a_merge_joins_facts_and_taking_it_back_brings_everything_again() {
    let rig = Rig::new();
    let record_store = rig.record_store();
    let store = store(&record_store);
    let mut snapshot = EntitySnapshot::default();
    let lsp = entity(
        &store,
        &mut snapshot,
        "LSP",
        &[("The protocol was made by Microsoft.", "s"), ("It speaks JSON-RPC.", "s")],
    );
    let whole = "Language Server Protocol";
    let long = entity(&store, &mut snapshot, whole, &[("the protocol was made by Microsoft", "t")]);
    let before = on_disk(&store, 5);
    let meaning = Meaning::builtin();
    let join = |snapshot: &mut EntitySnapshot, from: &str, into: &str| {
        merge(&store, snapshot, from, into, "one", &meaning, at(10)).unwrap()
    };
    assert_eq!(join(&mut snapshot, &lsp, "unknown"), None);
    assert_eq!(join(&mut snapshot, &lsp, &lsp), None);
    let made = join(&mut snapshot, &lsp, &long).unwrap();
    assert_eq!(join(&mut snapshot, &lsp, &long), None, "they are one already");
    let facts = ["the protocol was made by Microsoft", "It speaks JSON-RPC."];
    let joined = on_disk(&store, 20);
    assert_eq!(joined.keys().collect::<Vec<_>>(), [whole]);
    let mut said = joined[whole].clone();
    said.sort();
    assert_eq!(said, [facts[1], facts[0]]);
    assert_eq!(store.read(at(20)).entities.find("lsp").unwrap().title, whole);

    let log = log_of(&record_store, 20);
    assert_eq!(standing(&log), [&made.id]);
    let mut snapshot = store.read(at(20));
    assert!(unmerge(&store, &mut snapshot, &log, "unknown", &meaning, at(30)).unwrap().is_none());
    // Even by a clock that was put back.
    let undone = unmerge(&store, &mut snapshot, &log, &made.id, &meaning, at(-100)).unwrap();
    assert!(matches!(undone, Some(Unmerged::Done(_))), "{undone:?}");
    assert_eq!(on_disk(&store, 40), before);
    let log = log_of(&record_store, 40);
    let undone = unmerge(&store, &mut snapshot, &log, &made.id, &meaning, at(50)).unwrap();
    assert!(matches!(undone, Some(Unmerged::Already(_))), "{undone:?}");
    assert!(standing(&log).is_empty());
}

#[test]
fn what_a_person_took_apart_is_not_proposed_again() {
    let rig = Rig::new();
    let record_store = rig.record_store();
    let store = store(&record_store);
    let mut snapshot = EntitySnapshot::default();
    let meaning = Meaning::builtin();
    let one = entity(&store, &mut snapshot, "E-mail", &[]);
    let other = entity(&store, &mut snapshot, "email", &[("Email is older than the web.", "s")]);
    entity(&store, &mut snapshot, "Otter", &[("Otters swim.", "s")]);
    let found = proposals(&snapshot, &log_of(&record_store, 10), &meaning);
    assert_eq!(found.len(), 1, "{found:?}");
    assert!(found[0].is_certain);
    assert_eq!((found[0].from.0.as_str(), found[0].into.0.as_str()), (&*one, &*other));
    let made =
        merge(&store, &mut snapshot, &one, &other, "one", &meaning, at(10)).unwrap().unwrap();
    assert!(proposals(&snapshot, &log_of(&record_store, 20), &meaning).is_empty());
    unmerge(&store, &mut snapshot, &log_of(&record_store, 20), &made.id, &meaning, at(20)).unwrap();
    assert_eq!(snapshot.entities.len(), 3);
    assert_eq!(proposals(&snapshot, &log_of(&record_store, 30), &meaning), []);
}

#[test]
fn a_chain_of_merges_is_taken_back_in_any_order() {
    let rig = Rig::new();
    let record_store = rig.record_store();
    let store = store(&record_store);
    let mut snapshot = EntitySnapshot::default();
    let meaning = Meaning::builtin();
    let said =
        [("Alpha", "Otters swim."), ("Beta", "Badgers dig holes."), ("Gamma", "It rains in May.")];
    let slugs = said.map(|(name, fact)| entity(&store, &mut snapshot, name, &[(fact, "s")]));
    let before = on_disk(&store, 5);
    let first = merge(&store, &mut snapshot, &slugs[0], &slugs[1], "", &meaning, at(10)).unwrap();
    let second = merge(&store, &mut snapshot, &slugs[1], &slugs[2], "", &meaning, at(11)).unwrap();
    assert_eq!(on_disk(&store, 20)["Gamma"].len(), 3);
    // The other way round would be a ring: all three are one already.
    assert!(
        merge(&store, &mut snapshot, &slugs[2], &slugs[0], "", &meaning, at(12)).unwrap().is_none()
    );
    for merge in [first.unwrap(), second.unwrap()] {
        unmerge(&store, &mut snapshot, &log_of(&record_store, 20), &merge.id, &meaning, at(30))
            .unwrap();
    }
    assert_eq!(on_disk(&store, 40), before);
}
