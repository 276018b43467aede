use proptest::prelude::*;

use super::*;

#[test]
fn real_names_pass() {
    for name in [
        "Yahoo!",
        "HTTP/2",
        "Boeing 747",
        "Kubernetes 1.31",
        "Saint-Étienne",
        "東京",
        "US-ASCII",
        "Dr. Strangelove",
        "St. John's",
        "Who Framed Roger Rabbit?",
        "AC/DC",
        "node.js",
        "iPhone 15 Pro Max",
        "O'Reilly",
        "3.5mm jack",
        "2001: A Space Odyssey",
        ".NET",
        "7-Zip",
        "3M",
        "C++",
        "C#",
        "f.lux",
        "1Password",
        "Catch-22",
        "Ångström",
        "5G",
        "4K",
        "Sun",
        "M*A*S*H",
        "Booking.com",
        "Friday the 13th",
        "Chanel No. 5",
        "Apple Inc.",
        "et al.",
        "Vec<T>",
        "24/7",
        "9/11",
        "/e/OS",
        "A4",
        "802.11ac",
        "IPv6",
        "F-16",
        "MI6",
        "B&W 800",
        "AT&T",
        "Q&A",
        "Dude, Where's My Car?",
        "Home Assistant",
        "Next.js",
        "Page Maker",
        "3D",
        "Black Friday",
        "March on Washington",
        "4.4BSD",
        "Raspberry Pi 4",
        "X",
        "Ω",
        "می‌خواهم",
        "Jeopardy!",
        "__init__",
        "@angular/core",
        "TCP/IP",
        "90 Day Fiancé",
        "7 Wonders",
        "100 Days of Code",
        "2.4 GHz band",
        "World War II",
        "The Lord of the Rings",
    ] {
        assert_eq!(structural(name), Ok(()), "{name}");
    }
}

#[test]
fn residue_is_turned_away() {
    use Rejection::*;
    for (name, why) in [
        ("", NoLetters),
        ("  ", NoLetters),
        ("--- !!", NoLetters),
        ("🎉🎉", NoLetters),
        ("one two three four five six seven eight nine", TooManyWords),
        ("{topic}", Template),
        ("Foo {{ bar }}", Template),
        ("confidence score: 0.8", Template),
        ("kef-brief: speakers", Template),
        ("**bold**", Markup),
        ("Foo **bar", Markup),
        ("`code`", Markup),
        ("*it is*", Markup),
        ("[a](b)", Markup),
        ("# Title", Markup),
        ("- item", Markup),
        ("| a | b |", Markup),
        ("<br>", Markup),
        ("a&nbsp;b", Markup),
        ("1. Foo", ListNumber),
        ("12) Foo", ListNumber),
        ("1.Foo", ListNumber),
        ("https://a.b/c", Address),
        ("see www.a.org", Address),
        ("me@example.org", Address),
        ("example.com/x", Address),
        ("a\nb", Hidden),
        ("a\u{202e}b", Hidden),
        ("a\u{0}", Hidden),
        ("12 March 2024", Date),
        ("2024-03-12", Date),
        ("March", Date),
        ("Monday", Date),
        ("March 12, 2024", Date),
        ("12th of March", Date),
        ("Mar 12", Date),
        ("12.03.2024", Date),
        ("03/12/24", Date),
        ("1990s", Date),
        ("10:30 AM", Date),
        ("2024-03-12T10:00:00Z", Date),
        ("Sept. 2023", Date),
        ("42", Number),
        ("3.5 GB", Number),
        ("$1,600", Number),
        ("v1.2.3", Number),
        ("1984", Number),
        ("50%", Number),
        ("5 GB", Number),
        ("16GB", Number),
        ("10-20", Number),
        ("1920x1080", Number),
        ("1.2.3-rc1", Number),
        ("0x1F", Number),
        ("This is what it does.", Sentence),
        ("How do you want it?", Sentence),
        ("Skip to content", Navigation),
        ("Next →", Navigation),
        ("Home > Docs > X", Navigation),
        ("© 2024 Foo", Navigation),
    ] {
        assert_eq!(structural(name), Err(why), "{name}");
    }
    assert_eq!(structural(&"x".repeat(5_000)), Err(TooLong));
}

#[test]
fn names_are_tidied() {
    for (name, expected) in [
        ("  the  KEF \n LS50 ", "KEF LS50"),
        ("\"Foo\"", "Foo"),
        ("**Foo**", "Foo"),
        ("(Foo)", "Foo"),
        ("Foo (bar)", "Foo (bar)"),
        ("Foo)", "Foo"),
        ("Apple's", "Apple"),
        ("St. John's", "St. John's"),
        ("McDonald's", "McDonald's"),
        ("Yahoo!", "Yahoo!"),
        ("C++", "C++"),
        (".NET", ".NET"),
        ("Apple Inc.", "Apple Inc."),
        ("Foo.", "Foo"),
        ("U.S.", "U.S."),
        ("Foo,", "Foo"),
        ("Foo:", "Foo"),
        ("_Foo bar_", "Foo bar"),
        ("An Apple", "Apple"),
        ("“The Foo”,", "Foo"),
        ("`x`", "x"),
        ("the", "the"),
        ("Users'", "Users"),
        ("a\u{202e}b\u{0}", "ab"),
        ("O'Reilly", "O'Reilly"),
        ("Ctrl-C", "Ctrl-C"),
        ("", ""),
    ] {
        assert_eq!(tidy(name), expected, "{name}");
    }
}

#[test]
fn headings_lose_their_numbers() {
    for (heading, expected) in [
        ("2.1. The Foo", "The Foo"),
        ("3) Foo", "Foo"),
        ("10 Mb of text", "10 Mb of text"),
        ("6.x elections", "6.x elections"),
        ("2013 season", "2013 season"),
        ("1990s - new", "1990s - new"),
    ] {
        assert_eq!(without_number(heading), expected);
    }
}

proptest! {
    #[test]
    fn any_text_is_judged(text in ".{0,200}") {
        let tidied = tidy(&text);
        prop_assert!(tidied.len() <= text.len());
        if structural(&text).is_ok() {
            prop_assert!(text.split_whitespace().count() <= MAX_NAME_WORDS);
            prop_assert!(text.chars().count() <= MAX_NAME_CHARACTERS);
            let residue = text.contains(['\n', '{', '}', '`']);
            prop_assert!(!residue);
        }
    }

    #[test]
    fn tidying_twice_changes_nothing(text in "[ a-zA-Z.,'\"()*_:-]{0,40}") {
        let once = tidy(&text);
        // More wrappings than anybody writes may take another round.
        prop_assume!(text.len() < 24);
        prop_assert_eq!(tidy(&once), once);
    }
}
