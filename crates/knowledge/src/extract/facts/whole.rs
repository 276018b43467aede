//! Sentences about a part of a page's thing, kept whole behind its name and the heading that they stand
//! below: `Foo, Limits – The gateway caches tokens for five minutes.` Owns when such a sentence needs no
//! other one.

use super::form::{begins_elsewhere, statement_of_page};
use super::own::{self, has_subject, is_code, is_own_noun};
use super::{is_plural, is_told, pointer};
use crate::extract::Statement;
use crate::extract::fold::fold;
use crate::extract::name::tidy;
use crate::extract::page::{Kind, Page};
use crate::extract::shape;
use crate::extract::thing::Thing;
use crate::extract::token::{Token, tokens};
use crate::extract::words;

/// Fewest and most tokens of such a sentence.
const LENGTH: std::ops::RangeInclusive<usize> = 5..=45;
/// Tokens in which a phrase that leads in ends.
const MAX_LEAD: usize = 20;
/// Most words of a heading that says where a sentence stands.
const MAX_HEADING: usize = 6;

/// What begins a clause that the rest of its sentence depends on.
const CONDITIONS: &[&str] = &["because", "if", "once", "unless", "when", "whenever", "where"];

/// The sentence, if whoever reads it below the name of the thing understands it: alone, or behind a label
/// of its own, as in `Fees – The council approved them.`
pub(super) fn of(text: &str, tokens: &[Token<'_>], item: bool, thing: &Thing) -> Option<String> {
    if item && let Some(told) = definition(text, tokens, thing) {
        return Some(told);
    }
    // `This policy`, on the page of the Foo policy.
    let own: Vec<String> = fold(&thing.name).split(' ').map(str::to_owned).collect();
    if let Some(from) = behind_label(tokens) {
        let start = tokens.get(from)?.start;
        let body = text.get(start..)?;
        let label: Vec<String> = tokens[..from].iter().map(Token::lower).chain(own).collect();
        let said = sentence(body, &crate::extract::token::tokens(body), item, thing, &label)?;
        return Some(format!("{}{said}", text.get(..start)?));
    }
    sentence(text, tokens, item, thing, &own)
}

/// `The capture theory—the Moon was captured by Earth.`, an item that says what its term means.
fn definition(text: &str, tokens: &[Token<'_>], thing: &Thing) -> Option<String> {
    const MOST: usize = 6;
    const LEAST: usize = 4;
    let dash = (1..tokens.len().min(MOST)).find(|&at| tokens[at].is_dash())?;
    let (term, body) = (tokens.get(..dash)?, tokens.get(dash + 1..)?);
    let is_term = term.iter().all(|token| {
        let word = token.lower();
        token.joins() && !words::is_finite(&word, false) && !words::is_pronoun(&word)
    });
    let first = body.first()?;
    let plain = term[0].is_capitalised() && is_term && !words::is_verb_base(&term[0].lower());
    let is_told = body.len() >= LEAST
        && first.text.starts_with(char::is_lowercase)
        && words::is_determiner(&first.lower())
        && text.trim_end().ends_with('.')
        && own::verb(body).is_some()
        && !(0..tokens.len()).any(|at| dangles(tokens, at, 0, true, &[]));
    (plain && is_told)
        .then(|| statement_of_page(text, tokens, dash, |noun| is_own_noun(noun, thing)))?
}

/// The token behind `Cemetery fees –` or `Time windows:`, with which a sentence is labelled.
fn behind_label(tokens: &[Token<'_>]) -> Option<usize> {
    const MOST: usize = 12;
    let ends = |at: usize| tokens[at].is_dash() || tokens[at].after == ":";
    let last = (0..tokens.len().min(MOST)).rev().find(|&at| ends(at))?;
    let is_noun = |token: &Token<'_>| {
        let word = token.lower();
        !words::is_auxiliary(&word)
            && !words::is_pronoun(&word)
            && token.before.trim_matches('(').is_empty()
            || token.is_dash()
    };
    let plain = tokens[..=last].iter().all(is_noun) && tokens[0].is_capitalised();
    let begins = tokens.get(last + 1).is_some_and(Token::is_capitalised);
    (plain && begins && last > 0).then_some(last + 1)
}

fn sentence(
    text: &str,
    tokens: &[Token<'_>],
    item: bool,
    thing: &Thing,
    label: &[String],
) -> Option<String> {
    if forbids(tokens) && !(1..tokens.len()).any(|at| dangles(tokens, at, 0, true, label)) {
        return statement_of_page(text, tokens, 1, |noun| is_own_noun(noun, thing));
    }
    // `Returns a list`: nobody does.
    let first = tokens.first()?.lower();
    let next = tokens.get(1)?.lower();
    let does = first.ends_with('s')
        && words::is_finite(&first, false)
        && !words::is_auxiliary(&next)
        && !words::ends_phrase(&next);
    if does {
        return None;
    }
    let begins = text.starts_with(char::is_uppercase)
        || tokens.first().is_some_and(|first| is_shaped_number(first) || is_file(first));
    let ends = text.trim_end().ends_with(['.', '"', '”', ')'])
        || item && text.ends_with(char::is_alphanumeric);
    if !LENGTH.contains(&tokens.len()) || !begins || !ends || text.contains('?') {
        return None;
    }
    let main = main_clause(tokens, thing)?;
    let clause = tokens.get(main..)?;
    let plain = |token: &Token<'_>| !token.is_capitalised();
    let verb = own::verb(clause)
        .filter(|&verb| !clause.first().is_some_and(is_file) || clause[1..verb].iter().all(plain))
        .or_else(|| verb_of_several(clause))
        .or_else(|| verb_of_each(clause))
        .or_else(|| verb_in_past(clause))?;
    // `New hires are`: a noun.
    let is_auxiliary =
        |at: usize| clause.get(at).is_some_and(|token| words::is_auxiliary(&token.lower()));
    let is_plural_noun = is_auxiliary(verb + 1) && !is_auxiliary(verb) && clause[verb].joins();
    let verb = main + verb + usize::from(is_plural_noun);
    let goes_on = main > 0 && is_condition(tokens);
    let is_pronoun = |token: &Token<'_>| matches!(token.text, "it" | "they");
    let has_pronoun = goes_on && clause.first().is_some_and(is_pronoun);
    let has_subject = has_pronoun
        || is_acronym_of_part(clause, verb - main)
        || is_noun(clause, verb - main)
        || verb == main + 2 && is_of_name(&clause[1], thing)
        || is_everybody(&clause[0])
        || (obliges(tokens, verb) || limits(tokens, verb)) && is_reader(clause, verb - main)
        || !is_long_gerund(&clause[..verb - main]) && has_subject(clause, verb - main, thing);
    if !has_subject
        || is_relative(tokens, main, verb)
        || is_promise(tokens)
        || is_past(&tokens[verb]) && !is_anchored(tokens)
        || pointer::begins(clause)
        || begins_elsewhere(clause) && !is_of_name(&clause[1], thing)
        || is_told_before(clause, verb - main)
        || (0..tokens.len()).any(|at| dangles(tokens, at, verb, goes_on, label))
    {
        return None;
    }
    let text = with_articles(&without_also(text, tokens), label);
    let said = crate::extract::token::tokens(&text);
    let verb = verb.min(said.len().saturating_sub(1));
    statement_of_page(&text, &said, verb, |noun| is_own_noun(noun, thing))
}

/// `Do not request a token twice.`: what holds for whoever uses the thing, and no step of anything.
fn forbids(tokens: &[Token<'_>]) -> bool {
    const LEAST: usize = 8;
    let word = |at: usize| tokens.get(at).map(Token::lower).unwrap_or_default();
    let never = word(0) == "never" && words::is_verb_base(&word(1));
    (LEAST..=*LENGTH.end()).contains(&tokens.len())
        && (never
            || word(0) == "do" && word(1) == "not"
            || matches!(word(0).as_str(), "don't" | "don’t"))
        && tokens.last().is_some_and(|last| last.after.ends_with('.'))
        && tokens.iter().all(|token| token.after != ":")
}

/// Whether the only verbs are those of what tells which one: `A replacement that has the ability.`
fn is_relative(tokens: &[Token<'_>], main: usize, verb: usize) -> bool {
    let relates =
        |at: &usize| matches!(tokens[*at].text, "that" | "which" | "who" | "whose" | "where");
    let is_verb = |at: &usize| {
        let word = tokens[*at].lower();
        let is_bound = at.checked_sub(1).is_some_and(|before| tokens[before].text == "to");
        words::is_finite(&word, false)
            && !is_bound
            && !words::is_noun_verb(&word)
            && (words::is_auxiliary(&word) || !words::looks_past(&word))
    };
    let relatives = (main..tokens.len()).filter(relates).count();
    (main..verb).any(|at| relates(&at)) && (main..tokens.len()).filter(is_verb).count() <= relatives
}

/// What is only planned, and what a list of sources is referred to for.
fn is_promise(tokens: &[Token<'_>]) -> bool {
    (0..tokens.len()).any(|at| {
        let word = tokens[at].lower();
        let next = tokens.get(at + 1).map(Token::lower).unwrap_or_default();
        let third = tokens.get(at + 2).map(Token::lower).unwrap_or_default();
        matches!(word.as_str(), "future" | "planned" | "upcoming" | "hopes" | "hoped" | "plans")
            || word == "as" && next == "well" && third != "as"
            || tokens[at].before.contains('[')
    })
}

/// What happened at one time.
fn is_past(verb: &Token<'_>) -> bool {
    let word = verb.lower();
    matches!(word.as_str(), "was" | "were" | "had" | "did")
        || words::looks_past(&word)
        || words::is_finite(&word, false) && !words::is_auxiliary(&word) && !word.ends_with('s')
}

/// Whether a number or a name says of what happened when, where or to whom.
fn is_anchored(tokens: &[Token<'_>]) -> bool {
    let tells = |token: &Token<'_>| {
        token.text.starts_with(char::is_uppercase)
            || token.text.bytes().any(|byte| byte.is_ascii_digit())
    };
    tokens.iter().skip(1).any(tells)
}

/// `37signals`, `18F`
fn is_shaped_number(token: &Token<'_>) -> bool {
    let letters: Vec<char> = token.text.chars().filter(|char| char.is_alphabetic()).collect();
    token.text.starts_with(|char: char| char.is_ascii_digit())
        && token.text.chars().all(char::is_alphanumeric)
        && (letters.len() > 2 || letters.iter().any(|char| char.is_uppercase()))
        && token.joins()
}

/// `data_by_year.csv`, which a sentence may begin with.
fn is_file(token: &Token<'_>) -> bool {
    is_typed(token.text)
        && token.text.contains(['_', '.'])
        && token.text.chars().any(char::is_alphabetic)
}

/// Where the clause with the subject begins, behind what leads in; nothing where that leaves open whether
/// it is so, or speaks of somebody by a pronoun.
fn main_clause(tokens: &[Token<'_>], thing: &Thing) -> Option<usize> {
    let first = tokens.first()?.lower();
    let leads = words::is_lead(&first)
        || matches!(first.as_str(), "independent" | "regardless")
        || CONDITIONS.contains(&first.as_str());
    if !leads {
        return Some(0);
    }
    let ties = matches!(
        first.as_str(),
        "also"
            | "and"
            | "besides"
            | "but"
            | "finally"
            | "first"
            | "further"
            | "furthermore"
            | "here"
            | "later"
            | "likewise"
            | "meanwhile"
            | "moreover"
            | "nonetheless"
            | "or"
            | "otherwise"
            | "second"
            | "so"
            | "still"
            | "then"
            | "therefore"
            | "third"
            | "thus"
            | "yet"
            | "nevertheless"
            | "similarly"
            | "instead"
            | "however"
    );
    if ties {
        return None;
    }
    let comma = tokens.iter().take(MAX_LEAD).position(|token| token.after.contains(','));
    let Some(comma) = comma else {
        // `In 2011 the office opened`.
        return words::is_lead(&first)
            .then_some(0)
            .filter(|_| !CONDITIONS.contains(&first.as_str()));
    };
    if is_condition(tokens) {
        let clause = tokens.get(1..=comma)?;
        let verb = own::verb(clause)?;
        let told = has_subject(clause, verb, thing) || is_noun(clause, verb);
        return (told && !is_told_before(clause, verb)).then_some(comma + 1);
    }
    (comma + 1 < tokens.len()).then_some(comma + 1)
}

fn is_condition(tokens: &[Token<'_>]) -> bool {
    tokens.first().is_some_and(|first| CONDITIONS.contains(&first.lower().as_str()))
}

/// `WORM on a bucket is`: what is called by an acronym.
fn is_acronym_of_part(clause: &[Token<'_>], verb: usize) -> bool {
    let first = clause.first().filter(|first| first.before.is_empty() && verb > 0);
    first.is_some_and(|first| {
        shape::is_acronym(first.text) || is_shaped_number(first) || is_file(first)
    }) && clause[..verb].iter().all(|token| token.joins())
}

/// `You`, `Your Foo client`
fn is_reader(clause: &[Token<'_>], verb: usize) -> bool {
    const MOST: usize = 6;
    let first = clause.first().map(Token::lower).unwrap_or_default();
    (first == "you" && verb == 1 || first == "your" && verb > 1)
        && verb <= MOST
        && clause[..verb].iter().all(|token| token.joins())
}

/// `Noting that there were`
fn is_long_gerund(subject: &[Token<'_>]) -> bool {
    const MOST: usize = 3;
    let is_gerund = subject.first().is_some_and(|first| first.lower().ends_with("ing"));
    is_gerund
        && (subject.len() > MOST
            || subject.iter().any(|token| matches!(token.text, "that" | "what")))
}

/// `Open enrollment is`, which commands nothing, and `objects cannot`, behind what leads in.
fn is_noun(clause: &[Token<'_>], verb: usize) -> bool {
    const MOST: usize = 4;
    let Some(whole) = clause.get(..verb) else { return false };
    // `Members of the board`, `maintainers who do`.
    let is_inner = |token: &&Token<'_>| !words::ends_phrase(&token.lower());
    let subject: Vec<&Token<'_>> = whole.iter().take_while(is_inner).collect();
    let Some(last) = subject.last().filter(|_| subject.len() <= MOST) else { return false };
    let first = subject[0].lower();
    let is_auxiliary = clause.get(verb).is_some_and(|verb| words::is_auxiliary(&verb.lower()));
    let plain = subject.iter().enumerate().all(|(at, token)| {
        let word = token.lower();
        (!words::is_starter(&word) || at == 0 && is_count(&word)) && !words::is_adverb(&word)
    });
    let joins = whole.iter().all(|token| token.joins() && token.before.is_empty());
    // `Realize that it is` commands.
    let commands = whole.len() > subject.len() && words::is_verb_base(&first);
    plain
        && joins
        && !commands
        && !own::is_vague(last)
        && (subject.len() > 1 || !first.ends_with("ing") && !first.ends_with("ed"))
        && (is_auxiliary || is_plural(last.text) && subject.len() > 1 && is_count(&first))
}

/// `Everyone in the company`
fn is_everybody(first: &Token<'_>) -> bool {
    matches!(first.lower().as_str(), "anybody" | "anyone" | "everybody" | "everyone" | "everything")
}

fn is_count(word: &str) -> bool {
    matches!(
        word,
        "many" | "most" | "new" | "multiple" | "several" | "some" | "two" | "three" | "all"
    )
}

/// `Projects at Foo begin as`: a verb in its base form behind a noun of several and what tells more of it.
fn verb_of_several(clause: &[Token<'_>]) -> Option<usize> {
    const MOST: usize = 7;
    let is_verb = |at: &usize| {
        let word = clause[*at].lower();
        let subject = &clause[..*at];
        let is_inner = |token: &&Token<'_>| {
            !words::ends_phrase(&token.lower()) && !words::is_adverb(&token.lower())
        };
        let head = subject.iter().take_while(is_inner).last();
        head.is_some_and(|head| is_plural(head.text))
            && subject.iter().all(|token| token.before.is_empty() && token.joins())
            && clause[*at].text.starts_with(char::is_lowercase)
            && words::is_verb_base(&word)
            && !words::ends_phrase(&clause[at - 1].lower())
            && !words::is_determiner(&clause[at - 1].lower())
            && clause[*at].joins()
    };
    (1..clause.len().min(MOST)).find(is_verb)
}

/// `Every fix ships with`
fn verb_of_each(clause: &[Token<'_>]) -> Option<usize> {
    const MOST: usize = 5;
    let is_each = matches!(clause.first()?.lower().as_str(), "each" | "every");
    let ends = |at: &usize| {
        let plain = clause[*at].text.starts_with(char::is_lowercase) && clause[*at].joins();
        plain && is_plural(clause[*at].text) && *at + 1 < clause.len()
    };
    is_each.then(|| (2..clause.len().min(MOST)).find(ends)).flatten()
}

/// `The council tabled the`: whatever verb it is of.
fn verb_in_past(clause: &[Token<'_>]) -> Option<usize> {
    const MOST: usize = 5;
    (1..clause.len().min(MOST)).find(|&at| {
        let next = clause.get(at + 1).map(Token::lower).unwrap_or_default();
        let has_object = words::is_determiner(&next)
            || matches!(next.as_str(), "its" | "this" | "all")
            || next.starts_with(|char: char| char.is_ascii_digit() || char == '$')
            || clause.get(at + 1).is_some_and(Token::is_capitalised);
        clause[at].joins()
            && clause[at - 1].joins()
            && clause[at].text.starts_with(char::is_lowercase)
            && words::looks_past(&clause[at].lower())
            && !words::is_determiner(&clause[at - 1].lower())
            && has_object
    })
}

/// `The incident was reported`: what happened to something that was told of before.
fn is_told_before(clause: &[Token<'_>], verb: usize) -> bool {
    let word = |at: usize| clause.get(at).map(Token::lower).unwrap_or_default();
    let verb_word = word(verb);
    let is_past = matches!(verb_word.as_str(), "was" | "were" | "had" | "did")
        || !words::is_auxiliary(&verb_word) && !verb_word.ends_with('s');
    word(0) == "the" && verb == 2 && is_past && !clause[1].is_capitalised()
}

/// Whether a word stands for what another sentence names, for whoever writes, or for a time that only
/// the text has.
fn dangles(tokens: &[Token<'_>], at: usize, verb: usize, goes_on: bool, label: &[String]) -> bool {
    let word = |at: usize| tokens.get(at).map(Token::lower).unwrap_or_default();
    let is_first = at == 0;
    let before = at.checked_sub(1).map(word).unwrap_or_default();
    let next = word(at + 1);
    // `US`, `IT`: no pronouns.
    if shape::is_acronym(tokens[at].text) {
        return false;
    }
    let told = |noun: &str| tokens[..at].iter().any(|token| token.lower() == *noun);
    match word(at).as_str() {
        "i" | "me" | "my" | "we" | "us" | "our" | "ours" | "he" | "him" | "his" | "she" | "her"
        | "hers" | "here" | "above" | "below" | "respectively" | "i'm" | "it's" | "we're"
        | "let's" | "that's" | "we'll" | "i'll" | "you're" | "you’re" | "you've" | "you’ve"
        | "yours" | "others" => true,
        "you" | "your" => at < verb.max(1) && !obliges(tokens, verb) && !limits(tokens, verb),
        "this" => !label.contains(&next),
        "these" => true,
        "such" => next != "as",
        "those" => !matches!(next.as_str(), "who" | "that" | "which" | "of" | "in" | "with"),
        "it" | "they" => at < verb && !goes_on || at < 3,
        "them" | "its" | "their" | "itself" | "themselves" => at < verb.min(3),
        "there" => !super::mention::exists(tokens, at),
        "that" => {
            let leads = matches!(
                before.as_str(),
                "after"
                    | "at"
                    | "before"
                    | "by"
                    | "for"
                    | "from"
                    | "in"
                    | "of"
                    | "on"
                    | "since"
                    | "than"
                    | "to"
                    | "until"
                    | "with"
            );
            is_first || (leads || is_of_noun(tokens, at)) && !told(&next)
        }
        "other" => at < 3 || before == "the",
        "another" => at < 3,
        "latter" | "former" => !tokens[..at].iter().any(|token| token.text == "and"),
        "both" => !tokens[at..].iter().any(|token| token.text == "and"),
        "first" | "second" | "third" | "last" | "next" | "previous" => {
            matches!(
                next.as_str(),
                "year" | "day" | "week" | "month" | "season" | "half" | "time" | "step" | "section"
            )
        }
        "same" => !tokens[at..].iter().any(|token| token.text == "as"),
        "so" => next != "that" && !words::is_adverb(&next),
        "later" | "earlier" => before != "or" && next != "than",
        "would" | "could" | "might" => true,
        "now" | "currently" | "perhaps" | "maybe" | "then" | "therefore" | "however"
        | "instead" | "too" | "again" | "today" | "recently" | "soon" | "yesterday"
        | "tomorrow" | "nowadays" | "probably" | "hopefully" | "unfortunately" | "obviously"
        | "arguably" | "basically" | "thereby" | "hence" | "thus" => true,
        _ => is_code(&tokens[at]) && !is_typed(tokens[at].text) && !is_price(tokens[at].text),
    }
}

/// `reproduce that issue for`: `that` says which one.
fn is_of_noun(tokens: &[Token<'_>], at: usize) -> bool {
    let Some(noun) = tokens.get(at + 1) else { return true };
    let word = noun.lower();
    let ends =
        tokens.get(at + 2).is_none_or(|next| !noun.joins() || words::ends_phrase(&next.lower()));
    ends && noun.text.starts_with(char::is_lowercase)
        && !is_plural(noun.text)
        && !words::is_starter(&word)
        && !words::is_finite(&word, true)
}

/// `Your client must reuse`: said to everybody whom it is about.
fn obliges(tokens: &[Token<'_>], verb: usize) -> bool {
    let next = tokens.get(verb + 1).map(Token::lower).unwrap_or_default();
    tokens.get(verb).is_some_and(|verb| match verb.lower().as_str() {
        "must" | "cannot" | "shall" | "should" => true,
        "may" | "can" => next == "not" || next == "only",
        _ => false,
    })
}

/// `You may appeal within six months`
fn limits(tokens: &[Token<'_>], verb: usize) -> bool {
    let is_allowed = tokens.get(verb).is_some_and(|verb| matches!(verb.text, "can" | "may"));
    let counts = |token: &Token<'_>| {
        token.text.starts_with(|char: char| char.is_ascii_digit() || char == '$')
            || own::is_count(token.text)
    };
    is_allowed && tokens.iter().any(counts)
}

/// `$1,623.70`
fn is_price(text: &str) -> bool {
    let is_part = |char: char| char.is_ascii_digit() || ".,".contains(char);
    text.strip_prefix('$').is_some_and(|rest| {
        rest.starts_with(|char: char| char.is_ascii_digit()) && rest.chars().all(is_part)
    })
}

/// A name as it is typed: `dir_store.md`, `x-amz-date`, and no call or formula.
fn is_typed(text: &str) -> bool {
    text.starts_with(|char: char| char.is_ascii_alphanumeric())
        && text.chars().all(|char| char.is_ascii_alphanumeric() || "_-./+".contains(char))
        && text.matches('/').count() < 2
}

/// `The Council`, of the Town Council.
fn is_of_name(token: &Token<'_>, thing: &Thing) -> bool {
    token.is_capitalised() && fold(&thing.name).split([' ', ',']).any(|word| word == token.lower())
}

/// `The request` for `this request`, where the label before the sentence or the thing's name has it.
fn with_articles(text: &str, label: &[String]) -> String {
    let mut shown = text.to_owned();
    let all = tokens(text);
    for two in all.windows(2).rev().filter(|two| label.contains(&two[1].lower())) {
        let article = match two[0].text {
            "This" => "The",
            "this" => "the",
            _ => continue,
        };
        shown.replace_range(two[0].start..two[0].end, article);
    }
    shown
}

/// The text without `also`, which ties it to the one before.
fn without_also(text: &str, tokens: &[Token<'_>]) -> String {
    let mut shown = text.to_owned();
    let is_only = tokens.iter().any(|token| token.text == "only");
    let also = tokens.iter().find(|token| token.text == "also" && token.joins() && !is_only);
    if let Some(also) = also.filter(|also| text.get(also.end..also.end + 1) == Some(" ")) {
        shown.replace_range(also.start..=also.end, "");
    }
    shown
}

/// For each block, the heading that says which part of the thing it is about.
pub(super) fn parts(page: &Page, thing: &Thing) -> Vec<Option<String>> {
    let own = fold(&thing.name);
    let mut open: Vec<(u8, Option<String>)> = Vec::new();
    let all = page.blocks.iter().map(|block| {
        if let Kind::Heading(level) = block.kind {
            open.retain(|(above, _)| *above < level);
            let number = |char: char| char.is_ascii_digit() || ".)".contains(char);
            let heading = block.text.trim_start_matches(number);
            let heading = tidy(heading.split(" (").next().unwrap_or_default());
            let says = level > 1 && tells_part(&heading, &own);
            open.push((level, says.then_some(heading)));
        }
        open.last().and_then(|(_, part)| part.clone())
    });
    all.collect()
}

/// Whether a heading names a part, and neither asks, commands, nor only says what kind of text follows.
fn tells_part(heading: &str, own: &str) -> bool {
    let key = fold(heading);
    let list: Vec<&str> = key.split(' ').collect();
    let first = list.first().copied().unwrap_or_default();
    list.len() <= MAX_HEADING
        && !heading.ends_with(['?', '!', ':', '.'])
        && heading.starts_with(char::is_alphanumeric)
        && !heading.contains(['|', '`', '<', '{'])
        && !own.contains(&key)
        && !key.contains(own)
        && (!words::is_starter(first) || words::is_determiner(first))
        && !words::is_verb_base(first)
        && !list.iter().all(|word| {
            words::is_generic(word)
                || words::is_starter(word)
                || shape::is_joint(word)
                || word.len() < 2
        })
}

/// `Name, Heading – sentence`, or `Name – sentence` where the heading says nothing that the sentence
/// does not.
pub(super) fn named(thing: &Thing, part: Option<&str>, statement: &str) -> String {
    let said = fold(statement);
    let is_said = |part: &&str| {
        let told = |word: &str| {
            let stem = word.strip_suffix('s').unwrap_or(word);
            said.contains(stem) || shape::is_joint(word)
        };
        fold(part).split(' ').all(told)
    };
    let plain = own::named(thing, statement);
    match part.filter(|part| !is_said(part)) {
        Some(part) => {
            let told = format!("{}, {part} – {statement}", thing.name);
            if is_told(&told) { told } else { plain }
        }
        None => plain,
    }
}

/// Most of them of one page.
const MAX_WHOLE: usize = 30;

/// The best of them, as the page has them.
pub(super) fn best(found: Vec<(usize, Statement)>) -> Vec<(usize, Statement)> {
    let mut order: Vec<usize> = (0..found.len()).collect();
    order.sort_by_key(|&at| std::cmp::Reverse(weight(&found[at].1.text)));
    order.truncate(MAX_WHOLE);
    let mut at = 0..;
    found.into_iter().filter(|_| at.next().is_some_and(|at| order.contains(&at))).collect()
}

/// What speaks for a sentence where there are too many: figures, limits, causes, what something is.
fn weight(text: &str) -> usize {
    let all = tokens(text);
    let has = |one: &[&str]| all.iter().any(|token| one.contains(&token.lower().as_str()));
    let counts =
        all.iter().filter(|token| token.text.bytes().any(|byte| byte.is_ascii_digit())).count();
    counts.min(3) * 2
        + usize::from(has(&[
            "must", "cannot", "required", "only", "maximum", "minimum", "limit", "never",
        ])) * 2
        + usize::from(has(&["because", "causes", "caused", "due", "since"]))
        + usize::from(has(&["is", "are", "means", "called"]))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::extract::page::read;

    fn thing() -> Thing {
        Thing {
            entity: 0,
            name: "Foo".to_owned(),
            is_sure: true,
            is_document: false,
            is_written: true,
        }
    }

    fn is_kept(text: &str, item: bool) -> bool {
        of(text, &tokens(text), item, &thing()).is_some()
    }

    #[test]
    fn sentences_that_need_no_other_one_are_kept() {
        for text in [
            "Open enrollment is in November every year.",
            "Dental insurance in the US is provided through MetLife.",
            "WORM on a bucket is enabled by setting a lock configuration.",
            "If an object is under legal hold, it cannot be deleted unless the hold is removed.",
            "In Compliance mode, objects cannot be deleted before the date.",
            "Your Foo client must reuse tokens for at least 30 minutes.",
            "Do not request a new token more than twice in a one-hour period.",
            "Fees – The Foo council adopted the rate of $1,623.70 for cameras.",
            "Projects at 18F begin as opportunities.",
            "Every fix ships with a regression test.",
            "data_by_player.csv contains data for every player.",
            "The length of time that a token is valid depends on the environment.",
        ] {
            assert!(is_kept(text, false), "{text}");
        }
    }

    #[test]
    fn sentences_that_need_another_one_are_left() {
        for text in [
            "It cannot be deleted before the date.",
            "This bar is applied to all objects.",
            "This configuration is applied to all objects.",
            "The incident was reported to the police.",
            "Many suspects were beaten up and some bribed.",
            "If it fails, the request is repeated twice.",
            "Returns a list of all objects in a bucket.",
            "Future versions may enforce a limit on requests.",
            "A replacement for SQLite code that has the ability to read databases.",
            "We adjusted the limits to accommodate usage patterns.",
            "You can store objects in a bucket of your choice.",
            "Noting that there were problems, they did not go on.",
            "Do not share long snippets.",
            "Pass the object to the other function.",
        ] {
            assert!(!is_kept(text, false), "{text}");
        }
    }

    #[test]
    fn items_may_lack_a_stop_and_say_what_a_term_means() {
        for (text, expected) in [
            ("Retention headers can be optionally set while uploading objects", true),
            ("The capture theory—the Moon formed elsewhere and was captured by Earth.", true),
            ("Fast - it is fast.", false),
            ("1,5s clean release build time", false),
        ] {
            assert_eq!(is_kept(text, true), expected, "{text}");
        }
    }

    #[test]
    fn a_label_gives_way_to_this_and_also_is_left_out() {
        for (text, expected) in [
            (
                "Bar Request – The Foo board approved this request in 2015.",
                "Bar Request – The Foo board approved the request in 2015.",
            ),
            ("This foo must be kept at 5 degrees.", "The foo must be kept at 5 degrees."),
            ("An object can also be under legal hold.", "An object can be under legal hold."),
        ] {
            assert_eq!(of(text, &tokens(text), false, &thing()).as_deref(), Some(expected));
        }
    }

    #[test]
    fn a_heading_says_which_part_a_sentence_is_about() {
        let page = read(
            "# Foo\n\nA.\n\n## 2. Dental insurance\n\nB.\n\n### Overview\n\nC.\n\n## Bar?\n\nD.",
        );
        let parts = parts(&page, &thing());
        let told =
            page.blocks.iter().zip(&parts).filter(|(block, _)| block.kind == Kind::Paragraph);
        let told: Vec<Option<&str>> = told.map(|(_, part)| part.as_deref()).collect();
        assert_eq!(told, [None, Some("Dental insurance"), None, None]);
        for (part, text, expected) in [
            (
                Some("Dental insurance"),
                "The fee is paid.",
                "Foo, Dental insurance – The fee is paid.",
            ),
            (Some("Fees"), "The fee is paid.", "Foo – The fee is paid."),
            (None, "Foo pays the fee.", "Foo pays the fee."),
        ] {
            assert_eq!(named(&thing(), part, text), expected);
        }
    }

    #[test]
    fn of_too_many_those_with_figures_and_limits_stay() {
        let of = |text: &str| (0, Statement { text: text.to_owned(), line: 1 });
        let mut all = vec![of("Cats like milk."); MAX_WHOLE];
        all.insert(3, of("A request must take less than 5 seconds."));
        let kept = best(all);
        assert_eq!(kept.len(), MAX_WHOLE);
        assert_eq!(kept[3].1.text, "A request must take less than 5 seconds.");
    }
}
