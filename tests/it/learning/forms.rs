//! What can be handed over, asked for and said.

use super::*;

/// A PDF of one page with these lines in it.
fn pdf(lines: &[&str]) -> Vec<u8> {
    let mut text = String::from("BT /F1 12 Tf 14 TL 72 700 Td\n");
    for line in lines {
        let line = line.replace('\\', "\\\\").replace('(', "\\(").replace(')', "\\)");
        text.push_str(&format!("({line}) Tj T*\n"));
    }
    text.push_str("ET");
    let objects = [
        "<< /Type /Catalog /Pages 2 0 R >>".to_owned(),
        "<< /Type /Pages /Kids [3 0 R] /Count 1 >>".to_owned(),
        "<< /Type /Page /Parent 2 0 R /MediaBox [0 0 612 792] /Contents 4 0 R \
         /Resources << /Font << /F1 5 0 R >> >> >>"
            .to_owned(),
        format!("<< /Length {} >>\nstream\n{text}\nendstream", text.len()),
        "<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica /Encoding /WinAnsiEncoding >>"
            .to_owned(),
    ];
    let mut file = String::from("%PDF-1.4\n");
    let mut places = Vec::new();
    for (number, object) in (1..).zip(&objects) {
        places.push(file.len());
        file.push_str(&format!("{number} 0 obj\n{object}\nendobj\n"));
    }
    let start = file.len();
    file.push_str(&format!("xref\n0 {}\n0000000000 65535 f \n", objects.len() + 1));
    for place in places {
        file.push_str(&format!("{place:010} 00000 n \n"));
    }
    file.push_str(&format!(
        "trailer\n<< /Size {} /Root 1 0 R >>\nstartxref\n{start}\n%%EOF\n",
        objects.len() + 1
    ));
    file.into_bytes()
}

