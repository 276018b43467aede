//! Sentences of German that begin otherwise than with their subject: where or when, a noun alone, a clause
//! that tells which one.

use std::borrow::Cow;

use super::grammar::Grammar;
use super::statements::closes;
use crate::extract::fold::fold;
use crate::extract::thing::Thing;
use crate::extract::token::Token;
use crate::words::{Words, list};

/// German words that lead in where, when or how something is.
static LEADING: Words = list!(words "german_leads");

/// German words that tie a sentence to the one before where they begin it.
static TYING: Words = list!(words "german_ties");

/// German words that begin a clause which goes on about the subject of the main one.
static BINDING: Words = list!(words "german_binders");

/// German words that begin a clause which tells which one a noun is of.
const RELATING: &[&str] =
    &["das", "dem", "den", "denen", "der", "deren", "dessen", "die", "welche", "welcher"];

/// What a law or a contract calls itself.
const LAWS: &[&str] = &[
    "Gesetz", "Gesetzes", "Ordnung", "Richtlinie", "Satzung", "Vereinbarung", "Verordnung",
    "Vertrag", "Vertrages", "Vertrags",
];

/// `im Sinne des Gesetzes` for `im Sinne dieses Gesetzes`, on the page of it.
pub(super) fn of_law<'t>(text: &'t str, thing: &Thing) -> Cow<'t, str> {
    const ARTICLES: &[(&str, &str)] = &[
        ("diesem ", "dem "),
        ("diesen ", "den "),
        ("dieser ", "der "),
        ("dieses ", "des "),
        ("diese ", "die "),
    ];
    // `Urlaubsgesetz`, `Satzung des Vereins`: a thing of another name is no law.
    let name = fold(&thing.name);
    if !thing.is_document && !LAWS.iter().any(|noun| name.contains(&fold(noun))) {
        return Cow::Borrowed(text);
    }
    let mut shown = Cow::Borrowed(text);
    // `Dieses Gesetz regelt`
    for (this, article) in [("Dieses Gesetz ", "Das Gesetz "), ("Diese ", "Die ")] {
        let rest = text.strip_prefix(this);
        let noun = rest.and_then(|rest| rest.split(' ').next()).unwrap_or_default();
        if let Some(rest) = rest.filter(|_| this.contains("Gesetz") || LAWS.contains(&noun)) {
            shown = Cow::Owned(format!("{article}{rest}"));
        }
    }
    for noun in LAWS {
        for (this, article) in ARTICLES {
            let said = format!(" {this}{noun}");
            if let Some(at) = shown.find(&said) {
                let is_whole = !shown[at + said.len()..].starts_with(char::is_alphabetic);
                // `dieses Gesetz gilt`: no genitive.
                let article =
                    if *noun == "Gesetz" && *this == "dieses " { "das " } else { article };
                if is_whole {
                    shown = Cow::Owned(shown.replacen(&said, &format!(" {article}{noun}"), 1));
                }
            }
        }
    }
    shown
}

/// `Als neue Prüfer wurden Ann Hill und Bo Oak gewählt` for `Somit wurden als neue Prüfer Ann Hill und Bo Oak
/// gewählt`, which needs no sentence before it.
pub(super) fn elected(text: &str) -> Option<String> {
    const TIES: &[&str] = &["Damit", "Daher", "Somit"];
    let (tie, rest) = text.split_once(' ')?;
    let (verb, rest) = rest.split_once(' ').filter(|_| TIES.contains(&tie))?;
    let told = rest.strip_prefix("als ").filter(|_| matches!(verb, "wurde" | "wurden"))?;
    let all: Vec<&str> = told.split(' ').collect();
    let noun = all.iter().position(|word| word.starts_with(char::is_uppercase))?;
    let (office, who) = all.split_at(noun + 1);
    let is_said = who.first().is_some_and(|first| first.starts_with(char::is_uppercase))
        && ["gewählt.", "bestellt.", "ernannt."].iter().any(|end| told.trim_end().ends_with(end));
    is_said.then(|| format!("Als {} {verb} {}", office.join(" "), who.join(" ")))
}

