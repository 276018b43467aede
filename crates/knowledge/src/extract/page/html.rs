//! The text of blocks of HTML within Markdown: what stands beside them without a blank line between, what
//! folds away, their headings, and paragraphs and items that are sentences. Captions and tables are left out.

/// Elements within which, and outside of all, text is read.
const READ: &[&str] = &["details", "div", "section"];
/// Elements within which sentences are read, and no captions and labels.
const TOLD: &[&str] = &["article", "blockquote", "body", "li", "main", "ol", "p", "ul"];
/// Bytes of what is a sentence there, and no caption.
const LEAST: usize = 70;
/// Elements within a text.
const INLINE: &[&str] = &[
    "a", "abbr", "b", "br", "code", "del", "em", "font", "i", "img", "ins", "kbd", "mark", "q",
    "s", "small", "span", "strong", "sub", "sup", "tt", "u", "var",
];
/// Elements within others that are told apart.
const DEEPEST: usize = 64;
/// Elements that nothing closes.
const VOID: &[&str] = &["hr", "img", "input", "link", "meta", "source", "wbr"];

/// Other names of elements.
const OTHERS: &[&str] = &[
    "article", "aside", "audio", "blockquote", "body", "button", "canvas", "caption", "center",
    "cite", "dd", "details", "dfn", "div", "dl", "dt", "embed", "figcaption", "figure", "footer",
    "form", "head", "header", "html", "iframe", "label", "li", "main", "map", "nav", "noscript",
    "object", "ol", "option", "p", "picture", "pre", "ruby", "samp", "script", "section", "select",
    "style", "summary", "svg", "table", "tbody", "td", "template", "tfoot", "th", "thead", "time",
    "title", "tr", "ul", "video", "wbr",
];

/// Whether what is written like a tag of HTML is none, and is to be read as it stands: `the <policy> element`.
pub(super) fn is_placeholder(tag: &str) -> bool {
    let name = tag.strip_prefix('<').and_then(|rest| rest.strip_suffix('>')).unwrap_or_default();
    let is_name = name.starts_with(|it: char| it.is_ascii_lowercase())
        && name.bytes().all(|it| it.is_ascii_lowercase() || it.is_ascii_digit() || it == b'-');
    let is_heading = name.len() == 2 && name.starts_with('h');
    let is_known = [INLINE, VOID, OTHERS].iter().any(|names| names.contains(&name));
    is_name && !is_known && !is_heading
}

/// The texts of a block of HTML, which is Markdown again, each with how many lines stand before it.
pub(super) fn texts(literal: &str) -> Vec<(usize, String)> {
    let mut found = Vec::new();
    let mut open: Vec<String> = Vec::new();
    let (mut text, mut from) = (String::new(), 0);
    let (mut rest, mut line) = (literal, 0);
    let mut is_said = false;
    let mut take = |text: &mut String, is_said: bool, from: usize, open: &[String]| {
        let before = text.len() - text.trim_start().len();
        let lines = text[..before].matches('\n').count();
        let bare: Vec<&str> = text.trim().lines().map(str::trim).collect();
        let is_heading = open.last().is_some_and(|name| level(name).is_some());
        let bare = bare.join(if is_heading { " " } else { "\n" });
        let is_within = open.iter().any(|name| TOLD.contains(&name.as_str()));
        let is_told = !is_within || bare.len() >= LEAST && bare.contains(['.', '!']);
        let mark = match open.last().map(String::as_str) {
            Some("li") => "- ".to_owned(),
            Some(name) => level(name).map_or_else(String::new, |level| "#".repeat(level) + " "),
            None => String::new(),
        };
        if is_said && (is_told || mark.starts_with('#')) {
            found.push((from + lines, mark + &bare));
        }
        text.clear();
    };
    let is_read = |open: &[String]| {
        let mut names = open.iter().map(String::as_str);
        names.all(|name| READ.contains(&name) || TOLD.contains(&name) || level(name).is_some())
    };
    while let Some(at) = rest.find('<') {
        let (before, tagged) = rest.split_at(at);
        let (tag, behind) = tagged.split_at(end_of_tag(tagged));
        let is_read = is_read(&open);
        let name = name_of(tag);
        if is_read {
            text.push_str(before);
            is_said |= before.contains(char::is_alphabetic);
        }
        match name {
            // Comments.
            _ if tag.starts_with("<!") || tag.starts_with("<?") => {}
            // `a < b`, and tags within a text.
            None => text.push_str(if is_read { tag } else { "" }),
            Some(name) if INLINE.contains(&name.as_str()) => {
                text.push_str(if is_read { tag } else { "" });
            }
            Some(name) => {
                take(&mut text, std::mem::take(&mut is_said), from, &open);
                from = line + before.matches('\n').count() + tag.matches('\n').count();
                if tag.starts_with("</") {
                    let opened = open.iter().rposition(|it| *it == name);
                    open.truncate(opened.unwrap_or(open.len()));
                } else if open.len() < DEEPEST
                    && !VOID.contains(&name.as_str())
                    && !tag.ends_with("/>")
                {
                    open.push(name);
                }
            }
        }
        line += before.matches('\n').count() + tag.matches('\n').count();
        rest = behind;
    }
    if is_read(&open) {
        text.push_str(rest);
        is_said |= rest.contains(char::is_alphabetic);
    }
    take(&mut text, is_said, from, &open);
    found
}

