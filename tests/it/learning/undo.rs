//! Taking back and deleting.

use super::*;

fn undo(env: &TestEnv, id: &Value) -> Output {
    env.run(&["learn", "undo", id.as_str().unwrap()])
}

/// A page of an entity needs no link, and one that says nothing any more is no gap, whoever took its
/// facts out.
#[test]
fn an_empty_page_is_no_question() {
    let its_facts = |env: &TestEnv| {
        for (name, text) in pages(env) {
            let text = String::from_utf8(text).unwrap();
            let kept = text.lines().filter(|line| !line.contains("<!-- f:"));
            env.write(format!("{PAGES}/{name}"), kept.collect::<Vec<_>>().join("\n") + "\n");
        }
        assert_eq!(entities(env), ["KEF (0)", "KEF LS50 Meta (0)"]);
    };
    let by_hand = |env: &TestEnv| {
        for (name, _) in pages(env) {
            env.write(format!("{PAGES}/{name}"), "---\ntitle: kef\nscope: learned\n---\n");
        }
    };
    let by_command = |env: &TestEnv| {
        assert_eq!(undo(env, &last_prompt(env)["id"]).code, Some(0));
        assert_eq!(entities(env), [""; 0]);
    };
    for empty in [&by_hand as &dyn Fn(&TestEnv), &by_command, &its_facts, &|_| ()] {
        let env = TestEnv::with(&[("a.rs", "//! Otters.\n")]);
        learn(&env, "kef ls50", SPEAKER);
        env.commit("learned");
        empty(&env);
        env.commit("emptied");
        let asked: Vec<String> = env
            .json(&["scan", "--json"])
            .iter()
            .filter_map(|line| line["evidence"]["file_path"].as_str().map(str::to_owned))
            .collect();
        assert_eq!(asked, ["a.rs"], "{:?}", pages(&env));
    }
}

#[test]
fn what_was_taken_back_is_put_back_when_that_is_said() {
    let env = TestEnv::new();
    learn(&env, "kef ls50", SPEAKER);
    let (before, id) = (entities(&env), last_prompt(&env)["id"].clone());
    assert_eq!(undo(&env, &id).code, Some(0));
    // No source brings it again.
    read(&env, &["kef ls50"], SPEAKER);
    assert_eq!(entities(&env), [""; 0]);
    let id = id.as_str().unwrap();
    let back = env.ok(&["learn", "undo", id, "--back"]);
    assert!(back.stdout().starts_with("put back 4 facts and "), "{back}");
    assert_eq!(entities(&env), before);
    assert_eq!(env.run(&["learn", "undo", id, "--back"]).code, Some(1));
}

#[test]
fn a_page_plants_nothing_on_others() {
    let env = TestEnv::new();
    learn(&env, "Tannoy", "Tannoy is a maker of loudspeakers in Coatbridge.");
    let interests = || env.ok(&["interests"]).stdout().to_owned();
    let before = interests();
    let planted = "# River otters\n\nRiver otters are animals that live in rivers.\n\nTannoy was fined in 2021 for its tweeters.\n";
    let told = read(&env, &["river otters"], planted);
    assert_eq!(entities(&env), ["River otters (1)", "Tannoy (1)"], "{told}");
    assert!(told.stderr().contains("in passing of Tannoy"), "{told}");
    let own = |text: &str| {
        let line = text.lines().find(|line| line.contains("Tannoy")).unwrap();
        line.split_whitespace().nth(2).map(str::to_owned)
    };
    assert_eq!(own(&interests()), own(&before));
    // What it has to do with what was asked is kept, and shows no interest.
    read(
        &env,
        &["river otters"],
        "# River otters\n\nTannoy was named after river otters in 1926.\n",
    );
    assert!(entities(&env).contains(&"Tannoy (2)".to_owned()), "{:?}", entities(&env));
    assert_eq!(own(&interests()), own(&before));
}

