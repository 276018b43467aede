//! The part of a passage that a slower model reads first: about sixty words that hold most of the
//! question, in its words or by meaning. Pure.

use std::ops::Range;

use super::{
    Query,
    belief::{Asked, Form, Held, asked, forms_of, share},
    lexical::Scores,
};
use elophanto_base::lexical::{Analyzer, Finder, words};
use elophanto_models::builtin::{Builtin, Pieces, run_cosines};

/// Excerpts begin every so many words.
const STRIDE: usize = 15;
/// Strides in an excerpt.
const STRIDES: usize = 4;

/// Finds excerpts for one question.
pub struct Excerpts<'q> {
    asked: Vec<Asked<'q>>,
    forms: Vec<Form<'q>>,
    /// Of the question, by the built-in model.
    vector: Vec<f32>,
    finder: Finder<'q>,
}

impl<'q> Excerpts<'q> {
    /// `text` is the question as it is meant, without slips.
    pub fn new(query: &'q Query, text: &str, keywords: &'q Scores, analyzer: &'q Analyzer) -> Self {
        let asked = asked(query, keywords);
        let forms = forms_of(&asked);
        let finder = Finder::new(analyzer, forms.iter().map(|(form, ..)| *form));
        let vector = Builtin.embed_one(text);
        Self { asked, forms, vector, finder }
    }

    /// The bytes of the best excerpt of a text; all of it, if it is no longer than one.
    pub fn best(&mut self, text: &str) -> Range<usize> {
        let all: Vec<Range<usize>> = words(text).map(|word| word.range).collect();
        if all.len() <= STRIDE * STRIDES {
            return 0..text.len();
        }
        let mut held: Vec<Held> = Vec::new();
        for (position, word) in (0..).zip(&all) {
            let Some(number) = self.finder.find(&text[word.clone()]) else { continue };
            let (met, ..) = self.forms[number];
            let terms = self.forms.iter().filter(|(form, ..)| *form == met);
            held.extend(terms.map(|&(_, term, share)| Held { position, term, share }));
        }
        // The parts of a compound follow it and lie inside of it.
        let starts: Vec<usize> =
            all.iter().step_by(STRIDE).map(|word| word.start).chain([text.len()]).collect();
        let strides: Vec<Range<usize>> =
            starts.windows(2).map(|pair| pair[0]..pair[1].max(pair[0])).collect();
        let pieces: Vec<Pieces> =
            strides.iter().map(|stride| Pieces::of(&text[stride.clone()])).collect();
        let mut best = (f32::NEG_INFINITY, 0);
        for (start, cosine) in run_cosines(&self.vector, &pieces, STRIDES).into_iter().enumerate() {
            let at = |stride: usize| {
                held.partition_point(|held| (held.position as usize) < stride * STRIDE)
            };
            let coverage = share(&self.asked, &held[at(start)..at(start + STRIDES)]);
            if cosine + coverage > best.0 {
                best = (cosine + coverage, start);
            }
        }
        let last = strides.len().min(best.1 + STRIDES) - 1;
        strides[best.1].start..strides[last].end
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn best(question: &str, text: &str) -> String {
        let analyzer = Analyzer::new("english");
        let query = Query::plain(question, &analyzer);
        let keywords = Scores {
            scores: Vec::new(),
            barred: Vec::new(),
            corrections: Vec::new(),
            weights: query.terms.iter().map(|term| (term.clone(), 3.0)).collect(),
            unknown: 5.0,
        };
        text[Excerpts::new(&query, question, &keywords, &analyzer).best(text)].to_owned()
    }

    #[test]
    fn the_part_that_speaks_of_it_is_chosen() {
        let filler =
            "The parser reads one line after the other, and stops at an error. ".repeat(30);
        let said = "Otters hold hands while they sleep, so that nobody drifts away.";
        for text in [
            format!("{said} {filler}"),
            format!("{filler}{said}"),
            format!("{filler}{said} {filler}"),
        ] {
            let found = best("why do otters hold hands", &text);
            assert!(found.contains("Otters hold hands") && found.len() < 500, "{found}");
            // By meaning, where no word is the same.
            let found = best("animals resting in the sea", &text);
            assert!(found.contains("while they sleep"), "{found}");
        }
    }

    #[test]
    fn a_short_text_is_its_own() {
        let short = "otter_pups sleep ".repeat(10);
        assert_eq!(best("otters", &short), short);
        assert_eq!(best("otters", ""), "");
        // Compounds, signs that are words of their own, no question.
        for text in ["a_b_c.d-e ".repeat(200), "\u{732b}\u{3068}\u{72ac}".repeat(90)] {
            for question in ["b", "", "\u{732b}"] {
                let found = best(question, &text);
                assert!(!found.is_empty() && found.len() < text.len(), "{found}");
            }
        }
    }
}
