//! Lines, items of lists and front matter of `key: value`: rows of a table without its rules.

use elophanto_base::yaml::{self, Value};
use elophanto_text::markdown::FRONT_MATTER_BUDGET;

use super::{Block, Kind, Mark, Row};
use crate::extract::facts::rows::words_of_key;
use crate::extract::fold::fold;
use crate::extract::name::{Rejection, structural, tidy};
use crate::extract::words;
use crate::words::{Words, list};

/// Fewest lines or items of `key: value` that are no prose, and most words of such a key.
const LEAST: usize = 3;
const MAX_KEY_WORDS: usize = 6;
/// Most words of the key of an item.
const MAX_ITEM_KEY: usize = 4;
/// Words of a value in a list; what is longer says more than a value.
const MAX_ITEM_WORDS: usize = 14;

/// Headings, in lower case, that say nothing of what the properties below them are.
static FACTUAL: Words = list!(phrases "factual_headings");

/// Keys of front matter that say how a page is filed and not what it is about.
static FILING: Words = list!(words "filing_keys");

/// First words of keys of front matter that tell a generator of sites what to do.
static SETTING_OPENINGS: Words = list!(words "setting_openings");

/// Last words, behind others, of keys that say how a page is shown or kept.
static SETTING_ENDS: Words = list!(words "setting_ends");

/// The pairs of a block of which each line is `key: value`, each with the number of its line. Few of
/// them may say what only sentences do; in the header of a document a value may go on below.
pub(super) fn of_lines(block: &Block, is_header: bool) -> Option<Vec<(usize, &str, &str)>> {
    let ends = block.breaks.iter().copied().chain([block.text.len()]);
    let mut from = 0;
    let lines = ends.map(|end| (std::mem::replace(&mut from, end), end));
    let mut pairs: Vec<(usize, &str, &str)> = Vec::new();
    let mut more = 0;
    for (number, (from, end)) in lines.enumerate() {
        match pair(block.text.get(from..end)?) {
            Some((key, value)) => pairs.push((number, key, value)),
            // A value that goes on below is left out.
            None if is_header && number > 0 => {
                pairs.pop_if(|(before, ..)| *before + 1 == number);
                more += 1;
            }
            None => return None,
        }
    }
    if more > pairs.len() {
        return None;
    }
    let said = pairs.iter().filter(|(_, _, value)| is_said(value)).count();
    (pairs.len() >= LEAST && said * 4 <= pairs.len()).then_some(pairs)
}

/// Takes the lists out of `blocks` of which most items are `key: value`; what of them is no pair stays.
pub(super) fn of_lists(blocks: &mut Vec<Block>, rows: &mut Vec<Row>, most: usize) {
    let lists = blocks.iter().filter_map(|block| block.list).max().unwrap_or(0);
    let mut counts = vec![Count::default(); lists + 1];
    for block in blocks.iter() {
        if let Some(count) = block.list.and_then(|list| counts.get_mut(list)) {
            count.take(block);
        }
    }
    let counted = |block: &Block| block.list.and_then(|list| counts.get(list));
    let mut section = Section::default();
    blocks.retain(|block| {
        section.take(block);
        let is_strong = block.marks.first().is_some_and(|(range, mark)| {
            range.start == 0 && *mark == Mark::Strong && block.text.starts_with(char::is_uppercase)
        });
        // Elsewhere a list says what to do, or what the columns of data are called.
        let is_sheet = counted(block).is_some_and(Count::is_sheet);
        let is_list = counted(block).is_some_and(Count::is_list);
        let is_factual = is_sheet || is_list && (is_strong || section.is_own());
        let parts = match (of_item(block), is_sheet) {
            (Some((key, value)), _) => vec![(key, value)],
            (None, true) => clauses(block),
            (None, false) => Vec::new(),
        };
        if !is_factual || parts.is_empty() || rows.len() + parts.len() > most {
            return true;
        }
        let title = section.title().map(str::to_owned);
        rows.extend(parts.into_iter().map(|(key, value)| {
            let cells = vec![key.to_owned(), value.to_owned()];
            let (header, line) = (Vec::new(), block.line);
            Row { header, cells, section: title.clone(), is_item: true, line }
        }));
        false
    });
}

/// The items of a list.
#[derive(Debug, Clone, Copy, Default)]
struct Count {
    items: usize,
    pairs: usize,
    /// Those with a key as fact sheets have, whatever is behind it.
    keyed: usize,
    /// Those whose value has a figure in it.
    figures: usize,
    /// Those that begin as commands do.
    commands: usize,
}

