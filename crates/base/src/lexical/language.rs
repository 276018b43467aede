//! Which language a text is in, told by its small words: `der`, `les`, `pero`.

use std::{
    borrow::Cow,
    sync::{LazyLock, OnceLock},
};

use rustc_hash::{FxHashMap, FxHashSet};

use super::{Analyzer, CODES, fold, words};

/// Words of a text that are looked at: its language does not change behind them.
const MOST_WORDS: usize = 400;
/// Different small words of another language that a text must have at least, and of how many words one
/// must be such. Quotations, lists of names and tags (`em`) have fewer.
const LEAST: usize = 4;
const ONE_OF: usize = 8;
/// How many times as many as small words of the own language.
const TIMES: usize = 2;

/// Most words of a question that are looked for in all lists of stop words. A map of those lists takes a
/// millisecond, which is worth it for whoever tells the language of many texts.
const FEW_WORDS: usize = 32;

/// By their places in [`CODES`], the languages of which a word is a stop word: one bit each.
type Common<'a> = FxHashMap<&'a str, u32>;

static COMMON_IN: LazyLock<Common<'static>> = LazyLock::new(|| {
    let mut all = Common::default();
    each_common(|word, language| *all.entry(word).or_default() |= language);
    all
});

/// Calls `take` with each stop word and the bit of its language.
fn each_common(mut take: impl FnMut(&'static str, u32)) {
    for (number, (_, code)) in CODES.iter().enumerate() {
        let words = stop_words::lookup(code).unwrap_or_default();
        words.iter().for_each(|word| take(word, 1 << number));
    }
}

/// Of which languages each of some words is a stop word.
fn common_in(words: &[Cow<str>]) -> Vec<u32> {
    if words.len() > FEW_WORDS {
        return words.iter().map(|word| COMMON_IN.get(&**word).copied().unwrap_or(0)).collect();
    }
    let mut asked: Common = words.iter().map(|word| (&**word, 0)).collect();
    each_common(|word, language| {
        if let Some(languages) = asked.get_mut(word) {
            *languages |= language;
        }
    });
    words.iter().map(|word| asked[&**word]).collect()
}

static ANALYZERS: [OnceLock<Analyzer>; CODES.len()] = [const { OnceLock::new() }; CODES.len()];

/// A language that texts may be in, whatever that of the settings is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Language(usize);

impl Language {
    /// All that can be told.
    pub fn all() -> impl Iterator<Item = Self> {
        (0..CODES.len()).map(Self)
    }

    /// Its Snowball name.
    pub fn name(self) -> &'static str {
        CODES[self.0].0
    }

    /// Its ISO 639-1 code.
    pub fn code(self) -> &'static str {
        CODES[self.0].1
    }

    pub fn analyzer(self) -> &'static Analyzer {
        ANALYZERS[self.0].get_or_init(|| Analyzer::new(self.name()))
    }
}

/// How many of a text's different words are small words of a language.
struct Tally {
    words: usize,
    /// Per language: those that are none of the own language, and the other way round.
    others: [usize; CODES.len()],
    own: [usize; CODES.len()],
}

impl Analyzer {
    /// The language of a note, if it is clearly another than this one.
    pub fn other_language_of(&self, text: &str) -> Option<Language> {
        let tally = self.tally(text)?;
        let best =
            (0..CODES.len()).max_by_key(|&number| (tally.others[number], CODES.len() - number))?;
        let small = tally.others[best];
        let is_clear =
            small >= LEAST && small * ONE_OF >= tally.words && small > TIMES * tally.own[best];
        is_clear.then_some(Language(best))
    }

    /// The languages that a question may be in rather than in this one, the likeliest first.
    pub fn languages_of_question(&self, text: &str) -> Vec<Language> {
        let Some(tally) = self.tally(text) else { return Vec::new() };
        let mut likely: Vec<usize> =
            (0..CODES.len()).filter(|&number| tally.others[number] > tally.own[number]).collect();
        // Stable: of equal ones the first stays first.
        likely.sort_by_key(|&number| std::cmp::Reverse(tally.others[number]));
        likely.into_iter().map(Language).collect()
    }

    /// The languages than whose the small words of a text are rather those of this one.
    pub fn unlike(&self, text: &str) -> Vec<Language> {
        let Some(tally) = self.tally(text) else { return Vec::new() };
        let is_unlike = |language: &Language| tally.own[language.0] > tally.others[language.0];
        Language::all().filter(is_unlike).collect()
    }

