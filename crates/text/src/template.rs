//! What template languages leave in Markdown: `{{< note >}}`, `{% raw %}`, `{#id}`, `:::tip`, and marks of
//! sources: `[1]`, `[^note]`. They go; lines stay lines. And the marks of blocks: `[!note]`, `^id`.

use std::borrow::Cow;

/// Most bytes between the marks of a template.
const MAX_TEMPLATE: usize = 400;

/// The text without templates. The number of lines stays.
pub fn without_templates(text: &str) -> Cow<'_, str> {
    if !text.contains(['{', ':', '[']) {
        return Cow::Borrowed(text);
    }
    let mut kept = String::with_capacity(text.len());
    for line in text.split_inclusive('\n') {
        if line.trim_start().starts_with(":::") {
            // Blank, so that what stands inside is a paragraph of its own.
            kept.push_str(&line[line.trim_end_matches(['\r', '\n']).len()..]);
            continue;
        }
        let (mut rest, mut ticks) = (line, 0);
        while let Some(at) = rest.find(['{', '[']) {
            let (before, from) = rest.split_at(at);
            kept.push_str(before);
            ticks += before.matches('`').count();
            let length =
                template(from).or_else(|| reference(&kept, from)).filter(|_| ticks % 2 == 0);
            let (kept_part, after) = from.split_at(length.unwrap_or(1));
            kept.push_str(if length.is_some() { "" } else { kept_part });
            rest = after;
        }
        kept.push_str(rest);
    }
    Cow::Owned(kept)
}

/// The title of a callout behind its mark, as its first line has it: `[!tip]- Use links`; `None` for any other
/// line.
pub fn callout_title(line: &str) -> Option<&str> {
    let (kind, rest) = line.strip_prefix("[!")?.split_once(']')?;
    let is_kind = kind.contains(char::is_alphanumeric)
        && kind.chars().all(|char| char.is_alphanumeric() || "-_| ".contains(char));
    let title = rest.strip_prefix(['+', '-']).unwrap_or(rest);
    let is_apart = title.is_empty() || title.starts_with(char::is_whitespace);
    (is_kind && is_apart).then(|| title.trim())
}

/// A block without the name that links of Obsidian call it by, at its end: `It is kept. ^kept`.
pub fn without_block_id(block: &str) -> &str {
    let Some((said, id)) = block.trim_end().rsplit_once('^') else { return block };
    // `2 ^10` is a number.
    let is_id = id.contains(|char: char| char.is_ascii_alphabetic())
        && id.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'-');
    let is_apart = said.is_empty() || said.ends_with(char::is_whitespace);
    if is_id && is_apart { said.trim_end() } else { block }
}

/// Names of the tags of HTML that stand within a line.
const TAGS: [&str; 22] = [
    "a", "abbr", "b", "br", "code", "del", "div", "em", "i", "img", "ins", "kbd", "mark", "p", "s",
    "small", "span", "strong", "sub", "sup", "u", "wbr",
];

/// A line without tags of HTML, outside of code: `<br />`, `<a id="x">`. What only looks like one stays:
/// `<name>`.
pub fn without_tags(line: &str) -> Cow<'_, str> {
    if !line.contains('<') {
        return Cow::Borrowed(line);
    }
    let mut kept = String::with_capacity(line.len());
    let (mut rest, mut ticks) = (line, 0);
    while let Some(at) = rest.find('<') {
        let (before, from) = rest.split_at(at);
        kept.push_str(before);
        ticks += before.matches('`').count();
        let length = tag(from).filter(|_| ticks % 2 == 0);
        if length.is_some() && from.starts_with("<br") {
            kept.push(' ');
        }
        let (kept_part, after) = from.split_at(length.unwrap_or(1));
        kept.push_str(if length.is_some() { "" } else { kept_part });
        rest = after;
    }
    kept.push_str(rest);
    Cow::Owned(kept)
}

/// The length of a tag that begins here.
fn tag(from: &str) -> Option<usize> {
    let head = &from[..from.floor_char_boundary(MAX_TEMPLATE)];
    let inner = head.strip_prefix('<')?.trim_start_matches('/');
    let end = head.find('>')?;
    let name: String = inner.chars().take_while(char::is_ascii_alphanumeric).collect();
    let is_tag = TAGS.contains(&name.to_ascii_lowercase().as_str())
        && inner[name.len()..].starts_with([' ', '/', '>', '\n', '\t']);
    is_tag.then_some(end + 1)
}

