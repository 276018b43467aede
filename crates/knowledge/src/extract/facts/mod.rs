//! Sentences that state something of an entity.

mod articles;
mod form;
mod home;
mod itself;
mod lead;
mod licence;
mod listed;
mod mention;
pub(super) mod own;
mod phrase;
mod pointer;
mod pronoun;
pub(super) mod rows;
mod scope;
mod speech;
mod whole;

use std::borrow::Cow;

use super::Statement;
use super::aside;
use super::clause;
use super::page::{Kind, Page, Sentence};
use super::shape;
use super::short;
use super::subject::Names;
use super::thing::Thing;
use super::token::{self, Token};
use super::words;
pub use form::FACT_WORDS;
use form::{is_address, is_self_contained, statement};
pub(super) use form::{is_plural, is_statement, is_told, is_whole, shown};
use home::{Home, broader};
use own::Ground;
use pointer::Written;
use pronoun::by_pronoun;
pub(super) use speech::is_spoken;

/// What is found: the entity's number and a statement, in the order of the page, what its tables
/// say behind the rest.
pub(super) fn collect(
    page: &Page,
    thing: Option<&Thing>,
    names: &Names,
) -> Vec<(usize, Statement)> {
    let mut found = Vec::new();
    let mut before: Option<Told> = None;
    // The person whom `she` still stands for behind sentences in which nobody else is named.
    let mut person: Option<Told> = None;
    let mut home = Home::default();
    let mut written = Written::default();
    let ground = Ground::of(page, thing, names);
    let scopes = scope::of(page, thing);
    let parts = thing.map(|thing| whole::parts(page, thing)).unwrap_or_default();
    let mut whole: Vec<(usize, Statement)> = Vec::new();
    let mut own: Vec<(usize, Statement)> = Vec::new();
    let is_ours = is_ours(page);
    for sentence in &page.sentences {
        let told = before.take().filter(|told| told.block == sentence.block);
        person = told.clone().filter(|told| told.person).or(person.take());
        person = person.filter(|person| person.block == sentence.block);
        let block = page.blocks.get(sentence.block).map_or("", |block| block.text.as_str());
        if is_spoken(block, &sentence.range) {
            continue;
        }
        let (text, points) = read(page.text(sentence), &home, &mut written, names);
        let earlier = block.get(..sentence.range.start).unwrap_or_default();
        let own_thing = thing.filter(|_| ground.has(sentence));
        let itself = own_thing
            .and_then(|thing| itself::named(&text, &token::tokens(&text), earlier, thing, &home));
        let text = itself.map_or(text, Cow::Owned);
        let text = text.as_ref();
        let tokens = token::tokens(text);
        let line = sentence.line;
        let item = page.blocks.get(sentence.block).is_some_and(|block| block.kind == Kind::Item);
        let (about, owned) = (found.len(), own.len());
        // A statement about somebody that needs another sentence.
        let mut left = false;
        let named = by_name(sentence, text, &tokens, item, names);
        let beside = named.as_ref().and_then(|(told, _)| {
            let person = person.as_ref().filter(|person| person.entity != told.entity);
            let person = person.and_then(|person| Some((person.entity, person.pronoun?)));
            person.or_else(|| home.pronoun_beside(told.entity))
        });
        let is_named = |entity: usize| {
            let mut hits = (0..tokens.len()).filter_map(|at| names.at(text, &tokens, at));
            hits.any(|hit| hit.entity == entity)
        };
        if beside
            .is_some_and(|(entity, pronoun)| pronoun::is_in(&tokens, pronoun) && !is_named(entity))
        {
            // `Bagge suspected that she`: which of both, the sentence does not tell.
        } else if let Some((told, fact)) = named {
            left = points && thing.is_none_or(|thing| thing.entity != told.entity);
            if let Some(text) = fact.filter(|_| !left) {
                let also = told.also.map(|also| (also, Statement { text: text.clone(), line }));
                found.push((told.entity, Statement { text, line }));
                found.extend(also);
            }
            person = None;
            home.take(&told, thing);
            before = Some(told);
        } else if let Some(mut told) = told
            && let Some(fact) = by_pronoun(text, &tokens, &told)
        {
            told.pronoun = told.pronoun.or(pronoun::of_person(&tokens));
            told.beside = names_several(&tokens);
            found.extend(fact.map(|text| (told.entity, Statement { text, line })));
            home.take(&told, thing);
            before = Some(told);
        } else if let Some(told) = &mut person
            && let Some(pronoun) = pronoun::of_person(&tokens)
            && let Some(fact) = by_pronoun(text, &tokens, told)
        {
            told.pronoun = told.pronoun.or(Some(pronoun));
            home.take(told, thing);
            found.extend(fact.map(|text| (told.entity, Statement { text, line })));
        } else if let Some(told) = home.by_class(&tokens)
            && let Some(fact) = by_pronoun(text, &tokens, &told)
        {
            found.extend(fact.map(|text| (told.entity, Statement { text, line })));
            let beside = names_several(&tokens);
            before = Some(Told { block: sentence.block, beside, ..told });
        } else if let Some(told) = home.by_beginning(page, sentence, &tokens)
            && ground.has(sentence)
            && let Some(fact) = by_pronoun(text, &tokens, &told)
        {
            found.extend(fact.map(|text| (told.entity, Statement { text, line })));
            home.take(&told, thing);
            before = Some(Told { beside: names_several(&tokens), ..told });
        } else if let Some((entity, text)) = phrase::of(text, &tokens, thing, names) {
            found.push((entity, Statement { text, line }));
            person = None;
        } else if names_anybody(&tokens) && !pronoun::goes_on(&tokens, person.as_ref()) {
            person = None;
        }
        if found.len() == about
            && !left
            && let Some(thing) = thing
            && let Some(text) = mention::of(text, &tokens, item, thing, names).or_else(|| {
                let first = mention::first_part(text)?;
                mention::of(&first, &token::tokens(&first), item, thing, names)
            })
        {
            found.push((thing.entity, Statement { text, line }));
        }
        if found.len() == about
            && !left
            && let Some(thing) = thing
            && own.len() < own::MAX_OWN
            && licence::behind_subject(page.text(sentence)).is_none()
            && !is_of_step(page, sentence)
            && (ground.has_prose(page, sentence) || ground.has(sentence) && ground.opens(sentence))
            && let Some(text) =
                own::of(text, &tokens, thing, ground.opens(sentence)).or_else(|| {
                    let first = mention::first_part(text)?;
                    own::of(&first, &token::tokens(&first), thing, false)
                })
        {
            let text = ground.named(sentence, thing, &text);
            own.push((thing.entity, Statement { text, line }));
        }
        let is_kept = found.len() > about || own.len() > owned;
        if !is_kept
            && !left
            && let Some(thing) =
                thing.filter(|_| ground.has(sentence) && !is_of_step(page, sentence))
            && licence::behind_subject(page.text(sentence)).is_none()
            && let part = parts.get(sentence.block).and_then(Option::as_deref)
            && let written = page.text(sentence)
            && let setting = (whole::Setting { item, part, is_ours, written })
            && let Some(text) = whole::of(text, thing, &setting)
                .or_else(|| whole::of(&mention::first_part(text)?, thing, &setting))
        {
            let limit = scopes.get(sentence.block).and_then(Option::as_ref);
            let text = match limit.filter(|it| it.holds(false)) {
                Some(limit) => scope::within(own::named(thing, &text), Some(&limit.name), thing),
                None => whole::named(thing, part, &text),
            };
            whole.push((thing.entity, Statement { text, line }));
        }
        for (entity, text) in in_passing(text, &tokens, names) {
            if found.iter().skip(about).all(|(known, _)| *known != entity) {
                found.push((entity, Statement { text, line }));
            }
        }
        if let Some(thing) = thing {
            let scope = scopes.get(sentence.block).and_then(Option::as_ref);
            let named = found.iter_mut().skip(about).map(|fact| (fact, true));
            let all = named.chain(own.iter_mut().skip(owned).map(|fact| (fact, false)));
            for ((_, fact), names) in all.filter(|(fact, _)| fact.0 == thing.entity) {
                let limit = scope.filter(|it| it.holds(names)).map(|it| it.name.as_str());
                fact.text = scope::within(std::mem::take(&mut fact.text), limit, thing);
            }
        }
    }
    found.extend(rows::collect(page, thing, names));
    if let Some(thing) = thing.filter(|thing| thing.is_sure) {
        own.extend(licence::collect(page, &ground, thing));
        own.extend(listed::collect(page, &ground, thing));
    }
    // What is told without its name comes last: there is room for so many facts alone.
    found.extend(own);
    found.extend(whole::best(whole));
    found
}

