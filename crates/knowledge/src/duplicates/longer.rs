//! Names of which one says more than the other: an abbreviation and what it stands for, a company
//! and its legal form, a thing and its kind, maker or year.

use super::{
    Reason,
    form::{Case, Form, Word, is_small, is_year, join},
    names::{Demand, Need, Relation},
    tails::{HEADS, TAILS, Tail},
    words,
};

/// The longest abbreviation, in letters.
const MAX_ACRONYM: usize = 8;

/// Relations in which `long` says more than `short`.
pub fn directed(long: &Form, short: &Form) -> Option<Relation> {
    bracket(long, short)
        .or_else(|| acronym(long, short))
        .or_else(|| short_form(long, short))
        .or_else(|| legal_form(long, short))
        .or_else(|| tail(long, short))
        .or_else(|| head(long, short))
        .or_else(|| edition(long, short))
        .or_else(|| vendor(long, short))
}

fn bracket(long: &Form, short: &Form) -> Option<Relation> {
    let inner = Form::of_words(long.bracket.as_deref()?);
    if short.bracket.is_some() {
        return None;
    }
    let abbreviation = abbreviates(&inner, long) || abbreviates(long, &inner);
    let outer = short.key == long.key;
    if !(outer || abbreviation && short.key == inner.key) {
        return None;
    }
    let demand = match abbreviation {
        // What stands in brackets may tell two things of one name apart.
        false => Demand::Agree,
        true if short.is_specific() || short.key.chars().count() >= 4 => Demand::Nothing,
        true if !outer => Demand::Expansion,
        true => Demand::AgreeIfAny,
    };
    Some(Relation { reason: Reason::Bracket, demand })
}

/// Whether `short` is one word with two large letters or more whose letters come in `long` in this
/// order, both with the same first letter.
fn abbreviates(short: &Form, long: &Form) -> bool {
    let [word] = short.words.as_slice() else { return false };
    if !matches!(word.case, Case::Upper | Case::Mixed) || long.words.len() < 2 {
        return false;
    }
    let mut letters = long.key.chars();
    word.text.chars().next() == long.key.chars().next()
        && word.text.chars().all(|wanted| letters.any(|letter| letter == wanted))
}

fn acronym(long: &Form, short: &Form) -> Option<Relation> {
    let letters = short.key.chars().count();
    let written_so = match short.words.as_slice() {
        [word] => match word.case {
            Case::Upper | Case::Mixed => true,
            Case::Lower => letters >= 3,
            Case::Title | Case::None => false,
        },
        // `U.S.`
        words => words.iter().all(|word| {
            word.text.chars().count() == 1 && word.written.starts_with(char::is_uppercase)
        }),
    };
    let sized = (2..=MAX_ACRONYM).contains(&letters);
    if !sized || !written_so || !initials(long).contains(&short.key) {
        return None;
    }
    let common = words::ABBREVIATIONS.contains_key(short.key.as_str());
    let demand = if letters >= 3 || common { Demand::Expansion } else { Demand::Agree };
    Some(Relation { reason: Reason::Acronym, demand })
}

/// `VS Code` and `Visual Studio Code`: letters for two words or more, all else the same.
fn short_form(long: &Form, short: &Form) -> Option<Relation> {
    let shortened = |at: usize| contracted(&long.words, at);
    let is_short = (0..long.words.len()).flat_map(shortened).any(|words| {
        let same = words.iter().zip(&short.words).all(|(own, word)| *own == word.text);
        let letters = |word: &Word| matches!(word.case, Case::Upper);
        words.len() == short.words.len() && same && short.words.iter().any(letters)
    });
    (is_short && short.words.len() > 1 && long.bracket.is_none() && short.bracket.is_none())
        .then_some(Relation { reason: Reason::ShortForm, demand: Demand::Never { agree: false } })
}

