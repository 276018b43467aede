//! What is shown of a chunk: its sentences, the best of them, and what fits a budget. Pure.

use std::ops::Range;

use super::Hit;
use elophanto_text::{
    markdown,
    template::{callout_title, without_block_id, without_templates},
};

/// Longest snippet in characters.
pub const SNIPPET_CHARACTERS: usize = 240;
/// Columns from which on a line is code where no list is.
const CODE_INDENT: usize = 4;

/// A piece of a chunk that can be shown by itself.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Sentence {
    /// Bytes of the chunk, without white space around.
    pub range: Range<usize>,
    pub kind: Kind,
}

/// What a sentence stands in.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    Prose,
    /// An item of a list, its mark included.
    Item,
    /// A row of a table.
    Row,
    /// A heading, or the header of a table.
    Heading,
    /// A line of code or of a diagram.
    Code,
    /// A tag, a picture, or where a link leads: nothing that says anything.
    Markup,
}

/// The sentences of a chunk: prose by full stops, everything else (headings, list items, table
/// rows, code) by lines. Fences and rules are none, and marks of callouts and names of blocks are no part
/// of any. `fence` is the one that is open where the text begins, as [`open_fence`] has it.
pub fn sentences(text: &str, fence: Option<&str>) -> Vec<Sentence> {
    read(text, fence, false)
}

/// The sentences of a hit. On a page of facts an item is one, however many full stops it has, and its title
/// says nothing. The words that a description lists to be found by are none.
pub fn of_hit(hit: &Hit) -> Vec<Sentence> {
    let is_page = hit.kind == crate::Kind::Fact;
    let mut found = read(&hit.text, hit.fence.as_deref(), is_page);
    if hit.kind == crate::Kind::Summary {
        without_words(&hit.text, &mut found);
    }
    for one in found.iter_mut().filter(|_| is_page) {
        if hit.text[one.range.clone()].strip_prefix("- ") == Some(&hit.title) {
            one.kind = Kind::Markup;
        }
    }
    found
}

/// Leaves out the line of a description that lists words.
fn without_words(text: &str, sentences: &mut Vec<Sentence>) {
    use elophanto_text::outline::WORDS;

    let is_at =
        |at: usize| text[at..].starts_with(WORDS) && (at == 0 || text[..at].ends_with('\n'));
    let Some((words, _)) = text.rmatch_indices(WORDS).find(|(at, _)| is_at(*at)) else { return };
    sentences.retain(|one| one.range.start < words);
    for one in sentences.iter_mut().filter(|one| one.range.end > words) {
        one.range.end = one.range.start + text[one.range.start..words].trim_end().len();
    }
}

fn read<'t>(text: &'t str, mut fence: Option<&'t str>, whole_items: bool) -> Vec<Sentence> {
    let mut reader = Reader {
        text,
        open: None,
        in_list: false,
        in_table: false,
        whole_items,
        found: Vec::new(),
    };
    for line in line_ranges(text) {
        let content = Content::of(text, line);
        match (fence, fence_mark(content.text)) {
            (None, None) => reader.read(content),
            (None, Some(mark)) => {
                reader.close();
                fence = Some(mark);
            }
            (Some(open), mark) => {
                if mark.is_some_and(|mark| mark == content.text && mark.starts_with(open)) {
                    fence = None;
                } else {
                    reader.push(content.range, Kind::Code);
                }
            }
        }
    }
    reader.close();
    reader.found
}

/// The marks of the fenced code that is still open at the end of a text.
pub fn open_fence(text: &str) -> Option<&str> {
    let mut open: Option<&str> = None;
    for line in line_ranges(text) {
        let content = Content::of(text, line).text;
        open = match (open, fence_mark(content)) {
            (None, mark) => mark,
            (Some(open), Some(mark)) if mark == content && mark.starts_with(open) => None,
            (open, _) => open,
        };
    }
    open
}

