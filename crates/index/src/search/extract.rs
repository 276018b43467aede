//! The statements of hits that may answer a question: whole sentences, items of lists and rows of
//! tables, how much of the question each speaks of, and which say otherwise than another. Pure.
//!
//! What states nothing is never one: headings, code, diagrams, rules, badges, questions, and what
//! only introduces what follows it.

use std::collections::BTreeSet;

use super::{
    Hit,
    around::announces,
    passage::{Kind, Sentence, heading, of_hit},
    question::{Named, Question, headings, own},
};
use elophanto_base::{
    contradicts::{contradicts, name_another},
    lexical::Analyzer,
};
use elophanto_text::{
    markdown::on_one_line,
    template::{without_tags, without_templates},
};

/// A longer sentence is none, in characters.
const MOST_CHARACTERS: usize = 600;
/// A shorter paragraph without a full stop is a title, in words.
const FEWEST_WORDS: usize = 5;
/// How much more useful a statement is beneath a title or heading that is the question.
const TITLED: f32 = 0.5;
/// A share that is the whole, but for rounding.
const ALL: f32 = 0.999;
/// Words of a sentence at least that announces something.
const FEWEST_ANNOUNCING: usize = 3;
/// Words of the name of a value.
const MOST_LABEL: usize = 2;
/// Lines of code and items that are quoted of what a sentence announces, and characters of each.
const MOST_LINES: usize = 3;
const MOST_ITEMS: usize = 6;
const MOST_SHOWN: usize = 200;
/// Bytes of what is quoted at most of a paragraph that begins what stands under the heading that was asked for.
const MOST_OPENING: usize = 500;
/// The level of a question of the text, below all headings.
const QUESTION: u8 = 7;
/// Two statements are of the same thing if they share this part of their words, numbers and
/// negations apart.
const SAME_SUBJECT: f32 = 0.7;

/// A sentence, an item or a row that states something.
#[derive(Debug, Clone, PartialEq)]
pub struct Statement {
    /// Number of its hit.
    pub hit: usize,
    /// Its line in the file.
    pub line: usize,
    /// Number of its sentence within the hit.
    pub at: usize,
    /// The heading right above it, or the question that it follows, within its hit.
    pub beneath: String,
    /// On one line, without the marks of lists and quotes.
    pub text: String,
    /// Share of what was asked that it says together with the headings above it, 0 to 1.
    pub with_headings: f32,
    /// How useful the search found it.
    pub value: f32,
    /// Whether it has the kind of thing that is asked for, and is about nothing else.
    pub fits: bool,
    /// Whether it also says anything of what is asked about its subject, and what share of that.
    pub tells: bool,
    pub told: f32,
    /// How near a sentence transformer finds it to the question, as a cosine, where it was read.
    pub cosine: Option<f32>,
    /// Whether the heading right above it says all of the question, so that what stands beneath is its answer.
    pub is_headed: bool,
    /// Whether that is a heading of a section, not of the note, or whether it says what something is that one asks the
    /// nature of.
    pub leads: bool,
    /// Whether it says all of a question for a value in its own words.
    pub says_all: bool,
    /// Whether it is no sentence but the first of the steps or the code beneath such a heading, which is its text.
    pub is_steps: bool,
    /// Whether it is of what is asked about under another number: another version of it.
    is_of_another: bool,
    is_row: bool,
    terms: BTreeSet<String>,
}

impl Statement {
    /// Whether it and another are of the same thing, and say otherwise of it. Rows of a table never
    /// are: what tells them apart is one cell.
    pub fn contradicts(&self, other: &Self) -> bool {
        if self.is_row || other.is_row || self.is_of_another || other.is_of_another {
            return false;
        }
        // What one passage says side by side are cases, not contradictions.
        if self.hit != other.hit && name_another(&self.text, &other.text) {
            return true;
        }
        let words = |statement: &Self| -> BTreeSet<String> {
            let is_word = |term: &&String| !term.contains(|char: char| char.is_numeric());
            statement.terms.iter().filter(is_word).cloned().collect()
        };
        let (own, others) = (words(self), words(other));
        let shared = own.intersection(&others).count();
        let all = own.union(&others).count();
        // Each with a word of its own, they are of two things.
        let is_of_two = own.difference(&others).next().is_some() && shared < others.len();
        shared > 1
            && !is_of_two
            && shared as f32 >= SAME_SUBJECT * all as f32
            && contradicts(&self.text, &other.text)
    }
}

