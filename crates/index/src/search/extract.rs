//! The statements of hits that may answer a question: whole sentences, items of lists and rows of
//! tables, how much of the question each speaks of, and which say otherwise than another. Pure.
//!
//! What states nothing is never one: headings, code, diagrams, rules, badges, questions, and what
//! only introduces what follows it.

mod announced;
mod label;
mod option_line;
mod plain;
mod row;
mod states;

use std::collections::BTreeSet;

use super::{
    Hit,
    passage::{Kind, heading, of_hit},
    question::{Named, Question, headings, own},
};
use announced::{announced, default_behind, paragraph_behind};
use elophanto_base::{
    contradicts::{contradicts, name_another},
    lexical::Analyzer,
};
use elophanto_text::{markdown::on_one_line, template::without_tags};
use label::label;
use option_line::option_line;
pub(super) use plain::plain;
use plain::without_mark;
use row::{cells, row};
use states::{is_language, is_pointer, says_something};

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
/// Characters of what is quoted beside a sentence, each line or item.
const MOST_SHOWN: usize = 200;
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

#[cfg(test)]
mod tests {
    use super::{super::passage::sentences, *};

    #[test]
    fn questions_of_a_text_head_their_answers() {
        let text = "Reads all.\n\n**Why is it slow?**\n\nIt reads all of it.\n";
        let kinds = sentences(text, None);
        let asked: Vec<&str> =
            kinds.iter().filter_map(|it| asks(&text[it.range.clone()], it.kind)).collect();
        assert_eq!(asked, ["**Why is it slow?**"]);
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