/// Level and title of the heading that a sentence of a text is; `None` for the header of a table, and for
/// what is no heading.
pub fn heading(text: &str, sentence: &Sentence) -> Option<(u8, String)> {
    if sentence.kind != Kind::Heading {
        return None;
    }
    // With the line that underlines it.
    let rest = &text[sentence.range.start..];
    let behind =
        sentence.range.len() + rest[sentence.range.len()..].find('\n').map_or(0, |at| at + 1);
    let end = rest[behind..].find('\n').map_or(rest.len(), |at| behind + at);
    let document = markdown::parse(&rest[..end]).ok()?;
    let heading = document.headings.first()?;
    Some((heading.level, markdown::without_attributes(&heading.text).to_owned()))
}

/// The part of a sentence that is shown, at most [`SNIPPET_CHARACTERS`], around its first match.
pub fn clip(text: &str, sentence: Range<usize>, first_match: Option<usize>) -> Range<usize> {
    let shown = &text[sentence.clone()];
    if shown.chars().count() <= SNIPPET_CHARACTERS {
        return sentence;
    }
    let lead = SNIPPET_CHARACTERS / 4;
    let at = first_match.map_or(sentence.start, |at| at.clamp(sentence.start, sentence.end));
    let before = text[sentence.start..at].char_indices().rev().nth(lead);
    let start = sentence.start + before.map_or(0, |(offset, _)| offset);
    let start = word_start(text, start, at);
    let end = text[start..sentence.end]
        .char_indices()
        .nth(SNIPPET_CHARACTERS)
        .map_or(sentence.end, |(offset, _)| start + offset);
    start..if end < sentence.end { word_end(text, at.max(start), end) } else { end }
}

fn line_ranges(text: &str) -> impl Iterator<Item = Range<usize>> + '_ {
    let mut start = 0;
    text.split_inclusive('\n').map(move |line| {
        let range = start..start + line.len();
        start = range.end;
        range
    })
}

/// A line without white space and marks of quotes around it.
struct Content<'t> {
    text: &'t str,
    range: Range<usize>,
    /// Columns of white space before it.
    indent: usize,
    is_quoted: bool,
}

impl<'t> Content<'t> {
    fn of(text: &'t str, line: Range<usize>) -> Self {
        let raw = &text[line.clone()];
        let is_quoted = raw.trim_start().starts_with('>');
        let own = if is_quoted {
            raw.trim_start_matches(|char: char| char == '>' || char.is_whitespace())
        } else {
            raw.trim_start()
        };
        let start = line.end - own.len();
        let indent = raw.chars().take_while(|char| char.is_whitespace());
        let indent = indent.map(|char| if char == '\t' { CODE_INDENT } else { 1 }).sum();
        let own = own.trim_end();
        Self { text: own, range: start..start + own.len(), indent, is_quoted }
    }
}

/// Collects the sentences of a chunk, line by line.
struct Reader<'t> {
    text: &'t str,
    /// The paragraph or item at hand, and whether it is a quote.
    open: Option<(Range<usize>, Kind, bool)>,
    in_list: bool,
    in_table: bool,
    /// Whether an item of a list is one sentence.
    whole_items: bool,
    found: Vec<Sentence>,
}

