//! What a page says of its own thing without naming it: `The burrs are made of steel` on the page of a
//! grinder. Such a statement stands behind the thing's name, so that it can be understood alone.

use super::articles;
use super::form::{begins_elsewhere, statement, statement_of_page};
use super::is_plural;
use super::itself::KINDS;
use crate::extract::fold::fold;
use crate::extract::name::{is_month_or_day, is_year, tidy};
use crate::extract::page::{self, Kind, Mark, Page, Sentence};
use crate::extract::shape;
use crate::extract::subject::Names;
use crate::extract::thing::Thing;
use crate::extract::token::{self, Token};
use crate::extract::words;
use crate::words::{Words, list};

/// Most of them of one page.
pub(in crate::extract) const MAX_OWN: usize = 30;
/// Tokens in which the verb must stand, and fewest of such a statement.
const MAX_SUBJECT: usize = 14;
const LEAST: usize = 6;
/// Tokens in which the verb behind `about 80%` must stand.
const MAX_SHARE: usize = 12;

/// Nouns that, as subjects, stand for something that only the sentences before them tell.
static VAGUE: Words = list!(words "vague_subjects");

/// Headings, in lower case, under which readers are told what to do, or what others think.
static HOWTO: Words = list!(phrases "howto_headings");

/// Where a page goes on about its own thing.
pub(in crate::extract) struct Ground {
    /// For each block, whether it tells of the page's thing.
    is_own: Vec<bool>,
    /// For each block, the term that it tells what it means.
    terms: Vec<Option<String>>,
    /// The first block below the title.
    opening: Option<usize>,
}

impl Ground {
    /// Reads the headings; nothing of a page that is about nothing in particular is its own.
    pub(in crate::extract) fn of(page: &Page, thing: Option<&Thing>, names: &Names) -> Self {
        let is_sure = thing.is_some_and(|thing| thing.is_sure);
        let mut others = thing.map(|thing| articles::of_others(page, thing)).unwrap_or_default();
        others.extend(page.notes());
        let mut goes_on = is_sure;
        let mut term: Option<(String, Option<usize>)> = None;
        let (mut all_own, mut terms) = (Vec::new(), Vec::new());
        for (number, block) in page.blocks.iter().enumerate() {
            match block.kind {
                Kind::Heading(_) => {
                    let heading = tidy(&block.text);
                    let other = names.whole(&heading).zip(thing);
                    let is_other = other.is_some_and(|(entity, thing)| entity != thing.entity);
                    goes_on = is_sure && !is_other && !HOWTO.contains(fold(&heading).as_str());
                    term = None;
                }
                Kind::Item => term = page::term(&block.text).map(|it| (it.to_owned(), block.list)),
                Kind::Paragraph => term = term.filter(|(_, list)| *list == block.list),
            }
            let is_prose = !block.is_quoted && !block.is_furniture;
            all_own.push(goes_on && is_prose && !others.contains(&number));
            terms.push(term.as_ref().map(|(term, _)| term.clone()));
        }
        let mut told = page.blocks.iter().enumerate().filter(|(_, block)| !block.is_furniture);
        let titled = told.clone().next();
        let titled = titled.is_some_and(|(_, block)| matches!(block.kind, Kind::Heading(_)));
        let opening = told.find(|(_, block)| !matches!(block.kind, Kind::Heading(_)));
        let opening = opening.filter(|_| titled).map(|(number, _)| number);
        Self { is_own: all_own, terms, opening }
    }

    pub(super) fn is_own(&self, block: usize) -> bool {
        self.is_own.get(block).is_some_and(|is_own| *is_own)
    }

    pub(in crate::extract) fn has(&self, sentence: &Sentence) -> bool {
        self.is_own(sentence.block)
    }

    /// Whether a sentence tells of the page's thing in words alone: code says little away from it.
    pub(super) fn has_prose(&self, page: &Page, sentence: &Sentence) -> bool {
        let marks = page.blocks.get(sentence.block).map(|block| block.marks.as_slice());
        let of_code = marks.unwrap_or_default().iter().filter(|(_, mark)| *mark == Mark::Code);
        let mut inside = of_code.filter(|(range, _)| {
            range.start < sentence.range.end && sentence.range.start < range.end
        });
        self.has(sentence) && inside.next().is_none()
    }

    /// Whether a sentence begins the text below the title.
    pub(in crate::extract) fn opens(&self, sentence: &Sentence) -> bool {
        sentence.first && self.opening == Some(sentence.block)
    }

    /// A statement of the page about its thing, behind the name and the term that it stands below.
    pub(in crate::extract) fn named(
        &self,
        sentence: &Sentence,
        thing: &Thing,
        statement: &str,
    ) -> String {
        let term = self.terms.get(sentence.block).and_then(Option::as_deref);
        match term.filter(|term| !statement.contains(term)) {
            Some(term) => format!("{}, {term} – {statement}", thing.name),
            None => named(thing, statement),
        }
    }
}

