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
    // A list allows nothing of the commit that it comes with.
    site.write(".elophanto/allow-secrets", format!("# an example\n{hash}\n"));
    refused(&site, &[]);
    site.git(&["add", ".elophanto/allow-secrets"]);
    let said = refused(&site, &[]);
    assert!(said[2].contains("commit that file first, alone"), "{said:?}");
    site.git(&["commit", "--quiet", "-m", "the list", "--", ".elophanto/allow-secrets"]);
    refused(&site, &["--amend", "--no-edit"]);
    site.commit("allowed");
    // Nor a list that is made longer.
    let other = TOKEN.replace("R7", "7R");
    site.stage("other", &format!("And {other}."));
    let more = self::hash(&refused(&site, &[]));
    site.write(".elophanto/allow-secrets", format!("{hash}\n{more}\n"));
    site.git(&["add", ".elophanto/allow-secrets"]);
    refused(&site, &[]);
    site.git(&["rm", "--quiet", "--cached", "docs/other.md"]);
    assert_eq!(site.embedded_by_a_clone(), 0);
}

/// The ways in which people write a password down, and those in which they write about one.
#[test]
fn is_known_in_a_sentence() {
    let site = Site::hooked();
    let password = concat!("Zx81kq", "Pw77mm");
    let hex = concat!("8f3c9d2e71b04a5f", "9c8e7d6b5a493827");
    for sentence in [
        format!("The root password is `{password}`."),
        format!("The wifi password is {password}."),
        format!("Login with user `admin` and password `{password}`."),
        concat!("Use the password Tr0ub4", "dor&3xy9 for staging.").to_owned(),
        format!("The API key is {hex}."),
        format!("Our Grafana login is admin / {password}"),
    ] {
        site.stage("note", &sentence);
        let said = refused(&site, &[]);
        assert!(said[1].starts_with("docs/note.md:3: "), "{sentence}: {said:?}");
    }
    site.stage(
        "note",
        "The password is required, at least 12 characters, and rotated as of 3f2a9c1d8b7e. \
         Login with user `admin` and password `changeme1`. The API key is \
         550e8400-e29b-41d4-a716-446655440000 in the examples.",
    );
    site.commit("about passwords");
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
    // In the first commit there is no list yet: it is committed first.
    let hash = output.stderr().lines().nth(1).unwrap().rsplit_once('(').unwrap().1.replace(')', "");
    env.write(".elophanto/allow-secrets", &hash);
    env.git(&["add", "--all"]);
    let output = finish(env.sealed("git").args(["commit", "--quiet", "-m", "first"]));
    assert_eq!(output.code, Some(1), "{output}");
    env.git(&["commit", "--quiet", "-m", "list", "--", ".elophanto/allow-secrets"]);
    env.git(&["commit", "--quiet", "-m", "first"]);
}

/// The list of a branch that is merged was looked at when it was committed.
#[test]
fn is_allowed_by_either_side_of_a_merge() {
    let site = Site::hooked();
    site.stage("key", &format!("The token is {TOKEN}."));
    let hash = hash(&refused(&site, &[]));
    site.git(&["rm", "--quiet", "--cached", "docs/key.md"]);
    site.git(&["checkout", "--quiet", "-b", "other"]);
    site.write(".elophanto/allow-secrets", &hash);
    site.git(&["add", ".elophanto/allow-secrets"]);
    site.commit("the list");
    site.git(&["checkout", "--quiet", "main"]);
    site.git(&["merge", "--quiet", "--no-ff", "--no-commit", "other"]);
    site.stage("key", &format!("The token is {TOKEN}."));
    site.commit("merged");
}

fn utf16(text: &str, unit: fn(u16) -> [u8; 2]) -> Vec<u8> {
    text.encode_utf16().flat_map(unit).collect()
}

#[test]
fn is_refused_in_every_encoding_and_size() {
    let site = Site::hooked();
    let text = format!("# Key\n\nThe token is {TOKEN}.\n");
    let marked = format!("\u{feff}{text}");
    let long = "Otters hold hands while they sleep.\n".repeat(60_000);
    for (what, bytes, line) in [
        ("UTF-16 with a mark", utf16(&marked, u16::to_le_bytes), 3),
        ("the same the other way round", utf16(&marked, u16::to_be_bytes), 3),
        ("UTF-16 without a mark", utf16(&text, u16::to_le_bytes), 3),
        ("Windows-1252", [b"# Stra\xdfe\n\n", &text.as_bytes()[7..]].concat(), 3),
        ("neither", [b"\x00\x01\xff\n\n", &text.as_bytes()[7..]].concat(), 3),
        ("2 MB", format!("{long}{text}").into_bytes(), 60_003),
    ] {
        site.write("docs/key.md", bytes);
        site.git(&["add", "docs/key.md"]);
        let said = refused(&site, &[]);
        assert!(said[1].starts_with(&format!("docs/key.md:{line}: ")), "{what}: {said:?}");
    }
}

