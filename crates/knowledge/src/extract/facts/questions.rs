//! Questions that a page asks of its thing, each with its answer: `Foo – Is Foo free? Yes.`

use super::own_blocks::OwnBlocks;
use super::{is_told, shown};
use crate::extract::Statement;
use crate::extract::page::{Block, Kind, Mark, Page};
use crate::extract::thing::Thing;
use elophanto_text::sentences::sentences;

/// Words of a question, and most of one with its answer.
const QUESTION: std::ops::RangeInclusive<usize> = 3..=18;
const MOST: usize = 45;
/// Fewest words of an answer that needs no more.
const LEAST: usize = 5;

/// The questions of a page with what answers them.
/// `found` is what is told already.
pub(super) fn collect(
    page: &Page,
    own_blocks: &OwnBlocks,
    thing: &Thing,
    found: &[(usize, Statement)],
) -> Vec<(usize, Statement)> {
    // Whoever is asked answers as `we`, and whoever asks is `you` to them.
    let is_asked = is_of_questions(page);
    let ours: &[&str] = if is_asked { &[] } else { &OURS };
    let pairs = page.blocks.iter().enumerate().zip(page.blocks.iter().skip(1));
    let told = pairs.filter(|((number, _), answer)| {
        let is_prose = answer.kind == Kind::Paragraph && !answer.is_quoted && !answer.is_furniture;
        is_prose && own_blocks.is_own(number + 1)
    });
    let told = told.filter_map(|((_, block), answer)| {
        let question = question(block).filter(|it| is_asked || !points(it, &["you", "your"]))?;
        let answer = answer_of(&answer.text, ours)?;
        if found.iter().any(|(_, fact)| fact.text.contains(answer.as_str())) {
            return None;
        }
        let text = shown(&format!("{} – {question} {answer}", thing.name));
        let fits = text.split(' ').count() <= MOST && is_told(&text);
        fits.then(|| (thing.entity, Statement { text, line: page.line_of(block) }))
    });
    told.collect()
}

/// Whose words they are.
const OURS: [&str; 3] = ["our", "us", "we"];

/// Whether a page is of questions: most of what heads its parts asks, or it has several that are marked as such.
pub(in crate::extract) fn is_of_questions(page: &Page) -> bool {
    const LEAST: usize = 3;
    let heads = page.blocks.iter().filter(|block| matches!(block.kind, Kind::Heading(_)));
    let (asked, other): (Vec<&Block>, Vec<&Block>) =
        heads.partition(|block| block.text.trim_end().ends_with('?'));
    let marked =
        page.blocks.iter().filter(|it| it.kind == Kind::Paragraph && question(it).is_some());
    asked.len() >= LEAST && asked.len() > other.len() || marked.count() >= LEAST
}

/// The question that a heading, an item or an emphasised line is.
fn question(block: &Block) -> Option<&str> {
    let text = block.text.trim();
    let is_marked = block.marks.first().is_some_and(|(range, mark)| {
        *mark == Mark::Strong && range.start == 0 && range.end == block.text.len()
    });
    let number = |char: char| char.is_ascii_digit() || ".) ".contains(char);
    let asked = text.strip_prefix("Q:").or(text.strip_prefix("Q.")).unwrap_or(text);
    let asks = block.kind != Kind::Paragraph || is_marked || asked.len() < text.len();
    let asked = asked.trim_start_matches(number).trim();
    let inner = asked.strip_suffix('?')?;
    let fits = asks
        && QUESTION.contains(&asked.split(' ').count())
        && asked.starts_with(char::is_uppercase)
        && !inner.contains(['?', '.', ':'])
        && !points(asked, &["it", "its", "they", "them", "there"]);
    fits.then_some(asked)
}

/// The sentences that answer: the first, and those behind it while there is room.
/// `ours` are words that nobody but whoever wrote the page says.
fn answer_of(text: &str, ours: &[&str]) -> Option<String> {
    const ROOM: usize = 45;
    let text = text.strip_prefix("A:").or(text.strip_prefix("A.")).unwrap_or(text).trim();
    let mut all = sentences(text).into_iter().filter_map(|range| text.get(range)).map(str::trim);
    let first = all.next()?;
    // What `this` stands for is said before it, if only in the question.
    let own = |next: &&str| {
        let bare = ["This", "this", "That", "that", "These", "these"];
        let said = next.split_whitespace().filter(|word| !bare.contains(word));
        !points(&said.collect::<Vec<&str>>().join(" "), ours) && next.ends_with(['.', '!', ')'])
    };
    let mut answer = first.to_owned();
    for next in all.take_while(own) {
        if answer.split(' ').count() + next.split(' ').count() > ROOM {
            break;
        }
        answer = format!("{answer} {next}");
    }
    // `It depends.`
    let answers = ["Yes", "No"].iter().any(|start| answer.starts_with(start));
    let is_whole = answers || answer.split(' ').count() >= LEAST;
    (is_whole
        && answer.ends_with(['.', '!', ')'])
        && (ours.is_empty() && own(&first) || !points(first, ours)))
    .then_some(answer)
}

/// Whether a text speaks of what stands around it, or has one of these words.
fn points(text: &str, others: &[&str]) -> bool {
    const POINTING: &[&str] =
        &["above", "below", "following", "here", "see", "that", "these", "this"];
    // `The FAQ answers this question.`
    if text.contains("answers this") || text.contains("answered in") {
        return true;
    }
    let mut words = text
        .split_whitespace()
        .map(|word| word.trim_matches(|char: char| !char.is_alphanumeric()).to_lowercase());
    words.any(|word| POINTING.contains(&word.as_str()) || others.contains(&word.as_str()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::extract::page::read;

    #[test]
    fn a_question_stands_with_its_answer() {
        for (text, expected) in [
            (
                "## 1.2. Is Foo free?\n\nYes. Foo is under the MIT licence. More.",
                Some("Is Foo free?"),
            ),
            ("**Who made Foo?**\n\nAnn Hill made it in 2011.", Some("Who made Foo?")),
            ("Who made Foo?\n\nAnn Hill made it.", None),
            ("## Is this free?\n\nYes.", None),
        ] {
            let page = read(text);
            assert_eq!(question(&page.blocks[0]), expected, "{text}");
        }
        for (text, expected) in [
            (
                "Yes. Foo is under the MIT licence. This is so. See more. Other.",
                Some("Yes. Foo is under the MIT licence. This is so."),
            ),
            ("Ann Hill made it in 2011.", Some("Ann Hill made it in 2011.")),
            ("It is told below.", None),
            ("Yes:", None),
        ] {
            assert_eq!(answer_of(text, &OURS).as_deref(), expected, "{text}");
        }
    }

    #[test]
    fn whoever_is_asked_on_a_page_of_questions_answers_as_we() {
        let page = read(
            "**Q. Why don't you heat the pool?**\n\nA. We heat it to 30 degrees.\n\n**Q. How long is a mile?**\n\nA. \
             There is no place to see this.\n\n**Who are you?**\n\nThe Foo pool of Bath.\n",
        );
        assert!(is_of_questions(&page));
        assert_eq!(answer_of("We heat it to 30 degrees.", &OURS), None);
        let told = answer_of("We heat it to 30 degrees. See below.", &[]);
        assert_eq!(told.as_deref(), Some("We heat it to 30 degrees."));
    }
}
