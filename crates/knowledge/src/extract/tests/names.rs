//! Which names a text brings in, and what is kept of them.

use super::*;

#[test]
fn definitions_bring_entities() {
    check(
        "The KEF LS50 Meta is a bookshelf speaker made by KEF. It costs $1,600.",
        &[(
            "KEF LS50 Meta",
            &[
                "The KEF LS50 Meta is a bookshelf speaker made by KEF.",
                "The KEF LS50 Meta costs $1,600.",
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
    for topic in ["WHO", "who"] {
        check_asked(
            "WHO is an agency of the United Nations. It was founded in 1948. Who works there is a doctor.",
            topic,
            &[(
                "WHO",
                &[],
                &["WHO is an agency of the United Nations.", "WHO was founded in 1948."],
            )],
        );
    }
    check_asked("It is cold there. It has no name.", "IT", &[]);
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
fn a_person_has_one_page_under_the_name_that_was_asked_for() {
    let said = "Ann May Hill is a player of Rome. Hill was born in Bath. She left Bath in 1999. \
                She won the Foo Cup.";
    let facts = ["Ann May Hill is a player of Rome.", "Hill was born in Bath."];
    let more = ["Hill left Bath in 1999.", "Hill won the Foo Cup."];
    let facts = [facts, more].concat();
    for page in [said.to_owned(), format!("Ann Hill\n\n\n{said}"), format!("# Ann Hill\n\n{said}")]
    {
        check_asked(&page, "Ann Hill", &[("Ann Hill", &["Ann May Hill", "Hill"], &facts)]);
    }
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
fn a_year_before_a_name_is_no_part_of_it() {
    let text = "In 1983 Acorn Computers began with chips. Acorn made many of them.";
    let names: Vec<String> =
        found(text, "chips", &[], Mode::Full).into_iter().map(|(name, _)| name).collect();
    assert!(names.iter().all(|name| !name.starts_with("1983")), "{names:?}");
}

#[test]
fn a_firm_is_one_and_what_stands_where_is_none() {
    let page = "# Oak Group\n\nThe Oak Group is a maker of kettles. In 1924, F Oak and Son Ltd was founded \
                in Sutton. F Oak and Son Ltd moved to Bath in 1962. Nearby are the Palace Theatre and \
                the Bath Street Mill.\n";
    let told = told(page, "Oak Group");
    let names: Vec<&str> = told.iter().filter_map(|it| it.split(" | ").next()).collect();
    assert_eq!(names, ["Oak Group", "F Oak and Son Ltd", "F Oak and Son Ltd"], "{told:?}");
}

#[test]
fn a_noun_for_one_of_many_names_none() {
    let page = "# Fern Fever\n\nFern Fever is an illness of ferns. The Court ordered a study of ferns in \
                1999. The Court has ruled again.\n\n## Diagnosis\n\nThe diagnosis is made by a test of \
                the leaves.\n";
    assert_eq!(
        told(page, "Fern Fever"),
        [
            "Fern Fever | Fern Fever is an illness of ferns.",
            "Fern Fever | Fern Fever – The diagnosis is made by a test of the leaves.",
        ]
    );
}
