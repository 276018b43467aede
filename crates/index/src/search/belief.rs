//! How far a list of hits is believed to answer its question.
//!
//! A search always finds something: the nearest there is. What tells an answer from that is how
//! much of the question the best hits hold, how closely together, and how near their meaning comes;
//! never the scores, which are relative to each other. The weights are the model's
//! ([`elophanto_models::Belief`]); `elophanto eval --against` measures what they are worth.

use rayon::prelude::*;
use schemars::JsonSchema;
use serde::Serialize;

use super::{
    Query,
    lexical::{EDIT_PENALTY, Scores},
    passage::sentences,
};
use elophanto_base::lexical::{Analyzer, Finder, fold, words};
use elophanto_models::{
    Belief, Features,
    builtin::{Builtin, Pieces, nearness, words_met},
};

/// Best hits that are looked at: in features that are maxima over them, later ones are chance.
pub const LOOKED_AT: usize = 30;
/// Words within which those of the question are close together.
const CLOSE: u32 = 24;
/// A question of more words is no more certain.
const MOST_WORDS: usize = 12;
/// A list is sure to answer only if its first file is so much ahead of the next one. Two files that
/// answer about as well leave open which is right. Of 142 questions about four projects'
/// documentation the first file was right for 73 of 100 called sure without this; with it, chosen
/// on two of them, for 86 (the built-in model) and 93 (`minilm`).
const LEAD: f32 = 0.15;

/// How sure it is that a list of hits holds an answer.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum Level {
    /// None of the hits answers the question.
    #[serde(rename = "probably nothing")]
    Nothing,
    /// One of them may.
    Perhaps,
    /// One of them does.
    Sure,
}

impl Level {
    /// All of them, the surest first.
    pub const ALL: [Self; 3] = [Self::Sure, Self::Perhaps, Self::Nothing];

    /// As JSON has it.
    pub fn name(self) -> &'static str {
        match self {
            Self::Sure => "sure",
            Self::Perhaps => "perhaps",
            Self::Nothing => "probably nothing",
        }
    }
}

/// What is believed of a list of hits.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Confidence {
    /// In one word.
    pub level: Level,
    /// Logarithm of the odds that the list holds an answer.
    pub log_odds: f32,
    /// How much the score of the first file is above that of the next one.
    pub lead: f32,
    /// What it was told by.
    pub features: Features,
}

impl Confidence {
    /// What a model's weights make of features, and of how far the first file is ahead.
    pub fn of(features: Features, lead: f32, belief: &Belief) -> Self {
        let log_odds = belief.log_odds(&features);
        let level = if log_odds >= belief.sure && lead >= LEAD {
            Level::Sure
        } else if log_odds < belief.nothing {
            Level::Nothing
        } else {
            Level::Perhaps
        };
        Self { level, log_odds, lead, features }
    }

    /// As a probability. It is one for questions as they were when the weights were fitted: half of
    /// them had no answer.
    pub fn probability(&self) -> f32 {
        1.0 / (1.0 + (-self.log_odds).exp())
    }
}

/// A hit as it is compared with the question.
pub struct Compared<'t> {
    /// Title and headings.
    pub head: String,
    pub body: &'t str,
    /// Cosine by the model of the index.
    pub cosine: f32,
}

/// The features of a question and its best hits, each the most of any hit.
pub fn features_of(query: &Query, hits: impl Iterator<Item = Features>) -> Features {
    let length = asked_length(query);
    hits.fold(Features { length, ..Features::default() }, Features::max)
}

/// The features of a question and each of its hits alone. `text` is the question as it is meant, without
/// slips.
pub fn each(
    query: &Query,
    text: &str,
    keywords: &Scores,
    hits: &[Compared],
    analyzer: &Analyzer,
) -> Vec<Features> {
    let asked = asked(query, keywords);
    let vector = Builtin.embed_one(text);
    let length = asked_length(query);
    let forms = forms_of(&asked);
    let finder = || Finder::new(analyzer, forms.iter().map(|(form, ..)| *form));
    let one = |finder: &mut Finder, hit: &Compared| {
        let held = held(&forms, [&hit.head, hit.body], finder);
        let body = sentences(hit.body, None).into_iter().map(|one| &hit.body[one.range]);
        let parts: Vec<&str> = std::iter::once(hit.head.as_str()).chain(body).collect();
        let pieces: Vec<Pieces> = parts.iter().map(|text| Pieces::of(text)).collect();
        let counts = parts.iter().map(|text| text.split_whitespace().count());
        let near = nearness(&vector, pieces.iter().zip(counts));
        let found = Features {
            coverage: share(&asked, &held),
            proximity: closest(&asked, &held),
            cosine: hit.cosine.clamp(0.0, 1.0),
            static_cosine: near.whole.clamp(0.0, 1.0),
            words: 0.0,
            window: near.window.clamp(0.0, 1.0),
            length,
        };
        (found, Pieces::joined(&pieces))
    };
    let (mut all, pieces): (Vec<Features>, Vec<Pieces>) =
        hits.par_iter().map_init(finder, one).unzip();
    let met = words_met(&topic(text, analyzer), pieces).unwrap_or_default();
    all.iter_mut().zip(met).for_each(|(features, met)| features.words = met.max(0.0));
    all
}

