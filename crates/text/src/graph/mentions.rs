//! Which files a text names: paths in prose, code spans and code blocks, and symbols in code spans.
//!
//! Owns what counts as naming a file. A word that could be anything is passed over: a file name
//! counts only with an extension and if one file alone has it, a symbol only in a code span, only
//! if one file defines it, and only if it does not look like an ordinary word. Time is linear in
//! the text.

use rustc_hash::{FxHashMap, FxHashSet};

use super::paths::{Paths, file_name};

/// Bytes of a text that are read.
const MAX_TEXT: usize = 1024 * 1024;
/// Mentions of one text.
const MAX_MENTIONS: usize = 10_000;
/// Bytes of a path or symbol in a text.
const MAX_NAME: usize = 1024;
/// Symbols that are known at once; further ones are left out.
const MAX_SYMBOLS: usize = 1_000_000;
/// Characters that a symbol has at least.
const MIN_SYMBOL: usize = 4;
/// Parts of a qualified symbol that are looked at.
const MAX_PARTS: usize = 16;

/// A text names a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Mention<'p> {
    /// Line of the text, from 1.
    pub line: usize,
    /// One of the known paths.
    pub path: &'p str,
}

/// Names that one file alone defines.
#[derive(Debug, Clone, Default)]
pub struct Symbols {
    /// `None` for a name that several files define.
    files: FxHashMap<String, Option<String>>,
}

impl Symbols {
    /// Takes pairs of a name, which may be qualified (`retry::next`), and the path of the file that
    /// defines it. Kept are names of at least 4 characters with a capital behind the first
    /// character, an underscore or `::`, if all their pairs name one file.
    pub fn new(defined: impl IntoIterator<Item = (impl Into<String>, impl Into<String>)>) -> Self {
        let mut files: FxHashMap<String, Option<String>> = FxHashMap::default();
        for (name, path) in defined {
            let (name, path) = (name.into(), path.into());
            if !is_telling(&name) {
                continue;
            }
            if let Some(known) = files.get_mut(&name) {
                if known.as_ref() != Some(&path) {
                    *known = None;
                }
            } else if files.len() < MAX_SYMBOLS {
                files.insert(name, Some(path));
            }
        }
        Self { files }
    }

    /// The file that defines a name.
    pub fn get(&self, name: &str) -> Option<&str> {
        self.files.get(name)?.as_deref()
    }
}

/// The files that a text names, by line, each once a line. Of a text the first MiB is read, and at
/// most 10,000 mentions are returned.
pub fn mentions<'p>(text: &str, paths: &'p Paths, symbols: &Symbols) -> Vec<Mention<'p>> {
    let text = &text[..text.floor_char_boundary(MAX_TEXT)];
    let mut found = Vec::new();
    let mut fence = None;
    let mut named = FxHashSet::default();
    for (line, content) in (1..).zip(text.lines()) {
        let in_block = fence.is_some();
        fence = after_line(fence, content);
        let spans = if in_block || fence.is_some() { Vec::new() } else { code_spans(content) };
        let in_spans = spans.into_iter().filter_map(|span| {
            path_named(paths, span).or_else(|| paths.get(symbol_file(symbols, span)?))
        });
        let in_words = content
            .split(|char: char| !is_path_char(char))
            .filter(|word| word.contains(['/', '.']))
            .filter_map(|word| path_named(paths, word));
        named.clear();
        for path in in_words.chain(in_spans) {
            if named.insert(path) {
                found.push(Mention { line, path });
            }
            if found.len() == MAX_MENTIONS {
                return found;
            }
        }
    }
    found
}

fn is_path_char(char: char) -> bool {
    char.is_alphanumeric() || matches!(char, '_' | '-' | '.' | '/' | '@' | '+')
}

/// What a word means as a path. Marks of a sentence, of emphasis and of a mention (`@src/a.rs`) may
/// cling to it.
fn path_named<'p>(paths: &'p Paths, word: &str) -> Option<&'p str> {
    let word = word.trim_end_matches('.');
    let word = word.strip_prefix("./").unwrap_or(word);
    if word.len() > MAX_NAME {
        return None;
    }
    let look_up = |word: &str| {
        // Without an extension only a whole path is told from words like `read/write`.
        let known = if has_extension(word) { paths.ending(word) } else { None };
        known.or_else(|| paths.get(word).filter(|path| path.contains('/')))
    };
    let bare = word.trim_matches(['@', '_']);
    look_up(word).or_else(|| (bare != word).then(|| look_up(bare))?)
}

