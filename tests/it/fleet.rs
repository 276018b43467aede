//! A fleet: several repositories published to one place, folded, and asked as one.

use std::{fs, os::unix::fs::PermissionsExt, path::PathBuf, process::Command};

use elophanto_net::fake_store::{FakeStore, Fault};
use serde_json::{Value, json};

use crate::{
    env::{Output, TestEnv, finish, snapshot},
    mcp::House,
};

mod away;
mod states;

const OTTERS: &str =
    "# Otters\n\nSea otters hold hands when they sleep, so that nobody drifts away.\n";
const BADGERS: &str =
    "# Badgers\n\nBadgers dig their setts in woods and clean them every spring.\n";
const CRABS: &str = "# Crabs\n\nHermit crabs move into larger shells as they grow.\n";

/// A repository with one note, indexed and committed.
fn repository(path: &str, text: &str) -> TestEnv {
    let env = TestEnv::with(&[(path, text)]).builtin();
    env.write_attributes();
    env.index(&[]);
    env.commit("first");
    env
}

/// A folder for a fleet, outside of all repositories.
fn place(env: &TestEnv) -> String {
    format!("file://{}/kb", env.outside().display())
}

fn publish(env: &TestEnv, name: &str, address: &str) -> Value {
    let lines = env.json(&["publish", address, "--as", name, "--json"]);
    lines.last().cloned().unwrap()
}

fn fold(env: &TestEnv, address: &str) -> Value {
    env.json(&["publish", "--fold", address, "--json"]).pop().unwrap()
}

/// Repository and path of each hit.
fn hits(env: &TestEnv, address: &str, question: &[&str]) -> Vec<(String, String)> {
    let lines = env.json(&[&["search", "--in", address, "--json"], question].concat());
    let text = |hit: &Value, key: &str| hit[key].as_str().unwrap_or_default().to_owned();
    lines.iter().map(|hit| (text(hit, "repository"), text(hit, "path"))).collect()
}

#[test]
fn repositories_are_published_folded_and_asked_as_one() {
    let sea = repository("knowledge/otters.md", OTTERS);
    let land = repository("knowledge/badgers.md", BADGERS);
    let shore = repository("knowledge/crabs.md", CRABS);
    let address = place(&sea);
    let tried = sea.json(&["publish", &address, "--as", "acme/sea", "--dry-run", "--json"]);
    assert_eq!((&tried[0]["outcome"], &tried[0]["without_vector"]), (&"tried".into(), &0.into()));
    assert!(!sea.outside().join("kb").exists());
    for (env, name) in [(&sea, "acme/sea"), (&land, "acme/land"), (&shore, "other/shore")] {
        assert_eq!(publish(env, name, &address)["outcome"], "created");
    }
    assert_eq!(publish(&sea, "acme/sea", &address)["outcome"], "before", "twice is once");
    let nothing = sea.run(&["search", "--in", &address, "otters"]);
    assert_eq!(nothing.code, Some(1), "{nothing}");
    let folded = fold(&land, &address);
    assert_eq!((&folded["taken"], &folded["inserted"]), (&3.into(), &6.into()), "{folded}");

    // From where there is no repository.
    let nowhere = TestEnv::plain().builtin();
    let first = hits(&nowhere, &address, &["how do otters sleep"]);
    assert_eq!(first[0], ("acme/sea".to_owned(), "acme/sea/knowledge/otters.md".to_owned()));
    let first = hits(&nowhere, &address, &["where do badgers live"]);
    assert_eq!(first[0].0, "acme/land");
    // The hit is what the repository itself says.
    let own = sea.json(&["search", "how do otters sleep", "--json"]).remove(0);
    let there = nowhere
        .json(&["search", "--in", &address, "how do otters sleep", "--repo", "acme/sea", "--json"])
        .remove(0);
    for key in ["line", "lines", "title", "breadcrumb", "scope", "snippet", "kind", "changed"] {
        assert_eq!(own[key], there[key], "{key}");
    }
    let head = sea.git(&["rev-parse", "HEAD"]);
    assert_eq!(there["commit"], head.trim());
    assert_eq!(there["as_of"], "2026-01-02T03:04:05Z");
    // Conditions.
    let narrowed = |more: &[&str]| {
        let found =
            hits(&nowhere, &address, &[&["otters badgers crabs shells woods"], more].concat());
        let mut names: Vec<String> = found.into_iter().map(|(name, _)| name).collect();
        names.sort();
        names.dedup();
        names
    };
    assert_eq!(narrowed(&[]), ["acme/land", "acme/sea", "other/shore"]);
    assert_eq!(narrowed(&["--repo", "shore"]), ["other/shore"]);
    assert_eq!(narrowed(&["--path", "knowledge/b*"]), ["acme/land"]);
    assert_eq!(narrowed(&["--path", "**/crabs.md"]), ["other/shore"]);
    assert_eq!(narrowed(&["--since", "2026-01-01"]).len(), 3);
    assert_eq!(narrowed(&["--since", "2026-02-01"]).len(), 0);
    assert_eq!(narrowed(&["--kind", "fact"]).len(), 0);
    let unknown = nowhere.run(&["search", "--in", &address, "otters", "--repo", "lake"]);
    assert_eq!(unknown.code, Some(2), "{unknown}");
    // An answer is made of what the fleet says.
    let reply =
        nowhere.json(&["search", "--in", &address, "--answer", "--json", "how do otters sleep"]);
    assert!(reply[0]["answer"].as_str().unwrap_or_default().contains("hold hands"), "{reply:?}");
    // One line for people.
    let shown = nowhere.ok(&["search", "--in", &address, "how do otters sleep"]).stdout();
    assert!(shown.contains("acme/sea/knowledge/otters.md:"), "{shown}");
    assert!(shown.contains("as of 2026-01-02"), "{shown}");

    // Changed, then retired.
    sea.write("knowledge/otters.md", OTTERS.replace("hold hands", "hold paws"));
    sea.commit("second");
    publish(&sea, "acme/sea", &address);
    let folded = fold(&sea, &address);
    assert_eq!((&folded["taken"], &folded["deleted"]), (&1.into(), &1.into()), "{folded}");
    let there = nowhere.json(&["search", "--in", &address, "otters sleep", "--json"]);
    assert!(there[0]["snippet"].as_str().unwrap().contains("paws"), "{there:?}");
    sea.ok(&["publish", &address, "--as", "acme/sea", "--retire"]);
    fold(&sea, &address);
    assert!(
        hits(&nowhere, &address, &["how do otters sleep"]).iter().all(|hit| hit.0 != "acme/sea")
    );
    let listed = nowhere.ok(&["publish", "--list", &address]).stdout();
    assert!(listed.contains("acme/land") && !listed.contains("acme/sea"), "{listed}");
    // Back again, at the same commit.
    publish(&sea, "acme/sea", &address);
    fold(&sea, &address);
    assert_eq!(hits(&nowhere, &address, &["how do otters sleep"])[0].0, "acme/sea");

    let lines = nowhere.run(&["publish", "--export", "ndjson", &address]);
    let rows = lines.json();
    assert_eq!(rows.len(), 3, "{lines}");
    assert_eq!(rows[0]["vector"].as_array().unwrap().len(), 256);
    // A stream in Arrow's format begins and ends with the mark of a message.
    let stream = nowhere.ok(&["publish", "--export", "arrow", &address]).stdout;
    assert!(
        stream.starts_with(&[0xff; 4]) && stream.ends_with(&[0xff, 0xff, 0xff, 0xff, 0, 0, 0, 0])
    );
    for text in ["acme/land", "acme/sea", "other/shore", "Hermit crabs"] {
        assert!(stream.windows(text.len()).any(|bytes| bytes == text.as_bytes()), "{text}");
    }
}

