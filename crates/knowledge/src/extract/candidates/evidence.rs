//! What speaks for a name, and whether it is enough.

use std::collections::HashMap;

use super::MAX_CANDIDATES;
use super::writing::Writing;
use crate::extract::fold::fold;
use crate::extract::name::{structural, tidy};
use crate::extract::shape;
use crate::extract::subject::Class;
use crate::extract::words;
use crate::words::{Words, list};

/// What speaks for a name.
#[derive(Debug, Default, Clone)]
pub(super) struct Evidence {
    pub(super) name: String,
    pub(super) aliases: Vec<String>,
    /// It is said what it is.
    pub(super) defined: bool,
    /// And it is a term, not a phrase that happens to stand before `is`.
    pub(super) term: bool,
    pub(super) strong: bool,
    pub(super) emphasised: bool,
    pub(super) linked: bool,
    pub(super) code: bool,
    pub(super) heading: bool,
    /// It begins an entry of a list.
    pub(super) entry: bool,
    /// A statement about it stands right below its heading.
    pub(super) below: bool,
    /// In the topic.
    pub(super) asked: bool,
    /// It is the topic.
    pub(super) itself: bool,
    /// And the title of the page is that.
    pub(super) titled: bool,
    /// Statements that it is the subject of.
    pub(super) subject: usize,
    /// Statements whose subject it tells more of: `Go programs are`.
    pub(super) phrase: usize,
    /// Written as a name where others would be in lower case.
    pub(super) mid: usize,
}

/// The evidence for each name, and the order in which the names first appeared.
#[derive(Default)]
pub(super) struct Found {
    pub(super) order: Vec<String>,
    pub(super) all: HashMap<String, Evidence>,
}

impl Found {
    /// The evidence for a name as it stands in text, if it has the form of one.
    pub(super) fn entry(&mut self, surface: &str) -> Option<&mut Evidence> {
        let name = tidy(surface);
        structural(&name).ok()?;
        let key = fold(&name);
        if !self.all.contains_key(&key) {
            if self.order.len() >= MAX_CANDIDATES {
                return None;
            }
            self.order.push(key.clone());
            self.all.insert(key.clone(), Evidence { name, ..Evidence::default() });
        }
        self.all.get_mut(&key)
    }
}

/// Last words of what a list of features offers.
static OFFERS: Words = list!(words "offers");

/// What a name is taken for, if it is taken.
pub(super) fn accepts(key: &str, evidence: &Evidence, writing: &Writing) -> Option<Class> {
    let name = evidence.name.as_str();
    let list: Vec<&str> = name.split_whitespace().collect();
    let (Some(first), Some(last)) = (list.first(), list.last()) else { return None };
    let lower_first = first.to_lowercase();
    let single = list.len() == 1;
    // `WHO`, `US`: where they are asked for and written so.
    let is_asked = evidence.itself && (!single || shape::is_acronym(name));
    if (words::is_pronoun(&lower_first) && !evidence.linked && !is_asked) || shape::is_calendar(key)
    {
        return None;
    }
    // `Table K.1` is a part of the page.
    let numbered = list.get(1).is_some_and(|next| next.bytes().any(|byte| byte.is_ascii_digit()));
    let part = matches!(
        lower_first.as_str(),
        "table" | "figure" | "section" | "chapter" | "appendix" | "example" | "listing"
    );
    if part && numbered && list.len() == 2 {
        return None;
    }
    // What was asked for needs no further proof that it is something.
    if evidence.itself && (evidence.titled || !shape::is_code(name)) {
        let proper = name.starts_with(char::is_uppercase) || shape::is_shaped(name);
        return Some(if proper { Class::NewProper } else { Class::NewTerm });
    }
    if single && words::is_generic(key) {
        return None;
    }
    if list.iter().all(|word| {
        let word = word.to_lowercase();
        words::is_generic(&word)
            || words::is_starter(&word)
            || shape::is_calendar(&word)
            || word.bytes().all(|byte| byte.is_ascii_digit())
    }) {
        return None;
    }
    if shape::is_code(name) || name.ends_with("(s)") {
        return None;
    }
    // `Generate seqJSON`, `Getting the RC`: what one does, not what one calls something.
    let elsewhere = writing.runs.get(key).copied().unwrap_or(0);
    let second = list.get(1).copied().unwrap_or_default();
    let commands = !single
        && elsewhere == 0
        && ((words::is_verb_base(&lower_first) && !second.starts_with(char::is_uppercase))
            || (lower_first.ends_with("ing") && shape::is_joint(second))
            // `Tested FTP clients`, but `United Airlines`.
            || (words::is_participle(&lower_first) && shape::is_shaped(second) && lower_first != "united"));
    // `Parse HTML`, an item of what something can do.
    let told = evidence.defined
        || evidence.heading
        || evidence.asked
        || evidence.strong
        || evidence.linked;
    let does = list.len() == 2
        && elsewhere == 0
        && !told
        && words::is_verb_base(&lower_first)
        && shape::is_acronym(second);
    if commands || does {
        return None;
    }
    let shaped = shape::is_shaped(name);
    let capital = writing.capital.get(key).copied().unwrap_or(0);
    let lower = writing.lower.get(key).copied().unwrap_or(0);
    let proper = if single {
        shaped || (first.starts_with(char::is_uppercase) && capital > lower)
    } else {
        shape::is_proper(name) && (shaped || capital >= lower)
    };
    let marked = evidence.strong || evidence.emphasised || evidence.linked || evidence.code;
    let seen = evidence.mid + elsewhere;
    // `Go programs are`: as good as a statement about Go if the page speaks of Go at all.
    let people = ["an", "ish", "ese"].iter().any(|end| key.ends_with(end));
    let spoken =
        evidence.phrase > 0 && (!people || shaped) && proper && seen > 1 && capital > 2 * lower;
    if evidence.subject == 0 && !spoken {
        return None;
    }
    // `Americans`, `Italians`
    if single && key.ends_with("ans") && !shaped {
        return None;
    }
    // `Hampshire County Council has`: only names have capitals behind the first word as well.
    let full = list.len() > 1
        && shape::is_proper(name)
        && list.iter().skip(1).all(|word| word.starts_with(char::is_uppercase))
        && !list.iter().any(|word| words::is_generic(&word.to_lowercase()));
    let named = proper
        && (shaped
            || full
            || seen > 0
            || marked
            || evidence.heading
            || evidence.asked
            || evidence.defined
            || evidence.subject > 1);
    // `API Reference - ...`, `Full Unicode support - ...`: what is offered, not what it is called.
    let offered =
        evidence.entry && seen == 0 && !single && OFFERS.contains(last.to_lowercase().as_str());
    let listed = evidence.entry && evidence.linked && shape::is_proper(name);
    let plain = !words::is_empty_head(&last.to_lowercase())
        && (evidence.mid > 0 || !words::is_verb_base(&lower_first));
    let term = plain
        && ((evidence.defined && evidence.term)
            || (evidence.below && !(single && words::is_generic(key)))
            || (evidence.asked && !single));
    if offered {
        return None;
    }
    if named || listed {
        return Some(Class::NewProper);
    }
    term.then_some(Class::NewTerm)
}
