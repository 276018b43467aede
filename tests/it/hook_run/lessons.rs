//! What agents remember goes along with the next commit, and is never written to again.

use super::*;

fn remember(site: &Site, lesson: &str) -> String {
    let output = site.run(&[
        "agent",
        "remember",
        "--json",
        "--type",
        "error",
        "--context",
        "the build",
        "--lesson",
        lesson,
    ]);
    assert_eq!(output.code, Some(0), "{output}");
    output.json()[0]["path"].as_str().unwrap().to_owned()
}

#[test]
fn lessons_go_along_and_a_clone_recalls_them() {
    let site = Site::hooked();
    site.stage("first", "The first.");
    site.commit("first");
    let path = remember(&site, "clear the linker cache before a release");
    assert_eq!(remember(&site, "pin the toolchain in the build image"), path);
    site.stage("second", "The second.");
    let said = site.commit("second");
    assert!(said.contains("2 records go along"), "{said}");
    assert_eq!(site.committed("HEAD", ".elophanto/memory"), [path.as_str()]);
    assert_eq!(site.status(), [""; 0]);
    // What is committed is never written to again.
    let before = site.read(&path);
    let other = remember(&site, "never sign from a shallow clone");
    assert_ne!(other, path);
    assert_eq!(site.read(&path), before);
    site.stage("third", "The third.");
    site.commit("third");
    // Their vectors went along: a clone embeds nothing.
    assert_eq!(site.embedded_by_a_clone(), 0);
    let output = site.run(&["index", "--check"]);
    assert_eq!(output.code, Some(0), "{output}");
    // An attempt that came to nothing is no reason to lose or to repeat one.
    let third = remember(&site, "run the migration twice in the dry run");
    site.stage("fourth", "The fourth.");
    site.aborted(&[]);
    site.commit("fourth");
    assert_eq!(site.committed("HEAD", ".elophanto/memory").len(), 3);
    assert!(site.committed("HEAD", ".elophanto/memory").contains(&third));
}

#[test]
fn a_lesson_with_a_secret_stays_behind() {
    let site = Site::hooked();
    let path = remember(&site, "the build wants a token");
    // Nobody but us masks what is written.
    let key = format!("ghp_{}", "a1B2c3D4e5".repeat(4).get(..36).unwrap());
    site.write(&path, site.read(&path).replace("a token", &key));
    site.stage("note", "A note.");
    let said = site.commit("note");
    assert!(said.contains("stays behind") && !said.contains(&key), "{said}");
    assert_eq!(site.committed("HEAD", ".elophanto/memory"), [""; 0]);
}
