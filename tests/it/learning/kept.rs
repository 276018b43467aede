//! What facts were found in: the source as an item, the passage, pages that say things for programs,
//! and texts in languages that are not read.

use super::*;

/// A page that says of itself who wrote it and when, and of its thing what programs want to know.
const PAGE: &str = r#"<html><head><title>KEF LS50 Meta - Speakers</title>
<meta name="author" content="Ada Byron"><meta property="article:published_time" content="2026-03-04">
<script type="application/ld+json">{"@context": "https://schema.org", "@type": "Product",
"name": "KEF LS50 Meta", "weight": {"@type": "QuantitativeValue", "value": 7.8, "unitCode": "KGM"},
"brand": {"@type": "Brand", "name": "KEF"}}</script></head>
<body><main><h1>KEF LS50 Meta</h1>
<p>Many speakers are large. The KEF LS50 Meta is a bookshelf speaker made in Maidstone.</p>
<p>It was praised by everybody who heard it in the spring.</p></main></body></html>"#;

fn paged(settings: &str) -> TestEnv {
    let env = TestEnv::with(&[("page.html", PAGE)]);
    if !settings.is_empty() {
        env.write_settings(settings);
    }
    env.ok(&["learn", "KEF LS50 Meta", "--from", "page.html"]);
    env
}

#[test]
fn what_a_page_says_for_programs_is_kept() {
    let facts = facts(&paged(""), "KEF LS50 Meta");
    for fact in ["KEF LS50 Meta – brand: KEF", "KEF LS50 Meta – weight: 7.8 kg"] {
        assert!(facts.contains(&fact.to_owned()), "{facts:?}");
    }
}

