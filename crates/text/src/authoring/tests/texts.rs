//! What a note looks like.

use super::*;

/// What follows the front matter, for a body.
#[track_caller]
fn check(body: &str, expected: &str) {
    let planned = plan_in_void(&Draft { body: Some(body), ..draft("T") }).unwrap();
    assert_eq!(body_of(&planned.text), expected, "{body:?}");
}

/// What follows the title, for one section.
#[track_caller]
fn check_section(text: &str, expected: &str) {
    let sections = [("S", text), ("Next", "n")];
    let planned = plan_in_void(&Draft { sections: &sections, ..draft("T") }).unwrap();
    let expected = format!("\n# T\n\n## S\n\n{expected}\n\n## Next\n\nn\n");
    assert_eq!(body_of(&planned.text), expected, "{text:?}");
}

#[test]
fn a_whole_note() {
    let tags = ["#npm".to_owned(), " eacces, 13 ".to_owned(), "npm".to_owned(), "# ".to_owned()];
    let sections = [
        ("What happened", "`npm install` said EACCES.\r\n\r\n# Log\r\n\r\nnone\r\n\r\n"),
        ("Root cause", ""),
    ];
    let planned = plan_in_void(&Draft {
        kind: Kind::Failure,
        title: "npm: \"EACCES\" in `npm install` <b>",
        sections: &sections,
        tags: Some(&tags),
        ..draft("")
    })
    .unwrap();
    assert_eq!(
        planned.path,
        Path::new("knowledge/learned/failures/2026-11-22-npm-eacces-in-npm-install-b.md")
    );
    assert!(!planned.overwrites);
    assert_eq!(
        planned.text,
        r##"---
title: "npm: \"EACCES\" in `npm install` <b>"
created: 2026-11-22T06:07:08Z
updated: 2026-11-22T06:07:08Z
tags: ["npm", "eacces, 13"]
scope: learned
---

# Failure: npm: "EACCES" in `npm install` \<b>

## What happened

`npm install` said EACCES.

### Log

none

## Root cause
"##
    );
}

#[test]
fn bodies() {
    check("", "\n# T\n");
    check("\n \n\ntext \n\n", "\n# T\n\ntext\n");
    check("    code\n", "\n# T\n\n    code\n");
    check("# Own\n\ntext", "\n# Own\n\ntext\n");
    check("Own\n===\n\n# Other\n", "\nOwn\n===\n\n# Other\n");
    check("text\n\n# One\n\n## Two", "\n# T\n\ntext\n\n## One\n\n### Two\n");
    check("text\n\n## Two", "\n# T\n\ntext\n\n## Two\n");
    check(
        "a\u{1b}[2J\u{0}b\u{202e}c\u{200b}d\u{feff}\re\u{2028}f",
        "\n# T\n\na␛[2J␀b<U+202E>cd\ne\nf\n",
    );
    check("👨\u{200d}👩\u{200d}👧 x\u{200d}y", "\n# T\n\n👨\u{200d}👩\u{200d}👧 xy\n");
    check("---\n\nno header\n", "\n# T\n\n---\n\nno header\n");
}

#[test]
fn sections() {
    check_section("text", "text");
    check_section("# A\n## B #\n###### C", "### A\n#### B #\n###### C");
    check_section("#### deep", "#### deep");
    check_section("#\n\n#hashtag", "###\n\n#hashtag");
    check_section("One\ntwo\\\nthree #\n---\nx", "### One two three # ###\nx");
    check_section("---\na: b\n---\n", "---\n### a: b");
    check_section("---\n\u{3000}\n---", "---\n###");
    check_section("> # quoted\n\n- # item", "> # quoted\n\n- # item");
    check_section("```sh\n# no heading", "```sh\n# no heading\n```");
    check_section("a\n\n~~~~\n~~~", "a\n\n~~~~\n~~~\n~~~~");
    check_section("# A\n\n<!-- open\n\n```", "### A\n\n````text\n<!-- open\n\n```\n````");
    check_section("<!-- closed -->", "<!-- closed -->");
    check_section("<div>\n\n# A", "<div>\n\n### A");
    check_section("| a |\n|---|\n| b |", "| a |\n|---|\n| b |");
    // The definition belongs to the heading, as its lines are counted.
    check_section("[a]: b\nfoo\n---", "```text\n[a]: b\nfoo\n---\n```");
}

