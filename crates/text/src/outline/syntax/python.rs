//! Python.

use tree_sitter::Node;

use super::{
    super::{head::Head, kind::ItemKind, prose},
    grammar::{Definition, Grammar, Rule, Site, Source, Told},
};

pub(super) const GRAMMAR: Grammar = Grammar {
    language: || tree_sitter_python::LANGUAGE.into(),
    rules: &[
        (Rule::Comment, "comment"),
        (Rule::Attribute, "decorator"),
        (Rule::Wrap, "decorated_definition expression_statement"),
        (Rule::Enter, "block if_statement elif_clause else_clause try_statement except_clause"),
        (Rule::Type(ItemKind::Class), "class_definition"),
        (Rule::Item(ItemKind::Function), "function_definition"),
        (Rule::Tell(constant), "assignment"),
        (Rule::Tell(alias), "type_alias_statement"),
        (Rule::Tell(import), "import_statement"),
        (Rule::Tell(import_from), "import_from_statement"),
        (Rule::Enter, "future_import_statement"),
    ],
    head: Head { docstring: Some(leading_docstring), ..Head::HASH },
    doc_marks: &["#"],
    docstrings: true,
    is_public: |site| !site.name.starts_with('_') && site.parent.is_none_or(|(_, public)| public),
    is_test,
};

fn is_test(site: &Site<'_, '_>) -> bool {
    match site.kind {
        ItemKind::Function | ItemKind::Method => site.name.starts_with("test_"),
        ItemKind::Class => {
            let bases = site.source.field(site.node, "superclasses");
            site.name.starts_with("Test") || bases.contains("TestCase")
        }
        _ => false,
    }
}

/// A name in capitals, at the top or in a class.
fn constant(source: Source<'_>, node: Node<'_>, told: &mut Told) {
    let name = source.field(node, "left");
    let capital = |byte: u8| byte.is_ascii_uppercase() || byte.is_ascii_digit() || byte == b'_';
    if name.bytes().all(capital) && name.bytes().any(|byte| byte.is_ascii_uppercase()) {
        told.items.push(Definition::of(ItemKind::Constant, name, node));
    }
}

fn alias(source: Source<'_>, node: Node<'_>, told: &mut Told) {
    let name = source.field(node, "left").split('[').next().unwrap_or_default();
    told.items.push(Definition::of(ItemKind::TypeAlias, name, node));
}

fn import(source: Source<'_>, node: Node<'_>, told: &mut Told) {
    told.imports.extend(names(source, node));
}

/// `from . import models` refers to `.models`, `from .models import User` to `.models`.
fn import_from(source: Source<'_>, node: Node<'_>, told: &mut Told) {
    let module = source.field(node, "module_name");
    if module.bytes().all(|byte| byte == b'.') && !module.is_empty() {
        let named = names(source, node);
        told.imports.extend(named.map(|name| format!("{module}{name}")));
    } else {
        told.imports.push(module.to_owned());
    }
}

/// What is imported, without the names it gets here.
fn names<'s>(source: Source<'s>, node: Node<'_>) -> impl Iterator<Item = String> + use<'s> {
    let nodes: Vec<_> = node.children_by_field_name("name", &mut node.walk()).collect();
    let texts: Vec<_> = nodes
        .into_iter()
        .map(|name| match name.child_by_field_name("name") {
            Some(inner) => source.text(inner).to_owned(),
            None => source.text(name).to_owned(),
        })
        .collect();
    texts.into_iter()
}

/// The string that opens the body.
pub(super) fn docstring(source: Source<'_>, node: Node<'_>) -> Option<String> {
    let body = node.child_by_field_name("body")?;
    let first = body.named_child(0).filter(|node| node.kind() == "expression_statement")?;
    let string = first.named_child(0).filter(|node| node.kind() == "string")?;
    leading_docstring(source.text(string))
}

/// The string that a text starts with, without quotes and indentation.
pub(super) fn leading_docstring(text: &str) -> Option<String> {
    let text = text.trim_start().trim_start_matches(['r', 'R', 'u', 'U']);
    let quote = ["\"\"\"", "'''", "\"", "'"].into_iter().find(|quote| text.starts_with(quote))?;
    let inner = &text[quote.len()..];
    let end = inner.find(quote)?;
    let doc = prose::dedented(&inner[..end]);
    (!doc.is_empty()).then_some(doc)
}