/// All statements of hits, in the order of the hits and of their texts.
pub fn statements(question: &Question, hits: &[&Hit], analyzer: &Analyzer) -> Vec<Statement> {
    let mut found = Vec::new();
    for (number, hit) in hits.iter().enumerate() {
        let (headings, mut named) = (headings(hit, analyzer), Named::of(hit, analyzer));
        let mut beneath = Beneath::of(hit, question, analyzer);
        let mut header: Vec<&str> = hit.breadcrumb.last().map_or_else(Vec::new, |last| cells(last));
        let kinds = of_hit(hit);
        let is_titled = question.is_heading(&hit.title, analyzer);
        let is_fact = hit.kind == crate::Kind::Fact;
        // Whether nothing was stated yet beneath the heading that was asked for.
        let mut opens = beneath.is_asked;
        // Of two things that are asked about by one name, it is the one that is called just so.
        let of_page =
            if is_fact { TITLED * question.asked_of_title(&hit.title, analyzer) } else { 0.0 };
        for (at, (sentence, (range, value))) in kinds.iter().zip(&hit.sentences).enumerate() {
            let raw = &hit.text[range.clone()];
            if let Some((level, title)) = heading(&hit.text, sentence) {
                opens = beneath.enter(level, &title, question, analyzer);
                named.stand_beneath(&beneath.text, &beneath.terms);
            } else if sentence.kind == Kind::Heading {
                header = cells(raw);
            } else if let Some(asked) = asks(raw, sentence.kind) {
                // A question heads its answer.
                opens = beneath.enter(QUESTION, asked, question, analyzer);
                named.stand_beneath(&beneath.text, &beneath.terms);
            }
            let announced = announced(&hit.text, raw, kinds.get(at + 1..).unwrap_or_default());
            let is_asked = |label: &str| question.asks_for_any(label, analyzer);
            let section = beneath.section(hit);
            let said = stated(raw, sentence.kind, &header, announced, section, is_asked, hit);
            let is_steps = said.is_none()
                && opens
                && question.asks_how()
                && matches!(sentence.kind, Kind::Item | Kind::Code);
            let Some(mut text) = said.or_else(|| is_steps.then(|| section.to_owned())) else {
                continue;
            };
            if let Some(default) = default_behind(&hit.text, sentence, kinds.get(at + 1)) {
                text = format!("{text} {default}");
            }
            if std::mem::take(&mut opens)
                && let Some(rest) = paragraph_behind(&hit.text, &kinds[at..])
            {
                text = format!("{text} {rest}");
            }
            let terms: BTreeSet<String> = analyzer.terms(&text).into_iter().collect();
            let is_headed = beneath.is_asked;
            let is_of_section = is_headed && !is_fact && beneath.section(hit) != hit.title;
            let is_defined = question.is_defined_by(if is_fact { own(&text) } else { &text });
            let told = question.told_by(&text, &named, is_of_section, analyzer);
            let tells = told.tells && (!is_fact || question.is_of_fact(&text, hit, analyzer));
            found.push(Statement {
                hit: number,
                line: hit.line_at(range.start),
                at,
                with_headings: question.share(|term| {
                    terms.contains(term) || headings.contains(term) || beneath.terms.contains(term)
                }),
                // What stands beneath need not say it again.
                value: value
                    + if is_titled || is_headed { TITLED } else { of_page }
                    + if is_defined { TITLED } else { 0.0 },
                fits: if is_fact { tells } else { told.fits },
                tells,
                told: told.share,
                cosine: None,
                is_headed,
                leads: is_of_section || is_defined && !is_fact,
                says_all: !is_fact
                    && question.asks_for_value()
                    && question.share(|term| terms.contains(term)) > ALL,
                is_steps,
                beneath: beneath.text.clone(),
                is_of_another: question.is_of_another(&text),
                is_row: sentence.kind == Kind::Row,
                text,
                terms,
            });
        }
    }
    found
}

