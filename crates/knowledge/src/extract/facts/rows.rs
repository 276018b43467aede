//! What the rows of tables and lists of properties state: a column's header, or a first cell, is the
//! predicate.

use std::collections::{HashMap, HashSet};

use super::form::is_self_contained_of;
use super::shown;
use crate::extract::Statement;
use crate::extract::fold::fold;
use crate::extract::name::{is_year, structural, tidy, without_number};
use crate::extract::page::{Page, Row, tells_no_more};
use crate::extract::shape;
use crate::extract::subject::Names;
use crate::extract::thing::Thing;
use crate::extract::token;
use crate::extract::words;
use crate::words::{Words, list};

/// Most bytes of a cell that is a value.
const MAX_VALUE: usize = 260;
/// Fewest words of a row: `Andorra – currency: Euro`.
const LEAST_WORDS: usize = 3;
/// Most words of a heading or header that says which row it is.
const MAX_WHICH: usize = 6;

/// Headers, in lower case, of columns that name what each row is about.
static NAMING: Words = list!(words "naming_headers");

/// Words of keys, in lower case, that hold what is private.
static PRIVATE: Words = list!(words "private_keys");
/// Words of keys, in lower case, behind which an address or number stands.
static REACHED: Words = list!(words "contact_keys");
/// What stands before `key`, `code` or `number` where that is private.
static KEYS_OF: Words = list!(words "private_kinds");

/// The facts of all tables: those of two columns, which list what is so of the page's own thing,
/// and those whose first column names what each row is about.
pub(in crate::extract) fn collect(
    page: &Page,
    thing: Option<&Thing>,
    names: &Names,
) -> Vec<(usize, Statement)> {
    let mut found = Vec::new();
    // `largest city: capital` means what another row says.
    let keys = page.rows.iter().filter(|row| row.cells.len() == 2);
    let keys: HashSet<String> = keys.filter_map(|row| Some(fold(row.cells.first()?))).collect();
    let common = common(page);
    let is_common = |section: &str| {
        let key = section.to_lowercase();
        key.split(' ').any(|word| common.contains(word))
    };
    let thing_key = thing.map(|thing| fold(&thing.name)).unwrap_or_default();
    let others = others(page, &thing_key);
    let is_other = |section: &str| others.iter().any(|other| other == section);
    for (number, row) in page.rows.iter().enumerate() {
        // What leads to the pages before and behind.
        let header: Vec<String> = row.header.iter().map(|cell| fold(cell)).collect();
        let is_leading = |cell: &String| matches!(cell.as_str(), "" | "next" | "previous");
        if header.iter().all(is_leading) && header.iter().any(|cell| !cell.is_empty()) {
            continue;
        }
        if is_numbers(row) || is_open(row, page.rows.get(number + 1)) || is_vote(row) {
            continue;
        }
        // `Support (details below)`
        let section = row.section.as_deref().map(without_number);
        let section = section.map(|section| tidy(section.split(" (").next().unwrap_or_default()));
        let section = section.filter(|section| !section.is_empty());
        // Below the heading of something else the rows are that one's.
        let own = section.as_deref().and_then(|section| Some((names.whole(section)?, section)));
        // `TPM`, on a page that was given for `Foo encryption`, is a part of that.
        let is_part = |section: &str| {
            page.is_given && thing.is_some_and(|it| it.is_sure) && shape::is_acronym(section)
        };
        let own = own.filter(|(_, section)| !is_part(section));
        let of_page = thing.map(|thing| (thing.entity, thing.name.as_str()));
        let is_rivals = section.as_deref().is_some_and(|section| {
            is_other(section) || names_rival(section, thing) && !is_common(section)
        });
        let (about, which) = match own {
            Some(_) => (own, None),
            None if is_rivals => (None, None),
            None => (of_page, section.as_deref().filter(|section| tells_which(section, thing))),
        };
        match (row.cells.as_slice(), about) {
            ([first, value], _) if row.is_item && names.whole(&tidy(first)).is_some() => {
                // `- KEF: a maker`, an entry of its own.
                let Some(entity) = names.whole(&tidy(first)) else { continue };
                let text = shown(&format!("{first}: {value}"));
                let whole = is_self_contained_of(&text, &token::tokens(&text), LEAST_WORDS + 1);
                found.extend(whole.then_some((entity, Statement { text, line: row.line })));
            }
            ([predicate, value], Some(_))
                if row.lists_properties()
                    && (fold(&format!("{predicate} {value}")) == thing_key
                        || is_of_form(row, predicate)
                        || keys.contains(&fold(value))
                        || is_switch(row, value)) => {}
            ([predicate, value], Some((entity, name))) if row.lists_properties() => {
                let predicate = match which {
                    Some(which) => format!("{which}, {predicate}"),
                    None => predicate.clone(),
                };
                found.extend(fact(name, &predicate, value, row.line).map(|fact| (entity, fact)));
            }
            ([first, values @ ..], about) => {
                let name = tidy(first);
                // A comparison has a column for the page's thing: the others are others'.
                let is_own = |header: &&String| fold(header) == thing_key;
                let is_compared = row.header.iter().skip(1).any(|header| is_own(&header));
                let told = row.header.iter().skip(1).zip(values);
                let told = told.filter(|(header, _)| !is_compared || is_own(header));
                if let Some(entity) = names.whole_as_written(&name) {
                    let facts =
                        told.filter_map(|(header, value)| fact(&name, header, value, row.line));
                    found.extend(facts.map(|fact| (entity, fact)));
                } else if let Some((entity, thing)) = about.filter(|_| !names_things(row)) {
                    let facts = told.filter_map(|(header, value)| {
                        let cell = cell_of(row, first)?;
                        let cell = which.map_or(cell.clone(), |which| format!("{which}, {cell}"));
                        let predicate = match is_compared {
                            true => cell,
                            false => format!("{cell}, {header}"),
                        };
                        let says = header.chars().any(char::is_alphanumeric);
                        says.then(|| fact(thing, &predicate, value, row.line)).flatten()
                    });
                    found.extend(facts.map(|fact| (entity, fact)));
                }
            }
            ([], _) => {}
        }
    }
    without_conflicts(found, page)
}

