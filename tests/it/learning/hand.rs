//! Pages that people and merges have changed, and pages that cannot be read.

use std::os::unix::fs::symlink;

use super::*;
use crate::env::finish;

const BOUGHT: &str = "KEF was bought by GP Acoustics in 1992.";
const FOUNDED: &str = "KEF is a British company founded in 1961 by Raymond Cooke in Tovil, Kent.";

/// A page with one fact, changed by hand.
fn changed(make: impl Fn(&str) -> Vec<u8>) -> (TestEnv, Vec<u8>) {
    let env = TestEnv::new();
    learn(&env, "kef ls50", SPEAKER);
    let text = String::from_utf8(env.read(page("kef"))).unwrap();
    let bytes = make(&text);
    env.write(page("kef"), &bytes);
    (env, bytes)
}

/// What is done to the bytes of a page.
type Damage = Box<dyn Fn(&str) -> Vec<u8>>;

#[test]
fn what_people_and_merges_wrote_is_kept_byte_for_byte() {
    let fact_line =
        |text: &str| text.lines().find(|line| line.contains("<!-- f:")).unwrap().to_owned();
    let cases: [(&str, Damage, usize); 13] = [
        ("line ends of Windows", Box::new(|text| text.replace('\n', "\r\n").into()), 1),
        (
            "a header that is not closed",
            Box::new(|text| text.replacen("---\n\n", "\n", 1).into()),
            1,
        ),
        (
            "a header that is no YAML",
            Box::new(|text| text.replace("scope:", "tags: [a, \nscope: :").into()),
            1,
        ),
        ("no header", Box::new(|text| text.split_once("---\n\n").unwrap().1.into()), 1),
        (
            "two headers",
            Box::new(|text| {
                let (header, rest) = text.split_once("---\n\n").unwrap();
                format!("{header}---\n{header}---\n{rest}").into()
            }),
            1,
        ),
        ("a byte order mark", Box::new(|text| format!("\u{feff}{text}").into()), 1),
        (
            "an id that is there twice",
            Box::new(move |text| {
                let twice = fact_line(text).replace("Kent", "Essex");
                format!("{text}{twice}\n").into()
            }),
            2,
        ),
        (
            "marks of a conflict",
            Box::new(|text| {
                format!("{text}<<<<<<< HEAD\n- mine\n=======\n- theirs\n>>>>>>> other\n").into()
            }),
            1,
        ),
        (
            "Markdown of all kinds",
            Box::new(|text| {
                format!("{text}\n## Mine  \n\n* a note\n\n```\n- title: x <!-- t:no -->\n```\n<div>\n\ttab\n").into()
            }),
            1,
        ),
        (
            "bytes that are no UTF-8",
            Box::new(|text| {
                [text.as_bytes(), b"- caf\xe9 \xff\xfe by hand\n", b"- again \xe9\n"].concat()
            }),
            1,
        ),
        ("a last line that does not end", Box::new(|text| format!("{text}- a note").into()), 1),
        ("zeros", Box::new(|text| format!("{text}a\0b\n").into()), 1),
        ("nothing", Box::new(|_| Vec::new()), 0),
    ];
    for (name, make, known) in cases {
        let (env, bytes) = changed(make);
        let output = learn(&env, "kef", BOUGHT);
        assert!(facts(&env, "kef").contains(&BOUGHT.to_owned()), "{name}\n{output}");
        assert_eq!(facts(&env, "kef").len(), known + 1, "{name}");
        let now = env.read(page("kef"));
        let added = now.strip_prefix(bytes.as_slice());
        let added = String::from_utf8(added.unwrap_or_else(|| panic!("{name}")).to_vec()).unwrap();
        let ending = if name.starts_with("line ends") { "\r\n" } else { "\n" };
        assert!(added.ends_with(&format!("-->{ending}")), "{name}: {added:?}");
        assert_eq!(added.trim_start().lines().count(), 1, "{name}: {added:?}");
        let hits = env.json(&["search", "--json", "--kind", "fact", "bought by GP Acoustics"]);
        let line =
            now.split(|&byte| byte == b'\n').position(|line| line.starts_with(b"- KEF was bought"));
        // A page with zeros is no text to search, as with notes.
        match hits.first() {
            Some(hit) => assert_eq!(hit["line"], line.unwrap() + 1, "{name}: {hits:?}"),
            None => assert_eq!(name, "zeros"),
        }
        // Taken back, the page is what it was.
        let id = last_prompt(&env)["id"].as_str().unwrap().to_owned();
        env.ok(&["learn", "undo", &id]);
        let now = env.read(page("kef"));
        let rest = now.strip_prefix(bytes.as_slice()).unwrap_or_else(|| panic!("{name}"));
        assert!(rest.iter().all(u8::is_ascii_whitespace), "{name}: {rest:?}");
    }
}

