//! The facts of one entity, taken apart: words, kinds of thing, names, years, addresses.

use rustc_hash::FxHashSet;

use super::{
    Candidate, MAX_FACTS,
    form::{Case, Form, fold, is_year},
    names::Named,
    words,
};
use crate::words::{Words, list};
use elophanto_base::lexical::{Analyzer, MONTHS};

/// Characters of a fact that are looked at.
const MAX_FACT_CHARS: usize = 1_000;
/// Words of a fact that is nothing but a kind.
const MAX_BARE_WORDS: usize = 3;
/// Words after `is a` that are looked at for the kind of thing.
const MAX_KIND_WORDS: usize = 12;

/// Reads facts: owns the stemmer.
pub struct Reader {
    analyzer: Analyzer,
    common: FxHashSet<String>,
}

/// The facts of an entity, taken apart.
#[derive(Debug, Default)]
pub struct View {
    pub facts: usize,
    /// Each fact as folded words with a space on either side; brackets are words.
    pub texts: Vec<String>,
    /// The words of each fact as they are written.
    written: Vec<Vec<String>>,
    /// Stems of the words that carry meaning.
    pub stems: FxHashSet<String>,
    /// Stems of the words that say what kind of thing it is, and of the last of each phrase.
    pub kinds: FxHashSet<String>,
    pub heads: FxHashSet<String>,
    /// The last word of facts that may be nothing but a kind: `Game engine.`
    bare_heads: FxHashSet<String>,
    /// Stems of the names.
    pub own: FxHashSet<String>,
    /// Stems of words with a large letter that do not begin a fact and are not the entity's own.
    names: FxHashSet<String>,
    /// Folded names in the sentences that say what kind of thing it is.
    pub kind_names: FxHashSet<String>,
    pub addresses: FxHashSet<String>,
    years: FxHashSet<String>,
}

impl Reader {
    pub fn new() -> Self {
        let analyzer = Analyzer::new("english");
        let common = words::COMMON.iter().flat_map(|word| analyzer.terms(word)).collect();
        Self { analyzer, common }
    }

    pub fn read(&self, candidate: &Candidate, named: &Named) -> View {
        let mut view = View::default();
        for form in named.forms() {
            let words = form.words.iter().chain(form.bracket.iter().flatten());
            view.own.extend(words.flat_map(|word| self.analyzer.terms(&word.text)));
        }
        for fact in candidate.facts.iter().take(MAX_FACTS) {
            let fact: String = fact.chars().take(MAX_FACT_CHARS).collect();
            let words = fact_words(&fact);
            if words.is_empty() {
                continue;
            }
            view.facts += 1;
            view.addresses.extend(addresses(&fact));
            view.years.extend(words.iter().filter(|word| is_year(word)).cloned());
            let names = self.names(&fact, &view.own);
            view.names.extend(names);
            self.read_kind(&fact, &words, &mut view);
            let stems = self.analyzer.terms(&fact);
            view.stems.extend(stems.into_iter().filter(|stem| self.means_something(stem)));
            let written = fact.split(|char: char| !char.is_alphanumeric());
            let written = written.filter(|word| !word.is_empty()).map(str::to_owned);
            view.written.push(written.collect());
            view.texts.push(format!(" {} ", words.join(" ")));
        }
        view
    }

    /// The stems of folded words.
    pub fn stems(&self, text: &str) -> Vec<String> {
        self.analyzer.terms(text)
    }

    /// The stems of a name that carry meaning.
    pub fn meaning(&self, form: &Form) -> Vec<String> {
        let stems = form.words.iter().flat_map(|word| self.analyzer.terms(&word.text));
        stems.filter(|stem| self.means_something(stem)).collect()
    }

    fn names(&self, fact: &str, own: &FxHashSet<String>) -> Vec<String> {
        let words = fact.split(|char: char| !char.is_alphanumeric()).skip(1);
        let large = words.filter(|word| word.chars().next().is_some_and(char::is_uppercase));
        let stems = large.flat_map(|word| self.analyzer.terms(word));
        stems.filter(|stem| !own.contains(stem) && self.means_something(stem)).collect()
    }

