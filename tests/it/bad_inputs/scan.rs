//! Rows 10, 12, 13, 16, 17 and 18 for what describes files: `scan`, its answers, `search` over
//! them, and `graph`. One bad file never keeps the others from being described.

use std::{
    ffi::OsStr,
    fs::{self, File},
    os::unix::{
        ffi::OsStrExt,
        fs::{PermissionsExt, symlink},
    },
    path::{Path, PathBuf},
    sync::atomic::{AtomicBool, Ordering},
};

use serde_json::Value;

use super::{bounded, done, files_below};
use crate::env::{Output, PROGRAM, TestEnv};

const GOOD: &str = "/// Sells tickets for the ferry.\npub fn sell_ticket() {}\n";
const GOOD_PATH: &str = "zz/good.rs";

/// A repository with a good source file.
fn good() -> TestEnv {
    TestEnv::with(&[(GOOD_PATH, GOOD)])
}

/// What `scan --investigate --all` came to: the answers by path, then the summary of the run.
fn investigate(env: &TestEnv) -> (Vec<Value>, Value) {
    let mut lines = done(env, &["scan", "--investigate", "--all", "--json"]).json();
    let summary = lines.pop().unwrap();
    assert!(summary.get("files").is_some(), "{summary}");
    (lines, summary)
}

/// The files that are described.
fn indexed(env: &TestEnv) -> Vec<Value> {
    let output = bounded(&mut env.command(&["scan", "--indexed", "--json"]));
    assert!(matches!(output.code, Some(0 | 1)), "{output}");
    output.json()
}

fn paths(lines: &[Value], key: &str) -> Vec<String> {
    let mut paths: Vec<String> =
        lines.iter().map(|line| line[key].as_str().unwrap().to_owned()).collect();
    paths.sort();
    paths
}

/// What is known of a file.
fn known(env: &TestEnv, path: &str) -> Option<Value> {
    indexed(env).into_iter().find(|line| line["file_path"] == path)
}

/// Scans, answers, searches and draws; the good file is described by its structure and found.
fn check_good(env: &TestEnv) -> Value {
    let (_, summary) = investigate(env);
    assert_eq!((&summary["open"], &summary["left"]), (&0.into(), &0.into()), "{summary}");
    let good = known(env, GOOD_PATH).unwrap_or_else(|| panic!("not described: {summary}"));
    let text = good["summary"].as_str().unwrap();
    assert!(text.contains("sell_ticket"), "{text}");
    let hits = done(env, &["search", "sells tickets for the ferry", "--json", "-n", "50"]).json();
    assert!(paths(&hits, "path").contains(&GOOD_PATH.to_owned()), "{hits:?}");
    for args in [&["scan"][..], &["graph"], &["scan", "--list"], &["scan", "--indexed"]] {
        let output = bounded(&mut env.command(args));
        assert!(matches!(output.code, Some(0 | 1)), "{args:?}\n{output}");
    }
    // Nothing is asked twice.
    let (again, summary) = investigate(env);
    assert!(again.is_empty() && summary["asked"] == 0, "{again:?} {summary}");
    summary
}

/// A bad file beside the good one: it is described as such a type, or not at all.
fn check(path: &str, bytes: impl AsRef<[u8]>, file_type: Option<&str>) {
    let env = good();
    env.write(path, bytes);
    check_good(&env);
    let found = known(&env, path);
    let found = found.as_ref().map(|line| line["file_type"].as_str().unwrap());
    assert_eq!(found, file_type, "{path}");
}

/// Names as bytes, without the extension.
const NAMES: &[&[u8]] = &[
    b"line\nfeed",
    b"tab\tname",
    b"car\rriage",
    b"quote\"name",
    b"it's",
    b"-leading",
    b"--help",
    b":(glob)all",
    b":!exclude",
    b"**star?",
    b"[a-z]",
    b"{x,y}",
    b"a]b",
    b"space in it",
    b"trailing ",
    b"$(touch canary)",
    b"`touch canary`",
    b"back\\slash",
    b"%2e%2e",
    b"#hash",
    b"esc\x1b[2J",
    b"osc\x1b]52;c;aGk=\x07",
    b"bidi-\xe2\x80\xaegnp",
    b"zero-\xe2\x80\x8bwidth",
    b"con",
    b"~",
    "ü".as_bytes(),
    &[b'n'; 252],
];
const NO_TEXT: &[&[u8]] = &[b"latin-\xe9", b"broken-\xff\xfe", b"cut-\xe2\x82"];

