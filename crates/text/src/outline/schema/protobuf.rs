//! Protocol Buffers: messages, enums and services with what is in them.

use super::{
    super::{
        draft::{Draft, Found},
        kind::ItemKind,
    },
    token::{Style, TokenKind, Tokens},
};

const STYLE: Style = Style {
    line_comments: &["//"],
    block_comments: true,
    quotes: &[("\"", "\""), ("'", "'")],
    dollars: false,
    escapes: true,
};

/// Braces that are open.
#[derive(Clone, Copy)]
enum Within {
    /// A message, an enum, a service, or a `oneof` of a message: fields belong to this item.
    Item(Option<usize>),
    /// Options: nothing in them is defined.
    Options,
}

pub(in super::super) fn read(draft: &mut Draft<'_>) {
    let tokens = Tokens::read(draft, STYLE);
    super::purpose(draft, "//", &["syntax", "package", "import", "option", "edition"]);
    let mut open: Vec<Within> = Vec::new();
    let mut at = 0;
    while at < tokens.list.len() && !draft.is_full() {
        if tokens.is(at, "}") {
            open.pop();
            at += 1;
            continue;
        }
        let mut end = at;
        while end < tokens.list.len() && ![";", "{", "}"].iter().any(|mark| tokens.is(end, mark)) {
            let group = tokens.is(end, "[") || tokens.is(end, "(");
            end = if group { tokens.behind_group(end) } else { end + 1 };
        }
        let within = open.last().copied();
        let inner = match within {
            Some(Within::Options) => Within::Options,
            Some(Within::Item(parent)) => statement(draft, &tokens, at..end, parent, true),
            None => statement(draft, &tokens, at..end, None, false),
        };
        if tokens.is(end, "{") {
            open.push(inner);
        }
        at = if tokens.is(end, "}") { end } else { end + 1 };
    }
}

/// Reads one statement up to its mark; says what braces behind it hold.
fn statement(
    draft: &mut Draft<'_>,
    tokens: &Tokens<'_>,
    within: std::ops::Range<usize>,
    parent: Option<usize>,
    in_item: bool,
) -> Within {
    let (first, end) = (within.start, within.end);
    let word = tokens.get(first).map_or("", |token| token.text);
    let named = tokens.get(first + 1).filter(|token| token.kind == TokenKind::Word);
    let braces = tokens.is(end, "{");
    let kind = match word {
        "message" if braces => ItemKind::Message,
        "enum" if braces => ItemKind::Enum,
        "service" if braces => ItemKind::Service,
        "rpc" => ItemKind::Operation,
        "oneof" | "extend" if braces => return Within::Item(parent),
        "import" => {
            let path = tokens.list[first..end.min(tokens.list.len())].last();
            draft.import(path.map_or("", |path| path.text.trim_matches(['"', '\''])));
            return Within::Options;
        }
        "option" | "reserved" | "extensions" | "syntax" | "package" | "edition" => {
            return Within::Options;
        }
        _ if in_item && !braces => ItemKind::Field,
        _ => return Within::Options,
    };
    let is_field = kind == ItemKind::Field;
    let name = if is_field {
        // The name stands before the number.
        let equals = (first..end).find(|at| tokens.is(*at, "="));
        equals.and_then(|at| at.checked_sub(1)).and_then(|at| tokens.get(at))
    } else {
        named
    };
    let Some(name) = name.filter(|name| name.kind == TokenKind::Word) else {
        return Within::Options;
    };
    let start = tokens.start(first);
    let head = tokens.list[first..end].last().map_or(start, |last| last.end());
    let behind = tokens.get(end).filter(|_| braces).map(|_| tokens.behind_group(end) - 1);
    let last = behind.map_or(head, |last| {
        tokens.list[..=last.min(tokens.list.len() - 1)].last().map_or(head, |last| last.end())
    });
    let options = (first..end).find(|at| is_field && tokens.is(*at, "["));
    let signature = draft.slice(start..options.map_or(head, |at| tokens.start(at)));
    let doc = tokens.doc(first, end);
    let number = draft.add(Found {
        parent,
        signature,
        doc: &doc,
        ..Found::new(kind, name.text, start..last)
    });
    if matches!(kind, ItemKind::Operation) { Within::Options } else { Within::Item(number) }
}
