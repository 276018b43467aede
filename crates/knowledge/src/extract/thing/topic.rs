//! Whether a page is about what was asked for: its title is that, has it in it or says it in other words,
//! or, of a text that was given for it, the text speaks of it.

use std::collections::HashSet;

use super::given::{begins_with_name, begins_with_short, is_of_another, speaks_of};
use super::{DOCUMENT_KINDS, TITLE_MARKS, is_document, spaced, tells_of, titles};
use crate::extract::changelog;
use crate::extract::facts::questions::is_of_questions;
use crate::extract::fold::fold;
use crate::extract::meeting;
use crate::extract::minutes;
use crate::extract::name::{structural, tidy};
use crate::extract::page::{Block, Kind, Page};
use crate::extract::shape;
use crate::extract::token::{Token, tokens};
use crate::extract::words;

/// The name of what was asked for where a page's title is that, has it in it, or only says what kind
/// of document it is.
pub(in crate::extract) fn of_topic(
    page: &Page,
    topic: &str,
    title: Option<&str>,
) -> Option<String> {
    /// How often a page whose title does not name it does.
    const LEAST: usize = 2;
    /// Letters of a title that may be all of a topic's end.
    const LONG: usize = 5;
    let topic = tidy(topic);
    let key = spaced(&topic);
    if is_said(&topic) && !is_titled(page, &topic, title)
        || structural(&topic).is_err()
        || words::is_generic(key.trim())
        || key.trim().is_empty()
    {
        return None;
    }
    // Notes of releases, and questions, that name nobody are those of what they were given for.
    let is_notes = page.is_given && changelog::tells_of_versions(page);
    let is_bare = is_notes || page.is_given && is_of_questions(page);
    let says_no_more =
        |title: &str| title.ends_with('?') || without_kinds(&spaced(title)).trim().is_empty();
    if is_bare && titles(page, title).all(says_no_more) && !defines_another(page, &key) {
        return Some(topic);
    }
    let mut all = titles(page, title).peekable();
    if all.peek().is_none() {
        let is_other = begins_with_name(page, "")
            && !changelog::tells_of_versions(page)
            && !is_headed(page, &key);
        let is_given = page.is_given
            && (!is_other && speaks_of(page, &key, title) || begins_with_short(page, &topic));
        // Minutes that begin with nothing but what they are.
        let is_minutes =
            (page.is_given || speaks_of(page, &key, title)) && minutes::read(page).is_some();
        let is_covered = || is_called(&topic) && is_covered(page, &key, title);
        let is_its = is_given || is_minutes || is_covered();
        return is_its.then_some(topic);
    }
    // Notes of releases are headed by versions, and lines of them are taken for headings.
    if is_notes && speaks_of(page, &key, title) {
        return Some(topic);
    }
    let mut documents = Vec::new();
    // `Berlin, Mitte`, given for what was asked for as `Foo office Berlin Mitte`.
    let mut is_in_topic = false;
    for title in all {
        let bare = tidy(title.split(TITLE_MARKS).next().unwrap_or_default());
        let own = spaced(&bare);
        let last = own.split_whitespace().next_back().unwrap_or_default();
        let is_kind = own.trim().contains(' ') && words::is_generic(last);
        let is_same = own == key || letters(&own) == letters(&key);
        if (is_same && !is_kind || abbreviates(&own, &key)) && !is_said(&bare) {
            // `Animalia (book)`: what is in brackets tells it from others of the name.
            let name = bare.split(" (").next().map(tidy).unwrap_or_default();
            return Some(name);
        }
        // Of `Women's Rights`, who asks for `women's rights history` reads the same.
        let is_name = !is_kind && !is_said(&bare) && !is_document(&bare);
        if is_said(&topic) && key.starts_with(&own) {
            return Some(topic);
        }
        let is_part = match own.trim().contains(' ') {
            true => key.contains(own.as_str()),
            false => own.trim().len() >= LONG && key.ends_with(own.as_str()) && own != key,
        };
        if is_name && is_part && !words::is_generic(own.trim()) {
            // `Alerting` alone, given for `Foo alerting`, names nothing.
            let is_one = !own.trim().contains(' ') && !shape::is_shaped(&bare);
            // `Encryption at Rest`, given for `Foo encryption at rest`.
            let is_tail = own.trim().contains(' ') && key.ends_with(own.as_str()) && own != key;
            let is_bare = page.is_given && (is_one || is_tail);
            return Some(if is_bare { topic } else { bare });
        }
        is_in_topic |= page.is_given
            && own.trim().contains(' ')
            && letters(&own).len() > LONG
            && letters(&key).contains(&letters(&own));
        if tells_of(title, &key, page) && is_written_as_name(page, &topic) {
            return Some(topic);
        }
        if is_document(&bare) {
            documents.extend([without_kinds(&own), own]);
        }
    }
    let more = documents.iter().any(|own| own.trim().contains(' ') && key.contains(own.as_str()));
    let named = || {
        let texts = page.blocks.iter().map(|block| spaced(&block.text));
        texts.filter(|text| text.contains(&key)).take(LEAST).count() == LEAST
    };
    let begins = || {
        let first = page.blocks.iter().find(|block| block.kind == Kind::Paragraph);
        is_called(&topic) && first.is_some_and(|block| spaced(&block.text).contains(&key))
    };
    let is_its = more || !documents.is_empty() && (named() || begins() || is_set_off(page, &key));
    let is_given = || {
        !is_of_another(page, &key, title)
            && speaks_of(page, &key, title)
            && (!begins_with_name(page, &key) || is_below_headings(page, &key))
    };
    // `(29/4/24) Meeting Minutes`, which whoever gave them asked for as those of somebody.
    let is_plain = page.is_given && titles(page, title).all(meeting::says_only_kind_and_day);
    // `5 Usage`: only which part of its documents it is.
    let is_part = |title: &str| {
        let own = spaced(&tidy(title));
        own.split_whitespace().all(|word| {
            words::is_generic(word)
                || word.bytes().all(|byte| byte.is_ascii_digit() || byte == b'.')
        })
    };
    let is_part =
        page.is_given && titles(page, title).all(is_part) && !begins_with_name(page, &key);
    let is_its = is_its || is_in_topic || is_plain || is_part || page.is_given && is_given();
    // Minutes that never say whose they are.
    let is_its = is_its || page.is_given && minutes::read(page).is_some();
    (is_its || is_called(&topic) && is_covered(page, &key, title)).then_some(topic)
}