/// Source files of such names, each also in a folder of that name.
fn named(names: &[&[u8]]) -> (TestEnv, Vec<PathBuf>) {
    let env = TestEnv::new();
    let mut paths = Vec::new();
    for (number, name) in names.iter().enumerate() {
        let name = OsStr::from_bytes(name);
        let mut file = name.to_owned();
        file.push(".rs");
        for path in [PathBuf::from(&file), PathBuf::from("folders").join(name).join(&file)] {
            let inner = paths.len();
            env.write(
                &path,
                format!("/// Walrus {number}, of {inner}.\npub fn walrus_{inner}() {{}}\n"),
            );
            paths.push(path);
        }
    }
    paths.sort();
    (env, paths)
}

fn check_harmless(what: &[&str], output: &Output) {
    for bytes in [&output.stdout, &output.stderr] {
        let text = std::str::from_utf8(bytes).unwrap();
        let raw = |c: char| {
            (c.is_control() && c != '\n')
                || matches!(c, '\u{200b}'..='\u{200f}' | '\u{202a}'..='\u{202e}')
        };
        assert!(!text.contains(raw), "{what:?}: {text:?}");
    }
}

/// The path of a line by its bytes.
fn path_of(line: &Value, key: &str) -> PathBuf {
    let line = line.get("evidence").unwrap_or(line);
    match line.get("path_bytes") {
        Some(bytes) => {
            let bytes: Vec<u8> = serde_json::from_value(bytes.clone()).unwrap();
            PathBuf::from(OsStr::from_bytes(&bytes))
        }
        None => PathBuf::from(line[key].as_str().unwrap()),
    }
}

#[test]
fn every_name_is_asked_about_and_described() {
    let (env, right) = named(NAMES);
    let asked = done(&env, &["scan", "-n", "1000"]);
    check_harmless(&["scan"], &asked);
    let (answers, summary) = investigate(&env);
    assert_eq!((&summary["failed"], &summary["open"]), (&0.into(), &0.into()), "{summary}");
    let mut described: Vec<PathBuf> =
        answers.iter().map(|line| path_of(line, "file_path")).collect();
    described.sort();
    assert_eq!(described, right);
    for line in indexed(&env) {
        assert_eq!((&line["file_type"], &line["state"]), (&"rust_file".into(), &"fresh".into()));
        assert!(line["summary"].as_str().unwrap().contains("`walrus_"), "{line}");
    }
    assert!(!env.path("canary").exists());
    for args in [
        &["scan", "--list", "--state", "answered"][..],
        &["scan", "--indexed"],
        &["search", "walrus", "-n", "100"],
        &["graph"],
        &["graph", "--format", "dot"],
        &["graph", "--format", "mermaid"],
    ] {
        check_harmless(args, &done(&env, args));
    }
    // Another look finds nothing to ask, and a commit changes nothing of that.
    env.commit("every name");
    let (answers, summary) = investigate(&env);
    assert!(answers.is_empty(), "{answers:?}");
    assert_eq!((&summary["asked"], &summary["open"]), (&0.into(), &0.into()), "{summary}");
}

#[test]
fn every_name_can_be_scanned_alone() {
    let (env, right) = named(&[NAMES, NO_TEXT].concat());
    for path in &right {
        let mut typed = PathBuf::from(".");
        typed.push(path);
        let output = bounded(env.command(&["scan", "--json"]).arg(typed));
        assert_eq!(output.code, Some(0), "{path:?}\n{output}");
        let lines = output.json();
        let summary = lines.last().unwrap();
        assert_eq!(summary["asked"], 1, "{path:?}\n{output}");
    }
}

#[test]
fn a_name_that_is_no_text_is_a_source_file_all_the_same() {
    let (env, right) = named(NO_TEXT);
    let (answers, summary) = investigate(&env);
    assert_eq!((answers.len(), &summary["failed"]), (right.len(), &0.into()), "{summary}");
    for line in &answers {
        assert_eq!(line["file_type"], "rust_file", "{line}");
    }
    // A file whose name is what another one's is shown as is another file.
    env.write("latin-\\xe9.rs", "pub fn otter() {}\n");
    let (answers, _) = investigate(&env);
    assert_eq!(answers.len(), 1, "{answers:?}");
}

