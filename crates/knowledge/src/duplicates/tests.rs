use proptest::prelude::*;

use super::*;

type Side<'a> = (&'a str, &'a [&'a str]);

fn candidate<'a>(slug: &'a str, (name, facts): Side<'a>) -> Candidate<'a> {
    Candidate { slug, name, aliases: &[], facts, vector: None }
}

/// What becomes of two entities, without vectors.
fn check(a: Side, b: Side, expected: Option<(Verdict, Reason)>) {
    let found = |a, b| {
        let candidates = [candidate("a", a), candidate("b", b)];
        let pairs = pairs(&candidates, &Thresholds::default());
        assert!(pairs.len() <= 1);
        pairs.first().map(|proposal| (proposal.verdict, proposal.reason))
    };
    assert_eq!(found(a, b), expected, "{a:?} {b:?}");
    assert_eq!(found(b, a), expected, "{b:?} {a:?}");
}

fn certain(a: &str, b: &str, reason: Reason) {
    check((a, &[]), (b, &[]), Some((Verdict::Certain, reason)));
}

fn likely(a: &str, b: &str, reason: Reason) {
    check((a, &[]), (b, &[]), Some((Verdict::Likely, reason)));
}

fn apart(a: &str, b: &str) {
    check((a, &[]), (b, &[]), None);
}

#[test]
fn spellings_of_a_name() {
    for (a, b) in [
        ("E-mail", "email"),
        ("Node.js", "node js"),
        ("NextJS", "Next.js"),
        ("Beyonc\u{e9}", "Beyonce"),
        ("\u{ff32}\u{ff55}\u{ff53}\u{ff54}", "Rust"),
        ("Pop!_OS", "Pop OS"),
        ("HTTP/1.1", "HTTP 1.1"),
        ("AT&T", "AT and T"),
        ("C++", "c++"),
        ("\u{202e}Rust\u{200b}", "Rust"),
        ("LS50\u{a0}Meta", "LS50 Meta"),
        ("Stra\u{df}e", "Strasse"),
    ] {
        certain(a, b, Reason::SameName);
    }
    likely("IT", "it", Reason::SameName);
    likely("E 3", "E3", Reason::SameName);
    certain("the Eiffel Tower", "Eiffel Tower", Reason::Article);
    likely("The Who", "Who", Reason::Article);
}

#[test]
fn names_that_look_alike_are_apart() {
    for (a, b) in [
        ("C", "C++"),
        ("C", "C#"),
        ("C#", "F#"),
        (".NET", "NET"),
        ("HTTP/1.1", "HTTP/11"),
        ("HTTP/1.1", "HTTP/2"),
        ("iPhone 1 5", "iPhone 15"),
        ("KEF", "KEF LS50 Meta"),
        ("KEF LS50", "KEF LS50 Meta"),
        ("iPhone 15", "iPhone 15 Pro"),
        ("React", "React Native"),
        ("Google Earth", "Google Earth Pro"),
        ("Java", "JavaScript"),
        ("Apache", "Apache Kafka"),
        ("Express", "American Express"),
        ("Sudan", "South Sudan"),
        ("John Smith", "John Snow"),
        ("Redux", "Redox"),
        ("PostgreSQL 15", "PostgreSQL 16"),
        ("EuroPython 2024", "EuroPython 2025"),
        ("Sony WH-1000XM4", "WH-1000XM5"),
        ("Mercury (planet)", "Mercury (element)"),
        ("Physic", "Physics"),
        ("Rolling Stones", "Rolling Stone"),
        ("\u{304b}", "\u{304c}"),
        ("?!", "!?"),
        ("", ""),
        ("Window", "Windows"),
        ("Google LLC", "Google GmbH"),
    ] {
        apart(a, b);
    }
}