/// Whether whoever wrote a page speaks of themselves again and again, and not somebody who is quoted.
fn is_ours(page: &Page) -> bool {
    const LEAST: usize = 2;
    let tells = |sentence: &&Sentence| {
        let block = page.blocks.get(sentence.block).filter(|block| !block.is_quoted);
        block.is_some_and(|block| !is_spoken(&block.text, &sentence.range))
            && whole::tells_what_we_do(page.text(sentence))
    };
    page.sentences.iter().filter(tells).take(LEAST).count() == LEAST
}

/// The sentence without what ties it to others: connectives, and nouns that stand for names; and whether
/// a noun in it still points to what the page brought in before.
fn read<'t>(
    text: &'t str,
    home: &Home,
    written: &mut Written,
    names: &Names,
) -> (Cow<'t, str>, bool) {
    let text = lead::without(text).map_or(Cow::Borrowed(text), Cow::Owned);
    let tokens = token::tokens(&text);
    let resolved = pointer::resolved(&text, &tokens, home, written, names);
    let points = written.knows(resolved.as_deref().unwrap_or(&text));
    written.take(&text, &tokens);
    (resolved.map_or(text, Cow::Owned), points)
}

/// Whether a sentence goes on about a step of what is to be done: `Stretch the dough. It should hold.`
fn is_of_step(page: &Page, sentence: &Sentence) -> bool {
    let item = page.blocks.get(sentence.block).filter(|block| block.kind == Kind::Item);
    item.filter(|_| !sentence.first).is_some_and(|item| {
        let opening = token::tokens(&item.text);
        opening.first().is_some_and(|first| words::is_verb_base(&first.lower()))
    })
}