#[test]
fn a_name_that_is_no_text_goes_round_by_bytes() {
    let (env, right) = named(NO_TEXT);
    let check = |args: &[&str], key: &str| {
        let lines = done(&env, args).json();
        let mut found: Vec<PathBuf> = lines
            .iter()
            .filter(|line| line.get(key).or_else(|| line["evidence"].get(key)).is_some())
            .map(|line| path_of(line, key))
            .collect();
        found.sort();
        found.dedup();
        assert_eq!(found, right, "{args:?}");
    };
    let ask = ["search", "walrus", "--json", "-n", "50", "--kind", "summary"];
    done(&env, &["scan", "--investigate", "--all"]);
    check(&ask, "path");
    check(&["scan", "--indexed", "--json"], "file_path");
    check(&["scan", "--list", "--state", "answered", "--json"], "file_path");
    check(&["graph", "--json"], "path");
}

/// Everything outside of the repository but the home.
fn outside(env: &TestEnv) -> Vec<(PathBuf, Vec<u8>)> {
    let home = env.outside().join("home");
    let files = files_below(env.outside()).into_iter();
    let files = files.filter(|path| !path.starts_with(env.root()) && !path.starts_with(&home));
    files.map(|path| (path.clone(), fs::read(path).unwrap())).collect()
}

#[test]
fn what_is_no_file_of_the_repository_is_not_described() {
    let env = good();
    let private = env.outside().join("private");
    fs::create_dir(&private).unwrap();
    for name in ["secret.rs", "secret.md", "secret.json", "secret.service"] {
        fs::write(private.join(name), "pub fn the_password_is_swordfish() {}\n").unwrap();
        symlink(format!("../private/{name}"), env.path(name)).unwrap();
    }
    symlink("../private", env.path("folder")).unwrap();
    symlink("..", env.path("up")).unwrap();
    symlink("/etc", env.path("etc")).unwrap();
    symlink("/etc/passwd", env.path("passwd.toml")).unwrap();
    symlink("/dev/zero", env.path("zero.rs")).unwrap();
    symlink("/dev/zero", env.path("zero.json")).unwrap();
    symlink("loop.rs", env.path("loop.rs")).unwrap();
    symlink("pong.py", env.path("ping.py")).unwrap();
    symlink("ping.py", env.path("pong.py")).unwrap();
    symlink("nowhere.rs", env.path("dangling.rs")).unwrap();
    fs::create_dir(env.path("directory.rs")).unwrap();
    for name in ["fifo.rs", "fifo.md", "fifo.yaml"] {
        assert_eq!(bounded(env.sealed("mkfifo").arg(name)).code, Some(0));
    }
    let before = outside(&env);
    let summary = check_good(&env);
    assert_eq!(summary["files"], 1, "{summary}");
    assert_eq!(paths(&indexed(&env), "file_path"), [GOOD_PATH]);
    for args in [&["search", "password swordfish", "--json"][..], &["graph", "--json"]] {
        let text = bounded(&mut env.command(args)).stdout();
        assert!(!text.contains("swordfish") && !text.contains("passwd"), "{args:?}\n{text}");
    }
    // Nor if they are asked for by name.
    for path in ["secret.rs", "zero.rs", "fifo.rs", "loop.rs", "folder", "folder/secret.rs", "up"] {
        let output = bounded(&mut env.command(&["scan", "--json", path]));
        assert!(matches!(output.code, Some(0 | 2)), "{path}\n{output}");
        assert!(!output.stdout().contains("\"question\""), "{path}\n{output}");
    }
    assert_eq!(outside(&env), before);
}

/// A described file that becomes something else is not followed.
#[test]
fn a_described_file_that_becomes_a_link_is_forgotten() {
    let env = good();
    env.write("a.rs", "pub fn harmless() {}\n");
    check_good(&env);
    fs::write(env.outside().join("secret.rs"), "pub fn swordfish() {}\n").unwrap();
    env.remove("a.rs");
    symlink("../secret.rs", env.path("a.rs")).unwrap();
    for args in [
        &["search", "harmless swordfish", "--json", "--refresh-stale", "always"][..],
        &["scan", "--investigate", "--all", "--json"],
        &["search", "harmless swordfish", "--json"],
    ] {
        let output = bounded(&mut env.command(args));
        assert!(matches!(output.code, Some(0 | 1)), "{args:?}\n{output}");
        assert!(!output.stdout().contains("swordfish"), "{args:?}\n{output}");
        // What was known of it may be shown, as what it is.
        let hits = output.json().into_iter().filter(|line| line["path"] == "a.rs");
        for hit in hits {
            assert_eq!(hit["state"], "stale", "{hit}");
        }
    }
}

