//! What the user likes, does, and searches for.

use super::*;

#[test]
fn likes_and_dislikes_are_counted_until_they_are_taken_back() {
    let env = TestEnv::new();
    assert_eq!(env.run(&["interests"]).code, Some(1));
    told!(env.ok(&["like", "Espresso Machines"]), @"
    exit: 0
    --- stdout
    noted that you like 'Espresso Machines' (knowledge/learned/entities/espresso-machines.md)
    --- stderr
    ");
    told!(env.ok(&["like", "espresso  machines"]), @"
    exit: 0
    --- stdout
    you like 'espresso machines' already
    --- stderr
    ");
    told!(env.ok(&["dislike", "Nokia Phones"]), @"
    exit: 0
    --- stdout
    noted that you dislike 'Nokia Phones'
    --- stderr
    ");
    learn(&env, "kef ls50", SPEAKER);
    told!(env.ok(&["interests", "--ascii"]), @"
    exit: 0
    --- stdout
     1. KEF                +1.00    1 fact   [DAY]  _______#
     2. KEF LS50 Meta      +1.00    3 facts  [DAY]  _______#
     3. Espresso Machines  +0.80    0 facts  [DAY]  _______#
    --- stderr
    ");
    // What shows it.
    told!(env.ok(&["interests", "--why", "espresso machines"]), @"
    exit: 0
    --- stdout
    [DAY]  +0.80  like command
    --- stderr
    note: Espresso Machines: +0.80
    ");
    let why = env.json(&["interests", "--json", "--why", "2"]);
    assert_eq!((&why[0]["what"], &why[0]["counts"]), (&"learn command".into(), &1.0.into()));
    let none = env.run(&["interests", "--why", "nokia phone"]);
    assert!(none.code == Some(2) && none.stderr().contains("nothing is known"), "{none}");
    // A dislike makes no entity, and counts as soon as there is one.
    assert_eq!(entities(&env), ["Espresso Machines (0)", "KEF (1)", "KEF LS50 Meta (3)"]);
    env.ok(&["dislike", "KEF"]);
    let score = |name: &str| {
        let all = env.json(&["interests", "--json", "-n", "100"]);
        all.iter().find(|it| it["name"] == name).map(|it| it["score"].as_f64().unwrap())
    };
    assert_eq!((score("KEF"), score("Espresso Machines")), (Some(0.2), Some(0.8)));
    env.ok(&["undislike", "kef"]);
    assert_eq!(score("KEF"), Some(1.0));
    told!(env.run(&["undislike", "kef"]), @"
    exit: 1
    --- stdout
    you did not say that you dislike 'kef'
    --- stderr
    ");
    told!(env.ok(&["unlike", "ESPRESSO machines"]), @"
    exit: 0
    --- stdout
    took back that you like 'ESPRESSO machines', and its empty page knowledge/learned/entities/espresso-machines.md
    --- stderr
    ");
    assert_eq!(score("Espresso Machines").unwrap_or_default(), 0.0);
    assert_eq!(entities(&env), ["KEF (1)", "KEF LS50 Meta (3)"]);
    env.ok(&["like", "Espresso Machines"]);
    assert_eq!(score("Espresso Machines"), Some(0.8));
    // Likes are carried, acts stay here.
    let carried = carried(&env);
    assert!(carried.contains("\"preference\"") && !carried.contains("\"engagement\""));
    // What is done in another clone is not this user's.
    env.commit("all");
    env.git(&["clone", "--quiet", ".", "../clone"]);
    assert_eq!(env.run_in("../clone", &["interests"]).code, Some(1));
}

#[test]
fn who_changes_their_mind_ends_with_what_was_said_last() {
    let env = TestEnv::new();
    let score = || {
        let all = env.json(&["interests", "--json"]);
        all.iter().find(|it| it["name"] == "Tea").map(|it| it["score"].as_f64().unwrap())
    };
    env.ok(&["like", "Tea"]);
    env.ok(&["dislike", "tea"]);
    assert_eq!(score(), Some(-0.8));
    env.ok(&["like", "tea"]);
    assert_eq!(score(), Some(0.8));
    assert_eq!(env.run(&["undislike", "tea"]).code, Some(1), "nothing is left of that");
}

/// What `like` made goes with it; what anything else has touched stays.
#[test]
fn a_page_that_only_a_like_made_goes_with_it() {
    let env = TestEnv::new();
    env.ok(&["like", "Tea"]);
    env.ok(&["unlike", "Tea"]);
    assert!(pages(&env).is_empty() && entities(&env).is_empty());
    env.ok(&["like", "Tea"]);
    env.commit("tea");
    env.ok(&["like", "Coffee"]);
    let path = page("coffee");
    let text = String::from_utf8(env.read(&path)).unwrap();
    env.write(&path, format!("{text}\nI like it black.\n"));
    learn(&env, "kef ls50", SPEAKER);
    env.ok(&["like", "KEF"]);
    let before = pages(&env);
    for topic in ["tea", "coffee", "kef"] {
        let output = env.ok(&["unlike", topic]);
        assert!(!output.stdout().contains("page"), "{output}");
    }
    assert_eq!(pages(&env), before);
}

#[test]
fn what_a_message_says_of_likes_counts() {
    let env = TestEnv::new();
    let said =
        || env.run_with(&["learn", "--message", "-"], b"I love espresso. I can't stand golf.");
    // A page is for everybody: what is said in passing makes none.
    said();
    assert_eq!((entities(&env), env.run(&["interests"]).code), (Vec::new(), Some(1)));
    env.ok(&["like", "espresso"]);
    said();
    told!(env.ok(&["interests", "--ascii"]), @"
    exit: 0
    --- stdout
     1. espresso  +1.50    0 facts  [DAY]  _______#
    --- stderr
    ");
    assert_eq!(entities(&env), ["espresso (0)"]);
}

#[test]
fn what_cannot_be_read_is_named() {
    let env = TestEnv::new();
    env.ok(&["like", "Espresso Machines"]);
    learn(&env, "kef ls50", SPEAKER);
    let page = "knowledge/learned/entities/kef.md";
    let text = fs::read_to_string(env.path(page)).unwrap();
    let wide: Vec<u8> =
        "\u{feff}".encode_utf16().chain(text.encode_utf16()).flat_map(u16::to_le_bytes).collect();
    env.write(page, &wide);
    env.write(".elophanto/journal/2026-11/01jzzzzzzzzzzzzzzzzzzzzzzz.jsonl", "{\"kind\":\"pre");
    told!(env.ok(&["interests", "--ascii"]), @"
    exit: 0
    --- stdout
     1. KEF LS50 Meta      +1.00    3 facts  [DAY]  _______#
     2. Espresso Machines  +0.80    0 facts  [DAY]  _______#
    --- stderr
    note: knowledge/learned/entities/kef.md is left out: it is not UTF-8 but UTF-16, which facts are not read from
    warning: [TEMP]/repo/.elophanto/journal/2026-11/01jzzzzzzzzzzzzzzzzzzzzzzz.jsonl:1: the last record is cut off
    ");
    // Nothing is added to the page in another encoding.
    let again = env.run_with(&["learn", "kef ls50", "--from", "-"], SPEAKER.as_bytes());
    assert!(again.stderr().contains("what was found about it is not kept"), "{again}");
    env.run(&["clean", "--apply"]);
    env.run(&["clean", "merge", "KEF", "KEF LS50 Meta"]);
    assert_eq!(fs::read(env.path(page)).unwrap(), wide);
}

#[test]
fn searches_leave_the_work_tree_as_it_was() {
    let env = TestEnv::new();
    learn(&env, "kef ls50", SPEAKER);
    env.commit("all");
    let before = env.files();
    let acts = || {
        let acts = records(&env, "engagement");
        let kind = |act: &Value| {
            format!(
                "{} {}",
                act["engagement_type"].as_str().unwrap(),
                act["entity_id"].as_str().unwrap()
            )
        };
        let mut kinds: Vec<String> = acts.iter().map(kind).collect();
        kinds.retain(|kind| !kind.starts_with("learn_command"));
        kinds.sort();
        kinds
    };
    for args in [&["kef"][..], &["kef ls50 meta", "--json"], &["--answer", "who founded kef"]] {
        env.ok(&[&["search"], args].concat());
    }
    assert_eq!(acts(), [""; 0], "nobody allowed it");

    env.write_settings(
        "interest.count_searches: true\nllm.providers.ollama.base_url: http://127.0.0.1:2\n",
    );
    env.ok(&["search", "kef ls50 meta"]);
    assert_eq!(acts(), ["search kef", "search kef-ls50-meta"]);
    env.ok(&["search", "kef ls50 meta tweeter"]);
    assert_eq!(acts().iter().filter(|act| act.starts_with("follow_up")).count(), 2, "{:?}", acts());
    env.ok(&["search", "is the token ghp_16C7e42F292c6912E7710c838347Ae178B4a of kef valid"]);
    assert!(
        records(&env, "search").iter().all(|it| !it["query"].as_str().unwrap().contains("ghp_16C"))
    );
    let scores = env.json(&["interests", "--json"]);
    assert!(scores.iter().all(|it| it["score"].as_f64().unwrap() > 1.5), "{scores:?}");
    assert_eq!(env.files(), before);
    assert_eq!(env.git(&["status", "--porcelain"]), "");
    // A repository can't allow it in the user's name.
    env.write_settings("llm.providers.ollama.base_url: http://127.0.0.1:2\n");
    let count = acts().len();
    env.write(".elophanto/config.yaml", "interest.count_searches: true\n");
    env.run(&["search", "kef"]);
    assert_eq!(acts().len(), count);
}