/// Whether a name stands in what was asked for: a search in words alone calls nothing by them.
fn is_called(topic: &str) -> bool {
    topic.chars().any(char::is_uppercase)
}

/// Whether a page is about what was asked for in several words, though its title says it in others: `Object
/// Lock Guide` where `MinIO object lock` was, or `Rate limits`, if the page begins with what was asked
/// for and goes on to name it.
fn is_covered(page: &Page, key: &str, title: Option<&str>) -> bool {
    const LEAST: usize = 3;
    let asked: Vec<&str> = key.split_whitespace().filter(|word| !shape::is_joint(word)).collect();
    let words_of = |text: &str| {
        let text = fold(text);
        let words =
            text.split(|char: char| !char.is_alphanumeric()).map(|word| one_of(word).to_owned());
        words.collect::<HashSet<String>>()
    };
    let titled: HashSet<String> = titles(page, title).flat_map(words_of).collect();
    let told = |word: &&str| {
        let mut parts = word.split(|char: char| !char.is_alphanumeric());
        parts.all(|part| titled.contains(one_of(part)))
    };
    let in_title = asked.iter().filter(|word| told(word)).count();
    let texts: Vec<String> = page.blocks.iter().map(|block| spaced(&block.text)).collect();
    let in_text = |word: &&str| texts.iter().any(|text| text.contains(one_of(word)));
    if asked.len() > 1
        && in_title * 2 >= asked.len()
        && asked.iter().all(|word| told(word) || in_text(word))
    {
        return true;
    }
    let is_prose = |(block, _): &(&Block, &String)| !matches!(block.kind, Kind::Heading(_));
    let mut prose = page.blocks.iter().zip(&texts).filter(is_prose).map(|(_, text)| text);
    let names_none = titles(page, title).all(|title| !shape::is_proper(&tidy(title)));
    let opens = prose.clone().next().is_some_and(|text| text.contains(key));
    names_none
        && opens
        && prose.by_ref().filter(|text| text.contains(key)).take(LEAST).count() == LEAST
}

/// A word without the ending of several.
pub(super) fn one_of(word: &str) -> &str {
    word.strip_suffix('s').filter(|one| one.len() > 2 && !one.ends_with('s')).unwrap_or(word)
}

/// What a document's title says more than what kind of document it is, as [`spaced`] has it.
fn without_kinds(own: &str) -> String {
    let is_kind = |word: &&&str| DOCUMENT_KINDS.contains(*word);
    let words: Vec<&str> = own.split_whitespace().collect();
    let before = words.iter().take_while(is_kind).count();
    let behind = words.iter().skip(before).rev().take_while(is_kind).count();
    spaced(&words[before..words.len() - behind].join(" "))
}

/// A title without what joins its words: `wersi-mk1-editor` is `Wersi MK1 Editor`.
fn letters(title: &str) -> String {
    title.chars().filter(|char| char.is_alphanumeric()).collect()
}

