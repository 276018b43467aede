//! What the rows of tables and lists of properties state: a column's header, or a first cell, is the
//! predicate.

use std::collections::HashSet;

use super::form::is_self_contained_of;
use super::shown;
use crate::extract::Statement;
use crate::extract::fold::fold;
use crate::extract::name::tidy;
use crate::extract::page::{Page, Row, tells_no_more};
use crate::extract::subject::Names;
use crate::extract::thing::Thing;
use crate::extract::token;
use crate::extract::words;
use crate::words::{Words, list};

/// Most bytes of a cell that is a value.
const MAX_VALUE: usize = 200;
/// Fewest words of a row: `Andorra – currency: Euro`.
const LEAST_WORDS: usize = 3;
/// Most words of a heading or header that says which row it is.
const MAX_WHICH: usize = 4;

/// Headers, in lower case, of columns that name what each row is about.
static NAMING: Words = list!(words "naming_headers");

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
    for row in &page.rows {
        let section = row.section.as_deref().map(tidy).filter(|section| !section.is_empty());
        // Below the heading of something else the rows are that one's.
        let own = section.as_deref().and_then(|section| Some((names.whole(section)?, section)));
        let of_page = thing.map(|thing| (thing.entity, thing.name.as_str()));
        let (about, which) = match own {
            Some(_) => (own, None),
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
                    && (is_of_form(predicate) || keys.contains(&fold(value))) => {}
            ([predicate, value], Some((entity, name))) if row.lists_properties() => {
                let predicate = match which {
                    Some(which) => format!("{which}, {predicate}"),
                    None => predicate.clone(),
                };
                found.extend(fact(name, &predicate, value, row.line).map(|fact| (entity, fact)));
            }
            ([first, values @ ..], about) => {
                let name = tidy(first);
                let told = row.header.iter().skip(1).zip(values);
                if let Some(entity) = names.whole(&name) {
                    let facts =
                        told.filter_map(|(header, value)| fact(&name, header, value, row.line));
                    found.extend(facts.map(|fact| (entity, fact)));
                } else if let Some((entity, thing)) = about.filter(|_| !names_things(row)) {
                    let facts = told.filter_map(|(header, value)| {
                        let predicate = format!("{}, {header}", cell_of(row, first)?);
                        let says = header.chars().any(char::is_alphanumeric);
                        says.then(|| fact(thing, &predicate, value, row.line)).flatten()
                    });
                    found.extend(facts.map(|fact| (entity, fact)));
                }
            }
            ([], _) => {}
        }
    }
    found
}

/// Whether the first column names things of their own: each row is about another one.
fn names_things(row: &Row) -> bool {
    row.header.first().is_some_and(|header| NAMING.contains(fold(header).as_str()))
}

/// Whether what a key stands for is for nobody else, whatever it looks like.
fn is_secret(key: &str) -> bool {
    const WORDS: [&str; 9] = [
        "password",
        "passwd",
        "passphrase",
        "passwort",
        "kennwort",
        "secret",
        "token",
        "credentials",
        "contrasena",
    ];
    let key = fold(key);
    let is_named = |own: &str| key.split(|char: char| !char.is_alphanumeric()).any(|it| it == own);
    WORDS.iter().any(|own| is_named(own))
        || ["login", "pin", "api key", "access key", "mot de passe"].iter().any(|own| key == *own)
}

/// Whether a key is one of a form's and says nothing by itself: `leader name2`, `GDP year`.
fn is_of_form(key: &str) -> bool {
    let last = key.rsplit(' ').next().unwrap_or_default();
    let counts = last.ends_with(|char: char| char.is_ascii_digit())
        && last.starts_with(|char: char| char.is_lowercase());
    counts && !last.starts_with("km") || key.ends_with(" year") && key.contains(' ')
}

/// Whether a heading says which of the page's things its rows are about.
fn tells_which(section: &str, thing: Option<&Thing>) -> bool {
    let key = fold(section);
    !tells_no_more(section)
        && section.split(' ').count() <= MAX_WHICH
        && thing.is_none_or(|thing| {
            !key.contains(&fold(&thing.name)) && !fold(&thing.name).contains(&key)
        })
}

/// The first cell of a row with its header before it: `Version 2.0`.
fn cell_of(row: &Row, first: &str) -> Option<String> {
    let says = |text: &str| text.chars().any(char::is_alphanumeric);
    let header = row.header.first().map(|header| header.trim()).unwrap_or_default();
    let plain = header.split(' ').count() <= 2 && says(header) && fold(header) != "name";
    says(first).then(|| if plain { format!("{header} {first}") } else { first.to_owned() })
}

/// `Name – predicate: value`.
fn fact(name: &str, predicate: &str, value: &str, line: usize) -> Option<Statement> {
    if is_secret(predicate) {
        return None;
    }
    let predicate = predicate.trim().trim_end_matches(':');
    let says = |text: &str| text.chars().any(char::is_alphanumeric) && text.len() <= MAX_VALUE;
    if !says(predicate) || !says(value) || words::is_pronoun(&predicate.to_lowercase()) {
        return None;
    }
    // Two names of the same say nothing.
    let says_more =
        fold(value) != fold(name) && !value.trim_end().ends_with(':') && fold(predicate) != "name";
    let text = shown(&format!("{name} – {predicate}: {value}"));
    (says_more && is_self_contained_of(&text, &token::tokens(&text), LEAST_WORDS))
        .then_some(Statement { text, line })
}
