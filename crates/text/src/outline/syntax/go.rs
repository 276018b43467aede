//! Go.

use tree_sitter::Node;

use super::{
    super::{head::Head, kind::ItemKind},
    grammar::{Definition, Grammar, Rule, Site, Source, Told, child, unquoted},
};

pub(super) const GRAMMAR: Grammar = Grammar {
    language: || tree_sitter_go::LANGUAGE.into(),
    rules: &[
        ("comment", Rule::Comment),
        ("type_declaration", Rule::Wrap),
        ("const_declaration", Rule::Wrap),
        ("var_declaration", Rule::Wrap),
        ("var_spec_list", Rule::Enter),
        ("interface_type", Rule::Enter),
        ("type_spec", Rule::Tell(type_spec)),
        ("type_alias", Rule::Item(ItemKind::TypeAlias)),
        ("const_spec", Rule::Tell(values)),
        ("var_spec", Rule::Tell(values)),
        ("function_declaration", Rule::Item(ItemKind::Function)),
        ("method_declaration", Rule::Tell(method)),
        ("method_elem", Rule::Item(ItemKind::Function)),
        ("import_declaration", Rule::Enter),
        ("import_spec_list", Rule::Enter),
        ("import_spec", Rule::Tell(import)),
    ],
    head: Head { line: "//", inner: &[], outer: &[], blocks: true, skip: &[], docstring: None },
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

fn import(source: Source<'_>, node: Node<'_>, told: &mut Told) {
    told.imports.push(unquoted(source.field(node, "path")).to_owned());
}
