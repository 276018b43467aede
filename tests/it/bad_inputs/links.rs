//! Rows 13 and 14: what is no regular file, and links that lead out.

use std::{
    fs,
    os::unix::{fs::symlink, net::UnixListener},
    path::Path,
};

use super::{bounded, done, files_below, found, skipped};
use crate::env::TestEnv;

/// Every file outside the repository with its content.
fn outside(env: &TestEnv) -> Vec<(std::path::PathBuf, Vec<u8>)> {
    // `init` keeps in the user's folder that the pages it wrote are trusted.
    let trust = env.outside().join("home/.config/elophanto/trust");
    let is_trust = |path: &std::path::Path| path.with_extension("") == trust;
    let files = files_below(env.outside()).into_iter();
    let files = files.filter(|path| !path.starts_with(env.root()) && !is_trust(path));
    files.map(|path| (path.clone(), fs::read(path).unwrap())).collect()
}

fn secret(env: &TestEnv) {
    fs::create_dir(env.outside().join("private")).unwrap();
    fs::write(env.outside().join("private/secret.md"), "# Secret\n\nThe marmot's password.\n")
        .unwrap();
}

#[test]
fn what_is_no_regular_file_is_not_opened() {
    let env = TestEnv::with(&[("real.md", "# Real\n\nA marmot whistles.\n")]);
    secret(&env);
    let link = |target: &str, name: &str| symlink(target, env.path(name)).unwrap();
    link("../private/secret.md", "file.md");
    link("../private", "folder");
    link("../private", "folder.md");
    link("loop.md", "loop.md");
    link("two.md", "one.md");
    link("one.md", "two.md");
    link(".", "self");
    link("nowhere", "dangling.md");
    link("/dev/zero", "zero.md");
    link("/dev/stdin", "stdin.md");
    link("/proc/self/environ", "environ.md");
    fs::create_dir(env.path("directory.md")).unwrap();
    env.write("directory.md/inner.md", "A marmot within.\n");
    assert_eq!(bounded(env.sealed("mkfifo").arg("fifo.md")).code, Some(0));
    // Too long a path for a socket in some temporary folders: then there is one less.
    let _socket = UnixListener::bind(env.path("socket.md"));
    let before = outside(&env);
    let mut right = ["real.md".to_owned(), "directory.md/inner.md".to_owned()];
    right.sort();
    for _ in 0..2 {
        assert_eq!(skipped(&env), []);
        let mut hits = found(&env, &["marmot"]);
        hits.sort();
        assert_eq!(hits, right);
        done(&env, &["index", "--full"]);
    }
    bounded(&mut env.command(&["doctor"]));
    assert_eq!(outside(&env), before);
}

/// What lies below the git directory is the program's own, but somebody may have packed it.
#[test]
fn no_pipe_in_the_place_of_a_file_of_ours_is_waited_for() {
    let env = TestEnv::with(&[("otters.md", "# Otters\n\nOtters hold hands.\n")]);
    done(&env, &["init"]);
    done(&env, &["hook", "install"]);
    let commit = |round: usize| {
        env.write("otters.md", format!("# Otters\n\nOtters dive {round} times.\n"));
        for args in [&["add", "--all"][..], &["commit", "--quiet", "-m", "Dive"]] {
            let mut git = env.sealed("git");
            // Else a hook that hangs gives up before it is found out.
            let output = bounded(git.args(args).env("ELOPHANTO_HOOK_SECONDS", "1000"));
            assert_eq!(output.code, Some(0), "{output}");
        }
    };
    let commands: [&[&str]; 6] = [
        &["agent", "remember", "--type", "error", "--context", "c", "--lesson", "l"],
        &["learn", "Otter", "--from", "otters.md"],
        &["enrich", "--once"],
        &["commit"],
        &["search", "otters"],
        &["index"],
    ];
    let act = |args: &[&str], round: usize| match args {
        ["commit"] => commit(round),
        _ => drop(bounded(&mut env.command(args))),
    };
    let own = env.path(".git/elophanto");
    for (round, args) in commands.into_iter().enumerate() {
        commands.iter().for_each(|args| act(args, 2 * round));
        let files = files_below(&own);
        assert!(files.iter().any(|path| path.ends_with("records-along")), "{files:?}");
        for path in files {
            fs::remove_file(&path).unwrap();
            assert_eq!(bounded(env.sealed("mkfifo").arg(&path)).code, Some(0));
        }
        act(args, 2 * round + 1);
        fs::remove_dir_all(&own).unwrap();
    }
}

#[test]
fn a_note_that_becomes_a_link_is_no_note_any_more() {
    let env = TestEnv::with(&[
        ("a.md", "A marmot whistles.\n"),
        ("sub/b.md", "A marmot sleeps.\n"),
        ("c.md", "A marmot digs.\n"),
    ]);
    secret(&env);
    done(&env, &["index"]);
    env.remove("a.md");
    symlink("../private/secret.md", env.path("a.md")).unwrap();
    env.remove("sub");
    fs::copy(env.outside().join("private/secret.md"), env.outside().join("private/b.md")).unwrap();
    symlink("../private", env.path("sub")).unwrap();
    assert_eq!(found(&env, &["marmot"]), ["c.md"]);
    assert_eq!(found(&env, &["password"]), Vec::<String>::new());
}

