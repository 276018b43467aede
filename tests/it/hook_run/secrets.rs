//! The one gate: a secret in what is to be committed.

use super::*;

/// Split, so that this file holds none.
const TOKEN: &str = concat!("ghp", "_", "R7kq2ZpX9vLm4TnB8cWd1YsF6hJg3Qa5Ue0o");

/// Commits what is staged and expects a refusal; the lines that say so.
fn refused(site: &Site, args: &[&str]) -> Vec<String> {
    let staged = site.staged();
    let status = site.status();
    let output = site.try_git(&[&["commit", "--quiet", "-m", "x"], args].concat());
    assert_eq!(output.code, Some(1), "{output}");
    assert!(!output.to_string().contains(TOKEN), "{output}");
    assert_eq!((site.staged(), site.status()), (staged, status), "nothing of ours is staged");
    output.stderr().lines().map(str::to_owned).collect()
}

/// What stands in the last brackets of the finding.
fn hash(said: &[String]) -> String {
    let line = said.iter().find(|line| line.ends_with(')')).unwrap();
    line.rsplit_once('(').unwrap().1.trim_end_matches(')').to_owned()
}

#[test]
fn is_refused_and_can_be_allowed() {
    let site = Site::hooked();
    site.stage("key", &format!("The token is {TOKEN}."));
    let said = refused(&site, &[]);
    assert_eq!(said.len(), 3, "{said:?}");
    assert_eq!(said[0], "elophanto: this looks like a secret; the commit is refused");
    assert!(said[1].starts_with("docs/key.md:3: "), "{said:?}");
    assert!(said[2].starts_with("hint: "), "{said:?}");
    // As a stage of its own, as JSON.
    let output = site.run(&["hook", "run", "pre-commit", "--json"]);
    let found = &output.json()[0];
    assert_eq!(
        (output.code, &found["path"], &found["line"]),
        (Some(1), &"docs/key.md".into(), &3.into())
    );
    let hash = hash(&said);
    assert_eq!(found["hash"], hash.as_str());
    // In the throw-away index too.
    let said = refused(&site, &["docs/key.md"]);
    assert!(said[1].starts_with("docs/key.md:3: "), "{said:?}");

    let mut command = site.command("git", &["commit", "--quiet", "-m", "once"]);
    let output = finish(command.env("ELOPHANTO_ALLOW_SECRET", &hash));
    assert_eq!(output.code, Some(0), "{output}");
    // What HEAD holds does not stand in the way of another line.
    site.stage("key", &format!("The token is {TOKEN}.\n\nIt is an old one."));
    site.commit("another line");
    // In another note it is new again.
    site.stage("copy", &format!("Again {TOKEN}."));
    refused(&site, &[]);
    site.write(".elophanto/allow-secrets", format!("# an example\n{hash}\n"));
    site.commit("allowed");
    assert_eq!(site.embedded_by_a_clone(), 0);
}

#[test]
fn counts_only_where_it_is_staged() {
    let site = Site::hooked();
    site.stage("key", "None yet.");
    site.note("key", &format!("The token is {TOKEN}."));
    site.commit("without");
    assert_eq!(site.status(), [" M docs/key.md"]);
    let said = refused(&site, &["-a"]);
    assert!(said[1].starts_with("docs/key.md:3: "), "{said:?}");
    // Taken out again, a move does not bring it in, nor does its removal.
    site.git(&["checkout", "--", "docs/key.md"]);
    site.stage("old", &format!("The token is {TOKEN}."));
    site.git(&["commit", "--quiet", "--no-verify", "-m", "by"]);
    site.git(&["mv", "docs/old.md", "docs/older.md"]);
    site.commit("moved");
    site.git(&["rm", "--quiet", "docs/older.md"]);
    site.commit("removed");
}

#[test]
fn of_the_other_side_of_a_merge() {
    let site = Site::hooked();
    site.git(&["checkout", "--quiet", "-b", "other"]);
    site.stage("key", &format!("The token is {TOKEN}."));
    site.stage("otters", "Of the other side.");
    site.git(&["commit", "--quiet", "--no-verify", "-m", "other"]);
    site.git(&["checkout", "--quiet", "main"]);
    site.stage("otters", "Of this side.");
    site.commit("this");
    assert_eq!(site.try_git(&["merge", "--quiet", "other"]).code, Some(1));
    site.stage("otters", "Of both sides.");
    site.commit("merged");
    assert_eq!(site.embedded_by_a_clone(), 0);
    // Brought in by the person who resolves it, it is new.
    site.git(&["checkout", "--quiet", "-b", "third", "HEAD~"]);
    site.stage("otters", "Of a third side.");
    site.commit("third");
    assert_eq!(site.try_git(&["merge", "--quiet", "main"]).code, Some(1));
    let token = TOKEN.replace("R7", "7R");
    site.stage("otters", &format!("Of all sides, {token}."));
    assert_eq!(site.try_git(&["commit", "--no-edit"]).code, Some(1));
}

/// The repository knows nothing of us but the hooks.
#[test]
fn is_refused_before_anything_is_indexed() {
    let env = TestEnv::with(&[("a.md", "# A\n")]);
    env.git(&["add", "--all"]);
    let installed = env.ok(&["hook", "install"]);
    assert!(installed.stderr().contains("nothing is indexed here yet"), "{installed}");
    env.write("key.md", format!("# Key\n\nThe token is {TOKEN}.\n"));
    env.git(&["add", "--all"]);
    let output = finish(env.sealed("git").args(["commit", "--quiet", "-m", "first"]));
    assert_eq!(output.code, Some(1), "{output}");
    assert!(output.stderr().contains("looks like a secret"), "{output}");
    assert!(!env.path(".elophanto").exists() && !env.path("knowledge").exists());
}