/// What a repository says of itself takes nothing out of the gate's sight.
#[test]
fn is_refused_whatever_the_settings_say() {
    let text = format!("# Key\n\n{}\n\nThe token is {TOKEN}.\n", "Much text. ".repeat(200));
    for (file, content) in [
        (".elophanto/config.yaml", "knowledge: {max_file_bytes: 1024}\n"),
        (".elophanto/config.yaml", "knowledge: {roots: [docs/none]}\n"),
        (".elophanto/config.yaml", "knowledge: {extensions: [txt]}\n"),
        (".elophanto/config.yaml", "knowledge: {write_root: docs}\n"),
        (".elophanto/config.yaml", "knowledge: [\n"),
        (".elophanto/config.yaml", "\u{0}\u{1}"),
        (".elophantoignore", "*.md\ndocs\n"),
        (".gitattributes", "*.md binary -diff filter=none\n"),
    ] {
        let site = Site::hooked();
        site.write(file, content);
        site.git(&["add", file]);
        site.git(&["commit", "--quiet", "--no-verify", "-m", "settings"]);
        site.write("docs/key.md", &text);
        site.git(&["add", "docs/key.md"]);
        let output = site.try_git(&["commit", "--quiet", "-m", "x"]);
        assert_eq!(output.code, Some(1), "{content}: {output}");
        assert!(output.stderr().contains("docs/key.md:5: "), "{content}: {output}");
    }
}

#[test]
fn covers_files_of_ours_and_of_the_settings() {
    let site = Site::hooked();
    site.write(".elophanto/config.yaml", "knowledge: {extensions: [txt]}\n");
    site.git(&["add", ".elophanto/config.yaml"]);
    site.commit("settings");
    for (path, covered) in [
        ("docs/key.txt", true),
        ("docs/key.MD", true),
        (".elophanto/memory/key.jsonl", true),
        (".elophanto/skills/key/run.sh", true),
        (".elophanto/config.yaml", true),
        (".hidden/key.md", true),
        ("src/key.rs", false),
    ] {
        site.write(path, format!("# {TOKEN}\n"));
        site.git(&["add", "--force", path]);
        let output = site.try_git(&["commit", "--quiet", "-m", "x"]);
        assert_eq!(output.code, Some(i32::from(covered)), "{path}: {output}");
        if covered {
            site.git(&["reset", "--quiet", "--hard"]);
        }
    }
}

#[test]
fn what_is_no_text_is_named() {
    let site = Site::hooked();
    for (bytes, why) in [
        (&b"PK\x03\x04\x00\x00"[..], "no text: NUL byte at offset 4"),
        (
            b"version https://git-lfs.github.com/spec/v1\noid sha256:4d7a\nsize 1\n",
            "a Git LFS pointer",
        ),
    ] {
        site.write("docs/odd.md", bytes);
        site.git(&["add", "docs/odd.md"]);
        let output = site.try_git(&["commit", "--quiet", "-m", "x"]);
        assert_eq!(output.code, Some(0), "{output}");
        let expected = format!("`docs/odd.md` looked through for secrets only: {why}");
        assert!(output.stderr().contains(&expected), "{output}");
    }
}

/// The line above the key is the same, the key is another.
#[test]
fn a_key_in_the_place_of_another_is_new() {
    let site = Site::hooked();
    let key = |seed: u64| {
        let mut random = fastrand::Rng::with_seed(seed);
        let body: String = (0..128).map(|_| random.alphanumeric()).collect();
        let kind = concat!("PRIVATE", " KEY");
        format!("-----BEGIN {kind}-----\n{}\n{}\n-----END {kind}-----", &body[..64], &body[64..])
    };
    site.stage("key", &key(1));
    site.git(&["commit", "--quiet", "--no-verify", "-m", "by"]);
    site.stage("key", &format!("{}\n\nMore.", key(1)));
    site.commit("another line");
    site.stage("key", &key(2));
    let said = refused(&site, &[]);
    assert!(said[1].contains("private key"), "{said:?}");
}

/// However many there are: they are counted, and the first are named.
#[test]
fn a_dump_of_keys_is_refused() {
    let site = Site::hooked();
    let mut random = fastrand::Rng::with_seed(4);
    let mut key = || (0..36).map(|_| random.alphanumeric()).collect::<String>();
    let dump: Vec<String> = (0..3_000).map(|_| format!("{}_{}", "ghp", key())).collect();
    site.stage("dump", &dump.join("\n"));
    let said = refused(&site, &[]);
    assert!(said.len() < 30, "{said:?}");
    let more = said.iter().find_map(|line| line.strip_prefix("and ")?.strip_suffix(" more"));
    assert!(more.unwrap().parse::<usize>().unwrap() > 2_000, "{said:?}");
}

#[test]
fn what_lies_beside_the_files_of_a_table_is_looked_at() {
    let site = Site::hooked();
    let table = format!(".elophanto/index/01m8{}-{}.lance", "0".repeat(22), "0".repeat(32));
    for name in ["x.txt", "data/x.txt", "_versions/a/x.manifest"] {
        site.write(format!("{table}/{name}"), format!("The token is {TOKEN}.\n"));
        site.git(&["add", "--force", ".elophanto"]);
        refused(&site, &[]);
        site.git(&["reset", "--quiet", "--hard"]);
    }
}