#[test]
fn a_rewritten_history_is_newer() {
    let env = repository("knowledge/otters.md", OTTERS);
    let address = place(&env);
    env.write("knowledge/more.md", BADGERS);
    env.commit("second");
    publish(&env, "r", &address);
    fold(&env, &address);
    env.git(&["reset", "--quiet", "--hard", "HEAD~1"]);
    env.write("knowledge/other.md", CRABS);
    env.commit("another second");
    env.git(&["checkout", "--quiet", "--orphan", "new"]);
    env.commit("all anew");
    let published = publish(&env, "r", &address);
    assert!(published["object"].as_str().unwrap().starts_with("inbox/r/1-1-"), "{published}");
    assert_eq!(fold(&env, &address)["taken"], 1);
    assert_eq!(hits(&env, &address, &["hermit crabs shells"])[0].1, "r/knowledge/other.md");
    assert!(hits(&env, &address, &["badgers"]).iter().all(|hit| !hit.1.contains("more.md")));
}

/// A job that waited for its turn does not take a newer state back, whether it knows of it or not.
#[test]
fn an_older_state_that_comes_late_stays_older() {
    let env = repository("knowledge/otters.md", OTTERS);
    let address = place(&env);
    let late = env.outside().join("late");
    let from = format!("file://{}", env.root().display());
    env.git(&["clone", "--quiet", "--", &from, late.to_str().unwrap()]);
    env.write("knowledge/badgers.md", BADGERS);
    env.commit("second");
    publish(&env, "r", &address);
    fold(&env, &address);
    assert_eq!(publish(&env, "r", &address)["outcome"], "before", "once, when folded too");
    let mut waited = env.command(&["publish", &address, "--as", "r", "--json"]);
    let waited = finish(waited.current_dir(&late));
    assert!(waited.stderr().contains("is not in this clone"), "{waited}");
    assert!(waited.stderr().contains("--epoch 1"), "{waited}");
    env.git(&["checkout", "--quiet", "HEAD~1"]);
    let known = env.run(&["publish", &address, "--as", "r"]);
    assert!(known.stderr().contains("comes after this one"), "{known}");
    assert!(known.stdout().contains("not published"), "{known}");
    let folded = fold(&env, &address);
    assert_eq!((&folded["taken"], &folded["dropped"]), (&0.into(), &1.into()), "{folded}");
    assert_eq!(hits(&env, &address, &["where do badgers live"])[0].1, "r/knowledge/badgers.md");
    // Nothing is begun where nothing is published, and an empty place says what is to be done.
    let other = format!("file://{}/other", env.outside().display());
    env.git(&["checkout", "--quiet", "-"]);
    env.ok(&["publish", &other, "--as", "r"]);
    let waits = env.run(&["search", "--in", &other, "otters"]);
    assert!(waits.stderr().contains("nothing is folded there yet"), "{waits}");
}

/// What waits in the inbox is as well known as what was folded.
#[test]
fn what_waits_is_counted() {
    let env = repository("knowledge/otters.md", OTTERS);
    let address = place(&env);
    publish(&env, "r", &address);
    fold(&env, &address);
    env.ok(&["publish", &address, "--as", "r", "--retire"]);
    assert_eq!(publish(&env, "r", &address)["outcome"], "created");
    fold(&env, &address);
    assert_eq!(hits(&env, &address, &["where do otters sleep"])[0].1, "r/knowledge/otters.md");
    // Of two histories that were written anew the later one is there.
    for (branch, text) in [("one", BADGERS), ("two", CRABS)] {
        env.git(&["checkout", "--quiet", "--orphan", branch]);
        env.write("knowledge/otters.md", text);
        env.commit(branch);
        assert_eq!(publish(&env, "r", &address)["outcome"], "created");
    }
    assert_eq!(fold(&env, &address)["taken"], 1);
    assert_eq!(hits(&env, &address, &["hermit crabs shells"])[0].1, "r/knowledge/otters.md");
}