#[test]
fn what_may_be_left_out() {
    certain("Anthropic PBC", "Anthropic", Reason::LegalForm);
    certain("Ferrari N.V.", "Ferrari", Reason::LegalForm);
    certain("Foo Bar GmbH & Co. KG", "foo bar", Reason::LegalForm);
    likely("iPhone SE", "iPhone", Reason::LegalForm);
    certain("the Rust programming language", "Rust", Reason::GenericWord);
    certain("KEF LS50 Meta speakers", "KEF LS50 Meta", Reason::GenericWord);
    likely("Sony speakers", "Sony", Reason::GenericWord);
    likely("Google Earth Engine", "Google Earth", Reason::GenericWord);
    likely("City of London", "London", Reason::GenericWord);
    certain("Apple iPhone 15", "iPhone 15", Reason::Vendor);
    certain("Sony WH-1000XM5", "WH-1000XM5", Reason::Vendor);
    likely("Google Chrome", "Chrome", Reason::Vendor);
    certain("AirPod", "AirPods", Reason::Plural);
    certain("Kubernetes Operators", "Kubernetes operator", Reason::Plural);
    certain("noble gas", "noble gases", Reason::Plural);
    likely("Apple", "Apples", Reason::Plural);
    certain("Protocol Buffers", "Protocol Buffer", Reason::Plural);
    certain("Firefox browser", "Firefox", Reason::GenericWord);
    likely("Google browser", "Google", Reason::GenericWord);
    likely("Samsung Galaxy tablet", "Samsung Galaxy", Reason::GenericWord);
    likely("Google OAuth2", "OAuth2", Reason::Vendor);
    apart("Django OAuth2", "OAuth2");
    likely("ML Prague", "ML Prague 2026", Reason::Edition);
}

#[test]
fn abbreviations() {
    certain("Natural Language Processing", "NLP", Reason::Acronym);
    certain("PlayStation Portable", "PSP", Reason::Acronym);
    certain("Extensible Markup Language", "XML", Reason::Acronym);
    certain("Artificial Intelligence", "AI", Reason::Acronym);
    certain("Red Hat Enterprise Linux", "RHEL", Reason::Acronym);
    // Few letters may meet by chance, and so may words.
    likely("Ordnance Survey", "OS", Reason::Acronym);
    likely("Model Adaptation Project", "MAP", Reason::Acronym);
    likely("Generated Image Tests Online", "gito", Reason::Acronym);
    certain("Language Server Protocol (LSP)", "LSP", Reason::Bracket);
    certain("Language Server Protocol (LSP)", "language server protocol", Reason::Bracket);
    certain("NLP (natural language processing)", "NLP", Reason::Bracket);
    likely("Mercury (planet)", "Mercury", Reason::Bracket);
    apart("Mercury (planet)", "planet");
    check(
        ("Association for Computational Linguistics", &["It holds a conference every year."]),
        ("ACL", &["An ACL lists which users may read or write a file."]),
        Some((Verdict::Likely, Reason::Acronym)),
    );
    check(
        ("Association for Computational Linguistics", &[]),
        ("ACL", &["An ACL lists which users may read or write a file."]),
        Some((Verdict::Likely, Reason::Acronym)),
    );
    check(
        ("Artificial Intelligence", &["Artificial Intelligence (AI) is a field of research."]),
        ("AI", &["AI is a field of research in computing."]),
        Some((Verdict::Certain, Reason::Acronym)),
    );
}