/// The headings that sentences of a hit stand beneath.
struct Beneath {
    /// Those over the section that the hit begins in.
    above: String,
    /// Those within the hit, each with its level.
    inner: Vec<(u8, String)>,
    /// The last of these.
    text: String,
    terms: BTreeSet<String>,
    /// Whether that, or the one over the section, says all of the question.
    is_asked: bool,
}

impl Beneath {
    fn of(hit: &Hit, question: &Question, analyzer: &Analyzer) -> Self {
        let (last, over) = match hit.breadcrumb.split_last() {
            Some((last, over)) => (last, over.join(" ")),
            None => (&hit.title, String::new()),
        };
        // Many a note is called by its file alone: `0007-caching.md`, with `# Summary` on top.
        let file = hit.path.as_path().file_stem().unwrap_or_default().to_string_lossy();
        let above = format!("{file} {} {over}", hit.title);
        let terms = analyzer.terms(&above).into_iter().collect();
        let is_asked = question.is_headed_by(last, &terms, analyzer);
        Self { above, inner: Vec::new(), text: String::new(), terms: BTreeSet::new(), is_asked }
    }

    /// Goes beneath a heading; whether that says all of the question.
    fn enter(
        &mut self,
        level: u8,
        heading: &str,
        question: &Question,
        analyzer: &Analyzer,
    ) -> bool {
        self.inner.retain(|(other, _)| *other < level);
        let mut above = analyzer.terms(&self.above);
        above.extend(self.inner.iter().flat_map(|(_, heading)| analyzer.terms(heading)));
        self.is_asked = question.is_headed_by(heading, &above.into_iter().collect(), analyzer);
        self.inner.push((level, heading.to_owned()));
        self.text = heading.to_owned();
        self.terms = analyzer.terms(heading).into_iter().collect();
        self.is_asked
    }

    /// The nearest, within the hit or over it.
    fn section<'t>(&'t self, hit: &'t Hit) -> &'t str {
        if self.text.is_empty() { hit.breadcrumb.last().unwrap_or(&hit.title) } else { &self.text }
    }
}

/// A question of the text itself, as a list of such has.
fn asks(raw: &str, kind: Kind) -> Option<&str> {
    let bare = raw.trim_end_matches(['*', '_', '"', ' ']);
    let is_question = matches!(kind, Kind::Prose | Kind::Item) && bare.ends_with(['?', '？']);
    is_question.then(|| without_mark(raw))
}

/// What a sentence that ends in a colon announces: lines of code, or items of a list, on one line.
fn announced(text: &str, raw: &str, behind: &[Sentence]) -> Option<String> {
    let kind = behind.first()?.kind;
    if !announces(raw) {
        return None;
    }
    let parts = behind.iter().take_while(|part| part.kind == kind);
    let parts = parts.map(|part| text[part.range.clone()].trim());
    let said: Vec<String> = match kind {
        Kind::Code => {
            let is_said = |line: &&str| !line.starts_with(['#', '<', '/']) && !line.contains('`');
            let lines = parts.filter(is_said).take(MOST_LINES);
            lines.map(|line| format!("`{}`", on_one_line(line, MOST_SHOWN, |_| true))).collect()
        }
        Kind::Item => {
            // A table of contents is none.
            let says = |item: &&str| without_links(item).contains(char::is_alphanumeric);
            let items = parts.map(without_mark).filter(says).take(MOST_ITEMS);
            items.map(|item| on_one_line(item, MOST_SHOWN, |_| true)).collect()
        }
        _ => return None,
    };
    let mark = if kind == Kind::Code { ", " } else { "; " };
    (!said.is_empty()).then(|| said.join(mark))
}