impl Reader<'_> {
    fn read(&mut self, line: Content) {
        let Content { text, range, indent, is_quoted } = line;
        if text.is_empty() {
            self.close();
            self.in_table = false;
        } else if is_table_rule(text) {
            self.header();
            self.in_table = true;
        } else if is_rule(text) {
            self.underline(text);
        } else if text.starts_with('|') || self.in_table && text.contains('|') {
            self.close();
            self.push(range, Kind::Row);
            self.in_table = true;
        } else if text.starts_with('#') {
            self.close();
            self.push(range, Kind::Heading);
            self.in_list = false;
        } else if is_markup(text) {
            self.close();
            self.push(range, Kind::Markup);
        } else if let Some(title) = callout_title(text) {
            // A title of its own, below which the text begins.
            self.close();
            self.open = Some((range.end - title.len()..range.end, Kind::Prose, is_quoted));
            self.close();
        } else if opens_item(text) {
            self.close();
            self.open = Some((range, Kind::Item, is_quoted));
            self.in_list = true;
        } else if let Some((open, _, quote)) = &mut self.open
            && (*quote == is_quoted || !is_quoted)
        {
            open.end = range.end;
        } else if indent >= CODE_INDENT && !self.in_list && !is_quoted {
            self.push(range, Kind::Code);
        } else {
            self.close();
            self.in_list &= indent > 0;
            self.open = Some((range, Kind::Prose, is_quoted));
        }
    }

    /// What stands above a table's rule is its header.
    fn header(&mut self) {
        if let Some((open, kind, is_quoted)) = self.open.take() {
            let last = self.text[open.clone()].rfind('\n').map_or(open.start, |at| open.start + at);
            if last > open.start {
                self.open = Some((open.start..last, kind, is_quoted));
            }
            self.close();
            self.push(last..open.end, Kind::Heading);
        } else if let Some(last) = self.found.last_mut().filter(|last| last.kind == Kind::Row) {
            last.kind = Kind::Heading;
        }
    }

    /// A rule, which makes the paragraph right above it a heading.
    fn underline(&mut self, rule: &str) {
        match self.open.take() {
            Some((range, Kind::Prose, _)) if rule.starts_with(['=', '-']) => {
                self.push(range, Kind::Heading);
            }
            open => {
                self.open = open;
                self.close();
            }
        }
    }

    fn push(&mut self, range: Range<usize>, kind: Kind) {
        let raw = &self.text[range.clone()];
        let start = range.start + (raw.len() - raw.trim_start().len());
        let trimmed = raw.trim();
        if !trimmed.is_empty() {
            self.found.push(Sentence { range: start..start + trimmed.len(), kind });
        }
    }

    fn close(&mut self) {
        let Some((range, kind, _)) = self.open.take() else { return };
        let said = without_block_id(&self.text[range.clone()]);
        let range = range.start..range.start + said.len();
        if self.whole_items && kind == Kind::Item {
            return self.push(range, kind);
        }
        for found in elophanto_text::sentences::sentences(&self.text[range.clone()]) {
            self.push(range.start + found.start..range.start + found.end, kind);
        }
    }
}

/// The marks that open or close fenced code.
fn fence_mark(line: &str) -> Option<&str> {
    let mark = line.chars().next().filter(|char| matches!(char, '`' | '~'))?;
    let length = line.len() - line.trim_start_matches(mark).len();
    let info = &line[length..];
    // Back ticks behind back ticks: a span of code.
    (length >= 3 && !(mark == '`' && info.contains('`'))).then(|| &line[..length])
}

fn is_table_rule(line: &str) -> bool {
    line.contains("-")
        && line.contains('|')
        && line.chars().all(|c| matches!(c, '|' | '-' | ':' | ' ' | '\t'))
}

/// `---`, `***`, `===`, with spaces between or without.
fn is_rule(line: &str) -> bool {
    let mut marks = line.chars().filter(|char| !char.is_whitespace());
    let first = marks.next();
    matches!(first, Some('-' | '=' | '*' | '_'))
        && line.len() >= 2
        && marks.all(|char| Some(char) == first)
}

/// A tag, a template, an import of MDX, the mark or name of a block, a picture or badge, or where a link leads:
/// nothing that says anything.
fn is_markup(line: &str) -> bool {
    let line = without_block_id(line);
    line.is_empty()
        || line.starts_with('<') && line.ends_with('>') && !line.starts_with("<http")
        || line.starts_with("[![")
        || line.starts_with(":::")
        || line.starts_with("![") && line.ends_with([')', ']'])
        || is_definition(line)
        || callout_title(line).is_some_and(|title| !title.contains(char::is_whitespace))
        || line.starts_with("import ")
            && line.contains(" from ")
            && line.ends_with(['\'', '"', ';'])
        || line.starts_with('{') && without_templates(line).trim().is_empty()
}

