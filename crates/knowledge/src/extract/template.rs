//! What template languages leave in Markdown: `{{< note >}}`, `{% raw %}`, `{{Glossary("x")}}`,
//! `{#id}`, `:::tip`. What they would show stays, the rest goes; lines stay lines.

use std::borrow::Cow;

/// Most bytes between the marks of a template.
const MAX_TEMPLATE: usize = 400;

/// The text without templates. The number of lines stays.
pub(super) fn without_templates(text: &str) -> Cow<'_, str> {
    if !text.contains(['{', ':', '[']) {
        return Cow::Borrowed(text);
    }
    let text = without_braces(text);
    let mut kept = String::with_capacity(text.len());
    let text = text.as_ref();
    for line in text.split_inclusive('\n') {
        let bare = line.trim_start();
        if bare.starts_with(":::") {
            // Blank, so that what stands inside is a paragraph of its own.
            kept.push_str(&line[line.trim_end_matches(['\r', '\n']).len()..]);
            continue;
        }
        push_line(line, &mut kept);
    }
    Cow::Owned(kept)
}

/// The text without the braces in which some dictionaries put names: `{Unix}`, `{operating system}`.
/// Where they are many and hold words, they hold nothing else.
fn without_braces(text: &str) -> Cow<'_, str> {
    /// Words in braces that make them marks of names.
    const LEAST: usize = 5;
    let spans: Vec<(usize, usize)> = text
        .match_indices('{')
        .filter_map(|(at, _)| {
            let before = text[..at].chars().next_back();
            let opens = before.is_none_or(|char| char.is_whitespace() || matches!(char, '(' | '"'));
            let head = &text[at + 1..text.floor_char_boundary((at + 80).min(text.len()))];
            let inner = &head[..head.find('}')?];
            let end = at + 1 + inner.len();
            let behind = text[end + 1..].chars().next();
            let closes = behind.is_none_or(|char| !char.is_alphanumeric() || char.is_lowercase());
            let words = !inner.contains("\n\n")
                && inner.starts_with(char::is_alphanumeric)
                && !inner.contains(['{', '=', '"', '`', '_', '<', '$', '#', '%']);
            (opens && closes && words).then_some((at, end))
        })
        .collect();
    let names = |&&(at, end): &&(usize, usize)| {
        text[at..end].chars().any(|char| char.is_uppercase() || char == ' ')
    };
    if spans.iter().filter(names).count() < LEAST {
        return Cow::Borrowed(text);
    }
    let mut kept = String::with_capacity(text.len());
    let mut from = 0;
    for (at, end) in spans {
        kept.push_str(&text[from..at]);
        kept.push_str(&text[at + 1..end]);
        from = end + 1;
    }
    kept.push_str(&text[from..]);
    Cow::Owned(kept)
}

fn push_line(line: &str, kept: &mut String) {
    let mut rest = line;
    // Whether the part that was read has a back tick without another.
    let mut is_code = false;
    while let Some(at) = rest.find(['{', '[']) {
        let (before, from) = rest.split_at(at);
        kept.push_str(before);
        is_code ^= has_odd_ticks(before);
        let mark = reference(line, line.len() - from.len(), is_code);
        if mark.is_some_and(|length| ends_part(&from[length..])) {
            kept.truncate(kept.trim_end_matches([' ', '\u{a0}']).len());
        }
        let (shown, after) = mark
            .map(|length| ("", &from[length..]))
            .or_else(|| template(from))
            .unwrap_or_else(|| from.split_at(1));
        kept.push_str(shown);
        is_code ^= has_odd_ticks(&from[..from.len() - after.len()]);
        rest = after;
    }
    kept.push_str(rest);
}

fn has_odd_ticks(part: &str) -> bool {
    #[cfg(test)]
    READ.with(|read| read.set(read.get() + part.len()));
    part.matches('`').count() % 2 == 1
}

#[cfg(test)]
thread_local! {
    /// Bytes in which back ticks were counted.
    static READ: std::cell::Cell<usize> = const { std::cell::Cell::new(0) };
}

