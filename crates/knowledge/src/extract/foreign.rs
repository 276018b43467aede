//! Statements in German, French and Spanish about names that are known or asked for: the name, or
//! the pronoun right behind a sentence about it, and a finite verb. New names are those that can be
//! nothing else, for capitals and word order say other things than in English.

use std::collections::{HashMap, HashSet};

use super::Statement;
use super::candidates::Candidate;
use super::facts::own::{Ground, MAX_OWN};
use super::facts::{is_spoken, is_whole, rows, shown};
use super::fold::fold;
use super::name::{structural, tidy};
use super::page::Page;
use super::shape;
use super::subject::{Class, Names};
use super::thing::{self, Thing};
use super::token::{Token, tokens};
use crate::words::{Words, list};

/// Names of a page that are kept, and runs of words that are looked at.
const MAX_NAMES: usize = 100;
const MAX_RUNS: usize = 2_000;

/// What the rules know of a language.
pub(super) struct Grammar {
    /// Words that are frequent in each of its texts.
    frequent: &'static [&'static str],
    articles: &'static [&'static str],
    /// What stands for the subject of the sentence before.
    pronouns: &'static [&'static str],
    /// What points to the text around it.
    pointers: &'static [&'static str],
    /// What stands before several.
    plurals: &'static [&'static str],
    /// Whoever speaks, is spoken to, or does something in general.
    persons: &'static [&'static str],
    verbs: &'static Words,
    /// The verb may stand before its subject, behind what leads in.
    inverts: bool,
    /// All nouns begin with a capital.
    nouns_have_capitals: bool,
}

static GERMAN_VERBS: Words = list!(words "german_verbs");
static FRENCH_VERBS: Words = list!(words "french_verbs");
static SPANISH_VERBS: Words = list!(words "spanish_verbs");

const ENGLISH: &[&str] =
    &["the", "of", "and", "is", "to", "in", "was", "that", "for", "with", "are", "by", "on", "it"];

static GRAMMARS: [Grammar; 3] = [
    Grammar {
        frequent: &[
            "der", "die", "das", "und", "ist", "den", "von", "mit", "dem", "des", "nicht", "ein",
            "eine", "im", "auf", "für", "wurde", "zu",
        ],
        articles: &["der", "die", "das", "ein", "eine"],
        pronouns: &["er", "sie", "es"],
        pointers: &[
            "diese",
            "dieser",
            "dieses",
            "diesem",
            "diesen",
            "damals",
            "dort",
            "jene",
            "jener",
            "ihm",
            "ihn",
            "ihr",
            "deren",
            "dessen",
            "gleiches",
            "ähnliches",
            "folgendes",
            "letzteres",
            "ersteres",
            "selbiges",
            "beides",
            "solche",
            "solchem",
            "solchen",
            "solcher",
            "solches",
        ],
        plurals: &["alle", "jeder", "jede", "jedes"],
        persons: &["ich", "wir", "uns", "man", "du", "euch", "mir", "mich"],
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
        persons: &["yo", "nosotros", "usted", "ustedes", "nuestro", "nuestra", "tú", "su", "sus"],
        verbs: &SPANISH_VERBS,
        inverts: false,
        nouns_have_capitals: false,
    },
];

/// The language of a page, if it is one of the three, by its frequent words.
pub(super) fn grammar(page: &Page) -> Option<&'static Grammar> {
    let mut english = 0_usize;
    let mut counts = [0_usize; GRAMMARS.len()];
    let mut all = 0_usize;
    for sentence in page.sentences.iter().take(200) {
        for token in tokens(page.text(sentence)) {
            let word = token.lower();
            all += 1;
            english += usize::from(ENGLISH.contains(&word.as_str()));
            for (count, grammar) in counts.iter_mut().zip(&GRAMMARS) {
                *count += usize::from(grammar.frequent.contains(&word.as_str()));
            }
        }
    }
    let (most, grammar) = counts.iter().zip(&GRAMMARS).max_by_key(|(count, _)| **count)?;
    (*most * 10 >= all && *most >= 2 * english.max(1)).then_some(grammar)
}

