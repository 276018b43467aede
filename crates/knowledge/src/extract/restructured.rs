//! reStructuredText made near enough to Markdown: underlined headings, roles, named links. Directives
//! and fields go; lines stay lines.

use std::borrow::Cow;

/// Lines that are looked at to tell what a text is.
const LINES_LOOKED_AT: usize = 400;
/// Shortest underline of a heading.
const MIN_RULE: usize = 3;

/// The text as Markdown if it is reStructuredText, else as it is.
pub(super) fn as_markdown(text: &str) -> Cow<'_, str> {
    if !text.lines().take(LINES_LOOKED_AT).any(is_telling) {
        return Cow::Borrowed(text);
    }
    let mut kept = String::with_capacity(text.len());
    let mut before = "";
    // Blanks before the items of a list that stands behind a margin.
    let mut margin = 0;
    // Within a list at the margin, whose own items stand behind one.
    let mut is_below = false;
    // Blanks before what leads to a block of code.
    let mut is_code: Option<usize> = None;
    let mut lines = text.split_inclusive('\n').peekable();
    while let Some(line) = lines.next() {
        let bare = line.trim_end();
        let end = &line[bare.len()..];
        let is_item = |line: &str| {
            line.trim_start().starts_with(['*', '-']) && line.trim_start()[1..].starts_with(' ')
        };
        // Code stands behind its margin.
        if is_code.is_some_and(|of| !bare.is_empty() && indent(bare) <= of) {
            is_code = None;
        }
        if !bare.is_empty() && is_code.is_none() {
            let begins = margin == 0 && is_item(bare) && !is_item(before) && !is_below;
            margin = if begins || indent(bare) < margin {
                indent(bare) * usize::from(begins)
            } else {
                margin
            };
            is_below = margin == 0 && (is_item(bare) || is_below && indent(bare) > 0);
        }
        if is_code.is_none() && (bare.ends_with("::") || bare.trim_start().starts_with(".. ")) {
            is_code = Some(indent(bare));
        }
        let margin = if is_code.is_some() { 0 } else { margin };
        let bare = bare.get(margin..).unwrap_or(bare);
        if is_rule(bare) {
            // Under a text it makes a heading, above one it is ornament.
            if !before.is_empty() {
                kept.push_str("---");
            }
        } else if let Some(title) = bare.strip_prefix(":Title:") {
            kept.push_str("# ");
            kept.push_str(title.trim());
        } else if !(bare.starts_with(".. ") || bare == ".." || is_field(bare)) {
            // A term above what it means.
            let is_above = |next: &&str| indent(next) > indent(bare) && !next.trim().is_empty();
            match term(bare).filter(|_| lines.peek().is_some_and(is_above)) {
                Some((lead, term)) => kept.push_str(&format!("{lead}`{term}`:")),
                None => {
                    let line = bare.strip_suffix("::").unwrap_or(bare);
                    // An item that whoever shows the list numbers: `#. The fee is due.`
                    let item = line.trim_start().strip_prefix('#');
                    let item = item.filter(|it| it.starts_with(". ") || it.starts_with(".\t"));
                    if item.is_some() {
                        kept.push_str(&line[..indent(line)]);
                        kept.push('1');
                    }
                    push_line(item.unwrap_or(line), &mut kept);
                }
            }
        }
        kept.push_str(if end.contains('\n') { "\n" } else { end });
        before = if is_rule(bare) { "" } else { bare.trim() };
    }
    Cow::Owned(kept)
}

/// A line that only reStructuredText has.
fn is_telling(line: &str) -> bool {
    let directive = line.strip_prefix(".. ").is_some_and(|rest| {
        rest.starts_with(['_', '['])
            || rest.split_once("::").is_some_and(|(name, _)| {
                !name.is_empty()
                    && name
                        .bytes()
                        .all(|byte| byte.is_ascii_alphanumeric() || b"-_|: ".contains(&byte))
            })
    });
    directive
        || line.starts_with(":Title: ")
        || [":ref:`", ":doc:`", ":class:`", ":func:`", ":mod:`", ":meth:`", ">`_"]
            .iter()
            .any(|role| line.contains(role))
}

/// Columns before the text of a line.
fn indent(line: &str) -> usize {
    line.len() - line.trim_start().len()
}

