//! What is read off the text of a question or a statement: things, numbers, options, labels. Pure.

use super::super::asked::{
    ARTICLES, AUXILIARIES, BESIDE_PLACES, LIGHT, NO_PLACES, PLACING, QUIET, is_of_time, is_one_of,
    is_pronoun,
};
use super::super::measures::years;
use elophanto_base::lexical::{Analyzer, fold, words};

/// Words of the label of a value.
const MOST_LABEL: usize = 4;

/// What one wants to do behind `how do I`, `how can I` and `how to`, or what was done to something, as
/// `taught` in `which players were taught by`, and its term.
pub(super) fn deed(text: &str, analyzer: &Analyzer) -> Option<(String, String)> {
    let all: Vec<&str> = words(text).map(|word| &text[word.range]).collect();
    let is = |word: &str, all: &[&str]| is_one_of(all, word);
    let done = all.array_windows().find_map(|[was, done, by]| {
        (is(was, &["was", "were", "is", "are"]) && is(by, &["by"])).then_some(done)
    });
    let how = all.iter().position(|word| is(word, &["how"]));
    let behind = how.map_or(&[][..], |how| &all[how + 1..]);
    let word = match (done, behind) {
        (Some(done), _) => done,
        (None, [to, deed, ..]) if is(to, &["to"]) => deed,
        (None, [do_, i, deed, ..])
            if is(do_, &["do", "can", "should", "could", "may", "must"])
                && is(i, &["i", "we", "you", "one"]) =>
        {
            deed
        }
        _ => return None,
    };
    // `How do I get a refund`: an answer need not say that one gets it.
    let is_light = LIGHT.contains(word) || is_one_of(&QUIET, word);
    Some(((*word).to_owned(), analyzer.terms(word).pop()?)).filter(|_| !is_light)
}

/// Words that say what something is.
pub(super) const BEING: [&str; 4] = ["is", "are", "was", "were"];

/// Words that say which of several things in a row.
const ORDINALS: [&str; 9] =
    ["fifth", "final", "first", "fourth", "last", "latest", "newest", "second", "third"];

/// Which of several things in a row is asked for: `third` of `Ada's third ship`, `last` of `the last ship`.
pub(super) fn ordinal(text: &str) -> Option<&str> {
    let all: Vec<&str> = text.split_whitespace().collect();
    let owns =
        |word: &str| word.ends_with("'s") || word.ends_with("’s") || is_one_of(&ARTICLES, word);
    let found = all.array_windows().find(|[before, which, thing]| {
        // What was `first published` may be `originally` so.
        let is_deed = thing.ends_with("ed");
        owns(before)
            && is_one_of(&ORDINALS, which)
            && thing.starts_with(char::is_lowercase)
            && !is_deed
    });
    found.map(|[_, which, _]| *which)
}

/// The single capital letters behind names: `S` of `the Xbox One S`, which tell it from another.
pub(super) fn letters(text: &str) -> Vec<&str> {
    let all: Vec<&str> = words(text).map(|word| &text[word.range]).collect();
    let behind = all.array_windows().skip(1).filter(|[name, letter]| {
        name.starts_with(char::is_uppercase) && letter.len() == 1 && is_letter(letter)
    });
    behind.map(|[_, letter]| *letter).collect()
}

fn is_letter(word: &str) -> bool {
    word.starts_with(char::is_uppercase) && word != "I"
}

/// What a question asks the nature of, in lower case: `the tool` of `what is the tool`.
pub(super) fn defined(text: &str) -> Vec<String> {
    let mut all = words(text).map(|word| text[word.range].to_lowercase());
    let asks = all.next().is_some_and(|first| is_one_of(&["what", "who"], &first));
    let is_being = all.next().is_some_and(|next| is_one_of(&BEING, &next));
    if asks && is_being { all.collect() } else { Vec::new() }
}

