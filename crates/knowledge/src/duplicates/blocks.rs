//! Which entities meet: those with a key in common. No entity is compared with all others.

use rustc_hash::FxHashMap;

use super::{
    form::{Form, Word, join},
    longer::{contractions, heads, initials, tails, without_legal_form},
    names::{MIN_SPELLING, Named, singular},
};

/// Entities that bear a key as it is, each of which meets the others.
const MAX_BEARERS: usize = 24;
/// Entities that have the key only when something is left out, which meet the bearers.
const MAX_OTHERS: usize = 64;
/// Letters of a name of which spellings with one letter less are made.
const MAX_SPELLING: usize = 40;

/// Words of a name that people shorten.
const MAX_SHORTENED: usize = 5;

#[derive(Default)]
struct Block {
    bearers: Vec<usize>,
    others: Vec<usize>,
}

/// Pairs of indexes, the smaller first, in order, each once.
pub fn meetings(named: &[Named]) -> Vec<(usize, usize)> {
    let mut blocks: FxHashMap<String, Block> = FxHashMap::default();
    for (index, named) in named.iter().enumerate() {
        let Some(name) = &named.name else { continue };
        let mut own: Vec<String> = named.forms().map(|form| form.key.clone()).collect();
        own.extend(spelling_keys(name));
        own.extend(word_key(name));
        let mut derived: Vec<String> = named.forms().flat_map(derived_keys).collect();
        for keys in [&mut own, &mut derived] {
            keys.sort_unstable();
            keys.dedup();
        }
        derived.retain(|key| !key.is_empty() && own.binary_search(key).is_err());
        for key in own {
            push(&mut blocks.entry(key).or_default().bearers, index, MAX_BEARERS);
        }
        for key in derived {
            push(&mut blocks.entry(key).or_default().others, index, MAX_OTHERS);
        }
    }
    let mut pairs = Vec::new();
    for Block { bearers, others } in blocks.values() {
        for (at, &a) in bearers.iter().enumerate() {
            let partners = bearers.iter().skip(at + 1).chain(others);
            pairs.extend(partners.map(|&b| (a.min(b), a.max(b))));
        }
    }
    pairs.sort_unstable();
    pairs.dedup();
    pairs
}

fn push(members: &mut Vec<usize>, index: usize, limit: usize) {
    if members.len() < limit {
        members.push(index);
    }
}

/// What a name is called when one thing is left out. Of two names that relate, one is always what
/// is left of the other.
fn derived_keys(form: &Form) -> Vec<String> {
    let words = form.words.as_slice();
    let mut keys = initials(form);
    keys.extend(form.bracket.as_deref().map(join));
    keys.extend(without_legal_form(words).map(|(rest, _)| join(rest)));
    keys.extend(tails(words).map(|(rest, ..)| join(rest)));
    keys.extend(heads(words).map(join));
    keys.extend(form.year().map(|(_, rest)| join(rest)));
    keys.extend(words.get(1..).map(join));
    if (2..=MAX_SHORTENED).contains(&words.len()) {
        keys.extend(contractions(words));
        keys.extend(words.last().map(|last| last.text.clone()));
    }
    keys.extend(singular_key(words));
    keys
}

fn singular_key(words: &[Word]) -> Option<String> {
    let (last, rest) = words.split_last()?;
    let singular = singular(&last.text)?;
    let mut words = rest.to_vec();
    words.push(Word { text: singular, ..last.clone() });
    Some(join(&words))
}

/// The name with any one letter left out: two names one letter apart share one of these.
fn spelling_keys(form: &Form) -> Vec<String> {
    let letters: Vec<char> = form.key.chars().collect();
    if letters.len() < MIN_SPELLING || letters.len() > MAX_SPELLING {
        return Vec::new();
    }
    let less = (1..letters.len()).map(|left_out| {
        let kept = letters.iter().enumerate().filter(|(at, _)| *at != left_out);
        std::iter::once('~').chain(kept.map(|(_, letter)| *letter)).collect()
    });
    std::iter::once(format!("~{}", form.key)).chain(less).collect()
}

/// The words in order of the alphabet, if there are several.
fn word_key(form: &Form) -> Option<String> {
    let mut words: Vec<&str> = form.words.iter().map(|word| word.text.as_str()).collect();
    words.sort_unstable();
    (words.len() > 1).then(|| format!("={}", words.join(" ")))
}