/// What was taken out of a history does not come back with a clone that does not know of it.
#[test]
fn a_stale_clone_takes_no_rewritten_history_back() {
    let env = repository("knowledge/otters.md", OTTERS);
    let address = place(&env);
    publish(&env, "r", &address);
    fold(&env, &address);
    let stale = env.outside().join("stale");
    let from = format!("file://{}", env.root().display());
    env.git(&["clone", "--quiet", "--", &from, stale.to_str().unwrap()]);
    env.git(&["checkout", "--quiet", "--orphan", "new"]);
    env.write("knowledge/otters.md", CRABS);
    env.commit("all anew");
    publish(&env, "r", &address);
    let mut late = env.command(&["publish", &address, "--as", "r", "--json"]);
    let late = finish(late.current_dir(&stale));
    assert!(late.stderr().contains("was rewritten: fetch it"), "{late}");
    assert_eq!(fold(&env, &address)["taken"], 1);
    let found = env.json(&["search", "--in", &address, "--json", "otters crabs"]);
    assert!(found[0]["snippet"].as_str().unwrap().contains("Hermit crabs"), "{found:?}");
}

#[test]
fn only_what_is_committed_clean_and_whole_is_published() {
    let env = repository("knowledge/otters.md", OTTERS);
    let address = place(&env);
    let refused = |env: &TestEnv, said: &str| {
        let refused = env.run(&["publish", &address, "--as", "r"]);
        assert_eq!(refused.code, Some(2), "{refused}");
        assert!(refused.stderr().contains(said), "{refused}");
    };
    env.write("knowledge/otters.md", CRABS);
    refused(&env, "is not what HEAD holds");
    env.git(&["checkout", "--quiet", "--", "."]);
    let secret = format!("# Key\n\nThe key is AKIA{}.\n", "Q3EGRIQWERTYUIOP");
    env.write("knowledge/key.md", secret);
    env.git(&["add", "--all"]);
    env.git(&["commit", "--quiet", "--no-verify", "-m", "secret"]);
    refused(&env, "looks like a secret: knowledge/key.md");
    let clone = env.outside().join("shallow");
    let from = format!("file://{}", env.root().display());
    env.git(&["clone", "--quiet", "--depth", "1", "--", &from, clone.to_str().unwrap()]);
    let mut command = env.command(&["publish", &address, "--as", "r"]);
    let shallow = finish(command.current_dir(&clone));
    assert!(shallow.stderr().contains("shallow"), "{shallow}");
    assert!(!env.outside().join("kb").exists(), "nothing was begun");
    // Without an address to take it from, or with one that is none, there is no name.
    env.git(&["reset", "--quiet", "--hard", "HEAD~1"]);
    let nameless = env.run(&["publish", &address]);
    assert!(nameless.stderr().contains("--as"), "{nameless}");
    env.git(&["remote", "add", "origin", "https://user:secret@git.example/Acme/Sea.git"]);
    let named = env.json(&["publish", &address, "--json"]);
    assert_eq!(named[0]["repository"], "git.example/acme/sea");
}

/// With the keys of a store.
fn with_keys(env: &TestEnv, store: &FakeStore, args: &[&str]) -> Output {
    finish(keyed(env, store, args).env("ELOPHANTO_TEST", "1"))
}

fn keyed(env: &TestEnv, store: &FakeStore, args: &[&str]) -> Command {
    let mut command = env.command(args);
    command.envs(store.variables());
    command
}

const BUCKET: &str = "s3://bucket/kb";

#[test]
fn a_damaged_vector_of_the_view_is_not_published() {
    let env = repository("knowledge/otters.md", OTTERS);
    let address = place(&env);
    publish(&env, "whole", &address);
    env.damage_vectors();
    publish(&env, "damaged", &address);
    fold(&env, &address);
    let rows = env.run(&["publish", "--export", "ndjson", &address]).json();
    assert_eq!(rows.len(), 2, "{rows:?}");
    assert_eq!(rows[0]["vector"], rows[1]["vector"]);
}

#[test]
fn what_leaves_this_machine_is_agreed_to_once() {
    let store = FakeStore::new();
    let env = repository("knowledge/otters.md", OTTERS);
    let run = |args: &[&str]| with_keys(&env, &store, args);
    let asked = run(&["publish", BUCKET, "--as", "r"]);
    assert_eq!(asked.code, Some(2), "{asked}");
    assert!(asked.stderr().contains("--yes"), "{asked}");
    assert!(store.names().iter().all(|name| !name.contains("inbox")), "{:?}", store.names());
    assert_eq!(run(&["publish", BUCKET, "--as", "r", "--yes"]).code, Some(0));
    let again = run(&["publish", BUCKET, "--as", "r"]);
    assert_eq!(again.code, Some(0), "{again}");
    assert_eq!(run(&["publish", "--fold", BUCKET]).code, Some(0));
    let found = run(&["search", "--in", BUCKET, "how do otters sleep", "--json"]);
    assert_eq!(found.json()[0]["repository"], "r", "{found}");
    // What never changes is kept in the user's folder, and not asked for again.
    store.asked();
    run(&["search", "--in", BUCKET, "how do otters sleep", "--json"]);
    let again = store.asked();
    let is_kept = |name: &str| name.contains("/data/") || name.contains("/_indices/");
    assert!(again.iter().all(|asked| !is_kept(&asked.object)), "{again:?}");
    assert!(env.outside().join("home/.cache/elophanto/fleet").is_dir());
    assert!(env.files().iter().all(|(path, _)| !path.to_string_lossy().contains("fleet")));
}