#[test]
fn a_knowledge_root_that_leads_out_is_not_read() {
    for target in ["../private", "/proc/self", ".git"] {
        let env = TestEnv::new();
        secret(&env);
        env.write(".elophanto/config.yaml", "knowledge:\n  roots: [docs]\n");
        symlink(target, env.path("docs")).unwrap();
        let output = bounded(&mut env.command(&["search", "marmot", "--json"]));
        assert!(output.stdout.is_empty(), "{target}\n{output}");
        bounded(&mut env.command(&["index"]));
    }
    for root in ["../private", "/etc", "..", "docs/../../private"] {
        let env = TestEnv::new();
        secret(&env);
        env.write(".elophanto/config.yaml", format!("knowledge:\n  roots: [\"{root}\"]\n"));
        for args in [&["search", "marmot"][..], &["index"], &["doctor"], &["init"]] {
            let output = bounded(&mut env.command(args));
            assert!(!output.stdout().contains("password"), "{root}\n{output}");
        }
    }
}

/// Runs everything that may write and expects that nothing outside changed.
fn check_nothing_outside(env: &TestEnv, what: &str) {
    let before = outside(env);
    for args in
        [&["index"][..], &["search", "marmot"], &["doctor"], &["init"], &["index", "--full"]]
    {
        bounded(&mut env.command(args));
    }
    assert_eq!(outside(env), before, "{what}");
}

#[test]
fn folders_of_ours_that_are_links_are_not_written_through() {
    for (link, target) in [
        (".elophanto", "../victim"),
        (".elophanto", "../new"),
        (".elophanto/index", "../../victim"),
        (".elophanto/config.yaml", "../../victim/file"),
        (".elophanto/config.yaml", "../../victim/new"),
        (".elophanto/.gitignore", "../../victim/file"),
        (".gitattributes", "../victim/file"),
        (".gitattributes", "../victim/new"),
        ("knowledge", "../victim"),
        ("knowledge/system", "../../victim"),
        ("knowledge/system/identity.md", "../../../victim/new"),
    ] {
        let env = TestEnv::with(&[("a.md", "A marmot whistles.\n")]);
        let victim = env.outside().join("victim");
        fs::create_dir(&victim).unwrap();
        fs::write(victim.join("file"), "# precious\n").unwrap();
        let link = env.path(link);
        fs::create_dir_all(link.parent().unwrap()).unwrap();
        symlink(target, &link).unwrap();
        check_nothing_outside(&env, &format!("{} -> {target}", link.display()));
    }
}

#[test]
fn tables_of_another_repository_are_not_removed_through_a_link() {
    let other = TestEnv::with(&[("a.md", "A marmot whistles.\n")]);
    done(&other, &["index"]);
    let before = other.files();
    let env = TestEnv::with(&[("b.md", "Quite another note.\n")]);
    fs::create_dir(env.path(".elophanto")).unwrap();
    symlink(other.path(".elophanto/index"), env.path(".elophanto/index")).unwrap();
    let output = bounded(&mut env.command(&["index"]));
    assert_eq!(output.code, Some(2), "{output}");
    assert_eq!(other.files(), before);
}

const LEADING_OUT: &str = "# Links\n\n\
    [[../../../etc/passwd]] and [[../outside]] and [[/etc/passwd]]\n\
    [a](../../../../etc/passwd) [b](/etc/passwd) [c](%2e%2e/%2e%2e/outside.md)\n\
    [d](..%2foutside.md) [e](file:///etc/passwd) [f](a%00.md) [g](a\u{0001}.md)\n\
    ![[../outside.md]] [h](<../outside.md>) [i](./../outside.md#top)\n\
    [j](....//outside.md) [k](..\\outside.md) [l](sub/../../outside.md)\n\
    [[%2e%2e/outside]] [[..%2foutside]] [[a\tb]] [m](//etc/passwd)\n";

#[test]
fn links_that_lead_out_lead_nowhere() {
    let env = TestEnv::with(&[("links.md", LEADING_OUT), ("good.md", "See [[links]].\n")]);
    fs::write(env.outside().join("outside.md"), "# Outside\n").unwrap();
    let before = outside(&env);
    done(&env, &["index"]);
    let doctor = bounded(&mut env.command(&["doctor", "--json"]));
    assert_eq!(doctor.code, Some(1), "{doctor}");
    let text = doctor.stdout();
    for target in ["../../../etc/passwd", "../outside", "/etc/passwd"] {
        assert!(text.contains(&format!("link to `{target}` leads nowhere")), "{target}\n{text}");
    }
    assert!(!text.contains("good.md"), "{text}");
    let facts = &doctor.json()[0];
    assert!(facts["broken_links"].as_u64().unwrap() >= 12, "{facts}");
    assert_eq!(outside(&env), before);
}

#[test]
fn a_link_through_a_link_out_of_the_root_leads_nowhere() {
    let env = TestEnv::with(&[("a.md", "[x](out/secret.md) [y](file.txt)\n")]);
    secret(&env);
    symlink("../private", env.path("out")).unwrap();
    symlink("../private/secret.md", env.path("file.txt")).unwrap();
    bounded(&mut env.command(&["doctor"]));
    assert_eq!(found(&env, &["password"]), Vec::<String>::new());
}

#[test]
fn an_ignore_file_that_is_a_trap_is_survived() {
    for target in ["/dev/zero", "loop", "../private"] {
        let env = TestEnv::with(&[("a.md", "A marmot whistles.\n")]);
        secret(&env);
        if target == "loop" {
            symlink(".elophantoignore", env.path(".elophantoignore")).unwrap();
        } else if target == "../private" {
            symlink(target, env.path(".elophantoignore")).unwrap();
        } else {
            assert_eq!(bounded(env.sealed("mkdir").arg(".elophantoignore")).code, Some(0));
        }
        assert_eq!(found(&env, &["marmot"]), ["a.md"], "{target}");
    }
    assert!(Path::new("/dev/zero").exists());
}
