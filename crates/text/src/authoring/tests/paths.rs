//! Where notes may lie.

use super::*;

/// The path of a note with this title among these files.
#[track_caller]
fn check_title(kind: Kind, title: &str, files: &[(&str, &str)], expected: &str) {
    let draft = Draft { kind, ..draft(title) };
    let planned = plan(&draft, Path::new(ROOT), now(), &world(files), None).unwrap();
    let path = planned.path.to_str().unwrap().strip_prefix("knowledge/learned/").unwrap();
    assert_eq!(path, expected);
    assert!(!planned.overwrites);
}

/// The path that is made of a given one, or why none is.
#[track_caller]
fn check(write_root: &str, path: &str, expected: &str) {
    let draft = Draft { path: Some(Path::new(path)), ..draft("T") };
    let actual = match plan(&draft, Path::new(write_root), now(), &|_| Existing::None, None) {
        Ok(planned) => planned.path.to_str().unwrap().to_owned(),
        Err(error) => format!("! {error}"),
    };
    assert_eq!(actual, expected, "{path:?} below {write_root:?}");
}

#[test]
fn titles_make_names() {
    let check = |kind, title: &str, expected: &str| check_title(kind, title, &[], expected);
    check(Kind::Failure, "npm EACCES", "failures/2026-11-22-npm-eacces.md");
    check(Kind::Task, "2026-11-22: Don't ask", "tasks/2026-11-22-dont-ask.md");
    check(Kind::Pattern, "One record, one write!", "patterns/one-record-one-write.md");
    check(Kind::Service, "Füße & Ærø, ŁÓDŹ, cafe\u{301}s", "services/fusse-aero-lodz-cafes.md");
    check(Kind::Note, "../../etc/passwd", "notes/etc-passwd.md");
    check(Kind::Note, "日本語", "notes/note-b4c93ae1.md");
    check(Kind::Note, "🦦 日本 otter", "notes/otter.md");
    check(Kind::Task, "???", "tasks/2026-11-22-task-e7793967.md");
    check(Kind::Note, "CON", "notes/con-note.md");
    check(Kind::Note, "-rf", "notes/rf.md");
    let long = "words ".repeat(100);
    check(Kind::Note, &long, &format!("notes/{}.md", "words-".repeat(13).trim_end_matches('-')));
    check(Kind::Note, &"w".repeat(100), &format!("notes/{}.md", "w".repeat(77)));
    check(Kind::Task, &"w".repeat(100), &format!("tasks/2026-11-22-{}.md", "w".repeat(66)));
}

#[test]
fn names_are_free() {
    check_title(Kind::Note, "a", &[("knowledge/learned/notes/a.md", "x")], "notes/a-2.md");
    let long = "w".repeat(100);
    let first = format!("knowledge/learned/notes/{}.md", "w".repeat(77));
    check_title(Kind::Note, &long, &[(&first, "x")], &format!("notes/{}-2.md", "w".repeat(75)));
    let folder = [("knowledge/learned/notes/a.md/x", "")];
    check_title(Kind::Note, "a", &folder, "notes/a-2.md");
    let full = |_: &Path| Existing::NotAFile;
    let error = plan(&draft("a"), Path::new(ROOT), now(), &full, None).unwrap_err();
    assert_eq!(
        error.to_string(),
        "`knowledge/learned/notes/a.md` and 1000 names like it are taken"
    );
    // A hash says nothing where there is no path.
    let there = world(&[("knowledge/learned/notes/a.md", "x")]);
    let hash = content_hash("x");
    let planned = plan(&draft("a"), Path::new(ROOT), now(), &there, Some(&hash)).unwrap();
    assert_eq!(planned.path, Path::new("knowledge/learned/notes/a-2.md"));
}

#[test]
fn given_paths() {
    for (path, expected) in [
        ("learned/notes/a.md", "knowledge/learned/notes/a.md"),
        ("knowledge/learned/notes/a", "knowledge/learned/notes/a.md"),
        ("./knowledge//learned/./a.MD", "knowledge/learned/a.MD"),
        ("Learned/Notes/A b.txt", "knowledge/learned/Notes/A b.txt.md"),
        ("KNOWLEDGE/LEARNED/x", "knowledge/learned/x.md"),
        ("learned/entities.md", "knowledge/learned/entities.md"),
        ("learned/tasks/entities/x", "knowledge/learned/tasks/entities/x.md"),
        ("learned/日本.md", "knowledge/learned/日本.md"),
    ] {
        check(ROOT, path, expected);
    }
    check(".", "learned/x", "learned/x.md");
    check("", "./learned/x", "learned/x.md");
    check("./a/b/", "a/b/learned/x", "a/b/learned/x.md");
    check("a/b", "learned/x", "a/b/learned/x.md");
    check("learned", "learned/learned/x", "learned/learned/x.md");
    check("learned", "learned/x", "learned/learned/x.md");
}