fn has_extension(path: &str) -> bool {
    file_name(path).rsplit_once('.').is_some_and(|(stem, extension)| {
        !stem.is_empty()
            && (1..=12).contains(&extension.len())
            && extension.bytes().all(|byte| byte.is_ascii_alphanumeric())
            && extension.bytes().any(|byte| byte.is_ascii_alphabetic())
    })
}

/// Whether a name is unlikely to be an ordinary word.
fn is_telling(name: &str) -> bool {
    name.len() <= MAX_NAME
        && name.chars().count() >= MIN_SYMBOL
        && (name.chars().skip(1).any(char::is_uppercase)
            || name.contains('_')
            || name.contains("::"))
}

/// The path of the file that defines what a code span names: `a::Name`, `Name::method()`,
/// `name.method`, `Name<T>`, `name!`.
fn symbol_file<'s>(symbols: &'s Symbols, span: &str) -> Option<&'s str> {
    let name = span.split(['(', '<', '!', '{']).next()?.trim();
    if name.len() > MAX_NAME || name.contains(char::is_whitespace) {
        return None;
    }
    if let Some(path) = symbols.get(name) {
        return Some(path);
    }
    let separator = if name.contains("::") { "::" } else { "." };
    let parts: Vec<&str> = name.split(separator).collect();
    // The standard library has names of its own.
    let others = matches!(parts.first(), Some(&("std" | "core" | "alloc")));
    if parts.len() > MAX_PARTS || others {
        return None;
    }
    // First with less around it (`crate::http::Retry`), then what holds it (`Retry::next`).
    let ends = (1..parts.len()).map(|start| &parts[start..]);
    let beginnings = (1..parts.len()).rev().map(|end| &parts[..end]);
    ends.chain(beginnings).find_map(|parts| symbols.get(&parts.join(separator)))
}

/// The mark and length of the fence that a code block began with, after one more line.
fn after_line(open: Option<(u8, usize)>, line: &str) -> Option<(u8, usize)> {
    let inner = line.trim_start_matches(' ');
    let Some(mark @ (b'`' | b'~')) = inner.bytes().next() else { return open };
    let length = inner.bytes().take_while(|byte| *byte == mark).count();
    let info = inner.get(length..).unwrap_or_default();
    let is_fence = length >= 3 && line.len() - inner.len() < 4;
    match open {
        _ if !is_fence => open,
        Some((begun, least)) => {
            let closes = begun == mark && length >= least && info.trim().is_empty();
            if closes { None } else { open }
        }
        // Backticks behind backticks make a code span.
        None if mark == b'`' && info.contains('`') => None,
        None => Some((mark, length)),
    }
}

