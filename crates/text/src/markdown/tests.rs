use std::fmt::Write as _;
use std::time::{Duration, Instant};

use proptest::prelude::*;

use super::*;

/// Blocks as `Kind line..=line`, then headings, links and warnings, each on a line.
fn structure(text: &str) -> String {
    let document = match parse(text) {
        Ok(document) => document,
        Err(error) => return format!("! {error}\n"),
    };
    assert_promises(text, &document);
    let lines = LineTable::new(text);
    let mut out = String::new();
    for Block { kind, range } in &document.blocks {
        let (first, last) = (lines.line_at(range.start), lines.line_at(range.end - 1));
        let _ = writeln!(out, "{kind:?} {first}..={last}");
    }
    for Heading { level, text, line, .. } in &document.headings {
        let _ = writeln!(out, "h{level} {line} {text}");
    }
    for Link { target, kind, heading, line, .. } in &document.links {
        let heading = heading.as_ref().map(|heading| format!(" # {heading}")).unwrap_or_default();
        let _ = writeln!(out, "{kind:?} {line} {target}{heading}");
    }
    for Warning { line, message } in &document.warnings {
        let _ = writeln!(out, "! {} {message}", line.unwrap_or_default());
    }
    out
}

/// What the documentation of [`Document`] promises about ranges.
fn assert_promises(text: &str, document: &Document) {
    assert_eq!(document.body.end, text.len());
    let mut end = document.body.start;
    for Block { range, .. } in &document.blocks {
        assert!(range.start < range.end, "{range:?} in {text:?}");
        assert!(text[end..range.start].trim().is_empty(), "gap before {range:?} in {text:?}");
        assert!(text.get(range.clone()).is_some(), "{range:?} in {text:?}");
        end = range.end;
    }
    assert!(text[end..].trim().is_empty(), "gap at the end of {text:?}");
    let is_heading = |block: &&Block| matches!(block.kind, BlockKind::Heading(_));
    let ranges = document.blocks.iter().filter(is_heading).map(|block| &block.range);
    assert!(ranges.eq(document.headings.iter().map(|heading| &heading.range)));
}

fn check(text: &str, expected: &[&str]) {
    let actual = structure(text);
    assert_eq!(actual.lines().collect::<Vec<_>>(), expected, "{text:?}");
}

#[test]
fn finds_blocks_and_headings() {
    check("", &[]);
    check(" \n\t\n", &[]);
    check("\u{feff}", &[]);
    check("\u{feff}# A\ntext", &["Heading(1) 1..=1", "Paragraph 2..=2", "h1 1 A"]);
    check("```\n## no\n```\n", &["Code 1..=3"]);
    check("    ## no\n\n    ## no\n", &["Code 1..=3"]);
    check(
        "A *b*\n`c`\n===\r\nx\n---\r\ny",
        &["Heading(1) 1..=3", "Heading(2) 4..=5", "Paragraph 6..=6", "h1 1 A b c", "h2 4 x"],
    );
    check(
        "> # q\n\n- # l\n- b\n\n###### **[x](y)** \\# &amp; ##\n",
        &["Quote 1..=1", "List 3..=4", "Heading(6) 6..=6", "h6 6 x # &", "Inline 6 y"],
    );
    check("|a|\n|-|\n|b|\n\n<div>\n</div>\n\n***\n", &["Table 1..=3", "Html 5..=6", "Other 8..=8"]);
    check(
        "a\n\n[x]: y\n[z]: y\n\nb [x] c\n",
        &["Paragraph 1..=1", "Other 3..=5", "Paragraph 6..=6", "Inline 6 y"],
    );
    check("[^1]: note with words\n\nsee[^1]\n", &["Paragraph 1..=1", "Paragraph 3..=3"]);
    check("# A\r\rb\r", &["Heading(1) 1..=1", "Paragraph 3..=3", "h1 1 A"]);
}

#[test]
fn finds_links() {
    check(
        "[[a]] [[b|B]] [[c#h]]\n![[d#^e|100]] ![i](p.png)",
        &[
            "Paragraph 1..=2", "Wiki 1 a", "Wiki 1 b", "Wiki 1 c # h", "Embed 2 d # ^e",
            "Inline 2 p.png",
        ],
    );
    check("`[[a]]` \\[[b]]\n\n    [[c]]\n", &["Paragraph 1..=1", "Code 3..=3"]);
    check("|x|\n|-|\n|[[a\\|b]]|\n", &["Table 1..=3", "Wiki 3 a"]);
    check(
        "[a](b.md#h) [c](#d) <https://e.org/#f>",
        &["Paragraph 1..=1", "Inline 1 b.md # h", "Inline 1  # d", "Inline 1 https://e.org/#f"],
    );
    check("---\nx: 1\n---\n\n> - [[a]]\n", &["Quote 5..=5", "Wiki 5 a"]);
}

