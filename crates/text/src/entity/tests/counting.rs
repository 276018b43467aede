//! What commits, retirements and merges make of lines, as tables.

use std::collections::BTreeSet;

use super::{
    super::{
        Changes, Entities, Fact, LineHash, NewLine, Origin, Page, Reason, Record, Restoration,
        Retired, Retirement, append, changes, counting_tags, new_page, searchable, to_retire_again,
        without, without_moves,
    },
    at, hash_of, page,
};

#[test]
fn what_a_commit_did() {
    let (a, b, c) = (
        "- a <!-- f:000000000000000a -->\n",
        "- b <!-- f:000000000000000b -->\n",
        "- c <!-- f:000000000000000c -->\n",
    );
    let check = |parents: &[&str], now: &str, expected: &str| {
        let Changes { gone, back, .. } = changes(parents, now);
        let said = |lines: &[super::super::Line]| {
            lines.iter().map(|line| line.text.as_str()).collect::<String>()
        };
        assert_eq!(format!("{}|{}", said(&gone), said(&back)), expected);
    };
    check(&[], a, "|a");
    check(&[""], "", "|");
    check(&[a], "", "a|");
    check(&[&[a, b].concat()], &[b, "mine\r\n", a.trim_end(), " \r\n", a].concat(), "|");
    check(&[&[a, b].concat(), &[b, a].concat()], c, "ab|c");
    check(&[a, b], &[a, b].concat(), "|");
}

#[test]
fn what_a_commit_is_to_tell() {
    let line = "- a <!-- f:000000000000000a -->\n";
    let hash = Page::parse(line).lines[0].hash;
    let (none, held) = (Retired::default(), retired(&[("r", hash, Reason::Removed)], &[]));
    let (out, back) = (changes(&[line], ""), changes(&[""], line));
    // Taken out: told by the commit itself or not, whatever was told before.
    assert_eq!(out.to_retire(&none).count(), 1);
    assert_eq!(out.to_retire(&held).count(), 0);
    // Brought back: only what was retired before.
    assert_eq!(back.to_restore(&none).count(), 0);
    let ids: Vec<_> = back.to_restore(&held).map(|(_, ids)| ids).collect();
    assert_eq!(ids, [["r"]]);
    let moved = without_moves(vec![out.clone(), back, changes(&[line], line)]);
    assert!(moved.iter().all(|page| page.gone.is_empty() && page.back.is_empty()));
    assert_eq!(without_moves(vec![out])[0].gone.len(), 1);

    // Brought back and taken out again before the commit.
    let one = Retirement::new("r", "a", &Page::parse(line).lines[0], Reason::Removed);
    let restored = Restoration { id: "x".to_owned(), retirements: vec!["r".to_owned()] };
    let all = [Record::Retired(one.clone()), Record::Restored(restored)];
    assert_eq!(to_retire_again(&all[1..], &all, [""]), [one]);
    assert_eq!(to_retire_again(&all[1..], &all, ["", line]), []);
    assert_eq!(to_retire_again(&[], &all, [""]), []);
    assert_eq!(to_retire_again(&all[1..], &all[..1], [""]), []);
}

/// Retirements `rN` of lines and restorations of them, in short.
fn retired(records: &[(&str, LineHash, Reason)], restored: &[&str]) -> Retired {
    let line = |hash| Retirement {
        id: String::new(),
        hash,
        line: "f:0123456789abcdef".to_owned(),
        slug: "a".to_owned(),
        reason: Reason::Removed,
        text: Some("a".to_owned()),
    };
    let retirements = records.iter().map(|(id, hash, reason)| {
        Record::Retired(Retirement { id: (*id).to_owned(), reason: reason.clone(), ..line(*hash) })
    });
    let restorations = restored.iter().map(|id| {
        Record::Restored(Restoration {
            id: format!("of {id}"),
            retirements: vec![(*id).to_owned()],
        })
    });
    let (one, other) =
        (retirements.clone().chain(restorations.clone()), restorations.chain(retirements));
    let found = Retired::of(one.clone());
    assert_eq!(found, Retired::of(other.chain(one)));
    found
}

#[test]
fn each_retirement_stands_for_itself() {
    let (a, b) = (LineHash::of("a"), LineHash::of("b"));
    let both = [("r1", a, Reason::Removed), ("r2", a, Reason::Undone("s".to_owned()))];
    assert!(retired(&both, &[]).holds(&a) && !retired(&both, &[]).holds(&b));
    assert!(retired(&both, &["r1"]).holds(&a));
    assert!(!retired(&both, &["r1", "r2"]).holds(&a));
    assert_eq!(retired(&both, &["r1"]).standing(&a)[0].id, "r2");
    assert_eq!(retired(&both, &["r1"]).texts().len(), 1);
    assert!(retired(&both, &["r1", "r2"]).texts().is_empty());
    for word in ["removed", "edited", "masked", "undone:01J", "merged:a:b", "deleted", "newer"] {
        assert_eq!(Reason::from(word.to_owned()).to_string(), word);
    }
}

