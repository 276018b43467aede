//! The form of pages, names of files and lines, as tables.

use std::{collections::BTreeSet, path::Path};

use super::{
    super::{
        Kind, LineHash, MAX_SLUG_BYTES, NewLine, Origin, Page, Spot, append, empty_page, folder,
        insert, new_page, path, slug, slug_of, without,
    },
    at, hash_of, page,
};

const TIME: &str = "2026-11-21T03:04:05Z";

#[test]
fn the_form_is_exact() {
    let expected = "---\n\
        title: kef-ls50-meta\n\
        scope: learned\n\
        ---\n\
        \n\
        - title: KEF LS50 Meta <!-- t:T at:2026-11-21T03:04:05Z -->\n\
        - created: 2026-11-21T03:04:05Z <!-- c:C at:2026-11-21T03:04:05Z -->\n\
        - alias: LS50 Meta <!-- a:A at:2026-11-21T03:04:05Z -->\n\
        - tag: audio <!-- g:G at:2026-11-21T03:04:05Z -->\n\
        - The KEF LS50 Meta is a bookshelf speaker. <!-- f:F src:https://example.org/a search:01J \
        at:2026-11-21T03:04:05Z against:knowledge/user/my%20audio.md -->\n\
        - merged-into: kef-ls50-meta-2 <!-- m:01JM at:2026-11-21T03:04:05Z -->\n";
    let digest = |parts: &str| blake3::hash(parts.as_bytes()).to_hex().as_str()[..16].to_owned();
    let expected = expected
        .replace(":T ", &format!(":{} ", digest("t\0kef ls50 meta\0kef ls50 meta")))
        .replace(":C ", &format!(":{} ", digest("c\0kef ls50 meta\x002026-11-21t03:04:05z")))
        .replace(":A ", &format!(":{} ", digest("a\0kef ls50 meta\0ls50 meta")))
        .replace(":G ", &format!(":{} ", digest("g\0kef ls50 meta\0audio")))
        .replace(
            ":F ",
            &format!(
                ":{} ",
                digest(
                    "kef ls50 meta\0the kef ls50 meta is a bookshelf speaker\0https://example.org/a"
                )
            ),
        );
    assert_eq!(page(), expected);
    let read = Page::parse(&page());
    let fact = &read.lines[4];
    assert_eq!(
        (fact.kind, fact.number, fact.text.as_str()),
        (Kind::Fact, 10, "The KEF LS50 Meta is a bookshelf speaker.")
    );
    assert_eq!(fact.source.as_deref(), Some("https://example.org/a"));
    assert_eq!((fact.search.as_deref(), fact.message.as_deref()), (Some("01J"), None));
    assert_eq!(fact.against.as_deref(), Some("knowledge/user/my audio.md"));
    assert_eq!(fact.at, Some(at(0)));
    assert_eq!(fact.hash.to_string().parse(), Ok(fact.hash));
    assert!(
        "é".repeat(16).parse::<LineHash>().is_err() && "+1".repeat(16).parse::<LineHash>().is_err()
    );
    assert_eq!((read.lines.len(), read.notes.len(), read.warnings.len()), (6, 0, 0));
    assert_eq!(
        append(&page(), &[NewLine::alias("kef ls50 META", "LS50 Meta", at(9)).unwrap()]),
        page()
    );
}

#[test]
fn headers_are_text_to_every_reader() {
    for (slug, expected) in [
        ("a-b", "a-b"),
        ("東京", "東京"),
        ("1984", "\"1984\""),
        ("null", "\"null\""),
        ("no", "\"no\""),
        ("a: b\"\\\n", "\"a: b\\\"\\\\\""),
    ] {
        assert_eq!(empty_page(slug), format!("---\ntitle: {expected}\nscope: learned\n---\n\n"));
        let title = slug.trim_end();
        assert_eq!(Page::parse(&empty_page(slug)).front.title.as_deref(), Some(title));
    }
    assert!(new_page("x", " \u{202e}", at(0)).contains("- title: x <!--"));
}

