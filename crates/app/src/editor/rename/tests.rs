use proptest::prelude::*;

use super::{
    plan::{Doc, Standing},
    *,
};
use elophanto_text::markdown::{self, Destination, Notes, followed, resolve_link};

fn docs(notes: &[(&str, &str)]) -> Vec<Doc> {
    let doc = |(path, text): &(&str, &str)| Doc {
        path: (*path).to_owned(),
        text: (*text).to_owned(),
        aliases: None,
        standing: Standing::Note,
        kept: None,
    };
    let mut docs: Vec<Doc> = notes.iter().map(doc).collect();
    docs.sort_by(|a, b| a.path.cmp(&b.path));
    docs
}

/// The texts after a rename, or why there is none.
fn renamed(notes: &[(&str, &str)], from: &str, to: &str) -> Result<Vec<(String, String)>, String> {
    let docs = docs(notes);
    let exists = |path: &str| docs.iter().any(|doc| doc.path == path);
    shown(&docs, note(&docs, &exists, from, to))
}

fn shown(
    docs: &[Doc],
    plan: Result<Renamed, Vec<Unproven>>,
) -> Result<Vec<(String, String)>, String> {
    let plan = plan.map_err(|unproven| {
        let one = |it: &Unproven| format!("{}:{}: {}", it.path, it.line, it.why);
        unproven.iter().map(one).collect::<Vec<_>>().join("\n")
    })?;
    Ok(applied(docs, &plan))
}

fn applied(docs: &[Doc], plan: &Renamed) -> Vec<(String, String)> {
    let text = |doc: &Doc| {
        let mut text = doc.text.clone();
        let change = plan.changes.iter().find(|it| it.path == doc.path);
        for (range, new) in change.iter().flat_map(|it| &it.edits).rev() {
            text.replace_range(range.clone(), new);
        }
        text
    };
    let path = |doc: &Doc| match &plan.moved {
        Some((from, to)) if *from == doc.path => to.clone(),
        _ => doc.path.clone(),
    };
    docs.iter().map(|doc| (path(doc), text(doc))).collect()
}

#[test]
fn links_follow_a_note() {
    let notes = [
        ("a/one.md", "# One\n[[two]] [x](../b/two.md#part) ![y](pic.png) [self](#one)\n"),
        ("b/two.md", "# Two\n## Part\n[[one]] [[a/one|x]] [r](<../a/one.md>)\n"),
    ];
    let found = renamed(&notes, "a/one.md", "c/first one.md").expect("all is certain");
    assert_eq!(
        found[1],
        (
            "b/two.md".to_owned(),
            "# Two\n## Part\n[[first one]] [[c/first one|x]] [r](<../c/first one.md>)\n".to_owned()
        )
    );
}

#[test]
fn addresses_of_sites_follow_a_note() {
    let notes = [
        ("docs/a/one.md", "# One\n"),
        ("docs/b/two.md", "[x](/a/one/) [y](/docs/a/one.md#part) [z](</a/one.html> \"t\")\n"),
        ("docs/c.md", "[x](/none/) [y](/b/two)\n"),
    ];
    let found = renamed(&notes, "docs/a/one.md", "docs/new one.md").expect("all is certain");
    assert_eq!(
        found[1].1,
        "[x](/new%20one/) [y](/docs/new%20one.md#part) [z](</new one.html> \"t\")\n"
    );
    assert_eq!(found[2].1, notes[2].1);
    assert_eq!(
        renamed(&notes, "docs/a/one.md", "other.md").unwrap_err().lines().next(),
        Some("docs/b/two.md:1: `/a/one.html`: no way to write this link leads there")
    );
}

