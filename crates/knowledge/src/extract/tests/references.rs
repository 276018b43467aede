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
    // `It` is no name of what the same clause names.
    check(
        "The Foo Server is fast today. It is a goal of the Foo Server to stay fast.",
        &["The Foo Server is fast today."],
    );
    check(
        "The Foo Server is fast today. It is a part of the Sea Suite since 2020.",
        &["The Foo Server is fast today.", "The Foo Server is a part of the Sea Suite since 2020."],
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
fn nouns_that_point_back_give_way_to_a_name_or_the_fact_is_left() {
    let page = "# Fern Tale\n\nFern Tale is a novel by Ada Byron. Ada Byron wrote the book in 1843. \
                Ada Byron sold the property to Bo Hill. However, Ada Byron was praised by critics.\n\n\
                It won the Oak Prize in 1850.\n";
    assert_eq!(
        told(page, "Fern Tale"),
        [
            "Fern Tale | Fern Tale is a novel by Ada Byron.",
            "Fern Tale | Fern Tale won the Oak Prize in 1850.",
            "Ada Byron | Ada Byron wrote Fern Tale in 1843.",
            "Ada Byron | Ada Byron was praised by critics.",
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
    for (said, they) in [
        ("Foo Mill sent Ada Oak and the painter Bo Hill.", None),
        ("Foo Mill went to Sutton.", None),
        ("Foo Band went to Sutton.", Some("Foo Band found a large garden in 1999.")),
    ] {
        let they: Vec<&str> = [said].into_iter().chain(they).collect();
        check(&format!("{said} They found a large garden in 1999."), &they);
    }
    let said = "Foo Mill recovered the domain foo.example in 2016.";
    check(&format!("{said} It had been abusively registered by others."), &[said]);
}

#[test]
fn what_is_cut_short_or_taken_back_is_left() {
    let page = "# Fern Ltd\n\nFern Ltd is a maker of kettles. Fern Ltd built many houses including:.\n\n\
                Petitions sponsored by Katherine Oak and the Institute of Sutton. Sales increased by 5 \
                percent in the spring of 1990. Researchers have tried to copy the kettles; they have not \
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
fn she_may_be_whom_the_page_told_of_before() {
    let page = "# Ada Byron\n\nAda Byron was born in Sutton. She was deemed tall for that time of year. \
                Bo Hill, an archaeologist from Bath, thought that she had been ill. Her hat has been \
                on show in Sutton. Bo Hill met Ada Byron and her brother in 1840.\n";
    assert_eq!(
        told(page, "Ada Byron"),
        [
            "Ada Byron | Ada Byron was born in Sutton.",
            "Ada Byron | Ada Byron's hat has been on show in Sutton.",
            "Bo Hill | Bo Hill met Ada Byron and her brother in 1840.",
        ]
    );
}

#[test]
fn they_are_all_of_a_kind_that_one_was_told_of() {
    let page = "# Fern fit\n\nA fern fit is an illness of ferns. They most commonly occur in spring. They are \
                more common in Sutton.\n";
    assert_eq!(
        told(page, "fern fit"),
        [
            "fern fit | A fern fit is an illness of ferns.",
            "fern fit | Fern fits most commonly occur in spring.",
            "fern fit | Fern fits are more common in Sutton.",
        ]
    );
}

#[test]
fn a_noun_that_the_page_brought_in_points_back_where_others_are_told_of() {
    let page = "# Fern Hill\n\nFern Hill has a wooden tent. Bascom Lodge was built in 1932. The Oak Club \
                managed the lodge for years. Ada Byron slept in the tent. Bo Hill sailed around the world. \
                Cy Oak bought a tent, and the tent was green. Fern Hill lost the tent in 1990.\n";
    let told = told(page, "Fern Hill");
    for (fact, expected) in [
        ("managed the lodge", false),
        ("slept in the tent", false),
        ("around the world", true),
        ("the tent was green", true),
        ("Fern Hill lost the tent", true),
    ] {
        assert_eq!(told.iter().any(|it| it.contains(fact)), expected, "{fact}: {told:?}");
    }
}

#[test]
fn an_event_of_one_year_is_not_all_of_them() {
    let page = "# Fern Cup\n\nThe Fern Cup is a competition in Sutton. The event is held in May. The 2018 \
                competition attracted 30 teams. The event began in 1990.\n";
    assert_eq!(
        told(page, "Fern Cup"),
        [
            "Fern Cup | The Fern Cup is a competition in Sutton.",
            "Fern Cup | The Fern Cup is held in May.",
            "Fern Cup | The Fern Cup began in 1990.",
            "Fern Cup | Fern Cup – The 2018 competition attracted 30 teams.",
        ]
    );
}

#[test]
fn whoever_a_clause_begins_with_is_told_first() {
    let page = "# Ada Byron\n\nAda Byron, daughter of a baker, wrote books. Because her cakes were so good that \
                nobody left without one of them in those years, she was called Cake.\n\nMost large cakes were \
                made for the mayor.\n";
    assert_eq!(
        told(page, "Ada Byron"),
        [
            "Ada Byron | Ada Byron, daughter of a baker, wrote books.",
            "Ada Byron | Ada Byron – Most large cakes were made for the mayor.",
        ]
    );
    let page = page.replace(" in those years", "");
    let told = told(&page, "Ada Byron");
    assert!(told.iter().any(|it| it.contains("Because Ada Byron's cakes were")), "{told:?}");
}