/// A file that is nothing but a hole: as long as it says, and nowhere on the disk.
fn sparse(env: &TestEnv, path: &str, head: &str, length: u64) {
    env.write(path, head);
    let file = File::options().write(true).open(env.path(path)).unwrap();
    if file.set_len(length).is_err() {
        // Not every file system takes the largest ones.
        file.set_len(3 << 30).unwrap();
    }
}

/// Reading these would take until the hang guard.
#[test]
fn a_file_beyond_the_cap_is_not_read() {
    let env = good();
    for (number, name) in ["big.rs", "big.txt", "big.json", "big.md", "big.py"].iter().enumerate() {
        sparse(&env, name, "# Big\n", if number % 2 == 0 { 200 << 20 } else { 1 << 40 });
    }
    check_good(&env);
    assert_eq!(paths(&indexed(&env), "file_path"), [GOOD_PATH]);
}

/// A note that is not even read is no orphan.
#[test]
fn nothing_is_asked_about_a_note_that_is_skipped() {
    let env = TestEnv::with(&[
        ("a.md", "# A\n\nTo [b](b.md).\n"),
        ("b.md", "# B\n\nTo [a](a.md).\n"),
        ("binary.md", "\0\u{1}\u{2}\0"),
    ]);
    sparse(&env, "big.md", "# Big\n", 200 << 20);
    let lines = done(&env, &["scan", "--json"]).json();
    let questions: Vec<&Value> = lines.iter().filter_map(|line| line.get("question")).collect();
    assert_eq!(questions, Vec::<&Value>::new());
}

#[test]
fn minified_files_of_one_line() {
    let env = good();
    for (name, piece) in [
        ("mini.js", "var a=1;"),
        ("mini.ts", "var a=1;"),
        ("mini.rs", "fn a(){}"),
        ("mini.py", "a=1;"),
        ("mini.json", "[{\"a\":1},2],"),
        ("mini.yaml", "{a: [b, c]}, "),
        ("mini.toml", "a={b=[1,2]} "),
        ("mini.txt", "word "),
        ("mini.md", "word *em* "),
    ] {
        env.write(name, piece.repeat((5 << 20) / piece.len()));
    }
    check_good(&env);
    // What a tool wrote is not described.
    assert_eq!(known(&env, "mini.js"), None);
}

#[test]
fn files_that_are_nothing_but_faults() {
    let env = good();
    for (name, piece) in [
        ("a.rs", "fn ( { ] => struct impl }} \n"),
        ("a.py", "def def ( : class ]\n\t  if\n"),
        ("a.ts", "export function ( { => ] ` ${ \n"),
        ("a.js", "}}}} /* ' \" ` (((\n"),
        ("a.go", "func func ) ( { package\n"),
        ("a.toml", "[a\n= 3 = \n[[\n"),
        ("a.yaml", "a: [b: }\n\t- x\n*unknown\n"),
        ("a.json", "{\"a\": ,,, [}"),
        ("a.sql", "CREATE TABLE ((( , ;;; '\n"),
        ("a.proto", "message { { string = ;\n"),
        ("a.graphql", "type { ! : } }\n"),
        ("a.service", "[Unit\n=x\nExecStart\n[[]]\n"),
    ] {
        env.write(name, piece.repeat(500));
        env.write(format!("one/{name}"), piece);
    }
    check_good(&env);
    let described = paths(&indexed(&env), "file_path");
    for name in ["a.rs", "a.py", "a.ts", "a.go", "a.toml", "a.yaml", "a.json", "a.service"] {
        for path in [name.to_owned(), format!("one/{name}")] {
            assert!(described.contains(&path), "{path} is not among {described:?}");
        }
    }
}

fn utf16(text: &str, big: bool) -> Vec<u8> {
    let units = std::iter::once(0xfeff).chain(text.encode_utf16());
    units.flat_map(|unit: u16| if big { unit.to_be_bytes() } else { unit.to_le_bytes() }).collect()
}

