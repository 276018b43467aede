//! What stands around a statement and is shown with it, so that it says the same away from its place: its
//! paragraph, what leads in its list, and the list or the code that the question asks for. Pure.

use std::ops::Range;

use super::{
    Hit,
    asked::{is_one_of, is_pronoun},
    declares::declares,
    extract::{Statement, plain},
    passage::{Kind, Sentence, of_hit, opens_item},
    question::Question,
};
use elophanto_base::lexical::words;
use elophanto_text::markdown::on_one_line;

/// Bytes of a paragraph or item that is shown whole.
const MOST_WHOLE: usize = 600;
/// Lines that are shown below a statement, characters of each, and of what leads in a list.
const MOST_BELOW: usize = 12;
const MOST_SHOWN: usize = 240;
/// Sentences that are shown on either side of a statement.
const MOST_BESIDE: usize = 3;

/// Words, beside pronouns, that stand for what was said before: `that enables`, `such files are`.
const POINTING: [&str; 4] = ["that", "those", "such", "them"];
/// Words before them that begin a condition or an aim: `if this happens`.
const BEFORE_POINTING: [&str; 8] = ["after", "by", "for", "if", "in", "once", "to", "when"];

/// A statement as it is shown.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Shown {
    pub line: String,
    /// Lines of items and code that belong to it, each with white space in front.
    pub below: Vec<String>,
}

/// A statement with what stands around it. Facts and rows stand alone.
pub fn shown(statement: &Statement, hit: &Hit, question: &Question) -> Shown {
    let sentences = of_hit(hit);
    let around = Around { text: &hit.text, sentences: &sentences };
    let alone = || Shown { line: statement.text.clone(), below: Vec::new() };
    let is_fact = hit.kind == crate::Kind::Fact;
    let shown = match around.kind(statement.at).filter(|_| !is_fact) {
        Some(Kind::Item) => around.item(statement, hit, question),
        Some(Kind::Prose) => around.paragraph(statement, question),
        Some(Kind::Code) if statement.is_steps => Some(around.steps(statement)),
        _ => None,
    };
    shown.unwrap_or_else(alone)
}

/// What leads in the list that a statement is an item of, and the statement.
pub fn led_in(statement: &Statement, hit: &Hit) -> String {
    let sentences = of_hit(hit);
    let around = Around { text: &hit.text, sentences: &sentences };
    let lead = around.lead_in(statement.at).filter(|_| hit.kind != crate::Kind::Fact);
    around.with_lead(lead, &statement.text)
}

/// The sentences of a text.
struct Around<'t> {
    text: &'t str,
    sentences: &'t [Sentence],
}

impl<'t> Around<'t> {
    /// An item, or its whole list where the question asks for that.
    fn item(&self, statement: &Statement, hit: &Hit, question: &Question) -> Option<Shown> {
        let at = statement.at;
        if statement.is_steps {
            return Some(self.steps(statement));
        }
        let list = self.list(at);
        let lead = self.lead_in(at);
        let is_numbered = self.raw(list.start).starts_with(|char: char| char.is_ascii_digit());
        let is_steps = question.asks_how() && is_numbered;
        if question.asks_for_all() && (is_steps || lead.is_some() || statement.is_headed) {
            let of_list = self.lead_in(list.start).map(|lead| plain(self.raw(lead)));
            let heading = [&statement.beneath, hit.breadcrumb.last().unwrap_or(&hit.title)];
            let heading = || heading.into_iter().find(|heading| !heading.is_empty()).cloned();
            let below = self.lines(list);
            if below.len() <= MOST_BELOW {
                return Some(Shown { line: of_list.or_else(heading)?, below });
            }
        }
        let whole = self.bytes(self.start(at)..self.end(at))?;
        // Not a value that is told with the heading above.
        let is_told = statement.text.starts_with(&plain(self.raw(at)));
        let is_whole = is_told && whole.len() <= MOST_WHOLE;
        let line = if is_whole { plain(&self.text[whole]) } else { statement.text.clone() };
        let below = self.announced(self.end(at)).filter(|_| is_whole);
        Some(self.shown(self.with_lead(lead, &line), below))
    }

    /// The paragraph beneath a heading that says all of the question and what it announces or, where the question
    /// asks how, all that follows. Else what a statement needs to be understood.
    fn paragraph(&self, statement: &Statement, question: &Question) -> Option<Shown> {
        if !statement.leads {
            return self.beside(statement, question);
        }
        let (start, end) = (self.start(statement.at), self.end(statement.at));
        let fits = |bytes: &Range<usize>| bytes.len() <= MOST_WHOLE;
        let whole = self.bytes(start..end).filter(fits);
        let whole = whole.or_else(|| self.bytes(statement.at..end).filter(fits))?;
        let below = if question.asks_how() { Some(self.rest(end)) } else { self.announced(end) };
        Some(self.shown(plain(&self.text[whole]), below))
    }