#[test]
fn slugs() {
    let free = |name: &str| slug(name, &|_| false);
    // `*` stands for the hash.
    for (name, expected) in [
        ("KEF LS50 Meta", "kef-ls50-meta"),
        ("AC/DC", "ac-dc"),
        ("node.js", "node-js"),
        ("Saint-Étienne", "saint-étienne"),
        ("E\u{301}cole", "école"),
        ("東京", "東京"),
        ("हिन्दी", "हिन्दी"),
        ("a -- b", "a-b"),
        (" \"Quoted\" ", "quoted"),
        ("(Bracketed).", "bracketed"),
        ("Acme Inc.", "acme-inc"),
        ("Yahoo!", "yahoo-*"),
        ("C++", "c-*"),
        ("C#", "c-*"),
        ("\"C++\"", "c-*"),
        (".NET", "net-*"),
        ("Rust 🦀", "rust-*"),
        ("1\u{fe0f}\u{20e3}", "1-*"),
        ("con", "con-*"),
        ("COM1", "com1-*"),
        ("com¹", "com¹-*"),
        ("com12", "com12"),
        ("🦀", "entity-*"),
        ("", "entity-*"),
        ("../../etc/passwd", "etc-passwd-*"),
        ("-rf", "rf-*"),
        ("a\u{202e}b\u{0}c", "abc"),
    ] {
        let found = free(name);
        match expected.strip_suffix('*') {
            Some(start) => {
                let hash = found.strip_prefix(start).unwrap_or_else(|| panic!("{name}: {found}"));
                assert_eq!(hash.len(), 8, "{name}: {found}");
            }
            None => assert_eq!(found, expected, "{name}"),
        }
    }
    assert_ne!(free("C++"), free("C#"));
    assert_eq!(free("c++"), free("C++"));
    let taken = slug("AC DC", &|slug| slug == "ac-dc");
    assert!(taken.starts_with("ac-dc-") && taken.len() == 14);
    let long = free(&"é".repeat(500));
    assert!(long.len() <= MAX_SLUG_BYTES && long.len() > MAX_SLUG_BYTES - 3);
    assert_eq!(free(&"a".repeat(MAX_SLUG_BYTES)).len(), MAX_SLUG_BYTES);
}

#[test]
fn paths() {
    for (root, file, expected) in [
        ("knowledge", "knowledge/learned/entities/a-b.md", Some("a-b")),
        ("knowledge/", "knowledge/learned/entities/a.b.md", Some("a.b")),
        (".", "learned/entities/a.md", Some("a")),
        ("", "learned/entities/a.md", Some("a")),
        ("knowledge", "knowledge/learned/entities/x/a.md", None),
        ("knowledge", "knowledge/learned/entities/.md", None),
        ("knowledge", "knowledge/learned/entities/a.txt", None),
        ("knowledge", "knowledge/learned/a.md", None),
        ("know", "knowledge/learned/entities/a.md", None),
    ] {
        let folder = folder(Path::new(root));
        let found = slug_of(&folder, Path::new(file));
        assert_eq!(found.as_deref(), expected, "{root} {file}");
        if let Some(slug) = expected {
            assert_eq!(path(&folder, slug).to_str(), Some(file));
        }
    }
}

#[test]
fn lines_of_ours_and_of_people() {
    const ID: &str = "0123456789abcdef";
    // What is read of one line: kind and text, or the note.
    let check = |line: &str, expected: &str| {
        let page = Page::parse(line);
        let line_of = |line: &super::super::Line| format!("{} {}", line.kind.letter(), line.text);
        let note_of = |note: &super::super::Note| format!("> {}", note.text);
        let found: Vec<_> =
            page.lines.iter().map(line_of).chain(page.notes.iter().map(note_of)).collect();
        assert_eq!(found.join("; "), expected, "{line:?}");
    };
    check(&format!("- a <!-- f:{ID} -->"), "f a");
    check(&format!("  * a <!-- f:{ID} new:word other -->  \r\n"), "f a");
    check(&format!("a <!--f:{ID}-->"), "f a");
    check(&format!("- titel: a <!-- t:{ID} -->"), "t titel: a");
    check(&format!("- title: a <!-- f:{ID} -->"), "f title: a");
    check("- merged-into: a <!-- m:01J_x-y -->", "m a");
    check(&format!(r"- \# a \<!-- b --> \[[c]] <!-- f:{ID} -->"), "f # a <!-- b --> [[c]]");
    check(&format!("- <!-- f:{ID} -->"), "");
    check(&format!("- a <!-- f:{ID} --> b"), "> a b");
    check("- a <!-- f:0123 -->", "> a");
    check("- a <!-- x:0123456789abcdef -->", "> a");
    check("- a <!-- f:0123456789ABCDEF -->", "> a");
    check("- merged-into: a <!-- m:a b -->", "m a");
    check("- [x] done\n1. one\n2) two", "> done; > one; > two");
    check(
        "One\nparagraph.\n\n> quoted\n# No\n---\n```\ncode\n```\n|-|-|",
        "> One paragraph.; > quoted",
    );
    check("a <!-- b\nc\nd --> e", "> a e");
    check(&format!("One\n- a <!-- f:{ID} -->\nTwo"), "f a; > One; > Two");
    check(&format!("```\n- a <!-- f:{ID} -->"), "f a");
    check("\u{feff}- a\0\u{202e}b", "> ab");
    check(&format!("{} <!-- f:{ID} -->", "a".repeat(70_000)), &format!("> {}…", "a".repeat(1999)));
    // The same line twice is one; the same id with another text or time is another line.
    check(&format!("- a <!-- f:{ID} -->\n- b <!-- f:{ID} -->\n- a <!-- f:{ID} -->"), "f a; f b");
    check(&format!("- a <!-- f:{ID} -->\n- a <!-- f:{ID} at:{TIME} -->"), "f a; f a");
}