/// The name in ``- :opt:`name` ``: a line, or the first one of an item, that is nothing but a role or code; and
/// what stands before it.
fn term(line: &str) -> Option<(&str, &str)> {
    let bare = line.trim_start();
    let bare = bare.strip_prefix("- ").or(bare.strip_prefix("* ")).unwrap_or(bare);
    let lead = line.strip_suffix(bare)?;
    let marks = if bare.starts_with(':') { "`" } else { "``" };
    let (role, rest) = bare.strip_suffix(marks)?.split_once(marks)?;
    let is_role = role.is_empty() || role.ends_with(':') && !role.contains(' ');
    (is_role && !rest.is_empty() && !rest.contains('`')).then_some((lead, rest))
}

fn is_rule(line: &str) -> bool {
    let first = line.bytes().next();
    line.len() >= MIN_RULE
        && first.is_some_and(|byte| b"=-~^\"'`+*#:.".contains(&byte))
        && line.bytes().all(|byte| Some(byte) == first)
        // Fences of code.
        && line != "```"
        && line != "..."
}

/// `:author: Jane`
fn is_field(line: &str) -> bool {
    let name = line.strip_prefix(':').and_then(|rest| rest.split_once(':')).map(|(name, _)| name);
    name.is_some_and(|name| {
        (1..=40).contains(&name.len())
            && name.bytes().all(|byte| byte.is_ascii_alphanumeric() || b" -_".contains(&byte))
    }) && !line.contains('`')
}

/// A line with its roles and links as the words that they show.
fn push_line(line: &str, kept: &mut String) {
    let mut rest = line;
    while let Some(at) = rest.find('`') {
        let (before, from) = rest.split_at(at);
        let role = before.rfind(':').filter(|_| before.ends_with(':')).and_then(|end| {
            let start = before[..end].rfind(':')?;
            let name = &before[start + 1..end];
            (!name.is_empty()
                && name.bytes().all(|byte| byte.is_ascii_alphanumeric() || b":-".contains(&byte)))
            .then_some(start)
        });
        let Some((inner, after)) = from[1..].split_once('`').filter(|(inner, _)| !inner.is_empty())
        else {
            // Two back ticks quote code: Markdown knows them.
            let marks = from.len() - from.trim_start_matches('`').len();
            kept.push_str(before);
            kept.push_str(&from[..marks]);
            rest = &from[marks..];
            continue;
        };
        let target = after.starts_with('_');
        if role.is_none() && !target {
            kept.push_str(before);
            kept.push('`');
            kept.push_str(inner);
            kept.push('`');
            rest = after;
            continue;
        }
        kept.push_str(&before[..role.unwrap_or(before.len())]);
        // `:html:`<title>`` is no tag.
        if inner.starts_with('<') {
            kept.push_str(&format!("`{inner}`"));
            rest = after.trim_start_matches('_');
            continue;
        }
        let shown = inner.split_once(" <").map_or(inner, |(words, _)| words);
        // `:rfc:`2822`` shows as `RFC 2822`.
        let name = role.map_or("", |start| before[start..].trim_matches(':'));
        if matches!(name, "pep" | "rfc") && shown.starts_with(|char: char| char.is_ascii_digit()) {
            kept.push_str(&name.to_uppercase());
            kept.push(' ');
        }
        kept.push_str(shown.trim_start_matches(['~', '!']));
        rest = after.trim_start_matches('_');
    }
    kept.push_str(rest);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn headings_and_roles_become_markdown() {
        let check = |text: &str, expected: &str| assert_eq!(as_markdown(text), expected, "{text}");
        check("Plain ~~~~\n~~~~\ntext", "Plain ~~~~\n~~~~\ntext");
        check(
            "=====\nTitle\n=====\n\n.. note:: x\n\nSee :ref:`the guide <g>` and `Foo <http://x>`_.\n",
            "\nTitle\n---\n\n\n\nSee the guide and Foo.\n",
        );
        check(
            "Head\n~~~~\n:author: Jane\n.. _a:\nUse ``x`` and :class:`~a.B`",
            "Head\n---\n\n\nUse ``x`` and a.B",
        );
        check(".. x::\n`", "\n`");
        check(".. _a:\nAn :html:`<a>` is.", "\nAn `<a>` is.");
        check(".. _a:\n#. Foo.\n\t#.\tBar.", "\n1. Foo.\n\t1.\tBar.");
        check(".. _a:\nSee :pep:`8001`.", "\nSee PEP 8001.");
        check(":Title: Foo\n.. _a:\n", "# Foo\n\n");
        check(
            ".. _a:\n- :opt:`most`\n    As many.\n- ``c``\n",
            "\n- `most`:\n    As many.\n- ``c``\n",
        );
    }
}