#[test]
fn reads_front_matter_leniently() {
    let closing = ["---", "..."];
    for closing in closing {
        check(&format!("---\r\ntitle: x\r\n{closing}\r\nbody\r\n"), &["Paragraph 4..=4"]);
        check(&format!("\u{feff}---\ntitle: x\n{closing}"), &[]);
    }
    check("---\n---\nbody", &["Paragraph 3..=3"]);
    check("--- \n\n  title: x\n  tags: a\n---\nbody", &["Paragraph 6..=6"]);
    check("+++\ntitle = \"x\"\n+++\nbody", &["Paragraph 4..=4"]);
    check("---\nbody\n", &["Other 1..=1", "Paragraph 2..=2"]);
    check("---\nsome prose\n---\n", &["Other 1..=1", "Heading(2) 2..=3", "h2 2 some prose"]);
    check(
        "---\ntitle: x\nbody\n",
        &[
            "Other 1..=1",
            "Paragraph 2..=3",
            "! 1 front matter is not closed, so it is read as text",
        ],
    );
}

#[test]
fn warns_and_reads_on() {
    let front = |yaml: &str, expected: &[&str]| {
        let text = format!("---\n{yaml}\n---\nbody\n");
        let lines = 3 + yaml.lines().count();
        let block = format!("Paragraph {lines}..={lines}");
        check(&text, &[&[block.as_str()], expected].concat());
    };
    front(
        "a: 1\ntitle: [x]\nscope: king\ncreated: soon\ntags: {a: b}",
        &[
            "! 3 `title` ignored: expected a single value",
            "! 4 `scope` ignored: `king` is no scope (system, user, learned or plugin)",
            "! 5 `created` ignored: `soon` is no date or time",
            "! 6 `tags` ignored: expected a list or a text with commas",
        ],
    );
    front("\na: 1\nb: 2\na: 3", &["! 5 front matter ignored: the key `a` occurs twice"]);
    front(
        "a: &x [1]\nb: *x",
        &["! 2 front matter ignored: anchors and aliases are not allowed in YAML here"],
    );
    front(
        &"[".repeat(10_000),
        &["! 2 front matter ignored: YAML nested deeper than the cap of 32"],
    );
    front(
        &format!("{}: v", "k".repeat(1 << 19)),
        &["! 0 front matter ignored: 524293 bytes of YAML, over the cap of 65536"],
    );
    front(
        "<<<<<<< HEAD\ntitle: a\n=======\ntitle: b\n>>>>>>> x",
        &[
            "! 3 front matter ignored: invalid YAML: mapping values are not allowed in this context",
            "! 2 conflict markers of a merge",
        ],
    );
    check(
        "+++\na = 1\nb = \n+++\nbody",
        &[
            "Paragraph 5..=5",
            "! 3 front matter ignored: invalid TOML: string values must be quoted, expected literal string",
        ],
    );
    check(
        "a\n<<<<<<< HEAD\nb\n=======\nc\n>>>>>>> x\n",
        &[
            "Heading(1) 1..=4",
            "Paragraph 5..=5",
            "Quote 6..=6",
            "h1 1 a <<<<<<< HEAD b",
            "! 2 conflict markers of a merge",
        ],
    );
    check("a\n=======\n", &["Heading(1) 1..=2", "h1 1 a"]);
}

/// The fields of the front matter that are set, in short.
fn check_keys(text: &str, expected: &str) {
    let FrontMatter { title, created, updated, tags, scope, covers, aliases } =
        parse(text).expect("parses").front_matter;
    let mut out = Vec::new();
    out.extend(title.map(|title| format!("title={title}")));
    out.extend(created.map(|time| format!("created={time}")));
    out.extend(updated.map(|time| format!("updated={time}")));
    out.extend(scope.map(|scope| format!("scope={scope}")));
    for (key, names) in [("tags", tags), ("covers", covers), ("aliases", aliases)] {
        out.extend((!names.is_empty()).then(|| format!("{key}={}", names.join("|"))));
    }
    assert_eq!(out.join(" "), expected, "{text:?}");
}

#[test]
fn reads_keys() {
    let yaml = |yaml: &str, expected: &str| check_keys(&format!("---\n{yaml}\n---\n"), expected);
    yaml("title: 1.10", "title=1.10");
    yaml("title: 007 \ntags: '#a, b,,a'", "title=007 tags=a|b");
    yaml("title: ''\ntags:\nscope: ~", "");
    yaml(
        "tags: [x, 'y, z', 1.0, null]\naliases:\n- A b\ncovers: src/*.rs",
        "tags=x|y, z|1.0 covers=src/*.rs aliases=A b",
    );
    yaml("scope: Plugins", "scope=plugin");
    yaml(
        "created: 2024-02-29\nupdated: 2024-02-29T10:00",
        "created=2024-02-29T00:00:00Z updated=2024-02-29T10:00:00Z",
    );
    yaml("created: 2024-02-29 10:00:00 +0200", "created=2024-02-29T08:00:00Z");
    yaml("created: 2024-02-29T10:00:00-05:30", "created=2024-02-29T15:30:00Z");
    yaml("created: 9999-12-31\nupdated: -9999-01-01", "created=9999-12-30T22:00:00.999999999Z");
    yaml("created: -1\nupdated: 99999-01-01", "");
    let toml = "title = '1.10'\ncreated = 2024-02-29\nupdated = 2024-02-29T10:00:00+01:00\ntags = ['a', 1, 2.50]";
    check_keys(
        &format!("+++\n{toml}\n[extra]\nx = 1\n+++\n"),
        "title=1.10 created=2024-02-29T00:00:00Z updated=2024-02-29T09:00:00Z tags=a|1|2.50",
    );
}