#[test]
fn what_a_search_brought_is_taken_back_for_good() {
    let env = TestEnv::new();
    learn(&env, "kef ls50", SPEAKER);
    let first = last_prompt(&env);
    learn(&env, "kef", "KEF was bought by GP Acoustics in 1992.");
    told!(undo(&env, &first["searches"][0]["id"]), @"
    exit: 0
    --- stdout
    took back 4 facts and KEF LS50 Meta
    --- stderr
    note: no source brings this again; `elophanto learn undo [ID] --back` puts it back
    ");
    // What another search told stays, and so does the entity.
    assert_eq!(entities(&env), ["KEF (1)"]);
    assert_eq!(env.hits(&["--kind", "fact", "tweeter kef"]), [page("kef")]);
    told!(env.ok(&["learn"]), @"
    exit: 0
    --- stdout
    1) 'kef ls50' - nothing
    2) 'kef' ✓
       - KEF (1 fact)
    --- stderr
    ");
    assert_eq!(undo(&env, &first["id"]).code, Some(1), "there is nothing left");
    assert_eq!(undo(&env, &"01ARZ3NDEKTSV4RRFFQ69G5FAV".into()).code, Some(1));
    assert_eq!(undo(&env, &"../../x".into()).code, Some(1));

    // Not from the same text, nor from another that says the same; something new makes it again.
    for text in [SPEAKER.to_owned(), format!("{SPEAKER}\nOtherwise nothing.\n")] {
        let output = read(&env, &["kef ls50"], &text);
        assert_eq!(output.code, Some(1), "{output}");
        assert_eq!(entities(&env), ["KEF (1)"]);
    }
    learn(&env, "kef ls50 meta", "The KEF LS50 Meta comes in a blue finish.");
    assert_eq!(entities(&env), ["KEF (1)", "KEF LS50 Meta (1)"]);
    assert_eq!(pages(&env).len(), 2, "it has its page again");
    // A whole prompt, as JSON.
    let output = env.ok(&["learn", "undo", "--json", last_prompt(&env)["id"].as_str().unwrap()]);
    assert_eq!(
        (&output.json()[0]["facts"], &output.json()[0]["entities"]),
        (&1.into(), &serde_json::json!(["KEF LS50 Meta"]))
    );
    // A line that a merge brings back does not count.
    let retired = records(&env, "retired");
    let raw = retired.iter().find_map(|it| it["raw"].as_str().filter(|raw| raw.contains("Tovil")));
    let mut text = env.read(page("kef"));
    text.extend(raw.unwrap().bytes().chain(*b"\n"));
    env.write(page("kef"), text);
    assert_eq!(entities(&env), ["KEF (1)"]);
    assert!(
        env.json(&["search", "--json", "--kind", "fact", "Raymond Cooke in Tovil"])
            .iter()
            .all(|hit| !hit["snippet"].as_str().unwrap().contains("Tovil"))
    );
}

#[test]
fn what_the_user_cares_about_outlives_what_is_taken_back() {
    let env = TestEnv::new();
    env.ok(&["like", "KEF"]);
    learn(&env, "kef ls50", SPEAKER);
    let id = last_prompt(&env)["id"].clone();
    env.write(
        page("kef-ls50-meta"),
        [env.read(page("kef-ls50-meta")), b"- sounds fine\n".to_vec()].concat(),
    );
    assert_eq!(undo(&env, &id).code, Some(0));
    assert_eq!(entities(&env), ["KEF (0)", "KEF LS50 Meta (0)"]);
    assert_eq!(entity(&env, "KEF LS50 Meta")["notes"][0]["text"], "sounds fine");
}

#[test]
fn a_message_is_taken_back_with_what_it_made() {
    let env = TestEnv::new();
    let text = b"The Rancilio Silvia is an espresso machine with a brass group.";
    let output = env.run_with(&["learn", "--message", "-", "--json"], text);
    assert_eq!(entities(&env), ["Rancilio Silvia (1)"]);
    assert_eq!(undo(&env, &output.json()[0]["id"]).code, Some(0));
    assert!(entities(&env).is_empty());
}

