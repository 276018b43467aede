//! What the rows of tables state: a column's header, or a first cell, is the predicate.

use super::form::is_self_contained;
use super::shown;
use crate::extract::Statement;
use crate::extract::fold::fold;
use crate::extract::name::tidy;
use crate::extract::page::{Kind, Page, Row};
use crate::extract::subject::Names;
use crate::extract::token;
use crate::extract::words;

/// Most bytes of a cell that is a value.
const MAX_VALUE: usize = 200;

/// The facts of all tables: those of two columns, which list what is so of the page's own thing,
/// and those whose first column names what each row is about.
pub(super) fn collect(
    page: &Page,
    topic: &str,
    title: Option<&str>,
    names: &Names,
) -> Vec<(usize, Statement)> {
    let heading = page.blocks.iter().find(|block| matches!(block.kind, Kind::Heading(1)));
    let titles = title.into_iter().chain(page.title.as_deref());
    let titles: Vec<&str> = titles.chain(heading.map(|block| block.text.as_str())).collect();
    // A page that has a title is about what that says, whatever was asked for.
    let titles = if titles.is_empty() { vec![topic] } else { titles };
    let part = |title: &str| title.split(['|', '–', '—', ':', '·']).next().map(tidy);
    let of_page = titles
        .into_iter()
        .flat_map(|title| std::iter::once(tidy(title)).chain(part(title)))
        .find_map(|name| names.whole(&name).map(|entity| (entity, name)));
    let mut found = Vec::new();
    for row in &page.rows {
        match (row.cells.as_slice(), &of_page) {
            ([predicate, value], Some((entity, name))) if lists_properties(row) => {
                found.extend(fact(name, predicate, value, row.line).map(|fact| (*entity, fact)));
            }
            ([first, values @ ..], _) => {
                let name = tidy(first);
                let Some(entity) = names.whole(&name) else { continue };
                let told = row.header.iter().skip(1).zip(values);
                found.extend(
                    told.filter_map(|(header, value)| fact(&name, header, value, row.line))
                        .map(|fact| (entity, fact)),
                );
            }
            ([], _) => {}
        }
    }
    found
}

/// Whether a table of two columns says what the first one is of, or only that it is a property.
fn lists_properties(row: &Row) -> bool {
    let header = row.header.first().map(|header| fold(header)).unwrap_or_default();
    header.is_empty()
        || matches!(
            header.as_str(),
            "property"
                | "specification"
                | "attribute"
                | "parameter"
                | "field"
                | "key"
                | "item"
                | "feature"
                | "characteristic"
                | "detail"
                | "fact"
        )
}

/// `Name – predicate: value`.
fn fact(name: &str, predicate: &str, value: &str, line: usize) -> Option<Statement> {
    let predicate = predicate.trim().trim_end_matches(':');
    let says = |text: &str| text.chars().any(char::is_alphanumeric) && text.len() <= MAX_VALUE;
    if !says(predicate) || !says(value) || words::is_pronoun(&predicate.to_lowercase()) {
        return None;
    }
    // Two names of the same say nothing.
    let says_more = fold(value) != fold(name);
    let text = shown(&format!("{name} – {predicate}: {value}"));
    (says_more && is_self_contained(&text, &token::tokens(&text)))
        .then_some(Statement { text, line })
}