impl Count {
    fn take(&mut self, block: &Block) {
        self.items += usize::from(block.kind == Kind::Item);
        self.pairs += usize::from(of_item(block).is_some());
        let keyed = of_sheet(block);
        self.keyed += usize::from(keyed.is_some());
        let has_figure = |(_, value): &(&str, &str)| value.bytes().any(|it| it.is_ascii_digit());
        let first = block.text.split([' ', ':']).next().unwrap_or_default().to_lowercase();
        self.commands += usize::from(words::is_verb_base(&first));
        self.figures += usize::from(keyed.as_ref().is_some_and(has_figure));
    }

    /// Whether most items are `key: value`.
    fn is_list(&self) -> bool {
        self.pairs >= LEAST && self.pairs * 4 >= self.items * 3
    }

    /// Whether it is a sheet of facts: every item has a key, many have figures, few command.
    fn is_sheet(&self) -> bool {
        const LEAST: usize = 4;
        self.keyed == self.items
            && self.keyed >= LEAST
            && self.figures * 3 >= self.items
            && self.commands * 4 <= self.items
    }
}

/// `Key: value` of an item of a fact sheet, of whatever length: `Area, total: 17,968 km`.
fn of_sheet(block: &Block) -> Option<(&str, &str)> {
    let (key, value) = block.text.trim().split_once(": ")?;
    let is_key = key.starts_with(char::is_uppercase)
        && key.split(' ').count() <= MAX_KEY_WORDS
        && !key.contains(['.', '?', '!', '_', '"', '`', '=']);
    let is_typed = block.marks.iter().any(|(_, mark)| matches!(mark, Mark::Code | Mark::Link));
    let fits = block.kind == Kind::Item && !block.is_quoted && is_key && !is_typed;
    fits.then_some((key.trim(), value.trim()))
}

/// What semicolons part in the value of a fact sheet, each with the key; none of what goes on about
/// another part.
fn clauses(block: &Block) -> Vec<(&str, &str)> {
    let Some((key, value)) = of_sheet(block) else { return Vec::new() };
    let parts = value.split("; ").map(|part| part.trim().trim_end_matches(['.', ';']));
    let points = |word: &str| matches!(word, "this" | "these" | "those" | "such");
    let begins = |word: &str| matches!(word, "it" | "its" | "they" | "their" | "them");
    let whole = parts.filter(|part| {
        let mut words = part.split(' ').map(|word| word.trim_matches(',').to_lowercase());
        !part.is_empty()
            && words.next().is_some_and(|first| !points(&first) && !begins(&first))
            && !words.any(|word| points(&word))
    });
    whole.map(|part| (key, part)).collect()
}

/// The heading that a part of a page stands below.
#[derive(Debug, Clone, Default)]
pub(super) struct Section {
    title: Option<String>,
    /// Whether it is the title of the page.
    is_first: bool,
}

impl Section {
    /// Goes on below a block, if that is a heading.
    pub(super) fn take(&mut self, block: &Block) {
        if let Kind::Heading(level) = block.kind {
            self.is_first = self.title.is_none() && level == 1;
            self.title = Some(block.text.clone());
        }
    }

    pub(super) fn title(&self) -> Option<&str> {
        self.title.as_deref()
    }

    /// Whether properties that stand here are those of the page's own thing.
    pub(super) fn is_own(&self) -> bool {
        self.title.as_deref().is_none_or(|title| self.is_first || tells_no_more(title))
    }
}

/// Whether a heading only says that properties stand below it.
pub(in crate::extract) fn tells_no_more(heading: &str) -> bool {
    FACTUAL.contains(fold(&tidy(heading)).as_str())
}

/// Keys of front matter that say of a specification what others only file pages by.
const SPECIFIED: &[&str] =
    &["author", "authors", "category", "created", "status", "type", "updated"];

/// The day of what a document tells, as its front matter has it: `date: 2023-11-16 19:00:00 -0800`.
pub(super) fn day(text: &str) -> Option<String> {
    const LENGTH: usize = 10;
    let mut lines = text.trim_start_matches('\u{feff}').strip_prefix("---\n")?.lines();
    let mut lines = lines.by_ref().take_while(|line| line.trim_end() != "---");
    let date = lines.find_map(|line| line.strip_prefix("date:"))?.trim().trim_matches(['"', '\'']);
    let day = date.get(..LENGTH).unwrap_or(date);
    (structural(day) == Err(Rejection::Date)).then(|| day.to_owned())
}

