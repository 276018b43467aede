//! Sentences that go on about the subject of the one before.

use std::ops::Range;

use super::form::statement;
use super::{Told, possessed};
use crate::extract::clause;
use crate::extract::token::{self, Token};
use crate::extract::words;
use crate::words::{Words, list};

/// What somebody is, in lower case, as it stands before a name.
static ROLES: Words = list!(words "roles");

/// Beginnings of words for persons.
static PERSONS: Words = list!(words "persons");

/// A sentence that goes on about the subject of the one before: `It`, `They`, `The speaker`. The
/// pronoun gives way to the name.
pub(super) fn by_pronoun(text: &str, tokens: &[Token<'_>], told: &Told) -> Option<Option<String>> {
    let at = beginning(tokens);
    if of_person(tokens).zip(told.pronoun).is_some_and(|(one, other)| one != other) {
        return None;
    }
    let first = tokens.get(at)?;
    let word = first.lower();
    if told.owns && matches!(word.as_str(), "it" | "its" | "they") {
        return None;
    }
    let (end, possessive) = match word.as_str() {
        "it" if !told.plural && !told.is_human() && !told.acts => (1, false),
        "they" if told.plural => (1, false),
        // A thing is no `they`, but a person is.
        "they" if told.human => (1, false),
        "he" | "she" if told.person => (1, false),
        "its" if !told.plural && !told.is_human() => (1, true),
        "his" | "her" if told.person => (1, true),
        _ => return None,
    };
    let end = at + end;
    let is_of_lead = matches!(word.as_str(), "it" | "its") && has_own_subject(&tokens[..at]);
    if is_of_lead || first.before.contains(['"', '“']) {
        return None;
    }
    let verb = match possessive {
        true => possessed(tokens, end)?,
        false => clause::predicate(tokens, end, word == "they" || told.plural)?.verb,
    };
    if word == "it" && is_empty_it(tokens, verb) {
        return Some(None);
    }
    let last = tokens.get(end.checked_sub(1)?)?;
    let rest = text.get(last.end..)?;
    let mark = if possessive { "'s" } else { "" };
    let lead = text.get(..first.start)?;
    if word == "they"
        && !told.plural
        && tokens.get(verb).is_some_and(|it| !words::is_finite(&it.lower(), false))
    {
        return None;
    }
    // `It integrates into the processes of Foo` tells of something else than Foo.
    let own =
        told.surface.split_once(' ').filter(|(lead, _)| words::is_determiner(&lead.to_lowercase()));
    let own = own.map_or(told.surface.as_str(), |(_, own)| own);
    let is_other = word == "it" && own.starts_with(char::is_uppercase) && rest.contains(own);
    // `He told Hill` of somebody else than Ann Hill.
    let last = own.rsplit(' ').next().unwrap_or(own);
    let is_somebody =
        told.person && !possessive && tokens.iter().skip(end).any(|token| token.text == last);
    if is_other || is_somebody {
        return None;
    }
    let name = with_article(&told.surface, lead.is_empty());
    let replaced = format!("{lead}{name}{mark}{rest}");
    let said = token::tokens(&replaced);
    let before = said.len().saturating_sub(tokens.len().saturating_sub(verb));
    Some(statement(&replaced, &said, before))
}

/// `As the software is developed`, `Once data is old`: what stands behind it as `it` is the software, or the
/// data.
fn has_own_subject(lead: &[Token<'_>]) -> bool {
    const BINDING: &[&str] =
        &["after", "as", "before", "if", "once", "unless", "until", "when", "while"];
    let Some((first, clause)) = lead.split_first() else { return false };
    let begins = clause.first().map(Token::lower).unwrap_or_default();
    let is_auxiliary = |token: &Token<'_>| words::is_auxiliary(&token.lower());
    let is_noun = clause.first().is_some_and(|it| it.text.starts_with(char::is_lowercase))
        && !words::is_starter(&begins)
        && clause.get(1).is_some_and(is_auxiliary);
    BINDING.contains(&first.lower().as_str())
        && (words::is_determiner(&begins) && clause.iter().skip(2).any(is_auxiliary) || is_noun)
}

impl Told {
    /// Whether `it` stands for something else: a person is told of.
    fn is_human(&self) -> bool {
        self.human || self.pronoun.is_some()
    }
}

/// Whether a statement with its verb at token `verb` says of somebody what only persons are: `has been
/// director of`, `, an archaeologist, found`, `was born in`.
pub(super) fn tells_of_person(
    tokens: &[Token<'_>],
    verb: usize,
    apposition: Option<&Range<usize>>,
) -> bool {
    const MOST: usize = 6;
    let word = |at: usize| tokens.get(at).map(Token::lower).unwrap_or_default();
    let is_being =
        matches!(word(verb).as_str(), "is" | "was" | "became" | "has" | "had" | "served");
    let behind = if is_being { verb + 1..verb + 1 + MOST } else { 0..0 };
    let apposed = apposition.cloned().unwrap_or_default();
    let head = |range: Range<usize>| {
        let said = range.skip_while(|at| matches!(word(*at).as_str(), "as" | "been"));
        let said = said.take_while(|at| !words::ends_phrase(&word(*at)));
        let said = said.take_while(|at| tokens.get(*at).is_some()).collect::<Vec<usize>>();
        let ends = said.iter().position(|at| !tokens[*at].joins()).unwrap_or(said.len());
        said.get(ends).or(said.last()).map(|at| word(*at)).unwrap_or_default()
    };
    word(verb) == "was" && word(verb + 1) == "born"
        || is_person(&head(behind))
        || is_person(&head(apposed))
}

/// Whether a statement with its verb at token `verb` says what was done to one thing: `made a motion to`,
/// `built the North Tower`.
pub(super) fn acts_on_one(tokens: &[Token<'_>], verb: usize) -> bool {
    let word = |at: usize| tokens.get(at).map(Token::lower).unwrap_or_default();
    let did = word(verb);
    let is_past = words::looks_past(&did)
        || words::is_finite(&did, false) && !did.ends_with('s') && !words::is_auxiliary(&did);
    // `became a city`: what it is.
    is_past
        && words::is_determiner(&word(verb + 1))
        && !matches!(did.as_str(), "became" | "remained")
}

/// Whether a noun is one for persons.
fn is_person(noun: &str) -> bool {
    const ENDINGS: &[&str] =
        &["ect", "ef", "ent", "er", "et", "ete", "ian", "ist", "man", "or", "ress", "son"];
    // What plays and explores is mostly a program.
    let is_thing = noun.starts_with("play") || noun.starts_with("explor");
    let is_one = ENDINGS.iter().any(|ending| noun.ends_with(ending)) && !is_thing;
    // `archaeologist`, `politician`
    let is_trade = noun.ends_with("ologist") || noun.ends_with("ician");
    ROLES.contains(noun) || is_trade || is_one && PERSONS.iter().any(|stem| noun.starts_with(stem))
}

/// Whether a sentence that is no fact goes on about somebody: `Following this he made`, and nobody is named before.
pub(super) fn goes_on_about(tokens: &[Token<'_>], told: &Told) -> bool {
    const EARLY: usize = 10;
    let said = |token: &Token<'_>| match token.lower().as_str() {
        "he" | "his" => Some("he"),
        "she" | "her" => Some("she"),
        _ => None,
    };
    let at = tokens.iter().take(EARLY).position(|token| said(token).is_some());
    at.is_some_and(|at| {
        said(&tokens[at]) == told.pronoun && !tokens[..at].iter().skip(1).any(Token::is_capitalised)
    })
}

/// Whether a sentence begins with what stands for a thing told of before.
pub(super) fn of_thing(tokens: &[Token<'_>]) -> bool {
    tokens.first().is_some_and(|first| matches!(first.text, "It" | "Its" | "They" | "Their"))
}

/// `he` or `she`, if the subject is one of them or what one of them has.
pub(super) fn of_person(tokens: &[Token<'_>]) -> Option<&'static str> {
    match tokens.get(beginning(tokens))?.lower().as_str() {
        "he" | "his" => Some("he"),
        "she" | "her" => Some("she"),
        _ => None,
    }
}

/// The token with which the subject begins: the first, or the pronoun behind a phrase that leads
/// in: `In 1891, she`, `Headquartered in Paris, it`.
pub(super) fn beginning(tokens: &[Token<'_>]) -> usize {
    const MAX_LEAD: usize = 12;
    // What a person was considered to be may be long.
    const MAX_PARTICIPLE: usize = 30;
    let stands = |token: &Token<'_>| {
        matches!(
            token.lower().as_str(),
            "it" | "its" | "he" | "she" | "his" | "her" | "they" | "the"
        )
    };
    let Some(first) = tokens.first() else { return 0 };
    let is_participle = words::looks_past(&first.lower()) || clause::is_apposed(tokens);
    // `Because her stomach was full, she`: whoever it is, is told first.
    let binds = matches!(
        first.lower().as_str(),
        "after" | "although" | "as" | "because" | "since" | "though" | "when" | "while"
    );
    // `When it was built, it was called`
    let both = tokens.windows(2).any(|two| two[0].after.contains(',') && two[1].text == "it");
    let is_told_first = |token: &Token<'_>| match token.lower().as_str() {
        "he" | "her" | "his" | "its" | "she" => true,
        "it" => both,
        _ => false,
    };
    if binds && first.joins() && tokens.get(1).is_some_and(is_told_first) {
        return 1;
    }
    if !words::is_lead(&first.lower()) && !is_participle {
        return 0;
    }
    let most = if is_participle { MAX_PARTICIPLE } else { MAX_LEAD };
    let found = (1..tokens.len().min(most)).find(|&at| {
        let before = &tokens[at - 1];
        let closed = before.after.contains(',')
            || (before.joins() && before.text.ends_with(|char: char| char.is_ascii_digit()));
        stands(&tokens[at]) && closed
    });
    let clear = |at: &usize| {
        let lead = &tokens[..*at];
        !lead.iter().any(|token| token.is_dash() || matches!(token.lower().as_str(), "it" | "they"))
    };
    found.filter(clear).unwrap_or(0)
}

/// A name with the article it was written with, which has a capital where a sentence begins.
pub(super) fn with_article(surface: &str, begins: bool) -> String {
    // `An American in Paris` is a title as a whole.
    let is_title = |article: &str, rest: &str| {
        article != "the"
            && rest.contains(' ')
            && rest.split(' ').any(|word| word.starts_with(char::is_lowercase))
            && rest.starts_with(char::is_uppercase)
    };
    match surface.split_once(' ') {
        Some((article, rest)) if is_title(&article.to_lowercase(), rest) => surface.to_owned(),
        Some((article, rest)) if words::is_determiner(&article.to_lowercase()) => {
            let article = article.to_lowercase();
            let (first, tail) = article.split_at(1);
            let first = if begins { first.to_uppercase() } else { first.to_owned() };
            format!("{first}{tail} {rest}")
        }
        _ => surface.to_owned(),
    }
}

/// Behind `it is`, where `it` stands for nothing.
static JUDGING: Words = list!(words "judging");

/// Verbs of an `it` that may stand for nothing.
static EMPTY_VERBS: Words = list!(words "empty_verbs");

/// `It is important to`, `it takes an hour to`: stands for nothing.
fn is_empty_it(tokens: &[Token<'_>], verb: usize) -> bool {
    let word = |at: usize| tokens.get(at).map(Token::lower).unwrap_or_default();
    let asks = |word: &str| matches!(word, "how" | "if" | "what" | "whether" | "which");
    // `It does not matter if`, `it depends on whether`, `it turns out that`
    let is_nobody = match word(verb).as_str() {
        "does" => word(verb + 1) == "not" && word(verb + 2) == "matter",
        "doesn't" | "doesn’t" => word(verb + 1) == "matter",
        "depends" => asks(&word(verb + 1)) || asks(&word(verb + 2)),
        "turns" => word(verb + 1) == "out",
        "appears" | "follows" | "matters" | "seems" => {
            word(verb + 1) == "that" || asks(&word(verb + 1))
        }
        _ => false,
    };
    if is_nobody {
        return true;
    }
    let copula = tokens.get(verb).is_some_and(|token| EMPTY_VERBS.contains(token.lower().as_str()));
    // `It was created in order to protect`
    let is_purpose = |at: usize| word(at) == "to" && word(at - 1) == "order";
    copula
        && (verb + 1..tokens.len().min(verb + 7)).any(|at| {
            matches!(
                word(at).as_str(),
                "to" | "that" | "if" | "when" | "because" | "why" | "whether" | "how"
            ) && !is_purpose(at)
        })
        && tokens.iter().skip(verb + 1).take(3).all(|token| {
            !matches!(
                token.lower().as_str(),
                "a" | "an" | "the" | "used" | "designed" | "able" | "possible"
            )
        })
        || tokens.get(verb + 1).is_some_and(|token| JUDGING.contains(token.lower().as_str()))
}
