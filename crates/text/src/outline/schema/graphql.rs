//! GraphQL: types with their fields; the fields of the root types are operations.

use std::ops::Range;

use super::{
    super::{
        draft::{Draft, Found},
        kind::ItemKind,
    },
    token::{Style, Token, TokenKind, Tokens},
};

const STYLE: Style = Style {
    line_comments: &["#"],
    block_comments: false,
    quotes: &[("\"\"\"", "\"\"\""), ("\"", "\"")],
    dollars: false,
    escapes: true,
};

pub(in super::super) fn read(draft: &mut Draft<'_>) {
    let tokens = Tokens::read(draft, STYLE);
    super::purpose(draft, "#", &[]);
    let mut said = None;
    let mut at = 0;
    while let Some(token) = tokens.get(at) {
        if token.kind == TokenKind::Quoted {
            said = Some(at);
            at += 1;
            continue;
        }
        at = definition(draft, &tokens, at, said.take());
    }
}

/// Returns the token behind the definition.
fn definition(
    draft: &mut Draft<'_>,
    tokens: &Tokens<'_>,
    first: usize,
    said: Option<usize>,
) -> usize {
    let extended = usize::from(tokens.is(first, "extend"));
    let keyword = first + extended;
    let kind = match tokens.get(keyword).map(|token| token.text) {
        Some("type" | "input") => ItemKind::Struct,
        Some("enum") => ItemKind::Enum,
        Some("interface") => ItemKind::Interface,
        Some("union") => ItemKind::Union,
        Some("scalar") => ItemKind::TypeAlias,
        Some("directive") => ItemKind::Macro,
        Some("query" | "mutation" | "subscription" | "fragment") => ItemKind::Operation,
        _ => return tokens.behind_group(first).max(first + 1),
    };
    let at = keyword + 1 + usize::from(tokens.is(keyword + 1, "@"));
    let Some(name) = tokens.get(at).filter(|token| token.kind == TokenKind::Word) else {
        return at;
    };
    // Up to the body, or to where the next definition starts.
    let mut end = at + 1;
    while let Some(token) = tokens.get(end)
        && !tokens.is(end, "{")
        && !(token.kind == TokenKind::Quoted || starts_definition(tokens, end))
    {
        end = tokens.behind_group(end).max(end + 1);
    }
    let body = tokens.get(end).filter(|_| tokens.is(end, "{"));
    let close = body.map(|body| body.partner.unwrap_or(tokens.list.len()));
    let last = close.unwrap_or(end - 1).min(tokens.list.len() - 1);
    let start = tokens.start(first);
    let signature = draft.slice(start..tokens.list[end - 1].end());
    let doc = doc(tokens, said, first..end - 1);
    let number = draft.add(Found {
        signature,
        doc: &doc,
        ..Found::new(kind, name.text, start..tokens.list[last].end())
    });
    let Some(close) = close else { return end };
    if kind != ItemKind::Operation {
        let root = matches!(name.text, "Query" | "Mutation" | "Subscription");
        let field = if root { ItemKind::Operation } else { ItemKind::Field };
        fields(draft, tokens, end + 1..close, (field, kind == ItemKind::Enum, number));
    }
    close + 1
}

fn starts_definition(tokens: &Tokens<'_>, at: usize) -> bool {
    const WORDS: &[&str] =
        &["type", "input", "enum", "interface", "union", "scalar", "directive", "extend", "schema"];
    let behind = at.checked_sub(1).and_then(|before| tokens.get(before));
    let in_list = behind.is_some_and(|before| matches!(before.text, "|" | "=" | "&" | ":" | "on"));
    !in_list && tokens.get(at).is_some_and(|token| WORDS.contains(&token.text))
}

fn fields(
    draft: &mut Draft<'_>,
    tokens: &Tokens<'_>,
    within: Range<usize>,
    (kind, is_enum, parent): (ItemKind, bool, Option<usize>),
) {
    let mut said = None;
    let mut at = within.start;
    while at < within.end && !draft.is_full() {
        let Some(token) = tokens.get(at) else { return };
        let first = at;
        if token.kind == TokenKind::Quoted {
            said = Some(at);
            at += 1;
            continue;
        }
        if token.kind != TokenKind::Word {
            // A directive has a name and may have arguments.
            let directive = usize::from(token.text == "@");
            at = tokens.behind_group(at + directive).max(at + 1 + directive);
            at = if directive == 1 { tokens.behind_group(at) } else { at };
            continue;
        }
        at += 1;
        if !is_enum {
            at = tokens.behind_group(at);
            at = behind_type(tokens, at);
        }
        let last = at.min(within.end) - 1;
        let range = token.start..tokens.list.get(last).map_or(token.end(), Token::end);
        let doc = doc(tokens, said.take(), first..last);
        draft.add(Found {
            parent,
            signature: draft.slice(range.clone()),
            doc: &doc,
            ..Found::new(kind, token.text, range)
        });
        // A default value.
        if tokens.is(at, "=") {
            at = tokens.behind_group(at + 1).max(at + 2);
        }
    }
}

/// Behind `: [Type!]!`.
fn behind_type(tokens: &Tokens<'_>, at: usize) -> usize {
    if !tokens.is(at, ":") {
        return at;
    }
    let mut at = at + 1;
    at = if tokens.is(at, "[") { tokens.behind_group(at) } else { at + 1 };
    at + usize::from(tokens.is(at, "!"))
}

/// The description, else the comments.
fn doc(tokens: &Tokens<'_>, said: Option<usize>, of: Range<usize>) -> String {
    match said.and_then(|said| tokens.get(said)) {
        Some(said) => super::super::prose::dedented(said.text.trim_matches('"')),
        None => tokens.doc(of.start, of.end),
    }
}