impl Grammar {
    /// `nach Satz 1`, `von Absatz 1`: of a paragraph that only the text has, unless a number before it says
    /// which.
    pub(super) fn cites(&self, tokens: &[Token<'_>], at: usize) -> bool {
        static PARTS: Words = list!(words "german_parts");
        let counts = |at: usize| {
            tokens.get(at).is_some_and(|it| it.text.starts_with(|char: char| char.is_ascii_digit()))
        };
        let is_told = at.checked_sub(1).is_some_and(counts);
        self.inverts && PARTS.contains(tokens[at].text) && counts(at + 1) && !is_told
    }

    /// `ergibt sich folgendes: Einnahmen von 5 €`, which the sentence goes on to tell.
    pub(super) fn lists(tokens: &[Token<'_>], at: usize) -> bool {
        const NEAR: usize = 3;
        let colon = (at..tokens.len().min(at + NEAR)).find(|&at| tokens[at].after == ":");
        tokens[at].text == "folgendes" && colon.is_some_and(|colon| colon + 1 < tokens.len())
    }

    /// Whether a word ties its sentence to the one before.
    pub(super) fn ties(&self, tokens: &[Token<'_>], at: usize) -> bool {
        let word = tokens[at].lower();
        let word = word.as_str();
        // `Ausgaben von 5 €; somit bleiben 3 €`: of what stands before it in the sentence.
        let goes_on = at.checked_sub(1).is_some_and(|before| {
            let before = &tokens[before];
            before.after == ";" || before.text.is_empty() && before.before.ends_with(';')
        });
        self.inverts && at == 0 && TYING.contains(word) || self.ties.contains(&word) && !goes_on
    }

    /// Whether a pronoun stands in a clause that goes on about the subject of the sentence: `wenn er`,
    /// `es sei denn`.
    pub(super) fn goes_on(&self, tokens: &[Token<'_>], at: usize) -> bool {
        let word = |at: usize| tokens.get(at).map(Token::lower).unwrap_or_default();
        let Some(before) = at.checked_sub(1).filter(|before| *before > 1) else { return false };
        self.inverts
            && (BINDING.contains(word(before).as_str())
                && tokens[..before].iter().any(|token| self.is_verb(token))
                || word(at) == "es" && word(at + 1) == "sei")
    }

    /// `Arbeitnehmer im Sinne des Gesetzes sind`, `Bruchteile von Tagen, die`: a noun with what tells which
    /// one it is.
    pub(super) fn opens_with_noun(&self, tokens: &[Token<'_>]) -> bool {
        let [first, second, ..] = tokens else { return false };
        let word = second.lower();
        let binds = LEADING.contains(word.as_str())
            || matches!(word.as_str(), "der" | "des" | "und" | "zwischen");
        let is_noun = first.is_capitalised()
            && first.text.chars().count() > 4
            && first.before.is_empty()
            && !self.is_small(&first.lower())
            && !LEADING.contains(first.lower().as_str());
        let is_plain = first.joins() && second.text.starts_with(char::is_lowercase) && binds;
        let is_related = first.after == "," && RELATING.contains(&word.as_str());
        self.nouns_have_capitals && is_noun && (is_plain || is_related)
    }

    /// `Im Sommer 2025 entstand eine Arbeit`: where or when, the verb, and behind it the subject.
    pub(super) fn leads_in(&self, tokens: &[Token<'_>]) -> bool {
        const MAX_LEAD: usize = 18;
        const NEAR: usize = 6;
        let first = tokens.first().filter(|first| self.inverts && first.before.is_empty());
        let leads = first.is_some_and(|first| LEADING.contains(first.lower().as_str()));
        let verb = (2..tokens.len().min(MAX_LEAD)).find(|&at| self.is_verb(&tokens[at]));
        let Some(verb) = verb.filter(|_| leads) else { return false };
        let closed = |token: &Token<'_>| token.joins() || closes(token);
        let is_subject = |token: &Token<'_>| {
            matches!(
                token.text,
                "ein" | "eine" | "der" | "die" | "das" | "alle" | "mehrere" | "folgendes"
            )
        };
        let next = tokens.get(verb + 1).is_some_and(|next| {
            next.is_capitalised() && next.before.is_empty() && next.text != "Sie"
        });
        tokens[..verb].iter().all(closed)
            && (next || tokens.iter().skip(verb + 1).take(NEAR).any(is_subject))
    }
}
