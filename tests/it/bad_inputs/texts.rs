//! Rows 4, 5 and 15 to 19: what may stand in a file. One bad file never stops the others.

use std::fs::File;

use serde_json::Value;

use super::{bounded, done, found, skipped};
use crate::env::{Output, TestEnv};

const GOOD: (&str, &str) = ("good.md", "# Good\n\nThe heron waits by the pond.\n");

/// The hit at a path; the whole text with it.
fn hit(env: &TestEnv, query: &str, path: &str) -> Value {
    let output = done(env, &["search", "--json", "--full", "-n", "50", query]);
    let hit = output.json().into_iter().find(|hit| hit["path"] == path);
    hit.unwrap_or_else(|| panic!("{path} is not found\n{output}"))
}

/// A file beside a good note: it is indexed (`None`) or skipped with such a reason, and the good
/// note is found.
fn check(path: &str, bytes: impl AsRef<[u8]>, reason: Option<&str>) -> TestEnv {
    let env = TestEnv::with(&[GOOD]);
    env.write(path, bytes);
    let skipped = skipped(&env);
    match (reason, &skipped[..]) {
        (None, []) => {}
        (Some(reason), [(named, why)]) if named == path && why.contains(reason) => {}
        _ => panic!("{path}: expected {reason:?}, skipped {skipped:?}"),
    }
    assert_eq!(found(&env, &["heron pond"])[0], "good.md", "{path}");
    let doctor = bounded(&mut env.command(&["doctor"]));
    assert!(matches!(doctor.code, Some(0 | 1)), "{path}\n{doctor}");
    env
}

/// A note whose front matter is refused: its body is searched, and the hit says why.
fn check_noted(front_matter: &str) -> String {
    let text = format!("---\n{front_matter}\n---\n# Body\n\nThe heron stands in the body.\n");
    let env = check("bad.md", text, None);
    let hit = hit(&env, "stands body", "bad.md");
    let note = hit["note"].as_str().unwrap_or_else(|| panic!("no note: {hit}"));
    assert!(note.len() < 1000, "{note}");
    note.to_owned()
}

#[test]
fn conflict_markers() {
    let body = "# Merge\n\n<<<<<<< HEAD\nThe heron of ours.\n=======\nThe egret of theirs.\n\
                >>>>>>> other\n\nThe rest of it.\n";
    let env = check("conflict.md", body, None);
    hit(&env, "rest", "conflict.md");
    for query in ["heron ours", "egret theirs"] {
        let text = hit(&env, query, "conflict.md")["text"].as_str().unwrap().to_owned();
        assert!(text.contains("<<<<<<< HEAD") && text.contains(">>>>>>> other"), "{text}");
    }
    let note = check_noted(
        "title: A\n<<<<<<< HEAD\ntags: [a]\n=======\ntags: [b]\n>>>>>>> other\nscope: user",
    );
    assert!(note.contains("line "), "{note}");
    // The closing mark itself is in conflict.
    let text = "---\ntitle: A\n<<<<<<< HEAD\n---\n=======\n---\n>>>>>>> b\n\nThe heron body.\n";
    let env = check("torn.md", text, None);
    hit(&env, "heron body", "torn.md");
}

#[test]
fn a_pointer_of_git_lfs() {
    let pointer = "version https://git-lfs.github.com/spec/v1\n\
                   oid sha256:4d7a214614ab2935c943f9e0ff69d22eadbb8f32b1258daaa5e2ca24d17e2393\n\
                   size 12345\n";
    let env = check(
        "large.md",
        pointer,
        Some("a Git LFS pointer, its text is not here (run `git lfs pull`)"),
    );
    // Once the text is there, it is a note like any other.
    env.write("large.md", "# Large\n\nThe egret stands in deep water.\n");
    assert_eq!(found(&env, &["egret deep water"])[0], "large.md");
}