    fn means_something(&self, stem: &str) -> bool {
        stem.chars().count() > 2 && !self.common.contains(stem)
    }

    /// `is a fast web server for ...` and sentences without a verb: `A fast web server.`
    fn read_kind(&self, fact: &str, words: &[String], view: &mut View) {
        const VERBS: &[&str] = &["is", "was", "are", "were"];
        const ARTICLES: &[&str] = &["a", "an", "the", "one"];
        static ENDS: Words = list!(words "kind_ends");
        let is_article = |word: &String| ARTICLES.contains(&word.as_str());
        let verb = words.windows(2).position(|pair| match pair {
            [verb, article] => VERBS.contains(&verb.as_str()) && is_article(article),
            _ => false,
        });
        let start = match verb {
            Some(at) => at + 2,
            None if words.first().is_some_and(|word| word == "a" || word == "an") => 1,
            // `Game engine.`
            None if words.len() <= MAX_BARE_WORDS => {
                let stems: Vec<String> =
                    words.iter().flat_map(|word| self.analyzer.terms(word)).collect();
                view.bare_heads.extend(stems.last().cloned());
                view.kinds.extend(stems);
                return;
            }
            None => return,
        };
        let mut phrase: Vec<&String> = words
            .iter()
            .skip(start)
            .take(MAX_KIND_WORDS)
            .take_while(|word| !ENDS.contains(word.as_str()))
            .collect();
        // `A beer brewed in`: the participle belongs to what follows.
        if phrase.len() > 1 && phrase.last().is_some_and(|word| word.ends_with("ed")) {
            phrase.pop();
        }
        // `A Saturn V launched ...` says no kind.
        let own =
            |word: &&String| self.analyzer.terms(word).iter().any(|stem| view.own.contains(stem));
        if verb.is_none() && phrase.first().is_some_and(own) {
            return;
        }
        let names = self.names(fact, &view.own);
        view.kind_names.extend(names);
        // `A web server and reverse proxy` is two kinds.
        for part in phrase.split(|word| matches!(word.as_str(), "and" | "or")) {
            let stems: Vec<String> =
                part.iter().flat_map(|word| self.analyzer.terms(word)).collect();
            view.heads.extend(stems.last().cloned());
            view.kinds.extend(stems);
        }
    }
}

impl View {
    /// Whether one of the folded words says what kind of thing it is.
    pub fn is_one_of(&self, stems: &[String]) -> bool {
        stems.iter().any(|stem| self.heads.contains(stem) || self.bare_heads.contains(stem))
    }

    /// Whether the facts hold at least a third of `stems`, and one of them.
    pub fn speaks_of(&self, stems: &[String]) -> bool {
        let found = stems.iter().filter(|stem| self.stems.contains(*stem)).count();
        found > 0 && found * 3 >= stems.len()
    }

    /// Whether the facts name a maker other than this.
    pub fn names_other_maker(&self, maker: &str) -> bool {
        let other =
            |word: &&&str| **word == fold(word) && **word != maker && !self.own.contains(**word);
        !self.holds(maker) && words::VENDORS.iter().filter(other).any(|vendor| self.holds(vendor))
    }

    /// Whether a fact is about something that takes place, or says in which month.
    pub fn takes_place(&self) -> bool {
        // Months whose names are more often other words do not count.
        let months = MONTHS.iter().filter(|month| !matches!(**month, "march" | "may"));
        words::EVENTS.iter().chain(months).any(|word| self.holds(word))
    }

    /// Whether both have names in their facts of which the other has none.
    pub fn has_other_names(&self, other: &Self) -> bool {
        let strange = |left: &Self, right: &Self| {
            let mut names = left.names.iter().filter(|name| !right.own.contains(*name)).peekable();
            names.peek().is_some() && names.all(|name| !right.stems.contains(name))
        };
        strange(self, other) && strange(other, self)
    }

