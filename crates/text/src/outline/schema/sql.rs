//! SQL: what `CREATE` statements define.

use super::{
    super::{
        draft::{Draft, Found},
        kind::ItemKind,
        prose,
    },
    token::{Style, TokenKind, Tokens},
};

const STYLE: Style = Style {
    line_comments: &["--"],
    block_comments: true,
    quotes: &[("'", "'"), ("\"", "\""), ("`", "`")],
    dollars: true,
    escapes: false,
};
/// Words between `CREATE` and what is created.
const BETWEEN: &[&str] = &[
    "or", "replace", "temp", "temporary", "unlogged", "global", "local", "external", "foreign",
    "unique", "materialized", "recursive", "virtual", "clustered", "definer", "constraint",
];
/// How a line of a table starts that is no column.
const NO_COLUMN: &[&str] = &[
    "primary", "foreign", "unique", "constraint", "check", "key", "index", "exclude", "like",
    "fulltext", "spatial", "period",
];

pub(in super::super) fn read(draft: &mut Draft<'_>) {
    let tokens = Tokens::read(draft, STYLE);
    super::purpose(draft, "--", &[]);
    let mut at = 0;
    while at < tokens.list.len() {
        let mut end = at;
        while end < tokens.list.len() && !tokens.is(end, ";") {
            end = tokens.behind_group(end).max(end + 1);
        }
        statement(draft, &tokens, at, end.min(tokens.list.len()));
        at = end + 1;
    }
}

/// Reads the tokens from the first up to that of the semicolon.
fn statement(draft: &mut Draft<'_>, tokens: &Tokens<'_>, first: usize, end: usize) {
    if tokens.is(first, "comment") && tokens.is(first + 1, "on") {
        return comment_on(draft, tokens, first + 2, end);
    }
    if !tokens.is(first, "create") {
        return;
    }
    let mut at = first + 1;
    while BETWEEN.iter().any(|word| tokens.is(at, word)) {
        at += 1;
    }
    let kind = match tokens.get(at).map(|token| token.text.to_lowercase()).as_deref() {
        Some("table" | "view") => ItemKind::Table,
        Some("index") => ItemKind::Key,
        Some("function" | "procedure" | "trigger") => ItemKind::Function,
        Some("type" | "domain") => ItemKind::TypeAlias,
        Some("schema" | "database") => ItemKind::Module,
        _ => return,
    };
    at += 1;
    while ["if", "not", "exists", "concurrently"].iter().any(|word| tokens.is(at, word)) {
        at += 1;
    }
    let (name, behind) = name(draft, tokens, at);
    let body = (behind..end).find(|at| tokens.is(*at, "as"));
    let group = (behind..body.unwrap_or(end)).find(|at| tokens.is(*at, "("));
    let of_table = kind == ItemKind::Table && group.is_some();
    let head_end = match group {
        Some(group) if of_table => tokens.start(group),
        // What a function does is no part of its signature; what a view shows is.
        _ => match body.filter(|_| kind == ItemKind::Function) {
            Some(body) => tokens.start(body),
            None => tokens.list[..end].last().map_or(0, |last| last.end()),
        },
    };
    let start = tokens.start(first);
    let range = start..tokens.list[..end].last().map_or(start, |last| last.end());
    let table = (kind == ItemKind::Key).then(|| indexed(draft, tokens, behind, end)).flatten();
    let number = draft.add(Found {
        parent: table,
        signature: draft.slice(start..head_end.max(start)),
        doc: &tokens.doc(first, end),
        ..Found::new(kind, &name, range)
    });
    if let Some(group) = group.filter(|_| of_table) {
        let close = tokens.list.get(group).and_then(|open| open.partner).unwrap_or(end);
        columns(draft, tokens, group + 1..close.min(end), number);
    }
}

/// A name of several parts, without quotes, and the token behind it.
fn name(draft: &Draft<'_>, tokens: &Tokens<'_>, at: usize) -> (String, usize) {
    let mut end = at;
    while let Some(token) = tokens.get(end)
        && (token.is_name() || matches!(token.text, "[" | "]"))
        && (end == at || tokens.list[end - 1].end() == token.start)
    {
        end += 1;
    }
    let range = tokens.start(at)..end.checked_sub(1).map_or(0, |last| tokens.list[last].end());
    let text = if end > at { draft.slice(range) } else { "" };
    (text.replace(['"', '`', '[', ']'], ""), end)
}

