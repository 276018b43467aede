//! What agents remember goes along with the next commit, and is never written to again.

use super::*;

fn remember(site: &Site, lesson: &str) -> String {
    let output = site.run(&[
        "agent", "remember", "--json", "--type", "error", "--context", "the build", "--lesson",
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

/// Lessons that are known here.
fn known(site: &Site) -> String {
    site.run(&["agent", "memory", "list"]).stdout()
}

#[test]
fn what_went_with_a_commit_that_was_given_up_comes_back() {
    let site = Site::hooked();
    site.stage("first", "The first.");
    site.commit("first");
    let path = remember(&site, "pin the seed");
    site.stage("second", "The second.");
    site.aborted(&[]);
    site.git(&["reset", "--quiet", "--hard"]);
    assert!(!site.top.join(&path).exists(), "it was staged, and the reset took it");
    let output = site.run(&["agent", "memory", "list"]);
    assert!(output.stdout().contains("pin the seed"), "{output}");
    let said =
        "note: 1 file of what was remembered went with a commit that was given up, and is back\n";
    assert!(output.stderr().contains(said), "{output}");
    // The same after a merge that was given up.
    site.git(&["checkout", "--quiet", "-b", "side", "HEAD~1"]);
    site.stage("first", "The other first.");
    site.commit("side");
    assert!(known(&site).contains("pin the seed"), "it went along");
    site.git(&["checkout", "--quiet", "main"]);
    let other = remember(&site, "rotate the logs");
    assert_eq!(site.try_git(&["merge", "--quiet", "side"]).code, Some(1));
    site.stage("first", "Both.");
    site.aborted(&[]);
    site.git(&["merge", "--abort"]);
    assert!(!site.top.join(&other).exists());
    assert!(known(&site).contains("rotate the logs"));
    // Taken out again, it stays out.
    fs::remove_file(site.top.join(&other)).unwrap();
    assert!(!known(&site).contains("rotate the logs"));
    let other = remember(&site, "rotate the logs");
    // What a commit of another branch holds is not brought here, nor what was taken out.
    assert!(!known(&site).contains("pin the seed"));
    site.stage("third", "The third.");
    site.commit("third");
    site.git(&["rm", "--quiet", &other]);
    site.git(&["commit", "--quiet", "-m", "without it"]);
    assert!(!known(&site).contains("rotate the logs"));
    // A commit that was made and undone is the reflog's.
    let undone = remember(&site, "name the branch");
    site.stage("fourth", "The fourth.");
    site.commit("fourth");
    let commit = site.asked(&["rev-parse", "HEAD"]);
    site.git(&["reset", "--quiet", "--hard", "HEAD~1"]);
    assert!(!known(&site).contains("name the branch"));
    site.git(&["cherry-pick", &commit]);
    assert!(site.top.join(&undone).exists() && known(&site).contains("name the branch"));
}

#[test]
fn what_is_wiped_does_not_come_back() {
    let site = Site::hooked();
    site.stage("first", "The first.");
    site.commit("first");
    let path = remember(&site, "the key is under the mat");
    site.stage("second", "The second.");
    site.aborted(&[]);
    let text = site.read(&path);
    let id = text.split("\"id\":\"").nth(1).and_then(|rest| rest.split('"').next()).unwrap();
    let output = site.run(&["agent", "memory", "wipe", id, "--yes"]);
    assert_ne!(output.code, Some(2), "{output}");
    site.git(&["reset", "--quiet", "--hard"]);
    assert!(!known(&site).contains("under the mat"));
    let memory = site.top.join(".elophanto/memory");
    let mut files = Vec::new();
    all_files(&memory, &mut files);
    let holds =
        |(_, bytes): &(PathBuf, Vec<u8>)| String::from_utf8_lossy(bytes).contains("under the mat");
    assert!(!files.iter().any(holds), "{files:?}");
}

#[test]
fn a_lesson_that_a_revert_takes_out_is_missed() {
    let site = Site::hooked();
    site.run(&["index"]);
    let path = remember(&site, "pin the seed");
    site.stage("second", "The second.");
    site.commit("second");
    site.git(&["revert", "--no-edit", "HEAD"]);
    assert!(!site.top.join(&path).exists());
    let output = site.run(&["doctor"]);
    let commit = site.asked(&["rev-parse", "HEAD"]);
    let finding = format!("! {path}: commit {} took these lessons out\n", &commit[..10]);
    let mend = format!("  mend: git checkout {}^ -- :/{path}\n", &commit[..10]);
    assert!(output.stdout().contains(&(finding + &mend)), "{output}");
    site.git(&["checkout", "--quiet", "HEAD^", "--", &path]);
    let output = site.run(&["doctor"]);
    assert!(!output.stdout().contains("took these lessons out"), "{output}");
}

#[test]
fn what_is_kept_out_of_git_stays_out() {
    for rules in [".gitignore", ".git/info/exclude"] {
        let site = Site::hooked();
        site.write(rules, ".elophanto/memory/\n.elophanto/index/\nknowledge/system/changelog/\n");
        let path = remember(&site, "nobody else is to know");
        site.stage("second", "The second.");
        let said = site.commit("second");
        assert_eq!(said, "", "{rules}");
        assert_eq!(site.committed("HEAD", ".elophanto"), [".elophanto/config.yaml"], "{rules}");
        assert_eq!(site.entries("HEAD"), [""; 0], "{rules}");
        assert!(site.top.join(&path).exists() && known(&site).contains("nobody else"));
    }
}

#[test]
fn a_lesson_that_is_written_while_a_commit_is_made_begins_a_file() {
    let site = Site::hooked();
    let first = remember(&site, "pin the seed");
    // As `git commit --all` keeps it while its editor is open.
    let lock = site.git_dir().join("index.lock");
    fs::write(&lock, "").unwrap();
    let second = remember(&site, "rotate the logs");
    assert_ne!(second, first, "git may have staged it where only it can see that");
    fs::remove_file(lock).unwrap();
    site.stage("second", "The second.");
    site.commit("second");
    assert_eq!(site.committed("HEAD", ".elophanto/memory"), [first, second]);
    assert_eq!(site.status(), [""; 0]);
}

#[test]
fn what_was_added_to_a_committed_file_goes_along() {
    let site = Site::hooked();
    let path = remember(&site, "pin the seed");
    site.stage("second", "The second.");
    site.commit("second");
    let line = site.read(&path);
    let (id, other) = (line.split('"').nth(3).unwrap(), "01m8pedqwkyfsra8r2a70dnky9");
    site.write(&path, format!("{line}{}", line.replace(id, other).replace("seed", "clock")));
    let output = site.run(&["doctor"]);
    let finding = format!("{path}: 1 record was added after git took the file along");
    assert!(output.stdout().contains(&finding), "{output}");
    site.write("code.txt", "two\n");
    site.git(&["add", "code.txt"]);
    let said = site.commit("code");
    assert!(said.contains("1 record goes along"), "{said}");
    assert_eq!(site.status(), [""; 0]);
    // Lines that somebody changed are the user's.
    site.write(&path, line.replace("seed", "seeds"));
    site.stage("third", "The third.");
    site.commit("third");
    assert_eq!(site.status(), [format!(" M {path}")]);
}

#[test]
fn what_an_undone_commit_took_along_is_missed_and_put_back() {
    let site = Site::hooked();
    site.stage("first", "The first.");
    site.commit("first");
    let sound = "nothing that was remembered on this machine is missing";
    assert!(site.run(&["agent", "memory", "restore"]).stderr().contains(sound));
    // On a branch that is still to be merged nothing is lost.
    site.git(&["checkout", "--quiet", "-b", "try"]);
    let path = remember(&site, "pin the seed");
    remember(&site, "the key is under the mat");
    site.stage("second", "The second.");
    site.commit("second");
    site.git(&["checkout", "--quiet", "main"]);
    assert!(!site.run(&["doctor"]).stdout().contains("nowhere any more"));
    site.git(&["branch", "--quiet", "-D", "try"]);
    site.git(&["reflog", "expire", "--expire=now", "--all"]);
    site.git(&["gc", "--quiet", "--prune=now"]);
    let output = site.run(&["doctor"]);
    let finding = "! 2 records of what was remembered on this machine are nowhere any more, in no \
                   commit, index or work tree, such as \"pin the seed\"\n  mend: elophanto agent \
                   memory restore, or give it up: restore --forget\n";
    assert!(output.stdout().contains(finding), "{output}");
    let output = site.run(&["agent", "memory", "restore"]);
    assert_eq!(output.stdout().matches("put back: ").count(), 2, "{output}");
    assert!(known(&site).contains("pin the seed") && !site.top.join(&path).exists());
    assert!(!site.run(&["doctor"]).stdout().contains("nowhere any more"));
    // What is forgotten, or wiped, never comes back.
    let list = site.run(&["agent", "memory", "list", "--json"]).json();
    let id = |text: &str| {
        let found = list.iter().find(|it| it["lesson"].as_str().unwrap().contains(text));
        found.unwrap()["id"].as_str().unwrap().to_owned()
    };
    site.run(&["agent", "memory", "forget", &id("seed")]);
    site.run(&["agent", "memory", "wipe", &id("mat"), "--yes"]);
    fs::remove_dir_all(site.top.join(".elophanto/memory")).unwrap();
    assert!(site.run(&["agent", "memory", "restore"]).stderr().contains(sound));
    let mut files = Vec::new();
    all_files(&site.git_dir().join("elophanto/acknowledged"), &mut files);
    let holds = |(_, bytes): &(PathBuf, Vec<u8>)| {
        let text = String::from_utf8_lossy(bytes);
        text.contains("the seed") || text.contains("the mat")
    };
    assert!(!files.iter().any(holds), "{files:?}");
    // Given up for good.
    let path = remember(&site, "name the branch");
    fs::remove_file(site.top.join(path)).unwrap();
    let output = site.run(&["agent", "memory", "restore", "--forget"]);
    assert!(output.stdout().starts_with("given up: "), "{output}");
    assert!(site.run(&["agent", "memory", "restore"]).stderr().contains(sound));
}
