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
    let desk = rig.desk();
    let shelves = shelves(&desk);
    let mut shelf = Shelf::default();
    let lsp = entity(
        &shelves,
        &mut shelf,
        "LSP",
        &[("The protocol was made by Microsoft.", "s"), ("It speaks JSON-RPC.", "s")],
    );
    let whole = "Language Server Protocol";
    let long = entity(&shelves, &mut shelf, whole, &[("the protocol was made by Microsoft", "t")]);
    let before = on_disk(&shelves, 5);
    let meaning = Meaning::builtin();
    let join = |shelf: &mut Shelf, from: &str, into: &str| {
        merge(&shelves, shelf, from, into, "one", &meaning, at(10)).unwrap()
    };
    assert_eq!(join(&mut shelf, &lsp, "unknown"), None);
    assert_eq!(join(&mut shelf, &lsp, &lsp), None);
    let made = join(&mut shelf, &lsp, &long).unwrap();
    assert_eq!(join(&mut shelf, &lsp, &long), None, "they are one already");
    let facts = ["the protocol was made by Microsoft", "It speaks JSON-RPC."];
    let joined = on_disk(&shelves, 20);
    assert_eq!(joined.keys().collect::<Vec<_>>(), [whole]);
    let mut said = joined[whole].clone();
    said.sort();
    assert_eq!(said, [facts[1], facts[0]]);
    assert_eq!(shelves.read(at(20)).entities.find("lsp").unwrap().title, whole);

    let log = log_of(&desk, 20);
    assert_eq!(standing(&log), [&made.id]);
    let mut shelf = shelves.read(at(20));
    assert!(unmerge(&shelves, &mut shelf, &log, "unknown", &meaning, at(30)).unwrap().is_none());
    // Even by a clock that was put back.
    let undone = unmerge(&shelves, &mut shelf, &log, &made.id, &meaning, at(-100)).unwrap();
    assert!(matches!(undone, Some(Unmerged::Done(_))), "{undone:?}");
    assert_eq!(on_disk(&shelves, 40), before);
    let log = log_of(&desk, 40);
    let undone = unmerge(&shelves, &mut shelf, &log, &made.id, &meaning, at(50)).unwrap();
    assert!(matches!(undone, Some(Unmerged::Already(_))), "{undone:?}");
    assert!(standing(&log).is_empty());
}

#[test]
fn what_a_person_took_apart_is_not_proposed_again() {
    let rig = Rig::new();
    let desk = rig.desk();
    let shelves = shelves(&desk);
    let mut shelf = Shelf::default();
    let meaning = Meaning::builtin();
    let one = entity(&shelves, &mut shelf, "E-mail", &[]);
    let other = entity(&shelves, &mut shelf, "email", &[("Email is older than the web.", "s")]);
    entity(&shelves, &mut shelf, "Otter", &[("Otters swim.", "s")]);
    let found = proposals(&shelf, &log_of(&desk, 10), &meaning);
    assert_eq!(found.len(), 1, "{found:?}");
    assert!(found[0].is_certain);
    assert_eq!((found[0].from.0.as_str(), found[0].into.0.as_str()), (&*one, &*other));
    let made = merge(&shelves, &mut shelf, &one, &other, "one", &meaning, at(10)).unwrap().unwrap();
    assert!(proposals(&shelf, &log_of(&desk, 20), &meaning).is_empty());
    unmerge(&shelves, &mut shelf, &log_of(&desk, 20), &made.id, &meaning, at(20)).unwrap();
    assert_eq!(shelf.entities.len(), 3);
    assert_eq!(proposals(&shelf, &log_of(&desk, 30), &meaning), []);
}

#[test]
fn a_chain_of_merges_is_taken_back_in_any_order() {
    let rig = Rig::new();
    let desk = rig.desk();
    let shelves = shelves(&desk);
    let mut shelf = Shelf::default();
    let meaning = Meaning::builtin();
    let said =
        [("Alpha", "Otters swim."), ("Beta", "Badgers dig holes."), ("Gamma", "It rains in May.")];
    let slugs = said.map(|(name, fact)| entity(&shelves, &mut shelf, name, &[(fact, "s")]));
    let before = on_disk(&shelves, 5);
    let first = merge(&shelves, &mut shelf, &slugs[0], &slugs[1], "", &meaning, at(10)).unwrap();
    let second = merge(&shelves, &mut shelf, &slugs[1], &slugs[2], "", &meaning, at(11)).unwrap();
    assert_eq!(on_disk(&shelves, 20)["Gamma"].len(), 3);
    // The other way round would be a ring: all three are one already.
    assert!(
        merge(&shelves, &mut shelf, &slugs[2], &slugs[0], "", &meaning, at(12)).unwrap().is_none()
    );
    for merge in [first.unwrap(), second.unwrap()] {
        unmerge(&shelves, &mut shelf, &log_of(&desk, 20), &merge.id, &meaning, at(30)).unwrap();
    }
    assert_eq!(on_disk(&shelves, 40), before);
}