/// Words of a page below which its language cannot be told.
const FEWEST_TOLD: usize = 30;
/// One word of so many is frequent in any text of a language that is read; tables of figures and names
/// in English have fewer of them than its prose.
const RAREST: usize = 33;

/// Whether a page is written in none of the languages that are read: hardly one of its words is
/// frequent in any of them, or its letters are of another script.
pub(super) fn is_unread(page: &Page) -> bool {
    let (mut known, mut all) = (0_usize, 0_usize);
    let (mut latin, mut letters) = (0_usize, 0_usize);
    for sentence in page.sentences.iter().take(200) {
        let text = page.text(sentence);
        for char in text.chars().filter(|char| char.is_alphabetic()) {
            letters += 1;
            latin += usize::from(u32::from(char) < 0x250);
        }
        for token in tokens(text) {
            let word = token.lower();
            all += 1;
            let is_frequent = ENGLISH.contains(&word.as_str())
                || GRAMMARS.iter().any(|grammar| grammar.frequent.contains(&word.as_str()));
            known += usize::from(is_frequent);
        }
    }
    letters >= FEWEST_TOLD && latin * 2 < letters || all >= FEWEST_TOLD && known * RAREST < all
}

/// The topic as the page writes it, what the page lists the properties of, and names that nothing but
/// a name can be, if the page states something of them.
pub(super) fn candidates(
    page: &Page,
    grammar: &Grammar,
    topic: &str,
    title: Option<&str>,
) -> Vec<Candidate> {
    let new = |name: String| Candidate {
        name,
        aliases: Vec::new(),
        short: Vec::new(),
        class: Class::NewProper,
    };
    let asked = asked(page, grammar, topic);
    let mut names: Vec<String> = asked.into_iter().collect();
    names.extend(thing::of_topic(page, topic, title));
    names.extend(thing::of_properties(page, topic, title));
    names.extend(subjects(page, grammar, topic));
    let mut seen: HashSet<String> = HashSet::new();
    names.retain(|name| seen.insert(fold(name)));
    names.truncate(MAX_NAMES);
    names.into_iter().map(new).collect()
}

fn asked(page: &Page, grammar: &Grammar, topic: &str) -> Option<String> {
    let topic = fold(&tidy(topic));
    let words = topic.split(' ').count();
    for sentence in &page.sentences {
        let text = page.text(sentence);
        let tokens = tokens(text);
        for from in 0..tokens.len() {
            let (Some(first), Some(last)) = (tokens.get(from), tokens.get(from + words - 1)) else {
                break;
            };
            let surface = text.get(first.start..last.end).unwrap_or_default();
            if fold(surface) == topic
                && structural(surface).is_ok()
                && grammar.states(&tokens, from, from + words)
            {
                return Some(surface.to_owned());
            }
        }
    }
    None
}

/// How a page writes a word or run of words that begins sentences.
#[derive(Default)]
struct Writing {
    /// Statements that it begins, without an article.
    subject: usize,
    /// Elsewhere in a sentence, with a capital.
    inner: usize,
    /// Behind an article.
    article: usize,
    /// It begins an entry: `Debian 0.91 (1994): ...`
    entry: bool,
}