#[test]
fn records_are_written_without_the_header() {
    let text = page();
    let line = &Page::parse(&text).lines[4];
    let retirement = Retirement::new("r1", "kef-ls50-meta", line, Reason::Undone("01J".to_owned()));
    let mut body = serde_json::to_value(&retirement).unwrap();
    assert_eq!(body["reason"], "undone:01J");
    assert!(body.get("id").is_none());
    body["id"] = "r1".into();
    body["kind"] = "retired".into();
    assert_eq!(serde_json::from_value::<Retirement>(body).unwrap(), retirement);
    assert_eq!(Retirement::new("r", "a", line, Reason::Masked).text, None);
    let restoration = Restoration { id: "x".to_owned(), retirements: vec!["r1".to_owned()] };
    assert_eq!(serde_json::to_string(&restoration).unwrap(), r#"{"retirements":["r1"]}"#);
}

fn entities(pages: &[(&str, &str)], retired: &Retired) -> Entities {
    Entities::of(pages.iter().map(|(slug, text)| ((*slug).to_owned(), Page::parse(text))), retired)
}

fn said(facts: &[Fact]) -> Vec<(&str, &str, usize)> {
    facts
        .iter()
        .map(|fact| (fact.slug.as_str(), fact.line.text.as_str(), fact.also.len()))
        .collect()
}

#[test]
fn merged_pages_are_one_entity() {
    let fact = |text, second| NewLine::fact("x", text, &Origin::default(), at(second)).unwrap();
    let a = append(&new_page("a", "Alpha", at(5)), &[fact("It is old.", 3), fact("It is red.", 1)]);
    let merge = NewLine::merged_into("a", "M1", at(9)).unwrap();
    let title = NewLine::title("Beta", "Alef", at(8)).unwrap();
    let b = append(&new_page("b", "Beta", at(2)), &[fact("it is OLD!", 2), title, merge]);
    let b = format!("{b}- A person's note.\n")
        .replace("title: b\n", "title: b\naliases: [ALPHA]\ntags: [t]\n");
    let none = Retired::default();
    let all = entities(&[("a", &a), ("b", &b)], &none);
    assert_eq!(all.len(), 1);
    let one = all.find("ALEF").unwrap();
    assert_eq!((one.title.as_str(), one.created), ("Alpha", Some(at(2))));
    assert_eq!(one.aliases, ["Alef", "Beta"]);
    assert_eq!((one.tags.join(" "), one.pages.join(" ")), ("t".to_owned(), "a b".to_owned()));
    assert_eq!(said(&one.facts), [("a", "It is red.", 0), ("b", "it is OLD!", 1)]);
    assert_eq!((one.notes[0].slug.as_str(), one.notes[0].number), ("b", 13));
    assert_eq!((all.canonical("b"), all.canonical("c")), ("a", "c"));
    assert_eq!(all.by_slug("b"), Some(one));

    let undone = retired(&[("r", hash_of(&b, "a"), Reason::Undone("M1".to_owned()))], &[]);
    let apart = entities(&[("a", &a), ("b", &b)], &undone);
    assert_eq!(apart.len(), 2);
    assert_eq!(apart.find("beta").unwrap().slug, "b");
    // A title comes before an alias.
    assert_eq!(apart.find("alpha").unwrap().slug, "a");
    assert_eq!(entities(&[("b", &b)], &none).find("beta").unwrap().slug, "b");
}

#[test]
fn titles() {
    let page = new_page("a", "Alpha", at(5));
    let older = append(&page, &[NewLine::title("Alpha", "Older", at(1)).unwrap()]);
    let odd = append(&page, &[NewLine::title("Alpha", "Odd", jiff::Timestamp::MIN).unwrap()]);
    let none = Retired::default();
    for (text, expected) in [
        (page.as_str(), "Alpha"),
        (&older, "Older"),
        (&odd, "Alpha"),
        (&older.replace("title: a\n", "title: Mine\n"), "Mine"),
        ("Words.", "a"),
    ] {
        assert_eq!(entities(&[("a", text)], &none).by_slug("a").unwrap().title, expected);
    }
    let removed = retired(&[("r", hash_of(&page, "Alpha"), Reason::Removed)], &[]);
    assert_eq!(entities(&[("a", &page)], &removed).by_slug("a").unwrap().title, "a");
}

#[test]
fn a_deleted_entity_is_gone_until_it_is_restored() {
    let page = new_page("a", "Alpha", at(5));
    let title = &Page::parse(&page).lines[0];
    let deleted = Record::Retired(Retirement::new("r", "a", title, Reason::Deleted));
    let restored =
        Record::Restored(Restoration { id: "x".to_owned(), retirements: vec!["r".to_owned()] });
    let gone = Retired::of([deleted.clone()]);
    let fact = NewLine::fact("a", "It is old.", &Origin::default(), at(9)).unwrap();
    let with_fact = append(&page, &[fact]);
    let emptied = without(&with_fact, &BTreeSet::from([title.hash]));
    for text in [&page, &with_fact, &emptied] {
        assert!(entities(&[("a", text)], &gone).is_empty());
        assert_eq!(
            entities(&[("a", text)], &Retired::of([deleted.clone(), restored.clone()])).len(),
            1
        );
    }
    let renamed = append(&page, &[NewLine::title("a", "Again", at(9)).unwrap()]);
    assert_eq!(entities(&[("a", &renamed)], &gone).find("again").unwrap().slug, "a");
    // What was merged into it stands alone.
    let b =
        append(&new_page("b", "Beta", at(5)), &[NewLine::merged_into("a", "M", at(6)).unwrap()]);
    assert_eq!(entities(&[("a", &page), ("b", &b)], &gone).canonical("b"), "b");
}

#[test]
fn what_is_indexed() {
    let text = page().replace("- tag", "Mine, <!-- x -->.\n# Head\n- tag");
    let gone = retired(&[("r", hash_of(&text, "LS50 Meta"), Reason::Removed)], &[]);
    let page = Page::parse(&text);
    let found = searchable(&text, &page, &gone);
    let expected = "---\n\n\n---\n\n\
        - KEF LS50 Meta\n\n\nMine, <!-- x -->.\n# Head\n- audio\n\
        - The KEF LS50 Meta is a bookshelf speaker.\n\n";
    assert_eq!(found, expected);
    assert_eq!(counting_tags(&page, &gone), ["audio"]);
    let document = crate::markdown::parse(&found).unwrap();
    assert_eq!((document.body_line, document.warnings.len()), (5, 0));

    let wide =
        text.replace("scope: learned", "scope: learned\ntags: [x]\nother: 1").replace('\n', "\r\n");
    let page = Page::parse(&wide);
    let found = searchable(&wide, &page, &gone);
    assert!(found.starts_with("---\r\n\r\n\r\n\r\n\r\n---\r\n\r\n- KEF"), "{found}");
    assert_eq!(counting_tags(&page, &gone), ["x", "audio"]);

    // The oldest of those that say the same.
    let twice = "- A b. <!-- f:000000000000000a -->\n- a B <!-- f:000000000000000b at:2026-11-21T03:04:05Z -->\n- a B <!-- f:000000000000000b at:2026-11-21T03:04:05Z -->\n<<<<<<< x\n";
    assert_eq!(searchable(twice, &Page::parse(twice), &Retired::default()), "\n- a B\n\n\n");
}

/// Names alone answer nothing.
#[test]
fn names_alone_are_not_indexed() {
    let names =
        append(&new_page("a", "Alpha", at(5)), &[NewLine::alias("a", "Al", at(6)).unwrap()]);
    let indexed = |text: &str| searchable(text, &Page::parse(text), &Retired::default());
    assert_eq!(indexed(&names).trim_matches(['-', '\n']), "");
    assert!(indexed(&format!("{names}\nMine.\n")).contains("- Alpha"));
    assert!(!indexed(&format!("{names}<<<<<<< x\n")).contains("Alpha"));
}

/// Pages that are taken in one by one give what all of them give together; where a merge is about,
/// it says that it cannot tell.
#[test]
fn a_page_at_a_time() {
    use proptest::{prelude::*, test_runner::TestRunner};

    let line = prop::sample::select(vec![
        "- title: Otter <!-- t:00000000000000aa at:2026-11-20T00:00:00Z -->",
        "- title: Badger <!-- t:00000000000000ab at:2026-11-20T00:00:01Z -->",
        "- alias: Otter <!-- a:00000000000000ac at:2026-11-20T00:00:02Z -->",
        "- Otters swim. <!-- f:00000000000000ad at:2026-11-20T00:00:03Z -->",
        "- Otters dive. <!-- f:00000000000000ae at:2026-11-20T00:00:04Z -->",
        "- merged-into: b <!-- m:00000000000000af at:2026-11-20T00:00:05Z -->",
        "- by hand",
    ]);
    let page = (prop::sample::select(vec!["a", "b", "c"]), prop::collection::vec(line, 0..5));
    let steps = prop::collection::vec(page, 1..6);
    TestRunner::default()
        .run(&steps, |steps| {
            let retired = Retired::default();
            let mut pages: std::collections::BTreeMap<String, Page> = Default::default();
            let mut taken = Entities::default();
            for (slug, lines) in steps {
                let page = Page::parse(&lines.join("\n"));
                pages.insert(slug.to_owned(), page.clone());
                let all = Entities::of(pages.clone(), &retired);
                if taken.take(slug, &page, &retired) {
                    prop_assert_eq!(&taken, &all, "{}", slug);
                }
                taken = all;
            }
            Ok(())
        })
        .unwrap();
}