/// What the next sentence of a paragraph or item says to be the default of what this one speaks of: `Defaults to
/// 25.`
fn default_behind(text: &str, sentence: &Sentence, next: Option<&Sentence>) -> Option<String> {
    let next = next.filter(|next| next.kind == sentence.kind)?;
    let (between, said) = (&text[sentence.range.end..next.range.start], &text[next.range.clone()]);
    let begins = ["Default is", "Default value", "Default:", "Defaults to", "The default is"];
    let is_default = begins.iter().any(|begin| said.starts_with(begin));
    (is_default && between.trim().is_empty() && !between.contains("\n\n"))
        .then(|| on_one_line(said, MOST_SHOWN, |_| true))
}

/// What the other sentences of a paragraph say behind its first one, as far as that is quoted.
fn paragraph_behind(text: &str, sentences: &[Sentence]) -> Option<String> {
    let first = sentences.first().filter(|first| first.kind == Kind::Prose)?;
    let pairs = sentences.windows(2).take_while(|pair| {
        let [before, next] = pair else { return false };
        next.kind == Kind::Prose
            && next.range.end - first.range.start <= MOST_OPENING
            && !text[before.range.end..next.range.start].contains("\n\n")
            && !text[next.range.clone()].trim_end().ends_with(':')
    });
    let end = pairs.last()?[1].range.end;
    Some(plain(&text[first.range.end..end])).filter(|said| !said.is_empty())
}

/// The text of a paragraph or item on one line, without marks, templates and tags.
pub(super) fn plain(raw: &str) -> String {
    let lines = raw.lines().map(|line| line.trim_start_matches(['>', ' ', '\t']));
    let joined = lines.collect::<Vec<_>>().join(" ");
    let joined = without_templates(&joined);
    let joined = without_tags(&joined);
    on_one_line(without_mark(&joined), usize::MAX, |_| true).trim().to_owned()
}

/// A sentence as it is quoted, with what it announces; `None` if it states nothing.
fn stated(
    raw: &str,
    kind: Kind,
    header: &[&str],
    announced: Option<String>,
    heading: &str,
    is_asked: impl Fn(&str) -> bool,
    hit: &Hit,
) -> Option<String> {
    let text = match kind {
        Kind::Heading | Kind::Markup => return None,
        Kind::Code => return option_line(raw),
        Kind::Row => row(&without_tags(raw), header)?,
        Kind::Prose | Kind::Item => plain(raw),
    };
    let bare = text.trim_matches(|char: char| !char.is_alphanumeric()).to_lowercase();
    let is_title = std::iter::once(&hit.title)
        .chain(&hit.breadcrumb)
        .any(|title| title.to_lowercase() == bare);
    let fits = text.chars().count() <= MOST_CHARACTERS;
    let label = label(&text).filter(|_| announced.is_none() && kind != Kind::Row);
    if let Some(label) = label {
        // Of a value nothing is told to who does not ask for it.
        let heading = on_one_line(heading, MOST_SHOWN, |_| true);
        return is_asked(&label).then(|| format!("{heading}: {text}"));
    }
    let announces = announced.is_some() && text.split_whitespace().count() >= FEWEST_ANNOUNCING;
    let states = kind == Kind::Row || announces || says_something(&text);
    let states = states && !is_pointer(&text) && is_language(&text);
    (fits && states && !is_title).then(|| match announced {
        Some(announced) => format!("{text} {announced}"),
        None => text,
    })
}

/// A line on which a program's help explains an option, as `--limit N` and what that does, with two spaces
/// between.
fn option_line(raw: &str) -> Option<String> {
    let line = raw.trim();
    let is_option = line.trim_start_matches('-').starts_with(char::is_alphanumeric);
    let (option, said) = line.split_once("  ").filter(|_| line.starts_with('-') && is_option)?;
    let is_said = said.split_whitespace().count() >= FEWEST_ANNOUNCING && !option.contains('`');
    is_said.then(|| format!("`{option}`: {}", on_one_line(said.trim(), MOST_CHARACTERS, |_| true)))
}

