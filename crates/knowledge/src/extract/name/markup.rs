//! Residue of templates and markup, and addresses.

/// Braces, unfilled fields, what language models leave around their answers.
pub(super) fn is_template(name: &str, _: &[&str]) -> bool {
    let lower = name.to_lowercase();
    name.contains(['{', '}'])
        || lower.contains("confidence score")
        || lower.contains("-brief:")
        || lower.contains("<%")
        || lower.contains("%>")
        || lower.contains("${")
        || matches!(name, "%s" | "%d" | "%v" | "%@")
        || is_placeholder(name)
        || lower.starts_with("[insert ")
        || ["confidence:", "entity:", "name:", "topic:", "description:", "score:"]
            .iter()
            .any(|field| lower.starts_with(field))
        || matches!(lower.as_str(), "entities:" | "facts:" | "names:" | "topics:")
}

/// `@@VERSION@@`, `%NAME%`.
fn is_placeholder(name: &str) -> bool {
    ["@@", "%", "__%"].iter().any(|mark| {
        let inner = name.strip_prefix(mark).and_then(|rest| rest.strip_suffix(mark));
        inner.is_some_and(|inner| {
            !inner.is_empty()
                && inner
                    .bytes()
                    .all(|byte| byte.is_ascii_uppercase() || byte == b'_' || byte.is_ascii_digit())
        })
    })
}

/// Marks of Markdown and HTML.
pub(super) fn is_markup(name: &str, words: &[&str]) -> bool {
    let first = words.first().copied().unwrap_or_default();
    let block = words.len() > 1
        && (matches!(first, "-" | "*" | "+" | ">" | "•")
            || (first.len() <= 6 && first.bytes().all(|byte| byte == b'#')));
    let bars = name.starts_with('|') || name.ends_with('|') || name.contains(" | ");
    block
        || bars
        || name.contains("**")
        || name.contains('`')
        || name.contains("~~")
        || name.contains("](")
        || name.contains("[[")
        || name.contains("![")
        || name.starts_with("[^")
        || ["\\*", "\\_", "\\#", "\\[", "\\`"].iter().any(|escape| name.contains(escape))
        || is_strong_word(name)
        || is_tagged(name)
        || is_emphasised(words, '*')
        || (words.len() > 1 && is_emphasised(words, '_'))
}

/// `__Kubernetes__`; `__init__` is a name.
fn is_strong_word(name: &str) -> bool {
    let inner = name.strip_prefix("__").and_then(|rest| rest.strip_suffix("__"));
    inner.is_some_and(|inner| {
        inner.starts_with(char::is_uppercase) && inner.chars().any(char::is_lowercase)
    })
}

/// An HTML tag or entity: `<br>`, `</a>`, `&nbsp;`.
fn is_tagged(name: &str) -> bool {
    let tag = name.split('<').skip(1).any(|after| {
        after.starts_with(|char: char| char == '/' || char == '!' || char.is_ascii_alphabetic())
            && after.contains('>')
            // `Vec<T>` and `Map<String, u8>` are names of types.
            && (after.starts_with(['/', '!']) || after.starts_with(|c: char| c.is_ascii_lowercase()))
            && name.starts_with('<')
    });
    let closing = name.contains("</") || name.contains("/>") || name.contains("<br");
    let entity = name.split('&').skip(1).any(|after| {
        after.split_once(';').is_some_and(|(inner, _)| {
            (2..=8).contains(&inner.len())
                && inner.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'#')
        })
    });
    tag || closing || entity
}

/// A mark that opens at one word and closes at the same or a later one: `M*A*S*H` does not.
fn is_emphasised(words: &[&str], mark: char) -> bool {
    let opens = words.iter().position(|word| word.starts_with(mark) && word.len() > 1);
    let closes = words.iter().rposition(|word| word.ends_with(mark) && word.len() > 1);
    matches!((opens, closes), (Some(open), Some(close)) if open <= close)
}

/// URLs, mail addresses, paths.
pub(super) fn is_address(_: &str, words: &[&str]) -> bool {
    words.iter().any(|word| {
        let word = word.trim_matches(|char: char| "<>()[]\"',;".contains(char));
        let lower = word.to_lowercase();
        let mail = lower.split_once('@').is_some_and(|(user, host)| {
            !user.is_empty() && host.contains('.') && !host.starts_with('.')
        });
        lower.contains("://")
            || lower.starts_with("www.")
            || lower.starts_with("mailto:")
            || (mail && !lower.starts_with('@'))
            || is_path(word)
            || has_host_and_path(&lower)
    })
}

/// `example.com/guide`. A host alone may be a name: `Booking.com`, `node.js`.
fn has_host_and_path(word: &str) -> bool {
    const ENDS: &[&str] =
        &["com", "org", "net", "io", "dev", "gov", "edu", "info", "co", "uk", "de", "ai", "app"];
    let Some((host, path)) = word.split_once('/') else { return false };
    let Some((site, end)) = host.rsplit_once('.') else { return false };
    !site.is_empty() && !path.is_empty() && ENDS.contains(&end)
}

/// `/docs/index.html`, `../logo.png`, `#installation`. `/e/OS` and `#MeToo` are names.
fn is_path(word: &str) -> bool {
    let relative = word.starts_with("../") || word.starts_with("./");
    let file =
        word.starts_with('/') && word.rsplit('/').next().is_some_and(|last| last.contains('.'));
    let fragment = word.strip_prefix('#').is_some_and(|rest| {
        rest.len() > 2 && rest.bytes().all(|byte| byte.is_ascii_lowercase() || byte == b'-')
    });
    relative || file || fragment
}