#[test]
fn headers_are_read_as_far_as_they_go() {
    // Title, aliases, tags, then lines of the warnings.
    let check = |text: &str, expected: &str| {
        let page = Page::parse(&format!("{text}\nA note.\n"));
        let front = &page.front;
        let warned: Vec<usize> = page.warnings.iter().filter_map(|warning| warning.line).collect();
        let title = front.title.as_deref().unwrap_or("-");
        let found = format!("{title} {:?} {:?} {warned:?}", front.aliases, front.tags);
        assert_eq!(found, expected, "{text}\n{:?}", page.warnings);
        assert!(page.notes.iter().all(|note| note.text == "A note."), "{text}\n{:?}", page.notes);
    };
    check("", "- [] [] []");
    check("---\ntitle: a\nscope: learned\n---", "a [] [] []");
    check(
        "\u{feff}---\r\ntitle: A  B\r\naliases: [x, \"y: z\"]\r\ntags: '#p, q'\r\n---\r\n",
        "A B [\"x\", \"y: z\"] [\"p\", \"q\"] []",
    );
    check("---\n{title: A, tags: [b]}\n---", "A [] [\"b\"] []");
    check("---\ntitle: a\ntags:\n- p\n- q\nscope: learned\n---", "a [] [\"p\", \"q\"] []");
    check("---\ntitle: a\ntitle: Mine\nscope: learned\n---", "Mine [] [] [3]");
    check("---\ntitle: Mine\ntitle: a\ntitle: Yours\n---", "Mine [\"Yours\"] [] [4]");
    check("---\ntags: [a]\ntags:\n  - b\n---", "- [] [\"a\", \"b\"] [3]");
    check("---\ntitle: [unclosed\ntags: [a]\n---", "- [] [\"a\"] [2]");
    check("---\ntitle: {a: b}\ntags: [a]\n---", "- [] [\"a\"] [2]");
    check("---\ntitle: a\n---\n---\ntitle: Mine\n---", "Mine [] [] [4]");
    check("---\ntitle: a\n---\n\n---\ntitle: B\ntags: [x]\n---\n", "B [] [\"x\"] [5]");
    check(
        "---\n<<<<<<< ours\ntitle: Mine\n=======\ntitle: Yours\n>>>>>>> theirs\nscope: learned\n---",
        "Mine [\"Yours\"] [] [2, 5]",
    );
    check("<<<<<<< ours\n---\ntitle: A\n---\n=======\n>>>>>>> theirs", "A [] [] [1]");
    check(
        "---\ntitle: a\n---\n\n- x <!-- f:0123456789abcdef -->\ntitle: Mine\nscope: learned\ntags: [t]\n---\n",
        "Mine [] [\"t\"] [6]",
    );
    check(
        "---\ntitle: a\n---\n\n- x <!-- f:0123456789abcdef -->\ntitle: Mine\n- y <!-- f:0123456789abcdee -->",
        "Mine [] [] [6]",
    );
    check("---\ntitle: Mine\nscope: learned\n", "Mine [] [] [1]");
    check("---\ntitle: Mine\n- x <!-- f:0123456789abcdef -->\n", "Mine [] [] [1]");
    check("---\n\nA note.\n\n---", "- [] [] []");
    check("---\na: &x [1]\nb: *x\ntitle: T\n---", "T [] [] [2, 3]");
}

