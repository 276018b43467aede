//! Who may overwrite a note, and what of it stays.

use super::*;

const PATH: &str = "knowledge/learned/notes/a.md";

/// The whole new text, or the refusal with its hint. `hash` of `None` stands for the right one.
fn overwritten(old: &str, body: &str, hash: Option<Option<&str>>) -> String {
    let tags = ["new".to_owned()];
    let path = Some(Path::new("learned/notes/a"));
    let draft = Draft { body: Some(body), tags: Some(&tags), path, ..draft("T") };
    let right = content_hash(old);
    let hash = hash.unwrap_or(Some(&right));
    match plan(&draft, Path::new(ROOT), now(), &world(&[(PATH, old)]), hash) {
        Ok(planned) => {
            assert!(planned.overwrites && planned.path == Path::new(PATH));
            planned.text
        }
        Err(error) => format!("! {}", told(&error)),
    }
}

/// What the front matter has behind `scope`, and its times.
#[track_caller]
fn check(old: &str, body: &str, created: &str, kept: &str) {
    let expected = format!(
        "---\ntitle: \"T\"\ncreated: {created}\nupdated: 2026-11-22T06:07:08Z\ntags: [\"new\"]\n\
         scope: learned\n{kept}---\n\n# T\n\nbody\n"
    );
    assert_eq!(overwritten(old, body, None), expected, "{old:?}");
}

const NOW: &str = "2026-11-22T06:07:08Z";

#[test]
fn tags_that_are_not_given_stay() {
    let old = "---\ntitle: A\ntags: [kept, too]\n---\n\nold\n";
    let path = Some(Path::new("learned/notes/a"));
    let given = ["new".to_owned()];
    for (tags, body, expected) in [
        (None, "body", "tags: [\"kept\", \"too\"]\n"),
        (None, "---\ntags: [front]\n---\nbody", "tags: [\"front\"]\n"),
        (Some(&[][..]), "body", "tags: []\n"),
        (Some(&given[..]), "body", "tags: [\"new\"]\n"),
    ] {
        let draft = Draft { body: Some(body), tags, path, ..draft("T") };
        let hash = content_hash(old);
        let world = world(&[(PATH, old)]);
        let planned = plan(&draft, Path::new(ROOT), now(), &world, Some(&hash)).unwrap();
        assert!(planned.text.contains(expected), "{tags:?}: {}", planned.text);
    }
}

#[test]
fn only_who_knows_it_may() {
    let there = "! `knowledge/learned/notes/a.md` is already there (read it first with `get`, then \
                 show the hash that it gives; or take another path)";
    let changed = "! `knowledge/learned/notes/a.md` is not what it was when it was read (read it \
                   again with `get` and merge what is new there)";
    let hash = content_hash("old");
    assert_eq!(hash.len(), 16);
    assert_eq!(overwritten("old", "", Some(None)), there);
    assert_eq!(overwritten("old", "", Some(Some(""))), changed);
    assert_eq!(overwritten("old", "", Some(Some(&hash[..15]))), changed);
    assert_eq!(overwritten("old\r\n", "", Some(Some(&content_hash("old\n")))), changed);
    assert!(!there.contains(&hash) && !changed.contains(&hash));
    assert!(overwritten("old", "", Some(Some(&format!(" {hash}\n")))).starts_with("---\n"));

    let path = Some(Path::new("learned/notes/a"));
    let draft = Draft { path, ..draft("T") };
    let plan = |existing: &dyn Fn(&Path) -> Existing, hash: Option<&str>| {
        plan(&draft, Path::new(ROOT), now(), existing, hash).unwrap_err().to_string()
    };
    let none = |_: &Path| Existing::None;
    let folder = |_: &Path| Existing::NotAFile;
    assert_eq!(plan(&none, Some(&hash)), format!("`{PATH}` is not there any more"));
    assert_eq!(plan(&folder, Some(&hash)), format!("`{PATH}` is no file that can be a note"));
}