#[test]
fn what_is_not_certain_is_named() {
    let check = |notes: &[(&str, &str)], expected: &str| {
        assert_eq!(renamed(notes, "one.md", "new.md").unwrap_err(), expected);
    };
    let one = ("one.md", "# One\n");
    check(
        &[one, ("two.md", "[x][l]\n\n[l]: one.md\n")],
        "two.md:1: `one.md`: where its target is written cannot be told",
    );
    check(&[one, ("two.md", "text\n\n<a href=\"one.md\">x</a>\n")], "two.md:3: HTML refers to it");
    check(
        &[one, ("two.md", "---\ncovers: [one.md]\n---\n# T\n")],
        "two.md:1: `covers: one.md` names it",
    );
    check(
        &[one, ("two.md", "[[new]]\n")],
        "two.md:1: `new`: it leads nowhere now, and would lead to the note under its new name",
    );
    for (text, expected) in [
        ("<a\n href=\n\"one.md\">x</a>\n", "two.md:2: HTML refers to it"),
        ("<A HREF='ONE/../one.md'>x</A>\n", "two.md:1: HTML refers to it"),
        ("<img srcset=\"x.png 1x, one.md 2x\">\n", "two.md:1: HTML refers to it"),
        ("---\nup: \"[[one]]\"\n---\n", "two.md:2: the front matter refers to it"),
        ("---\nrelated: one.md\n---\n", "two.md:2: the front matter refers to it"),
        ("---\nrelated:\n  - one\n---\n", "two.md:3: the front matter refers to it"),
        ("[x](one.md?raw=true)\n", "two.md:1: `one.md?raw=true`: forges find it there"),
    ] {
        check(&[one, ("two.md", text)], expected);
    }
    check(
        &[
            one,
            ("two.md", "---\ntitle: one\ntags: [one]\n---\n<b>one</b> href\n[x][l]\n\n[l]: one.md"),
        ],
        "two.md:6: `one.md`: where its target is written cannot be told",
    );
}

#[test]
fn what_a_note_names_beside_links_stays_where_it_is() {
    let notes = [
        ("a/one.md", "<img src=\"pic.png\"> <a href=\"b.md\">b</a>\n"),
        ("a/b.md", ""),
        ("a/pic.png", ""),
    ];
    assert!(renamed(&notes, "a/one.md", "a/new.md").is_ok());
    assert_eq!(
        renamed(&notes, "a/one.md", "new.md").unwrap_err(),
        "a/one.md:1: HTML in it leads elsewhere from there\n\
         a/one.md:1: HTML in it leads elsewhere from there"
    );
    let encoded = [("my note.md", ""), ("b.md", "<a href=\"my%20note.md#x\">b</a>\n")];
    assert_eq!(renamed(&encoded, "my note.md", "new.md").unwrap_err(), "b.md:1: HTML refers to it");
}

#[test]
fn what_is_left_out_finds_no_name_and_is_not_edited() {
    let with = |standing: Standing, text: &str, kept: Option<&'static str>| {
        let mut docs = docs(&[("one.md", "# One\n"), ("two.md", "[[one]]\n"), ("x/one.md", text)]);
        (docs[2].standing, docs[2].kept) = (standing, kept);
        let exists = |path: &str| docs.iter().any(|doc| doc.path == path);
        shown(&docs, note(&docs, &exists, "one.md", "new.md"))
    };
    let kept = Some("its file is not edited");
    assert_eq!(with(Standing::Beside, "", kept).unwrap()[1].1, "[[new]]\n");
    assert_eq!(with(Standing::Beside, "[x](../one.md)\n", None).unwrap()[2].1, "[x](../new.md)\n");
    assert_eq!(
        with(Standing::Beside, "[x](../one.md)\n", kept).unwrap_err(),
        "x/one.md:1: `../one.md`: its file is not edited"
    );
    assert_eq!(
        with(Standing::Unreadable, "o?n? one", None).unwrap_err(),
        "x/one.md:1: it cannot be read, and may name the note"
    );
}

#[test]
fn a_heading_of_a_file_that_is_not_edited_stays() {
    let mut docs = docs(&[("one.md", "# One\n")]);
    docs[0].kept = Some("its file is not edited");
    let refused = shown(&docs, heading(&docs, &|path| path == "one.md", "one.md", 0, "New"));
    assert_eq!(refused.unwrap_err(), "one.md:1: its file is not edited");
}

#[test]
fn a_fact_that_was_found_in_a_note_is_in_the_way() {
    let fact = "- X <!-- f:0123456789abcdef src:notes/otters.md against:notes/b.md -->\n";
    let notes = [("learned/x.md", fact), ("notes/otters.md", ""), ("notes/b.md", "")];
    for from in ["notes/otters.md", "notes/b.md"] {
        let refused = renamed(&notes, from, "notes/new.md").unwrap_err();
        assert_eq!(refused, "learned/x.md:1: a fact refers to it");
    }
}

