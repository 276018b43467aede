//! Calls: how arguments may be said, how far a long one is, one that is cancelled, and what an answer
//! holds however short it may be.

use std::{fs, path::PathBuf, thread, time::Duration};

use serde_json::{Value, json};

use super::{NOTICE, Session, VERSION, harbour, text, until};
use crate::{
    env::TestEnv,
    sources::{WEIGHT, from_program, script},
};
use elophanto_base::schema;
use elophanto_models::builtin::count_tokens;

/// A session of a server that asks this program when something is to be learnt.
fn asking(env: &TestEnv, program: &str) -> Session {
    let mut command = env.command(&["agent", "mcp", "serve"]);
    command.envs(from_program(program));
    let mut session = Session::connect(&mut command);
    session.hello(VERSION, "tester");
    session
}

#[test]
fn what_agents_mix_up_is_understood() {
    let env = harbour();
    let mut session = Session::start(&env);
    let lesson = json!({"type": "error", "context": "tide", "lesson": "Moor with the tide"});
    session.found("remember", lesson);
    assert_eq!(
        session.found("search", json!({"text": "ferry release"}))["hits"],
        session.found("search", json!({"query": "ferry release"}))["hits"]
    );
    assert_eq!(
        session.found("recall", json!({"query": "tide"})),
        session.found("recall", json!({"text": "tide"}))
    );
    let fact = "Ada Lovelace was born in London.";
    let learnt = session.found("learn", json!({"topic": "Ada Lovelace", "content": fact}));
    assert_eq!(learnt["facts"], 1, "{learnt}");
    let note = json!({"title": "Tides", "kind": "note", "content": "High water is at noon."});
    let path = session.found("write_note", note)["path"].as_str().unwrap().to_owned();
    assert!(String::from_utf8(env.read(&path)).unwrap().contains("High water is at noon."));
    let uri = "elophanto://note/docs/rules.md";
    assert_eq!(session.found("get", json!({"uri": uri}))["title"], "Harbour rules");
    assert_eq!(
        session.refusal("search", json!({"query": "a", "text": "b"})),
        "`text` is another name of `query`: give one of them"
    );
    let said = session.refusal("recall", json!({"txt": "a"}));
    assert!(said.starts_with("`recall` has no argument `txt`; did you mean `text`?"), "{said}");
}

#[test]
fn a_place_is_said_as_agents_say_it() {
    let env = harbour();
    env.write("docs/a b.md", "# Blank\n\nNothing.\n");
    env.write("docs/a:3.md", "# Colon\n");
    env.write("docs/odd:3", "# No ending\n");
    let mut session = Session::start(&env);
    for (place, path, lines) in [
        ("docs/deploy.md", "docs/deploy.md", [1, 11]),
        ("./docs/deploy.md", "docs/deploy.md", [1, 11]),
        ("././docs/deploy.md", "docs/deploy.md", [1, 11]),
        ("elophanto://note/docs/deploy.md", "docs/deploy.md", [1, 11]),
        ("elophanto://note/docs/a%20b.md", "docs/a b.md", [1, 3]),
        // A line is asked for with what stands around it.
        ("docs/deploy.md:7", "docs/deploy.md", [5, 7]),
        ("./docs/deploy.md:11", "docs/deploy.md", [9, 11]),
        ("docs/deploy.md:2", "docs/deploy.md", [1, 3]),
        ("elophanto://note/docs/deploy.md:11", "docs/deploy.md", [9, 11]),
        ("docs/deploy.md:7-9", "docs/deploy.md", [7, 9]),
        ("docs/deploy.md:7-7", "docs/deploy.md", [7, 7]),
        ("docs/a:3.md", "docs/a:3.md", [1, 1]),
    ] {
        let found = session.found("get", json!({"path": place}));
        assert_eq!(found["path"], path, "{place}: {found}");
        if place != "docs/deploy.md:2" {
            assert_eq!(found["lines"], json!(lines), "{place}: {found}");
        }
        // There is no text at that line to compare with.
        if place == "docs/deploy.md:2" {
            continue;
        }
        let alike = session.found("similar", json!({"path": place, "limit": 1}));
        assert!(alike["hits"].is_array(), "{place}: {alike}");
    }
    // What is said of its own wins.
    let wanted = json!({"path": "docs/deploy.md:11", "lines": "7"});
    assert_eq!(session.found("get", wanted)["lines"], json!([7, 7]));
    let said = session.refusal("get", json!({"path": "docs/deploy.md:99"}));
    assert!(said.contains("line 99 is behind the end: there are 11 lines"), "{said}");
    for place in ["elophanto://note/../x.md", "./../x.md", "./", "/docs/deploy.md", "x/./y.md"] {
        let said = session.refusal("get", json!({"path": place}));
        assert!(said.contains("relative to the root"), "{place}: {said}");
    }
}

