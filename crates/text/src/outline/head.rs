//! What the comments at the head of a program or schema say of it. Read off the lines, so that a text that
//! is not parsed still has a purpose.

use super::prose;

/// Bytes that are looked at.
const HEAD_BYTES: usize = 64 * 1024;

/// What may stand at the head of a file of a language.
pub(super) struct Head {
    /// How a comment to the end of the line begins.
    pub(super) line: &'static str,
    /// Comments that are about the file and nothing else: only where there is none are others read.
    pub(super) inner: &'static [&'static str],
    /// Comments that are about the next item.
    pub(super) outer: &'static [&'static str],
    /// Whether `/* */` is a comment.
    pub(super) blocks: bool,
    /// How lines begin that are no comment and yet do not end the head.
    pub(super) skip: &'static [&'static str],
    /// Reads the string that a text starts with: that is looked for, comments only stand in for it.
    pub(super) docstring: Option<fn(&str) -> Option<String>>,
}

impl Head {
    /// Comments begin with two slashes or stand between `/*` and `*/`.
    pub(super) const SLASHES: Self =
        Self { line: "//", inner: &[], outer: &[], blocks: true, skip: &[], docstring: None };
    /// Comments begin with a hash.
    pub(super) const HASH: Self = Self { line: "#", blocks: false, ..Self::SLASHES };
}

/// What the file says of itself; empty if it does not.
pub(super) fn purpose(text: &str, head: &Head) -> String {
    let text = prose::head(text, HEAD_BYTES);
    let mut groups = Groups::default();
    let rest = groups.read(text, head);
    if let Some(doc) = head.docstring.and_then(|read| read(rest)) {
        return doc;
    }
    if !groups.inner.is_empty() {
        return groups.inner;
    }
    groups.plain.iter().find_map(|group| spoken(group)).unwrap_or_default()
}

#[derive(Default)]
struct Groups {
    /// All of it, joined.
    inner: String,
    /// One per run of lines.
    plain: Vec<String>,
    /// The last one may grow.
    open: bool,
}

impl Groups {
    /// Returns the text behind the head.
    fn read<'t>(&mut self, text: &'t str, head: &Head) -> &'t str {
        let mut rest = text.strip_prefix('\u{feff}').unwrap_or(text);
        if rest.starts_with("#!") && !rest.starts_with("#![") {
            rest = behind_line(rest);
        }
        loop {
            let line = rest.lines().next().unwrap_or_default();
            let bare = line.trim_start();
            let is = |marks: &[&str]| marks.iter().any(|mark| bare.starts_with(mark));
            if rest.is_empty() {
                return rest;
            } else if bare.is_empty() {
                self.open = false;
                rest = behind_line(rest);
            } else if head.blocks && bare.starts_with("/*") {
                let start = &rest[rest.len() - rest.trim_start().len()..];
                let Some(end) = start.find("*/") else { return "" };
                let (block, behind) = start.split_at(end + 2);
                self.add(block, is(head.inner), is(head.outer));
                self.open = false;
                rest = behind;
            } else if is(head.skip) {
                self.open = false;
                rest = behind_skipped(rest);
            } else if bare.starts_with(head.line) {
                self.add(line, is(head.inner), is(head.outer));
                rest = behind_line(rest);
            } else {
                return rest;
            }
        }
    }

    fn add(&mut self, comment: &str, inner: bool, outer: bool) {
        if inner {
            self.inner.push_str(&prose::unmarked(comment));
            self.inner.push('\n');
            self.open = false;
        } else if !outer {
            let text = prose::unmarked(comment);
            match self.plain.last_mut().filter(|_| self.open) {
                Some(group) => {
                    group.push('\n');
                    group.push_str(&text);
                }
                None => self.plain.push(text),
            }
            self.open = true;
        }
    }
}

fn behind_line(text: &str) -> &str {
    text.split_once('\n').map_or("", |(_, rest)| rest)
}

/// An attribute may have several lines.
fn behind_skipped(text: &str) -> &str {
    let attribute = text.trim_start().starts_with("#![");
    let mut rest = text;
    loop {
        let line = rest.lines().next().unwrap_or_default();
        rest = behind_line(rest);
        if !attribute || rest.is_empty() || line.trim_end().ends_with(']') {
            return rest;
        }
    }
}

/// What a comment says of the file. Of a licence that is what stands before it.
pub(super) fn spoken(group: &str) -> Option<String> {
    const LEGAL: &[&str] =
        &["copyright", "licen", "©", "spdx", "permission is", "rights reserved", "free software"];
    if !prose::is_licence(group) {
        let said = group.trim();
        return (!said.is_empty()).then(|| said.to_owned());
    }
    let is_legal = |line: &&str| {
        let line = line.to_lowercase();
        LEGAL.iter().any(|word| line.contains(word))
    };
    let before: Vec<&str> = group.lines().take_while(|line| !is_legal(line)).collect();
    let said = before.join("\n").trim().to_owned();
    (said.split_whitespace().count() >= 3).then_some(said)
}