/// The name of a short value, which say nothing without the heading above: `Default: 2`.
fn label(text: &str) -> Option<String> {
    let plain = text.replace(['*', '_'], "");
    let (label, value) = plain.split_once(": ")?;
    let is_word = |char: char| char.is_alphabetic() || char == ' ';
    let words = value.split_whitespace().filter(|word| word.contains(char::is_alphanumeric));
    let is_label = label.starts_with(char::is_alphabetic)
        && label.chars().all(is_word)
        && label.split(' ').count() <= MOST_LABEL
        && !value.contains("](")
        && (1..FEWEST_WORDS).contains(&words.count())
        && !value.trim_end().ends_with(['.', '!', '?', ':']);
    is_label.then(|| label.to_owned())
}

/// Without the mark of a list's item and of a task.
fn without_mark(text: &str) -> &str {
    let text = text.trim_start();
    let numbered = text.trim_start_matches(|char: char| char.is_ascii_digit());
    // `: ` begins what a list of definitions says of the term above.
    let item = ["- ", "* ", "+ ", ": "].iter().find_map(|mark| text.strip_prefix(mark));
    let step = || {
        let step = [". ", ") "].iter().find_map(|mark| numbered.strip_prefix(mark));
        step.filter(|_| numbered.len() < text.len())
    };
    let item = item.or_else(step).unwrap_or(text).trim_start();
    ["[ ] ", "[x] ", "[X] "].iter().find_map(|mark| item.strip_prefix(mark)).unwrap_or(item)
}

/// A row with the names of its columns before the cells: `Setting: limit; Default: 10`.
fn row(raw: &str, header: &[&str]) -> Option<String> {
    let cells = cells(raw);
    let said: Vec<String> = cells
        .iter()
        .enumerate()
        .filter(|(_, cell)| cell.contains(char::is_alphanumeric))
        .map(|(column, cell)| match header.get(column).filter(|_| header.len() == cells.len()) {
            Some(name) if name.contains(char::is_alphanumeric) => format!("{name}: {cell}"),
            _ => (*cell).to_owned(),
        })
        .collect();
    (said.len() > 1).then(|| said.join("; "))
}

/// The cells of a row of a table.
fn cells(row: &str) -> Vec<&str> {
    let row = row.trim();
    let row = row.strip_prefix('|').unwrap_or(row);
    let row = row.strip_suffix('|').unwrap_or(row);
    let mut cells = Vec::new();
    let (mut start, mut escaped, mut code) = (0, false, false);
    for (at, char) in row.char_indices() {
        match char {
            '`' => code = !code,
            '|' if !escaped && !code => {
                cells.push(row[start..at].trim());
                start = at + 1;
            }
            _ => {}
        }
        escaped = char == '\\' && !escaped;
    }
    cells.push(row[start..].trim());
    cells
}

/// Whether a sentence or item is more than a title, a question, or the announcement of what follows,
/// which says something where it names what to write.
fn says_something(text: &str) -> bool {
    let bare = text.trim_end_matches(['"', '\'', ')', ']', '*', '_', '`', '»', '”', '’', ' ']);
    let introduces = bare.ends_with([':', '：']) && !text.contains('`');
    if introduces || bare.ends_with(['?', '？']) {
        return false;
    }
    let ends = bare.ends_with(['.', '!', '…', '。', '！', ';', ':', '：']);
    let outside = without_links(text);
    let count = |text: &str| {
        let spaced = text.split_whitespace().filter(|word| word.contains(char::is_alphanumeric));
        // Scripts without spaces: two characters for a word.
        let wide = text.chars().filter(|char| u32::from(*char) >= 0x2E80).count() / 2;
        spaced.count().max(wide)
    };
    let is_bold = text.starts_with("**") && text.ends_with("**");
    count(text) >= if ends { 2 } else { FEWEST_WORDS } && count(&outside) > 1 && (ends || !is_bold)
}

/// How a sentence begins that only says where to read on.
const POINTERS: [&str; 14] = [
    "for details", "for further", "for more about", "for more details", "for more information",
    "for more on", "learn more", "more details", "more information", "read more", "refer to",
    "see ", "this page describes", "this section describes",
];

