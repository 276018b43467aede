//! What was learnt and is taken back: `undo`, and the id of the clone in `writer`.

use super::*;
use crate::{
    interest::PreferenceKind,
    learn::{
        LearnError,
        interests::state,
        record::Trigger,
        run::{ask_for, queued},
        undo::{Undone, delete, undo},
        writer::{known_writer, writer},
    },
};
use elophanto_repo::journal::Place;

#[test]
fn a_search_takes_back_with_it_what_it_brought() {
    let rig = Rig::new();
    let record_store = rig.record_store();
    let store = store(&record_store);
    let wanted = ["one".to_owned(), "two".to_owned()];
    let (prompt, searches) =
        ask_for(&record_store, "animals", &wanted, Trigger::LearnCommand, USER, at(0)).unwrap();
    let other = queued("other", Trigger::UserMessage, USER, at(0));
    record_store.write(Place::Local, &[&other]).unwrap();
    let (one, two, other) = (&*searches[0].id, &*searches[1].id, &*other.id);
    let mut snapshot = EntitySnapshot::default();
    entity(&store, &mut snapshot, "Otter", &[("Otters swim.", one), ("Otters dive.", two)]);
    entity(&store, &mut snapshot, "Heron", &[("Herons fish.", one), ("Herons fly.", other)]);
    entity(&store, &mut snapshot, "Badger", &[("Badgers dig.", one)]);
    // A like made it; that a search knows of it since does not make it the search's.
    state(&store, &mut snapshot, USER, "Lynx", PreferenceKind::Like, at(0)).unwrap();
    store.add(&mut snapshot, "lynx", &[], &[fact("Lynxes jump.", one)], at(0)).unwrap();
    // A person wrote on the page of what else is the search's alone.
    let wolf = entity(&store, &mut snapshot, "Wolf", &[("Wolves howl.", one)]);
    let path = format!("knowledge/learned/entities/{wolf}.md");
    let text = std::fs::read_to_string(rig.root().join(&path)).unwrap();
    rig.write(&path, text + "\nI heard one in the night.\n");

    let take_back = |id: &str, seconds| {
        let mut snapshot = store.read(at(seconds));
        let log = log_of(&record_store, seconds);
        undo(&store, &mut snapshot, &log, id, &Meaning::builtin(), at(seconds)).unwrap()
    };
    assert_eq!(take_back("unknown", 10), None);
    let entities = vec!["Badger".to_owned()];
    // What was not searched yet is not searched any more.
    assert_eq!(
        take_back(one, 10),
        Some(Undone { facts: 5, confirmed: 0, entities, called_off: 1 })
    );
    let left = on_disk(&store, 20);
    let facts: Vec<(&str, &[String])> =
        left.iter().map(|(name, facts)| (name.as_str(), facts.as_slice())).collect();
    assert_eq!(
        facts,
        [
            ("Heron", &["Herons fly.".to_owned()][..]),
            ("Lynx", &[]),
            ("Otter", &["Otters dive.".to_owned()]),
            ("Wolf", &[]),
        ]
    );
    // Again there is nothing to take back, and the prompt takes the rest.
    assert_eq!(take_back(one, 30), Some(Undone::default()));
    let entities = vec!["Otter".to_owned()];
    assert_eq!(
        take_back(&prompt.id, 30),
        Some(Undone { facts: 1, confirmed: 0, entities, called_off: 1 })
    );
    assert!(!on_disk(&store, 35).contains_key("Otter"));
    // The same search would find the same: it stays away.
    let mut snapshot = store.read(at(40));
    let slug = store.create(&mut snapshot, "Otter", at(40)).unwrap();
    let facts = [fact("Otters swim.", one), fact("OTTERS  swim!", other)];
    assert!(store.add(&mut snapshot, &slug, &[], &facts, at(40)).unwrap().is_empty());
}

