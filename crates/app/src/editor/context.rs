//! What is being typed at a place. Only the lines up to there are looked at: nothing is parsed.

use std::ops::Range;

use super::Buffer;

/// What is being typed. A target is all that is written of it already, also behind the cursor; `closing`
/// is what is missing behind it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Typing {
    /// The target of `[[...`.
    Wiki { target: Range<usize>, closing: &'static str },
    /// The target of `[text](...`; `is_pointed`: in `<`, where blanks are allowed.
    Path { target: Range<usize>, closing: &'static str, is_pointed: bool },
    /// A heading behind `#`: of the target that stands before it, which is empty for this text.
    Heading { target: String, range: Range<usize>, is_wiki: bool },
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
            let rest = behind.split("[[").next().unwrap_or(behind);
            let closed = rest.find("]]");
            let closing = if closed.is_some() { "" } else { "]]" };
            // Of what is not closed nobody knows how far it goes.
            let end = |ends: &[char]| closed.map_or(0, |at| rest[..at].find(ends).unwrap_or(at));
            Some(match typed.find('#') {
                Some(mark) => Typing::Heading {
                    target: typed[..mark].trim().to_owned(),
                    range: line.start + from + mark + 1..offset + end(&['|']),
                    is_wiki: true,
                },
                None => {
                    Typing::Wiki { target: line.start + from..offset + end(&['|', '#']), closing }
                }
            })
        }
        (_, Some(at)) => {
            let is_pointed = before[at + 2..].starts_with('<');
            let from = at + 2 + usize::from(is_pointed);
            let typed = &before[from..];
            if typed.contains("://") {
                return None;
            }
            let ends: &[char] = if is_pointed { &['>', '<', ')'] } else { &[')', '(', ' ', '\t'] };
            let until = behind.find(ends);
            let (closing, until) = match until
                .and_then(|at| Some((at, behind[at..].chars().next()?)))
            {
                Some((at, '>')) => ("", at),
                Some((at, ')')) => (if is_pointed { ">" } else { "" }, at),
                // A title behind it.
                Some((at, ' ' | '\t')) if behind[at..].trim_start().starts_with(['"', '\'']) => {
                    ("", at)
                }
                _ => (if is_pointed { ">)" } else { ")" }, 0),
            };
            Some(match typed.find('#') {
                Some(mark) => Typing::Heading {
                    target: typed[..mark].to_owned(),
                    range: line.start + from + mark + 1..offset + until,
                    is_wiki: false,
                },
                None => {
                    let end = behind[..until].find('#').unwrap_or(until);
                    Typing::Path { target: line.start + from..offset + end, closing, is_pointed }
                }
            })
        }
        _ => None,
    }
}

/// Whether a line stands in fenced code.
fn is_in_fence(buffer: &Buffer, until: usize) -> bool {
    // The letter that opened the code, and how many of it at least close it.
    let mut open: Option<(char, usize)> = None;
    let text = buffer.text.get(..until).unwrap_or_default();
    for line in text.lines().map(str::trim_start) {
        // Nearly every line is passed over by its first byte.
        let Some(mark @ ('`' | '~')) = line.chars().next() else { continue };
        let rest = line.trim_start_matches(mark);
        let length = line.len() - rest.len();
        match open {
            None if length >= 3 && !(mark == '`' && rest.contains(mark)) => {
                open = Some((mark, length));
            }
            Some((opened, least))
                if opened == mark && length >= least && rest.trim().is_empty() =>
            {
                open = None;
            }
            _ => {}
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
        let part = |range: Range<usize>| &buffer.text[range];
        let shown = typing(&buffer, offset).map(|typing| match typing {
            Typing::Wiki { target, closing } => format!("wiki {:?} {closing}", part(target)),
            Typing::Path { target, closing, .. } => format!("path {:?} {closing}", part(target)),
            Typing::Heading { target, range, is_wiki } => {
                format!("heading {target:?} {:?} {is_wiki}", part(range))
            }
            Typing::Key { from } => format!("key {:?}", typed(from)),
            Typing::Value { key, from } => format!("value {key} {:?}", typed(from)),
        });
        assert_eq!(shown.as_deref(), expected, "{text:?}");
    }

    #[test]
    fn what_is_typed_is_seen_by_the_lines_before_it() {
        check("see [[on¦", Some("wiki \"on\" ]]"));
        check("see [[on¦]] and", Some("wiki \"on\" "));
        check("see [[on¦ and [[two]]", Some("wiki \"on\" ]]"));
        check("see [[ri¦xyz]]", Some("wiki \"rixyz\" "));
        check("see [[ri¦ver#Part|x]]", Some("wiki \"river\" "));
        check("[[one#Pa¦rt|x]]", Some("heading \"one\" \"Part\" true"));
        check("[x](ri¦ve.md)", Some("path \"rive.md\" "));
        check("[x](ri¦ve.md#part)", Some("path \"rive.md\" "));
        check("[x](ri¦ve.md \"title\")", Some("path \"rive.md\" "));
        check("[x](ri¦ and [y](z)", Some("path \"ri\" )"));
        check("[x](<ri¦ve.md>)", Some("path \"rive.md\" "));
        check("[x](<ri¦)", Some("path \"ri\" >"));
        check("see [[one]] ¦", None);
        check("[[one|sho¦", None);
        check("[[one#Pa¦", Some("heading \"one\" \"Pa\" true"));
        check("[x](../a#b¦", Some("heading \"../a\" \"b\" false"));
        check("[x](#b¦)", Some("heading \"\" \"b\" false"));
        check("[x](a¦)", Some("path \"a\" "));
        check("[x](<a b¦", None);
        check("[x](<a¦", Some("path \"a\" >)"));
        check("[x](https://e¦", None);
        check("[x](a.md \"ti¦", None);
        check("```\n[[on¦", None);
        check("```\n```\n[[on¦", Some("wiki \"on\" ]]"));
        check("````\n```\n[[on¦", None);
        check("```\n```rust\n[[on¦", None);
        check("```a```\n[[on¦", Some("wiki \"on\" ]]"));
        check("---\nti¦\n---\n", Some("key \"ti\""));
        check("---\ntags: [a, b¦]\n---\n", Some("value tags \"b\""));
        check("---\ntags:\n  - a\n  - \"b¦\n---\n", Some("value tags \"b\""));
        check("---\ncovers: src/¦\n---\n", Some("value covers \"src/\""));
        check("---\nscope: ¦\n---\n", Some("value scope \"\""));
        check("ö [[ü¦", Some("wiki \"ü\" ]]"));
        check("¦", None);
    }
}