#[test]
fn what_is_handed_over_becomes_facts_with_their_source() {
    let env = TestEnv::with(&[("docs/speaker.md", SPEAKER)]);
    env.commit("material");
    let output = env.ok(&["learn", "kef ls50", "--from", "docs/speaker.md"]);
    told!(output, @"
    exit: 0
    --- stdout
    1) 'kef ls50' ✓
       - KEF LS50 Meta (3 facts)
       - KEF (1 fact)
    --- stderr
    reading about 'kef ls50'
    note: `.gitattributes` tells git how to merge what is written here; commit it too
    I just discovered KEF LS50 Meta and learned 3 facts about it
    - The KEF LS50 Meta is a bookshelf speaker made by KEF.
    - The KEF LS50 Meta uses Metamaterial Absorption Technology to absorb sound behind the tweeter.
    - The KEF LS50 Meta weighs 7.8 kg.
      (`elophanto react [ID] +` or `-`)
    I just discovered KEF and learned 1 fact about it
    - KEF is a British company founded in 1961 by Raymond Cooke in Tovil, Kent.
      (`elophanto react [ID] +` or `-`)
    ");
    let text = String::from_utf8(env.read(page("kef-ls50-meta"))).unwrap();
    told!(text, @"
    ---
    title: kef-ls50-meta
    scope: learned
    ---

    - title: KEF LS50 Meta <!-- t:db27dfcf427bae3d at:[TIME] -->
    - created: [TIME] <!-- c:[CREATED] at:[TIME] -->
    - The KEF LS50 Meta is a bookshelf speaker made by KEF. <!-- f:62d1b2c036f547d4 src:docs/speaker.md search:[ID] at:[TIME] -->
    - The KEF LS50 Meta uses Metamaterial Absorption Technology to absorb sound behind the tweeter. <!-- f:d702866361dc4a49 src:docs/speaker.md search:[ID] at:[TIME] -->
    - The KEF LS50 Meta weighs 7.8 kg. <!-- f:42618d738c8f4e6a src:docs/speaker.md search:[ID] at:[TIME] -->
    ");
    assert_eq!(entities(&env), ["KEF (1)", "KEF LS50 Meta (3)"]);
    told!(env.ok(&["entity", "2"]), @"
    exit: 0
    --- stdout
    KEF  (knowledge/learned/entities/kef.md)
      1. KEF is a British company founded in 1961 by Raymond Cooke in Tovil, Kent.
          [DAY]  docs/speaker.md
    --- stderr
    ");
    // One prompt with its search, both done, and a record for each fact.
    let count = |kind: &str| records(&env, kind).len();
    assert_eq!(["fact", "extraction", "message", "retired"].map(count), [4, 1, 0, 0]);
    let prompts: Vec<Value> = records(&env, "learn_prompt");
    assert_eq!((prompts.len(), &prompts[0]["status"]), (1, &"completed".into()));
    let searches = records(&env, "search");
    assert_eq!(searches.len(), 1);
    assert_eq!(
        [&searches[0]["trigger"], &searches[0]["learn_prompt_id"], &searches[0]["urls"][0]],
        [&"learn_command".into(), &prompts[0]["id"], &"docs/speaker.md".into()]
    );
    // What was found stays on this machine, and so do names and addresses of people.
    assert_eq!(
        env.git(&["status", "--porcelain"]),
        "?? .elophanto/\n?? .gitattributes\n?? knowledge/\n"
    );
    assert!(!carried(&env).contains("a@example.org"));

    // The same once more brings nothing new and changes no page.
    let before = pages(&env);
    let output = env.run(&["learn", "kef ls50", "--from", "docs/speaker.md"]);
    assert_eq!(output.code, Some(1), "{output}");
    assert_eq!(pages(&env), before);
    assert_eq!(count("fact"), 4);
}

#[test]
fn pages_pdf_files_and_texts_are_read() {
    let env = TestEnv::new();
    let html = "<!doctype html><html><head><title>Gaggia Classic</title>\
        <meta name=description content='x'><script>The Script Thing is a speaker.</script></head>\
        <body><nav><a href=/>Home</a> The Menu Thing is a menu of the site.</nav><article>\
        <h1>Gaggia Classic</h1><p>The Gaggia Classic is an espresso machine made in Italy. It has \
        been sold since 1991 and it has a brass group. Many people take it for their first \
        machine, since its parts are sold everywhere and it is easily taken apart.</p>\
        <p style='display:none'>The Hidden Thing is a speaker.</p>\
        </article><footer>The Foot Thing is a footer.</footer></body></html>";
    let machine = [
        "The Rancilio Silvia is an espresso machine made in Parabiago.",
        "",
        "The Rancilio Silvia has a boiler of 300 ml \\(brass\\).",
    ];
    let files: [(&str, Vec<u8>); 4] = [
        ("gaggia.html", html.as_bytes().to_vec()),
        ("silvia.pdf", pdf(&machine)),
        // A byte order mark, UTF-16 and a name that says nothing.
        (
            "bianca",
            "\u{feff}The Lelit Bianca is an espresso machine made in Castegnato.\r\n".into(),
        ),
        ("londinium.txt", {
            let text = "\u{feff}The Londinium Vectis is an espresso machine made in London.";
            text.encode_utf16().flat_map(u16::to_le_bytes).collect()
        }),
    ];
    for (name, bytes) in &files {
        let path = env.outside().join(name);
        fs::write(&path, bytes).unwrap();
        let output = env.run(&["learn", "espresso machines", "--from", path.to_str().unwrap()]);
        assert_eq!(output.code, Some(0), "{name}\n{output}");
    }
    let output = env.run_with(
        &["learn", "espresso machine", "--from", "-"],
        b"The Decent DE1 is an espresso machine made in Hong Kong.",
    );
    assert_eq!(output.code, Some(0), "{output}");
    let mut all = String::new();
    for row in entities(&env) {
        let (name, _) = row.rsplit_once(' ').unwrap();
        for fact in entity(&env, name)["facts"].as_array().unwrap() {
            all.push_str(&format!("{name}: {} [{}]\n", fact["text"], fact["source"]));
        }
    }
    told!(all, @r#"
    Decent DE1: "The Decent DE1 is an espresso machine made in Hong Kong." [null]
    Gaggia Classic: "The Gaggia Classic is an espresso machine made in Italy." ["file:gaggia.html"]
    Gaggia Classic: "The Gaggia Classic has been sold since 1991 and it has a brass group." ["file:gaggia.html"]
    Lelit Bianca: "The Lelit Bianca is an espresso machine made in Castegnato." ["file:bianca"]
    Londinium Vectis: "The Londinium Vectis is an espresso machine made in London." ["file:londinium.txt"]
    Rancilio Silvia: "The Rancilio Silvia is an espresso machine made in Parabiago." ["file:silvia.pdf"]
    Rancilio Silvia: "The Rancilio Silvia has a boiler of 300 ml (brass)." ["file:silvia.pdf"]
    "#);
    // Where files lie is nobody else's business.
    assert!(!carried(&env).contains(env.outside().to_str().unwrap()));
}

#[test]
fn standard_input_has_the_source_that_is_named_for_it() {
    let secret = concat!("Kestrel", "-Prod-77!");
    let address = format!("https://deploy:{secret}@git.corp.local/x");
    for (source, expected) in [
        (Some("https://example.org/ls50"), Some("https://example.org/ls50")),
        (Some(" KEF brochure, 2021"), Some("KEF brochure, 2021")),
        (Some(address.as_str()), Some("https://deploy:masked-secret@git.corp.local/x")),
        (None, None),
    ] {
        let env = TestEnv::new();
        let named = source.map(|source| ["--source", source]);
        let args = [&["kef ls50"][..], named.as_ref().map_or(&[], |named| &named[..])].concat();
        let output = read(&env, &args, SPEAKER);
        let notes = output.stderr().matches("these facts have no source").count();
        assert_eq!((output.code, notes), (Some(0), usize::from(source.is_none())), "{output}");
        let facts = entity(&env, "KEF LS50 Meta")["facts"].as_array().unwrap().clone();
        assert!(facts.iter().all(|fact| fact["source"].as_str() == expected), "{facts:?}");
        assert!(!carried(&env).contains(secret));
    }
    let env = TestEnv::with(&[("docs/speaker.md", SPEAKER)]);
    for args in [
        &["learn", "kef", "--from", "docs/speaker.md", "--source", "KEF"][..],
        &["learn", "kef", "--source", "KEF"],
    ] {
        let output = env.run(args);
        assert_eq!(output.code, Some(2), "{output}");
        assert!(output.stderr().contains("--source") || output.stderr().contains("--from"));
    }
    let output = env.run_with(&["learn", "kef", "--from", "-", "--source", " "], b"KEF is old.");
    assert!(output.code == Some(2) && output.stderr().contains("no name"), "{output}");
    assert!(pages(&env).is_empty());
}

#[test]
fn the_queue_shows_what_came_of_what_was_asked() {
    let env = TestEnv::with(&[
        ("docs/speaker.md", SPEAKER),
        (
            "docs/coffee.md",
            "# Coffee\n\nThe Gaggia Classic is an espresso machine made in Italy.\n",
        ),
    ]);
    let output = env.run(&["learn"]);
    told!(output, @r#"
    exit: 1
    --- stdout
    --- stderr
    nothing was asked for yet: `elophanto learn "a topic"`
    "#);
    // The usual source are the notes; they are looked into by several searches.
    told!(env.ok(&["learn", "kef ls50"]), @"
    exit: 0
    --- stdout
    1) 'kef ls50' ✓
       - KEF LS50 Meta (3 facts)
       - KEF (1 fact)
    --- stderr
    learning about 'kef ls50': 4 searches
    note: `.gitattributes` tells git how to merge what is written here; commit it too
    I just discovered KEF LS50 Meta and learned 3 facts about it
    - The KEF LS50 Meta is a bookshelf speaker made by KEF.
    - The KEF LS50 Meta uses Metamaterial Absorption Technology to absorb sound behind the tweeter.
    - The KEF LS50 Meta weighs 7.8 kg.
      (`elophanto react [ID] +` or `-`)
    I just discovered KEF and learned 1 fact about it
    - KEF is a British company founded in 1961 by Raymond Cooke in Tovil, Kent.
      (`elophanto react [ID] +` or `-`)
    note: these facts are from your own notes: `learn` looks nowhere else before `elophanto learn --setup`
    ");
    told!(env.ok(&["learn", "gaggia classic", "--background"]), @"
    exit: 0
    --- stdout
    2) 'gaggia classic' ...
    --- stderr
    learning about 'gaggia classic': 4 searches queued
    ");
    let output = env.run(&["learn", "the moons of jupiter"]);
    told!(output, @"
    exit: 1
    --- stdout
    3) 'the moons of jupiter' - nothing
    --- stderr
    learning about 'the moons of jupiter': 4 searches
    your notes say nothing new about it, and `learn` looks nowhere else
    `elophanto learn --setup` sets up a search of the web; --from FILE or URL hands over what is to be read
    ");
    told!(env.ok(&["learn"]), @"
    exit: 0
    --- stdout
    1) 'kef ls50' ✓
       - KEF LS50 Meta (3 facts)
       - KEF (1 fact)
    2) 'gaggia classic' ...
    3) 'the moons of jupiter' - nothing
    --- stderr
    ");
    let prompt = env.json(&["learn", "--json"]).remove(1);
    assert_eq!(
        (&prompt["status"], &prompt["searches_remaining"], &prompt["entities"]),
        (&"active".into(), &4.into(), &Value::Array(Vec::new()))
    );
    assert_eq!(
        records(&env, "search").iter().filter(|it| it["trigger"] != "learn_command").count(),
        0
    );

    told!(env.ok(&["enrich", "--once"]), @"
    exit: 0
    --- stdout
    4 queued searches made, 4 responses read
    --- stderr
    I just discovered Gaggia Classic and learned 1 fact about it
    - The Gaggia Classic is an espresso machine made in Italy.
      (`elophanto react [ID] +` or `-`)
    ");
    told!(env.ok(&["learn"]), @"
    exit: 0
    --- stdout
    1) 'kef ls50' ✓
       - KEF LS50 Meta (3 facts)
       - KEF (1 fact)
    2) 'gaggia classic' ✓
       - Gaggia Classic (1 fact)
    3) 'the moons of jupiter' - nothing
    --- stderr
    ");
    let prompt = env.json(&["learn", "--json"]).remove(1);
    assert_eq!(
        (&prompt["status"], &prompt["searches_remaining"]),
        (&"completed".into(), &0.into())
    );
    let source = entity(&env, "gaggia classic")["facts"][0]["source"].clone();
    assert_eq!(source, "docs/coffee.md");
}

#[test]
fn a_message_is_noted_and_tells_what_its_writer_likes() {
    let env = TestEnv::new();
    let text =
        b"I love the Gaggia Classic. The Gaggia Classic is an espresso machine made in Italy.";
    let output = env.run_with(&["learn", "--message", "-"], text);
    told!(output, @"
    exit: 0
    --- stdout
    noted [ID]
       - Gaggia Classic (1 fact)
    --- stderr
    note: `.gitattributes` tells git how to merge what is written here; commit it too
    I just discovered Gaggia Classic and learned 1 fact about it
    - The Gaggia Classic is an espresso machine made in Italy.
      (`elophanto react [ID] +` or `-`)
    ");
    let fact = &entity(&env, "Gaggia Classic")["facts"][0];
    let id = records(&env, "message")[0]["id"].clone();
    assert_eq!(
        (&fact["message"], &fact["search"], &fact["source"]),
        (&id, &Value::Null, &Value::Null)
    );
    let acts = records(&env, "engagement");
    assert_eq!(acts.len(), 1, "{acts:?}");
    assert_eq!(
        [&acts[0]["engagement_type"], &acts[0]["valence"], &acts[0]["source_message_id"]],
        [&"statement".into(), &"positive".into(), &id]
    );
    // What was said stays here; the fact is for everybody.
    assert!(!carried(&env).contains("I love"));
    assert!(env.run_with(&["learn", "--message", "-"], b" \n").code == Some(2));
    assert!(env.run(&["learn", "x", "--message", "-"]).code == Some(2));
}

#[test]
fn what_nobody_asked_for_makes_no_entity_and_shows_no_interest() {
    let env = TestEnv::new();
    let other = "KEF was bought by GP Acoustics in 1992. The Wharfedale Linton is a speaker made \
                 by Wharfedale in Huntingdon.";
    let output = read(&env, &["speakers", "--unasked"], other);
    assert_eq!(output.code, Some(1), "{output}");
    assert!(entities(&env).is_empty());
    learn(&env, "kef ls50", SPEAKER);
    let acts = records(&env, "engagement").len();
    let interests = env.ok(&["interests"]).stdout();
    let output = read(&env, &["speakers from kef", "--unasked"], other);
    assert_eq!(output.code, Some(0), "{output}");
    assert_eq!(entities(&env), ["KEF (2)", "KEF LS50 Meta (3)"]);
    assert_eq!(records(&env, "engagement").len(), acts);
    assert_eq!(env.ok(&["interests"]).stdout().lines().count(), interests.lines().count());
}