#[test]
fn what_is_deleted_is_gone_with_all_its_names_but_not_with_what_people_wrote() {
    let rig = Rig::new();
    let record_store = rig.record_store();
    let store = store(&record_store);
    let mut snapshot = EntitySnapshot::default();
    let slug = entity(&store, &mut snapshot, "KEF LS50 Meta", &[("It is a speaker.", "s")]);
    store.add(&mut snapshot, &slug, &["LS50 Meta".to_owned()], &[], at(0)).unwrap();
    let path = format!("knowledge/learned/entities/{slug}.md");
    let text = std::fs::read_to_string(rig.root().join(&path)).unwrap();
    rig.write(&path, text + "\nMine are white.\n");
    let mut snapshot = store.read(at(1));
    assert_eq!(delete(&store, &mut snapshot, &slug, at(2)).unwrap().len(), 4);
    assert!(delete(&store, &mut snapshot, "unknown", at(2)).unwrap().is_empty());
    let snapshot = store.read(at(3));
    assert!(snapshot.entities.is_empty());
    for (name, is_deleted) in [
        ("KEF LS50 Meta", true),
        ("kef  ls50 META", true),
        ("LS50 Meta", true),
        ("KEF", false),
        ("", false),
    ] {
        assert_eq!(snapshot.is_deleted(name), is_deleted, "{name:?}");
    }
    let text = std::fs::read_to_string(rig.root().join(&path)).unwrap();
    assert!(text.ends_with("\nMine are white.\n") && !text.contains("speaker"), "{text}");
}

#[test]
fn a_clone_has_one_id_whatever_lies_where_it_is_kept() {
    let own = "01JZZZZZZZZZZZZZZZZZZZZZZZ";
    for (there, stays) in [
        (Some(own), true),
        (Some("01JZZZZZZZZZZZZZZZZZZZZZZZ\n"), true),
        (Some(""), false),
        (Some("anna@example.org"), false),
        (None, false),
    ] {
        let rig = Rig::new();
        let record_store = rig.record_store();
        std::fs::remove_file(rig.root().join(".elophanto/cache/writer")).unwrap();
        if let Some(text) = there {
            rig.write(".elophanto/cache/writer", text);
        }
        assert_eq!(known_writer(&record_store).as_deref(), stays.then_some(own), "{there:?}");
        let id = writer(&record_store).unwrap();
        assert_eq!(id == own, stays, "{there:?}");
        assert_eq!(
            (writer(&record_store).unwrap(), known_writer(&record_store)),
            (id.clone(), Some(id))
        );
    }
    // A link is not followed: neither read nor written through.
    let rig = Rig::new();
    rig.write("outside", own);
    let link = rig.root().join(".elophanto/cache/writer");
    std::fs::remove_file(&link).unwrap();
    std::os::unix::fs::symlink(rig.root().join("outside"), &link).unwrap();
    let id = writer(&rig.record_store()).unwrap();
    assert_ne!(id, own);
    assert_eq!(writer(&rig.record_store()).unwrap(), id);
    assert_eq!(std::fs::read_to_string(rig.root().join("outside")).unwrap(), own);
}

#[test]
fn a_page_keeps_its_encoding() {
    let rig = Rig::new();
    let record_store = rig.record_store();
    let store = store(&record_store);
    let mut snapshot = EntitySnapshot::default();
    let slug = entity(&store, &mut snapshot, "Otter", &[("Otters swim.", "one")]);
    let path = rig.root().join(store.path(&slug).as_path());
    let text = std::fs::read_to_string(&path).unwrap();
    let wide = |mark: &[u8], bytes: fn(u16) -> [u8; 2]| {
        [mark.to_vec(), text.encode_utf16().flat_map(bytes).collect()].concat()
    };
    let latin = [text.as_bytes(), b"\nSeen at the caf\xe9.\n"].concat();
    for (page, fact_text, is_added) in [
        (wide(b"\xff\xfe", u16::to_le_bytes), "Otters dive.", false),
        (wide(b"\xfe\xff", u16::to_be_bytes), "Otters dive.", false),
        (wide(b"", u16::to_le_bytes), "Otters dive.", false),
        (latin.clone(), "Otters dive.", true),
        (latin, "Otters eat crème brûlée.", false),
        (format!("\u{feff}{text}").into_bytes(), "Otters eat crème brûlée.", true),
    ] {
        rig.write(store.path(&slug).to_text().as_str(), &page);
        let mut snapshot = store.read(at(0));
        let is_read = snapshot.pages.contains_key(&slug);
        let warned = snapshot.warnings().join("\n").contains("UTF-16");
        assert_eq!((is_read, warned), (!page.contains(&0), !is_read));
        let done = match is_read {
            true => {
                store.add(&mut snapshot, &slug, &[], &[fact(fact_text, "two")], at(1)).map(drop)
            }
            // As somebody does who takes it for free.
            false => store.create(&mut snapshot, "Otter", at(1)).map(drop),
        };
        let now = std::fs::read(&path).unwrap();
        assert!(now.starts_with(&page));
        assert_eq!(now.len() > page.len(), is_added, "{fact_text}");
        assert!(is_added || matches!(done, Err(LearnError::Encoding(_))), "{done:?}");
    }
}