/// Whether each word of a title begins the one that was asked for: `SQLite Pro Support`.
fn abbreviates(own: &str, key: &str) -> bool {
    const LEAST: usize = 3;
    let (own, key): (Vec<&str>, Vec<&str>) =
        (own.split_whitespace().collect(), key.split_whitespace().collect());
    let begins =
        |(own, key): (&&str, &&str)| own == key || own.len() >= LEAST && key.starts_with(own);
    own.len() > 1 && own.len() == key.len() && own.iter().zip(&key).all(begins)
}

/// `About SQLite`, `Installing Docker`: what is said of a thing, not a name of it.
fn is_said(name: &str) -> bool {
    let first = name.split(' ').next().unwrap_or_default().to_lowercase();
    name.contains(' ')
        && (words::is_starter(&first) && !words::is_determiner(&first)
            || words::is_verb_base(&first)
            || words::is_gerund(&first))
}

/// Whether a title is what begins the name of something that is done: `Managing devices`, where `Managing
/// devices at Foo` was asked for.
fn is_titled(page: &Page, topic: &str, title: Option<&str>) -> bool {
    let key = spaced(topic);
    let is_done = key.split_whitespace().next().is_some_and(|first| first.ends_with("ing"));
    let begins = |title: &str| {
        let own = spaced(title);
        own.trim().contains(' ') && key.starts_with(&own)
    };
    is_done && titles(page, title).any(begins)
}

/// Whether a page without a title begins with a line that has what was asked for in it.
fn is_headed(page: &Page, key: &str) -> bool {
    const MOST: usize = 10;
    let line = page.blocks.first().map_or("", |block| block.text.trim());
    // `e.V.`
    let is_short = line.rsplit(' ').next().is_some_and(|last| last.matches('.').count() > 1);
    let is_line = line.split(' ').count() <= MOST
        && !line.ends_with([':', ','])
        && (is_short || !line.ends_with('.'));
    let own = spaced(line);
    // `Returns Policy`, given for `Foo returns policy`.
    let is_tail = own.trim().contains(' ') && key.ends_with(own.as_str());
    // `Satzung des Foo e.V.`, given for `Foo Satzung`.
    let mut asked = key.split_whitespace();
    let mut has_all = || asked.all(|word| own.split_whitespace().any(|own| own == word));
    is_line && (own.contains(key) || page.is_given && (is_tail || has_all()))
}

/// Whether a heading of a page has all words but the first of several that were asked for: `The alt-svc
/// cache`, where `curl alt-svc` was.
fn is_below_headings(page: &Page, key: &str) -> bool {
    let (_, rest) = key.trim().split_once(' ').unwrap_or_default();
    let mut headings = page.blocks.iter().filter(|block| matches!(block.kind, Kind::Heading(_)));
    !rest.is_empty() && headings.any(|heading| spaced(&heading.text).contains(&spaced(rest)))
}

/// Whether a line of a page is nothing but these words: the name of whose minutes they are.
fn is_set_off(page: &Page, key: &str) -> bool {
    const EARLY: usize = 5;
    page.blocks.iter().take(EARLY).any(|block| spaced(&block.text) == key)
}

/// Whether what was asked for is written as names are.
fn is_written_as_name(page: &Page, topic: &str) -> bool {
    let is_shaped = shape::is_shaped(topic) || shape::is_proper(topic);
    is_shaped || page.blocks.iter().any(|block| block.text.contains(topic) && topic.contains(' '))
}