    /// Its own language, if it has one.
    pub fn language(&self) -> Option<Language> {
        CODES.iter().position(|(name, _)| *name == self.language).map(Language)
    }

    /// `None` for an analyzer of no language, which treats all texts alike.
    fn tally(&self, text: &str) -> Option<Tally> {
        let own = 1 << self.language()?.0;
        let mut tally = Tally { words: 0, others: [0; CODES.len()], own: [0; CODES.len()] };
        let mut folded = String::new();
        let mut seen: FxHashSet<Cow<str>> = FxHashSet::default();
        let mut different: Vec<Cow<str>> = Vec::new();
        for word in words(text).take(MOST_WORDS) {
            let word = &text[word.range];
            let is_lower = word.bytes().all(|byte| byte.is_ascii() && !byte.is_ascii_uppercase());
            let lower = if is_lower { Cow::from(word) } else { Cow::from(word.to_lowercase()) };
            if seen.insert(lower.clone()) {
                different.push(lower);
            }
        }
        tally.words = different.len();
        for (lower, common) in different.iter().zip(common_in(&different)) {
            if common == 0 {
                continue;
            }
            let is_own = common & own != 0;
            if is_own {
                fold(lower, &mut folded);
                if !self.is_common(&folded) {
                    // Common by a longer list than ours: it tells nothing.
                    continue;
                }
            }
            for number in 0..CODES.len() {
                let is_theirs = common & (1 << number) != 0;
                tally.others[number] += usize::from(is_theirs && !is_own);
                tally.own[number] += usize::from(is_own && !is_theirs);
            }
        }
        Some(tally)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(own: &str, text: &str, expected: Option<&str>) {
        let found = Analyzer::new(own).other_language_of(text).map(Language::name);
        assert_eq!(found, expected, "{text}");
    }

    const GERMAN: &str = "Der Müller hatte sie von seinem Vater geerbt und mahlte das Korn der \
                          Bauern, bis der Bach in einem trockenen Sommer versiegte.";
    const FRENCH: &str = "Le meunier le tenait de son père et moulait le grain des paysans jusqu'à \
                          l'été où le ruisseau se tarit.";
    const SPANISH: &str = "El molinero lo heredó de su padre y molía el grano de los labradores \
                           hasta el verano en que el arroyo se secó.";
    const ENGLISH: &str = "The miller had it from his father and ground the corn of the farmers \
                           until the brook ran dry in a hot summer.";

    #[test]
    fn notes_tell_their_language() {
        check("english", GERMAN, Some("german"));
        check("english", FRENCH, Some("french"));
        check("english", SPANISH, Some("spanish"));
        check("english", ENGLISH, None);
        check("german", GERMAN, None);
        check("german", ENGLISH, Some("english"));
        check("none", GERMAN, None);
        check("klingon", GERMAN, None);
    }

    #[test]
    fn what_quotes_or_names_is_in_the_own_language() {
        check("english", "der die das", None);
        check("english", "", None);
        check("english", &format!("{ENGLISH} {ENGLISH} He said: der Bach und die Bauern."), None);
        check("english", "San Juan de los Lagos, Villa de la Paz, Port of Spain, La Plata", None);
        let code = "fn main() { let die = Die::new(); die.sort(); la.pop(); en.insert(del) }";
        check("english", code, None);
    }

    #[test]
    fn words_are_common_in_the_same_languages_few_or_many() {
        for text in [GERMAN, FRENCH, SPANISH, ENGLISH] {
            let lower = text.to_lowercase();
            let few: Vec<Cow<str>> =
                words(&lower).take(FEW_WORDS).map(|word| lower[word.range].into()).collect();
            let many = few.iter().cycle().take(FEW_WORDS + 1).cloned().collect::<Vec<_>>();
            let found = common_in(&few);
            assert_eq!(found, common_in(&many)[..few.len()], "{text}");
            assert!(found.iter().any(|languages| *languages != 0), "{text}");
        }
    }

    #[test]
    fn questions_tell_theirs_by_less() {
        let english = Analyzer::new("english");
        let first = |text: &str| {
            english.languages_of_question(text).first().map(|language| language.name())
        };
        assert_eq!(first("Wie hoch ist der Zaun?"), Some("german"));
        assert_eq!(first("¿Cuándo se esquila a los animales?"), Some("spanish"));
        assert_eq!(first("Qui payait le port d'une lettre ?"), Some("french"));
        assert_eq!(first("how are notes merged"), None);
        assert_eq!(first("Wasserzähler ablesen"), None);
    }
}