/// Whether a sentence says nothing but where something is said.
fn is_pointer(text: &str) -> bool {
    let bare = text.trim_start_matches(|char: char| !char.is_alphanumeric()).to_lowercase();
    POINTERS.iter().any(|pointer| bare.starts_with(pointer))
}

/// A text without its links' words and targets.
fn without_links(text: &str) -> String {
    let mut outside = String::new();
    let mut rest = text;
    while let Some(open) = rest.find('[') {
        let Some(close) = rest[open..].find("](").map(|at| open + at) else { break };
        let Some(end) = rest[close..].find(')').map(|at| close + at) else { break };
        outside.push_str(&rest[..open]);
        rest = &rest[end + 1..];
    }
    outside + rest
}

/// Whether it is made of words rather than of marks.
fn is_language(text: &str) -> bool {
    let shown = text.chars().filter(|char| !char.is_whitespace()).count();
    let letters = text.chars().filter(|char| char.is_alphanumeric()).count();
    let is_drawn = |char: char| ('\u{2500}'..='\u{25FF}').contains(&char);
    letters * 2 > shown && !text.contains(is_drawn)
}

#[cfg(test)]
mod tests {
    use super::{super::passage::sentences, *};

    #[test]
    fn what_states_nothing_is_not_quoted() {
        for (text, expected) in [
            ("The cache is kept for a day.", true),
            ("It is.", true),
            ("Installation guide", false),
            ("**A title in bold that is rather long**", false),
            ("**Note.**", false),
            ("Run the following command to do it:", false),
            ("To allow it, set `access.mode` to `open` in the settings:", true),
            ("What does it cost?", false),
            ("[Install the program on your machine](install.md)", false),
            ("[Install](install.md) it on your machine first", true),
            ("Retries five times, then gives up", true),
            ("缓存保留一天。", true),
            ("缓存", false),
        ] {
            assert_eq!(says_something(text), expected, "{text}");
        }
        for (text, expected) in [
            ("a --> b --> c --> d", false),
            ("┌── box ──┐", false),
            ("+-----+-----+ a +----+", false),
            ("Pass `--no-verify` to it.", true),
        ] {
            assert_eq!(is_language(text), expected, "{text}");
        }
    }

    #[test]
    fn what_is_announced_is_quoted_with_it() {
        let text = "Make it by:\n\n```sh\n# first\nmake all\nmake install\n```\n\nThere are two kinds:\n\n\
                    - red ones\n- [x](#x)\n- [ ] blue ones\n\nNothing follows:\n";
        let kinds = sentences(text, None);
        let of = |number: usize| {
            announced(text, &text[kinds[number].range.clone()], &kinds[number + 1..])
        };
        assert_eq!(of(0).as_deref(), Some("`make all`, `make install`"));
        let list = kinds.iter().position(|it| text[it.range.clone()].starts_with("There")).unwrap();
        assert_eq!(of(list).as_deref(), Some("red ones; blue ones"));
        assert_eq!(of(list + 1), None, "an item announces nothing");
        assert_eq!(of(kinds.len() - 1), None);
        for (text, expected) in [
            ("See [Directory sources](a.md) for what they are.", true),
            ("For more information on it, ask.", true),
            ("**Refer to** the manual of it.", true),
            ("For more than five users, set `many`.", false),
            ("Seeds are sown in May.", false),
        ] {
            assert_eq!(is_pointer(text), expected, "{text}");
        }
    }

