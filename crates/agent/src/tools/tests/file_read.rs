use serde_json::json;

use super::*;

#[test]
fn lines() {
    let mut tried = Try::new(&[("a.md", "one\ntwo\nthree\n"), ("empty", ""), ("end", "x\r\ny")]);
    let tool = FileRead::default();
    let whole = tried.good(&tool, json!({ "path": "a.md" }));
    assert!(whole.starts_with("a.md: 14 bytes, hash "), "{whole}");
    assert!(whole.ends_with(", lines 1-3 of 3\n\none\ntwo\nthree\n"), "{whole}");
    let some = tried.good(&tool, json!({ "path": "./a.md", "from": 2, "to": 2, "numbers": true }));
    assert!(some.ends_with("lines 2-2 of 3\n\n     2\ttwo\n"), "{some}");
    let absolute = tried.root().join("a.md");
    tried.good(&tool, json!({ "path": absolute.to_str() }));
    assert!(tried.good(&tool, json!({ "path": "empty" })).ends_with(", empty\n"));
    assert!(tried.good(&tool, json!({ "path": "a.md", "from": 9 })).contains("no line 9"));
    let end = tried.good(&tool, json!({ "path": "end" }));
    assert!(end.contains("CRLF, no final newline"), "{end}");
}

/// A piece is masked by what the whole file says it is.
#[test]
fn a_piece_of_a_key_is_masked() {
    for (label, is_secret) in
        [("PRIVATE KEY", true), ("RSA PRIVATE KEY", true), ("CERTIFICATE", false)]
    {
        let (note, key) = note_with_key(label);
        let mut tried = Try::new(&[("a.md", &*note)]);
        let tool = FileRead::default();
        for (from, to) in [(1, 99), (5, 7), (6, 6), (7, 12), (5, 5)] {
            for numbers in [false, true] {
                let arguments =
                    json!({ "path": "a.md", "from": from, "to": to, "numbers": numbers });
                let shown = tried.good(&tool, arguments);
                let shows = key.iter().any(|line| shown.contains(line));
                assert_eq!(shows, !is_secret, "{label} {from}-{to}: {shown}");
            }
        }
        let rest = tried.good(&tool, json!({ "path": "a.md", "from": 9 }));
        assert!(rest.ends_with("\n\nAll of it.\n") && rest.contains("lines 9-11 of 11"), "{rest}");
    }
    // In one line, as JSON holds it, which is cut.
    let (note, key) = note_with_key("PRIVATE KEY");
    let text = format!("{{\"key\": \"{}\"}}", note.replace('\n', "\\n").repeat(40));
    let mut tried = Try::new(&[("a.json", &*text)]);
    let shown = tried.good(&FileRead::default(), json!({ "path": "a.json" }));
    assert!(
        shown.contains("left out") && !key.iter().any(|line| shown.contains(&line[..20])),
        "{shown}"
    );
}

#[test]
fn a_long_file_comes_in_pieces() {
    let text: String = (1..=5_000).map(|number| format!("line {number}\n")).collect();
    let mut tried = Try::new(&[("long", &*text), ("wide", &"é".repeat(400_000))]);
    let tool = FileRead::default();
    tried.max = 4_000;
    let (mut from, mut seen) = (1, String::new());
    loop {
        let piece = tried.good(&tool, json!({ "path": "long", "from": from }));
        let (head, body) = piece.split_once("\n\n").unwrap();
        seen.push_str(body);
        match head.split_once("go on with from: ") {
            Some((_, next)) => from = next.parse().unwrap(),
            None => break,
        }
    }
    assert_eq!(seen, text);
    let wide = tried.good(&tool, json!({ "path": "wide" }));
    assert!(wide.contains("left out"), "{wide}");
}