/// What stands between runs of backticks of equal length in a line, trimmed.
fn code_spans(line: &str) -> Vec<&str> {
    let mut runs: Vec<(usize, usize)> = Vec::new();
    for (at, _) in line.match_indices('`') {
        match runs.last_mut() {
            Some((_, end)) if *end == at => *end = at + 1,
            _ => runs.push((at, at + 1)),
        }
    }
    // Each run's next one of equal length, found from the end so that no run is looked at twice.
    let mut latest = FxHashMap::default();
    let mut closing = vec![None; runs.len()];
    for (number, (start, end)) in runs.iter().enumerate().rev() {
        closing[number] = latest.insert(end - start, number);
    }
    let mut spans = Vec::new();
    let mut number = 0;
    while let Some((_, end)) = runs.get(number) {
        let close = closing[number].and_then(|close| Some((close, runs.get(close)?)));
        number = match close {
            Some((close, (start, _))) => {
                spans.push(line[*end..*start].trim());
                close + 1
            }
            None => number + 1,
        };
    }
    spans
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(text: &str, expected: &[(usize, &str)]) {
        let paths = Paths::new([
            "README.md",
            "docs/README.md",
            "docs/my notes.md",
            "src/http/retry.rs",
            "src/http/mod.rs",
            "src/llm/mod.rs",
            ".github/workflows/ci.yml",
            "bin/tool",
            "Makefile",
            "deploy/app@.service",
        ]);
        let symbols = Symbols::new([
            ("RetryPolicy", "src/http/retry.rs"),
            ("retry::next", "src/http/retry.rs"),
            ("read_line", "src/http/mod.rs"),
            ("Twice_defined", "src/http/mod.rs"),
            ("Twice_defined", "src/llm/mod.rs"),
            ("Twice_defined", "src/llm/mod.rs"),
            ("Default", "src/llm/mod.rs"),
            ("next", "src/llm/mod.rs"),
            ("a_b", "src/llm/mod.rs"),
            ("GoneFile", "src/gone.rs"),
        ]);
        let found: Vec<(usize, &str)> = mentions(text, &paths, &symbols)
            .into_iter()
            .map(|mention| (mention.line, mention.path))
            .collect();
        assert_eq!(found, expected, "{text:?}");
    }

    #[test]
    fn paths_are_found_where_they_are_told_from_words() {
        let retry = "src/http/retry.rs";
        check("See src/http/retry.rs.", &[(1, retry)]);
        check(
            "\n(retry.rs:12) and\r\nhttp/retry.rs, `./src/http/retry.rs`",
            &[(2, retry), (3, retry)],
        );
        check("**src/http/retry.rs** _retry.rs_ @src/http/retry.rs", &[(1, retry)]);
        check("--file=src/http/retry.rs", &[(1, retry)]);
        check("mod.rs is not unique, http/mod.rs is", &[(1, "src/http/mod.rs")]);
        check("docs/README.md, not README.md", &[(1, "docs/README.md")]);
        check(".github/workflows/ci.yml", &[(1, ".github/workflows/ci.yml")]);
        check("run bin/tool, not tool, Makefile or http/retry", &[(1, "bin/tool")]);
        check("app@.service", &[(1, "deploy/app@.service")]);
        check("`docs/my notes.md` but docs/my notes.md", &[(1, "docs/my notes.md")]);
        check("etry.rs xsrc/http/retry.rs https://a.test/src/http/retry.rs", &[]);
        check("../src/http/retry.rs /src/http/retry.rs src//http/retry.rs", &[]);
        check("```sh\nvim src/http/retry.rs\n```", &[(2, retry)]);
    }

    #[test]
    fn symbols_count_in_code_spans_alone() {
        let retry = "src/http/retry.rs";
        for span in [
            "RetryPolicy",
            "RetryPolicy::new(3)",
            "RetryPolicy<T>",
            "crate::http::RetryPolicy",
            "retry::next()",
            "http::retry::next",
            "policy.RetryPolicy",
        ] {
            check(&format!("a ``x`` `{span}` b"), &[(1, retry)]);
        }
        check("``read_line``", &[(1, "src/http/mod.rs")]);
        check("RetryPolicy, read_line", &[]);
        check("`Twice_defined` `Default` `next` `a_b` `GoneFile` `std::RetryPolicy`", &[]);
        check("```\n`RetryPolicy`\n~~~\n`RetryPolicy`\n```\n`RetryPolicy`", &[(6, retry)]);
        check("````\n```\n`RetryPolicy`\n````\n`RetryPolicy`", &[(5, retry)]);
        check("```a`b\n`RetryPolicy`", &[(2, retry)]);
        check("` ``RetryPolicy` `RetryPolicy`", &[(1, retry)]);
        check("``RetryPolicy`", &[]);
    }

    #[test]
    fn what_is_read_and_returned_has_caps() {
        let files: Vec<String> = (0..20_000).map(|number| format!("f{number}.md")).collect();
        let paths = Paths::new(&files);
        let found = mentions(&files.join(" "), &paths, &Symbols::default());
        assert_eq!(found.len(), MAX_MENTIONS);
        let late = format!("{} f1.md", "é".repeat(MAX_TEXT / 2));
        assert_eq!(mentions(&late, &paths, &Symbols::default()), []);
    }
}
