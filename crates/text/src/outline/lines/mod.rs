//! Programs in languages that have no grammar here: read line by line, after a table per language.
//!
//! Owns how a line tells that something is defined, and which comment is about it. What lies in what is told
//! by the indentation that people give it: a text that is written otherwise loses items, never more.

use super::{
    draft::{Draft, Found},
    head::spoken,
    kind::{FileKind, ItemKind},
    prose,
};
use table::{Form, Language};

mod table;

/// Columns of a tab.
const TAB: usize = 4;
/// Words at most before the name of what is defined.
const MOST_WORDS: usize = 8;
/// Beginnings of lines before which what is said is still about the file.
const PREAMBLE: &[&str] = &[
    "<?", "#", "package ", "namespace ", "module ", "library ", "declare(", "-export", "part of ",
    "@file", "%%", "(ns ",
];
/// Beginnings of lines that are about the item below, where they define none.
const ABOUT_ITEMS: &[&str] = &["@", "[", "#[", "template"];
/// First words of lines with brackets that declare nothing.
const STATEMENTS: &[&str] = &[
    "if", "else", "for", "foreach", "while", "switch", "return", "throw", "new", "catch", "using",
    "lock", "await", "yield", "do", "case", "delete", "goto", "assert", "try", "when", "typedef",
    "co_return", "co_await", "in", "print", "println",
];

pub(super) fn read(draft: &mut Draft<'_>, kind: FileKind) {
    let Some(language) = table::of(kind) else { return };
    let text = draft.text;
    let mut reader = Reader {
        draft,
        language,
        open: Vec::new(),
        above: String::new(),
        said: String::new(),
        is_head: true,
        block: None,
        end: 0,
    };
    let mut start = 0;
    for line in text.split_inclusive('\n') {
        reader.line(line, start);
        start += line.len();
    }
    reader.finish();
}

/// An item whose end is not reached.
struct Open {
    item: usize,
    /// Columns before it.
    indent: usize,
    /// Columns before what lies right in it, once that is known.
    members: Option<usize>,
}

/// A comment that is not closed.
struct Block {
    end: &'static str,
    /// It is about the file.
    is_inner: bool,
    text: String,
}

struct Reader<'d, 't> {
    draft: &'d mut Draft<'t>,
    language: &'static Language,
    open: Vec<Open>,
    /// The comment right above.
    above: String,
    /// What the file says of itself.
    said: String,
    /// Nothing but comments, imports and the like so far.
    is_head: bool,
    block: Option<Block>,
    /// Where the last line ends that is no comment.
    end: usize,
}

/// A line of a program.
struct Line<'l> {
    /// Without white space around.
    text: &'l str,
    indent: usize,
    /// Bytes of the text before it.
    start: usize,
}

impl Line<'_> {
    fn end(&self) -> usize {
        self.start + self.text.len()
    }
}

/// What a line defines.
struct Told<'l> {
    kind: ItemKind,
    name: &'l str,
    public: bool,
}

impl Reader<'_, '_> {
    fn line(&mut self, line: &str, start: usize) {
        let text = line.trim();
        let white = line.len() - line.trim_start().len();
        if self.block.is_some() {
            return self.in_block(text);
        }
        if text.is_empty() {
            return self.speak();
        }
        let Language { blocks, line: marks, .. } = *self.language;
        let opened = blocks.iter().find(|(open, _)| text.starts_with(open));
        if let Some(&(open, end)) = opened {
            self.speak();
            let is_inner = open.starts_with("@moduledoc") || open.ends_with("NAME");
            self.block = Some(Block { end, is_inner, text: String::new() });
            // A heading in the way of Perl is none of the text.
            let rest = text.strip_prefix(open).filter(|_| !open.starts_with("=head"));
            return self.in_block(rest.unwrap_or_default());
        }
        // `#!/bin/...` runs the file, `#[Attribute]` is about an item.
        let is_comment = marks.iter().any(|mark| text.starts_with(mark));
        if is_comment && !(text.starts_with("#!") && start == 0) && !text.starts_with("#[") {
            self.add(&prose::unmarked(text));
            return;
        }
        let indent = line.chars().take_while(|char| char.is_whitespace());
        let indent = indent.map(|char| if char == '\t' { TAB } else { 1 }).sum();
        self.code(&Line { text, indent, start: start + white });
    }

