//! What a page says of its own thing without its name.

use super::*;

/// What is told of a page of Foo beside its first sentence.
fn below(text: &str) -> Vec<String> {
    let page = format!("# Foo\n\nFoo is a store for files.\n\n{text}\n");
    let all = told(&page, "Foo").into_iter().skip(1);
    all.map(|it| it.trim_start_matches("Foo | Foo – ").to_owned()).collect()
}

#[test]
fn it_goes_on_about_what_was_told_before() {
    for (text, expected) in [
        (
            "Valid records begin with foo=, followed by one name. They may be updated by clients.",
            &[
                "Valid records may be updated by clients.",
                "Valid records begin with foo=, followed by one name.",
            ][..],
        ),
        (
            "`__len__` must return an integer or nothing at all. It may return a larger value than one.",
            &[
                "__len__ must return an integer or nothing at all.",
                "__len__ may return a larger value than one.",
            ],
        ),
        (
            "The lid of each box is black. It has a spot of the other one.",
            &["The lid of each box is black."],
        ),
    ] {
        assert_eq!(below(text), expected, "{text}");
    }
}

#[test]
fn what_a_thing_is_stands_for_it() {
    for (opening, text, expected) in [
        (
            "Bar is a large village in Wales.",
            "The village lies in a valley.",
            "Bar lies in a valley.",
        ),
        (
            "Bar is a village and parish in Wales.",
            "The village lies in a valley.",
            "Bar lies in a valley.",
        ),
        (
            "Bar was a film company based in Wales.",
            "The company was shut in Rome.",
            "Bar was shut in Rome.",
        ),
        ("Bar is a film company in Wales.", "The film was shown in Rome.", ""),
        ("Bar was a film of 1974.", "The film was shown in Rome.", "Bar was shown in Rome."),
        ("Bar is a large village in Wales.", "Foo is a village. The village lies in a valley.", ""),
        ("Bar is a large village in Wales.", "It has a village. The village lies in a valley.", ""),
        ("Bar is a large village in Wales.", "The town lies in a valley.", ""),
    ] {
        let page = format!("# Bar\n\n{opening}\n\n{text}\n");
        let all =
            told(&page, "Bar").into_iter().map(|it| it.trim_start_matches("Bar | ").to_owned());
        let found: Vec<String> =
            all.filter(|it| it.contains("valley") || it.contains("Rome")).collect();
        assert_eq!(found.join("|"), expected, "{text}");
    }
}

#[test]
fn a_text_is_told_of_as_what_it_is() {
    let page = "# Foo data\n\nThis directory contains lists of birds in Wales. It was used in a book of 2022.\n";
    assert_eq!(
        told(page, "Foo data"),
        [
            "Foo data | Foo data was used in a book of 2022.",
            "Foo data | Foo data – The directory contains lists of birds in Wales.",
        ]
    );
}

#[test]
fn a_colon_before_code_ends_a_sentence() {
    for (text, expected) in [
        (
            "The stamp is written in seconds since 1970:\n\n```\n12\n```",
            "The stamp is written in seconds since 1970.",
        ),
        ("The stamp is written as follows:\n\n```\n12\n```", ""),
        (
            "There are two kinds of stamps in seconds:\n\n- One\n- Two",
            "There are two kinds of stamps in seconds.",
        ),
        ("The stamp is:\n\n```\n12\n```", ""),
        ("Files are complete if:\n\n- The first byte of the file is 1.", ""),
    ] {
        let expected: Vec<&str> = Some(expected).filter(|it| !it.is_empty()).into_iter().collect();
        assert_eq!(below(text), expected, "{text}");
    }
}

#[test]
fn what_a_policy_says_again_and_again_needs_no_other_sentence() {
    let page = "# Foo policy\n\nMembers of Foo choose the examiner and pay the examiner. The examiner is paid by Foo. The examiner lives \
                in Rome.\n\nIf the examiner finds a fault, they must write a report. Within 7 days, the examiner \
                shall answer the member.\n";
    let all = told(page, "Foo policy");
    for said in [
        "If the examiner finds a fault, they must write a report.",
        "Within 7 days, the examiner shall answer the member.",
    ] {
        assert!(all.contains(&format!("Foo policy | Foo policy – {said}")), "{all:?}");
    }
}