/// Whether a text begins with what something is that was not asked for: `Bar is a tool of Ann Hill.`
fn defines_another(page: &Page, key: &str) -> bool {
    const MOST_NAME: usize = 3;
    let first = page.blocks.iter().find(|block| block.kind == Kind::Paragraph);
    let all: Vec<String> =
        first.map_or_else(Vec::new, |it| tokens(&it.text).iter().map(Token::lower).collect());
    let is = all.iter().take(MOST_NAME + 1).position(|word| word == "is").unwrap_or_default();
    let (name, said) = all.split_at(is);
    let is_kind = said.get(1).is_some_and(|it| matches!(it.as_str(), "a" | "an" | "the"));
    let is_name = name.first().is_some_and(|it| !words::is_starter(it) && it != "this");
    is_kind && is_name && !name.iter().any(|it| key.contains(&spaced(it)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::extract::page::read;

    #[test]
    fn what_was_asked_for_is_a_page_s_thing_though_its_title_says_it_otherwise() {
        for (text, topic, expected) in [
            ("# Object Lock Guide\n\nMinIO has locks.", "MinIO object lock", true),
            ("# Lock rate\n\nCeph has locks.", "MinIO lock", false),
            ("# Benefits & Perks\n\nBasecamp pays.", "Basecamp benefits", true),
            ("# Benefits & Perks\n\nBasecamp pays.", "basecamp benefits", false),
            ("# Rate limit\n\nA Foo API is.\n\nThe Foo API has.\n\nA Foo API.", "Foo API", true),
            ("# Rate limit\n\nA Foo API is.\n\nIt has.", "Foo API", false),
            ("# Bar Server\n\nA Foo API is.\n\nThe Foo API has.\n\nA Foo API.", "Foo API", false),
            ("# Glossary\n\nTerms of Foo.\n\nA is B.", "Foo", true),
            ("# Glossary\n\nTerms of Bar.\n\nA is B.", "Foo", false),
        ] {
            let found = of_topic(&read(text), topic, None);
            assert_eq!(found.as_deref(), expected.then_some(topic), "{text} {topic}");
        }
        // What the user gives for it is about it, unless it is about something else.
        for (text, topic, expected) in [
            (
                "# Our Rituals\n\nMeet-ups are 1 week long for everybody who is with us at Basecamp.",
                "basecamp",
                true,
            ),
            ("# Our Rituals\n\nA.\n\nBasecamp has some.\n\nBasecamp pays.", "basecamp", true),
            ("# Our Rituals\n\nA.\n\nBasecamp has some.\n\nB.", "basecamp", false),
            ("# Our Rituals\n\nMeet-ups are 1 week long.", "basecamp", false),
            ("A day.\n\nRetreats of Foo are long. The retreat is at Foo.", "foo retreat", true),
            ("# Our Rituals\n\nMeet-ups are 1 week long.", "basecamp rituals", true),
            ("# 5 Usage\n\nMeet-ups are 1 week long.", "basecamp", true),
            ("# General\n\nFoo has a General Meeting.\n\nThe rules are.", "foo rules", true),
            ("# Making devices\n\nThe Foo is.", "Making devices at Foo", true),
            ("# Urlaubsgesetz für alle\n\nA day is long.", "Bundesurlaubsgesetz", true),
            ("# (29/4/24) Meeting Minutes\n\n## Attendees\n\n- Ann Hill", "foo group", true),
            (
                "Meet-ups are 1 week long for everybody who is with us at Basecamp.",
                "basecamp",
                true,
            ),
            ("Meet-ups are 1 week long.", "basecamp", false),
            ("Refund Policy\n\nItems are sent back.", "Foo refund policy", true),
            ("Satzung\n\nDer Verein führt den Namen „Foo e. V.“ und ist in Rom.", "Foo", true),
            ("Satzung des Foo e.V.\n\nDer Verein ist in Rom.", "Foo Satzung", true),
            ("Satzung „Foo Bar“\n\nDer Verein ist in Rom.", "Foo Bar", true),
            ("Nikola J. Tesla was an engineer.", "Nikola Tesla", false),
            ("The V&A has its origins in 1851.", "Victoria and Albert Museum", true),
            ("The A&B has its origins in 1851.", "Victoria and Albert Museum", false),
            ("The KEF LS50 Meta is a speaker.", "kef ls50", false),
            ("# Sound\n\nThe KEF LS50 Meta is a speaker.", "speakers", false),
            ("# Redis Cluster\n\nA Redis Cluster has nodes.", "Redis", false),
            // What names nobody is of what it was given for.
            ("# Version 1.1.0\n\n- New one.\n\n# Version 1.0.0\n\n- Old one.", "foo", true),
            ("# Changelog\n\n## 1.1.0\n\n- New one.\n\n## 1.0.0\n\n- Old one.", "foo", true),
            (
                "Bar is a tool of Ann Hill.\n\n## 1.1.0\n\n- New.\n\n## 1.0.0\n\n- Old.",
                "foo",
                false,
            ),
            (
                "Bar is a tool of Ann Hill.\n\n### Is it?\n\nA.\n\n### Who?\n\nB.\n\n### Why?\n\nC.",
                "foo",
                false,
            ),
            ("# Bar Kit\n\n## 1.1.0\n\n- New.\n\n## 1.0.0\n\n- Old.", "foo", false),
            ("### Is it?\n\nA.\n\n### Who?\n\nB.\n\n### Why?\n\nC.", "foo", true),
            ("### Is it?\n\nA.\n\n### Who?\n\nB.\n\n### Rest\n\nC.", "foo", false),
        ] {
            let page = Page { is_given: true, ..read(text) };
            let found = of_topic(&page, topic, None);
            assert_eq!(found.as_deref(), expected.then_some(topic), "{text} {topic}");
        }
    }
}
