//! What the rules know of German, French and Spanish: their small words, their verbs, and which words of
//! a sentence are a verb or an article.

use crate::extract::token::Token;
use crate::words::{Words, list};

/// What the rules know of a language.
pub(in crate::extract) struct Grammar {
    /// Words that are frequent in each of its texts.
    pub(super) frequent: &'static [&'static str],
    pub(super) articles: &'static [&'static str],
    /// What stands for the subject of the sentence before.
    pub(super) pronouns: &'static [&'static str],
    /// What points to the text around it.
    pub(super) pointers: &'static [&'static str],
    /// What stands before several.
    pub(super) plurals: &'static [&'static str],
    /// Whoever speaks, is spoken to, or does something in general.
    pub(super) persons: &'static [&'static str],
    /// What ties a sentence to the one before wherever it stands.
    pub(super) ties: &'static [&'static str],
    pub(super) verbs: &'static Words,
    /// The verb may stand before its subject, behind what leads in.
    pub(super) inverts: bool,
    /// All nouns begin with a capital.
    pub(super) nouns_have_capitals: bool,
}

static GERMAN_VERBS: Words = list!(words "german_verbs");
static FRENCH_VERBS: Words = list!(words "french_verbs");
static SPANISH_VERBS: Words = list!(words "spanish_verbs");

pub(super) const ENGLISH: &[&str] =
    &["the", "of", "and", "is", "to", "in", "was", "that", "for", "with", "are", "by", "on", "it"];

pub(super) static GRAMMARS: [Grammar; 3] = [
    Grammar {
        frequent: &[
            "der", "die", "das", "und", "ist", "den", "von", "mit", "dem", "des", "nicht", "ein",
            "eine", "im", "auf", "für", "wurde", "zu", "sich", "als", "auch", "bei", "nach",
            "wird", "einer", "einem", "ihre", "oder", "sind", "sie", "am", "vom",
        ],
        articles: &["der", "die", "das", "ein", "eine"],
        pronouns: &["er", "sie", "es"],
        pointers: &[
            "diese", "dieser", "dieses", "diesem", "diesen", "damals", "oben", "unten", "dort",
            "jene", "jener", "ihm", "ihn", "ihr", "deren", "dessen", "gleiches", "ähnliches",
            "folgendes", "letzteres", "ersteres", "selbiges", "beider", "vorhaben", "beides",
            "solche", "solchem", "solchen", "solcher", "solches", "selbe", "selben",
        ],
        plurals: &["alle", "jeder", "jede", "jedes"],
        persons: &[
            "ich", "wir", "uns", "unser", "unsere", "unserem", "unseren", "unserer", "unseres",
            "man", "du", "euch", "mir", "mich",
        ],
        ties: &[
            "dabei", "dagegen", "daher", "dennoch", "deshalb", "hierbei", "hierfür", "hierzu",
            "jedoch", "somit", "trotzdem",
        ],
        verbs: &GERMAN_VERBS,
        inverts: true,
        nouns_have_capitals: true,
    },
    Grammar {
        frequent: &[
            "le", "la", "les", "des", "et", "est", "une", "un", "dans", "du", "que", "pour", "par",
            "sur", "au", "en", "avec",
        ],
        articles: &["le", "la", "les", "un", "une"],
        pronouns: &["il", "elle", "ils", "elles", "ce"],
        pointers: &["ce", "cette", "ces", "celui", "celle", "ceux", "alors", "lui", "leur"],
        plurals: &["certaines", "certains", "chaque", "plusieurs", "tous", "toutes"],
        persons: &["je", "nous", "vous", "on", "notre", "votre", "nos", "vos", "tu"],
        ties: &["cependant", "donc", "néanmoins", "toutefois"],
        verbs: &FRENCH_VERBS,
        inverts: false,
        nouns_have_capitals: false,
    },
    Grammar {
        frequent: &[
            "el", "la", "los", "las", "y", "es", "del", "que", "una", "un", "con", "por", "para",
            "fue", "se", "su", "en",
        ],
        articles: &["el", "la", "los", "las", "un", "una"],
        pronouns: &["él", "ella", "ellos", "ellas"],
        pointers: &["este", "esta", "estos", "estas", "ese", "esa", "aquel", "aquella", "allí"],
        plurals: &["cada", "todos", "todas"],
        persons: &["yo", "nosotros", "usted", "ustedes", "nuestro", "nuestra", "tú"],
        ties: &["asimismo", "entonces"],
        verbs: &SPANISH_VERBS,
        inverts: false,
        nouns_have_capitals: false,
    },
];

/// Articles that are bent or joined to another word.
static BENT_ARTICLES: Words = list!(words "bent_articles");

impl Grammar {
    pub(super) fn is_verb(&self, token: &Token<'_>) -> bool {
        // `n'est`, `l'a`.
        let bare = token.text.split_once(['\'', '’']).map_or(token.text, |(_, verb)| verb);
        token.before.is_empty() && self.verbs.contains(bare)
    }

    pub(super) fn is_article(&self, token: &Token<'_>) -> bool {
        let word = token.lower();
        self.articles.contains(&word.as_str()) || BENT_ARTICLES.contains(word.as_str())
    }

    /// Whether a word begins sentences and is no name there.
    pub(super) fn is_small(&self, word: &str) -> bool {
        self.frequent.contains(&word)
            || self.articles.contains(&word)
            || self.pronouns.contains(&word)
            || self.pointers.contains(&word)
            || self.persons.contains(&word)
            || matches!(word, "dies" | "cela" | "ceci" | "esto" | "eso" | "aquello")
    }
}