/// Only to whoever asks for it by a token, and each step further than the one before.
#[test]
fn a_long_call_says_how_far_it_is() {
    let env = harbour();
    let program = script(&env, "slow.sh", &format!("sleep 0.3; echo '{WEIGHT}'"));
    let mut session = asking(&env, &program);
    let call = json!({"name": "learn", "arguments": {"topic": "KEF LS50 Meta"}});
    let answer = session.ask("tools/call", call.clone());
    assert_eq!(answer["result"]["structuredContent"]["facts"], 1, "{answer}");
    assert_eq!(steps(&session), Vec::<&Value>::new());
    let mut followed = call;
    followed["_meta"] = json!({"progressToken": "far"});
    session.ask("tools/call", followed);
    let told = steps(&session);
    assert!(told.len() >= 2, "{told:?}");
    assert!(told.iter().all(|step| step["progressToken"] == "far"), "{told:?}");
    assert!(told.iter().any(|step| step["message"] == "searches"), "{told:?}");
    let far: Vec<f64> = told.iter().map(|step| step["progress"].as_f64().unwrap()).collect();
    assert!(far.windows(2).all(|pair| pair[0] < pair[1]), "{far:?}");
    // A search that has many notes to read first.
    for n in 0..600 {
        env.write(format!("many/{n}.md"), format!("# Entry {n}\n\nEntry {n} of a long list.\n"));
    }
    session.notices.clear();
    let search =
        json!({"name": "search", "arguments": {"query": "entry"}, "_meta": {"progressToken": 7}});
    let answer = session.ask("tools/call", search);
    assert!(!answer["result"]["structuredContent"]["hits"].as_array().unwrap().is_empty());
    assert!(steps(&session).iter().all(|step| step["progressToken"] == 7));
    assert!(!steps(&session).is_empty(), "nothing was told");
}

/// How far calls were told to be.
fn steps(session: &Session) -> Vec<&Value> {
    let progress = |notice: &&Value| notice["method"] == "notifications/progress";
    session.notices.iter().filter(progress).map(|notice| &notice["params"]).collect()
}

/// What is written of a knowledge base, but for what can be made anew.
fn written(env: &TestEnv) -> Vec<(PathBuf, Vec<u8>)> {
    let mut all: Vec<(PathBuf, Vec<u8>)> = env.files().into_iter().collect();
    let journal = env.path(".git/elophanto/journal");
    for entry in fs::read_dir(journal).into_iter().flatten() {
        let path = entry.unwrap().path();
        let bytes = fs::read(&path).unwrap();
        all.push((path, bytes));
    }
    all
}

#[test]
fn a_cancelled_call_writes_nothing_more() {
    let env = harbour();
    let outside = env.outside().to_owned();
    let program = script(
        &env,
        "slow.sh",
        &format!("touch ../asked; sleep 1; echo '{WEIGHT}'; touch ../answered"),
    );
    let mut session = asking(&env, &program);
    let call = json!({"name": "learn", "arguments": {"topic": "KEF LS50 Meta"}});
    let id = session.request("tools/call", call);
    until("the program runs", || outside.join("asked").exists());
    let cancel = json!({"requestId": id});
    session.send(&json!({"jsonrpc": "2.0", "method": "notifications/cancelled", "params": cancel}));
    session.ask("ping", json!({}));
    let before = written(&env);
    until("the program ends", || outside.join("answered").exists());
    thread::sleep(Duration::from_millis(1500));
    assert_eq!(written(&env), before);
    assert!(!env.path("knowledge/learned/entities").exists());
    // The searches wait for whoever asks again; the server goes on.
    assert_eq!(session.found("status", json!({}))["documents"], 2);
    assert!(session.notices.iter().all(|notice| notice["id"] != id), "it was answered");
}

