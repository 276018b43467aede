//! Pronouns and nouns that stand for a name: resolved, or the fact is left.

use super::*;

#[test]
fn facts_that_point_elsewhere_are_resolved_or_left() {
    let facts = |text: &str| {
        found(text, "", &known(&["Foo Server", "Ada Byron"]), Mode::KnownOnly)
            .into_iter()
            .flat_map(|it| it.1)
            .collect::<Vec<String>>()
    };
    let check = |text: &str, expected: &[&str]| assert_eq!(facts(text), expected, "{text}");
    check(
        "The Foo Server is fast today. The server listens on port 8080.",
        &["The Foo Server is fast today."],
    );
    check(
        "Foo Server and its three parts have listened on port 8080. Foo Server and its maker Ada Hill are.",
        &["Foo Server and its three parts have listened on port 8080."],
    );
    check(
        "Ada Byron was born in 1815. In 1833, she met the inventor. Headquartered here, she wrote notes.",
        &[
            "Ada Byron was born in 1815.",
            "In 1833, Ada Byron met the inventor.",
            "Headquartered here, Ada Byron wrote notes.",
        ],
    );
    check(
        "Ada Byron was born in 1815. Nobody knew much then. She wrote the first program.",
        &["Ada Byron was born in 1815."],
    );
    check(
        "Ada Byron was born in 1815. Her friend Mary Somerville taught. She was famous.",
        &["Ada Byron was born in 1815."],
    );
    check(
        "The Foo Server is fast today. It is a part of the Sea Suite since 2020.",
        &["The Foo Server is fast today.", "The Foo Server is a part of the Sea Suite since 2020."],
    );
    check(
        "The Foo Server is fast today. It writes to the files of the Foo Server and Ada Byron's.",
        &["The Foo Server is fast today."],
    );
    check(
        "A baker from Rome since 1830, Ada Byron was born in 1815. She died in 1852.",
        &["A baker from Rome since 1830, Ada Byron was born in 1815.", "Ada Byron died in 1852."],
    );
    // Lines that were broken on purpose are sentences, whatever they begin with.
    check(
        "The Foo Server is licensed under the MIT license.  \nfoo-types is licensed under another one.",
        &["The Foo Server is licensed under the MIT license."],
    );
    for text in [
        "The Foo Server was written by her in 2019.",
        "The Foo Server solves such incompatibilities at once.",
        "The Foo Server was the best one at the time.",
        "After this, the Foo Server was sold to others.",
        "Therefore, the Foo Server is rarely used now.",
        "The Foo Server may do the following: 1.",
        "In that 2-month time, the Foo Server must be kept running by all.",
        "To mitigate the risk, the Foo Server sends two of them.",
        "The Foo Server is an important part of our culture.",
        "The Foo Server sends the relevant messages to all clients.",
        "The Foo Server can be stopped from either side.",
        "The Foo Server asks any other person about a fault.",
        "That Foo Server has no messages for clients.",
        "During the next three years, Ada Byron wrote two books.",
        "Let's see what the Foo Server has for clients.",
        "The Foo Server has been run here for the past few years.",
        "Now that it is sold, the Foo Server asks more.",
        "The Foo Server was shut down after the recent storm.",
        "The Foo Server takes them as ordered in the list.",
        "The Foo Server works as the above description has it.",
        "The Foo Server can be installed from here.",
        "The Foo Server can be reached in a number of ways.",
        "The Foo Server is located west of Bath, from the road.",
        "The Foo Server is in area, including parts of others.",
        "The Foo Server has is a box of steel.",
        "The Foo Server's other parts are made of steel.",
        "The Foo Server was sold 12 years ago in Bath.",
        "The Foo Server has grown more parts recently.",
        "The Foo Server follows the same routine.",
        "The Foo Server will try both variants at once.",
        "The Foo Server was sold twice that season.",
        "Ada Byron joined the team, and we started again.",
        "The Foo Server has the better of the two options.",
        "The Foo Server blog provides more details about clients.",
    ] {
        check(text, &[]);
    }
}