#[test]
fn what_is_wrong_with_a_store_is_said_with_what_to_do() {
    let store = FakeStore::new();
    let env = repository("knowledge/otters.md", OTTERS);
    let search = ["search", "--in", BUCKET, "otters"];
    let failed = |mut command: Command, said: &[&str]| {
        let failed = finish(&mut command);
        assert_eq!(failed.code, Some(2), "{failed}");
        for said in said {
            assert!(failed.stderr().contains(said), "`{said}` in {failed}");
        }
        failed.stderr()
    };
    failed(keyed(&env, &store, &search), &["no knowledge base", "hint:"]);
    let mut wrong = keyed(&env, &store, &search);
    wrong.env("AWS_ACCESS_KEY_ID", "AKIDOTHER");
    failed(wrong, &["refuses the key", "check the key"]);
    store.faults(|_| Some(Fault::Status(403, "RequestTimeTooSkewed")));
    failed(keyed(&env, &store, &search), &["clock", "set the clock"]);
    store.no_faults();
    let mut open = keyed(&env, &store, &search);
    open.env("AWS_ENDPOINT_URL", "http://bucket.evil.test");
    failed(open, &["over http"]);
    for address in ["https://bucket.s3.amazonaws.com", "kb", "s3://key:secret@bucket/kb"] {
        let command = env.command(&["search", "--in", address, "otters"]);
        let said = failed(command, &["no address of a fleet"]);
        assert!(!said.contains("secret"), "{said}");
    }
    // Settings of a repository say nothing of a fleet.
    env.write(".elophanto/config.yaml", "fleet: { address: s3://evil/kb }\n");
    let ran = env.run(&["search", "otters"]);
    assert_eq!(ran.code, Some(0), "{ran}");
}

#[test]
fn a_server_answers_for_a_fleet_and_for_nothing_else() {
    let sea = repository("knowledge/otters.md", OTTERS);
    let land = repository("knowledge/badgers.md", BADGERS);
    let address = place(&sea);
    publish(&sea, "acme/sea", &address);
    publish(&land, "acme/land", &address);
    fold(&sea, &address);
    let request = |id: u32, method: &str, params: &str| {
        format!("{{\"jsonrpc\":\"2.0\",\"id\":{id},\"method\":\"{method}\",\"params\":{params}}}\n")
    };
    let hello = "{\"protocolVersion\":\"2025-06-18\",\"capabilities\":{},\"clientInfo\":\
                 {\"name\":\"t\",\"version\":\"1\"}}";
    let call = |tool: &str, given: &str| format!("{{\"name\":\"{tool}\",\"arguments\":{given}}}");
    let said = [
        request(1, "initialize", hello),
        "{\"jsonrpc\":\"2.0\",\"method\":\"notifications/initialized\"}\n".to_owned(),
        request(2, "tools/list", "{}"),
        request(3, "tools/call", &call("search", "{\"query\":\"how do otters sleep\"}")),
        request(4, "tools/call", &call("search", "{\"query\":\"where do badgers dig setts\"}")),
        request(5, "tools/call", &call("get", "{\"path\":\"knowledge/otters.md\"}")),
        request(6, "resources/list", "{}"),
    ]
    .concat();
    let served = sea.run_with(
        &["agent", "mcp", "serve", "--in", &address, "--only", "acme/sea"],
        said.as_bytes(),
    );
    let answers = served.json();
    let of = |id: u32| answers.iter().find(|answer| answer["id"] == id).unwrap_or(&Value::Null);
    let tools = of(2)["result"]["tools"].as_array().unwrap();
    let names: Vec<&Value> = tools.iter().map(|tool| &tool["name"]).collect();
    assert_eq!(names, ["search", "recall"], "{served}");
    let first = &of(3)["result"]["structuredContent"]["hits"][0];
    assert_eq!(first["path"], "acme/sea/knowledge/otters.md", "{served}");
    // Whose repositories they are is no matter of the question.
    assert!(!of(4).to_string().contains("acme/land"), "{served}");
    assert!(of(5)["error"].is_object(), "{served}");
    assert!(!of(5).to_string().contains("did you mean `get`"), "{served}");
    let said = of(1)["result"]["instructions"].as_str().unwrap();
    assert!(said.contains("many repositories") && !said.contains("remember"), "{said}");
    let quoted = of(3)["result"]["content"].to_string();
    assert!(quoted.contains(&sea.git(&["rev-parse", "HEAD"])[..10]), "{quoted}");
    assert!(!of(6).to_string().contains("otters"), "{served}");
}

/// A repository whose vectors are of the model that small ones get.
fn of_minilm(path: &str, text: &str) -> TestEnv {
    let env = TestEnv::with(&[(path, text)]);
    env.write_attributes();
    env.write(".elophanto/config.yaml", "knowledge:\n  embedding_provider: minilm\n");
    env.commit("first");
    env.index(&[]);
    env.commit("vectors");
    env
}

/// What a place says of itself, and where.
fn declared(env: &TestEnv) -> (PathBuf, Value) {
    let path = env.outside().join("kb/kb.json");
    let said = serde_json::from_str(&fs::read_to_string(&path).unwrap()).unwrap();
    (path, said)
}

