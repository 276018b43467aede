use std::collections::BTreeSet;

use serde_json::Value;

use super::*;
use crate::{
    Kind,
    store::{
        matrix::{Matrix, encode_matrix},
        segment::{Attributes, ChunkRecord, DocumentRecord, Segment, SegmentBuilder},
        view::Loaded,
    },
};
use elophanto_repo::{BlobId, NotePath};

/// Lessons about software, in English: 2,000 of them with some 10,000 different words.
const LESSONS: [&str; 4] = [
    include_str!("../../../../../tests/labelled/recall/operations.jsonl"),
    include_str!("../../../../../tests/labelled/recall/python.jsonl"),
    include_str!("../../../../../tests/labelled/recall/systems.jsonl"),
    include_str!("../../../../../tests/labelled/recall/web.jsonl"),
];

/// Documents that are searched.
struct World {
    analyzer: Analyzer,
    parts: Vec<Part>,
    live: Vec<Bits>,
}

impl World {
    fn new(texts: &[String]) -> Self {
        let analyzer = Analyzer::new("english");
        let mut builder = SegmentBuilder::new(&analyzer);
        for (number, text) in texts.iter().enumerate() {
            builder.add(
                &DocumentRecord {
                    path: NotePath::from(format!("{number}.md").as_str()),
                    blob: BlobId::of(text.as_bytes()),
                    title: String::new(),
                    titled: false,
                    scope: elophanto_text::markdown::Scope::User,
                    tags: Vec::new(),
                    attributes: Attributes::Note { covers: Vec::new() },
                    created: None,
                    updated: None,
                    note: None,
                },
                text,
                &[ChunkRecord {
                    range: 0..text.len(),
                    lines: (1, 1),
                    breadcrumb: Vec::new(),
                    lesson: None,
                }],
            );
        }
        let loaded = Loaded {
            name: String::new(),
            segment: Segment::in_memory(builder.finish()).unwrap(),
            matrix: Matrix::in_memory(encode_matrix("none", 1, &[])).unwrap(),
        };
        let live = Bits::new(texts.len(), true);
        let part = Part { loaded: loaded.into(), live: live.clone(), kind: Kind::Note };
        Self { analyzer, parts: vec![part], live: vec![live] }
    }

    fn of_lessons() -> Self {
        Self::new(&lessons())
    }

    /// What each misspelt word of a question is taken for.
    fn corrections(&self, question: &str) -> Vec<Correction> {
        let field =
            Field { parts: &self.parts, live: &self.live, allowed: &self.live, whole: None };
        let query = Query::parse(question, &self.analyzer);
        Spelling::of(&field, &query, &self.analyzer).unwrap().corrections
    }

    fn holding(&self, term: &str) -> u32 {
        holding(&self.parts[0], &self.live[0], term).unwrap()
    }

    fn term(&self, word: &str) -> String {
        self.analyzer.term(word).unwrap_or_default().into_owned()
    }

    #[track_caller]
    fn check(&self, question: &str, expected: &[(&str, &[&str])]) {
        let found = self.corrections(question);
        let found: Vec<(&str, Vec<&str>)> = found
            .iter()
            .map(|(term, found)| (term.as_str(), found.iter().map(|(it, _)| it.as_str()).collect()))
            .collect();
        let expected: Vec<(&str, Vec<&str>)> =
            expected.iter().map(|(term, found)| (*term, found.to_vec())).collect();
        assert_eq!(found, expected, "{question}");
    }
}

#[test]
fn compounds_are_respelt_once() {
    let texts =
        ["Rename labels with label_format. A label_format has a name.", "The log_line format."];
    let world = World::new(&texts.map(str::to_owned));
    let respelt = |question: &str| {
        let field =
            Field { parts: &world.parts, live: &world.live, allowed: &world.live, whole: None };
        let query = Query::parse(question, &world.analyzer);
        Spelling::of(&field, &query, &world.analyzer).unwrap().text
    };
    for (question, expected) in [
        ("with label_fromat now", Some("with label_format now")),
        ("lable_format", Some("label_format")),
        ("a laebl_format of log_lien", Some("a label_format of log_line")),
        ("label_format", None),
    ] {
        assert_eq!(respelt(question).as_deref(), expected, "{question}");
    }
    // Whatever stands in a question, no place of it is taken twice.
    for question in
        ["label_fromat-fromat.fromat_label", "fromat_fromat_fromat", "_fromat_", "é_fromat"]
    {
        respelt(question);
    }
}