    /// Whether the maker is named other than as the beginning of its product's name.
    pub fn holds_without(&self, maker: &str, product: &Form) -> bool {
        let whole = format!(" {maker} {} ", spelled(product));
        let alone = format!(" {maker} ");
        self.texts.iter().any(|text| text.replace(&whole, " ").contains(&alone))
            || self.holds(&format!("{maker}s"))
    }

    /// Whether the facts say that it is a company.
    pub fn is_company(&self) -> bool {
        words::COMPANIES.iter().any(|kind| self.heads.contains(*kind))
    }

    /// Whether a fact says of this name what companies do.
    pub fn acts_as_company(&self, name: &Form) -> bool {
        let name = spelled(name);
        words::COMPANY_VERBS.iter().any(|verb| self.holds(&format!("{name} {verb}")))
    }

    /// Whether the facts speak of a person.
    pub fn is_person(&self) -> bool {
        self.holds("born")
            || self
                .heads
                .iter()
                .any(|head| words::PERSONS.iter().any(|person| head.starts_with(person)))
    }

    /// Whether the facts say what kind of thing it is.
    pub fn has_kind(&self) -> bool {
        !self.heads.is_empty()
    }

    /// Whether the facts say that it is one of these kinds, by stems.
    pub fn is_kind_of(&self, stems: &[String]) -> bool {
        stems.iter().any(|stem| self.heads.contains(stem))
    }

    /// Whether a fact has this name, as it is written, without the maker before it.
    pub fn uses_without(&self, name: &Form, maker: &str) -> bool {
        let first_is_large = name.words.first().is_some_and(|word| word.case != Case::Lower);
        let wanted: Vec<&str> = name.words.iter().map(|word| word.written.as_str()).collect();
        first_is_large
            && self.written.iter().any(|fact| {
                fact.windows(wanted.len()).enumerate().any(|(at, words)| {
                    let before = at.checked_sub(1).and_then(|at| fact.get(at));
                    words.iter().eq(&wanted) && before.is_some_and(|before| fold(before) != maker)
                })
            })
    }

    /// Whether a fact begins with this name.
    pub fn begins_with(&self, name: &Form) -> bool {
        let start = format!(" {} ", spelled(name));
        self.texts.iter().any(|text| text.starts_with(&start))
    }

    /// Whether a fact holds these words in a row.
    pub fn holds(&self, words: &str) -> bool {
        let wanted = format!(" {words} ");
        self.texts.iter().any(|text| text.contains(&wanted))
    }

    /// Whether the facts speak of this year and no other.
    pub fn is_of_year(&self, year: &str) -> bool {
        self.years.len() == 1 && self.years.contains(year)
    }
}

/// The folded words of a name with a space between.
pub fn spelled(form: &Form) -> String {
    form.words.iter().map(|word| word.text.as_str()).collect::<Vec<_>>().join(" ")
}

/// Folded words; brackets stand alone.
fn fact_words(fact: &str) -> Vec<String> {
    let mut words = Vec::new();
    let folded = fold(fact);
    let mut word = String::new();
    for char in folded.chars().chain([' ']) {
        if char.is_alphanumeric() || matches!(char, '+' | '#') {
            word.push(char);
            continue;
        }
        if matches!(char, '\'' | '\u{2019}') {
            continue;
        }
        if !word.is_empty() {
            words.push(std::mem::take(&mut word));
        }
        if matches!(char, '(' | ')') {
            words.push(char.to_string());
        }
    }
    words
}

/// The web addresses in a fact, without scheme, `www.` and a slash at the end.
fn addresses(fact: &str) -> impl Iterator<Item = String> {
    fact.split_whitespace().filter_map(|word| {
        let word =
            word.trim_matches(|char: char| matches!(char, '<' | '>' | '(' | ')' | ',' | '.' | ';'));
        let rest = word.strip_prefix("https://").or_else(|| word.strip_prefix("http://"))?;
        let rest = rest.strip_prefix("www.").unwrap_or(rest).trim_end_matches('/');
        (!rest.is_empty()).then(|| rest.to_lowercase())
    })
}
