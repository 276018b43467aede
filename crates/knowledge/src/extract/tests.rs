use proptest::prelude::*;

use super::*;

fn found(text: &str, topic: &str, known: &[Known], mode: Mode) -> Vec<(String, Vec<String>)> {
    let document = Document { text, title: None };
    let entities = extract(&document, topic, known, mode).entities;
    let facts = |it: Found| (it.name, it.facts.into_iter().map(|fact| fact.text).collect());
    entities.into_iter().map(facts).collect()
}

fn check(text: &str, expected: &[(&str, &[&str])]) {
    let found = found(text, "", &[], Mode::Full);
    let found: Vec<(&str, Vec<&str>)> = found
        .iter()
        .map(|(name, facts)| (name.as_str(), facts.iter().map(String::as_str).collect()))
        .collect();
    let expected: Vec<(&str, Vec<&str>)> =
        expected.iter().map(|(name, facts)| (*name, facts.to_vec())).collect();
    assert_eq!(found, expected, "{text}");
}

fn known(names: &[&str]) -> Vec<Known> {
    names.iter().map(|name| Known { name: (*name).to_owned(), aliases: Vec::new() }).collect()
}

#[test]
fn definitions_bring_entities() {
    check(
        "The KEF LS50 Meta is a bookshelf speaker made by KEF. It costs $1,600. The speaker uses a Uni-Q driver.",
        &[(
            "KEF LS50 Meta",
            &[
                "The KEF LS50 Meta is a bookshelf speaker made by KEF.",
                "The KEF LS50 Meta costs $1,600.",
                "The KEF LS50 Meta uses a Uni-Q driver.",
            ],
        )],
    );
    check(
        "A waveguide is a structure that guides waves.",
        &[("waveguide", &["A waveguide is a structure that guides waves."])],
    );
    check(
        "Document Object Model (DOM) is an interface for trees. The DOM represents a page as nodes.",
        &[(
            "Document Object Model",
            &[
                "Document Object Model (DOM) is an interface for trees.",
                "The DOM represents a page as nodes.",
            ],
        )],
    );
    check(
        "- **Grafana**: a dashboard for metrics and logs\n- **Loki** - a store for log lines of all kinds\n",
        &[
            ("Grafana", &["Grafana: a dashboard for metrics and logs"]),
            ("Loki", &["Loki - a store for log lines of all kinds"]),
        ],
    );
    check("It was built on Foo DB, the fast key-value store, in 2019.", &[]);
    check(
        "The site was built on Foo DB, the fast key-value store, in 2019.",
        &[("Foo DB", &["The site was built on Foo DB, the fast key-value store, in 2019."])],
    );
    check(
        "Foo Bar (also known as Baz Qux) is a tool that works. Baz Qux was made in 1999.",
        &[(
            "Foo Bar",
            &["Foo Bar (also known as Baz Qux) is a tool that works.", "Baz Qux was made in 1999."],
        )],
    );
    check(
        ".. _x:\n\nContainer images\n~~~~~~~~~~~~~~~~\n\nContainer images hold all that a :ref:`program <p>` needs.",
        &[("Container images", &["Container images hold all that a program needs."])],
    );
    check(
        "# Container images\n\nContainer images hold everything that a program needs.",
        &[("Container images", &["Container images hold everything that a program needs."])],
    );
}

/// Name, aliases and facts, of a text that was read about a topic.
fn asked(text: &str, topic: &str) -> Vec<(String, Vec<String>, Vec<String>)> {
    let entities = extract(&Document { text, title: None }, topic, &[], Mode::Full).entities;
    let facts = |it: Vec<Statement>| it.into_iter().map(|fact| fact.text).collect();
    entities.into_iter().map(|it| (it.name, it.aliases, facts(it.facts))).collect()
}