#[test]
fn every_encoding() {
    let source = "# The walrus sleeps.\ndef otter():\n    pass\n";
    for big in [false, true] {
        check("wide.py", utf16(source, big), Some("python_file"));
    }
    check("mark.py", [b"\xef\xbb\xbf", source.as_bytes()].concat(), Some("python_file"));
    check("latin.py", b"# caf\xe9 au lait\ndef otter():\n    pass\n", Some("python_file"));
    check("lines.py", source.replace('\n', "\r\n"), Some("python_file"));
    // What is no text is not described, whatever it is called.
    let noise: Vec<u8> =
        (0..20_000_u32).flat_map(|n| n.wrapping_mul(2_654_435_761).to_le_bytes()).collect();
    check("noise.rs", &noise, None);
    check("noise.json", &noise, None);
    check("nul.py", [0; 4096], None);
    check("program.rs", fs::read(PROGRAM).unwrap().get(..1 << 20).unwrap(), None);
    check("half.rs", [GOOD.as_bytes(), b"\0", GOOD.as_bytes()].concat(), None);
    check("odd.py", &utf16(source, false)[..21], None);
}

#[test]
fn empty_files() {
    let env = good();
    for end in
        ["rs", "py", "ts", "go", "md", "txt", "json", "yaml", "toml", "sql", "proto", "service"]
    {
        env.write(format!("empty.{end}"), "");
        env.write(format!("blank.{end}"), " \n\n\t\n");
        env.write(format!("mark.{end}"), "\u{feff}");
    }
    check_good(&env);
}

#[test]
fn deep_nesting() {
    let env = good();
    let bomb = (0..20).map(|n| {
        let inner = vec![format!("*a{}", n - 1); 9].join(",");
        format!("a{n}: &a{n} [{}]\n", if n == 0 { "x" } else { inner.as_str() })
    });
    let steps = (0..2_000).map(|n| format!("{}a:\n", " ".repeat(n)));
    for (name, text) in [
        ("quotes.md", ">".repeat(100_000)),
        ("brackets.md", "[".repeat(50_000)),
        ("lists.md", "- ".repeat(50_000)),
        ("brackets.json", "[".repeat(100_000)),
        ("objects.json", format!("{}1{}", "{\"a\":".repeat(50_000), "}".repeat(50_000))),
        ("flow.yaml", "[".repeat(100_000)),
        ("quotes.yaml", ">".repeat(100_000)),
        ("steps.yaml", steps.collect()),
        ("bomb.yaml", bomb.collect()),
        ("inline.toml", format!("a={}", "[".repeat(100_000))),
        ("keys.toml", format!("[{}a]\n", "a.".repeat(50_000))),
        ("blocks.rs", "fn a(){".repeat(20_000)),
        ("brackets.py", "(".repeat(100_000)),
        ("calls.ts", "f(\n".repeat(20_000)),
        ("braces.go", "func a() {\n".repeat(20_000)),
        ("braces.proto", "message A {\n".repeat(20_000)),
        ("braces.graphql", "type A {\n".repeat(20_000)),
        ("braces.sql", "CREATE TABLE a (\n".repeat(20_000)),
    ] {
        env.write(name, text);
    }
    check_good(&env);
    let described = paths(&indexed(&env), "file_path");
    for path in ["brackets.json", "objects.json", "flow.yaml", "bomb.yaml", "blocks.rs"] {
        assert!(described.contains(&path.to_owned()), "{path} is not among {described:?}");
    }
}

/// A parser may need minutes for this.
#[test]
fn a_file_that_cannot_be_parsed_in_time() {
    let env = good();
    env.write("slow.py", "/*\n".repeat(4_000));
    check_good(&env);
    let slow = known(&env, "slow.py").unwrap();
    assert_eq!((&slow["state"], &slow["file_type"]), (&"fresh".into(), &"python_file".into()));
}

/// However many there are, they cost only themselves.
#[test]
fn files_that_cannot_be_parsed_in_time_leave_the_others_their_structure() {
    let env = good();
    for number in 0..4 {
        env.write(format!("slow{number}.py"), "/*\n".repeat(4_000 + number));
    }
    for number in 0..40 {
        let text = format!("/// Sells tickets.\npub fn sell_ticket_{number}() {{}}\n");
        env.write(format!("good{number}.rs"), text);
    }
    check_good(&env);
    let poor: Vec<Value> = indexed(&env)
        .into_iter()
        .filter(|line| line["file_type"] == "rust_file")
        .filter(|line| !line["summary"].as_str().unwrap().contains("sell_ticket"))
        .collect();
    assert_eq!(poor, Vec::<Value>::new());
}