#[test]
fn he_and_she_are_two() {
    let facts = |text: &str| found(text, "", &known(&["Ada Byron"]), Mode::KnownOnly).remove(0).1;
    assert_eq!(
        facts("Ada Byron was born in 1815. Pierre was her husband. He died in the year 1906."),
        ["Ada Byron was born in 1815."]
    );
    assert_eq!(
        facts("Ada Byron was born in 1815. She was a writer. He died in the year 1906."),
        ["Ada Byron was born in 1815.", "Ada Byron was a writer."]
    );
    assert_eq!(
        facts("Ada Byron was born in 1815. She told Byron of it in 1830."),
        ["Ada Byron was born in 1815."]
    );
}

#[test]
fn pronouns_give_way_only_to_what_stands_right_before() {
    let facts =
        |text: &str| found(text, "", &known(&["Foo"]), Mode::KnownOnly).pop().map(|it| it.1);
    let check = |text: &str, expected: &[&str]| {
        let expected: Vec<String> = expected.iter().map(|&it| it.to_owned()).collect();
        assert_eq!(facts(text).unwrap_or_default(), expected, "{text}");
    };
    check(
        "Foo is a fast tool. It runs on all systems.",
        &["Foo is a fast tool.", "Foo runs on all systems."],
    );
    check(
        "Foo is a fast tool. Its speed comes from caches.",
        &["Foo is a fast tool.", "Foo's speed comes from caches."],
    );
    check("Foo is a fast tool.\n\nIt runs on all systems.", &["Foo is a fast tool."]);
    check("Foo is a fast tool. Once data is old, it is removed by hand.", &["Foo is a fast tool."]);
    check(
        "Foo is a fast tool. When it was built in 1999, it was called Bar.",
        &["Foo is a fast tool.", "When Foo was built in 1999, it was called Bar."],
    );
    check("Foo is a fast tool. Others differ. It runs on all systems.", &["Foo is a fast tool."]);
    check("Foo is a fast tool. It is important to read more.", &["Foo is a fast tool."]);
    check(
        "Foo development is slow these days. It runs on coffee alone.",
        &["Foo development is slow these days."],
    );
}

#[test]
fn it_is_not_whose_something_was_told_of() {
    for (text, left) in [
        ("Fern's first exchange was opened in 1817. It was opened again in 1991.", "again"),
        ("Fern's first exchange was opened in 1817. Its halls are of stone.", "halls"),
        (
            "Many people speak Fern. The Fern Society is in Bath. Its usage is highest in Rome.",
            "usage",
        ),
        (
            "Oak Road has been their home ground since 1906. They have a rivalry with Bath.",
            "rivalry",
        ),
        ("St Bo's has been a home ground since 1906. They have a rivalry with Bath.", "rivalry"),
        ("All three apparently lacked tentacles of Fern in 1990.", "lacked"),
    ] {
        let told = told(&format!("# Fern\n\nFern is a town in Bath.\n\n{text}\n"), "Fern");
        assert!(!told.iter().any(|fact| fact.contains(left)), "{told:?}");
    }
}

#[test]
fn what_holds_from_a_time_told_before_is_left() {
    let page = "# Ada Byron\n\nAda Byron was born in Ferndale. Byron's films include Mirrors. She directed \
                four of them. One month later, Byron was promoted to captain. Byron then moved to Sutton. \
                Byron (in ) was a friend of many. Both were friends of Byron by that date. Many \
                of them knew Ada well. Ada lived in Sutton until 1840. She was made chief of staff to Dr.\n";
    assert_eq!(
        told(page, "Ada Byron"),
        [
            "Ada Byron | Ada Byron was born in Ferndale.",
            "Ada Byron | Byron's films include Mirrors.",
            "Ada Byron | Byron directed four of them.",
            "Ada Byron | Ada lived in Sutton until 1840.",
        ]
    );
}