/// Names that sentences are about: of several words, shaped as only names are, or written as a name
/// where others are not.
fn subjects(page: &Page, grammar: &Grammar, topic: &str) -> Vec<String> {
    let topic = fold(topic);
    let of_topic: Vec<&str> = topic.split([' ', '-']).collect();
    let mut order: Vec<String> = Vec::new();
    let mut all: HashMap<String, Writing> = HashMap::new();
    for sentence in &page.sentences {
        let text = page.text(sentence);
        let tokens = tokens(text);
        let mut at = 0;
        while let Some(first) = tokens.get(at) {
            let begins = at == 0;
            let known = begins && grammar.is_small(&first.lower());
            let end = if known { at } else { shape::run(&tokens, at) };
            let surface = tokens.get(end.wrapping_sub(1)).filter(|_| end > at);
            let Some(surface) = surface.and_then(|last| text.get(first.start..last.end)) else {
                at += 1;
                continue;
            };
            let article = at > 0 && grammar.is_article(&tokens[at - 1]);
            if !all.contains_key(surface) && order.len() < MAX_RUNS {
                order.push(surface.to_owned());
            }
            let writing = all.entry(surface.to_owned()).or_default();
            let opens = begins || at == 1 && article;
            writing.subject += usize::from(opens && grammar.states(&tokens, at, end));
            writing.inner += usize::from(!begins && !article);
            writing.article += usize::from(article);
            writing.entry |= begins && sentence.first && is_entry(&tokens, end);
            at = end;
        }
    }
    order.retain(|name| {
        let Some(writing) = all.get(name) else { return false };
        let told = writing.subject > 0 || writing.entry;
        let words = name.split(' ').count();
        // `Das Hauptprodukt des Projekts`, `Verschiedene Typen` are no names.
        let plain = grammar.nouns_have_capitals
            && (writing.article > 0 || writing.inner == 0 || name.split(' ').any(shape::is_joint));
        let sure = shape::is_shaped(name) && !name.contains('-')
            || words > 1 && shape::is_proper(name) && !plain;
        let single = || {
            let named = of_topic.contains(&fold(name).as_str());
            let is_name = match grammar.nouns_have_capitals {
                true => writing.article == 0 && writing.subject > 1,
                false => writing.inner > 0,
            };
            words == 1 && (named && writing.article == 0 || is_name)
        };
        told && structural(name).is_ok() && !shape::is_code(name) && (sure || single())
    });
    order
}