#[test]
fn titles_come_from_front_matter_then_level_1() {
    let title = |text: &str| parse(text).expect("parses").title().map(str::to_owned);
    assert_eq!(title("---\ntitle: T\n---\n# H"), Some("T".to_owned()));
    assert_eq!(title("## a\n\n# H *x*\n# I"), Some("H x".to_owned()));
    assert_eq!(title("## a\n> # b"), None);
    assert_eq!(title("#\n"), None);
}

#[test]
fn hostile_text_ends_in_time_or_is_refused() {
    let refused = |text: &str, expected: Unparsable| assert_eq!(parse(text), Err(expected));
    let bytes = MAX_TEXT_BYTES + 1;
    refused(&"a\n".repeat(bytes / 2 + 1)[..bytes], Unparsable::TooLarge { bytes });
    let bytes = MAX_LINE_BYTES + 1;
    refused(&format!("a\n{}", "b".repeat(bytes)), Unparsable::LongLine { line: 2, bytes });
    let lines = MAX_LINES + 1;
    refused(&"\n".repeat(lines), Unparsable::TooManyLines { lines });
    let row = |cell: &str| cell.repeat(10_000) + "|\n";
    let tables = (row("|a") + &row("|-") + &"|b|\n".repeat(100) + "\n").repeat(30);
    refused(&tables, Unparsable::RaggedTable { line: 13 });
    refused(&("[".repeat(1_000) + "\n").repeat(5_500), Unparsable::Tangled);

    let table =
        "|a".repeat(10_000) + "|\n" + &"|-".repeat(10_000) + "|\n" + &"|b|\n".repeat(10_000);
    let nested: String = (0..1_000).map(|depth| "  ".repeat(depth) + "- a\n").collect();
    let ticks: String = (1..1_000).map(|length| "`".repeat(length) + " ").collect();
    let bracketed = "[".repeat(50_000) + &"]".repeat(50_000);
    let starred = "*".repeat(50_000) + "a" + &"*".repeat(50_000);
    let repeated = [
        ">", "> ", "[", "[[", "![[", "[a](", "* ", "- ", "1. ", "**a ", "*a **b ", "*_", "<",
        "<!--", "&", "|", "a|",
    ];
    let cases = repeated
        .iter()
        .map(|part| part.repeat(100_000))
        .chain([table, nested, ticks, bracketed, starred]);
    for text in cases {
        let shown: String = text.chars().take(20).collect();
        // A rayon worker has a stack of 2 MiB.
        let worker = std::thread::Builder::new().stack_size(2 << 20);
        let started = Instant::now();
        let parsed = worker.spawn(move || parse(&text).map(drop)).expect("spawns").join();
        assert!(parsed.is_ok(), "{shown} panicked");
        assert!(started.elapsed() < Duration::from_secs(5), "{shown}: {:?}", started.elapsed());
    }
}

proptest! {
    #[test]
    fn keeps_its_promises(text in r#"(\PC|[-#=>|`\[\]*_~+:.! \t\r\n]|\n|\r\n|\n---\n|\n\+\+\+\n){0,60}"#) {
        if let Ok(document) = parse(&text) {
            assert_promises(&text, &document);
        }
    }
}

#[test]
fn tags_stand_in_text_alone() {
    for (text, expected) in [
        (
            "Pay it. #finance/q3 **and #todo**\n\n- [ ] #Todo\n> #quoted\n",
            &["finance/q3", "todo", "quoted"][..],
        ),
        ("| a | b |\n|---|---|\n| #cell | `#code` |\n", &["cell"]),
        ("---\ntags: [Sea]\n---\n#sea #kelp\n", &["kelp"]),
        (
            "# Head #none\n\n`#a` [#b](x.md#c) [[d #e]] <b title=\" #f\"> \\#g https://a.example/#h\n",
            &[],
        ),
        ("```\n#a\n```\n\n    #b\n\n<div>\n#c\n</div>\n\n<!-- #d -->\n\n[e]: x \"#f\"\n", &[]),
        ("![ #a](x.png) `x`#b\n", &[]),
    ] {
        let document = parse(text).unwrap();
        assert_eq!(document.tags, expected, "{text}");
    }
    let many: String = (0..1_000).map(|number| format!("#t{number} ")).collect();
    assert_eq!(parse(&many).unwrap().tags.len(), 100);
}
