//! One thing under several names: its full name, what is short for it, and what the topic calls it.

use super::Candidate;
use crate::extract::fold::fold;
use crate::extract::name::{is_year, structural, tidy};
use crate::extract::page::Page;
use crate::extract::shape;
use crate::extract::subject::Class;
use crate::extract::thing::titles;
use crate::extract::token::tokens;
use crate::extract::words;
use crate::words::{Words, list};

/// Full names of a page that are looked at.
const MAX_FULL: usize = 2_000;

/// First words of names whose last word is another thing: `Lake Geneva`, `Air France`.
static PLACES: Words = list!(words "place_prefixes");

/// What somebody is, as it stands before a name.
static ROLES: Words = list!(words "roles");

/// What companies are by law.
static LEGAL: Words = list!(words "legal");

/// The candidates of a page, those that are one thing as one. A full name is one where it is
/// written out no later than what is short for it, and nothing else here could be meant.
pub(super) fn joined(
    page: &Page,
    title: Option<&str>,
    topic: &str,
    taken: Vec<Candidate>,
) -> Vec<Candidate> {
    let runs = Runs::of(page);
    let asked = runs.asked(page, title, topic);
    let mut kept: Vec<Candidate> = Vec::new();
    for candidate in taken {
        let full = (candidate.class == Class::NewProper)
            .then(|| runs.full(&candidate.name, asked.as_deref(), &kept))
            .flatten();
        let name = full.clone().unwrap_or_else(|| candidate.name.clone());
        let proper = candidate.class == Class::NewProper;
        let known = kept.iter_mut().find(|it| {
            let person = proper && it.class == Class::NewProper && is_same_person(&it.name, &name);
            // Whoever agrees with one of the names and not with another is somebody else.
            let mut written_out = it.aliases.iter().filter(|alias| alias.contains(' '));
            let is_asked = |other: &str| asked.as_deref() == Some(other);
            let same = |one: &str, other: &str| {
                is_same_person(one, other)
                    || is_asked(one) && is_written_out(one, other)
                    || is_asked(other) && is_written_out(other, one)
                    || is_same_code(one, other)
                    || one.contains(' ') && is_legal_form_of(one, other)
                    || other.contains(' ') && is_legal_form_of(other, one)
            };
            let mut others = it.aliases.iter().filter(|alias| alias.contains(' '));
            it.name == name
                || it.aliases.iter().any(|alias| *alias == name || is_same_code(alias, &name))
                || (proper && same(&it.name, &name) && others.all(|alias| same(alias, &name)))
                || (person && written_out.all(|alias| is_same_person(alias, &name)))
        });
        // Short for what was asked for is its alias; what a surname is short for elsewhere is open.
        let is_alias =
            full.is_none() || asked.as_ref() == full.as_ref() || shape::is_shaped(&candidate.name);
        match known {
            Some(known) => {
                if asked.as_ref() == Some(&name) {
                    known.also(name, true);
                }
                known.also(candidate.name, is_alias);
                candidate.aliases.into_iter().for_each(|alias| known.also(alias, true));
            }
            None => {
                let mut new = Candidate { name, ..candidate.clone() };
                new.also(candidate.name, is_alias);
                kept.push(new);
            }
        }
    }
    let asked_for = tidy(topic);
    for candidate in &mut kept {
        // `carbon dioxide removal (CDR)`, wherever it is written.
        if asked_for.contains(' ') && shape::is_acronym(&candidate.name) {
            let written = format!("{} ({})", fold(&asked_for), fold(&candidate.name));
            if page.blocks.iter().any(|block| fold(&block.text).contains(&written)) {
                candidate.also(asked_for.clone(), true);
            }
        }
        candidate.called_as_asked(topic);
        if let Some(title) = title.or(page.title.as_deref()) {
            candidate.called_as_titled(title);
        }
    }
    kept
}

impl Candidate {
    /// Another name for it.
    fn also(&mut self, name: String, is_alias: bool) {
        if name == self.name || self.aliases.contains(&name) || self.short.contains(&name) {
            return;
        }
        if is_alias { self.aliases.push(name) } else { self.short.push(name) }
    }

    /// Whoever asks for an alias gets it as the name.
    fn called_as_asked(&mut self, topic: &str) {
        let topic = fold(&tidy(topic));
        if let Some(alias) = self.aliases.iter_mut().find(|alias| fold(alias) == topic)
            && alias.contains(' ')
        {
            std::mem::swap(alias, &mut self.name);
        }
    }
}

impl Candidate {
    /// A page has the name of its thing for its title.
    fn called_as_titled(&mut self, title: &str) {
        let title = fold(&tidy(title));
        let titled = |alias: &&mut String| fold(alias) == title && !shape::is_acronym(alias);
        if let Some(alias) = self.aliases.iter_mut().find(titled) {
            std::mem::swap(alias, &mut self.name);
        }
    }
}