/// The number of distinct words of the question, as a share of the most that count.
fn asked_length(query: &Query) -> f32 {
    let distinct: std::collections::BTreeSet<&String> = query.terms.iter().collect();
    distinct.len().min(MOST_WORDS) as f32 / MOST_WORDS as f32
}

/// A distinct term of the question.
pub(super) struct Asked<'q> {
    /// What stands for it, each with its share: itself, or what it was corrected to.
    forms: Vec<(&'q str, f32)>,
    /// Inverse document frequency.
    weight: f32,
}

pub(super) fn asked<'q>(query: &'q Query, keywords: &'q Scores) -> Vec<Asked<'q>> {
    let mut seen: Vec<&str> = Vec::new();
    let mut all = Vec::new();
    for term in query.terms.iter().map(String::as_str) {
        if seen.contains(&term) {
            continue;
        }
        seen.push(term);
        let known = keywords.weights.iter().find(|(known, _)| known == term);
        let correction = keywords.corrections.iter().find(|(typed, _)| typed == term);
        all.push(match (known, correction) {
            (_, Some((_, terms))) => {
                let forms = terms.iter().map(|(term, _)| (term.as_str(), EDIT_PENALTY)).collect();
                Asked { forms, weight: keywords.unknown }
            }
            (Some((_, weight)), None) => Asked { forms: vec![(term, 1.0)], weight: *weight },
            (None, None) => Asked { forms: Vec::new(), weight: keywords.unknown },
        });
    }
    all
}

/// A place where a term of the question stands.
pub(super) struct Held {
    pub position: u32,
    pub term: usize,
    pub share: f32,
}

/// What stands for a term of the question: itself, the number of the term, its share.
pub(super) type Form<'q> = (&'q str, usize, f32);

pub(super) fn forms_of<'q>(asked: &[Asked<'q>]) -> Vec<Form<'q>> {
    let of = |(term, asked): (usize, &Asked<'q>)| {
        let forms: Vec<Form<'q>> =
            asked.forms.iter().map(|&(form, share)| (form, term, share)).collect();
        forms
    };
    asked.iter().enumerate().flat_map(of).collect()
}

/// Where a hit holds terms of the question, in order. `finder` looks for `forms`.
fn held(forms: &[Form], texts: [&str; 2], finder: &mut Finder) -> Vec<Held> {
    let mut found = Vec::new();
    let mut before = 0;
    for text in texts {
        let mut last = before;
        for word in words(text) {
            last = before + word.position;
            let Some(number) = finder.find(&text[word.range]) else { continue };
            let (met, ..) = forms[number];
            let terms = forms.iter().filter(|(form, ..)| *form == met);
            found.extend(terms.map(|&(_, term, share)| Held { position: last, term, share }));
        }
        // Apart from what follows.
        before = last + CLOSE;
    }
    found
}

/// Share of the question's weight that is held at these places.
pub(super) fn share(asked: &[Asked], held: &[Held]) -> f32 {
    let all: f32 = asked.iter().map(|asked| asked.weight).sum();
    let mut best = vec![0.0f32; asked.len()];
    held.iter().for_each(|held| best[held.term] = best[held.term].max(held.share));
    let sum: f32 = asked.iter().zip(&best).map(|(asked, share)| asked.weight * share).sum();
    if all > 0.0 { sum / all } else { 0.0 }
}

/// The most of it within a few words.
fn closest(asked: &[Asked], held: &[Held]) -> f32 {
    let starts = held.iter().enumerate();
    let within = |(start, first): (usize, &Held)| {
        let length =
            held[start..].iter().take_while(|held| held.position < first.position + CLOSE).count();
        share(asked, &held[start..start + length])
    };
    starts.map(within).fold(0.0, f32::max)
}