/// A client that shows an agent the one part of an answer gives it no less than one that shows the
/// other, and the schema says what is always there.
#[test]
fn data_hold_what_the_text_holds() {
    let env = harbour();
    let mut facts = String::new();
    for town in ["Husum", "Emden", "Kiel", "Stade", "Wismar", "Rostock", "Bremen", "Lubeck"] {
        let path = format!("docs/the-timetable-of-the-ferry-of-{town}.md");
        let said = format!("The ferry of {town} leaves with the mail, the milk and the crew. ");
        env.write(&path, format!("# The ferry of {town}\n\n{}\n", said.repeat(4)));
        facts += &format!("The Harbour Line was founded in {town} by a captain of the old fleet. ");
        facts += &format!("The Harbour Line sails to {town} on each Monday of the year.\n");
    }
    env.commit("timetables");
    env.ok(&["scan"]);
    let mut session = Session::start(&env);
    session.found("learn", json!({"topic": "Harbour Line", "text": facts}));
    let lesson =
        json!({"type": "error", "context": "docking", "lesson": "Wait for the second horn"});
    session.found("remember", lesson);
    let full = session.ask("tools/list", json!({"_meta": {"elophanto/full": true}}));
    let full = full["result"]["tools"].clone();
    let form = |tool: &str| -> &Value {
        &full.as_array().unwrap().iter().find(|one| one["name"] == tool).unwrap()["outputSchema"]
    };
    for (tool, arguments) in [
        ("search", json!({"query": "when does the ferry leave"})),
        ("similar", json!({"path": "docs/deploy.md"})),
        ("get", json!({"path": "docs/deploy.md"})),
        ("recall", json!({"text": "docking"})),
        ("entity", json!({})),
        ("entity", json!({"name": "Harbour Line"})),
        ("questions", json!({"limit": 100})),
        ("status", json!({})),
    ] {
        let mut whole = 0;
        for tokens in [50, 60, 80, 120, 200, 400, 800, 2_000, 4_000] {
            let mut arguments = arguments.clone();
            arguments["max_tokens"] = json!(tokens);
            let result = session.call(tool, arguments.clone());
            let (said, data) = (text(&result), &result["structuredContent"]);
            let json = data.to_string();
            assert!(count_tokens(&json) <= tokens && count_tokens(&said) <= tokens, "{result}");
            schema::check(form(tool), data).unwrap_or_else(|fault| panic!("{fault}: {result}"));
            assert!(data.as_object().unwrap().keys().any(|key| key != "cut"), "{tool}: {result}");
            if data["cut"].is_null() {
                whole += 1;
            }
            // Each item that the text begins is in the data, but the first, for which that may have no room.
            let items = match tool {
                "search" | "similar" => said.lines().filter(|it| it.contains(".md:")).count(),
                "entity" | "questions" => said.lines().filter(|it| it.starts_with("- ")).count(),
                "recall" => said.lines().filter(|it| it.starts_with("1. ")).count(),
                _ => 0,
            };
            let list = ["hits", "memories", "questions", "entities"].map(|key| &data[key]);
            let list = list.into_iter().find_map(Value::as_array).map_or(0, Vec::len);
            let facts = data["entities"][0]["facts"].as_array().map_or(0, Vec::len);
            assert!(items <= list.max(facts).max(1), "{tool} {tokens}: {said}\n{data}");
        }
        assert!(whole > 0, "{tool} is never whole");
    }
}

#[test]
fn few_tokens_list_all_tools() {
    let env = harbour();
    let mut session = Session::start(&env);
    let brief = session.ask("tools/list", json!({}))["result"].clone();
    let full =
        session.ask("tools/list", json!({"_meta": {"elophanto/full": true}}))["result"].clone();
    // Tokens as most models count them: four bytes each.
    let tokens = brief.to_string().len().div_ceil(4);
    assert!(tokens <= 1_500, "{tokens} tokens sit in every context window");
    for (brief, full) in
        brief["tools"].as_array().unwrap().iter().zip(full["tools"].as_array().unwrap())
    {
        for key in ["name", "description"] {
            assert_eq!(brief[key], full[key]);
        }
        assert_eq!(brief["inputSchema"]["required"], full["inputSchema"]["required"]);
        let [short, long] = [brief, full].map(|tool| &tool["outputSchema"]);
        let required = short["required"].as_array().unwrap();
        assert_eq!(short["required"], long["required"]);
        assert!(!required.is_empty(), "{brief}");
        assert!(required.iter().all(|key| long["properties"][key.as_str().unwrap()].is_object()));
        assert!(full["inputSchema"]["additionalProperties"] == false, "{full}");
        let marks = ["aliases\":[", "\"detail\":", "\"unlisted\"", "\"format\""];
        assert!(marks.iter().all(|mark| !full.to_string().contains(mark)), "{full}");
    }
}