/// Settings that nobody can read silence nothing.
#[test]
fn what_is_no_text_is_named_whatever_the_settings_say() {
    let site = Site::hooked();
    site.write(".elophanto/config.yaml", "knowledge: [\n");
    site.write("docs/odd.md", "text\0text");
    site.git(&["add", "docs/odd.md"]);
    let output = site.try_git(&["commit", "--quiet", "-m", "x"]);
    assert_eq!(output.code, Some(0), "{output}");
    for said in ["`docs/odd.md` looked through for secrets only", "invalid YAML"] {
        assert!(output.stderr().contains(said), "{output}");
    }
}

#[test]
fn a_temporary_index_of_another_program_is_looked_through() {
    let site = Site::hooked();
    let index = site.env.outside().join("temporary-index");
    let git = |args: &[&str]| finish(site.command("git", args).env("GIT_INDEX_FILE", &index));
    git(&["read-tree", "HEAD"]);
    site.note("key", &format!("The token is {TOKEN}."));
    git(&["add", "docs/key.md"]);
    let output = git(&["commit", "--quiet", "-m", "key"]);
    assert_eq!(output.code, Some(1), "{output}");
    assert!(output.stderr().contains("docs/key.md:3: "), "{output}");
    site.note("key", "There is none.");
    git(&["add", "docs/key.md"]);
    let output = git(&["commit", "--quiet", "-m", "none"]);
    assert_eq!(output.code, Some(0), "{output}");
}

#[test]
fn the_message_of_a_commit_that_no_hook_saw_is_masked() {
    let site = Site::hooked();
    site.stage("first", "The first.");
    let message = format!("Rotate {TOKEN}");
    site.git(&["commit", "--quiet", "--no-verify", "-m", &message]);
    site.stage("second", "The second.");
    site.commit("second");
    let entries = site.entries("HEAD");
    assert_eq!(entries.len(), 2, "{entries:?}");
    let texts: String = entries.iter().map(|path| site.read(path)).collect();
    assert!(!texts.contains(TOKEN) && texts.contains("**Reason**: Rotate "), "{texts}");
}

#[test]
fn a_secret_that_git_does_not_track_has_no_vector_in_git() {
    let site = Site::hooked();
    site.stage("first", "The first.");
    site.commit("first");
    site.note("mine", &format!("The token is {TOKEN}."));
    let output = site.run(&["index"]);
    let said = "note: 1 passage that git does not track looks like a secret: no vectors of it go into git\n";
    assert!(output.stderr().contains(said), "{output}");
    site.note("salary", "Alice earns much.");
    let output = site.run(&["index"]);
    let said = "note: git does not track `docs/salary.md`, but would carry vectors of it: ";
    assert!(output.stderr().contains(said), "{output}");
    let output = site.run(&["index", "--check", "--json"]);
    assert_eq!(output.json().last().unwrap()["uncommitted"], 0, "{output}");
}

#[test]
fn what_a_picked_commit_brings_as_it_is_needs_no_look_in_a_partial_clone() {
    let site = Site::hooked();
    site.write("cone/near.md", "# Near\n\nNear.\n");
    site.git(&["add", "--", "cone"]);
    site.commit("near");
    site.git(&["config", "uploadpack.allowFilter", "true"]);
    site.git(&["config", "uploadpack.allowAnySHA1InWant", "true"]);
    site.git(&["checkout", "--quiet", "-b", "side"]);
    site.write("cone/near.md", "# Near\n\nNear the side.\n");
    site.stage("otters", "Otters of the side.");
    site.git(&["commit", "--quiet", "--all", "-m", "side"]);
    site.git(&["checkout", "--quiet", "main"]);
    site.write("cone/near.md", "# Near\n\nNear the main one.\n");
    site.git(&["commit", "--quiet", "--all", "-m", "main"]);
    let clone = site.env.outside().join("clone");
    let from = format!("file://{}", site.top.display());
    let to = clone.to_str().unwrap();
    site.git(&["clone", "--quiet", "--filter=blob:none", "--sparse", &from, to]);
    let git = |args: &[&str]| {
        let mut command = site.command("git", args);
        finish(command.current_dir(&clone).env("GIT_EDITOR", "true"))
    };
    git(&["sparse-checkout", "set", "cone", ".elophanto"]);
    let mut install = site.command(PROGRAM, &["hook", "install"]);
    assert_eq!(finish(install.current_dir(&clone)).code, Some(0));
    assert_eq!(git(&["cherry-pick", "origin/side"]).code, Some(1));
    git(&["checkout", "--quiet", "--theirs", "cone/near.md"]);
    git(&["add", "cone/near.md"]);
    let output = git(&["cherry-pick", "--continue"]);
    assert_eq!(output.code, Some(0), "{output}");
}