/// `Name – statement`, or the statement alone where it begins with the name.
pub(super) fn named(thing: &Thing, statement: &str) -> String {
    match fold(statement).starts_with(&format!("{} ", fold(&thing.name))) {
        true => statement.to_owned(),
        false => format!("{} – {statement}", thing.name),
    }
}

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
    let kinds = lists_kinds(tokens);
    let from = usize::from(kinds.is_some());
    if (from..tokens.len()).any(|at| points(tokens, at)) {
        return None;
    }
    // `All contributions to this project`, below its name.
    let definite = with_articles(text, tokens);
    // `Replacement for X that works` has a verb only in what tells which one.
    let is_main = |verb: &usize| {
        !opens || !tokens[..*verb].iter().any(|token| matches!(token.text, "that" | "which"))
    };
    if let Some(verb) = kinds {
        return statement(text, tokens, verb);
    }
    // `A fast algorithm used by all`, right below the title, says what the thing is.
    match verb(tokens).or_else(|| verb_of(tokens, opens)).filter(is_main) {
        Some(verb) => {
            let is_told = tokens.len() >= LEAST && has_subject(tokens, verb, thing);
            // What a policy says of the team, it says of its own.
            let is_own = |noun: &str| is_own_noun(noun, thing);
            let said = token::tokens(&definite);
            is_told.then(|| statement_of_page(&definite, &said, verb, is_own)).flatten()
        }
        None => opens.then(|| tagline(text, tokens, thing)).flatten(),
    }
}

/// Whether a noun with `the` stands for the page's thing.
pub(super) fn is_own_noun(noun: &str, thing: &Thing) -> bool {
    thing.is_document || OWN_DOCUMENT.contains(&noun) || KINDS.contains(&noun)
}