/// Two words that stand together, neither a name nor the verb, the second of which says what the first is of:
/// `costume gallery` of `did the costume gallery close`.
pub(super) fn compounds(text: &str, analyzer: &Analyzer) -> Vec<[String; 2]> {
    let mut folded = String::new();
    let mut is_thing = |word: &str| {
        fold(word, &mut folded);
        word.starts_with(char::is_lowercase) && !analyzer.is_common(&folded)
    };
    let all: Vec<&str> = words(text).map(|word| &text[word.range]).collect();
    let things: Vec<bool> = all.iter().map(|word| is_thing(word)).collect();
    let does = all.iter().position(|word| is_one_of(&["do", "does", "did"], word));
    let mut found = Vec::new();
    for (at, [kind, thing]) in all.array_windows().enumerate() {
        // Behind `did` the last such word is the verb.
        let is_verb = does.is_some_and(|does| does < at) && !things[at + 2..].contains(&true);
        if things[at] && things[at + 1] && !is_verb {
            found.push([(*kind).to_owned(), (*thing).to_owned()]);
        }
    }
    found
}

/// The words between `which` and the verb, all of one question's beginning.
pub(super) fn classes(text: &str) -> Vec<String> {
    let mut all = words(text).map(|word| &text[word.range]);
    if !all.next().is_some_and(|first| is_one_of(&["what", "which"], first)) {
        return Vec::new();
    }
    let rest: Vec<String> = all.map(str::to_owned).collect();
    let verb = rest.iter().position(|word| is_one_of(&AUXILIARIES, word)).unwrap_or(0);
    rest.into_iter().take(verb).collect()
}

/// The options of programs that a text names.
pub(super) fn options(text: &str) -> impl Iterator<Item = &str> {
    let is_end = |char: char| !(char.is_alphanumeric() || char == '-' || char == '_');
    text.split(is_end).filter(|word| {
        word.starts_with('-') && word.trim_start_matches('-').starts_with(char::is_alphabetic)
    })
}

/// A statement without what a fact is kept under, which stands before a dash.
pub(in crate::search) fn own(text: &str) -> &str {
    let is_whole = |under: &str| under.matches('(').count() == under.matches(')').count();
    text.split_once(" – ").filter(|(under, _)| is_whole(under)).map_or(text, |(_, own)| own)
}

/// Whether a statement begins with a name and in brackets from when to when its bearer lived: `Ada Base (May
/// 2, 1929 – May 4, 2012) was`.
pub(super) fn is_lifespan(text: &str) -> bool {
    let span = own(text).split_once('(').and_then(|(name, rest)| {
        let (born, died) = rest.split_once(')')?.0.split_once(['–', '-'])?;
        Some((name, born, died))
    });
    let is_name = |word: &str| word.starts_with(|char: char| char.is_uppercase() || char == '"');
    span.is_some_and(|(name, born, died)| {
        name.split_whitespace().all(is_name) && !years(born).is_empty() && !years(died).is_empty()
    })
}

/// Whether a statement says whose work something is: `a book by Ada`.
pub(super) fn is_work_by(text: &str) -> bool {
    let all: Vec<&str> = words(text).map(|word| &text[word.range]).collect();
    all.array_windows().any(|[_, by, name]| *by == "by" && name.starts_with(char::is_uppercase))
}

/// Whether a question asks who something is rather than who does something: `who were the members`.
pub(super) fn asks_who_it_is(question: &str) -> bool {
    let all: Vec<&str> = words(question).map(|word| &question[word.range]).collect();
    matches!(all[..], [_, is, article, ..]
        if is_one_of(&BEING, is) && is_one_of(&ARTICLES, article))
}

/// What a statement is of where it begins with something's part: `first stock exchange` of `Warsaw's first
/// stock exchange was`; else nothing.
pub(super) fn part_of(text: &str) -> String {
    let mut all = own(text).split_whitespace();
    let is_owner = |word: &str| {
        let owner = word.strip_suffix("'s").or_else(|| word.strip_suffix("’s"));
        word.starts_with(char::is_uppercase) && owner.is_some_and(|owner| !is_pronoun(owner))
    };
    let begins = all.by_ref().take(MOST_LABEL).any(is_owner);
    let part: Vec<&str> =
        all.take_while(|word| !is_one_of(&AUXILIARIES, word)).take(MOST_LABEL).collect();
    if begins { part.join(" ") } else { String::new() }
}

