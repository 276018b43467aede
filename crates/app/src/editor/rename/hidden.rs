//! What refers to files without being a link of Markdown: HTML, values of the front matter, facts. None of
//! it is edited; what a rename would break of it is in its way. Pure.

use super::super::{Buffer, fixes::encoded};
use elophanto_text::{
    entity::{Line, Page},
    markdown::{LinkKind, percent_decode},
};

/// Attributes of HTML that name files.
const ATTRIBUTES: [&str; 7] = ["href", "src", "srcset", "poster", "data", "cite", "background"];
/// Keys of the front matter whose words name no files.
const WORDS: [&str; 7] = ["title", "tags", "aliases", "scope", "created", "updated", "covers"];
/// Bytes of one value.
const MOST_VALUE: usize = 4096;

/// Something that may name a file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Named {
    /// From 1.
    pub line: usize,
    /// What it stands in, for people.
    pub place: &'static str,
    /// Of Markdown or of wikis.
    pub kind: LinkKind,
    /// Decoded as far as a link's is: percent signs are left to whoever resolves it.
    pub target: String,
    /// What stands behind `#`.
    pub heading: Option<String>,
    /// Of the front matter, a value that is no path: a file's name, if it is one at all.
    pub is_bare: bool,
}

/// All that a text names so.
pub fn named(text: &str) -> Vec<Named> {
    let buffer = Buffer::new(String::new(), text.to_owned());
    let mut found = front(&buffer);
    for (at, value) in attributes(text) {
        let (target, heading) = parted(&value);
        found.push(Named {
            line: buffer.line_at(at) + 1,
            place: "HTML",
            kind: LinkKind::Inline,
            target,
            heading,
            is_bare: false,
        });
    }
    found.extend(facts(text));
    found
}

/// What facts on a page of an entity were found in, and the notes that say otherwise.
fn facts(text: &str) -> Vec<Named> {
    if !text.contains("<!-- ") {
        return Vec::new();
    }
    let named = |line: Line| {
        let paths = line.source.into_iter().chain(line.against);
        paths.map(move |path| Named {
            line: line.number,
            place: "a fact",
            kind: LinkKind::Inline,
            target: encoded(&path),
            heading: None,
            is_bare: false,
        })
    };
    Page::parse(text).lines.into_iter().flat_map(named).collect()
}

fn parted(value: &str) -> (String, Option<String>) {
    match value.split_once('#') {
        Some((target, heading)) => (target.trim().to_owned(), Some(heading.trim().to_owned())),
        None => (value.trim().to_owned(), None),
    }
}

/// Values of attributes that name files, each with where its attribute begins. Tags are not looked for:
/// what stands in code is found too.
fn attributes(text: &str) -> Vec<(usize, String)> {
    let lower = text.to_ascii_lowercase();
    let mut found = Vec::new();
    for key in ATTRIBUTES {
        for (at, _) in lower.match_indices(key) {
            let rest = &text[at + key.len()..];
            let Some(value) = rest.trim_start().strip_prefix('=').map(str::trim_start) else {
                continue;
            };
            let value = &value[..value.floor_char_boundary(MOST_VALUE)];
            let value = match value.chars().next() {
                Some(quote @ ('"' | '\'')) => value[1..].split(quote).next(),
                _ => value.split(|char: char| char.is_whitespace() || char == '>').next(),
            };
            let value = characters(value.unwrap_or_default());
            if key == "srcset" {
                let each = value.split(',').filter_map(|it| it.split_whitespace().next());
                found.extend(each.map(|it| (at, it.to_owned())));
            } else {
                found.push((at, value.trim().to_owned()));
            }
        }
    }
    found
}

/// A value of HTML with its `&amp;` and `&#32;` as characters.
fn characters(value: &str) -> String {
    let mut out = String::with_capacity(value.len());
    let mut rest = value;
    while let Some(at) = rest.find('&') {
        let (before, from) = rest.split_at(at);
        out.push_str(before);
        // The longest there is has eight bytes.
        let near = &from[1..from.floor_char_boundary(10)];
        let name = near.split_once(';').map(|it| it.0);
        let char = name.and_then(|name| match name {
            "amp" => Some('&'),
            "quot" => Some('"'),
            "apos" => Some('\''),
            "lt" => Some('<'),
            "gt" => Some('>'),
            _ => {
                let number = name.strip_prefix('#')?;
                let code = match number.strip_prefix(['x', 'X']) {
                    Some(hex) => u32::from_str_radix(hex, 16).ok()?,
                    None => number.parse().ok()?,
                };
                char::from_u32(code)
            }
        });
        match (char, name) {
            (Some(char), Some(name)) => {
                out.push(char);
                rest = &from[name.len() + 2..];
            }
            _ => {
                out.push('&');
                rest = &from[1..];
            }
        }
    }
    out.push_str(rest);
    out
}