#[test]
fn a_file_that_vanishes_between_question_and_answer() {
    let env = good();
    env.write("gone.rs", "pub fn gone() {}\n");
    env.write("changed.rs", "pub fn before() {}\n");
    let lines = done(&env, &["scan", "--json"]).json();
    let id = |path: &str| {
        let line = lines.iter().find(|line| line["evidence"]["file_path"] == path);
        line.unwrap_or_else(|| panic!("{lines:?}"))["id"].as_str().unwrap().to_owned()
    };
    env.remove("gone.rs");
    env.write("changed.rs", [0, 1, 2, 0]);
    let answer = |path: &str| {
        let lines = done(&env, &["scan", "--investigate", &id(path), "--json"]).json();
        lines.into_iter().find(|line| line["file_path"] == path)
    };
    let gone = answer("gone.rs").unwrap();
    assert_eq!((&gone["state"], &gone["answer"]), (&"failed".into(), &"vanished".into()));
    let changed = answer("changed.rs").unwrap();
    assert_eq!(
        (&changed["state"], &changed["answer"]),
        (&"failed".into(), &"unsupported_type".into())
    );
    check_good(&env);
    // Nor is a question left about what went away unanswered.
    env.write("later.rs", "pub fn later() {}\n");
    done(&env, &["scan"]);
    env.remove("later.rs");
    let summary = done(&env, &["scan", "--json"]).json().pop().unwrap();
    assert_eq!((&summary["open"], &summary["closed"]), (&0.into(), &1.into()), "{summary}");
}

#[test]
fn files_that_come_and_go_while_it_is_answered() {
    let env = good();
    for n in 0..100 {
        env.write(format!("n{n}.rs"), format!("pub fn lynx_{n}() {{}}\n"));
    }
    let stop = AtomicBool::new(false);
    let failed = std::thread::scope(|scope| {
        scope.spawn(|| {
            let mut round = 0;
            while !stop.load(Ordering::Relaxed) {
                round += 1;
                for n in 0..100 {
                    let path = format!("n{n}.rs");
                    match (n + round) % 4 {
                        0 => drop(fs::remove_file(env.path(&path))),
                        1 => env.write(&path, ""),
                        2 => env.write(&path, format!("pub fn grown_{n}() {{}}\n").repeat(n * 10)),
                        _ => env.write(&path, [0xff, 0, 1]),
                    }
                }
            }
        });
        let mut failed = None;
        for args in [
            &["scan", "--investigate", "--all"][..],
            &["search", "lynx grown", "--json"],
            &["graph"],
            &["scan", "--investigate", "--all"],
            &["search", "ferry", "--refresh-stale", "always"],
        ] {
            let output = bounded(&mut env.command(args));
            if !matches!(output.code, Some(0 | 1)) {
                failed = Some(format!("{args:?}\n{output}"));
            }
        }
        stop.store(true, Ordering::Relaxed);
        failed
    });
    assert_eq!(failed, None);
    for n in 0..100 {
        env.write(format!("n{n}.rs"), format!("pub fn lynx_{n}() {{}}\n"));
    }
    check_good(&env);
    let described = indexed(&env);
    let fresh = |line: &&Value| line["state"] == "fresh" && line["summary_failed"] == false;
    assert_eq!(described.iter().filter(fresh).count(), 101, "{described:?}");
}

/// Ends in an answer, or in an error that says what to look at.
fn check_plain(env: &TestEnv, folder: &Path, what: &str) {
    for args in [
        &["scan"][..],
        &["scan", "--investigate", "--all"],
        &["search", "ferry"],
        &["graph"],
        &["scan", "--list"],
        &["scan", "--indexed"],
    ] {
        let output = bounded(env.command(args).current_dir(folder));
        match output.code {
            Some(0 | 1) => {}
            Some(2) => {
                let text = output.stderr();
                assert!(text.contains("error: `") && text.contains("hint: "), "{what}\n{output}");
                // Over what there is to read, there is an answer.
                assert!(!matches!(args[0], "search" | "graph"), "{what} {args:?}\n{output}");
            }
            _ => panic!("{what} {args:?}\n{output}"),
        }
    }
}

