//! Parts of a note.

use super::*;

const NOTE: &str = "---
title: The note
---

# The note

Intro.

## Set up

One.

### `npm` install, 2*

Two.

## Use

### Notes

Three.

```
## Not a heading
```

## Other

### Notes

Four.


";

/// `first-last heading: first line`, or the error.
#[track_caller]
fn check(text: &str, part: Part, expected: &str) {
    let actual = match excerpt(text, &part) {
        Ok(Excerpt { lines: (first, last), text: cut, heading }) => {
            assert!(text.contains(&cut));
            let line = cut.lines().next().unwrap_or_default();
            format!("{first}-{last} {}: {line}", heading.unwrap_or_default())
        }
        Err(NoPart::Heading { wanted, suggestions }) => {
            format!("! {wanted}? {}", suggestions.join(", "))
        }
        Err(error) => format!("! {error}"),
    };
    assert_eq!(actual, expected, "{part:?}");
}

#[test]
fn headings() {
    let check = |wanted: &str, expected: &str| check(NOTE, Part::Heading(wanted.into()), expected);
    check("Use", "17-25 Use: ## Use");
    check("## use", "17-25 Use: ## Use");
    check("The note", "5-31 The note: # The note");
    check("npm install, 2*", "13-15 npm install, 2*: ### `npm` install, 2*");
    check("*NPM* [install](x) 2", "13-15 npm install, 2*: ### `npm` install, 2*");
    check("set-up", "9-15 Set up: ## Set up");
    check("#set-up", "9-15 Set up: ## Set up");
    check("Notes", "19-25 Notes: ### Notes");
    check("Other > Notes", "29-31 Notes: ### Notes");
    check("the note > other > notes", "29-31 Notes: ### Notes");
    check("The note>Notes", "19-25 Notes: ### Notes");
    check("> Use", "17-25 Use: ## Use");
    check("Set up > Notes", "! Set up > Notes? Notes, The note, Other, npm install, 2*, Use");
    check("Instal npm", "! Instal npm? npm install, 2*, The note, Set up, Notes, Use");
    check("Not a heading", "! Not a heading? Notes, Other, The note, npm install, 2*, Set up");
    check("", "! ? The note, Set up, npm install, 2*, Use, Notes");
    check("🦦", "! 🦦? The note, Set up, npm install, 2*, Use, Notes");
}

#[test]
fn headings_of_odd_notes() {
    let check = |text: &str, wanted: &str, expected: &str| {
        check(text, Part::Heading(wanted.into()), expected);
    };
    check("", "x", "! x? ");
    check("A > B\n===\nx\n\n# A\n## B\n", "A > B", "1-3 A > B: A > B");
    check("# A\r\n\r\nx\r\n\r\n# B", "a", "1-3 A: # A");
    check("# A\r\rx\r\r# B", "b", "5-5 B: # B");
    check("---\ntitle: T\n---\n## A\n### B\n", "T > B", "5-5 B: ### B");
    check("# A", "A", "1-1 A: # A");
    check("# ?!\n", "?!", "1-1 ?!: # ?!");
    check("# ?!\n", "!?", "! !?? ?!");
    check("## A\n# A\n", "A", "1-1 A: ## A");
}

#[test]
fn lines() {
    let whole = |text: &str, expected: &str| check(text, Part::Whole, expected);
    whole("", "1-1 : ");
    whole("a\nb", "1-2 : a");
    whole(NOTE, "1-33 : ---");
    let check = |first, last, expected: &str| check(NOTE, Part::Lines(first, last), expected);
    check(11, 15, "11-15 Set up: One.");
    check(13, 13, "13-13 npm install, 2*: ### `npm` install, 2*");
    check(1, 3, "1-3 : ---");
    check(31, usize::MAX, "31-33 Notes: Four.");
    check(34, 40, "! line 34 is behind the end: there are 33 lines");
    check(0, 4, "! 0-4 are no lines: they are counted from 1, the first one first");
    check(5, 4, "! 5-4 are no lines: they are counted from 1, the first one first");
    let cut = excerpt("a\r\nb\rc\nd", &Part::Lines(2, 3)).unwrap();
    assert_eq!(cut.text, "b\rc\n");
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..Default::default() })]

    #[test]
    fn every_heading_is_found_by_its_text(
        text in r"((#{1,6} |[-=]{3}|> |- |```|~~~|<!--|\PC{0,8}|[ab*`_\[\]> ]{0,5})(\n|\r\n|\r)?){0,30}",
        wanted in r"\PC{0,20}",
        first in 0_usize..20,
        last in 0_usize..20,
    ) {
        let document = markdown::parse(&text).unwrap();
        for heading in document.headings.iter().filter(|heading| !heading.text.is_empty()) {
            let found = excerpt(&text, &Part::Heading(heading.text.clone())).unwrap();
            prop_assert_eq!(found.heading.as_ref(), Some(&heading.text));
            prop_assert!(found.lines.0 <= heading.line && found.lines.0 <= found.lines.1);
        }
        let _ = excerpt(&text, &Part::Heading(wanted));
        let whole = excerpt(&text, &Part::Whole).unwrap();
        prop_assert_eq!(&whole.text, &text);
        if let Ok(cut) = excerpt(&text, &Part::Lines(first, last)) {
            prop_assert!(cut.lines.0 == first && cut.lines.1 <= last.min(whole.lines.1));
            prop_assert!(text.contains(&cut.text));
        }
    }

    #[test]
    fn suggested_paths_are_among_those_given(
        wanted in r"\PC{0,30}",
        paths in prop::collection::vec(r"[a-c/.é -]{0,12}(\.md)?|\PC{0,20}", 0..30),
    ) {
        let found = nearest(&wanted, paths.iter().map(String::as_str), 5);
        prop_assert!(found.len() <= 5);
        prop_assert!(found.iter().all(|path| paths.iter().any(|given| given == path)));
        let mut backwards = paths.clone();
        backwards.reverse();
        prop_assert_eq!(&found, &nearest(&wanted, backwards.iter().map(String::as_str), 5));
    }
}