#[test]
fn headings_of_sections_read_as_they_were_given() {
    for (heading, written) in [
        ("1. plain, (text) - C# & a_b <3", "1. plain, (text) - C# & a_b <3"),
        ("# a ## b #", r"\# a \## b \#"),
        ("*a* _b_ ~~c~~ 2 * 3", r"\*a\* \_b\_ \~\~c\~\~ 2 * 3"),
        ("[a](b) ![c] [[d|e]]", r"\[a](b) !\[c] \[\[d|e]]"),
        (r"C:\dir \* &amp; &#35;", r"C:\dir \\\* \&amp; \&#35;"),
        ("<b>x</b> <!-- y --> <http://a>", r"\<b>x\</b> \<!-- y --> \<http://a>"),
        ("odd ` tick", r"odd \` tick"),
        ("``a``", r"\`\`a\`\`"),
        (" a\r\n\tb\u{202e} ", "a b"),
    ] {
        let sections = [(heading, "[a]: x\n[d]: x")];
        let planned = plan_in_void(&Draft { sections: &sections, ..draft("T") }).unwrap();
        assert!(planned.text.contains(&format!("\n## {written}\n")), "{}", planned.text);
        let document = markdown::parse(&planned.text).unwrap();
        let plain = elophanto_base::one_line::one_line(heading, 100);
        assert_eq!(document.headings.last().unwrap().text, plain);
    }
    let sections = [("`a_b*` and `<c>`", "")];
    let planned = plan_in_void(&Draft { sections: &sections, ..draft("T") }).unwrap();
    assert!(planned.text.ends_with("\n## `a_b*` and `<c>`\n"));
}

#[test]
fn the_first_heading_says_the_kind_once() {
    for (kind, title, expected) in [
        (Kind::Task, "x", "# Task: x"),
        (Kind::Pattern, "pattern: x", "# pattern: x"),
        (Kind::Service, "x", "# Service: x"),
        (Kind::Note, "x", "# x"),
    ] {
        let planned = plan_in_void(&Draft { kind, ..draft(title) }).unwrap();
        assert_eq!(body_of(&planned.text), format!("\n{expected}\n"));
    }
}

#[test]
fn templates_are_sections() {
    for kind in Kind::ALL {
        let sections: Vec<(&str, &str)> =
            template(kind).iter().map(|heading| (*heading, "")).collect();
        let draft = Draft { kind, sections: &sections, ..draft("T") };
        let document = markdown::parse(&plan_in_void(&draft).unwrap().text).unwrap();
        let found: Vec<&str> =
            document.headings.iter().skip(1).map(|heading| heading.text.as_str()).collect();
        assert_eq!(found, template(kind));
        assert_eq!(found.len(), if kind == Kind::Note { 0 } else { 4 });
    }
}

#[test]
fn caps_are_named() {
    let check = |draft: Draft<'_>, expected: &str| {
        assert_eq!(plan_in_void(&draft).unwrap_err().to_string(), expected);
    };
    check(draft(""), "the title is empty");
    check(draft("\u{202e}\0 \u{200b}\n"), "the title is empty");
    check(
        Draft { sections: &[("a", ""), (" ", "x")], ..draft("T") },
        "the heading of section 2 is empty",
    );
    let many = vec![("a", ""); MAX_SECTIONS + 1];
    check(Draft { sections: &many, ..draft("T") }, "101 sections, over the cap of 100");
    let many: Vec<String> = (0..=MAX_TAGS).map(|number| number.to_string()).collect();
    check(Draft { tags: Some(&many), ..draft("T") }, "51 tags, over the cap of 50");
    let in_body = format!("---\ntags: [{}]\n---\n", many.join(", "));
    check(Draft { body: Some(&in_body), ..draft("T") }, "51 tags, over the cap of 50");
    let large = "a".repeat(MAX_NOTE_BYTES);
    check(
        Draft { body: Some(&large), ..draft("T") },
        "262145 bytes of text, over the cap of 262144",
    );
    let large = "a\u{0}".repeat(MAX_NOTE_BYTES / 3);
    assert!(matches!(
        plan_in_void(&Draft { body: Some(&large), ..draft("T") }),
        Err(AuthoringError::TooLarge { .. })
    ));
    let ragged = format!("|{}\n|{}\n{}", "a|".repeat(999), "-|".repeat(999), "|\n".repeat(999));
    check(
        Draft { body: Some(&ragged), ..draft("T") },
        "the text cannot be a note: tables with too few cells in their rows, over the cap of \
         100000 (line 104)",
    );
    let long = "word ".repeat(1000);
    let planned = plan_in_void(&draft(&long)).unwrap();
    let document = markdown::parse(&planned.text).unwrap();
    assert_eq!(document.title().unwrap().chars().count(), 199);
}
