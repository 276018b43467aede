//! JavaScript and TypeScript.

use tree_sitter::Node;

use super::{
    super::{head::Head, kind::ItemKind},
    grammar::{Definition, Grammar, Rule, Site, Source, Told, child, head_end, unquoted},
};

/// The rules of JavaScript and those that a dialect adds.
macro_rules! rules {
    ($($more:expr),* $(,)?) => {
        &[
            (Rule::Comment, "comment"),
            (Rule::Attribute, "decorator"),
            (Rule::Export, "export_statement"),
            (Rule::Wrap, "lexical_declaration variable_declaration expression_statement"),
            (Rule::Enter, "class_body"),
            (Rule::Tell(unnamed), "class arrow_function function_expression"),
            (Rule::Type(ItemKind::Class), "class_declaration"),
            (Rule::Item(ItemKind::Function), "function_declaration method_definition"),
            (Rule::Item(ItemKind::Function), "generator_function_declaration"),
            (Rule::Tell(variable), "variable_declarator"),
            (Rule::Tell(assignment), "assignment_expression"),
            (Rule::Tell(import), "import_statement"),
            (Rule::Tell(exported), "export_clause string identifier"),
            $($more),*
        ]
    };
}

macro_rules! typescript {
    ($language:expr) => {
        Grammar {
            language: || $language.into(),
            rules: rules![
                (Rule::Tell(field), "public_field_definition"),
                (Rule::Wrap, "ambient_declaration"),
                (Rule::Type(ItemKind::Class), "abstract_class_declaration"),
                (Rule::Type(ItemKind::Interface), "interface_declaration"),
                (Rule::Enter, "interface_body statement_block"),
                (Rule::Item(ItemKind::Function), "abstract_method_signature method_signature"),
                (Rule::Item(ItemKind::Function), "function_signature"),
                (Rule::Item(ItemKind::TypeAlias), "type_alias_declaration"),
                (Rule::Item(ItemKind::Enum), "enum_declaration"),
                (Rule::Type(ItemKind::Module), "internal_module module"),
            ],
            ..JAVASCRIPT
        }
    };
}

pub(super) const JAVASCRIPT: Grammar = Grammar {
    language: || tree_sitter_javascript::LANGUAGE.into(),
    rules: rules![(Rule::Tell(field), "field_definition")],
    head: Head {
        skip: &["'use strict'", "\"use strict\"", "'use client'", "\"use client\""],
        ..Head::SLASHES
    },
    doc_marks: &["//", "/*"],
    docstrings: false,
    is_public,
    is_test: |_| false,
};

pub(super) const TYPESCRIPT: Grammar = typescript!(tree_sitter_typescript::LANGUAGE_TYPESCRIPT);
pub(super) const TSX: Grammar = typescript!(tree_sitter_typescript::LANGUAGE_TSX);

fn is_public(site: &Site<'_, '_>) -> bool {
    let hidden = || {
        let modifier = child(site.node, "accessibility_modifier");
        site.name.starts_with('#') || modifier.is_some_and(|m| site.source.text(m) != "public")
    };
    match site.parent {
        Some((ItemKind::Class | ItemKind::Interface, public)) => public && !hidden(),
        _ => site.exported || is_export_target(site.source.field(site.node, "left")),
    }
}

fn is_export_target(left: &str) -> bool {
    left.starts_with("exports.") || left.starts_with("module.exports")
}

fn is_function(node: Node<'_>) -> bool {
    matches!(node.kind(), "arrow_function" | "function_expression" | "generator_function")
}

/// `const f = () => {}`, `const LIMIT = 3`, `const fs = require('fs')`.
fn variable(source: Source<'_>, node: Node<'_>, told: &mut Told) {
    let value = node.child_by_field_name("value");
    if let Some(module) = value.and_then(|value| required(source, value)) {
        told.imports.push(module);
        return;
    }
    let Some(name) = node.child_by_field_name("name").filter(|n| n.kind() == "identifier") else {
        return;
    };
    let name = source.text(name);
    match value {
        Some(value) if is_function(value) => told.items.push(function(name, node, value)),
        Some(value) if value.kind() == "class" => told.items.push(class(name, node, value)),
        _ => {
            let keyword = node.parent().map_or("", |statement| source.field(statement, "kind"));
            if keyword == "const" {
                told.items.push(Definition::of(ItemKind::Constant, name, node));
            }
        }
    }
}