/// The name and dimension of the second model that is in every program.
fn minilm() -> Value {
    let minilm = elophanto_models::bert::Bert::minilm();
    json!({ "name": elophanto_models::Embedder::fingerprint(minilm).to_string(), "dimension": 384 })
}

/// Each of two repositories is found by what it means, whichever of the two models that every program has
/// its vectors are of; vectors of two are never compared.
#[test]
fn repositories_of_both_models_are_one_fleet() {
    let one = repository("knowledge/otters.md", OTTERS);
    let other = of_minilm("knowledge/crabs.md", CRABS);
    let address = place(&one);
    publish(&one, "one", &address);
    let (_, said) = declared(&one);
    assert_eq!(said["models"].as_array().unwrap()[1..], [minilm()], "{said}");
    let published = publish(&other, "other", &address);
    assert_eq!((&published["without_vector"], &published["model"]), (&0.into(), &minilm()["name"]));
    assert_eq!(fold(&one, &address)["taken"], 2);
    let tables = fs::read_dir(one.outside().join("kb")).unwrap().flatten();
    let tables = tables.filter(|entry| entry.file_name().to_string_lossy().ends_with(".lance"));
    assert_eq!(tables.count(), 2);
    // In other words than the notes.
    let nowhere = TestEnv::plain().builtin();
    for (question, expected) in [
        ("marine animals grab paws while asleep", "one"),
        ("houses that are swapped as one gets bigger", "other"),
    ] {
        for mode in [&[][..], &["--mode", "semantic"]] {
            let found = hits(&nowhere, &address, &[&[question], mode].concat());
            let first = found.first().map(|hit| hit.0.as_str());
            assert_eq!(first, Some(expected), "{question} {mode:?}: {found:?}");
        }
    }
    // The paths of hits are what `--path` takes, too.
    let found = hits(&nowhere, &address, &["otters badgers crabs", "--path", "other/knowledge/**"]);
    assert!(!found.is_empty() && found.iter().all(|hit| hit.0 == "other"), "{found:?}");
}

/// Whose place it is says what it takes: others are told the very commands that change it.
#[test]
fn a_place_of_one_model_says_how_it_takes_another() {
    let one = repository("knowledge/otters.md", OTTERS);
    let other = of_minilm("knowledge/crabs.md", CRABS);
    let address = place(&one);
    publish(&one, "one", &address);
    let (path, mut said) = declared(&one);
    said["models"].as_array_mut().unwrap().truncate(1);
    fs::write(&path, said.to_string()).unwrap();
    let told = other.run(&["publish", &address, "--as", "other"]);
    assert!(!told.stderr().contains("`elophanto index` makes it"), "{told}");
    assert_eq!(fold(&one, &address)["taken"], 2);
    let told = told.stderr();
    let commands: Vec<&str> = told
        .split('`')
        .filter(|part| part.contains("kb.json") || part.contains("--epoch"))
        .collect();
    let [mends, again] = commands[..] else { panic!("{told}") };
    let shell = Command::new("sh").args(["-c", mends]).status().unwrap();
    assert!(shell.success(), "{mends}");
    assert_eq!(declared(&one).1["models"][1], minilm());
    let again: Vec<&str> = again.split(' ').skip(1).chain(["--json"]).collect();
    let published = other.json(&again).pop().unwrap();
    assert_eq!(
        (&published["without_vector"], &published["outcome"]),
        (&0.into(), &"created".into())
    );
    assert_eq!(fold(&one, &address)["taken"], 1);
    let nowhere = TestEnv::plain().builtin();
    let question = ["houses that are swapped as one gets bigger", "--mode", "semantic"];
    assert_eq!(hits(&nowhere, &address, &question)[0].0, "other");
}

const SEA_TOKEN: &str = "5ea5ea5ea5ea5ea5ea5ea5ea5ea5ea5e";
const LAND_TOKEN: &str = "1a9d1a9d1a9d1a9d1a9d1a9d1a9d1a9d";

/// A file that says whose token finds what.
fn rights(env: &TestEnv, text: &str) -> PathBuf {
    let path = env.outside().join("fleet.yaml");
    fs::write(&path, text).unwrap();
    fs::set_permissions(&path, fs::Permissions::from_mode(0o600)).unwrap();
    path
}

/// A server over HTTP that asks on behalf of whoever bears a token.
fn house(env: &TestEnv, address: &str, rights: &str) -> House {
    let args = ["agent", "mcp", "serve", "--in", address, "--http", "127.0.0.1:0", "--rights"];
    let mut command = env.command(&[&args[..], &[rights]].concat());
    House::begun(env, command.env("SEA_TOKEN", SEA_TOKEN))
}