fn check_asked(text: &str, topic: &str, expected: &[(&str, &[&str], &[&str])]) {
    let owned = |list: &[&str]| list.iter().map(|&it| it.to_owned()).collect::<Vec<String>>();
    let expected: Vec<_> = expected
        .iter()
        .map(|(name, aliases, facts)| ((*name).to_owned(), owned(aliases), owned(facts)))
        .collect();
    assert_eq!(asked(text, topic), expected, "{text}");
}

#[test]
fn what_was_asked_for_is_found() {
    for topic in ["Redis", "redis", "the Redis"] {
        check_asked(
            "Redis is an in-memory database. Redis was written by Salvatore Sanfilippo in 2009.",
            topic,
            &[(
                "Redis",
                &[],
                &[
                    "Redis is an in-memory database.",
                    "Redis was written by Salvatore Sanfilippo in 2009.",
                ],
            )],
        );
    }
    check_asked(
        "The euro is the currency of 20 states. It came into existence in 1999.",
        "euro",
        &[(
            "euro",
            &[],
            &["The euro is the currency of 20 states.", "The euro came into existence in 1999."],
        )],
    );
    check_asked("The overview is long. You are the reader of it.", "you", &[]);
}

#[test]
fn short_names_are_those_that_the_text_writes_out() {
    check_asked(
        "Nikola Tesla was an inventor. Tesla was born in Smiljan in 1856. He moved to New York in 1884.",
        "Nikola Tesla",
        &[(
            "Nikola Tesla",
            &["Tesla"],
            &[
                "Nikola Tesla was an inventor.",
                "Tesla was born in Smiljan in 1856.",
                "Tesla moved to New York in 1884.",
            ],
        )],
    );
    // Under the name that was asked for, whichever the text begins with.
    check_asked(
        "William Edward Simon was a businessman. William E. Simon became Secretary in 1974. Simon served until 1977.",
        "William E. Simon",
        &[(
            "William E. Simon",
            &["William Edward Simon", "Simon"],
            &[
                "William Edward Simon was a businessman.",
                "William E. Simon became Secretary in 1974.",
                "Simon served until 1977.",
            ],
        )],
    );
    // Of nobody who was asked for, the surname stays open elsewhere.
    check_asked(
        "Susan Wojcicki was appointed in 2014. Wojcicki stepped down in 2023.",
        "YouTube",
        &[(
            "Susan Wojcicki",
            &[],
            &["Susan Wojcicki was appointed in 2014.", "Wojcicki stepped down in 2023."],
        )],
    );
    check_asked(
        "# About SQLite\n\nSQLite is a library that holds databases. SQLite runs on all phones.",
        "about SQLite",
        &[(
            "SQLite",
            &[],
            &["SQLite is a library that holds databases.", "SQLite runs on all phones."],
        )],
    );
    // Who makes it is not it.
    let makers = asked(
        "KEF is a maker of speakers. The KEF LS50 Meta is a speaker by KEF.",
        "KEF LS50 Meta",
    );
    assert!(makers.iter().any(|(name, ..)| name == "KEF"), "{makers:?}");
    // Two of one name, a company called so too, a lake: nothing says who is meant.
    let apart = |text: &str, name: &str| {
        let found = asked(text, "");
        assert!(found.iter().any(|(it, ..)| it == name), "{text}: {found:?}");
    };
    apart(
        "Bill Clinton met Hillary Clinton in 1971. Clinton was governor of Arkansas. Clinton won the election.",
        "Clinton",
    );
    apart(
        "Nikola Tesla was an inventor. Tesla Motors is a company. Tesla grew in the year 2012. Tesla sells cars in Europe.",
        "Tesla",
    );
    apart("Lake Geneva is a deep lake. Geneva is a city in Switzerland.", "Geneva");
}