/// Where the links of a name lead, `[name]: https://a.example "title"`, or what a footnote says.
fn is_definition(line: &str) -> bool {
    let Some((name, rest)) = line.strip_prefix('[').and_then(|it| it.split_once("]:")) else {
        return false;
    };
    let rest = rest.trim();
    let target = match rest.starts_with('<') {
        true => rest.split_once('>'),
        false => rest.split_once(char::is_whitespace),
    };
    let (_, title) = target.unwrap_or_default();
    let is_target = title.is_empty() || title.trim_start().starts_with(['"', '\'', '(']);
    !name.contains(['[', ']']) && (is_target || name.starts_with('^'))
}

pub(super) fn opens_item(line: &str) -> bool {
    let numbered = line.trim_start_matches(|c: char| c.is_ascii_digit());
    ["- ", "* ", "+ "].iter().any(|marker| line.starts_with(marker))
        || (numbered.len() < line.len()
            && (numbered.starts_with(". ") || numbered.starts_with(") ")))
}

fn word_start(text: &str, from: usize, to: usize) -> usize {
    match text[from..to].find(char::is_whitespace) {
        Some(offset) if from > 0 => {
            let rest = &text[from + offset..to];
            from + offset + (rest.len() - rest.trim_start().len())
        }
        _ => from,
    }
}

