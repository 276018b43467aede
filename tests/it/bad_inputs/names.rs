//! Row 12: file names are bytes. They go round by bytes and are shown escaped.

use std::{
    ffi::OsStr,
    fs,
    os::unix::ffi::{OsStrExt, OsStringExt},
    path::PathBuf,
};

use super::{bounded, done, found};
use crate::env::TestEnv;

/// Names as bytes, without the extension.
const NAMES: &[&[u8]] = &[
    b"line\nfeed",
    b"tab\tname",
    b"car\rriage",
    b"quote\"name",
    b"it's",
    b"back\\slash",
    b"-leading",
    b"--help",
    b":(glob)all",
    b":!exclude",
    b"**star?",
    b"[a-z]",
    b"{x,y}",
    b"space in it",
    b"trailing ",
    b"$(touch canary)",
    b"`touch canary`",
    b"; touch canary",
    b"| touch canary",
    b"%2e%2e",
    b"#hash",
    b"a:12",
    b"latin-\xe9",
    b"broken-\xff\xfe",
    b"cut-\xe2\x82",
    b"esc\x1b[2J",
    b"osc\x1b]52;c;aGk=\x07",
    b"bidi-\xe2\x80\xaegnp",
    b"zero-\xe2\x80\x8bwidth",
    "日本語".as_bytes(),
    "e\u{301}".as_bytes(),
    "\u{e9}".as_bytes(),
    b"con",
    b"nul",
    b"~",
    b"&amp;<b>",
    b"x\\xff",
];

/// A repository with a note of each name, in a folder of such a name too; the paths.
fn named() -> (TestEnv, Vec<PathBuf>) {
    let env = TestEnv::new();
    // All are much alike: each is a hit of its own all the same.
    env.write(".elophanto/config.yaml", "search:\n  collapse_similarity: 1.0\n");
    let mut names: Vec<Vec<u8>> = NAMES.iter().map(|name| name.to_vec()).collect();
    names.push([b'n'; 252].to_vec());
    names.push("ü".repeat(126).into_bytes());
    let mut paths = Vec::new();
    for (number, name) in names.iter().enumerate() {
        let name = OsStr::from_bytes(name);
        let mut file = name.to_owned();
        file.push(".md");
        for path in [PathBuf::from(&file), PathBuf::from("folders").join(name).join(&file)] {
            let text = format!("The walrus number {number} of {} lives here.\n", paths.len());
            env.write(&path, text);
            paths.push(path);
        }
    }
    paths.sort();
    (env, paths)
}

#[test]
fn every_name_goes_round_by_bytes() {
    let (env, paths) = named();
    let all = paths.len().to_string();
    done(&env, &["index"]);
    let output = done(
        &env,
        &["search", "walrus", "-n", &all, "--mode", "keyword", "--format", "files", "-0"],
    );
    let mut round: Vec<PathBuf> = output
        .stdout
        .split(|&byte| byte == 0)
        .filter(|name| !name.is_empty())
        .map(|name| PathBuf::from(std::ffi::OsString::from_vec(name.to_vec())))
        .collect();
    round.sort();
    assert_eq!(round, paths);
    for path in &round {
        assert!(fs::symlink_metadata(env.path(path)).unwrap().is_file());
    }

    let json = done(&env, &["search", "walrus", "-n", &all, "--mode", "keyword", "--json"]).json();
    assert_eq!(json.len(), paths.len());
    for hit in &json {
        let text = hit["path"].as_str().unwrap();
        let bytes: Vec<u8> = match hit.get("path_bytes") {
            Some(bytes) => serde_json::from_value(bytes.clone()).unwrap(),
            None => text.as_bytes().to_vec(),
        };
        assert!(paths.contains(&PathBuf::from(OsStr::from_bytes(&bytes))), "{hit}");
    }
    assert!(!env.path("canary").exists());
    env.commit("every name");
    let again = env.index(&[]);
    assert_eq!((&again["files"], &again["embedded"]), (&paths.len().into(), &0.into()));
    assert_eq!(env.git(&["status", "--porcelain"]), "");
}