/// `exports.f = function () {}`, `Pool.prototype.take = function () {}`, `module.exports = {a, b}`.
fn assignment(source: Source<'_>, node: Node<'_>, told: &mut Told) {
    let left = source.field(node, "left");
    let Some(value) = node.child_by_field_name("right") else { return };
    let (target, name) = left.rsplit_once('.').unwrap_or(("", left));
    if left == "module.exports" || left == "exports" {
        match value.kind() {
            "identifier" => told.exports.push(source.text(value).to_owned()),
            "object" => told.exports.extend(members(source, value)),
            _ => told.imports.extend(required(source, value)),
        }
        return;
    }
    let owner = target.strip_suffix(".prototype");
    if owner.is_none() && !is_export_target(left) {
        return;
    }
    if is_function(value) {
        let owner = owner.map(str::to_owned);
        told.items.push(Definition { owner, ..function(name, node, value) });
    } else if value.kind() == "class" {
        told.items.push(class(name, node, value));
    } else if value.kind() == "identifier" {
        told.exports.push(source.text(value).to_owned());
    }
}

fn members(source: Source<'_>, object: Node<'_>) -> Vec<String> {
    let name = |member: Node<'_>| match member.kind() {
        "shorthand_property_identifier" => Some(source.text(member).to_owned()),
        "pair" => Some(source.field(member, "value").to_owned()),
        _ => None,
    };
    object.named_children(&mut object.walk()).filter_map(name).collect()
}

/// A field that holds a function is a method.
fn field(source: Source<'_>, node: Node<'_>, told: &mut Told) {
    let name = [source.field(node, "name"), source.field(node, "property")].concat();
    if let Some(value) = node.child_by_field_name("value").filter(|value| is_function(*value)) {
        told.items.push(function(&name, node, value));
    }
}

fn function(name: &str, node: Node<'_>, value: Node<'_>) -> Definition {
    Definition { head_end: head_end(value), ..Definition::of(ItemKind::Function, name, node) }
}

fn class(name: &str, node: Node<'_>, value: Node<'_>) -> Definition {
    let whole = Definition::of(ItemKind::Class, name, node);
    Definition { head_end: head_end(value), ..whole.entered() }
}

/// `export default () => {}`, and the class in `const Pool = class {}`, which has a name already.
fn unnamed(_: Source<'_>, node: Node<'_>, told: &mut Told) {
    if node.parent().is_some_and(|parent| parent.kind() == "export_statement") {
        let is_class = node.kind() == "class";
        let kind = if is_class { ItemKind::Class } else { ItemKind::Function };
        told.items.push(Definition { enter: is_class, ..Definition::of(kind, "default", node) });
    }
}

fn import(source: Source<'_>, node: Node<'_>, told: &mut Told) {
    let clause = child(node, "import_require_clause");
    let named = [Some(node), clause].into_iter().flatten();
    told.imports.extend(named.map(|node| unquoted(source.field(node, "source")).to_owned()));
}

/// `export {a, b}`, `export * from './c'`, `export default d`.
fn exported(source: Source<'_>, node: Node<'_>, told: &mut Told) {
    let Some(statement) = node.parent().filter(|parent| parent.kind() == "export_statement") else {
        return;
    };
    match node.kind() {
        "string" => told.imports.push(unquoted(source.text(node)).to_owned()),
        "identifier" => told.exports.push(source.text(node).to_owned()),
        _ if statement.child_by_field_name("source").is_none() => {
            let mut cursor = node.walk();
            let names = node.named_children(&mut cursor).map(|one| source.field(one, "name"));
            told.exports.extend(names.map(str::to_owned));
        }
        _ => {}
    }
}

/// The module of `require('module')`, also where only a part of it is taken.
fn required(source: Source<'_>, value: Node<'_>) -> Option<String> {
    let call = match value.kind() {
        "member_expression" => value.child_by_field_name("object")?,
        _ => value,
    };
    if call.kind() != "call_expression" || source.field(call, "function") != "require" {
        return None;
    }
    let module = call.child_by_field_name("arguments")?.named_child(0)?;
    (module.kind() == "string").then(|| unquoted(source.text(module)).to_owned())
}