#[test]
fn lines_are_added_and_taken_out() {
    let line = NewLine::fact("a", "Ä.", &Origin::default(), at(0)).unwrap();
    let raw = format!("- Ä. <!-- f:{} at:{TIME} -->", line.id());
    for (before, after) in [
        ("", format!("{raw}\n")),
        ("x", format!("x\n{raw}\n")),
        ("x\r\ny", format!("x\r\ny\r\n{raw}\r\n")),
        ("---\ntitle: a\n---", format!("---\ntitle: a\n---\n\n{raw}\n")),
        ("---\ntitle: a\n---\n", format!("---\ntitle: a\n---\n\n{raw}\n")),
        ("---\ntitle: a\n---\n\n", format!("---\ntitle: a\n---\n\n{raw}\n")),
    ] {
        assert_eq!(append(before, &[line.clone(), line.clone()]), after, "{before:?}");
        assert_eq!(append(&after, std::slice::from_ref(&line)), after);
        assert_eq!(append(&after, &[]), after);
    }
    let text = format!("\u{feff}{raw}\r\nmine\r\n  {raw} \n{raw}\n- x");
    let hashes = BTreeSet::from([line.hash(), LineHash::of("mine")]);
    assert_eq!(without(&text, &hashes), format!("\u{feff}mine\r\n  {raw} \n- x"));
    assert_eq!(without(&text, &BTreeSet::new()), text);
    assert_eq!(NewLine::again(&raw), Some(line));
    assert_eq!(NewLine::again("- mine"), None);
    assert_eq!(NewLine::again(&format!("x\n{raw}")), None);
    assert_eq!(NewLine::tag("a", "#", at(0)), None);
    let odd = NewLine::merged_into("b", "a --> b", at(0)).unwrap();
    assert_eq!(odd.id().len(), 16);
}

#[test]
fn lines_go_beside_others() {
    let fact = |text: &str| NewLine::fact("a", text, &Origin::default(), at(0)).unwrap();
    let page = append(&new_page("a", "a", at(0)), &[fact("one"), fact("two")]);
    let texts = |page: &str| {
        let lines = Page::parse(page).lines.into_iter().filter(|line| line.kind == Kind::Fact);
        lines.map(|line| line.text).collect::<Vec<_>>()
    };
    let (above, below) = (Spot::Above(hash_of(&page, "one")), Spot::Below(hash_of(&page, "one")));
    let nowhere = Spot::Below(LineHash::of("nothing"));
    let lines =
        [(fact("0"), above), (fact("1.5"), below), (fact("3"), Spot::End), (fact("4"), nowhere)];
    for (ending, at_end) in [("\n", "\n"), ("\r\n", "\r\n"), ("\n", "")] {
        let page = page.trim_end().replace('\n', ending) + at_end;
        let made = insert(&page, &lines);
        assert_eq!(texts(&made), ["0", "one", "1.5", "two", "3", "4"]);
        assert_eq!(made.matches('\n').count(), made.matches(ending).count());
        assert_eq!(insert(&made, &lines), made, "each once");
        // The others are as they were.
        let new = lines.iter().map(|(line, _)| line.hash()).collect();
        assert_eq!(without(&made, &new).trim_end(), page.trim_end());
    }
    // Below the last line, which does not end, is the end.
    let open = page.trim_end();
    let made = insert(open, &[(fact("3"), Spot::Below(hash_of(open, "two")))]);
    assert_eq!(texts(&made), ["one", "two", "3"]);
}

#[test]
fn what_a_person_changed_is_not_what_its_source_said() {
    let read = |text: &str, former: &[&str]| {
        let mut page = Page::parse(text);
        let former: Vec<String> = former.iter().map(|name| (*name).to_owned()).collect();
        page.disown_edited("kef-ls50-meta", &former, &|id| id != "0123456789abcdef");
        let fact = page.lines.into_iter().find(|line| line.kind == Kind::Fact).unwrap();
        (fact.is_edited, fact.source.is_none())
    };
    let check =
        |text: &str, is_edited| assert_eq!(read(text, &[]), (is_edited, is_edited), "{text}");
    let page = page();
    check(&page, false);
    check(&page.replace("bookshelf", "floorstanding"), true);
    check(&page.replace("speaker. <", "speaker! <"), false);
    // One that somebody else wrote.
    let id = page.split("<!-- f:").nth(1).unwrap().split(' ').next().unwrap();
    check(&page.replace(id, "0123456789abcdef").replace("bookshelf", "fine"), false);
    // Where the name was changed by hand, nothing can be told; unless the former one is known.
    check(
        &page.replace("title: KEF LS50 Meta", "title: The Meta").replace("bookshelf", "x"),
        false,
    );
    check(&page.replace("title: kef-ls50-meta", "title: The Meta"), false);
    let renamed: String = page
        .split_inclusive('\n')
        .filter(|line| !line.contains("<!-- t:") && !line.contains("<!-- a:"))
        .collect();
    assert_eq!(read(&renamed, &["KEF LS50 Meta"]), (false, false));
}
