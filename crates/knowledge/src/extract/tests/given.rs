//! What is found in texts that somebody gave for what they asked for.

use super::*;

/// The facts of a text, each with its entity.
fn given(text: &str, topic: &str) -> Vec<String> {
    let all = found(text, topic, &[], Mode::Given).into_iter();
    all.flat_map(|(name, facts)| facts.into_iter().map(move |it| format!("{name} | {it}")))
        .collect()
}

/// Texts with their topics, words of what is kept of each, and of what is not.
#[test]
fn what_is_kept_and_what_is_left() {
    let bylaws = "# Foo Club bylaws\n\n## Officers\n\nThe secretary of the club shall have such other powers as the \
                  board may require. The board of directors shall have at least four members unless changed by \
                  amendment to these bylaws. Any director may be removed at a meeting called for that purpose. The \
                  Board may adopt, amend or repeal bylaws. Such power ends. No director may be paid before his or \
                  her term ends.\n";
    let advisory = "# Foo cloning\n\nUsers should upgrade to Foo 1.1.0 or above, or to Foo 0.6 or a later 0.6 version. \
                    The certificate in the cluster rotates every 12 hours. Longer names are cut.\n\n## Goals\n\n\
                    - Everything is usable by everyone.\n";
    let person = "# Ada Hill\n\nAda Hill was a singer of Bath. She was born in 1901 in Bath. In \
                  1930 she sang in Rome. Its theme was the war of Rome.\n\nMaud Oak was born in 1880 to Jo Oak, née Hill. John Baird invented a machine in 1926. The \
                  broadcasts of the machine were watched by 4,000 people.\n";
    let bird = "# Clark's Bird\n\nNamed for William Clark. Clark was a soldier.\n\nClark's bird has a bill of 5 cm. \
                Clark's bird lives in the mountains of Foo.\n";
    let manual = "foo(1)\n\n# NAME\n\nfoo - Idle manager for Bar\n\n# OPTIONS\n\n*-C* <path>\n\tThe config file to \
                  use.\n\n*-h*\n\tShow help message and quit.\n";
    let reference = "# Foo\n\n## `ListenPeers`\n\nA list of peers to connect to.\n\n## Timer\n\nThe timer has two \
                     properties:\n\n- A bit.\n- A deadline.\n";
    let site = "---\ntitle: History\nsections:\n  - text: |\n      Foo Choir was formed in autumn 1966 with 16 voices. \
                It is a choir of Bath that sings the music of English composers, and it has sung in many churches of \
                the west, of the north and of the south of England since then.\n\n      On April 28th 2007 Foo Choir \
                gave its 900th concert in Bath, with singers of the north and of the west and of the south.\n---\n";
    let boxes = "# Foo\n\nFoo is a tool.\n\n!!! warning \"Old\"\n    Foo is built for 4 kinds of files.\n\n<p>Foo was \
                 written by Ann Hill in Bath, who needed a tool for her notes in 2011.</p>\n";
    let minutes = "# Foo meeting\n\n## Attendees\n\n- Ann Hill, Foo Corp\n- Bo Oak, Bar Inc\n- Cy Fern, Bar Inc\n\n## \
                   Votes\n\nBoth passed by a voice vote of all.\n";
    for (text, topic, kept, left) in [
        (
            bylaws,
            "Foo Club bylaws",
            &[
                "such other powers as",
                "amendment to the bylaws",
                "called for that",
                "may adopt",
                "his or her",
            ][..],
            &["Such power"][..],
        ),
        (
            advisory,
            "Foo cloning",
            &["later 0.6 version", "rotates every", "Goals – Everything"],
            &["Longer names"],
        ),
        (
            person,
            "Ada Hill",
            &["Ada Hill sang in Rome", "née Hill"],
            &["theme", "Baird", "watched", "née Ada"],
        ),
        (bird, "Clark's Bird", &["Clark's bird | ", "lives in"], &["Clark | Clark's"]),
        (manual, "foo", &["-C <path>: The config file", "-h: Show help"], &[]),
        (
            reference,
            "Foo",
            &["ListenPeers – A list of peers", "two properties: A bit; A deadline"],
            &["properties: A bit."],
        ),
        (site, "Foo Choir", &["formed in autumn 1966", "900th concert"], &[]),
        (boxes, "Foo", &["built for 4 kinds", "written by Ann Hill"], &["!!!"]),
        (minutes, "Foo meeting", &["attendees: Ann Hill, Bo Oak, Cy Fern"], &["Both passed"]),
    ] {
        let facts = given(text, topic);
        for kept in kept {
            assert!(facts.iter().any(|fact| fact.contains(kept)), "{kept}: {facts:#?}");
        }
        for left in left {
            assert!(!facts.iter().any(|fact| fact.contains(left)), "{left}: {facts:#?}");
        }
    }
}