/// Whether a statement says where: behind a small word of places stands no number, no month and nothing that is
/// asked about, or it has a path; or it is a value of several parts.
pub(super) fn is_of_place(text: &str, is_asked: impl Fn(&str) -> bool) -> bool {
    let all: Vec<&str> = words(text).map(|word| &text[word.range]).collect();
    let is_there = (1..all.len()).any(|at| {
        // `to the original site`, of the alternate site
        let thing = all[at..].iter().skip_while(|word| is_one_of(&ARTICLES, word));
        let is_in_it =
            |word: &&&str| !is_one_of(&PLACING, word) && !is_one_of(&BESIDE_PLACES, word);
        let mut thing = thing.take_while(is_in_it).take(MOST_LABEL).peekable();
        // `to notify`
        let is_verb = all[at - 1] == "to"
            && all[at].starts_with(char::is_lowercase)
            && !is_one_of(&ARTICLES, all[at]);
        is_one_of(&PLACING, all[at - 1])
            && !is_verb
            && !(at > 1 && is_one_of(&["according", "due"], all[at - 2]))
            && thing.peek().is_some_and(|place| {
                !is_of_time(place)
                    && !is_one_of(&NO_PLACES, place)
                    && !place.starts_with(|char: char| char.is_numeric())
            })
            && !thing.any(|word| is_asked(word))
    });
    let is_path = |word: &str| {
        let bare = word.trim_matches(|char: char| "`()\"',;".contains(char));
        bare.contains('/') && (bare.starts_with(['/', '~', '.', '$']) || bare.contains(['.', ':']))
    };
    is_there || text.split_whitespace().any(is_path) || label(text).is_some()
}

/// The label of a fact that is a value, `Builder` of `Ship – Builder: Yard`; `None` where a sentence stands.
pub(super) fn label(text: &str) -> Option<&str> {
    let (label, value) = own(text).split_once(": ")?;
    let label = label.rsplit(", ").next()?;
    let is_value = !value.trim_end().ends_with('.') && !label.starts_with('-');
    (is_value && label.split(' ').count() <= MOST_LABEL).then_some(label)
}

/// Words behind an article, each with its term.
pub(super) fn things(text: &str, analyzer: &Analyzer) -> Vec<(String, String)> {
    let all: Vec<&str> = words(text).map(|word| &text[word.range]).collect();
    let behind = all.array_windows().filter(|[article, _]| is_one_of(&ARTICLES, article));
    let thing = |[_, word]: &[&str; 2]| Some(((*word).to_owned(), analyzer.terms(word).pop()?));
    behind.filter_map(thing).collect()
}

/// What stands behind `number of`, and its term.
pub(super) fn counted(text: &str, analyzer: &Analyzer) -> Option<(String, String)> {
    let all: Vec<&str> = words(text).map(|word| &text[word.range]).collect();
    let behind = |[number, of, _]: &&[&str; 3]| {
        number.eq_ignore_ascii_case("number") && of.eq_ignore_ascii_case("of")
    };
    let [.., thing] = all.array_windows().find(behind)?;
    Some(((*thing).to_owned(), analyzer.terms(thing).pop()?))
}

/// The words between `how many` and the verb, each with its term.
pub(super) fn many(text: &str, analyzer: &Analyzer) -> Vec<(String, String)> {
    let mut all = words(text).map(|word| &text[word.range]);
    if !all.any(|word| word.eq_ignore_ascii_case("many")) {
        return Vec::new();
    }
    let things = all.take_while(|word| !is_one_of(&AUXILIARIES, word)).take(MOST_LABEL);
    // `Population: 8,099` says how many people, `10 runs` how many times.
    let things = things.filter(|word| !is_one_of(&["people", "times"], word));
    things.filter_map(|word| Some((word.to_owned(), analyzer.terms(word).pop()?))).collect()
}

/// Words of a question with the number behind each, in lower case: not small words, and no months.
pub(super) fn numbered(text: &str, analyzer: &Analyzer) -> Vec<(String, String)> {
    let mut folded = String::new();
    let mut is_name = |word: &str| {
        fold(word, &mut folded);
        word.chars().all(char::is_alphabetic) && !analyzer.is_common(&folded) && !is_of_time(word)
    };
    let tokens: Vec<String> = text.split_whitespace().map(bare).collect();
    let pairs = tokens.array_windows().filter(|[word, number]| is_version(number) && is_name(word));
    pairs.map(|[word, number]| (word.clone(), number.clone())).collect()
}

/// A word in lower case, without signs around it, a number without its `v`.
pub(super) fn bare(word: &str) -> String {
    let word = word.trim_matches(|char: char| !char.is_alphanumeric()).to_lowercase();
    match word.strip_prefix('v') {
        Some(number) if number.starts_with(|char: char| char.is_ascii_digit()) => number.to_owned(),
        _ => word,
    }
}

