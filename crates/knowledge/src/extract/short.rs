//! Which of a known entity's names may stand for it in a text: what is only a part of its full name
//! does where the text writes that out, and stands for nobody where two could be meant.

use std::collections::{HashMap, HashSet};

use super::Known;
use super::fold::fold;
use super::name::tidy;
use super::page::Page;
use super::shape::is_acronym_of;
use crate::words::{Words, list};

/// What companies are by law.
static LEGAL: Words = list!(words "legal");

/// Names that stand for known entities here, each with the number of its entity.
pub(super) fn names<'k>(
    page: &Page,
    topic: &str,
    title: Option<&str>,
    known: &'k [Known],
) -> Vec<(usize, &'k str)> {
    let titles = title.into_iter().chain(page.title.as_deref());
    let about: Vec<String> =
        std::iter::once(topic).chain(titles).map(|it| fold(&tidy(it))).collect();
    // `Tesla, Inc.` is `Tesla` on its own page.
    let own: HashSet<String> = about.iter().filter_map(|name| without_legal(name)).collect();
    let mut written: Option<HashSet<String>> = None;
    let mut short: HashMap<String, Vec<(usize, &str)>> = HashMap::new();
    let mut names: Vec<(usize, &str)> = Vec::new();
    for (entity, known) in known.iter().enumerate() {
        names.push((entity, known.name.as_str()));
        for alias in &known.aliases {
            if !is_part_of(alias, &known.name) {
                names.push((entity, alias));
                continue;
            }
            let full = fold(&known.name);
            let written = written.get_or_insert_with(|| words_of(page, topic));
            let is_written = full.split(' ').all(|word| written.contains(word));
            let is_others = own.contains(&fold(alias)) && !about.contains(&full);
            if is_written && !is_others {
                short.entry(fold(alias)).or_default().push((entity, alias));
            }
        }
    }
    let clear = short.into_values().filter(|all| all.iter().all(|(it, _)| *it == all[0].0));
    let mut clear: Vec<(usize, &str)> = clear.flatten().collect();
    clear.sort_unstable();
    names.extend(clear);
    names
}

/// Whether a name is one word of another, which is longer: the surname of a person.
pub(crate) fn is_part_of(short: &str, full: &str) -> bool {
    let plain =
        !short.contains(' ') && short.chars().all(|char| char.is_alphabetic() || char == '-');
    let (short, full) = (fold(short), fold(full));
    plain && full != short && full.split(' ').any(|word| word == short)
}

/// `Rust Council` and `RC` on a page about `Foo Rust Council`: the end of a name, or its initials or those
/// of such an end; and `V&A`, of the `Victoria and Albert Museum`, of its beginning.
pub(super) fn is_short_for(name: &str, full: &str) -> bool {
    let words: Vec<&str> = full.split(' ').collect();
    let ends = (1..words.len().saturating_sub(1)).map(|from| words[from..].join(" "));
    let is_end = |end: &String| fold(end) == fold(name) || is_acronym_of(name, end);
    let mut begins = (1..words.len()).map(|to| words[..to].join(" "));
    let is_begin = |begin: String| {
        let (pair, joint) = (begin.replace('&', "and"), " and ");
        pair.contains(joint) && is_acronym_of(name, &pair)
    };
    words.len() > 1
        && (is_acronym_of(name, full)
            || ends.into_iter().any(|end| is_end(&end))
            || name.contains('&') && begins.any(is_begin))
}

/// Whether a word in lower case is what a company is by law.
pub(super) fn is_legal(word: &str) -> bool {
    LEGAL.contains(word.trim_end_matches('.'))
}

fn without_legal(name: &str) -> Option<String> {
    let (bare, legal) = name.rsplit_once(' ')?;
    is_legal(legal).then(|| bare.trim_end_matches([',', ' ']).to_owned())
}

/// The words of a page and of what was asked for.
fn words_of(page: &Page, topic: &str) -> HashSet<String> {
    let texts = page.blocks.iter().map(|block| block.text.as_str()).chain([topic]);
    let texts = texts.chain(page.title.as_deref());
    let bare = |word: &str| {
        let word = fold(word.trim_matches(|char: char| !char.is_alphanumeric() && char != '.'));
        word.strip_suffix("'s").map_or(word.clone(), str::to_owned)
    };
    texts
        .flat_map(str::split_whitespace)
        .flat_map(|word| [bare(word), bare(word.trim_end_matches(['.', ',']))])
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::extract::page::read;

    #[test]
    fn short_names_stand_for_whom_the_text_writes_out() {
        let known = |name: &str, alias: &str| Known {
            name: name.to_owned(),
            aliases: vec![alias.to_owned()],
        };
        let all = [
            known("Nikola Tesla", "Tesla"),
            known("Marie Curie", "Curie"),
            known("Pierre Curie", "Curie"),
            known("Example Works", "EW"),
        ];
        let check = |text: &str, topic: &str, expected: &[&str]| {
            let found = names(&read(text), topic, None, &all);
            let found: Vec<&str> =
                found.iter().map(|(_, name)| *name).filter(|name| !name.contains(' ')).collect();
            assert_eq!(found, expected, "{text}");
        };
        check("Nikola Tesla was born in 1856. Tesla moved.", "inventors", &["EW", "Tesla"]);
        check("Tesla was founded in 2003.", "cars", &["EW"]);
        // Named after him, and not him.
        check("Tesla was named after Nikola Tesla.", "Tesla, Inc.", &["EW"]);
        check("Marie Curie met Pierre Curie. Curie was born in Paris.", "physics", &["EW"]);
        check("Marie Curie was born in Warsaw.", "physics", &["EW", "Curie"]);
    }

    #[test]
    fn the_initials_of_a_pair_are_short_for_what_has_its_name() {
        for (name, full, expected) in [
            ("V&A", "Victoria and Albert Museum", true),
            ("V&A", "Victoria Albert Museum", false),
            ("VA", "Victoria and Albert Museum", false),
            ("H&A", "Victoria and Albert Museum", false),
        ] {
            assert_eq!(is_short_for(name, full), expected, "{name} {full}");
        }
    }

    #[test]
    fn the_end_of_a_name_and_its_initials_are_short_for_it() {
        for (name, expected) in [
            ("Steering Council", true),
            ("SC", true),
            ("Council", false),
            ("Steering Group", false),
        ] {
            assert_eq!(is_short_for(name, "Foo Steering Council"), expected, "{name}");
        }
    }
}