/// Whether a row is nothing but numbers, of which the first tells nobody which row it is: `32 | 4`.
fn is_numbers(row: &Row) -> bool {
    let is_number = |cell: &String| {
        cell.starts_with(|char: char| char.is_ascii_digit())
            && cell.chars().all(|char| char.is_ascii_digit() || " ,.%".contains(char))
    };
    row.header.len() > 1
        && row.cells.iter().all(is_number)
        && !row.cells.first().is_some_and(|first| is_year(first))
}

/// `Ann: +1`, below a heading too long to say on what.
fn is_vote(row: &Row) -> bool {
    let is_told = row.section.as_deref().is_none_or(|it| it.split(' ').count() <= MAX_WHICH);
    let is_mark = |value: &String| !value.contains(char::is_alphabetic) && value.len() <= 2;
    !is_told && row.is_item && row.cells.get(1).is_some_and(is_mark)
}

/// Whether the row below a row leaves its first cell empty: what parts them stands in another one.
fn is_open(row: &Row, next: Option<&Row>) -> bool {
    const LEAST: usize = 3;
    let next = next.filter(|next| next.header == row.header && next.header.len() >= LEAST);
    next.and_then(|next| next.cells.first()).is_some_and(|first| first.trim().is_empty())
}

/// The facts without those of rows of tables that give several values for one thing: what tells such
/// rows from each other stands in another column, and what they have in common says nothing.
fn without_conflicts(found: Vec<(usize, Statement)>, page: &Page) -> Vec<(usize, Statement)> {
    let of_tables: HashSet<usize> = page
        .rows
        .iter()
        .filter(|row| !row.header.is_empty() && !row.lists_properties())
        .map(|row| row.line)
        .collect();
    let mut values: HashMap<(usize, String), HashSet<String>> = HashMap::new();
    let key_of = |statement: &Statement| {
        let (key, value) = statement.text.rsplit_once(": ")?;
        of_tables.contains(&statement.line).then(|| (key.to_owned(), value.to_owned()))
    };
    for (entity, statement) in &found {
        if let Some((key, value)) = key_of(statement) {
            values.entry((*entity, key)).or_default().insert(value);
        }
    }
    let is_one = |(entity, statement): &(usize, Statement)| {
        let all = key_of(statement).and_then(|(key, _)| values.get(&(*entity, key)));
        all.is_none_or(|all| all.len() == 1)
    };
    let others = found.iter().filter(|fact| !is_one(fact));
    let mixed: HashSet<usize> = others.map(|(_, statement)| statement.line).collect();
    found.into_iter().filter(|(_, statement)| !mixed.contains(&statement.line)).collect()
}