    fn in_block(&mut self, text: &str) {
        let Some(mut block) = self.block.take() else { return };
        let inside = text.split(block.end).next().unwrap_or_default();
        let is_first = block.text.is_empty();
        block.text.push_str(if is_first { inside.trim_start_matches('|') } else { inside });
        block.text.push('\n');
        if inside.len() == text.len() {
            self.block = Some(block);
            return;
        }
        self.close_block(&block);
    }

    fn close_block(&mut self, block: &Block) {
        // Up to the next heading in the way of Perl.
        let text = block.text.split("\n=").next().unwrap_or_default();
        let said = prose::unmarked(&format!("/*{text}*/"));
        if !block.is_inner {
            self.add(&said);
        } else if self.said.is_empty() {
            self.said = said;
        }
    }

    fn add(&mut self, said: &str) {
        self.above.push_str(said);
        self.above.push('\n');
    }

    /// Ends a comment that nothing follows: at the head of a file it may be about the file.
    fn speak(&mut self) {
        let said = std::mem::take(&mut self.above);
        if self.is_head && self.said.is_empty() {
            self.said = spoken(&said).map_or_else(String::new, |said| documentation(&said));
        }
    }

    fn code(&mut self, line: &Line<'_>) {
        let Line { text, indent, .. } = *line;
        let first = text.split(|char: char| !char.is_alphanumeric()).next().unwrap_or_default();
        if text.starts_with('}') || first == "end" {
            self.close(indent + 1);
            self.end = line.end();
            self.close(indent);
            return self.above.clear();
        }
        // What goes on from the line before, and what stands where it likes.
        if text.starts_with([')', ']', '{']) || is_label(text) {
            self.end = line.end();
            return;
        }
        if let Some(name) = self.imported(text) {
            self.draft.import(name);
            self.speak();
            return;
        }
        if text.starts_with('#') && !text.starts_with("#[") {
            return self.speak();
        }
        self.close(indent);
        self.end = line.end();
        let told = self.told(line);
        // It is about what stands below.
        if told.is_none() && ABOUT_ITEMS.iter().any(|start| text.starts_with(start)) {
            return;
        }
        let is_preamble = PREAMBLE.iter().any(|start| text.starts_with(start));
        if self.is_head && (told.is_none() || is_preamble) {
            self.speak();
        }
        self.is_head &= is_preamble;
        let doc = std::mem::take(&mut self.above);
        if let Some(told) = told {
            self.define(line, &told, &doc);
        }
    }

    /// Ends the items that do not reach as far to the right.
    fn close(&mut self, indent: usize) {
        while let Some(open) = self.open.pop_if(|open| open.indent >= indent) {
            self.draft.close(open.item, self.end);
        }
    }

    /// What a line imports.
    fn imported<'l>(&self, text: &'l str) -> Option<&'l str> {
        let rest = self.language.imports.iter().find_map(|word| text.strip_prefix(word))?;
        let rest = rest.trim_start_matches([' ', '(', '"', '\'', '<', ':']);
        let end = rest.find([' ', ')', '"', '\'', '>', ';', ',', '{']);
        Some(rest.get(..end.unwrap_or(rest.len()))?.trim_end_matches('.'))
            .filter(|it| !it.is_empty())
    }

    fn told<'l>(&mut self, line: &Line<'l>) -> Option<Told<'l>> {
        let Line { text, indent, .. } = *line;
        let mut is_member = indent == 0;
        let mut owner = None;
        if let Some(open) = self.open.last_mut() {
            let item = self.draft.items().get(open.item)?;
            if !is_container(item.kind) {
                return None;
            }
            is_member = *open.members.get_or_insert(indent) == indent;
            owner = Some(item.name.as_str());
        }
        by_words(self.language, text).or_else(|| {
            let name = match self.language.form {
                Form::Words => return None,
                _ if !is_member => return None,
                Form::Typed => typed(text, owner)?,
                Form::Assigned => assigned(text)?,
                Form::Signed => signed(text)?,
                Form::Clauses => clause(text)?,
            };
            let hidden = |word: &str| self.language.hidden.contains(&word);
            let public = !text.split_whitespace().take(MOST_WORDS).any(hidden);
            Some(Told { kind: ItemKind::Function, name, public })
        })
    }

    fn define(&mut self, line: &Line<'_>, told: &Told<'_>, doc: &str) {
        let parent = self.open.last().map(|open| open.item);
        let owner = parent.and_then(|parent| self.draft.items().get(parent).cloned());
        let kind = match (told.kind, owner.as_ref().map(|owner| owner.kind)) {
            (ItemKind::Function, Some(owner)) if owner != ItemKind::Module => ItemKind::Method,
            (kind, _) => kind,
        };
        // One function in several clauses.
        let last = self.draft.items().last();
        let is_again = last.is_some_and(|last| last.name == told.name && last.kind == kind);
        if is_again && matches!(self.language.form, Form::Clauses) {
            return;
        }
        let doc = documentation(doc);
        let test = owner.is_some_and(|owner| owner.test) || is_test(kind, told.name);
        let signature = line.text.split('{').next().unwrap_or_default();
        let signature = signature.strip_suffix(" do").unwrap_or(signature);
        let number = self.draft.add(Found {
            parent,
            signature: signature.trim_end_matches([' ', '=', ';', ':']),
            doc: &doc,
            public: told.public && !told.name.starts_with('_'),
            test,
            ..Found::new(kind, told.name, line.start..line.end())
        });
        // What is closed on its own line holds nothing.
        let is_whole = line.text.ends_with([';', '}']) || line.text.ends_with(" end");
        if let Some(item) = number.filter(|_| !is_whole) {
            self.open.push(Open { item, indent: line.indent, members: None });
        }
    }

    fn finish(mut self) {
        self.speak();
        if let Some(block) = self.block.take().filter(|block| block.is_inner) {
            self.close_block(&block);
        }
        self.close(0);
        self.draft.purpose(&self.said);
    }
}