#[test]
fn a_merge_in_progress_is_searched() {
    let env = TestEnv::with(&[GOOD, ("a.md", "base\n")]);
    env.commit("base");
    env.git(&["checkout", "--quiet", "-b", "other"]);
    env.write("a.md", "The egret of theirs.\n");
    env.commit("theirs");
    env.git(&["checkout", "--quiet", "main"]);
    env.write("a.md", "The bittern of ours.\n");
    env.commit("ours");
    assert_eq!(bounded(env.sealed("git").args(["merge", "other"])).code, Some(1));
    assert_eq!(found(&env, &["egret"])[0], "a.md");
    assert_eq!(found(&env, &["bittern"])[0], "a.md");
    done(&env, &["index"]);
}

#[test]
fn dates_beyond_reason_are_capped() {
    let dates = [
        "9999-12-31",
        "9999-12-31T23:59:59.999999999Z",
        "99999-01-01",
        "-0001-01-01",
        "-9999-01-01",
        "0000-00-00",
        "1970-01-01",
        "2026-02-30",
        "-1",
        "1e400",
        ".nan",
        "9223372036854775807",
        "[2026, 1, 1]",
        "{a: b}",
        "tomorrow",
    ];
    let env = TestEnv::new();
    // What fits better and is old must come before what claims to be of the future.
    env.write("best.md", "---\nupdated: 2001-01-01\n---\n# Heron\n\nThe heron nests in May.\n");
    for (number, date) in dates.iter().enumerate() {
        let text = format!("---\nupdated: {date}\ncreated: {date}\n---\n# N{number}\n\nA heron.\n");
        env.write(format!("d{number}.md"), text);
    }
    assert_eq!(skipped(&env), []);
    let output = done(&env, &["search", "--json", "--explain", "-n", "50", "heron nests May"]);
    let hits = output.json();
    assert_eq!(hits[0]["path"], "best.md", "{output}");
    for hit in &hits {
        let score = hit["score"].as_f64().unwrap();
        let recency = hit["explain"]["recency_part"].as_f64().unwrap();
        assert!((0.0..=0.1).contains(&recency) && score.is_finite(), "{hit}");
    }
    // The future counts as now, not more.
    let recency = |path: &str| {
        let hit = hits.iter().find(|hit| hit["path"] == path);
        hit.unwrap()["explain"]["recency_part"].as_f64().unwrap()
    };
    // But for the seconds since a file was written whose date is none.
    assert!((recency("d0.md") - recency("d1.md")).abs() < 1e-5);
    for args in [["--since", "2100-01-01"], ["--until", "1900-01-01"], ["--since", "-9999-01-01"]] {
        let output = bounded(env.command(&["search", "--json", "heron"]).arg(args.join("=")));
        assert!(output.code.is_some_and(|code| code < 2 || args[1].starts_with('-')), "{output}");
    }
    let future = found(&env, &["heron", "--since", "2100-01-01"]);
    assert!(future.contains(&"d0.md".to_owned()), "{future:?}");
}

#[test]
fn file_times_beyond_reason() {
    let env =
        TestEnv::with(&[GOOD, ("past.md", "A heron, long ago.\n"), ("future.md", "Heron 2.\n")]);
    for (path, stamp) in [("past.md", "1901-12-14"), ("future.md", "2200-01-01")] {
        assert_eq!(bounded(env.sealed("touch").args(["-d", stamp, path])).code, Some(0));
    }
    assert_eq!(found(&env, &["heron"]).len(), 3);
    // An edit that leaves size and time as they were.
    done(&env, &["index"]);
    env.write("future.md", "Stork 2.\n");
    assert_eq!(bounded(env.sealed("touch").args(["-d", "2200-01-01", "future.md"])).code, Some(0));
    assert_eq!(found(&env, &["stork", "--mode", "keyword"]), ["future.md"]);
}