#[test]
fn one_thing_has_one_page_under_its_names() {
    let names = |text: &str, topic: &str| -> Vec<(String, Vec<String>)> {
        asked(text, topic).into_iter().map(|(name, aliases, _)| (name, aliases)).collect()
    };
    let own = |name: &str, aliases: &[&str]| {
        (name.to_owned(), aliases.iter().map(|it| (*it).to_owned()).collect::<Vec<_>>())
    };
    let curie = "Marie Skłodowska Curie was a physicist and chemist. Marie Curie was the first woman to win a Nobel Prize. Curie died in 1934.";
    assert_eq!(
        names(curie, "Marie Curie"),
        [own("Marie Curie", &["Marie Skłodowska Curie", "Curie"])]
    );
    let drone =
        "The Falkner TX-9 is a drone for farms. The TX-9 weighs 4 kg. The TX9 flies for an hour.";
    for topic in ["TX-9", "Falkner TX-9", "drones"] {
        assert_eq!(names(drone, topic), [own("Falkner TX-9", &["TX-9", "TX9"])], "{topic}");
    }
    // Two have this number.
    let two = "The Falkner TX-9 is a drone for farms. The Ammer TX-9 is a kettle for two. The TX-9 weighs 4 kg.";
    assert_eq!(names(two, "drones").len(), 3);
}

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
        &["The Foo Server is fast today.", "The Foo Server listens on port 8080."],
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
        &["Ada Byron was born in 1815.", "Ada Byron wrote the first program."],
    );
    check(
        "Ada Byron was born in 1815. Her friend Mary Somerville taught. She was famous.",
        &["Ada Byron was born in 1815."],
    );
    for text in [
        "The Foo Server was written by her in 2019.",
        "The Foo Server solves such incompatibilities at once.",
        "The Foo Server was the best one at the time.",
        "After this, the Foo Server was sold to others.",
        "Therefore, the Foo Server is rarely used now.",
        "The Foo Server may do the following: 1.",
    ] {
        check(text, &[]);
    }
}

#[test]
fn rows_are_facts_of_what_they_are_about() {
    check_asked(
        "# KEF R3\n\nThe KEF R3 is a speaker for shelves.\n\n| | |\n|-|-|\n| Weight | 13.5 kg |\n| Drivers | One `Uni-Q` array |\n\n| Model | Price |\n|-|-|\n| KEF R3 | $2,199 |\n| Nobody | $1 |\n",
        "KEF R3",
        &[(
            "KEF R3",
            &[],
            &[
                "The KEF R3 is a speaker for shelves.",
                "KEF R3 – Weight: 13.5 kg",
                "KEF R3 – Drivers: One Uni-Q array",
                "KEF R3 – Price: $2,199",
            ],
        )],
    );
    check_asked(
        "# Ada Byron\n\nname: Ada Byron\nborn in: London, England\nfield of work: computing\n\nAda Byron was a writer of programs.\n",
        "Ada Byron",
        &[(
            "Ada Byron",
            &[],
            &[
                "Ada Byron was a writer of programs.",
                "Ada Byron – born in: London, England",
                "Ada Byron – field of work: computing",
            ],
        )],
    );
}

#[test]
fn lists_of_properties_are_those_of_their_page() {
    // Front matter, a list, and a table whose first column says which.
    check_asked(
        "---\ntitle: Ada 3\nmaker: Fern Ltd\ntags: [x]\n---\n# Ada 3\n\n- **Weight**: 2 kg\n- **Colour**: red, green\n- **Power**: 40 W\n\n| Version | Year | Price |\n|-|-|-|\n| 1.0 | 2019 | $20 |\n\n## Usage\n\n- install: make all\n- clean: make clean\n- test: make test\n",
        "Ada 3",
        &[(
            "Ada 3",
            &[],
            &[
                "Ada 3 – maker: Fern Ltd",
                "Ada 3 – Version 1.0, Year: 2019",
                "Ada 3 – Version 1.0, Price: $20",
                "Ada 3 – Weight: 2 kg",
                "Ada 3 – Colour: red, green",
                "Ada 3 – Power: 40 W",
            ],
        )],
    );
    // One line that says more does not make prose of an infobox; what only a form asks for is left.
    check_asked(
        "# Fernland\n\nmotto: Unity is strength\ncurrency: Euro\nlargest city: capital\ncapital: Ferntown\nleader name2: Ada\narea: 20 km\n",
        "Fernland",
        &[(
            "Fernland",
            &[],
            &[
                "Fernland – motto: Unity is strength",
                "Fernland – currency: Euro",
                "Fernland – capital: Ferntown",
                "Fernland – area: 20 km",
            ],
        )],
    );
}

