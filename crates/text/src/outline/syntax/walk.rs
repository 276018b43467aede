//! One walk over a tree, the same for all languages. It keeps its own stack: how deep a text nests
//! is the text's choice.

use std::{collections::HashMap, mem, ops::Range};

use tree_sitter::{Node, Tree};

use super::{
    super::{
        draft::{Draft, Found},
        kind::ItemKind,
        prose,
    },
    grammar::{Definition, Grammar, Rule, Site, Source, Told, unquoted},
    python,
};

pub(super) fn walk(draft: &mut Draft<'_>, grammar: &'static Grammar, tree: &Tree) {
    let rules = numbered(grammar);
    let source = Source(draft.text);
    let mut walk = Walk { draft, grammar, source, owners: Vec::new(), exports: Vec::new() };
    let mut frames = vec![Frame::default()];
    let mut cursor = tree.walk();
    if !cursor.goto_first_child() {
        return;
    }
    while let Some(frame) = frames.last_mut() {
        let node = cursor.node();
        let rule = match rules.get(usize::from(node.kind_id())) {
            // What the parser did not understand may hold what it did.
            None => Some(Rule::Enter),
            Some(rule) => *rule,
        };
        if let Some(inner) = walk.visit(frame, node, rule)
            && cursor.goto_first_child()
        {
            frames.push(inner);
            continue;
        }
        while !cursor.goto_next_sibling() {
            frames.pop();
            if frames.is_empty() || !cursor.goto_parent() {
                return walk.finish();
            }
        }
        if walk.draft.is_full() {
            return walk.finish();
        }
    }
}

/// The rules by the numbers that the language gives its kinds of nodes. A kind that is spelt the
/// same may have several.
fn numbered(grammar: &Grammar) -> Vec<Option<Rule>> {
    let language = (grammar.language)();
    let rules: HashMap<_, _> = grammar.kinds().collect();
    let rule = |id| {
        let named = language.node_kind_is_named(id).then(|| language.node_kind_for_id(id));
        named.flatten().and_then(|kind| rules.get(kind).copied())
    };
    (0..=u16::MAX).take(language.node_kind_count()).map(rule).collect()
}

/// A node whose children are being visited.
#[derive(Default)]
struct Frame<'t> {
    parent: Option<usize>,
    /// Of the parent: its kind, and whether it is public.
    owner: Option<(ItemKind, bool)>,
    test: bool,
    exported: bool,
    modules: usize,
    /// Where the wrapper starts whose item this is.
    wrapper: Option<Node<'t>>,
    lead: Lead<'t>,
    /// The line on which the last child that is no comment ends.
    last_row: Option<usize>,
}

/// What stands before an item and is about it.
#[derive(Default)]
struct Lead<'t> {
    comments: Vec<Node<'t>>,
    attributes: Vec<Node<'t>>,
    /// The line on which it ends.
    row: usize,
}

struct Walk<'w, 'a> {
    draft: &'w mut Draft<'a>,
    grammar: &'static Grammar,
    source: Source<'a>,
    /// Items whose type may stand below them.
    owners: Vec<(usize, String)>,
    exports: Vec<String>,
}