/// Whether the first column names things of their own: each row is about another one.
fn names_things(row: &Row) -> bool {
    row.header.first().is_some_and(|header| NAMING.contains(fold(header).as_str()))
}

/// Whether what a key stands for is for nobody else, whatever it looks like: what lets somebody in, and
/// how somebody is reached or told.
fn is_private(key: &str, value: &str) -> bool {
    let words = words_of_key(key);
    let is_keys = |pair: &[String]| {
        matches!(pair[1].as_str(), "key" | "keys" | "code" | "number" | "no")
            && KEYS_OF.contains(pair[0].as_str())
    };
    // `Email: over SMTP` tells of a program, an address or number of somebody.
    let reaches = value.contains('@') || value.bytes().filter(u8::is_ascii_digit).count() > 5;
    words.iter().any(|word| PRIVATE.contains(word.as_str()))
        || reaches && words.iter().any(|word| REACHED.contains(word.as_str()))
        || words.windows(2).any(is_keys)
        || ["login", "pin", "mot de passe"].contains(&fold(key).as_str())
}

/// The words of a key in lower case: `apiKey` and `API_KEY` have two.
pub(in crate::extract) fn words_of_key(key: &str) -> Vec<String> {
    let mut spaced = String::with_capacity(key.len());
    let mut before = ' ';
    for char in key.chars() {
        if before.is_lowercase() && char.is_uppercase() || !char.is_alphanumeric() {
            spaced.push(' ');
        }
        spaced.extend(char.is_alphanumeric().then_some(char));
        before = char;
    }
    fold(&spaced).split_whitespace().map(str::to_owned).collect()
}

/// Whether a value is the name of a file that is shown or played: `Map of Aruba.svg`.
fn is_file(value: &str) -> bool {
    static SHOWN: Words = list!(words "media_endings");
    let ending = value.trim_end().rsplit_once('.').map(|(_, ending)| ending.to_lowercase());
    ending.is_some_and(|ending| SHOWN.contains(ending.as_str()))
}

/// Whether a value is only names of other pages, as addresses have them, or a list for a program:
/// `team-rules, how-to-join`, `Ab,Cd,Ef,Gh`.
fn is_slugs(value: &str) -> bool {
    let is_slug = |part: &str| {
        part.starts_with('/') && !part.contains(' ')
            || part.contains('-')
                && part
                    .bytes()
                    .all(|byte| byte == b'-' || byte.is_ascii_lowercase() || byte.is_ascii_digit())
    };
    let is_list = value.matches(',').count() > 2 && !value.contains(", ");
    is_list || value.contains(", ") && value.split(", ").all(is_slug)
}

/// Whether a line between others only switches something of how they are shown: `Team: yes`.
fn is_switch(row: &Row, value: &str) -> bool {
    let is_line = row.header.is_empty() && !row.is_item;
    is_line
        && matches!(fold(value).as_str(), "yes" | "no" | "true" | "false" | "y" | "n" | "1" | "0")
}