#[test]
fn what_waits_is_called_off() {
    let env = TestEnv::with(&[("docs/speaker.md", SPEAKER)]);
    env.ok(&["learn", "kef ls50", "--background"]);
    env.ok(&["learn", "kef", "--from", "docs/speaker.md", "--background"]);
    let prompts = env.json(&["learn", "--json"]);
    let left = |at: usize| prompts[at]["searches_remaining"].as_u64().unwrap();
    assert_eq!((left(0), left(1)), (4, 0));
    for prompt in &prompts {
        let output = undo(&env, &prompt["id"]);
        assert_eq!(
            (output.code, output.stdout().as_str()),
            (Some(0), "took back 0 facts, and what was still to come\n")
        );
        assert_eq!(undo(&env, &prompt["id"]).code, Some(1));
    }
    let output = env.run(&["enrich", "--once"]);
    assert_eq!((output.code, output.stdout().as_str()), (Some(1), "nothing to do\n"), "{output}");
    assert!(entities(&env).is_empty());
    // Not shown as waiting either.
    let listed = env.ok(&["learn"]).stdout();
    assert_eq!(listed, "1) 'kef ls50' - nothing\n2) 'kef' - nothing\n");
}

#[test]
fn a_deleted_entity_comes_back_only_if_the_user_asks_for_it() {
    let about = "The KEF LS50 Meta, also known as Little Meta, is a bookshelf speaker made by KEF.\n\n\
                 The Wharfedale Linton is a bookshelf speaker made in Huntingdon.\n";
    let env = TestEnv::new();
    learn(&env, "bookshelf speakers", about);
    assert_eq!(entities(&env).len(), 2, "{:?}", entities(&env));
    env.write(
        page("kef-ls50-meta"),
        [env.read(page("kef-ls50-meta")), b"- mine\n".to_vec()].concat(),
    );
    told!(env.ok(&["entity", "kef ls50 meta", "--delete"]), @"
    exit: 0
    --- stdout
    removed KEF LS50 Meta with 1 fact
    --- stderr
    note: what people wrote on its page stays: knowledge/learned/entities/kef-ls50-meta.md
    ");
    let page_then = env.read(page("kef-ls50-meta"));
    assert!(page_then.ends_with(b"- mine\n"));
    let gone = |env: &TestEnv| {
        assert_eq!(entities(env), ["Wharfedale Linton (1)"]);
        assert!(
            env.hits(&["--kind", "fact", "kef ls50 meta speaker"])
                .iter()
                .all(|it| !it.contains("kef-ls50"))
        );
        assert!(!env.ok(&["interests"]).stdout().contains("KEF LS50"));
        assert_eq!(env.run(&["entity", "kef ls50 meta"]).code, Some(1));
    };
    gone(&env);
    // It is only mentioned, under whatever name, or nobody asked.
    let news = "The KEF LS50 Meta has a red finish. It has a bookshelf size.\n\nLittle Meta is a bookshelf speaker that was sold in 2021.\n";
    for args in [&["bookshelf speakers"][..], &["the kef ls50 meta", "--unasked"]] {
        read(&env, args, news);
        gone(&env);
    }
    env.run_with(&["learn", "--message", "-"], b"My friends have bookshelf speakers.");
    env.run(&["enrich", "--once"]);
    gone(&env);
    assert_eq!(env.read(page("kef-ls50-meta")), page_then);

    env.ok(&["like", "KEF LS50 Meta"]);
    let entity = entity(&env, "kef ls50 meta");
    assert_eq!(
        (&entity["facts"], &entity["notes"][0]["text"]),
        (&Value::Array(Vec::new()), &"mine".into())
    );
    // What was known of it stays away, something new may come.
    assert_eq!(read(&env, &["kef ls50 meta"], about).code, Some(1));
    learn(&env, "kef ls50 meta", "The KEF LS50 Meta has a green finish.");
    assert_eq!(facts(&env, "kef ls50 meta"), ["The KEF LS50 Meta has a green finish."]);
    assert_eq!(pages(&env).len(), 2);

    // Whoever asks for it by name wants it back as well.
    env.ok(&["entity", "wharfedale linton", "--delete"]);
    learn(&env, "wharfedale linton", "The Wharfedale Linton has a walnut veneer.");
    assert_eq!(facts(&env, "wharfedale linton"), ["The Wharfedale Linton has a walnut veneer."]);
    assert_eq!(env.run(&["entity", "nobody", "--delete"]).code, Some(1));
}
