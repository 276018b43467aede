//! C.

use tree_sitter::Node;

use super::{
    super::{head::Head, kind::ItemKind},
    grammar::{Definition, Grammar, Rule, Source, Told},
};

/// How deep a declarator may nest: `int *(*(*f)(void))[3]` is five.
const DECLARATOR_DEPTH: usize = 30;

pub(super) const GRAMMAR: Grammar = Grammar {
    language: || tree_sitter_c::LANGUAGE.into(),
    rules: &[
        (Rule::Comment, "comment"),
        (Rule::Enter, "preproc_if preproc_ifdef preproc_else preproc_elif"),
        (Rule::Enter, "linkage_specification declaration_list"),
        (Rule::Tell(function), "function_definition"),
        (Rule::Tell(declaration), "declaration"),
        (Rule::Tell(type_definition), "type_definition"),
        (Rule::Tell(specifier), "struct_specifier union_specifier enum_specifier"),
        (Rule::Tell(constant), "preproc_def"),
        (Rule::Item(ItemKind::Macro), "preproc_function_def"),
        (Rule::Import("path"), "preproc_include"),
    ],
    head: Head { skip: &["#"], ..Head::SLASHES },
    doc_marks: &["//", "/*"],
    docstrings: false,
    is_public: |site| !has(site.source, site.node, "storage_class_specifier", "static"),
    is_test: |_| false,
};

fn has(source: Source<'_>, node: Node<'_>, kind: &str, text: &str) -> bool {
    node.children(&mut node.walk()).any(|c| c.kind() == kind && source.text(c) == text)
}

fn function(source: Source<'_>, node: Node<'_>, told: &mut Told) {
    if let Some((name, _)) = declared(source, node) {
        told.items.push(Definition::of(ItemKind::Function, name, node));
    }
}

/// A prototype, a constant, or a type with a variable behind it.
fn declaration(source: Source<'_>, node: Node<'_>, told: &mut Told) {
    if let Some(of) = node.child_by_field_name("type") {
        specifier(source, of, told);
    }
    match declared(source, node) {
        Some((name, true)) => told.items.push(Definition::of(ItemKind::Function, name, node)),
        Some((name, false)) if has(source, node, "type_qualifier", "const") => {
            told.items.push(Definition::of(ItemKind::Constant, name, node));
        }
        _ => {}
    }
}

/// `typedef struct {..} name;` is the struct, `typedef int name;` another name.
fn type_definition(source: Source<'_>, node: Node<'_>, told: &mut Told) {
    let Some((name, _)) = declared(source, node) else { return };
    let of = node.child_by_field_name("type");
    let body = of.and_then(|of| of.child_by_field_name("body"));
    let kind = match (of, body) {
        (Some(of), Some(_)) => kind_of(of),
        _ => ItemKind::TypeAlias,
    };
    let head_end = body.map_or(node.end_byte(), |body| body.start_byte());
    told.items.push(Definition { head_end, ..Definition::of(kind, name, node) });
}

fn specifier(source: Source<'_>, node: Node<'_>, told: &mut Told) {
    let is_type = matches!(node.kind(), "struct_specifier" | "union_specifier" | "enum_specifier");
    if is_type && node.child_by_field_name("body").is_some() {
        told.items.push(Definition::of(kind_of(node), source.field(node, "name"), node));
    }
}

fn kind_of(specifier: Node<'_>) -> ItemKind {
    match specifier.kind() {
        "union_specifier" => ItemKind::Union,
        "enum_specifier" => ItemKind::Enum,
        _ => ItemKind::Struct,
    }
}

/// An include guard has no value and tells nothing.
fn constant(source: Source<'_>, node: Node<'_>, told: &mut Told) {
    if node.child_by_field_name("value").is_some() {
        let name = source.field(node, "name");
        told.items.push(Definition::of(ItemKind::Constant, name, node));
    }
}

/// The name that a declaration declares, and whether it is a function's.
fn declared<'s>(source: Source<'s>, node: Node<'_>) -> Option<(&'s str, bool)> {
    let mut declarator = node.child_by_field_name("declarator")?;
    let mut function = false;
    for _ in 0..DECLARATOR_DEPTH {
        match declarator.kind() {
            "identifier" | "type_identifier" | "field_identifier" | "primitive_type" => {
                return Some((source.text(declarator), function));
            }
            "function_declarator" => function = true,
            // `(*f)(void)` is a variable.
            "pointer_declarator" if function => function = false,
            _ => {}
        }
        let inner = declarator.child_by_field_name("declarator");
        declarator = inner.or_else(|| declarator.named_child(0))?;
    }
    None
}
