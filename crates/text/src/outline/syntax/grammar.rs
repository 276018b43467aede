//! The form in which a language is told to the walker.

use std::ops::Range;

use tree_sitter::{Language, Node};

use super::super::{head::Head, kind::ItemKind};

/// A language.
pub(super) struct Grammar {
    pub(super) language: fn() -> Language,
    /// What to do with nodes of these kinds. Others are passed by, with all that is in them.
    pub(super) rules: &'static [(Rule, &'static str)],
    pub(super) head: Head,
    /// How a comment that documents what follows begins; others are not documentation.
    pub(super) doc_marks: &'static [&'static str],
    /// The documentation is the first string of the body.
    pub(super) docstrings: bool,
    pub(super) is_public: fn(&Site<'_, '_>) -> bool,
    /// Only asked where no enclosing item is a test.
    pub(super) is_test: fn(&Site<'_, '_>) -> bool,
}

/// What a node means.
#[derive(Clone, Copy)]
pub(super) enum Rule {
    /// What is in it belongs to where it stands.
    Enter,
    /// Like `Enter`; documentation and attributes before it are those of the item in it.
    Wrap,
    /// Like `Wrap`; the item in it is offered to others.
    Export,
    Comment,
    Attribute,
    /// An item with a field `name`; what is in it is passed by.
    Item(ItemKind),
    /// An item with a field `name`; what is in it belongs to it.
    Type(ItemKind),
    /// Imports what this field says.
    Import(&'static str),
    /// Told by a function.
    Tell(fn(Source<'_>, Node<'_>, &mut Told)),
}

/// An item told by a function.
pub(super) struct Definition {
    pub(super) kind: ItemKind,
    pub(super) name: String,
    pub(super) range: Range<usize>,
    /// Where its signature ends.
    pub(super) head_end: usize,
    /// What is in the node belongs to it.
    pub(super) enter: bool,
    /// In place of the comments before the node.
    pub(super) doc: Option<String>,
    /// In place of what the grammar says of the node.
    pub(super) public: Option<bool>,
    /// The name of the type that it belongs to, which stands anywhere in the file.
    pub(super) owner: Option<String>,
}

impl Grammar {
    /// Each kind of node with its rule.
    pub(super) fn kinds(&self) -> impl Iterator<Item = (&'static str, Rule)> {
        self.rules.iter().flat_map(|(rule, kinds)| kinds.split(' ').map(|kind| (kind, *rule)))
    }
}

impl Definition {
    /// The whole node, named so, and nothing in it.
    pub(super) fn of(kind: ItemKind, name: &str, node: Node<'_>) -> Self {
        let (range, head_end) = (node.byte_range(), head_end(node));
        let name = name.to_owned();
        Self { kind, name, range, head_end, enter: false, doc: None, public: None, owner: None }
    }

    /// What is in the node belongs to it.
    pub(super) fn entered(self) -> Self {
        Self { enter: true, ..self }
    }
}

/// What a function says of a node.
#[derive(Default)]
pub(super) struct Told {
    pub(super) items: Vec<Definition>,
    pub(super) imports: Vec<String>,
    /// Names of items of this file that are offered to others.
    pub(super) exports: Vec<String>,
    /// Given: how many inline modules the node is in.
    pub(super) modules: usize,
}

/// An item where it stands, to tell whether it is public or a test.
pub(super) struct Site<'s, 't> {
    pub(super) source: Source<'s>,
    pub(super) node: Node<'t>,
    pub(super) name: &'s str,
    pub(super) kind: ItemKind,
    /// Kind of the item that it belongs to, and whether that one is public.
    pub(super) parent: Option<(ItemKind, bool)>,
    pub(super) exported: bool,
    /// Attributes before it.
    pub(super) attributes: &'s [Node<'t>],
}

/// The text that a tree was made of.
#[derive(Clone, Copy)]
pub(super) struct Source<'s>(pub(super) &'s str);

impl<'s> Source<'s> {
    pub(super) fn text(self, node: Node<'_>) -> &'s str {
        self.slice(node.byte_range())
    }

    pub(super) fn slice(self, range: Range<usize>) -> &'s str {
        self.0.get(range).unwrap_or_default()
    }

    /// What a field of the node says, `""` if it has none.
    pub(super) fn field(self, node: Node<'_>, field: &str) -> &'s str {
        node.child_by_field_name(field).map_or("", |child| self.text(child))
    }
}

/// Where a signature ends: at the body, or at the end of what has none. A comment on the way to the
/// body is no part of it.
pub(super) fn head_end(node: Node<'_>) -> usize {
    let Some(body) = node.child_by_field_name("body") else { return node.end_byte() };
    // `struct Metres(f64);` has its fields for a body, and says little without them.
    if body.kind() == "ordered_field_declaration_list" {
        return node.end_byte();
    }
    let comment = body.prev_sibling().filter(|before| before.kind() == "comment");
    comment.map_or(body.start_byte(), |before| before.start_byte())
}

/// The first child of a kind.
pub(super) fn child<'t>(node: Node<'t>, kind: &str) -> Option<Node<'t>> {
    node.children(&mut node.walk()).find(|child| child.kind() == kind)
}

/// What is within the quotes of a string, or within `<` and `>`.
pub(super) fn unquoted(text: &str) -> &str {
    let text = text.trim();
    let inner = text.strip_prefix(['"', '\'', '`', '<']);
    inner.and_then(|rest| rest.strip_suffix(['"', '\'', '`', '>'])).unwrap_or(text)
}
