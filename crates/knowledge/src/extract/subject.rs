//! Names as keys, and which of them stands at a place of a sentence.

use std::collections::{HashMap, HashSet};

use super::fold::fold;
use super::token::{Token, tokens};
use super::words;

/// Most tokens of a name that is looked for.
const MAX_TOKENS: usize = 12;

/// Names and aliases of entities.
#[derive(Debug, Default)]
pub(super) struct Names {
    keys: HashMap<String, Spelt>,
    longest: usize,
    /// Entities with a proper name of several words.
    full: HashSet<usize>,
}

#[derive(Debug)]
struct Spelt {
    entity: usize,
    /// Short and common-looking names count only as they are written.
    exactly: Option<String>,
    proper: bool,
}

/// Where a name comes from.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Class {
    Known,
    /// Written with capitals as names are.
    NewProper,
    /// A word or phrase that was defined.
    NewTerm,
}

/// A name in a sentence.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Hit {
    pub(super) entity: usize,
    /// Token behind the name.
    pub(super) end: usize,
    pub(super) possessive: bool,
    /// Whether it is a proper name and not a term.
    pub(super) proper: bool,
}

impl Names {
    /// Adds a name of an entity. What another entity has already stays there. A new proper name of
    /// one word counts only as it is written, for in lower case the word means something else.
    pub(super) fn add(&mut self, entity: usize, name: &str, class: Class) {
        let name = name.trim();
        let length = tokens(name).len();
        if length == 0 || length > MAX_TOKENS {
            return;
        }
        self.longest = self.longest.max(length);
        let lower = name.to_lowercase();
        let acronym = length == 1 && name.chars().filter(|char| char.is_uppercase()).count() > 1;
        let common = name.chars().count() <= 2
            || acronym
            || (class == Class::NewProper && length == 1)
            || words::is_starter(&lower)
            || (name.starts_with(char::is_uppercase)
                && (words::is_generic(&lower) || words::is_verb_base(&lower)));
        let exactly = common.then(|| name.to_owned());
        let key = fold(name);
        let bare = key.trim_end_matches(['!', '?', '.']).to_owned();
        let proper = match class {
            Class::Known => name.chars().any(char::is_uppercase),
            Class::NewProper => true,
            Class::NewTerm => false,
        };
        if proper && length > 1 {
            self.full.insert(entity);
        }
        if bare != key {
            self.keys.entry(bare).or_insert(Spelt { entity, exactly: None, proper });
        }
        self.keys.entry(key).or_insert(Spelt { entity, exactly, proper });
    }

    /// Adds the plural and the singular that a name may also appear in, where no entity is called
    /// so.
    pub(super) fn add_number(&mut self, entity: usize, name: &str) {
        let last = name.rsplit(' ').next().unwrap_or_default();
        let plain = last.len() > 2 && last.chars().all(char::is_alphabetic);
        let exact = self.keys.get(&fold(name)).is_some_and(|spelt| spelt.exactly.is_some());
        if !plain || exact {
            return;
        }
        let key = fold(name);
        let other = match key.strip_suffix('s') {
            Some(one)
                if one.len() > 3 && !one.ends_with('s') && last.chars().any(char::is_lowercase) =>
            {
                one.to_owned()
            }
            Some(_) => return,
            None => format!("{key}s"),
        };
        self.keys.entry(other).or_insert(Spelt { entity, exactly: None, proper: false });
    }

    /// Lets a name count in lower case too.
    pub(super) fn add_in_lower_case(&mut self, entity: usize, name: &str) {
        if let Some(spelt) = self.keys.get_mut(&fold(name)).filter(|it| it.entity == entity) {
            spelt.exactly = None;
        }
    }

    /// The entity that a text is the whole name of.
    pub(super) fn whole(&self, text: &str) -> Option<usize> {
        self.keys.get(&fold(text)).map(|spelt| spelt.entity)
    }

    /// The same, of a text that writes the name as it must be written to be one: `NLTK`, not `nltk`.
    pub(super) fn whole_as_written(&self, text: &str) -> Option<usize> {
        let spelt = self.keys.get(&fold(text))?;
        spelt.exactly.as_deref().is_none_or(|exactly| exactly == text).then_some(spelt.entity)
    }

    /// Whether a text is the whole of a proper name.
    pub(super) fn is_proper(&self, text: &str) -> bool {
        self.keys.get(&fold(text)).is_some_and(|spelt| spelt.proper)
    }

    /// Whether an entity has a proper name of several words, as persons have.
    pub(super) fn has_full_name(&self, entity: usize) -> bool {
        self.full.contains(&entity)
    }

    /// The longest name that begins at token `from`.
    pub(super) fn at(&self, sentence: &str, tokens: &[Token<'_>], from: usize) -> Option<Hit> {
        let most = self.longest.min(tokens.len().saturating_sub(from));
        (1..=most).rev().find_map(|length| {
            let (first, last) = (tokens.get(from)?, tokens.get(from + length - 1)?);
            let text = sentence.get(first.start..last.end)?;
            let (bare, possessive) = match text.strip_suffix("'s").or(text.strip_suffix("’s")) {
                Some(bare) => (bare, true),
                None => (text, false),
            };
            let hit = |text: &str, possessive| {
                let spelt = self.keys.get(&fold(text))?;
                let fits = spelt.exactly.as_deref().is_none_or(|exactly| exactly == text);
                fits.then_some(Hit {
                    entity: spelt.entity,
                    end: from + length,
                    possessive,
                    proper: spelt.proper,
                })
            };
            hit(text, false).or_else(|| if possessive { hit(bare, true) } else { None })
        })
    }
}