/// The texts of the page that its front matter holds for a generator of sites, each with its line: `text: |`.
pub(super) fn texts(front: &str) -> Vec<(usize, String)> {
    const LEAST: usize = 300;
    const KEYS: &[&str] = &["body", "content", "excerpt", "markdown", "text"];
    /// Of others, whatever stands in them.
    const OF_OTHERS: &[&str] = &["comments", "quotes", "reviews", "testimonials"];
    fn walk(key: &str, node: yaml::Node, found: &mut Vec<(usize, String)>) {
        match node.value {
            Value::Scalar(text) if KEYS.contains(&key) && text.len() >= LEAST => {
                found.push((node.line, text));
            }
            Value::Scalar(_) | Value::Null => {}
            Value::Sequence(all) => all.into_iter().for_each(|node| walk("", node, found)),
            Value::Mapping(all) => {
                let own = all.into_iter().filter(|(key, _)| !OF_OTHERS.contains(&key.as_str()));
                own.for_each(|(key, node)| walk(&key, node, found));
            }
        }
    }
    let inner = front.trim_start_matches('\u{feff}').strip_prefix("---");
    let inner = inner.and_then(|rest| rest.rsplit_once("\n---")).map(|(inner, _)| inner);
    let mut found = Vec::new();
    if let Some(Ok(node)) = inner.map(|inner| yaml::parse(inner, &FRONT_MATTER_BUDGET)) {
        walk("", node, &mut found);
    }
    // As it stands, line for line, below its key.
    found.retain(|(line, _)| {
        let above = line.checked_sub(2).and_then(|above| inner?.lines().nth(above));
        above.is_some_and(|above| above.contains(": |") || above.contains(": >"))
    });
    found
}

/// The keys of front matter that say something, and their values.
pub(super) fn of_front_matter(text: &str) -> Vec<Row> {
    let inner = text.trim_start_matches('\u{feff}').strip_prefix("---");
    let Some(inner) = inner.and_then(|rest| rest.rsplit_once("\n---").map(|(inner, _)| inner))
    else {
        return Vec::new();
    };
    let Ok(node) = yaml::parse(inner, &FRONT_MATTER_BUDGET) else { return Vec::new() };
    let Value::Mapping(entries) = node.value else { return Vec::new() };
    let scalar = |value: Value| match value {
        Value::Scalar(text) => Some(text),
        _ => None,
    };
    // `status: Final`, `type: Standards Track`: a specification, of which it is asked who made it and when.
    let is_one_of = |key: &str| SPECIFIED.contains(&key.to_lowercase().as_str());
    let is_specified = ["status", "type"].iter().all(|key| entries.iter().any(|(it, _)| it == key));
    let rows = entries.into_iter().filter_map(|(key, node)| {
        let value = match node.value {
            Value::Sequence(items) => {
                let items: Option<Vec<String>> =
                    items.into_iter().map(|item| scalar(item.value)).collect();
                items?.join(", ")
            }
            value => scalar(value)?,
        };
        let key = key.replace(['_', '-'], " ");
        let files = is_filed(&key, &value);
        let files = files && !(is_specified && is_one_of(&key));
        let row = Row { cells: vec![key, value], line: node.line, ..Row::default() };
        (!files).then_some(row)
    });
    rows.collect()
}

/// Whether the header of a document is one that a generator of sites reads.
pub(super) fn is_generated(pairs: &[(usize, &str, &str)]) -> bool {
    const KEYS: &[&str] =
        &["categories", "category", "css", "layout", "permalink", "slug", "tags", "template"];
    pairs.iter().any(|(_, key, _)| KEYS.contains(&key.to_lowercase().as_str()))
}

/// Whether a key of a header says how the page is filed, shown or kept.
pub(super) fn is_filed(key: &str, value: &str) -> bool {
    FILING.contains(key.to_lowercase().as_str()) || is_setting(key, value)
}

/// Whether front matter tells a generator of sites how to show or keep a page, and nothing of what the
/// page is about: `sidebar position: 2`, `updated at: 1657900653`, `redirect from: /old/`.
fn is_setting(key: &str, value: &str) -> bool {
    // `sidebarDepth`
    let key = words_of_key(key);
    let mut words = key.iter().map(String::as_str);
    let (first, last) = (words.next().unwrap_or_default(), words.next_back().unwrap_or_default());
    let value = value.trim();
    let is_stamp = matches!(first, "created" | "modified" | "published" | "updated")
        && matches!(last, "at" | "by" | "date" | "on" | "time")
        || matches!(last, "created" | "modified" | "updated")
        || key.iter().any(|word| word == "modified" || word == "updated") && last == "at"
        || is_clock(value);
    // `grade: C-`, `rating: 4/5`: what somebody thinks of it.
    let is_mark = matches!(last, "grade" | "rating" | "score" | "stars")
        || key.len() == 1 && matches!(first, "grade" | "rating" | "score" | "stars");
    let is_mark = is_mark
        && value.len() <= 5
        && !value.contains(' ')
        && (value.trim_end_matches(['+', '-', '−']).len() == 1
            || value.bytes().all(|it| it.is_ascii_digit() || matches!(it, b'.' | b'/' | b',')));
    let is_switch = matches!(value, "true" | "false" | "yes" | "no" | "on" | "off" | "null");
    let is_path = value.len() > 1
        && !value.contains(' ')
        && (value.starts_with(['/', '.']) || value.contains('/') && !value.contains("://"));
    is_stamp
        || is_mark
        || is_switch
        || is_path
        || is_id(value)
        || SETTING_OPENINGS.contains(first)
        || SETTING_ENDS.contains(last)
}