#[test]
fn front_matter_bombs() {
    let mut aliases = String::from("a0: &a0 [x, x, x, x, x, x, x, x, x]\n");
    for n in 1..30 {
        let before = vec![format!("*a{}", n - 1); 9].join(", ");
        aliases.push_str(&format!("a{n}: &a{n} [{before}]\n"));
    }
    check_noted(&aliases);
    check_noted("a: &a [*a, *a]");
    check_noted(&format!("a: {}{}", "[".repeat(10_000), "]".repeat(10_000)));
    check_noted(&format!("a: {}", "{a: ".repeat(10_000)));
    let nested: Vec<String> = (0..2_000).map(|n| format!("{}k:", " ".repeat(n))).collect();
    check_noted(&nested.join("\n"));
    check_noted("title: One\ntitle: Two");
    check_noted(&format!("{}: x", "k".repeat(1_000_000)));
    check_noted(&format!("title: {}", "t".repeat(1_000_000)));
    check_noted("title: [unclosed");
    check_noted("title: !!python/object/apply:os.system [\"touch canary\"]");
}

#[test]
fn front_matter_of_unexpected_kinds() {
    for front_matter in [
        "title: 12",
        "- a\n- list",
        "title: {{ template }}",
        "\ttitle: tab",
        "title: null",
        "tags: {a: b}",
        "tags: [1, 2.5, null, true, [x]]",
        "tags: \"a,,b, ,c\"",
        "scope: root",
        "scope: [system]",
        "covers: 7",
        "aliases: {a: 1}",
        "title: \"\"",
        "a: &x 1\nb: *x",
        "? complex\n: key",
        "title: |\n  many\n  lines",
        "%YAML 1.1",
        "title: a\n...\nmore: b",
    ] {
        let text = format!("---\n{front_matter}\n---\n# Body\n\nThe heron stands in the body.\n");
        let env = check("odd.md", text, None);
        hit(&env, "stands body", "odd.md");
    }
    let many: Vec<String> = (0..50_000).map(|n| format!("t{n}")).collect();
    let env =
        check("many.md", format!("---\ntags: [{}]\n---\nThe heron.\n", many.join(", ")), None);
    hit(&env, "heron", "many.md");
    for toml in ["a = ", "title = 1\ntitle = 2", "[[[[", "a.b.c.d = 1"] {
        let env = check("toml.md", format!("+++\n{toml}\n+++\nThe heron body.\n"), None);
        hit(&env, "heron body", "toml.md");
    }
    let deep = format!("+++\na = {}{}\n+++\nThe heron body.\n", "[".repeat(9000), "]".repeat(9000));
    hit(&check("toml.md", deep, None), "heron body", "toml.md");
}

