//! Java.

use tree_sitter::Node;

use super::{
    super::{head::Head, kind::ItemKind},
    grammar::{Definition, Grammar, Rule, Site, Source, Told, child},
};

pub(super) const GRAMMAR: Grammar = Grammar {
    language: || tree_sitter_java::LANGUAGE.into(),
    rules: &[
        (Rule::Comment, "line_comment block_comment"),
        (Rule::Enter, "class_body interface_body annotation_type_body"),
        (Rule::Enter, "enum_body enum_body_declarations"),
        (Rule::Type(ItemKind::Class), "class_declaration record_declaration"),
        (Rule::Type(ItemKind::Interface), "interface_declaration annotation_type_declaration"),
        (Rule::Type(ItemKind::Enum), "enum_declaration"),
        (Rule::Item(ItemKind::Method), "method_declaration constructor_declaration"),
        (Rule::Item(ItemKind::Method), "compact_constructor_declaration"),
        (Rule::Tell(constant), "field_declaration constant_declaration"),
        (Rule::Item(ItemKind::Module), "module_declaration"),
        (Rule::Tell(import), "import_declaration"),
    ],
    head: Head { skip: &["package ", "import "], ..Head::SLASHES },
    doc_marks: &["/**"],
    docstrings: false,
    is_public,
    is_test,
};

fn modifiers<'s>(source: Source<'s>, node: Node<'_>) -> &'s str {
    child(node, "modifiers").map_or("", |modifiers| source.text(modifiers))
}

fn is_public(site: &Site<'_, '_>) -> bool {
    let says = |word| modifiers(site.source, site.node).split_whitespace().any(|m| m == word);
    // What an interface has is public unless it says otherwise.
    let of_interface = matches!(site.parent, Some((ItemKind::Interface, true)));
    says("public") || of_interface && !says("private") || site.node.kind() == "module_declaration"
}

fn is_test(site: &Site<'_, '_>) -> bool {
    let annotated = || {
        let marks = ["@Test", "@ParameterizedTest", "@RepeatedTest"];
        let mut words = modifiers(site.source, site.node).split([' ', '\n', '\t', '\r', '(']);
        words.any(|word| marks.contains(&word))
    };
    let named = || site.name.ends_with("Test") || site.name.ends_with("Tests");
    if site.kind == ItemKind::Class { named() } else { annotated() }
}

/// A field that never changes; what an interface declares never does.
fn constant(source: Source<'_>, node: Node<'_>, told: &mut Told) {
    let modifiers = modifiers(source, node);
    let fixed = modifiers.contains("static") && modifiers.contains("final");
    if !fixed && node.kind() != "constant_declaration" {
        return;
    }
    if let Some(declarator) = node.child_by_field_name("declarator") {
        let name = source.field(declarator, "name");
        told.items.push(Definition::of(ItemKind::Constant, name, node));
    }
}

/// `import static a.B.c;` refers to `a.B.c`, `import a.b.*;` to `a.b`.
fn import(source: Source<'_>, node: Node<'_>, told: &mut Told) {
    let text =
        source.text(node).trim_start_matches("import").trim_end_matches([';', ' ', '*', '.']);
    let text = text.trim_start();
    let path = text.strip_prefix("static ").unwrap_or(text);
    told.imports.push(path.split_whitespace().collect());
}