/// Whether a value is a moment with parts of a second, which only a program writes:
/// `2025-10-29T16:39:01.663459`.
fn is_clock(value: &str) -> bool {
    let Some((day, time)) = value.split_once(['T', ' ']) else { return false };
    let is_day = day.len() == 10 && day.bytes().all(|byte| byte.is_ascii_digit() || byte == b'-');
    is_day
        && time.bytes().filter(|byte| *byte == b':').count() >= 2
        && time.contains('.')
        && time.bytes().all(|byte| byte.is_ascii_digit() || b":.+-Z".contains(&byte))
}

/// Whether a value is a number that only a program gave: `447a7021-51fa-4939-903c-15f8a32d604a`.
fn is_id(value: &str) -> bool {
    const LENGTHS: [usize; 5] = [8, 4, 4, 4, 12];
    // `bookofproofs$6909`, and no price.
    let is_keyed = value.split_once('$').is_some_and(|(of, id)| of.len() > 4 && !id.is_empty());
    if is_keyed && !value.contains(' ') {
        return true;
    }
    let parts: Vec<&str> = value.split('-').collect();
    let is_hex = |part: &str| part.bytes().all(|byte| byte.is_ascii_hexdigit());
    parts.len() == LENGTHS.len()
        && parts.iter().zip(LENGTHS).all(|(part, length)| part.len() == length && is_hex(part))
}

/// `key: value` of an item of a list, if it is a value: neither what something is nor what is done.
fn of_item(block: &Block) -> Option<(&str, &str)> {
    let (key, value) = pair(&block.text)?;
    let marked = block.marks.first().filter(|(range, _)| range.start == 0).map(|(_, mark)| *mark);
    let words: Vec<String> = value.split_whitespace().map(str::to_lowercase).collect();
    let first = words.first()?;
    let does = words.len() > 2 && (words::is_verb_base(first) || words::is_finite(first, false));
    let is_code = block.marks.iter().any(|(_, mark)| *mark == Mark::Code);
    let is_value = words.len() <= MAX_ITEM_WORDS
        && !does
        && !words::is_determiner(first)
        && !words::is_pronoun(first)
        && !is_said(value)
        && !is_code
        && marked != Some(Mark::Link);
    let short = key.split(' ').count() <= MAX_ITEM_KEY;
    (block.kind == Kind::Item && !block.is_quoted && short && is_value).then_some((key, value))
}

/// A line at its first colon, if what stands before is as short as a key.
fn pair(line: &str) -> Option<(&str, &str)> {
    let (key, value) = line.trim().split_once(": ")?;
    let (key, value) = (key.trim(), value.trim());
    let short = key.split(' ').count() <= MAX_KEY_WORDS && !key.contains(['.', ',', '?', '!']);
    let is_key =
        key.starts_with(char::is_alphanumeric) && !key.contains(['_', '\'', '"', '`', '=']);
    (short && is_key && value.chars().any(char::is_alphanumeric)).then_some((key, value))
}

/// Whether a value is what somebody says and no property: it ends as sentences do, or has what
/// only they have.
fn is_said(value: &str) -> bool {
    let speaks = |word: &str| words::is_auxiliary(word) || matches!(word, "i" | "you" | "we");
    // `BGBl I 868`: a number.
    let is_numbered = |behind: Option<&&str>| {
        behind.is_some_and(|it| it.starts_with(|char: char| char.is_ascii_digit()))
    };
    let mut all = value.split(' ').peekable();
    let mut is_spoken = false;
    while let Some(word) = all.next() {
        let is_number = matches!(word, "I" | "I:") && is_numbered(all.peek());
        is_spoken |= !is_number && speaks(&word.trim_matches(',').to_lowercase());
    }
    value.ends_with(['.', '!', '?']) || is_spoken
}