    /// A statement with the sentences before it that it points back to or, where the question asks why, all of them, and
    /// with those behind it unless the question asks how or for one thing. They are of the same paragraph and state
    /// something, or it stands alone.
    fn beside(&self, statement: &Statement, question: &Question) -> Option<Shown> {
        let at = statement.at;
        let asks_why = question.asks_why();
        let tells_more = !question.asks_for_one() && !question.asks_how();
        // Not what tells the rest of its paragraph already.
        let is_one = statement.text == plain(self.raw(at));
        let states = |at: &usize| declares(&plain(self.raw(*at)));
        let before = (self.start(at)..at).rev().take(MOST_BESIDE).take_while(|before| {
            states(before) && (asks_why || points_back(&plain(self.raw(before + 1))))
        });
        let behind = (at + 1..self.end(at))
            .take(MOST_BESIDE)
            .take_while(|it| tells_more && is_one && states(it));
        let (before, behind) = (before.count(), behind.count());
        let joined = |sentences| Some(plain(&self.text[self.bytes(sentences)?]));
        let said = [
            joined(at - before..at),
            Some(statement.text.clone()),
            joined(at + 1..at + 1 + behind),
        ];
        let line = said.into_iter().flatten().collect::<Vec<_>>().join(" ");
        (before + behind > 0 && line.len() <= MOST_WHOLE).then(|| Shown { line, below: Vec::new() })
    }

    /// What stands beneath the heading that was asked for.
    fn steps(&self, statement: &Statement) -> Shown {
        Shown { line: statement.text.clone(), below: self.cut(self.rest(statement.at)) }
    }

    fn shown(&self, line: String, below: Option<Range<usize>>) -> Shown {
        let is_code = |block: &Range<usize>| self.kind(block.start) == Some(Kind::Code);
        match below {
            // A single command reads on.
            Some(block)
                if block.len() == 1 && is_code(&block) && !self.raw(block.start).contains('`') =>
            {
                Shown { line: format!("{line} `{}`", self.raw(block.start)), below: Vec::new() }
            }
            Some(block) => Shown { line, below: self.cut(block) },
            None => Shown { line, below: Vec::new() },
        }
    }

    fn with_lead(&self, lead: Option<usize>, line: &str) -> String {
        let lead = lead.map(|lead| plain(self.raw(lead)));
        match lead.filter(|lead| lead.chars().count() <= MOST_SHOWN) {
            Some(lead) => format!("{lead} {line}"),
            None => line.to_owned(),
        }
    }

