//! Texts in German, French and Spanish.

use super::*;

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
fn german_may_say_first_where_or_when() {
    let page = "# Fern\n\nFern ist ein System für Gärten und wurde in Bern gebaut. Im Rahmen des Studiums an \
                der Schule Sutton (Fakultät Bauen und Erhalten) entstand im Sommer 2025 eine Arbeit zu \
                den Gärten. Im Modul „Regionales Bauen\" entwickelte eine Gruppe von vier Leuten neue \
                Gärten. Im Sommer, der schön war, ist er nicht mit der Bahn gefahren.\n";
    assert_eq!(
        told(page, "Fern"),
        [
            "Fern | Fern ist ein System für Gärten und wurde in Bern gebaut.",
            "Fern | Fern – Im Rahmen des Studiums an der Schule Sutton (Fakultät Bauen und Erhalten) \
             entstand im Sommer 2025 eine Arbeit zu den Gärten.",
        ]
    );
}

#[test]
fn german_laws_are_read_paragraph_by_paragraph() {
    let page = "# Gesetz über Gärten\n\nAusfertigungsdatum\n:   1963-01-08\n\nFundstelle\n:   BGBl I 2\n\n\
                Stand\n:   2013\n\n## § 1\n\n(1) Der Garten beträgt jährlich mindestens 24 Beete.\n\n(2) Als \
                Beete gelten alle Flächen, die nicht Weg oder Wiese sind.\n\n(4) Jedes Beet verfällt, wenn es \
                älter als 14 Tage ist. Deshalb sind stets nur Beete da. Ein solches Beet zeigt an, dass es \
                verfällt.\n";
    assert_eq!(
        told(page, "Gesetz über Gärten"),
        [
            "Gesetz über Gärten | Gesetz über Gärten – Ausfertigungsdatum: 1963-01-08",
            "Gesetz über Gärten | Gesetz über Gärten – Fundstelle: BGBl I 2",
            "Gesetz über Gärten | Gesetz über Gärten – Stand: 2013",
            "Gesetz über Gärten | Gesetz über Gärten – Der Garten beträgt jährlich mindestens 24 Beete.",
            "Gesetz über Gärten | Gesetz über Gärten – Als Beete gelten alle Flächen, die nicht Weg oder \
             Wiese sind.",
            "Gesetz über Gärten | Gesetz über Gärten – Jedes Beet verfällt, wenn es älter als 14 Tage ist.",
        ]
    );
}

#[test]
fn a_law_is_a_page_s_own_only_where_that_is_one() {
    let page = "# Elophant GmbH\n\nDie Elophant GmbH ist ein Betrieb in Rom und hat viele Gärten. Die Union \
                erließ 2019 eine Norm für Gärten. Der Betrieb beträgt im Sinne dieser Richtlinie mindestens \
                24 Stunden.\n";
    let told = told(page, "Elophant GmbH");
    assert!(!told.is_empty() && told.iter().all(|it| !it.contains("Richtlinie")), "{told:?}");
}

#[test]
fn what_another_text_proposes_and_who_they_are_is_no_page_s() {
    for (text, topic) in [
        (
            "# Zurl\n\nZurl is a tool. RFC 9110 is a text of 2022. This specification requires a header in every request.",
            "Zurl",
        ),
        (
            "# Berlin\n\nBerlin is a city. A citizen proposed the Tempelhof plan in 2010. This proposal introduces a ban on new buildings at the airfield.",
            "Berlin",
        ),
        (
            "# Zurl\n\nZurl is a tool of 1999. They should have called the second one gurl in 2001.",
            "Zurl",
        ),
        (
            "# Zurl\n\nZurl is a tool of 1999. The first tool built there was a set of two scripts for the web.",
            "Zurl",
        ),
    ] {
        let told = told(text, topic);
        assert_eq!(
            told.iter().filter(|it| !it.contains("is a ") && !it.contains("citizen")).count(),
            0,
            "{told:?}"
        );
    }
}

#[test]
fn rules_years_and_borders_are_told_in_other_languages() {
    for (page, topic, expected) in [
        (
            "# Beiträge\n\nDer Beitrag des Vereins beträgt 20 € pro Monat. Gebühren werden nicht \
             erhoben.\n\nSomit wurden als neue Prüfer Ann Hill (1. Prüfer) und Bo Oak von den Mitgliedern gewählt.\n\nDie erste \
             Rücklage ist für den Anwalt des Vereins.\n\nIm Jahr 2021 ergibt sich folgendes: Einnahmen von 8.710 €; somit ein Rest \
             von 20 €.\n\nWeiter ist eine Reise in die Stadt der Mitglieder geplant.\n",
            "Beiträge",
            vec![
                "Beiträge – Der Beitrag des Vereins beträgt 20 € pro Monat.",
                "Beiträge – Gebühren werden nicht erhoben.",
                "Beiträge – Als neue Prüfer wurden Ann Hill (1. Prüfer) und Bo Oak von den Mitgliedern gewählt.",
                "Beiträge – Im Jahr 2021 ergibt sich folgendes: Einnahmen von 8.710 €; somit ein Rest von 20 €.",
            ],
        ),
        (
            "# Escuina\n\nEn 1602 había 20 vecinos en el poblado de la costa.\n\nColinda al norte con el municipio de \
             Rosario.\n\nSu clima es tropical de sabana y de mar. Su fauna es de la costa y del mar.\n\nLa gente era \
             entonces de la costa y del mar.\n",
            "Escuina",
            vec![
                "Escuina – En 1602 había 20 vecinos en el poblado de la costa.",
                "Escuina – Colinda al norte con el municipio de Rosario.",
                "Escuina – Su clima es tropical de sabana y de mar.",
            ],
        ),
        (
            "# La vanille\n\nLa vanille est une orchidée de la Réunion et du monde.\n\nEn 1819 le commandant Philibert, lors de son voyage, ramena une orchidée dans l'île de \
             la Réunion.\n",
            "vanille",
            vec![
                "La vanille est une orchidée de la Réunion et du monde.",
                "vanille – En 1819 le commandant Philibert, lors de son voyage, ramena une orchidée dans l'île de la Réunion.",
            ],
        ),
    ] {
        let all = found(page, topic, &[], Mode::Given);
        let all: Vec<&str> = all.iter().flat_map(|(_, facts)| facts).map(String::as_str).collect();
        assert_eq!(all, expected, "{page}");
    }
}

#[test]
fn a_pronoun_stands_for_the_noun_that_the_sentence_before_is_about() {
    let page = "# Citadelle de Fern\n\nLa citadelle est une ville dans le sud de la France. Elle occupe \
                la pointe de la baie. Il occupe la pointe.\n\nElle abrite une collection d'armes.\n\nSa \
                construction commence en 1590 sous la direction de Jean Fern.\n";
    assert_eq!(
        told(page, "Citadelle de Fern"),
        [
            "Citadelle de Fern | Citadelle de Fern – La citadelle est une ville dans le sud de la France.",
            "Citadelle de Fern | Citadelle de Fern – La citadelle occupe la pointe de la baie.",
            "Citadelle de Fern | Citadelle de Fern – La citadelle abrite une collection d'armes.",
            "Citadelle de Fern | Citadelle de Fern – Sa construction commence en 1590 sous la direction de Jean \
             Fern.",
        ]
    );
    let page = "# Fern\n\nFern ist eine Stadt in der Schweiz. Sie befindet sich im Kanton Bern.\n";
    assert_eq!(
        told(page, "Fern"),
        ["Fern | Fern ist eine Stadt in der Schweiz.", "Fern | Fern befindet sich im Kanton Bern."]
    );
}