#[test]
fn refused_paths() {
    for (path, folder) in [
        ("user/x.md", "`knowledge/learned`"),
        ("knowledge/system/x.md", "`knowledge/learned`"),
        ("plugins/learned/x.md", "`knowledge/learned`"),
        ("notes/x.md", "`knowledge/learned`"),
        ("learned", "`knowledge/learned`"),
        ("learned.md", "`knowledge/learned`"),
        ("src/main.rs", "`knowledge/learned`"),
    ] {
        check(ROOT, path, &format!("! `{path}` is not below {folder}"));
    }
    for path in [
        "learned/entities/x.md",
        "learned/entities",
        "Learned/ENTITIES/x",
        "knowledge/learned/./entitie\u{17f}/x.md",
    ] {
        check(ROOT, path, &format!("! `{path}` is among the pages of entities"));
    }
    let unseen = "it holds a character that cannot be seen";
    let blank = "a name begins with a blank, or ends in one or in a dot";
    for (path, shown, reason) in [
        ("", "", "it names no file"),
        ("learned/x/", "learned/x/", "it names no file"),
        ("/learned/x.md", "/learned/x.md", "it is absolute"),
        ("learned/../user/x.md", "learned/../user/x.md", "`..` leads elsewhere"),
        ("learned/notes/..", "learned/notes/..", "`..` leads elsewhere"),
        ("learned\\x.md", "learned\\x.md", "folders are parted by `/`, not by a backslash"),
        ("learned/.git/x.md", "learned/.git/x.md", "a name begins with a dot or a dash"),
        ("learned/.md", "learned/.md", "a name begins with a dot or a dash"),
        ("learned/-rf", "learned/-rf", "a name begins with a dot or a dash"),
        ("learned/a\u{1b}[2J.md", "learned/a␛[2J.md", unseen),
        ("learned/a\u{0}.md", "learned/a␀.md", unseen),
        ("learned/a\nb", "learned/a b", unseen),
        ("learned/\u{202e}dm.x", "learned/<U+202E>dm.x", unseen),
        ("learned/entities\u{200c}/x", "learned/entities/x", unseen),
        ("learned/entities./x", "learned/entities./x", blank),
        ("learned/entities /x", "learned/entities /x", blank),
        ("learned/a ", "learned/a", blank),
        (
            "learned/entities::$DATA/x",
            "learned/entities::$DATA/x",
            "it holds one of `< > : \" | ? *`",
        ),
        ("learned/Con.txt", "learned/Con.txt", "some systems keep that name for a device"),
        ("C:/learned/x", "C:/learned/x", "it holds one of `< > : \" | ? *`"),
    ] {
        check(ROOT, path, &format!("! `{shown}` is no path of a note: {reason}"));
    }
    check(
        ROOT,
        &format!("learned/{}", "a/".repeat(600)),
        &format!(
            "! `learned/{}` is no path of a note: it is longer than 1024 bytes",
            "a/".repeat(96)
        ),
    );
    check(
        ROOT,
        &format!("learned/{}", "a".repeat(201)),
        &format!(
            "! `learned/{}` is no path of a note: a name is longer than 200 bytes",
            "a".repeat(192)
        ),
    );
    for root in ["/tmp", "../x", "a/../b"] {
        check(root, "learned/x", &format!("! `{root}` is no folder below the root"));
    }
}

#[test]
fn paths_like_one() {
    let paths = [
        "README.md",
        "docs/README.md",
        "knowledge/learned/failures/2026-11-20-npm-eacces.md",
        "knowledge/learned/patterns/one-record-one-write.md",
        "knowledge/learned/tasks/2026-11-21-npm-eacces-again.md",
        "knowledge/system/architecture.md",
        "knowledge/system/known-limitations.md",
    ];
    let check = |wanted: &str, most: usize, expected: &[&str]| {
        assert_eq!(nearest(wanted, paths.into_iter(), most), expected, "{wanted:?}");
    };
    let [readme, docs, eacces, record, again, architecture, limits] = paths;
    check("readme", 5, &[readme, docs]);
    check("docs/Readme.MD", 1, &[docs]);
    check("src/readme.md", 5, &[docs, readme]);
    check("learned/patterns/one-record-one-write.md", 5, &[record]);
    check("npm EACCES", 5, &[eacces, again]);
    check("learned/failures/2026-11-22-npm-eacces.md", 1, &[eacces]);
    check("One record, one write!", 5, &[record]);
    check("architectrue.md", 5, &[architecture]);
    check("knowledge/sytem/known-limitation", 5, &[limits]);
    check("limitations", 5, &[limits]);
    check("zebra", 5, &[]);
    check("", 5, &[]);
    check("../..", 5, &[]);
    check("readme", 0, &[]);
}

#[test]
fn one_of_many() {
    let paths: Vec<String> =
        (0..100_000).map(|number| format!("notes/{}/note-{number}.md", number % 97)).collect();
    let found = nearest("notes/note-51234", paths.iter().map(String::as_str), 3);
    assert_eq!(found.first(), Some(&"notes/18/note-51234.md"));
    assert_eq!(found.len(), 3);
}