/// The words of a question that say what it is about; all, if none does.
fn topic(text: &str, analyzer: &Analyzer) -> String {
    let mut buffer = String::new();
    let mut is_topic = |word: &str| {
        fold(word, &mut buffer);
        !analyzer.is_common(&buffer)
    };
    let all = || words(text).map(|word| &text[word.range]);
    let about: Vec<&str> = all().filter(|word| is_topic(word)).collect();
    if about.is_empty() { all().collect::<Vec<_>>().join(" ") } else { about.join(" ") }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Chunks 1,000; `sea` is in all but few, `otter` in few, `zebra` in none.
    fn keywords() -> Scores {
        Scores {
            scores: Vec::new(),
            barred: Vec::new(),
            corrections: vec![("salmn".to_owned(), vec![("salmon".to_owned(), 1)])],
            weights: vec![("otter".to_owned(), 4.0), ("sea".to_owned(), 1.0)],
            unknown: 5.0,
        }
    }

    fn of(question: &str, hits: &[(&str, &str, f32)]) -> Features {
        let analyzer = Analyzer::new("english");
        let hits: Vec<Compared> = hits
            .iter()
            .map(|&(head, body, cosine)| Compared { head: head.to_owned(), body, cosine })
            .collect();
        let query = Query::plain(question, &analyzer);
        let text = question.replace("salmn", "salmon");
        features_of(&query, each(&query, &text, &keywords(), &hits, &analyzer).into_iter())
    }

    #[track_caller]
    fn close(found: f32, expected: f32) {
        assert!((found - expected).abs() < 1e-5, "{found} is not {expected}");
    }

    #[test]
    fn what_is_held_counts_by_its_weight() {
        close(of("otter sea", &[("", "Otters swim.", 0.3)]).coverage, 0.8);
        close(of("otter sea", &[("", "The sea is deep.", 0.3)]).coverage, 0.2);
        close(of("otter sea", &[("Otters", "Far from any sea.", 0.3)]).coverage, 1.0);
        // The best of any hit, not all of them together.
        close(of("otter sea", &[("", "Otters.", 0.1), ("", "Sea.", 0.2)]).coverage, 0.8);
        close(of("otter zebra", &[("", "Otters.", 0.1)]).coverage, 4.0 / 9.0);
        close(of("salmn", &[("", "Salmon.", 0.1)]).coverage, EDIT_PENALTY);
        assert!(of("salmn", &[("", "Salmon.", 0.1)]).words > 0.9, "by what it is taken for");
        // Asked twice is asked once.
        close(of("otter otters sea", &[("", "Otters.", 0.1)]).coverage, 0.8);
        let cosines = of("otter", &[("", "Otters.", 0.1), ("", "Sea.", 0.4), ("", "Sea.", -0.4)]);
        close(cosines.cosine, 0.4);
        close(of("otter sea", &[]).coverage, 0.0);
        assert_eq!(of("", &[("", "Otters.", 0.0)]).coverage, 0.0);
    }

    #[test]
    fn words_far_apart_are_not_close() {
        let filler = "word ".repeat(40);
        let apart = format!("Otters {filler} sea");
        close(of("otter sea", &[("", &apart, 0.0)]).coverage, 1.0);
        close(of("otter sea", &[("", &apart, 0.0)]).proximity, 0.8);
        close(of("otter sea", &[("", "An otter in the sea.", 0.0)]).proximity, 1.0);
        // A heading stands over all of its text, close to none of it.
        close(of("otter sea", &[("Otters", "The sea.", 0.0)]).proximity, 0.8);
    }

    #[test]
    fn the_length_of_a_question_has_a_most() {
        close(of("otter sea zebra", &[]).length, 0.25);
        let many = (0..40).map(|n| format!("w{n}")).collect::<Vec<_>>().join(" ");
        close(of(&many, &[]).length, 1.0);
    }

    #[test]
    fn what_answers_is_told_from_what_does_not() {
        let belief = Belief::STATIC;
        let sleep = "Otters sleep on their backs in the kelp. They hold hands, so that nobody \
                     drifts out to sea. Pups sleep on their mother.";
        let level = |question: &str| {
            Confidence::of(of(question, &[("Otters > Sleep", sleep, 0.0)]), 1.0, &belief).level
        };
        assert_eq!(
            level("why do sea otters hold hands when they sleep on their backs"),
            Level::Sure
        );
        assert_eq!(level("how is a pull request merged by the bot"), Level::Nothing);
        assert!(Level::Nothing < Level::Perhaps && Level::Perhaps < Level::Sure);
    }

    #[test]
    fn levels_begin_where_the_model_says() {
        let belief = Belief { bias: 0.0, sure: 1.0, nothing: -1.0, ..Belief::STATIC };
        for (bias, level, least, most) in [
            (1.0, Level::Sure, 0.73, 0.74),
            (0.99, Level::Perhaps, 0.72, 0.73),
            (-1.0, Level::Perhaps, 0.26, 0.27),
            (-1.01, Level::Nothing, 0.26, 0.27),
        ] {
            let belief = Belief { bias, ..belief };
            let found = Confidence::of(Features::default(), LEAD, &belief);
            assert_eq!(found.level, level, "{bias}");
            let close = Confidence::of(Features::default(), LEAD - 0.01, &belief).level;
            assert_eq!(close, level.min(Level::Perhaps), "two files that answer as well");
            assert!((least..most).contains(&found.probability()), "{found:?}");
        }
    }
}