#[test]
fn places_that_cannot_be_written() {
    for (path, is_folder) in [
        (".git/elophanto", false),
        (".git/elophanto/journal", false),
        (".git/elophanto/summary", false),
        (".git/elophanto/vectors", false),
        (".git/elophanto/scan", true),
        (".git/elophanto/investigate.lock", true),
        (".git/elophanto/journal.lock", true),
        (".elophanto", false),
        (".elophanto/journal", false),
    ] {
        let env = good();
        env.write("note.md", "# Ferry\n\nThe ferry sails.\n");
        if is_folder {
            fs::create_dir_all(env.path(path)).unwrap();
        } else {
            env.write(path, "in the way");
        }
        check_plain(&env, env.root(), path);
        if !is_folder {
            assert_eq!(env.read(path), b"in the way", "{path}");
        }
        env.remove(path);
        check_good(&env);
    }
}

#[test]
fn folders_of_ours_that_lead_out_are_not_written_through() {
    for path in [".git/elophanto", ".git/elophanto/journal", ".elophanto", ".elophanto/journal"] {
        let env = good();
        let victim = env.outside().join("victim");
        fs::create_dir(&victim).unwrap();
        fs::write(victim.join("file"), "# precious\n").unwrap();
        fs::create_dir_all(env.path(path).parent().unwrap()).unwrap();
        symlink(&victim, env.path(path)).unwrap();
        for args in [&["scan"][..], &["scan", "--investigate", "--all"], &["search", "ferry"]] {
            let output = bounded(&mut env.command(args));
            assert!(matches!(output.code, Some(0..=2)), "{path} {args:?}\n{output}");
        }
        if path.starts_with(".elophanto") {
            assert_eq!(files_below(&victim), [victim.join("file")], "{path}");
        }
        assert_eq!(fs::read(victim.join("file")).unwrap(), b"# precious\n");
    }
}

/// Everything below a folder without the right to write; given back for the cleaning.
struct ReadOnly(PathBuf);

impl ReadOnly {
    fn set(folder: &Path, writable: bool) {
        for entry in walkdir::WalkDir::new(folder).contents_first(!writable) {
            let entry = entry.unwrap();
            let mode = match (entry.file_type().is_dir(), writable) {
                (true, true) => 0o755,
                (true, false) => 0o555,
                (false, true) => 0o644,
                (false, false) => 0o444,
            };
            fs::set_permissions(entry.path(), fs::Permissions::from_mode(mode)).unwrap();
        }
    }
}

impl Drop for ReadOnly {
    fn drop(&mut self) {
        Self::set(&self.0, true);
    }
}

/// The administrator may write all the same: then this shows only that nothing breaks.
#[test]
fn a_read_only_git_directory() {
    for described in [false, true] {
        let env = good();
        if described {
            check_good(&env);
        }
        env.write("new.rs", "pub fn new_ferry() {}\n");
        let guard = ReadOnly(env.path(".git"));
        ReadOnly::set(&guard.0, false);
        check_plain(&env, env.root(), "read-only");
        drop(guard);
        check_good(&env);
    }
}

#[test]
fn a_folder_without_git() {
    let env = TestEnv::plain();
    env.write(GOOD_PATH, GOOD);
    for args in [&["scan"][..], &["scan", "--investigate", "--all"], &["graph"]] {
        let output = bounded(&mut env.command(args));
        assert_eq!(output.code, Some(2), "{args:?}\n{output}");
        assert!(output.stderr().contains("hint: run `elophanto init`"), "{output}");
    }
    assert_eq!(files_below(env.root()).len(), 1);
    fs::create_dir(env.path(".elophanto")).unwrap();
    check_good(&env);
    assert_eq!(paths(&indexed(&env), "file_path"), [GOOD_PATH]);
}

#[test]
fn a_bare_repository_says_so() {
    let env = good();
    env.commit("one");
    env.git(&["clone", "--quiet", "--bare", ".", "../bare.git"]);
    let bare = env.outside().join("bare.git");
    let before = files_below(&bare);
    for args in
        [&["scan"][..], &["scan", "--investigate", "--all"], &["scan", "--list"], &["graph"]]
    {
        let output = bounded(env.command(args).current_dir(&bare));
        assert_eq!(output.code, Some(2), "{args:?}\n{output}");
        assert!(output.stderr().contains("is a bare repository"), "{output}");
    }
    assert_eq!(files_below(&bare), before);
}

