//! What the statements of a hit may be about: the words above them, and the names that it writes. Pure.

use rustc_hash::FxHashSet;

use super::{
    super::{
        Hit,
        asked::{ARTICLES, PLACED, is_of_time, is_one_of},
        measures::bare,
    },
    parts::{BEING, options},
};
use crate::Kind;
use elophanto_base::lexical::{Analyzer, fold, words};

/// What the statements of a hit may be about.
pub(in crate::search) struct Named {
    /// Terms of the headings above them, and of the file's name.
    pub(super) above: FxHashSet<String>,
    /// Those among them that only stand above a part of the hit.
    pub(super) inner: FxHashSet<String>,
    /// Terms that the hit writes as names: with a capital wherever they stand, and not only where any
    /// word has one.
    pub(super) names: FxHashSet<String>,
    /// Whether a capital tells a name, as it does not where all nouns have one.
    pub(super) by_capitals: bool,
    /// Whether the statements are facts, each of which stands alone.
    pub(super) is_fact: bool,
    /// The options of programs that the headings name.
    pub(super) options: Vec<String>,
}

impl Named {
    pub(in crate::search) fn of(hit: &Hit, analyzer: &Analyzer) -> Self {
        let (mut names, mut others) = (FxHashSet::default(), FxHashSet::default());
        let above = analyzer.terms(&with_place("", hit)).into_iter().collect();
        let options = options(&all_headings(hit)).map(str::to_owned).collect();
        let by_capitals = !analyzer.capitalises_nouns();
        let is_fact = hit.kind == Kind::Fact;
        if !by_capitals {
            return Self {
                above,
                inner: FxHashSet::default(),
                names,
                by_capitals,
                is_fact,
                options,
            };
        }
        let text = &hit.text;
        let mut buffer = String::new();
        for word in words(text) {
            fold(&text[word.range.clone()], &mut buffer);
            let Some(term) = analyzer.term(&buffer) else { continue };
            let before = text[..word.range.start].trim_end_matches([' ', '*', '_', '`', '(', '"']);
            if !text[word.range].starts_with(char::is_uppercase) {
                others.insert(term.into_owned());
            } else if before.ends_with(|char: char| char.is_alphanumeric() || char == ',') {
                names.insert(term.into_owned());
            }
        }
        names.retain(|name| !others.contains(name));
        Self { above, inner: FxHashSet::default(), names, by_capitals, is_fact, options }
    }

    /// The terms of the heading within the hit that the next statements stand beneath.
    pub(in crate::search) fn stand_beneath<'t>(
        &mut self,
        heading: &str,
        terms: impl IntoIterator<Item = &'t String>,
    ) {
        self.inner = terms.into_iter().cloned().collect();
        self.options = options(heading).map(str::to_owned).collect();
    }

    pub(super) fn is_above(&self, term: &str) -> bool {
        self.above.contains(term) || self.inner.contains(term)
    }
}

/// A statement with what stands above it.
pub(super) fn with_place(text: &str, hit: &Hit) -> String {
    format!("{}\n{}\n{text}", hit.path.to_text(), all_headings(hit))
}

pub(super) fn all_headings(hit: &Hit) -> String {
    format!("{} {}", hit.title, hit.breadcrumb.join(" "))
}

pub(in crate::search) fn headings(hit: &Hit, analyzer: &Analyzer) -> FxHashSet<String> {
    analyzer.terms(&all_headings(hit)).into_iter().collect()
}

/// Whether a statement names somebody: so many words with a capital in a row that small letters follow, none of
/// which is asked with, no small word, month or word of code (`IfName`), and behind no article or word of places;
/// or the sign of an account or an address. What begins a sentence has a capital anyway, if it is alone.
pub(super) fn holds_name(
    text: &str,
    is_asked: impl Fn(&str) -> bool,
    least: usize,
    analyzer: &Analyzer,
) -> bool {
    // `Ann de Hill`
    let joints = ["al", "da", "de", "der", "di", "la", "le", "van", "von"];
    let all: Vec<&str> = text.split_whitespace().filter(|word| !joints.contains(word)).collect();
    let mut folded = String::new();
    let mut is_name = |word: &str| {
        fold(word, &mut folded);
        let is_code = || word.chars().filter(|char| char.is_uppercase()).count() > 1;
        word.starts_with(char::is_uppercase)
            && (word.len() == 1 || word.contains(char::is_lowercase) && (least > 1 || !is_code()))
            && !is_asked(word)
            && !is_of_time(word)
            && !analyzer.is_common(&folded)
    };
    let bares: Vec<&str> = all.iter().map(|word| bare(word)).collect();
    // What is asked with may be a part of a longer name: `the Foo Contingency Plan`.
    let is_known = |word: &&str| word.starts_with(char::is_uppercase) && is_asked(word);
    let names: Vec<bool> = bares.iter().map(|word| is_name(word) || is_known(word)).collect();
    let is_end = |word: &str| word.ends_with(['.', ';', ':', '!', '?', ',', ')']);
    let mut at = 0;
    while at < all.len() {
        let before = at.checked_sub(1).map(|before| all[before]);
        let mut end = at;
        while end < all.len() && names[end] && (end == at || !is_end(all[end - 1])) {
            end += 1;
        }
        let begins = before.is_none_or(|word| word.ends_with(['.', ';', ':', '!', '?', '–']));
        let behind = before.map(bare).unwrap_or_default();
        let is_of_thing = least > 1 && is_one_of(&ARTICLES, behind) || is_one_of(&PLACED, behind);
        // `was Pelé`
        let least = if is_one_of(&BEING, behind) || behind == "by" { 1 } else { least };
        let is_alone = end - at == 1 && (begins || bares[at].len() == 1);
        let is_new = !bares[at..end].iter().any(is_known);
        let is_label = end > at && all[end - 1].ends_with(':');
        if end - at >= least && end > at && is_new && !is_of_thing && !is_alone && !is_label {
            return true;
        }
        at = end.max(at + 1);
    }
    text.contains('@')
}
