//! Sources that say otherwise than each other, sources that agree, and facts changed by hand.

use super::*;

/// Three files: two that disagree about a year, and one that agrees with the first.
fn disagreeing() -> TestEnv {
    let env = TestEnv::with(&[
        (
            "a.txt",
            "KEF was founded in 1961 by Raymond Cooke.\n\nKEF is a British maker of loudspeakers.\n",
        ),
        ("b.txt", "KEF was founded in 1962.\n"),
        ("c.txt", "KEF is a British maker of loudspeakers.\n"),
    ]);
    for file in ["a.txt", "b.txt", "c.txt"] {
        env.ok(&["learn", "KEF", "--from", file]);
    }
    // Of three days, and not of one second.
    let text = String::from_utf8(env.read(page("kef"))).unwrap();
    let on_its_day = |line: &str| match line.split_once(" src:") {
        Some((_, from)) => {
            let day = 1 + (from.as_bytes()[0] - b'a');
            let (before, _) = line.split_once(" at:").unwrap();
            format!("{before} at:2026-11-0{day}T12:00:00Z -->\n")
        }
        None => format!("{line}\n"),
    };
    env.write(page("kef"), text.lines().map(on_its_day).collect::<String>());
    env
}

#[test]
fn what_sources_say_otherwise_is_shown_together() {
    let env = disagreeing();
    told!(env.ok(&["entity", "kef"]), @"
    exit: 0
    --- stdout
    KEF  (knowledge/learned/entities/kef.md)
      ! 2 facts say otherwise of the same, the newest first:
        1. KEF was founded in 1962.
            [DAY]  b.txt
        2. KEF was founded in 1961 by Raymond Cooke.
            [DAY]  a.txt
      3. KEF is a British maker of loudspeakers.  (2 sources)
          [DAY]  a.txt
          [DAY]  c.txt
    --- stderr
    ");
    told!(env.ok(&["search", "--kind", "fact", "-n", "1", "when was KEF founded"]), @"
    exit: 0
    --- stdout
    knowledge/learned/entities/kef.md:8  KEF
        - KEF was founded in 1962.
        ! otherwise: KEF was founded in 1961 by Raymond Cooke. ([DAY], a.txt)
    --- stderr
    ");
    told!(env.ok(&["search", "--answer", "When was KEF founded?"]), @"
    exit: 0
    --- stdout
    KEF was founded in 1962. [1] (as of [DAY])
    KEF was founded in 1961 by Raymond Cooke. [2] (as of [DAY])
    [1] and [2] say otherwise of the same thing: newest first

    [1] knowledge/learned/entities/kef.md:8  KEF  from b.txt
    [2] knowledge/learned/entities/kef.md:9  KEF  from a.txt
    --- stderr
    (`elophanto react [ID] +` or `-`)
    ");
    // They stand together on the page too, the newest first, and so do the sources of one fact.
    let text = String::from_utf8(env.read(page("kef"))).unwrap();
    let lines: Vec<&str> =
        text.lines().filter_map(|line| Some(line.split_once(" <!-- f:")?.0)).collect();
    assert_eq!(
        lines,
        [
            "- KEF was founded in 1962.",
            "- KEF was founded in 1961 by Raymond Cooke.",
            "- KEF is a British maker of loudspeakers.",
            "- KEF is a British maker of loudspeakers.",
        ]
    );
    let facts = entity(&env, "kef")["facts"].clone();
    assert_eq!(facts[0]["otherwise"], serde_json::json!([facts[1]["id"]]));
    assert_eq!(
        (&facts[2]["source"], &facts[2]["also"][0]["source"]),
        (&"a.txt".into(), &"c.txt".into())
    );
    let hit = &env.json(&["search", "--json", "--kind", "fact", "when was KEF founded"])[0];
    assert_eq!(hit["otherwise"].as_array().unwrap().len(), 1, "{hit}");
    // One of them gone, the other is what is known.
    env.ok(&["learn", "undo", "2"]);
    assert!(!env.ok(&["entity", "kef"]).stdout().contains("otherwise"));
}

/// What was read last is not what was said last.
#[test]
fn the_newest_is_what_the_newest_source_says() {
    let text = |day: &str, queues: u32| {
        format!(
            "---\ndate: {day}\n---\n# Vela\n\nVela is a message broker. Vela supports up to {queues} queues.\n"
        )
    };
    let env = TestEnv::with(&[("a.md", "# A\n")]);
    for (file, day, queues) in [
        ("../new.md", "2026-05-01", 800),
        ("../old.md", "2024-03-01", 500),
        ("../to come.md", "2999-01-01", 900),
    ] {
        env.write(file, text(day, queues));
        env.ok(&["learn", "Vela", "--from", file]);
    }
    let page = String::from_utf8(env.read(page("vela"))).unwrap();
    let lines = page.lines().filter(|line| line.contains("queues"));
    let lines: Vec<&str> = lines.filter_map(|line| line.split(" at:").next()).collect();
    assert_eq!(lines.len(), 3, "{page}");
    assert!(!lines[0].contains(" of:") && lines[0].contains("900"), "{page}");
    assert!(lines[1].contains("800") && lines[1].contains(" of:2026-05-01"), "{page}");
    assert!(lines[2].contains("500") && lines[2].contains(" of:2024-03-01"), "{page}");
    let known = entity(&env, "vela")["facts"].clone();
    let days: Vec<&Value> = known.as_array().unwrap().iter().map(|it| &it["published"]).collect();
    assert!(days.windows(2).any(|days| days == [&"2026-05-01", &"2024-03-01"]), "{known}");
    let answer = env.ok(&["search", "--answer", "how many queues does Vela support"]).stdout();
    let newer = answer.find("(as of 2026-05-01)");
    assert!(newer.is_some() && newer < answer.find("(as of 2024-03-01)"), "{answer}");
}

#[test]
fn what_two_sources_say_stays_when_one_is_taken_back() {
    let env = disagreeing();
    told!(env.ok(&["learn"]), @"
    exit: 0
    --- stdout
    1) 'KEF' ✓
       - KEF (2 facts)
    2) 'KEF' ✓
       - KEF (1 fact)
    3) 'KEF' ✓
       - KEF (1 fact confirmed)
    --- stderr
    ");
    told!(env.ok(&["learn", "undo", "1"]), @"
    exit: 0
    --- stdout
    took back 1 fact; 1 stays by other sources
    --- stderr
    note: no source brings this again; `elophanto learn undo [ID] --back` puts it back
    ");
    assert_eq!(
        facts(&env, "kef"),
        ["KEF is a British maker of loudspeakers.", "KEF was founded in 1962."]
    );
    told!(env.run(&["learn", "undo", "7"]), @"
    exit: 1
    --- stdout
    --- stderr
    no search, prompt or message is called `7`; `elophanto learn --json` lists them
    ");
}

#[test]
fn a_fact_changed_by_hand_loses_its_source() {
    let env = disagreeing();
    let text = String::from_utf8(env.read(page("kef"))).unwrap();
    env.write(page("kef"), text.replace("in 1961 by", "in 1960 by"));
    told!(env.ok(&["entity", "kef"]), @"
    exit: 0
    --- stdout
    KEF  (knowledge/learned/entities/kef.md)
      ! 2 facts say otherwise of the same, the newest first:
        1. KEF was founded in 1962.
            [DAY]  b.txt
        2. KEF was founded in 1960 by Raymond Cooke.
            [DAY]  changed by hand
      3. KEF is a British maker of loudspeakers.  (2 sources)
          [DAY]  a.txt
          [DAY]  c.txt
    --- stderr
    ");
    // Nor is it said again where the entity is called otherwise.
    let text = String::from_utf8(env.read(page("kef"))).unwrap();
    env.write(page("kef"), text.replace("title: kef\n", "title: KEF Audio\n"));
    let facts = entity(&env, "kef audio")["facts"].clone();
    let sources: Vec<&Value> = facts.as_array().unwrap().iter().map(|it| &it["source"]).collect();
    assert_eq!(sources, [&"b.txt".into(), &Value::Null, &"a.txt".into()]);
}

#[test]
fn the_history_of_an_entity_tells_what_became_of_it() {
    let env = disagreeing();
    env.ok(&["hook", "install"]);
    env.commit("learnt");
    let text = String::from_utf8(env.read(page("kef"))).unwrap();
    env.write(page("kef"), text.replace("in 1961 by", "in 1960 by"));
    env.git(&["add", "--all"]);
    let mut command = env.sealed("git");
    command.args(["commit", "--quiet", "-m", "by hand"]).env("ELOPHANTO_HOOK_SECONDS", "300");
    assert_eq!(crate::env::finish(&mut command).code, Some(0));
    env.ok(&["learn", "undo", "2"]);
    let all = env.json(&["entity", "kef", "--history", "--json"]);
    let told = |it: &Value| {
        let text = |key: &str| it[key].as_str().unwrap_or_default().to_owned();
        format!("{}: {} {}", text("what"), text("text"), text("now")).trim_end().to_owned()
    };
    let mut told: Vec<String> = all.iter().map(told).collect();
    told.sort();
    insta::assert_snapshot!(told.join("\n"), @"
    changed: KEF was founded in 1961 by Raymond Cooke. KEF was founded in 1960 by Raymond Cooke.
    learnt: KEF is a British maker of loudspeakers.
    learnt: KEF is a British maker of loudspeakers.
    learnt: KEF was founded in 1961 by Raymond Cooke.
    learnt: KEF was founded in 1962.
    named: KEF
    undone: KEF was founded in 1962.
    ");
    // Of what is gone, too.
    env.ok(&["entity", "kef", "--delete"]);
    assert!(env.ok(&["entity", "KEF", "--history"]).stdout().contains("deleted"));
    assert_eq!(env.run(&["entity", "nobody", "--history"]).code, Some(1));
}