#[test]
fn words_written_as_one_are_taken_apart() {
    let texts = [
        "To start up the server, run it with the flag for a cold start.",
        "A phone home call tells how many there are. Any phone rings at home.",
        "The house is a home. A car park is near.",
    ];
    let world = World::new(&texts.map(str::to_owned));
    world.check("startup of the server", &[("startup", &["start", "up"])]);
    world.check("does the server phonehome", &[("phonehom", &["phone", "home"])]);
    // Nobody writes these one after the other.
    world.check("server of the carhome", &[]);
    world.check("the server homephone", &[]);
    // As it is written, so it is found: nothing is near that is better.
    world.check("the sevrer", &[("sevrer", &["server"])]);
}

fn lessons() -> Vec<String> {
    let lines = LESSONS.iter().flat_map(|lessons| lessons.lines());
    let text = |line: &str| {
        let lesson: Value = serde_json::from_str(line).unwrap();
        format!("{} {}", lesson["context"].as_str().unwrap(), lesson["lesson"].as_str().unwrap())
    };
    lines.map(text).collect()
}

/// Words of five and more letters that several lessons hold.
fn ordinary_words(world: &World) -> Vec<String> {
    let mut all = BTreeSet::new();
    for text in lessons() {
        let is_letters =
            |word: &&str| word.len() >= 5 && word.bytes().all(|b| b.is_ascii_lowercase());
        all.extend(text.split_whitespace().filter(is_letters).map(str::to_owned));
    }
    let is_ordinary =
        |word: &String| world.holding(&world.term(word)) >= 5 && !world.analyzer.is_common(word);
    all.into_iter().filter(is_ordinary).collect()
}

/// A word with one slip in its middle.
type Slip = fn(&str) -> String;

const SLIPS: [(&str, Slip); 4] = [
    ("swapped", |word| {
        let mut letters: Vec<char> = word.chars().collect();
        let at = letters.len() / 2;
        letters.swap(at, at + 1);
        letters.into_iter().collect()
    }),
    ("left out", |word| {
        let at = word.len() / 2;
        format!("{}{}", &word[..at], &word[at + 1..])
    }),
    ("doubled", |word| {
        let at = word.len() / 2;
        format!("{}{}", &word[..=at], &word[at..])
    }),
    ("beside", |word| {
        let at = word.len() / 2;
        let instead = ('a'..='z').find(|&key| is_taken_for(key, char::from(word.as_bytes()[at])));
        format!("{}{}{}", &word[..at], instead.unwrap(), &word[at + 1..])
    }),
];

/// Of each kind of slip, nearly all are understood, alone and in a question.
#[test]
fn slips_are_understood() {
    let world = World::of_lessons();
    let ordinary = ordinary_words(&world);
    assert!(ordinary.len() > 800, "{}", ordinary.len());
    for (kind, slip) in SLIPS {
        for (before, after, least) in [("", "", 0.9), ("how do I fix the ", " in a test", 0.9)] {
            let (mut asked, mut found) = (0, 0);
            let mut missed = Vec::new();
            for word in ordinary.iter().step_by(7) {
                let typed = slip(word);
                let term = world.term(word);
                if world.term(&typed) == term || world.holding(&world.term(&typed)) > 0 {
                    continue;
                }
                asked += 1;
                let corrections = world.corrections(&format!("{before}{typed}{after}"));
                let is_found = |(_, terms): &Correction| terms.iter().any(|(it, _)| *it == term);
                if corrections.iter().any(is_found) {
                    found += 1;
                } else {
                    missed.push(typed);
                }
            }
            let share = f64::from(found) / f64::from(asked);
            assert!(asked > 80 && share >= least, "{kind} {before}: {found}/{asked} {missed:?}");
        }
    }
}

/// Questions in other languages, as people ask them of English documents.
const FOREIGN_QUESTIONS: &[&str] = &[
    "wie stelle ich einen Timeout ein",
    "wie stelle ich das ein",
    "wo finde ich die Einstellungen",
    "warum startet der Dienst nicht mehr",
    "welche Datei muss ich löschen",
    "wie kann ich die letzte Änderung rückgängig machen",
    "was bedeutet diese Meldung beim Bauen",
    "Passwort vergessen, was nun",
    "Datei löschen",
    "Fehler beim Laden",
    "alle Tests laufen lassen",
    "comment changer le mot de passe",
    "pourquoi le serveur ne répond pas",
    "où sont les fichiers de configuration",
    "comment supprimer une branche distante",
    "quelle est la différence entre les deux",
    "supprimer le cache",
    "cómo puedo cambiar la contraseña",
    "dónde está el archivo de configuración",
    "por qué falla la prueba",
    "borrar una rama remota",
    "qué hace este comando",
    "come si cambia la password",
    "dove trovo il file di configurazione",
    "perché il test fallisce",
    "come elimino un ramo",
    "hoe stel ik een time-out in",
    "waar staat het bestand met instellingen",
    "waarom werkt de test niet",
    "como faço para mudar a senha",
    "onde fica o arquivo de configuração",
    "por que o teste falha",
    "jak zmienić hasło użytkownika",
    "gdzie jest plik konfiguracyjny",
    "hur ändrar jag lösenordet",
    "var ligger filen med inställningar",
    "как изменить пароль",
    "parolayı nasıl değiştirebilirim",
    "jak smazat vzdálenou větev",
    "miten vaihdan salasanan",
];