/// The table of `INDEX .. ON table`.
fn indexed(draft: &mut Draft<'_>, tokens: &Tokens<'_>, at: usize, end: usize) -> Option<usize> {
    let on = (at..end).find(|at| tokens.is(*at, "on"))?;
    let only = usize::from(tokens.is(on + 1, "only"));
    let (table, _) = name(draft, tokens, on + 1 + only);
    table_named(draft, &table)
}

fn table_named(draft: &mut Draft<'_>, name: &str) -> Option<usize> {
    let named = |item: &super::super::Item| item.kind == ItemKind::Table && item.name == name;
    draft.items().iter().position(named)
}

fn columns(
    draft: &mut Draft<'_>,
    tokens: &Tokens<'_>,
    within: std::ops::Range<usize>,
    table: Option<usize>,
) {
    let mut at = within.start;
    while at < within.end && !draft.is_full() {
        let mut end = at;
        while end < within.end && !tokens.is(end, ",") {
            end = tokens.behind_group(end).max(end + 1);
        }
        let end_of = end.min(within.end);
        if end_of > at && !NO_COLUMN.iter().any(|word| tokens.is(at, word)) {
            column(draft, tokens, at, end_of, table);
        }
        at = end + 1;
    }
}

fn column(
    draft: &mut Draft<'_>,
    tokens: &Tokens<'_>,
    first: usize,
    end: usize,
    table: Option<usize>,
) {
    let Some(name) = tokens.get(first).filter(|token| token.is_name()) else { return };
    let range = name.start..tokens.list[end - 1].end();
    // The comment behind the comma is the column's, as is MySQL's clause.
    let mut doc = tokens.doc(first, end);
    if doc.is_empty() {
        doc = tokens.doc(first, end - 1);
    }
    if let Some(at) = (first..end).find(|at| tokens.is(*at, "comment"))
        && let Some(said) = tokens.get(at + 1).filter(|token| token.kind == TokenKind::Quoted)
    {
        doc = unquoted(said.text);
    }
    // A comment within it would be in the way.
    let words = tokens.list[first..end].iter().map(|token| (token.start, token.end(), token.text));
    let mut signature = String::new();
    let mut last = name.start;
    for (start, end, text) in words {
        signature.push_str(if start > last { " " } else { "" });
        signature.push_str(text);
        last = end;
    }
    draft.add(Found {
        parent: table,
        signature: &signature,
        doc: &doc,
        ..Found::new(ItemKind::Column, &name.text.replace(['"', '`'], ""), range)
    });
}

/// `COMMENT ON TABLE name IS '..'` and `COMMENT ON COLUMN table.name IS '..'`.
fn comment_on(draft: &mut Draft<'_>, tokens: &Tokens<'_>, at: usize, end: usize) {
    let column = tokens.is(at, "column");
    let (name, behind) = name(draft, tokens, at + 1);
    let Some(said) = tokens.list[..end].get(behind + 1) else { return };
    if !tokens.is(behind, "is") || said.kind != TokenKind::Quoted {
        return;
    }
    let said = unquoted(said.text);
    let doc = prose::head(&said, super::super::caps::DOC).to_owned();
    let number = if column {
        let Some((table, column)) = name.rsplit_once('.') else { return };
        let table = table_named(draft, table);
        let named = |item: &super::super::Item| {
            item.kind == ItemKind::Column && item.parent == table && item.name == column
        };
        table.and_then(|_| draft.items().iter().position(named))
    } else {
        draft.items().iter().position(|item| item.name == name)
    };
    if let Some(item) = number.and_then(|number| draft.items().get_mut(number)) {
        item.doc = doc;
    }
}

fn unquoted(text: &str) -> String {
    let inner = text.strip_prefix('\'').and_then(|rest| rest.strip_suffix('\''));
    inner.unwrap_or(text).replace("''", "'")
}