#[test]
fn what_a_page_is_about_goes_on_through_it() {
    check_asked(
        "# Fern Ltd\n\nFern Ltd, officially the Fern Company (Fern Co), also called Ferny, is a maker of kettles. Its head is Ada.\n\nThe company's office is in Sutton. The company moved there from Bath in 1990.\n\nIn 2001, a plaque was unveiled in honour of Fern Ltd by the mayor of Sutton. Others praised Fern Ltd, but it declined.\n",
        "Fern Ltd",
        &[(
            "Fern Ltd",
            &["Ferny"],
            &[
                "Fern Ltd, officially the Fern Company (Fern Co), also called Ferny, is a maker of kettles.",
                "Fern Ltd's head is Ada.",
                "Fern Ltd's office is in Sutton.",
                "In 2001, a plaque was unveiled in honour of Fern Ltd by the mayor of Sutton.",
            ],
        )],
    );
    // Another company stands between, and another film.
    for other in ["Moss Ltd is a maker of cups.", "Moss Ltd is a company in Bath."] {
        let text = format!(
            "# Fern Ltd\n\nFern Ltd is a maker of kettles.\n\n{other} Nobody knows.\n\nThe company moved to Sutton in 1990.\n"
        );
        let found = asked(&text, "Fern Ltd");
        let moved = |fact: &String| fact.contains("moved");
        assert!(!found.iter().any(|(.., facts)| facts.iter().any(moved)), "{found:?}");
    }
}

#[test]
fn names_of_other_languages_are_those_that_can_be_nothing_else() {
    let names = |text: &str, topic: &str| -> Vec<String> {
        asked(text, topic).into_iter().map(|it| it.0).collect()
    };
    let german = "Das Fern-Projekt ist eine Gruppe von Leuten und wurde im Jahr 1993 gegründet. SPI wurde gegründet, um der Gruppe zu helfen. Verschiedene Typen werden von der Gruppe unterstützt. Das Ziel des Projekts ist die Hilfe für alle Leute.";
    assert_eq!(names(german, "Fern-Projekt"), ["Fern-Projekt", "SPI"]);
    let french = "Fern 1.0 n'est jamais parue dans les magasins de la ville. Fern 1.1 (juin 1996) : ce fut la première version avec un nom de code. Il était une fois dans la ville.";
    assert_eq!(names(french, "versions de Fern"), ["Fern 1.0"]);
}

#[test]
fn minutes_say_who_was_there_what_was_decided_and_who_said_what() {
    check_asked(
        "# 2024-03-05\n\n## Attendees\n\n- Ada Byron\n- Jack Oclee (chair)\n- Mary Somerville\n\n## Discussion\n\n- Ada: The new release has three open bugs in the parser.\n- Jack: Could we hire somebody for the summer?\n- Mary: That is what they told us in May.\n- Nobody: Small talk happened at length on the balcony.\n\nDecision: The release moves to the first week of April.\n",
        "Fern steering meeting",
        &[
            (
                "Fern steering meeting",
                &[],
                &[
                    "Fern steering meeting, 2024-03-05 – attendees: Ada Byron, Jack Oclee, Mary Somerville",
                    "Fern steering meeting, 2024-03-05 – decision: The release moves to the first week of April.",
                ],
            ),
            ("Ada Byron", &[], &["Ada Byron: The new release has three open bugs in the parser."]),
        ],
    );
    // Who speaks is not enough: it may be a play, or a glossary.
    assert_eq!(
        asked("Ada: It is late in the day here.\n\nJack: So it is, my friend Ada.\n", "plays"),
        []
    );
}