    fn raw(&self, at: usize) -> &'t str {
        self.sentences.get(at).map_or("", |one| &self.text[one.range.clone()])
    }

    fn kind(&self, at: usize) -> Option<Kind> {
        self.sentences.get(at).map(|one| one.kind)
    }

    /// Columns of white space before the line that a sentence begins in.
    fn indent(&self, at: usize) -> usize {
        let start = self.sentences.get(at).map_or(0, |one| one.range.start);
        let line = self.text[..start].rfind('\n').map_or(0, |end| end + 1);
        let before = &self.text[line..start];
        before.len() - before.trim_start_matches([' ', '\t', '>']).len()
    }

    fn opens(&self, at: usize) -> bool {
        self.kind(at) == Some(Kind::Item) && opens_item(self.raw(at))
    }

    /// Whether a sentence is of the paragraph, the item or the code of the one before.
    fn goes_on(&self, at: usize) -> bool {
        let before = at.checked_sub(1).and_then(|before| self.sentences.get(before));
        let (Some(before), Some(one)) = (before, self.sentences.get(at)) else { return false };
        let between = &self.text[before.range.end..one.range.start];
        let is_near = match one.kind {
            Kind::Code => between.trim().is_empty(),
            _ => between.matches('\n').count() < 2,
        };
        before.kind == one.kind && is_near && !self.opens(at)
    }

    /// Where the paragraph, item or code begins that a sentence is of.
    fn start(&self, at: usize) -> usize {
        (0..=at).rev().find(|at| !self.goes_on(*at)).unwrap_or(at)
    }

    /// Behind its last sentence.
    fn end(&self, at: usize) -> usize {
        (at + 1..self.sentences.len()).find(|at| !self.goes_on(*at)).unwrap_or(self.sentences.len())
    }

    /// Bytes of sentences that follow each other.
    fn bytes(&self, sentences: Range<usize>) -> Option<Range<usize>> {
        let all = self.sentences.get(sentences)?;
        Some(all.first()?.range.start..all.last()?.range.end)
    }

    /// The sentence that leads in the list of an item: one that ends in a colon above the list, or the item
    /// that it stands beneath.
    fn lead_in(&self, at: usize) -> Option<usize> {
        let first = self.start(at);
        if !self.opens(first) {
            return None;
        }
        let own = self.indent(first);
        for above in (0..first).rev() {
            let indent = self.indent(above);
            match self.kind(above)? {
                Kind::Heading | Kind::Row => return None,
                _ if indent > own => {}
                Kind::Prose if indent < own || own == 0 || announces(self.raw(above)) => {
                    return Some(above).filter(|above| announces(self.raw(*above)));
                }
                Kind::Item if indent < own => {
                    return Some(above).filter(|above| announces(self.raw(*above)));
                }
                _ => {}
            }
        }
        None
    }

    /// The list that an item is of, with what stands within it.
    fn list(&self, at: usize) -> Range<usize> {
        let is_within = |at: &usize| match self.kind(*at) {
            Some(Kind::Item | Kind::Code | Kind::Markup) => true,
            Some(Kind::Prose) => self.indent(*at) > 0,
            _ => false,
        };
        let start = (0..at).rev().take_while(is_within).filter(|at| self.opens(*at)).last();
        let end = (at..self.sentences.len()).take_while(is_within).last();
        start.unwrap_or(at)..end.unwrap_or(at) + 1
    }

    /// The list or code that begins with a sentence.
    fn block(&self, at: usize) -> Option<Range<usize>> {
        match self.kind(at)? {
            Kind::Code => Some(at..self.end(at)),
            Kind::Item => Some(at..self.list(at).end),
            _ => None,
        }
    }

    /// The list or code behind a sentence that ends in a colon.
    fn announced(&self, at: usize) -> Option<Range<usize>> {
        let before = at.checked_sub(1)?;
        let is_of_item = |next: usize| {
            self.kind(before) == Some(Kind::Item) && self.kind(next) == Some(Kind::Item)
        };
        let is_beside = is_of_item(at) && self.indent(at) <= self.indent(self.start(before));
        if announces(self.raw(before)) && !is_beside { self.block(at) } else { None }
    }

    /// The rest of a section.
    fn rest(&self, at: usize) -> Range<usize> {
        let is_within = |at: &usize| !matches!(self.kind(*at), Some(Kind::Heading | Kind::Row));
        at..at + (at..self.sentences.len()).take_while(is_within).count()
    }

    fn cut(&self, block: Range<usize>) -> Vec<String> {
        let mut lines = self.lines(block);
        if lines.len() > MOST_BELOW {
            lines.truncate(MOST_BELOW);
            lines.push("  …".to_owned());
        }
        lines
    }

    /// Items, code and paragraphs, each with its indent.
    fn lines(&self, block: Range<usize>) -> Vec<String> {
        let least = block.clone().map(|at| self.indent(at)).min().unwrap_or(0);
        let mut lines = Vec::new();
        // The number of the last item at each indent.
        let mut numbers: Vec<(usize, usize)> = Vec::new();
        let mut at = block.start;
        while at < block.end {
            let end = self.end(at).min(block.end);
            let indent = self.indent(at);
            let pad = |at: usize, more: usize| " ".repeat(more + self.indent(at) - least);
            let raw = self.bytes(at..end).map_or("", |bytes| &self.text[bytes]);
            let said = || on_one_line(&plain(raw), MOST_SHOWN, |_| true);
            match self.kind(at) {
                Some(Kind::Code) => lines.extend((at..end).map(|at| pad(at, 4) + self.raw(at))),
                Some(Kind::Item) if self.opens(at) => {
                    let digits = raw.trim_start_matches(|char: char| char.is_ascii_digit());
                    let written = raw[..raw.len() - digits.len()].parse::<usize>().ok();
                    numbers.retain(|(other, _)| *other <= indent);
                    let mark = written.map(|written| {
                        match numbers.last_mut().filter(|(other, _)| *other == indent) {
                            Some((_, number)) => *number += 1,
                            None => numbers.push((indent, written)),
                        }
                        format!("{}.", numbers.last().map_or(written, |(_, number)| *number))
                    });
                    lines.push(format!(
                        "{}{} {}",
                        pad(at, 2),
                        mark.as_deref().unwrap_or("-"),
                        said()
                    ));
                }
                Some(Kind::Prose | Kind::Item) => lines.push(pad(at, 2) + &said()),
                _ => {}
            }
            at = end;
        }
        lines
    }
}