fn is_container(kind: ItemKind) -> bool {
    !matches!(kind, ItemKind::Function | ItemKind::Method | ItemKind::Macro | ItemKind::TypeAlias)
}

/// `public:`, and `default:` of what is chosen.
fn is_label(text: &str) -> bool {
    text.strip_suffix(':').is_some_and(|word| word.chars().all(char::is_alphanumeric))
}

/// `public static class Name`: words before, the one that says what it is, its name.
fn by_words<'l>(language: &Language, text: &'l str) -> Option<Told<'l>> {
    let (mut rest, mut found, mut public) = (text, None, true);
    for _ in 0..MOST_WORDS {
        rest = rest.trim_start();
        // `@Test fun a()`, `[Test] void a()`.
        if rest.starts_with('@') && found.is_none() {
            rest = rest.split_once(' ')?.1;
            continue;
        }
        let end = rest.find([' ', '\t', '<']).unwrap_or(rest.len());
        let (word, behind) = rest.split_at(end);
        // `private[net] def`.
        let plain = word.split('[').next().unwrap_or_default();
        let kind = language.words.iter().find(|(_, words)| words.contains(&plain));
        if kind.is_none() && !language.modifiers.contains(&plain) {
            break;
        }
        public &= !language.hidden.contains(&plain);
        found = kind.map(|(kind, _)| *kind).or(found);
        rest = behind;
    }
    let name = name(language, rest.trim_start());
    // `class Name;` is told elsewhere.
    let is_elsewhere = |kind: &ItemKind| {
        !matches!(kind, ItemKind::Module | ItemKind::TypeAlias | ItemKind::Function)
            && text.ends_with(';')
            && !text.contains(['(', '{', '='])
    };
    let found = found.filter(|kind| !name.is_empty() && !is_elsewhere(kind));
    found.map(|kind| Told { kind, name, public })
}

/// The name at the beginning of a text; empty if there is none.
fn name<'l>(language: &Language, text: &'l str) -> &'l str {
    // `fun <T> first(`.
    let text = match text.strip_prefix('<') {
        Some(generic) => generic.split_once("> ").map_or("", |(_, rest)| rest),
        None => text,
    };
    let text = text.trim_start_matches(['&', '*', '(', '`', '"']);
    let is_in =
        |char: char| char.is_alphanumeric() || char == '_' || language.in_names.contains(char);
    let end = text.find(|char| !is_in(char)).unwrap_or(text.len());
    let (name, behind) = text.split_at(end);
    // `fun <T> List<T>.first(`.
    let generic = behind.split('(').next().and_then(|it| it.strip_prefix('<')?.split_once(">."));
    if let Some((_, own)) = generic.filter(|_| language.in_names.contains('.')) {
        return own;
    }
    let name = name.strip_prefix("self.").unwrap_or(name).trim_end_matches([':', '.', '-', '=']);
    if name.starts_with(|char: char| char.is_alphabetic() || char == '_') { name } else { "" }
}