#[test]
fn a_quotation_without_its_speaker_is_left() {
    let page = "# Fern Works\n\nFern Works is a maker of mills. \"Fern Works is fast,\" said Ada Byron. \
                \"Fern Works is the pride of this town.\"\n";
    assert_eq!(
        told(page, "Fern Works"),
        [
            "Fern Works | Fern Works is a maker of mills.",
            "Fern Works | \"Fern Works is fast,\" said Ada Byron."
        ]
    );
}

#[test]
fn it_is_nobody_and_nothing_that_only_ended_a_sentence() {
    let check = |text: &str, expected: &[&str]| {
        let told = found(text, "", &known(&["Foo Mill", "Foo Band", "Ada Byron"]), Mode::KnownOnly);
        let told: Vec<String> = told.into_iter().flat_map(|it| it.1).collect();
        assert_eq!(told, expected, "{text}");
    };
    let is_large = "It is one of the large houses of the state.";
    for said in [
        "Since 2019, Ada Byron has been director of the Sutton Museum.",
        "Ada Byron, an archaeologist from Bath, wrote many books.",
        "Ada Byron was born in Sutton near Ferndale.",
    ] {
        check(&format!("{said} {is_large}"), &[said]);
    }
    let engine = "Foo Mill is an engine for games.";
    check(
        &format!("{engine} {is_large}"),
        &[engine, "Foo Mill is one of the large houses of the state."],
    );
    for said in ["Foo Mill sent Ada Oak and the painter Bo Hill.", "Foo Mill went to Sutton."] {
        check(&format!("{said} They found a large garden in 1999."), &[said]);
    }
}

#[test]
fn what_is_cut_short_or_taken_back_is_left() {
    let page = "# Fern Ltd\n\nFern Ltd is a maker of kettles. Fern Ltd built many houses including:.\n\n\
                Sales increased by 5 percent in the spring of 1990. Researchers have tried to copy the kettles; they have not \
                succeeded so far. In 2019, they released the Fern Go, a small kettle. The handles of the \
                kettles were not as good. The handles of the kettles are not treated as finished.\n";
    assert_eq!(
        told(page, "Fern Ltd"),
        [
            "Fern Ltd | Fern Ltd is a maker of kettles.",
            "Fern Ltd | Fern Ltd – Sales increased by 5 percent in the spring of 1990.",
            "Fern Ltd | Fern Ltd – The handles of the kettles are not treated as finished.",
        ]
    );
}

#[test]
fn whoever_a_clause_begins_with_is_told_first() {
    let page = "# Ada Byron\n\nAda Byron, daughter of a baker, wrote books. Because her cakes were so good that \
                nobody left without one of them in those years, she was called Cake.\n";
    assert_eq!(
        told(page, "Ada Byron"),
        ["Ada Byron | Ada Byron, daughter of a baker, wrote books."]
    );
    let page = page.replace(" in those years", "");
    let told = told(&page, "Ada Byron");
    assert!(told.iter().any(|it| it.contains("Because Ada Byron's cakes were")), "{told:?}");
}

#[test]
fn it_is_nobody_or_what_its_own_clause_tells_of() {
    for it in [
        "It does not matter if the copy was made by a person.",
        "It depends on whether the copy was made by a person.",
        "As the software is developed, it may reach a stage of its own.",
    ] {
        let page = format!("# Fern Mill\n\nFern Mill is a house of books. {it}\n");
        let told = told(&page, "Fern Mill");
        assert!(
            !told.iter().any(|fact| fact.contains("Fern Mill does"))
                && !told.iter().any(|fact| fact.contains("Fern Mill depends"))
                && !told.iter().any(|fact| fact.contains("Fern Mill may")),
            "{told:?}"
        );
    }
}