#[test]
fn created_and_other_keys_stay() {
    check("no front matter", "body", NOW, "");
    check(
        "---\ntitle: old\ncreated: 2026-01-31\nupdated: 2026-02-01\ntags: [a]\nscope: learned\n---\n",
        "body",
        "2026-01-31T00:00:00Z",
        "",
    );
    check(
        "---\r\n# about\r\ncovers:\r\n- src/a.rs\r\n- src/b.rs\r\ntitle: old\r\n\r\n# why\r\nn: 007  # bond\r\nlong: |\r\n  # one\r\n\r\n  two\r\n---\r\n",
        "body",
        NOW,
        "# about\ncovers:\n- src/a.rs\n- src/b.rs\n# why\nn: 007  # bond\nlong: |\n  # one\n\n  two\n",
    );
    // What is not one key a line is told in other words.
    check(
        "---\n{title: old, a: [1, {b: ~}], 'c d': \"e\\u202e\\\"f\"}\n---\n",
        "body",
        NOW,
        "a: [\"1\", {\"b\": null}]\n\"c d\": \"e<U+202E>\\\"f\"\n",
    );
    check("---\n  a: 1\n  created: yesterday\n---\n", "body", NOW, "a: \"1\"\n");
    check(
        "+++\ncreated = 2026-01-31T10:00:00Z\nweight = 3\ndraft = false\nday = 2026-01-31\n[extra]\nx = [1.5, \"y\"]\n+++\n",
        "body",
        "2026-01-31T10:00:00Z",
        "day: \"2026-01-31\"\ndraft: false\nextra: {\"x\": [1.5, \"y\"]}\nweight: 3\n",
    );
    check("---\n\njust a rule\n\n---\n", "body", NOW, "");
    // Line feeds at the end that a value keeps.
    check(
        "---\na: |+\n  x\n\n\nb: >-\n  y\n\n---\n",
        "body",
        NOW,
        "a: \"x\\n\\n\\n\"\nb: >-\n  y\n",
    );
    // The new text has the last word.
    check(
        "---\na: old\nb: old\n---\n",
        "---\nb: new\nc: new\n---\nbody",
        NOW,
        "a: old\nb: new\nc: new\n",
    );
}

#[test]
fn what_cannot_be_kept_is_not_lost() {
    for (old, said) in [
        ("---\na: 1\na: 2\n---\n", ", line 3: the key `a` occurs twice"),
        ("---\na: &x 1\n---\n", ", line 2: anchors and aliases are not allowed in YAML here"),
        ("---\na: 1\n\ntext", ", line 1: it is not closed"),
        (
            "+++\na = \n+++\n",
            ", line 2: invalid TOML: string values must be quoted, expected literal string",
        ),
    ] {
        assert_eq!(
            overwritten(old, "body", None),
            format!("! front matter of `{PATH}`{said} (mend it by hand first)")
        );
    }
}

#[test]
fn front_matter_of_the_body_is_merged_or_refused() {
    let check = |body: &str, expected: &str| {
        let tags = ["one".to_owned()];
        let draft = Draft { body: Some(body), tags: Some(&tags), ..draft("T") };
        let actual = match plan_in_void(&draft) {
            Ok(planned) => {
                let front = markdown::parse(&planned.text).unwrap().front_matter;
                assert_eq!(front.title.as_deref(), Some("T"));
                assert_eq!(body_of(&planned.text), "\n# T\n\nbody\n");
                front.tags.join(" ")
            }
            Err(error) => error.to_string(),
        };
        assert_eq!(actual, expected, "{body:?}");
    };
    check("---\ntitle: other\ntags: [two, '#one']\nscope: learned\n---\nbody", "one two");
    check("\n\n---\r\ntags: two\r\n---\r\n\r\nbody", "one two");
    check("\u{feff}+++\ntags = ['two']\n+++\nbody", "one two");
    check("---\n---\nbody", "one");
    check(
        "---\nscope: system\n---\nbody",
        "front matter in the text: the scope is `system`, and what tools write is `learned`",
    );
    check(
        "---\nscope: mine\n---\nbody",
        "front matter in the text, line 2: `scope` ignored: `mine` is no scope (system, user, \
         learned or plugin)",
    );
    check(
        "\n---\na: [\n---\n",
        "front matter in the text, line 4: invalid YAML: while parsing a node, did not find expected node content",
    );
    check("---\na: b\nbody", "front matter in the text, line 1: it is not closed");
}

#[test]
fn writing_what_was_read_changes_nothing_but_the_time() {
    let sections = [("A", "x\n\n# B"), ("C", "```\nopen")];
    let draft = Draft { kind: Kind::Pattern, sections: &sections, ..draft("A *title*") };
    let first = plan_in_void(&draft).unwrap();
    let there = world(&[(first.path.to_str().unwrap(), &first.text)]);
    let hash = content_hash(&first.text);
    let again = Draft { body: Some(&first.text), sections: &[], path: Some(&first.path), ..draft };
    let later: Timestamp = "2027-01-01T00:00:00Z".parse().unwrap();
    let second = plan(&again, Path::new(ROOT), later, &there, Some(&hash)).unwrap();
    assert!(second.overwrites);
    let updated = "updated: 2026-11-22T06:07:08Z";
    assert_eq!(second.text, first.text.replace(updated, "updated: 2027-01-01T00:00:00Z"));
}