/// The words with the initials of two or more from `at` on in their place, in all ways that leave a
/// word.
fn contracted(words: &[Word], at: usize) -> Vec<Vec<String>> {
    let most = words.len().min(MAX_ACRONYM);
    (2..most)
        .filter_map(|count| {
            let taken = words.get(at..at + count)?;
            let initials: String =
                taken.iter().filter_map(|word| word.text.chars().next()).collect();
            let text = |word: &Word| word.text.clone();
            let before = words.get(..at)?.iter().map(text);
            let after = words.get(at + count..)?.iter().map(text);
            Some(before.chain([initials]).chain(after).collect())
        })
        .collect()
}

/// What the words are called with initials in the place of some.
pub fn contractions(words: &[Word]) -> impl Iterator<Item = String> {
    (0..words.len()).flat_map(|at| contracted(words, at)).map(|words| words.concat())
}

/// Whether a name is that of a person as it stands: with a letter for a name in the middle.
pub fn has_initial(form: &Form) -> bool {
    let middle = form.words.get(1..form.words.len().saturating_sub(1)).unwrap_or_default();
    let is_initial = |word: &Word| {
        word.written.chars().filter(|char| char.is_alphabetic()).count() == 1
            && word.written.starts_with(char::is_uppercase)
    };
    middle.iter().any(is_initial)
}

/// What the first letters of the words make: of all, without small words, with large letters
/// inside words, with `ex` as x. Empty for a single word.
pub fn initials(form: &Form) -> Vec<String> {
    let mut all = Vec::new();
    if form.words.len() < 2 && form.words.iter().all(|word| word.case != Case::Mixed) {
        return all;
    }
    let of = |words: &mut dyn Iterator<Item = &Word>, ex: bool| -> String {
        words
            .filter_map(|word| match word.text.strip_prefix("ex") {
                Some(_) if ex => Some('x'),
                _ => word.text.chars().next(),
            })
            .take(MAX_ACRONYM + 1)
            .collect()
    };
    let humps = form.words.iter().flat_map(|word| {
        let first = word.text.chars().take(usize::from(word.humps.is_empty()));
        first.chain(word.humps.chars())
    });
    all.push(humps.take(MAX_ACRONYM + 1).collect());
    for ex in [false, true] {
        all.push(of(&mut form.words.iter(), ex));
        all.push(of(&mut form.words.iter().filter(|word| !is_small(word)), ex));
    }
    all.retain(|initials| (2..=MAX_ACRONYM).contains(&initials.chars().count()));
    all.sort_unstable();
    all.dedup();
    all
}

fn legal_form(long: &Form, short: &Form) -> Option<Relation> {
    let (rest, sure) = without_legal_form(&long.words)?;
    // `A Inc` and `A GmbH` are two companies.
    if join(rest) != short.key || without_legal_form(&short.words).is_some_and(|(_, sure)| sure) {
        return None;
    }
    Some(Relation { reason: Reason::LegalForm, demand: Demand::Company { sure } })
}

/// The words without a form of company at the end, and whether it can be nothing else.
pub fn without_legal_form(words: &[Word]) -> Option<(&[Word], bool)> {
    (1..=4).rev().find_map(|count| {
        let (rest, end) = words.split_at_checked(words.len().checked_sub(count)?)?;
        let end_key: String = end.iter().map(|word| word.text.as_str()).collect();
        // `N.V.`: letters with dots are no name of a model.
        let dotted = count > 1 && end.iter().all(|word| word.text.chars().count() == 1);
        let sure = words::LEGAL.contains(end_key.as_str());
        let unsure = words::LEGAL_OR_ELSE.contains(end_key.as_str());
        (!rest.is_empty() && (sure || unsure)).then_some((rest, sure || dotted))
    })
}