#[test]
fn facts_decide_between_things_of_one_name() {
    let language = "Rust is a programming language that prevents data races.";
    let game = "Rust is a survival game by Facepunch Studios.";
    let compiled = "Rust is a compiled language without data races, made by Graydon Hoare.";
    let same = Some((Verdict::Likely, Reason::SameName));
    check(("Rust", &[language]), ("rust", &[game]), same);
    check(("Rust", &[language]), ("rust", &[compiled]), Some((Verdict::Certain, Reason::SameName)));
    check(("Rust", &[language]), ("rust", &[]), Some((Verdict::Certain, Reason::SameName)));
    check(
        ("Rust programming language", &[language]),
        ("Rust", &[game]),
        Some((Verdict::Likely, Reason::GenericWord)),
    );
    for (a, b) in [
        ("The capital of Georgia is Tbilisi.", "Atlanta is the capital of Georgia."),
        (
            "Georgia is a country in the Caucasus whose capital is Tbilisi.",
            "Georgia is a state of the USA whose capital is Atlanta.",
        ),
        ("Georgia is a town in Vermont with a lake.", "Georgia is a town in Texas with a lake."),
    ] {
        check(("Georgia", &[a]), ("Georgia", &[b]), Some((Verdict::Likely, Reason::SameName)));
    }
    check(
        ("Levi Strauss Inc.", &[]),
        ("Levi Strauss", &["Levi Strauss was born in Buttenheim."]),
        Some((Verdict::Likely, Reason::LegalForm)),
    );
    check(
        ("Tesla Inc.", &[]),
        ("Tesla", &["The tesla is a unit of magnetic flux density."]),
        Some((Verdict::Likely, Reason::LegalForm)),
    );
    check(
        ("Tesla Inc.", &[]),
        ("Tesla", &["Tesla builds electric cars."]),
        Some((Verdict::Certain, Reason::LegalForm)),
    );
    check(
        ("Rust programming language", &[]),
        ("Rust", &[game]),
        Some((Verdict::Likely, Reason::GenericWord)),
    );
    check(
        ("Google Pixel Watch", &["Google has sold a watch since 2022."]),
        ("Pixel Watch", &[]),
        Some((Verdict::Certain, Reason::Vendor)),
    );
    check(
        ("Apple Music", &["Apple streams songs."]),
        ("Music", &[]),
        Some((Verdict::Likely, Reason::Vendor)),
    );
    check(
        ("PyCon US 2025", &["PyCon US 2025 is in Pittsburgh."]),
        ("PyCon US", &["PyCon US was in Pittsburgh in 2024 and 2025."]),
        Some((Verdict::Likely, Reason::Edition)),
    );
    check(
        ("Apple Inc.", &["Apple Inc. designs the iPhone."]),
        ("Apple", &["Apple is a fruit that grows on trees."]),
        Some((Verdict::Likely, Reason::LegalForm)),
    );
    check(
        ("Google Chrome", &["Chrome is a browser."]),
        ("Chrome", &["Chrome is Google's browser."]),
        Some((Verdict::Certain, Reason::Vendor)),
    );
    check(
        ("iPhone SE", &["iPhone SE is a small phone by Apple."]),
        ("iPhone", &["iPhone is a phone by Apple."]),
        Some((Verdict::Likely, Reason::LegalForm)),
    );
    // One sentence or one address in both.
    let sentence = "It was first brewed in Leipzig.";
    check(
        ("Apples", &[sentence]),
        ("Apple", &[sentence]),
        Some((Verdict::Certain, Reason::Plural)),
    );
    check(
        ("apples", &["See https://example.org/apples."]),
        ("Apple", &["More at <https://www.example.org/apples/>"]),
        Some((Verdict::Certain, Reason::Plural)),
    );
}

#[test]
fn aliases() {
    let entity = |name, aliases| Candidate { slug: name, name, aliases, facts: &[], vector: None };
    let verdict = |a: &Candidate, b: &Candidate| {
        pairs(&[*a, *b], &Thresholds::default()).first().map(|found| (found.verdict, found.reason))
    };
    let nlp = ["NeurIPS".to_owned()];
    let phone = ["iPhone".to_owned()];
    assert_eq!(
        verdict(&entity("Neural Information Processing", &nlp), &entity("NeurIPS", &[])),
        Some((Verdict::Certain, Reason::Alias))
    );
    assert_eq!(
        verdict(&entity("iPhone 15", &phone), &entity("iPhone", &[])),
        Some((Verdict::Likely, Reason::Alias))
    );
    assert_eq!(verdict(&entity("iPhone 15", &phone), &entity("iPhone 14", &phone)), None);
    assert_eq!(
        verdict(&entity("Moka pot", &phone), &entity("Espresso pot", &phone)),
        Some((Verdict::Likely, Reason::Alias))
    );
}

#[test]
fn an_abbreviation_of_two_things_is_neither_for_certain() {
    let names = ["PSF", "Python Software Foundation", "Perl Summer Festival"];
    let candidates: Vec<_> = names.iter().map(|name| candidate(name, (name, &[]))).collect();
    let found = pairs(&candidates, &Thresholds::default());
    assert_eq!(found.len(), 2);
    assert!(found.iter().all(|proposal| proposal.verdict == Verdict::Likely));
}

#[test]
fn a_bare_name_that_two_things_bear_is_neither_for_certain() {
    let candidates = [
        candidate("a", ("Rust", &[])),
        candidate("b", ("rust", &["Rust is a programming language."])),
        candidate("c", ("RUST", &["Rust is a survival game."])),
    ];
    let found = pairs(&candidates, &Thresholds::default());
    assert_eq!(found.len(), 3);
    assert!(found.iter().all(|proposal| proposal.verdict == Verdict::Likely));
}