/// The names that a page writes out, in the order in which they first appear.
struct Runs {
    all: Vec<String>,
    /// Whether the page goes on about a person: sentences begin with `he` or `she`.
    is_of_person: bool,
}

impl Runs {
    fn of(page: &Page) -> Self {
        const LEAST: usize = 2;
        let mut all: Vec<String> = Vec::new();
        let goes_on = |text: &&str| {
            ["He ", "She ", "His ", "Her "].iter().any(|pronoun| text.starts_with(pronoun))
        };
        let texts = page.sentences.iter().map(|sentence| page.text(sentence));
        let is_of_person = texts.filter(goes_on).count() >= LEAST;
        for sentence in &page.sentences {
            let text = page.text(sentence);
            let tokens = tokens(text);
            let mut at = 0;
            while let Some(first) = tokens.get(at) {
                let end = shape::run(&tokens, at);
                // `In 1983 Acorn began`, but `the 2013 Tour`.
                let is_when = is_year(first.text)
                    && at
                        .checked_sub(1)
                        .and_then(|before| tokens.get(before))
                        .is_some_and(|before| words::is_lead(&before.lower()) || !before.joins());
                if end == at || is_when || (at == 0 && words::is_starter(&first.lower())) {
                    at += 1;
                    continue;
                }
                if let Some(run) = text.get(first.start..tokens[end - 1].end) {
                    let run = without_role(&tidy(run));
                    if all.len() < MAX_FULL && structural(&run).is_ok() && !all.contains(&run) {
                        all.push(run);
                    }
                }
                at = end;
            }
        }
        Self { all, is_of_person }
    }

    /// The topic as this page writes it, alone or with more of a person's names, if it is a name of several
    /// words.
    fn asked(&self, page: &Page, title: Option<&str>, topic: &str) -> Option<String> {
        let topic = tidy(topic);
        let asked = fold(&topic);
        let title = titles(page, title).map(tidy).find(|title| fold(title) == asked);
        let run = self.all.iter().find(|run| fold(run) == asked).cloned();
        let is_written = |run: &String| is_same_person(&topic, run) || is_written_out(&topic, run);
        let in_full =
            || (self.is_of_person && self.all.iter().any(is_written)).then(|| topic.clone());
        let is_name = |name: &String| {
            // `About SQLite`, `Installing Docker`: what is said of a thing, not a name of it.
            let first = name.split(' ').next().unwrap_or_default().to_lowercase();
            let said = words::is_starter(&first)
                || words::is_lead(&first)
                || words::is_verb_base(&first)
                || first.ends_with("ing");
            name.contains(' ') && shape::is_proper(name) && !said
        };
        run.or(title).or_else(in_full).filter(is_name)
    }

    /// The full name of what is called `short`.
    fn full(&self, short: &str, asked: Option<&str>, kept: &[Candidate]) -> Option<String> {
        let is_short_for = |full: &str| {
            full.strip_suffix(short).is_some_and(|rest| rest.ends_with(' ')) && is_full(full)
        };
        // `Curie`, `LS50 Meta`, `Tesla` of `Tesla Inc.`; not `KEF`, which makes other things too.
        let plain =
            |name: &str| name.chars().all(|char| char.is_alphabetic() || " .-'’".contains(char));
        if let Some(asked) = asked
            && asked.len() > short.len()
            && ((is_short_for(asked) && (short.contains(' ') || plain(asked)))
                || is_legal_form_of(short, asked))
        {
            return Some(asked.to_owned());
        }
        // `Arthur`, on the page of Arthur Schopenhauer, if nobody else there is called so.
        if let Some(asked) = asked
            && self.is_of_person
            && is_first_of(short, asked)
            && plain(asked)
            && is_full(asked)
            && !short.contains(' ')
            && self.all.iter().all(|run| {
                !is_first_of(short, run) || is_same_person(run, asked) || is_written_out(asked, run)
            })
        {
            return Some(asked.to_owned());
        }
        let single = !short.contains(' ');
        let ordinary =
            words::is_generic(&short.to_lowercase()) || words::is_kind(&short.to_lowercase());
        if single && is_code(short) {
            // `The TX-9` is the Falkner TX-9, if there is no other.
            let mut fulls = self.all.iter().filter(|run| run.rsplit(' ').next() == Some(short));
            let full = fulls.find(|run| run.contains(' ') && is_full(run))?;
            let one = fulls.all(|run| run == short || run == full);
            return one.then(|| full.clone());
        }
        if !single || ordinary || shape::is_shaped(short) {
            return None;
        }
        let from = self.all.iter().position(|run| run == short)?;
        let others = self.all.iter().any(|run| is_first_of(short, run));
        let mut fulls = self.all.iter().take(from).filter(|run| is_short_for(run));
        let full = fulls.next().filter(|_| !others)?;
        let one = fulls.all(|other| is_same_person(other, full));
        // Under the name that it already has.
        let named = kept.iter().find(|it| is_same_person(&it.name, full));
        one.then(|| named.map_or_else(|| full.clone(), |it| it.name.clone()))
    }
}