/// `X (1994) : what came of it`, at the beginning of a block.
fn is_entry(tokens: &[Token<'_>], end: usize) -> bool {
    let at = super::clause::behind_bracket(tokens, end);
    let colon = |token: &Token<'_>| token.text.is_empty() && token.before == ":";
    let closed = tokens.get(at.wrapping_sub(1)).is_some_and(|last| last.after.ends_with(':'));
    let behind = tokens.get(at).is_some_and(colon);
    (closed || behind) && tokens.len() >= at + 5
}

/// What the sentences state of names, in the order of the page.
pub(super) fn collect(
    page: &Page,
    grammar: &Grammar,
    thing: Option<&Thing>,
    names: &Names,
) -> Vec<(usize, Statement)> {
    let mut found = Vec::new();
    let mut before: Option<(usize, String, usize)> = None;
    let ground = Ground::of(page, thing, names);
    let mut own: Vec<(usize, Statement)> = Vec::new();
    for sentence in &page.sentences {
        let block = page.blocks.get(sentence.block).map_or("", |block| block.text.as_str());
        let told = before.take().filter(|(.., block)| *block == sentence.block);
        if is_spoken(block, &sentence.range) {
            continue;
        }
        let text = page.text(sentence);
        let all = tokens(text);
        let named = (0..all.len()).find_map(|from| {
            let hit = names.at(text, &all, from).filter(|hit| !hit.possessive)?;
            grammar.states(&all, from, hit.end).then_some((hit, from))
        });
        let entry = (sentence.first && named.is_none())
            .then(|| names.at(text, &all, 0).filter(|hit| is_entry(&all, hit.end)))
            .flatten();
        if let Some(hit) = entry
            && let Some(last) = all.get(hit.end - 1)
        {
            let name = text.get(..last.end).unwrap_or_default().to_owned();
            if is_whole(text) {
                let (text, line) = (shown(text), sentence.line);
                found.push((hit.entity, Statement { text, line }));
            }
            before = Some((hit.entity, name, sentence.block));
            continue;
        }
        let stated = if let Some((hit, from)) = named {
            let (first, last) = (all.get(from), all.get(hit.end - 1));
            let surface = first.zip(last).and_then(|(first, last)| text.get(first.start..last.end));
            Some((hit.entity, surface.unwrap_or_default().to_owned(), text.to_owned()))
        } else if let Some((entity, name, _)) = told
            && let [first, verb, ..] = all.as_slice()
            && grammar.pronouns.contains(&first.lower().as_str())
            && grammar.is_verb(verb)
            && !is_impersonal(&all)
            && let Some(rest) = text.get(first.end..)
        {
            let said = format!("{name}{rest}");
            Some((entity, name, said))
        } else {
            None
        };
        let Some((entity, name, said)) = stated else {
            let text = (own.len() < MAX_OWN && ground.has(sentence))
                .then(|| grammar.own(text, &all))
                .flatten();
            if let Some((thing, text)) = thing.zip(text) {
                let text = ground.named(sentence, thing, &text);
                own.push((thing.entity, Statement { text, line: sentence.line }));
            }
            continue;
        };
        let words = tokens(&said);
        let points = (0..words.len()).any(|at| {
            grammar.pointers.contains(&words[at].lower().as_str()) || grammar.ties(&words, at)
        });
        if !points && is_whole(&said) {
            found.push((entity, Statement { text: shown(&said), line: sentence.line }));
        }
        before = Some((entity, name, sentence.block));
    }
    found.extend(rows::collect(page, thing, names));
    found.extend(own);
    found
}

/// German words that lead in where, when or how something is.
static LEADING: Words = list!(words "german_leads");

/// German words that tie a sentence to the one before where they begin it.
static TYING: Words = list!(words "german_ties");

/// Those that do wherever they stand.
const TYING_ANYWHERE: &[&str] = &[
    "dabei", "dagegen", "daher", "dennoch", "deshalb", "hierbei", "hierfür", "hierzu", "jedoch",
    "somit", "trotzdem",
];

/// German words that begin a clause which goes on about the subject of the main one.
static BINDING: Words = list!(words "german_binders");

/// German words that begin a clause which tells which one a noun is of.
const RELATING: &[&str] =
    &["das", "dem", "den", "denen", "der", "deren", "dessen", "die", "welche", "welcher"];

/// `Es gibt viele`, `Sie können`, `Il est possible de`: the pronoun stands for nothing before it.
fn is_impersonal(tokens: &[Token<'_>]) -> bool {
    let word = |at: usize| tokens.get(at).map(Token::lower).unwrap_or_default();
    let (verb, next) = (word(1), [word(2), word(3), word(4)]);
    match word(0).as_str() {
        "es" => matches!(verb.as_str(), "gibt" | "gab") || next.iter().any(|next| next == "dass"),
        "sie" => verb.ends_with("en") || verb == "sind",
        "il" => {
            let adjective = matches!(verb.as_str(), "est" | "était" | "fut" | "sera");
            let binds = |next: &String| {
                matches!(next.as_str(), "de" | "que")
                    || next.starts_with("d'")
                    || next.starts_with("qu'")
            };
            adjective && next.iter().any(binds)
        }
        _ => false,
    }
}

/// Whether nothing but a bracket or a quotation ends behind a word.
fn closes(token: &Token<'_>) -> bool {
    matches!(token.after, ")" | "\"" | "“" | "”")
}

impl Grammar {
    /// Whether a sentence states something of the name between two tokens: the name begins it, or
    /// stands right behind its verb.
    fn states(&self, tokens: &[Token<'_>], from: usize, end: usize) -> bool {
        let article = |at: usize| {
            tokens.get(at).is_some_and(|token| self.articles.contains(&token.lower().as_str()))
        };
        let opens = from == 0 || (from == 1 && article(0));
        let behind = super::clause::behind_bracket(tokens, end);
        let joined = tokens
            .get(behind.saturating_sub(1))
            .is_some_and(|token| token.after.trim_matches(')').is_empty());
        if opens && joined && tokens.get(behind).is_some_and(|token| self.is_verb(token)) {
            return true;
        }
        let verb = if from > 1 && article(from - 1) { from - 2 } else { from.wrapping_sub(1) };
        let rest = tokens.len() > end;
        self.inverts
            && rest
            && (1..=10).contains(&verb)
            && tokens.get(verb).is_some_and(|token| self.is_verb(token) && token.joins())
            && tokens[..verb].iter().all(|token| token.joins() && !self.is_verb(token))
    }

    /// A sentence of a page that names nothing but can be understood below its title: it begins with
    /// an article and its noun, and points to nothing before it.
    fn own(&self, text: &str, tokens: &[Token<'_>]) -> Option<String> {
        const LEAST: usize = 6;
        const MAX_SUBJECT: usize = 12;
        const MAX_LEAD: usize = 18;
        let begins = tokens.first().is_some_and(|first| {
            let word = first.lower();
            first.is_capitalised()
                && first.before.is_empty()
                && (self.articles.contains(&word.as_str()) || self.plurals.contains(&word.as_str()))
        });
        let points = |at: usize| {
            let token = &tokens[at];
            let word = token.lower();
            let bare = word.split_once(['\'', '’']).map_or(word.as_str(), |(_, rest)| rest);
            let goes_on = self.pronouns.contains(&bare) && self.goes_on(tokens, at);
            [self.pointers, self.pronouns, self.persons].iter().any(|all| all.contains(&bare))
                && !goes_on
                || self.ties(tokens, at)
                || matches!(token.text, "Sie" | "Ihr" | "Ihre" | "Ihnen")
        };
        // `Profile werden geladen`: several, of which the verb tells.
        let of_several = self.nouns_have_capitals
            && tokens.first().is_some_and(|first| {
                let word = first.lower();
                first.is_capitalised()
                    && first.joins()
                    && first.before.is_empty()
                    && !self.is_small(&word)
            })
            && tokens.get(1).is_some_and(|second| {
                self.is_verb(second)
                    && (second.text.ends_with("en") || matches!(second.text, "sind" | "waren"))
            });
        let leads = self.leads_in(tokens);
        let of_noun = self.opens_with_noun(tokens);
        let begins = begins || of_several || leads || of_noun || self.opens_with_several(tokens);
        let most = if leads { MAX_LEAD } else { MAX_SUBJECT };
        // The verb of the sentence, before any comma.
        let head = tokens.iter().take(most);
        let head = head.clone().position(|token| !(token.joins() || leads && closes(token)));
        let head = head.map_or(most, |at| at + 1);
        let verb = (1..tokens.len().min(head)).find(|&at| self.is_verb(&tokens[at]));
        let verb = verb.or_else(|| self.verb_behind_clause(tokens, head))?;
        let whole = tokens.len() >= LEAST && text.trim_end().ends_with(['.', ')', '»', '“']);
        (begins
            && whole
            && verb + 1 < tokens.len()
            && !(0..tokens.len()).any(points)
            && is_whole(text))
        .then(|| shown(text))
    }

    /// Whether a word ties its sentence to the one before.
    fn ties(&self, tokens: &[Token<'_>], at: usize) -> bool {
        let word = tokens[at].lower();
        let word = word.as_str();
        self.inverts && (at == 0 && TYING.contains(word) || TYING_ANYWHERE.contains(&word))
    }

    /// Whether a pronoun stands in a clause that goes on about the subject of the sentence: `wenn er`,
    /// `es sei denn`.
    fn goes_on(&self, tokens: &[Token<'_>], at: usize) -> bool {
        let word = |at: usize| tokens.get(at).map(Token::lower).unwrap_or_default();
        let Some(before) = at.checked_sub(1).filter(|before| *before > 1) else { return false };
        self.inverts
            && (BINDING.contains(word(before).as_str())
                && tokens[..before].iter().any(|token| self.is_verb(token))
                || word(at) == "es" && word(at + 1) == "sei")
    }

    /// `Arbeitnehmer im Sinne des Gesetzes sind`, `Bruchteile von Tagen, die`: a noun with what tells which
    /// one it is.
    fn opens_with_noun(&self, tokens: &[Token<'_>]) -> bool {
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

    /// The verb behind a clause that tells which one the subject is: `Tage, die einen ergeben, sind`.
    fn verb_behind_clause(&self, tokens: &[Token<'_>], comma: usize) -> Option<usize> {
        const MOST: usize = 20;
        let relates = tokens.get(comma).is_some_and(|next| RELATING.contains(&next.text));
        let ends = |at: &usize| tokens[*at].after == ",";
        let end = (comma..tokens.len().min(comma + MOST)).find(ends).filter(|_| relates)?;
        tokens.get(end + 1).is_some_and(|verb| self.is_verb(verb)).then_some(end + 1)
    }

    /// `Im Sommer 2025 entstand eine Arbeit`: where or when, the verb, and behind it the subject.
    fn leads_in(&self, tokens: &[Token<'_>]) -> bool {
        const MAX_LEAD: usize = 18;
        const NEAR: usize = 6;
        let first = tokens.first().filter(|first| self.inverts && first.before.is_empty());
        let leads = first.is_some_and(|first| LEADING.contains(first.lower().as_str()));
        let verb = (2..tokens.len().min(MAX_LEAD)).find(|&at| self.is_verb(&tokens[at]));
        let Some(verb) = verb.filter(|_| leads) else { return false };
        let closed = |token: &Token<'_>| token.joins() || closes(token);
        let is_subject = |token: &Token<'_>| {
            matches!(token.text, "ein" | "eine" | "der" | "die" | "das" | "alle" | "mehrere")
        };
        let next = tokens.get(verb + 1).is_some_and(|next| {
            next.is_capitalised() && next.before.is_empty() && next.text != "Sie"
        });
        tokens[..verb].iter().all(closed)
            && (next || tokens.iter().skip(verb + 1).take(NEAR).any(is_subject))
    }

    /// `Elementare Regeln gruppieren alle Dinge`: several, with what they are like before them.
    fn opens_with_several(&self, tokens: &[Token<'_>]) -> bool {
        const MAX_SUBJECT: usize = 4;
        let verb = (2..=MAX_SUBJECT).find(|&at| {
            tokens.get(at).is_some_and(|token| self.is_verb(token) && token.text.ends_with("en"))
        });
        let Some(subject) = verb.and_then(|verb| tokens.get(..verb)) else { return false };
        let [first, inner @ .., noun] = subject else { return false };
        let is_adjective = |token: &Token<'_>| {
            token.text.ends_with('e') && token.text.starts_with(char::is_lowercase)
        };
        self.nouns_have_capitals
            && first.is_capitalised()
            && first.text.ends_with('e')
            && !self.is_small(&first.lower())
            && inner.iter().all(is_adjective)
            && noun.is_capitalised()
            && subject.iter().all(|token| token.joins() && token.before.is_empty())
    }

    fn is_verb(&self, token: &Token<'_>) -> bool {
        // `n'est`, `l'a`.
        let bare = token.text.split_once(['\'', '’']).map_or(token.text, |(_, verb)| verb);
        token.before.is_empty() && self.verbs.contains(bare)
    }

    fn is_article(&self, token: &Token<'_>) -> bool {
        let word = token.lower();
        self.articles.contains(&word.as_str())
            || matches!(
                word.as_str(),
                "den"
                    | "dem"
                    | "des"
                    | "einen"
                    | "einem"
                    | "einer"
                    | "eines"
                    | "im"
                    | "zum"
                    | "zur"
                    | "du"
                    | "au"
                    | "aux"
                    | "del"
                    | "al"
                    | "kein"
                    | "keine"
            )
    }

    /// Whether a word begins sentences and is no name there.
    fn is_small(&self, word: &str) -> bool {
        self.frequent.contains(&word)
            || self.articles.contains(&word)
            || self.pronouns.contains(&word)
            || self.pointers.contains(&word)
    }
}