/// `Fastest LZ4 implementation in Rust.`, right below the title: what the thing is, or, as in `Exposes
/// intrinsics as functions.`, what it does.
fn tagline(text: &str, tokens: &[Token<'_>], thing: &Thing) -> Option<String> {
    let first = tokens.first()?;
    let word = first.lower();
    let does = word.ends_with('s')
        && words::is_finite(&word, false)
        && !words::is_noun_verb(&word)
        && !words::is_auxiliary(&word)
        && first.joins();
    if does {
        let said = format!("{} {word}{}", thing.name, &text[first.end..]);
        let all = token::tokens(&said);
        return statement(&said, &all, all.len().checked_sub(tokens.len())?);
    }
    let leads = |token: &Token<'_>| matches!(token.text, "for" | "to" | "in" | "of" | "that");
    let end = tokens.iter().position(leads)?;
    // `Complete replacement for` says what it is, `Complete the form in` what to do.
    let names_kind = || {
        let head = tokens.get(end.wrapping_sub(1)).map(Token::lower).unwrap_or_default();
        end > 1 && (words::is_kind(&head) || OF_ANOTHER.contains(&head.as_str()))
    };
    let tells = (!words::is_verb_base(&word) || names_kind())
        && (words::is_determiner(&word) || !words::is_starter(&word));
    tells.then(|| statement(text, tokens, 1)).flatten()
}

/// What something is called that does what another thing does.
const OF_ANOTHER: &[&str] =
    &["alternative", "bindings", "implementation", "port", "replacement", "rewrite", "wrapper"];

/// Whether a word counts what follows it.
pub(super) fn is_count(word: &str) -> bool {
    COUNTS.contains(&word)
}

/// The first token that is surely a verb.
pub(super) fn verb(tokens: &[Token<'_>]) -> Option<usize> {
    verb_of(tokens, false)
}

/// The same; where `done` counts, `algorithm used by others` has one.
fn verb_of(tokens: &[Token<'_>], done: bool) -> Option<usize> {
    (1..tokens.len().min(MAX_SUBJECT)).find(|&at| {
        let word = tokens[at].lower();
        let before = if at > 1 { tokens[at - 1].text.to_owned() } else { tokens[0].lower() };
        // `a set is won`, `three touches are`: what an article or a number stands before is a noun.
        let counted = tokens[at - 1].joins()
            && (words::is_determiner(&before) || COUNTS.contains(&before.as_str()));
        let binds = matches!(tokens[at - 1].text, "to" | "be") || counted;
        tokens[at].before.is_empty()
            && !binds
            && (done || !is_done_by(tokens, at))
            && tokens[at].text.starts_with(char::is_lowercase)
            && (words::is_finite(&word, false) && !words::is_noun_verb(&word)
                || is_of_several(tokens, at)
                || is_behind_adverb(tokens, at))
            && at + 1 < tokens.len()
    })
}

/// The verb of `There are two types: simple ones and complex ones.`, which tells all kinds of the thing.
fn lists_kinds(tokens: &[Token<'_>]) -> Option<usize> {
    const MOST: usize = 5;
    let word = |at: usize| tokens.get(at).map(Token::lower).unwrap_or_default();
    let counts = COUNTS.contains(&word(2).as_str());
    let noun = (3..=MOST).find(|&at| tokens.get(at).is_none_or(|it| !it.joins()))?;
    let is_kind = matches!(
        word(noun).as_str(),
        "categories" | "classes" | "forms" | "kinds" | "phases" | "stages" | "types" | "varieties"
    );
    (word(0) == "there" && word(1) == "are" && counts && is_kind && tokens[noun].after == ":")
        .then_some(1)
}

/// `Construction always pairs the`: whatever verb it is of.
fn is_behind_adverb(tokens: &[Token<'_>], at: usize) -> bool {
    let word = |at: usize| tokens.get(at).map(Token::lower).unwrap_or_default();
    let adverb =
        matches!(word(at - 1).as_str(), "also" | "always" | "never" | "often" | "only" | "usually");
    adverb
        && tokens[at - 1].joins()
        && tokens[at].joins()
        && (is_plural(tokens[at].text) || at > 1 && is_plural(tokens[at - 2].text))
        && (words::is_determiner(&word(at + 1)) || word(at + 1) == "that")
}

/// Numbers as words, which nouns follow.
const COUNTS: &[&str] =
    &["two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "several", "many"];

/// `Petitions sponsored by them`: what was done by somebody, which only tells which ones, unless a
/// number follows.
fn is_done_by(tokens: &[Token<'_>], at: usize) -> bool {
    let word = |at: usize| tokens.get(at).map(Token::lower).unwrap_or_default();
    let counts = word(at + 2).starts_with(|char: char| char.is_ascii_digit() || char == '$');
    words::looks_past(&word(at))
        && !words::is_auxiliary(&word(at))
        && word(at + 1) == "by"
        && tokens[at].joins()
        && !counts
}

/// `The maintainers remain responsible`: a verb in its base form behind several.
fn is_of_several(tokens: &[Token<'_>], at: usize) -> bool {
    // `The maintainers usually review`.
    let adverb = at > 1 && tokens[at - 1].joins() && words::is_adverb(&tokens[at - 1].lower());
    let before = &tokens[if adverb { at - 2 } else { at - 1 }];
    let next = tokens.get(at + 1).map(Token::lower).unwrap_or_default();
    before.joins()
        && (before.text.starts_with(char::is_lowercase) || is_acronyms(before.text))
        && is_plural(before.text)
        && !words::is_noun_verb(&before.lower())
        && words::is_verb_base(&tokens[at].lower())
        && tokens[at].joins()
        && !words::is_auxiliary(&next)
        && !words::is_finite(&next, false)
}

/// `APIs`
fn is_acronyms(word: &str) -> bool {
    word.strip_suffix('s').is_some_and(shape::is_acronym)
}

/// Whether what stands before the verb is a subject that can be understood alone.
pub(super) fn has_subject(tokens: &[Token<'_>], verb: usize, thing: &Thing) -> bool {
    let from = behind_lead(tokens);
    let Some(first) = tokens.get(from).filter(|_| from < verb) else { return false };
    if begins_elsewhere(&tokens[from..]) {
        return false;
    }
    let word = first.lower();
    // `About 80% are`: so many of what the page is about.
    let is_share =
        matches!(word.as_str(), "about" | "almost" | "around" | "nearly" | "over" | "roughly")
            && tokens
                .get(from + 1)
                .is_some_and(|next| next.text.starts_with(|char: char| char.is_ascii_digit()));
    // `Most seizures are less than`
    let is_most = word == "most"
        && verb <= from + 4
        && subject_is_plain(tokens.get(from + 1..verb).unwrap_or_default());
    if is_most {
        return from == 0;
    }
    if is_share {
        return from == 0 && verb < MAX_SHARE;
    }
    let article =
        matches!(word.as_str(), "the" | "this" | "a" | "an" | "each" | "every" | "all" | "no");
    let start = from + usize::from(article);
    let subject = &tokens[start.min(verb)..verb];
    // What ends the noun before a phrase that tells more of it: `the intent of the developers`.
    let head = subject.iter().take_while(|token| !words::ends_phrase(&token.lower())).last();
    let Some(head) = head else { return false };
    let plain = subject.iter().all(|token| {
        token.before.trim_matches('(').is_empty()
            && !token.after.contains([':', ';', '?', '"', '”'])
    });
    let begins = subject.first().is_some_and(|it| matches!(it.text, "word" | "term" | "phrase"));
    // `The number of users has`
    let behind =
        tokens.get(start + subject.iter().position(|it| it.start == head.start).unwrap_or(0) + 1);
    let is_of = behind.is_some_and(|next| next.text == "of") && OF_SOMETHING.contains(&head.text);
    if !plain
        || is_vague(head) && !is_of
        || begins
        || subject.iter().any(|token| token.text == "following")
    {
        return false;
    }
    // A lead, whose comma closes before what the sentence is about.
    if subject.iter().any(|token| token.after.contains(',')) && !article {
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
    if from > 0 && subject.len() == 1 && own.split(' ').any(|own| own.len() > 3 && own == word) {
        return true;
    }
    // `The Court ordered`: short for what another sentence names in full.
    let is_short = word == "the"
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
    if word == "future" || is_gerund(&word) && subject.iter().any(|token| token.text == "or") {
        return false;
    }
    if from == 0 && words::is_verb_base(&word) || words::is_starter(&word) && !is_gerund(&word) {
        return false;
    }
    let run = shape::run(tokens, from) - from;
    let shaped = shape::is_shaped(first.text);
    match run {
        // Somebody is named in full, or something as only names are written.
        2.. => from + run == verb || shaped,
        1 if shaped => false,
        // `Pour the mixture` commands.
        1 if from == 0 => {
            let second = tokens.get(1).map(Token::lower).unwrap_or_default();
            let is_plain = subject.len() > 1 && !words::is_determiner(&second) && second != "and";
            is_plural(first.text) || is_gerund(&word) || is_plain
        }
        _ => from > 0 && is_plural(first.text),
    }
}

/// Nouns that say nothing but of what follows `of`.
const OF_SOMETHING: &[&str] = &["aim", "goal", "number", "process", "purpose", "time"];

/// Whether words are a noun of several and what it is like: `febrile seizures`.
fn subject_is_plain(words: &[Token<'_>]) -> bool {
    let is_asked = |noun: &Token<'_>| matches!(noun.text, "developers" | "programs" | "users");
    let mut last = words.iter().rev().take(1);
    let is_several =
        |noun: &Token<'_>| noun.text == "people" || is_plural(noun.text) && !is_vague(noun);
    last.any(|noun| is_several(noun) && !is_asked(noun))
        && words.iter().all(|it| {
            it.joins()
                && it.before.is_empty()
                && it.text.chars().all(|char| char.is_ascii_lowercase() || char == '-')
                && !words::is_determiner(it.text)
                && !words::ends_phrase(it.text)
        })
}

/// Whether a noun, as a subject, stands for what only the sentences before tell.
pub(super) fn is_vague(noun: &Token<'_>) -> bool {
    VAGUE.contains(noun.lower().as_str())
}

fn is_gerund(word: &str) -> bool {
    word.len() > 5 && word.ends_with("ing")
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

/// Words that stand for what other sentences name, for whoever writes or reads, or for what may be.
pub(super) fn points(tokens: &[Token<'_>], at: usize) -> bool {
    let word = tokens[at].lower();
    let next = tokens.get(at + 1).map(Token::lower).unwrap_or_default();
    match word.as_str() {
        // What a page is a document of.
        "this" => !OWN_DOCUMENT.contains(&next.as_str()),
        "its" | "their" => at == 0,
        "first" | "second" | "third" | "last" | "next" | "previous" => {
            matches!(next.as_str(), "year" | "day" | "week" | "month" | "season" | "half" | "time")
        }
        // `Beginning with that letter`.
        "that" => at.checked_sub(1).is_some_and(|before| {
            let before = tokens[before].lower();
            matches!(
                before.as_str(),
                "with"
                    | "of"
                    | "in"
                    | "for"
                    | "by"
                    | "to"
                    | "from"
                    | "on"
                    | "at"
                    | "than"
                    | "after"
                    | "before"
                    | "since"
                    | "until"
            )
        }),
        "other" | "others" | "another" => at < 3,
        // `The same lamp`: as which one, another sentence tells, unless several have it.
        "same" => {
            let has = |word: &Token<'_>| {
                matches!(word.text, "all" | "All" | "and" | "each" | "Each" | "both" | "Both")
                    || is_plural(word.text)
            };
            !tokens[at..].iter().any(|word| word.text == "as") && !tokens[..at].iter().any(has)
        }
        "now" | "currently" | "would" | "could" | "might" | "perhaps" | "maybe" | "then" | "so"
        | "therefore" | "however" | "instead" | "also" | "too" | "again" | "both" => true,
        word => {
            super::mention::is_pointer(word)
                && !super::mention::exists(tokens, at)
                && !super::mention::goes_on(tokens, at)
        }
    }
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

/// What `this` stands for wherever on its pages it is written.
const OWN_DOCUMENT: &[&str] =
    &["project", "policy", "repository", "organization", "organisation", "agreement"];

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