/// The level of a heading: 2 of `h2`.
fn level(name: &str) -> Option<usize> {
    let level = name.strip_prefix('h').filter(|_| name.len() == 2)?.parse().ok()?;
    (1..=6).contains(&level).then_some(level)
}

/// Bytes of the tag or comment that a text begins with; one if it begins with none.
fn end_of_tag(text: &str) -> usize {
    if text.starts_with("<!--") {
        return text.find("-->").map_or(text.len(), |at| at + "-->".len());
    }
    if text.starts_with("<!") || text.starts_with("<?") {
        return text.find('>').map_or(text.len(), |at| at + 1);
    }
    match name_of(text) {
        Some(_) => text.find('>').map_or(text.len(), |at| at + 1),
        None => 1,
    }
}

/// The name of a tag in lower case.
fn name_of(tag: &str) -> Option<String> {
    let inner = tag.strip_prefix("</").or(tag.strip_prefix('<'))?;
    let name: String = inner.chars().take_while(char::is_ascii_alphanumeric).collect();
    name.starts_with(|it: char| it.is_ascii_alphabetic()).then(|| name.to_lowercase())
}

#[cfg(test)]
mod tests {
    use super::{is_placeholder, texts};

    #[test]
    fn what_only_looks_like_a_tag_is_text() {
        for (tag, expected) in [
            ("<policy>", true),
            ("<file-name>", true),
            ("<b>", false),
            ("<h2>", false),
            ("<td>", false),
            ("<Tabs>", false),
            ("</policy>", false),
            ("<a href=\"x\">", false),
            ("<>", false),
        ] {
            assert_eq!(is_placeholder(tag), expected, "{tag}");
        }
    }

    #[test]
    fn text_beside_and_within_blocks_is_read() {
        for (literal, expected) in [
            (
                "<div>\n<img src=\"a\">\n</div>Foo is *old*.\nIt <b>is</b> big.\n",
                vec![(2, "Foo is *old*.\nIt <b>is</b> big.")],
            ),
            (
                "<details>\n<summary>More</summary>\n  Foo has 50 < 60 boxes.\n</details>\n",
                vec![(2, "Foo has 50 < 60 boxes.")],
            ),
            ("<p>A caption</p>\n<table><tr><td>x</td></tr></table>\n", vec![]),
            (
                "<h3>Old walls</h3>\n<ul>\n<li>Foo was built by Ann Hill, who had come there from Bar, in the year 1801.</li>\n<li>x</li></ul>",
                vec![
                    (0, "### Old walls"),
                    (
                        2,
                        "- Foo was built by Ann Hill, who had come there from Bar, in the year 1801.",
                    ),
                ],
            ),
            ("<!-- a > b -->\n<script>\nlet x;\n</script>\n", vec![]),
            ("</p></div>Foo<hr>Bar", vec![(0, "Foo"), (0, "Bar")]),
            ("<div a", vec![]),
        ] {
            let found = texts(literal);
            let found: Vec<(usize, &str)> =
                found.iter().map(|(line, text)| (*line, text.as_str())).collect();
            assert_eq!(found, expected, "{literal}");
        }
    }
}