#[test]
fn tangled_markdown() {
    let texts: Vec<(&str, String)> = vec![
        ("quotes", ">".repeat(100_000)),
        ("quotes in lines", "> ".repeat(300) + "x\n" + &">".repeat(2_000)),
        ("brackets", "[".repeat(50_000)),
        ("images", "![".repeat(20_000)),
        ("links", "[a](".repeat(20_000)),
        ("wikilinks", "[[".repeat(20_000)),
        ("stars", "*a_ ".repeat(20_000)),
        ("back ticks", (1..700).map(|n| "`".repeat(n) + " ").collect()),
        ("lists", (0..2_000).map(|n| format!("{}- x\n", "  ".repeat(n))).collect()),
        ("list in a line", "- ".repeat(20_000)),
        ("html", "<a ".repeat(20_000)),
        ("comment", "<!--".repeat(20_000)),
        ("entities", "&#x;&amp".repeat(20_000)),
        ("references", (0..20_000).map(|n| format!("[a{n}]: b\n[a{n}][a{n}]\n")).collect()),
        ("footnotes", (0..5_000).map(|n| format!("[^{n}] [^{n}]: [^{n}]\n\n")).collect()),
        ("headings", "# a\n".repeat(20_000)),
        ("deep headings", "#".repeat(100_000)),
        ("setext", "a\n=\n".repeat(20_000)),
        ("fences", "```\n".repeat(20_001)),
        ("tildes", "~".repeat(100_000)),
        (
            "table",
            format!("{}\n{}\n{}", "|a".repeat(10_000), "|-".repeat(10_000), "|b\n".repeat(50)),
        ),
        ("wide rows", format!("|a|\n|-|\n{}", "|x".repeat(100_000))),
        ("long line", "x".repeat((1 << 20) + 1)),
        ("long line of words", "word ".repeat(300_000)),
        ("lines", "\n".repeat(600_000)),
        ("carriage returns", "\r".repeat(100_000)),
        ("one word", "w".repeat(500_000)),
        ("combining", "e".to_owned() + &"\u{301}".repeat(100_000)),
        ("cjk without spaces", "日本".repeat(20_000)),
        ("emoji", "👩‍👩‍👧‍👦".repeat(20_000)),
        ("white space", " \t\u{a0}\u{3000}".repeat(20_000)),
        ("unclosed front matter", "---\n".to_owned() + &"a: b\n".repeat(20_000)),
        ("front matter only", "---\ntitle: x\n---\n".repeat(5_000)),
        ("autolinks", "http://a.b/".repeat(20_000)),
        ("mathematics", "$".repeat(20_000)),
    ];
    let env = TestEnv::with(&[GOOD]);
    for (number, (what, text)) in texts.iter().enumerate() {
        env.write(format!("{what}.md"), format!("{text}\n\nThe bittern{number} at the end.\n"));
    }
    let skipped = skipped(&env);
    for (path, reason) in &skipped {
        assert!(reason.contains("cap of"), "{path}: {reason}");
    }
    assert_eq!(found(&env, &["heron pond"])[0], "good.md");
    for (number, (what, _)) in texts.iter().enumerate() {
        let path = format!("{what}.md");
        if skipped.iter().all(|(skipped, _)| *skipped != path) {
            let word = format!("bittern{number}");
            assert_eq!(found(&env, &[&word, "--mode", "keyword"]), [path], "{what}");
        }
    }
    for format in ["text", "markdown", "vimgrep"] {
        let all = ["search", "at the end", "-n", "50", "--full", "--format", format];
        done(&env, &all);
    }
    done(&env, &["search", "at the end", "-n", "50", "--max-tokens", "2000"]);
    let doctor = bounded(&mut env.command(&["doctor"]));
    assert!(matches!(doctor.code, Some(0 | 1)), "{doctor}");
}

#[test]
fn a_huge_file_is_not_read() {
    let env = TestEnv::with(&[GOOD]);
    File::create(env.path("huge.md")).unwrap().set_len(3 << 30).unwrap();
    // Too little memory to hold it.
    let run = |args: &str| {
        let script = format!("ulimit -v 2500000; exec \"$0\" {args}");
        bounded(env.sealed("bash").args(["-c", &script, crate::env::PROGRAM]))
    };
    let index = run("index --json");
    assert_eq!(index.code, Some(0), "{index}");
    let lines = index.json();
    assert_eq!(lines[0]["skipped"], "huge.md");
    assert!(lines[0]["reason"].as_str().unwrap().contains("knowledge.max_file_bytes"), "{index}");
    let answer = run("search heron --json");
    assert_eq!(answer.json()[0]["path"], "good.md", "{answer}");
    assert_eq!(bounded(&mut env.command(&["index", "--check"])).code, Some(1));
    // Once it is small it is a note.
    env.write("huge.md", "The heron shrank.\n");
    assert_eq!(found(&env, &["shrank"])[0], "huge.md");
}