/// Whether anybody is named, or spoken of as somebody's.
fn names_anybody(tokens: &[Token<'_>]) -> bool {
    let owns = tokens
        .first()
        .is_some_and(|first| matches!(first.lower().as_str(), "his" | "her" | "their"));
    let starter = tokens.first().is_some_and(|first| words::is_starter(&first.lower()));
    owns || (usize::from(starter)..tokens.len()).any(|at| shape::run(tokens, at) > at)
}

/// What a statement about something else says of names in it.
fn in_passing(text: &str, tokens: &[Token<'_>], names: &Names) -> Vec<(usize, String)> {
    let commands = tokens.first().is_some_and(|first| words::is_verb_base(&first.lower()));
    let personal =
        tokens.iter().any(|token| matches!(token.text, "I" | "my" | "My" | "I'm" | "I’m"));
    let refers = tokens.first().is_some_and(|first| words::is_pronoun(&first.lower()));
    let refers = refers || pronoun::begins(tokens) || form::begins_elsewhere(tokens);
    let points = tokens.iter().any(|token| {
        matches!(token.text, "this" | "these" | "those" | "such" | "our" | "your" | "we" | "you")
    });
    if commands || personal || refers || points || text.trim_end().ends_with(['?', ':', ';', ',']) {
        return Vec::new();
    }
    let asides = aside::asides(tokens);
    let told = asides.into_iter().filter_map(|it| {
        let hit = names.at(text, tokens, it.from).filter(|hit| hit.end == it.to)?;
        Some(hit.entity)
    });
    let told: Vec<usize> = told.collect();
    if told.is_empty()
        || pointer::points_back(tokens, |_| false)
        || !is_self_contained(text, tokens)
    {
        return Vec::new();
    }
    told.into_iter().map(|entity| (entity, shown(text))).collect()
}

/// Whom the sentence before was about.
#[derive(Clone)]
struct Told {
    entity: usize,
    /// The other of two: `X and Y are`.
    also: Option<usize>,
    block: usize,
    /// As it was written, article included.
    surface: String,
    plural: bool,
    /// It has a name as persons have: `she` may stand for it.
    person: bool,
    /// `he` or `she`, where one of them stood for it already: the other is somebody else.
    pronoun: Option<&'static str>,
    /// What it is told to be: `the tool` may stand for it.
    classes: Vec<String>,
    /// Others are named with it, of whom `they` may be told.
    beside: bool,
    /// It is told to be a person: `it` stands for nothing of that name.
    human: bool,
}

/// A word without its possessive.
fn bare(word: &str) -> &str {
    word.strip_suffix("'s").or(word.strip_suffix("’s")).unwrap_or(word)
}

/// Whether a part of a sentence names two that are joined: `sent Ada Byron and her friend Bo Hill`.
fn names_several(tokens: &[Token<'_>]) -> bool {
    const FAR: usize = 5;
    (1..tokens.len()).any(|at| {
        let before = &tokens[at - 1];
        tokens[at].text == "and"
            && before.is_capitalised()
            && before.joins()
            && tokens.iter().skip(at + 1).take(FAR).any(Token::is_capitalised)
    })
}

/// A sentence whose subject is a name. The fact is missing if it states nothing.
fn by_name(
    sentence: &Sentence,
    text: &str,
    tokens: &[Token<'_>],
    item: bool,
    names: &Names,
) -> Option<(Told, Option<String>)> {
    clause::openings(tokens).into_iter().find_map(|opening| {
        let start = clause::behind_article(tokens, opening);
        let hit = names
            .at(text, tokens, start)
            .or_else(|| (start > opening).then(|| names.at(text, tokens, opening)).flatten())?;
        let last = tokens.get(hit.end.checked_sub(1)?)?;
        let surface = text.get(tokens.get(opening)?.start..last.end)?;
        // `Her work` goes on about whoever has something.
        let surface = match hit.possessive {
            true => surface.trim_end_matches("'s").trim_end_matches("’s"),
            false => surface,
        };
        let mut told = Told {
            entity: hit.entity,
            also: None,
            block: sentence.block,
            surface: surface.to_owned(),
            plural: is_plural(last.text),
            person: names.has_full_name(hit.entity),
            pronoun: None,
            classes: Vec::new(),
            beside: names_several(tokens.get(hit.end..).unwrap_or_default()),
            human: false,
        };
        // `The Great Barrier Reef`: `the reef` goes on about it.
        if hit.proper && hit.end > start + 1 {
            // `Oak Group Ltd`: `the group`.
            let form = usize::from(short::is_legal(&last.lower()) && hit.end > start + 2);
            told.classes.push(tokens[hit.end - 1 - form].lower());
            // `The Museum of Tidal Power`: `the museum`.
            let of = (start + 1..hit.end).find(|&at| tokens[at].text == "of");
            told.classes.extend(of.map(|of| tokens[of - 1].lower()));
        }
        if hit.possessive {
            let verb = possessed(tokens, hit.end)?;
            return Some((told, statement(text, tokens, verb)));
        }
        if sentence.first
            && item
            && let Some(fact) = entry(text, tokens, hit.end)
        {
            return Some((told, Some(fact)));
        }
        if let Some((other, verb)) = pair(text, tokens, hit.end, names) {
            told.also = Some(other).filter(|other| *other != told.entity);
            told.block = usize::MAX;
            return Some((told, statement(text, tokens, verb)));
        }
        let kind = clause::behind_kind(tokens, hit.end);
        let firm = clause::behind_form(tokens, hit.end);
        let predicate = clause::predicate(tokens, hit.end, told.plural)
            .or_else(|| (kind > hit.end).then(|| clause::predicate(tokens, kind, false)).flatten())
            .or_else(|| (firm > hit.end).then(|| clause::predicate(tokens, firm, false)).flatten())
            .or_else(|| clause::predicate_of_placed(tokens, hit.end).filter(|_| hit.proper))
            .or_else(|| clause::predicate_of_both(tokens, hit.end));
        let Some(predicate) = predicate else {
            // `it` would be the development, not Rust.
            let verb =
                hit.proper.then(|| clause::predicate_of_phrase(tokens, hit.end)).flatten()?;
            // `The Rust implementation is`: of what, another sentence says.
            let noun = tokens.get(hit.end).map(Token::lower).unwrap_or_default();
            if start > opening && OF_OTHERS.contains(&noun.as_str()) {
                return None;
            }
            told.block = usize::MAX;
            return Some((told, statement(text, tokens, verb)));
        };
        told.classes.extend(clause::definition(tokens, predicate.verb).map(|it| it.class));
        told.human =
            pronoun::tells_of_person(tokens, predicate.verb, predicate.apposition.as_ref());
        if let Some(aside) = predicate.apposition {
            told.classes
                .extend(clause::noun_phrase(tokens, aside.start + 1, false).map(|it| it.class));
        }
        let broader = told.classes.iter().filter_map(|class| broader(class)).map(str::to_owned);
        let broader: Vec<String> = broader.collect();
        told.classes.extend(broader);
        Some((told, statement(text, tokens, predicate.verb)))
    })
}

/// Nouns that, behind `the` and a name, say which one of something else is meant.
const OF_OTHERS: &[&str] = &[
    "adaptation",
    "edition",
    "example",
    "implementation",
    "port",
    "proposal",
    "release",
    "side",
    "translation",
    "variant",
    "version",
];

/// The second of two names and the verb behind it: `X and Y are`.
fn pair(text: &str, tokens: &[Token<'_>], at: usize, names: &Names) -> Option<(usize, usize)> {
    let joint = tokens.get(at)?.lower();
    let joined =
        tokens.get(at.checked_sub(1)?)?.joins() && matches!(joint.as_str(), "and" | "or" | "&");
    let start = clause::behind_article(tokens, at + 1);
    let hit =
        joined.then(|| names.at(text, tokens, start)).flatten().filter(|hit| !hit.possessive)?;
    let behind = clause::behind_kind(tokens, hit.end);
    let predicate = clause::predicate(tokens, hit.end, true).or_else(|| {
        (behind > hit.end).then(|| clause::predicate(tokens, behind, true)).flatten()
    })?;
    Some((hit.entity, predicate.verb))
}

/// The verb behind `X's new battery`: within a few words, none of them capitalised.
pub(in crate::extract) fn possessed(tokens: &[Token<'_>], from: usize) -> Option<usize> {
    let mut at = from;
    while at < from + 10 {
        let token = tokens.get(at)?;
        at += 1;
        // `X's work, along with that of others, was`
        if !token.joins() && token.after != "," {
            return None;
        }
        if let Some(predicate) = clause::predicate(tokens, at, is_plural(token.text)) {
            return Some(predicate.verb);
        }
        if !token.joins() {
            return None;
        }
    }
    None
}

/// `X: what it is` and `X - what it is`, of an entry in a list or glossary.
fn entry(text: &str, tokens: &[Token<'_>], at: usize) -> Option<String> {
    let at = clause::behind_bracket(tokens, at);
    let last = tokens.get(at.checked_sub(1)?)?;
    let next = tokens.get(at)?;
    let colon = last.after.trim_end_matches(['"', '”', ')']) == ":";
    let dash = !colon && next.is_dash();
    let from = if colon { at } else { at + 1 };
    let first = tokens.get(from)?.lower();
    let tells = (colon || dash)
        && tokens.len() >= from + 4
        && !words::is_verb_base(&first)
        && !is_address(&first)
        // `Wave: "Would like to"`
        && !words::is_auxiliary(&first)
        && !text.contains("ISBN")
        && !first.starts_with(|char: char| char.is_ascii_digit());
    (tells && is_self_contained(text, tokens)).then(|| shown(text))
}