/// The end of the last word that ends between two places, or else the later of them.
fn word_end(text: &str, from: usize, to: usize) -> usize {
    if text[to..].starts_with(char::is_whitespace) {
        return to;
    }
    match text[from..to].rfind(char::is_whitespace) {
        Some(offset) => from + text[from..from + offset].trim_end().len(),
        None => to,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(text: &str, expected: &[(Kind, &str)]) {
        let found: Vec<(Kind, &str)> = sentences(text, None)
            .into_iter()
            .map(|found| (found.kind, &text[found.range]))
            .collect();
        assert_eq!(found, expected);
    }

    #[test]
    fn sentences_of_markdown() {
        use Kind::{Code, Heading, Item, Markup, Prose, Row};
        check(
            "# Otters\n\nThey sleep. They\nfloat! e.g. in kelp.\n",
            &[(Heading, "# Otters"), (Prose, "They sleep."), (Prose, "They\nfloat! e.g. in kelp.")],
        );
        check(
            "- one. Two\n- two\n  more\n1. three\n",
            &[(Item, "- one."), (Item, "Two"), (Item, "- two\n  more"), (Item, "1. three")],
        );
        check(
            "```\nlet x. = 1;\n\nb\n~~~\n```\nafter\n",
            &[(Code, "let x. = 1;"), (Code, "b"), (Code, "~~~"), (Prose, "after")],
        );
        check(
            "````\n```\na\n```\n````\nb",
            &[(Code, "```"), (Code, "a"), (Code, "```"), (Prose, "b")],
        );
        check(
            "| a | b |\n|---|---|\n| c. D | d |\n\n| no table",
            &[(Heading, "| a | b |"), (Row, "| c. D | d |"), (Row, "| no table")],
        );
        check(
            "Intro.\na | b\n--- | ---\nc | d\n\nEnd | of it",
            &[(Prose, "Intro."), (Heading, "a | b"), (Row, "c | d"), (Prose, "End | of it")],
        );
        check(
            "Title\n=====\n\nText.\n\n---\n***\nMore\n---\n",
            &[(Heading, "Title"), (Prose, "Text."), (Heading, "More")],
        );
        check(
            "Text.\n\n    code. Line\n\n- item\n\n    of the item\n",
            &[(Prose, "Text."), (Code, "code. Line"), (Item, "- item"), (Prose, "of the item")],
        );
        check(
            "> One sentence\n> on two lines. Two.\n> - item\n\nNo quote.\n> Quote.",
            &[
                (Prose, "One sentence\n> on two lines."),
                (Prose, "Two."),
                (Item, "- item"),
                (Prose, "No quote."),
                (Prose, "Quote."),
            ],
        );
        check(
            "<details>\n::: info\n[![badge](x)](y)\n[ref]: https://a.example\nimport A from './a.mdx'\n\
             {{< provider name=\"a\" >}}\nText.",
            &[
                (Markup, "<details>"),
                (Markup, "::: info"),
                (Markup, "[![badge](x)](y)"),
                (Markup, "[ref]: https://a.example"),
                (Markup, "import A from './a.mdx'"),
                (Markup, "{{< provider name=\"a\" >}}"),
                (Prose, "Text."),
            ],
        );
        check(
            "[ref]:https://a.example\n[a b]: <x y> \"t\"\n[^1]: A note of it.\n![[a.png|300]] ^pic\n^alone\n\
             > [!note] Note\n> It is kept. ^kept\n\n> [!tip]- Use links\n> They\n> lead on.\n\n\
             - one ^first\n- two\n\n[Otters](a.md) sleep [sic]: so.\n\n```\na ^b\n```\n",
            &[
                (Markup, "[ref]:https://a.example"),
                (Markup, "[a b]: <x y> \"t\""),
                (Markup, "[^1]: A note of it."),
                (Markup, "![[a.png|300]] ^pic"),
                (Markup, "^alone"),
                (Markup, "[!note] Note"),
                (Prose, "It is kept."),
                (Prose, "Use links"),
                (Prose, "They\n> lead on."),
                (Item, "- one"),
                (Item, "- two"),
                (Prose, "[Otters](a.md) sleep [sic]: so."),
                (Code, "a ^b"),
            ],
        );
        check("日本語。二つ目。", &[(Prose, "日本語。"), (Prose, "二つ目。")]);
        check("", &[]);
        check("  \n\n", &[]);
    }

    #[test]
    fn the_words_that_a_description_lists_are_no_sentence() {
        for (text, expected) in [
            (
                "Boots hosts.\nTypes: Boot.\nWords: pem, host.",
                &["Boots hosts.", "Types: Boot."][..],
            ),
            ("Says: \"a\"; \"it is lo …\nWords: pem", &["Says: \"a\"; \"it is lo …"]),
            ("Words: pem.", &[]),
            ("Key Words: pem.", &["Key Words: pem."]),
        ] {
            let mut found = sentences(text, None);
            without_words(text, &mut found);
            let found: Vec<&str> = found.iter().map(|one| &text[one.range.clone()]).collect();
            assert_eq!(found, expected);
        }
    }

    #[test]
    fn a_chunk_may_begin_inside_of_code() {
        for (before, expected) in [
            ("a\n```sh\nb\n", Some("```")),
            ("```\na\n```\n", None),
            ("````\n```\n", Some("````")),
            ("~~~\n```\n", Some("~~~")),
            ("``` a ``` b\n", None),
        ] {
            assert_eq!(open_fence(before), expected, "{before:?}");
        }
        let found = sentences("a. B\n```\nSo. D\n", Some("```"));
        let kinds: Vec<Kind> = found.iter().map(|found| found.kind).collect();
        assert_eq!(kinds, [Kind::Code, Kind::Prose, Kind::Prose]);
    }

    #[test]
    fn long_sentences_are_clipped_at_words_around_the_match() {
        let text = "word ".repeat(200);
        let clipped = clip(&text, 0..text.len(), Some(500));
        let shown = &text[clipped.clone()];
        assert!(clipped.start <= 500 && clipped.end > 500 && shown.starts_with("word"));
        assert!(shown.chars().count() <= SNIPPET_CHARACTERS);
        assert_eq!(clip("short", 0..5, None), 0..5);
    }
}
