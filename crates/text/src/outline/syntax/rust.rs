//! Rust.

use tree_sitter::Node;

use super::{
    super::{head::Head, kind::ItemKind},
    grammar::{Definition, Grammar, Rule, Site, Source, Told, child},
    macros,
};

pub(super) const GRAMMAR: Grammar = Grammar {
    language: || tree_sitter_rust::LANGUAGE.into(),
    rules: &[
        (Rule::Comment, "line_comment block_comment"),
        (Rule::Attribute, "attribute_item"),
        (Rule::Enter, "declaration_list foreign_mod_item"),
        (Rule::Wrap, "expression_statement"),
        (Rule::Type(ItemKind::Module), "mod_item"),
        (Rule::Type(ItemKind::Trait), "trait_item"),
        (Rule::Tell(implementation), "impl_item"),
        (Rule::Item(ItemKind::Function), "function_item function_signature_item"),
        (Rule::Item(ItemKind::Struct), "struct_item"),
        (Rule::Item(ItemKind::Enum), "enum_item"),
        (Rule::Item(ItemKind::Union), "union_item"),
        (Rule::Item(ItemKind::TypeAlias), "type_item"),
        (Rule::Item(ItemKind::Constant), "const_item static_item"),
        (Rule::Item(ItemKind::Macro), "macro_definition"),
        (Rule::Tell(macros::definitions), "macro_invocation"),
        (Rule::Tell(uses), "use_declaration"),
        (Rule::Import("name"), "extern_crate_declaration"),
    ],
    head: Head { inner: &["//!", "/*!"], outer: &["///", "/**"], skip: &["#!["], ..Head::SLASHES },
    doc_marks: &["///", "/**"],
    docstrings: false,
    is_public,
    is_test,
};

fn implementation(source: Source<'_>, node: Node<'_>, told: &mut Told) {
    let (of, on) = (source.field(node, "trait"), source.field(node, "type"));
    let not = if child(node, "!").is_some() { "!" } else { "" };
    let name = if of.is_empty() { on.to_owned() } else { format!("{not}{of} for {on}") };
    told.items.push(Definition::of(ItemKind::Impl, &name, node).entered());
}

fn is_public(site: &Site<'_, '_>) -> bool {
    let marked =
        |mark| site.attributes.iter().any(|attribute| site.source.text(*attribute).contains(mark));
    match site.kind {
        ItemKind::Macro => marked("macro_export"),
        ItemKind::Impl => false,
        _ => match site.parent {
            Some((ItemKind::Trait, public)) => public,
            _ => child(site.node, "visibility_modifier").is_some(),
        },
    }
}

fn is_test(site: &Site<'_, '_>) -> bool {
    let tells = |attribute: &Node<'_>| {
        let text = site.source.text(*attribute);
        let inner = text.trim_start_matches(['#', '[', ' ']).trim_end_matches([']', ' ']);
        let path = inner.split(['(', '=', ' ']).next().unwrap_or_default();
        match path {
            "cfg" => inner.contains("test") && !inner.contains("not(test"),
            "bench" | "rstest" => true,
            _ => path.rsplit("::").next() == Some("test") || path.ends_with("test_case"),
        }
    };
    let module = site.kind == ItemKind::Module && matches!(site.name, "test" | "tests");
    module || site.attributes.iter().any(tells)
}

/// Tells groups apart: `use a::{b, c as d, e::*}` refers to `a::b`, `a::c` and `a::e`.
fn uses(source: Source<'_>, node: Node<'_>, told: &mut Told) {
    let Some(argument) = node.child_by_field_name("argument") else { return };
    let mut left = vec![(String::new(), argument)];
    while let Some((prefix, node)) = left.pop() {
        if prefix.len() > super::caps::IMPORT {
            continue;
        }
        match node.kind() {
            "use_list" => {
                let start = left.len();
                left.extend(node.named_children(&mut node.walk()).map(|one| (prefix.clone(), one)));
                left[start..].reverse();
            }
            "scoped_use_list" => {
                let inner = joined(&prefix, source.field(node, "path"));
                left.extend(node.child_by_field_name("list").map(|list| (inner, list)));
            }
            "use_as_clause" => {
                left.extend(node.child_by_field_name("path").map(|path| (prefix, path)));
            }
            "use_wildcard" => {
                let path = node.named_child(0).map_or("", |path| source.text(path));
                told.imports.extend(from_file(&joined(&prefix, path), told.modules));
            }
            "self" => told.imports.extend(from_file(&prefix, told.modules)),
            "line_comment" | "block_comment" => {}
            _ => {
                let path = joined(&prefix, source.text(node));
                told.imports.extend(from_file(&path, told.modules));
            }
        }
    }
}

fn joined(prefix: &str, path: &str) -> String {
    let path: String = path.split_whitespace().collect();
    match (prefix, path.as_str()) {
        ("", _) => path,
        (_, "") => prefix.to_owned(),
        _ => format!("{prefix}::{path}"),
    }
}

/// The path as the file's own module sees it; `None` for what is in the file itself.
fn from_file(path: &str, modules: usize) -> Option<String> {
    let mut path = path;
    for _ in 0..modules {
        if path == "super" || path.starts_with("self::") {
            return None;
        }
        match path.strip_prefix("super::") {
            Some(rest) => path = rest,
            None => return Some(path.to_owned()),
        }
        if !path.starts_with("super") {
            return None;
        }
    }
    Some(path.to_owned())
}