/// The length of a template that begins here.
fn template(from: &str) -> Option<usize> {
    let head = &from[..from.floor_char_boundary(MAX_TEMPLATE)];
    let marks = [("{{", "}}"), ("{%", "%}"), ("{#", "}"), ("{:", "}"), ("{.", "}")];
    let (open, close) = marks.into_iter().find(|(open, _)| head.starts_with(open))?;
    head.find(close).filter(|end| *end >= open.len()).map(|end| end + close.len())
}

/// The length of the mark of a source behind a word: `old.[1]`, `[^note]`, `[citation needed]`. What is
/// behind a blank, unless a comma is before it, or begins a line is something else.
fn reference(before: &str, from: &str) -> Option<usize> {
    const MOST: usize = 40;
    let inner = from.strip_prefix('[')?;
    let end = inner.find(']').filter(|end| *end <= MOST)?;
    let (word, rest) = (&inner[..end], &inner[end + 1..]);
    let counts = |word: &str| {
        (1..=3).contains(&word.len()) && word.bytes().all(|byte| byte.is_ascii_digit())
    };
    let is_number = counts(word) && word != "0";
    // `old.[1][2]`
    let next = rest.strip_prefix('[').and_then(|rest| rest.split_once(']'));
    let is_followed = is_number && next.is_some_and(|(next, _)| counts(next));
    let is_behind =
        before.ends_with(|char: char| char.is_alphanumeric() || ".,;)\"”".contains(char));
    // `in the West, [3] [1] named`
    let is_behind = is_behind
        || before.ends_with(' ')
            && before
                .trim_end_matches(' ')
                .strip_suffix([',', ';'])
                .is_some_and(|said| said.ends_with(char::is_alphabetic));
    let is_note = word.starts_with('^') && word.len() > 1 || word.ends_with(" needed");
    let is_link = rest.starts_with(['(', '[', ':']) && !rest.starts_with("[^") && !is_followed;
    ((is_number && is_behind || is_note) && !is_link).then_some(end + 2)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tags_go_and_what_looks_like_them_stays() {
        for (line, expected) in [
            ("<a id=\"x\" href=\"#x\">`tls`</a> is<br />on.", "`tls` is on."),
            ("Set <name> to `<br>` or a < b > c.", "Set <name> to `<br>` or a < b > c."),
            ("<https://a.example> <author> <p>x</P>", "<https://a.example> <author> x"),
            ("<a never closed", "<a never closed"),
            ("<", "<"),
        ] {
            assert_eq!(without_tags(line), expected, "{line}");
        }
    }

    #[test]
    fn marks_of_blocks_are_told_from_what_they_say() {
        for (line, expected) in [
            ("[!NOTE]", Some("")),
            ("[!tip]- Use links", Some("Use links")),
            ("[!my-kind]+", Some("")),
            ("[!info|right] Wide", Some("Wide")),
            ("[!note](x.md)", None),
            ("[!] not so", None),
            ("[note] text", None),
        ] {
            assert_eq!(callout_title(line), expected, "{line}");
        }
        for (block, expected) in [
            ("It is kept. ^kept-1", "It is kept."),
            ("^37066d\n", ""),
            ("Two ^a ^b", "Two ^a"),
            ("2 ^10", "2 ^10"),
            ("x^n", "x^n"),
            ("Ends in ^", "Ends in ^"),
            ("A ^note of it", "A ^note of it"),
        ] {
            assert_eq!(without_block_id(block), expected, "{block}");
        }
    }

    #[test]
    fn templates_and_marks_of_sources_go() {
        for (text, expected) in [
            ("A {{< tip >}}Pod{{< /tip >}} is.", "A Pod is."),
            ("{{AvailableSidebar}}a{% raw %}b", "ab"),
            ("# T {#t}\n:::tip\nx\n:::\n", "# T \n\nx\n\n"),
            ("a[^1] [x](y) {a} {", "a [x](y) {a} {"),
            ("{{ never closed", "{{ never closed"),
            ("Use `{{ name }}` here{{< br >}}.", "Use `{{ name }}` here."),
            ("It is old.[1][2][31] So [x][1] is.", "It is old. So [x][1] is."),
            ("Bit `reg[1]` is set.[1]", "Bit `reg[1]` is set."),
            (
                "It is old.[12] So[citation needed] it goes. [2] one",
                "It is old. So it goes. [2] one",
            ),
            ("It is in the West, [3] [1] named so.", "It is in the West,   named so."),
            ("The cells [1], [2] and [3]; [[0], [1]]", "The cells [1], [2] and [3]; [[0], [1]]"),
            ("[1]: http://x", "[1]: http://x"),
        ] {
            assert_eq!(without_templates(text), expected, "{text}");
        }
    }
}
