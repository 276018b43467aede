//! Notes that would like to be more than text, and names that would like to be markup.

use super::{Visitor, main_of};
use crate::env::TestEnv;

const EVIL: &str = "# A <img src=x onerror=alert(1)>\n\n<script>alert(1)</script>\n\n\
    <svg onload=alert(2)><style>*{display:none}</style>\n\n[a](javascript:alert(3)) \
    [b](data:text/html,<script>x</script>) ![c](https://evil.test/p.png)\n\n\
    <iframe src=\"https://evil.test\"></iframe>\n\n`<script>` \u{202e}desrever\u{202c}\n\n\
    | <b>x</b> |\n|---|\n| [d](vbscript:x) |\n";

/// Tags and attributes of a page that are none of ours.
#[track_caller]
fn harmless(html: &str, what: &str) {
    let scripts: Vec<&str> =
        html.match_indices("<script").map(|(at, _)| &html[at..at + 60]).collect();
    assert_eq!(scripts.len(), 1, "{what}: {scripts:?}");
    let main = main_of(html);
    for forbidden in [
        "<script", "<img", "<style", "<iframe", "href=\"javascript", "href=\"data",
        "href=\"vbscript",
    ] {
        assert!(!main.contains(forbidden), "{what}: {forbidden} in {main}");
    }
    for (tag, _) in main.split('<').skip(1).filter_map(|it| it.split_once('>')) {
        let has_handler = tag.split(" on").skip(1).any(|rest| {
            let name: String = rest.chars().take_while(char::is_ascii_alphabetic).collect();
            !name.is_empty() && rest[name.len()..].starts_with('=')
        });
        assert!(!has_handler && !tag.contains(" style="), "{what}: <{tag}>");
    }
}

#[test]
fn notes_stay_text() {
    let nested: String =
        (0..1_000).map(|depth| format!("{}- deep\n", " ".repeat(depth * 2))).collect();
    let table = format!("|{}\n|{}\n|{}\n", "h|".repeat(900), "-|".repeat(900), "c|".repeat(900));
    let env = TestEnv::with(&[
        ("evil.md", EVIL),
        ("nested.md", &format!("# Nested\n\n{nested}")),
        ("table.md", &format!("# Table\n\n{table}")),
        (
            "links.md",
            "# <b>Bold</b>\n\n[x](evil.md) [[<script>alert(1)</script>]] [y](../../etc/passwd)\n",
        ),
    ]);
    env.commit("<script>alert('subject')</script>");
    let visitor = Visitor::open(&env);
    for page in [
        "",
        "notes",
        "note/evil.md",
        "note/nested.md",
        "note/table.md",
        "note/links.md",
        "history/evil.md",
        "lines/evil.md",
        "search?q=alert",
        "search?q=%3Cscript%3Ealert(1)%3C/script%3E",
        "answer?q=%22%3E%3Cscript%3Ealert(1)%3C/script%3E",
        "memory?q=%3Cscript%3E&repo=%22%3E%3Cb%3E",
        "graph",
        "graph?note=links.md",
        "questions?state=%3Cb%3E",
        "status",
    ] {
        harmless(&visitor.html(page), page);
    }
    let evil = visitor.html("note/evil.md");
    assert!(evil.contains("&lt;script&gt;alert(1)&lt;/script&gt;"), "{evil}");
    assert!(!visitor.html("note/links.md").contains("passwd\""));
}

#[test]
fn large_notes_come_in_parts() {
    let text = "# Large\n\n".to_owned() + &"Words and words again.\n\n".repeat(200_000);
    let env = TestEnv::with(&[("large.md", &text), ("line.md", &"x".repeat(2_000_000))]);
    let visitor = Visitor::open(&env);
    let html = visitor.html("note/large.md");
    assert!(html.len() < 100 * 1024, "{}", html.len());
    assert!(html.contains("Part 1 of "));
    // Where a line is asked for, its part comes.
    let marked = visitor.html("note/large.md?mark=300001#mark");
    assert!(marked.contains("<mark id=\"mark\">Words") && !marked.contains("Part 1 of"));
    // A line that no parser takes is shown as it stands, as far as it is searched at all.
    let line = visitor.page("note/line.md");
    assert!(line.status == 404 || line.body.contains("Shown as it stands"), "{}", line.status);
    assert!(line.body.len() < 100 * 1024);
}

#[test]
fn odd_names() {
    let names = [
        "100%.md", "a#b?c.md", "a b+c&d.md", "new\nline.md", "rtl\u{202e}dm.txt.md",
        "quote\"<b>.md",
    ];
    let env = TestEnv::new();
    for name in names {
        env.write(name, format!("# Note\n\nThis is {}.\n", name.len()));
    }
    env.commit("Odd names");
    let visitor = Visitor::open(&env);
    let listed = visitor.html("notes");
    harmless(&listed, "notes");
    assert!(!listed.contains('\u{202e}'));
    let addresses: Vec<&str> =
        main_of(&listed).split("href=\"").skip(1).filter_map(|it| it.split('"').next()).collect();
    let notes: Vec<&&str> = addresses.iter().filter(|it| it.contains("/note/")).collect();
    assert_eq!(notes.len(), names.len(), "{addresses:?}");
    for address in notes {
        let answer = visitor.follow(address);
        assert_eq!(answer.status, 200, "{address}");
        assert!(answer.body.contains("This is ") && !answer.body.contains('\u{202e}'), "{address}");
        harmless(&answer.body, address);
        assert_eq!(visitor.follow(&format!("{address}.json")).json()["title"], "Note", "{address}");
    }
}