/// Words that mean nothing in English and stand alone. One that is a single letter from an English
/// word (`Ordner`, `ligne`) cannot be told from a slip.
const FOREIGN_WORDS: &[&str] = &[
    "stelle", "stellen", "einstellen", "löschen", "ändern", "wechseln", "Fehler", "Meldung",
    "Einstellung", "Benutzer", "Kennwort", "Rechner", "Speicher", "Zeile", "Spalte", "Verzeichnis",
    "Anmeldung", "laden", "starten", "beenden", "Wert", "Schlüssel", "Ablauf", "erreur",
    "mot de passe", "fichier", "dossier", "supprimer", "valeur", "utilisateur", "réseau", "échec",
    "lancer", "arrêter", "clé", "contraseña", "carpeta", "borrar", "cambiar", "usuario", "clave",
    "cartella", "cancellare", "utente", "riga", "chiave", "wachtwoord", "bestand", "gebruiker",
    "sleutel", "senha", "arquivo", "apagar", "usuário", "chave", "hasło", "użytkownik",
];

#[test]
fn words_of_other_languages_are_left_alone() {
    let world = World::of_lessons();
    let asked = FOREIGN_QUESTIONS.iter().chain(FOREIGN_WORDS);
    let corrected: Vec<_> = asked
        .map(|question| (question, world.corrections(question)))
        .filter(|(_, found)| !found.is_empty())
        .collect();
    assert!(corrected.is_empty(), "{corrected:?}");
}

#[test]
fn what_a_word_may_be_misspelt_for() {
    let world = World::new(&[
        "Otters sleep, hold hands and keep a stone.".to_owned(),
        "The shell may still sell configuration of a kubernetes cluster.".to_owned(),
        "Merge the branch; merging again merges nothing.".to_owned(),
    ]);
    world.check("ottres", &[("ottr", &["otter"])]);
    world.check("tOtesr", &[]);
    world.check("toters", &[("toter", &["otter"])]);
    world.check("do ottres hold hands", &[("ottr", &["otter"])]);
    world.check("stnoe", &[("stnoe", &["stone"])]);
    world.check("configuraton", &[("configuraton", &["configur"])]);
    world.check("kubernetes clustre", &[("clustr", &["cluster"])]);
    world.check("shel", &[("shel", &["shell"])]);
    // Both are wrong, and both are near something.
    world.check("ottres slep", &[("ottr", &["otter"]), ("slep", &["sleep"])]);
    // Typed twice, told once.
    world.check("ottres ottres", &[("ottr", &["otter"])]);
    // Alike only once the ending is off, of another language, of nothing, too short.
    world.check("stelle", &[]);
    world.check("wie stelle ich das ein", &[]);
    world.check("flurbel grax otters", &[]);
    world.check("stom flurbel grax", &[]);
    world.check("slp", &[]);
    world.check("", &[]);
}

#[test]
fn words_that_everybody_uses_are_no_slips() {
    let world = World::new(&["A man of the party names the rider and his modes.".to_owned()]);
    world.check("how many take part", &[]);
    world.check("it was made", &[]);
    let world = World::new(&["The colour of the theatre has a trial.".to_owned()]);
    world.check("color", &[("color", &["colour"])]);
    world.check("theater", &[("theater", &["theatr"])]);
    let world = World::new(&["In the 1850s he wrote.".to_owned()]);
    world.check("in the 1840s", &[]);
    let world = World::new(&["A party.".to_owned()]);
    world.check("the partyy", &[("partyy", &["parti"])]);
}

#[test]
fn slips_and_other_differences() {
    for (a, b, expected) in [
        ("otter", "otter", 0),
        ("ottre", "otter", 1),
        ("oter", "otter", 1),
        ("ottter", "otter", 1),
        ("otyer", "otter", 1),
        ("ottar", "otter", 1),
        ("otger", "otter", 1),
        ("otper", "otter", 2),
        ("funktion", "function", 2),
        ("", "ab", 2),
        ("häuser", "hauser", 2),
    ] {
        let letters = |word: &str| word.chars().collect::<Vec<char>>();
        assert_eq!(slips(&letters(a), &letters(b)), expected, "{a} {b}");
        assert_eq!(slips(&letters(b), &letters(a)), expected, "{b} {a}");
    }
}