#[test]
fn what_is_odd_about_a_page_is_said_once() {
    let (env, _) = changed(|text| {
        let text = text.replace("title: kef\n", "title: kef\ntitle: KEF Audio\n");
        format!("{text}<<<<<<< HEAD\n- mine\n=======\n- theirs\n>>>>>>> other\n").into()
    });
    let output = env.ok(&["entity", "kef audio"]);
    told!(output, @"
    exit: 0
    --- stdout
    KEF Audio  (knowledge/learned/entities/kef.md)
      also known as KEF
      * mine
      * theirs
      1. KEF is a British company founded in 1961 by Raymond Cooke in Tovil, Kent.
          [DAY]
    --- stderr
    note: kef.md:3: the key `title` is there more than once
    note: kef.md:10: conflict markers of a merge
    ");
}

#[test]
fn what_was_taken_out_by_hand_does_not_come_back() {
    let env = TestEnv::with(&[("a.md", SPEAKER), ("b.md", SPEAKER)]);
    env.ok(&["hook", "install"]);
    let commit = |message: &str| {
        env.git(&["add", "--all"]);
        let mut command = env.sealed("git");
        // What is tried here is not how fast the machine is.
        command.args(["commit", "--quiet", "-m", message]).env("ELOPHANTO_HOOK_SECONDS", "300");
        let output = finish(&mut command);
        assert_eq!(output.code, Some(0), "{output}");
    };
    env.ok(&["learn", "kef ls50", "--from", "a.md"]);
    commit("learnt");
    let change = |slug: &str, make: &dyn Fn(&str) -> String| {
        let text = String::from_utf8(env.read(page(slug))).unwrap();
        env.write(page(slug), make(&text));
    };
    let without = |text: &str, word: &str| -> String {
        text.split_inclusive('\n').filter(|line| !line.contains(word)).collect()
    };
    change("kef-ls50-meta", &|text| without(text, "weighs"));
    change("kef", &|text| text.replace("Kent", "Essex"));
    commit("by hand");
    let mut reasons: Vec<String> = records(&env, "retired")
        .iter()
        .map(|it| it["reason"].as_str().unwrap().to_owned())
        .collect();
    reasons.sort();
    assert_eq!(reasons, ["edited", "removed"]);

    let known = |env: &TestEnv| [facts(env, "kef"), facts(env, "kef ls50 meta")];
    let before = known(&env);
    // From the same source, from another, and by the program itself; what is left has two sources.
    for (args, code) in [
        (&["--from", "a.md"][..], 1),
        (&["--from", "b.md"], 0),
        (&["--from", "b.md", "--unasked"], 1),
        (&[], 1),
    ] {
        let output = env.run(&[&["learn", "kef ls50 meta"], args].concat());
        assert_eq!(output.code, Some(code), "{args:?}\n{output}");
        assert_eq!(known(&env), before, "{args:?}");
    }
    env.run(&["enrich", "--once"]);
    assert_eq!(known(&env), before);
    let before = pages(&env);
    // Nor in a clone, which knows it by the journal alone.
    commit("what was tried");
    env.git(&["clone", "--quiet", ".", "../clone"]);
    let output = env.run_in("../clone", &["learn", "kef ls50 meta", "--from", "b.md"]);
    assert_eq!(output.code, Some(1), "{output}");
    assert_eq!(fs::read(env.path("../clone").join(page("kef-ls50-meta"))).unwrap(), before[0].1);

    // Before any commit knows of it, at least not from where it came.
    change("kef-ls50-meta", &|text| without(text, "Metamaterial"));
    let before = pages(&env);
    let output = env.run(&["learn", "kef ls50 meta", "--from", "a.md"]);
    assert_eq!((output.code, pages(&env)), (Some(1), before), "{output}");
    // Whole pages too.
    env.remove(page("kef"));
    commit("a page less");
    env.run(&["learn", "kef", "--from", "a.md"]);
    assert_eq!(entities(&env), ["KEF LS50 Meta (1)"]);
}

/// Its records went along with another commit.
#[test]
fn of_a_page_that_is_not_here_no_empty_one_is_made() {
    let env = TestEnv::with(&[("a.md", SPEAKER)]);
    env.ok(&["hook", "install"]);
    env.ok(&["learn", "kef ls50", "--from", "a.md"]);
    env.git(&["add", "a.md"]);
    let mut command = env.sealed("git");
    command.args(["commit", "--quiet", "-m", "no page"]).env("ELOPHANTO_HOOK_SECONDS", "300");
    assert_eq!(finish(&mut command).code, Some(0));
    env.git(&["clone", "--quiet", ".", "../clone"]);
    let folder = env.path("../clone").join("knowledge/learned/entities");
    let output = env.run_in("../clone", &["learn", "kef ls50", "--from", "a.md"]);
    assert_eq!(output.code, Some(1), "{output}");
    assert!(output.stderr().contains("on a page that is not here: bring the page"), "{output}");
    assert!(!folder.exists(), "{output}");
    // From a source with another name, and once the page is there, all is as ever.
    let text = env.path("a.md");
    let args = ["learn", "kef ls50", "--from", "-", "--source", "leaflet"];
    let mut command = env.sealed(crate::env::PROGRAM);
    command.args(args).current_dir(env.path("../clone")).stdin(fs::File::open(text).unwrap());
    let output = finish(&mut command);
    assert!(output.code == Some(0) && folder.join("kef.md").exists(), "{output}");
}

#[test]
fn a_page_that_cannot_be_read_costs_only_itself() {
    for kind in ["a link", "a folder", "too large", "a pipe"] {
        let env = TestEnv::new();
        learn(&env, "kef ls50", SPEAKER);
        let path = env.path(page("kef"));
        let outside = env.outside().join("elsewhere.md");
        fs::rename(&path, &outside).unwrap();
        let before = fs::read(&outside).unwrap();
        match kind {
            "a link" => symlink(&outside, &path).unwrap(),
            "a folder" => fs::create_dir(&path).unwrap(),
            "a pipe" => drop(finish(env.sealed("mkfifo").arg(&path))),
            _ => fs::write(&path, "x".repeat(5 << 20)).unwrap(),
        }
        let text = format!("{BOUGHT}\n\nThe KEF LS50 Meta has a blue finish.\n");
        let output = learn(&env, "kef", &text);
        assert!(
            output.stderr().contains("warning: `knowledge/learned/entities/kef.md`"),
            "{kind}\n{output}"
        );
        assert_eq!(entities(&env), ["KEF LS50 Meta (4)"], "{kind}");
        assert_eq!(fs::read(&outside).unwrap(), before, "{kind}");
        // It is read once; nothing waits behind it for ever.
        assert_eq!(records(&env, "extraction").len(), 2, "{kind}");
        let output = tried(&env, &["search", "--kind", "fact", "blue finish"]);
        assert!(output.stdout().contains("kef-ls50-meta.md"), "{kind}\n{output}");
        let output = tried(&env, &["like", "KEF"]);
        assert_eq!(output.code, Some(2), "{kind}\n{output}");
        let kept = fs::symlink_metadata(&path).unwrap();
        assert_eq!(kept.is_file(), kind == "too large", "{kind}");
    }
}

#[test]
fn facts_that_are_said_again_keep_their_first_line() {
    let env = TestEnv::new();
    learn(&env, "kef ls50", SPEAKER);
    let before = env.read(page("kef"));
    // In other letters, by another source, and in other words that say the same.
    let again = FOUNDED.replace("is a British", "is  a  British").to_lowercase();
    let output = read(&env, &["kef"], &again);
    assert_eq!((output.code, env.read(page("kef"))), (Some(1), before), "{output}");
    // Another number is another fact.
    learn(&env, "kef", &FOUNDED.replace("1961", "1962"));
    assert_eq!(facts(&env, "kef").len(), 2);
}