#[test]
fn the_passage_that_says_a_fact_is_shown() {
    let env = paged("");
    let number = |env: &TestEnv| {
        let facts = entity(env, "KEF LS50 Meta")["facts"].clone();
        let place = facts
            .as_array()
            .unwrap()
            .iter()
            .position(|fact| fact["text"].as_str().unwrap().contains("bookshelf"));
        ((place.unwrap() + 1).to_string(), facts[place.unwrap()]["id"].as_str().unwrap().to_owned())
    };
    let (place, id) = number(&env);
    let mut filters = crate::env::FILTERS.to_vec();
    filters.push((r"\b20\d\d-\d\d-\d\dT[0-9:]+Z", "[TIME]"));
    filters.push((r"\b[0-9a-f]{64}\b", "[HASH]"));
    insta::with_settings!({ filters => filters }, {
        insta::assert_snapshot!(env.ok(&["entity", "KEF LS50 Meta", "--source", &place]), @"
        exit: 0
        --- stdout
        page.html
          title: KEF LS50 Meta - Speakers
          author: Ada Byron
          published: 2026-03-04
          read: [TIME]
          text: [DIGEST]
          line 3, characters 42-101
            # KEF LS50 Meta

          > The KEF LS50 Meta is a bookshelf speaker made in Maidstone.

            It was praised by everybody who heard it in the spring.
        --- stderr
        ");
    });
    let found = env.json(&["entity", "KEF LS50 Meta", "--source", &id, "--json"]).remove(0);
    assert_eq!(
        (&found["source"], &found["author"], &found["published"]),
        (&"page.html".into(), &"Ada Byron".into(), &"2026-03-04".into())
    );
    let passage = &found["passage"];
    let (from, to) = (&passage["characters"][0], &passage["characters"][1]);
    let length = passage["text"].as_str().unwrap().chars().count() as u64;
    assert_eq!(to.as_u64().unwrap() - from.as_u64().unwrap(), length);
    for wrong in ["99", "ffffffffffffffff", "x"] {
        assert_eq!(env.run(&["entity", "KEF LS50 Meta", "--source", wrong]).code, Some(1));
    }
    // What people changed has no source.
    let text = String::from_utf8(env.read(page("kef-ls50-meta"))).unwrap();
    env.write(page("kef-ls50-meta"), text.replace("bookshelf", "floorstanding"));
    assert_eq!(env.run(&["entity", "KEF LS50 Meta", "--source", &id]).code, Some(1));
}

#[test]
fn texts_are_kept_as_long_as_the_user_wants() {
    let shows = |env: &TestEnv| {
        let output = env.ok(&["entity", "KEF LS50 Meta", "--source", "1"]);
        output.stdout().contains("  > ")
    };
    let responses = |env: &TestEnv| {
        let files = fs::read_dir(env.path(".git/elophanto/responses")).into_iter().flatten();
        files.count()
    };
    let env = paged("learn.keep: none\n");
    assert_eq!((shows(&env), responses(&env)), (false, 0));
    let env = paged("");
    assert_eq!((shows(&env), responses(&env)), (true, 1));
    assert!(!env.path(".elophanto/sources").exists());

    let env = paged("learn.keep: git\n");
    env.ok(&["hook", "install"]);
    env.write("a.txt", "a\n");
    env.git(&["add", "a.txt", "knowledge"]);
    let mut command = env.sealed("git");
    command.args(["commit", "--quiet", "-m", "learnt"]).env("ELOPHANTO_HOOK_SECONDS", "300");
    assert_eq!(crate::env::finish(&mut command).code, Some(0));
    // A clone shows it, though nobody searched there; whatever else was done to the text, it does not.
    env.git(&["clone", "--quiet", ".", "../clone"]);
    let show = || env.run_in("../clone", &["entity", "KEF LS50 Meta", "--source", "1"]).stdout();
    assert!(show().contains("  > "), "{}", show());
    let folder = env.path("../clone/.elophanto/sources");
    let file = fs::read_dir(folder).unwrap().next().unwrap().unwrap().path();
    fs::write(&file, "The KEF LS50 Meta is a bookshelf speaker made in Maidstone. Buy it.\n")
        .unwrap();
    assert!(show().contains("not kept here"), "{}", show());
}

#[test]
fn clean_removes_texts_that_no_line_names_any_more() {
    let env = paged("learn.keep: git\n");
    let kept = || fs::read_dir(env.path(".elophanto/sources")).unwrap().count();
    let clean = |more: &[&str]| env.ok(&[&["clean"], more].concat());
    clean(&[]);
    assert_eq!(kept(), 1);
    fs::remove_dir_all(env.path(PAGES)).unwrap();
    let output = clean(&["--dry-run"]);
    assert!(output.stdout().contains("1 text of sources that no fact names"), "{output}");
    assert_eq!(kept(), 1);
    clean(&[]);
    assert_eq!(kept(), 0);
}

#[test]
fn a_language_that_is_not_read_is_named() {
    let env = TestEnv::new();
    let polish = "Wieliczka jest miastem w południowej Polsce, położonym niedaleko Krakowa. Kopalnia \
                  soli działa tam od trzynastego wieku i przyciąga ponad milion turystów rocznie. Jej \
                  korytarze mają ponad dwieście kilometrów długości, a zwiedzający schodzą po \
                  kilkuset drewnianych stopniach.\n";
    let japanese = "奈良は日本の都市です。東大寺には大きな仏像があります。多くの鹿が公園に住んでいます。毎年多くの人が訪れます。";
    for text in [polish, japanese] {
        let output = read(&env, &["Wieliczka"], text);
        assert_eq!(output.code, Some(1), "{output}");
        assert!(
            output
                .stderr()
                .contains("nothing was read of the text: the rules read English, German"),
            "{output}"
        );
    }
    // Of a text that is read and says nothing, nothing of that kind is said.
    let output =
        read(&env, &["Wieliczka"], "The weather is fine. We went to the sea and it was cold.\n");
    assert!(!output.stderr().contains("nothing was read"), "{output}");
}

#[test]
fn where_the_web_is_searched_is_set_up_by_one_command() {
    let env = TestEnv::new();
    let program = env.outside().join("find.sh");
    fs::write(&program, "#!/bin/sh\necho 'The Pelican Case is a box made of resin.'\n").unwrap();
    std::process::Command::new("chmod").arg("+x").arg(&program).status().unwrap();
    let line = program.to_str().unwrap().as_bytes();
    let settings = env.outside().join("home/.config/elophanto/config.yaml");
    let own = || fs::read_to_string(&settings).unwrap_or_default();
    let before = own();
    // What does not answer is not written down.
    for (service, given) in [
        ("command", &b"/nonexistent/find"[..]),
        ("searxng", b"http://127.0.0.1:1/"),
        ("searxng", b"x"),
    ] {
        let output = env.run_with(&["learn", "--setup", service], given);
        assert_eq!((output.code, own()), (Some(2), before.clone()), "{output}");
    }
    assert_eq!(env.run_with(&["learn", "--setup"], b"1").code, Some(2), "nobody can be asked");
    let output = env.run_with(&["learn", "--setup", "command", "--json"], line);
    assert_eq!(output.code, Some(0), "{output}");
    assert_eq!(output.json()[0]["found"], 1);
    assert_eq!(output.json()[0]["settings"], settings.to_str().unwrap());
    let written = own();
    assert!(written.contains("sources: [knowledge, command]"), "{written}");
    env.ok(&["learn", "Pelican Case"]);
    assert_eq!(facts(&env, "Pelican Case"), ["The Pelican Case is a box made of resin."]);
    // Once more changes nothing.
    assert_eq!(env.run_with(&["learn", "--setup", "command"], line).code, Some(0));
    assert_eq!(own(), written);
}

#[test]
fn facts_that_name_another_entity_are_edges() {
    let env = TestEnv::new();
    learn(&env, "kef ls50", SPEAKER);
    let edges: Vec<String> = env
        .json(&["graph", "--json"])
        .iter()
        .filter(|line| line.get("from").is_some())
        .map(|edge| {
            let text = |key: &str| edge[key].as_str().unwrap().to_owned();
            format!("{} {} {}", text("from"), text("reference"), text("to"))
        })
        .collect();
    assert_eq!(edges, [format!("{} mentions {}", page("kef-ls50-meta"), page("kef"))]);
    let shown = env.ok(&["graph", "KEF"]).stdout();
    assert!(shown.contains("kef-ls50-meta.md"), "{shown}");
}