/// Numbers under which catalogues of libraries have a book, and notes to other rows, as last words of keys.
const FILED: &[&str] = &["congress", "dewey", "lccn", "note", "notes", "oclc"];

/// Whether a key is one of a form's and says nothing by itself: `leader name2`, `GDP year`, `isbn note`.
fn is_of_form(row: &Row, key: &str) -> bool {
    let last = key.rsplit(' ').next().unwrap_or_default();
    // `ffi_type_uint8: An unsigned type`, of a list of terms.
    let counts = last.ends_with(|char: char| char.is_ascii_digit())
        && last.starts_with(|char: char| char.is_lowercase())
        && !(row.is_item && shape::is_code(last));
    let files = !row.is_item && FILED.contains(&fold(last).as_str());
    files || counts && !last.starts_with("km") || key.ends_with(" year") && key.contains(' ')
}

/// Whether a heading is the name of something else, which shares no word with the page's thing: its
/// rows are not that thing's.
fn names_rival(section: &str, thing: Option<&Thing>) -> bool {
    let own = thing.map(|thing| fold(&thing.name)).unwrap_or_default();
    let is_shared = |word: &str| own.split(' ').any(|own| own == word);
    is_full_name(section) && !fold(section).split(' ').any(is_shared)
}

/// The headings of a page that name other things than its own: the same is listed below several that share
/// a word with that, as `London Eye` and `London Underground` do with London, or the name once more.
pub(in crate::extract) fn others(page: &Page, own: &str) -> Vec<String> {
    let own = fold(own);
    let listed = page.rows.iter().filter(|row| row.cells.len() == 2 && row.lists_properties());
    let mut below: HashMap<String, HashSet<String>> = HashMap::new();
    let mut named: HashSet<String> = HashSet::new();
    for row in listed {
        let section = row.section.as_deref().map(|section| tidy(without_number(section)));
        let Some(section) = section.filter(|it| fold(it) == own || is_full_name(it)) else {
            continue;
        };
        let (key, folded) = (fold(&row.cells[0]), fold(&section));
        if key == "name" && fold(&tidy(&row.cells[1])) == folded {
            named.insert(section);
        } else if folded.split(' ').any(|word| own.split(' ').any(|own| own == word)) {
            below.entry(key).or_default().insert(section);
        }
    }
    named.extend(below.into_values().filter(|sections| sections.len() > 1).flatten());
    let mut others: Vec<String> = named.into_iter().filter(|it| fold(it) != own).collect();
    others.sort_unstable();
    others
}

/// Whether a heading is a name of several words, none of which only says what stands below it.
fn is_full_name(section: &str) -> bool {
    !tells_no_more(section)
        && section.contains(' ')
        && shape::is_proper(section)
        && structural(section).is_ok()
        && fold(section).split(' ').all(|word| {
            !words::is_generic(word) && !word.starts_with(|char: char| char.is_ascii_digit())
        })
}

/// The words that a page has in lower case: a heading of such words has capitals because it is one.
fn common(page: &Page) -> HashSet<&str> {
    let blocks = page.blocks.iter().map(|block| block.text.as_str());
    let cells = page.rows.iter().flat_map(|row| &row.cells).map(String::as_str);
    let all = blocks.chain(cells).flat_map(|text| text.split(|char: char| !char.is_alphanumeric()));
    all.filter(|word| word.starts_with(char::is_lowercase)).collect()
}

/// Whether a heading says which of the page's things its rows are about.
fn tells_which(section: &str, thing: Option<&Thing>) -> bool {
    let key = fold(section);
    // `In your repository`, unlike `In 2020`.
    let (first, rest) = section.split_once(' ').unwrap_or((section, ""));
    let is_named = rest.split(' ').any(|word| !word.starts_with(char::is_lowercase));
    let is_setting = words::ends_phrase(&first.to_lowercase()) && !is_named;
    !tells_no_more(section)
        && !is_setting
        && section.split(' ').count() <= MAX_WHICH
        && thing.is_none_or(|thing| {
            let own = fold(&thing.name);
            let is_longer = is_full_name(section) && key != own;
            !own.contains(&key) && (is_longer || !key.contains(&own))
        })
}