#[test]
fn each_token_finds_its_own_repositories_and_no_others() {
    let sea = repository("knowledge/otters.md", OTTERS);
    let land = repository(
        "knowledge/badgers.md",
        "---\ntags: [woods]\n---\n# Badgers\n\nBadgers dig their setts in woods, near otters.\n",
    );
    let shore = repository("knowledge/crabs.md", CRABS);
    let address = place(&sea);
    for (env, name) in [(&sea, "acme/sea"), (&land, "acme/land"), (&shore, "other/shore")] {
        publish(env, name, &address);
    }
    fold(&sea, &address);
    let hash = blake3::hash(LAND_TOKEN.as_bytes()).to_hex();
    let text = format!(
        "# Who may ask.\n- token: env:SEA_TOKEN\n  repositories: [acme/sea]\n\
         - {{ token: 'blake3:{hash}', repositories: [acme/land, other/] }}\n"
    );
    let file = rights(&sea, &text);
    let mut house = house(&sea, &address, file.to_str().unwrap());
    let own = house.token.clone();

    house.token = SEA_TOKEN.to_owned();
    let session_of_sea = house.session();
    let found = house.call(&session_of_sea, "search", json!({"query": "how do otters sleep"}));
    assert_eq!(
        found["structuredContent"]["hits"][0]["path"], "acme/sea/knowledge/otters.md",
        "{found}"
    );
    house.token = LAND_TOKEN.to_owned();
    let session_of_land = house.session();
    let found = house.call(&session_of_land, "search", json!({"query": "hermit crabs shells"}));
    assert_eq!(found["structuredContent"]["hits"][0]["path"], "other/shore/knowledge/crabs.md");

    // Whatever is asked, and however: what one finds, the other does not.
    let query = "badgers dig setts in woods near otters";
    let (mut found_by_land, mut tried) = (0, 0);
    for more in [
        json!({}),
        json!({"limit": 50}),
        json!({"mode": "keyword"}),
        json!({"mode": "semantic"}),
        json!({"query": "\"setts in woods\""}),
        json!({"query": "badgers -hands"}),
        json!({"query": "acme/land badgers"}),
        json!({"query": "') OR ('1'='1"}),
        json!({"kind": ["note"]}),
        json!({"kind": ["note", "summary", "fact"]}),
        json!({"kind": ["memory"]}),
        json!({"kind": ["head"]}),
        json!({"scope": "user"}),
        json!({"tag": "woods"}),
        json!({"since": "2025-01-01"}),
        json!({"since": "1970-01-01", "at": "2099-01-01"}),
        json!({"at": "2099-01-01"}),
        json!({"at": "now"}),
        json!({"path": "knowledge/badgers.md"}),
        json!({"path": "knowledge/b*"}),
        json!({"path": "**"}),
        json!({"path": "acme/land/**"}),
        json!({"path": "../land/knowledge/badgers.md"}),
        json!({"path": "knowledge/badgers.md') OR (repo = 'acme/land"}),
        json!({"repo": "acme/land"}),
        json!({"repo": ["acme/land"]}),
        json!({"only": "acme/land"}),
        json!({"within": "acme/land"}),
        json!({"repositories": ["acme/land"]}),
    ] {
        let mut given = json!({"query": query});
        given.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
        tried += 1;
        house.token = LAND_TOKEN.to_owned();
        let theirs = house.call(&session_of_land, "search", given.clone()).to_string();
        found_by_land += usize::from(theirs.contains("acme/land/knowledge/badgers.md"));
        assert!(!theirs.contains("acme/sea"), "{given}: {theirs}");
        assert!(!theirs.contains("hold hands"), "{given}: {theirs}");
        house.token = SEA_TOKEN.to_owned();
        let ours = house.call(&session_of_sea, "search", given.clone()).to_string();
        assert!(!ours.contains("knowledge/badgers.md:"), "{given}: {ours}");
        assert!(!ours.contains("acme/land/"), "{given}: {ours}");
        assert!(!ours.contains("dig their setts"), "{given}: {ours}");
        assert!(!ours.contains("other/shore"), "{given}: {ours}");
    }
    assert!(found_by_land > 10 && found_by_land < tried, "{found_by_land} of {tried}");

    // No other tool, no note to be read, no session of somebody else.
    let ask = |house: &House, session: &str, method: &str, params: Value| {
        let asked = json!({"jsonrpc": "2.0", "id": 7, "method": method, "params": params});
        let headers = [("Mcp-Session-Id", session), ("MCP-Protocol-Version", "2025-11-25")];
        house.request("POST /mcp", &headers, asked.to_string().as_bytes())
    };
    for tool in ["get", "similar", "entity", "questions", "status", "write_note", "remember"] {
        let params = json!({"name": tool, "arguments": {"path": "acme/land/knowledge/badgers.md"}});
        let reply = ask(&house, &session_of_sea, "tools/call", params);
        assert!(reply.json()["error"].is_object(), "{tool}: {reply:?}");
    }
    let uri = json!({"uri": "elophanto://note/acme/land/knowledge/badgers.md"});
    for (method, params) in [("resources/list", json!({})), ("resources/read", uri)] {
        let reply = ask(&house, &session_of_sea, method, params);
        assert!(!format!("{reply:?}").contains("dig their setts"), "{reply:?}");
    }
    let call = json!({"name": "search", "arguments": {"query": query}});
    let foreign = ask(&house, &session_of_land, "tools/call", call.clone());
    assert!(foreign.status >= 400, "{foreign:?}");
    assert!(!format!("{foreign:?}").contains("dig their setts"), "{foreign:?}");
    let replayed = [("Mcp-Session-Id", session_of_land.as_str()), ("Last-Event-ID", "0@0")];
    let replayed = house.request("GET /mcp", &replayed, b"");
    assert!(replayed.status >= 400, "{replayed:?}");

    // Nobody who is not named finds anything, whoever serves included.
    house.token = own;
    let session = house.session();
    let found = house.call(&session, "search", json!({"query": query})).to_string();
    assert!(!found.contains("knowledge/"), "{found}");
    for token in ["0123456789abcdef0123456789abcdef", hash.as_str(), "env:SEA_TOKEN"] {
        house.token = token.to_owned();
        let refused = ask(&house, &session_of_sea, "tools/call", call.clone());
        assert_eq!(refused.status, 401, "{refused:?}");
        assert_eq!(house.request("GET /health", &[], b"").status, 401);
    }
}

