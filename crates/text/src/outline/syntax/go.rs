//! Go.

use tree_sitter::Node;

use super::{
    super::{head::Head, kind::ItemKind},
    grammar::{Definition, Grammar, Rule, Site, Source, Told, child},
};

pub(super) const GRAMMAR: Grammar = Grammar {
    language: || tree_sitter_go::LANGUAGE.into(),
    rules: &[
        (Rule::Comment, "comment"),
        (Rule::Wrap, "type_declaration const_declaration var_declaration"),
        (Rule::Enter, "var_spec_list interface_type import_declaration import_spec_list"),
        (Rule::Tell(type_spec), "type_spec"),
        (Rule::Item(ItemKind::TypeAlias), "type_alias"),
        (Rule::Tell(values), "const_spec var_spec"),
        (Rule::Item(ItemKind::Function), "function_declaration method_elem"),
        (Rule::Tell(method), "method_declaration"),
        (Rule::Import("path"), "import_spec"),
    ],
    head: Head::SLASHES,
    doc_marks: &["//", "/*"],
    docstrings: false,
    is_public: |site| site.name.starts_with(char::is_uppercase),
    is_test,
};

fn is_test(site: &Site<'_, '_>) -> bool {
    let tells = |prefix| {
        let rest = site.name.strip_prefix(prefix);
        rest.is_some_and(|rest: &str| !rest.starts_with(char::is_lowercase))
    };
    site.kind == ItemKind::Function && ["Test", "Benchmark", "Example", "Fuzz"].iter().any(tells)
}

fn type_spec(source: Source<'_>, node: Node<'_>, told: &mut Told) {
    let Some(of) = node.child_by_field_name("type") else { return };
    let (kind, body) = match of.kind() {
        "struct_type" => (ItemKind::Struct, child(of, "field_declaration_list")),
        "interface_type" => (ItemKind::Interface, child(of, "{")),
        _ => (ItemKind::TypeAlias, None),
    };
    let head_end = body.map_or(node.end_byte(), |body| body.start_byte());
    let whole = Definition::of(kind, source.field(node, "name"), node);
    told.items.push(Definition { head_end, enter: kind == ItemKind::Interface, ..whole });
}

fn values(source: Source<'_>, node: Node<'_>, told: &mut Told) {
    for name in node.children_by_field_name("name", &mut node.walk()) {
        // Commas are in this field too; `_` only has a type checked.
        let text = source.text(name);
        if name.is_named() && text != "_" {
            told.items.push(Definition::of(ItemKind::Constant, text, node));
        }
    }
}

/// The receiver of `func (c *Client[T]) Do()` belongs to `Client`.
fn method(source: Source<'_>, node: Node<'_>, told: &mut Told) {
    let receiver = source.field(node, "receiver").trim_matches(['(', ')', ' ']);
    let of = receiver.split('[').next().unwrap_or_default();
    let of = of.rsplit([' ', '*', '\t']).next().unwrap_or_default();
    let whole = Definition::of(ItemKind::Method, source.field(node, "name"), node);
    told.items.push(Definition { owner: Some(of.to_owned()), ..whole });
}
