//! Answering questions, and what is written down of it.

use serde_json::{Value, json};

use super::{
    herons, id, indexed, investigate, journal, list, local_journal, path, records, scan, source,
    summary_of, waiting,
};
use crate::env::{TestEnv, snapshot};

/// A long source file. The last item alone speaks of bells, in its last 16 lines.
fn engine() -> String {
    let mut text = String::from("//! The engine room.\n\n");
    for number in 0..30 {
        text += &format!("/// Computes tide {number} from the moon.\npub fn tide_{number}() {{\n");
        for line in 0..16 {
            text += &format!("    let x{line} = {number};\n");
        }
        text += "}\n\n";
    }
    text += "/// Rings the zanzibar bell when fog rolls in.\npub fn ring_bell() {\n";
    text += &"    ring();\n".repeat(13);
    text + "}\n"
}

#[test]
fn as_it_looks() {
    let env = TestEnv::with(&[
        ("docs/guide.txt", "Pelicans carry fish in their bills.\n"),
        ("app.yaml", "port: 80\nname: otter\n"),
        ("otter.service", "[Unit]\nDescription=Runs it\n[Service]\nExecStart=/usr/bin/otter\n"),
    ]);
    env.write("src/heron.rs", source("Herons fish at dawn."));
    snapshot!(env.run(&["scan"]), @"
    exit: 0
    --- stdout
    unindexed-2994e84bd0ae  high    What knowledge does docs/guide.txt contain?
    unindexed-9232ee496b33  medium  What knowledge does app.yaml contain?
    unindexed-7aefcd32be7e  medium  What knowledge does otter.service contain?
    unindexed-77729983db52  medium  What knowledge does src/heron.rs contain?
    4 files, 0 described, 4 asked, 4 open, [SECONDS] seconds
    --- stderr
    ");
    snapshot!(env.run(&["scan", "--list"]), @"
    exit: 0
    --- stdout
    unindexed-2994e84bd0ae  high    What knowledge does docs/guide.txt contain?
    unindexed-9232ee496b33  medium  What knowledge does app.yaml contain?
    unindexed-7aefcd32be7e  medium  What knowledge does otter.service contain?
    unindexed-77729983db52  medium  What knowledge does src/heron.rs contain?
    --- stderr
    ");
    snapshot!(env.run(&["scan", "--investigate"]), @"
    exit: 0
    --- stdout
    docs/guide.txt  (unindexed)
        text document `docs/guide.txt`: pelicans carry fish in their bills.
    app.yaml  (unindexed)
        YAML configuration `app.yaml` has the key `port` and the key `name`.
    otter.service  (unindexed)
        systemd service `otter.service`: runs it. It runs `ExecStart=/usr/bin/otter`. It uses `/usr/bin/otter`.
    src/heron.rs  (unindexed)
        Rust source file `src/heron.rs`: herons fish at dawn. `begin`: begins.
    4 files, 4 described, 0 asked, 4 answered, 0 open, [SECONDS] seconds
    --- stderr
    ");
    snapshot!(env.run(&["scan", "--indexed"]), @"
    exit: 0
    --- stdout
    app.yaml  (yaml_config, fresh)
    docs/guide.txt  (text_doc, fresh)
    otter.service  (service_file, fresh)
    src/heron.rs  (rust_file, fresh)
    --- stderr
    ");
}

#[test]
fn the_most_valuable_those_named_or_all() {
    let env = herons(25);
    env.write("z.txt", "Pelicans carry fish in their bills.\n");
    let first = scan(&env, &["--investigate"]);
    assert_eq!(first.counts(["asked", "answered", "open", "left"]), [10, 10, 0, 16]);
    assert_eq!((first.lines.len(), first.paths()[0]), (10, "z.txt"));
    assert_eq!(scan(&env, &[]).counts(["asked", "open"]), [10, 10]);
    let open = list(&env, &[]);
    // Those named and no others, by the beginning of an id too.
    let (one, two) = (id(&open[3]), id(&open[7]));
    let named = scan(&env, &["--investigate", one, &two[..two.len() - 2]]);
    let mut answered: Vec<&str> = named.lines.iter().map(id).collect();
    answered.sort_unstable();
    let mut expected = [one, two];
    expected.sort_unstable();
    assert_eq!(answered, expected);
    assert_eq!(named.counts(["answered"]), [2]);
    let all = investigate(&env);
    assert_eq!(all.counts(["answered", "failed", "open", "left"]), [14, 0, 0, 0]);
    assert_eq!(investigate(&env).counts(["asked", "answered", "calls"]), [0, 0, 0]);
    let states = indexed(&env);
    assert!(states.len() == 26 && states.iter().all(|state| state.ends_with("(fresh)")));
    snapshot!(env.run(&["scan", "--investigate", "unindexed-none"]), @"
    exit: 2
    --- stdout
    --- stderr
    error: there is no question `unindexed-none`
    hint: `elophanto scan --list` lists what there is
    ");
    assert_eq!(env.run(&["scan", "--investigate", "unindexed-"]).code, Some(2));
}

#[test]
fn what_is_written_down() {
    let env = TestEnv::new();
    env.write("src/heron.rs", source("Herons fish at dawn."));
    let answered = investigate(&env);
    assert_eq!(answered.lines.len(), 1);
    let summary = summary_of(&env, "src/heron.rs");
    let fields: Vec<&String> = summary.as_object().unwrap().keys().collect();
    let mut expected = [
        "kind", "id", "at", "doc_id", "file_path", "file_type", "file_size", "blob", "indexed_at",
        "summary", "model", "prompt_version", "truncated", "original_size", "summary_failed",
    ];
    expected.sort_unstable();
    let mut sorted: Vec<&str> = fields.into_iter().map(String::as_str).collect();
    sorted.sort_unstable();
    assert_eq!(sorted, expected);
    let size = env.read("src/heron.rs").len();
    assert_eq!(summary["blob"], env.git(&["hash-object", "src/heron.rs"]).trim());
    let rest = json!([
        summary["file_type"],
        summary["file_size"],
        summary["original_size"],
        summary["model"],
        summary["truncated"],
        summary["summary_failed"],
    ]);
    assert_eq!(rest, json!(["rust_file", size, size, "extractive", false, false]));
    let text = summary["summary"].as_str().unwrap();
    assert!(text.contains("erons fish at dawn") && text.contains("begin"), "{text}");
    assert_eq!(answered.lines[0]["summary"], text);
    // That somebody is at it is no news for others.
    let states = |files: &[_]| -> Vec<Value> {
        records(files, "question").iter().map(|question| question["state"].clone()).collect()
    };
    assert_eq!(states(&journal(&env)), ["open", "answered"]);
    assert_eq!(states(&local_journal(&env)), ["investigating"]);
}

#[test]
fn parts_of_a_large_file_have_their_lines() {
    let env = TestEnv::new();
    env.write("engine.rs", engine());
    investigate(&env);
    let summary = summary_of(&env, "engine.rs");
    let parts = summary["parts"].as_array().unwrap();
    assert_eq!(parts.len(), 31);
    let all = env.read("engine.rs");
    let all: Vec<&str> = std::str::from_utf8(&all).unwrap().lines().collect();
    for part in parts {
        let line = |at: usize| part["lines"][at].as_u64().unwrap() as usize;
        let name = part["name"].as_str().unwrap();
        let begin = all[line(0) - 1];
        assert!(begin.contains(name) || begin.starts_with("///"), "{name}: {begin}");
        assert_eq!(all[line(1) - 1], "}", "{name}");
    }
    let hits = env.json(&["search", "--json", "zanzibar bell fog"]);
    assert_eq!(hits[0]["breadcrumb"], json!(["ring_bell"]));
    let first = hits[0]["lines"][0].as_u64().unwrap() as usize;
    let last = hits[0]["lines"][1].as_u64().unwrap() as usize;
    assert!(all[first - 1].contains("ring_bell") || all[first - 1].contains("zanzibar"));
    assert_eq!((last, hits[0]["line"].as_u64()), (all.len(), Some(first as u64)));
}

#[test]
fn a_very_long_file_is_truncated() {
    let text = |lines: usize| -> String {
        let middle = |line: usize| match line {
            5_500 => "The walrus sits in the middle.\n".to_owned(),
            line => format!("Line {line} is here.\n"),
        };
        let all = (2..lines).map(middle).collect::<String>();
        format!("The pelican begins.\n{all}Finally the puffin ends.\n")
    };
    let env = TestEnv::new();
    env.write("long.txt", text(10_001));
    env.write("whole.txt", text(10_000));
    investigate(&env);
    for (path, truncated) in [("long.txt", true), ("whole.txt", false)] {
        let summary = summary_of(&env, path);
        assert_eq!(summary["truncated"], truncated, "{path}");
        assert_eq!(summary["original_size"], env.read(path).len());
        let said = summary["summary"].as_str().unwrap();
        assert!(said.contains("elican"), "{said}");
        assert!(!said.contains("lines left out"), "{said}");
        // What is put in the place of the missing lines is not of the file.
        assert!(!said.contains("left"), "{said}");
    }
}

#[test]
fn what_changed_is_described_again() {
    let env = herons(3);
    investigate(&env);
    env.write("src/heron1.rs", source("Voles dig tunnels."));
    let changed = scan(&env, &["--investigate"]);
    assert_eq!(changed.counts(["asked", "answered"]), [1, 1]);
    let line = &changed.lines[0];
    assert_eq!((path(line), &line["kind"]), ("src/heron1.rs", &json!("stale")));
    assert!(line["summary"].as_str().unwrap().contains("oles dig tunnels"));
    assert!(indexed(&env).iter().all(|state| state.ends_with("(fresh)")), "{:?}", indexed(&env));
    // A touched file is the same.
    env.write("src/heron1.rs", source("Voles dig tunnels."));
    assert_eq!(investigate(&env).counts(["asked", "answered", "open"]), [0, 0, 0]);
    // Deleted and there again.
    env.remove("src/heron1.rs");
    assert_eq!(investigate(&env).counts(["asked", "answered", "open"]), [0, 0, 0]);
    assert_eq!(indexed(&env)[1], "src/heron1.rs (gone)");
    env.write("src/heron1.rs", source("Voles dig tunnels."));
    assert_eq!(investigate(&env).counts(["asked", "answered", "open"]), [0, 0, 0]);
    assert_eq!(indexed(&env)[1], "src/heron1.rs (fresh)");
}

#[test]
fn a_content_that_was_described_before_is_known() {
    let env = herons(1);
    investigate(&env);
    let before = env.read("src/heron0.rs");
    env.write("src/heron0.rs", source("Voles dig tunnels."));
    investigate(&env);
    // As after `git checkout` of an earlier commit.
    env.write("src/heron0.rs", before);
    assert_eq!(investigate(&env).counts(["asked", "answered", "calls"]), [0, 0, 0]);
    assert_eq!(indexed(&env), ["src/heron0.rs (fresh)"]);
    let hits = env.json(&["search", "--json", "heron fishes", "--refresh-stale", "never"]);
    assert_eq!((&hits[0]["state"], hits.len()), (&Value::Null, 1), "{hits:?}");
    assert!(hits[0]["snippet"].as_str().unwrap().contains("fishes"), "{hits:?}");
}

#[test]
fn a_moved_file_is_known_by_its_new_name() {
    let env = herons(2);
    investigate(&env);
    let before = summary_of(&env, "src/heron0.rs");
    env.rename("src/heron0.rs", "lib/egret.rs");
    let moved = scan(&env, &["--investigate"]);
    assert_eq!(moved.counts(["asked", "answered", "calls", "open"]), [1, 1, 0, 0]);
    assert_eq!(moved.paths(), ["lib/egret.rs"]);
    let after = summary_of(&env, "lib/egret.rs");
    // It is of the same content.
    assert_eq!(&after["blob"], &before["blob"]);
    assert_ne!((&after["id"], &after["doc_id"]), (&before["id"], &before["doc_id"]));
    assert_eq!(env.hits(&["Heron fishes", "--path", "lib"]), ["lib/egret.rs"]);
    assert!(!env.hits(&["Heron fishes"]).contains(&"src/heron0.rs".to_owned()));
}

#[test]
fn a_summary_speaks_of_its_own_file() {
    let env = herons(1);
    investigate(&env);
    // A copy under another name and of another kind, and a file that was moved.
    env.write("copy.txt", env.read("src/heron0.rs"));
    env.write("src/vole.rs", source("Voles dig tunnels."));
    investigate(&env);
    env.rename("src/vole.rs", "src/mole.rs");
    investigate(&env);
    for line in env.json(&["scan", "--indexed", "--json"]) {
        let summary = line["summary"].as_str().unwrap();
        let named = format!("`{}`", path(&line));
        assert!(line["state"] == "gone" || summary.contains(&named), "{named}: {summary}");
        let is_text = path(&line).ends_with(".txt");
        let expected = if is_text { "text_doc" } else { "rust_file" };
        assert_eq!(line["file_type"], expected, "{line}");
    }
}

#[test]
fn a_summary_has_one_id_per_path_and_content() {
    // Described at its place, and described elsewhere first: the same path and content.
    let env = herons(1);
    investigate(&env);
    env.rename("src/heron0.rs", "src/egret.rs");
    investigate(&env);
    let moved = summary_of(&env, "src/egret.rs");
    let other = TestEnv::new();
    other.write("src/egret.rs", env.read("src/egret.rs"));
    investigate(&other);
    let direct = summary_of(&other, "src/egret.rs");
    assert_eq!((&moved["doc_id"], &moved["blob"]), (&direct["doc_id"], &direct["blob"]));
    assert_eq!(moved["id"], direct["id"]);
}

#[test]
fn a_file_that_vanished_between() {
    let env = herons(2);
    scan(&env, &[]);
    let open = list(&env, &[]);
    env.remove("src/heron1.rs");
    // What is gone when it is looked for is no question any more.
    let sum = scan(&env, &["--investigate"]);
    assert_eq!(sum.counts(["answered", "failed", "closed", "open"]), [1, 0, 1, 0]);
    // Asked by name all the same.
    let again = scan(&env, &["--investigate", id(&open[1])]);
    assert_eq!(again.lines[0]["answer"], "vanished", "{:?}", again.lines);
    assert_eq!(again.lines[0]["state"], "failed");
    assert_eq!(waiting(&env), [""; 0]);
}

#[test]
fn secrets_are_not_written_down() {
    let env = TestEnv::new();
    let key = format!("AKIA{}", "QW3RTYU1OP4SDFGH");
    env.write("src/a.rs", source(&format!("Signs requests with the key {key} of the pond.")));
    investigate(&env);
    let summary = summary_of(&env, "src/a.rs");
    assert!(!summary.to_string().contains(&key), "{summary}");
    assert!(summary["summary"].as_str().unwrap().contains("igns requests"), "{summary}");
}

#[test]
fn evidence_for_other_programs() {
    let env = TestEnv::new();
    env.write("src/heron.rs", source("Herons fish at dawn."));
    let output = env.ok(&["scan", "--investigate", "--evidence"]);
    // What the run came to is talk.
    assert!(output.stderr().contains("1 described"), "{output}");
    let summary = summary_of(&env, "src/heron.rs");
    let expected = json!({
        "source": "documentation",
        "type": "knowledge_indexed",
        "content": summary["summary"],
        "metadata": { "file_path": "src/heron.rs", "indexed_at": summary["indexed_at"] },
        "confidence": 0.9,
    });
    let records: Vec<Value> = output.json().into_iter().map(rounded).collect();
    assert_eq!(records, [expected]);
}

/// The confidence as a person would write it.
pub fn rounded(mut evidence: Value) -> Value {
    let confidence = evidence["confidence"].as_f64().unwrap();
    evidence["confidence"] = json!((confidence * 1e4).round() / 1e4);
    evidence
}
