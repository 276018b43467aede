//! The reading part as files.

use std::{fs, os::unix::fs::MetadataExt, path::Path};

use serde_json::Value;

use super::acts::key;
use crate::env::TestEnv;

#[test]
fn the_reading_part_as_files() {
    let env = TestEnv::with(&[
        ("harbour/ferry.md", "# The ferry\n\nIt leaves. See [the pier](pier.md).\n"),
        ("harbour/pier.md", "# The pier\n\n<script>alert(1)</script>\n"),
    ]);
    env.commit("First");
    env.write("harbour/pier.md", "# The pier\n\nIt was built in 1932.\n");
    env.commit("The pier is younger");
    env.ok(&["page", "--export", "../site"]);
    let site = env.outside().join("site");
    let read = |name: &str| std::fs::read_to_string(site.join(name)).unwrap();
    let ferry = read("note/harbour/ferry.md.html");
    assert!(ferry.contains("href=\"../../note/harbour/pier.md.html\""), "{ferry}");
    assert!(
        ferry.contains("href=\"../../assets/page.css\"")
            && ferry.contains("Content-Security-Policy")
    );
    assert!(!ferry.contains("/~") && !ferry.contains("Who wrote it"));
    assert!(read("note/harbour/pier.md.html").contains("in 1932"));
    let index: Value = serde_json::from_str(&read("search-index.json")).unwrap();
    assert_eq!(index[0][0], "note/harbour/ferry.md.html");
    for name in
        ["index.html", "notes.html", "graph.html", "entities.html", "search.html", "assets/page.js"]
    {
        read(name);
    }
    // Every link of every page leads to a page.
    let mut checked = 0;
    for (page, folder) in [
        ("index.html", ""),
        ("notes.html", ""),
        ("graph.html", ""),
        ("note/harbour/ferry.md.html", "note/harbour/"),
    ] {
        for address in read(page).split("href=\"").skip(1).filter_map(|it| it.split('"').next()) {
            let target = site.join(folder).join(address.split(['#', '?']).next().unwrap());
            assert!(address.starts_with('#') || target.exists(), "{page}: {address}");
            checked += 1;
        }
    }
    assert!(checked > 20);
    env.ok(&["page", "--export", "../then", "--at", "HEAD~1"]);
    let then =
        std::fs::read_to_string(env.outside().join("then/note/harbour/pier.md.html")).unwrap();
    assert!(then.contains("&lt;script&gt;") && !then.contains("in 1932"), "{then}");
    // Not over what is there, and no secret.
    assert_eq!(env.run(&["page", "--export", "../site"]).code, Some(2));
    env.write("key.md", format!("# Key\n\nIt is {}.\n", key()));
    let refused = env.run(&["page", "--export", "../secret"]);
    assert_eq!(refused.code, Some(2));
    assert!(refused.stderr().contains("key.md, line 3") && !refused.stderr().contains(&key()));
    assert!(!env.outside().join("secret").exists());
}

/// A file name of the most bytes that there can be.
#[test]
fn notes_of_long_names() {
    let long = |letter: &str| format!("{}.md", letter.repeat(248));
    let env = TestEnv::new();
    env.write(format!("docs/{}", long("a")), format!("# One\n\n[two]({})\n", long("b")));
    env.write(format!("docs/{}", long("b")), "# Two\n");
    env.ok(&["page", "--export", "../site"]);
    let site = env.outside().join("site");
    let notes = fs::read_dir(site.join("note/docs")).unwrap().map(|it| it.unwrap().path());
    let notes: Vec<_> = notes.collect();
    assert_eq!(notes.len(), 2);
    let one = notes.iter().find(|it| it.file_name().unwrap().to_str().unwrap().starts_with('a'));
    let one = fs::read_to_string(one.unwrap()).unwrap();
    let address = one.split("href=\"../../note/docs/b").nth(1).unwrap().split('"').next().unwrap();
    assert!(site.join("note/docs").join(format!("b{address}")).exists(), "{address}");
}

/// There is all of it, or nothing; nothing is written where it should not be.
#[test]
fn where_nothing_is_written() {
    let env = TestEnv::with(&[("ferry.md", "# The ferry\n")]);
    env.commit("First");
    let outside = env.outside();
    fs::create_dir(outside.join("elsewhere")).unwrap();
    std::os::unix::fs::symlink("elsewhere", outside.join("link")).unwrap();
    std::os::unix::fs::symlink(env.path(".git"), outside.join("git")).unwrap();
    fs::write(outside.join("file"), "x").unwrap();
    let count = |folder: &Path| fs::read_dir(folder).unwrap().count();
    let before = (count(outside), count(&env.path(".git")));
    for (folder, says) in [
        ("../link", "is a link"),
        (".git/site", "lies in a folder of git"),
        ("../git/site", "lies in a folder of git"),
        (".git/a/b/site", "lies in a folder of git"),
        ("../file", "../file"),
        ("../file/site", "../file/site"),
        (".", "is not empty"),
        ("..", "names no folder"),
        ("/", "names no folder"),
    ] {
        let refused = env.run(&["page", "--export", folder]);
        assert_eq!(refused.code, Some(2), "{folder}: {refused}");
        let told = refused.stderr();
        assert!(told.contains(says) && told.contains("new"), "{folder}: {told}");
    }
    assert_eq!((count(outside), count(&env.path(".git"))), before);
    assert_eq!(count(&outside.join("elsewhere")), 0);
    // What an export left that was killed is named, and nothing of others is taken away.
    fs::create_dir_all(outside.join("left/.elophanto-export-1")).unwrap();
    let refused = env.run(&["page", "--export", "../left"]).stderr();
    assert!(refused.contains("`.elophanto-export-1` in it is left"), "{refused}");
    fs::create_dir(outside.join("left/lost+found")).unwrap();
    fs::remove_dir(outside.join("left/.elophanto-export-1")).unwrap();
    env.ok(&["page", "--export", "../left"]);
    fs::remove_dir_all(outside.join("left")).unwrap();
    // An empty one is used, folders above are made, and nothing is left beside.
    let inode = || fs::metadata(outside.join("elsewhere")).unwrap().ino();
    let empty = inode();
    env.ok(&["page", "--export", "../elsewhere"]);
    assert_eq!(inode(), empty, "it may be where something is mounted");
    let names = fs::read_dir(outside.join("elsewhere")).unwrap().map(|it| it.unwrap().file_name());
    assert!(!names.into_iter().any(|it| it.to_str().unwrap().starts_with('.')));
    env.ok(&["page", "--export", "../new/deep/site"]);
    assert!(outside.join("elsewhere/index.html").exists());
    assert_eq!(count(&outside.join("new/deep")), 1);
    assert_eq!(count(outside), before.0 + 1);
}