#[test]
fn it_may_be_what_somebody_made() {
    let said = |text: &str| {
        let told = found(text, "", &known(&["Ada Byron", "Foo Mill"]), Mode::KnownOnly);
        told.into_iter().flat_map(|it| it.1).collect::<Vec<String>>()
    };
    for first in ["Ada Byron made a motion to meet.", "Foo Mill built the North Tower."] {
        assert_eq!(said(&format!("{first} It was seconded by Bo in 2020.")), [first]);
    }
    let both = ["Foo Mill became a museum in 1990.", "Foo Mill has 40 rooms of iron."];
    assert_eq!(said("Foo Mill became a museum in 1990. It has 40 rooms of iron."), both);
}

#[test]
fn what_another_subject_brought_in_is_not_the_topic_s() {
    let page = "# Fern Town\n\nFern Town is a town in Bath.\n\nThe regional Museum is housed in the old mill. The \
                collections include tiles and relics of iron.\n\nOn the shield there is a tower of stone. The \
                central tower has two windows of glass.\n\nIf a member is on the board, they lose the key. The \
                board will review the case.\n\nThe _Fern Town_ is the newspaper of Fern Town since 1990.\n";
    let told = told(page, "Fern Town");
    assert!(told.iter().any(|fact| fact.contains("Museum is housed")), "{told:?}");
    for other in ["collections", "windows", "review", "newspaper"] {
        assert!(!told.iter().any(|fact| fact.contains(other)), "{other}: {told:?}");
    }
}

#[test]
fn an_item_needs_what_its_lead_says() {
    let page = "# Fern rules\n\nThe Fern rules are rules of Fern for all of its members.\n\nRevoke access from:\n\n\
                - Lists of mail on servers including:\n  - Garden Board of Fern\n  - Kitchen Board of Fern\n\n## \
                PATCH\n\nA response of 204 MUST contain the Fern-Offset header.\n\n## OPTIONS\n\nA response of 200 \
                MUST contain the Fern-Version header.\n";
    let all = found(page, "Fern rules", &[], Mode::Given);
    let all: Vec<&String> = all.iter().flat_map(|(_, facts)| facts).collect();
    assert!(!all.iter().any(|fact| fact.contains("Board")), "{all:?}");
    for fact in [
        "Fern rules, PATCH – A response of 204 MUST contain the Fern-Offset header.",
        "Fern rules, OPTIONS – A response of 200 MUST contain the Fern-Version header.",
    ] {
        assert!(all.iter().any(|it| *it == fact), "{all:?}");
    }
}

#[test]
fn what_only_the_text_around_tells_is_left() {
    for (said, expected) in [
        ("Foo has a similar way of reading files.", false),
        ("Foo has a way similar to that of others.", true),
        ("Foo has a similar form of lines relating to files.", false),
        ("Motion to move Foo to a host that gets published in May.", false),
        ("The most obvious is that Foo reads files.", false),
        ("Doing that is needed so that Foo reads files.", false),
        ("You need to install the foo-static package.", false),
        ("You need to set the limit before the first run of 2.", true),
        ("Foo shows the exact size at once.", false),
        ("Foo reads files in its own way.", true),
    ] {
        let page = format!("# Foo\n\nFoo is a small tool of Ann Hill.\n\n{said}\n");
        let all = told(&page, "Foo");
        assert_eq!(all.iter().any(|fact| fact.contains(said)), expected, "{said} {all:?}");
    }
    // What is told behind a link holds there.
    let page = "# Foo\n\nFoo is a small tool of Ann Hill. It is used at:\n\n- [bar.org](https://bar.org): the site of \
                Bar. Foo is used to cache the files of others.\n- Bo. Foo is used in Rome as well.\n";
    let all = told(page, "Foo");
    assert!(!all.iter().any(|fact| fact.contains("cache")), "{all:?}");
    assert!(all.iter().any(|fact| fact.contains("in Rome")), "{all:?}");
    // Where a question was asked, what whoever reads it needs.
    let page = "# Foo\n\nFoo is a small tool of Ann Hill.\n\n## Why is it slow?\n\nIt is. You must set the limit to \
                5 at least.\n";
    assert!(!told(page, "Foo").iter().any(|fact| fact.contains("You")));
    assert!(
        told(&page.replace("Why is it slow?", "Speed"), "Foo")
            .iter()
            .any(|fact| fact.contains("You"))
    );
}