#[test]
fn the_full_name_stays_else_the_one_with_more_facts() {
    fn stays<'a>(a: Candidate<'a>, b: Candidate<'a>) -> Option<&'a str> {
        let candidates = [a, b];
        let found = pairs(&candidates, &Thresholds::default());
        found.first().map(|proposal| candidates[proposal.b].slug)
    }
    let full = candidate("z", ("Language Server Protocol", &["It was made by Microsoft."]));
    let bare = candidate("y", ("LSP", &[]));
    assert_eq!(stays(full, bare), Some("z"));
    assert_eq!(stays(bare, full), Some("z"));
    let long = candidate("a", ("Language Server Protocol", &[]));
    assert_eq!(stays(long, bare), Some("a"), "the full name survives");
    assert_eq!(stays(candidate("b", ("LSP", &[])), candidate("a", ("lsp", &[]))), Some("a"));
    assert_eq!(stays(candidate("b", ("LSPX", &[])), candidate("a", ("LSPX", &[]))), Some("a"));
}

#[test]
fn nobody_gets_more_than_the_limit() {
    let names: Vec<String> = (0..40).map(|n| format!("Moka{}Pot", " ".repeat(n + 1))).collect();
    let candidates: Vec<_> = names.iter().map(|name| candidate(name, (name, &[]))).collect();
    let thresholds = Thresholds { per_entity: 3, ..Thresholds::default() };
    let found = pairs(&candidates, &thresholds);
    for index in 0..candidates.len() {
        assert!(found.iter().filter(|pair| pair.a == index || pair.b == index).count() <= 3);
    }
    assert!(!found.is_empty());
}

#[test]
fn vectors_that_are_no_numbers_count_for_nothing() {
    let vectors = [vec![f32::NAN; 4], vec![1.0; 4], vec![1.0; 3], Vec::new()];
    for a in &vectors {
        for b in &vectors {
            let entity = |slug, vector: &'static [f32]| Candidate {
                vector: Some(vector),
                ..candidate(slug, ("Moka pot", &[]))
            };
            let (a, b) = (a.clone().leak(), b.clone().leak());
            let found = pairs(&[entity("a", a), entity("b", b)], &Thresholds::default());
            assert!(found.iter().all(|pair| pair.similarity.is_finite()));
        }
    }
}

#[test]
fn facts_that_say_the_same() {
    for (a, b, expected) in [
        ("It costs $1,600.", "It costs 1600 $", true),
        ("It costs $1,600.", "It costs $1,200.", false),
        ("Support ended on February 15, 2024.", "On 2024-02-15 support ended.", true),
        ("Support ended on February 15, 2024.", "On 2024-02-16 support ended.", false),
        ("The cache is used.", "The cache is not used.", false),
        ("It doesn't lock files.", "It does not lock files.", true),
        ("Ninth most common element.", "9th most common element.", true),
        ("It melts at 29.8 \u{b0}C (85.6 \u{b0}F).", "It melts at 29.8 degrees Celsius.", true),
        ("The sensitivity is 85dB.", "The sensitivity is 85 dB.", true),
        ("Its melting point is the lowest.", "Its melting point is the highest.", false),
        ("Founded by Anna Smith in Prague.", "Founded by Petr Novak in Prague.", false),
        ("Lance drops the fight against charges", "Lance wins the fight against charges", false),
        ("Version 1.10 fixes the bug.", "Version 1.1 fixes the bug.", false),
        ("The cat won the race in May.", "The dog won the race in May.", false),
        ("It uses tar but not zip files.", "It uses zip but not tar files.", false),
        ("The same words.", "the same, words", true),
        ("", "", false),
        ("?", "!", false),
        ("Foo – foo_double: The C double type.", "Foo – foo_float: The C float type.", false),
        ("Foo – -a, --all: Set the rules of all.", "Foo sets the rules of all.", false),
        ("Foo sets rules of `foo_all`.", "foo sets the rules of foo_all", true),
    ] {
        for (a, b) in [(a, b), (b, a)] {
            assert_eq!(same_fact(a, b, Some(0.9), 0.8), expected, "{a:?} {b:?}");
        }
    }
    assert!(!same_fact("Other words.", "Some terms.", Some(0.7), 0.8));
    assert!(!same_fact("Other words.", "Some terms.", None, 0.0));
    assert!(!same_fact("Other words.", "Some terms.", Some(f32::NAN), 0.0));
}