    #[test]
    fn values_and_options_say_what_they_are_of() {
        for (text, expected) in [
            ("Default: **2**", true),
            ("**Type**: Number", true),
            ("Default: 1440 (1 day)", true),
            ("Default: it is the one that was there before all others", false),
            ("See also: [this](page.md)", false),
            ("Ends: here.", false),
            ("http://example.com", false),
            ("A label of three: 5", false),
        ] {
            assert_eq!(label(text).is_some(), expected, "{text}");
        }
        for (line, expected) in [
            (
                "  --limit N   Keep at most N of them (default 5)",
                Some("`--limit N`: Keep at most N of them (default 5)"),
            ),
            ("-q, --quiet  Say nothing at all", Some("`-q, --quiet`: Say nothing at all")),
            ("--limit N", None),
            ("- a list   of three words", None),
            ("tool --limit 5   and so on here", None),
        ] {
            assert_eq!(option_line(line).as_deref(), expected, "{line}");
        }
        let text = "The port to use.\nDefaults to 25. It is one.\n\nDefaults to 3.\n";
        let kinds = sentences(text, None);
        let of = |at: usize| default_behind(text, &kinds[at], kinds.get(at + 1));
        assert_eq!([of(0), of(1), of(2)], [Some("Defaults to 25.".to_owned()), None, None]);
        let text = "Reads all.\n\n**Why is it slow?**\n\nIt reads all of it.\n";
        let kinds = sentences(text, None);
        let asked: Vec<&str> =
            kinds.iter().filter_map(|it| asks(&text[it.range.clone()], it.kind)).collect();
        assert_eq!(asked, ["**Why is it slow?**"]);
    }

    #[test]
    fn a_paragraph_is_quoted_as_far_as_it_fits() {
        let long = "It is long. ".repeat(60);
        for (text, expected) in [
            (
                "A key is a hash.\nNo path is in it. Names\nchange nothing.\n\nMore.\n",
                Some("No path is in it. Names change nothing."),
            ),
            ("A key is a hash.\n\nNo path is in it.\n", None),
            ("A key is a hash. It has:\n\n- a\n", None),
            ("- A key is a hash. No path is in it.\n", None),
            (long.as_str(), Some("It is long. ".repeat(40).trim_end())),
        ] {
            let said = paragraph_behind(text, &sentences(text, None));
            assert_eq!(said.as_deref(), expected, "{text}");
        }
    }

    #[test]
    fn rows_name_their_columns() {
        let header = cells("| Setting | Default | |");
        assert_eq!(header, ["Setting", "Default", ""]);
        for (raw, expected) in [
            ("| `limit` | 10 | a |", Some("Setting: `limit`; Default: 10; a")),
            ("`limit` | 10 | a \\| b", Some("Setting: `limit`; Default: 10; a \\| b")),
            ("| `a|b` | 10 | |", Some("Setting: `a|b`; Default: 10")),
            ("| a | b |", Some("a; b")),
            ("| a | - | |", None),
        ] {
            assert_eq!(row(raw, &header).as_deref(), expected, "{raw}");
        }
    }

    #[test]
    fn the_same_thing_said_otherwise_is_a_contradiction() {
        let analyzer = Analyzer::new("english");
        let statement = |hit: usize, text: &str| Statement {
            hit,
            line: 1,
            at: 0,
            with_headings: 0.0,
            value: 0.0,
            fits: true,
            tells: true,
            told: 0.0,
            cosine: None,
            is_headed: false,
            leads: false,
            says_all: false,
            is_steps: false,
            beneath: String::new(),
            is_of_another: false,
            is_row: text.contains("; "),
            terms: analyzer.terms(text).into_iter().collect(),
            text: text.to_owned(),
        };
        for (a, b, expected) in [
            ("Retries are capped at 5.", "Retries are capped at 3.", true),
            ("The cache is used for reads.", "The cache is not used for reads.", true),
            (
                "Version 2 was released on 2026-01-02.",
                "Version 2 was released on 2026-02-03.",
                true,
            ),
            ("Retries are capped at 5.", "Retries are capped at 5 in all.", false),
            ("Retries are capped at 5.", "Sessions end after 3 hours of silence.", false),
            (
                "It exits with 10 at the limit of time.",
                "It exits with 8 at the limit of size.",
                false,
            ),
            ("Costs 5.", "Costs 3.", false),
            ("The office is in Madrid.", "The office is in Lisbon.", true),
            (
                "Name: heron; Default: 5; Type: number; Reload: needed",
                "Name: crane; Default: 3; Type: number; Reload: needed",
                false,
            ),
        ] {
            assert_eq!(statement(0, a).contradicts(&statement(1, b)), expected, "{a} {b}");
        }
    }
}