#[test]
fn what_is_no_text() {
    let mut tried = Try::new(&[]);
    tried.write("binary", b"\x7fELF\0\x01\x02");
    tried.write(
        "latin",
        "caf\u{e9} au lait, s'il vous pla\u{ee}t"
            .chars()
            .map(|char| char as u8)
            .collect::<Vec<u8>>(),
    );
    let utf_16: Vec<u8> =
        [0xfe, 0xff].into_iter().chain("né\n".encode_utf16().flat_map(u16::to_be_bytes)).collect();
    tried.write("wide", utf_16);
    tried.write("late", format!("{}\0x\n", "a".repeat(9_000)));
    tried.write("noise", (128..=255).collect::<Vec<u8>>());
    let tool = FileRead::default();
    for (path, expected) in [
        ("binary", "binary: not shown"),
        ("noise", "binary: not shown"),
        ("latin", "caf\\xe9 au lait"),
        ("latin", "not UTF-8"),
        ("wide", "UTF-16BE, lines 1-1 of 1\n\nné\n"),
    ] {
        let text = tried.good(&tool, json!({ "path": path }));
        assert!(text.contains(expected), "{text}");
    }
    let late = tried.good(&tool, json!({ "path": "late" }));
    assert!(!late.contains('\0'));
}

#[test]
fn wrong_arguments() {
    let mut tried = Try::new(&[("a", "x"), ("folder/b", "x")]);
    let tool = FileRead::default();
    for (arguments, words) in [
        (json!({}), "`path` is missing"),
        (json!([]), "JSON object"),
        (json!({ "path": 1 }), "is to be a string"),
        (json!({ "path": "a", "form": 1 }), "no argument `form`"),
        (json!({ "path": "a", "from": 0 }), "from 1 to"),
        (json!({ "path": "a", "from": "1" }), "whole number"),
        (json!({ "path": "a", "from": 3, "to": 2 }), "before"),
        (json!({ "path": "folder" }), "use file_list"),
        (json!({ "path": "none" }), "there is no `none`"),
        (json!({ "path": "a/b" }), "through a file"),
        (json!({ "path": "" }), "empty"),
        (json!({ "path": "x".repeat(5_000) }), "over the limit"),
    ] {
        tried.refused(&tool, arguments, words);
    }
}

#[test]
fn a_file_over_the_limit() {
    let mut tried = Try::new(&[]);
    let file = fs::File::create(tried.root().join("huge")).unwrap();
    file.set_len(3 << 30).unwrap();
    tried.refused(&FileRead::default(), json!({ "path": "huge" }), "over the limit");
}

#[test]
fn only_what_was_approved() {
    let mut tried = Try::new(&[("a", "a"), ("secret", "secret")]);
    tried.link("a", "link");
    let tool = FileRead::default();
    let arguments = json!({ "path": "link" });
    let intent = tried.intent(&tool, &arguments);
    let paths = vec![tried.root().join("a")];
    assert_eq!(intent.action, crate::permissions::Action::Read { paths });
    fs::remove_file(tried.root().join("link")).unwrap();
    tried.link("secret", "link");
    let said = tool.execute(&arguments, &mut tried).unwrap_err().to_string();
    assert!(said.contains("have changed since"), "{said}");
    let said = tool.execute(&arguments, &mut tried).unwrap_err().to_string();
    assert!(said.contains("not shown before"), "{said}");
}

#[test]
fn pictures_are_shown_to_models_that_take_them() {
    let mut tried = Try::new(&[]);
    let picture = crate::image::tests::png(640, 480, 9);
    // Whatever their names.
    tried.write("notes.md", &picture);
    tried.write("cut.png", &picture[..40]);
    let tool = FileRead::default();
    let text = tried.good(&tool, json!({ "path": "notes.md" }));
    assert!(text.ends_with(
        ", PNG image of 640 x 480 pixels, not shown: none of the models that are asked here is known \
         to take images\n"
    ), "{text}");
    tried.takes_images = true;
    let output = tried.call(&tool, json!({ "path": "notes.md" })).unwrap();
    assert!(output.text.ends_with(", PNG image of 640 x 480 pixels: shown below\n"), "{output:?}");
    assert_eq!(output.images.len(), 1);
    assert_eq!(output.images[0].path, "notes.md");
    let output = tried.call(&tool, json!({ "path": "cut.png" })).unwrap();
    let says = ", PNG image, not shown: the PNG image is damaged or cut off\n";
    assert!(output.text.ends_with(says) && output.images.is_empty(), "{output:?}");
}
