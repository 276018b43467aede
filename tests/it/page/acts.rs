//! What is done from a page: as the commands do it, from our own page alone, and taken back.

use serde_json::{Value, json};

use super::Visitor;
use crate::{env::TestEnv, gateway::Answer};

/// What looks like a secret, and is none.
pub fn key() -> String {
    ["AKIA", "QYLPMN5HHHFPZAM2"].concat()
}

impl Visitor<'_> {
    /// Sends an act with these headers in place of the usual ones (`-`: left out).
    pub fn act_with(&self, act: &Value, but: &[(&str, &str)]) -> Answer {
        let own = format!("http://{}", self.gate.host());
        let usual = [
            ("Host", self.gate.host()),
            ("Origin", own),
            ("Sec-Fetch-Site", "same-origin".to_owned()),
            ("Content-Type", "application/json".to_owned()),
            ("X-Elophanto", "page".to_owned()),
            ("Cookie", self.cookie.clone()),
        ];
        let path = self.gate.below(&format!("{}/do", self.name));
        let mut head = format!("POST {path} HTTP/1.1\r\n");
        for (name, value) in &usual {
            let value = but.iter().find(|(it, _)| it == name).map_or(value.as_str(), |it| it.1);
            if value != "-" {
                head.push_str(&format!("{name}: {value}\r\n"));
            }
        }
        let body = act.to_string();
        self.gate.send(&format!("{head}Content-Length: {}\r\n\r\n{body}", body.len()))
    }

    #[track_caller]
    pub fn act(&self, act: &Value) -> Value {
        let answer = self.act_with(act, &[]);
        assert_eq!(answer.status, 200, "{act}: {}", answer.body);
        answer.json()
    }
}

#[test]
fn a_note_is_edited_and_taken_back() {
    let env = TestEnv::with(&[("ferry.md", "# The ferry\n\nIt leaves at dawn.\n")]);
    env.commit("First");
    let visitor = Visitor::open(&env);
    let hash = visitor.json("note/ferry.md.json")["hash"].as_str().unwrap().to_owned();
    assert!(visitor.html("edit/ferry.md").contains("It leaves at dawn."));
    let text = "# The ferry\r\n\r\nIt leaves at dusk.\r\n";
    let mut edit = json!({ "act": "look", "path": "ferry.md", "hash": hash, "text": text });
    let look = visitor.act(&edit);
    let diff = look["diff"].as_str().unwrap();
    assert!(diff.contains("-It leaves at dawn.\n+It leaves at dusk.\n"), "{diff}");
    assert_eq!(env.read("ferry.md"), b"# The ferry\n\nIt leaves at dawn.\n");
    edit["act"] = "edit".into();
    let done = visitor.act(&edit);
    assert_eq!(env.read("ferry.md"), b"# The ferry\n\nIt leaves at dusk.\n");
    // What was shown is no longer what is there.
    let again = visitor.act_with(&edit, &[]);
    assert_eq!((again.status, again.json()["error"].is_string()), (409, true));
    // The page shows it at once, and so does a search.
    assert!(visitor.html("note/ferry.md").contains("It leaves at dusk."));
    assert!(visitor.html("search?q=dusk").contains("dusk"));
    visitor.act(&done["undo"]);
    assert_eq!(env.read("ferry.md"), b"# The ferry\n\nIt leaves at dawn.\n");
    // Neither secrets, nor files that are no notes, nor what is gone.
    let hash = visitor.json("note/ferry.md.json")["hash"].clone();
    let refused = |path: &str, text: &str| {
        let edit = json!({ "act": "edit", "path": path, "hash": hash, "text": text });
        visitor.act_with(&edit, &[]).status
    };
    assert_eq!(refused("ferry.md", &format!("It is {}.\n", key())), 422);
    assert_eq!(refused(".git/config", "x"), 422);
    assert_eq!(refused("../ferry.md", "x"), 422);
    assert_eq!(refused("gone.md", "x"), 409);
    // What a search does not find is not written either, whoever knows what it says.
    for path in [".hidden/b.md", "ignored/b.md", ".git/b.md"] {
        env.write(path, "# The ferry\n\nIt leaves at dawn.\n");
    }
    env.write(".elophantoignore", "ignored/\n");
    for path in [".hidden/b.md", "ignored/b.md", ".git/b.md"] {
        assert_eq!(refused(path, "x"), 422, "{path}");
    }
}