#[test]
fn encodings() {
    let utf16 = |text: &str, big: bool| -> Vec<u8> {
        let units = std::iter::once(0xfeff).chain(text.encode_utf16());
        units.flat_map(|unit| if big { unit.to_be_bytes() } else { unit.to_le_bytes() }).collect()
    };
    let text = "# Straße\n\nDer Reiher in der Straße wartet.\n";
    let latin: Vec<u8> = text.chars().map(|char| char as u8).collect();
    for bytes in [latin, utf16(text, true), utf16(text, false)] {
        let env = check("other.md", bytes, None);
        let hit = hit(&env, "Straße", "other.md");
        assert!(hit["note"].as_str().unwrap().starts_with("decoded from "), "{hit}");
        assert_eq!(hit["title"], "Straße");
    }
    let env = check("bom.md", format!("\u{feff}---\ntitle: Reiher\n---\n{text}"), None);
    assert_eq!(hit(&env, "Straße", "bom.md")["title"], "Reiher");
    let mut state = 1_u64;
    let mut random = || {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
        (state >> 56) as u8
    };
    let noise: Vec<u8> = (0..5_000).map(|_| random()).collect();
    check("noise.md", noise, Some(""));
    check("odd.md", [&utf16(text, false)[..], b"x"].concat(), Some("broken UTF-16LE"));
    check("surrogate.md", b"\xff\xfe\x00\xd8h\x00", Some("broken UTF-16LE"));
    check("nul.md", b"text\0text", Some("NUL byte"));
    check("zero.md", [0; 4096], Some("NUL byte"));
    check("cut.md", "The heron é".as_bytes().split_last().unwrap().1, Some(""));
    check("png.md", b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR", Some(""));
    check("empty.md", b"", None);
    check("mark.md", b"\xef\xbb\xbf", None);
    check("mark16.md", b"\xff\xfe", None);
}

#[test]
fn a_file_without_rights_is_named() {
    use std::os::unix::fs::PermissionsExt;
    let env =
        TestEnv::with(&[GOOD, ("locked.md", "The heron.\n"), ("locked/a.md", "The heron.\n")]);
    for path in ["locked.md", "locked"] {
        let none = std::fs::Permissions::from_mode(0o000);
        std::fs::set_permissions(env.path(path), none).unwrap();
    }
    let index = done(&env, &["index"]);
    // The administrator may read all the same.
    if File::open(env.path("locked.md")).is_err() {
        assert!(index.stderr().contains("locked.md: skipped: "), "{index}");
        assert_eq!(found(&env, &["heron"]), ["good.md"]);
    }
    let all = std::fs::Permissions::from_mode(0o755);
    std::fs::set_permissions(env.path("locked"), all).unwrap();
}

/// A folder is named as a file is, and where only what lies in it was asked for.
#[test]
fn a_folder_that_cannot_be_looked_into_is_named() {
    let env = TestEnv::with(&[GOOD, ("shut/in/a.md", "The heron.\n")]);
    std::os::unix::fs::symlink("/dev/zero", env.path("shut/.gitignore")).unwrap();
    let said = "warning: shut: skipped: its folder is left out";
    for args in [&["index"][..], &["index", "shut"], &["index", "shut/in"]] {
        let output = done(&env, args);
        assert!(output.stderr().contains(said), "{args:?}\n{output}");
    }
    assert!(!done(&env, &["index", "good.md"]).stderr().contains("shut"));
    assert!(skipped(&env).iter().any(|(path, _)| path == "shut"));
    std::os::unix::fs::symlink("/dev/zero", env.path(".gitignore")).unwrap();
    for args in [&["index"][..], &["index", "good.md"]] {
        let output = done(&env, args);
        assert!(output.stderr().contains("warning: .: skipped: its folder is"), "{output}");
    }
}

const HOSTILE: &str = "\u{1b}[2J\u{1b}]52;c;aGk=\u{7}\u{1b}]8;;http://evil.test\u{1b}\\click\u{1b}]8;;\u{1b}\\ \
    \u{202e}txt.exe\u{2066} \u{9b}2J\u{9d}0;t\u{9c} over\rwritten \u{200b}\u{feff}\u{7f}\u{8} \u{e0041}";

/// Nothing that a terminal would obey.
fn check_tame(output: &Output, what: &str) {
    for bytes in [&output.stdout, &output.stderr] {
        let text = std::str::from_utf8(bytes).unwrap();
        let wild = text.chars().find(|&char| {
            (char.is_control() && !matches!(char, '\n' | '\t'))
                || matches!(char, '\u{200b}'..='\u{200f}' | '\u{202a}'..='\u{202e}'
                    | '\u{2066}'..='\u{2069}' | '\u{feff}' | '\u{e0000}'..='\u{e007f}')
        });
        assert!(wild.is_none(), "{what}: {wild:?} in {text:?}");
    }
}

#[test]
fn text_that_steers_a_terminal() {
    let env = TestEnv::with(&[GOOD]);
    let quoted = serde_json::to_string(HOSTILE).unwrap();
    let name = HOSTILE.replace('/', "_");
    env.write(
        format!("{name}.md"),
        format!(
            "---\ntitle: {quoted}\ntags: [{quoted}]\nscope: {quoted}\nupdated: {quoted}\n---\n\
             # {HOSTILE}\n\n## Heron {HOSTILE}\n\nThe heron {HOSTILE} at the pond.\n\n\
             [x]({HOSTILE}) [[{HOSTILE}]] [y](<{HOSTILE}>)\n"
        ),
    );
    env.write(
        "body.md",
        format!("# {HOSTILE}\n\nThe heron {HOSTILE} wades.\n\n[[{HOSTILE}]] [z](<\u{1b}[2J.md>)\n"),
    );
    env.write(format!("{name}.markdown"), [0; 10]);
    env.write(format!("{name} 2.md"), [0; 10]);
    for format in ["text", "json", "markdown", "vimgrep"] {
        for more in [&[][..], &["--full"], &["--explain"], &["--max-tokens", "300"]] {
            let args = [&["search", "heron", "--format", format][..], more].concat();
            check_tame(&done(&env, &args), &format!("{args:?}"));
        }
    }
    for args in [
        &["index", "--full"][..],
        &["index", "--full", "--json"],
        &["index", "--check"],
        &["index", "--check", "--json"],
        &["doctor"],
        &["doctor", "--json"],
        &["doctor", "--settings"],
        &["search", "heron", "--scope", "user", "--tag", "x"],
    ] {
        check_tame(&bounded(&mut env.command(args)), &format!("{args:?}"));
    }
    // What was typed comes back tame too.
    for args in [
        &["search", HOSTILE][..],
        &["search", "zzzz", "--path", HOSTILE],
        &["search", "--like", HOSTILE],
        &["search", "heron", "--tag", HOSTILE],
        &["search", "heron", "--since", HOSTILE],
        &["search", "heron", "--mode", HOSTILE],
        &["index", HOSTILE],
        &["index", "--every", HOSTILE],
        &["eval", HOSTILE],
    ] {
        check_tame(&bounded(&mut env.command(args)), &format!("{args:?}"));
    }
    let text = done(&env, &["search", "heron", "--full"]);
    assert!(text.stdout().contains("␛[2J") && text.stdout().contains("<U+202E>"), "{text}");
    let hits = done(&env, &["search", "heron", "--json", "--full"]).json();
    assert!(hits.iter().any(|hit| hit["path"] == format!("{name}.md")), "{hits:?}");
}

#[test]
fn settings_that_steer_a_terminal() {
    let quoted = serde_json::to_string(HOSTILE).unwrap();
    for settings in [
        format!("knowledge:\n  write_root: {quoted}\n"),
        format!("knowledge:\n  roots: [{quoted}]\n"),
        format!("knowledge:\n  extensions: [md, {quoted}]\n"),
        format!("knowledge:\n  embedding_model: {quoted}\n"),
        format!("search:\n  mode: {quoted}\n"),
        format!("{quoted}: 1\n"),
        format!("search: [{quoted}\n"),
        HOSTILE.to_owned(),
        "\u{0}\u{1}".to_owned(),
        "a: &a [*a]".to_owned(),
        "x".repeat(100_000),
    ] {
        let env = TestEnv::with(&[GOOD]);
        env.write(".elophanto/config.yaml", &settings);
        for args in [&["search", "heron"][..], &["index"], &["doctor", "--settings"], &["init"]] {
            let output = bounded(&mut env.command(args));
            check_tame(&output, &format!("{args:?} {settings:.80}"));
            assert!(matches!(output.code, Some(0..=2)), "{output}");
        }
    }
}