#[test]
fn rows_of_another_page_are_not_what_was_asked_for() {
    let names = known(&["Redis", "KEF"]);
    for (title, topic) in [("Redis Cluster", "Redis"), ("Foo 3 | KEF", "KEF")] {
        let text = format!("# {title}\n\n| | |\n|-|-|\n| Open ports | 16379 and more |\n");
        assert_eq!(found(&text, topic, &names, Mode::Full), []);
    }
    // What is said line by line is no list of properties.
    let said = statements("Likes: I love espresso\nDislikes: I hate decaf\nPlan: I want tea\n");
    assert!(said.len() > 1, "{said:?}");
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
}

#[test]
fn other_languages_say_what_was_asked_for_and_nothing_else() {
    check_asked(
        "Wien ist die Hauptstadt von Österreich und die größte Stadt des Landes. Seit 1979 ist Wien ein Amtssitz der Vereinten Nationen. Es ist mit der Bahn zu erreichen. Es gibt viele Museen. Dort wurde Wien damals belagert. Michael Ludwig ist der Bürgermeister.",
        "wien",
        &[(
            "Wien",
            &[],
            &[
                "Wien ist die Hauptstadt von Österreich und die größte Stadt des Landes.",
                "Seit 1979 ist Wien ein Amtssitz der Vereinten Nationen.",
                "Wien ist mit der Bahn zu erreichen.",
            ],
        )],
    );
    check_asked(
        "Louis Pasteur est un scientifique et le pionnier de la microbiologie. Il naît à Dole dans le Jura en 1822.",
        "Louis Pasteur",
        &[(
            "Louis Pasteur",
            &[],
            &[
                "Louis Pasteur est un scientifique et le pionnier de la microbiologie.",
                "Louis Pasteur naît à Dole dans le Jura en 1822.",
            ],
        )],
    );
}

#[test]
fn what_is_no_entity_brings_none() {
    for text in [
        "",
        "# Overview\n\nOverview is a nice thing to have.",
        "Getting started is a matter of minutes. However, this is a good day.",
        "- [Home](/)\n- [Docs Pages](/d)\n- [Blog Posts](/b)\n",
        "We use cookies. The Cookie Banner is a thing that we show to all visitors.",
        "By John Smith, 12 March 2024",
        "```\nFoo Bar is a tool that does things.\n```\n",
        "| a | b |\n|---|---|\n| Foo Bar is a tool that does things. | x |\n",
        "Click Foo Bar to start. Is Foo Bar a tool that works? Open Foo Bar now.",
        "In this guide Foo Bar is a tool that we will use:",
        "March is a month that is cold. Monday is a day of the week.",
        "This is a tool that works. It is a tool that works. There is a tool that works.",
        "The result is a file that holds text. The best way is a walk in the park.",
        "## References\n\nFoo Bar is a tool that does things.\n",
        "\u{0}\u{202e}\u{feff} ... !!! 🎉🎉 ***",
    ] {
        check(text, &[]);
    }
}

#[test]
fn known_entities_gain_facts() {
    let text = "Espresso is strong. Kubernetes 1.31 ships new defaults for pods. It was released in August.\n\nNobody likes espresso. The pod's network is flat everywhere. Today, espresso needs fine ground beans.";
    let names = known(&["espresso", "Pod", "kubernetes 1.31"]);
    for mode in [Mode::KnownOnly, Mode::Full] {
        let all = found(text, "", &names, mode);
        assert_eq!(
            all.iter()
                .filter(|it| names.iter().any(|known| known.name == it.0))
                .cloned()
                .collect::<Vec<_>>(),
            [
                (
                    "kubernetes 1.31".to_owned(),
                    vec![
                        "Kubernetes 1.31 ships new defaults for pods.".to_owned(),
                        "Kubernetes 1.31 was released in August.".to_owned(),
                    ]
                ),
                ("Pod".to_owned(), vec!["The pod's network is flat everywhere.".to_owned()]),
                (
                    "espresso".to_owned(),
                    vec!["Today, espresso needs fine ground beans.".to_owned()]
                ),
            ]
        );
    }
}