/// Whatever its line ends are.
#[test]
fn an_edit_is_taken_back_byte_for_byte() {
    for before in ["a\r\nb\nc\r\n", "a\nb\nc\n", "a\r\nb\r\nc", "a\r\nb"] {
        let env = TestEnv::with(&[("a.md", before)]);
        env.commit("First");
        let visitor = Visitor::open(&env);
        let hash = visitor.json("note/a.md.json")["hash"].clone();
        let edit = json!({ "act": "edit", "path": "a.md", "hash": hash, "text": "one line" });
        let done = visitor.act(&edit);
        assert_eq!(env.read("a.md"), b"one line");
        visitor.act(&done["undo"]);
        assert_eq!(env.read("a.md"), before.as_bytes());
    }
}

#[test]
fn only_our_own_page_acts() {
    let env = TestEnv::with(&[("ferry.md", "# The ferry\n")]);
    let visitor = Visitor::open(&env);
    let like = json!({ "act": "like", "topic": "ferries" });
    let other = format!("http://127.0.0.1:{}", 1);
    for (what, but, status) in [
        ("another port", ("Origin", other.as_str()), 403),
        ("no page", ("Origin", "-"), 403),
        ("a page that hides", ("Origin", "null"), 403),
        ("a page of the same site", ("Sec-Fetch-Site", "same-site"), 403),
        ("a form", ("Content-Type", "text/plain"), 401),
        ("no script of ours", ("X-Elophanto", "-"), 401),
        ("no cookie", ("Cookie", "-"), 401),
        ("a rebound name", ("Host", "evil.test"), 403),
    ] {
        let answer = visitor.act_with(&like, &[but]);
        assert_eq!(answer.status, status, "{what}: {answer:?}");
    }
    assert!(visitor.json("entities.json").as_array().unwrap().is_empty());
    assert_eq!(visitor.act_with(&json!({ "act": "format the disk" }), &[]).status, 400);
    assert_eq!(visitor.act_with(&json!({ "act": "dismiss" }), &[]).status, 400);
}

#[test]
fn likes_lessons_and_questions() {
    let env = TestEnv::with(&[("ferry.md", "# The ferry\n"), ("run.sh", "#!/bin/sh\necho go\n")]);
    env.write_attributes();
    env.commit("First");
    env.ok(&["scan"]);
    env.ok(&[
        "agent", "remember", "--type", "error", "--context", "the build failed", "--lesson",
        "install protoc",
    ]);
    let visitor = Visitor::open(&env);
    let liked = visitor.act(&json!({ "act": "like", "topic": "ferries" }));
    assert_eq!(visitor.json("entities.json")[0]["name"], "ferries");
    assert!(visitor.act(&liked["undo"])["said"].as_str().unwrap().starts_with("Taken back"));
    let wrong = visitor.act_with(&json!({ "act": "like", "topic": "" }), &[]);
    assert_eq!((wrong.status, wrong.json()["hint"].is_string()), (422, true));

    let lesson = |visitor: &Visitor| visitor.json("memory.json")["lessons"][0].clone();
    let id = lesson(&visitor)["id"].clone();
    let mut correction = json!({
        "act": "correct", "id": id, "context": "the build failed", "command": "apt install x",
        "lesson": "install protoc 3", "rate": "3/4",
    });
    let corrected = visitor.act(&correction);
    assert_eq!(lesson(&visitor)["lesson"], "install protoc 3");
    visitor.act(&corrected["undo"]);
    assert_eq!(lesson(&visitor)["lesson"], "install protoc");
    correction["rate"] = "often".into();
    assert_eq!(visitor.act_with(&correction, &[]).status, 422);
    visitor.act(&json!({ "act": "forget", "id": lesson(&visitor)["id"] }));
    assert_eq!(visitor.json("memory.json")["total"], 0);

    let question = visitor.json("questions.json")["questions"][0]["id"].clone();
    visitor.act(&json!({ "act": "dismiss", "id": question }));
    let open = visitor.json("questions.json");
    assert!(open["questions"].as_array().unwrap().iter().all(|it| it["id"] != question));
}

#[test]
fn entities_are_made_one_and_two_again() {
    let env = TestEnv::with(&[("ferry.md", "# The ferry\n")]);
    env.write_attributes();
    env.commit("First");
    env.ok(&["like", "KEF LS50 Meta"]);
    env.ok(&["like", "KEF LS50"]);
    let visitor = Visitor::open(&env);
    let names = |visitor: &Visitor| visitor.json("entities.json").as_array().unwrap().len();
    let slug = |at: usize| visitor.json("entities.json")[at]["entity"].clone();
    assert!(
        visitor.json("merges.json").is_array() && visitor.html("merges").contains("may be one")
    );
    assert_eq!(names(&visitor), 2);
    let merged = visitor.act(&json!({ "act": "merge", "from": slug(0), "into": slug(1) }));
    assert_eq!(names(&visitor), 1);
    visitor.act(&merged["undo"]);
    assert_eq!(names(&visitor), 2);
    assert_eq!(visitor.act_with(&json!({ "act": "unmerge", "id": "none" }), &[]).status, 422);
}
