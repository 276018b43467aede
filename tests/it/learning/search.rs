//! Facts in `search`.

use super::*;

/// The line of a page at which each fact stands, 1-based.
fn line_of(env: &TestEnv, slug: &str, text: &str) -> usize {
    let whole = String::from_utf8(env.read(page(slug))).unwrap();
    1 + whole.lines().position(|line| line.contains(text)).unwrap_or_else(|| panic!("{text}"))
}

#[test]
fn facts_are_found_where_they_stand_and_their_comments_are_not() {
    let env = TestEnv::with(&[("docs/owls.md", "# Owls\n\nOwls hunt at night.\n")]);
    learn(&env, "kef ls50", SPEAKER);
    // Lines in front of them, by hand.
    let text = String::from_utf8(env.read(page("kef-ls50-meta"))).unwrap();
    let text = text.replacen("---\n\n", "---\n\n# Speaker\n\nA note on *veneer* by hand.\n\n", 1);
    env.write(page("kef-ls50-meta"), text);
    for (query, slug, text) in [
        ("absorb sound behind the tweeter", "kef-ls50-meta", "tweeter"),
        ("how much does the kef ls50 meta weigh", "kef-ls50-meta", "7.8 kg"),
        ("founded by raymond cooke", "kef", "Raymond"),
        ("veneer", "kef-ls50-meta", "veneer"),
    ] {
        let hits = env.json(&["search", "--json", "--kind", "fact", query]);
        assert_eq!(
            (&hits[0]["kind"], &hits[0]["path"], &hits[0]["line"]),
            (&"fact".into(), &page(slug).into(), &line_of(&env, slug, text).into()),
            "{query}: {hits:?}"
        );
    }
    told!(env.ok(&["search", "tweeter"]), @"
    exit: 0
    --- stdout
    knowledge/learned/entities/kef-ls50-meta.md:13  KEF LS50 Meta > Speaker
        - The KEF LS50 Meta uses Metamaterial Absorption Technology to absorb sound behind the tweeter.
    --- stderr
    ");
    // Entities are facts and not notes too.
    assert!(env.hits(&["tweeter", "--kind", "note"]).iter().all(|path| path == "docs/owls.md"));
    assert_eq!(env.hits(&["tweeter", "--mode", "keyword"]), [page("kef-ls50-meta")]);
    assert_eq!(env.hits(&["owls", "--kind", "fact", "--mode", "keyword"]), [""; 0]);
    // Nothing of a comment is found or shown, in whatever form of output.
    let id = last_prompt(&env)["searches"][0]["id"].as_str().unwrap().to_owned();
    let whole = String::from_utf8(env.read(page("kef"))).unwrap();
    let fact = whole.split("f:").nth(1).unwrap()[..16].to_owned();
    for query in [id.as_str(), &fact, "<!--", "search:"] {
        for mode in ["keyword", "hybrid"] {
            let output = env.run(&["search", "--json", "--mode", mode, query]);
            if mode == "keyword" {
                assert_eq!(output.code, Some(1), "{query}\n{output}");
            }
            assert!(!output.stdout().contains("<!--"), "{query}\n{output}");
        }
    }
    for args in [&["search", "kef"][..], &["search", "kef", "--json"], &["entity", "kef"]] {
        let output = env.ok(args);
        assert!(
            !output.stdout().contains("<!--") && !output.stdout().contains("search:"),
            "{output}"
        );
    }
}

#[test]
fn what_a_commit_knew_is_found_at_that_commit() {
    let env = TestEnv::new();
    learn(&env, "kef ls50", SPEAKER);
    env.commit("learnt");
    let then = line_of(&env, "kef-ls50-meta", "tweeter");
    env.ok(&["learn", "undo", last_prompt(&env)["id"].as_str().unwrap()]);
    learn(&env, "kef", "KEF was bought by GP Acoustics in 1992.");
    let facts =
        |args: &[&str]| env.hits(&[&["--kind", "fact", "--mode", "keyword"], args].concat());
    assert_eq!(facts(&["tweeter"]), [""; 0]);
    assert_eq!(facts(&["acoustics"]), [page("kef")]);
    let hits = env.json(&["search", "--json", "--at", "HEAD", "--kind", "fact", "tweeter"]);
    assert_eq!((&hits[0]["path"], &hits[0]["line"]), (&page("kef-ls50-meta").into(), &then.into()));
    assert_eq!(facts(&["acoustics", "--at", "HEAD"]), [""; 0]);
    // The retirement is known to the next commit, whoever brings the line back.
    env.commit("taken back");
    env.git(&["checkout", "--quiet", "HEAD~1", "--", PAGES]);
    env.commit("the pages of before");
    assert_eq!(facts(&["tweeter"]), [""; 0]);
    assert_eq!(facts(&["tweeter", "--at", "HEAD"]), [""; 0]);
    assert_eq!(facts(&["tweeter", "--at", "HEAD~2"]), [page("kef-ls50-meta")]);
}

#[test]
fn our_own_folder_may_be_the_whole_repository() {
    let settings = "knowledge:\n  write_root: .\n";
    let env = TestEnv::with(&[(".elophanto/config.yaml", settings), ("a.md", "# A\n\nOwls.\n")]);
    learn(&env, "kef ls50", SPEAKER);
    let path = "learned/entities/kef-ls50-meta.md";
    assert!(env.path(path).is_file());
    let hits = env.json(&["search", "--json", "absorb sound behind the tweeter"]);
    let found: Vec<(&Value, &Value)> =
        hits.iter().map(|hit| (&hit["kind"], &hit["path"])).collect();
    assert_eq!(found[0], (&"fact".into(), &path.into()), "{hits:?}");
    assert!(found[1..].iter().all(|hit| *hit.1 != path), "it is no note too: {hits:?}");
}

#[test]
fn a_note_of_the_user_stands_beside_the_fact_that_says_otherwise() {
    let note = "# Speakers\n\nThe KEF LS50 Meta costs $1,200.\n";
    let env = TestEnv::with(&[("knowledge/user/speakers.md", note)]);
    learn(&env, "kef ls50 meta", &format!("{SPEAKER}\nThe KEF LS50 Meta costs $1,600.\n"));
    told!(env.ok(&["search", "price of the kef ls50 meta: what it costs"]), @"
    exit: 0
    --- stdout
    knowledge/learned/entities/kef-ls50-meta.md:11  KEF LS50 Meta
        - The KEF LS50 Meta costs $1,600.
        ! your note says otherwise: knowledge/user/speakers.md

    knowledge/user/speakers.md:3  Speakers
        The KEF LS50 Meta costs $1,200.

    knowledge/learned/entities/kef.md:8  KEF
        - KEF is a British company founded in 1961 by Raymond Cooke in Tovil, Kent.
    --- stderr
    ");
    let hits = env.json(&["search", "--json", "kef ls50 meta costs $1,600"]);
    let shown: Vec<(&Value, &Value)> =
        hits.iter().take(2).map(|hit| (&hit["kind"], &hit["against"])).collect();
    assert_eq!(
        shown,
        [(&"fact".into(), &"knowledge/user/speakers.md".into()), (&"note".into(), &Value::Null)],
        "{hits:?}"
    );
    told!(env.ok(&["search", "--answer", "What does the KEF LS50 Meta cost?"]), @"
    exit: 0
    --- stdout
    The KEF LS50 Meta costs $1,200. [1] (as of [DAY])
    The KEF LS50 Meta costs $1,600. [2] (as of [DAY])
    [1] and [2] say otherwise of the same thing: newest first

    [1] knowledge/user/speakers.md:3  Speakers
    [2] knowledge/learned/entities/kef-ls50-meta.md:11  KEF LS50 Meta (your note says otherwise: knowledge/user/speakers.md)
    --- stderr
    (`elophanto react [ID] +` or `-`)
    ");
    // Another number is another thing, and a name alone says nothing of it.
    env.ok(&["like", "Genelec 8030"]);
    for question in ["What does the KEF LS60 Meta cost?", "what does the Genelec 8030 cost"] {
        let answer = env.run(&["search", "--answer", question, "--json"]);
        assert_eq!(
            (answer.code, &answer.json()[0]["sufficient"]),
            (Some(1), &false.into()),
            "{answer}"
        );
    }
    // Once the fact is gone, so is what was said of it.
    let id = last_prompt(&env)["id"].as_str().unwrap().to_owned();
    env.ok(&["learn", "undo", &id]);
    let hits = env.json(&["search", "--json", "kef ls50 meta costs"]);
    assert!(hits.iter().all(|hit| hit["against"].is_null()), "{hits:?}");
}

#[test]
fn a_note_that_says_otherwise_of_one_fact_comes_before_no_other() {
    let note = "# What the shops ask\n\nThe sound of a shop tells nothing of its prices. The KEF LS50 Meta \
                costs $1,200. The bus to the shop costs two coins, and the market by the harbour sells bread, \
                fish, lemons, rope, paint and second-hand lamps.\n";
    let env = TestEnv::with(&[("knowledge/user/prices.md", note)]);
    learn(&env, "kef ls50 meta", &format!("{SPEAKER}\nThe KEF LS50 Meta costs $1,600.\n"));
    let hits = env.json(&["search", "--json", "absorb sound behind the tweeter"]);
    let paths: Vec<&Value> = hits.iter().take(2).map(|hit| &hit["path"]).collect();
    assert_eq!(paths, [&Value::from(page("kef-ls50-meta")), &"knowledge/user/prices.md".into()]);
}