/// A name without what somebody is before it: `Command Module Pilot James Lovell`.
fn without_role(name: &str) -> String {
    let words: Vec<&str> = name.split(' ').collect();
    let role = words.iter().rposition(|word| ROLES.contains(word.to_lowercase().as_str()));
    let bare = role.and_then(|at| words.get(at + 1..)).filter(|bare| bare.len() > 1);
    bare.map_or_else(|| name.to_owned(), |bare| bare.join(" "))
}

/// Whether a name begins with the words of another: `Tesla Motors` and `Tesla`.
fn is_first_of(short: &str, name: &str) -> bool {
    name.strip_prefix(short).is_some_and(|rest| rest.starts_with(' '))
}

/// Whether a name is another with what a company is by law: `Tesla Inc.` and `Tesla`.
fn is_legal_form_of(short: &str, name: &str) -> bool {
    let rest = name.strip_prefix(short).and_then(|rest| rest.strip_prefix(' '));
    rest.is_some_and(|rest| LEGAL.contains(rest.trim_end_matches('.').to_lowercase().as_str()))
}

/// Whether the last word of a name may stand for it.
fn is_full(name: &str) -> bool {
    let words: Vec<&str> = name.split(' ').collect();
    let place = words.first().is_some_and(|first| PLACES.contains(first.to_lowercase().as_str()));
    !place && (2..=5).contains(&words.len()) && words.iter().all(|word| !shape::is_joint(word))
}

/// Whether two names are one person's: first and last word alike, between them initials of the
/// same or nothing.
fn is_same_person(one: &str, other: &str) -> bool {
    let (one, other): (Vec<&str>, Vec<&str>) =
        (one.split(' ').collect(), other.split(' ').collect());
    let ([first, between @ .., last], [other_first, other_between @ .., other_last]) =
        (one.as_slice(), other.as_slice())
    else {
        return one == other;
    };
    let letters =
        |word: &&str| word.chars().all(|char| char.is_alphabetic() || ".-'’".contains(char));
    let agree = |a: &str, b: &str| {
        let (a, b) = (a.trim_end_matches('.'), b.trim_end_matches('.'));
        a == b
            || (a.chars().count() == 1 && b.starts_with(a))
            || (b.chars().count() == 1 && a.starts_with(b))
    };
    let middles = between.iter().zip(other_between).all(|(a, b)| agree(a, b));
    let shared = between.len().min(other_between.len());
    let mut more = between.iter().skip(shared).chain(other_between.iter().skip(shared));
    let initials = more.all(|word| word.trim_end_matches('.').chars().count() == 1);
    first == other_first
        && last == other_last
        && one.iter().all(letters)
        && other.iter().all(letters)
        && middles
        && initials
}

/// Whether a full name is another with one or two more names between: `Marie Skłodowska Curie`.
fn is_written_out(name: &str, full: &str) -> bool {
    let words = |name: &str| name.split(' ').map(str::to_owned).collect::<Vec<_>>();
    let (name, full) = (words(name), words(full));
    let plain = |word: &String| {
        word.starts_with(char::is_uppercase)
            && word.chars().all(|char| char.is_alphabetic() || char == '-')
    };
    name.len() == 2
        && (3..=4).contains(&full.len())
        && name.first() == full.first()
        && name.last() == full.last()
        && full.iter().all(plain)
}

/// Letters and digits, as models are called: `TX-9`.
fn is_code(name: &str) -> bool {
    name.chars().any(|char| char.is_uppercase())
        && name.chars().any(|char| char.is_ascii_digit())
        && name.chars().all(|char| char.is_alphanumeric() || char == '-')
}

/// Whether two names differ by the hyphens of a model alone: `TX-9` and `TX9`.
fn is_same_code(one: &str, other: &str) -> bool {
    let last = |name: &str| name.rsplit(' ').next().is_some_and(is_code);
    last(one) && last(other) && one.replace('-', "") == other.replace('-', "")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn persons_are_the_same_under_their_initials() {
        for (one, other, expected) in [
            ("William E. Simon", "William Edward Simon", true),
            ("William Simon", "William E. Simon", true),
            ("Pierre Curie", "Marie Curie", false),
            ("John A. Smith", "John B. Smith", false),
            ("European Union", "European Monetary Union", false),
            ("George W. Bush", "George H. W. Bush", false),
            ("Simon", "Simon", true),
            ("Foo 2 Bar", "Foo Bar", false),
        ] {
            assert_eq!(is_same_person(one, other), expected, "{one} / {other}");
        }
    }
}