impl<'a> Walk<'_, 'a> {
    /// A frame for the node's children, if they are to be visited.
    fn visit<'t>(
        &mut self,
        frame: &mut Frame<'t>,
        node: Node<'t>,
        rule: Option<Rule>,
    ) -> Option<Frame<'t>> {
        let (start, end) = (node.start_position().row, end_row(node));
        match rule {
            Some(Rule::Comment) => {
                // One at the end of a line is about that line.
                if frame.last_row == Some(start) {
                    return None;
                }
                if start > frame.lead.row + 1 {
                    frame.lead.comments.clear();
                }
                frame.lead.comments.push(node);
                frame.lead.row = end;
                return None;
            }
            Some(Rule::Attribute) => {
                frame.lead.attributes.push(node);
                frame.lead.row = end;
                return None;
            }
            _ => {}
        }
        frame.last_row = Some(end);
        // A keyword or a bracket stands between nothing.
        if !node.is_named() {
            return None;
        }
        let mut lead = mem::take(&mut frame.lead);
        if start > lead.row + 1 {
            lead.comments.clear();
        }
        match rule? {
            Rule::Enter => Some(frame.inner()),
            Rule::Wrap => Some(frame.wrapped(node, lead, frame.exported)),
            Rule::Export => Some(frame.wrapped(node, lead, true)),
            Rule::Item(kind) => {
                let name = self.source.field(node, "name");
                self.define(frame, node, &lead, Definition::of(kind, name, node));
                None
            }
            Rule::Type(kind) => {
                let name = self.source.field(node, "name");
                self.define(frame, node, &lead, Definition::of(kind, name, node).entered())
            }
            Rule::Import(field) => {
                self.draft.import(unquoted(self.source.field(node, field)));
                None
            }
            Rule::Tell(tell) => {
                let mut told = Told { modules: frame.modules, ..Told::default() };
                tell(self.source, node, &mut told);
                told.imports.iter().for_each(|import| self.draft.import(import));
                self.exports.append(&mut told.exports);
                let defined = |one| self.define(frame, node, &lead, one);
                told.items.into_iter().filter_map(defined).last()
            }
            Rule::Comment | Rule::Attribute => None,
        }
    }

    fn define<'t>(
        &mut self,
        frame: &Frame<'t>,
        node: Node<'t>,
        lead: &Lead<'t>,
        told: Definition,
    ) -> Option<Frame<'t>> {
        let owner = frame.owner.map(|(kind, _)| kind);
        let member = told.owner.is_some() || owner.is_some_and(has_methods);
        let kind = match told.kind {
            ItemKind::Function if member => ItemKind::Method,
            kind => kind,
        };
        let site = Site {
            source: self.source,
            node,
            name: &told.name,
            kind,
            parent: frame.owner,
            exported: frame.exported,
            attributes: &lead.attributes,
        };
        let public = told.public.unwrap_or_else(|| (self.grammar.is_public)(&site));
        let test = frame.test || (self.grammar.is_test)(&site);
        let range = whole(frame, node, &told);
        let signature = self.signature(range.start..told.head_end, told.kind);
        let doc = told.doc.unwrap_or_else(|| self.documentation(lead, node));
        let found = Found {
            kind,
            name: unquoted(&told.name),
            parent: frame.parent,
            signature,
            doc: &doc,
            range,
            public,
            test,
        };
        let number = self.draft.add(found);
        if let (Some(number), Some(owner)) = (number, told.owner) {
            self.owners.push((number, owner));
        }
        if !told.enter {
            return None;
        }
        let Some(number) = number else { return Some(frame.inner()) };
        let modules = frame.modules + usize::from(kind == ItemKind::Module);
        Some(Frame {
            parent: Some(number),
            owner: Some((kind, public)),
            test,
            modules,
            ..Frame::default()
        })
    }

    /// Without what opens a body or ends a statement.
    fn signature(&self, range: Range<usize>, kind: ItemKind) -> &'a str {
        let text = self.source.slice(range).trim_end();
        // A value of many lines is no part of it.
        let is_value = matches!(kind, ItemKind::Constant | ItemKind::Macro);
        let mut text = if is_value { text.lines().next().unwrap_or_default() } else { text };
        let ends: &[&str] =
            if self.grammar.docstrings { &[":"] } else { &["{", ";", "=>", "=", "[", "(", "&"] };
        while let Some(bare) = ends.iter().find_map(|end| text.trim_end().strip_suffix(end)) {
            text = bare;
        }
        text
    }

    fn documentation(&self, lead: &Lead<'_>, node: Node<'_>) -> String {
        if self.grammar.docstrings
            && let Some(doc) = python::docstring(self.source, node)
        {
            return doc;
        }
        let marks = self.grammar.doc_marks;
        let texts = lead.comments.iter().map(|comment| self.source.text(*comment));
        let documents = |text: &&str| marks.iter().any(|mark| text.starts_with(mark));
        let parts: Vec<String> = texts.filter(documents).map(prose::unmarked).collect();
        let doc = parts.join("\n");
        if prose::is_licence(&doc) { String::new() } else { doc }
    }

    /// What is only known at the end of the file.
    fn finish(mut self) {
        let types: HashMap<String, usize> = self
            .draft
            .items()
            .iter()
            .enumerate()
            .filter(|(_, item)| !matches!(item.kind, ItemKind::Method | ItemKind::Function))
            .map(|(number, item)| (item.name.clone(), number))
            .collect();
        for (number, owner) in mem::take(&mut self.owners) {
            self.draft.items()[number].parent = types.get(&owner).copied();
        }
        let exports = mem::take(&mut self.exports);
        for item in self.draft.items() {
            item.public |= item.parent.is_none() && exports.contains(&item.name);
        }
    }
}

