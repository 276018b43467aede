//! What a page is about, and what it says of that without its name.

use super::*;

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
                "In 2001, a plaque was unveiled in honour of Fern Ltd by the mayor of Sutton.",
                "Fern Ltd – The company's office is in Sutton.",
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
fn minutes_say_who_was_there_and_what_was_decided() {
    check_asked(
        "# 2024-03-05\n\n## Attendees\n\n- Ada Byron\n- Jack Oclee (chair)\n- Mary Somerville\n\n## Discussion\n\n- Ada: The new release has three open bugs in the parser.\n- Jack: Could we hire somebody for the summer?\n- Mary: That is what they told us in May.\n- Nobody: Small talk happened at length on the balcony.\n\nDecision: The release moves to the first week of April.\n",
        "Fern steering meeting",
        &[(
            "Fern steering meeting",
            &[],
            &[
                "Fern steering meeting, 2024-03-05 – attendees: Ada Byron, Jack Oclee, Mary Somerville",
                "Fern steering meeting, 2024-03-05 – decision: The release moves to the first week of April.",
            ],
        )],
    );
    // What was to be discussed is not so.
    let page = "# Foo meeting\n\n## Present\n\n- Ada Byron\n- Jack Oclee\n\n## Agenda\n\n- GitHub Actions \
                needs approval.\n\n## Minutes\n\n- GitHub Actions was approved by all.\n";
    let all = found(page, "Foo meeting", &[], Mode::Given);
    let all: Vec<&String> = all.iter().flat_map(|(_, facts)| facts).collect();
    assert!(all.iter().any(|fact| fact.contains("was approved")), "{all:?}");
    assert!(!all.iter().any(|fact| fact.contains("needs approval")), "{all:?}");
    // Who speaks is not enough: it may be a play, or a glossary.
    assert_eq!(
        asked("Ada: It is late in the day here.\n\nJack: So it is, my friend Ada.\n", "plays"),
        []
    );
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
    // `Engineering` is done by nobody here; what a list leads up to with `you` needs its lead.
    let page = "# Policy on awards\n\n**Of the board**\nAwards are given by the officers.\n\nBefore you \
                apply, make sure of this:\n\n- You will have a quiet place to work in\n";
    let all = found(page, "Engineering Society policy on awards", &[], Mode::Given);
    let all: Vec<&String> = all.iter().flat_map(|(_, facts)| facts).collect();
    assert_eq!(all, ["Engineering Society policy on awards – Awards are given by the officers."]);
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
fn what_stands_below_decisions_may_decide_nothing() {
    let page = "# Fern meeting, 2024-03-05\n\n## Present\n\n- Ada Byron\n- Jack Oclee\n\n## Decisions\n\n\
                - None of them today.\n- No decision was made on the lid.\n- The lid will be blue.\n";
    let decided: Vec<String> =
        told(page, "Fern").into_iter().filter(|fact| fact.contains("decisions:")).collect();
    assert_eq!(decided.len(), 1, "{decided:?}");
    assert!(decided[0].ends_with("decisions: The lid will be blue."));
}

#[test]
fn what_is_said_of_a_part_is_said_of_the_thing() {
    let page = "# Fern\n\nFern is a database. The source code to Fern is in the public domain. Free \
                support for Fern is offered by Bo Hill.\n";
    assert_eq!(
        told(page, "Fern"),
        [
            "Fern | Fern is a database.",
            "Fern | The source code to Fern is in the public domain.",
            "Fern | Free support for Fern is offered by Bo Hill.",
        ]
    );
}

#[test]
fn a_first_line_that_is_the_topic_is_a_heading() {
    let facts = [
        "Fern Hill | Fern Hill is the highest point of Sutton.",
        "Fern Hill | Fern Hill, Woods – The lowest slopes are covered with birches.",
    ];
    // Beside the title of a page, a first heading names no part of it.
    let plain = [facts[0], "Fern Hill | Fern Hill – The lowest slopes are covered with birches."];
    let text = "Fern Hill is the highest point of Sutton.\n\n# Woods\n\nThe lowest slopes are covered \
                with birches.\n";
    for (title, expected) in [
        ("Fern_Hill\n\n", facts.as_slice()),
        ("\nFern Hill (Sutton)\n\n", facts.as_slice()),
        ("---\ntitle: Why Fern Hill?\n---\n\n", plain.as_slice()),
        ("Oak_Hill\n\n", &facts[..1]),
        ("Fern_Hill\n", facts.as_slice()),
    ] {
        let page = format!("{title}{text}");
        assert_eq!(told(&page, "Fern Hill"), expected, "{page}");
    }
}

#[test]
fn an_acronym_is_no_plural_of_another() {
    let page = "---\ntitle: Why FOOS\n---\n\nFOO is a protocol for all. FOO has become central.\n\n\
                FOOS can provide a fast connection.\n";
    let told = told(page, "FOOS");
    assert!(told.contains(&"FOOS | FOOS can provide a fast connection.".to_owned()), "{told:?}");
}

#[test]
fn subjects_are_more_than_a_name() {
    let facts = |text: &str| {
        told(&format!("# Fern Hill\n\n{text}\n"), "Fern Hill")
            .into_iter()
            .map(|it| it.split_once(" | ").unwrap().1.to_owned())
            .collect::<Vec<String>>()
    };
    for text in [
        "Fern Hill, a hill of birches, attracted five painters in 1960, followed by others.",
        "In 1890, 35 year old joiner Ada Byron climbed Fern Hill.",
    ] {
        assert_eq!(facts(text), [text]);
    }
    for text in [
        "About 80% are covered with birches of all kinds.",
        "A set of birches is cut by a team each year.",
        "A maximum of three touches is allowed for each team.",
    ] {
        let told = facts(&format!("Fern Hill is a hill.\n\n{text}"));
        assert_eq!(told.last(), Some(&format!("Fern Hill – {text}")), "{told:?}");
    }
}

#[test]
fn what_a_page_says_below_the_name_of_another_thing_is_said_of_that() {
    let page = "# Fern Hills\n\nFern Hills are old volcanoes, and Yasur is one of them.\n\n## Yasur\n\n\
                The eruptions have been small and frequent since 1774.\n\n## Climate\n\nThe summers \
                are wet and warm in the valleys.\n";
    let told = told(page, "Fern Hills");
    for fact in [
        "Fern Hills | Fern Hills, Yasur – The eruptions have been small and frequent since 1774.",
        "Fern Hills | Fern Hills, Climate – The summers are wet and warm in the valleys.",
    ] {
        assert!(told.iter().any(|it| it == fact), "{told:?}");
    }
}

#[test]
fn steps_and_open_quotations_are_no_facts() {
    let page = "# Fern Bread\n\nFern Bread is a bread of ferns.\n\n1. Stretch the dough. The dough \
                should hold for a minute without any tear.\n\n- The crust is made of old ferns from \
                the hills.\n\nFern Bread, as Ann Hill wrote, “is the best of the breads. None is \
                like it.” Following is a list of all the breads that are known.\n";
    assert_eq!(
        told(page, "Fern Bread"),
        [
            "Fern Bread | Fern Bread is a bread of ferns.",
            "Fern Bread | Fern Bread – The crust is made of old ferns from the hills.",
        ]
    );
}

#[test]
fn a_title_may_say_less_than_what_was_asked_for() {
    let facts = "The hills are old volcanoes that sleep since 1774.";
    for (title, topic, name) in [
        ("wersi-mk1-editor", "wersi mk1 editor", "wersi-mk1-editor"),
        ("Fern Hill", "fern hill geology", "Fern Hill"),
        ("Moonlighting", "Fern Works moonlighting", "Moonlighting"),
    ] {
        let told = told(&format!("# {title}\n\n{facts}\n"), topic);
        assert_eq!(told, [format!("{name} | {name} – {facts}")], "{title}");
    }
}

#[test]
fn an_acronym_stands_for_what_was_asked_for() {
    let page = "# Ways\n\nOne way is old fern removal (OFR) by hand. OFR is a method of gardening. OFR was \
                invented in 1960. Again, OFR was banned. In 1970 OFR again evaded its end.\n";
    assert_eq!(
        asked(page, "old fern removal"),
        [(
            "old fern removal".to_owned(),
            vec!["OFR".to_owned()],
            vec![
                "One way is old fern removal (OFR) by hand.".to_owned(),
                "OFR is a method of gardening.".to_owned(),
                "OFR was invented in 1960.".to_owned(),
            ]
        )]
    );
}

#[test]
fn what_names_nothing_alone_is_told_of_what_was_asked_for() {
    let page = "# Fern Garden\n\nFern Garden is a park in Bern with many old trees. The Quad was first used \
                as a field for games. The show was installed in the Great Hall.\n\n- Who’s going to decide.\n";
    let said = |text: &str, topic: &str| -> Vec<String> {
        let all = found(text, topic, &[], Mode::Given).into_iter();
        all.flat_map(|(name, facts)| facts.into_iter().map(move |it| format!("{name} | {it}")))
            .collect()
    };
    assert_eq!(
        said(page, "Fern Garden"),
        [
            "Fern Garden | Fern Garden is a park in Bern with many old trees.",
            "Fern Garden | Fern Garden – The Quad was first used as a field for games.",
        ]
    );
    let page = "---\nsidebarDepth: 2\n---\n\n# Befehle-Liste\n\nOak Tool kann mit Befehlen aus der Liste \
                gesteuert werden. Dies erlaubt es dir auf die Liste zu sehen. Das erlaubt es auch allen zu \
                sehen. Das Beispiel oben nutzt den Pfad von Oak. Die Anwendung wird mit dem Befehl in den \
                Kern geladen.\n";
    assert_eq!(
        said(page, "Oak Tool Befehle"),
        [
            "Oak Tool Befehle | Oak Tool Befehle – Die Anwendung wird mit dem Befehl in den Kern geladen.",
        ]
    );
}

#[test]
fn text_beside_blocks_of_html_is_read() {
    let page = "# Fern\n\nFern is a mail server.\n\n<div class=\"x\">\n<img src=\"a.png\">\n</div>The Fern server \
                listens on port 2525.\n\n<details>\n<summary>Limits</summary>\nFern keeps at most *50* \
                mailboxes.\n</details>\n";
    assert_eq!(
        told(page, "Fern"),
        [
            "Fern | Fern is a mail server.",
            "Fern | The Fern server listens on port 2525.",
            "Fern | Fern keeps at most 50 mailboxes.",
        ]
    );
}

#[test]
fn numbered_lines_are_told_one_by_one() {
    let page = "# Fees of Fern\n\nFern is a club.\n\n(1) The fee of Fern is 20 euros a month.\n(2) The fee for \
                supporting members is 5 euros a month.\n(3) Honorary members are exempt from fees.\n";
    let document = Document { text: page, title: None };
    let all = extract(&document, "Fern", &[], Mode::Given).entities;
    let all = all.iter().flat_map(|it| &it.facts).map(|fact| (fact.line, fact.text.as_str()));
    assert_eq!(
        all.collect::<Vec<_>>(),
        [
            (3, "Fern is a club."),
            (5, "The fee of Fern is 20 euros a month."),
            (6, "Fern – The fee for supporting members is 5 euros a month."),
            (7, "Fern – Honorary members are exempt from fees."),
        ]
    );
}

#[test]
fn a_manual_of_perl_is_read() {
    let page = "=head1 NAME\n\nQuestions about Foo::Bar\n\n=head1 LIMITS\n\nThe C<Foo::Bar> module is not \
                compatible with C<tar> of Unix.\n\n=over\n\n=item --all\n\nRead all of the tapes.\n\n=item \
                --none\n\nRead none of the tapes.\n\n=back\n\n=cut\n\nmy $tape = 1;\n";
    let all = found(page, "Foo::Bar", &[], Mode::Given);
    let all: Vec<&String> = all.iter().flat_map(|(_, facts)| facts).collect();
    for fact in [
        "Foo::Bar – LIMITS, --all: Read all of the tapes.",
        "The Foo::Bar module is not compatible with tar of Unix.",
    ] {
        assert!(all.iter().any(|it| *it == fact), "{all:?}");
    }
}

#[test]
fn features_may_be_of_one_kind() {
    for (heading, expected) in [("Hardware Features", 1), ("Features", 1), ("Planned Features", 0)]
    {
        let page = format!(
            "# Foo-3\n\nThe Foo-3 is a board.\n\n## {heading}\n\n* Up to 24 GPIOs via headers\n"
        );
        let told = told(&page, "Foo-3");
        let listed =
            told.iter().filter(|fact| fact.ends_with("Features: Up to 24 GPIOs via headers"));
        assert_eq!(listed.count(), expected, "{told:?}");
    }
}

#[test]
fn minutes_have_the_day_of_their_front_matter_and_people_behind_what_they_are() {
    let page = "---\ntitle: Q4 Board of Directors Meeting\ndate: 2023-11-16 19:00:00 -0800\n---\n\n## \
                Minutes\n\nAttendees:\n* Board members: President Ann Hill, Clerk Bo Oak\n* Members: Cy \
                Fern\n\n### Mower\n\nThe board of Fern bought a mower for $200.\n\nThe motion passed \
                3-0.\n\nAnn asked if Bo would mow the lawn.\n\nMeeting adjourned at 8 p.m.\n";
    let all = found(page, "Fern HOA", &[], Mode::Given);
    let all: Vec<&String> = all.iter().flat_map(|(_, facts)| facts).collect();
    for fact in [
        "Fern HOA, 2023-11-16 – attendees: Ann Hill, Bo Oak, Cy Fern",
        "Fern HOA, 2023-11-16, Mower – The motion passed 3-0.",
    ] {
        assert!(all.iter().any(|it| *it == fact), "{fact} {all:?}");
    }
    assert!(!all.iter().any(|it| it.contains("asked") || it.contains("adjourned")), "{all:?}");
}

#[test]
fn all_who_were_there_are_named_and_nobody_else() {
    let page = "# Minutes of the board, 3 May 2024\n\nPresent: Mayor Ann Hill, Members Bo Oak and Cy Fern.\n\
                Absent: Di Elm (excused), Ed Yew.\nStaff: Clerk Flo Ash, Gus Ivy.\n\nThe board met.\n";
    let all = found(page, "Fern town board", &[], Mode::Given);
    let all: Vec<&String> = all.iter().flat_map(|(_, facts)| facts).collect();
    let present = all.iter().find(|fact| fact.contains("present: ")).unwrap();
    let missing = ["Ann Hill", "Bo Oak", "Cy Fern", "Flo Ash", "Gus Ivy"]
        .into_iter()
        .filter(|name| !present.contains(name));
    assert_eq!(missing.count(), 0, "{present}");
    assert!(!present.contains("Elm") && !present.contains("Yew"), "{present}");
}

#[test]
fn what_was_cut_out_or_files_a_page_is_left() {
    let page = "---\nviews: 752\nmaker: Oak Ltd\n---\n\nFERN BRIDGE () is a bridge in Bar. It carries the A1 \
                road.[2][3]\n\nFern Bridge is 30 metres long.\n\nExternal links\n\n- Fern Bridge is listed by \
                the portal of bridges\n";
    assert_eq!(
        told(page, "Fern Bridge"),
        [
            "Fern Bridge | Fern Bridge is a bridge in Bar.",
            "Fern Bridge | Fern Bridge carries the A1 road.",
            "Fern Bridge | Fern Bridge is 30 metres long.",
            "Fern Bridge | Fern Bridge – maker: Oak Ltd",
        ]
    );
}

#[test]
fn names_in_angle_brackets_are_said_and_other_versions_are_not() {
    let page = "# Foo bus\n\nThe Foo bus reads its <policy> element at the start.\n";
    assert_eq!(
        told(page, "Foo bus"),
        ["Foo bus | The Foo bus reads its <policy> element at the start."]
    );
    let notes = "## Foo 1.2\n\n### Highlights:\n- new red translation\n\n## Foo 1.1\n\n### \
                 Highlights:\n- new black translation\n";
    let told = found(notes, "Foo 1.2", &[], Mode::Given);
    let told: Vec<&String> = told.iter().flat_map(|(_, facts)| facts).collect();
    assert!(!told.iter().any(|fact| fact.contains("black")), "{told:?}");
    assert!(told.iter().any(|fact| fact.contains("red")), "{told:?}");
}

#[test]
fn words_parted_at_the_ends_of_lines_are_whole() {
    for text in [
        "# Fern\n\nFern is a club of the town. Der Verein beschloss Sofort\u{2010}\nma\u{df}nahmen in 2020.\n",
        "# Fern\n\nFern is an old club aus\u{2010}\n![x](y.png)\n",
    ] {
        told(text, "Fern");
    }
}

#[test]
fn a_struck_heading_a_name_and_features_are_read() {
    let news = "# Foo\n\nFoo is a tool of Ann.\n\n## 1.1.0\n\n- Added a new lid.\n\n## ~~1.0.0~~\n\n### Removed\n\n- Lid \
                struct (#1)\n- Old lids are no longer read.\n";
    let all = told(news, "Foo");
    for fact in [
        "Foo 1.1.0 – Added a new lid.",
        "Foo 1.0.0, Removed – Lid struct (#1)",
        "Foo 1.0.0 – Old lids are no longer read.",
    ] {
        assert!(all.iter().any(|it| it.ends_with(fact)), "{fact} {all:?}");
    }
    let listed = "# foo\n\nfoo is a small tool of Ann Hill.\n\n- foo: print lines of all files\n";
    assert!(told(listed, "foo").contains(&"foo | foo: print lines of all files".to_owned()));
    let readme =
        "# Foo\n\nFoo is a tool of Ann.\n\nFeatures:\n\n* Parses times in any form\n* Small size\n";
    assert!(
        told(readme, "Foo").contains(&"Foo | Foo – Features: Parses times in any form".to_owned())
    );
    let about =
        "# Foo FAQ\n\nThis file is for the questions of everybody.\n\nFoo is a tool of Ann.\n";
    assert!(!told(about, "Foo").iter().any(|fact| fact.contains("questions")));
    let graded = "---\ntitle: Foo\ngrade: C-\nyear: 1950\nlanguage: German\n---\n\nFoo is a film of Ann Hill.\n";
    assert!(!told(graded, "Foo").iter().any(|fact| fact.contains("C-")));
}