/// What a template shows, and what follows it.
fn template(from: &str) -> Option<(&str, &str)> {
    let head = &from[..from.floor_char_boundary(MAX_TEMPLATE)];
    for (open, close) in [("{{<", ">}}"), ("{{%", "%}}"), ("{{", "}}"), ("{%", "%}")] {
        if let Some(inner) = head.strip_prefix(open) {
            let end = inner.find(close)?;
            let shown = if open == "{%" { "" } else { shown(&inner[..end]) };
            return Some((shown, &from[open.len() + end + close.len()..]));
        }
    }
    for open in ["{#", "{:", "{."] {
        if let Some(inner) = head.strip_prefix(open) {
            let end = inner.find('}')?;
            return Some(("", &from[open.len() + end + 1..]));
        }
    }
    // A footnote's mark, and what forges begin a callout with.
    for open in ["[^", "[!"] {
        if let Some(inner) = head.strip_prefix(open) {
            let end = inner.find(']')?;
            let word = &inner[..end];
            let plain = !word.is_empty()
                && word.chars().all(|char| char.is_alphanumeric() || char == '-' || char == '_');
            let target = inner[end + 1..].starts_with(['(', '[']);
            return (plain && !target).then_some(("", &from[open.len() + end + 1..]));
        }
    }
    None
}

/// The length of a mark of a source that begins here, outside of code and behind what it is a source
/// of: `[1]`, `[citation needed]`, `[\[2\]](#note)`.
fn reference(line: &str, at: usize, is_code: bool) -> Option<usize> {
    const LONGEST: usize = 300;
    let (before, from) = line.split_at(at);
    let head = &from[..from.floor_char_boundary(LONGEST.min(from.len()))];
    // Code counts from zero, and what begins a line is a definition.
    let behind = before.trim_end_matches('\\').chars().next_back()?;
    if is_code || before.trim().is_empty() {
        return None;
    }
    let mut inner = head.strip_prefix('[')?;
    let nested = inner.strip_prefix('[').or(inner.strip_prefix("\\["));
    inner = nested.unwrap_or(inner);
    let end = inner.find(']')?;
    let word = inner[..end].trim_matches(|char| matches!(char, '*' | '_' | '\\' | ' '));
    let number = word.trim_start_matches("note ").trim_start_matches("nb ");
    let counts = !number.is_empty()
        && number.len() <= 3
        // `reg[0]`: sources count from one.
        && number != "0"
        && (number.bytes().all(|byte| byte.is_ascii_digit())
            || number.len() == 1
                && number.bytes().all(|byte| byte.is_ascii_lowercase())
                && nested.is_some());
    let close = head.len() - inner.len() + end + 1;
    let length = match nested {
        Some(_) => close + head[close..].find(']')? + 1,
        None => close,
    };
    let rest = &head[length..];
    let target = rest.starts_with('(').then(|| rest.find(')')).flatten();
    // A link is one, whatever its text begins with; a doubt that is linked is set apart.
    let is_set_apart = target.is_none() || nested.is_some() || inner.starts_with(['*', '_']);
    let doubts = is_set_apart && DOUBTS.iter().any(|doubt| word.to_lowercase().starts_with(doubt));
    // `parish [sv],`: the same in a wiki of another language.
    let languages = || {
        let all = word.split("; ").all(|it| it.len() == 2 && it.bytes().all(is_small));
        (all || word.eq_ignore_ascii_case("wikidata")) && target.is_none() && nested.is_none()
    };
    let languages = languages() && (before.ends_with(char::is_whitespace) || ends_part(rest));
    // `of the mountain [12].`, and not `presented in [12].`
    let set_apart = || {
        let word = before.trim_end().rsplit([' ', '(']).next().unwrap_or_default();
        let cites = CITING.contains(&word.trim_end_matches(',').to_lowercase().as_str());
        before.ends_with(char::is_whitespace) && ends_part(rest) && !cites && nested.is_none()
    };
    let doubts = doubts || languages;
    let attached = !behind.is_whitespace() || doubts || counts && set_apart();
    let is_link = target.is_some() && nested.is_none() && !doubts;
    let defines = rest.starts_with([':', '[']) && nested.is_none() && !rest.starts_with("[");
    ((counts && attached && !is_link || doubts) && !defines)
        .then_some(length + target.map_or(0, |end| end + 1))
}

