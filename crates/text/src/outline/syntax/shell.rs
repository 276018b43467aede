//! Shell.

use tree_sitter::Node;

use super::{
    super::{head::Head, kind::ItemKind},
    grammar::{Definition, Grammar, Rule, Source, Told, unquoted},
};

pub(super) const GRAMMAR: Grammar = Grammar {
    language: || tree_sitter_bash::LANGUAGE.into(),
    rules: &[
        (Rule::Comment, "comment"),
        (Rule::Enter, "if_statement elif_clause else_clause list"),
        (Rule::Wrap, "declaration_command"),
        (Rule::Item(ItemKind::Function), "function_definition"),
        (Rule::Tell(constant), "variable_assignment"),
        (Rule::Tell(sourced), "command"),
    ],
    head: Head { skip: &["set -", "set +"], ..Head::HASH },
    doc_marks: &["#"],
    docstrings: false,
    is_public: |site| !site.name.starts_with('_'),
    is_test: |site| site.kind == ItemKind::Function && site.name.starts_with("test_"),
};

/// A name in capitals.
fn constant(source: Source<'_>, node: Node<'_>, told: &mut Told) {
    let name = source.field(node, "name");
    let capital = |byte: u8| byte.is_ascii_uppercase() || byte.is_ascii_digit() || byte == b'_';
    if name.bytes().all(capital) {
        told.items.push(Definition::of(ItemKind::Constant, name, node));
    }
}

/// `source lib.sh` and `. lib.sh`.
fn sourced(source: Source<'_>, node: Node<'_>, told: &mut Told) {
    if matches!(source.field(node, "name"), "source" | ".") {
        told.imports.push(unquoted(source.field(node, "argument")).to_owned());
    }
}