#[test]
fn what_is_wrong_with_rights_is_said_before_anybody_is_served() {
    let env = repository("knowledge/otters.md", OTTERS);
    let address = place(&env);
    publish(&env, "acme/sea", &address);
    fold(&env, &address);
    let refused = |text: &str, said: &[&str]| {
        let file = rights(&env, text);
        let file = file.to_str().unwrap();
        let args = ["agent", "mcp", "serve", "--in", &address, "--http", "127.0.0.1:0"];
        let refused = env.run(&[&args[..], &["--rights", file]].concat());
        assert_eq!(refused.code, Some(2), "{text}: {refused}");
        for said in said {
            assert!(refused.stderr().contains(said), "`{said}` of {text}: {refused}");
        }
        refused.stderr()
    };
    refused("", &["line 1: nobody may ask", "hint:"]);
    refused("- token: env:A\n  repos: [a]\n", &["line 2: `repos` is no key", "hint:"]);
    refused(
        "- { token: env:NO_SUCH, repositories: [a] }\n",
        &["line 1: there is no token in env:"],
    );
    refused("- { token: env:LC_ALL, repositories: [a] }\n", &["line 1: the token in env:LC_ALL"]);
    let said = refused("- { token: hunter2hunter2hunter2, repositories: [a] }\n", &["line 1:"]);
    assert!(!said.contains("hunter2"), "{said}");
    let hash = blake3::hash(SEA_TOKEN.as_bytes()).to_hex();
    let one = format!("- {{ token: 'blake3:{hash}', repositories: [a] }}\n");
    refused(&one.repeat(2), &["line 2: the token is that of line 1"]);
    let file = rights(&env, &one);
    fs::set_permissions(&file, fs::Permissions::from_mode(0o666)).unwrap();
    let file = file.to_str().unwrap();
    let with = |more: &[&str]| {
        let args = ["agent", "mcp", "serve", "--in", &address, "--rights", file];
        env.run(&[&args[..], more].concat())
    };
    let open = with(&["--http", "127.0.0.1:0"]);
    assert!(open.stderr().contains("chmod go-w"), "{open}");
    // Over standard streams nobody bears a token.
    let stdio = with(&[]);
    assert_eq!(stdio.code, Some(2), "{stdio}");
    assert!(stdio.stderr().contains("--http"), "{stdio}");
    let both = with(&["--http", "127.0.0.1:0", "--only", "acme/sea"]);
    assert_eq!(both.code, Some(2), "{both}");
    let args = ["agent", "mcp", "serve", "--in", &address, "--http", "127.0.0.1:0"];
    snapshot!(env.run(&[&args[..], &["--rights", "gone.yaml"]].concat()), @"
    exit: 2
    --- stdout
    --- stderr
    error: cannot read `gone.yaml`
    caused by: No such file or directory (os error 2)
    hint: `--rights` names a file that says whose token finds which repositories
    ");
}

/// Writes a lesson down and commits it; its id.
fn remember(env: &TestEnv, context: &str, lesson: &str) -> String {
    let args = ["agent", "remember", "--type", "error", "--context", context, "--lesson", lesson];
    let written = env.json(&[&args[..], &["--agent", "sam", "--json"]].concat());
    env.commit("a lesson");
    written[0]["id"].as_str().unwrap().to_owned()
}

fn publish_lessons(env: &TestEnv, name: &str, address: &str) -> Value {
    env.json(&["publish", address, "--as", name, "--memory", "--json"]).pop().unwrap()
}

fn recall(env: &TestEnv, address: &str, more: &[&str]) -> Vec<Value> {
    let args = ["agent", "recall", "--in", address, "--json", "--max-tokens", "4000"];
    env.json(&[&args[..], more].concat())
}

#[test]
fn lessons_are_published_if_that_is_wanted_and_recalled_with_where_they_are_from() {
    let sea = repository("knowledge/otters.md", OTTERS);
    let land = repository("knowledge/badgers.md", BADGERS);
    let address = place(&sea);
    let first = remember(&sea, "npm ci failed with EACCES", "own the npm cache folder");
    remember(&land, "linking ran out of memory", "link with mold in the release profile");
    let nowhere = TestEnv::plain().builtin();
    let npm = ["npm cache EACCES"];

    // Without a word about them they stay where they are.
    assert_eq!(publish(&sea, "acme/sea", &address)["lessons"], 0);
    publish(&land, "acme/land", &address);
    fold(&sea, &address);
    let nothing = nowhere.run(&["agent", "recall", "--in", &address, npm[0]]);
    assert_eq!(nothing.code, Some(1), "{nothing}");
    assert!(nothing.stderr().contains("nothing close to that is published there"), "{nothing}");

    // The same commit, and more of it.
    let published = publish_lessons(&sea, "acme/sea", &address);
    assert_eq!((&published["lessons"], &published["chunks"]), (&1.into(), &2.into()));
    assert!(published["object"].as_str().unwrap().starts_with("inbox/acme+sea/1-2-"));
    publish_lessons(&land, "acme/land", &address);
    assert_eq!(fold(&sea, &address)["taken"], 2);
    let found = recall(&nowhere, &address, &npm);
    let head = sea.git(&["rev-parse", "HEAD"]);
    assert_eq!(found[0]["repo"], "acme/sea");
    assert_eq!(found[0]["origin"], json!({"agent": "sam", "commit": head.trim()}));
    let path = found[0]["path"].as_str().unwrap();
    assert!(path.starts_with("acme/sea/.elophanto/memory/"), "{path}");
    // It is what the repository itself recalls.
    let own = sea.json(&["agent", "recall", "--json", npm[0]]).remove(0);
    for key in ["id", "lesson", "context", "type", "tags", "timestamp", "count", "line"] {
        assert_eq!(own[key], found[0][key], "{key}");
    }
    assert_eq!(own["id"], first.as_str());
    // For people, with repository and commit.
    let shown = nowhere.ok(&["agent", "recall", "--in", &address, npm[0]]).stdout();
    assert!(shown.contains(&format!("acme/sea@{}", &head[..10])), "{shown}");
    // Lessons are not searched, and hits are not recalled.
    let hits = hits(&nowhere, &address, &["npm cache EACCES otters"]);
    assert!(hits.iter().all(|hit| !hit.1.contains(".elophanto")), "{hits:?}");
    let notes = nowhere.run(&["agent", "recall", "--in", &address, "otters sleep hold hands"]);
    assert!(!notes.stdout().contains("hold hands"), "{notes}");
    // Conditions.
    let of_land = recall(&nowhere, &address, &["linking out of memory", "--repo", "land"]);
    assert_eq!(of_land[0]["repo"], "acme/land", "{of_land:?}");
    let of_land = recall(&nowhere, &address, &["npm cache EACCES", "--repo", "land"]);
    assert!(of_land.iter().all(|it| it["repo"] == "acme/land"), "{of_land:?}");
    assert!(recall(&nowhere, &address, &["npm cache EACCES", "--type", "pattern"]).is_empty());
    let lake = nowhere.run(&["agent", "recall", "--in", &address, "npm", "--repo", "lake"]);
    assert_eq!(lake.code, Some(2), "{lake}");
    let unasked = nowhere.run(&["agent", "recall", "--in", &address]);
    assert_eq!(unasked.code, Some(2), "{unasked}");

    // What is taken back, or in no commit, is not there.
    sea.ok(&["agent", "memory", "forget", &first]);
    sea.commit("forgotten");
    let args = ["agent", "remember", "--type", "error", "--context", "cargo says E0502"];
    sea.ok(&[&args[..], &["--lesson", "end the borrow before"]].concat());
    let published = publish_lessons(&sea, "acme/sea", &address);
    assert_eq!(published["lessons"], 0, "{published}");
    fold(&sea, &address);
    for about in ["npm cache EACCES", "cargo says E0502"] {
        let found = recall(&nowhere, &address, &[about]);
        assert!(found.iter().all(|it| it["repo"] == "acme/land"), "{found:?}");
    }
}

#[test]
fn secrets_in_lessons_are_refused() {
    let env = repository("knowledge/otters.md", OTTERS);
    let address = place(&env);
    let secret = format!("AKIA{}", "Q3EGRIQWERTYUIOP");
    let line = json!({
        "id": "01JAAAAAAAAAAAAAAAAAAAAAAA", "timestamp": "2026-01-01T00:00:00Z", "agent_id": "a",
        "repo": "repo", "event_type": "error", "context": "the upload failed",
        "lesson": format!("the key is {secret}"), "command": "", "success_rate": "", "tags": [],
    });
    env.write(".elophanto/memory/repo/a.jsonl", format!("{line}\n"));
    env.git(&["add", "--all", "--force"]);
    env.git(&["commit", "--quiet", "--no-verify", "-m", "secret"]);
    // Nobody asked for lessons.
    assert_eq!(publish(&env, "r", &address)["outcome"], "created");
    let refused = env.run(&["publish", &address, "--as", "r", "--memory", "--epoch", "1"]);
    assert_eq!(refused.code, Some(2), "{refused}");
    assert!(refused.stderr().contains("looks like a secret: .elophanto/memory"), "{refused}");
}

#[test]
fn a_server_recalls_from_the_repositories_of_the_caller() {
    let sea = repository("knowledge/otters.md", OTTERS);
    let land = repository("knowledge/badgers.md", BADGERS);
    let address = place(&sea);
    remember(&sea, "npm ci failed with EACCES", "own the npm cache folder");
    remember(&land, "linking ran out of memory", "link with mold in the release profile");
    publish_lessons(&sea, "acme/sea", &address);
    publish_lessons(&land, "acme/land", &address);
    fold(&sea, &address);
    let hash = blake3::hash(LAND_TOKEN.as_bytes()).to_hex();
    let text = format!(
        "- {{ token: env:SEA_TOKEN, repositories: [acme/sea] }}\n\
         - {{ token: 'blake3:{hash}', repositories: [acme/land] }}\n"
    );
    let file = rights(&sea, &text);
    let mut house = house(&sea, &address, file.to_str().unwrap());
    house.token = SEA_TOKEN.to_owned();
    let session = house.session();
    let found = house.call(&session, "recall", json!({"text": "npm cache EACCES"}));
    let lesson = &found["structuredContent"]["memories"][0];
    assert_eq!(lesson["repo"], "acme/sea", "{found}");
    assert!(lesson["origin"]["commit"].is_string(), "{found}");
    let text = found["content"][0]["text"].as_str().unwrap();
    assert!(text.contains("acme/sea@"), "{text}");
    house.token = LAND_TOKEN.to_owned();
    let session = house.session();
    for more in [
        json!({}),
        json!({"limit": 20}),
        json!({"type": "error"}),
        json!({"archived": true}),
        json!({"repo": "acme/sea"}),
        json!({"repo": "sea"}),
        json!({"repo": "acme/"}),
        json!({"only": "acme/sea"}),
    ] {
        let mut given = json!({"text": "npm cache EACCES"});
        given.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
        let found = house.call(&session, "recall", given.clone()).to_string();
        assert!(!found.contains("own the npm cache"), "{given}: {found}");
        assert!(!found.contains("acme/sea@"), "{given}: {found}");
    }
    let found = house.call(&session, "recall", json!({"text": "linking out of memory"}));
    assert_eq!(found["structuredContent"]["memories"][0]["repo"], "acme/land", "{found}");
}