#[test]
fn lines_are_those_of_the_document() {
    let text = "---\ntitle: x\n---\n\n# A\r\n\r\nFirst words here.\r\nFoo Bar is a tool\r\nthat works. Foo Bar was made in 1999.\r\n";
    let document = Document { text, title: None };
    let all = extract(&document, "", &[], Mode::Full).entities;
    let lines: Vec<usize> =
        all.iter().flat_map(|it| it.facts.iter().map(|fact| fact.line)).collect();
    assert_eq!(lines, [8, 9]);
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
    check("Foo is a fast tool. Others differ. It runs on all systems.", &["Foo is a fast tool."]);
    check("Foo is a fast tool. It is important to read more.", &["Foo is a fast tool."]);
    check(
        "Foo development is slow these days. It runs on coffee alone.",
        &["Foo development is slow these days."],
    );
}

#[test]
fn caps_hold() {
    let many: String =
        (0..300).map(|n| format!("Tool X{n}Y is a thing that works well.\n\n")).collect();
    assert_eq!(found(&many, "", &[], Mode::Full).len(), MAX_ENTITIES);
    let much: String = (0..100).map(|n| format!("Foo Bar has {n} parts in it. ")).collect();
    assert_eq!(found(&much, "", &known(&["Foo Bar"]), Mode::Full)[0].1.len(), MAX_FACTS);
}

/// Each of these is 200 kB of what would cost a careless reader most.
#[test]
fn hostile_texts_are_read() {
    for part in [
        ">",
        "[",
        "*",
        "**a",
        "`",
        "{{",
        "{{<",
        "(",
        "A ",
        "A and ",
        "Foo is a ",
        ". . ",
        "- ",
        "# ",
        "<b>",
        "|-|",
        "![",
        "\u{202e}",
        "\u{0}",
        "🎉",
        "東京。",
        "a\r",
        "\r\n\r\n",
        "Foo, a ",
        "'",
        "the ",
        "— ",
        "(Foo) ",
        "[^a]",
        "J. ",
        "a\n",
        "a: b\n",
        "|a|",
        "Es gibt ",
    ] {
        let text = part.repeat(200_000 / part.len());
        let document = Document { text: &text, title: Some(&text) };
        let all = extract(
            &document,
            &text[..text.floor_char_boundary(5_000)],
            &known(&["Foo"]),
            Mode::Full,
        );
        assert!(all.entities.len() <= MAX_ENTITIES);
        statements(&text);
    }
}

fn prose() -> impl Strategy<Value = String> {
    let words = prop::sample::select(vec![
        "Foo", "Foo Bar", "the", "is", "a", "tool", "that", "It", "runs", "and", ",", ".", ". ",
        "\n", "\n\n", "# ", "- ", "**", "*", "`", "(", ")", "[X](y)", "KEF LS50", "was", "called",
        "–", ":", "?", "{{x}}", "東京", "\u{202e}", "Its", "speed", "The", "1.5", "Dr.",
        "In 2019,",
    ]);
    prop::collection::vec(words, 0..60).prop_map(|words| words.join(" "))
}

