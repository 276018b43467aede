//! Tables, lists of properties and front matter.

use super::*;

#[test]
fn a_cell_in_lower_case_is_no_acronym() {
    let page = "# stop\n\nNLTK is a toolkit for language. NLTK has lists of words.\n\n| Feature | Default \
                |\n|---|---|\n| nltk | no |\n";
    assert!(told(page, "stop").iter().all(|fact| !fact.starts_with("NLTK | nltk")));
}

#[test]
fn what_a_form_asks_for_is_no_value() {
    let page = "# Pump\n\nPump is a tool for water.\n\n- Status: Implemented\n- Supersedes: (put \"N/A\" \
                unless this replaces another proposal)\n- Start date: 2021-12-07\n";
    let facts = told(page, "Pump");
    assert!(facts.iter().any(|fact| fact.ends_with("Status: Implemented")), "{facts:?}");
    assert!(facts.iter().all(|fact| !fact.contains("Supersedes")), "{facts:?}");
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
fn a_heading_that_only_sets_the_scene_says_not_which() {
    let page = "# Pump\n\nPump is a tool for water.\n\n## In your garden\n\n| command | |\n|-|-|\n\
                | lift WATER | brings it up, a litre each second |\n\n## In 2020\n\n| | |\n|-|-|\n\
                | price of a pump | 20 dollars |\n";
    let facts = told(page, "Pump");
    for expected in [
        "Pump – command lift WATER: brings it up, a litre each second",
        "Pump – In 2020, price of a pump: 20 dollars",
    ] {
        assert!(facts.iter().any(|fact| fact.ends_with(expected)), "{expected} {facts:?}");
    }
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
fn what_a_header_over_all_columns_says_stands_before_each_key() {
    let page = "# Fern\n\nFern is a plant.\n\n| Per 100 g | |\n|---|---|\n| Iron | 3 mg |\n| - Zinc | 1 mg |\n";
    assert_eq!(
        told(page, "Fern"),
        [
            "Fern | Fern is a plant.",
            "Fern | Fern – Per 100 g, Iron: 3 mg",
            "Fern | Fern – Per 100 g, Zinc: 1 mg"
        ]
    );
}

#[test]
fn rows_of_offers_say_what_each_is_and_costs() {
    let page = "# Fern\n\nFern is a database.\n\n## Support\n\n| | | |\n|---|---|---|\n\
                | **1.** | **Gold Plan.** Help by phone on all days. | $9/year |\n";
    assert_eq!(
        told(page, "Fern"),
        [
            "Fern | Fern is a database.",
            "Fern | Fern – Support, Gold Plan: Help by phone on all days.",
            "Fern | Fern – Support, Gold Plan, price: $9/year"
        ]
    );
}

#[test]
fn sheets_of_facts_are_read_below_any_heading_clause_by_clause() {
    let page = "# Fern Sea\n\nThe Fern Sea is a sea.\n\n## Geography\n\n- Area, total: 20 sq km\n\
                - Coast: 17 km\n- Depth: 4 m; it varies; the floor is flat in the north\n\
                - Map: Oak Region\n";
    assert_eq!(
        told(page, "Fern Sea"),
        [
            "Fern Sea | The Fern Sea is a sea.",
            "Fern Sea | Fern Sea – Geography, Area, total: 20 sq km",
            "Fern Sea | Fern Sea – Geography, Coast: 17 km",
            "Fern Sea | Fern Sea – Geography, Depth: 4 m",
            "Fern Sea | Fern Sea – Geography, Depth: the floor is flat in the north",
            "Fern Sea | Fern Sea – Geography, Map: Oak Region",
        ]
    );
}

#[test]
fn names_of_files_and_numbers_of_catalogues_are_no_facts() {
    let page = "# Fern Tale\n\ntitle orig: Fern\nimage: Fern Tale cover.svg\ncongress: PR6029\n\
                isbn note: second edition\nyears: 1820<br/ >1830\n\nFern Tale is a novel.\n";
    assert_eq!(
        told(page, "Fern Tale"),
        [
            "Fern Tale | Fern Tale is a novel.",
            "Fern Tale | Fern Tale – title orig: Fern",
            "Fern Tale | Fern Tale – years: 1820; 1830",
        ]
    );
}

#[test]
fn what_a_generator_of_sites_is_told_is_no_fact() {
    let page = "---\nsidebar_position: 2\nclasses: wide\nredirect_from:\n- /old/fern/\nseo_title: 'Fern: \
                all of it'\nupdated_at: 1657900653\nupdated_by: 31bb3955-fa9f-477e-94b8-d1afcdc3367e\n\
                source: 447a7021-51fa-4939-903c-15f8a32d604a\nintro_image--big: big.svg\nauthor_profile: \
                false\nedit: ../fern.md\nenriched: 2025-10-29T16:39:01.663459\nlast_updated: \
                2025-12-23\nschema_version: 2\nsection: club\nauthor: Ada Byron\nlicence: MIT\npublisher: Oak Press\n---\n\
                # Fern\n\nFern is a plant.\n";
    assert_eq!(
        told(page, "Fern"),
        [
            "Fern | Fern is a plant.",
            "Fern | Fern – licence: MIT",
            "Fern | Fern – publisher: Oak Press",
        ]
    );
    // Of a specification it is asked who made it, and how far it is.
    let page = "---\nfern: 12\nauthor: Ada Byron\nstatus: Final\ntype: Core\nsponsors: /teams/oak, /teams/elm\n---\n\
                # Fern 12\n\nFern 12 is a rule.\n";
    assert_eq!(
        told(page, "Fern 12"),
        [
            "Fern 12 | Fern 12 is a rule.",
            "Fern 12 | Fern 12 – author: Ada Byron",
            "Fern 12 | Fern 12 – status: Final",
            "Fern 12 | Fern 12 – type: Core",
        ]
    );
}

#[test]
fn a_row_of_numbers_alone_has_no_name() {
    let page = "# Fern Vote\n\nThe Fern Vote is a vote on ferns.\n\n## Motion\n\n| Votes for | Votes against \
                |\n|---|---|\n| 32 | 4 |\n\n## Years\n\n| Year | Votes |\n|---|---|\n| 1999 | 12 |\n\
                | 2001 | 14 |\n";
    assert_eq!(
        told(page, "Fern Vote"),
        [
            "Fern Vote | The Fern Vote is a vote on ferns.",
            "Fern Vote | Fern Vote – Years, Year 1999, Votes: 12",
            "Fern Vote | Fern Vote – Years, Year 2001, Votes: 14",
        ]
    );
}

#[test]
fn a_first_cell_is_of_its_own_table_and_repeated_ones_tell_nothing() {
    let head = "| Sign | Cause | Remedy |\n|---|---|---|\n";
    let page = format!(
        "# Fern Lamp\n\nThe Fern Lamp is a lamp of ferns.\n\n## Light\n\n{head}| Light is red | Wick \
         broken? | Replace it |\n| | Cable loose | Fasten it |\n\n## Sound\n\n{head}| | Fan loose | Oil \
         the fan |\n\n## Tests\n\n| Lamp | Users | Reads |\n|---|---|---|\n| Old | 1 | 500 |\n\
         | Old | 2 | 500 |\n\nNotes:\n\n* SPC1 has one user to save space.\n* SPC2 is a test of lamps.\n"
    );
    let told = told(&page, "Fern Lamp");
    assert_eq!(told, ["Fern Lamp | The Fern Lamp is a lamp of ferns."]);
}

#[test]
fn a_heading_with_the_topic_in_a_longer_name_is_another_thing() {
    let page = "# Sights of Fern\n\n## Fern Wheel\n\n| | |\n|--|--|\n| Type | Observation wheel |\n| Location | Oak \
                Street, Fern [Google Maps](x) |\n\n## Fern Castle\n\n| | |\n|--|--|\n| Type | Castle |\n| Founded | \
                1230 |\n";
    let (wheel, castle) = (
        [
            "Fern Wheel | Fern Wheel – Type: Observation wheel",
            "Fern Wheel | Fern Wheel – Location: Oak Street, Fern",
        ],
        ["Fern Castle | Fern Castle – Type: Castle", "Fern Castle | Fern Castle – Founded: 1230"],
    );
    for (topic, expected) in [
        ("Fern", [wheel, castle].concat()),
        ("Fern Wheel", wheel.to_vec()),
        ("Fern Castle", castle.to_vec()),
    ] {
        let all = found(page, topic, &[], Mode::Given);
        let all = all
            .iter()
            .flat_map(|(name, facts)| facts.iter().map(move |it| format!("{name} | {it}")));
        assert_eq!(all.collect::<Vec<String>>(), expected, "{topic}");
    }
}

#[test]
fn terms_that_end_in_digits_are_told() {
    let page = "# libfoo\n\n- `foo_uint8`: An unsigned type of 8 bits.\n- `foo_double`: The C double type.\n- \
                `foo_float`: The C float type.\n";
    assert_eq!(
        told(page, "libfoo"),
        [
            "libfoo | libfoo – foo_uint8: An unsigned type of 8 bits.",
            "libfoo | libfoo – foo_double: The C double type.",
            "libfoo | libfoo – foo_float: The C float type.",
        ]
    );
}

#[test]
fn a_vote_is_told_with_what_it_is_on() {
    let votes = "\n\n* Ben: +1\n* Ann: +1\n* Cy: +1\n* Bo: +1\n";
    for (heading, expected) in [
        ("Nominating Jane Doe to Fern", 4),
        ("Nominating Jane Doe of Oak and many others to the board of Fern", 0),
    ] {
        let page = format!("# Fern TC\n\nThe Fern TC is a group.\n\n## {heading}{votes}");
        let told = told(&page, "Fern TC");
        let told = told.iter().filter(|it| it.contains(": +1"));
        assert_eq!(told.clone().count(), expected, "{heading}");
        assert!(told.into_iter().all(|it| it.contains(heading)));
    }
}

#[test]
fn lists_below_labels_are_told_with_them() {
    let page = "# Foo Pro\n\nThe Foo Pro is a laptop of Foo.\n\n- CPU\n  - Supports Foo chips of 2022\n- Memory\n  - Up to 64 \
                GB of memory\n- Sound\n  - Internal speakers\n    - of Bath\n- Size\n  - 2 cm x 35 cm, 1.7 kg\n";
    let facts: Vec<String> =
        told(page, "Foo Pro").into_iter().filter(|fact| fact.contains(": ")).collect();
    assert_eq!(
        facts,
        [
            "Foo Pro | Foo Pro – CPU: Supports Foo chips of 2022",
            "Foo Pro | Foo Pro – Memory: Up to 64 GB of memory",
            "Foo Pro | Foo Pro – Sound: Internal speakers",
            "Foo Pro | Foo Pro – Size: 2 cm x 35 cm, 1.7 kg",
        ]
    );
}

#[test]
fn a_part_that_several_have_stands_below_whose_it_is() {
    let page = "# Foo offices\n\nFoo has offices in two cities.\n\n## London\n\n### Health and safety\n\nThe fire alarms are \
                tested on each Monday at 9 am.\n\n## Bath\n\n### Health and safety\n\nThe fire doors are tested on each Friday at \
                noon.\n";
    let facts = told(page, "Foo offices");
    for said in
        ["London, Health and safety – The fire alarms", "Bath, Health and safety – The fire doors"]
    {
        assert!(facts.iter().any(|fact| fact.contains(said)), "{facts:?}");
    }
}

#[test]
fn features_of_several_things_are_told_of_each_or_left() {
    let of = |heads: [&str; 2]| {
        let page = format!(
            "# Foo\n\nFoo is a line of radios that are made in Bern.\n\n{}\n\n### Features\n\n- A battery of 1 \
             Ah\n\n{}\n\n### Features\n\n- A battery of 2 Ah\n",
            heads[0], heads[1]
        );
        told(&page, "Foo").into_iter().filter(|it| it.contains("Ah")).collect::<Vec<String>>()
    };
    assert_eq!(
        of(["## Foo One", "## Foo Two"]),
        [
            "Foo | Foo One, Features: A battery of 1 Ah",
            "Foo | Foo Two, Features: A battery of 2 Ah",
        ]
    );
    assert_eq!(of(["One.", "Two."]), Vec::<String>::new());
    // What stood above the last title is not above what follows it.
    assert_eq!(of(["## Foo One", "# Foo Two"]), ["Foo | Foo One, Features: A battery of 1 Ah"]);
}