fn tail(long: &Form, short: &Form) -> Option<Relation> {
    let (rest, end, kind) = tails(&long.words).find(|(rest, ..)| join(rest) == short.key)?;
    let named = end.iter().any(|word| word.case != Case::Lower)
        && long.words.iter().any(|word| word.case == Case::Lower || word.case == Case::Title);
    let numeral = |word: &Word| matches!(word.text.as_str(), "ii" | "iii" | "iv" | "v");
    // `Samsung Galaxy tablet` is not all of `Samsung Galaxy`.
    let is_model = rest.iter().any(|word| word.has_digit() || numeral(word));
    let demand = match kind {
        Tail::Ware if is_model && !named => Demand::Nothing,
        _ => {
            let need = match kind {
                Tail::Sure => Need::KindOrNothingElse,
                Tail::Narrow if !named && !is_vendor(rest) => Need::KindOrNothingElse,
                _ if named => Need::KindNotApart,
                _ => Need::Kind,
            };
            let last = end.last().map(|word| word.text.clone()).unwrap_or_default();
            let words = if last == "os" { vec![last, "system".to_owned()] } else { vec![last] };
            Demand::Kind { words, need }
        }
    };
    Some(Relation { reason: Reason::GenericWord, demand })
}

fn is_vendor(words: &[Word]) -> bool {
    words.last().is_some_and(|word| words::VENDORS.contains(word.text.as_str()))
}

/// The words without a generic end, that end, and how much it takes to leave it out.
pub fn tails(words: &[Word]) -> impl Iterator<Item = (&[Word], &[Word], Tail)> {
    TAILS.iter().flat_map(|(list, kind)| list.iter().map(move |tail| (tail, kind))).filter_map(
        move |(tail, kind)| {
            let count = tail.split(' ').count();
            let (rest, end) = words.split_at_checked(words.len().checked_sub(count)?)?;
            let same = end.iter().map(|word| word.text.as_str()).eq(tail.split(' '));
            (same && !rest.is_empty()).then_some((rest, end, *kind))
        },
    )
}

fn head(long: &Form, short: &Form) -> Option<Relation> {
    heads(&long.words).find(|rest| join(rest) == short.key)?;
    let named = long.words.first().is_some_and(|word| word.case != Case::Lower);
    let first = long.words.first().map(|word| word.text.clone()).unwrap_or_default();
    let demand = match first.as_str() {
        // The City of London is not London.
        _ if named => Demand::Never { agree: false },
        "city" | "town" => Demand::Agree,
        _ => Demand::Kind { words: vec!["language".to_owned()], need: Need::Kind },
    };
    Some(Relation { reason: Reason::GenericWord, demand })
}

/// The words without a generic beginning.
pub fn heads(words: &[Word]) -> impl Iterator<Item = &[Word]> {
    HEADS.iter().filter_map(move |head| {
        let (start, rest) = words.split_at_checked(head.len())?;
        let same = start.iter().map(|word| word.text.as_str()).eq(head.iter().copied());
        (same && !rest.is_empty()).then_some(rest)
    })
}

fn edition(long: &Form, short: &Form) -> Option<Relation> {
    let (year, rest) = long.year()?;
    if join(rest) != short.key || short.year().is_some() {
        return None;
    }
    Some(Relation { reason: Reason::Edition, demand: Demand::Year(year.to_owned()) })
}

fn vendor(long: &Form, short: &Form) -> Option<Relation> {
    let (maker, rest) = long.words.split_first()?;
    if join(rest) != short.key || maker.case == Case::Lower && !rest.iter().all(is_lower) {
        return None;
    }
    let known = words::VENDORS.contains(maker.text.as_str());
    // `LS50`, not `OAuth2`, which anybody may have.
    let code = rest.iter().any(|word| word.is_code() && word.digits() > 1);
    let model = rest.len() > 1 && rest.iter().any(|word| word.has_digit() && !is_year(&word.text))
        || words::MAKER_MARKS
            .get(maker.text.as_str())
            .is_some_and(|mark| rest.iter().all(|word| word.written.starts_with(mark)));
    let demand = if code && known {
        Demand::Nothing
    } else if known && model {
        Demand::AgreeIfAny
    } else {
        Demand::Maker { maker: maker.text.clone(), known }
    };
    Some(Relation { reason: Reason::Vendor, demand })
}

fn is_lower(word: &Word) -> bool {
    word.case == Case::Lower
}