/// Whether a sentence begins with what stands for something that was said before it.
fn points_back(said: &str) -> bool {
    let mut words = words(said).map(|word| &said[word.range]);
    let is_pointing =
        |word: Option<&str>| word.is_some_and(|it| is_pronoun(it) || is_one_of(&POINTING, it));
    let first = words.next();
    is_pointing(first)
        || first.is_some_and(|it| is_one_of(&BEFORE_POINTING, it))
            && (is_pointing(words.next()) || is_pointing(words.next()))
}

/// Whether a sentence ends in a colon.
pub(super) fn announces(raw: &str) -> bool {
    raw.trim_end_matches(['*', '_', ' ']).ends_with([':', '：'])
}

#[cfg(test)]
mod tests {
    use super::{super::passage::sentences, *};

    /// Does something with the first sentence that begins so.
    fn at<T>(text: &str, begins: &str, then: impl Fn(&Around, usize) -> T) -> T {
        let sentences = sentences(text, None);
        let is_it = |one: &Sentence| text[one.range.clone()].starts_with(begins);
        let at = sentences.iter().position(is_it).unwrap();
        then(&Around { text, sentences: &sentences }, at)
    }

    #[test]
    fn what_leads_in_a_list_is_found() {
        let text = "It is for:\n\n- reds. All of them\n- blues:\n  - dark\n    blues\n  - light ones\n- greens\n\n\
                    Others.\n\n- pale\n\n1. Do this.\n\n   Then:\n\n   - wait\n2. Go\n\n# Head\n\n- last\n";
        for (begins, expected) in [
            ("- reds", Some("It is for:")),
            ("All of", Some("It is for:")),
            ("- light", Some("- blues:")),
            ("- greens", Some("It is for:")),
            ("- pale", None),
            ("- wait", Some("Then:")),
            ("2. Go", None),
            ("- last", None),
            ("Others", None),
        ] {
            let lead = |around: &Around, at| around.lead_in(at).map(|at| around.raw(at).to_owned());
            assert_eq!(at(text, begins, lead).as_deref(), expected, "{begins}");
        }
    }

    #[test]
    fn a_list_is_shown_as_it_is_counted() {
        let text = "Before.\n\n1. Open *it*.\n   Look.\n\n1. Run:\n\n   ```sh\n   make all\n     now\n   ```\n\n1. Choose:\n   - red\n   - blue\n\nBehind.\n";
        let shown = |begins| at(text, begins, |around, at| around.lines(around.list(at)));
        let expected = [
            "  1. Open *it*. Look.", "  2. Run:", "       make all", "         now",
            "  3. Choose:", "     - red", "     - blue",
        ];
        assert_eq!(shown("1. Open"), expected);
        assert_eq!(shown("- red"), expected);
    }

    #[test]
    fn what_points_back_needs_what_was_said_before() {
        for (text, expected) in [
            ("It replaces `requirements.in`.", true),
            ("That enables incremental builds.", true),
            ("If this happens, it is built anew.", true),
            ("In such a case it is built anew.", true),
            ("If a build fails, it is built anew.", false),
            ("Instead of an id, images have these labels.", false),
            ("The table has it.", false),
        ] {
            assert_eq!(points_back(text), expected, "{text}");
        }
    }

    #[test]
    fn code_and_lists_belong_to_what_announces_them() {
        let text = "First. Then run:\n\n```\na\n\nb\n```\n\n```\nc\n```\n\nNothing.\n\n- x:\n- y:\n  - z\n\nMore.\n\n1. s\n";
        let behind = |begins| {
            let lines = |around: &Around, block| around.lines(block);
            at(text, begins, |around, at| {
                around.announced(around.end(at)).map(|it| lines(around, it))
            })
        };
        assert_eq!(behind("First"), Some(vec!["    a".to_owned(), "    b".to_owned()]));
        assert_eq!(behind("Nothing"), None);
        assert_eq!(behind("- x"), None, "an item beside it");
        assert_eq!(behind("- y"), Some(vec!["  - z".to_owned()]));
        let rest = at(text, "- z", |around, at| around.lines(around.rest(around.end(at))));
        assert_eq!(rest, ["  More.", "  1. s"]);
    }
}