#[test]
fn what_is_handed_over_is_told_of_what_it_was_handed_over_for() {
    let given = |text: &str, topic: &str| {
        let found = found(text, topic, &[], Mode::Given).into_iter();
        found
            .flat_map(|(name, facts)| facts.into_iter().map(move |it| format!("{name} | {it}")))
            .collect::<Vec<String>>()
    };
    // What the text does not say what it is, is a part of that.
    assert_eq!(
        given(
            "# Foo roles\n\nGuest Editor gets access to the whole dashboard. A Bar is a kind of beam.\n",
            "Foo roles"
        ),
        [
            "Bar | A Bar is a kind of beam.",
            "Foo roles | Foo roles – Guest Editor gets access to the whole dashboard.",
        ]
    );
    // An item goes on about what it begins with.
    assert_eq!(
        given(
            "# Foo file server\n\n- **hidden_files** is a list of files to hide. By default, the files of \
             editors are hidden from lists.\n",
            "Foo file server"
        ),
        [
            "Foo file server | Foo file server – hidden_files is a list of files to hide.",
            "Foo file server | Foo file server, hidden_files – By default, the files of editors are hidden from lists.",
        ]
    );
}

#[test]
fn whoever_speaks_in_a_policy_is_whose_it_is_under_either_name() {
    let page = "# Security Policy\n\nSafe software is at the core of what we do in the Foo Alliance.\n\n## Reports\n\n\
                Write to the Foo Alliance at any time. Your report will be read by a member of our \
                security team.\n\n## Harbor\n\nThe Foo Alliance supports safe harbor for people.\n";
    for topic in ["Foo Alliance", "Foo Alliance security policy"] {
        let all = found(page, topic, &[], Mode::Given);
        let is_told = |fact: &String| fact.contains("the core of what we do");
        assert!(all.iter().any(|(_, facts)| facts.iter().any(is_told)), "{topic}: {all:?}");
    }
}

#[test]
fn a_noun_that_its_section_tells_of_is_no_part_of_the_thing() {
    let page = "# Sutton\n\nSutton is a city of Kent with a port. The city has two schools.\n\n## Parks\n\nWood Park is \
                large. The park's ponds are full of fish. The new park has many trees. The ponds were dug in 1990. The \
                mayor of Sutton is Ada Hill.\n\n## Port\n\nThe park has a port with two piers. (Gulls live there.)\n";
    let facts: Vec<String> = found(page, "Sutton", &[], Mode::Given)
        .into_iter()
        .flat_map(|(_, facts)| facts)
        .filter(|fact| !fact.contains("Wood"))
        .collect();
    assert_eq!(
        facts,
        [
            "Sutton is a city of Kent with a port.",
            "Sutton has two schools.",
            "The mayor of Sutton is Ada Hill.",
            "Sutton – The park has a port with two piers.",
        ]
    );
}

#[test]
fn what_is_told_of_the_museum_is_told_of_that_museum() {
    let page = "# Foo Museum\n\nThe Foo Museum is a museum in Bath.\n\nAda Hill was a painter from Rome. Ada Hill led the \
                museum for ten years.\n";
    let all = told(page, "Foo Museum");
    let expected = "Foo Museum | Foo Museum – Ada Hill led the museum for ten years.";
    assert!(all.iter().any(|fact| fact == expected), "{all:?}");
}

#[test]
fn what_is_listed_of_somebody_else_is_not_told_of_the_thing() {
    let page = "# Foo\n\nFoo is a library for dates and times.\n\n## Why\n\nPython's own modules have these faults, as \
                all know:\n\n- Time zones are verbose and unpleasant to use\n\nFoo fixes this:\n\n- Time zones of Foo are \
                short and easy to use\n";
    let all = told(page, "Foo");
    assert!(!all.iter().any(|fact| fact.contains("verbose")), "{all:?}");
    assert!(all.iter().any(|fact| fact.contains("easy to use")), "{all:?}");
}
