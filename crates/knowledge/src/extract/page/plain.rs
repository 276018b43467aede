//! What plain texts are marked with otherwise than Markdown: quotation marks of German, `>>so<<`, in which that would
//! see a quotation where a line begins with one, and items behind `•`.

use std::borrow::Cow;

/// Most bytes of what stands between them.
const MOST: usize = 200;

/// Marks of items; a bare dash is Markdown's own.
const BULLETS: &[char] = &['•', '‣', '◦', '·', '▪'];

/// The text as Markdown. Lines stay lines.
pub(super) fn as_markdown(text: &str) -> Cow<'_, str> {
    match with_items(text) {
        Some(text) => Cow::Owned(with_quotes(&text).into_owned()),
        None => with_quotes(text),
    }
}

/// The text with a dash for each mark of an item; none if there is none.
fn with_items(text: &str) -> Option<String> {
    let item = |line: &str| {
        let bare = line.trim_start_matches([' ', '\t']);
        let rest = bare.strip_prefix(BULLETS)?;
        let blanks = &line[..line.len() - bare.len()];
        rest.starts_with([' ', '\t']).then(|| format!("{blanks}-{rest}"))
    };
    if !text.contains(BULLETS) {
        return None;
    }
    Some(
        text.split_inclusive('\n')
            .map(|line| item(line).unwrap_or_else(|| line.to_owned()))
            .collect(),
    )
}

/// The text with quotation marks for those of plain texts.
fn with_quotes(text: &str) -> Cow<'_, str> {
    if !text.contains(">>") || !text.contains("<<") {
        return Cow::Borrowed(text);
    }
    let mut kept = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(at) = rest.find(">>") {
        let (before, from) = rest.split_at(at);
        kept.push_str(before);
        let head = &from[2..from.floor_char_boundary(MOST)];
        let end = head.find("<<").filter(|end| is_quoted(&head[..*end]));
        let opens = kept.is_empty() || kept.ends_with([' ', '\n', '(']);
        match end.filter(|_| opens) {
            Some(end) => {
                kept.push_str(&format!("“{}”", &head[..end]));
                rest = &from[2 + end + 2..];
            }
            None => {
                kept.push_str(">>");
                rest = &from[2..];
            }
        }
    }
    kept.push_str(rest);
    Cow::Owned(kept)
}

fn is_quoted(said: &str) -> bool {
    let ends = said.chars().next().into_iter().chain(said.chars().next_back());
    !said.is_empty()
        && !said.contains("\n\n")
        && !said.contains(">>")
        && ends.clone().all(|it| !it.is_whitespace())
}

#[cfg(test)]
mod tests {
    use super::as_markdown;

    #[test]
    fn marks_of_plain_texts_are_markdown() {
        for (text, expected) in [
            (">>Not: yes<< ist, (>>a\nb<<).", "“Not: yes” ist, (“a\nb”)."),
            ("a >> b << c, x>>1 <<2", "a >> b << c, x>>1 <<2"),
            (">> Quoted\n>> twice", ">> Quoted\n>> twice"),
            (">>a\n\nb<<", ">>a\n\nb<<"),
            (">>", ">>"),
            (">><<", ">><<"),
            ("• one\n  ◦ two\n3 • 4\n•5", "- one\n  - two\n3 • 4\n•5"),
        ] {
            assert_eq!(as_markdown(text), expected);
        }
    }
}