#[test]
fn where_there_is_no_repository_every_tool_says_so() {
    let env = TestEnv::plain();
    let mut session = Session::connect(&mut env.command(&["agent", "mcp", "serve"]));
    session.hello(VERSION, "tester");
    let result = session.call("status", json!({}));
    let problem = result["structuredContent"]["problem"].as_str().unwrap().to_owned();
    assert!(problem.contains("is in no git repository") && problem.contains("elophanto init"));
    assert_eq!(text(&result), format!("There is no knowledge base: {problem}."));
    for (tool, arguments) in [
        ("search", json!({"query": "ferry"})),
        ("get", json!({"path": "a.md"})),
        ("similar", json!({"path": "a.md"})),
        ("recall", json!({"text": "ferry"})),
        ("remember", json!({"type": "error", "context": "c", "lesson": "l"})),
        ("learn", json!({"topic": "ferry", "text": "The ferry is late."})),
        ("questions", json!({})),
        ("entity", json!({})),
        ("write_note", json!({"title": "T", "text": "x", "kind": "note"})),
    ] {
        let said = session.refusal(tool, arguments);
        assert!(said.contains("is in no git repository"), "{tool}: {said}");
        assert!(said.contains("run `elophanto init` here"), "{tool}: {said}");
    }
    let listed = session.ask("resources/list", json!({}));
    assert!(listed["error"]["message"].as_str().unwrap().contains("no git repository"), "{listed}");
    assert!(env.files().is_empty());
    // Once there is one, the same server has it.
    env.ok(&["init", "--yes"]);
    env.write("docs/ferry.md", "# Ferry\n\nThe ferry leaves at noon.\n");
    let hits = session.found("search", json!({"query": "when does the ferry leave"}));
    assert!(hits["hits"].to_string().contains("docs/ferry.md"), "{hits}");
    assert!(session.found("status", json!({}))["problem"].is_null());
    let result = session.call("search", json!({"query": "ferry"}));
    assert!(text(&result).starts_with(NOTICE));
}

/// Notes are found as they are: what a question does not name is not copied out of them.
#[test]
fn learning_from_own_notes_keeps_to_the_question() {
    let env = TestEnv::with(&[(
        "docs/hooks.md",
        "# Git hooks\n\nSubmodules are repositories of their own and are not entered.\n\n\
         The **Staging Guard** is a hook that refuses commits with secrets in them.\n",
    )]);
    env.commit("notes");
    let mut session = Session::start(&env);
    let learnt = session.found("learn", json!({"topic": "git hooks"}));
    assert_eq!((&learnt["facts"], &learnt["entities"]), (&json!(0), &json!([])), "{learnt}");
    assert!(!env.path("knowledge/learned/entities").exists());
    let learnt = session.found("learn", json!({"topic": "Staging Guard"}));
    assert_eq!(learnt["entities"][0]["name"], "Staging Guard", "{learnt}");
    assert_eq!(learnt["entities"].as_array().unwrap().len(), 1, "{learnt}");
    // The same text from outside: what bears on the question counts.
    let text = String::from_utf8(env.read("docs/hooks.md")).unwrap();
    let learnt = session.found("learn", json!({"topic": "git hooks", "text": text}));
    assert!(learnt["facts"].as_u64().unwrap() > 0, "{learnt}");
}

#[test]
fn facts_of_a_text_have_the_source_that_is_named() {
    let env = harbour();
    let mut session = Session::start(&env);
    let (text, source) = ("Ada Lovelace was born in London.", "https://example.org/ada");
    session.found("learn", json!({"topic": "Ada Lovelace", "text": text, "source": source}));
    let known = session.found("entity", json!({"name": "Ada Lovelace"}));
    assert_eq!(known["entities"][0]["facts"][0]["source"], source, "{known}");
    let said = session.refusal("learn", json!({"topic": "Ada Lovelace", "source": source}));
    assert!(said.contains("hand over as `text`"), "{said}");
}
