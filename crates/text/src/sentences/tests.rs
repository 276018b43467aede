use proptest::prelude::*;

use super::*;

/// Sentences with `|` between them.
fn check(marked: &str) {
    let text = marked.replace(" | ", " ").replace('|', "");
    let found: Vec<&str> = sentences(&text).into_iter().map(|range| &text[range]).collect();
    let expected: Vec<&str> = marked.split('|').map(str::trim).collect();
    assert_eq!(found, expected, "{text}");
}

#[test]
fn sentences_end_where_they_end() {
    for marked in [
        // Plain.
        "One. | Two! | Three?",
        "Is it? | Yes, it is. | Good.",
        "No stop at all",
        "no stop. then lower. end",
        "He said it... | Then he left.",
        "Wait… | What?",
        "Really?! | Yes.",
        "It takes\ntwo lines. | Three.",
        // Abbreviations that never end one.
        "Use it, e.g. Linux, or i.e. BSD. | Then 1.5 s pass.",
        "Ask Dr. Miller about it. | She knows.",
        "Mr. and Mrs. Smith vs. Prof. Jones. | They met.",
        "It takes approx. 5 s, resp. 6 s. | Wait.",
        "See cf. Knuth (incl. Appendix). | Done.",
        "We met in St. Petersburg near Mt. Elbrus. | It was cold.",
        "Gen. Grant and Lt. Cmdr. Data spoke. | All listened.",
        "Lyon fut fondée en 43 av. J.-C. par Plancus. | Elle est grande.",
        "Il vécut jusqu'en 14 apr. J.-C. à Rome. | Puis il mourut.",
        "Die Stadt wurde 43 v. Chr. gegründet. | Sie ist groß.",
        "Sie fiel 410 n. Chr. | Die Goten kamen.",
        "Liceum im. Kopernika jest. | Jest stare.",
        "La Ley núm. Dos es vieja. | Es buena.",
        // Before numbers.
        "See No. 5 and Nos. 6 and 7. | Then stop.",
        "Is it open? | No. | It is closed.",
        "Fig. 3 and Fig. A show it. | Sec. 4 explains.",
        "Vol. II, pp. 3-5, ch. 7. | Read it.",
        "On Jan. 5 and Sept. 6 we ship. | Ok.",
        "Use ver. 2 or v. 3. | Not v1.",
        "At most 5 min. | The rest waits.",
        "Use max. 5 workers, min. 2. | More is worse.",
        // Which may be the last word.
        "Apple Inc. Chairman Levinson spoke. | He left.",
        "It was made by Apple Inc. | The price rose.",
        "It came out in 2013 and is made by Docker, Inc. | Containers are small.",
        "Bring pens, paper, etc. | The rest is there.",
        "Knuth et al. Section three. | Good.",
        "It is 5 a.m. | We sleep.",
        "The U.S. Senate met. | It voted.",
        "They live in the U.S. | They like it.",
        "She has a Ph.D. | It took years.",
        "King Jr. Boulevard is long. | Walk.",
        // Initials and single letters.
        "By J. Doe and J. R. R. Tolkien. | So do I. | Ends.",
        "George W. Bush left. | It rained.",
        "SQLite is written in C. | SQLite is small. | See it in J. Doe's paper.",
        "Take vitamin C. | Then rest.",
        "We chose plan B. | It works.",
        // Numbers, versions, URLs, files.
        "Pi is 3.14 or so. | Not 3,15.",
        "Use v1.2.3. | Version 2.0 is out.",
        "It costs $1,600.50. | Pay.",
        "It has 3. | The other has 4.",
        "See https://a.example/b.html?q=1.2. | Then go.",
        "Open src/main.rs. | It is short.",
        "Node.js and .NET work. | .NET is older.",
        "Mail a.b@c.example. | Wait.",
        // Lists.
        "1. Open the door.",
        "- 12. Close it. | Then go.",
        "a. First letter. | Then more.",
        // Quotes and brackets.
        "He said \"no.\" | Then he left.",
        "“Is it?” he asked. | “Yes.” | Good.",
        "„Nein.“ | Er ging.",
        "«Oui.» | Il partit.",
        "It works (mostly. Not always). | Good.",
        "See this. | (It is short.) | Go on.",
        "It works. (see below). | Next.",
        "[A link. With a stop](x) is here. | Next.",
        "An odd ( bracket. | Then more.",
        "A smile :) is fine. | Really.",
        "It is so.[1] | And so.[^2] | Yes.² | End.",
        // Code.
        "See `a. B` there. | Next.",
        "Run ``x `y. Z` w`` now. | Next.",
        "An odd ` tick. | Then more.",
        "`foo` is a name. | `Bar` is one too.",
        "Call f(a. B) here. | Next.",
        // Emphasis.
        "**Note.** | The rest.",
        "*It is.* | _So it is._ | Yes.",
        // German.
        "Das gilt z. B. Für alle, d. h. Menschen. | Es gilt.",
        "Das gilt z.B. Linux, u.a. BSD, usw. | Die anderen nicht.",
        "Am 3. Oktober 2020 war es so. | Danach nicht.",
        "Es ist der 2. Versuch. | Er gelang.",
        "Siehe Abs. 3, S. 5 und Nr. 7 bzw. Art. 8. | Gut.",
        "Hr. Müller und Fr. Dr. Weiß, Dipl.-Ing. Kurz. | Alle da.",
        "Es kostet ca. 3 Mio. Euro. | Das ist viel.",
        "Let's Encrypt ist eine CA. | Sie stellt Zertifikate aus.",
        "Das ist i.d.R. Standard. | Gut so.",
        "Über alles. | Ändern geht.",
        // Others.
        "再試行する。|待つ！|終わり",
        "甲。|乙！」|丙？",
        "Он ушёл. | Она нет.",
        "यह है। | वह है।",
        "¿Qué es? | ¡Nada! | Bien.",
        "Elle dit non. | Il dit oui.",
        "It is fast. | 5 workers run.",
        "Yahoo! is a name. | It was.",
        "A paragraph without a stop|\n\nAnother one. | And more.",
    ] {
        check(marked);
    }
    assert!(sentences("").is_empty());
    assert!(sentences(" \n\n ").is_empty());
    assert_eq!(split(" . . . "), [". . ."]);
    assert_eq!(starts("One.  Two.\nThree."), [6, 11]);
}

#[test]
fn odd_texts_take_no_longer() {
    for odd in ["(", "`", "``x` ", ". ", "[", "A. ", "(a. ) ", "\n"] {
        let text = odd.repeat(200_000 / odd.len());
        sentences(&text);
    }
}

proptest! {
    #[test]
    fn nothing_but_white_space_is_lost(text in r"([a-cA-C1]{1,3}[.!? 。…`()\[\]\n]{1,3}|\PC){0,40}") {
        let mut end = 0;
        for sentence in sentences(&text) {
            prop_assert!(text[end..sentence.start].trim().is_empty());
            let shown = &text[sentence.clone()];
            prop_assert_eq!(shown.trim(), shown);
            prop_assert!(!shown.is_empty());
            end = sentence.end;
        }
        prop_assert!(text[end..].trim().is_empty());
    }
}