impl<'t> Frame<'t> {
    fn inner(&self) -> Self {
        let (parent, owner, test) = (self.parent, self.owner, self.test);
        let (exported, modules) = (self.exported, self.modules);
        Self { parent, owner, test, exported, modules, ..Self::default() }
    }

    fn wrapped(&self, node: Node<'t>, lead: Lead<'t>, exported: bool) -> Self {
        let wrapper = Some(self.wrapper.unwrap_or(node));
        // The item in it is as near to the lead as the wrapper was.
        Self { wrapper, lead, exported, ..self.inner() }
    }
}

/// The item with the keywords of what wraps it, if those stand on its first line.
fn whole(frame: &Frame<'_>, node: Node<'_>, told: &Definition) -> Range<usize> {
    if told.range != node.byte_range() {
        return told.range.clone();
    }
    let (start, row) = own_start(node);
    match frame.wrapper {
        Some(wrapper) if wrapper.start_position().row == row => {
            wrapper.start_byte().min(start)..told.range.end
        }
        _ => start..told.range.end,
    }
}

/// Where a node starts without the annotations that some languages count in.
fn own_start(node: Node<'_>) -> (usize, usize) {
    let is_annotation =
        |kind: &str| matches!(kind, "decorator" | "annotation" | "marker_annotation");
    let mut child = node.child(0);
    while let Some(current) = child {
        if current.kind() == "modifiers" {
            let own = current.children(&mut current.walk()).find(|c| !is_annotation(c.kind()));
            if let Some(own) = own {
                return (own.start_byte(), own.start_position().row);
            }
        } else if !is_annotation(current.kind()) && !current.is_extra() {
            return (current.start_byte(), current.start_position().row);
        }
        child = current.next_sibling();
    }
    (node.start_byte(), node.start_position().row)
}

/// A comment may have its line break in it.
fn end_row(node: Node<'_>) -> usize {
    let end = node.end_position();
    if end.column == 0 { end.row.saturating_sub(1) } else { end.row }
}

fn has_methods(kind: ItemKind) -> bool {
    use ItemKind::{Class, Enum, Impl, Interface, Struct, Trait};
    matches!(kind, Class | Enum | Impl | Interface | Struct | Trait)
}

#[cfg(test)]
mod tests {

    #[test]
    fn every_rule_names_a_kind_of_its_language() {
        use crate::outline::kind::FileKind as K;
        for kind in [
            K::Rust,
            K::Python,
            K::JavaScript,
            K::TypeScript,
            K::Tsx,
            K::Go,
            K::C,
            K::Java,
            K::Shell,
        ] {
            let grammar = super::super::grammar_of(kind).unwrap();
            let language = (grammar.language)();
            for (name, _) in grammar.kinds() {
                assert_ne!(language.id_for_node_kind(name, true), 0, "{kind:?}: {name}");
            }
        }
    }
}