#[test]
fn every_name_is_shown_escaped() {
    let (env, paths) = named();
    let all = paths.len().to_string();
    for format in ["text", "json", "markdown", "vimgrep"] {
        let output = done(&env, &["search", "walrus", "-n", &all, "--format", format]);
        for (stream, bytes) in [("stdout", &output.stdout), ("stderr", &output.stderr)] {
            let text = std::str::from_utf8(bytes).unwrap();
            let raw = |c: char| {
                (c.is_control() && c != '\n')
                    || matches!(c, '\u{200b}'..='\u{200f}' | '\u{202a}'..='\u{202e}')
            };
            assert!(!text.contains(raw), "{format} {stream}: {text:?}");
        }
    }
    let text = done(&env, &["search", "walrus", "-n", &all, "--format", "vimgrep"]).stdout();
    for shown in ["line␊feed.md:1:", "tab␉name.md:1:", "esc␛[2J.md:1:", "latin-\\xe9.md:1:"] {
        assert!(text.lines().any(|line| line.starts_with(shown)), "{shown}: {text}");
    }
}

#[test]
fn every_name_can_be_asked_for() {
    let (env, paths) = named();
    done(&env, &["index"]);
    for path in &paths {
        for args in [&["search", "-n", "3", "--json", "--like"][..], &["index", "--"]] {
            let mut command = env.command(args);
            let mut typed = PathBuf::from(".");
            typed.push(path);
            let output = bounded(command.arg(typed));
            // A name that is not UTF-8 may be refused, but plainly.
            let plain = path.to_str().is_some();
            let fine = output.code == Some(0) || (!plain && output.code == Some(2));
            assert!(fine, "{path:?} {args:?}\n{output}");
        }
    }
}

#[test]
fn a_repository_of_any_name_works() {
    for name in NAMES.iter().filter(|name| !name.contains(&b'\\')) {
        let env = TestEnv::new();
        let folder = PathBuf::from(OsStr::from_bytes(name));
        env.write(folder.join("a.md"), "# Walrus\n\nThe walrus dives.\n");
        let inside = |args: &[&str]| {
            bounded(
                env.command(args).current_dir(env.path(&folder)).env("HOME", env.path("no-home")),
            )
        };
        assert_eq!(
            bounded(env.sealed("git").args(["init", "-q"]).current_dir(env.path(&folder))).code,
            Some(0)
        );
        let index = inside(&["index"]);
        // Lance takes neither: then there is a view, but nothing to commit.
        let foreign =
            std::str::from_utf8(name).map_or(true, |name| name.contains(char::is_control));
        assert_eq!(index.code, Some(if foreign { 2 } else { 0 }), "{name:?}\n{index}");
        if foreign {
            assert!(index.stderr().contains("which Lance"), "{index}");
        }
        let answer = inside(&["search", "walrus", "--json"]);
        assert_eq!(answer.code, Some(0), "{name:?}\n{answer}");
        assert_eq!(answer.json()[0]["path"], "a.md");
        let doctor = inside(&["doctor"]);
        assert!(matches!(doctor.code, Some(0 | 1)), "{name:?}\n{doctor}");
        assert!(!doctor.stdout.contains(&0x1b) && !doctor.stderr.contains(&0x1b), "{doctor}");
        assert_eq!(inside(&["init"]).code, Some(0));
    }
}

#[test]
fn a_deep_path_is_read_or_named() {
    let env = TestEnv::with(&[("a.md", "The walrus dives.\n")]);
    let mut folder = env.path("deep");
    // Below the kernel's limit for one path, but not by much.
    while folder.as_os_str().len() < 3800 {
        folder.push("d".repeat(50));
    }
    fs::create_dir_all(&folder).unwrap();
    fs::write(folder.join("b.md"), "The walrus sleeps.\n").unwrap();
    assert_eq!(found(&env, &["walrus"]).len(), 2);
    done(&env, &["index"]);
}