fn any_name() -> impl Strategy<Value = String> {
    let piece = proptest::sample::select(vec![
        "the", "Rust", "rust", "C++", "#", "(", ")", " ", "-", ".", "/", "&", "2025", "15", "Pro",
        "Inc.", "N", "V", "AWS", "iPhone", "\u{202e}", "\u{0}", "\r\n", "e\u{301}", "\u{1f600}",
        "\u{304c}", "\u{130}", "\u{fdfa}", "programming language", "s", "es", "ies", "'", "!",
    ]);
    proptest::collection::vec(piece, 0..8).prop_map(|pieces| pieces.concat())
}

proptest! {
    #[test]
    fn hostile_names_do_no_harm(names in proptest::collection::vec(any_name(), 0..12)) {
        let facts: Vec<&str> = names.iter().map(String::as_str).collect();
        let candidates: Vec<Candidate> = names
            .iter()
            .map(|name| Candidate { slug: name, name, aliases: &names, facts: &facts, vector: None })
            .collect();
        let found = pairs(&candidates, &Thresholds::default());
        prop_assert_eq!(&found, &pairs(&candidates, &Thresholds::default()));
        for pair in &found {
            prop_assert!(pair.a != pair.b && pair.a.max(pair.b) < names.len());
            prop_assert!(pair.similarity.is_finite());
        }
    }

    #[test]
    fn the_order_of_two_makes_no_difference(a in any_name(), b in any_name()) {
        let one = [candidate("a", (&a, &[])), candidate("b", (&b, &[]))];
        let two = [one[1], one[0]];
        let verdict = |candidates: &[Candidate]| {
            let found = pairs(candidates, &Thresholds::default());
            found.first().map(|pair| (candidates[pair.a].slug.to_owned(), pair.verdict, pair.reason))
        };
        prop_assert_eq!(verdict(&one), verdict(&two));
    }

    #[test]
    fn names_with_other_numbers_are_never_certain(a in any_name(), b in 16u32..99) {
        let (one, two) = (format!("Moka{a} 15"), format!("Moka{a} {b}"));
        let candidates = [candidate("a", (&one, &[])), candidate("b", (&two, &[]))];
        let found = pairs(&candidates, &Thresholds::default());
        prop_assert!(found.iter().all(|pair| pair.verdict == Verdict::Likely));
    }

    #[test]
    fn same_fact_is_symmetric(a in ".{0,80}", b in ".{0,80}") {
        prop_assert_eq!(same_fact(&a, &b, Some(0.9), 0.5), same_fact(&b, &a, Some(0.9), 0.5));
    }
}

#[test]
fn short_forms_are_for_a_person_to_look_at() {
    for (long, short, reason) in [
        ("United States", "US", Reason::Acronym),
        ("United States", "U.S.", Reason::Acronym),
        ("Visual Studio Code", "VS Code", Reason::ShortForm),
        ("Amazon Web Services Lambda", "AWS Lambda", Reason::ShortForm),
        ("William E. Simon", "Simon", Reason::Surname),
    ] {
        likely(long, short, reason);
        let facts = ["It is what it is."];
        let candidates = [candidate("a", (short, &facts)), candidate("b", (long, &[]))];
        let found = pairs(&candidates, &Thresholds::default());
        assert_eq!(candidates[found[0].b].name, long, "the full name survives");
    }
    let person = ("Ada Lovelace", &["Ada Lovelace was a mathematician born in London."][..]);
    check(person, ("Lovelace", &[]), Some((Verdict::Likely, Reason::Surname)));
    check(person, ("Lovelace", &["Lovelace is a city in Colorado."]), None);
    apart("Ada Lovelace", "Lovelace");
    apart("Visual Studio Code", "VC Code");
}

/// `tests/labelled/pairs/apart.txt`: names that look alike, of different things.
#[test]
fn no_pair_that_was_written_to_mislead_is_certain() {
    let file = include_str!("../../../../tests/labelled/pairs/apart.txt");
    let lines = file.lines().filter(|line| !line.starts_with('#'));
    let pairs_of: Vec<(&str, &str)> =
        lines.map(|line| line.split_once(" | ").unwrap_or_else(|| panic!("{line}"))).collect();
    assert!(pairs_of.len() >= 300, "{}", pairs_of.len());
    let is_merged = |(a, b): &(&str, &str)| {
        let candidates = [candidate("a", (a, &[])), candidate("b", (b, &[]))];
        let found = pairs(&candidates, &Thresholds::default());
        found.iter().any(|proposal| proposal.verdict == Verdict::Certain)
    };
    let merged: Vec<(&str, &str)> = pairs_of.into_iter().filter(is_merged).collect();
    assert_eq!(merged, []);
}