/// `Task<int> Count(string text)`: a type, a name and a bracket, which no statement has.
fn typed<'l>(text: &'l str, owner: Option<&str>) -> Option<&'l str> {
    let (before, behind) = text.split_once('(')?;
    let first = before.split(|char: char| !char.is_alphanumeric() && char != '_').next()?;
    if before.contains(['=', '"', '\'', '.']) || STATEMENTS.contains(&first) {
        return None;
    }
    // `call(a);` and `call(a) {` have no type.
    let start = before.rfind([' ', '\t', '*', '&']).map_or(0, |at| at + 1);
    let name = before.get(start..)?;
    let is_made = owner.is_some_and(|owner| name.trim_start_matches('~') == owner);
    let is_named = name.starts_with(|char: char| char.is_alphabetic() || "_~".contains(char))
        && name.chars().all(|char| char.is_alphanumeric() || "_~:".contains(char));
    // What is open at the end of the line is written on.
    let ends =
        behind.ends_with(['{', ')', ';', ',', '}']) || behind.is_empty() || behind.contains("=>");
    let ends = ends
        || [" const", " override", " noexcept", " async", " sync*"]
            .iter()
            .any(|end| behind.ends_with(end));
    (is_named && ends && (start > 0 || is_made || name.contains("::"))).then_some(name)
}

/// `name <- function(a) {`.
fn assigned(text: &str) -> Option<&str> {
    let (name, value) = text.split_once("<-").or_else(|| text.split_once('='))?;
    let name = name.trim().trim_matches(['`', '"']);
    let value = value.trim_start();
    let is_function = value.starts_with("function(") || value.starts_with("\\(");
    let is_named = name.chars().all(|char| char.is_alphanumeric() || "._".contains(char));
    (is_function && is_named && !name.is_empty()).then_some(name)
}

/// `name :: Type -> Type`.
fn signed(text: &str) -> Option<&str> {
    let name = text.split_once(" ::")?.0.split(',').next()?.trim();
    let is_in = |char: char| char.is_alphanumeric() || "_'".contains(char);
    let is_name = name.starts_with(|char: char| char.is_lowercase() || char == '_');
    (is_name && name.chars().all(is_in)).then_some(name)
}

/// `name(Argument) ->`.
fn clause(text: &str) -> Option<&str> {
    let (name, rest) = text.split_once('(')?;
    let is_in = |char: char| char.is_alphanumeric() || char == '_';
    let is_name = name.starts_with(char::is_lowercase) && name.chars().all(is_in);
    (is_name && rest.contains("->")).then_some(name)
}

fn is_test(kind: ItemKind, name: &str) -> bool {
    match kind {
        ItemKind::Function | ItemKind::Method => name
            .strip_prefix("test")
            .is_some_and(|rest| rest.starts_with(|char: char| char == '_' || char.is_uppercase())),
        ItemKind::Class | ItemKind::Module => {
            ["Test", "Tests", "TestCase", "Spec"].iter().any(|end| name.ends_with(end))
        }
        _ => false,
    }
}

/// What a comment says: without marks and tags of tools, up to where arguments are told one by one.
fn documentation(above: &str) -> String {
    const BEHIND: &[&str] = &[
        "@", "\\param", "<param", "<returns", "<exception", "<typeparam", ".PARAMETER", ".EXAMPLE",
        ".NOTES", ".LINK", "Created by ",
    ];
    const MARKS: &[&str] = &[
        "<summary>", "</summary>", "<remarks>", "</remarks>", "<para>", "</para>", "<see cref=\"",
        "\"/>", "\" />", "@doc ", "@brief ", "\\brief ", ".SYNOPSIS", ".DESCRIPTION",
    ];
    if prose::is_licence(above) {
        return String::new();
    }
    let unmarked =
        |line: &str| MARKS.iter().fold(line.to_owned(), |line, mark| line.replace(mark, ""));
    let lines = above.lines().map(unmarked);
    let is_told = |line: &String| !BEHIND.iter().any(|start| line.trim_start().starts_with(start));
    let mut lines: Vec<String> = lines.take_while(is_told).collect();
    // The name of the file in its head, and how a function is called above what it does.
    let names = lines.iter().take_while(|line| is_name(line) || line.trim().is_empty()).count();
    lines.drain(..names);
    lines.join("\n").trim().to_owned()
}

/// `Boot.swift`, `wait(seconds)`.
fn is_name(line: &str) -> bool {
    let line = line.trim();
    let is_call = line.ends_with(')') && !line.split('(').next().unwrap_or_default().contains(' ');
    is_call || !line.contains(' ') && line.contains('.') && !line.ends_with('.')
}