/// Whether a statement is of a version with its day, which is when that was released: `tool 0.4.0
/// (2020-11-06) – Faster`.
pub(super) fn is_release(text: &str) -> bool {
    let subject = text.split_once(" – ").map_or("", |(subject, _)| subject);
    let named = subject.strip_suffix(')').and_then(|named| named.split_once(" ("));
    named.is_some_and(|(name, day)| {
        let number = name.rsplit(' ').next().map(bare).unwrap_or_default();
        is_version(&number) && !years(day).is_empty()
    })
}

/// Whether a word is a number, perhaps of several parts: `7`, `3.2`.
pub(super) fn is_version(word: &str) -> bool {
    word.split('.').all(|part| !part.is_empty() && part.bytes().all(|byte| byte.is_ascii_digit()))
}

/// Whether a text holds a number of several parts, and not as part of a longer one.
pub(super) fn holds_number(text: &str, number: &str) -> bool {
    let text = text.to_lowercase();
    let is_digit = |char: char| char.is_ascii_digit();
    text.match_indices(number).any(|(at, _)| {
        let before = text[..at].trim_end_matches('v');
        let after = &text[at + number.len()..];
        let goes_on = after.strip_prefix(['.', '-']).unwrap_or(after).starts_with(is_digit);
        !before.ends_with(['.', '-']) && !before.ends_with(is_digit) && !goes_on
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_question_is_taken_apart() {
        let analyzer = Analyzer::new("english");
        for (question, kind, done) in [
            ("Which video compression does Sky use?", &["video", "compression"][..], None),
            ("what port must it have", &["port"], None),
            ("which is it", &[], None),
            ("where is which port", &[], None),
            ("how do I rename it", &[], Some("rename")),
            ("How to rename it", &[], Some("rename")),
            ("how can one rename it", &[], Some("rename")),
            ("how is it renamed", &[], None),
            ("how do I get it", &[], None),
            ("who was taught by Ada", &[], Some("taught")),
            ("how", &[], None),
        ] {
            assert_eq!(classes(question), kind, "{question}");
            let found = deed(question, &analyzer);
            assert_eq!(found.as_ref().map(|(word, _)| word.as_str()), done, "{question}");
        }
    }

    #[test]
    fn which_of_several_is_asked_for() {
        for (question, which, behind) in [
            ("Who was Ada's third wife?", Some("third"), &[][..]),
            ("When was the last plague?", Some("last"), &[]),
            ("When was the first published book?", None, &[]),
            ("How long does it last in Rome?", None, &[]),
            ("How many per second does it read?", None, &[]),
            ("How heavy is the Box One S?", None, &["S"]),
            ("Did Ada and I go?", None, &[]),
        ] {
            assert_eq!(ordinal(question), which, "{question}");
            assert_eq!(letters(question), behind, "{question}");
        }
    }

    #[test]
    fn a_statement_is_taken_apart() {
        for (statement, of, named) in [
            ("Warsaw's first stock exchange was set up in 1817.", "first stock exchange", None),
            ("Warsaw – Warsaw's trams are old.", "trams", None),
            ("Warsaw was founded in 1300.", "", None),
            ("It's old.", "", None),
            ("Ship – Canada, Builder: the Yard", "", Some("Builder")),
            ("Ship – Length: 377 ft (114.9 m)", "", Some("Length")),
            ("tool – -u: remove it", "", None),
            ("tool – It says: no.", "", None),
        ] {
            assert_eq!(part_of(statement), of, "{statement}");
            assert_eq!(label(statement), named, "{statement}");
        }
        let of = |text: &'static str| options(text).collect::<Vec<_>>();
        assert_eq!(of("-u, --user=NAME: a well-known 5-3 - x"), ["-u", "--user"]);
        for (statement, expected) in [
            ("Ada was born in London.", true),
            ("Ada was born on 4 May 1982.", false),
            ("Ada (born March 4, 1982) is a player.", false),
            ("Settings lie below `~/.config`.", true),
            ("Ada – Born: 4 May, London", true),
        ] {
            assert_eq!(is_of_place(statement, |_| false), expected, "{statement}");
        }
    }
}