/// Values of the front matter that may name a note.
fn front(buffer: &Buffer) -> Vec<Named> {
    let Some(front) = buffer.front_matter() else { return Vec::new() };
    let is_toml = buffer.is_toml();
    let mut found = Vec::new();
    let mut key = String::new();
    for line in buffer.line_at(front.start)..buffer.line_at(front.end) {
        let text = buffer.line(line).trim();
        let mut value = text.strip_prefix("- ").unwrap_or(text);
        let mark = if is_toml { '=' } else { ':' };
        if let Some((name, rest)) = value.split_once(mark)
            && name.trim().chars().all(|char| char.is_alphanumeric() || "-_ ".contains(char))
            && (is_toml || rest.is_empty() || rest.starts_with(char::is_whitespace))
        {
            key = name.trim().to_ascii_lowercase();
            value = rest;
        }
        let quotes = |char: char| char.is_whitespace() || "\"',".contains(char);
        let mut push = |kind, value: &str, is_bare| {
            let (target, heading) = parted(value);
            let place = "the front matter";
            found.push(Named { line: line + 1, place, kind, target, heading, is_bare });
        };
        if value.contains("[[") {
            let wikis = value.split("[[").skip(1).filter_map(|rest| Some(rest.split_once("]]")?.0));
            wikis.for_each(|it| push(LinkKind::Wiki, it.split('|').next().unwrap_or(it), false));
            continue;
        }
        let whole = value.trim_matches(quotes);
        let listed = whole.trim_start_matches('[').trim_end_matches(']');
        let each = listed.split(',').map(|it| it.trim_matches(quotes));
        // A comma may be part of a name.
        for one in each.chain(listed.contains(',').then_some(whole)) {
            let is_path = one.contains(['/', '.']);
            if !one.is_empty() && key != "covers" && (is_path || !WORDS.contains(&key.as_str())) {
                push(LinkKind::Inline, one, !is_path);
            }
        }
    }
    found
}

/// A target as forges and sites read it where nothing lies at it: from the top of the repository, and
/// without what is asked behind `?`. `None` where it is read so already.
pub fn read_by_forges(target: &str) -> Option<String> {
    let bare = target.split('?').next().unwrap_or(target);
    let bare = bare.trim_start_matches('/');
    (bare.len() < target.len() && !bare.is_empty() && !target.starts_with("//"))
        .then(|| bare.to_owned())
}

/// Whether a name stands in a text, whatever the case of its letters, be it encoded as in an address.
pub fn mentions(text: &str, name: &str) -> bool {
    let (text, name) = (text.to_lowercase(), name.to_lowercase());
    let holds = |text: &str| text.contains(&name);
    !name.is_empty()
        && (holds(&text)
            || text.contains('%') && is_decoded(&text, &holds)
            || text.contains(['&', '\\']) && {
                let plain = characters(&text).replace('\\', "").to_lowercase();
                holds(&plain) || is_decoded(&plain, &holds)
            })
}

/// Whether an address, decoded, may be so.
fn is_decoded(text: &str, is_so: &dyn Fn(&str) -> bool) -> bool {
    percent_decode(text).is_none_or(|decoded| is_so(&decoded.to_lowercase()))
}

/// What bytes that are no text may say, in any of the encodings that are still in use.
pub fn guessed(bytes: &[u8]) -> String {
    let wide = |of: fn([u8; 2]) -> u16| {
        let pairs = bytes.chunks_exact(2).map(|pair| of([pair[0], pair[1]]));
        String::from_utf16_lossy(&pairs.collect::<Vec<_>>())
    };
    let narrow: String = bytes.iter().map(|&byte| char::from(byte)).collect();
    let utf8 = String::from_utf8_lossy(bytes);
    [&*utf8, &narrow, &wide(u16::from_le_bytes), &wide(u16::from_be_bytes)].join("\n")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_are_named_in_html_and_in_the_front_matter() {
        let check = |text: &str, expected: &[&str]| {
            let shown = named(text).into_iter().map(|it| {
                let heading = it.heading.map_or(String::new(), |it| format!("#{it}"));
                let kind = if it.kind == LinkKind::Wiki { "[[" } else { "" };
                let bare = if it.is_bare { "?" } else { "" };
                format!("{}:{kind}{}{heading}{bare}", it.line, it.target)
            });
            assert_eq!(shown.collect::<Vec<_>>(), expected, "{text:?}");
        };
        check("x\n<a\n href=\n\"a b.md#c\">", &["3:a b.md#c"]);
        check("<A HREF='my%20note.md'> <img src=pic.png>", &["1:my%20note.md", "1:pic.png"]);
        check("<img srcset=\"a.png 1x, b.png 2x\">", &["1:a.png", "1:b.png"]);
        check("<a href=\"a&amp;b&#32;c.md\">", &["1:a&b c.md"]);
        check("href is a word, src too", &[]);
        check("---\nup: \"[[one#Part|x]]\"\n---\n", &["2:[[one#Part"]);
        check("---\nrelated:\n  - b.md\ntags: [one, two]\n---\n", &["3:b.md"]);
        check("+++\nup = \"one\"\n+++\n", &["2:one?"]);
        let fact = "- X <!-- f:0123456789abcdef src:notes/otters.md against:notes/b.md -->\n";
        check(fact, &["1:notes/otters.md", "1:notes/b.md"]);
    }

    #[test]
    fn names_are_seen_through_encodings() {
        for text in
            ["my note", "(my%20note.md)", "my&#32;note", "my\\ note", "ä & ö; my&#x0020;note"]
        {
            assert!(mentions(text, "my note"), "{text}");
        }
        // What ends none is not looked for far behind.
        assert!(mentions(&format!("{}&#32;note", "&my".repeat(200_000)), "my note"));
        assert!(!mentions("another 100% note", "my note"));
        assert!(mentions(&guessed(b"o\0n\0e\0"), "one"));
        assert!(mentions(&guessed(b"\xfcber"), "\u{fc}ber"));
        assert_eq!(read_by_forges("/src/x.md?raw=true").as_deref(), Some("src/x.md"));
        assert_eq!(read_by_forges("src/x.md"), None);
    }
}