#[test]
fn a_comparison_is_told_by_the_column_of_its_thing() {
    let page = "# Foo against others\n\n## Files\n\n| | Foo {1} | Bar |\n|---|---|---|\n| Encryption | GCM [2] | CBC |\n\
                | Names | N/A | yes |\n\n| Previous | Next |\n|---|---|\n| Start | End |\n";
    assert_eq!(given(page, "Foo"), ["Foo | Foo – Files, Encryption: GCM"]);
}

/// Whether some fact of a text has each of these words, and none has those.
fn check(text: &str, topic: &str, kept: &[&str], left: &[&str]) {
    let told = given(text, topic);
    for said in kept {
        assert!(told.iter().any(|it| it.contains(said)), "{said} {told:#?}");
    }
    for said in left {
        assert!(!told.iter().any(|it| it.contains(said)), "{said} {told:#?}");
    }
}

#[test]
fn those_whose_thing_a_page_is_say_what_they_do() {
    let offer = "If you bring the van back late, we charge 15 euros an hour. We do not rent to learners. If we \
                 lost your booking, we would refund 20 euros.";
    let own = format!(
        "# Renting a van from Foo Vans\n\nYou can drive 150 miles a day. If the van comes back with less, we charge 25 euros.\n\n{offer}\n"
    );
    let said = "Foo Vans – \"If you bring the van back late, we charge 15 euros an hour.\"";
    check(
        &own,
        "Foo Vans",
        &[said, "\"We do not rent", "You can drive 150", "would refund"],
        &["with less"],
    );
    // Who tells of them by their name is somebody else.
    let other = format!("# A trip with Foo Vans\n\nWe took Foo Vans to Rome.\n\n{offer}\n");
    check(&other, "Foo Vans", &[], &["we charge", "We do not rent"]);
}

#[test]
fn what_happened_to_somebody_needs_no_subject() {
    let life = "# Ada Hill\n\nBorn in Bath in 1901, the third of five daughters. Married the engineer Bo Oak in 1930.\n\n\
                Her sister May painted. Founded a school in 1950.\n";
    let born = "Ada Hill – Born in Bath in 1901, the third of five daughters.";
    check(life, "Ada Hill", &[born, "Ada Hill – Married the engineer Bo Oak in 1930."], &[]);
    let other = "# Ada Hill\n\nMay Oak was a painter of Rome. Founded a school in 1950.\n";
    check(other, "Ada Hill", &[], &["Founded"]);
}

#[test]
fn steps_with_figures_are_told_of_what_is_made() {
    let recipe = "# Lentil soup\n\n## Method\n\nSimmer the lentils for 40 minutes with the lid ajar. Stir in the \
                  vinegar. Put them aside for 10 minutes.\n\n## Notes\n\nAdd 2 spoons of oil for a friend.\n";
    check(
        recipe,
        "lentil soup",
        &["Simmer the lentils for 40"],
        &["Stir in", "Put them", "2 spoons"],
    );
}