/// The first cell of a row with its header before it: `Version 2.0`.
fn cell_of(row: &Row, first: &str) -> Option<String> {
    let says = |text: &str| text.chars().any(char::is_alphanumeric);
    let header = row.header.first().map(|header| header.trim()).unwrap_or_default();
    let plain = header.split(' ').count() <= 2 && says(header) && fold(header) != "name";
    says(first).then(|| if plain { format!("{header} {first}") } else { first.to_owned() })
}

/// `Field max_age, Version`: since which one there is such a field.
fn is_property(predicate: &str) -> bool {
    const KINDS: &[&str] = &["field", "flag", "option", "parameter", "property", "setting"];
    let mut parts = predicate.split(", ").filter_map(|part| part.split_once(' '));
    parts.any(|(kind, _)| KINDS.contains(&fold(kind).as_str()))
}

/// `Name – predicate: value`.
fn fact(name: &str, predicate: &str, value: &str, line: usize) -> Option<Statement> {
    // What is to be done in turn is no property, and one step of it no whole.
    let instructs = fold(predicate).ends_with("instructions");
    // `See below`
    let refers = value.split(' ').next().is_some_and(|first| {
        matches!(
            first.to_lowercase().trim_end_matches('.'),
            "see" | "siehe" | "vgl" | "voir" | "véase"
        )
    });
    // `Default: required`, which says nothing of a default.
    let is_said = |word: &str| predicate.split(", ").any(|part| fold(part) == word);
    let says_none = is_said("default") && matches!(fold(value).as_str(), "none" | "required")
        || is_said("version") && is_property(predicate);
    // `Issue: (leave this empty)`
    let is_aside = value.starts_with('(') && value.ends_with(')');
    let is_unfilled = matches!(fold(value).as_str(), "n/a" | "na" | "tbd" | "todo" | "tba")
        || is_aside
            && ["empty", "leave this", "fill ", "put "].iter().any(|it| fold(value).contains(it));
    // `{action}: What happened`: of what, its text tells.
    let is_variable = predicate.starts_with('{');
    if says_none
        || instructs
        || is_variable
        || is_unfilled
        || refers
        || is_private(predicate, value)
        || is_file(value)
        || is_slugs(value)
    {
        return None;
    }
    let predicate = predicate.trim().trim_end_matches(':');
    // A box is often headed by the name of what it is about.
    let headed = predicate.split_once(", ").filter(|(over, _)| fold(over) == fold(name));
    let predicate = headed.map_or(predicate, |(_, rest)| rest);
    let says = |text: &str| text.chars().any(char::is_alphanumeric) && text.len() <= MAX_VALUE;
    if !says(predicate) || !says(value) || words::is_pronoun(&predicate.to_lowercase()) {
        return None;
    }
    // Two names of the same say nothing, nor does an address made of the name.
    let letters = |text: &str| fold(text).chars().filter(|char| char.is_alphanumeric()).collect();
    let (own, its): (String, String) = (letters(value), letters(name));
    // `SF 17, F`: abbreviations of which nobody knows what they stand for.
    let is_word = |word: &str| word.chars().filter(|char| char.is_alphabetic()).count() > 2;
    let is_told = !predicate.contains(", ") || predicate.split([' ', ',']).any(is_word);
    // `EIP-3068 – eip: 3068`
    let is_number = own.bytes().all(|byte| byte.is_ascii_digit())
        && fold(name).split(|char: char| !char.is_alphanumeric()).any(|it| it == own);
    let says_more = is_told
        && own != its
        && !is_number
        && !value.trim_end().ends_with(':')
        && fold(predicate) != "name";
    let text = shown(&format!("{name} – {predicate}: {value}"));
    (says_more && is_self_contained_of(&text, &token::tokens(&text), LEAST_WORDS))
        .then_some(Statement { text, line })
}