proptest! {
    #[test]
    fn known_only_brings_nothing_new(text in prose(), topic in ".{0,20}") {
        let names = known(&["Foo Bar", "tool", ""]);
        let document = Document { text: &text, title: Some("Foo") };
        let only = extract(&document, &topic, &names, Mode::KnownOnly);
        for it in &only.entities {
            let index = it.known.unwrap();
            prop_assert_eq!(&it.name, &names[index].name);
        }
        let none = extract(&document, &topic, &[], Mode::KnownOnly);
        prop_assert!(none.entities.is_empty());
    }

    #[test]
    fn what_is_found_keeps_the_promises(text in prose()) {
        let document = Document { text: &text, title: None };
        let all = extract(&document, "foo", &known(&["tool"]), Mode::Full);
        prop_assert_eq!(&all, &extract(&document, "foo", &known(&["tool"]), Mode::Full));
        let lines = text.lines().count().max(1);
        let mut keys = std::collections::HashSet::new();
        for it in &all.entities {
            prop_assert!(!it.facts.is_empty() && it.facts.len() <= MAX_FACTS);
            prop_assert!(it.known.is_some() || name::structural(&it.name).is_ok(), "{}", it.name);
            prop_assert!(keys.insert(fold::fold(&it.name)));
            for fact in &it.facts {
                prop_assert!(FACT_WORDS.contains(&fact.text.split_whitespace().filter(|word| word.chars().any(char::is_alphanumeric)).count()), "{}", fact.text);
                prop_assert!((1..=lines).contains(&fact.line));
                let shown = !fact.text.contains(['\n', '\u{202e}']) && !fact.text.ends_with('?');
                prop_assert!(shown, "{}", fact.text);
            }
        }
    }

    #[test]
    fn any_text_is_read(text in "(?s).{0,300}") {
        let document = Document { text: &text, title: Some(&text) };
        extract(&document, &text, &known(&[&text]), Mode::Full);
        statements(&text);
    }
}

/// The facts of a page under a topic, each with its entity.
fn told(text: &str, topic: &str) -> Vec<String> {
    let facts = found(text, topic, &[], Mode::Full).into_iter();
    facts
        .flat_map(|(name, facts)| facts.into_iter().map(move |it| format!("{name} | {it}")))
        .collect()
}

#[test]
fn what_a_page_says_of_its_thing_without_its_name_is_kept_under_it() {
    let page = "# Foo 3\n\nThe Foo 3 is a grinder.\n\nThe burrs are made of steel by Sola in Bern. \
                Then they were sold. In 1996 a second motor was added to it. You will love the new \
                steel lid of it. The result was made better. Pour the beans into the upper lid. The \
                `lid` was made of glass by Sola.\n\n## Examples\n\nThe cups are filled with coffee \
                by the host.\n";
    assert_eq!(
        told(page, "Foo 3"),
        [
            "Foo 3 | The Foo 3 is a grinder.",
            "Foo 3 | Foo 3 – The burrs are made of steel by Sola in Bern.",
        ]
    );
    // On a page about something else nothing is said of it.
    let other = page.replace("# Foo 3", "# Foo 3 Stand");
    assert_eq!(told(&other, "Sola"), ["Foo 3 | The Foo 3 is a grinder."]);
}

#[test]
fn a_readme_begins_with_what_its_thing_is() {
    let page = "# foo_bar\n\nFast reader of old tapes in Rust.\n\n## Features\n\n- Reads tapes of \
                all makers\n- Try it yourself\n\n## Usage\n\n- Tapes of one maker\n";
    assert_eq!(
        told(page, "foo_bar"),
        [
            "foo_bar | foo_bar – Fast reader of old tapes in Rust.",
            "foo_bar | foo_bar – Features: Reads tapes of all makers",
        ]
    );
}

#[test]
fn a_policy_is_that_of_what_was_asked_for() {
    let page = "# Security Policy\n\nReports of bugs are answered by the team within a week. ACME must \
                not be told first. ACME is a large maker of anvils.\n";
    assert_eq!(
        told(page, "security policy of foo"),
        [
            "security policy of foo | security policy of foo – ACME must not be told first.",
            "security policy of foo | security policy of foo – Reports of bugs are answered by the team within a week.",
            "ACME | ACME is a large maker of anvils.",
        ]
    );
}