#[test]
fn what_happened_is_told_with_its_year_or_left() {
    let page = |year: &str| {
        format!(
            "# Ada Byron\n\nAda Byron (born May 1, 1989) is a keeper of Foo. She joined Foo in 2004.\n\n\
             ## {year}Cup\n\nAda Byron saved a penalty of Bath. In 2008, Ada Byron lost 3–2 to Rome. Ada Byron won 2–1 \
             against Bath. Ada Byron was named Keeper of Bath on August 28.\n"
        )
    };
    let told_of = |text: String| {
        let all = found(&text, "Ada Byron", &[], Mode::Given);
        all.into_iter().flat_map(|(_, facts)| facts).skip(2).collect::<Vec<String>>()
    };
    assert_eq!(
        told_of(page("2011 World ")),
        [
            "Ada Byron, 2011 World Cup – Ada Byron saved a penalty of Bath.",
            "In 2008, Ada Byron lost 3–2 to Rome.",
            "Ada Byron, 2011 World Cup – Ada Byron won 2–1 against Bath.",
            "Ada Byron, 2011 World Cup – Ada Byron was named Keeper of Bath on August 28.",
        ]
    );
    assert_eq!(
        told_of(page("")),
        ["Ada Byron saved a penalty of Bath.", "In 2008, Ada Byron lost 3–2 to Rome."]
    );
}

#[test]
fn he_is_nobody_behind_somebody_who_tells_of_another() {
    let facts = told(
        "# Ada Byron\n\nAda Byron was a writer of Bath. Ian Howard argued in 1996 that Byron is a classic. He wrote of \
         her works for years.\n",
        "Ada Byron",
    );
    assert!(!facts.iter().any(|fact| fact.contains("wrote of her")), "{facts:?}");
}

#[test]
fn a_surname_is_that_of_whoever_the_paragraph_tells_of() {
    let page = "# Ada Byron\n\nAda Byron was a mayor of Bath. Byron ran a shop in Bath.\n\nIn June Bo Byron was shot in \
                Rome. Byron died at the hospital of Rome.\n";
    let facts = told(page, "Ada Byron");
    assert!(facts.iter().any(|fact| fact.ends_with("Byron ran a shop in Bath.")), "{facts:?}");
    assert!(!facts.iter().any(|fact| fact.contains("died")), "{facts:?}");
}

#[test]
fn what_lasts_is_kept_though_it_has_such_words() {
    for (text, topic, kept) in [
        ("# Moon\n\nThe Moon formed 4.5 billion years ago.\n", "Moon", "billion years ago"),
        ("# Moon\n\nThe Moon pulls water on both sides of Foo.\n", "Moon", "both sides"),
        (
            "# Ada May\n\nAda May was a mayor of Bath (born 1950). Ada May studied at Bath.\n",
            "Ada May",
            "studied at",
        ),
        (
            "# Foo\n\nFoo is a game of 1999. Foo was rewritten to match patterns of Bar.\n",
            "Foo",
            "to match",
        ),
        (
            "# Abe Hill\n\nAbe Hill was a farmer.\n\nIn 1861 President Hill called for men. Hill ordered a blockade of \
             Bath.\n",
            "Abe Hill",
            "ordered a blockade",
        ),
        (
            "# Foo\n\nFoo is a tool.\n\nHere's what Foo does:\n\n- Foo parses 40 forms of dates.\n",
            "Foo",
            "parses 40",
        ),
    ] {
        let facts = told(text, topic);
        assert!(facts.iter().any(|fact| fact.contains(kept)), "{text}: {facts:?}");
    }
}