fn is_small(byte: u8) -> bool {
    byte.is_ascii_lowercase()
}

/// Whether nothing but an end of a part of a sentence, or another mark, follows a mark.
fn ends_part(rest: &str) -> bool {
    let rest = rest.trim_start_matches(' ');
    rest.trim_end().is_empty() || rest.starts_with(['.', ',', ';', '!', '?', ')', '[', '"', '”'])
}

/// Words behind which a number in brackets is what is spoken of.
const CITING: &[&str] = &[
    "also", "and", "are", "by", "cf", "cf.", "from", "in", "is", "of", "on", "or", "ref", "ref.",
    "see", "that", "the", "to", "with",
];

/// How readers mark what they doubt.
const DOUBTS: &[&str] = &[
    "citation needed",
    "clarification needed",
    "better source needed",
    "dubious",
    "when?",
    "who?",
    "which?",
    "by whom?",
    "according to whom?",
    "failed verification",
    "original research",
    "needs update",
    "update",
    "vague",
    "weasel words",
    "page needed",
    "verification needed",
    "disputed",
    "not verified in body",
    "why?",
    "where?",
];

/// `text="Pods"` of a shortcode, or the last word in quotes of a macro call that begins with a
/// capital: `{{Glossary("dom", "DOM")}}`.
fn shown(inner: &str) -> &str {
    if let Some((_, after)) = inner.split_once("text=\"") {
        return after.split('"').next().unwrap_or_default();
    }
    let inner = inner.trim();
    let call = inner.split_once('(').filter(|(name, _)| {
        !name.is_empty() && name.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_')
    });
    let Some((name, arguments)) = call else { return "" };
    let links = ["glossary", "xref", "link"].iter().any(|part| name.to_lowercase().contains(part));
    if !links {
        return "";
    }
    let mut quoted =
        arguments.split(['"', '\'']).skip(1).step_by(2).filter(|part| !part.is_empty());
    let first = quoted.next().unwrap_or_default();
    quoted.next().unwrap_or(first)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_byte_of_a_long_line_is_counted_once() {
        let line = "`a[0]` and [1] ".repeat(2_000);
        let before = READ.with(std::cell::Cell::get);
        let kept = without_templates(&line);
        let read = READ.with(std::cell::Cell::get) - before;
        assert_eq!(kept, "`a[0]` and [1] ".repeat(2_000));
        assert!(read <= line.len(), "{read} of {}", line.len());
    }

    #[test]
    fn templates_show_their_text() {
        let check = |text: &str, expected: &str| assert_eq!(without_templates(text), expected);
        check("A {{< tip text=\"Pod\" id=\"pod\" >}} is.", "A Pod is.");
        check("{{Glossary(\"dom\", \"DOM\")}} and {{domxref('Node')}}", "DOM and Node");
        check("{{AvailableSidebar}}a{% raw %}b", "ab");
        check("# T {#t}\n:::tip\nx\n:::\n", "# T \n\nx\n\n");
        check("a[^1] [!NOTE] [x](y) {a} {", "a  [x](y) {a} {");
        check("{{ never closed", "{{ never closed");
        check("Bit reg[0] is set.[1]", "Bit reg[0] is set.");
        check(
            "It is old [1] [11]. So al [27]. went [sv; no], x [wikidata] a  [de]. (\"B [de]\")",
            "It is old. So al. went, x  a. (\"B\")",
        );
        check(
            "It was shown in [12]. The rows [1] and [2] [no more]",
            "It was shown in [12]. The rows [1] and [2] [no more]",
        );
        check("It is old.[1] So[citation needed] it goes.[12][3] x", "It is old. So it goes. x");
        check(
            "Made in 1961[\\[2\\]](#cite_note-2) by [KEF](k) [note](n).",
            "Made in 1961 by [KEF](k) [note](n).",
        );
        check(
            "`a[1]` is [1](x), [2] one\n[1]: http://x",
            "`a[1]` is [1](x), [2] one\n[1]: http://x",
        );
        check(
            "{Acorn} and the {BBC} made {RISC} with {Apple Inc} for {Unix}, not /{id}.",
            "Acorn and the BBC made RISC with Apple Inc for Unix, not /{id}.",
        );
    }
}
