//! What the statements of a hit may be about: the words above them, and the names that it writes. Pure.

use rustc_hash::FxHashSet;

use super::{
    super::{Hit, asked::is_one_of},
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

/// Whether a statement names somebody: so many words with a capital within it, that none of the question's words is
/// and that small letters follow, or the sign of an account or an address.
pub(super) fn holds_name(text: &str, asked: &[(String, String)], least: usize) -> bool {
    let is_new = |word: &str| !asked.iter().any(|(known, _)| known.eq_ignore_ascii_case(word));
    let is_name = |word: &str| {
        word.starts_with(char::is_uppercase)
            && (word.len() == 1 || word.contains(char::is_lowercase))
    };
    // What begins a sentence has one anyway, if it is alone.
    let first = usize::from(least == 1);
    // `Ann de Hill`
    let joints = ["al", "da", "de", "der", "di", "la", "le", "van", "von"];
    let names = words(text).skip(first).map(|word| &text[word.range]);
    let names: Vec<&str> = names.filter(|word| !joints.contains(word)).collect();
    let is_named = |run: &[&str]| run.iter().all(|word| is_new(word) && is_name(word));
    // `was Pelé`
    let is_told = |two: &[&str]| {
        (is_one_of(&BEING, two[0]) || two[0] == "by") && is_new(two[1]) && is_name(two[1])
    };
    text.contains('@') || names.windows(least).any(is_named) || names.windows(2).any(is_told)
}
