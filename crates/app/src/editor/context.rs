//! What is being typed at a place. Only the lines up to there are looked at: nothing is parsed.

use std::ops::Range;

use super::Buffer;

/// What is being typed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Typing {
    /// The target of `[[...`, from its first byte; `is_closed`: with `]]` behind it.
    Wiki { from: usize, is_closed: bool },
    /// The target of `[text](...`, likewise with `)`.
    Path { from: usize, is_closed: bool },
    /// A heading behind `#`: of the target that stands before it, which is empty for this text.
    Heading { target: String, from: usize, is_wiki: bool },
    /// A key of the front matter.
    Key { from: usize },
    /// A value of a key of the front matter.
    Value { key: String, from: usize },
}

/// What is being typed at a byte; `None` if it is nothing that can be completed.
pub fn typing(buffer: &Buffer, offset: usize) -> Option<Typing> {
    let offset = buffer.floor(offset);
    if let Some(front) = buffer.front_matter()
        && front.start <= offset
        && offset <= front.end
    {
        return in_front(buffer, &front, offset);
    }
    let line = buffer.line_range(buffer.line_at(offset));
    let before = buffer.text.get(line.start..offset.min(line.end))?;
    let behind = buffer.text.get(offset.min(line.end)..line.end)?;
    if is_in_fence(buffer, line.start) {
        return None;
    }
    let wiki = before.rfind("[[").filter(|at| !before[*at..].contains("]]"));
    let path = before.rfind("](").filter(|at| {
        let rest = &before[at + 2..];
        // Behind a title, or a target that has ended, nothing is typed.
        !rest.contains(')') && !rest.trim_start_matches('<').contains(char::is_whitespace)
    });
    match (wiki, path) {
        (Some(at), path) if path.is_none_or(|path| path < at) => {
            let from = at + 2;
            let typed = &before[from..];
            if typed.contains('|') {
                return None;
            }
            let is_closed = behind.split("[[").next().is_some_and(|rest| rest.contains("]]"));
            Some(match typed.find('#') {
                Some(mark) => Typing::Heading {
                    target: typed[..mark].trim().to_owned(),
                    from: line.start + from + mark + 1,
                    is_wiki: true,
                },
                None => Typing::Wiki { from: line.start + from, is_closed },
            })
        }
        (_, Some(at)) => {
            let pointed = usize::from(before[at + 2..].starts_with('<'));
            let from = at + 2 + pointed;
            let typed = &before[from..];
            if typed.contains("://") {
                return None;
            }
            Some(match typed.find('#') {
                Some(mark) => Typing::Heading {
                    target: typed[..mark].to_owned(),
                    from: line.start + from + mark + 1,
                    is_wiki: false,
                },
                None => Typing::Path {
                    from: line.start + from,
                    is_closed: behind.trim_start().starts_with([')', '>']),
                },
            })
        }
        _ => None,
    }
}

/// Whether a line stands in fenced code.
fn is_in_fence(buffer: &Buffer, until: usize) -> bool {
    let mut open: Option<&str> = None;
    let text = buffer.text.get(..until).unwrap_or_default();
    // Nearly every line is passed over by its first byte.
    for line in text.lines() {
        let line = line.trim_start();
        if !line.starts_with("```") && !line.starts_with("~~~") {
            continue;
        }
        let mark = &line[..3];
        match open {
            None => open = Some(mark),
            Some(opened) if opened == mark => open = None,
            Some(_) => {}
        }
    }
    open.is_some()
}

fn in_front(buffer: &Buffer, front: &Range<usize>, offset: usize) -> Option<Typing> {
    let line = buffer.line_range(buffer.line_at(offset));
    let before = buffer.text.get(line.start..offset.min(line.end))?;
    let is_item = before.trim_start().starts_with('-');
    if !is_item && !before.contains([':', '=']) {
        let from = offset - before.trim_start().len();
        return before
            .trim_start()
            .chars()
            .all(|char| char.is_alphanumeric())
            .then_some(Typing::Key { from });
    }
    if is_item {
        let typed = before.trim_start().trim_start_matches('-').trim_start();
        let above = buffer.text.get(front.start..line.start)?;
        let key = above
            .lines()
            .rev()
            .find(|line| !line.trim_start().starts_with('-') && !line.trim().is_empty())?;
        let key = key.trim_end().strip_suffix(':')?.trim().to_owned();
        return Some(Typing::Value { key, from: offset - unquoted(typed).len() });
    }
    let mark = before.find([':', '='])?;
    let key = before[..mark].trim().to_owned();
    let typed = &before[mark + 1..];
    // The last of several.
    let typed = typed.rsplit([',', '[']).next().unwrap_or(typed).trim_start();
    Some(Typing::Value { key, from: offset - unquoted(typed).len() })
}

/// Without the mark that opens a quotation.
fn unquoted(typed: &str) -> &str {
    typed.strip_prefix(['"', '\'']).unwrap_or(typed)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// `|` is where something is typed.
    fn check(text: &str, expected: Option<&str>) {
        let offset = text.find('¦').expect("a cursor");
        let buffer = Buffer::new("a.md".into(), text.replace('¦', ""));
        let typed = |from: usize| &buffer.text[from..offset];
        let shown = typing(&buffer, offset).map(|typing| match typing {
            Typing::Wiki { from, is_closed } => format!("wiki {:?} {is_closed}", typed(from)),
            Typing::Path { from, is_closed } => format!("path {:?} {is_closed}", typed(from)),
            Typing::Heading { target, from, is_wiki } => {
                format!("heading {target:?} {:?} {is_wiki}", typed(from))
            }
            Typing::Key { from } => format!("key {:?}", typed(from)),
            Typing::Value { key, from } => format!("value {key} {:?}", typed(from)),
        });
        assert_eq!(shown.as_deref(), expected, "{text:?}");
    }

    #[test]
    fn what_is_typed_is_seen_by_the_lines_before_it() {
        check("see [[on¦", Some("wiki \"on\" false"));
        check("see [[on¦]] and", Some("wiki \"on\" true"));
        check("see [[on¦ and [[two]]", Some("wiki \"on\" false"));
        check("see [[one]] ¦", None);
        check("[[one|sho¦", None);
        check("[[one#Pa¦", Some("heading \"one\" \"Pa\" true"));
        check("[x](../a#b¦", Some("heading \"../a\" \"b\" false"));
        check("[x](#b¦)", Some("heading \"\" \"b\" false"));
        check("[x](a¦)", Some("path \"a\" true"));
        check("[x](<a b¦", None);
        check("[x](<a¦", Some("path \"a\" false"));
        check("[x](https://e¦", None);
        check("[x](a.md \"ti¦", None);
        check("```\n[[on¦", None);
        check("```\n```\n[[on¦", Some("wiki \"on\" false"));
        check("---\nti¦\n---\n", Some("key \"ti\""));
        check("---\ntags: [a, b¦]\n---\n", Some("value tags \"b\""));
        check("---\ntags:\n  - a\n  - \"b¦\n---\n", Some("value tags \"b\""));
        check("---\ncovers: src/¦\n---\n", Some("value covers \"src/\""));
        check("---\nscope: ¦\n---\n", Some("value scope \"\""));
        check("ö [[ü¦", Some("wiki \"ü\" false"));
        check("¦", None);
    }
}