#[test]
fn patterns_of_covers_stop_at_folders() {
    let covers = |pattern: &str| format!("---\ncovers: [\"{pattern}\"]\n---\n# X\n");
    let check = |pattern: &str, is_free: bool| {
        let text = covers(pattern);
        let notes = [("a/b/one.md", "# One\n"), ("two.md", text.as_str())];
        assert_eq!(renamed(&notes, "a/b/one.md", "c/one.md").is_ok(), is_free, "{pattern}");
    };
    check("a/*.md", true);
    check("a/**/*.md", false);
    check("a", false);
}

#[test]
fn a_name_that_another_note_has_is_written_with_its_path() {
    let notes = [("a/one.md", ""), ("b/new.md", ""), ("two.md", "[[one]] [[new]]\n")];
    let found = renamed(&notes, "a/one.md", "a/new.md").expect("all is certain");
    assert_eq!(found[2].1, "[[a/new]] [[b/new]]\n");
}

#[test]
fn names_in_other_letters_and_pages_of_a_site_follow_a_note() {
    let two = "[[ONE]] [x](a/one.html#part) [y](a/one.html)\n";
    let notes = [("a/one.md", ""), ("two.md", two)];
    let found = renamed(&notes, "a/one.md", "b/new.md").expect("all is certain");
    assert_eq!(found[1].1, "[[new]] [x](b/new.html#part) [y](b/new.html)\n");
    let refused = renamed(&[("one.md", ""), ("two.md", "<a href=one.html>\n")], "one.md", "new.md");
    assert_eq!(refused.unwrap_err(), "two.md:1: HTML refers to it");
}

#[test]
fn headings_are_renamed_with_what_refers_to_them() {
    let notes = docs(&[
        ("one.md", "# One\n\n## Part ##\n[[#Part]]\n\nOld\n---\n"),
        ("two.md", "[[one#Part]] [[one#One#part|x]] [y](one.md#part) [z](one.md#old)\n"),
    ]);
    let exists = |path: &str| notes.iter().any(|doc| doc.path == path);
    let found =
        shown(&notes, heading(&notes, &exists, "one.md", 1, "New `part`!")).expect("certain");
    assert_eq!(found[0].1, "# One\n\n## New `part`! ##\n[[#New part!]]\n\nOld\n---\n");
    assert_eq!(
        found[1].1,
        "[[one#New part!]] [[one#One#new-part|x]] [y](one.md#new-part) [z](one.md#old)\n"
    );
    // Another heading has that name already: links by words would lead there.
    let twice = shown(&notes, heading(&notes, &exists, "one.md", 2, "Part"));
    assert!(twice.is_err() || twice.unwrap()[1].1.contains("part-1"));
    assert!(heading(&notes, &exists, "one.md", 9, "x").is_err());
    for (text, is_certain) in [
        ("<a href=\"#part\">x</a>\n", false),
        ("---\nup: \"[[one#Part]]\"\n---\n", false),
        ("[x](/one.md#part)\n", true),
        ("<a href=\"one.md#old\">x</a>\n", true),
        ("<a href=\"one.md\">x</a>\n", true),
    ] {
        let own = if text.contains("=\"#") { text } else { "" };
        let one = format!("# One\n\n## Part ##\n\nOld\n---\n{own}");
        let notes = docs(&[("one.md", &one), ("two.md", text)]);
        let planned = heading(&notes, &exists, "one.md", 1, "New");
        assert_eq!(planned.is_ok(), is_certain, "{text}: {planned:?}");
    }
}

#[test]
fn new_names_stay_beneath_the_root() {
    assert_eq!(new_path("a/b.md", "c").unwrap(), "a/c.md");
    assert_eq!(new_path("a/b.md", "d/c.md").unwrap(), "d/c.md");
    assert_eq!(new_path("a/b.md", "/c.md").unwrap(), "c.md");
    for name in ["../c", "/../c", ".c", "a/.git/c", "c:d", "a//b"] {
        assert!(new_path("a/b.md", name).is_err(), "{name}");
    }
}

