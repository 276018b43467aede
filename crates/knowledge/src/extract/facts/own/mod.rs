//! What a page says of its own thing without naming it: `The burrs are made of steel` on the page of a
//! grinder. Such a statement stands behind the thing's name, so that it can be understood alone.

mod subject;

use super::elsewhere::begins_elsewhere;
use super::form::{statement, statement_of_page};
use super::is_plural;
use super::whole::is_past;
use crate::extract::fold::fold;
use crate::extract::shape;
use crate::extract::thing::Thing;
use crate::extract::token::{self, Token};
use crate::extract::words;
use crate::words::{Words, list};
pub(in crate::extract::facts) use subject::{has_subject, is_vague};

/// Most of them of one page.
pub(in crate::extract) const MAX_OWN: usize = 30;
/// Tokens in which the verb must stand, and fewest of such a statement.
const MAX_SUBJECT: usize = 20;
const LEAST: usize = 6;
/// Tokens in which the verb behind `about 80%` must stand.
const MAX_SHARE: usize = 12;

/// The sentence as a statement of the page, if it has a subject of its own that needs no other
/// sentence, and points to nothing outside of it.
pub(super) fn of(text: &str, tokens: &[Token<'_>], thing: &Thing, opens: bool) -> Option<String> {
    let least = if opens { LEAST - 2 } else { LEAST };
    let is_coded = tokens.iter().any(is_code) && !opens;
    if tokens.len() < least || !text.starts_with(char::is_uppercase) || is_coded {
        return None;
    }
    if !text.trim_end().ends_with(['.', '"', '”', ')']) || begins_elsewhere(tokens) {
        return None;
    }
    // `This is a port of`, right below the title.
    let says_what = opens
        && !thing.is_document
        && matches!(tokens, [this, is, article, rest @ ..]
            if this.text == "This" && is.text == "is" && words::is_determiner(article.text)
                && rest
                    .iter()
                    .take_while(|it| !words::ends_phrase(&it.lower()))
                    .all(|it| !TEXTS.contains(it.lower().as_str()) && !is_vague(it)));
    if says_what && !(1..tokens.len()).any(|at| points(tokens, at)) {
        let told = format!("{}{}", thing.name, text.get(tokens[0].end..)?);
        return statement(&told, &token::tokens(&told), token::tokens(&thing.name).len());
    }
    let is_text = says_text(tokens, thing, opens);
    // `This document explains`: of the text, not of what it is about.
    let is_itself = tokens.get(1).is_some_and(|noun| match noun.text {
        "file" => true,
        noun => !thing.is_document && matches!(noun, "document" | "guide" | "page"),
    });
    if is_text && is_itself {
        return None;
    }
    if (usize::from(is_text)..tokens.len()).any(|at| points(tokens, at)) {
        return None;
    }
    // `All contributions to this project`, below its name.
    let definite = with_articles(text, tokens);
    // `Replacement for X that works` has a verb only in what tells which one.
    let is_main = |verb: &usize| {
        !opens || !tokens[..*verb].iter().any(|token| matches!(token.text, "that" | "which"))
    };
    match verb(tokens).filter(is_main) {
        Some(verb) => {
            let is_told = tokens.len() >= LEAST && has_subject(tokens, verb, thing);
            // What a policy says of the team, it says of its own.
            let is_itself = |noun: &str| is_text && tokens[1].text == noun;
            let is_own = |noun: &str| is_own_noun(noun, thing) || is_itself(noun);
            let said = token::tokens(&definite);
            is_told.then(|| statement_of_page(&definite, &said, verb, is_own)).flatten()
        }
        None => opens.then(|| tagline(text, tokens)).flatten(),
    }
}

/// `This directory contains`, right below the title, or `This PEP proposes` on the page of a PEP: the text
/// itself, which is told of by its name.
pub(super) fn says_text(tokens: &[Token<'_>], thing: &Thing, opens: bool) -> bool {
    const PACKAGES: &[&str] =
        &["crate", "library", "module", "package", "plugin", "program", "tool"];
    let [this, noun, ..] = tokens else { return false };
    let own = fold(&thing.name);
    // `This modest package contains`
    let is_package = || tokens.get(2).is_some_and(|it| PACKAGES.contains(&it.text)) && noun.joins();
    if this.text == "This" && opens && is_package() {
        return true;
    }
    let is_noun = noun.joins()
        && !is_vague(noun)
        && !words::is_starter(&noun.lower())
        && !words::is_finite(&noun.lower(), false);
    let is_named = own.split(' ').any(|word| word == noun.lower());
    let is_of_document = thing.is_document && OF_DOCUMENT.contains(&noun.text);
    // `This NIP defines`, as specifications name what they are.
    let is_spec = (shape::is_acronym(noun.text) || noun.text == "proposal")
        && tokens.get(2).is_some_and(|verb| OF_SPECIFICATION.contains(verb.text));
    this.text == "This" && is_noun && (opens || is_named || is_of_document || is_spec)
}

/// What a page may be itself.
static TEXTS: Words = list!(words "page_texts");

/// What a specification does.
static OF_SPECIFICATION: Words = list!(words "specifying_verbs");

/// What a document calls itself, or what it is a document of.
const OF_DOCUMENT: &[&str] =
    &["agreement", "handbook", "notice", "policy", "service", "site", "statement", "website"];

/// `Fastest LZ4 implementation in Rust.`, right below the title: what the thing is.
pub(super) fn tagline(text: &str, tokens: &[Token<'_>]) -> Option<String> {
    let word = tokens.first()?.lower();
    let tells = !words::is_verb_base(&word)
        && (words::is_determiner(&word) || !words::is_starter(&word))
        && tokens.iter().all(|token| token.after != ":");
    tells.then(|| statement(text, tokens, 1)).flatten()
}

/// `The show was installed by`, `The local galleries emphasized`: which ones, what was told before says, unless
/// what the page begins with does.
pub(super) fn is_of_before(text: &str, thing: &Thing, opening: &str) -> bool {
    let tokens = &token::tokens(text);
    let Some(verb) = verb(tokens) else { return false };
    // `A bird was dancing`: so while something else happened.
    let next = tokens.get(verb + 1).map_or("", |next| next.text);
    if matches!(tokens[verb].text, "was" | "were") && next.ends_with("ing") {
        return true;
    }
    let noun = tokens[verb - 1].lower();
    let is_plain = |token: &Token<'_>| {
        token.joins()
            && token.text.starts_with(char::is_lowercase)
            && !words::ends_phrase(token.text)
            && !matches!(token.text, "first" | "last" | "only")
    };
    // `The full set of`, `The minimum supported Rust version is`: no verbs.
    let (_, rest) = tokens.split_at(verb + 1);
    let is_object = rest[0].is_capitalised() || words::is_determiner(rest[0].text);
    // `The bridge was opened by Ann Hill`
    let is_by = |two: &[Token<'_>]| two[0].text == "by" && two[1].text != "the";
    let is_object = is_object && !rest.iter().any(|it| words::is_auxiliary(it.text));
    tokens[0].text == "The"
        && verb <= 3
        && (words::is_auxiliary(tokens[verb].text) || is_object)
        && !tokens[verb..].windows(2).take(4).any(is_by)
        && tokens[1..verb].iter().all(is_plain)
        && is_past(&tokens[verb])
        && !OWN_DOCUMENT.contains(&noun.as_str())
        && !ATTRIBUTES.contains(&noun.as_str())
        && !fold(&thing.name).contains(noun.as_str())
        && !fold(opening).split(|char: char| !char.is_alphanumeric()).any(|own| own == noun)
}

/// Whether a noun with `the` stands for the page's thing.
pub(super) fn is_own_noun(noun: &str, thing: &Thing) -> bool {
    thing.is_document || OWN_DOCUMENT.contains(&noun) || ATTRIBUTES.contains(&noun)
}

/// The first token that is surely a verb.
pub(super) fn verb(tokens: &[Token<'_>]) -> Option<usize> {
    (1..tokens.len().min(MAX_SUBJECT)).find(|&at| {
        let word = tokens[at].lower();
        let before = if at > 1 { tokens[at - 1].text.to_owned() } else { tokens[0].lower() };
        // `a set is won`, `three touches are`: what an article or a number stands before is a noun.
        let counted = tokens[at - 1].joins()
            && (words::is_determiner(&before) || COUNTS.contains(&before.as_str()));
        let binds = matches!(tokens[at - 1].text, "to" | "be") || counted;
        tokens[at].before.is_empty()
            && !binds
            && !is_quoted(tokens, at)
            && tokens[at].text.starts_with(char::is_lowercase)
            && (words::is_finite(&word, false) && !words::is_noun_verb(&word)
                || is_verb_by_place(tokens, at)
                || is_of_several(tokens, at))
            && at + 1 < tokens.len()
    })
}

/// Whether a word stands within quotes that opened before it.
pub(super) fn is_quoted(tokens: &[Token<'_>], at: usize) -> bool {
    let opens = tokens[..at].iter().rposition(|it| it.before.ends_with(['"', '“']));
    opens.is_some_and(|open| !tokens[open..at].iter().any(|it| it.after.contains(['"', '”'])))
}

/// Numbers as words, which nouns follow.
pub(super) const COUNTS: &[&str] =
    &["two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "several", "many"];

/// `formally documents`, `the box lists the`: a verb by the words around it, which else might be a noun.
fn is_verb_by_place(tokens: &[Token<'_>], at: usize) -> bool {
    let before = tokens[at - 1].lower();
    let next = tokens.get(at + 1).map_or("", |next| next.text);
    // `The restaurant, Ocean View, offers`
    let is_apposed = tokens[at - 1].after == ","
        && tokens[..at].iter().filter(|token| token.after == ",").count() == 2
        && tokens.get(at + 1).is_some();
    let is_led = (tokens[at - 1].joins() || is_apposed)
        && at > 1
        && !matches!(before.as_str(), "and" | "or");
    let is_adverb = before.len() > 4 && before.ends_with("ly");
    // `The certificate rotates every twelve hours.`: else nothing is one.
    let is_sure = |token: &Token<'_>| {
        let word = token.lower();
        words::is_auxiliary(&word)
            || word.ends_with('s') && words::is_finite(&word, false) && !words::is_noun_verb(&word)
    };
    // `Foo matches 100% of it`
    let is_amount = next.starts_with(|char: char| char.is_ascii_digit() || "$£€".contains(char));
    // `Parking costs £2 an hour`
    let is_priced = at == 1 && words::looks_gerund(&tokens[0].lower()) && is_amount;
    let opens = tokens[0].lower();
    let is_alone = (words::is_determiner(&opens) || words::looks_gerund(&opens))
        && tokens.last().is_some_and(|last| last.after.starts_with('.'))
        && !tokens[at + 1..].iter().any(is_sure);
    words::is_noun_verb(&tokens[at].lower())
        && (is_led || is_priced)
        && tokens[at].joins()
        && (is_adverb
            || (words::is_determiner(next) || is_amount || next == "to" || is_alone)
                && !is_plural(&before))
}

/// `The maintainers remain responsible`: a verb in its base form behind several.
fn is_of_several(tokens: &[Token<'_>], at: usize) -> bool {
    // `The maintainers usually review`.
    let adverb = at > 1 && tokens[at - 1].joins() && words::is_adverb(&tokens[at - 1].lower());
    let before = &tokens[if adverb { at - 2 } else { at - 1 }];
    let next = tokens.get(at + 1).map(Token::lower).unwrap_or_default();
    before.joins()
        && before.text.starts_with(char::is_lowercase)
        && is_plural(before.text)
        && !words::is_noun_verb(&before.lower())
        && words::is_verb_base(&tokens[at].lower())
        && tokens[at].joins()
        && !words::is_auxiliary(&next)
        && !words::is_finite(&next, false)
}

/// Behind which `that` stands for a noun.
pub(super) static BEFORE_THAT: Words = list!(words "before_that");

/// Words that stand for what other sentences name, for whoever writes or reads, or for what may be.
pub(super) fn points(tokens: &[Token<'_>], at: usize) -> bool {
    let word = tokens[at].lower();
    let next = tokens.get(at + 1).map(Token::lower).unwrap_or_default();
    match word.as_str() {
        // What a page is a document of.
        "this" => !OWN_DOCUMENT.contains(&next.as_str()),
        "its" | "their" => at == 0,
        "section" => {
            let is_cited = next.starts_with(|char: char| char.is_ascii_digit());
            is_cited && tokens.get(at + 2).is_none_or(|next| next.text != "of")
        }
        "first" | "second" | "third" | "last" | "next" | "previous" => {
            matches!(next.as_str(), "year" | "day" | "week" | "month" | "season" | "half" | "time")
        }
        // `Beginning with that letter`.
        "that" => at
            .checked_sub(1)
            .is_some_and(|before| BEFORE_THAT.contains(tokens[before].lower().as_str())),
        "other" | "others" | "another" => at < 3,
        // `The same lamp`: as which one, another sentence tells, unless several have it.
        "same" => {
            let has = |word: &Token<'_>| {
                matches!(word.text, "all" | "All" | "and" | "each" | "Each" | "both" | "Both")
                    || is_plural(word.text)
            };
            !tokens[at..].iter().any(|word| word.text == "as") && !tokens[..at].iter().any(has)
        }
        // `In a way that would change it`: in which way.
        "could" | "might" | "would" if relates(tokens, at) => false,
        // `Some are quiet`
        "some" | "many" | "most" | "few" if at == 0 => words::is_auxiliary(&next),
        "thus" => true,
        "now" | "would" | "could" | "might" | "perhaps" | "maybe" | "then" | "so" | "therefore"
        | "however" | "instead" | "also" | "too" | "again" | "both" => true,
        word => {
            super::mention::is_pointer(word)
                && !super::mention::exists(tokens, at)
                && !super::mention::goes_on(tokens, at)
        }
    }
}

/// Whether what stands before a word tells which one: `that`, `which`.
pub(super) fn relates(tokens: &[Token<'_>], at: usize) -> bool {
    let before = at.checked_sub(1).map_or("", |before| tokens[before].text);
    at > 3 && matches!(before, "that" | "which" | "who")
}

/// The text with `the project` for `this project`.
fn with_articles(text: &str, tokens: &[Token<'_>]) -> String {
    let mut shown = String::with_capacity(text.len());
    let mut from = 0;
    for token in tokens.iter().filter(|token| token.lower() == "this") {
        shown.push_str(&text[from..token.start]);
        shown.push_str(if token.is_capitalised() { "The" } else { "the" });
        from = token.end;
    }
    shown.push_str(&text[from..]);
    shown
}

/// What a thing has one of.
const ATTRIBUTES: &[&str] =
    &["code", "headquarters", "licence", "license", "logo", "motto", "name", "price", "title"];

/// What `this` stands for wherever on its pages it is written.
const OWN_DOCUMENT: &[&str] = &["project", "repository", "organization", "organisation"];

/// `foo_bar(x)`, `$line`, `types/index.d.ts`: what is typed says little away from where it stands.
pub(super) fn is_code(token: &Token<'_>) -> bool {
    let text = token.text;
    let is_humped = text.starts_with(char::is_lowercase)
        && text.chars().any(char::is_uppercase)
        && text.chars().all(char::is_alphanumeric);
    text.contains(['{', '}', '=', '<', '>', '|', '$', '_', '\\'])
        || text.contains("://")
        || is_humped
        || text == "NULL"
        || shape::is_code(text) && !text.contains(['%', '@'])
}
