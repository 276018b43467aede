//! Whether what stands before the verb of a sentence is a subject that can be understood alone.

use crate::extract::facts::elsewhere::begins_elsewhere;
use crate::extract::facts::{is_plural, pointer};
use crate::extract::fold::fold;
use crate::extract::name::{is_month_or_day, is_year};
use crate::extract::shape;
use crate::extract::thing::Thing;
use crate::extract::token::Token;
use crate::extract::words;
use crate::words::{Words, list};

/// What may stand before an article within a subject, beside what ends a noun phrase.
static BEFORE_NOUNS: Words = list!(words "before_nouns");

/// Nouns that, as subjects, stand for something that only the sentences before them tell.
static VAGUE: Words = list!(words "vague_subjects");

/// Whether what stands before the verb is a subject that can be understood alone.
pub(in crate::extract::facts) fn has_subject(
    tokens: &[Token<'_>],
    verb: usize,
    thing: &Thing,
) -> bool {
    let from = behind_lead(tokens);
    let Some(first) = tokens.get(from).filter(|_| from < verb) else { return false };
    if begins_elsewhere(&tokens[from..]) && !thing.is_text() {
        return false;
    }
    let word = first.lower();
    // `About 80% are`: so many of what the page is about.
    let is_share =
        matches!(word.as_str(), "about" | "almost" | "around" | "nearly" | "over" | "roughly")
            && tokens
                .get(from + 1)
                .is_some_and(|next| next.text.starts_with(|char: char| char.is_ascii_digit()));
    // `Zero or more pairs`
    if matches!(word.as_str(), "one" | "zero")
        && tokens.get(from + 1).is_some_and(|it| it.text == "or")
    {
        return false;
    }
    // `Everyone receives`, `Anyone who leaves is`
    if matches!(word.as_str(), "anybody" | "anyone" | "everybody" | "everyone" | "nobody") {
        return from == 0;
    }
    if is_share {
        return from == 0 && verb < super::MAX_SHARE;
    }
    let article = matches!(
        word.as_str(),
        "the" | "this" | "a" | "an" | "any" | "each" | "every" | "all" | "no"
    );
    let start = from + usize::from(article);
    let subject = &tokens[start.min(verb)..verb];
    // What ends the noun before a phrase that tells more of it: `the intent of the developers`.
    let head = subject.iter().take_while(|token| !words::ends_phrase(&token.lower())).last();
    let Some(head) = head else { return false };
    // `An alternatively is`
    if article && subject.len() == 1 && head.text.ends_with("ly") && words::is_lead(&head.lower()) {
        return false;
    }
    // `The account the daemon should run as`: nothing but which one.
    let is_noun = |token: &Token<'_>| {
        let word = token.lower();
        // `members attending the meeting`
        let is_gerund = word.len() > 4 && word.ends_with("ing");
        token.joins()
            && !is_gerund
            && !words::ends_phrase(&word)
            && !words::is_starter(&word)
            && !words::is_lead(&word)
            && !words::looks_past(&word)
            && !BEFORE_NOUNS.contains(word.as_str())
    };
    let is_relative = |two: &[Token<'_>]| is_noun(&two[0]) && words::is_determiner(two[1].text);
    // `The COMMANDS section lists`: of the text.
    let is_of_text = subject.len() > 1
        && subject[subject.len() - 1].text == "section"
        && subject[subject.len() - 2].text.starts_with(char::is_uppercase);
    // `The first directory listed has`: where, another sentence tells.
    let is_listed =
        subject.last().is_some_and(|last| matches!(last.text, "listed" | "mentioned" | "shown"));
    if article && subject.windows(2).any(is_relative) || is_of_text || article && is_listed {
        return false;
    }
    let plain = is_plain(subject, article);
    let begins = subject.first().is_some_and(|it| matches!(it.text, "word" | "term" | "phrase"));
    // `The number of users has`
    let behind =
        tokens.get(start + subject.iter().position(|it| it.start == head.start).unwrap_or(0) + 1);
    let is_anybody =
        head.text == "person" && matches!(word.as_str(), "any" | "each" | "every" | "no");
    let is_of = behind.is_some_and(|next| next.text == "of") && OF_SOMETHING.contains(&head.text);
    if !plain
        || is_vague(head) && !is_of && !is_named(subject, head) && !is_anybody
        || begins
        || subject.iter().any(|token| token.text == "following")
    {
        return false;
    }
    // A lead, whose comma closes before what the sentence is about.
    if !article && parts(subject) {
        return false;
    }
    let own = fold(&thing.name);
    // `The code of Foo`, on a page about the types of Foo.
    let of_part = subject.windows(2).any(|two| {
        let word = two[1].lower();
        matches!(two[0].text, "of" | "for" | "to")
            && two[1].is_capitalised()
            && own.contains(' ')
            && own.split(' ').any(|own| own.len() > 3 && own == word)
    });
    if of_part {
        return false;
    }
    // `37signals offers`, on the page of its benefits.
    let is_name = from > 0 || first.text.starts_with(|char: char| char.is_ascii_digit());
    if is_name && subject.len() == 1 && own.split(' ').any(|own| own.len() > 3 && own == word) {
        return true;
    }
    // `The Court ordered`: short for what another sentence names in full.
    let is_short = !thing.is_text()
        && word == "the"
        && subject.len() == 1
        && head.is_capitalised()
        && !shape::is_acronym(head.text)
        && !own.split(' ').any(|own| own == head.lower());
    if is_short {
        return false;
    }
    // `The claims were untrue`: those that were told of before.
    let next = tokens.get(verb).map(Token::lower).unwrap_or_default();
    let is_told = word == "the" && from == 0 && subject.len() == 1 && is_plural(head.text);
    if is_told && next == "were" {
        return false;
    }
    if article {
        return !subject.iter().any(|token| token.lower() == "same");
    }
    // `Future versions will`, `Scheduling or playing`: what is promised, and warned of.
    if word == "future"
        || words::looks_gerund(&word) && subject.iter().any(|token| token.text == "or")
    {
        return false;
    }
    if from == 0 && words::is_verb_base(&word)
        || words::is_starter(&word) && !words::looks_gerund(&word)
    {
        return false;
    }
    // `data.example.org provides`
    let is_site = |text: &str| {
        text.matches('.').count() > 1
            && text.chars().all(|char| char.is_ascii_alphanumeric() || ".-".contains(char))
    };
    if from == 0 && verb == 1 && is_site(first.text) {
        return true;
    }
    let run = shape::run(tokens, from) - from;
    let shaped = shape::is_shaped(first.text);
    match run {
        // Somebody is named in full, or something as only names are written.
        2.. => {
            let last = tokens[from + run - 1].text;
            from + run == verb || shaped || last.ends_with("'s") || last.ends_with("’s")
        }
        1 if shaped => false,
        // `Pour the mixture` commands.
        1 if from == 0 => {
            let second = tokens.get(1).map(Token::lower).unwrap_or_default();
            let is_plain = subject.len() > 1 && !words::is_determiner(&second) && second != "and";
            is_plural(first.text) || words::looks_gerund(&word) || is_plain
        }
        _ => from > 0 && is_plural(first.text),
    }
}

/// Whether nothing stands in a subject that parts it, and each quotation in it closes. What begins with
/// one is somebody's nickname, or said.
fn is_plain(subject: &[Token<'_>], article: bool) -> bool {
    let quotes = |open: bool| {
        let marks = subject.iter().map(|it| if open { it.before } else { it.after });
        marks.filter(|mark| mark.contains(['"', '“', '”'])).count()
    };
    let is_quoted = subject.first().is_some_and(|first| first.before.contains(['"', '“']));
    (article || !is_quoted)
        && quotes(true) == quotes(false)
        && subject.iter().all(|token| {
            token.before.trim_matches(['(', '"', '“']).is_empty()
                && !token.after.contains([':', ';', '?'])
        })
}

/// Whether a comma parts a subject, which is none of `Android, iOS, and Windows`.
fn parts(subject: &[Token<'_>]) -> bool {
    const NEAR: usize = 4;
    let comma = subject.iter().rposition(|token| token.after.contains(','));
    // `Books, magazines, audio books and cassettes`
    let mut listed = subject.split_inclusive(|token| token.after.contains(','));
    let is_list = subject.iter().filter(|token| token.after.contains(',')).count() > 1
        && subject.first().is_some_and(|first| is_plural(first.text))
        && listed.all(|part| part.len() < NEAR || part.last().is_none_or(|it| it.after != ","));
    comma.is_some_and(|comma| {
        let rest = &subject[comma + 1..];
        !rest.iter().any(|token| matches!(token.text, "and" | "or"))
            || rest.len() >= NEAR && !is_list
    })
}

/// `The "Foo Bar" event`, `the PATH list`, `the text "over"`: a noun beside the name of what it is.
fn is_named(subject: &[Token<'_>], head: &Token<'_>) -> bool {
    let at = subject.iter().position(|token| token.start == head.start).unwrap_or_default();
    let name = at.checked_sub(1).map(|before| &subject[before]);
    let is_compound = COMPOUND.contains(head.text)
        && name.is_some_and(|it| {
            it.text.chars().all(|char| char.is_ascii_lowercase())
                && !words::is_starter(it.text)
                && !pointer::is_idle(it.text)
        });
    let is_kind = words::is_kind(&head.lower());
    is_compound
        || name.is_some_and(|it| it.is_capitalised() && is_kind || it.after.contains(['"', '”']))
}

/// Nouns that say which one is meant with a noun before them: `domain name`, `voting process`.
static COMPOUND: Words = list!(words "compound_heads");

/// Nouns that say nothing but of what follows `of`.
const OF_SOMETHING: &[&str] =
    &["aim", "goal", "name", "number", "process", "purpose", "time", "value"];

/// Whether a noun, as a subject, stands for what only the sentences before tell.
pub(in crate::extract::facts) fn is_vague(noun: &Token<'_>) -> bool {
    VAGUE.contains(noun.lower().as_str())
}

/// The token behind `In 1862`, `In late 1992,`, `On 3 May 1991,` and `In France,`.
fn behind_lead(tokens: &[Token<'_>]) -> usize {
    let leads = matches!(tokens[0].text, "In" | "On" | "By" | "Since");
    let is_part = |token: &Token<'_>| {
        let word = token.lower();
        is_year(&word)
            || is_month_or_day(&word)
            || matches!(word.as_str(), "early" | "mid" | "late")
            || word.trim_end_matches('s').bytes().all(|byte| byte.is_ascii_digit())
    };
    let parts = tokens.iter().skip(1).take_while(|token| !token.text.is_empty() && is_part(token));
    let parts = parts.count();
    let place = shape::run(tokens, 1);
    let is_place = tokens[0].text == "In" && tokens[place - 1].after == ",";
    match (leads, parts, place > 1 && is_place) {
        (true, 1.., _) => 1 + parts,
        (_, 0, true) => place,
        _ => 0,
    }
}