/// The note that a target in double brackets means, looked for one by one.
fn meant(docs: &[(String, String)], note: &str, target: &str) -> Option<String> {
    let folder = note.rsplit_once('/').map_or("", |(folder, _)| folder);
    let target = target.to_lowercase();
    let bare = |path: &str| path.to_lowercase().trim_end_matches(".md").to_owned();
    let find = |path: &str| docs.iter().find(|(known, _)| bare(known) == bare(path));
    let whole = |base| followed(base, target.split('/')).and_then(|path| find(&path));
    let top = |path: &str| path.split_once('/').map_or("", |(top, _)| top).to_owned();
    let is_elsewhere = |path: &str| !top(note).is_empty() && top(path) != top(note);
    let ends = |path: &str| format!("/{}", bare(path)).ends_with(&format!("/{}", bare(&target)));
    let anywhere = || {
        let all = docs.iter().filter(|(path, _)| !target.starts_with('.') && ends(path));
        all.min_by_key(|(path, _)| (is_elsewhere(path), path.len(), path))
    };
    let found = whole(folder).or_else(|| whole("")).or_else(anywhere);
    found.map(|(path, _)| path.clone())
}

/// Where every link of every note leads, with the renamed note under its old name.
fn destinations(docs: &[(String, String)], back: &dyn Fn(&str) -> String) -> Vec<Vec<Destination>> {
    let exists = |path: &str| docs.iter().any(|(known, _)| known == path);
    docs.iter()
        .map(|(path, text)| {
            let document = markdown::parse(text).expect("parses");
            let by_name = |target: &str| meant(docs, path, target);
            let notes = Notes {
                exists: &exists,
                by_name: &by_name,
                by_alias: &|_| None,
                by_file: &|_| None,
                by_end: &|end| {
                    let is_so = |path: &&str| format!("/{path}").ends_with(&format!("/{end}"));
                    let paths = docs.iter().map(|(path, _)| path.as_str()).filter(is_so);
                    paths.map(str::to_owned).collect()
                },
                by_address: &|_| None,
            };
            let to = document.links.iter().map(|link| match resolve_link(path, link, &notes) {
                Destination::Inside(to) => Destination::Inside(back(&to)),
                other => other,
            });
            to.collect()
        })
        .collect()
}

fn names() -> impl Strategy<Value = String> {
    let folder = prop::sample::select(vec!["", "a/", "b/", "a/b/"]);
    let name = prop::sample::select(vec!["one", "two", "three words", "ü", "x-1"]);
    (folder, name).prop_map(|(folder, name)| format!("{folder}{name}.md"))
}

fn link() -> impl Strategy<Value = String> {
    let target = prop::sample::select(vec![
        "one",
        "two",
        "ONE",
        "B/two",
        "one.html",
        "/one",
        "/b/two/",
        "/b/one.html",
        "/a/b/two.md",
        "a/one",
        "b/two",
        "a/b/ü",
        "../one.md",
        "one.md",
        "three words",
        "x-1",
        "b/x-1.md",
        "../a/b/two.md",
        "a/three%20words.md",
        "#here",
        "https://example.org/one.md",
        "nowhere",
    ]);
    let form = prop::sample::select(vec![
        "[[{}]]", "[[{}|shown]]", "![[{}#part]]", "[x]({})", "[x](<{}>)", "[x]({} \"title\")",
        "> - [[{}]]", "`[[{}]]`", "[x][l]\n\n[l]: {}",
    ]);
    (form, target).prop_map(|(form, target)| form.replace("{}", target))
}

proptest! {
    /// Whatever is not refused leaves every link where it led.
    #[test]
    fn no_rename_breaks_a_link(
        notes in prop::collection::btree_map(names(), prop::collection::vec(link(), 0..6), 1..6),
        to in names(),
        which in 0_usize..6,
    ) {
        let docs: Vec<Doc> = notes
            .iter()
            .map(|(path, links)| Doc {
                path: path.clone(),
                text: links.join("\n\n"),
                aliases: None,
                standing: Standing::Note,
                kept: None,
            })
            .collect();
        let from = docs[which % docs.len()].path.clone();
        let exists = |path: &str| docs.iter().any(|doc| doc.path == path);
        prop_assume!(!exists(&to));
        if let Ok(plan) = note(&docs, &exists, &from, &to) {
            let before: Vec<(String, String)> =
                docs.iter().map(|doc| (doc.path.clone(), doc.text.clone())).collect();
            let after = applied(&docs, &plan);
            let same = |path: &str| path.to_owned();
            let back = |path: &str| if path == to { from.clone() } else { path.to_owned() };
            prop_assert_eq!(destinations(&before, &same), destinations(&after, &back));
        }
    }
}