#[test]
fn versions_bring_what_their_notes_list() {
    let page = "# Changelog\n\nAll that foo had.\n\n## 1.2.0 (2024-03-05)\n\n- #12: Add colours to \
                the lists of foo.\n- See it.\n\n## 1.1.0\n\n- Fix a panic of empty lists.\n";
    assert_eq!(
        told(page, "foo"),
        [
            "foo | foo 1.2.0 (2024-03-05) – Add colours to the lists of foo.",
            "foo | foo 1.1.0 – Fix a panic of empty lists.",
        ]
    );
}

#[test]
fn tables_are_told_apart_by_what_stands_above_them() {
    let table = "| Tool | Speed |\n|---|---|\n| slow mode | 4 MB/s |\n";
    let other = table.replace('4', "9");
    let page = format!("# foo\n\nSmall files\n{table}\nLarge files\n{other}");
    let of = |size: &str, speed: u8| {
        format!("foo | foo – {size} files, Tool slow mode, Speed: {speed} MB/s")
    };
    // What names each row is another thing: a column of tools.
    let page = page.replace("Tool", "Mode");
    let (small, large) =
        (of("Small", 4).replace("Tool", "Mode"), of("Large", 9).replace("Tool", "Mode"));
    assert_eq!(told(&page, "foo"), [small, large]);
    // Without it two values stand against each other, and neither is whole.
    let page = page.replace("Small files\n", "").replace("Large files\n", "");
    assert!(told(&page, "foo").is_empty(), "{:?}", told(&page, "foo"));
}

#[test]
fn what_is_private_or_cut_is_no_fact() {
    let page = "---\nname: Foo\nemail: jane@example.org\nphone: 0171 2345678\nstripe_api_key: abc def\n\
                apiKey: xyz\nsupport: by mail\n---\n# Foo\n\nFoo is about 55 to long and heavy. Foo is \
                a tool for mail.\n\n## Bar Works\n\n| | |\n|-|-|\n| Price | 4 francs |\n";
    assert_eq!(
        told(page, "Foo"),
        ["Foo | Foo is a tool for mail.", "Foo | Foo – support: by mail"]
    );
}

#[test]
fn other_languages_tell_of_the_thing_of_a_page_too() {
    let page = "# Einführung in Fern\n\nFern ist ein System für Gärten und wurde in Bern gebaut. Die \
                Regeln werden mit dem Befehl in den Kern geladen. Die Regeln kann man mit ihm laden. \
                Dann wurde es nicht besser und das war auch so.\n";
    assert_eq!(
        told(page, "Fern"),
        [
            "Fern | Fern ist ein System für Gärten und wurde in Bern gebaut.",
            "Fern | Fern – Die Regeln werden mit dem Befehl in den Kern geladen.",
        ]
    );
}

#[test]
fn what_stands_below_decisions_may_decide_nothing() {
    let page = "# Fern meeting, 2024-03-05\n\n## Present\n\n- Ada Byron\n- Jack Oclee\n\n## Decisions\n\n\
                - None of them today.\n- No decision was made on the lid.\n- The lid will be blue.\n";
    let decided: Vec<String> =
        told(page, "Fern").into_iter().filter(|fact| fact.contains("decisions:")).collect();
    assert_eq!(decided.len(), 1, "{decided:?}");
    assert!(decided[0].ends_with("decisions: The lid will be blue."));
}

#[test]
fn a_year_before_a_name_is_no_part_of_it() {
    let text = "In 1983 Acorn Computers began with chips. Acorn made many of them.";
    let names: Vec<String> =
        found(text, "chips", &[], Mode::Full).into_iter().map(|(name, _)| name).collect();
    assert!(names.iter().all(|name| !name.starts_with("1983")), "{names:?}");
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