#[test]
fn no_commit_yet_and_detached_head() {
    let env = good();
    check_good(&env);
    env.commit("one");
    check_good(&env);
    env.git(&["checkout", "--quiet", "--detach"]);
    env.write("more.rs", "pub fn more() {}\n");
    check_good(&env);
    assert!(known(&env, "more.rs").is_some());
    env.git(&["checkout", "--quiet", "--orphan", "nothing"]);
    env.write("most.rs", "pub fn most() {}\n");
    check_good(&env);
    assert!(known(&env, "most.rs").is_some());
}

#[test]
fn repositories_within_are_not_entered() {
    let env = good();
    env.commit("one");
    env.git(&["clone", "--quiet", ".", "../origin"]);
    env.git(&[
        "-c",
        "protocol.file.allow=always",
        "submodule",
        "--quiet",
        "add",
        "../origin",
        "module",
    ]);
    env.git(&["clone", "--quiet", "../origin", "nested"]);
    env.git(&["worktree", "add", "--quiet", "tree"]);
    assert!(env.path("module").join(GOOD_PATH).is_file() && env.path("tree/.git").is_file());
    check_good(&env);
    let ours = paths(&indexed(&env), "file_path");
    assert!(ours.iter().all(|path| !path.contains('/') || path == GOOD_PATH), "{ours:?}");
    let nodes = paths(
        &done(&env, &["graph", "--json"])
            .json()
            .into_iter()
            .filter(|n| n.get("path").is_some())
            .collect::<Vec<_>>(),
        "path",
    );
    assert!(nodes.iter().all(|path| !path.contains('/') || path == GOOD_PATH), "{nodes:?}");
    // Each is a knowledge base of its own.
    for folder in ["module", "nested", "tree"] {
        let output = bounded(
            env.command(&["scan", "--investigate", "--all", "--json"])
                .current_dir(env.path(folder)),
        );
        assert_eq!(output.code, Some(0), "{folder}\n{output}");
        let summary = output.json().pop().unwrap();
        assert_eq!((&summary["open"], &summary["failed"]), (&0.into(), &0.into()), "{summary}");
        assert!(summary["indexed"].as_u64() > Some(0), "{summary}");
    }
    check_good(&env);
}

/// What is described on another branch is neither asked about here nor looked for in vain.
#[test]
fn what_another_branch_describes_is_its_own() {
    let env = good();
    check_good(&env);
    env.commit("one");
    env.git(&["checkout", "--quiet", "-b", "side"]);
    env.write("side.rs", "pub fn only_on_the_side() {}\n");
    check_good(&env);
    env.commit("two");
    env.git(&["checkout", "--quiet", "main"]);
    let summary = done(&env, &["scan", "--json"]).json().pop().unwrap();
    assert_eq!(summary["open"], 0, "{summary}");
    let (answers, summary) = investigate(&env);
    assert_eq!((answers, &summary["failed"]), (Vec::new(), &0.into()), "{summary}");
}

#[test]
fn what_another_work_tree_describes_is_its_own() {
    let env = good();
    check_good(&env);
    env.commit("one");
    env.git(&["worktree", "add", "--quiet", "../linked"]);
    let linked = env.outside().join("linked");
    fs::write(linked.join("only.rs"), "pub fn only_in_the_linked_tree() {}\n").unwrap();
    let run = |args: &[&str]| {
        let output = bounded(env.command(args).current_dir(&linked));
        assert_eq!(output.code, Some(0), "{args:?}\n{output}");
        output
    };
    let summary = run(&["scan", "--investigate", "--all", "--json"]).json().pop().unwrap();
    assert_eq!((&summary["answered"], &summary["open"]), (&1.into(), &0.into()), "{summary}");
    let hits = run(&["search", "only linked tree", "--json"]).json();
    assert_eq!(hits[0]["path"], "only.rs");
    let (answers, summary) = investigate(&env);
    assert_eq!((answers, &summary["failed"]), (Vec::new(), &0.into()), "{summary}");
    check_good(&env);
}

/// A slip of the pen is told from a folder where nothing is to be asked.
#[test]
fn a_path_that_is_not_there_is_named() {
    let env = good();
    for path in ["nosuch", "zz/nosuch.rs", "../outside", "/etc"] {
        let output = bounded(&mut env.command(&["scan", path]));
        assert!(matches!(output.code, Some(0..=2)), "{output}");
        assert!(output.stderr().contains(path), "{path} is not named\n{output}");
    }
}
